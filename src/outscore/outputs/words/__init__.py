"""Words of gold and systems: aligned by characters, compared by tag, tree or entity."""

"""How many items, how small a difference, how likely a verdict."""

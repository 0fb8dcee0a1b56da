"""The workflow of `outscore score`."""

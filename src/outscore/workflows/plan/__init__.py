"""How many items, how small a difference, how much power."""

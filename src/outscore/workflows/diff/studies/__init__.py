"""How each kind of output is read, aligned with gold and made ready to be compared."""

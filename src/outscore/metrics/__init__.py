"""Metrics as columns whose sums make a score. `registry` lists them."""

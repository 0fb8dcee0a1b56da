"""Metrics of texts as statistics per segment. `registry` lists them."""

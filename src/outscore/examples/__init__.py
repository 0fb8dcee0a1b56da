"""Simulated files for the demo and the page: one small set for each kind of input. `registry` lists them."""

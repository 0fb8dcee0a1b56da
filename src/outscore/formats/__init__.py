"""Readers: one file in, its systems' scores or its outputs out. `registry` lists them."""

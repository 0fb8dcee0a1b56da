"""The tasks whose outputs can be compared, one module each. `registry` lists them."""

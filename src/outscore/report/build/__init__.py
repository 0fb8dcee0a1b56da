"""Documents of results: one module for each kind states its sections, in the order of reading."""

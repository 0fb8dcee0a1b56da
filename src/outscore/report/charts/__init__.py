"""Charts of results: drawn when asked for, and not before."""

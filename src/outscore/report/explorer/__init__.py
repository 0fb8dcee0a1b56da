"""The explorer of a diff: the data and scripts that lead from a number to its examples."""

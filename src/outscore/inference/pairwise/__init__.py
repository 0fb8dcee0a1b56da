"""All pairs of many systems, in bulk."""

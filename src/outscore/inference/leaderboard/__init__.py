"""Order, groups and Friedman's test of many systems."""

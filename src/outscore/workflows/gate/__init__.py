"""`gate`: whether a candidate may replace a baseline."""

"""Right-or-wrong items: McNemar's test, and the interval of one system's own score."""

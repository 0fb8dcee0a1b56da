"""One system's scores as they were read, two systems paired item by item, and panels of many systems.

`Scores` is what every reader of scores returns. `pair` matches two of them by item id, or by position if
neither has ids, in the order of A's file, and counts what it leaves out.
"""

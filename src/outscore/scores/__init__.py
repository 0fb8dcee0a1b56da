"""One system's scores as they were read, two systems paired item by item, and boards of many.

`Scores` is what every reader gives: the numbers of one system with the labels that stood beside them. `pair` matches two of
them by item id (by place only where neither has ids), in the order of A's file, and says what it left out on the way.
"""

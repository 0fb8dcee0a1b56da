"""One system's scores as they were read, and two systems paired item by item.

`Scores` is what every reader gives: the numbers of one system with the labels that stood beside them. `pair` matches two of
them by item id (by place only where neither has ids), in the order of A's file, and says what it left out on the way.
"""

from __future__ import annotations

from outscore.scores.duplicates import DUPLICATES, DuplicateRule, settle
from outscore.scores.pairing import Paired, pair
from outscore.scores.system import Labels, Origin, Scores, label_of

__all__ = ["DUPLICATES", "DuplicateRule", "Labels", "Origin", "Paired", "Scores", "label_of", "pair", "settle"]

"""What is swapped in a ranking: items, evaluation units or clusters, and how many of them there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.rankings import RankDesign
from outscore.scores.board import Board

__all__ = ["design_of"]

GROUPS = {"segment": "document", "word": "sentence"}
"""What items that are swapped as one are called; of other items they are clusters."""


def design_of(
    boards: Sequence[Board],
    *,
    unit: str = "items",
    group: str | None = None,
    unit_size: int = 1,
    unit_statistic: str = "mean",
    shuffle: int | None = None,
) -> RankDesign:
    """The design of all boards together; `unit` is the plural of what an item is called, `group` the name of a cluster.

    Examples
    --------
    >>> board = Board(("new", "old"), np.ones((2, 60)), np.ones((2, 60), dtype=bool))
    >>> found = design_of([board], unit_size=7)
    >>> found.items, found.units, found.remainder
    (60, 8, 4)
    """
    noun = unit.removesuffix("s")
    sizes = [board.shape[1] for board in boards]
    grouped = [board.clusters for board in boards]
    # Systems with different items have units of their own in every pair.
    whole = unit_size > 1 and all(board.complete for board in boards)
    return RankDesign(
        items=sum(sizes),
        noun=noun,
        group=group or GROUPS.get(noun, "cluster"),
        clusters=sum(len(np.unique(codes)) for codes in grouped if codes is not None) or None,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        units=sum(size // unit_size for size in sizes) if whole else None,
        remainder=sum(size % unit_size for size in sizes) if whole else None,
        shuffle=shuffle if unit_size > 1 else None,
        repeats=_repeats(boards),
    )


def _repeats(boards: Sequence[Board]) -> float:
    """How many runs stand behind a score, on average."""
    cells = [int(board.present.sum()) for board in boards]
    return sum(board.repeats * n for board, n in zip(boards, cells, strict=True)) / sum(cells)

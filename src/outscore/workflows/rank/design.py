"""What is swapped in a ranking: items, evaluation units or clusters, and how many of them there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.results.ranking import RankDesign
from outscore.scores.board import Board
from outscore.workflows.rank.populations import repeat_kind
from outscore.workflows.rank.question import USUAL, Question

__all__ = ["design_of"]

GROUPS = {"segment": "document", "word": "sentence"}
"""What items that are swapped as one are called; of other items they are clusters."""


def design_of(
    boards: Sequence[Board], question: Question = USUAL, *, unit: str = "items", group: str | None = None
) -> RankDesign:
    """The design of all boards together; `unit` is the plural of what an item is called, `group` the name of a cluster.

    Examples
    --------
    >>> board = Board(("new", "old"), np.ones((2, 60)), np.ones((2, 60), dtype=bool))
    >>> found = design_of([board], Question(unit_size=7))
    >>> found.items, found.units, found.remainder
    (60, 8, 4)
    """
    noun, size = unit.removesuffix("s"), question.unit_size
    counts = [board.shape[1] for board in boards]
    grouped = [board.clusters for board in boards]
    # Systems with different items have units of their own in every pair.
    whole = size > 1 and all(board.complete for board in boards)
    return RankDesign(
        items=sum(counts),
        noun=noun,
        group=group or GROUPS.get(noun, "cluster"),
        clusters=sum(len(np.unique(codes)) for codes in grouped if codes is not None) or None,
        unit_size=size,
        unit_statistic=question.unit_statistic,
        units=sum(count // size for count in counts) if whole else None,
        remainder=sum(count % size for count in counts) if whole else None,
        shuffle=question.shuffle if size > 1 else None,
        repeats=_repeats(boards),
        repeat_kind=repeat_kind(boards, question),
        repeat_column=boards[0].repeat_column,
        reduced=boards[0].reduced,
        repeats_range=_repeats_range(boards),
    )


def _repeats(boards: Sequence[Board]) -> float:
    """How many runs stand behind a score, on average."""
    cells = [int(board.present.sum()) for board in boards]
    return sum(board.repeats * n for board, n in zip(boards, cells, strict=True)) / sum(cells)


def _repeats_range(boards: Sequence[Board]) -> tuple[int, int] | None:
    """The fewest and the most runs behind a score; None where there is no difference."""
    times = [np.unique(own.items, return_counts=True)[1] for board in boards for own in board.draws or ()]
    every = np.concatenate(times) if times else np.ones(1, dtype=int)
    fewest, most = (int(every.min()), int(every.max())) if len(every) else (1, 1)
    return None if fewest == most else (fewest, most)

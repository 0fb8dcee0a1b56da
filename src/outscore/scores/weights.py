"""Weights of items: a score and its weight on every row, which the metric `weighted-mean` takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, float_of
from outscore.exact.numbers import to_exact_integers
from outscore.scores.align import item_codes
from outscore.scores.system import Scores

COLUMN = "Name a column of numbers from 0 up with --weight (weights=... in Python), one for each item."


def weigh(systems: Sequence[Scores], column: str) -> Sequence[Scores]:
    """The scores with the weights of their items, or as they are where all weigh the same; `column` is among their slices.

    A system without the column takes the weights that the others name. Weights are divided by what divides them all.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> new = Scores("new", np.array([1, 0]), slices={"w": Labels.of(["0.5", "1.5"])})
    >>> weigh([new], "w")[0].values.tolist(), weigh([new.take([0])], "w")[0].values.tolist()
    ([[1, 1], [0, 3]], [1])
    """
    codes = item_codes(systems)
    known = np.full(1 + max(int(items.max(initial=-1)) for items in codes), np.nan)
    for one, items in zip(systems, codes, strict=True):
        _add(one, column, items, known)
    for one, items in zip(systems, codes, strict=True):
        _check(one, column, known[items])
    exact = to_exact_integers(known)
    weights = known if exact is None else exact[0][0] // np.gcd.reduce(exact[0][0])
    if (weights == weights[0]).all():
        return systems
    return [
        replace(one, values=np.stack([one.values, weights[items]], axis=1)) for one, items in zip(systems, codes, strict=True)
    ]


def _add(scores: Scores, column: str, items: Array, known: Array) -> None:
    """Enter the weights that a system names, which must be those of the systems before."""
    labels = scores.slices.get(column)
    if labels is None:
        return
    own = np.array(list(map(float_of, labels.names)))[labels.codes]
    wrong = np.flatnonzero(~((own >= 0) & (own < np.inf)))
    if len(wrong):
        row = int(wrong[0])
        message = f"{scores.place(row)}: {_item(scores, row)} has the weight `{labels[row]}`."
        raise scores.row_error(row, message, COLUMN, parameter="weight")
    new = np.flatnonzero(np.isnan(known[items]))[::-1]
    known[items[new]] = own[new]
    wrong = np.flatnonzero(known[items] != own)
    if len(wrong):
        row = int(wrong[0])
        before = f"but {known[items[row]]:g} on another row"
        message = f"{scores.place(row)}: {_item(scores, row)} has the weight `{labels[row]}`, {before}."
        cure = "Give each item one weight, the same for all systems and runs."
        raise scores.row_error(row, message, cure, parameter="weight")


def _check(scores: Scores, column: str, weights: Array) -> None:
    """Refuse what cannot be weighted: counts, items without a weight, weights that are all 0."""
    if scores.values.ndim > 1:
        message = f"{scores.label} contains counts, but weights are for one score of each item."
        raise OutscoreError(message, "Leave --weight out.", parameter="weight")
    bare = np.flatnonzero(np.isnan(weights))
    if len(bare):
        row = int(bare[0])
        message = f"{scores.place(row)}: {_item(scores, row)} has no weight in a column `{column}`."
        raise scores.row_error(row, message, COLUMN, parameter="weight")
    if not weights.any():
        raise OutscoreError(f"{scores.label}: all weights of `{scores.name}` are 0.", COLUMN, parameter="weight")


def _item(scores: Scores, row: int) -> str:
    return "the item" if scores.ids is None else f"item `{scores.ids[row]}`"

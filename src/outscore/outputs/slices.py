"""Columns to split units by: each is made only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.scores.system import Labels

__all__ = ["binned", "choose_slices"]


def choose_slices(
    available: Mapping[str, Callable[[], Labels]], asked: Sequence[str], unread: Sequence[str] = ()
) -> dict[str, Labels]:
    """The columns asked for, in that order; an unknown one is refused with those that there are.

    `unread` are columns that a file has and that were not read because nobody asked for them.

    Examples
    --------
    >>> choose_slices({"genre": lambda: Labels.of(["news", "web"])}, ["genre"])["genre"].names
    ('news', 'web')
    """
    for column in asked:
        if column not in available:
            known = list(dict.fromkeys([*available, *unread]))
            hint = did_you_mean(column, known) if known else "Leave --slice out."
            raise OutscoreError(f"There is no column `{column}` to split by.", hint, parameter="slice")
    return {column: available[column]() for column in asked}


def binned(values: Array, firsts: Sequence[int]) -> Labels:
    """Whole numbers as ranges that begin with `firsts`, the last of them open.

    Examples
    --------
    >>> binned(np.array([1, 4, 12]), (1, 2, 5))[1], binned(np.array([1, 4, 12]), (1, 2, 5))[2]
    ('2-4', '5+')
    """
    names = [str(low) if low + 1 == high else f"{low}-{high - 1}" for low, high in pairwise(firsts)]
    codes = np.searchsorted(np.asarray(firsts), values, side="right") - 1
    return Labels(np.maximum(codes, 0), (*names, f"{firsts[-1]}+"))

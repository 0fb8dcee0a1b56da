"""One test on many screens, kinds or engines: `make test` takes the chosen ones, `make test-slow` the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product

import pytest


def variants(names: Iterable[str], quick: Collection[str]) -> list:
    """All of them as parameters, and slow unless they are among the quick ones."""
    every = list(names)
    assert set(quick) <= set(every), f"{set(quick) - set(every)}: no variants of this name"
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow, id=name) for name in every]


def a_few(cases: Iterable, quick: int) -> list:
    """All of them as parameters, and slow but for so many, spread over them from the first to the last.

    A tuple holds one value for each of several parameters.
    """
    every = list(cases)
    assert quick < len(every), "all of them are quick"
    spread = {round(k * (len(every) - 1) / max(quick - 1, 1)) for k in range(quick)}
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if place in spread else pytest.mark.slow)
        for place, case in enumerate(every)
    ]


def crossed(*axes: Collection) -> list:
    """All combinations as parameters, and slow but for as many as it takes to have every value of every axis."""
    quick = {tuple(k % len(axis) for axis in axes) for k in range(max(map(len, axes)))}
    found = []
    for combination in product(*(enumerate(axis) for axis in axes)):
        places, values = zip(*combination, strict=True)
        found.append(pytest.param(*values, marks=() if places in quick else pytest.mark.slow))
    return found

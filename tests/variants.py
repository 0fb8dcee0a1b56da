"""One test on many screens, kinds or engines: `make test` takes the chosen ones, `make test-slow` the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest


def variants(names: Iterable[str], quick: Collection[str]) -> list:
    """All of them as parameters, and slow unless they are among the quick ones."""
    every = list(names)
    assert set(quick) <= set(every), f"{set(quick) - set(every)}: no variants of this name"
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow, id=name) for name in every]

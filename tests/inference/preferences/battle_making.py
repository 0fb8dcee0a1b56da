"""Battles made for tests: by hand, and by chance."""

from __future__ import annotations

import numpy as np

from outscore.scores.battles import Battles
from outscore.scores.system import Labels


def made(rows, systems=None, *, shown=True, judges=None, weights=None, lengths=None):
    """Battles from rows (prompt, first, second, share)."""
    names = tuple(systems or dict.fromkeys(name for row in rows for name in row[1:3]))
    return Battles(
        names,
        np.array([names.index(row[1]) for row in rows]),
        np.array([names.index(row[2]) for row in rows]),
        np.array([row[3] for row in rows], dtype=float),
        Labels.of([row[0] for row in rows]),
        np.full(len(rows), shown),
        judges=None if judges is None else Labels.of(judges),
        weights=None if weights is None else np.array(weights),
        lengths=lengths,
    )


def simulated(rng, strengths, prompts, *, votes=4, spread=1.0, first=0.0, ties=0.0, both=True):
    """Battles of random pairs on prompts that have a taste of their own, which all their votes share.

    A taste of a prompt is drawn for every system; `first` are the log-odds for standing first.
    """
    k = len(strengths)
    rows = []
    for prompt in range(prompts):
        taste = rng.normal(0.0, spread, k)
        for _ in range(votes):
            i, j = rng.choice(k, 2, replace=False)
            orders = ((i, j), (j, i)) if both else (((i, j), (j, i))[rng.integers(2)],)
            for a, b in orders:
                gap = strengths[a] - strengths[b] + taste[a] - taste[b] + first
                share = 0.5 if rng.random() < ties else float(rng.random() < 1 / (1 + np.exp(-gap)))
                rows.append((f"p{prompt}", f"s{a}", f"s{b}", share))
    return made(rows, [f"s{i}" for i in range(k)])

"""How often a ranking claims that a system is better on more datasets than it is, its direction being unknown beforehand.

Planned before it was run: a replicate is a pair of systems on six datasets of 400 right-or-wrong items, tested exactly and
counted as `rank` counts; 1,000 replicates of each world in the fast version, 20,000 in the slow one. A claim is false where the
count by Bonferroni or by Fisher exceeds the number of datasets on which the named system is truly better, or where Holm names a
dataset on which it is not. The bar is α + 2.6 standard errors of a share of α: a method that holds its level fails it once in
200 runs. One that spends α on each direction instead of half of it fails where nothing differs.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from outscore.inference.pairwise.macro import macro_from_counts, macro_measured, macro_request
from outscore.inference.pairwise.moments import binary_table
from outscore.inference.pairwise.table import Measured, OwnScores
from outscore.workflows.question import Question
from outscore.workflows.rank.assemble import MAX_REPLICATED, _replicability
from outscore.workflows.rank.standings import families

ALPHA, ITEMS = 0.05, 400
# The lead of the first system on each dataset, in shares of right items, and whether the datasets are the same items.
WORLDS = {
    "nowhere": ((0, 0, 0, 0, 0, 0), False),
    "two of six": ((0.3, 0.3, 0, 0, 0, 0), False),
    "for and against": ((0.3, 0.3, 0.3, -0.2, 0, 0), False),
    "the same items": ((0.3, 0.3, 0, 0, 0, 0), True),
}
SIZES = [pytest.param(1_000, id="fast"), pytest.param(20_000, id="slow", marks=pytest.mark.slow)]


def bar(level: float, replicates: int) -> float:
    return level + 2.6 * math.sqrt(level * (1 - level) / replicates)


def datasets(leads, same_items, pairs, stream):
    """The pairs (0, 1), (2, 3) ... on each dataset: no two of them have a system in common, so that they are independent."""
    left, n = 2 * np.arange(pairs), np.full(pairs, ITEMS)
    luck = stream.random((2, pairs, ITEMS))
    found = []
    for name, lead in enumerate(leads):
        if not same_items:
            luck = stream.random((2, pairs, ITEMS))
        first, second = luck[0] < 0.5 + lead / 2, luck[1] < 0.5 - lead / 2
        wins, losses = (first & ~second).sum(axis=1), (second & ~first).sum(axis=1)
        value = np.stack([first.mean(axis=1), second.mean(axis=1)], axis=1).ravel()
        found.append(
            Measured(
                dataset=str(name),
                metric="accuracy",
                higher_is_better=True,
                systems=tuple(f"{side}{pair}" for pair in range(pairs) for side in "ab"),
                own=OwnScores(value, value, value),
                n=np.full(2 * pairs, ITEMS),
                items=ITEMS,
                complete=True,
                pairs=binary_table(left, left + 1, n, wins, losses, alpha=ALPHA, intervals=False),
                test="permutation",
                kernel="binomial",
                interval="none",
            )
        )
    return found


def claims(world, replicates):
    """Of each replicate: on how many datasets the named system is better, both counts, and whether Holm named a wrong one."""
    leads, same_items = WORLDS[world]
    stream = np.random.default_rng(11)
    rows = []
    for _ in range(replicates // MAX_REPLICATED):
        measured = datasets(leads, same_items, MAX_REPLICATED, stream)
        macro = macro_measured(measured, *macro_from_counts(measured, macro_request(ALPHA, 0)), [], alpha=ALPHA)
        found = families([*measured, macro], Question(alpha=ALPHA))
        for entry in _replicability(found.tops[0], found.parts)[0]:
            sign = 1 if entry.systems[0].startswith("a") else -1
            ahead = {str(name) for name, lead in enumerate(leads) if sign * lead > 0}
            rows.append((len(ahead), entry.bonferroni, entry.fisher, bool(set(entry.holm) - ahead)))
    assert len(rows) == replicates
    return np.array(rows).T


@pytest.mark.parametrize("replicates", SIZES)
@pytest.mark.parametrize("world", WORLDS)
def test_claims_are_seldom_too_large(world, replicates):
    leads, same_items = WORLDS[world]
    truth, bonferroni, fisher, holm_is_wrong = claims(world, replicates)
    assert (bonferroni > truth).mean() <= bar(ALPHA, replicates)
    assert holm_is_wrong.mean() <= bar(ALPHA, replicates)
    if not same_items:
        # Fisher's combination is for datasets that share no item.
        assert (fisher > truth).mean() <= bar(ALPHA, replicates)
    if any(leads):
        # What never claims anything would pass as well.
        assert (bonferroni == truth).mean() > 0.5


@pytest.mark.slow
def test_fisher_spends_most_of_what_it_may():
    """Two datasets are won for certain and four are equal: of α, half is left to the named direction."""
    truth, _, fisher, _ = claims("two of six", 20_000)
    assert 0.2 * ALPHA / 2 <= (fisher > truth).mean() <= bar(ALPHA / 2, 20_000)

"""How often corrected families err: false claims among systems that are equal, and among metrics of one pair.

The fast version has the same shape with fewer families and wider bounds.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.special

from outscore.inference.families import CORRECTIONS, adjust, max_t, replicated_counts
from outscore.inference.leaderboard import rank_intervals

ALPHA = 0.05
ITEMS = 60
FWER = [name for name, entry in CORRECTIONS.items() if entry.error_rate == "FWER" and entry.function is not None]
FDR = [name for name, entry in CORRECTIONS.items() if entry.error_rate == "FDR"]
# True means of six systems: all equal, three and three, two equal among five levels, one far ahead.
WORLDS = {
    "all equal": (0, 0, 0, 0, 0, 0),
    "two halves": (0.6, 0.6, 0.6, 0, 0, 0),
    "one pair": (0, 0, 0.5, 1.0, 1.5, 2.0),
    "one ahead": (1.0, 0, 0, 0, 0, 0),
}
# 2.6 standard errors above α for so many families.
SIZES = [
    pytest.param(400, 0.078, id="fast"),
    pytest.param(6000, 0.0574, id="slow", marks=pytest.mark.slow),
]


def pair_p_values(means, families, seed):
    """Two-sided p and its sign of the paired t test for all pairs of systems on common items, (families, pairs)."""
    stream = np.random.default_rng(seed)
    items = stream.normal(size=(families, ITEMS, 1))
    # Skewed on purpose: systems share what makes an item hard.
    scores = items + stream.gamma(2.0, size=(families, ITEMS, len(means))) / 1.5 + np.array(means)
    pairs = list(combinations(range(len(means)), 2))
    d = scores[:, :, [i for i, _ in pairs]] - scores[:, :, [j for _, j in pairs]]
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / ITEMS**0.5)
    return 2 * scipy.special.stdtr(ITEMS - 1, -np.abs(t)), np.sign(t), pairs


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("families", "most"), SIZES)
def test_false_claims_among_systems(world, families, most):
    means = WORLDS[world]
    p, signs, pairs = pair_p_values(means, families, seed=1)
    true = np.array([means[i] == means[j] for i, j in pairs])
    rank = np.array([[1 + sum(m > mean for m in means), sum(m >= mean for m in means)] for mean in means])
    claims = {}
    for name in (*FWER, *FDR):
        claimed = np.array([adjust(row, name, systems=len(means)) for row in p]) <= ALPHA
        claims[name] = claimed[:, ~true].mean() if not true.all() else 0.0
        false, all_ = claimed[:, true].sum(axis=1), claimed.sum(axis=1)
        if name in FWER:
            assert (false > 0).mean() <= most, name
        assert (false / np.maximum(all_, 1)).mean() <= most, name
        if name == "holm":
            # All rank intervals hold at once: each overlaps the places that its system truly shares.
            assert missed(claimed, signs, pairs, rank) <= most
    # Shaffer uses what Holm does not know.
    assert claims["bonferroni"] <= claims["holm"] <= claims["shaffer"]
    if world == "two halves":
        assert claims["shaffer"] > claims["holm"]


def missed(claimed, signs, pairs, rank):
    """How often any system's interval leaves out a place it truly has; tied systems share all of theirs."""
    wrong = 0
    for row, sign in zip(claimed, signs, strict=True):
        better = np.zeros((len(rank), len(rank)), dtype=bool)
        for claim, s, (i, j) in zip(row, sign, pairs, strict=True):
            better[i, j], better[j, i] = claim and s > 0, claim and s < 0
        low, high = rank_intervals(better)
        wrong += bool((low > rank[:, 0]).any() or (high < rank[:, 1]).any())
    return wrong / len(claimed)


def one_pair(families, effects, correlation, seed, resamples=399):
    """Max-T and Holm on correlated metrics of one pair: (families, metrics) adjusted p of each."""
    stream = np.random.default_rng(seed)
    m, found = len(effects), ([], [])
    for _ in range(families):
        common = stream.laplace(size=(ITEMS, 1))
        d = correlation**0.5 * common + (1 - correlation) ** 0.5 * stream.laplace(size=(ITEMS, m)) + np.array(effects)
        # Metrics have their own units.
        d *= 10.0 ** np.arange(m)
        draws = stream.choice([-1.0, 1.0], size=(resamples, ITEMS)) @ d
        found[0].append(max_t(d.sum(axis=0), draws))
        hits = (np.abs(draws) >= np.abs(d.sum(axis=0))).sum(axis=0)
        found[1].append(adjust((hits + 1) / (resamples + 1), "holm"))
    return np.array(found[0]), np.array(found[1])


PAIR_SIZES = [
    pytest.param(400, 0.02, 0.08, id="fast"),
    pytest.param(4000, 0.04, 0.06, id="slow", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("families", "least", "most"), PAIR_SIZES)
def test_max_t_keeps_its_level_where_holm_is_cautious(families, least, most):
    joint, holm = one_pair(families, np.zeros(6), correlation=0.9, seed=2)
    level, cautious = (joint <= ALPHA).any(axis=1).mean(), (holm <= ALPHA).any(axis=1).mean()
    assert least <= level <= most
    assert cautious < level - 0.005


@pytest.mark.parametrize(("families", "most"), [pytest.param(300, 0.083, id="fast"), SIZES[1]])
def test_max_t_where_some_metrics_differ(families, most):
    effects = np.array([0.75, 0.75, 0.5, 0, 0, 0])
    joint, holm = one_pair(min(families, 4000), effects, correlation=0.6, seed=3)
    assert (joint[:, 3:] <= ALPHA).any(axis=1).mean() <= most
    assert (joint[:, :3] <= ALPHA).mean() > (holm[:, :3] <= ALPHA).mean()


@pytest.mark.parametrize("combination", ["bonferroni", "fisher"])
@pytest.mark.parametrize(("families", "most"), SIZES)
def test_the_count_of_datasets_is_seldom_too_large(combination, families, most):
    stream = np.random.default_rng(4)
    shifts = np.array([3.0, 4.0, 0, 0, 0, 0])
    p = scipy.special.ndtr(-(stream.normal(size=(families, 6)) + shifts))
    counts = replicated_counts(np.log10(p), combination=combination, alpha=ALPHA)
    assert (counts > 2).mean() <= most
    assert counts.mean() > 1.2

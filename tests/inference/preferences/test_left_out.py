"""The variance of strengths: against whole matrices of all battles, and against fits without each prompt."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.inference.preferences.battle_making import made, simulated

from outscore.inference.preferences import models
from outscore.inference.preferences.strengths import strengths_of
from outscore.inference.preferences.tally import tally_of


def unequal(rng, sizes, strengths=(0.8, 0.2, -0.3, -0.7), ties=0.15):
    """Battles of random pairs on prompts with so many battles each, and a taste of their own."""
    rows, k = [], len(strengths)
    for prompt, size in enumerate(sizes):
        taste = rng.normal(0.0, 1.0, k)
        for _ in range(size):
            i, j = rng.choice(k, 2, replace=False)
            gap = strengths[i] - strengths[j] + taste[i] - taste[j]
            share = 0.5 if rng.random() < ties else float(rng.random() < 1 / (1 + np.exp(-gap)))
            rows.append((f"p{prompt}", f"s{i}", f"s{j}", share))
    return made(rows, [f"s{i}" for i in range(k)])


def dense(battles, theta, contrast):
    """CR3 and Bell and McCaffrey's degrees of freedom of CR2, written out with a row and a column for every battle."""
    k, codes = len(theta), battles.prompts.codes
    groups = [np.flatnonzero(codes == g) for g in np.unique(codes)]
    basis = np.linalg.svd(np.eye(k) - 1 / k)[0][:, : k - 1]
    x = np.zeros((battles.rows, k))
    x[np.arange(battles.rows), battles.first] = 1
    x[np.arange(battles.rows), battles.second] = -1
    p = 1 / (1 + np.exp(-x @ theta))
    root = np.sqrt(p * (1 - p))
    design, residual = (x @ basis) * root[:, None], (battles.share - p) / root
    c = basis.T @ contrast
    inverse = np.linalg.inv(design.T @ design)
    hat = design @ inverse @ design.T
    cr3, form = 0.0, np.zeros((battles.rows, battles.rows))
    for rows in groups:
        own = np.eye(len(rows)) - hat[np.ix_(rows, rows)]
        cr3 += float(c @ inverse @ design[rows].T @ np.linalg.solve(own, residual[rows])) ** 2
        values, vectors = np.linalg.eigh(own)
        half = (vectors / np.sqrt(values)) @ vectors.T
        row = (np.eye(battles.rows) - hat)[:, rows] @ half @ design[rows] @ inverse @ c
        form += np.outer(row, row)
    n = len(groups)
    return math.sqrt((n - 1) / n * cr3), np.trace(form) ** 2 / np.trace(form @ form)


@pytest.mark.parametrize("sizes", [[6] * 12, [2, 5, 40] * 5, [3] * 19 + [80]])
def test_whole_matrices_give_the_same(sizes):
    battles = unequal(np.random.default_rng(4), sizes)
    found = strengths_of(tally_of(battles), 0.05)
    for i in range(4):
        own = found.strength(i)
        assert (own.error, own.df) == pytest.approx(dense(battles, found.theta, np.eye(4)[i]), rel=1e-8)
        for j in range(i):
            pair = found.contrast(i, j)
            assert (pair.error, pair.df) == pytest.approx(dense(battles, found.theta, np.eye(4)[i] - np.eye(4)[j]), rel=1e-8)


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_fits_without_each_prompt_vary_as_much(ties):
    """To first order; prompts that hold little make first order exact."""
    battles = simulated(np.random.default_rng(8), [0.5, 0.0, -0.5], 80, ties=0.3)
    found = strengths_of(tally_of(battles), 0.05, ties)
    others = [
        strengths_of(tally_of(battles.take(np.flatnonzero(battles.prompts.codes != g))), 0.05, ties).theta for g in range(80)
    ]
    moved = np.array(others) - found.theta
    for i, j in ((0, 1), (0, 2), (2, 1)):
        error = math.sqrt(79 / 80 * ((moved[:, i] - moved[:, j]) ** 2).sum())
        assert found.contrast(i, j).error == pytest.approx(error, rel=0.01)
    assert found.strength(0).error == pytest.approx(math.sqrt(79 / 80 * (moved[:, 0] ** 2).sum()), rel=0.01)


def test_a_prompt_that_holds_two_sets_together_leaves_their_difference_open():
    rng = np.random.default_rng(2)
    rows = [(f"p{i}", *pair, float(rng.random() < 0.6)) for i in range(15) for pair in (("a", "b"), ("c", "d"), ("d", "e"))]
    rows += [("p3", "a", "c", 1.0), ("p3", "c", "a", 1.0), ("p3", "b", "c", 1.0)]
    battles = made(rows)
    found = strengths_of(tally_of(battles), 0.05)
    assert math.isnan(found.contrast(0, 2).error)
    assert math.isnan(found.strength(0).error)
    assert found.contrast(0, 1).error > 0
    assert found.contrast(2, 4).error > 0
    assert found.strength(3).error > 0
    # Within a set, the fit without that prompt is one of those that vary.
    others = [strengths_of(tally_of(battles.take(np.flatnonzero(battles.prompts.codes != g))), 0.05).theta for g in range(15)]
    moved = np.array([theta[2] - theta[4] for theta in others]) - (found.theta[2] - found.theta[4])
    assert found.contrast(2, 4).error == pytest.approx(math.sqrt(14 / 15 * (moved**2).sum()), rel=0.05)


def test_degrees_of_freedom_of_very_many_are_near(monkeypatch):
    battles = unequal(np.random.default_rng(5), [4] * 60 + [60] * 4)
    tally = tally_of(battles)
    whole = strengths_of(tally, 0.05)
    monkeypatch.setattr(models, "MAX_WORK", 0)
    quick = strengths_of(tally, 0.05)
    for i in range(4):
        assert quick.strength(i).error == whole.strength(i).error
        assert quick.strength(i).df == pytest.approx(whole.strength(i).df, rel=0.3)
        for j in range(i):
            assert quick.contrast(i, j).df == pytest.approx(whole.contrast(i, j).df, rel=0.3)


def test_shares_of_prompts_taken_in_turns_are_those_of_all_at_once(monkeypatch):
    tally = tally_of(unequal(np.random.default_rng(6), [2, 5, 20] * 6))
    whole = strengths_of(tally, 0.05).contrast(0, 3)
    monkeypatch.setattr(models, "MAX_HELD", 1 << 12)
    turns = strengths_of(tally, 0.05).contrast(0, 3)
    assert (turns.error, turns.df) == pytest.approx((whole.error, whole.df), rel=1e-12)

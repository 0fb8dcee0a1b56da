"""Very many battles: two million of two hundred systems, in seconds."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest

import outscore as osc


@pytest.mark.slow
def test_two_million_battles_of_two_hundred_systems(tmp_path):
    rng = np.random.default_rng(0)
    n, k = 2_000_000, 200
    skill = rng.normal(0, 0.7, k)
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    won = rng.random(n) < 1 / (1 + np.exp(skill[second] - skill[first]))
    names = np.array([f"model-{i:03d}" for i in range(k)])
    winner = np.where(rng.random(n) < 0.1, "tie", np.where(won, "model_a", "model_b"))
    votes = {"prompt": rng.integers(0, 3_000, n), "model_a": names[first], "model_b": names[second], "winner": winner}
    pl.DataFrame(votes).write_parquet(tmp_path / "votes.parquet")
    before = time.process_time()
    found = osc.prefer(tmp_path / "votes.parquet")
    # Ten seconds on an idle machine.
    assert time.process_time() - before < 60
    assert (found.battles, found.clusters, found.counts.testable) == (n, 3_000, k * (k - 1) // 2)
    strengths = {one.system: one.log_odds for one in found.strengths}
    drawn = 0.9 * (skill - skill.mean())
    assert np.corrcoef([strengths[name] for name in names], drawn)[0, 1] > 0.999

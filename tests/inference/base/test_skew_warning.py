"""Skewed differences: where the warning speaks, where it must not, and the test it names."""

from __future__ import annotations

import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.cli.app import app
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import ItemScores, skew_warning
from outscore.inference.base.question import TestRequest
from outscore.inference.bootstrap import Resampled, equal_tailed
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve


def warning(d, clusters=None):
    d = np.asarray(d, dtype=float)
    return skew_warning(ItemScores(d, 0 * d, d, None, 1, clusters, 1))


def share_warned(draw, replicates=400):
    return np.mean([warning(draw(np.random.default_rng([k, 5]))) is not None for k in range(replicates)])


@pytest.mark.parametrize("n", [50, 100, 200])
def test_normal_differences_are_never_warned_about(n):
    assert share_warned(lambda rng: rng.normal(size=n)) <= 0.005


@pytest.mark.parametrize(("n", "least"), [(20, 0.8), (50, 0.9), (100, 0.8), (200, 0.6)])
def test_lognormal_differences_are(n, least):
    assert share_warned(lambda rng: rng.lognormal(size=n) - math.exp(0.5)) >= least


def test_clusters_are_judged_by_their_sums():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(20), 30)
    d = rng.normal(size=600) + (rng.lognormal(0, 1.5, 20) - math.exp(1.125))[clusters]
    assert warning(rng.normal(size=600)) is None
    assert "20 clusters are few" in warning(d, clusters).text
    assert warning(np.where(clusters == 4, 1.0, 0.0) + 0.001 * rng.normal(size=600), clusters).text.startswith(
        "Too few rare events"
    )


def test_rare_losses_say_that_nothing_helps():
    d = np.where(np.arange(50) % 25 == 0, -0.95, 0.05)
    assert (
        warning(d).text
        == "Too few rare events to tell: 2 of 50 items account for nearly all of the spread; only more items help."
    )


def test_the_warning_stands_beside_the_verdict(tmp_path):
    d = np.round(np.random.default_rng(1).lognormal(0, 1, 50), 2)
    path = tmp_path / "scores.csv"
    path.write_text("id,new,old\n" + "".join(f"{i},{x},{1.2}\n" for i, x in enumerate(d)))
    for test in ("permutation", "student"):
        done = CliRunner().invoke(app, ["compare", str(path), "--test", test, "-v"])
        assert done.exit_code == 0, done.output
        assert done.output.index("warnings") < done.output.index("scores ")
        assert "interval=equal-tailed" in " ".join(done.output.split())
    right = [1] * 40 + [0] * 10
    assert not [note for note in osc.compare(right, [1] * 50).notes if note.kind == "warning"]


def test_five_clusters_are_said_at_the_verdict():
    result = osc.compare([1.0, 1.1, 1.2, 1.3, 1.4] * 4, [0.0] * 20, clusters=[0, 1, 2, 3, 4] * 4)
    few = "5 clusters are too few for a significant difference at alpha = .05: the smallest possible p is .0625"
    assert few in result.verdict
    assert osc.compare([1.0, 1.1, 1.2, 1.3, 1.4, 1.5], [0.0] * 6).decision.winner == 0


def test_an_interval_without_width_says_why():
    notes = [note.text for note in osc.compare([2.5, 3.5, 4.25, 5, 6, 7], [1.5, 2.5, 3.25, 4, 5, 6]).notes]
    assert any("the interval has no width" in text for text in notes)


moves = st.lists(st.floats(-5, 5), min_size=19, max_size=60)


@given(moves, st.floats(-3, 3), st.floats(-3, 3), st.sampled_from([0.1, 0.2, 0.5]))
def test_equal_tailed_limits_are_dual(moved, difference, delta, alpha):
    found = Resampled("bootstrap-t", difference, np.array(moved) + 1e-3, 60, 1, 0.0, alike=False)
    result = equal_tailed(found, TestRequest(alpha=alpha, delta=delta))
    inside = result.interval.low <= delta <= result.interval.high
    if min(abs(result.interval.low - delta), abs(result.interval.high - delta)) > 1e-9:
        assert inside == (result.p.value > alpha)


@pytest.mark.slow
def test_equal_tails_hold_the_level_of_skewed_differences_better():
    """Lognormal differences, n = 50: .065, and .086 with symmetric limits."""
    rejected = {"symmetric": 0, "equal-tailed": 0}
    entry = TESTS["bootstrap-t"]
    for k in range(1_500):
        d = np.random.default_rng([k, 8]).lognormal(size=50) - math.exp(0.5)
        metric, a, b = resolve("mean", d, 0 * d)
        for shape in rejected:
            asked = TestRequest(options={"interval": shape, "resamples": 999}, interval=False)
            rejected[shape] += entry.run(PairedScores(a, b), metric, asked).p.value <= 0.05
    assert rejected["equal-tailed"] <= 0.08 * 1_500 < rejected["symmetric"] + 30
    assert rejected["equal-tailed"] < rejected["symmetric"]

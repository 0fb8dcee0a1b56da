"""Plans of gates: as many items as the gate itself takes to pass."""

from __future__ import annotations

import numpy as np
import pytest
from tests.variants import a_few

import outscore as osc
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.inference.power.gate import Shares
from outscore.inference.registry import TESTS
from outscore.inference.shifted import run_entry
from outscore.metrics.registry import resolve


def passes(a, b, margin, bounds=()):
    """Whether the test at the margin rejects, without all that a gate reports beside it."""
    metric, rows_a, rows_b = resolve("mean", a, b)
    asked = TestRequest("greater", -margin, options={"method": "auto", "resamples": 99}, interval=False, bounds=bounds)
    return run_entry(TESTS["permutation"], PairedScores(rows_a, rows_b), metric, asked).p.rejects(0.05)


def share_of_passes(draw, n, margin, samples, bounds=()):
    rng = np.random.default_rng(7)
    return sum(passes(*draw(rng, n), margin, bounds) for _ in range(samples)) / samples


def table(discordance, effect=0.0):
    """Samples of right-or-wrong items."""

    def draw(rng, n):
        kinds = rng.choice(3, n, p=[(discordance + effect) / 2, (discordance - effect) / 2, 1 - discordance])
        return (kinds != 1).astype(int), (kinds != 0).astype(int)

    return draw


def graded(sd):
    def draw(rng, n):
        return np.clip(0.5 + rng.normal(0, sd, n), 0, 1), np.full(n, 0.5)

    return draw


@pytest.mark.parametrize(("margin", "items"), [(0.02, 149), (0.05, 59), (0.01, 299)])
def test_identical_outputs_pass_once_a_loss_would_have_shown(margin, items):
    same = [1, 0, 1, 1] * 5
    planned = osc.plan(pilot=(same, same), margin=margin)
    assert planned.items == items
    assert planned.items == osc.plan(discordance=0, margin=margin).items
    assert osc.gate([1] * items, [1] * items, margin=margin).outcome == "pass"
    assert osc.gate([1] * (items - 1), [1] * (items - 1), margin=margin).outcome == "inconclusive"


@pytest.mark.parametrize(
    ("discordance", "effect", "margin", "n"), a_few([(0.05, 0.0, 0.02, 150), (0.3, -0.1, 0.2, 30), (1.0, 0.2, 0.1, 20)], 1)
)
def test_the_power_of_shares_against_every_table(discordance, effect, margin, n):
    from math import comb

    expected = 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            chances = ((discordance + effect) / 2) ** wins * ((discordance - effect) / 2) ** losses
            mass = comb(n, wins) * comb(n - wins, losses) * chances * (1 - discordance) ** (n - wins - losses)
            if mass > 1e-7:
                a = np.repeat([1, 0, 1], [wins, losses, n - wins - losses])
                b = np.repeat([0, 1, 1], [wins, losses, n - wins - losses])
                expected += mass * passes(a, b, margin)
    assert Shares(discordance).power(n, effect, margin, 0.05) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("discordance", "effect", "margin"), [(0.02, 0.0, 0.02), (0.1, -0.01, 0.05), (0.3, 0.0, 0.03)])
def test_the_items_are_those_from_which_on_there_is_power(discordance, effect, margin):
    law = Shares(discordance)
    size = law.size(effect, margin, 0.05, 0.8)
    powers = [law.power(n, effect, margin, 0.05) for n in range(size - 1, size + 40)]
    assert min(powers[1:]) >= 0.799
    assert powers[0] < 0.805


def test_words_and_what_is_refused():
    planned = osc.plan(margin=0.02, discordance=0.05)
    assert planned.verdict == (
        "You need 819 items for a gate with a margin of 0.02 in accuracy to pass with power .8 if the systems do not differ"
        " (alpha = .05)."
    )
    assert (planned.question, planned.method, planned.effect, planned.design.margin) == ("items", "margin", 0.0, 0.02)
    reached = osc.plan(margin=0.05, sd=0.2, n=200, effect=-0.01)
    assert reached.verdict.startswith(
        "With 200 items a gate with a margin of 0.05 in the mean score passes with probability .769"
    )
    assert reached.verdict.endswith("if A is worse by 0.01 (alpha = .05).")
    for form in (planned.to_html(), planned.to_markdown(), planned.to_text()):
        assert "differ" in form
    for given, words in (
        ({"margin": 0.02, "sd": 0.1, "effect": -0.02}, "no number of items passes"),
        ({"margin": 1.0, "sd": 0.1}, "no loss beyond 1"),
        ({"margin": 0.1}, "needs the spread"),
        ({"margin": 0.1, "sd": 0.1, "alternative": "less"}, "--alternative cannot be combined with --margin"),
        ({"margin": 0.1, "sd": 0.1, "anytime": True}, "--anytime cannot be combined with --margin"),
        ({"margin": -0.1, "sd": 0.1}, "positive number"),
    ):
        with pytest.raises(osc.OutscoreError, match=words):
            osc.plan(**given)


def test_the_direction_of_a_pilot():
    """A true difference of +.01 is a loss where lower is better."""
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 40)).round(2)
    worse = osc.plan(pilot=(a, b), margin=0.2, effect=0.1, direction="lower")
    better = osc.plan(pilot=(a, b), margin=0.2, effect=-0.1, direction="lower")
    assert worse.items > osc.plan(pilot=(a, b), margin=0.2, direction="lower").items > better.items


def test_scores_of_an_unknown_range_are_flipped_at_the_margin():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0, 10, (2, 40))
    planned = osc.plan(pilot=(a, b), margin=3)
    assert planned.method == "permutation"
    assert any("--bounds" in note.text for note in planned.notes)
    shifted = osc.plan(pilot=(a, b), effect=3, alternative="greater")
    assert planned.items == shifted.items
    assert osc.plan(pilot=(a, b), margin=3, bounds=(-50, 50)).items > planned.items


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "asked"),
    [
        (table(0.05), {"discordance": 0.05, "margin": 0.02}),
        (table(0.1, -0.01), {"discordance": 0.1, "margin": 0.05, "effect": -0.01}),
        (graded(0.1), {"sd": 0.1, "margin": 0.02}),
        (graded(0.2), {"sd": 0.2, "margin": 0.05}),
    ],
)
def test_a_planned_gate_passes_as_often_as_planned(draw, asked):
    planned = osc.plan(**asked)
    assert share_of_passes(draw, planned.items, asked["margin"], 4_000) == pytest.approx(0.8, abs=0.02)


@pytest.mark.slow
def test_a_gate_planned_from_a_pilot_passes_as_often_as_planned():
    """Skewed differences."""
    rng = np.random.default_rng(11)
    d = 0.1 * (1 - rng.exponential(1, 300))
    a, b = np.clip(0.6 + d - d.mean(), 0, 1), np.full(300, 0.6)
    planned = osc.plan(pilot=(a, b), margin=0.03)

    def draw(stream, n):
        rows = stream.integers(300, size=n)
        return a[rows] - (a - b).mean(), b[rows]

    assert share_of_passes(draw, planned.items, 0.03, 4_000) == pytest.approx(0.8, abs=0.02)

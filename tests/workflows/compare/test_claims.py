"""What a comparison claims and what it does not: levels, margins, medians of units, mid-p, and where the verdict stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import outscore as osc
from outscore.inference.families import adjust
from outscore.results.pvalue import PValue

RNG = np.random.default_rng(11)
RIGHT = (RNG.random((240, 2)) < 0.7).astype(int)
TOPICS = np.array(["x", "y", "z", "w"])[np.arange(240) % 4]


@pytest.mark.parametrize("level", [0.95, 0.51, 1, 0, -0.1, "often"])
def test_a_level_above_one_half_is_refused_everywhere(level):
    for ask in (
        lambda: osc.compare(RIGHT[:, 0], RIGHT[:, 1], alpha=level),
        lambda: osc.rank({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, alpha=level),
        lambda: osc.plan(effect=0.1, sd=1, alpha=level),
        lambda: osc.compare(RIGHT[:, 0], RIGHT[:, 1], normality_alpha=level),
    ):
        with pytest.raises(osc.OutscoreError, match="alpha"):
            ask()


def test_the_cure_of_a_level_of_confidence_is_named():
    with pytest.raises(osc.OutscoreError, match="which looks like a confidence level") as refusal:
        osc.compare(RIGHT[:, 0], RIGHT[:, 1], alpha=0.95)
    assert "give 0.05" in refusal.value.hint
    assert osc.compare(RIGHT[:, 0], RIGHT[:, 1], alpha=0.5).p.value > 0


def test_margins_of_slices_are_corrected():
    found = osc.compare(RIGHT[:, 0], RIGHT[:, 1], slices={"topic": TOPICS}, margin=0.15)
    whole, *parts = found.comparisons
    assert whole.margin.noninferiority.adjusted is None
    for name in ("noninferiority", "equivalence"):
        p = [getattr(part.margin, name) for part in parts]
        wanted = adjust(np.array([one.upper for one in p]), "holm")
        assert [one.adjusted for one in p] == pytest.approx(wanted.tolist())
    for part in parts:
        shown = part.margin.noninferiority.adjusted <= 0.05
        assert (part.decision.claim in ("non-inferior", "equivalent")) == (shown and part.decision.winner is None)


def test_margins_of_slices_under_max_t_are_corrected_by_holm():
    asked = {"slices": {"topic": TOPICS}, "margin": 0.15}
    by_holm, by_max_t = (osc.compare(RIGHT[:, 0], RIGHT[:, 1], correction=name, **asked) for name in ("holm", "max-t"))
    for one, other in zip(by_holm.comparisons[1:], by_max_t.comparisons[1:], strict=True):
        assert one.margin == other.margin


def test_a_margin_that_is_not_shown_says_so():
    found = osc.compare(RIGHT[:20, 0], RIGHT[:20, 1], margin=0.01)
    assert found.margin.noninferiority.value > 0.05
    assert "not shown: non-inferior" in found.to_text()
    assert "nor is it shown that A is non-inferior to B" in found.verdict
    assert "nor is it shown that A is non-inferior to B" in found.sentence


def test_medians_of_units_are_called_medians():
    found = osc.compare(RIGHT[:, 0], RIGHT[:, 1], unit_size=15, unit_statistic="median")
    assert "mean of unit medians" in found.verdict
    assert "mean of unit medians" in found.sentence
    assert "mean of unit medians (higher is better)" in found.to_text()
    assert found.metric == "mean"
    assert "medians" not in osc.compare(RIGHT[:, 0], RIGHT[:, 1], unit_size=15).to_text()


@pytest.mark.parametrize("n", [10, 100, 1_000, 3_000])
def test_mid_p_never_exceeds_p(n):
    p = osc.compare(np.ones(n, dtype=int), np.zeros(n, dtype=int)).p
    assert p.mid <= p.value
    assert p.mid_log10 <= p.log10
    assert p.mid_log10 == pytest.approx(p.log10 - np.log10(2))


def test_a_tiny_mid_p_is_shown_by_its_logarithm():
    text = osc.compare(np.ones(3_000, dtype=int), np.zeros(3_000, dtype=int)).to_text()
    assert "p = 10^-902.8, mid-p = 10^-903.1" in text
    old = replace(PValue.from_logs(-10.0, -10.0, method="exact", kernel="x", log_mid=-11.0), mid_log10=None)
    assert old.mid is not None


def test_the_verdict_of_the_whole_comes_first_in_every_form():
    found = osc.compare(RIGHT[:, 0], RIGHT[:, 1], slices={"topic": np.where(TOPICS == "x", "x", "y")})
    markdown = found.to_markdown()
    assert markdown.startswith("# A against B: mean\n\n**No winner**")
    assert markdown.index("**No winner**") < markdown.index("by topic")
    html = found.to_html()
    assert html.index("No winner") < html.index("topic = x")


def test_replicability_names_both_directions():
    rng = np.random.default_rng(2)
    sets = np.repeat(["one", "two", "three"], 200)
    strong = np.where(sets == "three", 0.5, 0.9)
    a, b = (rng.random(600) < strong).astype(int), (rng.random(600) < 1.35 - strong).astype(int)
    (pair,) = osc.rank({"a": a, "b": b}, dataset=sets).replicability
    assert pair.systems == ("a", "b")
    assert pair.holm == ["one", "two"]
    assert pair.worse == ["three"]
    assert "worse on" in osc.rank({"a": a, "b": b}, dataset=sets).to_text()

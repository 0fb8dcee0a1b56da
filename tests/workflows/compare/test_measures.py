"""Several measures of the same items as one family, and one claim about all of them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests import log_files

import outscore as osc
from outscore.core.errors import OutscoreError


def measured(n: int = 60, seed: int = 0, *, faster: float = 1.0, better: float = 0.2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    parts = []
    for name, gain, speed in (("new", better, -faster), ("old", 0.0, 0.0)):
        quality = (rng.random(n) * 0.6 + hard * 0.4 < 0.5 + gain).astype(int)
        latency = np.round(rng.normal(100 + speed, 5, n) + 10 * hard, 1)
        parts.append(pd.DataFrame({"id": range(n), "system": name, "quality": quality, "latency": latency}))
    return pd.concat(parts)


def alone(table: pd.DataFrame, column: str, **asked) -> osc.Comparison:
    return osc.compare(table[["id", "system", column]].rename(columns={column: "score"}), **asked)


def test_a_comparison_by_each_corrected_by_holm():
    table = measured()
    found = osc.compare(table, measure=["quality", "latency"])
    quality, latency = found.comparisons
    one, other = alone(table, "quality"), alone(table, "latency", direction="lower")
    assert (quality.metric, latency.metric) == ("quality", "latency")
    assert (quality.higher_is_better, latency.higher_is_better) == (True, False)
    assert (quality.p.value, latency.p.value) == (one.p.value, other.p.value)
    assert (quality.interval, latency.interval) == (one.interval, other.interval)
    small, large = sorted([one.p.value, other.p.value])
    assert sorted([quality.p.adjusted, latency.p.adjusted]) == pytest.approx([min(1, 2 * small), max(min(1, 2 * small), large)])
    assert (found.family.correction, found.family.m) == ("holm", 2)
    assert found.claim is None


def test_the_verdict_by_each_measure_says_that_items_were_left_out():
    table = measured()
    table = table[(table["system"] == "new") | (table["id"] < 40)]
    omission = "Only 40 of 60 items are compared: the other 33.3% have a score from one system only."
    found = osc.compare(table, measure=["quality", "latency"])
    assert all(c.reason.endswith(omission) and c.verdict.endswith(omission) for c in found.comparisons)


def test_direction_in_brackets():
    table = measured().rename(columns={"latency": "depth"})
    higher, lower = (osc.compare(table, measure=["quality", name]).comparisons[1] for name in ("depth", "depth(lower)"))
    assert (higher.higher_is_better, lower.higher_is_better) == (True, False)
    assert (higher.metric, lower.metric) == ("depth", "depth")


@pytest.mark.parametrize("seed", range(4))
def test_the_claim_is_the_largest_of_its_one_sided_parts(seed):
    table = measured(seed=seed, faster=-1.0)
    found = osc.compare(table, measure=["quality", "latency"], not_worse={"latency": 3})
    better = alone(table, "quality", alternative="greater").p
    # Not slower by 3 or more: one-sided about a difference of 3.
    not_worse = alone(table, "latency", direction="lower", alternative="greater", delta=3.0).p
    assert [part.p.value for part in found.claim.parts] == [better.value, not_worse.value]
    assert found.claim.p.value == max(better.value, not_worse.value)
    assert found.claim.holds == (found.claim.p.upper <= 0.05)
    assert found.claim.claim == "new is better on quality and not worse on latency by 3"
    assert found.claim.null == "new is not better on quality, or worse on latency by 3 or more"


@pytest.mark.slow
def test_the_level_of_the_claim():
    """At the edge of one hypothesis, and far beyond the other, the claim is shown as rarely as its part alone."""
    shown = 0
    for seed in range(400):
        table = measured(40, seed, better=0.4, faster=-3.0)
        shown += osc.compare(table, measure=["quality", "latency"], not_worse={"latency": 3}).claim.holds
    assert shown / 400 <= 0.08


def test_files_and_every_form(tmp_path):
    path = tmp_path / "measures.csv"
    measured().to_csv(path, index=False)
    found = osc.compare(path, measure=["quality", "latency"], not_worse={"latency": 3})
    by_table = osc.compare(measured(), measure=["quality", "latency"], not_worse={"latency": 3})
    assert found.claim == by_table.claim
    assert osc.load(found.save(tmp_path / "found.json")) == found
    assert found.settings["inputs"][0]["path"] == str(path)
    assert len(found.settings["inputs"]) == 1
    for text in (found.to_text(), found.to_markdown(), found.to_html(), found.to_latex()):
        assert "One claim about all measures" in text
        assert "intersection-union" in text
    assert "measures: `quality` and `latency`" in found.to_text()
    assert found.to_frame()["metric"].to_list() == ["quality", "latency"]


def test_measures_may_have_clusters_and_repeats():
    table = measured(60)
    table["doc"] = table["id"] // 3
    found = osc.compare(table, measure=["quality", "latency"], clusters="doc")
    assert [c.clusters for c in found.comparisons] == [20, 20]


def test_scores_of_logs_are_measures(tmp_path):
    folders = log_files.lm_eval(tmp_path)
    for folder in folders:
        (samples,) = folder.glob("samples*.jsonl")
        rows = [json.loads(line) for line in samples.read_text().splitlines()]
        for i, row in enumerate(rows):
            row["metrics"], row["seconds"] = ["exact_match", "seconds"], 1.0 + (i * 7 % 5) + row["exact_match"]
        samples.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = osc.compare(*folders, measure=["exact_match", "seconds(lower)"], not_worse={"seconds": 2})
    alone = osc.compare(*folders, metric="exact_match")
    assert [c.metric for c in found.comparisons] == ["exact_match", "seconds"]
    assert found.comparisons[0].p.value == alone.p.value
    assert not found.comparisons[1].higher_is_better


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": ["quality"]}, "--measure names one measure only"),
        ({"measure": ["quality", "quality(lower)"]}, "--measure names a measure twice"),
        ({"measure": ["quality", "latency"], "not_worse": {"latncy": 3}}, "--not-worse names `latncy`"),
        ({"measure": ["quality", "latency"], "not_worse": {"latency": "much"}}, "The margin of `latency` is much"),
        ({"measure": ["quality", "latency"], "not_worse": {"latency": -1}}, "The margin of `latency` is -1"),
        ({"measure": ["quality", "latency"], "margin": 2}, "--margin is for a single score, but --measure names 2"),
        ({"measure": ["quality", "latency"], "score": "quality"}, "--score is for a single score"),
        ({"measure": ["quality", "latency"], "correction": "max-t"}, "`max-t` is for metrics of texts and for slices"),
        ({"measure": ["quality", "speed"]}, "has no column `speed`"),
        ({"not_worse": {"latency": 3}}, "no --measure was named"),
    ],
)
def test_what_is_refused(asked, message):
    with pytest.raises(OutscoreError, match=message):
        osc.compare(measured(20), **asked)


def test_arrays_have_one_measure():
    with pytest.raises(OutscoreError, match="`measure` is for files"):
        osc.compare([1, 0, 1], [0, 0, 1], measure=["quality", "latency"])


def test_systems_that_are_called_by_each_others_letters():
    """Letters would turn the winner round: systems called A and B are called by their names, whoever comes first."""
    table = measured(better=0.5).replace({"system": {"new": "B", "old": "A"}})
    found = osc.compare(table, systems=["B", "A"], measure=["quality", "latency"])
    assert found.comparisons[0].decision.winner == 0
    text = found.to_text()
    assert "B against A, on 60 items" in text
    heads, quality, *_ = text[text.index("metric  ") :].splitlines()
    assert heads.split()[1:6] == ["B", "A", "B", "-", "A"]
    assert quality.split()[-1] == "B"
    one = osc.compare(table[["id", "system", "quality"]], systems=["B", "A"], score="quality")
    for form in (one.to_text(verbose=True), one.to_markdown(), one.to_html()):
        assert "A - B" not in form.replace("−", "-")
        assert "B - A" in form.replace("−", "-")


def test_the_winner_is_named():
    text = osc.compare(measured(better=0.5), measure=["quality", "latency"]).to_text()
    assert "A = new, B = old, on 60 items" in text
    assert next(line for line in text.splitlines() if line.startswith("quality ")).endswith(" new")


@pytest.mark.parametrize(("population", "claim"), [(None, "new items"), ("these-items", "these items and new runs")])
def test_the_sentence_speaks_of_items(population, claim):
    table = pd.concat([measured(n=12, seed=seed).assign(epoch=seed) for seed in range(2)])
    found = osc.compare(table, measure=["quality", "latency"], population=population)
    assert f"the claim is about {claim}" in " ".join(found.to_text().split())


def test_a_claim_that_is_shown_is_no_contradiction():
    """Better on quality and slower within the margin is what was asked for."""
    table = measured(n=200, faster=-4.0, better=0.3)
    asked = {"measure": ["quality", "latency"]}
    assert osc.compare(table, **asked).headline == "The metrics contradict each other"
    shown = osc.compare(table, **asked, not_worse={"latency": 8})
    assert shown.claim.holds
    assert shown.headline == "The claim is shown: new is better on quality and not worse on latency by 8"
    assert "old wins by latency, within the margin" in shown.reason
    failed = osc.compare(table, **asked, not_worse={"latency": 1})
    assert (failed.claim.holds, failed.headline) == (False, "The metrics contradict each other")

"""Slices in every command: each value of a column by itself, corrected over all of them, beside the whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.scores.system import Labels
from outscore.workflows.prepare import prepare
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.systems import pair_given

SYSTEMS = ("old", "new", "third")


def table(systems=SYSTEMS, datasets: int = 1, *, lost: str = "") -> pl.DataFrame:
    """Right-or-wrong items of three topics, on one of which `new` may be much worse."""
    rng = np.random.default_rng(4)
    rows = []
    for i in range(240):
        topic = ("algebra", "history", "law")[i % 3]
        for system, level in zip(SYSTEMS, (0.7, 0.72, 0.5), strict=True):
            share = 0.1 if system == "new" and topic == lost else level
            score = int(rng.random() < share)
            if system in systems:
                rows.append((f"q{i}", f"set {i % 2}" if datasets > 1 else "set", topic, system, score))
    return pl.DataFrame(rows, schema=["id", "dataset", "topic", "system", "score"], orient="row")


@pytest.mark.parametrize("datasets", a_few([1, 2], 1))
def test_slices_of_a_ranking_are_rankings_of_the_slices(datasets):
    whole = table(datasets=datasets)
    board = osc.rank(whole, slices="topic")
    assert board.slice == "topic"
    assert [standing.name for standing in board.slices] == ["algebra", "history", "law"]
    p = []
    for standing in board.slices:
        alone = osc.rank(whole.filter(pl.col("topic") == standing.name), correction="none")
        assert {s.system: (s.value, s.low, s.high) for s in standing.scores} == {
            s.system: (s.value, s.low, s.high) for s in alone.scores
        }
        found = {pair.systems: pair.p.value for pair in standing.pairs}
        assert found == pytest.approx({pair.systems: pair.p.value for pair in alone.pairs})
        p += [(pair.p.value, pair.p.adjusted) for pair in standing.pairs]
    # Holm over the pairs of all slices.
    assert board.slices_family.m == len(p) == 9
    largest = 0.0
    for k, (value, corrected) in enumerate(sorted(p)):
        largest = max(largest, min(1.0, (9 - k) * value))
        assert corrected == pytest.approx(largest)
    plain = osc.rank(whole)
    assert board.pairs == plain.pairs
    assert "topic" in board.to_text(verbose=True)
    assert "history" in board.to_html()


def test_slices_of_two_systems_agree_in_compare_and_rank():
    whole = table(("old", "new"))
    compared, board = osc.compare(whole, slices="topic"), osc.rank(whole, slices="topic")
    for part, standing in zip(compared.comparisons[1:], board.slices, strict=True):
        assert part.slice.value == standing.name
        assert part.p.value == pytest.approx(standing.pairs[0].p.value)
        assert part.p.adjusted == pytest.approx(standing.pairs[0].p.adjusted)


def test_a_slice_beyond_the_margin_is_a_warning_and_the_outcome_that_of_the_whole():
    systems = ["old", "new"]
    fine, lost = (osc.gate(table(systems, lost=topic), margin=0.6, slices="topic", systems=systems) for topic in ("", "law"))
    for gate, topic in ((fine, ""), (lost, "law")):
        plain = osc.gate(table(systems, lost=topic), margin=0.6, systems=systems)
        assert (gate.outcome, gate.not_worse.value, gate.interval) == (plain.outcome, plain.not_worse.value, plain.interval)
        assert [one.slice.value for one in gate.slices] == ["algebra", "history", "law"]
        assert not plain.slices
    assert lost.outcome == "pass"
    assert not any(one.beyond for one in (*fine.slices, *lost.slices))
    strict = osc.gate(table(systems, lost="law"), margin=0.4, slices="topic", systems=systems)
    assert [one.slice.value for one in strict.slices if one.beyond] == ["law"]
    (warning,) = (note.text for note in strict.notes if note.kind == "warning")
    assert "new is significantly worse, by more than the margin of 0.4, on topic = law" in warning
    assert warning in " ".join(strict.to_text().split())
    law = strict.slices[2]
    alone = osc.gate(table(systems, lost="law").filter(topic="law"), margin=0.4, systems=systems)
    assert law.interval == alone.interval
    assert law.worse.value == alone.worse.value
    assert law.worse.adjusted == pytest.approx(min(1.0, 3 * law.worse.value))
    assert "law" in strict.to_html()


def test_slices_of_a_gate_on_several_datasets():
    systems = ["old", "new"]
    gate = osc.gate(table(systems, 2), margin=0.3, slices="topic", systems=systems)
    assert gate.comparison.design.datasets == 2
    assert len(gate.slices) == 3


def test_a_column_that_differs_between_systems_defines_no_slices():
    mixed = table().with_columns(topic=pl.when(pl.col("system") == "new").then(pl.lit("other")).otherwise(pl.col("topic")))
    with pytest.raises(OutscoreError, match="cannot define slices"):
        osc.rank(mixed, slices="topic")


def test_slices_that_cannot_be_ranked_are_named():
    """Units of three items cannot be made of one."""
    small = table().with_columns(topic=pl.when(pl.col("id") == "q0").then(pl.lit("rare")).otherwise(pl.col("topic")))
    board = osc.rank(small, slices="topic", unit_size=3)
    assert sorted(standing.name for standing in board.slices) == ["algebra", "history", "law"]
    assert any(note.kind == "omission" and "topic = rare was left out" in note.text for note in board.notes)


def test_saved_slices_are_read_again(tmp_path):
    systems = ["old", "new"]
    board = osc.rank(table(), slices="topic")
    gate = osc.gate(table(systems), margin=0.3, slices="topic", systems=systems)
    for result in (board, gate):
        assert osc.load(result.save(tmp_path / "result.json")) == result


def test_slices_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(("old", "new"), lost="law").write_csv("scores.csv")
    words = ["scores.csv", "--slice", "topic"]
    shown = CliRunner().invoke(app, ["gate", *words, "--margin", "0.4", "--system", "old", "--system", "new"])
    assert shown.exit_code == 0
    assert "law: -0.5" in shown.output
    assert "by more than the margin of 0.4" in " ".join(shown.output.split())
    assert CliRunner().invoke(app, ["rank", *words, "-v"]).output.count("history") > 0


def test_runs_of_an_item_in_several_slices_are_repeats_as_in_the_whole():
    rng = np.random.default_rng(3)
    n, runs = 12, 4
    a, b = rng.integers(0, 2, n * runs), rng.integers(0, 2, n * runs)
    found = osc.compare(
        a,
        b,
        items=np.repeat([f"q{i}" for i in range(n)], runs),
        labels=[f"l{i}" for i in range(n * runs)],
        slices=["x", "x", "y", "y"] * n,
        repeats="runs",
    )
    assert {(c.n, c.population, c.design.repeat_kind) for c in found.comparisons} == {(n, "items-and-runs", "runs")}
    names = {f"l{i * runs}" for i in range(n)}
    for compared in found.comparisons:
        assert {item.item for item in compared.deciding_items} <= names


def test_slices_of_one_run_each_are_compared():
    n = 8
    found = osc.compare(
        [1, 0] * n, [0, 0, 1, 0] * (n // 2), items=np.repeat(np.arange(n), 2), slices=["x", "y"] * n, repeats="runs"
    )
    assert [c.n for c in found.comparisons] == [n, n, n]


@pytest.mark.parametrize("torn", [False, True])
def test_whole_runs_that_slices_tear_apart_are_judged_as_in_a_comparison(torn):
    """A slice has one run of each item, or one of some and two of others: neither tells what new runs would do."""
    rng, rows = np.random.default_rng(6), []
    for i in range(24):
        for k in range(3):
            topic = ("x" if (k + (i % 2)) % 3 < 1 + i % 2 else "y") if torn else f"t{k}"
            rows += [
                (f"q{i}", f"r{k}", topic, name, round(float(rng.random()) + lead, 2))
                for name, lead in (("new", 0.2), ("old", 0))
            ]
    frame = pl.DataFrame(rows, schema=["id", "run", "topic", "system", "score"], orient="row")
    ranked = osc.rank(frame, slices="topic")
    assert ranked.population == "items-and-runs"
    compared = {one.slice.value: one for one in osc.compare(frame, slices="topic").comparisons[1:]}
    assert [one.name for one in ranked.slices] == list(compared)
    for standing in ranked.slices:
        (pair,), alike = standing.pairs, compared[standing.name]
        assert alike.population == "items"
        assert (abs(pair.difference), pair.p.value) == pytest.approx((abs(alike.difference), alike.p.value))
        (said,) = [note.text for note in ranked.notes if note.text.startswith(f"Slice topic = {standing.name}: ")]
        assert "about these runs, not about new ones" in said
    asked = osc.rank(frame, slices="topic", population="items-and-runs")
    assert not asked.slices
    assert sum("left out: Population items-and-runs is not available" in note.text for note in asked.notes) == len(compared)


def test_the_items_of_a_slice_are_in_the_order_of_its_panel():
    topics = Labels.of("xyyx")
    data = pair_given([1, 0, 1, 1], [0, 0, 1, 0], items=["q1", "q2", "q1", "q2"])
    data = replace(data, scores=tuple(replace(one, slices={"topic": topics}) for one in data.scores))
    prepared = prepare(CompareRequest(slice="topic"), data)
    parts = {topic: part for topic, (part,) in prepared.slices("topic", [prepared.whole]).items()}
    labels = prepared.aligned.labels
    found = {topic: ([labels[i] for i in part.items], list(part.panel.items)) for topic, part in parts.items()}
    assert found == {"x": (["q1", "q2"], ["q1", "q2"]), "y": (["q1", "q2"], ["q1", "q2"])}

"""The frontier of several measures, against brute force over ordered pairs from the one-sided p-values of `compare`."""

from __future__ import annotations

import functools
import math
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from tests.variants import a_few

import outscore as osc
from outscore import OutscoreError
from outscore.report.render import charts_of, render

SYSTEMS = {"atlas": (0.82, 0.69, 2.1), "birch": (0.81, 0.11, 1.1), "cedar": (0.55, 0.3, 1.6), "delta": (0.4, 0.02, 2.0)}
MEASURES = ("quality", "cost(lower)", "latency(lower)")


def board(n=90, seed=4):
    """Right-or-wrong quality, cost in cents, and real latencies, of systems whose truth is above."""
    random = np.random.default_rng(seed)
    ease, rows = random.random(n), []
    for name, (quality, cost, latency) in SYSTEMS.items():
        rows.append(
            pl.DataFrame(
                {
                    "id": [f"q{i}" for i in range(n)],
                    "system": name,
                    "quality": (0.6 * ease + 0.4 * random.random(n) < quality).astype(int),
                    "cost": (cost * random.uniform(0.5, 1.5, n)).round(2),
                    "latency": latency * random.lognormal(0, 0.4, n),
                }
            )
        )
    return pl.concat(rows)


def test_a_file_that_was_read_for_every_measure_is_listed_once(tmp_path):
    board(30).write_csv(tmp_path / "board.csv")
    ranked = osc.rank(tmp_path / "board.csv", measure=list(MEASURES))
    compared = osc.compare(tmp_path / "board.csv", measure=list(MEASURES), systems=["atlas", "birch"])
    (file,) = ranked.settings["inputs"]
    assert compared.settings["inputs"] == [file]
    assert ranked.reading.rows == file["rows"] == 120


@functools.cache
def one_sided(measure, better, worse, margin=None):
    """p of `compare` that one system is better than another by a measure, or not worse by a margin."""
    table = board()
    name, lower = measure.removesuffix("(lower)"), measure.endswith("(lower)")
    scores = [table.filter(pl.col("system") == one)[name].to_numpy() for one in (better, worse)]
    direction = "lower" if lower else "higher"
    if margin is None:
        return osc.compare(*scores, direction=direction, alternative="greater").p.upper
    return osc.compare(*scores, direction=direction, margin=margin).margin.noninferiority.upper


def brute_force(margins):
    """Adjusted p of every ordered pair: the largest p over the measures, and Holm by its definition."""
    found = {
        pair: max(one_sided(measure, *pair, margins.get(measure.removesuffix("(lower)"))) for measure in MEASURES)
        for pair in permutations(SYSTEMS, 2)
    }
    adjusted, largest = {}, 0.0
    for done, (pair, p) in enumerate(sorted(found.items(), key=lambda entry: entry[1])):
        largest = max(largest, min(1.0, p * (len(found) - done)))
        adjusted[pair] = largest
    return adjusted


def same(p, naive):
    """Certified upper ends of real latencies may lie a fiftieth above where all pairs are computed, small ones a quarter."""
    return naive * (1 - 1e-9) <= p <= naive * (1.3 if naive < 2e-6 else 1.021)


@pytest.mark.parametrize("margins", a_few([{}, {"quality": 0.1}, {"quality": 0.1, "latency": 1.5}], 2))
def test_against_brute_force_over_pairs(margins):
    table = board()
    found = osc.rank(table, measure=MEASURES, not_worse=margins)
    frontier, naive = found.frontier, brute_force(margins)
    assert (frontier.tests, frontier.measures, frontier.margins) == (12, ["quality", "cost", "latency"], margins)
    assert {pair.systems for pair in frontier.pairs} == set(naive)
    for pair in frontier.pairs:
        assert same(pair.adjusted, naive[pair.systems])
        assert pair.p == max(pair.parts)
    for s in frontier.systems:
        dominating = {better for (better, worse), p in naive.items() if worse == s.system and p <= found.alpha}
        assert set(s.dominated_by) == dominating
        assert same(s.p, min(p for (_, worse), p in naive.items() if worse == s.system))
    assert len(frontier.sentences) == sum(bool(s.dominated_by) for s in frontier.systems)
    assert any(s.dominated_by for s in frontier.systems)


def test_the_first_measure_is_the_ranking_and_each_has_its_scores():
    table = board()
    found = osc.rank(table, measure=MEASURES)
    alone = osc.rank(table, score="quality")
    assert [(s.system, s.value, s.low, s.high) for s in found.scores] == [
        (s.system, s.value, s.low, s.high) for s in alone.scores
    ]
    assert [standing.metric for standing in found.metrics] == ["cost", "latency"]
    for s in found.frontier.systems:
        rows = table.filter(pl.col("system") == s.system)
        assert s.values == pytest.approx([rows[name].mean() for name in ("quality", "cost", "latency")])
        assert all(low <= value <= high for low, value, high in zip(s.lows, s.values, s.highs, strict=True))
    # The measures differ on purpose, which contradicts nothing.
    assert not any("Against this verdict" in note.text for note in found.notes)
    assert osc.Ranking.from_dict(found.to_dict()) == found


def test_as_good_within_the_margin_and_cheaper_is_a_tested_sentence():
    found = osc.rank(board(n=300), measure=MEASURES[:2], not_worse={"quality": 0.1})
    (sentence,) = (one for one in found.frontier.sentences if " atlas " in one)
    (pair,) = (pair for pair in found.frontier.pairs if pair.systems == ("birch", "atlas"))
    values = {s.system: s.values for s in found.frontier.systems}
    cheaper = 100 * (1 - values["birch"][1] / values["atlas"][1])
    begin = f"birch is as good as atlas in quality within 0.1 and {cheaper:.2g}% lower in cost (adjusted p = "
    assert sentence.startswith(begin)
    assert pair.adjusted <= found.alpha
    # Without the margin nobody is shown to be better on both.
    (plain,) = (s for s in osc.rank(board(n=300), measure=MEASURES[:2]).frontier.systems if s.system == "atlas")
    assert plain.dominated_by == []


def test_a_margin_without_a_known_range_says_what_it_leaves_open():
    found = osc.rank(board(n=40), measure=["quality", "latency(lower)"], not_worse={"latency": 0.5})
    (told,) = (note for note in found.notes if "rare large losses" in note.text)
    assert told.text.startswith("How much a single item can lose on latency is not known")
    assert told.kind == "warning"
    known = osc.rank(board(n=40), measure=["quality", "latency(lower)"], not_worse={"quality": 0.1})
    assert not any("rare large losses" in note.text for note in known.notes)


def test_identical_systems_dominate_nobody_and_p_is_never_0():
    table = board(n=40)
    twin = table.filter(pl.col("system") == "atlas").with_columns(system=pl.lit("twin"))
    found = osc.rank(pl.concat([table, twin]), measure=MEASURES)
    by_pair = {pair.systems: pair for pair in found.frontier.pairs}
    assert by_pair["atlas", "twin"].parts == by_pair["twin", "atlas"].parts == [1.0, 1.0, 1.0]
    assert all(0 < p <= 1 for pair in found.frontier.pairs for p in (*pair.parts, pair.p, pair.adjusted))


@pytest.mark.slow
def test_claims_of_domination_are_rarely_false():
    """Systems that differ in nothing: a false claim at most in a share alpha of boards."""
    random, false = np.random.default_rng(1), 0
    boards = 60
    for _ in range(boards):
        columns = {"id": list(range(40)) * 3, "system": np.repeat(list("abc"), 40), "x": random.normal(size=120).round(1)}
        found = osc.rank(pl.DataFrame({**columns, "y": random.normal(size=120)}), measure=["x", "y"], alpha=0.2)
        false += any(s.dominated_by for s in found.frontier.systems)
    assert false <= 0.2 * boards + 3 * math.sqrt(0.2 * 0.8 * boards)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measure": ["quality"]}, "names one measure only"),
        ({"measure": MEASURES, "not_worse": {"price": 1}}, "not one of the measures"),
        ({"measure": MEASURES[:2], "not_worse": {"quality": 0.1, "cost": 0.1}}, "nothing would have to be better"),
        ({"measure": MEASURES, "baseline": "atlas"}, "has no baseline"),
        ({"measure": MEASURES, "metric": "mean"}, "single score"),
        ({"measure": MEASURES[:2], "not_worse": {"quality": 1.5}}, "cannot differ by more than 1"),
        ({"not_worse": {"quality": 0.1}}, "needs measures"),
    ],
)
def test_refusals(given, said):
    with pytest.raises(OutscoreError, match=said):
        osc.rank(board(n=20), **given)


def test_gains_are_those_on_the_items_that_were_tested():
    """The cheaper system alone did the expensive items, so that its own mean is no cheaper."""
    n = 60
    common = {"id": list(range(n)) * 2, "system": ["thin"] * n + ["rich"] * n, "q": [1] * n + [1, 0, 0] * (n // 3)}
    table = pl.DataFrame({**common, "cost": [1.0] * n + [2.0] * n})
    extra = pl.DataFrame({"id": list(range(n, 2 * n)), "system": "thin", "q": 1, "cost": 9.0}, schema=table.schema)
    found = osc.rank(pl.concat([table, extra]), measure=["q", "cost(lower)"]).frontier
    assert {s.system: s.values[1] for s in found.systems} == {"thin": 5.0, "rich": 2.0}
    assert found.sentences[0].startswith("thin is better than rich: 200% higher in q and 50% lower in cost")


def test_systems_without_a_common_item_dominate_nobody():
    table = board(n=40).filter((pl.col("system") != "atlas") | (pl.col("id").str.slice(1).cast(int) < 20))
    table = table.filter((pl.col("system") != "birch") | (pl.col("id").str.slice(1).cast(int) >= 20))
    for margins in ({}, {"quality": 0.1}):
        found = osc.rank(table, measure=MEASURES[:2], not_worse=margins).frontier
        assert not {("atlas", "birch"), ("birch", "atlas")} & {pair.systems for pair in found.pairs}
        assert found.tests == 10


def test_a_missing_cost_is_not_the_lowest():
    table = board(n=20).with_columns(cost=pl.when(pl.col("id") == "q3").then(None).otherwise(pl.col("cost")))
    with pytest.raises(OutscoreError, match="0 for a missing score would be the best"):
        osc.rank(table, measure=MEASURES[:2], missing="zero")
    left = osc.rank(table, measure=MEASURES[:2], missing="drop").frontier
    assert osc.rank(table, measure=["quality", "cost(higher)"], missing="zero").frontier.tests == left.tests == 12


def test_several_datasets_are_refused():
    table = board(n=20).with_columns(task=pl.Series(["a", "b"] * 40))
    with pytest.raises(OutscoreError, match="2 datasets"):
        osc.rank(table, measure=MEASURES, dataset="task")


def test_every_report_has_it():
    found = osc.rank(board(), measure=MEASURES, not_worse={"quality": 0.1})
    free = [s.system for s in found.frontier.systems if not s.dominated_by]
    for form in ("text", "markdown", "html", "screen"):
        said = " ".join(render(found, form).split())
        assert found.frontier.sentences[0].split(" (adjusted")[0] in said, form
    assert f"{len(free)} of 4 systems may be on it" in render(found, "screen")
    (chart,) = (chart for chart in charts_of(found) if chart.key == "frontier")
    assert [row["system"] for row in chart.rows] == [s.system for s in found.frontier.systems]
    for row, s in zip(chart.rows, found.frontier.systems, strict=True):
        assert (row["y"], row["y_low"], row["x"], row["x_high"]) == (s.values[0], s.lows[0], s.values[1], s.highs[1])
        assert row["dominated"] == bool(s.dominated_by)

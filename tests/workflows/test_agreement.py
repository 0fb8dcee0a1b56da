"""compare, rank of two, score and gate agree on every number they share, whatever the table looks like."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import outscore as osc

KINDS = {
    "right or wrong": lambda rng, level: float(rng.random() < level),
    "per cent": lambda rng, level: 100.0 * (rng.random() < level),
    "nearly always right": lambda rng, level: float(rng.random() < 0.9 + level / 10),
    "shares": lambda rng, level: round(min(1.0, max(0.0, rng.normal(level, 0.2))), 2),
    "decimals": lambda rng, level: round(rng.normal(level, 1.0), 1),
    "grades": lambda rng, _: float(rng.integers(1, 6)),
    "numbers": lambda rng, level: rng.normal(level, 1.0),
    "counts": lambda rng, level: tuple(rng.binomial(4, [level, 0.3, 1 - level]).tolist()),
}


@st.composite
def tables(draw) -> tuple[pl.DataFrame, dict[str, object], bool]:
    """A table of two systems, the options that go with it, and whether both have the same items."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kind, n = draw(st.sampled_from(sorted(KINDS))), draw(st.integers(6, 40))
    score = KINDS[kind]
    column, runs = draw(st.sampled_from([("", 1), ("", 1), ("epoch", 2), ("epoch", 4), ("seed", 3)]))
    design = draw(st.sampled_from(["items", "clusters", "gaps", "uneven gaps", "units", "datasets"]))
    gaps = design.endswith("gaps")
    there = rng.random((2, n)) < (0.85 if gaps else 1)
    group = max(2, n // 3) if design == "datasets" else 3
    columns = ("tp", "fp", "fn") if kind == "counts" else ("score",)
    rows = [
        (f"q{i}", system, run, f"d{i // group}", *(drawn if kind == "counts" else (drawn,)))
        for own, (system, level) in zip(there, (("new", 0.7), ("old", 0.5)), strict=True)
        for i in np.flatnonzero(own).tolist()
        # An item that one system lacks may have fewer runs.
        for run in range(runs if design != "uneven gaps" or there[:, i].all() else max(1, runs - 1))
        for drawn in [score(rng, level)]
    ]
    table = pl.DataFrame(rows, schema=["id", "system", column or "run", "doc", *columns], orient="row")
    asked: dict[str, object] = {"metric": "f1"} if kind == "counts" else {}
    if design == "datasets":
        asked["dataset"] = "doc"
    if design == "clusters":
        asked["clusters"] = "doc"
    if design == "units":
        # Units are made of items; runs that span all items have a test of their own.
        asked |= {"unit_size": 2} | ({"population": "items"} if column else {})
    if design == "items" and column:
        asked["population"] = draw(
            st.sampled_from(["items", "these-items", "items-and-runs"] if column == "seed" else ["items", "these-items"])
        )
    return table.drop([] if column else "run").drop([] if design in ("clusters", "datasets") else "doc"), asked, not gaps


def same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-11)


def own(scores) -> dict[str, tuple[float | None, ...]]:
    return {one.system: (one.value, one.low, one.high) for one in scores}


def assert_same_own(one, other) -> None:
    for system, numbers in own(one).items():
        assert all(map(same, numbers, own(other)[system])), (system, numbers, own(other)[system])


@given(made=tables())
@settings(max_examples=60, deadline=None)
def test_all_commands_agree_on_what_they_share(made):
    table, asked, common = made
    assume(table.group_by("id").len().height > 5)
    pair, board = osc.compare(table, **asked), osc.rank(table, **asked)
    ranked = board.pairs[0]
    turn = 1 if ranked.systems == pair.systems else -1
    assert same(turn * ranked.difference, pair.difference)
    assert same(ranked.p.value, pair.p.value)
    assert same(ranked.p.claimed, pair.p.claimed)
    assert board.population == pair.population
    assert ranked.n == pair.p.n or pair.population != "items"
    ends = (ranked.low, ranked.high) if turn > 0 else tuple(None if end is None else -end for end in (ranked.high, ranked.low))
    expected = (None, None) if pair.interval is None else (pair.interval.low, pair.interval.high)
    assert all(map(same, ends, expected)), (ends, expected)
    if pair.population == "items" and "dataset" not in asked:
        # In items, or in what is swapped as one, which is also what both count.
        assert ranked.needed == (None if pair.power is None else pair.power.needed)
    if "unit_size" not in asked and "dataset" not in asked:
        assert same(pair.smallest_p, board.smallest_p)
    if common:
        # Otherwise compare is about the items that both have.
        assert_same_own(pair.scores, board.scores)
    if "unit_size" in asked:
        return
    if asked.get("population") == "these-items" and "metric" in asked and "epoch" in table.columns:
        # Runs of F1 are exchanged at random, which gives no system an interval.
        return
    alone = osc.score(table, **asked)
    if asked.keys() >= {"dataset", "metric"}:
        # The macro average of F1 takes no margin.
        return
    if alone.population == board.population:
        assert_same_own(board.scores, alone.systems)
    else:
        # Alone, a system lacks runs of items that no other has either.
        assert (board.population, alone.population) == ("items-and-runs", "items")
    largest = float(table["score"].abs().max()) if "score" in table.columns else 1.0
    margin = 0.05 * max(1.0, largest)
    gate = osc.gate(table, margin=margin, systems=["old", "new"], **asked)
    # F1 is not a mean over items: swaps cannot test a margin.
    by: dict[str, object] = {} if "score" in table.columns else {"test": "bootstrap", "population": None}
    asked_alike = osc.compare(table, margin=margin, systems=["new", "old"], **{**asked, **by})
    assert_same_own(asked_alike.scores, gate.comparison.scores)
    assert same(gate.comparison.difference, asked_alike.difference)
    assert same(gate.not_worse.value, asked_alike.margin.noninferiority.value)
    wide = osc.compare(table, alpha=0.1, systems=["new", "old"], **{**asked, **by}).interval
    low, high = (None, None) if wide is None else (wide.low, wide.high)
    if asked_alike.margin.limit is not None:
        # Identical outputs have no other end.
        high = None if wide is None or (asked_alike.identical and low == high) else high
        low = asked_alike.margin.limit
    ends = (None, None) if gate.interval is None else (gate.interval.low, gate.interval.high)
    assert all(map(same, ends, (low, high))), (ends, (low, high))


def test_what_is_needed_is_counted_in_what_is_swapped_as_one():
    """Five items in each of 20 documents: `rank` divided items by documents, and asked for five times too much."""
    rng = np.random.default_rng(0)
    items = [(f"q{i}", f"d{i // 5}", name, x) for name, x in (("new", 0.52), ("old", 0.5)) for i in range(100)]
    rows = [(item, doc, name, round(level + rng.normal(0, 0.2), 2)) for item, doc, name, level in items]
    table = pl.DataFrame(rows, schema=["id", "doc", "system", "score"], orient="row")
    pair, board = osc.compare(table, clusters="doc"), osc.rank(table, clusters="doc")
    assert board.pairs[0].n == 20
    assert board.pairs[0].needed == pair.power.needed > 20
    times = board.pairs[0].needed / 20
    assert f"about {board.pairs[0].needed:,} clusters" in board.to_text(verbose=True).replace("\n", " ")
    assert times == pair.power.needed / pair.clusters


def test_items_that_only_one_system_has_do_not_make_a_pair_averaged():
    """All runs of the items that both have agree; those of an item of one system do not."""
    rows = [(f"q{i}", system, run, 1.0) for system in ("new", "old") for i in range(6) for run in range(2)]
    rows += [("q6", "new", 0, 1.0), ("q6", "new", 1, 0.0)]
    table = pl.DataFrame(rows, schema=["id", "system", "epoch", "score"], orient="row")
    pair, board = osc.compare(table), osc.rank(table)
    assert (board.pairs[0].low, board.pairs[0].high) == pytest.approx((pair.interval.low, pair.interval.high))


def test_a_graded_system_makes_those_beside_it_graded_over_new_runs_too():
    """`score` and `rank` looked at each system by itself, and `compare` at both."""
    runs = {"zed": ((1, 0.5, 0.25), (0.5, 0.5, 0.75)), "abe": ((0, 0, 1), (1, 1, 0))}
    rows = [(f"q{i}", name, k, x) for name, items in runs.items() for i, item in enumerate(items) for k, x in enumerate(item)]
    table = pl.DataFrame(rows, schema=["id", "system", "epoch", "score"], orient="row", strict=False)
    pair, board, alone = (ask(table, population="these-items") for ask in (osc.compare, osc.rank, osc.score))
    assert_same_own(pair.scores, board.scores)
    assert_same_own(pair.scores, alone.systems)
    reach = 2.7764451051977987 * math.sqrt(1 / 18)
    assert own(pair.scores)["abe"][1:] == pytest.approx((0.5 - reach, 0.5 + reach))


def test_a_score_beyond_1_is_beyond_1_for_all_systems(tmp_path):
    """Of a alone, all scores lie between 0 and 1; beside b they are evidently no shares."""
    rng = np.random.default_rng(5)
    a, b = rng.beta(9, 1, 15).round(2), rng.beta(9, 2, 15).round(2)
    b[3] = 1.05
    table = pl.DataFrame({"id": [f"q{i}" for i in range(15)], "a": a, "b": b})
    reach = 2.144787 * a.std(ddof=1) / math.sqrt(15)
    for found in (osc.compare(table).scores, osc.rank(table).scores, osc.score(table).systems):
        assert own(found)["a"] == pytest.approx((a.mean(), a.mean() - reach, a.mean() + reach), rel=1e-6)


def test_units_do_not_hide_what_items_can_score(tmp_path):
    """1.1 is averaged away by units of five, but scores are no shares for that."""
    rng = np.random.default_rng(6)
    a, b = rng.random((2, 50)).round(2)
    b[7] = 1.1
    table = pl.DataFrame({"id": [f"q{i}" for i in range(50)], "a": a, "b": b})
    pair, board = osc.compare(table, unit_size=5), osc.rank(table, unit_size=5)
    assert pair.scores[0].method == "Student's t"
    units = a.reshape(10, 5).mean(axis=1)
    reach = 2.262157 * units.std(ddof=1) / math.sqrt(10)
    for found in (pair.scores, board.scores):
        assert own(found)["a"] == pytest.approx((a.mean(), a.mean() - reach, a.mean() + reach), rel=1e-6)


def test_means_of_runs_that_show_two_values_are_not_right_or_wrong():
    """Four runs of each item, of which at most one fails: item means are .75 and 1."""
    rows = [
        (f"q{i}", system, run, int(run > 0 or i % step > 0))
        for system, step in (("new", 4), ("old", 3))
        for i in range(24)
        for run in range(4)
    ]
    table = pl.DataFrame(rows, schema=["id", "system", "epoch", "score"], orient="row")
    pair, board, alone = (ask(table, population="items") for ask in (osc.compare, osc.rank, osc.score))
    assert pair.interval.method.startswith("permutation inversion")
    assert (board.pairs[0].low, board.pairs[0].high) == pytest.approx((pair.interval.low, pair.interval.high))
    assert_same_own(pair.scores, board.scores)
    assert_same_own(pair.scores, alone.systems)


def test_runs_that_an_item_of_one_system_lacks_do_not_change_the_claim():
    """What a pair is compared on has every run; that an item which only `new` has lacks one, or has another, says nothing."""
    rng = np.random.default_rng(3)
    systems = ("new", "old")
    rows = [(f"q{i}", name, f"s{run}", round(rng.random(), 2)) for name in systems for i in range(12) for run in range(3)]
    rows += [("q12", "new", "s0", 0.5), ("q12", "new", "s7", 0.25)]
    table = pl.DataFrame(rows, schema=["id", "system", "seed", "score"], orient="row")
    for population in (None, "these-items"):
        pair, board = (ask(table, population=population) for ask in (osc.compare, osc.rank))
        assert board.population == pair.population == (population or "items-and-runs")
        assert same(board.pairs[0].p.value, pair.p.value)
    third = table.with_columns(system=pl.lit("third"))
    assert osc.rank(pl.concat([table, third.unique(["id", "seed"])])).population == "items"


@given(seed=st.integers(0, 10**6), n=st.integers(40, 400), kind=st.sampled_from(["numbers", "decimals", "shares"]))
@settings(max_examples=12, deadline=None)
def test_a_pair_of_a_ranking_has_the_p_that_compare_reports(seed, n, kind):
    """The ranking decides by the upper end of certified bounds, and reported it too."""
    rng = np.random.default_rng(seed)
    levels = (0.62, 0.55, 0.5)
    table = pl.DataFrame({name: [KINDS[kind](rng, level) for _ in range(n)] for name, level in zip("abc", levels, strict=True)})
    table = table.with_columns(id=pl.Series([f"q{i}" for i in range(n)]))
    for pair in osc.rank(table).pairs:
        p = osc.compare(table.select("id", *pair.systems)).p
        # Beyond 1e-7 a ranking looks less closely.
        close = 1e-9 if p.value > 1e-6 else 0.13
        assert math.isclose(pair.p.value, p.value, rel_tol=close), (pair, p)
        assert math.isclose(pair.p.claimed, p.claimed, rel_tol=close), (pair, p)
        assert pair.p.method == p.method or p.value < 1e-6

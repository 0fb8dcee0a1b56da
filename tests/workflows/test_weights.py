"""Items with weights: the weighted mean in all commands, against every swap of small data."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.results.design import Reading
from outscore.workflows.reading import FIELDS
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest


def same(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-11)


def assert_same_own(scores, others) -> None:
    known = {one.system: (one.value, one.low, one.high) for one in others}
    for one in scores:
        assert all(map(same, (one.value, one.low, one.high), known[one.system])), (one, known)


TENTHS = st.integers(0, 10).map(lambda n: n / 10)


def brute_force(a, b, weights, *, sided=False) -> tuple[float, float]:
    """The difference of the weighted means, and the share of all swaps that differ by as much."""
    exact = [[Fraction(str(x)) for x in column] for column in (a, b, weights)]
    terms = [w * (x - y) for x, y, w in zip(*exact, strict=True)]
    observed = sum(terms)
    sums = [sum(s * t for s, t in zip(signs, terms, strict=True)) for signs in itertools.product((1, -1), repeat=len(terms))]
    as_far = sum((x if sided else abs(x)) >= (observed if sided else abs(observed)) for x in sums)
    return float(observed / sum(exact[2])), as_far / len(sums)


def table_of(a, b, weights) -> pl.DataFrame:
    return pl.DataFrame({"id": [f"q{i}" for i in range(len(a))], "new": a, "old": b, "w": weights})


@st.composite
def weighted(draw) -> tuple[list[float], list[float], list[float]]:
    n = draw(st.integers(2, 9))
    a, b = (draw(st.lists(TENTHS, min_size=n, max_size=n)) for _ in "ab")
    weights = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 1.5, 3.0]), min_size=n, max_size=n).filter(any))
    return a, b, weights


@given(data=weighted())
@settings(max_examples=60, deadline=None)
def test_all_commands_agree_with_every_swap(data):
    a, b, weights = data
    table = table_of(*data)
    difference, p = brute_force(*data)
    found = osc.compare(table, weights="w")
    assert found.difference == pytest.approx(difference, abs=1e-12)
    assert found.p.value == pytest.approx(p, rel=1e-12)
    one_sided = osc.compare(table, weights="w", alternative="greater")
    assert one_sided.p.value == pytest.approx(brute_force(*data, sided=True)[1], rel=1e-12)
    arrays = osc.compare(a, b, weights=weights, names=("new", "old"))
    assert (arrays.p.value, arrays.difference, arrays.scores) == (found.p.value, found.difference, found.scores)
    board, alone = osc.rank(table, weights="w"), osc.score(table, weights="w")
    turn = 1 if board.pairs[0].systems == found.systems else -1
    assert same(turn * board.pairs[0].difference, found.difference)
    assert same(board.pairs[0].p.value, found.p.value)
    assert_same_own(found.scores, board.scores)
    assert_same_own(found.scores, alone.systems)
    gate = osc.gate(table, weights="w", margin=0.1, systems=["old", "new"])
    assert same(gate.comparison.difference, found.difference)
    assert_same_own(gate.comparison.scores, found.scores)


def test_weights_three_times_as_large_change_nothing():
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 30)).round(2)
    weights = rng.integers(1, 40, 30) / 4
    for ask in (osc.compare, osc.rank, osc.score):
        one, three = (without_inputs(ask(table_of(a, b, w), weights="w")) for w in (weights, 3 * weights))
        assert one == three


def without_inputs(result) -> dict[str, object]:
    """A result's JSON without its settings and without the name of the column of weights."""
    found = result.to_dict()
    found.pop("settings", None)
    return json.loads(json.dumps(found).replace('"weight": ["w"]', '"weight": []'))


@pytest.mark.parametrize("weight", [1, 0.25])
def test_equal_weights_are_none(weight):
    rng = np.random.default_rng(2)
    table = table_of(*rng.random((2, 30)).round(2), np.full(30, weight))
    for ask in (osc.compare, osc.rank, osc.score):
        assert without_inputs(ask(table, weights="w")) == without_inputs(ask(table.drop("w")))


def test_runs_and_clusters_keep_the_weights_of_items():
    """Runs of an item share its weight, and a cluster weighs what its items weigh together."""
    rng = np.random.default_rng(3)
    rows = [
        (f"q{i}", name, run, f"d{i // 2}", i % 4 + 1, float(rng.integers(0, 11)) / 10)
        for i in range(12)
        for name in ("new", "old")
        for run in range(2)
    ]
    table = pl.DataFrame(rows, schema=["id", "system", "epoch", "doc", "w", "score"], orient="row")
    found = osc.compare(table, weights="w", clusters="doc")
    means = table.group_by("doc", "system").agg((pl.col("w") * pl.col("score")).sum() / pl.col("epoch").n_unique())
    wide = means.pivot(on="system", index="doc", values="w").with_columns(pl.col("new", "old").round(6))
    difference, p = brute_force(wide["new"], wide["old"], [1] * len(wide))
    assert found.p.value == pytest.approx(p, rel=1e-12)
    assert found.difference == pytest.approx(difference * len(wide) / sum(i % 4 + 1 for i in range(12)))
    board = osc.rank(table, weights="w", clusters="doc")
    assert same(board.pairs[0].p.value, p)
    assert_same_own(found.scores, board.scores)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("1,-1,2", "t.csv, line 3: item `q1` has the weight `-1`."),
        ("1,x,2", "t.csv, line 3: item `q1` has the weight `x`."),
        ("1,inf,2", "t.csv, line 3: item `q1` has the weight `inf`."),
        ("0,0,0", "all weights of `new` are 0."),
    ],
)
def test_weights_that_are_none_are_refused(tmp_path, monkeypatch, weights, said):
    monkeypatch.chdir(tmp_path)
    lines = [f"q{i},{i % 2},1,{w}" for i, w in enumerate(weights.split(","))]
    (tmp_path / "t.csv").write_text("\n".join(["id,new,old,w", *lines]) + "\n")
    for ask in (osc.compare, osc.rank, osc.score):
        with pytest.raises(OutscoreError) as refused:
            ask("t.csv", weights="w")
        assert said in refused.value.message.replace("`t.csv`", "t.csv")
        assert refused.value.parameter == "weight"


def test_systems_that_disagree_on_a_weight_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, w in (("a", 2), ("b", 3)):
        (tmp_path / f"{name}.csv").write_text(f"id,score,w\nq0,1,1\nq1,0,{w}\nq2,1,1\n")
    with pytest.raises(OutscoreError) as refused:
        osc.compare("a.csv", "b.csv", weights="w")
    assert refused.value.message == "`b.csv`, line 3: item `q1` has the weight `3`, but 2 on another row."
    assert (refused.value.file, refused.value.line) == ("b.csv", 3)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metric": "sum"}, "--weight is for means, not for `sum`."),
        ({"metric": "accuracy"}, "Row 4 is 0.5, neither 0 nor 1."),
        ({"unpaired": True}, "--weight needs the same items for both systems"),
        ({"anytime": True}, "--anytime needs one score per item"),
        ({"reduce": "pass@2", "item": "kind"}, "--weight cannot be combined with --reduce."),
    ],
)
def test_what_takes_no_weights_says_so(more, said):
    table = table_of([1.0, 0.0, 1.0, 0.5], [0.0, 0.0, 1.0, 0.5], [1, 2, 3, 4]).with_columns(kind=pl.Series(list("xxyy")))
    options = {"items" if name == "item" else name: value for name, value in more.items()}
    with pytest.raises(OutscoreError) as refused:
        osc.compare(table, weights="w", systems=["new", "old"], duplicates="first", **options)
    assert said in refused.value.message


def test_weights_of_accuracy_are_those_of_right_answers():
    a, b, weights = [1, 0, 1, 1], [0, 0, 1, 0], [3, 1, 2, 0.5]
    found = osc.compare(a, b, weights=weights, metric="accuracy")
    difference, p = brute_force(a, b, weights)
    assert (found.difference, found.p.value) == pytest.approx((difference, p))
    with pytest.raises(OutscoreError, match="has shape"):
        osc.compare(a, b, weights=weights[:2])


def test_weights_hide_no_warning_of_scales():
    shares, per_cent = [0.5, 0.9, 0.4, 0.7], [48.0, 91.0, 60.0, 75.0]
    plain, found = (osc.compare(shares, per_cent, weights=weights) for weights in (None, [1, 2, 3, 4]))
    of_scales = [note.text for note in plain.notes if "per cent" in note.text]
    assert of_scales
    assert of_scales == [note.text for note in found.notes if "per cent" in note.text]


@pytest.mark.parametrize("name", ["weight", "sample weight", "Weights"])
def test_a_column_called_so_is_no_system(name):
    table = pl.DataFrame({"id": ["q1", "q2", "q3"], "new": [1, 0, 1], "old": [0, 0, 1], name: [0.5, 1.0, 0.25]})
    for ask in (osc.compare, osc.rank, osc.score):
        with pytest.raises(OutscoreError) as refused:
            ask(table)
        assert refused.value.parameter == "system"
        assert "--weight" in refused.value.hint
    assert osc.compare(table, weights=name).difference == pytest.approx(0.5 / 1.75)


class TestUnused:
    """A column of numbers that plays no part is said, wherever the score was recognised."""

    @pytest.fixture
    def files(self, tmp_path):
        def write(header: str, row: str) -> list[str]:
            paths = [tmp_path / "new.csv", tmp_path / "old.csv"]
            for k, path in enumerate(paths):
                path.write_text(header + "\n" + "".join(row.format(i=i, score=(i + k) % 3 % 2) + "\n" for i in range(12)))
            return list(map(str, paths))

        return write

    def test_weights_and_settings_beside_one_score(self, files):
        found = osc.compare(*files("id,score,weight,temperature,note", "q{i},{score},{i},0.{i},fine"))
        assert found.reading.unused == ["weight", "temperature"]
        assert "scores: `score` by `id`; not used: `weight` and `temperature`;" in str(found)

    def test_the_line_stays_short(self, files):
        names = ",".join(f"latency_{k}" for k in "abcdefgh")
        found = osc.compare(*files(f"id,score,{names}", "q{i},{score}" + ",3" * 8))
        assert len(found.reading.unused) == 8
        assert "not used: `latency_a`, `latency_b`, `latency_c`, `latency_d` and 4 more;" in " ".join(str(found).split())

    def test_whoever_names_the_score_has_left_out_the_others(self, files):
        """All but weights and settings, of which nobody has said anything."""
        both = files("id,f1,bleu,weight", "q{i},{score},0.{i},{i}")
        assert osc.compare(*both, score="f1").reading.unused == ["weight"]
        assert osc.compare(*both, score="f1", weights="weight").reading.unused == []

    def test_systems_chosen_of_a_column_do_not_name_the_score(self, tmp_path):
        rows = "".join(f"q{i},{name},{(i + k) % 3 % 2},{i}.5\n" for i in range(12) for k, name in enumerate("abc"))
        (tmp_path / "all.csv").write_text("id,system,correct,latency\n" + rows)
        assert osc.compare(tmp_path / "all.csv", systems=["a", "b"]).reading.unused == ["latency"]

    def test_parts_of_a_table_say_it_too(self, tmp_path):
        rows = [(f"q{i}", name, float((i + k) % 3 % 2), i) for k, name in enumerate("ab") for i in range(12)]
        for part in range(2):
            shares = pl.DataFrame(rows[part::2], schema=["id", "system", "correct", "weight"], orient="row")
            shares.write_parquet(tmp_path / f"part-{part}.parquet")
        assert osc.rank(tmp_path).reading.unused == ["weight"]

    def test_ids_and_words_are_none(self, files):
        found = osc.compare(*files("id,score,image_id,line,comment", "q{i},{score},{i},{i},fine"))
        assert found.reading.unused == []
        assert "not used" not in str(found)


@pytest.mark.parametrize("kind", [CompareRequest, RankRequest, ScoreRequest])
def test_columns_that_no_reader_looks_for_have_a_field_in_the_reading(kind):
    given = {option.name: "column" for option in kind.options() if option.kind == "column" and not option.many}
    further = kind.of(given).further_columns()
    assert {"slice", "weight"} <= further.keys()
    assert {FIELDS.get(name, name) for name in further} <= {field.name for field in dataclasses.fields(Reading)}

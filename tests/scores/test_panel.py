"""Panels: many systems on the items of one dataset, whatever the rows looked like."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.panels import panels_of

import outscore as osc
from outscore import OutscoreError
from outscore.results.note import note_texts
from outscore.scores.align import align
from outscore.scores.panel import Panel, panel_of, refuse_one
from outscore.scores.system import Labels, Scores


def system(name, cells, **more):
    """A system from (item, score) rows."""
    ids = Labels.of([item for item, _ in cells])
    return Scores(name, np.array([score for _, score in cells]), ids, **more)


def scores_of(panel):
    """(systems, items) scores of a mean."""
    return panel.rows[..., 0] / panel.scale


def naive(rows):
    """{(system, item): mean of its distinct rows}, by dictionaries."""
    found: dict = {}
    for name, item, score in rows:
        found.setdefault((name, item), []).append(score)
    return {cell: values[0] if len(set(values)) == 1 else sum(values) / len(values) for cell, values in found.items()}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("pqrst"), st.integers(0, 3)), min_size=1, max_size=40))
def test_against_naive_twin(rows):
    by_system = {name: [(item, score) for who, item, score in rows if who == name] for name in "abc"}
    systems = [system(name, cells) for name, cells in by_system.items() if cells]
    if len(systems) < 2:
        return
    (panel,) = panels_of(systems)
    wanted, values = naive(rows), scores_of(panel)
    found = {
        (name, item): values[i, j]
        for i, name in enumerate(panel.systems)
        for j, item in enumerate(panel.items)
        if panel.present[i, j]
    }
    assert found == pytest.approx(wanted)
    assert panel.items == tuple(dict.fromkeys(item for name in panel.systems for item, _ in by_system[name]))
    assert align(systems).duplicates == len(rows) - len(wanted)


def test_conflicts_are_averaged_counted_and_told():
    systems = [system("a", [("p", 1), ("p", 0), ("q", 1), ("q", 1)]), system("b", [("p", 1), ("q", 0)])]
    (panel,), aligned = panels_of(systems), align(systems)
    assert scores_of(panel).tolist() == [[0.5, 1.0], [1.0, 0.0]]
    assert (aligned.duplicates, aligned.conflicts, int(panel.times.sum())) == (2, 1, 4)
    assert "contradict" in panel.notes[0].text
    (first,) = panels_of([system("a", [("p", 1), ("p", 0)]), system("b", [("p", 1)])], duplicates="first")
    assert scores_of(first).tolist() == [[1], [1]]
    with pytest.raises(OutscoreError, match="`a` has the score 0 on item `p`"):
        panels_of([system("a", [("p", 1), ("p", 0)]), system("b", [("p", 1)])], duplicates="stop")


def test_repeats_are_averaged_and_unequal_ones_told():
    a = system("a", [("p", 1), ("p", 0), ("q", 1), ("q", 1)], repeats=Labels.of("1212"))
    b = system("b", [("p", 1), ("p", 1), ("q", 0), ("q", 1)], repeats=Labels.of("1212"))
    (panel,) = panels_of([a, b])
    assert scores_of(panel).tolist() == [[0.5, 1.0], [1.0, 0.5]]
    assert panel.times.sum() == 2 * int(panel.present.sum())
    assert not panel.notes
    (uneven,) = panels_of([a, system("c", [("p", 1), ("q", 1)], repeats=Labels.of("11"))])
    assert "unequally often" in uneven.notes[0].text
    assert uneven.times.sum() == 1.5 * int(uneven.present.sum())


def test_datasets_tell_items_apart_and_a_system_may_lack_one():
    a = system("a", [("1", 1), ("1", 0), ("2", 1)], datasets=Labels.of(["x", "y", "y"]))
    b = system("b", [("1", 1)], datasets=Labels.of(["x"]))
    x, y = panels_of([a, b])
    assert (x.dataset, x.items, x.complete) == ("x", ("1",), True)
    assert (y.dataset, y.items, y.counts.tolist()) == ("y", ("1", "2"), [2, 0])


def test_one_name_on_two_datasets_is_one_system():
    parts = [
        system(name, [("1", score)], datasets=Labels.of([where])) for where in "xy" for name, score in (("a", 1), ("b", 0))
    ]
    x, y = panels_of(parts)
    assert x.systems == y.systems == ("a", "b")


def test_clusters_follow_their_items():
    a = system("a", [("p", 1), ("q", 0)], clusters=Labels.of(["d", "e"]))
    b = system("b", [("q", 1), ("p", 0)], clusters=Labels.of(["e", "d"]))
    assert panels_of([a, b])[0].clusters.tolist() == [0, 1]
    wrong = system("b", [("q", 1), ("p", 0)], clusters=Labels.of(["d", "d"]))
    with pytest.raises(OutscoreError, match="`a`, row 2 is in cluster `e`, but the same item of `b`, row 1 is in cluster `d`"):
        panels_of([a, wrong])


def on_datasets(name: str, datasets: str) -> Scores:
    """A system whose rows have datasets but no ids."""
    return Scores(name, np.arange(len(datasets)), datasets=Labels.of(datasets))


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ([], "No system was found"),
        ([system("a", [("p", 1)]), system("a", [("p", 0)]), system("b", [("p", 0)])], "Two systems are named `a`"),
        ([Scores("a", np.array([1, 0])), Scores("b", np.array([1]))], "`a` has 2 items and `b` has 1"),
        ([Scores("a", np.array([1])), system("b", [("p", 0)])], "names item ids but `a` does not"),
        ([Scores("a", np.array([1])), Scores("b", np.array([[1, 0]]))], "the same number of scores per row"),
        ([Scores("a", np.array([], dtype=int)), Scores("b", np.array([], dtype=int))], "No system has a single item"),
        ([on_datasets("a", "xxy"), on_datasets("b", "xyy")], r"row 2: the dataset is `x`, but .* row 2, is `y`"),
    ],
)
def test_refusals_are_one_sentence(systems, message):
    with pytest.raises(OutscoreError, match=message):
        panels_of(systems)


def test_rows_of_several_files_are_matched_within_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, systems in (("one", "aaabb"), ("two", "aabbb")):
        Path(f"{name}.csv").write_text("system,score\n" + "".join(f"{system},{row}\n" for row, system in enumerate(systems)))
    with pytest.raises(OutscoreError, match=r"`a`, row 3: the dataset is `one`, but .*, `b`, row 3, is `two`"):
        osc.rank(["one.csv", "two.csv"], items="none")


def test_the_column_of_a_lonely_system_is_named(tmp_path):
    (tmp_path / "one.csv").write_text("item,A\nq1,1\nq2,0\n")
    with pytest.raises(OutscoreError, match=r"one\.csv` has one column of scores, `A`: there is nothing to rank"):
        refuse_one(osc.read(tmp_path / "one.csv"))


@pytest.mark.parametrize(
    ("systems", "message"), [([], "No system was found"), ([Scores("a", np.array([1]))], "Only `a` was found")]
)
def test_one_system_has_a_panel_but_no_ranking(systems, message):
    with pytest.raises(OutscoreError, match=f"{message}: there is nothing to rank"):
        refuse_one(systems)
    assert [panel.shape for panel in (panels_of(systems) if systems else ())] == [(1, 1)] * len(systems)


def test_a_single_item_is_told_once():
    sets = [system(name, [("1", score)], datasets=Labels.of("x")) for name, score in (("a", 1), ("b", 0))]
    (panel,) = panels_of(sets)
    assert note_texts(panel.notes) == ["There is only one item, and a single item cannot tell systems apart."]
    two = [system(name, [("1", score), ("1", 1)], datasets=Labels.of("xy")) for name, score in (("a", 1), ("b", 0))]
    assert not any(panel.notes for panel in panels_of(two))


@given(
    st.integers(1, 3).flatmap(
        lambda k: st.lists(
            st.lists(st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.5, 0.25])), min_size=k, max_size=k),
            min_size=1,
            max_size=30,
        )
    ),
    st.booleans(),
)
def test_tables_with_gaps_against_long_ones(cells, named):
    cells = [[0, *row] for row in cells]
    names = [f"s{k}" for k in range(len(cells[0]))]
    rows = [[*([f"q{i}"] if named else []), *("" if x is None else str(x) for x in row)] for i, row in enumerate(cells)]
    text = "".join(",".join(row) + "\n" for row in [[*(["id"] if named else []), *names], *rows])
    with tempfile.TemporaryDirectory() as folder:
        # Without ids, two columns of numbers would be taken for bare ones.
        (path := Path(folder, "wide.csv")).write_text(text)
        found = osc.read(path, gaps=True, format="csv")
    filled = {name: [(i, row[k]) for i, row in enumerate(cells) if row[k] is not None] for k, name in enumerate(names)}
    filled = {name: kept for name, kept in filled.items() if kept}
    assert [one.name for one in found] == (list(filled) if len(filled) > 1 else ["wide"])
    for one, kept in zip(found, filled.values(), strict=True):
        assert one.values.tolist() == [x for _, x in kept]
        assert (one.lines - 2).tolist() == [i for i, _ in kept]
        if one.ids is not None:
            assert one.ids.texts() == [f"q{i}" if named else str(i + 1) for i, _ in kept]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_dataframes_with_gaps_and_paths(missing, tmp_path):
    table = pl.DataFrame({"id": ["p", "q", "r"], "a": [1, 0, 1], "b": [0.5, missing, 1]})
    found = osc.rank(table)
    assert (found.coverage.missing, found.pairs[0].n) == (1, 2)
    assert osc.rank(table.drop("id")).pairs == found.pairs
    table.fill_nan(None).write_csv(tmp_path / "table.csv")
    for path in (tmp_path / "table.csv", str(tmp_path / "table.csv")):
        read, given = osc.rank(path, items="id").to_dict(), found.to_dict()
        # What differs is where the numbers come from, and that a column was named.
        assert [read["settings"].pop("item"), given["settings"].pop("item", None)] == ["id", None]
        assert [read["settings"].pop("files"), given["settings"].pop("files")] == [[str(path)], []]
        assert [one["rows"] for one in read["settings"].pop("inputs")] == [3]
        assert given["settings"].pop("inputs") == []
        assert [one["reading"].pop("formats") for one in (read, given)] == [["csv"], ["dataframe"]]
        assert [one["reading"].pop("files") for one in (read, given)] == [1, 0]
        assert read == given
    with pytest.raises(OutscoreError, match="`items` is not the name of a column"):
        osc.rank(str(tmp_path / "table.csv"), items=[1, 2, 3])


def test_livebench_is_read_as_the_data_sheet_says(shared_data):
    systems = osc.read(shared_data / "llm-scores" / "livebench.parquet")
    (panel,), aligned = panels_of(systems), align(systems, "mean")
    present = panel.present.astype(int)
    shared = (present @ present.T)[np.triu_indices(93, 1)]
    assert panel.shape == (93, 1136)
    assert (aligned.duplicates, aligned.conflicts) == (590, 59)
    assert ((shared == 0).sum(), (shared > 0).sum()) == (120, 4158)


def test_a_million_rows_take_a_second():
    random = np.random.default_rng(0)
    names, sets, home = tuple(f"q{i}" for i in range(10_000)), tuple(f"t{i}" for i in range(20)), np.arange(10_000) // 500
    systems = [
        Scores(f"s{i}", random.integers(0, 2, 10_000), Labels(np.arange(10_000), names), datasets=Labels(home, sets))
        for i in range(100)
    ]
    began = time.process_time()
    panels = panels_of(systems)
    assert time.process_time() - began < 4
    assert len(panels) == 20
    assert all(isinstance(panel, Panel) and panel.complete and panel.shape == (100, 500) for panel in panels)


def test_one_system_of_a_panel_has_its_own_means():
    ids, epochs = Labels.of(["q1", "q1", "q2", "q2"]), Labels.of("1212")
    both = [Scores(name, np.array(x), ids, epochs) for name, x in (("new", [1, 1, 0, 1]), ("old", [1, 0, 1, 1]))]
    (panel,) = panels_of(both)
    assert [panel.of_system(k).averaged.tolist() for k in (0, 1)] == [[[False, True]], [[True, False]]]
    assert panel.run_rows(0, np.array([1]))[:, :, 0].tolist() == [[0, 1]]


@pytest.mark.parametrize("systems", [1, 2, 3])
def test_rows_by_position_are_aligned_like_rows_with_ids(systems):
    rng = np.random.default_rng(systems)
    ids = Labels.of([f"q{i}" for i in range(5)])
    values = [rng.integers(0, 9, 5) for _ in range(systems)]
    bare = align([Scores(f"s{k}", x) for k, x in enumerate(values)])
    named = align([Scores(f"s{k}", x, ids) for k, x in enumerate(values)])
    assert bare.whole
    assert named.whole
    for aligned in (bare, named, bare.shared(), named.take(np.ones(5 * systems, dtype=bool))):
        assert aligned.system.tolist() == [k for k in range(systems) for _ in range(5)]
        assert aligned.item.tolist() == list(range(5)) * systems
        assert aligned.counts.tolist() == [[1] * 5] * systems
    assert [x.tolist() for x in panel_of(bare, "mean").rows[..., 0]] == [x.tolist() for x in values]


def test_two_arrays_of_whole_numbers_take_memory_for_their_numbers_only():
    """Eighty bytes a row: both systems in the metric's two columns, what differs, and one array on the way."""
    n = 200_000
    a, b = (np.random.default_rng(seed).integers(0, 9, n) for seed in (1, 2))
    osc.permutation_test(a[:100], b[:100])
    tracemalloc.start()
    try:
        osc.permutation_test(a, b)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80 * n

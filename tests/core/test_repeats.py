"""Runs of items: every view of the rows against a dictionary of them by item and run."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.rows import EPOCHS, Repeats, Runs, occurrences

Rows = dict[tuple[int, int], int]


@st.composite
def rows_of_a_system(draw: st.DrawFn, items: int = 5, runs: int = 4) -> Rows:
    """A score for some cells of a table of items by runs: all, none or any."""
    cells = [(item, run) for item in range(items) for run in range(runs)]
    kept = draw(st.one_of(st.just(cells), st.lists(st.sampled_from(cells), unique=True)))
    shuffled = draw(st.permutations(kept))
    return {cell: draw(st.integers(0, 9)) for cell in shuffled}


def as_runs(rows: Rows, name: str = "new") -> Runs:
    cells = np.array(list(rows), dtype=np.int64).reshape(-1, 2)
    return Runs(np.array(list(rows.values()), dtype=np.int64), cells[:, 0], cells[:, 1], name)


@given(rows_of_a_system())
def test_there_is_a_table_where_every_item_has_every_run(rows: Rows):
    found = as_runs(rows)
    items, runs = ({cell[part] for cell in rows} for part in (0, 1))
    complete = len(runs) > 1 and all((item, run) in rows for item in items for run in runs)
    assert (found.lacking == "") == complete
    if complete:
        run_names = sorted(runs)
        for item in range(max(items) + 1):
            assert found.table[item].tolist() == [rows.get((item, run), 0) for run in run_names]


@given(rows_of_a_system(), st.permutations(range(5)), st.integers(1, 5))
def test_some_items_are_taken_with_all_their_rows(rows: Rows, order: list[int], n: int):
    kept = order[:n]
    found = as_runs(rows).take(np.array(kept))
    expected = [(kept.index(item), value) for (item, _), value in rows.items() if item in kept]
    assert list(zip(found.items.tolist(), found.values.tolist(), strict=True)) == expected
    assert found.lacking == as_runs({cell: value for cell, value in rows.items() if cell[0] in kept}).lacking
    assert found.times(n).tolist() == [sum(item == one for item, _ in rows) for one in kept]


@given(rows_of_a_system(), rows_of_a_system())
def test_runs_are_unequal_where_items_of_both_were_run_unequally_often(first: Rows, second: Rows):
    both = Repeats(EPOCHS, "", (as_runs(first), as_runs(second)))
    counts = [[sum(item == one for item, _ in rows) for one in range(5)] for rows in (first, second)]
    unequal = any(a != b for a, b in zip(*counts, strict=True) if a and b)
    assert both.unequal == unequal
    assert len(both.averaged) == 2 * unequal
    assert both.swap_systems().unequal == unequal
    means = [len(rows) / max(1, len({item for item, _ in rows})) for rows in (first, second)]
    assert list(both.times) == means


def test_what_a_system_lacks_is_named():
    rows, items = np.array([1, 0, 1]), np.array([0, 0, 1])
    assert Runs(rows, items, None, "new").lacking == "new has a single run"
    assert Runs(rows[:0], items[:0], None, "new").lacking == "new has no item"
    assert Runs(rows, items, np.array([3, 3, 3]), "new").lacking == "new has a single run"
    assert Runs(rows, items, np.array([3, 5, 3]), "new").lacking == "new lacks runs of some items"
    known = Repeats(EPOCHS, "sample", (Runs(rows[:2], items[:2], np.array([3, 5]), "new"),), reduced="pass@2")
    assert known.lacking == "pass@2 is one score of all runs of an item"


@given(st.lists(st.integers(0, 4), max_size=20))
def test_rows_are_counted_within_their_item(items: list[int]):
    expected = [items[:row].count(item) for row, item in enumerate(items)]
    assert occurrences(np.array(items, dtype=np.int64)).tolist() == expected


def test_tables_are_not_sent_to_other_processes():
    found = Runs(np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), "new")
    before = len(pickle.dumps(found))
    table = found.table
    assert len(pickle.dumps(found)) == before
    assert pickle.loads(pickle.dumps(found)).table.tolist() == table.tolist()  # noqa: S301 - its own bytes

"""Pairing: what is matched, what is left out and counted, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read
from outscore.results.design import Alignment
from outscore.results.note import note_texts
from outscore.scores.align import settle
from outscore.scores.system import Labels, Origin, Scores, facts_of_answers
from outscore.workflows.prepare import prepare
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.systems import pair_given


def scores(name: str, rows: str, parts: str = "id") -> Scores:
    """Rows such as "q1 1, q2 0": the labels that `parts` lists, and the score."""
    cells = [row.split() for row in rows.split(",")]
    labels = {part: Labels.of(cell[k] for cell in cells) for k, part in enumerate(parts.split())}
    values = np.array([float(cell[-1]) for cell in cells])
    slices = {part: labels.pop(part) for part in ("task", "language") if part in labels}
    names = {"id": "ids", "repeat": "repeats", "cluster": "clusters", "dataset": "datasets"}
    origin = Origin(f"{name}.csv", "", len(cells), "csv", {"dataset": ("dataset",)})
    return Scores(
        name,
        values.astype(np.int64) if (values == values.round()).all() else values,
        **{names[part]: found for part, found in labels.items()},
        slices=slices,
        origin=origin,
        lines=np.arange(2, 2 + len(cells)),
    )


def pair(a: Scores, b: Scores, rule: str = "stop", slice: str | None = None) -> SimpleNamespace:
    """Two systems on the items both have, as they are compared."""
    matched = prepare(CompareRequest(duplicates=rule, slice=slice), pair_given(a, b))
    panel = matched.whole
    rows = panel.matched_rows()
    first, second = rows.a / rows.scale, rows.b / rows.scale
    return SimpleNamespace(
        a=first[:, 0] if a.values.ndim == 1 else first,
        b=second[:, 0] if a.values.ndim == 1 else second,
        kinds=(rows.a.dtype, rows.b.dtype),
        items=rows.items,
        clusters=rows.clusters,
        labels=panel.items,
        alignment=matched.alignment,
        notes=matched.matching_notes,
        repeats=panel.repeats,
        slices={} if slice is None else {value: part for value, (part,) in matched.slices(slice, [panel]).items()},
    )


def columns(paired) -> list[tuple[float, float]]:
    return list(zip(paired.a.tolist(), paired.b.tolist(), strict=True))


def test_items_are_matched_in_the_order_of_the_files():
    both = pair(scores("A", "q3 3, q1 1, q2 2, q7 7"), scores("B", "q3 30, q8 80, q1 10, q2 20, q9 90"))
    assert columns(both) == [(3, 30), (1, 10), (2, 20)]
    assert both.alignment == Alignment(common=3, only_a=1, only_b=2)
    assert both.labels == ("q3", "q1", "q2")
    assert both.items is None
    assert both.notes == []


def test_bare_numbers_are_matched_by_place():
    both = pair(Scores("A", np.array([1, 2])), Scores("B", np.array([3, 4])))
    assert columns(both) == [(1, 3), (2, 4)]
    assert both.alignment == Alignment(common=2)


def test_counts_are_matched_as_rows():
    ids = Labels.of(["x", "y"])
    a, b = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
    both = pair(Scores("A", a, ids), Scores("B", b, Labels.of(["y", "x"])))
    assert both.b.tolist() == [[7, 8], [5, 6]]
    assert both.kinds == (np.int64, np.int64)


def test_repeats_are_matched_by_label():
    a = scores("A", "q1 s1 1, q2 s1 2, q1 s2 3, q2 s2 4", "id repeat")
    b = scores("B", "q2 s2 40, q2 s1 20, q1 s2 30, q1 s1 10", "id repeat")
    both = pair(a, b)
    assert columns(both) == [(1, 10), (2, 20), (3, 30), (4, 40)]
    assert both.items.tolist() == [0, 1, 0, 1]
    assert both.alignment == Alignment(common=2)
    assert not both.repeats.unequal


def test_repeats_with_other_labels_are_matched_in_order():
    a = scores("A", "q1 s1 1, q1 s2 3", "id repeat")
    b = scores("B", "q1 s7 10, q1 s8 30", "id repeat")
    both = pair(a, b)
    assert columns(both) == [(1, 10), (3, 30)]
    assert tuple(note_texts(both.notes)) == (
        "The labels of the repeats differ between the systems, so repeats of an item were matched in file order.",
    )


@pytest.mark.parametrize("turn", [False, True])
def test_unequal_repeats_are_averaged_and_the_note_says_so(turn):
    a = scores("A", "q2 s1 1, q2 s2 2, q1 s1 0, q1 s2 1", "id repeat")
    b = scores("B", "q1 5, q2 7")
    both = pair(b, a) if turn else pair(a, b)
    assert columns(both) == ([(5, 0.5), (7, 1.5)] if turn else [(0.5, 5), (1.5, 7)])
    assert both.repeats.unequal
    assert both.items is None
    who = "once by B and 2 times by A" if turn else "2 times by A and once by B"
    (note,) = both.notes
    assert note.text.startswith(f"Items were run {who}: item means are compared. Means of fewer runs spread more")


def test_one_missing_repeat_is_unequal_too():
    a = scores("A", "q1 s1 1, q1 s2 0, q2 s1 1, q2 s2 1", "id repeat")
    both = pair(a, scores("B", "q1 s1 1, q1 s2 1, q2 s1 0", "id repeat"))
    assert columns(both) == [(0.5, 1), (1, 0)]
    assert "2 times by A and 1 to 2 times by B" in both.notes[0].text


def test_datasets_tell_items_apart_where_both_name_them():
    a = scores("A", "x 1 1, y 1 2", "dataset id")
    both = pair(a, scores("B", "y 1 20, x 1 10", "dataset id"))
    assert columns(both) == [(1, 10), (2, 20)]
    alone = pair(scores("A", "x 1 1, y 2 2", "dataset id"), scores("B", "2 20, 1 10"), slice="dataset")
    assert columns(alone) == [(1, 10), (2, 20)]
    assert list(alone.slices) == ["x", "y"]


def test_labels_come_from_either_system():
    both = pair(scores("A", "q1 1, q2 2"), scores("B", "q2 c2 t2 5, q1 c1 t1 6", "id cluster task"), slice="task")
    assert both.clusters.tolist() == [0, 1]
    assert {value: part.panel.items for value, part in both.slices.items()} == {"t1": ("q1",), "t2": ("q2",)}


def test_runs_of_one_item_may_be_in_several_slices():
    a, b = (
        scores(name, f"q1 s1 t1 {x}, q1 s2 t2 0, q2 s1 t1 1, q2 s2 t2 {x}", "id repeat task")
        for name, x in (("A", 1), ("B", 0))
    )
    both = pair(a, b, slice="task")
    assert {value: part.panel.scores().tolist() for value, part in both.slices.items()} == {"t1": [1, 0.5], "t2": [0.5, 0]}
    assert all(part.panel.repeats is None for part in both.slices.values())


def test_unsteady_slices_are_left_out():
    a, b = scores("A", "q1 de 1", "id language"), scores("B", "q1 en 1", "id language")
    both = pair(a, b)
    with pytest.raises(OutscoreError, match="`language` is `de` and `en` on item `q1`, so it cannot define slices") as caught:
        pair(a, b, slice="language")
    assert caught.value.parameter == "slice"
    assert tuple(note_texts(both.notes)) == (
        "Column `language` differs between the systems on the same item and was not used for slices.",
    )


TWICE = "q1 1, q2 0, q1 1, q2 1, q3 0, q2 1"


@pytest.mark.parametrize(("rule", "values"), [("mean", [1, 2 / 3, 0]), ("first", [1, 0, 0]), ("last", [1, 1, 0])])
def test_duplicates(rule, values):
    once, duplicates, conflicts = settle(scores("A", TWICE), rule)
    np.testing.assert_allclose(once.values, values)
    assert (duplicates, conflicts) == (3, 1)
    assert [once.ids[k] for k in range(3)] == ["q1", "q2", "q3"]
    both = pair(scores("A", TWICE), scores("B", TWICE), rule)
    assert both.alignment == Alignment(common=3, duplicates=6, conflicts=2)


def test_equal_duplicates_are_kept_once_without_a_rule():
    once, duplicates, conflicts = settle(scores("A", "q1 1, q1 1, q2 0"))
    assert once.values.tolist() == [1, 0]
    assert once.values.dtype == np.int64
    assert once.lines.tolist() == [2, 4]
    assert (duplicates, conflicts) == (1, 0)


A = scores("A", "q1 1, q2 0")
ERRORS = {
    "conflict": (scores("A", "q1 1, q2 0, q3 1, q2 1, q1 0"), A),
    "conflict-repeat": (A, scores("B", "q1 s1 1, q1 s1 0", "id repeat")),
    "conflict-slice": (scores("A", "q1 t1 1, q1 t2 0", "id task"), A),
    "conflict-dataset": (scores("A", "x q1 1, y q1 0", "dataset id"), A),
    "nothing-common": (A, scores("B", "1 1, 2 0")),
    "nothing-common-in-one-file": (A, Scores("B", np.array([1]), Labels.of(["x"]), origin=A.origin)),
    "ids-and-none": (Scores("B", np.array([1, 0]), origin=Origin("b.txt", "", 2, "scores")), A),
    "unequal-lengths": (Scores("A", np.array([1, 0])), Scores("B", np.array([1]))),
    "unequal-columns": (Scores("A", np.array([1, 0])), Scores("B", np.array([[1, 0], [1, 0]]))),
    "clusters": (scores("A", "q1 c1 1", "id cluster"), scores("B", "q1 c2 1", "id cluster")),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(golden, name):
    with pytest.raises(OutscoreError) as caught:
        pair(*ERRORS[name])
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    golden(f"formats/pair-{name}.txt", f"{caught.value}\n")


def test_unknown_rule():
    with pytest.raises(OutscoreError, match="Choose one of: stop, mean, first, last"):
        pair(A, A, "median")


rows = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("12"), st.integers(0, 2)), min_size=1, max_size=10)


def naive(a: list, b: list) -> list[tuple[float, float]] | None:
    """The same pairing with dictionaries: item means of both, in the order of A, after copies were averaged."""

    def means(rows: list) -> dict[str, float]:
        runs: dict[tuple[str, str], list[int]] = {}
        for item, run, score in rows:
            runs.setdefault((item, run), []).append(score)
        settled = {key: float(np.mean(found)) for key, found in runs.items()}
        return {item: float(np.mean([x for (i, _), x in settled.items() if i == item])) for item, _ in settled}

    left, right = means(a), means(b)
    orders = [[item for item in one if item in left and item in right] for one in (left, right)]
    return [(left[item], right[item]) for item in min(orders)] or None


@given(rows, rows)
def test_against_dictionaries(first, second):
    def make(name: str, rows: list) -> Scores:
        items, runs, values = zip(*rows, strict=True)
        return Scores(name, np.array(values), Labels.of(items), repeats=Labels.of(runs))

    expected = naive(first, second)
    if expected is None:
        with pytest.raises(OutscoreError, match="no item in common"):
            pair(make("A", first), make("B", second), "mean")
        return
    both = pair(make("A", first), make("B", second), "mean")
    items = np.arange(len(both.a)) if both.items is None else both.items
    counts = np.bincount(items)
    found = [np.bincount(items, values) / counts for values in (both.a, both.b)]
    np.testing.assert_allclose(np.column_stack(found), expected)
    assert both.alignment.common == len(expected)
    assert both.alignment.only_a == len({x for x, *_ in first}) - len(expected)
    turned = pair(make("B", second), make("A", first), "mean")
    assert (turned.alignment.only_a, turned.alignment.only_b) == (both.alignment.only_b, both.alignment.only_a)
    assert (turned.repeats is None) == (both.repeats is None)
    assert turned.repeats is None or turned.repeats.unequal == both.repeats.unequal


def test_real_repeats(shared_data):
    """AIME +13.33 points over 15 questions; GPQA +5.8586 points over 198."""
    aime = read(shared_data / "llm-scores" / "aime-2025-II.csv", systems=("o3-mini (high)", "o1 (medium)"))
    gpqa = read(shared_data / "llm-scores" / "gpqa-diamond.csv")
    for systems, items, rows_, difference in ((aime, 15, 60, 2 / 15), (gpqa, 198, 990, 0.058586)):
        both = pair(*systems)
        assert both.alignment == Alignment(common=items)
        assert (len(both.a), int(both.items.max()) + 1) == (rows_, items)
        assert both.a.mean() - both.b.mean() == pytest.approx(difference, abs=1e-6)


@pytest.mark.slow
def test_real_duplicates(shared_data):
    """LiveBench: 590 repeated rows, 59 in conflict; 120 of 4,278 pairs share no question."""
    systems = [settle(one, "mean") for one in read(shared_data / "llm-scores" / "livebench.parquet")]
    assert sum(duplicates for _, duplicates, _ in systems) == 590
    assert sum(conflicts for *_, conflicts in systems) == 59
    strangers = 0
    for (k, (a, *_)), (j, (b, *_)) in product(enumerate(systems), repeat=2):
        if k < j:
            try:
                pair(a, b)
            except OutscoreError:
                strangers += 1
    assert (strangers, len(systems) * (len(systems) - 1) // 2) == (120, 4278)


def test_a_contradiction_names_file_and_line(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("id,score\nq1,1\nq2,0\nq1,0\n")
    (new,) = read(path)
    with pytest.raises(OutscoreError, match="`new` has the score 0 on item `q1`, but 1 on line 2") as refused:
        settle(new)
    assert (refused.value.file, refused.value.line) == (str(path), 4)


def test_an_unknown_rule_names_the_parameter():
    new = Scores("new", np.array([1, 0]), Labels.of(["q1", "q2"]))
    for function in (lambda: pair(new, new, "none"), lambda: osc.rank([new, replace(new, name="old")], duplicates="none")):
        with pytest.raises(OutscoreError, match=r"`duplicates` is 'none'\. Choose one of: stop, mean, first, last") as refused:
            function()
        assert refused.value.parameter == "duplicates"


def test_blanks_around_answers_are_only_told_where_there_were_any():
    labels = Labels.of(["yes", "no", "yes"])
    bare = replace(scores("new", "q1 1, q2 0, q3 1"), answers=labels, gold=labels)
    assert facts_of_answers([bare]) == []
    (told,) = facts_of_answers([replace(bare, padded=np.array([True, False, True]))])
    assert told.text == "2 of 3 predictions of new have blanks around them that do not count."

"""Labels of items matched by id."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_labels
from outscore.outputs.items import align_items, item_units
from outscore.outputs.model import UNALIGNED, Items
from outscore.outputs.outcomes import outcomes
from outscore.scores.system import Labels


def make(name, answers, **more):
    """Items by id."""
    return Items(name, Labels.of(answers), Labels.of(answers.values()), **more)


def worked(*systems):
    ids = [f"q{i}" for i in range(5)]
    files = [make(name, dict(zip(ids, word, strict=True))) for name, word in systems]
    return item_units(align_items(files[0], files[1:]))


def test_worked_example():
    units = worked(("gold", "ABCDE"), ("S1", "ABCXY"), ("S2", "ZBCDU"))
    assert np.bincount(outcomes(units), minlength=5).tolist() == [2, 1, 1, 1, 0]
    assert units.correct.mean(axis=0).tolist() == [0.6, 0.6]


def test_order_of_gold_and_what_is_missing():
    gold = make("gold", {"q1": "a", "q2": "b", "q3": "a"})
    aligned = align_items(gold, [make("new", {"q9": "a", "q3": "a", "q1": "b"})])
    units = item_units(aligned)
    assert [units.labels[code] for code in units.answers[:, 0]] == ["b", UNALIGNED, "a"]
    assert units.correct[:, 0].tolist() == [False, False, True]
    assert vars(aligned.alignments[0]) == {
        "common": 2,
        "only_a": 1,
        "only_b": 1,
        "duplicates": 0,
        "conflicts": 0,
        "missing": [],
    }


@given(
    st.dictionaries(st.integers(0, 9), st.sampled_from("ab"), min_size=1),
    st.dictionaries(st.integers(0, 9), st.sampled_from("abc"), min_size=1),
    st.randoms(use_true_random=False),
)
def test_against_dictionaries(gold, system, random):
    if not set(gold) & set(system):
        return
    rows = [(key, value) for key, value in system.items() for _ in range(random.randint(1, 2))]
    random.shuffle(rows)
    shuffled = Items("new", Labels.of(key for key, _ in rows), Labels.of(value for _, value in rows))
    aligned = align_items(make("gold", gold), [shuffled])
    units = item_units(aligned)
    assert [units.labels[code] for code in units.answers[:, 0]] == [system.get(key, UNALIGNED) for key in gold]
    assert units.correct[:, 0].tolist() == [system.get(key) == value for key, value in gold.items()]
    assert aligned.alignments[0].duplicates == len(rows) - len(system)


def test_clusters_and_slices():
    ids = {"q1": "a", "q2": "b", "q3": "a"}
    gold = make("gold", ids, slices={"topic": Labels.of(["x", "y", "x"])}, texts={"text": Labels.of("pqp")})
    new = make("new", ids, slices={"length": Labels.of(["1", "2", "2"]), "topic": Labels.of("zzz")})
    some = make("some", {"q1": "a"}, slices={"other": Labels.of("o")})
    aligned = align_items(gold, [new, some])
    units = item_units(aligned, cluster="topic")
    assert units.clusters.tolist() == [0, 1, 0]
    assert {name: labels.names for name, labels in units.slices.items()} == {"topic": ("x", "y"), "length": ("1", "2")}
    assert item_units(aligned, cluster="text").clusters.tolist() == [0, 1, 0]
    assert item_units(aligned).clusters is None
    with pytest.raises(OutscoreError, match="`gold` has no column `page` to cluster by"):
        item_units(aligned, cluster="page")


def test_own_clusters():
    gold = make("gold", {"q1": "a", "q2": "b"}, clusters=Labels.of(["d", "d"]))
    aligned = align_items(gold, [gold])
    assert item_units(aligned).clusters.tolist() == [0, 0]
    assert item_units(aligned, cluster="none").clusters is None


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (
            [{"x1": "a"}],
            "`gold` and `S1` have no item in common: the first ids are `q1` and `x1`.",
        ),
    ],
)
def test_strangers(systems, message):
    with pytest.raises(OutscoreError) as caught:
        align_items(make("gold", {"q1": "a"}), [make(f"S{k}", answers) for k, answers in enumerate(systems, 1)])
    assert caught.value.message == message


def test_conflicting_copies():
    twice = Items("new", Labels.of(["q1", "q2", "q1"]), Labels.of(["a", "b", "b"]))
    with pytest.raises(OutscoreError) as caught:
        align_items(make("gold", {"q1": "a"}), [twice])
    assert caught.value.message == "`new`, row 3: item `q1` has the answer `b`, but `a` in `new`, row 1."


def test_right_answers_beside_the_answers_are_checked_and_not_used():
    ids = {"q1": "a", "q2": "b"}
    one = make("one", ids, gold=Labels.of(["a", "a"]))
    two = Items("two", Labels.of(["q2", "q1"]), Labels.of(["a", "a"]), gold=Labels.of(["b", "b"]))
    aligned = align_items(make("gold", {"q1": "a", "q2": "a"}), [one, two])
    assert item_units(aligned).correct.tolist() == [[True, True], [False, True]]
    assert [found.conflicts for found in aligned.alignments] == [0, 2]


def test_lines_are_not_ids(tmp_path, monkeypatch):
    """One file needs no ids, two files do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("gold,prediction\nx,x\ny,x\n")
    (tmp_path / "b.csv").write_text("gold,prediction\nx,y\ny,y\n")
    one, two = read_labels("a.csv"), read_labels("b.csv")
    gold = replace(one, name="gold", answers=one.gold, gold=None)
    assert item_units(align_items(gold, [one])).correct.tolist() == [[True], [False]]
    with pytest.raises(OutscoreError) as caught:
        align_items(gold, [one, two])
    assert caught.value.message == "`a.csv` has no item column: its answers cannot be matched with those of another file."

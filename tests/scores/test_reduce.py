"""One score of an item's runs: against listing all choices of K runs, and what is refused."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.core.reduction import Reduction, parse_reduction, pass_rate
from outscore.core.rows import Repeats
from outscore.scores.align import align_pair
from outscore.scores.panel import panel_of
from outscore.scores.reduce import BY_SCORES, UsedRuns, first_runs, reduce_runs
from outscore.scores.system import Labels, Scores


def system(name: str, runs: dict[str, list[float]], answers: dict[str, list[str]] | None = None) -> Scores:
    rows = [(item, str(i + 1), x) for item, values in runs.items() for i, x in enumerate(values)]
    said = None if answers is None else Labels.of(answer for item in runs for answer in answers[item])
    ids, repeats = (Labels.of(row[k] for row in rows) for k in (0, 1))
    return Scores(name, np.array([row[2] for row in rows]), ids, repeats, answers=said)


def reduced(runs: dict[str, list[float]], how: str, answers: dict[str, list[str]] | None = None) -> dict[str, float]:
    found = reduce_runs([system("new", runs, answers)], parse_reduction(how)).scores[0]
    return dict(zip(found.ids.texts(), found.values.tolist(), strict=True))


@given(runs=st.lists(st.integers(0, 1), min_size=1, max_size=7), data=st.data())
def test_pass_rates_are_shares_of_all_choices(runs, data):
    k = data.draw(st.integers(1, len(runs)))
    choices = list(itertools.combinations(runs, k))
    assert pass_rate("pass@", len(runs), sum(runs), k) == Fraction(sum(any(c) for c in choices), len(choices))
    assert pass_rate("pass^", len(runs), sum(runs), k) == Fraction(sum(all(c) for c in choices), len(choices))


def test_every_reduction():
    runs = {"q1": [1, 0, 0, 1], "q2": [0, 0, 0, 1], "q3": [1, 1, 1, 1]}
    assert reduced(runs, "pass@1") == {"q1": 0.5, "q2": 0.25, "q3": 1.0}
    assert reduced(runs, "pass@2") == pytest.approx({"q1": 5 / 6, "q2": 0.5, "q3": 1.0})
    assert reduced(runs, "pass^2") == pytest.approx({"q1": 1 / 6, "q2": 0.0, "q3": 1.0})
    assert reduced(runs, "max") == {"q1": 1, "q2": 1, "q3": 1}
    assert reduced(runs, "min") == {"q1": 0, "q2": 0, "q3": 1}
    assert reduced(runs, "majority") == {"q1": 0.5, "q2": 0.0, "q3": 1.0}
    assert reduced({"q1": [0.2, 0.7], "q2": [0.5, 0.1]}, "max") == {"q1": 0.7, "q2": 0.5}


def test_the_majority_of_answers_is_not_that_of_right_ones():
    """Two of five runs agree on the right answer, the wrong ones on none; a tie is worth its share of right answers."""
    runs = {"q1": [1, 1, 0, 0, 0], "q2": [1, 1, 0, 0, 0]}
    answers = {"q1": ["7", "7", "3", "4", "5"], "q2": ["7", "7", "3", "3", "5"]}
    assert reduced(runs, "majority", answers) == {"q1": 1.0, "q2": 0.5}
    assert reduced(runs, "majority") == {"q1": 0.0, "q2": 0.0}
    assert not reduce_runs([system("new", runs, answers)], Reduction("majority")).notes
    assert [note.text for note in reduce_runs([system("new", runs)], Reduction("majority")).notes] == [BY_SCORES]


@pytest.mark.parametrize("text", ["pass@0", "pass@", "pass@1.5", "pass@-1", "pass%2", "median", "", None, 3])
def test_what_is_no_reduction_is_refused(text):
    with pytest.raises(OutscoreError, match="`reduce` is") as refusal:
        parse_reduction(text)
    assert refusal.value.parameter == "reduce"


def test_more_runs_than_there_are_is_refused_with_the_item():
    with pytest.raises(OutscoreError, match="`new` has 2 runs of item `q2`, and pass@3 needs 3") as refusal:
        reduced({"q1": [1, 0, 1], "q2": [1, 0]}, "pass@3")
    assert refusal.value.hint == "Choose a K of at most 2."


@pytest.mark.parametrize("how", ["pass@2", "pass^2", "majority"])
def test_graded_runs_are_neither_right_nor_wrong(how):
    with pytest.raises(OutscoreError, match=r"row 2: .* right or wrong, 1 or 0, but this one scores 0.5"):
        reduced({"q1": [1, 0.5]}, how)


def behind(found: UsedRuns) -> Repeats:
    """What is known of the runs behind the reduced scores of two systems."""
    aligned = replace(align_pair(found.scores), behind=align_pair(found.before), reduced="reduced")
    return panel_of(aligned, "mean").repeats


@pytest.mark.parametrize("how", ["max", "min", "majority"])
def test_unequally_many_runs_bias_the_best_one(how):
    both = [system("new", {"q1": [1, 0], "q2": [1, 0, 1]}), system("old", {"q1": [1, 0], "q2": [1]})]
    with pytest.raises(OutscoreError, match="`new` has 3 runs of item `q2` and `old` 1") as refusal:
        reduce_runs(both, parse_reduction(how))
    assert "--equal-runs" in refusal.value.hint
    used = first_runs(both)
    kept, notes = used.scores, used.notes
    assert [one.values.tolist() for one in kept] == [[1, 0, 1], [1, 0, 1]]
    assert notes[0].text.startswith("2 rows were left out")
    assert not behind(reduce_runs(kept, parse_reduction(how))).unequal
    assert list(first_runs(kept).notes) == []


def test_unequally_many_runs_leave_pass_rates_unbiased_and_are_noted():
    found = reduce_runs([system("new", {"q1": [1, 0, 1]}), system("old", {"q1": [1, 0], "q2": [1, 1]})], Reduction("pass@", 2))
    assert (behind(found).unequal, behind(found).times) == (True, (3.0, 2.0))
    assert "--equal-runs" in found.notes[0].text


def test_runs_need_items_that_come_twice():
    with pytest.raises(OutscoreError, match="There are no repeats"):
        reduced({"q1": [1], "q2": [0]}, "pass@2")
    with pytest.raises(OutscoreError, match="no item ids"):
        reduce_runs([Scores("new", np.array([1, 0]))], Reduction("max"))
    counts = Scores("new", np.array([[1, 2], [0, 1]]), Labels.of(["q1", "q1"]), Labels.of("12"))
    with pytest.raises(OutscoreError, match="contains counts"):
        reduce_runs([counts], Reduction("max"))


def test_items_of_two_datasets_are_two_items():
    ids, sets = Labels.of(["q1", "q1", "q1", "q1"]), Labels.of(["x", "x", "y", "y"])
    scores = Scores("new", np.array([1, 0, 0, 0]), ids, Labels.of("1212"), datasets=sets)
    found = reduce_runs([scores], Reduction("max")).scores[0]
    assert (found.values.tolist(), found.datasets.texts()) == ([1, 0], ["x", "y"])

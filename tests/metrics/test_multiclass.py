"""Scores of many classes against scikit-learn, and in exact arithmetic."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.metrics.outputs import class_counts
from outscore.metrics.registry import METRICS, resolve

ORACLES = {
    "macro-f1": lambda gold, answers: sk.f1_score(gold, answers, average="macro", zero_division=0),
    "weighted-f1": lambda gold, answers: sk.f1_score(gold, answers, average="weighted", zero_division=0),
    "mcc": sk.matthews_corrcoef,
    "kappa": lambda gold, answers: np.nan_to_num(sk.cohen_kappa_score(gold, answers)),
    "balanced-accuracy": sk.balanced_accuracy_score,
}
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def test_every_metric_of_classes_has_an_oracle():
    assert set(ORACLES) == {name for name, entry in METRICS.items() if entry.beside == "classes"}


@pytest.mark.filterwarnings(
    "ignore:A single label was found", "ignore:y_pred contains", "ignore:invalid value", "ignore:`y1`, `y2`"
)
@pytest.mark.parametrize("name", ORACLES)
@given(rows=ROWS)
def test_against_scikit_learn(name, rows):
    gold, answers = np.array(rows).T
    counts = class_counts(gold, answers, 4)
    metric, table, _ = resolve(name, counts, counts)
    totals = table.sum(axis=0)
    assert float(metric.score(totals)) == pytest.approx(float(ORACLES[name](gold, answers)), abs=1e-9)
    assert float(metric.precise([Fraction(int(x)) for x in totals])) == pytest.approx(float(metric.score(totals)), abs=1e-12)


@pytest.mark.parametrize("name", ORACLES)
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30))
def test_two_classes_are_the_table_of_four(name, rows):
    """Where both classes occur; of a class that never does, macro-F1 of a 2 × 2 table counts the 0."""
    gold, answers = np.array([*rows, (0, 1), (1, 0)]).T
    four = np.stack([gold & answers, (1 - gold) & answers, gold & (1 - answers), (1 - gold) & (1 - answers)], axis=1)
    scores = []
    for table in (class_counts(gold, answers, 2), four):
        metric, own, _ = resolve(name, table, table)
        scores.append(float(metric.score(own.sum(axis=0))))
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)


def test_what_is_not_answered_belongs_to_no_class():
    gold, answers = np.array([0, 0, 1, 2]), np.array([0, -1, 1, -1])
    counts = class_counts(gold, answers, 3)
    assert counts.sum(axis=0).tolist() == [1, 1, 0, 1, 1, 0, 2, 1, 1]
    metric, table, _ = resolve("macro-f1", counts, counts)
    assert metric.precise([Fraction(int(x)) for x in table.sum(axis=0)]) == (Fraction(2, 3) + 1 + 0) / 3


def test_groups_add_up():
    rng = np.random.default_rng(0)
    gold, answers, groups = rng.integers(0, 3, (3, 50))
    assert (class_counts(gold, answers, 3, groups).sum(axis=0) == class_counts(gold, answers, 3).sum(axis=0)).all()


@pytest.mark.parametrize("name", ORACLES)
def test_other_processes_can_be_given_the_metric(name):
    _, metric = METRICS[name].many(9)
    totals = np.array([3, 2, 1, 5, 4, 1, 4, 3, 3])
    assert pickle.loads(pickle.dumps(metric)).score(totals) == metric.score(totals)  # noqa: S301 - our own bytes


def test_counts_that_cannot_be_are_refused():
    rows = np.array([[1, 0, 0, 1, 1, 0]])
    with pytest.raises(OutscoreError, match="more right answers of a class than answers of it"):
        resolve("macro-f1", rows, rows)
    with pytest.raises(OutscoreError, match="cannot use rows of 5 numbers"):
        resolve("macro-f1", rows[:, :5], rows[:, :5])


@pytest.fixture(scope="module")
def few_kinds():
    """40 items that differ, swapped one after the other in a table of sums: each difference with its number of swaps."""
    kinds = [(0, 0, 1, 14), (1, 1, 0, 7), (0, 1, 0, 8), (2, 2, 0, 6), (1, 2, 1, 5), (2, 2, 2, 20)]  # gold, A, B, items
    gold, a, b = np.array([row for *row, items in kinds for _ in range(items)]).T
    metric, rows_a, rows_b = resolve("macro-f1", class_counts(gold, a, 3), class_counts(gold, b, 3))
    ways = Counter({tuple([0] * rows_a.shape[1]): 1})
    for x, y in zip(rows_a.tolist(), rows_b.tolist(), strict=True):
        after = Counter()
        for sums, count in ways.items():
            for side in (x, y) if x != y else (x,):
                after[tuple(s + z for s, z in zip(sums, side, strict=True))] += count
        ways = after
    whole = (rows_a + rows_b).sum(axis=0).tolist()

    def ahead(sums):
        halves = (sums, [w - s for w, s in zip(whole, sums, strict=True)])
        ours, theirs = (metric.precise([Fraction(x) for x in half]) for half in halves)
        return ours - theirs

    law = Counter()
    for sums, count in ways.items():
        law[ahead(sums)] += count
    return metric, rows_a, rows_b, ahead(rows_a.sum(axis=0).tolist()), law


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_many_items_of_few_kinds_are_counted(few_kinds, alternative):
    """Whole numbers and fractions throughout."""
    metric, rows_a, rows_b, observed, law = few_kinds
    assert observed > 0
    if alternative == "two-sided":
        extreme = sum(count for gap, count in law.items() if abs(gap) >= observed)
    else:
        extreme = sum(count for gap, count in law.items() if gap >= observed)
    p = osc.permutation_test(rows_a, rows_b, metric=metric, alternative=alternative)
    assert (p.method, p.kernel, p.n) == ("exact", "enumeration", 60)
    assert p.value == pytest.approx(float(Fraction(extreme, 2**40)), rel=1e-14)

"""What each metric says of known counts, against independent implementations."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.inference.base.differences import exact_score
from outscore.metrics.registry import COUNTS as METRICS_OF_COUNTS
from outscore.metrics.registry import resolve

EXPECTED = {
    # tp, fp, fn, tn = 6, 2, 1, 11; by hand
    "accuracy": Fraction(17, 20),
    "error-rate": Fraction(3, 20),
    "f1": Fraction(12, 15),
    "fbeta": Fraction(12, 15),
    "precision": Fraction(6, 8),
    "recall": Fraction(6, 7),
    "jaccard": Fraction(6, 9),
    "mcc": (6 * 11 - 2 * 1) / math.sqrt(8 * 7 * 13 * 12),
    "balanced-accuracy": (Fraction(6, 7) + Fraction(11, 13)) / 2,
    "kappa": Fraction(2 * (6 * 11 - 2 * 1), 8 * 13 + 7 * 12),
    "macro-f1": (Fraction(12, 15) + Fraction(22, 25)) / 2,
    "weighted-f1": (7 * Fraction(12, 15) + 13 * Fraction(22, 25)) / 20,
}
COUNTS = np.array([[2, 1, 0, 5], [4, 1, 1, 6]])


def score_of(metric: str, rows: np.ndarray) -> float:
    additive, a, _ = resolve(metric, rows, rows)
    return float(additive.score(a.sum(axis=0)))


def test_every_metric_of_counts_is_here():
    assert set(EXPECTED) == {entry.name for entry in METRICS_OF_COUNTS}


@pytest.mark.parametrize("metric", EXPECTED)
def test_scores_by_hand(metric):
    assert score_of(metric, COUNTS) == pytest.approx(float(EXPECTED[metric]), rel=1e-15)


@settings(max_examples=60)
@given(beta=st.sampled_from(["1/2", "2", "0.1", "3"]), counts=st.tuples(*[st.integers(0, 50)] * 3))
def test_fbeta_against_its_definition(beta, counts):
    """(1 + β²)·P·R / (β²·P + R), wherever precision and recall exist."""
    tp, fp, fn = counts
    if tp == 0:
        return
    b2 = float(Fraction(beta)) ** 2
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    expected = (1 + b2) * precision * recall / (b2 * precision + recall)
    assert score_of(f"fbeta:beta={beta}", np.array([counts])) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=60)
@given(gold=st.lists(st.booleans(), min_size=2, max_size=30), data=st.data())
def test_mcc_against_numpy_correlation(gold, data):
    """Matthews' coefficient is the correlation of two 0/1 columns."""
    answers = data.draw(st.lists(st.booleans(), min_size=len(gold), max_size=len(gold)))
    if len(set(gold)) == len(set(answers)) == 2:
        rows = osc.confusion(gold, answers, positive=True)
        assert score_of("mcc", rows) == pytest.approx(np.corrcoef(gold, answers)[0, 1], abs=1e-12)


@settings(max_examples=80)
@given(totals=st.tuples(*[st.integers(0, 10**9)] * 4))
@pytest.mark.parametrize("metric", ["mcc", "balanced-accuracy", "kappa", "macro-f1"])
def test_floats_against_exact_arithmetic(metric, totals):
    """Counts up to a billion: products of four of them pass 2**63, and 0/0 is 0 in both."""
    additive, a, _ = resolve(metric, np.array([totals]), np.array([totals]))
    exact = exact_score(additive, [Fraction(t) for t in totals])
    assert float(additive.score(a.sum(axis=0))) == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("metric", ["mcc", "balanced-accuracy", "kappa", "macro-f1"])
def test_what_rounding_leaves_of_nothing_is_nothing(metric):
    """Taking .1 three times out of .3 leaves less than 0, which no root and no warning may come of."""
    totals = np.array([0.3, 0.0, 0.5, 1.0])
    additive, _, _ = resolve(metric, np.ones((1, 4), dtype=int), np.ones((1, 4), dtype=int))
    rest = totals - 3 * np.array([0.1, 0.0, 0.0, 0.0])
    assert -1e-16 < rest[0] < 0
    assert float(additive.score(rest)) == pytest.approx(float(additive.score(np.array([0.0, 0.0, 0.5, 1.0]))), abs=1e-9)


@pytest.mark.parametrize("metric", EXPECTED)
def test_nothing_counted_scores_zero(metric):
    assert score_of(metric, np.zeros((3, 4), dtype=int)) == 0.0


def test_weighted_mean():
    rows = np.array([[0.5, 2.0], [0.25, 1.0], [9.0, 0.0]])
    assert score_of("weighted-mean", rows) == pytest.approx(1.25 / 3)


@pytest.mark.parametrize("digits", [1, 7, 12, 16])
def test_weighted_mean_of_many_digits(digits):
    """Products of whole numbers of twelve digits do not fit into 64 bits."""
    rng = np.random.default_rng(digits)
    scores, weights = rng.random(10).round(digits), np.array([2, 1, 0.5, 3, 1, 1, 2, 2, 1, 0.25])
    exact = sum(Fraction(x) * Fraction(w) for x, w in zip(scores.tolist(), weights.tolist(), strict=True))
    assert score_of("weighted-mean", np.stack([scores, weights], axis=1)) == pytest.approx(float(exact) / 13.75, rel=1e-14)


def test_mean_and_sum():
    assert score_of("mean", np.array([0.1, 0.2, 0.6])) == pytest.approx(0.3)
    assert score_of("sum", np.array([0.1, 0.2, 0.6])) == pytest.approx(0.9)


@pytest.mark.parametrize("metric", ["accuracy", "error-rate"])
def test_layouts_of_one_metric_agree(metric):
    """0/1 per item, counted pairs and the whole table tell the same score."""
    gold, answers = [1, 0, 1, 1, 0], [1, 1, 0, 1, 0]
    right = np.array([int(g == x) for g, x in zip(gold, answers, strict=True)])
    alone = right if metric == "accuracy" else 1 - right
    counted = np.stack([right, 1 - right] if metric == "accuracy" else [1 - right, np.ones(5, dtype=int)], axis=1)
    assert score_of(metric, alone) == score_of(metric, counted) == score_of(metric, osc.confusion(gold, answers))


@pytest.mark.parametrize("metric", ["f1", "fbeta", "jaccard", "precision", "recall"])
def test_true_negatives_are_left_out(metric):
    assert score_of(metric, COUNTS) == score_of(metric, COUNTS[:, :3])


def test_confusion_against_a_loop():
    rng = np.random.default_rng(0)
    gold, answers = rng.choice(["a", "b", "c"], (2, 50))
    expected = [
        [g == "b" and x == "b", g != "b" and x == "b", g == "b" and x != "b", g != "b" and x != "b"]
        for g, x in zip(gold, answers, strict=True)
    ]
    assert osc.confusion(gold, answers, positive="b").tolist() == np.array(expected).astype(int).tolist()


@pytest.mark.parametrize(
    ("gold", "predicted", "positive"),
    [([1, 0], [1], 1), ([], [], 1), ([0, 0], [0, 0], 1), ([[1, 0]], [[1, 0]], 1), (["a"], ["a"], 1), ([0, 1], [0, 1], [0, 1])],
    ids=["lengths", "empty", "absent", "2-D", "other type", "list"],
)
def test_bad_labels_are_refused(gold, predicted, positive):
    with pytest.raises(osc.OutscoreError):
        osc.confusion(gold, predicted, positive=positive)

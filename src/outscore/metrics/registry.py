"""METRICS: every metric of scores and counts by name: means, accuracy, F1 and its family, and those of the whole 2 × 2 table.

An entry says what it takes, its options, and how rows become its additive columns. Adding a metric is one entry; command line,
docs table and contract tests loop over the registry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric, Precise, moving
from outscore.core.numeric import MAX_EXACT, Array
from outscore.core.options import Option, complete, did_you_mean, parse_spec
from outscore.core.rows import in_order_of
from outscore.exact.numbers import to_exact_integers
from outscore.metrics.entry import Beside, Layout, MetricEntry, Options, divide, linear_layout, require_counts
from outscore.metrics.judged import AGREEMENT, PROBABILITIES
from outscore.metrics.outputs import (
    OF_CLASSES,
    by_class,
    exact,
    numbers,
    precise_correlation,
)

# Metrics of one score per item: mean, sum and weighted mean.


DIRECTION = Option("direction", str, "higher", "whether higher or lower scores are better", ("higher", "lower"))
OF = Option("of", str, "", "what reports call the scores")


def _ratio(name: str, columns: tuple[str, ...], divisor: tuple[int, ...] | None) -> Callable[[Options], AdditiveMetric]:
    """The metric that divides its first column by `divisor`, in the chosen direction."""
    first = tuple(int(i == 0) for i in range(len(columns)))

    def make(options: Options) -> AdditiveMetric:
        better = cast("Literal['higher', 'lower']", options[DIRECTION.name])
        return AdditiveMetric(str(options.get(OF.name) or name), columns, direction=better, ratio=(first, divisor))

    return make


def _anything(table: Array) -> None:
    del table


def _weighted_rows(table: Array) -> Array:
    """(score, weight) rows as (weight · score, weight)."""
    if (table[:, 1] < 0).any():
        row = int((table[:, 1] < 0).argmax())
        raise OutscoreError(f"Row {row + 1} has weight {table[row, 1]:g}.", "Weights are numbers from 0 up.")
    scores, weights = to_exact_integers(table[:, 0]), to_exact_integers(table[:, 1])
    products = table[:, 0] * table[:, 1]
    if scores is not None and weights is not None:
        # Multiplied as whole numbers and divided once, a product of decimals is still recognised as one.
        ((whole,), scale), ((times,), of_weights) = scores, weights
        if float(np.abs(whole).max(initial=0)) * float(times.max(initial=0)) < MAX_EXACT:
            products = whole * times / float(scale * of_weights)
    return np.stack([products, table[:, 1]], axis=1)


SCORES = (
    MetricEntry(
        name="mean",
        summary="mean of the items' scores",
        formula=r"\frac{1}{n} \sum_{i} x_i",
        make=_ratio("mean", ("score", "items"), (0, 1)),
        layouts=lambda _: {1: linear_layout(("score",), ((1, 0), (0, 1)), _anything)},
        options=(DIRECTION, OF),
    ),
    MetricEntry(
        name="sum",
        summary="sum of the items' scores",
        formula=r"\sum_{i} x_i",
        make=_ratio("sum", ("score",), None),
        layouts=lambda _: {1: linear_layout(("score",), ((1,),), _anything)},
        options=(DIRECTION,),
    ),
    MetricEntry(
        name="weighted-mean",
        summary="mean of the items' scores, each with its weight",
        formula=r"\frac{\sum_{i} w_i x_i}{\sum_{i} w_i}",
        make=_ratio("weighted-mean", ("weighted score", "weight"), (0, 1)),
        layouts=lambda _: {2: Layout(("score", "weight"), _weighted_rows)},
        options=(DIRECTION,),
    ),
)


# Metrics of counts: accuracy, F1 and its family, and those that need the whole 2 × 2 table.
#
# Layouts: (n, 2) tp, errors; (n, 3) tp, fp, fn; (n, 4) tp, fp, fn, tn. Nothing assumes that both systems have the same
# gold. Where a score would be 0/0 it is 0.


TWO = ("tp", "errors")
THREE = ("tp", "fp", "fn")
FOUR = ("tp", "fp", "fn", "tn")


def confusion(gold: object, predicted: object, *, positive: object = 1) -> Array:
    """Rows of tp, fp, fn, tn, one for each item of `gold`, from two arrays of labels.

    Series of pandas are matched by the labels of their index, and refused where these differ.

    Examples
    --------
    >>> confusion(["spam", "ham", "spam"], ["spam", "spam", "ham"], positive="spam")
    array([[1, 0, 0, 0],
           [0, 1, 0, 0],
           [0, 0, 1, 0]])
    """
    truth, answer = np.asarray(gold), np.asarray(in_order_of(gold, predicted, "predicted", "`gold`")[0])
    if truth.ndim != 1 or truth.shape != answer.shape:
        raise OutscoreError(
            f"`gold` has shape {truth.shape}, `predicted` {answer.shape}.", "Give two lists of labels of the same length."
        )
    if len(truth) == 0:
        raise OutscoreError("`gold` is empty.", "Give at least one label.")
    is_gold, is_answer = np.asarray(truth == positive), np.asarray(answer == positive)
    if np.asarray(positive).ndim or is_gold.shape != truth.shape or is_answer.shape != answer.shape:
        raise OutscoreError(f"`positive` is {positive!r}, which is not a single label.", "Give one of the labels.")
    if not is_gold.any() and not is_answer.any():
        raise OutscoreError(
            f"The positive label {positive!r} occurs in neither `gold` nor `predicted`.",
            f"The labels are: {', '.join(sorted({str(x) for x in truth.tolist()}))[:200]}.",
        )
    return np.stack([is_gold & is_answer, ~is_gold & is_answer, is_gold & ~is_answer, ~is_gold & ~is_answer], axis=1).astype(
        np.int64
    )


def _count_layouts(columns: tuple[str, ...], *matrix: Sequence[int]) -> dict[int, Layout]:
    return {len(columns): linear_layout(columns, matrix, require_counts)}


def _right_or_wrong(table: Array) -> None:
    bad = ~np.isin(table, (0, 1))
    if bad.any():
        row = int(bad.any(axis=1).argmax())
        raise OutscoreError(
            f"Row {row + 1} is {table[row, 0]:g}, neither 0 nor 1.",
            "Accuracy and error rate of single numbers are for right-or-wrong items; use `mean` for graded scores.",
        )


RIGHT = linear_layout(("correct (0 or 1)",), ((1, 0), (0, 1)), _right_or_wrong)
WRONG = linear_layout(("error (0 or 1)",), ((1, 0), (0, 1)), _right_or_wrong)
TP_ERRORS = {
    **_count_layouts(TWO, (1, 0), (0, 1)),
    **_count_layouts(THREE, (1, 0, 0), (0, 1, 1)),
    **_count_layouts(FOUR, (1, 0, 0, 0), (0, 1, 1, 0)),
}
SHARE_RIGHT = {
    1: RIGHT,
    **_count_layouts(("correct", "wrong"), (1, 0), (1, 1)),
    **_count_layouts(FOUR, (1, 0, 0, 1), (1, 1, 1, 1)),
}
ACCURACY = AdditiveMetric("accuracy", ("correct", "all"), ratio=((1, 0), (0, 1)), bounds=(0.0, 1.0))
WRONG_LABELS = moving(FOUR, {"tp": "fn", "tn": "fp"})
"""What a crash makes of decisions between two labels."""


def _weights(options: Options) -> tuple[int, int]:
    """β² as p²/q² in lowest terms."""
    beta = options["beta"]
    assert isinstance(beta, Fraction)
    return beta.numerator**2, beta.denominator**2


def _fbeta(options: Options) -> AdditiveMetric:
    """F_β = (p² + q²) tp / ((p² + q²) tp + p² fn + q² fp) with β = p/q (van Rijsbergen, 1979)."""
    p2, q2 = _weights(options)
    return AdditiveMetric(
        f"f{options['beta']}",
        ("tp", "weighted errors"),
        ratio=((p2 + q2, 0), (p2 + q2, 1)),
        bounds=(0.0, 1.0),
        emptied=((0, p2), (0, 1)),
    )


def _fbeta_layouts(options: Options) -> dict[int, Layout]:
    p2, q2 = _weights(options)
    return {
        **_count_layouts(THREE, (1, 0, 0), (0, q2, p2)),
        **_count_layouts(FOUR, (1, 0, 0, 0), (0, q2, p2, 0)),
    }


# Scores of the 2 × 2 table, of floats or of fractions.


def _cells(totals: Array) -> Array:
    """True positives, false positives, false negatives and true negatives."""
    return np.moveaxis(numbers(totals), -1, 0)


def _kappa(totals: Array) -> Array:
    """Cohen's κ = 2(tp·tn - fp·fn) / ((tp+fp)(fp+tn) + (tp+fn)(fn+tn))."""
    tp, fp, fn, tn = _cells(totals)
    return divide(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def _balanced_accuracy(totals: Array) -> Array:
    """Mean recall over the classes that occur."""
    tp, fp, fn, tn = _cells(totals)
    return divide(divide(tp, tp + fn) + divide(tn, tn + fp), 1 * (tp + fn > 0) + (tn + fp > 0))


def _macro_f1(totals: Array) -> Array:
    """Mean of the F1 of both classes."""
    tp, fp, fn, tn = _cells(totals)
    return (divide(2 * tp, 2 * tp + fp + fn) + divide(2 * tn, 2 * tn + fp + fn)) / 2


def _weighted_f1(totals: Array) -> Array:
    """The F1 of both classes, each weighted by how often gold has it."""
    tp, fp, fn, tn = _cells(totals)
    both = (tp + fn) * divide(2 * tp, 2 * tp + fp + fn) + (tn + fp) * divide(2 * tn, 2 * tn + fp + fn)
    return divide(both, tp + fp + fn + tn)


def _mcc(totals: Array) -> Array:
    """Matthews' correlation, computed as covariance over both spreads so that large counts do not overflow."""
    tp, fp, fn, tn = _cells(totals)
    # Where items are taken out of totals, rounding may leave less than nothing of a count of none.
    spread = math.prod(np.sqrt(np.maximum(count, 0.0)) for count in (tp + fp, tp + fn, tn + fp, tn + fn))
    return divide(tp * tn - fp * fn, spread)


def _precise_mcc(totals: Sequence[Fraction]) -> Decimal:
    tp, fp, fn, tn = totals
    return precise_correlation(tp * tn - fp * fn, (tp + fp, tp + fn, tn + fp, tn + fn))


def _share(
    name: str,
    errors: str,
    ratio: tuple[tuple[int, int], tuple[int, int]],
    layouts: dict[int, Layout],
    **given: Any,  # noqa: ANN401 - the other fields of the entry
) -> MetricEntry:
    """A share of true positives, which a crash makes `errors`."""
    columns = ("tp", errors)
    metric = AdditiveMetric(name, columns, ratio=ratio, bounds=(0.0, 1.0), emptied=moving(columns, {"tp": errors}))
    return MetricEntry(name, make=lambda _: metric, layouts=lambda _: layouts, **given)


def _of_classes(
    name: str,
    function: Callable[[Array], Array],
    *,
    precise: Callable[[Sequence[Fraction]], Precise] | None = None,
    cells: bool = True,
    **given: Any,  # noqa: ANN401 - the other fields of the entry
) -> MetricEntry:
    """A metric of labels: a function of the 2 × 2 table of two of them, and one of counts by class for more."""
    in_full, (_, least, _) = precise or partial(exact, function), OF_CLASSES[name]
    of_two = AdditiveMetric(name, FOUR, function, precise=in_full, cells=cells, bounds=(least, 1.0), emptied=WRONG_LABELS)
    layouts = _count_layouts(FOUR, (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    return MetricEntry(
        name, make=lambda _: of_two, layouts=lambda _: layouts, many=partial(by_class, name), beside="classes", **given
    )


BETA = Option("beta", Fraction, Fraction(1), "weight of recall: 2 counts it twice as much as precision", minimum=1e-9)

COUNTS = (
    MetricEntry(
        name="accuracy",
        summary="share of correct decisions",
        formula=r"\frac{\text{right}}{\text{right} + \text{wrong}}",
        make=lambda _: ACCURACY,
        layouts=lambda _: SHARE_RIGHT,
    ),
    MetricEntry(
        name="error-rate",
        summary="errors per unit of length, lower is better",
        formula=r"\frac{\text{errors}}{\text{length}}",
        make=lambda _: AdditiveMetric(
            "error-rate",
            ("errors", "length"),
            ratio=((1, 0), (0, 1)),
            direction="lower",
            bounds=(0.0, None),
            emptied=((0, 0), (1, 1)),
        ),
        layouts=lambda _: {
            1: WRONG,
            **_count_layouts(("errors", "length"), (1, 0), (0, 1)),
            **_count_layouts(FOUR, (0, 1, 1, 0), (1, 1, 1, 1)),
        },
    ),
    _share(
        "f1",
        "errors",
        ((2, 0), (2, 1)),
        TP_ERRORS,
        summary="F1 of summed counts (micro-F1)",
        formula=r"\frac{2 \text{tp}}{2 \text{tp} + \text{fp} + \text{fn}}",
        citations=("vanrijsbergen1979",),
    ),
    MetricEntry(
        name="fbeta",
        summary="F-beta of summed counts",
        formula=r"\frac{( 1 + β^2 ) \text{tp}}{( 1 + β^2 ) \text{tp} + \text{fp} + β^2 \text{fn}}",
        citations=("vanrijsbergen1979",),
        make=_fbeta,
        layouts=_fbeta_layouts,
        options=(BETA,),
    ),
    _share(
        "precision",
        "fp",
        ((1, 0), (1, 1)),
        _count_layouts(THREE, (1, 0, 0), (0, 1, 0)) | _count_layouts(FOUR, (1, 0, 0, 0), (0, 1, 0, 0)),
        summary="precision of summed counts, tp / (tp + fp)",
        formula=r"\frac{\text{tp}}{\text{tp} + \text{fp}}",
    ),
    _share(
        "recall",
        "fn",
        ((1, 0), (1, 1)),
        _count_layouts(THREE, (1, 0, 0), (0, 0, 1)) | _count_layouts(FOUR, (1, 0, 0, 0), (0, 0, 1, 0)),
        summary="recall of summed counts, tp / (tp + fn)",
        formula=r"\frac{\text{tp}}{\text{tp} + \text{fn}}",
    ),
    _share(
        "jaccard",
        "errors",
        ((1, 0), (1, 1)),
        TP_ERRORS,
        summary="overlap of summed counts, tp / (tp + fp + fn)",
        formula=r"\frac{\text{tp}}{\text{tp} + \text{fp} + \text{fn}}",
        citations=("jaccard1912",),
    ),
    _of_classes(
        "mcc",
        _mcc,
        precise=_precise_mcc,
        summary="Matthews' correlation coefficient",
        formula=(
            r"\frac{\text{tp} \cdot \text{tn} - \text{fp} \cdot \text{fn}}{\sqrt{( \text{tp} +"
            r" \text{fp} ) ( \text{tp} + \text{fn} ) ( \text{tn} + \text{fp} ) ( \text{tn} +"
            r" \text{fn} )}}"
        ),
        citations=("matthews1975",),
    ),
    _of_classes(
        "balanced-accuracy",
        _balanced_accuracy,
        summary="mean recall over the classes",
        formula=(
            r"\frac{1}{2} ( \frac{\text{tp}}{\text{tp} + \text{fn}} + \frac{\text{tn}}{\text{tn} +"
            r" \text{fp}} )"
        ),
        citations=("brodersen2010",),
    ),
    _of_classes(
        "kappa",
        _kappa,
        summary="Cohen's kappa between prediction and gold",
        formula=r"κ = \frac{p_o - p_e}{1 - p_e}",
        citations=("cohen1960",),
    ),
    _of_classes(
        "macro-f1",
        _macro_f1,
        summary="mean F1 of all classes",
        formula=r"\frac{1}{k} \sum_{c} F_{1}^{c}",
    ),
    _of_classes(
        "weighted-f1",
        _weighted_f1,
        # With gold of its own, a system that is right more often may weigh its worse class more: nothing says that it grows.
        cells=False,
        summary="F1 of all classes, weighted by their size",
        formula=r"\sum_{c} \frac{n_{c}}{n} F_{1}^{c}",
    ),
)


METRICS: dict[str, MetricEntry] = {entry.name: entry for entry in (*SCORES, *COUNTS, *PROBABILITIES, *AGREEMENT)}


def entry_of(metric: object) -> MetricEntry | None:
    """The entry of a metric that is written with its options; None if nobody knows it, or it was made by a caller."""
    return METRICS.get(parse_spec(metric)[0]) if isinstance(metric, str) else None


def beside_of(metric: object) -> Beside:
    """What a metric makes of answers beside right ones; nothing if it is of scores or counts, or unknown.

    Examples
    --------
    >>> [beside_of(metric) for metric in ("macro-f1", "brier", "kendall", "accuracy", None)]
    ['classes', 'probabilities', 'people', '', '']
    """
    entry = entry_of(metric)
    return "" if entry is None else entry.beside


def resolve(
    metric: str | AdditiveMetric, a: Array, b: Array, *, raw: Sequence[Array] = ()
) -> tuple[AdditiveMetric, Array, Array]:
    """The metric and both systems' rows in its own columns.

    Where the rows are item means of `raw` ones, it is these that have to suit the metric: the mean of right and wrong answers
    is neither.

    Examples
    --------
    >>> import numpy as np
    >>> resolve("f1", np.array([[3, 1, 0]]), np.array([[2, 0, 1]]))[1:]
    (array([[3, 1]]), array([[2, 1]]))
    """
    if isinstance(metric, AdditiveMetric):
        return metric, _own_columns(metric, a), _own_columns(metric, b)
    if not isinstance(metric, str):
        raise OutscoreError(f"`metric` is {metric!r}.", "Give a name such as 'f1', or an AdditiveMetric.")
    name, given = parse_spec(metric)
    if name not in METRICS:
        raise OutscoreError(f"There is no metric `{name}`.", did_you_mean(name, METRICS))
    entry = METRICS[name]
    options = complete(name, entry.options, given)
    width = 1 if a.ndim == 1 else a.shape[1]
    layouts = entry.layouts(options)
    found = None if entry.many is None else entry.many(width)
    if found is None and width in layouts:
        found = layouts[width], entry.make(options)
    if found is None:
        raise OutscoreError(
            f"Metric `{name}` cannot use rows of {width} number{'s' if width > 1 else ''}.", f"It takes {entry.layouts_text}."
        )
    layout, additive = found
    for table in raw:
        layout.rows(table.reshape(len(table), width))
    rows = layout.averages if raw and layout.averages is not None else layout.rows
    return additive, rows(a.reshape(len(a), width)), rows(b.reshape(len(b), width))


def _own_columns(metric: AdditiveMetric, rows: Array) -> Array:
    table = rows[:, None] if rows.ndim == 1 else rows
    if table.shape[1] != len(metric.columns):
        raise OutscoreError(
            f"Metric `{metric.name}` has {len(metric.columns)} columns, the rows have {table.shape[1]}.",
            f"Give one number for each of: {', '.join(metric.columns)}.",
        )
    return np.asarray(table)

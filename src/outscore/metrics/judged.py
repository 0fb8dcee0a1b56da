"""Numbers beside right answers: probabilities of a class, and the scores of metrics or judges beside those of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError, RowError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.exact.numbers import to_exact_integers
from outscore.metrics.entry import Layout, MetricEntry, Options

# Probabilities: each item's score follows from the probability of the positive class and from whether that was right, so
# that the score is a mean over items.


FEWEST_CLASSES = 3
"""Of fewer, the probability of one says that of the other."""
MAX_SQUARED = 1 << 26
"""Whole numbers up to this have squares that floats hold."""
MAX_LEAST = 0.5


def _check_least(name: str, least: object) -> None:
    """Refuse what both of two classes would have to be raised to."""
    if not 0 <= float(str(least)) < MAX_LEAST:
        hint = "Give the smallest probability that you take seriously, such as 1e-15."
        raise OutscoreError(f"`{name}` is {least}, but of two probabilities one is below {MAX_LEAST:g}.", hint, parameter=name)


def _check_threshold(name: str, threshold: object) -> None:
    """Refuse what no probability reaches."""
    if not 0 <= float(str(threshold)) <= 1:
        raise OutscoreError(f"`{name}` is {threshold}.", "Give a probability between 0 and 1.", parameter=name)


POSITIVE = Option("positive", str, "", "the class whose probability is given; by default 1, true or yes beside 0, false or no")
THRESHOLD = Option(
    "threshold", float, 0.5, "the probability from which on the positive class counts as the answer", check=_check_threshold
)
LEAST = Option(
    "least", float, 0.0, "raise probabilities below this to it, so that none is infinitely wrong", check=_check_least
)


def _mean(name: str, direction: str, high: float | None) -> AdditiveMetric:
    lower = direction == "lower"
    columns = ("score", "items")
    bounds = (0.0, high)
    return AdditiveMetric(name, columns, direction="lower" if lower else "higher", ratio=((1, 0), (0, 1)), bounds=bounds)


def _probability_layout(score: Callable[[Array, Array], Array]) -> dict[int, Layout]:
    """Rows of a probability and of whether its class is right, as the score of the item and 1."""

    def rows(table: Array) -> Array:
        probability, right = np.asarray(table[:, 0], dtype=float), table[:, 1]
        bad = ~((probability >= 0) & (probability <= 1) & np.isin(right, (0, 1)))
        if bad.any():
            row = int(bad.argmax())
            found = f"has {probability[row]:g} beside {right[row]:g}, which is no probability beside 0 or 1"
            raise RowError.of(row, found, "Give the probability of the positive class, and 1 where that class is right.")
        return np.stack([score(probability, right == 1), np.ones(len(table))], axis=1)

    return {2: Layout(("probability", "right (0 or 1)"), rows)}


def _squares(probability: Array, right: Array) -> Array:
    """(p - y)², multiplied as whole numbers where p is a decimal, so that the square is recognised as one."""
    written = to_exact_integers(probability)
    if written is None or written[1] > MAX_SQUARED:
        return np.asarray((probability - right) ** 2)
    (whole,), scale = written
    return np.asarray((whole - scale * right) ** 2 / scale**2)


def _many_squares(width: int) -> tuple[Layout, AdditiveMetric] | None:
    """Rows of a probability for each class and of which is right, as Σ (p - y)² and 1."""
    classes = width - 1
    if classes < FEWEST_CLASSES:
        return None

    def rows(table: Array) -> Array:
        given, right = np.asarray(table[:, :-1], dtype=float), table[:, -1]
        bad = ~np.isin(right, range(classes)) | ((given < 0) | (given > 1)).any(axis=1)
        if bad.any():
            found = f"is no {classes} probabilities and the place of the right class"
            raise RowError.of(int(bad.argmax()), found, "Give a probability for each class, and the place of the right one.")
        happened = right[:, None] == np.arange(classes)
        return np.stack([_squares(given, happened).sum(axis=1), np.ones(len(table))], axis=1)

    names = (*(f"probability {k + 1}" for k in range(classes)), "right class")
    return Layout(names, rows), _mean("brier", "lower", 2.0)


def _surprises(least: float) -> Callable[[Array, Array], Array]:
    """-ln of the probability that the right class was given."""

    def score(probability: Array, right: Array) -> Array:
        given = np.maximum(np.where(right, probability, 1 - probability), least)
        if (given == 0).any():
            cure = "Use --metric brier, or say how small a probability may be: --metric log-loss:least=1e-15."
            raise RowError.of(int((given == 0).argmax()), "gives probability 0 to what is right: log-loss is infinite", cure)
        return np.asarray(-np.log(given))

    return score


PROBABILITIES = (
    MetricEntry(
        name="brier",
        summary="mean squared error of probabilities (Brier score), lower is better",
        formula=r"\frac{1}{n} \sum_{i} ( p_i - y_i )^2",
        citations=("brier1950",),
        make=lambda _: _mean("brier", "lower", 1.0),
        layouts=lambda _: _probability_layout(_squares),
        many=_many_squares,
        options=(POSITIVE,),
        beside="probabilities",
    ),
    MetricEntry(
        name="log-loss",
        summary="mean of -ln of the probability given to what is right, lower is better",
        formula=r"- \frac{1}{n} \sum_{i} \text{ln} p ( y_i )",
        citations=("good1952",),
        make=lambda _: _mean("log-loss", "lower", None),
        layouts=lambda options: _probability_layout(_surprises(float(str(options["least"])))),
        options=(POSITIVE, LEAST),
        beside="probabilities",
    ),
    MetricEntry(
        name="accuracy-at",
        summary="share of right answers where a probability from the threshold on is one for the positive class",
        formula=r"\frac{1}{n} \sum_{i} [ ( p_i ≥ t ) = y_i ]",
        make=lambda _: _mean("accuracy-at", "higher", 1.0),
        layouts=lambda options: _probability_layout(
            lambda probability, right: ((probability >= float(str(options["threshold"]))) == right).astype(float)
        ),
        options=(POSITIVE, THRESHOLD),
        beside="probabilities",
    ),
    MetricEntry(
        name="auc",
        summary="area under the ROC curve: share of pairs of a positive and a negative item in the right order, ties half",
        formula=r"\frac{1}{n_1 n_0} \sum_{i} \sum_{j} ( [ x_i > y_j ] + \frac{1}{2} [ x_i = y_j ] )",
        citations=("bandos2005", "delong1988"),
        make=lambda _: _auc(),
        layouts=lambda _: {2: Layout(("score", "positive (0 or 1)"), _auc_layout)},
        options=(POSITIVE,),
        beside="probabilities",
    ),
)


# The area under the ROC curve: the share of pairs of a positive and a negative item whose scores are in the right order, ties
# half. It is no mean over items, but the difference of two systems under swaps is. Scores are exchanged as mid-ranks within
# each system, for no two systems need have one scale (Bandos, Rockette and Gur, 2005). With coins ε = ±1 of a positive item i
# and a negative item j, and ψ(x, y) = 1, ½ or 0, what the pair (i, j) adds to AUC(A) - AUC(B) is
#
#     ε_i (e - f)/2 + ε_j (e + f)/2,   e = ψ(A_i, A_j) - ψ(B_i, B_j),   f = ψ(B_i, A_j) - ψ(A_i, B_j)
#
# for all four ways of swapping: a sum of one term for each item, so that the permutation test is exact as that of a mean.
# An item's term is (pooled rank of its score in A, among the items of the other class in both systems) minus the same in B.


AUC_COLUMNS = ("score", "weight", "own", "rank")
"""An item's term of the AUC, the common denominator, its pseudo-value, and twice its mid-rank, negative for negative items."""


def _midranks(scores: Array) -> Array:
    """Twice the rank of each score, equal scores having the mean of theirs."""
    ordered = np.sort(scores)
    return np.asarray(np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right") + 1)


def _above(scores: Array, others: Array) -> Array:
    """How many of the others each score exceeds, twice; one for each that it equals."""
    ordered = np.sort(others)
    return np.asarray(np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right"))


def _below(scores: Array, others: Array) -> Array:
    return 2 * len(others) - _above(scores, others)


def _placements(rank: Array) -> Array:
    """Twice the number of items of the other class that each item is on the right side of."""
    size, positive = np.abs(rank), rank > 0
    placed = np.zeros(len(rank), dtype=np.int64)
    placed[positive] = _above(size[positive], size[~positive])
    placed[~positive] = _below(size[~positive], size[positive])
    return placed


def _auc_layout(table: Array) -> Array:
    """Rows of a score and of whether the item is positive, in the columns of the AUC."""
    bad = ~np.isin(table[:, 1], (0, 1))
    if bad.any():
        row = int(bad.argmax())
        raise RowError.of(row, f"has {table[row, 1]:g} beside its score, not 0 or 1", "Give 1 for positive items.")
    # A single row stands for the shape of a table.
    if len(table) > 1 and len(np.unique(table[:, 1])) < 2:
        _refuse_one_class()
    rank = np.where(table[:, 1] == 1, 1, -1) * _midranks(table[:, 0])
    return _own_auc(rank)


def _refuse_one_class() -> NoReturn:
    raise OutscoreError(
        "All items are of one class, so none can be ranked above those of the other.",
        "Give items of both classes, or choose another metric.",
        parameter="metric",
    )


def _own_auc(rank: Array) -> Array:
    """Each item's pseudo-value AUC + n/n₁ (V - AUC) in whole numbers, whose mean is the AUC and whose spread is DeLong's."""
    positive = rank > 0
    n, n1 = len(rank), int(positive.sum())
    pairs = n1 * (n - n1)
    if not pairs:
        return np.zeros((n, len(AUC_COLUMNS)), dtype=np.int64)
    placed = _placements(rank)
    twice = int(placed[positive].sum())
    area, others = twice / (2 * pairs), np.where(positive, n - n1, n1)
    own = area + n / (n - others) * (placed / (2 * others) - area)
    whole = np.rint(own * 8 * pairs).astype(np.int64)
    # What rounding left over of the sum, which is that of the AUC.
    rest = n * 4 * twice - int(whole.sum())
    whole[: abs(rest)] += np.sign(rest)
    return np.stack([whole, np.full(n, 8 * pairs), whole, rank], axis=1)


def _joint_auc(a: Array, b: Array) -> tuple[Array, Array]:
    """The rows of two systems on the same items, whose differences are the items' terms, times their number."""
    ranks = [np.sign(rows[:, 3]) * _midranks(np.abs(rows[:, 3])) for rows in (a, b)]
    own_a, own_b = (_own_auc(rank) for rank in ranks)
    positive, n = ranks[0] > 0, len(a)
    if not own_a[:, 1].all():
        _refuse_one_class()
    if ((ranks[1] > 0) != positive).any():
        row = int(((ranks[1] > 0) != positive).argmax())
        raise OutscoreError(
            f"Item {row + 1} is positive for one system and negative for the other.",
            "Give both systems the same right answers.",
        )
    sizes = [np.abs(rank) for rank in ranks]
    terms = np.zeros(n, dtype=np.int64)
    for place, turn in ((0, 1), (1, -1)):
        for other in sizes:
            terms[positive] += turn * _above(sizes[place][positive], other[~positive])
            terms[~positive] += turn * _below(sizes[place][~positive], other[positive])
    middle = (int(own_a[:, 0].sum()) + int(own_b[:, 0].sum())) // (2 * n)
    own_a[:, 0], own_b[:, 0] = middle + n * terms, middle - n * terms
    return own_a, own_b


def _auc() -> AdditiveMetric:
    """The mean of the first column over the second."""
    bottom = (0, 1, 0, 0)
    alone = AdditiveMetric("auc", AUC_COLUMNS, ratio=((0, 0, 1, 0), bottom), graded=True, bounds=(0.0, 1.0))
    return AdditiveMetric(
        "auc",
        AUC_COLUMNS,
        ratio=((1, 0, 0, 0), bottom),
        graded=True,
        bounds=(0.0, 1.0),
        joint=_joint_auc,
        alone=alone,
        stake=lambda rows: len(rows) / min(int((rows[:, 3] > 0).sum()), int((rows[:, 3] < 0).sum())),
    )


def delong(a: Array, b: Array) -> tuple[float, float] | None:
    """The difference of two AUCs, from rows of scores and gold, and its standard error; None with fewer than two of a class.

    Source: DeLong, DeLong and Clarke-Pearson (1988).

    Examples
    --------
    >>> rows = np.array([[0.9, 1], [0.4, 1], [0.6, 1], [0.5, 0], [0.1, 0], [0.2, 0]])
    >>> found = delong(rows, rows[:, [1, 1]] * [0.5, 1])
    >>> [round(x, 4) for x in found]
    [-0.1111, 0.1571]
    """
    ranks = [_auc_layout(rows)[:, 3] for rows in (a, b)]
    positive = ranks[0] > 0
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if min(n1, n0) < 2:
        return None
    gaps = (_placements(ranks[0]) - _placements(ranks[1])) / 2
    of_positive, of_negative = gaps[positive] / n0, gaps[~positive] / n1
    error = float(of_positive.var(ddof=1) / n1 + of_negative.var(ddof=1) / n0) ** 0.5
    return float(of_positive.mean()), error


# Agreement with people: the outputs of several systems on each item have a score by a metric (or judge) and one by people.
#
# All of an item's outputs are one row, because swapping two metrics on an item exchanges how they score all of its outputs.
# Where the agreement is a mean over items nothing else is needed. A correlation over all outputs, or the order of the
# systems' mean scores, is a function of sums of scores, which two metrics can only exchange on one scale: scores are
# standardised for those.


MANY_OUTPUTS = 2
"""Fewer outputs of an item cannot be ordered."""
SAME_MEAN = 1e-9
"""Means of standardised scores that are closer than this are ties."""
EPSILON = Option("epsilon", float, 0.0, "scores of a metric that differ by no more than this are a tie", minimum=0)
TIES = Option(
    "ties", str, "count", "count pairs that people tie, as agreed on if the metric does too, or skip them", ("count", "skip")
)


def _pairs(scores: Array, people: Array, epsilon: float) -> Iterator[tuple[Array, Array]]:
    """For each pair of outputs the signs of both differences by item, nan where an output is missing."""
    for one, other in combinations(range(scores.shape[1]), 2):
        by_metric = scores[:, one] - scores[:, other]
        by_people = people[:, one] - people[:, other]
        yield np.where(np.abs(by_metric) <= epsilon, 0.0, np.sign(by_metric)), np.sign(by_people)


def _agreed_pairs(scores: Array, people: Array, options: Options) -> Array:
    """The share of pairs of an item's outputs that metric and people order alike, ties included; nan without any.

    Deutsch, Foster and Freitag (2023), section 3: (concordant + tied by both) / all pairs.
    """
    agreed, seen = np.zeros(len(scores)), np.zeros(len(scores))
    for by_metric, by_people in _pairs(scores, people, float(str(options["epsilon"]))):
        there = ~np.isnan(by_people) & ((by_people != 0) | (options["ties"] == "count"))
        agreed += there & (by_metric == by_people)
        seen += there
    return np.asarray(np.divide(agreed, seen, out=np.full(len(seen), np.nan), where=seen > 0))


def _kendall(scores: Array, people: Array, options: Options) -> Array:
    """Kendall's τ_b of each item's outputs: 0 where the metric ties all of them, nan where people do."""
    gap, tied, ranked, both = (np.zeros(len(scores)) for _ in range(4))
    for by_metric, by_people in _pairs(scores, people, float(str(options["epsilon"]))):
        there = ~np.isnan(by_people)
        gap += np.where(there, by_metric * by_people, 0.0)
        both += there
        tied += there & (by_metric == 0)
        ranked += there & (by_people != 0)
    size = np.sqrt((both - tied) * ranked)
    tau = np.divide(gap, size, out=np.zeros(len(gap)), where=size > 0)
    return np.where(ranked > 0, tau, np.nan)


def _standardised(scores: Array) -> Array:
    """Mean 0 and standard deviation 1 over all outputs; scores that are all the same stay 0."""
    spread = float(np.nanstd(scores))
    return np.asarray((scores - np.nanmean(scores)) / (spread or 1.0))


def _moments(scores: Array, people: Array, options: Options) -> Array:
    """Each item's number of outputs, and its sums behind a correlation."""
    del options
    x, y = _standardised(scores), _standardised(people)
    columns = (np.where(np.isnan(x), np.nan, 1.0), x, y, x * x, y * y, x * y)
    return np.stack([np.nansum(column, axis=1) for column in columns], axis=1)


def _pearson(totals: Array) -> Array:
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(totals, dtype=float), -1, 0)
    size = np.sqrt(np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0))
    return np.asarray(np.divide(n * xy - x * y, size, out=np.zeros(np.shape(size)), where=size > 0))


MOMENTS = ("outputs", "metric", "people", "metric²", "people²", "metric · people")


def _by_output(scores: Array, people: Array, options: Options) -> Array:
    """Each item's scores by the metric, output by output, and then those of people."""
    del options
    if np.isnan(scores).any():
        raise OutscoreError(
            "Some systems lack items, so their mean scores are about different items.",
            "Use `pairwise-accuracy`, which compares outputs item by item, or leave those systems out.",
            parameter="metric",
        )
    return np.concatenate([_standardised(scores), _standardised(people)], axis=1)


def _order_of_systems(totals: Array) -> Array:
    """The share of pairs of systems whose mean scores metric and people order alike (Kocmi et al., 2021)."""
    by_metric, by_people = np.split(np.asarray(totals, dtype=float), 2, axis=-1)
    first, second = np.triu_indices(by_metric.shape[-1], 1)

    def signs(scores: Array) -> Array:
        gaps = scores[..., first] - scores[..., second]
        size = np.abs(scores).max(axis=-1, keepdims=True)
        return np.where(np.abs(gaps) <= SAME_MEAN * np.maximum(size, 1.0), 0.0, np.sign(gaps))

    return np.asarray((signs(by_metric) == signs(by_people)).mean(axis=-1))


def _system_metric(columns: tuple[str, ...]) -> AdditiveMetric:
    return AdditiveMetric("system-accuracy", columns, _order_of_systems, steps=True, bounds=(0.0, 1.0))


def _system_accuracy(width: int) -> tuple[Layout, AdditiveMetric] | None:
    outputs, rest = divmod(width, 2)
    if rest or outputs < MANY_OUTPUTS:
        return None
    columns = tuple(f"{who} {k + 1}" for who in ("metric", "people") for k in range(outputs))
    return Layout(columns, np.asarray), _system_metric(columns)


def _own_score(name: str, column: str, low: float) -> dict[int, Layout]:
    """One score of an item in a column, and 1."""

    def rows(table: Array) -> Array:
        if ((table < low) | (table > 1)).any():
            raise OutscoreError(f"{name} of an item lies between {low:g} and 1.", "Give a table of outputs instead.")
        return np.concatenate([table, np.ones_like(table)], axis=1)

    return {1: Layout((column,), rows)}


AGREEMENT = (
    MetricEntry(
        name="pairwise-accuracy",
        summary="agreement with people: mean share of the pairs of an item's outputs that are ordered alike, ties included",
        formula=r"\frac{1}{n} \sum_{i} \frac{\text{concordant}_{i} + \text{tied by both}_{i}}{\text{pairs}_{i}}",
        citations=("deutsch2023",),
        make=lambda _: _mean("pairwise-accuracy", "higher", 1.0),
        layouts=lambda _: _own_score("pairwise-accuracy", "share of pairs", 0.0),
        options=(EPSILON, TIES),
        beside="people",
        items=_agreed_pairs,
    ),
    MetricEntry(
        name="kendall",
        summary="agreement with people: mean over items of Kendall's tau-b between the scores of their outputs",
        formula=r"\frac{1}{n} \sum_{i} τ_b ( i )",
        citations=("kendall1945",),
        make=lambda _: AdditiveMetric("kendall", ("score", "items"), ratio=((1, 0), (0, 1)), bounds=(-1.0, 1.0)),
        layouts=lambda _: _own_score("kendall", "tau-b", -1.0),
        options=(EPSILON,),
        beside="people",
        items=_kendall,
    ),
    MetricEntry(
        name="pearson",
        summary="agreement with people: Pearson's correlation over all outputs",
        formula=r"r = \frac{\sum ( x - \bar{x} ) ( y - \bar{y} )}{\sqrt{\sum ( x - \bar{x} )^2 \sum ( y - \bar{y} )^2}}",
        citations=("deutsch2021",),
        make=lambda _: AdditiveMetric("pearson", MOMENTS, _pearson, bounds=(-1.0, 1.0)),
        layouts=lambda _: {len(MOMENTS): Layout(MOMENTS, np.asarray)},
        beside="people",
        items=_moments,
    ),
    MetricEntry(
        name="system-accuracy",
        summary="agreement with people: share of the pairs of systems whose mean scores are ordered alike",
        formula=r"\frac{\text{pairs of systems ordered alike}}{\text{pairs of systems}}",
        citations=("kocmi2021", "deutsch2021"),
        make=lambda _: _system_metric(("metric 1", "metric 2", "people 1", "people 2")),
        layouts=lambda _: {},
        many=_system_accuracy,
        beside="people",
        items=_by_output,
    ),
)

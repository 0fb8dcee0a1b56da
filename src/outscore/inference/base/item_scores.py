"""One score per item and system, for the tests that need it, and how lopsided their differences are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, median, quantiles
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact.numbers import to_exact_integers
from outscore.results.note import Note

ULPS = 4
"""Two subtractions of rounded numbers stay this close, in units of the last place of the larger number."""
MIN_LARGE_SAMPLE = 50
"""With fewer units large-sample tests reject too often."""
SKEWED = 1.0
"""From here on differences are highly skewed, by Bulmer's rule of thumb."""
COCHRAN = 25
"""The mean of n numbers of skewness γ is normal enough from n = 25 γ² on."""
BULK = 0.25
"""Half of the numbers within so little of the standard deviation are a bulk that does not vary: the others are rare events."""


@dataclass(frozen=True)
class ItemScores:
    """Scores of both systems per item (repeats averaged), in the metric's own unit.

    `d` is a - b; where the numbers were recognised as written it comes from whole numbers, `whole` = d ·
    `scale`, so that equal differences are equal and ties are ties. `clusters` are codes per item, or None.
    `orientation` is -1 where lower is better.
    """

    a: Array
    b: Array
    d: Array
    whole: Array | None
    scale: int
    clusters: Array | None
    orientation: int

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.d)

    def minus(self, delta: float) -> tuple[Array, Array | None]:
        """d - δ, and the same in whole numbers where δ can be written in them too (then with a finer scale).

        Without whole numbers, sizes that rounding alone keeps apart are made equal: their ties count too.
        """
        if not delta and self.whole is not None:
            return self.d, self.whole
        if self.whole is not None:
            finer = to_exact_integers(self.whole / self.scale, np.array([delta]))
            if finer is not None:
                (d, shift), scale = finer
                whole = d - int(shift[0])
                return whole / scale, whole
        size = np.maximum(np.maximum(np.abs(self.a), np.abs(self.b)), abs(delta))
        return _with_ties(self.d - delta, ULPS * np.spacing(size)), None


def _with_ties(d: Array, slack: Array) -> Array:
    """The same numbers, with sizes that lie no further apart than their slack made equal, or 0 where that is in reach."""
    sizes = np.concatenate([[0.0], np.abs(d)])
    order = np.argsort(sizes, kind="stable")
    ordered, room = sizes[order], np.concatenate([[0.0], slack])[order]
    apart = np.diff(ordered, prepend=-np.inf) > np.maximum(room, np.concatenate([[0.0], room[:-1]]))
    merged = np.empty_like(sizes)
    merged[order] = ordered[np.maximum.accumulate(np.where(apart, np.arange(len(sizes)), 0))]
    return np.asarray(np.copysign(merged[1:], d))


def item_scores(pairs: PairedScores, metric: AdditiveMetric, test: str) -> ItemScores:
    """The per-item scores behind a mean; a metric that is not one is refused with the name of a test that takes it.

    A sum is refused too: its p would be right, but limits and estimates would be those of the mean per item.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([0.3, 0.5]), np.array([0.1, 0.4]))
    >>> scores = item_scores(PairedScores(a, b), metric, "student")
    >>> scores.d.tolist(), scores.whole.tolist(), scores.scale  # 0.3 - 0.1 is 2/10 and not 0.19999999999999998
    ([0.2, 0.1], [2, 1], 10)
    """
    if is_sum(metric):
        raise OutscoreError(
            f"`{test}` compares scores per item, but {metric.name} is a sum over the items.",
            "Use the metric `mean`, or the test `permutation` or `bootstrap`, which take sums.",
        )
    scores = scores_if_any(pairs, metric)
    if scores is None:
        raise OutscoreError(
            f"`{test}` needs one score per item, but {metric.name} is not a mean of such scores here.",
            "Use `permutation` or `bootstrap`, which take any metric.",
        )
    return scores


def is_sum(metric: AdditiveMetric) -> bool:
    """Whether the metric adds scores up and divides by nothing."""
    return metric.ratio is not None and metric.ratio[1] is None


def with_exact_integers(pairs: PairedScores) -> PairedScores:
    """The same pairs in whole numbers, where they can be read back as what people wrote.

    Examples
    --------
    >>> pairs = with_exact_integers(PairedScores(np.array([[0.1], [0.25]]), np.array([[0.3], [0.5]])))
    >>> pairs.a.tolist(), pairs.b.tolist(), pairs.scale
    ([[10], [25]], [[30], [50]], 100)
    """
    if pairs.real:
        return pairs
    written = to_exact_integers(pairs.a, pairs.b)
    if written is None:
        return pairs.known_real()
    (a, b), scale = written
    if a is pairs.a and b is pairs.b:
        return pairs
    return replace(pairs, a=a, b=b, scale=scale * pairs.scale)


def scores_if_any(pairs: PairedScores, metric: AdditiveMetric) -> ItemScores | None:
    """The items' scores behind a mean or a sum, to describe them; None for a metric that has none."""
    if metric.ratio is None:
        return None
    items = with_exact_integers(pairs).per_item()
    u, v = (None if w is None else np.asarray(w) for w in metric.ratio)
    weight = np.full(items.rows, items.scale) if v is None else items.a @ v
    weight_b = weight if v is None else items.b @ v
    if weight[0] <= 0 or (weight != weight[0]).any() or (weight_b != weight[0]).any():
        return None
    orientation = 1 if metric.higher_is_better else -1
    top_a, top_b = items.a @ u, items.b @ u
    if not items.integral:
        a, b = top_a / weight[0], top_b / weight[0]
        return ItemScores(a, b, a - b, None, 1, items.clusters, orientation)
    divisor = int(weight[0])
    common = math.gcd(divisor, int(np.gcd.reduce(np.concatenate([top_a, top_b]))) or divisor)
    whole, scale = (top_a - top_b) // common, divisor // common
    return ItemScores(top_a / divisor, top_b / divisor, whole / scale, whole, scale, items.clusters, orientation)


def skewness(x: Array) -> float | None:
    """γ = m₃/m₂^1.5 with moments that divide by n; None for numbers that are all the same.

    Examples
    --------
    >>> round(skewness(np.array([1.0, 2.0, 9.0])), 4)
    0.6655
    """
    span = float(np.ptp(x))
    if span == 0.0:
        return None
    deviations = (x - x[0]) / span
    deviations -= deviations.mean()
    return float(np.mean(deviations**3) / np.mean(deviations**2) ** 1.5)


def unit_differences(scores: ItemScores) -> Array:
    """What varies from unit to unit: the items' differences, or the clusters' sums of what they differ from the mean by."""
    if scores.clusters is None:
        return scores.d
    return np.bincount(scores.clusters, weights=scores.d - scores.d.mean())


def skew_warning(scores: ItemScores) -> Note | None:
    """What to know where the units are too few for the skewness of their differences; None where they are not.

    The rule is Cochran's (1977, section 2.15): a mean of n numbers of skewness γ is normal enough from n = 25 γ²
    on. Where the skewness comes from a few units beside a bulk that hardly varies, no method makes up for those
    that were not seen.

    Examples
    --------
    >>> d = np.array([0.1, 0.2, 0.1, 0.3, 0.15, 4.0])
    >>> print(skew_warning(ItemScores(d, 0 * d, d, None, 1, None, 1)))
    Too few rare events to tell: 1 of 6 items accounts for nearly all of the spread; only more items help.
    """
    units = unit_differences(scores)
    gamma = skewness(units) if len(units) > 2 else None
    if gamma is None or len(units) >= COCHRAN * gamma**2:
        return None
    noun = "items" if scores.clusters is None else "clusters"
    spread, middle = float(units.std()), median(units)
    low, high = quantiles(units, (0.25, 0.75))
    if high - low <= BULK * spread:
        rare = int((np.abs(units - middle) > spread).sum())
        verb = "accounts" if rare == 1 else "account"
        cause = f"{rare} of {len(units)} {noun} {verb} for nearly all of the spread"
        return Note("warning", f"Too few rare events to tell: {cause}; only more {noun} help.")
    text = (
        f"{len(units)} {noun} are few for differences this skewed (skewness {gamma:.1f} calls for"
        f" {math.ceil(COCHRAN * gamma**2)}): equal means may be rejected too often (lognormal differences, n = 50: level .10)."
        " The test `bootstrap-t` with `interval=equal-tailed` allows for skewness."
    )
    return Note("warning", text)

"""The tests of two samples by the names of their paired siblings, each with the interval of its own design.

`permutation` redivides the scores and has Welch's interval, or for right-or-wrong items that of Miettinen and Nurminen (1985);
`wilcoxon` is the rank-sum test with the shift of Hodges and Lehmann; `student` is Welch's t test. Adding one is an entry here,
and its name and works in `inference.populations`.

The shift between two samples is the median of all differences a - b (Hodges and Lehmann, 1963), with limits from their order.
If B's scores are A's moved by a constant, the c-th difference from either end is a limit that inverts the rank-sum test, c the
largest number with P(U ≤ c - 1) ≤ α/2 for U of Mann and Whitney (1947) without ties (Hollander, Wolfe and Chicken, 2014,
section 4.3). Ties make the interval cover more often than its level. The n_A·n_B differences are not listed where they are
many: counting those up to x is a search in sorted scores, and x is halved over the floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.core.rows import Runs
from outscore.inference.base import p_values
from outscore.inference.base.paired import NoSpreadError, interval_for, side_of
from outscore.inference.base.question import TestRequest
from outscore.inference.base.walsh import key_of_float, number_of_key
from outscore.inference.classical.student import make_agree
from outscore.inference.populations import WELCH
from outscore.inference.runs.exchange import Exchange, exchange_of
from outscore.inference.unpaired.divisions import SAMPLED, division_p, rank_sum_p
from outscore.inference.unpaired.samples import Samples
from outscore.laws import log_t_tail, normal, normal_quantile, student_quantile
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

MAX_LISTED = 1_000_000
MAX_LAW = 2e7
"""Differences that are listed, and steps up to which the law of U is counted; beyond, an expansion has the same integers."""
METHODS = ("auto", "monte-carlo")
"""How divisions may be asked for."""
WELCH_INTERVAL = "Welch t"
SCORE_INTERVAL = "score interval of Miettinen and Nurminen, moved to agree with the test"
SHIFT_INTERVAL = "order statistics of all differences (Hodges-Lehmann)"


def welch_p(samples: Samples, asked: TestRequest) -> PValue | None:
    """Welch's t test of equal means, whatever the spreads; None where a system has a single unit or nothing varies.

    Examples
    --------
    >>> both = Samples(np.array([3.0, 5.0, 4.0, 8.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(welch_p(both, TestRequest()).value, 6)
    0.104833
    """
    welch = samples.welch
    if welch is None:
        return None
    error, df = welch
    t = samples.orientation * samples.difference / error
    if asked.alternative == "two-sided":
        log_p = LOG2 + log_t_tail(df, abs(t))
    else:
        log_p = log_t_tail(df, t if asked.alternative == "greater" else -t)
    return PValue.from_logs(
        log_p, log_p, method="asymptotic", kernel="welch-t", test=WELCH, statistic=samples.difference / error, n=samples.n
    )


def welch_interval(samples: Samples, asked: TestRequest, *, dual: bool) -> Interval | None:
    """Difference ± t·error with the degrees of freedom of Welch and Satterthwaite."""
    welch = samples.welch
    if welch is None:
        return None
    error, df = welch
    reach = student_quantile(df, 1 - side_of(asked.alpha, asked.alternative)) * error
    limits = (samples.difference - reach, samples.difference + reach)
    return interval_for(
        limits,
        asked.alpha,
        asked.alternative,
        samples.orientation,
        method=WELCH_INTERVAL,
        dual=dual,
        estimate=samples.difference,
    )


def pair_of(samples: Samples) -> Exchange:
    """Both samples of right-or-wrong items, as 1 and 0, as the runs of one item, whose score test is that of two shares."""
    assert samples.worth is not None
    right = samples.worth.right
    a, b = (Runs((x == right).astype(float), np.zeros(len(x), dtype=np.int64)) for x in (samples.a, samples.b))
    return exchange_of(a, b, orientation=samples.orientation)


def score_interval(samples: Samples, asked: TestRequest, p: PValue) -> Interval:
    """The interval of Miettinen and Nurminen (1985) for the difference between two shares.

    Examples
    --------
    >>> both = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> interval = score_interval(both, TestRequest(), PValue(0.2, 0.2, 0.2, -0.7, "exact", "splits"))
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0, 0.5145)
    """
    assert samples.worth is not None
    unit, side = samples.worth.unit, side_of(asked.alpha, asked.alternative)
    low, high = pair_of(samples).score_limits(-normal_quantile(side))
    limits = unit * low, unit * high
    if asked.alternative != "two-sided":
        return interval_for(
            limits,
            asked.alpha,
            asked.alternative,
            samples.orientation,
            method=SCORE_INTERVAL,
            dual=False,
            estimate=samples.difference,
        )
    interval = Interval(*limits, 1 - asked.alpha, SCORE_INTERVAL, dual=False, estimate=samples.difference)
    return make_agree(interval, p, samples.difference, asked.alpha)


def shift(a: Array, b: Array) -> float:
    """The median of all differences a - b.

    Examples
    --------
    >>> shift(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0]))
    1.5
    """
    pairs = len(a) * len(b)
    middle = shift_quantile(a, b, (pairs + 1) // 2)
    return middle if pairs % 2 else (middle + shift_quantile(a, b, pairs // 2 + 1)) / 2


def shift_quantile(a: Array, b: Array, k: int) -> float:
    """The k-th smallest difference a - b, k from 1.

    Examples
    --------
    >>> [shift_quantile(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0]), k) for k in range(1, 7)]
    [0.0, 1.0, 1.0, 2.0, 8.0, 9.0]
    """
    if len(a) * len(b) <= MAX_LISTED:
        return float(np.partition(np.subtract.outer(a, b).ravel(), k - 1)[k - 1])
    a, b = np.sort(a.astype(float)), np.sort(b.astype(float))
    low, high = key_of_float(math.nextafter(a[0] - b[-1], -math.inf)), key_of_float(a[-1] - b[0])
    while high - low > 1:
        middle = (low + high) // 2
        if int((len(b) - np.searchsorted(b, a - number_of_key(middle))).sum()) >= k:
            high = middle
        else:
            low = middle
    # Rounding may have moved it off the differences by a last place.
    nearly = number_of_key(high)
    place = np.clip(np.searchsorted(b, a - nearly), 1, len(b) - 1)
    near = np.concatenate([a - b[place], a - b[place - 1]])
    return float(near[np.argmin(np.abs(near - nearly))])


def shift_limits(a: Array, b: Array, side: float) -> tuple[float | None, float | None]:
    """The limits of the shift that leave `side` outside each; None where so few items bound nothing.

    Examples
    --------
    >>> shift_limits(np.array([1.5, 2.25, 3.5, 4.0]), np.array([0.25, 0.5, 0.75, 1.0]), 0.025)
    (0.5, 3.75)
    """
    c, pairs = critical(len(a), len(b), side), len(a) * len(b)
    return (shift_quantile(a, b, c), shift_quantile(a, b, pairs + 1 - c)) if c else (None, None)


def critical(n_a: int, n_b: int, side: float) -> int:
    """The largest c with P(U ≤ c - 1) ≤ side for samples without ties; 0 if there is none.

    Examples
    --------
    >>> critical(10, 10, 0.025), critical(3, 3, 0.025)
    (24, 0)
    """
    if float(min(n_a, n_b)) * n_a * n_b <= MAX_LAW:
        return int(np.searchsorted(_lower_law(n_a, n_b), side * (1 + 1e-12), side="right"))
    low, high = 0, n_a * n_b // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _expansion(n_a, n_b, middle - 1) <= side else (low, middle)
    return low


def _lower_law(n_a: int, n_b: int) -> Array:
    """P(U ≤ u) up to the middle: the coefficients of the Gaussian binomial Π (1 - q^(m+i)) / (1 - q^i), factor by factor."""
    few, many = sorted((n_a, n_b))
    points = n_a * n_b // 2 + 1
    mass = np.zeros(points)
    mass[0] = 1.0
    for i in range(1, few + 1):
        if many + i < points:
            mass[many + i :] -= mass[: points - many - i].copy()
        for start in range(min(i, points)):
            mass[start::i] = np.cumsum(mass[start::i])
        mass *= i / (many + i)
    return np.cumsum(mass)


def _expansion(n_a: int, n_b: int, u: int) -> float:
    """P(U ≤ u) by Edgeworth's series up to the fourth cumulant (Fix and Hodges, 1955), U spread over (-½, ½)."""
    whole = n_a + n_b + 1
    variance = n_a * n_b * whole / 12 + 1 / 12
    fourth = -n_a * n_b * whole * (n_a**2 + n_b**2 + n_a * n_b + n_a + n_b) / 120 / variance**2
    x = (u + 0.5 - n_a * n_b / 2) / math.sqrt(variance)
    return normal(x) - math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * fourth / 24 * (x**3 - 3 * x)


def _drawn(asked: TestRequest) -> dict[str, int | bool]:
    options = asked.options
    return {
        "resamples": asked.resamples if "resamples" in options else SAMPLED,
        "seed": asked.seed,
        "sample": options.get("method") == "monte-carlo",
    }


def _permutation(samples: Samples, asked: TestRequest) -> TestResult:
    p = division_p(samples, asked.alternative, **_drawn(asked))  # type: ignore[arg-type]
    if samples.worth is not None and samples.clusters is None:
        interval: Interval | None = score_interval(samples, asked, p)
    else:
        interval = welch_interval(samples, asked, dual=False)
    return TestResult(p, interval)


def _rank_sum(samples: Samples, asked: TestRequest) -> TestResult:
    p = rank_sum_p(samples, asked.alternative, **_drawn(asked))  # type: ignore[arg-type]
    if samples.clusters is not None:
        return TestResult(p, None, [Note("interval", "There is no interval for the shift between samples of clusters.")])
    interval = interval_for(
        shift_limits(samples.a, samples.b, side_of(asked.alpha, asked.alternative)),
        asked.alpha,
        asked.alternative,
        samples.orientation,
        method=SHIFT_INTERVAL,
        dual=False,
        estimate=shift(samples.a, samples.b),
        estimand="shift",
    )
    text = (
        "The interval is for the shift between two distributions of the same shape; for other shapes the rank-sum test says"
        " which tends to be larger."
    )
    return TestResult(p, interval, [Note("estimand", text)])


def _welch(samples: Samples, asked: TestRequest) -> TestResult:
    p = welch_p(samples, asked)
    if p is None and samples.identical:
        p = replace(p_values.identical_p(samples.n), test=WELCH, kernel="welch-t", method="asymptotic")
    if p is None:
        raise NoSpreadError(
            "Welch's test cannot be computed: the scores of the items do not vary, or one system has a single item.",
            "Use `permutation` instead.",
            parameter="test",
        )
    return TestResult(p, welch_interval(samples, asked, dual=True))


UNPAIRED: dict[str, Callable[[Samples, TestRequest], TestResult]] = {
    "permutation": _permutation,
    "wilcoxon": _rank_sum,
    "student": _welch,
}
MEANS = {
    "permutation": "two-sample permutation test, Fisher's for right-or-wrong items",
    "wilcoxon": "rank-sum",
    "student": "Welch",
}
"""What each of them becomes with different items."""


def run_unpaired(test: str, samples: Samples, asked: TestRequest) -> TestResult:
    """One of the tests of two samples.

    Examples
    --------
    >>> both = Samples(np.array([6.0, 7.0, 9.0]), np.array([1.0, 2.0, 4.0, 5.0]))
    >>> run_unpaired("wilcoxon", both, TestRequest()).p.value
    0.05714285714285714
    """
    return UNPAIRED[test](samples.checked(), asked)

"""Wilcoxon's signed-rank test.

H0: the items' differences are symmetric about δ. Every difference is replaced by the rank of its size, so
that outliers weigh little. Prefer it where differences are roughly symmetric with heavy tails; it speaks of
the typical difference (pseudomedian), which is not the difference of the means.

The test is the permutation test on signed ranks, and that is how it is computed: exact with ties and zeros,
where tables and most software are not.

It rests on signed ranks with ties and zeros, and Walsh averages (d_i + d_j)/2, i ≤ j, without listing them.

Mid-ranks are halves, so they are doubled; Wilcoxon's W⁺ is then a sum of integer sign flips like any other
and its exact null law, ties included, comes from `exact.lattice`. (Tables and most software ignore ties
here.)

The median of the Walsh averages is the Hodges-Lehmann estimate, and their order statistics are the limits
that invert Wilcoxon's test. There are n(n + 1)/2 of them: five thousand million at n = 100,000. But on sorted
d the sums of one row never decrease, so counting those up to x is a search in every row at once, and a few
well-placed x leave so few sums that they can be sorted (Johnson and Mizoguchi, 1978, choose theirs by
weighted medians; here a sample of the sums left does). Memory stays O(n).

Sums are compared as floats round them, and that rounding is monotone too, so the result equals the naive one
to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, cast

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct, first_where
from outscore.core.options import Option
from outscore.core.rows import PairedScores
from outscore.inference.base import question
from outscore.inference.base.differences import ItemScores, item_scores, screen_flips
from outscore.inference.base.entry import (
    MEDIAN_IN_CLUSTERS,
    NEEDS_SCORES,
    Claim,
    Suitability,
    TestEntry,
    normal_log_p,
    unclustered_scores,
    without_repeats,
)
from outscore.inference.base.question import TestRequest, interval_for
from outscore.inference.permutation import permutation
from outscore.laws import normal
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import PValue

MAX_LISTED = 4
"""Sums left per distinct value at which the narrowing stops and the rest is sorted."""
SAMPLE = 4_096
MARGIN = 0.02
"""How far either side of the wanted share of a sample its pivots lie."""
MAX_LISTED_SIGNS = 300
"""Up to this many differences the null law of W⁺ is built rank by rank; beyond, an expansion gives the same integers."""


def signed_ranks(differences: Array, zeros: Literal["drop", "pratt"] = "drop") -> Array:
    """Doubled mid-ranks of |d| with the sign of d; zero differences get 0.

    ``zeros="drop"`` ranks the others among themselves (Wilcoxon), ``"pratt"`` ranks zeros too before they
    drop out. Give differences recognised as written (integers), or equal decimals will not tie.

    Examples
    --------
    >>> signed_ranks(np.array([3, -1, 0, 1]))
    array([ 6, -3,  0,  3])
    """
    sizes = np.abs(differences)
    if sizes.dtype.kind == "i" and int(sizes.max(initial=0)) <= 4 * len(sizes):
        # Whole numbers without large gaps are counted, not sorted.
        member, counts = sizes, np.bincount(sizes)
    else:
        _, member, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    before = np.cumsum(counts) - counts
    if zeros == "drop":
        before = before - int((sizes == 0).sum())
    doubled = 2 * before + counts + 1
    return np.asarray(np.sign(differences).astype(np.int64) * doubled[member].astype(np.int64))


def hodges_lehmann(d: Array) -> float:
    """The median of all Walsh averages, i ≤ j: the pseudomedian (Hodges and Lehmann, 1963).

    Examples
    --------
    >>> import numpy as np
    >>> hodges_lehmann(np.array([1.0, 2.0, 9.0]))
    3.5
    """
    pairs = len(d) * (len(d) + 1) // 2
    low = walsh_quantile(d, (pairs + 1) // 2)
    return low if pairs % 2 else (low + _next(d, low, pairs // 2 + 1)) / 2


def walsh_quantile(d: Array, k: int) -> float:
    """The k-th smallest of the n(n + 1)/2 averages (d_i + d_j)/2, i ≤ j, k from 1.

    Examples
    --------
    >>> import numpy as np
    >>> [walsh_quantile(np.array([1.0, 2.0, 9.0]), k) for k in range(1, 7)]
    [1.0, 1.5, 2.0, 5.0, 5.5, 9.0]
    """
    u, weight = np.unique(np.asarray(d, dtype=float), return_counts=True)
    before = np.concatenate([[0], np.cumsum(weight)])
    low, high = key_of_float(math.nextafter(2 * u[0], -math.inf)), key_of_float(2 * u[-1])
    first, last = np.arange(len(u)), np.full(len(u), len(u))
    below, upto, step = 0, len(d) * (len(d) + 1) // 2, 0
    while int((last - first).sum()) > MAX_LISTED * len(u) and high - low > 1:
        # Two pivots close round the wanted share; every third step halves, so that no data can stall the
        # search.
        share = (k - below) / (upto - below) + (MARGIN, -MARGIN, 0.0)[step % 3]
        pivot = (low + high) // 2
        if step % 3 < 2:
            # About this share of a sample of the sums between the two bounds lies below the pivot.
            ends = np.cumsum(last - first)
            places = distinct(np.linspace(0, int(ends[-1]) - 1, SAMPLE).astype(np.int64))
            row = np.searchsorted(ends, places, side="right")
            sums = np.sort(u[row] + u[last[row] - ends[row] + places])
            pivot = key_of_float(float(sums[min(max(int(share * len(sums)), 0), len(sums) - 1)]))
        pivot, step = min(max(pivot, low + 1), high - 1), step + 1
        columns = first_above(u, number_of_key(pivot), first, last)
        count = _pairs(columns, weight, before)
        if count < k:
            low, first, below = pivot, columns, count
        else:
            high, last, upto = pivot, columns, count
    doubled = number_of_key(high) if high - low == 1 else _kth_listed_sum(u, weight, first, last, k - below)
    return doubled / 2


def _kth_listed_sum(u: Array, weight: Array, first: Array, last: Array, k: int) -> float:
    """The k-th smallest sum between the two bounds, all of them listed."""
    width = last - first
    row = np.repeat(np.arange(len(u)), width)
    column = np.arange(len(row)) + np.repeat(last - np.cumsum(width), width)
    sums = u[row] + u[column]
    if int(weight.max()) == 1:
        return float(np.partition(sums, k - 1)[k - 1])
    order = np.argsort(sums, kind="stable")
    pairs = np.where(row == column, weight[row] * (weight[row] + 1) // 2, weight[row] * weight[column])[order]
    return float(sums[order[np.searchsorted(np.cumsum(pairs), k)]])


def _next(d: Array, low: float, k: int) -> float:
    """The k-th smallest Walsh average, the one before it being `low`."""
    u, weight = np.unique(np.asarray(d, dtype=float), return_counts=True)
    columns = first_above(u, 2 * low, np.arange(len(u)), np.full(len(u), len(u)))
    if _pairs(columns, weight, np.concatenate([[0], np.cumsum(weight)])) >= k:
        return low
    rows = np.flatnonzero(columns < len(u))
    return float((u[rows] + u[columns[rows]]).min()) / 2


def first_above(u: Array, x: float, first: Array, last: Array) -> Array:
    """For every row i the first column j, known to lie in first_i … last_i, with u_i + u_j > x; u ascends."""
    # One search is right but for rounding. Rows where it is not, seen by looking at both neighbours, are
    # searched again.
    guess = np.clip(np.searchsorted(u, x - u, side="right"), first, last)
    padded = np.concatenate([[-np.inf], u, [np.inf]])
    right = ((guess == first) | (u + padded[guess] <= x)) & ((guess == last) | (u + padded[guess + 1] > x))
    rows = np.flatnonzero(~right)
    low, high = first[rows], last[rows]
    while (low < high).any():
        middle = (low + high) // 2
        above = u[rows] + padded[middle + 1] > x
        low, high = np.where(above, low, np.minimum(middle + 1, high)), np.where(above, middle, high)
    guess[rows] = low
    return guess


def _pairs(columns: Array, weight: Array, before: Array) -> int:
    """How many pairs of items, i ≤ j, lie left of each row's column; `columns` begin at the diagonal."""
    rows = np.arange(len(columns))
    inside = columns > rows
    same_value = np.where(inside, weight * (weight + 1) // 2, 0)
    larger_value = np.where(inside, weight * (before[columns] - before[rows + 1]), 0)
    return int((same_value + larger_value).sum())


def key_of_float(x: float) -> int:
    """Floats as integers in the same order (their bits, the negative ones mirrored), so that halving takes at most 64 steps."""
    bits = int(np.float64(x + 0.0).view(np.int64))
    return bits if bits >= 0 else -(bits + 2**63)


def number_of_key(key: int) -> float:
    """The float behind a key."""
    return float(np.int64(key if key >= 0 else -key).view(np.float64)) * (1.0 if key >= 0 else -1.0)


def walsh_interval(d: Array, alpha: float) -> tuple[float | None, float | None]:
    """Limits of the 1 - α interval for the pseudomedian: the c-th Walsh average from either end; None where there is no bound.

    c is the largest number with P(W⁺ ≤ c - 1) ≤ α/2 (Hollander, Wolfe and Chicken, 2014, section 3.3).
    Without ties and zeros the interval holds exactly the shifts that Wilcoxon's two-sided test does not
    reject.

    Examples
    --------
    >>> import numpy as np
    >>> walsh_interval(np.array([0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010]), 0.05)
    (0.01, 0.786)
    """
    n = len(d)
    c = _critical(n, alpha / 2)
    return (walsh_quantile(d, c), walsh_quantile(d, n * (n + 1) // 2 + 1 - c)) if c else (None, None)


def _critical(n: int, side: float) -> int:
    """The largest c with P(W⁺ ≤ c - 1) ≤ side for the signed ranks of n differences without ties; 0 if there is none."""
    if n * math.log(2) < -math.log(side):
        return 0
    high = n * (n + 1) // 4 + 1
    if n <= MAX_LISTED_SIGNS:
        return int(np.searchsorted(_lower_law(n, high), side * (1 + 1e-12), side="right"))
    return first_where(lambda c: _expansion(n, c - 1) > side, 0, high) - 1


def _lower_law(n: int, points: int) -> Array:
    """P(W⁺ ≤ w) for w = 0 … points - 1: the ranks join one by one, each with probability ½."""
    mass = np.zeros(points)
    mass[0] = 1.0
    for rank in range(1, n + 1):
        joined = mass[: max(points - rank, 0)].copy()
        mass[rank:] += joined
        mass /= 2
    return np.cumsum(mass)


def _expansion(n: int, w: int) -> float:
    """P(W⁺ ≤ w) by Edgeworth's series (for this law: Fellingham and Stoker, 1964), here up to the sixth cumulant.

    W⁺ plus a uniform number on (-½, ½) has a density, its variance is larger by 1/12, and at w + ½ its
    distribution function is that of W⁺. Rank r joins with probability ½ and contributes the cumulants r²/4,
    -r⁴/8 and r⁶/4.
    """
    base = n * (n + 1) * (2 * n + 1)
    variance = base / 24 + 1 / 12
    fourth = -base * (3 * n * n + 3 * n - 1) / 240 / variance**2
    sixth = base * (3 * n**4 + 6 * n**3 - 3 * n + 1) / 168 / variance**3
    x = (w + 0.5 - n * (n + 1) / 4) / math.sqrt(variance)
    h3, h5 = x**3 - 3 * x, x**5 - 10 * x**3 + 15 * x
    h7 = x**7 - 21 * x**5 + 105 * x**3 - 105 * x
    series = fourth / 24 * h3 + sixth / 720 * h5 + fourth**2 / 1152 * h7
    return normal(x) - math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * series


NAME = "wilcoxon"
Zeros = Literal["drop", "pratt"]
Direction = Literal["higher", "lower"]


def wilcoxon(scores: ItemScores, request: TestRequest) -> PValue:
    """p-value of H0: d is symmetric about δ, by signed ranks; the statistic is W⁺, the sum of the positive ones.

    Zero differences carry no sign and drop out before ranking (``"drop"``; Wilcoxon, 1945) or after
    (``"pratt"``; Pratt, 1959), as the option `zeros` has it; `variant` says where the null law comes from.

    Examples
    --------
    >>> from outscore.inference.base.differences import item_scores
    >>> from outscore.metrics.registry import resolve
    >>> d = np.array([0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010])
    >>> metric, a, b = resolve("mean", d, 0 * d)
    >>> p = wilcoxon(item_scores(PairedScores(a, b), metric, "wilcoxon"), TestRequest())
    >>> p.statistic, p.value
    (40.0, 0.0390625)
    """
    d, whole = scores.minus(request.delta)
    doubled = signed_ranks(d if whole is None else whole, _zeros(request))
    used = doubled[doubled != 0]
    if not len(used):
        p = question.identical_p()
    elif request.options.get("variant", "exact") == "exact":
        # The permutation test on ranks as scores: A has the rank, B has 0.
        direction: Direction = "higher" if scores.orientation > 0 else "lower"
        column = used[:, None]
        ranks = AdditiveMetric("signed ranks", ("rank",), ratio=((1,), None), direction=direction)
        p = permutation(PairedScores(column, np.zeros_like(column)), ranks, replace(request, delta=0.0))
    else:
        # W⁺ - W⁻ over √Σr²; the sum of squares of mid-ranks holds the correction for ties, Σ(t³ - t)/12, without naming it. W⁺
        # moves in halves of the sum of flips, so its continuity correction of ½ is 1 here.
        halves = used / 2
        gap, sd = scores.orientation * float(halves.sum()), math.sqrt(float(halves @ halves))
        log_p = normal_log_p(gap, sd, 1.0, request.alternative)
        p = PValue.from_logs(log_p, log_p, method="asymptotic", kernel="normal")
    zeros = scores.n - len(used)
    return replace(
        p,
        test=NAME,
        kernel=f"signed ranks: {p.kernel}",
        statistic=float(used[used > 0].sum()) / 2,
        n=len(used),
        dropped={"zero differences": zeros} if zeros else {},
    )


def _zeros(request: TestRequest) -> Zeros:
    return cast("Zeros", request.options.get("zeros", "drop"))


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = unclustered_scores(pairs, metric, NAME, MEDIAN_IN_CLUSTERS)
    p, exact = wilcoxon(scores, asked), asked.options["variant"] == "exact"
    text = "The test and its interval are about the typical difference (pseudomedian), not about the difference in means."
    notes = [Note("estimand", text)]
    if not asked.interval:
        return TestResult(p, None, notes)
    d, whole = scores.minus(asked.delta)
    clean = not p.dropped and without_repeats(np.abs(d if whole is None else whole))
    # Order statistics of the Walsh averages of all differences, in whole numbers where these are known.
    d, scale = (scores.d, 1) if scores.whole is None else (scores.whole, scores.scale)
    low, high = (None if limit is None else limit / scale for limit in walsh_interval(d, 2 * asked.side))
    interval = interval_for(
        (low, high),
        asked,
        scores.orientation,
        method="Walsh averages, pseudomedian",
        dual=clean and exact,
        estimate=hodges_lehmann(d) / scale,
        estimand="pseudomedian",
    )
    if not clean:
        notes.append(Note("interval", "With tied or zero differences the interval and p may disagree near alpha."))
    elif not exact:
        notes.append(Note("interval", "p is a normal approximation; the interval inverts the exact test."))
    if interval.low is None and interval.high is None:
        text = "The interval is unbounded: with so few items no difference can be rejected at this level."
        notes.append(Note("interval", text))
    return TestResult(p, interval, notes)


def _screen(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> bool | None:
    if asked.delta or pairs.clusters is not None or asked.options["variant"] != "exact":
        return None
    scores = item_scores(pairs, metric, NAME)
    ranks = signed_ranks(scores.d if scores.whole is None else scores.whole, _zeros(asked))
    return screen_flips(ranks, scores.orientation, asked)


def _suits_mean(claim: Claim) -> Suitability:
    rough = "" if claim.symmetric else ", and these are skewed"
    why = f"It tests another estimand, the pseudomedian, which is the mean only if differences are symmetric{rough}."
    return ("usable", why, 7)


ENTRY = TestEntry(
    name=NAME,
    summary="differences are symmetric about zero; signed ranks, exact with ties and zeros",
    phrase="Wilcoxon signed-rank test",
    formula=r"W^{+} = \sum_{d_i > 0} \text{rank} |d_i|",
    citations=("wilcoxon1945",),
    estimand="median",
    run=_run,
    suits={
        "mean": _suits_mean,
        "accuracy": ("unsuited", "All non-zero differences have the same size, so ranks add nothing.", 8),
        "metric": ("unsuited", NEEDS_SCORES, 5),
    },
    options=(
        Option("zeros", str, "drop", "rank without zero differences, or with them (pratt)", choices=("drop", "pratt")),
        Option("variant", str, "exact", "exact null distribution, or its normal approximation", choices=("exact", "normal")),
    ),
    null="signs",
    subsets="itself",
    quick=({"variant": "normal"}, "normal approximation"),
    screen=_screen,
)

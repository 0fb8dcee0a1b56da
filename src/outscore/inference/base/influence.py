"""What the answer hangs on: the units that decided it, and how many of them would have to go the other way.

The influence of a unit is how much the difference in scores changes when it is left out (the jackknife;
Quenouille, 1956). Fragility counts units whose two outputs are swapped, those first that move the difference
most, until the test's decision changes. Swapping leaves the null law as it is, which is what makes the
question cheap.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.laws import normal_quantile
from outscore.results.pvalue import PValue

MOST = 4096
"""Units that are swapped at most."""
MIN_Z = 0.1
"""A p so near 1 says nothing of the spread."""


def influence(units: PairedScores, metric: AdditiveMetric) -> Array:
    """How much of the difference A - B each unit brings: the difference with it minus the difference without it.

    Examples
    --------
    >>> import numpy as np
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> pairs = PairedScores(np.array([[3, 1], [1, 1]]), np.array([[1, 1], [1, 1]]))
    >>> influence(pairs, mean)
    array([ 1., -1.])
    """
    scale = float(units.scale)
    total_a, total_b = units.a.sum(axis=0), units.b.sum(axis=0)
    whole = metric.score(total_a / scale) - metric.score(total_b / scale)
    without = metric.score((total_a - units.a) / scale) - metric.score((total_b - units.b) / scale)
    return np.asarray(whole - without)


def strongest(pull: Array, side: Array, most: int) -> list[int]:
    """The units that move the difference A - B most: first those where A scores more, then the others, the strongest first.

    Each side has half of the places; those that it leaves empty go to the other. `side` is positive where A scores more and
    negative where B does, whichever is better.

    Examples
    --------
    >>> strongest(np.array([0.1, -0.9, 0.3, 0.2, -0.4]), np.array([1, -1, 1, 1, -1]), 4)
    [2, 3, 1, 4]
    """
    sides = [np.flatnonzero(turn * side > 0) for turn in (1, -1)]
    sizes = [len(units) for units in sides]
    kept = [max(most // 2, most - size) for size in reversed(sizes)]
    chosen = [
        units[np.argsort(-turn * pull[units], kind="stable")][:size]
        for turn, units, size in zip((1, -1), sides, kept, strict=True)
    ]
    return [int(i) for units in chosen for i in units]


def contributions(units: PairedScores, metric: AdditiveMetric) -> Array | None:
    """What each unit says of the difference A - B: the jackknife's pseudo-values m·θ - (m - 1)·θ₋ᵢ (Tukey, 1958).

    For a mean of equally long items they are the items' differences; for a ratio of sums they take their place,
    with a mean near the difference and its jackknife error as their standard error. None for one unit, where the
    metric is not defined without one of them, and where it moves by steps.

    Examples
    --------
    >>> import numpy as np
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> contributions(PairedScores(np.array([[3, 1], [1, 1]]), np.array([[1, 1], [1, 1]])), mean)
    array([2., 0.])
    """
    m = units.rows
    if m < 2 or metric.steps:
        return None
    with np.errstate(all="ignore"):
        total_a, total_b = units.totals()
        whole = float(metric.score(total_a) - metric.score(total_b))
        values = whole + (m - 1) * influence(units, metric)
    return values if np.isfinite(values).all() else None


def jackknife_error(pulls: Array) -> float | None:
    """√((m - 1)/m Σ (pull - mean pull)²), the standard error of what m units make together (Tukey, 1958); None for one unit.

    Examples
    --------
    >>> round(jackknife_error(np.array([0.5, -0.5, 0.0])), 6)
    0.57735
    """
    return float(jackknife_errors(pulls)) if len(pulls) > 1 else None


def jackknife_errors(pulls: Array) -> Array:
    """`jackknife_error` of each row of pulls.

    Examples
    --------
    >>> jackknife_errors(np.array([[0.5, -0.5, 0.0], [1.0, 1.0, 1.0]])).round(6).tolist()
    [0.57735, 0.0]
    """
    m = pulls.shape[-1]
    spread = ((pulls - pulls.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt((m - 1) / m * spread))


def fragility(
    units: PairedScores, metric: AdditiveMetric, test: Callable[[PairedScores], PValue], p: PValue, request: TestRequest
) -> int | None:
    """The smallest number of units, swapped in order of what that moves, that changes the decision; None beyond `MOST`.

    A decided result is pulled back by swapping the units that favour the winner, an undecided one is pushed
    on, towards either system, whichever is nearer, or where a one-sided alternative looks. `p` is the test's
    answer to the units as they are.

    Every question to the test may be dear, so few are asked: in standard deviations of the null law, which no
    swap changes, the difference that decides is nearly the same for all of them, and each p makes it better
    known.
    """
    total_a, total_b, scale = units.a.sum(axis=0), units.b.sum(axis=0), float(units.scale)
    apart = units.a - units.b

    def swapped_differences(moved: Array) -> Array:
        return np.asarray(metric.score((total_a - moved) / scale) - metric.score((total_b + moved) / scale))

    difference = float(swapped_differences(np.zeros_like(total_a)))
    effects = difference - swapped_differences(apart)
    # Half of what a swap moves is a flip's standard deviation.
    spread = math.sqrt(float((effects**2).sum())) / 2

    def search(turn: float, limit: int, *, decided: bool, doubtful: bool = False) -> int | None:
        gain = turn * effects if decided else -turn * effects
        order = np.argsort(-gain, kind="stable")[: min(int((gain > 0).sum()), limit)]
        reached = turn * swapped_differences(apart[order].cumsum(axis=0))

        def answer(k: int) -> PValue:
            # Whole numbers on one side alone must not cut those of the other.
            kind = np.result_type(units.a, units.b)
            a, b = units.a.astype(kind), units.b.astype(kind)
            a[order[:k]], b[order[:k]] = units.b[order[:k]], units.a[order[:k]]
            return test(units.part(a, b))

        return _smallest(answer, reached, spread, request, turn, decided=decided, doubtful=doubtful)

    # The sign of A - B that a decision would have: the leader's, or that of a one-sided alternative.
    turn = float(request.direction(1 if metric.higher_is_better else -1)) or (1.0 if difference >= 0 else -1.0)
    decided = _decides(p, request.alpha, turn)
    nearest = search(turn, MOST, decided=decided)
    if decided or request.alternative != "two-sided":
        return nearest
    # Near 0 the system behind may be the nearer winner; mostly one question at the last swap that would be fewer settles it.
    of_runner_up = search(-turn, MOST if nearest is None else nearest - 1, decided=False, doubtful=True)
    return nearest if of_runner_up is None else of_runner_up


def _smallest(
    answer: Callable[[int], PValue],
    reached: Array,
    spread: float,
    request: TestRequest,
    turn: float,
    *,
    decided: bool,
    doubtful: bool,
) -> int | None:
    """The fewest swaps that change the decision; if that is `doubtful`, the last one is tried first.

    `spread` is a first guess of the null law's standard deviation.
    """
    low, high, critical = 0, len(reached) + 1, -normal_quantile(request.side)
    sides = 2 if request.alternative == "two-sided" else 1
    for step in itertools.count():
        if high - low <= 1:
            break
        if doubtful and step == 0:
            k = high - 1
        elif step % 3 < 2:
            # After how many swaps the difference first lies on the other side of the critical one; after all if never.
            crossed = reached < critical * spread if decided else reached >= critical * spread
            k = int(np.argmax(crossed)) + 1 if crossed.any() else len(reached)
        else:
            k = (low + high) // 2
        k = min(max(k, low + 1), high - 1)
        p = answer(k)
        low, high = (low, k) if _decides(p, request.alpha, turn) != decided else (k, high)
        z = -normal_quantile(p.value / sides)
        spread = reached[k - 1] / z if z > MIN_Z and reached[k - 1] > 0 else spread
    return high if high <= len(reached) else None


def _decides(p: PValue, alpha: float, turn: float) -> bool:
    return p.upper <= alpha and turn * p.statistic > 0

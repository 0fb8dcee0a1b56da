"""Max-T: one pair of systems, many statistics, and a correction that uses how they hang together.

Five metrics of one pair rise and fall together, and Holm cannot know: it must hold for any dependence.
Swapping the two systems item by item can: if the same coins swap all metrics at once, the largest of them
under the null hypothesis is seen, dependence and all, and each observed statistic is compared with the
largest among those not yet claimed (Westfall and Young, 1993, algorithm 4.1; Ge, Dudoit and Speed, 2003, box
2). The chance of any false claim is at most α, and the more the metrics agree the less is lost.

The step down rests on subset pivotality: what the draws say about some statistics must not depend on whether
the others' null hypotheses hold. Within one pair that is so, because the draws of a metric, slice or label
use its own differences and a coin. Across systems it is not: one coin per item cannot swap three systems, and
with fifteen against a baseline a false claim was made in .081 of all families at α = .05. So there is no
max-T across systems here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact import numbers
from outscore.inference.base.question import Alternative, checked_resamples
from outscore.inference.base.sign_flips import Flips, flips_of, units_of
from outscore.inference.permutation.tails import FIXED_POINT_BITS, fixed_line
from outscore.resampling import flip_bits

MAX_T = "max-t"
STUDENTISED_TIE = 1e-9
"""Studentised statistics closer than this are a tie. It is wider than `TIE_TOLERANCE` on purpose: sums are
exact, but a metric's own rounding is not, and dividing by the root mean square over all draws adds to it.
"""
BLOCK_ENTRIES = 1 << 21


@dataclass(frozen=True)
class Member:
    """One statistic of a family: the rows of both systems, the metric, and the number of the coin that swaps each unit.

    Units are what `PairedScores.units` makes of the rows. Units of two members with the same coin are swapped
    together.
    """

    pairs: PairedScores
    metric: AdditiveMetric
    coins: Array


def max_t(observed: object, draws: object, *, side: Literal["both", "upper"] = "both") -> Array:
    """Adjusted p-values by step-down max-T.

    Every statistic is divided by its root mean square over all draws, the observed one included: under the
    null hypothesis the observed arrangement is one more draw, so whatever is symmetric in all of them keeps
    the test exact.

    Parameters
    ----------
    observed
        (m,) statistics, 0 where nothing differs.
    draws
        (resamples, m) values of the same statistics under the null hypothesis, all m of a row from the same
        sign flips.
    side
        ``"both"`` counts large values of either sign, ``"upper"`` positive ones.

    Examples
    --------
    >>> from outscore.resampling import flipped_sums
    >>> d = np.array([[3, 1], [4, 2], [2, 0], [5, 1], [1, -1], [3, 2], [2, 1], [4, 1]])
    >>> max_t(d.sum(axis=0), flipped_sums(d, 0, 999, seed=1)).tolist()
    [0.005, 0.091]
    """
    t, null = np.asarray(observed, dtype=float), np.asarray(draws, dtype=float)
    _check(t, null)
    spread = np.sqrt((t**2 + (null**2).sum(axis=0)) / (len(null) + 1))
    spread[spread == 0] = 1.0
    t, null = t / spread, null / spread
    if side == "both":
        t, null = np.abs(t), np.abs(null)
    order = np.argsort(-t, kind="stable")
    # From the weakest statistic up: the largest among those no stronger than the one in question.
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]
    hits = (largest >= t[order] - STUDENTISED_TIE * np.maximum(1.0, np.abs(t[order]))).sum(axis=0)
    adjusted = np.empty(len(t))
    adjusted[order] = np.maximum.accumulate((hits + 1) / (len(null) + 1))
    return adjusted


def max_t_of_pair(members: Sequence[Member], *, alternative: Alternative, resamples: int, seed: int) -> Array:
    """Adjusted p-values of one pair of systems over metrics, slices or labels.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> a, b, coins = np.array([3, 4, 5, 4, 3, 5, 4]), np.array([1, 2, 1, 2, 2, 1, 3]), np.arange(7)
    >>> mean, rows_a, rows_b = resolve("mean", a, b)
    >>> members = [Member(PairedScores(rows_a[part], rows_b[part]), mean, coins[part]) for part in (slice(0, 7), slice(0, 3))]
    >>> [round(p, 3) for p in max_t_of_pair(members, alternative="two-sided", resamples=999, seed=0).tolist()]
    [0.012, 0.246]
    """
    flips = [flips_of(units_of(member.pairs), member.metric) for member in members]
    coins = [member.coins for member in members]
    observed, draws = _draw(flips, coins, checked_resamples(resamples), seed)
    if alternative == "two-sided":
        return max_t(observed, draws)
    turn = np.array([f.orientation for f in flips]) * (1 if alternative == "greater" else -1)
    return max_t(turn * observed, turn * draws, side="upper")


def _draw(flips: Sequence[Flips], coins: Sequence[Array], resamples: int, seed: int) -> tuple[Array, Array]:
    """The observed statistics, and those of all resamples under common coins."""
    wholes = [_whole(f) for f in flips]
    observed = [
        float(value(rows.sum(axis=0)[None])[0]) if f.sign() else 0.0 for f, (rows, value) in zip(flips, wholes, strict=True)
    ]
    tossed = 1 + max(int(own.max()) for own in coins)
    draws = np.empty((resamples, len(flips)))
    block = max(1, BLOCK_ENTRIES // tossed)
    for first in range(0, resamples, block):
        bits = flip_bits(tossed, first, min(block, resamples - first), seed).astype(float)
        for column, ((rows, value), own) in enumerate(zip(wholes, coins, strict=True)):
            sums = rows.sum(axis=0) - 2.0 * (bits[:, own] @ rows)
            draws[first : first + len(bits), column] = value(sums)
    return np.array(observed), draws


def _whole(flips: Flips) -> tuple[Array, Callable[[Array], Array]]:
    """Whole numbers to flip, and the statistic of their sums: exact sums make results the same for any block size."""
    if flips.line is not None:
        return fixed_line(flips)[0][:, None].astype(float), lambda sums: sums[:, 0]
    if flips.on_a_lattice:
        return flips.vectors.astype(float), flips.statistic.difference
    whole, shift = numbers.fixed_point(flips.vectors, FIXED_POINT_BITS)
    return whole.astype(float), lambda sums: flips.statistic.difference(np.ldexp(sums, -shift))


def _check(observed: Array, draws: Array) -> None:
    if observed.ndim != 1 or draws.ndim != 2 or draws.shape[1] != len(observed):
        raise OutscoreError(
            f"`draws` has shape {draws.shape} for {observed.shape} observed statistics.",
            "Give one row for each resample and one column for each statistic.",
        )
    if not np.isfinite(observed).all() or not np.isfinite(draws).all():
        raise OutscoreError("A statistic is not a finite number in every resample.", "Leave that statistic out of the family.")

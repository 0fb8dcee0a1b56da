"""Permutation tails by seeded sampling, for statistics no exact method serves."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.exact import numbers
from outscore.inference.base import p_values
from outscore.inference.base.sign_flips import Flips, KernelOptions
from outscore.inference.permutation.linear import FIXED_POINT_BITS, fixed_line
from outscore.resampling.flips import count_hits
from outscore.results.pvalue import PValue

__all__ = ["monte_carlo"]


def monte_carlo(flips: Flips, request: KernelOptions) -> PValue:
    """p = (hits + 1)/(K + 1), ties counted as hits, with 99 % bounds for the exact value."""
    vectors, statistic, slack = _linear(flips) if flips.line is not None else _nonlinear_flips(flips)
    # Rows that do not move stay: a row's coin depends on its place alone, so all metrics of one data set
    # share their swaps.
    if not vectors.any():
        return p_values.identical_p()
    observed = float(statistic(vectors.sum(axis=0)[None])[0])
    if request.alternative == "two-sided":
        hits = count_hits(
            vectors, lambda s: np.abs(statistic(s)) >= abs(observed) - slack, resamples=request.resamples, seed=request.seed
        )
    else:
        turn = flips.orientation * (1 if request.alternative == "greater" else -1)
        hits = count_hits(
            vectors, lambda s: turn * statistic(s) >= turn * observed - slack, resamples=request.resamples, seed=request.seed
        )
    return p_values.sampled_p(hits, request.resamples, "sign-flips")


def _linear(flips: Flips) -> tuple[Array, Callable[[Array], Array], float]:
    line, _, slack = fixed_line(flips)
    return line[:, None], lambda sums: sums[:, 0], float(slack)


def _nonlinear_flips(flips: Flips) -> tuple[Array, Callable[[Array], Array], float]:
    """Real columns have a power of two each, which the sums are divided by before the metric sees them."""
    statistic = flips.statistic
    slack = statistic.slack
    if flips.on_a_lattice:
        return flips.vectors, statistic.difference, slack
    columns, shifts = zip(*(numbers.fixed_point(column, FIXED_POINT_BITS) for column in flips.vectors.T), strict=True)
    whole, shift = np.stack(columns, axis=1), np.array(shifts)
    # Rounding to fixed point moves a total by as many units as there are rows.
    slack *= 1 + math.ldexp(len(whole), -FIXED_POINT_BITS) / TIE_TOLERANCE
    return whole, lambda sums: statistic.difference(np.ldexp(sums, -shift)), slack

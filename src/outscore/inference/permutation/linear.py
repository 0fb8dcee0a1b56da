"""Permutation tails of linear metrics: one number per unit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LOG2, Array
from outscore.exact import binomial, bracket, enumeration, lattice, numbers
from outscore.exact.flipsum import BudgetError
from outscore.exact.lattice import Tail
from outscore.inference.base import p_values
from outscore.inference.base.paired import side_of
from outscore.inference.base.sign_flips import Flips, KernelOptions
from outscore.results.pvalue import PValue

__all__ = ["FIXED_POINT_BITS", "certified_p", "exact_p", "fixed_line"]

FIXED_POINT_BITS = 52
MAX_REAL = 34
"""Real numbers of which all sums are listed unasked; beyond, bounds a few thousandths apart take a fraction of the time."""
UNASKED_SIEVE = 3e6
"""Sines that an exact p may cost unasked, about 60 ms: bounds take a tenth of that. One that is asked for may take its time."""


def exact_p(flips: Flips, request: KernelOptions) -> PValue:
    """Binomial, lattice or meet in the middle; `BudgetError` when none of them serves."""
    line = cast("Array", flips.line)
    sign = flips.sign()
    if not flips.on_a_lattice:
        sizes, observed, slack = fixed_line(flips)
        if np.count_nonzero(sizes) > MAX_REAL and request.method == "auto":
            raise BudgetError
        return _meet_in_the_middle(np.abs(sizes[sizes != 0]), abs(observed) if sign else 0, sign, request, slack)
    values, counts = lattice.histogram(line)
    observed, n = abs(int(flips.observed)), int(counts.sum())
    if n == 0:
        return p_values.identical_p()
    if len(values) == 1:
        return p_values.exact_p(binomial.tail(n, (n + observed // int(values[0])) // 2), sign, n, "binomial", request)
    budget = UNASKED_SIEVE if request.method == "auto" else lattice.SIEVE_BUDGET
    try:
        return p_values.exact_p(lattice.tail(values, counts, observed, budget=budget), sign, n, "lattice", request)
    except BudgetError:
        if len(values) == 2:
            return p_values.exact_p(binomial.two_sizes(values, counts, observed), sign, n, "two-binomials", request)
        if n > enumeration.MAX_HALVED:
            raise
    return _meet_in_the_middle(np.repeat(values, counts), observed, sign, request, 0)


def fixed_line(flips: Flips) -> tuple[Array, int, int]:
    """Contributions as whole numbers, their sum, and how far apart two sums may be and still be a tie."""
    line = cast("Array", flips.line)
    if flips.on_a_lattice:
        return line, int(line.sum()), 0
    whole, shift = numbers.fixed_point(line, FIXED_POINT_BITS)
    return whole, int(whole.sum()), len(line) + math.ceil(Fraction(flips.doubt) * Fraction(2) ** shift)


def _meet_in_the_middle(sizes: Array, observed: int, sign: int, request: KernelOptions, slack: int) -> PValue:
    n = len(sizes)
    if n == 0:
        return p_values.identical_p()
    if n > enumeration.MAX_HALVED:
        raise BudgetError
    at_least, beyond = enumeration.meet_in_the_middle(sizes, observed - slack, observed + slack + 1)
    tail = Tail(math.log(at_least) - n * LOG2, p_values.log(at_least - beyond) - n * LOG2)
    return p_values.exact_p(tail, sign, n, "meet-in-the-middle", request)


def certified_p(flips: Flips, request: KernelOptions) -> PValue:
    """Bounds by Selberg's polynomials for numbers of any kind."""
    if flips.line is None:
        raise OutscoreError(
            f"Certified bounds exist for linear metrics, and {flips.name} is not linear in these data.",
            "Ask for the method auto.",
        )
    line, sign = flips.line, flips.sign()
    if not line.any() or (sign == 0 and request.alternative == "two-sided"):
        return p_values.identical_p()
    ties = request.alternative == "two-sided" or request.favours(sign)
    observed = abs(flips.observed) if sign else 0.0
    if flips.on_a_lattice:
        # Sums lie on a lattice of step twice the divisor: half-way to the next one nothing can tie, so no
        # bound stalls.
        divisor = int(np.gcd.reduce(line))
        observed += -divisor if ties else divisor
    log_level = None
    if request.level is not None:
        log_level = math.log(side_of(request.level, request.alternative))
    if observed < 0:
        return p_values.certified_p(bracket.HALF, sign, request)
    found = bracket.bounds(line.astype(float), observed, doubt=flips.doubt, ties=ties, width=request.width, log_level=log_level)
    return p_values.certified_p(found, sign, request)

"""Power of the paired permutation test on normal differences: the signs of n units are flipped.

Its two-sided p is a multiple of 2/2ⁿ, so the level it works at is α rounded down to such a multiple: 0 below six
units at α = .05, .031 at six, .047 at seven. Where no more than three sign patterns are extreme enough, they are
known by name and their probability is an integral over one variable. With more of them the test soon is as powerful
as the paired t test at the level it works at, which it becomes (Hoeffding, 1952, Ann. Math. Stat. 23). In between,
what three patterns cost against that t test, as a distance of normal quantiles, is taken to fade as k^-¾ with their
number k: an interpolation that was measured, within .025 of simulated power at levels from .001 to .1.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.base.sign_flips import Alternative
from outscore.laws.normal import normal, normal_quantile
from outscore.laws.student import noncentral_student, student_quantile

__all__ = ["flip_power", "noncentral_t_power"]

NAMED = 3
"""Of all sign patterns the three with the largest sums are always the same: all pluses, and one minus at the smallest
or the second smallest size."""
WIDTH = 9.0
"""The integrals end so many standard deviations beyond the mean."""
NODES = 120
FADED = 2_000
"""From so many extreme patterns on nothing is left of what few of them cost."""
FADING = 0.75


def flip_power(units: int, shift: float, alpha: float, alternative: Alternative) -> float:
    """Chance that sign flips of normal differences reject; `shift` is their mean over their sd, positive as the test looks.

    Examples
    --------
    >>> [round(flip_power(n, 1.0, 0.05, "two-sided"), 3) for n in (5, 6, 8, 20)]
    [0.0, 0.355, 0.653, 0.989]
    """
    tails = 2 if alternative == "two-sided" else 1
    # Beyond sixty units no double tells the levels apart.
    steps = min(units, 60)
    extreme = math.floor(alpha / tails * 2.0**steps * (1 + 1e-12))
    if extreme < 1:
        return 0.0
    if shift > WIDTH:
        return 1.0
    if extreme <= NAMED:
        wrong = _named(units, -shift, extreme) if tails == 2 else 0.0
        return min(1.0, _named(units, shift, extreme) + wrong)

    def like_t(patterns: int) -> float:
        return noncentral_t_power(units - 1, shift * math.sqrt(units), patterns / 2.0**steps, two_sided=tails == 2)

    smooth = like_t(extreme)
    if extreme >= FADED or shift <= 0:
        return smooth
    cost = _quantile(like_t(NAMED)) - _quantile(_named(units, shift, NAMED))
    return _normal(_quantile(smooth) - max(0.0, cost) * (NAMED / extreme) ** FADING)


def _quantile(chance: float) -> float:
    return normal_quantile(min(max(chance, 1e-15), 1 - 1e-15))


def _normal(z: float) -> float:
    return normal(z)


def _named(units: int, shift: float, patterns: int) -> float:
    """P(the signs are among the most extreme patterns): all plus; a minus at the smallest size; at the second smallest."""
    chance = normal(shift) ** units
    if patterns == 1:
        return chance
    points, weights = _nodes()
    reach = WIDTH + abs(shift)
    size = reach * (points + 1) / 2
    # A minus of size u, and all others plus and larger; or one of them smaller.
    density = np.exp(-((size + shift) ** 2) / 2) / math.sqrt(2 * math.pi) * weights * reach / 2
    larger = np.array([normal(shift - s) for s in size.tolist()])
    smaller = normal(shift) - larger
    chance += units * float(density @ larger ** (units - 1))
    if patterns == NAMED:
        chance += units * (units - 1) * float(density @ (smaller * larger ** (units - 2)))
    return chance


@functools.cache
def _nodes() -> tuple[Array, Array]:
    """Gauss and Legendre's points and weights, which are dear to find."""
    return np.polynomial.legendre.leggauss(NODES)


def noncentral_t_power(df: float, noncentrality: float, side: float, *, two_sided: bool) -> float:
    """Power of a t test whose tails hold `side` each; a negative noncentrality points away from the side tested."""
    critical = -student_quantile(df, side)
    if noncentrality < 0:
        return noncentral_student(df, -noncentrality, -critical)
    right = 1 - noncentral_student(df, noncentrality, critical)
    wrong = noncentral_student(df, noncentrality, -critical) if two_sided else 0.0
    return min(1.0, right + wrong)

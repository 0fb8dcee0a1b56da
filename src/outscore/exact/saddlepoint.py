"""Lugannani and Rice's approximation to a tail of a sum of sign flips: quick, close, not certified.

`approximate_probit` finds where certified bounds are worth computing, and gives no p-value. `log_saddlepoint`
gives one, to macro averages over datasets where a ranking has too many pairs for a kernel each; results call
it asymptotic.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.exact.flipsum import FlipSum, log_cosh
from outscore.exact.lattice import tilt

EXTREME = 1e-12
"""A sum so near the largest there is, as a share of it, is the largest: what is missing is rounding."""
STEPS = 200


def approximate_probit(sizes: Array, observed: float) -> float:
    """Φ⁻¹ of P(Σ ε a ≥ observed), approximately, for observed of either sign.

    Barndorff-Nielsen's form r* = r + log(u / r) / r of the approximation (Lugannani and Rice, 1980, eq. 3.1).

    Examples
    --------
    >>> import numpy as np
    >>> round(approximate_probit(np.arange(1.0, 101.0), 1000.0), 2)  # exact: -1.72
    -1.72
    """
    sizes = np.abs(sizes[sizes != 0])
    scale = float(sizes.max())
    target = abs(observed) / scale
    law = FlipSum((sizes / scale)[:, None], np.ones(len(sizes)))
    if target >= (1 - EXTREME) * float((sizes / scale).sum()):
        return -math.copysign(math.sqrt(2 * len(sizes) * math.log(2)), observed)
    if target == 0.0:
        return 0.0
    law, theta = tilt(law, target)
    r = math.sqrt(max(0.0, 2 * (float(theta[0]) * target - law.log_mgf(theta))))
    u = float(theta[0]) * math.sqrt(float(law.covariance(theta)[0, 0]))
    # Near the centre log(u/r)/r is 0/0 and its limit is 0 for a symmetric law.
    star = r + math.log(u / r) / r if r > 1e-3 else r
    return -math.copysign(star, observed)


def log_saddlepoint(counts: Array, sizes: Array, observed: Array, half_step: Array) -> Array:
    """log P(|Σ ε s| ≥ |observed|) of many sums at once: row by row, `counts` flips of each of the `sizes`.

    Lugannani and Rice (1980, eq. 3.1) in Barndorff-Nielsen's form, as `approximate_probit`. Their law is
    smooth; `half_step`, half the distance between two possible sums, makes room for ties (Daniels, 1987). All
    flips one way have a known probability, which is exact.

    Examples
    --------
    >>> counts, sizes = np.array([[60, 40]]), np.array([[2.0, 5.0]])
    >>> np.exp(log_saddlepoint(counts, sizes, np.array([90.0]), np.array([1.0]))).round(4).item()  # exact: .0111
    0.0111
    """
    import scipy.special

    unit = np.maximum(sizes.max(axis=1), 1e-300)[:, None]
    sizes, extreme = sizes / unit, np.abs(observed) / unit[:, 0]
    target = np.maximum(extreme - half_step / unit[:, 0], 0.0)
    flips = counts.sum(axis=1)
    largest = (counts * sizes).sum(axis=1)
    inner = (target > 0) & (extreme < largest * (1 - EXTREME))
    result = np.where(target > 0, (1 - flips) * math.log(2.0), 0.0)
    m, w, t = counts[inner].astype(float), sizes[inner], target[inner]
    theta = _saddle_points(m, w, t)[:, None]
    spread = 4 * np.exp(-2 * theta * w) / (1 + np.exp(-2 * theta * w)) ** 2
    r = np.sqrt(np.maximum(0.0, 2 * (theta[:, 0] * t - (m * log_cosh(theta * w)).sum(axis=1))))
    u = theta[:, 0] * np.sqrt((m * w * w * spread).sum(axis=1))
    near = r < 1e-3
    safe = np.where(near, 1.0, r)
    star = np.where(near, r, safe + np.log(np.where(near, 1.0, u) / safe) / safe)
    result[inner] = np.minimum(0.0, math.log(2.0) + scipy.special.log_ndtr(-star))
    return np.asarray(result)


def _saddle_points(counts: Array, sizes: Array, target: Array) -> Array:
    """θ with Σ c s tanh(θ s) = target: Newton's steps, which for a concave function never overshoot from the left."""
    theta = target / (counts * sizes * sizes).sum(axis=1)
    for _ in range(STEPS):
        tanh = np.tanh(theta[:, None] * sizes)
        gap = target - (counts * sizes * tanh).sum(axis=1)
        slope = (counts * sizes * sizes * (1 - tanh * tanh)).sum(axis=1)
        step = gap / np.maximum(slope, 1e-300)
        theta = theta + step
        if (np.abs(step) <= 1e-12 * theta).all():
            break
    return np.asarray(theta)

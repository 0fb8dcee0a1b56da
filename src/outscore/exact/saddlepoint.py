"""Lugannani and Rice's approximation to a tail of a sum of sign flips: quick, close, not certified.

Used only to find where certified bounds are worth computing; no p-value comes from here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outscore.exact.flipsum import FlipSum
from outscore.exact.lattice import saddle_point

__all__ = ["approximate_probit"]

Array = NDArray[Any]

EXTREME = 1e-12
"""A sum so near the largest there is, as a share of it, is the largest: what is missing is rounding."""


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
    if target >= (1 - EXTREME) * math.fsum((sizes / scale).tolist()):
        return -math.copysign(math.sqrt(2 * len(sizes) * math.log(2)), observed)
    if target == 0.0:
        return 0.0
    theta = saddle_point(law, target)
    r = math.sqrt(max(0.0, 2 * (float(theta[0]) * target - law.log_mgf(theta))))
    u = float(theta[0]) * math.sqrt(float(law.covariance(theta)[0, 0]))
    # Near the centre log(u/r)/r is 0/0 and its limit is 0 for a symmetric law.
    star = r + math.log(u / r) / r if r > 1e-3 else r
    return -math.copysign(star, observed)

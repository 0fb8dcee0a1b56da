"""Where the spread of repeated scores comes from: items that differ, or runs of one item that do.

With y_ik = μ + b_i + e_ik, b of variance σ_b² (between items) and e of variance σ_w² (within an item, from run to run), the
analysis of variance equates mean squares with their expectations (Searle, Casella and McCulloch, 1992, chapter 3):

    σ_w² = MSW,    σ_b² = (MSB - MSW) / n₀,    n₀ = (N - Σ n_i² / N) / (k - 1)

for k items with n_i repeats each, N in all. With equally many repeats n₀ is their number, and both agree with REML where the
estimate of σ_b² is not negative; where it is, 0 is reported.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array

__all__ = ["variance_parts"]


def variance_parts(values: Array, items: Array) -> tuple[float, float] | None:
    """Variance between items and variance within an item, from scores with an item code each.

    None where the two cannot be told apart: fewer than two items, or no item with a second score.

    Examples
    --------
    >>> between, within = variance_parts(np.array([0.2, 0.4, 0.7, 0.9]), np.array([0, 0, 1, 1]))
    >>> round(between, 6), round(within, 6)
    (0.115, 0.02)
    """
    sizes = np.bincount(items)
    sizes, codes = sizes[sizes > 0], np.unique(items, return_inverse=True)[1]
    n, k = len(values), len(sizes)
    if k < 2 or n == k:
        return None
    # About one of the scores: squares of a small spread on top of a large score lose no digits, and equal scores have none.
    y = np.asarray(values, dtype=float) - float(values[0])
    means = np.bincount(codes, weights=y) / sizes
    within = float(((y - means[codes]) ** 2).sum()) / (n - k)
    among = float((sizes * (means - y.mean()) ** 2).sum()) / (k - 1)
    typical = (n - float((sizes**2).sum()) / n) / (k - 1)
    return max(0.0, (among - within) / typical), within

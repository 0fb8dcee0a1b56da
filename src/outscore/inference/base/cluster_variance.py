"""The variance of a mean whose items come in clusters, and how far that variance can be trusted.

Residuals of one cluster depend on one another, so only their sums S_g count. Their squares are too small,
because the mean was fitted to them, the more so the larger the cluster's share f_g = n_g/N. CR2 (Bell and
McCaffrey, 2002, "Bias reduction in standard errors for linear regression with multi-stage samples", Survey
Methodology 28) makes up for it cluster by cluster, exactly where items are independent:

    V = Σ_g S_g² / (1 - f_g) / N²

Few large clusters leave V with far fewer degrees of freedom than G - 1. Those of Bell and McCaffrey match the
first two moments of V with a chi-square, tr(M)²/tr(M²) with M = diag(n) - nn'/N scaled by 1/√(1 - f_g) on both
sides, which for a mean is

    df = 1 / (Σ f_g² + (Σ q_g)² - Σ q_g²),   q_g = f_g²/(1 - f_g)

Clusters of one size give back (G/(G-1)) Σ S_g²/N² and G - 1, and single items s²/n and n - 1. A ratio Σt/Σb is
the mean of t/b weighted by b: its sizes are the clusters' sums of b.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array, exact_sum


def cluster_variance(sums: Array, sizes: Array | None = None) -> tuple[float, float]:
    """CR2 variance of a mean, and its Bell–McCaffrey degrees of freedom; (0, 0) for a single cluster.

    Parameters
    ----------
    sums
        Sums of the residuals (score minus mean), one per cluster.
    sizes
        How many items, or how much weight, each cluster has; None where each is one item.

    Examples
    --------
    >>> sums = np.array([2.0, -1.0, -1.0])
    >>> [round(x, 6) for x in cluster_variance(sums, np.array([4, 4, 4]))]  # equal clusters: 3/2 · 6/144, 2
    [0.0625, 2.0]
    >>> [round(x, 6) for x in cluster_variance(sums, np.array([10, 1, 1]))]
    [0.181818, 1.19802]
    """
    sums = np.asarray(sums, dtype=float)
    if sizes is None:
        n = len(sums)
        return (exact_sum(sums * sums / ((n - 1) / n)) / n**2, n - 1.0) if n > 1 else (0.0, 0.0)
    sizes = np.asarray(sizes, dtype=float)
    df = bell_mccaffrey_df(sizes)
    if not df:
        return 0.0, 0.0
    whole = exact_sum(sizes)
    return exact_sum(sums * sums / (_others(sizes) / whole)) / whole**2, df


def _others(sizes: Array) -> Array:
    """What all other clusters have: that of the largest is added up, as the whole less nearly all of it would be rounding."""
    left = exact_sum(sizes) - sizes
    largest = int(np.argmax(sizes))
    left[largest] = exact_sum(np.delete(sizes, largest))
    return left


def bell_mccaffrey_df(sizes: Array) -> float:
    """Degrees of freedom of the CR2 variance of a mean of clusters of these sizes; 0 for a single cluster.

    Examples
    --------
    >>> bell_mccaffrey_df(np.array([5, 5, 5, 5])), round(bell_mccaffrey_df(np.array([100, 5, 5, 5, 5, 5, 5, 5])), 4)
    (3.0, 1.665)
    """
    filled = np.asarray(sizes, dtype=float)
    filled = filled[filled > 0]
    if len(filled) < 2:
        return 0.0
    if (filled == filled[0]).all():
        return len(filled) - 1.0
    share = filled / exact_sum(filled)
    q = share * filled / _others(filled)
    largest = int(np.argmax(q))
    rest = np.delete(q, largest)
    # (Σ q)² - Σ q² without the square of the largest, which may exceed all else by more than the digits of a number.
    products = exact_sum(rest) * (2 * float(q[largest]) + exact_sum(rest)) - exact_sum(rest**2)
    # Never below 1 but for rounding: M is not 0 and has no negative eigenvalue.
    return max(1.0, 1 / (exact_sum(share**2) + products))


def effective_clusters(sizes: Array) -> float:
    """N²/Σ n_g²: how many clusters of one size tell as much about a mean as these, if each is of one piece.

    Examples
    --------
    >>> effective_clusters(np.array([5, 5, 5, 5])), round(effective_clusters(np.array([100, 5, 5])), 4)
    (4.0, 1.204)
    """
    sizes = np.asarray(sizes, dtype=float)
    return exact_sum(sizes) ** 2 / exact_sum(sizes**2)

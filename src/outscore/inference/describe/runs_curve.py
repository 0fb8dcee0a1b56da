"""How the difference depends on the number of runs: pass@K, or pass^K, for K = 1 … n with a band that holds all at once.

With d_iK the difference of item i in pass@K, the band is mean ± q·error of each K, and q the quantile of the largest of the
absolute deviations max_K |T_K| (max-T; Westfall and Young, 1993), drawn by random signs of the items' residuals, or of
clusters' sums of them: the same signs for every K, so that what the K have in common is allowed for. The errors are those of
the mean item difference (CR2 where items come in clusters) with an item of +1/2 and one of -1/2 added, as Agresti and Caffo
(2000) add successes and failures: at large K few items differ, and where none does, the difference is still not known without
error. q is taken from Student's law as far out as it lies in the normal one.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.core.reduction import Kind, pass_rate
from outscore.core.repeats import Draws
from outscore.inference.base.cluster_variance import cluster_variance
from outscore.laws.normal import normal, normal_quantile
from outscore.laws.student import student_quantile, t_quantile
from outscore.results.analysis import RunsCurve, RunsPoint

__all__ = ["runs_curve"]

DRAWN = 4_000
MAX_POINTS = 64
"""Numbers of runs that are shown; of more, as many as that, evenly on a logarithmic scale."""
ADDED = 0.5
"""Squares of the two items that are added."""
BLOCK = 1 << 21


def runs_curve(
    draws: tuple[Draws, Draws], kind: Kind = "pass@", *, alpha: float = 0.05, clusters: Array | None = None, seed: int = 0
) -> RunsCurve | None:
    """The curve of right-or-wrong runs; None where runs are graded, where there are no two of an item, or fewer than two units.

    `clusters` are codes of the items, where these come in clusters.

    Examples
    --------
    >>> items = np.repeat(np.arange(4), 2)
    >>> found = runs_curve((Draws(np.array([1, 1, 1, 0, 0, 1, 0, 0]), items), Draws(np.array([0, 1, 0, 0, 0, 1, 0, 0]), items)))
    >>> [(point.k, point.difference) for point in found.points]
    [(1, 0.25), (2, 0.25)]
    """
    if any(((one.values != 0) & (one.values != 1)).any() or one.values.ndim > 1 for one in draws):
        return None
    n = 1 + int(draws[0].items.max())
    runs = [np.bincount(one.items, minlength=n) for one in draws]
    right = [np.bincount(one.items, weights=one.values, minlength=n).astype(np.int64) for one in draws]
    least = int(min(counts.min() for counts in runs))
    units = n if clusters is None else int(clusters.max()) + 1
    if least < 2 or units < 2:
        return None
    ks = list(range(1, least + 1))
    if least > MAX_POINTS:
        ks = sorted({round(k) for k in np.geomspace(1, least, MAX_POINTS)})
    rates = [np.stack([_rates(kind, counts, good, k) for k in ks], axis=1) for counts, good in zip(runs, right, strict=True)]
    d = rates[0] - rates[1]
    mean = d.mean(axis=0)
    residuals = d - mean
    sizes = None
    if clusters is not None:
        sizes = np.bincount(clusters)
        residuals = np.stack([np.bincount(clusters, weights=column) for column in residuals.T], axis=1)
    found = [cluster_variance(column, sizes) for column in residuals.T]
    error = np.sqrt([variance + ADDED / units**2 for variance, _ in found])
    reach = _quantile(residuals, alpha, min(df for _, df in found), seed) * error
    points = [RunsPoint(k, float(x), float(x - half), float(x + half)) for k, x, half in zip(ks, mean, reach, strict=True)]
    return RunsCurve(kind, points, 1 - alpha)


def _rates(kind: Kind, runs: Array, right: Array, k: int) -> Array:
    """pass@k or pass^k of every item."""
    pairs, places = np.unique(np.stack([runs, right], axis=1), axis=0, return_inverse=True)
    return np.array([float(pass_rate(kind, n, c, k)) for n, c in pairs.tolist()])[places.ravel()]


def _quantile(residuals: Array, alpha: float, df: float, seed: int) -> float:
    """The quantile of max |T| under random signs, as far out in Student's law as it is in the normal one."""
    norm = np.sqrt((residuals**2).sum(axis=0))
    moving = residuals[:, norm > 0] / norm[norm > 0]
    if not moving.size:
        return t_quantile(df, alpha) if df else 0.0
    stream = np.random.Generator(np.random.Philox(key=seed))
    block = max(1, BLOCK // len(moving))
    largest = []
    for start in range(0, DRAWN, block):
        signs = 2.0 * stream.integers(0, 2, (min(block, DRAWN - start), len(moving))) - 1
        largest.append(np.abs(signs @ moving).max(axis=1))
    z = max(float(np.quantile(np.concatenate(largest), 1 - alpha)), -normal_quantile(alpha / 2))
    return -student_quantile(df, normal(-z)) if math.isfinite(df) else z

"""Whether one strength per system explains who beats whom, or whether pairs have win rates of their own.

The model of Bradley and Terry is set against the saturated one by the score of the pairs' own rates at the fitted strengths,
with its variance over prompts: with R_g the residuals of prompt g, one for each pair that met, projected off the directions in
which the strengths were fitted,

    T = (Σ R_g)' (Σ R_g R_g')⁻ (Σ R_g),   (G - q) T / (q (G - T)) ~ F(q, G - q)

for q = pairs - systems + 1 degrees of freedom (Hotelling's T²; Boos, 1992, for scores of which parameters were fitted). The χ²
of rows counts votes of one prompt as independent and rejects far too often. With q ≥ G - 1 there is no test.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.preferences.strengths import Strengths
from outscore.inference.preferences.tally import Tally

MAX_PAIRS = 400
"""Pairs up to which the covariance of all of them is held at once."""
ALIKE = 1e-9
"""Of the prompts, how far below their number a statistic may stay that only rounding keeps from it."""


@dataclass(frozen=True)
class ScoreTest:
    """The statistic F, its degrees of freedom and its p; `note` says why there is none."""

    statistic: float | None
    df: int
    units: int
    p: float | None
    note: str = ""


def score_test(tally: Tally, strengths: Strengths) -> ScoreTest:
    """Test one strength per system against a win rate of its own for each pair."""
    import scipy.special
    from scipy import sparse

    df = tally.pairs - tally.systems + int(strengths.group.max()) + 1
    units = tally.units
    missing = _untestable(tally, strengths, df)
    if missing:
        return ScoreTest(None, df, units, None, missing)
    theta = strengths.theta
    p = 1 / (1 + np.exp(theta[tally.right] - theta[tally.left]))
    values = (tally.d + tally.n) / 2 - p[tally.pair] * tally.n
    residual = sparse.csr_matrix((values, (tally.unit, tally.pair)), shape=(units, tally.pairs))
    # Pairs' residuals react to fitted strengths by D = diag(n p (1 - p)) X; what X explains is taken out.
    design = np.zeros((tally.pairs, tally.systems))
    design[np.arange(tally.pairs), tally.left] = 1.0
    design[np.arange(tally.pairs), tally.right] = -1.0
    information = (tally.total * p * (1 - p))[:, None] * design
    hat = information @ np.linalg.pinv(design.T @ information) @ design.T
    free = np.eye(tally.pairs) - hat
    total = free @ np.bincount(tally.pair, weights=values, minlength=tally.pairs)
    values, vectors = np.linalg.eigh(free @ (residual.T @ residual).toarray() @ free.T)
    kept = np.argsort(values)[::-1][:df]
    if values[kept].min() <= 1e-10 * values.max():
        return ScoreTest(None, df, units, None, "Some pairs do not vary between prompts.")
    t = float((((vectors[:, kept].T @ total) ** 2) / values[kept]).sum())
    if units - t <= ALIKE * units:
        return ScoreTest(None, df, units, None, "All prompts give the same verdicts, so nothing varies between them.")
    statistic = (units - df) * t / (df * (units - t))
    return ScoreTest(statistic, df, units, float(scipy.special.fdtrc(df, units - df, statistic)))


def _untestable(tally: Tally, strengths: Strengths, df: int) -> str:
    """Why nothing can be tested; empty where it can."""
    if df < 1:
        return "The pairs that met form no circle, so nothing can contradict the order."
    if not strengths.core.all():
        return "Some strengths are not finite."
    if df >= tally.units - 1:
        free = "1 degree of freedom needs" if df == 1 else f"{df} degrees of freedom need"
        return f"{free} more than {df + 1} prompts."
    return f"There are more than {MAX_PAIRS} pairs." if tally.pairs > MAX_PAIRS else ""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles of claims: `paths` names a shortest one of each set of systems that beat each other in a circle.

    `part` numbers these sets from 0; systems that are in no circle have a number of their own.
    """

    paths: list[list[int]]
    part: Array


def circles_of(better: Array) -> Circles:
    """Where significant preferences run in a circle, each system preferred to the next and the last to the first.

    Parameters
    ----------
    better
        (k, k), systems best first: whether the row's system is significantly preferred to the column's.

    Examples
    --------
    >>> better = np.zeros((4, 4), dtype=bool)
    >>> better[[0, 1, 2, 0], [1, 2, 0, 3]] = True
    >>> circles_of(better).paths
    [[0, 1, 2]]
    """
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components, shortest_path

    part = connected_components(sparse.csr_matrix(better), directed=True, connection="strong")[1]
    paths = []
    for label in np.flatnonzero(np.bincount(part) > 2).tolist():
        members = np.flatnonzero(part == label)
        beats = better[np.ix_(members, members)]
        length, before = shortest_path(sparse.csr_matrix(beats), unweighted=True, return_predecessors=True)
        # A circle is a claim and the shortest way back.
        start, end = divmod(int(np.where(beats, length.T, np.inf).argmin()), len(members))
        way = [start]
        while way[-1] != end:
            way.append(int(before[end, way[-1]]))
        circle = members[[start, *way[:0:-1]]].tolist()
        first = circle.index(min(circle))
        paths.append(circle[first:] + circle[:first])
    return Circles(sorted(paths), np.asarray(part))

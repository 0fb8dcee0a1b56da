"""Strengths of systems with intervals over prompts, and whether one strength per system explains who beats whom."""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.classical.student import Estimate
from outscore.inference.preferences.models import (
    Cells,
    Fit,
    Spread,
    davidson_chances,
    fit_davidson,
    fit_model,
    graph_of,
    spread_of,
)
from outscore.inference.preferences.tally import Tally
from outscore.results.preference import Intransitivity

# Strengths of systems by the models of battles (`models`), with intervals for new draws of whole prompts.
#
# The model has one curve for all pairs, and votes of a prompt depend on one another. Both are left to the variance, which
# leaves out one prompt at a time, and to its degrees of freedom (`left_out`).
#
# The estimate is finite only where nobody is unbeaten, nor any set of systems by all others (Ford, 1957): the graph of who
# took anything from whom is strongly connected. Systems outside its largest such part get a bound instead, from the chance
# of no loss at all on so many prompts.


DIGITS = 9
"""Decimals of log-odds beyond which strengths do not differ."""


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths of all systems.

    Parameters
    ----------
    theta
        Log-odds, Σ = 0 within a group's core; inf and -inf where only a bound exists, nan where nothing is known.
    spreads
        How the strengths of each group's core vary over prompts, and its systems; None where it has a single one or prompt.
    group
        Sets of systems that have met, directly or through others; strengths of different sets cannot be compared.
    core
        Whether a system is in the largest part of its group in which every system took something from another.
    bound
        Of systems outside the core, the limit of level 1 - α/2: at least (unbeaten) or at most; nan where there is none.
    prompts
        How many units each system has battles on, within its core.
    below
        How many systems are ahead for certain: a chain of wins leads from them, and none back.
    units
        Prompts.
    log_nu
        Of Davidson's model, how likely ties are; None where they are half wins.
    """

    theta: Array
    spreads: list[tuple[Array, Spread] | None]
    group: Array
    core: Array
    bound: Array
    prompts: Array
    below: Array
    units: int
    log_nu: float | None = None

    def rate(self, gap: float) -> float:
        """The win rate, ties as half, at a difference of strengths."""
        if self.log_nu is None:
            return 1 / (1 + math.exp(-gap)) if gap >= 0 else math.exp(gap) / (1 + math.exp(gap))
        return (1 + float(davidson_chances(np.array(gap), self.log_nu)[0])) / 2

    @property
    def finite(self) -> bool:
        """Whether all systems are in one core."""
        return bool(self.core.all()) and bool((self.group == 0).all())

    def contrast(self, i: int, j: int) -> Estimate:
        """θ_i - θ_j of two systems of a core."""
        return self._estimate(float(self.theta[i] - self.theta[j]), i, j)

    def strength(self, i: int) -> Estimate:
        """θ_i of a system of a core."""
        return self._estimate(float(self.theta[i]), i)

    def _estimate(self, value: float, *which: int) -> Estimate:
        """With the prompts of the system with fewer; the error is not known where leaving out single ones does not show it."""
        prompts = int(self.prompts[list(which)].min())
        fitted = self.spreads[int(self.group[which[0]])]
        if fitted is None:
            return Estimate(value, math.nan, prompts, 1.0)
        members, spread = fitted
        at = [int(np.searchsorted(members, system)) for system in which]
        error = spread.error(*at)
        return Estimate(value, error, prompts, 1.0 if math.isnan(error) else spread.df(*at))


def strengths_of(tally: Tally, alpha: float, ties: str = "half") -> Strengths:
    """Strengths, variances and bounds of all systems that have met anybody.

    Examples
    --------
    >>> from outscore.inference.preferences.tally import tally_of
    >>> from outscore.scores.battles import Battles
    >>> from outscore.scores.system import Labels
    >>> first, second = np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1])
    >>> share, prompts = np.array([1.0, 1.0, 1.0, 0.0]), Labels.of("abcd")
    >>> strengths = strengths_of(tally_of(Battles(("x", "y"), first, second, share, prompts)), 0.05)
    >>> strengths.theta.round(6).tolist(), strengths.finite
    ([0.549306, -0.549306], True)
    """
    k = tally.systems
    from scipy.sparse.csgraph import connected_components, shortest_path

    labels = connected_components(graph_of(k, tally.left, tally.right), directed=False)[1]
    # In order of the size of the sets, largest first.
    group = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))[labels]
    won, lost = (tally.total + tally.lead) / 2 > 0, (tally.total - tally.lead) / 2 > 0
    winner, loser = (np.concatenate([a[won], b[lost]]) for a, b in ((tally.left, tally.right), (tally.right, tally.left)))
    victories = graph_of(k, winner, loser)
    part = connected_components(victories, directed=True, connection="strong")[1]
    # Whether a chain of wins or ties leads from the row's system to the column's.
    beats = np.isfinite(shortest_path(victories, unweighted=True))
    theta, bound, prompts = np.full(k, np.nan), np.full(k, np.nan), np.zeros(k, dtype=np.int64)
    core = np.zeros(k, dtype=bool)
    spreads: list[tuple[Array, Spread] | None] = []
    log_nu = None
    met = np.zeros((k, k), dtype=bool)
    met[tally.left, tally.right] = met[tally.right, tally.left] = True
    for g in range(int(group.max()) + 1 if k else 0):
        members = np.flatnonzero(group == g)
        main = _main_part(members, part, beats & ~beats.T, met)
        core[main] = True
        battles = tally.among(main)
        spreads.append(None)
        prompts[main] = _prompts(battles)
        if len(main) == 1:
            theta[main] = 0.0
            continue
        fit = _fit(battles, ties)
        theta[main] = fit.theta
        if battles.units > 1:
            spreads[g] = main, _spread(battles, fit)
        if g == 0 and len(fit.gamma):
            log_nu = float(fit.gamma[0])
    for system in np.flatnonzero(~core).tolist():
        rivals = np.flatnonzero(core & (group == group[system]))
        above, below = bool(beats[system, rivals].any()), bool(beats[rivals, system].any())
        if above != below:
            theta[system] = math.inf if above else -math.inf
            bound[system] = _bound(tally, system, theta, above=above, alpha=alpha)
    below = (beats & ~beats.T).sum(axis=0)
    return Strengths(theta, spreads, group, core, bound, prompts, below, tally.units, log_nu)


def _main_part(members: Array, part: Array, ahead: Array, met: Array) -> Array:
    """The largest part of a group; of several, the one that gives most others a bound, and rather those ahead of it.

    `ahead` says from which system a chain of wins leads to which, and none back.
    """
    sizes = np.bincount(part[members])
    largest = [members[part[members] == label] for label in np.flatnonzero(sizes == sizes.max()).tolist()]

    def served(own: Array) -> tuple[int, int, int, int]:
        above, below = ahead[np.ix_(members, own)].T, ahead[np.ix_(own, members)]
        bounded = ((above | below) & met[np.ix_(own, members)]).any(axis=0)
        placed = (above | below).any(axis=0)
        return int(bounded.sum()), int(placed.sum()), int(above.any(axis=0).sum()), -int(own[0])

    return max(largest, key=served)


def _fit(core: Tally, ties: str, *, alike: bool = False) -> Fit:
    """Davidson's model if it is asked for and somebody tied, else Bradley and Terry's; pairs count `alike`, or as they met."""
    lead, tied, weight = core.lead, core.by_pair(core.tied), core.total
    if alike:
        lead, tied, weight = lead / weight, tied / weight, np.ones(len(weight))
    if ties == "davidson" and tied.any():
        return fit_davidson(core.left, core.right, lead, tied, weight, core.systems)
    return fit_model(core.left, core.right, (1 + lead / weight) / 2, weight, core.systems)


def _spread(core: Tally, fit: Fit) -> Spread:
    """How the strengths of this fit vary over prompts."""
    left, right, n = core.left[core.pair], core.right[core.pair], core.n
    gap = fit.theta[left] - fit.theta[right]
    if not len(fit.gamma):
        p = 1 / (1 + np.exp(-gap))
        cells = Cells(core.unit, left, right, n * p * (1 - p), (core.d + n) / 2 - p * n)
        return spread_of(cells, fit.inverse, core.systems)
    ahead, drawn = davidson_chances(gap, float(fit.gamma[0]))
    cells = Cells(
        core.unit,
        left,
        right,
        n * (1 - drawn - ahead**2) / 4,
        (core.d - n * ahead) / 2,
        -n * ahead * drawn / 2,
        n * drawn * (1 - drawn),
        core.tied - n * drawn,
    )
    return spread_of(cells, fit.inverse, core.systems)


def _prompts(core: Tally) -> Array:
    """How many units each of these systems has battles on with another of them."""
    keys = np.concatenate([core.left[core.pair], core.right[core.pair]]) * core.units + np.tile(core.unit, 2)
    return np.bincount(np.unique(keys) // max(core.units, 1), minlength=core.systems)


def _bound(tally: Tally, system: int, theta: Array, *, above: bool, alpha: float) -> float:
    """The strength at which no loss at all (or no win) against the core on so many prompts has probability α/2.

    A prompt counts as one battle, at the mean log-probability of those it holds: votes of a prompt may agree for its sake.
    """
    cells = np.flatnonzero((tally.left[tally.pair] == system) | (tally.right[tally.pair] == system))
    pair = tally.pair[cells]
    rival = np.where(tally.left[pair] == system, tally.right[pair], tally.left[pair])
    there = np.isfinite(theta[rival])
    if not there.any():
        return math.nan
    cells, rival = cells[there], rival[there]
    _, unit = np.unique(tally.unit[cells], return_inverse=True)
    weight = tally.n[cells] / np.bincount(unit, weights=tally.n[cells])[unit]
    wanted = math.log(alpha / 2)
    sign = 1.0 if above else -1.0

    def miss(at: float) -> float:
        return float((weight * -np.logaddexp(0.0, -sign * (at - theta[rival]))).sum()) - wanted

    from scipy.optimize import brentq

    ends = (float(theta[rival].min()) - 800.0, float(theta[rival].max()) + 800.0)
    return float(brentq(miss, *ends, xtol=1e-12))


def with_equal_pairs(tally: Tally, strengths: Strengths, ties: str = "half") -> Array:
    """The strengths if every pair that met counted alike, however many battles it had; nan outside the cores."""
    theta = np.full(tally.systems, np.nan)
    for g in range(len(strengths.spreads)):
        members = np.flatnonzero(strengths.core & (strengths.group == g))
        if len(members) == 1:
            theta[members] = 0.0
            continue
        theta[members] = _fit(tally.among(members), ties, alike=True).theta
    return theta


def order_by_strength(strengths: Strengths) -> list[int]:
    """Systems best first: group by group, the unbeaten before the core and the beaten behind, those of unknown place last."""
    theta, bound = strengths.theta, strengths.bound

    def key(i: int) -> tuple[float, ...]:
        known = not math.isnan(theta[i])
        behind = 0.0 if strengths.core[i] else float(strengths.below[i])
        limit = bound[i] if math.isfinite(bound[i]) else 0.0
        # Strengths that differ by rounding alone are equal, and keep the order of the file.
        ahead = -round(float(theta[i]), DIGITS) if math.isfinite(theta[i]) else -theta[i]
        return (float(strengths.group[i]), 0.0 if known else 1.0, ahead if known else 0.0, behind, -limit, float(i))

    return sorted(range(len(theta)), key=key)


def elo_of(log_odds: float | None) -> float | None:
    """Log-odds on the scale of Elo, 400 points for ten to one, 1000 in the middle.

    Examples
    --------
    >>> round(elo_of(math.log(10)), 6)
    1400.0
    """
    return None if log_odds is None else 1000.0 + 400.0 / math.log(10.0) * log_odds


# Whether one strength per system explains who beats whom, or whether pairs have win rates of their own.
#
# The model of Bradley and Terry is set against the saturated one by the score of the pairs' own rates at the fitted
# strengths, with its variance over prompts: with R_g the residuals of prompt g, one for each pair that met, projected off
# the directions in which the strengths were fitted,
#
#     T = (Σ R_g)' (Σ R_g R_g')⁻ (Σ R_g),   (G - q) T / (q (G - T)) ~ F(q, G - q)
#
# for q = pairs - systems + 1 degrees of freedom (Hotelling's T²; Boos, 1992, for scores of which parameters were fitted).
# The χ² of rows counts votes of one prompt as independent and rejects far too often. With q ≥ G - 1 there is no test.


MAX_PAIRS = 400
"""Pairs up to which the covariance of all of them is held at once."""
ALIKE = 1e-9
"""Of the prompts, how far below their number a statistic may stay that only rounding keeps from it."""


def score_test(tally: Tally, strengths: Strengths) -> Intransitivity:
    """Test one strength per system against a win rate of its own for each pair."""
    import scipy.special
    from scipy import sparse

    df = tally.pairs - tally.systems + int(strengths.group.max()) + 1
    units = tally.units
    missing = _untestable(tally, strengths, df)
    if missing:
        return Intransitivity(None, df, units, None, missing)
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
        return Intransitivity(None, df, units, None, "Some pairs do not vary between prompts.")
    t = float((((vectors[:, kept].T @ total) ** 2) / values[kept]).sum())
    if units - t <= ALIKE * units:
        return Intransitivity(None, df, units, None, "All prompts give the same verdicts, so nothing varies between them.")
    statistic = (units - df) * t / (df * (units - t))
    return Intransitivity(statistic, df, units, float(scipy.special.fdtrc(df, units - df, statistic)))


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


def circles_of(better: Array) -> tuple[list[list[int]], Array]:
    """Where significant preferences run in a circle, each system preferred to the next and the last to the first.

    Of each set of systems that beat each other in a circle a shortest one is named; then come the numbers of these sets, and
    systems that are in no circle have a number of their own.

    Parameters
    ----------
    better
        (k, k), systems best first: whether the row's system is significantly preferred to the column's.

    Examples
    --------
    >>> better = np.zeros((4, 4), dtype=bool)
    >>> better[[0, 1, 2, 0], [1, 2, 0, 3]] = True
    >>> circles_of(better)[0]
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
    return sorted(paths), np.asarray(part)

"""Models of battles, fitted by Newton's steps, and the variance of what they fit by leaving out each prompt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.scores.battles import Battles

# Models of battles, fitted by Newton's steps: Bradley and Terry's with covariates, and Davidson's.
#
# P(i beats j) = 1 / (1 + exp(θ_j - θ_i)), ties as half a win each (Bradley and Terry, 1952). θ maximises the likelihood; Σ
# θ = 0 within every set of systems that have met, directly or through others. With covariates x (shown first, length), the
# log-odds of a battle are θ_i - θ_j + γ·x.
#
# Davidson's (1970) model gives ties a chance of their own, P(tie) : P(i) : P(j) = ν : exp(δ/2) : exp(-δ/2) with δ = θ_i -
# θ_j, so that δ is the log-odds among decided battles.
#
# The win rate at equal length (`fit_lengths`) has a logistic term for how much longer one answer is.
#
#     log-odds of a win = θ_a - θ_b + γ (l_a - l_b) / (l_a + l_b)
#
# At equal length the last term is 0, so the win rate is that of θ alone. The ratio is bounded, and 0 where nothing is
# longer. Intervals are for new draws of prompts, with t of G - 1 degrees of freedom. With H the information and S_g, H_g
# score and information of prompt g, leaving g out moves the estimate by (H - H_g)⁻¹ S_g to first order, and the jackknife
# adds up the squares of that. The plain sandwich, H⁻¹ S_g, is the same where no prompt matters much, and serves where
# prompts are many. Few prompts of unusual length would make it too small: with 13 prompts it rejects a true null hypothesis
# about length in .09 of all cases.


STEPS, HALVINGS = 100, 40
CLOSE = 1e-13
"""The largest gradient, per battle, at which a fit is done."""
MIN_UNITS = 10
"""With fewer prompts the sandwich is not to be trusted."""
MAX_JACKKNIFED, MAX_SYSTEMS = 1_000, 30
"""Prompts and systems up to which each prompt is left out in turn."""
MAX_CONDITION = 1e10
MAX_LOG_ODDS = 20.0
"""Larger ones say that length, or a strength, tells the winner for certain: the likelihood has no maximum."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model: strengths, coefficients of covariates, and the inverse of the information of both.

    With lengths also the variance of all of them over prompts, and how many battles and prompts there are.
    """

    theta: Array
    gamma: Array
    inverse: Array
    variance: Array = field(default_factory=lambda: np.zeros((0, 0)))
    battles: int = 0
    units: int = 0

    @property
    def coefficient(self) -> float:
        """Log-odds for an answer longer by everything."""
        return float(self.gamma[0])

    def coefficient_error(self) -> float:
        """Its standard error."""
        return math.sqrt(float(self.variance[-1, -1]))

    def contrast(self, i: int, j: int) -> tuple[float, float]:
        """θ_i - θ_j and its standard error."""
        v = self.variance
        spread = float(v[i, i] + v[j, j] - 2 * v[i, j])
        return float(self.theta[i] - self.theta[j]), math.sqrt(max(spread, 0.0))


def fit_model(left: Array, right: Array, share: Array, weight: Array, systems: int, covariates: Array | None = None) -> Fit:
    """Maximum likelihood of strengths and coefficients, Σ θ = 0.

    Parameters
    ----------
    left, right
        The two systems of each row.
    share, weight
        The share of the win of `left`, and how many battles the row counts for.
    systems
        How many there are.
    covariates
        (rows, c) numbers whose coefficients are fitted too.

    Examples
    --------
    >>> fit = fit_model(np.array([0]), np.array([1]), np.array([0.75]), np.array([8.0]), 2)
    >>> [round(x, 6) for x in fit.theta.tolist()]  # ± log 3 / 2
    [0.549306, -0.549306]
    """
    x = np.zeros((len(left), 0)) if covariates is None else covariates
    size = systems + x.shape[1]

    def chance(at: Array) -> Array:
        eta = at[left] - at[right] + x @ at[systems:]
        return np.asarray(1 / (1 + np.exp(-eta)))

    def likelihood(at: Array) -> float:
        eta = at[left] - at[right] + x @ at[systems:]
        return float((weight * (share * eta - np.logaddexp(0.0, eta))).sum())

    def derivatives(at: Array) -> tuple[Array, Array]:
        p = chance(at)
        gradient = _spread(left, right, weight * (share - p), x, systems)
        return gradient, _information(left, right, weight * p * (1 - p), x, systems)

    beta, _ = _climbed(np.zeros(size), likelihood, derivatives, systems, float(weight.sum()))
    p = chance(beta)
    information = _information(left, right, weight * p * (1 - p), x, systems)
    return Fit(beta[:systems], beta[systems:], _inverse(information, systems))


def _climbed(
    beta: Array,
    likelihood: Callable[[Array], float],
    derivatives: Callable[[Array], tuple[Array, Array]],
    systems: int,
    battles: float,
) -> tuple[Array, Array]:
    """The largest likelihood by Newton's steps, halved until it rises, Σ θ = 0; and the last information."""
    value, information = likelihood(beta), np.eye(len(beta))
    for _ in range(STEPS):
        gradient, information = derivatives(beta)
        if float(np.abs(gradient).max()) <= CLOSE * battles:
            break
        step = np.linalg.solve(_pinned(information, systems), gradient)
        for halving in range(HALVINGS):
            tried = beta + step / 2**halving
            after = likelihood(tried)
            if after >= value - 1e-12 * abs(value):
                break
        beta, value = tried, after
        if float(np.abs(step).max()) < 1e-14:
            break
    beta[:systems] -= beta[:systems].mean()
    return beta, information


def _spread(left: Array, right: Array, values: Array, x: Array, systems: int) -> Array:
    """Σ values · (e_left - e_right, x) over rows."""
    by_system = np.bincount(left, weights=values, minlength=systems) - np.bincount(right, weights=values, minlength=systems)
    return np.concatenate([by_system, values @ x])


def _information(left: Array, right: Array, v: Array, x: Array, systems: int) -> Array:
    """Σ v · z z' with z = (e_left - e_right, x)."""
    size = systems + x.shape[1]
    information = np.zeros((size, size))
    cross = np.bincount(left * systems + right, weights=v, minlength=systems**2).reshape(systems, systems)
    cross = cross + cross.T
    information[:systems, :systems] = np.diag(cross.sum(axis=1)) - cross
    for c in range(x.shape[1]):
        column = _spread(left, right, v * x[:, c], x, systems)
        information[systems + c] = column
        information[:, systems + c] = column
    return information


def _pinned(information: Array, systems: int) -> Array:
    """The information with its null direction, all strengths raised by the same amount, held fixed."""
    pinned = information.copy()
    scale = max(float(np.trace(information[:systems, :systems])) / systems, 1e-300)
    pinned[:systems, :systems] += scale / systems
    return pinned


def _inverse(information: Array, systems: int) -> Array:
    """The inverse on the strengths that add up to 0, and on coefficients."""
    size = len(information)
    project = np.eye(size)
    project[:systems, :systems] -= 1 / systems
    return np.asarray(project @ np.linalg.inv(_pinned(information, systems)) @ project.T)


def fit_davidson(left: Array, right: Array, lead: Array, tied: Array, weight: Array, systems: int) -> Fit:
    """Maximum likelihood of strengths and of log ν, which is the coefficient of the fit; Σ θ = 0.

    Parameters
    ----------
    left, right
        The two systems of each row.
    lead, tied, weight
        Wins less losses of `left`, ties, and battles of the row.
    systems
        How many there are.

    Examples
    --------
    >>> fit = fit_davidson(np.array([0]), np.array([1]), np.array([2.0]), np.array([4.0]), np.array([10.0]), 2)
    >>> round(float(fit.theta[0] - fit.theta[1]), 6), round(float(np.exp(fit.gamma[0])), 6)  # log(4/2), 4/√(4·2)
    (0.693147, 1.414214)
    """
    none = np.zeros((len(left), 0))

    def likelihood(at: Array) -> float:
        half = (at[left] - at[right]) / 2
        whole = np.logaddexp(np.logaddexp(half, -half), at[-1])
        return float((lead * half + tied * at[-1] - weight * whole).sum())

    def derivatives(at: Array) -> tuple[Array, Array]:
        gap, drawn = davidson_chances(at[left] - at[right], float(at[-1]))
        of_strengths = _spread(left, right, (lead - weight * gap) / 2, none, systems)
        gradient = np.append(of_strengths, float((tied - weight * drawn).sum()))
        return gradient, _davidson_information(left, right, weight, gap, drawn, systems)

    beta, information = _climbed(np.zeros(systems + 1), likelihood, derivatives, systems, float(weight.sum()))
    return Fit(beta[:systems], beta[systems:], _inverse(information, systems))


def davidson_chances(gap: Array, log_nu: float) -> tuple[Array, Array]:
    """P(i wins) - P(j wins) and P(tie) at a difference of strengths."""
    half = np.abs(gap) / 2
    # Both sides divided by the larger term, which may be too large for a float.
    small, tie = np.exp(-2 * half), np.exp(log_nu - half)
    whole = 1 + small + tie
    return np.asarray(np.sign(gap) * (1 - small) / whole), np.asarray(tie / whole)


def _davidson_information(left: Array, right: Array, weight: Array, gap: Array, drawn: Array, systems: int) -> Array:
    none = np.zeros((len(left), 0))
    information = np.zeros((systems + 1, systems + 1))
    information[:systems, :systems] = _information(left, right, weight * (1 - drawn - gap**2) / 4, none, systems)
    cross = _spread(left, right, -weight * gap * drawn / 2, none, systems)
    information[:systems, -1] = information[-1, :systems] = cross
    information[-1, -1] = float((weight * drawn * (1 - drawn)).sum())
    return information


def graph_of(systems: int, start: Array, end: Array) -> Any:  # noqa: ANN401 - a sparse table
    """Which systems lead to which."""
    from scipy import sparse

    return sparse.coo_matrix((np.ones(len(start)), (start, end)), shape=(systems, systems)).tocsr()


def fit_lengths(battles: Battles) -> Fit | None:
    """Fit strengths and length to all battles with both lengths; None where there are too few, or where it has no maximum.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> rng = np.random.default_rng(0)
    >>> lengths = rng.integers(50, 150, (4000, 2)).astype(float)
    >>> x = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    >>> share = (rng.random(4000) < 1 / (1 + np.exp(-0.5 - 2 * x))).astype(float)
    >>> first = np.zeros(4000, dtype=int)
    >>> battles = Battles(("x", "y"), first, first + 1, share, Labels.of(range(4000)), lengths=lengths)
    >>> fit = fit_lengths(battles)
    >>> abs(fit.coefficient - 2) < 3 * fit.coefficient_error(), abs(fit.contrast(0, 1)[0] - 0.5) < 0.15
    (True, True)
    """
    if battles.lengths is None:
        return None
    total = battles.lengths.sum(axis=1)
    with np.errstate(invalid="ignore"):
        known = battles.take(np.flatnonzero(battles.decided & (total > 0)))
    if not known.rows or known.lengths is None:
        return None
    x = ((known.lengths[:, 0] - known.lengths[:, 1]) / known.lengths.sum(axis=1))[:, None]
    used, unit = np.unique(known.units.codes, return_inverse=True)
    if len(used) < MIN_UNITS or not x.any() or len(np.unique(np.stack([known.first, known.second]))) < len(known.systems):
        return None
    k, weight = len(known.systems), known.weight.astype(float)
    try:
        fit = fit_model(known.first, known.second, known.share, weight, k, x)
    except np.linalg.LinAlgError:
        return None
    eta = fit.theta[known.first] - fit.theta[known.second] + x[:, 0] * fit.gamma[0]
    if not np.isfinite(eta).all() or float(np.abs(eta).max()) > MAX_LOG_ODDS:
        return None
    chance = 1 / (1 + np.exp(-eta))
    rows, units = _design(known.first, known.second, x[:, 0], k), len(used)
    residual = weight * (known.share - chance)
    variance: Array | None
    if units <= MAX_JACKKNIFED and k <= MAX_SYSTEMS:
        variance = _jackknife(rows.toarray(), residual, weight * chance * (1 - chance), unit, k)
    else:
        from scipy import sparse

        # The clustered variance from the scores of units.
        scores = sparse.csr_matrix((residual, (unit, np.arange(known.rows))), shape=(units, known.rows)) @ rows
        variance = fit.inverse @ (scores.T @ scores).toarray() @ fit.inverse * units / (units - 1)
    return None if variance is None else Fit(fit.theta, fit.gamma, fit.inverse, variance, known.rows, units)


def _design(first: Array, second: Array, x: Array, systems: int) -> Any:  # noqa: ANN401 - a sparse table
    """The design: +1 for the first system, -1 for the second, and the covariate in the last column."""
    from scipy import sparse

    row = np.arange(len(first))
    columns = np.concatenate([first, second, np.full(len(first), systems)])
    values = np.concatenate([np.ones(len(first)), -np.ones(len(first)), x])
    return sparse.csr_matrix((values, (np.tile(row, 3), columns)), shape=(len(first), systems + 1))


def _jackknife(rows: Array, residual: Array, curvature: Array, unit: Array, systems: int) -> Array | None:
    """The variance by leaving each unit out, to first order; None where one of them cannot be left out."""
    units, size = int(unit.max()) + 1, rows.shape[1]
    scores, parts = np.zeros((units, size)), np.zeros((units, size, size))
    np.add.at(scores, unit, residual[:, None] * rows)
    np.add.at(parts, unit, curvature[:, None, None] * rows[:, :, None] * rows[:, None, :])
    whole = parts.sum(axis=0)
    pin = np.zeros((size, size))
    pin[:systems, :systems] = np.trace(whole[:systems, :systems]) / systems**2
    left = whole[None] - parts + pin
    if float(np.linalg.cond(left).max()) > MAX_CONDITION:
        return None
    moved = np.linalg.solve(left, scores[:, :, None])[:, :, 0]
    moved[:, :systems] -= moved[:, :systems].mean(axis=1, keepdims=True)
    return np.asarray((units - 1) / units * moved.T @ moved)


# The variance of fitted strengths over prompts, by leaving each prompt out, and how far that variance can be trusted.
#
# With H the information of all battles, I_g and S_g information and score of prompt g, and M = H⁺, leaving g out moves the
# estimate by M S*_g with S*_g = (1 - I_g M)⁻¹ S_g, to first order. The variance is the jackknife's (CR3; Bell and
# McCaffrey, 2002),
#
#     V = (G - 1)/G · M (Σ_g S*_g S*_g') M
#
# on the strengths that add up to 0. Squares of S_g alone are too small where few prompts hold most of the battles, because
# the strengths were fitted to them: intervals of 95 % then cover .81 to .93.
#
# The degrees of freedom of a contrast c are those of Bell and McCaffrey for CR2: tr(P)²/tr(P²) for the quadratic form P
# that the variance would be if battles were independent. With T_g = M^½ I_g M^½, z = M^½ c and r_g = T_g (1 - T_g)^-½ z,
#
#     tr P = z'z,   tr P² = Σ_g ((z'T_g z)² - (r_g'r_g)²) + ||Σ_g r_g r_g'||²
#
# Where systems and prompts are too many for that, a system's df are 1/(x + x²) with x = Σ_g f_g² and f_g the share of
# prompt g in its information, as of a mean, and x of a contrast is the mean of both by variance.
#
# Without a prompt that alone holds two sets of systems together, nothing is known of their difference: such contrasts have
# no variance. A strength is a contrast with the average, and has none for systems that a single prompt ties to most others.


MAX_HELD = 1 << 24
"""Numbers of prompts' matrices that are held at once."""
MAX_WORK = 4e9
"""Products up to which degrees of freedom count what prompts have in common."""
LITTLE = 0.3
"""Traces of I_g M below which its powers are added up."""
ALL = 1e-9
"""A prompt whose share of the information about something is as close to 1 has all of it."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What the battles of each pair on each prompt say about strengths, and about log ν in Davidson's model.

    Parameters
    ----------
    unit, left, right
        The prompt of each cell, numbered from 0 without gaps, and its two systems.
    curvature, residual
        Information about the difference of both strengths, and the score for it.
    cross, own, tied
        In Davidson's model, information about the difference and log ν together and about log ν alone, and the score for log ν.
    """

    unit: Array
    left: Array
    right: Array
    curvature: Array
    residual: Array
    cross: Array | None = None
    own: Array | None = None
    tied: Array | None = None


@dataclass(frozen=True, eq=False)
class Spread:
    """How strengths vary over prompts.

    Parameters
    ----------
    variance
        Of the strengths.
    apart
        Whether a single prompt holds the two systems together.
    held
        Whether a single prompt ties a system to most others.
    roots
        (prompts, parameters, systems), T_g (1 - T_g)^-½ M^½; None where there are too many.
    squares
        z'T_g z as (prompts, systems, systems): M I_g M, likewise.
    inverse
        M.
    shares
        Σ_g f_g² of each system.
    """

    variance: Array
    apart: Array
    held: Array
    roots: Array | None
    squares: Array | None
    inverse: Array
    shares: Array

    def error(self, i: int, j: int | None = None) -> float:
        """The standard error of a strength, or of the difference of two; nan where a prompt cannot be left out."""
        if self.held[i] if j is None else self.apart[i, j]:
            return math.nan
        weights = self._weights(i, j)
        error = math.sqrt(max(float(weights @ self.variance @ weights), 0.0))
        # What rounding leaves of prompts that all say the same is nothing.
        return error if error > ALL else 0.0

    def _weights(self, i: int, j: int | None) -> Array:
        weights = np.zeros(len(self.variance))
        weights[i] = 1.0
        if j is not None:
            weights[j] = -1.0
        return weights

    def df(self, i: int, j: int | None = None) -> float:
        """The degrees of freedom of its square, at least 1."""
        weights = self._weights(i, j)
        whole = float(weights @ self.inverse @ weights)
        if whole <= 0:
            return 1.0
        if self.roots is None or self.squares is None:
            parts = weights**2 * np.diag(self.inverse)
            x = float(parts @ self.shares / parts.sum())
            return max(1 / (x + x**2), 1.0)
        r = self.roots @ weights
        own = np.einsum("gij,i,j->g", self.squares, weights, weights)
        common = r.T @ r if len(r) > r.shape[1] else r @ r.T
        traced = float((own**2).sum() - ((r**2).sum(axis=1) ** 2).sum() + (common**2).sum())
        return max(whole**2 / traced, 1.0)


def spread_of(cells: Cells, inverse: Array, systems: int) -> Spread:
    """The variance of strengths fitted to these cells, `inverse` being that of their information."""
    units, size = int(cells.unit.max()) + 1, len(inverse)
    traces = np.bincount(cells.unit, weights=_traces(cells, inverse), minlength=units)
    apart, held, parts = _bridges(cells, traces, systems)
    middle = np.zeros((size, size))
    for who, members, information, score in _prompts(cells, units, systems, size):
        own = inverse[members[:, :, None], members[:, None, :]]
        moved = np.zeros((len(who), size))
        moved[np.arange(len(who))[:, None], members] = _starred(information, own, score, traces[who])
        moved = moved @ inverse
        for at in np.flatnonzero(np.isin(who, list(parts))).tolist():
            # What is not known without this prompt does not move: the sets that it holds together, against each other.
            labels = parts[int(who[at])]
            moved[at, :systems] -= (np.bincount(labels, weights=moved[at, :systems]) / np.bincount(labels))[labels]
        middle += moved.T @ moved
    roots, squares = _moments(cells, inverse, systems, units)
    variance = (units - 1) / units * middle[:systems, :systems]
    return Spread(variance, apart, held, roots, squares, inverse[:systems, :systems], _shares(cells, units, systems))


def _shares(cells: Cells, units: int, systems: int) -> Array:
    """Σ_g f_g² of each system."""
    keys, places = np.unique(np.concatenate([cells.left, cells.right]) * units + np.tile(cells.unit, 2), return_inverse=True)
    by_prompt, system = np.bincount(places, weights=np.tile(cells.curvature, 2)), keys // units
    whole = np.bincount(system, weights=by_prompt, minlength=systems)
    return np.asarray(np.bincount(system, weights=by_prompt**2, minlength=systems) / whole**2)


def _starred(information: Array, inverse: Array, score: Array, traces: Array) -> Array:
    """S*_g = (1 - I_g M)⁻¹ S_g: by its series for prompts that hold little, and for those that hold everything the shortest."""
    starred = np.zeros(score.shape)
    little, most = np.flatnonzero(traces < LITTLE), np.flatnonzero(traces >= LITTLE)
    step, smallest = score[little], ALL**2 * float(np.abs(score).max(initial=0.0))
    while np.abs(step).max(initial=0.0) > smallest:
        starred[little] += step
        step = (information[little] @ (inverse[little] @ step[:, :, None]))[:, :, 0]
    for at in most.tolist():
        left = np.eye(score.shape[1]) - information[at] @ inverse[at]
        starred[at] = np.linalg.lstsq(left, score[at], rcond=ALL)[0]
    return starred


def _prompts(cells: Cells, units: int, systems: int, size: int) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Prompts with equally many systems together: which, their parameters, information and score in these."""
    more = size - systems
    keys = np.unique(np.tile(cells.unit, 2).astype(np.int64) * systems + np.concatenate([cells.left, cells.right]))
    start = np.searchsorted(keys, np.arange(units + 1, dtype=np.int64) * systems)
    many = np.diff(start)
    order = np.argsort(cells.unit, kind="stable")
    cell_start = np.searchsorted(cells.unit[order], np.arange(units + 1))
    for k in np.unique(many).tolist():
        alike = np.flatnonzero(many == k)
        step = max(1, MAX_HELD // (8 * (k + more) ** 2))
        for first in range(0, len(alike), step):
            who = alike[first : first + step]
            members = keys[start[who][:, None] + np.arange(k)] % systems
            if more:
                members = np.concatenate([members, np.full((len(who), 1), systems)], axis=1)
            # All cells of these prompts, each from its start to before its end.
            size_of = cell_start[who + 1] - cell_start[who]
            offset = np.repeat(cell_start[who] - np.concatenate([[0], np.cumsum(size_of)[:-1]]), size_of)
            rows = order[offset + np.arange(size_of.sum())]
            yield who, members, *_information_of_prompts(cells, rows, who, members, keys, start, systems)


def _information_of_prompts(
    cells: Cells, rows: Array, who: Array, members: Array, keys: Array, start: Array, systems: int
) -> tuple[Array, Array]:
    """Information and score of these prompts, in their own parameters."""
    unit = cells.unit[rows].astype(np.int64)
    g = np.searchsorted(who, unit)
    i, j = (np.searchsorted(keys, unit * systems + side[rows]) - start[unit] for side in (cells.left, cells.right))
    information = np.zeros((*members.shape, members.shape[1]))
    score = np.zeros(members.shape)
    v, s = cells.curvature[rows], cells.residual[rows]
    # Where log ν is a parameter, it is the last one.
    last = np.full(len(g), members.shape[1] - 1)
    for at, sign in ((i, 1.0), (j, -1.0)):
        np.add.at(information, (g, at, at), v)
        np.add.at(score, (g, at), sign * s)
        if cells.cross is not None:
            np.add.at(information, (g, at, last), sign * cells.cross[rows])
            np.add.at(information, (g, last, at), sign * cells.cross[rows])
    np.add.at(information, (g, i, j), -v)
    np.add.at(information, (g, j, i), -v)
    if cells.own is not None and cells.tied is not None:
        np.add.at(information, (g, last, last), cells.own[rows])
        np.add.at(score, (g, last), cells.tied[rows])
    return information, score


def _bridges(cells: Cells, traces: Array, systems: int) -> tuple[Array, Array, dict[int, Array]]:
    """Systems that a single prompt holds together, those it ties to most others, and the sets without each such prompt."""
    from scipy.sparse.csgraph import connected_components

    apart, held = np.zeros((systems, systems), dtype=bool), np.zeros(systems, dtype=bool)
    parts: dict[int, Array] = {}
    pairs, pair = np.unique(cells.left * systems + cells.right, return_inverse=True)
    single = np.bincount(pair) == 1
    # A prompt that has all information about something has traces of 1 or more.
    for g in np.unique(cells.unit[single[pair] & (traces >= 1 - math.sqrt(ALL))[cells.unit]]).tolist():
        left = np.ones(len(pairs), dtype=bool)
        left[pair[(cells.unit == g) & single[pair]]] = False
        many, labels = connected_components(graph_of(systems, *divmod(pairs[left], systems)), directed=False)
        if many > 1:
            parts[g] = labels
            apart |= labels[:, None] != labels[None, :]
            held |= labels != np.bincount(labels).argmax()
    return apart, held, parts


def _traces(cells: Cells, inverse: Array) -> Array:
    """The trace of each cell's information times the inverse."""
    i, j = cells.left, cells.right
    traces = cells.curvature * (inverse[i, i] + inverse[j, j] - 2 * inverse[i, j])
    if cells.cross is not None and cells.own is not None:
        traces = traces + 2 * cells.cross * (inverse[i, -1] - inverse[j, -1]) + cells.own * inverse[-1, -1]
    return np.asarray(traces)


def _moments(cells: Cells, inverse: Array, systems: int, units: int) -> tuple[Array | None, Array | None]:
    """What degrees of freedom need of every prompt; None where there are too many prompts and systems."""
    size = len(inverse)
    contrasts = systems * (systems + 1) / 2
    if units * size**2 > MAX_HELD or contrasts * units * size * min(units, size) > MAX_WORK:
        return None, None
    values, vectors = np.linalg.eigh(inverse)
    half = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    roots, squares = np.zeros((units, size, systems)), np.zeros((units, systems, systems))
    for who, members, information, _ in _prompts(cells, units, systems, size):
        outer = half[members]
        own, turn = np.linalg.eigh(np.swapaxes(outer, 1, 2) @ information @ outer)
        left = np.maximum(1 - own, ALL)
        root = np.where(1 - own > ALL, own / np.sqrt(left), 0.0)
        roots[who] = (turn * root[:, None, :]) @ (np.swapaxes(turn, 1, 2) @ half[:, :systems])
        inner = inverse[members][:, :, :systems]
        squares[who] = np.swapaxes(inner, 1, 2) @ information @ inner
    return roots, squares

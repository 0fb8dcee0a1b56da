"""The variance of fitted strengths over prompts, by leaving each prompt out, and how far that variance can be trusted.

With H the information of all battles, I_g and S_g information and score of prompt g, and M = H⁺, leaving g out moves the
estimate by M S*_g with S*_g = (1 - I_g M)⁻¹ S_g, to first order. The variance is the jackknife's (CR3; Bell and McCaffrey,
2002),

    V = (G - 1)/G · M (Σ_g S*_g S*_g') M

on the strengths that add up to 0. Squares of S_g alone are too small where few prompts hold most of the battles, because the
strengths were fitted to them: intervals of 95 % then cover .81 to .93.

The degrees of freedom of a contrast c are those of Bell and McCaffrey for CR2: tr(P)²/tr(P²) for the quadratic form P that the
variance would be if battles were independent. With T_g = M^½ I_g M^½, z = M^½ c and r_g = T_g (1 - T_g)^-½ z,

    tr P = z'z,   tr P² = Σ_g ((z'T_g z)² - (r_g'r_g)²) + ||Σ_g r_g r_g'||²

Where systems and prompts are too many for that, a system's df are 1/(x + x²) with x = Σ_g f_g² and f_g the share of prompt g in
its information, as of a mean, and x of a contrast is the mean of both by variance.

Without a prompt that alone holds two sets of systems together, nothing is known of their difference: such contrasts have no
variance. A strength is a contrast with the average, and has none for systems that a single prompt ties to most others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass

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
            rows = order[_ranges(cell_start[who], cell_start[who + 1])]
            yield who, members, *_information(cells, rows, who, members, keys, start, systems)


def _ranges(start: Array, end: Array) -> Array:
    """All whole numbers from each start to before its end."""
    size = end - start
    return np.repeat(start - np.concatenate([[0], np.cumsum(size)[:-1]]), size) + np.arange(size.sum())


def _information(
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
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    apart, held = np.zeros((systems, systems), dtype=bool), np.zeros(systems, dtype=bool)
    parts: dict[int, Array] = {}
    pairs, pair = np.unique(cells.left * systems + cells.right, return_inverse=True)
    single = np.bincount(pair) == 1
    # A prompt that has all information about something has traces of 1 or more.
    for g in np.unique(cells.unit[single[pair] & (traces >= 1 - math.sqrt(ALL))[cells.unit]]).tolist():
        left = np.ones(len(pairs), dtype=bool)
        left[pair[(cells.unit == g) & single[pair]]] = False
        ends = pairs[left] // systems, pairs[left] % systems
        graph = sparse.coo_matrix((np.ones(int(left.sum())), ends), shape=(systems, systems))
        many, labels = connected_components(graph, directed=False)
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

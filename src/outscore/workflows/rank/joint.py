"""All systems of a ranking at once: simultaneous intervals, who is best how often, Borda scores and win rates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.engine.progress import Progress, Steps
from outscore.inference.leaderboard.joint import CONFIDENCE, Band, Draws, band_of, draw, shares_of_best, win_rates
from outscore.inference.populations import ITEMS
from outscore.results.ranking import MAX_PAIRS, Joint, JointPair, JointSystem, Ranking
from outscore.scores.board import Board
from outscore.workflows.rank.measure import systems_of

__all__ = ["joint_of"]

Ends = tuple[float | None, float | None]
Triple = tuple[float | None, float | None, float | None]
RESAMPLES = 9_999
"""Draws of the items."""


def joint_of(
    boards: Sequence[Board],
    metric: str | AdditiveMetric,
    ranking: Ranking,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Joint:
    """Draw the items of all boards anew, and say what that tells of all systems at once."""
    _check(boards, ranking)
    steps = progress or Steps()
    datasets = [systems_of(board, metric) for board in boards]
    drawn = draw(
        datasets,
        resamples=RESAMPLES,
        seed=seed,
        begin=lambda total: steps.begin("drawing items for all systems", total),
        advance=steps.advance,
    )
    place = {name: i for i, name in enumerate(boards[0].systems)}
    pairs = [pair.systems for pair in ranking.pairs]
    left, right = (np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    band = band_of(drawn.scores, drawn.observed, units=drawn.units, alpha=ranking.alpha, pairs=(left, right))
    limits = {pair: _ends(band, i) for i, pair in enumerate(pairs)}
    found = drawn.observed
    return Joint(
        resamples=RESAMPLES,
        seed=seed,
        unit="clusters" if any(board.clusters is not None for board in boards) else "items",
        units=drawn.units,
        level=1 - ranking.alpha,
        critical=_number(band.critical),
        critical_error=_number(band.error),
        systems=_systems(ranking, place, drawn, limits),
        pairs=[JointPair(pair, float(found[place[pair[0]]] - found[place[pair[1]]]), *limits[pair]) for pair in pairs],
    )


def _check(boards: Sequence[Board], ranking: Ranking) -> None:
    """Refuse what drawing items for all systems cannot serve."""
    if not all(board.complete for board in boards):
        raise OutscoreError(
            "Systems lack some items, and --joint draws the same items for all systems.",
            "Leave --joint out, or keep the items that all systems have.",
            parameter="joint",
        )
    if ranking.population != ITEMS:
        raise OutscoreError(
            f"The claims are about {ranking.population}, and --joint draws items with the runs at hand.",
            "Leave --joint out, or add --population items.",
            parameter="joint",
        )
    if ranking.design is not None and ranking.design.unit_size > 1:
        raise OutscoreError(
            "Items were joined into units, and --joint draws single items.",
            "Leave --joint or --unit-size out.",
            parameter="joint",
        )
    if not ranking.pairs:
        raise OutscoreError(
            f"There are more than {MAX_PAIRS:,} pairs, too many for intervals that hold together.",
            "Leave --joint out, or name fewer systems.",
            parameter="joint",
        )


def _systems(
    ranking: Ranking, place: Mapping[str, int], drawn: Draws, limits: Mapping[tuple[str, str], Ends]
) -> list[JointSystem]:
    higher, k, alpha = ranking.higher_is_better, len(ranking.systems), ranking.alpha
    best = shares_of_best(drawn.scores, higher_is_better=higher)
    points = _rates(drawn.points, k, drawn.units, alpha, k - 1.0)
    wins = [_divided(triple, k - 1) for triple in points]
    over = None
    if drawn.by_dataset is not None:
        scores, observed = drawn.by_dataset
        over = (win_rates(scores, higher_is_better=higher), win_rates(observed, higher_is_better=higher))
    sets = _rates(over, k, drawn.units, alpha, 1.0)
    leader = ranking.systems[0]
    found = []
    for name in ranking.systems:
        i = place[name]
        behind: Triple = (None, None, None)
        if name != leader and ranking.baseline is None:
            behind = (float(drawn.observed[i] - drawn.observed[place[leader]]), *_to(name, leader, limits))
        found.append(
            JointSystem(
                name, float(best[i]), _error(float(best[i]), len(drawn.scores)), *behind, *wins[i], *points[i], *sets[i]
            )
        )
    return found


def _to(name: str, leader: str, limits: Mapping[tuple[str, str], Ends]) -> Ends:
    """The limits of name - leader, whichever of them stands first in the pair."""
    if (name, leader) in limits:
        return limits[name, leader]
    low, high = limits[leader, name]
    return None if high is None else -high, None if low is None else -low


def _rates(drawn: tuple[Array, Array] | None, systems: int, units: int, alpha: float, most: float) -> list[Triple]:
    """Each system's mean with limits that hold for all systems, cut at the ends of the scale; nothing without draws."""
    if drawn is None:
        return [(None, None, None)] * systems
    values, observed = drawn
    band = band_of(values, observed, units=units, alpha=alpha)
    found: list[Triple] = []
    for i, value in enumerate(observed.tolist()):
        low, high = _ends(band, i)
        found.append((value, None if low is None else max(low, 0.0), None if high is None else min(high, most)))
    return found


def _divided(triple: Triple, by: int) -> Triple:
    value, low, high = (None if x is None else x / by for x in triple)
    return value, low, high


def _ends(band: Band, i: int) -> Ends:
    return _number(float(band.low[i])), _number(float(band.high[i]))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _error(share: float, draws: int) -> float:
    """Half the width of Wilson's interval of a share, with 99 % confidence."""
    square = CONFIDENCE**2
    return CONFIDENCE * math.sqrt(share * (1 - share) / draws + square / (4 * draws**2)) / (1 + square / draws)

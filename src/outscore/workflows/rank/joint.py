"""All systems of a ranking at once: simultaneous intervals, how often each is best, Borda scores and win rates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.engine.progress import Progress, Steps
from outscore.inference.leaderboard import CONFIDENCE, Band, Draws, band_of, draw, shares_of_best, win_rates
from outscore.inference.populations import ITEMS
from outscore.results.ranking import MAX_PAIRS, Joint, JointPair, JointSystem, Ranking
from outscore.scores.panel import Panel

Ends = tuple[float | None, float | None]
Triple = tuple[float | None, float | None, float | None]
RESAMPLES = 9_999
"""How often the items are resampled."""


def joint_of(
    panels: Sequence[Panel],
    ranking: Ranking,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Joint:
    """Resample the items of all panels for all systems at once, and summarise the results."""
    _check(panels, ranking)
    steps = progress or Steps()
    drawn = draw(
        panels,
        resamples=RESAMPLES,
        seed=seed,
        begin=lambda total: steps.begin("resampling items for all systems", total),
        advance=steps.advance,
    )
    place = {name: i for i, name in enumerate(panels[0].systems)}
    pairs = [pair.systems for pair in ranking.pairs]
    left, right = (np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    band = band_of(drawn.scores, drawn.observed, units=drawn.units, alpha=ranking.alpha, pairs=(left, right))
    limits = {pair: _ends(band, i) for i, pair in enumerate(pairs)}
    observed = drawn.observed
    return Joint(
        resamples=RESAMPLES,
        seed=seed,
        unit="clusters" if any(panel.clusters is not None for panel in panels) else "items",
        units=drawn.units,
        level=1 - ranking.alpha,
        critical=_number(band.critical),
        critical_error=_number(band.error),
        systems=_systems(ranking, place, drawn, limits),
        pairs=[JointPair(pair, float(observed[place[pair[0]]] - observed[place[pair[1]]]), *limits[pair]) for pair in pairs],
    )


def _check(panels: Sequence[Panel], ranking: Ranking) -> None:
    """Refuse rankings for which items cannot be resampled for all systems at once."""
    if not all(panel.complete for panel in panels):
        raise OutscoreError(
            "Systems lack some items, but --joint resamples the same items for all systems.",
            "Leave --joint out, or keep the items that all systems have.",
            parameter="joint",
        )
    if ranking.population != ITEMS:
        raise OutscoreError(
            f"The claims are about {ranking.population}, but --joint resamples items with the runs at hand.",
            "Leave --joint out, or add --population items.",
            parameter="joint",
        )
    if ranking.design is not None and ranking.design.unit_size > 1:
        raise OutscoreError(
            "Items were grouped into units, but --joint resamples single items.",
            "Leave --joint or --unit-size out.",
            parameter="joint",
        )
    if not ranking.pairs:
        raise OutscoreError(
            f"There are more than {MAX_PAIRS:,} pairs, which is too many for simultaneous intervals.",
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
    systems = []
    for name in ranking.systems:
        i = place[name]
        behind: Triple = (None, None, None)
        if name != leader and ranking.baseline is None:
            behind = (float(drawn.observed[i] - drawn.observed[place[leader]]), *_to(name, leader, limits))
        systems.append(
            JointSystem(
                name, float(best[i]), _error(float(best[i]), len(drawn.scores)), *behind, *wins[i], *points[i], *sets[i]
            )
        )
    return systems


def _to(name: str, leader: str, limits: Mapping[tuple[str, str], Ends]) -> Ends:
    """The limits of name - leader, whichever of them comes first in the pair."""
    if (name, leader) in limits:
        return limits[name, leader]
    low, high = limits[leader, name]
    return None if high is None else -high, None if low is None else -low


def _rates(drawn: tuple[Array, Array] | None, systems: int, units: int, alpha: float, most: float) -> list[Triple]:
    """Each system's mean with simultaneous limits, cut at the ends of the scale; nothing without draws."""
    if drawn is None:
        return [(None, None, None)] * systems
    values, observed = drawn
    band = band_of(values, observed, units=units, alpha=alpha)
    triples: list[Triple] = []
    for i, value in enumerate(observed.tolist()):
        low, high = _ends(band, i)
        triples.append((value, None if low is None else max(low, 0.0), None if high is None else min(high, most)))
    return triples


def _divided(triple: Triple, by: int) -> Triple:
    value, low, high = (None if x is None else x / by for x in triple)
    return value, low, high


def _ends(band: Band, i: int) -> Ends:
    return _number(float(band.low[i])), _number(float(band.high[i]))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _error(share: float, draws: int) -> float:
    """Half the width of Wilson's 99% CI for a share."""
    square = CONFIDENCE**2
    return CONFIDENCE * math.sqrt(share * (1 - share) / draws + square / (4 * draws**2)) / (1 + square / draws)

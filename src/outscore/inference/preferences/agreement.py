"""How far judges agree: raw agreement, Cohen's kappa and Krippendorff's alpha, with intervals over prompts.

Judges are compared on the same pair, prompt and order, which is an item. Verdicts are names: the first, the second, a tie, or
no verdict, which agrees only with no verdict. A judge who gave several verdicts on an item counts once, with the share of each:
all of one judge's meet all of another's. Kappa is (a - e)/(1 - e) with e the agreement that the two judges' shares of each
verdict would give by chance (Cohen, 1960). Alpha is 1 - D_o/D_e over all judges, from the coincidences of verdicts within an
item (Krippendorff, 2011); there a missing verdict is left out, and items of one judge say nothing. Intervals leave out one
prompt at a time (jackknife), with t of G - 1 degrees of freedom, since verdicts on one prompt depend on one another: for the
share of equal verdicts Wilson's, for as many looks as the jackknife's variance is worth; none for a coefficient that no prompt
moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base.cluster_variance import effective_clusters
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.preferences.orders import same_question
from outscore.laws import t_quantile
from outscore.scores.battles import Battles

VERDICTS = 4
"""The first won, tie, the second won, no verdict."""
MISSING = 3
UNMOVED = 1e-12
"""A standard error up to this is what rounding leaves of none."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts by item and judge: codes of both and of the unit, and how often the judge gave each verdict, one row each."""

    item: Array
    judge: Array
    counts: Array
    unit: Array
    items: int
    judges: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """(units, verdicts, verdicts) counts by unit, the code of each unit, and the number of items behind them."""

    unit: Array
    tables: Array
    items: int


@dataclass(frozen=True)
class Estimate:
    """A coefficient with its limits; nan where it is not defined or nothing shows its spread."""

    value: float
    low: float
    high: float


def verdicts_of(battles: Battles) -> Verdicts:
    """The verdicts of all judges, item by item."""
    assert battles.judges is not None
    turned = battles.first > battles.second
    left = np.where(turned, 1 - battles.share, battles.share)
    verdict = np.where(np.isnan(left), MISSING, 1 - np.sign(np.nan_to_num(left, nan=0.5) - 0.5)).astype(np.int64)
    question = same_question(replace(battles, judges=None))
    shown = np.zeros(battles.rows, dtype=bool) if battles.shown is None else battles.shown
    # Where the order is known it is part of the question.
    questions, item = np.unique(question * 3 + np.where(shown, 1 + turned, 0), return_inverse=True)
    many = len(battles.judges.names)
    keys, first, cell = np.unique(item * many + battles.judges.codes, return_index=True, return_inverse=True)
    counts = np.bincount(cell * VERDICTS + verdict, minlength=len(keys) * VERDICTS).reshape(-1, VERDICTS)
    return Verdicts(keys // many, keys % many, counts, battles.units.codes[first], len(questions), battles.judges.names)


def kappa_tables(verdicts: Verdicts, one: int, other: int) -> Tables:
    """Verdicts of two judges on the items that both judged, against each other; an item counts as one."""
    rows = [np.flatnonzero(verdicts.judge == judge) for judge in (one, other)]
    _, first, second = np.intersect1d(verdicts.item[rows[0]], verdicts.item[rows[1]], assume_unique=True, return_indices=True)
    a, b = _shares(verdicts.counts[rows[0]][first]), _shares(verdicts.counts[rows[1]][second])
    used, unit = np.unique(verdicts.unit[rows[0]][first], return_inverse=True)
    return Tables(used, _summed(unit, len(used), lambda i, j: a[:, i] * b[:, j]), len(a))


def _shares(counts: Array) -> Array:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _summed(unit: Array, units: int, value: Callable[[int, int], Array]) -> Array:
    """Tables by unit, cell by cell."""
    tables = np.zeros((units, VERDICTS, VERDICTS))
    for i in range(VERDICTS):
        for j in range(VERDICTS):
            tables[:, i, j] = np.bincount(unit, weights=value(i, j), minlength=units)
    return tables


def kappa_of(comparison: Tables, alpha: float) -> tuple[Estimate, Estimate]:
    """Raw agreement and kappa."""
    return _share(comparison.tables, alpha), _jackknife(comparison.tables, _kappa, alpha)


def _share(tables: Array, alpha: float) -> Estimate:
    """The share of equal verdicts, within 0 and 1, and never of no width."""
    units = len(tables)
    at, error = _error(tables, _agreed)
    if units < 2:
        return Estimate(at, math.nan, math.nan)
    spread = at * (1 - at)
    sure = error <= UNMOVED or spread <= 0
    looks = effective_clusters(tables.sum(axis=(1, 2))) if sure else spread / error**2
    return Estimate(at, *wilson_limits(at, looks, t_quantile(units - 1, alpha)))


def _agreed(tables: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2)))


def _kappa(tables: Array) -> Array:
    """Cohen's kappa of each table.

    Examples
    --------
    >>> _kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]])).round(6).tolist()
    [0.4]
    """
    whole = tables.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / whole**2
        agreed = np.trace(tables, axis1=1, axis2=2) / whole
        return np.asarray((agreed - chance) / (1 - chance))


def alpha_tables(verdicts: Verdicts) -> Tables:
    """Coincidences of verdicts in items with verdicts of two judges or more."""
    counts = verdicts.counts.copy()
    counts[:, MISSING] = 0
    there = counts.any(axis=1)
    item, shares = verdicts.item[there], _shares(counts[there])
    judges = np.bincount(item, minlength=verdicts.items)
    unit = np.zeros(verdicts.items, dtype=np.int64)
    unit[verdicts.item] = verdicts.unit
    several = judges > 1
    used, unit = np.unique(unit[several], return_inverse=True)
    whole = np.stack([np.bincount(item, weights=column, minlength=verdicts.items) for column in shares.T])

    def met(i: int, j: int) -> Array:
        """Ordered pairs of two judges' verdicts within an item, each item's weighted by 1/(m - 1)."""
        same_judge = np.bincount(item, weights=shares[:, i] * shares[:, j], minlength=verdicts.items)
        return np.asarray((whole[i] * whole[j] - same_judge)[several] / (judges[several] - 1))

    return Tables(used, _summed(unit, len(used), met), int(several.sum()))


def alpha_of(coincidences: Tables, alpha: float) -> Estimate:
    """Krippendorff's alpha; nan where no item has two verdicts."""
    if not coincidences.items:
        return Estimate(math.nan, math.nan, math.nan)
    return _jackknife(coincidences.tables, _krippendorff, alpha)


def _krippendorff(tables: Array) -> Array:
    totals = tables.sum(axis=1)
    n = totals.sum(axis=1)
    observed = n - np.trace(tables, axis1=1, axis2=2)
    expected = n**2 - (totals**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - (n - 1) * observed / expected)


def _jackknife(tables: Array, value: Callable[[Array], Array], alpha: float) -> Estimate:
    """The value of all units together, and its limits by leaving out each in turn."""
    at, error = _error(tables, value)
    if not error > UNMOVED:
        return Estimate(at, math.nan, math.nan)
    reach = t_quantile(len(tables) - 1, alpha) * error
    return Estimate(at, max(at - reach, -1.0), min(at + reach, 1.0))


def _error(tables: Array, value: Callable[[Array], Array]) -> tuple[float, float]:
    """The value of all units together and the jackknife's standard error; nan where one cannot be left out."""
    whole = tables.sum(axis=0)
    at = float(value(whole[None])[0])
    units = len(tables)
    if units < 2 or not math.isfinite(at):
        return at, math.nan
    without = value(whole[None] - tables)
    if not np.isfinite(without).all():
        return at, math.nan
    return at, math.sqrt((units - 1) / units * float(((without - without.mean()) ** 2).sum()))

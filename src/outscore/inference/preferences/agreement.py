"""How far judges agree: raw agreement, Cohen's kappa and Krippendorff's alpha, with intervals over prompts.

Judges are compared on the same pair, prompt and order. Verdicts are names: the first, the second, a tie, or no verdict, which
agrees only with no verdict. Kappa is (a - e)/(1 - e) with e the agreement that the two judges' shares of each verdict would
give by chance (Cohen, 1960). Alpha is 1 - D_o/D_e over all judges, from the coincidences of verdicts within an item
(Krippendorff, 2011); items with one verdict say nothing. Intervals leave out one prompt at a time (jackknife), with t of G - 1
degrees of freedom, since verdicts on one prompt depend on one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.repeats import occurrences
from outscore.inference.base.student_law import t_quantile
from outscore.inference.preferences.position import same_question
from outscore.scores.battles import Battles

__all__ = ["Estimate", "Tables", "Verdicts", "alpha_of", "alpha_tables", "kappa_of", "kappa_tables", "verdicts_of"]

VERDICTS = 4
"""The first won, tie, the second won, no verdict."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts by item: codes of the item, the judge, the verdict and the unit, one row each."""

    item: Array
    judge: Array
    verdict: Array
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
    """The verdicts of all judges, item by item; the how-manieth of a judge meets the how-manieth of another."""
    assert battles.judges is not None
    turned = battles.first > battles.second
    left = np.where(turned, 1 - battles.share, battles.share)
    verdict = np.where(np.isnan(left), 3, 1 - np.sign(np.nan_to_num(left, nan=0.5) - 0.5)).astype(np.int64)
    question = same_question(replace(battles, judges=None))
    shown = np.zeros(battles.rows, dtype=bool) if battles.shown is None else battles.shown
    # Where the order is known it is part of the question.
    asked = question * 3 + np.where(shown, 1 + turned, 0)
    own = np.unique(asked * len(battles.judges.names) + battles.judges.codes, return_inverse=True)[1]
    numbered = asked * (battles.rows + 1) + occurrences(own)
    keys, item = np.unique(numbered, return_inverse=True)
    return Verdicts(item, battles.judges.codes, verdict, battles.units.codes, len(keys), battles.judges.names)


def kappa_tables(found: Verdicts, one: int, other: int) -> Tables:
    """Verdicts of two judges on the items that both judged, against each other."""
    rows = [np.flatnonzero(found.judge == judge) for judge in (one, other)]
    _, first, second = np.intersect1d(found.item[rows[0]], found.item[rows[1]], return_indices=True)
    a, b = found.verdict[rows[0]][first], found.verdict[rows[1]][second]
    used, unit = np.unique(found.unit[rows[0]][first], return_inverse=True)
    tables = np.zeros((len(used), VERDICTS, VERDICTS))
    np.add.at(tables, (unit, a, b), 1.0)
    return Tables(used, tables, len(a))


def kappa_of(found: Tables, alpha: float) -> tuple[Estimate, Estimate]:
    """Raw agreement and kappa."""
    return _jackknife(found.tables, _agreed, alpha), _jackknife(found.tables, _kappa, alpha)


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


def alpha_tables(found: Verdicts) -> Tables:
    """Coincidences of verdicts in items with two or more."""
    counts = np.zeros((found.items, VERDICTS))
    np.add.at(counts, (found.item, found.verdict), 1.0)
    unit = np.zeros(found.items, dtype=np.int64)
    unit[found.item] = found.unit
    several = counts.sum(axis=1) > 1
    counts, (used, unit) = counts[several], np.unique(unit[several], return_inverse=True)
    # Ordered pairs of verdicts within an item, each item's weighted by 1/(m - 1).
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(VERDICTS), range(VERDICTS)] -= counts
    pairs /= (counts.sum(axis=1) - 1)[:, None, None]
    tables = np.zeros((len(used), VERDICTS, VERDICTS))
    np.add.at(tables, unit, pairs)
    return Tables(used, tables, len(counts))


def alpha_of(found: Tables, alpha: float) -> Estimate:
    """Krippendorff's alpha; nan where no item has two verdicts."""
    if not found.items:
        return Estimate(math.nan, math.nan, math.nan)
    return _jackknife(found.tables, _krippendorff, alpha)


def _krippendorff(tables: Array) -> Array:
    totals = tables.sum(axis=1)
    n = totals.sum(axis=1)
    observed = n - np.trace(tables, axis1=1, axis2=2)
    expected = n**2 - (totals**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - (n - 1) * observed / expected)


def _jackknife(tables: Array, value: Callable[[Array], Array], alpha: float) -> Estimate:
    """The value of all units together, and its limits by leaving out each in turn."""
    whole = tables.sum(axis=0)
    at = float(value(whole[None])[0])
    units = len(tables)
    if units < 2 or not math.isfinite(at):
        return Estimate(at, math.nan, math.nan)
    without = value(whole[None] - tables)
    if not np.isfinite(without).all():
        return Estimate(at, math.nan, math.nan)
    error = math.sqrt((units - 1) / units * float(((without - without.mean()) ** 2).sum()))
    reach = t_quantile(units - 1, alpha) * error
    return Estimate(at, max(at - reach, -1.0), min(at + reach, 1.0))

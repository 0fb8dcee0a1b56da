"""Kinds of prompts one by one: how every system fares in each, with one correction over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from outscore.core.numeric import finite
from outscore.inference.families.multiplicity import CORRECTIONS, adjust
from outscore.inference.preferences.strengths import Strengths, elo_of, strengths_of
from outscore.inference.preferences.sums import MAX_CATEGORIES, Sums
from outscore.inference.preferences.tally import against_all
from outscore.inference.preferences.win_rates import flip_p, kept_half, win_rates
from outscore.laws.student import t_quantile
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.preference import Categories, CategoryRow, Order
from outscore.results.pvalue import PValue

__all__ = ["categories_of"]


def categories_of(
    sums: Sums, ranked: Sequence[str], order: Order, alpha: float, correction: str
) -> tuple[Categories | None, list[Note]]:
    """A row for every category and system, strongest systems first; None where there are not two categories.

    H0 of a row: on every prompt of the category the system is exchangeable with those it met, so that its wins less its losses
    there may as well have the other sign. Of two systems the first one has a row: the other's says the same.
    """
    if sums.categories is None:
        text = f"There are more than {MAX_CATEGORIES} categories, so none is looked at alone; --category names another column."
        return None, [Note("omission", text)]
    if len(sums.categories) < 2:
        return None, []
    shown = ranked[:1] if len(ranked) == 2 else ranked
    rows = [row for name, own in sums.categories.items() for row in _rows(name, own, shown, order, alpha)]
    name = "holm" if CORRECTIONS[correction].all_pairs else correction
    tested = [i for i, row in enumerate(rows) if row.p is not None]
    adjusted = adjust([p.claimed for row in rows if (p := row.p) is not None], name).tolist()
    for i, value in zip(tested, adjusted, strict=True):
        p = rows[i].p
        assert p is not None
        rows[i] = replace(rows[i], p=replace(p, adjusted=float(value)))
    return Categories(rows, Family(name, CORRECTIONS[name].error_rate, len(tested))), []


def _rows(category: str, sums: Sums, shown: Sequence[str], order: Order, alpha: float) -> list[CategoryRow]:
    tally = against_all(sums.tally)
    rates, strengths = win_rates(tally, alpha), strengths_of(sums.tally, alpha)
    meetings = tally.meetings
    place = {sums.names[system]: pair for pair, system in enumerate(tally.left.tolist())}
    found = []
    for name in shown:
        if name not in place:
            continue
        i = place[name]
        # Where orders were chosen, swapping names would take a place for a better system.
        p: PValue | None = None if order == "fixed" else flip_p(tally.d[tally.cells_of(i)], alpha)
        rate = float(rates.rate[i])
        low, high = kept_half(float(rates.low[i]), float(rates.high[i]), rate, p, alpha)
        strength, *ends = _strength(strengths, int(tally.left[i]), alpha)
        found.append(
            CategoryRow(
                category,
                name,
                int(tally.wins[i]),
                int(tally.ties[i]),
                int(tally.losses[i]),
                int(meetings[i]),
                rate,
                finite(low),
                finite(high),
                p,
                strength,
                *map(_elo, (strength, *ends)),
            )
        )
    return found


def _strength(strengths: Strengths, system: int, alpha: float) -> tuple[float | None, float | None, float | None]:
    """Log-odds against an average system of the category, and their limits; None where they are not finite."""
    theta = float(strengths.theta[system])
    if not strengths.core[system]:
        return None, None, None
    error, prompts = strengths.error(system)
    reach = t_quantile(prompts - 1, alpha) * error if error > 0 else math.nan
    return finite(theta), finite(theta - reach), finite(theta + reach)


def _elo(value: float | None) -> float | None:
    return None if value is None else elo_of(value)

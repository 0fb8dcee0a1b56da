"""Battles added up: everything that pairs, strengths, position and judges need, however many battles there were.

Sums of several shares of the battles can be added (`total_of`), as long as no prompt is in two of them: verdicts are set
against each other prompt by prompt. Systems, judges and units are then numbered by the first battle they are in, as if all
battles had been read at once, so that the result is the same to the last digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations

import numpy as np

from outscore.core.numeric import Array, renumbered
from outscore.core.records import dataclass
from outscore.inference.preferences.agreement import (
    Tables,
    alpha_tables,
    by_place,
    halves_of,
    kappa_tables,
    swapped_verdicts,
    verdicts_of,
)
from outscore.inference.preferences.tally import Tally, added, tally_of
from outscore.scores.battles import Battles
from outscore.scores.system import Labels

MAX_JUDGES = 10
"""Judges up to which each two of them are compared; of crowds only alpha is told."""
MAX_CATEGORIES = 50
"""Kinds of prompts up to which each is looked at."""
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Known:
    """Names, each with the place of the first battle it is in."""

    names: tuple[str, ...]
    first: Array


@dataclass(frozen=True, eq=False)
class JudgeSums:
    """What judges said: verdicts, battles without one, ties and wins of the first system of each; and tables by unit.

    `repeated` are the items on which a judge gave several verdicts.
    `pairs` holds agreement tables of every two judges, by their codes; it is empty where there are more than `MAX_JUDGES`.
    """

    judges: Known
    verdicts: Array
    undecided: Array
    ties: Array
    won: Array
    repeated: Array
    pairs: Mapping[tuple[int, int], Tables]
    several: Tables


@dataclass(frozen=True, eq=False)
class Sums:
    """All sums of some battles.

    Parameters
    ----------
    systems, units
        Those in these battles.
    battles, undecided
        Verdicts, and battles without one.
    tally, used
        Cells of pairs and units, and the units of the tally as places in `units`.
    places, places_used
        Cells of the first place against the second, likewise; None where no order is known.
    swapped
        Verdicts in both orders (`swapped_verdicts`).
    halves
        Whether both orders of every prompt were shown, had all battles a verdict (`halves_of`); None where prompts are not the
        units.
    judged
        What judges said; None where nothing says who decided.
    categories
        Sums of the battles of each kind of prompt; empty where no kinds are known, None where there are more than
        `MAX_CATEGORIES`.
    """

    systems: Known
    units: Known
    battles: int
    undecided: int
    tally: Tally
    used: Array
    places: Tally | None
    places_used: Array
    swapped: Counter[str]
    halves: Counter[str] | None
    judged: JudgeSums | None
    categories: Mapping[str, Sums] | None = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return self.systems.names


def sums_of(wanted: Battles, rows: Array | None = None) -> Sums:
    """Add battles up.

    Parameters
    ----------
    wanted
        Battles, those without a verdict included; the systems in the order of their first battle (`Battles.compact`).
    rows
        The place of each battle among all there are; None where these are all.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> share, first = np.array([1.0, 0.5, np.nan]), np.array([0, 1, 0])
    >>> sums = sums_of(Battles(("new", "old"), first, 1 - first, share, Labels.of(["q1", "q1", "q2"])))
    >>> sums.names, sums.battles, sums.undecided, sums.tally.rate.tolist()
    (('new', 'old'), 2, 1, [0.75])
    """
    places = np.arange(wanted.rows) if rows is None else rows
    halves = halves_of(wanted) if wanted.clusters is None else None
    units, unit_first = _ordered(wanted.units, places)
    judges = None if wanted.judges is None else _ordered(wanted.judges, places)
    wanted = replace(wanted, clusters=units, judges=None if judges is None else judges[0])
    there = wanted.decided
    battles = wanted if there.all() else wanted.take(np.flatnonzero(there)).compact()
    decided_places = places[there]
    tally, by_position = tally_of(battles), by_place(battles)
    shown = np.zeros(battles.rows, dtype=bool) if battles.shown is None else battles.shown
    codes, known = battles.units.codes, len(units.names)
    return Sums(
        systems=Known(battles.systems, first_places(battles, decided_places)),
        units=Known(tuple(units.names), unit_first),
        battles=battles.rows,
        undecided=wanted.rows - battles.rows,
        tally=tally,
        used=renumbered(codes, known)[0],
        places=by_position,
        places_used=renumbered(codes[shown], known)[0],
        swapped=swapped_verdicts(battles),
        halves=halves,
        judged=None if judges is None else _judged(wanted, *judges),
        categories=_by_category(wanted, places),
    )


def _by_category(wanted: Battles, places: Array) -> dict[str, Sums] | None:
    """The sums of each kind of prompt, judges aside."""
    if wanted.categories is None:
        return {}
    labels, _ = _ordered(wanted.categories, places)
    if len(labels.names) > MAX_CATEGORIES:
        return None
    plain, by_name = replace(wanted, judges=None, categories=None), {}
    for code, name in enumerate(labels.names):
        rows = np.flatnonzero(labels.codes == code)
        battles = plain.take(rows)
        if battles.decided.any():
            by_name[name] = sums_of(battles.compact(), places[rows])
    return by_name


def _ordered(labels: Labels, places: Array) -> tuple[Labels, Array]:
    """Labels numbered by the first place they are at, and those places; names that are at none are left out."""
    first = _first(labels.codes, len(labels.names), places)
    order = np.argsort(first, kind="stable")[: int((first < NEVER).sum())]
    codes = np.full(len(first), -1, dtype=np.int64)
    codes[order] = np.arange(len(order))
    return Labels(codes[labels.codes], tuple(labels.names[i] for i in order.tolist())), first[order]


def _first(codes: Array, known: int, places: Array) -> Array:
    """The first place of every code; far behind for one that does not occur."""
    first = np.full(known, NEVER)
    np.minimum.at(first, codes, places)
    return first


def first_places(battles: Battles, places: Array) -> Array:
    """The first battle of every system, twice its place and one more where it is second."""
    k = len(battles.systems)
    return np.minimum(_first(battles.first, k, 2 * places), _first(battles.second, k, 2 * places + 1))


def _judged(wanted: Battles, judges: Labels, judge_first: Array) -> JudgeSums:
    codes, many = judges.codes, len(judges.names)
    there = wanted.decided
    first = np.where(wanted.first == 0, wanted.share, 1 - wanted.share)
    verdicts = verdicts_of(wanted)
    used = np.unique(codes).tolist()
    pairs = {two: kappa_tables(verdicts, *two) for two in combinations(used, 2)} if len(used) <= MAX_JUDGES else {}
    return JudgeSums(
        Known(tuple(judges.names), judge_first),
        np.bincount(codes[there], minlength=many),
        np.bincount(codes[~there], minlength=many),
        np.bincount(codes[there & (wanted.share == 0.5)], minlength=many),
        np.bincount(codes[there], weights=first[there], minlength=many),
        np.bincount(verdicts.judge[verdicts.counts.sum(axis=1) > 1], minlength=many),
        pairs,
        alpha_tables(verdicts),
    )


def total_of(parts: Sequence[Sums]) -> Sums:
    """The sums of several shares of the battles together."""
    if len(parts) == 1:
        return parts[0]
    systems, system_codes = joined([part.systems for part in parts])
    units, unit_codes = joined([part.units for part in parts])
    tallies, known = [], []
    for part, own, codes in zip(parts, system_codes, unit_codes, strict=True):
        tallies.append((part.tally, own[part.tally.left], own[part.tally.right], codes[part.used]))
        if part.places is not None:
            known.append((part.places, part.places.left, part.places.right, codes[part.places_used]))
    tally, used = added(tallies, len(systems.names), len(units.names))
    places, places_used = added(known, 2, len(units.names)) if known else (None, np.zeros(0, dtype=np.int64))
    halves = [part.halves for part in parts if part.halves is not None]
    return Sums(
        systems=systems,
        units=units,
        battles=sum(part.battles for part in parts),
        undecided=sum(part.undecided for part in parts),
        tally=tally,
        used=used,
        places=places,
        places_used=places_used,
        swapped=sum((part.swapped for part in parts), Counter()),
        halves=sum(halves, Counter()) if halves else None,
        judged=_added_judges(parts, unit_codes),
        categories=_added_categories(parts),
    )


def _added_categories(parts: Sequence[Sums]) -> dict[str, Sums] | None:
    """The sums of each kind, in the order of their first battles."""
    by_name: dict[str, list[Sums]] = {}
    for part in parts:
        if part.categories is None:
            return None
        for name, parts_of_name in part.categories.items():
            by_name.setdefault(name, []).append(parts_of_name)
    if len(by_name) > MAX_CATEGORIES:
        return None
    sums = {name: total_of(parts_of_name) for name, parts_of_name in by_name.items()}
    return dict(sorted(sums.items(), key=lambda pair: int(pair[1].units.first.min())))


def joined(parts: Sequence[Known]) -> tuple[Known, list[Array]]:
    """All names by their first place, and for each part the new codes of its own."""
    first: dict[str, int] = {}
    for part in parts:
        for name, place in zip(part.names, part.first.tolist(), strict=True):
            if place < first.get(name, NEVER):
                first[name] = place
    names = sorted(first, key=lambda name: first[name])
    code = {name: i for i, name in enumerate(names)}
    # A name that is in no battle of its part has no code, and nothing refers to it.
    codes = [np.array([code.get(name, -1) for name in part.names], dtype=np.int64) for part in parts]
    return Known(tuple(names), np.array([first[name] for name in names], dtype=np.int64)), codes


def _added_judges(parts: Sequence[Sums], unit_codes: Sequence[Array]) -> JudgeSums | None:
    known = [(part.judged, codes) for part, codes in zip(parts, unit_codes, strict=True) if part.judged is not None]
    if not known:
        return None
    judges, judge_codes = joined([judged.judges for judged, _ in known])
    many = len(judges.names)

    def summed(name: str) -> Array:
        total = np.zeros(many, dtype=getattr(known[0][0], name).dtype)
        for (judged, _), codes in zip(known, judge_codes, strict=True):
            np.add.at(total, codes, getattr(judged, name))
        return total

    pairs: dict[tuple[int, int], list[Tables]] = {}
    for (judged, units), codes in zip(known, judge_codes, strict=True):
        for (one, other), tables in judged.pairs.items():
            a, b = int(codes[one]), int(codes[other])
            moved = replace(tables, unit=units[tables.unit])
            if a > b:
                moved = replace(moved, tables=moved.tables.transpose(0, 2, 1))
            pairs.setdefault((min(a, b), max(a, b)), []).append(moved)
    several = [replace(judged.several, unit=units[judged.several.unit]) for judged, units in known]
    listed = {two: _added_tables(pairs[two]) for two in combinations(range(many), 2) if two in pairs}
    return JudgeSums(
        judges,
        summed("verdicts"),
        summed("undecided"),
        summed("ties"),
        summed("won"),
        summed("repeated"),
        listed if many <= MAX_JUDGES else {},
        _added_tables(several),
    )


def _added_tables(parts: Sequence[Tables]) -> Tables:
    used, unit = np.unique(np.concatenate([part.unit for part in parts]), return_inverse=True)
    tables = np.zeros((len(used), *parts[0].tables.shape[1:]))
    np.add.at(tables, unit, np.concatenate([part.tables for part in parts]))
    return Tables(used, tables, sum(part.items for part in parts))

"""Which population a ranking is about: the requested one, or the default for its repeats if all systems allow it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from outscore.core.errors import OutscoreError
from outscore.core.repeats import RUNS, RepeatKind, Runs
from outscore.inference.populations import (
    EXCHANGE,
    EXCHANGE_OF_RUNS,
    ITEMS,
    ITEMS_AND_RUNS,
    POPULATIONS,
    THESE_ITEMS,
    TWO_WAY,
    lacking,
    population_cure,
    usual_population,
)
from outscore.inference.registry import DEFAULT
from outscore.inference.runs.exchange import SPREAD_UNSEEN, UNEQUAL_LAWS, not_exchangeable
from outscore.inference.runs.two_way import FEW_RUNS
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.workflows.rank.question import Question

MAX_PAIRS = 2_000
"""Pairs that are also tested for other populations, which takes some milliseconds each."""

Metrics = Sequence[Sequence[Panel]]
"""The panels of all metrics that are ranked by."""


def repeat_kind(panels: Sequence[Panel], question: Question) -> RepeatKind | None:
    """What the repeats are: as the caller says, or by the name of their column; None without repeats."""
    known = panels[0].repeats
    if known is None:
        if question.repeats is not None:
            raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
        return None
    return known.kind if question.repeats is None else cast("RepeatKind", question.repeats)


def name_of_test(population: str, panels: Sequence[Panel], question: Question) -> str:
    """The test that answers for a population."""
    if population == THESE_ITEMS:
        return EXCHANGE_OF_RUNS if repeat_kind(panels, question) == RUNS else EXCHANGE
    return TWO_WAY if population == ITEMS_AND_RUNS else question.test


def population_of(panels: Sequence[Panel], question: Question, metrics: Metrics) -> tuple[str, list[str], list[Note]]:
    """The population that decides, the others that the data allow, and notes on those that they do not."""
    kind = repeat_kind(panels, question)
    missing = _missing(panels, question, kind, metrics)
    usual = usual_population(kind)
    named = None if question.test == DEFAULT else ITEMS
    chosen = question.population or named or (ITEMS if missing[usual] else usual)
    if missing[chosen]:
        repeats = panels[0].repeats
        cure = population_cure(
            chosen,
            kind,
            reduced="" if repeats is None else repeats.reduced,
            units=question.unit_size != 1,
            incomplete=any(known.lacking for known in (panel.repeats for panel in panels) if known is not None),
        )
        raise OutscoreError(f"Population {chosen} is not available: {missing[chosen]}.", cure, parameter="population")
    others = [name for name in missing if name != chosen and not missing[name]] if kind is not None else []
    notes = []
    if THESE_ITEMS in others and math.comb(len(panels[0].systems), 2) > MAX_PAIRS:
        others.remove(THESE_ITEMS)
        text = f"With more than {MAX_PAIRS:,} pairs, other populations are only tested on request: --population {THESE_ITEMS}."
        notes.append(Note("runs", text))
    if chosen == ITEMS_AND_RUNS and any(runs.table.shape[1] < 3 for runs in _runs(panels)):
        notes.append(Note("runs", FEW_RUNS))
    if chosen == ITEMS and kind == RUNS and missing[usual]:
        text = f"The claims are about these runs, not about new ones: {missing[usual]}."
        notes.append(Note("runs", text))
    if chosen == THESE_ITEMS and kind != RUNS and any(panel.run_unequally() is not None for panel in panels):
        notes.append(Note("runs", UNEQUAL_LAWS))
    if chosen == THESE_ITEMS and kind != RUNS and any((panel.times == 1).any() for panel in panels):
        notes.append(Note("runs", SPREAD_UNSEEN))
    return chosen, others, notes


def _runs(panels: Sequence[Panel]) -> list[Runs]:
    return [runs for panel in panels if panel.repeats is not None for runs in panel.repeats.systems]


def _missing(panels: Sequence[Panel], question: Question, kind: RepeatKind | None, metrics: Metrics) -> dict[str, str]:
    """By population, what the data lack for it, as a clause; empty if they lack nothing."""
    parts, fewest = [panel.repeats for panel in panels], min(panel.shape[1] for panel in panels)
    missing = {name: lacking(name, parts, kind, unit_size=question.unit_size, items=fewest) for name in POPULATIONS}
    if kind == RUNS:
        uneven = _uneven_runs(panels)
        return {name: "" if name == ITEMS else clause or uneven for name, clause in missing.items()}
    for panel in (panel for of_metric in metrics for panel in of_metric):
        if not missing[THESE_ITEMS] and panel.repeats is not None:
            missing[THESE_ITEMS] = not_exchangeable(panel.repeats.systems, panel.metric)
    return missing


def _uneven_runs(panels: Sequence[Panel]) -> str:
    """Which system has different numbers of runs on different datasets, as a clause; empty if none has, or lacks runs."""
    known = [panel.repeats for panel in panels if panel.repeats is not None]
    if any(repeats.lacking for repeats in known):
        return ""
    for system, *runs in zip(panels[0].systems, *(repeats.systems for repeats in known), strict=True):
        if len({one.table.shape[1] for one in runs}) > 1:
            return f"{system} has different numbers of runs on different datasets"
    return ""

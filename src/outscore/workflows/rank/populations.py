"""Which population a ranking is about: the requested one, or the default for its repeats if all systems allow it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.repeats import RUNS, RepeatKind, Runs
from outscore.inference.populations import (
    EXCHANGE,
    EXCHANGE_OF_RUNS,
    ITEMS,
    ITEMS_AND_RUNS,
    THESE_ITEMS,
    TWO_WAY,
    population_cure,
    usual_population,
)
from outscore.inference.registry import DEFAULT
from outscore.inference.runs.exchange import SPREAD_UNSEEN, UNEQUAL_LAWS, exchange_of_rows
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
    lacking = {
        ITEMS: "",
        ITEMS_AND_RUNS: _lacking(panels, question, kind),
        THESE_ITEMS: _these_lacking(panels, question, kind, metrics),
    }
    usual = usual_population(kind)
    named = None if question.test == DEFAULT else ITEMS
    chosen = question.population or named or (ITEMS if lacking[usual] else usual)
    if lacking[chosen]:
        cure = population_cure(
            chosen,
            kind,
            reduced=_reduced(panels),
            units=question.unit_size != 1,
            incomplete=lacking[chosen] == _tables_lacking(panels),
        )
        raise OutscoreError(f"Population {chosen} is not available: {lacking[chosen]}.", cure, parameter="population")
    others = [name for name in lacking if name != chosen and not lacking[name]] if kind is not None else []
    notes = []
    if THESE_ITEMS in others and math.comb(len(panels[0].systems), 2) > MAX_PAIRS:
        others.remove(THESE_ITEMS)
        text = f"With more than {MAX_PAIRS:,} pairs, other populations are only tested on request: --population {THESE_ITEMS}."
        notes.append(Note("runs", text))
    if chosen == ITEMS_AND_RUNS and any(runs.table.shape[1] < 3 for runs in _runs(panels)):
        notes.append(Note("runs", FEW_RUNS))
    if chosen == ITEMS and kind == RUNS and lacking[usual]:
        text = f"The claims are about these runs, not about new ones: {lacking[usual]}."
        notes.append(Note("runs", text))
    if chosen == THESE_ITEMS and kind != RUNS and any(panel.run_unequally() is not None for panel in panels):
        notes.append(Note("runs", UNEQUAL_LAWS))
    if chosen == THESE_ITEMS and kind != RUNS and any((panel.times == 1).any() for panel in panels):
        notes.append(Note("runs", SPREAD_UNSEEN))
    return chosen, others, notes


def _runs(panels: Sequence[Panel]) -> list[Runs]:
    return [runs for panel in panels if panel.repeats is not None for runs in panel.repeats.systems]


def _reduced(panels: Sequence[Panel]) -> str:
    return "" if panels[0].repeats is None else panels[0].repeats.reduced


def _these_lacking(
    panels: Sequence[Panel],
    question: Question,
    kind: RepeatKind | None,
    metrics: Metrics,
) -> str:
    """What an exchange of the runs of these items lacks, as a clause; empty if it lacks nothing."""
    if kind is None:
        return "each item was scored once"
    if question.unit_size != 1:
        return "units of several items are compared"
    if kind == RUNS or _reduced(panels):
        return _tables_lacking(panels)
    for panel in (panel for of_metric in metrics for panel in of_metric):
        if panel.repeats is None or panel.repeats.metric is not None:
            return "the individual runs of the items are not known"
        rows = np.concatenate([runs.values for runs in panel.repeats.systems])
        runs = Runs(rows, np.zeros(len(rows), dtype=np.int64))
        if exchange_of_rows((runs, runs), panel.metric) is None:
            return f"{panel.metric.name} is not a mean over items"
    return ""


def _lacking(panels: Sequence[Panel], question: Question, kind: RepeatKind | None) -> str:
    """What an analysis of items and runs lacks, as a clause; empty if it lacks nothing."""
    if kind is None:
        return "each item was scored once"
    if _reduced(panels):
        return _tables_lacking(panels)
    if kind != RUNS:
        return "epochs are unrelated from item to item"
    if question.unit_size != 1:
        return "units of several items are compared"
    if any(panel.shape[1] < 2 for panel in panels):
        return "there is a single item"
    return _tables_lacking(panels)


def _tables_lacking(panels: Sequence[Panel]) -> str:
    """Why there is no table of items by runs for every system; empty if there is."""
    known = [panel.repeats for panel in panels if panel.repeats is not None]
    lacking = next((repeats.lacking for repeats in known if repeats.lacking), "")
    if lacking:
        return lacking
    for system, *runs in zip(panels[0].systems, *(repeats.systems for repeats in known), strict=True):
        if len({one.table.shape[1] for one in runs}) > 1:
            return f"{system} has different numbers of runs on different datasets"
    return ""

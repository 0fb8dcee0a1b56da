"""Which population a ranking is about: the requested one, or the default for its repeats if all systems allow it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from outscore.core.rows import RUNS, Repeats
from outscore.inference.pairwise.table import lacking_of
from outscore.inference.populations import (
    EXCHANGE,
    EXCHANGE_OF_RUNS,
    ITEMS,
    ITEMS_AND_RUNS,
    THESE_ITEMS,
    TWO_WAY,
    choose_population,
    usual_population,
)
from outscore.inference.registry import DEFAULT
from outscore.inference.runs import SPREAD_UNSEEN, UNEQUAL_LAWS
from outscore.inference.two_way import FEW_RUNS
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.workflows.rank.question import Question

MAX_PAIRS = 2_000
"""Pairs that are also tested for other populations, which takes some milliseconds each."""

Metrics = Sequence[Sequence[Panel]]
"""The panels of all metrics that are ranked by."""


def name_of_test(population: str, panels: Sequence[Panel], test: str) -> str:
    """The test that answers for a population; `test` answers for items."""
    if population == THESE_ITEMS:
        return EXCHANGE_OF_RUNS if panels[0].repeat_kind == RUNS else EXCHANGE
    return TWO_WAY if population == ITEMS_AND_RUNS else test


def lacking_on_datasets(panels: Sequence[Panel], unit_size: int, further: Sequence[Panel] = ()) -> dict[str, str]:
    """By population, what the datasets of a ranking lack for a claim about it; runs have to be those of all datasets."""
    missing = lacking_of(panels, unit_size=unit_size, further=further)
    uneven = _uneven_runs(panels) if panels[0].repeat_kind == RUNS else ""
    return {name: "" if name == ITEMS else clause or uneven for name, clause in missing.items()}


def population_of(panels: Sequence[Panel], question: Question, metrics: Metrics) -> tuple[str, list[str], list[Note]]:
    """The population that decides, the others that the data allow, and notes on those that they do not."""
    kind, units = panels[0].repeat_kind, question.unit_size
    missing = lacking_on_datasets(panels, units, [panel for of_metric in metrics[1:] for panel in of_metric])
    usual = usual_population(kind)
    parts = [panel.shared_repeats for panel in panels]
    chosen = choose_population(question.population, missing, parts, kind, only_items=question.test != DEFAULT, units=units != 1)
    others = [name for name in missing if name != chosen and not missing[name]] if kind is not None else []
    notes = []
    if THESE_ITEMS in others and math.comb(len(panels[0].systems), 2) > MAX_PAIRS:
        others.remove(THESE_ITEMS)
        text = f"With more than {MAX_PAIRS:,} pairs, other populations are only tested on request: --population {THESE_ITEMS}."
        notes.append(Note("runs", text))
    if chosen == ITEMS_AND_RUNS and any(runs.count < 3 for repeats in _known(panels) for runs in repeats.systems):
        notes.append(Note("runs", FEW_RUNS))
    if chosen == ITEMS and kind == RUNS and missing[usual]:
        text = f"The claims are about these runs, not about new ones: {missing[usual]}."
        notes.append(Note("runs", text))
    if chosen == THESE_ITEMS and kind != RUNS and any(panel.run_unequally() is not None for panel in panels):
        notes.append(Note("runs", UNEQUAL_LAWS))
    if chosen == THESE_ITEMS and kind != RUNS and any((panel.times == 1).any() for panel in panels):
        notes.append(Note("runs", SPREAD_UNSEEN))
    return chosen, others, notes


def _known(panels: Sequence[Panel]) -> list[Repeats]:
    """The repeats of each panel that has any, of items that are compared."""
    return [panel.shared_repeats for panel in panels if panel.shared_repeats is not None]


def _uneven_runs(panels: Sequence[Panel]) -> str:
    """Which system has different numbers of runs on different datasets, as a clause; empty if none has, or lacks runs."""
    known = _known(panels)
    if any(repeats.lacking for repeats in known):
        return ""
    for system, *runs in zip(panels[0].systems, *(repeats.systems for repeats in known), strict=True):
        if len({one.count for one in runs}) > 1:
            return f"{system} has different numbers of runs on different datasets"
    return ""

"""Which population a ranking speaks of: the one asked for, or the one that suits the repeats, where all systems allow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from outscore.core.errors import OutscoreError
from outscore.core.repeats import RUNS, RepeatKind, kind_of_column
from outscore.inference.populations import ITEMS, ITEMS_AND_RUNS, usual_population
from outscore.inference.registry import DEFAULT
from outscore.inference.runs.two_way import FEW_RUNS
from outscore.results.note import Note
from outscore.scores.board import Board
from outscore.workflows.rank.question import Question

__all__ = ["population_of", "repeat_kind"]


def repeat_kind(boards: Sequence[Board], question: Question) -> RepeatKind | None:
    """What the repeats are: as the caller says, or by the name of their column; None without repeats."""
    if all(board.runs is None for board in boards):
        if question.repeats is not None:
            raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
        return None
    return cast("RepeatKind", question.repeats) if question.repeats is not None else kind_of_column(boards[0].repeat_column)


def population_of(boards: Sequence[Board], question: Question) -> tuple[str, list[str], list[Note]]:
    """The population that decides, the others that can be had, and what to say of those that cannot."""
    kind = repeat_kind(boards, question)
    lacking = _lacking(boards, question, kind)
    if lacking:
        if question.population not in (None, ITEMS):
            cure = "Leave --population out, or say --repeats runs where one repeat spans all items."
            raise OutscoreError(f"Population {question.population} cannot be had: {lacking}.", cure, parameter="population")
        text = f"The claims are about these runs and not about new ones: {lacking}."
        return ITEMS, [], [Note("runs", text)] if kind == RUNS else []
    named = None if question.test == DEFAULT else ITEMS
    chosen = question.population or named or usual_population(kind)
    few = any(table.values is not None and table.values.shape[1] < 3 for board in boards for table in board.runs or ())
    notes = [Note("runs", FEW_RUNS)] if few and chosen == ITEMS_AND_RUNS else []
    return chosen, [name for name in (ITEMS_AND_RUNS, ITEMS) if name != chosen], notes


def _lacking(boards: Sequence[Board], question: Question, kind: RepeatKind | None) -> str:
    """What an analysis of items and runs lacks, as a clause; empty where it lacks nothing."""
    if kind is None:
        return "each item was scored once"
    if kind != RUNS:
        return "epochs have nothing to do with one another from item to item"
    if question.unit_size != 1:
        return "units of several items are compared"
    sizes: dict[int, set[int]] = {}
    for board in boards:
        for code, table in enumerate(board.runs or ()):
            if table.values is None:
                return table.lacking
            sizes.setdefault(code, set()).add(table.values.shape[1])
    if any(board.shape[1] < 2 for board in boards):
        return "there is a single item"
    uneven = next((code for code, found in sizes.items() if len(found) > 1), None)
    return "" if uneven is None else f"{boards[0].systems[uneven]} has other numbers of runs on other datasets"

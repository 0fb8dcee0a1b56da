"""Which tables of a diff are shown: a screen or two by default, everything on request, or those asked for by name."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.core.errors import OutscoreError
from outscore.report.rows.diff import WHOLE_TABLES, whole_sheets
from outscore.report.rows.diff_pairs import PAIR_TABLES, Sort, pair_sheets
from outscore.report.rows.diff_words import Sheet
from outscore.results.diff import MAX_LISTED_PAIRS, Diff, Pair

__all__ = ["TABLES", "check_tables", "chosen_sheets", "default_sheets", "told_pairs"]

TABLES = tuple(dict.fromkeys((*WHOLE_TABLES, *PAIR_TABLES)))
BEFORE = ("inventory", "scores", "rates", "pairs")
ON_REQUEST = ("inventory", "rates", "settings", "solved", "metrics", "kinds")
# As many labels as the published tables of upper bounds have.
ORACLE_LABELS = 10
# The matrix of more systems fills the screen.
FEW_SYSTEMS = 8


def default_sheets(diff: Diff, *, verbose: bool, top: int, sort: Sort) -> list[Sheet]:
    """The tables of a report in reading order; without `verbose` the first rows of the most important ones."""
    rows = None if verbose else top
    whole = whole_sheets(diff, top=None if verbose else ORACLE_LABELS, every_pair=verbose)
    details = [sheet for pair in _detailed(diff, verbose=verbose) for sheet in pair_sheets(diff, pair, top=rows, sort=sort)]
    ordered = [sheet for sheet in whole if sheet.table.key in BEFORE]
    ordered += details + [sheet for sheet in whole if sheet.table.key not in BEFORE]
    hidden = () if verbose else ON_REQUEST if len(diff.systems) <= FEW_SYSTEMS else (*ON_REQUEST, "agreement")
    return [sheet for sheet in ordered if sheet.table.key not in hidden]


def chosen_sheets(diff: Diff, keys: Sequence[str], *, top: int | None = None, sort: Sort = "evidence") -> list[Sheet]:
    """The tables of these names, those of a pair for every pair by the first criterion."""
    check_tables(keys)
    made = whole_sheets(diff, top=None if top is None else max(top, ORACLE_LABELS))
    if set(keys) & set(PAIR_TABLES):
        made += [sheet for pair in diff.primary_pairs for sheet in pair_sheets(diff, pair, top=top, sort=sort)]
    there = dict.fromkeys(sheet.table.key for sheet in made)
    for key in keys:
        if key not in there:
            raise OutscoreError(f"This result has nothing to show in the table `{key}`.", f"It has: {', '.join(there)}.")
    return [sheet for key in dict.fromkeys(keys) for sheet in made if sheet.table.key == key]


def check_tables(keys: Sequence[str]) -> None:
    """Refuse names of tables that do not exist."""
    for key in keys:
        if key not in TABLES:
            raise OutscoreError(f"There is no table `{key}`.", f"Choose from: {', '.join(TABLES)}.")


def told_pairs(diff: Diff, *, verbose: bool) -> list[Pair]:
    """The pairs whose sentences are written out: those by the first criterion, unless they are many."""
    return diff.primary_pairs if verbose or len(diff.primary_pairs) <= MAX_LISTED_PAIRS else []


def _detailed(diff: Diff, *, verbose: bool) -> list[Pair]:
    return diff.pairs if verbose else told_pairs(diff, verbose=False)

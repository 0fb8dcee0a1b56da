"""Which tables of a diff are shown: a screen or two by default, everything on request, or those asked for by name."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.diffs import Diff, Pair
from outscore.errors import OutscoreError
from outscore.report.diff_pair_tables import PAIR_TABLES, Sort, pair_sheets
from outscore.report.diff_tables import WHOLE_TABLES, whole_sheets
from outscore.report.diff_words import Sheet, primary_pairs

__all__ = ["TABLES", "chosen_sheets", "default_sheets"]

TABLES = (*WHOLE_TABLES, *PAIR_TABLES)
# Up to so many pairs are shown in detail unasked.
FEW_PAIRS = 3
BEFORE = ("inventory", "scores", "rates", "pairs")
ON_REQUEST = ("inventory", "rates", "settings", "solved", "metrics", "kinds")
# As many labels as the published tables of upper bounds have.
ORACLE_LABELS = 10


def default_sheets(diff: Diff, *, verbose: bool, top: int, sort: Sort) -> list[Sheet]:
    """The tables of a report in reading order; without `verbose` the first rows of the most important ones."""
    rows = None if verbose else top
    whole = whole_sheets(diff, top=None if verbose else ORACLE_LABELS, every_pair=verbose)
    details = [sheet for pair in _detailed(diff, verbose=verbose) for sheet in pair_sheets(diff, pair, top=rows, sort=sort)]
    ordered = [sheet for sheet in whole if sheet.table.key in BEFORE]
    ordered += details + [sheet for sheet in whole if sheet.table.key not in BEFORE]
    return [sheet for sheet in ordered if verbose or sheet.table.key not in ON_REQUEST]


def chosen_sheets(diff: Diff, keys: Sequence[str], *, top: int | None = None, sort: Sort = "evidence") -> list[Sheet]:
    """The tables of these names, those of a pair for every pair by the first criterion."""
    for key in keys:
        if key not in TABLES:
            raise OutscoreError(f"There is no table `{key}`.", f"Choose from: {', '.join(TABLES)}.")
    made = whole_sheets(diff, top=None if top is None else max(top, ORACLE_LABELS))
    if diff.pairs and set(keys) & set(PAIR_TABLES):
        made += [sheet for pair in primary_pairs(diff) for sheet in pair_sheets(diff, pair, top=top, sort=sort)]
    found = [sheet for key in keys for sheet in made if sheet.table.key == key]
    if not found:
        there = ", ".join(dict.fromkeys(sheet.table.key for sheet in made))
        raise OutscoreError(f"This result has nothing to show in the table `{keys[0]}`.", f"It has: {there}.")
    return found


def _detailed(diff: Diff, *, verbose: bool) -> list[Pair]:
    if verbose:
        return diff.pairs
    pairs = primary_pairs(diff) if diff.pairs else []
    return pairs if len(pairs) <= FEW_PAIRS else []

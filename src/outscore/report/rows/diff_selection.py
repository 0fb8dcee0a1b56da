"""Which tables of a diff are shown: a screen or two by default, everything on request, or those asked for by name."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.core.errors import OutscoreError
from outscore.report.document import Table
from outscore.report.rows.diff import WHOLE_TABLES, whole_tables
from outscore.report.rows.diff_pairs import PAIR_TABLES, Sort, pair_tables
from outscore.report.rows.settings import settings_table
from outscore.results.diff import MAX_LISTED_PAIRS, Diff, Pair

__all__ = ["TABLES", "check_tables", "chosen_tables", "default_tables", "detail_tables", "told_pairs"]

TABLES = tuple(dict.fromkeys((*WHOLE_TABLES, "settings", *PAIR_TABLES)))
ON_REQUEST = ("inventory", "rates", "solved", "metrics", "kinds")
# As many labels as the published tables of upper bounds have.
MAX_ORACLE_LABELS = 10
# The matrix of more systems fills the screen.
MAX_SYSTEMS = 8


def default_tables(diff: Diff, *, verbose: bool) -> list[Table]:
    """The tables about all systems; without `verbose` the most important ones, with the first rows of long ones."""
    whole = whole_tables(diff, top=None if verbose else MAX_ORACLE_LABELS, every_pair=verbose)
    hidden: tuple[str, ...] = ()
    if not verbose:
        hidden = ON_REQUEST if len(diff.systems) <= MAX_SYSTEMS else (*ON_REQUEST, "agreement")
    return [table for table in whole if table.key not in hidden]


def detail_tables(diff: Diff, *, verbose: bool, top: int, sort: Sort) -> list[Table]:
    """The tables of each pair; without `verbose` of few pairs, and the first rows of the most important ones."""
    pairs = diff.pairs if verbose else told_pairs(diff, verbose=False)
    made = [table for pair in pairs for table in pair_tables(diff, pair, top=None if verbose else top, sort=sort)]
    return made if verbose else [table for table in made if table.key not in ON_REQUEST]


def chosen_tables(diff: Diff, keys: Sequence[str], *, top: int | None = None, sort: Sort = "evidence") -> list[Table]:
    """The tables of these names, those of a pair for every pair by the first criterion."""
    check_tables(keys)
    settings = settings_table(diff.settings)
    made = whole_tables(diff, top=None if top is None else max(top, MAX_ORACLE_LABELS))
    made += [] if settings is None else [settings]
    if set(keys) & set(PAIR_TABLES):
        made += [table for pair in diff.primary_pairs for table in pair_tables(diff, pair, top=top, sort=sort)]
    there = dict.fromkeys(table.key for table in made)
    for key in keys:
        if key not in there:
            raise OutscoreError(f"This result has nothing to show in the table `{key}`.", f"It has: {', '.join(there)}.")
    return [table for key in dict.fromkeys(keys) for table in made if table.key == key]


def check_tables(keys: Sequence[str]) -> None:
    """Refuse names of tables that do not exist."""
    for key in keys:
        if key not in TABLES:
            raise OutscoreError(f"There is no table `{key}`.", f"Choose from: {', '.join(TABLES)}.")


def told_pairs(diff: Diff, *, verbose: bool) -> list[Pair]:
    """The pairs whose sentences are written out: those by the first criterion, unless they are many."""
    return diff.primary_pairs if verbose or len(diff.primary_pairs) <= MAX_LISTED_PAIRS else []

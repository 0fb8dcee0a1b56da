"""The family of tests that a ranking makes: which tables belong together, their one correction, and all pairs as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LN10, Array
from outscore.core.records import dataclass
from outscore.inference.families.multiplicity import CORRECTIONS, adjust
from outscore.inference.pairwise.systems import baseline_of
from outscore.inference.pairwise.table import KINDS, Measured
from outscore.results.design import Family
from outscore.workflows.rank.question import USUAL, Question
from outscore.workflows.rank.standings import Corrected

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Families", "families", "pairs_frame"]


@dataclass(frozen=True, eq=False)
class Families:
    """The tables of the answer, one for each metric, and those of the datasets; each set with its family."""

    tops: list[Corrected]
    family: Family
    parts: list[Corrected]
    parts_family: Family | None


def families(measured: Sequence[Measured], question: Question) -> Families:
    """One correction over all pairs of the answer that share items, and one over those of all datasets."""
    question.check_family()
    correction, alpha = question.correction, question.alpha
    base = baseline_of(measured[0].systems, question.baseline)
    tops = [found for found in measured if found.macro or _alone(found, measured)]
    parts = [found for found in measured if not found.macro and not _alone(found, measured)]
    first, family = _correct(tops, correction, alpha, base)
    second, second_family = _correct(parts, _for_datasets(correction), alpha, base) if parts else ([], None)
    return Families(first, family, second, second_family)


def pairs_frame(measured: Sequence[Measured], question: Question = USUAL) -> pl.DataFrame:
    """All pairs of all datasets and metrics as one table, adjusted p included; `write_parquet` saves it.

    The macro average has no dataset. Differences are left - right, raw.

    Examples
    --------
    >>> from outscore.workflows.rank.measure import measure
    >>> from outscore.scores.board import Board
    >>> values = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]])
    >>> frame = pairs_frame(measure([Board(("new", "old"), values, np.ones((2, 6), dtype=bool))]))
    >>> frame["left"].to_list(), frame["p"].to_list(), frame["n"].to_list()
    (['new'], [0.0625], [6])
    """
    import polars as pl

    found = families(measured, question)
    return pl.concat([_frame(table) for table in (*found.tops, *found.parts)])


def _frame(table: Corrected) -> pl.DataFrame:
    import polars as pl

    found, pairs = table.measured, table.measured.pairs
    names = pl.Series(list(found.systems), dtype=pl.String)
    return pl.DataFrame(
        {
            "dataset": pl.Series([found.dataset], dtype=pl.String).new_from_index(0, len(pairs)),
            "metric": pl.Series([found.metric]).new_from_index(0, len(pairs)),
            "left": names.gather(pairs.left),
            "right": names.gather(pairs.right),
            "n": pairs.n.astype(np.int64),
            "difference": pairs.difference.astype(float),
            "low": pairs.low.astype(float),
            "high": pairs.high.astype(float),
            "p": pairs.p,
            "log10_p": pairs.log_p / LN10 + 0.0,
            "adjusted_p": table.adjusted,
            "method": pl.Series(list(KINDS)).gather(pairs.kind.astype(np.int64)),
            "significant": table.significant,
        }
    )


def _alone(found: Measured, entries: Sequence[Measured]) -> bool:
    """Whether a dataset is the only one of its metric."""
    return sum(1 for other in entries if other.metric == found.metric and not other.macro) == 1


def _for_datasets(correction: str) -> str:
    """Shaffer's argument is about the pairs of one table; over several, Holm holds."""
    return "holm" if CORRECTIONS[correction].all_pairs else correction


def _correct(tables: Sequence[Measured], correction: str, alpha: float, baseline: int | None) -> tuple[list[Corrected], Family]:
    """One family of all pairs in the tables that share items."""
    testable = [found.pairs.testable for found in tables]
    entry = CORRECTIONS[correction]
    p = np.concatenate([found.pairs.p[tested] for found, tested in zip(tables, testable, strict=True)])
    whole = _all_pairs(tables, correction) if entry.all_pairs else None
    adjusted = adjust(p, correction) if whole is None else whole[np.concatenate(testable)]
    out, start = [], 0
    for found, tested in zip(tables, testable, strict=True):
        mine = np.full(len(tested), np.nan)
        size = int(tested.sum())
        mine[tested] = adjusted[start : start + size]
        start += size
        out.append(Corrected(found, mine, alpha, baseline, counted=entry.all_pairs))
    return out, Family(correction, entry.error_rate, len(p) if whole is None else len(whole))


def _all_pairs(tables: Sequence[Measured], correction: str) -> Array:
    """A correction for all pairs of some systems; pairs that share nothing count as never rejected."""
    if len(tables) > 1:
        raise OutscoreError(
            f"Correction `{correction}` is for the pairs of one table, and there are {len(tables)} metrics.", "Use `holm`."
        )
    return adjust(tables[0].pairs.p, correction, systems=len(tables[0].systems))

"""A printed table in short statements and tables of texts: right answers, numbers of items that fit, and p of every pair."""

from __future__ import annotations

from outscore.language.numbers import count, format_level, format_p_number, format_probability
from outscore.language.phrases import correction_name
from outscore.language.verdict.plan import fitting_sentence
from outscore.report.document import Fact, Record, Records, Table, clean, make_table
from outscore.results.note import note_texts
from outscore.results.possible import PossiblePair, PossibleTable

__all__ = ["facts", "pair_table", "records", "score_table"]

COLUMNS = (
    "first", "second", "p_lowest", "p_highest", "p_independent", "p_adjusted_lowest", "p_adjusted_highest", "outcome",
)  # fmt: skip
SCORE_COLUMNS = ("system", "score", "right_fewest", "right_most")


def score_table(found: PossibleTable) -> Table:
    """The printed scores, best first, with the right answers they stand for."""
    rows = [(one.system, one.score, "" if one.right is None else _range(one.right)) for one in found.systems]
    notes = [] if found.n is None else [f"Right: how many of {count(found.n, 'item')} print as the score."]
    return make_table("scores", "Printed scores", ["system", "score", "right"], "lrr", rows, notes)


def _range(right: tuple[int, int]) -> str:
    low, high = right
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def pair_table(found: PossibleTable, most: int | None = None) -> Table:
    """The range of p of every pair, by itself and corrected."""
    rows = [_pair(pair, found) for pair in found.pairs[:most]]
    columns = ["first", "second", "lowest p", "highest p", "independent", "adj. low", "adj. high", "significant"]
    notes = []
    if found.family is not None:
        corrected = f"{correction_name(found.family.correction)} over {count(found.family.m, 'pair')}"
        notes += [
            "p of the exact McNemar test, two-sided, over all right answers and overlaps of errors that fit.",
            f"Adjusted: {corrected}, of all lowest and all highest p. Significant: adjusted p <= {format_level(found.alpha)}.",
        ]
    left = len(found.pairs) - len(rows)
    notes += [f"Not shown: {count(left, 'pair')} (-v shows all)."] if left else []
    return make_table("pairs", "Possible p-values", columns, "llrrrrrl", rows, notes)


def _pair(pair: PossiblePair, found: PossibleTable) -> tuple[str, ...]:
    alone = (format_p_number(p, found.alpha) for p in (pair.lowest, pair.highest, pair.independent))
    adjusted = (format_probability(p, 3) for p in (pair.adjusted_lowest, pair.adjusted_highest))
    return (*pair.systems, *alone, *adjusted, pair.outcome)


def facts(found: PossibleTable) -> list[Fact]:
    """What the answer rests on."""
    listed = [("items", [fitting_sentence(found.fitting)]), ("notes", note_texts(found.notes))]
    return [Fact(label, tuple(map(clean, lines)), guarded=label == "notes") for label, lines in listed if lines]


def records(found: PossibleTable) -> Records:
    """One record per pair; without a number of items, one per system."""
    if found.n is None:
        return Records(SCORE_COLUMNS, tuple({"system": one.system, "score": one.score} for one in found.systems))
    rows: list[Record] = [
        {
            "first": pair.systems[0],
            "second": pair.systems[1],
            "p_lowest": pair.lowest.value,
            "p_highest": pair.highest.value,
            "p_independent": pair.independent.value,
            "p_adjusted_lowest": pair.adjusted_lowest,
            "p_adjusted_highest": pair.adjusted_highest,
            "outcome": pair.outcome,
        }
        for pair in found.pairs
    ]
    return Records(COLUMNS, tuple(rows))

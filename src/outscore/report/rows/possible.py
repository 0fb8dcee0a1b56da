"""A printed table in short statements and tables of texts: right answers, numbers of items that fit, and p of every pair."""

from __future__ import annotations

from outscore.language.numbers import count, format_level, format_p_number, format_probability
from outscore.language.phrases import correction_name
from outscore.language.verdict.plan import fitting_sentence
from outscore.report.document import Fact, Record, Records, Table, clean, make_table
from outscore.results.note import note_texts
from outscore.results.possible import PossiblePair, PossibleTable

COLUMNS = (
    "first", "second", "p_lowest", "p_highest", "p_independent", "p_adjusted_lowest", "p_adjusted_highest", "outcome",
)  # fmt: skip
SCORE_COLUMNS = ("system", "score", "right_fewest", "right_most")


def score_table(table: PossibleTable) -> Table:
    """The printed scores, best first, with the numbers of right answers that fit them."""
    rows = [
        (printed.system, printed.score, "" if printed.right is None else _range(printed.right)) for printed in table.systems
    ]
    notes = [] if table.n is None else [f"Right: counts out of {count(table.n, 'item')} that round to the printed score."]
    return make_table("scores", "Printed scores", ["system", "score", "right"], "lrr", rows, notes)


def _range(right: tuple[int, int]) -> str:
    low, high = right
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def pair_table(table: PossibleTable, most: int | None = None) -> Table:
    """The range of p of every pair, uncorrected and corrected."""
    rows = [_pair(pair, table) for pair in table.pairs[:most]]
    columns = ["first", "second", "lowest p", "highest p", "independent", "adj. low", "adj. high", "significant"]
    notes = []
    if table.family is not None:
        corrected = f"{correction_name(table.family.correction)} over {count(table.family.m, 'pair')}"
        notes += [
            "p: exact McNemar test, two-sided, over all counts of right answers and overlaps of errors that fit the scores.",
            f"Adjusted: {corrected}, for all lowest and all highest p. Significant: adjusted p <= {format_level(table.alpha)}.",
        ]
    left = len(table.pairs) - len(rows)
    notes += [f"Not shown: {count(left, 'pair')} (-v shows all)."] if left else []
    return make_table("pairs", "Possible p-values", columns, "llrrrrrl", rows, notes)


def _pair(pair: PossiblePair, table: PossibleTable) -> tuple[str, ...]:
    alone = (format_p_number(p, table.alpha) for p in (pair.lowest, pair.highest, pair.independent))
    adjusted = (format_probability(p, 3) for p in (pair.adjusted_lowest, pair.adjusted_highest))
    return (*pair.systems, *alone, *adjusted, pair.outcome)


def facts(table: PossibleTable) -> list[Fact]:
    """What the answer rests on."""
    listed = [("items", [fitting_sentence(table.fitting)]), ("notes", note_texts(table.notes))]
    return [Fact(label, tuple(map(clean, lines)), guarded=label == "notes") for label, lines in listed if lines]


def records(table: PossibleTable) -> Records:
    """One record per pair; without a number of items, one per system."""
    if table.n is None:
        return Records(SCORE_COLUMNS, tuple({"system": printed.system, "score": printed.score} for printed in table.systems))
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
        for pair in table.pairs
    ]
    return Records(COLUMNS, tuple(rows))

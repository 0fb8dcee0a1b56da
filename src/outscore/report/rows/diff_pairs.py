"""The pairs of a diff: what changed, label by label and slice by slice, as tables of texts and as records of all digits.

Rows can be sorted by evidence, by size, or by count. By size alone, labels seen once would come first, so evidence is
the default, and rows that are too small to be tested are listed separately.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from outscore.core.errors import OutscoreError
from outscore.language.numbers import format_probability
from outscore.language.phrases import interval_noun
from outscore.report.document import Record, Records, Table
from outscore.report.rows import diff as diff_rows
from outscore.report.rows.columns import Column, Ends, alpha_of, digits, interval_head, tabulate, words
from outscore.results.analysis import ScoredSubset
from outscore.results.diff import Diff, Pair, Shift
from outscore.results.pvalue import PValue

Sort = Literal["evidence", "delta", "count"]
SORTS: tuple[Sort, ...] = ("evidence", "delta", "count")
CLASSES = {"correction": "Corrections", "new_error": "New errors", "changed_error": "Changed errors"}
PAIR_TABLES = ("metrics", "kinds", "transitions", "labels", "label-f1", "slices")
DIFF_COLUMNS = (
    "row", "first", "second", "criterion", "column", "value", "gold", "from", "to", "n", "mirror", "first_score",
    "second_score", "difference", "low", "high", "p", "p_adjusted",
)  # fmt: skip


def pair_tables(diff: Diff, pair: Pair, *, top: int | None = None, sort: Sort = "evidence") -> list[Table]:
    """All tables about one pair; `top` is how many rows of each kind are shown."""
    if sort not in SORTS:
        raise OutscoreError(f"`sort` is `{sort}`.", f"Choose from: {', '.join(SORTS)}.")
    tables = [
        _metrics(diff, pair),
        _kinds(pair),
        _transitions(pair, few_note(diff), top, sort),
        _parts("labels", "Gold labels", diff, pair, top, sort),
        _label_f1(diff, pair, top, sort),
        _parts("slices", "Slices", diff, pair, top, sort),
    ]
    label = "" if len(diff.pairs) == 1 else f"-{diff.pairs.index(pair) + 1}"
    return [replace(table, label=f"{table.key}{label}") for table in tables if table.rows]


def sorted_shifts(rows: Sequence[Shift], sort: Sort = "evidence") -> list[Shift]:
    """Rows of a transition table: by evidence against the mirror, by the surplus over it, or by how many there are.

    By evidence, rows that outnumber their mirror come first: the evidence of the others supports the mirror, which comes first
    in its own class.
    """
    keys: dict[str, Callable[[Shift], tuple[float, ...]]] = {
        "evidence": lambda row: (row.p is None, row.count < row.mirror, _weakness(row.p)),
        "delta": lambda row: (-abs(row.count - row.mirror),),
        "count": lambda row: (-row.count,),
    }
    return sorted(rows, key=lambda row: (*keys[sort](row), -row.count, row.gold, row.source, row.target))


def sorted_parts(rows: Sequence[ScoredSubset], sort: Sort = "evidence") -> list[ScoredSubset]:
    """Labels or slices: by evidence, by the size of the difference, or by how many units there are."""
    keys: dict[str, Callable[[ScoredSubset], float]] = {
        "evidence": lambda row: _weakness(row.p),
        "delta": lambda row: -abs(row.difference),
        "count": lambda row: -row.n,
    }
    return sorted(rows, key=lambda row: (keys[sort](row), -abs(row.difference), -row.n, row.column, row.value))


def _weakness(p: PValue | None) -> float:
    """A sort key: the strongest evidence first, rows without a test last; the logarithm separates the smallest p."""
    return math.inf if p is None else p.log10


def few_note(diff: Diff) -> str:
    """Which rows are not tested."""
    support = diff.settings.get("min_support")
    return f"fewer than {support} units" if isinstance(support, int) else "fewer units than the minimum support"


def _metrics(diff: Diff, pair: Pair) -> Table:
    level = interval_noun(next((row.interval for row in pair.metrics if row.interval is not None), None))
    columns: list[Column[Any]] = [
        words("score", lambda row: diff_rows.metric_name(row.metric)),
        Column(pair.systems[0], lambda row: row.first, diff_rows.points),
        Column(pair.systems[1], lambda row: row.second, diff_rows.points),
        *diff_rows.change_columns(level, alpha_of(diff)),
    ]
    notes = diff_rows.interval_note((diff_rows.metric_name(row.metric), row.interval) for row in pair.metrics)
    notes += diff_rows.sampled_note(row.p for row in pair.metrics)
    return tabulate("metrics", f"Other scores, {diff_rows.pair_name(pair)}", columns, pair.metrics, notes, splits=True)


def _kinds(pair: Pair) -> Table:
    total = pair.outcomes.changes
    columns: list[Column[tuple[str, int]]] = [
        words("change in", lambda row: diff_rows.metric_name(row[0])),
        Column("count", lambda row: row[1]),
        Column("% of changes", lambda row: row[1] / total if total else None, diff_rows.points),
    ]
    return tabulate(
        "kinds", f"What the changes consist of, {diff_rows.pair_name(pair)}", columns, pair.kinds.items(), splits=True
    )


def _transitions(pair: Pair, few: str, top: int | None, sort: Sort) -> Table:
    """Rows by class under a line that says how large the class is (Tuggener, 2017, tables 4, 6 and 8)."""
    rows: list[tuple[Shift, str] | str] = []
    total, left = pair.outcomes.changes, 0
    for name, title in CLASSES.items():
        shifts = sorted_shifts(pair.transitions.get(name, []), sort)
        if not shifts:
            continue
        size = getattr(pair.outcomes, name)
        rows.append(f"{title}: {diff_rows.points(size / total)}% ({size:,}/{total:,})")
        rows += [(row, name) for row in shifts[:top]]
        left += len(shifts[top:]) if top is not None else 0
    mirrors = f"adj. p tests a row against its mirror; it is missing if there are {few}, or the row is its own mirror."
    notes = [f"Mirror: how often the reverse happened; net: count - mirror. {mirrors}"]
    notes += diff_rows.sampled_note(row.p for shifts in pair.transitions.values() for row in shifts)
    if pair.transitions.get("changed_error"):
        notes.append(f"Changed errors: gold → {diff_rows.pair_name(pair)}.")
    if left:
        notes.append(f"Not shown: {left:,} rows.")
    by, share = diff_rows.metric_name(pair.unit_criterion), diff_rows.points(pair.differ)
    title = f"What changed, {diff_rows.pair_name(pair)}, {by}: {share}% of {pair.n:,} differ"
    columns: list[Column[tuple[Shift, str]]] = [
        words("change", _change_name),
        Column("count", lambda row: row[0].count),
        Column("mirror", lambda row: row[0].mirror),
        Column("net", lambda row: row[0].count - row[0].mirror, lambda net: f"{net:+,}" if net else "0"),
        Column("% of class", lambda row: row[0].share_of_class, diff_rows.points),
        Column("% of changes", lambda row: row[0].share_of_changes, diff_rows.points),
        Column("adj. p", lambda row: row[0].p and row[0].p.adjusted, format_probability),
    ]
    return tabulate("transitions", title, columns, rows, notes, splits=True)


def _change_name(row: tuple[Shift, str]) -> str:
    shift, name = row
    change = f"{shift.source} → {shift.target}"
    return f"{shift.gold} → {change}" if name == "changed_error" else change


def _parts(key: str, title: str, diff: Diff, pair: Pair, top: int | None, sort: Sort) -> Table:
    """Both systems on every label or slice, those too small to be tested listed separately (Tuggener, 2017, table 12)."""
    sliced, few, alpha = key == "slices", few_note(diff), alpha_of(diff)
    parts = pair.slices if sliced else pair.labels
    tested = sorted_parts([row for row in parts if row.p is not None], sort)
    others = sorted_parts([row for row in parts if row.p is None], sort)
    rows: list[ScoredSubset | str] = [*tested[:top]]
    notes = [] if top is None or len(tested) <= top else [f"Tested and not shown: {len(tested) - top}."]
    if others and top is None:
        rows += [f"Not tested: {few}", *others]
    elif others:
        notes.append(f"Not tested and not shown, {few}: {len(others)}.")
    if pair.row_intervals and any(row.low is not None or row.high is not None for row in parts):
        notes.append(f"Intervals: {pair.row_intervals}; individual, not adjusted for the number of rows.")
    title = f"{title}, {diff_rows.pair_name(pair)}, {diff_rows.metric_name(pair.unit_criterion)}"
    columns = _part_columns(pair, "units", interval_head(alpha))
    if sliced:
        columns[0] = words("slice", lambda row: f"{row.column} = {row.value}")
    return tabulate(key, title, columns, rows, notes, splits=True)


def _label_f1(diff: Diff, pair: Pair, top: int | None, sort: Sort) -> Table:
    """F1 of each label with its test, which counts both missed and wrongly given labels."""
    tested = sorted_parts([row for row in pair.label_f1 if row.p is not None], sort)
    others = [row for row in pair.label_f1 if row.p is None]
    notes = [] if top is None or len(tested) <= top else [f"Tested and not shown: {len(tested) - top}."]
    notes += [f"Not tested, {few_note(diff)}: {len(others)}."] if others else []
    title = f"F1 by label, {diff_rows.pair_name(pair)}, {diff_rows.metric_name(pair.unit_criterion)}"
    return tabulate("label-f1", title, _part_columns(pair, "gold", ""), tested[:top], notes, splits=True)


def _part_columns(pair: Pair, units: str, level: str) -> list[Column[ScoredSubset]]:
    """Both systems on a label or slice; without a `level`, no intervals."""

    def interval(row: ScoredSubset) -> Ends | None:
        return None if row.low is None and row.high is None else (row.low, row.high)

    return [
        words("label", lambda row: row.value),
        Column(units, lambda row: row.n),
        Column(pair.systems[0], lambda row: row.first, diff_rows.points),
        Column(pair.systems[1], lambda row: row.second, diff_rows.points),
        Column("Δ", lambda row: row.difference, diff_rows.signed_points),
        Column(level, interval, diff_rows.limits, when=bool(level)),
        Column("adj. p", lambda row: row.p and row.p.adjusted, format_probability),
    ]


def pair_records(diff: Diff) -> Records:
    """One record per row of the tables.

    `row` says what it is: pair, metric, label, slice, correction, new_error, changed_error. A single system has labels alone.
    """
    counted = {id(pair) for pair in diff.counted_pairs}
    rows: list[Record] = [row for pair in diff.pairs for row in _diff_pair(pair, with_units=id(pair) in counted)]
    if not diff.pairs and diff.oracle is not None:
        shared = {"row": "label", "first": diff.systems[0], "criterion": diff.oracle.criterion, "column": "label"}
        rows = [{**shared, "value": row.label, "n": row.n, "first_score": row.scores[0]} for row in diff.oracle.labels]
    return Records(DIFF_COLUMNS, tuple(rows))


SCORED = {"first_score": "first", "second_score": "second", "difference": "difference"} | {
    "p": "p.value",
    "p_adjusted": "p.adjusted",
}
"""Where the scores of a pair or part of it are, and its test."""
DIFF_TABLES = {
    "pairs": (("pair", "metric"), ("column", "gold", "from", "to", "mirror")),
    "labels": (("label", "slice"), ("gold", "from", "to", "mirror")),
    "transitions": (
        ("correction", "new_error", "changed_error"),
        ("column", "value", "first_score", "second_score", "difference", "low", "high"),
    ),
}
"""The kinds of rows in each table of a diff, and the columns that stay empty in it."""


def diff_table(diff: Diff, table: str) -> Records:
    """The rows of one table of a diff, without its empty columns."""
    kinds, empty = DIFF_TABLES[table]
    whole = pair_records(diff)
    columns = tuple(name for name in whole.columns if name not in empty)
    return Records(columns, tuple(row for row in whole.rows if row["row"] in kinds))


def _diff_pair(pair: Pair, *, with_units: bool) -> Iterator[Record]:
    shared = {"first": pair.systems[0], "second": pair.systems[1], "criterion": pair.criterion}
    yield {"row": "pair", **shared, "value": pair.metric, "n": pair.n, **_change(pair)}
    for metric in pair.metrics:
        yield {"row": "metric", **shared, "value": metric.metric, **_change(metric)}
    if not with_units:
        return
    shared["criterion"] = pair.unit_criterion
    for kind, parts in (("label", pair.labels), ("slice", pair.slices)):
        yield from ({"row": kind, **shared, **_part(part)} for part in parts)
    for name, shifts in pair.transitions.items():
        yield from ({"row": name, **shared, **_shift(shift)} for shift in shifts)


def _change(change: Any) -> Record:  # noqa: ANN401 - a pair or one of its scores
    return digits(change, low="interval.low", high="interval.high", **SCORED)


def _part(part: ScoredSubset) -> Record:
    return digits(part, "column", "value", "n", "low", "high", **SCORED)


def _shift(shift: Shift) -> Record:
    return digits(shift, "gold", "mirror", n="count", to="target", p="p.value", p_adjusted="p.adjusted", **{"from": "source"})

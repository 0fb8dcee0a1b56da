"""The same comparison on subsets of the data: slices of items, buckets of segments."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from outscore.language.numbers import decimals_for, finer, format_ends, format_number, format_p, format_p_number
from outscore.language.phrases import difference_called, interval_noun, legend, sides_called
from outscore.report.document import Table, clean
from outscore.report.rows.columns import Column, Text, tabulate, words
from outscore.report.rows.comparison import (
    adjusted,
    alpha_of,
    answer_columns,
    family_note,
    noun_of,
    p_columns,
    units_of,
)
from outscore.results.analysis import Bucket
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.pvalue import Interval, PValue

CENTRED = "centred bootstrap"
"""The method of an interval that needs more than a few units."""


def slices(whole: Comparisons) -> Table | None:
    """One row per slice, as narrow as a screen; None where there are no slices, or other comparisons between them."""
    parts = [(c, c.slice.value) for c in whole.comparisons[1:] if c.slice is not None]
    if not parts or len(parts) + 1 < len(whole.comparisons):
        return None
    first = parts[0][0]
    column = "" if first.slice is None else first.slice.column
    sides = (*sides_called(first.systems), difference_called(first.systems))
    columns: list[Column[Comparison]] = [
        words(column, lambda c: c.slice and c.slice.value),
        Column(units_of(first)[1], lambda c: units_of(c)[0]),
        *answer_columns([c for c, _ in parts], alpha_of(whole), sides),
    ]
    title = f"{first.metric} by {column}, {legend(first.systems)}"
    notes = [_winners(parts), *_margins(parts, alpha_of(whole)), family_note(whole)]
    return tabulate("slices", title, columns, [c for c, _ in parts], notes)


def _winners(parts: Sequence[tuple[Comparison, str]]) -> str:
    """Who won on which slices, by the adjusted p."""
    won = [
        f"{c.systems[w]} outscored {c.systems[1 - w]} on {', '.join(value for d, value in parts if d.decision.winner == w)}"
        for w in (0, 1)
        if (c := next((d for d, _ in parts if d.decision.winner == w), None)) is not None
    ]
    return f"{'; '.join(won)}." if won else "No slice has a winner by its adjusted p."


def _margins(parts: Sequence[tuple[Comparison, str]], alpha: float | None) -> list[str]:
    """On which slices the margin is shown, each with its p; empty where no margin was requested."""
    margins = [(c.margin, value) for c, value in parts if c.margin is not None]
    if not margins or alpha is None:
        return []
    (a, b), size = parts[0][0].systems, f"{margins[0][0].value:g}"
    claims = (
        (f"{a} worse than {b} by less than {size}", [(margin.noninferiority, value) for margin, value in margins]),
        (f"{a} and {b} apart by less than {size}", [(margin.equivalence, value) for margin, value in margins]),
    )
    return [clean(f"{claim}: {_by_outcome(p_values, alpha)}.") for claim, p_values in claims]


def _by_outcome(p_values: Sequence[tuple[PValue, str]], alpha: float) -> str:
    """Slices by whether the claim is shown on them, by the adjusted p where there is one."""
    outcomes = []
    for word, wanted in (("shown", True), ("not shown", False)):
        here = [f"{value} ({_counted(p)})" for p, value in p_values if p.rejects(alpha) is wanted]
        outcomes += [f"{word} on {', '.join(here)}"] if here else []
    return "; ".join(outcomes)


def _counted(p: PValue) -> str:
    """The p that decides."""
    return f"p = {format_p_number(p)}" if p.adjusted is None else f"adj. p = {adjusted(p)}"


def bucket_table(c: Comparison, alpha: float | None) -> Table:
    """The same comparison on parts of the segments; p is corrected over each column of labels."""
    labels = list(dict.fromkeys(bucket.column for bucket in c.buckets))
    several = len(labels) > 1
    records: list[Bucket | str] = []
    for label in labels:
        # Labels of several kinds get a line above them, which leaves the numbers more room than a column would.
        records += [f"{label}:"] if several else []
        records += [bucket for bucket in _in_order(c.buckets) if bucket.column == label]

    def rounded(bucket: Bucket, value: float, *, sign: bool = False) -> Text:
        return Text(format_number(value, _places(bucket), sign=sign), value)

    def limits(bucket: Bucket) -> Text | None:
        shown = _has_interval(bucket, c.interval)
        return Text(format_ends(bucket.low, bucket.high, _places(bucket)), bucket.low) if shown else None

    columns: list[Column[Bucket]] = [
        words("part" if several else "".join(labels), lambda bucket: bucket.value),
        Column(f"{noun_of(c)}s", lambda bucket: bucket.n),
        Column(sides_called(c.systems)[0], lambda bucket: rounded(bucket, bucket.first)),
        Column(sides_called(c.systems)[1], lambda bucket: rounded(bucket, bucket.second)),
        Column(difference_called(c.systems), lambda bucket: rounded(bucket, bucket.difference, sign=True)),
        Column("interval" if c.interval is None else interval_noun(c.interval), limits),
        *p_columns(alpha, "adj. p", lambda bucket: bucket.p),
    ]
    title = f"{c.metric} by {' and by '.join(labels)}, {legend(c.systems)}"
    notes = [] if c.margin is None else [f"The margin of {c.margin.value:g} is tested on all {noun_of(c)}s, not part by part."]
    return tabulate("buckets", title, columns, records, notes)


def _places(bucket: Bucket) -> int:
    return decimals_for(bucket.first, bucket.second, difference=bucket.difference)


def _has_interval(bucket: Bucket, whole: Interval | None) -> bool:
    """Whether a bucket has an interval; without ends it is unbounded, but with few segments a resampled one is missing."""
    ends = bucket.low is not None or bucket.high is not None
    return ends or (whole is not None and whole.method != CENTRED)


def _in_order(buckets: Sequence[Bucket]) -> list[Bucket]:
    """Values that begin with a number, such as bands of length, from the smallest up; the others after them, in their order."""

    def start(bucket: Bucket) -> float:
        number = re.match(r"\d{1,15}", bucket.value)
        return math.inf if number is None else float(number[0])

    return sorted(buckets, key=start)


def run_lines(c: Comparison, alpha: float | None) -> list[str]:
    """What several runs add: their scores, where the spread comes from, and the test over runs alone."""
    runs = c.runs
    if runs is None:
        return []
    decimals = decimals_for(*runs.a, *runs.b, difference=c.difference)
    lines = [
        f"{clean(name)}: {', '.join(format_number(value, decimals) for value in values)}"
        for name, values in zip(c.systems, (runs.a, runs.b), strict=True)
    ]
    spread = [
        f"{format_number(error, finer(decimals, error))} from the choice of {source}"
        for error, source in ((runs.test_set, units_of(c)[1]), (runs.runs, "runs"))
        if error is not None
    ]
    if spread:
        lines.append(f"standard error of the difference: {', '.join(spread)}")
    how = "all ways" if runs.p.exact else "random ways"
    return [*lines, f"{format_p(runs.p, alpha)} for the runs alone, over {how} to exchange runs between the systems"]

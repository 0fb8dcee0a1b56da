"""The slices of a comparison as one table for a screen, and who won on which."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.language.numbers import format_number, format_p_number
from outscore.language.phrases import interval_noun
from outscore.report.document import Table, make_table
from outscore.report.rows.comparison import adjusted, alpha_of, decimals_of, family_note, intervals_of, other_estimand
from outscore.report.rows.nouns import units_of
from outscore.results.comparison import Comparison, Comparisons

__all__ = ["slices"]


def slices(whole: Comparisons) -> Table | None:
    """One row per slice, as narrow as a screen; None where there are no slices, or other comparisons between them."""
    parts = [(c, c.slice.value) for c in whole.comparisons[1:] if c.slice is not None]
    if not parts or len(parts) + 1 < len(whole.comparisons):
        return None
    first = parts[0][0]
    column = "" if first.slice is None else first.slice.column
    noun = "interval" if first.interval is None else interval_noun(first.interval)
    other = next((found[0] for c, _ in parts if (found := other_estimand(c)) is not None), "")
    rows = [
        (
            value,
            f"{units_of(c)[0]:,}",
            *(format_number(s.value, decimals_of(c)) for s in c.scores),
            format_number(c.difference, decimals_of(c), sign=True),
            *intervals_of(c),
            format_p_number(c.p, alpha_of(whole)),
            adjusted(c.p),
        )
        for c, value in parts
    ]
    columns = [column, units_of(first)[1], "A", "B", "A - B", noun, other, f"its {noun}", "p", "adj. p"]
    title = f"{first.metric} by {column}, A = {first.systems[0]}, B = {first.systems[1]}"
    return make_table("slices", title, columns, "lrrrrrrrrr", rows, [_winners(parts), family_note(whole)])


def _winners(parts: Sequence[tuple[Comparison, str]]) -> str:
    """Who won on which slices, by the adjusted p."""
    won = [
        f"{c.systems[w]} outscored {c.systems[1 - w]} on {', '.join(value for d, value in parts if d.decision.winner == w)}"
        for w in (0, 1)
        if (c := next((d for d, _ in parts if d.decision.winner == w), None)) is not None
    ]
    return f"{'; '.join(won)}." if won else "No slice has a winner by its adjusted p."

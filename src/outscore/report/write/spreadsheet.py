"""Records as CSV, for spreadsheets and further computing."""

from __future__ import annotations

import csv
import io

from outscore.report.document import Records

FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(records: Records) -> str:
    """A line of column names and a line per record."""
    text = io.StringIO()
    writer = csv.DictWriter(text, records.columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: _defused(value) for name, value in row.items()} for row in records.rows)
    return text.getvalue()


def _defused(value: object) -> object:
    """A text that spreadsheets would take for a formula, with an apostrophe before it; numbers stay what they are.

    Examples
    --------
    >>> [_defused(value) for value in ("=HYPERLINK(1)", "-x", "-", "gpt-4", -0.5)]
    ["'=HYPERLINK(1)", "'-x", '-', 'gpt-4', -0.5]
    """
    return f"'{value}" if isinstance(value, str) and len(value) > 1 and value.startswith(FORMULA_MARKS) else value

"""Records as comma-separated values."""

from __future__ import annotations

import csv
import io

from outscore.report.document import Records

__all__ = ["write"]


def write(records: Records) -> str:
    """A line of column names and a line per record."""
    text = io.StringIO()
    writer = csv.DictWriter(text, records.columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(records.rows)
    return text.getvalue()

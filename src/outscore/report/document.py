"""What a report is made of, before any form is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Record", "Records"]

Record = Mapping[str, object]


@dataclass(frozen=True)
class Records:
    """Rows of plain values by column, for spreadsheets; a record may lack columns."""

    columns: tuple[str, ...]
    rows: tuple[Record, ...]

"""What a reader gives, and what a registry entry holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from outscore.formats.source import Source, label_of

__all__ = ["FormatEntry", "NumberTable"]


@dataclass(frozen=True)
class NumberTable:
    """A file of bare numbers, one item per row.

    `values` is (rows, columns): int64 when every number is written as a plain integer, float64 otherwise. `columns` holds the
    header's names and is empty without a header. `first_line` is the line of row 0, so that later checks can name a line, and
    `sha256` is the digest of the file as it lies on disk.
    """

    path: str
    columns: tuple[str, ...]
    values: NDArray[Any]
    first_line: int = 1
    sha256: str = ""

    @property
    def label(self) -> str:
        """What messages call it."""
        return label_of(self.path)

    @property
    def rows(self) -> int:
        """How many items there are."""
        return len(self.values)

    @property
    def width(self) -> int:
        """How many numbers each item has."""
        return int(self.values.shape[1])


@dataclass(frozen=True)
class FormatEntry:
    """One file format: how to recognise it from its first lines, and how to read it."""

    name: str
    summary: str
    detect: Callable[[Sequence[str]], bool]
    read: Callable[[Source], NumberTable]

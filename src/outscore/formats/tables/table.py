"""What readers give each other: bare numbers, streams of records, and the entry of a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NoReturn

from numpy.typing import NDArray

from outscore.core.errors import OutscoreError
from outscore.formats.source import Source, label_of
from outscore.scores.system import Scores

__all__ = ["BLOCK_ROWS", "Block", "Choice", "FormatEntry", "NumberTable", "Records"]

# Records may carry whole texts beside their scores: a block of them must not fill the memory.
BLOCK_ROWS = 1 << 13


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
class Choice:
    """What a caller said about a table: which column serves as what, and which systems are wanted (none: all).

    With `gaps` an empty cell of a table with a column per system is an item which that system lacks.
    """

    item: str | None = None
    system: str | None = None
    score: tuple[str, ...] = ()
    cluster: str | None = None
    repeat: str | None = None
    slice: tuple[str, ...] = ()
    dataset: str | None = None
    systems: tuple[str, ...] = ()
    gaps: bool = False

    @property
    def named(self) -> set[str]:
        """All names the caller said: of columns, and of systems, which may be columns too."""
        single = (self.item, self.system, self.cluster, self.repeat, self.dataset)
        return {name for name in single if name is not None} | {*self.score, *self.slice, *self.systems}

    @property
    def names_columns(self) -> bool:
        """Whether any column was named, so that the file must be a table."""
        return any(getattr(self, entry.name) for entry in fields(self) if entry.name not in ("systems", "gaps"))


@dataclass(frozen=True)
class Block:
    """Some records: the line each begins on, and their values by column.

    `late` are columns of numbers that the sample did not show, with the line each first stands on.
    """

    lines: NDArray[Any]
    columns: Mapping[str, Sequence[object]]
    late: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Records:
    """A table as a stream: its column names, a sample to look at, and its blocks, restricted to the columns asked for."""

    label: str
    columns: tuple[str, ...]
    sample: Mapping[str, Sequence[object]]
    blocks: Callable[[Sequence[str]], Iterator[Block]]
    unit: Literal["line", "row"] = "line"

    def refuse(self, line: int, found: str, hint: str) -> NoReturn:
        """Stop at a line, saying what was found and how to cure it."""
        raise OutscoreError(f"{self.label}, {self.unit} {line}: {found}.", hint)

    def refuse_empty(self) -> NoReturn:
        """Stop at a table without a single record."""
        raise OutscoreError(f"{self.label} has column names and no records.", "Give one record per item.")


@dataclass(frozen=True)
class FormatEntry:
    """One format of scores: how to recognise it, and how to read the systems in it; `example` is a line of such a file."""

    name: str
    summary: str
    example: str
    detect: Callable[[Source, Choice], bool]
    read: Callable[[Source, Choice], list[Scores]]

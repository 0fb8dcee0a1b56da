"""Tables as streams of records, whichever of CSV, TSV, JSON lines or Parquet they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NoReturn

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass

if TYPE_CHECKING:
    import polars as pl

# Records may hold long texts beside their scores: this many fit into memory in any case.
BLOCK_ROWS = 1 << 13


@dataclass(frozen=True)
class Block:
    """Consecutive records: the line each begins on, and their values by column.

    `late` holds columns of numbers that the sample does not show, with the line of their first number.
    """

    lines: Array
    columns: Mapping[str, Sequence[object]]
    late: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Records:
    """A table as a stream: column names, a sample of the first values, and blocks restricted to the columns needed.

    `label` is what messages call the table, `path` its file if it has one. `nested` are the dotted names of values inside
    objects; they serve as columns where somebody names them, or where their own names say what they are. `frame` gives the
    columns needed as one table of polars, where the file holds such; only those who want millions of rows at once ask for it.
    `row` is a further column of that table, the rows counted from 0, where it holds only some of them.
    """

    label: str
    columns: tuple[str, ...]
    sample: Mapping[str, Sequence[object]]
    blocks: Callable[[Sequence[str]], Iterator[Block]]
    unit: Literal["line", "row"] = "line"
    path: str | None = None
    nested: tuple[str, ...] = ()
    frame: Callable[[Sequence[str]], pl.DataFrame] | None = None
    row: str | None = None

    def refuse(self, line: int, problem: str, hint: str) -> NoReturn:
        """Raise an error that names the line."""
        message = f"{self.label}, {self.unit} {line}: {problem}."
        raise OutscoreError(message, hint, file=self.path, line=line if self.unit == "line" else None)

    def refuse_empty(self) -> NoReturn:
        """Raise the error of a table without records."""
        raise OutscoreError(f"{self.label} has column names but no records.", "Give one record per item.")

    def refuse_repeated(self, columns: Sequence[str]) -> None:
        """Refuse a table in which two columns have the same name, if that is one of `columns`."""
        counts = Counter(self.columns)
        for name in columns:
            if counts[name] > 1:
                raise OutscoreError(f"{self.label} has two columns named `{name}`.", "Give every column a name of its own.")

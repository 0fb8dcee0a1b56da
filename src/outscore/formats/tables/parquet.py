"""Parquet tables, read by polars: only the columns needed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import as_written
from outscore.formats.base.source import Source
from outscore.formats.tables.native import hold_native_errors
from outscore.formats.tables.records import BLOCK_ROWS, Block, Records

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MARK", "SAMPLE_ROWS", "holds_more", "records", "records_of", "refuse_damaged"]

MARK = b"PAR1"
SAMPLE_ROWS = 20
_CELL_BYTES = 8


def holds_more(path: Path, most: int) -> bool:
    """Whether the cells of a Parquet file would take more than `most` bytes in memory, by the row count of its footer.

    The size on disk says little: a column with a single value is stored once, however many rows it has.
    """
    with path.open("rb") as raw:
        if raw.read(len(MARK)) != MARK:
            return False
    import polars as pl

    # The reader reports damaged files.
    with suppress(OutscoreError), refuse_damaged(path.name):
        frame = pl.scan_parquet(path)
        return int(frame.select(pl.len()).collect().item()) * len(frame.collect_schema()) * _CELL_BYTES > most
    return False


def records(source: Source) -> Records:
    """Open a Parquet file as a stream of records."""
    return records_of(_scan(source), source.label, source.path)


def records_of(frame: pl.LazyFrame, label: str, path: str, row: str | None = None) -> Records:
    """A table of polars as a stream of records; `row` is the column that counts rows from 0, where some rows are left out."""
    with refuse_damaged(label):
        sample = frame.head(SAMPLE_ROWS).collect()

    def collected(needed: Sequence[str]) -> pl.DataFrame:
        with refuse_damaged(label):
            return frame.select([*needed, *([] if row is None else [row])]).collect()

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        table = collected(needed)
        lines = np.arange(1, table.height + 1) if row is None else table[row].to_numpy() + 1
        for start in range(0, table.height, BLOCK_ROWS):
            part = table.slice(start, BLOCK_ROWS)
            yield Block(lines[start : start + BLOCK_ROWS], {name: _values(part[name]) for name in needed})

    values = {name: _values(sample[name]) for name in sample.columns if name != row}
    return Records(label, tuple(values), values, blocks, "row", path, frame=collected, row=row)


def _values(column: pl.Series) -> list[object]:
    """The cells of a column; those of single precision as they were written."""
    import polars as pl

    found: list[object] = column.to_list()
    if column.dtype != pl.Float32:
        return found
    there = [i for i, value in enumerate(found) if value is not None]
    read = as_written(np.array([found[i] for i in there], dtype=np.float32)).tolist()
    for i, value in zip(there, read, strict=True):
        found[i] = value
    return found


def _scan(source: Source) -> pl.LazyFrame:
    import polars as pl

    stream = source.parquet
    if stream is None:
        raise OutscoreError(f"{source.label} is not a Parquet file.", "Leave the format out, or name another.")
    held, last = (io.BytesIO(), b"") if source.packed else (None, b"")
    # Always read to the end: the digest needs every byte, and a truncated file lacks the four bytes that end
    # every file.
    while block := stream.read(1 << 20):
        last = (last + block)[-4:]
        if held is not None:
            held.write(block)
    if last != MARK:
        raise _damaged_error(source.label)
    with refuse_damaged(source.label):
        return pl.scan_parquet(source.path if held is None else held.getvalue())


@contextmanager
def refuse_damaged(label: str) -> Iterator[None]:
    """Turn errors of polars into an `OutscoreError`."""
    import polars as pl

    damaged = _damaged_error(label)
    try:
        with hold_native_errors(str(damaged)):
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise damaged from None


def _damaged_error(label: str) -> OutscoreError:
    return OutscoreError(f"{label} is a damaged Parquet file, cut short or written wrongly.", "Copy or export it again.")

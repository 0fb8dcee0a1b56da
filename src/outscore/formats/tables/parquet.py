"""Parquet tables, through polars: the columns asked for and no others are read."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.source import Source
from outscore.formats.tables.table import BLOCK_ROWS, Block, Choice, Records

if TYPE_CHECKING:
    import polars as pl

__all__ = ["holds_more", "looks_like_parquet", "records"]

_MARK = b"PAR1"
_CELL = 8
SAMPLE_ROWS = 20


def looks_like_parquet(source: Source, _choice: Choice) -> bool:
    """Whether the first bytes are those of a Parquet file."""
    return source.parquet is not None


def holds_more(path: Path, most: int) -> bool:
    """Whether the cells of a Parquet file would take more than so many bytes, as its footer tells.

    A column of one value is written once, however many rows have it.
    """
    import polars as pl

    with path.open("rb") as raw:
        if raw.read(len(_MARK)) != _MARK:
            return False
    # What is damaged is for the reader to say.
    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException):
        frame = pl.scan_parquet(path)
        return int(frame.select(pl.len()).collect().item()) * len(frame.collect_schema()) * _CELL > most
    return False


def records(source: Source) -> Records:
    """Open a Parquet file as a stream of records."""
    frame = _scan(source)
    label = source.label
    with _refusing(label):
        sample = frame.head(SAMPLE_ROWS).collect()

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        with _refusing(label):
            table = frame.select(needed).collect()
        for start in range(0, table.height, BLOCK_ROWS):
            part = table.slice(start, BLOCK_ROWS)
            lines = np.arange(start + 1, start + 1 + part.height)
            yield Block(lines, {name: part[name].to_list() for name in needed})

    return Records(label, tuple(sample.columns), {name: sample[name].to_list() for name in sample.columns}, blocks, "row")


def _scan(source: Source) -> pl.LazyFrame:
    import polars as pl

    stream = source.parquet
    if stream is None:
        raise OutscoreError(f"{source.label} is not a Parquet file.", "Leave the format out, or name another.")
    held, last = (io.BytesIO(), b"") if source.packed else (None, b"")
    # Read to the end in any case: the digest needs every byte, and a file cut short lacks its last four.
    while block := stream.read(1 << 20):
        last = (last + block)[-4:]
        if held is not None:
            held.write(block)
    if last != _MARK:
        _refuse_damaged(source.label)
    with _refusing(source.label):
        return pl.scan_parquet(source.path if held is None else held.getvalue())


@contextmanager
def _refusing(label: str) -> Iterator[None]:
    """Turn what polars cannot read into one sentence."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        _refuse_damaged(label)


def _refuse_damaged(label: str) -> NoReturn:
    raise OutscoreError(
        f"{label} is a damaged Parquet file, cut short or written wrongly.", "Copy or export it again."
    ) from None

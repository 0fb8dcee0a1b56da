"""Parquet tables, read by polars: only the columns needed.

polars reports a damaged file as an exception, but the panic behind it is printed first, back trace included; and where damage
makes it ask for more memory than there is, Rust aborts the process. Neither can be switched off, so while native code reads a
file its standard error goes to a temporary file, and an abort says the sentence that the exception would have said.
"""

from __future__ import annotations

import ctypes
import io
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError, require_polars
from outscore.core.numeric import as_written
from outscore.formats.base.source import Source
from outscore.formats.tables.records import BLOCK_ROWS, Block, Records

if TYPE_CHECKING:
    import polars as pl

REFUSED = 2
STANDARD_ERROR = 2
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
_LOCK = Lock()
_holding = 0
MARK = b"PAR1"
SAMPLE_ROWS = 20
_CELL_BYTES = 8


@contextmanager
def hold_native_errors(sentence: str) -> Iterator[None]:
    """Keep what native code prints until it is done: printed if all went well, dropped if an exception tells the same.

    An abort cannot be stopped: `sentence` is printed, and the process ends with the exit code of a refusal. Threads share one
    standard error, so only the first of several that overlap holds it.
    """
    global _holding  # noqa: PLW0603 - a file descriptor belongs to the process
    with _LOCK:
        is_first, _holding = _holding == 0, _holding + 1
    try:
        if is_first:
            with _held(sentence):
                yield
        else:
            yield
    finally:
        with _LOCK:
            _holding -= 1


@contextmanager
def _held(sentence: str) -> Iterator[None]:
    sys.stderr.flush()
    with tempfile.TemporaryFile() as printed:
        try:
            terminal = os.dup(STANDARD_ERROR)
        except OSError:
            # There is none to keep clean.
            yield
            return
        library, handler = ctypes.CDLL(None), _HANDLER(lambda _: _leave(terminal, sentence))
        library.signal.restype = ctypes.c_void_p
        before = library.signal(signal.SIGABRT, handler)
        os.dup2(printed.fileno(), STANDARD_ERROR)
        done = False
        try:
            yield
            done = True
        finally:
            os.dup2(terminal, STANDARD_ERROR)
            os.close(terminal)
            library.signal(signal.SIGABRT, ctypes.c_void_p(before))
            if done:
                _print(printed)


def _leave(terminal: int, sentence: str) -> None:
    """End the process, which is lost: this runs inside the handler of the signal."""
    with suppress(OSError):
        os.write(terminal, f"outscore: {sentence}\n".encode())
    os._exit(REFUSED)


def _print(printed: IO[bytes]) -> None:
    printed.seek(0)
    text = printed.read()
    if text:
        with suppress(OSError):
            os.write(STANDARD_ERROR, text)


def holds_more(path: Path, most: int) -> bool:
    """Whether the cells of a Parquet file would take more than `most` bytes in memory, by the row count of its footer.

    The size on disk says little: a column with a single value is stored once, however many rows it has.
    """
    with path.open("rb") as raw:
        if raw.read(len(MARK)) != MARK:
            return False
    require_polars("read Parquet files")
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

    cells: list[object] = column.to_list()
    if column.dtype != pl.Float32:
        return cells
    there = [i for i, value in enumerate(cells) if value is not None]
    read = as_written(np.array([cells[i] for i in there], dtype=np.float32)).tolist()
    for i, value in zip(there, read, strict=True):
        cells[i] = value
    return cells


def _scan(source: Source) -> pl.LazyFrame:
    stream = source.parquet
    if stream is None:
        raise OutscoreError(f"{source.label} is not a Parquet file.", "Leave the format out, or name another.")
    require_polars("read Parquet files")
    import polars as pl

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
    return OutscoreError(f"{label} is a damaged Parquet file, cut short or badly written.", "Copy or export it again.")

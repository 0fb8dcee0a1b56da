"""Parquet tables, read by polars: the columns needed, millions of long rows as codes, and parts of one table."""

from __future__ import annotations

import ctypes
import hashlib
import io
import os
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, NoReturn

import numpy as np

from outscore.core.errors import OutscoreError, require_polars
from outscore.core.numeric import MAX_EXACT, Array, as_written
from outscore.core.records import dataclass
from outscore.formats.base.entry import Choice
from outscore.formats.base.pipes import is_pipe
from outscore.formats.base.source import Source, is_pattern, line_error, missing_error
from outscore.formats.tables.cells import BLOCK_ROWS, FLAT, NO_LABEL, Block, Records, problem_with
from outscore.formats.tables.columns import NO_CLUSTERS, find_layout
from outscore.formats.tables.names import join_names
from outscore.scores.system import Labels, label_of

if TYPE_CHECKING:
    import polars as pl


# Parquet tables, read by polars: only the columns needed.
#
# polars reports a damaged file as an exception, but the panic behind it is printed first, back trace included; and where
# damage makes it ask for more memory than there is, Rust aborts the process. Neither can be switched off, so while native
# code reads a file its standard error goes to a temporary file, and an abort says the sentence that the exception would
# have said.


REFUSED = 2
STANDARD_ERROR = 2
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
_LOCK = Lock()
MARK = b"PAR1"
SAMPLE_ROWS = 20
_CELL_BYTES = 8


@contextmanager
def hold_native_errors(sentence: str) -> Iterator[None]:
    """Keep what native code prints until it is done: printed if all went well, dropped if an exception tells the same.

    An abort cannot be stopped: `sentence` is printed, and the process ends with the exit code of a refusal. Threads share one
    standard error, so only the first of several that overlap holds it.
    """
    if not _LOCK.acquire(blocking=False):
        yield
        return
    try:
        with _held(sentence):
            yield
    finally:
        _LOCK.release()


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
        done = False
        with _abort_says(terminal, sentence):
            os.dup2(printed.fileno(), STANDARD_ERROR)
            try:
                yield
                done = True
            finally:
                os.dup2(terminal, STANDARD_ERROR)
                os.close(terminal)
        if done:
            _print(printed)


@contextmanager
def _abort_says(terminal: int, sentence: str) -> Iterator[None]:
    try:
        library = ctypes.CDLL(None)
    except TypeError:
        # On Windows a process has no library of its own, and Rust ends it without a signal.
        yield
        return
    handler = _HANDLER(lambda _: _leave(terminal, sentence))
    library.signal.restype = ctypes.c_void_p
    before = library.signal(signal.SIGABRT, handler)
    try:
        yield
    finally:
        library.signal(signal.SIGABRT, ctypes.c_void_p(before))


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


# Millions of long Parquet rows as integer codes of dataset, item and system, without a Python object per row.
#
# The general reader (`parquet`, `assemble`) checks values one by one, which is fine for a million rows and too slow for a
# hundred million. This one leaves everything to polars and requires columns of the right types: labels and numbers. A
# folder named ``dataset=mmlu``, as programs that write partitions name them, is a column of all files in it.


ROW, KEY, DATASET, ITEM, SYSTEM, REPEAT, SCORE = "_row", "_key", "_dataset", "_item", "_system", "_repeat", "_score"
SEED = 20_021
"""Seed of the hash of items, which only has to be the same within one run."""


@dataclass(frozen=True)
class LongFile:
    """A Parquet file, its number of rows, and that of all files before it; `path` is as it was given."""

    path: str
    rows: int
    before: int
    place: str
    """The absolute path: a worker may run in another folder."""

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    def sha256(self) -> str:
        """The digest of all its bytes."""
        with Path(self.place).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


LongColumns = Mapping[str, str]
"""The column of each part: item, system and score, and dataset and repeat if there are any."""
LABELS = {"dataset": DATASET, "item": ITEM, "system": SYSTEM, "repeat": REPEAT}
"""What columns of labels are called in here, by their part."""


@dataclass(frozen=True, eq=False)
class LongRows:
    """Rows as codes; `row` counts the rows over all files, `keys` are 64-bit hashes of each row's (dataset, item)."""

    row: Array
    keys: Array
    items: Labels
    systems: Labels
    values: Array
    datasets: Labels | None
    repeats: Labels | None

    def __len__(self) -> int:
        return len(self.row)


def long_file(path: str, before: int = 0) -> LongFile:
    """Read the footer of a Parquet file."""
    require_polars("read Parquet files")
    import polars as pl

    label, place = label_of(path), str(Path(path).absolute())
    with refusing(label), Path(place).open("rb") as raw:
        start = raw.read(4)
    if start != MARK:
        what = "is empty" if not start else "is not a Parquet file"
        raise OutscoreError(f"{label} {what}.", "Give Parquet files only, each with the columns item, system and score.")
    with refusing(label):
        rows = int(pl.scan_parquet(place, hive_partitioning=True).select(pl.len()).collect().item())
    return LongFile(path, rows, before, place)


def long_columns(file: LongFile, choice: Choice) -> tuple[LongColumns, tuple[str, ...]]:
    """Find the columns of a file of long rows: those the caller named, or those with usual names; and those without a part."""
    import polars as pl

    with refusing(file.label):
        sample = pl.scan_parquet(file.place, hive_partitioning=True).head(SAMPLE_ROWS).collect()
    values = {name: sample[name].to_list() for name in sample.columns}
    layout = find_layout(Records(file.label, tuple(sample.columns), values, lambda _: iter(()), "row", file.path), choice)
    parts = layout.parts
    if not {"system", "item"} <= parts.keys():
        raise OutscoreError(
            f"{file.label} has no system column among {join_names(sample.columns)}.",
            "Parts have a row for each item and system: name the column with --system-column (system_column=... in Python), or"
            " name tables with a column for each system one by one.",
            parameter="system_column",
        )
    if "gold" in parts:
        raise OutscoreError(
            f"{file.label} contains answers (`{layout.scores[0]}` beside `{parts['gold']}`), but partitions support only"
            " scores.",
            "Add a column of scores, or rank the rows as one table.",
            parameter="score",
        )
    if len(layout.scores) != 1:
        raise OutscoreError(
            f"{file.label}: partitions support only one score column, but {join_names(layout.scores)} were named.",
            "Name one with --score.",
            parameter="score",
        )
    if "cluster" in parts:
        raise OutscoreError(
            f"{file.label} has clusters (`{parts['cluster']}`), which partitions do not support.",
            f"Rank the rows as one table, or add --cluster {NO_CLUSTERS} if items are independent.",
            parameter="cluster",
        )
    kept = {part: column for part, column in parts.items() if not (layout.pooled and part == "dataset")}
    return {**kept, "score": layout.scores[0]}, layout.unused


def long_rows(
    files: Sequence[LongFile], columns: LongColumns, *, systems: Sequence[str] = (), bucket: int = 0, buckets: int = 1
) -> LongRows:
    """The rows of all these files, or only those whose item hash falls into one of several buckets.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> table = pl.DataFrame({"item": ["q1", "q1", "q2"], "system": ["new", "old", "new"], "score": [1, 0, 1]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.write_parquet(f"{folder}/part.parquet")
    ...     rows = long_rows([long_file(f"{folder}/part.parquet")], dict(item="item", system="system", score="score"))
    >>> rows.items.codes.tolist(), rows.systems.names, rows.values.tolist()
    ([0, 0, 1], ('new', 'old'), [1.0, 0.0, 1.0])
    """
    import polars as pl

    table = pl.concat([_table(file, columns, systems, bucket, buckets) for file in files])
    return LongRows(
        row=table[ROW].to_numpy(),
        keys=table[KEY].to_numpy(),
        items=_labels(table[ITEM]),
        systems=_labels(table[SYSTEM]),
        values=table[SCORE].to_numpy(),
        datasets=_labels(table[DATASET]) if "dataset" in columns else None,
        repeats=_labels(table[REPEAT]) if "repeat" in columns else None,
    )


def fingerprint(files: Iterable[LongFile], columns: LongColumns) -> Array:
    """The distinct hashes of the items in these files, sorted."""
    import polars as pl

    parts = []
    for file in files:
        with refusing(file.label):
            parts.append(_scan_rows(file, columns).select(pl.col(KEY).unique()).collect()[KEY].to_numpy())
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.uint64)


def hash_check() -> int:
    """The hash of a known word: workers on which it differs cannot identify items by their hashes."""
    import polars as pl

    return int(pl.Series(["outscore"]).hash(SEED).item())


def _table(file: LongFile, columns: LongColumns, systems: Sequence[str], bucket: int, buckets: int) -> pl.DataFrame:
    """One file's rows, all values checked."""
    import polars as pl

    rows = _scan_rows(file, columns)
    if buckets > 1:
        rows = rows.filter(pl.col(KEY) % buckets == bucket)
    if systems:
        rows = rows.filter(pl.col(SYSTEM).is_in(list(systems)))
    with refusing(file.label):
        table = rows.collect()
    _check(table, file, columns)
    return table.with_columns(pl.col(ROW) + file.before)


def _scan_rows(file: LongFile, columns: LongColumns) -> pl.LazyFrame:
    """The columns needed, renamed, with the hash of each row's item."""
    import polars as pl

    frame = pl.scan_parquet(file.place, row_index_name=ROW, hive_partitioning=True)
    with refusing(file.label):
        schema = frame.collect_schema()
    labelled = {LABELS[part]: column for part, column in columns.items() if part in LABELS}
    for column in (*labelled.values(), columns["score"]):
        if column not in schema:
            names = [name for name in schema.names() if name != ROW]
            raise OutscoreError(
                f"{file.label} has no column `{column}`, which other files have; it has {join_names(names)}.",
                "Give files with the same columns.",
            )
    kind = schema[columns["score"]]
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise OutscoreError(
            f"{file.label}: column `{columns['score']}` is of type {kind}, but numbers were expected.",
            "Write the scores as numbers, or name another column with --score.",
            parameter="score",
        )
    labels = [text_of(column, schema[column], file).alias(part) for part, column in labelled.items()]
    key = pl.struct(*[part for part in (DATASET, ITEM) if part in labelled]).hash(SEED).alias(KEY)
    frame = frame.select(pl.col(ROW).cast(pl.Int64), pl.col(columns["score"]).cast(pl.Float64).alias(SCORE), *labels)
    if DATASET in labelled:
        frame = frame.with_columns(pl.col(DATASET).replace("", None).fill_null(NO_LABEL))
    return frame.with_columns(key)


def text_of(column: str, kind: pl.DataType, file: LongFile) -> pl.Expr:
    """Text without surrounding blanks, so that 1, 1.0 and "1 " are the same label."""
    import polars as pl

    if kind.is_nested() or kind == pl.Binary:
        raise OutscoreError(f"{file.label}: column `{column}` is of type {kind}, but labels were expected.", FLAT)
    value = pl.col(column)
    if kind.is_float():
        whole = value.round() == value
        return pl.when(whole).then(value.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(value.cast(pl.String))
    if kind == pl.Boolean:
        return value.cast(pl.String).str.to_titlecase()
    return value.cast(pl.String).str.strip_chars()


def _check(table: pl.DataFrame, file: LongFile, columns: LongColumns) -> None:
    """Refuse the first row without a label or a number."""
    import polars as pl

    for name, column in columns.items():
        if name not in LABELS:
            continue
        part = LABELS[name]
        bad = table.lazy().filter(pl.col(part).is_null() | (pl.col(part) == "")).select(ROW).head(1).collect()
        if bad.height:
            _refuse(file, bad.item(), f"found nothing in column `{column}`, expected a label", "Fill it in, or remove the row.")
    # The negation is true for nan too.
    odd = ~(pl.col(SCORE).abs() < MAX_EXACT) | pl.col(SCORE).is_null() | pl.col(SCORE).is_nan()
    bad = table.lazy().filter(odd).select(ROW, SCORE).head(1).collect()
    if bad.height:
        row, value = bad.row(0)
        text = "" if value is None else f"{value:g}"
        too_large = (f"found {text} in column `{columns['score']}`, which is too large", "Write scores below 2^53.")
        _refuse(file, row, *(problem_with(text, column=columns["score"]) or too_large))


def _refuse(file: LongFile, row: int, problem: str, hint: str) -> NoReturn:
    raise line_error(file.path, row + 1, problem, hint, "row")


def _labels(column: pl.Series) -> Labels:
    """Codes in order of first appearance."""
    import polars as pl

    names = column.unique(maintain_order=True)
    return Labels(column.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy(), tuple(names.to_list()))


@contextmanager
def refusing(label: str) -> Iterator[None]:
    """Turn errors of the file system and of polars into an `OutscoreError`."""
    try:
        with refuse_damaged(label):
            yield
    except OSError as error:
        reason = error.strerror or str(error).partition("\n")[0]
        raise OutscoreError(
            f"{label} could not be read: {reason}.", "Check its name, and that every worker sees it in the same place."
        ) from None


# The files that a folder, a pattern or a list of them stands for, and whether they are parts of one table.


Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
MAX_WHOLE = 1 << 28
"""Bytes of Parquet beyond which files are read part by part even if they are named one by one."""


def expand_pattern(path: str) -> list[str]:
    """The files that a pattern stands for, in order of their names; any other path stands for itself.

    Examples
    --------
    >>> expand_pattern("absent.csv")
    ['absent.csv']
    """
    if not is_pattern(path):
        return [path]
    files = sorted(file for file in glob(path, recursive=True) if os.path.isfile(file))  # noqa: PTH113, PTH207
    if not files:
        raise missing_error(path)
    return files


def are_partitions(paths: Sequence[str]) -> bool:
    """Whether paths are parts of one large table instead of a table each.

    A folder is, and so are Parquet files that match a pattern, lie in folders named ``dataset=mmlu``, or are
    too large to be read whole. Other Parquet files named one by one are a table each.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [f"{folder}/{name}.parquet" for name in "ab"]
    ...     for file in files:
    ...         _ = Path(file).write_bytes(MARK)
    ...     are_partitions([folder]), are_partitions([f"{folder}/*.parquet"]), are_partitions(files)
    (True, True, False)
    """
    if any(map(os.path.isdir, paths)):
        return True
    files = [file for path in paths for file in expand_pattern(path)]
    if not all(map(is_parquet, files)):
        return False
    named_by_folder = any("=" in part for file in files for part in Path(file).parts[:-1])
    large = sum(os.path.getsize(file) for file in files) > MAX_WHOLE  # noqa: PTH202
    return any(map(is_pattern, paths)) or (named_by_folder and len(files) > 1) or large


def partition_paths(paths: Paths) -> list[str]:
    """The files that a folder, a pattern or several of them stand for, each once.

    Folders are searched recursively, without names that begin with a dot or an underscore, such as
    ``_SUCCESS``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.parquet", "a.parquet", "_SUCCESS"):
    ...         _ = Path(folder, name).write_text("")
    ...     [Path(path).name for path in partition_paths(folder)]
    ['a.parquet', 'b.parquet']
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files: dict[str, str] = {}
    for path in several:
        for file in _list_files(os.fspath(path)):
            files.setdefault(os.path.realpath(file), file)
    if not files:
        raise OutscoreError("No Parquet file was named.", "Give a folder of Parquet files, a pattern, or the files.")
    return list(files.values())


def _list_files(path: str) -> list[str]:
    if os.path.isdir(path):  # noqa: PTH112 - a pattern is not a path
        inside = [file for file in sorted(Path(path).rglob("*")) if file.is_file()]
        kept = [str(file) for file in inside if not any(part[0] in "._" for part in file.relative_to(path).parts)]
        if not kept:
            raise OutscoreError(f"`{path}` is a folder without files.", "Name a folder of Parquet files.")
        _refuse_others(path, kept)
        return kept
    return expand_pattern(path)


def is_parquet(path: str) -> bool:
    """Whether a file begins like Parquet; the reader reports those that cannot be opened, and reads pipes whole."""
    if is_pipe(path):
        return False
    try:
        with Path(path).open("rb") as raw:
            return raw.read(len(MARK)) == MARK
    except OSError:
        return False


def _refuse_others(folder: str, files: Sequence[str]) -> None:
    """Refuse a folder with files in other formats, each of which may be a dataset or a system."""
    other = next((file for file in files if not file.endswith(".parquet") and not is_parquet(file)), None)
    if other is None:
        return
    named = next(filter(is_parquet, files), other)
    wanted = ".parquet" if named != other else Path(other).suffix
    depth = len(Path(named).relative_to(folder).parts) - 1
    raise OutscoreError(
        f"`{folder}` is a folder that contains `{Path(other).name}`, but only Parquet files are read from folders.",
        f"Name the files that you mean: {Path(folder, *['*'] * depth, f'*{wanted}')}.",
    )


def long_files(paths: Sequence[str]) -> tuple[LongFile, ...]:
    """All files that have rows; programs that write partitions may leave empty ones."""
    files: list[LongFile] = []
    before = 0
    for path in paths:
        file = long_file(path, before)
        before += file.rows
        files.append(file)
    full = tuple(file for file in files if file.rows)
    if not full:
        raise OutscoreError(f"{files[0].label} has column names but no records.", "Give one record per item and system.")
    return full

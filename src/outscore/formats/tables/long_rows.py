"""Millions of long Parquet rows as integer codes of dataset, item and system, without a Python object per row.

The general reader (`parquet`, `assemble`) checks values one by one, which is fine for a million rows and too
slow for a hundred million. This one leaves everything to polars and requires columns of the right types:
labels and numbers. A folder named ``dataset=mmlu``, as programs that write partitions name them, is a column
of all files in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from outscore.core.errors import OutscoreError, require_polars
from outscore.core.numeric import MAX_EXACT, Array
from outscore.core.records import dataclass
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import line_error
from outscore.formats.tables.cells import FLAT, NO_LABEL, problem_with
from outscore.formats.tables.columns import NO_CLUSTERS, find_layout
from outscore.formats.tables.names import join_names
from outscore.formats.tables.parquet import MARK, SAMPLE_ROWS, refuse_damaged
from outscore.formats.tables.records import Records
from outscore.scores.system import Labels, label_of

if TYPE_CHECKING:
    import polars as pl

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


@dataclass(frozen=True)
class LongColumns:
    """Which column plays which part."""

    item: str
    system: str
    score: str
    dataset: str | None = None
    repeat: str | None = None

    @property
    def used(self) -> dict[str, tuple[str, ...]]:
        """The column of each part, for the report."""
        return {part: (column,) for part, column in asdict(self).items() if column is not None}

    @property
    def labels(self) -> dict[str, str]:
        """The columns of labels by their names in here."""
        parts = {DATASET: self.dataset, ITEM: self.item, SYSTEM: self.system, REPEAT: self.repeat}
        return {part: column for part, column in parts.items() if column is not None}


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


def long_columns(file: LongFile, choice: Choice) -> LongColumns:
    """Find the columns of a file of long rows: those the caller named, or those with usual names."""
    import polars as pl

    with refusing(file.label):
        sample = pl.scan_parquet(file.place, hive_partitioning=True).head(SAMPLE_ROWS).collect()
    values = {name: sample[name].to_list() for name in sample.columns}
    layout = find_layout(Records(file.label, tuple(sample.columns), values, lambda _: iter(()), "row", file.path), choice)
    if layout.system is None or layout.item is None:
        raise OutscoreError(
            f"{file.label} has no system column among {join_names(sample.columns)}.",
            "Parts have a row for each item and system: name the column with --system-column (system_column=... in Python), or"
            " name tables with a column for each system one by one.",
            parameter="system_column",
        )
    if layout.gold is not None:
        raise OutscoreError(
            f"{file.label} contains answers (`{layout.scores[0]}` beside `{layout.gold}`), but partitions support only scores.",
            "Add a column of scores, or rank the rows as one table.",
            parameter="score",
        )
    if len(layout.scores) != 1:
        raise OutscoreError(
            f"{file.label}: partitions support only one score column, but {join_names(layout.scores)} were named.",
            "Name one with --score.",
            parameter="score",
        )
    if layout.cluster is not None:
        raise OutscoreError(
            f"{file.label} has clusters (`{layout.cluster}`), which partitions do not support.",
            f"Rank the rows as one table, or add --cluster {NO_CLUSTERS} if items are independent.",
            parameter="cluster",
        )
    dataset = None if layout.pooled else layout.dataset
    return LongColumns(layout.item, layout.system, layout.scores[0], dataset, layout.repeat)


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
    ...     rows = long_rows([long_file(f"{folder}/part.parquet")], LongColumns("item", "system", "score"))
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
        datasets=None if columns.dataset is None else _labels(table[DATASET]),
        repeats=None if columns.repeat is None else _labels(table[REPEAT]),
    )


def fingerprint(files: Iterable[LongFile], columns: LongColumns) -> Array:
    """The distinct hashes of the items in these files, sorted."""
    import polars as pl

    parts = []
    for file in files:
        with refusing(file.label):
            parts.append(_scan(file, columns).select(pl.col(KEY).unique()).collect()[KEY].to_numpy())
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.uint64)


def hash_check() -> int:
    """The hash of a known word: workers on which it differs cannot identify items by their hashes."""
    import polars as pl

    return int(pl.Series(["outscore"]).hash(SEED).item())


def _table(file: LongFile, columns: LongColumns, systems: Sequence[str], bucket: int, buckets: int) -> pl.DataFrame:
    """One file's rows, all values checked."""
    import polars as pl

    rows = _scan(file, columns)
    if buckets > 1:
        rows = rows.filter(pl.col(KEY) % buckets == bucket)
    if systems:
        rows = rows.filter(pl.col(SYSTEM).is_in(list(systems)))
    with refusing(file.label):
        table = rows.collect()
    _check(table, file, columns)
    return table.with_columns(pl.col(ROW) + file.before)


def _scan(file: LongFile, columns: LongColumns) -> pl.LazyFrame:
    """The columns needed, renamed, with the hash of each row's item."""
    import polars as pl

    frame = pl.scan_parquet(file.place, row_index_name=ROW, hive_partitioning=True)
    with refusing(file.label):
        schema = frame.collect_schema()
    for column in (*columns.labels.values(), columns.score):
        if column not in schema:
            names = [name for name in schema.names() if name != ROW]
            raise OutscoreError(
                f"{file.label} has no column `{column}`, which other files have; it has {join_names(names)}.",
                "Give files with the same columns.",
            )
    kind = schema[columns.score]
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise OutscoreError(
            f"{file.label}: column `{columns.score}` is of type {kind}, but numbers were expected.",
            "Write the scores as numbers, or name another column with --score.",
            parameter="score",
        )
    labels = [text_of(column, schema[column], file).alias(part) for part, column in columns.labels.items()]
    key = pl.struct(*[part for part in (DATASET, ITEM) if part in columns.labels]).hash(SEED).alias(KEY)
    frame = frame.select(pl.col(ROW).cast(pl.Int64), pl.col(columns.score).cast(pl.Float64).alias(SCORE), *labels)
    if DATASET in columns.labels:
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

    for part, column in columns.labels.items():
        bad = table.lazy().filter(pl.col(part).is_null() | (pl.col(part) == "")).select(ROW).head(1).collect()
        if bad.height:
            _refuse(file, bad.item(), f"found nothing in column `{column}`, expected a label", "Fill it in, or remove the row.")
    # The negation is true for nan too.
    odd = ~(pl.col(SCORE).abs() < MAX_EXACT) | pl.col(SCORE).is_null() | pl.col(SCORE).is_nan()
    bad = table.lazy().filter(odd).select(ROW, SCORE).head(1).collect()
    if bad.height:
        row, value = bad.row(0)
        text = "" if value is None else f"{value:g}"
        too_large = (f"found {text} in column `{columns.score}`, which is too large", "Write scores below 2^53.")
        _refuse(file, row, *(problem_with(text, column=columns.score) or too_large))


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

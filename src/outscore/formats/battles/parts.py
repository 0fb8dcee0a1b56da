"""Tables of battles in Parquet, of any size: the battles on some of the prompts, read from all files.

Which prompts is told by the hash of their label, so that all battles on a prompt are read together, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.battles.columns import find_battle_layout
from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.read import AUTO, battles_of_records, recognised
from outscore.formats.battles.registry import BATTLES
from outscore.formats.battles.tables import arena_layout, layout_columns
from outscore.formats.tables.cells import NO_LABEL
from outscore.formats.tables.long_rows import SEED, LongFile, hash_check, refusing, text_of
from outscore.formats.tables.parquet import records_of
from outscore.formats.tables.records import Records
from outscore.scores.battles import Battles, join_battles
from outscore.scores.system import Origin

if TYPE_CHECKING:
    import polars as pl

ROW = "_row"
TABLES = ("battles", "arena", "arena-hard-battles")
"""Formats whose battles are a row each."""


@dataclass(frozen=True)
class PartFile:
    """A Parquet file of battles: its format, the columns to read, that of the prompts, and whether it has lengths.

    `used` are the columns by the part they play, `judged` says how many columns of verdicts there are.
    """

    file: LongFile
    format: str
    columns: tuple[str, ...]
    prompt: str | None
    used: tuple[tuple[str, tuple[str, ...]], ...]
    lengths: bool
    judged: int = 1

    @property
    def battles(self) -> int:
        """How many battles it holds."""
        return self.file.rows * self.judged


def part_file(file: LongFile, choice: BattleChoice, format: str = AUTO) -> PartFile:
    """Look at the columns of a file; one sentence where its battles cannot be read in parts."""
    records = records_of(_scan(file), file.label, file.path)
    entry = recognised(records) if format == AUTO else BATTLES[format]
    name = "battles" if entry is None else entry.name
    if name not in TABLES:
        raise OutscoreError(
            f"{file.label} contains battles of {BATTLES[name].title}, which cannot be read in parts.", "Leave --dask out."
        )
    layout = find_battle_layout(records, choice)
    if name == "arena":
        layout = arena_layout(layout, records, choice)
    used = {part: column for part, column in layout.used.items() if part != "length"}
    plain, judged = replace(layout, length=()), 1 if layout.one_hot else len(layout.winner)
    described = PartFile(file, name, layout_columns(plain), layout.prompt, tuple(used.items()), bool(layout.length), judged)
    with refusing(file.label):
        _bucket(described, _scan(file).collect_schema(), 2)
    return described


def read_part(
    files: Sequence[PartFile], choice: BattleChoice, bucket: int, buckets: int, check: int
) -> tuple[Battles, Array, Array] | None:
    """The battles of one bucket of prompts, the place of each among all battles, and its file; None where there are none.

    `check` is the hash of a known word where the buckets were numbered: elsewhere prompts may have other hashes.
    """
    if hash_check() != check:
        raise OutscoreError("A worker numbers prompts differently.", "Install the same version of polars on all workers.")
    parts: list[Battles] = []
    places: list[Array] = []
    origins: list[Array] = []
    for number, one in enumerate(files):
        with refusing(one.file.label):
            scan = _scan(one.file)
            kept = scan.filter(_bucket(one, scan.collect_schema(), buckets) == bucket) if buckets > 1 else scan
            table = kept.select([*one.columns, ROW]).collect()
        if not table.height:
            continue
        records: Records = records_of(table.lazy(), one.file.label, one.file.path, ROW)
        plain = replace(choice, length=())
        battles = battles_of_records(records, plain, Origin(one.file.path, "", 0, one.format), one.format)
        parts.append(battles)
        origins.append(np.full(battles.rows, number))
        # Several columns of verdicts are stacked one below the other.
        times, rows = battles.rows // table.height, table[ROW].to_numpy().astype(np.int64)
        stacked = np.arange(times)[:, None] * one.file.rows + rows[None, :]
        places.append(stacked.ravel() + times * one.file.before)
    return (join_battles(parts), np.concatenate(places), np.concatenate(origins)) if parts else None


def _scan(file: LongFile) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_parquet(file.place, row_index_name=ROW, hive_partitioning=False).with_columns(pl.col(ROW).cast(pl.Int64))


def _bucket(one: PartFile, schema: pl.Schema, buckets: int) -> pl.Expr:
    """The bucket of each row's prompt."""
    import polars as pl

    if one.prompt is None:
        return pl.col(ROW) % buckets
    kind = schema[one.prompt]
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
        # A conversation is named by its first message.
        if "content" not in {field.name for field in kind.inner.fields}:
            raise OutscoreError(
                f"{one.file.label}: the prompt in `{one.prompt}` has no `content`.", "Name another column with --prompt."
            )
        text = pl.col(one.prompt).list.first().struct.field("content").cast(pl.String)
    else:
        text = text_of(one.prompt, kind, one.file)
    return text.replace("", None).fill_null(NO_LABEL).hash(SEED) % buckets

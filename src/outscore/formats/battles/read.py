"""All formats of battles, and from paths to battles: which tool wrote a file, copies in it, and Parquet part by part."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.base.source import files_below, open_source, unpacked
from outscore.formats.battles import tables, tools
from outscore.formats.battles.entry import BattleChoice, BattleEntry, find_battle_layout, has_part, holds_battles
from outscore.formats.battles.tables import arena_layout
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import NO_LABEL, Records
from outscore.formats.tables.names import join_names
from outscore.formats.tables.parquet import SEED, LongFile, expand_pattern, hash_check, records_of, refusing, text_of
from outscore.results.note import Note
from outscore.scores.battles import Battles, join_battles
from outscore.scores.system import Origin, label_of

if TYPE_CHECKING:
    import polars as pl


# All formats of battles, in the order in which they are asked whether a table is theirs.


BATTLES: dict[str, BattleEntry] = {
    entry.name: entry
    for entry in (
        BattleEntry(
            "arena-hard",
            "Arena-Hard",
            "model_judgment/<judge>/<model>.jsonl: two games of each question, the order exchanged",
            tools.looks_like_arena_hard,
            tools.read_arena_hard,
            has_free_columns=False,
            is_graded=True,
        ),
        BattleEntry(
            "mt-bench",
            "MT-bench",
            "<judge>_pair.jsonl: g1_winner and g2_winner of each question, the order exchanged",
            tools.looks_like_mt_bench,
            tools.read_mt_bench,
            has_free_columns=False,
        ),
        BattleEntry(
            "alpaca-eval",
            "AlpacaEval",
            "annotations.json: a preference from 1 (generator_1) to 2 (generator_2)",
            tools.looks_like_annotations,
            tools.read_annotations,
        ),
        BattleEntry(
            "arena-hard-battles",
            "Arena-Hard battles",
            "arena_hard_battles.jsonl: all games of a question, the baseline always as model_a",
            tables.looks_like_pooled_games,
            tables.read_pooled_games,
        ),
        BattleEntry(
            "arena",
            "Chatbot Arena",
            "an export with model_a, model_b, winner and conversations, as JSON, CSV or Parquet",
            tables.looks_like_arena,
            tables.read_arena,
        ),
        BattleEntry(
            "battles",
            "battles",
            "a table with columns such as prompt, model_a, model_b, winner (CSV, TSV, JSON, Parquet)",
            holds_battles,
            tables.read_table,
        ),
    )
}


# From paths to battles.


# Battles that repeat another in all that was read of them: votes that agree, or copies. They count, and a note says so.


LARGEST = 1 << 62


def repeated_in(battles: Battles, files: Array) -> tuple[int, int]:
    """How many battles with a verdict are like another of the same file, and like one of another file.

    Alike are prompt, systems and their order, verdict, judge and lengths.

    Parameters
    ----------
    battles
        All of them.
    files
        The file of each, from 0 up.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> zeros, prompts = np.zeros(4, dtype=np.int64), Labels.of(["q1", "q1", "q2", "q1"])
    >>> repeated_in(Battles(("new", "old"), zeros, zeros + 1, np.array([1.0, 1.0, 1.0, 1.0]), prompts), np.array([0, 0, 0, 1]))
    (1, 1)
    """
    kept = np.flatnonzero(battles.decided)
    keys = _rows_alike(battles, kept)
    many = int(files.max(initial=0)) + 1
    cells, counts = np.unique(keys * many + files[kept], return_counts=True)
    if not len(kept) or (len(cells) == len(kept) and many == 1):
        return 0, 0
    starts = np.flatnonzero(np.diff(cells // many, prepend=-1))
    # Battles that several files share are attributed to the file that has most of them.
    largest = np.maximum.reduceat(counts, starts)
    return int((counts - 1).sum()), int(counts.sum() - largest.sum())


def _rows_alike(battles: Battles, kept: Array) -> Array:
    """A number for each of these rows, the same for rows that are alike."""
    k = len(battles.systems)
    shares, share = np.unique(battles.share[kept], return_inverse=True)
    columns = [
        (battles.prompts.codes[kept], len(battles.prompts.names)),
        (battles.first[kept], k),
        (battles.second[kept], k),
        (share, len(shares)),
    ]
    known = (labels for labels in (battles.judges, battles.clusters, battles.categories) if labels is not None)
    columns += [(labels.codes[kept], len(labels.names)) for labels in known]
    if battles.weights is not None:
        columns.append((battles.weights[kept], int(battles.weights.max()) + 1))
    if battles.lengths is not None:
        for side in battles.lengths[kept].T:
            values, codes = np.unique(side, return_inverse=True, equal_nan=True)
            columns.append((codes, len(values)))
    keys, size = np.zeros(len(kept), dtype=np.int64), 1
    for codes, many in columns:
        if size * many * max(len(kept), 1) > LARGEST:
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        keys, size = keys * many + codes, size * many
    return np.asarray(np.unique(keys, return_inverse=True)[1]) if size > LARGEST // max(len(kept), 1) else keys


def repeat_notes(within: int, across: int, *, judged: bool, copied: bool) -> list[Note]:
    """What to say of them.

    Parameters
    ----------
    within, across
        How many there are within files, and across them.
    judged
        Whether it is known who judged: then the same judge said the same twice.
    copied
        Whether the tool that wrote the files writes a strong verdict several times.
    """
    notes = []
    if within:
        start = f"{_battles(within, 'repeats', 'repeat')} another of the same file in everything that was read"
        if copied:
            text = (
                f"{start}: both games of a question may agree, and a strong verdict (A>>B) is written three times. Each counts."
            )
        elif judged:
            text = f"{start}, judge and verdict included. Each counts; if they are copies, remove them."
        else:
            text = f"{start}: each counts as a vote of its own."
        notes.append(Note("warning" if judged and not copied else "input", text))
    if across:
        start = f"{_battles(across, 'appears', 'appear')} identically in another file, verdict included"
        notes.append(Note("warning", f"{start}. Each counts; if two files have the same battles, give only one of them."))
    return notes


def _battles(many: int, one: str, several: str) -> str:
    return f"{many:,} battle {one}" if many == 1 else f"{many:,} battles {several}"


# From paths to battles: which tool wrote a file, which files of a folder hold battles, and all of them as one.


AUTO = "auto"
SUFFIXES = {".json", ".jsonl", ".csv", ".tsv", ".parquet", ".ndjson"}
# Files that are left out are named one by one, up to so many.
MAX_NAMED = 5
SAMPLE = 20
POOLED = "arena-hard-battles"
_ELSE = {
    "baseline": "; systems that all met the same rival are compared through it anyway",
    "strength": "; each verdict of a table counts once",
}


def read_battles(paths: Sequence[str | os.PathLike[str]], choice: BattleChoice | None = None, *, format: str = AUTO) -> Battles:
    r"""Read battles from files and folders; battles of a system with itself are left out, and a note says how many.

    Parameters
    ----------
    paths
        Files, folders of files, or quoted patterns; ``-`` is standard input.
    choice
        What the caller says about columns.
    format
        A name of `BATTLES`, or ``"auto"`` to recognise it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text("prompt,model_a,model_b,winner\nq1,new,old,model_a\nq2,old,new,tie\n")
    ...     battles = read_battles([path])
    >>> battles.systems, battles.share.tolist(), battles.origins[0].format
    (('new', 'old'), [1.0, 0.5], 'battles')
    """
    if format != AUTO and format not in BATTLES:
        raise OutscoreError(
            f"There is no format of battles `{format}`.", did_you_mean(format, [*BATTLES, AUTO]), parameter="reader"
        )
    battle_choice = choice or BattleChoice()
    files_of_paths = [find_battles(os.fspath(path)) for path in paths]
    battles = settled([_read(file, battle_choice, format) for files, _ in files_of_paths for file in files])
    notes = passed_over_notes([file for _, others in files_of_paths for file in others])
    return replace(battles, notes=(*battles.notes, *notes))


def settled(parts: Sequence[Battles]) -> Battles:
    """All battles as one, without those of a system with itself, and with notes about these and about repeated ones."""
    whole = join_battles(parts)
    battles, dropped = without_mirrors(whole)
    notes = mirror_notes(dropped, whole.systems[int(whole.first[0])], every=not battles.rows)
    files = np.repeat(np.arange(len(parts)), [part.rows for part in parts])[whole.first != whole.second]
    pooled = any(origin.format == POOLED for origin in battles.origins)
    notes += repeat_notes(*repeated_in(battles, files), judged=battles.judges is not None, copied=pooled)
    return replace(battles, notes=(*battles.notes, *notes))


def refuse_unused(choice: BattleChoice, formats: Iterable[str]) -> None:
    """Refuse what was said about files of a format that none of these are of."""
    if any(BATTLES[format].is_graded for format in formats):
        return
    for name in ("baseline", "strength"):
        if getattr(choice, name) != getattr(BattleChoice(), name):
            titles = " or ".join(entry.title for entry in BATTLES.values() if entry.is_graded)
            raise OutscoreError(
                f"--{name} is for judgments of {titles}, but no file is of that kind.",
                f"Leave it out{_ELSE[name]}.",
                parameter=name,
            )


def find_battles(path: str) -> tuple[list[str], list[str]]:
    """The files that a path stands for: itself, what matches a pattern, or the battles in a folder and those below it.

    Of a folder also the files that end like battles and are none that is known.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - a pattern is not a path
        return expand_pattern(path), []
    inside = [file for file in files_below(path, "battles") if not _hidden(Path(file).relative_to(path))]
    ending = [file for file in inside if unpacked(file).suffix.lower() in SUFFIXES]
    holds = {file: is_battles(file) for file in ending}
    battle_files = [file for file in ending if holds[file]]
    if not battle_files:
        titles = ", ".join(entry.title for entry in BATTLES.values())
        raise OutscoreError(
            f"{label_of(path)} contains no file of {titles}.",
            "Name the files, or give a table with columns such as prompt, model_a, model_b and winner.",
            file=path,
        )
    return battle_files, [file for file in ending if not holds[file]]


def passed_over_notes(files: Sequence[str]) -> list[Note]:
    """Which files of folders were passed over: they may hold scores, totals or settings, or a damaged file of battles."""
    if not files:
        return []
    named = ", ".join(label_of(file) for file in files[:MAX_NAMED])
    more = "" if len(files) <= MAX_NAMED else f" and {len(files) - MAX_NAMED:,} more"
    start = "1 file in the folders contains no known battles and is"
    if len(files) > 1:
        start = f"{len(files):,} files in the folders contain no known battles and are"
    return [Note("reading", f"{start} left out: {named}{more}.")]


def is_battles(path: str) -> bool:
    """Whether a file holds battles, as far as its columns tell; what cannot be read holds none."""
    with suppress(OutscoreError), open_source(path) as source:
        return recognised(open_table(source)[1]) is not None
    return False


def battles_of_records(records: Records, choice: BattleChoice, origin: Origin, format: str = AUTO) -> Battles:
    """The battles of an open table; `origin` is completed with the format and the columns used."""
    entry = recognised(records) if format == AUTO else BATTLES[format]
    if entry is None:
        entry = BATTLES["battles"]
        if not (choice.columns or choice.names or has_part(records)):
            _refuse_unknown(records)
    _refuse_columns(records, choice, entry)
    battles, used = entry.read(records, choice)
    completed = Origin(origin.path, origin.sha256, battles.rows, entry.name, used, records.unit, len(battles.systems))
    return replace(battles, origins=(completed,))


def _refuse_columns(records: Records, choice: BattleChoice, entry: BattleEntry) -> None:
    """Refuse names of columns where the format has its own."""
    if choice.columns and not entry.has_free_columns:
        name = next(iter(choice.columns)).split()[0]
        raise OutscoreError(
            f"--{name} names a column, but {records.label} is a file of {entry.title}, whose columns are known.",
            "Leave it out.",
            parameter=name,
        )


def _read(path: str, choice: BattleChoice, format: str) -> Battles:
    with open_source(path) as source:
        records = open_table(source)[1]
        battles = battles_of_records(records, choice, Origin(path, "", 0, format), format)
        origin = replace(battles.origins[0], sha256=source.sha256())
    return replace(battles, origins=(origin,))


def recognised(records: Records) -> BattleEntry | None:
    """The format of a table; None where it is in none of them."""
    return next((entry for entry in BATTLES.values() if entry.recognise(records)), None)


def _refuse_unknown(records: Records) -> None:
    """Refuse a table in which nothing says who was compared with whom."""
    names = {name.lower() for name in records.columns}
    scored = {"score", "correct", "accuracy"} & names
    hint = "Name the columns with --first, --second and --winner; if every row compares the same two, --winner and --names A,B."
    if scored:
        hint = f"Scores of single answers (`{min(scored)}`) are for `outscore compare`; for battles, n{hint[1:]}"
    raise OutscoreError(
        f"{records.label} does not have two columns of systems and one of verdicts among {join_names(records.columns)}.",
        hint,
        parameter="first",
        file=records.path,
    )


def without_mirrors(battles: Battles) -> tuple[Battles, int]:
    """Leave out battles of a system with itself, which say nothing about systems; and how many there were."""
    mirrored = battles.first == battles.second
    dropped = int(mirrored.sum())
    return (battles.take(np.flatnonzero(~mirrored)).compact() if dropped else battles), dropped


def mirror_notes(dropped: int, name: str, *, every: bool) -> list[Note]:
    """A note about battles of a system with itself; an error where there are no others."""
    if not dropped:
        return []
    if every:
        raise OutscoreError(f"Every battle is `{name}` against itself.", "Check the columns of systems.", parameter="first")
    many = "battle of a system with itself was" if dropped == 1 else "battles of a system with itself were"
    return [Note("reading", f"{dropped:,} {many} left out.")]


def _hidden(path: Path) -> bool:
    return any(part.startswith("_") for part in path.parts)


# Tables of battles in Parquet, of any size: the battles on some of the prompts, read from all files.
#
# Which prompts is told by the hash of their label, so that all battles on a prompt are read together, wherever they stand.


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
    prompt, lengths = layout.single.get("prompt"), bool(layout.length)
    described = PartFile(file, name, plain.columns, prompt, tuple(used.items()), lengths, judged)
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

"""From paths to battles: which tool wrote a file, which files of a folder hold battles, and all of them as one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.formats.base.document import lists_in
from outscore.formats.base.places import files_below
from outscore.formats.base.source import PACKED, Source, open_source
from outscore.formats.battles.columns import has_part
from outscore.formats.battles.entry import BattleChoice, BattleEntry
from outscore.formats.battles.registry import BATTLES
from outscore.formats.battles.repeated import repeat_notes, repeated_in
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.names import join_names
from outscore.formats.tables.partitions import expand_pattern
from outscore.formats.tables.records import BLOCK_ROWS, Block, Records
from outscore.results.note import Note
from outscore.scores.battles import Battles, join_battles
from outscore.scores.system import Origin, label_of

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
    notes += repeat_notes(repeated_in(battles, files), judged=battles.judges is not None, copied=pooled)
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
    ending = [file for file in inside if _plain_suffix(file) in SUFFIXES]
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
        return recognised(_open(source)) is not None
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
        records = _open(source)
        battles = battles_of_records(records, choice, Origin(path, "", 0, format), format)
        origin = replace(battles.origins[0], sha256=source.sha256())
    return replace(battles, origins=(origin,))


def _open(source: Source) -> Records:
    """The table in a file; a list of records in one JSON document is taken as it is, since some tools write NaN there."""
    lists = lists_in(source.peek.document)
    if len(lists) != 1:
        return open_table(source)[1]
    (rows,) = lists.values()
    names = tuple(dict.fromkeys(name for row in rows[:SAMPLE] for name in row))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        for start in range(0, len(rows), BLOCK_ROWS):
            part = rows[start : start + BLOCK_ROWS]
            yield Block(np.arange(start + 1, start + 1 + len(part)), {name: [row.get(name) for row in part] for name in needed})

    sample = {name: [row.get(name) for row in rows[:SAMPLE]] for name in names}
    return Records(source.label, names, sample, blocks, "row", source.path)


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


def _plain_suffix(path: str) -> str:
    pure = Path(path)
    return (Path(pure.stem) if pure.suffix in PACKED else pure).suffix.lower()


def _hidden(path: Path) -> bool:
    return any(part.startswith("_") for part in path.parts)

"""From files or tables to the battles that are counted, and what happened to the others.

Any number of battles: every share of the prompts becomes sums, and only the sums are combined.

A share is one bucket of prompts by their hashes, read from all files, so each file is read once for every share. Memory holds
one share, and a cell for every pair of systems and prompt on which they met, however many battles there were.
Lengths need every battle at once and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import SERIAL, Engine, open_engine
from outscore.engine.progress import Progress
from outscore.formats.base.pipes import is_pipe
from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.read import (
    POOLED,
    PartFile,
    battles_of_records,
    find_battles,
    mirror_notes,
    part_file,
    passed_over_notes,
    read_battles,
    read_part,
    refuse_unused,
    repeat_notes,
    repeated_in,
    settled,
    without_mirrors,
)
from outscore.formats.tables.assemble import TABLE
from outscore.formats.tables.cells import Block, Records
from outscore.formats.tables.names import join_names, suggest_name
from outscore.formats.tables.parquet import hash_check, is_parquet, long_files
from outscore.inference.preferences.sums import Known, Sums, first_places, joined, sums_of, total_of
from outscore.results.note import Note
from outscore.results.preference import BattleReading
from outscore.scores.battles import Battles
from outscore.scores.system import Origin
from outscore.workflows.frames import is_table, table_of
from outscore.workflows.requests.prefer import PreferRequest

SAMPLE = 20


def battles_of(request: PreferRequest, files: Sequence[str]) -> Battles:
    """The battles of files."""
    choice = request.choice()
    battles = read_battles(files, choice, format=request.reader)
    refuse_unused(choice, [origin.format for origin in battles.origins])
    return battles


def people_of(request: PreferRequest, table: Any = None) -> Battles | None:  # noqa: ANN401 - a table of whichever library
    """People's verdicts on the chosen systems, from a table or the request's file; None if there are none.

    Named columns are those of the judge's battles, and need not exist here.
    """
    choice = BattleChoice(strength=request.strength, baseline=request.baseline)
    if table is not None:
        people = table_battles(table, choice, "auto")
    elif request.labels is not None:
        people = read_battles([request.labels], choice)
    else:
        return None
    return people.take(np.flatnonzero(people.decided & _between(people, request.system))).compact()


def is_battle_table(given: object) -> bool:
    """Whether these are battles in named columns: a table, or a dictionary of columns."""
    return is_table(given) or isinstance(given, Mapping)


def _columns_of(given: Any) -> dict[str, list[object]]:  # noqa: ANN401 - a table of whichever library, or a dictionary
    if not isinstance(given, Mapping):
        table = table_of(given)
        return {str(name): np.asarray(table[name]).tolist() for name in table.columns}
    listed = {str(name): x for name, x in given.items() if isinstance(x, Iterable) and not isinstance(x, str)}
    columns = {name: x.tolist() if isinstance(x, np.ndarray) else list(x) for name, x in listed.items()}
    if len(columns) < len(given) or len({len(values) for values in columns.values()}) > 1:
        raise OutscoreError(
            "`battles` is a dictionary, but not of columns of the same length.",
            'Give a list for each column: {"model_a": ["new"], "model_b": ["old"], "winner": ["model_a"]}.',
            parameter="files",
        )
    return columns


def table_battles(given: Any, choice: BattleChoice, format: str) -> Battles:  # noqa: ANN401 - a table of whichever library
    """The battles of a table with named columns."""
    columns = _columns_of(given)
    rows = len(next(iter(columns.values()), ()))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, rows + 1), {name: columns[name] for name in needed})

    sample = {name: values[:SAMPLE] for name, values in columns.items()}
    records = Records("The table", tuple(columns), sample, blocks, "row")
    return settled([battles_of_records(records, choice, Origin(TABLE, "", rows, "dataframe"), format)])


def chosen(battles: Battles, request: PreferRequest) -> Battles:
    """Battles between the chosen systems, by the chosen judges."""
    _refuse_unknown(request, battles.systems, None if battles.judges is None else battles.judges.names)
    between = _between(battles, request.system)
    if not between.any():
        _refuse_strangers(battles, [battles.systems.index(name) for name in dict.fromkeys(request.system)])
    kept = between & _by_judges(battles, request.only_judge)
    if not kept.any():
        raise _nothing_left()
    return battles if kept.all() else battles.take(np.flatnonzero(kept)).compact()


def _between(battles: Battles, systems: Sequence[str]) -> Array:
    """Which battles are between two of these systems; all where none are named."""
    wanted = [i for i, name in enumerate(battles.systems) if not systems or name in systems]
    return np.isin(battles.first, wanted) & np.isin(battles.second, wanted)


def _by_judges(battles: Battles, judges: Sequence[str]) -> Array:
    """Which battles were decided by one of these judges; all where none are named, or known."""
    if not judges or battles.judges is None:
        return np.ones(battles.rows, dtype=bool)
    return np.isin(battles.judges.codes, [i for i, name in enumerate(battles.judges.names) if name in judges])


def _refuse_unknown(request: PreferRequest, systems: Sequence[str], judges: Sequence[str] | None) -> None:
    """Refuse chosen systems and judges that are not in any battle."""
    if request.only_judge and judges is None:
        raise OutscoreError(
            "The battles do not name a judge.", "Leave --only-judge out, or give --judge COLUMN.", parameter="only_judge"
        )
    for noun, parameter, asked, there in (
        ("judge", "only_judge", request.only_judge, judges or ()),
        ("system", "system", request.system, systems),
    ):
        for name in asked:
            if name not in there:
                raise OutscoreError(f"There is no {noun} `{name}`.", suggest_name(name, there), parameter=parameter)
    if len(set(request.system)) == 1:
        raise OutscoreError("--system names only one system.", "Name at least two, or leave it out.", parameter="system")


def _nothing_left() -> OutscoreError:
    return OutscoreError("No battle is left.", "Choose other systems or judges.", parameter="system")


def _no_verdict() -> OutscoreError:
    return OutscoreError("No battle has a verdict.", "Check the column of verdicts.", parameter="winner")


def _refuse_strangers(battles: Battles, wanted: Sequence[int]) -> None:
    """Refuse systems that never met each other, and suggest one that all of them met."""
    sides = (battles.first, battles.second), (battles.second, battles.first)
    met = [{*np.concatenate([other[own == code] for own, other in sides]).tolist()} for code in wanted]
    common = [battles.systems[code] for code in sorted(set.intersection(*met))]
    hint = "Also name systems that they met, to compare them through those."
    if common:
        hint = f"Add --system {common[0]}, which all of them met, to compare them through it."
    names = join_names([battles.systems[code] for code in wanted])
    raise OutscoreError(f"{names} never met directly.", hint, parameter="system")


def decided(battles: Battles) -> Battles:
    """Battles with a verdict."""
    there = battles.decided
    if not there.any():
        raise _no_verdict()
    return battles if there.all() else battles.take(np.flatnonzero(there)).compact()


def reading_of_battles(origins: Sequence[Origin]) -> BattleReading:
    """How the files were interpreted."""
    parts = dict.fromkeys(part for origin in origins for part in origin.columns)
    named = {part: dict.fromkeys(origin.column(part) for origin in origins) for part in parts}
    columns = {part: " or ".join(name for name in names if name is not None) for part, names in named.items()}
    formats = list(dict.fromkeys(origin.format for origin in origins))
    files = sum(bool(origin.sha256) for origin in origins)
    return BattleReading(formats, files, sum(origin.rows for origin in origins), columns)


ROWS = 1 << 22
"""Battles read at a time, which take less than a gigabyte with everything computed from them."""
WHOLE = 1 << 23
"""The number of battles up to which all are read at once, unless they are counted on a cluster."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What was computed from a share: the sums of the chosen battles, and what else was seen in it."""

    sums: Sums | None
    ordered: Known
    systems: tuple[str, ...]
    judges: tuple[str, ...] | None
    mirrored: int
    repeated: tuple[int, int]
    rows: int
    notes: tuple[Note, ...]


def are_parts(request: PreferRequest, engine: Engine | None) -> bool:
    """Whether battles are counted in parts: Parquet on a cluster, or too many of them to be read at once."""
    if request.labels is not None or request.people is not None or not request.files:
        return _refused(engine, "people's verdicts need all battles at once", "labels")
    if any(map(is_pipe, request.files)):
        return _refused(engine, "standard input and pipes are read at once", "files")
    paths = [file for path in request.files for file in find_battles(path)[0]]
    if not all(map(is_parquet, paths)):
        return _refused(engine, "the files are not Parquet", "files")
    return isinstance(engine, Dask) or sum(file.rows for file in long_files(paths)) > WHOLE


def _refused(engine: Engine | None, why: str, parameter: str) -> bool:
    if isinstance(engine, Dask):
        raise OutscoreError(
            f"A Dask cluster counts battles in parts, but {why}.",
            "Leave --dask out, or write the battles as Parquet.",
            parameter=parameter,
        )
    return False


def sum_parts(
    request: PreferRequest, engine: Engine | None = None, progress: Progress | None = None
) -> tuple[Sums, tuple[Origin, ...], tuple[Note, ...]]:
    """The sums of all battles of a request's Parquet files, counted share by share; the files, and notes on them."""
    choice, steps = request.choice(), progress or Progress()
    by_path = [find_battles(path) for path in request.files]
    paths = [file for battles, _ in by_path for file in battles]
    files = tuple(part_file(file, choice, request.reader) for file in long_files(paths))
    refuse_unused(choice, [one.format for one in files])
    buckets = -(-sum(one.file.rows for one in files) // ROWS)
    read_share = partial(_read_share, request, files, buckets, hash_check())
    with open_engine(engine or SERIAL) as running:
        parts = _map_shares(partial(read_share, None), buckets, running, steps)
        _check(parts, request)
        if any(part.sums is not None and part.sums.judged is not None for part in parts) and buckets > 1:
            # Judges are compared by who won, whose direction is that of all battles, not of a share.
            order = joined([part.ordered for part in parts])[0].names
            parts = _map_shares(partial(read_share, order), buckets, running, steps)
    counted = [part.sums for part in parts if part.sums is not None]
    sums = total_of(counted)
    mirrored = sum(part.mirrored for part in parts)
    notes = [note for part in parts for note in part.notes]
    notes += passed_over_notes([file for _, others in by_path for file in others])
    notes += mirror_notes(mirrored, sums.names[0], every=False)
    within, across = (sum(part.repeated[i] for part in parts) for i in (0, 1))
    judged = any(part.judges is not None for part in parts)
    notes += repeat_notes(within, across, judged=judged, copied=any(one.format == POOLED for one in files))
    if any(one.lengths for one in files):
        notes.append(Note("omission", "Lengths of answers are not analysed, because battles are counted in parts."))
    origins = tuple(
        Origin(one.file.path, one.file.sha256(), one.battles, one.format, dict(one.used), "row", len(sums.names))
        for one in files
    )
    return sums, origins, tuple(dict.fromkeys(notes))


def _map_shares(read_share: Callable[[int], _Part | None], buckets: int, engine: Engine, progress: Progress) -> list[_Part]:
    progress.begin("counting battles", buckets)
    parts = engine.map(read_share, range(buckets), progress=progress)
    return [part for part in parts if part is not None]


def _check(parts: Sequence[_Part], request: PreferRequest) -> None:
    """Refuse systems and judges that are not in any battle; a single share may lack them."""
    systems = tuple(dict.fromkeys(name for part in parts for name in part.systems))
    judges = [part.judges for part in parts if part.judges is not None]
    _refuse_unknown(request, systems, [name for names in judges for name in names] if judges else None)
    rows, mirrored = sum(part.rows for part in parts), sum(part.mirrored for part in parts)
    mirror_notes(mirrored, systems[0], every=rows == mirrored)
    if not any(len(part.ordered.names) for part in parts):
        raise _nothing_left()
    if all(part.sums is None for part in parts):
        raise _no_verdict()


def _read_share(
    request: PreferRequest, files: Sequence[PartFile], buckets: int, check: int, systems: tuple[str, ...] | None, bucket: int
) -> _Part | None:
    """Read one share and count it; `systems` are the chosen ones, in order, once they are known."""
    read = read_part(files, request.choice(), bucket, buckets, check)
    if read is None:
        return None
    given, places, sources = read
    apart = given.first != given.second
    battles, mirrored = without_mirrors(given)
    places, repeated = places[apart], repeated_in(battles, sources[apart])
    kept = _between(battles, request.system) & _by_judges(battles, request.only_judge)
    chosen, places = battles.take(np.flatnonzero(kept)).compact(), places[kept]
    ordered = Known(chosen.systems, first_places(chosen, places))
    if systems is not None:
        codes: Array = np.array([systems.index(name) for name in chosen.systems], dtype=np.int64)
        chosen = replace(chosen, systems=systems, first=codes[chosen.first], second=codes[chosen.second])
    sums = sums_of(chosen, places) if chosen.decided.any() else None
    judges = None if battles.judges is None else tuple(battles.judges.names)
    return _Part(sums, ordered, given.systems, judges, mirrored, repeated, given.rows, given.notes)

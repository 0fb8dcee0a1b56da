"""Any number of battles: every share of the prompts becomes sums, and only the sums are combined.

A share is one bucket of prompts by their hashes, read from all files, so each file is read once for every share. Memory holds
one share, and a cell for every pair of systems and prompt on which they met, however many battles there were.
Lengths need every battle at once and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import Engine, Serial, open_engine
from outscore.engine.progress import Progress, Steps
from outscore.formats.base.pipes import is_pipe
from outscore.formats.battles.read import (
    POOLED,
    PartFile,
    Repeated,
    find_battles,
    mirror_notes,
    part_file,
    passed_over_notes,
    read_part,
    refuse_unused,
    repeat_notes,
    repeated_in,
    without_mirrors,
)
from outscore.formats.tables.names import suggest_name
from outscore.formats.tables.parquet import hash_check, is_parquet, long_files
from outscore.inference.preferences.sums import Known, Sums, first_places, joined, sums_of, total_of
from outscore.results.note import Note
from outscore.scores.battles import Battles
from outscore.scores.system import Origin
from outscore.workflows.requests.prefer import PreferRequest

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
    repeated: Repeated
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
    choice, steps = request.choice(), progress or Steps()
    by_path = [find_battles(path) for path in request.files]
    paths = [file for battles, _ in by_path for file in battles]
    files = tuple(part_file(file, choice, request.reader) for file in long_files(paths))
    refuse_unused(choice, [one.format for one in files])
    buckets = -(-sum(one.file.rows for one in files) // ROWS)
    read_share = partial(_read_share, request, files, buckets, hash_check())
    with open_engine(engine or Serial()) as running:
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
    repeated = sum((part.repeated for part in parts), Repeated())
    judged = any(part.judges is not None for part in parts)
    notes += repeat_notes(repeated, judged=judged, copied=any(one.format == POOLED for one in files))
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
    if request.only_judge and not judges:
        raise OutscoreError(
            "The battles do not name a judge.", "Leave --only-judge out, or give --judge COLUMN.", parameter="only_judge"
        )
    known = tuple(dict.fromkeys(name for names in judges for name in names))
    for noun, parameter, asked, there in (
        ("system", "system", request.system, systems),
        ("judge", "only_judge", request.only_judge, known),
    ):
        for name in asked:
            if name not in there:
                raise OutscoreError(f"There is no {noun} `{name}`.", suggest_name(name, there), parameter=parameter)
    if len(set(request.system)) == 1:
        raise OutscoreError("--system names only one system.", "Name at least two, or leave it out.", parameter="system")
    rows, mirrored = sum(part.rows for part in parts), sum(part.mirrored for part in parts)
    mirror_notes(mirrored, systems[0], every=rows == mirrored)
    if not any(len(part.ordered.names) for part in parts):
        raise OutscoreError("No battle is left.", "Choose other systems or judges.", parameter="system")
    if all(part.sums is None for part in parts):
        raise OutscoreError("No battle has a verdict.", "Check the column of verdicts.", parameter="winner")


def _read_share(
    request: PreferRequest,
    files: Sequence[PartFile],
    buckets: int,
    check: int,
    systems: tuple[str, ...] | None,
    bucket: int,
) -> _Part | None:
    """Read one share and count it; `systems` are the chosen ones, in order, once they are known."""
    read = read_part(files, request.choice(), bucket, buckets, check)
    if read is None:
        return None
    given, places, sources = read
    apart = given.first != given.second
    battles, mirrored = without_mirrors(given)
    places, repeated = places[apart], repeated_in(battles, sources[apart])
    kept = np.ones(battles.rows, dtype=bool)
    if request.only_judge and battles.judges is not None:
        kept &= np.isin(battles.judges.codes, _codes(request.only_judge, battles.judges.names))
    if request.system:
        wanted = _codes(request.system, battles.systems)
        kept &= np.isin(battles.first, wanted) & np.isin(battles.second, wanted)
    chosen, places = battles.take(np.flatnonzero(kept)).compact(), places[kept]
    ordered = Known(chosen.systems, first_places(chosen, places))
    if systems is not None:
        chosen = _rename_systems(chosen, systems)
    sums = sums_of(chosen, places) if chosen.decided.any() else None
    judges = None if battles.judges is None else battles.judges.names
    return _Part(sums, ordered, given.systems, judges, mirrored, repeated, given.rows, given.notes)


def _codes(names: Sequence[str], known: Sequence[str]) -> list[int]:
    return [known.index(name) for name in names if name in known]


def _rename_systems(battles: Battles, systems: tuple[str, ...]) -> Battles:
    """The same battles with the codes of all systems."""
    codes: Array = np.array([systems.index(name) for name in battles.systems], dtype=np.int64)
    return replace(battles, systems=systems, first=codes[battles.first], second=codes[battles.second])

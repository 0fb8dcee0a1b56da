"""Leaderboards in Parquet partitions, of any size: every share of the files becomes sums, and only the sums come together.

A share is a few files, or, of a file too large for one worker, the items in one bucket of their hashes. Shares are disjoint in
items as long as an item's rows stand in one file. Where they do not, which the items' hashes tell, the shares are buckets of
items over all files: correct, but every file is read once for each bucket.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from outscore.engine import Engine, Progress, Serial, Steps, opened
from outscore.errors import OutscoreError
from outscore.formats.columns import nearest
from outscore.formats.long_rows import LongColumns, LongFile, fingerprint, hash_check, long_columns
from outscore.formats.partition_files import Paths, long_files, partition_paths
from outscore.formats.table import Choice
from outscore.inference.pair_moments import PairMoments, total_of
from outscore.inference.pair_table import Measured
from outscore.inference.system_rows import baseline_of
from outscore.procedure.partition_task import Part, Reading, Share, joined, part_of
from outscore.procedure.partition_tests import Asked, measured_of
from outscore.procedure.rank_assembly import assembled
from outscore.procedure.rank_families import check_family
from outscore.rankings import Ranking
from outscore.scores.board import ONE_ITEM

__all__ = ["Partitioned", "measured_from_partitions", "rank_partitions"]

ROWS = 1 << 22
"""Rows read at a time, which with all that is made of them take about half a gigabyte."""
LEAST_SHARES = 16
HELD = 1 << 30
"""Bytes of tables that come together at a time, beyond those of `LEAST_SHARES` shares."""


@dataclass(frozen=True, eq=False)
class Partitioned:
    """What partitions hold, measured: an entry for each dataset, and behind several of them their macro average.

    `duplicates` are rows that stated an item again, `conflicts` items whose rows contradicted each other.
    """

    measured: list[Measured]
    duplicates: int
    conflicts: int
    columns: LongColumns
    files: tuple[LongFile, ...]
    notes: tuple[str, ...]

    def ranking(
        self,
        *,
        correction: str = "holm",
        baseline: str | None = None,
        alpha: float = 0.05,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
    ) -> Ranking:
        """The ranking that these measurements make."""
        found = assembled(
            self.measured,
            correction=correction,
            baseline=baseline,
            alpha=alpha,
            seed=seed,
            settings=settings,
            notes=self.notes,
        )
        return replace(found, coverage=replace(found.coverage, duplicates=self.duplicates, conflicts=self.conflicts))


@dataclass(frozen=True, eq=False)
class _Summed:
    """All parts together: the moments of each dataset over all systems, and the shares they were read from."""

    whole: Part
    moments: dict[str, PairMoments]
    shares: list[Share]
    notes: tuple[str, ...]


def measured_from_partitions(
    paths: Paths,
    *,
    choice: Choice | None = None,
    test: str = "permutation",
    options: Mapping[str, object] | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
    engine: Engine | None = None,
    progress: Progress | None = None,
    seed: int = 0,
) -> Partitioned:
    """Mean scores and tests of all pairs, from long Parquet files.

    Parameters
    ----------
    paths
        A folder, a pattern, a file, or several of them.
    choice
        Which columns serve as what, where their names do not tell, and which systems are wanted.
    test, options
        ``"permutation"``: exact for right-or-wrong items, by `resamples` shared sign flips for other scores, which must then be
        complete. ``"mcnemar"``: the same, for right-or-wrong items only. ``"student"``: from the moments, for any scores.
    baseline
        Compare all systems with this one only.
    engine
        Who reads and counts. The result does not depend on it.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> new, old = [1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 1]
    >>> table = pl.DataFrame({"item": [*range(7)] * 2, "system": ["new"] * 7 + ["old"] * 7, "score": new + old})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.write_parquet(f"{folder}/part-0.parquet")
    ...     (found,) = measured_from_partitions(folder).measured
    >>> found.systems, found.pairs.p.round(6).tolist()
    (('new', 'old'), [0.125])
    """
    asked = Asked.of(test, options, alpha, seed)
    choice, steps = choice or Choice(), progress or Steps()
    files = long_files(partition_paths(paths))
    columns = long_columns(files[0], choice)
    with opened(engine or Serial()) as running:
        reading = Reading(columns, choice.systems, hash_check())
        summed = _summed(files, reading, running, steps)
        _check_systems(summed.whole.systems, choice.systems, baseline, files)
        measured = measured_of(summed.moments, reading, summed.shares, asked, baseline, running, steps)
    return Partitioned(measured, summed.whole.duplicates, summed.whole.conflicts, columns, files, summed.notes)


def rank_partitions(
    paths: Paths,
    *,
    choice: Choice | None = None,
    test: str = "permutation",
    options: Mapping[str, object] | None = None,
    correction: str = "holm",
    baseline: str | None = None,
    alpha: float = 0.05,
    engine: Engine | None = None,
    progress: Progress | None = None,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> Ranking:
    """Rank the systems of long Parquet files: `measured_from_partitions`, and then as `rank` does.

    Call `measured_from_partitions` and its `ranking` where the pairs themselves are wanted.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> table = pl.DataFrame({"item": [*range(7)] * 2, "system": ["new"] * 7 + ["old"] * 7, "score": [1] * 7 + [0] * 7})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.write_parquet(f"{folder}/part-0.parquet")
    ...     rank_partitions(folder).groups
    [['new'], ['old']]
    """
    check_family(correction, baseline)
    found = measured_from_partitions(
        paths,
        choice=choice,
        test=test,
        options=options,
        baseline=baseline,
        alpha=alpha,
        engine=engine,
        progress=progress,
        seed=seed,
    )
    return found.ranking(correction=correction, baseline=baseline, alpha=alpha, seed=seed, settings=settings)


def _summed(files: tuple[LongFile, ...], reading: Reading, engine: Engine, progress: Progress) -> _Summed:
    """Read all shares, and read them otherwise where items turn out to be torn apart."""
    shares = _shares(files)
    notes: list[str] = []
    whole = None if _first_two_overlap(shares, reading) else _read(shares, reading, engine, progress)
    if whole is None or whole.torn:
        buckets = -(-sum(file.rows for file in files) // ROWS)
        shares = [Share(files, bucket, buckets) for bucket in range(buckets)]
        whole = _read(shares, reading, engine, progress)
        notes.append(
            f"Items have rows in several files, so each of the {len(files):,} files was read {buckets:,} times. Write all"
            " rows of an item into the same file to read each file once."
        )
    moments = {name: total_of([whole.moments[name]], whole.systems) for name in whole.datasets}
    return _Summed(whole, moments, shares, (*notes, *_notes(whole)))


def _read(shares: Sequence[Share], reading: Reading, engine: Engine, progress: Progress) -> Part:
    """All shares as one part, or as much as it takes to see that items are torn; so many at a time as memory can hold."""
    progress.begin("reading partitions", len(shares))
    whole: list[Part] = []
    start, count = 0, LEAST_SHARES
    while start < len(shares) and not any(part.torn for part in whole):
        parts = engine.map(partial(part_of, reading), shares[start : start + count], progress=progress)
        start, count = start + count, max(LEAST_SHARES, HELD // max(1, *(part.size for part in parts)))
        whole = [joined([*whole, *parts])]
    return whole[0]


def _shares(files: Sequence[LongFile]) -> list[Share]:
    """Files one after the other, up to so many rows; a larger file in buckets."""
    shares: list[Share] = []
    group: list[LongFile] = []
    for file in files:
        if group and sum(other.rows for other in group) + file.rows > ROWS:
            shares.append(Share(tuple(group)))
            group = []
        if file.rows > ROWS:
            buckets = -(-file.rows // ROWS)
            shares += [Share((file,), bucket, buckets) for bucket in range(buckets)]
        else:
            group.append(file)
    return [*shares, Share(tuple(group))] if group else shares


def _first_two_overlap(shares: Sequence[Share], reading: Reading) -> bool:
    """Whether the first files already share items: a file for each system does so, and is not worth reading in vain."""
    groups = list(dict.fromkeys(share.files for share in shares))[:2]
    if len(groups) < 2:
        return False
    first, second = (fingerprint(files, reading.columns) for files in groups)
    return len(np.intersect1d(first, second, assume_unique=True)) > 0


def _check_systems(systems: Sequence[str], wanted: Sequence[str], baseline: str | None, files: Sequence[LongFile]) -> None:
    where = files[0].label if len(files) == 1 else f"None of the {len(files):,} files"
    for name in wanted:
        if name not in systems:
            hint = nearest(name, systems) if systems else "Check the spelling."
            raise OutscoreError(f"{where} has {'no' if len(files) == 1 else 'a'} system `{name}`.", hint)
    baseline_of(systems, baseline)
    if len(systems) < 2:
        raise OutscoreError(f"Only `{systems[0]}` was found: there is nothing to rank.", "Give at least two systems.")


def _notes(whole: Part) -> list[str]:
    notes = [ONE_ITEM] if len(whole.keys) == 1 else []
    if whole.conflicts:
        several = "item has" if whole.conflicts == 1 else "items of a system have"
        notes.append(f"{whole.conflicts:,} {several} rows that contradict each other; they were averaged.")
    if whole.unequal:
        notes.append(
            f"On {whole.unequal:,} of {len(whole.keys):,} items systems were run unequally often: item means are compared."
            " Swapping systems needs equally many runs of both, so the permutation test is not valid there; prefer the test"
            " `student`."
        )
    return notes

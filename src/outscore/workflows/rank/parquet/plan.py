"""Leaderboards in Parquet partitions, of any size: every share of the files becomes sums, and only the sums are combined.

A share is a few files or, for a file too large for one worker, the items in one bucket of their hashes. Shares are disjoint in
items as long as all rows of an item are in one file. If not, which the hashes of the items reveal, the shares are buckets of
items over all files: correct, but every file is read once for each bucket.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.engine.engines import Engine, Serial, open_engine
from outscore.engine.progress import Progress, Steps
from outscore.formats.base.entry import Choice
from outscore.formats.tables.columns import suggest_name
from outscore.formats.tables.long_rows import LongColumns, LongFile, fingerprint, hash_check, long_columns
from outscore.formats.tables.partitions import Paths, long_files, partition_paths
from outscore.inference.pairwise.moments import PairMoments, total_of
from outscore.inference.pairwise.systems import baseline_of
from outscore.inference.pairwise.table import Measured
from outscore.results.note import Note
from outscore.results.ranking import Ranking
from outscore.scores.board import filling_notes
from outscore.workflows.rank.assemble import assemble_ranking, with_duplicates
from outscore.workflows.rank.parquet.task import Part, Reading, Share, merged, part_of
from outscore.workflows.rank.parquet.tests import MomentTest, measured_of
from outscore.workflows.rank.question import USUAL, Question
from outscore.workflows.reading import Directed, directed
from outscore.workflows.requests.shared import DIRECTION

__all__ = ["Partitioned", "measured_from_partitions"]

ROWS = 1 << 22
"""Rows read at a time, which take about half a gigabyte with everything computed from them."""
MIN_SHARES = 16
HELD = 1 << 30
"""Bytes of tables held at a time, beyond those of `MIN_SHARES` shares."""


@dataclass(frozen=True, eq=False)
class Partitioned:
    """Measurements of partitions: an entry for each dataset, followed by their macro average if there are several.

    `duplicates` counts rows that repeat an item, `conflicts` items whose rows contradict each other.
    """

    question: Question
    measured: list[Measured]
    duplicates: int
    conflicts: int
    columns: LongColumns
    files: tuple[LongFile, ...]
    notes: tuple[Note, ...]
    better: Directed

    def ranking(self, settings: Mapping[str, Any] | None = None) -> Ranking:
        """The ranking of these measurements; `settings` go into it as they are."""
        ranking = assemble_ranking(self.measured, self.question, settings=settings, notes=self.notes)
        return with_duplicates(ranking, self.duplicates, self.conflicts)


@dataclass(frozen=True, eq=False)
class _Summed:
    """All parts together: the moments of each dataset over all systems, and the shares they were read from."""

    whole: Part
    moments: dict[str, PairMoments]
    shares: list[Share]
    notes: tuple[Note, ...]


def measured_from_partitions(
    paths: Paths,
    question: Question = USUAL,
    *,
    choice: Choice | None = None,
    direction: str = DIRECTION.default,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Partitioned:
    """Mean scores and tests of all pairs, from long Parquet files.

    Parameters
    ----------
    paths
        A folder, a pattern, a file, or several of them.
    question
        Its test is ``"permutation"``: exact for right-or-wrong items, by `resamples` shared sign flips for other scores, which
        must then be complete; ``"mcnemar"``: the same, for right-or-wrong items only; or ``"student"``: from the moments, for
        any scores.
    choice
        The roles of columns whose names do not reveal them, and which systems are wanted.
    direction
        Which scores are better: ``"higher"``, ``"lower"``, or ``"auto"`` to go by the name of their column.
    engine
        Who reads and counts. The result does not depend on it.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> new, old = [1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 1]
    >>> table = pl.DataFrame({"item": [*range(7)] * 2, "system": ["new"] * 7 + ["old"] * 7, "score": new + old})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.write_parquet(f"{folder}/part-0.parquet")
    ...     found = measured_from_partitions(folder)
    >>> found.measured[0].pairs.p.round(6).tolist(), found.ranking().groups
    ([0.125], [['new', 'old']])
    """
    moment_test = MomentTest.of(question)
    choice, steps = choice or Choice(), progress or Steps()
    files = long_files(partition_paths(paths))
    columns = long_columns(files[0], choice)
    better = directed("mean", direction, [columns.score])
    moment_test = replace(moment_test, higher_is_better=better.better == "higher")
    with open_engine(engine or Serial()) as running:
        reading = Reading(columns, choice.systems, hash_check())
        summed = _add_up(files, reading, running, steps)
        _check_systems(summed.whole.systems, choice.systems, question.baseline, files)
        measured = measured_of(summed.moments, reading, summed.shares, moment_test, running, steps)
    notes = (*better.notes, *summed.notes)
    return Partitioned(question, measured, summed.whole.duplicates, summed.whole.conflicts, columns, files, notes, better)


def _add_up(files: tuple[LongFile, ...], reading: Reading, engine: Engine, progress: Progress) -> _Summed:
    """Read all shares, and read them again in buckets if items turn out to be split between files."""
    shares = _shares(files)
    notes: list[Note] = []
    whole = None if _first_two_overlap(shares, reading) else _read(shares, reading, engine, progress)
    if whole is None or whole.torn:
        buckets = -(-sum(file.rows for file in files) // ROWS)
        shares = [Share(files, bucket, buckets) for bucket in range(buckets)]
        whole = _read(shares, reading, engine, progress)
        text = (
            f"Items have rows in several files, so each of the {len(files):,} files was read {buckets:,} times. Write all"
            " rows of an item into the same file to read each file once."
        )
        notes.append(Note("input", text))
    moments = {name: total_of([whole.moments[name]], whole.systems) for name in whole.datasets}
    notes += filling_notes(len(whole.keys), whole.conflicts, whole.unequal)
    return _Summed(whole, moments, shares, tuple(notes))


def _read(shares: Sequence[Share], reading: Reading, engine: Engine, progress: Progress) -> Part:
    """All shares as one part, or enough of them to see that items are split; as many at a time as memory can hold."""
    progress.begin("reading partitions", len(shares))
    whole: list[Part] = []
    start, count = 0, MIN_SHARES
    while start < len(shares) and not any(part.torn for part in whole):
        parts = engine.map(partial(part_of, reading), shares[start : start + count], progress=progress)
        start, count = start + count, max(MIN_SHARES, HELD // max(1, *(part.size for part in parts)))
        whole = [merged([*whole, *parts])]
    return whole[0]


def _shares(files: Sequence[LongFile]) -> list[Share]:
    """Files grouped up to `ROWS` rows; a larger file in buckets."""
    shares: list[Share] = []
    group: list[LongFile] = []
    for file in files:
        if group and sum(earlier.rows for earlier in group) + file.rows > ROWS:
            shares.append(Share(tuple(group)))
            group = []
        if file.rows > ROWS:
            buckets = -(-file.rows // ROWS)
            shares += [Share((file,), bucket, buckets) for bucket in range(buckets)]
        else:
            group.append(file)
    return [*shares, Share(tuple(group))] if group else shares


def _first_two_overlap(shares: Sequence[Share], reading: Reading) -> bool:
    """Whether the first files already share items, as files of one system each do: reading all shares would be in vain."""
    groups = list(dict.fromkeys(share.files for share in shares))[:2]
    if len(groups) < 2:
        return False
    first, second = (fingerprint(files, reading.columns) for files in groups)
    return len(np.intersect1d(first, second, assume_unique=True)) > 0


def _check_systems(systems: Sequence[str], wanted: Sequence[str], baseline: str | None, files: Sequence[LongFile]) -> None:
    where = files[0].label if len(files) == 1 else f"None of the {len(files):,} files"
    for name in wanted:
        if name not in systems:
            hint = suggest_name(name, systems) if systems else "Check the spelling."
            raise OutscoreError(f"{where} has {'no' if len(files) == 1 else 'a'} system `{name}`.", hint)
    baseline_of(systems, baseline)
    if len(systems) < 2:
        raise OutscoreError(f"Only `{systems[0]}` was found: there is nothing to rank.", "Give at least two systems.")

"""Leaderboards in Parquet partitions, of any size: every share of the files becomes sums, and only the sums are combined."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, pairwise
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.engine.engines import SERIAL, Engine, open_engine
from outscore.engine.progress import Progress
from outscore.formats.base.entry import Choice
from outscore.formats.tables.measures import counts_errors
from outscore.formats.tables.names import suggest_name
from outscore.formats.tables.parquet import (
    LongColumns,
    LongFile,
    LongRows,
    Paths,
    fingerprint,
    hash_check,
    long_columns,
    long_files,
    long_rows,
    partition_paths,
)
from outscore.inference.base.question import checked_resamples
from outscore.inference.pairwise.macro import macro_from_counts, macro_measured, macro_notes, macro_request
from outscore.inference.pairwise.moments import (
    NO_INTERVALS,
    TANGO,
    PairMoments,
    binary_pairs,
    fixed_shift,
    flipped_totals,
    macro_student,
    moments_of,
    sampled_pairs,
    student_pairs,
    system_scores,
    total_of,
)
from outscore.inference.pairwise.per_pair import STUDENT
from outscore.inference.pairwise.table import KINDS, Measured, baseline_of, pairs_of
from outscore.language.numbers import count
from outscore.results.design import Reading
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS, Ranking
from outscore.scores.align import settle
from outscore.scores.panel import Panel, filling_notes
from outscore.scores.system import Labels, Scores
from outscore.workflows.question import USUAL, Question
from outscore.workflows.rank.assemble import assemble_ranking
from outscore.workflows.rank.measure import measure
from outscore.workflows.rank.standings import families
from outscore.workflows.reading import MetricDirection, resolve_direction
from outscore.workflows.requests.shared import DIRECTION

# One share of a leaderboard in partitions: some files, or some items of all files, become the moments of their pairs.
#
# This is what is sent to a worker, and what it sends back: a few tables for each dataset, however many rows there were.


CELLS = 1 << 22
"""Cells of a table of systems by items that are filled at a time."""
ONE = "(all)"
"""The name of the dataset if there is no column of datasets."""


@dataclass(frozen=True)
class Share:
    """Files whose rows are read together; if there are several buckets, only the items in one of them."""

    files: tuple[LongFile, ...]
    bucket: int = 0
    buckets: int = 1


ReadShare = Callable[[Share], LongRows]
"""Reads the rows of a share, in any process."""


@dataclass(frozen=True, eq=False)
class Part:
    """What was computed from a share.

    `firsts` is the first row of each dataset's systems, so that their order can be that of one long file. `keys` are the
    sorted hashes of the items: an item in two shares was split, and then the moments are wrong.
    """

    moments: Mapping[str, PairMoments]
    firsts: Mapping[str, Mapping[str, int]]
    keys: Array
    rows: int
    duplicates: int
    conflicts: int
    unequal: int
    torn: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems, in the order of their first rows."""
        first: dict[str, int] = {}
        for rows in self.firsts.values():
            for system, row in rows.items():
                first[system] = min(row, first.get(system, row))
        return tuple(sorted(first, key=lambda system: first[system]))

    @property
    def datasets(self) -> tuple[str, ...]:
        """All datasets, in the order in which the first system has them, then those that only the second has, and so on."""
        place = {system: i for i, system in enumerate(self.systems)}
        first = {name: min((place[system], row) for system, row in rows.items()) for name, rows in self.firsts.items()}
        return tuple(sorted(first, key=lambda name: first[name]))

    @property
    def size(self) -> int:
        """Bytes of its tables."""
        return sum(moments.count.nbytes + moments.own.nbytes + moments.squares.nbytes for moments in self.moments.values())


Block = tuple[str, Array, Array, Array]
"""Some items of one dataset: its name, codes of the items, and tables of systems by items of scores and numbers of runs."""


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows sorted by item, one for each item and system. Items are numbered consecutively, dataset by dataset.

    `label` and `dataset` are codes of each item, `runs` is the number of repeats behind each row.
    """

    item: Array
    system: Array
    values: Array
    runs: Array
    label: Array
    dataset: Array
    duplicates: int
    conflicts: int


def part_of(read: ReadShare, share: Share) -> Part:
    """The moments of a share's datasets, over the systems it knows."""
    rows = read(share)
    cells = _cells(rows)
    parts: dict[str, list[PairMoments]] = {}
    unequal = 0
    for dataset, _, values, runs in _blocks(rows, cells):
        there = np.asarray(runs.any(axis=1))
        names = list(compress(rows.systems.names, there))
        parts.setdefault(dataset, []).append(moments_of(names, values[there], runs[there] > 0))
        unequal += int(((runs > 0) & (runs != runs.max(axis=0))).any(axis=0).sum())
    return Part(
        moments={name: total_of(moments) for name, moments in parts.items()},
        firsts=_firsts(rows),
        keys=np.unique(rows.keys),
        rows=len(rows),
        duplicates=cells.duplicates,
        conflicts=cells.conflicts,
        unequal=unequal,
    )


def panels_of_share(
    read: ReadShare, share: Share, metric: str | AdditiveMetric, systems: tuple[str, ...], datasets: Sequence[str]
) -> list[Panel]:
    """All rows of a share as tables of systems by items, one for each dataset."""
    rows = read(share)
    places = [rows.systems.names.index(name) for name in systems]
    tables: dict[str, list[tuple[Array, Array]]] = {name: [] for name in datasets}
    for dataset, _, scores, runs in _blocks(rows, _cells(rows)):
        tables[dataset].append((scores, runs > 0))
    panels = []
    for name, parts in tables.items():
        values, present = (np.concatenate(side, axis=1)[places] for side in zip(*parts, strict=True))
        panels.append(Panel.of(metric, systems, values, present, dataset=None if name == ONE else name))
    return panels


def merged(parts: Sequence[Part]) -> Part:
    """Several parts as one."""
    firsts: dict[str, dict[str, int]] = {}
    for part in parts:
        for name, rows in part.firsts.items():
            known = firsts.setdefault(name, {})
            known |= {system: min(row, known.get(system, row)) for system, row in rows.items()}
    keys = np.sort(np.concatenate([part.keys for part in parts]))
    return Part(
        moments={name: total_of([part.moments[name] for part in parts if name in part.moments]) for name in firsts},
        firsts=firsts,
        keys=keys,
        rows=sum(part.rows for part in parts),
        duplicates=sum(part.duplicates for part in parts),
        conflicts=sum(part.conflicts for part in parts),
        unequal=sum(part.unequal for part in parts),
        torn=any(part.torn for part in parts) or bool((keys[1:] == keys[:-1]).any()),
    )


def flips_of_shares(
    read: ReadShare, systems: tuple[str, ...], shifts: Mapping[str, int], resamples: int, seed: int, shares: Sequence[Share]
) -> dict[str, Array]:
    """The flipped totals of some shares together (`flipped_totals`), for each dataset of which the shift is given."""
    place = {name: i for i, name in enumerate(systems)}
    totals: dict[str, Array] = {}
    for share in shares:
        rows = read(share)
        columns = [place[name] for name in rows.systems.names]
        for dataset, items, values, _ in _blocks(rows, _cells(rows)):
            if dataset not in shifts:
                continue
            whole = np.rint(np.ldexp(values, shifts[dataset]))
            keys = [_key(dataset, rows.items.names[code]) for code in items.tolist()]
            sums = totals.setdefault(dataset, np.zeros((1 + resamples, len(place)), dtype=np.int64))
            sums[:, columns] += flipped_totals(whole, keys, resamples=resamples, seed=seed)
    return totals


def _rows(columns: LongColumns, systems: tuple[str, ...], check: int, share: Share) -> LongRows:
    """The rows of a share; `check` is the hash of a known word, as the driver's polars computes it."""
    if hash_check() != check:
        raise OutscoreError(
            "A worker has a different version of polars from this process, which hashes items differently.",
            "Install the same versions everywhere.",
        )
    return long_rows(share.files, columns, systems=systems, bucket=share.bucket, buckets=share.buckets)


def _cells(rows: LongRows) -> _Cells:
    """One row for each item and system: equal rows once, contradicting ones averaged, then repeats averaged."""
    item, label, dataset = _items(rows)
    k = max(1, len(rows.systems.names))
    cell = item * k + rows.systems.codes
    once, duplicates, conflicts = settle(Scores("", rows.values, Labels(cell, ()), rows.repeats), "mean")
    cell, values = once.item_ids.codes, once.values
    order = np.argsort(cell, kind="stable")
    cell, values = cell[order], values[order]
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    runs = np.diff(starts, append=len(cell))
    if len(starts) < len(cell):
        values = np.bincount(np.repeat(np.arange(len(starts)), runs), weights=values) / runs
    cell = cell[starts]
    return _Cells(cell // k, cell % k, values, runs, label, dataset, duplicates, conflicts)


def _items(rows: LongRows) -> tuple[Array, Array, Array]:
    """The index of each row's item, and the label and dataset of each index; one label in two datasets means two items."""
    names = len(rows.items.names)
    if rows.datasets is None:
        return rows.items.codes, np.arange(names), np.zeros(names, dtype=np.int64)
    known, item = np.unique(rows.datasets.codes * names + rows.items.codes, return_inverse=True)
    return item, known % max(1, names), known // max(1, names)


def _blocks(rows: LongRows, cells: _Cells) -> Iterator[Block]:
    """Tables of a few items each, with 0 runs where a system lacks one; no table spans two datasets."""
    k = len(rows.systems.names)
    names: Sequence[str] = (ONE,) if rows.datasets is None else rows.datasets.names
    bounds = [*np.flatnonzero(np.diff(cells.dataset, prepend=-1)).tolist(), len(cells.dataset)]
    step = max(1, CELLS // max(1, k))
    for first, last in pairwise(bounds):
        for start in range(first, last, step):
            stop = min(start + step, last)
            low, high = np.searchsorted(cells.item, [start, stop])
            place = (cells.system[low:high], cells.item[low:high] - start)
            runs = np.zeros((k, stop - start), dtype=np.int64)
            values = np.zeros(runs.shape)
            runs[place], values[place] = cells.runs[low:high], cells.values[low:high]
            yield names[int(cells.dataset[start])], cells.label[start:stop], values, runs


def _firsts(rows: LongRows) -> dict[str, dict[str, int]]:
    """The first row of each system on each dataset; a bucket may be empty."""
    if not len(rows):
        return {}
    systems, datasets = rows.systems.names, (ONE,) if rows.datasets is None else rows.datasets.names
    place = rows.systems.codes if rows.datasets is None else rows.datasets.codes * len(systems) + rows.systems.codes
    never = np.iinfo(np.int64).max
    first = np.full(len(datasets) * len(systems), never)
    np.minimum.at(first, place, rows.row)
    return {
        name: {system: row for system, row in zip(systems, rows_of_systems, strict=True) if row != never}
        for name, rows_of_systems in zip(datasets, first.reshape(len(datasets), len(systems)).tolist(), strict=True)
    }


def _key(dataset: str, item: str) -> int:
    """64 bits that identify an item in every run and on every machine."""
    return int.from_bytes(hashlib.blake2b(f"{dataset}\0{item}".encode(), digest_size=8).digest(), "little")


# Leaderboards in Parquet partitions, of any size: every share of the files becomes sums, and only the sums are combined.
#
# A share is a few files or, for a file too large for one worker, the items in one bucket of their hashes. Shares are
# disjoint in items as long as all rows of an item are in one file. If not, which the hashes of the items reveal, the shares
# are buckets of items over all files: correct, but every file is read once for each bucket.
#
# From the summed moments come the measured datasets: which test works depends on the scores, and if signs must be flipped,
# there is a second pass over the files.


ROWS = 1 << 22
"""Rows read at a time, which with all that is made of them take about half a gigabyte."""
WHOLE = ROWS
"""Rows up to which all are kept where sums do not tell enough, and tested like those of any other table."""
MIN_SHARES = 16
HELD = 1 << 30
"""Bytes of tables that come together at a time, beyond those of `MIN_SHARES` shares."""
SERVED = ("permutation", "mcnemar", "student")
METRIC = "mean"
FLIP_TASKS = 8
"""Tasks of the second pass: each sends back totals of all resamples, which are larger than moments."""
FLIP_BYTES = 1 << 30
"""Bytes of totals of all tasks held at a time; if they need more, some datasets wait for another pass."""


@dataclass(frozen=True, eq=False)
class Partitioned:
    """What partitions hold, measured: an entry for each dataset, and behind several of them their macro average.

    `duplicates` are rows that stated an item again, `conflicts` items whose rows contradicted each other.
    """

    question: Question
    measured: list[Measured]
    duplicates: int
    conflicts: int
    columns: LongColumns
    unused: tuple[str, ...]
    files: tuple[LongFile, ...]
    notes: tuple[Note, ...]
    better: MetricDirection

    def ranking(
        self, settings: Mapping[str, Any] | None = None, reading: Reading | None = None, notes: Sequence[Note] = ()
    ) -> Ranking:
        """The ranking of these measurements; `settings` and `reading` go into it as they are, `notes` behind its own."""
        found = families(self.measured, self.question)
        return assemble_ranking(
            found,
            found.standings(),
            repeated=(self.duplicates, self.conflicts),
            settings=dict(settings or {}),
            reading=reading,
            notes=[*self.notes, *notes],
        )


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
        Which scores are better: ``"higher"``, ``"lower"``, or ``"auto"`` to go by the name of their column, and by their signs.
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
    _check_sums(question)
    choice, steps = choice or Choice(), progress or Progress()
    files = long_files(partition_paths(paths))
    columns, unused = long_columns(files[0], choice)
    if not counts_errors(columns["score"]):
        # What the scores cannot change is refused before hours of reading.
        resolve_direction(METRIC, direction, [columns["score"]], scores=None)
    with open_engine(engine or SERIAL) as running:
        read = partial(_rows, columns, choice.systems, hash_check())
        whole, shares, notes = _add_up(files, columns, read, running, steps)
        _check_systems(whole.systems, choice.systems, question.baseline, files)
        extremes = [(moments.least, moments.largest) for moments in whole.moments.values()]
        better = resolve_direction(METRIC, direction, [columns["score"]], scores=extremes)
        if _fits(whole, question, columns):
            panels = panels_of_share(read, Share(files), better.metric, whole.systems, whole.datasets)
            measured = measure(panels, question, engine=running, progress=steps)
        else:
            higher = better.better == "higher"
            measured = measured_of(whole.moments, shares, read, question, running, steps, higher_is_better=higher)
    told = (*better.notes, *notes)
    return Partitioned(question, measured, whole.duplicates, whole.conflicts, columns, unused, files, told, better)


def _fits(whole: Part, asked: Question, columns: LongColumns) -> bool:
    """Whether scores that sums tell too little about are few enough to be read as one table, whose numbers they then get.

    Sums cannot swap scores that are not just right or wrong, nor invert the test of the macro average of a single pair.
    """
    graded = any(moments.worth is None for moments in whole.moments.values())
    one_macro = len(whole.moments) > 1 and len(whole.systems) == 2
    wanted = (asked.test == "permutation" and graded) or (asked.test != "student" and one_macro)
    return wanted and "repeat" not in columns and whole.rows <= WHOLE


def _add_up(
    files: tuple[LongFile, ...], columns: LongColumns, read: ReadShare, engine: Engine, progress: Progress
) -> tuple[Part, list[Share], list[Note]]:
    """All shares as one part, with the moments of each dataset over all systems; the shares are those it was read from.

    They are read again in buckets if items turn out to be split between files.
    """
    shares = _shares(files)
    notes: list[Note] = []
    whole = None if _first_two_overlap(shares, columns) else _read(shares, read, engine, progress)
    if whole is None or whole.torn:
        buckets = -(-sum(file.rows for file in files) // ROWS)
        shares = [Share(files, bucket, buckets) for bucket in range(buckets)]
        whole = _read(shares, read, engine, progress)
        text = (
            f"Items have rows in several files, so each of the {len(files):,} files was read {buckets:,} times. Write all"
            " rows of an item into the same file to read each file once."
        )
        notes.append(Note("input", text))
    moments = {name: total_of([whole.moments[name]], whole.systems) for name in whole.datasets}
    notes += filling_notes(len(whole.keys), whole.conflicts, whole.unequal)
    return replace(whole, moments=moments), shares, notes


def _read(shares: Sequence[Share], read: ReadShare, engine: Engine, progress: Progress) -> Part:
    """All shares as one part, or enough of them to see that items are split; as many at a time as memory can hold."""
    progress.begin("reading partitions", len(shares))
    whole: list[Part] = []
    start, count = 0, MIN_SHARES
    while start < len(shares) and not any(part.torn for part in whole):
        parts = engine.map(partial(part_of, read), shares[start : start + count], progress=progress)
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


def _first_two_overlap(shares: Sequence[Share], columns: LongColumns) -> bool:
    """Whether the first files already share items, as files of one system each do: reading all shares would be in vain."""
    groups = list(dict.fromkeys(share.files for share in shares))[:2]
    if len(groups) < 2:
        return False
    first, second = (fingerprint(files, columns) for files in groups)
    return len(np.intersect1d(first, second, assume_unique=True)) > 0


def _check_systems(systems: Sequence[str], wanted: Sequence[str], baseline: str | None, files: Sequence[LongFile]) -> None:
    where = files[0].label if len(files) == 1 else f"None of the {len(files):,} files"
    for name in wanted:
        if name not in systems:
            hint = suggest_name(name, systems) if systems else "Check the spelling."
            raise OutscoreError(f"{where} has {'no' if len(files) == 1 else 'a'} system `{name}`.", hint)
    baseline_of(systems, baseline)
    if len(systems) < 2:
        raise OutscoreError(f"Only `{systems[0]}` was found, so there is nothing to rank.", "Give at least two systems.")


def _check_sums(question: Question) -> None:
    """Refuse questions that sums cannot answer."""
    question.check_ranking()
    known = question.of_test.options
    if question.test not in SERVED:
        raise OutscoreError(
            f"`{question.test}` needs all items at once, but partitions only give sums.",
            f"Choose one of {', '.join(SERVED)}, or rank the rows as one table.",
        )
    for name, given in (("unit_size", question.unit_size > 1), ("critical_difference", question.critical_difference)):
        if given:
            raise OutscoreError(f"`{name}` needs all items at once, but partitions only give sums.", "Leave it out.")
    if known.get("method", "auto") != "auto" or known.get("variant", "exact") != "exact":
        raise OutscoreError(
            "For partitions, the method is fixed: exact for right-or-wrong items, sign flips for other scores.",
            "Leave the test's `method` and `variant` out.",
        )
    _resamples(question)


def _resamples(question: Question) -> int:
    """How many swaps are drawn, by a test that may draw any."""
    options = question.of_test.options
    return checked_resamples(int(str(options["resamples"]))) if "resamples" in options else 0


def measured_of(
    moments: Mapping[str, PairMoments],
    shares: Sequence[Share],
    read: ReadShare,
    asked: Question,
    engine: Engine,
    progress: Progress,
    *,
    higher_is_better: bool,
) -> list[Measured]:
    """Every dataset measured by the requested test."""
    for dataset, moments_of_dataset in moments.items():
        _refuse_unserved(dataset, moments_of_dataset, asked)
    flipped = {
        name: moments_of_dataset
        for name, moments_of_dataset in moments.items()
        if asked.test == "permutation" and moments_of_dataset.worth is None
    }
    totals = _flipped_totals(flipped, read, shares, asked, engine, progress) if flipped else {}
    systems = next(iter(moments.values())).systems
    left, right = pairs_of(len(systems), None if asked.baseline is None else systems.index(asked.baseline))
    intervals = len(left) * len(moments) <= MAX_PAIRS
    measured = [
        _measure(name, own, totals.get(name), asked, left, right, intervals=intervals, higher_is_better=higher_is_better)
        for name, own in moments.items()
    ]
    return [*measured, _macro(list(moments.values()), measured, asked)] if len(measured) > 1 else measured


def _refuse_unserved(dataset: str, moments: PairMoments, asked: Question) -> None:
    where = "" if dataset == ONE else f" on `{dataset}`"
    if moments.worth is not None or asked.test == "student":
        return
    if asked.test == "mcnemar":
        raise OutscoreError(
            f"`mcnemar` needs items that are right or wrong (1 or 0), but the scores{where} are not.",
            "Use `student`, or `permutation` if all systems have the same items.",
        )
    if not moments.complete:
        raise OutscoreError(
            f"Systems have different items{where}, and their scores are not just right or wrong; sums allow no permutation"
            " test.",
            "Choose the test `student`, or rank the rows as one table.",
        )


def _measure(
    dataset: str,
    moments: PairMoments,
    totals: Array | None,
    asked: Question,
    left: Array,
    right: Array,
    *,
    intervals: bool,
    higher_is_better: bool,
) -> Measured:
    notes: list[Note] = []
    if asked.test == "student":
        pairs, kernel, interval = student_pairs(moments, left, right, asked.alpha), "student-t", STUDENT
        still = int((np.isnan(pairs.low) & (pairs.n > 1) & (pairs.difference != 0)).sum())
        if still:
            those = count(still, "pair")
            text = f"The differences of {those} do not vary, so they have no t statistic, and their p is given as 1."
            notes.append(Note("data", text))
    elif totals is not None:
        pairs, interval = sampled_pairs(moments, left, right, totals, asked.alpha), STUDENT
        kernel = f"sign-flips:{_resamples(asked)}"
    else:
        pairs, kernel = binary_pairs(moments, left, right, asked.alpha, intervals=intervals), "binomial"
        interval = TANGO if intervals else NO_INTERVALS
    if not higher_is_better:
        pairs = replace(pairs, log_better=pairs.log_worse, log_worse=pairs.log_better)
    n = np.diagonal(moments.count)
    if dataset != ONE:
        absent = compress(moments.systems, (n == 0).tolist())
        notes += [Note("input", f"`{name}` has no item on `{dataset}`.") for name in absent]
    return Measured(
        dataset=None if dataset == ONE else dataset,
        metric=METRIC,
        higher_is_better=higher_is_better,
        systems=moments.systems,
        own=system_scores(moments, asked.alpha),
        n=n,
        items=moments.items,
        complete=moments.complete,
        pairs=pairs,
        test=asked.test,
        kernel=kernel,
        interval=interval,
        notes=notes,
    )


def _macro(moments: Sequence[PairMoments], measured: Sequence[Measured], asked: Question) -> Measured:
    """The macro average over datasets: by the same swaps for right-or-wrong items, by Student's t for other scores."""
    request = macro_request(asked.alpha, asked.seed, _resamples(asked))
    from_counts = macro_from_counts(measured, request) if asked.test != "student" else None
    if from_counts is not None:
        return macro_measured(measured, *from_counts, macro_notes(asked.test, from_counts[2]), alpha=asked.alpha)
    pairs = measured[0].pairs
    log_p = np.stack([macro_student(moments, pairs.left, pairs.right)] * 2)
    kind = np.full(len(pairs), KINDS.index("asymptotic"), dtype=np.int8)
    text = "The macro average over datasets is tested by Student's t, with the datasets' errors pooled."
    notes = [Note("method", text)]
    return macro_measured(measured, log_p, kind, "student-t", notes, alpha=asked.alpha, test="student")


def _flipped_totals(
    moments: Mapping[str, PairMoments],
    read: ReadShare,
    shares: Sequence[Share],
    asked: Question,
    engine: Engine,
    progress: Progress,
) -> dict[str, Array]:
    """Flipped totals of whole datasets: one more pass over the files, or several if memory is short."""
    systems, resamples = next(iter(moments.values())).systems, _resamples(asked)
    tasks = [list(shares[start::FLIP_TASKS]) for start in range(min(FLIP_TASKS, len(shares)))]
    at_once = max(1, FLIP_BYTES // (8 * (1 + resamples) * len(systems) * len(tasks)))
    names = list(moments)
    progress.begin("flipping coins", len(tasks) * -(-len(names) // at_once))
    totals: dict[str, Array] = {}
    for start in range(0, len(names), at_once):
        some = {name: moments[name] for name in names[start : start + at_once]}
        shifts = {name: fixed_shift(max(-own.least, own.largest), own.items) for name, own in some.items()}
        flip = partial(flips_of_shares, read, systems, shifts, resamples, asked.seed)
        for answer in engine.map(flip, tasks, progress=progress):
            for name, sums in answer.items():
                totals[name] = totals[name] + sums if name in totals else sums
    return totals

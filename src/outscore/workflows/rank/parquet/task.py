"""One share of a leaderboard in partitions: some files, or some items of all files, become the moments of their pairs.

This is what is sent to a worker, and what it sends back: a few tables for each dataset, however many rows there were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, pairwise

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.tables.long_rows import LongColumns, LongFile, LongRows, hash_check, long_rows
from outscore.inference.pairwise.moments import PairMoments, flipped_totals, moments_of, total_of
from outscore.scores.pairing import settle
from outscore.scores.panel import Panel
from outscore.scores.system import Labels, Scores

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


@dataclass(frozen=True)
class Reading:
    """What all shares have in common. `check` is the hash of a known word, as the driver's polars computes it."""

    columns: LongColumns
    systems: tuple[str, ...]
    check: int


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


@dataclass(frozen=True)
class Flipping:
    """Which datasets are to be flipped: the systems in order, and for each dataset the shift of its fixed point."""

    systems: tuple[str, ...]
    shifts: Mapping[str, int]
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class _Block:
    """Some items of one dataset, as a table of systems by items."""

    dataset: str
    items: Array
    values: Array
    present: Array


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


def part_of(reading: Reading, share: Share) -> Part:
    """The moments of a share's datasets, over the systems it knows."""
    rows = _rows(reading, share)
    cells = _cells(rows)
    parts: dict[str, list[PairMoments]] = {}
    unequal = 0
    for block, runs in _blocks(rows, cells):
        there = np.asarray(block.present.any(axis=1))
        names = list(compress(rows.systems.names, there))
        parts.setdefault(block.dataset, []).append(moments_of(names, block.values[there], block.present[there]))
        most = runs.max(axis=0)
        unequal += int((block.present & (runs != most)).any(axis=0).sum())
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
    reading: Reading, share: Share, metric: str | AdditiveMetric, systems: tuple[str, ...], datasets: Sequence[str]
) -> list[Panel]:
    """All rows of a share as tables of systems by items, one for each dataset."""
    rows = _rows(reading, share)
    places = [rows.systems.names.index(name) for name in systems]
    blocks: dict[str, list[_Block]] = {name: [] for name in datasets}
    for block, _ in _blocks(rows, _cells(rows)):
        blocks[block.dataset].append(block)
    return [
        Panel.of(
            metric,
            systems,
            np.concatenate([block.values for block in tables], axis=1)[places],
            np.concatenate([block.present for block in tables], axis=1)[places],
            dataset=None if name == ONE else name,
        )
        for name, tables in blocks.items()
    ]


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


def flips_of_shares(reading: Reading, flipping: Flipping, shares: Sequence[Share]) -> dict[str, Array]:
    """The flipped totals of some shares together (`pair_flips.flipped_totals`), for each dataset asked for."""
    place = {name: i for i, name in enumerate(flipping.systems)}
    totals: dict[str, Array] = {}
    for share in shares:
        rows = _rows(reading, share)
        columns = [place[name] for name in rows.systems.names]
        for block, _ in _blocks(rows, _cells(rows)):
            if block.dataset not in flipping.shifts:
                continue
            whole = np.rint(np.ldexp(block.values, flipping.shifts[block.dataset]))
            keys = [_key(block.dataset, rows.items.names[code]) for code in block.items.tolist()]
            sums = totals.setdefault(block.dataset, np.zeros((1 + flipping.resamples, len(place)), dtype=np.int64))
            sums[:, columns] += flipped_totals(whole, keys, resamples=flipping.resamples, seed=flipping.seed)
    return totals


def _rows(reading: Reading, share: Share) -> LongRows:
    if hash_check() != reading.check:
        raise OutscoreError(
            "A worker has a different version of polars from this process, which hashes items differently.",
            "Install the same versions everywhere.",
        )
    return long_rows(share.files, reading.columns, systems=reading.systems, bucket=share.bucket, buckets=share.buckets)


def _cells(rows: LongRows) -> _Cells:
    """One row for each item and system: equal rows once, contradicting ones averaged, then repeats averaged."""
    item, label, dataset = _items(rows)
    k = max(1, len(rows.systems.names))
    cell = item * k + rows.systems.codes
    once, duplicates, conflicts = settle(Scores("", rows.values, Labels(cell, ()), rows.repeats), "mean")
    assert once.ids is not None
    cell, values = once.ids.codes, once.values
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


def _blocks(rows: LongRows, cells: _Cells) -> Iterator[tuple[_Block, Array]]:
    """Tables of a few items each, with the number of runs behind each cell; no table spans two datasets."""
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
            dataset = names[int(cells.dataset[start])]
            yield _Block(dataset, cells.label[start:stop], values, runs > 0), runs


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

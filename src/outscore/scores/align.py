"""Systems on one list of items: rows that repeat one another are settled, and the item of every row is found.

It works on codes and counts throughout, so that millions of rows take a second or two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, NoReturn

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import Brief, count_of, dataclass
from outscore.core.rows import Runs, occurrences
from outscore.results.note import Note
from outscore.scores.system import Labels, Scores, combined, refuse_other_gold

# Several rows for the same item of a system: kept once if they agree, resolved by a rule if they do not.


MAX_CELLS = 1 << 31
"""A larger table of systems by items would take more than sixteen gigabytes."""
UNEQUAL_RUNS = (
    "Means of fewer runs spread more, so p is not exact: it is right for many items and may be too small for few (10 runs"
    " against 1, 15 nearly perfect items: level .19, and .20 for the t test)."
)
"""What unequal numbers of runs do to a test of item means."""

DuplicateRule = Literal["stop", "mean", "first", "last"]


def settle(scores: Scores, rule: DuplicateRule = "stop") -> tuple[Scores, int, int]:
    """One row per item and repeat; the number of rows dropped, and of items with contradicting rows.

    The first row keeps its position and labels. ``"mean"`` averages all contradicting rows, copies included.

    Examples
    --------
    >>> twice = Scores("new", np.array([1, 1, 0]), Labels.of(["q1", "q1", "q2"]))
    >>> once, duplicates, conflicts = settle(twice)
    >>> once.values.tolist(), duplicates, conflicts
    ([1, 0], 1, 0)
    """
    if scores.ids is None:
        return scores, 0, 0
    if not len(scores.ids) or int(np.bincount(scores.ids.codes).max()) == 1:
        return scores, 0, 0
    keys = combined(scores.ids, scores.datasets, scores.repeats)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    if len(starts) == len(keys):
        return scores, 0, 0
    sizes = np.diff(starts, append=len(keys))
    first = order[starts]
    table = scores.values.reshape(len(keys), -1)
    differs = (table[order] != np.repeat(table[first], sizes, axis=0)).any(axis=1)
    conflict = np.logical_or.reduceat(differs, starts)
    if conflict.any() and (rule == "stop" or (rule == "mean" and not scores.averages)):
        _refuse_conflict(scores, order, np.repeat(first, sizes), differs)
    values = scores.values
    if rule == "mean" and conflict.any():
        values = values.astype(np.float64)
        sums = np.add.reduceat(table[order].astype(np.float64), starts, axis=0) / sizes[:, None]
        values[first[conflict]] = sums[conflict].reshape(-1, *values.shape[1:])
    elif rule == "last":
        values = values.copy()
        values[first] = scores.values[order[starts + sizes - 1]]
    kept = np.sort(first)
    return replace(scores, values=values).take(kept), len(keys) - len(kept), int(conflict.sum())


def _refuse_conflict(scores: Scores, order: Array, first: Array, differs: Array) -> None:
    """Raise the error of the first row that contradicts an earlier one."""
    bad = np.flatnonzero(differs)
    where = bad[np.argmin(order[bad])]
    row, earlier = int(order[where]), int(first[where])
    run = "" if scores.repeats is None else f", repeat `{scores.repeats[row]}`"
    rules = "mean, first or last" if scores.averages else "first or last, since their mean has another score"
    hint = f"Choose --duplicates {rules}."
    if not run and scores.averages:
        hint = (
            "Choose --duplicates mean, first or last, name the column that tells repeats apart with --repeat, or write --item"
            " none if every row is an item of its own (and --cluster COLUMN if rows of one id belong together)."
        )
    apart = [name for name, labels in scores.slices.items() if labels[row] != labels[earlier]]
    if apart:
        hint = (
            f"If `{apart[0]}` tells items apart, both systems need it as --dataset {apart[0]}; otherwise choose"
            f" --duplicates {'mean' if scores.averages else 'first'}."
        )
    raise scores.row_error(
        row,
        f"{scores.place(row)}: `{scores.name}` has the score {_show(scores.values[row])} on item `{scores.item_ids[row]}`{run},"
        f" but {_show(scores.values[earlier])} on {scores.position(earlier)}.",
        hint,
        parameter="duplicates",
    )


def _show(value: Array) -> str:
    return ", ".join(f"{x:.12g}" for x in np.atleast_1d(value).tolist())


def repeated_notes(duplicates: int, conflicts: int) -> list[Note]:
    """A note about rows that repeat an item with the same score; contradictions are reported elsewhere."""
    if not duplicates or conflicts:
        return []
    rows = "1 row repeats an item" if duplicates == 1 else f"{duplicates:,} rows repeat an item"
    return [Note("reading", f"{rows} with the same score: each item counts once.")]


# All systems on one list of items.


@dataclass(frozen=True, eq=False, repr=False)
class Aligned(Brief):
    """The rows of all systems, one behind the other, with the system and the item of each.

    Parameters
    ----------
    scores
        What the rows are of, one row for each item and run; a system may have one part for each dataset.
    systems
        The names.
    places
        The codes of the system and of the item of each row; None where the rows are the cells of the table of systems by items,
        one row after the other. Items of all datasets are numbered in order of first appearance.
    run
        The run of each row by a code that systems share, -1 where a system does not say; None where none does.
    labels
        The ids of the items; None if they are identified by their position.
    home, datasets
        The dataset of each item, and the names of these, if there are any by name.
    duplicates, conflicts
        The number of repeated rows, and of items whose rows contradict each other.
    left_out
        The number of items of each system that others lack, where these were left out.
    rule
        How rows that contradict each other were settled.
    behind, reduced
        The rows behind scores that are made of several runs, of the same items, and the name of such a score.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    >>> old = Scores("old", np.array([0, 0, 1]), Labels.of(["q3", "q1", "q9"]))
    >>> align([new, old]).labels, align([new, old]).shared().labels
    (('q1', 'q2', 'q3', 'q9'), ('q1', 'q3'))
    """

    scores: tuple[Scores, ...]
    systems: tuple[str, ...]
    places: tuple[Array, Array] | None
    run: Array | None
    labels: Sequence[str] | None
    home: Array
    datasets: Sequence[str] | None
    duplicates: int = 0
    conflicts: int = 0
    left_out: tuple[int, ...] = ()
    rule: DuplicateRule = "mean"
    behind: Aligned | None = None
    reduced: str = ""

    def _brief(self) -> str:
        rows = sum(one.rows for one in self.scores)
        return f"{count_of(len(self.systems), 'system')} on {count_of(self.items, 'item')}, {count_of(rows, 'row')}"

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.home)

    @cached_property
    def values(self) -> Array:
        """The numbers of all rows."""
        return np.concatenate([one.values for one in self.scores])

    @cached_property
    def counts(self) -> Array:
        """(systems, items): how many rows each system has of each item."""
        systems = len(self.systems)
        if systems * self.items > MAX_CELLS:
            raise OutscoreError(
                f"{systems:,} systems by {self.items:,} items are too many cells for one table.",
                "Rank fewer systems at a time, or read the rows from Parquet with --dask.",
            )
        if self.whole:
            return np.broadcast_to(np.int64(1), (systems, self.items))
        cells = np.bincount(self.system * self.items + self.item, minlength=systems * self.items)
        return cells.reshape(systems, self.items)

    @property
    def whole(self) -> bool:
        """Whether the rows are the cells of the table of systems by items, one row after the other."""
        return self.places is None

    @cached_property
    def system(self) -> Array:
        """The system of each row."""
        return np.repeat(np.arange(len(self.systems)), self.items) if self.places is None else self.places[0]

    @cached_property
    def item(self) -> Array:
        """The item of each row."""
        return np.tile(np.arange(self.items), len(self.systems)) if self.places is None else self.places[1]

    @property
    def runs(self) -> Aligned:
        """All runs: those behind scores that are made of several, or else these rows."""
        return self if self.behind is None else self.behind

    @property
    def by_dataset(self) -> dict[str | None, Array]:
        """The items of each dataset; of the only one, if there are none by name."""
        names: Sequence[str | None] = [None] if self.datasets is None else self.datasets
        found = {name: np.flatnonzero(self.home == code) for code, name in enumerate(names)}
        return {name: items for name, items in found.items() if len(items)}

    def runs_of(self, system: int) -> Runs:
        """All rows of a system, in the order of its file."""
        own = np.flatnonzero(self.system == system)
        # Most systems have their rows in one piece, which is not copied.
        whole = len(own) and own[-1] - own[0] == len(own) - 1
        rows = slice(int(own[0]), int(own[-1]) + 1) if whole else own
        runs = None if self.run is None or (self.run[rows] < 0).any() else self.run[rows]
        return Runs(self.values[rows], self.item[rows], runs, self.systems[system])

    def place_of(self, row: int) -> tuple[Scores, int]:
        """The scores that a row belongs to, and its place in them."""
        ends = np.cumsum([one.rows for one in self.scores])
        part = int(np.searchsorted(ends, row, side="right"))
        return self.scores[part], row - int(ends[part] - self.scores[part].rows)

    def item_label(self, item: int) -> str:
        """What messages call an item."""
        return f"Item {item + 1}" if self.labels is None else f"Item `{self.labels[item]}`"

    def take(self, kept: Array) -> Aligned:
        """The rows of a mask, whose items are numbered again in their order."""
        old, item = np.unique(self.item[kept], return_inverse=True)
        parts = np.split(kept, np.cumsum([one.rows for one in self.scores])[:-1])
        return replace(
            self,
            scores=tuple(one.take(own) for one, own in zip(self.scores, parts, strict=True)),
            places=_places(self.system[kept], item, len(self.systems), len(old)),
            run=None if self.run is None else self.run[kept],
            labels=None if self.labels is None else tuple(self.labels[i] for i in old.tolist()),
            home=self.home[old],
        )

    def shared(self) -> Aligned:
        """The rows of the items that all systems have."""
        if self.whole:
            return replace(self, left_out=(0,) * len(self.systems))
        there = self.counts > 0
        all_have = np.asarray(there.all(axis=0))
        left_out = tuple((there.sum(axis=1) - all_have.sum()).tolist())
        whole = self if all_have.all() else self.take(all_have[self.item])
        return replace(whole.in_common_order(), left_out=left_out)

    def in_common_order(self) -> Aligned:
        """The same items in an order that is the same whichever system comes first.

        It is that of most files; among orders of equally many, the one whose names come first. Where systems lack items, it
        stays that of the first rows.

        Examples
        --------
        >>> new, old = (Scores(name, np.zeros(3), Labels.of(ids)) for name, ids in (("new", "xzy"), ("old", "yxz")))
        >>> align([new, old]).in_common_order().labels, align([old, new]).in_common_order().labels
        (('x', 'z', 'y'), ('x', 'z', 'y'))
        """
        systems, items = len(self.systems), self.items
        if self.labels is None or systems == 1 or self.whole:
            return self
        cells, first = np.unique(self.system * items + self.item, return_index=True)
        if len(cells) < systems * items:
            return self
        rows = first.reshape(systems, items)
        if (np.diff(rows, axis=1) > 0).all():
            return self
        # Items of one name are told apart by their datasets.
        sets = self.datasets or ("",)
        names = [(label, sets[home]) for home, label in zip(self.home.tolist(), self.labels, strict=True)]
        orders = Counter(tuple(own.tolist()) for own in np.argsort(rows, axis=1))
        order = np.array(min(orders, key=lambda own: (-orders[own], [names[i] for i in own])))
        number = np.argsort(order)
        return replace(
            self,
            places=_places(self.system, number[self.item], systems, items),
            labels=tuple(self.labels[i] for i in order.tolist()),
            home=self.home[order],
        )


def _places(system: Array, item: Array, systems: int, items: int) -> tuple[Array, Array] | None:
    """The system and the item of each row; None where these are those of a whole table in its order."""
    if len(item) == systems * items:
        table = (systems, items)
        if (item.reshape(table) == np.arange(items)).all() and (system.reshape(table) == np.arange(systems)[:, None]).all():
            return None
    return system, item


def align(scores: Sequence[Scores], rule: DuplicateRule = "mean") -> Aligned:
    """Match the rows of systems by item id, within datasets where they name them, or by position if no system has ids.

    Equal rows of one item and repeat are kept once and counted; `rule` decides on rows that contradict each other.
    """
    _check_systems(scores)
    refuse_other_gold(scores)
    settled = [settle(system, rule) for system in scores]
    systems = tuple(system for system, _, _ in settled)
    names = tuple(dict.fromkeys(system.name for system in systems))
    first = systems[0]
    if first.ids is None and first.datasets is None:
        places, labels, home, datasets = None, None, np.zeros(first.rows, dtype=np.int64), None
    else:
        code = {name: i for i, name in enumerate(names)}
        own = np.repeat([code[system.name] for system in systems], [system.rows for system in systems])
        item, labels, home, datasets = _number_items(systems)
        places = _places(own, item, len(names), len(home))
    return Aligned(
        systems,
        names,
        places,
        None if all(system.repeats is None for system in systems) else _run_codes(systems),
        labels,
        home,
        datasets,
        sum(duplicates for _, duplicates, _ in settled),
        sum(conflicts for _, _, conflicts in settled),
        rule=rule,
    )


def _number_items(systems: Sequence[Scores]) -> tuple[Array, Sequence[str] | None, Array, Sequence[str] | None]:
    """The item of every row, the rows of all systems one behind the other; the items' ids and datasets, and the names of these.

    An item is an id, within its dataset where all systems name one, or else a position.
    """
    ids = [system.ids for system in systems if system.ids is not None]
    named = [system.datasets for system in systems if system.datasets is not None]
    # Systems that lack labels which others have were refused before.
    item, labels = encode_together(ids) if ids else (np.concatenate([np.arange(system.rows) for system in systems]), None)
    sets, datasets = encode_together(named) if len(named) == len(systems) else (None, None)
    codes, first = densify(item if sets is None else sets * (int(item.max(initial=-1)) + 1) + item)
    home = np.zeros(len(first), dtype=np.int64) if sets is None else sets[first]
    return codes, None if labels is None else names_at(labels, item[first]), home, datasets


def item_codes(systems: Sequence[Scores]) -> list[Array]:
    """The item of each row of each system by a code that all systems share.

    Examples
    --------
    >>> new, old = (Scores(name, np.ones(2), Labels.of(ids)) for name, ids in (("new", "xy"), ("old", "yz")))
    >>> [codes.tolist() for codes in item_codes([new, old])]
    [[0, 1], [1, 2]]
    """
    return np.split(_number_items(systems)[0], np.cumsum([system.rows for system in systems])[:-1])


def align_pair(scores: Sequence[Scores], rule: DuplicateRule = "stop") -> Aligned:
    """Two systems on the items that both have.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    >>> old = Scores("old", np.array([0, 0, 1]), Labels.of(["q1", "q3", "q9"]))
    >>> both = align_pair([new, old])
    >>> both.labels, both.left_out
    (('q1', 'q3'), (1, 1))
    """
    a, b = as_pair(*scores)
    both = align((a, b), rule).shared()
    if not both.items:
        _refuse_no_common_items(a, b)
    return both


def as_pair(a: Scores, b: Scores) -> tuple[Scores, Scores]:
    """Two systems that can be matched item by item; a dataset that only one of them names is a slice like any other."""
    for one in (a, b):
        if not one.rows:
            raise OutscoreError(f"{one.label}: `{one.name}` has no score.", "Give it at least one.")
    if a.ids is None and b.ids is None and a.rows != b.rows:
        raise OutscoreError(
            f"{a.label} has {a.rows:,} items and {b.label} has {b.rows:,}: they cannot be paired line by line.",
            "Give both systems' scores for the same items in the same order, or compare different items with --unpaired.",
        )
    if (a.datasets is None) != (b.datasets is None):
        return _dataset_as_slice(a), _dataset_as_slice(b)
    return a, b


def _dataset_as_slice(scores: Scores) -> Scores:
    if scores.datasets is None:
        return scores
    column = (None if scores.origin is None else scores.origin.column("dataset")) or "dataset"
    return replace(scores, datasets=None, slices={**scores.slices, column: scores.datasets})


def _refuse_other_datasets(a: Scores, b: Scores) -> None:
    """Refuse rows without ids that would be matched by their position but are of different datasets."""
    if a.datasets is None or b.datasets is None:
        return
    codes, names = encode_together([a.datasets, b.datasets])
    first, second = codes[: a.rows], codes[a.rows :]
    wrong = np.flatnonzero(first != second)
    if len(wrong):
        row = int(wrong[0])
        raise a.row_error(
            row,
            f"{a.place(row)}: the dataset is `{names[first[row]]}`, but that of the row at the same position,"
            f" {b.place(row)}, is `{names[second[row]]}`.",
            "Give the rows of all systems in the same order, or name the column of the item ids with --item.",
            parameter="item",
        )


def _refuse_no_common_items(a: Scores, b: Scores) -> NoReturn:
    who = f"{a.label} and {b.label} have" if a.label != b.label else f"{a.label}: `{a.name}` and `{b.name}` have"
    raise OutscoreError(
        f"{who} no item in common: the first ids are `{a.item_ids[0]}` and `{b.item_ids[0]}`.",
        "Write the ids of both systems the same way, name their column with --item, or compare different items with"
        " --unpaired.",
        parameter="item",
    )


def _check_systems(scores: Sequence[Scores]) -> None:
    """Refuse systems that do not fit into one table."""
    if not scores:
        raise OutscoreError("No system was found.", "Give at least one.")
    first = scores[0]
    for system in scores[1:]:
        if system.values.shape[1:] != first.values.shape[1:]:
            raise OutscoreError(
                f"{first.label} and {system.label} do not have the same number of scores per row."
                if first.label != system.label
                else f"`{first.name}` and `{system.name}` do not have the same number of scores per row.",
                "Give all systems the same columns.",
            )
        for what, one, other in (("item ids", first.ids, system.ids), ("datasets", first.datasets, system.datasets)):
            if (one is None) != (other is None):
                named, bare = (first, system) if other is None else (system, first)
                raise OutscoreError(
                    f"{named.label} names {what} but {bare.label} does not: they cannot be matched.",
                    f"Name the {what} of all systems, or of none.",
                )
    _check_names(scores)
    _check_lengths(scores)
    # A system in parts has one for each dataset.
    whole = first.ids is None and len({system.name for system in scores}) == len(scores)
    for system in scores[1:] if whole else ():
        _refuse_other_datasets(first, system)


def _check_names(scores: Sequence[Scores]) -> None:
    """Refuse two systems of one name, unless they are one system on different datasets."""
    seen: dict[str, set[str]] = {}
    for system in scores:
        sets = {""} if system.datasets is None else {system.datasets.names[i] for i in np.unique(system.datasets.codes)}
        if sets & seen.setdefault(system.name, set()):
            raise OutscoreError(f"Two systems are named `{system.name}`.", "Give each a name of its own.")
        seen[system.name] |= sets


def _check_lengths(scores: Sequence[Scores]) -> None:
    first = scores[0]
    if not any(system.rows for system in scores):
        raise OutscoreError("No system has a single item.", "Give each at least one score.")
    for system in scores if first.ids is None else ():
        if system.rows != first.rows:
            raise OutscoreError(
                f"`{first.name}` has {first.rows:,} items and `{system.name}` has {system.rows:,}: without ids they cannot be"
                " matched.",
                "Give the scores of all systems for the same items in the same order, or name the items.",
            )


def encode_together(columns: Sequence[Labels]) -> tuple[Array, Sequence[str]]:
    """One column of codes for the labels of several, and the names that occur, in order of first appearance."""
    names, parts = columns[0].names, [column.codes for column in columns]
    if any(column.names is not names for column in columns):
        known: dict[str, int] = {}
        translated: dict[int, Array] = {}
        for i, column in enumerate(columns):
            # The systems of one file share their tuple of names, which is translated once.
            place = id(column.names)
            if place not in translated:
                translated[place] = np.array([known.setdefault(name, len(known)) for name in column.names], dtype=np.int64)
            parts[i] = translated[place][column.codes]
        names = tuple(known)
    whole = np.concatenate(parts)
    codes, first = densify(whole)
    return codes, names_at(names, whole[first])


@dataclass(frozen=True, eq=False)
class RowValues:
    """The value of a column on each row, -1 where nothing says it, and the first row that contradicts another system's."""

    codes: Array
    names: Sequence[str]
    wrong: int | None = None
    other: int = 0

    def refuse(self, rows: Aligned, column: str) -> None:
        """Refuse a column that not every row has a value of, or on which systems disagree."""
        bare = np.flatnonzero(self.codes < 0)
        if len(bare):
            name = rows.systems[int(rows.system[bare[0]])]
            raise OutscoreError(
                f"The scores of `{name}` have no slice column `{column}`.",
                "Read them with slice=..., or give a label for each row.",
                parameter="slice",
            )
        if self.wrong is not None:
            one, another = self.names[int(self.codes[self.other])], self.names[int(self.codes[self.wrong])]
            raise OutscoreError(
                f"Column `{column}` is `{one}` and `{another}` on {rows.item_label(int(rows.item[self.wrong])).lower()}, so it"
                " cannot define slices.",
                "Name a column with --slice that has the same value for all systems on every item.",
                parameter="slice",
            )


def values_of_rows(aligned: Aligned, column: str) -> RowValues:
    """The value of a column on each row; a system without the column has those of the others on the same runs of the items.

    Examples
    --------
    >>> ids, topics = Labels.of(["q1", "q2"]), {"topic": Labels.of(["x", "y"])}
    >>> found = values_of_rows(align([Scores("new", np.ones(2), ids, slices=topics), Scores("old", np.ones(2), ids)]), "topic")
    >>> found.codes.tolist(), found.names
    ([0, 1, 0, 1], ('x', 'y'))
    """
    has = [column in one.slices for one in aligned.scores]
    rows = np.repeat(has, [one.rows for one in aligned.scores])
    codes = np.full(len(rows), -1, dtype=np.int64)
    labels = [one.slices[column] for one in aligned.scores if column in one.slices]
    if not labels:
        return RowValues(codes, ())
    codes[rows], names = encode_together(labels)
    cells, beside = _side_by_side(aligned)
    first = np.full(int(cells.max()) + 1, -1, dtype=np.int64)
    there = np.flatnonzero(rows)
    first[cells[there][::-1]] = there[::-1]
    known = first[cells]
    bare = ~rows & (known >= 0)
    codes[bare] = codes[known[bare]]
    wrong = np.flatnonzero(rows & beside & (codes != codes[known]))
    return RowValues(codes, names, int(wrong[0]), int(known[wrong[0]])) if len(wrong) else RowValues(codes, names)


def _side_by_side(aligned: Aligned) -> tuple[Array, Array]:
    """A number for each row that rows of the same run of the same item share, and which rows are compared with one another.

    Runs that are called differently are matched in the order of the rows. Of items that systems were run on unequally often,
    only the first rows are compared, as in `match_runs`.
    """
    counts = aligned.counts
    even = bool(((counts == 0) | (counts == counts.max(axis=0))).all())
    if even and aligned.run is not None and (aligned.run >= 0).all():
        cells = aligned.item * (int(aligned.run.max(initial=0)) + 1) + aligned.run
        distinct = np.unique(cells) // (int(aligned.run.max(initial=0)) + 1)
        if np.array_equal(np.bincount(distinct, minlength=aligned.items), counts.max(axis=0)):
            return cells, np.ones(len(cells), dtype=bool)
    number = occurrences(aligned.system * aligned.items + aligned.item)
    cells = aligned.item * (int(number.max(initial=0)) + 1) + number
    return cells, (number == 0) | even


def names_at(names: Sequence[str], places: Array) -> Sequence[str]:
    """The names at these places; where these are all of them in order, as in a table of one file, the same names.

    Examples
    --------
    >>> names_at(("x", "y"), np.array([1, 0, 1]))
    ('y', 'x', 'y')
    """
    if len(places) == len(names) and bool((places == np.arange(len(names))).all()):
        return names
    known = tuple(names)
    return tuple([known[i] for i in places.tolist()])


def _run_codes(systems: Sequence[Scores]) -> Array:
    """The run of each row, -1 where a system does not say."""
    labelled = [system.repeats for system in systems if system.repeats is not None]
    told = np.repeat([system.repeats is not None for system in systems], [system.rows for system in systems])
    codes = np.full(len(told), -1, dtype=np.int64)
    codes[told] = encode_together(labelled)[0]
    return codes


def densify(codes: Array) -> tuple[Array, Array]:
    """Codes without gaps in order of first appearance, and the row of each code's first appearance."""
    size = int(codes.max(initial=-1)) + 1
    if size > 4 * len(codes) + 1_000_000:
        # Too sparse for an array over all codes.
        codes = np.unique(codes, return_inverse=True)[1]
        size = int(codes.max()) + 1
    if 0 < size <= len(codes) and bool((codes[:size] == np.arange(size)).all()):
        # They are numbered like that, as those of a table of different items are.
        return codes, np.arange(size)
    first = np.full(size, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(size)
    firsts = first[order]
    return rank[codes], firsts[firsts < len(codes)]


def item_clusters(aligned: Aligned) -> tuple[Array, Sequence[str]] | None:
    """The cluster of each item by code, and the names of the clusters; systems that name clusters must agree on them."""
    named = [system.clusters for system in aligned.scores if system.clusters is not None]
    if not named:
        return None
    chosen = np.repeat([s.clusters is not None for s in aligned.scores], [s.rows for s in aligned.scores])
    codes, names = encode_together(named)
    rows = np.flatnonzero(chosen)
    item = aligned.item[rows]
    clusters = np.full(aligned.items, -1, dtype=np.int64)
    first = np.full(aligned.items, -1, dtype=np.int64)
    clusters[item[::-1]], first[item[::-1]] = codes[::-1], rows[::-1]
    wrong = np.flatnonzero(clusters[item] != codes)
    if len(wrong):
        row = int(wrong[0])
        one, earlier = aligned.place_of(int(first[item[row]]))
        other, later = aligned.place_of(int(rows[row]))
        refusal = one.row_error(
            earlier,
            f"{one.place(earlier)} is in cluster `{names[int(clusters[item[row]])]}`, but the same item of"
            f" {other.place(later)} is in cluster `{names[int(codes[row])]}`.",
            "Every item must be in exactly one cluster.",
        )
        raise ClustersError(refusal.message, refusal.hint, parameter="cluster", file=refusal.file, line=refusal.line)
    bare = np.flatnonzero(clusters < 0)
    if len(bare):
        raise OutscoreError(f"{aligned.item_label(int(bare[0]))} has no cluster.", "Name the cluster of every item.")
    return clusters, names

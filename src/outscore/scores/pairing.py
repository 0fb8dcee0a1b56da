"""Two systems paired item by item, with a count of everything left out; several rows of one item are settled before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import Brief, count_of, dataclass
from outscore.core.rows import Repeats, Runs, codes_of, kind_of_column
from outscore.results.design import Alignment
from outscore.results.note import Note
from outscore.scores.system import Labels, Origin, Rows, Scores, facts_of_answers, origins_of, refuse_other_gold

# Several rows for the same item of a system: kept once if they agree, resolved by a rule if they do not.


UNEQUAL_RUNS = (
    "Means of fewer runs spread more, so p is not exact: it is right for many items and may be too small for few (10 runs"
    " against 1, 15 nearly perfect items: level .19, and .20 for the t test)."
)
"""What unequal numbers of runs do to a test of item means."""

DuplicateRule = Literal["stop", "mean", "first", "last"]
DUPLICATES: tuple[DuplicateRule, ...] = ("stop", "mean", "first", "last")


def check_rule(rule: DuplicateRule) -> None:
    """Refuse a rule that does not exist."""
    if rule not in DUPLICATES:
        hint = f"Choose one of: {', '.join(DUPLICATES)}."
        raise OutscoreError(f"`duplicates` is {rule!r}.", hint, parameter="duplicates")


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
    keys = _keys(scores.ids.codes, scores.datasets, scores.repeats)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    if len(starts) == len(keys):
        return scores, 0, 0
    sizes = np.diff(starts, append=len(keys))
    first = order[starts]
    table = scores.values.reshape(len(keys), -1)
    differs = (table[order] != np.repeat(table[first], sizes, axis=0)).any(axis=1)
    conflict = np.logical_or.reduceat(differs, starts)
    if rule == "stop" and conflict.any():
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


def _keys(items: Array, *labels: Labels | None) -> Array:
    """One integer per row for its combination of labels."""
    keys = items
    for column in labels:
        if column is not None:
            keys = keys * len(column.names) + column.codes
    return keys


def _refuse_conflict(scores: Scores, order: Array, first: Array, differs: Array) -> None:
    """Raise the error of the first row that contradicts an earlier one."""
    bad = np.flatnonzero(differs)
    where = bad[np.argmin(order[bad])]
    row, earlier = int(order[where]), int(first[where])
    assert scores.ids is not None
    run = "" if scores.repeats is None else f", repeat `{scores.repeats[row]}`"
    hint = "Choose --duplicates mean, first or last."
    if not run:
        hint = (
            "Choose --duplicates mean, first or last, name the column that tells repeats apart with --repeat, or write --item"
            " none if every row is an item of its own (and --cluster COLUMN if rows of one id belong together)."
        )
    apart = [name for name, labels in scores.slices.items() if labels[row] != labels[earlier]]
    if apart:
        hint = (
            f"If `{apart[0]}` tells items apart, both systems need it as --dataset {apart[0]}; otherwise choose"
            " --duplicates mean."
        )
    raise scores.row_error(
        row,
        f"{scores.place(row)}: `{scores.name}` has the score {_show(scores.values[row])} on item `{scores.ids[row]}`{run}, "
        f"but {_show(scores.values[earlier])} on {scores.position(earlier)}.",
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


# Two systems paired item by item, with a count of everything left out.
#
# Items are matched by id (within their dataset, if both files name one). Duplicate rows are resolved first, system by system;
# then the rows of each common item are put side by side.


# All rows; indexing with a slice copies nothing.
_ALL = slice(None)


@dataclass(frozen=True, eq=False, repr=False)
class TwoSystems(Brief):
    """Two systems' rows side by side, (n,) scores or (n, k) counts of the same items, and where they come from.

    Parameters
    ----------
    a, b
        Their numbers, in the order of A's file; arrays are taken as callers give them.
    names
        What they are called.
    tables
        The files.
    alignment
        What was matched and left out.
    items, clusters
        Labels per row or None; `items` is None if every row is an item.
    labels
        The names of the rows.
    slices
        The slice of each row, by column.
    repeats
        What is known of items that were run several times: where the systems were run unequally often, the rows are item means.
    notes
        What a reader should know about all that.
    better, measures
        The direction of the scores if their source states it, and the names that arrays bring along.
    scores
        The systems before their rows were matched.
    """

    a: object
    b: object
    names: tuple[str, str]
    tables: tuple[Origin, ...] = ()
    alignment: Alignment | None = None
    items: object = None
    clusters: object = None
    labels: Sequence[str] | None = None
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    repeats: Repeats | None = None
    notes: tuple[Note, ...] = ()
    better: Literal["higher", "lower"] | None = None
    scores: tuple[Scores, Scores] | None = None
    measures: tuple[str, ...] = ()

    def _brief(self) -> str:
        left_out = 0 if self.alignment is None else self.alignment.only_a + self.alignment.only_b
        return f"{count_of(len(np.asarray(self.a)), 'row')}, {count_of(left_out, 'item')} left out"

    @property
    def counts(self) -> bool:
        """Whether counts were read."""
        return self.scores is not None and self.scores[0].values.ndim == 2

    def swap_systems(self) -> TwoSystems:
        """The same two, B first."""
        alignment = self.alignment
        if alignment is not None:
            alignment = replace(alignment, only_a=alignment.only_b, only_b=alignment.only_a)
        return replace(
            self,
            a=self.b,
            b=self.a,
            names=(self.names[1], self.names[0]),
            alignment=alignment,
            repeats=None if self.repeats is None else self.repeats.swap_systems(),
            scores=None if self.scores is None else (self.scores[1], self.scores[0]),
        )


def pair(a: Scores, b: Scores, duplicates: DuplicateRule = "stop", names: tuple[str, str] | None = None) -> TwoSystems:
    """Match two systems' rows by item id and repeat, in the order of A's file.

    Items that one system lacks are left out and counted. Rows of one item and repeat with equal scores are
    kept once and counted; with different scores, `duplicates` decides. Repeats are matched by their labels,
    or in file order if the labels differ; items run unequally often by A and B are averaged.

    Parameters
    ----------
    a, b
        The systems. If neither has ids, rows are matched by position.
    duplicates
        ``"stop"`` refuses contradicting scores; ``"mean"``, ``"first"`` and ``"last"`` resolve them.
    names
        What the systems are called, if not by their own names.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    >>> old = Scores("old", np.array([0, 0, 1]), Labels.of(["q3", "q1", "q9"]))
    >>> both = pair(new, old)
    >>> both.a.tolist(), both.b.tolist(), both.alignment.common, both.alignment.only_a
    ([1, 1], [0, 0], 2, 1)
    """
    check_rule(duplicates)
    for one in (a, b):
        if not one.rows:
            raise OutscoreError(f"{one.label}: `{one.name}` has no score.", "Give it at least one.")
    if a.values.shape[1:] != b.values.shape[1:]:
        raise OutscoreError(
            f"{a.label} and {b.label} do not have the same number of scores per row.", "Give both systems the same columns."
        )
    if (a.ids is None) != (b.ids is None):
        named, bare = (a, b) if b.ids is None else (b, a)
        raise OutscoreError(
            f"{named.label} has item ids but {bare.label} has none: they cannot be matched.",
            "Give both systems ids, or leave them out of both.",
        )
    found = _pair_by_position(a, b) if a.ids is None else _pair_by_id(a, b, duplicates)
    notes = found.notes
    if a.gold is not None or b.gold is not None:
        refuse_other_gold((a, b))
        notes += tuple(facts_of_answers((a, b)))
    tables = tuple(origins_of((a, b)))
    return replace(found, names=names or found.names, tables=tables, notes=notes, scores=(a, b))


def _pair_by_position(a: Scores, b: Scores) -> TwoSystems:
    if a.rows != b.rows:
        raise OutscoreError(
            f"{a.label} has {a.rows:,} items and {b.label} has {b.rows:,}: they cannot be paired line by line.",
            "Give both systems' scores for the same items in the same order, or compare different items with --unpaired.",
        )
    return _assemble(a, b, (_ALL, _ALL), (a.values, b.values), Alignment(common=a.rows))


def _pair_by_id(a: Scores, b: Scores, rule: DuplicateRule) -> TwoSystems:
    if a.datasets is None or b.datasets is None:
        # A dataset identifies items only if both systems name it; otherwise it is a slice like any other.
        a, b = _dataset_as_slice(a), _dataset_as_slice(b)
    a, duplicates_a, conflicts_a = settle(a, rule)
    b, duplicates_b, conflicts_b = settle(b, rule)
    items_a, items_b = _align_items(a, b)
    codes = int(max(items_a.max(), items_b.max())) + 1
    runs_a, runs_b = np.bincount(items_a, minlength=codes), np.bincount(items_b, minlength=codes)
    common = (runs_a > 0) & (runs_b > 0)
    alignment = Alignment(
        common=int(common.sum()),
        only_a=int((runs_a > 0).sum() - common.sum()),
        only_b=int((runs_b > 0).sum() - common.sum()),
        duplicates=duplicates_a + duplicates_b,
        conflicts=conflicts_a + conflicts_b,
    )
    if not alignment.common:
        _refuse_no_common_items(a, b)
    if alignment.only_a:
        a, items_a = a.take(common[items_a]), items_a[common[items_a]]
    if alignment.only_b:
        b, items_b = b.take(common[items_b]), items_b[common[items_b]]
    runs = (runs_a[common], runs_b[common])
    if runs[0].max() == runs[1].max() == 1:
        if items_a is items_b:
            # Two columns of one table.
            return _assemble(a, b, (_ALL, _ALL), (a.values, b.values), alignment)
        place = np.empty(codes, dtype=np.int64)
        place[items_b] = np.arange(b.rows)
        return _assemble(a, b, (_ALL, place[items_a]), (a.values, b.values[place[items_a]]), alignment)
    paired = _match_repeats(a, b, (items_a, items_b), runs, alignment)
    return replace(paired, repeats=_repeats_of(a, b, (items_a, items_b)))


def _repeats_of(a: Scores, b: Scores, items: tuple[Array, Array]) -> Repeats:
    """The runs of both systems, with the items in the order of A's file."""
    codes = codes_of(items[0], a.rows, "items")
    assert codes is not None
    place = np.empty(int(items[0].max()) + 1, dtype=np.int64)
    place[items[0]] = codes
    column = a.repeat_column or b.repeat_column
    return Repeats(kind_of_column(column), column, (_runs(a, place[items[0]]), _runs(b, place[items[1]])))


def _runs(scores: Scores, items: Array) -> Runs:
    return Runs(scores.values, items, None if scores.repeats is None else scores.repeats.codes, scores.name)


def _refuse_no_common_items(a: Scores, b: Scores) -> NoReturn:
    assert a.ids is not None
    assert b.ids is not None
    who = f"{a.label} and {b.label} have" if a.label != b.label else f"{a.label}: `{a.name}` and `{b.name}` have"
    raise OutscoreError(
        f"{who} no item in common: the first ids are `{a.ids[0]}` and `{b.ids[0]}`.",
        "Write the ids of both systems the same way, name their column with --item, or compare different items with"
        " --unpaired.",
        parameter="item",
    )


def _dataset_as_slice(scores: Scores) -> Scores:
    if scores.datasets is None:
        return scores
    column = (None if scores.origin is None else scores.origin.column("dataset")) or "dataset"
    return replace(scores, datasets=None, slices={**scores.slices, column: scores.datasets})


def _match_repeats(
    a: Scores, b: Scores, items: tuple[Array, Array], runs: tuple[Array, Array], alignment: Alignment
) -> TwoSystems:
    """Put the rows of each item side by side; both systems have the same items here, some of them several times."""
    orders = (np.argsort(items[0], kind="stable"), np.argsort(items[1], kind="stable"))
    if not np.array_equal(*runs):
        return _item_means(a, b, orders, runs, alignment)
    notes: tuple[Note, ...] = ()
    assert a.repeats is not None
    assert b.repeats is not None
    labels = _align_codes(a.repeats, b.repeats)
    by_label = (np.lexsort((labels[0], items[0])), np.lexsort((labels[1], items[1])))
    if np.array_equal(labels[0][by_label[0]], labels[1][by_label[1]]):
        orders = by_label
    else:
        text = "The labels of the repeats differ between the systems, so repeats of an item were matched in file order."
        notes = (Note("input", text),)
    partner = np.empty(a.rows, dtype=np.int64)
    partner[orders[0]] = orders[1]
    codes = codes_of(items[0], a.rows, "items")
    return _assemble(a, b, (_ALL, partner), (a.values, b.values[partner]), alignment, items=codes, notes=notes)


def _item_means(
    a: Scores,
    b: Scores,
    orders: tuple[Array, Array],
    runs: tuple[Array, Array],
    alignment: Alignment,
) -> TwoSystems:
    """Average the rows of each item, because A and B have unequally many, which cannot be matched."""
    firsts, means = [], []
    for scores, order, counts in zip((a, b), orders, runs, strict=True):
        starts = np.cumsum(counts) - counts
        firsts.append(order[starts])
        sums = np.add.reduceat(scores.values[order].astype(np.float64), starts, axis=0)
        means.append(sums / counts.reshape(-1, *(1 for _ in sums.shape[1:])))
    in_file_order = np.argsort(firsts[0])
    places = (firsts[0][in_file_order], firsts[1][in_file_order])
    times = f"{_times(runs[0])} by {a.name} and {_times(runs[1])} by {b.name}"
    note = f"Items were run {times}: item means are compared. {UNEQUAL_RUNS}"
    values = (means[0][in_file_order], means[1][in_file_order])
    return _assemble(a, b, places, values, alignment, notes=(Note("design", note),))


def _times(runs: Array) -> str:
    low, high = int(runs.min()), int(runs.max())
    if low != high:
        return f"{low} to {high} times"
    return "once" if low == 1 else f"{low} times"


def _assemble(
    a: Scores,
    b: Scores,
    rows: tuple[Rows, Rows],
    values: tuple[Array, Array],
    alignment: Alignment,
    *,
    items: Array | None = None,
    notes: tuple[Note, ...] = (),
) -> TwoSystems:
    """Put matched rows together, with the labels of A or else of B; if both have labels, they must agree."""
    a, b = a.take(rows[0]), b.take(rows[1])
    clusters = b.clusters if a.clusters is None else a.clusters
    wrong = _disagreement(a.clusters, b.clusters)
    if wrong is not None:
        assert a.clusters is not None
        assert b.clusters is not None
        raise a.row_error(
            wrong,
            f"{a.place(wrong)} is in cluster `{a.clusters[wrong]}`, but the same item of {b.place(wrong)} is in cluster "
            f"`{b.clusters[wrong]}`.",
            "Every item must be in exactly one cluster.",
        )
    slices = {**b.slices, **a.slices}
    ambiguous = [name for name in slices if _disagreement(a.slices.get(name), b.slices.get(name)) is not None]
    for name in ambiguous:
        del slices[name]
        text = f"Column `{name}` differs between the systems on the same item and was not used for slices."
        notes += (Note("input", text),)
    return TwoSystems(
        *values,
        (a.name, b.name),
        alignment=alignment,
        items=items,
        clusters=None if clusters is None else codes_of(clusters.codes, len(values[0]), "clusters"),
        labels=None if a.ids is None else a.ids.texts(),
        slices={column: labels.texts() for column, labels in slices.items()},
        notes=(*notes, *repeated_notes(alignment.duplicates, alignment.conflicts)),
    )


def _disagreement(a: Labels | None, b: Labels | None) -> int | None:
    """The first row in which both have a label and the labels differ."""
    if a is None or b is None:
        return None
    codes_a, codes_b = _align_codes(a, b)
    wrong = np.flatnonzero(codes_a != codes_b)
    return int(wrong[0]) if len(wrong) else None


def _align_items(a: Scores, b: Scores) -> tuple[Array, Array]:
    assert a.ids is not None
    assert b.ids is not None
    items_a, items_b = _align_codes(a.ids, b.ids)
    if a.datasets is None or b.datasets is None:
        return items_a, items_b
    sets_a, sets_b = _align_codes(a.datasets, b.datasets)
    factor = int(max(sets_a.max(), sets_b.max())) + 1
    both = np.concatenate([items_a * factor + sets_a, items_b * factor + sets_b])
    # Remove gaps: most combinations of item and dataset never occur.
    dense = np.unique(both, return_inverse=True)[1]
    return dense[: a.rows], dense[a.rows :]


def _align_codes(a: Labels, b: Labels) -> tuple[Array, Array]:
    """The codes of both columns, made equal for equal names."""
    if a.names is b.names:
        return a.codes, b.codes
    known = {name: code for code, name in enumerate(a.names)}
    translate = np.array([known.setdefault(name, len(known)) for name in b.names], dtype=np.int64)
    return a.codes, translate[b.codes]

"""One score of all runs of an item: pass@K, pass^K, the best or the worst run, or the answer of the majority.

Where the systems were run unequally often on an item, their means, pass@K and pass^K are still compared without bias. The best
of five runs is better than the best of three by luck alone, so `max`, `min` and `majority` refuse unequal numbers, unless
only the first runs, as many as all systems have, are taken (`first_runs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, as_integers
from outscore.core.records import dataclass
from outscore.core.reduction import Reduction, pass_rate
from outscore.core.rows import occurrences
from outscore.results.note import Note
from outscore.scores.align import DuplicateRule, item_codes, settle
from outscore.scores.system import Scores

BY_SCORES = (
    "No answers are known, so an item is right if more than half of its runs are, and half right if exactly half are; the"
    " answer that most runs give may be right with fewer."
)
UNEQUAL = (
    "Systems were run unequally often on some items: {name} of fewer runs spreads more, so p is right for many items and may be"
    " too small for few; --equal-runs takes only the first runs, as many as every system has."
)


@dataclass(frozen=True, eq=False)
class UsedRuns:
    """Systems with the runs that are used, or with one score made of each item's, and what was decided.

    `before` are the systems with the runs behind such scores. `duplicates` are the rows that repeated another one and
    `conflicts` the items with contradicting rows, both settled before runs were looked at.
    """

    scores: Sequence[Scores]
    reduction: Reduction | None = None
    before: Sequence[Scores] = ()
    notes: Sequence[Note] = ()
    duplicates: int = 0
    conflicts: int = 0


def use_runs(
    systems: Sequence[Scores], reduction: Reduction | None, *, equal_runs: bool = False, rule: DuplicateRule = "stop"
) -> UsedRuns:
    """The runs that are asked for: all, or the first ones, as many as every system has; as one score if they are reduced.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> one = Scores("new", np.array([1, 0, 1, 0, 0, 0]), Labels.of(["q1"] * 3 + ["q2"] * 3), Labels.of("123123"))
    >>> use_runs([one], Reduction("pass@", 2)).scores[0].values.tolist()
    [1, 0]
    """
    used = UsedRuns(systems)
    if equal_runs:
        used = first_runs(systems, rule)
    if reduction is None:
        return used
    reduced = reduce_runs(used.scores, reduction, rule)
    return replace(
        reduced,
        notes=[*used.notes, *reduced.notes],
        duplicates=used.duplicates + reduced.duplicates,
        conflicts=used.conflicts + reduced.conflicts,
    )


def _settled(systems: Sequence[Scores], rule: DuplicateRule, name: str) -> UsedRuns:
    """Systems with one row for each item and run; those without repeats are refused."""
    for one in systems:
        if one.ids is None:
            raise OutscoreError(
                f"{one.label} has no item ids, so no two rows are runs of the same item.",
                f"Name their column with --item, or leave {name} out.",
                parameter="reduce" if name.startswith("--reduce") else "equal_runs",
            )
    each = [settle(one, rule) for one in systems]
    settled = [one for one, _, _ in each]
    if all(int(np.bincount(codes).max(initial=0)) <= 1 for codes in item_codes(settled)):
        raise OutscoreError(
            "There are no repeats: each item was scored once.",
            f"Leave {name} out, or name the column of the repeats with --repeat.",
            parameter="reduce" if name.startswith("--reduce") else "equal_runs",
        )
    return UsedRuns(settled, duplicates=sum(n for _, n, _ in each), conflicts=sum(n for _, _, n in each))


def first_runs(systems: Sequence[Scores], rule: DuplicateRule = "stop") -> UsedRuns:
    """The first runs of each item in the order of the files, as many as every system has that has the item.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1"] * 3), Labels.of("123"))
    >>> old = Scores("old", np.array([0, 1]), Labels.of(["q1"] * 2), Labels.of("12"))
    >>> [one.values.tolist() for one in first_runs([new, old]).scores]
    [[1, 0], [0, 1]]
    """
    found = _settled(systems, rule, "--equal-runs")
    settled = found.scores
    codes = item_codes(settled)
    least = _least(codes)
    trimmed = [one.take(np.flatnonzero(occurrences(items) < least[items])) for one, items in zip(settled, codes, strict=True)]
    left_out = sum(one.rows for one in settled) - sum(one.rows for one in trimmed)
    text = f"{left_out:,} rows were left out: for each item only the first runs are compared, as many as every system has."
    return replace(found, scores=trimmed, notes=[Note("data", text)] if left_out else [])


def _least(codes: Sequence[Array]) -> Array:
    """The fewest runs of each item among the systems that have it."""
    counts = _counts(codes)
    return np.asarray(np.where(counts > 0, counts, counts.max()).min(axis=0))


def _counts(codes: Sequence[Array]) -> Array:
    """(systems, items): how many runs each system has of each item."""
    n = 1 + max(int(items.max()) for items in codes)
    return np.array([np.bincount(items, minlength=n) for items in codes])


def reduce_runs(systems: Sequence[Scores], reduction: Reduction, rule: DuplicateRule = "stop") -> UsedRuns:
    """Every item's runs as one score."""
    found = _settled(systems, rule, f"--reduce {reduction.name}")
    settled = found.scores
    codes = item_codes(settled)
    counts = _counts(codes)
    shared = (counts > 0).sum(axis=0) > 1
    uneven = np.flatnonzero(shared & (counts.max(axis=0) != _least(codes)))
    notes = []
    if len(uneven):
        if reduction.needs_equal_runs:
            _refuse_uneven(settled, codes, counts, int(uneven[0]), reduction)
        notes.append(Note("design", UNEQUAL.format(name=reduction.name)))
    if reduction.kind == "majority" and any(one.answers is None for one in settled):
        notes.append(Note("data", BY_SCORES))
    by_answers = all(one.answers is not None for one in settled)
    reduced = [_reduce(one, items, reduction, by_answers=by_answers) for one, items in zip(settled, codes, strict=True)]
    return replace(found, scores=reduced, reduction=reduction, before=settled, notes=notes)


def _refuse_uneven(systems: Sequence[Scores], codes: Sequence[Array], counts: Array, item: int, reduction: Reduction) -> None:
    having = [i for i in range(len(systems)) if counts[i, item]]
    most, least = max(having, key=lambda i: counts[i, item]), min(having, key=lambda i: counts[i, item])
    label = systems[most].item_ids[int(np.flatnonzero(codes[most] == item)[0])]
    raise OutscoreError(
        f"`{systems[most].name}` has {counts[most, item]} runs of item `{label}` and `{systems[least].name}`"
        f" {counts[least, item]}: {reduction.name} over more runs is a different score, whatever the systems.",
        "Add --equal-runs, which takes only the first runs of each, or reduce by mean, pass@K or pass^K.",
        parameter="reduce",
    )


def _reduce(scores: Scores, codes: Array, reduction: Reduction, *, by_answers: bool) -> Scores:
    """One system with one row for each item: the first one's place and labels, and the score of all."""
    if scores.values.ndim > 1:
        raise OutscoreError(
            f"{scores.label} contains counts, but {reduction.name} needs one score for each run.",
            "Leave --reduce out.",
            parameter="reduce",
        )
    dense = np.unique(codes, return_inverse=True)[1]
    order = np.argsort(dense, kind="stable")
    starts = np.flatnonzero(np.diff(dense[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    values = scores.values[order]
    if reduction.counts_right or (reduction.kind == "majority" and not by_answers):
        _refuse_graded(scores, reduction)
    if reduction.k is not None:
        _refuse_few(scores, order[starts], sizes, reduction.name, reduction.k)
        right = np.add.reduceat(values, starts).astype(np.int64)
        pairs, places = np.unique(np.stack([sizes, right], axis=1), axis=0, return_inverse=True)
        rates = [float(pass_rate(reduction.kind, n, c, reduction.k)) for n, c in pairs.tolist()]
        reduced = np.array(rates)[places.ravel()]
    elif reduction.kind in ("max", "min"):
        reduced = (np.maximum if reduction.kind == "max" else np.minimum).reduceat(values, starts)
    elif by_answers:
        assert scores.answers is not None
        answers = scores.answers.codes[order]
        reduced = np.array([_plurality(answers[i : i + n], values[i : i + n]) for i, n in zip(starts, sizes, strict=True)])
    else:
        reduced = (1 + np.sign(2 * np.add.reduceat(values, starts) - sizes)) / 2
    firsts = order[starts]
    in_file_order = np.argsort(firsts)
    values = as_integers(reduced[in_file_order].astype(float))
    return replace(scores.take(firsts[in_file_order]), values=values, repeats=None, answers=None)


def _plurality(answers: Array, right: Array) -> float:
    """Whether the answer that most runs give is right; of several such answers the share that are."""
    names, places, counts = np.unique(answers, return_inverse=True, return_counts=True)
    worth = np.bincount(places, weights=right, minlength=len(names)) / counts
    return float(worth[counts == counts.max()].mean())


def _refuse_graded(scores: Scores, reduction: Reduction) -> None:
    graded = np.flatnonzero((scores.values != 0) & (scores.values != 1))
    if len(graded):
        row = int(graded[0])
        raise scores.row_error(
            row,
            f"{scores.place(row)}: {reduction.name} counts runs that are right or wrong, 1 or 0, but this one scores"
            f" {scores.values[row]:g}.",
            "Reduce by mean, max or min.",
            parameter="reduce",
        )


def _refuse_few(scores: Scores, firsts: Array, sizes: Array, name: str, k: int) -> None:
    few = np.flatnonzero(sizes < k)
    if len(few):
        first = int(few[np.argmin(firsts[few])])
        runs = "1 run" if sizes[first] == 1 else f"{sizes[first]} runs"
        row = int(firsts[first])
        raise scores.row_error(
            row,
            f"`{scores.name}` has {runs} of item `{scores.item_ids[row]}`, and {name} needs {k}.",
            f"Choose a K of at most {int(sizes.min())}.",
            parameter="reduce",
        )

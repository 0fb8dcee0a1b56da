"""What is counted of units, and the units that some system has wrong, in their context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import UNALIGNED, Units
from outscore.results.diff import Confusion, LabelRates, Rates
from outscore.scores.system import Labels

# What is counted of units: what changes between two systems, how well each label is given, and what systems could do
# together.
#
# From S1 to S2 a unit stays right, is corrected, becomes a new error, changes from one error to another, or stays the same
# error (Tuggener, 2017, algorithm 1, plus the two outcomes that the algorithm does not count). So
#
#     accuracy(S2) - accuracy(S1) = (corrections - new errors) / n
#
# and swapping the systems swaps corrections with new errors and changes nothing else. The transitions behind them are
# counted label by label, like recall, precision and confusions.
#
# The upper bound of a combination, an oracle that picks the right answer, counts a unit as solved if at least one system
# solves it (Tuggener, 2017, section 3). Systems with independent errors reach 1 - Π(1 - accuracy) by chance alone; the
# further the oracle is below that, the more the systems fail together.


OUTCOMES = ("both_right", "correction", "new_error", "changed_error", "shared_error")
_, CORRECTION, NEW_ERROR, CHANGED_ERROR, _ = range(len(OUTCOMES))
CHANGES = ("correction", "new_error", "changed_error")


Transition = tuple[int, int, int, int]
"""One kind of change: the outcome, the right label, and those that the first and the second system give."""
_OPPOSITE = {CORRECTION: NEW_ERROR, NEW_ERROR: CORRECTION, CHANGED_ERROR: CHANGED_ERROR}


def mirror_of(change: Transition) -> Transition:
    """The opposite change, which swapping the systems makes of it: a correction undoes a new error.

    Examples
    --------
    >>> mirror_of((CORRECTION, 0, 1, 0)) == (NEW_ERROR, 0, 0, 1)
    True
    """
    kind, gold, source, target = change
    return _OPPOSITE[kind], gold, target, source


def outcomes(units: Units, first: int = 0, second: int = 1) -> Array:
    """The outcome of every unit, as an index into `OUTCOMES`.

    Examples
    --------
    >>> labels = tuple("ABCDEUXYZ")
    >>> code = [[labels.index(x) for x in word] for word in ("ABCDE", "ABCXY", "ZBCDU")]
    >>> gold, answers = np.array(code[0]), np.array(code[1:]).T
    >>> units = Units("label", ("S1", "S2"), labels, gold, answers, answers == gold[:, None])
    >>> [OUTCOMES[k] for k in outcomes(units)]
    ['new_error', 'both_right', 'both_right', 'correction', 'changed_error']
    """
    before, after = units.correct[:, first], units.correct[:, second]
    both_right, correction, new_error, changed_error, shared_error = np.arange(len(OUTCOMES), dtype=np.int8)
    wrong = np.where(_same_answers(units, first, second), shared_error, changed_error)
    return np.where(before, np.where(after, both_right, new_error), np.where(after, correction, wrong))


def _same_answers(units: Units, first: int, second: int) -> Array:
    same = units.answers[:, first] == units.answers[:, second]
    if units.detail is not None:
        same &= units.detail[:, first] == units.detail[:, second]
    return np.asarray(same)


def count_differing(units: Units, first: int = 0, second: int = 1) -> int:
    """The number of units on which the two answers differ, right or wrong."""
    return int((~_same_answers(units, first, second)).sum())


def overlap_of_correct(units: Units, first: int = 0, second: int = 1) -> float:
    """Dice coefficient of the right answers of two systems; 0 if neither has any."""
    right = units.correct[:, first].sum() + units.correct[:, second].sum()
    both = (units.correct[:, first] & units.correct[:, second]).sum()
    return float(2 * both / right) if right else 0.0


def overlap_matrix(units: Units) -> Array:
    """(k, k) overlap of right answers of every two systems (Tuggener, 2017, table 1).

    Examples
    --------
    >>> gold, answers = np.zeros(3, dtype=int), np.array([[0, 0], [0, 1], [1, 0]])
    >>> overlap_matrix(Units("label", ("S1", "S2"), ("A", "B"), gold, answers, answers == 0)).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    right = units.correct.astype(np.float64)
    sums = right.sum(axis=0)
    both, total = right.T @ right, sums[:, None] + sums
    return np.asarray(np.divide(2 * both, total, out=np.zeros_like(both), where=total > 0))


def agreement(units: Units) -> Array:
    """(k, k) shares of units on which two systems give the same answer."""
    k = len(units.systems)
    shares = np.eye(k)
    for i in range(k):
        for j in range(i):
            shares[i, j] = shares[j, i] = 1.0 - count_differing(units, i, j) / units.n if units.n else 1.0
    return shares


def transitions(units: Units, first: int = 0, second: int = 1) -> dict[Transition, int]:
    """How often every kind of change occurs, most frequent first within corrections, new errors and changed errors."""
    kinds = outcomes(units, first, second)
    rows = np.flatnonzero((kinds >= CORRECTION) & (kinds <= CHANGED_ERROR))
    shape = (len(OUTCOMES) - 1, *[len(units.labels)] * 3)
    parts = (kinds[rows], units.gold[rows], units.answers[rows, first], units.answers[rows, second])
    distinct, counts = np.unique(np.ravel_multi_index(parts, shape), return_counts=True)
    changes = zip(*(part.tolist() for part in np.unravel_index(distinct, shape)), strict=True)
    table: list[tuple[Transition, int]] = list(zip(changes, counts.tolist(), strict=True))
    return dict(sorted(table, key=lambda row: (row[0][0], -row[1], *row[0])))


def label_rates(units: Units, system: int, *, without: str | None = None) -> Iterator[LabelRates]:
    """Recall, precision and F1 of every label, in the order of the inventory; `without` is not a label, such as "no entity".

    Examples
    --------
    >>> gold, answers = np.array([0, 0, 1]), np.array([[0], [1], [1]])
    >>> units = Units("label", ("S",), ("A", "B"), gold, answers, answers == gold[:, None])
    >>> [(row.label, row.n, row.rates.r, row.rates.p) for row in label_rates(units, 0)]
    [('A', 2, 0.5, 1.0), ('B', 1, 1.0, 0.5)]
    """
    size = len(units.labels)
    counts = (
        np.bincount(units.gold, minlength=size),
        np.bincount(units.answers[:, system], minlength=size),
        np.bincount(units.gold[units.correct[:, system]], minlength=size),
    )
    for label, gold, given, right in zip(units.labels, *(count.tolist() for count in counts), strict=True):
        if label not in (UNALIGNED, without) and (gold or given):
            yield LabelRates(units.systems[system], label, gold, rates_from(right, gold, given))


def rates_from(right: int, gold: int, given: int) -> Rates:
    """Recall, precision and F1 of right answers, those of gold and those given; 0 of none.

    Examples
    --------
    >>> rates_from(1, 2, 4), rates_from(0, 3, 0)
    (Rates(r=0.5, p=0.25, f1=0.3333333333333333), Rates(r=0.0, p=0.0, f1=0.0))
    """
    return Rates(right / gold if gold else 0.0, right / given if given else 0.0, 2 * right / (gold + given) if right else 0.0)


def confusions(units: Units, system: int) -> list[Confusion]:
    """All wrong answers of a system by gold label, most frequent first; of trees the label may be right and the head wrong."""
    wrong = ~units.correct[:, system]
    size = len(units.labels)
    codes = units.gold[wrong].astype(np.int64) * size + units.answers[wrong, system]
    distinct, counts = np.unique(codes, return_counts=True)
    pairs = [
        Confusion(units.systems[system], units.labels[code // size], units.labels[code % size], count)
        for code, count in zip(distinct.tolist(), counts.tolist(), strict=True)
    ]
    return sorted(pairs, key=lambda row: (-row.count, row.gold, row.answer))


def label_counts(units: Units, system: int, label: int | None = None) -> Array:
    """(clusters, 3) true positives, false positives and false negatives; without clusters a row per unit.

    They are those of one label, or of all but the first, which of spans is none. Micro-F1 is a function of their column sums.
    """
    right, answers = units.correct[:, system], units.answers[:, system]
    is_gold, is_given = ((codes > 0 if label is None else codes == label) for codes in (units.gold, answers))
    columns = (is_gold & right, is_given & ~right, is_gold & ~right)
    if units.clusters is None:
        return np.column_stack(columns).astype(np.int64)
    size = int(units.clusters.max(initial=0)) + 1
    return np.column_stack([np.bincount(units.clusters[column], minlength=size) for column in columns])


def oracle_rate(correct: Array) -> float:
    """Share of units that at least one system solves; `correct` is (n, k).

    Examples
    --------
    >>> oracle_rate(np.array([[True, False], [False, False], [False, True], [True, True]]))
    0.75
    """
    return float(correct.any(axis=1).mean()) if len(correct) else 0.0


def independent_rate(correct: Array) -> float:
    """The oracle of systems with these accuracies and independent errors.

    Examples
    --------
    >>> independent_rate(np.array([[True, False], [False, False], [False, True], [True, True]]))
    0.75
    """
    return float(1.0 - np.prod(1.0 - correct.mean(axis=0))) if len(correct) else 0.0


def whole_sentences(correct: Array, sentences: Array) -> Array:
    """(sentences, k) whether all units of a sentence are right; those without a unit are left out.

    Examples
    --------
    >>> whole_sentences(np.array([[True, False], [True, True], [False, True]]), np.array([0, 0, 2])).tolist()
    [[True, False], [False, True]]
    """
    codes = np.unique(sentences, return_inverse=True)[1]
    size = int(codes.max(initial=0)) + 1
    return np.column_stack([np.bincount(codes[~right], minlength=size) == 0 for right in correct.T])


def solved_by(correct: Array) -> list[int]:
    """The numbers of units that exactly 0, 1, ..., k systems solve."""
    return [int(x) for x in np.bincount(correct.sum(axis=1), minlength=correct.shape[1] + 1)]


def solved_only_by(correct: Array) -> list[int]:
    """The number of units that each system alone solves."""
    alone = correct.sum(axis=1) == 1
    return [int((column & alone).sum()) for column in correct.T]


def majority_vote(units: Units) -> float:
    """Share of units that the most frequent answer solves; ties go to the first system.

    Examples
    --------
    >>> gold, answers = np.array([0, 1]), np.array([[0, 0, 1], [1, 0, 2]])
    >>> majority_vote(Units("label", ("x", "y", "z"), ("a", "b", "c"), gold, answers, answers == gold[:, None]))
    1.0
    """
    votes = _identity(units)
    # Votes for each system's answer, including its own; argmax returns the first maximum.
    support = np.stack([sum((own == other).astype(np.int16) for other in votes.T) for own in votes.T])
    chosen = support.argmax(axis=0)
    return float(units.correct[np.arange(units.n), chosen].mean()) if units.n else 0.0


def _identity(units: Units) -> Array:
    """(n, k) codes that are equal if and only if two answers are the same."""
    if units.detail is None:
        return units.answers
    offset = units.detail - units.detail.min(initial=0)
    return np.asarray(units.answers.astype(np.int64) * (int(offset.max(initial=0)) + 1) + offset)


# Units that some system has wrong, in their context, for the explorer and for other tools.
#
# Everything is arrays and codes, so that a hundred thousand units stay small. Contexts are sentences, of which some words
# are the unit, or items with named texts.


@dataclass(frozen=True, eq=False)
class Contexts:
    """The contexts of units.

    Parameters
    ----------
    ids
        The name of each context: sentence, item.
    words
        The words of each context; for an item its texts, one for each name in `columns`.
    columns
        The names of the texts of an item; empty if contexts are sentences.
    heads
        Of sentences with trees, the index of the head of each word in gold: -1 for the root, -2 for a word outside of the
        sentence. A word that is no unit of `Changed` has this head with every system, too, unless it is no unit at all.
    relations
        Of the same sentences, the relation of each word to that head.
    documents
        The document of each context, or None.
    """

    ids: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...] = ()
    heads: tuple[tuple[int, ...], ...] | None = None
    relations: tuple[tuple[str, ...], ...] | None = None
    documents: Labels | None = None


@dataclass(frozen=True, eq=False)
class Changed:
    """Units that at least one system has wrong, by one criterion.

    Parameters
    ----------
    units
        Only those units.
    contexts
        (n,) index of each unit's context in `Contexts`.
    starts, ends
        (n,) the words of the context that are the unit, `ends` exclusive; 0 and 0 for items.
    heads
        (n, 1 + systems) index in the context of the head in gold, then in each system: -1 for the root, -2
        for a word outside of the context. None without trees.
    remarks
        n · (1 + systems) texts, for each unit gold's and then each system's: the reason for an answer, such
        as an antecedent.
    chains
        Twice as many texts: of coreference, what stands before the mention in its chain and what after it, and how far away;
        both empty if it is in no chain.
    distances
        (n,) of coreference, how many sentences before a mention gold's one before it in the chain stands; -1 for none.
    settled
        (m, 4) of entities, those that everybody has right in the contexts of the units, to be shown beside them: context,
        first word, last word exclusive, code of the type. None if units are no spans.
    mentions
        (m, 4 + systems) of coreference, all mentions of the documents that units stand in: context, first word, last word
        exclusive, and the chain in gold and in each system, -1 for none. None if units are no mentions.
    """

    units: Units
    contexts: Array
    starts: Array
    ends: Array
    heads: Array | None = None
    remarks: Labels | None = None
    chains: Labels | None = None
    distances: Array | None = None
    settled: Array | None = None
    mentions: Array | None = None


def changed_units(units: Units) -> Array:
    """The rows of units that some system has wrong."""
    return np.flatnonzero(~units.correct.all(axis=1))


def records(changed: Changed, where: Contexts) -> Iterator[dict[str, Any]]:
    """A JSON-ready record for every unit whose outcome differs between two systems."""
    units = changed.units
    pairs = [(i, j) for i in range(len(units.systems)) for j in range(i + 1, len(units.systems))]
    kinds = {pair: outcomes(units, *pair) for pair in pairs}
    for row in range(units.n):
        steps = {
            f"{units.systems[i]} -> {units.systems[j]}": OUTCOMES[int(kinds[i, j][row])]
            for i, j in pairs
            if 1 <= kinds[i, j][row] <= 3
        }
        if not steps:
            continue
        words = where.words[int(changed.contexts[row])]
        start, end = int(changed.starts[row]), int(changed.ends[row])
        answers = {name: units.labels[int(units.answers[row, k])] for k, name in enumerate(units.systems)}
        record: dict[str, Any] = {
            "criterion": units.criterion,
            "context": where.ids[int(changed.contexts[row])],
            "gold": units.labels[int(units.gold[row])],
            "answers": answers,
            "correct": {name: bool(units.correct[row, k]) for k, name in enumerate(units.systems)},
            "changes": steps,
        }
        if where.columns:
            record["texts"] = dict(zip(where.columns, words, strict=True))
        else:
            record |= {"start": start, "end": end, "unit": " ".join(words[start:end]), "words": list(words)}
        if changed.heads is not None:
            record["heads"] = dict(zip(("gold", *units.systems), (int(h) for h in changed.heads[row]), strict=True))
        if changed.remarks is not None:
            first = row * (1 + len(units.systems))
            names = ("gold", *units.systems)
            record["remarks"] = {name: changed.remarks[first + k] for k, name in enumerate(names)}
            if changed.chains is not None:
                record["chains"] = {name: _neighbours(changed.chains, first + k) for k, name in enumerate(names)}
        yield record


def _neighbours(chains: Labels, place: int) -> str:
    """What comes before and after in one chain, on one line."""
    return " · ".join(text for text in (chains[2 * place], chains[2 * place + 1]) if text)

"""What every task provides, and how its units become the record of a pair: outcomes, transitions and labels with tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete, did_you_mean
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import units_of
from outscore.inference.base.question import TestRequest
from outscore.inference.families import correct_family
from outscore.inference.permutation import GAIN_INTERVAL, gain_interval, gain_test, permutation
from outscore.inference.power.observed import units_needed
from outscore.inference.registry import TESTS
from outscore.language.verdict.diff import UNITS, unknown_labels_warning, unused_labels_warning
from outscore.metrics.registry import resolve
from outscore.outputs.items import GOLD, count_labels, rarely_used, unknown_to_gold
from outscore.outputs.model import Chains, Items, Units, Words, choose_slices
from outscore.outputs.outcomes import (
    CHANGED_ERROR,
    CHANGES,
    CORRECTION,
    NEW_ERROR,
    OUTCOMES,
    Changed,
    Contexts,
    Transition,
    confusions,
    count_differing,
    independent_rate,
    label_counts,
    label_rates,
    majority_vote,
    mirror_of,
    oracle_rate,
    outcomes,
    overlap_of_correct,
    solved_by,
    solved_only_by,
    transitions,
    whole_sentences,
)
from outscore.results.analysis import ScoredSubset
from outscore.results.comparison import TestResult
from outscore.results.design import Family
from outscore.results.diff import (
    Confusion,
    Inventory,
    KeyScore,
    LabelOracle,
    LabelRates,
    Oracle,
    OracleRate,
    Outcomes,
    Pair,
    Rates,
    ScoreChange,
    Shift,
)
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue
from outscore.scores.panel import Panel
from outscore.scores.system import Origin

if TYPE_CHECKING:
    from outscore.workflows.requests.diff import DiffRequest

# From aligned units to the record of a pair: outcomes, transitions and labels, each with its clustered test.
#
# Mirror rows of a transition table are one hypothesis: they share one p and count once in the family. Rows with fewer units
# than the minimum support are listed but not tested, so that a label seen twice neither leads the table nor costs the
# others power.


MAX_CONFUSIONS = 200
"""Kinds of errors kept for each system; with free answers, every error is a different kind."""

MAX_INVERTED = 50
"""Up to this many clusters the interval inverts the permutation test; above, Student's is nearly the same, and a comparison of
thirty systems has hundreds of pairs."""
Key = TypeVar("Key")
REPAIRED = -1
KIND_NAMES = {OUTCOMES.index(name): name for name in CHANGES}


def accuracy_change(name: str, first: Array, second: Array, clusters: Array | None, asked: DiffRequest) -> ScoreChange:
    """The share of right answers of both systems, their difference with its interval, and p."""
    gains = second.astype(np.int8) - first.astype(np.int8)
    values = float(first.mean()), float(second.mean())
    p = gain_test(gains, clusters, asked.alpha)
    interval = _interval(first, second, clusters, p, asked)
    needed = None if p.rejects(asked.alpha) else _needed(*_accuracies(first, second, clusters), asked)
    return ScoreChange(name, *values, values[1] - values[0], interval, p, needed)


def mean_change(name: str, first: Array, second: Array, clusters: Array | None, asked: DiffRequest) -> ScoreChange:
    """The mean of a score from 0 to 1 of both systems, their difference with its interval, and p."""
    return _change(name, *_means(first, second, clusters), float(first.mean()), float(second.mean()), asked)


def metric_change(
    metric: AdditiveMetric, first: Array, second: Array, asked: DiffRequest, *, largest: float = 1.0
) -> ScoreChange:
    """Any score of sums, one row for each cluster: both values, their difference with its interval, and p.

    `largest` is the largest difference that the score's scale has room for: a bootstrap interval is cut there.
    """
    before, after = (float(metric.score(rows.sum(axis=0))) for rows in (first, second))
    return _change(metric.name, PairedScores(second, first), metric, before, after, asked, largest)


def _change(
    name: str,
    rows: PairedScores,
    metric: AdditiveMetric,
    first: float,
    second: float,
    asked: DiffRequest,
    largest: float = 1.0,
) -> ScoreChange:
    result = _permute(rows, metric, asked)
    interval = None if result.interval is None else cut_at(result.interval, largest)
    needed = None if result.p.rejects(asked.alpha) else _needed(rows, metric, asked)
    return ScoreChange(name, first, second, second - first, interval, result.p, needed)


def _needed(rows: PairedScores, metric: AdditiveMetric, asked: DiffRequest) -> float | None:
    """How many times as many units detect a true difference as large as the observed one."""
    needed = units_needed(rows, metric, TestRequest(alpha=asked.alpha), TESTS["permutation"])
    return None if needed is None else needed / units_of(rows).rows


def cut_at(interval: Interval, largest: float) -> Interval:
    """An interval that stays within what is possible.

    Examples
    --------
    >>> cut_at(Interval(-1.02, -0.9, 0.95, "centred bootstrap", dual=False), 1.0).low
    -1.0
    """
    low, high = (None if end is None else min(max(end, -largest), largest) for end in (interval.low, interval.high))
    if (low, high) == (interval.low, interval.high):
        return interval
    return replace(interval, low=low, high=high, method=f"{interval.method}, cut at the end of the scale")


def _interval(first: Array, second: Array, clusters: Array | None, p: PValue, asked: DiffRequest) -> Interval | None:
    if clusters is not None and int(clusters.max(initial=0)) >= MAX_INVERTED:
        return gain_interval(second.astype(np.int8) - first.astype(np.int8), clusters, p, asked.alpha)
    return _permute(*_accuracies(first, second, clusters), asked).interval


def _accuracies(first: Array, second: Array, clusters: Array | None) -> tuple[PairedScores, AdditiveMetric]:
    """Right answers of both systems, the second one first."""
    return _means(first.astype(np.int64), second.astype(np.int64), clusters)


def _means(first: Array, second: Array, clusters: Array | None) -> tuple[PairedScores, AdditiveMetric]:
    metric, a, b = resolve("mean", second, first)
    # A cluster may have no item of this kind, and is none then.
    present = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    return PairedScores(a, b, 1, None, present), metric


def _permute(scores: PairedScores, metric: AdditiveMetric, asked: DiffRequest) -> TestResult:
    entry = TESTS["permutation"]
    request = TestRequest(alpha=asked.alpha, seed=asked.seed, options=complete(entry.name, entry.options, {}))
    return entry.run(scores, metric, request)


def pair_of(
    view: View,
    asked: DiffRequest,
    *,
    metrics: Iterable[ScoreChange] = (),
    label_f1: Sequence[ScoredSubset] = (),
    detailed: bool = True,
) -> Pair:
    """Everything about the step from one system to another by one criterion, without words.

    Unless it is `detailed`, transitions, labels and slices are left out.
    """
    units, (first, second) = view.units, view.columns
    counts = np.bincount(outcomes(units, first, second), minlength=len(OUTCOMES))
    shifts: dict[str, list[Shift]] = {}
    labels: list[ScoredSubset] = []
    slices: list[ScoredSubset] = []
    families: dict[str, Family] = {}
    if detailed:
        shifts, families["transitions"] = _shifts(units, first, second, asked)
        labels, families["labels"] = _parts(units, first, second, asked, "label", units.gold, units.labels)
        for column, values in units.slices.items():
            rows, families[column] = _parts(units, first, second, asked, column, values.codes, values.names)
            slices += rows
    return Pair(
        systems=(units.systems[first], units.systems[second]),
        criterion=units.criterion,
        n=units.n,
        clusters=None if units.clusters is None else int((np.bincount(units.clusters) > 0).sum()),
        differ=count_differing(units, first, second) / units.n if units.n else 0.0,
        overlap_correct=overlap_of_correct(units, first, second),
        # Score, difference, interval and p, by the names that they have there, too.
        **vars(view.headline),
        outcomes=Outcomes(*counts.tolist()),
        transitions=shifts,
        labels=labels,
        slices=slices,
        metrics=list(metrics),
        kinds=dict(view.kinds),
        families={name: family for name, family in families.items() if family.m},
        row_intervals=GAIN_INTERVAL if detailed else "",
        label_f1=list(label_f1),
        counted_by=view.counted_by,
    )


def _shifts(units: Units, first: int, second: int, asked: DiffRequest) -> tuple[dict[str, list[Shift]], Family]:
    """Transition rows by class, each tested against its mirror."""
    changes = transitions(units, first, second)
    sizes = {kind: sum(count for change, count in changes.items() if change[0] == kind) for kind in KIND_NAMES}
    adjusted, family = _adjust(_shift_tests(units, first, second, asked, changes), asked.correction)
    rows: dict[str, list[Shift]] = {name: [] for name in CHANGES}
    total = sum(sizes.values())
    for change, count in changes.items():
        kind, gold, source, target = change
        rows[KIND_NAMES[kind]].append(
            Shift(
                source=units.labels[source],
                target=units.labels[target],
                gold=units.labels[gold],
                count=count,
                mirror=changes.get(mirror_of(change), 0),
                share_of_class=count / sizes[kind],
                share_of_changes=count / total,
                p=adjusted.get(_hypothesis(change)),
            )
        )
    return rows, family


def _hypothesis(change: Transition) -> tuple[int, int, int]:
    """One name for a row and its mirror: the right label and the two that were exchanged.

    In a correction or a new error, one of the two is the right label itself, written as `REPAIRED`.
    """
    kind, gold, source, target = change
    if kind == CHANGED_ERROR:
        return gold, min(source, target), max(source, target)
    return gold, REPAIRED, source if kind == CORRECTION else target


def _shift_tests(
    units: Units, first: int, second: int, asked: DiffRequest, changes: Mapping[Transition, int]
) -> dict[tuple[int, int, int], PValue]:
    """p of every hypothesis with enough units: sorting the changed units puts those of one hypothesis together."""
    # A changed error that keeps its label is its own mirror, so there is nothing to test.
    directed = {change: count for change, count in changes.items() if change != mirror_of(change)}
    tested = sorted(
        {
            _hypothesis(change)
            for change, count in directed.items()
            if count + changes.get(mirror_of(change), 0) >= asked.min_support
        }
    )
    kinds = outcomes(units, first, second)
    changed = np.flatnonzero((kinds >= CORRECTION) & (kinds <= CHANGED_ERROR))
    kind, size = kinds[changed], len(units.labels)
    gold = units.gold[changed]
    source, target = units.answers[changed, first], units.answers[changed, second]
    repaired = [kind == CORRECTION, kind == NEW_ERROR]
    low = np.where(kind == CHANGED_ERROR, np.minimum(source, target), REPAIRED)
    high = np.select(repaired, [source, target], np.maximum(source, target))
    gains = np.select(repaired, [1, -1], np.sign(target - source))
    keys = _keys(np.stack([gold, low, high], axis=1), size)
    wanted = _keys(np.array(tested).reshape(-1, 3), size)
    order = np.argsort(keys, kind="stable")
    begins, ends = (np.searchsorted(keys[order], wanted, side=side).tolist() for side in ("left", "right"))
    p_values = {}
    for name, begin, end in zip(tested, begins, ends, strict=True):
        rows = order[begin:end]
        clusters = None if units.clusters is None else units.clusters[changed[rows]]
        p_values[name] = gain_test(gains[rows], clusters, asked.alpha)
    return p_values


def _keys(hypotheses: Array, size: int) -> Array:
    """Each row of three codes as one number."""
    gold, low, high = hypotheses.T.astype(np.int64)
    return np.asarray((gold * (size + 1) + (low - REPAIRED)) * size + high)


def _parts(
    units: Units, first: int, second: int, asked: DiffRequest, column: str, codes: Array, names: Sequence[str]
) -> tuple[list[ScoredSubset], Family]:
    """Both systems on every value of a column; values are the labels of gold or those of a slice."""
    rows_of = dict(_group(codes, len(names)))
    gained = units.correct[:, second].astype(np.int8) - units.correct[:, first].astype(np.int8)
    tested = {
        value: (gained[rows], None if units.clusters is None else units.clusters[rows])
        for value, rows in rows_of.items()
        if len(rows) >= asked.min_support
    }
    p_values = {value: gain_test(*gains, asked.alpha) for value, gains in tested.items()}
    adjusted, family = _adjust(p_values, asked.correction)
    parts = []
    for value, rows in rows_of.items():
        before, after = (float(units.correct[rows, system].mean()) for system in (first, second))
        interval = gain_interval(*tested[value], p_values[value], asked.alpha) if value in tested else None
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        p = adjusted.get(value)
        parts.append(ScoredSubset(column, names[value], len(rows), before, after, after - before, low, high, p))
    return parts, family


def _group(codes: Array, size: int) -> Iterator[tuple[int, Array]]:
    """The rows of each code that occurs."""
    # Two-byte numbers are sorted ten times as fast.
    order = np.argsort(codes.astype(np.uint16) if size <= 1 << 16 else codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(size + 1)).tolist()
    for code, (begin, end) in enumerate(pairwise(bounds)):
        if end > begin:
            yield code, order[begin:end]


def _adjust(p_values: Mapping[Key, PValue], correction: str) -> tuple[dict[Key, PValue], Family]:
    adjusted, family = correct_family(list(p_values.values()), correction)
    return dict(zip(p_values, adjusted, strict=True)), family


def label_f1_of(units: Units, first: int, second: int, asked: DiffRequest, no_label: str | None = None) -> list[ScoredSubset]:
    """F1 of every label that gold has, with its clustered test; rows below the minimum support are not tested."""
    parts: dict[int, tuple[int, float, float]] = {}
    p_values: dict[int, PValue] = {}
    for code in np.unique(units.gold).tolist():
        if units.labels[code] == no_label:
            continue
        metric, before, after = resolve("f1", *(label_counts(units, k, code) for k in (first, second)))
        n = int((units.gold == code).sum())
        parts[code] = n, float(metric.score(before.sum(axis=0))), float(metric.score(after.sum(axis=0)))
        if n >= asked.min_support:
            moved = np.flatnonzero((before != after).any(axis=1))
            kept = moved if len(moved) else np.arange(1)
            rest = before.sum(axis=0) - before[kept].sum(axis=0)
            # Rows that are equal in both systems do not change under a swap, so one row sums all of them.
            pair = PairedScores(np.vstack([after[kept], rest]), np.vstack([before[kept], rest]))
            p_values[code] = permutation(pair, metric, TestRequest(alpha=asked.alpha))
    adjusted, _ = _adjust(p_values, asked.correction)
    return [
        ScoredSubset("label", units.labels[code], n, before, after, after - before, None, None, adjusted.get(code))
        for code, (n, before, after) in parts.items()
    ]


def rates_of(units: Units, no_label: str | None = None) -> tuple[list[LabelRates], list[Confusion]]:
    """Recall, precision and F1 of every label, and the most frequent errors, system by system."""
    rates = [row for k in range(len(units.systems)) for row in label_rates(units, k, without=no_label)]
    return rates, [row for k in range(len(units.systems)) for row in confusions(units, k)[:MAX_CONFUSIONS]]


def oracle_of(units: Units, sentences: Array | None = None) -> Oracle:
    """What the systems could do together, over all units, by gold label and, if units have sentences, on whole sentences."""
    best = int(units.correct.mean(axis=0).argmax())

    def part(label: str, correct: Array, rate: float) -> LabelOracle:
        own = correct.mean(axis=0)
        gains = rate - float(own[best]), rate - float(own.max())
        return LabelOracle(label, len(correct), own.tolist(), rate, independent_rate(correct), *gains)

    whole = part("", units.correct, oracle_rate(units.correct))
    labels = []
    for code, rows in _group(units.gold, len(units.labels)):
        here = units.correct.T[:, rows].T
        labels.append(part(units.labels[code], here, oracle_rate(here)))
    of_sentences = None
    if sentences is not None:
        # Right for the combination if some system has each word right.
        together = whole_sentences(np.asarray(units.correct.any(axis=1))[:, None], sentences)
        of_sentences = part("whole sentences", whole_sentences(units.correct, sentences), float(together.mean()))
    return Oracle(
        all=OracleRate(whole.rate, whole.independent, whole.gain_over_best),
        labels=sorted(labels, key=lambda row: (-row.n, row.label)),
        solved_by=solved_by(units.correct),
        only=dict(zip(units.systems, solved_only_by(units.correct), strict=True)),
        majority=majority_vote(units),
        criterion=units.criterion,
        sentences=of_sentences,
    )


# What every task provides: its scores, and the units of each criterion and pair with their headline score.


File = TypeVar("File", Words, Items, Chains)
WARN_SHARE = 0.005
"""Labels that a system hardly uses deserve a warning if they make up this share of gold."""
MIN_COUNT = 10
"""A label seen less often may be missing by chance, as most free answers are."""


@dataclass(frozen=True, eq=False)
class View:
    """One pair by one criterion: the units, the columns of the two systems, the headline score, and others on demand."""

    units: Units
    columns: tuple[int, int]
    headline: ScoreChange
    metrics: Callable[[], Sequence[ScoreChange]] = tuple
    kinds: Mapping[str, int] = field(default_factory=dict)
    counted_by: str = ""


SystemsPanel = tuple[str, str | None, Panel]
"""A score of all systems: its name, the criterion by which whole sentences are right, where there are several, and who is right
where."""


@dataclass(frozen=True, eq=False)
class Study:
    """One task's files, read and aligned.

    Parameters
    ----------
    task, systems, criteria
        What is compared; the first criterion is the primary one.
    cluster
        The name of what is swapped as one ("sentence"; None if units are independent).
    n
        How many units gold has.
    clusters
        How many sentences or documents gold has, with or without units; None if units are independent.
    scores
        By system: each metric's value or its recall, precision and F1.
    view
        The view of (criterion, first, second).
    together
        Units with all systems, for the oracle.
    agreement
        (k, k) shares of units on which two systems give the same answer.
    changed
        The units worth looking at with all criteria, and where they are in the text.
    keys
        One system scored with another as gold, if the task supports that.
    inventory
        How often each label occurs, in gold and by system.
    origins
        The files.
    answered, no_label
        Units with all answers, for rates by label and confusions, if systems answer with labels; and the label that
        means no label.
    sentences
        The sentence of each unit of `together`, if units are words.
    panels
        All systems by the headline, if they can be ranked by it, and by the scores beside it, which may contradict it.
    """

    task: str
    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    cluster: str | None
    n: int
    scores: Mapping[str, Mapping[str, float | Rates]]
    view: Callable[[str, int, int], View]
    together: Units
    agreement: Array
    changed: Callable[[], tuple[list[Changed], Contexts]]
    keys: Sequence[KeyScore] = ()
    inventory: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    origins: Sequence[Origin] = ()
    notes: Sequence[Note] = ()
    clusters: int | None = None
    answered: Units | None = None
    no_label: str | None = None
    sentences: Array | None = None
    panels: Callable[[], Sequence[SystemsPanel]] = tuple

    @property
    def unit(self) -> str:
        """What is counted."""
        return UNITS[self.task]


def chosen(asked: Sequence[str], available: Sequence[str], task: str) -> tuple[str, ...]:
    """The chosen criteria, in the given order; all criteria of the task if none was chosen.

    Examples
    --------
    >>> chosen((), ("las", "uas"), "dep"), chosen(["uas"], ("las", "uas"), "dep")
    (('las', 'uas'), ('uas',))
    """
    for criterion in asked:
        if criterion not in available:
            raise OutscoreError(f"Task `{task}` has no criterion `{criterion}`.", did_you_mean(criterion, available))
    return tuple(dict.fromkeys(asked)) or tuple(available)


def as_read(output: object, name: str, kind: type[File], read: Callable[[str], File]) -> File | None:
    """An output as it is, or read from its path, under its name; None for anything else."""
    if isinstance(output, (str, os.PathLike)):
        output = read(os.fspath(output))
    if not isinstance(output, kind):
        return None
    return output if output.name == name else replace(output, name=name)


def inventory_counts(units: Units) -> dict[str, dict[str, int]]:
    """How often each label occurs, in gold and by system."""
    given = {name: count_labels(units.answers[:, k], units.labels) for k, name in enumerate(units.systems)}
    return {GOLD: count_labels(units.gold, units.labels), **given}


def sliced(units: Units, columns: Sequence[str]) -> Units:
    """The units with the columns to split by, and no others."""
    return replace(units, slices=choose_slices(units.slices, columns))


def inventory_of(
    study: Study, hint: Callable[[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]], list[str]]
) -> Inventory:
    """Labels that files do not share, and a warning if they are frequent enough to decide a comparison, with a `hint`."""
    if GOLD not in study.inventory:
        return Inventory({}, {}, [])
    gold = study.inventory[GOLD]
    unknown = {name: unknown_to_gold(gold, study.inventory[name]) for name in study.systems}
    unused = {name: rarely_used(gold, study.inventory[name]) for name in study.systems}
    total = sum(gold.values())
    enough = max(MIN_COUNT, WARN_SHARE * total)
    warnings = []
    for name in study.systems:
        missing, n = _frequent(unused[name], gold)
        if n >= enough:
            warnings.append(unused_labels_warning(name, missing, n, total, study.unit))
        foreigners, n = _frequent(unknown[name], study.inventory[name])
        if n >= enough:
            warnings.append(unknown_labels_warning(name, foreigners, n, study.unit))
    if warnings:
        warnings += hint(unknown, unused)
    foreign, rare = ({name: labels for name, labels in several.items() if labels} for several in (unknown, unused))
    return Inventory(foreign, rare, warnings)


def _frequent(labels: Iterable[str], counts: Mapping[str, int]) -> tuple[list[str], int]:
    """The labels that are too frequent to be missing by chance, and how often they occur."""
    frequent = [label for label in labels if counts[label] >= MIN_COUNT]
    return frequent, sum(counts[label] for label in frequent)

"""What every task provides: its scores, and the units of each criterion and pair with their headline score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TypeVar

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.language.verdict.diff import unknown_labels_warning, unused_labels_warning
from outscore.outputs.items import GOLD, count_labels, rarely_used, unknown_to_gold
from outscore.outputs.model import Chains, Items, Units, Words, choose_slices
from outscore.outputs.outcomes import Changed, Contexts
from outscore.results.diff import Inventory, KeyScore, Rates, ScoreChange
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Labels, Origin

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


@dataclass(frozen=True, eq=False)
class OtherScore:
    """A score of all systems that is not the headline; whole sentences are right `by` a criterion if there are several."""

    name: str
    panel: Panel
    by: str | None = None


@dataclass(frozen=True, eq=False)
class Study:
    """One task's files, read and aligned.

    Parameters
    ----------
    task, systems, criteria
        What is compared; the first criterion is the primary one.
    unit, cluster
        The name of a unit and of what is swapped as one ("sentence"; None if units are independent).
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
    counts
        By the index of a system: true positives, false positives and false negatives of each cluster, if the score is F1.
    origins
        The files.
    answered, no_label
        Units with all answers, for rates by label and confusions, if systems answer with labels; and the label that
        means no label.
    sentences
        The sentence of each unit of `together`, if units are words.
    others
        The scores beside the headline, which may contradict it.
    """

    task: str
    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    unit: str
    cluster: str | None
    n: int
    scores: Mapping[str, Mapping[str, float | Rates]]
    view: Callable[[str, int, int], View]
    together: Units
    agreement: Array
    changed: Callable[[], tuple[list[Changed], Contexts]]
    keys: Sequence[KeyScore] = ()
    inventory: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    counts: Callable[[int], Array] | None = None
    origins: Sequence[Origin] = ()
    notes: Sequence[Note] = ()
    clusters: int | None = None
    answered: Units | None = None
    no_label: str | None = None
    sentences: Array | None = None
    others: Callable[[], Sequence[OtherScore]] = tuple


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


def named(output: File, name: str) -> File:
    """The same output under another name."""
    return output if output.name == name else replace(output, name=name)


def label_counts(units: Units) -> dict[str, dict[str, int]]:
    """How often each label occurs, in gold and by system."""
    given = {name: count_labels(units.answers[:, k], units.labels) for k, name in enumerate(units.systems)}
    return {GOLD: count_labels(units.gold, units.labels), **given}


def sliced(units: Units, columns: Sequence[str]) -> Units:
    """The units with the columns to split by, and no others."""
    available = {name: partial(_same, labels) for name, labels in units.slices.items()}
    return replace(units, slices=choose_slices(available, columns))


def _same(labels: Labels) -> Labels:
    return labels


def inventory_of(study: Study) -> Inventory:
    """Labels that files do not share, and a warning if they are frequent enough to decide a comparison."""
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
        foreign, n = _frequent(unknown[name], study.inventory[name])
        if n >= enough:
            warnings.append(unknown_labels_warning(name, foreign, n, study.unit))
    foreigners = {name: labels for name, labels in unknown.items() if labels}
    return Inventory(foreigners, {name: labels for name, labels in unused.items() if labels}, warnings)


def _frequent(labels: Iterable[str], counts: Mapping[str, int]) -> tuple[list[str], int]:
    """The labels that are too frequent to be missing by chance, and how often they occur."""
    frequent = [label for label in labels if counts[label] >= MIN_COUNT]
    return frequent, sum(counts[label] for label in frequent)

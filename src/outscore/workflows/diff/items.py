"""Labels of items: classification, multiple choice, exact-match answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.formats.tables.cells import NO_LABEL
from outscore.formats.tables.labels import exact_and_f1, normalised
from outscore.metrics.outputs import NOTHING, PARTS, class_counts, metric_of_classes
from outscore.outputs.items import (
    GOLD,
    AlignedItems,
    LabelMaps,
    align_items,
    check_maps,
    item_units,
    refuse_other_lengths,
    rename_labels,
)
from outscore.outputs.model import SET_SEPARATOR, SQUAD, UNALIGNED, Items, OutputData, Units
from outscore.outputs.outcomes import Changed, Contexts, agreement, changed_units
from outscore.results.design import Alignment
from outscore.results.diff import Rates, ScoreChange
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Labels
from outscore.workflows.diff.pair import (
    Study,
    SystemsPanel,
    View,
    accuracy_change,
    as_read,
    chosen,
    inventory_counts,
    mean_change,
    metric_change,
    sliced,
)
from outscore.workflows.requests import base, shared

if TYPE_CHECKING:
    from outscore.workflows.requests.diff import DiffRequest

CLASS_SCORES = ("macro-f1", "weighted-f1", "mcc")
"""Scores beside accuracy."""

LOG_OPTIONS = (shared.LOG_TASK, shared.FILTER, shared.FORCE_SAME)
"""Options that only logs have."""
MAX_CLASSES = 50
"""With more classes, as with free answers, macro-F1 and MCC are meaningless and slow."""
MAX_MISSING = 0.1
"""A file that lacks a larger share of gold's items was truncated, or belongs to another test set."""


def load_items(output: object, name: str) -> Items:
    """Items as they are, read from a table, or made from a list of labels in the order of gold's."""
    from outscore.formats.readers import read_labels

    role: Literal["gold", "system"] = "gold" if name == GOLD else "system"
    items = as_read(output, name, Items, partial(read_labels, name=name, role=role))
    if items is not None:
        return items
    labels = [_label(value) for value in np.asarray(output, dtype=object).ravel()]
    if not labels:
        raise OutscoreError(f"`{name}` is empty.", "Give at least one label.")
    if role == "gold" and NO_LABEL in labels:
        raise OutscoreError(
            f"`{name}` has no label at index {labels.index(NO_LABEL)}.", "Fill it in, or remove the item from all lists."
        )
    return Items(name, Labels.of(range(1, len(labels) + 1)), Labels.of(labels))


def _label(value: object) -> str:
    """A label as text: 1.0 is 1, because a gap turns a column of whole numbers into floats; a missing label is no answer."""
    if value is None or value != value or (isinstance(value, str) and not value.strip()):  # noqa: PLR0124 - not a number
        return NO_LABEL
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def item_study(gold: object, systems: Mapping[str, object], maps: LabelMaps, asked: DiffRequest) -> Study:
    """A label per item."""
    key, answers = load_items(gold, GOLD), [load_items(output, name) for name, output in systems.items()]
    refuse_other_lengths(key, answers)
    by_words = key.origin is not None and key.origin.format == SQUAD
    if by_words:
        answers = [replace(items, answers=Labels.of(map(normalised, items.answers.texts()))) for items in answers]
    aligned = align_items(*_apply_maps(key, answers, maps))
    _check_complete(aligned)
    criteria = chosen(asked.criterion, ("label",), "label")
    units = item_units(aligned, cluster=asked.cluster)
    # Texts are slices only on request: most of them are different for every item.
    shown = sliced(replace(units, slices={**aligned.gold.texts, **units.slices}), asked.slice)
    counts, words = _class_counts(units), _word_f1(aligned) if by_words else None
    of_classes = [metric_of_classes(name, counts[0].shape[1] // len(PARTS)) for name in CLASS_SCORES if counts]

    def view(_criterion: str, first: int, second: int) -> View:
        headline = accuracy_change("accuracy", units.correct[:, first], units.correct[:, second], units.clusters, asked)

        def others() -> list[ScoreChange]:
            of_words = []
            if words is not None:
                of_words = [mean_change("f1", words[:, first], words[:, second], units.clusters, asked)]
            ranges = [1.0 - (metric.bounds[0] or 0.0) for metric in of_classes]
            return of_words + [
                metric_change(metric, counts[first], counts[second], asked, largest=largest)
                for metric, largest in zip(of_classes, ranges, strict=True)
            ]

        return View(shown, (first, second), headline, others)

    @cache
    def changed() -> tuple[list[Changed], Contexts]:
        return _changed_items(shown, aligned)

    return Study(
        task="label",
        systems=units.systems,
        criteria=criteria,
        cluster=None if units.clusters is None else asked.cluster or "cluster",
        n=units.n,
        scores={name: _scores(units, counts, of_classes, words, k) for k, name in enumerate(units.systems)},
        view=view,
        together=units,
        answered=units if len(units.labels) <= MAX_CLASSES else None,
        agreement=agreement(units),
        changed=changed,
        inventory=inventory_counts(units),
        panels=lambda: _panels(units, counts, of_classes, words),
        origins=[items.origin for items in (key, *answers) if items.origin is not None],
        notes=[
            *_set_notes(aligned),
            *(
                note
                for items, alignment in zip(aligned.systems, aligned.alignments, strict=True)
                for note in _alignment_notes(items, alignment)
            ),
        ],
    )


def _check_complete(aligned: AlignedItems) -> None:
    """Refuse a truncated file: so many missing answers would decide every comparison."""
    for items, alignment in zip(aligned.systems, aligned.alignments, strict=True):
        if alignment.only_a > MAX_MISSING * aligned.gold.rows:
            raise OutscoreError(
                f"{items.label} answers {alignment.common:,} of the {aligned.gold.rows:,} items of {aligned.gold.label}.",
                "Add the missing items, with empty answers if need be, or give gold for the items that all systems answer.",
            )


def _set_notes(aligned: AlignedItems) -> Iterator[Note]:
    """How lists of labels are read."""
    if not aligned.gold.are_sets:
        return
    single = [items.name for items in aligned.systems if not items.are_sets]
    if single:
        yield Note("reading", f"Gold lists accepted answers; an answer of {', '.join(single)} is right if it is one of them.")
    if len(single) < len(aligned.systems):
        yield Note("reading", "Answers are sets of labels; an answer is right if it equals gold's set.")


def _alignment_notes(items: Items, alignment: Alignment) -> Iterator[Note]:
    if alignment.only_a:
        text = f"{items.name} lacks {alignment.only_a:,} items of gold; they count as wrong ({UNALIGNED})."
        yield Note("input", text)
    if alignment.only_b:
        yield Note("input", f"{items.name} has {alignment.only_b:,} items that gold lacks; they are left out.")
    if alignment.duplicates:
        rows = f"{alignment.duplicates:,} {'row' if alignment.duplicates == 1 else 'rows'} of gold and {items.name}"
        yield Note("input", f"{rows} repeat an item with the same answer; each item counts once.")
    if alignment.conflicts:
        other = f"The file of {items.name} and gold give different right answers to {alignment.conflicts:,} items"
        yield Note("input", f"{other}; gold's were used.")


def _apply_maps(gold: Items, systems: list[Items], maps: LabelMaps) -> tuple[Items, list[Items]]:
    if not maps:
        return gold, systems
    check_maps(maps, {GOLD: gold.answers.names, **{items.name: items.answers.names for items in systems}})
    first, *others = (
        replace(items, answers=rename_labels(items.answers, maps, name))
        for name, items in [(GOLD, gold), *((items.name, items) for items in systems)]
    )
    return first, others


def classes_of(units: Units) -> Array:
    """The codes of labels that are classes: a missing answer is not one, unless gold itself has items without a label."""
    in_gold = set(units.gold.tolist())
    named = enumerate(units.labels)
    return np.array([code for code, name in named if name not in (NO_LABEL, UNALIGNED) or code in in_gold], dtype=np.int64)


def label_class_counts(units: Units, groups: Array | None = None) -> list[Array]:
    """Per system the sums from which macro-F1 and the like are computed, a row for each item, or for each of `groups`.

    A missing answer belongs to no class.
    """
    label = classes_of(units)
    place = np.full(len(units.labels), NOTHING, dtype=np.int64)
    place[label] = np.arange(len(label))
    classes = max(2, len(label))
    return [class_counts(place[units.gold], place[answers], classes, groups) for answers in units.answers.T]


def _class_counts(units: Units) -> list[Array]:
    """Per system the counts by class, a row for each cluster or item; none if there are too many classes."""
    if len(units.labels) > MAX_CLASSES:
        return []
    return label_class_counts(units, None if units.clusters is None else np.unique(units.clusters, return_inverse=True)[1])


def _word_f1(aligned: AlignedItems) -> Array:
    """(items, systems) the F1 of words of each answer, as SQuAD has it."""
    right = [accepted.split(SET_SEPARATOR) for accepted in aligned.gold.answers.texts()]
    columns = []
    for items, rows in zip(aligned.systems, aligned.rows, strict=True):
        answers = [UNALIGNED if row < 0 else items.answers[row] for row in rows.tolist()]
        columns.append([exact_and_f1(accepted, answer)[1] for accepted, answer in zip(right, answers, strict=True)])
    return np.array(columns, dtype=np.float64).T


def _panels(units: Units, counts: list[Array], of_classes: Sequence[AdditiveMetric], words: Array | None) -> list[SystemsPanel]:
    """Accuracy, F1 of words, and the scores of classes unless there are too many of them."""
    right = Panel.of("mean", units.systems, units.correct.T.astype(np.int64), clusters=units.clusters)
    scores: list[SystemsPanel] = [("accuracy", None, right)]
    if words is not None:
        scores.append(("f1", None, Panel.of("mean", units.systems, words.T, clusters=units.clusters)))
    # These have a row for each cluster already.
    by_class = np.stack(counts) if counts else np.empty(0)
    return [*scores, *((metric.name, None, Panel.of(metric.name, units.systems, by_class)) for metric in of_classes)]


def _scores(
    units: Units, counts: list[Array], of_classes: Sequence[AdditiveMetric], words: Array | None, system: int
) -> dict[str, float | Rates]:
    accuracy = float(units.correct[:, system].mean())
    scores: dict[str, float | Rates] = {"accuracy": accuracy, "micro_f1": accuracy}
    if words is not None:
        scores["f1"] = float(words[:, system].mean())
    for metric in of_classes:
        scores[metric.name.replace("-", "_")] = float(metric.score(counts[system].sum(axis=0)))
    return scores


def _changed_items(units: Units, aligned: AlignedItems) -> tuple[list[Changed], Contexts]:
    """Items that some system has wrong, with the texts beside them."""
    rows = changed_units(units)
    gold = aligned.gold
    columns = {**_texts(aligned), **gold.texts}
    texts = tuple(tuple(labels[row] for labels in columns.values()) for row in rows.tolist())
    ids = tuple(gold.ids[row] for row in rows.tolist())
    nowhere = np.zeros(len(rows), dtype=np.int64)
    return [Changed(units.take(rows), np.arange(len(rows)), nowhere, nowhere)], Contexts(ids, texts, tuple(columns))


def _texts(aligned: AlignedItems) -> dict[str, Labels]:
    """Texts of systems that cover all items."""
    texts: dict[str, Labels] = {}
    for items, rows in zip(aligned.systems, aligned.rows, strict=True):
        if (rows >= 0).all():
            texts |= {name: labels.take(rows) for name, labels in items.texts.items()}
    return texts


def read_together(paths: Sequence[str], asked: DiffRequest) -> OutputData[Items] | None:
    """Logs, which contain the right answers beside those of systems, or one table with all of them."""
    from outscore.formats.logs.find import are_logs

    if are_logs(paths):
        from outscore.formats.logs.choose import LogQuestion, read_answers

        task, filtered, force_same = (asked.value(option.name) for option in LOG_OPTIONS)
        return read_answers(paths, LogQuestion(task, filter=filtered, force_same=force_same))
    for option in LOG_OPTIONS:
        if asked.is_given(option):
            base.LOGS.cured("Leave --{long} out.").refuse(option, asked.value(option.name))
    if len(paths) > 1:
        return None
    from outscore.formats.tables.labels import read_label_table

    return read_label_table(paths[0])

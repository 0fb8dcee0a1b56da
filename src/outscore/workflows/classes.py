"""Answers of several classes: what macro-F1 and the like are made of, in place of right and wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import parse_spec
from outscore.language.numbers import count
from outscore.metrics.multiclass import NOTHING, class_counts
from outscore.metrics.registry import METRICS
from outscore.results.note import Note
from outscore.scores.system import NO_ANSWER, Labels, Scores

__all__ = ["class_notes", "counted_by_class", "has_classes", "refuse_free_answers"]

MAX_CLASSES = 200
"""More right answers than this are no classes: they are free answers."""


def has_classes(metric: object) -> bool:
    """Whether a metric is one of answers that belong to several classes.

    Examples
    --------
    >>> has_classes("macro-f1"), has_classes("accuracy"), has_classes(None)
    (True, False, False)
    """
    if not isinstance(metric, str):
        return False
    entry = METRICS.get(parse_spec(metric)[0])
    return entry is not None and entry.many is not None


def counted_by_class(systems: Sequence[Scores], metric: str | AdditiveMetric | None) -> list[Scores]:
    """The systems with counts by class in place of scores, where the metric is made of these and answers and gold are known.

    An empty answer belongs to no class, an answer that gold never has is a class of its own.

    Examples
    --------
    >>> answers, gold = Labels.of(["cat", "dog", "cat"]), Labels.of(["cat", "dog", "dog"])
    >>> (found,) = counted_by_class([Scores("new", np.array([1, 1, 0]), answers=answers, gold=gold)], "macro-f1")
    >>> found.values.tolist()
    [[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1]]
    """
    if not has_classes(metric) or any(one.answers is None or one.gold is None for one in systems):
        return list(systems)
    names: dict[str, int] = {}
    coded = []
    for one in systems:
        assert one.gold is not None
        assert one.answers is not None
        coded.append((_coded(one.gold, names), _coded(one.answers, names)))
    # Classes in order of their names, so that the order of rows and files does not matter.
    place = {names[name]: rank for rank, name in enumerate(sorted(name for name in names if name != NO_ANSWER))}
    moved = np.array([place.get(code, NOTHING) for code in range(len(names))], dtype=np.int64)
    refuse_free_answers(len(place), metric)
    found = []
    for one, (gold, answers) in zip(systems, coded, strict=True):
        empty = np.flatnonzero(moved[gold] == NOTHING)
        if len(empty):
            raise one.row_error(int(empty[0]), f"{one.place(int(empty[0]))}: the right answer is empty.", "Give each item one.")
        found.append(replace(one, values=class_counts(moved[gold], moved[answers], max(2, len(place)))))
    return found


def refuse_free_answers(values: int, metric: str | AdditiveMetric | None) -> None:
    """Refuse to take so many values as classes."""
    if values > MAX_CLASSES:
        raise OutscoreError(
            f"The answers have {values:,} different values: these are no classes, and {metric} is for classes.",
            "Leave --metric out to compare how often answers are right.",
            parameter="metric",
        )


def class_notes(systems: Sequence[Scores], metric: str | AdditiveMetric | None) -> list[Note]:
    """How many classes there are, and which answers are of none that gold has; nothing where classes were not counted."""
    if not has_classes(metric) or any(one.answers is None or one.gold is None or one.values.ndim == 1 for one in systems):
        return []
    right = {one.gold.names[code] for one in systems if one.gold is not None for code in np.unique(one.gold.codes).tolist()}
    told = f"Answers were counted by class: the right ones have {len(right):,} different values"
    notes = [Note("input", f"{told}; `outscore diff --task label` shows which ones changed.")]
    for one in systems:
        assert one.answers is not None
        strange = [name not in right and name != NO_ANSWER for name in one.answers.names]
        found = np.flatnonzero(np.array(strange, dtype=bool)[one.answers.codes])
        if len(found):
            what = f"{count(len(found), 'answer')} of {one.name}"
            verb = "is none of the right classes" if len(found) == 1 else "are none of the right classes"
            notes.append(
                Note("input", f"{what} {verb}, such as `{one.answers[int(found[0])]}`; macro-F1 takes them as classes.")
            )
    return notes


def _coded(labels: Labels, names: dict[str, int]) -> Array:
    codes = np.array([names.setdefault(name, len(names)) for name in labels.names], dtype=np.int64)
    return codes[labels.codes]

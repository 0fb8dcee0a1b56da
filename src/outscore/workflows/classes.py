"""Answers of several classes, counted for macro-F1 and the like, instead of right and wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import parse_spec
from outscore.language.numbers import count
from outscore.metrics.outputs import NOTHING, class_counts
from outscore.metrics.registry import METRICS
from outscore.results.note import Note
from outscore.scores.system import NO_ANSWER, Labels, Scores

MAX_CLASSES = 200
"""More different right answers than this are not classes but free answers."""


def has_classes(metric: object) -> bool:
    """Whether a metric is for answers that belong to several classes.

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
    """The systems with counts by class instead of scores, if the metric needs those and answers and gold are known.

    An empty answer belongs to no class; an answer that never occurs in gold is a separate class.

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
    counted = []
    for one, (gold, answers) in zip(systems, coded, strict=True):
        empty = np.flatnonzero(moved[gold] == NOTHING)
        if len(empty):
            raise one.row_error(int(empty[0]), f"{one.place(int(empty[0]))}: the right answer is empty.", "Give each item one.")
        counted.append(replace(one, values=class_counts(moved[gold], moved[answers], max(2, len(place)))))
    return counted


def refuse_free_answers(values: int, metric: str | AdditiveMetric | None) -> None:
    """Refuse to treat too many different values as classes."""
    if values > MAX_CLASSES:
        raise OutscoreError(
            f"The answers have {values:,} different values, which are too many to be classes, but {metric} is for classes.",
            "Leave --metric out to compare how often answers are right.",
            parameter="metric",
        )


def class_notes(systems: Sequence[Scores], metric: str | AdditiveMetric | None) -> list[Note]:
    """How many classes there are, and which answers belong to none in gold; nothing if classes were not counted."""
    if not has_classes(metric) or any(one.answers is None or one.gold is None or one.values.ndim == 1 for one in systems):
        return []
    right = {one.gold.names[code] for one in systems if one.gold is not None for code in np.unique(one.gold.codes).tolist()}
    start = f"Answers were counted by class; the right ones have {len(right):,} different values"
    notes = [Note("input", f"{start}; `outscore diff --task label` shows which ones changed.")]
    for one in systems:
        assert one.answers is not None
        strange = [name not in right and name != NO_ANSWER for name in one.answers.names]
        strange_rows = np.flatnonzero(np.array(strange, dtype=bool)[one.answers.codes])
        if len(strange_rows):
            what = f"{count(len(strange_rows), 'answer')} of {one.name}"
            verb = "is not one of the right classes" if len(strange_rows) == 1 else "are not among the right classes"
            notes.append(
                Note("input", f"{what} {verb}, such as `{one.answers[int(strange_rows[0])]}`; macro-F1 counts them as classes.")
            )
    return notes


def _coded(labels: Labels, names: dict[str, int]) -> Array:
    codes = np.array([names.setdefault(name, len(names)) for name in labels.names], dtype=np.int64)
    return codes[labels.codes]

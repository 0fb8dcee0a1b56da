"""Scores of many-class labels as functions of sums: per class the right answers, the answers given and those of gold."""

from __future__ import annotations

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array

__all__ = ["class_counts", "macro_f1", "multiclass_mcc"]


def class_counts(gold: Array, answers: Array, classes: int, groups: Array | None = None) -> Array:
    """(groups, 3 · classes) counts: right answers, answers and gold units of each class; every unit a group without `groups`.

    Examples
    --------
    >>> class_counts(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, np.array([0, 0, 0]))
    array([[1, 1, 2, 1, 1, 2]])
    """
    rows = np.arange(len(gold)) if groups is None else groups
    n = int(rows.max(initial=-1)) + 1
    table = np.zeros((n, 3 * classes), dtype=np.int64)
    right = gold == answers
    np.add.at(table, (rows[right], gold[right]), 1)
    np.add.at(table, (rows, classes + answers), 1)
    np.add.at(table, (rows, 2 * classes + gold), 1)
    return table


def _columns(classes: int) -> tuple[str, ...]:
    return tuple(f"{what} {k}" for what in ("right", "given", "gold") for k in range(classes))


def _parts(x: Array) -> tuple[Array, Array, Array]:
    right, given, gold = np.split(x, 3, axis=-1)
    return right, given, gold


def macro_f1(classes: int) -> AdditiveMetric:
    """The mean F1 over the classes that occur in gold or in the answers.

    Examples
    --------
    >>> round(float(macro_f1(2).score(np.array([1, 1, 2, 1, 1, 2]))), 6)
    0.666667
    """

    def function(x: Array) -> Array:
        right, given, gold = _parts(x)
        size = given + gold
        f1 = np.divide(2.0 * right, size, out=np.zeros(np.shape(size)), where=size > 0)
        return np.asarray(f1.sum(axis=-1) / np.maximum((size > 0).sum(axis=-1), 1))

    return AdditiveMetric("macro-f1", _columns(classes), function)


def multiclass_mcc(classes: int) -> AdditiveMetric:
    """Matthews' correlation of many classes (Gorodkin, 2004, R_K), 0 where it is 0/0.

    Examples
    --------
    >>> round(float(multiclass_mcc(2).score(np.array([1, 1, 2, 1, 1, 2]))), 6)
    0.5
    """

    def function(x: Array) -> Array:
        right, given, gold = (part.astype(float) for part in _parts(x))
        n, hits = gold.sum(axis=-1), right.sum(axis=-1)
        top = hits * n - (given * gold).sum(axis=-1)
        spread = (n * n - (given * given).sum(axis=-1)) * (n * n - (gold * gold).sum(axis=-1))
        bottom = np.sqrt(spread)
        return np.asarray(np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom > 0))

    return AdditiveMetric("mcc", _columns(classes), function)

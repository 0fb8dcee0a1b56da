"""Scores of outputs as functions of sums: labels of many classes, and chains of coreference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric, Precise, moving
from outscore.core.numeric import Array
from outscore.metrics.entry import Layout, divide, require_counts

# Scores of many-class labels as functions of sums: per class the right answers, the answers given and those of gold.
#
# A row has three numbers for each class: first the right answers of all classes, then the answers given, then those of
# gold. A unit without an answer is in none of the answers given. Where a score would be 0/0 it is 0.


PARTS = ("right", "given", "gold")
"""What is counted of each class."""
NOTHING = -1
"""The code of an answer that is missing."""


def class_counts(gold: Array, answers: Array, classes: int, groups: Array | None = None) -> Array:
    """(groups, 3 · classes) counts: right answers, answers and gold units of each class; every unit a group without `groups`.

    A unit whose answer is -1 was not answered.

    Examples
    --------
    >>> class_counts(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, np.array([0, 0, 0]))
    array([[1, 1, 2, 1, 1, 2]])
    """
    rows = np.arange(len(gold)) if groups is None else groups
    n = int(rows.max(initial=-1)) + 1
    table = np.zeros((n, 3 * classes), dtype=np.int64)
    right, given = gold == answers, answers != NOTHING
    np.add.at(table, (rows[right], gold[right]), 1)
    np.add.at(table, (rows[given], classes + answers[given]), 1)
    np.add.at(table, (rows, 2 * classes + gold), 1)
    return table


def class_layout(classes: int) -> Layout:
    """Rows of counts by class, unchanged; an answer cannot be right more often than it was given, or than gold has it."""

    def rows(table: Array) -> Array:
        require_counts(table)
        right, given, gold = _parts(table)
        bad = ((right > given) | (right > gold)).any(axis=1)
        if bad.any():
            row = int(bad.argmax())
            raise OutscoreError(
                f"Row {row + 1} has more right answers of a class than answers of it, or than gold has.",
                f"With {classes} classes a row contains the right answers, then the answers, then the gold units of each.",
            )
        return table

    return Layout(_columns(classes), rows, lambda table: table)


def by_class(name: str, width: int) -> tuple[Layout, AdditiveMetric] | None:
    """The metric of as many classes as rows of a width count, and their layout; None for rows that are no such counts."""
    classes, rest = divmod(width, len(PARTS))
    return None if rest or classes < 2 else (class_layout(classes), metric_of_classes(name, classes))


def _columns(classes: int) -> tuple[str, ...]:
    return tuple(f"{what} {k}" for what in PARTS for k in range(classes))


def _parts(x: Array) -> list[Array]:
    """What is right, given and in gold of each class."""
    return np.split(numbers(x), len(PARTS), axis=-1)


def numbers(x: Array) -> Array:
    """Sums as floats, unless they are fractions, with which every formula below is exact."""
    sums = np.asarray(x)
    return sums if sums.dtype == object else sums.astype(float)


def exact(function: Callable[[Array], Array], totals: Sequence[Fraction]) -> Fraction:
    """What a formula gives for fractions."""
    return Fraction(np.asarray(function(np.array(totals, dtype=object))).item())


def _macro_f1(x: Array) -> Array:
    right, given, gold = _parts(x)
    size = given + gold
    return divide(divide(2 * right, size).sum(axis=-1), (size > 0).sum(axis=-1))


def _weighted_f1(x: Array) -> Array:
    right, given, gold = _parts(x)
    return divide((gold * divide(2 * right, given + gold)).sum(axis=-1), gold.sum(axis=-1))


def _balanced_accuracy(x: Array) -> Array:
    right, _, gold = _parts(x)
    return divide(divide(right, gold).sum(axis=-1), (gold > 0).sum(axis=-1))


def _kappa(x: Array) -> Array:
    """(n · right - Σ given · gold) / (n² - Σ given · gold), which is (p_o - p_e) / (1 - p_e)."""
    right, given, gold = _parts(x)
    n, chance = gold.sum(axis=-1), (given * gold).sum(axis=-1)
    return divide(n * right.sum(axis=-1) - chance, n * n - chance)


def _correlated(x: Array) -> tuple[Any, list[Any]]:
    """The covariance of answers and gold, and the variances of both, all of them times n²."""
    right, given, gold = _parts(x)
    n = gold.sum(axis=-1)
    top = right.sum(axis=-1) * n - (given * gold).sum(axis=-1)
    return top, [n * n - (part * part).sum(axis=-1) for part in (given, gold)]


def _mcc(x: Array) -> Array:
    top, spreads = _correlated(x)
    given, gold = (np.sqrt(np.maximum(spread, 0.0)) for spread in spreads)
    return divide(top, given * gold)


def _precise_mcc(totals: Sequence[Fraction]) -> Decimal:
    top, spreads = _correlated(np.array(totals, dtype=object))
    return precise_correlation(top, spreads)


def precise_correlation(top: Fraction, spreads: Sequence[Fraction]) -> Decimal:
    """top / √(product of spreads) with 60 digits; 0 where one of them is nothing, or less."""
    if min(spreads) <= 0:
        return Decimal(0)
    with localcontext() as context:
        context.prec = 60
        ratio = top * top / math.prod(spreads)
        root = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).sqrt()
        return -root if top < 0 else root


OF_CLASSES: Mapping[str, tuple[Callable[[Array], Array], float, Callable[[Sequence[Fraction]], Precise]]] = MappingProxyType(
    {
        # The mean F1 over the classes that occur in gold or in the answers.
        "macro-f1": (_macro_f1, 0.0, partial(exact, _macro_f1)),
        # The F1 of the classes, each weighted by how often gold has it.
        "weighted-f1": (_weighted_f1, 0.0, partial(exact, _weighted_f1)),
        # The mean recall over the classes that gold has.
        "balanced-accuracy": (_balanced_accuracy, 0.0, partial(exact, _balanced_accuracy)),
        "kappa": (_kappa, -1.0, partial(exact, _kappa)),
        # Matthews' correlation of many classes (Gorodkin, 2004, R_K).
        "mcc": (_mcc, -1.0, _precise_mcc),
    }
)
"""Metrics of labels: the function of counts by class, its least value, and how it is computed to the last digit."""


def metric_of_classes(name: str, classes: int) -> AdditiveMetric:
    """One of `OF_CLASSES` for labels of so many classes.

    Examples
    --------
    >>> {name: round(float(metric_of_classes(name, 2).score(np.array([1, 1, 2, 1, 1, 2]))), 6) for name in OF_CLASSES}
    {'macro-f1': 0.666667, 'weighted-f1': 0.666667, 'balanced-accuracy': 0.75, 'kappa': 0.4, 'mcc': 0.5}
    """
    function, least, precise = OF_CLASSES[name]
    columns = _columns(classes)
    # A wrong label: no right answer, whichever class was given instead.
    wrong = moving(columns, dict.fromkeys(columns[:classes]))
    return AdditiveMetric(name, columns, function, precise=precise, bounds=(least, 1.0), emptied=wrong)


# Scores of coreference as functions of per-document sums: recall, precision and F1 of MUC, B³, CEAFe, LEA and ARCS.
#
# `COREF` has each measure's scores over the same columns, so that one table of documents serves all three. Where recall and
# precision share their numerator, F1 is a ratio of sums; those of MUC and ARCS are whole numbers, which exact kernels take.
# A score that would be 0/0 is 0.


COREF_PARTS = ("r", "p", "f1")
"""Recall, precision and their harmonic mean."""

_MUC = ("common links", "gold links", "system links")
_B_CUBED = ("recalled", "gold mentions", "precise", "system mentions")
_CEAFE = ("similarity", "gold chains", "system chains")
_LEA = ("resolved in gold", "gold mentions", "resolved in system", "system mentions")
_ARCS = ("tp", "wl", "fn", "fp")


def _f1(totals: Array) -> Array:
    """2RP/(R + P) of sums whose recall and precision have numerators of their own."""
    r, of_gold, p, of_system = np.moveaxis(numbers(totals), -1, 0)
    return divide(2 * r * p, r * of_system + p * of_gold)


def _conll(totals: Array) -> Array:
    """Mean F1 of MUC, B³ and CEAFe, whose columns stand side by side (Pradhan et al., 2012); also called MELA."""
    x = numbers(totals)
    return (divide(2 * x[..., 0], x[..., 1] + x[..., 2]) + _f1(x[..., 3:7]) + divide(2 * x[..., 7], x[..., 8] + x[..., 9])) / 3


def _ratios(name: str, columns: tuple[str, ...], **ratios: tuple[Sequence[int], Sequence[int]]) -> dict[str, AdditiveMetric]:
    return {part: AdditiveMetric(_name_of_part(name, part), columns, ratio=ratio) for part, ratio in ratios.items()}


def _name_of_part(name: str, part: str) -> str:
    return name if part == "f1" else f"{name}-{ {'r': 'recall', 'p': 'precision'}[part] }"


def _shared_numerator(name: str, columns: tuple[str, ...]) -> dict[str, AdditiveMetric]:
    return _ratios(name, columns, r=((1, 0, 0), (0, 1, 0)), p=((1, 0, 0), (0, 0, 1)), f1=((2, 0, 0), (0, 1, 1)))


def _two_numerators(name: str, columns: tuple[str, ...]) -> dict[str, AdditiveMetric]:
    return {
        **_ratios(name, columns, r=((1, 0, 0, 0), (0, 1, 0, 0)), p=((0, 0, 1, 0), (0, 0, 0, 1))),
        "f1": AdditiveMetric(name, columns, _f1, precise=partial(exact, _f1), bounds=(0.0, 1.0)),
    }


def _arcs(name: str) -> dict[str, AdditiveMetric]:
    return _ratios(name, _ARCS, r=((1, 0, 0, 0), (1, 1, 1, 0)), p=((1, 0, 0, 0), (1, 1, 0, 1)), f1=((2, 0, 0, 0), (2, 2, 1, 1)))


COREF: Mapping[str, Mapping[str, AdditiveMetric]] = MappingProxyType(
    {
        "conll": {
            "f1": AdditiveMetric("conll", _MUC + _B_CUBED + _CEAFE, _conll, precise=partial(exact, _conll), bounds=(0.0, 1.0))
        },
        "muc": _shared_numerator("muc", _MUC),
        "b3": _two_numerators("b3", _B_CUBED),
        "ceafe": _shared_numerator("ceafe", _CEAFE),
        "lea": _two_numerators("lea", _LEA),
        "arcs-any": _arcs("arcs-any"),
        "arcs-nom": _arcs("arcs-nom"),
    }
)
"""Each measure by name: its scores by part (the CoNLL mean has an F1 only), all over the same columns."""

COREF_CITATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "conll": ("pradhan2012", "pradhan2014"),
        "muc": ("vilain1995", "pradhan2014"),
        "b3": ("bagga1998", "pradhan2014"),
        "ceafe": ("luo2005", "pradhan2014"),
        "lea": ("moosavi2016",),
        "arcs-any": ("tuggener2014",),
        "arcs-nom": ("tuggener2014",),
    }
)
"""Each measure by name: keys of works in ``report/works.bib``."""

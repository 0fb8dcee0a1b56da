"""Scores of coreference as functions of per-document sums: recall, precision and F1 of MUC, B³, CEAFe, LEA and ARCS.

`COREF` has each measure's scores over the same columns, so that one table of documents serves all three.
Where recall and precision share their numerator, F1 is a ratio of sums; those of MUC and ARCS are whole
numbers, which exact kernels take. A score that would be 0/0 is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array

PARTS = ("r", "p", "f1")
"""Recall, precision and their harmonic mean."""

Number = TypeVar("Number", Array, Fraction)

_MUC = ("common links", "gold links", "system links")
_B_CUBED = ("recalled", "gold mentions", "precise", "system mentions")
_CEAFE = ("similarity", "gold chains", "system chains")
_LEA = ("resolved in gold", "gold mentions", "resolved in system", "system mentions")
_ARCS = ("tp", "wl", "fn", "fp")


def _harmonic(r: Number, of_gold: Number, p: Number, of_system: Number) -> tuple[Number, Number]:
    """Numerator and denominator of 2RP/(R + P) for R = r/of_gold and P = p/of_system."""
    return 2 * r * p, r * of_system + p * of_gold


def _divide(top: Array, bottom: Array) -> Array:
    defined = bottom != 0
    return np.where(defined, top / np.where(defined, bottom, 1.0), 0.0)


def _f1(totals: Array) -> Array:
    """F1 of sums whose recall and precision have numerators of their own."""
    r, of_gold, p, of_system = np.moveaxis(np.asarray(totals, dtype=float), -1, 0)
    return _divide(*_harmonic(r, of_gold, p, of_system))


def _precise_f1(totals: Sequence[Fraction]) -> Fraction:
    top, bottom = _harmonic(*totals)
    return top / bottom if bottom else Fraction(0)


def _conll(totals: Array) -> Array:
    """Mean F1 of MUC, B³ and CEAFe, whose columns stand side by side (Pradhan et al., 2012); also called MELA."""
    x = np.asarray(totals, dtype=float)
    return (
        _divide(2 * x[..., 0], x[..., 1] + x[..., 2]) + _f1(x[..., 3:7]) + _divide(2 * x[..., 7], x[..., 8] + x[..., 9])
    ) / 3


def _precise_conll(totals: Sequence[Fraction]) -> Fraction:
    muc, ceafe = (_precise_f1((x, gold, x, system)) for x, gold, system in (totals[:3], totals[7:]))
    return (muc + _precise_f1(totals[3:7]) + ceafe) / 3


def _ratios(name: str, columns: tuple[str, ...], **ratios: tuple[Sequence[int], Sequence[int]]) -> dict[str, AdditiveMetric]:
    return {part: AdditiveMetric(_name_of_part(name, part), columns, ratio=ratio) for part, ratio in ratios.items()}


def _name_of_part(name: str, part: str) -> str:
    return name if part == "f1" else f"{name}-{ {'r': 'recall', 'p': 'precision'}[part] }"


def _shared_numerator(name: str, columns: tuple[str, ...]) -> dict[str, AdditiveMetric]:
    return _ratios(name, columns, r=((1, 0, 0), (0, 1, 0)), p=((1, 0, 0), (0, 0, 1)), f1=((2, 0, 0), (0, 1, 1)))


def _two_numerators(name: str, columns: tuple[str, ...]) -> dict[str, AdditiveMetric]:
    return {
        **_ratios(name, columns, r=((1, 0, 0, 0), (0, 1, 0, 0)), p=((0, 0, 1, 0), (0, 0, 0, 1))),
        "f1": AdditiveMetric(name, columns, _f1, precise=_precise_f1, bounds=(0.0, 1.0)),
    }


def _arcs(name: str) -> dict[str, AdditiveMetric]:
    return _ratios(name, _ARCS, r=((1, 0, 0, 0), (1, 1, 1, 0)), p=((1, 0, 0, 0), (1, 1, 0, 1)), f1=((2, 0, 0, 0), (2, 2, 1, 1)))


COREF: Mapping[str, Mapping[str, AdditiveMetric]] = MappingProxyType(
    {
        "conll": {"f1": AdditiveMetric("conll", _MUC + _B_CUBED + _CEAFE, _conll, precise=_precise_conll, bounds=(0.0, 1.0))},
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
"""Each measure by name: keys of works in ``report/references/works.bib``."""

"""The same comparison on every part of the data, with p corrected for the number of parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.errors import OutscoreError
from outscore.inference.multiplicity import CORRECTIONS, adjust
from outscore.options import did_you_mean
from outscore.procedure.compare import compare
from outscore.procedure.verdicts import worded
from outscore.results import Comparison, Family, PValue, Slice

__all__ = ["check_correction", "compare_slices"]


def check_correction(correction: str) -> None:
    """Refuse an unknown correction."""
    if correction not in CORRECTIONS:
        raise OutscoreError(f"There is no correction `{correction}`.", did_you_mean(correction, CORRECTIONS))


def compare_slices(
    a: object,
    b: object,
    column: str,
    values: Sequence[str],
    *,
    correction: str = "holm",
    alpha: float = 0.05,
    **asked: Any,  # noqa: ANN401 - as `compare` takes them
) -> tuple[list[Comparison], Family, list[str]]:
    """Every slice compared, the family they make, and a note on each slice that the test cannot serve.

    `values` names the slice of each row; the other parameters are those of `compare`. Slices of one item are compared too,
    where the test allows it. The decision of a slice rests on its corrected p.

    Examples
    --------
    >>> parts, family, notes = compare_slices([3, 4, 5, 1], [1, 2, 1, 2], "topic", ["x", "x", "x", "y"])
    >>> [(part.slice.value, part.p.value, part.p.adjusted) for part in parts], family.m, notes
    ([('x', 0.25, 0.5), ('y', 1.0, 1.0)], 2, [])
    """
    check_correction(correction)
    rows_a, rows_b, names = np.asarray(a), np.asarray(b), np.asarray(values)
    per_row = {k: np.asarray(asked.pop(k)) for k in ("items", "clusters", "labels") if asked.get(k) is not None}
    found, notes = [], []
    for value in dict.fromkeys(names.tolist()):
        here = names == value
        chosen = {k: v[here] for k, v in per_row.items()}
        try:
            result = compare(rows_a[here], rows_b[here], alpha=alpha, **asked, **chosen)
        except OutscoreError as refusal:
            # One slice too small for the test must not cost the others.
            notes.append(f"Slice {column} = {value} was left out: {refusal.message}")
            continue
        found.append(replace(result, slice=Slice(column, str(value))))
    if not found:
        raise OutscoreError(f"No slice of `{column}` can be compared. {notes[0]}", "Leave the slices out.")
    adjusted = adjust([_claimed(c.p) for c in found], correction)
    corrected = [_corrected(c, float(q), alpha, asked) for c, q in zip(found, adjusted, strict=True)]
    return corrected, Family(correction, CORRECTIONS[correction].error_rate, len(corrected)), notes


def _claimed(p: PValue) -> float:
    """The p that a claim may rest on: the upper end of certified bounds; sampled p are valid as they are."""
    return p.upper if p.method == "certified" else p.value


def _corrected(c: Comparison, adjusted: float, alpha: float, asked: Mapping[str, Any]) -> Comparison:
    """The slice with its corrected p, and with words that follow from it and name the slice."""
    question: dict[str, Any] = {
        "alpha": alpha,
        "alternative": asked.get("alternative", "two-sided"),
        "delta": asked.get("delta", 0.0),
    }
    # Whether no item differs is known to its first verdict only.
    identical = worded(c, **question, identical=True).verdict == c.verdict
    return worded(replace(c, p=replace(c.p, adjusted=adjusted)), **question, identical=identical)

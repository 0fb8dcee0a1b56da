"""The same comparison on every part of the data, with p corrected for the number of parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.errors import OutscoreError
from outscore.inference.multiplicity import CORRECTIONS
from outscore.options import did_you_mean
from outscore.procedure.compare import compare
from outscore.procedure.verdicts import as_family
from outscore.results import Comparison, Family, Slice

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
    question = {"alternative": asked.get("alternative", "two-sided"), "delta": asked.get("delta", 0.0)}
    parts, family = as_family(found, correction, alpha=alpha, **question)
    return parts, family, notes

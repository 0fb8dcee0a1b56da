"""The same comparison on every part of the data, with p corrected for the number of parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete
from outscore.core.paired import codes_of
from outscore.inference.describe.units import evaluation_units
from outscore.inference.families.max_t import MAX_T, Member, max_t_of_pair
from outscore.inference.registry import TESTS
from outscore.results.comparison import Comparison
from outscore.results.design import Family, Slice
from outscore.results.note import Note
from outscore.workflows.compare.arrays import compare
from outscore.workflows.compare.verdicts import as_family
from outscore.workflows.validate import check_correction, paired

__all__ = ["Part", "compare_slices", "swapped_together"]


@dataclass(frozen=True)
class Part:
    """One comparison of a family on common rows: both systems' whole tables, the metric, and which rows it uses."""

    a: Array
    b: Array
    metric: str | AdditiveMetric
    rows: Array


def compare_slices(
    a: object,
    b: object,
    column: str,
    values: Sequence[str],
    *,
    correction: str = "holm",
    alpha: float = 0.05,
    **asked: Any,  # noqa: ANN401 - as `compare` takes them
) -> tuple[list[Comparison], Family, list[Note]]:
    """Every slice compared, the family they make, and a note on each slice that the test cannot serve.

    `values` names the slice of each row; the other parameters are those of `compare`. Slices of one item are compared too,
    where the test allows it. The decision of a slice rests on its corrected p.

    Examples
    --------
    >>> parts, family, notes = compare_slices([3, 4, 5, 1], [1, 2, 1, 2], "topic", ["x", "x", "x", "y"])
    >>> [(part.slice.value, part.p.value, part.p.adjusted) for part in parts], family.m, notes
    ([('x', 0.25, 0.5), ('y', 1.0, 1.0)], 2, [])
    """
    question = {"alternative": asked.get("alternative", "two-sided"), "delta": asked.get("delta", 0.0)}
    check_correction(correction, test=asked.get("test", "permutation"), delta=question["delta"])
    rows_a, rows_b, names = np.asarray(a), np.asarray(b), np.asarray(values)
    per_row = {k: np.asarray(asked.pop(k)) for k in ("items", "clusters", "labels") if asked.get(k) is not None}
    found, used, notes = _each(rows_a, rows_b, column, names, per_row, {**asked, "alpha": alpha})
    if not found:
        raise OutscoreError(f"No slice of `{column}` can be compared. {notes[0]}", "Leave the slices out.")
    resampled = None
    if correction == MAX_T:
        metric = asked.get("metric", "mean")
        resampled = swapped_together([Part(rows_a, rows_b, metric, rows) for rows in used], per_row, asked)
    parts, family = as_family(found, correction, alpha=alpha, **question, resampled=resampled)
    return parts, family, notes


def _each(
    a: Array, b: Array, column: str, names: Array, per_row: Mapping[str, Array], asked: Mapping[str, Any]
) -> tuple[list[Comparison], list[Array], list[Note]]:
    """The comparison of each slice and the rows it used, and a note on each slice that was left out."""
    found, used, notes = [], [], []
    for value in dict.fromkeys(names.tolist()):
        rows = np.flatnonzero(names == value)
        here: dict[str, Any] = {name: labels[rows] for name, labels in per_row.items()}
        try:
            result = compare(a[rows], b[rows], **asked, **here)
        except OutscoreError as refusal:
            # One slice too small for the test must not cost the others.
            notes.append(Note("omission", f"Slice {column} = {value} was left out: {refusal.message}"))
            continue
        found.append(replace(result, slice=Slice(column, str(value))))
        used.append(rows)
    return found, used, notes


def swapped_together(parts: Sequence[Part], per_row: Mapping[str, Array], asked: Mapping[str, Any]) -> Array:
    """Adjusted p-values of parts of one comparison by max-T, from swaps that they share.

    `per_row` holds the labels of ``"items"`` and ``"clusters"``, where there are any, and `asked` what `compare` was asked. A
    row, cluster or item with repeats that stands in several parts is swapped in all of them at once.
    """
    total = 1 + max(int(part.rows.max()) for part in parts)
    labels = per_row.get("clusters", per_row.get("items"))
    coins = np.arange(total) if labels is None else cast("Array", codes_of(labels, total, "clusters"))
    options = complete("permutation", TESTS["permutation"].options, asked.get("options") or {})
    return max_t_of_pair(
        [_member(part, coins, per_row, asked) for part in parts],
        alternative=asked.get("alternative", "two-sided"),
        resamples=int(str(options["resamples"])),
        seed=asked.get("seed", 0),
    )


def _member(part: Part, coins: Array, per_row: Mapping[str, Array], asked: Mapping[str, Any]) -> Member:
    """A part in the units that are swapped, and the coin of each."""
    rows, size = part.rows, asked.get("unit_size", 1)
    items, clusters = (per_row[name][rows] if name in per_row else None for name in ("items", "clusters"))
    pairs, metric = paired(part.a[rows], part.b[rows], part.metric, items, clusters)
    if size != 1:
        units, _ = evaluation_units(pairs, metric, size, asked.get("unit_statistic", "mean"), asked.get("shuffle"))
        return Member(units, metric, rows[: units.rows])
    # Units stand in the order in which their labels first appear.
    return Member(pairs, metric, np.array(list(dict.fromkeys(coins[rows].tolist()))))

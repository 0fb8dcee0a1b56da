"""Whether evaluations are of the same questions under the same conditions: by content where a log has it, not by id alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.logs.base.evaluation import Evaluation

__all__ = ["check_same", "check_total"]

FORCE = "If you know that they are the same, say --force-same."
# Harnesses round what they print, or add floats in another order.
TOLERANCE = 1e-6


def check_same(evaluations: Sequence[Evaluation]) -> None:
    """Refuse evaluations of one task whose conditions differ, or whose equal ids are of different questions."""
    by_task: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_task.setdefault(evaluation.task, []).append(evaluation)
    for found in by_task.values():
        for other in found[1:]:
            _check_conditions(found[0], other)
            _check_contents(found[0], other)


def _check_conditions(first: Evaluation, other: Evaluation) -> None:
    for name, text in first.conditions.items():
        said = other.conditions.get(name)
        if said is not None and said != text:
            raise OutscoreError(
                f"{first.label} and {other.label} were run differently on {first.task}: {name} {text} and {said}.",
                FORCE,
                parameter="force_same",
            )
    if first.harness != other.harness:
        raise OutscoreError(
            f"{first.label} is of {first.harness} and {other.label} of {other.harness}, which may score answers differently.",
            FORCE,
            parameter="force_same",
        )


def _check_contents(first: Evaluation, other: Evaluation) -> None:
    if first.contents is None or other.contents is None:
        return
    known = {item: content for item, content in zip(first.ids.texts(), first.contents.texts(), strict=True) if content}
    pairs = zip(other.ids.texts(), other.contents.texts(), strict=True)
    different = [item for item, content in pairs if content and known.get(item, content) != content]
    if different:
        count = len(dict.fromkeys(different))
        raise OutscoreError(
            f"{first.label} and {other.label} ask different questions under the same id: {count:,} of {len(known):,} items, "
            f"the first is `{different[0]}`.",
            FORCE,
            parameter="force_same",
        )


def _agree(mean: float, total: float) -> bool:
    return math.isfinite(total) and abs(mean - total) <= TOLERANCE * max(1.0, abs(total))


def _mean_of_items(evaluation: Evaluation, values: Array) -> float:
    """The mean over items of their means over runs, which harnesses report where items were run unequally often."""
    scored = ~np.isnan(values)
    codes = evaluation.ids.codes[scored]
    runs = np.bincount(codes)
    means = np.bincount(codes, weights=values[scored])[runs > 0] / runs[runs > 0]
    return float(means.mean())


def check_total(evaluation: Evaluation, measure: str) -> str | None:
    """Refuse rows that do not add up to what the harness reports; otherwise what was checked, in a sentence.

    Rows without a score are left out, or count as 0, as their harness does.
    """
    found = evaluation.measures[measure]
    values = np.nan_to_num(found.values, nan=0.0) if evaluation.zero_missing else found.values
    scored = values[~np.isnan(values)]
    if found.total is None or not len(scored):
        return None
    mean = float(scored.mean())
    if not any(_agree(total, found.total) for total in (mean, _mean_of_items(evaluation, values))):
        raise OutscoreError(
            f"{evaluation.label}: the rows of {evaluation.system} give {measure} {mean:.6g}, "
            f"and its log reports {found.total:.6g}: rows are missing, or were written twice.",
            f"Run the evaluation again. {FORCE}",
            parameter="force_same",
        )
    return f"{evaluation.system} {found.total:.6g}"

"""Corpus metrics of logs: harnesses record the texts in place of a score per item, so the texts are scored again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError
from outscore.formats.logs.base.evaluation import Evaluation
from outscore.language.verdict.comparison import with_omission
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.results.note import Note
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.texts.run import TextData, run

if TYPE_CHECKING:
    from outscore.results.comparison import Comparisons
    from outscore.workflows.compare.logs import LogPair
    from outscore.workflows.requests.compare import CompareRequest

__all__ = ["compare_log_texts"]

ASKED = ("test", "set", "method", "alternative", "alpha", "delta", "margin", "unit_size", "unit_statistic", "shuffle",
         "normality_alpha", "resamples", "correction", "seed", "names")  # fmt: skip
"""Options that mean the same for texts as for scores."""
# Harnesses round what they print.
TOLERANCE = 1e-4


def compare_log_texts(request: CompareRequest, pair: LogPair) -> Comparisons:
    """Score the texts of two logs by the metric that their harness used, and compare them."""
    if pair.measure not in TEXT_METRICS:
        raise OutscoreError(
            f"`{pair.measure}` scores the whole corpus, and there is no metric of that name to score the texts again.",
            f"Choose another score with --metric; of texts there are {', '.join(TEXT_METRICS)}.",
            parameter="metric",
        )
    first, second = (_texts(evaluation, pair.measure) for evaluation in pair.evaluations)
    common = [item for item in first if item in second]
    if not common:
        raise OutscoreError("The logs have no item in common.", "Compare logs of the same task.", parameter="files")
    data = TextData(
        [first[item][1] for item in common],
        [second[item][1] for item in common],
        [first[item][0] for item in common],
        pair.names,
        origins=tuple(origin for one in pair.evaluations for origin in one.origins),
        notes=tuple(note.text for note in pair.found.notes),
    )
    asked = TextsRequest(metric=pair.measure, **{name: request.value(name) for name in ASKED})
    found = run(asked, data)
    told = [Note("input", _told(pair, found))]
    left_out = (len(first) - len(common), len(second) - len(common))
    aligned = [replace(c, alignment=replace(c.alignment, only_a=left_out[0], only_b=left_out[1])) for c in found.comparisons]
    whole = [with_omission(replace(c, notes=[*told, *c.notes])) for c in aligned]
    return replace(found, comparisons=whole, settings=request.settings(data.origins))


def _texts(evaluation: Evaluation, measure: str) -> dict[str, tuple[str, str]]:
    """Reference and output of every item."""
    if evaluation.texts is None:
        raise OutscoreError(
            f"{evaluation.label}: `{measure}` scores the whole corpus, and the log does not hold its texts.",
            "Choose another score with --metric.",
            parameter="metric",
        )
    return dict(zip(evaluation.ids.texts(), evaluation.texts(measure), strict=True))


def _told(pair: LogPair, found: Comparisons) -> str:
    """That texts were scored again, and whether the scores are those of the logs."""
    scored = found.comparisons[0].scores
    totals = [evaluation.measures[pair.measure].total for evaluation in pair.evaluations]
    said = f"The logs hold texts in place of {pair.measure} scores: they were scored again"
    if any(total is None for total in totals):
        return f"{said}."
    pairs = [(total, score.value) for total, score in zip(totals, scored, strict=True) if total is not None]
    if all(abs(total - value) <= TOLERANCE * max(1.0, abs(total)) for total, value in pairs):
        return f"{said}, and the scores are those that the logs report."
    listed = ", ".join(f"{total:.6g}" for total, _ in pairs)
    return f"{said}. The logs report {listed}: their harness scores or joins texts in another way."

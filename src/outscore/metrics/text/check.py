"""What is asked of texts before they are scored, and of a score before it is believed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.metrics.entry import Options
from outscore.metrics.text.entry import Lines, References, TextMetric, version

__all__ = ["check_lines", "verify"]

# Segments scored a second time by the library itself: enough to notice a change in it, few enough to cost
# little.
MIN_CHECKED, CHECKED_SEGMENTS = 10, 200
RELATIVE = 1e-9
ABSOLUTE = 1e-12


def check_lines(metric: TextMetric, hypotheses: Lines, references: References) -> None:
    """Refuse texts that do not lie side by side, none at all, and more references than the metric can use."""
    if not len(references):
        raise OutscoreError(f"Metric `{metric.name}` needs a reference.", "Give at least one reference text.")
    if metric.max_references is not None and len(references) > metric.max_references:
        raise OutscoreError(
            f"Metric `{metric.name}` uses {metric.max_references} reference; {len(references)} were given.",
            f"Leave out `{metric.name}`, or give one reference.",
        )
    if not len(hypotheses):
        raise OutscoreError("The system's text has no segments.", "Give a text of at least one line.")
    for i, lines in enumerate(references):
        if len(lines) != len(hypotheses):
            raise OutscoreError(
                f"Reference {i + 1} has {len(lines)} segments, the system has {len(hypotheses)}.",
                "Give texts of the same number of lines, one segment each.",
            )


def verify(
    metric: TextMetric,
    hypotheses: Lines,
    references: References,
    statistics: Array,
    options: Options,
    *,
    segments: int | None = None,
) -> None:
    """Check that the function of the summed statistics is the library's own score.

    The library scores so many segments, spread evenly over the corpus: a tenth, ten at least and `CHECKED_SEGMENTS`
    at most, unless `segments` says how many. Scoring all again would double the time.
    """
    if segments is None:
        segments = min(CHECKED_SEGMENTS, max(MIN_CHECKED, len(statistics) // 10))
    additive = metric.make(options)
    if not _is_defined(additive, statistics):
        raise OutscoreError(
            f"Metric `{metric.name}` divides by the length of the references, and all of them are empty.",
            "Give references with text.",
        )
    if metric.corpus_score is None:
        return
    rows: Sequence[int] = np.unique(np.linspace(0, len(statistics) - 1, segments).round().astype(int)).tolist()
    if not _is_defined(additive, statistics[rows]):
        rows = range(len(statistics))
    ours = float(additive.score(statistics[rows].sum(axis=0)))
    theirs = metric.corpus_score([hypotheses[i] for i in rows], [[lines[i] for i in rows] for lines in references], options)
    if not math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        raise OutscoreError(
            f"Metric `{metric.name}` comes to {ours!r} from its statistics, but {metric.library} "
            f"{version(metric.library, metric.name)} says {theirs!r} for the same {len(rows)} segments.",
            f"This version of {metric.library} computes it differently; install another one.",
        )


def _is_defined(metric: AdditiveMetric, rows: Array) -> bool:
    """Whether there is something to divide by."""
    if metric.ratio is None or metric.ratio[1] is None:
        return True
    return bool((rows.sum(axis=0) @ np.asarray(metric.ratio[1])) != 0)

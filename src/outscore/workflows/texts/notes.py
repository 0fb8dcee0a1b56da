"""What the reader of a comparison of texts should know beside its numbers."""

from __future__ import annotations

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.language.runs import SINGLE_RUNS
from outscore.metrics.text.entry import SEGMENT_COLUMNS
from outscore.results.note import Note
from outscore.workflows.texts.statistics import Texts

__all__ = ["nothing_scored", "single_runs"]


def single_runs(texts: Texts) -> list[Note]:
    """What one run of a system cannot show, by any metric."""
    return [] if len(texts.a) > 1 and len(texts.b) > 1 else [Note("design", SINGLE_RUNS)]


def nothing_scored(metric: AdditiveMetric, a: Array, b: Array) -> list[Note]:
    """Segments on which a mean of segment scores cannot see a difference, because neither system scores at all.

    Examples
    --------
    >>> import numpy as np
    >>> mean = AdditiveMetric("sentence-bleu", SEGMENT_COLUMNS, ratio=((1, 0), (0, 1)))
    >>> [note.text for note in nothing_scored(mean, np.array([[0, 1], [3, 1]]), np.array([[0, 1], [0, 1]]))]
    ['On 50.0 % of the segments both systems have a sentence-bleu of 0.']
    """
    share = float(((a[:, 0] == 0) & (b[:, 0] == 0)).mean())
    if metric.columns != SEGMENT_COLUMNS or not metric.higher_is_better or not share:
        return []
    return [Note("data", f"On {100 * share:.1f} % of the segments both systems have a {metric.name} of 0.")]

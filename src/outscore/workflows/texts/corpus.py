"""Two systems' texts against references: several metrics, one family.

Every metric is a table of statistics per segment whose sums make its corpus score, so the comparison of texts is the comparison
of two such tables. What is added is where the tables come from, the correction over metrics, and the segments behind a score.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.paired import PairedScores
from outscore.engine.progress import Progress, Steps
from outscore.formats.segments import Segments
from outscore.inference.base.influence import influence
from outscore.inference.families.max_t import MAX_T
from outscore.inference.registry import deciding_test
from outscore.language.numbers import count
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text.entry import TextMetric
from outscore.results.comparison import Bucket, Comparison, Comparisons
from outscore.results.design import Segment
from outscore.results.note import Note
from outscore.workflows.compare.arrays import compare
from outscore.workflows.compare.slices import Part, compare_slices, swapped_together
from outscore.workflows.compare.verdicts import as_family, worded
from outscore.workflows.texts.buckets import Labels, buckets_of, in_bands, labels_of_segments, length_bands
from outscore.workflows.texts.checks import cache_of, check_asked, check_compat, chosen_metrics, engine_for
from outscore.workflows.texts.compat import with_peer
from outscore.workflows.texts.notes import nothing_scored, single_runs
from outscore.workflows.texts.runs import mean_of_runs, runs_of
from outscore.workflows.texts.statistics import Statistics, Texts
from outscore.workflows.validate import check_correction

__all__ = ["chosen_metrics", "compare_texts", "length_bands"]

SHOWN = 10
Path = str | os.PathLike[str]


def compare_texts(
    a: object,
    b: object,
    reference: object,
    *,
    metrics: Sequence[str] = ("bleu", "chrf"),
    documents: Sequence[object] | Segments | Path | None = None,
    buckets: Mapping[str, Sequence[object] | Segments | Path] | Sequence[Path] | Path | None = None,
    correction: str = "holm",
    compat: str | None = None,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    jobs: int | None = None,
    cache: StatisticsCache | Path | None = None,
    progress: Progress | None = None,
    **asked: Any,  # noqa: ANN401 - as `compare` takes them
) -> Comparisons:
    """Compare two systems' texts, metric by metric, with p corrected for the number of metrics.

    Parameters
    ----------
    a, b, reference
        Lists of segments, or paths of text files. A list of lists, or of `pathlib.Path`, is several texts: the runs of a
        system, or several references. A string alone is a path, a string in a list is a segment.
    metrics
        Names with options, ``"bleu:tokenize=none"``; `outscore metrics` lists them.
    documents
        The document of each segment, or the path of a file of them: documents are swapped and resampled as one.
    buckets
        Labels of the segments by the name of their column, paths of files of labels, or ``"length"`` for the length of the
        reference: each value is compared by itself, as a family of its own.
    correction
        For the p-values of the metrics, and for those of each column of buckets.
    compat
        ``"sacrebleu-ar"`` or ``"sacrebleu-bs"``: also show the p that sacreBLEU prints. It decides nothing.
    jobs
        How many processes compute the statistics: None or 1 is this one alone, 0 is one for each processor.
    cache, progress
        Where statistics are kept, a folder or a `StatisticsCache`, and who is told how far they are.

    Other parameters are those of `compare`: test, options, alternative, delta, margin, unit_size, unit_statistic, shuffle,
    unit_advice, normality_alpha, seed.

    Examples
    --------
    >>> reference = ["the cat sat on the mat", "it was late", "we go home now"]
    >>> a, b = ["the cat sat on a mat", "it was late", "we go home"], ["a cat is on mat", "it late", "we go"]
    >>> found = compare_texts(a, b, reference, metrics=["ter", "wer"], cache=StatisticsCache(None))
    >>> [(c.metric, c.difference < 0, c.p.value, c.p.method) for c in found.comparisons]
    [('ter', True, 0.25, 'exact'), ('wer', True, 0.25, 'exact')]
    """
    check_asked(asked, names=names, alpha=alpha)
    check_correction(correction, test=asked.get("test", "permutation"), delta=asked.get("delta", 0.0))
    check_compat(compat)
    chosen = chosen_metrics(metrics)
    statistics = Statistics(engine_for(jobs), cache_of(cache), progress or Steps())
    texts = Texts.of(a, b, reference, (names[0], names[1]))
    _check_runs(texts, asked.get("test", "permutation"))
    grouped = None if documents is None else labels_of_segments(documents, "documents", len(texts.a[0]))
    design = _Design(grouped, buckets_of(buckets, texts.references[0]), correction, compat, alpha, asked)
    compared = [_compared(spec, *metric, texts, statistics, design) for spec, metric in zip(metrics, chosen, strict=True)]
    found = [c for c, _ in compared]
    if not isinstance(cache, StatisticsCache):
        # The cache of this machine is no part of the result; a caller with a cache of its own reads its notes there.
        for note in statistics.cache.notes:
            warnings.warn(note, stacklevel=2)
    # What no metric can show is said once.
    found[0] = replace(found[0], notes=[*found[0].notes, *single_runs(texts)])
    family = None
    if len(found) > 1:
        per_row = {} if grouped is None else {"clusters": np.asarray(grouped)}
        resampled = swapped_together([part for _, part in compared], per_row, asked) if correction == MAX_T else None
        found, family = as_family(found, correction, alpha=alpha, **design.side, resampled=resampled)
    return Comparisons(found, {}, family)


@dataclass(frozen=True)
class _Design:
    """How the tables of statistics are compared, whichever metric they are of."""

    documents: Labels | None
    buckets: Mapping[str, Labels]
    correction: str
    compat: str | None
    alpha: float
    asked: Mapping[str, Any]

    @property
    def side(self) -> dict[str, Any]:
        """The alternative and the difference tested against."""
        return {"alternative": self.asked.get("alternative", "two-sided"), "delta": self.asked.get("delta", 0.0)}


def _compared(
    spec: str, entry: TextMetric, options: Mapping[str, OptionValue], texts: Texts, statistics: Statistics, design: _Design
) -> tuple[Comparison, Part]:
    metric = entry.make(options)
    runs_a, runs_b = ([statistics.of(entry, options, run, texts.references) for run in side] for side in (texts.a, texts.b))
    first, second, together = mean_of_runs(metric, runs_a, runs_b)
    labels = [f"segment {i + 1}" for i in range(len(first))]
    common: dict[str, Any] = {**design.asked, "metric": together, "alpha": design.alpha, "names": texts.names}
    whole = compare(first, second, clusters=design.documents, labels=labels, **common)
    parts, left_out = _buckets_of(first, second, common, design)
    signature = whole.signature.replace("|unit:items", "|unit:segments")
    whole = replace(
        whole,
        metric=spec,
        design=replace(whole.design, noun="segment"),
        signature=f"{signature}|{entry.signature(options, len(texts.references))}",
        notes=[*whole.notes, *nothing_scored(metric, first, second), *left_out],
        segments=_shown(texts, influence(PairedScores(first, second), together)),
        buckets=parts,
    )
    if design.compat is not None:
        whole = with_peer(whole, design.compat, metric, runs_a, runs_b, grouped=design.documents is not None)
    if not len(runs_a) == len(runs_b) == 1:
        whole = replace(whole, runs=runs_of(metric, runs_a, runs_b, design.documents, design.asked))
    whole = worded(whole, alpha=design.alpha, **design.side, identical=bool((first == second).all()))
    return whole, Part(first, second, together, np.arange(len(labels)))


def _buckets_of(a: Array, b: Array, common: Mapping[str, Any], design: _Design) -> tuple[list[Bucket], list[Note]]:
    """Every bucket compared by itself, and a note on each that the test cannot serve."""
    parts: list[Bucket] = []
    notes: list[Note] = []
    for column, values in design.buckets.items():
        clusters = None if column == "document" else design.documents
        asked = {**common, "correction": design.correction, "clusters": clusters, "unit_advice": False}
        found, _, left_out = compare_slices(a, b, column, [str(value) for value in values], **asked)
        parts += in_bands([_bucket(column, part) for part in found])
        notes += left_out
    return parts, notes


def _bucket(column: str, c: Comparison) -> Bucket:
    assert c.slice is not None
    low, high = (None, None) if c.interval is None else (c.interval.low, c.interval.high)
    return Bucket(column, c.slice.value, c.n, c.scores[0].value, c.scores[1].value, c.difference, low, high, c.p)


def _shown(texts: Texts, pull: Array) -> list[Segment]:
    """The segments whose absence would change the difference most, strongest first; of several runs the first is shown."""
    strongest = np.argsort(-np.abs(pull), kind="stable")[:SHOWN].tolist()
    a, b = texts.a[0], texts.b[0]
    return [
        Segment(f"segment {i + 1}", [lines[i] for lines in texts.references], a[i], b[i], float(pull[i]))
        for i in strongest
        if a[i] != b[i] and pull[i]
    ]


def _check_runs(texts: Texts, test: str) -> None:
    """Means of unequally many runs have unequal spread, and swapping them is not valid."""
    entry = deciding_test(test)
    if len(texts.a) != len(texts.b) and entry is not None and entry.null == "swaps":
        runs = f"{texts.names[0]} has {count(len(texts.a), 'run')} and {texts.names[1]} {len(texts.b)}"
        raise OutscoreError(
            f"{runs}; `{test}` would swap means of unequal spread.", "Give as many runs of each, or use `bootstrap`."
        )

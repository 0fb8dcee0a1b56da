"""Two systems' texts against references: several metrics, one family.

Every metric is a table of statistics per segment whose sums make its corpus score, so the comparison of texts is the comparison
of two such tables. What is added is where the tables come from, the correction over metrics, and the segments behind a score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outscore.data import AdditiveMetric, Array, PairedScores
from outscore.engine import Progress, Steps, engine_of
from outscore.errors import OutscoreError
from outscore.inference.influence import influence
from outscore.inference.runs import run_test, standard_error
from outscore.metrics.cache import StatisticsCache, cache_folder
from outscore.metrics.text import TextMetric, text_metric
from outscore.numerals import count
from outscore.options import OptionValue
from outscore.procedure.compare import compare
from outscore.procedure.slices import check_correction, compare_slices
from outscore.procedure.text_compat import check_compat, with_peer
from outscore.procedure.text_notes import nothing_scored, single_runs
from outscore.procedure.text_statistics import Statistics, Texts, mean_of_runs
from outscore.procedure.verdicts import as_family, worded
from outscore.results import Bucket, Comparison, Comparisons, Interval, Runs, Segment

__all__ = ["chosen_metrics", "compare_texts", "length_bands"]

SHOWN = 10
# Tests that swap the systems' outputs.
SWAPPING = ("permutation", "permutation-median", "all")
LENGTH_BANDS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, None))


def compare_texts(
    a: object,
    b: object,
    reference: object,
    *,
    metrics: Sequence[str] = ("bleu", "chrf"),
    documents: Sequence[object] | None = None,
    buckets: Mapping[str, Sequence[str]] | None = None,
    correction: str = "holm",
    compat: str | None = None,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    jobs: int | None = None,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    **asked: Any,  # noqa: ANN401 - as `compare` takes them
) -> Comparisons:
    """Compare two systems' texts, metric by metric, with p corrected for the number of metrics.

    Parameters
    ----------
    a, b, reference
        Lists of segments or paths of text files. `a` and `b` may be lists of such lists, one for each run of the system;
        `reference` may be a list of several references.
    metrics
        Names with options, ``"bleu:tokenize=none"``; `outscore metrics` lists them.
    documents
        The document of each segment: documents are swapped and resampled as one.
    buckets
        Labels of the segments by the name of their column: each value is compared by itself, as a family of its own.
    correction
        For the p-values of the metrics, and for those of each column of buckets.
    compat
        ``"sacrebleu-ar"`` or ``"sacrebleu-bs"``: also show the p that sacreBLEU prints. It decides nothing.
    jobs
        How many processes compute the statistics: None or 1 is this one alone, 0 is one for each processor.
    cache, progress
        Where statistics are kept, and who is told how far they are.

    Other parameters are those of `compare`: test, options, alternative, delta, margin, seed.

    Examples
    --------
    >>> reference = ["the cat sat on the mat", "it was late", "we go home now"]
    >>> a, b = ["the cat sat on a mat", "it was late", "we go home"], ["a cat is on mat", "it late", "we go"]
    >>> found = compare_texts(a, b, reference, metrics=["ter", "wer"], cache=StatisticsCache(None))
    >>> [(c.metric, c.difference < 0, c.p.value, c.p.method) for c in found.comparisons]
    [('ter', True, 0.25, 'exact'), ('wer', True, 0.25, 'exact')]
    """
    check_correction(correction)
    check_compat(compat)
    chosen = chosen_metrics(metrics)
    texts = Texts.of(a, b, reference, names)
    _check_runs(texts, asked.get("test", "permutation"))
    for column, values in {"documents": documents or (), **(buckets or {})}.items():
        if len(values) not in (0, len(texts.a[0])):
            raise OutscoreError(
                f"There are {len(values):,} labels of {column} for {len(texts.a[0]):,} segments.", "Give one for each segment."
            )
    statistics = Statistics(engine_of(jobs), StatisticsCache(cache_folder()) if cache is None else cache, progress or Steps())
    design = _Design(documents, buckets or {}, correction, compat, alpha, asked)
    found = [_compared(spec, *metric, texts, statistics, design) for spec, metric in zip(metrics, chosen, strict=True)]
    found = [replace(c, notes=[*c.notes, *statistics.cache.notes, *single_runs(texts)]) for c in found]
    family = None
    if len(found) > 1:
        found, family = as_family(found, correction, alpha=alpha, **design.side)
    return Comparisons(found, {}, family)


def chosen_metrics(metrics: Sequence[str]) -> list[tuple[TextMetric, dict[str, OptionValue]]]:
    """The entries and options of written metrics, each asked for once.

    Examples
    --------
    >>> [(entry.name, options["tokenize"]) for entry, options in chosen_metrics(["bleu:tokenize=none"])]
    [('bleu', 'none')]
    """
    if isinstance(metrics, str):
        raise OutscoreError(f"`metrics` is {metrics!r}.", f'Give a list of names: ["{metrics}"].')
    if not metrics:
        raise OutscoreError("No metric was asked for.", "Name at least one, such as bleu.")
    chosen = [text_metric(spec) for spec in metrics]
    for i, spec in enumerate(metrics):
        if chosen[i] in chosen[:i]:
            # The correction would take it for one more metric.
            raise OutscoreError(f"Metric `{spec}` is asked for twice.", "Name it once.")
    return chosen


@dataclass(frozen=True)
class _Design:
    """How the tables of statistics are compared, whichever metric they are of."""

    documents: Sequence[object] | None
    buckets: Mapping[str, Sequence[str]]
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
) -> Comparison:
    metric = entry.make(options)
    runs_a, runs_b = ([statistics.of(entry, options, run, texts.references) for run in side] for side in (texts.a, texts.b))
    rows = mean_of_runs(runs_a), mean_of_runs(runs_b)
    labels = [f"segment {i + 1}" for i in range(len(rows[0]))]
    common: dict[str, Any] = {**design.asked, "metric": metric, "alpha": design.alpha, "names": texts.names}
    whole = compare(*rows, clusters=design.documents, labels=labels, **common)
    pull = influence(PairedScores(*rows), metric)
    parts: list[Bucket] = []
    notes = [*whole.notes, *nothing_scored(metric, *rows)]
    for column, values in design.buckets.items():
        clusters = None if column == "document" else design.documents
        found, _, left_out = compare_slices(*rows, column, values, correction=design.correction, clusters=clusters, **common)
        parts += [_bucket(column, part) for part in found]
        notes += left_out
    signature = whole.signature.replace("|unit:items", "|unit:segments")
    whole = replace(
        whole,
        metric=spec,
        design=replace(whole.design, noun="segment"),
        signature=f"{signature}|{entry.signature(options, len(texts.references))}",
        notes=notes,
        segments=_shown(texts, pull),
        buckets=parts,
    )
    if design.compat is not None:
        whole = with_peer(whole, design.compat, metric, runs_a, runs_b, grouped=design.documents is not None)
    if len(runs_a) == len(runs_b) == 1:
        return worded(whole, alpha=design.alpha, **design.side, identical=bool((rows[0] == rows[1]).all()))
    return _with_runs(whole, metric, runs_a, runs_b, pull, design)


def _with_runs(
    whole: Comparison, metric: AdditiveMetric, runs_a: Sequence[Array], runs_b: Sequence[Array], pull: Array, design: _Design
) -> Comparison:
    """Scores as means over runs, what runs and segments each contribute to the spread, and the test over runs."""
    a, b = (np.array([float(metric.score(rows.sum(axis=0))) for rows in side]) for side in (runs_a, runs_b))
    # The corpus score of averaged statistics is not quite the mean score: the interval moves along with the difference.
    shift = float(a.mean() - b.mean()) - whole.difference
    n = len(pull)
    segments = float(np.sqrt((n - 1) / n * ((pull - pull.mean()) ** 2).sum())) if n > 1 else None
    alternative = design.side["alternative"]
    found = Runs(
        a.tolist(),
        b.tolist(),
        segments,
        standard_error(a, b),
        run_test(a, b, alternative=alternative, higher_is_better=metric.higher_is_better, seed=design.asked.get("seed", 0)),
    )
    first, second = (
        replace(score, value=float(values.mean()), low=None, high=None)
        for score, values in zip(whole.scores, (a, b), strict=True)
    )
    result = replace(
        whole, scores=(first, second), difference=whole.difference + shift, interval=_moved(whole.interval, shift), runs=found
    )
    return worded(result, alpha=design.alpha, **design.side)


def _moved(interval: Interval | None, shift: float) -> Interval | None:
    if interval is None:
        return None
    low, high = (None if end is None else end + shift for end in (interval.low, interval.high))
    return replace(interval, low=low, high=high, estimate=None if interval.estimate is None else interval.estimate + shift)


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
    if len(texts.a) != len(texts.b) and test in SWAPPING:
        runs = f"{texts.names[0]} has {count(len(texts.a), 'run')} and {texts.names[1]} {len(texts.b)}"
        raise OutscoreError(
            f"{runs}; `{test}` would swap means of unequal spread.", "Give as many runs of each, or use `bootstrap`."
        )


def length_bands(reference: Sequence[str]) -> list[str]:
    """The band of each segment's length in words of the reference, for buckets.

    Examples
    --------
    >>> length_bands(["a b c", "", " ".join("x" * 50)])
    ['1-10', '0', '41 and more']
    """
    sizes = [len(line.split()) for line in reference]
    return [
        next((_band(low, high) for low, high in LENGTH_BANDS if low <= n and (high is None or n <= high)), "0") for n in sizes
    ]


def _band(low: int, high: int | None) -> str:
    return f"{low} and more" if high is None else f"{low}-{high}"

"""From a request to a comparison of texts: systems, references and labels are read, and compared by every metric.

Harnesses record the texts in place of a score per item where a metric is one of the corpus: those texts are scored again.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.engine.engines import Engine, engine_of
from outscore.engine.progress import Progress, Steps
from outscore.formats.logs.base.evaluation import Evaluation
from outscore.formats.texts.segments import Segments, read_segments
from outscore.language.numbers import count
from outscore.language.phrases import correction_name
from outscore.language.verdict.comparison import agreement, with_omission
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.design import Direction, Reading
from outscore.results.files import write_files
from outscore.results.note import Note
from outscore.scores.system import Origin
from outscore.workflows.compare.inputs import UNNAMED, TwoNames
from outscore.workflows.names import path_texts
from outscore.workflows.reading import reading_of
from outscore.workflows.requests import shared
from outscore.workflows.requests.compare import LENGTH, TextsRequest
from outscore.workflows.texts.checks import cache_of, chosen_metrics, engine_for
from outscore.workflows.texts.corpus import Corpus, TextDesign, compare_corpora, study_words
from outscore.workflows.texts.inputs import read_text_files, refuse_reading_twice
from outscore.workflows.texts.labels import Datasets, Labels, buckets_of, datasets_of_segments, labels_of_segments, length_bands
from outscore.workflows.texts.members import scored_members, text_members
from outscore.workflows.texts.segments import SegmentScores, check_segments, segment_scores
from outscore.workflows.texts.statistics import Statistics, Texts
from outscore.workflows.validate import question_of

if TYPE_CHECKING:
    from outscore.results.comparison import Comparisons
    from outscore.workflows.compare.logs import LogPair
    from outscore.workflows.requests.compare import CompareRequest

__all__ = ["TextData", "call", "compare_log_texts", "read_texts", "run", "run_scored"]

ASKED = ("test", "set", "method", "alternative", "alpha", "delta", "margin", "unit_size", "unit_statistic", "shuffle",
         "normality_alpha", "resamples", "correction", "seed", "names")  # fmt: skip
"""Options that mean the same for texts as for scores."""
# Harnesses round what they print.
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class TextData:
    """Texts and labels as a caller has them, in place of files; `names` is what the systems are called.

    `dataset` is a label for each segment, or "none"; None goes by what the texts say themselves.
    """

    a: object
    b: object
    reference: object
    names: tuple[str, str] = UNNAMED
    documents: object = None
    buckets: object = None
    origins: Sequence[Origin] = field(default_factory=tuple)
    notes: Sequence[str] = ()
    dataset: object = None
    source: object = None

    def turned(self) -> TextData:
        """The same two, B first."""
        return replace(self, a=self.b, b=self.a, names=(self.names[1], self.names[0]))


def run(
    request: TextsRequest,
    data: TextData | None = None,
    *,
    engine: Engine | None = None,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
    unit_advice: bool = False,
) -> Comparisons:
    """Read the files of a request, or take `data` in their place, and compare them by every metric.

    `remark` is told what a folder of this machine did, which is no part of a result. `unit_advice` adds what the size of units
    does to spread, effect and p.
    """
    found, _ = run_scored(request, data, engine=engine, cache=cache, progress=progress, remark=remark, unit_advice=unit_advice)
    return found


def run_scored(
    request: TextsRequest,
    data: TextData | None = None,
    *,
    engine: Engine | None = None,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
    unit_advice: bool = False,
) -> tuple[Comparisons, Callable[[], SegmentScores]]:
    """The comparisons, and what makes the scores of all segments."""
    request.validate(arrays=data is not None)
    given = data or read_texts(request)
    kept = cache_of(cache)
    statistics = Statistics(engine or engine_of(), kept, progress or Steps())
    texts = Texts.of(given.a, given.b, given.reference, given.names, given.source)
    datasets = datasets_of_segments(given.dataset, texts.datasets, len(texts.a[0]))
    grouped = _grouped(given.documents, datasets, len(texts.a[0]))
    buckets = buckets_of(given.buckets, texts.references[0])
    runs = {name: len(several) for name, several in texts.systems.items()}
    scored, origins = scored_members(request.scores, runs, len(texts.a[0]), datasets)
    question = question_of(**request.asked(), unit_advice=unit_advice)
    design = TextDesign(grouped, buckets, request.correction, request.compat, question, request.asked(), datasets)
    corpus, counted = _corpus(request.corpus)
    given = replace(given, origins=[*given.origins, *origins, *counted])
    members = [*text_members(request.metrics, texts.systems, texts.references, statistics, datasets), *scored]
    found, family = compare_corpora(texts, request.metrics, members, design)
    found[0] = replace(found[0], notes=[*(Note("input", note) for note in (*given.notes, *texts.notes)), *found[0].notes])
    if cache is None:
        # A caller with a cache of its own reads its notes there.
        for note in kept.notes:
            remark(note)
    found = [replace(c, reading=_reading(given, c)) for c in found]
    words = None
    if request.explain:
        words = study_words(texts, datasets, grouped, request.correction, request.seed, corpus)
    whole = Comparisons(found, request.settings(given.origins), family, words=words)
    if family is not None:
        together = agreement(found, correction_name(family.correction))
        whole = replace(whole, headline=together.headline, reason=together.reason)
    return whole, partial(segment_scores, members, datasets, grouped, influence=True)


def _corpus(path: str | None) -> tuple[Corpus | None, list[Origin]]:
    """The text in which words are counted, and its file."""
    if path is None:
        return None, []
    found = read_segments(path)
    return Corpus(found.label, found.lines), [] if found.origin is None else [found.origin]


def _grouped(given: object, datasets: Datasets, segments: int) -> Labels | None:
    """The document of each segment; a name that two datasets have stands for two documents."""
    if given is None:
        return None
    labels = labels_of_segments(given, "documents", segments)
    return tuple(f"{d}: {label}" for d, label in zip(datasets.labels, labels, strict=True)) if datasets else labels


def _reading(given: TextData, found: Comparison) -> Reading:
    better: Direction = "higher" if found.higher_is_better else "lower"
    return reading_of(given.origins, rows=found.design.rows, direction=(better, "metric"), kind="texts")


def call(
    a: object,
    b: object,
    reference: object,
    *,
    metrics: object,
    source: object,
    documents: object,
    dataset: object,
    buckets: object,
    unit_advice: bool,
    jobs: int | None,
    cache: object,
    segments: str | os.PathLike[str] | None,
    progress: Progress | None,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.compare_texts`
) -> Comparisons:
    """`outscore.compare_texts`: paths or lists of segments, with options by their Python names."""
    if metrics is not None:
        chosen_metrics(metrics)
        assert isinstance(metrics, Sequence)
        given["metrics"] = ",".join(metrics)
    more: dict[str, Any] = {
        "engine": engine_for(jobs),
        "cache": None if cache is None else cache_of(cache),
        "progress": progress,
        "unit_advice": unit_advice,
    }
    labels = {"source": source, "documents": documents, "dataset": dataset}
    files = _files(a, b, reference, buckets, labels)
    request = TextsRequest.from_python(given, **(files or {}))
    data = None
    if files is None:
        names = cast("TwoNames", request.names or UNNAMED)
        data = TextData(a, b, reference, names, documents, buckets, dataset=dataset, source=source)
    target = None if segments is None else os.fspath(segments)
    check_segments(target, request.inputs, texts=True)
    found, scores = run_scored(request, data, **more)
    if target is not None:
        write_files({target: scores().to_csv()})
    return found


def _files(a: object, b: object, reference: object, buckets: object, labels: Mapping[str, object]) -> dict[str, Any] | None:
    """Everything by the name of its file, where it is: these are a request that can be repeated."""
    references = reference if isinstance(reference, (list, tuple)) else [reference]
    columns = [buckets] if isinstance(buckets, (str, os.PathLike)) else buckets
    columns = () if columns is None else columns
    if isinstance(columns, Mapping) or not isinstance(columns, Sequence):
        return None
    if reference is not references and not all(isinstance(path, os.PathLike) for path in references):
        # A list of strings is a text, segment by segment.
        references = [reference]
    given = {name: value for name, value in labels.items() if value is not None}
    names = path_texts([*columns, a, b, *given.values(), *references])
    if names is None:
        return None
    found = list(names)
    taken = [found.pop(0) for _ in columns]
    return {
        "buckets": tuple(taken),
        "files": (found.pop(0), found.pop(0)),
        **{name: found.pop(0) for name in given},
        "reference": tuple(found),
    }


def read_texts(request: TextsRequest) -> TextData:
    """The texts of a request's files."""
    refuse_reading_twice(request.inputs)
    found = read_text_files(
        request.files,
        request.reference,
        documents=request.documents,
        labels=[name for name in request.buckets if name != LENGTH],
        dataset=request.dataset,
        source=request.source,
        names=request.names,
        system=request.system,
        reader=request.reader,
        columns=request.text_column,
    )
    (first, second), (a, b) = _two(found.systems)
    buckets = _buckets(request, found.references[0], found.labels)
    return TextData(
        a,
        b,
        found.references,
        (first, second),
        found.documents,
        buckets,
        found.origins,
        found.notes,
        found.datasets or shared.POOLED,
        found.source,
    )


def _two(systems: Mapping[str, Sequence[Segments]]) -> tuple[tuple[str, str], tuple[Sequence[Segments], Sequence[Segments]]]:
    """The names and runs of the two systems that are compared."""
    if len(systems) != 2:
        listed = ", ".join(f"`{name}`" for name in systems)
        raise OutscoreError(
            f"{count(len(systems), 'system')} found, two are compared: {listed}.",
            "Choose two with --system, or rank all of them with `outscore rank`." if len(systems) > 2 else "Name another file.",
            parameter="system",
        )
    (first, a), (second, b) = systems.items()
    return (first, second), (a, b)


def _buckets(request: TextsRequest, reference: Segments, labels: Mapping[str, Labels]) -> dict[str, Labels]:
    """The labels of every column that the segments are cut along, by a name that is free."""
    found: dict[str, Labels] = {}
    for name in request.buckets:
        column = "reference length" if name == LENGTH else Path(name).stem
        if column in found:
            raise OutscoreError(f"--buckets names `{column}` twice.", "Name it once, or rename a file.", parameter="buckets")
        found[column] = tuple(length_bands(reference.lines)) if name == LENGTH else labels[name]
    return found


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

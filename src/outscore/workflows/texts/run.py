"""From a request to a comparison of texts: read systems, references and labels, and compare them by every metric.

For metrics that score the whole corpus, harnesses record texts instead of a score per item: those texts are scored again.
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
from outscore.core.rows import in_order_of
from outscore.engine.engines import Engine, engine_of
from outscore.engine.progress import Progress, Steps
from outscore.formats.logs.evaluation import Evaluation
from outscore.formats.segments import Segments, read_segments
from outscore.language.numbers import count
from outscore.language.phrases import correction_name
from outscore.language.verdict.comparison import Numbers, agreement, comparison_of
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.results.analysis import WordStudy
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.design import Family, Verdict
from outscore.results.files import write_files
from outscore.results.note import Note
from outscore.scores.system import Origin
from outscore.workflows.names import at_the_door, path_texts
from outscore.workflows.question import Question
from outscore.workflows.requests import shared
from outscore.workflows.requests.compare import LENGTH, TextsRequest
from outscore.workflows.systems import UNNAMED, Systems, TwoNames
from outscore.workflows.texts.checks import cache_of, chosen_metrics, engine_for
from outscore.workflows.texts.corpus import TextDesign, compare_corpora, study_words
from outscore.workflows.texts.inputs import read_text_files
from outscore.workflows.texts.labels import Datasets, Labels, buckets_of, datasets_of_segments, labels_of_segments, length_bands
from outscore.workflows.texts.members import SegmentScores, check_segments, scored_members, segment_scores, text_members
from outscore.workflows.texts.statistics import Statistics, Texts

if TYPE_CHECKING:
    from outscore.results.comparison import Comparisons
    from outscore.workflows.requests.compare import CompareRequest

# Harnesses round what they print.
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class TextData:
    """Texts and labels that a caller passes instead of files; `names` are the names of the systems.

    `dataset` is a label for each segment, or "none"; None uses the datasets that the texts name.
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

    def swap_systems(self) -> TextData:
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
    gate: bool = False,
) -> Comparisons:
    """Read the files of a request, or use `data` instead, and compare them by every metric.

    `remark` receives notes about the cache folder, which are not part of the result. `unit_advice` adds how spread, effect size
    and p depend on the unit size, and a `gate` asks as its `Question` says.
    """
    comparisons, _ = run_scored(
        request, data, engine=engine, cache=cache, progress=progress, remark=remark, unit_advice=unit_advice, gate=gate
    )
    return comparisons


@at_the_door
def run_scored(
    request: TextsRequest,
    data: TextData | None = None,
    *,
    engine: Engine | None = None,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
    unit_advice: bool = False,
    gate: bool = False,
) -> tuple[Comparisons, Callable[[], SegmentScores]]:
    """The comparisons, and a function that computes the scores of all segments."""
    question = Question(**request.asked(), unit_advice=unit_advice, gate=gate)
    found = _found(request, data, question, engine=engine, cache=cache, progress=progress, remark=remark)
    comparisons = [comparison_of(numbers, **question.side) for numbers in found.compared]
    family = found.family
    verdict = Verdict("", "") if family is None else agreement(comparisons, correction_name(family.correction))
    settings = request.settings(found.origins)
    whole = Comparisons(comparisons, settings, family, words=found.words, headline=verdict.headline, reason=verdict.reason)
    return whole, found.segments


@dataclass(frozen=True, eq=False)
class _Found:
    """Two systems' texts compared by every metric, before words; `segments` computes the scores of all segments."""

    compared: list[Numbers]
    family: Family | None
    words: WordStudy | None
    origins: Sequence[Origin]
    segments: Callable[[], SegmentScores]


def _found(
    request: TextsRequest,
    data: TextData | None,
    question: Question,
    *,
    engine: Engine | None = None,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
) -> _Found:
    request.validate(arrays=data is not None)
    texts_given = data or read_texts(request)
    kept = cache_of(cache)
    statistics = Statistics(engine or engine_of(), kept, progress or Steps())
    texts = Texts.of(texts_given.a, texts_given.b, texts_given.reference, texts_given.names, texts_given.source)
    datasets = datasets_of_segments(texts_given.dataset, texts.datasets, len(texts.a[0]))
    grouped = _grouped(texts_given.documents, datasets, len(texts.a[0]))
    buckets = buckets_of(texts_given.buckets, texts.references[0])
    runs = {name: len(several) for name, several in texts.systems.items()}
    command = None if data is not None else lambda scores: replace(request, scores=scores).command_line()
    scored, origins = scored_members(request.scores, runs, len(texts.a[0]), datasets, command)
    corpus = None if request.corpus is None else read_segments(request.corpus)
    counted = [] if corpus is None or corpus.origin is None else [corpus.origin]
    origins = [*texts_given.origins, *origins, *counted]
    notes = [Note("input", note) for note in (*texts_given.notes, *texts.notes)]
    design = TextDesign(grouped, buckets, request.correction, request.compat, question, datasets, origins, notes)
    own = text_members(request.metrics, texts.systems, texts.references, statistics, datasets, texts_given.origins)
    members = [*own, *scored]
    compared, family = compare_corpora(texts, request.metrics, members, design)
    if cache is None:
        # A caller that passes a cache reads its notes there.
        for note in kept.notes:
            remark(note)
    words = None
    if request.explain:
        words = study_words(texts, datasets, grouped, request.correction, request.seed, corpus)
    segments = partial(segment_scores, members, datasets, grouped, influence=True)
    return _Found(compared, family, words, origins, segments)


def _grouped(given: object, datasets: Datasets, segments: int) -> Labels | None:
    """The document of each segment; a name that occurs in two datasets means two documents."""
    if given is None:
        return None
    labels = labels_of_segments(given, "documents", segments)
    return tuple(f"{d}: {label}" for d, label in zip(datasets.labels, labels, strict=True)) if datasets else labels


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
        # Columns of dataframes are matched by their labels, as scores are.
        b, reference = in_order_of(a, b, "b")[0], in_order_of(a, reference, "reference")[0]
        data = TextData(a, b, reference, names, documents, buckets, dataset=dataset, source=source)
    target = None if segments is None else os.fspath(segments)
    check_segments(target, request.inputs, texts=True)
    comparisons, scores = run_scored(request, data, **more)
    if target is not None:
        write_files({target: scores().to_csv()})
    return comparisons


def _files(a: object, b: object, reference: object, buckets: object, labels: Mapping[str, object]) -> dict[str, Any] | None:
    """All inputs as file names, which make a request that can be repeated; None if not everything is a file."""
    references = reference if isinstance(reference, (list, tuple)) else [reference]
    columns = [buckets] if isinstance(buckets, (str, os.PathLike)) else buckets
    columns = () if columns is None else columns
    if isinstance(columns, Mapping) or not isinstance(columns, Sequence):
        return None
    if reference is not references and not all(isinstance(path, os.PathLike) for path in references):
        # A list of strings is a text, segment by segment.
        references = [reference]
    labels_given = {name: value for name, value in labels.items() if value is not None}
    names = path_texts([*columns, a, b, *labels_given.values(), *references])
    if names is None:
        return None
    paths = list(names)
    bucket_files = [paths.pop(0) for _ in columns]
    return {
        "buckets": tuple(bucket_files),
        "files": (paths.pop(0), paths.pop(0)),
        **{name: paths.pop(0) for name in labels_given},
        "reference": tuple(paths),
    }


def read_texts(request: TextsRequest) -> TextData:
    """The texts of a request's files."""
    texts_read = read_text_files(
        request.files,
        request.reference,
        # Units are made of segments that follow one another, whatever their document.
        documents=request.documents or (shared.POOLED if request.unit_size > 1 else None),
        labels=[name for name in request.buckets if name != LENGTH],
        dataset=request.dataset,
        source=request.source,
        names=request.names,
        system=request.system,
        reader=request.reader,
        columns=request.text_column,
        command=lambda columns: replace(request, text_column=columns).command_line(),
    )
    (first, second), (a, b) = _two(texts_read.systems)
    buckets = _buckets(request, texts_read.references[0], texts_read.labels)
    return TextData(
        a,
        b,
        texts_read.references,
        (first, second),
        texts_read.documents,
        buckets,
        texts_read.origins,
        texts_read.notes,
        texts_read.datasets or shared.POOLED,
        texts_read.source,
    )


def _two(systems: Mapping[str, Sequence[Segments]]) -> tuple[tuple[str, str], tuple[Sequence[Segments], Sequence[Segments]]]:
    """The names and runs of the two systems that are compared."""
    if len(systems) != 2:
        listed = ", ".join(f"`{name}`" for name in systems)
        raise OutscoreError(
            f"{count(len(systems), 'system')} found, but two are needed: {listed}.",
            "Choose two with --system, or rank all of them with `outscore rank`." if len(systems) > 2 else "Name another file.",
            parameter="system",
        )
    (first, a), (second, b) = systems.items()
    return (first, second), (a, b)


def _buckets(request: TextsRequest, reference: Segments, labels: Mapping[str, Labels]) -> dict[str, Labels]:
    """The labels of every column of buckets, by a unique name."""
    columns: dict[str, Labels] = {}
    for name in request.buckets:
        column = "reference length" if name == LENGTH else Path(name).stem
        if column in columns:
            raise OutscoreError(f"--buckets names `{column}` twice.", "Name it once, or rename a file.", parameter="buckets")
        columns[column] = tuple(length_bands(reference.lines)) if name == LENGTH else labels[name]
    return columns


def log_texts(request: CompareRequest, logs: Systems, *, gate: bool = False) -> tuple[Numbers, Sequence[Origin]]:
    """The texts of two logs scored by the metric that their harness used and compared, and the files they are in."""
    if logs.corpus not in TEXT_METRICS:
        raise OutscoreError(
            f"`{logs.corpus}` scores the whole corpus, but there is no metric of that name to score the texts with.",
            f"Choose another score with --metric; metrics for texts are {', '.join(TEXT_METRICS)}.",
            parameter="metric",
        )
    first, second = (_texts(evaluation, logs.corpus) for evaluation in logs.evaluations)
    common = [item for item in first if item in second]
    if not common:
        raise OutscoreError("The logs have no item in common.", "Compare logs of the same task.", parameter="files")
    data = TextData(
        [first[item][1] for item in common],
        [second[item][1] for item in common],
        [first[item][0] for item in common],
        logs.pair,
        origins=tuple(origin for one in logs.evaluations for origin in one.origins),
        notes=tuple(note.text for note in logs.notes),
    )
    # The logs have been read.
    read = {"files": (), "system": (), "dataset": None, "reader": "auto"}
    texts_request = TextsRequest.of({**request.values_for(TextsRequest), **read, "metric": logs.corpus})
    (numbers,) = _found(texts_request, data, Question(**texts_request.asked(), gate=gate)).compared
    told = {
        **numbers,
        "alignment": replace(numbers["alignment"], only_a=len(first) - len(common), only_b=len(second) - len(common)),
        "notes": [Note("input", _rescored_note(logs, numbers["scores"])), *numbers["notes"]],
    }
    return told, data.origins


def _texts(evaluation: Evaluation, measure: str) -> dict[str, tuple[str, str]]:
    """Reference and output of every item."""
    if evaluation.texts is None:
        raise OutscoreError(
            f"{evaluation.label}: `{measure}` scores the whole corpus, but the log does not contain its texts.",
            "Choose another score with --metric.",
            parameter="metric",
        )
    return dict(zip(evaluation.ids.texts(), evaluation.texts(measure), strict=True))


def _rescored_note(logs: Systems, scored: Sequence[SystemScore]) -> str:
    """A note that texts were scored again, and whether the scores agree with those of the logs."""
    totals = [evaluation.measures[logs.corpus].total for evaluation in logs.evaluations]
    start = f"The logs contain texts instead of {logs.corpus} scores, so the texts were scored again"
    if any(total is None for total in totals):
        return f"{start}."
    pairs = [(total, score.value) for total, score in zip(totals, scored, strict=True) if total is not None]
    if all(abs(total - value) <= TOLERANCE * max(1.0, abs(total)) for total, value in pairs):
        return f"{start}; the scores agree with those in the logs."
    listed = ", ".join(f"{total:.6g}" for total, _ in pairs)
    return f"{start}. The logs report {listed}: their harness scores or joins texts differently."

"""From a request to a comparison of texts: read systems, references and labels, and compare them by every metric.

For metrics that score the whole corpus, harnesses record texts instead of a score per item: those texts are scored again.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.rows import in_order_of
from outscore.engine.engines import Engine, engine_of
from outscore.engine.progress import Progress
from outscore.formats.logs.evaluation import Evaluation
from outscore.formats.segments import read_segments
from outscore.language.numbers import count
from outscore.language.phrases import correction_name
from outscore.language.verdict.comparison import Numbers, agreement, comparison_of
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.design import Verdict
from outscore.results.files import write_files
from outscore.results.note import Note
from outscore.scores.system import Origin
from outscore.workflows.names import at_the_door, path_texts
from outscore.workflows.question import Question
from outscore.workflows.requests.compare import CompareRequest, TextsRequest
from outscore.workflows.systems import UNNAMED, Systems
from outscore.workflows.texts.checks import cache_of, chosen_metrics, engine_for
from outscore.workflows.texts.corpus import compare_corpora, study_words
from outscore.workflows.texts.inputs import read_text_files
from outscore.workflows.texts.members import Member, check_segments, members_of, segment_scores
from outscore.workflows.texts.statistics import Statistics, Texts, texts_given

# Harnesses round what they print.
TOLERANCE = 1e-4


def run(request: TextsRequest, data: Texts | None = None, **more: Any) -> Comparisons:  # noqa: ANN401 - of `run_scored`
    """Read the files of a request, or use `data` instead, and compare them by every metric."""
    return run_scored(request, data, **more)[0]


@at_the_door
def run_scored(
    request: TextsRequest,
    data: Texts | None = None,
    *,
    engine: Engine | None = None,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
    unit_advice: bool = False,
    gate: bool = False,
) -> tuple[Comparisons, Callable[[], str]]:
    """The comparisons, and a function that computes the scores of all segments, as CSV.

    `remark` receives notes about the cache folder, which are not part of the result. `unit_advice` adds how spread, effect size
    and p depend on the unit size, and a `gate` asks as its `Question` says.
    """
    request.validate(arrays=data is not None)
    question = Question(**request.asked(), unit_advice=unit_advice, gate=gate)
    command = None if data is not None else lambda scores: request.command_line(scores=scores)
    statistics = Statistics(engine or engine_of(), cache_of(cache), progress or Progress())
    texts = read_texts(request) if data is None else data
    corpus = None if request.corpus is None else read_segments(request.corpus)
    # A caller that passes a cache reads its notes there.
    texts, members = _measured(texts, request, statistics, command, remark if cache is None else None)
    if corpus is not None and corpus.origin is not None:
        texts = replace(texts, origins=[*texts.origins, corpus.origin])
    compared, family = compare_corpora(texts, members, request, question)
    words = study_words(texts, request.correction, request.seed, corpus) if request.explain else None
    comparisons = [comparison_of(numbers, **question.side) for numbers in compared]
    verdict = Verdict("", "") if family is None else agreement(comparisons, correction_name(family.correction))
    settings = request.settings(texts.origins)
    whole = Comparisons(comparisons, settings, family, words=words, headline=verdict.headline, reason=verdict.reason)
    return whole, partial(segment_scores, members, texts, influence=True)


def _measured(
    texts: Texts,
    request: TextsRequest,
    statistics: Statistics,
    command: Callable[[Mapping[str, str]], str] | None,
    remark: Callable[[str], None] | None,
) -> tuple[Texts, list[Member]]:
    """Two systems' texts, with the files of scores among theirs, and the family of metrics."""
    if texts.documents is not None and texts.datasets:
        # A name that occurs in two datasets means two documents.
        named = zip(texts.datasets.labels, texts.documents, strict=True)
        texts = replace(texts, documents=tuple(f"{dataset}: {label}" for dataset, label in named))
    members, origins = members_of(texts, request.metrics, request.scores, statistics, command)
    if remark is not None:
        for note in statistics.cache.notes:
            remark(note)
    return replace(texts, origins=[*texts.origins, *origins]), members


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
        names = request.names or UNNAMED
        # Columns of dataframes are matched by their labels, as scores are.
        b, reference = in_order_of(a, b, "b")[0], in_order_of(a, reference, "reference")[0]
        request.validate(arrays=True)
        given_texts = dict(zip(names, (a, b), strict=True))
        data = texts_given(given_texts, reference, source=source, documents=documents, dataset=dataset, buckets=buckets)
    target = None if segments is None else os.fspath(segments)
    check_segments(target, request.inputs, texts=True)
    comparisons, scores = run_scored(request, data, **more)
    if target is not None:
        write_files({target: scores()})
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


def read_texts(request: TextsRequest) -> Texts:
    """The texts of a request's files, which are those of two systems."""
    texts = read_text_files(request)
    if len(texts.systems) != 2:
        listed = ", ".join(f"`{name}`" for name in texts.systems)
        raise OutscoreError(
            f"{count(len(texts.systems), 'system')} found, but two are needed: {listed}.",
            "Choose two with --system, or rank all of them with `outscore rank`."
            if len(texts.systems) > 2
            else "Name another file.",
            parameter="system",
        )
    return texts


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
    systems = [[own[item][1] for item in common] for own in (first, second)]
    data = replace(
        texts_given(dict(zip(logs.pair, systems, strict=True)), [first[item][0] for item in common]),
        origins=[origin for one in logs.evaluations for origin in one.origins],
        notes=[Note("input", note.text) for note in logs.notes],
    )
    # The logs have been read.
    read = {"files": (), "system": (), "dataset": None, "reader": "auto"}
    texts_request = TextsRequest.of({**request.values_for(TextsRequest), **read, "metric": logs.corpus})
    texts_request.validate(arrays=True)
    texts, members = _measured(data, texts_request, Statistics(), None, warnings.warn)
    ((numbers,), _) = compare_corpora(texts, members, texts_request, Question(**texts_request.asked(), gate=gate))
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

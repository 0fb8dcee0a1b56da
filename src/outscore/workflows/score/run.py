"""From a request to the scores of systems, each on its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from outscore.core.errors import OutscoreError
from outscore.core.rows import RepeatKind, kind_of_column
from outscore.inference.populations import THESE_ITEMS
from outscore.language.lines import score_signature
from outscore.language.numbers import count, format_number
from outscore.language.verdict.score import score_verdict
from outscore.results.design import Reading
from outscore.results.note import Note, Signature
from outscore.results.score import ScoreResult
from outscore.scores.panel import Panel
from outscore.scores.system import Origin, Scores
from outscore.workflows.frames import is_table
from outscore.workflows.load import load
from outscore.workflows.names import at_the_door, files_given, path_texts, proposing_measures
from outscore.workflows.prepare import Prepared, prepare_each
from outscore.workflows.question import these_runs
from outscore.workflows.reading import reading_of
from outscore.workflows.requests.rank import ScoreRequest
from outscore.workflows.score.measure import Measured, measure, of_kind
from outscore.workflows.systems import Systems, by_item, many_given, refuse_labels, rows_in
from outscore.workflows.texts.inputs import read_text_files
from outscore.workflows.texts.panels import score_texts
from outscore.workflows.texts.statistics import Texts, texts_given

UNNAMED = "system"
"""The name of a system that has none."""
FEW_RUNS = "Two runs say little about how much runs differ: the intervals rest on a single difference between them."


@at_the_door
def run(request: ScoreRequest, data: Systems | None = None) -> ScoreResult:
    """Read the files of a request, or use `data` instead, and score each system on its own.

    Examples
    --------
    >>> found = run(ScoreRequest(), many_given({"new": [1, 0, 1, 1, 1, 0, 1, 1] * 5}, ScoreRequest()))
    >>> found.verdict
    'new scores 0.7500: 95% CI 0.5981 to 0.8581, mean, 40 items.'
    """
    if request.reference:
        request.validate()
        return _of_texts(request, read_text_files(request))
    if data is not None:
        request.validate(arrays=True)
    return _scored(request, data or load(request))


def call(
    scores: object,
    *,
    reference: object,
    documents: object,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.score`
) -> ScoreResult:
    """`outscore.score`: arrays, tables, what `read` returns, or paths, with options by their Python names."""
    if reference is not None:
        return _call_texts(scores, reference, documents, given)
    several = scores if isinstance(scores, (list, tuple)) else [scores]
    paths = path_texts(several) if several else None
    if paths is not None:
        return run(ScoreRequest.from_python(given, files=paths))
    rows = {} if is_table(scores) else rows_in(ScoreRequest, given)
    request = ScoreRequest.from_python(given)
    request.validate(arrays=True)
    with proposing_measures(request):
        systems = many_given(scores if is_table(scores) else _by_system(scores, request), request, **rows)
    return run(request, systems)


def _call_texts(scores: object, reference: object, documents: object, given: dict[str, Any]) -> ScoreResult:
    """Texts: paths, or lists of segments, of one system or of several by name."""
    several = scores if isinstance(scores, (list, tuple)) else [scores]
    paths = files_given(reference, files=several, documents=documents)
    # A list of strings is a text, segment by segment.
    if paths is not None and all(isinstance(path, os.PathLike) for path in several if several is scores):
        return run(ScoreRequest.from_python(given, **paths))
    refuse_labels(given, "texts")
    dataset = given.pop("dataset")
    request = ScoreRequest.from_python(given)
    (called, *_) = request.names or (UNNAMED,)
    systems = scores if isinstance(scores, Mapping) else {called: scores}
    return _of_texts(request, texts_given(systems, reference, documents=documents, dataset=dataset))


def _by_system(scores: object, request: ScoreRequest) -> object:
    """Arrays by system; a single array gets the given name, or a default."""
    scores = by_item(scores, request.names[0] if request.names else UNNAMED)
    if isinstance(scores, Scores):
        return [scores]
    if isinstance(scores, Mapping) or (isinstance(scores, (list, tuple)) and any(isinstance(one, Scores) for one in scores)):
        return scores
    if len(request.names) > 1:
        raise OutscoreError(f"There are {len(request.names)} names for one system.", "Give one name.", parameter="names")
    return {request.names[0] if request.names else UNNAMED: scores}


def _scored(request: ScoreRequest, given: Systems) -> ScoreResult:
    """The scores of systems that were read, each on its own items."""
    check_systems(given.called, request)
    prepared = prepare_each(request, given)
    kind, column = _repeats(prepared, request)
    first, slices = prepared[0], dict[str, list[Panel]]()
    for one in prepared if request.slice is not None else ():
        for value, (part,) in one.slices(str(request.slice), [one.whole]).items():
            slices.setdefault(value, []).extend(of_kind([part.panel], kind))
    measured = measure(
        [of_kind(one.panels, kind) for one in prepared],
        kind=kind,
        population=request.population,
        slices=None if request.slice is None else (request.slice, slices),
        alpha=request.alpha,
        power=request.power,
        missing={one.system: one.reasons for one in given.missing},
        pooled=[float(one.whole.scores()[0]) if len(one.panels) > 1 else None for one in prepared],
    )
    reading = first.reading(sum(one.rows for one in given.scores))
    notes = [*first.better.notes, *given.notes, *_settling_notes(prepared), *first.matching_notes, *first.value_notes]
    return _result(request, measured, kind, column, notes, reading, first.systems.origins)


def _result(
    request: ScoreRequest,
    measured: Measured,
    kind: RepeatKind | None,
    repeat_column: str,
    notes: Sequence[Note],
    reading: Reading,
    origins: Sequence[Origin],
) -> ScoreResult:
    """The scores in words."""
    higher, population = measured.metric.higher_is_better, measured.population
    words = score_verdict(
        measured.systems, measured.metric.name, alpha=request.alpha, population=population, kind=kind, higher_is_better=higher
    )
    several = len(measured.systems) > 1
    return ScoreResult(
        systems=measured.systems,
        metric=measured.metric.name,
        higher_is_better=higher,
        alpha=request.alpha,
        population=population,
        repeat_kind=kind,
        repeat_column=repeat_column,
        interval=measured.interval,
        headline=words[0],
        reason=words[1],
        sentence=words[2],
        signature=_signature(measured, kind, request.alpha),
        next_command=request.ranking().command_line() if several and request.files else "",
        macro=any(one.datasets for one in measured.systems),
        notes=[*_macro_notes(measured), *notes, *_run_notes(measured, kind)],
        reading=reading,
        settings=request.settings(origins),
    )


def _of_texts(request: ScoreRequest, texts: Texts) -> ScoreResult:
    """The corpus scores of texts, each with its interval over segments or documents."""
    member, notes = score_texts(texts, request.text_metric)
    datasets = member.panels(texts)
    panels = [[panel.of_system(k) for panel in datasets] for k in range(len(texts.systems))]
    kind = datasets[0].repeat_kind
    measured = measure(panels, kind=kind, population=request.population, alpha=request.alpha, power=request.power)
    reading = reading_of(
        texts.origins,
        rows=sum(panel.shape[1] for panel in datasets),
        systems=texts.names,
        direction=("higher" if measured.metric.higher_is_better else "lower", "metric"),
        kind="texts",
    )
    notes += [Note("method", f"{member.label}: {member.signature}.")]
    return _result(request, measured, kind, "run" if kind else "", notes, reading, texts.origins)


def _signature(measured: Measured, kind: RepeatKind | None, alpha: float) -> Signature:
    return score_signature(
        measured.systems,
        measured.metric.name,
        interval=measured.interval,
        alpha=alpha,
        population=measured.population,
        repeat_kind=kind,
        higher_is_better=measured.metric.higher_is_better,
    )


def _settling_notes(prepared: Sequence[Prepared]) -> list[Note]:
    """What became of rows that repeat another one of the same item and run."""
    runs, rule = prepared[0].runs, prepared[0].aligned.rule
    dropped = runs.duplicates + sum(one.aligned.duplicates for one in prepared)
    conflicts = runs.conflicts + sum(one.aligned.conflicts for one in prepared)
    if conflicts:
        text = f"{count(conflicts, 'item')} had rows that contradict each other; --duplicates {rule} was applied."
        return [Note("input", text)]
    if not dropped:
        return []
    return [Note("input", f"{count(dropped, 'row')} repeating another row of the same item and run were left out.")]


def check_systems(scores: Sequence[Scores], request: ScoreRequest) -> None:
    """Refuse systems that share a name, or are unlikely to be systems."""
    names = [one.name for one in scores]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OutscoreError(f"Two systems are named `{twice}`.", "Give each a different name.", parameter="names")
    for one in scores:
        if one.values.shape[1:] != scores[0].values.shape[1:]:
            raise OutscoreError(
                f"`{scores[0].name}` and `{one.name}` do not have the same number of scores per row.",
                "Give all systems the same columns.",
            )
        if not one.rows:
            raise OutscoreError(f"`{one.name}` has no scores.", "Give it at least one.")
        if request.slice is not None and request.slice not in one.slices:
            raise OutscoreError(
                f"The scores of `{one.name}` have no slice column `{request.slice}`.",
                "Read them with slice=..., or give a label for each row.",
                parameter="slice",
            )


def _repeats(prepared: Sequence[Prepared], request: ScoreRequest) -> tuple[RepeatKind | None, str]:
    """The kind of repeats, and what the data call them; None if each item was scored once."""
    if all(one.aligned.behind is None and one.aligned.counts.max() <= 1 for one in prepared):
        if request.repeats is not None:
            raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
        return None, ""
    column = next((one.repeat_column for one in prepared[0].systems.scores if one.repeat_column), "")
    return cast("RepeatKind | None", request.repeats) or kind_of_column(column), column


def _macro_notes(measured: Measured) -> list[Note]:
    """That scores are means over datasets, and what they would be if all items counted alike."""
    pooled = [(one, one.pooled) for one in measured.systems if one.pooled is not None]
    if not pooled:
        return []
    datasets = max(len(one.datasets) for one, _ in pooled)
    scores = ", ".join(f"{one.system} {format_number(value)}" for one, value in pooled)
    text = f"Scores are macro averages of {datasets} datasets, which weight them equally; --dataset none pools them."
    size = count(max(one.n for one, _ in pooled), "item")
    return [Note("reading", text), Note("reading", f"Pooled over all {size}: {measured.metric.name} {scores}.")]


def _run_notes(measured: Measured, kind: RepeatKind | None) -> list[Note]:
    if kind != "runs" or measured.population == THESE_ITEMS:
        return []
    if measured.lacking:
        return [these_runs(measured.lacking, "The intervals are")]
    return [Note("runs", FEW_RUNS)] if measured.few_runs else []

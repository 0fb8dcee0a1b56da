"""From a request to a comparison of scores: read the files, match items, compare the whole and every slice."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import did_you_mean
from outscore.core.rows import EPOCHS, PairedScores
from outscore.inference.base.differences import with_exact_integers
from outscore.inference.base.entry import NoSpreadError
from outscore.language.verdict.comparison import Numbers, comparison_of
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Origin
from outscore.workflows.compare.arrays import compare_panel
from outscore.workflows.compare.evidence import IN_ORDER, evidence_at_every_look
from outscore.workflows.compare.families import compare_measures, compare_slices
from outscore.workflows.compare.unpaired import compare_samples, samples_given
from outscore.workflows.frames import counts_in, is_table
from outscore.workflows.gold import delong_notes
from outscore.workflows.load import load, pair_of_tables, with_exchanges
from outscore.workflows.names import at_the_door, path_texts, proposing_measures
from outscore.workflows.prepare import Prepared, ScoresRequest, prepare
from outscore.workflows.question import Question
from outscore.workflows.requests import base
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.systems import Systems, named_in, pair_given, rows_in
from outscore.workflows.validate import refuse_paired

COUNTS = ("true positives", "false positives", "false negatives")


@at_the_door
def run(request: CompareRequest, data: Systems | None = None, *, screen: bool = False) -> Comparisons:
    """Read the files of a request, or use `data` instead, and compare; slices, if any were asked for, follow the whole.

    A `screen` asks as its `Question` says.

    Examples
    --------
    >>> data = pair_given([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], names=("new", "old"))
    >>> found = run(CompareRequest(), data)
    >>> found.comparisons[0].verdict.split(":")[0], found.comparisons[0].p.value
    ('new outscored old', 0.03125)
    """
    if request.compat is not None:
        _originals(request)
    if request.qrels and isinstance(request.metric, str) and "," in request.metric:
        request = replace(request, metric=None, measure=tuple(name.strip() for name in request.metric.split(",")))
    if request.measure and data is None:
        return compare_measures(request, partial(_by_measure, screen=screen))
    with proposing_measures(request):
        if data is not None:
            request.validate(arrays=True)
        return compare_systems(request, data or load(request), from_files=data is None, screen=screen)


@at_the_door
def _by_measure(request: CompareRequest, *, screen: bool) -> tuple[Numbers, Sequence[Origin]]:
    """The comparison of a request's files by one of its measures, before its p is corrected for their number."""
    with proposing_measures(request):
        return _one(request, load(request), Question(**request.asked(), screen=screen))


def _one(
    request: CompareRequest, systems: Systems, question: Question, *, from_files: bool = True
) -> tuple[Numbers, Sequence[Origin]]:
    """One comparison of systems that have been read, in numbers, and the files they are in."""
    if systems.corpus:
        from outscore.workflows.texts.run import log_texts

        return log_texts(request, systems, gate=question.gate)
    prepared = prepare(request, systems)
    return _whole(prepared, question, from_files=from_files), prepared.systems.origins


def compare_systems(
    request: CompareRequest, systems: Systems, *, from_files: bool = False, gate: bool = False, screen: bool = False
) -> Comparisons:
    """Compare two systems that have been read, for a `gate`, a `screen` or themselves, and every slice that was asked for.

    For logs, the requested metric is one of their scores, whose mean is compared; if a log scores the corpus, its texts are.
    """
    if request.unpaired:
        return compare_samples(request, systems, gate=gate)
    question = Question(**request.asked(), gate=gate, screen=screen)
    if systems.corpus or request.slice is None:
        numbers, origins = _one(request, systems, question, from_files=from_files)
        return Comparisons([comparison_of(numbers, **question.side)], request.settings(origins))
    prepared = prepare(request, systems)
    whole, panel = _whole(prepared, question, from_files=from_files), prepared.whole
    parts = {value: part for value, (part,) in prepared.slices(request.slice, [panel]).items()}
    found, family, left_out = compare_slices(request.slice, parts, panel.clusters, question, correction=request.correction)
    slices = [comparison_of({**numbers, "reading": whole["reading"]}, **question.side) for numbers in found]
    told = {**whole, "notes": [*whole["notes"], *left_out]}
    settings = request.settings(prepared.systems.origins)
    return Comparisons([comparison_of(told, **question.side, slices=slices, family=family), *slices], settings, family)


def _whole(prepared: Prepared, question: Question, *, from_files: bool) -> Numbers:
    """All items of two systems compared, with what there is to say of how they were read."""
    request, systems = cast("CompareRequest", prepared.request), prepared.systems
    panel = None
    try:
        panel = prepared.whole
        rows = with_exact_integers(panel.matched_rows())
        datasets, pooled = _datasets(prepared)
        reading = prepared.reading(rows.rows)
        after = [
            *([] if request.compat is None else _of_originals(_originals(request), rows, panel.metric, question)),
            *([IN_ORDER] if request.anytime else []),
            *delong_notes(prepared.aligned, prepared.better.metric, question.alpha),
        ]
        anytime = None
        if request.anytime:
            anytime = evidence_at_every_look(rows, panel.metric, request.alpha, request.alternative, request.bounds)
        whole = compare_panel(panel, question, datasets=datasets, notes=after)
    except OutscoreError as refusal:
        raise _with_origin(refusal, request, systems, panel) from None
    exchanges = {}
    if systems.evaluations and not question.screen:
        exchanges = {"deciding_items": with_exchanges(whole["deciding_items"], systems.evaluations)}
    before = [*prepared.better.notes, *_reading_notes(prepared, panel, from_files=from_files), *pooled]
    return {
        **whole,
        **exchanges,
        "alignment": prepared.alignment,
        "reading": reading,
        "anytime": anytime,
        "notes": [*before, *whole["notes"]],
    }


def _datasets(prepared: Prepared) -> tuple[Sequence[Panel], Sequence[Note]]:
    """The datasets, if there are several, or why their items are pooled instead."""
    number, request = len(prepared.aligned.by_dataset), prepared.request
    if number < 2:
        return [], []
    try:
        return prepared.panels, []
    except OutscoreError as refusal:
        if isinstance(request, CompareRequest) and (request.is_shifted or request.alternative != "two-sided" or request.delta):
            raise
        # Imported only here, because it loads the tests of many systems on many datasets.
        from outscore.workflows.compare.datasets import untested

        why = f"their macro average cannot be tested: {refusal.message.rstrip('.')}"
        return [], [untested(number, "item", why)]


def call(
    a: object,
    b: object,
    *,
    labels: Sequence[str] | None,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.compare`
) -> Comparison | Comparisons:
    """`outscore.compare`: paths, tables, scores, arrays or dictionaries of them, with options by their Python names."""
    a, b, given["names"] = named_in(a, b, given.get("names"))
    if isinstance(a, (str, os.PathLike)):
        asked = _of_files([a] if b is None else [a, b], labels, given)
        compared = run(asked)
        several = asked.slice is not None or asked.measure or len(compared.comparisons) > 1
        return compared if several else compared.comparisons[0]
    if is_table(a) and (b is None or (is_table(b) and counts_in(a) is None)):
        return _of_tables([a] if b is None else [a, b], labels, given)
    rows = rows_in(CompareRequest, given)
    request = CompareRequest.from_python(given)
    request.refuse_outside(base.FILES)
    request.validate(arrays=True)
    if request.unpaired:
        refuse_paired({"items": rows.get("items"), "labels": labels})
        samples = samples_given(a, b, clusters=rows.get("clusters"), names=request.names)
        return compare_samples(request, samples).comparisons[0]
    compared = run(request, pair_given(a, b, labels=labels, names=request.names, **rows))
    return compared if request.slice is not None else compared.comparisons[0]


def _of_tables(tables: Sequence[object], labels: object, given: Mapping[str, Any]) -> Comparison | Comparisons:
    """Dataframes: one with both systems, or one for each."""
    request = _naming_columns(labels, given)
    request.validate(arrays=True)
    if request.measure:

        def compare(one: CompareRequest) -> tuple[Numbers, Sequence[Origin]]:
            return _one(one, pair_of_tables(tables, one), Question(**one.asked()), from_files=False)

        return compare_measures(request, compare)
    with proposing_measures(request):
        compared = run(request, pair_of_tables(tables, request))
    return compared if request.slice is not None else compared.comparisons[0]


def _naming_columns(labels: object, given: Mapping[str, Any], files: tuple[str, ...] = ()) -> CompareRequest:
    """The request for files or tables, whose columns take the place of labels given with arrays."""
    if labels is not None:
        raise OutscoreError("`labels` was given, but files have item ids.", "Leave `labels` out.", parameter="labels")
    return CompareRequest.from_python(given, files=files)


def _of_files(files: Sequence[object], labels: object, given: Mapping[str, Any]) -> CompareRequest:
    names = path_texts(files)
    if names is None:
        raise OutscoreError(
            "One of `a` and `b` is a file and the other is not.", "Give two files, or one that contains both systems."
        )
    return _naming_columns(labels, given, names)


def _originals(request: CompareRequest) -> list[str]:
    """The other programs that were asked for."""
    from outscore.inference.originals import ORIGINALS

    names = [name.strip() for name in (request.compat or "").split(",") if name.strip()]
    for name in names:
        if name.startswith("sacrebleu"):
            hint = "Add --reference FILE, or leave --compat out."
            raise OutscoreError(f"--compat {name} is for texts, but no --reference was named.", hint, parameter="compat")
        if name not in ORIGINALS:
            raise OutscoreError(f"There is no `{name}` to compare with.", did_you_mean(name, ORIGINALS), parameter="compat")
    return names


def _of_originals(names: Sequence[str], rows: PairedScores, metric: AdditiveMetric, question: Question) -> list[Note]:
    """What other programs print for the same items."""
    from outscore.inference.originals import of_originals

    return [of_originals(name, rows, metric, question.of_test, *question.units) for name in names]


def _reading_notes(prepared: Prepared, panel: Panel, *, from_files: bool) -> list[Note]:
    """What the reader should know about how the files were read."""
    request, systems, said = prepared.request, prepared.systems, list[Note]()
    if from_files and request.metric is None and systems.counts:
        columns = ("true positives", "errors") if systems.scores[0].values.shape[1] == 2 else COUNTS
        text = f"The columns were read as F1 counts ({', '.join(columns)}); choose another metric with --metric."
        said.append(Note("input", text))
    if from_files:
        said += _recognition_notes(request, systems, panel)
    return [*said, *_selection_notes(systems), *systems.notes, *prepared.matching_notes, *prepared.value_notes]


def _recognition_notes(request: ScoresRequest, systems: Systems, panel: Panel | None) -> list[Note]:
    """Columns that were recognised, not named, and that change what counts as one observation."""
    columns_by_part = {part: columns for table in systems.origins for part, columns in table.columns.items()}
    repeats = None if panel is None else panel.repeats
    averaged = repeats is not None and (not repeats.reduced or repeats.unequal)
    used = {"repeat": averaged, "cluster": panel is None or panel.clusters is not None}
    named = request.columns()
    kind = "" if repeats is None else f" ({repeats.kind})"
    words = {"repeat": f"repeats{kind}", "cluster": "clusters"}
    recognised = [
        f"{', '.join(f'`{column}`' for column in columns_by_part[part])} as {words[part]}"
        for part, here in used.items()
        if here and part in columns_by_part and part not in named
    ]
    spans = ""
    if (
        used["repeat"]
        and "repeat" not in named
        and repeats is not None
        and repeats.kind == EPOCHS
        and not repeats.lacking
        and ("epoch" not in repeats.column.lower())
    ):
        spans = " If one value spans all items, as a seed does, add --repeats runs."
    return [Note("input", f"Recognised by name: {' and '.join(recognised)}.{spans}")] if recognised else []


def _with_origin(refusal: OutscoreError, request: CompareRequest, systems: Systems, panel: Panel | None) -> OutscoreError:
    """A refusal about clusters that nobody asked for, with where they come from."""
    in_clusters = isinstance(refusal, NoSpreadError) and panel is not None and panel.clusters is not None
    recognised = _recognition_notes(request, systems, panel) if in_clusters or isinstance(refusal, ClustersError) else []
    if not recognised:
        return refusal
    hint = f"{refusal.hint} {recognised[0]} Write --cluster none to ignore clusters."
    return OutscoreError(refusal.message, hint, parameter="cluster", file=refusal.file, line=refusal.line)


def _selection_notes(systems: Systems) -> list[Note]:
    """A warning that whoever tests the best of many systems has also picked the largest of many chance differences."""
    if len(systems.origins) != 1 or systems.origins[0].systems <= 2:
        return []
    table, (a, b) = systems.origins[0], systems.names
    pairs = math.comb(table.systems, 2)
    text = f"{a} and {b} are two of the {table.systems:,} systems in {table.label}, and p is for this pair alone."
    cure = f"If you chose them by their scores, use `outscore rank`: it tests all {pairs:,} pairs and corrects for that."
    return [Note("warning", f"{text} {cure}")]

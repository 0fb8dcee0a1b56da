"""From a request to a comparison of scores: read the files, match items, compare the whole and every slice."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.core.rows import EPOCHS, RepeatKind, Repeats, codes_of, in_order_of, repeats_of_rows
from outscore.inference.base.differences import with_exact_integers
from outscore.inference.base.entry import NoSpreadError
from outscore.language.verdict.comparison import with_omission, with_slices
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.note import Note
from outscore.scores.pairing import DuplicateRule, TwoSystems
from outscore.scores.panel import Panel
from outscore.scores.system import shared_datasets
from outscore.workflows.compare.arrays import compare_rows
from outscore.workflows.compare.evidence import IN_ORDER, evidence_at_every_look
from outscore.workflows.compare.families import compare_measures, compare_slices
from outscore.workflows.compare.inputs import (
    choose_systems,
    choose_tables,
    metric_of,
    named_in,
    pair_given,
    pair_tables,
    read_systems,
    reduced,
)
from outscore.workflows.compare.logs import LogPair, asks_logs, pair_logs, samples_of_logs, with_exchanges
from outscore.workflows.compare.unpaired import TwoSamples, compare_samples, samples_given
from outscore.workflows.frames import counts_in, is_table
from outscore.workflows.gold import beside_of, delong_notes, gold_facts
from outscore.workflows.names import at_the_door, path_texts, proposing_measures
from outscore.workflows.reading import answer_notes, gold_notes, reading_of, resolve_direction, scale_notes, score_names
from outscore.workflows.requests import base
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.validate import paired, question_of, refuse_labels

COUNTS = ("true positives", "false positives", "false negatives")
SLICES = "slice"
"""The name of a column whose labels were given without one."""


@at_the_door
def run(request: CompareRequest, data: TwoSystems | None = None) -> Comparisons:
    """Read the files of a request, or use `data` instead, and compare; slices, if any were asked for, follow the whole.

    Examples
    --------
    >>> data = TwoSystems([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], ("new", "old"))
    >>> found = run(CompareRequest(), data)
    >>> found.comparisons[0].verdict.split(":")[0], found.comparisons[0].p.value
    ('new outscored old', 0.03125)
    """
    if request.compat is not None:
        _originals(request)
    if request.qrels and isinstance(request.metric, str) and "," in request.metric:
        request = replace(request, metric=None, measure=tuple(name.strip() for name in request.metric.split(",")))
    if request.measure and data is None:
        return compare_measures(request, run)
    with proposing_measures(request):
        if request.unpaired and data is None:
            return compare_samples(request, read_samples(request))
        return compare_pair(request, read_pair(request, data))


def read_samples(request: CompareRequest) -> TwoSamples:
    """The scores of two systems in the files of a request; items are not matched."""
    if asks_logs(request):
        replace(request, metric=None).validate(logs=True)
        return samples_of_logs(request)
    request.validate()
    a, b, names = choose_systems(request.files, format=request.reader, systems=request.system, **request.columns())
    return TwoSamples(a, b, (request.names[0], request.names[1]) if request.names else names)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two systems before they are compared: their numbers, and for logs the logs as well."""

    systems: TwoSystems | None
    logs: LogPair | None = None
    from_files: bool = True

    def swap_systems(self) -> Pair:
        """The same two, the second one first."""
        systems = None if self.systems is None else self.systems.swap_systems()
        return replace(self, systems=systems, logs=None if self.logs is None else self.logs.swap_systems())


def read_pair(request: CompareRequest, data: TwoSystems | None = None) -> Pair:
    """The two systems of a request, or `data` instead; the request is checked first."""
    if data is None and asks_logs(request):
        replace(request, metric=None).validate(logs=True)
        return Pair(*pair_logs(request))
    request.validate(arrays=data is not None)
    return Pair(data or _read(request), None, from_files=data is None)


def compare_pair(request: CompareRequest, pair: Pair, *, gate: bool = False) -> Comparisons:
    """Compare two systems that have been read, for a `gate` or for themselves.

    For logs, the requested metric is one of their scores, whose mean is compared; if a log scores the corpus, its texts are.
    """
    if pair.systems is None:
        from outscore.workflows.texts.run import compare_log_texts

        assert pair.logs is not None
        return compare_log_texts(request, pair.logs, gate=gate)
    metric = request.metric if pair.logs is None else None
    compared = _run(request, pair.systems, metric=metric, from_files=pair.from_files, gate=gate)
    if pair.logs is None:
        return compared
    whole, *others = compared.comparisons
    whole = replace(whole, deciding_items=with_exchanges(whole.deciding_items, pair.logs.evaluations))
    return replace(compared, comparisons=[whole, *others])


def _run(
    request: CompareRequest,
    systems: TwoSystems,
    *,
    metric: str | AdditiveMetric | None,
    from_files: bool,
    gate: bool = False,
) -> Comparisons:
    """Compare two systems by a metric, or by the default for their data; slices, if any were asked for, follow the whole."""
    _check_slices(request, systems)
    systems, reduction = reduced(systems, request)
    if reduction is not None:
        metric = metric_of(reduction)
    question = question_of(**request.asked(), gate=gate)
    usual, measures = "f1" if systems.counts else "mean", systems.measures or score_names(systems.tables, systems.names)
    scores = (systems.a, systems.b)
    better = resolve_direction(metric or usual, request.direction, measures, told=systems.better, scores=scores)
    metric = better.metric
    per_row: dict[str, Any] = {"items": systems.items, "clusters": systems.clusters, "labels": systems.labels}
    repeats = _repeats(request, systems)
    panels, pooled = _datasets(request, systems, metric)
    try:
        whole = compare_rows(
            systems.a, systems.b, question, metric=metric, names=systems.names, repeats=repeats, panels=panels, **per_row
        )
    except OutscoreError as refusal:
        raise _with_origin(refusal, request, systems) from None
    if request.compat is not None:
        whole = _with_originals(whole, systems, metric, request)
    if request.anytime:
        whole = _with_looks(whole, systems, metric, request)
    about_gold = gold_facts(systems.scores or (), metric)
    reading = reading_of(
        systems.tables,
        rows=whole.design.rows,
        systems=systems.names,
        slices=() if request.slice is None else (request.slice,),
        direction=(better.better, better.source),
        beside=beside_of(metric) if about_gold else "",
    )
    whole = with_omission(replace(whole, alignment=systems.alignment or whole.alignment, reading=reading))
    notes = [*better.notes, *_reading_notes(request, systems, about_gold, from_files=from_files), *pooled, *whole.notes]
    whole = replace(whole, notes=[*notes, *delong_notes(systems, metric, question.alpha)])
    settings = request.settings(systems.tables)
    if request.slice is None:
        return Comparisons([whole], settings)
    found, family, left_out = compare_slices(
        np.asarray(systems.a),
        np.asarray(systems.b),
        request.slice,
        systems.slices[request.slice],
        question,
        correction=request.correction,
        metric=metric,
        names=systems.names,
        per_row=per_row,
        repeats=repeats,
    )
    parts = [replace(part, reading=reading) for part in found]
    whole = with_slices(whole, parts, family, alpha=question.alpha, delta=question.delta)
    return Comparisons([replace(whole, notes=[*whole.notes, *left_out]), *parts], settings, family)


def _datasets(
    request: CompareRequest, systems: TwoSystems, metric: str | AdditiveMetric
) -> tuple[Sequence[Panel], Sequence[Note]]:
    """The datasets, if there are several, or why their items are pooled instead."""
    if systems.scores is None or len(shared_datasets(systems.scores)) < 2:
        return [], []
    # Imported only here, because it loads the tests of many systems on many datasets.
    from outscore.workflows.compare.datasets import panels_of_datasets, untested

    rule = cast("DuplicateRule", request.duplicates)
    try:
        return panels_of_datasets(systems.scores, systems.names, metric, rule, request.repeats), []
    except OutscoreError as refusal:
        if request.is_shifted or request.alternative != "two-sided" or request.delta:
            raise
        why = f"their macro average cannot be tested: {refusal.message.rstrip('.')}"
        return [], untested(len(shared_datasets(systems.scores)), "item", why).notes


def call(
    a: object,
    b: object,
    *,
    labels: Sequence[str] | None,
    items: object,
    clusters: object,
    slices: object,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.compare`
) -> Comparison | Comparisons:
    """`outscore.compare`: paths, tables, scores, arrays or dictionaries of them, with options by their Python names."""
    a, b, given["names"] = named_in(a, b, given.get("names"))
    if isinstance(a, (str, os.PathLike)):
        asked = _of_files([a] if b is None else [a, b], labels, items=items, clusters=clusters, slices=slices, **given)
        compared = run(asked)
        several = slices is not None or asked.measure or len(compared.comparisons) > 1
        return compared if several else compared.comparisons[0]
    if given["unpaired"] and not is_table(a):
        return _of_samples(a, b, labels, items=items, clusters=clusters, slices=slices, **given)
    if is_table(a) and (b is None or is_table(b)) and (b is None or counts_in(a) is None):
        return _of_tables([a] if b is None else [a, b], labels, items=items, clusters=clusters, slices=slices, **given)
    request = CompareRequest.from_python(given)
    data = pair_given(
        a,
        b,
        items=items,
        clusters=clusters,
        labels=labels,
        names=request.names,
        duplicates=request.duplicates,
        metric=request.metric,
    )
    request.refuse_outside(base.FILES)
    if slices is None:
        return run(request, data).comparisons[0]
    column, values = _slice_labels(slices, data, a)
    return run(replace(request, slice=column), replace(data, slices={column: values}))


def _of_samples(
    a: object,
    b: object,
    labels: object,
    *,
    items: object,
    clusters: object,
    slices: object,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.compare`
) -> Comparison:
    """Compare arrays, or scores that were read, of different items."""
    for name, value in (("items", items), ("labels", labels), ("slices", slices)):
        if value is not None:
            raise OutscoreError(f"`{name}` needs items that both systems share.", f"Leave `{name}` out.", parameter=name)
    request = CompareRequest.from_python(given)
    request.refuse_outside(base.FILES)
    request.validate(arrays=True)
    return compare_samples(request, samples_given(a, b, clusters=clusters, names=request.names)).comparisons[0]


def _of_tables(tables: Sequence[object], labels: object, **given: Any) -> Comparison | Comparisons:  # noqa: ANN401
    """Dataframes: one with both systems, or one for each."""
    request = _naming_columns(labels, **given)
    request.validate(arrays=True)
    if request.measure:
        return compare_measures(request, lambda one: run(one, pair_tables(tables, one)))
    with proposing_measures(request):
        if request.unpaired:
            a, b, called = choose_tables(tables, request)
            return compare_samples(request, TwoSamples(a, b, called)).comparisons[0]
        compared = run(request, pair_tables(tables, request))
    return compared if request.slice is not None else compared.comparisons[0]


def _naming_columns(labels: object, files: tuple[str, ...] = (), **given: Any) -> CompareRequest:  # noqa: ANN401
    """The request for files or tables, whose columns take the place of labels given with arrays."""
    if labels is not None:
        raise OutscoreError("`labels` was given, but files have item ids.", "Leave `labels` out.", parameter="labels")
    refuse_labels({name: given[name] for name in ("items", "clusters", "slices")})
    return CompareRequest.from_python(given, files=files)


def _of_files(files: Sequence[object], labels: object, **given: Any) -> CompareRequest:  # noqa: ANN401
    names = path_texts(files)
    if names is None:
        raise OutscoreError(
            "One of `a` and `b` is a file and the other is not.", "Give two files, or one that contains both systems."
        )
    return _naming_columns(labels, names, **given)


def _slice_labels(slices: object, data: TwoSystems, a: object) -> tuple[str, Sequence[str]]:
    """The column and the slice of each row: a column of scores that were read, labels by column, or labels alone."""
    if isinstance(slices, str):
        if slices not in data.slices:
            raise OutscoreError(
                f"The scores have no slice column `{slices}`.",
                "Read them with slice=..., or give a label for each row.",
                parameter="slice",
            )
        return slices, data.slices[slices]
    if isinstance(slices, Mapping):
        if len(slices) != 1:
            raise OutscoreError(f"`slices` names {len(slices)} columns.", "Give one column.", parameter="slice")
        column, labels = next(iter(slices.items()))
        return str(column), _texts_in_order(a, labels)
    return SLICES, _texts_in_order(a, slices)


def _texts_in_order(a: object, labels: object) -> list[str]:
    return [str(label) for label in np.asarray(in_order_of(a, labels, "slices")[0]).tolist()]


def _read(request: CompareRequest) -> TwoSystems:
    names = (request.names[0], request.names[1]) if request.names else None
    return read_systems(
        request.files,
        names,
        duplicates=request.duplicates,
        format=request.reader,
        systems=request.system,
        metric=request.metric,
        **request.columns(),
    )


def _repeats(request: CompareRequest, systems: TwoSystems) -> Repeats | None:
    """What is known about repeats, with the kind that the caller named; rows of arrays are told apart by their order only."""
    repeats = systems.repeats
    if repeats is None and systems.items is not None:
        a, b = np.asarray(systems.a), np.asarray(systems.b)
        codes = codes_of(systems.items, len(a), "items")
        repeats = None if codes is None or len(a) != len(b) else repeats_of_rows((a, b), codes, systems.names)
    if repeats is None:
        if request.repeats is not None:
            raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
        return None
    return repeats if request.repeats is None else replace(repeats, kind=cast("RepeatKind", request.repeats))


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


def _with_originals(
    whole: Comparison, systems: TwoSystems, metric: str | AdditiveMetric, request: CompareRequest
) -> Comparison:
    """The comparison with what other programs print for the same items."""
    from outscore.inference.originals import UnitsAsked, of_originals

    pairs, additive = paired(systems.a, systems.b, metric, systems.items, systems.clusters)
    question = question_of(**request.asked())
    units = UnitsAsked(question.unit_size, question.unit_statistic, question.shuffle)
    notes = [of_originals(name, pairs, additive, question.of_test, units) for name in _originals(request)]
    return replace(whole, notes=[*whole.notes, *notes])


def _check_slices(request: CompareRequest, systems: TwoSystems) -> None:
    if request.slice is None:
        return
    if request.slice not in systems.slices:
        raise OutscoreError(
            f"Column `{request.slice}` differs between the systems on the same item, so it cannot define slices.",
            "Name a column with --slice that has the same value for both systems on every item.",
            parameter="slice",
        )
    rows, labels = len(np.asarray(systems.a)), len(systems.slices[request.slice])
    if rows != labels:
        raise OutscoreError(
            f"There are {labels:,} slice labels for {rows:,} rows.", "Give one for each row.", parameter="slice"
        )


def _reading_notes(request: CompareRequest, systems: TwoSystems, about_gold: Sequence[Note], *, from_files: bool) -> list[Note]:
    """What the reader should know about how the files were read."""
    notes = [*(_recognition_notes(request, systems) if from_files else []), *_selection_notes(systems), *systems.notes]
    notes += scale_notes(systems.names, [np.asarray(values) for values in (systems.a, systems.b)])
    notes += gold_notes(systems.names, [np.asarray(values) for values in (systems.a, systems.b)], systems.tables)
    notes += answer_notes(systems.tables, about_gold)
    if from_files and request.metric is None and systems.counts:
        columns = ("true positives", "errors") if np.asarray(systems.a).shape[1] == 2 else COUNTS
        text = f"The columns were read as F1 counts ({', '.join(columns)}); choose another metric with --metric."
        notes.insert(0, Note("input", text))
    return notes


def _recognition_notes(request: CompareRequest, systems: TwoSystems) -> list[Note]:
    """Columns that were recognised, not named, and that change what counts as one observation."""
    columns_by_part = {part: columns for table in systems.tables for part, columns in table.columns.items()}
    repeats = systems.repeats
    averaged = repeats is not None and repeats.unequal
    used = {"repeat": systems.items is not None or averaged, "cluster": systems.clusters is not None}
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


def _with_looks(whole: Comparison, systems: TwoSystems, metric: str | AdditiveMetric, request: CompareRequest) -> Comparison:
    """The same comparison with evidence that is valid at every look."""
    raw = () if systems.repeats is None else systems.repeats.averaged
    pairs, additive = paired(systems.a, systems.b, metric, systems.items, systems.clusters, raw)
    looks = evidence_at_every_look(
        with_exact_integers(pairs), additive, alpha=request.alpha, alternative=request.alternative, bounds=request.bounds
    )
    return replace(whole, anytime=looks, notes=[*whole.notes, IN_ORDER])


def _with_origin(refusal: OutscoreError, request: CompareRequest, systems: TwoSystems) -> OutscoreError:
    """A refusal about clusters that nobody asked for, with where they come from."""
    in_clusters = isinstance(refusal, NoSpreadError) and systems.clusters is not None
    recognised = _recognition_notes(request, systems) if in_clusters or isinstance(refusal, ClustersError) else []
    if not recognised:
        return refusal
    hint = f"{refusal.hint} {recognised[0]} Write --cluster none to ignore clusters."
    return OutscoreError(refusal.message, hint, parameter="cluster")


def _selection_notes(systems: TwoSystems) -> list[Note]:
    """A warning that whoever tests the best of many systems has also picked the largest of many chance differences."""
    if len(systems.tables) != 1 or systems.tables[0].systems <= 2:
        return []
    table, (a, b) = systems.tables[0], systems.names
    pairs = math.comb(table.systems, 2)
    text = f"{a} and {b} are two of the {table.systems:,} systems in {table.label}, and p is for this pair alone."
    cure = f"If you chose them by their scores, use `outscore rank`: it tests all {pairs:,} pairs and corrects for that."
    return [Note("warning", f"{text} {cure}")]

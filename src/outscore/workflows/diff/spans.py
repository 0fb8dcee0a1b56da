"""Named entities: spans of gold and systems, scored by micro-F1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.metrics.registry import resolve
from outscore.outputs.items import GOLD, LabelMaps, check_maps, count_labels, rename_labels
from outscore.outputs.model import Outputs, Units, Words
from outscore.outputs.outcomes import Changed, Contexts, agreement
from outscore.outputs.words.alignment import fit
from outscore.outputs.words.spans import (
    CHANGE,
    CHANGES,
    IOB1,
    NO_SPAN,
    TYPES_ALONE,
    Spans,
    span_counts,
    span_units,
    spans_of,
)
from outscore.outputs.words.units import changed_spans, cluster_count, sentence_contexts
from outscore.results.diff import Rates
from outscore.results.note import Note
from outscore.workflows.diff.pair import DiffOptions, Study, View, chosen, metric_change
from outscore.workflows.diff.words import fit_notes, read_as_words

SCHEMES = {
    IOB1: "are IOB1 and are read as such: I- begins an entity, B- one right after another of its type",
    TYPES_ALONE: "have no prefixes: neighbouring words of one type are one entity",
}
STRICTLY = "strictly, so broken sequences are not entities"
LENIENTLY = "leniently, as conlleval and by default seqeval do"
NO_ENTITY = f"{NO_SPAN} means no entity: O → PER is an entity that the second system finds and the first does not."


def load_entities(output: object, name: str, options: DiffOptions) -> Words:
    """A file of words whose last column holds entity tags."""
    return read_as_words(output, name, ("tag", *options.slices), options.own.get("columns"))


def span_study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    """Spans of every file; a pair is compared on the spans of gold and of its own two systems."""
    assert isinstance(gold, Words)
    fitted = [fit(gold, words) for words in systems.values() if isinstance(words, Words)]
    files = [gold, *(system.words for system in fitted)]
    lenient = options.flag("lenient")
    key, *responses = read = _apply_maps([spans_of(words, lenient=lenient) for words in files], maps)
    if not len(key.first) and not len(key.ignored):
        raise OutscoreError(f"{gold.label} contains no entities.", "Give a gold file with BIO, BIOES or BILOU tags.")
    criteria = chosen(options.criteria, ("span",), "ner")
    cluster = "sentence" if options.cluster is None else options.cluster
    everyone, places = span_units(key, responses, cluster=cluster, slices=options.slices)
    otherwise = [spans_of(words, lenient=not lenient) for words in files]
    scores = {name: _scores(everyone, k) for k, name in enumerate(systems)}
    notes = [*fit_notes(fitted), *_scheme_notes(read), *_other_reading(scores, _apply_maps(otherwise, maps), lenient=lenient)]

    @cache
    def view(_criterion: str, first: int, second: int) -> View:
        units, _ = span_units(key, (responses[first], responses[second]), cluster=cluster, slices=options.slices)
        counts = [span_counts(units, k, clusters=_groups(units)) for k in range(2)]
        metric, before, after = resolve("f1", *counts)
        headline = metric_change(metric, before, after, options)
        kinds = count_labels(units.slices[CHANGE].codes, CHANGES)
        split = replace(units, slices={name: values for name, values in units.slices.items() if name != CHANGE})
        return View(split, (0, 1), headline, kinds={name: kinds.get(name, 0) for name in CHANGES[1:]})

    @cache
    def changed() -> tuple[list[Changed], Contexts]:
        split = {name: values for name, values in everyone.slices.items() if name != CHANGE}
        return [changed_spans(replace(everyone, slices=split), gold, places)], sentence_contexts(gold)

    return Study(
        task="ner",
        systems=tuple(systems),
        criteria=criteria,
        unit="spans",
        cluster=None if cluster == "none" else cluster,
        n=int((everyone.gold > 0).sum()),
        scores=scores,
        view=view,
        together=everyone.take(np.flatnonzero(everyone.gold > 0)),
        agreement=_agreement(everyone),
        changed=changed,
        inventory=_inventory(*_apply_maps([spans_of(words, lenient=True) for words in files], maps)),
        counts=lambda k: span_counts(everyone, k, clusters=_groups(everyone)),
        clusters=cluster_count(gold, cluster),
        answered=everyone,
        no_label=NO_SPAN,
        origins=[words.origin for words in files if words.origin is not None],
        notes=[*notes, Note("data", NO_ENTITY), *(note for spans in responses if (note := _ignored_note(spans)) is not None)],
    )


def _groups(units: Units) -> int | None:
    return None if units.clusters is None else int(units.clusters.max(initial=0)) + 1


def _apply_maps(files: list[Spans], maps: LabelMaps) -> list[Spans]:
    if not maps:
        return files
    names = (GOLD, *(spans.words.name for spans in files[1:]))
    check_maps(maps, {name: spans.types.names for name, spans in zip(names, files, strict=True)})
    return [replace(spans, types=rename_labels(spans.types, maps, name)) for name, spans in zip(names, files, strict=True)]


def _scores(units: Units, system: int) -> dict[str, float | Rates]:
    scores: dict[str, float | Rates] = {"span": _rates(span_counts(units, system))}
    for code in np.unique(units.gold[units.gold > 0]).tolist():
        scores[f"span_{units.labels[code]}"] = _rates(span_counts(units, system, type=units.labels[code]))
    return scores


def _rates(counts: Array) -> Rates:
    tp, fp, fn = (int(x) for x in counts.sum(axis=0))
    if not tp:
        return Rates(0.0, 0.0, 0.0)
    return Rates(tp / (tp + fn), tp / (tp + fp), 2 * tp / (2 * tp + fp + fn))


def _agreement(units: Units) -> Array:
    """Shares of spans that two systems agree on, among those that either has."""
    shares = agreement(units)
    for i, j in combinations(range(len(units.systems)), 2):
        either = (units.answers[:, i] > 0) | (units.answers[:, j] > 0)
        same = units.answers[either, i] == units.answers[either, j]
        shares[i, j] = shares[j, i] = float(same.mean()) if len(same) else 1.0
    return shares


def _inventory(gold: Spans, *systems: Spans) -> dict[str, dict[str, int]]:
    """The types that files have, read leniently: the inventory does not depend on broken tags."""
    files = {GOLD: gold, **{spans.words.name: spans for spans in systems}}
    return {name: count_labels(spans.types.codes, spans.types.names) for name, spans in files.items()}


def _scheme_notes(files: Sequence[Spans]) -> Iterator[Note]:
    """Notes on tags that are not BIO, BIOES or BILOU."""
    for scheme, meaning in SCHEMES.items():
        names = [spans.words.name for spans in files if spans.scheme == scheme]
        if names:
            yield Note("reading", f"The tags of {', '.join(names)} {meaning}.")


def _other_reading(scores: Mapping[str, dict[str, float | Rates]], files: list[Spans], *, lenient: bool) -> list[Note]:
    """Add the scores of the reading that was not chosen, if they differ, and note which is which."""
    key, *responses = files
    if len(key.ignored) or (lenient and not any(len(spans.ignored) for spans in responses)):
        return []
    units, _ = span_units(key, responses, cluster="none")
    others = [_rates(span_counts(units, k)) for k in range(len(responses))]
    if all(other == rates["span"] for other, rates in zip(others, scores.values(), strict=True)):
        return []
    chosen_one, other_one = (LENIENTLY, STRICTLY) if lenient else (STRICTLY, LENIENTLY)
    name = "span (strict)" if lenient else "span (lenient)"
    for rates, other in zip(scores.values(), others, strict=True):
        rates[name] = other
    text = f"Tags are read {chosen_one}; {name} is F1 when they are read {other_one}"
    return [Note("reading", f"{text} ({'leave out' if lenient else 'choose it with'} --lenient).")]


def _ignored_note(spans: Spans) -> Note | None:
    if not len(spans.ignored):
        return None
    return Note(
        "input", f"{spans.words.name} has {len(spans.ignored):,} tags that are not part of an entity when read strictly."
    )

"""Tags and trees: words of gold with every system's tag, head and relation; named entities: spans of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import count_of
from outscore.language.numbers import format_percent
from outscore.metrics.registry import resolve
from outscore.outputs.alignment import MAX_UNALIGNED, Fitted, fit
from outscore.outputs.items import GOLD, LabelMaps, check_maps, count_labels, known_labels, rename_labels
from outscore.outputs.model import UNALIGNED, OutputData, Units, Words
from outscore.outputs.outcomes import Changed, Contexts, agreement, label_counts, rates_from, whole_sentences
from outscore.outputs.spans import (
    CHANGE,
    CHANGES,
    IOB1,
    NO_SPAN,
    TYPES_ALONE,
    Spans,
    entity_types,
    span_units,
    spans_of,
)
from outscore.outputs.words import (
    DEPENDENCIES,
    TAGS,
    TREES,
    alignment_of,
    changed_spans,
    changed_words,
    cluster_count,
    columns_of,
    criteria_of,
    has_tags,
    label_column,
    sentence_contexts,
    strip_subtype,
    word_totals,
    word_units,
)
from outscore.results.diff import Rates, ScoreChange
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Labels
from outscore.workflows.diff.pair import (
    Study,
    SystemsPanel,
    View,
    accuracy_change,
    as_read,
    chosen,
    inventory_counts,
    metric_change,
)
from outscore.workflows.names import distinct_names

if TYPE_CHECKING:
    from outscore.workflows.requests.diff import DiffRequest

OTHER_TAGS = {"upos": "xpos", "xpos": "upos"}
"""If one kind of tags is compared, the other is looked at, too: it may contradict the verdict."""
MAX_TOLD = 3
"""Up to this many systems are listed individually."""


def read_as_words(output: object, name: str, columns: Sequence[str], layout: object = None) -> Words:
    """Words as they are, or read from a CoNLL-U file or from columns."""
    from outscore.formats.readers import read_words

    names = [part.strip() for part in layout.split(",")] if isinstance(layout, str) else None
    read = partial(read_words, name=name, columns=tuple(dict.fromkeys(columns)), layout=names)
    words = as_read(output, name, Words, read)
    if words is None:
        raise OutscoreError(f"`{name}` is {type(output).__name__}, not words.", "Give the path of a CoNLL-U or column file.")
    return words


def read_beside_gold(paths: Sequence[str], asked: DiffRequest, *, tagged: bool) -> OutputData[Words] | None:
    """Files in which the right tag of each word stands beside that of the system; None for others.

    `--columns` names such a column `gold`. If words are `tagged` as entities, the column before the last holds the right tags
    where its types are those of the last one, as conlleval reads them; those of chunks, in CoNLL-2003, are others.
    """
    layout = asked.value("columns")
    named = isinstance(layout, str) and GOLD in [part.strip() for part in layout.split(",")]
    if not named and not (tagged and layout is None and all(map(_begins_with_two_tags, paths))):
        return None
    files = [read_as_words(path, name, (), layout) for name, path in zip(distinct_names(paths), paths, strict=True)]
    columns = [GOLD if named else str(len(words.columns)) for words in files]
    if not named and not all(
        _same_types(words.columns[column].names, words.columns["tag"].names, unknown=False)
        for words, column in zip(files, columns, strict=True)
    ):
        return None
    right = [words.columns[column] for words, column in zip(files, columns, strict=True)]
    for words, labels in zip(files[1:], right[1:], strict=True):
        _refuse_other_gold(files[0], right[0], words, labels)
    gold = replace(files[0], name=GOLD, columns={**files[0].columns, "tag": right[0]})
    said = f"The last column of {' and '.join(words.label for words in files)} holds the tags of a system; the right ones"
    said = f"{said} are called gold." if named else f"{said} stand before them."
    return OutputData(gold, {words.name: words for words in files}, (said,))


def _begins_with_two_tags(path: str) -> bool:
    """Whether the last two columns may hold entity tags of the same types."""
    from outscore.formats.readers import first_tags

    tags = first_tags(path)
    return tags is not None and _same_types(*tags, unknown=True)


def _same_types(right: Iterable[str], given: Iterable[str], *, unknown: bool) -> bool:
    """Whether two columns hold entity tags that have a type in common; `unknown` answers where one has no entity at all."""
    types = [entity_types(tags) for tags in (right, given)]
    if types[0] is None or types[1] is None:
        return False
    return bool(types[0] & types[1]) or (unknown and not (types[0] and types[1]))


def _refuse_other_gold(first: Words, right: Labels, words: Words, labels: Labels) -> None:
    """Refuse files that do not have the same right tags: each is compared with its own in conlleval."""
    pairs = enumerate(
        zip(
            zip(first.forms.texts(), right.texts(), strict=True),
            zip(words.forms.texts(), labels.texts(), strict=True),
            strict=False,
        )
    )
    row = next((row for row, (ours, theirs) in pairs if ours != theirs), None)
    if row is None and first.rows == words.rows:
        return
    row = min(first.rows, words.rows) - 1 if row is None else row
    line = None if words.lines is None else int(words.lines[row])
    raise OutscoreError(
        f"{words.place(row)}: the words or right tags are not those of {first.label}.",
        "Give files with the same words and the same right tags.",
        file=None if words.origin is None else words.origin.path,
        line=line,
    )


def _needed(criteria: Sequence[str]) -> list[str]:
    return [column for criterion in criteria for column in columns_of(criterion)]


def _read(gold: object, systems: Mapping[str, object], columns: Sequence[str], asked: DiffRequest) -> list[Words]:
    """Gold and systems with the columns that are used: others are not read."""
    layout, columns = asked.value("columns"), (*columns, *asked.slice)
    return [read_as_words(output, name, columns, layout) for name, output in {GOLD: gold, **systems}.items()]


def tag_study(gold: object, systems: Mapping[str, object], maps: LabelMaps, asked: DiffRequest) -> Study:
    """Tags of words: by default the first kind of tags that all files have."""
    criteria = asked.criterion or TAGS[:2]
    files = _read(gold, systems, [*_needed(criteria), *(OTHER_TAGS[name] for name in criteria if name in OTHER_TAGS)], asked)
    for criterion in asked.criterion:
        if criterion in TREES:
            raise OutscoreError(
                f"Task `pos` has no criterion `{criterion}`.", "Compare trees with --task dep.", parameter="task"
            )
    if asked.criterion:
        return _study("pos", files, tuple(dict.fromkeys(asked.criterion)), maps, asked)
    criteria = criteria_of(files)
    if not criteria:
        raise OutscoreError("The files have no kind of tags in common.", "Give files whose upos or xpos columns are filled in.")
    return _study("pos", files, criteria[:1], maps, asked)


def tree_study(gold: object, systems: Mapping[str, object], maps: LabelMaps, asked: DiffRequest) -> Study:
    """Heads and relations: las, uas and ls; clas, mlas and blex on request."""
    files = _read(gold, systems, _needed(asked.criterion or DEPENDENCIES), asked)
    criteria = chosen(asked.criterion, TREES, "dep") if asked.criterion else DEPENDENCIES
    return _study("dep", files, criteria, maps, asked)


def _study(task: str, files: Sequence[Words], criteria: Sequence[str], maps: LabelMaps, asked: DiffRequest) -> Study:
    stripped = strip_subtype if task == "dep" and not asked.value("subtypes") else None
    mapped = ("deprel",) if task == "dep" else tuple(dict.fromkeys(name for c in criteria for name in columns_of(c)))
    gold, *others = _apply_maps(files, maps, mapped, stripped)
    fitted = [fit(gold, system) for system in others]
    systems, alignments = [system.words for system in fitted], [system.rows for system in fitted]
    cluster = "sentence" if asked.cluster is None else asked.cluster
    punct, subtypes = asked.value("punct"), asked.value("subtypes")
    count = partial(
        word_units, gold, systems, alignments=alignments, punct=punct, subtypes=subtypes, cluster=cluster, slices=asked.slice
    )
    units = {criterion: count(criterion) for criterion in criteria}
    primary = units[criteria[0]]
    sentences = {criterion: _whole_sentences(gold, of_criterion) for criterion, of_criterion in units.items()}
    other_tags = None
    if len(criteria) == 1 and criteria[0] in OTHER_TAGS:
        other_tags = _other_tags(gold, systems, OTHER_TAGS[criteria[0]], alignments, cluster)
    totals = {
        criterion: word_totals(of_criterion, gold, systems, alignments, punct=punct)
        for criterion, of_criterion in units.items()
    }

    def view(criterion: str, first: int, second: int) -> View:
        return _view(units[criterion], sentences[criterion], first, second, asked, other_tags)

    @cache
    def changed() -> tuple[list[Changed], Contexts]:
        where = sentence_contexts(gold, (stripped or str) if task == "dep" else None)
        return [changed_words(of_criterion, gold) for of_criterion in units.values()], where

    def panels() -> list[SystemsPanel]:
        names, by = primary.systems, criteria if len(criteria) > 1 else ()
        further = [*(units[criterion] for criterion in criteria), *([] if other_tags is None else [other_tags])]
        return [
            *((found.criterion, None, _panel(names, found, found.correct)) for found in further),
            *(("sentences", c if by else None, _panel(names, None, sentences[c])) for c in criteria),
        ]

    notes = [*_blank_notes(gold, systems, criteria), *fit_notes(fitted), *_alignment_notes(fitted)]
    notes += _lacking_tags(primary, other_tags)
    return Study(
        task=task,
        systems=primary.systems,
        criteria=tuple(units),
        cluster=None if cluster == "none" else cluster,
        n=primary.n,
        scores={name: _scores(k, totals, sentences) for k, name in enumerate(primary.systems)},
        view=view,
        together=primary,
        agreement=agreement(primary),
        changed=changed,
        inventory=inventory_counts(primary if task == "pos" else units.get("ls", units.get("las", primary))),
        origins=[words.origin for words in (gold, *systems) if words.origin is not None],
        notes=notes,
        clusters=cluster_count(gold, cluster),
        answered=primary,
        sentences=None if primary.rows is None else gold.sentences[primary.rows],
        panels=panels,
    )


def _other_tags(gold: Words, systems: Sequence[Words], column: str, alignments: Sequence[Array], cluster: str) -> Units | None:
    """The other tags of the systems that have some; None if gold has none, or fewer than two systems do."""
    tagged = [k for k, system in enumerate(systems) if has_tags(system, column)]
    if not has_tags(gold, column) or len(tagged) < 2:
        return None
    rows = [alignments[k] for k in tagged]
    return word_units(gold, [systems[k] for k in tagged], column, alignments=rows, cluster=cluster, slices=())


def _lacking_tags(units: Units, other_tags: Units | None) -> list[Note]:
    lacking = [] if other_tags is None else [name for name in units.systems if name not in other_tags.systems]
    if other_tags is None or not lacking:
        return []
    tags = f"{'has' if len(lacking) == 1 else 'have'} no {other_tags.criterion.upper()} tags"
    return [Note("input", f"{', '.join(lacking)} {tags}, which are only compared between the other systems.")]


def _blank_notes(gold: Words, systems: Sequence[Words], criteria: Sequence[str]) -> list[Note]:
    """Systems that lack a kind of tags that others have."""
    return [
        Note("warning", f"{system.name} has nothing in column `{column}`: all of its words count as wrong there.")
        for column in dict.fromkeys(name for criterion in criteria for name in columns_of(criterion))
        for system in systems
        if column in system.columns and has_tags(gold, column) and not has_tags(system, column)
    ]


def _panel(systems: tuple[str, ...], units: Units | None, right: Array) -> Panel:
    """Right answers of all systems; of those that are not among the units, none is present."""
    values, present = np.zeros((len(systems), len(right)), dtype=np.int64), np.zeros((len(systems), len(right)), dtype=bool)
    rows = [systems.index(name) for name in (systems if units is None else units.systems)]
    values[rows], present[rows] = right.T, True
    return Panel.of("mean", systems, values, present, clusters=None if units is None else units.clusters)


def _apply_maps(
    files: Sequence[Words], maps: LabelMaps, columns: Sequence[str], stripped: Callable[[str], str] | None
) -> list[Words]:
    """Gold and systems with the compared labels renamed."""
    if not maps:
        return list(files)
    names = (GOLD, *(words.name for words in files[1:]))
    used = [{column: label_column(words, column, blank=words is not files[0]) for column in columns} for words in files]
    inventories = {
        name: known_labels((label for labels in renamed.values() for label in labels.names), stripped)
        for name, renamed in zip(names, used, strict=True)
    }
    check_maps(maps, inventories)
    return [
        replace(
            words,
            columns={**words.columns, **{c: rename_labels(labels, maps, name, stripped) for c, labels in renamed.items()}},
        )
        for name, words, renamed in zip(names, files, used, strict=True)
    ]


def _view(units: Units, sentences: Array, first: int, second: int, asked: DiffRequest, other_tags: Units | None) -> View:
    headline = accuracy_change(units.criterion, units.correct[:, first], units.correct[:, second], units.clusters, asked)

    def others() -> list[ScoreChange]:
        whole = accuracy_change("sentences", sentences[:, first], sentences[:, second], None, asked)
        names = units.systems[first], units.systems[second]
        if other_tags is None or not set(names) <= set(other_tags.systems):
            return [whole]
        before, after = (other_tags.correct[:, other_tags.systems.index(name)] for name in names)
        return [whole, accuracy_change(other_tags.criterion, before, after, other_tags.clusters, asked)]

    return View(units, (first, second), headline, others, _kinds(units, first, second))


def _kinds(units: Units, first: int, second: int) -> dict[str, int]:
    """Whether a change is one of the head, of the relation, or of both."""
    if units.heads is None or units.criterion not in ("las", "clas"):
        return {}
    head = units.heads[:, first] != units.heads[:, second]
    label = units.answers[:, first] != units.answers[:, second]
    parts = {"head only": head & ~label, "label only": label & ~head, "head and label": head & label}
    return {name: int(rows.sum()) for name, rows in parts.items()}


def _whole_sentences(gold: Words, units: Units) -> Array:
    assert units.rows is not None
    return whole_sentences(units.correct, gold.sentences[units.rows])


def _scores(
    system: int, totals: Mapping[str, Sequence[tuple[int, int, int]]], sentences: Mapping[str, Array]
) -> dict[str, float | Rates]:
    """By criterion: the rates of words, and the share of sentences that are right as a whole."""
    scores: dict[str, float | Rates] = {}
    for criterion, counted in totals.items():
        scores[criterion] = rates_from(*counted[system])
        scores["sentences" if criterion == TAGS[0] else f"sentences_{criterion}"] = float(
            sentences[criterion][:, system].mean()
        )
    return scores


def fit_notes(fitted: Sequence[Fitted]) -> list[Note]:
    """Notes, for the first lines, on systems whose text differs from gold's."""
    notes = []
    for system in fitted:
        if system.differs:
            lost = int((system.rows < 0).sum())
            sentences = f", {count_of(system.missing, 'whole sentence')} among them," if system.missing else ""
            text = (
                f"The text of {system.words.name} differs from gold's: {lost:,} of {len(system.rows):,} gold words{sentences}"
                f" have no counterpart and count as `{UNALIGNED}`; up to {format_percent(MAX_UNALIGNED)} are allowed."
            )
            notes.append(Note("reading", text))
    return notes


def _alignment_notes(fitted: Sequence[Fitted]) -> list[Note]:
    """Notes on systems that split the same text into different words: individually if they are few, otherwise together."""
    counted = {
        alignment.words.name: alignment_of(alignment.rows, alignment.words) for alignment in fitted if not alignment.differs
    }
    cut = {name: alignment for name, alignment in counted.items() if alignment.only_a or alignment.only_b}
    if len(cut) > MAX_TOLD:
        most = max(cut, key=lambda name: cut[name].only_a)
        text = (
            f"{len(cut)} systems split the text into different words; gold words without a counterpart count as wrong"
            f" ({UNALIGNED}), most often {cut[most].only_a:,} of {most}."
        )
        return [Note("input", text)]
    return [
        Note(
            "input",
            f"{name} splits the text into different words: {alignment.only_a:,} gold words have no counterpart and count as"
            f" wrong ({UNALIGNED}), and {alignment.only_b:,} of its own words match none.",
        )
        for name, alignment in cut.items()
    ]


# Named entities: spans of gold and systems, scored by micro-F1.


SCHEMES = {
    IOB1: "are IOB1 and are read as such: I- begins an entity, B- one right after another of its type",
    TYPES_ALONE: "have no prefixes: neighbouring words of one type are one entity",
}
STRICTLY = "strictly, so broken sequences are not entities"
LENIENTLY = "leniently, as conlleval and by default seqeval do"
NO_ENTITY = f"{NO_SPAN} means no entity: O → PER is an entity that the second system finds and the first does not."


def span_study(gold: object, systems: Mapping[str, object], maps: LabelMaps, asked: DiffRequest) -> Study:
    """Spans of every file; a pair is compared on the spans of gold and of its own two systems."""
    words, *others = _read(gold, systems, ("tag",), asked)
    fitted = [fit(words, system) for system in others]
    files = [words, *(system.words for system in fitted)]
    lenient = asked.value("lenient")
    key, *responses = read = _rename_types([spans_of(file, lenient=lenient) for file in files], maps)
    if not len(key.first) and not len(key.ignored):
        raise OutscoreError(f"{words.label} contains no entities.", "Give a gold file with BIO, BIOES or BILOU tags.")
    criteria = chosen(asked.criterion, ("span",), "ner")
    cluster = "sentence" if asked.cluster is None else asked.cluster
    everyone, places = span_units(key, responses, cluster=cluster, slices=asked.slice)
    otherwise = [spans_of(file, lenient=not lenient) for file in files]
    scores = {name: _span_scores(everyone, k) for k, name in enumerate(systems)}
    notes = [*fit_notes(fitted), *_scheme_notes(read), *_other_reading(scores, _rename_types(otherwise, maps), lenient=lenient)]

    @cache
    def view(_criterion: str, first: int, second: int) -> View:
        units, _ = span_units(key, (responses[first], responses[second]), cluster=cluster, slices=asked.slice)
        counts = [label_counts(units, k) for k in range(2)]
        metric, before, after = resolve("f1", *counts)
        headline = metric_change(metric, before, after, asked)
        kinds = count_labels(units.slices[CHANGE].codes, CHANGES)
        split = replace(units, slices={name: values for name, values in units.slices.items() if name != CHANGE})
        return View(split, (0, 1), headline, kinds={name: kinds.get(name, 0) for name in CHANGES[1:]})

    def panels() -> list[SystemsPanel]:
        counts = np.stack([label_counts(everyone, k) for k in range(len(systems))])
        return [("f1", None, Panel.of("f1", tuple(systems), counts))]

    @cache
    def changed() -> tuple[list[Changed], Contexts]:
        split = {name: values for name, values in everyone.slices.items() if name != CHANGE}
        return [changed_spans(replace(everyone, slices=split), words, places)], sentence_contexts(words)

    return Study(
        task="ner",
        systems=tuple(systems),
        criteria=criteria,
        cluster=None if cluster == "none" else cluster,
        n=int((everyone.gold > 0).sum()),
        scores=scores,
        view=view,
        together=everyone.take(np.flatnonzero(everyone.gold > 0)),
        agreement=_agreement(everyone),
        changed=changed,
        inventory=_inventory(*_rename_types([spans_of(file, lenient=True) for file in files], maps)),
        panels=panels,
        clusters=cluster_count(words, cluster),
        answered=everyone,
        no_label=NO_SPAN,
        origins=[file.origin for file in files if file.origin is not None],
        notes=[*notes, Note("data", NO_ENTITY), *_ignored_notes(responses)],
    )


def _rename_types(files: list[Spans], maps: LabelMaps) -> list[Spans]:
    if not maps:
        return files
    names = (GOLD, *(spans.words.name for spans in files[1:]))
    check_maps(maps, {name: spans.types.names for name, spans in zip(names, files, strict=True)})
    return [replace(spans, types=rename_labels(spans.types, maps, name)) for name, spans in zip(names, files, strict=True)]


def _span_scores(units: Units, system: int) -> dict[str, float | Rates]:
    scores: dict[str, float | Rates] = {"span": _span_rates(label_counts(units, system))}
    for code in np.unique(units.gold[units.gold > 0]).tolist():
        scores[f"span_{units.labels[code]}"] = _span_rates(label_counts(units, system, code))
    return scores


def _span_rates(counts: Array) -> Rates:
    tp, fp, fn = (int(x) for x in counts.sum(axis=0))
    return rates_from(tp, tp + fn, tp + fp)


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
    others = [_span_rates(label_counts(units, k)) for k in range(len(responses))]
    if all(other == rates["span"] for other, rates in zip(others, scores.values(), strict=True)):
        return []
    chosen_one, other_one = (LENIENTLY, STRICTLY) if lenient else (STRICTLY, LENIENTLY)
    name = "span (strict)" if lenient else "span (lenient)"
    for rates, other in zip(scores.values(), others, strict=True):
        rates[name] = other
    text = f"Tags are read {chosen_one}; {name} is F1 when they are read {other_one}"
    return [Note("reading", f"{text} ({'leave out' if lenient else 'choose it with'} --lenient).")]


def _ignored_notes(files: Sequence[Spans]) -> Iterator[Note]:
    for spans in files:
        if number := len(spans.ignored):
            text = f"{spans.words.name} has {number:,} tags that are not part of an entity when read strictly."
            yield Note("input", text)

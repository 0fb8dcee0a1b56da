"""Entities from tags, against seqeval in both of its readings, and spans as units."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import f1_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB2, IOBES, Entities

from outscore.core.errors import OutscoreError
from outscore.outputs.model import Words
from outscore.outputs.outcomes import label_counts, outcomes
from outscore.outputs.spans import PREFIXED, span_units, spans_of
from outscore.outputs.words import changed_spans
from outscore.scores.system import Labels

SCHEMES = {"BIO": IOB2, "BIOES": IOBES, "BILOU": BILOU}


def make(name, sentences, tokens=None):
    """Words of one character each, or the tokens given, with their tags."""
    tags = [tag for sentence in sentences for tag in sentence]
    numbers = [k for k, sentence in enumerate(sentences) for _ in sentence]
    forms = tokens or [chr(97 + i % 26) for i in range(len(tags))]
    ends = np.cumsum([len(form) for form in forms])
    starts = ends - [len(form) for form in forms]
    names = tuple(map(str, range(len(sentences))))
    none = np.zeros(len(tags), dtype=bool)
    return Words(name, Labels.of(forms), np.array(numbers), {"tag": Labels.of(tags)}, starts, ends, none, names)


def tagged(scheme, shape=None):
    tags = ["O"] + [f"{prefix}-{kind}" for prefix in scheme.replace("O", "") for kind in ("PER", "LOC-x")]
    if shape is None:
        return st.lists(st.lists(st.sampled_from(tags), min_size=1, max_size=8), min_size=1, max_size=4)
    return st.tuples(*(st.lists(st.sampled_from(tags), min_size=n, max_size=n) for n in shape)).map(list)


def found(spans):
    """(sentence, type, first, last) within the sentence."""
    words = spans.words
    origins = np.searchsorted(words.sentences, words.sentences)
    return {
        (int(words.sentences[a]), spans.types[i], int(a - origins[a]), int(b - origins[a]))
        for i, (a, b) in enumerate(zip(spans.first, spans.last, strict=True))
    }


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_against_seqeval_strict(scheme, data):
    sentences = data.draw(tagged(scheme))
    if scheme != "BIO":
        # A file is read as BIOES or BILOU because it has such tags.
        sentences.append(["S-PER" if scheme == "BIOES" else "U-PER"])
    expected = {(e.sent_id, e.tag, e.start, e.end - 1) for row in Entities(sentences, SCHEMES[scheme]).entities for e in row}
    spans = spans_of(make("new", sentences), scheme=PREFIXED)
    assert found(spans) == expected
    covered = {(k, i) for k, _, a, b in expected for i in range(a, b + 1)}
    tags = {(k, i) for k, row in enumerate(sentences) for i, tag in enumerate(row) if tag != "O"}
    assert len(spans.ignored) == len(tags - covered)


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@given(data=st.data())
def test_against_seqeval_lenient(scheme, data):
    sentences = data.draw(tagged(scheme))
    expected = {(k, *entity) for k, row in enumerate(sentences) for entity in get_entities(row)}
    spans = spans_of(make("new", sentences), lenient=True)
    assert found(spans) == expected
    assert not len(spans.ignored)


@pytest.mark.parametrize("lenient", [False, True])
@settings(max_examples=50)
@given(data=st.data())
def test_against_seqeval_f1(lenient, data):
    gold = data.draw(tagged("BIO"))
    if not lenient:
        gold = [["O" if tag.startswith("I") else tag for tag in row] for row in gold]
    system = data.draw(tagged("BIO", [len(row) for row in gold]))
    files = [spans_of(make(name, rows), lenient=lenient, scheme=PREFIXED) for name, rows in (("gold", gold), ("new", system))]
    if not len(files[0].first) and not len(files[1].first):
        with pytest.raises(OutscoreError, match="Neither `gold` nor any system has an entity"):
            span_units(files[0], files[1:])
        return
    units, _ = span_units(files[0], files[1:])
    counts = label_counts(units, 0)
    assert counts.shape == (units.clusters.max() + 1, 3)
    tp, fp, fn = counts.sum(axis=0)
    strict = {} if lenient else {"mode": "strict", "scheme": IOB2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = f1_score(gold, system, zero_division=0, **strict)
    assert 2 * tp / (2 * tp + fp + fn) == pytest.approx(expected)
    by_type = sum(label_counts(units, 0, code) for code in range(1, len(units.labels)))
    assert (by_type == counts).all()


IOB1_TAGS = ["I-PER", "I-PER", "B-PER", "O", "I-LOC", "I-ORG"]


def test_iob1_is_recognised():
    """As in the original CoNLL-2003: I- begins an entity, B- only one right after another of its type."""
    spans = spans_of(make("gold", [IOB1_TAGS]))
    assert found(spans) == {(0, "PER", 0, 1), (0, "PER", 2, 2), (0, "LOC", 4, 4), (0, "ORG", 5, 5)}
    assert (spans.scheme, len(spans.ignored)) == ("IOB1", 0)


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["B-PER", "I-PER", "O", "I-LOC"], "prefixed"),  # one broken tag makes no IOB1
        (["I-PER", "S-LOC"], "prefixed"),
        (["O", "PER", "PER", "LOC"], "types alone"),
        (["B_PER", "I_PER", "O"], "prefixed"),
        (["O", "O"], "prefixed"),
    ],
)
def test_schemes(tags, scheme):
    assert spans_of(make("new", [tags])).scheme == scheme


def test_types_alone_are_runs():
    spans = spans_of(make("new", [["PER", "PER", "LOC", "O", "I"]]))
    assert found(spans) == {(0, "PER", 0, 1), (0, "LOC", 2, 2), (0, "I", 4, 4)}


@given(data=st.data())
def test_iob1_says_the_same_as_iob2(data):
    """The same entities written in both ways are the same spans."""
    rows = data.draw(tagged("BIO"))
    entities = found(spans_of(make("new", rows), lenient=True))
    written = {"B": [["O"] * len(row) for row in rows], "I": [["O"] * len(row) for row in rows]}
    for k, kind, first, last in sorted(entities):
        touches = any((k, kind, i, first - 1) in entities for i in range(first))
        for i in range(first, last + 1):
            written["B"][k][i] = f"{'B' if i == first else 'I'}-{kind}"
            written["I"][k][i] = f"{'B' if i == first and touches else 'I'}-{kind}"
    assert {name: found(spans_of(make("x", tags))) for name, tags in written.items()} == {"B": entities, "I": entities}


def test_broken_gold_is_refused():
    words = make("gold", [IOB1_TAGS])
    with pytest.raises(OutscoreError) as caught:
        span_units(spans_of(words, scheme=PREFIXED), [spans_of(words)])
    assert (
        caught.value.message == "`gold`, word 1: found `I-PER`, which does not belong to an entity when tags are read strictly."
    )
    assert "--lenient" in caught.value.hint


def test_tags_without_a_type():
    assert found(spans_of(make("new", [["B", "I", "O", "B-"]]))) == {(0, "_", 0, 1), (0, "_", 3, 3)}


def test_units_of_a_pair():
    """Gold has PER 0-1, LOC 3; the first system cuts PER short and misses LOC, the second calls LOC ORG and invents one."""
    gold = spans_of(make("gold", [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]))
    one = spans_of(make("one", [["B-PER", "O", "O"], ["B-LOC", "O", "O"]]))
    two = spans_of(make("two", [["B-PER", "I-PER", "O"], ["B-ORG", "O", "B-LOC"]]))
    units, reach = span_units(gold, [one, two])
    assert reach.tolist() == [[0, 1], [0, 2], [3, 4], [5, 6]]
    labels = np.array(units.labels)
    assert labels[units.gold].tolist() == ["O", "PER", "LOC", "O"]
    assert labels[units.answers].tolist() == [["PER", "O"], ["O", "PER"], ["LOC", "ORG"], ["O", "LOC"]]
    assert [units.slices["change"][i] for i in range(4)] == ["boundary", "boundary", "type", "other"]
    assert outcomes(units).tolist() == [1, 1, 2, 2]
    assert units.clusters.tolist() == [0, 0, 1, 1]
    assert units.rows.tolist() == [0, 0, 3, 5]
    assert label_counts(units, 0).tolist() == [[0, 1, 1], [1, 0, 0]]
    assert label_counts(units, 1).tolist() == [[1, 0, 0], [0, 2, 1]]
    assert label_counts(units, 1, units.labels.index("LOC")).tolist() == [[0, 0, 0], [0, 1, 1]]


@settings(max_examples=50)
@given(st.data())
def test_changes_against_every_pair_of_spans(data):
    gold = data.draw(tagged("BIO"))
    shape = [len(row) for row in gold]
    rows = [gold, data.draw(tagged("BIO", shape)), data.draw(tagged("BIO", shape))]
    files = [spans_of(make(str(k), row), lenient=True) for k, row in enumerate(rows)]
    if not any(len(file.first) for file in files):
        return
    units, reach = span_units(files[0], files[1:])
    spans = [list(zip(f.starts, f.ends, [f.types[i] for i in range(len(f.first))], strict=True)) for f in files[1:]]
    for i, (a, b) in enumerate(reach):
        kinds = [{kind for s, e, kind in file if (s, e) == (a, b)} for file in spans]
        if kinds[0] == kinds[1]:
            expected = "same"
        elif kinds[0] and kinds[1]:
            expected = "type"
        else:
            kind, other = (kinds[0], spans[1]) if kinds[0] else (kinds[1], spans[0])
            touching = [{k} == kind for s, e, k in other if s < b and a < e]
            expected = "boundary" if any(touching) else "boundary and type" if touching else "other"
        assert units.slices["change"][i] == expected


def test_what_everybody_has_right_is_shown_beside_what_changed():
    gold = [["B-PER", "O", "B-LOC", "I-LOC"], ["B-LOC"], ["O", "B-LOC"]]
    new = [["B-PER", "O", "B-LOC", "O"], ["B-LOC"], ["O", "B-LOC"]]
    files = [spans_of(make("gold", gold)), spans_of(make("new", new))]
    changed = changed_spans(*_and_words(files))
    assert changed.contexts.tolist() == [0, 0]
    assert [changed.starts.tolist(), changed.ends.tolist()] == [[2, 2], [3, 4]]
    # Of the sentence in which something changed; the others are right as a whole.
    assert changed.settled.tolist() == [[0, 0, 1, changed.units.labels.index("PER")]]


def test_places_of_changed_spans_are_within_their_sentences():
    gold = [["O", "B-PER"], ["O", "O", "B-LOC", "I-LOC", "B-PER"], ["B-PER"]]
    new = [["O", "B-PER"], ["O", "B-LOC", "I-LOC", "I-LOC", "B-PER"], ["B-LOC"]]
    changed = changed_spans(*_and_words([spans_of(make("gold", gold)), spans_of(make("new", new))]))
    labels = changed.units.labels
    places = zip(changed.contexts.tolist(), changed.starts.tolist(), changed.ends.tolist(), strict=True)
    assert sorted(places) == [(1, 1, 4), (1, 2, 4), (2, 0, 1)]
    assert changed.settled.tolist() == [[1, 4, 5, labels.index("PER")]]


def _and_words(files):
    units, reach = span_units(files[0], files[1:])
    return units, files[0].words, reach


def test_other_tokens():
    """Spans are known by their characters."""
    gold = spans_of(make("gold", [["B-PER", "I-PER", "O"]], ["New", "man", "x"]))
    system = spans_of(make("new", [["B-PER", "O"]], ["Newman", "x"]))
    units, reach = span_units(gold, [system])
    assert units.correct.all()
    assert reach.tolist() == [[0, 2]]


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (
            ["O", "PER", "B-LOC"],
            "`gold`, word 2: found the tag `PER`, expected O, or B-, I-, E-, S-, L-, U-, M- or W- and a type.",
        ),
        (["X-PER"], "`gold`, word 1: found the tag `X-PER`, expected O, or B-, I-, E-, S-, L-, U-, M- or W- and a type."),
    ],
)
def test_refused_tags(tags, message):
    with pytest.raises(OutscoreError) as caught:
        spans_of(make("gold", [tags]))
    assert caught.value.message == message


def test_refused_files():
    words = replace(make("gold", [["B-PER", "O"]]), columns={})
    with pytest.raises(OutscoreError, match="`gold` has no column `tag` of entity tags"):
        spans_of(words)


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("BMEWO", ["B-PER", "M-PER", "E-PER", "O", "W-LOC", "B-LOC", "E-LOC"]),
        ("suffixes", ["PER-B", "PER-I", "PER-E", "O", "LOC-S", "LOC-B", "LOC-E"]),
        ("suffixes of BMEWO", ["PER-B", "PER-M", "PER-E", "O", "LOC-W", "LOC-B", "LOC-E"]),
    ],
)
def test_other_ways_to_write_tags_are_the_same_entities(written, tags):
    def spans(written_tags):
        rows = np.arange(len(written_tags))
        columns = {"tag": Labels.of(written_tags)}
        return spans_of(
            Words("new", Labels.of("abcdefg"), 0 * rows, columns, rows, rows + 1, np.zeros(len(rows), dtype=bool), ("1",))
        )

    usual = spans(["B-PER", "I-PER", "E-PER", "O", "S-LOC", "B-LOC", "E-LOC"])
    found = spans(tags)
    assert (found.first.tolist(), found.last.tolist()) == (usual.first.tolist(), usual.last.tolist()), written
    assert found.types.texts() == usual.types.texts()

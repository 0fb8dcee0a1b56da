"""Words with their tags as JSON: token lists (Hugging Face datasets), spaCy's documents, Stanza's sentences.

{"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}              one sentence per object
{"text": …, "tokens": [{"start", "end", "pos", "tag", "head", "dep"}], "ents": […], "sents": […]}   spaCy's Doc.to_json()
[[{"id": 1, "text": "Ekeus", "upos": "PROPN", "head": 2, "deprel": "nsubj"}, …], …]   Stanza's Document.to_dict()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
import numpy as np

from outscore.formats.base.source import Peek, Source, stem_of
from outscore.formats.conll.sentences import EMPTY, Sentence, assemble
from outscore.formats.conll.word_lines import refuse_empty
from outscore.formats.json.objects import Found, Place, first_value, objects_of, place_error, refuse_shape, typed
from outscore.outputs.model import Words

FORMAT = "json-words"

# Keys of token lists, by column; the first that is there is read.
LISTS = {
    "upos": ("upos", "pos_tags", "pos", "upos_tags"),
    "xpos": ("xpos", "xpos_tags"),
    "tag": ("predictions", "predicted_tags", "pred_tags", "ner_tags", "ner", "tags", "labels"),
}
OUTSIDE = "O"
HINT = (
    "Give objects with `tokens` and `ner_tags`, `pos_tags` or `tags`, spaCy's Doc.to_json(), or Stanza's Document.to_dict();"
    " compare a label per item with --task label."
)


class _Span(msgspec.Struct):
    start: Place
    end: Place


class _Entity(_Span):
    label: str


class _SpacyToken(_Span):
    pos: str | None = None
    tag: str | None = None
    lemma: str | None = None
    morph: str | None = None
    dep: str | None = None
    head: Place | None = None


class _SpacyDocument(msgspec.Struct):
    text: str
    tokens: list[_SpacyToken]
    ents: list[_Entity] = []
    sents: list[_Span] = []


class _StanzaWord(msgspec.Struct):
    id: Place | Annotated[list[Place], msgspec.Meta(min_length=1, max_length=2)]
    text: str
    upos: str | None = None
    xpos: str | None = None
    lemma: str | None = None
    feats: str | None = None
    deprel: str | None = None
    ner: str | None = None
    head: Place | None = None


def looks_like_words(peek: Peek) -> bool:
    """Whether the first value is a sentence or a document in one of the three forms."""
    first = first_value(peek)
    if isinstance(first, list):
        # Stanza: a sentence, or a document of sentences.
        inner = first[0] if first and isinstance(first[0], list) else first
        return bool(inner) and all(isinstance(word, Mapping) and {"id", "text"} <= word.keys() for word in inner)
    tokens = first.get("tokens", first.get("words")) if isinstance(first, Mapping) else None
    if not isinstance(tokens, list) or not tokens or not isinstance(first, Mapping):
        return False
    if all(isinstance(token, Mapping) and {"start", "end"} <= token.keys() for token in tokens):
        return isinstance(first.get("text"), str)
    lists = [first.get(key) for keys in LISTS.values() for key in keys]
    # Labels of a whole text are as many as they are.
    tagged = any(isinstance(tags, list) and len(tags) == len(tokens) for tags in lists)
    return tagged and all(isinstance(token, str) for token in tokens)


def words_of(source: Source, name: str | None = None) -> Words:
    """The words of an open JSON file in any of the three forms."""
    sentences = list(_sentences(source, objects_of(source)))
    if not any(sentence.forms for sentence in sentences):
        refuse_empty(source, "words with their tags")
    return assemble(source, sentences, stem_of(source.path) if name is None else name, FORMAT)


def _sentences(source: Source, values: Sequence[Found]) -> Iterator[Sentence]:
    if values and all(isinstance(found.value, list) for found in values):
        # Stanza: one document, or a list of documents.
        nested = all(isinstance(inner, list) for found in values for inner in found.value)
        for number, found in enumerate(values, 1):
            for sentence in found.value if nested else [found.value]:
                yield _stanza_sentence(source, found, sentence, str(number) if nested else None)
        return
    for number, found in enumerate(values, 1):
        value = found.value
        tokens = value.get("tokens", value.get("words")) if isinstance(value, Mapping) else None
        if not isinstance(tokens, list) or not tokens:
            raise refuse_shape(source, "words with their tags", HINT)
        if all(isinstance(token, str) for token in tokens):
            yield _token_list(source, found, tokens)
        elif all(isinstance(token, Mapping) for token in tokens) and isinstance(value.get("text"), str):
            yield from _spacy_sentences(source, found, str(number))
        else:
            raise refuse_shape(source, "words with their tags", HINT)


def _token_list(source: Source, found: Found, tokens: list[str]) -> Sentence:
    columns = {}
    value = found.value
    for column, keys in LISTS.items():
        key = next((key for key in keys if isinstance(value.get(key), list)), None)
        if key is None:
            continue
        if len(value[key]) != len(tokens):
            raise place_error(
                source,
                found,
                f"`{key}` has {len(value[key])} tags for {len(tokens)} tokens",
                "Give every token its tag; for a word split into pieces, give the tag of the first piece.",
            )
        if not all(isinstance(tag, str) for tag in value[key]):
            raise place_error(
                source,
                found,
                f"`{key}` contains numbers, but names of tags were expected",
                "Convert them to names with `features[...].feature.int2str` of the dataset.",
            )
        columns[column] = value[key]
    if not columns:
        raise refuse_shape(source, "tags beside its tokens", HINT)
    return Sentence(tokens, columns)


def _spacy_sentences(source: Source, found: Found, name: str) -> Iterator[Sentence]:
    document = typed(source, found, found.value, _SpacyDocument, "spaCy", HINT)
    text, tokens = document.text, document.tokens
    for number, token in enumerate(tokens, 1):
        if not token.start <= token.end <= len(text):
            problem = f"token {number} begins at {token.start} and ends at {token.end}, but the text has {len(text)} characters"
            raise place_error(source, found, problem, HINT)
        if token.head is not None and token.head >= len(tokens):
            problem = f"token {number} has the head {token.head}, but there are {len(tokens)} tokens, counted from 0"
            raise place_error(source, found, problem, HINT)
    # spaCy's tokens include line breaks and runs of blanks, which are not words.
    kept = [i for i, token in enumerate(tokens) if text[token.start : token.end].strip()]
    begins = sorted(sentence.start for sentence in document.sents) or [0]
    entities = _entity_tags(tokens, document.ents)
    groups: dict[int, list[int]] = {}
    for i in kept:
        groups.setdefault(int(np.searchsorted(begins, tokens[i].start, side="right")), []).append(i)
    for rows in groups.values():
        place = {i: k for k, i in enumerate(rows)}
        sentence = Sentence([text[tokens[i].start : tokens[i].end] for i in rows], document=name)
        names = {"upos": "pos", "xpos": "tag", "lemma": "lemma", "feats": "morph", "deprel": "dep"}
        sentence.columns = {c: [getattr(tokens[i], key) or EMPTY for i in rows] for c, key in names.items()}
        sentence.columns["tag"] = [entities[i] for i in rows]
        heads = [(i, tokens[i].head) for i in rows]
        if all(head is not None for _, head in heads):
            sentence.heads = [-1 if head is None or head == i else place.get(head, -1) for i, head in heads]
        yield sentence


def _entity_tags(tokens: Sequence[_SpacyToken], entities: Sequence[_Entity]) -> list[str]:
    """BIO tags from entities that are given by their characters."""
    tags = [OUTSIDE] * len(tokens)
    for entity in entities:
        inside = [i for i, token in enumerate(tokens) if token.start >= entity.start and token.end <= entity.end]
        for i in inside:
            tags[i] = f"{'B' if i == inside[0] else 'I'}-{entity.label}"
    return tags


def _stanza_sentence(source: Source, found: Found, value: Any, document: str | None) -> Sentence:  # noqa: ANN401 - any JSON value
    if not isinstance(value, list) or not all(isinstance(word, Mapping) and {"id", "text"} <= word.keys() for word in value):
        raise refuse_shape(source, "words with their tags", HINT)
    words = typed(source, found, value, list[_StanzaWord], "Stanza", HINT)
    size = sum(len(_ids(word)) == 1 for word in words)
    sentence = Sentence(document=document)
    until, token, entity, first = 0, "", OUTSIDE, False
    names = ("upos", "xpos", "lemma", "feats", "deprel")
    sentence.columns = {name: [] for name in (*names, "tag")}
    for number, word in enumerate(words, 1):
        ids = _ids(word)
        if len(ids) > 1:
            # A multi-word token, whose words follow.
            until, token, entity, first = ids[-1], word.text, word.ner or OUTSIDE, True
            continue
        if not ids[0]:
            raise place_error(source, found, f"word {number} has the id 0, but words are counted from 1", HINT)
        if word.head is not None and word.head > size:
            problem = f"word {number} has the head {word.head}, but the sentence has {size} words"
            raise place_error(source, found, problem, HINT)
        inside = ids[0] <= until
        sentence.tokens.append((token, first) if inside else (word.text, True))
        first = False
        sentence.forms.append(word.text)
        for name in names:
            sentence.columns[name].append(getattr(word, name) or EMPTY)
        sentence.columns["tag"].append(word.ner or (entity if inside else OUTSIDE))
        sentence.heads.append((word.head or 0) - 1)
    if all(word.head is None for word in words):
        sentence.heads = []
    return sentence


def _ids(word: _StanzaWord) -> list[int]:
    """The number of a word; the first and the last of a token of several words; or both numbers of an empty node."""
    return word.id if isinstance(word.id, list) else [word.id]

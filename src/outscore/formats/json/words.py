"""Words with their tags as JSON: token lists (Hugging Face datasets), spaCy's documents, Stanza's sentences.

{"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}              one sentence per object
{"text": …, "tokens": [{"start", "end", "pos", "tag", "head", "dep"}], "ents": […], "sents": […]}   spaCy's Doc.to_json()
[[{"id": 1, "text": "Ekeus", "upos": "PROPN", "head": 2, "deprel": "nsubj"}, …], …]   Stanza's Document.to_dict()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import Peek, Source, stem_of
from outscore.formats.conll.sentences import EMPTY, Sentence, assemble
from outscore.formats.conll.word_lines import refuse_empty
from outscore.formats.json.objects import first_value, objects_of, refuse_shape
from outscore.outputs.model import Words

__all__ = ["FORMAT", "looks_like_words", "words_of"]

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
    values = objects_of(source)
    sentences = list(_sentences(source, values))
    if not sentences:
        refuse_empty(source, "words with their tags")
    return assemble(source, sentences, stem_of(source.path) if name is None else name, FORMAT)


def _sentences(source: Source, values: Sequence[Any]) -> Iterator[Sentence]:
    if values and all(isinstance(value, list) for value in values):
        # Stanza: one document, or a list of documents.
        nested = all(isinstance(inner, list) for value in values for inner in value)
        for number, document in enumerate(values if nested else [values], 1):
            for sentence in document:
                yield _stanza_sentence(source, sentence, str(number) if nested else None)
        return
    for number, value in enumerate(values, 1):
        tokens = value.get("tokens", value.get("words")) if isinstance(value, Mapping) else None
        if not isinstance(tokens, list) or not tokens:
            raise refuse_shape(source, "words with their tags", HINT)
        if all(isinstance(token, str) for token in tokens):
            yield _token_list(source, value, tokens, number)
        elif all(isinstance(token, Mapping) and "start" in token for token in tokens) and isinstance(value.get("text"), str):
            yield from _spacy_sentences(value, tokens, str(number))
        else:
            raise refuse_shape(source, "words with their tags", HINT)


def _token_list(source: Source, value: Mapping[str, Any], tokens: list[str], number: int) -> Sentence:
    columns = {}
    for column, keys in LISTS.items():
        key = next((key for key in keys if isinstance(value.get(key), list)), None)
        if key is None:
            continue
        if len(value[key]) != len(tokens):
            raise OutscoreError(
                f"{source.label}, object {number}: `{key}` has {len(value[key])} tags for {len(tokens)} tokens.",
                "Give every token its tag; for a word split into pieces, give the tag of the first piece.",
            )
        if not all(isinstance(tag, str) for tag in value[key]):
            raise OutscoreError(
                f"{source.label}, object {number}: `{key}` contains numbers, but names of tags were expected.",
                "Convert them to names with `features[...].feature.int2str` of the dataset.",
            )
        columns[column] = value[key]
    if not columns:
        raise refuse_shape(source, "tags beside its tokens", HINT)
    return Sentence(tokens, columns)


def _spacy_sentences(value: Mapping[str, Any], tokens: Sequence[Mapping[str, Any]], document: str) -> Iterator[Sentence]:
    text = value["text"]
    # spaCy's tokens include line breaks and runs of blanks, which are not words.
    kept = [i for i, token in enumerate(tokens) if text[token["start"] : token["end"]].strip()]
    begins = sorted(int(sentence["start"]) for sentence in value.get("sents", ())) or [0]
    entities = _entity_tags(tokens, value.get("ents", ()))
    groups: dict[int, list[int]] = {}
    for i in kept:
        groups.setdefault(int(np.searchsorted(begins, tokens[i]["start"], side="right")), []).append(i)
    for rows in groups.values():
        place = {i: k for k, i in enumerate(rows)}
        sentence = Sentence([text[tokens[i]["start"] : tokens[i]["end"]] for i in rows], document=document)
        names = {"upos": "pos", "xpos": "tag", "lemma": "lemma", "feats": "morph", "deprel": "dep"}
        sentence.columns = {c: [str(tokens[i].get(key) or EMPTY) for i in rows] for c, key in names.items()}
        sentence.columns["tag"] = [entities[i] for i in rows]
        if all("head" in tokens[i] for i in rows):
            sentence.heads = [-1 if tokens[i]["head"] == i else place.get(tokens[i]["head"], -1) for i in rows]
        yield sentence


def _entity_tags(tokens: Sequence[Mapping[str, Any]], entities: Sequence[Mapping[str, Any]]) -> list[str]:
    """BIO tags from entities that are given by their characters."""
    tags = [OUTSIDE] * len(tokens)
    for entity in entities:
        inside = [i for i, t in enumerate(tokens) if t["start"] >= entity["start"] and t["end"] <= entity["end"]]
        for i in inside:
            tags[i] = f"{'B' if i == inside[0] else 'I'}-{entity['label']}"
    return tags


def _stanza_sentence(source: Source, words: Any, document: str | None) -> Sentence:  # noqa: ANN401 - any JSON value
    if not isinstance(words, list) or not all(isinstance(word, Mapping) and "text" in word and "id" in word for word in words):
        raise refuse_shape(source, "words with their tags", HINT)
    sentence = Sentence(document=document)
    until, token, entity = 0, "", OUTSIDE
    names = ("upos", "xpos", "lemma", "feats", "deprel")
    sentence.columns = {name: [] for name in (*names, "tag")}
    for word in words:
        ids = word["id"] if isinstance(word["id"], list) else [word["id"]]
        if len(ids) > 1:
            # A multi-word token, whose words follow.
            until, token, entity = int(ids[-1]), word["text"], word.get("ner", OUTSIDE)
            first = True
            continue
        inside = int(ids[0]) <= until
        sentence.tokens.append((token, first) if inside else (word["text"], True))
        first = False
        sentence.forms.append(word["text"])
        for name in names:
            sentence.columns[name].append(str(word.get(name) or EMPTY))
        sentence.columns["tag"].append(str(word.get("ner", entity if inside else OUTSIDE)))
        sentence.heads.append(int(word.get("head") or 0) - 1)
    if not any("head" in word for word in words):
        sentence.heads = []
    return sentence

"""Outputs as JSON, one value or one per line: words with their tags, and chains of coreference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.document import parse_document
from outscore.formats.base.source import Peek, Source, line_error, shorten, stem_of
from outscore.formats.json import Shape, json_value
from outscore.formats.tables.jsonl import begins_with_object
from outscore.formats.words import EMPTY, Sentence, assemble, refuse_empty
from outscore.outputs.model import Chains, Words
from outscore.scores.system import Labels, Origin

# The objects of a JSON file, whether it is one value or one value per line.


Place = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
"""The place of a word, a token or a character."""
_HINT = "Write one JSON value per line, or one list."
_BEGIN = re.compile(r"[\[{]\s*$|\[\s*[\[{]|\{\s*\"")


def is_json(peek: Peek) -> bool:
    """Whether a file begins as JSON does; a word in braces may begin a file of words."""
    first = next((line.strip() for line in peek.filled), "")
    return begins_with_object(peek) or _BEGIN.match(first) is not None


def first_value(peek: Peek) -> Any:  # noqa: ANN401 - any JSON value
    """The first of the values that `objects_of` would give; None where the beginning is not JSON."""
    if peek.document is not None:
        return next(iter(_several(peek.document)), None)
    first = next(iter(peek.filled), "")
    return parse_document(first) if first.lstrip().startswith(("{", "[")) else None


@dataclass(frozen=True)
class Found:
    """A value of a file, and where it was found: on which line, or as which object of a document."""

    value: Any
    number: int
    unit: Literal["line", "object"] = "object"


def objects_of(source: Source) -> list[Found]:
    """The values of a file: those of one list, one object, or one value per line."""
    text = "".join(source.pieces)
    if source.document is not None:
        # Of a document with one list of records inside, the pieces are those.
        return _placed(source.document)
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        return [Found(json_value(line, source.path, number, _HINT), number, "line") for number, line in lines]
    if isinstance(whole, dict) and "\n" not in text.strip():
        return [Found(whole, 1 + text[: text.index("{")].count("\n"), "line")]
    return _placed(whole)


def _placed(whole: object) -> list[Found]:
    return [Found(value, number) for number, value in enumerate(_several(whole), 1)]


def _several(whole: object) -> list[Any]:
    return list(whole) if isinstance(whole, list) else [whole]


def refuse_shape(source: Source, expected: str, hint: str) -> OutscoreError:
    """The error of JSON that holds something else."""
    return OutscoreError(f"{source.label} is JSON, but does not contain {expected}.", hint)


def place_error(source: Source, found: Found, problem: str, hint: str) -> OutscoreError:
    """The error of one value, which names its place."""
    return line_error(source.path, found.number, problem, hint, found.unit)


def typed(source: Source, found: Found, value: object, shape: Shape, writer: str, hint: str) -> Any:  # noqa: ANN401 - as declared
    """The fields that a writer gives a value, or each of a list of them; anything else is refused."""
    try:
        return shape.of(value)
    except msgspec.ValidationError as error:
        raise place_error(source, found, f"this is not as {writer} writes it ({_wrong(error)})", hint) from None


def _wrong(error: msgspec.ValidationError) -> str:
    """Where a value is wrong and how, in the words of msgspec, which have the place behind them.

    Examples
    --------
    >>> try:
    ...     msgspec.convert({"scores": [1, "a"]}, dict[str, list[int]])
    ... except msgspec.ValidationError as error:
    ...     print(_wrong(error))
    `[...][1]`: expected `int`, got `str`
    """
    problem, _, path = str(error).partition(" - at `$")
    where = f"`{path.rstrip('`').lstrip('.')}`: " if path else ""
    return f"{where}{problem[0].lower()}{problem[1:]}"


# Words with their tags as JSON: token lists (Hugging Face datasets), spaCy's documents, Stanza's sentences.
#
# {"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}              one sentence per object
# {"text": …, "tokens": [{"start", "end", "pos", "tag", "head", "dep"}], "ents": […], "sents": […]}   spaCy's Doc.to_json()
# [[{"id": 1, "text": "Ekeus", "upos": "PROPN", "head": 2, "deprel": "nsubj"}, …], …]   Stanza's Document.to_dict()


WORDS = "json-words"

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


_SPAN = {"start": Place, "end": Place}
_OF_A_TOKEN = dict.fromkeys(("pos", "tag", "lemma", "morph", "dep"), str | None)
_SPACY = Shape(
    {
        "text": str,
        "tokens": [Shape({**_SPAN, **_OF_A_TOKEN, "head": Place | None})],
        "ents": [Shape({**_SPAN, "label": str})],
        "sents": [Shape(_SPAN)],
    }
)
_OF_A_WORD = ("upos", "xpos", "lemma", "feats", "deprel")
_STANZA = Shape(
    {
        "id": Place | Annotated[list[Place], msgspec.Meta(min_length=1, max_length=2)],
        "text": str,
        "head": Place | None,
        "ner": str | None,
        **dict.fromkeys(_OF_A_WORD, str | None),
    }
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
    sentences = list(_sentences(source, objects_of(source)))
    if not any(sentence.forms for sentence in sentences):
        refuse_empty(source, "words with their tags")
    return assemble(source, sentences, name, WORDS)


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
    for spans in ("ents", "sents"):
        if found.value.get(spans, ()) is None:
            raise place_error(source, found, f"`{spans}` is null, expected a list", HINT)
    document = typed(source, found, found.value, _SPACY, "spaCy", HINT)
    text, tokens = document["text"], document["tokens"]
    for number, token in enumerate(tokens, 1):
        start, end, head = token["start"], token["end"], token["head"]
        if not start <= end <= len(text):
            problem = f"token {number} begins at {start} and ends at {end}, but the text has {len(text)} characters"
            raise place_error(source, found, problem, HINT)
        if head is not None and head >= len(tokens):
            problem = f"token {number} has the head {head}, but there are {len(tokens)} tokens, counted from 0"
            raise place_error(source, found, problem, HINT)
    # spaCy's tokens include line breaks and runs of blanks, which are not words.
    forms = [text[token["start"] : token["end"]] for token in tokens]
    begins = sorted(sentence["start"] for sentence in document["sents"]) or [0]
    entities = _entity_tags(tokens, document["ents"])
    groups: dict[int, list[int]] = {}
    for i, form in enumerate(forms):
        if form.strip():
            groups.setdefault(int(np.searchsorted(begins, tokens[i]["start"], side="right")), []).append(i)
    for rows in groups.values():
        place = {i: k for k, i in enumerate(rows)}
        sentence = Sentence([forms[i] for i in rows], document=name)
        names = {"upos": "pos", "xpos": "tag", "lemma": "lemma", "feats": "morph", "deprel": "dep"}
        sentence.columns = {c: [tokens[i][key] or EMPTY for i in rows] for c, key in names.items()}
        sentence.columns["tag"] = [entities[i] for i in rows]
        heads = [(i, tokens[i]["head"]) for i in rows]
        if all(head is not None for _, head in heads):
            sentence.heads = [-1 if head is None or head == i else place.get(head, -1) for i, head in heads]
        yield sentence


def _entity_tags(tokens: Sequence[Mapping[str, Any]], entities: Sequence[Mapping[str, Any]]) -> list[str]:
    """BIO tags from entities that are given by their characters."""
    tags = [OUTSIDE] * len(tokens)
    for entity in entities:
        start, end = entity["start"], entity["end"]
        inside = [i for i, token in enumerate(tokens) if token["start"] >= start and token["end"] <= end]
        for i in inside:
            tags[i] = f"{'B' if i == inside[0] else 'I'}-{entity['label']}"
    return tags


def _stanza_sentence(source: Source, found: Found, value: Any, document: str | None) -> Sentence:  # noqa: ANN401 - any JSON value
    if not isinstance(value, list) or not all(isinstance(word, Mapping) and {"id", "text"} <= word.keys() for word in value):
        raise refuse_shape(source, "words with their tags", HINT)
    words = typed(source, found, value, _STANZA, "Stanza", HINT)
    # The number of a word; the first and the last of a token of several words; or both numbers of an empty node.
    numbers = [word["id"] if isinstance(word["id"], list) else [word["id"]] for word in words]
    size = sum(len(ids) == 1 for ids in numbers)
    sentence = Sentence(document=document)
    until, token, entity, first = 0, "", OUTSIDE, False
    sentence.columns = {name: [] for name in (*_OF_A_WORD, "tag")}
    for number, (word, ids) in enumerate(zip(words, numbers, strict=True), 1):
        if len(ids) > 1:
            # A multi-word token, whose words follow.
            until, token, entity, first = ids[-1], word["text"], word["ner"] or OUTSIDE, True
            continue
        if not ids[0]:
            raise place_error(source, found, f"word {number} has the id 0, but words are counted from 1", HINT)
        head = word["head"]
        if head is not None and head > size:
            problem = f"word {number} has the head {head}, but the sentence has {size} words"
            raise place_error(source, found, problem, HINT)
        inside = ids[0] <= until
        sentence.tokens.append((token, first) if inside else (word["text"], True))
        first = False
        sentence.forms.append(word["text"])
        for name in _OF_A_WORD:
            sentence.columns[name].append(word[name] or EMPTY)
        sentence.columns["tag"].append(word["ner"] or (entity if inside else OUTSIDE))
        sentence.heads.append((head or 0) - 1)
    if all(word["head"] is None for word in words):
        sentence.heads = []
    return sentence


# Coreference as JSON lines, a document per object, as neural resolvers read and write it.
#
#     {"doc_key": "nw/a_0001", "sentences": [["The", "mayor", …], …], "clusters": [[[0, 1], [4, 4]], …]}
#
# Mentions are first and last token, counted through the document. The chains of a system are ``predicted_clusters`` where
# there are such.


CHAINS = "coref-jsonl"

CLUSTERS, PREDICTED = "clusters", "predicted_clusters"
CHAINS_HINT = "Give objects with `doc_key`, `sentences` and `clusters` (or `predicted_clusters`)."


_DOCUMENT = Shape(
    {
        "sentences": list[list[str]],
        CLUSTERS: list[list[Any]] | None,
        PREDICTED: list[list[Any]] | None,
        "doc_key": str | int | None,
        "doc_id": str | int | None,
    }
)


def looks_like_chains(peek: Peek) -> bool:
    """Whether the first object has sentences and clusters."""
    first = first_value(peek)
    if not isinstance(first, Mapping) or not isinstance(first.get("sentences"), list):
        return False
    return any(isinstance(first.get(key), list) for key in (CLUSTERS, PREDICTED))


def chains_of(source: Source, *, predicted: bool = False) -> Chains:
    """The chains of an open file; with `predicted` those that a system predicts, if the file has both."""
    documents: list[str] = []
    sentences: list[Sentence] = []
    mentions: list[tuple[int, int, int, int]] = []
    chain = 0
    for found in objects_of(source):
        if not isinstance(found.value, Mapping) or "sentences" not in found.value:
            raise refuse_shape(source, "documents with `sentences` and `clusters`", CHAINS_HINT)
        document = typed(source, found, found.value, _DOCUMENT, "a resolver", CHAINS_HINT)
        key = PREDICTED if predicted and PREDICTED in found.value else CLUSTERS
        clusters = document[key]
        if clusters is None:
            raise place_error(source, found, f"this document has no `{key}`", CHAINS_HINT)
        given = document["doc_id"] if document["doc_key"] is None else document["doc_key"]
        name = str(len(documents) + 1 if given is None else given)
        if name in documents:
            raise place_error(source, found, f"document `{name}` appears twice", "Give each document its own key.")
        size = sum(map(len, document["sentences"]))
        documents.append(name)
        sentences += [Sentence([word or "_" for word in words], document=name) for words in document["sentences"] if words]
        for cluster in clusters:
            mentions += [(len(documents) - 1, *_span(source, found, mention, size), chain) for mention in cluster]
            chain += 1
    if not sentences:
        raise OutscoreError(f"{source.label} contains no documents.", CHAINS_HINT)
    table = np.array(mentions, dtype=np.int64).reshape(-1, 4)
    origin = Origin(source.path, source.sha256(), len(table), CHAINS)
    words = assemble(source, sentences, None, CHAINS)
    codes, starts, ends, chains = table.T
    return Chains(stem_of(source.path), Labels(codes, tuple(documents)), starts, ends, chains, words, origin)


def _span(source: Source, found: Found, mention: Any, size: int) -> tuple[int, int]:  # noqa: ANN401 - any JSON value
    # Python counts True as a whole number, people do not.
    if isinstance(mention, list) and len(mention) >= 2 and {type(x) for x in mention[:2]} == {int}:
        first, last = mention[:2]
        if 0 <= first <= last < size:
            return first, last
    problem = f"found the mention {shorten(str(mention))}, expected first and last of {size} tokens"
    hint = "Count tokens from 0 through the whole document; the last token is part of the mention."
    raise place_error(source, found, problem, hint)

"""A sentence per line with every word and its tag joined by a slash, such as ``The/DT mayor/NN resigned/VBD``."""

from __future__ import annotations

import re

from outscore.formats.base.source import Peek, Source, line_error, stem_of
from outscore.formats.conll.sentences import Sentence, assemble
from outscore.outputs.model import Words

FORMAT = "tagged-lines"

_WORD = re.compile(r"(\S+)/([^\s/]+)")
_ADDRESS = re.compile(r"\w+://")


def looks_like_tagged_lines(peek: Peek) -> bool:
    """Whether every word of the first lines has a tag behind a slash, and some line has several words."""
    lines = [line.split() for line in peek.filled]
    words = [word for line in lines for word in line]
    if not words or max(map(len, lines)) < 2 or any("\t" in line for line in peek.filled):
        return False
    return all(_WORD.fullmatch(word) for word in words) and not any(map(_ADDRESS.match, words))


def words_of(source: Source, name: str | None = None) -> Words:
    """The words of an open file; of a word with several slashes the last one comes before the tag."""
    sentences = []
    for number, line in enumerate(source.lines(), 1):
        matches = [_WORD.fullmatch(word) for word in line.split()]
        if None in matches:
            word = line.split()[matches.index(None)]
            raise line_error(
                source.path, number, f'found "{word}", expected word/TAG', "Join every word to its tag with a slash."
            )
        if matches:
            sentences.append(Sentence([m[1] for m in matches if m], {"tag": [m[2] for m in matches if m]}))
    return assemble(source, sentences, stem_of(source.path) if name is None else name, FORMAT)

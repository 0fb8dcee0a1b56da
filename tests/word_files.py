"""Files of words, opened and read by one reader, whatever they look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from outscore.formats import conllu, words
from outscore.formats.base.source import open_source
from outscore.outputs.model import Words


def read_conllu(path: Path | str, **asked: Any) -> Words:
    with open_source(path) as source:
        return conllu.words_of(source, **asked)


def read_word_columns(path: Path | str, **asked: Any) -> Words:
    with open_source(path) as source:
        return words.words_of(source, **asked)

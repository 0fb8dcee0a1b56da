"""Words put together from sentences, for formats that are read one sentence at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import Source
from outscore.formats.conll.word_lines import character_spans, document_labels
from outscore.outputs.model import Words
from outscore.scores.system import Labels, Origin

EMPTY = "_"


@dataclass
class Sentence:
    """The words of one sentence with their columns; `heads` are indexes in the sentence, -1 for the root.

    `tokens` are, word by word, the surface of the token and whether the word is its first, where words are not tokens.
    """

    forms: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    heads: list[int] = field(default_factory=list)
    tokens: list[tuple[str, bool]] = field(default_factory=list)
    document: str | None = None


def assemble(source: Source, sentences: Sequence[Sentence], name: str, format: str) -> Words:
    """Words from sentences; a column that only some sentences have is left out."""
    if not sentences:
        raise OutscoreError(f"{source.label} has no sentences.", "Give at least one sentence.")
    sizes = np.array([len(sentence.forms) for sentence in sentences])
    forms = [form for sentence in sentences for form in sentence.forms]
    shared = set.intersection(*(set(sentence.columns) for sentence in sentences))
    columns = {c: Labels.of(x for s in sentences for x in s.columns[c]) for c in sentences[0].columns if c in shared}
    columns = {c: labels for c, labels in columns.items() if labels.names != (EMPTY,)}
    surfaces = [token for s in sentences for token in (s.tokens or [(form, True) for form in s.forms])]
    firsts = np.array([first for _, first in surfaces])
    tokens = Labels.of(token for token, _ in surfaces)
    multiword = ~firsts | np.r_[~firsts[1:], False]
    if multiword.any():
        columns["token"] = tokens
    starts, ends = character_spans(tokens, firsts)
    origins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    heads = None
    if all(len(sentence.heads) == len(sentence.forms) for sentence in sentences):
        within = np.array([head for sentence in sentences for head in sentence.heads], dtype=np.int64)
        heads = np.where(within >= 0, within + origins, -1)
    marks = [
        (i, s.document or "")
        for i, s in enumerate(sentences)
        if s.document is not None and (i == 0 or s.document != sentences[i - 1].document)
    ]
    return Words(
        name=name,
        forms=Labels.of(forms),
        sentences=np.repeat(np.arange(len(sentences)), sizes),
        columns=columns,
        starts=starts,
        ends=ends,
        multiword=multiword,
        sentence_ids=tuple(str(number) for number in range(1, len(sentences) + 1)),
        heads=heads,
        documents=document_labels(marks, len(sentences)),
        origin=Origin(source.path, source.sha256(), len(forms), format),
    )

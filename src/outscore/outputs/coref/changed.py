"""Mentions worth looking at: where they stand in gold's text, and which antecedents the systems gave them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.changed import Changed, Contexts, changed_units
from outscore.outputs.coref.arcs import ANY, NO_ANTECEDENT, resolve_mentions
from outscore.outputs.coref.mentions import Mentions
from outscore.outputs.coref.units import mention_units, unit_mentions
from outscore.outputs.word_changed import sentence_bounds, sentence_contexts
from outscore.scores.system import Labels

__all__ = ["antecedents", "changed_mentions", "mention_text"]


def changed_mentions(mentions: Mentions, systems: Sequence[int], criterion: str = ANY) -> tuple[Changed, Contexts]:
    """The units that some system has wrong, in their sentences; without gold's words, in documents that show nothing."""
    units = mention_units(mentions, systems, criterion)
    wrong = changed_units(units)
    rows = unit_mentions(mentions, systems, criterion)[wrong]
    if mentions.words is None:
        names = mentions.documents.names
        nowhere = np.zeros(len(rows), dtype=np.int64)
        return Changed(units.take(wrong), mentions.documents.codes[rows], nowhere, nowhere), Contexts(names, ((),) * len(names))
    words, bounds = mentions.words, sentence_bounds(mentions.words)
    sentence = words.sentences[mentions.tokens[rows]]
    starts = mentions.tokens[rows] - bounds[sentence]
    # A mention that runs over its sentence's end is shown up to there.
    ends = np.minimum(starts + mentions.ends[rows] - mentions.starts[rows] + 1, np.diff(bounds)[sentence])
    found = antecedents(mentions, systems, criterion)[wrong]
    remarks = Labels.of(mention_text(mentions, row) for row in found.ravel().tolist())
    return Changed(units.take(wrong), sentence, starts, ends, remarks=remarks), sentence_contexts(words)


def antecedents(mentions: Mentions, systems: Sequence[int], criterion: str = ANY) -> Array:
    """(units, 1 + systems) the mention that gold, then each system, resolves each unit of `mention_units` to; -1 none."""
    columns = [resolve_mentions(mentions, criterion, 0, system).antecedents for system in (0, *systems)]
    return np.stack(columns, axis=1)[unit_mentions(mentions, systems, criterion)]


def mention_text(mentions: Mentions, row: int) -> str:
    """The words of a mention, empty for -1 and where gold has no words."""
    if row == NO_ANTECEDENT or mentions.words is None:
        return ""
    first = int(mentions.tokens[row])
    return " ".join(mentions.words.forms[i] for i in range(first, first + int(mentions.ends[row] - mentions.starts[row]) + 1))

"""What one file of outputs holds, and the table of units that every comparison of outputs is counted from.

Three kinds of files serve five tasks: `Words` (tags, trees, named entities), `Items` (labels) and `Chains` (coreference).
Labels are codes into an inventory, so that outcomes and transitions are counts of integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from outscore.core.numeric import Array
from outscore.scores.system import Labels, Origin

__all__ = ["UNALIGNED", "Chains", "Items", "Outputs", "Units", "Words"]

UNALIGNED = "(unaligned)"
"""The answer of a system that has no counterpart for a gold unit."""


@dataclass(frozen=True, eq=False)
class Words:
    """The words of one file in order, with their columns.

    Parameters
    ----------
    name
        What the system is called.
    forms
        The words as written.
    sentences
        The sentence of each word, numbered from 0 upwards in file order.
    columns
        Labels by column: ``"upos"``, ``"xpos"``, ``"feats"``, ``"deprel"``, ``"tag"`` (entities), and others by their place.
    heads
        The row of each word's head in this file, -1 for the root; None without trees.
    starts, ends
        Characters of the file's text without white space, from `starts` up to but not including `ends`: what alignment is by.
        Words of one multi-word token share its span.
    multiword
        Whether a word belongs to a multi-word token.
    sentence_ids
        The name of each sentence (``sent_id`` or its number).
    documents
        The document of each sentence; None without.
    lines
        The line each word stands on.
    """

    name: str
    forms: Labels
    sentences: Array
    columns: Mapping[str, Labels]
    starts: Array
    ends: Array
    multiword: Array
    sentence_ids: tuple[str, ...]
    heads: Array | None = None
    documents: Labels | None = None
    origin: Origin | None = None
    lines: Array | None = None

    @property
    def rows(self) -> int:
        """How many words there are."""
        return len(self.forms)


@dataclass(frozen=True, eq=False)
class Items:
    """A label per item (classification, multiple choice, exact-match answers), with what else its row says.

    `gold` is there when the file holds the right answers too; `texts` are columns shown beside an item, `slices` columns to
    split by.
    """

    name: str
    ids: Labels
    answers: Labels
    gold: Labels | None = None
    clusters: Labels | None = None
    slices: Mapping[str, Labels] = field(default_factory=dict)
    texts: Mapping[str, Labels] = field(default_factory=dict)
    origin: Origin | None = None
    lines: Array | None = None

    @property
    def rows(self) -> int:
        """How many items there are."""
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Chains:
    """Mentions and the chains they belong to.

    Parameters
    ----------
    name
        What the system is called.
    documents
        The document of each mention.
    starts, ends
        First and last token of each mention, counted from 0 within its document.
    chains
        The chain of each mention, unique over the whole file.
    words
        The tokens in order, with the column ``"pos"`` where the file has tags; `Words.documents` has each sentence's document.
    """

    name: str
    documents: Labels
    starts: Array
    ends: Array
    chains: Array
    words: Words | None = None
    origin: Origin | None = None
    lines: Array | None = None

    @property
    def rows(self) -> int:
        """How many mentions there are."""
        return len(self.starts)


Outputs = Words | Items | Chains


@dataclass(frozen=True, eq=False)
class Units:
    """Gold and systems aligned: a row per unit, a column per system.

    Parameters
    ----------
    criterion
        What makes an answer right: ``"upos"``, ``"las"``, ``"label"``...
    systems
        The systems' names.
    labels
        The inventory that `gold` and `answers` are codes of.
    gold
        (n,) codes of the right answers.
    answers
        (n, k) codes of the systems' answers, as transition tables name them.
    correct
        (n, k) whether an answer is right. It may be wrong with the gold's label: the relation is right, the head is not.
    detail
        (n, k) codes that tell apart answers of the same label (the head, say): two answers are the same when label and detail
        are. None where the label says it all.
    clusters
        (n,) code of the sentence or document of each unit, None where units stand alone.
    slices
        Columns to split by.
    rows
        (n,) the unit's row in the gold file, for showing it in context; -1 where gold has none.
    """

    criterion: str
    systems: tuple[str, ...]
    labels: tuple[str, ...]
    gold: Array
    answers: Array
    correct: Array
    detail: Array | None = None
    clusters: Array | None = None
    slices: Mapping[str, Labels] = field(default_factory=dict)
    rows: Array | None = None

    @property
    def n(self) -> int:
        """How many units there are."""
        return len(self.gold)

    def take(self, rows: Array) -> Units:
        """These units alone."""
        return replace(
            self,
            gold=self.gold[rows],
            answers=self.answers[rows],
            correct=self.correct[rows],
            detail=None if self.detail is None else self.detail[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
            slices={name: labels.take(rows) for name, labels in self.slices.items()},
            rows=None if self.rows is None else self.rows[rows],
        )

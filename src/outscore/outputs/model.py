"""The outputs in one file, their words and empty nodes, and the table of units from which comparisons are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from itertools import pairwise
from typing import Any, Generic, TypeVar, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import Brief, count_of, dataclass
from outscore.scores.system import Labels, Origin, Rows

# The words and empty nodes of mentions, each by its place: a whole number, in the order of the text.
#
# CorefUD marks what a sentence leaves unsaid by empty nodes: 5.1 stands between the words 5 and 6 of its sentence, 0.1
# before its first word. Files of the same words may differ in their empty nodes, so that these have places between those of
# words.


STRIDE = 1 << 16
MAX_EMPTY = STRIDE // 2 - 1
"""How many empty nodes may stand between two words."""
NO_HEAD = -1
"""The head of a mention in a file that does not name it."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """What each mention of a file consists of.

    Parameters
    ----------
    places
        The places of its words and empty nodes in its document.
    heads
        The place of its head, -1 where the file names none.
    parents
        Of mentions whose head is an empty node, by row: the places of the head's parents in the enhanced graph, each with
        the relation.
    """

    places: tuple[tuple[int, ...], ...]
    heads: Array
    parents: Mapping[int, frozenset[tuple[int, str]]]

    def take(self, rows: Rows) -> Nodes:
        """Only these mentions."""
        kept = np.arange(len(self.places))[rows].tolist()
        parents = {new: self.parents[old] for new, old in enumerate(kept) if old in self.parents}
        return Nodes(tuple(self.places[row] for row in kept), self.heads[rows], parents)


def node_place(first: int, number: int, part: int = 0) -> int:
    """The place of node `number`.`part` of a sentence whose first word has index `first` in its document; of a word, part is 0.

    Examples
    --------
    >>> node_place(2, 0, 1) < node_place(2, 1) < node_place(2, 1, 1) < node_place(2, 2)
    True
    """
    if number == 0:
        # After the empty nodes at the end of the sentence before.
        return first * STRIDE + MAX_EMPTY + 1 + part
    return (first + number) * STRIDE + part


def is_word(place: int) -> bool:
    """Whether a word stands there, not an empty node."""
    return place % STRIDE == 0


def word_of(place: int) -> int:
    """The index of the word there in its document; of an empty node, that of the word that follows it."""
    return place // STRIDE - is_word(place)


def word_before(place: int) -> int:
    """The index of a word of its sentence: the word itself, or the one before an empty node, unless the node comes first.

    Examples
    --------
    >>> word_before(node_place(2, 3)), word_before(node_place(2, 3, 1)), word_before(node_place(2, 0, 1))
    (4, 4, 2)
    """
    return place // STRIDE - (place % STRIDE <= MAX_EMPTY)


def plain_nodes(starts: Array, ends: Array) -> Nodes:
    """Mentions that are runs of words, in a file that names no heads."""
    runs = [
        range((start + 1) * STRIDE, (end + 1) * STRIDE + 1, STRIDE)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return Nodes(tuple(map(tuple, runs)), np.full(len(runs), NO_HEAD, dtype=np.int64), {})


# The outputs in one file, and the table of units from which every comparison of outputs is counted.
#
# Three kinds of outputs serve five tasks: `Words` (tags, trees, named entities), `Items` (labels) and `Chains`
# (coreference). Labels are codes into an inventory, so that outcomes and transitions are counts of integers.


SET_SEPARATOR = " | "
"""Joins the labels of an item that has several."""
UNALIGNED = "(unaligned)"
"""The answer of a system that has no counterpart for a gold unit."""


Record = TypeVar("Record")


def _part(record: Record, rows: Rows, *whole: str) -> Record:
    """A record with some of its rows, which all fields have but those that are the same for the `whole`."""

    def taken(value: Any) -> Any:  # noqa: ANN401 - a field
        if value is None:
            return None
        if isinstance(value, Mapping):
            return {name: taken(one) for name, one in value.items()}
        return value.take(rows) if isinstance(value, (Labels, Nodes)) else value[rows]

    names = [field.name for field in fields(cast("Any", record)) if field.name not in whole]
    return cast("Record", replace(cast("Any", record), **{name: taken(getattr(record, name)) for name in names}))


class _File(Brief):
    """What all outputs share: a name for messages, and a short `repr`."""

    name: str
    origin: Origin | None
    lines: Array | None

    @property
    def label(self) -> str:
        """What messages call the file."""
        return f"`{self.name}`" if self.origin is None else self.origin.label

    @property
    def source(self) -> Origin:
        """Where this was read from."""
        assert self.origin is not None, f"{self.name} was read from no file"
        return self.origin


@dataclass(frozen=True, eq=False, repr=False)
class Words(_File):
    """The words of one file in order, with their columns.

    Parameters
    ----------
    name
        The name of the system.
    forms
        The words as written.
    sentences
        The sentence of each word, numbered from 0 in file order.
    columns
        Labels by column: ``"upos"``, ``"xpos"``, ``"feats"``, ``"deprel"``, ``"tag"`` (entities), and others
        by their number.
    heads
        The row of each word's head in this file, -1 for the root; None without trees.
    starts, ends
        The characters of each word in the file's text without white space, `ends` exclusive, by which words
        are aligned. Words of one multi-word token share its span.
    multiword
        Whether each word belongs to a multi-word token.
    sentence_ids
        The name of each sentence (``sent_id`` or its number).
    documents
        The document of each sentence, or None.
    lines
        The line of each word.
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
        """The number of words."""
        return len(self.forms)

    @property
    def tree(self) -> Array:
        """The heads of a file with trees."""
        assert self.heads is not None, f"{self.label} has no trees"
        return self.heads

    @property
    def sentence_bounds(self) -> Array:
        """The first rows of sentences, and the number of rows at the end."""
        return np.flatnonzero(np.diff(self.sentences, prepend=-1, append=-1))

    def take(self, rows: Rows) -> Words:
        """Only these words, of the same sentences; heads are not renumbered."""
        return _part(self, rows, "name", "sentence_ids", "documents", "origin")

    def _brief(self) -> str:
        columns = f", columns {', '.join(self.columns)}" if self.columns else ""
        return f"{self.name}: {count_of(self.rows, 'word')} in {count_of(len(self.sentence_ids), 'sentence')}{columns}"

    def place(self, row: int) -> str:
        """The file and line of a word, for messages."""
        return f"{self.label}, {f'word {row + 1}' if self.lines is None else f'line {int(self.lines[row])}'}"


LABEL_LINES, SQUAD = "label-lines", "squad"
"""Formats of answers that are not matched, or not compared, as those of tables are."""


@dataclass(frozen=True, eq=False, repr=False)
class Items(_File):
    """A label per item (classification, multiple choice, exact-match answers), with the other columns of its row.

    `gold` holds the right answers if the file has them too; `texts` are columns to show with an item,
    `slices` columns to split by. `are_sets` says that answers are sets of labels, joined by `SET_SEPARATOR`.
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
    are_sets: bool = False

    @property
    def rows(self) -> int:
        """The number of items."""
        return len(self.ids)

    def _brief(self) -> str:
        return f"{self.name}: {count_of(self.rows, 'item')}, {count_of(len(self.answers.names), 'label')}"

    def place(self, row: int) -> str:
        """The file and line of an item, for messages."""
        unit = "row" if self.origin is None else self.origin.unit
        return f"{self.label}, {unit} {row + 1 if self.lines is None else int(self.lines[row])}"

    def take(self, rows: Array) -> Items:
        """Only these items."""
        return _part(self, rows, "name", "origin", "are_sets")


@dataclass(frozen=True, eq=False, repr=False)
class Chains(_File):
    """Mentions and their chains.

    Parameters
    ----------
    name
        The name of the system.
    documents
        The document of each mention.
    starts, ends
        First and last token of each mention, counted from 0 within its document.
    chains
        The chain of each mention, as codes that are unique in the whole file.
    words
        The tokens in order, with the column ``"pos"`` if the file has tags; `Words.documents` has each
        sentence's document.
    nodes
        What mentions consist of, if some of them may be more or less than the words from first to last; one of empty nodes
        alone ends before it starts. None if all are runs of words.

    Examples
    --------
    >>> gold = Chains.of("gold", [("d1", 0, 1, "mayor"), ("d1", 4, 4, "mayor"), ("d1", 6, 6, "city")])
    >>> gold.starts.tolist(), gold.ends.tolist(), gold.chains.tolist(), gold.documents.names
    ([0, 4, 6], [1, 4, 6], [0, 0, 1], ('d1',))
    """

    name: str
    documents: Labels
    starts: Array
    ends: Array
    chains: Array
    words: Words | None = None
    origin: Origin | None = None
    lines: Array | None = None
    nodes: Nodes | None = None

    @property
    def rows(self) -> int:
        """The number of mentions."""
        return len(self.starts)

    def take(self, rows: Array) -> Chains:
        """Only these mentions, of the same words."""
        return _part(self, rows, "name", "words", "origin")

    def _brief(self) -> str:
        chains = count_of(len(np.unique(self.chains)), "chain")
        documents = count_of(len(self.documents.names), "document")
        return f"{self.name}: {count_of(self.rows, 'mention')} in {chains}, {documents}"

    @classmethod
    def of(cls, name: str, mentions: Iterable[tuple[str, int, int, object]]) -> Chains:
        """Chains of mentions that are given as document, first token, last token and the name of the chain in its document."""
        rows = list(mentions)
        documents = Labels.of(document for document, _, _, _ in rows)
        spans = np.array([(start, end) for _, start, end, _ in rows], dtype=np.int64).reshape(-1, 2)
        known: dict[tuple[str, object], int] = {}
        chains = [known.setdefault((document, chain), len(known)) for document, _, _, chain in rows]
        return cls(name, documents, spans[:, 0], spans[:, 1], np.array(chains, dtype=np.int64))


Outputs = Words | Items | Chains
Given = TypeVar("Given", covariant=True)  # noqa: PLC0105 - a noun


@dataclass(frozen=True, eq=False)
class OutputData(Generic[Given]):
    """The right answers and systems by name: what a caller passes instead of files, or what files with all of them hold.

    `reading` says how these were distinguished.
    """

    gold: Given
    systems: Mapping[str, Given]
    reading: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Units(Brief):
    """Aligned gold and systems: a row per unit, a column per system.

    Parameters
    ----------
    criterion
        What makes an answer right: ``"upos"``, ``"las"``, ``"label"``...
    systems
        The names of the systems.
    labels
        The inventory that `gold` and `answers` are codes of.
    gold
        (n,) codes of the right answers.
    answers
        (n, k) codes of the systems' answers.
    correct
        (n, k) whether an answer is right. With the right label it may still be wrong, if the head of a
        relation is.
    detail
        (n, k) codes that distinguish answers with the same label, such as the head: two answers are the same
        if label and detail are. None if the label is all there is.
    clusters
        (n,) codes of the sentence or document of each unit; None if every unit stands alone.
    slices
        Columns to split by.
    rows
        (n,) the unit's row in the gold file, to show it in context; -1 if gold does not have it.
    heads
        (n, k) the heads that the systems give, as rows of gold, -1 for the root; None without trees.
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
    heads: Array | None = None

    @property
    def n(self) -> int:
        """The number of units."""
        return len(self.gold)

    def _brief(self) -> str:
        return f"{self.criterion}: {count_of(self.n, 'unit')} by {count_of(len(self.systems), 'system')}"

    def take(self, rows: Array) -> Units:
        """Only these units."""
        return _part(self, rows, "criterion", "systems", "labels")


def choose_slices(
    available: Mapping[str, Labels | Callable[[], Labels]], wanted: Sequence[str], unread: Sequence[str] = ()
) -> dict[str, Labels]:
    """The columns asked for, in that order; an unknown one is refused with those that there are.

    Columns that take work are functions, called if they are wanted. `unread` are those that a file has and
    that were not read because nobody asked for them.

    Examples
    --------
    >>> choose_slices({"genre": lambda: Labels.of(["news", "web"])}, ["genre"])["genre"].names
    ('news', 'web')
    """
    for column in wanted:
        if column not in available:
            known = list(dict.fromkeys([*available, *unread]))
            hint = did_you_mean(column, known) if known else "Leave --slice out."
            raise OutscoreError(f"There is no column `{column}` to split by.", hint, parameter="slice")
    found = {column: available[column] for column in wanted}
    return {column: labels if isinstance(labels, Labels) else labels() for column, labels in found.items()}


def codes_among(labels: Labels, names: Sequence[str]) -> Array:
    """The labels as codes of other names, -1 for those that are not among these."""
    known = {name: code for code, name in enumerate(names)}
    return np.array([known.get(name, -1) for name in labels.names], dtype=np.int64)[labels.codes]


def relabelled(labels: Labels, names: Iterable[str]) -> Labels:
    """The same rows under new names of the labels, which several of them may share.

    Examples
    --------
    >>> new = relabelled(Labels.of(["NN", "NE", "VB"]), ["NOUN", "NOUN", "VERB"])
    >>> new.codes.tolist(), new.names
    ([0, 0, 1], ('NOUN', 'VERB'))
    """
    new = Labels.of(names)
    return Labels(new.codes.astype(labels.codes.dtype)[labels.codes], new.names)


def binned(values: Array, firsts: Sequence[int]) -> Labels:
    """Whole numbers as ranges that begin with `firsts`, the last of them open.

    Examples
    --------
    >>> binned(np.array([1, 4, 12]), (1, 2, 5))[1], binned(np.array([1, 4, 12]), (1, 2, 5))[2]
    ('2-4', '5+')
    """
    names = [str(low) if low + 1 == high else f"{low}-{high - 1}" for low, high in pairwise(firsts)]
    codes = np.searchsorted(np.asarray(firsts), values, side="right") - 1
    return Labels(np.maximum(codes, 0), (*names, f"{firsts[-1]}+"))

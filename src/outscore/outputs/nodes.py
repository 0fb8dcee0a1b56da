"""The words and empty nodes of mentions, each by its place: a whole number, in the order of the text.

CorefUD marks what a sentence leaves unsaid by empty nodes: 5.1 stands between the words 5 and 6 of its sentence, 0.1 before
its first word. Files of the same words may differ in their empty nodes, so that these have places between those of words.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass

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

    def take(self, rows: Array) -> Nodes:
        """Only these mentions."""
        kept = rows.tolist()
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

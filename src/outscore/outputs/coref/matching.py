"""Which mention of a response is which mention of the key, where mentions are more than runs of words.

Each is matched once, in this order:

1. Mentions whose head is an empty node, by the parents of that node in the enhanced graph, since gold and a system may put
   the same unsaid word at different places: the matching of the largest 10 · F1 of parents with relations + F1 of parents.
2. Mentions of the same words and empty nodes; with `HEAD` their heads must be the same, too.
3. With `HEAD`, mentions with the same head, those first that share more of the key's mention.

Of several matchings that are equally good, the one that scipy finds for all mentions of a document in the order of the text is
taken, as by the official scorer.

References
----------
Žabokrtský et al. (2023): Findings of the second shared task on multilingual coreference resolution. CRAC (head match). Novák
et al. (2024): Findings of the third shared task on multilingual coreference resolution. CRAC (zeros).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TypeVar

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import Chains
from outscore.outputs.nodes import NO_HEAD, Nodes, plain_nodes

EXACT, HEAD = MATCHES = ("exact", "head")
RELATION_WEIGHT = 10
NO_MATCH = -1
MAX_CELLS = 4_000_000
"""The largest table of scores that is solved as a whole."""

Node = TypeVar("Node")
Pair = tuple[int, int]


def nodes_of(chains: Chains) -> Nodes:
    """What the mentions of a file consist of."""
    return plain_nodes(chains.starts, chains.ends) if chains.nodes is None else chains.nodes


def refuse_headless(chains: Chains) -> None:
    """Refuse a file that does not name the heads of its mentions."""
    nodes = nodes_of(chains)
    if (nodes.heads == NO_HEAD).any():
        place = "" if chains.lines is None else f" on line {int(chains.lines[(nodes.heads == NO_HEAD).argmax()])}"
        raise OutscoreError(
            f"{chains.label} does not name the head of the mention{place or 's'}, by which --match head finds mentions.",
            "Give CorefUD files whose `# global.Entity` includes `head`, or leave --match out.",
            parameter="match",
        )


def match_mentions(key: Nodes, keys: Array, response: Nodes, responses: Array, match: str = EXACT) -> Array:
    """The mention of the key that each mention of the response is, -1 for none; `keys` and `responses` are their documents."""
    found = np.full(len(responses), NO_MATCH, dtype=np.int64)
    ours, theirs = _by_document(key, keys), _by_document(response, responses)
    for document, rows in theirs.items():
        matching = _Matching(key, ours.get(document, []), response, rows)
        matching.add_best(key.parents.__contains__, response.parents.__contains__, matching.zero_scores())
        matching.add_equal(with_heads=match == HEAD)
        if match == HEAD:
            matching.add_best(_any, _any, matching.head_scores())
        for mine, their in matching.pairs.items():
            found[their] = mine
    return found


def _by_document(nodes: Nodes, documents: Array) -> dict[int, list[int]]:
    """The rows of each document in the order of the text."""
    places = nodes.places
    rows: dict[int, list[int]] = {}
    for row in sorted(range(len(places)), key=lambda row: (places[row][0], places[row][-1], len(places[row]))):
        rows.setdefault(int(documents[row]), []).append(row)
    return rows


def _any(_row: int) -> bool:
    return True


@dataclass
class _Matching:
    """The pairs found so far in one document: a row of the key, and that of the response."""

    key: Nodes
    ours: list[int]
    response: Nodes
    theirs: list[int]
    pairs: dict[int, int] = field(default_factory=dict)

    def left(self) -> tuple[list[int], list[int]]:
        """The rows that have no partner, of the key and of the response."""
        taken = {*self.pairs.values()}
        return [row for row in self.ours if row not in self.pairs], [row for row in self.theirs if row not in taken]

    def add_best(self, ours: Callable[[int], bool], theirs: Callable[[int], bool], scores: Mapping[Pair, float]) -> None:
        """Add the best one-to-one pairs of the rows that are left and of this kind."""
        if not scores:
            return
        key, response = self.left()
        rows, columns = [row for row in key if ours(row)], [row for row in response if theirs(row)]
        i, j = ({row: place for place, row in enumerate(several)} for several in (rows, columns))
        left, right = (np.array([place[pair[side]] for pair in scores]) for side, place in enumerate((i, j)))
        chosen = best_matching(left, right, np.array([*scores.values()]), (len(rows), len(columns)))
        found = [*scores]
        self.pairs.update(found[pair] for pair in chosen.tolist())

    def add_equal(self, *, with_heads: bool) -> None:
        """Add the mentions of the same nodes."""
        key, response = self.left()

        def identity(nodes: Nodes, row: int) -> tuple[tuple[int, ...], int]:
            return nodes.places[row], int(nodes.heads[row]) if with_heads else NO_HEAD

        known = {identity(self.key, row): row for row in key}
        for their in response:
            mine = known.get(identity(self.response, their))
            if mine is not None:
                self.pairs[mine] = their

    def zero_scores(self) -> dict[Pair, float]:
        """How well the parents of empty heads agree, of those that share one."""
        by_parent: dict[int, list[int]] = {}
        for mine in self.ours:
            for parent in {parent for parent, _ in self.key.parents.get(mine, ())}:
                by_parent.setdefault(parent, []).append(mine)
        scores = {}
        for their in self.theirs:
            parents = self.response.parents.get(their, frozenset())
            for parent in {parent for parent, _ in parents}:
                for mine in by_parent.get(parent, []):
                    scores[mine, their] = _agreement(self.key.parents[mine], parents)
        return scores

    def head_scores(self) -> dict[Pair, float]:
        """Which share of the key's mention is in the response's, of those with the same head."""
        key, response = self.left()
        by_head: dict[int, list[int]] = {}
        for mine in key:
            by_head.setdefault(int(self.key.heads[mine]), []).append(mine)
        scores = {}
        for their in response:
            nodes = {*self.response.places[their]}
            for mine in by_head.get(int(self.response.heads[their]), []):
                scores[mine, their] = len(nodes.intersection(self.key.places[mine])) / len(self.key.places[mine])
        return scores


def _agreement(mine: frozenset[tuple[int, str]], theirs: frozenset[tuple[int, str]]) -> float:
    parents = frozenset(parent for parent, _ in mine), frozenset(parent for parent, _ in theirs)
    return RELATION_WEIGHT * _f1(mine, theirs) + _f1(*parents)


def _f1(mine: frozenset[Node], theirs: frozenset[Node]) -> float:
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))


def best_matching(left: Array, right: Array, weights: Array, shape: tuple[int, int] | None = None) -> Array:
    """Which of the pairs of `left` and `right` make the one-to-one matching with the largest sum of weights.

    Rows that share a pair, directly or through others, are connected, and an optimal matching is optimal on each connected
    component. Most components are a single pair, so the assignment problems stay small even if one document is a whole book.
    With a `shape` of few cells, all rows and columns of it make one problem, which decides between equal sums as others do.

    Examples
    --------
    >>> best_matching(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([2.0, 3.0, 2.0])).tolist()
    [0, 2]
    """
    if not len(left):
        return np.zeros(0, dtype=np.int64)
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if shape is not None and shape[0] * shape[1] <= MAX_CELLS:
        whole = np.zeros(shape)
        whole[left, right] = weights
        joined = np.zeros(shape, dtype=bool)
        joined[linear_sum_assignment(whole, maximize=True)] = True
        return np.flatnonzero(joined[left, right])
    size = int(left.max()) + 1
    nodes = size + int(right.max()) + 1
    edges = coo_array((np.ones(len(left), dtype=np.int8), (left, right + size)), shape=(nodes, nodes))
    component = connected_components(edges, directed=False)[1][left]
    order = np.argsort(component, kind="stable")
    bounds = np.flatnonzero(np.diff(component[order], prepend=-1, append=-1))
    alone = np.diff(bounds) == 1
    chosen = [order[bounds[:-1][alone]]]
    for low, high in zip(bounds[:-1][~alone].tolist(), bounds[1:][~alone].tolist(), strict=True):
        rows = order[low:high]
        _, i = np.unique(left[rows], return_inverse=True)
        _, j = np.unique(right[rows], return_inverse=True)
        table = np.zeros((int(i.max()) + 1, int(j.max()) + 1))
        table[i, j] = weights[rows]
        matched = np.zeros(table.shape, dtype=bool)
        matched[linear_sum_assignment(table, maximize=True)] = True
        chosen.append(rows[matched[i, j]])
    return np.sort(np.concatenate(chosen))

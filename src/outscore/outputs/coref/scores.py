"""MUC, B³, CEAFe and LEA as per-document sums: a row per document, and the score is a function of the column sums.

Two columns of a table of mentions are compared, a key K and a response R. With n = |k ∩ r| for chains k of K
and r of R, all four need nothing but the sizes |k|, |r| and the table of n > 0:

    MUC    Σ(n - 1) common links                 over Σ(|k| - 1) links of the key, Σ(|r| - 1) of the response
    B³     Σ n²/|k| and Σ n²/|r|                 over Σ|k| and Σ|r| mentions
    CEAFe  Σ 2n/(|k| + |r|) of the best one-to-one matching of chains    over the numbers of chains
    LEA    Σ|k| Σ link(n)/link(|k|), and so for r                        over Σ|k| and Σ|r|, with link(n) = n(n - 1)/2

Singletons count everywhere except in MUC, which has no links for them; LEA gives a singleton one link to
itself, which is right if the other side has it as a singleton too.

References
----------
Vilain et al. (1995): A model-theoretic coreference scoring scheme. MUC-6. Bagga, Baldwin (1998): Algorithms
for scoring coreference chains. LREC. Luo (2005): On coreference resolution performance metrics, EMNLP, with
similarity φ4. Moosavi, Strube (2016): Which coreference evaluation metric do you trust? ACL, equations 5 and
6. How spurious and missing mentions are treated: Pradhan et al. (2014): Scoring coreference partitions of
predicted mentions. ACL.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.coref.arcs import CRITERIA, arcs_counts
from outscore.outputs.coref.mentions import NO_CHAIN, Mentions

__all__ = ["Overlap", "coref_statistics", "overlap"]


@dataclass(frozen=True, eq=False)
class Overlap:
    """The chains of a key and a response: sizes, documents, and the pairs that share mentions.

    `pairs` holds (m, 2) codes of a key chain and a response chain, `shared` the number of mentions they
    share.
    """

    documents: int
    key_sizes: Array
    key_documents: Array
    response_sizes: Array
    response_documents: Array
    pairs: Array
    shared: Array

    def by_document(self, values: Array, documents: Array) -> Array:
        """Sums per document, as integers if the values are."""
        sums = np.bincount(documents, weights=values, minlength=self.documents)
        return sums if values.dtype.kind == "f" else sums.astype(np.int64)


def coref_statistics(mentions: Mentions, key: int = 0, response: int = 1) -> dict[str, Array]:
    """Per-document sums for every measure, by its name: (documents, columns).

    ``"conll"`` is the mean F1 of MUC, B³ and CEAFe and holds the columns of all three; ``"arcs-any"`` and
    ``"arcs-nom"`` hold tp, wl, fn and fp.

    Parameters
    ----------
    mentions
        Gold and systems in one table.
    key, response
        Columns of its chains. 0 is gold; with a system as the key, scores measure how far another agrees with
        it.

    Examples
    --------
    >>> from outscore.outputs.coref.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> gold, system = ([("d1", token, token, chain) for token, chain in enumerate(text)] for text in ("aaabb", "aabbb"))
    >>> table = align_mentions(Chains.of("gold", gold), [Chains.of("system", system)])
    >>> statistics = coref_statistics(table)
    >>> statistics["muc"].tolist(), statistics["arcs-any"].tolist()
    ([[2, 3, 3]], [[2, 0, 1, 1]])
    """
    shared = overlap(mentions, key, response)
    muc, b_cubed, ceafe = _muc(shared), _b_cubed(shared), _ceafe(shared)
    arcs = {name: arcs_counts(mentions, name, key, response) for name in CRITERIA}
    return {"muc": muc, "b3": b_cubed, "ceafe": ceafe, "conll": np.hstack([muc, b_cubed, ceafe]), "lea": _lea(shared), **arcs}


def overlap(mentions: Mentions, key: int = 0, response: int = 1) -> Overlap:
    """Count the mentions that the chains of two columns share."""
    documents = mentions.documents.codes
    left, right = mentions.chains[:, key], mentions.chains[:, response]
    both = (left != NO_CHAIN) & (right != NO_CHAIN)
    factor = int(right.max(initial=0)) + 1
    codes, shared = np.unique(left[both] * factor + right[both], return_counts=True)
    return Overlap(
        len(mentions.documents.names),
        *_sizes(left, documents),
        *_sizes(right, documents),
        np.stack(np.divmod(codes, factor), axis=1),
        shared,
    )


def _sizes(chains: Array, documents: Array) -> tuple[Array, Array]:
    """The number of mentions of each chain, and its document."""
    rows = chains != NO_CHAIN
    sizes = np.bincount(chains[rows])
    where = np.zeros(len(sizes), dtype=np.int64)
    where[chains[rows]] = documents[rows]
    return sizes, where


def _muc(o: Overlap) -> Array:
    """Common links, links of the key, links of the response: recall and precision share their numerator."""
    columns = (
        o.by_document(o.shared - 1, o.key_documents[o.pairs[:, 0]]),
        o.by_document(o.key_sizes - 1, o.key_documents),
        o.by_document(o.response_sizes - 1, o.response_documents),
    )
    return np.stack(columns, axis=1)


def _b_cubed(o: Overlap) -> Array:
    """Recalled, key mentions, precise, response mentions."""
    where = o.key_documents[o.pairs[:, 0]]
    columns = (
        o.by_document(o.shared**2 / o.key_sizes[o.pairs[:, 0]], where),
        o.by_document(o.key_sizes, o.key_documents),
        o.by_document(o.shared**2 / o.response_sizes[o.pairs[:, 1]], where),
        o.by_document(o.response_sizes, o.response_documents),
    )
    return np.stack(columns, axis=1)


def _lea(o: Overlap) -> Array:
    """Resolved importance of the key, key mentions, that of the response, response mentions."""
    where = o.key_documents[o.pairs[:, 0]]
    k, r = o.key_sizes[o.pairs[:, 0]], o.response_sizes[o.pairs[:, 1]]
    columns = (
        o.by_document(_resolved_importance(o.shared, k, r), where),
        o.by_document(o.key_sizes, o.key_documents),
        o.by_document(_resolved_importance(o.shared, r, k), where),
        o.by_document(o.response_sizes, o.response_documents),
    )
    return np.stack(columns, axis=1)


def _resolved_importance(shared: Array, sizes: Array, others: Array) -> Array:
    """|k| · link(n) / link(|k|) = n(n - 1)/(|k| - 1); of a singleton 1 if it is one on the other side too."""
    single = sizes == 1
    links = shared * (shared - 1) / np.where(single, 1, sizes - 1)
    return np.asarray(np.where(single, others == 1, links))


def _ceafe(o: Overlap) -> Array:
    """Similarity of the best matching, chains of the key, chains of the response."""
    columns = (
        o.by_document(*_best_matching(o)),
        o.by_document(np.ones_like(o.key_sizes), o.key_documents),
        o.by_document(np.ones_like(o.response_sizes), o.response_documents),
    )
    return np.stack(columns, axis=1)


def _best_matching(o: Overlap) -> tuple[Array, Array]:
    """Similarities of the chains that the best matching joins, and their documents.

    Chains that share mentions, directly or through others, are connected, and an optimal matching is optimal
    on each connected component. Most components are a single pair, so the assignment problems stay small even
    if one document is a whole book.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    left, right = o.pairs[:, 0], o.pairs[:, 1]
    similarity = 2 * o.shared / (o.key_sizes[left] + o.response_sizes[right])
    keys, nodes = len(o.key_sizes), len(o.key_sizes) + len(o.response_sizes)
    edges = coo_array((np.ones(len(left), dtype=np.int8), (left, right + keys)), shape=(nodes, nodes))
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
        table[i, j] = similarity[rows]
        matched = np.zeros(table.shape, dtype=bool)
        matched[linear_sum_assignment(table, maximize=True)] = True
        chosen.append(rows[matched[i, j]])
    best = np.concatenate(chosen)
    return similarity[best], o.key_documents[left[best]]

"""Measures of coreference as sums per cluster: MUC, B³, CEAFe, LEA, and the five classes of ARCS."""

from __future__ import annotations

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.outputs.coref.mentions import NO_CHAIN, Mentions, best_matching

# ARCS: what a system did with each anaphoric mention, in five classes.
#
# A mention is anaphoric in a file if an earlier mention of its chain can be its antecedent. Given key and response:
#
#     tp  anaphoric in the key, and resolved to a right antecedent
#     wl  anaphoric in the key, and resolved to wrong antecedents only (wrong linkage)
#     fn  anaphoric in the key, and not resolved
#     fp  not anaphoric in the key, and resolved
#     tn  neither
#
# Two criteria define the antecedent. ``arcs-any``: all earlier mentions, of which one right one is enough. ``arcs-nom``:
# only the closest earlier nominal mention, which must be an antecedent in the key; a mention without an earlier nominal in
# its chain is not anaphoric, neither in key nor in response (a cataphoric pronoun, a chain of pronouns).
#
#     recall = tp / (tp + wl + fn),   precision = tp / (tp + wl + fp)
#
# With ``arcs-any`` these are the scores of MUC: of the mentions that a key chain and a response chain share, all but the
# first are tp, and they are the common links. ARCS adds the class of each mention.
#
# References ---------- Tuggener (2014): Coreference resolution evaluation for higher level applications. EACL. Tuggener
# (2017): A method for in-depth comparative evaluation: how (dis)similar are outputs of POS taggers, dependency parsers and
# coreference resolvers really? EACL, section 2.3. Its equation 2 prints an intersection of mentions; its table 8 has units
# that are in one file only.


CLASSES = ("tp", "wl", "fn", "fp", "tn")
TP, WL, FN, FP, TN = range(len(CLASSES))
ANY, NOMINAL = CRITERIA = ("arcs-any", "arcs-nom")
NO_ANTECEDENT = -1


@dataclass(frozen=True, eq=False)
class Resolution:
    """How a response resolves every mention of the table.

    Parameters
    ----------
    classes
        (n,) codes of `CLASSES`.
    antecedents
        (n,) the row of the antecedent behind the class: the closest right one, otherwise the closest; -1 if
        the response does not resolve the mention.
    """

    classes: Array
    antecedents: Array


def resolve_mentions(mentions: Mentions, criterion: str = ANY, key: int = 0, response: int = 1) -> Resolution:
    """Classify every mention of the table by two columns of its chains.

    Examples
    --------
    >>> from outscore.outputs.coref.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> gold = Chains.of("gold", [("d1", token, token, chain) for token, chain in enumerate("aabbb")])
    >>> system = Chains.of("system", [("d1", token, token, chain) for token, chain in enumerate("aaaab")])
    >>> table = align_mentions(gold, [system])
    >>> [CLASSES[code] for code in resolve_mentions(table).classes]
    ['tn', 'tp', 'fp', 'tp', 'fn']
    """
    if criterion not in CRITERIA:
        raise OutscoreError(f"There is no ARCS criterion `{criterion}`.", did_you_mean(criterion, CRITERIA))
    wanted, answered = mentions.chains[:, key], mentions.chains[:, response]
    eligible = mentions.nominal if criterion == NOMINAL else np.ones(mentions.n, dtype=bool)
    anaphoric = _closest_before(wanted, eligible) != NO_ANTECEDENT
    antecedents = _closest_before(answered, eligible)
    resolved = antecedents != NO_ANTECEDENT
    if criterion == ANY:
        shared = _closest_before(_shared_chains(wanted, answered), eligible)
        right = shared != NO_ANTECEDENT
        antecedents = np.where(right, shared, antecedents)
    else:
        right = resolved & (wanted != NO_CHAIN) & (wanted[antecedents] == wanted)
    classes = np.select([anaphoric & right, anaphoric & resolved, anaphoric, resolved], [TP, WL, FN, FP], TN)
    return Resolution(classes, antecedents)


def arcs_counts(mentions: Mentions, criterion: str = ANY, key: int = 0, response: int = 1) -> Array:
    """(clusters, 4) numbers of mentions that are tp, wl, fn and fp."""
    classes = resolve_mentions(mentions, criterion, key, response).classes
    clusters = len(mentions.clusters.names)
    codes = mentions.clusters.codes * len(CLASSES) + classes
    return np.bincount(codes, minlength=clusters * len(CLASSES)).reshape(clusters, -1)[:, :TN]


def _closest_before(chains: Array, eligible: Array) -> Array:
    """For each row the closest earlier eligible row of its chain, -1 if there is none; rows are in text order."""
    order = np.argsort(chains, kind="stable")
    places = np.arange(len(order))
    latest = np.maximum.accumulate(np.where(eligible[order], places, -1))
    before = np.concatenate([[-1], latest])[: len(order)]
    begins = np.maximum.accumulate(np.where(np.diff(chains[order], prepend=-2) != 0, places, 0))
    has_antecedent = (before >= begins) & (chains[order] != NO_CHAIN)
    closest = np.full(len(order), NO_ANTECEDENT, dtype=np.int64)
    closest[order[has_antecedent]] = order[before[has_antecedent]]
    return closest


def _shared_chains(wanted: Array, answered: Array) -> Array:
    """A chain for each pair of chains: mentions that both key and response put together."""
    both = wanted * (int(answered.max(initial=0)) + 1) + answered
    return np.where((wanted == NO_CHAIN) | (answered == NO_CHAIN), NO_CHAIN, both)


# MUC, B³, CEAFe and LEA as sums per cluster: a row per document or topic, and the score is a function of the column sums.
#
# Two columns of a table of mentions are compared, a key K and a response R. With n = |k ∩ r| for chains k of K and r of R,
# all four need nothing but the sizes |k|, |r| and the table of n > 0:
#
#     MUC    Σ(n - 1) common links                 over Σ(|k| - 1) links of the key, Σ(|r| - 1) of the response
#     B³     Σ n²/|k| and Σ n²/|r|                 over Σ|k| and Σ|r| mentions
#     CEAFe  Σ 2n/(|k| + |r|) of the best one-to-one matching of chains    over the numbers of chains
#     LEA    Σ|k| Σ link(n)/link(|k|), and so for r                        over Σ|k| and Σ|r|, with link(n) = n(n - 1)/2
#
# Singletons count everywhere except in MUC, which has no links for them; LEA gives a singleton one link to itself, which is
# right if the other side has it as a singleton too.
#
# References ---------- Vilain et al. (1995): A model-theoretic coreference scoring scheme. MUC-6. Bagga, Baldwin (1998):
# Algorithms for scoring coreference chains. LREC. Luo (2005): On coreference resolution performance metrics, EMNLP, with
# similarity φ4. Moosavi, Strube (2016): Which coreference evaluation metric do you trust? ACL, equations 5 and 6. How
# spurious and missing mentions are treated: Pradhan et al. (2014): Scoring coreference partitions of predicted mentions.
# ACL.


@dataclass(frozen=True, eq=False)
class Spread:
    """In which clusters the mentions of a group are: `shares` of the groups `of`, by cluster.

    A chain of one document stands in one cluster. One that runs through several adds to each of them by its share of the
    chain's mentions, so that sums over all clusters, and with them the scores, are those of the whole file.
    """

    of: Array
    clusters: Array
    shares: Array


@dataclass(frozen=True, eq=False)
class Overlap:
    """The chains of a key and a response: sizes, clusters, and the pairs that share mentions.

    `pairs` holds (m, 2) codes of a key chain and a response chain, `shared` the number of mentions they
    share.
    """

    clusters: int
    key_sizes: Array
    in_key: Spread
    response_sizes: Array
    in_response: Spread
    pairs: Array
    shared: Array
    in_pairs: Spread

    def by_cluster(self, values: Array, spread: Spread) -> Array:
        """Sums per cluster, as integers if the values are and no group is shared out."""
        parts = values[spread.of] * spread.shares
        sums = np.bincount(spread.clusters, weights=parts, minlength=self.clusters)
        return sums if parts.dtype.kind == "f" else sums.astype(np.int64)


def coref_statistics(mentions: Mentions, key: int = 0, response: int = 1) -> dict[str, Array]:
    """Sums per cluster for every measure, by its name: (clusters, columns).

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
    clusters = mentions.clusters.codes
    left, right = mentions.chains[:, key], mentions.chains[:, response]
    both = (left != NO_CHAIN) & (right != NO_CHAIN)
    factor = int(right.max(initial=0)) + 1
    codes, place, shared = np.unique(left[both] * factor + right[both], return_inverse=True, return_counts=True)
    return Overlap(
        len(mentions.clusters.names),
        *_sizes(left, clusters),
        *_sizes(right, clusters),
        np.stack(np.divmod(codes, factor), axis=1),
        shared,
        spread_of(place, clusters[both]),
    )


def _sizes(chains: Array, clusters: Array) -> tuple[Array, Spread]:
    """The number of mentions of each chain, and where they are."""
    rows = chains != NO_CHAIN
    return np.bincount(chains[rows]), spread_of(chains[rows], clusters[rows])


def spread_of(groups: Array, clusters: Array) -> Spread:
    """Where the mentions of each group are, from the group and the cluster of each mention.

    Examples
    --------
    >>> spread = spread_of(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    >>> spread.of.tolist(), spread.clusters.tolist(), spread.shares.round(2).tolist()
    ([0, 0, 1], [0, 1, 1], [0.67, 0.33, 1.0])
    """
    factor = int(clusters.max(initial=0)) + 1
    codes, counts = np.unique(groups * factor + clusters, return_counts=True)
    of, where = np.divmod(codes, factor)
    sizes = np.bincount(groups)
    if len(of) == np.count_nonzero(sizes):
        return Spread(of, where, np.ones(len(of), dtype=np.int64))
    return Spread(of, where, counts / sizes[of])


def _muc(o: Overlap) -> Array:
    """Common links, links of the key, links of the response: recall and precision share their numerator."""
    columns = (
        o.by_cluster(o.shared - 1, o.in_pairs),
        o.by_cluster(o.key_sizes - 1, o.in_key),
        o.by_cluster(o.response_sizes - 1, o.in_response),
    )
    return np.stack(columns, axis=1)


def _b_cubed(o: Overlap) -> Array:
    """Recalled, key mentions, precise, response mentions."""
    columns = (
        o.by_cluster(o.shared**2 / o.key_sizes[o.pairs[:, 0]], o.in_pairs),
        o.by_cluster(o.key_sizes, o.in_key),
        o.by_cluster(o.shared**2 / o.response_sizes[o.pairs[:, 1]], o.in_pairs),
        o.by_cluster(o.response_sizes, o.in_response),
    )
    return np.stack(columns, axis=1)


def _lea(o: Overlap) -> Array:
    """Resolved importance of the key, key mentions, that of the response, response mentions."""
    k, r = o.key_sizes[o.pairs[:, 0]], o.response_sizes[o.pairs[:, 1]]
    columns = (
        o.by_cluster(_resolved_importance(o.shared, k, r), o.in_pairs),
        o.by_cluster(o.key_sizes, o.in_key),
        o.by_cluster(_resolved_importance(o.shared, r, k), o.in_pairs),
        o.by_cluster(o.response_sizes, o.in_response),
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
        o.by_cluster(_best_matching(o), o.in_pairs),
        o.by_cluster(np.ones_like(o.key_sizes), o.in_key),
        o.by_cluster(np.ones_like(o.response_sizes), o.in_response),
    )
    return np.stack(columns, axis=1)


def _best_matching(o: Overlap) -> Array:
    """The similarity of each pair of chains that the best matching joins, 0 for all others."""
    left, right = o.pairs[:, 0], o.pairs[:, 1]
    similarity = 2 * o.shared / (o.key_sizes[left] + o.response_sizes[right])
    joined = np.zeros(len(similarity))
    chosen = best_matching(left, right, similarity)
    joined[chosen] = similarity[chosen]
    return joined

"""ARCS: what a system did with each anaphoric mention, in five classes.

A mention is anaphoric in a file if an earlier mention of its chain can be its antecedent. Given key and
response:

    tp  anaphoric in the key, and resolved to a right antecedent
    wl  anaphoric in the key, and resolved to wrong antecedents only (wrong linkage)
    fn  anaphoric in the key, and not resolved
    fp  not anaphoric in the key, and resolved
    tn  neither

Two criteria define the antecedent. ``arcs-any``: all earlier mentions, of which one right one is enough.
``arcs-nom``: only the closest earlier nominal mention, which must be an antecedent in the key; a mention
without an earlier nominal in its chain is not anaphoric, neither in key nor in response (a cataphoric
pronoun, a chain of pronouns).

    recall = tp / (tp + wl + fn),   precision = tp / (tp + wl + fp)

With ``arcs-any`` these are the scores of MUC: of the mentions that a key chain and a response chain share,
all but the first are tp, and they are the common links. ARCS adds the class of each mention.

References
----------
Tuggener (2014): Coreference resolution evaluation for higher level applications. EACL. Tuggener (2017): A
method for in-depth comparative evaluation: how (dis)similar are outputs of POS taggers, dependency parsers
and coreference resolvers really? EACL, section 2.3. Its equation 2 prints an intersection of mentions; its
table 8 has units that are in one file only.
"""

from __future__ import annotations

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.outputs.coref.mentions import NO_CHAIN, Mentions

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

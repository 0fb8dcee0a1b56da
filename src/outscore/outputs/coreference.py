"""Measures of coreference as sums per cluster: MUC, B³, CEAFe, LEA, and the five classes of ARCS.

A diff looks at mentions as units with their ARCS classes; what is swapped as one are topics, documents or sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.outputs.mentions import DOCUMENT_ID, NO_CHAIN, PRONOUNS, Mentions, best_matching, first_tokens
from outscore.outputs.model import Units, Words, choose_slices, relabelled
from outscore.outputs.outcomes import Changed, Contexts, changed_units
from outscore.outputs.words import sentence_contexts
from outscore.scores.system import Labels

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
HEADLINE = "conll"
"""The score by which systems are compared; it is one of chains, so that mentions are right or wrong by a criterion of ARCS."""
CHOICES = (HEADLINE, *CRITERIA)
NO_ANTECEDENT = -1


def resolve_mentions(mentions: Mentions, criterion: str = ANY, key: int = 0, response: int = 1) -> tuple[Array, Array]:
    """The class of every mention of the table by two columns of its chains, and the row of the antecedent behind it.

    That is the closest right one, otherwise the closest; -1 if the response does not resolve the mention.

    Examples
    --------
    >>> from outscore.outputs.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> gold = Chains.of("gold", [("d1", token, token, chain) for token, chain in enumerate("aabbb")])
    >>> system = Chains.of("system", [("d1", token, token, chain) for token, chain in enumerate("aaaab")])
    >>> table = align_mentions(gold, [system])
    >>> [CLASSES[code] for code in resolve_mentions(table)[0]]
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
    return classes, antecedents


def arcs_counts(mentions: Mentions, criterion: str = ANY, key: int = 0, response: int = 1) -> Array:
    """(clusters, 4) numbers of mentions that are tp, wl, fn and fp."""
    classes, _ = resolve_mentions(mentions, criterion, key, response)
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


Spread = tuple[Array, Array, Array]
"""In which clusters the mentions of groups are: group, cluster, and the share of the group that is there.

A chain of one document stands in one cluster. One that runs through several adds to each of them by its share of the chain's
mentions, so that sums over all clusters, and with them the scores, are those of the whole file.
"""


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
    >>> from outscore.outputs.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> gold, system = ([("d1", token, token, chain) for token, chain in enumerate(text)] for text in ("aaabb", "aabbb"))
    >>> table = align_mentions(Chains.of("gold", gold), [Chains.of("system", system)])
    >>> statistics = coref_statistics(table)
    >>> statistics["muc"].tolist(), statistics["arcs-any"].tolist()
    ([[2, 3, 3]], [[2, 0, 1, 1]])
    """
    clusters, size = mentions.clusters.codes, len(mentions.clusters.names)
    left, right = mentions.chains[:, key], mentions.chains[:, response]
    both = (left != NO_CHAIN) & (right != NO_CHAIN)
    factor = int(right.max(initial=0)) + 1
    pairs, place, shared = np.unique(left[both] * factor + right[both], return_inverse=True, return_counts=True)
    in_pairs = spread_of(place, clusters[both])
    (key_sizes, in_key), (response_sizes, in_response) = _sizes(left, clusters), _sizes(right, clusters)
    of_key, of_response = (key_sizes, in_key), (response_sizes, in_response)
    i, j = np.divmod(pairs, factor)
    k, r = key_sizes[i], response_sizes[j]
    # Recall and precision of MUC share their numerator.
    muc = _sums(size, (shared - 1, in_pairs), (key_sizes - 1, in_key), (response_sizes - 1, in_response))
    b_cubed = _sums(size, (shared**2 / k, in_pairs), of_key, (shared**2 / r, in_pairs), of_response)
    recalled, precise = _resolved_importance(shared, k, r), _resolved_importance(shared, r, k)
    lea = _sums(size, (recalled, in_pairs), of_key, (precise, in_pairs), of_response)
    similarity, joined = 2 * shared / (k + r), np.zeros(len(shared))
    chosen = best_matching(i, j, similarity)
    joined[chosen] = similarity[chosen]
    chains = (np.ones_like(key_sizes), in_key), (np.ones_like(response_sizes), in_response)
    ceafe = _sums(size, (joined, in_pairs), *chains)
    arcs = {name: arcs_counts(mentions, name, key, response) for name in CRITERIA}
    return {"muc": muc, "b3": b_cubed, "ceafe": ceafe, "conll": np.hstack([muc, b_cubed, ceafe]), "lea": lea, **arcs}


def _sums(size: int, *columns: tuple[Array, Spread]) -> Array:
    """(clusters, columns) sums of values where they are, as integers if the values are and no group is shared out."""
    sums = []
    for values, (groups, clusters, shares) in columns:
        parts = values[groups] * shares
        column = np.bincount(clusters, weights=parts, minlength=size)
        sums.append(column if parts.dtype.kind == "f" else column.astype(np.int64))
    return np.stack(sums, axis=1)


def _sizes(chains: Array, clusters: Array) -> tuple[Array, Spread]:
    """The number of mentions of each chain, and where they are."""
    rows = chains != NO_CHAIN
    return np.bincount(chains[rows]), spread_of(chains[rows], clusters[rows])


def spread_of(groups: Array, clusters: Array) -> Spread:
    """Where the mentions of each group are, from the group and the cluster of each mention.

    Examples
    --------
    >>> [part.round(2).tolist() for part in spread_of(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))]
    [[0, 0, 1], [0, 1, 1], [0.67, 0.33, 1.0]]
    """
    factor = int(clusters.max(initial=0)) + 1
    codes, counts = np.unique(groups * factor + clusters, return_counts=True)
    of, where = np.divmod(codes, factor)
    sizes = np.bincount(groups)
    if len(of) == np.count_nonzero(sizes):
        return of, where, np.ones(len(of), dtype=np.int64)
    return of, where, counts / sizes[of]


def _resolved_importance(shared: Array, sizes: Array, others: Array) -> Array:
    """|k| · link(n) / link(|k|) = n(n - 1)/(|k| - 1); of a singleton 1 if it is one on the other side too."""
    single = sizes == 1
    links = shared * (shared - 1) / np.where(single, 1, sizes - 1)
    return np.asarray(np.where(single, others == 1, links))


# What is swapped as one in coreference: topics, sub-topics, documents or sentences.
#
# Chains that run across documents are scored in one document of the file, which would be the only unit of a test. Topics
# are what corpora of this kind are sampled by, and their names stand in the ids of documents: ``topic/subtopic/document``,
# or ``1_10ecb`` and ``1_10ecbplus``, documents of topic 1 of ECB+ (Cybulska, Vossen, 2014: Using a sledgehammer to crack a
# nut? Lexical diversity and event coreference resolution. LREC), whose sub-topics are the original and the added texts.


TOPIC, SUBTOPIC, DOCUMENT, SENTENCE = CLUSTERS = ("topic", "subtopic", "document", "sentence")
_ECB = re.compile(r"(\d+)_\d+(ecb(?:plus)?)(?:\.xml)?")
_PART = re.compile(r"; part \S+$")


def topic_of(document: str) -> str | None:
    """The topic that the id of a document names; None if it has no parts.

    Examples
    --------
    >>> topic_of("36/36_ecb/36_1ecb"), topic_of("1_10ecbplus"), topic_of("d1")
    ('36', '1', None)
    """
    parts = _parts(document)
    return parts[0] if len(parts) > 1 else None


def subtopic_of(document: str) -> str | None:
    """The sub-topic that the id of a document names; None if it names none.

    Examples
    --------
    >>> subtopic_of("36/36_ecb/36_1ecb"), subtopic_of("1_10ecbplus"), subtopic_of("nw/a")
    ('36/36_ecb', '1_ecbplus', None)
    """
    parts = _parts(document)
    if len(parts) > 2:
        return ("/" if "/" in document else "_").join(parts[:2])
    ecb = _ECB.fullmatch(document.rpartition("/")[2])
    return None if ecb is None else f"{ecb[1]}_{ecb[2]}"


def _parts(document: str) -> list[str]:
    name = _PART.sub("", document)
    return [part for part in name.split("/" if "/" in name else "_") if part]


def joins_documents(mentions: Mentions) -> bool:
    """Whether a document of the file holds several, which the first column tells apart."""
    return mentions.words is not None and DOCUMENT_ID in mentions.words.columns


def groupings(mentions: Mentions) -> dict[str, Callable[[], Labels]]:
    """Whatever mentions can be grouped by, by its name in `CLUSTERS`; groups without a mention are among the names."""
    documents = _documents(mentions)
    columns: dict[str, Callable[[], Labels]] = {}
    for name, rule in ((TOPIC, topic_of), (SUBTOPIC, subtopic_of)):
        named = [label for document in documents.names if (label := rule(document)) is not None]
        if len(named) == len(documents.names):
            columns[name] = partial(relabelled, documents, named)
    columns[DOCUMENT] = lambda: documents
    words = mentions.words
    if words is not None:
        columns[SENTENCE] = lambda: Labels(words.sentences[mentions.tokens], words.sentence_ids)
    return columns


def _documents(mentions: Mentions) -> Labels:
    """The document of each mention, by the first column where that tells more than the file's own documents."""
    if mentions.words is None or not joins_documents(mentions):
        return mentions.documents
    return mentions.words.columns[DOCUMENT_ID].take(mentions.tokens)


def grouped(mentions: Mentions, cluster: str | None) -> tuple[Mentions, str]:
    """The mentions with what is swapped as one, and its name.

    Unless one is asked for, it is the document; where one document of the file holds several, their topic if there are two
    topics at least.
    """
    groups = groupings(mentions)
    if cluster is None:
        has_topics = joins_documents(mentions) and TOPIC in groups and len(groups[TOPIC]().names) > 1
        cluster = TOPIC if has_topics else DOCUMENT
    if cluster not in groups:
        raise _refusal(mentions, cluster, list(groups))
    return replace(mentions, groups=groups[cluster]()), cluster


def _refusal(mentions: Mentions, cluster: str, known: list[str]) -> OutscoreError:
    *others, last = known
    hint = f"Give --cluster {', '.join(others)} or {last}." if others else f"Give --cluster {last}."
    if cluster not in CLUSTERS:
        return OutscoreError(
            f"Mentions cannot be clustered by `{cluster}`: chains run through documents.", hint, parameter="cluster"
        )
    if cluster == SENTENCE:
        return OutscoreError("Gold has no words, and so no sentences to cluster by.", hint, parameter="cluster")
    rule = topic_of if cluster == TOPIC else subtopic_of
    document = next(name for name in _documents(mentions).names if rule(name) is None)
    return OutscoreError(
        f"Document `{document}` names no {cluster}.",
        f"{hint} Topics are read from ids such as topic/subtopic/document or 1_10ecb.",
        parameter="cluster",
    )


def crossing_chains(mentions: Mentions) -> tuple[int, int]:
    """How many chains of all files run through several clusters, and how many chains there are."""
    counts = [_crossing(chains, mentions.clusters.codes) for chains in mentions.chains.T]
    return sum(crossing for crossing, _ in counts), sum(n for _, n in counts)


def _crossing(chains: Array, clusters: Array) -> tuple[int, int]:
    rows = chains != NO_CHAIN
    pairs = np.unique(np.stack([chains[rows], clusters[rows]], axis=1), axis=0)
    sizes = np.bincount(pairs[:, 0])
    return int((sizes > 1).sum()), int((sizes > 0).sum())


# Mentions as units, with their ARCS classes, and those that some system has wrong in their sentences.
#
# The answer to a mention is its class, tp, wl, fn, fp or tn; the right one is tp for a mention that is anaphoric in gold
# and tn for any other. So a correction is ``wl → tp`` or ``fp → tn``, a changed error ``wl → fn`` (Tuggener, 2017, table
# 8).


MENTION_TYPE = "mention type"


PRONOUN = "pronoun"
ZERO_SIGN = "∅"
"""What a mention without a word is shown as."""
ALONE, FIRST, LAST = "alone in its chain", "first of its chain", "last of its chain"


def mention_units(
    mentions: Mentions, systems: Sequence[int] = (1, 2), criterion: str = ANY, *, slices: Sequence[str] = (MENTION_TYPE,)
) -> Units:
    """The mentions that are anaphoric in gold or in one of these systems, with their classes.

    `systems` are columns of the table's chains, `slices` what to split by. Each pair has its own units: a
    mention that only a third system resolves is not among them. `Units.rows` are the rows of first tokens among
    gold's words; `unit_mentions` has the spans.

    Examples
    --------
    >>> from outscore.outputs.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> chains = {"gold": "aaa", "old": "abb", "new": "aaa"}
    >>> gold, *systems = [Chains.of(name, [("d1", t, t, c) for t, c in enumerate(chains[name])]) for name in chains]
    >>> table = align_mentions(gold, systems)
    >>> units = mention_units(table)
    >>> [tuple(units.labels[code] for code in row) for row in units.answers]
    [('fn', 'tp'), ('tp', 'tp')]
    """
    rows, classes = _classify(mentions, systems, criterion)
    gold = np.where(_anaphoric(classes), TP, TN)[rows]
    return _units(mentions, systems, criterion, rows, CLASSES, gold, classes[rows], slices)


def gold_mention_units(mentions: Mentions, systems: Sequence[int], criterion: str = NOMINAL) -> Units:
    """Gold's anaphoric mentions, labelled with their kind: accuracy is ARCS recall, the oracle its upper bound.

    The answer to a noun is ``noun`` if a system resolves it correctly, else wl or fn. Rates by gold label are
    therefore recall by kind of mention (Tuggener, 2017, table 11).
    """
    _, classes = _classify(mentions, systems, criterion)
    rows = np.flatnonzero(_anaphoric(classes))
    kinds = mentions.types.names
    gold = mentions.types.codes[rows]
    answers = np.where(classes[rows] == TP, gold[:, None], len(kinds) + classes[rows] - WL)
    return _units(mentions, systems, criterion, rows, (*kinds, *CLASSES[WL : FN + 1]), gold, answers)


def unit_mentions(mentions: Mentions, systems: Sequence[int] = (1, 2), criterion: str = ANY) -> Array:
    """The row in the table of mentions of each unit of `mention_units`."""
    return _classify(mentions, systems, criterion)[0]


def _classify(mentions: Mentions, systems: Sequence[int], criterion: str) -> tuple[Array, Array]:
    """The rows that are units for these systems, and (all rows, systems) classes."""
    classes = np.stack([resolve_mentions(mentions, criterion, 0, system)[0] for system in systems], axis=1)
    return np.flatnonzero((classes != TN).any(axis=1)), classes


def _anaphoric(classes: Array) -> Array:
    """Whether a mention is anaphoric in gold, which the class of any system tells: here the first."""
    return np.asarray(classes[:, 0] <= FN)


def _units(
    mentions: Mentions,
    systems: Sequence[int],
    criterion: str,
    rows: Array,
    labels: tuple[str, ...],
    gold: Array,
    answers: Array,
    slices: Sequence[str] = (MENTION_TYPE,),
) -> Units:
    return Units(
        criterion,
        tuple(mentions.files[system] for system in systems),
        labels,
        gold,
        answers,
        answers == gold[:, None],
        clusters=mentions.clusters.codes[rows],
        slices=choose_slices(_mention_slices(mentions, rows), slices),
        rows=mentions.tokens[rows],
    )


def _mention_slices(mentions: Mentions, rows: Array) -> dict[str, Callable[[], Labels]]:
    """What mentions can be split by: kind, document and topic, and which pronoun they are."""
    columns: dict[str, Callable[[], Labels]] = {MENTION_TYPE: lambda: mentions.types.take(rows)}
    groups = groupings(mentions)
    for name in (DOCUMENT, TOPIC, SUBTOPIC):
        if name in groups:
            columns[name] = partial(_rows_of, groups[name], rows)
    if mentions.words is not None:
        columns[PRONOUN] = partial(_pronouns, mentions, mentions.words.forms, rows)
    return columns


def _rows_of(labels: Callable[[], Labels], rows: Array) -> Labels:
    return labels().take(rows)


def _pronouns(mentions: Mentions, forms: Labels, rows: Array) -> Labels:
    """The pronoun in lower case; of other mentions their kind in brackets."""
    return Labels.of(
        forms[int(mentions.tokens[row])].lower() if mentions.types[row] in PRONOUNS else f"({mentions.types[row]})"
        for row in rows.tolist()
    )


def changed_mentions(mentions: Mentions, systems: Sequence[int], criterion: str = ANY) -> tuple[Changed, Contexts]:
    """The units that some system has wrong, in their sentences, or in empty documents if gold has no words."""
    units = mention_units(mentions, systems, criterion)
    wrong = changed_units(units)
    rows = unit_mentions(mentions, systems, criterion)[wrong]
    if mentions.words is None:
        names = tuple(mentions.documents.names)
        nowhere = np.zeros(len(rows), dtype=np.int64)
        return Changed(units.take(wrong), mentions.documents.codes[rows], nowhere, nowhere), Contexts(names, ((),) * len(names))
    words = mentions.words
    sentence, starts, ends = _places(mentions, words, rows)
    resolved = antecedents(mentions, systems, criterion)[wrong]
    remarks = Labels.of(mention_text(mentions, row) for row in resolved.ravel().tolist())
    both = [neighbours(mentions, file) for file in (0, *systems)]
    held = mentions.chains[:, [0, *systems]] != NO_CHAIN
    chains = Labels.of(
        text
        for row in rows.tolist()
        for (before, after), has in zip(both, held[row].tolist(), strict=True)
        for text in (_chain_texts(mentions, words.sentences, row, before, after) if has else ("", ""))
    )
    before = both[0][0][rows]
    distances = np.where(before == NO_ANTECEDENT, -1, sentence - words.sentences[mentions.tokens[before]])
    # All mentions of the documents that these stand in.
    every = np.flatnonzero(np.isin(mentions.documents.codes, mentions.documents.codes[rows]))
    coloured = np.column_stack([*_places(mentions, words, every), mentions.chains[every][:, [0, *systems]]])
    changed = Changed(units.take(wrong), sentence, starts, ends, None, remarks, chains, distances, mentions=coloured)
    return changed, sentence_contexts(words)


def _places(mentions: Mentions, words: Words, rows: Array) -> tuple[Array, Array, Array]:
    """The sentences of mentions, and their first words and last words exclusive in them.

    A mention that extends beyond its sentence is cut at its end; a zero stands before a word and has none.
    """
    bounds = words.sentence_bounds
    sentence = words.sentences[mentions.tokens[rows]]
    first = first_tokens(words, mentions.documents.names)[mentions.documents.codes[rows]]
    starts = first + mentions.starts[rows] - bounds[sentence]
    return sentence, starts, np.minimum(starts + mentions.ends[rows] - mentions.starts[rows] + 1, np.diff(bounds)[sentence])


def _chain_texts(mentions: Mentions, sentences: Array, row: int, before: Array, after: Array) -> tuple[str, str]:
    """What comes before and after a mention in its chain."""
    others = [int(beside[row]) for beside in (before, after)]
    if others == [NO_ANTECEDENT, NO_ANTECEDENT]:
        return ALONE, ""
    texts = [_at_distance(mentions, sentences, row, other) if other != NO_ANTECEDENT else "" for other in others]
    return texts[0] or FIRST, texts[1] or LAST


def _at_distance(mentions: Mentions, sentences: Array, row: int, other: int) -> str:
    """The words of a mention, and how many sentences before or after another one it is."""
    far = int(sentences[mentions.tokens[other]] - sentences[mentions.tokens[row]])
    side = "before" if other < row else "after"
    where = f"{side} in this sentence" if not far else f"{abs(far):,} sentence{'s' * (abs(far) > 1)} {side}"
    return f"{mention_text(mentions, other)} ({where})"


def neighbours(mentions: Mentions, file: int) -> tuple[Array, Array]:
    """The mentions before and after each mention in its chain in a file; -1 for none.

    Examples
    --------
    >>> from outscore.outputs.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> gold = Chains.of("gold", [("d1", t, t, c) for t, c in enumerate("abaa")])
    >>> [found.tolist() for found in neighbours(align_mentions(gold, [gold]), 0)]
    [[-1, -1, 0, 2], [2, -1, 3, -1]]
    """
    before = _closest_before(mentions.chains[:, file], np.ones(mentions.n, dtype=bool))
    after, linked = np.full_like(before, NO_ANTECEDENT), np.flatnonzero(before != NO_ANTECEDENT)
    after[before[linked]] = linked
    return before, after


def antecedents(mentions: Mentions, systems: Sequence[int], criterion: str = ANY) -> Array:
    """(units, 1 + systems) the mention that gold, then each system, resolves each unit of `mention_units` to; -1 for none."""
    columns = [resolve_mentions(mentions, criterion, 0, system)[1] for system in (0, *systems)]
    return np.stack(columns, axis=1)[unit_mentions(mentions, systems, criterion)]


def mention_text(mentions: Mentions, row: int) -> str:
    """The words of a mention, with dots where it leaves some out; empty for -1, or if gold has no words."""
    if row == NO_ANTECEDENT or mentions.words is None:
        return ""
    start, first = int(mentions.starts[row]), int(mentions.tokens[row])
    words = mentions.parts.get(row, range(start, int(mentions.ends[row]) + 1))
    if not words:
        return ZERO_SIGN
    gaps = {after for before, after in pairwise(words) if after > before + 1}
    return " ".join(f"{'… ' * (word in gaps)}{mentions.words.forms[first + word - start]}" for word in words)

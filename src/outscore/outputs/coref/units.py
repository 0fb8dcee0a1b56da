"""Mentions as units, with their ARCS classes, and those that some system has wrong in their sentences.

The answer to a mention is its class, tp, wl, fn, fp or tn; the right one is tp for a mention that is
anaphoric in gold and tn for any other. So a correction is ``wl → tp`` or ``fp → tn``, a changed error ``wl →
fn`` (Tuggener, 2017, table 8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.changed import Changed, Contexts, changed_units
from outscore.outputs.coref.arcs import ANY, CLASSES, FN, NO_ANTECEDENT, NOMINAL, TN, TP, WL, resolve_mentions
from outscore.outputs.coref.clusters import DOCUMENT, SUBTOPIC, TOPIC, groupings
from outscore.outputs.coref.mentions import NO_CHAIN, PRONOUNS, Mentions, first_tokens
from outscore.outputs.model import Units, choose_slices
from outscore.outputs.words.changed import sentence_bounds, sentence_contexts
from outscore.scores.system import Labels

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
    >>> from outscore.outputs.coref.mentions import align_mentions
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
    classes = np.stack([resolve_mentions(mentions, criterion, 0, system).classes for system in systems], axis=1)
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
        columns[PRONOUN] = lambda: _pronouns(mentions, rows)
    return columns


def _rows_of(labels: Callable[[], Labels], rows: Array) -> Labels:
    return labels().take(rows)


def _pronouns(mentions: Mentions, rows: Array) -> Labels:
    """The pronoun in lower case; of other mentions their kind in brackets."""
    assert mentions.words is not None
    forms = mentions.words.forms
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
        names = mentions.documents.names
        nowhere = np.zeros(len(rows), dtype=np.int64)
        return Changed(units.take(wrong), mentions.documents.codes[rows], nowhere, nowhere), Contexts(names, ((),) * len(names))
    words, bounds = mentions.words, sentence_bounds(mentions.words)
    sentence = words.sentences[mentions.tokens[rows]]
    starts = (
        first_tokens(words, mentions.documents.names)[mentions.documents.codes[rows]] + mentions.starts[rows] - bounds[sentence]
    )
    # A mention that extends beyond its sentence is cut at its end; a zero stands before a word and has none.
    ends = np.minimum(starts + mentions.ends[rows] - mentions.starts[rows] + 1, np.diff(bounds)[sentence])
    resolved = antecedents(mentions, systems, criterion)[wrong]
    remarks = Labels.of(mention_text(mentions, row) for row in resolved.ravel().tolist())
    both = [neighbours(mentions, file) for file in (0, *systems)]
    held = mentions.chains[:, [0, *systems]] != NO_CHAIN
    chains = Labels.of(
        text
        for row in rows.tolist()
        for (before, after), has in zip(both, held[row].tolist(), strict=True)
        for text in (_chain_texts(mentions, row, before, after) if has else ("", ""))
    )
    before = both[0][0][rows]
    distances = np.where(before == NO_ANTECEDENT, -1, sentence - words.sentences[mentions.tokens[before]])
    changed = Changed(units.take(wrong), sentence, starts, ends, remarks=remarks, chains=chains, distances=distances)
    return changed, sentence_contexts(words)


def _chain_texts(mentions: Mentions, row: int, before: Array, after: Array) -> tuple[str, str]:
    """What comes before and after a mention in its chain."""
    others = [int(beside[row]) for beside in (before, after)]
    if others == [NO_ANTECEDENT, NO_ANTECEDENT]:
        return ALONE, ""
    texts = [_at_distance(mentions, row, other) if other != NO_ANTECEDENT else "" for other in others]
    return texts[0] or FIRST, texts[1] or LAST


def _at_distance(mentions: Mentions, row: int, other: int) -> str:
    """The words of a mention, and how many sentences before or after another one it is."""
    assert mentions.words is not None
    sentences = mentions.words.sentences
    far = int(sentences[mentions.tokens[other]] - sentences[mentions.tokens[row]])
    side = "before" if other < row else "after"
    where = f"{side} in this sentence" if not far else f"{abs(far):,} sentence{'s' * (abs(far) > 1)} {side}"
    return f"{mention_text(mentions, other)} ({where})"


def neighbours(mentions: Mentions, file: int) -> tuple[Array, Array]:
    """The mentions before and after each mention in its chain in a file; -1 for none.

    Examples
    --------
    >>> from outscore.outputs.coref.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> gold = Chains.of("gold", [("d1", t, t, c) for t, c in enumerate("abaa")])
    >>> [found.tolist() for found in neighbours(align_mentions(gold, [gold]), 0)]
    [[-1, -1, 0, 2], [2, -1, 3, -1]]
    """
    chains = mentions.chains[:, file]
    order = np.argsort(chains, kind="stable")
    linked = (chains[order][1:] == chains[order][:-1]) & (chains[order][1:] != NO_CHAIN)
    before, after = np.full((2, len(chains)), NO_ANTECEDENT, dtype=np.int64)
    before[order[1:][linked]] = order[:-1][linked]
    after[order[:-1][linked]] = order[1:][linked]
    return before, after


def antecedents(mentions: Mentions, systems: Sequence[int], criterion: str = ANY) -> Array:
    """(units, 1 + systems) the mention that gold, then each system, resolves each unit of `mention_units` to; -1 for none."""
    columns = [resolve_mentions(mentions, criterion, 0, system).antecedents for system in (0, *systems)]
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

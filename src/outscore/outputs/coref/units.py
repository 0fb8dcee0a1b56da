"""Coreference as units: the mentions of a comparison with their ARCS classes, in the table that every diff is counted from.

An answer is the class of the mention, tp, wl, fn, fp or tn, and the right one is tp for a mention that is anaphoric in gold
and tn for any other. So a correction reads ``wl → tp`` or ``fp → tn``, a changed error ``wl → fn`` (Tuggener, 2017, table 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.coref.arcs import ANY, CLASSES, FN, NOMINAL, TN, TP, WL, resolve_mentions
from outscore.outputs.coref.mentions import Mentions
from outscore.outputs.model import Units

__all__ = ["gold_mention_units", "mention_units", "unit_mentions"]

MENTION_TYPE = "mention type"


def mention_units(mentions: Mentions, systems: Sequence[int] = (1, 2), criterion: str = ANY) -> Units:
    """The mentions that are anaphoric in gold or in one of these systems, with their classes; clusters are documents.

    `systems` are columns of the table's chains. The units of a pair depend on the pair: a mention that only a third system
    resolves is none of theirs. `Units.rows` are the rows of first tokens among gold's words; `unit_mentions` has the spans.

    Examples
    --------
    >>> from outscore.outputs.mentions import align_mentions
    >>> from outscore.outputs.model import Chains
    >>> from outscore.scores import Labels
    >>> def chains(name, *codes):
    ...     rows = np.arange(len(codes))
    ...     return Chains(name, Labels.of(["d1"] * len(codes)), rows, rows, np.array(codes))
    >>> table = align_mentions(chains("gold", 0, 0, 0), [chains("old", 0, 1, 1), chains("new", 0, 0, 0)])
    >>> units = mention_units(table)
    >>> [tuple(units.labels[code] for code in row) for row in units.answers]
    [('fn', 'tp'), ('tp', 'tp')]
    """
    rows, classes = _classified(mentions, systems, criterion)
    gold = np.where(_anaphoric(classes), TP, TN)[rows]
    return _units(mentions, systems, criterion, rows, CLASSES, gold, classes[rows])


def gold_mention_units(mentions: Mentions, systems: Sequence[int], criterion: str = NOMINAL) -> Units:
    """Gold's anaphoric mentions labelled with their kind: accuracy is ARCS recall, the oracle its upper bound.

    The right answer to a noun is ``noun``, given by a system that resolves it rightly; otherwise the answer is wl or fn. Rates
    by gold label are therefore recall by kind of mention, and the whole lies between them (Tuggener, 2017, table 11).
    """
    _, classes = _classified(mentions, systems, criterion)
    rows = np.flatnonzero(_anaphoric(classes))
    kinds = mentions.types.names
    gold = mentions.types.codes[rows]
    answers = np.where(classes[rows] == TP, gold[:, None], len(kinds) + classes[rows] - WL)
    return _units(mentions, systems, criterion, rows, (*kinds, *CLASSES[WL : FN + 1]), gold, answers)


def unit_mentions(mentions: Mentions, systems: Sequence[int] = (1, 2), criterion: str = ANY) -> Array:
    """The row in the table of mentions of each unit of `mention_units`, in the same order: for spans and antecedents."""
    return _classified(mentions, systems, criterion)[0]


def _classified(mentions: Mentions, systems: Sequence[int], criterion: str) -> tuple[Array, Array]:
    """The rows that are units for these systems, and (all rows, systems) classes."""
    classes = np.stack([resolve_mentions(mentions, criterion, 0, system).classes for system in systems], axis=1)
    return np.flatnonzero((classes != TN).any(axis=1)), classes


def _anaphoric(classes: Array) -> Array:
    """Whether a mention is anaphoric in gold: every system's class says so, the first one's as well as another's."""
    return np.asarray(classes[:, 0] <= FN)


def _units(
    mentions: Mentions,
    systems: Sequence[int],
    criterion: str,
    rows: Array,
    labels: tuple[str, ...],
    gold: Array,
    answers: Array,
) -> Units:
    return Units(
        criterion,
        tuple(mentions.files[system] for system in systems),
        labels,
        gold,
        answers,
        answers == gold[:, None],
        clusters=mentions.documents.codes[rows],
        slices={MENTION_TYPE: mentions.types.take(rows)},
        rows=mentions.tokens[rows],
    )

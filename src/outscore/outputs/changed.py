"""Units that some system has wrong, in their context, for the explorer and for other tools.

Everything is arrays and codes, so that a hundred thousand units stay small. Contexts are sentences, of which
some words are the unit, or items with named texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import Units
from outscore.outputs.outcomes import OUTCOMES, outcomes
from outscore.scores.system import Labels


@dataclass(frozen=True, eq=False)
class Contexts:
    """The contexts of units.

    Parameters
    ----------
    ids
        The name of each context: sentence, item.
    words
        The words of each context; for an item its texts, one for each name in `columns`.
    columns
        The names of the texts of an item; empty if contexts are sentences.
    heads
        Of sentences with trees, the index of the head of each word in gold: -1 for the root, -2 for a word outside of the
        sentence. A word that is no unit of `Changed` has this head with every system, too, unless it is no unit at all.
    documents
        The document of each context, or None.
    """

    ids: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...] = ()
    heads: tuple[tuple[int, ...], ...] | None = None
    documents: Labels | None = None


@dataclass(frozen=True, eq=False)
class Changed:
    """Units that at least one system has wrong, by one criterion.

    Parameters
    ----------
    units
        Only those units.
    contexts
        (n,) index of each unit's context in `Contexts`.
    starts, ends
        (n,) the words of the context that are the unit, `ends` exclusive; 0 and 0 for items.
    heads
        (n, 1 + systems) index in the context of the head in gold, then in each system: -1 for the root, -2
        for a word outside of the context. None without trees.
    remarks
        n · (1 + systems) texts, for each unit gold's and then each system's: the reason for an answer, such
        as an antecedent.
    chains
        Twice as many texts: of coreference, what stands before the mention in its chain and what after it, and how far away;
        both empty if it is in no chain.
    distances
        (n,) of coreference, how many sentences before a mention gold's one before it in the chain stands; -1 for none.
    settled
        (m, 4) of entities, those that everybody has right in the contexts of the units, to be shown beside them: context,
        first word, last word exclusive, code of the type. None if units are no spans.
    """

    units: Units
    contexts: Array
    starts: Array
    ends: Array
    heads: Array | None = None
    remarks: Labels | None = None
    chains: Labels | None = None
    distances: Array | None = None
    settled: Array | None = None


def changed_units(units: Units) -> Array:
    """The rows of units that some system has wrong."""
    return np.flatnonzero(~units.correct.all(axis=1))


def records(changed: Changed, where: Contexts) -> Iterator[dict[str, Any]]:
    """A JSON-ready record for every unit whose outcome differs between two systems."""
    units = changed.units
    pairs = [(i, j) for i in range(len(units.systems)) for j in range(i + 1, len(units.systems))]
    kinds = {pair: outcomes(units, *pair) for pair in pairs}
    for row in range(units.n):
        steps = {
            f"{units.systems[i]} -> {units.systems[j]}": OUTCOMES[int(kinds[i, j][row])]
            for i, j in pairs
            if 1 <= kinds[i, j][row] <= 3
        }
        if not steps:
            continue
        words = where.words[int(changed.contexts[row])]
        start, end = int(changed.starts[row]), int(changed.ends[row])
        answers = {name: units.labels[int(units.answers[row, k])] for k, name in enumerate(units.systems)}
        record: dict[str, Any] = {
            "criterion": units.criterion,
            "context": where.ids[int(changed.contexts[row])],
            "gold": units.labels[int(units.gold[row])],
            "answers": answers,
            "correct": {name: bool(units.correct[row, k]) for k, name in enumerate(units.systems)},
            "changes": steps,
        }
        if where.columns:
            record["texts"] = dict(zip(where.columns, words, strict=True))
        else:
            record |= {"start": start, "end": end, "unit": " ".join(words[start:end]), "words": list(words)}
        if changed.heads is not None:
            record["heads"] = dict(zip(("gold", *units.systems), (int(h) for h in changed.heads[row]), strict=True))
        if changed.remarks is not None:
            first = row * (1 + len(units.systems))
            names = ("gold", *units.systems)
            record["remarks"] = {name: changed.remarks[first + k] for k, name in enumerate(names)}
            if changed.chains is not None:
                record["chains"] = {name: _neighbours(changed.chains, first + k) for k, name in enumerate(names)}
        yield record


def _neighbours(chains: Labels, place: int) -> str:
    """What comes before and after in one chain, on one line."""
    return " · ".join(text for text in (chains[2 * place], chains[2 * place + 1]) if text)

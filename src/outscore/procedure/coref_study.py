"""Coreference: scores over documents, and the mentions that two systems resolve differently."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from itertools import combinations

from outscore.data import Array
from outscore.diffs import KeyScore, Rates, ScoreChange
from outscore.errors import OutscoreError
from outscore.metrics.coref import COREF, PARTS
from outscore.outputs.arcs import CRITERIA, NOMINAL
from outscore.outputs.changed import Changed, Contexts
from outscore.outputs.coref import coref_statistics
from outscore.outputs.coref_changed import changed_mentions
from outscore.outputs.coref_units import gold_mention_units, mention_units
from outscore.outputs.inventory import LabelMaps
from outscore.outputs.mentions import Mentions, align_mentions
from outscore.outputs.model import Chains, Outputs
from outscore.outputs.outcomes import agreement
from outscore.procedure.changes import Statistics, metric_change
from outscore.procedure.studies import DiffOptions, Study, View, chosen, named, refuse

__all__ = ["coref_study", "load_chains"]

KEYS = ("lea", "conll")
"""Measures by which one response is scored with another as the key (Tuggener, 2017, table 13)."""
SAME_AS_MUC = "ARCS any and MUC have the same recall, precision and F1; what ARCS adds is the class of each mention."


def load_chains(output: object, name: str, options: DiffOptions) -> Chains:
    """Chains as they are, or read from a CoNLL-2012 file."""
    from outscore.formats.conll2012 import read_chains

    if isinstance(output, Chains):
        return named(output, name)
    if not isinstance(output, (str, os.PathLike)):
        raise OutscoreError(f"`{name}` is {type(output).__name__}, not coreference chains.", "Give a CoNLL-2012 file.")
    return named(read_chains(output, repair=options.repair), name)


def coref_study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    """Mentions of gold and all systems in one table."""
    refuse(options, "coref", "punct", "subtypes", "lenient", maps=bool(maps))
    if options.cluster not in (None, "document"):
        raise OutscoreError(f"`cluster` is {options.cluster!r}.", "Coreference is compared by document.")
    assert isinstance(gold, Chains)
    responses = [chains for chains in systems.values() if isinstance(chains, Chains)]
    mentions = align_mentions(gold, responses)
    everyone = tuple(range(1, len(responses) + 1))
    statistics = {k: coref_statistics(mentions, 0, k) for k in everyone}
    asked = Statistics(options.alpha, options.correction, options.min_support)

    def view(criterion: str, first: int, second: int) -> View:
        units = mention_units(mentions, (first + 1, second + 1), criterion)
        before, after = statistics[first + 1], statistics[second + 1]
        return View(
            units,
            (0, 1),
            metric_change(COREF[criterion]["f1"], before[criterion], after[criterion], asked),
            [change(name, before, after) for name in COREF if name not in CRITERIA] if criterion == criteria[0] else [],
        )

    def change(name: str, before: Mapping[str, Array], after: Mapping[str, Array]) -> ScoreChange:
        return metric_change(COREF[name]["f1"], before[name], after[name], asked)

    @cache
    def changed() -> tuple[list[Changed], Contexts]:
        found = [changed_mentions(mentions, everyone, criterion) for criterion in criteria]
        return [part for part, _ in found], found[0][1]

    criteria = chosen(options.criteria, CRITERIA, "coref")
    first = mention_units(mentions, everyone, criteria[0])
    if not first.n:
        raise OutscoreError(
            "No mention has an antecedent, neither in gold nor in a system.", "Give files with chains of two mentions and more."
        )
    return Study(
        task="coref",
        systems=tuple(systems),
        criteria=criteria,
        unit="mentions",
        cluster="document",
        n=first.n,
        scores={name: _scores(statistics[k + 1]) for k, name in enumerate(systems)},
        view=view,
        together=gold_mention_units(mentions, everyone, NOMINAL if NOMINAL in criteria else criteria[0]),
        agreement=agreement(first),
        changed=changed,
        keys=_as_keys(mentions, tuple(systems)),
        origins=[chains.origin for chains in (gold, *responses) if chains.origin is not None],
        notes=[
            *mentions.notes,
            SAME_AS_MUC,
            *(note for chains in (gold, *responses) if (note := _repaired(chains)) is not None),
        ],
    )


def _scores(statistics: Mapping[str, Array]) -> dict[str, float | Rates]:
    found: dict[str, float | Rates] = {}
    for name, metrics in COREF.items():
        totals = statistics[name].sum(axis=0)
        values = {part: float(metric.score(totals)) for part, metric in metrics.items()}
        found[name] = Rates(*(values[part] for part in PARTS)) if len(values) == len(PARTS) else values["f1"]
    return found


def _as_keys(mentions: Mentions, systems: tuple[str, ...]) -> list[KeyScore]:
    """Every response scored with every earlier one as the key; exchanging the two exchanges recall and precision only."""
    found = []
    for i, j in combinations(range(len(systems)), 2):
        statistics = coref_statistics(mentions, i + 1, j + 1)
        for name in KEYS:
            f1 = float(COREF[name]["f1"].score(statistics[name].sum(axis=0)))
            found.append(KeyScore(systems[i], systems[j], name, f1))
    return found


def _repaired(chains: Chains) -> str | None:
    lost = 0 if chains.origin is None else chains.origin.rows - chains.rows
    return f"{chains.name}: {lost:,} repeated mentions were left out." if lost else None

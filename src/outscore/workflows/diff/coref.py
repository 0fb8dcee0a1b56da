"""Coreference: scores over documents, and the mentions that two systems resolve differently."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.language.numbers import count
from outscore.metrics.outputs import COREF, COREF_PARTS
from outscore.outputs.coreference import (
    ANY,
    CHOICES,
    CRITERIA,
    MENTION_TYPE,
    NOMINAL,
    changed_mentions,
    coref_statistics,
    crossing_chains,
    gold_mention_units,
    grouped,
    joins_documents,
    mention_units,
)
from outscore.outputs.items import GOLD, LabelMaps
from outscore.outputs.mentions import EXACT, HEAD, ZERO, Mentions, align_mentions, without_singletons
from outscore.outputs.model import Chains
from outscore.outputs.outcomes import Changed, Contexts, agreement
from outscore.results.diff import KeyScore, Rates, ScoreChange
from outscore.results.note import Note
from outscore.workflows.diff.pair import Study, View, as_read, chosen, metric_change

if TYPE_CHECKING:
    from outscore.workflows.requests.diff import DiffRequest

KEYS = ("lea", "conll")
"""Measures by which one response is scored with another as the key (Tuggener, 2017, table 13); the second needs links."""
CLASSES = (
    "tp: resolved to a right antecedent, wl: to wrong ones only, fn: not resolved, fp: resolved without an antecedent in gold,"
    " tn: rightly left alone."
)
WITHOUT_LINKS = "b3"
"""The score by which systems are compared if gold only has chains of one mention."""
DEFINED = ("b3", "ceafe", "lea")
NO_LINKS = (
    "Gold only has chains of one mention, so ARCS, MUC and therefore the CoNLL mean are undefined. Systems are compared by B³,"
    " and scored by CEAFe and LEA."
)
SAME_AS_MUC = "ARCS any and MUC have the same recall, precision and F1; ARCS also classifies each mention."
BY_HEAD = "Mentions with the same head count as the same (--match head)."
ZEROS = "A zero is matched by the parents of its empty node in the enhanced graph; without these, by its place."


def load_chains(output: object, name: str, asked: DiffRequest) -> Chains:
    """Chains as they are, or read from a CoNLL-2012 file."""
    from outscore.formats.readers import read_chains

    chains = as_read(output, name, Chains, partial(read_chains, repair=asked.value("repair"), predicted=name != GOLD))
    if chains is None:
        raise OutscoreError(f"`{name}` is {type(output).__name__}, not coreference chains.", "Give a CoNLL-2012 file.")
    return chains


def coref_study(gold: object, systems: Mapping[str, object], _maps: LabelMaps, asked: DiffRequest) -> Study:
    """Mentions of gold and all systems in one table."""
    files = tuple(load_chains(output, name, asked) for name, output in {GOLD: gold, **systems}.items())
    match = str(asked.value("match"))
    key, *responses = _drop_singletons(files) if asked.value("singletons") == "drop" else files
    mentions, cluster = grouped(align_mentions(key, responses, match=match), asked.cluster)
    everyone = tuple(range(1, len(responses) + 1))
    statistics = [coref_statistics(mentions, 0, k) for k in everyone]
    criteria = _usable(mentions, everyone, asked.criterion)
    is_linked = criteria != (WITHOUT_LINKS,)
    # Kinds of mentions are always compared.
    slices = tuple(dict.fromkeys((MENTION_TYPE, *asked.slice)))
    arcs = tuple(name for name in criteria if name in CRITERIA) or (ANY,)
    units = mention_units(mentions, everyone, arcs[0], slices=slices)

    def view(criterion: str, first: int, second: int) -> View:
        def change(name: str) -> ScoreChange:
            return metric_change(COREF[name]["f1"], statistics[first][name], statistics[second][name], asked)

        def others() -> list[ScoreChange]:
            known = COREF if is_linked else DEFINED
            return [change(name) for name in known if name not in (*CRITERIA, criterion) and criterion == criteria[0]]

        by = _counted_by(criterion)
        units = replace(mention_units(mentions, (first + 1, second + 1), by, slices=slices), criterion=criterion)
        return View(units, (0, 1), change(criterion), others, counted_by="" if by == criterion else by)

    @cache
    def changed() -> tuple[list[Changed], Contexts]:
        changes = [changed_mentions(mentions, everyone, by) for by in dict.fromkeys(map(_counted_by, criteria))]
        return [part for part, _ in changes], changes[0][1]

    return Study(
        task="coref",
        systems=tuple(systems),
        criteria=criteria,
        cluster=cluster,
        n=units.n if is_linked else key.rows,
        clusters=len(mentions.clusters.names),
        scores={name: _scores(statistics[k], COREF if is_linked else DEFINED) for k, name in enumerate(systems)},
        view=view,
        together=gold_mention_units(mentions, everyone, NOMINAL if NOMINAL in arcs else arcs[0]),
        agreement=agreement(units),
        changed=changed,
        keys=_as_keys(mentions, responses, tuple(systems), match),
        origins=[chains.origin for chains in files if chains.origin is not None],
        notes=[
            *_cluster_notes(mentions, cluster, is_asked=asked.cluster is not None),
            *_matching_notes(files, asked),
            *_notes(mentions, criteria, asked.criterion, files),
            *_undefined_notes(responses, is_linked=is_linked),
        ],
    )


def _drop_singletons(files: Sequence[Chains]) -> list[Chains]:
    """Gold and responses without chains of one mention; gold must have others."""
    gold, *responses = map(without_singletons, files)
    if not gold.rows:
        raise OutscoreError(
            f"{gold.label} only has chains of one mention, and --singletons drop leaves nothing to score against.",
            "Leave --singletons out.",
            parameter="singletons",
        )
    return [gold, *responses]


def _counted_by(criterion: str) -> str:
    """The criterion by which a mention is right or wrong."""
    return criterion if criterion in CRITERIA else ANY


def _usable(mentions: Mentions, systems: tuple[int, ...], asked: Sequence[str]) -> tuple[str, ...]:
    """The criteria by which there is something to compare; a requested one must be among them."""
    criteria = chosen(asked, CHOICES, "coref")
    usable = tuple(name for name in criteria if gold_mention_units(mentions, systems, _counted_by(name)).n)
    if not usable and not asked:
        return (WITHOUT_LINKS,)
    if asked and usable != criteria:
        lacking = next(name for name in criteria if name not in usable)
        raise OutscoreError(
            f"No mention of gold has an antecedent by `{_counted_by(lacking)}`.",
            "Give gold with chains of two or more mentions; for arcs-nom one of them must be nominal, which needs tags.",
        )
    return usable


def _matching_notes(files: Sequence[Chains], asked: DiffRequest) -> Iterator[Note]:
    """How mentions were matched, and what became of chains of one mention, or a note if gold has such and a system none."""
    if asked.value("match") == HEAD:
        yield Note("reading", BY_HEAD)
    counts = {chains.name: chains.rows - without_singletons(chains).rows for chains in files}
    gold, *_ = counts.values()
    if asked.value("singletons") == "drop":
        listed = ", ".join(f"{n:,} of {name}" for name, n in counts.items())
        yield Note("reading", f"Chains of one mention were left out (--singletons drop): {listed}.")
        return
    lacking = [name for name, n in counts.items() if bool(n) != bool(gold)]
    if not lacking:
        return
    are = "have" if len(lacking) > 1 else "has"
    names = " and ".join(lacking) if len(lacking) < 3 else f"{len(lacking)} systems"
    if gold:
        text = f"Gold has {count(gold, 'chain')} of one mention, {names} {are} none: B³, CEAFe and LEA count these as missed"
    else:
        text = f"Gold has no chain of one mention, {names} {are} some: B³, CEAFe and LEA count these as wrong"
    yield Note("reading", f"{text}, and CoNLL F1 with them. --singletons drop leaves such chains out of all files.")


def _undefined_notes(responses: Sequence[Chains], *, is_linked: bool) -> Iterator[Note]:
    """Which precision is 0/0."""
    for chains in responses:
        if not chains.rows:
            yield Note("data", f"{chains.name} has no mentions, so that its precision is undefined; it is given as 0.")
        elif is_linked and not without_singletons(chains).rows:
            text = "only has chains of one mention, so that its precision by MUC and ARCS is undefined; it is given as 0."
            yield Note("data", f"{chains.name} {text}")


def _cluster_notes(mentions: Mentions, cluster: str, *, is_asked: bool) -> Iterator[Note]:
    """Notes on what is swapped as one if that is not a document of the file, and on chains that run through several."""
    if joins_documents(mentions) and not is_asked:
        number = count(len(mentions.clusters.names), cluster)
        first = mentions.clusters.names[0]
        yield Note(
            "reading",
            f"Gold joins several documents in one: its first column names {number}, such as `{first}`, and"
            f" each {cluster} is swapped as one. --cluster topic, subtopic, document or sentence overrides this.",
        )
    crossing, chains = crossing_chains(mentions)
    if crossing:
        yield Note(
            "reading",
            f"{crossing:,} of {count(chains, 'chain')} of gold and systems span several {cluster}s: their contribution to"
            f" a score is divided among these by mentions. The test treats every {cluster} as independent of the others, so p"
            " may be too small.",
        )


def _notes(mentions: Mentions, criteria: Sequence[str], asked: Sequence[str], files: Sequence[Chains]) -> list[Note]:
    if criteria == (WITHOUT_LINKS,):
        return [Note("reading", NO_LINKS), *_repair_notes(files)]
    lost = [] if asked else [name for name in CRITERIA if name not in criteria]
    nothing = "there is nothing to compare by it"
    return [
        *(Note("input", text) for text in mentions.notes),
        *(Note("omission", f"No mention of gold has an antecedent by {name}: {nothing}.") for name in lost),
        Note("data", CLASSES),
        Note("method", SAME_AS_MUC),
        *([Note("method", ZEROS)] if ZERO in mentions.types.names else []),
        *_repair_notes(files),
    ]


def _scores(statistics: Mapping[str, Array], known: Collection[str]) -> dict[str, float | Rates]:
    scores: dict[str, float | Rates] = {}
    for name, metrics in COREF.items():
        if name not in known:
            continue
        totals = statistics[name].sum(axis=0)
        values = {part: float(metric.score(totals)) for part, metric in metrics.items()}
        scores[name] = Rates(*(values[part] for part in COREF_PARTS)) if len(values) == len(COREF_PARTS) else values["f1"]
    return scores


def _as_keys(mentions: Mentions, responses: Sequence[Chains], systems: tuple[str, ...], match: str) -> list[KeyScore]:
    """Every response scored with every earlier one as the key; exchanging the two only exchanges recall and precision."""
    # The table has mentions of systems that match gold's: where that is more than being equal, two systems are matched anew.
    through_gold = match == EXACT and all(chains.nodes is None for chains in responses)
    keyed = []
    for i, j in combinations(range(len(systems)), 2):
        if through_gold or not responses[i].rows:
            statistics = coref_statistics(mentions, i + 1, j + 1)
        else:
            # Their words were compared with gold's.
            key, response = (replace(responses[k], words=None) for k in (i, j))
            statistics = coref_statistics(align_mentions(key, [response], match=match))
        has_links = bool(statistics["muc"][:, 1:].sum())
        for name in KEYS if has_links else KEYS[:1]:
            f1 = float(COREF[name]["f1"].score(statistics[name].sum(axis=0)))
            keyed.append(KeyScore(systems[i], systems[j], name, f1))
    return keyed


def _repair_notes(files: Sequence[Chains]) -> Iterator[Note]:
    for chains in files:
        if chains.origin is not None and chains.origin.rows > chains.rows:
            lost = chains.origin.rows - chains.rows
            yield Note("input", f"{chains.name}: {lost:,} repeated mentions were left out.")

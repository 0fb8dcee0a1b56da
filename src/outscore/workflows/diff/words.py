"""What a diff says: the verdict and the sentence of each pair, and warnings about labels that files do not share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from outscore.language.numbers import count, format_probability
from outscore.language.verdict.comparison import sentence, verdict
from outscore.language.verdict.facts import Facts
from outscore.outputs.inventory import GOLD, rarely_used, unknown_to_gold
from outscore.results.diff import Inventory, Pair
from outscore.workflows.diff.pair import Statistics, pair_of
from outscore.workflows.diff.study import Study, View

__all__ = ["inventory_of", "pair_in_words"]

FEW_LISTED = 5
METRIC_NAMES = {
    "las": "LAS",
    "uas": "UAS",
    "ls": "label score",
    "upos": "UPOS accuracy",
    "xpos": "XPOS accuracy",
    "feats": "accuracy of features",
    "tag": "tag accuracy",
    "f1": "span F1",
    "arcs-any": "ARCS-any F1",
    "arcs-nom": "ARCS-nom F1",
}
"""What sentences call the scores of criteria."""
WARN_SHARE = 0.005
"""Labels a system hardly gives are worth a warning when they make up this share of gold."""
ENOUGH = 10
"""A label seen less often may be missing by chance; of free answers most are."""


def pair_in_words(study: Study, view: View, asked: Statistics) -> Pair:
    """One pair by one criterion, with its words: those of a comparison, then what became of the units."""
    pair = pair_of(view.units, *view.columns, asked, view.headline, metrics=view.metrics, kinds=view.kinds)
    facts = Facts(
        systems=pair.systems[::-1],
        metric=METRIC_NAMES.get(pair.metric, pair.metric),
        higher_is_better=True,
        scores=(pair.second, pair.first),
        difference=pair.difference,
        p=pair.p,
        interval=pair.interval,
        alpha=asked.alpha,
        identical=pair.outcomes.changes == 0,
    )
    counts = _counts(pair, study)
    n, unit = (pair.n, study.unit) if pair.clusters is None else (pair.clusters, f"{study.cluster}s")
    answer = verdict(facts)
    answer = replace(answer, reason=answer.reason + counts + _limit(pair, study, asked.alpha))
    return replace(
        pair,
        verdict=answer.text,
        headline=answer.headline,
        reason=answer.reason,
        identical=facts.identical,
        sentence=sentence(facts, n=n, unit=unit.removesuffix("s") if n == 1 else unit) + counts,
    )


def _counts(pair: Pair, study: Study) -> str:
    o = pair.outcomes
    kinds = (count(o.correction, "correction"), count(o.new_error, "new error"), count(o.changed_error, "changed error"))
    swapped = "" if study.cluster is None else f", swapped by {study.cluster}"
    return f" {kinds[0]}, {kinds[1]} and {kinds[2]} of {count(pair.n, study.unit.removesuffix('s'))}{swapped}."


def _limit(pair: Pair, study: Study, alpha: float) -> str:
    """A warning where so few clusters are swapped that no difference could be significant."""
    if pair.clusters is None or (lowest := 2.0 ** (1 - pair.clusters)) <= alpha or pair.outcomes.changes == 0:
        return ""
    few = f" With {count(pair.clusters, str(study.cluster))} p cannot be below {format_probability(lowest)}"
    return f"{few}, whatever the difference" + (
        "; put a blank line after each sentence." if pair.clusters == 1 and study.cluster == "sentence" else "."
    )


def inventory_of(study: Study) -> Inventory:
    """Labels that files do not share, and a warning where they are many enough to decide a comparison."""
    if GOLD not in study.inventory:
        return Inventory({}, {}, [])
    gold = study.inventory[GOLD]
    unknown = {name: unknown_to_gold(gold, study.inventory[name]) for name in study.systems}
    unused = {name: rarely_used(gold, study.inventory[name]) for name in study.systems}
    total = sum(gold.values())
    enough = max(ENOUGH, WARN_SHARE * total)
    warnings = []
    for name in study.systems:
        missing, n = _frequent(unused[name], gold)
        if n >= enough:
            warnings.append(
                f"{name} never or hardly ever gives {_listed(missing)}, {n:,} of {total:,} gold {study.unit}:"
                " differences on these labels come from the inventory. Rename labels with --map."
            )
        foreign, n = _frequent(unknown[name], study.inventory[name])
        if n >= enough:
            warnings.append(
                f"{name} gives {_listed(foreign)}, which gold lacks, on {n:,} {study.unit}: they are always wrong."
                " Rename labels with --map."
            )
    foreigners = {name: labels for name, labels in unknown.items() if labels}
    return Inventory(foreigners, {name: labels for name, labels in unused.items() if labels}, warnings)


def _frequent(labels: Iterable[str], counts: Mapping[str, int]) -> tuple[list[str], int]:
    """The labels that are no matter of chance, and how often they occur."""
    found = [label for label in labels if counts[label] >= ENOUGH]
    return found, sum(counts[label] for label in found)


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(f"`{label}`" for label in labels[:FEW_LISTED])
    return shown if len(labels) <= FEW_LISTED else f"{shown} and {len(labels) - FEW_LISTED} more labels"

"""Words for diffs: the verdict and the sentence of a pair, and warnings about labels that files do not share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.language.numbers import count, format_probability
from outscore.language.verdict.comparison import sentence, verdict
from outscore.language.verdict.facts import Facts
from outscore.results.diff import Pair

__all__ = ["METRIC_NAMES", "unknown_labels_warning", "unused_labels_warning", "with_pair_verdict"]

MAX_LABELS = 5
"""Labels that a warning lists; of more, the rest is counted."""
METRIC_NAMES = {
    "las": "LAS",
    "uas": "UAS",
    "ls": "label score",
    "upos": "UPOS accuracy",
    "xpos": "XPOS accuracy",
    "feats": "accuracy of features",
    "ufeats": "UFeats accuracy",
    "alltags": "AllTags accuracy",
    "lemma": "lemma accuracy",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "tag": "tag accuracy",
    "f1": "span F1",
    "b3": "B³ F1",
    "arcs-any": "ARCS-any F1",
    "arcs-nom": "ARCS-nom F1",
}
"""What sentences call the scores of criteria."""


def with_pair_verdict(pair: Pair, *, unit: str, cluster: str | None, alpha: float, clusters: int | None = None) -> Pair:
    """One pair by one criterion with its verdict: that of a comparison, then what changed.

    `unit` is the plural of what was counted, `cluster` what was swapped as one, and `clusters` how many of these gold has,
    those without a unit included: the size of the data, which the sentence states.
    """
    facts = Facts(
        systems=pair.systems[::-1],
        metric=METRIC_NAMES.get(pair.metric, pair.metric),
        higher_is_better=True,
        scores=(pair.second, pair.first),
        difference=pair.difference,
        p=pair.p,
        interval=pair.interval,
        alpha=alpha,
        identical=pair.outcomes.changes == 0 and pair.difference == 0,
    )
    counts = _counts(pair, unit, cluster)
    n, noun, more = pair.n, unit.removesuffix("s"), ""
    if pair.clusters is not None:
        n, noun = clusters or pair.clusters, str(cluster)
        more = f" ({pair.clusters:,} of them with {unit})" if n > pair.clusters else ""
    answer = verdict(facts)
    answer = replace(answer, reason=answer.reason + counts + _limit(pair, cluster, alpha) + _family(pair))
    return replace(
        pair,
        verdict=answer.text,
        headline=answer.headline,
        reason=answer.reason,
        identical=facts.identical,
        sentence=sentence(facts, n=n, noun=noun, more=more) + counts,
    )


def _counts(pair: Pair, unit: str, cluster: str | None) -> str:
    o = pair.outcomes
    if not o.n:
        return ""
    kinds = (count(o.correction, "correction"), count(o.new_error, "new error"), count(o.changed_error, "changed error"))
    swapped = "" if cluster is None else f", swapped by {cluster}"
    return f" {kinds[0]}, {kinds[1]} and {kinds[2]} of {count(pair.n, unit.removesuffix('s'))}{swapped}."


def _limit(pair: Pair, cluster: str | None, alpha: float) -> str:
    """A warning where so few clusters are swapped that no difference could be significant."""
    # The test swaps clusters without a gold unit too, where a system has some: their number is that of its p.
    n = pair.p.n
    if pair.clusters is None or (lowest := 2.0 ** (1 - n)) <= alpha or pair.outcomes.changes == 0:
        return ""
    few = f" With {count(n, str(cluster))} p cannot be below {format_probability(lowest)}"
    cure = "; put a blank line after each sentence." if n == 1 and cluster == "sentence" else "."
    return f"{few}, whatever the difference{cure}"


def _family(pair: Pair) -> str:
    """One sentence where p is corrected over all pairs and the interval is not."""
    family = pair.families.get("pairs")
    if family is None or pair.interval is None:
        return ""
    return f" p is adjusted for {family.m} pairs; the interval is not."


def unused_labels_warning(system: str, labels: Sequence[str], n: int, total: int, unit: str) -> str:
    """A system that (almost) never uses labels that `n` of all `total` gold units have."""
    return (
        f"{system} rarely or never uses {_listed(labels)}, the gold labels of {n:,} of {total:,} {unit}:"
        " differences there come from the label set. Rename labels with --map."
    )


def unknown_labels_warning(system: str, labels: Sequence[str], n: int, unit: str) -> str:
    """A system that uses labels that gold does not have, on `n` units."""
    return (
        f"{system} uses {_listed(labels)} on {n:,} {unit}, but gold never does: they always count as wrong."
        " Rename labels with --map."
    )


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(f"`{label}`" for label in labels[:MAX_LABELS])
    return shown if len(labels) <= MAX_LABELS else f"{shown} and {len(labels) - MAX_LABELS} more labels"

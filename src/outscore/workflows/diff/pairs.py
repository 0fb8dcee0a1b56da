"""The pairs of a study: which are compared, how deeply, and as one family.

Of three systems and more every pair is a question of its own, so the p-values of one criterion are corrected together. Of many
systems only neighbours by score are compared down to their labels: hundreds of pairs in full detail are more than anyone reads.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from typing import Literal

from outscore.inference.families.multiplicity import correct_family
from outscore.language.verdict.diff import with_pair_verdict
from outscore.results.diff import MAX_LISTED_PAIRS, Pair, Rates
from outscore.results.note import Note
from outscore.workflows.diff.pair import Statistics, label_f1_of, pair_of
from outscore.workflows.diff.study import Study

__all__ = ["MAX_DETAILED", "Depth", "depth_note", "pairs_of"]

Depth = Literal["scores", "pairs", "all"]
"""How much is computed: scores alone, the difference of every pair, or what every pair consists of as well."""
MAX_DETAILED = 15
"""Up to so many pairs are compared label by label; of more, those of neighbours by score, by the primary criterion."""


def pairs_of(study: Study, asked: Statistics, depth: Depth) -> list[Pair]:
    """Every pair by every criterion, the primary one first, with its words."""
    if depth == "scores":
        return []
    steps = list(combinations(range(len(study.systems)), 2))
    detailed = _detailed(study, steps) if depth == "all" else set()
    found: list[Pair] = []
    for criterion in study.criteria:
        counted = [_count(study, asked, criterion, step, detailed=(criterion, *step) in detailed) for step in steps]
        found += _in_words(study, asked, _as_family(counted, asked))
    return found


def depth_note(study: Study) -> Note | None:
    """What is left out of a study of many systems."""
    pairs = len(study.systems) * (len(study.systems) - 1) // 2
    if pairs <= MAX_DETAILED:
        return None
    text = (
        f"Labels, transitions and slices are compared between neighbours by score, {len(study.systems) - 1} of {pairs:,} pairs;"
        " name two systems to see those of any other pair."
    )
    return Note("omission", text)


def _detailed(study: Study, steps: list[tuple[int, int]]) -> set[tuple[str, int, int]]:
    """The pairs that are compared label by label, with the criterion."""
    if len(steps) <= MAX_DETAILED:
        return {(criterion, *step) for criterion in study.criteria for step in steps}
    order = sorted(range(len(study.systems)), key=lambda k: _headline(study, k), reverse=True)
    return {(study.criteria[0], min(pair), max(pair)) for pair in pairwise(order)}


def _headline(study: Study, system: int) -> float:
    """The first score of a system."""
    value = next(iter(study.scores[study.systems[system]].values()))
    return value.f1 if isinstance(value, Rates) else value


def _count(study: Study, asked: Statistics, criterion: str, step: tuple[int, int], *, detailed: bool) -> Pair:
    view = study.view(criterion, *step)
    metrics = view.metrics() if detailed else ()
    pair = pair_of(view.units, *view.columns, asked, view.headline, metrics=metrics, kinds=view.kinds, detailed=detailed)
    few = len(study.systems) * (len(study.systems) - 1) // 2 <= MAX_LISTED_PAIRS
    if not (detailed and few and study.answered is not None and criterion == study.criteria[0]):
        return pair
    return replace(pair, label_f1=label_f1_of(study.answered, *step, asked, study.no_label))


def _as_family(pairs: list[Pair], asked: Statistics) -> list[Pair]:
    """The pairs of one criterion with p corrected over all of them."""
    if len(pairs) < 2:
        return pairs
    adjusted, family = correct_family([pair.p for pair in pairs], asked.correction)
    return [replace(pair, p=p, families={**pair.families, "pairs": family}) for pair, p in zip(pairs, adjusted, strict=True)]


def _in_words(study: Study, asked: Statistics, pairs: list[Pair]) -> list[Pair]:
    return [
        with_pair_verdict(pair, unit=study.unit, cluster=study.cluster, alpha=asked.alpha, clusters=study.clusters)
        for pair in pairs
    ]

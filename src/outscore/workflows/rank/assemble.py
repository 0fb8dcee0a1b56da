"""From measured datasets to a ranking: corrected pairs, the order, replicability, and the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.numeric import LN10, MIN_FLOAT, Array
from outscore.inference.families.multiplicity import adjust
from outscore.inference.families.partial_conjunction import replicated_counts
from outscore.inference.pairwise.table import Measured
from outscore.inference.populations import ITEMS
from outscore.language.numbers import format_percent
from outscore.language.signature import ranking_signature
from outscore.language.verdict.comparison import MAX_LEFT_OUT
from outscore.language.verdict.ranking import Claims, ranking_sentence, ranking_verdict
from outscore.results.design import Family, Replicated
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS, Coverage, CriticalDifference, OtherPopulation, RankDesign, Ranking, Standing
from outscore.scores.duplicates import repeated_notes
from outscore.workflows.rank.question import USUAL, Question
from outscore.workflows.rank.standings import Corrected, Families, families

__all__ = ["assemble_ranking", "with_duplicates"]

MAX_REPLICATED = 1_000
"""With more pairs than this the replicability table holds neighbours in the order only."""


def assemble_ranking(
    measured: Sequence[Measured],
    question: Question = USUAL,
    *,
    coverage: Coverage | None = None,
    critical_difference: CriticalDifference | None = None,
    population: str = ITEMS,
    other_populations: Sequence[OtherPopulation] = (),
    design: RankDesign | None = None,
    settings: Mapping[str, Any] | None = None,
    notes: Sequence[Note] = (),
) -> Ranking:
    """The ranking that measured datasets make.

    Parameters
    ----------
    measured
        One entry for each dataset and metric, metric by metric; several datasets are followed by their macro average.
    question
        The one that the pairs were measured by.
    coverage, critical_difference, population, other_populations, settings, notes
        What goes into the result as it is.
    design
        What was swapped; items one by one where it is not given.

    Examples
    --------
    >>> from outscore.workflows.rank.measure import measure
    >>> from outscore.scores.board import Board
    >>> values = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]])
    >>> found = assemble_ranking(measure([Board(("new", "old"), values, np.ones((2, 7), dtype=bool))]))
    >>> found.systems, found.pairs[0].p.value, found.groups
    (['new', 'old'], 0.015625, [['new'], ['old']])
    """
    found = families(measured, question)
    keep = sum(len(table.measured.pairs) for table in (*found.tops, *found.parts)) <= MAX_PAIRS
    top, *rest = (table.standing(keep_pairs=keep) for table in found.tops)
    first = [part for part in found.parts if part.measured.metric == top.metric]
    replicability, remarks = _replicability(found.tops[0], first)
    asked = first[0].measured.test if first else top.test
    claims = replace(found.tops[0].claims(), datasets_test=None if asked == top.test else asked)
    design = design or RankDesign(top.n)
    further = [(standing, table.claims()) for standing, table in zip(rest, found.tops[1:], strict=True)]
    words = _words(top, claims, question, found.family, design, population, datasets=max(len(first), 1), further=further)
    return Ranking(
        **{name: getattr(top, name) for name in top.__dataclass_fields__ if name != "notes"},
        correction=question.correction,
        family=found.family,
        coverage=coverage or _coverage(found.tops[0].measured),
        alpha=question.alpha,
        baseline=question.baseline,
        **words,
        settings=dict(settings or {}),
        datasets=[part.standing(keep_pairs=keep) for part in found.parts],
        datasets_family=found.parts_family,
        metrics=rest,
        replicability=replicability,
        critical_difference=critical_difference,
        population=population,
        other_populations=list(other_populations),
        design=design,
        notes=list(dict.fromkeys([*notes, *top.notes, *remarks, *_remarks(found, keep=keep)])),
    )


def _words(
    top: Standing,
    claims: Claims,
    question: Question,
    family: Family,
    design: RankDesign,
    population: str,
    *,
    datasets: int,
    further: Sequence[tuple[Standing, Claims]],
) -> dict[str, Any]:
    """What a ranking says: verdict, sentence and signature; `further` are the standings by other metrics."""
    alpha, against = question.alpha, question.baseline is not None
    called = f"{'macro-averaged ' if datasets > 1 else ''}{design.score_name(top.metric)}"
    verdict = ranking_verdict(top, claims, family, alpha, baseline=against, called=called)
    shared: dict[str, Any] = {"design": design, "population": population, "datasets": datasets}
    return {
        "verdict": verdict.text,
        "headline": verdict.headline,
        "reason": verdict.reason,
        "sentence": ranking_sentence(top, claims, family, alpha, **shared, baseline=against, further=further),
        "signature": ranking_signature(
            top, claims, family, **shared, alpha=alpha, baseline=question.baseline, seed=question.seed
        ),
    }


def _remarks(found: Families, *, keep: bool) -> list[Note]:
    notes = []
    if not keep:
        text = f"There are more than {MAX_PAIRS:,} pairs over all datasets: the result keeps their counts."
        notes.append(Note("omission", text))
    if found.parts_family is not None and found.parts_family.correction != found.family.correction:
        text = f"`{found.family.correction}` is for one set of pairs; over datasets p is corrected by `holm`."
        notes.append(Note("correction", text))
    return notes


def _coverage(top: Measured) -> Coverage:
    """What the answer's table holds: its items are those of all datasets."""
    missing = top.items * len(top.systems) - int(top.n.sum())
    return Coverage(len(top.systems), top.items, missing, strangers=int((~top.pairs.testable).sum()))


def _replicability(top: Corrected, parts: Sequence[Corrected]) -> tuple[list[Replicated], list[Note]]:
    """On how many datasets the better system of each pair is better."""
    if len(parts) < 2 or any(p.measured.pairs.log_better is None or p.measured.pairs.log_worse is None for p in parts):
        return [], []
    pairs, names = top.measured.pairs, top.measured.systems
    wanted = np.flatnonzero(pairs.testable)
    notes = []
    if len(pairs) > MAX_REPLICATED:
        place = np.full(len(names), -2)
        place[top.order] = np.arange(len(top.order))
        wanted = wanted[np.abs(place[pairs.left] - place[pairs.right])[wanted] == 1]
        text = f"With more than {MAX_REPLICATED:,} pairs replicability is shown for neighbours in the order only."
        notes.append(Note("omission", text))
    forward = top.ahead >= 0
    # Which system comes first was chosen by the data, so each direction has half of alpha.
    level = top.alpha / 2
    logs, against = (np.stack([_with_direction(part, way)[wanted] for part in parts], axis=1) for way in (forward, ~forward))
    shared = np.stack([part.measured.pairs.n[wanted] > 0 for part in parts], axis=1)
    by_any, by_fisher = (_counts(logs, shared, how, level) for how in ("bonferroni", "fisher"))
    found = []
    for row, i in enumerate(wanted.tolist()):
        systems = (names[int(pairs.left[i])], names[int(pairs.right[i])])
        mine = [part for part, there in zip(parts, shared[row].tolist(), strict=True) if there]
        claimed, refuted = (_claimed(side[row][shared[row]], mine, level) for side in (logs, against))
        found.append(
            Replicated(
                systems=systems if forward[i] else systems[::-1],
                datasets=len(mine),
                bonferroni=int(by_any[row]),
                fisher=int(by_fisher[row]),
                holm=claimed,
                worse=refuted,
            )
        )
    return found, notes


def _claimed(logs: Array, parts: Sequence[Corrected], level: float) -> list[str]:
    """The datasets on which one direction is significant, by Holm over the datasets."""
    rejected = adjust(np.maximum(np.exp(logs), MIN_FLOAT), "holm") <= level
    return [str(part.measured.dataset) for part, there in zip(parts, rejected.tolist(), strict=True) if there]


def _counts(logs: Array, shared: Array, combination: str, alpha: float) -> Array:
    """`replicated_counts` of each pair over the datasets it shares: one it lacks is no evidence against anything."""
    counts = np.zeros(len(logs), dtype=np.int64)
    for there in np.unique(shared, axis=0):
        rows = (shared == there).all(axis=1)
        counts[rows] = replicated_counts(logs[np.ix_(rows, there)] / LN10, combination=combination, alpha=alpha)
    return counts


def _with_direction(part: Corrected, forward: Array) -> Array:
    """One-sided log p for the system that comes first."""
    pairs = part.measured.pairs
    assert pairs.log_better is not None
    assert pairs.log_worse is not None
    return np.asarray(np.where(forward, pairs.log_better, pairs.log_worse))


def with_duplicates(ranking: Ranking, duplicates: int, conflicts: int) -> Ranking:
    """The ranking that knows how many rows stated an item again, and says what its coverage asks for."""
    coverage = replace(ranking.coverage, duplicates=duplicates, conflicts=conflicts)
    told = [*_lacking(coverage), *repeated_notes(duplicates, conflicts)]
    return replace(ranking, coverage=coverage, notes=[*told, *ranking.notes])


def _lacking(coverage: Coverage) -> list[Note]:
    """A warning where more than a tenth of the scores are missing, as of two systems."""
    whole = coverage.systems * coverage.items
    if coverage.missing <= MAX_LEFT_OUT * whole:
        return []
    share = format_percent(round(coverage.missing / whole, 3))
    text = f"{coverage.missing:,} of {whole:,} scores are missing ({share}): each pair is compared on the items that both have."
    return [Note("warning", text)]

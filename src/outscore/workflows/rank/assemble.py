"""From measured datasets to a ranking: corrected pairs, the order, replicability, and the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.families import replication
from outscore.inference.pairwise.table import Measured
from outscore.inference.populations import ITEMS
from outscore.inference.power.observed import needed_of_wins
from outscore.language.lines import ranking_signature
from outscore.language.numbers import format_percent
from outscore.language.verdict.comparison import MAX_LEFT_OUT
from outscore.language.verdict.contradiction import Contradiction, Look, corrected_by, find, in_words
from outscore.language.verdict.ranking import Claims, ranking_sentence, ranking_verdict
from outscore.results.design import Family, Reading, Replicated
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS, Coverage, CriticalDifference, OtherPopulation, RankDesign, Ranking, Standing
from outscore.scores.align import repeated_notes
from outscore.workflows.question import USUAL, Question
from outscore.workflows.rank.standings import Corrected, Families, families, parts_of

MAX_REPLICATED = 1_000
"""With more pairs than this, the replicability table contains only neighbours in the order."""


@dataclass(frozen=True, eq=False)
class Slices:
    """A column of the data, and what was measured on each of its values."""

    column: str
    measured: Sequence[Measured]

    def parts(self, question: Question, *, keep_pairs: bool) -> dict[str, Any]:
        """The parts of a ranking that are about slices."""
        if not self.measured:
            return {"slice": self.column}
        corrected, family = parts_of(self.measured, question)
        standings = [table.standing(keep_pairs=keep_pairs) for table in corrected]
        return {"slice": self.column, "slices": standings, "slices_family": family}


def assemble_ranking(
    measured: Sequence[Measured],
    question: Question = USUAL,
    *,
    repeated: tuple[int, int] = (0, 0),
    critical_difference: CriticalDifference | None = None,
    population: str = ITEMS,
    other_populations: Sequence[OtherPopulation] = (),
    other_scores: Sequence[Measured] = (),
    measures: bool = False,
    slices: Slices | None = None,
    smallest_p: tuple[float | None, float | None] = (None, None),
    design: RankDesign | None = None,
    settings: Mapping[str, Any] | None = None,
    reading: Reading | None = None,
    notes: Sequence[Note] = (),
) -> Ranking:
    """The ranking of measured datasets.

    Parameters
    ----------
    measured
        One entry for each dataset and metric, metric by metric; several datasets are followed by their macro average.
    question
        The question that the pairs were measured for.
    repeated
        How many rows repeat an item, and how many items have rows that contradict each other.
    critical_difference, population, other_populations, smallest_p, settings, reading, notes
        Parts of the result, passed on unchanged.
    other_scores
        Scores of the same systems that are only looked at for what contradicts the ranking.
    measures
        Whether the metrics measure different things, such as quality and cost, and so contradict nothing.
    slices
        The same systems on each value of a column, which form a family of their own.
    design
        What was swapped; single items by default.

    Examples
    --------
    >>> from outscore.workflows.rank.measure import measure
    >>> from outscore.scores.panel import Panel
    >>> values = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]])
    >>> found = assemble_ranking(measure([Panel.of("mean", ("new", "old"), values)]))
    >>> found.systems, found.pairs[0].p.value, found.groups
    (['new', 'old'], 0.015625, [['new'], ['old']])
    """
    corrected = families(measured, question)
    keep = sum(len(table.measured.pairs) for table in (*corrected.tops, *corrected.parts)) <= MAX_PAIRS
    top, *rest = (table.standing(keep_pairs=keep) for table in corrected.tops)
    first = [part for part in corrected.parts if part.measured.metric == top.metric]
    replicability, remarks = _replicability(corrected.tops[0], first)
    datasets_test = first[0].measured.test if first else top.test
    claims = replace(corrected.tops[0].claims(), datasets_test=None if datasets_test == top.test else datasets_test)
    design = design or RankDesign(top.n)
    further = [(standing, table.claims()) for standing, table in zip(rest, corrected.tops[1:], strict=True)]
    words = _words(top, claims, question, corrected.family, design, population, datasets=max(len(first), 1), further=further)
    others = families(other_scores, question.of_other_scores()) if other_scores else None
    against = _contradiction(replace(corrected, tops=corrected.tops[:1]) if measures else corrected, first, claims, others)
    if against is not None:
        words["sentence"] += f" {against.sentence}"
    coverage = _coverage(corrected.tops[0].measured, repeated)
    ranking = Ranking(
        **{name: getattr(top, name) for name in top.__dataclass_fields__ if name != "notes"},
        correction=question.correction,
        family=corrected.family,
        coverage=coverage,
        alpha=question.alpha,
        baseline=question.baseline,
        **words,
        settings=dict(settings or {}),
        reading=reading,
        datasets=[part.standing(keep_pairs=keep) for part in corrected.parts],
        datasets_family=corrected.parts_family,
        **({} if slices is None else slices.parts(question, keep_pairs=keep)),
        metrics=rest,
        replicability=replicability,
        critical_difference=critical_difference,
        population=population,
        other_populations=list(other_populations),
        design=design,
        smallest_p=smallest_p[0],
        smallest_adjusted_p=smallest_p[1],
        notes=[
            *_notes_of(coverage),
            *([] if against is None else [against.note]),
            *dict.fromkeys([*notes, *top.notes, *remarks, *_remarks(corrected, keep=keep)]),
        ],
    )
    return _with_outlook(ranking, corrected.tops[0].measured)


def _with_outlook(ranking: Ranking, measured: Measured) -> Ranking:
    """The ranking with the items that would decide the pair closest to it, where counts of right-or-wrong items tell."""
    nearest, table = ranking.closest_to_decided, measured.pairs
    alone = measured.unit in ("items", "segments") and not measured.macro and ranking.population == ITEMS
    if nearest is None or not alone or table.wins is None or table.losses is None or nearest.p.value <= ranking.alpha:
        return ranking
    first, second = (measured.systems.index(name) for name in nearest.systems)
    row = np.flatnonzero(np.isin(table.left, (first, second)) & np.isin(table.right, (first, second)))[0]
    needed = needed_of_wins(int(table.wins[row]), int(table.losses[row]), nearest.n, ranking.alpha)
    return ranking.with_needed(nearest, needed)


def _contradiction(
    corrected: Families, datasets: Sequence[Corrected], claims: Claims, others: Families | None
) -> Contradiction | None:
    """Datasets, further metrics and other scores that contradict what the verdict says about the leader, or about the baseline.

    Everybody below the leader counts as worse than it, whether significantly or not.
    """
    top = corrected.tops[0]
    said = {(claims.about, name) for name in claims.worse} | {(name, claims.about) for name in claims.better}
    about = top.measured.systems.index(claims.about)
    if top.baseline is None:
        below = [top.measured.systems[i] for i in top.order.tolist() if top.measured.value[i] != top.measured.value[about]]
        said |= {(claims.about, name) for name in below if name not in claims.better}
    by_dataset = [look for part in datasets for look in _looks(part, about, said, f"on {part.measured.dataset}")]
    by_metric = [look for table in corrected.tops[1:] for look in _looks(table, about, said, f"by {table.measured.metric}")]
    groups = [
        (by_dataset, corrected_by(corrected.parts_family, "test")),
        (by_metric, corrected_by(corrected.family, "test")),
    ]
    if others is not None:
        by_score = [look for table in others.tops for look in _looks(table, about, said, f"by {table.measured.metric}")]
        groups.append((by_score, corrected_by(others.family, "test")))
    return in_words(groups, decided=bool(claims.worse or claims.better))


def _looks(table: Corrected, about: int, said: set[tuple[str, str]], where: str) -> list[Look]:
    """The significant pairs of a dataset or metric that contradict what was said, those of the smallest p first."""
    pairs, names = table.measured.pairs, table.measured.systems
    looks = []
    for i in np.flatnonzero(table.significant & ((pairs.left == about) | (pairs.right == about))).tolist():
        both = (names[int(pairs.left[i])], names[int(pairs.right[i])])
        better, worse = both if table.ahead[i] > 0 else both[::-1]
        looks.append(Look(where, better, worse, float(table.adjusted[i])))
    return sorted(find(said, looks, table.alpha), key=lambda look: look.p)


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
    """The words of a ranking: verdict, sentence and signature; `further` are the standings by other metrics."""
    alpha, against = question.alpha, question.baseline is not None
    metric_name = f"{'macro-averaged ' if datasets > 1 else ''}{design.score_name(top.metric)}"
    verdict = ranking_verdict(top, claims, family, alpha, baseline=against, called=metric_name)
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


def _remarks(corrected: Families, *, keep: bool) -> list[Note]:
    notes = []
    if not keep:
        text = f"There are more than {MAX_PAIRS:,} pairs over all datasets, so the result only keeps their counts."
        notes.append(Note("omission", text))
    if corrected.parts_family is not None and corrected.parts_family.correction != corrected.family.correction:
        text = f"`{corrected.family.correction}` is for one set of pairs; p-values of the datasets are corrected by `holm`."
        notes.append(Note("correction", text))
    return notes


def _coverage(top: Measured, repeated: tuple[int, int]) -> Coverage:
    """The coverage of the answer's table: its items are those of all datasets."""
    missing = top.items * len(top.systems) - int(top.n.sum())
    return Coverage(len(top.systems), top.items, missing, *repeated, strangers=int((~top.pairs.testable).sum()))


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
        text = f"With more than {MAX_REPLICATED:,} pairs, replicability is only shown for neighbours in the order."
        notes.append(Note("omission", text))
    forward = top.ahead >= 0
    # The data decided which system comes first, so each direction gets half of alpha.
    level = top.alpha / 2
    logs, against = (np.stack([_with_direction(part, way)[wanted] for part in parts], axis=1) for way in (forward, ~forward))
    shared = np.stack([part.measured.pairs.n[wanted] > 0 for part in parts], axis=1)
    labels = np.array([str(part.measured.dataset) for part in parts], dtype=object)
    replicated = []
    for row, i in enumerate(wanted.tolist()):
        systems = (names[int(pairs.left[i])], names[int(pairs.right[i])])
        # A dataset that a pair does not share is not evidence of anything.
        there = shared[row]
        first = systems if forward[i] else systems[::-1]
        replicated.append(replication(first, labels[there].tolist(), logs[row][there], against[row][there], level=level))
    return replicated, notes


def _with_direction(part: Corrected, forward: Array) -> Array:
    """One-sided log p for the system that comes first."""
    pairs = part.measured.pairs
    assert pairs.log_better is not None
    assert pairs.log_worse is not None
    return np.asarray(np.where(forward, pairs.log_better, pairs.log_worse))


def _notes_of(coverage: Coverage) -> list[Note]:
    """A warning if more than a tenth of the scores are missing, as in a comparison, and rows that repeat an item."""
    whole, repeated = coverage.systems * coverage.items, repeated_notes(coverage.duplicates, coverage.conflicts)
    if coverage.missing <= MAX_LEFT_OUT * whole:
        return repeated
    share = format_percent(round(coverage.missing / whole, 3))
    text = (
        f"{coverage.missing:,} of {whole:,} scores are missing ({share}), so each pair is compared on the items that both have."
    )
    return [Note("warning", text), *repeated]

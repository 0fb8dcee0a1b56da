"""From measured datasets to a ranking: corrected pairs, the order, replicability, and the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.families import replication
from outscore.inference.pairwise.table import Measured
from outscore.inference.populations import ITEMS
from outscore.language.lines import ranking_signature
from outscore.language.numbers import format_percent
from outscore.language.phrases import corrected_by
from outscore.language.verdict.comparison import MAX_LEFT_OUT
from outscore.language.verdict.contradiction import Contradiction, Look, find, in_words
from outscore.language.verdict.ranking import Claims, ranking_sentence, ranking_verdict
from outscore.results.design import Family, Replicated
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS, Coverage, RankDesign, Ranking, Standing
from outscore.scores.align import repeated_notes
from outscore.workflows.question import Question
from outscore.workflows.rank.standings import Corrected, Families, families, parts_of

MAX_REPLICATED = 1_000
"""With more pairs than this, the replicability table contains only neighbours in the order."""


def assemble_ranking(
    found: Families,
    standings: Sequence[Standing],
    *,
    repeated: tuple[int, int] = (0, 0),
    population: str = ITEMS,
    other_scores: Sequence[Measured] = (),
    measures: bool = False,
    slices: tuple[str, Sequence[Measured]] | None = None,
    design: RankDesign | None = None,
    notes: Sequence[Note] = (),
    last: Sequence[Note] = (),
    **known: Any,  # noqa: ANN401 - other fields of the result
) -> Ranking:
    """The ranking of measured datasets.

    Parameters
    ----------
    found, standings
        The corrected tables, and the standings of the answer that they make.
    repeated
        How many rows repeat an item, and how many items have rows that contradict each other.
    population
        What the claims are about.
    other_scores
        Scores of the same systems that are only looked at for what contradicts the ranking.
    measures
        Whether the metrics measure different things, such as quality and cost, and so contradict nothing.
    slices
        A column of the data and what was measured on each of its values, which form a family of their own.
    design
        What was swapped; single items by default.
    notes, last
        What a reader should know, before and after what follows from the tables.

    Examples
    --------
    >>> from outscore.workflows.rank.measure import measure
    >>> from outscore.scores.panel import Panel
    >>> values = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]])
    >>> corrected = families(measure([Panel.of("mean", ("new", "old"), values)]))
    >>> found = assemble_ranking(corrected, corrected.standings())
    >>> found.systems, found.pairs[0].p.value, found.groups
    (['new', 'old'], 0.015625, [['new'], ['old']])
    """
    (top, *rest), question, keep = standings, found.question, found.keep_pairs
    first = [part for part in found.parts if part.measured.metric == top.metric]
    replicability, remarks = _replicability(found.tops[0], first)
    datasets_test = first[0].measured.test if first else top.test
    claims = found.tops[0].claims(None if datasets_test == top.test else datasets_test)
    design = design or RankDesign(top.n)
    further = [(standing, table.claims()) for standing, table in zip(rest, found.tops[1:], strict=True)]
    words = _words(top, claims, question, found.family, design, population, datasets=max(len(first), 1), further=further)
    others = families(other_scores, question.of_other_scores()) if other_scores else None
    against = _contradiction(found, first, claims, others, by_metric=not measures)
    if against is not None:
        words["sentence"] += f" {against.sentence}"
    coverage = _coverage(found.tops[0].measured, repeated)
    return Ranking(
        **{name: getattr(top, name) for name in top.__dataclass_fields__ if name != "notes"},
        correction=question.correction,
        family=found.family,
        coverage=coverage,
        alpha=question.alpha,
        baseline=question.baseline,
        **words,
        datasets=[part.standing(keep_pairs=keep) for part in found.parts],
        datasets_family=found.parts_family,
        **({} if slices is None else _slices(*slices, question, keep_pairs=keep)),
        metrics=rest,
        replicability=replicability,
        population=population,
        design=design,
        **{"settings": {}, **known},
        notes=[
            *_notes_of(coverage),
            *([] if against is None else [against.note]),
            *dict.fromkeys([*notes, *top.notes, *remarks, *_remarks(found), *last]),
        ],
    )


def _slices(column: str, measured: Sequence[Measured], question: Question, *, keep_pairs: bool) -> dict[str, Any]:
    """The parts of a ranking that are about slices."""
    if not measured:
        return {"slice": column}
    corrected, family = parts_of(measured, question)
    return {
        "slice": column,
        "slices": [table.standing(keep_pairs=keep_pairs) for table in corrected],
        "slices_family": family,
    }


def _contradiction(
    corrected: Families, datasets: Sequence[Corrected], claims: Claims, others: Families | None, *, by_metric: bool
) -> Contradiction | None:
    """Datasets, further metrics and other scores that contradict what the verdict says about the leader, or about the baseline.

    Everybody below the leader counts as worse than it, whether significantly or not. Further metrics only count `by_metric`.
    """
    top = corrected.tops[0]
    said = {(claims.about, name) for name in claims.worse} | {(name, claims.about) for name in claims.better}
    about = top.measured.systems.index(claims.about)
    if top.baseline is None:
        below = [
            top.measured.systems[i] for i in top.order.tolist() if top.measured.own.value[i] != top.measured.own.value[about]
        ]
        said |= {(claims.about, name) for name in below if name not in claims.better}
    by_dataset = [look for part in datasets for look in _looks(part, about, said, f"on {part.measured.dataset}")]
    metrics = corrected.tops[1:] if by_metric else []
    by_others = [look for table in metrics for look in _looks(table, about, said, f"by {table.measured.metric}")]
    groups = [
        (by_dataset, corrected_by(corrected.parts_family, "test")),
        (by_others, corrected_by(corrected.family, "test")),
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


def _remarks(corrected: Families) -> list[Note]:
    notes = []
    if not corrected.keep_pairs:
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
        apart = np.abs(top.places[pairs.left] - top.places[pairs.right])
        wanted = wanted[(apart == 1)[wanted] & top.inside[wanted]]
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

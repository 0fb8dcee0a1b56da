"""What is asked of texts before they are scored, and of a score before it is believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct
from outscore.core.records import dataclass
from outscore.metrics.entry import Options
from outscore.metrics.text.entry import Lines, References, TextMetric, to_rows, version

# Segments scored a second time by the library itself, one in so many: some are spread over the corpus, which notices a change
# in the library, the others are those where a mistake of ours is likeliest.
ONE_IN, MIN_CHECKED, MAX_CHECKED = 100, 10, 50
LOOKED_AT = 500
"""Segments whose risks are computed: the longest that can be afforded, and those that are spread."""
# What they may cost in squares of a thousand characters, times the words that may be moved, which take sacreBLEU's TER some
# 8 ms: a part of what all would cost, between these. If none can be afforded, so many are checked however long they are.
LEAST_COST, MOST_COST, SHARE, FEWEST = 5.0, 20.0, 0.02, 2
SPREAD = 0.3
"""The part of it that goes to segments that are spread over the corpus."""
RELATIVE = 1e-9
ABSOLUTE = 1e-12


def check_lines(metric: TextMetric, hypotheses: Lines, references: References) -> None:
    """Refuse texts that do not lie side by side, none at all, and more references than the metric can use."""
    if not len(references):
        raise OutscoreError(f"Metric `{metric.name}` needs a reference.", "Give at least one reference text.")
    if metric.max_references is not None and len(references) > metric.max_references:
        raise OutscoreError(
            f"Metric `{metric.name}` uses {metric.max_references} reference; {len(references)} were given.",
            f"Leave out `{metric.name}`, or give one reference.",
        )
    if not len(hypotheses):
        raise OutscoreError("The system's text has no segments.", "Give a text of at least one line.")
    for i, lines in enumerate(references):
        if len(lines) != len(hypotheses):
            raise OutscoreError(
                f"Reference {i + 1} has {len(lines)} segments, the system has {len(hypotheses)}.",
                "Give texts of the same number of lines, one segment each.",
            )


def verify(
    metric: TextMetric,
    hypotheses: Lines,
    references: References,
    statistics: Array,
    options: Options,
    *,
    segments: int | None = None,
) -> None:
    """Refuse statistics whose function is not the library's own score, where `find_doubt` looks."""
    doubt = find_doubt(metric, hypotheses, references, statistics, options, segments=segments)
    if doubt is not None:
        raise OutscoreError(
            f"Metric `{metric.name}` comes to {doubt.ours!r} from its statistics, but {metric.library} "
            f"{version(metric.library, metric.name)} says {doubt.theirs!r} for {doubt.where}.",
            f"This version of {metric.library} computes it differently; install another one.",
        )


@dataclass(frozen=True)
class Doubt:
    """A score of some segments that is not the library's."""

    where: str
    ours: float
    theirs: float


def find_doubt(
    metric: TextMetric,
    hypotheses: Lines,
    references: References,
    statistics: Array,
    options: Options,
    *,
    segments: int | None = None,
) -> Doubt | None:
    """The first difference between the function of the statistics and the library's own score, if there is one.

    The library scores some segments, one in `ONE_IN`, `MIN_CHECKED` at least and `MAX_CHECKED` at most: those spread
    over the corpus together, and the riskiest one by one (`_sample`); or `segments` of them together. Scoring all
    again would cost more than all the rest.
    """
    additive = metric.make(options)
    if not _is_defined(additive, statistics):
        raise OutscoreError(
            f"Metric `{metric.name}` divides by the length of the references, and all of them are empty.",
            "Give references with text.",
        )
    if metric.corpus_score is None:
        return None
    risky: Sequence[int] = ()
    together: Sequence[int]
    if segments is None:
        together, risky = _sample(metric, hypotheses, references, options)
    else:
        together = _spread(segments, len(statistics))
    if not _is_defined(additive, statistics[together]):
        together = range(len(statistics))
    for rows in (together, *([i] for i in risky if _is_defined(additive, statistics[[i]]))):
        ours = float(additive.score(statistics[rows].sum(axis=0)))
        theirs = metric.corpus_score(*_chosen(hypotheses, references, rows), options)
        if not math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            where = f"segment {rows[0] + 1}" if len(rows) == 1 else f"the same {len(rows)} segments"
            return Doubt(where, ours, theirs)
    return None


def rows_of_library(metric: TextMetric, hypotheses: Lines, references: References, options: Options) -> Array:
    """The statistics of each segment as the library itself counts them, which takes longer."""
    if metric.library_rows is not None:
        return metric.library_rows(hypotheses, references, options)
    assert metric.corpus_score is not None
    each = range(len(hypotheses))
    return to_rows([metric.corpus_score(*_chosen(hypotheses, references, [i]), options) for i in each])


def _chosen(hypotheses: Lines, references: References, rows: Sequence[int]) -> tuple[Lines, References]:
    return [hypotheses[i] for i in rows], [[lines[i] for i in rows] for lines in references]


def _spread(segments: int, total: int) -> list[int]:
    """So many segments from the first to the last, at equal distances."""
    places: list[int] = distinct(np.linspace(0, total - 1, segments).round().astype(int)).tolist()
    return places


def _sample(metric: TextMetric, hypotheses: Lines, references: References, options: Options) -> tuple[list[int], list[int]]:
    """The segments that are scored again: some spread over the corpus, and the riskiest others that can be afforded."""
    total = len(hypotheses)
    length = np.array([len(line) for line in hypotheses])
    # A segment is held against each of its references.
    cost = np.sum([((length + [len(line) for line in lines]) / 1000) ** 2 for lines in references], axis=0)
    budget = min(MOST_COST, max(LEAST_COST, SHARE * float(cost.sum())))
    most = min(MAX_CHECKED, max(MIN_CHECKED, total // ONE_IN))
    cheapest = np.argsort(cost, kind="stable")
    spread = [i for i in _spread((most + 1) // 2, total) if cost[i] <= budget]
    longest = cheapest[cost[cheapest] <= budget][-LOOKED_AT:]
    looked_at = np.concatenate([longest, np.setdiff1d(np.array(spread, dtype=np.int64), longest)])
    kinds = [longest[::-1].tolist()]
    if metric.risks is not None and len(looked_at):
        risks = metric.risks(*_chosen(hypotheses, references, looked_at.tolist()), options)
        cost[looked_at] *= 1 + risks.sum(axis=1)
        kinds = [looked_at[np.argsort(-risk, kind="stable")][: (risk > 0).sum()].tolist() for risk in risks.T] + kinds
    together = _affordable([sorted(spread, key=cost.__getitem__)], cost, budget * SPREAD, most)
    together = together or cheapest[:FEWEST].tolist()
    others = [[i for i in kind if i not in together] for kind in kinds]
    return sorted(together), _affordable(others, cost, budget * (1 - SPREAD), most // 2)


def _affordable(kinds: Sequence[Sequence[int]], cost: Array, budget: float, most: int) -> list[int]:
    """The first of each kind, then the second of each, and so on, while they can be afforded."""
    chosen: dict[int, None] = {}
    for i in (i for turn in zip_longest(*kinds) for i in turn if i is not None):
        if len(chosen) < most and i not in chosen and cost[i] <= budget:
            chosen[i] = None
            budget -= float(cost[i])
    return list(chosen)


def _is_defined(metric: AdditiveMetric, rows: Array) -> bool:
    """Whether there is something to divide by."""
    if metric.ratio is None or metric.ratio[1] is None:
        return True
    return bool((rows.sum(axis=0) @ np.asarray(metric.ratio[1])) != 0)

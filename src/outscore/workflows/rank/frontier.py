"""The frontier of several measures: which systems no other system is shown to dominate.

B dominates A if B is better on every measure; on a measure with a margin, B only has to be not worse by the margin. That is
shown where each of its parts is: p is the largest of their one-sided p-values (intersection-union test; Berger, 1982), and
Holm's correction covers all ordered pairs. So with confidence 1 - alpha no claim of domination is false, and every system that
is truly on the frontier is among those that are left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import MIN_FLOAT, Array
from outscore.inference.base.differences import with_exact_integers
from outscore.inference.base.question import TestRequest
from outscore.inference.families import adjust
from outscore.inference.pairwise.per_pair import log_claim
from outscore.inference.pairwise.table import Measured
from outscore.inference.populations import ITEMS
from outscore.inference.shifted import largest_loss, run_entry
from outscore.language.verdict.ranking import MeasuredBoth, domination_sentence
from outscore.results.note import Note
from outscore.results.ranking import Domination, Frontier, FrontierSystem, Ranking
from outscore.scores.panel import Panel
from outscore.workflows.rank.question import Question
from outscore.workflows.validate import deciding_entry


def with_frontier(
    ranking: Ranking,
    measured: Sequence[Measured],
    panels: Sequence[Panel],
    margins: Mapping[str, float],
    question: Question,
) -> Ranking:
    """The ranking with its frontier; `measured` and `panels` are those of each measure, the first of which sets the order."""
    logs, notes = [], dict[Note, None]()
    for part, panel in zip(measured, panels, strict=True):
        if part.metric in margins:
            _check_margin(part, panel, margins[part.metric], ranking.population)
            log_p, said = _not_worse(panel, margins[part.metric], question)
            notes |= dict.fromkeys(said)
        else:
            log_p = _better(part)
        logs.append(log_p)
    shared = np.all([_shared(part) for part in measured], axis=0)
    parts = np.maximum(np.exp(np.array(logs)), MIN_FLOAT)
    p = parts.max(axis=0)
    adjusted = np.full(p.shape, np.nan)
    adjusted[shared] = adjust(p[shared], "holm")
    frontier = _frontier(ranking, measured, margins, parts, adjusted)
    return replace(ranking, frontier=frontier, notes=[*ranking.notes, *(note for note in notes if note not in ranking.notes)])


def _shared(measured: Measured) -> Array:
    """(k, k): whether two systems share items."""
    pairs, k = measured.pairs, len(measured.systems)
    shared = np.zeros((k, k), dtype=bool)
    shared[pairs.left, pairs.right] = shared[pairs.right, pairs.left] = pairs.testable
    return shared


def _better(measured: Measured) -> Array:
    """(k, k): log p of the claim that the row's system is better than the column's."""
    pairs, k = measured.pairs, len(measured.systems)
    assert pairs.log_better is not None and pairs.log_worse is not None  # noqa: PT018 - they were asked for
    logs = np.zeros((k, k))
    logs[pairs.left, pairs.right], logs[pairs.right, pairs.left] = pairs.log_better, pairs.log_worse
    return np.minimum(logs, 0.0)


def _check_margin(measured: Measured, panel: Panel, margin: float, population: str) -> None:
    """Refuse a margin for which there is no test, or that nothing could exceed."""
    if population != ITEMS:
        raise OutscoreError(
            f"A margin is tested for new items, but the claims are about {population}.",
            f"Add --population {ITEMS}, or leave --not-worse out.",
            parameter="not_worse",
        )
    most = largest_loss(panel.pair(0, 1), panel.metric, TestRequest("greater", -margin))
    if most is not None and margin >= most:
        raise OutscoreError(
            f"The margin of `{measured.metric}` is {margin:g}, but its scores cannot differ by more than {most:g}.",
            f"Give a margin below {most:g}.",
            parameter="not_worse",
        )


def _not_worse(panel: Panel, margin: float, question: Question) -> tuple[Array, list[Note]]:
    """(k, k): log p of the claim that the row's system is worse than the column's by less than the margin; and warnings."""
    k, entry = len(panel.systems), deciding_entry(question.test)
    asked = TestRequest(
        alternative="greater",
        delta=-panel.orientation * margin,
        alpha=question.alpha,
        seed=question.seed,
        options=question.check(),
        interval=False,
    )
    logs, notes = np.zeros((k, k)), list[Note]()
    for i in range(k):
        for j in range(k):
            if i != j and (panel.present[i] & panel.present[j]).any():
                found = run_entry(entry, with_exact_integers(panel.pair(i, j)), panel.metric, asked)
                logs[i, j] = log_claim(found.p)
                notes += [note for note in found.notes if note.kind == "warning"]
    return np.minimum(logs, 0.0), notes


def _frontier(
    ranking: Ranking, measured: Sequence[Measured], margins: Mapping[str, float], parts: Array, adjusted: Array
) -> Frontier:
    first = measured[0]
    names = first.systems
    pairs = [
        Domination((names[i], names[j]), parts[:, i, j].tolist(), float(parts[:, i, j].max()), float(adjusted[i, j]))
        for i, j in np.argwhere(np.isfinite(adjusted)).tolist()
    ]
    with np.errstate(invalid="ignore"):
        shown = adjusted <= ranking.alpha
    directions = [part.higher_is_better for part in measured]
    place = [names.index(s.system) for s in ranking.scores]
    free = next(m for m, part in enumerate(measured) if part.metric not in margins)
    systems, sentences = [], []
    for j in place:
        # The one that gains most on the first measure without a margin says most.
        by = sorted(np.flatnonzero(shown[:, j]).tolist(), key=lambda i: measured[free].value[i], reverse=directions[free])
        known = adjusted[np.isfinite(adjusted[:, j]), j]
        systems.append(
            FrontierSystem(
                names[j],
                [float(part.value[j]) for part in measured],
                [_finite(part.low[j]) for part in measured],
                [_finite(part.high[j]) for part in measured],
                [names[i] for i in by],
                float(known.min()) if len(known) else None,
            )
        )
        if by:
            i = by[0]
            both = [MeasuredBoth(m.metric, float(m.value[i]), float(m.value[j]), margins.get(m.metric)) for m in measured]
            sentences.append(domination_sentence((names[i], names[j]), both, float(adjusted[i, j])))
    return Frontier(
        [part.metric for part in measured],
        directions,
        dict(margins),
        len(pairs),
        systems,
        sorted(pairs, key=lambda pair: pair.adjusted),
        sentences,
    )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None

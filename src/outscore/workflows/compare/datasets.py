"""Several datasets in one comparison: their macro average decides, in which each counts alike, as it does in a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10
from outscore.language.numbers import count, format_number, format_p
from outscore.language.verdict.comparison import with_verdict
from outscore.results.comparison import Comparison, SystemScore
from outscore.results.interval import Interval
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.ranking import Ranking
from outscore.results.signature import Signature
from outscore.scores.board import boards_of
from outscore.scores.system import Scores
from outscore.workflows.rank.boards import rank_boards
from outscore.workflows.rank.question import Question as RankQuestion
from outscore.workflows.requests.compare import CompareRequest

__all__ = ["datasets_of", "macro_averaged"]


def datasets_of(scores: Sequence[Scores]) -> list[str]:
    """The datasets on which both systems have items; none where they do not say."""
    first, second = (one.datasets for one in scores)
    if first is None or second is None:
        return []
    there = {second.names[code] for code in np.unique(second.codes)}
    return [first.names[code] for code in dict.fromkeys(first.codes.tolist()) if first.names[code] in there]


def macro_averaged(
    pooled: Comparison, scores: tuple[Scores, Scores], metric: str | AdditiveMetric, request: CompareRequest
) -> Comparison:
    """The comparison of the macro averages, with what pooling the items would say; pooled where that cannot be asked.

    The numbers are those of `rank`, so that both commands answer alike.
    """
    names = datasets_of(scores)
    if len(names) < 2:
        return pooled
    reason = _unasked(request)
    if reason:
        return _with(pooled, Note("reading", f"The items of {len(names)} datasets were pooled, because {reason}."))
    called = [replace(one, name=name) for one, name in zip(_shared(scores), pooled.systems, strict=True)]
    try:
        ranking = rank_boards(boards_of(called, request.duplicates), metric, _question(request)).ranking  # type: ignore[arg-type]
    except OutscoreError as refusal:
        text = f"The items of {len(names)} datasets were pooled, as their macro average cannot be tested: {refusal.message}"
        return _with(pooled, Note("reading", text))
    return _decided(pooled, ranking, len(names), request)


def _unasked(request: CompareRequest) -> str:
    """Why the macro average does not answer what was asked; empty where it does."""
    if request.alternative != "two-sided" or request.delta:
        return "their macro average is tested two-sided, for any difference"
    if request.margin is not None:
        return "their macro average has no margin"
    return f"test `{request.test}` is for single items" if request.test in ("all", "bayes") else ""


def _question(request: CompareRequest) -> RankQuestion:
    same = ("test", "alpha", "unit_size", "unit_statistic", "shuffle", "seed", "population", "repeats")
    return RankQuestion(options=request.test_options(), **{name: request.value(name) for name in same})


def _shared(scores: Sequence[Scores]) -> list[Scores]:
    """The rows of items that both systems have."""
    keys = []
    for one in scores:
        assert one.datasets is not None
        ids = map(str, range(one.rows)) if one.ids is None else one.ids.texts()
        keys.append(list(zip(one.datasets.texts(), ids, strict=True)))
    common = set(keys[0]) & set(keys[1])
    return [one.take(np.array([key in common for key in rows])) for one, rows in zip(scores, keys, strict=True)]


def _decided(pooled: Comparison, ranking: Ranking, datasets: int, request: CompareRequest) -> Comparison:
    (pair,) = ranking.pairs
    own = {s.system: SystemScore(s.system, s.value, s.low, s.high) for s in ranking.scores}
    a, b = pooled.systems
    low, high = pair.low, pair.high
    if pair.systems != (a, b) and low is not None and high is not None:
        # A ranking names the better system first.
        low, high = -high, -low
    log_p = pair.p.log10 * LN10
    p = replace(
        PValue.from_logs(log_p, log_p, method=pair.p.method, kernel=ranking.kernel), test=ranking.test, n=pair.n, statistic=0.0
    )
    found = replace(
        pooled,
        scores=(own[a], own[b]),
        difference=own[a].value - own[b].value,
        p=p,
        interval=None if low is None else Interval(low, high, 1 - request.alpha, ranking.interval, dual=False),
        design=replace(pooled.design, datasets=datasets, path=[]),
        signature=_signature(pooled, p, datasets),
        # These speak of single items, and not of datasets that count alike.
        effects=[],
        power=None,
        fragility=None,
        pictures=None if pooled.pictures is None else replace(pooled.pictures, null=None, sizes=[], sizes_test=""),
    )
    found = with_verdict(found, alpha=request.alpha, alternative="two-sided", delta=0.0, identical=pooled.identical)
    return _with(found, _pooled_note(pooled, datasets))


def _pooled_note(pooled: Comparison, datasets: int) -> Note:
    first, second = (f"{s.system} {format_number(s.value)}" for s in pooled.scores)
    text = (
        f"The macro average of {datasets} datasets decides, in which each counts alike, as in `rank`. Pooled over all "
        f"{count(pooled.n, 'item')}: {pooled.metric} of {first}, of {second}, {format_p(pooled.p, brief=True)}."
    )
    return Note("reading", text)


def _signature(pooled: Comparison, p: PValue, datasets: int) -> Signature:
    new = dict(p.signature.parts)
    *parts, version = [(name, new.get(name, value)) for name, value in pooled.signature.parts]
    return Signature([*parts, ("datasets", f"{datasets}, macro average"), version])


def _with(found: Comparison, note: Note) -> Comparison:
    return replace(found, notes=[note, *found.notes])

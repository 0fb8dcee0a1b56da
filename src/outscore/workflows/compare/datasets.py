"""Several datasets in one comparison: their macro average decides, in which each counts alike, as it does in a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10
from outscore.inference.base.p_values import sampled_p
from outscore.inference.pairwise.macro import RESAMPLES
from outscore.language.numbers import count, format_number, format_p
from outscore.language.verdict.comparison import with_verdict
from outscore.results.comparison import Comparison, SystemScore
from outscore.results.interval import Interval
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.ranking import RankedPair, Ranking
from outscore.results.signature import Signature
from outscore.scores.board import Board, boards_of
from outscore.scores.system import Scores, shared_datasets
from outscore.workflows.rank.boards import rank_boards
from outscore.workflows.rank.question import Question as RankQuestion
from outscore.workflows.requests.compare import CompareRequest

__all__ = ["by_macro_average", "macro_averaged"]


def macro_averaged(
    pooled: Comparison, scores: tuple[Scores, Scores], metric: str | AdditiveMetric, request: CompareRequest
) -> Comparison:
    """The comparison of the macro averages of scores that say their datasets; pooled where that cannot be asked."""
    names = shared_datasets(scores)
    called = [replace(one, name=name) for one, name in zip(_shared(scores), pooled.systems, strict=True)]
    asked = {**request.asked(), "repeats": request.repeats}
    try:
        boards = boards_of(called, request.duplicates)  # type: ignore[arg-type] # an unknown rule is refused there
    except OutscoreError as refusal:
        return _untested(pooled, len(names), refusal)
    return by_macro_average(pooled, boards, metric, asked)


def by_macro_average(
    pooled: Comparison, boards: Sequence[Board], metric: str | AdditiveMetric, asked: Mapping[str, Any]
) -> Comparison:
    """The comparison of the boards' macro averages, with what pooling would say; pooled where that cannot be asked.

    The numbers are those of `rank`, so that both commands answer alike. `asked` is what was asked of the comparison.
    """
    _refuse_unasked(len(boards), asked)
    if asked["test"] in ("all", "bayes"):
        reason = f"test `{asked['test']}` is for single items"
        text = f"The {pooled.design.noun}s of {len(boards)} datasets were pooled, because {reason}."
        return _with(pooled, Note("reading", text))
    same = ("test", "options", "alpha", "unit_size", "unit_statistic", "shuffle", "seed", "population", "repeats")
    question = RankQuestion(**{name: asked[name] for name in same if name in asked})
    try:
        ranking = rank_boards(boards, metric, question).ranking
    except OutscoreError as refusal:
        return _untested(pooled, len(boards), refusal)
    drawn = int(str(question.options.get("resamples") or RESAMPLES))
    return _decided(pooled, ranking, len(boards), question.alpha, drawn)


def _untested(pooled: Comparison, datasets: int, refusal: OutscoreError) -> Comparison:
    start = f"The {pooled.design.noun}s of {datasets} datasets were pooled, as their macro average cannot be tested"
    return _with(pooled, Note("reading", f"{start}: {refusal.message}"))


def _refuse_unasked(datasets: int, asked: Mapping[str, Any]) -> None:
    """Refuse what the macro average does not answer, instead of answering it for the pooled items."""
    for name, default in (("alternative", "two-sided"), ("delta", 0), ("margin", None)):
        if asked[name] != default:
            raise OutscoreError(
                f"The scores are of {datasets} datasets, and their macro average is tested two-sided, for any difference.",
                "Pool the items of all datasets with --dataset none, or give one of the datasets.",
                parameter=name,
            )


def _shared(scores: Sequence[Scores]) -> list[Scores]:
    """The rows of items that both systems have."""
    keys = []
    for one in scores:
        assert one.datasets is not None
        ids = map(str, range(one.rows)) if one.ids is None else one.ids.texts()
        keys.append(list(zip(one.datasets.texts(), ids, strict=True)))
    common = set(keys[0]) & set(keys[1])
    return [one.take(np.array([key in common for key in rows])) for one, rows in zip(scores, keys, strict=True)]


def _decided(pooled: Comparison, ranking: Ranking, datasets: int, alpha: float, resamples: int) -> Comparison:
    (pair,) = ranking.pairs
    own = {s.system: SystemScore(s.system, s.value, s.low, s.high) for s in ranking.scores}
    a, b = pooled.systems
    low, high = pair.low, pair.high
    if pair.systems != (a, b) and low is not None and high is not None:
        # A ranking names the better system first.
        low, high = -high, -low
    p = _p_of(pair, ranking, resamples)
    found = replace(
        pooled,
        scores=(own[a], own[b]),
        difference=own[a].value - own[b].value,
        p=p,
        interval=None if low is None else Interval(low, high, 1 - alpha, ranking.interval, dual=False),
        design=replace(pooled.design, datasets=datasets, path=[]),
        signature=_signature(pooled, p, datasets),
        # These speak of single items, and not of datasets that count alike.
        effects=[],
        power=None,
        fragility=None,
        replicability=next(iter(ranking.replicability), None),
        pictures=None if pooled.pictures is None else replace(pooled.pictures, null=None, sizes=[], sizes_test=""),
    )
    found = with_verdict(found, alpha=alpha, alternative="two-sided", delta=0.0, identical=pooled.identical)
    # How the pooled items got their interval, and their p where it came about in another way, is no longer asked.
    gone = ("interval", *(("method",) if p.method != pooled.p.method else ()))
    found = replace(found, notes=[note for note in found.notes if note.kind not in gone])
    # Datasets may be tested otherwise than their macro average is.
    found = replace(found, notes=[*found.notes, *(note for note in ranking.notes if note.kind == "method")])
    decides = f"The macro average of {datasets} datasets decides, in which each counts alike, as in `rank`."
    return _with(found, Note("reading", decides), _pooled_note(pooled))


def _p_of(pair: RankedPair, ranking: Ranking, resamples: int) -> PValue:
    """The p-value of the only pair, with what sampling leaves open."""
    log_p, value = pair.p.log10 * LN10, pair.p.value
    if pair.p.method == "monte-carlo":
        found = sampled_p(round(value * (resamples + 1)) - 1, resamples, "sign-flips")
    else:
        found = PValue.from_logs(log_p, log_p, method=pair.p.method, kernel=ranking.kernel)
        if pair.p.method == "exact":
            # The logarithm has lost the last digits.
            found = replace(found, value=value, lower=min(found.lower, value), upper=value)
    return replace(found, test=ranking.test, n=pair.n)


def _pooled_note(pooled: Comparison) -> Note:
    first, second = (f"{s.system} {format_number(s.value)}" for s in pooled.scores)
    size = count(pooled.n, pooled.design.noun)
    text = f"Pooled over all {size}: {pooled.metric} of {first}, of {second}, {format_p(pooled.p, brief=True)}."
    return Note("reading", text)


def _signature(pooled: Comparison, p: PValue, datasets: int) -> Signature:
    new = dict(p.signature.parts)
    parts = [(name, new.get(name, value)) for name, value in pooled.signature.parts]
    # The version stands last among what is ours; a metric's own signature may follow.
    place = next(i for i, (name, _) in enumerate(parts) if name == "outscore")
    return Signature([*parts[:place], ("datasets", f"{datasets}, macro average"), *parts[place:]])


def _with(found: Comparison, *notes: Note) -> Comparison:
    return replace(found, notes=[*notes, *found.notes])

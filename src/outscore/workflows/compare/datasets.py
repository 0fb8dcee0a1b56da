"""Several datasets in one comparison: the verdict is about their macro average, which weights them equally, as in a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10
from outscore.inference.base.question import sampled_p
from outscore.inference.pairwise.macro import RESAMPLES
from outscore.language.numbers import count, format_number, format_p
from outscore.language.verdict.comparison import with_verdict
from outscore.results.analysis import DATASET, Bucket
from outscore.results.comparison import Comparison, SystemScore
from outscore.results.note import Note, Signature
from outscore.results.pvalue import Interval, PValue
from outscore.results.ranking import RankedPair, Ranking, Standing
from outscore.scores.panel import Panel, panels_of
from outscore.scores.system import Scores, shared_datasets
from outscore.workflows.rank.panels import rank_panels
from outscore.workflows.rank.question import Question as RankQuestion
from outscore.workflows.requests.compare import CompareRequest


def macro_averaged(
    pooled: Comparison, scores: tuple[Scores, Scores], metric: str | AdditiveMetric, request: CompareRequest
) -> Comparison:
    """The comparison of the macro averages over the datasets of the scores; pooled if those cannot be compared."""
    names = shared_datasets(scores)
    renamed = [replace(system, name=name) for system, name in zip(_shared(scores), pooled.systems, strict=True)]
    asked = {**request.asked(), "repeats": request.repeats}
    try:
        panels = panels_of(renamed, metric, request.duplicates)  # type: ignore[arg-type] # an unknown rule is refused there
    except OutscoreError as refusal:
        return _untested(pooled, len(names), refusal)
    return by_macro_average(pooled, panels, asked)


def by_macro_average(pooled: Comparison, panels: Sequence[Panel], asked: Mapping[str, Any]) -> Comparison:
    """The comparison of the panels' macro averages, with what pooling would say; pooled if those cannot be compared.

    The numbers are those of `rank`, so that both commands give the same answer. `asked` are the options of the comparison.
    """
    _refuse_unasked(len(panels), asked)
    if asked["test"] in ("all", "bayes"):
        reason = f"test `{asked['test']}` is for single items"
        text = f"The {pooled.design.noun}s of {len(panels)} datasets were pooled, because {reason}."
        return _with(pooled, Note("reading", text))
    same = {field.name for field in fields(RankQuestion)} & asked.keys()
    question = RankQuestion(**{name: asked[name] for name in same})
    try:
        ranking = rank_panels(panels, question).ranking
    except OutscoreError as refusal:
        return _untested(pooled, len(panels), refusal)
    drawn = int(str(question.options.get("resamples") or RESAMPLES))
    return _decided(pooled, ranking, len(panels), question.alpha, drawn)


def _untested(pooled: Comparison, datasets: int, refusal: OutscoreError) -> Comparison:
    start = f"The {pooled.design.noun}s of {datasets} datasets were pooled, because their macro average cannot be tested"
    return _with(pooled, Note("reading", f"{start}: {refusal.message}"))


def _refuse_unasked(datasets: int, asked: Mapping[str, Any]) -> None:
    """Refuse what the macro average does not answer, instead of answering it for the pooled items."""
    for name, default in (("alternative", "two-sided"), ("delta", 0), ("margin", None)):
        if asked[name] != default:
            raise OutscoreError(
                f"The scores come from {datasets} datasets, whose macro average is tested two-sided for any difference.",
                "Pool the items of all datasets with --dataset none, or give one dataset only.",
                parameter=name,
            )


def _shared(scores: Sequence[Scores]) -> list[Scores]:
    """The rows of items that both systems have."""
    keys = []
    for system in scores:
        assert system.datasets is not None
        ids = map(str, range(system.rows)) if system.ids is None else system.ids.texts()
        keys.append(list(zip(system.datasets.texts(), ids, strict=True)))
    common = set(keys[0]) & set(keys[1])
    return [system.take(np.array([key in common for key in rows])) for system, rows in zip(scores, keys, strict=True)]


def _agrees(p: PValue) -> bool:
    """Whether the interval of a macro average holds 0 exactly where p does not reject it: that of swaps does."""
    return p.test == "permutation"


def _decided(pooled: Comparison, ranking: Ranking, datasets: int, alpha: float, resamples: int) -> Comparison:
    (pair,) = ranking.pairs
    own = {s.system: SystemScore(s.system, s.value, s.low, s.high) for s in ranking.scores}
    a, b = pooled.systems
    low, high = pair.low, pair.high
    if pair.systems != (a, b):
        # A ranking names the better system first.
        low, high = (None if end is None else -end for end in (high, low))
    p = _p_of(pair, ranking, resamples)
    averaged = replace(
        pooled,
        scores=(own[a], own[b]),
        difference=own[a].value - own[b].value,
        p=p,
        interval=None if low is None and high is None else Interval(low, high, 1 - alpha, ranking.interval, dual=_agrees(p)),
        design=replace(pooled.design, datasets=datasets, path=[]),
        signature=_signature(pooled, p, datasets),
        # These are about single items, not about equally weighted datasets.
        effects=[],
        power=None,
        fragility=None,
        replicability=next(iter(ranking.replicability), None),
        # Texts have them already.
        buckets=pooled.buckets or _by_dataset(ranking, (a, b), resamples),
        pictures=None if pooled.pictures is None else replace(pooled.pictures, null=None, sizes=[], sizes_test=""),
    )
    averaged = with_verdict(averaged, alpha=alpha, alternative="two-sided", delta=0.0, identical=pooled.identical)
    # Notes on the interval of the pooled items, and on their p if it was computed differently, no longer apply.
    gone = ("interval", *(("method",) if p.method != pooled.p.method else ()))
    averaged = replace(averaged, notes=[note for note in averaged.notes if note.kind not in gone])
    # Datasets may be tested differently from their macro average.
    averaged = replace(averaged, notes=[*averaged.notes, *(note for note in ranking.notes if note.kind == "method")])
    decides = f"The verdict is about the macro average of {datasets} datasets, which weights them equally, as in `rank`."
    return _with(averaged, Note("reading", decides), _pooled_note(pooled, averaged, alpha))


def _by_dataset(ranking: Ranking, systems: tuple[str, str], resamples: int) -> list[Bucket]:
    """The comparison on each dataset, with p corrected over them."""
    rows = []
    for standing in ranking.datasets:
        (pair,), values = standing.pairs, {s.system: s.value for s in standing.scores}
        low, high = pair.low, pair.high
        if pair.systems != systems and low is not None and high is not None:
            low, high = -high, -low
        a, b = (values[name] for name in systems)
        p = replace(_p_of(pair, standing, resamples), adjusted=pair.p.adjusted)
        rows.append(Bucket(DATASET, str(standing.name), pair.n, a, b, a - b, low, high, p))
    return rows


def _p_of(pair: RankedPair, ranking: Standing, resamples: int) -> PValue:
    """The p-value of the only pair, with its sampling error."""
    log_p, value = pair.p.log10 * LN10, pair.p.value
    if pair.p.method == "monte-carlo":
        p = sampled_p(round(value * (resamples + 1)) - 1, resamples, "sign-flips")
    else:
        p = PValue.from_logs(log_p, log_p, method=pair.p.method, kernel=ranking.kernel)
        if pair.p.method == "exact":
            # The logarithm has lost the last digits.
            p = replace(p, value=value, lower=min(p.lower, value), upper=value)
    return replace(p, test=ranking.test, n=pair.n)


def _pooled_note(pooled: Comparison, averaged: Comparison, alpha: float) -> Note:
    """What pooling would say, and whether that contradicts the macro average."""
    first, second = (f"{s.system} {format_number(s.value)}" for s in pooled.scores)
    size = count(pooled.n, pooled.design.noun)
    opposite = pooled.difference * averaged.difference < 0 and pooled.p.rejects(alpha)
    sign = ": the sign is the opposite, and significant" if opposite else ""
    text = f"Pooled over all {size}: {pooled.metric} {first}, {second}, {format_p(pooled.p, brief=True)}{sign}."
    return Note("reading", text)


def _signature(pooled: Comparison, p: PValue, datasets: int) -> Signature:
    new = dict(p.signature.parts)
    parts = [(name, new.get(name, value)) for name, value in pooled.signature.parts]
    # The version comes last in our part; a metric's own signature may follow.
    place = next(i for i, (name, _) in enumerate(parts) if name == "outscore")
    return Signature([*parts[:place], ("datasets", f"{datasets}, macro average"), *parts[place:]])


def _with(comparison: Comparison, *notes: Note) -> Comparison:
    return replace(comparison, notes=[*notes, *comparison.notes])

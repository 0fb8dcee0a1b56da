"""Two systems' texts against references: several metrics, one family.

Every metric is a table of statistics per segment whose sums make its corpus score, so the comparison of texts is the comparison
of two such tables. What is added is where the tables come from, the correction over metrics, and the segments behind a score.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outscore.data import Array, PairedScores
from outscore.engine import Engine, engine_of
from outscore.errors import OutscoreError
from outscore.formats.segments import Segments, read_segments
from outscore.inference.influence import influence
from outscore.inference.multiplicity import CORRECTIONS, adjust
from outscore.metrics.cache import StatisticsCache, cache_folder, statistics_key
from outscore.metrics.text import TextMetric, segment_statistics, text_metric, verify
from outscore.options import OptionValue
from outscore.procedure.compare import compare
from outscore.procedure.slices import check_correction, compare_slices
from outscore.procedure.verdicts import worded
from outscore.results import Bucket, Comparison, Comparisons, Family, Segment

__all__ = ["compare_texts", "length_bands"]

SHOWN = 10
PIECE = 250
"""Segments a worker scores at a time: small enough for a bar that moves, large enough to be worth the way."""
LENGTH_BANDS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, None))


def compare_texts(
    a: object,
    b: object,
    reference: object,
    *,
    metrics: Sequence[str] = ("bleu", "chrf"),
    documents: Sequence[object] | None = None,
    buckets: Mapping[str, Sequence[str]] | None = None,
    correction: str = "holm",
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    jobs: int | None = None,
    cache: StatisticsCache | None = None,
    **asked: Any,  # noqa: ANN401 - as `compare` takes them
) -> Comparisons:
    """Compare two systems' texts, metric by metric, with p corrected for the number of metrics.

    Parameters
    ----------
    a, b, reference
        Lists of segments or paths of text files; `reference` may be a list of several of them.
    metrics
        Names with options, ``"bleu:tokenize=none"``; `outscore metrics` lists them.
    documents
        The document of each segment: documents are swapped and resampled as one.
    buckets
        Labels of the segments by the name of their column: each value is compared by itself, as a family of its own.
    correction
        For the p-values of the metrics, and for those of each column of buckets.
    jobs
        How many processes compute the statistics; None is as many as there are cores.

    Other parameters are those of `compare`: test, options, alternative, delta, margin, seed.

    Examples
    --------
    >>> reference = ["the cat sat on the mat", "it was late", "we go home now"]
    >>> a, b = ["the cat sat on a mat", "it was late", "we go home"], ["a cat is on mat", "it late", "we go"]
    >>> found = compare_texts(a, b, reference, metrics=["ter", "wer"], cache=StatisticsCache(None))
    >>> [(c.metric, c.difference < 0, c.p.value, c.p.method) for c in found.comparisons]
    [('ter', True, 0.25, 'exact'), ('wer', True, 0.25, 'exact')]
    """
    check_correction(correction)
    chosen = [text_metric(spec) for spec in metrics]
    if not chosen:
        raise OutscoreError("No metric was asked for.", "Name at least one, such as bleu.")
    texts = _Texts.of(a, b, reference, names)
    kept = StatisticsCache(cache_folder()) if cache is None else cache
    engine = engine_of(jobs)
    found = []
    for spec, (entry, options) in zip(metrics, chosen, strict=True):
        rows = [_statistics(entry, options, side, texts.references, engine, kept) for side in (texts.a, texts.b)]
        found.append(_compared(spec, entry, options, texts, rows, documents, buckets, correction, alpha, asked))
    found[0] = replace(found[0], notes=[*kept.notes, *found[0].notes])
    family = None
    if len(found) > 1:
        found, family = _corrected(found, correction, alpha, asked), _family(correction, len(found))
        found[0] = replace(found[0], notes=[_agreement(found, alpha), *found[0].notes])
    return Comparisons(found, {}, family)


@dataclass(frozen=True, eq=False)
class _Texts:
    """Both systems and the references, line by line."""

    names: tuple[str, str]
    a: tuple[str, ...]
    b: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, a: object, b: object, reference: object, names: tuple[str, str]) -> _Texts:
        several = reference if _is_several(reference) else [reference]
        assert isinstance(several, Sequence)
        sides = [_segments(text, name) for text, name in ((a, names[0]), (b, names[1]))]
        references = [_segments(text, f"reference {i + 1}") for i, text in enumerate(several)]
        if not references:
            raise OutscoreError("There is no reference.", "Give at least one reference text.")
        _same_length([*sides, *references])
        return cls(names, sides[0].lines, sides[1].lines, tuple(text.lines for text in references))


def _is_several(reference: object) -> bool:
    """Several references: a list whose members are texts or paths of files, not segments."""
    if isinstance(reference, (str, os.PathLike, Segments)) or not isinstance(reference, Sequence):
        return False
    return all(
        isinstance(text, (os.PathLike, Segments)) or (isinstance(text, Sequence) and not isinstance(text, str))
        for text in reference
    )


def _segments(text: object, name: str) -> Segments:
    if isinstance(text, Segments):
        return text
    if isinstance(text, (str, os.PathLike)):
        return read_segments(text)
    lines = list(text) if isinstance(text, Sequence) or hasattr(text, "__iter__") else []
    if not lines or not all(isinstance(line, str) for line in lines):
        raise OutscoreError(f"`{name}` is not a list of segments.", "Give a list of strings, or the path of a text file.")
    return Segments(name, tuple(lines))


def _same_length(texts: Sequence[Segments]) -> None:
    first = texts[-1]
    for text in texts:
        if len(text) != len(first):
            raise OutscoreError(
                f"{_called(text)} has {len(text):,} segments, {_called(first)} has {len(first):,}.",
                "Give files of the same number of lines, one segment per line.",
            )


def _called(text: Segments) -> str:
    return f"`{text.name}`" if text.origin is None else text.origin.label


def _statistics(
    entry: TextMetric,
    options: Mapping[str, OptionValue],
    hypotheses: tuple[str, ...],
    references: tuple[tuple[str, ...], ...],
    engine: Engine,
    cache: StatisticsCache,
) -> Array:
    """One row per segment, from the cache or from as many processes as there are."""
    key = statistics_key(entry.name, options, entry.signature(options, len(references)), hypotheses, references)
    found = cache.load(key)
    if found is not None:
        return found
    prepared = entry.prepare(references, options)
    tasks = [
        _Piece(entry.name, hypotheses[i : i + PIECE], tuple(r[i : i + PIECE] for r in references), dict(options), prepared)
        for i in range(0, len(hypotheses), PIECE)
    ]
    rows = np.concatenate(engine.map(_piece, tasks))
    verify(entry, hypotheses, references, rows, options)
    cache.store(key, rows)
    return rows


@dataclass(frozen=True)
class _Piece:
    """Some segments on their way to a worker."""

    metric: str
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    options: dict[str, OptionValue]
    prepared: object


def _piece(task: _Piece) -> Array:
    return segment_statistics(task.metric, task.hypotheses, task.references, task.options, task.prepared)


def _compared(
    spec: str,
    entry: TextMetric,
    options: Mapping[str, OptionValue],
    texts: _Texts,
    rows: Sequence[Array],
    documents: Sequence[object] | None,
    buckets: Mapping[str, Sequence[str]] | None,
    correction: str,
    alpha: float,
    asked: Mapping[str, Any],
) -> Comparison:
    metric = entry.make(options)
    labels = [f"segment {i + 1}" for i in range(len(texts.a))]
    common: dict[str, Any] = {**asked, "metric": metric, "alpha": alpha, "names": texts.names}
    whole = compare(rows[0], rows[1], clusters=documents, labels=labels, **common)
    pull = influence(PairedScores(rows[0], rows[1]), metric)
    parts = []
    for column, values in (buckets or {}).items():
        clusters = None if column == "document" else documents
        found, _, notes = compare_slices(rows[0], rows[1], column, values, correction=correction, clusters=clusters, **common)
        parts += [_bucket(column, part) for part in found]
        whole = replace(whole, notes=[*whole.notes, *notes])
    return replace(
        whole,
        metric=spec,
        signature=f"{whole.signature}|{entry.signature(options, len(texts.references))}",
        segments=_shown(texts, pull),
        buckets=parts,
    )


def _bucket(column: str, c: Comparison) -> Bucket:
    assert c.slice is not None
    low, high = (None, None) if c.interval is None else (c.interval.low, c.interval.high)
    return Bucket(column, c.slice.value, c.n, c.scores[0].value, c.scores[1].value, c.difference, low, high, c.p)


def _shown(texts: _Texts, pull: Array) -> list[Segment]:
    """The segments whose absence would change the difference most, strongest first."""
    strongest = np.argsort(-np.abs(pull), kind="stable")[:SHOWN].tolist()
    return [
        Segment(f"segment {i + 1}", [lines[i] for lines in texts.references], texts.a[i], texts.b[i], float(pull[i]))
        for i in strongest
        if texts.a[i] != texts.b[i] and pull[i]
    ]


def _family(correction: str, m: int) -> Family:
    return Family(correction, CORRECTIONS[correction].error_rate, m)


def _corrected(found: list[Comparison], correction: str, alpha: float, asked: Mapping[str, Any]) -> list[Comparison]:
    """Every metric with its corrected p, and with words that follow from it."""
    adjusted = adjust([c.p.upper if c.p.method == "certified" else c.p.value for c in found], correction)
    sides = {"alternative": asked.get("alternative", "two-sided"), "delta": asked.get("delta", 0.0)}
    return [
        worded(replace(c, p=replace(c.p, adjusted=float(q))), alpha=alpha, **sides)
        for c, q in zip(found, adjusted, strict=True)
    ]


def _agreement(found: Sequence[Comparison], alpha: float) -> str:
    """Whether the metrics say the same."""
    favoured = [_favoured(c) for c in found]
    claimed = [c.systems[c.decision.winner] for c in found if c.decision.winner is not None]
    level = f"{len(claimed)} of {len(found)} at alpha = {alpha:g} after correction"
    if len(set(claimed)) > 1:
        return f"The metrics contradict each other: both systems win by some of them ({level})."
    if len(set(favoured)) == 1 and favoured[0] is not None:
        return f"All {len(found)} metrics favour {favoured[0]}, {level}."
    return f"The metrics do not agree on which system is ahead; {level} show a winner."


def _favoured(c: Comparison) -> str | None:
    if c.difference == 0:
        return None
    return c.systems[0] if (c.difference > 0) == c.higher_is_better else c.systems[1]


def length_bands(reference: Sequence[str]) -> list[str]:
    """The band of each segment's length in words of the reference, for buckets.

    Examples
    --------
    >>> length_bands(["a b c", "", " ".join("x" * 50)])
    ['1-10', '0', '41 and more']
    """
    sizes = [len(line.split()) for line in reference]
    return [
        next((_band(low, high) for low, high in LENGTH_BANDS if low <= n and (high is None or n <= high)), "0") for n in sizes
    ]


def _band(low: int, high: int | None) -> str:
    return f"{low} and more" if high is None else f"{low}-{high}"

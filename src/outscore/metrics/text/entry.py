"""The form of a registry entry for metrics of texts, and the one door to the optional libraries behind them.

A metric of texts is a table of statistics, one row per segment, whose column sums make the corpus score. The
rows of a segment depend on that segment alone, given what `prepare` drew from all references: any split of
the segments over processes gives the same table.

Here is also what is asked of texts before they are scored, and of a score before it is believed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError, load_extra
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct
from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.metrics.entry import Options

Lines = Sequence[str]
"""One segment per line."""
References = Sequence[Lines]
"""The lines of each reference file: all files have as many lines as the hypotheses."""
Direction = Literal["higher", "lower"]
Foreign = Any
"""An object of a library, used as its documentation says."""

RECORDED = ".dist-info"
"""How the folder ends that says what is installed (https://packaging.python.org/en/latest/specifications/recording-installed-packages)."""
SEGMENT_COLUMNS = ("score", "segments")


def _nothing(references: References, options: Options) -> None:
    """What most metrics need to know of all references before they look at a segment."""
    del references, options


@dataclass(frozen=True)
class TextMetric:
    """One metric of texts.

    Parameters
    ----------
    name, summary, direction, options
        As for every metric.
    label
        Its name as papers write it.
    unit
        A library's score in its own unit: ``"points"`` of 100 (sacreBLEU), ``"fraction"`` of 1 (jiwer, nltk,
        rouge-score) or ``"bits"`` (NIST).
    library
        The distribution that defines the score, or that tokenises for it; its version is part of the
        signature.
    statistics
        Hypotheses, references, options and what `prepare` returned to one row per segment: int64 where whole,
        else float64.
    make
        The function of the rows' sums, for given options.
    signature
        Options and number of references to the line that makes a score reproducible.
    corpus_score
        The library's own score of a corpus, which the function of the summed statistics has to meet; None
        where no library has this score.
    prepare
        What the metric needs of all references: plain data, which travels to other processes.
    max_references
        How many references it can use; None is any number.
    formula
        Its score in the small part of TeX that the page of methods knows.
    citations
        Keys of works in ``report/works.bib``.
    tested_by
        Tools whose own test of this score `inference.compat` can repeat.
    parts
        Options and summed statistics to what the score is made of, by name, where that says more than the score.
    alone
        Options that a single segment is scored with.
    library_rows
        The library's own row of each segment, used where its score and that of `statistics` differ; None where the rows are
        segment scores, which `corpus_score` tells one by one.
    risks
        Numbers of each segment, a column for each reason why `statistics` may differ from the library there; 0 is no reason.
    times_references
        Whether rows are multiplied by the number of references, which keeps them whole.
    """

    name: str
    label: str
    summary: str
    formula: str
    direction: Direction
    unit: Literal["points", "fraction", "bits"]
    library: str
    statistics: Callable[[Lines, References, Options, object], Array]
    make: Callable[[Options], AdditiveMetric]
    signature: Callable[[Options, int | str], str]
    corpus_score: Callable[[Lines, References, Options], float] | None
    options: tuple[Option, ...] = ()
    prepare: Callable[[References, Options], object] = _nothing
    max_references: int | None = None
    citations: tuple[str, ...] = ()
    tested_by: tuple[str, ...] = ()
    parts: Callable[[Options, Array], dict[str, float]] | None = None
    alone: Options = field(default_factory=dict)
    library_rows: Callable[[Lines, References, Options], Array] | None = None
    risks: Callable[[Lines, References, Options], Array] | None = None
    times_references: bool = False


def load(module: str, metric: str, extra: str = "text") -> ModuleType:
    """A module of an optional library, or a refusal that says how to get it."""
    return load_extra(module, f"use {metric}", extra)


def version(library: str, metric: str) -> str:
    """The version of an installed distribution."""
    named = _named_version(library)
    if named is not None:
        return named
    # Its parser of e-mail takes longer to load than the statistics of a corpus.
    from importlib import metadata

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        raise OutscoreError(f"{library} must be installed to use {metric}.", "Run `pip install 'outscore[text]'`.") from None


@cache
def _named_version(library: str) -> str | None:
    """The version in the name of the folder that a distribution is recorded in, such as ``sacrebleu-2.5.1.dist-info``.

    None where the first place that has one has several, or where it is recorded in another way.
    """
    for place in sys.path:
        records = [folder.name for folder in Path(place).glob(f"{library.replace('-', '_')}-*{RECORDED}")]
        if records:
            return records[0].removesuffix(RECORDED).partition("-")[2] if len(records) == 1 else None
    return None


def segments(hypotheses: Lines, references: References) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each hypothesis with its references."""
    return zip(hypotheses, zip(*references, strict=True), strict=True)


def columns_first(totals: Array) -> Array:
    """Statistics with their columns on the first axis, each in one stretch of memory, where numpy adds them up twice as fast.

    Examples
    --------
    >>> columns_first(np.array([[1, 2], [3, 4], [5, 6]])).tolist()
    [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]
    """
    table = np.asarray(totals)
    # As np.moveaxis does, which takes longer than many a score.
    return np.array(table.transpose(-1, *range(table.ndim - 1)), dtype=np.float64, order="C")


def segment_mean(name: str, direction: Direction = "higher", *, graded: bool = False) -> AdditiveMetric:
    """The mean of segment scores, whose rows are (score, 1); scores of a hundred or more are `graded`."""
    return AdditiveMetric(name, SEGMENT_COLUMNS, ratio=((1, 0), (0, 1)), direction=direction, graded=graded, bounds=(0.0, None))


def to_rows(values: Sequence[float] | Array) -> Array:
    """Segment scores as rows of a mean.

    Examples
    --------
    >>> to_rows([0.5, 0.25])
    array([[0.5 , 1.  ],
           [0.25, 1.  ]])
    """
    scores = np.asarray(values, dtype=np.float64)
    return np.stack([scores, np.ones_like(scores)], axis=1)


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


def verify(metric: TextMetric, hypotheses: Lines, references: References, statistics: Array, options: Options) -> None:
    """Refuse statistics whose function is not the library's own score, where `find_doubt` looks."""
    doubt = find_doubt(metric, hypotheses, references, statistics, options)
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
        theirs = metric.corpus_score(*chosen_segments(hypotheses, references, rows), options)
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
    return to_rows([metric.corpus_score(*chosen_segments(hypotheses, references, [i]), options) for i in each])


def chosen_segments(
    hypotheses: Lines, references: References, rows: Sequence[int]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Some of the segments with their references."""
    return tuple([hypotheses[i] for i in rows]), [tuple([lines[i] for i in rows]) for lines in references]


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
        risks = metric.risks(*chosen_segments(hypotheses, references, looked_at.tolist()), options)
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
    bottom = metric.bottom(rows.sum(axis=0))
    return bottom is None or bool(bottom != 0)

"""The form of a registry entry for metrics of texts, and the one door to the optional libraries behind them.

A metric of texts is a table of statistics, one row per segment, whose column sums make the corpus score. The
rows of a segment depend on that segment alone, given what `prepare` drew from all references: any split of
the segments over processes gives the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError, load_extra
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
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
        Keys of works in ``report/references/works.bib``.
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

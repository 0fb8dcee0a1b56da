"""Labels of segments, one per line, and several runs of each system as the mean of their scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.rows import RUNS, PairedScores, Repeats
from outscore.core.rows import Runs as RunsOfSystem
from outscore.formats.base.source import stem_of
from outscore.formats.segments import Segments, read_segments
from outscore.inference.base.influence import influence, jackknife_error
from outscore.inference.describe.effects import evaluation_units
from outscore.inference.describe.repeats import run_test, standard_error
from outscore.metrics.text.ngrams import SPACELESS, band_name, band_of
from outscore.results.analysis import Bucket
from outscore.results.comparison import Runs
from outscore.scores.panel import Panel
from outscore.scores.system import Labels as Codes
from outscore.workflows.question import Question
from outscore.workflows.requests import shared

# Several runs of each system: one metric, the mean of the runs' scores.
#
# Difference, interval and p are then about one number. The corpus score of averaged statistics is another, and the two may
# even have different signs: BLEU penalises a run that writes too little, but not its average with one that writes too much.


def mean_of_runs(metric: AdditiveMetric, systems: Sequence[Sequence[Array]]) -> tuple[list[Array], AdditiveMetric]:
    """The rows of systems with several runs each, and the metric whose score of them is the mean of the runs' scores.

    A rate whose denominators are the same in all runs is the rate of averaged statistics, and keeps its exact test. For other
    metrics the statistics of the runs are put side by side: a swap exchanges a segment in all runs at once, and a resample
    draws it for all of them. The systems need not have equally many runs: the column after a run's own says whether it exists.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> mean_of_runs(mean, [[np.array([[1, 1]]), np.array([[2, 1]])], [np.array([[4, 1]])]])[0]
    [array([[1.5, 1. ]]), array([[4, 1]])]
    >>> root = AdditiveMetric("root", ("x",), lambda totals: np.sqrt(totals[..., 0]))
    >>> (a, b), both = mean_of_runs(root, [[np.array([[1]]), np.array([[9]])], [np.array([[25]])]])
    >>> a, b, float(both.score(a.sum(axis=0))), float(both.score(b.sum(axis=0)))
    (array([[1, 1, 9, 1]]), array([[25,  1,  0,  0]]), 2.0, 5.0)
    """
    most = max(map(len, systems))
    if most == 1:
        return [runs[0] for runs in systems], metric
    if _same_denominators(metric, [rows for runs in systems for rows in runs]):
        return [runs[0] if len(runs) == 1 else np.mean(np.stack(runs), axis=0) for runs in systems], metric
    columns = tuple(f"{column} of run {k + 1}" for k in range(most) for column in (*metric.columns, "existence"))
    together = AdditiveMetric(metric.name, columns, partial(_mean_of_existing, metric), metric.direction)
    return [_side_by_side(runs, most) for runs in systems], together


def repeats_of_runs(metric: AdditiveMetric, systems: Mapping[str, Sequence[Array]], *, column: str = "") -> Repeats | None:
    """The runs of systems by segment, each run's rows in the columns of `metric`; None if each has one run."""
    if all(len(runs) == 1 for runs in systems.values()):
        return None
    return Repeats(RUNS, column, tuple(_runs_of_system(runs, name) for name, runs in systems.items()), metric)


def _runs_of_system(runs: Sequence[Array], name: str) -> RunsOfSystem:
    segments = np.arange(len(runs[0]))
    of_run = np.repeat(np.arange(len(runs)), len(segments))
    return RunsOfSystem(np.concatenate(runs), np.tile(segments, len(runs)), of_run, name)


def _same_denominators(metric: AdditiveMetric, runs: Sequence[Array]) -> bool:
    if metric.ratio is None:
        return False
    if metric.ratio[1] is None:
        return True
    v = np.asarray(metric.ratio[1])
    return all(np.array_equal(rows @ v, runs[0] @ v) for rows in runs)


def _side_by_side(runs: Sequence[Array], most: int) -> Array:
    rows = [np.concatenate([table, np.ones((len(table), 1), dtype=table.dtype)], axis=1) for table in runs]
    return np.concatenate([*rows, *[np.zeros_like(rows[0])] * (most - len(runs))], axis=1)


def _mean_of_existing(metric: AdditiveMetric, totals: Array) -> Array:
    """The mean score of the runs that exist; 0 if nothing was scored, as everywhere."""
    width = len(metric.columns) + 1
    runs = np.asarray(totals).reshape(*totals.shape[:-1], totals.shape[-1] // width, width)
    exists = runs[..., -1] > 0
    scores = np.where(exists, metric.score(runs[..., :-1]), 0.0)
    return np.asarray(scores.sum(axis=-1) / np.maximum(exists.sum(axis=-1), 1))


def runs_of(
    metric: AdditiveMetric,
    runs_a: Sequence[Array],
    runs_b: Sequence[Array],
    documents: Sequence[object] | None,
    question: Question,
) -> Runs:
    """The scores of the runs, what runs and the test set each contribute to the spread, and the test over runs.

    The test set varies by what the comparison resamples as one: segments, units of several, or documents.
    """
    a, b = (np.array([float(metric.score(rows.sum(axis=0))) for rows in side]) for side in (runs_a, runs_b))
    (rows_a, rows_b), together = mean_of_runs(metric, (runs_a, runs_b))
    clusters = None if documents is None else Codes.of(documents).codes
    pairs, _ = evaluation_units(PairedScores(rows_a, rows_b, clusters=clusters), together, *question.units)
    return Runs(
        a.tolist(),
        b.tolist(),
        jackknife_error(influence(pairs.units(), together)),
        standard_error(a, b),
        run_test(a, b, replace(question.of_test, delta=0.0), higher_is_better=metric.higher_is_better),
    )


# Labels of segments, from Python or from a file with one label per line: documents, buckets, and test sets or language
# pairs.
#
# Segments are swapped by document, cut into buckets, and ranked on a panel for each test set.


Labels = tuple[object, ...]

LENGTH = "length"
"""The bucket that needs no labels: reference length."""
LENGTH_COLUMN = "reference length"
LENGTH_BANDS = (0, 1, 11, 21, 31, 41)
"""The shortest length of each range."""


def labels_of_segments(given: object, column: str, segments: int) -> Labels:
    """A label for each segment, none of them missing or blank: a list, or a file with one label per line or its path.

    Examples
    --------
    >>> labels_of_segments(["news", "news", "talk"], "documents", 3)
    ('news', 'news', 'talk')
    """
    read = read_segments(given) if isinstance(given, (str, os.PathLike)) else given
    file = read.origin.label if isinstance(read, Segments) and read.origin is not None else None
    values = read.lines if isinstance(read, Segments) else read
    if not isinstance(values, Iterable):
        raise OutscoreError(f"`{column}` is {given!r}.", "Give a label for each segment, or the path of a file of labels.")
    labels = tuple(values)
    if len(labels) != segments:
        held = f"There are {len(labels):,} labels of {column}" if file is None else f"{file} has {len(labels):,} lines"
        raise OutscoreError(f"{held} for {segments:,} segments.", "Give one label for each segment.")
    for i, label in enumerate(labels):
        if isinstance(label, (list, tuple, np.ndarray)):
            raise OutscoreError(f"`{column}` has several labels at segment {i + 1}.", "Give one label for each segment.")
        if _missing(label):
            where = f"`{column}` has no label at segment {i + 1}" if file is None else f"{file}, line {i + 1}: no label"
            raise OutscoreError(f"{where}.", "Give every segment a label.")
    return labels


def _missing(label: object) -> bool:
    # A missing value in an array of numbers (nan) is not equal to itself.
    return label is None or label != label or (isinstance(label, str) and not label.strip())  # noqa: PLR0124


def named_buckets(
    columns: Iterable[tuple[str, object]], reference: Sequence[str], option: str = "`buckets`"
) -> dict[str, Labels]:
    """The labels of every column of buckets, by its name; ``"length"`` is that of the reference.

    Examples
    --------
    >>> named_buckets([(LENGTH_COLUMN, "length")], ["a b c", ""])
    {'reference length': ('1-10', '0')}
    """
    labels_by_column: dict[str, Labels] = {}
    for name, given in columns:
        if name in labels_by_column:
            raise OutscoreError(f"{option} names `{name}` twice.", "Name it once, or rename a file.", parameter="buckets")
        by_length = isinstance(given, str) and given == LENGTH
        labels_by_column[name] = (
            tuple(length_bands(reference)) if by_length else labels_of_segments(given, name, len(reference))
        )
    return labels_by_column


def buckets_by_source(buckets: object) -> Iterable[tuple[str, object]]:
    """Columns of buckets and what holds their labels, by which those without a name are called.

    `buckets` is ``"length"``, the path of a file of labels, a list of these, or labels by the name of their column.
    """
    if buckets is None:
        return []
    if isinstance(buckets, Mapping):
        return buckets.items()
    written = [buckets] if isinstance(buckets, (str, os.PathLike)) else buckets
    if not isinstance(written, (list, tuple)) or not all(isinstance(name, (str, os.PathLike)) for name in written):
        raise OutscoreError(
            f"`buckets` is {buckets!r}.",
            'Give "length", the path of a file of labels, or {"topic": a label for each segment}.',
            parameter="buckets",
        )
    return [(LENGTH_COLUMN if name == LENGTH else stem_of(os.fspath(name)), name) for name in written]


def length_bands(reference: Sequence[str]) -> list[str]:
    """The band of each segment's reference length in words, for buckets.

    In scripts without spaces between words, each character counts as a word.

    Examples
    --------
    >>> length_bands(["a b c", "", " ".join("x" * 50), "猫坐在垫子上了今天下午"])
    ['1-10', '0', '41 and more', '11-20']
    """
    sizes = [len(SPACELESS.sub(r" \g<0> ", line).split()) for line in reference]
    return [band_name(band_of(n, LENGTH_BANDS), LENGTH_BANDS) for n in sizes]


def in_bands(buckets: list[Bucket]) -> list[Bucket]:
    """Length bands from the shortest up; other labels in the order in which they first appear."""
    order = {band_name(i, LENGTH_BANDS): i for i in range(len(LENGTH_BANDS))}
    banded = all(bucket.value in order for bucket in buckets)
    return sorted(buckets, key=lambda bucket: order[bucket.value]) if banded else buckets


@dataclass(frozen=True)
class Datasets:
    """The dataset of each segment; no labels where all segments are of one.

    Examples
    --------
    >>> found = Datasets.of(["news", "talk", "news"])
    >>> {name: rows.tolist() for name, rows in found.rows.items()}
    {'news': [0, 2], 'talk': [1]}
    >>> found.segment_names(3)
    ['news, segment 1', 'talk, segment 1', 'news, segment 2']
    >>> bool(found), bool(Datasets.of(["news", "news"]))
    (True, False)
    """

    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, labels: Sequence[object] | None) -> Datasets:
        """The datasets that labels tell apart."""
        found = tuple(str(label) for label in labels or ())
        return cls(found if len(set(found)) > 1 else ())

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def rows(self) -> dict[str, Array]:
        """The segments of each dataset, by its name."""
        labels = np.array(self.labels)
        return {name: np.flatnonzero(labels == name) for name in dict.fromkeys(self.labels)}

    def cut(self, rows: Array) -> list[Array]:
        """The rows of each dataset; all of them where there is one."""
        return [rows[mine] for mine in self.rows.values()] if self else [rows]

    def segment_names(self, segments: int) -> list[str]:
        """What segments are called: by their number, in their dataset where there are several."""
        names = [f"segment {i + 1}" for i in range(segments)]
        for dataset, rows in self.rows.items():
            for place, i in enumerate(rows.tolist(), 1):
                names[i] = f"{dataset}, segment {place}"
        return names

    def pull(self, a: Array, b: Array, metric: AdditiveMetric) -> Array:
        """How much of the difference hangs on each segment: of several datasets, of the mean of their differences."""
        if not self:
            return influence(PairedScores(a, b), metric)
        found = np.zeros(len(a))
        for rows in self.rows.values():
            found[rows] = influence(PairedScores(a[rows], b[rows]), metric) / len(self)
        return found


ONE = Datasets()
"""All segments are of one dataset."""


def datasets_of_segments(given: object, said: Sequence[str] | None, segments: int) -> Datasets:
    """The datasets that labels, or a file of them, tell apart; where none are given, those that the texts name.

    Examples
    --------
    >>> datasets_of_segments(None, ("news", "talk"), 2).labels, datasets_of_segments("none", ("news", "talk"), 2).labels
    (('news', 'talk'), ())
    """
    labels = said if given is None else given
    if labels is None or (isinstance(labels, str) and labels == shared.POOLED):
        return ONE
    return Datasets.of(labels_of_segments(labels, "dataset", segments))


def panels_of_runs(
    metric: AdditiveMetric,
    systems: Mapping[str, Sequence[Array]],
    documents: Sequence[object] | None,
    datasets: Datasets = ONE,
    *,
    column: str = "run",
) -> list[Panel]:
    """A panel for each dataset from the rows of every run of each system; `column` is what the runs are called.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = {"A": [np.array([[1, 1], [0, 1], [1, 1]])], "B": [np.array([[0, 1], [0, 1], [1, 1]])]}
    >>> panels = panels_of_runs(mean, rows, None, Datasets.of(["news", "talk", "news"]))
    >>> [(panel.dataset, panel.rows[..., 0].tolist()) for panel in panels]
    [('news', [[1, 1], [0, 1]]), ('talk', [[0], [0]])]
    """
    of_systems, together = mean_of_runs(metric, list(systems.values()))
    values = np.stack(of_systems)
    everything: dict[str | None, Array] = {None: np.arange(values.shape[1])}
    panels = []
    for name, rows in {**datasets.rows}.items() if datasets else everything.items():
        mine = {system: [table[rows] for table in runs] for system, runs in systems.items()}
        labels = None if documents is None else Codes.of(documents[i] for i in rows.tolist())
        panels.append(
            Panel.of(
                together,
                tuple(systems),
                values[:, rows],
                clusters=None if labels is None else labels.codes,
                cluster_names=() if labels is None else labels.names,
                dataset=name,
                repeats=repeats_of_runs(metric, mine, column=column),
            )
        )
    return panels

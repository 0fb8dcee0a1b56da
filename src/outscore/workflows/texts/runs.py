"""Several runs of each system: one metric, the mean of the runs' scores.

Difference, interval and p are then about one number. The corpus score of averaged statistics is another, and the two may
even have different signs: BLEU penalises a run that writes too little, but not its average with one that writes too much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import RUNS, PairedScores, Repeats, codes_of
from outscore.core.rows import Runs as RunsOfSystem
from outscore.inference.base.influence import influence, jackknife_error
from outscore.inference.describe.effects import evaluation_units
from outscore.inference.describe.repeats import run_test, standard_error
from outscore.results.comparison import Runs
from outscore.workflows.validate import Question


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
    together = AdditiveMetric(metric.name, columns, _mean_score(metric), metric.direction)
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


def _mean_score(metric: AdditiveMetric) -> Callable[[Array], Array]:
    """The mean score of the runs that exist; 0 if nothing was scored, as everywhere."""
    # A closure could not be sent to other processes.
    return partial(_mean_of_existing, metric)


def _mean_of_existing(metric: AdditiveMetric, totals: Array) -> Array:
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
    pairs = PairedScores(rows_a, rows_b, clusters=codes_of(documents, len(rows_a), "documents"))
    if question.unit_size != 1:
        pairs, _ = evaluation_units(pairs, together, question.unit_size, question.unit_statistic, question.shuffle)
    return Runs(
        a.tolist(),
        b.tolist(),
        jackknife_error(influence(pairs.units(), together)),
        standard_error(a, b),
        run_test(
            a,
            b,
            alternative=question.alternative,
            higher_is_better=metric.higher_is_better,
            seed=question.seed,
        ),
    )

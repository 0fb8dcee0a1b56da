"""Which population a comparison speaks of: what each can be had for, which one decides, and what the others say.

The test that was named answers for new items. Where repeats are runs and both systems have a complete table of items by runs,
the two-way test answers for new items and new runs, and decides unless the caller asks otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.paired import PairedScores
from outscore.core.repeats import RUNS, Repeats
from outscore.inference.base.entry import TestRequest
from outscore.inference.base.item_scores import scores_if_any, skewness
from outscore.inference.base.paired import NoSpreadError
from outscore.inference.describe.repeats import run_test, standard_error
from outscore.inference.populations import ITEMS, ITEMS_AND_RUNS, usual_population
from outscore.inference.registry import DEFAULT
from outscore.inference.runs.two_way import FEW_RUNS, TwoWay, two_way_of_rows
from outscore.language.numbers import count
from outscore.metrics.registry import resolve
from outscore.results.comparison import PopulationAnswer, Runs, TestResult
from outscore.results.note import Note
from outscore.workflows.compare.variants import scores_of
from outscore.workflows.validate import Question

__all__ = ["Answer", "answer_of", "unequal_runs_note"]

COCHRAN = 25
"""A mean of n numbers with skewness γ is nearly normal from n = 25 γ² on."""


@dataclass(frozen=True)
class Answer:
    """The answer for the population that decides: its test as a function of what is asked, and what goes with it."""

    population: str
    found: TestResult
    run: Callable[[TestRequest], TestResult]
    others: list[PopulationAnswer] = field(default_factory=list)
    runs: Runs | None = None
    notes: list[Note] = field(default_factory=list)


def answer_of(
    pairs: PairedScores,
    metric: AdditiveMetric,
    question: Question,
    repeats: Repeats | None,
    found: TestResult,
    *,
    spec: str | AdditiveMetric,
) -> Answer:
    """The answer of the test that was named, or of the two-way test where the claim is about new runs too.

    `found` is what the test that was named says, `spec` the metric as it was asked for.
    """

    def over_items(request: TestRequest) -> TestResult:
        return question.entry.run(pairs, metric, request)

    crossed, lacking = _crossed(pairs, metric, spec, question, repeats)
    if crossed is None:
        _refuse_other(question.population, lacking)
        notes = [] if repeats is None or repeats.kind != RUNS else [_these_runs(lacking)]
        return Answer(ITEMS, found, over_items, notes=notes)
    both = crossed.result(question.of_test)
    runs = crossed.runs(question)
    named = None if question.entry.name == DEFAULT else ITEMS
    if (question.population or named or usual_population(RUNS)) == ITEMS:
        return Answer(ITEMS, found, over_items, [PopulationAnswer(ITEMS_AND_RUNS, both.p, both.interval)], runs)
    others = [PopulationAnswer(ITEMS, found.p, found.interval)]
    few = [Note("runs", FEW_RUNS)] if min(crossed.found.a.runs, crossed.found.b.runs) < 3 else []
    return Answer(ITEMS_AND_RUNS, both, crossed.result, others, runs, few)


@dataclass(frozen=True, eq=False)
class _Crossed:
    """Both systems' rows by item and run in the metric's own columns, and the two-way analysis of them."""

    found: TwoWay
    a: Array
    b: Array
    metric: AdditiveMetric

    @property
    def orientation(self) -> int:
        return 1 if self.metric.higher_is_better else -1

    def result(self, request: TestRequest) -> TestResult:
        """What the two-way test says."""
        p = self.found.p(request.alternative, request.delta, orientation=self.orientation)
        return TestResult(p, self.found.interval(request.alpha, request.alternative, orientation=self.orientation))

    def runs(self, question: Question) -> Runs:
        """The scores of the runs, and what items and runs each contribute to the spread."""
        a, b = (np.asarray(self.metric.score(rows.sum(axis=0)), dtype=float) for rows in (self.a, self.b))
        alone = run_test(
            a,
            b,
            alternative=question.alternative,
            higher_is_better=self.metric.higher_is_better,
            seed=question.seed,
        )
        return Runs(a.tolist(), b.tolist(), float(np.sqrt(self.found.items.variance)), standard_error(a, b), alone)


def unequal_runs_note(pairs: PairedScores, metric: AdditiveMetric, repeats: Repeats | None) -> list[Note]:
    """A warning where item means of unequally many runs are few and skewed: fewer than 25 γ² (Cochran, 1977), by clusters."""
    scores = scores_if_any(pairs, metric) if repeats is not None and repeats.raw else None
    if scores is None:
        return []
    d = scores.d if scores.clusters is None else np.bincount(scores.clusters, weights=scores.d)
    gamma = skewness(d)
    if gamma is None or len(d) >= COCHRAN * gamma**2:
        return []
    units = count(len(d), "item" if scores.clusters is None else "cluster")
    text = (
        f"Unequally many runs of {units} with skewed differences (skewness {gamma:.2g}): p may be far too small. Compare"
        " equally many runs of each item."
    )
    return [Note("data", text)]


def _crossed(
    pairs: PairedScores, metric: AdditiveMetric, spec: str | AdditiveMetric, question: Question, repeats: Repeats | None
) -> tuple[_Crossed | None, str]:
    """The two-way analysis, or why it cannot be had, as a clause."""
    lacking = _lacking(question, repeats)
    if lacking or repeats is None or repeats.a.values is None or repeats.b.values is None:
        return None, lacking
    items = pairs.per_item()
    first, second = scores_of(items, metric)
    of_run, a, b = _in_columns(repeats.metric or spec, repeats.a.values, repeats.b.values)
    found = two_way_of_rows(a, b, of_run, difference=first - second, clusters=items.clusters)
    try:
        found.p(question.alternative, question.delta)
    except NoSpreadError:
        return None, "the scores do not vary"
    return _Crossed(found, a, b, of_run), ""


def _lacking(question: Question, repeats: Repeats | None) -> str:
    """What an analysis of items and runs lacks, as a clause; empty where it lacks nothing."""
    if repeats is None:
        return "each item was scored once"
    if repeats.kind != RUNS:
        called = f"`{repeats.column}` holds" if repeats.column else "the repeats are"
        return f"{called} epochs, which have nothing to do with one another from item to item"
    if repeats.lacking:
        return repeats.lacking
    if question.unit_size != 1:
        return "units of several items are compared"
    return "there is a single item" if repeats.a.values is not None and len(repeats.a.values) < 2 else ""


def _in_columns(spec: str | AdditiveMetric, a: Array, b: Array) -> tuple[AdditiveMetric, Array, Array]:
    """The metric, and both systems' (items, runs, columns) rows of it."""
    metric, rows_a, rows_b = resolve(spec, *(table.reshape(-1, *table.shape[2:]) for table in (a, b)))
    return metric, rows_a.reshape(*a.shape[:2], -1), rows_b.reshape(*b.shape[:2], -1)


def _these_runs(lacking: str) -> Note:
    return Note("runs", f"The claim is about these runs and not about new ones: {lacking}.")


def _refuse_other(population: str | None, lacking: str) -> None:
    if population in (None, ITEMS):
        return
    cure = "Leave --population out, or say --repeats runs where one repeat spans all items."
    raise OutscoreError(f"Population {population} cannot be had: {lacking}.", cure, parameter="population")

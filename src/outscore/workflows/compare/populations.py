"""Which population a comparison is about: which ones the data allow, which one decides, and what the others say.

The named test answers for new items. If repeats are runs and both systems have a complete table of items by runs,
the two-way test answers for new items and new runs, and decides unless the caller names a population. Whatever the repeats are,
exchanging them answers for new runs of exactly these items.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.rows import RUNS, PairedScores, Repeats
from outscore.core.rows import Runs as RunsOfSystem
from outscore.inference.base.differences import scores_if_any, skewness
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.own_score import OwnRows, interval_method, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.histograms import null_of_exchange
from outscore.inference.describe.repeats import (
    OWN_BY_RUNS,
    own_run_limits,
    run_interval,
    run_test,
    smallest_run_p,
    standard_error,
)
from outscore.inference.populations import (
    ITEMS,
    ITEMS_AND_RUNS,
    POPULATIONS,
    THESE_ITEMS,
    choose_population,
    lacking,
    usual_population,
)
from outscore.inference.power.observed import POWER
from outscore.inference.registry import DEFAULT
from outscore.inference.runs import COARSE, FINE, SPREAD_UNSEEN, UNEQUAL_LAWS, exchange_of_rows, sampled_exchange
from outscore.inference.shifted import is_shifted, larger
from outscore.inference.two_way import FEW_RUNS, RunsLaw, TwoWay, added_by_runs, price_of_runs, two_way_of_rows
from outscore.language.numbers import count, format_probability
from outscore.metrics.registry import resolve
from outscore.results.analysis import NullHistogram, Power
from outscore.results.comparison import PopulationAnswer, Runs, TestResult
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.workflows.compare.evidence import scores_of
from outscore.workflows.validate import Question

COCHRAN = 25
"""A mean of n numbers with skewness γ is nearly normal from n = 25 γ² on."""


Run = Callable[[TestRequest], TestResult]


@dataclass(frozen=True)
class Answer:
    """The answer for the population that decides: its test as a function of what is asked, and what goes with it.

    `null` is the null distribution, if it is not that of swaps of items; `more_items_help` as in a line.
    """

    population: str
    result: TestResult
    run: Run
    others: list[PopulationAnswer] = field(default_factory=list)
    runs: Runs | None = None
    notes: list[Note] = field(default_factory=list)
    null: NullHistogram | None = None
    smallest_p: float | None = None
    more_items_help: bool = True
    power: Power | None = None


@dataclass(frozen=True)
class _Line:
    """What one population says: its test, its smallest possible p, notes to show if it decides, and its null distribution.

    `more_items_help` says that a margin is a question of the number of items alone.
    """

    run: Run
    smallest_p: float | None = None
    notes: list[Note] = field(default_factory=list)
    null: Callable[[], NullHistogram | None] = lambda: None
    more_items_help: bool = False


def answer_of(
    pairs: PairedScores,
    metric: AdditiveMetric,
    question: Question,
    repeats: Repeats | None,
    result: TestResult,
    *,
    spec: str | AdditiveMetric,
) -> Answer:
    """The answer for the requested or default population, and those for all others that the data allow.

    `result` is the answer of the named test for new items, `spec` the metric as it was requested.
    """

    def over_items(request: TestRequest) -> TestResult:
        return as_known(question.entry.run(pairs, metric, request), repeats)

    kind, items, size = None if repeats is None else repeats.kind, pairs.per_item().rows, question.unit_size
    missing = {name: lacking(name, [repeats], kind, unit_size=size, items=items) for name in POPULATIONS}
    lines: dict[str, _Line] = {
        ITEMS: _Line(over_items, None if repeats is None else _smallest_of_items(result.p, question), more_items_help=True)
    }
    crossed = None
    if repeats is not None and not missing[ITEMS_AND_RUNS]:
        crossed = _crossed(pairs, metric, spec, question, repeats)
        missing[ITEMS_AND_RUNS] = "the scores do not vary" if crossed is None else ""
    if crossed is not None:
        few = min(crossed.analysis.a.runs, crossed.analysis.b.runs) < 3
        analysis = crossed

        def over_both(request: TestRequest) -> TestResult:
            return analysis.at_margin(request, over_items(request)) if is_shifted(request) else analysis.result(request)

        few_runs = [Note("runs", FEW_RUNS)] if few else []
        lines[ITEMS_AND_RUNS] = _Line(over_both, notes=few_runs, more_items_help=crossed.silent)
    if repeats is not None and not missing[THESE_ITEMS]:
        lines[THESE_ITEMS] = _these_items(pairs, metric, spec, question, repeats)
    usual, only_items = usual_population(kind), question.entry.name != DEFAULT
    chosen = choose_population(
        question.population, missing, [repeats], kind, only_items=only_items, units=question.unit_size != 1
    )
    notes = list(lines[chosen].notes)
    if chosen == ITEMS and usual not in lines:
        notes = [_these_runs(missing[usual])]
    elif chosen == ITEMS != usual and question.population is None:
        why = f"`{question.entry.name}` works on items only; leave --test out for a claim about new runs"
        notes = [replace(_these_runs(why), kind="warning")]
    asked = question.of_test
    answers = {name: result if name == ITEMS else line.run(asked) for name, line in lines.items()}
    if chosen == ITEMS_AND_RUNS and crossed is not None and answers[ITEMS].p.value <= question.alpha < answers[chosen].p.value:
        notes.append(Note("runs", price_of_runs(min(crossed.analysis.a.runs, crossed.analysis.b.runs))))
    others = [name for name in lines if name != chosen]
    return Answer(
        chosen,
        answers[chosen],
        lines[chosen].run,
        [PopulationAnswer(name, answers[name].p, answers[name].interval, lines[name].smallest_p) for name in others],
        None if crossed is None else crossed.runs(question),
        notes,
        lines[chosen].null(),
        lines[chosen].smallest_p,
        lines[chosen].more_items_help,
        crossed.power(answers[chosen].p, question) if chosen == ITEMS_AND_RUNS and crossed is not None else None,
    )


def _smallest_of_items(p: PValue, question: Question) -> float | None:
    """The smallest p that swapping so many items can give."""
    if p.test != DEFAULT or question.delta:
        return None
    # What is too small for a number is no limit.
    return math.ldexp(2 if question.alternative == "two-sided" else 1, -p.n) or None


@dataclass(frozen=True, eq=False)
class _Crossed:
    """Both systems' rows by item and run in the metric's own columns, and the two-way analysis of them.

    `clusters` are those of the items.
    """

    analysis: TwoWay
    a: Array
    b: Array
    metric: AdditiveMetric
    clusters: Array | None

    @property
    def orientation(self) -> int:
        return 1 if self.metric.higher_is_better else -1

    @property
    def silent(self) -> bool:
        """Whether nothing varies, neither over items nor over runs."""
        return self.analysis.error == 0.0

    def result(self, request: TestRequest) -> TestResult:
        """The answer of the two-way test."""
        p = self.analysis.p(request.alternative, request.delta, orientation=self.orientation)
        interval = self.analysis.interval(request.alpha, request.alternative, orientation=self.orientation)
        own = [self._own(rows) for rows in (self.a, self.b)]
        limits = own_intervals(own, self.metric, request.alpha)
        return TestResult(p, interval, own=(limits[0], limits[1]), own_method=interval_method(own, self.metric))

    def at_margin(self, request: TestRequest, of_items: TestResult) -> TestResult:
        """The two-way test at a margin, no surer than that of the items' means, which excludes losses that have not shown."""
        # What never varies says nothing about how much it could.
        return of_items if self.silent else larger(self.result(request), of_items, self.metric, request)

    def _own(self, rows: Array) -> OwnRows:
        """The rows behind a system's own score, with the variance that new runs add."""
        single = rows.reshape(-1, rows.shape[2])
        return OwnRows(single, rows.mean(axis=1), self.clusters, added_by_runs(rows, self.metric))

    def power(self, p: PValue, question: Question) -> Power | None:
        """How many items, with these numbers of runs, a true difference as large as the observed one takes."""
        if p.rejects(question.alpha):
            return None
        runs = self.analysis.a.runs, self.analysis.b.runs
        effect = self.orientation * (self.analysis.difference - question.delta)
        needed = RunsLaw.of(self.analysis).items(runs, effect, question.alpha, question.alternative, POWER)
        return None if needed is None else Power(None, [], needed=needed, delta=question.delta)

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
        return Runs(a.tolist(), b.tolist(), float(np.sqrt(self.analysis.items.variance)), standard_error(a, b), alone)


def unequal_runs_note(pairs: PairedScores, metric: AdditiveMetric, repeats: Repeats | None) -> list[Note]:
    """A warning if means of unequally many runs are few and skewed: fewer than 25 γ² items or clusters (Cochran, 1977)."""
    scores = scores_if_any(pairs, metric) if repeats is not None and repeats.unequal else None
    if scores is None:
        return []
    d = scores.d if scores.clusters is None else np.bincount(scores.clusters, weights=scores.d)
    gamma = skewness(d)
    if gamma is None or len(d) >= COCHRAN * gamma**2:
        return []
    units = count(len(d), "item" if scores.clusters is None else "cluster")
    text = (
        f"The systems have unequal numbers of runs on {units}, and the differences are skewed (skewness {gamma:.2g}), so p may"
        " be far too small. Compare equally many runs of each item (--equal-runs)."
    )
    return [Note("data", text)]


def _crossed(
    pairs: PairedScores, metric: AdditiveMetric, spec: str | AdditiveMetric, question: Question, repeats: Repeats
) -> _Crossed | None:
    """The two-way analysis; None if the scores do not vary."""
    items = pairs.per_item()
    first, second = scores_of(items, metric)
    of_run, a, b = _in_columns(repeats.metric or spec, *(runs.table for runs in repeats.systems))
    analysis = two_way_of_rows(a, b, of_run, difference=first - second, clusters=items.clusters)
    try:
        analysis.p(question.alternative, question.delta)
    except NoSpreadError:
        return None
    return _Crossed(analysis, a, b, of_run, items.clusters)


def _in_columns(spec: str | AdditiveMetric, a: Array, b: Array) -> tuple[AdditiveMetric, Array, Array]:
    """The metric, and both systems' (items, runs, columns) rows of it."""
    of_run, rows_a, rows_b = resolve(spec, *(table.reshape(-1, *table.shape[2:]) for table in (a, b)))
    return of_run, rows_a.reshape(*a.shape[:2], -1), rows_b.reshape(*b.shape[:2], -1)


def _these_runs(missing: str) -> Note:
    return Note("runs", f"The claim is about these runs, not about new ones: {missing}.")


def as_known(result: TestResult, repeats: Repeats | None) -> TestResult:
    """A test of items, labelled as asymptotic if runs are unequal: their means are only exchangeable for many items."""
    if repeats is None or not repeats.unequal:
        return result
    ends = result.interval
    if ends is not None and ends.method.endswith(", exact"):
        ends = replace(ends, method=f"{ends.method.removesuffix(', exact')}, asymptotic")
    return replace(result, p=p_as_known(result.p, repeats), interval=ends)


def p_as_known(p: PValue, repeats: Repeats | None) -> PValue:
    """The same for a p-value alone."""
    if repeats is None or not repeats.unequal or p.method != "exact":
        return p
    return replace(p, method="asymptotic", mid=None, mid_log10=None)


def _these_items(
    pairs: PairedScores, metric: AdditiveMetric, spec: str | AdditiveMetric, question: Question, repeats: Repeats
) -> _Line:
    """The exchange of runs on exactly these items."""
    asked = question.population == THESE_ITEMS
    if repeats.kind == RUNS:
        of_run, a, b = _in_columns(repeats.metric or spec, *(runs.table for runs in repeats.systems))
        first, second = (np.asarray(of_run.score(rows.sum(axis=0)), dtype=float) for rows in (a, b))
        return _whole_runs(first, second, of_run, question)
    return _epochs(pairs, metric, spec, question, repeats.systems, points=FINE if asked else COARSE)


def _whole_runs(a: Array, b: Array, metric: AdditiveMetric, question: Question) -> _Line:
    """Runs that span all items are exchanged whole."""

    def run(request: TestRequest) -> TestResult:
        p = run_test(
            a,
            b,
            alternative=request.alternative,
            higher_is_better=metric.higher_is_better,
            seed=request.seed,
            delta=request.delta,
        )
        interval = run_interval(a, b, request.alpha, request.alternative, higher_is_better=metric.higher_is_better)
        own = own_run_limits(a, request.alpha), own_run_limits(b, request.alpha)
        return TestResult(p, interval if request.interval else None, own=own, own_method=OWN_BY_RUNS)

    least = smallest_run_p(len(a), len(b), question.alternative)
    text = f"Exchanging {len(a)} and {len(b)} whole runs cannot give a p-value below {format_probability(least)}."
    notes = [Note("runs", text)] if least > question.alpha else []
    return _Line(run, least, notes)


def _epochs(
    pairs: PairedScores,
    metric: AdditiveMetric,
    spec: str | AdditiveMetric,
    question: Question,
    systems: tuple[RunsOfSystem, ...],
    *,
    points: int,
) -> _Line:
    """Exchange runs within each item: they are unrelated from item to item."""
    of_row, a, b = resolve(spec, systems[0].values, systems[1].values)
    rows = RunsOfSystem(a, systems[0].items), RunsOfSystem(b, systems[1].items)
    exchange = exchange_of_rows(rows, of_row)
    if exchange is None:
        first, second = scores_of(pairs.per_item(), metric)

        def sampled(request: TestRequest) -> TestResult:
            if request.delta:
                raise OutscoreError(
                    f"Exchanging runs of {of_row.name} can only test for no difference.",
                    "Leave `delta` and the margin out, or leave --population out.",
                    parameter="population",
                )
            return TestResult(sampled_exchange(*rows, of_row, first - second, request.alternative, request.seed))

        text = (
            f"{of_row.name} is not a mean over items, so its runs are exchanged at random, and this population has no interval."
        )
        return _Line(sampled, notes=[Note("method", text)])
    known = exchange

    def run(request: TestRequest) -> TestResult:
        p = known.p(request.alternative, request.delta, points=points, seed=request.seed)
        interval = None
        if request.interval:
            at_zero = p if not request.delta else known.p(request.alternative, points=points, seed=request.seed)
            interval = known.interval(request.alpha, request.alternative, at_zero)
        return TestResult(p, interval, own=known.own(request.alpha), own_method=known.own_method)

    notes = [] if known.equal_runs else [Note("runs", UNEQUAL_LAWS)]
    if known.single.any():
        notes.append(Note("runs", SPREAD_UNSEEN))
    least = None if question.delta else known.smallest_p(question.alternative) or None
    return _Line(run, least, notes, lambda: null_of_exchange(known, question.delta))

"""Which population a comparison is about: which ones the data allow, which one decides, and what the others say.

The named test answers for new items. If repeats are runs and both systems have a complete table of items by runs,
the two-way test answers for new items and new runs, and decides unless the caller names a population. Whatever the repeats are,
exchanging them answers for new runs of exactly these items. Over several datasets each of them answers for the macro average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.records import dataclass
from outscore.core.rows import RUNS, PairedScores, Repeats
from outscore.inference.base.differences import scores_if_any, skewness
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.own_score import Limits, interval_method, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.histograms import null_of_exchange
from outscore.inference.describe.repeats import OWN_BY_RUNS, run_test, smallest_run_p, standard_error
from outscore.inference.pairwise.per_pair import Run
from outscore.inference.pairwise.table import (
    exchange_of_pair,
    exchange_result,
    own_limits_of_runs,
    own_rows,
    run_scores_of_pair,
    runs_result,
    two_way_of_pair,
    two_way_result,
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
from outscore.inference.runs import COARSE, FINE, SPREAD_UNSEEN, UNEQUAL_LAWS, not_exchangeable, sampled_exchange
from outscore.inference.shifted import is_shifted, larger
from outscore.inference.two_way import FEW_RUNS, RunsLaw, TwoWay, price_of_runs
from outscore.language.numbers import count, format_probability
from outscore.results.analysis import Bucket, NullHistogram, Power
from outscore.results.comparison import PopulationAnswer, Runs, TestResult
from outscore.results.design import Replicated
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel
from outscore.workflows.validate import Question

COCHRAN = 25
"""A mean of n numbers with skewness γ is nearly normal from n = 25 γ² on."""
BOTH = (0, 1)


@dataclass(frozen=True)
class Answer:
    """The answer for the population that decides: its test as a function of what is asked, and what goes with it.

    `null` makes the null distribution, if it is not that of swaps of items; `more_items_help` as in a line. `own` are the
    intervals of both systems' own scores, if the population has its own, and `scores` these, if they are macro averages.
    """

    population: str
    result: TestResult
    run: Run
    others: list[PopulationAnswer] = field(default_factory=list)
    runs: Runs | None = None
    notes: list[Note] = field(default_factory=list)
    null: Callable[[], NullHistogram | None] = lambda: None
    smallest_p: float | None = None
    more_items_help: bool = True
    power: Power | None = None
    own: Sequence[Limits] | None = None
    own_method: str = ""
    scores: tuple[float, float] | None = None


@dataclass(frozen=True)
class Pooled:
    """What the items of all datasets together say, and what they and the metric are called."""

    scores: tuple[float, float]
    p: PValue
    metric: str
    items: int
    noun: str


@dataclass(frozen=True)
class OnDatasets:
    """What several datasets say: the answer for their macro average, None where items are pooled, and the same for each.

    `notes` say what the verdict is about, `about_test` how the macro average was tested.
    """

    answer: Answer | None = None
    notes: list[Note] = field(default_factory=list)
    buckets: list[Bucket] = field(default_factory=list)
    replicability: Replicated | None = None
    about_test: list[Note] = field(default_factory=list)


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


def missing_of(panels: Sequence[Panel], question: Question) -> dict[str, str]:
    """By population, what the items of one panel, or of none if they were scored once, lack for a claim about it."""
    parts = [panel.repeats for panel in panels] or [None]
    kind, items = (panels[0].repeat_kind, panels[0].shape[1]) if panels else (None, 0)
    return {name: lacking(name, parts, kind, unit_size=question.unit_size, items=items) for name in POPULATIONS}


def answer_of(
    panels: Sequence[Panel], question: Question, over_items: Run, result: TestResult, missing: dict[str, str]
) -> Answer:
    """The answer for the requested or default population, and those for all others that the data allow.

    `over_items` is the named test for new items and `result` what it answers; `panels` hold both systems with their runs, one
    for each dataset, and none where items were scored once. `missing` is what they lack for each population.
    """
    kind = panels[0].repeat_kind if panels else None
    one = len(panels) < 2
    least = None if kind is None else _smallest_of_items(result.p, question)
    lines: dict[str, _Line] = {ITEMS: _Line(over_items, least, more_items_help=one)}
    crossed = None if missing[ITEMS_AND_RUNS] else _crossed(panels, question)
    if crossed is not None:
        few_runs = [Note("runs", FEW_RUNS)] if min(crossed.a.runs, crossed.b.runs) < 3 else []
        both = partial(_over_both, crossed, panels[0].metric, over_items)
        lines[ITEMS_AND_RUNS] = _Line(both, notes=few_runs, more_items_help=one and crossed.error == 0.0)
    elif not missing[ITEMS_AND_RUNS]:
        missing = {**missing, ITEMS_AND_RUNS: "the scores do not vary"}
    if not missing[THESE_ITEMS]:
        lines[THESE_ITEMS] = _these_items(panels, question)
    usual, only_items = usual_population(kind), question.entry.name != DEFAULT
    parts = [panel.repeats for panel in panels]
    chosen = choose_population(question.population, missing, parts, kind, only_items=only_items, units=question.unit_size != 1)
    notes = list(lines[chosen].notes)
    if chosen == ITEMS and usual not in lines:
        notes = [_these_runs(missing[usual])]
    elif chosen == ITEMS != usual and question.population is None:
        why = f"`{question.entry.name}` works on items only; leave --test out for a claim about new runs"
        notes = [_these_runs(why, "warning")]
    asked = question.of_test
    answers = {name: result if name == ITEMS else line.run(asked) for name, line in lines.items()}
    if chosen == ITEMS_AND_RUNS and crossed is not None and answers[ITEMS].p.value <= question.alpha < answers[chosen].p.value:
        notes.append(Note("runs", price_of_runs(min(crossed.a.runs, crossed.b.runs))))
    own, method = _own(panels[0], chosen, question.alpha) if one and chosen != ITEMS else (None, "")
    return Answer(
        chosen,
        answers[chosen],
        lines[chosen].run,
        [
            PopulationAnswer(name, answers[name].p, answers[name].interval, line.smallest_p)
            for name, line in lines.items()
            if name != chosen
        ],
        None if crossed is None else _runs(panels, crossed, question),
        notes,
        lines[chosen].null,
        lines[chosen].smallest_p,
        lines[chosen].more_items_help,
        _power(crossed, panels[0], answers[chosen].p, question) if crossed and one and chosen == ITEMS_AND_RUNS else None,
        own,
        method,
    )


def _smallest_of_items(p: PValue, question: Question) -> float | None:
    """The smallest p that swapping so many items can give."""
    if p.test != DEFAULT or question.delta:
        return None
    # What is too small for a number is no limit.
    return math.ldexp(2 if question.alternative == "two-sided" else 1, -p.n) or None


def _crossed(panels: Sequence[Panel], question: Question) -> TwoWay | None:
    """The two-way analysis; None if the scores do not vary."""
    crossed = two_way_of_pair(panels, *BOTH)
    try:
        crossed.p(question.alternative, question.delta)
    except NoSpreadError:
        return None
    return crossed


def _over_both(crossed: TwoWay, metric: AdditiveMetric, over_items: Run, request: TestRequest) -> TestResult:
    """The two-way test; at a margin no surer than that of the items' means, which excludes losses that have not shown."""
    orientation = 1 if metric.higher_is_better else -1
    if not is_shifted(request):
        return two_way_result(crossed, request, orientation)
    of_items = over_items(request)
    if crossed.error == 0.0:
        # What never varies says nothing about how much it could.
        return of_items
    return larger(two_way_result(crossed, request, orientation), of_items, metric, request)


def _power(crossed: TwoWay, panel: Panel, p: PValue, question: Question) -> Power | None:
    """How many items, with these numbers of runs, a true difference as large as the observed one takes."""
    if p.rejects(question.alpha):
        return None
    effect = panel.orientation * (crossed.difference - question.delta)
    needed = RunsLaw.of(crossed).items((crossed.a.runs, crossed.b.runs), effect, question.alpha, question.alternative, POWER)
    return None if needed is None else Power(None, [], needed=needed, delta=question.delta)


def _runs(panels: Sequence[Panel], crossed: TwoWay, question: Question) -> Runs:
    """The scores of the runs, and what items and runs each contribute to the spread."""
    a, b = run_scores_of_pair(panels, *BOTH)
    higher = panels[0].metric.higher_is_better
    alone = run_test(a, b, alternative=question.alternative, higher_is_better=higher, seed=question.seed)
    return Runs(a.tolist(), b.tolist(), float(np.sqrt(crossed.items.variance)), standard_error(a, b), alone)


def _own(panel: Panel, population: str, alpha: float) -> tuple[Sequence[Limits] | None, str]:
    """The intervals of both systems' own scores over the population, and how they were made; None where it has none."""
    if population == ITEMS_AND_RUNS:
        own = [own_rows(panel, system, new_runs=True) for system in BOTH]
        return own_intervals(own, panel.run_metric, alpha), interval_method(own, panel.run_metric)
    if panel.repeat_kind == RUNS:
        return [own_limits_of_runs(panel, system, alpha) for system in BOTH], OWN_BY_RUNS
    if _clause_of_exchange(panel):
        return None, ""
    exchange = exchange_of_pair([panel], *BOTH)
    limits = exchange.own(alpha)
    return limits, "" if limits is None else exchange.own_method


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


def _these_runs(missing: str, kind: Literal["runs", "warning"] = "runs") -> Note:
    return Note(kind, f"The claim is about these runs, not about new ones: {missing}.")


def as_known(result: TestResult, *, unequal: bool) -> TestResult:
    """A test of items, labelled as asymptotic if runs are unequal: their means are only exchangeable for many items."""
    if not unequal:
        return result
    ends = result.interval
    if ends is not None and ends.method.endswith(", exact"):
        ends = replace(ends, method=f"{ends.method.removesuffix(', exact')}, asymptotic")
    return replace(result, p=p_as_known(result.p, unequal=unequal), interval=ends)


def p_as_known(p: PValue, *, unequal: bool) -> PValue:
    """The same for a p-value alone."""
    return replace(p, method="asymptotic", mid=None, mid_log10=None) if unequal and p.method == "exact" else p


def _these_items(panels: Sequence[Panel], question: Question) -> _Line:
    """The exchange of runs on exactly these items: whole runs that span all items, or those of each item."""
    if panels[0].repeat_kind == RUNS:
        a, b = run_scores_of_pair(panels, *BOTH)
        least = smallest_run_p(len(a), len(b), question.alternative)
        text = f"Exchanging {len(a)} and {len(b)} whole runs cannot give a p-value below {format_probability(least)}."
        run = partial(runs_result, a, b, higher_is_better=panels[0].metric.higher_is_better)
        return _Line(run, least, [Note("runs", text)] if least > question.alpha else [])
    if _clause_of_exchange(panels[0]):
        text = (
            f"{panels[0].metric.name} is not a mean over items, so its runs are exchanged at random, and this population has no"
            " interval."
        )
        return _Line(partial(_sampled, panels[0]), notes=[Note("method", text)])
    exchange = exchange_of_pair(panels, *BOTH)
    notes = [] if exchange.equal_runs else [Note("runs", UNEQUAL_LAWS)]
    if exchange.single.any():
        notes.append(Note("runs", SPREAD_UNSEEN))
    least_p = None if question.delta else exchange.smallest_p(question.alternative) or None
    points = FINE if question.population == THESE_ITEMS else COARSE
    run = partial(exchange_result, exchange, points=points)
    return _Line(run, least_p, notes, lambda: null_of_exchange(exchange, question.delta))


def _clause_of_exchange(panel: Panel) -> str:
    """Why the runs of an item cannot be exchanged by counting; empty if they can."""
    return "" if panel.repeats is None else not_exchangeable(panel.repeats.systems, panel.metric)


def _sampled(panel: Panel, request: TestRequest) -> TestResult:
    """Runs of a metric that is not a mean over items, exchanged at random within each item."""
    assert panel.repeats is not None
    if request.delta:
        raise OutscoreError(
            f"Exchanging runs of {panel.metric.name} can only test for no difference.",
            "Leave `delta` and the margin out, or leave --population out.",
            parameter="population",
        )
    a, b = panel.repeats.systems
    first, second = panel.scores().tolist()
    return TestResult(sampled_exchange(a, b, panel.metric, first - second, request.alternative, request.seed))

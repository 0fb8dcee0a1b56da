"""What appears below the verdict, and which population it is about: effects, power, the units that decided, other questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete
from outscore.core.records import dataclass
from outscore.core.reduction import Kind
from outscore.core.rows import RUNS, PairedScores, Repeats
from outscore.inference.anytime import Alternative, Looks, betting_evidence, binary_evidence, confidence_sequence
from outscore.inference.base.differences import MIN_LARGE_SAMPLE, is_sum, scores_if_any, skewness, units_of
from outscore.inference.base.discordance import Discordance, discordance
from outscore.inference.base.entry import NoSpreadError, TestEntry
from outscore.inference.base.influence import fragility, influence, strongest
from outscore.inference.base.own_score import Limits, interval_method, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.analysis import analyse
from outscore.inference.describe.curves import runs_curve, size_curve, size_test
from outscore.inference.describe.effects import effects, members
from outscore.inference.describe.histograms import histograms, normal_quantiles, null_histogram, null_of_exchange
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
from outscore.inference.permutation import permutation
from outscore.inference.populations import (
    ITEMS,
    ITEMS_AND_RUNS,
    POPULATIONS,
    THESE_ITEMS,
    choose_population,
    lacking,
    usual_population,
)
from outscore.inference.power.observed import POWER, items_needed, observed_power
from outscore.inference.registry import DEFAULT, TESTS
from outscore.inference.runs import COARSE, FINE, SPREAD_UNSEEN, UNEQUAL_LAWS, not_exchangeable, sampled_exchange
from outscore.inference.shifted import KERNELS_OF_MARGINS, is_shifted, items_to_show, larger, largest_loss
from outscore.inference.two_way import FEW_RUNS, RunsLaw, TwoWay, price_of_runs
from outscore.language.numbers import count, format_probability
from outscore.language.verdict.comparison import Numbers
from outscore.results.analysis import Bucket, ChartData, EvaluationUnit, NullHistogram, Power, RunsCurve
from outscore.results.comparison import AnytimeEvidence, Margin, PopulationAnswer, Runs, TestResult
from outscore.results.design import DecidingItem, PathStep, Replicated, View
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel
from outscore.workflows.question import Question

# What appears below the verdict: effects, analysis, power, the units that decided, and pictures.
#
# Beside them the same question is asked again: by every other test, against a margin, on the way from rows to clusters, and
# at every look at items in the order of the data. Only the last of these shows an interval, so no other is computed.


DECIDING = 10
MAX_FRAGILE = 20_000
"""Above this number of units, every further test is too slow for a default report."""
IN_ORDER = Note(
    "assumption",
    "Looking early uses the items in the order of the data, which must be random; items that depend on one another must be"
    " declared as clusters, which enter as a whole (clusters of ten treated as single items: rejection with probability .47 at"
    " alpha = .05).",
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Two systems, their matched rows and the units made of these, in the columns of a metric that is `called` so."""

    panel: Panel
    rows: PairedScores
    pairs: PairedScores
    called: str

    @property
    def metric(self) -> AdditiveMetric:
        """What scores the rows."""
        return self.panel.metric

    @property
    def repeats(self) -> Repeats | None:
        """What is known of items that were run several times."""
        return self.panel.repeats

    @property
    def unequal(self) -> bool:
        """Whether the systems were run unequally often."""
        return self.repeats is not None and self.repeats.unequal

    def run(self, question: Question, asked: TestRequest) -> TestResult:
        """What the named test answers for new items."""
        return as_known(question.entry.run(self.pairs, self.metric, asked), unequal=self.unequal)


def explained(data: Rows, question: Question, p: PValue, answer: Answer, *, averaged: bool) -> Numbers:
    """The evidence beside the answer: effects, power, the units that decided, and pictures; p is that of new items.

    A gate shows no null law, and macro averages nothing that is about single items.
    """
    pairs, metric, request, tested = data.pairs, data.metric, question.of_test, TESTS[p.test]
    units, single = units_of(pairs), question.unit_size == 1
    items = data.panel.unit_names()
    names = items if single else [f"unit {i + 1}" for i in range(pairs.rows)]
    brief = averaged or question.gate
    further = not brief and answer.population == ITEMS
    law = None if brief else answer.null()
    if not brief and answer.population != THESE_ITEMS and p.kernel != "tango":
        law = null_histogram(units, metric, delta=request.delta, seed=request.seed)
    power = answer.power
    if answer.population == ITEMS and not averaged:
        power = _power(pairs, metric, request, p)
    return {
        "effects": [] if averaged else effects(pairs, metric, request.alpha),
        "analysis": analyse(
            pairs,
            metric,
            median_test=tested.estimand == "median",
            normality_alpha=question.normality_alpha,
            unshuffled=None if single or question.shuffle is None else data.rows,
        ),
        "power": power,
        **_deciding(units, metric, names),
        "fragility": _fragility(units, metric, request, p) if further else None,
        "pictures": ChartData(
            histograms(pairs, metric),
            law,
            size_curve(pairs, metric, tested, _request_of(p.test, question.entry, request)) if further else [],
            normal_quantiles(pairs, metric),
            (size_test(pairs, metric, tested) or "") if further else "",
            alone=scores_if_any(pairs, metric) is None,
            runs=_curve_of_runs(data, question) if single and metric.higher_is_better else None,
        ),
        "units": [] if single else _with_members(data, names, items, question),
    }


def _curve_of_runs(data: Rows, question: Question) -> RunsCurve | None:
    """How the score grows with the number of runs, from all rows."""
    runs = data.panel.run_scores()
    if data.repeats is None or runs is None:
        return None
    kind: Kind = "pass^" if data.repeats.reduced.startswith("pass^") else "pass@"
    return runs_curve(runs, kind, alpha=question.alpha, clusters=data.pairs.per_item().clusters, seed=question.seed)


def _with_members(data: Rows, names: Sequence[str], items: Sequence[str], question: Question) -> list[EvaluationUnit]:
    """The evaluation units, each with the names of its items."""
    units = data.pairs
    a, b = (data.metric.score(side / units.scale).tolist() for side in (units.a, units.b))
    places = members(len(items), question.unit_size, question.shuffle).tolist()
    return [
        EvaluationUnit(name, first, second, first - second, [items[i] for i in own])
        for name, first, second, own in zip(names, a, b, places, strict=True)
    ]


def _request_of(test: str, entry: TestEntry, request: TestRequest) -> TestRequest:
    """The same question for the test that computed p: `bayes` shows the p of another test, which has its own options."""
    return request if test == entry.name else replace(request, options=complete(test, TESTS[test].options, {}))


def _power(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, p: PValue) -> Power | None:
    """What the data could have shown; a one-sided claim about another difference than 0 has rules, and numbers, of its own."""
    entry, decided = TESTS[p.test], p.rejects(request.alpha)
    if p.kernel in KERNELS_OF_MARGINS and is_shifted(request):
        items = None if decided else items_to_show(entry, pairs, metric, request, POWER)
        units, rows = units_of(pairs).rows, pairs.per_item().rows
        return Power(None, [], needed=None if items is None else -(-items * units // rows))
    return observed_power(pairs, metric, request, entry, decided=decided)


def _deciding(units: PairedScores, metric: AdditiveMetric, labels: Sequence[str]) -> dict[str, Any]:
    """The units whose absence would change the difference most, where A scores more first, and how many favour each."""
    pull, scale = influence(units, metric), float(units.scale)
    with np.errstate(all="ignore"):
        a, b = (np.asarray(metric.score(rows / scale), dtype=float) for rows in (units.a, units.b))
        # Not every metric has a score of a single unit; there, its pull says which system it favours.
        apart = np.where(np.isfinite(a - b), a - b, pull)
    side = np.where((units.a != units.b).any(axis=1), np.sign(apart), 0)
    deciding = [
        DecidingItem(labels[i], float(a[i]), float(b[i]), float(a[i] - b[i]), float(pull[i]))
        for i in strongest(pull, side, DECIDING)
    ]
    return {"deciding_items": deciding, "favoured": favoured_by(side, metric)}


def favoured_by(side: Array, metric: AdditiveMetric) -> tuple[int, int]:
    """How many units favour A and how many B; `side` is positive where A has more."""
    more, less = int((side > 0).sum()), int((side < 0).sum())
    return (more, less) if metric.higher_is_better else (less, more)


def _fragility(units: PairedScores, metric: AdditiveMetric, request: TestRequest, p: PValue) -> int | None:
    if p.test != "permutation" or p.method not in ("exact", "certified") or units.rows > MAX_FRAGILE or request.delta:
        return None
    asked = TestRequest(request.alternative, alpha=request.alpha)
    return fragility(units, metric, lambda changed: permutation(changed, metric, asked), p, asked)


def all_tests(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest) -> tuple[list[PValue], list[Note]]:
    """Every other test that accepts these data, and notes: which do not and why, and which are unsafe with so few units."""
    p_values, missing = [], []
    for entry in TESTS.values():
        if entry.name == DEFAULT or entry.posterior:
            continue
        asked = replace(request, options=complete(entry.name, entry.options, {}), interval=False)
        try:
            p_values.append(entry.run(pairs, metric, asked).p)
        except OutscoreError as refusal:
            missing.append(f"{entry.name} ({_reason(entry, pairs, request) or refusal.message.rstrip('.')})")
    missing += [f"{entry.name} (it has no p-value of its own)" for entry in TESTS.values() if entry.posterior]
    return p_values, [*_liberal(p_values), Note("tests", f"Tests that were not run: {', '.join(missing)}.")]


def _reason(entry: TestEntry, pairs: PairedScores, request: TestRequest) -> str:
    """Why a test does not accept the data, in a few words; empty if that takes a sentence."""
    if pairs.clusters is not None and not entry.clusters:
        return "does not support clusters"
    if request.delta and not entry.delta:
        return "does not support delta"
    return {"binary": "needs right-or-wrong items", "scores": "needs one score per item"}.get(entry.on, "")


def _liberal(p_values: Sequence[PValue]) -> list[Note]:
    """One warning for all tests that reject too often with few units; the note of each test says by how much."""
    few = [p for p in p_values if TESTS[p.test].small_samples and p.n < MIN_LARGE_SAMPLE]
    if not few:
        return []
    text = f"With only {count(few[0].n, 'unit')}, these tests reject too often: {', '.join(p.test for p in few)}."
    return [Note("tests", text)]


def margin_of(data: Rows, question: Question, answer: Answer) -> tuple[Margin | None, list[Note]]:
    """Non-inferiority one-sided at -margin, equivalence by two one-sided tests (Schuirmann, 1987); and notes on them.

    If lower is better, being worse by the margin is a difference A - B of *plus* the margin: `delta` is raw, and
    `alternative` means better and worse whatever the metric's direction. None if no margin was given.
    """
    margin, pairs, metric, request, run = question.margin, data.pairs, data.metric, question.of_test, answer.run
    if margin is None:
        return None, []
    most = largest_loss(pairs, metric, request)
    if most is not None and margin >= most:
        raise OutscoreError(
            f"`margin` is {margin:g}, but these scores cannot differ by more than {most:g}.",
            f"Give a margin below {most:g}.",
            parameter="margin",
        )
    turn = 1.0 if metric.higher_is_better else -1.0
    asked = replace(request, alternative="greater", delta=-turn * margin, interval=True)
    result = run(asked)
    not_better = run(replace(request, alternative="less", delta=turn * margin, interval=False)).p
    limit = None
    if result.interval is not None and result.interval.estimand == "difference":
        limit = result.interval.low if turn > 0 else result.interval.high
    needed = None
    if answer.more_items_help and not result.p.rejects(request.alpha):
        by_rule = result.p.kernel in KERNELS_OF_MARGINS
        needed = (
            items_to_show(question.entry, pairs, metric, asked, POWER)
            if by_rule
            else items_needed(pairs, metric, asked, question.entry)
        )
    two_sided = TestRequest(alpha=2 * request.alpha, seed=request.seed, options=request.options)
    tested = Margin(
        margin,
        result.p,
        max(result.p, not_better, key=lambda p: p.upper),
        limit,
        needed,
        run(two_sided).interval if question.gate else None,
    )
    return tested, [note for note in result.notes if note.kind != "interval"]


def path_of(data: Rows, p: PValue, question: Question, answer: Answer) -> list[PathStep]:
    """The same test on every view, so that readers see how repeats and clusters changed the answer; p is that of new items.

    The view of the population that decides is the last.
    """
    pairs, metric = data.pairs, data.metric
    views: list[tuple[View, PairedScores]] = [("rows", pairs.labelled(None, None))]
    if data.repeats is not None and pairs.items is None and question.unit_size == 1:
        # Systems with unequal numbers of runs are compared by item means, which are not rows of the data.
        views = [("items", pairs.labelled(None, None))]
    if pairs.items is not None:
        views.append(("items", pairs.labelled(pairs.items, None)))
    if pairs.clusters is not None:
        views.append(("clusters", pairs))
    steps = []
    for i, (name, view) in enumerate(views):
        step_p = p
        if i < len(views) - 1:
            step_p = question.entry.run(view, metric, replace(question.of_test, interval=False)).p
        a, b = scores_of(view.per_item(), metric)
        steps.append(PathStep(name, step_p.n, a - b, step_p.value))
    if answer.population != ITEMS:
        last = answer.result.p
        steps.append(PathStep(cast("View", answer.population), last.n, steps[-1].difference, last.value))
    return steps


def scores_of(view: PairedScores, metric: AdditiveMetric) -> tuple[float, float]:
    """Both systems' scores on the metric."""
    total_a, total_b = view.totals()
    return float(metric.score(total_a)), float(metric.score(total_b))


def evidence_at_every_look(
    pairs: PairedScores, metric: AdditiveMetric, *, alpha: float, alternative: str, bounds: tuple[float, ...]
) -> AnytimeEvidence:
    """e-value, anytime p and confidence sequence of two systems' rows.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(8)], axis=1) for x in (np.ones(8), np.zeros(8)))
    >>> found = evidence_at_every_look(PairedScores(a, b), mean, alpha=0.05, alternative="two-sided", bounds=())
    >>> round(found.e_value, 2), found.stopped_at, found.binary
    (28.44, 8, True)
    """
    # Terms of a metric that ranks all items among each other change with every item.
    scores = None if is_sum(metric) or metric.joint is not None else scores_if_any(pairs, metric)
    if scores is None:
        raise OutscoreError(
            f"--anytime needs one score per item, but {metric.name} is not a mean of such scores here.",
            "Leave --anytime out.",
            parameter="anytime",
        )
    pair = discordance(pairs, metric)
    low, high = _bounds(np.concatenate([scores.a, scores.b]), bounds, pair)
    side = cast("Alternative", alternative)
    if not metric.higher_is_better and side != "two-sided":
        side = "less" if side == "greater" else "greater"
    reach = high - low
    if scores.clusters is None:
        sums, sizes = scores.d, np.ones(scores.n)
    else:
        sums, sizes = np.bincount(scores.clusters, weights=scores.d), np.bincount(scores.clusters).astype(float)
    largest = float(sizes.max())
    binary = pair is not None
    log_e = binary_evidence(sums, side) if binary else betting_evidence(sums, sizes, reach, alpha, side, largest=largest)
    looks = Looks(log_e, alpha)
    ends = confidence_sequence(sums, sizes, reach, alpha, largest=largest)
    return AnytimeEvidence(looks.e_value, looks.p, *ends, looks.stops, len(sums), reach, binary)


def _bounds(scores: np.ndarray, given: tuple[float, ...], pair: Discordance | None) -> tuple[float, float]:
    """The range of scores: as given, or 0 and 1, or 0 or minus one number and that number; scores outside are refused.

    It has to be known before the data, so two other numbers, such as 7 and 8, say nothing about it.
    """
    low, high = given or (0.0, 1.0)
    if not given and pair is not None and (pair.wrong < 0 or pair.right > 1) and pair.wrong in (0.0, -pair.right):
        low, high = pair.wrong, pair.right
    out = scores[(scores < low) | (scores > high)]
    if len(out):
        source = "as --bounds says" if given else "the default of --bounds"
        raise OutscoreError(
            f"A score is {out[0]:g}, but scores must lie between {low:g} and {high:g} ({source}).",
            "Give the smallest and the largest score that an item can have, known before the data: --bounds 0 100.",
            parameter="bounds",
        )
    return float(low), float(high)


# Which population a comparison is about: which ones the data allow, which one decides, and what the others say.
#
# The named test answers for new items. If repeats are runs and both systems have a complete table of items by runs, the
# two-way test answers for new items and new runs, and decides unless the caller names a population. Whatever the repeats
# are, exchanging them answers for new runs of exactly these items. Over several datasets each of them answers for the macro
# average.


COCHRAN = 25
"""A mean of n numbers with skewness γ is nearly normal from n = 25 γ² on."""
BOTH = (0, 1)


@dataclass(frozen=True)
class Answer:
    """The answer for the population that decides: its test as a function of what is asked, and what goes with it.

    `null` makes the null distribution, if it is not that of swaps of items; `more_items_help` as in a line. `own` are the
    intervals of both systems' own scores, if the population has its own. Of macro averages `scores` are theirs, `buckets` what
    each dataset says, and `replicability` on how many of them the leading system is better.
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
    buckets: list[Bucket] = field(default_factory=list)
    replicability: Replicated | None = None


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
        _populations_power(crossed, panels[0], answers[chosen].p, question)
        if crossed and one and chosen == ITEMS_AND_RUNS
        else None,
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
        crossed.p(question.of_test)
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


def _populations_power(crossed: TwoWay, panel: Panel, p: PValue, question: Question) -> Power | None:
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
    alone = run_test(a, b, replace(question.of_test, delta=0.0), higher_is_better=higher)
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
    return limits, "" if limits is None else exchange.own_method()


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
    return TestResult(sampled_exchange(a, b, panel.metric, first - second, request))

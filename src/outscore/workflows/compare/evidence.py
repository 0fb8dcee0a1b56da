"""What appears below the verdict, and which population it is about: effects, power, the units that decided, other questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete
from outscore.core.records import dataclass
from outscore.core.reduction import Kind
from outscore.core.rows import PairedScores
from outscore.inference.anytime import Looks, betting_evidence, binary_evidence, confidence_sequence
from outscore.inference.base.differences import MIN_LARGE_SAMPLE, is_sum, scores_if_any, skewness, units_of
from outscore.inference.base.discordance import Discordance, discordance
from outscore.inference.base.entry import NoSpreadError, TestEntry
from outscore.inference.base.influence import fragility, influence, strongest
from outscore.inference.base.own_score import Limits
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.describe.analysis import analyse
from outscore.inference.describe.curves import runs_curve, size_curve, size_test
from outscore.inference.describe.effects import effects, members
from outscore.inference.describe.histograms import histograms, normal_quantiles, null_histogram, null_of_exchange
from outscore.inference.describe.repeats import run_test, smallest_run_p, standard_error
from outscore.inference.pairwise.per_pair import Basis, population_run
from outscore.inference.pairwise.table import (
    Run,
    run_scores_of_pair,
)
from outscore.inference.permutation import permutation
from outscore.inference.populations import (
    ITEMS,
    ITEMS_AND_RUNS,
    THESE_ITEMS,
)
from outscore.inference.power.observed import POWER, items_needed, observed_power
from outscore.inference.registry import DEFAULT, TESTS
from outscore.inference.runs import COARSE, FINE, Exchange
from outscore.inference.shifted import KERNELS_OF_MARGINS, is_shifted, items_to_show, largest_loss, refuse_wide
from outscore.inference.two_way import RunsLaw, TwoWay, price_of_runs
from outscore.language.numbers import count, format_probability
from outscore.language.verdict.comparison import Numbers
from outscore.results.analysis import Bucket, ChartData, EvaluationUnit, Power, RunsCurve
from outscore.results.comparison import AnytimeEvidence, Margin, PopulationAnswer, Runs, TestResult
from outscore.results.design import DecidingItem, PathStep, Replicated, View
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel
from outscore.workflows.question import Question, name_of_test, population_of

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


def explained(data: Rows, question: Question, p: PValue, answer: Answer, *, averaged: bool) -> Numbers:
    """The evidence beside the answer: effects, power, the units that decided, and pictures; p is that of new items.

    A gate shows no null law, macro averages nothing that is about single items, and a screen only what is to be heeded or done.
    """
    pairs, metric, request, tested = data.pairs, data.panel.metric, question.of_test, TESTS[p.test]
    single, alone = question.unit_size == 1, scores_if_any(pairs, metric) is None
    unshuffled = None if single or question.shuffle is None else data.rows
    analysis = analyse(
        pairs,
        metric,
        median_test=tested.estimand == "median",
        normality_alpha=question.normality_alpha,
        unshuffled=unshuffled,
    )
    power = answer.power
    if answer.population == ITEMS and not averaged:
        power = _power(pairs, metric, request, p)
    if question.screen:
        return {"analysis": analysis, "power": power, "pictures": ChartData({}, alone=alone)}
    units, items = units_of(pairs), data.panel.unit_names()
    names = items if single else [f"unit {i + 1}" for i in range(pairs.rows)]
    brief = averaged or question.gate
    further = not brief and answer.population == ITEMS
    law = None
    if not brief and isinstance(answer.basis, Exchange):
        law = null_of_exchange(answer.basis, question.delta)
    if not brief and answer.population != THESE_ITEMS and p.kernel != "tango":
        law = null_histogram(units, metric, delta=request.delta, seed=request.seed)
    curve = None
    if data.panel.repeats is not None and single and metric.higher_is_better:
        curve = _curve_of_runs(data, data.panel.repeats.reduced, question)
    return {
        "effects": [] if averaged else effects(pairs, metric, request.alpha),
        "analysis": analysis,
        "power": power,
        **_deciding(units, metric, names),
        "fragility": _fragility(units, metric, request, p) if further else None,
        "pictures": ChartData(
            histograms(pairs, metric),
            law,
            size_curve(pairs, metric, tested, _request_of(p.test, question.entry, request)) if further else [],
            normal_quantiles(pairs, metric),
            (size_test(pairs, metric, tested) or "") if further else "",
            alone=alone,
            runs=curve,
        ),
        "units": [] if single else _with_members(data, names, items, question),
    }


def _curve_of_runs(data: Rows, reduced: str, question: Question) -> RunsCurve | None:
    """How the score grows with the number of runs, from all rows."""
    runs = data.panel.run_scores()
    if runs is None:
        return None
    kind: Kind = "pass^" if reduced.startswith("pass^") else "pass@"
    return runs_curve(runs, kind, alpha=question.alpha, clusters=data.pairs.per_item().clusters, seed=question.seed)


def _with_members(data: Rows, names: Sequence[str], items: Sequence[str], question: Question) -> list[EvaluationUnit]:
    """The evaluation units, each with the names of its items."""
    units = data.pairs
    a, b = (data.panel.metric.score(side / units.scale).tolist() for side in (units.a, units.b))
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
        asked = replace(request, options=complete(entry.name, entry.options, {}))
        try:
            p_values.append(entry.p(pairs, metric, asked))
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


def margin_of(data: Rows, question: Question, answer: Answer, margin: float) -> tuple[Margin, list[Note]]:
    """Non-inferiority one-sided at -margin, equivalence by two one-sided tests (Schuirmann, 1987); and notes on them.

    If lower is better, being worse by the margin is a difference A - B of *plus* the margin: `delta` is raw, and
    `alternative` means better and worse whatever the metric's direction.
    """
    pairs, metric, request, run = data.pairs, data.panel.metric, question.of_test, answer.run
    refuse_wide(margin, largest_loss(pairs, metric, request))
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
    pairs, metric = data.pairs, data.panel.metric
    views: list[tuple[View, PairedScores]] = [("rows", pairs.labelled(None, None))]
    if data.panel.repeats is not None and pairs.items is None and question.unit_size == 1:
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
            step_p = question.entry.p(view, metric, question.of_test)
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
    pairs: PairedScores, metric: AdditiveMetric, alpha: float, alternative: str, bounds: tuple[float, ...]
) -> AnytimeEvidence:
    """e-value, anytime p and confidence sequence of two systems' rows.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(8)], axis=1) for x in (np.ones(8), np.zeros(8)))
    >>> found = evidence_at_every_look(PairedScores(a, b), mean, 0.05, "two-sided", ())
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

    `basis` is what the test rests on. Of macro averages `scores` and `own` are theirs, with their intervals, `buckets` what
    each dataset says, and `replicability` on how many of them the leading system is better.
    """

    population: str
    result: TestResult
    run: Run
    basis: Basis = None
    others: list[PopulationAnswer] = field(default_factory=list)
    runs: Runs | None = None
    notes: list[Note] = field(default_factory=list)
    smallest_p: float | None = None
    power: Power | None = None
    own: Sequence[Limits] | None = None
    scores: tuple[float, float] | None = None
    buckets: list[Bucket] = field(default_factory=list)
    replicability: Replicated | None = None

    @property
    def more_items_help(self) -> bool:
        """Whether a margin is a question of the number of items alone."""
        if self.scores is not None:
            return False
        return self.population == ITEMS or (isinstance(self.basis, TwoWay) and self.basis.error == 0.0)


def answer_of(
    panels: Sequence[Panel], question: Question, over_items: Run, result: TestResult, missing: dict[str, str]
) -> Answer:
    """The answer for the requested or default population, and those for all others that the data allow.

    `over_items` is the named test for new items and `result` what it answers; `panels` hold both systems with their runs, one
    for each dataset. `missing` is what they lack for each population.
    """
    kind, asked, one = panels[0].repeat_kind, question.of_test, len(panels) == 1
    tests: dict[str, tuple[Run, Basis]] = {ITEMS: (over_items, None)}
    answers = {ITEMS: result}
    for name in (ITEMS_AND_RUNS, THESE_ITEMS):
        if missing[name]:
            continue
        points = FINE if question.population == name else COARSE
        test = name_of_test(name, panels, question.test)
        run, basis = population_run(panels, *BOTH, test, over_items=over_items, points=points)
        try:
            if isinstance(basis, TwoWay):
                basis.p(asked)
        except NoSpreadError:
            missing = {**missing, name: "the scores do not vary"}
            continue
        tests[name], answers[name] = (run, basis), run(asked)
    chosen, notes = population_of(panels, question, missing, "The claim is")
    least = {name: _smallest_p(basis, answers[name].p, question) if kind else None for name, (_, basis) in tests.items()}
    run, basis = tests[chosen]
    floor = least[chosen] or 0.0
    if isinstance(basis, tuple) and floor > question.alpha:
        counts = " and ".join(str(len(scores)) for scores in basis)
        text = f"Exchanging {counts} whole runs cannot give a p-value below {format_probability(floor)}."
        notes.append(Note("runs", text))
    crossed = tests[ITEMS_AND_RUNS][1] if ITEMS_AND_RUNS in tests else None
    runs, power = None, None
    if isinstance(crossed, TwoWay):
        runs = _runs(panels, crossed, question)
        if chosen == ITEMS_AND_RUNS and result.p.value <= question.alpha < answers[chosen].p.value:
            notes.append(Note("runs", price_of_runs(min(crossed.a.runs, crossed.b.runs))))
        if chosen == ITEMS_AND_RUNS and one:
            power = _populations_power(crossed, panels[0], answers[chosen].p, question)
    others = [PopulationAnswer(name, r.p, r.interval, least[name]) for name, r in answers.items() if name != chosen]
    return Answer(chosen, answers[chosen], run, basis, others, runs, notes, least[chosen], power)


def _smallest_p(basis: Basis, p: PValue, question: Question) -> float | None:
    """The smallest p that so many items, or so many runs, can give; None if there is no limit, or it is not known."""
    if isinstance(basis, tuple):
        return smallest_run_p(len(basis[0]), len(basis[1]), question.alternative)
    if question.delta:
        return None
    if isinstance(basis, Exchange):
        return basis.smallest_p(question.alternative) or None
    if p.test != DEFAULT:
        return None
    # What is too small for a number is no limit.
    return math.ldexp(2 if question.alternative == "two-sided" else 1, -p.n) or None


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


def unequal_runs_note(pairs: PairedScores, metric: AdditiveMetric) -> list[Note]:
    """A warning if means of unequally many runs are few and skewed: fewer than 25 γ² items or clusters (Cochran, 1977)."""
    scores = scores_if_any(pairs, metric)
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


def as_known(result: TestResult) -> TestResult:
    """A test of items whose runs are unequal, labelled as asymptotic: their means are only exchangeable for many items."""
    ends = result.interval
    if ends is not None and ends.method.endswith(", exact"):
        ends = replace(ends, method=f"{ends.method.removesuffix(', exact')}, asymptotic")
    return replace(result, p=p_as_known(result.p), interval=ends)


def p_as_known(p: PValue) -> PValue:
    """The same for a p-value alone."""
    return replace(p, method="asymptotic", mid=None, mid_log10=None) if p.method == "exact" else p

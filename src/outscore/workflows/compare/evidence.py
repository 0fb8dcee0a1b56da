"""What appears below the verdict: effects, analysis, power, the units that decided, and pictures.

Beside them the same question is asked again: by every other test, against a margin, on the way from rows to clusters, and at
every look at items in the order of the data. Only the last of these shows an interval, so no other is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.anytime import (
    Alternative,
    Looks,
    betting_evidence,
    binary_evidence,
    confidence_sequence,
)
from outscore.inference.base.differences import MIN_LARGE_SAMPLE, is_sum, scores_if_any, units_of
from outscore.inference.base.discordance import Discordance, discordance
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.influence import fragility, influence, strongest
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.analysis import analyse
from outscore.inference.describe.curves import size_curve, size_test
from outscore.inference.describe.effects import effects
from outscore.inference.describe.histograms import histograms, normal_quantiles, null_histogram
from outscore.inference.permutation import permutation
from outscore.inference.power.observed import POWER, observed_power
from outscore.inference.registry import DEFAULT, TESTS
from outscore.inference.shifted import KERNELS_OF_MARGINS, is_shifted, items_to_show, largest_loss
from outscore.language.numbers import count
from outscore.results.analysis import ChartData, NullHistogram, Power, RunsCurve
from outscore.results.comparison import AnytimeEvidence, Margin, TestResult
from outscore.results.design import DecidingItem, PathStep
from outscore.results.note import Note
from outscore.results.pvalue import PValue

DECIDING = 10
MAX_FRAGILE = 20_000
"""Above this number of units, every further test is too slow for a default report."""
IN_ORDER = Note(
    "assumption",
    "Looking early uses the items in the order of the data, which must be random; items that depend on one another must be"
    " declared as clusters, which enter as a whole (clusters of ten treated as single items: rejection with probability .47 at"
    " alpha = .05).",
)


@dataclass(frozen=True)
class Wants:
    """What is told beside the answer.

    The null law of swaps or that of exchanged runs; `further` tests, of fewer and of changed units; effect sizes and power,
    which are about single items.
    """

    swaps: bool = True
    exchange: bool = False
    further: bool = True
    effects: bool = True


def evidence(
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    p: PValue,
    labels: Sequence[str],
    *,
    entry: TestEntry,
    wants: Wants,
    normality_alpha: float,
    unshuffled: PairedScores | None,
    null: Callable[[], NullHistogram | None],
    runs: RunsCurve | None,
) -> dict[str, Any]:
    """The parts of a Comparison that follow from the data and the test's answer; `unshuffled` as in `analyse`.

    `null` makes the null law of exchanged runs, and `runs` is how the score grows with their number.
    """
    units = units_of(pairs)
    tested = TESTS[p.test]
    law = null() if wants.exchange else None
    if wants.swaps and p.kernel != "tango":
        law = null_histogram(units, metric, delta=request.delta, seed=request.seed)
    about_median = tested.estimand == "median"
    return {
        "effects": effects(pairs, metric, request.alpha) if wants.effects else [],
        "analysis": analyse(pairs, metric, median_test=about_median, normality_alpha=normality_alpha, unshuffled=unshuffled),
        "power": _power(pairs, metric, request, p) if wants.effects else None,
        **_deciding(units, metric, labels),
        "fragility": _fragility(units, metric, request, p) if wants.further else None,
        "pictures": ChartData(
            histograms(pairs, metric),
            law,
            size_curve(pairs, metric, tested, _request_of(p.test, entry, request)) if wants.further else [],
            normal_quantiles(pairs, metric),
            (size_test(pairs, metric, tested) or "") if wants.further else "",
            alone=scores_if_any(pairs, metric) is None,
            runs=runs,
        ),
    }


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
    return fragility(
        units,
        metric,
        lambda changed: permutation(changed, metric, asked),
        p,
        alpha=request.alpha,
        alternative=request.alternative,
    )


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


def margin_of(
    run: Callable[[TestRequest], TestResult],
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    margin: float,
    *,
    needed: Callable[[PValue], int | None],
    both: bool = False,
) -> tuple[Margin, list[Note]]:
    """Non-inferiority one-sided at -margin, equivalence by two one-sided tests (Schuirmann, 1987), each by `run`; and notes.

    If lower is better, being worse by the margin is a difference A - B of *plus* the margin: `delta` is raw, and
    `alternative` means better and worse whatever the metric's direction. `needed` says how many items would show
    non-inferiority, given its p; `both` asks for the interval that agrees with both sides.
    """
    most = largest_loss(pairs, metric, request)
    if most is not None and margin >= most:
        raise OutscoreError(
            f"`margin` is {margin:g}, but these scores cannot differ by more than {most:g}.",
            f"Give a margin below {most:g}.",
            parameter="margin",
        )
    turn = 1.0 if metric.higher_is_better else -1.0
    result = run(replace(request, alternative="greater", delta=-turn * margin, interval=True))
    not_better = run(replace(request, alternative="less", delta=turn * margin, interval=False)).p
    limit = None
    if result.interval is not None and result.interval.estimand == "difference":
        limit = result.interval.low if turn > 0 else result.interval.high
    two_sided = TestRequest(alpha=2 * request.alpha, seed=request.seed, options=request.options)
    tested = Margin(
        margin,
        result.p,
        max(result.p, not_better, key=lambda p: p.upper),
        limit,
        needed(result.p),
        run(two_sided).interval if both else None,
    )
    return tested, [note for note in result.notes if note.kind != "interval"]


def path_of(pairs: PairedScores, metric: AdditiveMetric, p: PValue, request: TestRequest, entry: TestEntry) -> list[PathStep]:
    """The same test on every view, so that readers see how repeats and clusters changed the answer."""
    views: list[tuple[Literal["rows", "items", "clusters"], PairedScores]]
    views = [("rows", pairs.labelled(None, None))]
    if pairs.items is not None:
        views.append(("items", pairs.labelled(pairs.items, None)))
    if pairs.clusters is not None:
        views.append(("clusters", pairs))
    steps = []
    for i, (name, view) in enumerate(views):
        step_p = p if i == len(views) - 1 else entry.run(view, metric, replace(request, interval=False)).p
        a, b = scores_of(view.per_item(), metric)
        steps.append(PathStep(name, step_p.n, a - b, step_p.value))
    return steps


def scores_of(view: PairedScores, metric: AdditiveMetric) -> tuple[float, float]:
    """Both systems' scores on the metric."""
    total_a, total_b = view.totals()
    return float(metric.score(total_a)), float(metric.score(total_b))


def labels_of(rows: PairedScores, labels: Sequence[str] | None, items: object, clusters: object) -> list[str]:
    """A name for every unit: its cluster, its item, its own label, or its row."""
    unit = rows.clusters if rows.clusters is not None else rows.items
    names = clusters if rows.clusters is not None else items
    if unit is None or names is None:
        return list(map(str, labels)) if labels is not None else [f"row {i + 1}" for i in range(rows.rows)]
    source = np.asarray(labels if labels is not None and rows.clusters is None else names)
    _, first = np.unique(unit, return_index=True)
    return [str(x) for x in source[first]]


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
    scores = None if is_sum(metric) else scores_if_any(pairs, metric)
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

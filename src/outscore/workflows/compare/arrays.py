"""Two systems, one answer: where metrics and inference meet.

`permutation_test` gives the p-value alone, `compare` the whole result: scores, difference, interval, p, effects, power, the
design's path from rows to clusters, and the verdict. `procedure.slices` asks the same of parts of the data as one family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.paired import PairedScores
from outscore.inference.base.entry import TestRequest
from outscore.inference.base.item_scores import with_exact_integers
from outscore.inference.base.sign_flips import Alternative, KernelOptions
from outscore.inference.binary.score_interval import score_intervals
from outscore.inference.describe.effects import scores_if_any
from outscore.inference.describe.repeats import variance_parts
from outscore.inference.describe.units import SIZES, evaluation_units, unit_advisor
from outscore.inference.permutation.dispatch import permutation
from outscore.inference.registry import TESTS
from outscore.language.signature import signature
from outscore.results.analysis import UnitRow
from outscore.results.comparison import Comparison, Comparisons, Margin, SystemScore, TestResult
from outscore.results.design import Alignment, Decision, Design, Family, PathStep
from outscore.results.pvalue import PValue
from outscore.workflows.compare.evidence import evidence
from outscore.workflows.compare.pairing import matched
from outscore.workflows.compare.variants import all_tests, labels_of, margin_of, path_of, scores_of
from outscore.workflows.compare.verdicts import worded
from outscore.workflows.validate import check_comparison, check_request, paired

__all__ = ["compare", "comparisons", "permutation_test"]

Statistic = Literal["mean", "median"]


def permutation_test(
    a: object,
    b: object,
    *,
    metric: str | AdditiveMetric = "mean",
    alternative: str = "two-sided",
    delta: float = 0.0,
    items: object = None,
    clusters: object = None,
    method: str = "auto",
    resamples: int = 9_999,
    seed: int = 0,
) -> PValue:
    """p-value of the paired permutation test, exact wherever the numbers allow.

    H0: item by item the two systems are exchangeable. p is the share of all swaps with a difference in `metric` at least as
    extreme as the observed one, ties included (Zmigrod, Vieira and Cotterell, 2022).

    Parameters
    ----------
    a, b
        One row per item, in the same order: (n,) scores, or counts (n, 2) tp, errors; (n, 3) tp, fp, fn; (n, 4) tp, fp, fn, tn.
        Or two systems as `read` gives them, which are matched by their item ids and bring items, clusters and names along.
    metric
        A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`.
    alternative
        ``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.
    delta
        Test whether A - B is `delta` instead of 0, for metrics that are means; the differences are taken as symmetric about it.
        Right-or-wrong items get Tango's score test, which is asymptotic.
    items
        A label per row: rows of one item are repeats and are averaged first.
    clusters
        A label per row: rows of one cluster are swapped together.
    method
        ``"auto"``, ``"exact"`` (= ``"spectral"``), ``"certified"``, ``"dp"``, ``"fft"`` or ``"monte-carlo"``. One that cannot
        serve the data is an error, never replaced silently.
    resamples, seed
        For Monte Carlo, where nothing exact serves.

    Examples
    --------
    >>> p = permutation_test([1, 1, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0])
    >>> float(p), p.method
    (0.125, 'exact')
    """
    both = matched(a, b, items=items, clusters=clusters)
    pairs, additive = paired(both.a, both.b, metric, both.items, both.clusters)
    check_request(alternative, delta, seed)
    options = complete("permutation", TESTS["permutation"].options, {"method": method, "resamples": resamples})
    request = KernelOptions(
        alternative=cast("Alternative", alternative),
        delta=delta,
        method=str(options["method"]),
        resamples=int(str(options["resamples"])),
        seed=seed,
    )
    return permutation(pairs, additive, request)


def compare(
    a: object,
    b: object,
    *,
    metric: str | AdditiveMetric = "mean",
    test: str = "permutation",
    options: Mapping[str, object] | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    delta: float = 0.0,
    margin: float | None = None,
    items: object = None,
    clusters: object = None,
    unit_size: int = 1,
    unit_statistic: str = "mean",
    shuffle: int | None = None,
    unit_advice: bool = False,
    normality_alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
    labels: Sequence[str] | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare two systems: scores, difference with its interval, p-value, effects, power and a verdict in words.

    Parameters beyond those of `permutation_test`
    ---------------------------------------------
    test, options
        A name from ``outscore tests`` and its own options. ``"all"`` decides by `permutation` and shows the others beside it.
    alpha
        The level of the decision; the interval has level 1 - alpha and the same design as p.
    margin
        Also test whether A is not worse than B by this much, and whether both are equal within it.
    unit_size, unit_statistic, shuffle
        Evaluation units of so many adjacent items, their mean or median, after shuffling with this seed.
    unit_advice
        Also show how spread, effect size and p move with the size of the units; choose the size for what it means, not for p.
    normality_alpha
        The level at which the analysis rejects normality of the differences; the decision does not rest on it.
    names, labels
        What to call the systems and the rows.

    Examples
    --------
    >>> result = compare([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], names=("new", "old"))
    >>> result.verdict.split(":")[0], result.p.value
    ('new outscored old', 0.03125)
    """
    both = matched(a, b, items=items, clusters=clusters, labels=labels, names=names, test=test)
    entry, settings = check_comparison(
        test=test,
        metric=metric,
        options=options,
        alternative=alternative,
        alpha=alpha,
        delta=delta,
        margin=margin,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle=shuffle,
        unit_advice=unit_advice,
        normality_alpha=normality_alpha,
        names=both.names,
        seed=seed,
    )
    rows, additive = paired(both.a, both.b, metric, both.items, both.clusters)
    # Once for all: every test and every effect would look for it again.
    rows = with_exact_integers(rows)
    if labels is not None and len(labels) != rows.rows:
        raise OutscoreError(f"There are {len(labels)} `labels` for {rows.rows} rows.", "Give one for each row.")
    statistic = cast("Statistic", unit_statistic)
    request = TestRequest(cast("Alternative", alternative), delta, alpha, seed, settings)
    advice = _unit_advice(rows, additive, unit_size, statistic, shuffle, request) if unit_advice else []
    pairs, remainder = evaluation_units(rows, additive, unit_size, statistic, shuffle) if unit_size != 1 else (rows, 0)
    found = entry.run(pairs, additive, request)
    called = (
        labels_of(rows, both.labels, both.items, both.clusters)
        if unit_size == 1
        else [f"unit {i + 1}" for i in range(pairs.rows)]
    )
    others, remarks = all_tests(pairs, additive, request) if test == "all" else ([], [])
    found = replace(found, notes=[*found.notes, *remarks])
    parts = {
        **evidence(pairs, additive, request, found.p, called, entry=entry, normality_alpha=normality_alpha),
        "tests": others,
        "margin": None if margin is None else margin_of(entry, pairs, additive, request, margin),
        "bayes": found.bayes,
        "unit_advice": advice,
    }
    design = _design(rows, additive, remainder, unit_size, path_of(pairs, additive, found.p, request, entry))
    changed = {option.name: settings[option.name] for option in entry.options if settings[option.name] != option.default}
    mark = _unit_mark(pairs, unit_size, unit_statistic, shuffle)
    names = (both.names[0], both.names[1])
    return both.told(_assemble(pairs, additive, request, found, design, names, parts, changed, mark))


def comparisons(results: list[Comparison], settings: Mapping[str, Any], family: Family | None = None) -> Comparisons:
    """Results of one call as they are saved, with the settings that repeat them."""
    return Comparisons(list(results), dict(settings), family)


def _unit_advice(
    rows: PairedScores, metric: AdditiveMetric, size: int, statistic: Statistic, shuffle: int | None, request: TestRequest
) -> list[UnitRow]:
    """What units of the usual sizes and of the chosen one do, asked the same question as the comparison."""
    if rows.clusters is not None:
        raise OutscoreError(
            "Advice on the size of units was asked for, and there are clusters.",
            "Give one of the two: a cluster already is a unit of several items.",
        )
    asked = KernelOptions(request.alternative, request.delta, seed=request.seed, level=request.alpha)
    try:
        return unit_advisor(rows, metric, sorted({*SIZES, size}), statistic, shuffle, asked)
    except OutscoreError as refusal:
        if not request.delta:
            raise
        # Its own hint names a test, and the advice has no other.
        message = f"Advice on the size of units comes from the permutation test: {refusal.message}"
        raise OutscoreError(message, "Leave out the advice, or `delta`.") from None


def _unit_mark(pairs: PairedScores, size: int, statistic: str, shuffle: int | None) -> str:
    """What a unit is, for the signature."""
    if size > 1:
        return f"{size}-item {statistic}{'' if shuffle is None else f', shuffled by {shuffle}'}"
    return "items" if pairs.clusters is None else "clusters"


def _design(rows: PairedScores, metric: AdditiveMetric, remainder: int, unit_size: int, path: list[PathStep]) -> Design:
    items = rows.per_item().rows
    between, within = _variances(rows, metric)
    return Design(rows.rows, items, rows.rows / items, path, unit_size, remainder, between, within)


def _variances(rows: PairedScores, metric: AdditiveMetric) -> tuple[float, float] | tuple[None, None]:
    """How much of the spread of the difference lies between items and how much between the runs of one item."""
    alone = scores_if_any(replace(rows, items=None, clusters=None), metric) if rows.items is not None else None
    if alone is None or rows.items is None:
        return None, None
    return variance_parts(alone.d, rows.items) or (None, None)


def _assemble(
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    found: TestResult,
    design: Design,
    names: tuple[str, str],
    parts: Mapping[str, Any],
    changed: Mapping[str, object],
    mark: str,
) -> Comparison:
    items, p = pairs.per_item(), found.p
    scores, own = scores_of(items, metric), score_intervals(pairs, metric, request.alpha)
    groups = None if pairs.clusters is None else int(pairs.clusters.max()) + 1
    asked: dict[str, Any] = {"alpha": request.alpha, "alternative": request.alternative, "delta": request.delta}
    margin: Margin | None = parts["margin"]
    result = Comparison(
        systems=names,
        metric=metric.name,
        signature=signature(
            metric.name,
            p,
            margin=None if margin is None else margin.value,
            bayes=found.bayes,
            options=changed,
            unit=mark,
            resamples=cast("int | None", request.options.get("resamples")),
            seed=request.seed,
            **asked,
        ),
        higher_is_better=metric.higher_is_better,
        n=items.rows,
        clusters=groups,
        design=design,
        alignment=Alignment(common=design.items),
        scores=(SystemScore(names[0], scores[0], *own[0]), SystemScore(names[1], scores[1], *own[1])),
        difference=scores[0] - scores[1],
        p=p,
        interval=found.interval,
        decision=Decision(None, "undecided"),
        verdict="",
        sentence="",
        notes=found.notes,
        **parts,
    )
    return worded(result, **asked, identical=bool((items.a == items.b).all()))

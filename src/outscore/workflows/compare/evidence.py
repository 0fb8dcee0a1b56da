"""What stands under the verdict: effects, analysis, power, the units that decided, and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.paired import PairedScores
from outscore.inference.base.entry import TestEntry, TestRequest
from outscore.inference.base.influence import contributions, fragility, influence
from outscore.inference.base.item_scores import is_sum
from outscore.inference.base.sign_flips import KernelOptions, units_of
from outscore.inference.describe.analysis import analyse
from outscore.inference.describe.effects import effects, scores_if_any
from outscore.inference.describe.histograms import histograms, normal_quantiles
from outscore.inference.describe.null_law import null_histogram
from outscore.inference.describe.subset_curve import size_curve, size_test
from outscore.inference.permutation.dispatch import permutation
from outscore.inference.power.planning import analytic_curve
from outscore.inference.registry import TESTS
from outscore.results.analysis import ChartData, Power
from outscore.results.design import DecidingItem
from outscore.results.pvalue import PValue

__all__ = ["evidence"]

DECIDING = 10
MAX_FRAGILE = 20_000
"""Beyond so many units each further question to the test costs too much for a default report."""


def evidence(
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    p: PValue,
    labels: Sequence[str],
    *,
    entry: TestEntry,
    normality_alpha: float,
) -> dict[str, Any]:
    """The parts of a Comparison that follow from the data and the test's answer."""
    units = units_of(pairs)
    return {
        "effects": effects(pairs, metric, request.alpha),
        "analysis": analyse(pairs, metric, median_test=TESTS[p.test].estimand == "median", normality_alpha=normality_alpha),
        "power": _power(pairs, metric, request, p.test),
        "deciding_items": _deciding(units, metric, labels),
        "fragility": _fragility(units, metric, request, p),
        "pictures": ChartData(
            histograms(pairs, metric),
            None if p.kernel == "tango" else null_histogram(units, metric, delta=request.delta, seed=request.seed),
            size_curve(pairs, metric, TESTS[p.test], _request_of(p.test, entry, request)),
            normal_quantiles(pairs, metric),
            size_test(pairs, metric, TESTS[p.test]) or "",
            alone=scores_if_any(pairs, metric) is None,
        ),
    }


def _request_of(test: str, entry: TestEntry, request: TestRequest) -> TestRequest:
    """The same question to the test that answered: `bayes` carries the p of another, which has options of its own."""
    return request if test == entry.name else replace(request, options=complete(test, TESTS[test].options, {}))


def _power(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, test: str) -> Power | None:
    """The analytic curve at the observed difference; of enough independent units to reject anything."""
    scores = scores_if_any(pairs, metric)
    alone = scores is not None and scores.clusters is None
    if is_sum(metric):
        return None
    if scores is not None and alone:
        turn, d = scores.orientation, scores.d
    else:
        # Clusters and ratios of sums: a unit's contribution stands for its difference.
        found = contributions(units_of(pairs), metric)
        if found is None:
            return None
        turn, d = (1 if metric.higher_is_better else -1), found
    # The p of swaps and signs is never below that of all n signs being the same, 2^-n a side.
    flips = TESTS[test].null in ("swaps", "signs")
    if len(d) < 2 or (flips and 2.0 ** ((request.alternative == "two-sided") - len(d)) > request.alpha):
        return None
    sd = float(d.std(ddof=1))
    curve = analytic_curve(turn * float(d.mean()), sd, len(d), alpha=request.alpha, alternative=request.alternative)
    return curve if alone else replace(curve, jackknife=True)


def _deciding(units: PairedScores, metric: AdditiveMetric, labels: Sequence[str]) -> list[DecidingItem]:
    """The units whose absence would change the difference most, strongest first."""
    pull = influence(units, metric)
    scale = float(units.scale)
    found = []
    for i in np.argsort(-np.abs(pull), kind="stable")[:DECIDING].tolist():
        a, b = (float(metric.score(rows[i] / scale)) for rows in (units.a, units.b))
        if (units.a[i] != units.b[i]).any():
            found.append(DecidingItem(labels[i], a, b, a - b, float(pull[i])))
    return found


def _fragility(units: PairedScores, metric: AdditiveMetric, request: TestRequest, p: PValue) -> int | None:
    if p.test != "permutation" or p.method not in ("exact", "certified") or units.rows > MAX_FRAGILE or request.delta:
        return None
    asked = KernelOptions(request.alternative, level=request.alpha)
    return fragility(
        units,
        metric,
        lambda changed: permutation(changed, metric, asked),
        p,
        alpha=request.alpha,
        alternative=request.alternative,
    )

"""Two systems, one answer: where metrics and inference meet.

`permutation_test` gives the p-value alone, `compare` the whole result: scores, difference, interval, p, the design's path from
rows to clusters, and the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from outscore import wording
from outscore.data import LARGEST_TOTAL, AdditiveMetric, Array, PairedScores, codes_of
from outscore.errors import OutscoreError
from outscore.inference import TESTS, TestRequest
from outscore.inference.flipped import Alternative, Request
from outscore.inference.permutation import permutation
from outscore.metrics import resolve
from outscore.options import complete, did_you_mean
from outscore.results import Alignment, Comparison, Comparisons, Design, PathStep, PValue, SystemScore, TestResult

__all__ = ["compare", "comparisons", "permutation_test"]

LARGEST_SCORE = 1e150
"""Squares and sums of scores up to this size are finite."""
ALTERNATIVES = ("two-sided", "greater", "less")


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
    pairs, additive = _paired(a, b, metric, items, clusters)
    _check_request(alternative, delta, seed)
    options = complete("permutation", TESTS["permutation"].options, {"method": method, "resamples": resamples})
    request = Request(
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
    items: object = None,
    clusters: object = None,
    names: tuple[str, str] = ("A", "B"),
    seed: int = 0,
) -> Comparison:
    """Compare two systems: scores, difference with its interval, p-value and a verdict in words.

    Parameters are those of `permutation_test`; `options` are the test's own (see ``outscore tests``), `alpha` the level of the
    decision, and the interval has level 1 - alpha and the same design as p.

    Examples
    --------
    >>> result = compare([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], names=("new", "old"))
    >>> result.verdict.split(":")[0], result.p.value
    ('new outscored old', 0.03125)
    """
    if not 0 < alpha < 1:
        raise OutscoreError(f"`alpha` is {alpha:g}.", "Give a number between 0 and 1, such as 0.05.")
    if len(names) != 2:
        raise OutscoreError(f"`names` holds {len(names)} names.", "Give one for each system.")
    _check_request(alternative, delta, seed)
    if test not in TESTS:
        raise OutscoreError(f"There is no test `{test}`.", did_you_mean(test, TESTS))
    entry = TESTS[test]
    pairs, additive = _paired(a, b, metric, items, clusters)
    request = TestRequest(cast("Alternative", alternative), delta, alpha, seed, complete(test, entry.options, options or {}))
    found = entry.run(pairs, additive, request)
    path = _path(pairs, found.p, lambda view: entry.run(view, additive, request).p)
    return _assemble(pairs, additive, request, found, path, (names[0], names[1]))


def comparisons(results: list[Comparison], settings: Mapping[str, Any]) -> Comparisons:
    """Results of one call as they are saved, with the settings that repeat them."""
    return Comparisons(list(results), dict(settings))


def _assemble(
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    found: TestResult,
    path: list[PathStep],
    names: tuple[str, str],
) -> Comparison:
    items, p = pairs.per_item(), found.p
    scores = _scores(items, metric)
    groups = None if pairs.clusters is None else int(pairs.clusters.max()) + 1
    unit = "items" if groups is None else "clusters"
    asked: dict[str, Any] = {"alpha": request.alpha, "alternative": request.alternative, "delta": request.delta}
    words: dict[str, Any] = {
        "systems": names,
        "metric": metric.name,
        "higher_is_better": metric.higher_is_better,
        "scores": scores,
        "difference": p.statistic,
        "p": p,
        "interval": found.interval,
        "identical": bool((items.a == items.b).all()),
        **asked,
    }
    return Comparison(
        systems=names,
        metric=metric.name,
        signature=wording.signature(metric.name, p, unit=unit, seed=request.seed, **asked),
        higher_is_better=metric.higher_is_better,
        n=items.rows,
        clusters=groups,
        design=Design(rows=pairs.rows, items=items.rows, repeats=pairs.rows / items.rows, path=path),
        alignment=Alignment(common=pairs.rows),
        scores=(SystemScore(names[0], scores[0]), SystemScore(names[1], scores[1])),
        difference=p.statistic,
        p=p,
        interval=found.interval,
        decision=wording.decide(higher_is_better=metric.higher_is_better, difference=p.statistic, p=p, **asked),
        verdict=wording.verdict(**words),
        sentence=wording.sentence(**words, n=groups or items.rows, unit=unit),
        notes=found.notes,
    )


def _scores(view: PairedScores, metric: AdditiveMetric) -> tuple[float, float]:
    total_a, total_b = view.totals()
    return float(metric.score(total_a)), float(metric.score(total_b))


def _path(pairs: PairedScores, p: PValue, run: Callable[[PairedScores], PValue]) -> list[PathStep]:
    """The same test on every view, so that the reader sees what repeats and clusters did to the answer."""
    views = [("rows", replace(pairs, items=None, clusters=None))]
    if pairs.items is not None:
        views.append(("items", replace(pairs, clusters=None)))
    if pairs.clusters is not None:
        views.append(("clusters", pairs))
    steps = [(name, run(view)) for name, view in views[:-1]] + [(views[-1][0], p)]
    return [PathStep(cast("Any", name), found.n, found.statistic, found.value) for name, found in steps]


def _paired(
    a: object, b: object, metric: str | AdditiveMetric, items: object, clusters: object
) -> tuple[PairedScores, AdditiveMetric]:
    first, second = _numbers(a, "a"), _numbers(b, "b")
    if len(first) != len(second):
        raise OutscoreError(
            f"`a` has {len(first)} rows, `b` has {len(second)}.",
            "Both systems must be scored on the same items, in the same order.",
        )
    if first.shape != second.shape:
        raise OutscoreError(f"`a` has shape {first.shape}, `b` {second.shape}.", "Give both systems the same columns.")
    additive, rows_a, rows_b = resolve(metric, first, second)
    item_codes, cluster_codes = codes_of(items, len(first), "items"), codes_of(clusters, len(first), "clusters")
    return PairedScores(rows_a, rows_b, 1, item_codes, cluster_codes), additive


def _numbers(x: object, name: str) -> Array:
    """An array of finite numbers, (n,) or (n, k), int64 or float64."""
    try:
        raw = np.asarray(x)
    except ValueError:
        raise OutscoreError(
            f"The rows of `{name}` have different lengths.", "Give every item the same number of columns."
        ) from None
    if raw.ndim not in (1, 2):
        raise OutscoreError(f"`{name}` has {raw.ndim} dimensions.", "Give (n,) scores or (n, k) counts.")
    if raw.size == 0:
        raise OutscoreError(f"`{name}` is empty.", "Give at least one item.")
    if raw.dtype.kind not in "iufb":
        raise OutscoreError(f"`{name}` holds {_kind_of(raw)}, not numbers.", "Convert it to numbers that fit 64 bits first.")
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        row = int(np.argwhere(~np.isfinite(raw))[0][0])
        raise OutscoreError(f"`{name}` is {raw[row]} at row {row + 1}.", "Every item needs a finite number; drop or repair it.")
    if raw.dtype.kind == "f" and float(np.abs(raw).max()) > LARGEST_SCORE:
        raise OutscoreError(f"`{name}` holds a number beyond {LARGEST_SCORE:g}.", "Rescale the scores.")
    if raw.dtype.kind != "f" and float(np.abs(raw.astype(float)).sum(axis=0).max()) >= LARGEST_TOTAL:
        raise OutscoreError(f"The integers of `{name}` add up to more than 2**53.", "Divide them by a common factor.")
    return raw.astype(np.float64 if raw.dtype.kind == "f" else np.int64, copy=False)


def _kind_of(raw: Array) -> str:
    if raw.dtype.kind in "US":
        return "text"
    found = next((type(x).__name__ for x in raw.ravel() if not isinstance(x, (int, float))), "integers beyond 64 bits")
    return found if raw.dtype.kind == "O" else str(raw.dtype)


def _check_request(alternative: str, delta: float, seed: int) -> None:
    if alternative not in ALTERNATIVES:
        raise OutscoreError(f"`alternative` is {alternative!r}.", f"Choose one of: {', '.join(ALTERNATIVES)}.")
    if not math.isfinite(delta):
        raise OutscoreError(f"`delta` is {delta}.", "Give a finite number.")
    if int(seed) != seed or not 0 <= seed < 2**64:
        raise OutscoreError(f"`seed` is {seed!r}.", "Give a whole number from 0 up to 2**64 - 1.")

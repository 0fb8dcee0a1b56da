"""Two systems, one answer: where metrics and inference meet.

`permutation_test` gives the p-value alone, `compare` the whole result: scores, difference, interval, p, the design's path from
rows to clusters, and the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from outscore import wording
from outscore.data import LARGEST_TOTAL, AdditiveMetric, Array, PairedScores, codes_of
from outscore.errors import OutscoreError
from outscore.inference import TESTS
from outscore.inference.binary import discordance, tango_interval
from outscore.inference.flipped import Alternative
from outscore.inference.inversion import inversion_interval
from outscore.metrics import resolve
from outscore.options import complete, did_you_mean
from outscore.results import Alignment, Comparison, Comparisons, Design, Interval, PathStep, PValue, SystemScore

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
    test = TESTS["permutation"]
    options = complete("permutation", test.options, {"method": method, "resamples": resamples})
    return test.function(pairs, additive, cast("Alternative", alternative), delta, options, seed, None)


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
    settings = complete(test, entry.options, options or {})
    pairs, additive = _paired(a, b, metric, items, clusters)
    side = cast("Alternative", alternative)

    def run(view: PairedScores) -> PValue:
        return entry.function(view, additive, side, delta, settings, seed, alpha)

    p = run(pairs)
    interval = _interval(pairs, additive, alpha, p, alternative, delta)
    return _assemble(pairs, additive, p, interval, _path(pairs, p, run), (names[0], names[1]), alternative, alpha, delta, seed)


def comparisons(results: list[Comparison], settings: Mapping[str, Any]) -> Comparisons:
    """Results of one call as they are saved, with the settings that repeat them."""
    return Comparisons(list(results), dict(settings))


def _assemble(
    pairs: PairedScores,
    metric: AdditiveMetric,
    p: PValue,
    interval: Interval | None,
    path: list[PathStep],
    names: tuple[str, str],
    alternative: str,
    alpha: float,
    delta: float,
    seed: int,
) -> Comparison:
    items = pairs.per_item()
    scores = _scores(items, metric)
    groups = None if pairs.clusters is None else int(pairs.clusters.max()) + 1
    unit = "items" if groups is None else "clusters"
    words: dict[str, Any] = {
        "systems": names,
        "metric": metric.name,
        "higher_is_better": metric.higher_is_better,
        "scores": scores,
        "difference": p.statistic,
        "p": p,
        "interval": interval,
        "alpha": alpha,
        "alternative": alternative,
        "delta": delta,
        "identical": bool((items.a == items.b).all()),
    }
    return Comparison(
        systems=names,
        metric=metric.name,
        signature=wording.signature(metric.name, p, alternative=alternative, alpha=alpha, delta=delta, unit=unit, seed=seed),
        higher_is_better=metric.higher_is_better,
        n=items.rows,
        clusters=groups,
        design=Design(rows=pairs.rows, items=items.rows, repeats=pairs.rows / items.rows, path=path),
        alignment=Alignment(common=pairs.rows),
        scores=(SystemScore(names[0], scores[0]), SystemScore(names[1], scores[1])),
        difference=p.statistic,
        p=p,
        interval=interval,
        decision=wording.decide(
            higher_is_better=metric.higher_is_better,
            difference=p.statistic,
            p=p,
            alpha=alpha,
            alternative=alternative,
            delta=delta,
        ),
        verdict=wording.verdict(**words),
        sentence=wording.sentence(**words, n=groups or items.rows, unit=unit),
        notes=_notes(metric, p, interval, delta, scores),
    )


def _scores(view: PairedScores, metric: AdditiveMetric) -> tuple[float, float]:
    total_a, total_b = view.totals()
    return float(metric.score(total_a)), float(metric.score(total_b))


def _notes(
    metric: AdditiveMetric, p: PValue, interval: Interval | None, delta: float, scores: tuple[float, float]
) -> list[str]:
    notes = []
    if not all(math.isfinite(s) for s in scores):
        notes.append(f"{metric.name} is not defined for these totals.")
    if interval is None:
        notes.append(f"No interval: {metric.name} is not linear in these data, so the permutation test cannot be inverted.")
    elif interval.low is None and interval.high is None:
        notes.append("The interval is unbounded: with so few units no difference can be rejected at this level.")
    if delta and p.kernel == "tango":
        notes.append(f"Right-or-wrong items at delta = {delta:g}: Tango's score test, a large-sample approximation.")
    elif delta:
        notes.append(f"The test takes the items' differences as symmetric about delta = {delta:g}.")
    if p.method == "monte-carlo":
        notes.append("No exact method serves these data; p was sampled, and its bounds hold with 99 % confidence.")
    return notes


def _interval(
    pairs: PairedScores, metric: AdditiveMetric, alpha: float, p: PValue, alternative: str, delta: float
) -> Interval | None:
    """The interval of the same design as p: Tango for right-or-wrong items, inversion for other linear metrics."""
    at_zero = (
        p
        if not delta
        else TESTS["permutation"].function(
            pairs, metric, cast("Alternative", alternative), 0.0, {"method": "auto", "resamples": 9_999}, 0, alpha
        )
    )
    pair = discordance(pairs, metric)
    if pair is not None:
        return tango_interval(pair, alpha, at_zero, alternative)
    return inversion_interval(pairs, metric, alpha, at_zero, alternative)


def _path(pairs: PairedScores, p: PValue, run: Any) -> list[PathStep]:  # noqa: ANN401
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
    raw = np.asarray(x)
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
    return raw.astype(np.float64 if raw.dtype.kind == "f" else np.int64)


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

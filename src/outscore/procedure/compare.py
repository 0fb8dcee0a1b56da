"""Two systems, one answer: where metrics and inference meet.

`permutation_test` gives the p-value alone, `compare` the whole result: scores, difference, interval, p, effects, power, the
design's path from rows to clusters, and the verdict. `compare_slices` asks the same of parts of the data as one family.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from outscore import wording
from outscore.data import AdditiveMetric, PairedScores
from outscore.errors import OutscoreError
from outscore.inference import TESTS, TestEntry, TestRequest
from outscore.inference.flipped import Alternative, Request
from outscore.inference.multiplicity import CORRECTIONS, adjust
from outscore.inference.permutation import permutation
from outscore.inference.units import evaluation_units
from outscore.options import complete, did_you_mean
from outscore.procedure.evidence import evidence
from outscore.procedure.inputs import check_request, paired
from outscore.results import (
    Alignment,
    Comparison,
    Comparisons,
    Design,
    Family,
    Margin,
    PathStep,
    PValue,
    Slice,
    SystemScore,
    TestResult,
)

__all__ = ["compare", "compare_slices", "comparisons", "load", "permutation_test"]


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
    pairs, additive = paired(a, b, metric, items, clusters)
    check_request(alternative, delta, seed)
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
    margin: float | None = None,
    items: object = None,
    clusters: object = None,
    unit_size: int = 1,
    unit_statistic: str = "mean",
    shuffle: int | None = None,
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
    names, labels
        What to call the systems and the rows.

    Examples
    --------
    >>> result = compare([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], names=("new", "old"))
    >>> result.verdict.split(":")[0], result.p.value
    ('new outscored old', 0.03125)
    """
    if [bool(name) for name in names] != [True, True]:
        raise OutscoreError(f"`names` is {names!r}.", "Give a name for each system.")
    check_request(alternative, delta, seed, alpha)
    entry = _entry("permutation" if test == "all" else test)
    rows, additive = paired(a, b, metric, items, clusters)
    if labels is not None and len(labels) != rows.rows:
        raise OutscoreError(f"There are {len(labels)} `labels` for {rows.rows} rows.", "Give one for each row.")
    if unit_statistic not in ("mean", "median"):
        raise OutscoreError(f"`unit_statistic` is {unit_statistic!r}.", "Use 'mean' or 'median'.")
    statistic = cast("Literal['mean', 'median']", unit_statistic)
    pairs, remainder = evaluation_units(rows, additive, unit_size, statistic, shuffle) if unit_size != 1 else (rows, 0)
    settings = complete(entry.name, entry.options, options or {})
    request = TestRequest(cast("Alternative", alternative), delta, alpha, seed, settings)
    found = entry.run(pairs, additive, request)
    others = _all_tests(pairs, additive, request) if test == "all" else []
    called = _labels(rows, labels, items, clusters) if unit_size == 1 else [f"unit {i + 1}" for i in range(pairs.rows)]
    parts = {
        **evidence(pairs, additive, request, found.p, called),
        "tests": others,
        "margin": None if margin is None else _margin(entry, pairs, additive, request, margin),
        "bayes": found.bayes,
    }
    design = _design(rows, remainder, unit_size, _path(pairs, additive, found.p, request, entry))
    return _assemble(pairs, additive, request, found, design, (names[0], names[1]), parts, unit_statistic, shuffle)


def compare_slices(
    a: object,
    b: object,
    column: str,
    values: Sequence[str],
    *,
    correction: str = "holm",
    alpha: float = 0.05,
    **asked: Any,  # noqa: ANN401 - as `compare` takes them
) -> tuple[list[Comparison], Family]:
    """The same comparison on every slice, with p corrected for their number.

    `values` names the slice of each row; the other parameters are those of `compare`. Slices of one item are compared too.
    """
    if correction not in CORRECTIONS:
        raise OutscoreError(f"There is no correction `{correction}`.", did_you_mean(correction, CORRECTIONS))
    rows_a, rows_b, names = np.asarray(a), np.asarray(b), np.asarray(values)
    per_row = {k: np.asarray(asked.pop(k)) for k in ("items", "clusters", "labels") if asked.get(k) is not None}
    found = []
    for value in dict.fromkeys(names.tolist()):
        here = names == value
        chosen = {k: v[here] for k, v in per_row.items()}
        result = compare(rows_a[here], rows_b[here], alpha=alpha, **asked, **chosen)
        found.append(replace(result, slice=Slice(column, str(value))))
    adjusted = adjust([c.p.value for c in found], correction)
    corrected = [replace(c, p=replace(c.p, adjusted=float(q))) for c, q in zip(found, adjusted, strict=True)]
    return corrected, Family(correction, CORRECTIONS[correction].error_rate, len(corrected))


def comparisons(results: list[Comparison], settings: Mapping[str, Any], family: Family | None = None) -> Comparisons:
    """Results of one call as they are saved, with the settings that repeat them."""
    return Comparisons(list(results), dict(settings), family)


def load(path: str | os.PathLike[str]) -> Comparisons:
    """A result saved as JSON."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OutscoreError(f"`{path}`: {error.strerror}.", "Name a result saved with -o result.json.") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise OutscoreError(f"`{path}` is not JSON.", "Name a result saved with -o result.json.") from None
    if not isinstance(data, dict) or data.get("schema") != "outscore/result/1":
        raise OutscoreError(f"`{path}` is not a saved result.", "Name a result saved with -o result.json.")
    return Comparisons.from_dict(data)


def _entry(test: str) -> TestEntry:
    if test not in TESTS:
        raise OutscoreError(f"There is no test `{test}`.", did_you_mean(test, [*TESTS, "all"]))
    return TESTS[test]


def _all_tests(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest) -> list[PValue]:
    """Every other test that takes these data; those that refuse them are left out."""
    found = []
    for entry in TESTS.values():
        if entry.name in ("permutation", "bayes"):
            continue
        try:
            asked = replace(request, options=complete(entry.name, entry.options, {}))
            found.append(entry.run(pairs, metric, asked).p)
        except OutscoreError:
            continue
    return found


def _margin(entry: TestEntry, pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, margin: float) -> Margin:
    """Non-inferiority one-sided at -margin, equivalence by two one-sided tests (Schuirmann, 1987)."""
    if not margin > 0:
        raise OutscoreError(f"`margin` is {margin:g}.", "Give a positive number in the metric's own unit.")
    if not entry.delta:
        raise OutscoreError(f"`{entry.name}` has no margin.", "Use `permutation`, `student` or `bootstrap`.")
    turn = 1.0 if metric.higher_is_better else -1.0
    lower = entry.run(pairs, metric, replace(request, alternative="greater", delta=-turn * margin)).p
    upper = entry.run(pairs, metric, replace(request, alternative="less", delta=turn * margin)).p
    return Margin(margin, lower, max(lower, upper, key=lambda p: p.upper))


def _labels(rows: PairedScores, labels: Sequence[str] | None, items: object, clusters: object) -> list[str]:
    """A name for every unit: its cluster, its item, its own label, or its row."""
    unit = rows.clusters if rows.clusters is not None else rows.items
    given = clusters if rows.clusters is not None else items
    if unit is None or given is None:
        return [str(x) for x in labels] if labels is not None else [f"row {i + 1}" for i in range(rows.rows)]
    source = np.asarray(labels if labels is not None and rows.clusters is None else given)
    _, first = np.unique(unit, return_index=True)
    return [str(x) for x in source[first]]


def _design(rows: PairedScores, remainder: int, unit_size: int, path: list[PathStep]) -> Design:
    items = rows.per_item().rows
    return Design(rows=rows.rows, items=items, repeats=rows.rows / items, path=path, unit_size=unit_size, remainder=remainder)


def _scores(view: PairedScores, metric: AdditiveMetric) -> tuple[float, float]:
    total_a, total_b = view.totals()
    return float(metric.score(total_a)), float(metric.score(total_b))


def _path(pairs: PairedScores, metric: AdditiveMetric, p: PValue, request: TestRequest, entry: TestEntry) -> list[PathStep]:
    """The same test on every view, so that the reader sees what repeats and clusters did to the answer."""
    views: list[tuple[Literal["rows", "items", "clusters"], PairedScores]]
    views = [("rows", replace(pairs, items=None, clusters=None))]
    if pairs.items is not None:
        views.append(("items", replace(pairs, clusters=None)))
    if pairs.clusters is not None:
        views.append(("clusters", pairs))
    steps = []
    for i, (name, view) in enumerate(views):
        found = p if i == len(views) - 1 else entry.run(view, metric, request).p
        a, b = _scores(view.per_item(), metric)
        steps.append(PathStep(name, found.n, a - b, found.value))
    return steps


def _assemble(
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    found: TestResult,
    design: Design,
    names: tuple[str, str],
    parts: Mapping[str, Any],
    unit_statistic: str,
    shuffle: int | None,
) -> Comparison:
    items, p = pairs.per_item(), found.p
    scores = _scores(items, metric)
    groups = None if pairs.clusters is None else int(pairs.clusters.max()) + 1
    unit = "items" if groups is None else "clusters"
    mark = unit
    if design.unit_size > 1:
        unit = f"units of {design.unit_size} items"
        mark = f"{design.unit_size}-item {unit_statistic}{'' if shuffle is None else f', shuffled by {shuffle}'}"
    asked: dict[str, Any] = {"alpha": request.alpha, "alternative": request.alternative, "delta": request.delta}
    answer: dict[str, Any] = {
        "higher_is_better": metric.higher_is_better,
        "difference": scores[0] - scores[1],
        "p": p,
        "margin": parts["margin"],
        **asked,
    }
    words: dict[str, Any] = {
        "systems": names,
        "metric": metric.name,
        "scores": scores,
        "interval": found.interval,
        "identical": bool((items.a == items.b).all()),
        **answer,
    }
    return Comparison(
        systems=names,
        metric=metric.name,
        signature=wording.signature(metric.name, p, unit=mark, seed=request.seed, **asked),
        higher_is_better=metric.higher_is_better,
        n=items.rows,
        clusters=groups,
        design=design,
        alignment=Alignment(common=design.items),
        scores=(SystemScore(names[0], scores[0]), SystemScore(names[1], scores[1])),
        difference=scores[0] - scores[1],
        p=p,
        interval=found.interval,
        decision=wording.decide(**answer),
        verdict=wording.verdict(**words),
        sentence=wording.sentence(**words, n=groups or items.rows, unit=unit),
        notes=found.notes,
        **parts,
    )

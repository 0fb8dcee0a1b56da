"""Time and memory against the number of items, from a thousand to ten million, for every kernel; and the steps between methods.

Processor time, not that of the clock: a curve takes minutes, and what else the machine does meanwhile should not bend it. A
call of more than a second is timed once, a shorter one is the best of several. The exponent is the slope of log time on log n
over the three largest sizes, where the price of an empty call no longer shows.

Where one method takes over from another, both sides of the border are timed in turn, per item: a curve without a cliff has
ratios below two.
"""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from benchmarks.tables import duration, markdown, significant
from numpy.typing import NDArray

import outscore as osc
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.examples.scores import simulate_f1, simulate_pos
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve
from outscore.results.pvalue import PValue

__all__ = ["BORDERS", "CURVES", "QUICK", "Design", "measure", "text"]

Array = NDArray[Any]
Call = Callable[[], PValue]
Data = Callable[[int], tuple[Array, Array]]

RESAMPLES = 99
"""Of the methods that sample: their time is proportional to it."""
LONG = 1.0
VISIT = 0.3
"""Seconds of a call that is timed once, and of a visit that repeats a shorter one."""
FITTED = 3
CLIFF = 2.0


@dataclass(frozen=True)
class Design:
    """How far the curves go, and how often both sides of a border are visited."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    rounds: int = 3


QUICK = Design(sizes=(1_000, 3_000, 10_000), rounds=1)


def _stream(n: int) -> np.random.Generator:
    return np.random.default_rng(n)


def _judged(n: int) -> tuple[Array, Array]:
    right = _stream(n).random((2, n)) < 0.8
    return right[0].astype(np.int64), right[1].astype(np.int64)


def _words(n: int) -> tuple[Array, Array]:
    a, b, _ = simulate_pos(n, 1.0, _stream(n))
    return a, b


def _decimals(n: int, digits: int = 3) -> tuple[Array, Array]:
    """Three decimals, or more; no item has the same score twice."""
    stream, scale = _stream(n), 10**digits
    a = stream.integers(0, scale // 2, n)
    return a / scale, (a + stream.integers(1, scale // 2, n) * stream.choice([-1, 1], n)) / scale


def _five_decimals(n: int) -> tuple[Array, Array]:
    return _decimals(n, 5)


def _reals(n: int) -> tuple[Array, Array]:
    stream = _stream(n)
    a = stream.random(n)
    return a, a + stream.normal(0, 0.2, n)


def _counts(n: int) -> tuple[Array, Array]:
    return simulate_f1(n, (0.8, 0.8), _stream(n))


def _decisions(n: int) -> tuple[Array, Array]:
    """tp, fp, fn, tn of two classifiers with the same gold."""
    stream = _stream(n)
    gold = stream.random(n) < 0.4
    answers = [np.where(stream.random(n) < 0.85, gold, ~gold) for _ in range(2)]
    a, b = (
        np.stack([gold & answer, ~gold & answer, gold & ~answer, ~gold & ~answer], axis=1).astype(np.int64)
        for answer in answers
    )
    return a, b


def _permutation(
    data: Data, metric: str = "mean", method: Literal["auto", "fft", "dp", "monte-carlo"] = "auto"
) -> Callable[[int], Call]:
    def build(n: int) -> Call:
        a, b = data(n)
        return lambda: osc.permutation_test(a, b, metric=metric, method=method, resamples=RESAMPLES)

    return build


def _test(name: str, data: Data, *, metric: str = "mean", interval: bool = False, **options: int) -> Callable[[int], Call]:
    def build(n: int) -> Call:
        additive, a, b = resolve(metric, *data(n))
        entry = TESTS[name]
        request = TestRequest(options=complete(name, entry.options, options), interval=interval)
        return lambda: entry.run(PairedScores(a, b), additive, request).p

    return build


@dataclass(frozen=True)
class Curve:
    """A kernel, the work that leads to it, and the largest number of items that it is asked about."""

    what: str
    build: Callable[[int], Call]
    most: int = 10_000_000


CURVES = (
    Curve("right or wrong", _permutation(_judged)),
    Curve("whole numbers", _permutation(_words)),
    Curve("three decimals", _permutation(_decimals)),
    Curve("real numbers", _permutation(_reals)),
    Curve("real numbers, with interval", _test("permutation", _reals, interval=True), most=1_000_000),
    Curve("F1 of counts", _permutation(_counts, "f1")),
    Curve("MCC of decisions", _permutation(_decisions, "mcc")),
    Curve("whole numbers, by `fft`", _permutation(_words, method="fft"), most=100_000),
    Curve("whole numbers, by `dp`", _permutation(_words, method="dp"), most=10_000),
    Curve(f"F1, by {RESAMPLES} swaps", _permutation(_counts, "f1", "monte-carlo")),
    Curve(f"F1, {RESAMPLES} bootstrap samples", _test("bootstrap", _counts, metric="f1", resamples=RESAMPLES)),
    Curve("Wilcoxon's test of real numbers", _test("wilcoxon", _reals)),
    Curve("sign test of real numbers", _test("sign", _reals)),
    Curve("t test of real numbers", _test("student", _reals)),
)


@dataclass(frozen=True)
class Border:
    """Two sizes between which another method takes over."""

    what: str
    build: Callable[[int], Call]
    below: int
    above: int


BORDERS = (
    Border("three decimals: counted, then by frequencies", _permutation(_decimals), 400, 401),
    Border("three decimals: more sums than could be listed", _permutation(_decimals), 2_000_000, 2_600_000),
    Border("five decimals: counted, then bounds on a grid", _permutation(_five_decimals), 110, 140),
    Border("five decimals: bounds on a grid, then by frequencies", _permutation(_five_decimals), 200, 260),
    Border("real numbers: all sums listed, then counted on a grid", _permutation(_reals), 34, 35),
    Border("real numbers: on a grid, then by frequencies", _permutation(_reals), 200, 201),
    Border("real numbers: one by one, then by Taylor's series", _permutation(_reals), 9_999, 10_000),
    Border("interval of real numbers: listed, then by halves", _test("permutation", _reals, interval=True), 20, 21),
    Border("interval of real numbers: by halves, then bounds", _test("permutation", _reals, interval=True), 28, 29),
    Border("Wilcoxon's test: exact, then bounds", _test("wilcoxon", _reals), 6_000, 10_000),
)


def measure(design: Design) -> dict[str, Any]:
    """Seconds and bytes of every curve at every size, and the ratios at the borders."""
    points = [
        {"what": curve.what, "n": n, **_point(curve.build(n))}
        for curve in CURVES
        for n in design.sizes
        if n <= max(curve.most, design.sizes[0])
    ]
    borders = [_crossed(border, design.rounds) for border in BORDERS if border.above <= max(design.sizes)]
    return {"design": asdict(design), "points": points, "borders": borders}


def _point(call: Call) -> dict[str, Any]:
    gc.collect()
    tracemalloc.start()
    start = time.process_time()
    p = call()
    seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The first call pays for pages that the process did not have before; what comes soon is asked again.
    return {"kernel": p.kernel, "seconds": min(seconds, _timed(call)), "bytes": peak}


def _timed(call: Call) -> float:
    """The best of as many calls as fit a visit, of one that is long."""
    best, spent = math.inf, 0.0
    while best == math.inf or (spent < VISIT and best < LONG):
        start = time.process_time()
        call()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
    return best


def _crossed(border: Border, rounds: int) -> dict[str, Any]:
    calls = {n: border.build(n) for n in (border.below, border.above)}
    kernels = [call().kernel for call in calls.values()]
    best = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for n, call in calls.items():
            best[n] = min(best[n], _timed(call))
    per_item = [seconds / n for n, seconds in best.items()]
    return {
        "what": border.what,
        "n": list(best),
        "kernels": kernels,
        "seconds": list(best.values()),
        "ratio": per_item[1] / per_item[0],
    }


def _exponent(points: list[dict[str, Any]]) -> float:
    """The slope of log time on log n over the largest sizes."""
    last = points[-FITTED:]
    n, seconds = (np.log([point[key] for point in last]) for key in ("n", "seconds"))
    return float(np.polyfit(n, seconds, 1)[0])


def text(results: dict[str, Any]) -> str:
    """A row for every curve, then one for every border."""
    sizes = results["design"]["sizes"]
    rows = []
    for what in dict.fromkeys(point["what"] for point in results["points"]):
        points = [point for point in results["points"] if point["what"] == what]
        at = {point["n"]: duration(point["seconds"]) for point in points}
        # Samplers say how many they drew, which is the same everywhere.
        kernels = dict.fromkeys(point["kernel"].removesuffix(f":{RESAMPLES}") for point in points)
        largest = points[-1]
        rows.append(
            (
                what,
                ", ".join(kernels),
                *(at.get(n, "–") for n in sizes),
                f"{_exponent(points):.2f}",
                f"{largest['bytes'] / 1e6:,.1f} MB",
                f"{largest['bytes'] / largest['n']:,.0f}",
            )
        )
    header = ("work", "kernel", *(f"n = {n:,}" for n in sizes), "exponent", "memory, largest n", "bytes per item")
    borders = [
        (
            row["what"],
            f"{row['n'][0]:,}, {row['n'][1]:,}",
            " → ".join(row["kernels"]),
            " → ".join(duration(seconds) for seconds in row["seconds"]),
            significant(row["ratio"]),
            "yes" if row["ratio"] <= CLIFF else "**no**",
        )
        for row in results["borders"]
    ]
    border_header = ("change of method", "n", "kernel", "time", "ratio per item", "at most 2")
    return markdown(header, rows, left=2) + "\n\n" + REMARKS + "\n\n" + markdown(border_header, borders)


REMARKS = (
    "Processor time of one call, data in memory; the exponent is fitted to the three largest sizes. Memory is the peak that"
    " `tracemalloc` sees on top of the input. Where exact p-values are replaced by bounds the curve may drop: p is exact as"
    " long as that takes some hundredths of a second, an interval as long as it takes a tenth."
)

"""Two samples of different items for the calibration page, and whole runs, which are two samples of scores.

Scores have a decimal, as ratings do, so that the exact kernel serves and ties occur.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.repeats import run_interval, run_test
from outscore.inference.unpaired import Samples, run_unpaired, shifted_p
from outscore.results.comparison import TestResult
from outscore.results.pvalue import Interval

__all__ = ["gate", "numbers", "shares", "spreads", "whole_runs"]

ALPHA = 0.05
SHIFT = 0.5
LIBERAL = 1.5
"""What `compare` warns from, in multiples of alpha."""
Look = tuple[str, str, str, bool | None]
SIZES = ((10, 10), (20, 80), (40, 40))
RATES = (
    ("10 + 30, .8 and .6", 10, 30, 0.8, 0.6),
    ("50 + 50, .5 and .7", 50, 50, 0.5, 0.7),
    ("20 + 80, .95 and .9", 20, 80, 0.95, 0.9),
)


GATES = (
    (100, 100, 0.7, 0.1),
    (200, 50, 0.9, 0.1),
    (500, 500, 0.8, 0.05),
    (50, 50, None, 0.5),
)
"""Items of candidate and baseline, the rate of the baseline, None for graded scores, and the margin."""


def numbers(rng: np.random.Generator) -> Iterator[Look]:
    """One distribution for the tests, and one moved by a constant for the intervals."""
    for law in ("normal", "log-normal"):
        for n_a, n_b in SIZES:
            row = f"{law}, {n_a} + {n_b}"
            a, b = _drawn(rng, law, n_a), _drawn(rng, law, n_b)
            same, moved = Samples(np.round(a, 1), np.round(b, 1)), Samples(np.round(a + SHIFT, 1), np.round(b, 1))
            for name, test in (("permutation", "permutation"), ("rank-sum", "wilcoxon"), ("Welch", "student")):
                yield "unpaired", row, f"{name} rejects", run_unpaired(test, same, TestRequest()).p <= ALPHA
            for name, test in (("Welch interval", "student"), ("Hodges–Lehmann", "wilcoxon")):
                yield "unpaired", row, f"{name} holds", _holds(run_unpaired(test, moved, TestRequest()).interval, SHIFT)


def shares(rng: np.random.Generator) -> Iterator[Look]:
    """Right-or-wrong items: equal rates for the test, unequal ones for the interval."""
    for row, n_a, n_b, first, second in RATES:
        a, b, other = (rng.random(n_a) < first) * 1, (rng.random(n_b) < first) * 1, (rng.random(n_b) < second) * 1
        yield "unpaired shares", row, "Fisher rejects equal rates", _fisher(a, b).p <= ALPHA
        yield "unpaired shares", row, "Miettinen–Nurminen holds", _holds(_fisher(a, other).interval, first - second)


def _fisher(a: Array, b: Array) -> TestResult:
    return run_unpaired("permutation", Samples(a, b), TestRequest())


def gate(rng: np.random.Generator) -> Iterator[Look]:
    """Gates of a candidate that is as good as the baseline, and of one that is worse by the margin."""
    for n_a, n_b, rate, margin in GATES:
        kind = "graded, normal" if rate is None else f"right or wrong, .{round(100 * rate)}"
        row = f"{kind}, {n_a} + {n_b}, margin {margin:g}"
        for loss, column in ((0.0, "as good"), (margin, "worse by the margin")):
            a: Array
            b: Array
            if rate is None:
                a, b = np.round(rng.normal(-loss, 1, n_a), 1), np.round(rng.normal(0, 2, n_b), 1)
            else:
                a, b = (rng.random(n_a) < rate - loss) * 1.0, (rng.random(n_b) < rate) * 1.0
            samples = Samples(a, b)
            passes = shifted_p("permutation", samples, "greater", -margin) <= ALPHA
            fails = run_unpaired("permutation", samples, TestRequest(alternative="less", interval=False)).p <= ALPHA
            yield "unpaired gate", row, f"{column}: passes", passes
            yield "unpaired gate", row, f"{column}: fails", fails and not passes


def spreads(rng: np.random.Generator) -> Iterator[Look]:
    """Equal means, unequal sizes, and spreads from one third to three times."""
    for first, second in ((1, 1), (2, 1), (3, 1), (1, 3)):
        row = f"20 with sd {first} + 80 with sd {second}"
        both = Samples(np.round(rng.normal(0, first, 20), 1), np.round(rng.normal(0, second, 80), 1))
        level = both.level(ALPHA)
        for name, test in (("permutation", "permutation"), ("Welch", "student")):
            yield "unpaired spreads", row, f"{name} rejects", run_unpaired(test, both, TestRequest()).p <= ALPHA
        yield "unpaired spreads", row, "warned", level is not None and level >= LIBERAL * ALPHA


def whole_runs(rng: np.random.Generator) -> Iterator[Look]:
    """Scores of runs that span all items, exchanged whole; A's runs are better by a constant for the interval."""
    for law in ("normal", "log-normal"):
        for n_a, n_b in ((4, 4), (5, 3), (5, 5), (8, 8)):
            a, b = _drawn(rng, law, n_a), _drawn(rng, law, n_b)
            row = f"{law}, {n_a} + {n_b} runs"
            yield "whole-runs", row, "rejects", run_test(a, b) <= ALPHA
            yield "whole-runs", row, "holds", _holds(run_interval(a + SHIFT, b, TestRequest(alpha=ALPHA)), SHIFT)


def _drawn(rng: np.random.Generator, law: str, n: int) -> Array:
    return rng.normal(0, 1, n) if law == "normal" else rng.lognormal(0, 0.7, n)


def _holds(interval: Interval | None, truth: float) -> bool | None:
    if interval is None:
        return None
    # Limits of decimals may miss a decimal by a last place.
    low, high = (x if x is None else round(x, 9) for x in (interval.low, interval.high))
    return (low is None or low <= round(truth, 9)) and (high is None or round(truth, 9) <= high)

"""p against the sample size, as in figure 5 of Zhu et al. (2020): two normal and two beta pairs, without and with a difference.

The paper draws pairs of independent scores, 20 tests at each of many sizes from 30 to 25,000: Student's test for normal scores
(a, b), Wilcoxon's for beta scores (c, d), the mean of p as a line and its range as a shade. It does not print the laws. It says
of (d) that the variance of the differences is about .046 and that the medians lie about .02 apart, which Beta(5.4, 5) against
Beta(5, 5) meets; in (b) the variance is "large", here 2 with a mean difference of .05.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from benchmarks.tables import markdown
from numpy.typing import NDArray

from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve

__all__ = ["PANELS", "QUICK", "Design", "measure", "text"]

Array = NDArray[Any]
SEED = 2_020
ALPHA = 0.05


@dataclass(frozen=True)
class Panel:
    """One of the four: how A and B are drawn, and the test."""

    key: str
    title: str
    test: str
    draw: Callable[[np.random.Generator, int], tuple[Array, Array]]


PANELS = (
    Panel(
        "a",
        "normal, no difference: t test",
        "student",
        lambda stream, n: (stream.normal(0.0, 1.0, n), stream.normal(0.0, 1.0, n)),
    ),
    Panel(
        "b",
        "normal, means .05 apart: t test",
        "student",
        lambda stream, n: (stream.normal(0.05, 1.0, n), stream.normal(0.0, 1.0, n)),
    ),
    Panel("c", "beta, no difference: Wilcoxon", "wilcoxon", lambda stream, n: (stream.beta(5, 5, n), stream.beta(5, 5, n))),
    Panel(
        "d",
        "beta, medians .02 apart: Wilcoxon",
        "wilcoxon",
        lambda stream, n: (stream.beta(5.4, 5, n), stream.beta(5, 5, n)),
    ),
)


@dataclass(frozen=True)
class Design:
    """How much is simulated."""

    sizes: tuple[int, ...] = (30, 50, 100, 200, 400, 800, 1_500, 3_000, 6_000, 12_000, 25_000)
    tests: int = 20


QUICK = Design(sizes=(30, 100, 300), tests=5)


def measure(design: Design) -> dict[str, Any]:
    """Mean, least and largest p of every panel at every size, and how many of the tests rejected."""
    points = []
    for panel in PANELS:
        for n in design.sizes:
            ps = [_p(panel, n, run) for run in range(design.tests)]
            points.append(
                {
                    "panel": panel.key,
                    "n": n,
                    "mean": float(np.mean(ps)),
                    "least": min(ps),
                    "largest": max(ps),
                    "rejected": sum(p <= ALPHA for p in ps),
                }
            )
    return {"design": asdict(design), "points": points}


def _p(panel: Panel, n: int, run: int) -> float:
    """p of one simulated comparison, whose random numbers depend on nothing but the panel, the size and the run."""
    stream = np.random.Generator(np.random.Philox(key=SEED, counter=[0, ord(panel.key), run, n]))
    metric, a, b = resolve("mean", *panel.draw(stream, n))
    entry = TESTS[panel.test]
    request = TestRequest(options=complete(entry.name, entry.options, {}), interval=False)
    return entry.run(PairedScores(a, b), metric, request).p.value


def text(results: dict[str, Any]) -> str:
    """Mean and range of p."""
    sizes = results["design"]["sizes"]
    at = {(point["panel"], point["n"]): point for point in results["points"]}
    rows = [(f"({panel.key}) {panel.title}", *(_cell(at[panel.key, n]) for n in sizes)) for panel in PANELS]
    return markdown(("panel", *(f"n = {n:,}" for n in sizes)), rows) + (
        f"\n\nMean of p (least – largest) over {results['design']['tests']} tests at each size. Differences from the paper: it"
        " does not state its distributions, and ours only have the differences it describes; the sizes are eleven, on a"
        " logarithmic axis, where the small ones can be seen; Wilcoxon's p is exact, or bounded at the largest sizes."
    )


def _cell(point: dict[str, Any]) -> str:
    return f"{_short(point['mean'])} ({_short(point['least'])} – {_short(point['largest'])})"


def _short(p: float) -> str:
    return f"{p:.2f}".removeprefix("0") if p >= 0.005 else f"{p:.0e}".replace("e-0", "e-")

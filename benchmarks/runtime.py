"""Run time against the number of sentences: the figure of both papers, with the library's spectral method in it.

All methods answer through the same door, `permutation_test`, on the same data; the plain loop is Monte Carlo as the papers
publish it, one sample after the other. Everything takes turns in one run, and every point is measured at its full size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from benchmarks.tables import markdown, significant
from benchmarks.tagging import clipped, plain_monte_carlo
from benchmarks.timing import interleave

import outscore as osc

__all__ = ["Design", "measure", "text"]

SEED = 7
MULTIPLIER = 0.995
PLAIN = "plain loop, K = {:,}"
MONTE_CARLO = "Monte Carlo, K = {:,}"


@dataclass(frozen=True)
class Design:
    """How much is measured."""

    sentences: tuple[int, ...] = (250, 500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
    resamples: tuple[int, ...] = (5_000, 10_000, 20_000, 40_000)
    plain_resamples: int = 20_000
    rounds: int = 5
    budget: float = 6.0


QUICK = Design(sentences=(250, 500, 1_000), resamples=(500, 1_000), plain_resamples=1_000, rounds=2, budget=1.0)


def measure(design: Design) -> dict[str, Any]:
    """Seconds for every method and size."""
    tasks = {f"{name}@{n}": task for n in design.sentences for name, task in _tasks(n, design).items()}
    times = interleave(tasks, rounds=design.rounds, budget=design.budget)
    points = [{"method": key.split("@")[0], "n": int(key.split("@")[1]), **asdict(timing)} for key, timing in times.items()]
    return {"design": asdict(design), "points": points}


def _tasks(n: int, design: Design) -> dict[str, Callable[[], object]]:
    a, b = clipped(n, MULTIPLIER, SEED)

    def through(method: Literal["spectral", "fft", "dp", "monte-carlo"], resamples: int = 1) -> Callable[[], object]:
        return partial(osc.permutation_test, a, b, metric="accuracy", method=method, resamples=resamples)

    return {
        "spectral": through("spectral"),
        "fft": through("fft"),
        "dp": through("dp"),
        **{MONTE_CARLO.format(k): through("monte-carlo", k) for k in design.resamples},
        PLAIN.format(design.plain_resamples): partial(plain_monte_carlo, a[:, 0], b[:, 0], design.plain_resamples, SEED),
    }


def text(results: dict[str, Any]) -> str:
    """Medians in milliseconds, and how many times as long as the spectral method each takes at the largest size."""
    sizes = results["design"]["sentences"]
    median = {(point["method"], point["n"]): point["median"] for point in results["points"]}
    header = ("method", *(f"N = {n:,}" for n in sizes), "ratio to spectral, largest N")
    rows = [
        (
            method,
            *(significant(1e3 * median[method, n]) for n in sizes),
            significant(median[method, sizes[-1]] / median["spectral", sizes[-1]]),
        )
        for method in dict.fromkeys(point["method"] for point in results["points"])
    ]
    return markdown(header, rows) + (
        "\n\nMilliseconds per call of `permutation_test`, medians of one interleaved run. Monte Carlo is the library's own,"
        " vectorised; the plain loop draws one sample after another, always with the full K."
    )

"""What is timed: named pieces of work on simulated data, each a builder of the input and the call on it.

Data come from the library's own simulations with fixed seeds, so that every run answers the same questions and the answers
can be compared as well as the times.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from benchmarks.tagging import clipped, plain_monte_carlo, published_fft
from numpy.typing import NDArray

import outscore as osc
from outscore.exact import binomial, distribution, lattice
from outscore.examples.scores import simulate_f1, simulate_pos, simulate_scores
from outscore.inference.classical.wilcoxon import hodges_lehmann

__all__ = ["COMMANDS", "FULL", "QUICK", "WORKLOADS", "Sizes", "full", "quick"]

Array = NDArray[Any]
Call = Callable[[], object]

SEED = 20_220
POS_MULTIPLIER = 0.999


@dataclass(frozen=True)
class Sizes:
    """How large the inputs are."""

    pos: int = 10_000
    resamples: int = 20_000
    f1: int = 100_000
    many: int = 10_000_000
    real: int = 20_000
    scipy_resamples: int = 9_999
    interval: int = 2_000
    binomials: int = 1_134_300
    compare: int = 2_000
    walsh: int = 100_000
    rows: int = 1_000_000
    decimals: int = 10_000
    board: int = 100


FULL = Sizes()
QUICK = Sizes(1_000, 1_000, 2_000, 100_000, 2_000, 99, 200, 10_000, 200, 10_000, 10_000, 1_000, 10)


def _tagging(method: Literal["spectral", "fft", "dp", "monte-carlo"]) -> Callable[[Sizes], Call]:
    def build(sizes: Sizes) -> Call:
        a, b = clipped(sizes.pos, POS_MULTIPLIER, SEED)
        return lambda: osc.permutation_test(a, b, metric="accuracy", method=method, resamples=sizes.resamples)

    return build


def _plain_loop(sizes: Sizes) -> Call:
    a, b = clipped(sizes.pos, POS_MULTIPLIER, SEED)
    return lambda: plain_monte_carlo(a[:, 0], b[:, 0], sizes.resamples, SEED)


def _published(*, bare: bool) -> Callable[[Sizes], Call]:
    def build(sizes: Sizes) -> Call:
        a, b = clipped(sizes.pos, POS_MULTIPLIER, SEED)
        return lambda: published_fft(a[:, 0], b[:, 0], bare=bare)

    return build


def _lattice_from_data(sizes: Sizes) -> Call:
    a, b = clipped(sizes.pos, POS_MULTIPLIER, SEED)
    d = a[:, 0] - b[:, 0]
    return lambda: 2 * np.exp(lattice.tail(*lattice.histogram(d), abs(int(d.sum()))).log)


def _fft_from_data(sizes: Sizes) -> Call:
    a, b = clipped(sizes.pos, POS_MULTIPLIER, SEED)
    d = (a[:, 0] - b[:, 0])[:, None]
    d = d[d[:, 0] != 0]

    def call() -> float:
        low, law = distribution.fast_fourier(d, -d)
        return 2 * float(law[abs(int(d.sum())) - int(low[0]) :].sum())

    return call


def _f1(recall: tuple[float, float]) -> Callable[[Sizes], Call]:
    def build(sizes: Sizes) -> Call:
        a, b = simulate_f1(sizes.f1, recall, np.random.default_rng(SEED))
        return lambda: osc.permutation_test(a, b, metric="f1")

    return build


def _many(sizes: Sizes) -> tuple[Array, Array]:
    a, b, _ = simulate_pos(sizes.many, 1.0, np.random.default_rng(SEED))
    return a, b


def _many_histogram(sizes: Sizes) -> Call:
    a, b = _many(sizes)
    d = a - b
    return lambda: lattice.histogram(d)


def _many_kernel(sizes: Sizes) -> Call:
    a, b = _many(sizes)
    values, counts = lattice.histogram(a - b)
    observed = abs(int((a - b).sum()))
    return lambda: lattice.tail(values, counts, observed)


def _many_whole(sizes: Sizes) -> Call:
    a, b = _many(sizes)
    return lambda: osc.permutation_test(a, b)


def _real(sizes: Sizes) -> tuple[Array, Array]:
    scores = simulate_scores(sizes.real, 0.002, np.random.default_rng(SEED))
    return scores[:, 0].copy(), scores[:, 1].copy()


def _certified(sizes: Sizes) -> Call:
    a, b = _real(sizes)
    return lambda: osc.permutation_test(a, b)


def _scipy(sizes: Sizes) -> Call:
    import scipy.stats

    a, b = _real(sizes)

    def difference(x: Array, y: Array, axis: int = -1) -> Array:
        return np.asarray(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    return lambda: (
        scipy.stats.permutation_test(
            (a, b),
            difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=sizes.scipy_resamples,
            batch=100,
            rng=np.random.default_rng(SEED),
        ).pvalue
    )


def _interval(n: int | None) -> Callable[[Sizes], Call]:
    def build(sizes: Sizes) -> Call:
        scores = simulate_scores(n or sizes.interval, 0.006, np.random.default_rng(SEED))
        return lambda: osc.compare(scores[:, 0], scores[:, 1]).p

    return build


def _binomials(sizes: Sizes) -> Call:
    rng = np.random.default_rng(SEED)
    n = rng.integers(1, 2_000, sizes.binomials)
    k = rng.binomial(n, 0.5)
    most = np.maximum(k, n - k)
    return lambda: binomial.log_tail(n, most)


def _hodges_lehmann(sizes: Sizes) -> Call:
    d = np.random.default_rng(SEED).normal(0.01, 1.0, sizes.walsh)
    return lambda: hodges_lehmann(d)


@functools.cache
def _score_files(n: int) -> tempfile.TemporaryDirectory[str]:
    """Two files of scores, one number per line, in a folder that goes when the process does."""
    folder = tempfile.TemporaryDirectory()
    for name, column in zip("ab", simulate_scores(n, 0.006, np.random.default_rng(SEED)).T, strict=True):
        np.savetxt(Path(folder.name) / f"{name}.txt", column)
    return folder


def _compare_command(sizes: Sizes) -> list[str]:
    folder = _score_files(sizes.compare).name
    return [sys.executable, "-m", "outscore", "compare", f"{folder}/a.txt", f"{folder}/b.txt"]


@functools.cache
def _table(digits: int, items: int, systems: int) -> tempfile.TemporaryDirectory[str]:
    """A table with a column for each system, scores of so many decimals or right and wrong ones, in a folder like the above."""
    rng = np.random.default_rng(SEED)
    names = [f"s{k:02}" for k in range(systems)]
    level = rng.random(items)[:, None]
    scores = 0.3 * level + 0.7 * rng.random((items, systems)) + np.linspace(0.0, 0.02, systems)
    scores = np.round(scores, digits) if digits else np.where(scores < 0.5, 0, 1)
    folder = tempfile.TemporaryDirectory()
    with (Path(folder.name) / "scores.csv").open("w", encoding="utf-8") as file:
        file.write(",".join(["id", *names]) + "\n")
        for item, row in enumerate(scores.tolist()):
            file.write(",".join([f"q{item}", *(f"{x:.{digits}f}" for x in row)]) + "\n")
    return folder


def _on_table(command: str, digits: int, items: int, systems: int) -> list[str]:
    return [sys.executable, "-m", "outscore", command, f"{_table(digits, items, systems).name}/scores.csv"]


def _livebench(_: Sizes) -> list[str]:
    path = DATA / "llm-scores" / "livebench.parquet"
    return [sys.executable, "-m", "outscore", "rank", str(path), "--duplicates", "mean"]


DATA = Path(os.environ.get("OUTSCORE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
"""Real data, which are not part of the repository; what needs them is left out where they are missing."""
COMMANDS: dict[str, Callable[[Sizes], list[str]]] = {
    "help": lambda _: [sys.executable, "-m", "outscore", "--help"],
    "compare-cold": _compare_command,
    "interpreter": lambda _: [sys.executable, "-c", "pass"],
    "compare-rows": lambda sizes: _on_table("compare", 0, sizes.rows, 2),
    "compare-decimals": lambda sizes: _on_table("compare", 4, sizes.decimals, 2),
    "rank-board": lambda sizes: _on_table("rank", 6, 10 * sizes.board, sizes.board),
}
if (DATA / "llm-scores" / "livebench.parquet").exists():
    COMMANDS["rank-livebench"] = _livebench
"""Work that is a process of its own, imports included."""


def _process(name: str) -> Callable[[Sizes], Call]:
    def build(sizes: Sizes) -> Call:
        command = COMMANDS[name](sizes)
        # As an installed package, which is compiled once.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return lambda: subprocess.run(command, check=True, capture_output=True, env=kept)

    return build


WORKLOADS: dict[str, Callable[[Sizes], Call]] = {
    "spectral": _tagging("spectral"),
    "fft": _tagging("fft"),
    "dp": _tagging("dp"),
    "monte-carlo": _tagging("monte-carlo"),
    "plain-loop": _plain_loop,
    "published-fft": _published(bare=False),
    "published-convolutions": _published(bare=True),
    "spectral-kernel": _lattice_from_data,
    "fft-kernel": _fft_from_data,
    "f1": _f1((0.80, 0.7990)),
    "f1-tilted": _f1((0.80, 0.7960)),
    "many-histogram": _many_histogram,
    "many-kernel": _many_kernel,
    "many-whole": _many_whole,
    "certified": _certified,
    "scipy": _scipy,
    "interval": _interval(None),
    "interval-50": _interval(50),
    "binomials": _binomials,
    "hodges-lehmann": _hodges_lehmann,
    **{name: _process(name) for name in COMMANDS},
}


def full(name: str) -> Call:
    """A workload by name at the promised size, for the process that measures memory."""
    return WORKLOADS[name](FULL)


def quick(name: str) -> Call:
    """The same, small."""
    return WORKLOADS[name](QUICK)

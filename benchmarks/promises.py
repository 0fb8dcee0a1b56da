"""What the documentation promises, measured: one interleaved run, each promise printed as promise, measured, met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.tables import duration, markdown, significant
from benchmarks.timing import Memory, Timing, interleave, peak_memory, process_memory
from benchmarks.workloads import COMMANDS, FULL, QUICK, WORKLOADS, Sizes

__all__ = ["measure", "text"]

MET = {True: "yes", False: "**no**", None: ""}
REMARKS = (
    "Memory of the call is the peak that `tracemalloc` sees on top of the input, in a separate process; scratch space inside"
    " compiled FFT and BLAS code is not seen. Whole process is its high-water mark, interpreter, imports and input included."
)


@dataclass(frozen=True)
class Measured:
    """Times and peak memory of every piece of work."""

    times: dict[str, Timing]
    memory: dict[str, Memory]


@dataclass(frozen=True)
class Promise:
    """A claim about medians: `at_least` for ratios of times, `at_most` for seconds, MB and shares; neither: only reported.

    A value of None, memory on a system that does not tell, keeps no promise and breaks none.
    """

    claim: str
    value: Callable[[Measured], float | None]
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    def holds(self, value: float | None) -> bool | None:
        """Whether the measured value keeps the promise; None where nothing is promised or measured."""
        if value is None:
            return None
        if self.at_least is not None:
            return value >= self.at_least
        return value <= self.at_most if self.at_most is not None else None


def _ratio(slow: str, fast: str) -> Callable[[Measured], float]:
    return lambda measured: measured.times[slow].median / measured.times[fast].median


def _seconds(name: str) -> Callable[[Measured], float | None]:
    """None where the data are missing."""
    return lambda measured: measured.times[name].median if name in measured.times else None


def _megabytes_of(name: str) -> Callable[[Measured], float | None]:
    """Of the whole process, interpreter and imports included."""
    return lambda measured: measured.memory[name].process


def promises(sizes: Sizes) -> list[Promise]:
    """Every promise, with the sizes it is about."""
    pos, k = f"tagging, N = {sizes.pos:,}", f"K = {sizes.resamples:,}"
    many = f"{sizes.many:,} integers"
    walsh = f"Hodges-Lehmann, n = {sizes.walsh:,}"
    rows = f"`outscore compare` of a CSV of {sizes.rows:,} right-or-wrong rows"
    cold = f"`outscore compare` on {sizes.compare:,} paired scores, cold"
    return [
        Promise(
            f"{pos}: spectral against the published FFT, its program", _ratio("published-fft", "spectral"), "×", at_least=200
        ),
        Promise(
            f"{pos}: spectral against the published FFT, kernels alone",
            _ratio("published-convolutions", "spectral-kernel"),
            "×",
            at_least=200,
        ),
        Promise(f"{pos}: our fft against the published convolutions", _ratio("published-convolutions", "fft"), "×", at_least=1),
        Promise(f"{pos}: spectral against our fft, `permutation_test`", _ratio("fft", "spectral"), "×"),
        Promise(f"{pos}: spectral against dp, `permutation_test`", _ratio("dp", "spectral"), "×"),
        Promise(f"{pos}: spectral against vectorised Monte Carlo, {k}", _ratio("monte-carlo", "spectral"), "×"),
        Promise(f"{pos}: spectral against the plain loop, {k}", _ratio("plain-loop", "spectral"), "×"),
        Promise(f"F1, N = {sizes.f1:,}, large p", _seconds("f1"), "s", at_most=1.5),
        Promise(f"F1, N = {sizes.f1:,}, small p (tilted)", _seconds("f1-tilted"), "s", at_most=1.5),
        Promise(f"{many}: kernel against its histogram", _ratio("many-kernel", "many-histogram"), "×", at_most=2),
        Promise(f"{many}: `permutation_test`", _seconds("many-whole"), "s"),
        Promise(
            f"real scores, N = {sizes.real:,}: certified bounds against scipy.stats.permutation_test, "
            f"{sizes.scipy_resamples:,} resamples",
            _ratio("scipy", "certified"),
            "×",
            at_least=50,
        ),
        Promise(f"interval by inversion, n = {sizes.interval:,} (whole `compare`)", _seconds("interval"), "s", at_most=0.5),
        Promise("interval by inversion, n = 50 (whole `compare`)", _seconds("interval-50"), "s"),
        Promise(f"{sizes.binomials:,} binomial p-values, vectorised", _seconds("binomials"), "s", at_most=2),
        Promise(f"{walsh}: time", _seconds("hodges-lehmann"), "s", at_most=1),
        Promise(f"{walsh}: whole process", _megabytes_of("hodges-lehmann"), "MB", at_most=200),
        Promise("`outscore --help`", _seconds("help"), "s", at_most=0.12),
        Promise(f"{cold}: time", _seconds("compare-cold"), "s", at_most=0.5),
        Promise(f"{cold}: whole process", _megabytes_of("compare-cold"), "MB", at_most=250),
        Promise(f"{rows}: time", _seconds("compare-rows"), "s", at_most=1),
        Promise(f"{rows}: whole process", _megabytes_of("compare-rows"), "MB"),
        Promise(
            f"`outscore compare`, {sizes.decimals:,} pairs of four decimals: whole process",
            _megabytes_of("compare-decimals"),
            "MB",
            at_most=150,
        ),
        Promise(
            f"`outscore rank`, {sizes.board} systems × {10 * sizes.board:,} six-decimal scores",
            _seconds("rank-board"),
            "s",
            at_most=9,
        ),
        Promise("`outscore rank` of LiveBench, 93 systems × 1,136 items", _seconds("rank-livebench"), "s", at_most=3),
    ]


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Times in one interleaved run, then memory piece by piece."""
    sizes = QUICK if quick else FULL
    tasks = {name: build(sizes) for name, build in WORKLOADS.items()}
    answers = {name: _answer(task()) for name, task in tasks.items() if name != "scipy"}
    times = interleave(tasks, rounds=2 if quick else 7, budget=2.0 if quick else 15.0)
    tasks.clear()
    memory = {name: _memory(name, quick=quick) for name in WORKLOADS}
    measured = Measured(times, memory)
    return {
        "sizes": asdict(sizes),
        "times": {name: asdict(timing) for name, timing in times.items()},
        "memory_mb": {name: asdict(peak) for name, peak in memory.items()},
        "answers": {name: p for name, p in answers.items() if p is not None},
        "promises": [_judged(promise, measured, binding=not quick) for promise in promises(sizes)],
    }


def _answer(result: object) -> float | None:
    """The p-value, so that a reader can see that the methods agree."""
    try:
        return float(result)  # type: ignore[arg-type]
    except TypeError:
        return None


def _memory(name: str, *, quick: bool) -> Memory:
    if name in COMMANDS:
        return process_memory(COMMANDS[name](QUICK if quick else FULL))
    return peak_memory(f"benchmarks.workloads:{'quick' if quick else 'full'}:{name}")


def _judged(promise: Promise, measured: Measured, *, binding: bool) -> dict[str, Any]:
    """A promise beside what was measured; at other sizes than the promised ones it does not bind."""
    value = promise.value(measured)
    return {
        "claim": promise.claim,
        "at_least": promise.at_least,
        "at_most": promise.at_most,
        "unit": promise.unit,
        "measured": value,
        "met": promise.holds(value) if binding else None,
    }


def text(results: dict[str, Any]) -> str:
    """Promises, then what they rest on: times and memory of every piece of work."""
    kept = [(row["claim"], _limit(row), _measured(row), MET[row["met"]]) for row in results["promises"]]
    pieces = [
        (
            name,
            duration(timing["median"]),
            duration(timing["fastest"]),
            str(timing["runs"]),
            *_megabytes(results["memory_mb"].get(name, {})),
            f"{results['answers'][name]:.4g}" if name in results["answers"] else "",
        )
        for name, timing in results["times"].items()
    ]
    header = ("work", "median", "fastest", "runs", "memory of the call", "whole process", "p")
    return markdown(("what", "promised", "measured", "met"), kept) + "\n\n" + markdown(header, pieces) + "\n\n" + REMARKS


def _measured(row: dict[str, Any]) -> str:
    return "–" if row["measured"] is None else f"{significant(row['measured'])} {row['unit']}"


def _limit(row: dict[str, Any]) -> str:
    if row["at_least"] is not None:
        return f"≥ {row['at_least']:g} {row['unit']}"
    return "–" if row["at_most"] is None else f"≤ {row['at_most']:g} {row['unit']}"


def _megabytes(memory: dict[str, float | None]) -> tuple[str, str]:
    call, process = (memory.get(key) for key in ("call", "process"))
    return "–" if call is None else f"{call:,.1f} MB", "–" if process is None else f"{process:,.0f} MB"

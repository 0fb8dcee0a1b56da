"""Timing and memory, measured so that ratios can be trusted.

Ratios need both sides under the same conditions. So all tasks of a benchmark take turns, round after round, in one process:
whatever slows the machine for a minute slows all of them. Times are medians; the fastest run stands beside them, because on a
busy machine it is the better estimate of the work itself. Memory is measured apart from time, in a fresh process for each
task, because tracing allocations slows them down.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Memory", "Timing", "interleave", "machine", "peak_memory", "process_memory"]

SHORTEST_VISIT = 0.05
"""Seconds: a task that is done sooner is called again before the next one has its turn."""
MEGABYTE = 1e6


@dataclass(frozen=True)
class Timing:
    """Seconds per call."""

    median: float
    fastest: float
    runs: int


@dataclass(frozen=True)
class Memory:
    """Megabytes: allocated by the call on top of its input, and the largest size of the whole process (Linux only).

    A command of its own is all process and has no call.
    """

    call: float | None
    process: float | None


def interleave(tasks: Mapping[str, Callable[[], object]], *, rounds: int, budget: float = 20.0) -> dict[str, Timing]:
    """Time all tasks in turn. A task that has used up its `budget` of seconds sits out the remaining rounds.

    The first call warms caches and lazy imports and is forgotten, unless it is so long that it is the only one.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            if sum(times[name]) < budget:
                times[name] += _visit(task)
    return {name: _summary(seconds) for name, seconds in times.items()}


def _visit(task: Callable[[], object]) -> list[float]:
    times: list[float] = []
    gc.collect()
    while sum(times) < SHORTEST_VISIT:
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return times


def _summary(times: list[float]) -> Timing:
    kept = times[1:] or times
    return Timing(statistics.median(kept), min(kept), len(kept))


def peak_memory(task: str) -> Memory:
    """Peak memory of a task named "module:builder:argument", in a process of its own.

    The builder makes the input and returns the call; only the call is traced.
    """
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.timing", task],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parent.parent,
    )
    return Memory(**json.loads(run.stdout.splitlines()[-1]))


def process_memory(command: list[str]) -> Memory:
    """Peak memory of a command, its children not included.

    `ru_maxrss` remembers the process that started the command too, so that a small interpreter starts it.
    """
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True);"
        " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    run = subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True, text=True)
    return Memory(None, int(run.stdout) * 1024 / MEGABYTE if sys.platform == "linux" else None)


def _measure(task: str) -> Memory:
    module, builder, argument = task.split(":")
    # Imported on first use otherwise, and then charged to the call.
    for name in ("scipy.special", "scipy.fft", "scipy.stats"):
        importlib.import_module(name)
    call = getattr(importlib.import_module(module), builder)(argument)
    gc.collect()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    return Memory(peak / MEGABYTE, _process_peak())


def _process_peak() -> float | None:
    """High-water mark of this program alone; `ru_maxrss` would remember the process that started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / MEGABYTE


def machine() -> dict[str, Any]:
    """What a reader must know of the machine, and nothing that would identify it."""
    import numpy as np
    import scipy

    import outscore

    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "outscore": outscore.__version__,
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS", "default"),
        "load_at_start": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1]).__dict__))

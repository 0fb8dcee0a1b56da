"""What leaderboards cost: a million exact tests from one file, a hundred million rows in partitions on a Dask cluster, growth.

Growth is that of the whole command, `outscore rank`, on right-or-wrong answers of more and more systems. Every other job runs
in a process of its own, from opening the files to the ranking, with the macro average over tasks. Data are made with fixed
seeds in a folder that is removed afterwards. The digest of all numbers a job found tells whether two engines gave the same
bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

# A promise is judged and printed the same way wherever it is made.
from benchmarks.promises import MET, Measured, Promise, _judged, _limit, _measured
from benchmarks.tables import duration, markdown
from benchmarks.timing import _process_peak, process_memory

from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import SERIAL, Engine
from outscore.engine.progress import Progress

__all__ = ["FULL", "QUICK", "Sizes", "measure", "text"]

SEED = 20_246
WORKERS, MEMORY = 2, "2 GB"
MEGABYTES_ALLOWED = 2_000


@dataclass(frozen=True)
class Sizes:
    """How large the leaderboards are: one file of several tasks, and partitions of one task."""

    systems: int = 200
    tasks: int = 57
    items: int = 14_000
    partitions: int = 100
    partition_items: int = 5_000
    grown: tuple[int, ...] = (125, 250, 500, 1_000)
    grown_items: int = 10_000

    @property
    def tests(self) -> int:
        """Pairs on all tasks of the one file."""
        return self.tasks * self.systems * (self.systems - 1) // 2

    @property
    def rows(self) -> int:
        """Rows of all partitions."""
        return self.systems * self.partitions * self.partition_items


FULL = Sizes()
QUICK = Sizes(systems=40, tasks=5, items=1_000, partitions=6, partition_items=20_000, grown=(20, 40), grown_items=500)


def _write(path: Path, sizes: Sizes, first: int, items: int, tasks: int, seed: int) -> None:
    """Right-or-wrong answers of systems of different skill to items of different difficulty; names are stored once."""
    import polars as pl

    rng = np.random.default_rng([SEED, seed])
    skill, difficulty = np.linspace(0.35, 0.85, sizes.systems), rng.normal(0, 0.15, items)
    right = rng.random((items, sizes.systems), dtype=np.float32) < (skill + difficulty[:, None]).clip(0.02, 0.98)

    def names(word: str, codes: Any, start: int = 0) -> pl.Series:  # noqa: ANN401 - an array
        return pl.Series(word, [f"{word}-{start + i:06d}" for i in range(int(codes.max()) + 1)]).gather(codes)

    columns = [
        names("item", np.repeat(np.arange(items), sizes.systems), first),
        names("system", np.tile(np.arange(sizes.systems), items)),
        pl.Series("score", right.ravel().astype(np.uint8)),
    ]
    if tasks > 1:
        columns.append(names("dataset", np.repeat(np.arange(items) * tasks // items, sizes.systems)))
    pl.DataFrame(columns).write_parquet(path)


def _files(folder: Path, sizes: Sizes) -> tuple[Path, Path]:
    """The one file, and the folder of partitions."""
    table, parts = folder / "table.parquet", folder / "partitions"
    parts.mkdir()
    _write(table, sizes, 0, sizes.items, sizes.tasks, seed=0)
    for i in range(sizes.partitions):
        _write(parts / f"{i:04d}.parquet", sizes, i * sizes.partition_items, sizes.partition_items, 1, seed=1 + i)
    return table, parts


class _Killing(Progress):
    """Kills a worker half-way."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self.pid: int | None = pid

    def advance(self, steps: int = 1) -> None:
        super().advance(steps)
        if self.pid is not None and 2 * self.done >= self.total:
            os.kill(self.pid, signal.SIGKILL)
            self.pid = None


Usage = Callable[[], dict[str, Any]]


@contextmanager
def _alone() -> Iterator[tuple[Engine, Progress, Usage]]:
    yield SERIAL, Progress(), dict


@contextmanager
def _cluster(*, kill: bool = False) -> Iterator[tuple[Engine, Progress, Usage]]:
    with Dask("local", WORKERS, MEMORY).connect() as cluster:
        client = cluster.client
        pids = list(client.run(os.getpid).values())

        def usage() -> dict[str, Any]:
            return {
                "workers_mb": list(client.run(_process_peak).values()),
                "workers_processor": sum(client.run(time.process_time).values()),
                "lost": len(set(pids) - set(client.run(os.getpid).values())),
            }

        yield cluster, _Killing(pids[0]) if kill else Progress(), usage


SETTINGS: dict[str, Callable[[], AbstractContextManager[tuple[Engine, Progress, Usage]]]] = {
    "alone": _alone,
    "dask": _cluster,
    "killed": partial(_cluster, kill=True),
}


def _job(setting: str, path: str) -> dict[str, Any]:
    """One job in this process; its cluster is started before the clock."""
    from outscore.workflows.rank.parquet import measured_from_partitions

    with SETTINGS[setting]() as (engine, progress, usage):
        start, processor = time.perf_counter(), time.process_time()
        outcome = measured_from_partitions(path, engine=engine, progress=progress)
        ranking = outcome.ranking()
        seconds, processor = time.perf_counter() - start, time.process_time() - processor
        used = usage()
    digest = hashlib.sha256(json.dumps(ranking.to_dict()).encode())
    for measured in outcome.measured:
        own, pairs = measured.own, measured.pairs
        for array in (own.value, own.low, own.high, pairs.n, pairs.difference, pairs.log_p):
            digest.update(np.ascontiguousarray(array).tobytes())
    return {
        "seconds": seconds,
        "processor": processor + used.pop("workers_processor", 0.0),
        "process_mb": _process_peak(),
        "workers_mb": used.get("workers_mb", []),
        "lost": used.get("lost", 0),
        "tests": sum(len(measured.pairs) for measured in outcome.measured if not measured.macro),
        "digest": digest.hexdigest(),
    }


def _run(setting: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.ranking", setting, str(path)]
    here = Path(__file__).resolve().parent.parent
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=here)
    job: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return job


def _growth(folder: Path, sizes: Sizes) -> list[dict[str, Any]]:
    """`outscore rank` from the file to the printed report, for each number of systems."""
    steps = []
    for systems in sizes.grown:
        path = folder / f"{systems}.parquet"
        _write(path, replace(sizes, systems=systems), 0, sizes.grown_items, 1, seed=0)
        command = [sys.executable, "-m", "outscore", "rank", str(path)]
        before, start = os.times(), time.perf_counter()
        memory = process_memory(command)
        seconds, after = time.perf_counter() - start, os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        pairs = systems * (systems - 1) // 2
        steps.append({"systems": systems, "pairs": pairs, "seconds": seconds, "processor": processor, "mb": memory.process})
        path.unlink()
    return steps


def _exponent(grown: list[dict[str, Any]]) -> float:
    """How processor time grows with pairs: the slope of its logarithm against theirs."""
    pairs, processor = (np.log([row[name] for row in grown]) for name in ("pairs", "processor"))
    return float(np.polyfit(pairs, processor, 1)[0])


def _promises(sizes: Sizes, jobs: dict[str, dict[str, Any]], grown: list[dict[str, Any]]) -> list[Promise]:
    one, rows = f"{sizes.tests:,} exact tests from one file", f"{sizes.rows:,} long rows in {sizes.partitions} files"

    def largest(name: str) -> float | None:
        known = [x for x in jobs[name]["workers_mb"] if x is not None]
        return max(known, default=None)

    def same(*names: str) -> float:
        return float(len({jobs[name]["digest"] for name in names}) == 1)

    def value(x: float | None) -> Callable[[Measured], float | None]:
        return lambda _: x

    cluster = f"Dask, {WORKERS} workers"
    largest_board = grown[-1]
    board = f"`outscore rank`, {largest_board['systems']:,} systems × {sizes.grown_items:,} right-or-wrong items"
    steps = " to ".join(f"{row['systems']:,}" for row in (grown[0], grown[-1]))
    return [
        Promise(f"{one}, one process: time", value(jobs["table"]["seconds"]), "s", at_most=15),
        Promise(f"{one}, one process: whole process", value(jobs["table"]["process_mb"]), "MB"),
        Promise(f"{one}, {cluster}: the same bytes", value(same("table", "table, Dask")), "(1 is yes)", at_least=1),
        Promise(f"{rows}, {cluster}: time", value(jobs["partitions, Dask"]["seconds"]), "s"),
        Promise(f"{rows}, {cluster}: largest worker", value(largest("partitions, Dask")), "MB", at_most=MEGABYTES_ALLOWED),
        Promise(
            f"{rows}, a worker killed half-way: the same bytes",
            value(same("partitions, Dask", "partitions, worker killed")),
            "(1 is yes)",
            at_least=1,
        ),
        Promise(f"{board}: time", value(largest_board["seconds"]), "s", at_most=60),
        Promise(f"{board}: whole process", value(largest_board["mb"]), "MB", at_most=MEGABYTES_ALLOWED),
        Promise(
            f"{steps} systems: processor time grows with this power of the pairs",
            value(_exponent(grown)),
            "(exponent)",
            at_most=1,
        ),
    ]


def measure(*, quick: bool = False) -> dict[str, Any]:
    """All jobs, one after the other."""
    sizes = QUICK if quick else FULL
    with tempfile.TemporaryDirectory(prefix="outscore-benchmark-") as folder:
        table, parts = _files(Path(folder), sizes)
        jobs = {
            "table": _run("alone", table),
            "table, Dask": _run("dask", table),
            "partitions, Dask": _run("dask", parts),
            "partitions, worker killed": _run("killed", parts),
        }
        grown = _growth(Path(folder), sizes)
    nothing = Measured({}, {})
    return {
        "sizes": asdict(sizes),
        "jobs": jobs,
        "growth": grown,
        "promises": [_judged(promise, nothing, binding=not quick) for promise in _promises(sizes, jobs, grown)],
    }


def text(results: dict[str, Any]) -> str:
    """Promises, then every job."""
    kept = [(row["claim"], _limit(row), _measured(row), MET[row["met"]]) for row in results["promises"]]
    jobs = [
        (
            name,
            f"{job['tests']:,}",
            duration(job["seconds"]),
            duration(job["processor"]),
            "–" if job["process_mb"] is None else f"{job['process_mb']:,.0f} MB",
            ", ".join(f"{x:,.0f} MB" for x in job["workers_mb"] if x is not None) or "–",
            str(job["lost"]),
            job["digest"][:8],
        )
        for name, job in results["jobs"].items()
    ]
    header = ("job", "tests", "time", "processor", "main process", "workers", "lost", "digest")
    growth = [
        (
            f"{row['systems']:,}",
            f"{row['pairs']:,}",
            duration(row["seconds"]),
            duration(row["processor"]),
            "–" if row["mb"] is None else f"{row['mb']:,.0f} MB",
        )
        for row in results.get("growth", ())
    ]
    return (
        markdown(("what", "promised", "measured", "met"), kept)
        + "\n\n"
        + markdown(header, jobs)
        + "\n\nTime is from opening the files to the ranking; clusters were already running. Processor time is that of the main"
        " process and of the workers alive at the end, without a lost one. Memory is each process's high-water mark,"
        " interpreter and imports included."
        + (f"\n\n{markdown(('systems', 'pairs', 'whole command', 'processor', 'memory'), growth)}" if growth else "")
    )


if __name__ == "__main__":
    print(json.dumps(_job(*sys.argv[1:])))

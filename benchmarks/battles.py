"""Battles: two million of two hundred systems at once, in parts, and on Dask; the answers must be the same.

Every way runs in a process of its own, which reports its seconds by the clock and of the processor and its peak memory. Of
Dask, the seconds of the processor and the memory are those of the driver, which gathers the sums; workers have a share each.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.tables import markdown
from benchmarks.timing import _process_peak

__all__ = ["measure", "text"]

SYSTEMS, PROMPTS = 200, 3_000
WAYS = ("at once", "in parts", "in parts on Dask")


@dataclass(frozen=True)
class Sizes:
    """Battles, and how many are read at a time where they are read in parts."""

    battles: int = 2_000_000
    part: int = 250_000


def make(path: Path, battles: int) -> None:
    """Votes on random pairs of systems that differ in strength, a tenth of them ties."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    skill = rng.normal(0, 0.7, SYSTEMS)
    first = rng.integers(0, SYSTEMS, battles)
    second = (first + rng.integers(1, SYSTEMS, battles)) % SYSTEMS
    won = rng.random(battles) < 1 / (1 + np.exp(skill[second] - skill[first]))
    names = np.array([f"model-{i:03d}" for i in range(SYSTEMS)])
    winner = np.where(rng.random(battles) < 0.1, "tie", np.where(won, "model_a", "model_b"))
    prompts = rng.integers(0, PROMPTS, battles)
    table = {"prompt": prompts, "model_a": names[first], "model_b": names[second], "winner": winner}
    pl.DataFrame(table).write_parquet(path)


def one_way(way: str, path: str, part: int) -> dict[str, Any]:
    """Seconds, megabytes and a digest of the answer; in a process of its own."""
    import outscore as osc
    from outscore.engine.dask_cluster import Dask
    from outscore.workflows.prefer import inputs as parts

    parts.ROWS, parts.WHOLE = part, 1 << 62 if way == "at once" else 0
    engine = Dask("local", 2) if way == "in parts on Dask" else None
    clock, processor = time.perf_counter(), time.process_time()
    preference = osc.prefer(path, engine=engine)
    seconds, busy = time.perf_counter() - clock, time.process_time() - processor
    content = json.dumps(replace(preference, settings={}).to_dict(), sort_keys=True)
    return {
        "seconds": seconds,
        "processor": busy,
        "memory_mb": _process_peak(),
        "digest": hashlib.sha256(content.encode()).hexdigest(),
    }


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Every way once."""
    sizes = Sizes(20_000, 5_000) if quick else Sizes()
    ways: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="outscore-benchmark-") as folder:
        path = Path(folder, "votes.parquet")
        make(path, sizes.battles)
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.battles", way, str(path), str(sizes.part)]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            ways[way] = json.loads(run.stdout)
    if len({measured["digest"] for measured in ways.values()}) != 1:
        raise AssertionError("battles in parts give another answer than battles read at once")
    return {"sizes": asdict(sizes), "ways": ways}


def text(results: dict[str, Any]) -> str:
    """A line for each way."""
    sizes = results["sizes"]
    rows = [
        (way, f"{spent['seconds']:.1f} s", f"{spent['processor']:.1f} s", f"{spent['memory_mb'] or 0:,.0f} MB")
        for way, spent in results["ways"].items()
    ]
    table = markdown(("read", "clock", "processor", "peak memory"), rows)
    what = f"{sizes['battles']:,} battles of {SYSTEMS} systems on {PROMPTS:,} prompts; a part is {sizes['part']:,} battles."
    return f"{what} All ways give the same bytes.\n\n{table}"


if __name__ == "__main__":
    print(json.dumps(one_way(sys.argv[1], sys.argv[2], int(sys.argv[3]))))

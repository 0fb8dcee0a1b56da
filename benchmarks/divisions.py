"""Two samples of different items: how long all divisions of their scores take, beside scipy's sampled ones.

    python -m benchmarks.divisions

CPU seconds, the best of three, are written to `results/divisions.json`; scipy draws 999 divisions, a tenth of what it draws
by default.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.unpaired import Samples, division_p, rank_sum_p

__all__ = ["CASES", "main", "measure"]

RESULTS = Path(__file__).resolve().parent / "results" / "divisions.json"
ROUNDS, DRAWN = 3, 999
CASES = {
    "10,000 + 10,000, two decimals": (10_000, 10_000, 2),
    "10,000 + 10,000, four decimals": (10_000, 10_000, 4),
    "3,000 + 17,000, four decimals": (3_000, 17_000, 4),
    "200 + 300, real numbers": (200, 300, None),
}


def _samples(n_a: int, n_b: int, decimals: int | None) -> Samples:
    stream = np.random.default_rng(0)
    a, b = stream.normal(0.505, 0.2, n_a), stream.normal(0.5, 0.2, n_b)
    return Samples(a, b) if decimals is None else Samples(np.round(a, decimals), np.round(b, decimals))


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def _scipy(both: Samples) -> None:
    import scipy.stats

    def size(x: Array, y: Array, axis: int) -> Array:
        apart: Array = np.abs(x.mean(axis=axis) - y.mean(axis=axis))
        return apart

    scipy.stats.permutation_test(
        (both.a, both.b), size, alternative="greater", n_resamples=DRAWN, vectorized=True, batch=100, rng=0
    )


def measure() -> list[dict[str, object]]:
    """A row for each case: p and how it came about, and the seconds of everything."""
    rows: list[dict[str, object]] = []
    for name, (n_a, n_b, decimals) in CASES.items():
        both = _samples(n_a, n_b, decimals)
        p = division_p(both)
        rows.append(
            {
                "case": name,
                "p": p.value,
                "method": p.method,
                "width": p.upper / p.lower - 1,
                "divisions": _best(partial(division_p, both)),
                "rank sum": _best(partial(rank_sum_p, both)),
                f"scipy, {DRAWN} drawn": _best(partial(_scipy, both)),
            }
        )
    return rows


def main() -> None:
    """Measure, write and print."""
    rows = measure()
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()

"""Calibration: how often each test rejects a true hypothesis, and how often its interval holds the true difference.

    python -m benchmarks.calibration                    2,000 replicates, a quarter of an hour on two cores
    python -m benchmarks.calibration --replicates 100   a look, which writes nothing

Writes `results/calibration.json` and the table of `docs/measured/calibration.md`. Numbers depend on the seed alone, not on the
number of processes: every replicate has a random stream of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.calibration_cells import ALPHA, RESAMPLES, SEED, Cell, out_of_bounds, page, unmet
from benchmarks.calibration_data import DATA, Data, sample

from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve
from outscore.results.comparison import TestResult
from outscore.scores.system import Labels

__all__ = ["CELLS", "faults", "kept", "main", "measure", "measure_all"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "calibration.json"
PAGE = ROOT / "docs" / "measured" / "calibration.md"
BEGIN, END = "<!-- calibration: begin -->", "<!-- calibration: end -->"

REPLICATES = 2_000
PART = 250
"""Replicates that one process measures at a time."""
INVERTED = 1
"""Replicates of each part in which the interval of `permutation` is computed, to see that the test at the truth agrees."""


@dataclass(frozen=True)
class Tally:
    """Counts over replicates, and how the first of them was computed."""

    replicates: int
    rejected: int
    rejected_mid: int
    with_mid: int
    rejected_means: int
    covered: int
    disagreements: int
    estimand: str
    method: str
    interval: str


def takes(entry: TestEntry, data: Data) -> bool:
    """Whether the capability table gives the test such data; `block-bootstrap` goes by the order of clustered items."""
    if entry.on == "binary" and not data.binary:
        return False
    return not data.clustered or entry.clusters or entry.name == "block-bootstrap"


CELLS = [(entry.name, data.name) for data in DATA.values() for entry in TESTS.values() if takes(entry, data)]


def measure(test: str, name: str, first: int = 0, count: int = REPLICATES) -> Tally:
    """Count rejections of a true hypothesis and intervals that hold the truth, in replicates first … first + count - 1."""
    data = DATA[name]
    result = _ask(test, data, first)
    assert result.interval is not None
    estimand = result.interval.estimand
    other = _another_question(estimand, data)
    rejected = rejected_mid = with_mid = rejected_means = covered = disagreements = 0
    for r in range(first, first + count):
        held, disagrees = _holds(test, data, data.truth[estimand], r, check=r < first + INVERTED)
        covered += held
        disagreements += disagrees
        if test != "bayes":
            p = _ask(test, data, r, null=estimand, interval=False).p
            rejected += p.value <= ALPHA
            rejected_mid += p.mid is not None and p.mid <= ALPHA
            with_mid += p.mid is not None
        if other:
            rejected_means += _ask(test, data, r, null="difference", interval=False).p.value <= ALPHA
    counts = (count, rejected, rejected_mid, with_mid, rejected_means, covered, disagreements)
    return Tally(*counts, estimand, result.p.method, result.interval.method)


def _another_question(estimand: str, data: Data) -> bool:
    return estimand != "difference" and not data.symmetric


def _holds(test: str, data: Data, truth: float, replicate: int, *, check: bool) -> tuple[bool, bool]:
    """Whether the interval holds the truth, and whether that disagrees with the test.

    The interval of `permutation` is the inverted test and takes thirty times as long, so that the test is asked instead whether
    it rejects the truth; in some replicates both are.
    """
    dual = test == "permutation" and not data.binary
    accepted = dual and _ask(test, data, replicate, delta=truth, interval=False).p.value > ALPHA
    if dual and not check:
        return accepted, False
    interval = _ask(test, data, replicate).interval
    assert interval is not None
    held = (interval.low is None or interval.low <= truth) and (interval.high is None or truth <= interval.high)
    return held, dual and held != accepted


def _ask(
    test: str, data: Data, replicate: int, *, null: str | None = None, delta: float = 0.0, interval: bool = True
) -> TestResult:
    entry = TESTS[test]
    a, b, clusters = sample(data, replicate, SEED, null=null)
    # Blocks go by the order of the items, and are not told which belong together.
    metric, pairs = _pairs(a, b, None if test == "block-bootstrap" else clusters)
    chosen = {"resamples": RESAMPLES} if any(option.name == "resamples" for option in entry.options) else {}
    options = complete(entry.name, entry.options, chosen)
    return entry.run(pairs, metric, TestRequest(delta=delta, alpha=ALPHA, seed=replicate, options=options, interval=interval))


def _pairs(a: Any, b: Any, clusters: Any) -> tuple[AdditiveMetric, PairedScores]:  # noqa: ANN401 - arrays
    metric, rows_a, rows_b = resolve("mean", a, b)
    return metric, PairedScores(rows_a, rows_b, clusters=None if clusters is None else Labels.of(clusters).codes)


def measure_all(replicates: int = REPLICATES, processes: int | None = None) -> list[Cell]:
    """All cells, in parallel."""
    parts = [(*cell, first, min(PART, replicates - first)) for cell in CELLS for first in range(0, replicates, PART)]
    # Several processes with several BLAS threads each would wait for one another; the variable is read when numpy is loaded.
    os.environ.update({"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes or os.cpu_count(), mp_context=context) as pool:
        tallies = list(pool.map(_part, parts))
    per_cell = len(parts) // len(CELLS)
    return [_cell(*cell, tallies[i * per_cell : (i + 1) * per_cell]) for i, cell in enumerate(CELLS)]


def _part(task: tuple[str, str, int, int]) -> Tally:
    return measure(*task)


def _cell(test: str, data: str, tallies: list[Tally]) -> Cell:
    n = sum(t.replicates for t in tallies)
    first = tallies[0]
    return Cell(
        test=test,
        data=data,
        replicates=n,
        level=None if test == "bayes" else sum(t.rejected for t in tallies) / n,
        mid_level=sum(t.rejected_mid for t in tallies) / n if any(t.with_mid for t in tallies) else None,
        means_level=sum(t.rejected_means for t in tallies) / n if _another_question(first.estimand, DATA[data]) else None,
        coverage=sum(t.covered for t in tallies) / n,
        estimand=first.estimand,
        method=first.method,
        interval=first.interval,
        disagreements=sum(t.disagreements for t in tallies),
    )


def faults(cell: Cell) -> list[str]:
    """What is wrong with a cell: out of bounds though the assumptions are met, or without a word of warning where not."""
    data, complaints = DATA[cell.data], list(out_of_bounds(cell))
    if complaints and unmet(cell.test, data) is not None:
        complaints = (
            [] if _ask(cell.test, data, 0).notes else [f"{words}, and the result carries no warning" for words in complaints]
        )
    if cell.disagreements:
        complaints.append(f"interval and test disagree in {cell.disagreements} replicates")
    return [f"{cell.test} on {cell.data}: {words}" for words in complaints]


def main(arguments: list[str] | None = None) -> int:
    """Measure, keep, and say what is out of bounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description="Measure type-I error and coverage.")
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="fewer than the default are shown, not kept")
    parser.add_argument("--processes", type=int, help="by default one for each core")
    parser.add_argument("--rewrite", action="store_true", help="measure nothing: rewrite the page from the kept results")
    options = parser.parse_args(arguments)
    cells = kept() if options.rewrite else measure_all(options.replicates, options.processes)
    print(page(cells))
    if options.replicates == REPLICATES:
        keep(cells)
    wrong = [words for cell in cells for words in faults(cell)]
    print("\n".join(["", *(wrong or ["Everything is within its bounds."])]))
    return 1 if wrong else 0


def keep(cells: list[Cell]) -> None:
    """Write the results, and the tables of the page."""
    document = {"seed": SEED, "resamples": RESAMPLES, "alpha": ALPHA, "cells": [asdict(cell) for cell in cells]}
    RESULTS.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{page(cells)}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def kept() -> list[Cell]:
    """The cells of the last whole run."""
    return [Cell(**cell) for cell in json.loads(RESULTS.read_text(encoding="utf-8"))["cells"]]


if __name__ == "__main__":
    raise SystemExit(main())

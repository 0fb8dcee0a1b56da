"""What calibration found, judged and shown: one cell for each test and kind of data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.calibration_data import DATA, Data
from benchmarks.tables import markdown

from outscore.inference.registry import TESTS

__all__ = ["ALPHA", "REASONS", "RESAMPLES", "SEED", "Cell", "out_of_bounds", "page", "unmet"]

SEED = 2_024
RESAMPLES = 999
ALPHA = 0.05
LEVEL = (0.035, 0.065)
COVERAGE = (0.93, 0.97)
EXACT_INTERVALS = ("permutation", "wilcoxon", "sign", "mcnemar")
REFUSED = "–"
LARGE_SAMPLE = ("student", "bootstrap", "bootstrap-t", "bootstrap-median", "block-bootstrap", "bayes")
FEW = 50
REASONS = {
    "a": "the test assumes symmetric differences, and these are not",
    "b": "a large-sample method on few units",
    "c": "the median difference is 0 in nearly every sample, and a median can hardly move",
    "d": "blocks follow only the order of the items; `clusters` would say which belong together",
}


@dataclass(frozen=True)
class Cell:
    """One test on one kind of data. `level` is None for `bayes`, `mid_level` for tests without a mid-p.

    `means_level` is how often a test of another estimand rejects where the means are equal: no error, but another question.
    """

    test: str
    data: str
    replicates: int
    level: float | None
    mid_level: float | None
    means_level: float | None
    coverage: float
    estimand: str
    method: str
    interval: str
    disagreements: int


def unmet(test: str, data: Data) -> str | None:
    """Which assumption of the test the data do not meet, as a key of `REASONS`."""
    if test == "block-bootstrap" and data.clustered:
        return "d"
    if test in ("bootstrap-median", "permutation-median") and data.atom:
        return "c"
    if test in ("permutation", "permutation-median", "wilcoxon") and not data.symmetric:
        return "a"
    # Student's t, its posterior and the studentised bootstrap hold for few normal differences too.
    small = data.units < FEW and test in LARGE_SAMPLE
    return "b" if small and (test not in ("student", "bootstrap-t", "bayes") or not data.symmetric) else None


def out_of_bounds(cell: Cell) -> Iterator[str]:
    """Which numbers leave the bounds that hold where a test's assumptions are met."""
    # An exact test on discrete data cannot reach every level, and then stays below.
    least = LEVEL[0] if cell.mid_level is None else 0.0
    if cell.level is not None and not least <= cell.level <= LEVEL[1]:
        yield f"type-I error {cell.level:.4f}"
    if cell.coverage < COVERAGE[0] or (cell.coverage > COVERAGE[1] and cell.test not in EXACT_INTERVALS):
        yield f"coverage {cell.coverage:.4f}"


def page(cells: list[Cell]) -> str:
    """The tables of the documentation page."""
    kinds = markdown(("data", "description", "items"), [(d.name, d.what, str(d.n)) for d in DATA.values()], left=2)
    by_place = {(cell.test, cell.data): cell for cell in cells}
    parts = []
    for title, write in (("Type-I error at α = .05", _level), ("Coverage of the 95 % interval", _coverage)):
        rows = [(f"`{test}`", *(write(by_place.get((test, data))) for data in DATA)) for test in TESTS]
        parts.append(f"### {title}\n\n" + markdown(("test", *DATA), rows))
    used = {reason for cell in cells if (reason := unmet(cell.test, DATA[cell.data]))}
    marks = "\n".join(f"- *{key}*: {words}." for key, words in REASONS.items() if key in used)
    others = [f"`{c.test}` ({c.data}) {_decimal(c.means_level)}" for c in cells if c.means_level is not None]
    question = "Another question: if the *means* are equal and the differences skewed, these reject " + ", ".join(others) + "."
    run = f"{cells[0].replicates:,} replicates, seed {SEED}, {RESAMPLES} resamples for tests that resample."
    return "\n\n".join([run, kinds, *parts, f"Assumption not met:\n\n{marks}", question])


def _level(cell: Cell | None) -> str:
    if cell is None or cell.level is None:
        return REFUSED if cell is None else "no p"
    mid = "" if cell.mid_level is None else f" ({_decimal(cell.mid_level)})"
    return _decimal(cell.level) + mid + _mark(cell)


def _coverage(cell: Cell | None) -> str:
    return REFUSED if cell is None else _decimal(cell.coverage) + _mark(cell)


def _mark(cell: Cell) -> str:
    reason = unmet(cell.test, DATA[cell.data])
    return f" *{reason}*" if reason else ""


def _decimal(x: float) -> str:
    return f"{x:.3f}".removeprefix("0")

"""TESTS: every test by name. An entry says what it tests, its options and what it can handle.

Adding a test is one entry; command line, docs table and contract tests loop over the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from outscore.data import AdditiveMetric, PairedScores
from outscore.inference.flipped import Alternative, Request
from outscore.inference.permutation import METHODS, permutation
from outscore.options import Option, OptionValue
from outscore.results import PValue

__all__ = ["TESTS", "TestEntry"]


@dataclass(frozen=True)
class TestEntry:
    """One test: its hypothesis in a line, what it works on, and the function that runs it."""

    # Not a test class, whatever its name says to pytest.
    __test__ = False

    name: str
    summary: str
    on: str
    clusters: bool
    delta: bool
    function: Callable[[PairedScores, AdditiveMetric, Alternative, float, Mapping[str, OptionValue], int, float | None], PValue]
    options: tuple[Option, ...] = ()


def _permutation(
    pairs: PairedScores,
    metric: AdditiveMetric,
    alternative: Alternative,
    delta: float,
    options: Mapping[str, OptionValue],
    seed: int,
    level: float | None,
) -> PValue:
    request = Request(
        alternative=alternative,
        delta=delta,
        method=str(options["method"]),
        resamples=int(str(options["resamples"])),
        seed=seed,
        level=level,
    )
    return permutation(pairs, metric, request)


TESTS: dict[str, TestEntry] = {
    entry.name: entry
    for entry in (
        TestEntry(
            name="permutation",
            summary="the two systems are exchangeable item by item; exact wherever the numbers allow",
            on="any additive metric",
            clusters=True,
            delta=True,
            function=_permutation,
            options=(
                Option("method", str, "auto", "how p is computed", choices=METHODS),
                Option("resamples", int, 9_999, "how many swaps Monte Carlo draws, where nothing exact serves", minimum=1),
            ),
        ),
    )
}

"""POPULATIONS: which new draws a claim is about, each a question in words. Adding one is an entry here, and its test.

People who say "significant" of systems that were run several times mean different things: the same runs on new items, or newly
trained systems on new items. Each is a population of its own, and the report names the one that decided.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ITEMS",
    "ITEMS_AND_RUNS",
    "POPULATIONS",
    "TWO_WAY",
    "Population",
    "PopulationTest",
    "claim_of",
    "own_test",
    "usual_population",
]

ITEMS = "items"
ITEMS_AND_RUNS = "items-and-runs"
TWO_WAY = "two-way"
"""What results call the test of items and runs."""


@dataclass(frozen=True)
class PopulationTest:
    """The test that a population has for itself: its name in results, what a sentence calls it, and works to cite."""

    name: str
    phrase: str
    citations: tuple[str, ...]


@dataclass(frozen=True)
class Population:
    """One population of new draws.

    Attributes
    ----------
    name
        What commands and results call it.
    summary
        A line for lists of choices.
    claim
        What a claim is about.
    question
        The question in words, with `{a}` and `{b}` for the systems.
    test
        Its own test; None where the test that was named answers.
    """

    name: str
    summary: str
    claim: str
    question: str
    test: PopulationTest | None = None


POPULATIONS: dict[str, Population] = {
    entry.name: entry
    for entry in (
        Population(
            ITEMS,
            "new items; the runs as they are",
            "new items and these runs",
            "would these runs of {a} and {b} differ on new items?",
        ),
        Population(
            ITEMS_AND_RUNS,
            "new items and new runs: newly trained systems",
            "new items and new runs",
            "would a newly trained {a} and a newly trained {b} differ on new items?",
            PopulationTest(TWO_WAY, "two-way t test over items and runs", ("searle1992", "satterthwaite1946")),
        ),
    )
}


def usual_population(kind: str | None) -> str:
    """The population where none is named: runs are drawn anew, epochs are averaged; None is no repeats.

    Examples
    --------
    >>> usual_population("runs"), usual_population("epochs"), usual_population(None)
    ('items-and-runs', 'items', 'items')
    """
    return ITEMS_AND_RUNS if kind == "runs" else ITEMS


def claim_of(population: str, kind: str | None) -> str:
    """What a claim is about; epochs are draws of an item, and nobody asks for these ones.

    Examples
    --------
    >>> claim_of("items", "runs"), claim_of("items", "epochs")
    ('new items and these runs', 'new items')
    """
    if population == ITEMS and kind != "runs":
        return "new items"
    return POPULATIONS[population].claim if population in POPULATIONS else population


def own_test(name: str) -> PopulationTest | None:
    """The test of this name that belongs to a population; None for any other.

    Examples
    --------
    >>> own_test("two-way").phrase, own_test("student")
    ('two-way t test over items and runs', None)
    """
    return next((entry.test for entry in POPULATIONS.values() if entry.test is not None and entry.test.name == name), None)

"""POPULATIONS: which new draws a claim is about, each a question in words. Adding one is an entry here, and its test.

People who say "significant" of systems that were run several times mean different things: the same runs on new items, newly
trained systems on new items, or new draws on the very same items. Each is a population of its own, and the report names the one
that decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass

if TYPE_CHECKING:
    # Words about populations need no arrays.
    from outscore.core.rows import RepeatKind, Repeats

ITEMS = "items"
ITEMS_AND_RUNS = "items-and-runs"
THESE_ITEMS = "these-items"
TWO_WAY = "two-way"
"""What results call the test of items and runs."""
EXCHANGE, EXCHANGE_OF_RUNS = "exchange", "permutation of runs"
"""What results call the tests of these items: epochs exchanged within each item, and runs exchanged whole."""

TWO_SAMPLES, FISHER, RANK_SUM, WELCH = "two-sample permutation", "fisher", "rank-sum", "welch"
"""What results call the tests of different items."""


@dataclass(frozen=True)
class PopulationTest:
    """A test that belongs to a population, or to a comparison of different items.

    `name` is what results call it, `phrase` what a sentence calls it, `citations` are works to cite, and `kind_in_phrase` says
    that the phrase itself tells how p is computed.
    """

    name: str
    phrase: str
    citations: tuple[str, ...]
    kind_in_phrase: bool = False


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
        What a claim is about; `{items}` stands for what items are called.
    question
        The question in words, with `{a}` and `{b}` for the systems.
    tests
        Its own tests, the usual one first; none if the chosen test answers.
    """

    name: str
    summary: str
    claim: str
    question: str
    tests: tuple[PopulationTest, ...] = ()


POPULATIONS: dict[str, Population] = {
    entry.name: entry
    for entry in (
        Population(
            ITEMS,
            "new items; the runs as they are",
            "new {items} and these runs",
            "would these runs of {a} and {b} differ on new items?",
        ),
        Population(
            ITEMS_AND_RUNS,
            "new items and new runs: newly trained systems",
            "new {items} and new runs",
            "would a newly trained {a} and a newly trained {b} differ on new items?",
            (
                PopulationTest(
                    TWO_WAY, "two-way t test over items and runs", ("searle1992", "satterthwaite1946"), kind_in_phrase=True
                ),
            ),
        ),
        Population(
            THESE_ITEMS,
            "exactly these items; new runs of them",
            "these {items} and new runs",
            "would new runs of {a} and {b} differ on exactly these items, or was it chance?",
            (
                PopulationTest(EXCHANGE, "exchange of runs within items", ("birch1964", "pitman1937", "satterthwaite1946")),
                PopulationTest(EXCHANGE_OF_RUNS, "exchange of whole runs", ("pitman1937",)),
            ),
        ),
    )
}

DIFFERENT_ITEMS = (
    PopulationTest(TWO_SAMPLES, "two-sample permutation test", ("pitman1937",)),
    PopulationTest(FISHER, "Fisher test", ("fisher1935",)),
    PopulationTest(RANK_SUM, "rank-sum test", ("wilcoxon1945", "mann1947")),
    PopulationTest(WELCH, "Welch t test", ("welch1947",), kind_in_phrase=True),
)
"""The tests of two samples of different items."""


def lacking(
    population: str, parts: Sequence[Repeats | None], kind: RepeatKind | None, *, unit_size: int = 1, items: int = 2
) -> str:
    """What the data lack for a claim about a population, as a clause; empty if they lack nothing.

    `parts` are the repeats of each dataset, `kind` says what they are, and `items` is the smallest number of items of one.

    Examples
    --------
    >>> lacking("items-and-runs", [None], None), lacking("items", [None], None)
    ('each item was scored once', '')
    """
    known = [repeats for repeats in parts if repeats is not None]
    if population == ITEMS:
        return ""
    if kind is None or not known:
        return "each item was scored once"
    first, new_items = known[0], population == ITEMS_AND_RUNS
    subject = f"`{first.column}` contains" if first.column else "the repeats are"
    incomplete = next((repeats.lacking for repeats in known if repeats.lacking), "")
    of_runs = kind == "runs"
    clauses = (
        (bool(first.reduced), first.lacking),
        (unit_size != 1, "units of several items are compared"),
        (not of_runs and new_items, f"{subject} epochs, which are unrelated from item to item"),
        (not of_runs and first.metric is not None, "the individual runs of the items are not known"),
        (of_runs and bool(incomplete), incomplete),
        (of_runs and new_items and items < 2, "there is a single item"),
    )
    return next((clause for applies, clause in clauses if applies), "")


def population_cure(
    population: str, kind: str | None, *, reduced: str = "", units: bool = False, incomplete: bool = False
) -> str:
    """What to do if the data cannot answer for the population that `--population` asks for.

    `kind` says what repeats are, or None without any; `reduced` how they were reduced to one score, `units` whether units of
    several items are compared, `incomplete` whether runs of some items are missing.

    Examples
    --------
    >>> population_cure("these-items", "epochs", reduced="pass@2")
    'Write --reduce mean, whose runs are known one by one, or leave --population out.'
    >>> population_cure("these-items", None)
    'Leave --population out, or give several runs of each item.'
    """
    no_runs = population == ITEMS_AND_RUNS and kind != "runs"
    cures = (
        (kind is None, "Leave --population out, or give several runs of each item."),
        (
            bool(reduced) and no_runs,
            "Write --reduce mean, and --repeats runs if one repeat spans all items; or leave --population out.",
        ),
        (bool(reduced), "Write --reduce mean, whose runs are known one by one, or leave --population out."),
        (no_runs, "Leave --population out, or write --repeats runs if one repeat spans all items."),
        (units, "Leave --unit-size out, or --population."),
        (incomplete, "Leave --population out, or give every run of every item."),
    )
    return next((cure for applies, cure in cures if applies), "Leave --population out.")


def choose_population(
    wanted: str | None,
    missing: Mapping[str, str],
    parts: Sequence[Repeats | None],
    kind: RepeatKind | None,
    *,
    only_items: bool = False,
    units: bool = False,
) -> str:
    """The population that decides: the wanted one, or the usual one for such repeats if the data allow it.

    `missing` is what the data lack for each population, as `lacking` has it for the repeats of all `parts`; `only_items` says
    that the chosen test works on items only, `units` that units of several items are compared.

    Examples
    --------
    >>> missing = {"items": "", "items-and-runs": "old has a single run", "these-items": ""}
    >>> choose_population(None, missing, [], "runs"), choose_population("these-items", missing, [], "runs")
    ('items', 'these-items')
    """
    usual = usual_population(kind)
    if only_items or missing[usual]:
        usual = ITEMS
    chosen = wanted or usual
    if not missing[chosen]:
        return chosen
    known = [repeats for repeats in parts if repeats is not None]
    cure = population_cure(
        chosen,
        kind,
        reduced=known[0].reduced if known else "",
        units=units,
        incomplete=any(repeats.lacking for repeats in known),
    )
    raise OutscoreError(f"Population {chosen} is not available: {missing[chosen]}.", cure, parameter="population")


def usual_population(kind: str | None) -> str:
    """The default population: a claim about runs covers new runs, epochs are averaged; None means no repeats.

    Examples
    --------
    >>> usual_population("runs"), usual_population("epochs"), usual_population(None)
    ('items-and-runs', 'items', 'items')
    """
    return ITEMS_AND_RUNS if kind == "runs" else ITEMS


def claim_of(population: str, kind: str | None, noun: str = "item") -> str:
    """What a claim is about, for items that are called `noun`; epochs go unmentioned, as no claim is about these very ones.

    Examples
    --------
    >>> claim_of("items", "runs"), claim_of("items", "epochs"), claim_of("items", "runs", "segment")
    ('new items and these runs', 'new items', 'new segments and these runs')
    """
    if population == ITEMS and kind != "runs":
        return f"new {noun}s"
    return POPULATIONS[population].claim.format(items=f"{noun}s") if population in POPULATIONS else population


def question_of(population: str, kind: str | None, systems: tuple[str, str]) -> str:
    """The question that a population answers, in words; empty for an unknown population.

    Examples
    --------
    >>> question_of("items", "epochs", ("new", "old")), question_of("items", "runs", ("new", "old"))
    ('would new and old differ on new items?', 'would these runs of new and old differ on new items?')
    """
    if population not in POPULATIONS:
        return ""
    a, b = systems
    if population == ITEMS and kind != "runs":
        return f"would {a} and {b} differ on new items?"
    return POPULATIONS[population].question.format(a=a, b=b)


def own_test(name: str) -> PopulationTest | None:
    """The test of this name that belongs to a population or to different items; None for any other.

    Examples
    --------
    >>> own_test("two-way").phrase, own_test("student")
    ('two-way t test over items and runs', None)
    """
    of_populations = [test for entry in POPULATIONS.values() for test in entry.tests]
    return next((test for test in (*of_populations, *DIFFERENT_ITEMS) if test.name == name), None)

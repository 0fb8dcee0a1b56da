"""What is asked of systems, in one record for every command, and which population the answer is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, cast

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import check_level, check_seed, complete, did_you_mean
from outscore.core.records import dataclass
from outscore.core.rows import RUNS
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.describe.effects import UnitRule
from outscore.inference.families import CORRECTIONS, beyond_one_table
from outscore.inference.pairwise.table import not_a_mean
from outscore.inference.populations import (
    EXCHANGE,
    EXCHANGE_OF_RUNS,
    ITEMS,
    ITEMS_AND_RUNS,
    THESE_ITEMS,
    TWO_WAY,
    choose_population,
    usual_population,
)
from outscore.inference.registry import DEFAULT, TESTS
from outscore.inference.runs import SPREAD_UNSEEN, UNEQUAL_LAWS
from outscore.inference.two_way import FEW_RUNS
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.workflows.requests import shared
from outscore.workflows.validate import (
    check_delta,
    check_margin,
    check_metric,
    check_names,
    check_population,
    check_repeats,
    check_units,
    deciding_entry,
)

# What is asked of the systems of a comparison, a ranking or a gate, whatever these are.


@dataclass(frozen=True)
class Question:
    """What is asked, without the data; `options` are those given for the deciding test.

    A `gate` asks for the interval of both sides of its margin, and neither it nor a `screen` for what they do not show. A
    correction, a baseline and pictures of ranks are for many systems, the alternative, another difference than 0 and a margin
    for two.

    Examples
    --------
    >>> Question(test="wilcoxon", options={"zeros": "pratt"}).of_test.options
    {'zeros': 'pratt', 'variant': 'exact'}
    """

    test: str = shared.TEST.default
    options: Mapping[str, object] = field(default_factory=dict)
    alternative: Alternative = cast("Alternative", shared.ALTERNATIVE.default)
    alpha: float = shared.ALPHA.default
    delta: float = 0.0
    margin: float | None = None
    unit_size: int = shared.UNIT_SIZE.default
    unit_statistic: Literal["mean", "median"] = cast("Literal['mean', 'median']", shared.UNIT_STATISTIC.default)
    shuffle: int | None = shared.SHUFFLE.default
    seed: int = shared.SEED.default
    population: str | None = shared.POPULATION.default
    repeats: str | None = shared.REPEATS.default
    bounds: tuple[float, ...] = ()
    assume: str | None = None
    correction: str = shared.CORRECTION.default
    baseline: str | None = shared.BASELINE.default
    critical_difference: bool = shared.CRITICAL_DIFFERENCE.default
    joint: bool = shared.JOINT.default
    unit_advice: bool = False
    normality_alpha: float = shared.NORMALITY_ALPHA.default
    gate: bool = False
    screen: bool = False

    @cached_property
    def entry(self) -> TestEntry:
        """The test that decides."""
        return deciding_entry(self.test)

    @cached_property
    def of_test(self) -> TestRequest:
        """The part that the test itself needs."""
        options = complete(self.entry.name, self.entry.options, self.options)
        return TestRequest(
            self.alternative, self.delta, self.alpha, self.seed, options, bounds=self.bounds, assume=self.assume or ""
        )

    @property
    def units(self) -> UnitRule:
        """How evaluation units are made of items."""
        return self.unit_size, self.unit_statistic, self.shuffle

    @property
    def side(self) -> dict[str, Any]:
        """Level, side and tested difference, which decisions and words need."""
        return {"alpha": self.alpha, "alternative": self.alternative, "delta": self.delta}

    def check(self, metric: str | AdditiveMetric | None) -> None:
        """Refuse whatever can be refused without looking at data."""
        check_population(self.population, self.test)
        complete(self.entry.name, self.entry.options, self.options)
        check_metric(metric)
        check_units(*self.units, advice=self.unit_advice)

    def check_comparison(self, metric: str | AdditiveMetric | None, names: Sequence[str]) -> None:
        """The same for a comparison of two systems, which may have `names`."""
        self.check(metric)
        check_delta(self.delta)
        if self.margin is not None:
            check_margin(self.entry, self.margin)
        if names:
            check_names(names)

    def check_ranking(self, metric: str | AdditiveMetric | None = None) -> None:
        """The same for a ranking."""
        check_test(self.test)
        self.check(metric)
        check_seed("seed", self.seed)
        check_level("alpha", self.alpha)
        check_repeats(self.repeats)
        self.check_family()

    def of_other_scores(self) -> Question:
        """The same question about scores that nobody asked for: they are permuted, as in a diff, and a family of their own."""
        correction = beyond_one_table(self.correction)
        return Question(correction=correction, baseline=self.baseline, alpha=self.alpha, seed=self.seed)

    def check_family(self) -> None:
        """Refuse an unknown correction, and one that does not work for pairs of systems."""
        entry = CORRECTIONS.get(self.correction)
        if entry is None:
            fitting = [name for name, known in CORRECTIONS.items() if known.function is not None]
            raise OutscoreError(
                f"There is no correction `{self.correction}`.", did_you_mean(self.correction, fitting), parameter="correction"
            )
        if entry.function is None:
            raise OutscoreError(
                f"Correction `{self.correction}` is valid within one pair of systems, not across systems.",
                "Use `holm` or `shaffer`.",
                parameter="correction",
            )
        if entry.all_pairs and self.baseline is not None:
            raise OutscoreError(
                f"Correction `{self.correction}` is for all pairs of systems, but with a baseline there are fewer.",
                "Use `holm`.",
                parameter="correction",
            )


USUAL = Question()
"""The default question."""


def check_test(test: str) -> None:
    """Refuse tests that do not give one p-value for each pair."""
    if test == "all":
        raise OutscoreError("`rank` uses a single test, not `all`.", "Name one, such as permutation.", parameter="test")
    if test in TESTS and TESTS[test].posterior:
        raise OutscoreError(
            f"`rank` decides by p-values, but `{test}` gives posterior probabilities.",
            f"Use permutation, or compare two systems at a time with `outscore compare --test {test}`.",
            parameter="test",
        )


# Which population a claim is about: the requested one, or the default for its repeats if all systems allow it.


def name_of_test(population: str, panels: Sequence[Panel], test: str) -> str:
    """The test that answers for a population; `test` answers for items."""
    if population == THESE_ITEMS:
        return EXCHANGE_OF_RUNS if panels[0].repeat_kind == RUNS else EXCHANGE
    return TWO_WAY if population == ITEMS_AND_RUNS else test


def population_of(
    panels: Sequence[Panel], question: Question, missing: Mapping[str, str], subject: str = "The claims are"
) -> tuple[str, list[Note]]:
    """The population that decides, and what there is to say of it; `missing` is what the panels lack for each.

    `panels` are those of all datasets, and `subject` begins a sentence about what is claimed.
    """
    kind, named = panels[0].repeat_kind, question.entry.name
    usual = usual_population(kind)
    parts = [panel.shared_repeats for panel in panels]
    known = [repeats for repeats in parts if repeats is not None]
    chosen = choose_population(
        question.population, missing, parts, kind, only_items=named != DEFAULT, units=question.unit_size != 1
    )
    notes = []
    if chosen == ITEMS_AND_RUNS and any(runs.count < 3 for repeats in known for runs in repeats.systems):
        notes.append(Note("runs", FEW_RUNS))
    if chosen == ITEMS and kind == RUNS and missing[usual]:
        notes.append(these_runs(missing[usual], subject))
    elif chosen == ITEMS != usual and question.population is None:
        why = f"`{named}` works on items only; leave --test out for a claim about new runs"
        notes.append(these_runs(why, subject, "warning"))
    if chosen == THESE_ITEMS and kind != RUNS:
        notes += _about_exchange(panels)
    return chosen, notes


def _about_exchange(panels: Sequence[Panel]) -> list[Note]:
    """What there is to say of runs that are exchanged within items."""
    clause = next(filter(None, map(not_a_mean, panels)), "")
    if clause:
        return [Note("method", f"{clause}, so its runs are exchanged at random, and this population has no interval.")]
    notes = []
    if any(panel.run_unequally() is not None for panel in panels):
        notes.append(Note("runs", UNEQUAL_LAWS))
    if any((panel.times == 1).any() for panel in panels):
        notes.append(Note("runs", SPREAD_UNSEEN))
    return notes


def these_runs(why: str, subject: str = "The claims are", kind: Literal["runs", "warning"] = "runs") -> Note:
    """That a claim is not about new runs, and why."""
    return Note(kind, f"{subject} about these runs, not about new ones: {why}.")

"""The question that a ranking answers, whatever is ranked: how pairs are measured, corrected and reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import OptionValue, check_level, check_seed, complete, did_you_mean
from outscore.core.records import dataclass
from outscore.inference.families import CORRECTIONS
from outscore.inference.registry import TESTS
from outscore.workflows.requests import shared
from outscore.workflows.validate import (
    check_metric,
    check_population,
    check_repeats,
    check_units,
    deciding_entry,
)


@dataclass(frozen=True)
class Question:
    """How all pairs are tested, and how the answer is put together; the parameters are those of `rank`.

    Examples
    --------
    >>> Question(test="wilcoxon", unit_size=15).check()
    {'zeros': 'drop', 'variant': 'exact'}
    """

    test: str = shared.TEST.default
    options: Mapping[str, object] = field(default_factory=dict)
    correction: str = shared.CORRECTION.default
    baseline: str | None = shared.BASELINE.default
    alpha: float = shared.ALPHA.default
    unit_size: int = shared.UNIT_SIZE.default
    unit_statistic: str = shared.UNIT_STATISTIC.default
    shuffle: int | None = shared.SHUFFLE.default
    critical_difference: bool = shared.CRITICAL_DIFFERENCE.default
    joint: bool = shared.JOINT.default
    seed: int = shared.SEED.default
    population: str | None = shared.POPULATION.default
    repeats: str | None = shared.REPEATS.default

    def check(self, metric: str | AdditiveMetric | None = None) -> dict[str, OptionValue]:
        """Refuse whatever can be refused without looking at data, and return the complete options of the test."""
        check_test(self.test)
        entry = deciding_entry(self.test)
        options = complete(entry.name, entry.options, self.options)
        check_metric(metric)
        check_seed("seed", self.seed)
        check_level("alpha", self.alpha)
        check_units(self.unit_size, self.unit_statistic, self.shuffle, advice=False)
        check_repeats(self.repeats)
        check_population(self.population, self.test)
        self.check_family()
        return options

    def of_other_scores(self) -> Question:
        """The same question about scores that nobody asked for: they are permuted, as in a diff, and a family of their own."""
        correction = "holm" if CORRECTIONS[self.correction].all_pairs else self.correction
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

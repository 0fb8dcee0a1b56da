"""What is asked of a ranking, whatever is ranked: one question, from the caller to what is measured, corrected and said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import OptionValue, did_you_mean
from outscore.inference.families.multiplicity import CORRECTIONS
from outscore.inference.registry import TESTS
from outscore.workflows.validate import check_comparison

__all__ = ["USUAL", "Question", "check_test"]


@dataclass(frozen=True)
class Question:
    """How all pairs are tested, and how the answer is put together; the parameters are those of `rank`.

    Examples
    --------
    >>> Question(test="wilcoxon", unit_size=15).check()
    {'zeros': 'drop', 'variant': 'exact'}
    """

    test: str = "permutation"
    options: Mapping[str, object] = field(default_factory=dict)
    correction: str = "holm"
    baseline: str | None = None
    alpha: float = 0.05
    unit_size: int = 1
    unit_statistic: str = "mean"
    shuffle: int | None = None
    critical_difference: bool = False
    seed: int = 0

    def check(self, metric: str | AdditiveMetric | None = None) -> dict[str, OptionValue]:
        """Refuse whatever can be refused without looking at data; what is left are the test's options, all of them."""
        check_test(self.test)
        _, options = check_comparison(
            test=self.test,
            metric=metric,
            options=self.options,
            alpha=self.alpha,
            unit_size=self.unit_size,
            unit_statistic=self.unit_statistic,
            shuffle=self.shuffle,
            seed=self.seed,
        )
        self.check_family()
        return options

    def check_family(self) -> None:
        """Refuse an unknown correction, and one that cannot serve pairs of systems."""
        entry = CORRECTIONS.get(self.correction)
        if entry is None:
            fitting = [name for name, known in CORRECTIONS.items() if known.function is not None]
            raise OutscoreError(f"There is no correction `{self.correction}`.", did_you_mean(self.correction, fitting))
        if entry.function is None:
            raise OutscoreError(
                f"Correction `{self.correction}` holds within one pair of systems, not across systems.",
                "Use `holm` or `shaffer`.",
            )
        if entry.all_pairs and self.baseline is not None:
            raise OutscoreError(
                f"Correction `{self.correction}` is for all pairs of systems, and with a baseline there are fewer.",
                "Use `holm`.",
            )


USUAL = Question()
"""What is asked where nobody says otherwise."""


def check_test(test: str) -> None:
    """Refuse what does not decide each pair by a p-value of its own."""
    if test == "all":
        raise OutscoreError("`rank` decides by one test, and `all` was asked for.", "Name one, such as permutation.")
    if test in TESTS and TESTS[test].posterior:
        raise OutscoreError(
            f"`rank` decides by p-values, and `{test}` gives posterior probabilities.",
            f"Use permutation, or compare two systems at a time with `outscore compare --test {test}`.",
            parameter="test",
        )

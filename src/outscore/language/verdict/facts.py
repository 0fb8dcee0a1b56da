"""What every statement about a comparison needs, with the numbers rounded in one place."""

from __future__ import annotations

import math
from typing import Literal

from outscore.core.records import dataclass
from outscore.inference.decision import Side, decide, side_of_test, sign
from outscore.language.numbers import decimals_for, format_level, format_number, format_p, format_probability
from outscore.language.phrases import SHORT_ESTIMANDS, interval_phrase, method_phrase
from outscore.results.comparison import Bayes, Margin
from outscore.results.design import Decision
from outscore.results.interval import Interval
from outscore.results.pvalue import PValue


@dataclass(frozen=True)
class Facts:
    """What was asked of a comparison, its numbers, and what follows from them.

    `identical` says that no item has different scores, `direction` which side the test itself favours, where it says so.
    `repeats` says how often items were run and `claim` what the claim is about, both empty where each item was run once.
    `units` is what the test counts, in the singular.
    """

    systems: tuple[str, str]
    metric: str
    higher_is_better: bool
    scores: tuple[float, float]
    difference: float
    p: PValue
    interval: Interval | None
    alpha: float
    alternative: str = "two-sided"
    delta: float = 0.0
    margin: Margin | None = None
    bayes: Bayes | None = None
    direction: Side | None = None
    identical: bool = False
    repeats: str = ""
    claim: str = ""
    units: str = "unit"

    @property
    def winner(self) -> Literal[0, 1] | None:
        """Which system won, if one did."""
        return self.decision.winner

    @property
    def decision(self) -> Decision:
        """What may be claimed."""
        return decide(
            higher_is_better=self.higher_is_better,
            difference=self.difference,
            p=self.p,
            alpha=self.alpha,
            alternative=self.alternative,
            delta=self.delta,
            margin=self.margin,
            interval=self.interval,
            direction=self.direction,
        )

    @property
    def rejected(self) -> bool:
        """Whether the test rejects."""
        return self.p.rejects(self.alpha)

    @property
    def unsettled(self) -> bool:
        """Whether alpha lies between the bounds of p, so that the test itself has not decided."""
        return self.p.lower <= self.alpha < self.p.upper

    @property
    def smallest_p(self) -> float:
        """The smallest p that the test can give for so many units: that of equal signs in all of them, if it flips signs."""
        from outscore.inference.registry import TESTS

        entry = TESTS.get(self.p.test)
        if entry is None or entry.null == "other" or entry.posterior or self.p.method == "asymptotic":
            return 0.0
        return math.ldexp(2.0 if self.alternative == "two-sided" else 1.0, -self.p.n)

    @property
    def side(self) -> Side:
        """On which side of delta the test sees A - B."""
        return side_of_test(self.difference, self.delta, self.interval, self.direction)

    @property
    def disagree(self) -> bool:
        """Whether the test rejects without a side, or on a side that is not the metric's."""
        return self.rejected and self.side * sign(self.difference - self.delta) != 1

    @property
    def about(self) -> str:
        """What the test speaks of where that is not the difference in the metric; empty where it is."""
        if self.interval is None or self.interval.estimand == "difference":
            return ""
        # The interval has the full name.
        return SHORT_ESTIMANDS[self.interval.estimand]

    @property
    def decimals(self) -> int:
        """Enough decimals to show that the scores differ."""
        return decimals_for(*self.scores, difference=self.difference)

    @property
    def values(self) -> tuple[str, str]:
        """Both scores, rounded alike."""
        return format_number(self.scores[0], self.decimals), format_number(self.scores[1], self.decimals)

    @property
    def beyond(self) -> str:
        """The tested lead, where it is not 0."""
        return f" by more than {abs(self.delta):g}" if self.delta else ""

    @property
    def level(self) -> str:
        """The level of the decision."""
        return f"alpha = {format_level(self.alpha)}"

    @property
    def p_text(self) -> str:
        """p, its correction if it has one; bounds only where they matter."""
        adjusted = "" if self.p.adjusted is None else f", adjusted p = {format_probability(self.p.adjusted)}"
        return f"{format_p(self.p, self.alpha, brief=True)}{adjusted}"

    @property
    def test(self) -> str:
        """The test and how its p was computed."""
        return method_phrase(self.p)

    def gap(self, *, confidence: bool = False) -> str:
        """The difference and its interval."""
        a, b = self.systems
        text = f"{a} - {b} = {format_number(self.difference, self.decimals, sign=True)}"
        if self.interval is None:
            return text
        join = "; " if self.about else ", "
        return f"{text}{join}{interval_phrase(self.interval, self.decimals, confidence=confidence)}"

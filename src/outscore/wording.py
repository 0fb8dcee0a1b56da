"""Words for results: verdict, paper sentence, signature. Pure functions, no computing of statistics.

The first words of a verdict say who won or that nobody did. Undecided never means equal: it means that these data cannot
tell. A p-value is never shown without the test it comes from and the way it was computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from outscore._version import __version__
from outscore.numerals import (
    decimals_for,
    format_interval,
    format_level,
    format_number,
    format_p,
    format_percent,
    format_probability,
)
from outscore.results import Decision, Interval, PValue

__all__ = ["decide", "format_probability", "method_phrase", "name_of_test", "sentence", "signature", "verdict"]

Pair = tuple[str, str]
TEST_PHRASES = {
    "permutation": "paired permutation test",
    "permutation-median": "paired permutation test of the median",
    "student": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "mcnemar": "McNemar test",
    "bootstrap": "paired bootstrap test",
    "bootstrap-t": "studentised bootstrap test",
    "bootstrap-median": "bootstrap test of the median",
    "block-bootstrap": "block bootstrap test",
}
# The kind of these is in their name, or they have only one.
KIND_IN_NAME = ("student", "bootstrap", "bootstrap-t", "bootstrap-median", "block-bootstrap")


class Margin(Protocol):
    """What the data show about a margin: the p-values of being not inferior and of being equivalent."""

    @property
    def value(self) -> float: ...
    @property
    def noninferiority(self) -> PValue: ...
    @property
    def equivalence(self) -> PValue: ...


def name_of_test(test: str) -> str:
    """What people call a test.

    Examples
    --------
    >>> name_of_test("student"), name_of_test("new")
    ('paired t test', 'new test')
    """
    return TEST_PHRASES.get(test, f"{test} test")


def method_phrase(p: PValue) -> str:
    """The test and how its p-value was computed.

    Examples
    --------
    >>> method_phrase(PValue(0.5, 0.5, 0.5, -0.3, "exact", "lattice"))
    'exact paired permutation test'
    """
    if p.kernel == "tango":
        return "Tango score test"
    test = name_of_test(p.test)
    if p.test in KIND_IN_NAME:
        return test
    match p.method:
        case "exact":
            return f"exact {test}"
        case "certified":
            return f"{test} with certified bounds"
        case "monte-carlo":
            return f"Monte Carlo {test}"
        case _:
            return f"asymptotic {test}"


def decide(
    *,
    higher_is_better: bool,
    difference: float,
    p: PValue,
    alpha: float,
    alternative: str = "two-sided",
    delta: float = 0.0,
    margin: Margin | None = None,
) -> Decision:
    """Who won: the upper end of p against `alpha`, the direction from the difference and what counts as better.

    Against a `delta` other than 0 a rejection shows only on which side of `delta` the difference lies: A wins with a lead
    beyond `delta`, and a lead that is merely shown to be smaller is no win for B. Without a winner a `margin` may still show
    that the systems are equivalent, or that A is not inferior.
    """
    turn = 1.0 if higher_is_better else -1.0
    lead, bar = turn * (difference - delta), turn * delta
    winner: Literal[0, 1] | None = None
    if p.upper <= alpha:
        if lead > 0 and bar >= 0 and alternative != "less":
            winner = 0
        elif lead < 0 and bar <= 0 and alternative != "greater":
            winner = 1
    if winner is not None:
        return Decision(winner, "better")
    if margin is not None and margin.equivalence.upper <= alpha:
        return Decision(None, "equivalent")
    if margin is not None and margin.noninferiority.upper <= alpha:
        return Decision(None, "non-inferior")
    return Decision(None, "undecided")


def verdict(
    systems: Pair,
    metric: str,
    higher_is_better: bool,  # noqa: FBT001 - a fact about the metric, given by name
    scores: tuple[float, float],
    difference: float,
    p: PValue,
    interval: Interval | None,
    alpha: float,
    alternative: str,
    *,
    delta: float = 0.0,
    identical: bool = False,
    margin: Margin | None = None,
) -> str:
    """The answer in plain words, then the evidence. `identical` says that no item has different scores."""
    facts = _Facts(systems, metric, higher_is_better, scores, difference, p, interval, alpha, alternative, delta, margin)
    a, b = systems
    test = f"{format_p(p, alpha)}, {method_phrase(p)}"
    if identical and not delta:
        return f"No winner: {a} and {b} scored identically on every item; {metric} {facts.values[0]}; {test}."
    first = facts.winner or 0
    evidence = f"{metric} {facts.values[first]} against {facts.values[1 - first]}"
    evidence += f"{'' if higher_is_better else ' (lower is better)'}; difference {facts.gap('interval')}; {test}."
    if facts.winner is None:
        claim = _shown_by_margin(facts)[0] or f"No winner: {_undecided(facts)}"
        return f"{claim}; {evidence}"
    return f"{systems[first]} outscored {systems[1 - first]}{facts.beyond}: {evidence}"


def sentence(
    systems: Pair,
    metric: str,
    higher_is_better: bool,  # noqa: FBT001 - a fact about the metric, given by name
    scores: tuple[float, float],
    difference: float,
    p: PValue,
    interval: Interval | None,
    alpha: float,
    alternative: str,
    *,
    n: int,
    unit: str = "items",
    delta: float = 0.0,
    identical: bool = False,
    margin: Margin | None = None,
) -> str:
    """One sentence to paste into a paper: sizes, scores, difference, interval, test, p."""
    facts = _Facts(systems, metric, higher_is_better, scores, difference, p, interval, alpha, alternative, delta, margin)
    a, b = systems
    where = f"On {n:,} {unit if n != 1 else unit.removesuffix('s')}"
    if identical and not delta:
        return f"{where}, {a} and {b} scored identically ({metric} {facts.values[0]})."
    sides = "two-sided" if alternative == "two-sided" else "one-sided"
    level = f"at the {format_level(alpha)} level"
    evidence = f"({facts.gap('confidence interval')}; {method_phrase(p)}, {sides}, {format_p(p, alpha)})"
    if facts.winner is not None:
        first, second = facts.winner, 1 - facts.winner
        return (
            f"{where}, {systems[first]} ({metric} {facts.values[first]}) is better than {systems[second]} "
            f"({facts.values[second]}){facts.beyond} {level} {evidence}."
        )
    between = f"the difference in {metric} between {a} ({facts.values[0]}) and {b} ({facts.values[1]})"
    if delta:
        claim = "differs" if p.upper <= alpha else "does not differ"
        return f"{where}, {between} {claim} significantly from {delta:g} {level} {evidence}."
    text = f"{where}, {between} is not statistically significant {level} {evidence}"
    return f"{text}{_shown_by_margin(facts)[1]}."


@dataclass(frozen=True)
class _Facts:
    """What every wording needs, with the numbers rounded in one place."""

    systems: Pair
    metric: str
    higher_is_better: bool
    scores: tuple[float, float]
    difference: float
    p: PValue
    interval: Interval | None
    alpha: float
    alternative: str
    delta: float
    margin: Margin | None = None

    @property
    def winner(self) -> Literal[0, 1] | None:
        return self.decision.winner

    @property
    def decision(self) -> Decision:
        return decide(
            higher_is_better=self.higher_is_better,
            difference=self.difference,
            p=self.p,
            alpha=self.alpha,
            alternative=self.alternative,
            delta=self.delta,
            margin=self.margin,
        )

    @property
    def decimals(self) -> int:
        return decimals_for(*self.scores, difference=self.difference)

    @property
    def values(self) -> tuple[str, str]:
        return format_number(self.scores[0], self.decimals), format_number(self.scores[1], self.decimals)

    @property
    def beyond(self) -> str:
        return f" by more than {abs(self.delta):g}" if self.delta else ""

    def gap(self, noun: str) -> str:
        a, b = self.systems
        text = f"{a} - {b} = {format_number(self.difference, self.decimals, sign=True)}"
        if self.interval is None:
            return text
        return f"{text}, {format_percent(self.interval.level)} {noun} {format_interval(self.interval, self.decimals)}"


def _shown_by_margin(facts: _Facts) -> tuple[str, str]:
    """What a margin shows where nobody won: the claim of the verdict and the clause of the sentence, if anything."""
    (a, b), margin, claim = facts.systems, facts.margin, facts.decision.claim
    if margin is None or claim == "undecided":
        return "", ""
    size, level = f"{margin.value:g}", f"at alpha = {format_level(facts.alpha)}"
    if claim == "equivalent":
        p = format_p(margin.equivalence, facts.alpha)
        return (
            f"No winner, but equivalent: {a} and {b} differ by less than {size} {level} ({p})",
            f"; the two are equivalent within a margin of {size} (two one-sided tests, {p})",
        )
    p = format_p(margin.noninferiority, facts.alpha)
    return (
        f"No winner, but {a} is not inferior: it is worse than {b} by less than {size}, if at all, {level} ({p})",
        f"; {a} is non-inferior to {b} with a margin of {size} ({p})",
    )


def _undecided(facts: _Facts) -> str:
    a, b = facts.systems
    p, level = facts.p, f"alpha = {format_level(facts.alpha)}"
    if p.lower <= facts.alpha < p.upper:
        cure = "raise the resamples" if p.method == "monte-carlo" else "ask for another method"
        return f"undecided, because {level} lies between the bounds of p ({cure})"
    if facts.delta and p.upper <= facts.alpha:
        side = "above" if facts.difference > facts.delta else "below"
        return f"{a} - {b} lies {side} {facts.delta:g} at {level}, which makes neither the winner"
    if facts.delta:
        return f"the data cannot tell {a} - {b} from {facts.delta:g} at {level}"
    if facts.alternative in ("greater", "less"):
        better, worse = (a, b) if facts.alternative == "greater" else (b, a)
        return f"the data do not show that {better} is better than {worse} at {level}"
    return f"the data cannot tell {a} and {b} apart at {level}"


def signature(
    metric: str,
    p: PValue,
    *,
    alternative: str,
    alpha: float,
    delta: float = 0.0,
    unit: str = "items",
    resamples: int | None = None,
    seed: int | None = None,
) -> str:
    """One line that says how the number came about; resamples and seed only where sampling took part.

    Examples
    --------
    >>> signature("f1", PValue(0.5, 0.5, 0.5, -0.3, "exact", "plane", n=80), alternative="two-sided", alpha=0.05)
    'metric:f1|test:permutation|method:exact|kernel:plane|n:80|unit:items|alternative:two-sided|alpha:0.05|outscore:0.1.0'
    """
    parts = [f"metric:{metric}", p.signature, f"unit:{unit}", f"alternative:{alternative}", f"alpha:{alpha:g}"]
    if delta:
        parts.append(f"delta:{delta:g}")
    if p.method == "monte-carlo":
        parts += [f"{key}:{value}" for key, value in (("resamples", resamples), ("seed", seed)) if value is not None]
    return "|".join([*parts, f"outscore:{__version__}"])

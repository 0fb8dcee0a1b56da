"""The verdict and the sentence for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Literal, TypeVar

from outscore.core.records import dataclass
from outscore.inference.decision import Side, decide, side_of_test, sign
from outscore.inference.populations import ITEMS
from outscore.language import phrases
from outscore.language.numbers import (
    count,
    decimals_for,
    format_level,
    format_number,
    format_p,
    format_percent,
    format_probability,
)
from outscore.language.verdict.contradiction import (
    Contradiction,
    Look,
    find,
    holm,
    in_words,
    verdict_claims,
)
from outscore.results.analysis import DATASET, Bucket
from outscore.results.comparison import Bayes, Comparison, JointClaim, Margin, Unpaired
from outscore.results.design import Alignment, Decision, Family, Verdict
from outscore.results.pvalue import Interval, PValue

T = TypeVar("T")
Numbers = dict[str, Any]
"""The fields of a comparison that are no words, by their names."""
MAX_LEFT_OUT = 0.1
"""The share of items that may be left out without mention in the verdict."""


def stored_verdict(c: Comparison) -> Verdict:
    """The verdict stored in a comparison. Files of version 0.1.0 have no headline: theirs follows from the decision.

    Examples
    --------
    >>> from outscore import compare
    >>> stored_verdict(compare([2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6], names=("new", "old"))).headline
    'new outscored old'
    """
    winner, claim = c.decision.winner, c.decision.claim
    if c.headline:
        return Verdict(c.headline, c.reason, winner, claim)
    headline = "No winner" if winner is None else f"{c.systems[winner]} outscored {c.systems[1 - winner]}"
    return Verdict(headline, c.verdict, winner, claim)


def comparison_of(
    numbers: Numbers,
    *,
    alpha: float,
    alternative: str,
    delta: float,
    slices: Sequence[Comparison] = (),
    family: Family | None = None,
) -> Comparison:
    """The comparison with these numbers, and the decision, verdict and sentence that follow from them.

    Its words name those of its `slices`, which are a family, that contradict it.
    """
    design, (first, second) = numbers["design"], numbers["scores"]
    facts = Facts(
        systems=numbers["systems"],
        metric=design.score_name(numbers["metric"]),
        higher_is_better=numbers["higher_is_better"],
        scores=(first.value, second.value),
        difference=numbers["difference"],
        p=numbers["p"],
        interval=numbers["interval"],
        alpha=alpha,
        alternative=alternative,
        delta=delta,
        margin=numbers.get("margin"),
        bayes=numbers.get("bayes"),
        direction=_direction(numbers["p"]),
        identical=numbers.get("identical", False),
        repeats=phrases.runs_clause(design, numbers["systems"]),
        claim=phrases.claim_phrase(numbers.get("population", ITEMS), design),
        units="unit" if numbers["clusters"] is None else "cluster",
    )
    answer, (noun, more) = verdict(facts), _unit(numbers)
    against = _contradiction_of(facts, numbers.get("buckets", []), slices, family)
    words = sentence(facts, n=numbers["n"], noun=noun, more=more)
    omission = omission_of(numbers["alignment"], numbers.get("unpaired"))
    said = Verdict(answer.headline, f"{answer.reason} {omission}".strip())
    told = {
        "decision": facts.decision,
        "verdict": said.text,
        "headline": said.headline,
        "reason": said.reason,
        "contradiction": "" if against is None else against.clause,
        "sentence": words if against is None else f"{words} {against.sentence}",
        "notes": [*([] if against is None else [against.note]), *numbers["notes"]],
        "deciding_items": _winner_first(facts, numbers.get("deciding_items", []), lambda one: one.difference or one.influence),
        "segments": _winner_first(facts, numbers.get("segments", []), lambda one: one.influence),
    }
    return Comparison(**{**numbers, **told})


def _winner_first(facts: Facts, units: Sequence[T], side: Callable[[T], float]) -> list[T]:
    """Units that are ordered within each side: the winner's before the others; in turns if nobody won, the leader's first."""
    ahead = facts.ahead(facts.difference) if facts.winner is None else facts.winner
    own = [unit for unit in units if facts.ahead(side(unit)) == ahead]
    others = [unit for unit in units if facts.ahead(side(unit)) != ahead]
    if facts.winner is not None:
        return [*own, *others]
    return [unit for both in zip_longest(own, others) for unit in both if unit is not None]


def _contradiction_of(
    facts: Facts, buckets: Sequence[Bucket], slices: Sequence[Comparison], family: Family | None
) -> Contradiction | None:
    """Datasets, buckets and slices on which the system that the verdict favours is significantly worse.

    A difference that was tested against a `delta` says nothing about who is better.
    """
    if facts.delta:
        return None
    groups: list[tuple[list[Look], str]] = []
    for column in dict.fromkeys(bucket.column for bucket in buckets):
        looks = holm([_look_at(facts, bucket) for bucket in buckets if bucket.column == column])
        groups.append((looks, phrases.corrected_by(None, column if column == DATASET else "subset", len(looks))))
    groups.append((_looks_at(slices), phrases.corrected_by(family, "slice", len(slices))))
    decided = facts.winner is not None
    first = facts.winner if decided else facts.ahead(facts.difference)
    return in_words(
        [
            (find(verdict_claims(facts.systems, first, looks, facts.alpha, decided=decided), looks, facts.alpha), correction)
            for looks, correction in groups
        ],
        decided=decided,
    )


def _look_at(facts: Facts, part: Bucket) -> Look:
    """A part of the data as a look, with its p before any correction; 1 if nobody is ahead there."""
    ahead = facts.ahead(part.difference)
    # A test of medians or ranks may reject on the other side of the metric, which its interval shows.
    turned = (part.difference > 0 and part.high is not None and part.high < 0) or (
        part.difference < 0 and part.low is not None and part.low > 0
    )
    p = 1.0 if ahead is None or turned else part.p.claimed
    where = f"on {part.value}" if part.column == DATASET else f"on {part.column} = {part.value}"
    return Look.of(where, facts.systems, ahead or 0, p, (part.first, part.second))


def _looks_at(slices: Sequence[Comparison]) -> list[Look]:
    """Slices that were decided, by their corrected p."""
    looks = []
    for c in slices:
        if c.decision.winner is not None and c.slice is not None:
            where = f"on {c.slice.column} = {c.slice.value}"
            values = (c.scores[0].value, c.scores[1].value)
            looks.append(Look.of(where, c.systems, c.decision.winner, c.p.deciding, values))
    return looks


def omission_of(alignment: Alignment, unpaired: Unpaired | None) -> str:
    """A sentence if more than a tenth of the items are left out because one system lacks them; else nothing."""
    out, common = alignment.only_a + alignment.only_b, alignment.common
    if unpaired is not None or out <= MAX_LEFT_OUT * (out + common):
        return ""
    share = format_percent(round(out / (out + common), 3))
    compared = f"Only {common:,} of {count(out + common, 'item')} are compared"
    return f"{compared}: the other {share} have a score from one system only."


def _unit(numbers: Numbers) -> tuple[str, str]:
    """What the comparison counts, and the words that follow the number of them."""
    design, systems, unpaired, part = numbers["design"], numbers["systems"], numbers.get("unpaired"), numbers.get("slice")
    noun, more = design.noun, ""
    if unpaired is not None:
        more = f" ({unpaired.n[0]:,} of {systems[0]} and {unpaired.n[1]:,} others of {systems[1]})"
    if design.unit_size != 1:
        noun, more = "unit", f" of {design.unit_size} {design.noun}s"
    if numbers["clusters"] is not None:
        more += f" in {count(numbers['clusters'], design.group)}"
    if design.datasets > 1:
        more += f" of {design.datasets} datasets"
    if part is not None:
        more += f" with {part.column} = {part.value}"
    return noun, more


def _direction(p: PValue) -> Side | None:
    """The side that the test itself favours, where it says so."""
    from outscore.inference.registry import TESTS

    entry = TESTS.get(p.test)
    return None if entry is None or entry.lean is None else sign(entry.lean(p))


def verdict(facts: Facts) -> Verdict:
    """The answer in plain words, then the evidence."""
    (a, b), metric, bayes = facts.systems, facts.metric, facts.bayes
    if facts.identical and not facts.delta:
        same = f"{a} and {b} scored identically on every item; {metric} {facts.values[0]}"
        return Verdict("No winner", f"{same}; {facts.p_text}, {facts.test}.", None, facts.decision.claim)
    first = facts.winner or 0
    lower = "" if facts.higher_is_better else " (lower is better)"
    parts = [
        "" if bayes is None else f"posterior probabilities (bayes): {phrases.posterior_phrase(bayes, facts.systems)}",
        f"{metric} {facts.values[first]} against {facts.values[1 - first]}{lower}",
        f"difference {facts.gap()}",
        f"{facts.p_text}, {facts.test}",
        f"a claim about {facts.claim}" if facts.claim else "",
        _contradiction(facts),
        _within_margin(facts),
        _beyond_margin(facts),
        _not_shown(facts),
    ]
    evidence = "; ".join(part for part in parts if part)
    if facts.winner is None:
        headline, why = _shown_by_margin(facts) or _no_winner(facts)
        return Verdict(headline, f"{why}; {evidence}.", None, facts.decision.claim)
    judged = ""
    if facts.about:
        judged = f", judged by the {facts.about}"
    elif bayes is not None:
        judged = " by the permutation test"
    headline = f"{facts.systems[first]} outscored {facts.systems[1 - first]}{facts.beyond}{judged}"
    return Verdict(headline, f"{evidence}.", facts.winner, facts.decision.claim)


def sentence(facts: Facts, *, n: int, noun: str = "item", more: str = "") -> str:
    """One sentence to paste into a paper: sizes, scores, difference, interval, test, p.

    `noun` is what `n` counts, and `more` says something about it: ``" in 15 clusters"``.
    """
    where = f"On {count(n, noun)}{more}" + (f", {facts.repeats}" if facts.repeats else "")
    if facts.identical and not facts.delta:
        a, b = facts.systems
        return f"{where}, {a} and {b} scored identically ({facts.metric} {facts.values[0]})."
    sides = "two-sided" if facts.alternative == "two-sided" else "one-sided"
    evidence = f"({facts.gap(confidence=True)}; {facts.test}, {sides}, {facts.p_text})"
    about = f"the claim is about {facts.claim}" if facts.claim else ""
    clauses = (_margin_clause, _within_margin, _beyond_margin, _contradiction, _posterior)
    rest = [about, *(clause(facts) for clause in clauses)]
    return "; ".join([f"{where}, {_finding(facts)} {evidence}", *(part for part in rest if part)]) + "."


def _finding(facts: Facts) -> str:
    """The claim of the sentence, up to the evidence in brackets."""
    (a, b), (value_a, value_b), level = facts.systems, facts.values, f"at the {format_level(facts.alpha)} level"
    if facts.winner is not None:
        first, second = facts.winner, 1 - facts.winner
        judged = f", judged by the {facts.about}," if facts.about else ""
        better = f"{facts.systems[first]} ({facts.metric} {facts.values[first]}) is better than {facts.systems[second]}"
        return f"{better} ({facts.values[second]}){facts.beyond}{judged} {level}"
    if facts.about:
        of = " of the differences" if facts.interval is not None and facts.interval.estimand == "pseudomedian" else ""
        between = f"the {facts.about}{of} between {a} ({facts.metric} {value_a}) and {b} ({value_b})"
    else:
        between = f"the difference in {facts.metric} between {a} ({value_a}) and {b} ({value_b})"
    if facts.unsettled:
        return f"{between} cannot be called significant {level}, which lies between the bounds of p"
    if facts.delta:
        return f"{between} {'differs' if facts.rejected else 'does not differ'} significantly from {facts.delta:g} {level}"
    if facts.disagree:
        return f"{between} is statistically significant {level}, but not in the direction of the {facts.metric}"
    return f"{between} is not statistically significant {level}"


def _no_winner(facts: Facts) -> tuple[str, str]:
    """That nobody won, and why. Undecided never means equal."""
    alpha = facts.level
    start = "No winner" if facts.bayes is None else "No winner by the permutation test"
    if facts.unsettled:
        cure = "use more resamples" if facts.p.method == "monte-carlo" else "choose another method"
        return start, f"undecided, because {alpha} lies between the bounds of p ({cure})"
    if facts.disagree:
        return start, _disagreement(facts)
    if facts.smallest_p > facts.alpha:
        few = f"{count(facts.p.n, facts.units)} are too few for a significant difference at {alpha}"
        if facts.p.n == 1:
            few = f"one {facts.units} is not enough for a significant difference at {alpha}"
        return start, f"{few}: the smallest possible p is {format_probability(facts.smallest_p)}"
    return start, _not_told_apart(facts)


def _not_told_apart(facts: Facts) -> str:
    """What the data do not show, or what they show about a requested difference."""
    (a, b), alpha = facts.systems, facts.level
    if facts.delta and facts.rejected:
        side = "above" if facts.side > 0 else "below"
        return f"{a} - {b} lies {side} {facts.delta:g} at {alpha}, so neither wins"
    if facts.delta:
        return f"the data cannot tell {a} - {b} apart from {facts.delta:g} at {alpha}"
    if facts.alternative in ("greater", "less"):
        better, worse = (a, b) if facts.alternative == "greater" else (b, a)
        return f"the data do not show that {better} is better than {worse} at {alpha}"
    return f"the data cannot tell {a} and {b} apart at {alpha}"


def _disagreement(facts: Facts) -> str:
    """Why there is no winner where the test favours one system and the metric the other, or neither."""
    rejection = f"the {facts.test} rejects at {facts.level}"
    about = f"the {facts.about}" if facts.about else "its statistic"
    if facts.side == 0:
        return f"{rejection}, but {about} is {facts.delta:g}, so there is no winner"
    if facts.delta:
        side = "above" if facts.side > 0 else "below"
        return f"{rejection} with {about} {side} {facts.delta:g}, but the difference in {facts.metric} is not"
    ahead = 0 if (facts.side > 0) == facts.higher_is_better else 1
    same = f"the two have the same {facts.metric}"
    but = f"{facts.systems[1 - ahead]} has the better {facts.metric}" if facts.difference else same
    return f"{rejection} in favour of {facts.systems[ahead]}, judged by {about}, but {but}"


def _contradiction(facts: Facts) -> str:
    """One clause where the interval and p point different ways: p decides."""
    interval, at = facts.interval, f"{facts.delta:g}"
    if interval is None:
        return ""
    inside = (interval.low is None or interval.low <= facts.delta) and (interval.high is None or facts.delta <= interval.high)
    noun = f"the {phrases.interval_kind(interval)}"
    if facts.unsettled:
        why = f"{noun} excludes {at} because it is based on p alone, whereas the decision uses the bounds of p"
        return "" if inside else why
    if inside and facts.rejected and not interval.dual:
        return f"{noun} contains {at} although p does not exceed alpha, because it does not come from inverting this test"
    corrected = facts.p.upper <= facts.alpha
    if inside or facts.rejected or (interval.dual and not corrected):
        return ""
    if corrected:
        return f"{noun} excludes {at} because it is not corrected for the number of comparisons"
    return f"{noun} excludes {at} although p exceeds alpha, because it does not come from inverting this test"


def _within_margin(facts: Facts) -> str:
    """One clause where the winner's lead is shown to be smaller than the margin."""
    margin = facts.margin
    if facts.winner is None or margin is None or not margin.equivalence.rejects(facts.alpha):
        return ""
    p = phrases.equivalence_phrase(margin.equivalence, facts.alpha)
    return f"yet the two differ by less than the margin of {margin.value:g} ({p})"


def _beyond_margin(facts: Facts) -> str:
    """One clause where the margin is shown although the interval, whose level is higher than its tests', extends beyond it."""
    margin, interval = facts.margin, facts.interval
    if margin is None or interval is None:
        return ""
    ends = [interval.low, None if interval.high is None else -interval.high]
    if not margin.equivalence.rejects(facts.alpha):
        if facts.decision.claim != "non-inferior":
            return ""
        ends = ends[:1] if facts.higher_is_better else ends[1:]
    if all(end is None or end >= -margin.value for end in ends):
        return ""
    noun, level = phrases.interval_noun(interval), format_percent(1 - 2 * facts.alpha)
    return f"the {noun} extends beyond the margin, whose tests at {format_level(facts.alpha)} correspond to a {level} CI"


def _shown_by_margin(facts: Facts) -> tuple[str, str] | None:
    """What a margin shows where nobody won, if anything: the headline and the reason."""
    (a, b), margin, claim = facts.systems, facts.margin, facts.decision.claim
    if margin is None or claim == "undecided":
        return None
    size, by = f"{margin.value:g}", facts.by
    if claim == "equivalent":
        p = phrases.equivalence_phrase(margin.equivalence, facts.alpha)
        return "No winner, but equivalent", f"{a} and {b} differ by less than {size}{by} at {facts.level} ({p})"
    p = phrases.noninferiority_phrase(margin.noninferiority, facts.alpha)
    shown = f"it is worse than {b} by less than {size}{by}, if at all, at {facts.level} ({p})"
    return f"No winner, but {a} is not inferior", shown


def _margin_clause(facts: Facts) -> str:
    """What a margin shows where nobody won, or that it shows nothing, as a clause of the sentence."""
    margin = facts.margin
    if margin is None or facts.winner is not None:
        return ""
    shown = phrases.margin_clause(facts.decision.claim, margin, facts.systems, facts.alpha, facts.by)
    return shown or _not_shown(facts)


def _not_shown(facts: Facts) -> str:
    """That nobody won, and a requested margin is not shown either."""
    margin, (a, b) = facts.margin, facts.systems
    if margin is None or facts.decision.claim != "undecided":
        return ""
    p = phrases.noninferiority_phrase(margin.noninferiority, facts.alpha)
    return f"nor is it shown that {a} is non-inferior to {b} with a margin of {margin.value:g}{facts.by} ({p})"


def _posterior(facts: Facts) -> str:
    return "" if facts.bayes is None else f"posterior probabilities: {phrases.posterior_phrase(facts.bayes, facts.systems)}"


def agreement(comparisons: Sequence[Comparison], correction: str, claim: JointClaim | None = None) -> Verdict:
    """Whom several metrics favour, and how many of them significantly after `correction`; headlines have no full stop.

    If metrics contradict each other, a `claim` about all of them that is shown settles the verdict.
    """
    m, leaders = len(comparisons), [name for c in comparisons if (name := _ahead(c)) is not None]
    if not leaders:
        return Verdict(f"{'Neither metric' if m == 2 else f'None of the {m} metrics'} sees a difference")
    winners = [c.systems[c.decision.winner] for c in comparisons if c.decision.winner is not None]
    corrected = "without correction" if correction == phrases.NO_CORRECTION else f"after correction ({correction})"
    significant = f"{len(winners) or 'none'}{f' of {m}' if winners else ''} significantly {corrected}"
    if len(set(winners)) > 1:
        return _contradicting(comparisons, f"each system wins by at least one of the {m}, {significant}.", claim)
    if len(set(leaders)) == 1:
        tied = m - len(leaders)
        favour = f"{leaders[0]}, {significant}"
        if not tied:
            return Verdict(f"{'Both' if m == 2 else f'All {m}'} metrics favour {favour}")
        some = f"{len(leaders)} of {m} metrics favour{'s' if len(leaders) == 1 else ''} {favour}"
        return Verdict(f"{some}; the other{' sees' if tied == 1 else f' {tied} see'} no difference")
    # A lead that is not significant contradicts nothing.
    if not winners:
        which = "either metric" if m == 2 else f"any of the {m} metrics"
        return Verdict(f"No winner by {which} {corrected}")
    others = m - len(winners)
    rest = f"the other{' shows' if others == 1 else f' {others} show'} no significant difference"
    return Verdict(f"{winners[0]} wins by {significant}; {rest}")


def _contradicting(comparisons: Sequence[Comparison], wins: str, claim: JointClaim | None) -> Verdict:
    """The verdict where metrics contradict each other: the claim about all of them, if it is shown."""
    if claim is None or not claim.holds:
        return Verdict("The metrics contradict each other", wins)
    lost = " and ".join(c.metric for c in comparisons if c.decision.winner == c.systems.index(claim.other))
    return Verdict(f"The claim is shown: {claim.claim}", f"{claim.other} wins by {lost}, within the margin; {wins}")


def _ahead(c: Comparison) -> str | None:
    return None if c.difference == 0 else c.systems[int((c.difference > 0) != c.higher_is_better)]


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

    def ahead(self, difference: float) -> int | None:
        """The system that a difference A - B favours; None if it favours none."""
        return None if difference == 0 else int((difference > 0) != self.higher_is_better)

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
        return phrases.SHORT_ESTIMANDS[self.interval.estimand]

    @property
    def by(self) -> str:
        """The same after a size."""
        return f" in the {self.about}" if self.about else ""

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
        return phrases.method_phrase(self.p)

    def gap(self, *, confidence: bool = False) -> str:
        """The difference and its interval."""
        a, b = self.systems
        text = f"{a} - {b} = {format_number(self.difference, self.decimals, sign=True)}"
        if self.interval is None:
            return text
        join = "; " if self.about else ", "
        return f"{text}{join}{phrases.interval_phrase(self.interval, self.decimals, confidence=confidence)}"

"""Words for rankings: who leads, whom it cannot be told apart from, and one line that makes the numbers reproducible.

Systems that cannot be told apart are never called equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from outscore.core.records import dataclass
from outscore.inference.populations import claim_of
from outscore.language.numbers import count, format_level, format_number, format_probability
from outscore.language.phrases import (
    NO_CORRECTION,
    corrected_by,
    correction_name,
    join_words,
    method_phrase,
    name_of_test,
    pairs_that_differ,
)
from outscore.results.design import Family, Verdict
from outscore.results.pvalue import Kind, PValue
from outscore.results.ranking import RankDesign, Standing

SHOWN = 3
"""How many names a sentence lists; it counts the rest."""


@dataclass(frozen=True)
class Claims:
    """What the tests say about the leader, or about the baseline where there is one.

    `about` is that system; `better` and `worse` are the systems significantly better and worse than it, `tied` those that
    cannot be told apart from it, `strangers` those it shares no item with. `kind` says how the p-values were computed,
    `datasets_test` which test was used on each dataset, if not that of the macro average.
    """

    about: str
    better: Sequence[str]
    worse: Sequence[str]
    tied: Sequence[str]
    kind: Kind
    strangers: Sequence[str] = ()
    datasets_test: str | None = None

    @property
    def apart(self) -> str:
        """A clause about the systems that were not compared with it."""
        return f", and shares no item with {join_words(self.strangers, SHOWN)}" if self.strangers else ""


BothMeasured = tuple[str, float, float, float | None]
"""A measure, the scores of the two systems of a claim, and its margin if it has one."""


def domination_sentence(systems: tuple[str, str], measured: Sequence[BothMeasured], adjusted: float) -> str:
    """That the first system dominates the second, with what it gains, and the p that shows it.

    Examples
    --------
    >>> measured = [("quality", 0.801, 0.805, 0.02), ("cost", 0.11, 0.69, None), ("wins", 2, -1, None)]
    >>> domination_sentence(("birch", "atlas"), measured, 0.00312)
    'birch is as good as atlas in quality within 0.02, 84% lower in cost and 3 higher in wins (adjusted p = .00312).'
    >>> domination_sentence(("birch", "atlas"), measured[1:2], 0.04)
    'birch is better than atlas: 84% lower in cost (adjusted p = .0400).'
    """
    within = [f"{measure} within {margin:g}" for measure, *_, margin in measured if margin is not None]
    gains = [_gain(measure, one, other) for measure, one, other, margin in measured if margin is None]
    first, second = systems
    if within:
        gains = [f"{first} is as good as {second} in {join_words(within)}", *gains]
        said = join_words(gains)
    else:
        said = f"{first} is better than {second}: {join_words(gains)}"
    return f"{said} (adjusted p = {format_probability(adjusted)})."


WHOLE_PERCENT = 99.5
"""Larger shares are written without an exponent."""


def _gain(measure: str, first: float, second: float) -> str:
    """The difference as a share of the second system's score, if both are above 0."""
    difference = first - second
    size = f"{abs(difference):.3g}"
    if min(first, second) > 0:
        share = 100 * abs(difference) / second
        size = f"{share:.2g}%" if share < WHOLE_PERCENT else f"{share:,.0f}%"
    return f"{size} {'higher' if difference > 0 else 'lower'} in {measure}"


def ranking_verdict(
    top: Standing, claims: Claims, family: Family, alpha: float, *, baseline: bool, called: str = ""
) -> Verdict:
    """The answer in one or two sentences; scores are `called` so, or by the metric."""
    if not top.counts.testable:
        return Verdict(_strangers(top), "nothing could be tested.")
    evidence = f"{_test(top, claims)}, {corrected_by(family, 'test')}, alpha = {format_level(alpha)}"
    if baseline:
        return _baseline_verdict(claims, evidence)
    if claims.better:
        others = f"{join_words(claims.better, SHOWN)} {'is' if len(claims.better) == 1 else 'are'}"
        ahead = f"{claims.about} is ahead on average, but {others} significantly better on the shared items"
        return Verdict("No clear leader", f"{ahead} ({evidence}).")
    equals = _equals(top, claims)
    score = f"{called or top.metric} {format_number(top.scores[0].value)}"
    if not claims.worse:
        return Verdict("No winner", f"{_undecided(top, claims, equals, score)} ({evidence}).")
    lead = f"{claims.about} leads with {score}" if len(equals) < 2 else f"{join_words(equals, SHOWN)} share the best {score}"
    if top.ordered_by != "score":
        # Scores on different items are not comparable, so the leader's score explains nothing.
        lead = f"{claims.about} leads"
    subject = "" if len(equals) < 2 else f"{claims.about} is "
    tied = f"; it cannot be told apart from {join_words(claims.tied, SHOWN)}" if claims.tied else ""
    why = f"{subject}significantly better than {_whom(claims.worse, top)}{tied}{claims.apart} ({evidence})."
    alone = not claims.tied and not claims.strangers
    return Verdict(lead, why, 0 if alone else None, "better" if alone else "undecided")


def _undecided(top: Standing, claims: Claims, equals: Sequence[str], score: str) -> str:
    """Who has the best score, and why that settles nothing."""
    left, others = [name for name in claims.tied if name not in equals], len(top.systems) - 1
    why = []
    if left:
        everyone = {1: "the other system", 2: "either of the other systems"}.get(others, f"any of the {others:,} other systems")
        why.append(f"cannot be told apart from {everyone if len(left) == others else join_words(left, SHOWN)}")
    if claims.strangers:
        why.append(f"shares no item with {join_words(claims.strangers, SHOWN)}")
    if len(equals) < 2:
        # On different items, the leader need not have the best score.
        best = f"has the best {score}" if top.ordered_by == "score" else "is ahead on the shared items"
        return f"{claims.about} {best}, but it {' and '.join(why)}"
    return ", and ".join([f"{join_words(equals, SHOWN)} share the best {score}", *why])


def _strangers(top: Standing) -> str:
    names = top.systems
    return f"{names[0]} and {names[1]} share no item" if len(names) == 2 else f"No two of {len(names):,} systems share an item"


def _equals(top: Standing, claims: Claims) -> list[str]:
    """The systems with the leader's score, itself included; scores on different items are not compared."""
    if top.ordered_by != "score":
        return [claims.about]
    return [s.system for s in top.scores if s.value == top.scores[0].value]


def _whom(names: Sequence[str], top: Standing) -> str:
    """How many of the other systems, in words where it is all of them."""
    others = len(top.systems) - 1
    if len(names) < others:
        return f"{len(names):,} of {others:,} other systems"
    return {1: "the other system", 2: "both other systems"}.get(others, f"all {others:,} other systems")


def _baseline_verdict(claims: Claims, evidence: str) -> Verdict:
    """The headline counts the systems that are better; the others follow."""
    if not claims.better:
        return Verdict(f"{_against_baseline(claims)} ({evidence}).")
    others = _baseline_parts(claims)[1:]
    headline = f"{_are(claims.better)} significantly better than {claims.about}"
    return Verdict(headline, f"{'; '.join([join_words(claims.better, SHOWN), *others])} ({evidence}).", None, "better")


def _baseline_parts(claims: Claims) -> list[str]:
    """The systems that are better, worse, and those that cannot be told apart from the baseline."""
    parts = []
    if claims.better:
        parts.append(f"{_are(claims.better)} significantly better than {claims.about}: {join_words(claims.better, SHOWN)}")
    if claims.worse:
        parts.append(f"{_are(claims.worse)} significantly worse{'' if claims.better else f' than {claims.about}'}")
    if claims.tied:
        whom = "it" if parts else claims.about
        parts.append(f"{len(claims.tied)} cannot be told apart from {whom}")
    return parts


def _against_baseline(claims: Claims) -> str:
    if not claims.better and not claims.worse and not claims.tied:
        return f"No system shares an item with {claims.about}"
    if not claims.better and not claims.worse:
        return f"No system can be told apart from {claims.about}"
    return "; ".join(_baseline_parts(claims))


def _are(names: Sequence[str]) -> str:
    return f"{count(len(names), 'system')} {'is' if len(names) == 1 else 'are'}"


def _test(top: Standing, claims: Claims) -> str:
    p = PValue(1.0, 1.0, 1.0, 0.0, claims.kind, top.kernel, test=top.test)
    if claims.datasets_test is None:
        return f"{method_phrase(p)} for each pair"
    return f"{method_phrase(p)} for each pair's macro average, {name_of_test(claims.datasets_test)} on each dataset"


def design_parts(design: RankDesign) -> list[str]:
    """What was swapped, in parts, starting with the number of items.

    Examples
    --------
    >>> design_parts(RankDesign(60, unit_size=7, units=8, remainder=4))
    ['60 items', '8 units of 7', '4 left over']
    >>> design_parts(RankDesign(18725, "word", "sentence", 1000)), design_parts(RankDesign(198, repeats=5.0))
    (['18,725 words in 1,000 sentences, swapped as one'], ['198 items', '5 runs each, averaged'])
    """
    parts = [count(design.items, design.noun)]
    if design.clusters is not None:
        parts[0] += f" in {count(design.clusters, design.group)}, swapped as one"
    if design.repeats != 1.0:
        often = "" if design.repeats.is_integer() or design.repeats_range else " on average"
        averaging = f"reduced to {design.reduced}" if design.reduced else "averaged"
        times = "{} to {}".format(*design.repeats_range) if design.repeats_range else f"{design.repeats:.4g}"
        parts.append(f"{times} {design.repeat_kind or 'runs'} each{often}, {averaging}")
    if design.unit_size > 1:
        middle = "" if design.unit_statistic == "mean" else f", each by its {design.unit_statistic}"
        units = "units" if design.units is None else count(design.units, "unit")
        shared = " among those a pair shares" if design.units is None else ""
        parts.append(f"{units} of {design.unit_size}{middle}{shared}")
        if design.shuffle is not None:
            parts.append(f"shuffled with seed {design.shuffle}")
        if design.remainder:
            parts.append(f"{design.remainder:,} left over")
    return parts


def ranking_sentence(
    top: Standing,
    claims: Claims,
    family: Family,
    alpha: float,
    *,
    design: RankDesign,
    datasets: int,
    baseline: bool,
    further: Sequence[tuple[Standing, Claims]] = (),
    population: str = "items",
) -> str:
    """One sentence to paste into a paper; `further` metrics belong to the same family, and each has its clause."""
    size, *more = design_parts(design)
    where = f"On {size}" + (f" ({'; '.join(more)})" if more else "")
    where += f" from {datasets} datasets (macro average)" if datasets > 1 else ""
    if not top.counts.testable:
        return f"{where}, {_strangers(top)}, so nothing could be tested."
    if top.ordered_by != "score":
        where += f", each pair on the {design.noun}s that both systems have"
    every = [(top, claims), *further]
    head = f"{where}, {count(len(top.systems), 'system')} were compared by {join_words([s.metric for s, _ in every])}"
    used: dict[str, list[str]] = {}
    for standing, its in every:
        used.setdefault(_test(standing, its), []).append(standing.metric)
    tests = [f"{join_words(metrics)}: {test}" if len(used) > 1 else test for test, metrics in used.items()]
    name = correction_name(family.correction)
    corrected = "p not corrected" if name == NO_CORRECTION else f"{name}-corrected p"
    pairs = f"{'; '.join(tests)}, two-sided, {corrected}"
    held = f"{family.error_rate} {format_level(alpha)}, {count(family.m, 'test')}"
    findings = [_finding(standing, its, baseline=baseline) for standing, its in every]
    if further:
        findings = [f"by {standing.metric}, {clause}" for (standing, _), clause in zip(every, findings, strict=True)]
    if design.repeat_kind is not None:
        findings.append(f"the claims are about {claim_of(population, design.repeat_kind)}")
    return f"{head} ({pairs}; {held}): {'; '.join(findings)}."


def _finding(standing: Standing, claims: Claims, *, baseline: bool) -> str:
    """How many pairs differ, and what that means for the leader or the baseline."""
    return f"{pairs_that_differ(standing.counts)}; {_against_baseline(claims) if baseline else _leader(standing, claims)}"


def _leader(top: Standing, claims: Claims) -> str:
    if claims.better:
        others = f"{join_words(claims.better, SHOWN)} {'is' if len(claims.better) == 1 else 'are'}"
        return f"{claims.about} is ahead on average, but {others} significantly better on the shared items"
    equals = _equals(top, claims)
    if len(equals) > 1:
        # Their scores are equal, so the table says what one of them beats.
        return f"{join_words(equals, SHOWN)} rank first with equal scores"
    first = f"{claims.about} ranks first"
    if claims.worse:
        first += f", significantly ahead of {count(len(claims.worse), 'system')}"
    if not claims.tied:
        return first
    return f"{first}, {'and' if claims.worse else 'but'} cannot be told apart from {join_words(claims.tied, SHOWN)}"

"""Phrases for tests and how p was computed, for what an interval is about, posterior probabilities and margins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from outscore.inference.populations import claim_of, own_test
from outscore.language import numbers
from outscore.results.comparison import Bayes, Comparison, Margin
from outscore.results.design import HOLM, Claim, Design, Family
from outscore.results.pvalue import CONVOLUTIONS, Interval, PValue

if TYPE_CHECKING:
    from outscore.results.ranking import PairCounts

MOST_TIMES = 100
"""How many times as much data is counted."""

NO_CORRECTION = "no correction"
"""Takes the place of a correction's name where there is none."""
SINGLE_RUNS = "Single runs: whether the difference would hold for other training runs is not tested. That takes several runs."
"""What one run of each system leaves open, whatever the metric."""
# Names of the estimands; the difference in the metric needs no further name.
ESTIMANDS = {
    "difference": "difference",
    "median": "median difference",
    "pseudomedian": "pseudomedian (Hodges-Lehmann)",
    "shift": "shift (Hodges-Lehmann)",
}
SHORT_ESTIMANDS = {**ESTIMANDS, "pseudomedian": "pseudomedian", "shift": "shift"}

KERNELS = {
    "bounded-mean": "test of a bounded mean (Gaffke)",
    "bounded-means": "test of two bounded means (Gaffke, melded)",
    "crashes": "bound on unseen crashes (Gaffke)",
    "miettinen-nurminen": "score test of Miettinen and Nurminen",
    "tango": "Tango score test",
    "unseen-loss": "test of an unseen loss",
    "welch": "Welch t test of runs within items",
}
"""Kernels that are named as tests: they are used for differences other than 0."""


TERMS = {
    "exact": "p was computed over all ways to swap the two systems' scores, without sampling and without assuming a shape.",
    "Monte Carlo": "p was estimated from random swaps, because an exact one would take too long. The number after ± bounds the"
    " error of sampling.",
    "certified": "p, or an end of an interval, lies between two bounds that are proven, not sampled. They are shown if they are"
    " apart.",
    "mid-p": "p with only half of the probability of the observed value itself. Exact tests of few items are cautious, because"
    " p can take few values; mid-p shows how cautious. The verdict always uses p.",
    "adjusted p": "p after correction for the number of comparisons made at once. Read it as you would read p.",
    "dual to the test": "An interval that holds exactly the differences that the test does not reject, so that it excludes 0 if"
    " and only if p is at most alpha. One that is not dual may disagree with p near alpha.",
    "d_z": "Cohen's effect size for paired data: the mean difference divided by the standard deviation of the differences. It"
    " says how regular a difference is from item to item, not how large it is in points.",
    "power": "How often data like these would show a true difference of a given size. .80 is the usual aim.",
    "fragility": "How many items would have to be swapped between the systems before the verdict changed. One or two is a"
    " warning that a few mislabelled items could decide.",
    "clusters": "Items that depend on one another, such as turns of one conversation. They are swapped as one, and p counts"
    " them, not the items.",
    "groups": "Systems that share a letter cannot be told apart.",
    "ranks": "The places that the tests leave open for a system. All systems whose ranks begin with 1 share the lead.",
    "signature": "All that another person needs to compute the same number: metric, test, method, number of items, options and"
    " version. It belongs in the appendix of a paper.",
}
"""What reports call by names that few readers know: their glossary, and that of the guide, are made of this."""


def sides_called(systems: tuple[str, str]) -> tuple[str, str]:
    """What headings call the two systems: A and B, or their names where a system is named by the other one's letter.

    Examples
    --------
    >>> sides_called(("new", "old")), sides_called(("B", "A")), sides_called(("a", "base"))
    (('A', 'B'), ('B', 'A'), ('A', 'B'))
    """
    first, second = systems
    taken = first.strip().upper() == "B" or second.strip().upper() == "A"
    return systems if taken else ("A", "B")


def legend(systems: tuple[str, str]) -> str:
    """Which systems the names in headings stand for.

    Examples
    --------
    >>> legend(("new", "old")), legend(("B", "A"))
    ('A = new, B = old', 'B against A')
    """
    letters = sides_called(systems)
    if letters == systems:
        return f"{systems[0]} against {systems[1]}"
    return f"{letters[0]} = {systems[0]}, {letters[1]} = {systems[1]}"


LONG_NAME, FEWEST_LETTERS = 14, 3
"""Longer names are shortened after their first mention, but not to fewer letters."""
NAME_PARTS = re.compile(r"[^\W_]+|[\W_]")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """What to call systems after their first mention: without what all names begin and end with.

    Examples
    --------
    >>> short_names(["runs_gpt-5/results", "runs_sonnet/results"])
    {'runs_gpt-5/results': 'gpt-5', 'runs_sonnet/results': 'sonnet'}
    >>> short_names(["new", "old"]), short_names(["checkpoint-step-1", "checkpoint-step-2"])
    ({'new': 'new', 'old': 'old'}, {'checkpoint-step-1': 'step-1', 'checkpoint-step-2': 'step-2'})
    >>> list(short_names(["openai/gpt-5-nano-2025", "openai/gpt-5.4-mini-2026"]).values())
    ['gpt-5-nano-2025', 'gpt-5.4-mini-2026']
    """
    if len(set(names)) < 2 or max(map(len, names)) <= LONG_NAME:
        return {name: name for name in names}
    parts = [NAME_PARTS.findall(name) for name in names]
    first, last = _shared(parts), _shared([part[::-1] for part in parts])
    for start in range(first, -1, -1):
        for end in range(last if start == first else 0, -1, -1):
            short = ["".join(part[start : len(part) - end]).strip(" -_./") for part in parts]
            begin_well = all(name[:1].isalpha() for name in short)
            if begin_well and len(set(short)) == len(set(names)) and min(map(len, short)) >= FEWEST_LETTERS:
                return dict(zip(names, short, strict=True))
    return {name: name for name in names}


def _shared(parts: Sequence[Sequence[str]]) -> int:
    """How many parts all names begin with."""
    return next((i for i, each in enumerate(zip(*parts, strict=False)) if len(set(each)) > 1), min(map(len, parts)))


def difference_called(systems: tuple[str, str]) -> str:
    """The heading of a difference: `A - B`, or the names where letters would mislead."""
    return " - ".join(sides_called(systems))


def name_of_test(test: str) -> str:
    """What people call a test, from its registry entry.

    Examples
    --------
    >>> name_of_test("student"), name_of_test("new")
    ('paired t test', 'new test')
    """
    from outscore.inference.registry import TESTS

    entry = own_test(test)
    if entry is not None:
        return entry.phrase
    return TESTS[test].phrase if test in TESTS else f"{test} test"


def method_phrase(p: PValue) -> str:
    """The test and how its p-value was computed.

    Examples
    --------
    >>> method_phrase(PValue(0.5, 0.5, 0.5, -0.3, "exact", "lattice"))
    'exact paired permutation test'
    """
    from outscore.inference.registry import TESTS

    if p.kernel in KERNELS:
        return KERNELS[p.kernel]
    test = name_of_test(p.test)
    entry = own_test(p.test) or TESTS.get(p.test)
    if entry is not None and entry.kind_in_phrase:
        return test
    match p.method:
        case "exact":
            return f"exact {test}"
        case "certified":
            return f"{test} by {p.kernel}" if p.kernel in CONVOLUTIONS else f"{test} with certified bounds"
        case "monte-carlo":
            return f"Monte Carlo {test}"
        case _:
            return f"asymptotic {test}"


def repeats_phrase(design: Design, systems: tuple[str, str]) -> str:
    """How often the items were run, as words in a sentence; empty where they were run once.

    Examples
    --------
    >>> design = Design(60, 15, 4.0, [], repeat_kind="epochs", repeat_column="sample", repeats_of=(4.0, 4.0))
    >>> repeats_phrase(design, ("new", "old"))
    '4 epochs of each item'
    >>> repeats_phrase(Design(60, 15, 4.0, [], repeat_kind="runs", repeats_of=(3.0, 5.0)), ("new", "old"))
    '3 runs of new and 5 runs of old'
    """
    if design.repeat_kind is None or design.repeats_of is None:
        return ""
    noun = design.repeat_kind.removesuffix("s")
    first, second = (_times(times, noun) for times in design.repeats_of)
    if first != second:
        return f"{first} of {systems[0]} and {second} of {systems[1]}"
    return f"{first} of each {'item' if noun == 'epoch' else 'system'}"


def runs_clause(design: Design, systems: tuple[str, str]) -> str:
    """How several runs were combined, as a clause of a sentence; empty where each item was run once.

    Examples
    --------
    >>> design = Design(60, 15, 4.0, [], repeat_kind="epochs", repeats_of=(4.0, 4.0), reduced="pass@2")
    >>> runs_clause(design, ("new", "old"))
    'by pass@2 of 4 epochs of each item'
    """
    runs = repeats_phrase(design, systems)
    if not runs:
        return ""
    return f"by {design.reduced} of {runs}" if design.reduced else f"averaged over {runs}"


def _times(times: float, noun: str) -> str:
    return numbers.count(int(times), noun) if times == int(times) else f"{times:.3g} {noun}s on average"


def claim_phrase(population: str, design: Design, noun: str = "item") -> str:
    """What a claim about systems that were run several times is about; empty where each item was run once.

    Examples
    --------
    >>> claim_phrase("items-and-runs", Design(60, 15, 4.0, [], repeat_kind="runs"))
    'new items and new runs'
    """
    return "" if design.repeat_kind is None else claim_of(population, design.repeat_kind, noun)


def noninferiority_phrase(p: PValue, alpha: float | None = None) -> str:
    """The p-value of not being worse by a margin, with its test.

    Examples
    --------
    >>> noninferiority_phrase(PValue(0.004, 0.004, 0.004, -2.4, "asymptotic", "tango"))
    'p = .00400, one-sided Tango score test'
    """
    return f"{_with_adjusted(p, alpha)}, one-sided {method_phrase(p)}"


def equivalence_phrase(p: PValue, alpha: float | None = None) -> str:
    """The p-value of lying within a margin, with its tests: the larger p of the two (Schuirmann, 1987).

    Examples
    --------
    >>> equivalence_phrase(PValue(0.01, 0.01, 0.01, -2.0, "asymptotic", "tango"))
    'p = .0100, two one-sided Tango score tests'
    """
    tests = re.sub(r"\btest\b", "tests", method_phrase(p), count=1)
    return f"{_with_adjusted(p, alpha)}, two one-sided {tests}"


def margin_clause(claim: Claim, margin: Margin, systems: tuple[str, str], alpha: float | None, about: str = "") -> str:
    """What a margin shows where nobody won, as a clause; empty where that is nothing."""
    size = f"{margin.value:g}{about}"
    if claim == "equivalent":
        return f"the two are equivalent within a margin of {size} ({equivalence_phrase(margin.equivalence, alpha)})"
    if claim != "non-inferior":
        return ""
    p = noninferiority_phrase(margin.noninferiority, alpha)
    return f"{systems[0]} is non-inferior to {systems[1]} with a margin of {size} ({p})"


def margin_limit_phrase(limit: float, decimals: int, *, higher_is_better: bool) -> str:
    """Where the test at the margin leaves the difference.

    Examples
    --------
    >>> margin_limit_phrase(-0.0313, 4, higher_is_better=True), margin_limit_phrase(0.0313, 4, higher_is_better=False)
    ('is at least -0.0313', 'is at most 0.0313')
    """
    return f"is {'at least' if higher_is_better else 'at most'} {numbers.format_number(limit, decimals)}"


def shown_prefix(p: PValue, alpha: float | None) -> str:
    """The words before a claim about a margin: whether it is shown; empty where no level is known.

    Examples
    --------
    >>> shown_prefix(PValue(0.058, 0.058, 0.058, -1.2, "asymptotic", "tango"), 0.05)
    'not shown: '
    """
    if alpha is None:
        return ""
    return "shown: " if p.rejects(alpha) else "not shown: "


def _with_adjusted(p: PValue, alpha: float | None) -> str:
    adjusted = "" if p.adjusted is None else f", adjusted p = {numbers.format_probability(p.adjusted)}"
    return f"{numbers.format_p(p, alpha, brief=True)}{adjusted}"


def interval_kind(interval: Interval, *, confidence: bool = False) -> str:
    """The kind of interval; `confidence` writes the word out for a paper.

    Examples
    --------
    >>> interval_kind(Interval(0.1, 0.2, 0.95, "inversion", dual=True))
    'interval'
    """
    if interval.method.startswith("posterior"):
        return "posterior interval"
    return "confidence interval" if confidence else "interval"


def interval_noun(interval: Interval | None, *, confidence: bool = False) -> str:
    """The kind of interval with its level, if there is one; `confidence` writes the word out for a paper.

    Examples
    --------
    >>> interval_noun(Interval(0.1, 0.2, 0.95, "inversion", dual=True), confidence=True)
    '95% confidence interval'
    >>> interval_noun(Interval(0.1, 0.2, 0.9, "posterior, Student t", dual=False), confidence=True)
    '90% posterior interval'
    """
    if interval is None:
        return "interval"
    kind = interval_kind(interval, confidence=confidence)
    return f"{numbers.format_percent(interval.level)} {'CI' if kind == 'interval' else kind}"


def interval_phrase(interval: Interval, decimals: int, *, confidence: bool = False) -> str:
    """The interval, after the number it is about unless that is the difference in the metric.

    Examples
    --------
    >>> interval_phrase(Interval(0.01, 0.02, 0.95, "inversion", dual=True), 4)
    '95% CI 0.0100 to 0.0200'
    >>> interval_phrase(Interval(0.0, 0.004, 0.95, "order statistics", dual=False, estimand="median", estimate=0.0007), 4)
    'median difference +0.00070, 95% CI 0.00000 to 0.00400'
    """
    noun, about = interval_noun(interval, confidence=confidence), ESTIMANDS[interval.estimand]
    if interval.estimand == "difference":
        return f"{noun} {numbers.format_interval(interval, decimals)}"
    if interval.estimate is None:
        return f"{noun} of the {about} {numbers.format_interval(interval, decimals)}"
    places = numbers.finer(decimals, interval.estimate)
    estimate = numbers.format_number(interval.estimate, places, sign=True)
    return f"{about} {estimate}, {noun} {numbers.format_interval(interval, places)}"


def posterior_phrase(bayes: Bayes, systems: tuple[str, str]) -> str:
    """The posterior probabilities in the order A, equal, B.

    Examples
    --------
    >>> posterior_phrase(Bayes(0.973, 0.021, 0.006, 0.01), ("A", "B"))
    'A better .973, practically equal (within 0.01) .0210, B better .00600'
    """
    first, equal, second = map(numbers.format_probability, (bayes.a_better, bayes.equal, bayes.b_better))
    middle = f"practically equal (within {bayes.rope:g}) {equal}, " if bayes.rope else ""
    return f"{systems[0]} better {first}, {middle}{systems[1]} better {second}"


def equals_gold(system: str, n: int, noun: str, gold: str = "gold") -> str:
    """That a system is right everywhere, and what that may mean.

    Examples
    --------
    >>> equals_gold("wn", 4882, "span")
    'wn equals gold: all 4,882 spans are right. Check that gold was not given as a system.'
    """
    right = f"its only {noun} is right" if n == 1 else f"all {numbers.count(n, noun)} are right"
    return f"{system} equals {gold}: {right}. Check that {gold} was not given as a system."


def correction_name(correction: str) -> str:
    """What people call a correction, from its registry entry.

    Examples
    --------
    >>> correction_name("bh"), correction_name("holm")
    ('Benjamini-Hochberg', 'Holm')
    """
    from outscore.inference.families import CORRECTIONS

    return CORRECTIONS[correction].phrase if correction in CORRECTIONS else correction


def times_as_much(times: float) -> str:
    """How many times as much data it takes, as far as anybody counts.

    Examples
    --------
    >>> times_as_much(2.91), times_as_much(24.35), times_as_much(2000.0)
    ('about 2.9', 'about 24', 'more than 100')
    """
    if times >= MOST_TIMES:
        return f"more than {MOST_TIMES}"
    return f"about {times:.1f}" if times < 10 else f"about {times:.0f}"


def nearest_to_decided(rival: str, centre: str, effort: str, *, significant: bool, more: str | None = None) -> str:
    """What it would take to decide the undecided pair that is closest to it; `significant` is what it was before correction.

    The short form says how much `more` data it takes, where that is known.

    Examples
    --------
    >>> nearest_to_decided("b", "a", "it takes twice the data", significant=False)
    'b is closest to being told apart from a: it takes twice the data (power .80, before correction)'
    >>> nearest_to_decided("b", "a", "", significant=True)
    'b is closest to being told apart from a: significant before correction, but not after'
    >>> nearest_to_decided("b", "a", "", significant=False, more="80 items")
    '80 items would tell b from a (power .80, before correction)'
    """
    if more is not None and significant:
        return f"{rival} differs from {centre} before correction, but not after"
    if more:
        return f"{more} would tell {rival} from {centre} (power .80, before correction)"
    nearest = f"{rival} is closest to being told apart from {centre}"
    if significant:
        return f"{nearest}: significant before correction, but not after"
    return f"{nearest}: {effort} (power .80, before correction)" if effort else nearest


def sharing(first: int, every: int) -> str:
    """How many systems may be the best.

    Examples
    --------
    >>> sharing(15, 19), sharing(3, 3), sharing(2, 2)
    ('15 of 19 systems share the lead', 'All 3 systems share the lead', 'Both systems share the lead')
    """
    if first < every:
        return f"{first:,} of {every:,} systems share the lead"
    return "Both systems share the lead" if every == 2 else f"All {every:,} systems share the lead"


def join_words(parts: Iterable[str], most: int | None = None) -> str:
    """Parts in a row, in a sentence: all of them, or at most so many and how many more.

    Examples
    --------
    >>> join_words(["BLEU"]), join_words(["BLEU", "chrF", "TER"])
    ('BLEU', 'BLEU, chrF and TER')
    >>> join_words("abc", 2), join_words("abcd", 2)
    ('a, b and c', 'a, b and 2 more')
    """
    listed = list(parts) or [""]
    if most is not None and len(listed) > most + 1:
        listed[most:] = [f"{len(listed) - most:,} more"]
    *others, last = listed
    return f"{', '.join(others)} and {last}" if others else last


def corrected_by(family: Family | None, noun: str, m: int = 0) -> str:
    """By which correction, over how many tests of a kind; Holm over `m` if there is no family.

    Examples
    --------
    >>> corrected_by(None, "dataset", 6), corrected_by(Family("none", "FWER", 2), "slice")
    ('Holm over 6 datasets', 'no correction for 2 slices')
    """
    name, m = (correction_name(HOLM), m) if family is None else (correction_name(family.correction), family.m)
    return f"{name} {'for' if name == NO_CORRECTION else 'over'} {numbers.count(m, noun)}"


def pairs_that_differ(counts: PairCounts) -> str:
    """How many of the pairs that could be tested differ.

    Examples
    --------
    >>> from outscore.results.ranking import PairCounts
    >>> pairs_that_differ(PairCounts(3, 3, 2)), pairs_that_differ(PairCounts(1, 1, 0))
    ('2 of 3 pairs differ significantly', '0 of 1 pair differs significantly')
    """
    verb = "differs" if counts.testable == 1 else "differ"
    return f"{counts.significant:,} of {numbers.count(counts.testable, 'pair')} {verb} significantly"


def better(*, higher: bool) -> str:
    """Which way is up.

    Examples
    --------
    >>> better(higher=False)
    'lower is better'
    """
    return f"{'higher' if higher else 'lower'} is better"


def decimals_of(c: Comparison) -> int:
    """Enough decimals to show that the scores differ."""
    return numbers.decimals_for(*(s.value for s in c.scores), difference=c.difference)

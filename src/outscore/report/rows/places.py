"""What all forms of a ranking share: who beat whom at which level, places, groups, and what the ranking rests on."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Literal

from outscore.core.records import dataclass
from outscore.inference.populations import ITEMS_AND_RUNS, THESE_ITEMS, claim_of
from outscore.language import numbers
from outscore.language.phrases import (
    better,
    correction_name,
    method_phrase,
    name_of_test,
    nearest_to_decided,
    pairs_that_differ,
    short_names,
    times_as_much,
)
from outscore.language.verdict.ranking import design_parts
from outscore.report.document import Fact, clean, statements
from outscore.report.rows.comparison import ERROR_RATES
from outscore.results.design import Family
from outscore.results.note import ON_SCREEN, texts_below
from outscore.results.pvalue import PValue
from outscore.results.ranking import (
    CriticalDifference,
    OtherPopulation,
    RankDesign,
    RankedPair,
    RankedSystem,
    Ranking,
    Standing,
)

Outcome = Literal["better", "worse", "open", "apart"]
FINER = (0.01, 0.001)
FORMS = {"exact": "exact, all orders enumerated", "F": "Iman and Davenport's F", "chi-square": "chi-square"}
RATES = ERROR_RATES | {"PFER": "expected number of false claims (PFER)"}


@dataclass(frozen=True)
class Cell:
    """A pair seen from the system of the row: the outcome, and how many of the bounds its adjusted p meets.

    "open" are systems that cannot be told apart, "apart" those that share no item.
    """

    outcome: Outcome
    level: int
    pair: RankedPair


def bounds_of(alpha: float) -> tuple[float, ...]:
    """The levels that are distinguished: alpha, and the usual stricter ones. A pair that meets none is not significant.

    Examples
    --------
    >>> bounds_of(0.05), bounds_of(0.01)
    ((0.05, 0.01, 0.001), (0.01, 0.001))
    """
    return alpha, *(bound for bound in FINER if bound < alpha)


def adjusted_p(pair: RankedPair) -> float:
    """The p that decides: the adjusted one, or the only one where nothing was corrected."""
    return pair.p.claimed if pair.p.adjusted is None else pair.p.adjusted


def cells(standing: Standing, alpha: float) -> dict[tuple[str, str], Cell]:
    """Every pair that was kept, seen from both sides: (row, column) to cell."""
    seen: dict[tuple[str, str], Cell] = {}
    for pair in standing.pairs:
        first, second = pair.systems
        level = sum(adjusted_p(pair) <= bound for bound in bounds_of(alpha)) if pair.n else 0
        ahead = (pair.difference or 0.0) * (1 if standing.higher_is_better else -1)
        if not pair.n:
            outcomes: tuple[Outcome, Outcome] = ("apart", "apart")
        elif not level or not ahead:
            # A rank test may reject where the means are equal; then there is no direction to show.
            outcomes = ("open", "open")
        else:
            outcomes = ("better", "worse") if ahead > 0 else ("worse", "better")
        seen[first, second] = Cell(outcomes[0], level, pair)
        seen[second, first] = Cell(outcomes[1], level, pair)
    return seen


def wins(system: RankedSystem, k: int) -> int:
    """How many of k systems it is significantly better than."""
    return k - system.rank_high


def losses(system: RankedSystem) -> int:
    """How many systems are significantly better than it."""
    return system.rank_low - 1


def places(standing: Standing) -> list[int]:
    """The place of each system in `scores`; equal ones share the better place.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> made = [SimpleNamespace(value=value, advantage=None) for value in (0.9, 0.8, 0.8, 0.7)]
    >>> places(SimpleNamespace(scores=made, ordered_by="score"))
    [1, 2, 2, 4]
    """
    keys = [s.advantage if standing.ordered_by == "advantage" else s.value for s in standing.scores]
    return [keys.index(key) + 1 for key in keys]


def decimals_of(standing: Standing) -> int:
    """Enough decimals to show that neighbours differ, but no noise where they hardly do."""
    values = sorted(s.value for s in standing.scores)
    steps = sorted(high - low for low, high in pairwise(values) if high > low)
    # The typical step decides: one pair of near-twins must not give every score eight decimals.
    wanted = numbers.decimals_for(*values, difference=steps[len(steps) // 2] if steps else 0.0)
    return min(wanted, numbers.decimals_for(*values) + 1)


def p_number(value: float, alpha: float | None = None) -> str:
    """A probability with enough digits to stay on its side of alpha.

    Examples
    --------
    >>> p_number(0.0123), p_number(0.049999, 0.05)
    ('.0123', '.049999')
    """
    return numbers.format_p_number(PValue(value, value, value, math.log10(value), "exact", ""), alpha)


def friedman_p(critical: CriticalDifference, alpha: float) -> str:
    """Friedman's p and how it was computed, where that is known.

    Examples
    --------
    >>> friedman_p(CriticalDifference(4, "datasets", {}, 0.042, 3.0, [], "exact"), 0.05)
    'p = .0420, exact, all orders enumerated'
    """
    return f"p = {p_number(critical.p, alpha)}{f', {FORMS[critical.form]}' if critical.form is not None else ''}"


def group_names(standing: Standing) -> list[str]:
    """The names of the groups: a to z, then aa, ab, as columns of a spreadsheet are named."""
    return [_letters(i) for i in range(len(standing.groups))]


def _letters(i: int) -> str:
    last = chr(ord("a") + i % 26)
    return last if i < 26 else _letters(i // 26 - 1) + last


def shown_letters(standing: Standing) -> dict[str, str]:
    """The groups of each system; neighbours as a range, since a system in the middle of a long list is in many.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> shown_letters(SimpleNamespace(groups=[["x", "y"], ["y", "z"], ["y"], ["y", "v"]]))
    {'x': 'a', 'y': 'a-d', 'z': 'b', 'v': 'd'}
    """
    return {system: _letter_range(inside) for system, inside in groups_by_system(standing).items()}


def groups_by_system(standing: Standing) -> dict[str, list[int]]:
    """The numbers of the groups each system is in."""
    inside: dict[str, list[int]] = {}
    for i, group in enumerate(standing.groups):
        for system in group:
            inside.setdefault(system, []).append(i)
    return inside


def _letter_range(inside: list[int]) -> str:
    if len(inside) > 2 and inside[-1] - inside[0] == len(inside) - 1:
        return f"{_letters(inside[0])}-{_letters(inside[-1])}"
    # Two letters in a row are one name only beyond z, and then they need a gap.
    return (" " if inside[-1] >= 26 else "").join(map(_letters, inside))


def subject(standing: Standing, design: RankDesign | None = None) -> str:
    """The metric, the data it was measured on, and which way is up."""
    metric = standing.metric if design is None else design.score_name(standing.metric)
    named = "" if standing.name is None else f", {standing.name}"
    return clean(f"{metric}{named} ({better(higher=standing.higher_is_better)})")


def pair_words(cell: Cell, row: str, column: str, alpha: float, decimals: int) -> str:
    """The pair's numbers in one line, from the side of the row."""
    pair = cell.pair
    if cell.outcome == "apart" or pair.difference is None:
        return f"{clean(row)} and {clean(column)}: {clean(pair.note or 'no p-value')}"
    sign = 1 if pair.systems[0] == row else -1
    low, high = (pair.low, pair.high) if sign > 0 else (_negated(pair.high), _negated(pair.low))
    words = {"better": "is better than", "worse": "is worse than", "open": "cannot be told apart from"}[cell.outcome]
    interval = numbers.interval_ends(low, high, decimals)
    return (
        f"{clean(row)} {words} {clean(column)}: difference {numbers.format_number(sign * pair.difference, decimals, sign=True)}"
        f"{f' ({numbers.format_percent(1 - alpha)} CI {interval})' if interval else ''}, adjusted p = "
        f"{p_number(adjusted_p(pair), alpha)}, p = {p_number(pair.p.value)}, n = {pair.n:,}"
    )


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


def headline(ranking: Ranking) -> tuple[str, str]:
    """The verdict in two parts: the headline, and the text below it."""
    # Files of version 0.1.0 have the verdict as one text.
    return clean(ranking.headline or ranking.verdict), clean(ranking.reason)


def leaders(standing: Standing) -> int:
    """How many systems no other one is significantly better than."""
    return sum(s.rank_low == 1 for s in standing.scores)


def decided(ranking: Ranking) -> bool:
    """Whether the question has an answer: one leader, or some system that differs from the baseline."""
    return leaders(ranking.standing) == 1 if ranking.baseline is None else ranking.counts.significant > 0


def words_of_test(standing: Standing) -> str:
    """The test and how p was computed; where that differs between pairs, how often each way."""
    ways: Counter[str] = Counter()
    for method, n in Counter(pair.p.method for pair in standing.pairs if pair.n).items():
        ways[method_phrase(PValue(1.0, 1.0, 1.0, 0.0, method, standing.kernel, standing.test))] += n
    if len(ways) > 1:
        tests = "; ".join(f"{words} ({numbers.count(n, 'pair')})" for words, n in ways.most_common())
    else:
        tests = next(iter(ways), name_of_test(standing.test))
    return clean(f"{tests}, two-sided; kernel {standing.kernel}")


def facts(ranking: Ranking) -> tuple[Fact, ...]:
    """Everything that supports the ranking in a line or two, without what is missing."""
    # Where nothing could be tested, there is no test to describe.
    tested = ranking.counts.testable > 0
    return statements(
        ("test", _tests(ranking) if tested else []),
        ("design", [] if ranking.design is None else [_design(ranking, ranking.design)]),
        ("pairs", [_pairs(ranking)]),
        ("claims", _claims(ranking)),
        ("correction", _corrections(ranking) if tested else []),
        ("intervals", [f"for each pair: {ranking.interval}"] if ranking.interval and tested else []),
        ("order", [_order(ranking)] if tested else []),
        ("coverage", [_coverage(ranking)]),
        ("next", next_step(ranking)),
        ("notes", _notes(ranking)),
    )


def next_step(ranking: Ranking, *, short: bool = False) -> list[str]:
    """How much more data it takes to tell the leader, or the baseline, apart from the closest undecided system."""
    nearest = ranking.closest_to_decided
    if nearest is None:
        return []
    centre = ranking.baseline or ranking.standing.scores[0].system
    (rival,) = (name for name in nearest.systems if name != centre)
    names = short_names([one.system for one in ranking.scores]) if short else {rival: rival, centre: centre}
    effort = more = ""
    if nearest.needed is not None:
        times = times_as_much(nearest.needed / nearest.n)
        needed = f"about {numbers.count(nearest.needed, 'item' if ranking.design is None else ranking.design.unit)}"
        effort = f"detecting a true difference as large as the observed one would take {times} times as much data, {needed}"
        more = needed
    was, told = nearest.p.claimed <= ranking.alpha, more if short else None
    return [clean(nearest_to_decided(names[rival], names[centre], effort, significant=was, more=told))]


def _design(ranking: Ranking, design: RankDesign) -> str:
    sets = len({part.name for part in ranking.datasets})
    return clean(", ".join([*design_parts(design), *([numbers.count(sets, "dataset")] if sets else [])]))


def _tests(ranking: Ranking) -> list[str]:
    """The test of the answer, and that of the datasets where it differs."""
    lines = [words_of_test(ranking.standing)]
    of_datasets = list(dict.fromkeys(name_of_test(part.test) for part in ranking.datasets if part.test != ranking.test))
    return [*lines, f"datasets: {clean(', '.join(of_datasets))}"] if of_datasets else lines


def _claims(ranking: Ranking) -> list[str]:
    """What the claims are about, and how many pairs differ as claims about other populations."""
    kind = None if ranking.design is None else ranking.design.repeat_kind
    if kind is None:
        return []
    others = [
        f"{claim_of(one.population, kind)}: {pairs_that_differ(one.counts)}, {name_of_test(one.test)}{_reach(one, ranking)}"
        for one in ranking.other_populations
    ]
    return [f"about {claim_of(ranking.population, kind)}{_reach(ranking, ranking)}", *others]


def _reach(claim: Ranking | OtherPopulation, ranking: Ranking) -> str:
    """The smallest p that a pair can reach, and whether it rules the claim out, as a clause."""
    least, adjusted = claim.smallest_p, claim.smallest_adjusted_p
    if least is None or adjusted is None:
        return "; any p is possible" if claim.population == ITEMS_AND_RUNS else ""
    after = "" if ranking.counts.testable == 1 else f", and no adjusted p below {numbers.format_probability(adjusted)}"
    no_less = f"no p is below {numbers.format_probability(least)}{after}"
    if adjusted <= ranking.alpha:
        return f"; {no_less}"
    design = ranking.design or RankDesign(ranking.n)
    enough = (
        numbers.count(design.items, design.noun) if design.clusters is None else numbers.count(design.clusters, design.group)
    )
    if claim.population == THESE_ITEMS:
        enough = f"{design.repeats:g} {design.repeat_kind}" if design.repeats_range is None else f"so few {design.repeat_kind}"
    return f"; cannot be shown with {enough}, as {no_less}"


def pairs_on_screen(ranking: Ranking) -> str:
    """How many pairs differ, by which test and correction."""
    counts = ranking.counts
    if not counts.testable or counts.pairs > counts.testable or ranking.baseline is not None:
        tested = f"{name_of_test(ranking.test)}; {correction_name(ranking.family.correction)}" if counts.testable else ""
        return "; ".join(filter(None, (_pairs(ranking), tested)))
    differ = f"{counts.significant:,} of {counts.testable:,} {'differs' if counts.testable == 1 else 'differ'}"
    how = f"{name_of_test(ranking.test)}, {correction_name(ranking.family.correction)}"
    return f"{differ} at alpha = {numbers.format_level(ranking.alpha)}: {how}"


def items_on_screen(ranking: Ranking) -> str:
    """What was ranked on, what is missing of it, and what the claims are about; more where no p is small enough."""
    design = ranking.design or RankDesign(ranking.n)
    lost = _lost(ranking) if ranking.coverage.missing else ""
    # A warning says it in its place.
    lost = "" if any(note.kind in ON_SCREEN and lost in note.text for note in ranking.notes) else lost
    claims = _claims(ranking)[:1]
    if ranking.smallest_adjusted_p is None or ranking.smallest_adjusted_p <= ranking.alpha:
        claims = [claim.partition(";")[0] for claim in claims]
    return "; ".join(filter(None, (_design(ranking, design), lost, *claims)))


def _pairs(ranking: Ranking) -> str:
    counts = ranking.counts
    text = f"{pairs_that_differ(counts)} at alpha = {numbers.format_level(ranking.alpha)}"
    text += "" if ranking.baseline is None else f"; each pair is a system and the baseline, {clean(ranking.baseline)}"
    apart = counts.pairs - counts.testable
    if not counts.testable:
        return "1 pair, which shares no item" if apart == 1 else f"{apart:,} pairs, none of which shares an item"
    more = "shares no item, and is" if apart == 1 else "share no item, and are"
    # Shaffer's correction is for all pairs of the systems, those that could not be tested among them.
    part = "counted in" if ranking.correction == "shaffer" else "not counted in"
    return text + (f"; {apart:,} more {more} {part} the correction" if apart else "")


def _corrections(ranking: Ranking) -> list[str]:
    lines = [_family(ranking.family)]
    if ranking.datasets_family is not None:
        what = "datasets and metrics" if ranking.metrics else "datasets"
        lines.append(f"{what}: {_family(ranking.datasets_family)}")
    return lines


def _family(family: Family) -> str:
    rate = RATES.get(family.error_rate, family.error_rate)
    return f"{correction_name(family.correction)} over m = {family.m:,}, which controls the {rate}"


def _order(ranking: Ranking) -> str:
    if ranking.ordered_by == "advantage":
        return "by system effects adjusted for items or datasets (least squares), because systems have different items"
    return "by score"


def _lost(ranking: Ranking) -> str:
    c = ranking.coverage
    return f"{c.missing:,} of {c.systems * c.items:,} scores {'is' if c.missing == 1 else 'are'} missing"


def _coverage(ranking: Ranking) -> str:
    c = ranking.coverage
    noun = "item" if ranking.design is None else ranking.design.noun
    text = f"{numbers.count(c.systems, 'system')}, {numbers.count(c.items, noun)}"
    if c.missing:
        cells = c.systems * c.items
        share = f" ({numbers.format_percent(round(c.missing / cells, 3))})" if cells else ""
        text += f"; {_lost(ranking)}{share}"
    if c.duplicates:
        text += f"; {numbers.count(c.duplicates, 'repeated row')}" + (f", {c.conflicts:,} in conflict" if c.conflicts else "")
    return text


def _notes(ranking: Ranking) -> list[str]:
    """Notes of the whole and of its parts, each once."""
    parts = [f"{clean(s.name or s.metric)}: {note}" for s in (*ranking.datasets, *ranking.metrics) for note in s.notes]
    return list(dict.fromkeys([*texts_below(ranking.notes), *parts]))

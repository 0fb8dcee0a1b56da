"""Words for battles: who is preferred to whom, and one line that makes the numbers reproducible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from itertools import takewhile
from typing import Literal

from outscore.core.records import dataclass
from outscore.language.numbers import count, format_level, format_p, format_percent
from outscore.language.phrases import NO_CORRECTION, corrected_by, correction_name, join_words, pairs_that_differ
from outscore.language.verdict.contradiction import Contradiction, Look, find, in_words, verdict_claims
from outscore.results.design import Family, Verdict
from outscore.results.preference import BattleReading, Categories, CategoryRow, Labelled, Preference, PreferencePair, Strength
from outscore.results.pvalue import PValue
from outscore.results.ranking import PairCounts

SHOWN = 3
"""How many names a sentence lists; it counts the rest."""
TITLES = {
    "prompt": "prompts",
    "systems": "systems",
    "winner": "verdicts",
    "judge": "judges",
    "category": "categories",
    "cluster": "clusters",
    "position": "shown first",
    "length": "lengths",
}

DECISIVE = ("prompt", "systems", "winner", "cluster")
"""What a short line names: the columns that decide what is compared, and what is swapped as one."""

KINDS = {"exact": "exact ", "monte-carlo": "Monte-Carlo ", "certified": "certified ", "asymptotic": "asymptotic "}
FIELD = "the field"
"""All systems that a system met, taken together."""
MAX_STEPS = 8
"""How many steps of a circle are named."""
SAME = 1e-9
"""Log-odds that differ by less are equal up to rounding."""


@dataclass(frozen=True)
class BattleFacts:
    """What the words about battles need of a result."""

    systems: list[str]
    pairs: list[PreferencePair]
    strengths: list[Strength]
    counts: PairCounts
    family: Family
    alpha: float
    battles: int
    clusters: int
    unit: str
    baseline: str | None
    circles: list[list[str]] = field(default_factory=list)
    labels: Labelled | None = None
    categories: Categories | None = None
    strength: int = 1
    graded: bool = False
    decided_by: Literal["strengths", "games"] = "games"

    @property
    def sets(self) -> int:
        """How many sets the systems fall into, none of which met another."""
        return len({strength.component for strength in self.strengths})

    @property
    def equal(self) -> list[str]:
        """The strongest systems: several where their strengths are equal up to rounding."""
        first = self.strengths[0]
        if first.log_odds is not None:
            return [strength.system for strength in self.strengths if _as_strong(strength, first)]
        # Two systems without a finite strength are equal if their bounds are, and neither won more battles against the other.
        win_rates = {frozenset((pair.a, pair.b)): pair.win_rate for pair in self.pairs if pair.by == "games"}
        others = takewhile(lambda strength: _same_bounds(strength, first), self.strengths[1:])
        even = takewhile(lambda strength: win_rates.get(frozenset((first.system, strength.system)), 0.5) == 0.5, others)
        return [first.system, *(strength.system for strength in even)]

    @property
    def counting(self) -> str:
        """How verdicts count, unless each counts as one battle."""
        parts = [f"A>>B counts as {self.strength} wins"] if self.strength > 1 else []
        return "; ".join([*parts, *(["verdicts count by their degree"] if self.graded else [])])

    @property
    def circle(self) -> list[str]:
        """A circle of preferences that the strongest system is in; empty where there is none."""
        return next((circle for circle in self.circles if self.systems[0] in circle), [])

    @property
    def on_prompts(self) -> str:
        """On how many units; empty where every battle is one."""
        return "" if self.unit == "battle" else f" on {count(self.clusters, self.unit)}"


def battle_facts(result: Preference) -> BattleFacts:
    """What the words about battles need of this result."""
    return BattleFacts(**{part.name: getattr(result, part.name) for part in fields(BattleFacts)})


def preference_contradiction(facts: BattleFacts) -> Contradiction | None:
    """Categories of prompts on which the system ahead is significantly worse, and a judge who contradicts people."""
    first, two = facts.systems[0], len(facts.systems) == 2
    ahead, other, decided = first, facts.systems[1] if two else FIELD, bool(_claims(facts, first)[0])
    groups: list[tuple[list[Look], str]] = []
    if facts.labels is not None:
        (pair,), labels = facts.pairs, facts.labels
        ahead, other = _by_people(pair, labels, facts.alpha)[:2]
        decided = labels.p.rejects(facts.alpha)
        judge = [] if pair.p is None else [Look("by the judge alone", pair.a, pair.b, pair.p.claimed)]
        groups.append((find({(ahead, other)}, judge, facts.alpha), "one test"))
    if facts.categories is not None:
        looks = [look for row in facts.categories.rows for look in _look_at(row, ahead, other, two=two)]
        claims = verdict_claims((ahead, other), 0, looks, facts.alpha, decided=decided)
        groups.append((find(claims, looks, facts.alpha), corrected_by(facts.categories.family, "test")))
    return in_words(groups, decided=decided)


def _look_at(row: CategoryRow, ahead: str, other: str, *, two: bool) -> list[Look]:
    """A category as a look at the system ahead; with two systems, the other one's losses are its wins."""
    if row.p is None or row.win_rate == 0.5 or (not two and row.system != ahead):
        return []
    won, battles = row.wins, row.wins + row.ties + row.losses
    better, worse = (row.system, ahead if row.system == other else other)
    if row.win_rate < 0.5:
        better, worse = worse, better
    return [Look(f"on {row.category}", better, worse, row.p.deciding, f"{row.system} won {won:,} of {battles:,}")]


def cluster_text(unit: str) -> str:
    """How the battles depend on one another, according to the test.

    Examples
    --------
    >>> cluster_text("prompt"), cluster_text("battle")
    ('clustered by prompt', 'battles taken as independent')
    """
    return "battles taken as independent" if unit == "battle" else f"clustered by {unit}"


def format_rate(rate: float | None) -> str:
    """A win rate in per cent, with one decimal.

    Examples
    --------
    >>> format_rate(0.5834), format_rate(None)
    ('58.3%', '')
    """
    return "" if rate is None else f"{100 * rate:.1f}%"


def rate_ends(low: float | None, high: float | None, alpha: float | None = None, *, sign: str = "") -> str:
    """An interval of win rates in per cent, after its level where `alpha` is given; empty where there is none.

    Examples
    --------
    >>> rate_ends(0.5, 0.6123, 0.05), rate_ends(-0.1, 0.1, sign="+"), rate_ends(None, None)
    ('95% CI 50.0 to 61.2%', '-10.0 to +10.0%', '')
    """
    if low is None or high is None:
        return ""
    level = "" if alpha is None else f"{format_percent(1 - alpha)} CI "
    return f"{level}{100 * low:{sign}.1f} to {100 * high:{sign}.1f}%"


def battle_reading_line(reading: BattleReading, *, short: bool = False) -> str:
    """The one line that says how the input was interpreted; a `short` one leaves out what decides nothing.

    Examples
    --------
    >>> battle_reading_line(BattleReading(["battles"], 1, 60, {"prompt": "id", "winner": "vote"}))
    'battles; prompts: `id`; verdicts: `vote`; 60 rows in 1 file'
    """
    parts = [", ".join(reading.formats)]
    for part, title in TITLES.items():
        if part in reading.columns and not (short and part not in DECISIVE):
            names = ", ".join(f"`{name}`" for name in reading.columns[part].split(", "))
            parts.append(f"{title}: {names}")
    if short:
        return "; ".join(parts)
    rows = count(reading.rows, "row")
    parts.append(f"{rows} in {count(reading.files, 'file')}" if reading.files else rows)
    return "; ".join(parts)


def preference_verdict(facts: BattleFacts) -> Verdict:
    """The answer in one or two sentences; where people judged some prompts, it is about what they prefer."""
    if facts.labels is not None:
        return _people_verdict(facts, facts.labels)
    return _pair_verdict(facts) if len(facts.systems) == 2 else _board_verdict(facts)


def _pair_verdict(facts: BattleFacts) -> Verdict:
    (pair,) = facts.pairs
    won = f"wins {format_rate(pair.win_rate)} of {count(_battles(pair), 'battle')}{facts.on_prompts}"
    details = "; ".join(filter(None, (facts.counting, rate_ends(pair.low, pair.high, facts.alpha))))
    inside = f" ({details})" if details else ""
    if pair.p is None:
        # The reason must not start with the name of a system: pages capitalise its first letter.
        battles = f"in {count(_battles(pair), 'battle')}{facts.on_prompts} {pair.a} wins {format_rate(pair.win_rate)}"
        return Verdict("No test", f"{battles}{inside}. {pair.note}")
    evidence = f"{format_p(pair.p, facts.alpha)}, {_how(pair.by, pair.p, facts.unit)}"
    if pair.is_significant(facts.alpha):
        return Verdict(f"{pair.a} is preferred to {pair.b}", f"it {won}{inside}; {evidence}.", 0, "better")
    if not (pair.wins or pair.losses):
        same = f"all {count(pair.ties, 'battle')} between {pair.a} and {pair.b} are ties"
        return Verdict("No preference", f"{same}{facts.on_prompts}; {evidence}.")
    unclear = f"the battles cannot tell {pair.a} and {pair.b} apart at alpha = {format_level(facts.alpha)}"
    return Verdict("No preference", f"{unclear}; {pair.a} {won}{inside}; {evidence}.")


def _people_verdict(facts: BattleFacts, labels: Labelled) -> Verdict:
    (pair,) = facts.pairs
    ahead, behind, rate, limits = _by_people(pair, labels, facts.alpha)
    evidence = f"{format_p(labels.p, facts.alpha)}, {_how_labelled(labels)}"
    judge = f"By the judge alone, {_judged(facts)}."
    won = f"would win {rate} ({limits}); {evidence}. {judge}"
    if labels.p.rejects(facts.alpha):
        headline = f"{ahead} is preferred to {behind} by {labels.people}"
        return Verdict(headline, f"it {won}", int(ahead != pair.a), "better")
    unclear = f"the labels cannot tell {ahead} and {behind} apart at alpha = {format_level(facts.alpha)}"
    return Verdict(f"No preference by {labels.people}", f"{unclear}; {ahead} {won}")


def _by_people(pair: PreferencePair, labels: Labelled, alpha: float) -> tuple[str, str, str, str]:
    """Who is ahead by people's verdicts and who is behind, the win rate, and its interval."""
    ahead, behind, rate, low, high = pair.a, pair.b, labels.win_rate, labels.low, labels.high
    if rate < 0.5:
        ahead, behind, rate, low, high = behind, ahead, 1 - rate, 1 - high, 1 - low
    return ahead, behind, format_rate(rate), rate_ends(low, high, alpha)


def _how_labelled(labels: Labelled) -> str:
    """Where the estimate of people's win rate comes from."""
    labelled = count(labels.labelled, "labelled prompt")
    if not labels.judged:
        return f"{KINDS[labels.p.method]}permutation test on {labelled}, without the judge"
    return f"PPI++ on {labelled} and {labels.unlabelled:,} with the judge's verdict only, weight {labels.weight:.2f}"


def _judged(facts: BattleFacts) -> str:
    """What the judge says about two systems."""
    (pair,) = facts.pairs
    p = "" if pair.p is None else f", {format_p(pair.p, facts.alpha)}"
    return f"{pair.a} wins {format_rate(pair.win_rate)} of {count(_battles(pair), 'battle')}{facts.on_prompts}{p}"


def _battles(pair: PreferencePair) -> int:
    return pair.wins + pair.ties + pair.losses


def _how(by: str, p: PValue, unit: str) -> str:
    """The test of a pair, in words."""
    if by == "model":
        return "by strengths of the Bradley-Terry model"
    if p.kernel.startswith("exchanged-orders"):
        return f"{KINDS[p.method]}test by exchanging orders between {unit}s"
    return f"{KINDS[p.method]}permutation test, names swapped {unit} by {unit}"


def _board_verdict(facts: BattleFacts) -> Verdict:
    leader = facts.systems[0]
    tests = f"{corrected_by(facts.family, 'test')}, alpha = {format_level(facts.alpha)}"
    evidence = f"{count(facts.battles, 'battle')}{facts.on_prompts}; {tests}"
    if not facts.counts.testable:
        return Verdict("Nothing could be tested", f"the leader is {leader}; {evidence}.")
    if facts.sets > 1:
        apart = f"the systems fall into {facts.sets} sets that never met, not even through other systems"
        differ = f"{facts.counts.significant:,} of {count(facts.counts.testable, 'pair')} that can be compared differ"
        return Verdict("No common order", f"{apart}; {differ} significantly ({evidence}).")
    together = _together(facts)
    if together:
        return Verdict(f"{join_words(facts.equal, SHOWN)} lead together", f"{together} ({evidence}).", None, "undecided")
    beaten, better, tied = _claims(facts, leader)
    if better or not beaten:
        headline, why = _no_leader(facts, better, tied)
        return Verdict(headline, f"{why} ({evidence}).")
    rivals = len(facts.systems) - 1
    whom = f"{len(beaten):,} of {rivals:,} other systems"
    if len(beaten) == rivals:
        whom = "both other systems" if rivals == 2 else f"all {rivals:,} other systems"
    apart = f"; it cannot be told apart from {join_words(tied, SHOWN)}" if tied else ""
    why = f"{_ahead_of(facts, [leader], beaten, whom)}{apart} ({evidence})."
    return Verdict(f"{leader} leads", why, None if tied else 0, "undecided" if tied else "better")


def _together(facts: BattleFacts) -> str:
    """Whom several equally strong systems all beat; empty where that is nobody, or where one of them beats another."""
    claims = [_claims(facts, name) for name in facts.equal]
    rest = [name for name in facts.systems if name not in facts.equal]
    shared = [name for name in rest if all(name in beaten for beaten, _, _ in claims)]
    if len(claims) < 2 or not shared or any(better for _, better, _ in claims):
        return ""
    whom = f"{len(shared):,} of {count(len(rest), 'other system')}"
    if len(shared) == len(rest):
        whom = join_words(rest, SHOWN) if len(rest) <= SHOWN else f"all {len(rest):,} other systems"
    return f"they are equally strong, and each is {_ahead_of(facts, facts.equal, shared, whom)}"


def _ahead_of(facts: BattleFacts, leaders: Sequence[str], beaten: Sequence[str], whom: str) -> str:
    """What is claimed: more strength over all battles, a preference in direct games, or one or the other."""
    ways = {pair.decided_by_strength for pair in facts.pairs if pair.a in leaders and pair.b in beaten}
    if ways == {True}:
        return f"significantly stronger in this mix of battles than {whom}"
    if ways == {True, False}:
        return f"significantly ahead of {whom}, in strength over this mix of battles or else in direct games"
    return f"significantly preferred to {whom} in {'direct games' if facts.baseline is None else 'games on the same prompts'}"


def _no_leader(facts: BattleFacts, better: list[str], tied: list[str]) -> tuple[str, str]:
    """The verdict where the strongest system beats nobody, or somebody beats it."""
    leader = facts.systems[0]
    if all(not (pair.wins or pair.losses) for pair in facts.pairs):
        return "No winner", "all battles are ties"
    if facts.circle:
        return "No order", f"preferences run in a circle: {circle_text(facts.circle)}, each of them significant"
    ahead, it, joint = f"the strongest is {leader}", "it", "but"
    if len(facts.equal) > 1:
        ahead, it, joint = f"equally strong are {join_words(facts.equal, SHOWN)}", leader, "and"
    if better:
        others = f"{join_words(better, SHOWN)} {'is' if len(better) == 1 else 'are'}"
        return "No clear leader", f"{ahead}, but {others} significantly preferred to {it}"
    return "No winner", f"{ahead}, {joint} {it} cannot be told apart from {join_words(tied, SHOWN)}"


def circle_text(circle: Sequence[str]) -> str:
    """Who is preferred to whom, all the way round; for a long circle, only the first few steps.

    Examples
    --------
    >>> circle_text(["x", "y", "z"])
    'x is preferred to y, y to z and z to x'
    """
    steps = [f"{winner} to {loser}" for winner, loser in zip(circle, [*circle[1:], circle[0]], strict=True)]
    steps[0] = f"{circle[0]} is preferred to {circle[1]}"
    if len(steps) > MAX_STEPS:
        return f"{', '.join(steps[:MAX_STEPS])} and so on through {len(circle)} systems"
    return join_words(steps)


def _as_strong(one: Strength, other: Strength) -> bool:
    """Whether two strengths differ by no more than rounding."""
    if one.log_odds is None or other.log_odds is None:
        return one is other
    return abs(one.log_odds - other.log_odds) < SAME


def _same_bounds(one: Strength, other: Strength) -> bool:
    """Whether two strengths that are not finite have the same bound."""
    ends = (one.low, other.low) if other.low is not None else (one.high, other.high)
    return one.log_odds is None and None not in ends and abs((ends[0] or 0.0) - (ends[1] or 0.0)) < SAME


def _claims(facts: BattleFacts, leader: str) -> tuple[list[str], list[str], list[str]]:
    """The systems that the leader beats, those that beat it, and those that cannot be told apart from it."""
    beaten: list[str] = []
    better: list[str] = []
    for pair in facts.pairs:
        if leader in (pair.a, pair.b) and pair.is_significant(facts.alpha):
            (beaten if pair.a == leader else better).append(pair.b if pair.a == leader else pair.a)
    tied = [name for name in facts.systems if name != leader and name not in beaten and name not in better]
    return beaten, better, tied


def preference_sentence(facts: BattleFacts) -> str:
    """One sentence to paste into a paper."""
    level = format_level(facts.alpha)
    if facts.labels is not None:
        return _people_sentence(facts, facts.labels)
    if len(facts.systems) == 2:
        (pair,) = facts.pairs
        limits = ", ".join(filter(None, ("ties count as half", facts.counting, rate_ends(pair.low, pair.high, facts.alpha))))
        games = f"{count(_battles(pair), 'battle')} against {pair.b}{facts.on_prompts}"
        won = f"{pair.a} won {format_rate(pair.win_rate)} of {games}"
        if pair.p is None:
            return f"{won} ({limits}); no test was possible."
        tested = f"{_how(pair.by, pair.p, facts.unit)}, two-sided, {format_p(pair.p, facts.alpha)}"
        verb = "significant" if pair.p.upper <= facts.alpha else "not significant"
        return f"{won} ({limits}; {tested}), which is {verb} at the {level} level."
    what = "in strength (Bradley-Terry, " if facts.decided_by == "strengths" else "("
    name = correction_name(facts.family.correction)
    corrected = "p not corrected" if name == NO_CORRECTION else f"{name}-corrected p, {facts.family.error_rate} {level}"
    counting = f"{facts.counting}, " if facts.counting else ""
    return (
        f"In {count(facts.battles, 'battle')} between {count(len(facts.systems), 'system')}{facts.on_prompts},"
        f" {pairs_that_differ(facts.counts)} {what}{counting}{cluster_text(facts.unit)}, two-sided, {corrected},"
        f" {count(facts.family.m, 'test')}); {_first_place(facts)}."
    )


def _people_sentence(facts: BattleFacts, labels: Labelled) -> str:
    (pair,) = facts.pairs
    ahead, behind, rate, limits = _by_people(pair, labels, facts.alpha)
    verb = "significant" if labels.p.rejects(facts.alpha) else "not significant"
    tested = f"{_how_labelled(labels)}, two-sided, {format_p(labels.p, facts.alpha)}"
    won = f"By {labels.people}, {ahead} would win {rate} against {behind} (ties count as half, {limits}; {tested})"
    return f"{won}, which is {verb} at the {format_level(facts.alpha)} level; by the judge alone, {_judged(facts)}."


def _first_place(facts: BattleFacts) -> str:
    """Who is first by strength, where there is a first."""
    if facts.sets > 1:
        return f"the systems fall into {facts.sets} sets that never met, so none ranks first"
    if facts.circle:
        return f"preferences run in a circle ({circle_text(facts.circle)}), so none ranks first"
    leader = facts.systems[0]
    if len(facts.equal) == len(facts.systems):
        return "by strength (Bradley-Terry), all are equal"
    if len(facts.equal) > 1:
        return f"by strength (Bradley-Terry), {join_words(facts.equal, SHOWN)} share first place"
    better = _claims(facts, leader)[1]
    first = f"by strength (Bradley-Terry), {leader} ranks first"
    if better:
        first += f", though {join_words(better, SHOWN)} {'is' if len(better) == 1 else 'are'} significantly preferred to it"
    return first

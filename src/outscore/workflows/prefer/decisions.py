"""What decides who is ahead, strengths over all battles or the direct games of each pair, and what depends on their mix.

A strength is what fits all battles best as they were scheduled, so strengths are tested as such, "stronger in this mix of
battles". Where the test against circles rejects one strength per system, they are no summary of who beats whom, and direct
games decide. Where all systems met one baseline and nobody else, strengths say what the games say, whose tests are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.preferences.strengths import DIGITS, Circles, Strengths, circles_of
from outscore.inference.preferences.sums import Sums
from outscore.language.numbers import format_probability
from outscore.language.verdict.preference import SAME
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.preference import Intransitivity, Order, PreferencePair, Strength
from outscore.workflows.prefer.findings import intransitivity_of
from outscore.workflows.prefer.pairs import Asked, baseline_in, correct_pairs, pairs_with_tests, swap_systems
from outscore.workflows.requests.prefer import PreferRequest

MAX_NAMED = 5


@dataclass(frozen=True, eq=False)
class Decision:
    """Who is ahead of whom.

    Parameters
    ----------
    pairs, family
        All pairs with what decides them, and the family of the tests that do.
    better
        (k, k), strongest first: whether the row's system is significantly ahead of the column's.
    preferred
        The same by direct games alone, where strengths decide.
    circles, intransitivity
        Circles of systems that are ahead of each other, and the test against all circles; None for two systems.
    notes
        Why it is decided that way, where that has to be said.
    """

    pairs: list[PreferencePair]
    family: Family
    better: Array
    preferred: Array
    circles: Circles
    intransitivity: Intransitivity | None
    notes: list[Note]


def decide(
    request: PreferRequest, sums: Sums, strengths: Strengths, systems: Sequence[str], order: Order, unit: str
) -> Decision:
    """Test and decide every pair; `systems` are strongest first."""
    asked = Asked(request.alpha, request.correction, order, request.seed, unit)
    circle_test = intransitivity_of(sums.tally, strengths)
    tested = pairs_with_tests(sums.names, sums.tally, strengths, asked)
    baseline = baseline_in(sums.tally) is not None
    pairs, family = correct_pairs(_by_games(tested, systems), asked, len(systems))
    better = _ahead(pairs, systems, asked.alpha)
    circles = circles_of(better)
    by_strengths, notes = _by_what(request, circle_test, baseline=baseline, circles=bool(circles.paths))
    if not by_strengths:
        return Decision(pairs, family, better, better, circles, circle_test, notes)
    preferred = _ahead([pair for pair in pairs if pair.by == "games"], systems, asked.alpha)
    pairs, family = correct_pairs(_by_strengths(tested, systems), asked, len(systems), by_strengths=True)
    better = _ahead(pairs, systems, asked.alpha)
    return Decision(pairs, family, better, preferred, circles_of(better), circle_test, notes)


def _by_what(request: PreferRequest, test: Intransitivity | None, *, baseline: bool, circles: bool) -> tuple[bool, list[Note]]:
    """Whether strengths decide, where they are tested, and what has to be said about it."""
    if test is None:
        if request.decide_by == "strengths":
            raise OutscoreError(
                "--decide-by strengths needs three systems, and there are two.",
                "Leave --decide-by out: the strengths of two systems are their win rate.",
                parameter="decide_by",
            )
        return False, []
    against = ""
    if test.p is not None and test.p <= request.alpha:
        against = f"One strength per system does not explain who beats whom (p = {format_probability(test.p)})"
    elif circles:
        against = "Preferences in direct games run in a circle, which strengths cannot"
    if request.decide_by == "strengths":
        text = f"{against}, so strengths depend on who met whom how often; they decide because --decide-by asks for it."
        return True, [Note("warning", text)] if against else []
    if request.decide_by == "games" or baseline:
        return False, []
    text = f"{against}, so ranks, groups and the headline follow from direct games, not from strengths."
    return not against, [Note("method", text)] if against else []


def _by_games(pairs: Sequence[PreferencePair], systems: Sequence[str]) -> list[PreferencePair]:
    """Pairs with direct games first, then through a baseline, then through the model; each in order of places."""
    place = {name: i for i, name in enumerate(systems)}
    kinds = ("games", "baseline", "model")
    return sorted(pairs, key=lambda pair: (kinds.index(pair.by), place[pair.a], place[pair.b]))


def _by_strengths(pairs: Sequence[PreferencePair], systems: Sequence[str]) -> list[PreferencePair]:
    """Pairs in order of places, with the stronger system first where strengths are tested."""
    place = {name: i for i, name in enumerate(systems)}
    turn = [pair.strength_p is not None and place[pair.a] > place[pair.b] for pair in pairs]
    stronger_first = [swap_systems(pair) if wrong else pair for pair, wrong in zip(pairs, turn, strict=True)]
    return sorted(stronger_first, key=lambda pair: sorted((place[pair.a], place[pair.b])))


def _ahead(pairs: Sequence[PreferencePair], systems: Sequence[str], alpha: float) -> Array:
    """(k, k), strongest first: whether the row's system is significantly ahead of the column's."""
    place = {name: i for i, name in enumerate(systems)}
    better = np.zeros((len(systems), len(systems)), dtype=bool)
    for pair in pairs:
        if pair.is_significant(alpha):
            better[place[pair.a], place[pair.b]] = True
    return better


def mix_notes(listed: Sequence[Strength], pairs: Sequence[PreferencePair], alpha: float) -> list[Note]:
    """What would change if every pair counted alike: a note, or a warning if that turns a claim about strengths round."""
    there = [one for one in listed if one.log_odds is not None and one.equal_pairs is not None]
    notes = []
    for component in sorted({one.component for one in there}):
        own = [one for one in there if one.component == component]
        # Strengths that are equal up to rounding keep their order.
        other = sorted(own, key=lambda one: -round(one.equal_pairs or 0.0, DIGITS))
        moved = [(place, one, own.index(one) + 1) for place, one in enumerate(other, 1) if own.index(one) + 1 != place]
        if moved:
            shown = ", ".join(f"{one.system} {place} (now {now})" for place, one, now in moved[:MAX_NAMED])
            more = f" and {len(moved) - MAX_NAMED} more" if len(moved) > MAX_NAMED else ""
            start = "If every pair of systems counted alike, however often it met, places by strength would change"
            notes.append(Note("design", f"{start}: {shown}{more}."))
    equal = {one.system: one.equal_pairs or 0.0 for one in there}
    reversed_ = [
        f"{pair.a} than {pair.b}"
        for pair in pairs
        if pair.decided_by_strength and pair.is_significant(alpha) and equal[pair.a] < equal[pair.b] - SAME
    ]
    if reversed_:
        shown = ", ".join(reversed_[:MAX_NAMED])
        more = f" and {len(reversed_) - MAX_NAMED} more" if len(reversed_) > MAX_NAMED else ""
        text = "Stronger in this mix of battles, but weaker if every pair counted alike, however often it met"
        notes.append(Note("warning", f"{text}: {shown}{more}."))
    return notes

"""Every pair of systems with one test each, and what decides who is ahead: direct games, or strengths over all battles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LN10, Array, finite
from outscore.core.records import dataclass
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.student import Estimate
from outscore.inference.families import correct_tests
from outscore.inference.pairwise.table import KINDS
from outscore.inference.permutation import permutation
from outscore.inference.preferences.agreement import exchanged_p, orders_of
from outscore.inference.preferences.strengths import DIGITS, Strengths, circles_of, score_test
from outscore.inference.preferences.sums import Sums
from outscore.inference.preferences.tally import Tally
from outscore.inference.preferences.win_rates import flip_p, independent_p, win_rates
from outscore.language.numbers import format_probability
from outscore.language.verdict.preference import SAME
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.preference import Intransitivity, Order, PreferencePair, Strength
from outscore.results.pvalue import Kind, PValue
from outscore.scores.panel import Panel
from outscore.workflows.question import Question
from outscore.workflows.rank.measure import measure
from outscore.workflows.requests.prefer import PreferRequest

# Every pair of systems: direct games, both against a common baseline, or the strengths of the model; one test for each.
#
# Which test a pair gets depends only on the design, never on the outcome: direct games if it met on enough prompts; if all
# systems met one baseline and nobody else, both against it on the same prompts; otherwise the strengths. Beside it stands
# the test of strengths where they have one, and one of the two decides (`decisions`). All tests that decide are one family.


MIN_PROMPTS = 10
"""With fewer prompts the model is not tested, and direct games say little."""
FEW = 8
SHARES = ("win_rate", "low", "high", "both_orders", "equal_length", "equal_length_low", "equal_length_high")
GAPS = ("difference", "difference_low", "difference_high", "log_odds", "log_odds_low", "log_odds_high")
"""What is one for both systems of a pair together, and what is 0."""


def baseline_in(tally: Tally) -> int | None:
    """The system that every other one met, if no others met each other; None if there is none, or only two systems."""
    if tally.systems < 3 or tally.pairs != tally.systems - 1:
        return None
    met = np.bincount(np.concatenate([tally.left, tally.right]), minlength=tally.systems)
    centres = np.flatnonzero(met == tally.systems - 1)
    return int(centres[0]) if len(centres) else None


def pairs_with_tests(
    systems: Sequence[str], tally: Tally, strengths: Strengths, request: PreferRequest, order: Order, unit: str
) -> list[PreferencePair]:
    """All pairs with their tests, not yet corrected: those that met first."""
    direct = _games(systems, tally, strengths, request, order, unit)
    if tally.systems == 2:
        return direct
    centre = baseline_in(tally)
    through = [] if centre is None else _through_baseline(systems, tally, centre, request, order)
    met = {frozenset((pair.a, pair.b)): pair for pair in (*direct, *through)}
    tested = []
    for i, j in combinations(range(tally.systems), 2):
        pair = met.get(frozenset((systems[i], systems[j])))
        contrast = _contrast(strengths, i, j)
        if contrast is not None and centre is None and (pair is None or pair.clusters < MIN_PROMPTS):
            pair = _through_model((systems[i], systems[j]), contrast, strengths, request.alpha, order, pair)
        if pair is not None:
            tested.append(pair if contrast is None else _with_strengths(pair, systems[i], contrast, request.alpha))
    return tested


def _contrast(strengths: Strengths, i: int, j: int) -> Estimate | None:
    """The difference of two strengths; None if the model has none, or too few prompts for a test."""
    if strengths.group[i] != strengths.group[j] or not (strengths.core[i] and strengths.core[j]):
        return None
    contrast = strengths.contrast(i, j)
    return contrast if contrast.units >= MIN_PROMPTS and contrast.error > 0 else None


def _with_strengths(pair: PreferencePair, first: str, contrast: Estimate, alpha: float) -> PreferencePair:
    """The pair with the test of its strengths, `contrast` being that of `first` less the other one."""
    low, high = contrast.limits(alpha)
    value = contrast.value
    if pair.a != first:
        value, low, high = 0.0 - value, 0.0 - high, 0.0 - low
    p = model_p(contrast, value)
    return replace(pair, log_odds=value, log_odds_low=low, log_odds_high=high, strength_p=p)


def _games(
    systems: Sequence[str], tally: Tally, strengths: Strengths, request: PreferRequest, order: Order, unit: str
) -> list[PreferencePair]:
    rates = win_rates(tally, request.alpha)
    naive = independent_p(tally.wins, tally.losses)
    plain = tally.plain
    kinds, meetings, total = orders_of(tally), tally.meetings, tally.total
    n_first, d_first, n_shown = (tally.by_pair(cells) for cells in (tally.n_first, tally.d_first, tally.n_shown))
    lead = tally.lead
    pairs = []
    for i in range(tally.pairs):
        cells = tally.cells_of(i)
        p, note = _tested(tally, cells, request, order, unit, int(meetings[i]))
        rate, low, high = rates.kept(i, p, request.alpha)
        left, right = int(tally.left[i]), int(tally.right[i])
        n_second = n_shown[i] - n_first[i]
        both = None
        if order != "unrecorded" and n_shown[i] == total[i] and n_first[i] and n_second:
            both = (2 + d_first[i] / n_first[i] + (lead[i] - d_first[i]) / n_second) / 4
        # Between two systems that only have bounds, the difference is unknown.
        contrast = float(strengths.theta[left]) - float(strengths.theta[right])
        pair = PreferencePair(
            systems[left],
            systems[right],
            int(tally.wins[i]),
            int(tally.ties[i]),
            int(tally.losses[i]),
            rate,
            finite(low),
            finite(high),
            p,
            int(meetings[i]),
            "games",
            finite(float(rates.error[i])),
            finite(float(rates.rows_error[i])),
            float(naive[i]) if plain[i] else None,
            None if both is None else float(both),
            order if kinds[i] != 1 else "both",
            log_odds=finite(contrast) if strengths.group[left] == strengths.group[right] else None,
            note=note,
        )
        ahead = rate > 0.5 or (rate == 0.5 and not strengths.theta[left] < strengths.theta[right])
        pairs.append(pair if ahead else swap_systems(pair))
    return pairs


def _tested(
    tally: Tally, cells: slice, request: PreferRequest, order: Order, unit: str, meetings: int
) -> tuple[PValue | None, str | None]:
    """The p of a pair's direct games, and a note on it."""
    few = None
    if meetings == 1:
        only = "There is one battle" if unit == "battle" else f"All battles are about one {unit}"
        few = f"{only}, so nothing shows how another would turn out: p is 1."
    elif meetings < FEW and 2.0 ** (1 - meetings) > request.alpha:
        few = f"With {meetings} {unit}s, p cannot be below {2.0 ** (1 - meetings):g}."
    if order != "fixed" or (2 * tally.n_first[cells] == tally.n[cells]).all():
        return flip_p(tally.d[cells], request.alpha), few
    single = (tally.n_first[cells] == 0) | (tally.n_first[cells] == tally.n[cells])
    left_first = tally.n_first[cells] > 0
    if not single.all():
        text = "Some prompts were judged in both orders and others in one, so no exchange of orders is valid for all of them."
        return None, text
    if left_first.all() or not left_first.any():
        return None, "One of the two was always shown first, which cannot be distinguished from being better."
    first = np.where(left_first, tally.d[cells], -tally.d[cells]) / tally.n[cells]
    return exchanged_p(first, left_first, request.seed), few


def swap_systems(pair: PreferencePair) -> PreferencePair:
    """The same pair from the other side."""

    def mirrored(names: Sequence[str], whole: float) -> dict[str, Any]:
        """What is left of the whole; the low end becomes the high one."""
        found = {}
        for name in names:
            value = getattr(pair, name)
            other = name.replace("low", "high") if "low" in name else name.replace("high", "low")
            found[other] = None if value is None else whole - value
        return found

    tests = {"p": pair.p, "strength_p": pair.strength_p}
    turned = {name: None if p is None else replace(p, statistic=0.0 - p.statistic) for name, p in tests.items()}
    own: dict[str, Any] = {"a": pair.b, "b": pair.a, "wins": pair.losses, "losses": pair.wins, **turned}
    return replace(pair, **own, **mirrored(SHARES, 1.0), **mirrored(GAPS, 0.0))


def _through_baseline(
    systems: Sequence[str], tally: Tally, centre: int, request: PreferRequest, order: Order
) -> list[PreferencePair]:
    """Two systems against the baseline, paired by prompt: the ordinary test of two systems' scores, prompt by prompt."""
    panel = _panel(systems, tally, centre)
    (measured,) = measure([panel], Question(alpha=request.alpha, seed=request.seed))
    table = measured.pairs
    pairs = []
    for i in range(len(table)):
        left, right = int(table.left[i]), int(table.right[i])
        both = panel.pair(left, right)
        gap = (both.a - both.b)[:, 0]
        shared = both.rows
        p = None
        if shared and KINDS[int(table.kind[i])] == "certified":
            # A table of pairs keeps the limit that may be claimed; here both are shown.
            p = permutation(both, panel.metric, TestRequest(seed=request.seed, alpha=request.alpha))
        elif shared:
            value, log10 = float(table.p[i]), float(table.log_p[i]) / LN10 + 0.0
            p = PValue(value, value, value, log10, cast("Kind", KINDS[int(table.kind[i])]), measured.kernel, n=shared)
        pair = PreferencePair(
            panel.systems[left],
            panel.systems[right],
            int((gap > 0).sum()),
            int((gap == 0).sum()),
            int((gap < 0).sum()),
            None,
            None,
            None,
            p,
            shared,
            "baseline",
            order=order,
            difference=finite(float(table.difference[i])),
            difference_low=finite(float(table.low[i])),
            difference_high=finite(float(table.high[i])),
            note=None if shared else f"They share no prompt against {systems[centre]}.",
        )
        pairs.append(pair if (pair.difference or 0.0) >= 0 else swap_systems(pair))
    return pairs


def _panel(systems: Sequence[str], tally: Tally, centre: int) -> Panel:
    """Win rates against the baseline by system and unit; several battles of a unit are averaged."""
    others = [i for i in range(len(systems)) if i != centre]
    place = np.full(len(systems), -1)
    place[others] = np.arange(len(others))
    is_left = (tally.left == centre)[tally.pair]
    rival = np.where(is_left, tally.right[tally.pair], tally.left[tally.pair])
    values = np.zeros((len(others), tally.units))
    present = np.zeros(values.shape, dtype=bool)
    cells = (place[rival], tally.unit)
    values[cells] = np.where(is_left, tally.n - tally.shares, tally.shares) / tally.n
    present[cells] = True
    return Panel.of("mean", tuple(systems[i] for i in others), values, present)


def _through_model(
    names: tuple[str, str], contrast: Estimate, strengths: Strengths, alpha: float, order: Order, met: PreferencePair | None
) -> PreferencePair:
    """Two systems by their strengths alone."""
    low, high = contrast.limits(alpha)
    counts = (0, 0, 0)
    if met is not None:
        counts = (met.wins, met.ties, met.losses) if met.a == names[0] else (met.losses, met.ties, met.wins)
    pair = PreferencePair(
        *names,
        *counts,
        strengths.rate(contrast.value),
        strengths.rate(low),
        strengths.rate(high),
        model_p(contrast, contrast.value),
        contrast.units,
        "model",
        order=order,
    )
    return pair if contrast.value >= 0 else swap_systems(pair)


def model_p(contrast: Estimate, statistic: float) -> PValue:
    """The two-sided p of equal strengths by Student's t distribution."""
    log_p, test, n = contrast.log_p(), "bradley-terry", contrast.units
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="jackknife", test=test, statistic=statistic, n=n)


def correct_pairs(
    pairs: Sequence[PreferencePair], correction: str, systems: int, *, by_strengths: bool = False
) -> tuple[list[PreferencePair], Family]:
    """The pairs with adjusted p-values; pairs without a test are not in the family, unless the correction needs all pairs.

    Tests that decide are the family: with `by_strengths`, those of strengths where there are such. The others are corrected
    for all of their own kind, direct games or strengths.
    """
    decided = [by_strengths and pair.strength_p is not None for pair in pairs]
    claims = [pair.strength_p if strong else pair.p for pair, strong in zip(pairs, decided, strict=True)]
    games, _ = correct_tests([pair.p for pair in pairs], correction, systems)
    contrasts, _ = correct_tests([pair.strength_p for pair in pairs], correction, systems)
    deciding, family = correct_tests(claims, correction, systems)
    with_p = []
    for pair, strong, p, strength_p, claim in zip(pairs, decided, games, contrasts, deciding, strict=True):
        tests = (p, claim) if strong else (claim, strength_p)
        with_p.append(replace(pair, p=tests[0], strength_p=tests[1], decided_by_strength=strong))
    return with_p, family


# What decides who is ahead, strengths over all battles or the direct games of each pair, and what depends on their mix.
#
# A strength is what fits all battles best as they were scheduled, so strengths are tested as such, "stronger in this mix of
# battles". Where the test against circles rejects one strength per system, they are no summary of who beats whom, and
# direct games decide. Where all systems met one baseline and nobody else, strengths say what the games say, whose tests are
# exact.


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
    circles, sets, intransitivity
        Circles of systems that are ahead of each other, the sets they are in, and the test against all circles; None for two.
    notes
        Why it is decided that way, where that has to be said.
    """

    pairs: list[PreferencePair]
    family: Family
    better: Array
    preferred: Array
    circles: list[list[int]]
    sets: Array
    intransitivity: Intransitivity | None
    notes: list[Note]


def decide(
    request: PreferRequest, sums: Sums, strengths: Strengths, systems: Sequence[str], order: Order, unit: str
) -> Decision:
    """Test and decide every pair; `systems` are strongest first."""
    alpha, k = request.alpha, len(systems)
    circle_test = None if k < 3 else score_test(sums.tally, strengths)
    tested = pairs_with_tests(sums.names, sums.tally, strengths, request, order, unit)
    baseline = baseline_in(sums.tally) is not None
    pairs, family = correct_pairs(_by_games(tested, systems), request.correction, k)
    better = _ahead(pairs, systems, alpha)
    circles, sets = circles_of(better)
    by_strengths, notes = _by_what(request, circle_test, baseline=baseline, circles=bool(circles))
    if not by_strengths:
        return Decision(pairs, family, better, better, circles, sets, circle_test, notes)
    preferred = _ahead([pair for pair in pairs if pair.by == "games"], systems, alpha)
    pairs, family = correct_pairs(_by_strengths(tested, systems), request.correction, k, by_strengths=True)
    better = _ahead(pairs, systems, alpha)
    return Decision(pairs, family, better, preferred, *circles_of(better), circle_test, notes)


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
    place, kinds = {name: i for i, name in enumerate(systems)}, ("games", "baseline", "model")
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

"""From a request to win rates, strengths, and the effects of position, length and judge."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, finite
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress
from outscore.formats.battles.read import refuse_unused
from outscore.formats.tables.names import join_names, suggest_name
from outscore.inference.leaderboard import groups_of, rank_intervals, tiers_of
from outscore.inference.preferences.agreement import seen_order, single_pair, single_pairs
from outscore.inference.preferences.strengths import Strengths, elo_of, order_by_strength, strengths_of, with_equal_pairs
from outscore.inference.preferences.sums import Sums, sums_of
from outscore.inference.preferences.tally import Tally
from outscore.language.lines import preference_signature
from outscore.language.numbers import count
from outscore.language.verdict.preference import (
    SAME,
    BattleFacts,
    circle_text,
    preference_contradiction,
    preference_sentence,
    preference_verdict,
)
from outscore.results.note import Note
from outscore.results.preference import BattleReading, Labelled, Order, Preference, PreferencePair, Strength
from outscore.results.ranking import PairCounts
from outscore.scores.battles import Battles
from outscore.scores.system import Origin
from outscore.workflows.names import at_the_door, path_texts
from outscore.workflows.prefer.findings import (
    at_equal_length,
    categories_of,
    judges_apart,
    judges_of,
    labels_of,
    length_of,
    position_of,
    theta_at_equal_length,
)
from outscore.workflows.prefer.inputs import (
    are_parts,
    battles_of,
    chosen,
    decided,
    is_battle_table,
    people_of,
    reading_of_battles,
    sum_parts,
    table_battles,
)
from outscore.workflows.prefer.pairs import MIN_PROMPTS, Decision, baseline_in, decide, mix_notes
from outscore.workflows.requests.prefer import PreferRequest

MAX_NAMED = 5


@at_the_door
def run(request: PreferRequest, *, engine: Engine | None = None, progress: Progress | None = None) -> Preference:
    """Analyse the battles of a request; `engine` counts Parquet files with too many battles to read at once."""
    request.validate()
    if are_parts(request, engine):
        sums, origins, notes = sum_parts(request, engine, progress)
        return conclude(sums, request, origins, notes)
    return analyse(battles_of(request, request.files), request, people_of(request))


def call(
    battles: object,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **given: Any,  # noqa: ANN401 - the keywords of `outscore.prefer`
) -> Preference:
    """`outscore.prefer`: a path, several, a table, or a dictionary of columns."""
    labels = given.pop("labels", None)
    handed = is_battle_table(labels)
    if labels is not None and not handed:
        if not isinstance(labels, (str, os.PathLike)):
            raise OutscoreError("`labels` is neither a path nor a table.", "Give one of them.", parameter="labels")
        given["labels"] = os.fspath(labels)
    if is_battle_table(battles) or handed:
        return _of_tables(battles, labels if handed else None, given)
    return run(PreferRequest.from_python(given, files=_paths(battles)), engine=engine, progress=progress)


def _paths(battles: object) -> tuple[str, ...]:
    if isinstance(battles, (list, tuple)) and any(isinstance(one, dict) for one in battles):
        raise OutscoreError(
            "`battles` is a list of dictionaries, not a path or a table.",
            "Make a table of them: `pandas.DataFrame(battles)` or `polars.DataFrame(battles)`.",
            parameter="files",
        )
    files = path_texts(battles if isinstance(battles, (list, tuple)) else [battles])
    if not files:
        raise OutscoreError(
            "`battles` contains something that is not a path.", "Give paths, or a table of battles.", parameter="files"
        )
    return tuple(files)


def _of_tables(battles: Any, labels: Any, given: dict[str, Any]) -> Preference:  # noqa: ANN401 - tables of whichever library
    """The same if battles or labels are a table."""
    request = PreferRequest.from_python(given)
    request.validate(files=False)
    choice = request.choice()
    if is_battle_table(battles):
        battles_read = table_battles(battles, choice, request.reader)
        refuse_unused(choice, [origin.format for origin in battles_read.origins])
    else:
        battles_read = battles_of(request, _paths(battles))
    return analyse(battles_read, request, people_of(request, labels))


def analyse(given: Battles, request: PreferRequest, labels: Battles | None = None) -> Preference:
    """The analysis of battles; `labels` are people's verdicts on some of the prompts."""
    wanted, people = _people_apart(chosen(given, request).compact(), request)
    battles = decided(wanted)
    return conclude(sums_of(wanted), request, given.origins, battles.notes, battles, labels if people is None else people)


def conclude(
    sums: Sums,
    request: PreferRequest,
    origins: Sequence[Origin],
    notes: Sequence[Note],
    battles: Battles | None = None,
    people: Battles | None = None,
) -> Preference:
    """The analysis of the sums of battles; lengths and people's verdicts need every one of the `battles`."""
    systems, tally, reading = sums.names, sums.tally, reading_of_battles(origins)
    unit = _unit(request, reading)
    order, order_notes = order_of(sums, request.order, unit)
    strengths = strengths_of(tally, request.alpha, request.ties)
    ranked = order_by_strength(strengths)
    names = [systems[i] for i in ranked]
    centre = baseline_in(tally)
    decision = decide(request, sums, strengths, names, order, unit)
    pairs = decision.pairs
    length, fit = (None, None) if battles is None else length_of(battles, request.alpha)
    listed, groups, group_note = _strengths(sums, strengths, ranked, decision, request, theta_at_equal_length(battles, fit))
    paths = [[names[place] for place in path] for path in decision.circles]
    remarks = [*_remarks(sums, strengths, decision, ranked, paths, unit), *mix_notes(listed, pairs, request.alpha)]
    left_out = f"{count(sums.undecided, 'battle')} without a verdict {'is' if sums.undecided == 1 else 'are'} left out."
    missing = [Note("reading", left_out)] if sums.undecided else []
    categories, omitted = categories_of(sums, names, order, request.alpha, request.correction)
    found = [*judges_apart(sums), *order_notes, *notes, *missing, *remarks, *group_note, *omitted]
    labels = None
    if battles is not None:
        pairs = at_equal_length(battles, fit, pairs, request.alpha)
        labels, label_notes = _labels(battles, people, pairs, request)
        found += label_notes
    facts = BattleFacts(
        systems=names,
        pairs=pairs,
        strengths=listed,
        counts=PairCounts(math.comb(len(systems), 2), decision.family.m, int(decision.better.sum())),
        family=decision.family,
        alpha=request.alpha,
        clusters=tally.units,
        battles=sums.battles,
        categories=categories,
        circles=paths,
        labels=labels,
        baseline=None if centre is None else systems[centre],
        unit=unit,
        strength=request.strength,
        graded=tally.graded,
        decided_by="strengths" if any(pair.decided_by_strength for pair in pairs) else "games",
    )
    return Preference(
        **vars(facts),
        **_words(facts, found, order, request.ties),
        position=position_of(sums, order, request.order, request.alpha),
        settings=request.settings(origins),
        reading=reading,
        length=length,
        judges=judges_of(sums, request.alpha),
        intransitivity=decision.intransitivity,
        groups=groups,
        undecided=sums.undecided,
    )


def _words(facts: BattleFacts, notes: Sequence[Note], order: Order, ties: str) -> dict[str, Any]:
    """The answer in words, with a note first if something contradicts it."""
    verdict, sentence = preference_verdict(facts), preference_sentence(facts)
    against = preference_contradiction(facts)
    if against is not None:
        notes, sentence = [against.note, *notes], f"{sentence} {against.sentence}"
    return {
        "verdict": verdict.text,
        "headline": verdict.headline,
        "reason": verdict.reason,
        "sentence": sentence,
        "order": order,
        "signature": preference_signature(facts, order=order, ties=ties),
        "notes": list(dict.fromkeys(notes)),
    }


def _unit(request: PreferRequest, reading: BattleReading) -> str:
    """What is swapped as one."""
    if request.cluster not in (None, "none"):
        return str(request.cluster)
    return "prompt" if "prompt" in reading.columns else "battle"


def _people_apart(battles: Battles, request: PreferRequest) -> tuple[Battles, Battles | None]:
    """The judge's battles, and those of the judge that stands for people, if one was named."""
    if request.people is None:
        return battles, None
    if battles.judges is None or request.people not in battles.judges.names:
        known = () if battles.judges is None else battles.judges.names
        hint = suggest_name(request.people, known) if known else "Name the column of judges with --judge COLUMN."
        raise OutscoreError(f"There is no judge `{request.people}`.", hint, parameter="people")
    own = battles.judges.codes == battles.judges.names.index(request.people)
    if own.all():
        raise OutscoreError(
            f"`{request.people}` is the only judge.", "Give verdicts of another judge as well.", parameter="people"
        )
    return battles.take(np.flatnonzero(~own)).compact(), battles.take(np.flatnonzero(own)).compact()


def _labels(
    battles: Battles, people: Battles | None, pairs: list[PreferencePair], request: PreferRequest
) -> tuple[Labelled | None, list[Note]]:
    if people is None:
        return None, []
    people = people.take(np.flatnonzero(people.decided)).compact()
    if not people.rows:
        raise OutscoreError(
            "None of people's verdicts are left.", "Check their column of verdicts, and the chosen systems.", parameter="labels"
        )
    if set(people.systems) != set(battles.systems) or len(battles.systems) != 2:
        raise OutscoreError(
            f"People judged {join_names(sorted(people.systems))}, but the judge judged {join_names(sorted(battles.systems))}.",
            "Labels work for the same two systems on both sides: choose them with --system NAME, given twice.",
            parameter="labels",
        )
    # If the order is declared unrecorded, that of the file means nothing.
    known = replace(battles, shown=None) if request.order == "unrecorded" else battles
    return labels_of(known, people, request.people or "people", pairs[0].a, request.alpha)


def order_of(sums: Sums, asked: str, unit: str = "battle") -> tuple[Order, list[Note]]:
    """What is known about the order, and notes on it; refuses data in which position and quality cannot be separated."""
    if len(sums.names) < 2:
        raise OutscoreError(f"Only `{sums.names[0]}` has battles.", "Give battles of at least two systems.", parameter="files")
    seen = seen_order(sums.tally)
    if asked == "unrecorded" or (asked == "auto" and seen == "unrecorded"):
        return "unrecorded", []
    if seen == "unrecorded":
        raise OutscoreError(
            f"--order is {asked}, but the files do not say which answer was shown first.",
            "Leave --order out, or name --position COLUMN.",
            parameter="order",
        )
    halves = sums.halves
    if seen == "both" or (seen == "mixed" and halves is not None and not halves["uneven"]):
        return "both", _lost_halves(halves["lost"] if halves is not None else 0)
    if asked == "fixed":
        if len(sums.names) > 2:
            raise OutscoreError(
                "--order fixed works for two systems only.", "Choose two with --system NAME.", parameter="order"
            )
        text = "Because orders were chosen, not drawn at random, the advantage of being shown first is not tested."
        return "fixed", [Note("omission", text)]
    if asked == "random":
        return "random", _one_order(sums)
    if seen == "single":
        first, second = (sums.names[i] for i in single_pair(sums.tally))
        always = f"Every battle of `{first}` and `{second}` names `{first}` first"
        two = "" if len(sums.names) == 2 else ", of two chosen with --system NAME,"
        raise OutscoreError(
            f"{always}, so being shown first cannot be distinguished from being better.",
            "If both orders were shown, or the order was random, but the file does not record it, give --order unrecorded;"
            f" if a column says who was shown first, --position COLUMN; if this was the only order, --order fixed{two} gives"
            " the win rate of two systems without a test.",
            parameter="order",
        )
    what = "Prompts" if unit == "prompt" else "Battles"
    text = f"{what} were judged in one order or the other, which is assumed to be random"
    chosen = "; if it was chosen, give --order fixed" if len(sums.names) == 2 else ""
    return "random", [Note("design", f"{text}{chosen}."), *_one_order(sums)]


def _one_order(sums: Sums) -> list[Note]:
    """A warning about pairs that were always shown in one order, which is unlikely if the order was random."""
    pairs = single_pairs(sums.tally)
    if not pairs:
        return []
    shown = [f"`{sums.names[first]}` before `{sums.names[second]}`" for first, second in pairs[:MAX_NAMED]]
    more = f", and likewise for {count(len(pairs) - MAX_NAMED, 'more pair')}" if len(pairs) > MAX_NAMED else ""
    them = "these two" if len(pairs) == 1 else "these"
    text = (
        f"Every battle names {', '.join(shown)}{more}: for {them}, being shown first cannot be distinguished from being better."
    )
    return [Note("warning", text)]


def _lost_halves(lost: int) -> list[Note]:
    """A note if verdicts of one order are missing."""
    if not lost:
        return []
    cases = count(lost, "case")
    text = f"Both orders of every prompt were judged; in {cases}, verdicts of one are missing, and the other counts for more."
    return [Note("design", text)]


def _places(decision: Decision, sets: Array) -> tuple[Array, Array, Array]:
    """The best and the worst place of each system within its set, and its tier; none in a circle is before another."""
    lowest, highest, tiers = np.zeros((3, len(sets)), dtype=np.int64)
    outside = decision.better & (decision.sets[:, None] != decision.sets[None, :])
    for one in np.unique(sets).tolist():
        members = np.flatnonzero(sets == one)
        lowest[members], highest[members] = rank_intervals(outside[np.ix_(members, members)])
        tiers[members] = tiers_of(outside[np.ix_(members, members)])
    return lowest, highest, tiers


def _strengths(
    sums: Sums,
    strengths: Strengths,
    ranked: list[int],
    decision: Decision,
    request: PreferRequest,
    at_equal_length: Mapping[str, float],
) -> tuple[list[Strength], list[list[str]], list[Note]]:
    systems, tally = sums.names, sums.tally
    k, sets = len(systems), strengths.group[ranked]
    lowest, highest, tiers = _places(decision, sets)
    equal = with_equal_pairs(tally, strengths, request.ties)
    # Systems of different sets share no letter: they cannot be compared.
    groups = groups_of(decision.better | (sets[:, None] < sets[None, :]))
    won, met, rows = np.zeros(k), np.zeros(k), np.zeros(k, dtype=np.int64)
    for side, lead in ((tally.left, tally.lead), (tally.right, -tally.lead)):
        np.add.at(won, side, (tally.total + lead) / 2)
        np.add.at(met, side, tally.total)
        np.add.at(rows, side, tally.wins + tally.ties + tally.losses)
    listed = []
    for place, i in enumerate(ranked):
        theta, bound = float(strengths.theta[i]), float(strengths.bound[i])
        low: float | None = None
        high: float | None = None
        if strengths.core[i]:
            low, high = map(finite, strengths.strength(i).limits(request.alpha))
        elif theta == math.inf:
            low = finite(bound)
        elif theta == -math.inf:
            high = finite(bound)
        value = finite(theta)
        listed.append(
            Strength(
                systems[i],
                value,
                elo_of(value),
                low,
                high,
                elo_of(low),
                elo_of(high),
                int(lowest[place]),
                int(highest[place]),
                int(rows[i]),
                float(won[i] / met[i]),
                groups.letters[place],
                int(strengths.group[i]),
                at_equal_length.get(systems[i]),
                equal_pairs=finite(float(equal[i])),
                tier=int(tiers[place]),
            )
        )
    names = [systems[i] for i in ranked]
    note = [] if groups.note is None else [Note("omission", groups.note)]
    return listed, [[names[i] for i in members] for members in groups.members], note


def _remarks(
    sums: Sums, strengths: Strengths, decision: Decision, ranked: list[int], circles: Sequence[list[str]], unit: str
) -> list[Note]:
    """Notes on what the data leave open: one prompt, unbeaten systems, sets that never met, places that pairs contradict."""
    notes, names, tally = [], sums.names, sums.tally
    if tally.units == 1:
        only = "There is one battle" if unit == "battle" else f"All battles are about one {unit}"
        notes.append(Note("warning", f"{only}, so nothing shows how other {unit}s would turn out."))
    elif tally.units < MIN_PROMPTS and _strangers(tally, strengths):
        text = f"There are only {tally.units} {unit}s, fewer than {MIN_PROMPTS}, so strengths are not tested."
        notes.append(Note("design", text))
    groups = int(strengths.group.max()) + 1
    if groups > 1:
        sets = [[names[i] for i in np.flatnonzero(strengths.group == g).tolist()] for g in range(groups)]
        shown = "; ".join(", ".join(members[:MAX_NAMED]) + (" ..." if len(members) > MAX_NAMED else "") for members in sets[:3])
        more = f" and {groups - 3} more" if groups > 3 else ""
        start = f"The systems fall into {groups} sets that never met, not even through others: {shown}{more}."
        notes.append(Note("warning", f"{start} Strengths and places are only comparable within a set."))
    unbeaten = [names[i] for i in np.flatnonzero(np.isposinf(strengths.theta)).tolist()]
    winless = [names[i] for i in np.flatnonzero(np.isneginf(strengths.theta)).tolist()]
    for who, did, which in ((unbeaten, "never lost to", "lower"), (winless, "never won against", "upper")):
        if who and len(names) > 2:
            start = f"{_listed(who)} {did} a system of finite strength, so no finite strength fits"
            notes.append(Note("data", f"{start}; the {which} bound is shown."))
    unknown = [names[i] for i in np.flatnonzero(np.isnan(strengths.theta)).tolist()]
    if unknown:
        notes.append(
            Note("data", f"{_listed(unknown)} cannot be placed: chains of wins lead in neither direction, or in both.")
        )
    notes += _no_interval(names, tally, strengths, unit)
    order = [names[i] for i in ranked]
    theta = strengths.theta[ranked].tolist()
    for circle in circles:
        start = f"Significant preferences run in a circle: {circle_text(circle)}"
        notes.append(Note("warning", f"{start}. No order of these systems agrees with all of them; trust the pairs."))
    in_circles = {two for circle in circles for two in zip(circle, circle[1:] + circle[:1], strict=True)}
    against = [
        (low, high)
        for low, high in np.argwhere(np.tril(decision.preferred, -1)).tolist()
        if (order[low], order[high]) not in in_circles and not theta[high] - theta[low] < SAME
    ]
    if against:
        place = 1 + np.arange(len(order)) - np.searchsorted(strengths.group[ranked], strengths.group[ranked])
        shown = ", ".join(
            f"{order[low]} (place {place[low]}) to {order[high]} ({place[high]})" for low, high in against[:MAX_NAMED]
        )
        start = f"In {count(len(against), 'pair')}, the system with less strength is significantly preferred in direct games"
        notes.append(
            Note("warning", f"{start}: {shown}. One strength per system does not explain everything; trust the pairs.")
        )
    return [*notes, *decision.notes]


def _strangers(tally: Tally, strengths: Strengths) -> bool:
    """Whether some pairs can only be compared by strengths."""
    sizes = np.bincount(strengths.group)
    return baseline_in(tally) is None and tally.pairs < int((sizes * (sizes - 1) // 2).sum())


def _no_interval(names: Sequence[str], tally: Tally, strengths: Strengths, unit: str) -> list[Note]:
    """Why finite strengths have no interval."""
    if len(names) < 3:
        return []
    cores = np.bincount(strengths.group[strengths.core], minlength=int(strengths.group.max()) + 1)
    alone = strengths.core & (cores[strengths.group] == 1)
    errors = {i: strengths.strength(i).error for i in np.flatnonzero(strengths.core & ~alone).tolist()}
    still = [i for i, error in errors.items() if error == 0]
    held = [i for i, error in errors.items() if math.isnan(error)]
    notes = []
    if alone.any():
        who = _listed([names[i] for i in np.flatnonzero(alone).tolist()])
        text = (
            f"{who}: no other system of the set has a finite strength, so the scale starts here at 1000, without an interval."
        )
        notes.append(Note("data", text))
    if still and tally.units > 1:
        who = _listed([names[i] for i in still])
        text = f"The strength of {who} has no interval, because wins and losses balance in the same way on every {unit}."
        notes.append(Note("data", text))
    if held and tally.units > 1:
        who = _listed([names[i] for i in held])
        text = f"The strength of {who} has no interval, because without a single {unit} nothing compares it with most others."
        notes.append(Note("data", text))
    return notes


def _listed(names: list[str]) -> str:
    shown = names[:MAX_NAMED]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"{', '.join(shown)}{more}"

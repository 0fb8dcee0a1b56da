"""How verdicts depend on position, length and judge, what people would say, and how systems do by category of prompt."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, finite
from outscore.formats.tables.names import join_names
from outscore.inference.families import beyond_one_table, correct_tests
from outscore.inference.preferences.agreement import alpha_of, kappa_of, seen_order
from outscore.inference.preferences.models import Fit, fit_lengths
from outscore.inference.preferences.strengths import elo_of, strengths_of
from outscore.inference.preferences.sums import MAX_CATEGORIES, Sums
from outscore.inference.preferences.tally import Tally, against_all, tally_of
from outscore.inference.preferences.win_rates import (
    MIN_JUDGED,
    MIN_LABELS,
    audit_p,
    flip_p,
    independent_p,
    labelled_share,
    mean_limits,
    win_rates,
)
from outscore.language.numbers import count
from outscore.laws import student, t_quantile
from outscore.results.note import Note
from outscore.results.preference import (
    Agreement,
    Alpha,
    Categories,
    CategoryRow,
    JudgeRow,
    Judges,
    Labelled,
    Length,
    Order,
    Position,
    PreferencePair,
)
from outscore.results.pvalue import PValue
from outscore.scores.battles import Battles

MAX_NAMED = 10
"""The number of judges up to which they are named; more are crowd workers who each judged a little."""
AUDITED = 0.01
"""A p of the audit below this says that the labelled prompts are not a random sample."""
IN_ORDER = (
    "The judge's agreement and error are measured on its verdicts in the order that people saw; the estimate uses all of its"
    " verdicts on a prompt, as on the prompts without a label."
)


def position_of(sums: Sums, order: Order, asked: str, alpha: float) -> Position | None:
    """The advantage of being shown first; None if no order is known, or if that cannot be distinguished from being better."""
    tally, swapped = sums.places, sums.swapped
    if tally is None or order == "fixed" or asked == "unrecorded" or seen_order(sums.tally) == "single":
        return None
    p = flip_p(tally.d, alpha)
    rate, low, high = win_rates(tally, alpha).kept(0, p, alpha)
    return Position(
        int(tally.wins[0]),
        int(tally.losses[0]),
        int(tally.ties[0]),
        p,
        tally.units,
        float(independent_p(tally.wins, tally.losses)[0]) if tally.plain[0] else None,
        rate,
        finite(low),
        finite(high),
        swapped["compared"],
        swapped["flipped"],
        swapped["flipped"] / swapped["compared"] if swapped["compared"] else None,
        swapped["questions"],
        _shown_systems(sums),
    )


def _shown_systems(sums: Sums) -> list[str]:
    """The systems of battles whose order is known, if that of others is not."""
    tally = sums.tally
    shown = tally.by_pair(tally.n_shown)
    if (shown == tally.total).all():
        return []
    known = np.flatnonzero(shown > 0)
    return [sums.names[i] for i in np.unique(np.concatenate([tally.left[known], tally.right[known]])).tolist()]


def length_of(battles: Battles, alpha: float) -> tuple[Length | None, Fit | None]:
    """The advantage of a longer answer, and the fit it comes from."""
    fit = fit_lengths(battles)
    if fit is None:
        return None, None
    df, error = fit.units - 1, fit.coefficient_error()
    reach = t_quantile(df, alpha) * error
    if not error > 0:
        return None, None
    p = 2 * student(df, -abs(fit.coefficient) / error)
    length = Length(fit.coefficient, fit.coefficient - reach, fit.coefficient + reach, p, fit.battles, fit.units)
    return length, fit


def theta_at_equal_length(battles: Battles | None, fit: Fit | None) -> dict[str, float]:
    """Log-odds at equal length by system; empty if no lengths are known."""
    return {} if battles is None or fit is None else dict(zip(battles.systems, fit.theta.tolist(), strict=True))


def at_equal_length(battles: Battles, fit: Fit | None, pairs: list[PreferencePair], alpha: float) -> list[PreferencePair]:
    """The pairs with win rates at equal length.

    They come from each pair's direct games if all systems met one baseline, or there are two systems; otherwise only
    strengths are given.
    """
    if fit is None:
        return pairs
    place = {name: i for i, name in enumerate(battles.systems)}
    found = []
    for pair in pairs:
        own: Fit | None = fit
        among = battles
        if pair.by == "games" and len(battles.systems) > 2:
            wanted = (place[pair.a], place[pair.b])
            rows = np.isin(battles.first, wanted) & np.isin(battles.second, wanted)
            among = battles.take(np.flatnonzero(rows)).compact()
            own = fit_lengths(among)
        which = among.systems.index(pair.a), among.systems.index(pair.b)
        found.append(pair if pair.by != "games" or own is None else _levelled(pair, own, which, alpha))
    return found


def _levelled(pair: PreferencePair, fit: Fit, which: tuple[int, int], alpha: float) -> PreferencePair:
    import scipy.special

    gap, error = fit.contrast(*which)
    reach = t_quantile(fit.units - 1, alpha) * error
    value, low, high = (float(scipy.special.expit(x)) for x in (gap, gap - reach, gap + reach))
    return replace(pair, equal_length=value, equal_length_low=low, equal_length_high=high)


def judges_apart(sums: Sums) -> list[Note]:
    """A warning if judges judged no battle in common: systems may then differ because of who judged them."""
    judged = sums.judged
    if judged is None or judged.several.items:
        return []
    used = [judged.judges.names[code] for code in np.flatnonzero(judged.verdicts).tolist()]
    if not 1 < len(used) <= MAX_NAMED:
        return []
    text = f"{join_names(used)} judged no battle in common, so systems may differ because of who judged them; see --only-judge."
    return [Note("warning", text)]


def judges_of(sums: Sums, alpha: float) -> Judges | None:
    """How far several judges agree; None unless two judged the same."""
    judged = sums.judged
    if judged is None or not judged.several.items:
        return None
    judges = judged.judges
    used = np.flatnonzero(judged.verdicts + judged.undecided).tolist()
    if len(used) < 2:
        return None
    rows = []
    for code in used:
        n = int(judged.verdicts[code])
        rate = float(judged.won[code]) / n if n and len(sums.names) == 2 else None
        undecided, ties, repeated = (int(counts[code]) for counts in (judged.undecided, judged.ties, judged.repeated))
        rows.append(JudgeRow(judges.names[code], n, undecided, ties, rate, repeated))
    pairs = []
    for (one, other), tables in judged.pairs.items():
        if tables.items:
            (agreed, *ends), kappa = kappa_of(tables, alpha)
            low, high, coefficient, least, most = map(finite, (*ends, *kappa))
            names, units = (judges.names[one], judges.names[other]), len(tables.tables)
            pairs.append(Agreement(names, tables.items, agreed, low, high, coefficient, least, most, units))
    several = judged.several
    value, low, high = map(finite, alpha_of(several, alpha))
    return Judges(rows, pairs, Alpha(value, low, high, several.items, len(several.tables)))


def labels_of(battles: Battles, labels: Battles, people: str, ahead: str, alpha: float) -> tuple[Labelled, list[Note]]:
    """The win rate of `ahead` that people would give, from their verdicts on some prompts and the judge's on all."""
    judged, known = _leads(battles, ahead), _leads(labels, ahead)
    strangers = [prompt for prompt in known if prompt not in judged]
    both = [prompt for prompt in judged if prompt in known]
    if len(both) < MIN_LABELS:
        raise OutscoreError(
            f"People and the judge share {count(len(both), 'prompt')}, but at least {MIN_LABELS} are needed.",
            "Check that both use the same names of prompts, and let people judge more of them; 20 make it useful.",
            parameter="labels",
        )
    human, machine = (np.array([_win_rate(leads[prompt]) for prompt in both]) for leads in (known, judged))
    matched = _in_their_orders(judged, known, both)
    rest = np.array([_win_rate(orders) for prompt, orders in judged.items() if prompt not in known])
    estimate = labelled_share(human, machine, rest, alpha)
    audit = audit_p(machine, rest)
    bias_low, bias_high = mean_limits(matched - human, alpha)
    sides = np.sign(human - 0.5), np.sign(matched - 0.5)
    labelled = Labelled(
        people,
        len(both),
        len(rest),
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.p,
        estimate.weight,
        *estimate.alone,
        float(np.mean([*machine, *rest])),
        estimate.effective,
        float((matched - human).mean()),
        bias_low,
        bias_high,
        float((sides[0] == sides[1]).mean()),
        _kappa(*sides),
        audit,
    )
    orders = [] if np.array_equal(matched, machine) else [Note("method", IN_ORDER)]
    notes = _label_notes(labelled, len(strangers))
    return labelled, [*_one_order(labels), *notes, *orders]


def _one_order(labels: Battles) -> list[Note]:
    """A warning if people always saw the same system first."""
    if seen_order(_tally_prompts(labels)) != "single":
        return []
    first = labels.systems[int(labels.first[0])]
    text = f"All verdicts of people name `{first}` first: if they saw it first, that may be why they preferred it."
    return [Note("warning", text)]


def _label_notes(labelled: Labelled, strangers: int) -> list[Note]:
    notes = []
    if labelled.unlabelled:
        notes.append(Note("assumption", "The labelled prompts are assumed to be a random sample of all prompts."))
    if labelled.audit_p is not None and labelled.audit_p <= AUDITED:
        text = (
            "The judge's verdicts on the labelled prompts differ from those on the others: if they are not a random sample, the"
            " estimate of people's win rate is biased."
        )
        notes.append(Note("warning", text))
    if not labelled.judged and labelled.unlabelled:
        few = f"The judge counts from {MIN_JUDGED} labelled prompts on, and there are {labelled.labelled}"
        if labelled.labelled >= MIN_JUDGED:
            few = "Only one prompt has no label"
        notes.append(Note("method", f"{few}: only the labels are used."))
    if strangers:
        many = "prompt that people judged is" if strangers == 1 else "prompts that people judged are"
        notes.append(Note("input", f"{strangers:,} {many} not among the judge's and left out."))
    return notes


def _kappa(one: np.ndarray, other: np.ndarray) -> float | None:
    agreed = float((one == other).mean())
    chance = sum(float((one == side).mean()) * float((other == side).mean()) for side in (-1.0, 0.0, 1.0))
    return None if chance >= 1 else (agreed - chance) / (1 - chance)


Lead = tuple[float, float]
"""How many verdicts there are on a prompt, and a system's wins minus losses in the mean of them; nan of none."""
Leads = Mapping[str, Sequence[Lead]]
"""By prompt: over all verdicts, over those with the system shown first, and second."""


def _win_rate(orders: Sequence[Lead]) -> float:
    """The win rate on a prompt, whichever was shown first."""
    return (1 + orders[0][1]) / 2


def _in_their_orders(judged: Leads, known: Leads, prompts: Sequence[str]) -> Array:
    """The judge's win rate on each prompt, each order as often as in the labels; all its verdicts if a label has no order.

    The same goes for an order in which the judge has no verdict.
    """
    rates = []
    for prompt in prompts:
        whole, first, second = (lead for _, lead in judged[prompt])
        n, n_first, n_second = (verdicts for verdicts, _ in known[prompt])
        own = (n_first, n_second, n - n_first - n_second)
        leads = [whole if math.isnan(lead) else lead for lead in (first, second, whole)]
        rates.append((1 + sum(map(operator.mul, own, leads)) / n) / 2)
    return np.array(rates)


def _leads(battles: Battles, ahead: str) -> Leads:
    """The leads of a system on every prompt."""
    tally = _tally_prompts(battles)
    whole, first = (tally.n, tally.d), (tally.n_first, tally.d_first)
    second = (tally.n_shown - tally.n_first, tally.d_shown - tally.d_first)
    orders = [whole, first, second]
    if battles.systems[int(tally.left[0])] != ahead:
        orders = [(n, -d) for n, d in (whole, second, first)]
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = np.array([(n, d / n) for n, d in orders]).transpose(2, 0, 1).tolist()
    kept = np.unique(battles.prompts.codes[battles.decided])
    names = [battles.prompts.names[code] for code in kept.tolist()]
    return {names[unit]: [(n, lead) for n, lead in row] for unit, row in zip(tally.unit.tolist(), rows, strict=True)}


def _tally_prompts(battles: Battles) -> Tally:
    return tally_of(replace(battles, clusters=None))


def categories_of(
    sums: Sums, ranked: Sequence[str], order: Order, alpha: float, correction: str
) -> tuple[Categories | None, list[Note]]:
    """A row for every category and system, strongest systems first; None unless there are two categories.

    H0 of a row: on every prompt of the category the system is exchangeable with those it met, so its wins minus its losses
    could as well have the other sign. With two systems only the first has a row, because the other's says the same.
    """
    if sums.categories is None:
        text = f"There are more than {MAX_CATEGORIES} categories, too many to analyse; --category names another column."
        return None, [Note("omission", text)]
    if len(sums.categories) < 2:
        return None, []
    shown = ranked[:1] if len(ranked) == 2 else ranked
    rows = [row for name, own in sums.categories.items() for row in _rows(name, own, shown, order, alpha)]
    tests, family = correct_tests([row.p for row in rows], beyond_one_table(correction))
    return Categories([replace(row, p=p) for row, p in zip(rows, tests, strict=True)], family), []


def _rows(category: str, sums: Sums, shown: Sequence[str], order: Order, alpha: float) -> list[CategoryRow]:
    tally = against_all(sums.tally)
    rates, strengths = win_rates(tally, alpha), strengths_of(sums.tally, alpha)
    meetings = tally.meetings
    place = {sums.names[system]: pair for pair, system in enumerate(tally.left.tolist())}
    rows = []
    for name in shown:
        if name not in place:
            continue
        i = place[name]
        # If orders were chosen, swapping names would mistake position for quality.
        p: PValue | None = None if order == "fixed" else flip_p(tally.d[tally.cells_of(i)], alpha)
        rate, low, high = rates.kept(i, p, alpha)
        system = int(tally.left[i])
        # Against an average system of the category; None if it is not finite.
        odds: tuple[float | None, ...] = (None, None, None)
        if strengths.core[system]:
            odds = tuple(map(finite, (float(strengths.theta[system]), *strengths.strength(system).limits(alpha))))
        rows.append(
            CategoryRow(
                category,
                name,
                int(tally.wins[i]),
                int(tally.ties[i]),
                int(tally.losses[i]),
                int(meetings[i]),
                rate,
                finite(low),
                finite(high),
                p,
                odds[0],
                *map(elo_of, odds),
            )
        )
    return rows

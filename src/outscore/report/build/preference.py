"""How battles are reported: the verdict, strengths and pairs, the effects of position, length and judge, and the method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from outscore.inference.power.observed import needed_of_battles, times_of_interval
from outscore.language.numbers import count, format_level, format_number, format_p, format_p_number, format_probability
from outscore.language.phrases import corrected_by, correction_name, join_words, nearest_to_decided, sharing, times_as_much
from outscore.language.verdict.preference import SAME, battle_facts, battle_reading_line, cluster_text, format_rate, rate_ends
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.build.common import Kind, Line
from outscore.report.citations import uses_of_preference
from outscore.report.document import Fact, Records, Table, clean
from outscore.report.rows.columns import Column, Text, between, by_tier, digits, ends, interval_head, number, tabulate, words
from outscore.results import preference
from outscore.results.note import note_texts, texts_below
from outscore.results.pvalue import PValue

MAX_PLACED = 6
"""How many systems are named if position is about some of them only."""
MAX_LEVELLED = 5
"""How many pairs a report gives win rates at equal length for."""
NO_INTERVAL = "no interval, because leaving out single prompts does not show how much it varies"
UNDEFINED = "undefined (all verdicts are the same)"
BY = {"games": "games", "baseline": "baseline", "model": "model"}
ORDERS = {
    "both": "both orders of every prompt",
    "random": "random",
    "unrecorded": "not recorded: assumed to be both orders or random",
}
PAIR_COLUMNS = (
    "a", "b", "by", "wins", "ties", "losses", "win_rate", "low", "high", "p", "p_adjusted", "p_method", "clusters",
    "standard_error", "rows_standard_error", "independent_p", "both_orders", "equal_length", "equal_length_low",
    "equal_length_high", "difference", "difference_low", "difference_high", "log_odds", "order", "note", "log_odds_low",
    "log_odds_high", "strength_p", "strength_p_adjusted", "decided_by_strength",
)  # fmt: skip
STRENGTH_COLUMNS = (
    "system", "log_odds", "low", "high", "elo", "elo_low", "elo_high", "rank_low", "rank_high", "battles", "win_rate",
    "letters", "component", "equal_length", "equal_pairs", "tier",
)  # fmt: skip

CATEGORY_COLUMNS = (
    "category", "system", "wins", "ties", "losses", "clusters", "win_rate", "low", "high", "p", "p_adjusted", "p_method",
    "log_odds", "elo", "elo_low", "elo_high",
)  # fmt: skip


def elo_name(result: preference.Preference) -> str:
    """The name of the scale of strengths: 1000 is the average where it covers several systems of a set."""
    sets = [one.component for one in result.strengths if one.elo is not None]
    return "Elo, 1000 is average" if len(sets) > len(set(sets)) else "Elo, the scale starts at 1000"


def decided(result: preference.Preference) -> bool:
    """Whether the verdict names a winner: one of two systems, or a leader that beats all others."""
    if result.labels is not None:
        return result.labels.p.rejects(result.alpha)
    if len(result.systems) == 2:
        return result.pairs[0].is_significant(result.alpha)
    leader = result.systems[0]
    return sum(pair.a == leader and pair.is_significant(result.alpha) for pair in result.pairs) == len(result.systems) - 1


def set_places(result: preference.Preference) -> list[int]:
    """The place of every system by strength within its set; the systems of a set are adjacent."""
    seen: dict[int, int] = {}
    places = []
    for one in result.strengths:
        seen[one.component] = seen.get(one.component, 0) + 1
        places.append(seen[one.component])
    return places


def _group_range(letters: str) -> str:
    """Three and more neighbouring letters as a range, as in a ranking.

    Examples
    --------
    >>> _group_range("abcd"), _group_range("acd"), _group_range("ab")
    ('a-d', 'acd', 'ab')
    """
    neighbours = len(letters) > 2 and all(ord(later) - ord(one) == 1 for one, later in pairwise(letters))
    return f"{letters[0]}-{letters[-1]}" if neighbours else letters


def strength_table(result: preference.Preference, most: int | None = None, *, board: bool = False) -> Table:
    """Systems by strength, the strongest first; that of a `board` has a line above each tier."""
    apart = len({one.component for one in result.strengths}) > 1
    place = dict(zip((one.system for one in result.strengths), set_places(result), strict=True))
    columns: list[Column[preference.Strength]] = [
        Column("", lambda one: place[one.system], str),
        words("system", lambda one: one.system),
        Column("set", lambda one: one.component + 1, str, when=apart),
        Column("Elo", lambda one: one.elo, "{:.0f}".format),
        words(interval_head(result.alpha), _elo_limits),
        Column("log-odds", _log_odds, number(3, sign=True)),
        Column("won", lambda one: one.win_rate, format_rate),
        Column("battles", lambda one: one.battles),
        Column("ranks", lambda one: between(one.rank_low, one.rank_high)),
        words("groups", lambda one: _group_range(one.letters)),
    ]
    notes = [_more(len(result.strengths), most, "system")]
    notes += ["Elo, places, ranks and groups apply within a set."] if apart else []
    listed: list[preference.Strength | str] = list(result.strengths[:most])
    if board and not apart:
        listed, tiers = by_tier(result.strengths)
        notes += tiers
    return tabulate("strengths", "Strengths", columns, listed, notes, splits=board, tiered=board)


def _more(every: int, most: int | None, noun: str) -> str:
    return f"and {count(every - most, f'more {noun}')}" if most is not None and every > most else ""


def _elo_limits(one: preference.Strength) -> Text | None:
    """The interval of a strength; only one end of an unbeaten system's."""
    if one.elo is not None:
        return None if one.elo_low is None else Text(f"{one.elo_low:.0f} to {one.elo_high:.0f}", one.elo_low)
    if one.elo_low is not None:
        return Text(f"at least {one.elo_low:.0f}", one.elo_low)
    return None if one.elo_high is None else Text(f"at most {one.elo_high:.0f}")


def _log_odds(one: preference.Strength) -> float | None:
    value = one.log_odds or 0.0
    if one.elo is None:
        return None
    return value if abs(value) >= SAME else 0.0


def pair_table(result: preference.Preference, most: int | None = None) -> Table:
    """Every pair: games, win rate or difference, interval and p; and the strengths, whichever of both decides."""
    by_strengths = result.decided_by == "strengths"
    both = not by_strengths and any(pair.strength_p is not None for pair in result.pairs)
    heads = ("stronger", "than") if by_strengths else ("preferred", "to")
    columns: list[Column[preference.PreferencePair]] = [
        words(heads[0], lambda pair: pair.a),
        words(heads[1], lambda pair: pair.b),
        words("by", lambda pair: BY[pair.by]),
        Column("won", lambda pair: pair.wins if _met(pair) else None),
        Column("tied", lambda pair: pair.ties if _met(pair) else None),
        Column("lost", lambda pair: pair.losses if _met(pair) else None),
        Column("win rate", _rate),
        words(interval_head(result.alpha), _rate_limits),
        Column("games p", lambda pair: None if pair.by == "model" else pair.p, format_p_number, when=by_strengths),
        Column(
            "log-odds",
            lambda pair: (pair.log_odds or 0.0) if pair.decided_by_strength else None,
            number(3, sign=True),
            when=by_strengths,
        ),
        Column("p", lambda pair: pair.deciding, format_p_number),
        Column("adjusted p", lambda pair: pair.deciding and pair.deciding.adjusted, format_probability),
        Column("strengths p", lambda pair: pair.strength_p, format_p_number, when=both),
        words("", lambda pair: "*" if pair.is_significant(result.alpha) else None),
    ]
    shown = result.pairs[:most]
    return tabulate("pairs", "Pairs", columns, shown, [_more(len(result.pairs), most, "pair"), *_pair_notes(result, shown)])


def _pair_notes(result: preference.Preference, shown: Sequence[preference.PreferencePair]) -> list[str]:
    notes = []
    if any(pair.by == "baseline" for pair in shown):
        shared = f"both against {result.baseline} on the same prompts"
        notes.append(f"by baseline: {shared}; prompts won, tied and lost, and the mean difference, each prompt counted once.")
    if any(pair.by == "model" for pair in shown):
        notes.append("by model: predicted from the strengths, because the pair has too few games of its own.")
    if result.decided_by == "strengths":
        notes.append("p and adjusted p: equal strengths, over all battles; games p: direct games alone, not corrected.")
        if not all(pair.decided_by_strength for pair in shown):
            notes.append("pairs without log-odds are decided by direct games.")
    elif any(pair.strength_p is not None for pair in result.pairs):
        notes.append("strengths p: equal strengths over all battles, not corrected, which does not decide here.")
    return notes


def _met(pair: preference.PreferencePair) -> bool:
    return any((pair.wins, pair.ties, pair.losses))


def _rate(pair: preference.PreferencePair) -> Text | None:
    """The win rate, or the mean difference of games against the baseline."""
    if pair.by != "baseline":
        return Text(format_rate(pair.win_rate), pair.win_rate)
    return None if pair.difference is None else Text(f"{100 * pair.difference:+.1f}%", pair.difference)


def _rate_limits(pair: preference.PreferencePair) -> Text:
    low, high, sign = pair.low, pair.high, ""
    if pair.by == "baseline":
        low, high, sign = pair.difference_low, pair.difference_high, "+"
    return Text(rate_ends(low, high, sign=sign), low)


def category_table(result: preference.Preference, categories: preference.Categories, most: int | None = None) -> Table:
    """Every category: each system against all it met there."""
    many = len(result.systems) > 2
    columns: list[Column[preference.CategoryRow]] = [
        words("category", lambda row: row.category),
        words("system", lambda row: row.system),
        Column("won", lambda row: row.wins),
        Column("tied", lambda row: row.ties),
        Column("lost", lambda row: row.losses),
        Column(f"{result.unit}s", lambda row: row.clusters),
        Column("win rate", lambda row: row.win_rate, format_rate),
        words(interval_head(result.alpha), lambda row: Text(rate_ends(row.low, row.high), row.low)),
        Column("Elo", lambda row: row.elo, "{:.0f}".format, when=many),
        Column("p", lambda row: row.p, format_p_number),
        Column("adjusted p", lambda row: row.p and row.p.adjusted, format_probability),
        words("", lambda row: "*" if row.is_significant(result.alpha) else None),
    ]
    family, judge = categories.family, "" if result.labels is None else "by the judge, "
    rivals = f"{judge}against {'all systems it met there' if many else result.pairs[0].b}"
    corrected = f"{corrected_by(family, 'test')} ({family.error_rate})"
    notes = [_more(len(categories.rows), most, "row"), f"{rivals}, ties count as half; {corrected}."]
    return tabulate("categories", "Categories", columns, categories.rows[:most], notes)


def agreement_table(result: preference.Preference) -> Table | None:
    """How much each two judges agree."""
    if result.judges is None or not result.judges.pairs:
        return None
    name = interval_head(result.alpha)
    columns: list[Column[preference.Agreement]] = [
        words("judge", lambda one: one.judges[0]),
        words("judge", lambda one: one.judges[1]),
        Column("items", lambda one: one.items),
        Column("agree", lambda one: one.agreement, format_rate),
        words(name, lambda one: Text(rate_ends(one.low, one.high), one.low)),
        Column("kappa", lambda one: "undefined" if one.kappa is None else Text(format_number(one.kappa, 3), one.kappa)),
        words(name, lambda one: (one.kappa_low, one.kappa_high), ends(3)),
    ]
    return tabulate("judges", "Judges", columns, result.judges.pairs, _agreement_notes(result.judges))


def _agreement_notes(judges: preference.Judges) -> list[str]:
    """Notes on the numbers of two judges: why one is missing, and how missing and repeated verdicts count."""
    notes = []
    if any(one.kappa is None for one in judges.pairs):
        notes.append(f"kappa {UNDEFINED}.")
    if any(one.kappa is not None and one.kappa_low is None and one.clusters > 1 for one in judges.pairs):
        notes.append(f"kappa has {NO_INTERVAL}.")
    if any(one.undecided for one in judges.judges):
        notes.append("a missing verdict counts as a disagreement with a given one; alpha leaves missing verdicts out.")
    if any(one.repeated for one in judges.judges):
        notes.append("several verdicts of one judge on an item count as one, in proportion.")
    return notes


def facts(result: preference.Preference) -> tuple[Fact, ...]:
    """What else there is to know, the most important first."""
    two = len(result.systems) == 2
    return doc.statements(
        ("people", _label_lines(result)),
        ("battles", _battle_lines(result)),
        ("p-value", _p_lines(result) if two else []),
        ("position", _position_lines(result)),
        ("length", _length_lines(result)),
        ("judges", _judge_lines(result)),
        ("circles", _circle_lines(result)),
        ("design", _design_lines(result)),
        ("next", next_step(result)),
        ("notes", texts_below(result.notes)),
    )


def next_step(result: preference.Preference, *, short: bool = False) -> list[str]:
    """How many more battles it takes to tell the leader apart from the closest of its undecided rivals."""
    leader = result.strengths[0].system if result.strengths else result.systems[0]
    met = [pair for pair in result.pairs if leader in (pair.a, pair.b)]
    undecided = [(pair, p) for pair in met if (p := pair.deciding) is not None and _is_open(p, result)]
    # If people judged some of the prompts, it takes more of their verdicts instead; systems that never met have no leader.
    if not undecided or result.labels is not None or len({one.component for one in result.strengths}) > 1:
        return []
    nearest, p = min(undecided, key=lambda one: one[1].value)
    times, effort, more = _times(nearest, result.alpha), "", ""
    if times is not None:
        what = "lead in strength as large" if nearest.decided_by_strength else "preference as strong"
        more = f"{times_as_much(times)} times as many battles on new prompts"
        effort = f"detecting a true {what} as the observed one would take {more}"
    if len(result.systems) == 2:
        return [f"{effort} (power .80)"] if effort else []
    rival = nearest.b if nearest.a == leader else nearest.a
    return [nearest_to_decided(rival, leader, effort, significant=p.value <= result.alpha, more=more if short else None)]


def _times(pair: preference.PreferencePair, alpha: float) -> float | None:
    """How many times as many prompts detect the observed difference in strength, or in direct games."""
    if pair.decided_by_strength:
        return times_of_interval(pair.log_odds, pair.log_odds_low, pair.log_odds_high, alpha)
    if pair.by != "games" or pair.win_rate is None:
        return None
    needed = needed_of_battles(pair, alpha)
    return None if needed is None else needed / pair.clusters


def _is_open(p: PValue, result: preference.Preference) -> bool:
    """Whether the tests do not decide who is better."""
    return p.value < 1 and p.deciding > result.alpha


def _battle_lines(result: preference.Preference) -> list[str]:
    if len(result.systems) != 2:
        return [f"{count(result.battles, 'battle')} between {count(len(result.systems), 'system')}"]
    pair = result.pairs[0]
    judge = "" if result.labels is None else "by the judge, "
    lines = [f"{judge}{pair.a} {pair.wins:,} won, {pair.ties:,} tied, {pair.losses:,} lost"]
    rate = [f"win rate {format_rate(pair.win_rate)}", rate_ends(pair.low, pair.high, result.alpha)]
    counted = "; ".join(filter(None, ("ties count as half", battle_facts(result).counting)))
    lines.append(f"{', '.join(filter(None, rate))} ({counted})")
    if pair.both_orders is not None and result.order != "both":
        lines.append(f"with both orders weighted equally {format_rate(pair.both_orders)}")
    if pair.standard_error is not None and pair.rows_standard_error and pair.clusters < result.battles:
        ratio = pair.standard_error / pair.rows_standard_error
        lines.append(
            f"standard error {format_number(100 * pair.standard_error, 2)}% {cluster_text(result.unit)};"
            f" {format_number(100 * pair.rows_standard_error, 2)}% if rows were independent (ratio {ratio:.2f})"
        )
    return lines


def _p_lines(result: preference.Preference) -> list[str]:
    pair = result.pairs[0]
    if pair.p is None:
        return [pair.note or ""]
    judge = "" if result.labels is None else "by the judge, "
    lines = [f"{judge}p = {format_p_number(pair.p, result.alpha)}, {pair.p.method}, {cluster_text(result.unit)}"]
    if pair.independent_p is not None and pair.clusters < result.battles:
        lines.append(f"if votes were independent, p would be {format_probability(pair.independent_p)} (sign test on rows)")
    return [*lines, *([pair.note] if pair.note else [])]


def shown_part(result: preference.Preference) -> str:
    """Which battles position is about, if the order of others is unknown."""
    position = result.position
    if position is None or not position.systems:
        return ""
    shown = clean(join_words(position.systems, MAX_PLACED))
    return f"{position.battles:,} of {count(result.battles, 'battle')}, whose order is recorded: those of {shown}"


def _position_lines(result: preference.Preference) -> list[str]:
    position = result.position
    if position is None:
        return []
    rate = [f"win rate {format_rate(position.first_rate)}", rate_ends(position.low, position.high, result.alpha)]
    won = f"{position.first:,} won, {position.ties:,} tied, {position.second:,} lost"
    p = f"p = {format_p_number(position.p, result.alpha)}, {position.p.method}"
    naive = (
        "" if position.independent_p is None else f"; {format_probability(position.independent_p)} if votes were independent"
    )
    about = [f"in {part}" for part in (shown_part(result),) if part]
    lines = [
        *about,
        f"shown first: {won}; {', '.join(filter(None, rate))}",
        f"no effect of the order: {p}{naive}",
    ]
    if position.compared:
        share = format_rate(position.flipped_rate)
        if position.compared > position.questions > 0:
            pairs = count(position.compared, "pair")
            paired = "each verdict in one order is paired with each in the other order on the same question"
            lines.append(f"{position.flipped:,} of {pairs} of verdicts differ ({share}); {paired}")
        else:
            lines.append(
                f"{position.flipped:,} of {count(position.compared, 'verdict')} change when the order is swapped ({share})"
            )
    return lines


def _length_lines(result: preference.Preference) -> list[str]:
    length = result.length
    if length is None:
        return []
    gain = f"{length.coefficient:.3f} log-odds ({interval_head(result.alpha)} {length.low:.3f} to {length.high:.3f})"
    part = "" if length.battles == result.battles else f" ({length.battles:,} of {count(result.battles, 'battle')})"
    judge = "" if result.labels is None else "by the judge, "
    lines = [
        f"{judge}the largest lead in length, (a - b)/(a + b) = 1, is worth {gain}; p = {format_probability(length.p)}{part}"
    ]
    for pair in [pair for pair in result.pairs if pair.equal_length is not None][:MAX_LEVELLED]:
        ends = rate_ends(pair.equal_length_low, pair.equal_length_high)
        lines.append(f"{judge}at equal length {pair.a} would win {format_rate(pair.equal_length)} ({ends}) against {pair.b}")
    return lines


def _judge_lines(result: preference.Preference) -> list[str]:
    judges = result.judges
    if judges is None:
        return []
    lines = [f"{count(len(judges.judges), 'judge')}"]
    if judges.alpha is not None:
        limits = f", {NO_INTERVAL}" if judges.alpha.value is not None and judges.alpha.clusters > 1 else ""
        if judges.alpha.low is not None:
            limits = f", {interval_head(result.alpha)} {ends(3)((judges.alpha.low, judges.alpha.high))}"
        what = count(judges.alpha.items, "item")
        value = UNDEFINED if judges.alpha.value is None else f"{judges.alpha.value:.3f}"
        lines.append(f"Krippendorff's alpha {value}{limits}, on {what} with two or more verdicts")
    return lines


def _label_lines(result: preference.Preference) -> list[str]:
    labels = result.labels
    if labels is None:
        return []
    interval = rate_ends(labels.low, labels.high, result.alpha)
    alone = f"{format_rate(labels.people_rate)} ({rate_ends(labels.people_low, labels.people_high)})"
    bias = f"{100 * labels.bias:+.1f}% ({rate_ends(labels.bias_low, labels.bias_high)})"
    kappa = f", kappa {UNDEFINED if labels.kappa is None else f'{labels.kappa:.3f}'}"
    prompts = f"{count(labels.labelled, 'labelled prompt')}, {labels.unlabelled:,} more by the judge alone"
    won = f"by {labels.people}, {result.pairs[0].a} would win {format_rate(labels.win_rate)}"
    return [
        f"{won}, {interval}; p = {format_p_number(labels.p, result.alpha)}, {labels.p.method}",
        f"{prompts}; the judge {f'counts with weight {labels.weight:.2f}' if labels.judged else 'does not count'}",
        f"{labels.people} alone {alone}; the judge alone {format_rate(labels.judge_rate)}",
        f"with the judge, {count(labels.labelled, 'label')} are worth {_worth(labels)}",
        f"the judge is off by {bias}; it agrees with {labels.people} on {format_rate(labels.agreement)} of the prompts{kappa}",
    ]


def _worth(labels: preference.Labelled) -> str:
    """How many labels these are worth with the judge."""
    worth = f"{labels.effective:,.0f}"
    return f"{labels.effective:,.1f}" if labels.judged and worth == f"{labels.labelled:,}" else worth


def _circle_lines(result: preference.Preference) -> list[str]:
    circles = result.intransitivity
    if circles is None:
        return []
    if circles.p is None:
        return [f"whether one strength per system is enough was not tested: {circles.note[:1].lower()}{circles.note[1:]}"]
    evidence = "evidence" if circles.p <= result.alpha else "no evidence"
    statistic = f"F = {format_number(circles.statistic)} on {circles.df} and {circles.clusters - circles.df} degrees of freedom"
    return [f"{statistic}, p = {format_probability(circles.p)}: {evidence} against one strength per system"]


def _order_text(result: preference.Preference) -> str:
    """What is known about the order."""
    if result.order == "fixed":
        tested = result.pairs[0].p is not None
        return f"fixed: orders are exchanged between {result.unit}s" if tested else "fixed"
    if result.order == "unrecorded" and result.position is not None:
        part = f"recorded for {result.position.battles:,} of {count(result.battles, 'battle')}"
        return f"{part}; the others are assumed to be both orders or random"
    return ORDERS[result.order]


def _design_lines(result: preference.Preference) -> list[str]:
    each = "" if result.clusters == 1 else "each "
    swapped = f"{count(result.clusters, result.unit)}, {each}swapped with all its battles"
    if result.unit == "battle":
        swapped = f"{count(result.battles, 'battle')}, swapped individually"
    lines = [swapped, f"order: {_order_text(result)}"]
    if len(result.systems) > 2:
        family, level = result.family, format_level(result.alpha)
        lines.append(f"{corrected_by(family, 'test')} ({family.error_rate}), alpha = {level}")
        lines.append(f"ranks, groups and headline: by {_decided_by(result)}")
    return lines


def _decided_by(result: preference.Preference) -> str:
    """What ranks, groups and the headline follow from."""
    if result.decided_by == "strengths":
        return f"strengths in this mix of battles, {cluster_text(result.unit)}"
    if result.baseline is None:
        return "direct games"
    return f"direct games, and games against {result.baseline} on the same prompts"


def pair_records(result: preference.Preference) -> Records:
    """A record for every pair, with all digits."""
    return Records(PAIR_COLUMNS, tuple(_with_p(pair, PAIR_COLUMNS) for pair in result.pairs))


def category_records(result: preference.Preference) -> Records:
    """A record for every category and system, with all digits."""
    rows = [] if result.categories is None else result.categories.rows
    return Records(CATEGORY_COLUMNS, tuple(_with_p(row, CATEGORY_COLUMNS) for row in rows))


def _with_p(row: preference.PreferencePair | preference.CategoryRow, columns: Iterable[str]) -> dict[str, object]:
    record = digits(row, *(name for name in columns if hasattr(row, name)), p_method="p.method")
    record |= digits(row, p="p.value", p_adjusted="p.adjusted")
    if isinstance(row, preference.PreferencePair):
        record |= digits(row, strength_p="strength_p.value", strength_p_adjusted="strength_p.adjusted")
    return record


def strength_records(result: preference.Preference) -> Records:
    """A record for every system, with all digits."""
    return Records(STRENGTH_COLUMNS, tuple(digits(one, *STRENGTH_COLUMNS) for one in result.strengths))


MAX_SHOWN, MAX_PAIRS, MAX_CATEGORIES = 20, 12, 20
"""How many systems, pairs and rows of categories a brief report lists."""
MAX_OPEN, MAX_LISTED = 40, 500
"""Rows beyond which a page folds a table away, and pairs that it lists at all; `pairs.csv` has every one."""


def build(result: preference.Preference) -> doc.Document:
    """The whole report."""
    repeated = common.settings(result.settings, "preference-settings")
    told = doc.Section("answer", "", lambda: [_verdict(result), *_cautions(result)]).but("latex")
    key = "win-rate" if len(result.systems) == 2 else "strengths"
    answer, pictures = common.illustrated(told, "preference.CHARTS", (result,), key)
    sections = (
        answer,
        doc.Section("strengths", "Strengths", lambda: _strengths(result)),
        doc.Section("pairs", "Pairs", lambda: _pairs(result)),
        doc.Section("categories", "Categories", lambda: _categories(result)),
        pictures,
        doc.Section("judges", "Judges", lambda: [agreement_table(result)]),
        repeated.but("html"),
        doc.Section("grounds", "Method and assumptions", lambda: [common.facts_block(facts(result))], headed=True).but("latex"),
        common.paper(result.sentence, str(result.signature)),
        *common.references(uses_of_preference, result),
        repeated.only("html"),
    )
    return doc.Document(_title(result), (doc.Article("", doc.clean(result.headline), sections),))


def card(result: preference.Preference) -> doc.Document:
    """The verdict and its numbers, for notebooks."""
    many = len(result.systems) > 2
    table = strength_table(result, MAX_SHOWN) if many else pair_table(result, MAX_PAIRS)
    return common.card_document(result.headline, result.reason, table, note_texts(result.notes))


def _title(result: preference.Preference) -> str:
    if len(result.systems) == 2:
        return doc.clean(f"{result.systems[0]} against {result.systems[1]}")
    return f"{count(len(result.systems), 'system')} in {count(result.battles, 'battle')}"


def _verdict(result: preference.Preference) -> doc.Verdict:
    top, reason = doc.clean(result.headline), doc.clean(result.reason)
    first = leaders_of(result)
    if len(result.systems) > 2 and first > 1 and result.labels is None and result.counts.testable:
        # How many could be the best says more than who is ahead.
        top, reason = sharing(first, len(result.systems)), doc.clean(result.verdict)
    elif len(result.systems) == 2 and result.labels is None and not decided(result):
        (pair,) = result.pairs
        top = f"{top}: {pair.wins:,} won, {pair.losses:,} lost, {pair.ties:,} tied"
    tone, named = "won" if decided(result) else "", common.begins_with_name(reason, result.systems)
    line = _line(result)
    return common.verdict_of(result, _title(result), headline=top, reason=reason, tone=tone, named=named, line=line)


def leaders_of(result: preference.Preference) -> int:
    """How many systems of the first set may be the strongest."""
    return sum(one.rank_low == 1 and one.component == result.strengths[0].component for one in result.strengths)


def _line(result: preference.Preference) -> tuple[str, ...]:
    """The first number, and p of two systems, or how many pairs of several systems differ."""
    if len(result.systems) > 2 and result.labels is None:
        return _strongest(result), f"{result.counts.significant:,} of {result.counts.testable:,} pairs differ"
    pair, labels = result.pairs[0], result.labels
    rate, low, high = (pair.win_rate, pair.low, pair.high) if labels is None else (labels.win_rate, labels.low, labels.high)
    won = ", ".join(filter(None, (f"{doc.clean(pair.a)} {format_rate(rate)}", rate_ends(low, high, result.alpha))))
    p = pair.p if labels is None else labels.p
    return (won,) if p is None else (won, format_p(p, result.alpha, brief=True))


def _cautions(result: preference.Preference) -> list[doc.Block]:
    """What may make the verdict wrong, and how the data were interpreted."""
    line = doc.clean(battle_reading_line(result.reading))
    return [*common.warnings_of(result.notes), *common.data_blocks(line, result.notes)]


def _strengths(result: preference.Preference) -> Iterable[doc.Later]:
    def listed(most: int | None) -> doc.Table:
        optional = ("log-odds", "battles", "won", "groups")
        return replace(strength_table(result, most), optional=optional, heading="bold")

    if len(result.systems) > 2:
        yield from common.by_length(listed, MAX_SHOWN, *common.RUNNING)
        # The answer is never folded away.
        yield doc.Later(lambda: [strength_table(result, board=True)]).only("html")


def _pairs(result: preference.Preference) -> Iterable[doc.Block | doc.Later]:
    def listed(most: int | None) -> doc.Table:
        return _plain(pair_table(result, most), interval_head(result.alpha))

    if len(result.systems) > 2:
        yield from common.by_length(listed, MAX_PAIRS, *common.RUNNING)
        page = common.folded(listed(MAX_LISTED), MAX_OPEN)
        cut = len(result.pairs) > MAX_LISTED
        yield (replace(page, fold=f"{MAX_LISTED} of {len(result.pairs):,} rows") if cut else page).only("html")


def _categories(result: preference.Preference) -> Iterable[doc.Later]:
    categories = result.categories
    if categories is None:
        return

    def listed(most: int | None) -> doc.Table:
        return _plain(category_table(result, categories, most))

    yield from common.by_length(listed, MAX_CATEGORIES, *common.RUNNING)
    yield common.on_page(listed, None, MAX_OPEN)


def _plain(table: doc.Table, *more: str) -> doc.Table:
    return replace(table, optional=("tied", "by", "p", *more), heading="bold")


def _on(result: preference.Preference) -> tuple[str, ...]:
    """On how many units, unless these are the battles themselves."""
    return () if result.unit == "battle" else (f"on {count(result.clusters, result.unit)}",)


def _strongest(result: preference.Preference) -> str:
    """The strongest system and its strength, where there is one."""
    first, sets = result.strengths[0], len({one.component for one in result.strengths})
    if sets > 1:
        return f"{sets} sets of systems that never met"
    if any(first.system in circle for circle in result.circles):
        return "preferences run in a circle"
    equal = battle_facts(result).equal
    if len(equal) > 1:
        return f"{len(equal):,} equally strong systems"
    value = "unbeaten" if first.elo is None else f"{first.elo:.0f}"
    ends = "" if first.elo_low is None or first.elo_high is None else f", {first.elo_low:.0f} to {first.elo_high:.0f}"
    return f"{doc.clean(first.system)} {value}{ends}"


def screen(result: preference.Preference) -> doc.Screen:
    """Who leads or is preferred, a line for each system, and what to do next."""
    verdict, many = _verdict(result), len(result.systems) > 2
    found = {fact.label: fact.lines for fact in facts(result)}
    counts, family = result.counts, result.family
    pairs = f"{counts.significant:,} of {counts.testable:,} {'differs' if counts.testable == 1 else 'differ'}"
    over = f"{correction_name(family.correction)}, alpha = {format_level(result.alpha)}"
    battles = [count(result.battles, "battle"), *_on(result)]
    strengths = common.bare(strength_table(result), "log-odds", "battles", "won", "groups", most=MAX_SHOWN)
    return doc.Screen(
        verdict.headline if many else doc.clean(result.headline),
        doc.statements(
            ("pairs", [f"{pairs} ({over}); {' '.join(battles)}"] if many else []),
            ("battles", found["battles"][:2] if not many else []),
            ("people", found.get("people", ())[:2]),
            ("p-value", found.get("p-value", ())[:1]),
            ("read as", [battle_reading_line(result.reading, short=True)]),
            ("next", next_step(result, short=True) if not decided(result) else ()),
        ),
        common.warnings_on_screen(result.notes),
        (strengths,) if many else (),
        verdict.tone,
    )


def lines(result: preference.Preference) -> list[Line]:
    """Two systems as a comparison of win rates; more as how many share the lead, and the first one."""
    if len(result.systems) == 2:
        (pair,) = result.pairs
        p = None if pair.p is None else pair.p.value
        won = None if not decided(result) else pair.a
        rates = {"a": pair.win_rate, "b": None if pair.win_rate is None else 1 - pair.win_rate}
        ends = {"low": pair.low, "high": pair.high, "p": p, "n": result.battles}
        return [{"winner": won, "metric": "win rate", **rates, "difference": pair.difference, **ends}]
    first = result.strengths[0]
    shared = {"leaders": leaders_of(result), "of": len(result.systems), "metric": "Elo", "first": first.system}
    return [{**shared, "score": first.elo, "low": first.elo_low, "high": first.elo_high, "n": result.battles}]


TABLES = {"pairs": pair_records, "strengths": strength_records, "categories": category_records}
KIND = Kind(build, card, TABLES, "preference.CHARTS", screen=screen, lines=lines)

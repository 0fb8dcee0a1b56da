"""A ranking as tables of texts: places, pairs, groups, datasets, replicability. All forms lay out these and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.language.numbers import count, finer, format_level, format_number, format_percent
from outscore.report.rows.comparison import flat
from outscore.report.rows.ranking_words import (
    Cell,
    adjusted_p,
    cells,
    decimals_of,
    ends,
    friedman_p,
    group_names,
    interval_name,
    losses,
    named,
    p_number,
    places,
    shown_letters,
    subject,
    wins,
)
from outscore.report.table import Table, clean, make_table
from outscore.results.ranking import RankedPair, RankedSystem, Ranking, Standing

__all__ = [
    "GROUPS",
    "MOST_LETTERS",
    "critical_table",
    "grid_table",
    "group_lines",
    "pair_table",
    "place_table",
    "replicability_table",
    "settings_table",
    "standings_table",
]

GROUPS = "Systems of one group cannot be told apart."
MOST_LETTERS = 26
"""With more groups than letters a column of them is noise; the groups are still listed."""
OUTCOMES = {"better": "better", "worse": "worse", "open": "undecided", "apart": "no common item"}
ADVANTAGE = (
    "Advantage: the mean difference to the other systems over the items of each pair; it makes the order, because the systems "
    "have different items and their scores are not comparable."
)


def place_table(ranking: Ranking, *, most: int | None = None, counts: bool = False) -> Table:
    """The systems, best first; `most` of them, with win and loss `counts` where asked for."""
    if ranking.baseline is not None:
        return _baseline_table(ranking, most)
    standing, decimals = ranking.standing, decimals_of(ranking.standing)
    letters = shown_letters(standing) if len(standing.groups) <= MOST_LETTERS else {}
    several_n = len({s.n for s in standing.scores}) > 1
    tested = standing.counts.testable > 0
    rows = [
        (
            str(place) if tested else "",
            s.system,
            format_number(s.value, decimals),
            "" if s.advantage is None or not tested else format_number(s.advantage, decimals, sign=True),
            ends(s.low, s.high, decimals),
            _between(s.rank_low, s.rank_high) if tested else "",
            letters.get(s.system, ""),
            str(wins(s, len(standing.scores))) if counts else "",
            str(losses(s)) if counts else "",
            f"{s.n:,}" if several_n else "",
        )
        for place, s in zip(places(standing), standing.scores, strict=True)
    ][:most]
    columns = ["rank", "system", "score", "advantage", interval_name(ranking), "ranks", "groups", "beats", "loses", "n"]
    notes = [_ranks_note(ranking, counts=counts)] if tested else []
    notes += [ADVANTAGE] if tested and standing.ordered_by == "advantage" else []
    notes += [*_letters_note(letters), *_left_out(ranking, most)]
    title = f"Ranking by {subject(standing)}"
    return make_table("places", title, columns, "rlrrrrlrrr", rows, notes)


def _between(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _ranks_note(ranking: Ranking, *, counts: bool) -> str:
    beats = " Beats, loses: with how many systems it differs significantly." if counts else ""
    # Each claim may be quoted alone only where the chance of a single false one is controlled.
    apart = "" if ranking.family.error_rate == "FWER" else " With this correction they do not hold all at once."
    return f"Ranks: the places that the tests leave open at alpha = {format_level(ranking.alpha)}.{apart}{beats}"


def _letters_note(letters: dict[str, str]) -> list[str]:
    return ["Groups: systems that share a letter cannot be told apart."] if any(letters.values()) else []


def _left_out(ranking: Ranking, most: int | None) -> list[str]:
    left = 0 if most is None else len(ranking.scores) - most
    return [f"Not shown: {count(left, 'system')} (-v shows all)."] if left > 0 else []


def _baseline_table(ranking: Ranking, most: int | None) -> Table:
    """The systems, best first, each with its difference to the baseline."""
    standing, found = ranking.standing, cells(ranking.standing, ranking.alpha)
    decimals = decimals_of(standing)
    rows = []
    for place, s in zip(places(standing), standing.scores, strict=True):
        cell = found.get((s.system, str(ranking.baseline)))
        row = (str(place), s.system, format_number(s.value, decimals), ends(s.low, s.high, decimals))
        rows.append((*row, *(("", "", "", "") if cell is None else _against(cell.pair, cell.outcome, ranking, decimals))))
    columns = ["rank", "system", "score", interval_name(ranking), "difference", "its interval", "adj. p", "outcome"]
    notes = [f"Difference: to the baseline, {clean(str(ranking.baseline))}.", *_left_out(ranking, most)]
    return make_table("places", f"Ranking by {subject(standing)}", columns, "rlrrrrrl", rows[:most], notes)


def _against(pair: RankedPair, outcome: str, ranking: Ranking, decimals: int) -> tuple[str, str, str, str]:
    places_ = finer(decimals, pair.difference)
    shown = "" if pair.difference is None else format_number(pair.difference, places_, sign=True)
    p = p_number(adjusted_p(pair), ranking.alpha) if pair.n else ""
    return shown, ends(pair.low, pair.high, places_), p, OUTCOMES[outcome]


def group_lines(ranking: Ranking, *, most: int | None = None, names: int = 8) -> list[str]:
    """The groups, `most` of them, with so many `names` each; with a baseline there are none."""
    standing = ranking.standing
    if ranking.baseline is not None or not standing.groups:
        return []
    lines = [
        f"{name}: {f'{clean(members[0])}, different from all others' if len(members) == 1 else named(members, names)}"
        for name, members in list(zip(group_names(standing), standing.groups, strict=True))[:most]
    ]
    left = 0 if most is None else len(standing.groups) - most
    return [*lines, f"and {count(left, 'more group')} (-v shows all)"] if left > 0 else lines


def pair_table(ranking: Ranking, standing: Standing | None = None, most: int | None = None) -> Table:
    """Every pair that was kept, in its own direction."""
    shown, alpha = ranking.standing if standing is None else standing, ranking.alpha
    decimals, found = decimals_of(shown), cells(shown, alpha)
    rows = [(*pair.systems, *_pair_row(pair, found[pair.systems].outcome, ranking, decimals)) for pair in shown.pairs[:most]]
    columns = ["first", "second", "n", "difference", interval_name(ranking), "p", "adj. p", "first is"]
    left = len(shown.pairs) - len(rows)
    notes = ["Difference: first - second.", *([f"Not shown: {count(left, 'pair')}."] if left else [])]
    return make_table("pairs", f"Pairs by {subject(shown)}", columns, "llrrrrrl", rows, notes)


def _pair_row(pair: RankedPair, outcome: str, ranking: Ranking, decimals: int) -> tuple[str, ...]:
    difference, interval, adjusted, words = _against(pair, outcome, ranking, decimals)
    return f"{pair.n:,}", difference, interval, p_number(pair.p.value, ranking.alpha) if pair.n else "", adjusted, words


def standings_table(ranking: Ranking, standings: Sequence[Standing], what: str) -> Table | None:
    """One line per dataset (or metric): its leader, and how many pairs differ."""
    if not standings:
        return None
    rows = [
        (
            str((s.name if what == "dataset" else None) or s.metric),
            f"{s.n:,}",
            s.scores[0].system,
            format_number(s.scores[0].value, decimals_of(s)),
            # With a baseline nobody is compared with the leader, so nothing is known about its company.
            "" if ranking.baseline is not None else str(_sharing(s)),
            f"{s.counts.significant:,} of {s.counts.testable:,}",
        )
        for s in standings
    ]
    columns = [what, "n", "leader", "score", "as good", "pairs that differ"]
    title = {"dataset": "Datasets", "metric": "Further metrics"}[what]
    notes = [] if ranking.baseline is not None else ["As good: other systems that cannot be told apart from the leader."]
    return make_table(f"{what}s", title, columns, "lrlrrr", rows, notes)


def _sharing(standing: Standing) -> int:
    leader = standing.scores[0]
    return len(standing.scores) - 1 - wins(leader, len(standing.scores)) - losses(leader)


def grid_table(ranking: Ranking, standings: Sequence[Standing], what: str, most: int | None = None) -> Table | None:
    """Systems by datasets (or metrics): scores, with the letters of their groups where there are any."""
    if not standings:
        return None
    whole = [ranking.standing, *standings]
    columns = [_cells_of(standing, ranking) for standing in whole]
    rows = [(s.system, *(column.get(s.system, "") for column in columns)) for s in ranking.scores][:most]
    top = ranking.metric if what == "metric" else ranking.name or "all"
    headings = ["system", top, *(str((s.name if what == "dataset" else None) or s.metric) for s in standings)]
    letters = any(s.groups and len(s.groups) <= MOST_LETTERS for s in whole) and ranking.baseline is None
    notes = ["Within a column, systems that share a letter cannot be told apart."] if letters else []
    notes += [] if ranking.baseline is None else ["+, -: significantly better, worse than the baseline."]
    notes += _left_out(ranking, most)
    return make_table(f"{what}-grid", f"Systems by {what}", headings, "l" + "r" * len(whole), rows, notes)


def _cells_of(standing: Standing, ranking: Ranking) -> dict[str, str]:
    decimals = decimals_of(standing)
    if ranking.baseline is not None:
        found = cells(standing, ranking.alpha)
        marks = {s.system: _mark(s, ranking.baseline, found) for s in standing.scores}
    else:
        marks = shown_letters(standing) if len(standing.groups) <= MOST_LETTERS else {}
    return {s.system: f"{format_number(s.value, decimals)} {marks.get(s.system, '')}".strip() for s in standing.scores}


def _mark(s: RankedSystem, baseline: str, found: Mapping[tuple[str, str], Cell]) -> str:
    cell = found.get((s.system, baseline))
    return "" if cell is None else {"better": "+", "worse": "-"}.get(cell.outcome, "")


def replicability_table(ranking: Ranking, most: int | None = None) -> Table | None:
    """On how many datasets a system is better than another, by two ways to combine their p-values."""
    if not ranking.replicability:
        return None
    place = {s.system: i for i, s in enumerate(ranking.scores)}
    ordered = sorted(ranking.replicability, key=lambda r: (place[r.systems[0]], place[r.systems[1]]))
    rows = [
        (*r.systems, f"{r.bonferroni} of {r.datasets}", f"{r.fisher} of {r.datasets}", named(r.holm, 6) if r.holm else "")
        for r in ordered[:most]
    ]
    level = format_percent(1 - ranking.alpha)
    meaning = (
        f"Better on at least so many datasets, with confidence {level}: whatever the dependence between datasets (Bonferroni), "
        "and if they are independent (Fisher). On: the datasets where it is significantly better (Holm over datasets)."
    )
    left = len(ranking.replicability) - len(rows)
    notes = [meaning, *([f"Not shown: {count(left, 'pair')} (-v shows all)."] if left else [])]
    columns = ["system", "better than", "at least", "if independent", "on"]
    return make_table("replicability", "Replicability", columns, "llrrl", rows, notes)


def critical_table(ranking: Ranking) -> Table | None:
    """Mean ranks over datasets or items, and the difference that Nemenyi's test asks for."""
    found = ranking.critical_difference
    if found is None:
        return None
    rows = [(system, f"{rank:.2f}") for system, rank in sorted(found.mean_ranks.items(), key=lambda entry: entry[1])]
    meaning = (
        f"Friedman's test over {found.blocks:,} {found.over}: {friedman_p(found, ranking.alpha)}. Mean ranks that lie at "
        f"least {found.critical_difference:.2f} apart differ (Nemenyi)."
    )
    notes = [meaning, *(f"Not told apart: {named(group, 12)}." for group in found.groups if len(group) > 1)]
    return make_table("critical", "Mean ranks", ["system", "mean rank"], "lr", rows, notes)


def settings_table(ranking: Ranking) -> Table | None:
    """What repeats the result."""
    rows = [(name, value) for key, entry in ranking.settings.items() for name, value in flat(str(key), entry)]
    return make_table("settings", "Settings", ["setting", "value"], "ll", rows) if rows else None

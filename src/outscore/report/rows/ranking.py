"""A ranking as tables of texts: places, pairs, groups, datasets, replicability. All forms lay out these and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from outscore.language.numbers import count, finer, format_level, format_number, format_percent, interval_ends
from outscore.language.phrases import correction_name
from outscore.report.document import Bar, Table, clean, list_names, make_table
from outscore.report.rows.places import (
    Cell,
    adjusted_p,
    bounds_of,
    cells,
    decimals_of,
    friedman_p,
    group_names,
    interval_name,
    losses,
    p_number,
    places,
    shown_letters,
    subject,
    wins,
    words_of_test,
)
from outscore.results.ranking import CriticalDifference, Joint, RankedPair, RankedSystem, Ranking, Standing

What = Literal["dataset", "metric"]
ALL = " (-v shows all)"
"""How to see what a brief report leaves out."""
GROUPS = "Systems in one group cannot be told apart."
MAX_LETTERS = 26
"""With more groups than letters, a column of them would be noise; the groups are still listed."""
SIGNS = {"better": ">", "worse": "<", "open": "·", "apart": "?"}
ARROWS = {"better": "↑", "worse": "↓"}
OUTCOMES = {"better": "better", "worse": "worse", "open": "undecided", "apart": "no common item"}
ADVANTAGE = (
    "Advantage: how far ahead of the average system, by least squares with effects of systems and of items or datasets; it "
    "sets the order, because the systems have different items and their scores are not comparable."
)


def place_table(ranking: Ranking, *, most: int | None = None, counts: bool = False) -> Table:
    """The systems, best first; `most` of them, with `counts` of wins and losses if wanted."""
    if ranking.baseline is not None:
        return _baseline_table(ranking, most)
    standing, decimals = ranking.standing, decimals_of(ranking.standing)
    letters = shown_letters(standing) if len(standing.groups) <= MAX_LETTERS else {}
    several_n = len({s.n for s in standing.scores}) > 1
    tested = standing.counts.testable > 0
    rows = [
        (
            str(place) if tested else "",
            s.system,
            format_number(s.value, decimals),
            "" if s.advantage is None or not tested else format_number(s.advantage, decimals, sign=True),
            interval_ends(s.low, s.high, decimals),
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
    title = f"Ranking by {subject(standing, ranking.design)}"
    return make_table("places", title, columns, "rlrrrrlrrr", rows, notes)


def _between(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _ranks_note(ranking: Ranking, *, counts: bool) -> str:
    beats = " Beats, loses: how many systems it is significantly better and worse than." if counts else ""
    # A single claim may be quoted alone only if the chance of even one false claim is controlled.
    apart = "" if ranking.family.error_rate == "FWER" else " With this correction, they do not all hold simultaneously."
    return f"Ranks: the places that the tests leave open at alpha = {format_level(ranking.alpha)}.{apart}{beats}"


def _letters_note(letters: dict[str, str]) -> list[str]:
    return ["Groups: systems that share a letter cannot be told apart."] if any(letters.values()) else []


def _left_out(ranking: Ranking, most: int | None) -> list[str]:
    left = 0 if most is None else len(ranking.scores) - most
    return [f"Not shown: {count(left, 'system')}{ALL}."] if left > 0 else []


def _baseline_table(ranking: Ranking, most: int | None) -> Table:
    """The systems, best first, each with its difference to the baseline."""
    standing, met = ranking.standing, cells(ranking.standing, ranking.alpha)
    decimals = decimals_of(standing)
    rows = []
    for place, s in zip(places(standing), standing.scores, strict=True):
        cell = met.get((s.system, str(ranking.baseline)))
        row = (str(place), s.system, format_number(s.value, decimals), interval_ends(s.low, s.high, decimals))
        rows.append((*row, *(("", "", "", "") if cell is None else _against(cell.pair, cell.outcome, ranking, decimals))))
    columns = ["rank", "system", "score", interval_name(ranking), "difference", "its interval", "adj. p", "outcome"]
    notes = [f"Difference: to the baseline, {clean(str(ranking.baseline))}.", *_left_out(ranking, most)]
    return make_table("places", f"Ranking by {subject(standing, ranking.design)}", columns, "rlrrrrrl", rows[:most], notes)


def _against(pair: RankedPair, outcome: str, ranking: Ranking, decimals: int) -> tuple[str, str, str, str]:
    places_ = finer(decimals, pair.difference)
    shown = "" if pair.difference is None else format_number(pair.difference, places_, sign=True)
    p = p_number(adjusted_p(pair), ranking.alpha) if pair.n else ""
    return shown, interval_ends(pair.low, pair.high, places_), p, OUTCOMES[outcome]


def group_lines(ranking: Ranking, *, most: int | None = None, names: int = 8) -> list[str]:
    """The groups, `most` of them, with up to `names` names each."""
    standing = ranking.standing
    lines = [
        f"{name}: {f'{clean(members[0])}, different from all others' if len(members) == 1 else list_names(members, names)}"
        for name, members in list(zip(group_names(standing), standing.groups, strict=True))[:most]
    ]
    left = 0 if most is None else len(standing.groups) - most
    return [*lines, f"and {count(left, 'more group')}{ALL}"] if left > 0 else lines


def pair_table(ranking: Ranking, standing: Standing | None = None, most: int | None = None) -> Table:
    """Every pair that was kept, in its own direction."""
    shown, alpha = ranking.standing if standing is None else standing, ranking.alpha
    decimals, by_systems = decimals_of(shown), cells(shown, alpha)
    rows = [
        (*pair.systems, *_pair_row(pair, by_systems[pair.systems].outcome, ranking, decimals)) for pair in shown.pairs[:most]
    ]
    columns = ["first", "second", "n", "difference", interval_name(ranking), "p", "adj. p", "first is"]
    left = len(shown.pairs) - len(rows)
    notes = ["Difference: first - second.", *([f"Not shown: {count(left, 'pair')}."] if left else [])]
    return replace(make_table("pairs", f"Pairs by {subject(shown)}", columns, "llrrrrrl", rows, notes), label="ranking-pairs")


def _pair_row(pair: RankedPair, outcome: str, ranking: Ranking, decimals: int) -> tuple[str, ...]:
    difference, interval, adjusted, words = _against(pair, outcome, ranking, decimals)
    return f"{pair.n:,}", difference, interval, p_number(pair.p.value, ranking.alpha) if pair.n else "", adjusted, words


def standings_table(ranking: Ranking, standings: Sequence[Standing], what: What) -> Table:
    """One line per dataset (or metric): its leader, and how many pairs differ."""
    rows = [
        (
            _name(ranking, s, what),
            f"{s.n:,}",
            s.scores[0].system,
            format_number(s.scores[0].value, decimals_of(s)),
            # With a baseline, nobody is compared with the leader, so it is unknown who is as good.
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


def grid_table(ranking: Ranking, standings: Sequence[Standing], what: What, most: int | None = None) -> Table:
    """Systems by datasets (or metrics): scores, with the letters of their groups where there are any."""
    whole = [ranking.standing, *standings]
    columns = [_cells_of(standing, ranking) for standing in whole]
    rows = [(s.system, *(column.get(s.system, "") for column in columns)) for s in ranking.scores][:most]
    headings = _grid_heads(ranking, standings, what)
    letters = any(s.groups and len(s.groups) <= MAX_LETTERS for s in whole) and ranking.baseline is None
    notes = ["Within a column, systems that share a letter cannot be told apart."] if letters else []
    notes += [] if ranking.baseline is None else ["+, -: significantly better, worse than the baseline."]
    notes += _left_out(ranking, most)
    return make_table(f"{what}-grid", f"Systems by {what}", headings, "l" + "r" * len(whole), rows, notes)


def _grid_heads(ranking: Ranking, standings: Sequence[Standing], what: What) -> list[str]:
    top = ranking.metric if what == "metric" else _name(ranking, replace(ranking.standing, name=ranking.name or "all"), what)
    return ["system", top, *(_name(ranking, s, what) for s in standings)]


def _name(ranking: Ranking, standing: Standing, what: What) -> str:
    """The name of a dataset, with its metric where there are several; or of the metric where it has none."""
    if what != "dataset" or not standing.name:
        return standing.metric
    several = len({part.metric for part in ranking.datasets}) > 1
    return f"{standing.name}, {standing.metric}" if several else standing.name


def _cells_of(standing: Standing, ranking: Ranking) -> dict[str, str]:
    decimals = decimals_of(standing)
    if ranking.baseline is not None:
        by_systems = cells(standing, ranking.alpha)
        marks = {s.system: _mark(s, ranking.baseline, by_systems) for s in standing.scores}
    else:
        marks = shown_letters(standing) if len(standing.groups) <= MAX_LETTERS else {}
    return {s.system: f"{format_number(s.value, decimals)} {marks.get(s.system, '')}".strip() for s in standing.scores}


def _mark(s: RankedSystem, baseline: str, by_systems: Mapping[tuple[str, str], Cell]) -> str:
    cell = by_systems.get((s.system, baseline))
    return "" if cell is None else {"better": "+", "worse": "-"}.get(cell.outcome, "")


def replicability_table(ranking: Ranking, most: int | None = None, *, hint: bool = False) -> Table:
    """On how many datasets a system is better than another, by two ways to combine their p-values.

    If only the first `most` rows are shown, a `hint` says how to see the others.
    """
    place = {s.system: i for i, s in enumerate(ranking.scores)}
    ordered = sorted(ranking.replicability, key=lambda r: (place[r.systems[0]], place[r.systems[1]]))
    # Bonferroni's number holds for independent datasets, too.
    rows = [
        (
            *r.systems,
            *(_shown(n, r.datasets) for n in (r.bonferroni, max(r.bonferroni, r.fisher))),
            *map(_datasets, (r.holm, r.worse)),
        )
        for r in ordered[:most]
    ]
    level = format_percent(1 - ranking.alpha)
    meaning = (
        f"Better on at least this many datasets, with {level} confidence: whatever the dependence between datasets "
        "(Bonferroni), and if they are independent (Fisher, where it finds more); empty where none is shown. On, worse on: the "
        "datasets where it is significantly better and worse (Holm over datasets)."
    )
    left = len(ranking.replicability) - len(rows)
    how = ALL if hint else ""
    notes = [meaning, *([f"Not shown: {count(left, 'pair')}{how}."] if left else [])]
    columns = ["system", "better than", "at least", "if independent", "on", "worse on"]
    return replace(make_table("replicability", "Replicability", columns, "llrrll", rows, notes), label="ranking-replicability")


def _shown(datasets: int, of: int) -> str:
    return f"{datasets} of {of}" if datasets else ""


def _datasets(names: Sequence[str]) -> str:
    return list_names(names, 6) if names else ""


def critical_table(ranking: Ranking, critical: CriticalDifference) -> Table:
    """Mean ranks over datasets or items, and the difference that Nemenyi's test asks for."""
    rows = [(system, f"{rank:.2f}") for system, rank in sorted(critical.mean_ranks.items(), key=lambda entry: entry[1])]
    meaning = (
        f"Friedman's test over {critical.blocks:,} {critical.over}: {friedman_p(critical, ranking.alpha)}. Mean ranks that lie "
        f"at least {critical.critical_difference:.2f} apart differ significantly (Nemenyi)."
    )
    notes = [meaning, *(f"Cannot be told apart: {list_names(group, 12)}." for group in critical.groups if len(group) > 1)]
    return replace(make_table("critical", "Mean ranks", ["system", "mean rank"], "lr", rows, notes), label="ranking-critical")


def joint_table(ranking: Ranking, joint: Joint, most: int | None = None) -> Table:
    """All systems at once: how often each is best, how far behind the leader, and how it does item by item."""
    decimals = decimals_of(ranking.standing)
    rows = []
    for one in joint.systems[:most]:
        places_ = finer(decimals, one.behind)
        rows.append(
            (
                one.system,
                format_number(one.best, 3),
                "" if one.behind is None else format_number(one.behind, places_, sign=True),
                interval_ends(one.behind_low, one.behind_high, places_),
                *_rate(one.win_rate, one.win_low, one.win_high, 3),
                "" if one.borda is None else format_number(one.borda, 2),
                *_rate(one.dataset_win_rate, one.dataset_win_low, one.dataset_win_high, 3),
            )
        )
    level = format_percent(joint.level)
    columns = ["system", "P(best)", "to leader", f"{level} of all", "win rate", "its interval", "Borda"]
    columns += ["datasets won", "interval"]
    align = "lrrrrrrrr"
    drawn = f"{joint.units:,} {joint.unit} resampled {joint.resamples:,} times, identically for all systems (seed {joint.seed})"
    error = max(one.best_error for one in joint.systems)
    notes = [
        f"{drawn}.",
        f"P(best): the share of resamples in which a system leads, ties split, ± {error:.3f} (99 %); it is not a p-value.",
        *_reach_note(ranking, joint),
        *_points_notes(joint),
    ]
    notes += _left_out(ranking, most)
    return replace(make_table("joint", "All systems at once", columns, align, rows, notes), label="ranking-joint")


def _rate(value: float | None, low: float | None, high: float | None, decimals: int) -> tuple[str, str]:
    return "" if value is None else format_number(value, decimals), interval_ends(low, high, decimals)


def _reach_note(ranking: Ranking, joint: Joint) -> list[str]:
    """What the intervals of the pairs are, and what they rest on."""
    if joint.critical is None or joint.critical_error is None:
        return []
    family = "all pairs" if ranking.baseline is None else f"all pairs with {ranking.baseline}"
    reach = f"{joint.critical:.2f} ± {joint.critical_error:.2f} (99 %) standard errors"
    level = format_percent(joint.level)
    return [f"The intervals of {family} hold simultaneously with {level} confidence; they extend {reach} to either side."]


def _points_notes(joint: Joint) -> list[str]:
    notes = []
    if any(one.win_rate is not None for one in joint.systems):
        borda = "Borda: points per item, one for each system that is worse"
        notes.append(f"Win rate: the share of other systems that it beats on an item, ties count half. {borda}.")
    if any(one.dataset_win_rate is not None for one in joint.systems):
        notes.append("Datasets won: the share of other systems that it beats on a dataset, ties count half.")
    return notes


def joint_pair_table(ranking: Ranking, joint: Joint, most: int | None = None) -> Table:
    """Every pair with its simultaneous interval."""
    decimals = decimals_of(ranking.standing)
    rows = []
    for pair in joint.pairs[:most]:
        places_ = finer(decimals, pair.difference)
        rows.append(
            (*pair.systems, format_number(pair.difference, places_, sign=True), interval_ends(pair.low, pair.high, places_))
        )
    columns = ["first", "second", "difference", f"{format_percent(joint.level)} of all"]
    left = len(joint.pairs) - len(rows)
    notes = ["Difference: first - second.", *([f"Not shown: {count(left, 'pair')}."] if left else [])]
    table = make_table("joint-pairs", "Simultaneous intervals", columns, "llrr", rows, notes)
    return replace(table, label="ranking-joint-pairs")


def win_matrix(ranking: Ranking, most: int) -> Table | None:
    """Who beat whom as a table of signs; None where pairs were not all compared, or are too many."""
    systems = [s.system for s in ranking.scores]
    if ranking.baseline is not None or not ranking.pairs or not 2 < len(systems) <= most:
        return None
    by_systems, numbers = cells(ranking.standing, ranking.alpha), [str(i) for i in range(1, len(systems) + 1)]
    rows = [
        (number, row, *(_sign(by_systems.get((row, column))) for column in systems))
        for number, row in zip(numbers, systems, strict=True)
    ]
    # Every column has a sign, because every system met another.
    columns = ["", "system", *numbers]
    table = make_table("heat", "Who beat whom", columns, "rl" + "r" * len(systems), rows, [_legend(ranking)])
    return replace(table, matrix=True)


def _sign(cell: Cell | None) -> str:
    """The sign of a pair from the side of its row; doubled where the strictest level is met."""
    if cell is None:
        return ""
    strict = cell.outcome in ("better", "worse") and cell.level > 2
    return SIGNS[cell.outcome] * (2 if strict else 1)


def _legend(ranking: Ranking) -> str:
    """What the signs mean."""
    bounds = bounds_of(ranking.alpha)
    doubled = f" (doubled: <= {format_level(bounds[-1])})" if len(bounds) > 2 else ""
    apart = "; ? no common item" if ranking.counts.testable < ranking.counts.pairs else ""
    decided = f"> the row is better, < it is worse, adjusted p <= {format_level(ranking.alpha)}{doubled}"
    return f"{decided}; · undecided{apart}."


def bars(ranking: Ranking) -> tuple[Bar | None, ...]:
    """Each system's interval (with a baseline, that of its difference) as positions in per cent of the full range."""
    by_systems = cells(ranking.standing, ranking.alpha)
    spans = [_span(s, None if ranking.baseline is None else (ranking.baseline, by_systems)) for s in ranking.scores]
    known = [x for span in spans if span is not None for x in span] + ([] if ranking.baseline is None else [0.0])
    least, most = min(known), max(known)
    scale = 100 / (most - least) if most > least else 0.0

    def at(x: float) -> float:
        return round((x - least) * scale, 2)

    zero = None if ranking.baseline is None else at(0.0)
    return tuple(
        None if span is None else Bar(at(span[0]), at(span[1]), round(at(span[2]) - at(span[0]), 2), zero) for span in spans
    )


def _span(s: RankedSystem, against: tuple[str, Mapping[tuple[str, str], Cell]] | None) -> tuple[float, float, float] | None:
    """The lower end, the value and the upper end of what is drawn; the value replaces a missing end."""
    value, low, high = s.value, s.low, s.high
    if against is not None:
        baseline, by_systems = against
        cell = by_systems.get((s.system, baseline))
        if cell is None or cell.pair.difference is None:
            return None
        value, low, high = cell.pair.difference, cell.pair.low, cell.pair.high
    return (value if low is None else low, value, value if high is None else high)


def printed_places(ranking: Ranking, most: int | None = None) -> Table:
    """The places as a paper prints them: groups as superscript letters, or arrows against a baseline."""
    standing, decimals = ranking.standing, decimals_of(ranking.standing)
    tested = standing.counts.testable > 0
    alone = tested and ranking.baseline is None
    rows = [
        (
            str(place) if tested else "",
            s.system,
            format_number(s.value, decimals),
            interval_ends(s.low, s.high, decimals),
            _range(s.rank_low, s.rank_high) if alone else "",
        )
        for place, s in zip(places(standing), standing.scores, strict=True)
    ]
    columns = ["rank", "system", ranking.metric, interval_name(ranking), "ranks"]
    title, notes = f"Ranking by {subject(standing, ranking.design)}", _printed_notes(ranking, most)
    table = make_table("places", title, columns, "rlrrr", rows[:most], notes)
    return replace(table, superscripts=_superscripts(ranking, [standing], 2 if tested else 1, len(table.rows)))


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def printed_grid(ranking: Ranking, standings: Sequence[Standing], what: What, most: int | None = None) -> Table:
    """Systems by datasets or metrics as a paper prints them, each column with the marks of its own tests."""
    whole = [ranking.standing, *standings]
    filled = [{s.system: format_number(s.value, decimals_of(one)) for s in one.scores} for one in whole]
    rows = [(s.system, *(column.get(s.system, "") for column in filled)) for s in ranking.scores]
    heads, notes = _grid_heads(ranking, standings, what), _printed_notes(ranking, most, whole)
    table = make_table(f"{what}s", f"Systems by {what}", heads, "l" + "r" * len(whole), rows[:most], notes)
    return replace(table, superscripts=_superscripts(ranking, whole, 1, len(table.rows)))


def _superscripts(ranking: Ranking, standings: Sequence[Standing], first: int, most: int) -> dict[tuple[int, int], str]:
    """Letters or arrows by row and column; the first standing has column `first`."""
    above = {}
    for column, standing in enumerate(standings, first):
        marks = _marks(ranking, standing)
        for row, s in enumerate(ranking.scores[:most]):
            if s.system in marks:
                above[row, column] = marks[s.system]
    return above


def _marks(ranking: Ranking, standing: Standing) -> dict[str, str]:
    """The groups of each system, or an arrow for how it compares with the baseline."""
    if ranking.baseline is None:
        return shown_letters(standing) if len(standing.groups) <= MAX_LETTERS else {}
    by_systems = cells(standing, ranking.alpha)
    return {
        row: ARROWS[cell.outcome]
        for (row, column), cell in by_systems.items()
        if column == ranking.baseline and cell.outcome in ARROWS
    }


def _words_of_tests(standings: Sequence[Standing]) -> str:
    """How p was computed, column by column where columns differ."""
    used: dict[str, list[str]] = {}
    for standing in standings:
        used.setdefault(words_of_test(standing), []).append(clean(standing.name or standing.metric))
    if len(used) == 1:
        return next(iter(used))
    return "; ".join(f"{list_names(columns, len(columns))}: {words}" for words, columns in used.items())


def _printed_notes(ranking: Ranking, most: int | None, standings: Sequence[Standing] = ()) -> list[str]:
    left = 0 if most is None else len(ranking.scores) - most
    return [
        _printed_legend(ranking, standings or [ranking.standing]),
        *([f"{left} more systems are not shown."] if left > 0 else []),
    ]


def _printed_legend(ranking: Ranking, standings: Sequence[Standing]) -> str:
    family = ranking.family
    if not ranking.counts.testable:
        return "No two systems share an item: nothing could be tested"
    how = (
        f"{_words_of_tests(standings)}; {correction_name(family.correction)} over m = {family.m:,}, {family.error_rate}, "
        f"alpha = {format_level(ranking.alpha)}"
    )
    if ranking.baseline is not None:
        return f"Arrows: significantly better or worse than {clean(ranking.baseline)} ({how})"
    if ranking.groups:
        return f"Systems that share a letter cannot be told apart ({how})"
    return f"Ranks: the places that the tests leave open ({how})"

"""A ranking as tables and as records of all digits: places, pairs, groups, datasets, replicability."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from outscore.language import numbers
from outscore.language.phrases import correction_name, join_words
from outscore.report.document import Bar, Records, Table, clean
from outscore.report.rows import places
from outscore.report.rows.columns import (
    Column,
    Text,
    between,
    by_tier,
    digits,
    ends,
    interval_head,
    not_shown,
    number,
    signed,
    tabulate,
    words,
)
from outscore.results.design import Replicated
from outscore.results.ranking import (
    CriticalDifference,
    Frontier,
    FrontierSystem,
    ItemKinds,
    Joint,
    JointPair,
    JointSystem,
    RankedSystem,
    Ranking,
    Standing,
    SuspiciousItem,
)

What = Literal["dataset", "slice", "metric"]
ALL = " (-v shows all)"
"""How to see what a brief report leaves out."""
GROUPS = "Systems in one group cannot be told apart."
MAX_LETTERS = 26
"""With more groups than letters, a column of them would be noise; the groups are still listed."""
MAX_DATASETS = 12
"""Datasets that have a column each on a board."""
SIGNS = {"better": ">", "worse": "<", "open": "·", "apart": "?"}
MARKS = {"better": "+", "worse": "-"}
ARROWS = {"better": "↑", "worse": "↓"}
OUTCOMES = {"better": "better", "worse": "worse", "open": "undecided", "apart": "no common item"}
ADVANTAGE = (
    "Advantage: how far ahead of the average system, by least squares with effects of systems and of items or datasets; it "
    "sets the order, because the systems have different items and their scores are not comparable."
)
FIRST_LESS_SECOND = "Difference: first - second."
SYSTEM: Column[RankedSystem] = words("system", lambda s: s.system)
PAIR: list[Column[Any]] = [
    words("first", lambda pair: pair.systems[0]),
    words("second", lambda pair: pair.systems[1]),
]
SYSTEM_COLUMNS = (
    "dataset", "metric", "rank", "system", "score", "low", "high", "rank_low", "rank_high", "beats", "loses", "n", "groups",
    "advantage", "tier",
)  # fmt: skip
JOINT_COLUMNS = tuple(part.name for part in fields(JointSystem) if part.name != "system")
"""What resampling items for all systems adds to a system, if requested."""
PAIR_COLUMNS = (
    "dataset", "metric", "first", "second", "n", "difference", "low", "high", "p", "log10_p", "p_adjusted", "method",
    "outcome", "note",
)  # fmt: skip


def place_table(
    ranking: Ranking, *, most: int | None = None, counts: bool = False, short: bool = False, board: bool = False
) -> Table:
    """The systems, best first; `most` of them, with `counts` of wins and losses if wanted, or beside the baseline.

    A `short` table has as many digits as the intervals justify. That of a `board` has a line above each tier, a column for each
    dataset if there are few, and intervals drawn.
    """
    standing, decimals = ranking.standing, places.decimals_of(ranking.standing)
    if short:
        decimals = min(decimals, numbers.decimals_of_intervals((s.low, s.high) for s in standing.scores))
    alone, tested = ranking.baseline is None, standing.counts.testable > 0
    place, letters, against = _place(standing), _letters(standing), _against(ranking, standing)
    columns: list[Column[RankedSystem]] = [
        Column("rank", place, str, when=tested or not alone),
        SYSTEM,
        Column("score", lambda s: s.value, number(decimals)),
        Column("advantage", lambda s: s.advantage, number(decimals, sign=True), when=alone and tested),
        Column(interval_head(ranking.alpha), lambda s: (s.low, s.high), ends(decimals)),
    ]
    if alone:
        columns += [
            Column("ranks", lambda s: between(s.rank_low, s.rank_high), when=tested),
            words("groups", lambda s: letters.get(s.system)),
            Column("beats", lambda s: places.wins(s, len(standing.scores)), str, when=counts),
            Column("loses", places.losses, str, when=counts),
            Column("n", lambda s: s.n, when=len({s.n for s in standing.scores}) > 1),
        ]
    else:
        columns += [column.of(lambda s: against.get(s.system)) for column in _pair_columns(ranking, decimals, "its interval")]
    notes = [f"Difference: to the baseline, {clean(str(ranking.baseline))}."]
    if alone:
        notes = [_ranks_note(ranking, counts=counts)] if tested else []
        notes += [ADVANTAGE] if tested and standing.ordered_by == "advantage" else []
        notes += ["Groups: systems that share a letter cannot be told apart."] if any(letters.values()) else []
    title = f"Ranking by {places.subject(standing, ranking.design)}"
    listed: list[RankedSystem | str] = list(standing.scores[:most])
    layout: dict[str, Any] = {"splits": board, "tiered": board}
    if board:
        columns += _datasets(ranking)
        listed, tiers = by_tier(standing.scores)
        notes += tiers
        drawn = dict(zip(standing.systems, bars(ranking), strict=True))
        layout["bars"] = tuple(None if isinstance(row, str) else drawn[row.system] for row in listed)
    return tabulate("places", title, columns, listed, [*notes, _left_out(ranking, most)], **layout)


def _datasets(ranking: Ranking) -> list[Column[RankedSystem]]:
    """A column of scores for each dataset, if there are few; another table has all of them."""
    if len(ranking.datasets) > MAX_DATASETS:
        return []
    return [_score_column(_name(ranking, standing, "dataset"), standing, {}) for standing in ranking.datasets]


def frontier_table(ranking: Ranking, frontier: Frontier, most: int | None = None) -> Table:
    """The systems by all measures, and who is shown to dominate them."""

    def score(m: int) -> Column[FrontierSystem]:
        decimals = numbers.decimals_for(*(s.values[m] for s in frontier.systems))
        return Column(frontier.measures[m], lambda s: s.values[m], number(decimals))

    columns: list[Column[FrontierSystem]] = [
        words("system", lambda s: s.system),
        *map(score, range(len(frontier.measures))),
        words("dominated by", lambda s: join_words(s.dominated_by, 3) if s.dominated_by else "nobody"),
        Column("adj. p", lambda s: s.p, lambda p: places.p_number(p, ranking.alpha)),
    ]
    up = zip(frontier.measures, frontier.higher_is_better, strict=True)
    better = ", ".join(f"{name} {'higher' if higher else 'lower'}" for name, higher in up)
    needs = "it is better on every measure"
    if frontier.margins:
        within = join_words([f"{name} by {margin:g}" for name, margin in frontier.margins.items()], 9)
        needs = f"it is not worse on {within}, and better on every other measure"
    level = numbers.format_percent(1 - ranking.alpha)
    meaning = (
        f"Better: {better}. A system dominates another if {needs}; p is the largest over the measures, by Holm over "
        f"{frontier.tests:,} ordered pairs. With {level} confidence, the systems that nobody is "
        "shown to dominate include all that truly nobody dominates."
    )
    notes = [meaning, _left_out(ranking, most)]
    return tabulate("frontier", "Frontier", columns, frontier.systems[:most], notes, label="ranking-frontier")


def item_lines(kinds: ItemKinds) -> list[str]:
    """Which items decide, in sentences."""
    same = [("right", kinds.all_right), ("wrong", kinds.all_wrong), ("equal", kinds.equal)]
    how = ", ".join(f"{n:,} {word}" for word, n in same if n)
    same_for_all = f" (all systems: {how})" if how else ""
    lines = [f"{kinds.dead:,} of {numbers.count(kinds.items, 'item')} tell no systems apart{same_for_all}."]
    live = kinds.items - kinds.dead
    lines.append(f"The other {live:,} decide as much as {kinds.effective:,.0f} that decide alike (the effective number).")
    if kinds.suspicious is not None and kinds.by_chance is not None:
        lines.append(f"{kinds.discriminating:,} discriminate: their item-rest correlation over systems is at least .2.")
        lines.append(
            f"{kinds.suspicious:,} are suspicious, because better systems do worse on them (negative correlation, one-sided "
            f"p <= .05); up to {math.ceil(kinds.by_chance):,} would be expected by chance."
        )
    return lines


def suspicious_table(kinds: ItemKinds) -> Table:
    """The most suspicious items."""
    columns: list[Column[SuspiciousItem]] = [
        words("item", lambda s: s.item),
        words("dataset", lambda s: s.dataset),
        Column("mean", lambda s: s.mean, number(3)),
        Column("item-rest", lambda s: s.correlation, number(2)),
    ]
    left = not_shown(kinds.suspicious or 0, len(kinds.listed), "item", " (--items FILE.csv has all)")
    return tabulate("suspicious", "Suspicious items", columns, kinds.listed, [left], label="ranking-items")


def _place(standing: Standing) -> Callable[[RankedSystem], int]:
    """The place of each system."""
    by_system = dict(zip((s.system for s in standing.scores), places.places(standing), strict=True))
    return lambda s: by_system[s.system]


def _letters(standing: Standing) -> dict[str, str]:
    """The groups of each system, unless they are too many."""
    return places.shown_letters(standing) if len(standing.groups) <= MAX_LETTERS else {}


def _against(ranking: Ranking, standing: Standing) -> dict[str, places.Cell]:
    """How each system compares with the baseline."""
    return {row: cell for (row, column), cell in places.cells(standing, ranking.alpha).items() if column == ranking.baseline}


def _ranks_note(ranking: Ranking, *, counts: bool) -> str:
    beats = " Beats, loses: how many systems it is significantly better and worse than." if counts else ""
    # A single claim may be quoted alone only if the chance of even one false claim is controlled.
    apart = "" if ranking.family.error_rate == "FWER" else " With this correction, they do not all hold simultaneously."
    return f"Ranks: the places that the tests leave open at alpha = {numbers.format_level(ranking.alpha)}.{apart}{beats}"


def _left_out(ranking: Ranking, most: int | None) -> str:
    return not_shown(len(ranking.scores), most, "system", ALL)


def _pair_columns(ranking: Ranking, decimals: int, interval: str, *, raw_p: bool = False) -> list[Column[places.Cell]]:
    """The difference of a pair, its interval, p, and who is better."""

    def p(value: float) -> str:
        return places.p_number(value, ranking.alpha)

    return [
        Column("difference", lambda cell: cell.pair.difference, signed(decimals)),
        Column(interval, lambda cell: _limits(decimals, cell.pair.low, cell.pair.high, cell.pair.difference)),
        Column("p", lambda cell: cell.pair.p.value if cell.pair.n else None, p, when=raw_p),
        Column("adj. p", lambda cell: places.adjusted_p(cell.pair) if cell.pair.n else None, p),
        words("first is" if raw_p else "outcome", lambda cell: OUTCOMES[cell.outcome]),
    ]


def _limits(decimals: int, low: float | None, high: float | None, about: float | None) -> Text:
    """An interval with as many decimals as the number it is about."""
    return Text(numbers.interval_ends(low, high, numbers.finer(decimals, about)), low)


def group_lines(ranking: Ranking, *, most: int | None = None, names: int = 8) -> list[str]:
    """The groups, `most` of them, with up to `names` names each."""
    standing = ranking.standing
    lines = [
        clean(f"{name}: {f'{members[0]}, different from all others' if len(members) == 1 else join_words(members, names)}")
        for name, members in list(zip(places.group_names(standing), standing.groups, strict=True))[:most]
    ]
    left = 0 if most is None else len(standing.groups) - most
    return [*lines, f"and {numbers.count(left, 'more group')}{ALL}"] if left > 0 else lines


def pair_table(ranking: Ranking, standing: Standing | None = None, most: int | None = None) -> Table:
    """Every pair that was kept, in its own direction."""
    shown = ranking.standing if standing is None else standing
    by_systems = places.cells(shown, ranking.alpha)
    columns: list[Column[places.Cell]] = [
        *(column.of(lambda cell: cell.pair) for column in PAIR),
        Column("n", lambda cell: cell.pair.n),
        *_pair_columns(ranking, places.decimals_of(shown), interval_head(ranking.alpha), raw_p=True),
    ]
    listed = [by_systems[pair.systems] for pair in shown.pairs[:most]]
    notes = [FIRST_LESS_SECOND, not_shown(len(shown.pairs), most, "pair")]
    return tabulate("pairs", f"Pairs by {places.subject(shown)}", columns, listed, notes, label="ranking-pairs")


def standings_table(ranking: Ranking, standings: Sequence[Standing], what: What) -> Table:
    """One line per dataset (or metric): its leader, and how many pairs differ."""
    # With a baseline, nobody is compared with the leader, so it is unknown who is as good.
    alone = ranking.baseline is None
    columns: list[Column[Standing]] = [
        words(what, lambda s: _name(ranking, s, what)),
        Column("n", lambda s: s.n),
        words("leader", lambda s: s.scores[0].system),
        Column("score", lambda s: Text(numbers.format_number(s.scores[0].value, places.decimals_of(s)), s.scores[0].value)),
        Column("as good", _sharing, str, when=alone),
        Column("pairs that differ", lambda s: Text(f"{s.counts.significant:,} of {s.counts.testable:,}", s.counts.significant)),
    ]
    title = {"dataset": "Datasets", "slice": f"By {ranking.slice}", "metric": "Further metrics"}[what]
    notes = ["As good: other systems that cannot be told apart from the leader."] if alone else []
    return tabulate(f"{what}s", title, columns, standings, notes)


def _sharing(standing: Standing) -> int:
    leader = standing.scores[0]
    return len(standing.scores) - 1 - places.wins(leader, len(standing.scores)) - places.losses(leader)


def grid_table(ranking: Ranking, standings: Sequence[Standing], what: What, most: int | None = None) -> Table:
    """Systems by datasets (or metrics): scores, with the letters of their groups where there are any."""
    whole = [ranking.standing, *standings]
    notes = []
    if ranking.baseline is not None:
        notes.append("+, -: significantly better, worse than the baseline.")
    elif any(s.groups and len(s.groups) <= MAX_LETTERS for s in whole):
        notes.append("Within a column, systems that share a letter cannot be told apart.")
    columns = _grid(ranking, whole, what, [_marks(ranking, standing, MARKS) for standing in whole])
    notes.append(_left_out(ranking, most))
    return tabulate(f"{what}-grid", f"Systems by {what}", columns, ranking.scores[:most], notes)


def _grid(
    ranking: Ranking, whole: Sequence[Standing], what: What, marks: Sequence[dict[str, str]] = ()
) -> list[Column[RankedSystem]]:
    """The systems, and a column of scores for each standing, the whole first."""
    top = ranking.metric if what == "metric" else _name(ranking, replace(ranking.standing, name=ranking.name or "all"), what)
    heads = [top, *(_name(ranking, standing, what) for standing in whole[1:])]
    beside = marks or [{}] * len(whole)
    return [SYSTEM, *(_score_column(*column) for column in zip(heads, whole, beside, strict=True))]


def _score_column(head: str, standing: Standing, marks: dict[str, str]) -> Column[RankedSystem]:
    decimals, values = places.decimals_of(standing), {s.system: s.value for s in standing.scores}

    def marked(s: RankedSystem) -> Text | None:
        value = values.get(s.system)
        return None if value is None else Text(f"{numbers.format_number(value, decimals)} {marks.get(s.system, '')}", value)

    return Column(head, marked)


def _name(ranking: Ranking, standing: Standing, what: What) -> str:
    """The name of a dataset, with its metric where there are several; or of the metric where it has none."""
    if what == "metric" or not standing.name:
        return standing.metric
    if what == "slice":
        return standing.name
    several = len({part.metric for part in ranking.datasets}) > 1
    return f"{standing.name}, {standing.metric}" if several else standing.name


def _marks(ranking: Ranking, standing: Standing, signs: Mapping[str, str]) -> dict[str, str]:
    """The groups of each system, or a sign for how it compares with the baseline."""
    if ranking.baseline is None:
        return _letters(standing)
    return {name: signs[cell.outcome] for name, cell in _against(ranking, standing).items() if cell.outcome in signs}


def replicability_table(ranking: Ranking, most: int | None = None, *, hint: bool = False) -> Table:
    """On how many datasets a system is better than another, by two ways to combine their p-values.

    If only the first `most` rows are shown, a `hint` says how to see the others.
    """
    place = {s.system: i for i, s in enumerate(ranking.scores)}
    ordered = sorted(ranking.replicability, key=lambda r: (place[r.systems[0]], place[r.systems[1]]))

    def of_all(found: int, r: Replicated) -> Text | None:
        return Text(f"{found} of {r.datasets}", found) if found else None

    columns: list[Column[Replicated]] = [
        words("system", lambda r: r.systems[0]),
        words("better than", lambda r: r.systems[1]),
        Column("at least", lambda r: of_all(r.bonferroni, r)),
        # Bonferroni's number holds for independent datasets, too.
        Column("if independent", lambda r: of_all(max(r.bonferroni, r.fisher), r)),
        words("on", lambda r: join_words(r.holm, 6) if r.holm else None),
        words("worse on", lambda r: join_words(r.worse, 6) if r.worse else None),
    ]
    level = numbers.format_percent(1 - ranking.alpha)
    meaning = (
        f"Better on at least this many datasets, with {level} confidence: whatever the dependence "
        "between datasets (Bonferroni), and if they are independent (Fisher, where it finds more); empty where none is shown. "
        "On, worse on: the datasets where it is significantly better and worse (Holm over datasets)."
    )
    notes = [meaning, not_shown(len(ordered), most, "pair", ALL if hint else "")]
    return tabulate("replicability", "Replicability", columns, ordered[:most], notes, label="ranking-replicability")


def critical_table(ranking: Ranking, critical: CriticalDifference) -> Table:
    """Mean ranks over datasets or items, and the difference that Nemenyi's test asks for."""
    columns: list[Column[tuple[str, float]]] = [
        words("system", lambda entry: entry[0]),
        Column("mean rank", lambda entry: entry[1], "{:.2f}".format),
    ]
    p = places.friedman_p(critical, ranking.alpha)
    meaning = (
        f"Friedman's test over {critical.blocks:,} {critical.over}: {p}. Mean ranks that lie "
        f"at least {critical.critical_difference:.2f} apart differ significantly (Nemenyi)."
    )
    notes = [meaning, *(f"Cannot be told apart: {join_words(group, 12)}." for group in critical.groups if len(group) > 1)]
    ordered = sorted(critical.mean_ranks.items(), key=lambda entry: entry[1])
    return tabulate("critical", "Mean ranks", columns, ordered, notes, label="ranking-critical")


def joint_table(ranking: Ranking, joint: Joint, most: int | None = None) -> Table:
    """All systems at once: how often each is best, how far behind the leader, and how it does item by item."""
    decimals = places.decimals_of(ranking.standing)
    of_all = f"{numbers.format_percent(joint.level)} of all"
    columns: list[Column[JointSystem]] = [
        words("system", lambda s: s.system),
        Column("P(best)", lambda s: s.best, number(3)),
        Column("to leader", lambda s: s.behind, signed(decimals)),
        Column(of_all, lambda s: _limits(decimals, s.behind_low, s.behind_high, s.behind)),
        Column("win rate", lambda s: s.win_rate, number(3)),
        Column("its interval", lambda s: (s.win_low, s.win_high), ends(3)),
        Column("Borda", lambda s: s.borda, number(2)),
        Column("datasets won", lambda s: s.dataset_win_rate, number(3)),
        Column("interval", lambda s: (s.dataset_win_low, s.dataset_win_high), ends(3)),
    ]
    drawn = f"{joint.units:,} {joint.unit} resampled {joint.resamples:,} times, identically for all systems (seed {joint.seed})"
    error = max(s.best_error for s in joint.systems)
    notes = [
        f"{drawn}.",
        f"P(best): the share of resamples in which a system leads, ties split, ± {error:.3f} (99%); it is not a p-value.",
        _reach_note(ranking, joint),
        *_points_notes(joint),
        _left_out(ranking, most),
    ]
    return tabulate("joint", "All systems at once", columns, joint.systems[:most], notes, label="ranking-joint")


def _reach_note(ranking: Ranking, joint: Joint) -> str:
    """What the intervals of the pairs are, and what they rest on."""
    if joint.critical is None or joint.critical_error is None:
        return ""
    family = "all pairs" if ranking.baseline is None else f"all pairs with {ranking.baseline}"
    reach = f"{joint.critical:.2f} ± {joint.critical_error:.2f} (99%) standard errors"
    level = numbers.format_percent(joint.level)
    return f"The intervals of {family} hold simultaneously with {level} confidence; they extend {reach} to either side."


def _points_notes(joint: Joint) -> list[str]:
    notes = []
    if any(s.win_rate is not None for s in joint.systems):
        borda = "Borda: points per item, one for each system that is worse"
        notes.append(f"Win rate: the share of other systems that it beats on an item, ties count half. {borda}.")
    if any(s.dataset_win_rate is not None for s in joint.systems):
        notes.append("Datasets won: the share of other systems that it beats on a dataset, ties count half.")
    return notes


def joint_pair_table(ranking: Ranking, joint: Joint, most: int | None = None) -> Table:
    """Every pair with its simultaneous interval."""
    decimals = places.decimals_of(ranking.standing)
    of_all = f"{numbers.format_percent(joint.level)} of all"
    columns: list[Column[JointPair]] = [
        *PAIR,
        Column("difference", lambda pair: pair.difference, signed(decimals)),
        Column(of_all, lambda pair: _limits(decimals, pair.low, pair.high, pair.difference)),
    ]
    notes = [FIRST_LESS_SECOND, not_shown(len(joint.pairs), most, "pair")]
    title = "Simultaneous intervals"
    return tabulate("joint-pairs", title, columns, joint.pairs[:most], notes, label="ranking-joint-pairs")


def win_matrix(ranking: Ranking, most: int) -> Table | None:
    """Who beat whom as a table of signs; None where pairs were not all compared, or are too many."""
    if ranking.baseline is not None or not ranking.pairs or not 2 < len(ranking.scores) <= most:
        return None
    by_systems = places.cells(ranking.standing, ranking.alpha)
    number = {s.system: str(i) for i, s in enumerate(ranking.scores, 1)}

    def against(name: str, head: str) -> Column[RankedSystem]:
        return Column(head, lambda s: _sign(by_systems.get((s.system, name))))

    # Every column has a sign, because every system met another.
    columns = [Column("", lambda s: number[s.system]), SYSTEM, *(against(name, head) for name, head in number.items())]
    return tabulate("heat", "Who beat whom", columns, ranking.scores, [_legend(ranking)], matrix=True)


def _sign(cell: places.Cell | None) -> str | None:
    """The sign of a pair from the side of its row; doubled where the strictest level is met."""
    if cell is None:
        return None
    strict = cell.outcome in ("better", "worse") and cell.level > 2
    return SIGNS[cell.outcome] * (2 if strict else 1)


def _legend(ranking: Ranking) -> str:
    """What the signs mean."""
    bounds = places.bounds_of(ranking.alpha)
    doubled = f" (doubled: <= {numbers.format_level(bounds[-1])})" if len(bounds) > 2 else ""
    apart = "; ? no common item" if ranking.counts.testable < ranking.counts.pairs else ""
    decided = f"> the row is better, < it is worse, adjusted p <= {numbers.format_level(ranking.alpha)}{doubled}"
    return f"{decided}; · undecided{apart}."


def bars(ranking: Ranking) -> tuple[Bar | None, ...]:
    """Each system's interval (with a baseline, that of its difference) as positions in per cent of the full range."""
    against = _against(ranking, ranking.standing)
    alone = ranking.baseline is None
    spans = [_span(s.value, s.low, s.high) if alone else _difference_span(against.get(s.system)) for s in ranking.scores]
    known = [x for span in spans if span is not None for x in span] + ([] if alone else [0.0])
    least, most = min(known), max(known)
    scale = 100 / (most - least) if most > least else 0.0

    def at(x: float) -> float:
        return round((x - least) * scale, 2)

    zero = None if alone else at(0.0)
    return tuple(
        None if span is None else Bar(at(span[0]), at(span[1]), round(at(span[2]) - at(span[0]), 2), zero) for span in spans
    )


def _difference_span(cell: places.Cell | None) -> tuple[float, float, float] | None:
    if cell is None or cell.pair.difference is None:
        return None
    return _span(cell.pair.difference, cell.pair.low, cell.pair.high)


def _span(value: float, low: float | None, high: float | None) -> tuple[float, float, float]:
    """The lower end, the value and the upper end of what is drawn; the value replaces a missing end."""
    return (value if low is None else low, value, value if high is None else high)


def printed_places(ranking: Ranking, most: int | None = None) -> Table:
    """The places as a paper prints them: groups as superscript letters, or arrows against a baseline."""
    standing, decimals = ranking.standing, places.decimals_of(ranking.standing)
    tested = standing.counts.testable > 0
    columns: list[Column[RankedSystem]] = [
        Column("rank", _place(standing), str, when=tested),
        SYSTEM,
        Column(ranking.metric, lambda s: s.value, number(decimals)),
        Column(interval_head(ranking.alpha), lambda s: (s.low, s.high), ends(decimals)),
        Column("ranks", lambda s: between(s.rank_low, s.rank_high, "–"), when=tested and ranking.baseline is None),
    ]
    title, notes = f"Ranking by {places.subject(standing, ranking.design)}", _printed_notes(ranking, most, [standing])
    above = _superscripts(ranking, [standing], 2 if tested else 1, most)
    return tabulate("places", title, columns, standing.scores[:most], notes, superscripts=above)


def printed_grid(ranking: Ranking, standings: Sequence[Standing], what: What, most: int | None = None) -> Table:
    """Systems by datasets or metrics as a paper prints them, each column with the marks of its own tests."""
    whole = [ranking.standing, *standings]
    columns, notes = _grid(ranking, whole, what), _printed_notes(ranking, most, whole)
    above = _superscripts(ranking, whole, 1, most)
    return tabulate(f"{what}s", f"Systems by {what}", columns, ranking.scores[:most], notes, superscripts=above)


def _superscripts(ranking: Ranking, standings: Sequence[Standing], first: int, most: int | None) -> dict[tuple[int, int], str]:
    """Letters or arrows by row and column; the first standing has column `first`."""
    marks = [_marks(ranking, standing, ARROWS) for standing in standings]
    return {
        (row, column): letters[s.system]
        for column, letters in enumerate(marks, first)
        for row, s in enumerate(ranking.scores[:most])
        if s.system in letters
    }


def _words_of_tests(standings: Sequence[Standing]) -> str:
    """How p was computed, column by column where columns differ."""
    used: dict[str, list[str]] = {}
    for standing in standings:
        used.setdefault(places.words_of_test(standing), []).append(clean(standing.name or standing.metric))
    if len(used) == 1:
        return next(iter(used))
    return "; ".join(f"{join_words(columns, len(columns))}: {words}" for words, columns in used.items())


def _printed_notes(ranking: Ranking, most: int | None, standings: Sequence[Standing]) -> list[str]:
    left = 0 if most is None else len(ranking.scores) - most
    return [_printed_legend(ranking, standings), f"{left} more systems are not shown." if left > 0 else ""]


def _printed_legend(ranking: Ranking, standings: Sequence[Standing]) -> str:
    family = ranking.family
    if not ranking.counts.testable:
        return "No two systems share an item: nothing could be tested"
    how = (
        f"{_words_of_tests(standings)}; {correction_name(family.correction)} over m = {family.m:,}, {family.error_rate}, "
        f"alpha = {numbers.format_level(ranking.alpha)}"
    )
    if ranking.baseline is not None:
        return f"Arrows: significantly better or worse than {clean(ranking.baseline)} ({how})"
    if ranking.groups:
        return f"Systems that share a letter cannot be told apart ({how})"
    return f"Ranks: the places that the tests leave open ({how})"


def ranked_systems(ranking: Ranking) -> Records:
    """One record per system, dataset and metric; the whole comes first, with an empty dataset where it has no name."""
    rows = [row for standing in _standings(ranking) for row in _systems(standing)]
    if ranking.joint is None:
        return Records(SYSTEM_COLUMNS, tuple(rows))
    # Joint numbers are about the whole.
    joint = {s.system: digits(s, *JOINT_COLUMNS) for s in ranking.joint.systems}
    rows[: len(ranking.scores)] = [row | joint[str(row["system"])] for row in rows[: len(ranking.scores)]]
    return Records((*SYSTEM_COLUMNS, *JOINT_COLUMNS), tuple(rows))


def ranked_pairs(ranking: Ranking) -> Records:
    """One record per pair, dataset and metric; `outcome` is that of the first system at the ranking's alpha."""
    rows = [row for standing in _standings(ranking) for row in _ranked_pairs(standing, ranking.alpha)]
    if ranking.joint is None:
        return Records(PAIR_COLUMNS, tuple(rows))
    joint = {pair.systems: digits(pair, joint_low="low", joint_high="high") for pair in ranking.joint.pairs}
    rows[: len(ranking.pairs)] = [row | joint[row["first"], row["second"]] for row in rows[: len(ranking.pairs)]]
    return Records((*PAIR_COLUMNS, "joint_low", "joint_high"), tuple(rows))


def _standings(ranking: Ranking) -> list[Standing]:
    sliced = [replace(standing, name=f"{ranking.slice}={standing.name}") for standing in ranking.slices]
    return [ranking.standing, *ranking.datasets, *sliced, *ranking.metrics]


def _systems(standing: Standing) -> Iterator[dict[str, Any]]:
    names, inside, place = places.group_names(standing), places.groups_by_system(standing), _place(standing)
    for s in standing.scores:
        yield {
            **digits(standing, "metric", dataset="name"),
            **digits(s, "system", "low", "high", "rank_low", "rank_high", "n", "advantage", "tier", score="value"),
            "rank": place(s),
            "beats": places.wins(s, len(standing.scores)),
            "loses": places.losses(s),
            "groups": " ".join(names[i] for i in inside.get(s.system, [])),
        }


def _ranked_pairs(standing: Standing, alpha: float) -> Iterator[dict[str, Any]]:
    by_systems = places.cells(standing, alpha)
    for pair in standing.pairs:
        first, second = pair.systems
        yield {
            **digits(standing, "metric", dataset="name"),
            **digits(pair, "n", "difference", "low", "high", "note"),
            **digits(pair.p, "method", p="value", log10_p="log10", p_adjusted="adjusted"),
            "first": first,
            "second": second,
            "outcome": by_systems[first, second].outcome,
        }

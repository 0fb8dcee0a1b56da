"""A comparison as tables of texts and as records of all digits; every rounding rule is stated here, once, for all forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from outscore.core.numeric import finite
from outscore.language import numbers, phrases
from outscore.language.numbers import count
from outscore.report.document import Record, Records, Table, clean, padded, screen_width
from outscore.report.rows.columns import (
    Column,
    Text,
    alpha_of,
    digits,
    ends,
    interval_head,
    number,
    number_of,
    score_columns,
    signed,
    tabulate,
    texts,
    words,
)
from outscore.results.analysis import Bucket, Effect, PowerPoint, Summary, TestAdvice, UnitRow, lag1_bound
from outscore.results.comparison import Comparison, Comparisons, SystemScore
from outscore.results.design import DecidingItem, PathStep
from outscore.results.pvalue import Interval, PValue

R = TypeVar("R")
CONTRIBUTIONS = (
    "{metric} is computed from all {noun} at once; the contribution of each (jackknife) takes the place of its difference."
)
SEGMENT_VIEWS = {
    "rows": "segments",
    "items": "segments",
    "clusters": "documents",
    "items-and-runs": "segments and runs",
    "these-items": "runs of these segments",
}
ITEM_VIEWS = {"items-and-runs": "items and runs", "these-items": "runs of these items"}
"""The steps of a design, where its rows are segments of texts."""
EFFECT_NAMES = {
    "difference": "difference",
    "cohen_dz": "Cohen's d_z",
    "cohen_d": "Cohen's d",
    "hedges_g": "Hedges' g_z",
    "wilcoxon_r": "Wilcoxon r",
    "rank_biserial": "rank-biserial correlation",
    "hodges_lehmann": "Hodges-Lehmann shift",
    "superiority": "probability of superiority",
    "accuracy_difference": "difference in accuracy",
    "discordant_odds_ratio": "discordant odds ratio",
}
# A ratio and a probability have no sign: no difference is 1 and .5.
UNSIGNED = ("discordant_odds_ratio", "superiority")
CHOOSING = (
    "Choose one test before you see its p-value. Choosing one afterwards, from this table, finds differences where there "
    "are none."
)
OBSERVED = "Power at the observed difference says nothing beyond p; read the curve for sizes that were not observed."
ERROR_RATES = {
    "FWER": "family-wise error rate (FWER)",
    "FDR": "false discovery rate (FDR)",
    "PCER": "per-comparison error rate (PCER)",
}
VIEWS = {
    "rows": "each row on its own",
    "items": "repeats averaged per item",
    "items-and-runs": "new items and new runs",
    "these-items": "new runs of these items",
}
SUMMARY = {
    "n": "n",
    "mean": "mean",
    "median": "median",
    "sd": "standard deviation",
    "min": "smallest",
    "q1": "first quartile",
    "q3": "third quartile",
    "max": "largest",
}
CHECKS: list[Column[tuple[str, str, str]]] = [
    words("check", lambda row: row[0]),
    Column("value", lambda row: row[1]),
    words("meaning", lambda row: row[2]),
]
UNITS = (
    "Spread, effect and p of the permutation test when that many adjacent items form one unit. Choose a size before you see "
    "its p-value."
)
GROUPS = {"recommended": "recommended", "usable": "usable", "unsuited": "not suited"}


def units_of(c: Comparison) -> tuple[int, str]:
    """How many independent units there are, and what to call them."""
    count, noun = (c.n, scored_noun(c)) if c.clusters is None else (c.clusters, c.design.group)
    return count, noun if count == 1 else f"{noun}s"


def scored_noun(c: Comparison) -> str:
    """What has a score of its own: an item, a segment, or a unit of several of them.

    Where the metric has to be computed on what is swapped as one, that is a cluster if there are any.
    """
    if alone(c) and c.clusters is not None:
        return c.design.group
    return c.design.noun if c.design.unit_size == 1 else "unit"


def view_of(c: Comparison, view: str) -> str:
    """What the rows, items or clusters of a step of the design are called."""
    return (SEGMENT_VIEWS if c.design.noun == "segment" else ITEM_VIEWS).get(view, view)


def effect_name(name: str) -> str:
    """What people call an effect size.

    Examples
    --------
    >>> effect_name("cohen_dz"), effect_name("new_effect")
    ("Cohen's d_z", 'new effect')
    """
    return EFFECT_NAMES.get(name, name.replace("_", " "))


def adjusted(p: PValue | None) -> str:
    """The p-value after correction for its family, if there was one."""
    return "" if p is None or p.adjusted is None else numbers.format_probability(p.adjusted)


def other_estimand(c: Comparison) -> tuple[str, Interval] | None:
    """The interval with the name of what it is about, where that is not the difference in the metric."""
    if c.interval is None or c.interval.estimand == "difference":
        return None
    return phrases.ESTIMANDS[c.interval.estimand], c.interval


def estimates(c: Comparison) -> list[tuple[str, float | None, Interval | None, int]]:
    """The difference, and what the interval is about where that is another one: name, value, interval and decimals."""
    decimals, about = phrases.decimals_of(c), other_estimand(c)
    difference = (phrases.difference_called(c.systems), c.difference, c.interval if about is None else None, decimals)
    if about is None:
        return [difference]
    name, interval = about
    return [difference, (name, interval.estimate, interval, numbers.finer(decimals, interval.estimate))]


def results(whole: Comparisons) -> Table:
    """One row per comparison: the table that goes into a paper."""
    # Letters head columns of names here, which would be confusing if a system had the other one's letter as its name.
    letters = all(phrases.sides_called(c.systems) == ("A", "B") for c in whole.comparisons)
    a, b = ("A", "B") if letters else ("first", "second")
    columns: list[Column[Comparison]] = [
        words(a, lambda c: c.systems[0]),
        words(b, lambda c: c.systems[1]),
        words("metric", subject),
        *answer_columns(whole.comparisons, alpha_of(whole), (f"score of {a}", f"score of {b}", f"{a} - {b}"), "adjusted p"),
    ]
    return tabulate("results", "Results", columns, whole.comparisons, [f"p: {tests_used(whole)}", family_note(whole)])


def tests_used(whole: Comparisons) -> str:
    """Every way in which a p was computed, once."""
    return "; ".join(dict.fromkeys(phrases.method_phrase(c.p) for c in whole.comparisons))


def answer_columns(
    compared: Sequence[Comparison], alpha: float | None, heads: tuple[str, str, str], adjusted_head: str = "adj. p"
) -> list[Column[Comparison]]:
    """Both scores and their difference under these heads; the interval, or another estimate and its interval; and p."""
    noun = next((phrases.interval_noun(c.interval) for c in compared if c.interval is not None), "interval")
    about = next((estimand[0] for c in compared if (estimand := other_estimand(c)) is not None), "")
    return [
        *score_columns(heads, scores_of),
        Column(noun, lambda c: None if other_estimand(c) else _limits(c)),
        Column(about, _estimate),
        Column(f"its {noun}", lambda c: _limits(c) if other_estimand(c) else None),
        *p_columns(alpha, adjusted_head, lambda c: c.p),
    ]


def p_columns(alpha: float | None, adjusted_head: str, p_of: Callable[[R], PValue]) -> list[Column[R]]:
    """P, and p after correction, of any records that have one."""
    return [
        Column("p", p_of, lambda p: numbers.format_p_number(p, alpha)),
        Column(adjusted_head, lambda record: p_of(record).adjusted, numbers.format_probability),
    ]


def scores_of(c: Comparison) -> tuple[float, float, float]:
    """Both scores and their difference."""
    return c.scores[0].value, c.scores[1].value, c.difference


def _limits(c: Comparison) -> Text | None:
    """The interval; that of another estimate shows two digits of it."""
    if c.interval is None:
        return None
    decimals = phrases.decimals_of(c)
    places = decimals if other_estimand(c) is None else numbers.finer(decimals, c.interval.estimate)
    return Text(numbers.format_interval(c.interval, places), c.interval.low)


def _estimate(c: Comparison) -> Text | None:
    """What the interval is about, where that is not the difference."""
    if c.interval is None or c.interval.estimand == "difference" or c.interval.estimate is None:
        return None
    return Text(signed(phrases.decimals_of(c))(c.interval.estimate), c.interval.estimate)


def family_note(whole: Comparisons) -> str:
    """Which comparisons were corrected together, if any."""
    family = whole.family
    if family is None:
        return ""
    rate = ERROR_RATES.get(family.error_rate, family.error_rate)
    return f"p adjusted for {count(family.m, 'comparison')} (method {family.correction}), which controls the {rate}."


def subject(c: Comparison) -> str:
    """The metric and the data it was measured on."""
    dataset = "" if c.dataset is None else f" on {c.dataset}"
    part_of = "" if c.slice is None else f", {c.slice.column} = {c.slice.value}"
    return clean(f"{c.score_name}{dataset}{part_of}")


def scores(c: Comparison, alpha: float | None = None) -> Table:
    """The score of each system, with its interval where it has one."""
    decimals = phrases.decimals_of(c)
    columns: list[Column[SystemScore]] = [
        words("system", lambda s: s.system),
        Column("score", lambda s: s.value, number(decimals)),
        Column(interval_head(alpha), lambda s: (s.low, s.high), ends(decimals)),
    ]
    table = tabulate("scores", f"{subject(c)} ({phrases.better(higher=c.higher_is_better)})", columns, c.scores)
    method = c.scores[0].method if len(table.columns) > 2 else ""
    return replace(table, notes=(clean(f"Intervals of single scores: {method}."),)) if method else table


def score_lines(c: Comparison, alpha: float | None = None) -> list[str]:
    """The same as lines of columns, for a screen."""
    table = scores(c, alpha)
    name_width = min(max(screen_width(row[0]) for row in table.rows), 40)
    value_width = max(len(row[1]) for row in table.rows)
    method = f" ({c.scores[0].method})" if c.scores[0].method else ""
    lines = [f"{table.title}, with {table.columns[2]}s{method}" if len(table.columns) > 2 else table.title]
    for name, value, *interval in table.rows:
        end = f"   {interval[0]}" if any(interval) else ""
        lines.append(f"{padded(name, name_width, 'l')}  {value:>{value_width}}{end}")
    return lines


def path(c: Comparison) -> Table | None:
    """How the answer changes from rows to items to clusters; None where there is only one view."""
    if len(c.design.path) < 2:
        return None
    columns: list[Column[PathStep]] = [
        words("view", lambda s: view_of(c, s.view)),
        Column("n", lambda s: s.n),
        Column(phrases.difference_called(c.systems), lambda s: s.difference, number(phrases.decimals_of(c), sign=True)),
        Column("p", lambda s: s.p, numbers.format_probability),
        words("what counts as one", lambda s: f"whole {view_of(c, s.view)}" if s.view == "clusters" else VIEWS[s.view]),
    ]
    inside = "segments of one document" if c.design.noun == "segment" else "rows of one item, and items of one cluster,"
    note = f"The last row decides: {inside} are not independent evidence."
    return tabulate("path", "From rows to units", columns, c.design.path, [note])


def path_line(c: Comparison) -> list[str]:
    """How repeats and clusters change p, in one line."""
    steps = [f"{numbers.format_probability(step.p)} over {_units_of_step(c, step)}" for step in c.design.path]
    return [f"p = {', '.join(steps)}: the last one decides"] if len(steps) > 1 else []


def _units_of_step(c: Comparison, step: PathStep) -> str:
    """How many rows, items or clusters a step of the design counts."""
    noun = view_of(c, step.view)
    # Views of two words keep their plural: a design with 1 of them cannot be tested.
    return f"1 {noun.removesuffix('s')}" if step.n == 1 and " " not in noun else f"{step.n:,} {noun}"


def effects(c: Comparison) -> Table:
    """Effect sizes with their intervals."""
    shown = [e for e in c.effects if effect_value(e)]
    columns: list[Column[Effect]] = [
        words("effect", lambda e: effect_name(e.name)),
        Column("value", lambda e: Text(effect_value(e), number_of(e.value))),
        Column(interval_head(None if c.interval is None else 1 - c.interval.level), lambda e: Text(effect_ends(e), e.low)),
    ]
    notes = [CONTRIBUTIONS.format(metric=c.metric, noun=units_of(c)[1])] if alone(c) and shown else []
    return tabulate("effects", "Effect sizes", columns, shown, notes)


def alone(c: Comparison) -> bool:
    """Whether the metric is not a mean of item scores, so that contributions take the place of the items' differences."""
    return c.pictures is not None and c.pictures.alone


def effect_value(effect: Effect) -> str:
    """The value of an effect size, with its sign where it has one."""
    value = finite(effect.value)
    if value is None and finite(effect.low) is not None:
        return "infinite"
    return "" if value is None else numbers.format_number(value, _effect_decimals(effect), sign=effect.name not in UNSIGNED)


def effect_ends(effect: Effect) -> str:
    """The interval of an effect size."""
    return numbers.interval_ends(effect.low, effect.high, _effect_decimals(effect))


def _effect_decimals(effect: Effect) -> int:
    return numbers.decimals_for(*(x for x in (effect.value, effect.low, effect.high) if x is not None))


def every_test(c: Comparison, alpha: float | None) -> Table:
    """The p-values of all applicable tests, if they were asked for; the one that decides comes first."""
    listed = c.tests if not c.tests or c.p.test in {p.test for p in c.tests} else [c.p, *c.tests]
    columns: list[Column[PValue]] = [
        words("test", lambda p: p.test),
        *p_columns(alpha, "adjusted p", lambda p: p),
        Column("n", lambda p: p.n),
        words("how", phrases.method_phrase),
        words("error of p", numbers.format_p_error),
    ]
    return tabulate("tests", "All tests", columns, listed, [CHOOSING])


def power(c: Comparison) -> Table | None:
    """Power against the number of items."""
    if c.power is None:
        return None
    observed, unit = units_of(c)
    columns: list[Column[PowerPoint]] = [
        Column(unit, lambda point: Text(f"{point.n:,}" + (" (observed)" if point.n == observed else ""), point.n)),
        Column("power", lambda point: point.power, lambda power: numbers.format_probability(power, 2)),
        Column("95% band", lambda point: (point.low, point.high), ends(2)),
    ]
    return tabulate("power", "Power", columns, c.power.curve, [OBSERVED])


def deciding_items(c: Comparison) -> Table:
    """The items that carry the difference."""
    items = c.deciding_items
    scored = numbers.decimals_for(*(x for i in items for x in (i.a, i.b, i.difference)))
    moved = max(numbers.decimals_for(*(i.influence for i in items)) - 2, 0)
    columns: list[Column[DecidingItem]] = [
        words("item", lambda i: i.item),
        Column(c.systems[0], lambda i: i.a, number(scored)),
        Column(c.systems[1], lambda i: i.b, number(scored)),
        Column(phrases.difference_called(c.systems), lambda i: i.difference, number(scored, sign=True)),
        Column("influence", lambda i: i.influence, number(moved, sign=True)),
    ]
    note = "Influence: what the item adds to the difference in the metric."
    return tabulate("items", "Most influential items", columns, items, [*favour_lines(c), note])


def fourfold(c: Comparison) -> Table | None:
    """How many items both systems have right, one of them, neither; None where items are not right or wrong."""
    of = {} if c.analysis is None or c.unpaired is not None else c.analysis.systems
    if c.favoured is None or c.clusters is not None or not all(side in of and _is_binary(of[side]) for side in "ab"):
        return None
    right = [s.n * (s.mean if c.higher_is_better else 1 - s.mean) for s in (of["a"], of["b"])]
    n, (first, second) = of["a"].n, c.favoured
    both = round(right[0]) - first
    if both < 0 or both != round(right[1]) - second:
        return None
    counts = ((both, first), (second, n - both - first - second))
    names = [clean(name) for name in c.systems]
    rows = [
        (f"{names[0]} {kind}", *(f"{k:,} ({100 * k / n:.1f}%)" for k in row))
        for kind, row in zip(("right", "wrong"), counts, strict=True)
    ]
    title = f"Both systems on the same {scored_noun(c)}s"
    return Table("fourfold", title, ("", f"{names[1]} right", f"{names[1]} wrong"), "lrr", tuple(rows), (f"{title}.",))


def _is_binary(s: Summary) -> bool:
    """Whether all values are 0 or 1: between these ends no others have as large a variance with the same mean."""
    largest = s.mean * (1 - s.mean)
    return s.min >= 0 and s.max <= 1 and abs((s.sd or 0.0) ** 2 * (s.n - 1) / s.n - largest) < 1e-9


def favour_lines(c: Comparison) -> list[str]:
    """How many units favour each system, or move its score; old results do not know."""
    if c.favoured is None:
        return []
    (first, second), (a, b) = c.favoured, map(clean, c.systems)
    if c.segments:
        moved = f"{count(first, 'segment')} {'moves' if first == 1 else 'move'} {clean(c.metric)} towards {a}"
        return [f"{moved}, {second:,} towards {b}."]
    size, _ = units_of(c)
    unit = scored_noun(c) if c.clusters is None else c.design.group
    neither = f", and {size - first - second:,} neither" if size > first + second else ""
    return [f"{count(first, unit)} {_favour(first)} {a}, {second:,} {_favour(second)} {b}{neither}."]


def _favour(units: int) -> str:
    return "favours" if units == 1 else "favour"


def comparisons(whole: Comparisons) -> Records:
    """One record per comparison and per bucket of it."""
    rows = [row for c in whole.comparisons for row in (_comparison(c), *(_bucket(c, bucket) for bucket in c.buckets))]
    return Records(tuple(rows[0]) if rows else (), tuple(rows))


def _bucket(c: Comparison, bucket: Bucket) -> Record:
    """A bucket in the columns of a slice; only slices have a winner."""
    own = digits(
        bucket, "n", "difference", "low", "high", slice_column="column", slice="value", score_a="first", score_b="second"
    )
    return {**_comparison(c), **own, **_test(bucket.p), "clusters": None, "winner": None, "claim": None}


def _test(p: PValue) -> Record:
    return digits(p, "test", "method", p="value", p_lower="lower", p_upper="upper", p_adjusted="adjusted")


def _comparison(c: Comparison) -> Record:
    runs = c.design.repeats_of or (None, None)
    return {
        "system_a": c.systems[0],
        "system_b": c.systems[1],
        **digits(c, "metric", "dataset", slice_column="slice.column", slice="slice.value"),
        **digits(c, "n", "clusters"),
        "runs_a": runs[0],
        "runs_b": runs[1],
        "population": c.population,
        "score_a": c.scores[0].value,
        "score_b": c.scores[1].value,
        "difference": c.difference,
        **digits(c, low="interval.low", high="interval.high", level="interval.level", interval_of="interval.estimand"),
        **_test(c.p),
        "winner": None if c.decision.winner is None else c.systems[c.decision.winner],
        "claim": c.decision.claim,
    }


def summaries(c: Comparison) -> Table | None:
    """The numbers of each system and of their difference at a glance."""
    analysis = c.analysis
    if analysis is None:
        return None
    by_side = [analysis.systems.get(key) for key in ("a", "b", "difference")]
    names = [
        name
        for name, summary in zip((*c.systems, phrases.difference_called(c.systems)), by_side, strict=True)
        if summary is not None
    ]
    columns = [summary for summary in by_side if summary is not None]
    # One rule for the whole table: the decimals that show the difference of the means, but no rounding noise.
    decimals = min(
        numbers.decimals_for(*(s.mean for s in columns), difference=min((abs(s.mean) for s in columns), default=0.0)), 6
    )

    def column(name: str, summary: Summary) -> Column[tuple[str, str]]:
        return Column(name, lambda row: summary.n if row[0] == "n" else finite(getattr(summary, row[0])), show)

    def show(value: float) -> str:
        return f"{value:,}" if isinstance(value, int) else numbers.format_number(value, decimals)

    label: Column[tuple[str, str]] = words("", lambda row: row[1])
    filled = [label, *(column(name, summary) for name, summary in zip(names, columns, strict=True))]
    return tabulate("summary", "The data at a glance", filled, SUMMARY.items() if columns else [])


def checks(c: Comparison) -> Table | None:
    """What the data look like to a test."""
    analysis = c.analysis
    if analysis is None:
        return None
    rows: list[tuple[str, str, str]] = []

    def add(label: str, value: str | None, meaning: str = "") -> None:
        if value is not None:
            rows.append((label, value, meaning))

    def number(value: float | None, *, sign: bool = False) -> str | None:
        return None if finite(value) is None else numbers.format_number(value, 3, sign=sign)

    add(
        f"skewness of {phrases.difference_called(c.systems)}",
        number(analysis.skewness, sign=True),
        analysis.skewness_band or "",
    )
    if analysis.normality is not None:
        of = analysis.normality_reason or analysis.normality.test
        add(
            f"normality of {phrases.difference_called(c.systems)}",
            f"p = {numbers.format_probability(analysis.normality.p)}",
            of,
        )
    zeros = None if analysis.zero_share is None else f"{100 * analysis.zero_share:.1f}%"
    add(f"{scored_noun(c)}s without a difference", zeros)
    add(f"correlation of {' and '.join(phrases.sides_called(c.systems))}", number(analysis.correlation, sign=True))
    add("gain from pairing", number(analysis.pairing_gain), "standard error unpaired / paired")
    lag = "lag-1 autocorrelation in file order"
    bound = lag1_bound(analysis.lag1_n or c.clusters or c.n)
    if analysis.lag1 is not None and analysis.lag1 > bound:
        lag += f", beyond 3/√n = {bound:.2f}: check this first"
    add("dependence of neighbours", number(analysis.lag1, sign=True), lag)
    add("suggested statistic", analysis.statistic, analysis.statistic_reason)
    return tabulate("checks", "Checks", CHECKS, rows)


def advice(c: Comparison) -> Table | None:
    """Which tests suit the data."""
    return None if c.analysis is None else _advice("advice", "Which tests suit these data", c.analysis.tests)


def nlpstattest(c: Comparison) -> Table | None:
    """What another toolkit would advise."""
    title = "What the published table of NLPStatTest says"
    return None if c.analysis is None else _advice("nlpstattest", title, c.analysis.nlpstattest)


def _advice(key: str, title: str, advice: TestAdvice) -> Table:
    rows = [(label, entry.test, entry.why) for group, label in GROUPS.items() for entry in getattr(advice, group)]
    return tabulate(key, title, texts("suits", "test", "why"), rows, merges=True)


def unit_advice(c: Comparison) -> Table:
    """What evaluation units of other sizes would do to spread, effect and p."""
    spread = numbers.decimals_for(*(row.sd for row in c.unit_advice if row.sd is not None))
    columns: list[Column[UnitRow]] = [
        Column("size", lambda row: row.size),
        Column("units", lambda row: row.units),
        Column("left over", lambda row: row.remainder),
        Column("sd", lambda row: finite(row.sd), number(spread)),
        Column("d_z", lambda row: finite(row.d_z), number(3, sign=True)),
        Column("p", lambda row: row.p, numbers.format_probability),
    ]
    return tabulate("units", "Larger evaluation units", columns, c.unit_advice, [UNITS])

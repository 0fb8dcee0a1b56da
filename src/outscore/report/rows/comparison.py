"""A comparison as tables of texts and as records of all digits; every rounding rule is stated here, once, for all forms."""

from __future__ import annotations

from outscore.core.numeric import finite
from outscore.language.numbers import (
    count,
    decimals_for,
    finer,
    format_interval,
    format_number,
    format_p_error,
    format_p_number,
    format_percent,
    format_probability,
    interval_ends,
)
from outscore.language.phrases import ESTIMANDS, difference_called, interval_noun, method_phrase, sides_called
from outscore.report.document import Record, Records, Table, clean, make_table, padded, screen_width
from outscore.results.analysis import Effect
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.design import PathStep
from outscore.results.interval import Interval
from outscore.results.pvalue import PValue
from outscore.results.subset import Bucket

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


def noun_of(c: Comparison) -> str:
    """What one row of the data is: a segment of a text, or an item of any other kind."""
    return c.design.noun


def group_of(c: Comparison) -> str:
    """What to call rows that are swapped as one: segments make up documents."""
    return "document" if noun_of(c) == "segment" else "cluster"


def units_of(c: Comparison) -> tuple[int, str]:
    """How many independent units there are, and what to call them."""
    count, noun = (c.n, scored_noun(c)) if c.clusters is None else (c.clusters, group_of(c))
    return count, noun if count == 1 else f"{noun}s"


def scored_noun(c: Comparison) -> str:
    """What has a score of its own: an item, a segment, or a unit of several of them."""
    return noun_of(c) if c.design.unit_size == 1 else "unit"


def view_of(c: Comparison, view: str) -> str:
    """What the rows, items or clusters of a step of the design are called."""
    return (SEGMENT_VIEWS if noun_of(c) == "segment" else ITEM_VIEWS).get(view, view)


def alpha_of(whole: Comparisons) -> float | None:
    """The level of the decisions, if the settings name it."""
    alpha = whole.settings.get("alpha")
    return float(alpha) if isinstance(alpha, int | float) else None


def effect_name(name: str) -> str:
    """What people call an effect size.

    Examples
    --------
    >>> effect_name("cohen_dz"), effect_name("new_effect")
    ("Cohen's d_z", 'new effect')
    """
    return EFFECT_NAMES.get(name, name.replace("_", " "))


def adjusted(p: PValue) -> str:
    """The p-value after correction for its family, if there was one."""
    return "" if p.adjusted is None else format_probability(p.adjusted)


def other_estimand(c: Comparison) -> tuple[str, Interval] | None:
    """The interval with the name of what it is about, where that is not the difference in the metric."""
    if c.interval is None or c.interval.estimand == "difference":
        return None
    return ESTIMANDS[c.interval.estimand], c.interval


def results(whole: Comparisons) -> Table:
    """One row per comparison: the table that goes into a paper."""
    alpha = alpha_of(whole)
    noun = next((interval_noun(c.interval) for c in whole.comparisons if c.interval is not None), "interval")
    other = next((estimand[0] for c in whole.comparisons if (estimand := other_estimand(c)) is not None), "")
    # Letters head columns of names here, which would be confusing if a system had the other one's letter as its name.
    letters = all(sides_called(c.systems) == ("A", "B") for c in whole.comparisons)
    a, b = ("A", "B") if letters else ("first", "second")
    columns = [a, b, "metric", f"score of {a}", f"score of {b}", f"{a} - {b}", noun, other, f"its {noun}", "p", "adjusted p"]
    rows = [
        (
            *c.systems,
            subject(c),
            *(format_number(s.value, decimals_of(c)) for s in c.scores),
            format_number(c.difference, decimals_of(c), sign=True),
            *intervals_of(c),
            format_p_number(c.p, alpha),
            adjusted(c.p),
        )
        for c in whole.comparisons
    ]
    tests_used = "; ".join(dict.fromkeys(method_phrase(c.p) for c in whole.comparisons))
    notes = [f"p: {tests_used}", *([family_note(whole)] if whole.family is not None else [])]
    return make_table("results", "Results", columns, "lllrrrrrrrr", rows, notes)


def intervals_of(c: Comparison) -> tuple[str, str, str]:
    """The interval of the difference, or another estimate and its interval: never both."""
    decimals = decimals_of(c)
    if c.interval is None:
        return "", "", ""
    if c.interval.estimand == "difference":
        return format_interval(c.interval, decimals), "", ""
    estimate = c.interval.estimate
    places = finer(decimals, estimate)
    shown = "" if estimate is None else format_number(estimate, places, sign=True)
    return "", shown, format_interval(c.interval, places)


def family_note(whole: Comparisons) -> str:
    """Which comparisons were corrected together, if any."""
    family = whole.family
    if family is None:
        return ""
    rate = ERROR_RATES.get(family.error_rate, family.error_rate)
    return f"p adjusted for {count(family.m, 'comparison')} (method {family.correction}), which controls the {rate}."


def decimals_of(c: Comparison) -> int:
    """Enough decimals to show that the scores differ."""
    return decimals_for(*(s.value for s in c.scores), difference=c.difference)


def subject(c: Comparison) -> str:
    """The metric and the data it was measured on."""
    dataset = "" if c.dataset is None else f" on {c.dataset}"
    part_of = "" if c.slice is None else f", {c.slice.column} = {c.slice.value}"
    return clean(f"{c.score_name}{dataset}{part_of}")


def score_ends(c: Comparison, alpha: float | None) -> tuple[str, list[str]]:
    """What to call the intervals of the two scores, and the intervals; empty texts where there are none."""
    decimals = decimals_of(c)
    return "interval" if alpha is None else f"{format_percent(1 - alpha)} interval", [
        interval_ends(s.low, s.high, decimals) for s in c.scores
    ]


def scores(c: Comparison, alpha: float | None = None) -> Table:
    """The score of each system, with its interval where it has one."""
    decimals = decimals_of(c)
    noun, ends = score_ends(c, alpha)
    rows = [(s.system, format_number(s.value, decimals), end) for s, end in zip(c.scores, ends, strict=True)]
    method = c.scores[0].method if any(ends) else ""
    notes = [f"Intervals of single scores: {method}."] if method else []
    better = "higher is better" if c.higher_is_better else "lower is better"
    return make_table("scores", f"{subject(c)} ({better})", ["system", "score", noun], "lrr", rows, notes)


def score_lines(c: Comparison, alpha: float | None = None) -> list[str]:
    """The same as lines of columns, for a screen."""
    table = scores(c, alpha)
    name_width = min(max(screen_width(row[0]) for row in table.rows), 40)
    value_width = max(len(row[1]) for row in table.rows)
    method = f" ({c.scores[0].method})" if c.scores[0].method else ""
    lines = [f"{table.title}, with {table.columns[2]}s{method}" if len(table.columns) > 2 else table.title]
    for name, value, *ends in table.rows:
        end = f"   {ends[0]}" if ends and ends[0] else ""
        lines.append(f"{padded(name, name_width, 'l')}  {value:>{value_width}}{end}")
    return lines


def path(c: Comparison) -> Table | None:
    """How the answer changes from rows to items to clusters; None where there is only one view."""
    if len(c.design.path) < 2:
        return None
    decimals = decimals_of(c)
    rows = [
        (
            view_of(c, s.view),
            f"{s.n:,}",
            format_number(s.difference, decimals, sign=True),
            format_probability(s.p),
            f"whole {view_of(c, s.view)}" if s.view == "clusters" else VIEWS[s.view],
        )
        for s in c.design.path
    ]
    inside = "segments of one document" if noun_of(c) == "segment" else "rows of one item, and items of one cluster,"
    note = f"The last row decides: {inside} are not independent evidence."
    heads = ["view", "n", difference_called(c.systems), "p", "what counts as one"]
    return make_table("path", "From rows to units", heads, "lrrrl", rows, [note])


def path_line(c: Comparison) -> list[str]:
    """How repeats and clusters change p, in one line."""
    steps = [f"{format_probability(step.p)} over {_units_of_step(c, step)}" for step in c.design.path]
    return [f"p = {', '.join(steps)}: the last one decides"] if len(steps) > 1 else []


def _units_of_step(c: Comparison, step: PathStep) -> str:
    """How many rows, items or clusters a step of the design counts."""
    noun = view_of(c, step.view)
    # Views of two words keep their plural: a design with 1 of them cannot be tested.
    return f"1 {noun.removesuffix('s')}" if step.n == 1 and " " not in noun else f"{step.n:,} {noun}"


def effects(c: Comparison) -> Table:
    """Effect sizes with their intervals."""
    level = "interval" if c.interval is None else f"{format_percent(c.interval.level)} interval"
    rows = [(effect_name(e.name), effect_value(e), effect_ends(e)) for e in c.effects if effect_value(e)]
    notes = [CONTRIBUTIONS.format(metric=c.metric, noun=units_of(c)[1])] if alone(c) and rows else []
    return make_table("effects", "Effect sizes", ["effect", "value", level], "lrr", rows, notes)


def alone(c: Comparison) -> bool:
    """Whether the metric is not a mean of item scores, so that contributions take the place of the items' differences."""
    return c.pictures is not None and c.pictures.alone


def effect_value(effect: Effect) -> str:
    """The value of an effect size, with its sign where it has one."""
    value = finite(effect.value)
    if value is None and finite(effect.low) is not None:
        return "infinite"
    return "" if value is None else format_number(value, _effect_decimals(effect), sign=effect.name not in UNSIGNED)


def effect_ends(effect: Effect) -> str:
    """The interval of an effect size."""
    return interval_ends(effect.low, effect.high, _effect_decimals(effect))


def _effect_decimals(effect: Effect) -> int:
    return decimals_for(*(x for x in (effect.value, effect.low, effect.high) if x is not None))


def every_test(c: Comparison, alpha: float | None) -> Table:
    """The p-values of all applicable tests, if they were asked for; the one that decides comes first."""
    listed = c.tests if not c.tests or c.p.test in {p.test for p in c.tests} else [c.p, *c.tests]
    rows = [(p.test, format_p_number(p, alpha), adjusted(p), f"{p.n:,}", method_phrase(p), format_p_error(p)) for p in listed]
    columns = ["test", "p", "adjusted p", "n", "how", "error of p"]
    return make_table("tests", "All tests", columns, "lrrrll", rows, [CHOOSING])


def power(c: Comparison) -> Table | None:
    """Power against the number of items."""
    if c.power is None:
        return None
    observed, unit = units_of(c)
    bands = [(point.n, point.power, interval_ends(point.low, point.high, 2)) for point in c.power.curve]
    rows = [
        (f"{n:,}" + (" (observed)" if n == observed else ""), format_probability(value, 2), ends) for n, value, ends in bands
    ]
    return make_table("power", "Power", [unit, "power", "95 % band"], "rrr", rows, [OBSERVED])


def deciding_items(c: Comparison) -> Table:
    """The items that carry the difference."""
    items = c.deciding_items
    scored = decimals_for(*(x for i in items for x in (i.a, i.b, i.difference)))
    moved = max(decimals_for(*(i.influence for i in items)) - 2, 0)
    rows = [
        (
            i.item,
            format_number(i.a, scored),
            format_number(i.b, scored),
            format_number(i.difference, scored, sign=True),
            format_number(i.influence, moved, sign=True),
        )
        for i in items
    ]
    note = "Influence: what the item adds to the difference in the metric."
    heads = ["item", *c.systems, difference_called(c.systems), "influence"]
    return make_table("items", "Most influential items", heads, "lrrrr", rows, [*favour_lines(c), note])


def favour_lines(c: Comparison) -> list[str]:
    """How many units favour each system, or move its score; old results do not know."""
    if c.favoured is None:
        return []
    (first, second), (a, b) = c.favoured, map(clean, c.systems)
    if c.segments:
        moved = f"{count(first, 'segment')} {'moves' if first == 1 else 'move'} {clean(c.metric)} towards {a}"
        return [f"{moved}, {second:,} towards {b}."]
    size, _ = units_of(c)
    unit = scored_noun(c) if c.clusters is None else group_of(c)
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
    return {
        **_comparison(c),
        "slice_column": bucket.column,
        "slice": bucket.value,
        "n": bucket.n,
        "clusters": None,
        "score_a": bucket.first,
        "score_b": bucket.second,
        "difference": bucket.difference,
        "low": bucket.low,
        "high": bucket.high,
        **_test(bucket.p),
        "winner": None,
        "claim": None,
    }


def _test(p: PValue) -> Record:
    return {
        "test": p.test,
        "method": p.method,
        "p": p.value,
        "p_lower": p.lower,
        "p_upper": p.upper,
        "p_adjusted": p.adjusted,
    }


def _comparison(c: Comparison) -> Record:
    low, high, level = (None, None, None) if c.interval is None else (c.interval.low, c.interval.high, c.interval.level)
    column, value = (None, None) if c.slice is None else (c.slice.column, c.slice.value)
    return {
        "system_a": c.systems[0],
        "system_b": c.systems[1],
        "metric": c.metric,
        "dataset": c.dataset,
        "slice_column": column,
        "slice": value,
        "n": c.n,
        "clusters": c.clusters,
        "runs_a": None if c.design.repeats_of is None else c.design.repeats_of[0],
        "runs_b": None if c.design.repeats_of is None else c.design.repeats_of[1],
        "population": c.population,
        "score_a": c.scores[0].value,
        "score_b": c.scores[1].value,
        "difference": c.difference,
        "low": low,
        "high": high,
        "level": level,
        "interval_of": None if c.interval is None else c.interval.estimand,
        **_test(c.p),
        "winner": None if c.decision.winner is None else c.systems[c.decision.winner],
        "claim": c.decision.claim,
    }

"""A diff as tables of texts: scores, pairs, and what the systems could do together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from outscore.core.records import dataclass
from outscore.language import numbers
from outscore.language.phrases import interval_noun, join_words, pairs_that_differ, sharing, times_as_much
from outscore.language.verdict.diff import score_name
from outscore.report.document import Mark, Table, clean
from outscore.report.rows.columns import Column, Ends, alpha_of, tabulate, texts, words
from outscore.results.diff import Confusion, Diff, LabelOracle, LabelRates, Oracle, Pair, Rates
from outscore.results.pvalue import Interval, PValue
from outscore.results.ranking import PairCounts

R = TypeVar("R")
Scored = tuple[str, dict[str, float | Rates]]
Bounded = tuple[str, int, Sequence[float], float, float | None, float | None]
TOUCHING = 1e-6
SAMPLED = "≈"
"""Marks a p-value that was sampled."""
NAMES = {
    "sentences": "sents",
    "uas": "UAS",
    "ls": "LS",
    "las": "LAS",
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "FEATS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "f1": "F1",
    "mcc": "MCC",
    "muc": "MUC",
    "b3": "B³",
    "ceafe": "CEAFe",
    "lea": "LEA",
    "mela": "MELA",
    "conll": "CoNLL",
    "arcs": "ARCS",
}
WHOLE_TABLES = (
    *("inventory", "scores", "rates", "pairs", "oracle", "labels", "label-rates", "confusion"),
    *("solved", "overlap", "agreement", "keys"),
)
WORD_TASKS = ("pos", "dep")
RECALL = (
    "Shares of gold words that are right, as in the verdict and the tests; F1 also counts the system's words, as the CoNLL"
    " evaluation does (--table rates has all)."
)
# Recalls, precisions and F1 side by side stay readable up to this many columns.
MAX_SCORES = 6
MAX_PAIRS = 15
MAX_RANKED = 3
"""How many systems a sentence names with their scores."""
GROUPS = "Systems that share a letter cannot be told apart by the first score."


def metric_name(name: str) -> str:
    """What people call a metric or a criterion.

    Examples
    --------
    >>> metric_name("sentences_las"), metric_name("arcs-any"), metric_name("macro_f1")
    ('sents LAS', 'ARCS any', 'macro F1')
    """
    return " ".join(NAMES.get(part, part) for part in name.replace("_", " ").replace("-", " ").split())


def points(value: float | None, *, sign: bool = False) -> str:
    """A share or a difference of shares, times a hundred; small ones keep a digit that is not zero.

    Examples
    --------
    >>> points(0.8894), points(0.00545, sign=True), points(-0.00001, sign=True)
    ('88.94', '+0.55', '-0.0010')
    """
    if value is None:
        return ""
    return numbers.format_number(100 * value, _places(100 * value), sign=sign)


def ends(low: float | None, high: float | None) -> str:
    """Both ends of an interval in points."""
    shown = [100 * x for x in (low, high) if x is not None]
    places = max(map(_places, shown), default=2)
    return numbers.format_ends(None if low is None else 100 * low, None if high is None else 100 * high, places)


def _places(shown: float) -> int:
    """Two decimals, or more for a number that would look like 0 and is not; an end that only touches 0 stays 0.00."""
    return 2 if round(shown, 2) or abs(shown) < TOUCHING else numbers.finer(2, shown)


SYSTEM: Column[Scored] = words("system", lambda row: row[0])
RATES: list[Column[Rates]] = [
    Column("r", lambda rates: rates.r, points),
    Column("p", lambda rates: rates.p, points),
    Column("F1", lambda rates: rates.f1, points),
]


def pair_name(pair: Pair) -> str:
    """The step as an arrow."""
    return f"{pair.systems[0]} → {pair.systems[1]}"


def headline_of(diff: Diff, pair: Pair) -> str:
    """Who won, and what changed from one system to the other; empty where several pairs share a headline."""
    # Files of version 0.1.0 have the verdict as one text.
    if len(diff.primary_pairs) != 1 or not pair.headline or not pair.outcomes.n:
        return ""
    by = "" if len(diff.pairs) == 1 else f" by {score_name(pair.metric)}"
    if pair.identical:
        return clean(f"{pair.headline}{by}: nothing changed")
    counted = f" (by {metric_name(pair.counted_by)})" if pair.counted_by else ""
    return clean(f"{pair.headline}{by}: {pair.outcomes.correction:,} corrected, {pair.outcomes.new_error:,} broken{counted}")


@dataclass(frozen=True)
class Place:
    """A system among several: its score by the first criterion, its groups as letters, and whether nobody is better."""

    system: str
    score: float
    letters: str
    leads: bool


def places_of(diff: Diff) -> list[Place]:
    """The systems best first; those that share a letter cannot be told apart. Empty where no pairs were tested."""
    import numpy as np

    from outscore.inference.leaderboard import groups_of

    pairs, alpha = diff.primary_pairs, alpha_of(diff)
    scores = {name: score for pair in pairs for name, score in zip(pair.systems, (pair.first, pair.second), strict=True)}
    if alpha is None or len(scores) < len(diff.systems):
        return []
    order = sorted(scores, key=lambda name: -scores[name])
    better = np.zeros((len(order), len(order)), dtype=bool)
    for pair in pairs:
        if pair.is_significant(alpha):
            worse, won = (order.index(name) for name in (pair.systems if pair.difference > 0 else pair.systems[::-1]))
            better[won, worse] = True
    letters = groups_of(better).letters
    return [Place(name, scores[name], letters[i], not better[:, i].any()) for i, name in enumerate(order)]


def ranked_in_words(diff: Diff, places: Sequence[Place]) -> str:
    """The scores of the first systems, and how many pairs differ."""
    pairs, alpha = diff.primary_pairs, alpha_of(diff) or 0.05
    # In per cent, as in the table of scores.
    first = join_words((f"{one.system} {100 * one.score:.2f}" for one in places), MAX_RANKED)
    corrected = ", corrected together" if pairs[0].p.adjusted is not None else ""
    metric = score_name(pairs[0].metric)
    counts = PairCounts(len(pairs), len(pairs), sum(pair.is_significant(alpha) for pair in pairs))
    return clean(f"{metric}: {first}; {pairs_that_differ(counts)}{corrected}.")


def tested_in_brief(diff: Diff, pair: Pair) -> str:
    """The difference of two of several systems, p, and whether that is a win."""
    first, second = pair.systems
    p = pair.p if pair.p.adjusted is None else replace(pair.p, value=pair.p.adjusted)
    gain = numbers.format_number(100 * pair.difference, 2, sign=True)
    won = "" if pair.is_significant(alpha_of(diff) or 0.05) else ", no winner"
    return clean(f"{first} → {second}: {gain}, {numbers.format_p(p, alpha_of(diff), brief=True)}{won}")


def lead_of(places: Sequence[Place]) -> str:
    """Who leads, or how many share the lead."""
    first = [one for one in places if one.leads]
    return f"{first[0].system} leads" if len(first) == 1 else sharing(len(first), len(places))


def ranked_scores(table: Table, places: Sequence[Place]) -> Table:
    """A table of scores with the best system first, and the groups of each."""
    if not places:
        return table
    named = [row[0] for row in table.rows]
    best = [named.index(clean(one.system)) for one in places]
    return replace(
        table,
        columns=(*table.columns, "groups"),
        align=f"{table.align}l",
        rows=tuple((*table.rows[row], one.letters) for row, one in zip(best, places, strict=True)),
        numbers=tuple((*table.numbers[row], None) for row in best),
        marks={(best.index(row), column): mark for (row, column), mark in table.marks.items()},
        notes=(*table.notes, GROUPS),
    )


def reason_of(diff: Diff, pair: Pair) -> str:
    """What the headline rests on; the whole verdict where several pairs share the headline."""
    return clean(pair.reason if headline_of(diff, pair) and pair.reason else pair.verdict)


def line_of(diff: Diff, pair: Pair) -> tuple[str, ...]:
    """P and the difference with its interval, for the line beside the headline."""
    difference = f"{points(pair.difference, sign=True)} points"
    if pair.interval is not None:
        difference += f", {interval_noun(pair.interval)} {ends(pair.interval.low, pair.interval.high)}"
    p = numbers.format_p(pair.p, alpha_of(diff), brief=True)
    adjusted = "" if pair.p.adjusted is None else f", adjusted {numbers.format_probability(pair.p.adjusted)}"
    return (p + adjusted, difference)


def next_step_of(diff: Diff, pair: Pair, *, short: bool = False) -> str:
    """How much more data a true difference of the observed size would take, where nothing was decided; empty elsewhere."""
    alpha = alpha_of(diff)
    if alpha is None or pair.needed is None or pair.is_significant(alpha) or pair.p.value <= alpha:
        return ""
    more = times_as_much(pair.needed)
    if short:
        return f"{more} times as much data would show such a difference (power .80)"
    return f"Detecting a true difference as large as the observed one would take {more} times as much data (power .80)."


def p_number(p: PValue | None, alpha: float | None = None) -> str:
    """The p-value, empty where nothing was tested; a sampled one is marked, as `sampled_note` explains."""
    if p is None:
        return ""
    return f"{SAMPLED}{numbers.format_p_number(p, alpha)}" if p.method == "monte-carlo" else numbers.format_p_number(p, alpha)


def sampled_note(p_values: Iterable[PValue | None]) -> list[str]:
    """What the mark of sampled p-values means, where there is one."""
    sampled = [p for p in p_values if p is not None and p.method == "monte-carlo"]
    if not sampled:
        return []
    widest = max(p.upper - p.lower for p in sampled)
    return [f"{SAMPLED} p is sampled (Monte Carlo): its 99% bounds are up to {numbers.format_probability(widest)} apart."]


def interval_note(named: Iterable[tuple[str, Interval | None]]) -> list[str]:
    """How intervals were computed: once if all alike, otherwise with names.

    Examples
    --------
    >>> interval_note([("F1", Interval(0.0, 1.0, 0.95, "centred bootstrap", dual=False)), ("sents", None)])
    ['Intervals: centred bootstrap.']
    """
    methods: dict[str, list[str]] = {}
    for name, interval in named:
        if interval is not None:
            methods.setdefault(interval.method, []).append(name)
    if len(methods) < 2:
        return [f"Intervals: {method}." for method in methods]
    listed = [f"{method} ({', '.join(names)})" for method, names in methods.items()]
    return [f"Intervals: {'; '.join(listed)}."]


def whole_tables(diff: Diff, *, top: int | None = None, every_pair: bool = True) -> list[Table]:
    """All tables about the systems together; `top` shortens the lists of labels and pairs."""
    tables = [_inventory(diff), _scores(diff), _rates(diff), _pairs(diff, every_pair=every_pair)]
    if len(diff.systems) > 1:
        tables += [_oracle(diff, top), _solved(diff), _overlap(diff), _agreement(diff)]
    else:
        tables += [_labels(diff, top)]
    tables += [_label_rates(diff, top), _confusion(diff, top), _keys(diff)]
    return [table for table in tables if table.rows]


def _inventory(diff: Diff) -> Table:
    kinds = (("not in gold", diff.inventory.unknown), ("rarely used", diff.inventory.unused))
    rows = [(name, kind, ", ".join(labels)) for kind, lists in kinds for name, labels in lists.items() if labels]
    return tabulate("inventory", "Labels that files do not share", texts("system", "labels", "which"), rows, splits=True)


def _scores(diff: Diff) -> Table:
    """One row per system: F1 of each metric, with recall and precision where there is room and they differ."""
    metrics = list(dict.fromkeys(metric for values in diff.scores.values() for metric in values))
    split = {name for name in metrics if _is_split(diff, name)}
    wide = len(metrics) + 2 * len(split) <= MAX_SCORES
    shown = [
        (metric, part, parts)
        for metric in metrics
        for parts in [_parts_of(diff, metric, split, first=metric == metrics[0], wide=wide)]
        for part in parts
    ]
    columns = [SYSTEM, *(_score_column(diff, *column) for column in shown)]
    table = tabulate("scores", "Scores", columns, diff.scores.items(), _score_notes(diff, split, wide=wide), splits=True)
    # The best system of every column; the first column contains names.
    marks: dict[tuple[int, int], Mark] = {
        (row, column): mark
        for column, (metric, part, _) in enumerate(shown, 1)
        for row, mark in _ranked([_part(values.get(metric), part) for values in diff.scores.values()]).items()
        if mark == "best"
    }
    return replace(table, marks=marks) if len(table.columns) == len(columns) else table


def _score_column(diff: Diff, metric: str, part: str, parts: Sequence[str]) -> Column[Scored]:
    head = metric_name(metric) if len(parts) == 1 else _part_name(diff, metric, part)
    return Column(head, lambda row: _part(row[1].get(metric), part), points)


def _parts_of(diff: Diff, metric: str, split: Collection[str], *, first: bool, wide: bool) -> tuple[str, ...]:
    """What is shown of a metric: for words, what the verdict and the tests count, and F1 beside it; otherwise F1."""
    if metric not in split:
        return ("f1",)
    if diff.task in WORD_TASKS:
        return ("r", "f1") if first or wide else ("r",)
    return ("r", "p", "f1") if wide else ("f1",)


def _part_name(diff: Diff, metric: str, part: str) -> str:
    """For words, recall is the score by which systems are compared, and has the metric's plain name."""
    return metric_name(metric) if diff.task in WORD_TASKS and part == "r" else f"{metric_name(metric)} {metric_name(part)}"


def _score_notes(diff: Diff, split: Collection[str], *, wide: bool) -> list[str]:
    if not split:
        return []
    if diff.task in WORD_TASKS:
        return [RECALL]
    return [] if wide else ["For metrics with recall and precision, F1 is shown."]


def _is_split(diff: Diff, metric: str) -> bool:
    """Whether recall and precision of a system differ."""
    rates = [values.get(metric) for values in diff.scores.values()]
    return any(not x.r == x.p == x.f1 for x in rates if isinstance(x, Rates))


def _part(value: float | Rates | None, part: str) -> float | None:
    return getattr(value, part) if isinstance(value, Rates) else value


def _ranked(values: Sequence[float | None]) -> dict[int, Mark]:
    """Best, worst and what lies between; empty where all are the same, and only the best of two."""
    shown = [points(x) for x in values]
    known = [x for x in values if x is not None]
    if len(known) < 2 or len({text for text in shown if text}) < 2:
        return {}
    high, low = points(max(known)), points(min(known))
    ends_: dict[str, Mark] = {low: "worst", high: "best"}
    marks: dict[int, Mark] = {i: ends_.get(text, "middle") for i, text in enumerate(shown) if text}
    return marks if len(known) > 2 else {i: mark for i, mark in marks.items() if mark == "best"}


def _rates(diff: Diff) -> Table:
    """Recall, precision and F1 in rows of their own."""
    rated = [
        (name, metric, value)
        for name, values in diff.scores.items()
        for metric, value in values.items()
        if isinstance(value, Rates)
    ]
    columns: list[Column[tuple[str, str, Rates]]] = [
        words("system", lambda row: row[0]),
        words("score", lambda row: metric_name(row[1])),
        *(column.of(lambda row: row[2]) for column in RATES),
    ]
    return tabulate("rates", "Recall, precision and F1", columns, rated, splits=True)


def _pairs(diff: Diff, *, every_pair: bool) -> Table:
    """One row per pair: how much differs, the difference in the score, and what changed."""
    alpha, shown = alpha_of(diff), diff.pairs if every_pair else _neighbours(diff.primary_pairs)
    several = len({pair.criterion for pair in shown}) > 1
    level = interval_noun(next((pair.interval for pair in shown if pair.interval is not None), None))
    columns: list[Column[Pair]] = [
        words("pair", pair_name),
        words("by", lambda pair: metric_name(pair.criterion), when=several),
        Column("diff %", lambda pair: pair.differ, points),
        *change_columns(level, alpha),
        Column("adj. p", lambda pair: pair.p.adjusted, numbers.format_probability),
        Column("corr.", lambda pair: pair.outcomes.correction),
        Column("new", lambda pair: pair.outcomes.new_error),
        Column("chg.", lambda pair: pair.outcomes.changed_error),
    ]
    counted = "corr., new, chg.: corrections, new errors, changed errors"
    notes = [f"diff: share of different answers. Δ: second - first, in points. {counted}."]
    notes += [
        f"{metric_name(score)} is a score of chains: diff, corr., new and chg. count mentions by {metric_name(units)}."
        for score, units in dict.fromkeys((pair.criterion, pair.counted_by) for pair in shown if pair.counted_by)
    ]
    if any(pair.p.adjusted is not None for pair in shown):
        notes.append("adj. p: corrected over the pairs of one criterion; intervals are not adjusted.")
    elif len(diff.systems) > 2:
        notes.append("Each pair is tested on its own: p is not corrected for the number of pairs.")
    notes += [*interval_note((pair_name(pair), pair.interval) for pair in shown), *sampled_note(pair.p for pair in shown)]
    if len(shown) < len(diff.pairs):
        notes.append(f"Not shown: {len(diff.pairs) - len(shown)} (other pairs or criteria; -v shows them).")
    title = "Pairs" if several or not shown else f"Pairs by {metric_name(shown[0].criterion)}"
    return tabulate("pairs", title, columns, shown, notes, splits=True)


def change_columns(level: str, alpha: float | None) -> list[Column[Any]]:
    """The difference of a pair or of one of its scores, its interval and p."""
    return [
        Column("Δ", lambda row: row.difference, signed_points),
        Column(level, lambda row: row.interval and (row.interval.low, row.interval.high), limits),
        Column("p", lambda row: row.p, lambda p: p_number(p, alpha)),
    ]


def signed_points(value: float) -> str:
    """A difference in points with its sign."""
    return points(value, sign=True)


def limits(pair: Ends) -> str:
    """Both ends of an interval in points, in words where one is missing."""
    return ends(*pair)


def _neighbours(pairs: list[Pair]) -> list[Pair]:
    """All pairs; if there are many, those of neighbours by score, the best systems first."""
    if len(pairs) <= MAX_PAIRS:
        return pairs
    scores = {name: score for pair in pairs for name, score in zip(pair.systems, (pair.first, pair.second), strict=True)}
    order = sorted(scores, key=lambda name: scores[name], reverse=True)
    by_systems = {frozenset(pair.systems): pair for pair in pairs}
    return [by_systems[frozenset(step)] for step in pairwise(order)][:MAX_PAIRS]


def _oracle(diff: Diff, top: int | None) -> Table:
    """Systems beside the upper bound of their combination (Tuggener, 2017, tables 9 to 11)."""
    oracle = diff.oracle
    if oracle is None:
        return tabulate("oracle", "Upper bound", texts("label"), [], splits=True)
    total = sum(row.n for row in oracle.labels)
    # Every unit has one gold label, so the score of the whole is the mean of the labels' by their units.
    whole = [sum(row.n * row.scores[i] for row in oracle.labels) / total for i in range(len(diff.systems))]
    body: list[Bounded] = [("all", total, whole, oracle.all.rate, oracle.all.gain_over_best, oracle.all.independent)]
    # A label seen once, such as a free answer, says nothing about the systems.
    labels = oracle.labels if top is None else [row for row in oracle.labels if row.n > 1][:top]
    apart = [] if oracle.sentences is None else [oracle.sentences]
    body += [(r.label, r.n, r.scores, r.rate, r.gain_over_best, r.independent) for r in (*apart, *labels)]
    marks = {(i, 2 + column): mark for i, row in enumerate(body) for column, mark in _ranked(row[2]).items()}
    columns: list[Column[Bounded]] = [
        words("label", lambda row: row[0]),
        Column("units", lambda row: row[1]),
        *(_share_column(name, i) for i, name in enumerate(diff.systems)),
        Column("bound", lambda row: row[3], points),
        Column("gain", lambda row: row[4], signed_points),
        Column("indep.", lambda row: row[5], points),
    ]
    bound = "bound: at least one system is right; gain: over the system that is best overall"
    notes = [f"{bound}; indep.: the bound if errors were independent."]
    title = f"Upper bound of a combination{_by(oracle)}"
    return tabulate("oracle", title, columns, body, notes, marks=marks, signs=True, splits=True)


def _share_column(name: str, i: int) -> Column[Any]:
    """The share of one of several systems, which rows have as their third part."""
    return Column(name, lambda row: row[2][i], points)


def _labels(diff: Diff, top: int | None) -> Table:
    """The labels of a single system, which has nothing to be combined with."""
    labels = [] if diff.oracle is None else diff.oracle.labels
    columns: list[Column[LabelOracle]] = [
        words("label", lambda row: row.label),
        Column("units", lambda row: row.n),
        Column(f"{diff.systems[0]}, % right", lambda row: row.scores[0], points),
    ]
    left = 0 if top is None else max(len(labels) - top, 0)
    title = "Gold labels" if diff.oracle is None else f"Gold labels{_by(diff.oracle)}"
    return tabulate("labels", title, columns, labels[:top], [f"Not shown: {left}."] if left else [], splits=True)


def _label_rates(diff: Diff, top: int | None) -> Table:
    """Recall, precision and F1 of each label, most frequent first, the systems below one another."""
    place = {name: k for k, name in enumerate(diff.systems)}
    size: dict[str, int] = {row.label: row.n for row in diff.label_rates}
    shown = sorted(size, key=lambda label: (-size[label], label))[:top]
    known = {label: i for i, label in enumerate(shown)}
    chosen = [row for row in diff.label_rates if row.label in known]
    chosen.sort(key=lambda row: (known[row.label], place[row.system]))
    columns: list[Column[LabelRates]] = [
        words("label", lambda row: row.label),
        words("system", lambda row: row.system),
        Column("gold", lambda row: row.n),
        *(column.of(lambda row: row.rates) for column in RATES),
    ]
    notes = [f"Labels not shown: {len(size) - len(shown)}."] if len(shown) < len(size) else []
    return tabulate("label-rates", "Recall, precision and F1 by label", columns, chosen, notes, splits=True)


def _confusion(diff: Diff, top: int | None) -> Table:
    """What systems answered instead of the right label, most frequent first."""
    by_system = [[row for row in diff.confusions if row.system == name] for name in diff.systems]
    shown = [row for errors in by_system for row in errors[:top]]
    left = sum(map(len, by_system)) - len(shown)
    columns: list[Column[Confusion]] = [
        words("system", lambda row: row.system),
        words("gold", lambda row: row.gold),
        words("answer", lambda row: row.answer),
        Column("count", lambda row: row.count),
    ]
    notes = [f"Not shown: {left:,} rows."] if left else []
    if any(row.gold == row.answer for row in shown):
        notes.insert(0, "The same label twice: the label is right, but its head is wrong.")
    return tabulate("confusion", "Errors of each system", columns, shown, notes, splits=True)


def _by(oracle: Oracle) -> str:
    """By what criterion answers are right, where there is a choice."""
    return "" if oracle.criterion in ("", "label") else f" ({metric_name(oracle.criterion)})"


def _solved(diff: Diff) -> Table:
    oracle = diff.oracle
    rows: list[tuple[str, int, float]] = []
    if oracle is not None and (total := sum(oracle.solved_by)):
        rows += [(f"by {k} of {len(diff.systems)}", n, n / total) for k, n in enumerate(oracle.solved_by)]
        rows += [(f"by {name} alone", n, n / total) for name, n in oracle.only.items()]
    # For two systems, a majority is both of them.
    if oracle is not None and len(diff.systems) > 2:
        rows.append(("by a majority vote", round(oracle.majority * sum(oracle.solved_by)), oracle.majority))
    columns: list[Column[tuple[str, int, float]]] = [
        words("solved", lambda row: row[0]),
        Column("units", lambda row: row[1]),
        Column("%", lambda row: row[2], points),
    ]
    return tabulate("solved", "Who solves what", columns, rows, splits=True)


def _agreement(diff: Diff) -> Table:
    shares = diff.agreement if len(diff.systems) > 2 else []
    return _matrix(diff, "agreement", "Agreement", "same answers, %", shares)


def _overlap(diff: Diff) -> Table:
    """How much the right answers of two systems overlap (Tuggener, 2017, table 1)."""
    note = "Twice the units that both get right, divided by the sum of those that each gets right (Dice)."
    return _matrix(diff, "overlap", "Overlap of right answers", "overlap, %", diff.overlap, note)


def _matrix(diff: Diff, key: str, title: str, head: str, shares: Sequence[Sequence[float | None]], note: str = "") -> Table:
    """Systems by systems."""
    name: Column[Any] = words(head, lambda row: row[0])
    columns = [name, *(_share_column(system, i) for i, system in enumerate(diff.systems))]
    rows = [(system, None, row) for system, row in zip(diff.systems, shares, strict=False)]
    return tabulate(key, title, columns, rows, [note], splits=True)


def _keys(diff: Diff) -> Table:
    """One response scored with another as the key (Tuggener, 2017, table 13)."""
    f1_by_pair: dict[tuple[str, str], dict[str, float]] = {}
    for row in diff.keys:
        f1_by_pair.setdefault((row.key, row.response), {})[row.metric] = row.f1

    def f1(metric: str) -> Column[tuple[tuple[str, str], dict[str, float]]]:
        return Column(f"{metric_name(metric)} F1", lambda row: row[1].get(metric), points)

    columns: list[Column[tuple[tuple[str, str], dict[str, float]]]] = [
        words("key", lambda row: row[0][0]),
        words("response", lambda row: row[0][1]),
        *map(f1, dict.fromkeys(row.metric for row in diff.keys)),
    ]
    notes = ["The difference between two responses is 100 - F1."]
    return tabulate("keys", "One system as key for another", columns, f1_by_pair.items(), notes, splits=True)

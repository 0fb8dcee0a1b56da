"""How single systems' scores are reported: the scores, what they can show, what they rest on, and their charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from outscore.inference.populations import THESE_ITEMS, claim_of
from outscore.language import numbers
from outscore.language.phrases import better
from outscore.language.verdict.score import score_decimals, score_headline
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.citations import uses_of_scores
from outscore.report.document import clean
from outscore.report.rows.columns import Column, digits, ends, interval_head, number, tabulate, words
from outscore.results.analysis import Directions
from outscore.results.note import note_texts, texts_below
from outscore.results.score import Noise, ScoredSystem, ScorePart, ScoreResult

MAX_OPEN_ROWS, MAX_OPEN_SYSTEMS = 30, 3
EACH = ("spread", "reach", "noise floor", "missing")
"""Facts with a line for each system."""
TENTH = 0.1
"""Two directions whose differences are further apart are both told."""
COLUMNS = (
    "system", "column", "part", "metric", "value", "low", "high", "n", "rows", "clusters", "repeats", "missing", "error", "sd",
    "between", "within", "detectable_independent", "detectable_correlated", "correlation", "run_sd", "run_reach",
    "false_alarms",
)  # fmt: skip


def build(result: ScoreResult) -> doc.Document:
    """All scores."""
    title = clean(f"{numbers.count(len(result.systems), 'system')} by {result.metric}")
    told = doc.Section("answer", "", lambda: [_verdict(result), *_above(result)]).but("latex")
    answer, pictures = common.illustrated(told, "ranking.SCORES", (result,), "scores")
    sections = (
        answer,
        doc.Section("scores", "Scores", lambda: [scores(result)]),
        doc.Section("parts", "Parts", lambda: [common.folded(table, MAX_OPEN_ROWS) for table in parts(result)]),
        pictures,
        *_grounds(result),
        common.paper(result.sentence, str(result.signature)),
        *common.references(uses_of_scores, result),
        common.settings(result.settings, "score-settings"),
    )
    return doc.Document(title, (doc.Article("", title, sections),))


def _grounds(result: ScoreResult) -> tuple[doc.Section, ...]:
    """What the scores rest on, and what each can show; of many systems a page folds the latter."""
    title, told = "What they can show, and what they rest on", facts(result)
    if len(result.systems) <= MAX_OPEN_SYSTEMS:
        return (doc.Section("grounds", title, lambda: [common.facts_block(told)]).but("latex"),)
    shared, each = ([fact for fact in told if (fact.label in EACH) == own] for own in (False, True))
    return (
        doc.Section("grounds", title, lambda: [common.facts_block(told)]).but("latex", "html"),
        doc.Section("grounds", "What they rest on", lambda: [common.facts_block(shared)]).only("html"),
        doc.Section("each", "What each can show", lambda: [common.facts_block(each)], fold="All systems").only("html"),
    )


def card(result: ScoreResult) -> doc.Document:
    """The scores alone, for notebooks."""
    return common.card_document(
        result.headline, result.reason, scores(result), note_texts(result.notes), reading=result.reading
    )


def _above(result: ScoreResult) -> list[doc.Block]:
    return [*common.warnings_of(result.notes), *common.read_as(result.reading, result.notes)]


def _verdict(result: ScoreResult) -> doc.Verdict:
    first, line = result.systems[0], []
    if len(result.systems) == 1 and first.low is not None:
        ends = numbers.format_ends(first.low, first.high, score_decimals(result.systems))
        line = [f"{interval_head(result.alpha)} {ends}"]
    return common.verdict_of(result, "Scores", strong=clean(result.headline), tone="told", line=tuple(line))


def scores(result: ScoreResult, decimals: int | None = None) -> doc.Table:
    """One row for each system; empty columns are left out."""
    decimals = score_decimals(result.systems) if decimals is None else decimals
    columns: list[Column[ScoredSystem]] = [
        words("system", lambda one: one.system),
        Column(result.metric, lambda one: one.value, number(decimals)),
        words(interval_head(result.alpha), lambda one: (one.low, one.high), ends(decimals)),
        Column("items", lambda one: one.n),
        Column("clusters", lambda one: one.clusters),
        Column("runs", lambda one: one.repeats, "{:.4g}".format, when=any(one.repeats > 1 for one in result.systems)),
        words("without a score", lambda one: ", ".join(f"{n:,} {reason}" for reason, n in one.missing.items())),
    ]
    averaged = "macro-averaged " if result.macro else ""
    return tabulate("scores", f"{averaged}{result.metric}, {better(higher=result.higher_is_better)}", columns, result.systems)


def parts(result: ScoreResult, decimals: int | None = None, keys: Sequence[str] = ("datasets", "slices")) -> list[doc.Table]:
    """A table for datasets and one for slices, with a row for each value, and for each system where there are several."""
    decimals = score_decimals(result.systems) if decimals is None else decimals
    tables = []
    for key in keys:
        listed = [(one.system, part) for one in result.systems for part in getattr(one, key)]
        order = {name: i for i, name in enumerate(dict.fromkeys((part.column, part.name) for _, part in listed))}
        if not listed:
            continue
        column = listed[0][1].column
        columns: list[Column[tuple[str, ScorePart]]] = [
            words(column, lambda row: row[1].name),
            words("system", lambda row: row[0], when=len(result.systems) > 1),
            Column(result.metric, lambda row: row[1].value, number(decimals)),
            words(interval_head(result.alpha), lambda row: (row[1].low, row[1].high), ends(decimals)),
            Column("items", lambda row: row[1].n),
        ]
        listed.sort(key=lambda row: order[row[1].column, row[1].name])
        tables.append(tabulate(key, f"By {column}", columns, listed))
    return tables


def facts(result: ScoreResult) -> tuple[doc.Fact, ...]:
    """What the scores rest on and what they can show, without what is missing."""
    return doc.statements(
        ("intervals", [_intervals(result)] if result.interval else []),
        ("spread", _each(result, _spread)),
        ("reach", _each(result, lambda one: _reach(one, result))),
        ("noise floor", _each(result, lambda one: _noise(one.noise, result))),
        ("missing", _each(result, _missing)),
        ("next", [f"compare them with `{result.next_command or 'outscore rank'}`"] if len(result.systems) > 1 else []),
        ("notes", texts_below(result.notes)),
        commands="next",
    )


def _each(result: ScoreResult, describe: Callable[[ScoredSystem], str]) -> list[str]:
    """One line for each system, after its name where there are several."""
    lines = [(one.system, describe(one)) for one in result.systems]
    several = len(result.systems) > 1
    return [f"{name}: {line}" if several else line for name, line in lines if line]


def _intervals(result: ScoreResult) -> str:
    about = "new items" if result.repeat_kind is None else claim_of(result.population, result.repeat_kind)
    clusters = [one.clusters for one in result.systems if one.clusters is not None]
    units = f", items in {numbers.count(max(clusters), 'cluster')}" if clusters else ""
    return f"about {about}; {result.interval}{units}"


def _spread(one: ScoredSystem) -> str:
    if one.between is not None and one.within is not None:
        whole = one.between + one.within
        share = f"; {100 * one.within / whole:.0f}% of the variance of a single run is between runs" if whole else ""
        between, within = (numbers.format_number(math.sqrt(variance)) for variance in (one.between, one.within))
        return f"sd {between} between items, {within} within an item{share}"
    return "" if one.sd is None else f"sd {numbers.format_number(one.sd)} between items"


def _reach(one: ScoredSystem, result: ScoreResult) -> str:
    reach = one.detectable
    if reach is None:
        return ""
    level = f"power {numbers.format_level(reach.power)}, alpha = {numbers.format_level(reach.alpha)}, paired"
    if reach.smallest_p is not None:
        units = numbers.count(one.n, "item") if one.clusters is None else numbers.count(one.clusters, "cluster")
        smallest, alpha = numbers.format_probability(reach.smallest_p), numbers.format_level(reach.alpha)
        least = f"the smallest possible p with {units} is {smallest}"
        return f"cannot detect a difference from another system: {least} (alpha = {alpha}, paired)"
    if reach.possible is not None and reach.independent_directions is None:
        # Results of version 0.1.0 may hold differences that no two systems can have.
        sizes = [
            size if size is not None and size <= reach.possible else None for size in (reach.independent, reach.correlated)
        ]
        reach = replace(reach, independent=sizes[0], correlated=sizes[1])
    if reach.correlated is None and reach.independent is None:
        return f"cannot detect a difference from another system: none that is possible is large enough ({level})"
    decimals = score_decimals(result.systems)
    if result.population == THESE_ITEMS:
        level = level.removesuffix(", paired")
        detected = _detected(reach.independent, reach.independent_directions, decimals, " from another system")
        return f"detects {detected} that is run as often on these items ({level})"
    # Rounding leaves correlations like -2e-17, which mean 0.
    rho = numbers.format_number(round(reach.correlation, 9), 2)
    how = "as these do" if reach.measured else "assumed"
    correlated = _detected(reach.correlated, reach.correlated_directions, decimals, " from another system")
    independent = _detected(reach.independent, reach.independent_directions, decimals)
    return f"detects {correlated} if item scores correlate at {rho} ({how}), {independent} if they do not correlate ({level})"


def _detected(size: float | None, sides: Directions | None, decimals: int, whom: str = "") -> str:
    """The smallest difference that is detected, and both directions where they differ by a tenth."""
    if size is None:
        return f"no difference{whom}"
    if sides is None or (sides.better is not None and sides.worse is not None and _alike(sides.better, sides.worse)):
        return f"a difference of {numbers.format_number(size, decimals)}{whom}"
    if sides.better is None or sides.worse is None:
        seen, unseen = ("worse", "better") if sides.better is None else ("better", "worse")
        return f"a system that is {seen} by {numbers.format_number(size, decimals)}, but none that is {unseen},"
    worse, better = (numbers.format_number(side, decimals) for side in (sides.worse, sides.better))
    return f"a system that is worse by {worse} or better by {better}"


def _alike(first: float, second: float) -> bool:
    return abs(first - second) <= TENTH * min(first, second)


def _noise(noise: Noise | None, result: ScoreResult) -> str:
    if noise is None:
        return ""
    decimals = score_decimals(result.systems)
    text = f"two runs differ by up to {numbers.format_number(noise.reach, decimals)} in 95 of 100 cases"
    if noise.largest is not None:
        text += f", these {noise.runs:.4g} by up to {numbers.format_number(noise.largest, decimals)}"
    if noise.false_alarms is not None:
        level = numbers.format_level(result.alpha)
        rate = f"{'at most ' if noise.bound else ''}{numbers.format_number(100 * noise.false_alarms, 1)}%"
        text += f"; single runs of the same system would be called different in {rate} of cases"
        text += f" (alpha = {level}"
        text += f"; {noise.significant:,} of {numbers.count(noise.pairs, 'pair')} of these runs)" if noise.pairs else ")"
    return text


def _missing(one: ScoredSystem) -> str:
    if not one.missing:
        return ""
    reasons = [
        f"{number:,} {'items that others have' if reason == 'absent' else reason}" for reason, number in one.missing.items()
    ]
    return f"without a score: {', '.join(reasons)}"


def records(result: ScoreResult) -> doc.Records:
    """A record for each system and each of its parts, with all digits."""
    rows: list[doc.Record] = []
    for one in result.systems:
        shared = {"system": one.system, "metric": result.metric}
        own = digits(one, "value", "low", "high", "n", "rows", "clusters", "repeats", "error", "sd", "between", "within")
        reach = digits(one, correlation="detectable.correlation", detectable_independent="detectable.independent")
        noise = digits(one, run_sd="noise.sd", run_reach="noise.reach", false_alarms="noise.false_alarms")
        correlated = digits(one, detectable_correlated="detectable.correlated")
        rows.append({**shared, **own, **reach, **correlated, **noise, "missing": sum(one.missing.values())})
        listed = (*one.datasets, *one.slices)
        rows += [{**shared, **digits(part, "column", "value", "low", "high", "n", part="name")} for part in listed]
    return doc.Records(COLUMNS, tuple(rows))


def screen(result: ScoreResult) -> doc.Screen:
    """The scores, and those of the parts that were asked for."""
    justified = numbers.decimals_of_intervals((one.low, one.high) for one in result.systems)
    decimals = min(score_decimals(result.systems), justified)
    asked = ("datasets", "slices") if result.settings.get("dataset") else ("slices",)
    further = parts(result, decimals, asked)
    tables = [
        common.bare(scores(result, decimals), "rows", "items"),
        *(common.bare(table, title=table.title) for table in further),
    ]
    told = {fact.label: fact for fact in facts(result)}
    about = [] if result.repeat_kind is None else [claim_of(result.population, result.repeat_kind)]
    following = [told["next"]] if "next" in told else []
    return doc.Screen(
        clean(score_headline(result.systems, decimals, higher_is_better=result.higher_is_better)),
        (*doc.statements(("about", about), ("read as", common.short_read_as(result.reading))), *following),
        common.warnings_on_screen(result.notes),
        tuple(tables),
        "told",
    )


def lines(result: ScoreResult) -> list[common.Line]:
    """Every system as keys and values."""
    return [
        {"system": one.system, "metric": result.metric, "score": one.value, "low": one.low, "high": one.high, "n": one.n}
        for one in result.systems
    ]


KIND = common.Kind(build, card, {"scores": records}, "ranking.SCORES", screen=screen, lines=lines)

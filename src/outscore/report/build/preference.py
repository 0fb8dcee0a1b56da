"""The document of battles: the verdict, strengths and pairs, the effects of position, length and judge, and the method."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from outscore.language.numbers import count, format_level, format_p
from outscore.language.phrases import correction_name
from outscore.language.verdict.preference import battle_facts, battle_reading_line, format_rate
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.build.common import Kind, Line
from outscore.report.citations import cited_by_preference
from outscore.report.rows.columns import interval_head
from outscore.report.rows.places import sharing
from outscore.report.rows.preference import (
    agreement_table,
    category_records,
    category_table,
    decided,
    facts,
    next_step,
    pair_records,
    pair_table,
    strength_records,
    strength_table,
)
from outscore.results.preference import Preference

MAX_SHOWN, MAX_PAIRS, MAX_CATEGORIES = 20, 12, 20
"""How many systems, pairs and rows of categories a brief report lists."""
MAX_OPEN, MAX_LISTED = 40, 500
"""Rows beyond which a page folds a table away, and pairs that it lists at all; `pairs.csv` has every one."""


def build(result: Preference) -> doc.Document:
    """The whole report."""
    repeated = common.settings(result.settings, "preference-settings")
    told = doc.Section("answer", "", lambda: [_verdict(result), *_cautions(result)]).but("latex")
    key = "win-rate" if len(result.systems) == 2 else "strengths"
    answer, pictures = common.illustrated(told, partial(common.drawn, "preference", result), key)
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
        common.works(lambda: cited_by_preference(result)),
        common.glossary(),
        repeated.only("html"),
    )
    return doc.Document(_title(result), (doc.Article("", doc.clean(result.headline), sections),))


def card(result: Preference) -> doc.Document:
    """The verdict and its numbers, for notebooks."""

    def blocks() -> list[doc.Block]:
        many = len(result.systems) > 2
        table = strength_table(result, MAX_SHOWN) if many else pair_table(result, MAX_PAIRS)
        notes = tuple(doc.clean(note.text) for note in result.notes)
        listed: list[doc.Block] = [doc.Listing("notes", notes)] if notes else []
        return [doc.Verdict((result.verdict,), doc.clean(result.headline), doc.clean(result.reason)), table, *listed]

    return doc.Document(doc.clean(result.headline), (doc.Article("", "", (doc.Section("card", "", blocks),)),))


def _title(result: Preference) -> str:
    if len(result.systems) == 2:
        return doc.clean(f"{result.systems[0]} against {result.systems[1]}")
    return f"{count(len(result.systems), 'system')} in {count(result.battles, 'battle')}"


def _verdict(result: Preference) -> doc.Verdict:
    top, reason = doc.clean(result.headline), doc.clean(result.reason)
    first = leaders_of(result)
    if len(result.systems) > 2 and first > 1 and result.labels is None and result.counts.testable:
        # How many could be the best says more than who is ahead.
        top, reason = sharing(first, len(result.systems)), doc.clean(result.verdict)
    elif len(result.systems) == 2 and result.labels is None and not decided(result):
        (pair,) = result.pairs
        top = f"{top}: {pair.wins:,} won, {pair.losses:,} lost, {pair.ties:,} tied"
    return doc.Verdict(
        (result.verdict,),
        top,
        reason,
        _title(result),
        plain=(doc.clean(result.reason),) if result.reason else (),
        tone="won" if decided(result) else "",
        opening=doc.clean(result.headline),
        named=common.begins_with_name(reason, result.systems),
        line=_line(result),
    )


def leaders_of(result: Preference) -> int:
    """How many systems of the first set may be the strongest."""
    return sum(one.rank_low == 1 and one.component == result.strengths[0].component for one in result.strengths)


def _line(result: Preference) -> tuple[str, ...]:
    """The first number, and p of two systems, or how many pairs of several systems differ."""
    if len(result.systems) > 2 and result.labels is None:
        return _strongest(result), f"{result.counts.significant:,} of {result.counts.testable:,} pairs differ"
    pair, labels = result.pairs[0], result.labels
    rate, low, high = (pair.win_rate, pair.low, pair.high) if labels is None else (labels.win_rate, labels.low, labels.high)
    ends = "" if low is None else f"{interval_head(result.alpha)} {100 * low:.1f} to {100 * (high or 0):.1f}%"
    won = ", ".join(filter(None, (f"{doc.clean(pair.a)} {format_rate(rate)}", ends)))
    p = pair.p if labels is None else labels.p
    return (won,) if p is None else (won, format_p(p, result.alpha, brief=True))


def _cautions(result: Preference) -> list[doc.Block]:
    """What may make the verdict wrong, and how the data were interpreted."""
    line = doc.clean(battle_reading_line(result.reading))
    return [*common.warnings_of(result.notes), *common.data_blocks(line, result.notes)]


def _strengths(result: Preference) -> Iterable[doc.Later]:
    def listed(most: int | None) -> doc.Table:
        optional = ("log-odds", "battles", "won", "groups")
        return replace(strength_table(result, most), optional=optional, heading="bold")

    if len(result.systems) > 2:
        yield from common.by_length(listed, MAX_SHOWN, *common.RUNNING)
        # The answer is never folded away.
        yield doc.Later(lambda: [strength_table(result, board=True)]).only("html")


def _pairs(result: Preference) -> Iterable[doc.Block | doc.Later]:
    def listed(most: int | None) -> doc.Table:
        return _plain(pair_table(result, most), interval_head(result.alpha))

    if len(result.systems) > 2:
        yield from common.by_length(listed, MAX_PAIRS, *common.RUNNING)
        page = common.folded(listed(MAX_LISTED), MAX_OPEN)
        cut = len(result.pairs) > MAX_LISTED
        yield (replace(page, fold=f"{MAX_LISTED} of {len(result.pairs):,} rows") if cut else page).only("html")


def _categories(result: Preference) -> Iterable[doc.Later]:
    categories = result.categories
    if categories is None:
        return

    def listed(most: int | None) -> doc.Table:
        return _plain(category_table(result, categories, most))

    yield from common.by_length(listed, MAX_CATEGORIES, *common.RUNNING)
    yield common.on_page(listed, None, MAX_OPEN)


def _plain(table: doc.Table, *more: str) -> doc.Table:
    return replace(table, optional=("tied", "by", "p", *more), heading="bold")


def _on(result: Preference) -> tuple[str, ...]:
    """On how many units, unless these are the battles themselves."""
    return () if result.unit == "battle" else (f"on {count(result.clusters, result.unit)}",)


def _strongest(result: Preference) -> str:
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


def screen(result: Preference) -> doc.Screen:
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
        common.on_screen(
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


def lines(result: Preference) -> list[Line]:
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
KIND = Kind(build, card, TABLES, "preference", screen=screen, lines=lines)

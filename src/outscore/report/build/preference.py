"""The document of battles: the verdict, strengths and pairs, what verdicts owe to place, length and judge, and the grounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from outscore.language.numbers import count, format_level, format_p_number
from outscore.language.verdict.preference import cluster_text, format_rate, found_in
from outscore.report.build.common import (
    begins_with_name,
    by_level,
    charts_section,
    facts_block,
    folded,
    paper,
    settings,
    warnings_of,
    works,
)
from outscore.report.build.kind import Kind
from outscore.report.charts.preference import charts
from outscore.report.charts.theme import stylesheet
from outscore.report.document import (
    Article,
    Block,
    Card,
    Cards,
    Document,
    Fact,
    Facts,
    Later,
    Listing,
    Paragraph,
    Section,
    Table,
    Verdict,
    clean,
)
from outscore.report.references.citations import cited_by_preference
from outscore.report.rows.places import sharing
from outscore.report.rows.preference import (
    agreement_table,
    category_records,
    category_table,
    decided,
    elo_name,
    facts,
    interval_name,
    pair_records,
    pair_table,
    strength_records,
    strength_table,
)
from outscore.results.preference import Labelled, Preference

__all__ = ["KIND", "build", "card"]

MAX_SHOWN, MAX_PAIRS, MAX_CATEGORIES = 20, 12, 20
"""Systems, pairs and rows of categories that a brief report lists."""
MAX_OPEN, MAX_LISTED = 40, 500
"""Rows beyond which a page folds a table away, and pairs that it lists at all; `pairs.csv` has every one."""


def build(result: Preference) -> Document:
    """The whole report."""
    repeated = settings(result.settings, "preference-settings")
    sections = (
        Section("answer", "", lambda: [_verdict(result), *_told(result), _cards(result)]).but("latex"),
        Section("strengths", "Strengths", lambda: _strengths(result)),
        Section("pairs", "Pairs", lambda: _pairs(result)),
        Section("categories", "Categories", lambda: _categories(result)),
        charts_section(lambda: charts(result)),
        Section("judges", "Judges", lambda: [agreement_table(result)]),
        repeated.but("html"),
        Section("grounds", "Method and assumptions", lambda: [facts_block(facts(result))], headed=True).but("latex"),
        paper(result.sentence, str(result.signature)),
        works(lambda: cited_by_preference(result)),
        repeated.only("html"),
    )
    return Document(_title(result), (Article("", clean(result.headline), sections),), style=stylesheet())


def card(result: Preference) -> Document:
    """The verdict and its numbers, for notebooks."""

    def blocks() -> list[Block]:
        many = len(result.systems) > 2
        table = strength_table(result, MAX_SHOWN) if many else pair_table(result, MAX_PAIRS)
        notes = tuple(clean(note.text) for note in result.notes)
        listed: list[Block] = [Listing("notes", notes)] if notes else []
        return [Verdict((result.verdict,), clean(result.headline), clean(result.reason)), table, *listed]

    return Document(clean(result.headline), (Article("", "", (Section("card", "", blocks),)),))


def _title(result: Preference) -> str:
    if len(result.systems) == 2:
        return clean(f"{result.systems[0]} against {result.systems[1]}")
    return f"{count(len(result.systems), 'system')} in {count(result.battles, 'battle')}"


def _verdict(result: Preference) -> Verdict:
    top, reason = clean(result.headline), clean(result.reason)
    first = sum(one.rank_low == 1 and one.component == result.strengths[0].component for one in result.strengths)
    if len(result.systems) > 2 and first > 1 and result.labels is None and result.counts.testable:
        # Who is ahead says less than how many could be.
        top, reason = sharing(first, len(result.systems)), clean(result.verdict)
    elif len(result.systems) == 2 and result.labels is None and not decided(result):
        (pair,) = result.pairs
        top = f"{top}: {pair.wins:,} won, {pair.losses:,} lost, {pair.ties:,} tied"
    return Verdict(
        (result.verdict,),
        top,
        reason,
        _title(result),
        plain=(clean(result.reason),) if result.reason else (),
        tone="won" if decided(result) else "",
        opening=clean(result.headline),
        named=begins_with_name(reason, result.systems),
    )


def _told(result: Preference) -> list[Block]:
    """What may make the verdict wrong, and what was decided about the data."""
    told = tuple(clean(note.text) for note in result.notes if note.kind == "reading")
    beware: list[Block] = [Facts((Fact("beware", told),)).only("text", "markdown")] if told else []
    return [*warnings_of(result.notes), *beware, *(Paragraph(text, "note").only("html") for text in told)]


def _strengths(result: Preference) -> Iterable[Block | Later]:
    if len(result.systems) < 3:
        return
    brief, full = strength_table(result, MAX_SHOWN), strength_table(result)
    optional = ("log-odds", "battles", "won", "groups")
    for table in by_level(replace(brief, optional=optional, heading="bold"), replace(full, optional=optional, heading="bold")):
        yield table.but("html")
    yield folded(full, MAX_OPEN).only("html")


def _pairs(result: Preference) -> Iterable[Block | Later]:
    if len(result.systems) < 3:
        return
    brief, full = _plain(pair_table(result, MAX_PAIRS)), _plain(pair_table(result))
    for table in by_level(brief, full):
        yield table.but("html")
    yield folded(_plain(pair_table(result, MAX_LISTED)), MAX_OPEN).only("html")


def _categories(result: Preference) -> Iterable[Block | Later]:
    full = category_table(result)
    if full is None:
        return
    for table in by_level(_plain(category_table(result, MAX_CATEGORIES) or full), _plain(full)):
        yield table.but("html")
    yield folded(_plain(full), MAX_OPEN).only("html")


def _plain(table: Table) -> Table:
    return replace(table, optional=("tied", "by", "p"), heading="bold")


def _cards(result: Preference) -> Cards:
    """The numbers everybody looks for first."""
    if result.labels is not None:
        return Cards(_people_cards(result, result.labels)).only("html")
    if len(result.systems) == 2:
        pair = result.pairs[0]
        interval = "" if pair.low is None else f"{interval_name(result)} {100 * pair.low:.1f} to {100 * (pair.high or 0):.1f} %"
        p = "none" if pair.p is None else format_p_number(pair.p, result.alpha)
        cards = (
            Card(
                clean(pair.a), format_rate(pair.win_rate), tuple(filter(None, ("of battles won, ties as half", interval))), "a"
            ),
            Card("p", p, (cluster_text(result.unit),)),
            Card("battles", f"{result.battles:,}", _on(result)),
        )
    else:
        cards = (
            _first_card(result),
            Card("battles", f"{result.battles:,}", _on(result)),
            Card(
                "pairs that differ",
                f"{result.counts.significant:,} of {result.counts.testable:,}",
                (f"at alpha = {format_level(result.alpha)}",),
            ),
        )
    return Cards(cards).only("html")


def _on(result: Preference) -> tuple[str, ...]:
    """On how many units, where these are not the battles themselves."""
    return () if result.unit == "battle" else (f"on {count(result.clusters, result.unit)}",)


def _people_cards(result: Preference, labels: Labelled) -> tuple[Card, ...]:
    """What people would say, and what the judge does."""
    pair = result.pairs[0]
    interval = f"{interval_name(result)} {100 * labels.low:.1f} to {100 * labels.high:.1f} %"
    judge = f"{format_rate(pair.win_rate)} of {count(result.battles, 'battle')}"
    return (
        Card(clean(pair.a), format_rate(labels.win_rate), (clean(f"won by {labels.people}, ties as half"), interval), "a"),
        Card("p", format_p_number(labels.p, result.alpha), (clean(f"by {labels.people}"),)),
        Card("labelled prompts", f"{labels.labelled:,}", (f"by the judge alone, {judge}",)),
    )


def _first_card(result: Preference) -> Card:
    """The strongest system, where there is one."""
    first = result.strengths[0]
    sets = len({one.component for one in result.strengths})
    if sets > 1:
        return Card("sets of systems", f"{sets}", ("that never met",))
    if any(first.system in circle for circle in result.circles):
        return Card("order", "none", ("preferences run in a circle",))
    equal = found_in(result).equal
    if len(equal) > 1:
        return Card("strongest", f"{len(equal):,}", ("equally strong systems",))
    value = "unbeaten" if first.elo is None else f"{first.elo:.0f}"
    interval = "" if first.elo_low is None or first.elo_high is None else f"{first.elo_low:.0f} to {first.elo_high:.0f}"
    return Card(clean(first.system), value, tuple(filter(None, (elo_name(result), interval))), "a")


KIND = Kind(build, card, {"pairs": pair_records, "strengths": strength_records, "categories": category_records}, charts)

"""The document of a diff: warnings about label inventories before anything else, the verdict, then the tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from outscore.core.errors import OutscoreError
from outscore.language.numbers import count, decimals_for, format_number, format_p, format_p_number
from outscore.language.phrases import interval_phrase, join_words, method_phrase
from outscore.language.verdict.diff import UNITS, changes_of, score_name
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.build.common import settings
from outscore.report.citations import uses_of_diff
from outscore.report.document import PART, clean
from outscore.report.explorer.data import embedded, examples_data, file_text, pair_data, source
from outscore.report.rows import diff as rows
from outscore.report.rows.columns import alpha_of, texts
from outscore.report.rows.diff_pairs import PAIR_TABLES, Sort, diff_table, pair_records, pair_tables
from outscore.results.diff import MAX_LISTED_PAIRS, Diff, Pair
from outscore.results.note import BESIDE_VERDICT, ON_SCREEN, note_texts

if TYPE_CHECKING:
    from outscore.outputs.outcomes import Changed, Contexts

    Examples = tuple[Sequence[Changed], Contexts | None]

MAX_ON_CARD, MAX_SCORES = 6, 10
"""Pairs on a card, and scores of a single system."""
MAX_DRAWN = 15
"""How many pairs are drawn: as many as the table of pairs shows."""
ROWS_OF_CLASS, MAX_LISTED, MAX_VERDICTS = 3, 14, 3
"""On one screen: rows of corrections, of new and of changed errors; systems, and verdicts about pairs of several systems."""
TABLES = tuple(dict.fromkeys((*rows.WHOLE_TABLES, "settings", *PAIR_TABLES)))
FURTHER = ("rates", "label-rates", "confusion", "inventory")
TOGETHER = ("oracle", "solved", "overlap", "agreement", "keys")
ON_REQUEST = ("inventory", "rates", "label-rates", "confusion", "solved", "overlap", "metrics", "kinds", "label-f1")
# As many labels as the published tables of upper bounds have.
MAX_ORACLE_LABELS = 10
# The matrix of more systems would fill the screen.
MAX_SYSTEMS = 8
# Longer tables are folded away on a page.
MAX_OPEN_ROWS = 30
MAX_NAMED = 4
TASKS = {"pos": "Tagging", "dep": "Parsing", "ner": "Named entities", "label": "Labels", "coref": "Coreference"}
SHARES = doc.Paragraph("Scores and shares are in per cent, differences in points.", "note")
FOOTER = "Made by outscore; the settings name its version. This file needs no network."


def default_tables(diff: Diff, *, verbose: bool) -> list[doc.Table]:
    """The tables about all systems; without `verbose`, the most important ones, and the first rows of long ones."""
    whole = rows.whole_tables(diff, top=None if verbose else MAX_ORACLE_LABELS, every_pair=verbose)
    hidden: tuple[str, ...] = ()
    if not verbose:
        hidden = ON_REQUEST if len(diff.systems) <= MAX_SYSTEMS else (*ON_REQUEST, "agreement")
    if len(diff.systems) == 1:
        # Nothing else says what a single system gets wrong.
        hidden = tuple(key for key in hidden if key != "confusion")
    return [table for table in whole if table.key not in hidden]


def detail_tables(diff: Diff, *, verbose: bool, top: int, sort: Sort) -> list[doc.Table]:
    """The tables of each pair; without `verbose`, those of few pairs, and the first rows of the most important tables."""
    pairs = diff.counted_pairs if verbose else summarised_pairs(diff, verbose=False)
    tables = [table for pair in pairs for table in pair_tables(diff, pair, top=None if verbose else top, sort=sort)]
    return tables if verbose else [table for table in tables if table.key not in ON_REQUEST]


def chosen_tables(diff: Diff, keys: Sequence[str], *, top: int | None = None, sort: Sort = "evidence") -> list[doc.Table]:
    """The tables with these names; tables of a pair for every pair by the first criterion."""
    check_tables(keys)
    settings = common.settings_table(diff.settings)
    tables = rows.whole_tables(diff, top=None if top is None else max(top, MAX_ORACLE_LABELS))
    tables += [] if settings is None else [settings]
    if set(keys) & set(PAIR_TABLES):
        tables += [table for pair in diff.primary_pairs for table in pair_tables(diff, pair, top=top, sort=sort)]
    there = dict.fromkeys(table.key for table in tables)
    absent = [key for key in dict.fromkeys(keys) if key not in there]
    if len(absent) == len(set(keys)):
        others = [key for key in TABLES if key not in absent]
        raise OutscoreError(f"The table `{absent[0]}` is empty for this result.", f"Choose from: {', '.join(others)}.")
    chosen = [table for key in dict.fromkeys(keys) for table in tables if table.key == key]
    if absent:
        names = ", ".join(f"`{key}`" for key in absent)
        note = f"Empty tables: {names}." if len(absent) > 1 else f"The table {names} is empty."
        chosen[-1] = replace(chosen[-1], notes=(*chosen[-1].notes, note))
    return chosen


def depth_of(keys: Sequence[str]) -> Literal["scores", "pairs", "all"]:
    """How much has to be computed for these tables; all of it for a whole report.

    Examples
    --------
    >>> depth_of(["scores", "oracle"]), depth_of(["pairs"]), depth_of(["transitions"]), depth_of([])
    ('scores', 'pairs', 'all', 'all')
    """
    if not keys or set(keys) & set(PAIR_TABLES):
        return "all"
    return "pairs" if "pairs" in keys else "scores"


def check_tables(keys: Sequence[str]) -> None:
    """Refuse unknown names of tables."""
    for key in keys:
        if key not in TABLES:
            raise OutscoreError(f"There is no table `{key}`.", f"Choose from: {', '.join(TABLES)}.")


def summarised_pairs(diff: Diff, *, verbose: bool) -> list[Pair]:
    """The pairs whose sentences are written out: those by the first criterion, unless there are many."""
    return diff.primary_pairs if verbose or len(diff.primary_pairs) <= MAX_LISTED_PAIRS else []


def build(
    diff: Diff, *, tables: Sequence[str] = (), top: int = 5, sort: Sort = "evidence", examples: Examples | None = None
) -> doc.Document:
    """The whole diff, or only these tables.

    Where the report is brief, each table has `top` rows; a page has changed units as `examples`, with their contexts.
    """
    if tables:
        chosen = chosen_tables(diff, tables, top=top, sort=sort)
        return doc.Document(_title(diff), (doc.Article("", "", (doc.Section("tables", "", lambda: chosen),)),))

    @cache
    def tables_by_key(*, verbose: bool) -> dict[str, doc.Table]:
        return {table.key: table for table in default_tables(diff, verbose=verbose)}

    def listed(*keys: str) -> tuple[doc.Later, ...]:
        """Tables with these names, in this order, at both levels; a page folds long ones."""

        def chosen(*, verbose: bool) -> list[doc.Table]:
            by_key = tables_by_key(verbose=verbose)
            return [by_key[key] for key in keys if key in by_key]

        levels = common.by_level(doc.Later(lambda: chosen(verbose=False)), doc.Later(lambda: chosen(verbose=True)))
        page = doc.Later(lambda: [common.folded(table, MAX_OPEN_ROWS) for table in chosen(verbose=True)]).only("html")
        return (*(later.but("html") for later in levels), page)

    repeated = settings(diff.settings)
    sections = (
        doc.Section("warnings", "", lambda: _first_lines(diff)).but("html"),
        doc.Section("answer", "", lambda: _answer(diff), picture=lambda: _picture(diff)).but("latex"),
        # On a page the answer comes first.
        doc.Section("cautions", "", lambda: _first_lines(diff)).only("html"),
        doc.Section("reading", "", lambda: common.read_as(diff.reading)).only("latex"),
        doc.Section("tables", "", lambda: listed("inventory", "scores", "rates", "pairs")).but("html"),
        doc.Section("overview", "Overview", lambda: _overview(diff, tables_by_key(verbose=True)), style="overview").only(
            "html"
        ),
        doc.Section("changes", "", lambda: _changes(diff, top, sort)).but("html"),
        doc.Section("explorer", "", lambda: _embedded(diff, "explorer.html")).only("html"),
        doc.Section("labels", "", lambda: listed("labels", "label-rates", "confusion")).but("html"),
        doc.Section("together", "What the systems could do together", lambda: listed(*TOGETHER)),
        doc.Section("more", "Further tables and notes", lambda: [*listed(*FURTHER), *_own_notes(diff)]).only("html"),
        repeated.but("html"),
        doc.Section("notes", "", lambda: _notes(diff)).only("text", "markdown"),
        doc.Section("paper", "For a paper", lambda: _sentences(diff), headed=True, joined=True),
        *common.references(uses_of_diff, diff),
        repeated.only("html"),
    )
    names = " and ".join(diff.systems[:2]) if len(diff.systems) < 3 else f"{len(diff.systems)} systems"
    return doc.Document(
        _title(diff),
        (doc.Article("", names, sections),),
        f"{TASKS.get(diff.task, diff.task)}: what changed",
        lambda: file_text("explorer.css"),
        f'(() => {{\n"use strict";\n{source()}}})();\n' if diff.pairs else "",
        _data(diff, examples) if diff.pairs else {},
        FOOTER,
    )


def _answer(diff: Diff) -> list[doc.Block]:
    against = [*common.warnings_of(diff.notes), *_contradictions(diff)]
    return [_verdict(diff), *_next_step(diff), *against, *common.read_as(diff.reading), *_embedded(diff, "answer.html")]


def _picture(diff: Diff) -> doc.Embed | None:
    """Who is better than whom, and what changed between two, which the script draws."""
    return doc.Embed('<div id="map"></div><div id="outcomes"></div>') if diff.pairs else None


def _overview(diff: Diff, tables: Mapping[str, doc.Table]) -> list[doc.Block]:
    """Scores, best first with the groups of each where there are several systems, pairs and labels; long tables are folded."""
    shown = {key: tables[key] for key in ("scores", "pairs", "labels") if key in tables}
    if len(diff.systems) > 2 and "scores" in shown:
        shown["scores"] = rows.ranked_scores(shown["scores"], rows.places_of(diff))
    return [SHARES, *(common.folded(table, MAX_OPEN_ROWS) for table in shown.values())]


def _title(diff: Diff) -> str:
    names = [clean(name) for name in diff.systems]
    if len(names) > MAX_NAMED:
        return f"{len(names)} systems"
    return " → ".join(names) if len(names) < 3 else f"{len(names)} systems: {', '.join(names)}"


def _first_lines(diff: Diff) -> list[doc.Block]:
    """What determines how to read everything below: labels that are not shared, and how the data were interpreted."""
    warnings = [doc.Paragraph(clean(text), "warning") for text in diff.inventory.warnings]
    return [*warnings, *(doc.Paragraph(clean(note.text), "note") for note in diff.notes if note.kind == "reading")]


def _verdict(diff: Diff) -> doc.Verdict:
    verdicts = tuple(diff.verdicts)
    task = TASKS.get(diff.task, diff.task)
    first = diff.primary_pairs[:1]
    places = rows.places_of(diff) if len(diff.systems) > 2 else []
    top = next((rows.headline_of(diff, pair) for pair in first), "") or (rows.lead_of(places) if places else _title(diff))
    line = next((rows.line_of(diff, pair) for pair in first), ())
    why = next((rows.reason_of(diff, pair) for pair in diff.primary_pairs if len(diff.primary_pairs) == 1), clean(diff.verdict))
    if places:
        task, why = f"{task}: {count(len(places), 'system')}", rows.ranked_in_words(diff, places)
    tone: doc.Tone = "won" if sum(one.leads for one in places) == 1 else ""
    return doc.Verdict(verdicts, top, why, task, plain=verdicts, tone=tone, key="verdict", line=line)


def _contradictions(diff: Diff) -> list[doc.Block]:
    """What contradicts the verdicts, pair by pair or counted; on a page, that of the pair the explorer opens on."""
    pairs = diff.primary_pairs
    against = {pair.systems: block for pair in pairs for block in common.warnings_of(pair.notes)}
    opened = [block.only("html") for block in common.warnings_of(note for pair in pairs[:1] for note in pair.notes)]
    if len(pairs) <= MAX_LISTED_PAIRS or not against:
        return [*opened, *(block.but("html") for block in against.values())]
    names = join_words([rows.pair_name(pair) for pair in pairs if pair.systems in against], MAX_NAMED)
    text = f"In {len(against):,} of {count(len(pairs), 'pair')}, another score significantly contradicts the verdict: {names}."
    return [*opened, doc.Paragraph(clean(f"{text} Their notes in the JSON say which."), "warning").but("html")]


def _next_step(diff: Diff) -> list[doc.Block]:
    """What to do if the first pair was not decided."""
    steps = [rows.next_step_of(diff, pair) for pair in diff.primary_pairs[:1]]
    return [doc.Paragraph(line, "to-do").only("html") for line in steps if line]


def _changes(diff: Diff, top: int, sort: Sort) -> tuple[doc.Later, doc.Later]:
    """What changed, pair by pair; on a page the explorer shows it."""
    tables = partial(detail_tables, diff, top=top, sort=sort)
    return common.by_level(doc.Later(partial(tables, verbose=False)), doc.Later(partial(tables, verbose=True)))


def _own_notes(diff: Diff) -> Iterable[doc.Block]:
    """On a page the explorer shows the notes of the pair it is about."""
    return (doc.Paragraph(clean(note.text)) for note in diff.notes if note.kind not in ("reading", *BESIDE_VERDICT))


def _notes(diff: Diff) -> Iterable[doc.Block]:
    listed = dict.fromkeys([*diff.notes, *(note for pair in diff.pairs for note in pair.notes)])
    if notes := note_texts(note for note in listed if note.kind not in ("reading", *BESIDE_VERDICT)):
        yield doc.Listing("notes", tuple(notes))


def _sentences(diff: Diff) -> Iterable[doc.Block]:
    """Those of the pairs by the first criterion, unless there are too many; on a page, the script shows that of its pair."""
    for verbose in (False, True):
        sentences = [clean(pair.sentence) for pair in summarised_pairs(diff, verbose=verbose)]
        blocks: list[doc.Block] = [doc.Facts((doc.Fact("for a paper", tuple(sentences)),)).only("text")] if sentences else []
        blocks += [doc.Quote(sentence).only("markdown", "latex") for sentence in sentences]
        yield from (block.full() if verbose else block.brief() for block in blocks)
    yield from (doc.Quote(clean(pair.sentence)).only("html") for pair in diff.primary_pairs if pair.sentence)


def _embedded(diff: Diff, name: str) -> list[doc.Block]:
    """A place on the page that the script fills, where there are pairs to show."""
    return [doc.Embed(file_text(name)).only("html")] if diff.pairs else []


def _data(diff: Diff, examples: Examples | None) -> dict[str, str]:
    """What the explorer shows; without units or contexts, everything but the examples, and it says so."""
    changed, contexts = examples or ((), None)
    several = [units for units in changed if units.units.n] if contexts is not None else []
    units = examples_data(several, contexts) if several and contexts is not None else None
    pairs = [pair_data(diff, pair) for pair in _best_first(diff)]
    return {"pairs": embedded(pairs), "examples": embedded(units)}


def _best_first(diff: Diff) -> list[Pair]:
    """The pairs; of many systems, that of the two best by the first criterion before all others."""
    best = {place.system for place in rows.places_of(diff)[:2]} if len(diff.primary_pairs) > MAX_LISTED_PAIRS else set()
    first = [pair for pair in diff.primary_pairs if set(pair.systems) == best]
    return [*first, *(pair for pair in diff.pairs if pair not in first)]


def card(diff: Diff) -> doc.Document:
    """The verdict and the first pairs, for notebooks."""
    pairs = diff.primary_pairs[:MAX_ON_CARD]
    listed = [_card_row(pair) for pair in pairs]
    head = ("first", "second", "score", "first", "second", "difference", "p", "corrections", "new errors", "changed errors")
    table = common.card_table(texts(*head), listed) if listed else _card_scores(diff)
    against = [note for pair in pairs for note in pair.notes if note.kind == "contradiction"]
    notes = [*note_texts(against), *diff.inventory.warnings, *note_texts(diff.notes)]
    left = (len(diff.primary_pairs) - len(listed), "pair")
    return common.card_document(diff.verdicts[0], " ".join(diff.verdicts[1:]), table, notes, left, diff.reading)


def _card_row(pair: Pair) -> tuple[str, ...]:
    decimals = decimals_for(pair.first, pair.second, difference=pair.difference)
    scores = (format_number(pair.first, decimals), format_number(pair.second, decimals))
    changes = (pair.outcomes.correction, pair.outcomes.new_error, pair.outcomes.changed_error)
    difference = format_number(pair.difference, decimals, sign=True)
    return (*pair.systems, pair.metric, *scores, difference, format_p_number(pair.p), *(f"{n:,}" for n in changes))


def _card_scores(diff: Diff) -> doc.Table:
    """The scores of a single system."""
    scores = []
    for name, value in next(iter(diff.scores.values()), {}).items():
        scores.append((name, format_number(value if isinstance(value, float) else value.f1)))
    return common.card_table(texts("score", diff.systems[0]), scores[:MAX_SCORES])


def screen(diff: Diff) -> doc.Screen:
    """Who won, what changed most, and what to do next; of several systems, the best first."""
    warnings = [
        *diff.inventory.warnings,
        *(note.text for pair in diff.primary_pairs for note in pair.notes if note.kind in ON_SCREEN),
    ]
    shared = common.warnings_on_screen(diff.notes, warnings)
    read = doc.statements(("read as", common.short_read_as(diff.reading)))
    if len(diff.primary_pairs) != 1:
        return _screen_of_many(diff, read, shared)
    (pair,) = diff.primary_pairs
    won = bool(pair.headline) and pair.is_significant(alpha_of(diff) or 0.05)
    changes = [table for table in pair_tables(diff, pair, top=ROWS_OF_CLASS) if table.key == "transitions"]
    return doc.Screen(
        rows.headline_of(diff, pair) or diff.verdicts[0],
        (*_pair_facts(diff, pair), *read, *doc.statements(("next", [rows.next_step_of(diff, pair, short=True)]))),
        shared,
        tone="won" if won else "",
        below=tuple(common.bare(table, "% of class", "% of changes") for table in changes),
    )


def _pair_facts(diff: Diff, pair: Pair) -> tuple[doc.Fact, ...]:
    scores = dict(zip(pair.systems, (pair.first, pair.second), strict=True))
    parts, places = common.answer_parts(scores, pair.difference, pair.interval)
    parts += [] if pair.interval is None else [interval_phrase(pair.interval, places)]
    units = count(pair.n, UNITS[diff.task])
    if pair.clusters is not None:
        units = count(pair.clusters, str(diff.settings.get("cluster") or "cluster"))
    return doc.statements(
        (score_name(pair.metric), [PART.join(parts)]),
        (format_p(pair.p, alpha_of(diff), brief=True), [f"{method_phrase(pair.p)}, {units}"]),
        ("changes", [f"{', '.join(changes_of(pair.outcomes))} of {pair.n:,}"]),
    )


def _screen_of_many(diff: Diff, read: tuple[doc.Fact, ...], warnings: tuple[str, ...]) -> doc.Screen:
    """One system, or more than two."""
    (scores,) = (table for table in default_tables(diff, verbose=False) if table.key == "scores")
    places = rows.places_of(diff)
    pairs = diff.primary_pairs[:MAX_VERDICTS] if len(diff.verdicts) > 1 else []
    verdicts = [rows.tested_in_brief(diff, pair) for pair in pairs]
    named = doc.statements(("pairs", verdicts or diff.verdicts[:1] if places else ()))
    headline = rows.lead_of(places) if places else diff.verdicts[0]
    return doc.Screen(
        headline, (*named, *read), warnings, (common.bare(rows.ranked_scores(scores, places), most=MAX_LISTED),), "told"
    )


def lines(diff: Diff) -> list[common.Line]:
    """Every pair by the first criterion as keys and values; `a` is the earlier system."""
    listed: list[common.Line] = []
    for pair in diff.primary_pairs:
        won = pair.systems[pair.difference > 0] if pair.is_significant(alpha_of(diff) or 0.05) else ""
        scores = (pair.first, pair.second)
        listed.append(common.line_of(won, pair.metric, scores, pair.difference, pair.interval, pair.p, pair.n))
    return listed


KIND = common.Kind(
    build,
    card,
    {"diff": pair_records, **{name: partial(diff_table, table=name) for name in ("pairs", "labels", "transitions")}},
    "diff.CHARTS",
    screen=screen,
    lines=lines,
    parts=lambda diff: [(pair,) for pair in diff.primary_pairs[:MAX_DRAWN]],
)

"""The document of a ranking: the verdict, the places, the groups in words, who beat whom, and what it all rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from outscore.language.numbers import count, decimals_for, format_number, interval_ends
from outscore.language.phrases import join_words, sharing
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.build.common import Kind, Line
from outscore.report.charts.heat import MAX_LINKED, heat_figure
from outscore.report.citations import uses_of_ranking
from outscore.report.palette import ranking_style
from outscore.report.rows import places
from outscore.report.rows import ranking as rows
from outscore.report.rows.columns import Column, ends, interval_head, number, words
from outscore.report.rows.places import headline
from outscore.results.note import note_texts
from outscore.results.ranking import RankedSystem, Ranking, Standing

MAX_ON_CARD = 10
MAX_SENTENCES = 2
"""Claims of domination on one screen."""
MAX_SHOWN = 20
"""How many systems a brief report shows; more have no matrix of signs."""
MAX_COLUMNS = 8
"""How many columns of datasets fit on a page."""
MAX_PRINTED = 60
"""How many rows fit on one printed page; `verbose` has all of them, for the reader to break."""
MAX_REPLICATED = 200
MAX_OPEN_GROUPS, MAX_OPEN_ROWS, MAX_OPEN_CHARTS = 12, 30, 40
"""Groups, rows, and systems in charts beyond which a page folds them away."""


def _answer(ranking: Ranking) -> list[doc.Block]:
    return [_verdict(ranking), *common.warnings_of(ranking.notes), *common.read_as(ranking.reading, ranking.notes)]


def build(ranking: Ranking) -> doc.Document:
    """The whole ranking."""
    repeated = common.settings(ranking.settings, "ranking-settings")
    told = doc.Section("answer", "", lambda: _answer(ranking)).but("latex")
    fold = "All charts" if len(ranking.scores) > MAX_OPEN_CHARTS else ""
    beside = "frontier" if ranking.frontier is not None else "forest"
    answer, pictures = common.illustrated(told, "ranking.ON_PAGES", (ranking,), beside, fold=fold)
    sections = (
        answer,
        doc.Section("reading", "", lambda: common.read_as(ranking.reading, ranking.notes)).only("latex"),
        doc.Section("places", f"Ranking by {places.subject(ranking.standing, ranking.design)}", lambda: _places(ranking)),
        doc.Section("frontier", "Frontier", lambda: _frontier(ranking)),
        doc.Section("groups", "Groups", lambda: _groups(ranking), headed=True).but("latex"),
        doc.Section("pairs", "Pairs" if ranking.baseline else "Who beat whom", lambda: _who_beat_whom(ranking)).but("latex"),
        pictures,
        doc.Section("metrics", "Further metrics", lambda: [*_standings(ranking, ranking.metrics, "metric"), *_pairs(ranking)]),
        doc.Section("datasets", "Datasets", lambda: _standings(ranking, ranking.datasets, "dataset")),
        doc.Section("slices", "Slices", lambda: _standings(ranking, ranking.slices, "slice")),
        doc.Section("replicability", "Replicability", lambda: _replicability(ranking)),
        doc.Section("joint", "All systems at once", lambda: _joint(ranking)),
        doc.Section("ranks", "Mean ranks", lambda: _mean_ranks(ranking)).but("latex", level="brief"),
        doc.Section("items", "Items", lambda: _items(ranking), headed=True).but("latex", level="brief"),
        doc.Section("pair-list", "", lambda: [rows.pair_table(ranking) if ranking.pairs else None]).full().but("html"),
        repeated.but("html"),
        doc.Section("grounds", "Method and assumptions", lambda: [common.facts_block(places.facts(ranking))], headed=True).but(
            "latex"
        ),
        common.paper(ranking.sentence, str(ranking.signature)),
        *common.references(uses_of_ranking, ranking),
        repeated.only("html"),
    )
    return doc.Document(
        doc.clean(f"{count(len(ranking.scores), 'system')} by {ranking.metric}"),
        (doc.Article("", headline(ranking)[0], sections),),
        style=ranking_style,
    )


def _verdict(ranking: Ranking) -> doc.Verdict:
    shown, why = headline(ranking)
    first, every = places.leaders(ranking.standing), len(ranking.scores)
    if ranking.baseline is not None:
        kind = doc.clean(f"Ranking against {ranking.baseline}")
    elif not ranking.counts.testable:
        kind = "Nothing tested"
    elif first < 2:
        kind = "One leader" if first else "No clear leader"
    else:
        # How many could be the best says more than who is ahead on average.
        kind, shown, why = "Ranking", sharing(first, every), doc.clean(ranking.verdict)
    tone, named = "won" if places.decided(ranking) else "", common.begins_with_name(why, ranking.standing.systems)
    line = _line(ranking, shown)
    return common.verdict_of(ranking, kind, headline=shown, reason=why, tone=tone, named=named, line=line)


def _line(ranking: Ranking, top: str) -> tuple[str, ...]:
    """The first system's score with its interval, unless the headline has it, and how many pairs differ."""
    leader, decimals, counts = ranking.scores[0], places.decimals_of(ranking.standing), ranking.counts
    value, interval = format_number(leader.value, decimals), interval_ends(leader.low, leader.high, decimals)
    score = "" if value in top else f"{doc.clean(leader.system)} {value}"
    leading = ", ".join(filter(None, (score, interval and f"{interval_head(ranking.alpha)} {interval}")))
    return (*filter(None, (leading,)), f"{counts.significant:,} of {counts.testable:,} pairs differ")


def _places(ranking: Ranking) -> Iterable[doc.Later]:
    few = len(ranking.scores) <= MAX_SHOWN

    def listed(most: int | None) -> doc.Table:
        optional = () if most is None else ("n", "loses", interval_head(ranking.alpha))
        return replace(rows.place_table(ranking, most=most, counts=not few), heading="bold", optional=optional)

    def page() -> list[doc.Table]:
        return [rows.place_table(ranking, counts=ranking.baseline is None and not ranking.datasets, board=True)]

    yield from common.by_length(listed, MAX_SHOWN, "text", "markdown")
    yield doc.Later(page).only("html")
    yield from common.by_length(lambda most: rows.printed_places(ranking, most), MAX_PRINTED, "latex")


def _frontier(ranking: Ranking) -> Iterable[doc.Block | doc.Later]:
    frontier = ranking.frontier
    if frontier is None:
        return
    if frontier.sentences:
        yield doc.Listing("dominated", tuple(map(doc.clean, frontier.sentences)), "").but("latex")
    table = partial(rows.frontier_table, ranking, frontier)
    yield from common.by_length(table, MAX_SHOWN, *common.RUNNING)
    yield common.on_page(table, None, MAX_OPEN_ROWS)


def _on_frontier(ranking: Ranking) -> list[str]:
    """Who may be on the frontier, and what one system gains on another."""
    frontier = ranking.frontier
    if frontier is None:
        return []
    free = [s.system for s in frontier.systems if not s.dominated_by]
    told = f"{len(free):,} of {count(len(frontier.systems), 'system')} may be on it: {join_words(free, 8)}"
    return [doc.clean(line) for line in (told, *frontier.sentences[:MAX_SENTENCES])]


def _groups(ranking: Ranking) -> Iterable[doc.Block]:
    """With a baseline there are none."""
    if ranking.baseline is not None or not ranking.groups:
        return
    few = len(ranking.scores) <= MAX_SHOWN

    def listing(most: int | None = None, names: int = 8) -> doc.Listing:
        return doc.Listing("groups", tuple(rows.group_lines(ranking, most=most, names=names)), rows.GROUPS)

    for block in common.by_level(listing(10) if few else listing(5, 5), listing(names=MAX_SHOWN)):
        yield block.only("text")
    for block in common.by_level(listing(None if few else MAX_SHOWN), listing()):
        yield block.only("markdown")
    yield replace(listing(), fold="All groups" if len(ranking.groups) > MAX_OPEN_GROUPS else "").only("html")


def _who_beat_whom(ranking: Ranking) -> Iterable[doc.Block | doc.Later | None]:
    matrix = rows.win_matrix(ranking, MAX_SHOWN)
    yield None if matrix is None else matrix.but("html")
    figure = heat_figure(ranking)
    if figure is not None:
        yield figure.only("html")
    elif ranking.baseline is None and len(ranking.scores) > 2:
        many = "systems for a heat map; the table above counts the wins and losses of each"
        if not ranking.pairs:
            many = "pairs to list; the table above counts them for each system"
        yield doc.Paragraph(f"There are too many {many}.").only("html")
    if ranking.pairs:
        yield doc.Later(lambda: [_listed_pairs(ranking)]).only("html")


def _listed_pairs(ranking: Ranking) -> doc.Table:
    """The pairs that cells of the heat map link to."""
    listed = rows.pair_table(ranking, most=MAX_LINKED)
    return replace(listed, fold="The pairs in numbers", anchors="pair-", heading="none")


def _standings(ranking: Ranking, standings: Sequence[Standing], what: rows.What) -> Iterable[doc.Block | doc.Later]:
    """One line per dataset or metric, and systems by datasets or metrics where the columns fit."""
    if not standings:
        return
    yield common.folded(rows.standings_table(ranking, standings, what), MAX_OPEN_ROWS).but("latex")
    grid = common.by_length(partial(rows.grid_table, ranking, standings, what), MAX_SHOWN, "markdown")
    printed = common.by_length(partial(rows.printed_grid, ranking, standings, what), MAX_PRINTED, "latex")
    fits = what == "metric" or len(standings) <= MAX_COLUMNS
    yield from (*grid, *printed) if fits else (grid[1], printed[1])
    # A terminal has no room for the columns of many datasets.
    if what == "metric":
        yield doc.Later(lambda: [rows.grid_table(ranking, standings, what)]).only("text").full()
    yield common.on_page(partial(rows.grid_table, ranking, standings, what), None, MAX_OPEN_ROWS)


def _pairs(ranking: Ranking) -> Iterable[doc.Later]:
    """Differences, intervals and p of every further metric; a brief report has them if there are few."""
    for i, standing in enumerate(ranking.metrics, 2):
        if not standing.pairs:
            continue
        whole = doc.Later(partial(_pairs_of, ranking, standing, i))
        few = len(standing.pairs) <= MAX_SHOWN
        yield whole.only("text", "markdown") if few else whole.only("text", "markdown").full()
        yield doc.Later(partial(_pairs_of, ranking, standing, i, fold=True)).only("html")
        yield whole.only("latex").full()


def _pairs_of(ranking: Ranking, standing: Standing, number: int, *, fold: bool = False) -> list[doc.Table]:
    table = replace(rows.pair_table(ranking, standing), label=f"ranking-pairs-{number}")
    return [replace(table, fold=table.title, heading="none") if fold else table]


def _replicability(ranking: Ranking) -> Iterable[doc.Later]:
    if ranking.replicability:
        table = partial(rows.replicability_table, ranking)
        yield doc.Later(lambda: [table(MAX_SHOWN, hint=True)]).only("text", "markdown").brief()
        yield doc.Later(lambda: [table()]).but("html").full()
        yield common.on_page(table, MAX_REPLICATED, MAX_OPEN_ROWS)


def _joint(ranking: Ranking) -> Iterable[doc.Later]:
    """The systems on one screen; the pairs, whose plain intervals are elsewhere, in full reports."""
    joint = ranking.joint
    if joint is None:
        return
    systems, pairs = partial(rows.joint_table, ranking, joint), partial(rows.joint_pair_table, ranking, joint)
    yield from common.by_length(systems, MAX_SHOWN, *common.RUNNING)
    yield common.on_page(systems, None, MAX_OPEN_ROWS)
    shown = common.by_length(pairs, MAX_SHOWN, *common.RUNNING)
    yield from shown if ranking.baseline is not None else shown[1:]
    yield common.on_page(pairs, MAX_LINKED, MAX_OPEN_ROWS)


def _items(ranking: Ranking) -> Iterable[doc.Block]:
    """Which items decide, and the most suspicious ones."""
    if ranking.items is None:
        return
    yield doc.Listing("items", tuple(rows.item_lines(ranking.items)), "")
    if ranking.items.listed:
        yield common.folded(rows.suspicious_table(ranking.items), 0)


def _mean_ranks(ranking: Ranking) -> Iterable[doc.Block]:
    if ranking.critical_difference is not None:
        yield common.folded(rows.critical_table(ranking, ranking.critical_difference), MAX_OPEN_ROWS)


def card(ranking: Ranking) -> doc.Document:
    """The verdict and the first places, for notebooks."""
    shown = ranking.scores[:MAX_ON_CARD]
    decimals = decimals_for(*(s.value for s in shown))
    place = {s.system: i for i, s in enumerate(shown, 1)}
    columns: list[Column[RankedSystem]] = [
        words("", lambda s: place[s.system]),
        words("system", lambda s: s.system),
        words(ranking.metric, lambda s: s.value, number(decimals)),
        words(interval_head(ranking.alpha), lambda s: (s.low, s.high), ends(decimals)),
        words("ranks", lambda s: f"{s.rank_low} to {s.rank_high}"),
        words("groups", lambda s: s.letters),
    ]
    table = common.card_table(columns, shown)
    left = (len(ranking.scores) - len(shown), "system")
    headline = ranking.headline or ranking.verdict
    return common.card_document(headline, ranking.reason, table, note_texts(ranking.notes), left, ranking.reading)


def screen(ranking: Ranking) -> doc.Screen:
    """Who leads or shares the lead, a line for each system, and what to do next."""
    verdict = _verdict(ranking)
    optional = ("n", "loses", "beats", interval_head(ranking.alpha))
    ranked = common.bare(rows.place_table(ranking, short=True), *optional, most=MAX_SHOWN)
    further = []
    if ranking.frontier is not None:
        further.append(common.bare(rows.frontier_table(ranking, ranking.frontier), "adj. p", title="Frontier"))
    elif ranking.metrics:
        further.append(common.bare(rows.standings_table(ranking, ranking.metrics, "metric"), title="Further metrics"))
    if ranking.joint is not None:
        further.append(common.bare(rows.joint_table(ranking, ranking.joint), title="All systems at once"))
    return doc.Screen(
        headline(ranking)[0] if verdict.kind != "Ranking" else verdict.headline,
        doc.statements(
            ("pairs", [places.pairs_on_screen(ranking)]),
            ("data", [places.items_on_screen(ranking)]),
            ("frontier", _on_frontier(ranking)),
            ("read as", common.short_read_as(ranking.reading)),
            ("next", places.next_step(ranking, short=True) if not places.decided(ranking) else ()),
        ),
        common.warnings_on_screen(ranking.notes),
        (ranked, *further),
        verdict.tone,
    )


def lines(ranking: Ranking) -> list[Line]:
    """The ranking as keys and values: how many share the lead, and the first system."""
    first = ranking.scores[0]
    shared = {"leaders": places.leaders(ranking.standing), "of": len(ranking.scores), "metric": ranking.metric}
    return [{**shared, "first": first.system, "score": first.value, "low": first.low, "high": first.high, "n": ranking.n}]


KIND = Kind(
    build, card, {"systems": rows.ranked_systems, "pairs": rows.ranked_pairs}, "ranking.CHARTS", screen=screen, lines=lines
)

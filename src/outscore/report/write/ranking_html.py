"""A ranking as one HTML file that needs nothing else: style and pictures inside, no script, no request to anywhere."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import Any

from outscore.language.numbers import count, format_level, format_number
from outscore.report.charts.heat_map import MOST_LINKED, heat_map, heat_style
from outscore.report.charts.ranking import page_charts
from outscore.report.charts.theme import stylesheet
from outscore.report.references.citations import cited_by_ranking
from outscore.report.rows.ranking import (
    GROUPS,
    critical_table,
    grid_table,
    group_lines,
    pair_table,
    place_table,
    replicability_table,
    settings_table,
    standings_table,
)
from outscore.report.rows.ranking_facts import correction_name, decided, facts, headline, leaders
from outscore.report.rows.ranking_words import cells, decimals_of, ends, interval_name
from outscore.report.table import Table, clean
from outscore.report.write.html import card, environment, figures
from outscore.results.ranking import Ranking

__all__ = ["render_html"]

FEW_GROUPS = 12
MOST_REPLICATED = 200
TALL = 40
"""Systems beyond which a chart with a row for each is folded away."""


def render_html(ranking: Ranking) -> str:
    """The whole ranking as a self-contained page."""
    page = environment().get_template("ranking.html")
    from markupsafe import Markup

    top, why = headline(ranking)
    own = files("outscore.report").joinpath("ranking.css").read_text(encoding="utf-8")
    return page.render(
        style=Markup(stylesheet() + own + heat_style()),  # noqa: S704 - our own files and colours
        title=clean(f"{count(len(ranking.scores), 'system')} by {ranking.metric}"),
        headline=top,
        why=why,
        kind=_kind(ranking),
        won=decided(ranking),
        numbers=_numbers(ranking),
        places=place_table(ranking, counts=ranking.baseline is None),
        bars=_bars(ranking),
        against=ranking.baseline is not None,
        heat=heat_map(ranking),
        heat_missing=_heat_missing(ranking),
        pairs=pair_table(ranking, most=MOST_LINKED) if ranking.pairs else None,
        groups=group_lines(ranking),
        groups_note=GROUPS,
        few_groups=len(ranking.groups) <= FEW_GROUPS,
        figures=figures(page_charts(ranking), "r-"),
        tall=len(ranking.scores) > TALL,
        parts_of=_parts(ranking),
        facts=facts(ranking),
        cited=cited_by_ranking(ranking),
        sentence=clean(ranking.sentence),
        signature=clean(ranking.signature),
        settings=settings_table(ranking),
    )


def _kind(ranking: Ranking) -> str:
    first = leaders(ranking.standing)
    if ranking.baseline is not None:
        return clean(f"Ranking against {ranking.baseline}")
    if not ranking.counts.testable:
        return "Nothing tested"
    return "One leader" if first == 1 else f"{first} systems share the lead"


def _numbers(ranking: Ranking) -> list[dict[str, Any]]:
    """The numbers everybody looks for first."""
    leader, decimals, counts = ranking.scores[0], decimals_of(ranking.standing), ranking.counts
    interval = ends(leader.low, leader.high, decimals)
    about = [clean(ranking.metric), f"{interval_name(ranking)} {interval}" if interval else ""]
    apart = counts.pairs - counts.testable
    strangers = f"{apart:,} more {'shares' if apart == 1 else 'share'} no item" if apart else ""
    noun = "item" if ranking.design is None else ranking.design.noun
    family = ranking.family
    return [
        card(clean(leader.system), format_number(leader.value, decimals), about, "a"),
        card("systems", f"{len(ranking.scores):,}", [f"on {count(ranking.n, noun)}"]),
        card(
            "pairs that differ",
            f"{counts.significant:,} of {counts.testable:,}",
            [f"at alpha = {format_level(ranking.alpha)}", strangers],
        ),
        card("correction", correction_name(family.correction), [f"{family.error_rate}, m = {family.m:,}"]),
    ]


def _bars(ranking: Ranking) -> list[dict[str, float] | None]:
    """Each system's interval (with a baseline that of its difference) as places in per cent of the widest range."""
    found = cells(ranking.standing, ranking.alpha)
    spans: list[tuple[float, float, float] | None] = []
    for s in ranking.scores:
        if ranking.baseline is None:
            value, low, high = s.value, s.low, s.high
        elif (cell := found.get((s.system, ranking.baseline))) is None or cell.pair.difference is None:
            spans.append(None)
            continue
        else:
            value, low, high = cell.pair.difference, cell.pair.low, cell.pair.high
        spans.append((value if low is None else low, value, value if high is None else high))
    known = [x for span in spans if span is not None for x in span] + ([] if ranking.baseline is None else [0.0])
    least, most = min(known), max(known)
    scale = 100 / (most - least) if most > least else 0.0

    def at(x: float) -> float:
        return round((x - least) * scale, 2)

    zero = {} if ranking.baseline is None else {"zero": at(0.0)}
    return [
        None
        if span is None
        else {"low": at(span[0]), "value": at(span[1]), "width": round(at(span[2]) - at(span[0]), 2), **zero}
        for span in spans
    ]


def _heat_missing(ranking: Ranking) -> str:
    if ranking.baseline is not None or len(ranking.scores) < 3:
        return ""
    if not ranking.pairs:
        return "There are too many pairs to keep each of them; the table above counts them for each system."
    return "There are too many systems for a heat map; the table above counts wins and losses of each."


def _parts(ranking: Ranking) -> list[tuple[str, str, list[Table]]]:
    """Sections of tables: what each is called, its id, and what it holds."""
    again = replicability_table(ranking, MOST_REPLICATED)
    # Everything of a page can be seen; what a terminal shows on request has no meaning here.
    again = None if again is None else replace(again, notes=tuple(n.replace(" (-v shows all)", "") for n in again.notes))
    listed = [
        (
            "Datasets",
            "datasets",
            [standings_table(ranking, ranking.datasets, "dataset"), grid_table(ranking, ranking.datasets, "dataset")],
        ),
        ("Replicability", "replicability", [again]),
        (
            "Further metrics",
            "metrics",
            [standings_table(ranking, ranking.metrics, "metric"), grid_table(ranking, ranking.metrics, "metric")],
        ),
        ("Mean ranks", "ranks", [critical_table(ranking)]),
    ]
    kept = [(name, key, [table for table in tables if table is not None]) for name, key, tables in listed]
    return [(name, key, tables) for name, key, tables in kept if tables]

"""Results as one HTML file that needs nothing else: style and pictures inside, no script, no request to anywhere.

Everything that comes from the result is escaped by the template engine; only the stylesheet and the drawn charts, whose texts
the renderer has escaped, go in as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.language.numbers import finer, format_interval, format_number, format_p_error, format_p_number
from outscore.language.phrases import interval_noun, interval_phrase, method_phrase, posterior_phrase
from outscore.report.charts.canvas import Chart
from outscore.report.charts.comparison import charts
from outscore.report.charts.theme import stylesheet
from outscore.report.references.citations import cited_by_comparisons
from outscore.report.rows.comparison import (
    alpha_of,
    decimals_of,
    details,
    family_note,
    other_estimand,
    results,
    score_ends,
    settings,
)
from outscore.report.rows.facts import evidence, heading, headline
from outscore.report.rows.marking import word_runs
from outscore.report.rows.metrics import is_family_of_metrics, metric_sentence, metric_table, metrics_headline
from outscore.report.rows.segments import MANY, segment_views, segments_note, segments_title
from outscore.report.table import Table, clean, glue, minus
from outscore.results.comparison import Comparison, Comparisons

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["card", "environment", "figures", "prose", "render_html"]

CLAIMS = {
    "better": "Significant difference",
    "undecided": "Undecided",
    "equivalent": "Equivalent within the margin",
    "non-inferior": "Not inferior within the margin",
}
EVIDENCE = ("path", "effects", "tests")
ANALYSIS = ("summary", "checks", "units", *(ADVICE := ("advice", "nlpstattest")))
CODE = re.compile(r"`([^`]+)`")


def render_html(comparisons: Comparisons) -> str:
    """The whole result as a self-contained page."""
    title, overview, sentence = _overview(comparisons)
    return (
        environment()
        .get_template("comparison.html")
        .render(
            title=title,
            headline=_parts_of(title),
            overview=overview,
            overview_sentence=sentence,
            views=[_view(c, comparisons, f"c{i}") for i, c in enumerate(comparisons.comparisons, 1)],
            settings=settings(comparisons),
            family=family_note(comparisons),
            cited=cited_by_comparisons(comparisons),
        )
    )


def _overview(whole: Comparisons) -> tuple[str, Table | None, str]:
    """The title of the page, and for several comparisons a table of them all and what a paper says of them together."""
    if is_family_of_metrics(whole):
        return metrics_headline(whole).removesuffix("."), metric_table(whole), metric_sentence(whole)
    if len(whole.comparisons) == 1:
        return heading(whole.comparisons[0]), None, ""
    return f"{len(whole.comparisons)} comparisons", results(whole), ""


def _parts_of(title: str) -> tuple[str, str]:
    """What metrics come to, in two parts where the sentence has two; a colon may also be part of a name."""
    opening = "The metrics contradict each other"
    return (opening, title.removeprefix(f"{opening}: ")) if title.startswith(f"{opening}: ") else (title, "")


def environment() -> Environment:
    """Templates of this package, with everything escaped and every missing name an error."""
    try:
        import jinja2
        from markupsafe import Markup
    except ModuleNotFoundError:
        raise OutscoreError("jinja2 must be installed to write HTML.", "Install outscore[report].") from None
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: files("outscore.report").joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"minus": minus, "prose": prose, "glue": glue, "clean": clean, "word_runs": word_runs, "parted": _parted}
    made.globals |= {"style": Markup(stylesheet()), "spans": _spans}  # noqa: S704 - our own file
    return made


def prose(text: str) -> Markup:
    """A sentence of ours: signs as they are printed, no formula torn apart at the end of a line, and code as code."""
    from markupsafe import Markup, escape

    return Markup(CODE.sub(r"<code>\1</code>", str(escape(minus(glue(text))))))  # noqa: S704 - escaped before


def _parted(text: str) -> Markup:
    """A signature that may be broken between its parts; copied, it is still one word."""
    from markupsafe import Markup

    return Markup("|<wbr>").join(text.split("|"))


def _spans(table: Table) -> list[int]:
    """Over how many rows the last cell of each row reaches: a reason that several tests share stands once, 0 below it."""
    spans = [1] * len(table.rows)
    start = 0
    for i in range(1, len(spans) if table.key in ADVICE else 0):
        if (table.rows[i][0], table.rows[i][-1]) == (table.rows[start][0], table.rows[start][-1]):
            spans[start], spans[i] = spans[start] + 1, 0
        else:
            start = i
    return spans


def figures(drawn: Iterable[Chart], prefix: str = "") -> list[dict[str, Any]]:
    """Charts as a template wants them."""
    from markupsafe import Markup

    # The renderer escapes the texts of a chart.
    return [{"key": p.key, "caption": p.caption, "svg": Markup(p.to_svg(prefix))} for p in drawn]  # noqa: S704


def _view(c: Comparison, whole: Comparisons, key: str) -> dict[str, Any]:
    """One comparison as its template wants it."""
    top, why = headline(c)
    facts = evidence(c, whole)
    tables = {table.key: table for table in details(c, whole)}
    power = tables.get("power")
    return {
        "id": key,
        "heading": heading(c),
        "headline": top,
        "why": why,
        "won": c.decision.winner is not None,
        "claim": CLAIMS[c.decision.claim],
        "numbers": _numbers(c, whole),
        "figures": figures(charts(c, whole), f"{key}-"),
        "facts": facts,
        "evidence": _chosen(tables, EVIDENCE),
        "analysis": _chosen(tables, ANALYSIS),
        "power": power,
        "power_bare": None if power is None else replace(power, notes=()),
        "power_lines": [line for fact in facts if fact.label == "power" for line in fact.lines],
        "buckets": _chosen(tables, ("buckets",)),
        "segments": segment_views(c, MANY),
        "segments_title": segments_title(c),
        "segments_note": segments_note(c),
        "deciding": _chosen(tables, ("items",)),
        "sentence": clean(c.sentence),
        "signature": clean(c.signature),
    }


def _chosen(tables: dict[str, Table], keys: tuple[str, ...]) -> list[Table]:
    return [tables[key] for key in keys if key in tables]


def _numbers(c: Comparison, whole: Comparisons) -> list[dict[str, Any]]:
    """The numbers everybody looks for first; an interval only under the number it is about."""
    decimals, alpha = decimals_of(c), alpha_of(whole)
    better = "higher is better" if c.higher_is_better else "lower is better"
    noun, ends = score_ends(c, alpha)
    cards = [
        card(
            clean(s.system),
            format_number(s.value, decimals),
            [clean(f"{c.metric}, {better}"), end and f"{noun} {end}"],
            role,
        )
        for s, end, role in zip(c.scores, ends, "ab", strict=True)
    ]
    other = other_estimand(c)
    about = "" if other is not None else "no interval" if c.interval is None else interval_phrase(c.interval, decimals)
    cards.append(card("A - B", format_number(c.difference, decimals, sign=True), [about]))
    if other is not None:
        name, interval = other
        places = finer(decimals, interval.estimate)
        shown = "unknown" if interval.estimate is None else format_number(interval.estimate, places, sign=True)
        cards.append(card(name, shown, [f"{interval_noun(interval)} {format_interval(interval, places)}"]))
    if c.bayes is not None:
        better_a, *others = posterior_phrase(c.bayes, ("A", "B")).split(", ")
        label, _, value = better_a.rpartition(" ")
        cards.append(card(f"posterior: {label}", value, others))
    return [*cards, card("p", format_p_number(c.p, alpha), [format_p_error(c.p), method_phrase(c.p)])]


def card(label: str, value: str, small: Iterable[str], role: str = "") -> dict[str, Any]:
    """A number in large letters with what it is above and what belongs to it below."""
    return {"label": label, "value": value, "small": [text for text in small if text], "role": role}

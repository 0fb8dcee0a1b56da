"""How one kind of result is reported, and the sections that documents of several kinds share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from outscore.core.errors import load_extra
from outscore.core.records import dataclass
from outscore.language.lines import reading_line, short_reading
from outscore.language.numbers import count, format_number, justified_places
from outscore.language.phrases import TERMS, short_names
from outscore.report import document as doc
from outscore.report.citations import Uses, cited
from outscore.report.document import clean
from outscore.report.rows.columns import Column, tabulate, texts
from outscore.results.design import Reading
from outscore.results.note import BESIDE_VERDICT, ON_SCREEN, Note
from outscore.results.pvalue import Interval, PValue

# How one kind of result is reported: its document and its card, its tables of all digits, its charts.


Line = Mapping[str, object]
"""Keys and values of a result for a shell."""

if TYPE_CHECKING:
    from outscore.report.charts.canvas import Chart


def drawn(charts: str, *result: Any) -> list[Chart]:  # noqa: ANN401 - any result
    """The charts that a result has data for, by a list of their makers in `report/charts`; refused where nothing can draw."""
    for library in ("altair", "vl_convert"):
        load_extra(library, "draw charts", "report")
    from outscore.report.charts.canvas import unchecked

    module, _, name = charts.partition(".")
    with unchecked():
        made = [make(*result) for make in getattr(import_module(f"outscore.report.charts.{module}"), name)]
    return [chart for chart in made if chart is not None]


@dataclass(frozen=True)
class Kind:
    """How one kind of result is reported.

    Parameters
    ----------
    build, card
        The document of a result, and that of its card for notebooks.
    tables
        Its tables of all digits by name, the first of which is its `csv`.
    charts, parts
        The list in `report/charts` of what draws a part of a result, empty if there is none; and its arguments for each part,
        by default the result itself.
    forms
        Forms that no other kind of result has, by name.
    screen, lines
        The answer on one screen, if the document is not short anyway; and as keys and values, one mapping for each line.
    """

    build: Callable[..., doc.Document]
    card: Callable[[Any], doc.Document]
    tables: Mapping[str, Callable[[Any], doc.Records]]
    charts: str = ""
    parts: Callable[[Any], list[tuple[Any, ...]]] = lambda result: [(result,)]
    forms: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    screen: Callable[[Any], doc.Screen] | None = None
    lines: Callable[[Any], list[Line]] | None = None


# Sections that documents of several kinds share, and the card for notebooks.


R = TypeVar("R")
T = TypeVar("T", bound=doc.Placed)
RUNNING: tuple[doc.Form, ...] = ("text", "markdown", "latex")
"""Every form but a page."""
REPEATS = "Settings to reproduce this result"


def settings_table(settings: Mapping[str, object]) -> doc.Table | None:
    """The settings that reproduce a result, one per row; None where they are unknown."""
    rows = [(name, value) for key, entry in settings.items() for name, value in _flat(str(key), entry)]
    return tabulate("settings", "Settings", texts("setting", "value"), rows) if rows else None


def _flat(name: str, value: object) -> Iterable[tuple[str, str]]:
    """Nested settings as rows with dotted names; a tuple looks like the list it becomes when saved."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value, 1):
            yield from _flat(f"{name}.{i}", inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


def facts_block(facts: Sequence[doc.Fact]) -> doc.Facts | None:
    """Facts as a block, if there are any."""
    return doc.Facts(tuple(facts)) if facts else None


def warnings_of(notes: Iterable[Note]) -> list[doc.Block]:
    """What may make the verdict wrong, to be shown beside it."""
    return [doc.Paragraph(clean(note.text), "warning") for note in notes if note.kind in BESIDE_VERDICT]


def warnings_on_screen(notes: Iterable[Note], further: Iterable[str] = ()) -> tuple[str, ...]:
    """Everything that may make the verdict wrong, or the data other than they seem, each once."""
    texts = [*(note.text for note in notes if note.kind in ON_SCREEN), *further]
    return tuple(dict.fromkeys(clean(text) for text in texts))


def short_read_as(reading: Reading | None) -> list[str]:
    """How the input was interpreted, for one screen."""
    return [] if reading is None else [short_reading(reading)]


def bare(table: doc.Table, *optional: str, title: str = "", notes: Sequence[str] = (), most: int = 20) -> doc.Table:
    """The first rows of a table for one screen, without what explains them; `optional` columns give way where it is narrow."""
    left_out = len(table.rows) - most
    listed = [f"and {count(left_out, 'more row')} (-v shows all)"] if left_out > 0 else []
    first = replace(table, rows=table.rows[:most], numbers=table.numbers[:most])
    return replace(first, title=title, notes=(*listed, *filter(None, notes)), optional=optional)


def answer_parts(scores: Mapping[str, float], difference: float, interval: Interval | None) -> tuple[list[str], int]:
    """Scores by the short names of systems, and their difference, with as many digits as the interval justifies: how many."""
    names, ends = short_names(list(scores)), (None, None) if interval is None else (interval.low, interval.high)
    places = justified_places(list(scores.values()), difference, *ends)
    parts = [f"{names[name]} {format_number(value, places.score)}" for name, value in scores.items()]
    return [*parts, f"difference {format_number(difference, places.difference, sign=True)}"], places.difference


def line_of(
    winner: str, metric: str, scores: Sequence[float], difference: float, interval: Interval | None, p: PValue, n: int
) -> Line:
    """A comparison as keys and values in a fixed order, with the p that counts."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    named = {"winner": winner, "metric": metric, "a": scores[0], "b": scores[1], "difference": difference}
    return {**named, "low": low, "high": high, "p": p.value if p.adjusted is None else p.adjusted, "n": n}


def begins_with_name(text: str, systems: Iterable[str]) -> bool:
    """Whether a text begins with the name of a system.

    Examples
    --------
    >>> begins_with_name("o1 leads", ["o1", "o3"]), begins_with_name("mean .5", ["o1"])
    (True, False)
    """
    return any(text.startswith(clean(name)) for name in systems)


def verdict_of(result: Any, kind: str, **more: Any) -> doc.Verdict:  # noqa: ANN401
    """The verdict that a result has; a page may say `more` in its headline than running text, which opens with the verdict."""
    top, reason = clean(result.headline or result.verdict), clean(result.reason)
    told = {"headline": top, "reason": reason, "plain": (reason,) if reason else (), "opening": top}
    return doc.Verdict((clean(result.verdict),), kind=kind, **(told | more))


def read_as(reading: Reading | None, notes: Sequence[Note] = ()) -> list[doc.Block]:
    """The line that says how the input was interpreted, which old results do not have, and cautions about it."""
    if reading is None:
        return data_blocks("", notes)
    return data_blocks(clean(reading_line(reading)), notes, page=clean(reading_line(reading, options=False)))


def data_blocks(line: str, notes: Sequence[Note], page: str = "") -> list[doc.Block]:
    """The line about the data, if there is one, which a page may say otherwise, and cautions about them."""
    warnings = [clean(note.text) for note in dict.fromkeys(notes) if note.kind == "reading"]
    facts = doc.statements(("data", [line]), ("warnings", warnings))
    paragraphs = [*([f"Data: {page or line}."] if line else []), *warnings]
    return [
        *([doc.Facts(facts).only("text", "markdown")] if facts else []),
        *(doc.Paragraph(text, "note").only("html", "latex") for text in paragraphs),
    ]


def illustrated(
    answer: doc.Section, charts: str, result: tuple[Any, ...], key: str, *, fold: str = "", instead: doc.Block | None = None
) -> tuple[doc.Section, doc.Section]:
    """The answer with one picture beside it, the chart with this key or a block `instead`, and a section of all other charts.

    They are drawn once, where a form shows them, by a list of their makers as in `drawn`.
    """

    @cache
    def figures() -> list[doc.Figure]:
        return [doc.Figure(chart.key, chart.caption, chart.to_svg, chart.to_csv) for chart in drawn(charts, *result)]

    def picture() -> doc.Block | None:
        return instead or next((figure for figure in figures() if figure.key == key), None)

    def others() -> list[doc.Figure]:
        return [figure for figure in figures() if instead is not None or figure.key != key]

    return replace(answer, picture=picture), doc.Section("pictures", "Charts", others, fold=fold).only("html")


def quotes(sentence: str, full: str) -> list[doc.Block]:
    """A sentence for a paper, longer in LaTeX and where everything is shown."""
    if sentence == full:
        return [doc.Quote(sentence)]
    return [doc.Quote(sentence).brief().but("latex"), doc.Quote(full).but("text", "markdown", level="brief")]


def paper(sentence: str, signature: str, full: str | None = None) -> doc.Section:
    """What goes into a paper; `full` is the sentence where everything is shown."""
    short = clean(sentence)
    blocks: list[doc.Block] = [*quotes(short, full or short), doc.Code(clean(signature))]
    return doc.Section("paper", "For a paper", lambda: blocks, headed=True, joined=True)


def references(uses: Callable[[R], Uses], result: R) -> tuple[doc.Section, doc.Section]:
    """Whom to cite, and what the terms mean."""

    def blocks() -> list[doc.Facts | doc.Code]:
        listed, bibtex = cited(uses(result))
        return [doc.Facts(tuple(listed)), doc.Code(bibtex, "BibTeX", breaks="", fold="BibTeX")] if listed else []

    return doc.Section("works", "Works to cite", blocks, style="works").only("html"), glossary()


def glossary() -> doc.Section:
    """What the terms of reports mean, for pages; the title leads to the guide if the package knows where it is."""
    facts = doc.Facts(tuple(doc.Fact(term, (meaning,)) for term, meaning in TERMS.items()), glossary=True)
    return doc.Section("terms", "Terms", lambda: [facts], fold="What the terms mean", link=_guide()).only("html")


@cache
def _guide() -> str:
    """Where "Reading a report" is on the web: a package that was built without an address has none."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        package = metadata("outscore")
    except PackageNotFoundError:
        return ""
    urls = dict(entry.split(", ", 1) for entry in package.get_all("Project-URL") or ())
    return f"{urls['Source']}/blob/v{package['Version']}/docs/guides/report.md" if "Source" in urls else ""


def settings(values: Mapping[str, object], label: str = "settings", note: str = "") -> doc.Section:
    """The settings that reproduce the result; folded away on a page, below a `note`."""
    table = settings_table(values)
    blocks: list[doc.Block] = []
    if table is not None:
        blocks += [doc.Paragraph(note).only("html")] if note else []
        blocks.append(replace(table, fold=REPEATS, label=label))
    return doc.Section("settings", "Settings", lambda: blocks).full()


def examples_index(examples: Mapping[str, tuple[str, str]]) -> doc.Document:
    """Links to the pages of examples, each with its title and verdict, by the names of their folders."""
    about = (
        "The data are simulated. Each example has a folder with its files and its reports; `examples.txt` says how the data"
        " were simulated and which command reproduces the result."
    )
    sections = [doc.Section("about", "", lambda: [doc.Paragraph(about)])]
    for name, (title, verdict) in examples.items():
        sections.append(doc.Section(name, clean(title), partial(_paragraph, verdict), headed=True, link=f"{name}/report.html"))
    footer = "Made by outscore. These files need no network."
    return doc.Document("Examples", (doc.Article("", "Examples", tuple(sections)),), footer=footer)


def _paragraph(text: str) -> list[doc.Paragraph]:
    return [doc.Paragraph(clean(text))]


def folded(table: doc.Table, rows: int) -> doc.Table:
    """A table that a page folds away if it has more than `rows` rows."""
    return replace(table, fold=f"All {len(table.rows)} rows") if len(table.rows) > rows else table


def by_length(make: Callable[[int | None], doc.Table], brief: int, *forms: doc.Form) -> tuple[doc.Later, doc.Later]:
    """A table of at most `brief` rows for brief reports, and of all rows for full ones."""
    return doc.Later(lambda: [make(brief)]).only(*forms).brief(), doc.Later(lambda: [make(None)]).only(*forms).full()


def on_page(make: Callable[[int | None], doc.Table], most: int | None, open_rows: int) -> doc.Later:
    """The same on a page, which folds it away if it has more than `open_rows` rows."""
    return doc.Later(lambda: [folded(make(most), open_rows)]).only("html")


def by_level(brief: T, full: T) -> tuple[T, T]:
    """Two versions of a block: one for brief reports, one for full ones."""
    return brief.brief(), full.full()


def card_document(
    headline: str,
    reason: str,
    table: doc.Table,
    notes: Iterable[str] = (),
    left: tuple[int, str] = (0, ""),
    reading: Reading | None = None,
) -> doc.Document:
    """The verdict, how the input was interpreted, the numbers, how many more rows there are, and notes."""
    more = f"and {count(left[0], f'more {left[1]}')}"
    blocks: list[doc.Block] = [doc.Verdict((headline,), clean(headline), clean(reason)), *read_as(reading), table]
    blocks += [doc.Paragraph(more)] if left[0] > 0 else []
    texts = tuple(clean(note) for note in notes)
    blocks += [doc.Listing("notes", texts)] if texts else []
    return short_document(blocks, clean(headline))


def short_document(blocks: Iterable[doc.Block], title: str = "") -> doc.Document:
    """These blocks alone."""
    return doc.Document(title, (doc.Article("", "", (doc.Section("card", "", lambda: blocks),)),))


def card_table(columns: Sequence[Column[R]], records: Iterable[R]) -> doc.Table:
    """All columns, even empty ones."""
    return tabulate("card", "", columns, records, every_column=True)

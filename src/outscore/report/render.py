"""The one door to reports: any result in any form.

A kind of result has a module in `report/build` that says how it is reported: adding a kind takes its module and its line in
`BUILDERS`. Every form is imported when it is asked for, so that plain text needs neither a template engine nor a charting
library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.report.build.common import drawn
from outscore.report.document import Records, Verdict, clean
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.files import csv_text
from outscore.results.rendering import json_text

if TYPE_CHECKING:
    from typing import TypeAlias

    from outscore.report.build.common import Kind
    from outscore.report.charts.canvas import Chart
    from outscore.report.document import Document
    from outscore.report.write.text import Emphasis
    from outscore.results.saved import Saved

    AnyResult: TypeAlias = Saved

# A result is known by the name of its class, and its module is imported when it is asked for: no other kind is loaded.
BUILDERS = {
    "Comparison": "outscore.report.build.comparison",
    "Comparisons": "outscore.report.build.comparison",
    "Diff": "outscore.report.build.diff",
    "GateResult": "outscore.report.build.gate",
    "Interval": "outscore.report.build.value",
    "Logs": "outscore.report.build.logs",
    "PValue": "outscore.report.build.value",
    "PlanResult": "outscore.report.build.plan",
    "PossibleP": "outscore.report.build.plan",
    "PossibleTable": "outscore.report.build.possible",
    "Preference": "outscore.report.build.preference",
    "Ranking": "outscore.report.build.ranking",
    "ScoreResult": "outscore.report.build.score",
    "SimulatedCurve": "outscore.report.build.value",
    "SystemScore": "outscore.report.build.value",
    "TestResult": "outscore.report.build.value",
}
"""By the class of a result: the module whose `KIND` says how it is reported."""
NOT_IN_A_NAME = re.compile(r"[^\w.-]+")
MAX_SLICE = 60
"""A longer name of a slice would make file names that some systems refuse."""
FORMS = ("text", "screen", "line", "markdown", "latex", "html", "csv", "json", "pairs", "card", "badge")
"""`screen` is the answer without what it rests on, and `line` the same for shells: keys and values between tabs. `csv` holds
all digits, one line per comparison, system or pair; `pairs` is the table of pairs of a ranking or a preference; `card` is a
piece of HTML for notebooks, `badge` the headline as a small SVG."""


def kind_of(result: AnyResult) -> Kind:
    """How a result is reported."""
    name = type(result).__name__
    if name not in BUILDERS:
        raise TypeError(f"nothing says how a {name} is reported: it has no line in outscore.report.render.BUILDERS")
    kind: Kind = import_module(BUILDERS[name]).KIND
    return kind


def whole_of(result: AnyResult) -> AnyResult:
    """What is reported: a comparison is one of several."""
    return Comparisons([result], {}) if isinstance(result, Comparison) else result


def render(
    result: AnyResult,
    form: str,
    *,
    verbose: bool = False,
    width: int = 80,
    emphasis: Emphasis | None = None,
    **shown: Any,  # noqa: ANN401
) -> str:
    """The result in one of the forms.

    Parameters
    ----------
    result
        What a public function returned, or what was loaded from a file.
    form
        One of `FORMS`, or one that only this kind of result has; `pairs` is for rankings and preferences.
    verbose
        Show every table and the settings; `html`, `csv` and `json` always hold everything.
    width
        Columns of a terminal, for `text`.
    emphasis
        Of `text` for a terminal: what makes the headline of a verdict stand out, by its tone.
    shown
        Of a diff: show only these `tables`, so many rows of each kind (`top`), in this order (`sort`); and as `html` the
        `examples`, its changed units and their contexts. A saved result has none.
    """
    if form == "json":
        return json_text(result.to_dict())
    kind, whole = kind_of(result), whole_of(result)
    if form in kind.forms:
        return kind.forms[form](result)
    if form not in FORMS:
        raise OutscoreError(f"There is no form `{form}`.", f"Choose from: {', '.join((*FORMS, *kind.forms))}.")
    if form in WITHOUT_DOCUMENT:
        return WITHOUT_DOCUMENT[form](kind, whole)
    if form == "screen" and kind.screen is not None and not shown.get("tables"):
        from outscore.report.write.text import write_screen

        return write_screen(kind.screen(whole), width=width, emphasis=emphasis)
    if form != "html":
        shown.pop("examples", None)
    return _written(kind.build(whole, **shown), form, verbose=verbose, width=width, emphasis=emphasis)


def _written(document: Document, form: str, *, verbose: bool, width: int, emphasis: Emphasis | None = None) -> str:
    how: dict[str, Any] = {} if form == "html" else {"verbose": verbose}
    if form in ("text", "screen"):
        form, how = "text", {**how, "width": width, "emphasis": emphasis}
    return str(import_module(f"outscore.report.write.{form}").write(document, **how))


def _card(kind: Kind, whole: AnyResult) -> str:
    from outscore.report.write.html import write_card

    return write_card(kind.card(whole))


def _badge(_kind: Kind, whole: AnyResult) -> str:
    from outscore.report.write.html import write_badge

    verdict = next(filter(None, verdicts_of(whole)), None)
    if verdict is None:
        raise OutscoreError(f"A {type(whole).__name__} has no verdict for a badge.", "Use another ending than .svg.")
    return write_badge(verdict)


def _csv(kind: Kind, whole: AnyResult, table: str | None = None) -> str:
    records = kind.tables[next(iter(kind.tables)) if table is None else table](whole)
    return csv_text(records.columns, records.rows)


def _line(kind: Kind, whole: AnyResult) -> str:
    if kind.lines is None:
        raise OutscoreError(f"A {type(whole).__name__} has no form `line`.", "Choose text or json.")
    lines = ["\t".join(f"{key}={_plain(value)}" for key, value in line.items()) for line in kind.lines(whole)]
    return "".join(f"{line}\n" for line in lines)


def _plain(value: object) -> str:
    """A value of a line: all digits, nothing for what is not there, and no tab."""
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else clean(str(value))


def _pairs(kind: Kind, whole: AnyResult) -> str:
    if not getattr(whole, "has_pairs", False):
        refused = f"A {type(whole).__name__} has no form `pairs`."
        raise OutscoreError(refused, "Choose text, markdown, latex, html, csv or json.")
    return _csv(kind, whole, "pairs")


WITHOUT_DOCUMENT: dict[str, Callable[[Kind, Any], str]] = {
    "badge": _badge,
    "card": _card,
    "csv": _csv,
    "line": _line,
    "pairs": _pairs,
}


def verdicts_of(result: AnyResult) -> Iterator[Verdict | None]:
    """The verdict of every article that a page shows, in order, None where one has none; what follows it is not made."""
    for article in kind_of(result).build(whole_of(result)).articles:
        if article.is_shown("html", verbose=True):
            blocks = (
                block
                for section in article.sections
                if section.is_shown("html", verbose=True)
                for block in section.shown_blocks("html", verbose=True)
            )
            yield next((block for block in blocks if isinstance(block, Verdict)), None)


def records_of(result: AnyResult, table: str) -> Records:
    """One table of a result as records with all digits.

    `table` is ``"comparisons"``; of a ranking ``"systems"`` or ``"pairs"``; of a diff ``"pairs"``, ``"labels"`` or
    ``"transitions"``.
    """
    kind = kind_of(result)
    if table not in kind.tables:
        raise OutscoreError(f"There is no table `{table}`.", f"Choose from: {', '.join(kind.tables)}.")
    return kind.tables[table](whole_of(result))


def charts_of(result: AnyResult) -> list[Chart]:
    """Every chart that the result has data for; for many pairs of a diff, those of the first. Small values have none."""
    return [chart for _, chart in named_charts(result)]


def chart_files(result: AnyResult) -> dict[str, bytes]:
    """Every chart as SVG, PNG, PDF and CSV, by file name; all are made before the first one can be written."""
    from outscore.report.charts.canvas import FORMATS

    return {f"{name}.{form}": chart.to_bytes(form) for name, chart in named_charts(result) for form in FORMATS}


def named_charts(result: AnyResult) -> Iterator[tuple[str, Chart]]:
    """Every chart with the name of its file; of several comparisons or pairs, names begin with their number and slice."""
    kind = kind_of(result)
    parts = [drawn(kind.charts, *part) for part in kind.parts(whole_of(result))] if kind.charts else []
    slices = _slices(result)
    for number, part in enumerate(parts, 1):
        for chart in part:
            words = [str(number), slices.get(number, ""), chart.key] if len(parts) > 1 else [chart.key]
            yield "-".join(NOT_IN_A_NAME.sub("-", word) for word in words if word), chart


def _slices(result: AnyResult) -> dict[int, str]:
    """The slice of each comparison that is one, by its number."""
    if not isinstance(result, Comparisons):
        return {}
    numbered = enumerate(result.comparisons, 1)
    return {number: f"{c.slice.column}-{c.slice.value}"[:MAX_SLICE] for number, c in numbered if c.slice is not None}

"""The pages a person sees: the frame of each, and the files they are made of. What they show comes from the interface.

Scripts ask the interface for everything, so these pages hold no data of anybody. The stylesheet, the charts and the explorer
are those of the reports: page and report are one look.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from outscore._version import __version__
from outscore.web.refusals import RefusedError

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["routes"]

VIEWS = (
    ("compare", "Compare"),
    ("texts", "Texts"),
    ("rank", "Rank"),
    ("diff", "Diff"),
    ("plan", "Plan"),
    ("methods", "Methods"),
)
STEPS = (
    ("step-data", "Data analysis"),
    ("step-test", "Test"),
    ("step-effect", "Effect size"),
    ("step-power", "Power"),
    ("step-report", "Report"),
)
QUESTIONS = (
    ("items", "How many items do I need?"),
    ("effect", "What can my items detect?"),
    ("power", "How good are my chances?"),
    ("review", "Which p can two printed scores have?"),
)
# Of the views that have one form: title, what to bring, which groups of settings, and which settings come first.
SIMPLE = {
    "texts": (
        "Compare texts with a reference",
        "The output of two systems and at least one reference, a segment per line, in the same order.",
        "test data",
        "metric test+ alternative alpha lengths",
    ),
    "rank": (
        "Rank many systems",
        "One table with all systems, or a file for each; texts come with a reference, outputs with the right answers.",
        "files test data units",
        "test correction baseline alpha critical-difference",
    ),
    "diff": (
        "What changed between outputs",
        "The right answers and the output of one system or more: tags, trees, entities, labels or coreference chains.",
        "data test",
        "task+ criterion min-support correction",
    ),
    "report": ("Show a saved result", "A result saved as JSON, by this page or by the command line.", "", ""),
}
SCRIPTS = {"start": "start.js", "compare": "compare.js", "plan": "plan.js", "methods": ""}
# Names and contents change together with the version only, but a page that is being worked on must not be stale.
FRESH = {"cache-control": "no-cache"}


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    """Our templates, with everything escaped and every missing name an error."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _text("outscore.web", f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def page(view: str) -> str:
    """The HTML of a view.

    Examples
    --------
    >>> "<h1>Did system A really outscore system B?</h1>" in page("start")
    True
    """
    more: dict[str, Any] = {"steps": STEPS, "questions": QUESTIONS, "effects": _effects(), "sections": []}
    template = f"{view}.html"
    if view in SIMPLE:
        template = "view.html"
        more |= dict(zip(("title", "lead", "groups", "first"), SIMPLE[view], strict=True))
    if view == "methods":
        from outscore.web.methods import sections

        more["sections"] = sections()
    return (
        _templates()
        .get_template(template)
        .render(
            view=view,
            views=VIEWS,
            script=SCRIPTS.get(view, "simple.js"),
            version=__version__,
            **more,
        )
    )


def _effects() -> list[tuple[str, str, str]]:
    """Effect sizes with their formulas."""
    from markupsafe import Markup

    from outscore.web.formulas import EFFECTS, to_mathml

    return [(name, about, Markup(to_mathml(tex))) for name, (about, tex) in EFFECTS.items()]  # noqa: S704 - our own formulas


def _report_style() -> str:
    from outscore.report.theme import stylesheet

    return stylesheet()


def _ranking_style() -> str:
    from outscore.report.ranking_heat import heat_style

    return _text("outscore.report", "ranking.css") + heat_style()


def _explorer() -> str:
    from outscore.report.diff_html import SCRIPTS as PARTS

    # One function around all of them: it is started again for every result and leaves no names behind.
    return f'(() => {{\n"use strict";\n{"".join(_text("outscore.report", name) for name in PARTS)}}})();\n'


MADE: Mapping[str, Callable[[], str]] = {
    "report.css": _report_style,
    "ranking.css": _ranking_style,
    "explorer.css": lambda: _text("outscore.report", "explorer.css"),
    "explorer.js": _explorer,
}
"""Files of the reports that the pages share."""


@cache
def static(name: str) -> str:
    """The text of a file that the pages ask for; names are looked up, never made into paths.

    Examples
    --------
    >>> static("page.css").startswith("/*"), "--paper" in static("report.css")
    (True, True)
    >>> static("../pages.py")
    Traceback (most recent call last):
    outscore.web.refusals.RefusedError: There is nothing at this address.
    """
    if name in MADE:
        return MADE[name]()
    own = {entry.name for entry in files("outscore.web").joinpath("static").iterdir()}
    if name not in own:
        raise RefusedError(404, "There is nothing at this address.")
    return _text("outscore.web", f"static/{name}")


def _page_route(path: str, view: str) -> Route:
    async def show(request: Request) -> Response:
        del request
        return Response(await anyio.to_thread.run_sync(page, view), media_type="text/html", headers=FRESH)

    return Route(path, show, methods=["GET"], name=f"page-{view}")


async def get_static(request: Request) -> Response:
    """A stylesheet, a script or the icon."""
    name = request.path_params["name"]
    kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
    return Response(await anyio.to_thread.run_sync(static, name), media_type=kind, headers=FRESH)


routes = [
    _page_route("/", "start"),
    *(_page_route(f"/{view}", view) for view, _ in VIEWS),
    _page_route("/report", "report"),
    Route("/static/{name}", get_static, methods=["GET"]),
]
"""All pages."""

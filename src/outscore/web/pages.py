"""The pages that people see: the frame of each, and the files they are made of. What they show comes from the interface.

Scripts request everything from the interface, so these pages contain nobody's data. The stylesheet, the charts and the explorer
are those of the reports, so page and report look alike.
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
from outscore.core.records import dataclass
from outscore.report.palette import ranking_style, stylesheet
from outscore.web.messages import HTTPProblem

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class View:
    """A page with a place in the menu (`label`), on the start page (`way`), or both; `script` makes it work.

    Views say which `groups` of settings they have and which come `first`; the others are folded away.
    `lead` says which files to bring, `has` in a few words what the user has.
    """

    name: str
    label: str
    way: str
    title: str = ""
    lead: str = ""
    groups: str = ""
    first: str = ""
    script: str = "simple.js"
    template: str = "view.html"
    has: str = ""


SCORES = "Scores of one system or two"
VIEWS = (
    View(
        "compare",
        "Compare",
        "Compare two systems",
        "Compare two systems",
        "Two systems scored on the same items: one file with both, or a file for each. Differences are A minus B.",
        "test units logs data",
        "log-task filter metric test alternative alpha margin",
        script="compare.js",
        template="compare.html",
        has=SCORES,
    ),
    View(
        "texts",
        "Texts",
        "Compare texts",
        "Compare texts with a reference",
        "The output of two systems and at least one reference, one segment per line, in the same order.",
        "test data",
        "metric test alternative alpha lengths",
        has="Texts with a reference",
    ),
    View(
        "score",
        "Score",
        "See how certain a score is",
        "How certain is a score?",
        "One system or several, each on its own: a table, a file for each, or logs.",
        "files logs test data",
        "log-task filter alpha power slice cluster",
        has=SCORES,
    ),
    View(
        "gate",
        "Gate",
        "Check a new version against the old one",
        "May the candidate replace the baseline?",
        "The baseline and the candidate, scored on the same items: a file for each, or one with both, the baseline first.",
        "files logs test data",
        "log-task filter margin alpha inconclusive test missing",
        script="gate.js",
        has=SCORES,
    ),
    View(
        "rank",
        "Rank",
        "Rank all systems",
        "Rank many systems",
        "One table with all systems, or a file for each. Texts need a reference; outputs need the right answers.",
        "files logs test data units",
        "log-task filter test correction baseline alpha joint",
        script="ranking.js",
        has="Scores of many systems",
    ),
    View(
        "prefer",
        "Battles",
        "See who is preferred",
        "Battles between systems",
        "Who won against whom on which prompt, by people or a model: a table of votes, Chatbot Arena, Arena-Hard, AlpacaEval.",
        "test data",
        "order correction alpha system",
        has="Votes between systems",
    ),
    View(
        "diff",
        "Diff",
        "See what changed",
        "What changed between outputs",
        "The right answers and the output of one or more systems: tags, trees, entities, labels or coreference chains; "
        "for labels, one table with all of them or logs with answers are enough. "
        "Differences are the later system minus the earlier one, so a gain is positive.",
        "data logs test",
        "task log-task filter criterion min-support correction",
        script="diff.js",
        has="Outputs with the right answers",
    ),
    View("plan", "Plan", "Plan a test set", script="plan.js", template="plan.html", has="No data yet, or printed numbers"),
    View(
        "show",
        "Logs",
        "See what is in the logs",
        "What is in the logs of an evaluation harness",
        "Logs, or folders of logs: systems, tasks, scores, repeats, and what is missing. Nothing is compared.",
        "data",
        "reader",
    ),
    View(
        "results",
        "Results",
        "",
        "Results of this session",
        "Results computed for this browser. A result is removed an hour after its last use, or when the server stops; "
        "a kept one stays until the server stops, and an exported one is yours for good.",
        script="history.js",
        template="results.html",
    ),
    View("methods", "Methods", "", script="", template="methods.html"),
    View(
        "report",
        "",
        "Show the result",
        "Show a saved result",
        "A result saved as JSON by this page or the command line.",
        script="saved.js",
    ),
    View("start", "", "", script="start.js", template="start.html"),
)
MENU = tuple(view for view in VIEWS if view.label)
STEPS = (
    ("step-data", "Data analysis"),
    ("step-test", "Test"),
    ("step-effect", "Effect size"),
    ("step-power", "Power"),
    ("step-report", "Report"),
)
SPREAD = (
    "sd discordance accuracy margin unpaired method repeats within cluster-size icc price-item price-run budget anytime bounds "
    "alternative alpha seed retrospective test replicates delta system item score metric cluster repeat direction unit-size "
    "unit-statistic shuffle"
)
QUESTIONS = (
    ("items", "How many items do I need?", "effect", f"power {SPREAD}"),
    ("effect", "What can my items detect?", "n", f"power {SPREAD}"),
    ("power", "How likely am I to detect it?", "effect n", SPREAD),
    ("review", "Which p-values do two published scores allow?", "scores n", "alternative alpha"),
    ("table", "Which p-values does a published table allow?", "", "n alpha"),
)
"""What a plan answers: the name and the text of a question, the settings that it needs, and others that it asks for."""
# Names and contents change together with the version only, but a page that is being worked on must not be stale.
FRESH = {"cache-control": "no-cache"}


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    """Our templates, with everything escaped and every missing name an error."""
    import jinja2
    from markupsafe import Markup

    from outscore.report.citations import works
    from outscore.report.write.html import prose
    from outscore.web.methods import to_mathml

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _text("outscore.web", f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "prose": prose,
        "mathml": lambda tex: Markup(to_mathml(tex)),  # noqa: S704 - our own formulas
        "works": lambda keys: [works()[key] for key in keys],
    }
    return environment


@cache
def page(view: str) -> str:
    """The HTML of a view.

    Examples
    --------
    >>> "<h1>Did system A really outscore system B?</h1>" in page("start")
    True
    """
    from outscore.web.methods import EFFECTS, registries

    chosen = next(one for one in VIEWS if one.name == view)
    return _rendered(
        chosen.template,
        view,
        chosen.script,
        title=chosen.title,
        lead=chosen.lead,
        groups=chosen.groups,
        first=chosen.first,
        ways=[one for one in VIEWS if one.way],
        steps=STEPS,
        questions=QUESTIONS,
        effects=EFFECTS,
        registries=registries() if view == "methods" else (),
    )


def problem(message: str, hint: str) -> str:
    """The page that is shown instead of one that failed.

    Examples
    --------
    >>> "&lt;b&gt; is not here.</h1>" in problem("<b> is not here.", "")
    True
    """
    return _rendered("problem.html", "", "", message=message, hint=hint)


def _rendered(template: str, view: str, script: str, **more: Any) -> str:  # noqa: ANN401 - whatever the template shows
    return _templates().get_template(template).render(view=view, menu=MENU, script=script, version=__version__, **more)


def _explorer() -> str:
    from outscore.report.explorer.data import source

    # One function around all of them: the page calls it for every result, and it leaves no other names behind.
    return f'window.outscoreExplorer = () => {{\n"use strict";\n{_sorting()}{source()}}};\n'


def _sorting() -> str:
    return _text("outscore.report.write", "tables.js")


MADE: Mapping[str, Callable[[], str]] = {
    "report.css": stylesheet,
    "ranking.css": ranking_style,
    "explorer.css": lambda: _text("outscore.report.explorer", "explorer.css"),
    "explorer.js": _explorer,
    "sorting.js": lambda: f"{_sorting()}\nexport {{ enliven }};\n",
    "saving.js": lambda: f"{_text('outscore.report.write', 'figures.js')}\nexport {{ offerCharts }};\n",
}
"""Files of the reports that the pages share."""


@cache
def static(name: str) -> str:
    """The text of a file that the pages request; names are looked up, never turned into paths.

    Examples
    --------
    >>> static("page.css").startswith("/*"), "--paper" in static("report.css")
    (True, True)
    >>> static("../pages.py")
    Traceback (most recent call last):
    outscore.web.messages.HTTPProblem: There is nothing at this address.
    """
    if name in MADE:
        return MADE[name]()
    known = {entry.name for entry in files("outscore.web").joinpath("static").iterdir()}
    if name not in known:
        raise HTTPProblem(404, "There is nothing at this address.")
    return _text("outscore.web", f"static/{name}")


def _page_route(path: str, view: str) -> Route:
    async def show(_request: Request) -> Response:
        return Response(await anyio.to_thread.run_sync(page, view), media_type="text/html", headers=FRESH)

    return Route(path, show, methods=["GET"], name=f"page-{view}")


async def get_static(request: Request) -> Response:
    """A stylesheet, a script or the icon."""
    name = request.path_params["name"]
    kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
    return Response(await anyio.to_thread.run_sync(static, name), media_type=kind, headers=FRESH)


routes = [
    *(_page_route("/" if view.name == "start" else f"/{view.name}", view.name) for view in VIEWS),
    Route("/static/{name}", get_static, methods=["GET"]),
]
"""All pages."""

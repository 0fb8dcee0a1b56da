"""A result in other forms, made when they are asked for: reports by `outscore report`, charts one by one.

Everything is made by a worker in the folder of the result, and stays there for the next time.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from outscore.web.http.refusals import RefusedError
from outscore.web.jobs.jobs import Job, Jobs
from outscore.web.jobs.workers import Answer

__all__ = ["CHART_TYPES", "TYPES", "chart", "charts", "download", "draw", "headline", "read_headline", "told_headline"]

TYPES = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
CHART_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
CHARTS, LIST = "charts", "list.json"


async def download(job: Job, form: str, jobs: Jobs) -> Path:
    """The file of a result in a form; made now unless it was made before."""
    if form not in TYPES:
        raise RefusedError(404, f"A result has no form `{form[:20]}`.", f"There is {', '.join(TYPES)}.")
    path = job.folder / f"result.{form}"
    if not path.exists():
        task = {"argv": ["report", job.result.name, "-o", path.name], "folder": str(job.folder)}
        answer = await jobs.make(job, path.name, task)
        if answer.code:
            raise RefusedError(422, answer.error or "This form could not be made.")
    return path


async def charts(job: Job, jobs: Jobs) -> list[dict[str, str]]:
    """The name, title and caption of every chart of a result; they are drawn now unless they were before."""
    path = job.folder / CHARTS / LIST
    if not path.exists():
        answer = await jobs.make(job, CHARTS, {"task": "draw", "folder": str(job.folder)})
        if answer.code:
            raise RefusedError(422, answer.error or "The charts could not be drawn.")
    found: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


async def chart(job: Job, name: str, form: str, jobs: Jobs) -> Path:
    """The file of a chart."""
    known = [entry["name"] for entry in await charts(job, jobs)]
    if name not in known or form not in CHART_TYPES:
        raise RefusedError(404, "There is no such chart.", "The list of charts has all names.")
    return job.folder / CHARTS / f"{name}.{form}"


async def headline(job: Job, jobs: Jobs) -> dict[str, Any] | None:
    """What a result comes to, before its report is made."""
    return told_headline(await jobs.make(job, "headline", {"task": "headline", "folder": str(job.folder)}))


def told_headline(answer: Answer) -> dict[str, Any] | None:
    """The headline that a worker has read."""
    if answer.code:
        raise RefusedError(422, answer.error or "The result could not be read.")
    found: dict[str, Any] | None = answer.answer
    return found


def read_headline(folder: Path) -> dict[str, Any] | None:
    """What the report of the result in a folder has in large letters and under them; this runs in a worker.

    None where the report begins with a table, as of several comparisons.
    """
    from outscore.report.rows import facts
    from outscore.report.rows import plan as plan_tables
    from outscore.report.table import glue, minus
    from outscore.results.comparison import Comparisons
    from outscore.results.plan import PlanResult, PossibleP
    from outscore.results.saved import load

    result = load(folder / "result.json")
    won = False
    if isinstance(result, PlanResult | PossibleP):
        top, why = plan_tables.headline(result)
        top = minus(glue(top))
    elif isinstance(result, Comparisons) and len(result.comparisons) == 1:
        top, why = facts.headline(result.comparisons[0])
        won = result.comparisons[0].decision.winner is not None
    else:
        return None
    return {"headline": top, "why": minus(glue(why)), "won": won}


def draw(folder: Path) -> None:
    """Draw all charts of the result in a folder as `--charts` does, and list them; this runs in a worker."""
    from outscore.report.charts.files import named_charts
    from outscore.results.saved import load

    unfinished = folder / f".{CHARTS}"
    # Perhaps a process was ended while it drew.
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    listed = []
    for name, chart in named_charts(load(folder / "result.json")):
        for form in CHART_TYPES:
            (unfinished / f"{name}.{form}").write_bytes(chart.to_bytes(form))
        listed.append({"name": name, "title": chart.caption, "caption": chart.description})
    (unfinished / LIST).write_text(json.dumps(listed), encoding="utf-8")
    # All at once: whoever sees the list finds the charts.
    unfinished.rename(folder / CHARTS)

"""A result in other forms, made on request by a worker and kept in the folder of the result for the next time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from outscore.web.jobs.queue import Job, Jobs
from outscore.web.jobs.worker import CHART_LIST, CHART_TYPES, CHARTS
from outscore.web.jobs.workers import Answer
from outscore.web.messages import HTTPProblem

TYPES = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}


async def download(job: Job, form: str, jobs: Jobs) -> Path:
    """The file of a result in one form; it is made now unless it exists."""
    if form not in TYPES:
        raise HTTPProblem(404, f"A result has no form `{form[:20]}`.", f"Choose one of: {', '.join(TYPES)}.")
    path = job.folder / f"result.{form}"
    if not path.exists():
        answer = await jobs.make(job, path.name, {"task": "report", "suffix": form, "folder": str(job.folder)})
        if answer.code:
            raise HTTPProblem(422, answer.error or "This form could not be written.")
    return path


async def charts(job: Job, jobs: Jobs) -> list[dict[str, str]]:
    """The name, title and caption of every chart of a result; they are drawn now unless they exist."""
    path = job.folder / CHARTS / CHART_LIST
    if not path.exists():
        answer = await jobs.make(job, CHARTS, {"task": "draw", "folder": str(job.folder)})
        if answer.code:
            raise HTTPProblem(422, answer.error or "The charts could not be drawn.")
    listed: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return listed


async def chart(job: Job, name: str, form: str, jobs: Jobs) -> Path:
    """The file of a chart."""
    known = [entry["name"] for entry in await charts(job, jobs)]
    if name not in known or form not in CHART_TYPES:
        raise HTTPProblem(404, "There is no such chart.", "The list of charts has all names.")
    return job.folder / CHARTS / f"{name}.{form}"


async def headline(job: Job, jobs: Jobs) -> dict[str, Any] | None:
    """The headline of a result, which is shown before its report is made."""
    return headline_of(await jobs.make(job, "headline", {"task": "headline", "folder": str(job.folder)}))


def headline_of(answer: Answer) -> dict[str, Any] | None:
    """The headline in the answer of a worker."""
    if answer.code:
        raise HTTPProblem(422, answer.error or "The result could not be read.")
    content: dict[str, Any] | None = answer.answer
    return content

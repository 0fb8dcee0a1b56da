"""A result in other forms, made when they are asked for: reports by `outscore report`, charts one by one.

Everything is made by a worker in the folder of the result, and stays there for the next time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outscore.web.jobs import Job
from outscore.web.refusals import RefusedError
from outscore.web.workers import Workers

if TYPE_CHECKING:
    from outscore.procedure.saved import Saved
    from outscore.report.charts import Picture

__all__ = ["CHART_TYPES", "TYPES", "chart", "charts", "download", "draw"]

TYPES = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
CHART_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
CHARTS, LIST = "charts", "charts.json"


async def download(job: Job, form: str, workers: Workers) -> Path:
    """The file of a result in a form; made now unless it was made before."""
    if form not in TYPES:
        raise RefusedError(404, f"A result has no form `{form[:20]}`.", f"There is {', '.join(TYPES)}.")
    path = job.folder / f"result.{form}"
    if not path.exists():
        answer = await workers.moment({"argv": ["report", job.result.name, "-o", path.name], "folder": str(job.folder)})
        if answer.code:
            raise RefusedError(422, answer.error or "This form could not be made.")
    return path


async def charts(job: Job, workers: Workers) -> list[dict[str, str]]:
    """The name, title and caption of every chart of a result; they are drawn now unless they were before."""
    path = job.folder / LIST
    if not path.exists():
        answer = await workers.moment({"task": "draw", "folder": str(job.folder)})
        if answer.code:
            raise RefusedError(422, answer.error or "The charts could not be drawn.")
    found: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


async def chart(job: Job, name: str, form: str, workers: Workers) -> Path:
    """The file of a chart."""
    known = [entry["name"] for entry in await charts(job, workers)]
    if name not in known or form not in CHART_TYPES:
        raise RefusedError(404, "There is no such chart.", "The list of charts has all names.")
    return job.folder / CHARTS / f"{name}.{form}"


def draw(folder: Path) -> None:
    """Draw all charts of the result in a folder as `--charts` does, and list them; this runs in a worker."""
    from outscore.procedure.saved import load
    from outscore.report.charts import file_content

    target = folder / CHARTS
    target.mkdir(exist_ok=True)
    listed = []
    for name, picture in _pictures(load(folder / "result.json")):
        for form in CHART_TYPES:
            (target / f"{name}.{form}").write_bytes(file_content(picture, form))
        listed.append({"name": name, "title": picture.caption, "caption": picture.description})
    # The list comes last: whoever sees it finds the charts.
    unfinished = folder / f".{LIST}"
    unfinished.write_text(json.dumps(listed), encoding="utf-8")
    unfinished.replace(folder / LIST)


def _pictures(result: Saved) -> Iterator[tuple[str, Picture]]:
    """The charts of any result, by the names of their files."""
    from outscore.diffs import Diff
    from outscore.rankings import Ranking
    from outscore.report import charts, diff_drawings, plan_charts, ranking_charts
    from outscore.results import Comparisons

    parts: list[list[Any]]
    if isinstance(result, Comparisons):
        parts = [charts.pictures(c, result) for c in result.comparisons]
    elif isinstance(result, Diff):
        parts = [diff_drawings.pictures(pair) for pair in result.primary_pairs[: diff_drawings.MOST_DRAWN]]
    elif isinstance(result, Ranking):
        parts = [ranking_charts.pictures(result)]
    else:
        parts = [plan_charts.pictures(result)]
    for number, part in enumerate(parts, 1):
        for picture in part:
            name = charts.NOT_IN_A_NAME.sub("-", picture.key)
            yield f"{number}-{name}" if len(parts) > 1 else name, picture

"""Any request to its result, for those who take requests of every command: the page, and the server of agents."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outscore.engine.engines import engine_of, open_engine
from outscore.engine.progress import Progress, Steps
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.plan import PlanRequest
from outscore.workflows.requests.rank import RankRequest

if TYPE_CHECKING:
    from outscore.results.saved import Saved

WORKFLOWS = {
    "compare": "outscore.workflows.compare.run",
    "diff": "outscore.workflows.diff.run",
    "gate": "outscore.workflows.gate",
    "plan": "outscore.workflows.plan.run",
    "prefer": "outscore.workflows.prefer.run",
    "rank": "outscore.workflows.rank.run",
    "score": "outscore.workflows.score.run",
    "show": "outscore.workflows.show.run",
    "texts": "outscore.workflows.texts.run",
}
"""The module that answers each request; it is imported when it is asked for."""


def run(
    request: Request, *, progress: Progress | None = None, remark: Callable[[str], None]
) -> tuple[Saved, Callable[[], Any] | None]:
    """The result of a request, and a function that collects the examples of a diff.

    Examples
    --------
    >>> result, _ = run(PlanRequest(effect=0.02, sd=0.3), remark=print)
    >>> result.items
    1768
    """
    progress = progress or Steps()
    workflow: Any = import_module(WORKFLOWS[request.command])
    match request:
        case TextsRequest() | RankRequest():
            with open_engine(engine_of(0)) as engine:
                return workflow.run(request, engine=engine, progress=progress, remark=remark), None
        case DiffRequest():
            study, result = workflow.run_study(request)
            return result, study.changed
        case PlanRequest():
            return workflow.run(request, progress=progress), None
    return workflow.run(request), None

"""REQUESTS: what can be asked, by name. `texts` is `outscore compare` with references.

FILE_REQUESTS are answered by files and not by a result, so that the page does not ask them.
"""

from __future__ import annotations

from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import CompareRequest, TextsRequest
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.gate import GateRequest
from outscore.workflows.requests.plan import PlanRequest
from outscore.workflows.requests.prefer import PreferRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.requests.show import ConvertRequest, ShowRequest

REQUESTS: dict[str, type[Request]] = {
    request.command: request
    for request in (
        CompareRequest,
        TextsRequest,
        ScoreRequest,
        GateRequest,
        RankRequest,
        PreferRequest,
        DiffRequest,
        PlanRequest,
        ShowRequest,
    )
}
FILE_REQUESTS: dict[str, type[Request]] = {request.command: request for request in (ConvertRequest,)}

"""`convert`: logs of any harness in the common format."""

from __future__ import annotations

from typing import ClassVar

from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import declare
from outscore.workflows.requests.show import ShowRequest


@dataclass(frozen=True)
class ConvertRequest(ShowRequest):
    """Logs to be written as Every Eval Ever, and which part of them; where they are written is not part of the request."""

    command: ClassVar[str] = "convert"
    subcommand: ClassVar[str] = "convert"
    function: ClassVar[str] = "convert"

    system: tuple[str, ...] = declare(
        shared.SYSTEM, help="Convert these systems only; repeatable.", doc="Which systems to convert."
    )
    log_task: str | None = declare(shared.LOG_TASK, help="Convert this task only.")
    filter: str | None = declare(shared.FILTER, help="Convert the scores of this filter only.")

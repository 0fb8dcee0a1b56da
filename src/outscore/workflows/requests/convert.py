"""`convert`: logs of any harness in the common format."""

from __future__ import annotations

from typing import ClassVar

from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import declare
from outscore.workflows.requests.show import ShowRequest

__all__ = ["ConvertRequest"]


@dataclass(frozen=True)
class ConvertRequest(ShowRequest):
    """Logs, to be written as Every Eval Ever, and which of what they hold; where they are written stands outside."""

    command: ClassVar[str] = "convert"
    subcommand: ClassVar[str] = "convert"
    function: ClassVar[str] = "convert"

    system: tuple[str, ...] = declare(shared.SYSTEM, help="A system to convert; all of them otherwise.", doc="Which systems.")
    log_task: str | None = declare(shared.LOG_TASK, help="The task to convert; all of them otherwise.")
    filter: str | None = declare(shared.FILTER, help="The filter whose scores are converted; all of them otherwise.")

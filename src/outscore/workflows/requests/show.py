"""`show`: what files contain, and how they would be read; `convert`: logs in the common format."""

from __future__ import annotations

from typing import ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import Request, declare, own

# `show`: what logs of evaluation harnesses contain.


def _readers() -> dict[str, str]:
    from outscore.formats.logs.registry import LOGS

    return {"auto": "recognise it", **{name: f"{entry.title}: {entry.summary}" for name, entry in LOGS.items()}}


@dataclass(frozen=True)
class ShowRequest(Request):
    """Files, to be listed."""

    command: ClassVar[str] = "show"
    subcommand: ClassVar[str] = "show"
    function: ClassVar[str] = "show"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="Files of any kind, folders, or quoted patterns of runs.",
        label="Files",
        metavar="PATH ...",
    )
    reader: str = own(
        "reader",
        "A format of logs from `outscore formats`.",
        default="auto",
        choices=_readers,
        label="Format",
        form_help="Format of the logs.",
        group="data",
        metavar="FORMAT",
        doc="The format of the logs, a name from ``outscore formats``.",
    )

    def validate(self) -> None:
        """Refuse what can be refused before a log is opened."""
        self.require_files(f"Write `outscore {self.subcommand} PATH`.")
        if self.reader not in _readers():
            raise OutscoreError(
                f"There is no format of logs `{self.reader}`.", did_you_mean(self.reader, _readers()), parameter="reader"
            )


# `convert`: logs of any harness in the common format.


@dataclass(frozen=True)
class ConvertRequest(ShowRequest):
    """Logs to be written as Every Eval Ever, and which part of them; where they are written is not part of the request."""

    command: ClassVar[str] = "convert"
    subcommand: ClassVar[str] = "convert"
    function: ClassVar[str] = "convert"

    system: tuple[str, ...] = declare(shared.SYSTEM, help="Convert these systems only; repeatable.")
    log_task: str | None = declare(shared.LOG_TASK, help="Convert this task only.")
    filter: str | None = declare(shared.FILTER, help="Convert the scores of this filter only.")

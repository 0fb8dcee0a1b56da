"""`show`: what logs of evaluation harnesses hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean
from outscore.workflows.requests.base import Request, declare, saved_value

if TYPE_CHECKING:
    from outscore.scores.system import Origin

__all__ = ["ShowRequest"]


def _readers() -> dict[str, str]:
    from outscore.formats.logs.registry import LOGS

    return {"auto": "recognise it", **{name: f"{entry.title}: {entry.summary}" for name, entry in LOGS.items()}}


@dataclass(frozen=True)
class ShowRequest(Request):
    """Logs, to be listed."""

    command: ClassVar[str] = "show"
    subcommand: ClassVar[str] = "show"
    function: ClassVar[str] = "show"

    files: tuple[str, ...] = declare(
        Option(
            "files",
            str,
            (),
            "Logs, or folders of logs.",
            label="Logs",
            group="files",
            kind="file",
            many=True,
            least=1,
            metavar="LOG ...",
        )
    )
    reader: str = declare(
        Option(
            "reader",
            str,
            "auto",
            "A format of logs from `outscore formats`.",
            _readers,
            label="Format",
            form_help="How the logs are read.",
            group="data",
            metavar="FORMAT",
            doc="The format of the logs, a name from ``outscore formats``.",
        )
    )

    @property
    def inputs(self) -> list[str]:
        """Everything that is read."""
        return list(self.files)

    def validate(self) -> None:
        """Refuse what can be refused before a log is opened."""
        if not self.files:
            raise OutscoreError("No log was named.", f"Write `outscore {self.subcommand} LOG`.", parameter="files")
        if self.reader not in _readers():
            raise OutscoreError(
                f"There is no format of logs `{self.reader}`.", did_you_mean(self.reader, _readers()), parameter="reader"
            )

    def settings(self, inputs: Iterable[Origin] = (), **found: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - as in `Request`
        """What repeats the listing."""
        return {option.name: saved_value(option, self.value(option.name)) for option in self.options()}

"""`outscore show`: the contents of logs, before anything is chosen."""

from __future__ import annotations

from outscore.cli.declared import Asked, command
from outscore.workflows.requests.show import ShowRequest


@command(ShowRequest)
def show(asked: Asked[ShowRequest]) -> None:
    """List the contents of evaluation logs.

    Tasks, systems, scores, filters, items, repeats and rows without a score, for files and folders.
    """
    with asked.working("reading"):
        from outscore.workflows.show.run import run

        logs = run(asked.request)
    asked.deliver(logs)

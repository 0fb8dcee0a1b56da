"""`outscore show`: what logs hold, before anything is chosen."""

from __future__ import annotations

from outscore.cli.declared import Asked, command
from outscore.workflows.requests.show import ShowRequest

__all__ = ["show"]


@command(ShowRequest)
def show(asked: Asked[ShowRequest]) -> None:
    """List what logs of evaluation harnesses hold.

    Tasks, systems, scores, filters, items, repeats, and rows without a score, of files and folders.
    """
    with asked.working("reading"):
        from outscore.workflows.show.run import run

        found = run(asked.request)
    asked.deliver(found)

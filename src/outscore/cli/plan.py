"""`outscore plan`: how many items, how small a difference, how likely a verdict; and which p two printed scores allow."""

from __future__ import annotations

from collections.abc import Mapping

from outscore.cli.declared import Asked, command
from outscore.core.errors import OutscoreError
from outscore.workflows.requests.base import Written
from outscore.workflows.requests.plan import PlanRequest


def _with_pilot(written: Mapping[str, Written]) -> PlanRequest:
    """The request; files after those of --pilot also belong to the pilot."""
    files = tuple(written["files"])
    if files and "pilot" not in written:
        raise OutscoreError(f"`{files[0]}` was named without --pilot.", "Write --pilot before the files to plan from.")
    others = {name: text for name, text in written.items() if name != "files"}
    return PlanRequest.from_written({**others, "pilot": [*written.get("pilot", ()), *files]})


@command(PlanRequest, read=_with_pilot, metavar="[FILE]", verbose="Show whole curves and settings too.")
def plan(asked: Asked[PlanRequest]) -> None:
    """Plan a comparison: items needed, detectable difference, power.

    \b
      outscore plan --effect .02 --sd .3              how many items?
      outscore plan --n 1000 --discordance .1         how small a difference?
      outscore plan --effect .02 --accuracy .87       right-or-wrong items
      outscore plan --effect .02 --pilot a.txt b.txt  spread from data
      outscore plan --scores .871 .864 --n 1000       which p are possible?
      outscore plan --table printed.csv --n 1000      the same for every pair

    Effects are differences in the metric's own unit: .02 is 2 points of accuracy.
    """  # noqa: D301 - click wants the backspace itself: keep these lines as they are
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.plan.run import run

    with terminal_progress() as progress:
        result = run(asked.request, progress=progress)
    asked.deliver(asked.with_changes(result))

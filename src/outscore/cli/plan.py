"""`outscore plan`: how many items, how small a difference, how likely a verdict; and what two printed scores leave possible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import SUFFIXES, check_outputs, check_suffixes, deliver
from outscore.core.errors import OutscoreError
from outscore.workflows.requests.plan import PlanRequest

__all__ = ["check_plan_outputs", "plan"]


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]")
@declared_options(PlanRequest.options())
@output_options(endings=SUFFIXES, verbose="Show whole curves and settings too.")
@click.pass_context
def plan(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per declared option
) -> None:
    """Plan a comparison: required items, detectable difference, or power.

    \b
      outscore plan --effect .02 --sd .3              how many items?
      outscore plan --n 1000 --discordance .1         how small a difference?
      outscore plan --effect .02 --accuracy .87       right-or-wrong items
      outscore plan --effect .02 --pilot a.txt b.txt  spread from data
      outscore plan --scores .871 .864 --n 1000       which p can it be?

    Effects are differences in the metric's own unit: .02 is 2 points of accuracy.
    """  # noqa: D301 - click wants the backspace itself: keep these lines as they are
    files = given_files(context, files)
    given = given_of(PlanRequest.options(), asked)
    if files and "pilot" not in given:
        raise OutscoreError(f"`{files[0]}` was named without --pilot.", "Write --pilot before the files to plan from.")
    pilot = [*given.pop("pilot", []), *files]
    request = PlanRequest.from_written({**given, "pilot": pilot})
    check_plan_outputs(outputs, charts, pilot)
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.plan.run import run

    with terminal_progress() as progress:
        found = run(request, progress=progress)
    deliver(found, form, outputs, charts, verbose=verbose)


def check_plan_outputs(outputs: Iterable[str], charts: str | None, inputs: Iterable[str]) -> None:
    """Refuse what could not be written before any work is done."""
    check_suffixes(outputs, SUFFIXES)
    check_outputs(outputs, charts, inputs)

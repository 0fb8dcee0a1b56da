"""`outscore show`: what logs hold, before anything is chosen."""

from __future__ import annotations

from typing import Any

import click

from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import check_outputs, deliver
from outscore.workflows.requests.show import ShowRequest

__all__ = ["show"]


@click.command()
@click.argument("files", nargs=-1, metavar="LOG ...")
@declared_options(ShowRequest.options(), without=ShowRequest.positional)
@output_options()
@click.pass_context
def show(
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
    """List what logs of evaluation harnesses hold.

    Tasks, systems, scores, filters, items, repeats, and rows without a score, of files and folders.
    """
    given = given_of(ShowRequest.options(), asked)
    request = ShowRequest.from_written({**given, "files": given_files(context, files)})
    check_outputs(outputs, charts, request.inputs)
    from outscore.workflows.show.run import run

    deliver(run(request), form, outputs, charts, verbose=verbose)

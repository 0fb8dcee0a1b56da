"""`outscore gate`: may a candidate replace a baseline? The exit code answers: 0 pass, 1 fail, 3 inconclusive."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import changed_inputs, saved_inputs
from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import FORMS, check_outputs, deliver
from outscore.cli.progress import working
from outscore.core.errors import OutscoreError
from outscore.workflows.requests.gate import GateRequest

if TYPE_CHECKING:
    from outscore.results.gate import GateResult

__all__ = ["gate"]

GITHUB = "github"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Where GitHub names the file that a step's summary is added to."""


@click.command()
@click.argument("files", nargs=-1, metavar="BASELINE CANDIDATE | TABLE")
@declared_options(GateRequest.options(), without=GateRequest.positional)
@output_options(verbose="Show the whole comparison too.", forms=(*FORMS, GITHUB, "junit"))
@click.pass_context
def gate(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per declared option
) -> int:
    """Let a candidate pass that is not worse than the baseline by more than a margin.

    Exit code 0: pass, not worse by the margin. 1: fail, worse. 3: inconclusive, with the number of items that would decide. 2:
    bad input. Files are those of `outscore compare`: tables, bare numbers, logs, texts with --reference.
    """
    given = given_of(GateRequest.options(), asked)
    request = GateRequest.from_written({**given, "files": given_files(context, files)})
    check_outputs(outputs, charts, request.inputs)
    with working("comparing"):
        from outscore.workflows.gate.run import run

        found = run(request)
    notes = changed_inputs(saved_inputs(context), found.settings["inputs"])
    found = replace(found, notes=[*found.notes, *notes])
    if form == GITHUB:
        _add_summary(found)
    deliver(found, form, outputs, charts, verbose=verbose)
    return found.exit_code


def _add_summary(found: GateResult) -> None:
    """Add the report to the summary of the step, where one is asked for."""
    from outscore.report.render import render

    path = os.environ.get(STEP_SUMMARY)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - added to, not replaced
            file.write(render(found, "markdown"))
    except OSError as error:
        raise OutscoreError(
            f"The step summary `{path}` could not be written: {error.strerror or error}.", f"Unset {STEP_SUMMARY}."
        ) from None

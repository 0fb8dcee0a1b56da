"""`outscore gate`: may a candidate replace a baseline? The exit code answers: 0 pass, 1 fail, 3 inconclusive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from outscore.cli.declared import Asked, command
from outscore.cli.output import FORMS
from outscore.core.errors import OutscoreError
from outscore.results.files import write_files
from outscore.workflows.requests.gate import GateRequest

if TYPE_CHECKING:
    from outscore.results.gate import GateResult

GITHUB = "github"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file of a step's summary."""


@command(
    GateRequest,
    click.option("--update", is_flag=True, help="Write the candidate's scores to --baseline-file, after the comparison."),
    verbose="Show the whole comparison too.",
    forms=(*FORMS, GITHUB, "comment", "junit"),
)
def gate(asked: Asked[GateRequest]) -> int:
    """Pass or fail a candidate against a baseline, for CI.

    A candidate passes if it is shown not to be worse than the baseline by a margin.

    Exit code 0: pass, not worse by the margin. 1: fail, worse. 3: inconclusive, with the number of items that would decide. 2:
    bad input. 70: an error in outscore. 130: interrupted.

    Files are those of `outscore compare`: tables, bare numbers, logs, texts with --reference. With --baseline-file, scores that
    are kept beside the code are the baseline, and --update writes those of the candidate in their place.
    """
    further: dict[str, str | bytes] = {}
    with asked.working("comparing"):
        from outscore.workflows.gate import run, run_and_keep

        if asked.own["update"]:
            found, kept = run_and_keep(asked.request)
            further = {str(asked.request.baseline_file): kept}
        else:
            found = run(asked.request)
    if found is None:
        write_files(further)
        click.echo(f"Wrote {asked.request.baseline_file}; there was nothing to compare with.")
        return 0
    result = asked.with_changes(found)
    if asked.form == GITHUB:
        _add_summary(result)
    asked.deliver(result, further)
    return result.exit_code


def _add_summary(result: GateResult) -> None:
    """Add the report to the summary of the step, if GitHub wants one."""
    from outscore.report.render import render

    path = os.environ.get(STEP_SUMMARY)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - added to, not replaced
            file.write(render(result, "markdown"))
    except OSError as error:
        raise OutscoreError(
            f"The step summary `{path}` could not be written: {error.strerror or error}.", f"Unset {STEP_SUMMARY}."
        ) from None

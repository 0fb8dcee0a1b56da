"""`outscore score`: one system or several, each by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from outscore.cli.config import changed_inputs, saved_inputs
from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import check_outputs, deliver
from outscore.cli.progress import working
from outscore.workflows.requests.score import ScoreRequest

__all__ = ["score"]


@click.command()
@click.argument("files", nargs=-1, metavar="FILE ...")
@declared_options(ScoreRequest.options(), without=ScoreRequest.positional)
@output_options(verbose="Show the settings too.")
@click.pass_context
def score(
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
    """Score systems one by one.

    How sure is each score, and what can the test set tell? FILE is a table of one system or several (CSV, TSV, JSONL, Parquet),
    bare numbers, or a log or folder of logs; FILES are one for each system. With repeats the report has the noise floor: how
    far two runs of the same system differ.
    """
    given = given_of(ScoreRequest.options(), asked)
    request = ScoreRequest.from_written({**given, "files": given_files(context, files)})
    check_outputs(outputs, charts, request.inputs)
    with working("scoring"):
        from outscore.workflows.score.run import run

        found = run(request)
    notes = changed_inputs(saved_inputs(context), found.settings["inputs"])
    deliver(replace(found, notes=[*found.notes, *notes]), form, outputs, charts, verbose=verbose)

"""`outscore prefer`: battles between systems, and who is preferred to whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from outscore.cli.config import changed_inputs, saved_inputs
from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import check_outputs, deliver
from outscore.workflows.requests.prefer import PreferRequest

__all__ = ["prefer"]


@click.command()
@click.argument("files", nargs=-1, metavar="BATTLES ...")
@declared_options(PreferRequest.options(), without=PreferRequest.positional)
@output_options()
@click.pass_context
def prefer(
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
    """Battles: who is preferred to whom, with the prompt as what is drawn anew.

    BATTLES are files, or folders of files: a table with columns such as prompt, model_a, model_b and winner, an export of
    Chatbot Arena, judgments of Arena-Hard or MT-bench, annotations of AlpacaEval. - is standard input.

    Two systems get a win rate, three or more also strengths and places.
    """
    given = given_of(PreferRequest.options(), asked)
    request = PreferRequest.from_written({**given, "files": given_files(context, files)})
    check_outputs(outputs, charts, request.inputs)
    from outscore.workflows.prefer.run import run

    found = run(request)
    notes = changed_inputs(saved_inputs(context), found.settings["inputs"])
    deliver(replace(found, notes=[*found.notes, *notes]), form, outputs, charts, verbose=verbose)

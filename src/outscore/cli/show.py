"""`outscore show` and `outscore convert`: the contents of files, and logs of any harness in the common format."""

from __future__ import annotations

from typing import Any

import click

from outscore.cli.declared import Asked, command, config_option, declared_options, given_files, given_of, of_files
from outscore.core.brief import count_of
from outscore.workflows.requests.show import ConvertRequest, ShowRequest

# `outscore show`: the contents of logs, before anything is chosen.


@command(ShowRequest)
def show(asked: Asked[ShowRequest]) -> None:
    """List what files contain and how they would be read.

    Logs: tasks, systems, scores, filters, items, repeats and rows without a score. Tables, bare numbers, texts, battles, words
    and trees: what each column was taken for, and why. Files that cannot be read are listed with the reason. The commands at
    the end can be run as they are.
    """
    with asked.working("reading"):
        from outscore.workflows.show.run import run

        logs = run(asked.request)
    asked.deliver(logs)


# `outscore convert`: logs of any harness in the common format.


@click.command()
@click.argument("files", nargs=-1, metavar="LOG ...", shell_complete=of_files)
@declared_options(ConvertRequest.options(), without=ConvertRequest.positional)
@click.option(
    "-o", "--output", required=True, metavar="NAME_samples.jsonl", help="The file to write; NAME.json is written beside it."
)
@config_option
@click.pass_context
def convert(context: click.Context, /, files: tuple[str, ...], output: str, **asked: Any) -> None:  # noqa: ANN401 - declared
    """Write logs of evaluation harnesses as Every Eval Ever.

    One line per item and score, with the totals in a second file.
    """
    written = given_of(ConvertRequest.options(), asked)
    request = ConvertRequest.from_written({**written, "files": given_files(context, files)})
    from outscore.formats.logs.every_eval_ever import aggregate_path
    from outscore.workflows.convert import run

    evaluations = run(request, output).evaluations
    rows = count_of(sum(evaluation.rows for evaluation in evaluations), "row")
    click.echo(f"Wrote {output} and {aggregate_path(output)}: {rows} from {count_of(len(evaluations), 'evaluation')}.")

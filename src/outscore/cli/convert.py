"""`outscore convert`: logs of any harness in the common format."""

from __future__ import annotations

import click

from outscore.cli.output import check_further, write_files
from outscore.core.brief import count_of
from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean

__all__ = ["convert"]


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG ...")
@click.option(
    "-o", "--output", required=True, metavar="NAME_samples.jsonl", help="The file to write; NAME.json stands beside it."
)
@click.option("--reader", default="auto", show_default=True, metavar="FORMAT", help="A format of logs from `outscore formats`.")
def convert(logs: tuple[str, ...], output: str, reader: str) -> None:
    """Write logs of evaluation harnesses as Every Eval Ever: a line per item and score, and the totals beside it."""
    from outscore.formats.logs.export import aggregate, sample_lines
    from outscore.formats.logs.find import read_logs
    from outscore.formats.logs.harnesses.every_eval_ever import ENDING, aggregate_path
    from outscore.formats.logs.registry import LOGS

    if reader != "auto" and reader not in LOGS:
        raise OutscoreError(f"There is no format of logs `{reader}`.", did_you_mean(reader, LOGS), parameter="reader")
    if not output.endswith(ENDING):
        raise OutscoreError(f"`{output}` is no name of a file of samples.", f"Name a file that ends in {ENDING}.")
    totals = str(aggregate_path(output))
    check_further(output, logs, option="--output", ending=".jsonl", holds="JSON lines")
    check_further(totals, logs, option="--output", ending=".json", holds="JSON")
    found = read_logs(logs, None if reader == "auto" else reader)
    write_files({output: b"".join(sample_lines(found)), totals: aggregate(found)})
    rows = sum(one.rows for one in found)
    click.echo(f"Wrote {output} and {totals}: {count_of(rows, 'row')} of {count_of(len(found), 'evaluation')}.")

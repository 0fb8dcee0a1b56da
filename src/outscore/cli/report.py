"""`outscore report`: a saved result, rendered again."""

from __future__ import annotations

import sys

import click

from outscore.cli.completion import of_files
from outscore.cli.declared import output_options
from outscore.cli.output import FORMS, check_outputs, deliver
from outscore.core.errors import OutscoreError


@click.command()
@click.argument("saved", metavar="RESULT.json", shell_complete=of_files)
@output_options(config=False, forms=(*FORMS, "comment"))
def report(saved: str, form: str, outputs: tuple[str, ...], charts: str | None, *, verbose: bool) -> None:
    """Render a saved result again.

    RESULT.json is a result of any command that was saved with -o RESULT.json; - reads standard input.
    """
    from outscore.results.diff import Diff
    from outscore.results.saved import as_document, parse, read_saved, refuse_inconsistent

    check_outputs(outputs, charts, [saved])
    result = as_document(parse(sys.stdin.buffer.read(), "stdin") if saved == "-" else read_saved(saved), saved)
    if charts is not None and isinstance(result, Diff) and not result.pairs:
        raise OutscoreError("A diff of one system has no charts.", "Leave --charts out.")
    with refuse_inconsistent(saved):
        deliver(result, form, outputs, charts, verbose=verbose)

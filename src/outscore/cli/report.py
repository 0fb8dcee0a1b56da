"""`outscore report`: a saved result, rendered again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from outscore.cli.declared import output_options
from outscore.cli.output import check_outputs, check_suffixes, show, write_all
from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results.saved import Document

__all__ = ["report"]


@click.command()
@click.argument("saved", metavar="RESULT.json")
@output_options(config=False)
def report(saved: str, form: str, outputs: tuple[str, ...], charts: str | None, *, verbose: bool) -> None:
    """Render a comparison, a ranking, a diff or a plan saved with -o result.json again; - reads standard input."""
    from outscore.results.saved import as_document, load, parse, refuse_inconsistent

    check_outputs(outputs, charts, [saved])
    result = as_document(parse(sys.stdin.buffer.read(), "stdin") if saved == "-" else load(saved), saved)
    with refuse_inconsistent(saved):
        _deliver(result, form, outputs, charts, verbose=verbose)


def _deliver(result: Document, form: str, outputs: tuple[str, ...], charts: str | None, *, verbose: bool) -> None:
    from outscore.results.comparison import Comparisons
    from outscore.results.ranking import Ranking

    if isinstance(result, (Comparisons, Ranking)):
        write_all(result, outputs, charts, verbose=verbose)
        show(result, form, verbose=verbose)
        return
    from outscore.results.diff import Diff

    if isinstance(result, Diff):
        from outscore.cli.diff import deliver as deliver_diff

        if charts is not None and not result.pairs:
            raise OutscoreError("A diff of one system has no charts.", "Leave --charts out.")
        deliver_diff(result, None, form, outputs, {"verbose": verbose}, charts=charts)
    else:
        from outscore.cli.output import deliver

        check_suffixes(outputs)
        deliver(result, form, outputs, charts, verbose=verbose)

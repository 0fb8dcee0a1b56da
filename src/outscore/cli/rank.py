"""`outscore rank`: many systems, and which of their differences are real."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import Saved, changed_inputs, saved_inputs
from outscore.cli.output import check_further, check_outputs, show, write_all, write_files
from outscore.cli.rank_request import RankRequest
from outscore.cli.request import COLUMNS, metric_option
from outscore.cli.shared import given_columns, given_files, output_options, shared

if TYPE_CHECKING:
    from outscore.workflows.rank.boards import Ranked

__all__ = ["rank"]

TASKS = ("label", "pos", "dep", "ner")


@click.command()
@click.argument("files", nargs=-1, metavar="TABLE | FILES ...")
@metric_option
@shared("one-test", "set", "method", "alpha")
@click.option("--correction", default="holm", show_default=True, metavar="NAME", help="For the number of pairs.")
@click.option("--baseline", metavar="NAME", help="Compare every system with this one only.")
@click.option("--critical-difference", is_flag=True, help="Also Friedman's test and Nemenyi's critical difference.")
@shared("unit-size", "unit-statistic", "shuffle", "resamples", "seed")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Rank these systems only; may be repeated.")
@shared("item", "score", "system-column", "cluster", "repeat", "dataset")
@click.option(
    "--duplicates",
    type=click.Choice(("mean", "first", "last", "stop")),
    default="mean",
    show_default=True,
    help="Rows of one item that contradict each other.",
)
@shared("reader", "reference", "documents")
@click.option("--task", type=click.Choice(TASKS), help="Outputs: what the files hold; needs --gold.")
@click.option("--gold", metavar="FILE", help="Outputs: the right answers.")
@click.option("--names", metavar="A,B,...", help="What to call the systems.  [default: header or file names]")
@click.option("--jobs", type=int, default=0, help="Processes that work.  [default: one per processor]")
@click.option("--dask", metavar="ADDRESS|local", help="Work on a Dask cluster, or on one made on this machine.")
@click.option("--pairs", metavar="FILE.parquet", help="Also write every pair of every dataset as a table.")
@output_options()
@click.pass_context
def rank(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per option above
) -> None:
    """Rank many systems: all pairs tested, corrected, and grouped.

    TABLE is one file with all systems (CSV, TSV, JSONL, Parquet: a column per system, or item, system, score). FILES are one
    file for each system or one for each dataset, named one by one or by a quoted pattern. A folder or a pattern of Parquet
    files is one table in parts, of any size. - is standard input.

    With --reference, FILES are texts, one for each system; with --gold and --task, outputs.
    """
    files = given_files(context, files)
    asked["names"] = () if asked["names"] is None else tuple(name.strip() for name in asked["names"].split(","))
    pairs = asked.pop("pairs")
    request = RankRequest(files, columns=given_columns(asked, [name for name in COLUMNS if name != "slice"]), **asked)
    request.check()
    check_outputs(outputs, charts, request.files)
    if pairs is not None:
        check_further(pairs, request.files, option="--pairs", ending=".parquet", holds="a Parquet table")
    found = _ranked(request, saved_inputs(context))
    # Files first: a closed pipe must not cost the saved result.
    write_all(found.ranking, outputs, charts, verbose=verbose)
    if pairs is not None:
        _write_pairs(found, request, pairs)
    show(found.ranking, form, verbose=verbose)


def _ranked(request: RankRequest, saved: Saved | None) -> Ranked:
    from outscore.cli.rank_sources import ranked
    from outscore.engine.engines import engine_of, open_engine
    from outscore.engine.progress import terminal_progress

    with terminal_progress() as progress, open_engine(engine_of(request.jobs, dask=request.dask)) as engine:
        found = ranked(request, engine, progress)
    ranking = found.ranking
    notes = changed_inputs(saved, ranking.settings["inputs"])
    return replace(found, ranking=replace(ranking, notes=[*ranking.notes, *notes]))


def _write_pairs(found: Ranked, request: RankRequest, path: str) -> None:
    import io

    from outscore.workflows.rank.boards import pairs_frame

    table = pairs_frame(found.measured, request.question)
    content = io.BytesIO()
    table.write_parquet(content)
    write_files({path: content.getvalue()})
    if sys.stderr.isatty():
        click.echo(f"{table.height:,} pairs are in `{path}`.", err=True)

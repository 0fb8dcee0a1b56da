"""`outscore rank`: many systems, and which of their differences are real."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import Saved, changed_inputs, saved_inputs
from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import check_further, check_outputs, check_segments, segments_csv, show, write_all, write_files
from outscore.cli.progress import remark
from outscore.workflows.requests.rank import RankRequest

if TYPE_CHECKING:
    from outscore.workflows.rank.boards import Ranked

__all__ = ["rank"]


@click.command()
@click.argument("files", nargs=-1, metavar="TABLE | FILES ...")
@declared_options(RankRequest.options(), without=RankRequest.positional)
@click.option("--jobs", type=int, default=0, help="Number of worker processes.  [default: one per processor]")
@click.option("--dask", metavar="ADDRESS|local", help="Run on a Dask cluster, or on one started on this machine.")
@click.option("--pairs", metavar="FILE.parquet", help="Also write every pair of every dataset as a table.")
@click.option("--segments", metavar="FILE.csv", help="Texts: also write the score of every segment by every metric.")
@output_options()
@click.pass_context
def rank(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    jobs: int,
    dask: str | None,
    pairs: str | None,
    segments: str | None,
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per declared option
) -> None:
    """Rank many systems: all pairs tested, corrected, and grouped.

    TABLE is one file with all systems (CSV, TSV, JSONL, Parquet: a column per system, or item, system, score). FILES are one
    file for each system or one for each dataset, named one by one or by a quoted pattern. A folder or a pattern of Parquet
    files is one table in parts, of any size. - is standard input.

    With --reference, FILES are texts, one for each system; with --gold and --task, outputs.
    """
    files = given_files(context, files)
    request = RankRequest.from_written({**given_of(RankRequest.options(), asked), "files": files})
    check_outputs(outputs, charts, request.inputs)
    if pairs is not None:
        check_further(pairs, request.inputs, option="--pairs", ending=".parquet", holds="a Parquet table")
    check_segments(segments, request.inputs, texts=bool(request.reference))
    found = _rank(request, jobs, dask, saved_inputs(context))
    # Files first: a closed pipe must not cost the saved result.
    write_all(found.ranking, outputs, charts, verbose=verbose)
    if pairs is not None:
        _write_pairs(found, request, pairs)
    if segments is not None and found.segments is not None:
        write_files({segments: segments_csv(found.segments())})
    show(found.ranking, form, verbose=verbose)


def _rank(request: RankRequest, jobs: int, dask: str | None, saved: Saved | None) -> Ranked:
    from outscore.engine.engines import engine_of, open_engine
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.rank.run import run_measured

    with terminal_progress() as progress, open_engine(engine_of(jobs, dask=dask)) as engine:
        found = run_measured(request, engine=engine, progress=progress, remark=remark)
    ranking = found.ranking
    notes = changed_inputs(saved, ranking.settings["inputs"])
    return replace(found, ranking=replace(ranking, notes=[*ranking.notes, *notes]))


def _write_pairs(found: Ranked, request: RankRequest, path: str) -> None:
    import io

    from outscore.workflows.rank.boards import pairs_frame
    from outscore.workflows.rank.question import Question

    table = pairs_frame(found.measured, Question(**request.question()))
    content = io.BytesIO()
    table.write_parquet(content)
    write_files({path: content.getvalue()})
    if sys.stderr.isatty():
        click.echo(f"{table.height:,} pairs are in `{path}`.", err=True)

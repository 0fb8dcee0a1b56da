"""`outscore compare`: two systems, one verdict."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import Saved, changed_inputs, saved_inputs
from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import check_outputs, check_segments, segments_csv, show, write_all, write_files
from outscore.cli.progress import remark, working
from outscore.workflows.requests.compare import CompareRequest, TextsRequest, comparison_request, every_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from outscore.results.comparison import Comparisons
    from outscore.workflows.texts.segments import SegmentScores

__all__ = ["compare"]


@click.command()
@click.argument("files", nargs=-1, metavar="A [B] | TABLE")
@declared_options(every_option(), without=CompareRequest.positional)
@click.option(
    "--jobs", type=int, default=0, help="Texts: number of processes that compute statistics.  [default: one per processor]"
)
@click.option("--segments", metavar="FILE.csv", help="Texts: also write the score of every segment by every metric.")
@output_options()
@click.pass_context
def compare(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    jobs: int,
    segments: str | None,
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per declared option
) -> None:
    """Compare two systems item by item.

    A alone is a table (CSV, TSV, JSONL, Parquet: a column per system, or item, system, score), a file with two columns (a score
    of each system per line) or four (counts tp, errors of A, then of B). A and B are one file for each system. - is standard
    input.

    With --reference, A and B are texts of one segment per line, or quoted patterns of several runs, and --metric names text
    metrics: bleu,chrf,ter.
    """
    files = given_files(context, files)
    request = comparison_request({**given_of(every_option(), asked), "files": files})
    check_outputs(outputs, charts, request.inputs)
    typing = "-" in files and sys.stdin.isatty()
    texts = isinstance(request, TextsRequest)
    check_segments(segments, request.inputs, texts=texts)
    # Texts have a bar of their own, and a terminal shows one at a time.
    with nullcontext() if typing or texts else working("comparing"):
        result, scores = _compare(request, jobs, saved_inputs(context))
        # Files first: a closed pipe must not cost the saved result.
        write_all(result, outputs, charts, verbose=verbose)
        if segments is not None and scores is not None:
            write_files({segments: segments_csv(scores())})
    show(result, form, verbose=verbose)


def _compare(
    request: CompareRequest | TextsRequest, jobs: int, saved: Saved | None
) -> tuple[Comparisons, Callable[[], SegmentScores] | None]:
    """The result, and of texts what makes the scores of all segments."""
    if isinstance(request, TextsRequest):
        from outscore.engine.engines import engine_of
        from outscore.engine.progress import terminal_progress
        from outscore.workflows.texts.run import run_scored

        with terminal_progress() as progress:
            found, scores = run_scored(request, engine=engine_of(jobs), progress=progress, remark=remark)
        changes = changed_inputs(saved, found.settings["inputs"], whole=True)
        return replace(found, comparisons=[replace(c, notes=[*c.notes, *changes]) for c in found.comparisons]), scores
    from outscore.workflows.compare.run import run

    found = run(request)
    first, *others = found.comparisons
    first = replace(first, notes=[*first.notes, *changed_inputs(saved, found.settings["inputs"])])
    return replace(found, comparisons=[first, *others]), None

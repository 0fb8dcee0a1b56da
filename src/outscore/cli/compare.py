"""`outscore compare`: two systems, one verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from outscore.cli.declared import Asked, changed_inputs, command
from outscore.cli.output import remark
from outscore.core.errors import OutscoreError
from outscore.results.files import check_further
from outscore.workflows.requests.compare import (
    CompareRequest,
    ComparisonRequest,
    TextsRequest,
    comparison_request,
    every_option,
)

if TYPE_CHECKING:
    from outscore.results.comparison import Comparisons


@command(
    ComparisonRequest,
    click.option(
        "--jobs", type=int, default=0, help="Texts: number of processes that compute statistics.  [default: one per processor]"
    ),
    click.option("--segments", metavar="FILE.csv", help="Texts: also write the score of every segment by every metric."),
    click.option("--units", metavar="FILE.csv", help="Also write the evaluation units: their scores and items."),
    options=every_option(),
    read=comparison_request,
)
def compare(asked: Asked[ComparisonRequest]) -> None:
    """Compare two systems item by item.

    A alone is a table (CSV, TSV, JSONL, Parquet: a column per system, or item, system, score), a file with two columns (a score
    of each system per line) or four (counts tp, errors of A, then of B). A and B are one file for each system. - is standard
    input.

    With --reference, A and B are texts of one segment per line, or quoted patterns of several runs, and --metric names text
    metrics: bleu,chrf,ter.
    """
    request = asked.request
    if asked.own["segments"] is not None:
        from outscore.workflows.texts.members import check_segments

        check_segments(asked.own["segments"], request.inputs, texts=isinstance(request, TextsRequest))
    if asked.own["units"] is not None:
        _check_units(asked.own["units"], request)
    if isinstance(request, TextsRequest):
        _compare_texts(request, asked)
        return
    assert isinstance(request, CompareRequest)
    with asked.working("comparing"):
        from outscore.workflows.compare.run import run

        results = run(request)
    first, *others = results.comparisons
    first = replace(first, notes=[*first.notes, *changed_inputs(asked.saved, results.settings["inputs"])])
    asked.deliver(replace(results, comparisons=[first, *others]), _units(results, asked))


def _check_units(path: str, request: ComparisonRequest) -> None:
    """Refuse a file of units that cannot be written, or that is asked for without units."""
    if request.unit_size == 1:
        raise OutscoreError(
            "--units writes evaluation units, but every item is a unit.",
            "Give their size with --unit-size, or leave --units out.",
            parameter="units",
        )
    check_further(path, request.inputs, option="--units", ending=".csv", holds="a table of units")


def _units(results: Comparisons, asked: Asked[ComparisonRequest]) -> dict[str, str | bytes]:
    """The file of units, if it was asked for."""
    path = asked.own["units"]
    return {} if path is None else {path: results.units_to_csv()}


def _compare_texts(request: TextsRequest, asked: Asked[ComparisonRequest]) -> None:
    """Texts have a bar of their own, and scores of segments to write."""
    from outscore.engine.engines import engine_of
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.texts.run import run_scored

    with terminal_progress() as progress:
        results, scores = run_scored(request, engine=engine_of(asked.own["jobs"]), progress=progress, remark=remark)
    changes = changed_inputs(asked.saved, results.settings["inputs"], whole=True)
    noted = [replace(c, notes=[*c.notes, *changes]) for c in results.comparisons]
    path = asked.own["segments"]
    further = {} if path is None else {path: scores().to_csv()}
    asked.deliver(replace(results, comparisons=noted), {**further, **_units(results, asked)})

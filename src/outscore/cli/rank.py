"""`outscore rank` and `outscore score`: many systems against each other, or each on its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from outscore.cli.declared import Asked, command
from outscore.cli.output import remark
from outscore.core.errors import OutscoreError, require_polars
from outscore.results.files import check_further
from outscore.workflows.requests.rank import RankRequest, ScoreRequest

if TYPE_CHECKING:
    import polars as pl

    from outscore.workflows.rank.panels import Ranked


# `outscore rank`: many systems, and which of their differences are real.


@command(
    RankRequest,
    click.option("--jobs", type=int, default=0, help="Number of worker processes.  [default: one per processor]"),
    click.option("--dask", metavar="ADDRESS|local", help="Run on a Dask cluster, or on one started on this machine."),
    click.option("--pairs", metavar="FILE.parquet", help="Also write every pair of every dataset as a table."),
    click.option("--segments", metavar="FILE.csv", help="Texts: also write the score of every segment by every metric."),
    click.option("--items", metavar="FILE.csv", help="Also write which items decide: dead, discriminating, suspicious."),
)
def rank(asked: Asked[RankRequest]) -> None:
    """Rank many systems: all pairs tested, corrected, and grouped.

    TABLE is one file with all systems (CSV, TSV, JSONL, Parquet: a column per system, or item, system, score). FILES are one
    file for each system or one for each dataset, named one by one or by a quoted pattern. A folder or a pattern of Parquet
    files is one table in parts, of any size. - is standard input.

    With --reference, FILES are texts, one for each system; with --gold and --task, outputs.
    """
    request, pairs, segments, items = asked.request, *(asked.own[name] for name in ("pairs", "segments", "items"))
    if items is not None:
        check_further(items, request.inputs, option="--items", ending=".csv", holds="a table")
    if pairs is not None:
        check_further(pairs, request.inputs, option="--pairs", ending=".parquet", holds="a Parquet table")
        require_polars("write pairs as a Parquet table")
    if segments is not None:
        from outscore.workflows.texts.members import check_segments

        check_segments(segments, request.inputs, texts=bool(request.reference))
    ranked = _rank(request, asked.own["jobs"], asked.own["dask"])
    further: dict[str, str | bytes] = {}
    table = None if pairs is None else _pairs(ranked, request)
    if table is not None:
        further[pairs] = _parquet(table)
    if segments is not None and ranked.segments is not None:
        further[segments] = ranked.segments().to_csv()
    if items is not None:
        further[items] = _items(ranked)
    asked.deliver(asked.with_changes(ranked.ranking), further)
    if table is not None and sys.stderr.isatty():
        click.echo(f"{table.height:,} pairs are in `{pairs}`.", err=True)


def _rank(request: RankRequest, jobs: int, dask: str | None) -> Ranked:
    from outscore.engine.engines import engine_of, open_engine
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.rank.run import run_measured

    with terminal_progress() as progress, open_engine(engine_of(jobs, dask=dask)) as engine:
        return run_measured(request, engine=engine, progress=progress, remark=remark)


def _items(ranked: Ranked) -> str:
    from outscore.report.render import table_text
    from outscore.workflows.rank.items import COLUMNS

    if ranked.items is None:
        raise OutscoreError("--items needs a score for each item, but here there is none.", "Leave --items out.")
    return table_text(COLUMNS, (row for one in ranked.items for row in one.rows()))


def _pairs(ranked: Ranked, request: RankRequest) -> pl.DataFrame:
    from outscore.workflows.rank.question import Question
    from outscore.workflows.rank.standings import pairs_frame

    return pairs_frame(ranked.measured, Question(**request.question()))


def _parquet(table: pl.DataFrame) -> bytes:
    import io

    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


# `outscore score`: one system or several, each on its own.


@command(ScoreRequest, verbose="Show the settings too.")
def score(asked: Asked[ScoreRequest]) -> None:
    """Score systems individually.

    How certain is each score, and what can the test set show? FILE is a table of one system or several (CSV, TSV, JSONL,
    Parquet), bare numbers, or a log or folder of logs; FILES are one for each system. With repeats, the report includes the
    noise floor: how much two runs of the same system differ. With --reference, FILES are texts.
    """
    with asked.working("scoring"):
        from outscore.workflows.score.run import run

        result = run(asked.request)
    asked.deliver(asked.with_changes(result))

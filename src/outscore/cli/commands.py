"""The commands that answer a question about files: each hands its request to a workflow and delivers the result."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli import declared
from outscore.cli.output import FORMS, remark
from outscore.core.errors import OutscoreError, require_polars
from outscore.core.records import count_of
from outscore.results.files import check_further, csv_text, form_of_file, write_files
from outscore.workflows.requests.base import Written
from outscore.workflows.requests.compare import (
    CompareRequest,
    ComparisonRequest,
    TextsRequest,
    comparison_request,
    every_option,
)
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.gate import GateRequest
from outscore.workflows.requests.plan import PlanRequest
from outscore.workflows.requests.prefer import PreferRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.requests.show import ConvertRequest, ShowRequest

if TYPE_CHECKING:
    import polars as pl

    from outscore.results.comparison import Comparisons
    from outscore.results.gate import GateResult
    from outscore.workflows.diff.pair import Study
    from outscore.workflows.diff.run import Depth
    from outscore.workflows.rank.panels import Ranked


# `outscore compare`: two systems, one verdict.


@declared.command(
    ComparisonRequest,
    click.option(
        "--jobs", type=int, default=0, help="Texts: number of processes that compute statistics.  [default: one per processor]"
    ),
    click.option("--segments", metavar="FILE.csv", help="Texts: also write the score of every segment by every metric."),
    click.option("--units", metavar="FILE.csv", help="Also write the evaluation units: their scores and items."),
    options=every_option(),
    read=comparison_request,
)
def compare(asked: declared.Asked[ComparisonRequest]) -> None:
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

        results = run(request, screen=asked.on_screen and asked.own["units"] is None)
    first, *others = results.comparisons
    first = replace(first, notes=[*first.notes, *declared.changed_inputs(asked.saved, results.settings["inputs"])])
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


def _units(results: Comparisons, asked: declared.Asked[ComparisonRequest]) -> dict[str, str | bytes]:
    """The file of units, if it was asked for."""
    path = asked.own["units"]
    return {} if path is None else {path: results.units_to_csv()}


def _compare_texts(request: TextsRequest, asked: declared.Asked[ComparisonRequest]) -> None:
    """Texts have a bar of their own, and scores of segments to write."""
    from outscore.engine.engines import engine_of
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.texts.run import run_scored

    with terminal_progress() as progress:
        results, scores = run_scored(request, engine=engine_of(asked.own["jobs"]), progress=progress, remark=remark)
    changes = declared.changed_inputs(asked.saved, results.settings["inputs"], whole=True)
    noted = [replace(c, notes=[*c.notes, *changes]) for c in results.comparisons]
    path = asked.own["segments"]
    further = {} if path is None else {path: scores()}
    asked.deliver(replace(results, comparisons=noted), {**further, **_units(results, asked)})


# `outscore rank`: many systems, and which of their differences are real.


@declared.command(
    RankRequest,
    click.option("--jobs", type=int, default=0, help="Number of worker processes.  [default: one per processor]"),
    click.option("--dask", metavar="ADDRESS|local", help="Run on a Dask cluster, or on one started on this machine."),
    click.option("--pairs", metavar="FILE.parquet", help="Also write every pair of every dataset as a table."),
    click.option("--segments", metavar="FILE.csv", help="Texts: also write the score of every segment by every metric."),
    click.option("--items", metavar="FILE.csv", help="Also write which items decide: dead, discriminating, suspicious."),
)
def rank(asked: declared.Asked[RankRequest]) -> None:
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
        further[segments] = ranked.segments()
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
    from outscore.inference.leaderboard import ITEM_COLUMNS, item_rows

    if ranked.items is None:
        raise OutscoreError("--items needs a score for each item, but here there is none.", "Leave --items out.")
    return csv_text(ITEM_COLUMNS, item_rows(ranked.items))


def _pairs(ranked: Ranked, request: RankRequest) -> pl.DataFrame:
    from outscore.workflows.question import Question
    from outscore.workflows.rank.standings import pairs_frame

    return pairs_frame(ranked.measured, Question(**request.asked()))


def _parquet(table: pl.DataFrame) -> bytes:
    import io

    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


# `outscore score`: one system or several, each on its own.


@declared.command(ScoreRequest, verbose="Show the settings too.")
def score(asked: declared.Asked[ScoreRequest]) -> None:
    """Score systems individually.

    How certain is each score, and what can the test set show? FILE is a table of one system or several (CSV, TSV, JSONL,
    Parquet), bare numbers, or a log or folder of logs; FILES are one for each system. With repeats, the report includes the
    noise floor: how much two runs of the same system differ. With --reference, FILES are texts.
    """
    with asked.working("scoring"):
        from outscore.workflows.score.run import run

        result = run(asked.request)
    asked.deliver(asked.with_changes(result))


# `outscore gate`: may a candidate replace a baseline? The exit code answers: 0 pass, 1 fail, 3 inconclusive.


GITHUB = "github"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file of a step's summary."""


@declared.command(
    GateRequest,
    click.option("--update", is_flag=True, help="Write the candidate's scores to --baseline-file, after the comparison."),
    verbose="Show the whole comparison too.",
    forms=(*FORMS, GITHUB, "comment", "junit"),
)
def gate(asked: declared.Asked[GateRequest]) -> int:
    """Pass or fail a candidate against a baseline, for CI.

    A candidate passes if it is shown not to be worse than the baseline by a margin.

    Exit code 0: pass, not worse by the margin. 1: fail, worse. 3: inconclusive, with the number of items that would decide. 2:
    bad input. 70: an error in outscore. 130: interrupted.

    Files are those of `outscore compare`: tables, bare numbers, logs, texts with --reference. With --baseline-file, scores that
    are kept beside the code are the baseline, and --update writes those of the candidate in their place.
    """
    further: dict[str, str | bytes] = {}
    with asked.working("comparing"):
        from outscore.workflows.gate import run, run_and_keep

        if asked.own["update"]:
            found, kept = run_and_keep(asked.request)
            further = {str(asked.request.baseline_file): kept}
        else:
            found = run(asked.request)
    if found is None:
        write_files(further)
        click.echo(f"Wrote {asked.request.baseline_file}; there was nothing to compare with.")
        return 0
    result = asked.with_changes(found)
    if asked.form == GITHUB:
        _add_summary(result)
    asked.deliver(result, further)
    return result.exit_code


def _add_summary(result: GateResult) -> None:
    """Add the report to the summary of the step, if GitHub wants one."""
    from outscore.report.render import render

    path = os.environ.get(STEP_SUMMARY)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - added to, not replaced
            file.write(render(result, "markdown"))
    except OSError as error:
        raise OutscoreError(
            f"The step summary `{path}` could not be written: {error.strerror or error}.", f"Unset {STEP_SUMMARY}."
        ) from None


# `outscore diff`: what changed between systems' outputs, and whether it is real.


SORTS = ("evidence", "delta", "count")
TEXTS = {"text", "markdown", "latex"}
"""Forms that show tables; the others contain everything."""


@declared.command(
    DiffRequest,
    click.option(
        "--sort", type=declared.OneOf(SORTS), default="evidence", show_default=True, help="Order of the rows of a table."
    ),
    click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="Rows shown of each table."),
    click.option(
        "--table", "tables", multiple=True, metavar="KEY", help="Only this table: scores, pairs, transitions, labels ..."
    ),
    click.option("--changes", metavar="FILE.jsonl", help="Also write every changed unit as a line of JSON."),
    charts="Also write the charts of the first 15 pairs as SVG, PNG, PDF and CSV.",
    verbose="All rows, all criteria, settings.",
)
def diff(asked: declared.Asked[DiffRequest]) -> None:
    """Show what each system corrected, broke and changed.

    Each SYSTEM is compared with the one before it, and all of them with what they could do together.

    GOLD and every SYSTEM are files of the same kind: CoNLL-U or columns (pos, dep), BIO columns (ner), CSV, TSV or JSON lines
    with a label per item (label), CoNLL-2012 (coref). - is standard input. One table of labels may contain gold and all
    systems, in columns (id, gold, old, new) or in rows (id, system, prediction, gold).
    """
    request, changes, tables = asked.request, asked.own["changes"], asked.own["tables"]
    files, forms = request.inputs, {asked.form, *(form_of_file(path) for path in asked.outputs)}
    _check_tables(tables, forms)
    for option, value in (("--changes", changes), ("--charts", asked.charts)):
        if value is not None and len(files) == 2:
            raise OutscoreError(
                f"{option} needs two systems, but only one was named.", f"Name a second system, or leave {option} out."
            )
    if changes is not None:
        check_further(changes, files, option="--changes", ending=".jsonl", holds="lines of JSON")
    with asked.working("comparing"):
        from outscore.workflows.diff.run import run_study

        study, result = run_study(request, depth=_depth(tables, forms, verbose=asked.verbose))
        # Only a page shows examples, and they are costly to collect.
        examples = study.changed() if "html" in forms else None
        further = {} if changes is None else {changes: _changes(study)}
    shown = {"tables": tables, "top": asked.own["top"], "sort": asked.own["sort"], "examples": examples}
    asked.deliver(asked.with_changes(result), further, **shown)


def _check_tables(tables: Sequence[str], forms: set[str]) -> None:
    if not tables:
        return
    from outscore.report.build.diff import check_tables

    check_tables(tables)
    if not forms & TEXTS:
        raise OutscoreError("--table selects tables, but JSON contains all of them.", "Leave --table out.")


def _depth(tables: Sequence[str], forms: set[str], *, verbose: bool) -> Depth:
    """How much has to be computed: for tables alone, what they show."""
    from outscore.report.build.diff import depth_of

    return "all" if not tables or verbose or not forms <= TEXTS else depth_of(tables)


def _changes(study: Study) -> str:
    import json

    from outscore.outputs.outcomes import records

    changed, contexts = study.changed()
    lines = [json.dumps(record, ensure_ascii=False) for part in changed for record in records(part, contexts)]
    return "".join(f"{line}\n" for line in lines)


# `outscore prefer`: battles between systems, and who is preferred to whom.


@declared.command(
    PreferRequest,
    click.option("--jobs", type=int, default=0, help="Number of worker processes.  [default: one per processor]"),
    click.option("--dask", metavar="ADDRESS|local", help="Count Parquet on a Dask cluster, or on one started on this machine."),
)
def prefer(asked: declared.Asked[PreferRequest]) -> None:
    """Rank systems by preferences: pairwise battles and judges.

    Prompts are the sampling units: intervals and p-values are about new prompts like these.

    BATTLES are files, or folders of files: a table with columns such as prompt, model_a, model_b and winner, an export of
    Chatbot Arena, judgments of Arena-Hard or MT-bench, or annotations of AlpacaEval. - is standard input.

    Two systems get a win rate; three or more also get strengths and places. Parquet files may have any size.
    """
    from outscore.engine.engines import engine_of
    from outscore.engine.progress import terminal_progress

    engine = engine_of(asked.own["jobs"], dask=asked.own["dask"])
    with asked.working("comparing"), terminal_progress() as progress:
        from outscore.workflows.prefer.run import run

        result = run(asked.request, engine=engine, progress=progress)
    asked.deliver(asked.with_changes(result))


# `outscore plan`: how many items, how small a difference, how likely a verdict; and which p two printed scores allow.


def _with_pilot(written: Mapping[str, Written]) -> PlanRequest:
    """The request; files after those of --pilot also belong to the pilot."""
    files = tuple(written["files"])
    if files and "pilot" not in written:
        raise OutscoreError(f"`{files[0]}` was named without --pilot.", "Write --pilot before the files to plan from.")
    others = {name: text for name, text in written.items() if name != "files"}
    return PlanRequest.from_written({**others, "pilot": [*written.get("pilot", ()), *files]})


@declared.command(PlanRequest, read=_with_pilot, metavar="[FILE]", verbose="Show whole curves and settings too.")
def plan(asked: declared.Asked[PlanRequest]) -> None:
    """Plan a comparison: items needed, detectable difference, power.

    \b
      outscore plan --effect .02 --sd .3              how many items?
      outscore plan --n 1000 --discordance .1         how small a difference?
      outscore plan --effect .02 --accuracy .87       right-or-wrong items
      outscore plan --effect .02 --pilot a.txt b.txt  spread from data
      outscore plan --scores .871 .864 --n 1000       which p are possible?
      outscore plan --table printed.csv --n 1000      the same for every pair

    Effects are differences in the metric's own unit: .02 is 2 points of accuracy.
    """  # noqa: D301 - click wants the backspace itself: keep these lines as they are
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.plan.run import run

    with terminal_progress() as progress:
        result = run(asked.request, progress=progress)
    asked.deliver(asked.with_changes(result))


# `outscore show`: the contents of logs, before anything is chosen.


@declared.command(ShowRequest)
def show(asked: declared.Asked[ShowRequest]) -> None:
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
@click.argument("files", nargs=-1, metavar="LOG ...", shell_complete=declared.of_files)
@declared.declared_options(ConvertRequest.options(), without=ConvertRequest.positional)
@click.option(
    "-o", "--output", required=True, metavar="NAME_samples.jsonl", help="The file to write; NAME.json is written beside it."
)
@declared.config_option
@click.pass_context
def convert(context: click.Context, /, files: tuple[str, ...], output: str, **asked: Any) -> None:  # noqa: ANN401 - declared
    """Write logs of evaluation harnesses as Every Eval Ever.

    One line per item and score, with the totals in a second file.
    """
    written = declared.given_of(ConvertRequest.options(), asked)
    request = ConvertRequest.from_written({**written, "files": declared.given_files(context, files)})
    from outscore.formats.logs.every_eval_ever import aggregate_path
    from outscore.workflows.convert import run

    evaluations = run(request, output).evaluations
    rows = count_of(sum(evaluation.rows for evaluation in evaluations), "row")
    click.echo(f"Wrote {output} and {aggregate_path(output)}: {rows} from {count_of(len(evaluations), 'evaluation')}.")

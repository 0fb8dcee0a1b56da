"""`outscore diff`: what changed between systems' outputs, and whether it is real."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import Saved, changed_inputs, saved_inputs
from outscore.cli.declared import declared_options, given_files, given_of, output_options
from outscore.cli.output import WITH_TABLES, check_further, check_outputs, screen_columns, write_with_charts
from outscore.cli.progress import working
from outscore.core.errors import OutscoreError
from outscore.workflows.requests.diff import DiffRequest

if TYPE_CHECKING:
    from outscore.results.diff import Diff
    from outscore.workflows.diff.pairs import Depth
    from outscore.workflows.diff.study import Study

__all__ = ["deliver", "diff"]

SORTS = ("evidence", "delta", "count")


@click.command()
@click.argument("files", nargs=-1, metavar="GOLD SYSTEM [SYSTEM ...]")
@declared_options(DiffRequest.options(), without=DiffRequest.positional)
@click.option("--sort", type=click.Choice(SORTS), default="evidence", show_default=True, help="Order of the rows of a table.")
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="Rows shown of each table.")
@click.option("--table", "tables", multiple=True, metavar="KEY", help="Only this table: scores, pairs, transitions, labels ...")
@click.option("--changes", metavar="FILE.jsonl", help="Also write every changed unit as a line of JSON.")
@output_options(
    charts="Also write the charts of the first 15 pairs as SVG, PNG and PDF.", verbose="All rows, all criteria, settings."
)
@click.pass_context
def diff(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    changes: str | None,
    tables: tuple[str, ...],
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per option above
) -> None:
    """Say what each system corrected, broke and changed against the one before it, and what they could do together.

    GOLD and every SYSTEM are files of the same kind: CoNLL-U or columns (pos, dep), BIO columns (ner), CSV, TSV or JSON lines
    with a label per item (label), CoNLL-2012 (coref). - is standard input. One table of labels may hold gold and all systems,
    in columns (id, gold, old, new) or in rows (id, system, prediction, gold).
    """
    files = given_files(context, files)
    given = given_of(DiffRequest.options(), asked)
    request = DiffRequest.from_written({**given, **({"gold": files[0]} if files else {}), "files": files[1:]})
    _check_tables(tables, form, outputs)
    check_outputs(outputs, charts, files)
    for option, value in (("--changes", changes), ("--charts", charts)):
        if value is not None and len(files) == 2:
            raise OutscoreError(f"{option} needs two systems, one was named.", f"Name a second system, or leave {option} out.")
    if changes is not None:
        check_further(changes, files, option="--changes", ending=".jsonl", holds="lines of JSON")
    shown = {"verbose": verbose, "tables": tables, "top": asked.pop("top"), "sort": asked.pop("sort")}
    typing = "-" in files and sys.stdin.isatty()
    with working("comparing") if not typing else nullcontext():
        study, result = _compare(request, saved_inputs(context), _depth(tables, form, outputs, verbose=verbose))
        printed = _write(result, study, form, outputs, shown, changes, charts)
    click.echo(printed, nl=False)


def deliver(
    result: Diff,
    study: Study | None,
    form: str,
    outputs: Sequence[str],
    shown: Mapping[str, Any],
    changes: str | None = None,
    charts: str | None = None,
) -> None:
    """Write a diff to its files, and print it; without a study, as of a saved one, there are no examples to show."""
    click.echo(_write(result, study, form, outputs, shown, changes, charts), nl=False)


def _write(
    result: Diff,
    study: Study | None,
    form: str,
    outputs: Sequence[str],
    shown: Mapping[str, Any],
    changes: str | None,
    charts: str | None,
) -> str:
    """Write everything that goes to files, or nothing if any of it cannot be made, and return what is to be printed."""
    from outscore.report.render import render

    forms = {path: WITH_TABLES[Path(path).suffix.lower()] for path in outputs}
    # Only a page shows examples, and they are costly to collect.
    examples = study.changed() if study is not None and "html" in forms.values() else None
    texts = {path: render(result, kind, examples=examples, **shown) for path, kind in forms.items()}
    printed = render(result, form, width=screen_columns(), **shown)
    if changes is not None and study is not None:
        texts[changes] = _changes(study)
    # Files first: a closed pipe must not cost the saved result.
    write_with_charts(texts, result, charts)
    return printed


def _check_tables(tables: Sequence[str], form: str, outputs: Sequence[str]) -> None:
    if not tables:
        return
    from outscore.report.build.diff import check_tables

    check_tables(tables)
    forms = {form, *(WITH_TABLES.get(Path(path).suffix.lower()) for path in outputs)}
    if not forms & {"text", "markdown", "latex"}:
        raise OutscoreError("--table chooses among tables, and JSON holds them all.", "Leave --table out.")


def _depth(tables: Sequence[str], form: str, outputs: Sequence[str], *, verbose: bool) -> Depth:
    """How much has to be computed: for tables alone, what they show."""
    from outscore.report.build.diff import depth_of

    texts = {"text", "markdown", "latex"}
    if not tables or verbose or not {form, *(WITH_TABLES.get(Path(path).suffix.lower()) for path in outputs)} <= texts:
        return "all"
    return depth_of(tables)


def _compare(request: DiffRequest, saved: Saved | None, depth: Depth) -> tuple[Study, Diff]:
    from outscore.workflows.diff.run import run_study

    study, result = run_study(request, depth=depth)
    notes = [*result.notes, *changed_inputs(saved, result.settings["inputs"])]
    return study, replace(result, notes=notes)


def _changes(study: Study) -> str:
    import json

    from outscore.outputs.changed import records

    changed, contexts = study.changed()
    lines = [json.dumps(record, ensure_ascii=False) for part in changed for record in records(part, contexts)]
    return "".join(f"{line}\n" for line in lines)

"""`outscore diff`: what changed between systems' outputs, and whether it is real."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from outscore.cli.declared import Asked, OneOf, command
from outscore.core.errors import OutscoreError
from outscore.results.files import check_further, form_of_file
from outscore.workflows.requests.diff import DiffRequest

if TYPE_CHECKING:
    from outscore.workflows.diff.pair import Study
    from outscore.workflows.diff.run import Depth

SORTS = ("evidence", "delta", "count")
TEXTS = {"text", "markdown", "latex"}
"""Forms that show tables; the others contain everything."""


@command(
    DiffRequest,
    click.option("--sort", type=OneOf(SORTS), default="evidence", show_default=True, help="Order of the rows of a table."),
    click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="Rows shown of each table."),
    click.option(
        "--table", "tables", multiple=True, metavar="KEY", help="Only this table: scores, pairs, transitions, labels ..."
    ),
    click.option("--changes", metavar="FILE.jsonl", help="Also write every changed unit as a line of JSON."),
    charts="Also write the charts of the first 15 pairs as SVG, PNG, PDF and CSV.",
    verbose="All rows, all criteria, settings.",
)
def diff(asked: Asked[DiffRequest]) -> None:
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

"""`outscore diff`: what changed between systems' outputs, and whether it is real."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import Saved, changed_inputs, input_settings, saved_inputs
from outscore.cli.output import WITH_TABLES, check_further, check_outputs, write_with_charts
from outscore.cli.progress import working
from outscore.cli.shared import given_files, output_options, shared
from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results.diff import Diff
    from outscore.workflows.diff.study import Study

__all__ = ["deliver", "diff"]

TASKS = ("pos", "dep", "ner", "label", "coref")
SORTS = ("evidence", "delta", "count")


@click.command()
@click.argument("files", nargs=-1, metavar="GOLD SYSTEM [SYSTEM ...]")
@click.option("--task", type=click.Choice(TASKS), required=True, help="What the files hold.")
@click.option(
    "--criterion", multiple=True, metavar="NAME", help="What makes an answer right: upos, xpos, feats; uas, ls, las ..."
)
@click.option("--cluster", metavar="NAME", help="Swapped as one: sentence, document, none, or a column of labels.")
@click.option(
    "--map", "maps", multiple=True, metavar="[NAME:]OLD=NEW", help="Rename a label in gold, one system, or all files."
)
@click.option("--punct", is_flag=True, help="Trees: keep punctuation.")
@click.option("--subtypes", is_flag=True, help="Trees: keep relation subtypes (nmod:poss).")
@click.option("--lenient", is_flag=True, help="Entities: read broken tag sequences as the lenient evaluation does.")
@click.option("--repair", is_flag=True, help="Coreference: keep the first chain of a mention that is in two.")
@click.option("--slice", "slices", multiple=True, metavar="COLUMN", help="Compare every value of this column too.")
@click.option("--sort", type=click.Choice(SORTS), default="evidence", show_default=True, help="Order of the rows of a table.")
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="Rows shown of each table.")
@click.option("--min-support", type=int, default=20, show_default=True, help="Rows with fewer units are listed, not tested.")
@click.option("--correction", default="holm", show_default=True, metavar="NAME", help="For the p-values of a table's rows.")
@shared("alpha")
@click.option("--names", metavar="A,B,...", help="What to call the systems.  [default: file names]")
@click.option("--seed", type=int, default=0, show_default=True, help="For p-values and intervals that must be sampled.")
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
    with a label per item (label), CoNLL-2012 (coref). - is standard input.
    """
    files = given_files(context, files)
    _check_files(files)
    _check_tables(tables, form, outputs)
    check_outputs(outputs, charts, files)
    for option, value in (("--changes", changes), ("--charts", charts)):
        if value is not None and len(files) < 3:
            raise OutscoreError(f"{option} needs two systems, one was named.", f"Name a second system, or leave {option} out.")
    if changes is not None:
        check_further(changes, files, option="--changes", ending=".jsonl", holds="lines of JSON")
    shown = {"verbose": verbose, "tables": tables, "top": asked.pop("top"), "sort": asked.pop("sort")}
    typing = "-" in files and sys.stdin.isatty()
    with working("comparing") if not typing else nullcontext():
        study, result = _compared(files, asked, saved_inputs(context))
        printed = _written(result, study, form, outputs, shown, changes, charts)
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
    click.echo(_written(result, study, form, outputs, shown, changes, charts), nl=False)


def _written(
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
    printed = render(result, form, **shown)
    if changes is not None and study is not None:
        texts[changes] = _changes(study)
    # Files first: a closed pipe must not cost the saved result.
    write_with_charts(texts, result, charts)
    return printed


def _check_files(files: Sequence[str]) -> None:
    if len(files) < 2:
        raise OutscoreError(
            f"{len(files)} file{'' if len(files) == 1 else 's'} named, gold and at least one system are needed.",
            "Write `outscore diff --task pos GOLD SYSTEM1 SYSTEM2`.",
        )
    if list(files).count("-") > 1:
        raise OutscoreError("Standard input was named twice.", "Read one of the two from a file.")


def _check_tables(tables: Sequence[str], form: str, outputs: Sequence[str]) -> None:
    if not tables:
        return
    from outscore.report.rows.diff_selection import check_tables

    check_tables(tables)
    forms = {form, *(WITH_TABLES.get(Path(path).suffix.lower()) for path in outputs)}
    if not forms & {"text", "markdown", "latex"}:
        raise OutscoreError("--table chooses among tables, and JSON holds them all.", "Leave --table out.")


def _compared(files: Sequence[str], asked: dict[str, Any], saved: Saved | None) -> tuple[Study, Diff]:
    from dataclasses import replace

    from outscore.workflows.diff.outputs import study_of, summarise
    from outscore.workflows.diff.study import DiffOptions

    written = asked.pop("names")
    task, maps, criteria = asked.pop("task"), asked.pop("maps"), asked.pop("criterion")
    options = DiffOptions(criteria=criteria, **asked)
    systems = dict(zip(_names(files[1:], written), files[1:], strict=True))
    study = study_of(files[0], systems, task=task, map=maps, options=options)
    result = summarise(study, options)
    inputs = input_settings(study.origins)
    settings = {"files": list(files), "names": written, "map": list(maps), **result.settings, "inputs": inputs}
    return study, replace(result, settings=settings, notes=[*result.notes, *changed_inputs(saved, inputs)])


def _names(paths: Sequence[str], written: str | None) -> list[str]:
    """The systems' names: those asked for, or those of the files, none of which is gold's."""
    from outscore.cli.inputs import distinct_names
    from outscore.outputs.inventory import GOLD

    if written is None:
        return distinct_names([GOLD, *paths])[1:]
    names = [name.strip() for name in written.split(",")]
    if len(names) != len(paths) or len(set(names)) != len(names) or not all(names):
        wanted = "1 name was" if len(paths) == 1 else f"{len(paths)} different names were"
        raise OutscoreError(f'--names is "{written}", {wanted} expected.', "Separate the names with commas.")
    return names


def _changes(study: Study) -> str:
    import json

    from outscore.outputs.changed import records

    changed, contexts = study.changed()
    lines = [json.dumps(record, ensure_ascii=False) for part in changed for record in records(part, contexts)]
    return "".join(f"{line}\n" for line in lines)

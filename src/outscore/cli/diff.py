"""`outscore diff`: what changed between systems' outputs, and whether it is real."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.output import FORMS, SUFFIXES, check_outputs, check_suffixes, to_json, write_files
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.diffs import Diff
    from outscore.procedure.studies import Study

__all__ = ["deliver", "diff"]

TASKS = ("pos", "dep", "ner", "label", "coref")
SORTS = ("evidence", "delta", "count")


@click.command()
@click.argument("files", nargs=-1, metavar="GOLD SYSTEM [SYSTEM ...]")
@click.option("--task", type=click.Choice(TASKS), required=True, help="What the files hold.")
@click.option(
    "--criterion", multiple=True, metavar="NAME", help="What makes an answer right: upos, xpos, feats; uas, ls, las ..."
)
@click.option("--cluster", metavar="NAME", help="Swapped as one: sentence, document, none, or a column.  [default: sentence]")
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
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--names", metavar="A,B,...", help="What to call the systems.  [default: file names]")
@click.option("--table", "tables", multiple=True, metavar="KEY", help="Only this table: scores, pairs, transitions, labels ...")
@click.option("--changes", metavar="FILE.jsonl", help="Also write every changed unit as a line of JSON.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE", help=f"Also write {', '.join(SUFFIXES)}.")
@click.option("-v", "--verbose", is_flag=True, help="All rows, all criteria, settings.")
def diff(
    files: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    changes: str | None,
    tables: tuple[str, ...],
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per option above
) -> None:
    """Say what each system corrected, broke and changed against the one before it, and what they could do together.

    GOLD and every SYSTEM are files of the same kind: CoNLL-U or columns (pos, dep), BIO columns (ner), CSV, TSV or JSON lines
    with a label per item (label), CoNLL-2012 (coref).
    """
    if len(files) < 2:
        raise OutscoreError(
            f"{len(files)} file{'' if len(files) == 1 else 's'} named, gold and at least one system are needed.",
            "Write `outscore diff --task pos GOLD SYSTEM1 SYSTEM2`.",
        )
    check_suffixes(outputs)
    check_outputs(outputs, None, files)
    look = {"top": asked.pop("top"), "sort": asked.pop("sort")}
    study, result = _compared(files, asked)
    shown = {"verbose": verbose, "tables": tables, **look}
    deliver(result, study, form, outputs, shown, changes)


def deliver(
    result: Diff,
    study: Study | None,
    form: str,
    outputs: Sequence[str],
    shown: Mapping[str, Any],
    changes: str | None = None,
) -> None:
    """Write a diff to its files, and print it; without a study, as of a saved one, there are no examples to show."""
    texts = {path: _rendered(result, study, SUFFIXES[Path(path).suffix.lower()], shown) for path in outputs}
    printed = _rendered(result, study, form, shown)
    if changes is not None and study is not None:
        texts[changes] = _changes(study)
    # Files first: a closed pipe must not cost the saved result.
    write_files(texts)
    click.echo(printed, nl=False)


def _compared(files: Sequence[str], asked: dict[str, Any]) -> tuple[Study, Diff]:
    from dataclasses import replace

    from outscore.procedure.diff import study_of, summarise
    from outscore.procedure.studies import DiffOptions

    names = _names(files[1:], asked.pop("names"))
    task, maps, criteria = asked.pop("task"), asked.pop("maps"), asked.pop("criterion")
    options = DiffOptions(criteria=criteria, **asked)
    study = study_of(files[0], dict(zip(names, files[1:], strict=True)), task=task, map=maps, options=options)
    result = summarise(study, options)
    inputs = [{"path": o.path, "rows": o.rows, "sha256": o.sha256} for o in study.origins]
    return study, replace(result, settings={**result.settings, "map": list(maps), "inputs": inputs})


def _names(paths: Sequence[str], written: str | None) -> list[str]:
    from outscore.cli.inputs import distinct_names

    if written is None:
        return distinct_names(paths)
    names = [name.strip() for name in written.split(",")]
    if len(names) != len(paths) or len(set(names)) != len(names) or not all(names):
        raise OutscoreError(
            f'--names is "{written}", {len(paths)} different names were expected.', "Separate the names with commas."
        )
    return names


def _rendered(result: Diff, study: Study | None, form: str, shown: Mapping[str, Any]) -> str:
    if form == "json":
        return to_json(result)
    if form == "html":
        from outscore.report.diff_html import render_html

        changed, contexts = study.changed() if study is not None else ([], None)
        return render_html(result, changed, contexts)
    from outscore.report.diff_latex import render_latex
    from outscore.report.diff_markdown import render_markdown
    from outscore.report.diff_text import render_text

    renderers: dict[str, Callable[..., str]] = {"text": render_text, "markdown": render_markdown, "latex": render_latex}
    return renderers[form](result, **shown)


def _changes(study: Study) -> str:
    import json

    from outscore.outputs.changed import records

    changed, contexts = study.changed()
    lines = [json.dumps(record, ensure_ascii=False) for part in changed for record in records(part, contexts)]
    return "".join(f"{line}\n" for line in lines)

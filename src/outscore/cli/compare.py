"""`outscore compare`: two systems, one verdict."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import Saved, changed_inputs, saved_inputs
from outscore.cli.inputs import TwoSystems, read_systems
from outscore.cli.output import check_outputs, show, write_all
from outscore.cli.progress import working
from outscore.cli.request import COLUMNS, Request, metric_option, settings_of
from outscore.cli.shared import given_columns, given_files, output_options, shared
from outscore.cli.texts import files_of, run_texts
from outscore.core.errors import OutscoreError
from outscore.results.note import Note
from outscore.workflows.requests.compare import CompareRequest

if TYPE_CHECKING:
    from outscore.results.comparison import Comparison, Comparisons
    from outscore.results.design import Family

__all__ = ["compare", "run"]


def run(request: Request) -> tuple[list[Comparison], Family | None, TwoSystems]:
    """Read the files and compare; slices, if asked for, follow the whole."""
    request.check()
    systems = read_systems(
        request.paths,
        request.names,
        duplicates=request.duplicates,
        format=request.reader,
        systems=request.systems or None,
        **request.columns,
    )
    request.check_data(systems)
    from outscore.workflows.compare.arrays import compare as compare_arrays

    asked: dict[str, Any] = {
        **request.asked(),
        "metric": request.metric or ("f1" if systems.counts else "mean"),
        "names": systems.names,
        "items": systems.items,
        "clusters": systems.clusters,
        "labels": None if systems.ids is None else systems.ids.texts(),
    }
    try:
        whole = compare_arrays(systems.a, systems.b, **asked)
    except OutscoreError as refusal:
        raise _with_recognised(refusal, request, systems) from None
    notes = [*_reading_notes(request, systems), *whole.notes]
    whole = replace(whole, notes=notes, alignment=systems.alignment)
    if request.slice is None:
        return [whole], None, systems
    from outscore.workflows.compare.slices import compare_slices

    values = systems.slices[request.slice].texts()
    asked["unit_advice"] = False
    parts, family, left_out = compare_slices(
        systems.a, systems.b, request.slice, values, correction=request.correction, **asked
    )
    return [replace(whole, notes=[*notes, *left_out]), *parts], family, systems


def _reading_notes(request: Request, systems: TwoSystems) -> list[Note]:
    """What the reader should know about how the files were read."""
    notes = [*(Note("input", text) for text in _recognised(request, systems)), *systems.notes]
    if request.metric is None and systems.counts:
        text = "The columns were read as F1 counts (true positives, errors); --metric asks for another metric."
        notes.insert(0, Note("input", text))
    return notes


def _recognised(request: Request, systems: TwoSystems) -> list[str]:
    """Columns that nobody named and that change what counts as one observation."""
    found = {part: column for table in systems.tables for part, column in table.columns.items()}
    used = {"repeat": systems.items is not None or systems.unequal_repeats, "cluster": systems.clusters is not None}
    named = request.columns
    taken = [f"`{found[part]}` as {part}s" for part, here in used.items() if here and part in found and part not in named]
    return [f"Recognised by name: {' and '.join(taken)}."] if taken else []


def _with_recognised(refusal: OutscoreError, request: Request, systems: TwoSystems) -> OutscoreError:
    """A refusal that speaks of clusters nobody asked for says where they come from."""
    if "cluster" not in refusal.message or not (recognised := _recognised(request, systems)):
        return refusal
    return OutscoreError(refusal.message, f"{refusal.hint} {recognised[0]} Write --cluster none to leave clusters out.")


def _collect(request: Request, saved: Saved | None) -> Comparisons:
    found, family, systems = run(request)
    from outscore.workflows.compare.arrays import comparisons

    settings = settings_of(request, systems.tables)
    found[0] = replace(found[0], notes=[*found[0].notes, *changed_inputs(saved, settings["inputs"])])
    return comparisons(found, settings, family)


@click.command()
@click.argument("files", nargs=-1, metavar="A [B] | TABLE")
@metric_option
@shared("test", "set", "method", "alternative", "alpha")
@click.option("--delta", type=float, default=0.0, show_default=True, help="Test the difference A - B against this.")
@click.option("--margin", type=float, help="Also test non-inferiority and equivalence within this margin.")
@shared("unit-size", "unit-statistic", "shuffle")
@click.option("--unit-advice", is_flag=True, help="Also show what the size of units does to spread, effect and p.")
@click.option("--normality-alpha", type=float, default=0.05, show_default=True, help="Level of the analysis' normality test.")
@shared("resamples")
@click.option("--correction", default="holm", show_default=True, metavar="NAME", help="For the p-values of slices.")
@shared("seed")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Which system of a table; give it twice.")
@shared("item", "score", "system-column", "cluster", "repeat")
@click.option("--slice", metavar="COLUMN", help="Compare every value of this column too.")
@shared("dataset")
@click.option("--duplicates", type=click.Choice(("stop", "mean", "first", "last")), default="stop", help="Repeated ids.")
@shared("reader", "reference", "documents")
@click.option("--buckets", multiple=True, metavar="length|FILE", help="Texts: compare parts by reference length or by labels.")
@click.option("--compat", metavar="NAME", help="Texts: also show p of sacrebleu-ar or sacrebleu-bs; it decides nothing.")
@click.option("--jobs", type=int, default=0, help="Texts: processes that compute statistics.  [default: one per processor]")
@click.option("--names", metavar="A,B", help="What to call the systems.  [default: header or file names]")
@output_options()
@click.pass_context
def compare(
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
    """Compare two systems item by item.

    A alone is a table (CSV, TSV, JSONL, Parquet: a column per system, or item, system, score), a file with two columns (a score
    of each system per line) or four (counts tp, errors of A, then of B). A and B are one file for each system. - is standard
    input.

    With --reference, A and B are texts of one segment per line, or quoted patterns of several runs, and --metric names text
    metrics: bleu,chrf,ter.
    """
    files = given_files(context, files)
    asked["names"] = CompareRequest.from_written({"names": asked["names"]}).names if asked["names"] is not None else None
    request = Request(files, columns=given_columns(asked, COLUMNS), **asked)
    request.check()
    check_outputs(outputs, charts, files_of(request))
    typing = "-" in files and sys.stdin.isatty()
    # Texts have a bar of their own, and a terminal shows one at a time.
    with nullcontext() if typing or request.references else working("comparing"):
        result = (run_texts if request.references else _collect)(request, saved_inputs(context))
        # Files first: a closed pipe must not cost the saved result.
        write_all(result, outputs, charts, verbose=verbose)
    show(result, form, verbose=verbose)

"""`outscore compare`: two systems, one verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.inputs import TwoSystems, parse_names, read_systems
from outscore.cli.output import FORMS, SUFFIXES, check_suffixes, show, write_result
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results import Comparison, Comparisons, Family

__all__ = ["Request", "compare", "run", "settings_of"]

METHODS = ("auto", "exact", "certified", "dp", "fft", "monte-carlo")
ALTERNATIVES = ("two-sided", "greater", "less")
COLUMNS = ("item", "score", "cluster", "repeat", "slice", "dataset")


@dataclass(frozen=True)
class Request:
    """What was asked for, as written."""

    paths: tuple[str, ...]
    metric: str | None = None
    test: str = "permutation"
    settings: tuple[str, ...] = ()
    method: str = "auto"
    alternative: str = "two-sided"
    alpha: float = 0.05
    delta: float = 0.0
    margin: float | None = None
    unit_size: int = 1
    unit_statistic: str = "mean"
    shuffle: int | None = None
    resamples: int | None = None
    correction: str = "holm"
    seed: int = 0
    names: tuple[str, str] | None = None
    systems: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    duplicates: str = "stop"
    reader: str = "auto"

    def options(self) -> dict[str, object]:
        """The test's own options: --set, and the two that have names of their own."""
        from outscore.inference import TESTS

        declared = {o.name for o in TESTS[self.test].options} if self.test in TESTS else {"method", "resamples"}
        named = {"method": self.method if self.method != "auto" else None, "resamples": self.resamples}
        given: dict[str, object] = {}
        for name, value in named.items():
            if value is not None:
                if name not in declared:
                    raise OutscoreError(f"`{self.test}` has no option `{name}`.", f"Leave --{name} out.")
                given[name] = value
        for setting in self.settings:
            key, equals, value = setting.partition("=")
            if not key or not equals:
                raise OutscoreError(f'--set is "{setting}".', "Write it as KEY=VALUE; `outscore tests` lists the keys.")
            given[key.strip()] = value.strip()
        return given


def run(request: Request) -> tuple[list[Comparison], Family | None, TwoSystems]:
    """Read the files and compare; slices, if asked for, follow the whole."""
    systems = read_systems(
        request.paths,
        request.names,
        duplicates=request.duplicates,
        format=request.reader,
        systems=request.systems or None,
        **request.columns,
    )
    # After reading, so that a bad file is refused before anything heavy is loaded.
    from outscore.procedure.compare import compare as compare_arrays
    from outscore.procedure.compare import compare_slices

    if systems.unequal_repeats and request.test == "permutation":
        raise OutscoreError(
            "The systems were run unequally often per item, and swapping item means of unequal spread is not valid.",
            "Use --test student, which takes item means.",
        )
    asked: dict[str, Any] = {
        "metric": request.metric or ("f1" if systems.counts else "mean"),
        "test": request.test,
        "options": request.options(),
        "alternative": request.alternative,
        "delta": request.delta,
        "margin": request.margin,
        "unit_size": request.unit_size,
        "unit_statistic": request.unit_statistic,
        "shuffle": request.shuffle,
        "names": systems.names,
        "seed": request.seed,
        "items": systems.items,
        "clusters": systems.clusters,
        "labels": None if systems.ids is None else [systems.ids[i] for i in range(len(systems.ids))],
    }
    whole = _noted(compare_arrays(systems.a, systems.b, alpha=request.alpha, **asked), request, systems)
    if "slice" not in request.columns:
        return [whole], None, systems
    column = request.columns["slice"]
    labels = systems.slices[column]
    values = [labels[i] for i in range(len(labels))]
    parts, family = compare_slices(
        systems.a, systems.b, column, values, correction=request.correction, alpha=request.alpha, **asked
    )
    return [whole, *parts], family, systems


def _noted(comparison: Comparison, request: Request, systems: TwoSystems) -> Comparison:
    notes = [*systems.notes, *comparison.notes]
    if request.metric is None and systems.counts:
        notes.insert(0, "The columns were read as F1 counts (true positives, errors); --metric asks for another metric.")
    return replace(comparison, notes=notes, alignment=systems.alignment)


def settings_of(request: Request, inputs: Sequence[TwoSystems]) -> dict[str, Any]:
    """What repeats the result: options, versions, seed and digests of the input."""
    import platform

    import numpy as np
    import scipy

    from outscore._version import __version__

    return {
        "test": request.test,
        "method": request.method,
        "set": list(request.settings),
        "margin": request.margin,
        "unit_size": request.unit_size,
        "unit_statistic": request.unit_statistic,
        "shuffle": request.shuffle,
        "alternative": request.alternative,
        "alpha": request.alpha,
        "delta": request.delta,
        "resamples": request.resamples,
        "seed": request.seed,
        "inputs": [{"path": t.path, "rows": t.rows, "sha256": t.sha256} for systems in inputs for t in systems.tables],
        "versions": {
            "outscore": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "python": platform.python_version(),
        },
    }


def _collect(request: Request) -> Comparisons:
    found, family, systems = run(request)
    from outscore.procedure.compare import comparisons

    return comparisons(found, settings_of(request, [systems]), family)


@click.command()
@click.argument("files", nargs=-1, metavar="A [B] | TABLE")
@click.option("--metric", metavar="NAME[:key=value]", help="See `outscore metrics`.  [default: mean; f1 for counts]")
@click.option("--test", default="permutation", show_default=True, metavar="NAME", help="See `outscore tests`; or all.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="An option of the test; may be repeated.")
@click.option("--method", type=click.Choice(METHODS), default="auto", show_default=True, help="How permutation computes p.")
@click.option(
    "--alternative", type=click.Choice(ALTERNATIVES), default="two-sided", show_default=True, help="greater: A better."
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--delta", type=float, default=0.0, show_default=True, help="Test the difference A - B against this.")
@click.option("--margin", type=float, help="Also test non-inferiority and equivalence within this margin.")
@click.option("--unit-size", type=int, default=1, show_default=True, help="Items per evaluation unit.")
@click.option("--unit-statistic", type=click.Choice(("mean", "median")), default="mean", show_default=True, help="Of a unit.")
@click.option("--shuffle", type=int, metavar="SEED", help="Shuffle the items before units are formed.")
@click.option("--resamples", type=int, help="How many swaps or resamples are drawn.")
@click.option("--correction", default="holm", show_default=True, metavar="NAME", help="For the p-values of slices.")
@click.option("--seed", type=int, default=0, show_default=True, help="For Monte Carlo and bootstrap.")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Which system of a table; give it twice.")
@click.option("--item", metavar="COLUMN", help="Column of the item ids.")
@click.option("--score", metavar="COLUMN", help="Column of the scores.")
@click.option("--system-column", "system", metavar="COLUMN", help="Column of the systems' names.")
@click.option("--cluster", metavar="COLUMN", help="Column of documents, conversations ... swapped as one.")
@click.option("--repeat", metavar="COLUMN", help="Column of epochs, seeds, samples: averaged per item.")
@click.option("--slice", metavar="COLUMN", help="Compare every value of this column too.")
@click.option("--dataset", metavar="COLUMN", help="Column of the dataset an item belongs to.")
@click.option("--duplicates", type=click.Choice(("stop", "mean", "first", "last")), default="stop", help="Repeated ids.")
@click.option("--reader", default="auto", show_default=True, metavar="FORMAT", help="See `outscore formats`.")
@click.option("--names", metavar="A,B", help="What to call the systems.  [default: header or file names]")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE", help=f"Also write {', '.join(SUFFIXES)}.")
@click.option("--charts", metavar="DIR", help="Also write the charts as SVG, PNG and PDF.")
@click.option("-v", "--verbose", is_flag=True, help="Show digits, alignment and settings too.")
def compare(
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
    """
    if len(files) not in (1, 2):
        raise OutscoreError(
            f"{len(files)} files were named, one or two can be compared.",
            "Write `outscore compare BOTH` or `outscore compare A B`.",
        )
    check_suffixes(outputs)
    asked["names"] = parse_names(asked["names"])
    columns = {name: asked.pop(name) for name in (*COLUMNS, "system")}
    asked["columns"] = {name: value for name, value in columns.items() if value is not None}
    result = _collect(Request(files, **asked))
    # Files first: a closed pipe must not cost the saved result.
    write_result(result, outputs, verbose=verbose)
    if charts is not None:
        from outscore.report.charts import write_charts

        write_charts(result, charts)
    show(result, form, verbose=verbose)

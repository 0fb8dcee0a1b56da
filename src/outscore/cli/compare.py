"""`outscore compare`: two systems, one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.inputs import TwoSystems, parse_names, read_systems
from outscore.cli.output import FORMS, check_suffixes, show, write_result
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results import Comparison, Comparisons

__all__ = ["Request", "compare", "run", "settings_of"]

METHODS = ("auto", "exact", "certified", "dp", "fft", "monte-carlo")
ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Request:
    """What was asked for, as written."""

    paths: tuple[str, ...]
    metric: str | None = None
    method: str = "auto"
    alternative: str = "two-sided"
    alpha: float = 0.05
    delta: float = 0.0
    resamples: int | None = None
    seed: int = 0
    names: tuple[str, str] | None = None


def run(request: Request) -> tuple[Comparison, TwoSystems]:
    """Read the files and compare."""
    systems = read_systems(request.paths, request.names)
    # After reading, so that a bad file is refused before anything heavy is loaded.
    from outscore.procedure.compare import compare as compare_arrays

    metric = request.metric or ("f1" if systems.counts else "mean")
    options: dict[str, Any] = {"method": request.method}
    if request.resamples is not None:
        options["resamples"] = request.resamples
    comparison = compare_arrays(
        systems.a,
        systems.b,
        metric=metric,
        options=options,
        alternative=request.alternative,
        alpha=request.alpha,
        delta=request.delta,
        names=systems.names,
        seed=request.seed,
    )
    if request.metric is None and systems.counts:
        note = "The columns were read as F1 counts (true positives, errors); --metric asks for another metric."
        comparison = replace(comparison, notes=[note, *comparison.notes])
    return comparison, systems


def settings_of(request: Request, inputs: Sequence[TwoSystems]) -> dict[str, Any]:
    """What repeats the result: options, versions, seed and digests of the input."""
    import platform

    import numpy as np
    import scipy

    from outscore._version import __version__

    return {
        "test": "permutation",
        "method": request.method,
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
    comparison, systems = run(request)
    from outscore.procedure.compare import comparisons

    return comparisons([comparison], settings_of(request, [systems]))


@click.command()
@click.argument("files", nargs=-1, metavar="A [B]")
@click.option("--metric", metavar="NAME[:key=value]", help="See `outscore metrics`.  [default: mean; f1 for counts]")
@click.option("--method", type=click.Choice(METHODS), default="auto", show_default=True, help="How to compute p.")
@click.option(
    "--alternative", type=click.Choice(ALTERNATIVES), default="two-sided", show_default=True, help="greater: A better."
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--delta", type=float, default=0.0, show_default=True, help="Test the difference A - B against this.")
@click.option("--resamples", type=int, help="How many swaps Monte Carlo draws.")
@click.option("--seed", type=int, default=0, show_default=True, help="For Monte Carlo and bootstrap.")
@click.option("--names", metavar="A,B", help="What to call the systems.  [default: header or file names]")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE", help="Also write .txt or .json; may be repeated.")
@click.option("-v", "--verbose", is_flag=True, help="Show digits, alignment and settings too.")
def compare(files: tuple[str, ...], form: str, outputs: tuple[str, ...], *, verbose: bool, **asked: Any) -> None:  # noqa: ANN401
    """Compare two systems item by item.

    A alone is a file with two columns (a score of each system per line) or four (counts tp, errors of A, then of B). A and B
    are two files with one score per line, or with two columns of counts. - is standard input.
    """
    if len(files) not in (1, 2):
        raise OutscoreError(
            f"{len(files)} files were named, one or two can be compared.",
            "Write `outscore compare BOTH` or `outscore compare A B`.",
        )
    check_suffixes(outputs)
    asked["names"] = parse_names(asked["names"])
    result = _collect(Request(files, **asked))
    # Files first: a closed pipe must not cost the saved result.
    write_result(result, outputs, verbose=verbose)
    show(result, form, verbose=verbose)

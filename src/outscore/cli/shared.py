"""Options that several commands have, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from outscore.cli.config import config_option
from outscore.cli.output import FORMS, WITH_TABLES
from outscore.workflows.requests.shared import ALTERNATIVES

__all__ = ["given_columns", "given_files", "output_options", "shared"]

METHODS = ("auto", "exact", "certified", "dp", "fft", "monte-carlo")
_Command = TypeVar("_Command", bound=Callable[..., Any])

_option = click.option
_SHARED: dict[str, Callable[[Any], Any]] = {
    "test": _option("--test", default="permutation", show_default=True, metavar="NAME", help="See `outscore tests`; or all."),
    "one-test": _option("--test", default="permutation", show_default=True, metavar="NAME", help="See `outscore tests`."),
    "set": _option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="An option of the test; may be repeated."),
    "method": _option(
        "--method", type=click.Choice(METHODS), default="auto", show_default=True, help="How permutation computes p."
    ),
    "alternative": _option(
        "--alternative", type=click.Choice(ALTERNATIVES), default="two-sided", show_default=True, help="greater: A better."
    ),
    "alpha": _option("--alpha", type=float, default=0.05, show_default=True, help="Significance level."),
    "unit-size": _option("--unit-size", type=int, default=1, show_default=True, help="Items per evaluation unit."),
    "unit-statistic": _option(
        "--unit-statistic", type=click.Choice(("mean", "median")), default="mean", show_default=True, help="Of a unit."
    ),
    "shuffle": _option("--shuffle", type=int, metavar="SEED", help="Shuffle the items before units are formed."),
    "resamples": _option("--resamples", type=int, help="How many swaps or resamples are drawn."),
    "seed": _option("--seed", type=int, default=0, show_default=True, help="For Monte Carlo and bootstrap."),
    "item": _option("--item", metavar="COLUMN", help="Column of the item ids."),
    "score": _option(
        "--score", multiple=True, metavar="COLUMN", help="Column of the scores; several make counts (tp, fp, fn)."
    ),
    "system-column": _option("--system-column", "system", metavar="COLUMN", help="Column of the systems' names."),
    "cluster": _option("--cluster", metavar="COLUMN", help="Column of documents, conversations ... swapped as one; or none."),
    "repeat": _option("--repeat", metavar="COLUMN", help="Column of epochs, seeds, samples: averaged per item."),
    "dataset": _option("--dataset", metavar="COLUMN", help="Column of the dataset an item belongs to."),
    "reader": _option("--reader", default="auto", show_default=True, metavar="FORMAT", help="See `outscore formats`."),
    "reference": _option(
        "--reference", "references", multiple=True, metavar="FILE", help="Texts: a reference; may be repeated."
    ),
    "documents": _option(
        "--documents", metavar="FILE", help="Texts: the document of each segment, a line each; swapped as one."
    ),
}


def shared(*names: str) -> Callable[[_Command], _Command]:
    """Give a command these options, in this order."""

    def apply(command: _Command) -> _Command:
        for name in reversed(names):
            command = _SHARED[name](command)
        return command

    return apply


def output_options(
    *,
    endings: Iterable[str] = WITH_TABLES,
    charts: str = "Also write the charts as SVG, PNG and PDF.",
    verbose: str = "Show digits, alignment and settings too.",
    config: bool = True,
) -> Callable[[_Command], _Command]:
    """Give a command the options that say where a result goes, and --config unless it repeats nothing."""

    def apply(command: _Command) -> _Command:
        for option in (
            _option("-v", "--verbose", is_flag=True, help=verbose),
            *([config_option] if config else []),
            _option("--charts", metavar="DIR", help=charts),
            _option("-o", "--output", "outputs", multiple=True, metavar="FILE", help=f"Also write {', '.join(endings)}."),
            _option(
                "--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output."
            ),
        ):
            command = option(command)
        return command

    return apply


def given_files(context: click.Context, files: tuple[str, ...]) -> tuple[str, ...]:
    """The files of the command line, or those of --config: not every release of click looks for them among the defaults."""
    return files or tuple(context.lookup_default("files") or ())


def given_columns(asked: dict[str, Any], names: Iterable[str]) -> dict[str, str | tuple[str, ...]]:
    """Take the columns that were named out of the options."""
    columns = {name: asked.pop(name) for name in names}
    return {name: value for name, value in columns.items() if value}

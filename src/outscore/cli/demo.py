"""`outscore demo`: simulated data, their comparisons, and the command lines that repeat them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.compare import run
from outscore.cli.output import FORMS, show, write_files, write_result
from outscore.cli.request import Request, settings_of
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from outscore.demo import Example

__all__ = ["demo"]


@click.command()
@click.option("--output", "folder", default="outscore-demo", show_default=True, metavar="DIR", help="Where to write.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulation.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
def demo(folder: str, seed: int, form: str) -> None:
    """Simulate three comparisons, write data and report to a folder, and print the report."""
    import numpy as np

    from outscore.demo import EXAMPLES
    from outscore.procedure.compare import comparisons

    if seed < 0:
        raise OutscoreError(f"--seed is {seed}.", "Give a whole number from 0 up.")
    streams = np.random.SeedSequence(seed).spawn(len(EXAMPLES))
    examples = [make(np.random.default_rng(stream)) for make, stream in zip(EXAMPLES, streams, strict=True)]
    target = Path(folder)
    _make_folder(target)
    write_files({str(target / name): _lines(*table) for e in examples for name, table in e.files.items()})
    requests = [_request(example, target) for example in examples]
    done = [run(request) for request in requests]
    settings = settings_of(requests[0], [systems for _, _, systems in done]) | {"simulation": [e.title for e in examples]}
    # Three comparisons have no files and no metric in common: none of them may pass for the whole.
    settings = {name: value for name, value in settings.items() if name not in ("files", "metric")}
    result = comparisons([comparison for found, _, _ in done for comparison in found], settings)
    write_result(result, [str(target / "report.txt"), str(target / "report.json")])
    show(result, form)
    if form == "text":
        _epilogue(examples, requests, target)


def _make_folder(target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutscoreError(
            f"The folder `{target}` could not be made: {error.strerror or error}.", "Name another with --output."
        ) from None


def _lines(header: tuple[str, ...], values: NDArray[Any]) -> str:
    """A table as text; repr keeps every digit, so that the file repeats the simulation exactly."""
    rows = ("\t".join(map(repr, row)) for row in values.tolist())
    return "\n".join(["\t".join(header), *rows]) + "\n"


def _request(example: Example, target: Path) -> Request:
    return Request(tuple(str(target / name) for name in example.files), metric=example.metric)


def _epilogue(examples: list[Example], requests: list[Request], target: Path) -> None:
    click.echo("\nThese were simulations, and each can be repeated from its files:")
    for example, request in zip(examples, requests, strict=True):
        metric = ["--metric", request.metric] if request.metric else []
        click.echo("")
        click.echo(click.wrap_text(example.title, 78, "  ", "  "))
        click.echo("    " + shlex.join(["outscore", "compare", *request.paths, *metric]))
    click.echo(f"\nThe report is in {target / 'report.txt'} and {target / 'report.json'}.")

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

    from outscore.demo import Example, TaggedText

__all__ = ["demo"]


@click.command()
@click.option("--output", "folder", default="outscore-demo", show_default=True, metavar="DIR", help="Where to write.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulation.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
def demo(folder: str, seed: int, form: str) -> None:
    """Simulate three comparisons and the outputs of two taggers, write data and reports to a folder, and print them."""
    import numpy as np

    from outscore.demo import EXAMPLES, tagged_text
    from outscore.procedure.compare import comparisons

    if seed < 0:
        raise OutscoreError(f"--seed is {seed}.", "Give a whole number from 0 up.")
    *streams, last = (np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(len(EXAMPLES) + 1))
    examples = [make(stream) for make, stream in zip(EXAMPLES, streams, strict=True)]
    tagged = tagged_text(last)
    target = Path(folder)
    _make_folder(target)
    simulated = {str(target / name): _lines(*table) for e in examples for name, table in e.files.items()}
    write_files({**simulated, **{str(target / name): text for name, text in tagged.files.items()}})
    requests = [_request(example, target) for example in examples]
    done = [run(request) for request in requests]
    tables = [table for _, _, systems in done for table in systems.tables]
    settings = settings_of(requests[0], tables) | {"simulation": [e.title for e in examples]}
    # Three comparisons have no files and no metric in common: none of them may pass for the whole.
    settings = {name: value for name, value in settings.items() if name not in ("files", "metric")}
    result = comparisons([comparison for found, _, _ in done for comparison in found], settings)
    write_result(result, [str(target / "report.txt"), str(target / "report.json")])
    show(result, form)
    if form == "text":
        _epilogue(examples, requests, target)
        _changes(tagged, target)


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


def _changes(tagged: TaggedText, target: Path) -> None:
    """What two taggers did to the same words: the verdict here, the rest in a file."""
    from outscore.procedure.diff import diff
    from outscore.report.diff_text import render_text

    gold, *systems = (str(target / name) for name in tagged.files)
    found = diff(gold, systems, task="pos")
    write_files({str(target / "changes.txt"): render_text(found)})
    click.echo("\nAnd what changed between the outputs of two systems:\n")
    click.echo(click.wrap_text(tagged.title, 78, "  ", "  "))
    command = shlex.join(["outscore", "diff", "--task", "pos", gold, *systems])
    click.echo(f"    {command}\n")
    click.echo(click.wrap_text(found.verdict, 78, "  ", "  "))
    click.echo(f"\nAll of it is in {target / 'changes.txt'}; add -o changes.html to look at every example.")

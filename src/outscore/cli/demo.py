"""`outscore demo`: simulated data of every kind, their reports, and the commands that repeat them."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outscore.cli.output import PAGES, write_files
from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.examples.entry import Example

__all__ = ["demo"]

# A comparison of scores and one of outputs: the two questions that most people come with.
SHOWN = ("tagging", "tags")
TEXT_PACKAGES = ("sacrebleu", "rapidfuzz")
WIDTH = 78


@click.command()
@click.option("--output", "folder", default="outscore-demo", show_default=True, metavar="DIR", help="Where to write.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulation.")
@click.pass_context
def demo(context: click.Context, folder: str, seed: int) -> None:
    """Simulate data of every kind, write them and their reports to a folder, and print two verdicts."""
    from outscore.examples.registry import EXAMPLES

    if seed < 0:
        raise OutscoreError(f"--seed is {seed}.", "Give a whole number from 0 up.")
    target = Path(folder)
    _make_folder(target)
    texts, pages = _installed(TEXT_PACKAGES), _installed(PAGES)
    chosen = {name: example for name, example in EXAMPLES.items() if texts or example.view != "texts"}
    reports = ["report.txt", "report.json", *(["report.html"] if pages else [])]
    for name, example in chosen.items():
        _make_folder(target / name)
        write_files({str(target / name / file): text for file, text in example.files(seed).items()})
        # So few segments are scored before other processes have started.
        alone = ["--jobs", "1"] if example.view == "texts" else []
        _run(context, [*example.command(str(target / name)), *alone, *_outputs(target / name, reports)])
    write_files({str(target / "examples.txt"): _listed(chosen, target, seed)})
    for name in SHOWN:
        _show(name, chosen[name], target)
    _show_the_rest(chosen, target, reports)
    _show_left_out(texts=texts, pages=pages)
    _show_the_page()


def _installed(modules: Iterable[str]) -> bool:
    return all(find_spec(module) is not None for module in modules)


def _make_folder(target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutscoreError(
            f"The folder `{target}` could not be made: {error.strerror or error}.", "Name another with --output."
        ) from None


def _outputs(folder: Path, reports: Iterable[str]) -> list[str]:
    return [word for report in reports for word in ("-o", str(folder / report))]


def _run(context: click.Context, words: list[str]) -> None:
    """Run a command as if it had been typed; what it prints stands in its report, too."""
    root, (name, *arguments) = context.find_root(), words
    group = root.command
    assert isinstance(group, click.Group)
    command = group.get_command(root, name)
    assert command is not None
    with contextlib.redirect_stdout(io.StringIO()), command.make_context(name, arguments, parent=root) as own:
        command.invoke(own)


def _line(example: Example, folder: Path) -> str:
    return shlex.join(["outscore", *example.command(str(folder))])


def _wrapped(text: str) -> str:
    return click.wrap_text(text, WIDTH, "  ", "  ")


def _listed(examples: Mapping[str, Example], target: Path, seed: int) -> str:
    """What every example shows, how it was simulated, and the command that repeats it."""
    parts = [
        [
            f"{name}: {one.title}",
            _wrapped(one.about),
            _wrapped(f"Data: {one.parameters}"),
            f"    {_line(one, target / name)}",
            "",
        ]
        for name, one in examples.items()
    ]
    other = [f"What is told of the data is so with seed 0; with {seed} chance may have it otherwise.", ""] if seed else []
    return "\n".join([*other, *(line for part in parts for line in part)])


def _show(name: str, example: Example, target: Path) -> None:
    """An example's verdict, with the command that gives it."""
    from outscore.results.saved import load

    result = load(target / name / "report.json")
    click.secho(example.title, bold=True)
    click.echo(_wrapped(result.verdict))
    click.echo(f"    {_line(example, target / name)}\n")


def _show_the_rest(examples: Mapping[str, Example], target: Path, reports: Iterable[str]) -> None:
    click.echo(f"These data were simulated. {target} has {len(examples)} such examples, each in a folder of its own:\n")
    widest = max(map(len, examples))
    for name, example in examples.items():
        click.echo(f"  {name:{widest}}  {example.title}")
    *first, last = reports
    click.echo(f"\nEach holds its files, {', '.join(first)} and {last}. What there is to see, how the data were simulated")
    click.echo(f"and the command that repeats each stand in {target / 'examples.txt'}.")


def _show_left_out(*, texts: bool, pages: bool) -> None:
    """What needs packages that are not installed."""
    missing = {"text": ("the example of translations", texts), "report": ("pages with charts, report.html", pages)}
    absent = {extra: what for extra, (what, here) in missing.items() if not here}
    if absent:
        click.echo(f"Left out for want of packages: {' and '.join(absent.values())}.")
        click.echo(f"`pip install 'outscore[{','.join(absent)}]'` installs them.")


def _show_the_page() -> None:
    click.echo("\nTo look and click instead, run `outscore serve` and choose an example, or drop your own files.")
    if shutil.which("outscore") is None:
        click.echo(f"(`outscore` is in {Path(sys.executable).parent}, which is not on your path.)")

"""`outscore demo`: simulated data of every kind, their reports, and the commands that reproduce them."""

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

from outscore.cli.output import PAGES
from outscore.cli.serve import NEEDED as SERVER
from outscore.core.errors import OutscoreError
from outscore.core.options import check_seed
from outscore.results.files import write_files

if TYPE_CHECKING:
    from outscore.examples.entry import Example

# A comparison of scores and one of outputs: the two questions that most people come with.
SHOWN = ("tagging", "tags")
TEXT_PACKAGES = ("sacrebleu", "rapidfuzz")
WIDTH = 78
FOLDER, RECIPES = "outscore-demo", "outscore-recipes"
# The command that opens a file in the browser: one comes with every desktop.
OPENERS = {"darwin": "open", "win32": "start"}


@click.command()
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    help=f"Where to write.  [default: {FOLDER}; {RECIPES} for recipes]",
    show_default=False,
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulation.")
@click.option("--recipes", is_flag=True, help="Write the files that the documentation's recipes work on instead.")
@click.pass_context
def demo(context: click.Context, folder: str | None, seed: int, *, recipes: bool) -> None:
    """Simulate data of every kind and write reports on them.

    Data and reports are written to DIR; two of the verdicts are printed, with the commands behind them.
    """
    from outscore.examples.registry import EXAMPLES

    check_seed("seed", seed)
    if recipes:
        _write_recipes(Path(folder or RECIPES), seed)
        return
    target = Path(folder or FOLDER)
    _make_folder(target)
    texts, pages = _is_installed(TEXT_PACKAGES), _is_installed(PAGES)
    chosen = {name: example for name, example in EXAMPLES.items() if texts or example.view != "texts"}
    reports = ["report.txt", "report.json", *(["report.html"] if pages else [])]
    click.echo(f"Writing {len(chosen)} examples and their reports to {target} ...\n")
    for name, example in chosen.items():
        _make_folder(target / name)
        write_files({str(target / name / file): text for file, text in example.files(seed).items()})
        # So few segments are scored before other processes could start.
        alone = ["--jobs", "1"] if example.view == "texts" else []
        _run(context, [*example.command(str(target / name)), *alone, *_outputs(target / name, reports)])
    write_files({str(target / "examples.txt"): _list(chosen, target, seed)})
    for name in SHOWN:
        _show(name, chosen[name], target)
    _show_the_rest(chosen, target)
    _show_left_out(texts=texts, pages=pages)
    if pages:
        write_files({str(target / "index.html"): _index(chosen, target)})
        click.echo("\nEach folder has a page with charts, too. To open the first page, which links to them all:")
        click.echo(f"    {_opener()} {shlex.quote(str(target / 'index.html'))}")


def _write_recipes(target: Path, seed: int) -> None:
    """The files of the documentation's recipes, which show what they show with one seed."""
    from outscore.examples.registry import write_recipe_files

    if seed:
        raise OutscoreError(f"--seed is {seed}, and the recipes show the numbers of one seed.", "Leave --seed out.")
    _make_folder(target)
    write_recipe_files(target)
    names = ", ".join(sorted(path.name for path in target.iterdir() if not path.name.startswith(".")))
    click.echo(f"Wrote the files of the recipes to {target}: {names}. Their commands run in there:")
    click.echo(f"    cd {shlex.quote(str(target))}")


def _is_installed(modules: Iterable[str]) -> bool:
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


def _line(example: Example, folder: Path, program: str = "outscore") -> str:
    return f"{program} {shlex.join(example.command(str(folder)))}"


def _wrap(text: str) -> str:
    return click.wrap_text(text, WIDTH, "  ", "  ")


def _list(examples: Mapping[str, Example], target: Path, seed: int) -> str:
    """What every example shows, how it was simulated, and the command that reproduces it."""
    parts = [
        [
            f"{name}: {example.title}",
            _wrap(example.about),
            _wrap(f"Data: {example.parameters}"),
            f"    {_line(example, target / name)}",
            "",
        ]
        for name, example in examples.items()
    ]
    caution = [f"The descriptions hold for seed 0; with seed {seed}, chance may lead to other results.", ""] if seed else []
    return "\n".join([*caution, *(line for part in parts for line in part)])


def _show(name: str, example: Example, target: Path) -> None:
    """An example's verdict, with the command that gives it."""
    click.secho(example.title, bold=True)
    click.echo(_wrap(_verdict(name, target)))
    click.echo(f"    {_line(example, target / name, _program())}\n")


def _verdict(name: str, target: Path) -> str:
    from outscore.results.saved import read_saved

    return str(read_saved(target / name / "report.json").verdict)


def _show_the_rest(examples: Mapping[str, Example], target: Path) -> None:
    click.echo(f"These data were simulated. {target} has {len(examples)} examples:\n")
    widest = max(map(len, examples))
    for name, example in examples.items():
        click.echo(f"  {name:{widest}}  {example.title}")
    click.echo("\nEach has a folder with its data, report.txt and report.json. What each one shows, how its data were")
    click.echo(f"simulated and the command that reproduces it are in {target / 'examples.txt'}.")
    click.echo("\nTo try your own files, or these, in the browser:")
    click.echo(f"    {_program()} serve")


def _show_left_out(*, texts: bool, pages: bool) -> None:
    """What needs packages that are not installed."""
    missing = {
        "text": ("the translation example", texts),
        "report": ("the pages with charts", pages),
        "web": ("`outscore serve`", _is_installed(SERVER)),
    }
    absent = {extra: what for extra, (what, here) in missing.items() if not here}
    if absent:
        click.echo(f"\nNot available without further packages: {', '.join(absent.values())}.")
        click.echo(f"To install them: pip install 'outscore[{','.join(absent)}]'")


def _index(examples: Mapping[str, Example], target: Path) -> str:
    """One page with a link to the page of every example."""
    from outscore.report.build.common import examples_index
    from outscore.report.write import html

    return html.write(examples_index({name: (example.title, _verdict(name, target)) for name, example in examples.items()}))


def _opener() -> str:
    opener = OPENERS.get(sys.platform, "xdg-open")
    if opener == "xdg-open" and shutil.which(opener) is None:
        return f"{shlex.quote(sys.executable)} -m webbrowser"
    return opener


def _program() -> str:
    """The command as it can be typed here: without an activated environment, it is not on the path."""
    if shutil.which("outscore") is not None:
        return "outscore"
    program = Path(sys.executable).parent / "outscore"
    here = Path.cwd()
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))

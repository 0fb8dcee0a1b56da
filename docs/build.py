"""Renew what the documentation quotes: whatever stands between markers is made by running the product.

    <!-- output: outscore metrics -->
    ```text
    (replaced)
    ```
    <!-- /output -->

What can stand between markers is `WRITERS`: the output of a command, a command with its output (`run`; both with a number of
lines if the rest matters less: `run 12: outscore ...`), the options of a request, entries of the registries with formula and
source, the terms of reports, and the public names of the package.

`python docs/build.py` rewrites the files, `python docs/build.py --check` fails when one of them is out of date. Commands run
in a temporary folder that holds the demonstration data and the files of the recipes, so paths are the reader's own.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from outscore import PUBLIC
from outscore.cli.app import app
from outscore.core.options import Option
from outscore.examples.registry import EXAMPLES, write_recipe_files
from outscore.language.phrases import TERMS
from outscore.report.citations import works
from outscore.workflows.requests.registry import FILE_REQUESTS, REQUESTS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TYPED = re.compile(r"^\$ printf '%s\\n' ([\w., ]+) > (\S+)$", re.MULTILINE)
BLOCK = re.compile(r"(<!-- (?P<word>[a-z]+)(?: (?P<lines>\d+))?(?:: (?P<given>.+?))? -->\n).*?(<!-- /(?P=word) -->)", re.DOTALL)


def write_examples(folder: Path) -> None:
    """The files that `outscore demo` writes, without their reports."""
    for name, example in EXAMPLES.items():
        (folder / name).mkdir(parents=True)
        for file, text in example.files(0).items():
            (folder / name / file).write_text(text, encoding="utf-8")


def write_typed_files(text: str, folder: Path) -> None:
    """The files that a page has its readers type in, line by line."""
    for lines, name in TYPED.findall(text):
        (folder / name).write_text("\n".join(lines.split()) + "\n", encoding="utf-8")


def run(command: str, folder: Path) -> str:
    """What a command prints, as a reader at an 80-column terminal would see it."""
    name, *arguments = shlex.split(command)
    with contextlib.chdir(folder):
        done = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(app, arguments, prog_name=name)
    return (done.stdout + done.stderr).rstrip("\n")


def options_of(given: str) -> str:
    """The options of a request as a list; of "NAME beyond OTHER, OTHER", those that another describes alike are only named."""
    name, _, others = given.partition(" beyond ")
    every = {**REQUESTS, **FILE_REQUESTS}
    left = list(every[name].options())
    sentences = []
    for other in filter(None, others.split(", ")):
        known = {option.name: _meaning(option) for option in every[other].options()}
        shared = [option for option in left if known.get(option.name) == _meaning(option)]
        left = [option for option in left if option not in shared]
        words = ", ".join(f"`--{option.long}`" for option in shared if not _is_input(option))
        sentences += [f"As of {COMMANDS.get(other, f'`{other}`')}: {words}.\n"] if words else []
    return "\n".join([option_list(left), *sentences])


COMMANDS = {"texts": "`compare --reference`"}
"""What a reader calls a request that is no command of its own."""


def _meaning(option: Option) -> tuple[object, ...]:
    return option.long, option.keyword, _default(option), option.help


def _is_input(option: Option) -> bool:
    return option.kind == "file" and option.name in ("files", "gold")


def option_list(options: Iterable[Option]) -> str:
    """Options as a list: their defaults, what they do, and their name in Python where it is another."""
    rows = []
    for option in options:
        if _is_input(option):
            continue
        default = f" Default: {_default(option)}." if _default(option) else ""
        python = "in `options`" if option.keyword is None else f"`{option.keyword}`"
        other = "" if option.keyword == option.long.replace("-", "_") else f" Python: {python}."
        rows.append(f"- `--{option.long}`: {option.help}{default}{other}")
    return "\n".join(rows) + "\n"


def _default(option: Option) -> str:
    if option.default_text:
        return option.default_text
    # Zero is a default; what is empty, or off, needs no word.
    empty = option.default is None or option.default is False or option.default in ((), {})
    return "" if empty else f"`{option.default}`"


def methods(registry: Mapping[str, Any]) -> str:
    """Entries of a registry: what each is, its formula, what it takes, its options and its source; an option in full once."""
    parts = []
    known: set[str] = set()
    first: dict[str, str] = {}
    for name, entry in registry.items():
        lines = [f"### `{name}`", "", f"{_capital(entry.summary)}.", "", f"$${entry.formula}$$", ""]
        if hasattr(entry, "layouts_text"):
            lines += [f"Takes {entry.layouts_text}.", ""]
        said = {o.name: f"- `{o.name}`{_choices(o)}{_standard(o)}: {o.help}" for o in getattr(entry, "options", ())}
        lines += [line for line in said.values() if line not in first]
        as_of: dict[str, list[str]] = {}
        for option, line in said.items():
            if line in first:
                as_of.setdefault(first[line], []).append(f"`{option}`")
            first.setdefault(line, name)
        lines += [f"- {', '.join(options)}: as of `{other}`" for other, options in as_of.items()]
        lines += [""] if lines[-1] else []
        sources = "; ".join(_cited(works()[key].line, known) for key in entry.citations)
        lines += [f"Source: {sources}.", ""] if sources else []
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _cited(work: str, known: set[str]) -> str:
    """A work by its authors, year and, where it is named first, title: reports have the rest, as BibTeX."""
    authors, _, rest = work.partition(": ")
    if work in known:
        return authors
    known.add(work)
    title = re.match(r".+?[.?](?= )", rest)
    return f"{authors}: {(title[0] if title else rest).rstrip('.')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")


def _choices(option: Option) -> str:
    return f" ({', '.join(option.known)})" if option.known else ""


def _standard(option: Option) -> str:
    """The default of an option, unless it is empty."""
    if option.default == "":
        return ""
    return f", default `{'none' if option.default is None else option.default}`"


def _registry(name: str) -> Mapping[str, Any]:
    module, attribute = {
        "tests": ("outscore.inference.registry", "TESTS"),
        "corrections": ("outscore.inference.families", "CORRECTIONS"),
        "metrics": ("outscore.metrics.registry", "METRICS"),
        "text-metrics": ("outscore.metrics.text.registry", "TEXT_METRICS"),
    }[name]
    registry: Mapping[str, Any] = getattr(import_module(module), attribute)
    return registry


def public_names() -> str:
    """Every public name: what each function is, by the first sentence of its documentation, and the types by name."""
    rows, types = ["| name | what it is |", "|---|---|"], []
    for module, names in PUBLIC.items():
        types += [f"`{name}`" for name in names if name[0].isupper()]
        rows += [f"| `osc.{name}` | {_about(getattr(import_module(module), name))} |" for name in names if name[0].islower()]
    return "\n".join([*rows, "", f"Types, which `help(osc.NAME)` describes: {', '.join(types)}."]) + "\n"


def _about(public: object) -> str:
    """What a public name is: the first paragraph of its documentation."""
    text = inspect.getdoc(public) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "/")


def _said(marker: Marker) -> list[str]:
    """The first lines of what a command says, as many as are asked for."""
    lines = run(marker.given, marker.folder).split("\n")
    return lines if marker.lines is None or len(lines) <= marker.lines else [*lines[: marker.lines], "..."]


def _fenced(language: str, lines: Iterable[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"]) + "\n"


@dataclass(frozen=True)
class Marker:
    """What a marker gives, how many lines it asks for, and the folder in which commands run."""

    given: str
    lines: int | None
    folder: Path


WRITERS: dict[str, Callable[[Marker], str]] = {
    "output": lambda marker: _fenced("text", _said(marker)),
    "run": lambda marker: _fenced("console", [f"$ {marker.given}", *_said(marker)]),
    "options": lambda marker: options_of(marker.given),
    "methods": lambda marker: methods(_registry(marker.given)),
    "public": lambda _: public_names(),
    "originals": lambda _: str(import_module("originals").table()),
    "terms": lambda _: "".join(f"\n### {term}\n\n{meaning}\n" for term, meaning in TERMS.items()) + "\n",
}
"""What stands between markers, by their word."""


def renewed(text: str, folder: Path) -> str:
    """A page with everything between markers renewed."""

    def write(block: re.Match[str]) -> str:
        if block["word"] not in WRITERS:
            return block[0]
        lines = None if block["lines"] is None else int(block["lines"])
        return block[1] + WRITERS[block["word"]](Marker(block["given"] or "", lines, folder)) + block[5]

    return BLOCK.sub(write, text)


def main(arguments: list[str]) -> int:
    """Rewrite, or check: all pages, or those whose paths hold one of the words."""
    words = [word for word in arguments if word != "--check"]
    stale = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_examples(folder / "outscore-demo")
        write_recipe_files(folder)
        for page in PAGES:
            if words and not any(word in str(page.relative_to(ROOT)) for word in words):
                continue
            old = page.read_text(encoding="utf-8")
            write_typed_files(old, folder)
            new = renewed(old, folder)
            if new != old:
                stale.append(page.relative_to(ROOT))
                if "--check" not in arguments:
                    page.write_text(new, encoding="utf-8")
    for page in stale:
        print(f"{page}: {'out of date, run `make docs`' if '--check' in arguments else 'renewed'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

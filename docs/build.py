"""Renew what the documentation quotes: every table and every output between markers is made by running its command.

    <!-- output: outscore metrics -->
    ```text
    (replaced)
    ```
    <!-- /output -->

Tables of options come from the declared requests, between `<!-- options: compare -->` and `<!-- /options -->`.

`python docs/build.py` rewrites the files, `python docs/build.py --check` fails when one of them is out of date. Commands run
in a temporary folder that holds the demonstration data, so paths in the outputs are the reader's own.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from click.testing import CliRunner

from outscore.cli.app import app
from outscore.core.options import Option
from outscore.examples.registry import EXAMPLES
from outscore.workflows.requests.registry import FILE_REQUESTS, REQUESTS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OPTIONS = re.compile(r"(<!-- options: (?P<request>\w+) -->\n).*?(<!-- /options -->)", re.DOTALL)
BLOCK = re.compile(r"(<!-- output: (?P<command>.+?) -->\n```text\n).*?(```\n<!-- /output -->)", re.DOTALL)


def write_examples(folder: Path) -> None:
    """The files that `outscore demo` writes, without their reports."""
    for name, example in EXAMPLES.items():
        (folder / name).mkdir(parents=True)
        for file, text in example.files(0).items():
            (folder / name / file).write_text(text, encoding="utf-8")


def run(command: str, folder: Path) -> str:
    """What a command prints, as a reader at an 80-column terminal would see it."""
    name, *arguments = shlex.split(command)
    with contextlib.chdir(folder):
        done = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(app, arguments, prog_name=name)
    return (done.stdout + done.stderr).rstrip("\n")


def option_table(options: Iterable[Option]) -> str:
    """The options of a request as a table: on the command line, in Python, their defaults and what they do."""
    rows = ["| option | in Python | default | meaning |", "|---|---|---|---|"]
    for option in options:
        if option.kind == "file" and option.name in ("files", "gold"):
            continue
        word = f"`--{option.long}`"
        keyword = "in `options`" if option.keyword is None else f"`{option.keyword}`"
        rows.append(f"| {word} | {keyword} | {_default(option)} | {option.help.replace('|', '/')} |")
    return "\n".join(rows) + "\n"


def _default(option: Option) -> str:
    if option.default_text:
        return option.default_text
    # Zero is a default; what is empty, or off, needs no word.
    empty = option.default is None or option.default is False or option.default in ((), {})
    return "" if empty else f"`{option.default}`"


def renewed(text: str, folder: Path) -> str:
    """A page with all its outputs and tables made anew."""
    requests = {**REQUESTS, **FILE_REQUESTS}
    text = OPTIONS.sub(lambda block: block[1] + option_table(requests[block["request"]].options()) + block[3], text)
    return BLOCK.sub(lambda block: block[1] + run(block["command"], folder) + "\n" + block[3], text)


def main(arguments: list[str]) -> int:
    """Rewrite, or check."""
    stale = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_examples(folder / "outscore-demo")
        for page in PAGES:
            old = page.read_text(encoding="utf-8")
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

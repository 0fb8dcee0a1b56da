"""Writing results: to standard output, and to files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results import Comparisons

__all__ = ["FORMS", "check_suffixes", "show", "to_json", "write_files", "write_result"]

FORMS = ("text", "json", "markdown", "latex")
SUFFIXES = {".txt": "text", ".json": "json", ".md": "markdown", ".tex": "latex", ".html": "html"}


def check_suffixes(paths: Iterable[str]) -> None:
    """Refuse unknown endings before any work is done."""
    for path in paths:
        if Path(path).suffix.lower() not in SUFFIXES:
            raise OutscoreError(f"`{path}`: the ending decides the form of the file.", f"Use one of {', '.join(SUFFIXES)}.")


def to_json(result: Comparisons) -> str:
    """The result as JSON text."""
    return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_format(result: Comparisons, form: str, *, verbose: bool = False) -> str:
    """The result in one of the output forms."""
    if form == "json":
        return to_json(result)
    if form == "html":
        from outscore.report.html import render_html

        return render_html(result)
    from outscore.report import latex, markdown, text

    renderers = {"text": text.render, "markdown": markdown.render, "latex": latex.render}
    return renderers[form](result, verbose=verbose)


def show(result: Comparisons, form: str, *, verbose: bool = False) -> None:
    """Print the result; on a terminal the verdicts stand out."""
    text = to_format(result, form, verbose=verbose)
    if form == "text" and sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        _show_coloured(result, text)
    else:
        click.echo(text, nl=False)


def _show_coloured(result: Comparisons, text: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from outscore.report.facts import headline

    rich_text = Text(text.rstrip("\n"))
    for comparison in result.comparisons:
        style = "bold green" if comparison.decision.winner is not None else "bold yellow"
        rich_text.highlight_words([headline(comparison)[0]], style=style)
    Console(highlight=False, soft_wrap=True).print(rich_text)


def write_result(result: Comparisons, paths: Iterable[str], *, verbose: bool = False) -> None:
    """Write the result to each file, in the form its ending asks for."""
    write_files({path: to_format(result, SUFFIXES[Path(path).suffix.lower()], verbose=verbose) for path in paths})


def write_files(texts: Mapping[str, str]) -> None:
    """Write all files or none: everything goes to neighbours first, and only then takes its place."""
    ready: list[tuple[Path, Path]] = []
    try:
        for name, text in texts.items():
            target = Path(os.path.realpath(name))
            if target.exists() and not target.is_file():
                # A device or a pipe cannot be replaced; a folder fails here with a clear reason.
                target.write_text(text, encoding="utf-8")
                continue
            neighbour = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
            ready.append((neighbour, target))
            neighbour.write_text(text, encoding="utf-8", newline="\n")
        for neighbour, target in ready:
            neighbour.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutscoreError(f"`{name}` could not be written: {reason}.", "Check the folder and the free space.") from None
    finally:
        for neighbour, _ in ready:
            with contextlib.suppress(OSError):
                neighbour.unlink(missing_ok=True)

"""Writing results: to standard output, and to files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results import Comparison, Comparisons, Result

__all__ = [
    "FORMS",
    "SUFFIXES",
    "WITH_TABLES",
    "check_outputs",
    "check_suffixes",
    "show",
    "to_json",
    "write_all",
    "write_files",
    "write_result",
]

FORMS = ("text", "json", "markdown", "latex")
SUFFIXES = {".txt": "text", ".json": "json", ".md": "markdown", ".tex": "latex", ".html": "html"}
WITH_TABLES = {**SUFFIXES, ".csv": "csv"}
# Modules by the names under which they are installed.
DRAWING = {"altair": "altair", "vl_convert": "vl-convert-python"}
PAGES = {"jinja2": "jinja2", **DRAWING}


def check_suffixes(paths: Iterable[str], known: Mapping[str, str] = SUFFIXES) -> None:
    """Refuse unknown endings before any work is done."""
    for path in paths:
        if Path(path).suffix.lower() not in known:
            raise OutscoreError(f"`{path}`: the ending decides the form of the file.", f"Use one of {', '.join(known)}.")


def check_outputs(paths: Iterable[str], charts: str | None, inputs: Iterable[str] = ()) -> None:
    """Refuse what could not be written before any work is done: endings, folders, missing packages, one's own input."""
    paths = list(paths)
    check_suffixes(paths, WITH_TABLES)
    read = {os.path.realpath(path) for path in inputs if path != "-"}
    for path in paths:
        if os.path.realpath(path) in read:
            raise OutscoreError(f"`{path}` is read from, and would be overwritten.", "Name another file with -o.")
        if Path(path).is_dir():
            raise OutscoreError(f"`{path}` is a folder, a file was expected.", "Name a file inside it with -o.")
        folder = Path(path).parent
        if not folder.is_dir():
            raise OutscoreError(f"`{path}` cannot be written: there is no folder `{folder}`.", "Make it first.")
        _check_access(path, Path(os.path.realpath(path)).parent)
        if Path(path).suffix.lower() == ".html":
            _check_packages(PAGES, f"write `{path}`")
    if charts is not None:
        _check_packages(DRAWING, "draw charts")
        target = Path(charts)
        if target.exists() and not target.is_dir():
            raise OutscoreError(f"`{charts}` is a file, --charts names a folder.", "Name a folder; it is made if need be.")
        _check_access(charts, next(place for place in (target, *target.absolute().parents) if place.is_dir()))


def _check_access(path: str, folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutscoreError(f"`{path}` cannot be written: the folder may not be changed.", "Name another folder.")


def _check_packages(modules: Mapping[str, str], purpose: str) -> None:
    for module, package in modules.items():
        if find_spec(module) is None:
            raise OutscoreError(f"{package} must be installed to {purpose}.", "Run `pip install 'outscore[report]'`.")


def to_json(result: Result) -> str:
    """The result as JSON text."""
    return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(result: Comparisons) -> str:
    """One line per comparison, with all digits: for spreadsheets and further computing."""
    text = io.StringIO()
    rows = [_row(c) for c in result.comparisons]
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _row(c: Comparison) -> dict[str, object]:
    low, high, level = (None, None, None) if c.interval is None else (c.interval.low, c.interval.high, c.interval.level)
    column, value = (None, None) if c.slice is None else (c.slice.column, c.slice.value)
    return {
        "system_a": c.systems[0],
        "system_b": c.systems[1],
        "metric": c.metric,
        "dataset": c.dataset,
        "slice_column": column,
        "slice": value,
        "n": c.n,
        "clusters": c.clusters,
        "score_a": c.scores[0].value,
        "score_b": c.scores[1].value,
        "difference": c.difference,
        "low": low,
        "high": high,
        "level": level,
        "interval_of": None if c.interval is None else c.interval.estimand,
        "test": c.p.test,
        "method": c.p.method,
        "p": c.p.value,
        "p_lower": c.p.lower,
        "p_upper": c.p.upper,
        "p_adjusted": c.p.adjusted,
        "winner": None if c.decision.winner is None else c.systems[c.decision.winner],
        "claim": c.decision.claim,
    }


def to_format(result: Comparisons, form: str, *, verbose: bool = False) -> str:
    """The result in one of the output forms."""
    if form == "json":
        return to_json(result)
    if form == "csv":
        return to_csv(result)
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
    write_files({path: to_format(result, WITH_TABLES[Path(path).suffix.lower()], verbose=verbose) for path in paths})


def write_all(result: Comparisons, paths: Iterable[str], charts: str | None, *, verbose: bool = False) -> None:
    """Write the files and the charts, and nothing if any of them cannot be made."""
    if charts is None:
        write_result(result, paths, verbose=verbose)
        return
    from outscore.report.charts import write_charts

    target = Path(charts)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        drawn = write_charts(result, beside)
        write_result(result, paths, verbose=verbose)
        target.mkdir(exist_ok=True)
        for path in drawn:
            path.replace(target / path.name)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


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

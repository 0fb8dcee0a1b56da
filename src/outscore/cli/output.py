"""What a command writes: results to standard output and to files, and a sign of life while work takes long."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.core.errors import OutscoreError
from outscore.results.files import check_suffixes, check_target, form_of_file, write_files

if TYPE_CHECKING:
    from rich.status import Status

    from outscore.report.document import Tone
    from outscore.report.render import AnyResult


# A sign of life: a spinner on standard error while work takes longer than a moment, on a terminal and nowhere else.


MOMENT = 1.0


def remark(text: str) -> None:
    """Print a remark that is worth knowing but not part of a result."""
    from outscore.report.document import clean

    click.echo(f"outscore: {clean(text)}", err=True)


@contextmanager
def working(doing: str) -> Iterator[None]:
    """Show what is being done if it takes longer than a second; the spinner is removed afterwards, whatever happens."""
    if not sys.stderr.isatty():
        yield
        return
    spinner = _Spinner(doing)
    timer = threading.Timer(MOMENT, spinner.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        spinner.stop()


class _Spinner:
    """Starts late, from the timer's thread, and not at all once it has been stopped."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._lock = threading.Lock()
        self._status: Status | None = None
        self._stopped = False

    def start(self) -> None:
        with self._lock:
            if self._stopped:
                return
            from rich.console import Console

            self._status = Console(stderr=True).status(f"{self._doing} (Ctrl-C stops)")
            self._status.start()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._status is not None:
                self._status.stop()


# Writing results: to standard output, and to files that are written whole or not at all.


USUAL_COLUMNS, MAX_COLUMNS = 80, 160
"""The width of text without a terminal, and the width beyond which lines are hard to read."""

FORMS = ("text", "line", "json", "markdown", "latex")
# Modules by the names under which they are installed.
DRAWING = {"altair": "altair", "vl_convert": "vl-convert-python"}
PAGES = {"jinja2": "jinja2", **DRAWING}


def check_outputs(paths: Iterable[str], charts: str | None, inputs: Iterable[str] = ()) -> None:
    """Refuse what cannot be written before any work is done: endings, folders, missing packages, the input itself."""
    paths, read = list(paths), list(inputs)
    check_suffixes(paths)
    for path in paths:
        check_target(path, read, "-o")
        _check_access(path, Path(os.path.realpath(path)).parent)
        if Path(path).suffix.lower() == ".html":
            _check_packages(PAGES, f"write `{path}`")
    if charts is not None:
        _check_packages(DRAWING, "draw charts")
        target = Path(charts)
        if target.exists() and not target.is_dir():
            raise OutscoreError(
                f"`{charts}` is a file, but --charts takes a folder.", "Name a folder; it is created if necessary."
            )
        _check_access(charts, next(place for place in (target, *target.absolute().parents) if place.is_dir()))


def _check_access(path: str, folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutscoreError(f"`{path}` cannot be written: you may not write to the folder.", "Name another folder.")


def _check_packages(modules: Mapping[str, str], purpose: str) -> None:
    for module, package in modules.items():
        if find_spec(module) is None:
            raise OutscoreError(f"{package} must be installed to {purpose}.", "Run `pip install 'outscore[report]'`.")


def screen_columns() -> int:
    """The width of the terminal; the usual width for a file or a pipe, whose contents must not depend on the terminal."""
    return min(shutil.get_terminal_size().columns, MAX_COLUMNS) if sys.stdout.isatty() else USUAL_COLUMNS


def _emphasis() -> Callable[[str, Tone], str] | None:
    """On a terminal, headlines are highlighted: green if the question is decided, red if a gate fails, else yellow."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return None
    return lambda words, tone: click.style(words, fg={"won": "green", "lost": "red"}.get(tone, "yellow"), bold=True)


def deliver(
    result: AnyResult,
    form: str,
    outputs: Iterable[str],
    charts: str | None,
    *,
    verbose: bool = False,
    further: Mapping[str, str | bytes] | None = None,
    **shown: Any,  # noqa: ANN401 - what `render` takes for a diff
) -> None:
    """Write a result, each file in the form of its ending, and further files, and print it: everything or nothing."""
    from outscore.report.render import render

    with working("writing"):
        forms = {path: form_of_file(path, has_pairs=result.has_pairs) for path in outputs}
        texts = {path: render(result, of_file, verbose=verbose, **shown) for path, of_file in forms.items()}
        # A person reads the answer; whoever wants what it rests on asks for it.
        form = "screen" if form == "text" and not verbose else form
        printed = render(result, form, verbose=verbose, width=screen_columns(), emphasis=_emphasis(), **shown)
        # Files first: a closed pipe must not cost the saved result.
        _write_with_charts({**texts, **(further or {})}, result, charts)
    try:
        click.echo(printed, nl=False)
    except BrokenPipeError:
        # Whoever was reading has gone; the exit code still has to be that of the answer.
        silence_stdout()


def silence_stdout() -> None:
    """Print nothing more: Python flushes once more on its way out, which would fail a second time."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_with_charts(texts: Mapping[str, str | bytes], result: AnyResult, charts: str | None) -> None:
    """Write files, and the result's charts if a folder for them is named: all or nothing, including the folder."""
    if charts is None:
        write_files(texts)
        return
    from outscore.report.render import chart_files

    folder = Path(charts)
    drawn = {str(folder / name): content for name, content in chart_files(result).items()}
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutscoreError(f"The charts could not be written to `{charts}`: {reason}.", "Name another folder.") from None
        write_files({**texts, **drawn})
    except BaseException:
        for place in missing:
            with contextlib.suppress(OSError):
                place.rmdir()
        raise

"""Files of results: their forms by suffix, written completely or not at all."""

from __future__ import annotations

import contextlib
import csv
import glob
import io
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from outscore.core.errors import OutscoreError

SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".csv": "csv",
    ".svg": "badge",
}
"""The form of a file by its suffix."""
PAIRS_SUFFIX = "pairs.csv"
"""The ending of a file of pairs, for results that have them; any other table of a ranking contains its systems."""
FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


def check_suffixes(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse unknown suffixes before any work is done."""
    for path in paths:
        if Path(path).suffix.lower() not in SUFFIXES:
            raise OutscoreError(f"`{path}`: the ending decides the form of the file.", f"Use one of {', '.join(SUFFIXES)}.")


def form_of_file(path: str | os.PathLike[str], *, has_pairs: bool = False) -> str:
    """The form in which a result goes into this file.

    Examples
    --------
    >>> form_of_file("table.TEX"), form_of_file("x-pairs.csv", has_pairs=True), form_of_file("x-pairs.csv")
    ('latex', 'pairs', 'csv')
    """
    check_suffixes([path])
    if has_pairs and Path(path).name.lower().endswith(PAIRS_SUFFIX):
        return "pairs"
    return SUFFIXES[Path(path).suffix.lower()]


def check_target(path: str, inputs: Iterable[str], option: str) -> None:
    """Refuse a file that cannot be written, or that is an input, before any work is done; `option` is the one that names it."""
    refuse_overwriting([path], inputs, option)
    if Path(path).is_dir():
        raise OutscoreError(f"`{path}` is a folder, but a file was expected.", f"Name a file inside it with {option}.")
    check_folder(path)


def check_further(path: str, inputs: Iterable[str], *, option: str, ending: str, holds: str) -> None:
    """Refuse a further file with its own option if it cannot be written, before any work is done."""
    if Path(path).suffix.lower() != ending:
        raise OutscoreError(f"`{path}`: {option} writes {holds}.", f"Name a file that ends in {ending}.")
    refuse_overwriting([path], inputs, option)
    check_folder(path)


def check_folder(path: str) -> None:
    """Refuse a file whose folder does not exist."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise OutscoreError(f"`{path}` cannot be written: there is no folder `{folder}`.", "Create it first.")


def refuse_overwriting(paths: Iterable[str], inputs: Iterable[str], option: str) -> None:
    """Refuse to overwrite inputs: files, files behind a pattern, files in a folder."""
    read = {os.path.realpath(file) for written in inputs for file in _files_behind(written)}
    for path in paths:
        target = Path(os.path.realpath(path))
        if str(target) in read or (target.exists() and any(str(folder) in read for folder in target.parents)):
            raise OutscoreError(f"`{path}` is an input and would be overwritten.", f"Name another file with {option}.")


def _files_behind(written: str) -> list[str]:
    if written == "-":
        return []
    if glob.has_magic(written) and not Path(written).exists():
        return glob.glob(written, recursive=True)  # noqa: PTH207 - patterns may be absolute
    return [written]


def write_files(contents: Mapping[str, str | bytes | Iterable[bytes]]) -> None:
    """Write all files or none: everything goes to temporary files first, which then take their places.

    Content may be produced piece by piece while it is written.
    """
    ready: list[tuple[Path, Path]] = []
    try:
        for name, content in contents.items():
            target, pieces = Path(os.path.realpath(name)), _pieces(content)
            if target.exists() and not target.is_file():
                # A device or a pipe cannot be replaced; a folder fails here with a clear reason.
                _write(target, pieces)
                continue
            neighbour = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
            ready.append((neighbour, target))
            _write(neighbour, pieces)
        for neighbour, target in ready:
            neighbour.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutscoreError(f"`{name}` could not be written: {reason}.", "Check the folder and the free space.") from None
    finally:
        for neighbour, _ in ready:
            with contextlib.suppress(OSError):
                neighbour.unlink(missing_ok=True)


def _pieces(content: str | bytes | Iterable[bytes]) -> Iterable[bytes]:
    if isinstance(content, str):
        return [content.encode()]
    return [content] if isinstance(content, bytes) else content


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(pieces)


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Rows as CSV, for spreadsheets and further computing: a line of column names, and a line per row, which may lack some."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: _defused(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _defused(value: object) -> object:
    """A text that spreadsheets would take for a formula, with an apostrophe before it; numbers stay what they are.

    Examples
    --------
    >>> [_defused(value) for value in ("=HYPERLINK(1)", "-x", "-", "gpt-4", -0.5)]
    ["'=HYPERLINK(1)", "'-x", '-', 'gpt-4', -0.5]
    """
    return f"'{value}" if isinstance(value, str) and len(value) > 1 and value.startswith(FORMULA_MARKS) else value

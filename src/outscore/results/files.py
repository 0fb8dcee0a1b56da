"""Files of results: their forms by suffix, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from outscore.core.errors import OutscoreError

__all__ = ["SUFFIXES", "check_suffixes", "form_of_file", "write_files"]

SUFFIXES = {".txt": "text", ".json": "json", ".md": "markdown", ".tex": "latex", ".html": "html", ".csv": "csv"}
"""The form of a file by its suffix."""
PAIRS_SUFFIX = "pairs.csv"
"""A ranking is two tables: a file of any other name holds its systems, one of this ending its pairs."""


def check_suffixes(paths: Iterable[str | os.PathLike[str]], known: Mapping[str, str] = SUFFIXES) -> None:
    """Refuse unknown suffixes before any work is done."""
    for path in paths:
        if Path(path).suffix.lower() not in known:
            raise OutscoreError(f"`{path}`: the ending decides the form of the file.", f"Use one of {', '.join(known)}.")


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


def write_files(contents: Mapping[str, str | bytes]) -> None:
    """Write all files or none: everything goes to neighbours first, and only then takes its place."""
    ready: list[tuple[Path, Path]] = []
    try:
        for name, content in contents.items():
            target, data = Path(os.path.realpath(name)), content.encode() if isinstance(content, str) else content
            if target.exists() and not target.is_file():
                # A device or a pipe cannot be replaced; a folder fails here with a clear reason.
                target.write_bytes(data)
                continue
            neighbour = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
            ready.append((neighbour, target))
            neighbour.write_bytes(data)
        for neighbour, target in ready:
            neighbour.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutscoreError(f"`{name}` could not be written: {reason}.", "Check the folder and the free space.") from None
    finally:
        for neighbour, _ in ready:
            with contextlib.suppress(OSError):
                neighbour.unlink(missing_ok=True)

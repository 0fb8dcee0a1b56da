"""From the files that a request names to systems, their runs, references and labels: the same for two systems and for many.

Each file that is named is a system, and a quoted pattern stands for the runs of one. A table, or an XML file of WMT, may hold
several systems and their references; it is read once, whatever it is named for.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.formats.texts.file import TextFile
from outscore.formats.texts.read import read_texts
from outscore.formats.texts.segments import Segments, read_segments
from outscore.scores.system import Origin
from outscore.workflows.names import distinct_names
from outscore.workflows.requests import shared

__all__ = ["TextFiles", "read_text_files", "runs_in"]

PATTERN = re.compile(r"[._-]*(?:[*?]|\[[^]]*\])+([._-]?)")
"""Wildcards with what joins them to the rest of a name; what follows stays, and may begin the suffix."""


@dataclass(frozen=True, eq=False)
class TextFiles:
    """What files of texts hold: runs by system, references, the document of each segment, and what to say of them."""

    systems: Mapping[str, Sequence[Segments]]
    references: Sequence[Segments]
    documents: Segments | tuple[str, ...] | None
    labels: Mapping[str, Segments] = field(default_factory=dict)
    origins: Sequence[Origin] = ()
    notes: Sequence[str] = ()


class _Opened:
    """Files that were read, each once."""

    def __init__(self, reader: str, columns: Mapping[str, str]) -> None:
        self.reader, self.columns = reader, columns
        self.files: dict[str, TextFile] = {}
        self.labels: dict[str, Segments] = {}

    def text(self, path: str) -> TextFile:
        if path not in self.files:
            self.files[path] = read_texts(path, reader=self.reader, columns=self.columns)
        return self.files[path]

    def label(self, path: str) -> Segments:
        if path not in self.labels:
            self.labels[path] = read_segments(path)
        return self.labels[path]

    @property
    def origins(self) -> list[Origin]:
        found = [file.origin for file in self.files.values()]
        return [*found, *(text.origin for text in self.labels.values() if text.origin is not None)]

    @property
    def notes(self) -> list[str]:
        return [note for file in self.files.values() for note in file.held.notes]


def read_text_files(
    files: Sequence[str],
    reference: Sequence[str],
    *,
    documents: str | None = None,
    labels: Sequence[str] = (),
    names: Sequence[str] = (),
    system: Sequence[str] = (),
    reader: str = shared.TEXT_READER.default,
    columns: Mapping[str, str] | None = None,
) -> TextFiles:
    """Read the files of systems, references and labels; `system` chooses from files that hold several."""
    opened = _Opened(reader, columns or {})
    systems = _systems(files, system, opened)
    references = [text for path in reference for text in opened.text(path).references()]
    if names:
        if len(names) != len(systems):
            raise OutscoreError(
                f"--names names {len(names)} systems, and there are {len(systems)}.",
                "Give a name for each, separated by commas.",
                parameter="names",
            )
        systems = dict(zip(names, systems.values(), strict=True))
    # Before the texts are compared, as labels of other segments may mean the wrong reference.
    found = {path: opened.label(path) for path in labels}
    grouped = None if documents is None else _documents(documents, opened)
    return TextFiles(systems, references, grouped, found, opened.origins, opened.notes)


def _documents(path: str, opened: _Opened) -> Segments | tuple[str, ...]:
    """The document of each segment: a label per line, or what a file of texts says of its segments."""
    if path in opened.files:
        found = opened.files[path].held.documents
        if found is None:
            raise OutscoreError(
                f"`{path}` does not say which document a segment belongs to.",
                "Name a file with a document per line, or one with a column `document`.",
                parameter="documents",
            )
        return found
    return opened.label(path)


def _systems(files: Sequence[str], chosen: Sequence[str], opened: _Opened) -> dict[str, list[Segments]]:
    """Runs by system. A file that holds several systems is one of many systems, and of no runs."""
    found: list[tuple[str, str, list[Segments]]] = []
    for written in files:
        paths = runs_in(written)
        texts = [opened.text(path).systems() for path in paths]
        several = next((path for path, held in zip(paths, texts, strict=True) if len(held) > 1), None)
        if several is not None and len(paths) > 1:
            raise OutscoreError(
                f"`{several}` holds several systems, and `{written}` stands for runs of one.", "Name the files one by one."
            )
        if several is not None:
            found += [(written, text.name, [text]) for text in texts[0]]
        else:
            found.append((written, _own_name(opened.text(paths[0]), len(paths)), [held[0] for held in texts]))
    named = _named(found)
    for name in chosen:
        if name not in named:
            raise OutscoreError(f"There is no system `{name}`.", did_you_mean(name, named), parameter="system")
    return {name: named[name] for name in chosen} if chosen else named


def _own_name(file: TextFile, runs: int) -> str:
    """The name that a file gives its only system; nothing where that is only the file's own."""
    if runs > 1 or file.origin.format == "segments":
        return ""
    (text,) = file.systems()
    return text.name


def _named(found: Sequence[tuple[str, str, list[Segments]]]) -> dict[str, list[Segments]]:
    """Systems by names that differ: their own, else those of their files."""
    own = [name for _, name, _ in found]
    paths = distinct_names([_without_pattern(path) for path, _, _ in found])
    clear = [bool(name) and own.count(name) == 1 for name in own]
    called = [name if fits else path for name, path, fits in zip(own, paths, clear, strict=True)]
    if len(set(called)) < len(called):
        called = paths
    return {name: runs for name, (_, _, runs) in zip(called, found, strict=True)}


def runs_in(written: str) -> list[str]:
    """The files that a quoted pattern stands for: runs of one system."""
    if Path(written).exists() or not glob.has_magic(written):
        return [written]
    found = sorted(glob.glob(written))  # noqa: PTH207 - patterns may be absolute
    if not found:
        raise OutscoreError(f"No file fits `{written}`.", "Check the pattern and the folder you are in.")
    return found


def _without_pattern(path: str) -> str:
    """What a pattern's files have in common, `new.txt` for `new-*.txt`; the pattern itself where that is no name."""
    if Path(path).exists():
        return path
    plain = PATTERN.sub(r"\1", path)
    return path if Path(plain).name.startswith(".") or not Path(plain).name else plain

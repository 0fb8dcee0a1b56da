"""What travels over HTTP besides results: the bodies of requests, and the description of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from outscore.core.records import dataclass

__all__ = ["Column", "FileDescription", "JobRequest", "ResultRequest", "SettingsFileRequest", "SettingsRequest", "TextRequest"]

SettingsRequest = dict[str, str | int | float | bool | list[str | int | float] | None]
"""Settings by name; null and the empty string mean the default."""


@dataclass(frozen=True)
class TextRequest:
    """A pasted text, and the name it gets as a file."""

    name: str
    text: str


@dataclass(frozen=True)
class JobRequest:
    """A command, the ids of uploads by the part they play in it, and settings by name."""

    command: str
    files: dict[str, list[str]] = field(default_factory=dict)
    settings: SettingsRequest = field(default_factory=dict)


@dataclass(frozen=True)
class ResultRequest:
    """A name for a result, and whether it is kept for as long as the page runs; what is left out stays as it is."""

    name: str | None = None
    kept: bool | None = None


@dataclass(frozen=True)
class SettingsFileRequest:
    """The id of an upload that holds settings."""

    file: str


@dataclass(frozen=True)
class Column:
    """A column: its name, the part it plays (None: none), and whether it holds numbers or text."""

    name: str
    part: str | None
    kind: Literal["number", "text"]


@dataclass(frozen=True)
class FileDescription:
    """What is known about a file.

    `suits` are the views it can be used in and `task` is what a diff would take it for; `problem` says why it cannot be used
    as it is, `empty` counts cells without a score, and `reading` says what its columns were taken to mean. Of a log, `tasks`,
    `scores` and `filters` are what it holds; a `companion` belongs to the logs it came with and is no input by itself. A table
    or log that is `whole` holds the right answers and those of several systems, and needs no other file for a diff.
    """

    format: str | None
    rows: int | None = None
    columns: Sequence[Column] = ()
    systems: Sequence[str] = ()
    head: Sequence[Sequence[str]] = ()
    suits: Sequence[str] = ()
    problem: str | None = None
    empty: int = 0
    task: str | None = None
    reading: str | None = None
    tasks: Sequence[str] = ()
    scores: Sequence[str] = ()
    filters: Sequence[str] = ()
    companion: bool = False
    whole: bool = False

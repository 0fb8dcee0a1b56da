"""What requests hold, and what is told about files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Column", "Description", "JobRequest", "SettingsRequest", "TextRequest"]

SettingsRequest = dict[str, str | int | float | bool | list[str | int | float] | None]
"""Settings by name; null and the empty text stand for the default."""


@dataclass(frozen=True)
class TextRequest:
    """A text that was pasted, and the name it gets as a file."""

    name: str
    text: str


@dataclass(frozen=True)
class JobRequest:
    """A command, the ids of uploads by the part they play, and settings by name."""

    command: str
    files: dict[str, list[str]] = field(default_factory=dict)
    settings: SettingsRequest = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """A column: its name, the part it plays (None: none), and whether it holds numbers or text."""

    name: str
    part: str | None
    kind: Literal["number", "text"]


@dataclass(frozen=True)
class Description:
    """What was found out about a file; `problem` says why it cannot be used as it is, `empty` counts cells without a score."""

    format: str | None
    rows: int | None = None
    columns: Sequence[Column] = ()
    systems: Sequence[str] = ()
    head: Sequence[Sequence[str]] = ()
    suits: Sequence[str] = ()
    problem: str | None = None
    empty: int = 0

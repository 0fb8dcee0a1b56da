"""What requests hold."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["JobRequest", "SettingsRequest", "TextRequest"]

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

"""Examples to try the page with: data that the project simulates itself, with their parameters stated."""

from __future__ import annotations

from typing import Any

from outscore.core.options import did_you_mean
from outscore.examples.entry import Example
from outscore.examples.registry import EXAMPLES
from outscore.web.http.refusals import RefusedError

__all__ = ["SEED", "example", "listed"]

SEED = 0


def listed() -> list[dict[str, Any]]:
    """All examples, without the contents of their files.

    Examples
    --------
    >>> [entry["view"] for entry in listed() if entry["name"] == "leaderboard"]
    ['rank']
    """
    return [
        {
            "name": name,
            "title": entry.title,
            "about": entry.about,
            "parameters": entry.parameters,
            "view": entry.view,
            "files": [file for files in entry.parts.values() for file in files],
            "settings": dict(entry.settings),
        }
        for name, entry in EXAMPLES.items()
    ]


def example(name: str) -> tuple[Example, dict[str, str]]:
    """An example and its files by name."""
    if name not in EXAMPLES:
        raise RefusedError(404, f"There is no example `{name[:40]}`.", did_you_mean(name[:40], EXAMPLES))
    return EXAMPLES[name], EXAMPLES[name].files(SEED)

"""JSON documents: results that were saved, and what other tools write, with where the scores of that are to be found."""

from __future__ import annotations

import json
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.results.saved import Saved, parse

__all__ = ["saved_in"]

AS_LINES = "Write one JSON object per line, with the id and the score of an item, or a table."
# Tools by keys that only their files have, what the file is, and where to find scores of items.
TOOLS: tuple[tuple[set[str], str, str], ...] = (
    ({"eval", "plan"}, "a log of Inspect, whose samples are not a table", AS_LINES),
    (
        {"results", "n-shot"},
        "a summary by the Language Model Evaluation Harness, without scores of items",
        "Drop its files samples_….jsonl instead, which `--log_samples` writes.",
    ),
    ({"instance_id", "stats"}, "written by HELM, whose instances are not a table", AS_LINES),
    ({"scenario_spec", "adapter_spec"}, "written by HELM, without scores of items", AS_LINES),
)


def saved_in(content: bytes, label: str) -> Saved | None:
    r"""The saved result that a JSON document holds; None where it is no document, but perhaps one object per line.

    Examples
    --------
    >>> saved_in(b'{"id": 1}\n{"id": 2}\n', "x.json") is None
    True
    """
    try:
        data = json.loads(content)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None
    if isinstance(data, dict) and str(data.get("schema", "")).startswith("outscore/"):
        return parse(content, label)
    what, cure = _told(data)
    raise OutscoreError(f"`{label}` is {what}.", cure)


def _told(data: Any) -> tuple[str, str]:  # noqa: ANN401 - what JSON can hold
    first = data[0] if isinstance(data, list) and data else data
    if isinstance(first, dict):
        for keys, what, cure in TOOLS:
            if keys <= first.keys():
                return what, cure
    if isinstance(data, list):
        return "one JSON list, an object or a number per line was expected", AS_LINES
    return "JSON, and no result that outscore saved", AS_LINES

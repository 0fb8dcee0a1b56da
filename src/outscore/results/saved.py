"""Results saved as JSON, whatever made them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.results.comparison import Comparisons
from outscore.results.diff import Diff
from outscore.results.plan import PlanResult, PossibleP
from outscore.results.ranking import Ranking

__all__ = ["SAVED", "Saved", "from_saved", "load", "parse"]

Saved = Comparisons | Diff | PlanResult | PossibleP | Ranking
SAVED: dict[str, type[Comparisons | Diff | PlanResult | PossibleP | Ranking]] = {
    "outscore/result/1": Comparisons,
    "outscore/diff/1": Diff,
    "outscore/plan/1": PlanResult,
    "outscore/possible-p/1": PossibleP,
    "outscore/ranking/1": Ranking,
}
"""What a saved file may hold, by its schema."""
CURE = "Name a result saved with -o result.json."


def load(path: str | os.PathLike[str]) -> Saved:
    """A result saved as JSON: a comparison, a ranking, a diff or a plan."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise OutscoreError(f"`{path}`: {error.strerror}.", CURE) from None
    return parse(content, str(path))


def parse(content: bytes, label: str) -> Saved:
    """The result in the content of a saved file; `label` is what messages call the file."""
    try:
        # Editors of some systems put a mark before the text.
        data = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise OutscoreError(f"`{label}` is not JSON.", CURE) from None
    try:
        found = from_saved(data) if isinstance(data, dict) else None
    except OutscoreError as error:
        # What is wrong and where stands behind the colon; the class before it means nothing to a user.
        what = error.message.partition(": ")[2]
        raise OutscoreError(f"`{label}` is a broken result: {what}", "Save it again with -o result.json.") from None
    if found is None and isinstance(data, dict) and str(data.get("schema")).startswith("outscore/"):
        what = f"`{label}` was saved by another version of outscore ({str(data['schema'])[:40]})"
        raise OutscoreError(f"{what}.", "Bring outscore up to date, or make the result again.")
    if found is None:
        raise OutscoreError(f"`{label}` is not a saved result.", CURE)
    return found


def from_saved(data: dict[str, Any]) -> Saved | None:
    """The result that dictionaries hold; None where they hold something else.

    Examples
    --------
    >>> from outscore.procedure.plan import plan
    >>> from outscore.plans import StudyDesign
    >>> found = plan(StudyDesign(), effect=0.2)
    >>> from_saved(found.to_dict()) == found, from_saved({"schema": "other/1"})
    (True, None)
    """
    kind = SAVED.get(str(data.get("schema")))
    return None if kind is None else kind.from_dict(data)

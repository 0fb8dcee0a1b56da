"""Panels of systems as they are read."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.scores.align import DuplicateRule, align
from outscore.scores.panel import Panel, panels_by_dataset
from outscore.scores.system import Scores


def panels_of(scores: Sequence[Scores], metric: str = "mean", duplicates: DuplicateRule = "mean") -> list[Panel]:
    """One panel for each dataset."""
    return panels_by_dataset(align(scores, duplicates), metric)

"""What is counted in a comparison, and what to call it: items or segments, clusters or documents, units of several."""

from __future__ import annotations

from outscore.results.comparison import Comparison

__all__ = ["group_of", "noun_of", "units_of", "view_of"]

VIEWS = {"rows": "segments", "items": "segments", "clusters": "documents"}
"""The steps of a design, where its rows are segments of texts."""


def noun_of(c: Comparison) -> str:
    """What one row of the data is: a segment of a text, or an item of any other kind."""
    return c.design.noun


def group_of(c: Comparison) -> str:
    """What rows that are swapped as one are called: segments make documents."""
    return "document" if noun_of(c) == "segment" else "cluster"


def units_of(c: Comparison) -> tuple[int, str]:
    """How many independent units there are, and what to call them."""
    single = noun_of(c) if c.design.unit_size == 1 else "unit"
    count, noun = (c.n, single) if c.clusters is None else (c.clusters, group_of(c))
    return count, noun if count == 1 else f"{noun}s"


def view_of(c: Comparison, view: str) -> str:
    """What the rows, items or clusters of a step of the design are called."""
    return VIEWS[view] if noun_of(c) == "segment" else view

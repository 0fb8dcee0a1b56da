"""Two systems as `read` gives them: matched item by item before they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from outscore.core.errors import OutscoreError
from outscore.inference.registry import deciding_test
from outscore.results.comparison import Comparison
from outscore.results.design import Alignment
from outscore.results.note import Note
from outscore.scores.pairing import pair
from outscore.scores.system import Scores

__all__ = ["Matched", "matched", "refuse_unequal_runs"]

UNNAMED = ("A", "B")


@dataclass(frozen=True, eq=False)
class Matched:
    """Rows side by side with their labels, what the systems are called, and what matching them left out."""

    a: object
    b: object
    items: object
    clusters: object
    labels: Sequence[str] | None = None
    names: tuple[str, str] = UNNAMED
    alignment: Alignment | None = None
    notes: tuple[Note, ...] = ()

    def told(self, result: Comparison) -> Comparison:
        """The result, with what is known about how its rows were matched."""
        if self.alignment is None:
            return result
        return replace(result, alignment=self.alignment, notes=[*self.notes, *result.notes])


def matched(
    a: object,
    b: object,
    *,
    items: object = None,
    clusters: object = None,
    labels: Sequence[str] | None = None,
    names: tuple[str, str] = UNNAMED,
    test: str = "permutation",
) -> Matched:
    """Two systems' scores matched by item id; arrays, whose rows are matched by their place, as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.scores import Labels
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    >>> old = Scores("old", np.array([0, 0]), Labels.of(["q3", "q1"]))
    >>> both = matched(new, old)
    >>> both.a.tolist(), both.b.tolist(), both.names, both.labels
    ([1, 1], [0, 0], ('new', 'old'), ['q1', 'q3'])
    """
    if not isinstance(a, Scores) and not isinstance(b, Scores):
        return Matched(a, b, items, clusters, labels, names)
    if not isinstance(a, Scores) or not isinstance(b, Scores):
        raise OutscoreError(
            "One of `a` and `b` was read from a file and the other was not.", "Read both, or give the `values` of both."
        )
    for name, given in (("items", items), ("clusters", clusters), ("labels", labels)):
        if given is not None:
            raise OutscoreError(f"`{name}` was given, and scores that were read have their own.", f"Leave `{name}` out.")
    both = pair(a, b)
    refuse_unequal_runs(test, unequal=both.unequal_repeats)
    return Matched(
        both.a,
        both.b,
        both.items,
        both.clusters,
        None if both.ids is None else both.ids.texts(),
        (a.name, b.name) if names == UNNAMED else names,
        both.alignment,
        both.notes,
    )


def refuse_unequal_runs(test: str, *, unequal: bool) -> None:
    """Refuse to swap item means of systems that were run unequally often."""
    entry = deciding_test(test)
    if unequal and entry is not None and entry.null == "swaps":
        raise OutscoreError(
            "The systems were run unequally often per item, and swapping item means of unequal spread is not valid.",
            "Use the test `student`, which takes item means.",
        )

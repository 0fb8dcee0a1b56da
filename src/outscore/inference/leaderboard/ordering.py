"""The order of systems, also where they were not all scored on the same items.

With the same items for all, the order is that of the scores. On an incomplete leaderboard a mean score also
says which items a system was spared, so systems are ordered by their *effects* in the additive model
score = system + item (of a macro average: system + dataset), fitted by least squares to the differences of all
pairs on what both have. On a complete leaderboard of means that is the same order: the effect is then the
distance of a score from the mean of all.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass

__all__ = ["Ordering", "order_of", "system_effects"]


@dataclass(frozen=True)
class Ordering:
    """`order` lists the indices of the systems, best first.

    `by` is "score", or "advantage" where systems have different items; `value` is that number for each system
    in the order given, nan for one that shares no item with any other, which comes last. `islands` counts the
    sets of systems without a chain of shared items between them: with more than one, places across islands
    mean nothing.
    """

    order: list[int]
    by: Literal["score", "advantage"]
    value: Array
    islands: int


def order_of(
    scores: object,
    differences: object,
    *,
    complete: bool,
    higher_is_better: bool = True,
    reference: int | None = None,
    weights: object = None,
) -> Ordering:
    """Systems best first; equal ones stay in the order given.

    Parameters
    ----------
    scores
        (k,) score of each system on its own items.
    differences
        (k, k) paired differences, row minus column, nan where two systems share no item.
    complete
        Whether all systems have the same items.
    higher_is_better
        The direction of the metric. Differences are raw and do not turn.
    reference
        The index of a baseline that all others were compared with, and nothing else: the advantage is then
        the one over it.
    weights
        (k, k) items, or of a macro average datasets, that two systems share; without them every pair counts alike.

    Examples
    --------
    >>> differences = np.array([[0, -0.1, np.nan], [0.1, 0, 0.3], [np.nan, -0.3, 0]])
    >>> found = order_of([0.9, 0.6, 0.3], differences, complete=False)
    >>> found.order, found.by, found.value.round(3).tolist(), found.islands
    ([1, 0, 2], 'advantage', [0.033, 0.133, -0.167], 1)
    """
    own, gaps = np.asarray(scores, dtype=float), np.asarray(differences, dtype=float)
    if own.ndim != 1 or gaps.shape != (len(own), len(own)):
        raise OutscoreError(
            f"`differences` has shape {gaps.shape} for {own.shape} scores.", "Give one row and one column for each system."
        )
    if complete:
        value = own
    elif reference is None:
        value = system_effects(gaps, np.isfinite(gaps) if weights is None else np.asarray(weights, dtype=float))
    else:
        value = gaps[:, reference]
    turned = -value if higher_is_better else value
    # nan sorts last.
    order = np.argsort(turned, kind="stable").tolist()
    return Ordering(order, "score" if complete else "advantage", value, len(_components(np.isfinite(gaps))))


def system_effects(differences: Array, weights: Array) -> Array:
    """The effects that fit the differences of all pairs best: θ that minimises Σ w_kl (θ_k - θ_l - d_kl)².

    With w_kl the number of items that k and l share, this is least squares of system effects beside item effects, in which an
    item counts once for every pair of systems that has it. Each set of systems without a chain of shared items to the others is
    fitted by itself, about a mean of 0; a system that shares no item with any other has no effect, nan.

    Examples
    --------
    >>> gaps = np.array([[0, 0.2, 0.5], [-0.2, 0, np.nan], [-0.5, np.nan, 0]])
    >>> system_effects(gaps, np.isfinite(gaps)).round(3).tolist()
    [0.233, 0.033, -0.267]
    """
    met = np.isfinite(differences) & (np.asarray(weights) > 0) & ~np.eye(len(differences), dtype=bool)
    counts = np.where(met, weights, 0).astype(float)
    ahead = np.where(met, counts * np.nan_to_num(differences), 0.0).sum(axis=1)
    effects = np.full(len(differences), np.nan)
    for island in _components(met):
        if len(island) > 1:
            among = counts[np.ix_(island, island)]
            # The normal equations determine differences only; the constant fixes the mean.
            laplacian = np.diag(among.sum(axis=1)) - among + among.sum() / len(island) ** 2
            effects[island] = np.linalg.solve(laplacian, ahead[island])
    return effects


def _components(joined: Array) -> list[list[int]]:
    """The sets of systems that are left without a chain of shared items between them."""
    left, found = set(range(len(joined))), []
    while left:
        first = min(left)
        left.remove(first)
        island, reached = [first], [first]
        while reached:
            near = left.intersection(np.flatnonzero(joined[reached.pop()]).tolist())
            left -= near
            island += near
            reached.extend(near)
        found.append(sorted(island))
    return found

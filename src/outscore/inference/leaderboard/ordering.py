"""The order of systems, also where they were not all scored on the same items, and which of them cannot be told apart.

With the same items for all, the order is that of the scores. On an incomplete leaderboard a mean score also
says which items a system was spared, so systems are ordered by their *effects* in the additive model
score = system + item (of a macro average: system + dataset), fitted by least squares to the differences of all
pairs on what both have. On a complete leaderboard of means that is the same order: the effect is then the
distance of a score from the mean of all.

"Not significantly different" is not transitive: A may tie with B and B with C while A beats C. So the groups
are the largest sets of systems no two of which differ (the maximal cliques of that graph), and a system may
be in several. They are written as letters, as in a compact letter display (Piepho, 2004): two systems that
share a letter cannot be told apart, two that share none differ.

A system's rank interval runs from 1 + the number of systems significantly better to k - the number
significantly worse. When the p-values behind these claims were adjusted by a method that controls the
family-wise error rate (FWER), all intervals hold at once with confidence 1 - α (Al Mohamad, Goeman and van
Zwet, 2022); after a correction for the false discovery rate they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass

MAX_GROUPS = 200
"""More groups than this explain nothing."""


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
    >>> order = order_of([0.9, 0.6, 0.3], differences, complete=False)
    >>> order.order, order.by, order.value.round(3).tolist(), order.islands
    ([1, 0, 2], 'advantage', [0.033, 0.133, -0.167], 1)
    """
    own_scores, gaps = np.asarray(scores, dtype=float), np.asarray(differences, dtype=float)
    if own_scores.ndim != 1 or gaps.shape != (len(own_scores), len(own_scores)):
        raise OutscoreError(
            f"`differences` has shape {gaps.shape} for {own_scores.shape} scores.",
            "Give one row and one column for each system.",
        )
    if complete:
        value = own_scores
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
    fitted separately, about a mean of 0; a system that shares no item with any other has no effect, nan.

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
    left, islands = set(range(len(joined))), []
    while left:
        first = min(left)
        left.remove(first)
        island, reached = [first], [first]
        while reached:
            near = left.intersection(np.flatnonzero(joined[reached.pop()]).tolist())
            left -= near
            island += near
            reached.extend(near)
        islands.append(sorted(island))
    return islands


@dataclass(frozen=True)
class Groups:
    """Groups of systems by their indices, best first, and the letters of each system.

    With too many groups to be of use both say nothing, and `note` says why.
    """

    members: list[list[int]]
    letters: list[str]
    note: str | None = None


def groups_of(better: object, *, most: int = MAX_GROUPS) -> Groups:
    """Groups of systems that cannot be told apart.

    Parameters
    ----------
    better
        (k, k), systems best first: whether system i is significantly better than system j. Pairs that were
        not tested are False both ways, and count as not told apart.
    most
        With more groups than this, none is listed.

    Examples
    --------
    >>> better = np.zeros((3, 3), dtype=bool)
    >>> better[0, 2] = True
    >>> groups = groups_of(better)
    >>> groups.members, groups.letters
    ([[0, 1], [1, 2]], ['a', 'ab', 'b'])
    """
    wins = _as_square(better)
    k = len(wins)
    cliques = list(islice(_maximal_cliques(~(wins | wins.T)), most + 1))
    if len(cliques) > most:
        note = (
            f"There are more than {most} groups of systems that cannot be told apart: look at the pairs and the rank intervals."
        )
        return Groups([], [""] * k, note)
    members = sorted(cliques)
    # From the 27th group on a letter is two, and would run into its neighbour.
    joint = "" if len(members) <= 26 else ","
    letters = [joint.join(_letter(g) for g, group in enumerate(members) if i in group) for i in range(k)]
    return Groups(members, letters)


def rank_intervals(better: object) -> tuple[Array, Array]:
    """The best and the worst place of each system that the tests leave open; `better` is as in `groups_of`, in any order.

    Examples
    --------
    >>> better = np.zeros((3, 3), dtype=bool)
    >>> better[0, 2] = True
    >>> [places.tolist() for places in rank_intervals(better)]
    [[1, 1, 2], [2, 3, 3]]
    """
    wins = _as_square(better)
    return 1 + wins.sum(axis=0), len(wins) - wins.sum(axis=1)


def tiers_of(better: object) -> Array:
    """The tier of each system from 1 on: one more than the lowest tier among the systems that are significantly better.

    So no system is significantly worse than another of its tier, and each below the first is so to one of the tier above.
    Systems on different items can beat each other in a circle: they, and all below them, form the last tier. `better` is as in
    `groups_of`, in any order.

    Examples
    --------
    >>> better = np.zeros((4, 4), dtype=bool)
    >>> better[0, 2] = better[2, 3] = True
    >>> tiers_of(better).tolist()
    [1, 1, 2, 3]
    """
    wins = _as_square(better)
    tiers, left, tier = np.zeros(len(wins), dtype=np.int64), np.arange(len(wins)), 0
    while len(left):
        tier += 1
        first = ~wins[np.ix_(left, left)].any(axis=0)
        taken = left[first] if first.any() else left
        tiers[taken] = tier
        left = np.setdiff1d(left, taken)
    return tiers


def _as_square(better: object) -> Array:
    wins = np.asarray(better, dtype=bool)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1]:
        raise OutscoreError(f"`better` has shape {wins.shape}.", "Give one row and one column for each system.")
    both = np.argwhere(wins & wins.T)
    if len(both):
        i, j = (int(place) + 1 for place in both[0])
        raise OutscoreError(f"`better` says that systems {i} and {j} beat each other.", "At most one of two can be better.")
    return wins


def _maximal_cliques(joined: Array) -> Iterator[list[int]]:
    """Maximal cliques of a graph, ascending inside (Bron and Kerbosch, 1973, with the pivot of Tomita et al., 2006).

    Sets of systems are the bits of whole numbers. The stack is explicit, because a clique may be larger than
    Python's own.
    """
    k = len(joined)
    near = [sum(1 << j for j in np.flatnonzero(row).tolist() if j != i) for i, row in enumerate(joined)]
    waiting: list[tuple[int, int, int]] = [(0, (1 << k) - 1, 0)] if k else []
    while waiting:
        clique, open_, done = waiting.pop()
        if not open_ and not done:
            yield _bits(clique)
            continue
        if not open_:
            continue
        # Any maximal clique holds the pivot or a system the pivot is not joined to, so only these need a
        # branch.
        pivot = max(_bits(open_ | done), key=lambda v: (near[v] & open_).bit_count())
        for v in _bits(open_ & ~near[pivot]):
            waiting.append((clique | 1 << v, open_ & near[v], done & near[v]))
            open_, done = open_ & ~(1 << v), done | 1 << v


def _bits(number: int) -> list[int]:
    return [i for i in range(number.bit_length()) if number >> i & 1]


def _letter(number: int) -> str:
    """a … z, then aa, ab, …: 0 is a."""
    word = ""
    while number >= 0:
        number, place = divmod(number, 26)
        word = chr(ord("a") + place) + word
        number -= 1
    return word

"""Many systems at once: their order, which of them cannot be told apart, and simultaneous intervals by resampling items.

And what single items say about them: which tell none apart, which agree with the rest, and which contradict it. No model is
fitted. The spread of an item is the variance of its scores over the systems, that is, half its mean squared difference between
two of them: an item without spread is dead, because no paired test looks at it. The item-rest correlation is Pearson's, over
systems, between the scores of the item and the mean scores of the same systems on all other items (Ebel, 1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.pairwise.corpus import ranges, summable
from outscore.laws import log_normal, student_quantile
from outscore.resampling import shared_resampled_blocks
from outscore.results.ranking import ItemKinds, SuspiciousItem
from outscore.scores.panel import Panel

# The order of systems, also where they were not all scored on the same items, and which of them cannot be told apart.
#
# With the same items for all, the order is that of the scores. On an incomplete leaderboard a mean score also says which
# items a system was spared, so systems are ordered by their *effects* in the additive model score = system + item (of a
# macro average: system + dataset), fitted by least squares to the differences of all pairs on what both have. On a complete
# leaderboard of means that is the same order: the effect is then the distance of a score from the mean of all.
#
# "Not significantly different" is not transitive: A may tie with B and B with C while A beats C. So the groups are the
# largest sets of systems no two of which differ (the maximal cliques of that graph), and a system may be in several. They
# are written as letters, as in a compact letter display (Piepho, 2004): two systems that share a letter cannot be told
# apart, two that share none differ.
#
# A system's rank interval runs from 1 + the number of systems significantly better to k - the number significantly worse.
# When the p-values behind these claims were adjusted by a method that controls the family-wise error rate (FWER), all
# intervals hold at once with confidence 1 - α (Al Mohamad, Goeman and van Zwet, 2022); after a correction for the false
# discovery rate they do not.


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
        beaten = wins[np.ix_(left, left)].any(axis=0)
        taken = beaten if beaten.all() else ~beaten
        tiers[left[taken]] = tier
        left = left[~taken]
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


# All systems at once, by resampling the items of a leaderboard: the same items for all systems.
#
# Simultaneous intervals: with s the spread of a pair's difference over the draws, c is the 1 - alpha quantile of the largest
# |d* - d| / s over all pairs, and d ± c s holds for all of them together (sup-t; Montiel Olea and Plagborg-Møller, 2019).
# As s is estimated from n units, c is read as a quantile of the normal law and replaced by that of Student's t with n - 1
# degrees of freedom, and s is widened by √(n / (n - 1)).


CONFIDENCE = 2.5758293035489004
"""The normal quantile of bounds that hold with 99 % confidence."""
PART = 200
"""Numbers whose draws are looked at together."""
STILL = 1e-12
"""Spreads below this share of the largest are those of numbers that do not move."""


@dataclass(frozen=True, eq=False)
class Draws:
    """The results of resampling items: (draws, systems) scores, and the same numbers of the items at hand.

    `points` are mean points over items, those of (draws, systems) and of the items at hand; None where items have no scores.
    `by_dataset` are (draws, datasets, systems) scores and those at hand, where there are several. `units` is the number
    of items or clusters that were drawn, of the smallest dataset.
    """

    scores: Array
    observed: Array
    units: int
    points: tuple[Array, Array] | None = None
    by_dataset: tuple[Array, Array] | None = None


@dataclass(frozen=True, eq=False)
class Band:
    """Limits that hold all at once, nan where a number does not move, and the quantile they rest on with its sampling error."""

    low: Array
    high: Array
    critical: float
    error: float


def points_of(panel: Panel) -> Array | None:
    """(systems, items) twice the points of every item: systems that are worse, ties half; None where items have no scores.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.array([[[2, 1], [0, 1]], [[1, 1], [1, 1]], [[1, 1], [5, 1]]])
    >>> points_of(Panel(mean, ("A", "B", "C"), rows, np.ones((3, 2), dtype=bool))).tolist()
    [[4, 0], [1, 2], [1, 4]]
    """
    import scipy.stats

    if not panel.single_scores():
        return None
    scores = panel.orientation * panel.metric.top(panel.rows)
    return np.asarray(np.rint(2 * (scipy.stats.rankdata(scores, axis=0) - 1)), dtype=np.int64)


def draw(
    datasets: Sequence[Panel],
    *,
    resamples: int,
    seed: int,
    begin: Callable[[int], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Draws:
    """Resample the items of each dataset, or its clusters, the same ones for all systems; datasets are averaged.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.array([[[1, 1], [1, 1]], [[0, 1], [0, 1]]])
    >>> draws = draw([Panel(mean, ("A", "B"), rows, np.ones((2, 2), dtype=bool))], resamples=3, seed=0)
    >>> draws.scores.tolist(), draws.points[1].tolist()
    ([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [1.0, 0.0])
    """
    # As in tests over several datasets, each has a stream of its own, beyond where a user's seed lies.
    seeds = [seed] if len(datasets) == 1 else [seed + ((i + 1) << 64) for i in range(len(datasets))]
    parts = ranges(resamples)
    begin(len(parts) * len(datasets))
    drawn = [_drawn(systems, parts, key, advance) for systems, key in zip(datasets, seeds, strict=True)]
    scores, observed = np.stack([part[0] for part in drawn]), np.stack([part[1] for part in drawn])
    pointed = [part[2] for part in drawn]
    points = None
    if all(part is not None for part in pointed):
        points = (
            np.mean([part[0] for part in pointed if part is not None], axis=0),
            np.mean([part[1] for part in pointed if part is not None], axis=0),
        )
    several = (scores.transpose(1, 0, 2), observed) if len(datasets) > 1 else None
    units = min(part[3] for part in drawn)
    return Draws(scores.mean(axis=0), observed.mean(axis=0), units, points, several)


def _drawn(
    panel: Panel, parts: list[tuple[int, int]], seed: int, advance: Callable[[], None]
) -> tuple[Array, Array, tuple[Array, Array] | None, int]:
    """Drawn and observed scores, the same of points, and the number of units."""
    points = points_of(panel)
    items = np.ones((1, panel.rows.shape[1], 1), dtype=np.int64)
    beside = items if points is None else np.concatenate([points[..., None], items])
    counted = replace(panel, rows=beside, present=np.ones(beside.shape[:2], dtype=bool)).collapse_clusters()
    whole = summable(panel.collapse_clusters())
    tables = [*whole.rows, *counted.rows]
    k = len(whole.rows)
    scores, ranks = [], []
    for first, count in parts:
        for sums in shared_resampled_blocks(tables, resamples=count, seed=seed, first=first):
            scores.append(np.stack([panel.metric.score(total / panel.scale) for total in sums[:k]], axis=1))
            if points is not None:
                ranks.append(np.concatenate(sums[k:-1], axis=1) / (2 * sums[-1]))
        advance()
    observed = panel.metric.score(whole.rows.sum(axis=1) / panel.scale)
    points_drawn = None if points is None else (np.concatenate(ranks), points.mean(axis=1) / 2)
    return np.concatenate(scores), observed, points_drawn, whole.rows.shape[1]


def shares_of_best(scores: Array, *, higher_is_better: bool) -> Array:
    """The share of the draws in which each system has the best score, those who share it by parts.

    Examples
    --------
    >>> shares_of_best(np.array([[1.0, 0.5], [0.5, 0.5], [0.4, 0.5], [0.6, 0.5]]), higher_is_better=True).tolist()
    [0.625, 0.375]
    """
    best = scores.max(axis=1) if higher_is_better else scores.min(axis=1)
    first = scores == best[:, None]
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


def win_rates(scores: Array, *, higher_is_better: bool) -> Array:
    """(..., systems) the share of others that each system beats, averaged over datasets (the axis before the last).

    Examples
    --------
    >>> win_rates(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 2.0]]), higher_is_better=True).tolist()
    [1.0, 0.375, 0.125]
    """
    turned = scores if higher_is_better else -scores
    beaten = (turned[..., :, None] > turned[..., None, :]).sum(axis=-1)
    level = (turned[..., :, None] == turned[..., None, :]).sum(axis=-1) - 1
    return np.asarray(((beaten + level / 2) / (scores.shape[-1] - 1)).mean(axis=-2))


def band_of(drawn: Array, observed: Array, *, units: int, alpha: float, pairs: tuple[Array, Array] | None = None) -> Band:
    """Limits of all numbers at once from their (draws, numbers) draws, or of their differences by `pairs`, left - right.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> narrow = band_of(rng.standard_normal((20_000, 1)), np.zeros(1), units=10_000, alpha=0.05)
    >>> ten = band_of(rng.standard_normal((20_000, 10)), np.zeros(10), units=10_000, alpha=0.05)
    >>> round(narrow.critical, 1), round(ten.critical, 1)
    (2.0, 2.8)
    """
    value = observed if pairs is None else observed[pairs[0]] - observed[pairs[1]]

    def moves(part: slice) -> Array:
        if pairs is None:
            return np.asarray(drawn[:, part] - observed[part])
        left, right = (side[part] for side in pairs)
        return np.asarray(drawn[:, left] - drawn[:, right] - value[part])

    # So many pairs at a time that their draws fit into memory.
    parts = [slice(first, first + PART) for first in range(0, len(value), PART)]
    spread = np.concatenate([np.sqrt((moves(part) ** 2).mean(axis=0)) for part in parts])
    live = spread > STILL * max(float(np.abs(observed).max(initial=0.0)), float(spread.max(initial=0.0)))
    low = np.full(len(value), np.nan)
    high = low.copy()
    if not live.any() or units < 2:
        return Band(low, high, math.nan, math.nan)
    largest = np.zeros(len(drawn))
    for part in parts:
        there = live[part]
        if there.any():
            largest = np.maximum(largest, (np.abs(moves(part)[:, there]) / spread[part][there]).max(axis=1))
    largest.sort()
    middle, *ends = (_student(float(largest[place]), units - 1) for place in _places(len(largest), alpha))
    half = spread[live] * math.sqrt(units / (units - 1)) * middle
    low[live], high[live] = value[live] - half, value[live] + half
    return Band(low, high, middle, (ends[1] - ends[0]) / 2)


def _places(draws: int, alpha: float) -> list[int]:
    """The place of the 1 - alpha quantile among sorted draws, and those that contain the true one with 99 % confidence."""
    reach = CONFIDENCE * math.sqrt(alpha * (1 - alpha) * draws)
    wanted = [math.ceil((1 - alpha) * (draws + 1)) + shift for shift in (0, -math.ceil(reach), math.ceil(reach))]
    return [min(max(place - 1, 0), draws - 1) for place in wanted]


def _student(quantile: float, freedom: int) -> float:
    """Student's quantile of the probability that a normal one has."""
    tail = log_normal(-quantile)
    return -student_quantile(freedom, math.exp(tail))


DISCRIMINATING = 0.2
"""The item-rest correlation from which an item is said to discriminate (Ebel)."""
LEVEL = 0.05
"""One-sided, of a negative correlation that is called suspicious."""
ROUNDING = 1e-12
MIN_SYSTEMS = 5
"""With fewer systems, a correlation over them says nothing."""
MAX_LISTED = 20
MAX_CELLS = 20_000_000
"""Larger tables of systems by items are not looked at: nobody reads a list of so many."""
ITEM_COLUMNS = ("dataset", "item", "kind", "systems", "mean", "spread", "item_rest")


@dataclass(frozen=True, eq=False)
class ItemTable:
    """One row for each item.

    `systems` counts those with a score, `mean` and `spread` are over them, `dead` says that all scores are equal, `rest` is the
    item-rest correlation, nan where there is none, and `limit` the negative one from which an item is suspicious. `ends` are
    the least and the largest score, if there are only these two.
    """

    systems: Array
    mean: Array
    spread: Array
    dead: Array
    rest: Array
    limit: Array
    ends: tuple[float, float] | None

    @property
    def discriminating(self) -> Array:
        """Which items agree with the rest."""
        return np.asarray(np.nan_to_num(self.rest) >= DISCRIMINATING)

    @property
    def suspicious(self) -> Array:
        """On which items better systems do worse."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.rest <= self.limit)

    def kinds(self, *, higher_is_better: bool) -> list[str]:
        """What each item is, in a word."""
        kinds = np.where(self.discriminating, "discriminating", "weak").astype(object)
        kinds[self.suspicious] = "suspicious"
        kinds[self.dead] = "equal"
        words = ("all wrong", "all right") if higher_is_better else ("all right", "all wrong")
        for end, word in zip(self.ends or (), words, strict=False):
            kinds[self.dead & (self.mean == end)] = word
        return [str(kind) for kind in kinds]


def item_table(values: object, present: object = None) -> ItemTable:
    """The items of a (systems, items) table of scores.

    Correlations do not depend on which scores are better: where lower ones are, those of the rest turn with those of the item.

    Examples
    --------
    >>> right = np.array([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 1], [1, 1, 0, 0, 1], [1, 0, 0, 0, 1]])
    >>> found = item_table(right)
    >>> found.dead.tolist(), found.rest.round(2).tolist(), found.suspicious.tolist()
    ([True, False, False, False, False], [nan, 0.25, -0.17, 0.25, -0.88], [False, False, False, False, True])
    """
    scores = np.asarray(values, dtype=float)
    there = np.ones(scores.shape, dtype=bool) if present is None else np.asarray(present, dtype=bool)
    x = np.where(there, scores, 0.0)
    count = there.sum(axis=0)
    others = there.sum(axis=1, keepdims=True) - 1
    rest = (x.sum(axis=1, keepdims=True) - x) / np.maximum(others, 1)
    used = there & (others > 0)
    mean, spread = _moments(x, there)
    high, low = np.where(there, scores, -np.inf).max(axis=0), np.where(there, scores, np.inf).min(axis=0)
    dead = high <= low
    own, of_own = _moments(x, used)
    around, of_rest = _moments(rest, used)
    pairs = used.sum(axis=0)
    together = (np.where(used, (x - own) * (rest - around), 0.0)).sum(axis=0) / np.maximum(pairs, 1)
    # Means that are equal but for their rounding are equal.
    varies = ~dead & (of_own > 0) & (of_rest > (ROUNDING * (1 + np.abs(around))) ** 2) & (pairs >= MIN_SYSTEMS)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.where(varies, together / np.sqrt(of_own * of_rest), np.nan)
    limits = {n: _limit(n) for n in set(pairs.tolist())}
    limit, known = np.array([limits[n] for n in pairs.tolist()]), scores[there]
    least, largest = float(known.min(initial=np.inf)), float(known.max(initial=-np.inf))
    two = least < largest and np.isin(known, (least, largest)).all()
    return ItemTable(count, mean, np.where(dead, 0.0, spread), dead, correlation, limit, (least, largest) if two else None)


def _moments(x: Array, there: Array) -> tuple[Array, Array]:
    """Mean and variance of each column over its filled cells."""
    n = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, x, 0.0).sum(axis=0) / n
    return mean, np.where(there, (x - mean) ** 2, 0.0).sum(axis=0) / n


def _limit(systems: int) -> float:
    """The correlation of so many systems whose one-sided p, by Student's t, is `LEVEL`."""
    if systems < MIN_SYSTEMS:
        return -math.inf
    t = student_quantile(systems - 2, 1 - LEVEL)
    return -t / math.sqrt(systems - 2 + t * t)


def effective_items(spread: object) -> float:
    """As many items that decide alike as these decide: (Σ spread)² / Σ spread².

    Examples
    --------
    >>> effective_items([0.25, 0.25, 0.25, 0.25, 0.0]), round(effective_items([0.25, 0.05, 0.05]), 2)
    (4.0, 1.81)
    """
    shares = np.asarray(spread, dtype=float)
    squares = float((shares**2).sum())
    return float(shares.sum()) ** 2 / squares if squares else 0.0


def items_of(panels: Sequence[Panel]) -> list[tuple[Panel, ItemTable]] | None:
    """The items of each panel; None if they have no scores of their own, or are too many."""
    if sum(panel.present.size for panel in panels) > MAX_CELLS:
        return None
    tables = []
    for panel in panels:
        scores = panel.item_scores()
        if scores is None:
            return None
        values = np.zeros(panel.present.shape)
        values[panel.present] = np.concatenate(scores)
        tables.append((panel, item_table(values, panel.present)))
    return tables


def item_rows(items: Sequence[tuple[Panel, ItemTable]]) -> Iterator[dict[str, object]]:
    """One record for each item (`ITEM_COLUMNS`)."""
    for panel, table in items:
        parts = (part.tolist() for part in (table.systems, table.mean, table.spread, table.rest))
        kinds = table.kinds(higher_is_better=panel.metric.higher_is_better)
        for name, kind, systems, mean, spread, rest in zip(_item_names(panel), kinds, *parts, strict=True):
            values = (panel.dataset, name, kind, systems, mean, spread, None if np.isnan(rest) else rest)
            yield dict(zip(ITEM_COLUMNS, values, strict=True))


def _item_names(panel: Panel) -> Sequence[str]:
    """The ids of the items, or their numbers from 1 on."""
    return panel.items or [str(i + 1) for i in range(panel.shape[1])]


def item_kinds(items: Sequence[tuple[Panel, ItemTable]]) -> ItemKinds:
    """The items in counts, and the most suspicious ones."""
    kinds = [kind for panel, table in items for kind in table.kinds(higher_is_better=panel.metric.higher_is_better)]
    enough = len(items[0][0].systems) >= MIN_SYSTEMS
    suspicious = sorted(
        (
            SuspiciousItem(_item_names(panel)[i], panel.dataset, float(table.mean[i]), float(table.rest[i]))
            for panel, table in items
            for i in np.flatnonzero(table.suspicious).tolist()
        ),
        key=lambda item: item.correlation,
    )
    return ItemKinds(
        items=len(kinds),
        all_right=kinds.count("all right"),
        all_wrong=kinds.count("all wrong"),
        equal=kinds.count("equal"),
        discriminating=kinds.count("discriminating") if enough else None,
        suspicious=len(suspicious) if enough else None,
        by_chance=LEVEL * sum(int((~np.isnan(table.rest)).sum()) for _, table in items) if enough else None,
        effective=effective_items(np.concatenate([table.spread for _, table in items])),
        listed=suspicious[:MAX_LISTED],
    )

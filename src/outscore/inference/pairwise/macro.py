"""The macro average over datasets, tested as a statistic of its own.

A pair's macro difference is the mean, over the datasets on which both have items, of the difference on each.
Swapping systems item by item flips d/(D·n) for every item of a dataset of n items, so the null law is again
that of a sum of sign flips, and the same kernels serve it, for up to `MAX_TESTED` pairs. Beyond, pairs of
`MIN_APPROXIMATED` flips or more get Lugannani and Rice's approximation (`exact.saddlepoint`), for
right-or-wrong items with all saddle points found together; it is an approximation, and says so.

A single pair is a weighted mean, in which an item of a dataset of n items has the weight 1/(D·n) (`macro_rows`), and asks the
permutation test what a mean asks it: sides, other differences than 0, an interval that inverts the test. At a margin the bound
of a bounded mean answers (`shifted`), right-or-wrong items included; the item that it adds weighs as much as one of the
smallest dataset, because a loss that has not shown may sit there. Two-sided, right-or-wrong items at another difference than 0
get twice the smaller p of both sides.

Intervals of many pairs, and of metrics that are not means, add up the widths of the datasets' own as those of independent
numbers add up, √(Σ w²)/D, and are stretched to hold 0 exactly where the test does not reject it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from outscore.core.errors import OutscoreError, ShiftError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10, LOG2, MAX_EXACT, MIN_FLOAT, Array, as_integers
from outscore.core.options import OptionValue
from outscore.core.rows import PairedScores
from outscore.exact.binomial import log_two_sided
from outscore.exact.saddlepoint import log_saddlepoint
from outscore.inference.base.differences import is_sum
from outscore.inference.base.discordance import Worth, worth_of
from outscore.inference.base.question import RESAMPLES, SIDES, TestRequest, sampled_p
from outscore.inference.pairwise.corpus import Flipped, hits_of, ranges, summable
from outscore.inference.pairwise.per_pair import log_claim, permutation_p
from outscore.inference.pairwise.table import KINDS, Measured, OwnScores, PairTable, shared_panels
from outscore.inference.registry import TESTS
from outscore.inference.shifted import RANGE, known_range, two_scores
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel

MAX_TESTED = 2_000
"""Beyond so many pairs the macro average is approximated."""
COMBINED = "the datasets' intervals combined, stretched to agree with the test"
SADDLEPOINT = "saddlepoint"
MIN_APPROXIMATED = 100
"""With fewer flips the approximation is too rough. From here on, p above 1e-8 was within 5 % in 98 of 100 simulated sums."""
SMALLEST = "In the macro average, the item that is added at the margin weighs as much as one of the smallest dataset."
BOTH_SIDES = (
    "Right-or-wrong items at delta = {delta:g}: p of the macro average is twice the smaller p of both sides, by the bound of a"
    " bounded mean (Gaffke, 2005)."
)
LACKING = "Systems lack items on some datasets, and {metric} is not a mean over items: the macro average cannot be tested."
HUNDRED = 100.0
"""An item is worth 1/n or 100/n; a hundred divided by that is a whole number again."""


def macro_request(alpha: float, seed: int, resamples: OptionValue = None) -> TestRequest:
    """The permutation test of a macro average, whatever the test of the datasets."""
    return TestRequest(alpha=alpha, seed=seed, options={"method": "auto", "resamples": resamples or RESAMPLES})


def macro_notes(test: str, kernel: str, *, in_units: bool = False) -> list[Note]:
    """What to know of a macro average beside datasets that were tested by `test`, `in_units` of several items."""
    notes = []
    if test != "permutation":
        text = (
            f"`{test}` tests each dataset; the macro average is tested by permutation, with items swapped within each dataset."
        )
        notes.append(Note("method", text))
    if in_units:
        text = "Evaluation units apply to each dataset; the macro average is taken over single items."
        notes.append(Note("design", text))
    if kernel == SADDLEPOINT:
        text = f"With more than {MAX_TESTED:,} pairs, p of the macro average is a saddlepoint approximation (Lugannani, Rice)."
        notes.append(Note("method", text))
    return notes


def macro_test(panels: Sequence[Panel], left: int, right: int, asked: TestRequest) -> TestResult:
    """What swaps of two systems say about the mean of their differences on the panels that both have items of.

    A metric that is not a mean over items has sides, but no other difference than 0, and no interval.

    Examples
    --------
    >>> values = np.array([[0.5, 0.6, 0.7, 0.9], [0.1, 0.4, 0.6, 0.5]])
    >>> datasets = [Panel.of("mean", ("A", "B"), values), Panel.of("mean", ("A", "B"), values)]
    >>> found = macro_test(datasets, 0, 1, TestRequest("greater"))
    >>> found.p.value, round(found.interval.low, 4), found.interval.high  # 1 of 2^8 swaps
    (0.00390625, 0.1667, None)
    >>> found = macro_test(datasets, 0, 1, TestRequest("greater", delta=-0.1))
    >>> found.p.kernel, round(found.p.value, 4)
    ('bounded-mean', 0.0643)
    """
    panels = shared_panels(panels, left, right)
    request = replace(asked, options={"method": "auto", "resamples": asked.options.get("resamples") or RESAMPLES})
    if not all(panel.linear() for panel in panels):
        return _sampled(panels, left, right, request)
    parts = [panel.pair(left, right) for panel in panels]
    rows, mean = macro_rows(parts, panels[0].metric)
    if not request.delta:
        return TESTS["permutation"].run(rows, mean, request)
    if panels[0].metric.stake is not None or (panels[0].metric.emptied is not None and mean.emptied is None):
        raise takes_no_margin(panels[0].metric.name)
    worth = _worth_of_items(rows)
    assumed: list[Note] = []
    if worth is not None and mean.emptied is None and None in known_range([_item_scores(rows)], mean, request):
        request, assumed = replace(request, bounds=(worth.wrong, worth.right)), list(two_scores(worth.wrong, worth.right))
    if worth is not None:
        # Right-or-wrong items are not symmetric about anything but 0, whatever is assumed.
        request = replace(request, assume="")
    if worth is not None and request.alternative == "two-sided":
        return _of_both_sides(rows, mean, request)
    result = TESTS["permutation"].run(rows, mean, request)
    if result.p.kernel == RANGE and len({part.rows for part in parts}) > 1:
        assumed.append(Note("method", SMALLEST))
    return replace(result, notes=[*result.notes, *assumed])


def _of_both_sides(rows: PairedScores, mean: AdditiveMetric, request: TestRequest) -> TestResult:
    """Right-or-wrong items at a difference other than 0, which swaps cannot be about: twice the smaller p of both sides."""
    sides = (replace(request, alternative=side, interval=False) for side in SIDES[1:])
    p = min((TESTS["permutation"].run(rows, mean, side).p for side in sides), key=lambda p: p.log10)
    log_p = min(0.0, p.log10 * LN10 + LOG2)
    doubled = PValue.from_logs(log_p, log_p, method=p.method, kernel=p.kernel, statistic=p.statistic, n=p.n)
    at_zero = TESTS["permutation"].run(rows, mean, replace(request, delta=0.0))
    return TestResult(doubled, at_zero.interval, [Note("method", BOTH_SIDES.format(delta=request.delta))])


def _item_scores(rows: PairedScores) -> Array:
    """The scores of all items of both systems."""
    return np.concatenate([side[:, 0] / side[:, 1] for side in (rows.a, rows.b)])


def _worth_of_items(rows: PairedScores) -> Worth | None:
    """What a right item is worth, if all items are right or wrong, each its own unit; else None."""
    if rows.averaged or (rows.clusters is not None and len(np.unique(rows.clusters)) < rows.rows):
        return None
    scores = _item_scores(rows)
    least, largest = float(scores.min()), float(scores.max())
    return worth_of(least, largest, rows.rows) if bool(np.isin(scores, (least, largest)).all()) else None


def _sampled(panels: Sequence[Panel], left: int, right: int, request: TestRequest) -> TestResult:
    """A metric that is not a mean over items, by swaps that are drawn."""
    name = panels[0].metric.name
    if request.delta:
        raise takes_no_margin(name)
    if not all((panel.present[left] == panel.present[right]).all() for panel in panels):
        raise OutscoreError(LACKING.format(metric=name), "Rank the datasets one by one, or give all systems the same items.")
    both = [replace(panel, rows=panel.rows[[left, right]], present=panel.present[[left, right]]) for panel in panels]
    datasets = tuple(summable(panel.part(np.flatnonzero(panel.present[0])).collapse_clusters()) for panel in both)
    flipped = Flipped(datasets, np.array([0]), np.array([1]), request.seed)
    hits = np.sum([hits_of(flipped, part) for part in ranges(request.resamples)], axis=0)[0]
    side = {"two-sided": 0, "greater": 1, "less": 2}[request.alternative]
    if side and panels[0].orientation < 0:
        side = 3 - side
    observed, n = float(flipped.observed()[0]), sum(panel.shape[1] for panel in datasets)
    return TestResult(sampled_p(int(hits[side]), request.resamples, "sign-flips", statistic=observed, n=n))


def takes_no_margin(metric: str) -> ShiftError:
    """A refusal of other differences than 0 where the macro average is not one of means over items."""
    return ShiftError(
        f"{metric} is not a mean over items, so its macro average over datasets takes neither a margin nor a `delta`.",
        "Pool the items of all datasets with --dataset none, or give one dataset only.",
        parameter="margin",
    )


def macro_tested(datasets: Sequence[Panel], request: TestRequest, approximate: bool, chunk: Array) -> Array:  # noqa: FBT001
    """(pairs, 3): log p to claim, its kind and log p to report for a chunk of pairs (left, right) by a linear metric.

    Examples
    --------
    >>> dataset = Panel.of("mean", ("A", "B"), np.array([[1, 1, 1], [0, 0, 0]]))
    >>> request = TestRequest(options={"method": "auto", "resamples": 999})
    >>> np.exp(macro_tested([dataset, dataset], request, False, np.array([[0, 1]]))[0, 0]).round(5).item()  # 2 of 2^6 swaps
    0.03125
    """
    answers = np.zeros((len(chunk), 3))
    for row, (left, right) in enumerate(chunk.tolist()):
        parts = [part for part in (panel.pair(left, right) for panel in datasets) if part.rows]
        if not parts:
            continue
        pairs, mean = macro_rows(parts, datasets[0].metric)
        if approximate:
            d = (pairs.a - pairs.b)[:, 0].astype(float)
            if pairs.clusters is not None:
                d = np.bincount(pairs.clusters, weights=d)
            if int((d != 0).sum()) >= MIN_APPROXIMATED:
                log_p = _approximate(d)
                answers[row] = log_p, KINDS.index("asymptotic"), log_p
                continue
        p = permutation_p(pairs, mean, request)
        answers[row] = log_claim(p), KINDS.index(p.method), p.log10 * LN10
    return answers


def _approximate(d: Array) -> float:
    """log p of one pair's flips by the saddlepoint approximation."""
    sizes, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    # Whole numbers lie on a lattice of twice their common divisor.
    whole = as_integers(sizes)
    half = float(np.gcd.reduce(whole)) if whole.dtype.kind == "i" else 0.0
    observed = np.array([abs(math.fsum(d.tolist()))])
    return float(log_saddlepoint(counts[None], sizes[None], observed, np.array([half]))[0])


def macro_rows(parts: Sequence[PairedScores], metric: AdditiveMetric) -> tuple[PairedScores, AdditiveMetric]:
    """The items of all datasets as a weighted mean, which is the macro average: whole numbers where they can be.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = [np.stack([np.arange(n), np.ones(n, dtype=int)], axis=1) for n in (2, 3)]
    >>> pairs, macro = macro_rows([PairedScores(one, 0 * one + [0, 1]) for one in rows], mean)
    >>> pairs.a.tolist(), float(macro.score(pairs.a.sum(axis=0)))  # (1/2 + 1)/2
    ([[0, 3], [3, 3], [0, 2], [2, 2], [4, 2]], 0.75)
    """
    # What each item counts within its dataset; of a sum all count alike.
    counted = [metric.bottom(part.a) for part in parts]
    shares = [np.ones(part.rows, dtype=np.int64) if x is None else x for part, x in zip(parts, counted, strict=True)]
    # (2, items) of each dataset, A above B.
    tops = [np.stack([metric.top(part.a), metric.top(part.b)]) for part in parts]
    bottoms = [float(share.sum()) for share in shares]
    if is_sum(metric):
        # A sum is as many times a mean as there are items, in units of its own scale.
        tops = [top * part.rows for top, part in zip(tops, parts, strict=True)]
        shares = [share * part.scale for share, part in zip(shares, parts, strict=True)]
    common = _common_multiple(bottoms) if all(part.integral for part in parts) else None
    if common is not None and _stays_exact(tops, bottoms, common):
        times: list[float] = [common // int(bottom) for bottom in bottoms]
    else:
        times = [1 / (bottom * len(parts)) for bottom in bottoms]
    columns = (np.concatenate([one * k for one, k in zip(of, times, strict=True)], axis=-1) for of in (tops, shares))
    (a, b), weights = columns
    mean = AdditiveMetric(
        f"macro {metric.name}",
        ("score", "weight"),
        ratio=((1, 0), (0, 1)),
        direction=metric.direction,
        # Right and wrong items of different weights are no shares.
        graded=True,
        bounds=metric.bounds,
        emptied=_emptied(metric),
    )
    averaged = any(part.averaged for part in parts)
    return PairedScores(
        np.stack([a, weights], axis=1), np.stack([b, weights], axis=1), 1, None, _clusters_of(parts), averaged
    ), mean


def _emptied(metric: AdditiveMetric) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """What an empty output makes of the score and the weight of an item; None where the metric does not say it by these two."""
    if metric.emptied is None or metric.ratio is None or metric.ratio[1] is None:
        return None
    u, v, matrix = (np.asarray(part) for part in (*metric.ratio, metric.emptied))
    if (matrix @ v != v).any():
        return None
    found = [(k, m) for k in (0, 1) for m in (0, 1) if (matrix @ u == k * u + m * v).all()]
    return ((found[0][0], 0), (found[0][1], 1)) if found else None


def _common_multiple(bottoms: Sequence[float]) -> int | None:
    """The least common multiple of denominators; None where one of them is not a whole number."""
    if not all(float(bottom).is_integer() for bottom in bottoms):
        return None
    return math.lcm(*(int(bottom) for bottom in bottoms))


def _stays_exact(tops: Sequence[Array], bottoms: Sequence[float], common: int) -> bool:
    """Whether sums over the common denominator are whole numbers that a float holds."""
    # The common multiple of many sizes may be beyond any float: that is settled before anything is divided.
    if not 0 < common * len(tops) < MAX_EXACT:
        return False
    largest = sum(common / bottom * float(np.abs(top).sum()) for top, bottom in zip(tops, bottoms, strict=True))
    return largest < MAX_EXACT


def _clusters_of(parts: Sequence[PairedScores]) -> Array | None:
    """Clusters of all datasets, numbered through; items without one are clusters of their own."""
    if all(part.clusters is None for part in parts):
        return None
    codes, used = [], 0
    for part in parts:
        here = np.arange(part.rows) if part.clusters is None else part.clusters
        codes.append(here + used)
        used += int(here.max()) + 1
    return np.concatenate(codes)


def macro_from_counts(measured: Sequence[Measured], request: TestRequest) -> tuple[Array, Array, str] | None:
    """Both log p, kinds and kernel of the macro average of right-or-wrong items, from counts alone; None for other items."""
    tables = [part.pairs for part in measured]
    if any(table.wins is None or table.losses is None for table in tables):
        return None
    # (pairs, datasets): items that one system alone got right.
    wins, losses = (np.stack([np.asarray(getattr(table, side)) for table in tables], axis=1) for side in ("wins", "losses"))
    # How much one of them moves the difference on its dataset; 0 where a pair shares no item.
    worth = np.stack([np.where(table.n > 0, table.unit / np.maximum(table.n, 1), 0.0) for table in tables], axis=1)
    counts, gaps, pairs = wins + losses, wins - losses, len(wins)
    observed = (worth * gaps).sum(axis=1)
    few = (counts.sum(axis=1) < MIN_APPROXIMATED) if pairs > MAX_TESTED else np.ones(pairs, dtype=bool)
    # Datasets of one size make one binomial of them all.
    alike = (np.where(counts > 0, worth, worth.max(axis=1)[:, None]) == worth.max(axis=1)[:, None]).all(axis=1)
    log_p = np.zeros((2, pairs))
    kind = np.full(pairs, KINDS.index("exact"), dtype=np.int8)
    up = (counts + gaps)[alike].sum(axis=1) // 2
    log_p[:, alike] = log_two_sided(up, counts[alike].sum(axis=1) - up)
    smooth = ~alike & ~few
    log_p[:, smooth] = log_saddlepoint(counts[smooth], worth[smooth], observed[smooth], _half_steps(counts, worth)[smooth])
    kind[smooth] = KINDS.index("asymptotic")
    plain = AdditiveMetric("macro average", ("score",), ratio=((1,), None))
    for i in np.flatnonzero(~alike & few).tolist():
        p = permutation_p(_rows_from_counts(counts[i], worth[i], gaps[i]), plain, request)
        log_p[:, i], kind[i] = (log_claim(p), p.log10 * LN10), KINDS.index(p.method)
    return log_p, kind, SADDLEPOINT if smooth.any() else "binomial, lattice, bracket"


def _half_steps(counts: Array, worth: Array) -> Array:
    """Half the distance between two possible macro sums: with items worth 1/n, sums are multiples of 2/lcm of all n."""
    sizes = np.rint(HUNDRED / np.where(counts > 0, worth, 1.0)).astype(np.int64)
    distinct, row = np.unique(np.where(counts > 0, sizes, 1), axis=0, return_inverse=True)
    # A fraction rounds to 0 where the lattice is too fine to matter, and to be divided by.
    return np.array([float(Fraction(int(HUNDRED), math.lcm(*row_sizes))) for row_sizes in distinct.tolist()])[row.ravel()]


def _rows_from_counts(counts: Array, worth: Array, gaps: Array) -> PairedScores:
    """Every discordant item's contribution on the side that won it; whole numbers where the datasets' sizes allow."""
    there = counts > 0
    counts, worth, gaps = counts[there], worth[there], gaps[there]
    sizes = np.rint(HUNDRED / worth).astype(np.int64) if len(worth) else np.ones(0, dtype=np.int64)
    common = math.lcm(*sizes.tolist()) if len(sizes) else 1
    values: Array = worth
    if common < MAX_EXACT and float((counts * (common // sizes)).sum()) < MAX_EXACT:
        values = common // sizes
    wins = (counts + gaps) // 2
    a = np.concatenate([np.repeat(values, wins), np.zeros(int((counts - wins).sum()), dtype=values.dtype)])
    b = np.concatenate([np.zeros(int(wins.sum()), dtype=values.dtype), np.repeat(values, counts - wins)])
    return PairedScores(a[:, None], b[:, None])


def macro_scores(parts: Sequence[OwnScores]) -> OwnScores:
    """The mean of each system's scores over the datasets that it has, nan elsewhere, with the widths of their intervals added.

    Examples
    --------
    >>> one, other = (OwnScores(*(np.array([x]) for x in ends)) for ends in ((0.5, 0.2, 0.9), (0.7, 0.3, 1.0)))
    >>> both = macro_scores([one, other])
    >>> [round(x.item(), 3) for x in (both.value, both.low, both.high)]
    [0.6, 0.35, 0.85]
    """
    values = np.stack([part.value for part in parts], axis=1)
    there = np.isfinite(values)
    value = _mean(values, there)
    # The sides are separate, so that limits of shares stay between 0 and 1 (Zou and Donner, 2008).
    below = _reach(values - np.stack([part.low for part in parts], axis=1), there)
    above = _reach(np.stack([part.high for part in parts], axis=1) - values, there)
    return OwnScores(value, value - below, value + above)


def combined_limits(parts: Sequence[tuple[float, float, float]], *, rejected: bool) -> tuple[float, float]:
    """Limits of a mean of differences, each with both ends of its own interval, that agree with the test about 0."""
    differences, low, high = (np.array([column]) for column in zip(*parts, strict=True))
    ends = _agreeing(differences.mean(axis=1), _reach((high - low) / 2, np.ones_like(low, dtype=bool)), np.array([rejected]))
    return float(ends[0][0]), float(ends[1][0])


def macro_measured(
    measured: Sequence[Measured],
    log_p: Array,
    kind: Array,
    kernel: str,
    notes: Sequence[Note],
    *,
    alpha: float,
    test: str = "permutation",
    limits: tuple[Array, Array, str] | None = None,
) -> Measured:
    """The macro average of datasets with the p-values found for it, by a `test` that has these `limits`, made like this.

    `log_p` are those to claim, and those to report. Without limits, the intervals of the datasets are combined.
    """
    first = measured[0]
    n = np.stack([part.pairs.n for part in measured], axis=1)
    shared = n > 0
    several = shared.sum(axis=1)
    difference = _mean(np.stack([part.pairs.difference for part in measured], axis=1), shared)
    reach = _reach(np.stack([part.pairs.high - part.pairs.low for part in measured], axis=1) / 2, shared)
    low, high, interval = limits or (*_agreeing(difference, reach, log_p[0] <= math.log(alpha)), _interval(measured, reach))
    some = np.flatnonzero((several > 0) & (several < len(measured)))
    pairs = PairTable(
        left=first.pairs.left,
        right=first.pairs.right,
        n=n.sum(axis=1),
        difference=difference,
        low=low,
        high=high,
        log_p=np.where(several > 0, log_p[0], 0.0),
        kind=kind,
        log_value=np.where(several > 0, log_p[1], 0.0),
        weight=several,
        remarks={
            int(i): f"On {int(several[i])} of {len(measured)} datasets: in the others the two systems share no item."
            for i in some
        },
    )
    verb = "pair is" if len(some) == 1 else "pairs are"
    text = f"{len(some):,} {verb} compared on the datasets that both systems have, not on all."
    partial = [Note("design", text)] if len(some) else []
    return Measured(
        dataset=None,
        metric=first.metric,
        higher_is_better=first.higher_is_better,
        systems=first.systems,
        own=macro_scores([part.own for part in measured]),
        n=np.stack([part.n for part in measured], axis=1).sum(axis=1),
        items=sum(part.items for part in measured),
        complete=all(part.complete for part in measured),
        pairs=pairs,
        test=test,
        kernel=kernel,
        interval=interval,
        unit=first.unit,
        notes=[*notes, *partial],
        macro=True,
    )


def _agreeing(difference: Array, reach: Array, rejected: Array) -> tuple[Array, Array]:
    """Both limits, moved to leave 0 out exactly where the test rejects it."""
    low, high = difference - reach, difference + reach
    astride = rejected & (low <= 0) & (high >= 0)
    kept = ~rejected
    low = np.where(kept, np.minimum(low, 0.0), np.where(astride & (difference > 0), MIN_FLOAT, low))
    return low, np.where(kept, np.maximum(high, 0.0), np.where(astride & (difference < 0), -MIN_FLOAT, high))


def _interval(measured: Sequence[Measured], reach: Array) -> str:
    """How the intervals came about, or why there are none: for the reason that the datasets have none."""
    if np.isfinite(reach).any():
        return COMBINED
    return next((part.interval for part in measured if part.interval.startswith("none")), "none: a dataset has none")


def _mean(values: Array, there: Array) -> Array:
    """Mean over the datasets that count; nan where none does."""
    sums, counts = np.where(there, np.nan_to_num(values), 0.0).sum(axis=1), there.sum(axis=1)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def _reach(widths: Array, there: Array) -> Array:
    """√(Σ w²)/D over the datasets that count; nan where one of them is unknown."""
    squares = np.where(there, widths**2, 0.0).sum(axis=1)
    return np.asarray(np.sqrt(squares) / np.maximum(there.sum(axis=1), 1))

"""The macro average over datasets, tested as a statistic of its own.

A pair's macro difference is the mean, over the datasets on which both have items, of the difference on each.
Swapping systems item by item flips d/(D·n) for every item of a dataset of n items, so the null law is again
that of a sum of sign flips, and the same kernels serve it, for up to `MAX_TESTED` pairs. Beyond, pairs of
`MIN_APPROXIMATED` flips or more get Lugannani and Rice's approximation (`exact.saddlepoint`), for
right-or-wrong items with all saddle points found together; it is an approximation, and says so.

The interval of a single pair inverts this test, as that of a mean does: an item of a dataset of n items has the weight 1/(D·n).
Intervals of many pairs, and of metrics that are not means, add up the widths of the datasets' own as those of independent
numbers add up, √(Σ w²)/D, and are stretched to hold 0 exactly where the test does not reject it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import MAX_EXACT, MIN_FLOAT, Array, as_integers
from outscore.core.options import OptionValue
from outscore.core.rows import PairedScores
from outscore.exact.binomial import log_two_sided
from outscore.exact.saddlepoint import log_saddlepoint
from outscore.inference.base.question import TestRequest
from outscore.inference.pairwise.per_pair import log_claim, permutation_p
from outscore.inference.pairwise.table import KINDS, Measured, PairTable
from outscore.inference.permutation import inversion_interval
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue
from outscore.scores.panel import Panel

MAX_TESTED = 2_000
"""Beyond so many pairs the macro average is approximated."""
COMBINED = "the datasets' intervals combined, stretched to agree with the test"
SADDLEPOINT = "saddlepoint"
MIN_APPROXIMATED = 100
"""With fewer flips the approximation is too rough. From here on, p above 1e-8 was within 5 % in 98 of 100 simulated sums."""
RESAMPLES = 9_999
"""Swaps that are drawn where the test of the datasets draws none."""
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


def macro_tested(datasets: Sequence[Panel], request: TestRequest, approximate: bool, chunk: Array) -> Array:  # noqa: FBT001
    """(pairs, 2): log p and its kind for a chunk of pairs (left, right) by a linear metric.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.stack([np.array([[1, 1, 1], [0, 0, 0]]), np.ones((2, 3), dtype=int)], axis=2)
    >>> dataset = Panel(mean, ("A", "B"), rows, np.ones((2, 3), dtype=bool))
    >>> request = TestRequest(options={"method": "auto", "resamples": 999})
    >>> np.exp(macro_tested([dataset, dataset], request, False, np.array([[0, 1]]))[0, 0]).round(5).item()  # 2 of 2^6 swaps
    0.03125
    """
    answers = np.zeros((len(chunk), 2))
    for row, (left, right) in enumerate(chunk.tolist()):
        pairs, metric = _macro_rows([panel.pair(left, right) for panel in datasets], datasets[0].metric)
        if pairs is None:
            continue
        if approximate:
            d = (pairs.a - pairs.b)[:, 0].astype(float)
            if pairs.clusters is not None:
                d = np.bincount(pairs.clusters, weights=d)
            if int((d != 0).sum()) >= MIN_APPROXIMATED:
                answers[row] = _approximate(d), KINDS.index("asymptotic")
                continue
        p = permutation_p(pairs, metric, request)
        answers[row] = log_claim(p), KINDS.index(p.method)
    return answers


def _approximate(d: Array) -> float:
    """log p of one pair's flips by the saddlepoint approximation."""
    sizes, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    # Whole numbers lie on a lattice of twice their common divisor.
    whole = as_integers(sizes)
    half = float(np.gcd.reduce(whole)) if whole.dtype.kind == "i" else 0.0
    observed = np.array([abs(math.fsum(d.tolist()))])
    return float(log_saddlepoint(counts[None], sizes[None], observed, np.array([half]))[0])


def _macro_rows(parts: Sequence[PairedScores], metric: AdditiveMetric) -> tuple[PairedScores | None, AdditiveMetric]:
    """The items of all datasets as contributions to the macro average, whole numbers where they can be."""
    assert metric.ratio is not None
    plain = AdditiveMetric(f"macro {metric.name}", ("score",), ratio=((1,), None), direction=metric.direction)
    parts = [part for part in parts if part.rows]
    if not parts:
        return None, plain
    u, v = metric.ratio
    bottoms = [part.scale if v is None else float((part.a @ np.asarray(v)).sum()) for part in parts]
    # (2, items) of each dataset, A above B.
    tops = [np.stack([part.a @ np.asarray(u), part.b @ np.asarray(u)]) for part in parts]
    clusters = _clusters_of(parts)
    common = _common_multiple(bottoms) if all(part.integral for part in parts) else None
    if common is not None and _stays_exact(tops, bottoms, common):
        weighted = [top * (common // int(bottom)) for top, bottom in zip(tops, bottoms, strict=True)]
        scale = common * len(parts)
    else:
        weighted = [top / (bottom * len(parts)) for top, bottom in zip(tops, bottoms, strict=True)]
        scale = 1
    a, b = np.concatenate(weighted, axis=1)
    return PairedScores(a[:, None], b[:, None], scale, None, clusters), plain


def macro_interval(datasets: Sequence[Panel], left: int, right: int, log_p: float, alpha: float) -> Interval | None:
    """The interval of one pair's macro difference by a linear metric, which inverts its test; None where they share no item.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.stack([np.array([[5, 6, 7, 9], [1, 4, 6, 5]]), np.ones((2, 4), dtype=int)], axis=2)
    >>> dataset = Panel(mean, ("A", "B"), rows, np.ones((2, 4), dtype=bool))
    >>> found = macro_interval([dataset, dataset], 0, 1, math.log(2 / 2**8), 0.05)
    >>> found.low, found.high
    (1.5, 4.0)
    """
    metric = datasets[0].metric
    parts = [part for part in (panel.pair(left, right) for panel in datasets) if part.rows]
    pairs, _ = _macro_rows(parts, metric)
    if pairs is None or metric.ratio is None:
        return None
    bottoms = [np.ones(part.rows) if metric.ratio[1] is None else part.a @ np.asarray(metric.ratio[1]) for part in parts]
    if pairs.scale == 1 or metric.ratio[1] is None:
        weights = np.concatenate([bottom / (float(bottom.sum()) * len(parts)) for bottom in bottoms]) * pairs.scale
    else:
        # Whole numbers stay whole, so that subsets of items that sum to 0 do.
        weights = np.concatenate([bottom * (pairs.scale // len(parts) // int(bottom.sum())) for bottom in bottoms])
    a, b = (np.concatenate([side, weights[:, None]], axis=1) for side in (pairs.a, pairs.b))
    mean = AdditiveMetric("macro average", ("score", "weight"), ratio=((1, 0), (0, 1)), direction=metric.direction)
    p = PValue.from_logs(log_p, log_p, method="exact", kernel="macro")
    return inversion_interval(PairedScores(a, b, clusters=pairs.clusters), mean, alpha, p)


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


def flips_from_counts(measured: Sequence[Measured]) -> tuple[Array, Array, Array] | None:
    """Of right-or-wrong items: (pairs, datasets) discordant items, what each is worth in the macro sum, and wins - losses.

    None where some dataset has other items.
    """
    if any(part.pairs.wins is None or part.pairs.losses is None for part in measured):
        return None
    wins = np.stack([np.asarray(part.pairs.wins) for part in measured], axis=1)
    losses = np.stack([np.asarray(part.pairs.losses) for part in measured], axis=1)
    worth = np.stack([_worth(part.pairs) for part in measured], axis=1)
    return wins + losses, worth, wins - losses


def _worth(pairs: PairTable) -> Array:
    """How much one discordant item moves the difference on its dataset; 0 where a pair shares no item."""
    return np.asarray(np.where(pairs.n > 0, pairs.unit / np.maximum(pairs.n, 1), 0.0))


def macro_from_counts(measured: Sequence[Measured], request: TestRequest) -> tuple[Array, Array, str] | None:
    """log p, kinds and kernel of the macro average of right-or-wrong items, from their counts alone; None for other items."""
    flips = flips_from_counts(measured)
    if flips is None:
        return None
    counts, worth, gaps = flips
    pairs = len(counts)
    observed = (worth * gaps).sum(axis=1)
    few = (counts.sum(axis=1) < MIN_APPROXIMATED) if pairs > MAX_TESTED else np.ones(pairs, dtype=bool)
    # Datasets of one size make one binomial of them all.
    alike = (np.where(counts > 0, worth, worth.max(axis=1)[:, None]) == worth.max(axis=1)[:, None]).all(axis=1)
    log_p = np.zeros(pairs)
    kind = np.full(pairs, KINDS.index("exact"), dtype=np.int8)
    up = (counts + gaps)[alike].sum(axis=1) // 2
    log_p[alike] = log_two_sided(up, counts[alike].sum(axis=1) - up)
    smooth = ~alike & ~few
    log_p[smooth] = log_saddlepoint(counts[smooth], worth[smooth], observed[smooth], _half_steps(counts, worth)[smooth])
    kind[smooth] = KINDS.index("asymptotic")
    plain = AdditiveMetric("macro average", ("score",), ratio=((1,), None))
    for i in np.flatnonzero(~alike & few).tolist():
        p = permutation_p(_rows_from_counts(counts[i], worth[i], gaps[i]), plain, request)
        log_p[i], kind[i] = log_claim(p), KINDS.index(p.method)
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


def macro_measured(
    measured: Sequence[Measured], log_p: Array, kind: Array, kernel: str, notes: Sequence[Note], *, alpha: float
) -> Measured:
    """The macro average of datasets with the p-values found for it."""
    first = measured[0]
    n = np.stack([part.pairs.n for part in measured], axis=1)
    shared = n > 0
    several = shared.sum(axis=1)
    difference = _mean(np.stack([part.pairs.difference for part in measured], axis=1), shared)
    reach = _reach(np.stack([part.pairs.high - part.pairs.low for part in measured], axis=1) / 2, shared)
    has_items = np.stack([part.n for part in measured], axis=1) > 0
    value = _mean(np.stack([part.value for part in measured], axis=1), has_items)
    # The sides are separate, so that limits of shares stay between 0 and 1 (Zou and Donner, 2008).
    below = _reach(np.stack([part.value - part.low for part in measured], axis=1), has_items)
    above = _reach(np.stack([part.high - part.value for part in measured], axis=1), has_items)
    low, high = _agreeing(difference, reach, log_p <= math.log(alpha))
    some = np.flatnonzero((several > 0) & (several < len(measured)))
    pairs = PairTable(
        left=first.pairs.left,
        right=first.pairs.right,
        n=n.sum(axis=1),
        difference=difference,
        low=low,
        high=high,
        log_p=np.where(several > 0, log_p, 0.0),
        kind=kind,
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
        value=value,
        low=value - below,
        high=value + above,
        n=np.stack([part.n for part in measured], axis=1).sum(axis=1),
        items=sum(part.items for part in measured),
        complete=all(part.complete for part in measured),
        pairs=pairs,
        test="permutation",
        kernel=kernel,
        interval=_interval(measured, reach),
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

"""Sign flips and bootstrap resamples in bulk: drawn numbers times tables, the same for any number of workers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from outscore.core.numeric import Array, exact_sum, quantiles
from outscore.laws import normal, normal_quantile

# Drawn numbers times a table, block after block: the one product behind flips and resamples.
#
# A block of signs or weights stays small enough for the processor's cache and is large enough to be worth BLAS's threads. Sums
# are exact, in single precision where they stay below 2^24 and in double precision below 2^53, so no block size, thread or
# order can change a result.


Draw = Callable[[int, int], Array]
"""From the first resample and how many to an array of (count, units) drawn numbers."""

BLOCK_ENTRIES = 1 << 21
"""Drawn numbers multiplied at a time. Fewer would make BLAS start its threads more often than it pays."""
BLOCK_SUMS = 1 << 20
"""Sums held at a time, when there are many more columns than units."""
SINGLE = 2**24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""


def in_exact_precision(rows: Array, largest: Array) -> Array:
    """The rows in single precision where no sum can leave its exact whole numbers, else in double precision.

    `largest` bounds the sums of each column.

    Examples
    --------
    >>> [in_exact_precision(np.array([[x], [3]]), np.array([x + 3])).dtype.name for x in (5, 2**24)]
    ['float32', 'float64']
    """
    table = np.asarray(rows, dtype=float)
    exact = float(largest.max(initial=0.0)) < SINGLE and bool((table == np.rint(table)).all())
    return table.astype(np.float32) if exact else table


def products(rows: Array, draw: Draw, first: int, resamples: int, block: int | None = None) -> Iterator[Array]:
    """What is drawn times the rows, for the resamples first … first + resamples - 1.

    Examples
    --------
    >>> rows = np.array([[1.0], [2.0]])
    >>> [sums.tolist() for sums in products(rows, lambda first, count: np.full((count, 2), first), 0, 3, block=2)]
    [[[0.0], [0.0]], [[6.0]]]
    """
    units, columns = rows.shape
    block = block or max(1, min(BLOCK_ENTRIES // max(1, units), BLOCK_SUMS // max(1, columns)))
    for start in range(first, first + resamples, block):
        drawn = draw(start, min(block, first + resamples - start))
        yield (drawn.astype(rows.dtype, copy=False) @ rows).astype(float, copy=False)


# Random sign flips in bulk.
#
# Resample k of a seed is a fixed stretch of a counter-based random stream (Philox; Salmon et al., 2011): one bit per unit, and
# any worker can draw any block without drawing what comes before it. Sums are exact: the columns are integers with absolute
# sums below 2**53, so floating-point addition never rounds and no block size, thread or order can change a result.


WORDS_PER_STEP = 4
"""One step of the Philox counter yields four 64-bit words."""


def flip_bits(units: int, first: int, count: int, seed: int) -> Array:
    """Sign flips of resamples first … first + count - 1 as a (count, units) array of 0 and 1."""
    steps = -(-units // (64 * WORDS_PER_STEP))
    stream = np.random.Philox(key=seed, counter=first * steps)
    words = stream.random_raw(count * steps * WORDS_PER_STEP).astype("<u8")
    packed = words.view(np.uint8).reshape(count, -1)
    return np.unpackbits(packed, axis=1, count=units, bitorder="little")


def flipped_blocks(vectors: Array, *, resamples: int, seed: int, first: int = 0, block: int | None = None) -> Iterator[Array]:
    """Σ ε v over the rows v of an integer array (n, m), as exact floats, block after block of the resamples.

    Examples
    --------
    >>> [sums.tolist() for sums in flipped_blocks(np.array([[1, 2], [0, 3]]), resamples=2, seed=2)]
    [[[1.0, -1.0], [1.0, 5.0]]]
    """
    rows = in_exact_precision(vectors, np.abs(vectors).sum(axis=0))
    total, units = rows.sum(axis=0, dtype=float), len(rows)
    for product in products(rows, lambda start, count: flip_bits(units, start, count, seed), first, resamples, block):
        yield total - 2.0 * product


def flipped_sums(vectors: Array, first: int, count: int, seed: int) -> Array:
    """The sums of a range of resamples together, as (count, m)."""
    return np.concatenate(list(flipped_blocks(vectors, resamples=count, seed=seed, first=first)))


def count_hits(vectors: Array, inside: Callable[[Array], Array], *, resamples: int, seed: int, block: int | None = None) -> int:
    """How many of the resamples' sums satisfy `inside`, a vectorised predicate on (count, m) sums."""
    return sum(int(inside(sums).sum()) for sums in flipped_blocks(vectors, resamples=resamples, seed=seed, block=block))


# Bootstrap resamples in bulk: units drawn with replacement, one by one or in blocks.
#
# A score is a function of column sums, so a resample is a row of weights (how often each unit was drawn) times a table.
# Resample k of a seed is a fixed stretch of a counter-based random stream (Philox; Salmon et al., 2011), and the table is
# rounded so that its sums are exact. No block size, thread or order can change a result. How long blocks of dependent items
# must be is found from the data (`optimal_block_length`).


"""One step of the Philox counter yields four 64-bit words."""
DRAWN_ENTRIES = 1 << 16
"""Indices drawn at a time: half a megabyte stays in the processor's cache."""
BATCH = 64
"""Multinomial resamples that share one stretch of the stream."""
ALIKE = 14
"""Drawing the count of a kind of unit takes about as long as drawing this many units."""

NOISE = 1e-12
"""Variation below this share of the numbers is rounding."""


def resample_indices(units: int, first: int, count: int, seed: int) -> Array:
    """Which units the resamples first … first + count - 1 hold, as a (count, units) array.

    A 32-bit word x picks unit ⌊x · units / 2^32⌋, so that probabilities are equal up to one part in 2^32 /
    units.

    Examples
    --------
    >>> bool((resample_indices(5, 2, 1, seed=7) == resample_indices(5, 0, 3, seed=7)[2]).all())
    True
    """
    steps = -(-units // (2 * WORDS_PER_STEP))
    stream = np.random.Philox(key=seed, counter=first * steps)
    words = stream.random_raw(count * steps * WORDS_PER_STEP).astype("<u8", copy=False).view("<u4")
    return _scale_words(words.reshape(count, -1)[:, :units], units)


def stationary_indices(units: int, block_length: float, first: int, count: int, seed: int) -> Array:
    """The same for the stationary bootstrap (Politis and Romano, 1994): circular blocks of geometric length.

    Each place continues the block before it, or begins a new one anywhere with probability 1 / block_length.

    Examples
    --------
    >>> stationary_indices(8, 3.0, 0, 2, seed=2).tolist()
    [[3, 4, 5, 4, 5, 6, 7, 6], [7, 0, 1, 2, 3, 4, 5, 6]]
    """
    steps = -(-units // WORDS_PER_STEP)
    stream = np.random.Philox(key=seed, counter=first * steps)
    words = stream.random_raw(count * steps * WORDS_PER_STEP).astype("<u8", copy=False).view("<u4")
    words = words.reshape(count, -1, 2)[:, :units]
    begins = words[:, :, 0] <= math.ceil(2**32 / block_length) - 1
    begins[:, 0] = True
    place = np.arange(units)
    # A block that begins at place p with unit u holds unit u - p + t (circularly) at every later place t.
    shift = _scale_words(words[:, :, 1], units) - place
    begun = np.maximum.accumulate(np.where(begins.ravel(), np.arange(count * units), 0))
    indices = shift.ravel()[begun].reshape(count, units) + place
    indices -= units * (indices >= units)
    return indices


def multinomial_counts(sizes: Array, first: int, count: int, seed: int) -> Array:
    """How often each kind of unit was drawn, `sizes` being how many of each there are, as a (count, kinds) array.

    Examples
    --------
    >>> multinomial_counts(np.array([90, 10]), 0, 3, seed=0).sum(axis=1).tolist()
    [100, 100, 100]
    """
    units = int(sizes.sum())
    batches = range(first // BATCH, -(-(first + count) // BATCH))
    streams = (np.random.Generator(np.random.Philox(key=seed, counter=k << 128)) for k in batches)
    drawn = np.concatenate([stream.multinomial(units, sizes / units, size=BATCH) for stream in streams])
    return np.asarray(drawn[first - batches.start * BATCH :][:count])


def exactly_summable(columns: Array) -> Array:
    """Columns rounded so that the sum over any resample is exact in floating point, in any order.

    The numbers of a column become multiples of one power of two, small enough that no resample reaches 2^53
    of them. Whole numbers do not change; others move by less than one part in 2^52 of the largest sum.
    """
    columns = np.asarray(columns, dtype=float)
    _, exponent = np.frexp(np.abs(columns).max(axis=0, initial=0.0))
    shift = 52 - exponent - len(columns).bit_length()
    return np.asarray(np.ldexp(np.rint(np.ldexp(columns, shift)), -shift))


def resampled_totals(
    columns: Array, *, resamples: int, seed: int, block_length: float | None = None, block: int | None = None
) -> Array:
    """Column sums of every resample of the rows of an `exactly_summable` (n, k) table, as (resamples, k).

    Rows are drawn one by one, or in stationary blocks of mean length `block_length`. Where most rows are
    equal, as with right or wrong answers, only the counts of the different ones are drawn: that has the same
    law and takes no longer for more rows.

    Examples
    --------
    >>> resampled_totals(np.array([[1.0, 1.0], [0.0, 1.0]]), resamples=4, seed=1).tolist()
    [[2.0, 2.0], [0.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    """
    n, rows = len(columns), columns
    draw: Draw
    if block_length is not None:
        length = block_length
        draw = _to_weights(n, lambda first, count: stationary_indices(n, length, first, count, seed))
    else:
        distinct, sizes = _distinct(columns)
        draw = _to_weights(n, lambda first, count: resample_indices(n, first, count, seed))
        if ALIKE * len(distinct) <= n:
            rows, draw = distinct, lambda first, count: multinomial_counts(sizes, first, count, seed)
    return np.concatenate(list(products(_exact_of(rows, n), draw, 0, resamples, block)))


def _exact_of(rows: Array, units: int) -> Array:
    """The rows in exact precision: no resample holds more than n times the largest number."""
    return in_exact_precision(rows, units * np.abs(rows).max(axis=0, initial=0.0))


def _to_weights(units: int, indices: Draw) -> Draw:
    """From a drawing of indices to a drawing of weights, few indices at a time."""
    step = max(1, DRAWN_ENTRIES // max(1, units))

    def weights(first: int, count: int) -> Array:
        counts = np.empty((count, units), dtype=np.float32)
        for low in range(0, count, step):
            some = min(step, count - low)
            counts[low : low + some] = _counts(indices(first + low, some))
        return counts

    return weights


def _distinct(rows: Array) -> tuple[Array, Array]:
    """The different rows and how many there are of each; np.unique does the same ten times more slowly."""
    order = np.lexsort(rows.T)
    ordered = rows[order]
    starts = np.flatnonzero(np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)]))
    # In order of first appearance, which does not change when the two systems change places.
    kinds = np.argsort(order[starts])
    return ordered[starts][kinds], np.diff(starts, append=len(rows))[kinds]


def _scale_words(words: Array, units: int) -> Array:
    """⌊x · units / 2^32⌋ for 32-bit words x."""
    product = np.multiply(words, np.uint64(units), dtype=np.uint64)
    product >>= np.uint64(32)
    return product.view(np.int64)


def _counts(indices: Array) -> Array:
    """How often each unit occurs in each row of indices, which are overwritten."""
    count, units = indices.shape
    indices += units * np.arange(count)[:, None]
    return np.bincount(indices.ravel(), minlength=count * units).reshape(count, units)


def centred_mean(d: Array, resamples: int, seed: int, clusters: Array | None = None) -> Array:
    """Mean of each resample of d less the mean of d, measured by the resample's standard error in units of the observed one.

    With clusters, S_g and n_g being their sums and sizes, the standard error is √(G/(G - 1) Σ_g (S_g -
    mean·n_g)²) / Σ_g n_g. A resample whose units are all alike has none: it moved infinitely far, or not at
    all.

    Examples
    --------
    >>> centred_mean(np.array([0.0, 1.0]), resamples=4, seed=1).tolist()
    [-inf, inf, 0.0, 0.0]
    """
    codes = np.arange(len(d)) if clusters is None else clusters
    sizes, mean = np.bincount(codes), exact_sum(d) / len(d)
    rest = np.bincount(codes, weights=d) - mean * sizes
    # What rounding leaves of equal numbers must not look like variation.
    rest[np.abs(rest) <= NOISE * sizes * float(np.abs(d).max())] = 0.0
    columns = np.stack([rest, sizes, rest**2, rest * sizes, sizes**2], axis=1)
    # Squares of outliers leave the others few digits in one table; what rounding takes off goes into a second
    # one.
    high = exactly_summable(columns)
    both = np.concatenate([high, exactly_summable(columns - high)], axis=1)
    drawn = resampled_totals(both, resamples=resamples, seed=seed)
    moved, size, squares, products, sizes_squared = (drawn[:, :5] + drawn[:, 5:]).T
    moves = moved / size
    # Σ (S - n·mean*)², expanded around the observed mean so that little cancels; G/(G - 1) is the same in
    # every resample.
    spread = squares - 2 * moves * products + moves**2 * sizes_squared
    alike = spread <= NOISE * (squares + moves**2 * sizes_squared)
    error = np.sqrt(np.where(alike, 1.0, spread)) / size
    observed = math.sqrt(float((rest**2).sum())) / len(d)
    far = np.where(moves == 0, 0.0, np.copysign(np.inf, moves))
    return np.where(alike, far, moves * (observed / error))


def centred_median(d: Array, resamples: int, seed: int, clusters: Array | None = None) -> Array:
    """Median of each resample of d, less the median of d; `clusters` (codes per number) are drawn whole.

    Without clusters nothing is resampled at all: the indices of a resample are ⌊n·U⌋ for n uniform numbers U,
    so its k-th smallest is the ⌊n·U(k)⌋-th smallest of d, where U(k) ~ Beta(k, n - k + 1) and, given U(k), 1
    - U(k+1) is 1 - U(k) times the largest of n - k uniform numbers. One or two random numbers per resample
    give exactly its law, whatever n is.

    Examples
    --------
    >>> centred_median(np.array([3.0, 1.0, 2.0]), resamples=5, seed=0).tolist()
    [-1.0, 1.0, -1.0, 0.0, 0.0]
    """
    # The draws go by rank, so -d is turned into d first: with the systems swapped, every resample moves the
    # other way.
    turn = -1.0 if d[np.argmax(d != 0)] < 0 else 1.0
    order = np.argsort(turn * d, kind="stable")
    sorted_d = turn * d[order]
    if clusters is not None:
        low, high = _clustered_middles(clusters[order], resamples, seed)
    else:
        low, high = _middles(len(d), resamples, seed)
    return np.asarray(turn * ((sorted_d[low] + sorted_d[high]) / 2 - np.median(sorted_d)))


def _middles(n: int, resamples: int, seed: int) -> tuple[Array, Array]:
    """Places, among the n sorted numbers, of the two middle ones of every resample (twice the same for odd n)."""
    stream = np.random.Generator(np.random.Philox(key=seed))
    k = (n + 1) // 2
    below = stream.beta(k, n - k + 1, size=resamples)
    low = np.minimum((n * below).astype(np.int64), n - 1)
    if n % 2:
        return low, low
    above = 1 - (1 - below) * stream.random(resamples) ** (1 / (n - k))
    return low, np.minimum((n * above).astype(np.int64), n - 1)


def _clustered_middles(clusters: Array, resamples: int, seed: int) -> tuple[Array, Array]:
    """The same where the n sorted numbers come in clusters, each number weighing as often as its cluster was drawn."""
    groups, n = int(clusters.max()) + 1, len(clusters)
    low, high = np.empty((2, resamples), dtype=np.int64)
    block = max(1, DRAWN_ENTRIES // n)
    for first in range(0, resamples, block):
        count = min(block, resamples - first)
        drawn = 2 * _counts(resample_indices(groups, first, count, seed))[:, clusters].cumsum(axis=1)
        half = drawn[:, -1:] // 2
        low[first : first + count] = (drawn >= half).argmax(axis=1)
        high[first : first + count] = (drawn > half).argmax(axis=1)
    return low, high


def quantile_limits(moves: Array, side: float, shape: str, pulls: Array) -> tuple[float, float]:
    """Ends of a percentile, basic or BCa interval less the estimate, with `side` of the resamples' law beyond each of them.

    `moves` are the resampled estimates less the observed one and `pulls` its change when one unit after the
    other is left out, which only ``"bca"`` looks at (Efron, 1987).

    Examples
    --------
    >>> quantile_limits(np.array([-1.0, 0.0, 3.0]), 0.25, "percentile", np.array([]))
    (-0.5, 1.5)
    """
    levels = [side, 1 - side]
    if shape == "bca":
        # A share of 0 or 1 is known no better than to half a resample.
        share = np.clip((np.mean(moves < 0) + np.mean(moves <= 0)) / 2, 0.5 / len(moves), 1 - 0.5 / len(moves))
        centred = pulls - pulls.mean()
        spread = float((centred**2).sum())
        acceleration = float((centred**3).sum()) / (6 * spread**1.5) if spread else 0.0
        bias = normal_quantile(float(share))
        shifted = [bias + normal_quantile(level) for level in (side, 1 - side)]
        levels = [normal(bias + x / (1 - acceleration * x)) for x in shifted]
    low, high = quantiles(moves, levels)
    return (-high, -low) if shape == "basic" else (low, high)


def optimal_block_length(x: Array) -> float:
    """Mean block length of the stationary bootstrap with the smallest mean squared error for the variance of the mean of x.

    The rule of Politis and White (2004) with the correction of Patton, Politis and White (2009), as in the
    package arch:

        b = (2 g² n / D)^(1/3),   g = Σ λ(k/M) |k| R(k),   D = 2 (Σ λ(k/M) R(k))²,   |k| ≤ M

    R(k) being the autocovariance at lag k, λ(t) = min(1, 2(1 - |t|)) the flat-top window and M twice the
    first lag from which on a run of autocorrelations is negligible. The result lies between 1 and n/3; a
    series without variation has length 1.

    Examples
    --------
    >>> optimal_block_length(np.ones(30))
    1.0
    >>> round(optimal_block_length(np.sin(np.arange(200) ** 2 / 90)), 2)
    3.64
    """
    n = len(x)
    longest = max(1.0, n / 3)
    centred = np.asarray(x, dtype=float) - np.mean(x)
    size = float(np.abs(centred).max(initial=0.0))
    # Rounding alone leaves a constant series with differences of a few units in the last place.
    if n < 3 or size <= 8 * np.spacing(float(np.abs(x).max())):
        return 1.0
    autocovariances = _autocovariances(centred / size)
    k = np.arange(1, len(autocovariances))
    window = np.minimum(1.0, 2 * (1 - k / k[-1]))
    g = 2 * float((window * k * autocovariances[1:]).sum())
    long_run = float(autocovariances[0] + 2 * (window * autocovariances[1:]).sum())
    if long_run == 0.0:
        return longest if g else 1.0
    length = math.cbrt(2 * g**2 * n / (2 * long_run**2))
    return min(max(length, 1.0), math.ceil(min(3 * math.sqrt(n), longest)), longest)


def _autocovariances(centred: Array) -> Array:
    """R(0) … R(M), up to the M of Politis and White's rule (2004, footnote c)."""
    n = len(centred)
    run = max(5, int(math.log10(n)))
    most = min(math.ceil(math.sqrt(n)) + run, n - 1)
    products = np.array([centred[lag:] @ centred[: n - lag] for lag in range(most + 1)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    # arch divides by the lengths of the two stretches that remain after one more lag; so do we, to agree to
    # all digits.
    beyond = np.minimum(np.arange(1, most + 2), n)
    scale = np.sqrt((squares[n] - squares[beyond]) * squares[n - beyond])
    correlations = np.abs(products) / np.where(scale > 0, scale, np.inf)
    negligible = correlations < 2 * math.sqrt(math.log10(n) / n)
    starts = [lag for lag in range(most + 1 - run) if negligible[lag : lag + run].all()]
    chosen = 2 * max(starts[0], 1) if starts else most
    return products[: min(chosen, most) + 1] / n


# One set of sign flips, or of bootstrap weights, for many tables of one data set.
#
# Systems, metrics and pairs that share their units can share their resamples: the tables stand side by side, a block of signs
# is drawn once, and one matrix product serves all columns. A flipped sum is linear, Σ ε (a - b) = Σ ε a - Σ ε b, so the pairs
# of ten systems cost ten tables and not forty-five.
#
# The signs are those of `flips` and the weights those of `bootstrap`: every sum equals, to the last bit, the one a single call
# would give for its table alone, since sums are exact in any company.


def shared_flipped_blocks(
    tables: Sequence[Array], *, resamples: int, seed: int, first: int = 0, block: int | None = None
) -> Iterator[list[Array]]:
    """Σ ε v over the rows v of every (n, k) table, the same signs for all, block after block of the resamples.

    Each block is a list with one (count, k) array of exact floats for each table. Together they are the
    resamples `first` … first + resamples - 1 of the seed. The tables hold whole numbers with absolute column
    sums below 2^53.

    Examples
    --------
    >>> bleu, ter = np.array([[1, 2], [0, 3]]), np.array([[5], [1]])
    >>> [[sums.tolist() for sums in block] for block in shared_flipped_blocks([bleu, ter], resamples=2, seed=2)]
    [[[[1.0, -1.0], [1.0, 5.0]], [[4.0], [6.0]]]]
    """
    rows = np.concatenate(tables, axis=1)
    for sums in flipped_blocks(rows, resamples=resamples, seed=seed, first=first, block=block):
        yield _apart(sums, tables)


def shared_resampled_blocks(
    tables: Sequence[Array], *, resamples: int, seed: int, first: int = 0, block: int | None = None
) -> Iterator[list[Array]]:
    """Column sums of every table under bootstrap weights that are the same for all, block after block of the resamples.

    The tables hold whole numbers, or what `exactly_summable` made of others. The sums are those of `resampled_totals`, except
    where that has so many equal rows that it draws only their counts.

    Examples
    --------
    >>> a, b = np.array([[1, 1], [0, 1]]), np.array([[10], [20]])
    >>> [[sums.tolist() for sums in block] for block in shared_resampled_blocks([a, b], resamples=2, seed=1)]
    [[[[2.0, 2.0], [0.0, 2.0]], [[20.0], [40.0]]]]
    """
    rows = np.concatenate(tables, axis=1)
    n = len(rows)
    draw = _to_weights(n, lambda first, count: resample_indices(n, first, count, seed))
    for sums in products(_exact_of(rows, n), draw, first, resamples, block):
        yield _apart(sums, tables)


def _apart(sums: Array, tables: Sequence[Array]) -> list[Array]:
    """The sums of each table again."""
    return np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)

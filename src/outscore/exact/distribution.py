"""The whole null distribution of a sum in which every item either stays or is swapped.

`null_distribution` is the general door of Zmigrod, Vieira and Cotterell (2022): m integer columns per item,
any function h of their totals. Columns are reduced to their rank first, so that F1, four columns in the
papers, costs two axes.

Their own algorithms obtain the law as an N-fold convolution of two-point laws: `dynamic_programme` adds one item at a time
(algorithm 3, O(G N²)), `fast_fourier` convolves halves recursively by FFT (algorithm 4, O(G N log(GN) log N)). Both work on
any number of axes and drop no mass. They serve as second opinions; `lattice` and `plane` give the same numbers much faster.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.core.records import dataclass
from outscore.exact import lattice, numbers, plane
from outscore.exact.enumeration import all_sums
from outscore.exact.flipsum import BudgetError

METHODS = ("auto", "exact", "spectral", "dp", "fft")
MAX_DISTANCE = 2.0**54
MAX_LISTED_ITEMS = 12
"""Items whose sums are listed at once."""
MAX_CELLS = 1 << 27
MAX_WORK = 2e10
"""Cells times passes over them that a table may take to fill: some twenty seconds."""
TRANSFORMS = 100
"""Passes that the transforms of one round of convolutions take as long as."""
FFT_ERROR = 1e-13
"""How far a sum over part of a law may be off by fft: ten times what rounding did to laws of a million points."""
DIGITS = 1e10
"""A probability that is so many times its error has all the digits that are promised."""
SMALL = 1_024
"""Cells of tables that are allowed, and that are not worth a transform."""


@dataclass(frozen=True, repr=False)
class NullDistribution:
    """Points the totals can reach and their probabilities.

    Spectral methods leave out points that together hold less than 1e-19, and each probability is within 1e-15
    of the truth. By fft, the probability of any set of points is within 1e-13 of the truth; it leaves out points
    that it cannot tell from rounding. `tail` on one column keeps relative accuracy: what fft cannot hold is handed
    over to the spectral method.

    Attributes
    ----------
    support
        The points: (P,) for one column and (P, m) for m.
    pmf
        The probability of each, (P,).
    method
        How they were computed.
    """

    support: Array
    pmf: Array
    method: str
    _law: tuple[Array, Array, int] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        one = self.support.ndim == 1
        columns = "1 column" if one else f"{self.support.shape[1]} columns"
        reach = f", {self.support.min()} to {self.support.max()}" if one and len(self.support) else ""
        error = f" to {FFT_ERROR:.0e}" if self.method == "fft" else ""
        return f"<NullDistribution of {columns}: {len(self.pmf):,} points{reach}, {self.method}{error}>"

    def _repr_html_(self) -> str:
        """The representation as a line of a notebook."""
        return f"<p>{html.escape(repr(self))}</p>"

    def tail(self, x: float) -> float:
        """P(total ≥ x), for one column.

        Examples
        --------
        >>> round(null_distribution([1, 1, 1]).tail(3), 12)
        0.125
        """
        self._one_column("tail")
        if math.isnan(x):
            raise OutscoreError("`x` is nan.", "Give a number.")
        share = min(1.0, float(self.pmf[self.support >= x].sum()))
        if self._law is None or (self.method == "fft" and share >= DIGITS * FFT_ERROR):
            return share
        values, counts, centre = self._law
        # Nothing lies beyond 2**53, and infinity has no ceiling.
        ceiling = math.ceil(2 * min(max(x, -MAX_DISTANCE), MAX_DISTANCE))
        return float(np.exp(lattice.tail(values, counts, ceiling - centre).log))

    def quantile(self, q: float) -> int:
        """The smallest point with P(total ≤ point) ≥ q, for one column."""
        self._one_column("quantile")
        if not 0 <= q <= 1:
            raise OutscoreError(f"`q` is {q:g}.", "It is a probability between 0 and 1.")
        reached = np.cumsum(self.pmf) >= q * (1 - TIE_TOLERANCE)
        return int(self.support[int(reached.argmax()) if reached.any() else -1])

    def probability(self, h: Callable[..., Array], at_least: float) -> float:
        """P(h(totals) ≥ at_least); h gets one array for each column; ties within 1e-12 of its largest value count.

        Examples
        --------
        >>> two = null_distribution([[1, 0], [0, 1]])
        >>> two.probability(lambda x, y: x + y, at_least=2)
        0.25
        """
        columns = (self.support,) if self.support.ndim == 1 else tuple(self.support.T)
        value = np.asarray(h(*columns), dtype=float)
        if value.shape != self.pmf.shape:
            raise OutscoreError(f"`h` returned shape {value.shape}.", f"It must return one number per point: {self.pmf.shape}.")
        slack = TIE_TOLERANCE * max(float(np.nanmax(np.abs(value))), abs(at_least))
        return min(1.0, float(self.pmf[value >= at_least - slack].sum()))

    def _one_column(self, what: str) -> None:
        if self.support.ndim > 1:
            raise OutscoreError(f"`{what}` is defined for one column.", "Use probability(h, at_least) for several.")


def null_distribution(stay: object, swap: object = None, *, method: str = "auto") -> NullDistribution:
    """Law of Σ z_n, where z_n is `stay[n]` or `swap[n]` with probability ½ each.

    Parameters
    ----------
    stay, swap
        Whole numbers, (n,) or (n, m). `swap` defaults to -stay, a difference that changes sign.
    method
        "auto" (= "exact", "spectral"), or "dp" and "fft", the published algorithms over the columns as given.

    Examples
    --------
    >>> null_distribution([2, 1]).support
    array([-3, -1,  1,  3])
    """
    kept = _whole(stay, "stay")
    other = -kept if swap is None else _whole(swap, "swap")
    if kept.shape != other.shape:
        raise OutscoreError(f"`stay` has shape {kept.shape}, `swap` {other.shape}.", "Give arrays of the same shape.")
    if method not in METHODS:
        raise OutscoreError(f"`method` is {method!r}.", f"Choose one of: {', '.join(METHODS)}.")
    flat = kept.ndim == 1
    rows, others = kept.reshape(len(kept), -1), other.reshape(len(other), -1)
    try:
        if method in ("dp", "fft"):
            null = _convolve(rows, others, method)
        else:
            null = _list_sums(rows, others) or _spectral(rows, others)
    except BudgetError:
        raise OutscoreError(
            "The null distribution has too many points to be listed.", "Use permutation_test for the p-value instead."
        ) from None
    return NullDistribution(null.support[:, 0], null.pmf, null.method, null._law) if flat else null  # noqa: SLF001


def _whole(x: object, name: str) -> Array:
    try:
        raw = np.asarray(x)
    except ValueError:
        raise OutscoreError(f"The rows of `{name}` have different lengths.", "Give every item the same columns.") from None
    if raw.dtype.kind not in "iufb" or raw.ndim not in (1, 2) or raw.size == 0:
        raise OutscoreError(f"`{name}` has shape {raw.shape} and type {raw.dtype}.", "Give whole numbers, (n,) or (n, m).")
    if not np.isfinite(raw).all() or (raw != np.rint(raw)).any() or np.abs(raw.astype(float)).sum() >= 2.0**53:
        raise OutscoreError(
            f"`{name}` must contain whole numbers with a sum below 2**53.", "Multiply decimals by a power of ten."
        )
    return raw.astype(np.int64)


def _list_sums(stay: Array, swap: Array) -> NullDistribution | None:
    """Few items: every sum, however far apart they lie."""
    centre, vectors = (stay + swap).sum(axis=0), stay - swap
    moving = vectors[vectors.any(axis=1)]
    if len(moving) > MAX_LISTED_ITEMS:
        return None
    points, counts = np.unique((centre + all_sums(moving)) // 2, axis=0, return_counts=True)
    return NullDistribution(points, counts / 2.0 ** len(moving), "spectral")


def _spectral(stay: Array, swap: Array) -> NullDistribution:
    centre, vectors = (stay + swap).sum(axis=0), stay - swap
    moving = vectors[vectors.any(axis=1)]
    frame = numbers.hermite_basis(moving) if len(moving) else np.empty((0, stay.shape[1]), dtype=np.int64)
    if len(frame) == 0:
        return NullDistribution((centre // 2)[None], np.ones(1), "spectral")
    places = numbers.coordinates(moving, frame)
    law = None
    if len(frame) == 1:
        values, counts = lattice.histogram(places[:, 0])
        points, pmf = lattice.pmf(values, counts)
        points = points[:, None]
        law = (values * int(frame[0, 0]), counts, int(centre[0])) if stay.shape[1] == 1 else None
    elif len(frame) == 2:
        distinct, counts = plane.histogram(places)
        distinct, frame = numbers.shear(distinct, counts, frame)
        points, pmf = plane.pmf(distinct, counts)
    else:
        low, table = dynamic_programme(places, -places)
        points, pmf = np.argwhere(table > 0) + low, table[table > 0]
    support = (centre + points @ frame) // 2
    order = np.lexsort(support.T[::-1])
    return NullDistribution(support[order], pmf[order], "spectral" if len(frame) <= 2 else "dp", law)


def _convolve(stay: Array, swap: Array, method: str) -> NullDistribution:
    if method == "dp":
        low, table = dynamic_programme(stay, swap)
        return NullDistribution(np.argwhere(table > 0) + low, table[table > 0], method)
    low, table = fast_fourier(stay, swap)
    live = table > _noise(table)
    law = None
    if stay.shape[1] == 1:
        law = (*lattice.histogram((stay - swap)[:, 0]), int((stay + swap).sum()))
    return NullDistribution(np.argwhere(live) + low, table[live] / math.fsum(table[live].tolist()), method, law)


def _noise(table: Array) -> float:
    """The largest mass that rounding may have made: all up to it together hold less than half of the error."""
    masses = np.sort(table[table > 0])
    within = int(np.searchsorted(np.cumsum(masses), FFT_ERROR / 2))
    return float(masses[within - 1]) if within else 0.0


def dynamic_programme(stay: Array, swap: Array, share: Array | None = None) -> tuple[Array, Array]:
    """Lowest point and probabilities of Σ z_n, each z_n being row n of `stay` or of `swap` with probability ½.

    `share` are other probabilities of staying.

    Examples
    --------
    >>> import numpy as np
    >>> dynamic_programme(np.array([[1], [1]]), np.array([[-1], [-1]]))
    (array([-2]), array([0.25, 0.  , 0.5 , 0.  , 0.25]))
    """
    low, shifts, other = _two_point_laws(stay, swap)
    _check_size(np.abs(stay - swap).sum(axis=0) + 1, len(stay))
    return low, _one_by_one(shifts, other, _halved(shifts) if share is None else share)


def fast_fourier(stay: Array, swap: Array, share: Array | None = None) -> tuple[Array, Array]:
    """The same law by recursive FFT convolution of the two halves of the data."""
    low, shifts, other = _two_point_laws(stay, swap)
    _check_size(np.abs(stay - swap).sum(axis=0) + 1, TRANSFORMS * len(stay).bit_length())
    return low, _halves(shifts, other, _halved(shifts) if share is None else share)


def _halved(shifts: Array) -> Array:
    return np.full(len(shifts), 0.5)


def _two_point_laws(stay: Array, swap: Array) -> tuple[Array, Array, Array]:
    """Lowest reachable point, and both outcomes of every item counted from its own lowest corner."""
    corner = np.minimum(stay, swap)
    return corner.sum(axis=0), stay - corner, swap - corner


def _check_size(shape: Array, passes: int) -> None:
    cells = math.prod(float(s) for s in shape)
    if cells > MAX_CELLS or cells * passes > MAX_WORK:
        raise BudgetError


def _one_by_one(shifts: Array, other: Array, share: Array) -> Array:
    """The law of a sum of two-point laws, one more of them at a time."""
    law = np.ones((1,) * shifts.shape[1])
    for a, b, stays in zip(shifts.tolist(), other.tolist(), share.tolist(), strict=True):
        wider = np.zeros([size + max(i, j) for size, i, j in zip(law.shape, a, b, strict=True)])
        for shift, weight in ((a, stays), (b, 1 - stays)):
            wider[tuple([slice(i, i + size) for i, size in zip(shift, law.shape, strict=True)])] += weight * law
        law = wider
    return law


def _halves(shifts: Array, other: Array, share: Array) -> Array:
    """The same law, its halves convolved; tables so small that a transform costs more than it saves are made one by one."""
    if len(shifts) < 2 or math.prod((np.maximum(shifts, other).sum(axis=0) + 1).tolist()) <= SMALL:
        return _one_by_one(shifts, other, share)
    halves = (slice(None, len(shifts) // 2), slice(len(shifts) // 2, None))
    return _convolve_laws(*(_halves(shifts[half], other[half], share[half]) for half in halves))


def _convolve_laws(a: Array, b: Array) -> Array:
    import scipy.fft

    shape = [m + n - 1 for m, n in zip(a.shape, b.shape, strict=True)]
    padded = [scipy.fft.next_fast_len(s, real=True) for s in shape]
    axes = list(range(a.ndim))
    product = scipy.fft.irfftn(scipy.fft.rfftn(a, padded, axes=axes) * scipy.fft.rfftn(b, padded, axes=axes), padded, axes=axes)
    return np.asarray(product[tuple(slice(s) for s in shape)])

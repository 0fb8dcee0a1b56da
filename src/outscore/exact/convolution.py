"""The published exact algorithms, callable by name: dynamic programming and divide-and-conquer convolution.

Zmigrod, Vieira and Cotterell (2022) obtain the null law as an N-fold convolution of two-point laws:
`dynamic_programme` adds one item at a time (their algorithm 3, O(G N²)), `fast_fourier` convolves halves
recursively by FFT (algorithm 4, O(G N log(GN) log N)). Both work on any number of axes and drop no mass. They
serve as second opinions; `lattice` and `plane` give the same numbers much faster.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.exact.flipsum import BudgetError

__all__ = ["dynamic_programme", "fast_fourier"]

MAX_CELLS = 1 << 27
SMALL = 1_024
"""Cells of tables that are allowed, and that are not worth a transform."""


def dynamic_programme(stay: Array, swap: Array) -> tuple[Array, Array]:
    """Lowest point and probabilities of Σ z_n, each z_n being row n of `stay` or of `swap` with probability ½.

    Examples
    --------
    >>> import numpy as np
    >>> dynamic_programme(np.array([[1], [1]]), np.array([[-1], [-1]]))
    (array([-2]), array([0.25, 0.  , 0.5 , 0.  , 0.25]))
    """
    low, shifts, other = _two_point_laws(stay, swap)
    _check_size(np.abs(stay - swap).sum(axis=0) + 1)
    return low, _one_by_one(shifts, other)


def fast_fourier(stay: Array, swap: Array) -> tuple[Array, Array]:
    """The same law by recursive FFT convolution of the two halves of the data."""
    low, shifts, other = _two_point_laws(stay, swap)
    _check_size(np.abs(stay - swap).sum(axis=0) + 1)
    return low, _halves(shifts, other)


def _two_point_laws(stay: Array, swap: Array) -> tuple[Array, Array, Array]:
    """Lowest reachable point, and both outcomes of every item counted from its own lowest corner."""
    corner = np.minimum(stay, swap)
    return corner.sum(axis=0), stay - corner, swap - corner


def _check_size(shape: Array) -> None:
    if math.prod(float(s) for s in shape) > MAX_CELLS:
        raise BudgetError


def _one_by_one(shifts: Array, other: Array) -> Array:
    """The law of a sum of two-point laws, one more of them at a time."""
    law = np.ones((1,) * shifts.shape[1])
    for a, b in zip(shifts.tolist(), other.tolist(), strict=True):
        wider = np.zeros([size + max(i, j) for size, i, j in zip(law.shape, a, b, strict=True)])
        law = 0.5 * law
        for shift in (a, b):
            wider[tuple([slice(i, i + size) for i, size in zip(shift, law.shape, strict=True)])] += law
        law = wider
    return law


def _halves(shifts: Array, other: Array) -> Array:
    """The same law, its halves convolved; tables so small that a transform costs more than it saves are made one by one."""
    if len(shifts) < 2 or math.prod((np.maximum(shifts, other).sum(axis=0) + 1).tolist()) <= SMALL:
        return _one_by_one(shifts, other)
    middle = len(shifts) // 2
    return _convolve(_halves(shifts[:middle], other[:middle]), _halves(shifts[middle:], other[middle:]))


def _convolve(a: Array, b: Array) -> Array:
    import scipy.fft

    shape = [m + n - 1 for m, n in zip(a.shape, b.shape, strict=True)]
    padded = [scipy.fft.next_fast_len(s, real=True) for s in shape]
    axes = list(range(a.ndim))
    product = scipy.fft.irfftn(scipy.fft.rfftn(a, padded, axes=axes) * scipy.fft.rfftn(b, padded, axes=axes), padded, axes=axes)
    return np.asarray(product[tuple(slice(s) for s in shape)])

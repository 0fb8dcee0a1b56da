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
    law = np.ones((1,) * stay.shape[1])
    for a, b in zip(shifts.tolist(), other.tolist(), strict=True):
        wider = np.zeros([size + max(i, j) for size, i, j in zip(law.shape, a, b, strict=True)])
        for shift in (a, b):
            wider[tuple(slice(i, i + size) for i, size in zip(shift, law.shape, strict=True))] += 0.5 * law
        law = wider
    return low, law


def fast_fourier(stay: Array, swap: Array) -> tuple[Array, Array]:
    """The same law by recursive FFT convolution of the two halves of the data."""
    low, shifts, other = _two_point_laws(stay, swap)
    _check_size(np.abs(stay - swap).sum(axis=0) + 1)
    leaves = []
    for a, b in zip(shifts.tolist(), other.tolist(), strict=True):
        leaf = np.zeros([max(i, j) + 1 for i, j in zip(a, b, strict=True)])
        leaf[tuple(a)] += 0.5
        leaf[tuple(b)] += 0.5
        leaves.append(leaf)
    return low, _convolve_all(leaves) if leaves else np.ones((1,) * stay.shape[1])


def _two_point_laws(stay: Array, swap: Array) -> tuple[Array, Array, Array]:
    """Lowest reachable point, and both outcomes of every item counted from its own lowest corner."""
    corner = np.minimum(stay, swap)
    return corner.sum(axis=0), stay - corner, swap - corner


def _check_size(shape: Array) -> None:
    if math.prod(float(s) for s in shape) > MAX_CELLS:
        raise BudgetError


def _convolve_all(laws: list[Array]) -> Array:
    if len(laws) == 1:
        return laws[0]
    middle = len(laws) // 2
    return _convolve(_convolve_all(laws[:middle]), _convolve_all(laws[middle:]))


def _convolve(a: Array, b: Array) -> Array:
    import scipy.fft

    shape = [m + n - 1 for m, n in zip(a.shape, b.shape, strict=True)]
    padded = [scipy.fft.next_fast_len(s, real=True) for s in shape]
    axes = list(range(a.ndim))
    product = scipy.fft.irfftn(scipy.fft.rfftn(a, padded, axes=axes) * scipy.fft.rfftn(b, padded, axes=axes), padded, axes=axes)
    return np.asarray(product[tuple(slice(s) for s in shape)])

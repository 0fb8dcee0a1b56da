"""Signed ranks with ties and zeros, as whole numbers.

Mid-ranks are halves, so they are doubled; Wilcoxon's W⁺ is then a sum of integer sign flips like any other and its exact null
law, ties included, comes from `lattice`. (Tables and most software ignore ties here.)
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["signed_ranks"]

Array = NDArray[Any]


def signed_ranks(differences: Array, zeros: Literal["drop", "pratt"] = "drop") -> Array:
    """Doubled mid-ranks of |d| with the sign of d; zero differences get 0.

    ``zeros="drop"`` ranks the others among themselves (Wilcoxon), ``"pratt"`` ranks zeros too before they drop out.
    Give differences recognised as written (integers), or equal decimals will not tie.

    Examples
    --------
    >>> import numpy as np
    >>> signed_ranks(np.array([3, -1, 0, 1]))
    array([ 6, -3,  0,  3])
    """
    sizes = np.abs(differences)
    if sizes.dtype.kind == "i" and int(sizes.max(initial=0)) <= 4 * len(sizes):
        # Whole numbers without large gaps are counted, not sorted.
        member, counts = sizes, np.bincount(sizes)
    else:
        _, member, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    before = np.cumsum(counts) - counts
    if zeros == "drop":
        before = before - int((sizes == 0).sum())
    doubled = 2 * before + counts + 1
    return np.asarray(np.sign(differences).astype(np.int64) * doubled[member].astype(np.int64))

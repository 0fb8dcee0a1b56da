"""What one item's score is, when the item was run several times.

With n runs of which c are right, K of them drawn at random hold a right one with probability

    pass@K = 1 - C(n - c, K) / C(n, K)          (Chen et al., 2021)

and are all right with probability

    pass^K = C(c, K) / C(n, K)                  (Yao et al., 2024):

unbiased for what K new runs would do, and rational numbers, so that tests of their means are exact.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Literal

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass

Kind = Literal["pass@", "pass^", "max", "min", "majority"]
MEAN = "mean"
REDUCTIONS = {
    MEAN: "the mean of its runs",
    "pass@K": "the chance that one of K runs is right",
    "pass^K": "the chance that all of K runs are right",
    "max": "its best run",
    "min": "its worst run",
    "majority": "whether the answer that most runs give is right",
}
"""What people write, with K for a number, and what an item's score then is."""


@dataclass(frozen=True)
class Reduction:
    """A way to make one score of an item's runs that is not their mean; `k` is the K of pass@K and pass^K.

    Examples
    --------
    >>> parse_reduction("pass@2"), parse_reduction("mean")
    (Reduction(kind='pass@', k=2), None)
    """

    kind: Kind
    k: int | None = None

    @property
    def name(self) -> str:
        """What people call the score."""
        return f"{self.kind}{'' if self.k is None else self.k}"

    @property
    def counts_right(self) -> bool:
        """Whether runs have to be right or wrong."""
        return self.k is not None

    @property
    def needs_equal_runs(self) -> bool:
        """Whether more runs would raise or lower the score without being any better."""
        return self.k is None


def parse_reduction(text: object) -> Reduction | None:
    """The reduction that a text asks for; None for the mean."""
    if text == MEAN:
        return None
    if text in ("max", "min", "majority"):
        return Reduction(text)
    match = re.fullmatch(r"(pass[@^])([1-9][0-9]{0,5})", text) if isinstance(text, str) else None
    if match is None:
        raise OutscoreError(
            f"`reduce` is {text!r}.", f"Write one of: {', '.join(REDUCTIONS)}, with a number for K: pass@2.", parameter="reduce"
        )
    return Reduction("pass@" if match[1] == "pass@" else "pass^", int(match[2]))


def pass_rate(kind: Kind, n: int, right: int, k: int) -> Fraction:
    """pass@k or pass^k of n runs of which `right` are right.

    Examples
    --------
    >>> pass_rate("pass@", 5, 2, 2), pass_rate("pass^", 5, 2, 2)
    (Fraction(7, 10), Fraction(1, 10))
    """
    ways = math.comb(n, k)
    return 1 - Fraction(math.comb(n - right, k), ways) if kind == "pass@" else Fraction(math.comb(right, k), ways)

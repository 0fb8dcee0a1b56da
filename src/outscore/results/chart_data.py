"""What the charts of a comparison draw: thinned out once, so that no report needs the items."""

from __future__ import annotations

from dataclasses import dataclass, field

from outscore.results.analysis import Histogram

__all__ = ["NullPicture", "Pictures", "SizePoint"]


@dataclass(frozen=True)
class NullPicture:
    """The null distribution of the difference, sampled for the eye, with the observed value."""

    x: list[float]
    density: list[float]
    observed: float


@dataclass(frozen=True)
class SizePoint:
    """The median p-value of resamples of n units, with the range that holds the middle half of them."""

    n: int
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Pictures:
    """What the charts draw.

    `sizes` are p-values of `sizes_test` on random subsets of the units; `quantiles` pairs the quantiles of a normal
    distribution with those of the differences.
    """

    histograms: dict[str, Histogram]
    null: NullPicture | None = None
    sizes: list[SizePoint] = field(default_factory=list)
    quantiles: list[tuple[float, float]] = field(default_factory=list)
    sizes_test: str = ""

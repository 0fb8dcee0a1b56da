"""Whether a test rejects, where that is clear without its p-value: thousands of samples are tested for one power curve.

The permutation test and Wilcoxon's are sums of sign flips, S = Σ ε a, whose law is normal but for a small
correction known in closed form. Where the p-value it gives is not near alpha the decision is clear; the test
itself decides the others. The same holds for the bootstraps of a mean, whose law is normal to first order,
with wider margins.

The first cumulants of S are κ₂ = Σ a² and κ₄ = -2 Σ a⁴, odd ones vanish, so Edgeworth's expansion (Hall,
1992, "The bootstrap and Edgeworth expansion", section 2.3) gives, with x = s/√κ₂ taken half a lattice step
back towards the centre,

    P(S ≥ s) ≈ Q(x) + φ(x) (x³ - 3x) κ₄ / (24 κ₂²)

With m = (Σ a²)² / Σ a⁴, the effective number of items, the terms left out are of the order m^(-3/2): at m =
30 they move a p near .05 by half a per cent. The margin within which the test itself decides is 3/m, twenty
times as wide.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import PairedScores
from outscore.inference.base.item_scores import scores_if_any
from outscore.inference.base.question import TestRequest, reach

MIN_EFFECTIVE_FLIPS = 30.0
"""Effective items from which on a sum of flips is screened."""
FLIPS_MARGIN, REALS_MARGIN = 3.0, 0.05
"""The margin times m, and its least value for real numbers, whose lattice, if they lie on one, is not known."""
MEANS_MARGIN, MIN_EFFECTIVE_MEANS = 0.5, 400
"""Bootstraps of a mean: skewness and sampling move p by up to a quarter."""
PROBED = 64
MEANS_RESAMPLES = 9_999
"""With fewer the upper bound of a sampled p, which decides, lies too far from the p it bounds."""


def screen_mean(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> bool | None:
    """The decision of a bootstrap of the mean of item scores; None where it is not clear, and for other metrics."""
    if asked.delta or pairs.clusters is not None or asked.count("resamples") < MEANS_RESAMPLES:
        return None
    scores = scores_if_any(pairs, metric)
    if scores is None:
        return None
    centred = scores.d - scores.d.mean()
    variance = float((centred**2).sum())
    if not variance or variance**2 < MIN_EFFECTIVE_MEANS * float((centred**4).sum()):
        return None
    return _clear(scores.orientation * float(scores.d.sum()) / math.sqrt(variance), 0.0, asked, MEANS_MARGIN)


def screen_flips(line: Array, orientation: int, asked: TestRequest) -> bool | None:
    """The decision for Σ line under fair flips of its signs; None where it is not clear."""
    sizes = line.astype(float)
    squares = sizes * sizes
    # Not as a product of vectors, for which BLAS would start threads.
    variance, fourth = float(squares.sum()), float((squares * squares).sum())
    if not variance or variance**2 < MIN_EFFECTIVE_FLIPS * fourth:
        return None
    effective = variance**2 / fourth
    step = lattice_half_step(line)
    margin = FLIPS_MARGIN / effective if step else max(FLIPS_MARGIN / effective, REALS_MARGIN)
    total = orientation * float(sizes.sum())
    # Half-way to the sum before: what lies at the observed one counts as a hit.
    if asked.alternative == "two-sided":
        back = math.copysign(step, total)
    else:
        back = -step if asked.alternative == "less" else step
    return _clear((total - back) / math.sqrt(variance), -2 / effective, asked, margin)


def lattice_half_step(line: Array) -> float:
    """Half the step of the lattice that sums of whole numbers lie on, 0 for real numbers."""
    if line.dtype.kind != "i":
        return 0.0
    # The divisor of a few is almost always that of all, and never smaller.
    few = int(np.gcd.reduce(line[:PROBED]))
    return float(few if few == 1 else np.gcd.reduce(line))


def _clear(x: float, kurtosis: float, asked: TestRequest, margin: float) -> bool | None:
    """The decision at a standardised difference, positive when A is better; None within the margin."""
    x = reach(x, asked.alternative)
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    tail = math.erfc(x / math.sqrt(2)) / 2 + density * (x**3 - 3 * x) * kurtosis / 24
    p = 2 * tail if asked.alternative == "two-sided" else tail
    return None if asked.alpha < p * (1 + margin) and p < asked.alpha * (1 + margin) else p < asked.alpha

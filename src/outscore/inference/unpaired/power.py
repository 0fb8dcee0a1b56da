"""What two samples of different items say of a study like theirs, and how many items of each system it takes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.inference.base.question import Alternative
from outscore.inference.power.observed import POWER
from outscore.inference.power.two_samples import two_sample_study
from outscore.inference.unpaired.samples import Samples
from outscore.results.plan import StudyDesign

METHODS = {"permutation": "permutation", "student": "t"}
"""The tests of means, and what their power is that of."""


def design_of_samples(samples: Samples, method: str = "permutation") -> StudyDesign | None:
    """The design that two samples come from: spread or accuracy, and clusters; None where nothing varies."""
    n_a, n_b = samples.sizes
    if samples.worth is not None and samples.clusters is None and method == "permutation":
        share = samples.worth.share(samples.means[1])
        accuracy = share if samples.orientation > 0 else 1 - share
        return StudyDesign(accuracy=accuracy, unit=samples.worth.unit, method="exact", unpaired=True)
    (v_a, df_a), (v_b, df_b) = samples.variances
    plain = sum(float(np.var(x, ddof=1)) for x in (samples.a, samples.b) if len(x) > 1) / 2
    if not df_a or not df_b or not plain:
        return None
    design = StudyDesign(sd=math.sqrt(plain), method=method, unpaired=True)
    if samples.clusters is None:
        return design
    # A mean of clusters varies as if there were fewer items.
    effect = (v_a * n_a + v_b * n_b) / 2 / plain
    return replace(design, cluster_size=(n_a + n_b) / samples.n, observed_effect=effect)


def needed_of_samples(samples: Samples, test: str, alpha: float, alternative: Alternative) -> int | None:
    """How many items, or clusters, of each system detect a true difference as large as the observed one.

    Examples
    --------
    >>> right = Samples(np.repeat([1.0, 0.0], [14, 6]), np.repeat([1.0, 0.0], [10, 10]))
    >>> needed_of_samples(right, "permutation", 0.05, "two-sided")
    102
    """
    design = design_of_samples(samples, METHODS[test]) if test in METHODS else None
    if design is None or not samples.difference:
        return None
    try:
        study = two_sample_study(replace(design, alpha=alpha, alternative=alternative))
        items = study.sample_size(samples.orientation * samples.difference, POWER)
    except OutscoreError:
        # It points the other way, or is so small that nobody collects so many items.
        return None
    return max(2, math.ceil(items / design.cluster_size * (1 - 1e-12)))

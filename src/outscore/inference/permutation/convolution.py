"""The published dynamic programme and FFT convolution as named methods, over one axis for each rank of the flips."""

from __future__ import annotations

import math

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.exact import basis, distribution
from outscore.exact.flipsum import BudgetError
from outscore.exact.lattice import Tail
from outscore.inference.base import p_values
from outscore.inference.base.sign_flips import Flips, KernelOptions
from outscore.results.pvalue import PValue

__all__ = ["convolution_p"]

ALGORITHMS = {"dp": distribution.dynamic_programme, "fft": distribution.fast_fourier}


def convolution_p(flips: Flips, request: KernelOptions) -> PValue:
    """The whole null law by convolution, summed where the statistic is extreme enough.

    Source: Zmigrod, Vieira and Cotterell (2022), algorithms 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.core.metric import AdditiveMetric
    >>> from outscore.core.paired import PairedScores
    >>> from outscore.inference.base.sign_flips import flips_of
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a = np.stack([[1, 1, 1, 1, 0, 1, 1, 1], np.ones(8, int)], axis=1)
    >>> b = np.stack([[0, 0, 1, 0, 0, 0, 0, 0], np.ones(8, int)], axis=1)
    >>> flips = flips_of(PairedScores(a, b), mean)
    >>> [round(convolution_p(flips, KernelOptions(method=method)).value, 9) for method in ("dp", "fft")]
    [0.03125, 0.03125]
    """
    if not flips.on_a_lattice:
        raise OutscoreError(
            f"The method {request.method} needs whole numbers, decimals or multiples of a small 1/q.",
            "Ask for the method auto.",
        )
    vectors = flips.vectors if flips.line is None else flips.line[:, None]
    moving = vectors[vectors.any(axis=1)]
    if not len(moving):
        return p_values.identical_p()
    frame = basis.hermite_basis(moving)
    places = basis.coordinates(moving, frame)
    try:
        low, law = ALGORITHMS[request.method](places, -places)
    except BudgetError:
        raise OutscoreError(
            f"The method {request.method} would need a table of more than {distribution.MAX_CELLS:,} cells.",
            "Ask for the method auto.",
        ) from None
    live = law > 0
    sums = (np.argwhere(live) + low) @ frame
    if flips.line is None:
        inside, tie = flips.statistic.classify(sums)
    else:
        observed = abs(int(flips.line.sum()))
        inside, tie = sums[:, 0] >= observed, sums[:, 0] == observed
    mass = law[live]
    tail = Tail(p_values.log(math.fsum(mass[inside].tolist())), p_values.log(math.fsum(mass[tie].tolist())))
    return p_values.exact_p(tail, flips.sign(), len(moving), request.method, request)

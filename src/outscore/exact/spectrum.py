"""The tilted characteristic function of integer flips at chosen grid frequencies, with all its digits.

On an integer lattice every phase v·ω is a whole number of turns over a common denominator, so it is reduced modulo a full turn
in integers before it becomes a float. That is what keeps eleven digits at ten million items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outscore.exact.flipsum import FLOOR, log_factor

__all__ = ["characteristic"]

Array = NDArray[Any]

FIRST_VALUES = 4
BLOCK = 300_000


def characteristic(
    index: Array, turns: Callable[[Array, Array], Array], half_turn: int, counts: Array, tanh: Array, sech2: Array
) -> tuple[Array, Array, Array]:
    """Indices that stay above the floor, with log modulus and angle of Π (cos x + i tanh sin x)^count there.

    `turns(index, which)` gives the phases of some flip values as integers in [0, 2·half_turn); x = π·turns/half_turn. The most
    telling values come first, so that most indices drop out early.
    """
    log_modulus, angle = np.zeros(len(index)), np.zeros(len(index))
    order = np.argsort(-counts * sech2, kind="stable")
    done = 0
    while done < len(order) and len(index):
        width = FIRST_VALUES if done == 0 else max(1, BLOCK // len(index))
        these = order[done : done + width]
        phase = turns(index, these)
        halves = (2 * phase + half_turn) // (2 * half_turn)
        modulus, argument = log_factor(np.pi * ((phase - halves * half_turn) / half_turn), tanh[these], sech2[these])
        log_modulus += modulus @ counts[these]
        angle += argument @ counts[these] + np.pi * ((halves @ (counts[these] % 2)) % 2)
        keep = log_modulus > -FLOOR
        index, log_modulus, angle = index[keep], log_modulus[keep], angle[keep]
        done += width
    return index, log_modulus, angle

"""What a pilot cannot tell, and which way its differences point."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.workflows.plan.pilot import plan_from_pilot


@pytest.mark.parametrize("clusters", [1, 2])
def test_so_few_clusters_say_nothing_of_their_spread(clusters):
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 30))
    with pytest.raises(OutscoreError, match=f"The pilot has {clusters} cluster"):
        plan_from_pilot(a, b, effect=0.1, clusters=np.arange(30) % clusters)


def test_errors_that_fall_are_an_improvement():
    rng = np.random.default_rng(6)
    a, b = rng.random((2, 30))
    asked = {"alternative": "greater"}
    up = plan_from_pilot(a, b, effect=0.1, **asked)
    down = plan_from_pilot(a, b, effect=-0.1, metric="mean:direction=lower", **asked)
    assert (up.n, up.power) == (down.n, down.power)

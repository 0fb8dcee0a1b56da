"""Every registry entry against the same properties; a new entry is covered the day it is added."""

from __future__ import annotations

import numpy as np
import pytest

import outscore as osc
from outscore.core.options import complete
from outscore.inference.registry import TESTS
from outscore.metrics.registry import METRICS


def rows(width, n=8, seed=0):
    """Numbers every layout accepts: 0 or 1 alone, small counts otherwise."""
    return np.random.default_rng(seed).integers(0, 2, (n, width) if width > 1 else n)


# Counts are neither probabilities (0 is infinitely wrong) nor moments nor ranks: see tests/metrics/test_judged.py.
LAYOUTS = [
    (name, width)
    for name, entry in METRICS.items()
    if name not in {"log-loss", "pearson", "auc"}
    for width in entry.layouts({option.name: option.default for option in entry.options})
]


@pytest.mark.parametrize("registry", [METRICS, TESTS], ids=["metrics", "tests"])
def test_entries_describe_themselves(registry):
    for name, entry in registry.items():
        assert entry.name == name
        assert entry.summary
        assert not entry.summary.endswith(".")
        for option in entry.options:
            assert option.help
            assert option.read(option.default) == option.default
        assert complete(name, entry.options, {}) == {option.name: option.default for option in entry.options}


@pytest.mark.parametrize(("name", "width"), LAYOUTS)
def test_metrics_are_symmetric_under_swapping(name, width):
    a, b = rows(width, seed=1), rows(width, seed=2)
    forth, back = (osc.permutation_test(x, y, metric=name) for x, y in ((a, b), (b, a)))
    assert forth.value == back.value
    assert forth.statistic == -back.statistic
    assert osc.permutation_test(a, a, metric=name).value == 1.0


@pytest.mark.parametrize(("name", "width"), LAYOUTS)
def test_function_and_exact_arithmetic_agree(name, width):
    from fractions import Fraction

    from outscore.inference.base.differences import exact_score
    from outscore.metrics.registry import resolve

    metric, a, _ = resolve(name, rows(width, seed=3), rows(width, seed=4))
    totals = a.sum(axis=0)
    assert float(metric.score(totals)) == pytest.approx(
        float(exact_score(metric, [Fraction(int(t)) for t in totals])), abs=1e-14
    )


@pytest.mark.parametrize("name", TESTS)
def test_identical_systems_give_one(name):
    a = rows(1, n=60, seed=5)
    assert osc.compare(a, a, metric="accuracy", test=name).p.value == 1.0

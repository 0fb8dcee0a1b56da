"""The power of the two-way test, and what items and runs can reach."""

from __future__ import annotations

import math

import numpy as np
import pytest

from outscore.inference.two_way import RunsLaw, two_way_of_means

CASES = [
    (20, (3, 3), 0.5, RunsLaw(0.3, (0.0, 0.0), (1.0, 1.0))),
    (50, (5, 3), 0.5, RunsLaw(0.5, (0.1, 0.02), (0.5, 1.0))),
    (100, (2, 2), 0.4, RunsLaw(0.5, (0.0, 0.0), (1.0, 1.0))),
    (40, (3, 10), 0.6, RunsLaw(1.0, (0.05, 0.05), (0.2, 0.2))),
]


def scores(rng, n, count, shared, run, left):
    return shared[:, None] + rng.normal(0, math.sqrt(run), count) + rng.normal(0, math.sqrt(left), (n, count))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "runs", "effect", "law"), CASES)
def test_the_power_is_that_of_the_test(n, runs, effect, law):
    rng, hits = np.random.default_rng(1), 0
    for _ in range(1_500):
        of_items = rng.normal(0, math.sqrt(law.item), n)
        a = effect + scores(rng, n, runs[0], of_items, law.run[0], law.left[0])
        b = scores(rng, n, runs[1], np.zeros(n), law.run[1], law.left[1])
        hits += two_way_of_means(a, b).p().value <= 0.05
    assert law.power(n, runs, effect, 0.05, "two-sided") == pytest.approx(hits / 1_500, abs=0.035)


def test_more_runs_need_fewer_items_and_never_fewer_than_items_alone():
    law = RunsLaw(1.0, (0.01, 0.01), (1.0, 1.0))
    needed = [law.items((k, k), 0.5, 0.05, "two-sided", 0.8) for k in (2, 3, 5, 10, 1_000_000)]
    assert needed[0] is None or needed[0] > needed[1]
    assert needed[1] > needed[2] > needed[3] > needed[4] >= 33
    for k, items in zip((3, 5, 10), needed[1:4], strict=True):
        assert law.power(items, (k, k), 0.5, 0.05, "two-sided") >= 0.8


def test_few_runs_limit_what_any_number_of_items_detects():
    law = RunsLaw(1.0, (0.04, 0.04), (1.0, 1.0))
    assert law.items((3, 3), 0.2, 0.05, "two-sided", 0.8) is None
    assert law.power(1_000_000, (3, 3), 0.2, 0.05, "two-sided") < 0.5
    assert law.items((3, 3), -0.2, 0.05, "greater", 0.8) is None

"""Named methods against the default, from p = 1 to 10^-1000: the same number, or a bound that says what is not known."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.language.numbers import format_p_number
from outscore.language.phrases import method_phrase

METHODS = ("exact", "certified", "dp", "fft")


def scores(n: int, largest: int, wins: int) -> np.ndarray:
    sizes = 1 + np.arange(n) % largest
    return np.where(np.arange(n) * 7 % n < wins, sizes, -sizes)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("n", "largest", "wins", "log10"),
    [
        (20, 3, 10, 0),
        (400, 1, 240, -4),
        (1_000, 3, 620, -13),
        (1_000, 1, 700, -36),
        (1_600, 3, 1_500, -293),
        (1_600, 2, 1_540, -356),
        (3_600, 2, 3_590, -1047),
    ],
)
def test_every_method_gives_the_number_of_the_default(tmp_path, method, n, largest, wins, log10):
    a, b = scores(n, largest, wins), np.zeros(n, dtype=int)
    expected = osc.permutation_test(a, b)
    assert expected.log10 == pytest.approx(log10, abs=3)
    found = osc.permutation_test(a, b, method=method)
    assert found.log10 == pytest.approx(expected.log10, rel=1e-10, abs=0.003 if method == "certified" else 1e-10)
    assert found.method == ("certified" if method == "certified" and expected.value < 1 else "exact")
    found.save(tmp_path / "saved.json")
    assert osc.load(tmp_path / "saved.json") == found


@pytest.mark.parametrize("method", ["dp", "fft"])
@given(
    sizes=st.lists(st.integers(-40, 40), min_size=1, max_size=60).filter(any),
    side=st.sampled_from(["two-sided", "greater", "less"]),
)
@settings(max_examples=90, deadline=None)
def test_convolutions_are_exact_on_any_line(method, sizes, side):
    a, b = np.array(sizes), np.zeros(len(sizes), dtype=int)
    expected, found = (osc.permutation_test(a, b, alternative=side, method=m) for m in ("exact", method))
    assert found.value == pytest.approx(expected.value, rel=1e-10)
    assert found.mid == pytest.approx(expected.mid, rel=1e-10)


class TestF1:
    """No tilt serves every function of several sums."""

    @staticmethod
    def counts(n: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(2)
        good, bad = rng.binomial(2, 0.9, n), rng.binomial(2, 0.5, n)
        return np.stack([good, 2 - good], axis=1), np.stack([bad, 2 - bad + rng.integers(0, 2, n)], axis=1)

    @pytest.mark.parametrize("n", [12, 40, 120, 500])
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    def test_fft_says_what_floats_do_not_hold(self, n, side):
        a, b = self.counts(n)
        expected = osc.permutation_test(a, b, metric="f1", alternative=side)
        found = osc.permutation_test(a, b, metric="f1", alternative=side, method="fft")
        assert found.lower <= expected.value * (1 + 1e-9)
        assert found.upper >= expected.value * (1 - 1e-9)
        share = expected.value / 2 if side == "two-sided" else expected.value
        assert found.method == ("exact" if share >= 1e-3 else "certified")

    def test_a_bound_is_called_a_bound(self):
        a, b = self.counts(500)
        found = osc.permutation_test(a, b, metric="f1", method="fft")
        assert format_p_number(found).startswith("<= ")
        assert method_phrase(found) == "paired permutation test by fft"
        assert found.value < 1e-12
        dp = osc.permutation_test(a, b, metric="f1", method="dp")
        assert dp.method == "exact"
        assert dp.log10 == pytest.approx(osc.permutation_test(a, b, metric="f1").log10, rel=1e-9)


@pytest.mark.parametrize("method", ["dp", "fft"])
def test_a_table_that_takes_minutes_is_refused_at_once(method):
    """Before anything is added up, with the method that takes no such table."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 10_000, (2, 200_000)) / 10_000
    start = time.process_time()
    with pytest.raises(OutscoreError, match=f"{method} would take minutes") as refusal:
        osc.permutation_test(a, b, method=method)
    assert time.process_time() - start < 5
    assert "auto" in refusal.value.hint
    assert osc.permutation_test(a, b).method == "certified"

"""Calibration: the data are what they say, every test is classified, the page shows the results, and all is within bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import calibration
from benchmarks.calibration import CELLS, faults, kept, measure
from benchmarks.calibration_cells import SEED, page, unmet
from benchmarks.calibration_data import DATA, ESTIMANDS, sample
from tests.variants import a_few

from outscore.inference.registry import TESTS

MANY = 400_000


@pytest.mark.parametrize("name", a_few(DATA, 3))
def test_the_true_differences_are_true(name):
    data = DATA[name]
    for parameter, truth in ((data.effect, data.truth), *((data.null[e], {e: 0.0}) for e in ESTIMANDS)):
        stream = np.random.default_rng(1)
        a, b = data.draw(stream, MANY, parameter)
        d = a - b
        found = {
            "difference": d.mean(),
            "median": np.median(d),
            # The median of as many Walsh averages as there are differences: pairs of neighbours in a random order.
            "pseudomedian": np.median((d + stream.permutation(d)) / 2),
        }
        assert {e: found[e] for e in truth} == pytest.approx(truth, abs=0.015)


def test_replicates_do_not_depend_on_one_another():
    data = DATA["clustered"]
    a, b, clusters = sample(data, 7, SEED)
    again = sample(data, 7, SEED)
    assert all((x == y).all() for x, y in zip((a, b, clusters), again, strict=True))
    assert (a != sample(data, 8, SEED)[0]).all()
    assert (a != sample(data, 7, SEED, null="median")[0]).all()
    assert np.bincount(clusters).tolist() == [4] * data.units


def test_every_test_is_measured_and_only_refused_where_it_refuses():
    from outscore.core.errors import OutscoreError

    for test in TESTS:
        assert {data for name, data in CELLS if name == test} >= ({"binary"} if TESTS[test].on == "binary" else {"normal"})
        if (test, "clustered") not in CELLS:
            with pytest.raises(OutscoreError):
                measure(test, "clustered", 0, 1)


def test_the_page_shows_the_kept_results():
    text = calibration.PAGE.read_text(encoding="utf-8")
    shown = text.split(calibration.BEGIN)[1].split(calibration.END)[0].strip()
    assert shown == page(kept()).strip()
    assert [(cell.test, cell.data) for cell in kept()] == CELLS


def test_the_kept_results_are_within_bounds():
    wrong = {(cell.test, cell.data): faults(cell) for cell in kept()}
    assert {place: words for place, words in wrong.items() if words} == {}


def test_a_cell_out_of_bounds_is_a_fault():
    normal = next(cell for cell in kept() if (cell.test, cell.data) == ("student", "normal"))
    assert faults(replace(normal, level=0.07)) == ["student on normal: type-I error 0.0700"]
    assert faults(replace(normal, coverage=0.975)) == ["student on normal: coverage 0.9750"]
    assert faults(replace(normal, disagreements=1)) == ["student on normal: interval and test disagree in 1 replicates"]
    few = replace(normal, test="bootstrap", data="normal, n = 20", level=0.09)
    assert unmet(few.test, DATA[few.data]) == "b"
    # The result itself warns of few units.
    assert faults(few) == []
    discrete = replace(normal, test="sign", level=0.02, mid_level=0.05, coverage=0.98)
    assert faults(discrete) == []


def test_parts_add_up_to_the_whole():
    for test, data in (("student", "normal"), ("sign", "skewed"), ("bootstrap-t", "binary")):
        found = [measure(test, data, first, 20) for first in (0, 20)]
        whole = measure(test, data, 0, 40)
        assert sum(part.rejected for part in found) == whole.rejected
        assert sum(part.covered for part in found) == whole.covered


@pytest.mark.slow
def test_all_tests_keep_their_level_and_their_intervals_cover():
    """2,000 replicates of every cell, a quarter of an hour: type-I error in [.035, .065], coverage at least .93."""
    cells = calibration.measure_all()
    assert [words for cell in cells for words in faults(cell)] == []
    # Another machine may round a p-value at .05 to the other side, but hardly more than one.
    assert [cell.coverage for cell in cells] == pytest.approx([cell.coverage for cell in kept()], abs=0.001)
    assert [cell.level or 0.0 for cell in cells] == pytest.approx([cell.level or 0.0 for cell in kept()], abs=0.001)

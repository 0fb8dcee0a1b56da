"""Numbers of the programs behind the papers, beside ours, and the file that configures one of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from outscore.cli.app import app
from outscore.inference.base.question import TestRequest
from outscore.inference.originals import pruned_p, sign_p, wilcoxon_p


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=10))
def test_nothing_is_lost_of_few_items(d):
    """Every outcome of ten items has a probability far above what the programme drops."""
    sums = [abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=len(d))]
    assert pruned_p(np.array(d)) == pytest.approx(float(Fraction(sum(s >= abs(sum(d)) for s in sums), len(sums))))


def test_what_is_dropped_makes_p_too_small():
    """5,000 right-or-wrong items, 260 more of which favour one system."""
    d = np.array([1] * 2630 + [-1] * 2370)
    exact = 2 * float(scipy.stats.binom.sf(2629, 5000, 0.5))
    assert 0 < pruned_p(d) < 0.99 * exact


def test_two_sided_wilcoxon_without_ties_is_the_normal_law():
    x = np.random.default_rng(0).normal(0.2, 1, 60)
    theirs = scipy.stats.wilcoxon(x, method="approx", correction=True).pvalue
    assert wilcoxon_p(x, TestRequest()) == pytest.approx(theirs, rel=1e-12)
    greater, less = (wilcoxon_p(x, TestRequest(alternative=side)) for side in ("greater", "less"))
    # One side is always more than a half, whichever way the data point: that is the fault that is repeated.
    assert greater >= 0.5 >= less


@pytest.mark.parametrize("n", [7, 19, 20, 80])
def test_sign_test_counts_up_to_nineteen(n):
    x = np.array([1.0] * (n - n // 3) + [-1.0] * (n // 3))
    exact = scipy.stats.binomtest(n - n // 3, n).pvalue
    assert sign_p(x, TestRequest()) == pytest.approx(exact, rel=1e-9 if n < 20 else 0.2)
    assert (sign_p(x, TestRequest()) == pytest.approx(exact, rel=1e-9)) == (n < 20)


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})


def test_numbers_stand_beside_ours(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "id,A,B\n"
        + "".join(f"q{i},{a},{b}\n" for i, (a, b) in enumerate([(8, 5), (6, 4), (5, 5), (9, 3), (7, 6), (4, 6), (9, 8)]))
    )
    done = run("compare", path, "--compat", "paired-perm-test,nlpstattest")
    assert done.exit_code == 0, done.output
    assert "paired-perm-test prints p = .1875" in done.output
    x = np.array([3, 2, 0, 6, 1, -2, 1])
    t = scipy.stats.ttest_1samp(x, 0).pvalue
    assert f"NLPStatTest prints t test p = {round(t, 5)}".replace("0.", ".") in done.output
    g = x.mean() / x.std(ddof=1) * (1 - 3 / (4 * 7 - 9))
    assert f"Hedges' g = {g:.5f}" in done.output
    assert math.isfinite(g)
    refused = run("compare", path, "--compat", "sacrebleu-ar")
    assert (refused.exit_code, "--compat sacrebleu-ar is for texts" in refused.output) == (2, True)


def test_its_config_is_recognised(tmp_path):
    (tmp_path / "config.yml").write_text(
        "eval_unit_size: 15\neval_unit_met: mean\nrandom_seed: 1\nsig_test_alpha: 0.05\neff_size_ind: cohend\n"
    )
    (tmp_path / "scores.txt").write_text("1 0\n0 0\n1 1\n")
    done = run("compare", tmp_path / "scores.txt", "--config", tmp_path / "config.yml")
    assert done.exit_code == 2
    assert "this is a file of NLPStatTest" in done.output
    assert "`outscore compare SCORES --unit-size 15 --unit-statistic mean --shuffle 1 --alpha 0.05`" in done.output

"""Numbers of the programs behind the papers, beside ours, and the file that configures one of them."""

from __future__ import annotations

import math
import random
import re
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


def test_units_are_those_of_the_program(tmp_path):
    """Its own shuffle, and a remainder that is spread over the first units."""
    x = np.random.default_rng(1).normal(0.3, 1, (23, 2)).round(2)
    path = tmp_path / "scores.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in x.tolist()))
    places = list(range(23))
    random.Random(13).shuffle(places)  # noqa: S311 - the generator of that program
    sizes = [6, 6, 6, 5]  # 23 items in 23 // 5 units
    d = [x[i, 0] - x[i, 1] for i in places]
    units = [np.mean(d[sum(sizes[:k]) : sum(sizes[: k + 1])]) for k in range(4)]
    done = run("compare", path, "--unit-size", 5, "--shuffle", 13, "--compat", "nlpstattest,paired-perm-test")
    t = round(scipy.stats.ttest_1samp(units, 0).pvalue, 5)
    assert f"NLPStatTest prints for its 4 units t test p = {t:.5g},".replace("= 0.", "= .") in done.output
    assert "paired-perm-test knows no evaluation units" in done.output


def test_a_number_that_the_program_saved(shared_data):
    """Its repository (nlp-stat-test, 56c7e4a) holds what it saved: t = 1.33451, p = .18311 and d = .07905 of 285 units."""
    done = run("compare", shared_data / "nlpstattest" / "data-file.txt", "--unit-size", 7, "--compat", "nlpstattest")
    assert "NLPStatTest prints for its 285 units t test p = .18311," in done.output


READ = """
# power before the data
pre_mu_diff: 1
pre_sd: 2
pre_pow_lev: 0.8
pre_alpha: 0.05
pre_alternative: two-sided

eval_unit_size: 10
eval_unit_met: mean
shuffled: True
random_seed: 13
normal_test_alpha: 0.05
sig_test_alpha: 0.05
sig_boot_perm_B: 500
mu: 0
h1: two-sided # side
eff_size_ind: wilcoxonr
power_alpha: 0.05
power_B: 50
fig_output_dir: figures
"""
SAVED = """CI: '[-0.00199, 0.01039]'
alternative: two-sided
eval_unit_size: '7'
eval_unit_stat: mean
fileName: data-file.txt
mu: '0.0'
not_preferred_tests: '[["sign", "It is appropriate
  but has less power."]]'
shuffle_seed: ''
sig_boot_iterations: '200'
sig_test_alpha: '0.05'
sig_test_name: t
"""
COMPARED = "--normality-alpha 0.05 --alpha 0.05 --resamples 500 --delta 0 --alternative two-sided"
SETTINGS = {
    "read": (
        READ,
        [
            f"compare SCORES --unit-size 10 --unit-statistic mean --shuffle 13 {COMPARED}",
            "plan --effect 1 --sd 2 --power 0.8 --alpha 0.05 --alternative two-sided --method t",
        ],
    ),
    "not shuffled": (
        "eval_unit_size: 15\neval_unit_met: mean\nshuffled: False\nrandom_seed: 1\nsig_test_alpha: 0.05\n",
        ["compare SCORES --unit-size 15 --unit-statistic mean --alpha 0.05"],
    ),
    "saved by its page": (
        SAVED,
        ["compare SCORES --unit-size 7 --unit-statistic mean --test student --alpha 0.05 --delta 0.0 --alternative two-sided"],
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_its_settings_are_answered_with_commands_that_run(name, tmp_path):
    text, commands = SETTINGS[name]
    (tmp_path / "config.yml").write_text(text)
    (tmp_path / "scores.txt").write_text("".join(f"{i % 3} {i % 2}\n" for i in range(60)))
    done = run("compare", tmp_path / "scores.txt", "--config", tmp_path / "config.yml")
    assert (done.exit_code, "this is a file of NLPStatTest" in done.output) == (2, True)
    assert re.findall("`outscore ([^`]*)`", done.output) == commands
    for command in commands:
        assert run(*command.replace("SCORES", str(tmp_path / "scores.txt")).split()).exit_code == 0

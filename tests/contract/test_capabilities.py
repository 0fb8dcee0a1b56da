"""The capability table: what every test takes, and for each no one sentence that names a test which says yes."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.question import MAX_RESAMPLES, TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve

KINDS = ("graded", "binary", "sum", "f1")
MEANS = {"graded", "binary"}
# Which kinds of data a test takes, whether in clusters, and with which kinds a shift. A new test must be put in by hand.
TAKES = {
    "permutation": (set(KINDS), True, {"graded", "binary", "sum"}),
    "permutation-median": (MEANS, False, MEANS),
    "student": (MEANS, True, MEANS),
    "wilcoxon": (MEANS, False, MEANS),
    "sign": (MEANS, False, MEANS),
    "mcnemar": ({"binary"}, False, {"binary"}),
    "bootstrap": (set(KINDS), True, set(KINDS)),
    "bootstrap-t": (MEANS, True, MEANS),
    "bootstrap-median": (MEANS, True, MEANS),
    "block-bootstrap": (set(KINDS), False, set(KINDS)),
    "bayes": (MEANS, False, set()),
}
ESTIMANDS = dict.fromkeys(TAKES, "difference") | {
    "wilcoxon": "pseudomedian",
    "sign": "median",
    "permutation-median": "median",
    "bootstrap-median": "median",
}
COSTLY = {"permutation", "permutation-median", "wilcoxon", "sign", "mcnemar", "bayes"}
"""Tests whose interval is more work than their p, which may be asked for alone."""


def rows(kind, *, clusters=False, repeats=False):
    rng = np.random.default_rng(3)
    if kind == "f1":
        tables = rng.integers(0, 5, (2, 40, 3))
    elif kind == "binary":
        tables = (rng.random((2, 40)) < [[0.75], [0.5]]).astype(int)
    else:
        tables = np.round(rng.normal([[0.3], [0.0]], 1, (2, 40)), 2)
    metric, a, b = resolve({"graded": "mean", "binary": "accuracy"}.get(kind, kind), *tables)
    items = np.arange(40) // 2 if repeats else None
    return PairedScores(a, b, 1, items, np.arange(40) // 4 if clusters else None), metric


def ask(name, pairs, metric, **asked):
    given = {"resamples": 99} if any(option.name == "resamples" for option in TESTS[name].options) else {}
    return TESTS[name].run(pairs, metric, TestRequest(**asked, options=complete(name, TESTS[name].options, given)))


def test_the_table_is_complete():
    assert set(TAKES) == set(TESTS)
    for name, (kinds, clusters, shifts) in TAKES.items():
        entry = TESTS[name]
        assert (entry.clusters, entry.delta) == (clusters, bool(shifts))
        assert entry.on == ("any" if "f1" in kinds else "binary" if kinds == {"binary"} else "scores")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TAKES)
def test_every_no_names_a_test_that_says_yes(name, kind):
    for clusters, repeats, delta in itertools.product((False, True), (False, True), (0.0, 0.1)):
        _answers_or_names_another(name, kind, clusters, repeats, delta)


def _answers_or_names_another(name, kind, clusters, repeats, delta):
    kinds, in_clusters, shifted = TAKES[name]
    pairs, metric = rows(kind, clusters=clusters, repeats=repeats)
    # Repeats make right-or-wrong items graded ones.
    kind = "graded" if kind == "binary" and repeats else kind
    takes = kind in kinds and (in_clusters or not clusters) and (not delta or kind in shifted)
    if takes:
        assert 0 < ask(name, pairs, metric, delta=delta).p.value <= 1
        return
    with pytest.raises(OutscoreError) as refusal:
        ask(name, pairs, metric, delta=delta)
    assert refusal.value.message.endswith(".")
    assert ". " not in refusal.value.message
    named = [test for test in re.findall(r"`([a-z-]+)`", refusal.value.hint) if test in TESTS]
    assert name not in named
    assert any(_answers(test, pairs, metric, delta) for test in named), refusal.value


def _answers(name, pairs, metric, delta):
    # Its interval is tried where the test itself is.
    try:
        return ask(name, pairs, metric, delta=delta, interval=False).p.value > 0
    except OutscoreError:
        return False


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("name", TAKES)
def test_intervals_say_what_they_are_about(name, alternative):
    pairs, metric = rows("binary" if name == "mcnemar" else "graded")
    found = ask(name, pairs, metric, alternative=alternative).interval
    assert found.estimand == ESTIMANDS[name]
    difference = float(metric.score(pairs.a.sum(axis=0)) - metric.score(pairs.b.sum(axis=0)))
    if found.estimand == "difference":
        assert found.estimate == pytest.approx(difference, abs=1e-12)
    elif found.estimand == "median":
        assert found.estimate == pytest.approx(np.median(pairs.a[:, 0] - pairs.b[:, 0]), abs=1e-12)
    assert found.low is None or found.low <= found.estimate
    assert found.high is None or found.high >= found.estimate
    assert (found.low is None, found.high is None) == (alternative == "less", alternative == "greater")


@pytest.mark.parametrize("name", TAKES)
def test_p_alone_is_the_same_p(name):
    pairs, metric = rows("binary" if name == "mcnemar" else "graded")
    whole, alone = ask(name, pairs, metric), ask(name, pairs, metric, interval=False)
    assert alone.p == whole.p
    assert alone.bayes == whole.bayes
    assert (alone.interval is None) == (name in COSTLY)


@pytest.mark.parametrize("name", [name for name in TESTS if any(option.name == "resamples" for option in TESTS[name].options)])
def test_resamples_are_bounded(name):
    pairs, metric = rows("graded")
    options = complete(name, TESTS[name].options, {"resamples": MAX_RESAMPLES + 1})
    with pytest.raises(OutscoreError, match=f"at most {MAX_RESAMPLES:,}"):
        TESTS[name].run(pairs, metric, TestRequest(options=options))

"""Tests inside a diff: every row against all swaps of whole clusters, mirrors as one hypothesis, support, correction."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.inference.families import adjust
from outscore.inference.permutation import gain_interval, gain_test
from outscore.outputs.model import Units
from outscore.results.diff import Outcomes
from outscore.scores.system import Labels
from outscore.workflows.diff.pair import View, accuracy_change, oracle_of, pair_of
from outscore.workflows.requests.diff import DiffRequest

LABELS = ("N", "V", "X")


def random_units(seed, n=40, groups=6, systems=2):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    answers = np.where(rng.random((n, systems)) < 0.6, gold[:, None], rng.integers(0, 3, (n, systems)))
    clusters = np.sort(rng.integers(0, groups, n))
    slices = {"half": Labels.of("ab"[i % 2] for i in range(n))}
    return Units(
        "upos", tuple(f"S{k}" for k in range(systems)), LABELS, gold, answers, answers == gold[:, None], None, clusters, slices
    )


def pair(units, **asked):
    statistics = DiffRequest(**{"min_support": 1, **asked})
    headline = accuracy_change("upos", units.correct[:, 0], units.correct[:, 1], units.clusters, statistics)
    return pair_of(View(units, (0, 1), headline), statistics)


def all_swaps(units):
    """The units after every swap of whole clusters."""
    codes = np.unique(units.clusters, return_inverse=True)[1]
    for flips in itertools.product((False, True), repeat=int(codes.max()) + 1):
        here = np.array(flips)[codes][:, None]
        yield np.where(here, units.answers[:, ::-1], units.answers)


def p_by_enumeration(units, statistic):
    observed = abs(statistic(units.answers))
    values = [abs(statistic(answers)) for answers in all_swaps(units)]
    return np.mean([value >= observed for value in values])


@settings(max_examples=12)
@given(st.integers(0, 10_000))
def test_rows_against_all_swaps(seed):
    units = random_units(seed)
    found = pair(units)
    gold = units.gold
    assert found.p.value == pytest.approx(
        p_by_enumeration(units, lambda x: int((x[:, 1] == gold).sum() - (x[:, 0] == gold).sum())), abs=1e-12
    )
    for part in found.labels:
        here = gold == LABELS.index(part.value)
        assert part.p.value == pytest.approx(
            p_by_enumeration(units, lambda x, h=here: int(((x[:, 1] == gold) & h).sum() - ((x[:, 0] == gold) & h).sum())),
            abs=1e-12,
        )
    for rows in found.transitions.values():
        for row in rows:
            g, s, t = (LABELS.index(x) for x in (row.gold, row.source, row.target))

            def balance(x, g=g, s=s, t=t):
                there = (gold == g) & (x[:, 0] == s) & (x[:, 1] == t)
                back = (gold == g) & (x[:, 0] == t) & (x[:, 1] == s)
                return int(there.sum()) - int(back.sum())

            assert row.count - row.mirror == balance(units.answers)
            assert row.p.value == pytest.approx(p_by_enumeration(units, balance), abs=1e-12)


def test_identity_and_shares():
    found = pair(random_units(3, n=300, groups=40))
    o = found.outcomes
    assert isinstance(o, Outcomes)
    assert found.difference == pytest.approx((o.correction - o.new_error) / found.n)
    assert found.differ == o.changes / found.n
    for name, rows in found.transitions.items():
        assert sum(row.count for row in rows) == getattr(o, name)
        assert sum(row.share_of_class for row in rows) == pytest.approx(1)
    assert sum(r.share_of_changes for rows in found.transitions.values() for r in rows) == pytest.approx(1)
    assert found.interval.low < found.difference < found.interval.high


def test_mirror_rows_share_one_p_and_count_once():
    found = pair(random_units(5, n=300, groups=40))
    fixed = {(r.source, r.target): r for r in found.transitions["correction"]}
    broken = {(r.source, r.target): r for r in found.transitions["new_error"]}
    assert all(
        fixed[x, y].p == broken[y, x].p and fixed[x, y].mirror == broken[y, x].count for x, y in fixed if (y, x) in broken
    )
    hypotheses = {
        (r.gold, frozenset((r.source, r.target)), name == "changed_error"): r.p
        for name, rows in found.transitions.items()
        for r in rows
    }
    assert found.families["transitions"].m == len(hypotheses) == len({*fixed, *((y, x) for x, y in broken)}) + 3
    adjusted = adjust([p.value for p in hypotheses.values()], "holm")
    assert [p.adjusted for p in hypotheses.values()] == pytest.approx(list(adjusted))


def test_rows_below_the_minimum_support_are_listed_and_not_tested():
    units = random_units(7, n=60)
    found = pair(units, min_support=25)
    sizes = np.bincount(units.gold)
    assert [(part.n, part.p is None) for part in found.labels] == [(n, n < 25) for n in sizes]
    assert all(row.p is None for rows in found.transitions.values() for row in rows)
    assert "transitions" not in found.families


def test_slices_are_their_own_family():
    found = pair(random_units(7, n=60))
    assert [(part.column, part.value, part.n) for part in found.slices] == [("half", "a", 30), ("half", "b", 30)]
    assert found.families["half"].m == 2


def test_identical_systems_have_nothing_to_test():
    units = random_units(1)
    same = replace(units, answers=units.answers[:, [0, 0]], correct=units.correct[:, [0, 0]])
    found = pair(same)
    assert (found.p.value, found.differ, found.difference) == (1.0, 0.0, 0.0)
    assert not any(found.transitions.values())
    assert all(part.p.value == 1.0 for part in found.labels)


def test_many_clusters_get_students_interval_which_is_all_but_the_same():
    rng = np.random.default_rng(2)
    first, second, clusters = rng.random(1_000) < 0.8, rng.random(1_000) < 0.81, np.arange(1_000) // 20
    few = accuracy_change("x", first, second, clusters, DiffRequest()).interval
    many = accuracy_change("x", *(np.tile(x, 2) for x in (first, second)), np.arange(2_000) // 20, DiffRequest()).interval
    assert "inversion" in few.method
    assert many.method == "Student t, stretched to agree with the exact test"
    gains = second.astype(int) - first.astype(int)
    again = gain_interval(gains, clusters, gain_test(gains, clusters))
    assert [few.low, few.high] == pytest.approx([again.low, again.high], abs=1e-3)


def test_gains_of_nothing():
    assert gain_test(np.zeros(5, dtype=int), np.arange(5)).value == 1.0
    assert gain_interval(np.zeros(5, dtype=int), None, gain_test(np.zeros(5, dtype=int), None)) is None


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 7)), min_size=8, max_size=60))
def test_interval_and_test_agree_about_zero(rows):
    gains, clusters = np.array(rows).T
    p = gain_test(gains, clusters)
    for alpha in (0.01, 0.05, 0.2):
        interval = gain_interval(gains, clusters, p, alpha)
        if interval is not None:
            assert (interval.low <= 0 <= interval.high) == (p.value > alpha)


def test_oracle():
    units = random_units(11, n=200, systems=3)
    found = oracle_of(units)
    assert found.all.rate == units.correct.any(axis=1).mean()
    assert found.all.gain_over_best == pytest.approx(found.all.rate - units.correct.mean(axis=0).max())
    assert sum(found.solved_by) == 200
    assert found.solved_by[1] == sum(found.only.values())
    assert sum(row.n * row.rate for row in found.labels) / 200 == pytest.approx(found.all.rate)
    assert all(row.gain_over_best >= row.gain_over_best_here >= 0 for row in found.labels)

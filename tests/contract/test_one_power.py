"""No two commands contradict each other about what the same data can show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.variants import a_few

import outscore as osc

LEVEL = 0.05


@st.composite
def right_or_wrong(draw):
    wins, losses = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    both, neither = draw(st.integers(0, 30)), draw(st.integers(0, 30))
    assume(wins != losses)
    assume(wins + losses + both + neither >= 8)
    a = [1] * wins + [0] * losses + [1] * both + [0] * neither
    b = [0] * wins + [1] * losses + [1] * both + [0] * neither
    unit = draw(st.sampled_from([1, 100]))
    return unit * np.array(a), unit * np.array(b), None


@st.composite
def decimals(draw):
    n = draw(st.integers(8, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    a, b = (rng.random(n).round(2) for _ in range(2))
    assume(abs((a - b).mean()) > 1e-9)
    return a + draw(st.sampled_from([0.0, 0.1, 0.3])), b, None


@st.composite
def clusters(draw):
    sizes = draw(st.lists(st.integers(1, 6), min_size=10, max_size=16))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(0, 0.3, len(sizes))[labels]
    a = (0.3 + shared + rng.normal(0, 0.5, len(labels))).round(2)
    assume(a.std() > 0 and abs(a.mean()) > 0.02)
    return a, np.zeros(len(labels)), labels


DATA = {"right-or-wrong": right_or_wrong(), "decimals": decimals(), "clusters": clusters()}


@pytest.mark.parametrize("kind", a_few(DATA, 2))
@given(st.data())
@settings(max_examples=48, deadline=None)
def test_compare_rank_gate_and_plan_agree(kind, data):
    a, b, labels = data.draw(DATA[kind])
    compared = osc.compare(a, b, clusters=labels)
    power, units = compared.power, compared.clusters or compared.n
    of_pilot = {"pilot": (a, b), "clusters": labels}
    if power.needed is not None:
        planned = osc.plan(**of_pilot)
        assert round(planned.items / planned.design.cluster_size) == power.needed
        ranked = osc.rank({"A": a, "B": b}, clusters=labels).pairs[0]
        assert (ranked.needed, ranked.n) == (power.needed, units)
        # Fewer than are needed do not suffice, if curve and number come from one function.
        assert all(point.power < 0.8 + 1e-9 for point in power.curve if point.n < 0.8 * power.needed)
    if power.detectable_effect is None:
        with pytest.raises(osc.OutscoreError):
            osc.plan(**of_pilot, n=compared.n)
    else:
        assert osc.plan(**of_pilot, n=compared.n).effect == pytest.approx(power.detectable_effect, rel=1e-9)
    if labels is None:
        here = next(point.power for point in power.curve if point.n == compared.n)
        assert osc.plan(**of_pilot, n=compared.n, effect=compared.difference).power == pytest.approx(here, abs=1e-12)
    _check_gate(a, b, labels, compared)


def _check_gate(a, b, labels, compared):
    """Where a gate would need more items to fail, they are those that a one-sided plan asks for."""
    margin = 0.02 * (100 if a.max() > 1 and kind_of(a) else 1)
    found = osc.gate(b, a, margin=margin, clusters=labels)
    if found.towards == "fail":
        planned = osc.plan(pilot=(a, b), clusters=labels, alternative="less")
        needed = round(planned.items / planned.design.cluster_size)
        units = compared.clusters or compared.n
        assert found.needed == max(compared.n + 1, math.ceil(needed * compared.n / units))


def kind_of(a):
    """Whether scores are 0 and 100."""
    return set(np.unique(a)) <= {0, 100}


@given(right_or_wrong())
@settings(max_examples=48, deadline=None)
def test_score_and_plan_agree(data):
    a, _, _ = data
    unit = 100 if a.max() == 100 else 1
    found = osc.score(a, alpha=LEVEL).systems[0].detectable
    accuracy = float(a.mean()) / unit
    assume(0 < accuracy < 1)
    try:
        planned = abs(osc.plan(n=len(a), accuracy=accuracy).effect)
    except osc.OutscoreError:
        assert found.independent is None
    else:
        assert found.independent == pytest.approx(unit * planned, rel=1e-9)


@pytest.mark.parametrize("kind", a_few(DATA, 2))
@given(st.data())
@settings(max_examples=24, deadline=None)
def test_gate_and_plan_agree_about_a_pass(kind, data):
    """The items that a margin still needs are those that a plan asks for at the observed difference."""
    a, b, labels = data.draw(DATA[kind])
    unit = 100 if kind_of(a) and a.max() > 1 else 1
    margin = osc.compare(a, b, clusters=labels, margin=0.1 * unit).margin
    effect = float(a.mean() - b.mean())
    if margin.needed is None:
        if not margin.noninferiority.rejects(LEVEL):
            with pytest.raises(osc.OutscoreError):
                osc.plan(pilot=(a, b), clusters=labels, margin=0.1 * unit, effect=effect)
        return
    planned = osc.plan(pilot=(a, b), clusters=labels, margin=0.1 * unit, effect=effect)
    # Whole clusters, and more than there are.
    assert planned.items - planned.design.cluster_size - 1 < margin.needed <= max(len(a) + 1, planned.items)


@st.composite
def different_items(draw):
    """Two samples: right or wrong, scores, or scores in clusters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind, sizes = draw(st.sampled_from(["shares", "scores", "clusters"])), (draw(st.integers(8, 40)), draw(st.integers(8, 40)))
    a, b = (rng.random(n).round(2) for n in sizes)
    if kind == "shares":
        a, b = (a < 0.7).astype(int), (b < 0.5).astype(int)
    labels = tuple([f"{name}{i // 3}" for i in range(n)] for name, n in zip("ab", sizes, strict=True))
    assume(abs(a.mean() - b.mean()) > 0.02)
    return a, b, labels if kind == "clusters" else None


@given(different_items())
@settings(max_examples=48, deadline=None)
def test_compare_and_plan_agree_about_different_items(data):
    a, b, labels = data
    compared = osc.compare(a, b, unpaired=True, clusters=labels)
    if compared.p.rejects(LEVEL):
        assert compared.power is None
        return
    planned = osc.plan(pilot=(a, b), unpaired=True, clusters=labels)
    assert round(planned.items / planned.design.cluster_size) == compared.power.needed


@st.composite
def runs(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    items, of_a, of_b = draw(st.integers(10, 30)), draw(st.integers(2, 5)), draw(st.integers(2, 5))
    spread = draw(st.sampled_from([0.0, 0.02]))
    rows = ["item,system,seed,score"]
    apart = rng.normal(0, 0.1, items)
    for name, count, mean in (("new", of_a, 0.62), ("old", of_b, 0.55)):
        for k in range(count):
            scores = mean + (apart if name == "new" else 0) + rng.normal(0, spread) + rng.normal(0, 0.15, items)
            rows += [f"q{i},{name},{k},{score:.3f}" for i, score in enumerate(scores)]
    return "\n".join(rows) + "\n", (of_a, of_b)


@pytest.mark.slow
@given(runs())
@settings(max_examples=24, deadline=None)
def test_compare_and_plan_agree_about_items_and_runs(tmp_path_factory, data):
    text, seen = data
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    path.write_text(text)
    compared = osc.compare(path, repeats="runs")
    assert compared.population == "items-and-runs"
    if not compared.p.rejects(LEVEL):
        here = next(point for point in osc.plan(pilot=path).runs if (point.runs_a, point.runs_b) == seen)
        assert here.items == (None if compared.power is None else compared.power.needed)

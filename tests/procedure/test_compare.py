"""The whole comparison: every part comes from one design, and the parts agree with each other."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.inference import TESTS
from outscore.inference.influence import fragility, influence
from outscore.procedure.compare import compare_slices, comparisons

RNG = np.random.default_rng(3)
A, B = RNG.normal(0.3, 1, 80), RNG.normal(0, 1, 80)


def run(*arguments):
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    assert done.exit_code == 0, done.output
    return json.loads(done.output)["comparisons"]


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_a_whole_result(test):
    a, b = (RNG.integers(0, 2, 80) for _ in "ab") if TESTS[test].on == "binary" else (A, B)
    result = osc.compare(a, b, metric="accuracy" if TESTS[test].on == "binary" else "mean", test=test)
    assert 0 < result.p.value <= 1
    assert result.difference == pytest.approx(a.mean() - b.mean())
    assert result.interval is not None
    assert result.analysis is not None
    assert result.effects
    assert result.power.curve


def test_all_tests_stand_beside_the_permutation_test():
    result = osc.compare(A, B, test="all")
    assert result.p.test == "permutation"
    named = {p.test for p in result.tests}
    assert {"student", "wilcoxon", "sign", "bootstrap", "bootstrap-t", "block-bootstrap"} <= named
    assert not {"permutation", "bayes", "mcnemar"} & named


def test_margins_turn_with_the_metric():
    """Not worse by the margin: for errors that is fewer errors than B's plus the margin."""
    rows = np.stack([RNG.integers(0, 5, 60), np.full(60, 10)], axis=1)
    more = rows + np.array([1, 0]) * RNG.integers(0, 2, (60, 1))
    better, worse = (
        osc.compare(rows, more, metric="error-rate", margin=0.02),
        osc.compare(more, rows, metric="error-rate", margin=0.02),
    )
    assert better.margin.noninferiority.value < 0.01
    assert worse.margin.noninferiority.value > 0.5
    for found in (better, worse):
        assert found.margin.equivalence.upper >= found.margin.noninferiority.upper
    with pytest.raises(osc.OutscoreError, match="positive"):
        osc.compare(A, B, margin=0)


def test_units_leave_a_remainder():
    result = osc.compare(A, B, unit_size=15)
    assert (result.p.n, result.design.remainder, result.design.unit_size) == (5, 5, 15)
    assert "On 5 units of 15 items" in result.sentence
    shuffled = osc.compare(A, B, unit_size=15, shuffle=3)
    assert "15-item mean, shuffled by 3" in shuffled.signature
    assert shuffled.signature != result.signature


def test_ratio_intervals_say_that_they_are_not_dual():
    a, b = RNG.integers(0, 5, (2, 100, 3))
    result = osc.compare(a, b, metric="f1")
    assert not result.interval.dual
    assert result.interval.low < result.difference < result.interval.high
    assert any("cannot be inverted" in note for note in result.notes)


def test_slices_are_one_family():
    parts, family = compare_slices(A, B, "topic", ["x", "y"] * 40, metric="mean")
    assert [c.slice.value for c in parts] == ["x", "y"]
    assert [c.n for c in parts] == [40, 40]
    assert (family.correction, family.error_rate, family.m) == ("holm", "FWER", 2)
    raw = sorted(c.p.value for c in parts)
    assert sorted(c.p.adjusted for c in parts) == pytest.approx([min(1, 2 * raw[0]), max(min(1, 2 * raw[0]), raw[1])])


class TestFragility:
    def test_the_count_is_the_smallest_that_changes_the_decision(self):
        """Naive twin: swap one more item at a time."""
        a, b = np.array([1] * 12 + [0] * 2), np.array([0] * 12 + [1] * 2)
        result = osc.compare(a, b, metric="accuracy")
        assert result.decision.winner == 0
        for k in range(1, 14):
            changed_a, changed_b = a.copy(), b.copy()
            changed_a[:k], changed_b[:k] = b[:k], a[:k]
            if osc.compare(changed_a, changed_b, metric="accuracy").decision.winner != 0:
                break
        assert result.fragility == k

    def test_an_undecided_result_is_pushed_on(self):
        from outscore.data import PairedScores
        from outscore.metrics import resolve

        metric, rows_a, rows_b = resolve("mean", np.array([1] * 8 + [0] * 4), np.array([0] * 8 + [1] * 4))
        units = PairedScores(rows_a, rows_b)

        def decision(view):
            p = osc.permutation_test(view.a[:, 0], view.b[:, 0])
            return int(np.sign(p.statistic)) if p.value <= 0.05 else None

        # 10 of 12 is the first count with p ≤ .05 (p = .0386): two of the four others have to change sides.
        assert fragility(units, metric, decision) == 2
        assert influence(units, metric)[0] > 0 > influence(units, metric)[-1]


def test_saved_results_load(tmp_path):
    saved = comparisons([osc.compare(A, B)], {"seed": 0})
    path = tmp_path / "result.json"
    path.write_text(json.dumps(saved.to_dict(), allow_nan=False), encoding="utf-8")
    assert osc.load(path) == saved
    for text, words in (("{", "not JSON"), ("{}", "not a saved result"), ('{"schema": "outscore/result/1"}', "not a saved")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(osc.OutscoreError, match=words):
            osc.load(path)
    with pytest.raises(osc.OutscoreError, match="No such file"):
        osc.load(tmp_path / "absent.json")


class TestRealFiles:
    def test_aime_repeats(self, shared_data):
        systems = ["--system", "o3-mini (high)", "--system", "o1 (medium)"]
        file = shared_data / "llm-scores" / "aime-2025-II.csv"
        (found,) = run("compare", file, "--item", "question", "--repeat", "sample", *systems, "--format", "json")
        assert found["p"]["value"] == 0.109375
        assert found["difference"] == pytest.approx(0.1333333, abs=1e-6)
        assert [(s["view"], s["n"]) for s in found["design"]["path"]] == [("rows", 60), ("items", 15)]

    def test_gpqa_repeats(self, shared_data):
        file = shared_data / "llm-scores" / "gpqa-diamond.csv"
        exact = run("compare", file, "--item", "item_id", "--repeat", "epoch", "--format", "json")[0]
        assert exact["p"]["value"] == pytest.approx(0.0395408, abs=5e-8)
        assert exact["difference"] == pytest.approx(0.058586, abs=5e-7)
        student = run("compare", file, "--item", "item_id", "--repeat", "epoch", "--test", "student", "--format", "json")[0]
        assert student["p"]["value"] == pytest.approx(0.036271, abs=5e-7)
        assert (student["interval"]["low"], student["interval"]["high"]) == pytest.approx((0.00378, 0.11339), abs=5e-6)

    def test_nlpstattest_sample(self, shared_data):
        """Paper 003, figure 2."""
        (found,) = run("compare", shared_data / "nlpstattest" / "data-file.txt", "--format", "json")
        summary = found["analysis"]["systems"]
        for key, expected in {
            "mean": (0.28464, 0.28051, 0.00413),
            "median": (0.25552, 0.24905, 0.00070),
            "sd": (0.15964, 0.15694, 0.11228),
            "min": (0.02206, 0.01216, -0.83215),
            "max": (1.0, 1.0, 0.51108),
        }.items():
            assert [summary[s][key] for s in ("a", "b", "difference")] == pytest.approx(expected, abs=6e-6)
        assert found["analysis"]["skewness"] == pytest.approx(-0.2637, abs=5e-5)

"""The whole comparison: every part comes from one design, and the parts agree with each other."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from tests.variants import a_few, crossed

import outscore as osc
from outscore.cli.app import app
from outscore.inference.base.influence import fragility, influence
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation import permutation
from outscore.inference.registry import TESTS
from outscore.results.note import note_texts
from outscore.scores.panel import Panel

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
    assert result.notes[-1].text == (
        "Tests that were not run: mcnemar (needs right-or-wrong items), bayes (it has no p-value of its own)."
    )
    assert not any("reject too often" in note.text for note in result.notes)


def test_all_tests_on_few_units_and_clusters():
    few = note_texts(osc.compare(A[:20], B[:20], test="all").notes)
    assert "With only 20 units, these tests reject too often: bootstrap, bootstrap-t, bootstrap-median, block-bootstrap." in few
    clustered = osc.compare(A, B, test="all", clusters=np.arange(80) // 4).notes[-1].text
    assert "wilcoxon (does not support clusters)" in clustered


def test_advice_on_units_asks_what_the_comparison_asks():
    result = osc.compare(A, B, delta=0.1, alternative="greater", unit_size=4, unit_advice=True)
    assert [row.size for row in result.unit_advice] == [1, 2, 4, 5, 10, 15, 20, 30]
    assert next(row.p for row in result.unit_advice if row.size == 4) == result.p.value
    assert result.unit_advice[0].p == osc.compare(A, B, delta=0.1, alternative="greater").p.value
    counts = np.stack([np.arange(12) % 5, np.arange(12) % 3], axis=1)
    with pytest.raises(osc.OutscoreError, match="Advice on the unit size uses the permutation test"):
        osc.compare(counts, counts[::-1], metric="f1", test="bootstrap", delta=0.1, unit_advice=True)


def test_margins_turn_with_the_metric():
    """Not worse by the margin: for errors that is fewer errors than B's plus the margin."""
    rows = np.stack([RNG.integers(0, 5, 60), np.full(60, 10)], axis=1)
    more = rows + np.array([1, 0]) * RNG.integers(0, 2, (60, 1))
    better, worse = (
        osc.compare(rows, more, metric="error-rate", margin=0.1),
        osc.compare(more, rows, metric="error-rate", margin=0.02),
    )
    assert better.margin.noninferiority.value < 0.01
    assert worse.margin.noninferiority.value > 0.5
    for found in (better, worse):
        assert found.margin.equivalence.upper >= found.margin.noninferiority.upper
    with pytest.raises(osc.OutscoreError, match="positive"):
        osc.compare(A, B, margin=0)


@pytest.mark.parametrize("test", a_few(["permutation", "student", "bootstrap"], 1))
def test_margins_of_errors_are_those_of_the_accuracy(test):
    """Errors are one minus what is right: lower is better, and every p-value is the same, in both argument orders."""
    right = np.random.default_rng(8).integers(0, 2, (2, 60))
    asked = {"margin": 0.15, "test": test}
    for a, b in ((0, 1), (1, 0)):
        as_errors = osc.compare(1 - right[a], 1 - right[b], metric="error-rate", **asked)
        as_hits = osc.compare(right[a], right[b], metric="accuracy", **asked)
        assert as_errors.difference == pytest.approx(-as_hits.difference)
        for name in ("noninferiority", "equivalence"):
            assert getattr(as_errors.margin, name).value == pytest.approx(getattr(as_hits.margin, name).value)
    forth, back = (
        osc.compare(x, y, metric="error-rate", **asked).margin for x, y in ((right[0], right[1]), (right[1], right[0]))
    )
    assert forth.equivalence.value == pytest.approx(back.equivalence.value)
    assert forth.equivalence.value == pytest.approx(max(forth.noninferiority.value, back.noninferiority.value))


def test_views_ask_for_no_interval_and_a_margin_for_one_limit(monkeypatch):
    asked = []
    entry = TESTS["student"]

    def watched(pairs, metric, request):
        asked.append(request.interval)
        return entry.run(pairs, metric, request)

    monkeypatch.setitem(TESTS, "student", replace(entry, run=watched))
    osc.compare(A, B, test="student", margin=0.1, items=np.arange(80) // 2, clusters=np.arange(80) // 4)
    assert asked == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"names": ("A",)}, "`names` is"),
        ({"names": "AB"}, "`names` is 'AB'"),
        ({"names": ("A", 2)}, "`names` is"),
        ({"names": ("A", " ")}, "`names` is"),
        ({"names": ("A", "A")}, "Both systems are named `A`"),
        ({"shuffle": 3}, "`shuffle` has no effect"),
        ({"shuffle": -3, "unit_size": 2}, "`shuffle` is -3"),
        ({"shuffle": 2.5, "unit_size": 2}, "`shuffle` is 2.5"),
        ({"shuffle": True, "unit_size": 2}, "`shuffle` is True"),
        ({"unit_statistic": "median"}, "`unit_statistic` has no effect"),
        ({"unit_statistic": "mode", "unit_size": 2}, "`unit_statistic` is 'mode'"),
        ({"unit_size": 0}, "`unit_size` is 0"),
        ({"unit_size": "2"}, "`unit_size` is '2'"),
        ({"unit_advice": True, "clusters": np.arange(80) // 4}, "cannot be combined with clusters"),
        ({"margin": float("nan")}, "`margin` is nan"),
        ({"margin": "1"}, "`margin` is '1'"),
        ({"margin": 1, "test": "bayes"}, "`bayes` cannot test a margin"),
        ({"alpha": 0}, "`alpha` is 0"),
        ({"alpha": "5%"}, "`alpha` is '5%'"),
        ({"normality_alpha": 1}, "`normality_alpha` is 1"),
        ({"delta": float("inf")}, "`delta` is inf"),
        ({"seed": True}, "`seed` is True"),
        ({"test": 5}, "There is no test `5`"),
        ({"labels": ["x"]}, "1 `labels` for 80 rows"),
    ],
    ids=str,
)
def test_impossible_requests_are_refused(asked, words):
    with pytest.raises(osc.OutscoreError) as caught:
        osc.compare(A, B, **asked)
    assert words in str(caught.value)
    assert caught.value.hint


def test_unit_advice_moves_with_the_size():
    from outscore.inference.describe.effects import SIZES

    rows = osc.compare(A, B, test="student", unit_advice=True, shuffle=4).unit_advice
    assert [row.size for row in rows] == [size for size in SIZES if 80 // size >= 2]
    spread = [row.sd for row in rows[:4]]
    assert spread == sorted(spread, reverse=True)
    assert osc.compare(A, B, test="student").unit_advice == []


def test_a_signature_repeats_what_was_sampled():
    result = osc.compare(A, B, test="bootstrap", options={"resamples": 99, "interval": "basic"}, seed=5)
    assert "interval:basic|resamples:99|seed:5" in result.signature


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
    assert any("cannot be inverted" in note.text for note in result.notes)


def compare_slices(a, b, column, values, **asked):
    """The slices of a comparison, the family they make, and notes on those that were left out."""
    found = osc.compare(a, b, slices={column: values}, **asked)
    whole, *parts = found.comparisons
    return parts, found.family, [note for note in whole.notes if note.kind == "omission"]


def test_slices_are_one_family():
    parts, family, notes = compare_slices(A, B, "topic", ["x", "y"] * 40, metric="mean")
    assert notes == []
    assert [c.slice.value for c in parts] == ["x", "y"]
    assert [c.n for c in parts] == [40, 40]
    assert (family.correction, family.error_rate, family.m) == ("holm", "FWER", 2)
    raw = sorted(c.p.upper for c in parts)
    assert sorted(c.p.adjusted for c in parts) == pytest.approx([min(1, 2 * raw[0]), max(min(1, 2 * raw[0]), raw[1])])


def test_sentences_say_what_they_were_made_on():
    a, b = np.array([1.0, 2.0, 4.0, 7.0, 3.0, 3.0]), np.array([0.0, 0.0, 1.0, 1.0, 3.0, 3.0])
    parts, _, _ = compare_slices(a, b, "topic", ["x", "x", "x", "y", "z", "z"])
    assert [c.sentence.split(",")[0] for c in parts] == [
        "On 3 items with topic = x",
        "On 1 item with topic = y",
        "On 2 items with topic = z",
    ]
    assert "scored identically" in parts[2].sentence
    assert "identically" not in parts[1].sentence
    clustered = osc.compare(a, b, clusters=[0, 0, 0, 1, 1, 1])
    assert clustered.sentence.startswith("On 6 items in 2 clusters, ")
    assert osc.compare(a, b, clusters=[0] * 6).sentence.startswith("On 6 items in 1 cluster, ")
    assert osc.compare(a, b, unit_size=6).sentence.startswith("On 1 unit of 6 items, ")


def test_too_few_items_to_reject_anything_have_no_power():
    few = {n: osc.compare(A[:n], B[:n]) for n in (3, 5, 6)}
    assert [n for n, c in few.items() if c.power.detectable_effect is None] == [3, 5]
    assert osc.compare(A[:5], B[:5], alternative="greater").power.detectable_effect is not None
    assert osc.compare(A[:3], B[:3], test="student").power.detectable_effect is not None


def test_slices_that_win_only_without_correction_do_not_win():
    a = np.array([1] * 6 + [0] * 30)
    values = ["x"] * 6 + [f"t{i % 5}" for i in range(30)]
    parts, _, _ = compare_slices(a, 0 * a, "topic", values, correction="bonferroni", metric="accuracy")
    first = parts[0]
    assert (first.p.value, first.p.adjusted) == (0.03125, 0.1875)
    assert first.decision.winner is None
    assert first.verdict.startswith("No winner")
    assert compare_slices(a[:6], 0 * a[:6], "topic", values[:6], metric="accuracy")[0][0].decision.winner == 0


def test_slices_that_no_test_serves_are_named():
    with pytest.raises(osc.OutscoreError, match="No slice of `topic` can be compared"):
        compare_slices(A[:2], B[:2], "topic", ["x", "y"], unit_size=2)
    with pytest.raises(osc.OutscoreError, match="Did you mean `holm`"):
        compare_slices(A, B, "topic", ["x"] * 80, correction="hollm")


def test_a_margin_no_difference_reaches_is_refused():
    with pytest.raises(osc.OutscoreError, match="`margin` is 1, but these scores cannot differ by more"):
        osc.compare([1, 0, 1, 1], [0, 0, 1, 1], margin=1)


def naive_push(a: np.ndarray, b: np.ndarray, side: str) -> int | None:
    """Swaps in favour of one system until the two-sided test decides for it."""
    d = (a - b) * (1 if side == "greater" else -1)
    for k in range(1, int((d < 0).sum()) + 1):
        moved = d.copy()
        moved[np.argsort(d, kind="stable")[:k]] *= -1
        if moved.sum() > 0 and osc.permutation_test(moved, 0 * moved).value <= 0.05:
            return k
    return None


def naive_fragility(a: np.ndarray, b: np.ndarray, alternative: str) -> int | None:
    """Swap one more item at a time, those first that move the mean most, until the test's decision changes."""

    def decided(first, second):
        return osc.permutation_test(first, second, alternative=alternative).value <= 0.05

    before = decided(a, b)
    if alternative == "two-sided" and not before:
        found = [k for side in ("greater", "less") if (k := naive_push(a, b, side)) is not None]
        return min(found, default=None)
    d = (a - b) * (-1 if alternative == "less" or (alternative == "two-sided" and (a - b).sum() < 0) else 1)
    order = [i for i in np.argsort(-d if before else d, kind="stable") if (d[i] > 0) == before and d[i]]
    for k in range(1, len(order) + 1):
        first, second = a.copy(), b.copy()
        first[order[:k]], second[order[:k]] = b[order[:k]], a[order[:k]]
        if decided(first, second) != before:
            return k
    return None


def fewest_swaps(a: np.ndarray, b: np.ndarray) -> int | None:
    """The smallest subset whose swap changes the decision, of all subsets."""

    def winner(d):
        return np.sign(d.sum()) if osc.permutation_test(d, 0 * d).value <= 0.05 else 0

    d, before = a - b, winner(a - b)
    for k in range(1, len(d) + 1):
        for chosen in itertools.combinations(range(len(d)), k):
            moved = d.copy()
            moved[list(chosen)] *= -1
            if winner(moved) != before:
                return k
    return None


class TestFragility:
    def test_no_smaller_subset_changes_the_decision(self):
        """Undecided with a small lead, the system behind may be the nearer winner."""
        rng = np.random.default_rng(12)
        for _ in range(12):
            d = rng.integers(-9, 12, 8).astype(float)
            assert osc.compare(d, 0 * d).fragility == fewest_swaps(d, 0 * d)
        d = np.array([9.0, 9, -3, -3, -3, -3, -3, -2])
        assert osc.compare(d, 0 * d).fragility == fewest_swaps(d, 0 * d) == 2

    @pytest.mark.parametrize(("alternative", "shift"), crossed(["two-sided", "greater", "less"], [-1.0, -0.2, 0.0, 0.3, 2.0]))
    def test_the_count_is_that_of_its_naive_twin(self, shift, alternative):
        rng = np.random.default_rng(7)
        for n in (12, 40):
            b = rng.normal(size=n).round(2)
            a = (b + rng.normal(shift, 1.0, n)).round(2)
            assert osc.compare(a, b, alternative=alternative).fragility == naive_fragility(a, b, alternative)

    def test_whole_numbers_beside_others_are_swapped_as_they_are(self):
        rng = np.random.default_rng(2)
        a, b = rng.integers(0, 3, 30), 1.2 * rng.random(30)
        assert naive_fragility(a.astype(float), b, "two-sided") == 1
        assert osc.compare(a, b).fragility == osc.compare(a.astype(float), b).fragility == 1

    def test_units_that_all_say_the_same_can_be_swapped(self):
        assert osc.compare([1] * 12, [0] * 12).fragility == 3  # 10 of 12 has p = .0386, 9 of 12 p = .146

    def test_few_questions_are_asked(self):
        rng = np.random.default_rng(3)
        a, b = (rng.integers(0, 9, (300, 3)) for _ in range(2))
        panel = Panel.of("f1", ("A", "B"), np.stack([a + np.array([2, 0, 0]), b]))
        pairs, metric = panel.pair(0, 1), panel.metric
        asked = []

        def test(view):
            asked.append(view)
            return permutation(view, metric, TestRequest())

        p = permutation(pairs, metric, TestRequest())
        assert p.value < 1e-6
        k = fragility(pairs, metric, test, p, TestRequest())
        assert k is not None
        assert k > 10
        assert len(asked) <= 5


def test_influence_is_what_a_unit_brings():
    panel = Panel.of("mean", ("A", "B"), np.array([[1] * 8 + [0] * 4, [0] * 8 + [1] * 4]))
    pull = influence(panel.pair(0, 1), panel.metric)
    assert pull[0] > 0 > pull[-1]


def test_saved_results_load(tmp_path):
    found = osc.compare(A, B)
    saved = osc.Comparisons([found], {"seed": 0})
    path = tmp_path / "result.json"
    path.write_text(json.dumps(saved.to_dict(), allow_nan=False), encoding="utf-8")
    assert osc.load(path) == found
    broken = "`.*result.json` is a broken result: Object missing required field `comparisons`"
    for text, words in (("{", "not JSON"), ("{}", "not a saved result"), ('{"schema": "outscore/result/1"}', broken)):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(osc.OutscoreError, match=words):
            osc.load(path)
    with pytest.raises(osc.OutscoreError, match="No such file"):
        osc.load(tmp_path / "absent.json")


def test_saved_results_come_through_a_pipe():
    saved = osc.Comparisons([osc.compare(A, B)], {"seed": 0})
    text = json.dumps(saved.to_dict(), allow_nan=False)
    done = CliRunner().invoke(app, ["report", "-", "--format", "json"], input=text)
    assert json.loads(done.output) == json.loads(text)
    empty = CliRunner().invoke(app, ["report", "-"], input="")
    assert empty.exit_code != 0
    assert "`stdin` is not JSON" in str(empty.output) + str(empty.exception)


def test_huge_whole_numbers_are_not_called_counts():
    with pytest.raises(osc.OutscoreError, match=r"whole numbers of both systems add up to more than 2\*\*53"):
        osc.compare([2**53 - 2], [2**53 - 2])


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


def test_a_column_whose_name_holds_a_comma_is_one_column(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text('id,model,"score, final"\n1,a,0.5\n2,a,0.25\n1,b,0.25\n2,b,0.75\n')
    assert osc.compare(path, score="score, final").reading.score == ["score, final"]


def test_slices_tell_of_the_margin():
    """The table of slices says where a margin shows something, by the corrected p of each claim."""
    rng = np.random.default_rng(4)
    new, old = (rng.random(120) < 0.8).astype(int), (rng.random(120) < 0.7).astype(int)
    found = osc.compare(new, old, slices={"topic": ["law", "maths", "news"] * 40}, margin=0.15, names=("new", "old"))
    text = " ".join(found.to_text().split())
    start = text.index("new worse than old by less than 0.15: ")
    told = text[start : text.index("new and old apart by less than 0.15: ")]
    for part in found.comparisons[1:]:
        p = part.margin.noninferiority
        shown, *hidden = told.split("not shown on")
        where = shown if p.rejects(0.05) else hidden[0]
        assert f"{part.slice.value} (adj. p = " in where
    assert "by less than" not in osc.compare(new, old, slices={"topic": ["law", "maths", "news"] * 40}).to_text()

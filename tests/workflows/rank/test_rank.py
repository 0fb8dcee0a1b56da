"""Rankings: every pair as if compared alone, one correction over those that share items, and clear words at the edges."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from tests.panels import panels_of
from tests.variants import a_few

import outscore as osc
from outscore import OutscoreError, rank
from outscore.core.metric import AdditiveMetric
from outscore.engine.engines import SERIAL, Processes, engine_of
from outscore.engine.progress import Progress
from outscore.inference.families import adjust
from outscore.results.note import note_texts
from outscore.results.ranking import Ranking
from outscore.scores.panel import Panel
from outscore.scores.system import Labels, Scores
from outscore.workflows.rank.panels import assemble_ranking, measure, rank_panels
from outscore.workflows.rank.standings import families, pairs_frame

NAMES = ("a", "b", "c", "d")


def simulated(n=80, seed=0, kind="binary"):
    """Four systems, the first best in truth."""
    random = np.random.default_rng(seed)
    ease = random.normal(0, 1, n)
    real = ease + random.normal(0, 1, (4, n)) + np.array([0.9, 0.3, 0.0, -0.6])[:, None]
    return {"binary": (real > 0).astype(int), "decimal": real.round(1), "real": real}[kind]


def as_dict(values):
    return dict(zip(NAMES, values, strict=True))


def same_p(p, alone):
    """Whether a pair's p is that of the test alone, and decides by the same number; certified ones below 1e-7 to an eighth."""
    close = 0.125 if alone.method == "certified" and alone.upper < 2e-7 else 1e-9
    return (p.value, p.claimed) == (pytest.approx(alone.value, rel=close), pytest.approx(alone.claimed, rel=1.6 * close))


def bytes_of(ranking: Ranking) -> str:
    return repr(ranking.to_dict())


@pytest.mark.parametrize("kind", ["binary", "decimal", "real"])
def test_every_pair_equals_compare_alone(kind):
    values = simulated(kind=kind)
    found = rank(as_dict(values))
    alone = {}
    for pair in found.pairs:
        i, j = (NAMES.index(name) for name in pair.systems)
        single = osc.compare(values[i], values[j]) if kind == "binary" else None
        p = single.p if single else osc.permutation_test(values[i], values[j])
        alone[pair.systems] = pair.p.claimed
        assert same_p(pair.p, p)
        assert pair.p.method == p.method
        assert pair.difference == pytest.approx(values[i].mean() - values[j].mean())
        assert pair.difference >= 0
        if single:
            assert (pair.low, pair.high) == pytest.approx((single.interval.low, single.interval.high), abs=1e-12)
    wanted = dict(zip(alone, adjust(list(alone.values()), "holm"), strict=True))
    assert {pair.systems: pair.p.adjusted for pair in found.pairs} == pytest.approx(wanted)
    assert found.counts.significant == sum(q <= 0.05 for q in wanted.values())
    assert [score.value for score in found.scores] == pytest.approx(sorted((x.mean() for x in values), reverse=True))


@pytest.mark.parametrize(
    ("test", "options"), a_few([("wilcoxon", {}), ("student", {}), ("bootstrap", {"resamples": 199}), ("sign", {})], 2)
)
def test_other_tests_equal_compare_alone(test, options):
    values = simulated(kind="real")
    found = rank(as_dict(values), test=test, options=options, unit_size=4, shuffle=3)
    for pair in found.pairs:
        i, j = (NAMES.index(name) for name in pair.systems)
        single = osc.compare(values[i], values[j], test=test, options=options, unit_size=4, shuffle=3)
        assert pair.p.value == pytest.approx(single.p.value, rel=1e-9)
        assert pair.n == 20


def test_mcnemar_is_the_same_exact_test_on_right_or_wrong_items():
    values = as_dict(simulated())
    pairs = [rank(values, test=test).pairs for test in ("permutation", "mcnemar")]
    assert pairs[0] == pairs[1]


def test_f1_is_exact_and_a_function_of_sums_is_sampled_from_shared_flips():
    rows = np.random.default_rng(1).integers(0, 4, (3, 50, 2)) + np.array([[[2, 0]], [[1, 0]], [[0, 1]]])
    found = rank(dict(zip("abc", rows, strict=True)), metric="f1")
    for pair in found.pairs:
        alone = osc.permutation_test(rows["abc".index(pair.systems[0])], rows["abc".index(pair.systems[1])], metric="f1")
        assert (pair.p.value, pair.p.method) == (pytest.approx(alone.value, rel=1e-9), "exact")
    odd = AdditiveMetric("odd", tuple("vwxyz"), function=lambda t: np.sqrt(t[..., :4].sum(axis=-1)) / (1 + t[..., 4]))
    rows = np.random.default_rng(1).integers(0, 4, (3, 50, 5)) + np.array([0.5, 0.25, 0])[:, None, None]
    sampled = rank(dict(zip("abc", rows, strict=True)), metric=odd, options={"resamples": 999})
    for pair in sampled.pairs:
        alone = osc.permutation_test(rows["abc".index(pair.systems[0])], rows["abc".index(pair.systems[1])], metric=odd)
        assert alone.lower - 0.06 <= pair.p.value <= alone.upper + 0.06
        assert pair.p.method == alone.method == "monte-carlo"
    assert "sign-flips:999" in sampled.kernel


def test_lower_is_better_puts_the_lowest_first():
    rows = np.array([[[9, 1]] * 12, [[5, 5]] * 12, [[1, 9]] * 12])
    wrong = AdditiveMetric("error", ("right", "wrong"), ratio=((0, 1), (1, 1)), direction="lower")
    found = rank(dict(zip("abc", rows, strict=True)), metric=wrong)
    assert found.systems == ["a", "b", "c"]
    assert all(pair.difference < 0 for pair in found.pairs)
    assert found.scores[0].rank_high == 1


def test_a_baseline_comes_second_in_all_pairs():
    found = rank(as_dict(simulated(200)), baseline="c")
    assert [pair.systems for pair in found.pairs] == [("a", "c"), ("b", "c"), ("d", "c")]
    assert found.family.m == 3
    assert found.groups == []
    assert "better than c: a" in found.verdict
    with pytest.raises(OutscoreError, match="no system `e`"):
        rank(as_dict(simulated()), baseline="e")


def test_ties_and_identical_systems_give_p_one():
    values = simulated()
    found = rank({"a": values[0], "twin": values[0], "b": values[3]})
    twin = next(pair for pair in found.pairs if set(pair.systems) == {"a", "twin"})
    assert (twin.p.value, twin.p.adjusted, twin.difference) == (1.0, 1.0, 0.0)
    assert found.groups[0] == ["a", "twin"]
    nobody = rank({name: np.ones(5) for name in "abc"})
    assert nobody.counts.significant == 0
    assert nobody.verdict.startswith("No winner: a, b and c share the best mean 1.000 (")
    assert nobody.sentence.endswith("a, b and c rank first with equal scores.")


def test_systems_that_share_no_item_stay_out_of_the_family():
    random = np.random.default_rng(0)
    parts = {"a": range(40), "b": range(20, 60), "c": range(40, 80), "d": range(80)}
    systems = [Scores(name, random.integers(0, 2, len(ids)), Labels.of(ids)) for name, ids in parts.items()]
    found = rank(systems)
    strangers = next(pair for pair in found.pairs if set(pair.systems) == {"a", "c"})
    assert (strangers.n, strangers.p.value, strangers.p.adjusted, strangers.difference) == (0, 1.0, None, None)
    assert strangers.note == "They share no item."
    assert (found.counts.pairs, found.counts.testable, found.family.m) == (6, 5, 5)
    assert found.ordered_by == "advantage"
    assert any("1 pair shares no item" in note.text for note in found.notes)
    assert any("ordered by effects" in note.text for note in found.notes)
    assert found.coverage.strangers == 1
    assert found.coverage.missing == 4 * 80 - 200


def test_two_items_and_one_system():
    found = rank({"a": [1, 1], "b": [0, 0], "c": [0.5, 0]})
    assert found.counts.significant == 0
    assert found.n == 2
    with pytest.raises(OutscoreError, match="Only `a` was found: there is nothing to rank"):
        rank({"a": [1, 1]})
    with pytest.raises(OutscoreError, match="`a` has 2 rows, but `b` has 1"):
        rank({"a": [1, 1], "b": [0]})
    with pytest.raises(OutscoreError, match="`scores` is a int"):
        rank(5)
    with pytest.raises(OutscoreError, match="uses a single test"):
        rank({"a": [1, 1], "b": [0, 0]}, test="all")
    with pytest.raises(OutscoreError, match="no correction `nothing`"):
        rank({"a": [1, 1], "b": [0, 0]}, correction="nothing")


def test_tables_long_and_wide_give_what_arrays_give():
    values = as_dict(simulated())
    wanted = rank(values, metric="accuracy")
    wide = pl.DataFrame({"question_id": np.arange(80), **values})
    long = wide.unpivot(index="question_id", variable_name="model", value_name="score")
    for table in (wide, long):
        found = rank(table, metric="accuracy")
        assert found.pairs == wanted.pairs
        assert found.scores == wanted.scores


def test_repeats_are_averaged_as_compare_does():
    values = np.random.default_rng(2).integers(0, 2, (3, 60))
    items = np.repeat(np.arange(20), 3)
    found = rank(dict(zip("abc", values, strict=True)), items=items)
    assert found.n == 20
    for pair in found.pairs:
        alone = osc.permutation_test(values["abc".index(pair.systems[0])], values["abc".index(pair.systems[1])], items=items)
        assert pair.p.value == pytest.approx(alone.value, rel=1e-9)


def test_clusters_are_swapped_as_one():
    values = simulated(kind="decimal")
    clusters = np.arange(80) // 5
    found = rank(as_dict(values), clusters=clusters)
    for pair in found.pairs:
        i, j = (NAMES.index(name) for name in pair.systems)
        assert pair.p.value == pytest.approx(osc.permutation_test(values[i], values[j], clusters=clusters).value, rel=1e-9)
        assert pair.n == 16


@pytest.mark.parametrize("kind", ["binary", "decimal", "real"])
def test_datasets_have_a_macro_average_of_their_own(kind):
    values = simulated(40, kind=kind)
    sets = np.array(["x"] * 10 + ["y"] * 30)
    found = rank(as_dict(values), dataset=sets)
    assert [part.name for part in found.datasets] == ["x", "y"]
    assert found.datasets_family.m == 12
    weights = np.where(sets == "x", 3, 1)
    for pair in found.pairs:
        i, j = (NAMES.index(name) for name in pair.systems)
        gaps = [values[i][sets == name].mean() - values[j][sets == name].mean() for name in ("x", "y")]
        assert pair.difference == pytest.approx(np.mean(gaps))
        alone = osc.permutation_test(values[i] * weights, values[j] * weights)
        claim = alone.upper if alone.method == "certified" else alone.value
        assert pair.p.value == pytest.approx(claim, rel=0.01)
    for part in found.datasets:
        here = sets == part.name
        for pair in part.pairs:
            i, j = (NAMES.index(name) for name in pair.systems)
            alone = osc.permutation_test(values[i][here], values[j][here])
            assert same_p(pair.p, alone)
    assert {entry.systems for entry in found.replicability} == {pair.systems for pair in found.pairs}
    assert all(entry.bonferroni <= entry.datasets == 2 for entry in found.replicability)


def test_a_system_missing_on_one_dataset_is_left_out_there_and_told():
    random = np.random.default_rng(3)
    systems = [
        Scores(name, random.integers(0, 2, 30), Labels.of(range(30)), datasets=Labels.of(["x"] * 10 + ["y"] * 20))
        for name in "ab"
    ]
    systems.append(Scores("c", random.integers(0, 2, 10), Labels.of(range(10)), datasets=Labels.of(["x"] * 10)))
    found = rank(systems)
    assert sorted(found.datasets[1].systems) == ["a", "b"]
    assert any("`c` has no item on `y`" in note.text for note in found.datasets[1].notes)
    some = [pair for pair in found.pairs if "c" in pair.systems]
    assert all(pair.note == "On 1 of 2 datasets: in the others the two systems share no item." for pair in some)


def test_macro_average_of_a_corpus_metric_uses_flips_of_all_datasets():
    rows = np.random.default_rng(4).integers(1, 6, (3, 60, 6)) + np.array([[[2, 0, 0, 0, 0, 0]], [[0] * 6], [[0] * 6]])
    odd = AdditiveMetric("odd", tuple("uvwxyz"), function=lambda t: t[..., 0] / (1 + t[..., 1:].mean(axis=-1)))
    found = rank(dict(zip("abc", rows, strict=True)), metric=odd, dataset=["x"] * 30 + ["y"] * 30, options={"resamples": 499})
    assert found.systems[0] == "a"
    assert found.kernel == "sign-flips:499"
    assert 1 / 500 <= found.pairs[0].p.value < 0.05
    assert found.pairs[0].low < found.pairs[0].difference < found.pairs[0].high


def test_engines_and_progress_change_nothing():
    values, steps = as_dict(simulated(40, kind="real")), Progress()
    first = rank(values, engine=SERIAL, progress=steps)
    assert bytes_of(first) == bytes_of(rank(values, engine=engine_of(2)))
    assert steps.done == steps.total > 0


def test_results_survive_a_round_trip(tmp_path):
    import json

    found = rank(as_dict(simulated(40)), dataset=["x"] * 10 + ["y"] * 30, critical_difference=True)
    path = tmp_path / "ranking.json"
    path.write_text(json.dumps(found.to_dict()), encoding="utf-8")
    assert osc.load(path) == found
    assert found.critical_difference.over == "datasets"
    assert set(found.critical_difference.mean_ranks) == set(NAMES)


def test_a_critical_difference_over_items_needs_complete_scores():
    found = rank(as_dict(simulated(30, kind="decimal")), critical_difference=True).critical_difference
    assert (found.over, found.blocks) == ("items", 30)
    part = [Scores(name, np.arange(3 + i), Labels.of(range(3 + i))) for i, name in enumerate("ab")]
    with pytest.raises(OutscoreError, match="lack some items"):
        rank(part, critical_difference=True)


def test_shaffer_is_never_weaker_than_holm_and_needs_all_pairs():
    values = as_dict(simulated(200))
    holm, shaffer = (rank(values, correction=name) for name in ("holm", "shaffer"))
    assert all(s.p.adjusted <= h.p.adjusted for s, h in zip(shaffer.pairs, holm.pairs, strict=True))
    with pytest.raises(OutscoreError, match="all pairs of systems"):
        rank(values, correction="shaffer", baseline="a")
    split = rank(values, correction="shaffer", dataset=["x"] * 100 + ["y"] * 100)
    assert (split.family.correction, split.datasets_family.correction) == ("shaffer", "holm")


def test_several_metrics_make_one_family():
    random = np.random.default_rng(5)
    tables = [random.integers(0, 4, (3, 30, 2)) + 1 for _ in range(2)]
    first, second = (Panel.of(metric, ("a", "b", "c"), table) for metric, table in zip(("f1", "accuracy"), tables, strict=True))
    found = rank_panels([first], further=[[second]]).ranking
    assert found.metric == "f1"
    assert [part.metric for part in found.metrics] == ["accuracy"]
    assert found.family.m == 6


def test_pairs_frame_holds_every_pair_with_its_adjusted_p():
    panels = panels_of([Scores(n, v, Labels.of(range(80))) for n, v in as_dict(simulated()).items()])
    measured = measure(panels)
    found = families(measured)
    ranking, frame = assemble_ranking(found, found.standings()), pairs_frame(measured)
    table = {frozenset((row["left"], row["right"])): row for row in frame.iter_rows(named=True)}
    for pair in ranking.pairs:
        row = table[frozenset(pair.systems)]
        assert (row["p"], row["adjusted_p"], row["n"]) == (pair.p.value, pair.p.adjusted, pair.n)


def test_many_pairs_leave_counts_only_and_the_macro_average_is_approximated():
    random = np.random.default_rng(6)
    k, panels = 70, []
    for name, n in (("x", 150), ("y", 90), *((f"z{i}", 60) for i in range(20))):
        right = (random.random((k, n)) < np.linspace(0.7, 0.4, k)[:, None]).astype(int)
        panels.append(Panel.of("mean", tuple(f"s{i}" for i in range(k)), right, dataset=name))
    found = rank_panels(panels).ranking
    assert found.pairs == []
    assert found.counts.pairs == k * (k - 1) // 2
    assert found.datasets_family.m == 22 * k * (k - 1) // 2
    assert found.kernel == "saddlepoint"
    assert any("saddlepoint" in note.text for note in found.notes)
    assert len(found.replicability) == k - 1
    few = [Panel(b.metric, ("s0", "s69"), b.rows[[0, 69]], b.present[[0, 69]], b.scale, dataset=b.dataset) for b in panels]
    exact, table = rank_panels(few).ranking, pairs_frame(measure(panels))
    approximate = table.filter((pl.col("left") == "s0") & (pl.col("right") == "s69") & pl.col("dataset").is_null())
    assert approximate["log10_p"][0] == pytest.approx(exact.pairs[0].p.log10, abs=0.1)


@pytest.mark.slow
def test_livebench_family(shared_data):
    """By a quick test; the permutation test of all pairs is measured in the benchmarks."""
    systems = osc.read(shared_data / "llm-scores" / "livebench.parquet")
    found = rank(systems, test="student", duplicates="mean")
    assert (found.counts.pairs, found.counts.testable, found.family.m) == (4278, 4158, 4158)
    strangers = [pair for pair in found.pairs if not pair.n]
    assert len(strangers) == 120
    assert all(pair.p.value == 1.0 and pair.p.adjusted is None and pair.note for pair in strangers)
    assert (found.coverage.duplicates, found.coverage.conflicts) == (590, 59)


def test_livebench_pairs_equal_each_alone(shared_data):
    systems = osc.read(shared_data / "llm-scores" / "livebench.parquet")
    few = rank(systems[:3], duplicates="mean")
    for pair in few.pairs:
        panel = panels_of(systems[:3])[0]
        i, j = (panel.systems.index(name) for name in pair.systems)
        both = panel.pair(i, j)
        alone = osc.permutation_test(both.a[:, 0] / both.scale, both.b[:, 0] / both.scale)
        assert same_p(pair.p, alone)


def test_log10_goes_where_floats_do_not():
    found = rank({"a": np.ones(5000, dtype=int), "b": np.zeros(5000, dtype=int)})
    assert found.pairs[0].p.value == 5e-324
    assert found.pairs[0].p.log10 == pytest.approx((1 - 5000) * math.log10(2))


def test_a_note_where_sampled_p_cannot_become_significant():
    rng = np.random.default_rng(0)
    scores = {f"s{i}": rng.normal(0.3 * i, 1, 60) for i in range(6)}
    few = osc.rank(scores, options={"method": "monte-carlo", "resamples": 99})
    many = osc.rank(scores, options={"method": "monte-carlo", "resamples": 999})
    assert any("more than 300 swaps" in note.text for note in few.notes)
    assert [text for text in note_texts(many.notes) if "swaps" in text] == [
        "With 999 swaps, no adjusted p can be below .015; --resamples draws more."
    ]
    assert not any("swaps" in note.text for note in osc.rank(scores, correction="bh", options={"method": "monte-carlo"}).notes)


def missing_a_dataset():
    """b has no item on y; on x and z it is better than c."""
    sets = ["x"] * 12 + ["y"] * 12 + ["z"] * 12
    a, c = np.ones(36, dtype=int), np.zeros(36, dtype=int)
    b = np.r_[np.ones(10, dtype=int), np.zeros(2, dtype=int)]
    there = [place for place, name in enumerate(sets) if name != "y"]
    whole = [Scores(name, x, Labels.of(range(36)), datasets=Labels.of(sets)) for name, x in (("a", a), ("c", c))]
    part = Scores("b", np.r_[b, b], Labels.of(there), datasets=Labels.of([sets[i] for i in there]))
    return [*whole, part]


def test_replicability_counts_only_the_datasets_that_a_pair_shares():
    found = rank(missing_a_dataset())
    (pair,) = [entry for entry in found.replicability if set(entry.systems) == {"b", "c"}]
    # One-sided p is 2^-10 on both: with a third p of 1 in between, neither combination would claim two datasets.
    assert pair.systems == ("b", "c")
    assert (pair.datasets, pair.bonferroni, pair.fisher, pair.holm) == (2, 2, 2, ["x", "z"])


def test_replicability_against_a_baseline_shows_the_observed_direction():
    found = rank(missing_a_dataset(), baseline="a")
    assert [entry.systems for entry in found.replicability] == [("a", "c"), ("a", "b")]
    assert found.replicability[0].bonferroni == 3


@pytest.mark.parametrize("test", ["bayes", "all"])
def test_what_gives_no_p_of_its_own_is_refused(test):
    with pytest.raises(OutscoreError) as refusal:
        rank(as_dict(simulated()), test=test)
    assert "permutation" in str(refusal.value.hint)


def test_units_clusters_and_shuffling_are_told():
    values = as_dict(simulated(60))
    found = rank(values, unit_size=7, shuffle=3)
    assert (found.design.units, found.design.remainder, found.design.shuffle) == (8, 4, 3)
    assert found.sentence.startswith("On 60 items (8 units of 7; shuffled with seed 3; 4 left over), 4 systems")
    assert "|unit:7-item mean, shuffled by 3|" in found.signature
    grouped = rank(values, clusters=np.arange(60) // 5)
    assert grouped.sentence.startswith("On 60 items in 12 clusters, swapped as one, 4 systems")
    assert "|unit:clusters|clusters:12|" in grouped.signature
    assert Ranking.from_dict(found.to_dict()).design == found.design
    again = rank(values, items=np.arange(60) // 4)
    assert again.sentence.startswith("On 15 items (4 epochs each, averaged), 4 systems")
    assert "|unit:items|repeats:4 epochs|population:items|" in again.signature


def test_the_macro_average_of_another_test_names_both_tests():
    found = rank(as_dict(simulated(40, kind="decimal")), dataset=["x"] * 20 + ["y"] * 20, test="student")
    both = "paired permutation test for each pair's macro average, paired t test on each dataset"
    assert both in found.verdict
    assert both in found.sentence
    assert "|test:permutation|" in found.signature
    assert "|datasets-test:student|" in found.signature
    assert any(note.text.startswith("`student` tests each dataset") for note in found.notes)


def test_a_test_without_intervals_says_so():
    values = as_dict(simulated(40, kind="real"))
    asked = {"test": "bootstrap-median", "options": {"resamples": 99}}
    for found in (rank(values, **asked), rank(values, dataset=["x"] * 20 + ["y"] * 20, **asked)):
        assert found.interval == "none: the test gives no interval of the difference"


def test_systems_that_share_nothing_get_no_places():
    found = rank([Scores(name, np.ones(4, dtype=int), Labels.of([f"{name}{i}" for i in range(4)])) for name in "ab"])
    assert found.verdict == "a and b share no item: nothing could be tested."
    assert found.sentence == "On 8 items, a and b share no item, so nothing could be tested."
    assert found.groups == []


def test_a_fine_lattice_of_few_items_is_bounded_and_not_transformed():
    # Sizes 30, 50 and 20 with three decimals: the exact spectrum took seconds for each pair.
    random = np.random.default_rng(5)
    values = {name: (random.normal(0.1 * i, 1, 100) + 3).round(3) for i, name in enumerate("abc")}
    found = rank(values, dataset=["x"] * 30 + ["y"] * 50 + ["z"] * 20)
    weights = np.repeat([10, 6, 15], [30, 50, 20])
    alone = osc.permutation_test(values["a"] * weights, values["b"] * weights, method="certified")
    (pair,) = (pair for pair in found.pairs if set(pair.systems) == {"a", "b"})
    assert pair.p.method == "certified"
    assert alone.lower <= pair.p.value <= 1.021 * alone.upper
    # A single pair is worth the exact digits, as in a comparison.
    (single,) = rank({name: values[name] for name in "ab"}, dataset=["x"] * 30 + ["y"] * 50 + ["z"] * 20).pairs
    assert single.p.method == "exact"
    assert alone.lower <= single.p.value <= alone.upper


def test_a_critical_difference_over_items_needs_independent_items():
    scores = {name: np.arange(12) % (3 + k) for k, name in enumerate("abc")}
    with pytest.raises(OutscoreError, match="independent blocks"):
        osc.rank(scores, clusters=np.arange(12) // 3, critical_difference=True)


def test_no_note_on_swaps_where_enough_are_drawn_and_the_data_say_little():
    rng = np.random.default_rng(1)
    found = osc.rank({name: rng.normal(size=40) for name in "abc"}, options={"method": "monte-carlo"})
    assert min(pair.p.value for pair in found.pairs) * 3 > 0.05
    assert not any("swaps" in note.text for note in found.notes)


def test_shaffer_counts_pairs_that_share_nothing_and_says_so():
    systems = [
        Scores("a", np.array([1, 1, 1, 0]), Labels.of("wxyz")),
        Scores("b", np.array([0, 0, 0, 0]), Labels.of("wxyz")),
        Scores("c", np.array([1, 0]), Labels.of("pq")),
    ]
    shaffer, holm = (osc.rank(systems, correction=name) for name in ("shaffer", "holm"))
    assert (shaffer.family.m, holm.family.m) == (3, 1)
    assert any("counts them as equal" in note.text for note in shaffer.notes)
    assert any("do not count in the correction" in note.text for note in holm.notes)


def test_a_metric_that_cannot_travel_is_said_to_stay():
    whole = osc.AdditiveMetric("sum", ("score",), function=lambda totals: totals[..., 0])
    rows = {name: np.arange(12.0)[:, None] * k for k, name in enumerate("abc", 1)}
    assert any("other processes" in note.text for note in osc.rank(rows, metric=whole, engine=Processes(2)).notes)
    assert not any("other processes" in note.text for note in osc.rank(rows, metric=whole).notes)


def test_medians_of_units_are_shown_and_ordered_as_they_are_tested():
    # Outliers lift the mean of `a` far above `b`, and the median of every unit of five is lower.
    a = np.array([10 if i % 5 == 0 else 0.1 + 0.01 * (i % 7) for i in range(60)])
    b = np.array([0.5 + 0.01 * (i % 5) for i in range(60)])
    found = osc.rank({"a": a, "b": b}, unit_size=5, unit_statistic="median")
    medians = {name: np.median(x.reshape(12, 5), axis=1) for name, x in (("a", a), ("b", b))}
    assert found.systems == ["b", "a"]
    assert [one.value for one in found.scores] == pytest.approx([medians["b"].mean(), medians["a"].mean()])
    assert abs(found.pairs[0].difference) == pytest.approx(medians["b"].mean() - medians["a"].mean())
    assert osc.rank({"a": a, "b": b}, unit_size=5).systems == ["a", "b"]

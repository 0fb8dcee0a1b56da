"""Several runs of a system: difference, interval and p all speak of the mean of the runs' scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants import a_few

from outscore import compare_texts, rank
from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.inference.two_way import two_way_of_rows
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text.registry import segment_statistics, text_metric
from outscore.workflows.texts.corpus import Texts, single_runs
from outscore.workflows.texts.labels import mean_of_runs

pytest.importorskip("sacrebleu")

WORDS = ["red", "blue", "green", "black", "white", "grey", "pink", "brown"]
REFERENCE = [f"the {word} cat number {i} sat on the old mat and slept" for i, word in enumerate(WORDS)]


def cut(words: int, segments: int = len(REFERENCE)) -> list[str]:
    """The reference with so many words missing at the end of the first segments."""
    return [" ".join(line.split()[:-words]) if i < segments and words else line for i, line in enumerate(REFERENCE)]


def longer(words: int) -> list[str]:
    return [f"{line} {' '.join(['more'] * words)}" for line in REFERENCE]


def compared(a, b, metric="bleu", reference=REFERENCE, population="items", **asked):
    """These runs on new segments, unless another population is asked for."""
    asked["population"] = population
    return compare_texts(a, b, reference, metrics=[metric], cache=StatisticsCache(None), **asked).comparisons[0]


def mean_score(runs, metric):
    entry, options = text_metric(metric)
    return np.mean([entry.corpus_score(run, [REFERENCE], options) for run in runs])


def averaged_score(runs, metric):
    entry, options = text_metric(metric)
    rows = sum(segment_statistics(metric, run, [REFERENCE], options) for run in runs) / len(runs)
    return float(entry.make(options).score(rows.sum(axis=0)))


@pytest.mark.parametrize("metric", a_few(["bleu", "chrf", "ter", "sentence-bleu"], 2))
def test_against_all_swaps_scored_by_the_library(metric):
    """One coin a segment, for all runs at once; the library scores every text that the coins make."""
    runs_a, runs_b = [cut(1, 5), cut(3, 2)], [cut(2, 4), longer(1)[:3] + REFERENCE[3:]]
    moving = [i for i in range(8) if any(a[i] != b[i] for a, b in zip(runs_a, runs_b, strict=True))]
    assert len(moving) == 5
    found = []
    for coins in itertools.product([False, True], repeat=len(moving)):
        swapped = {i for i, coin in zip(moving, coins, strict=True) if coin}
        pairs = [
            ([(b if i in swapped else a)[i] for i in range(8)], [(a if i in swapped else b)[i] for i in range(8)])
            for a, b in zip(runs_a, runs_b, strict=True)
        ]
        found.append(mean_score([a for a, _ in pairs], metric) - mean_score([b for _, b in pairs], metric))
    expected = np.mean(np.abs(found) >= abs(found[0]) - 1e-9)
    c = compared(runs_a, runs_b, metric)
    assert c.difference == pytest.approx(found[0])
    assert c.p.value == pytest.approx(expected, abs=1e-12)
    assert c.p.exact


def test_p_points_where_the_difference_points():
    """A run cut short and one too long are each worse than B; their averaged statistics would be better."""
    short = [" ".join(line.split()[: -4 - i % 3]) for i, line in enumerate(REFERENCE)]
    a, b = [short, longer(3)], [cut(3), [*cut(3)[:7], *cut(2)[7:]]]
    assert averaged_score(a, "bleu") > averaged_score(b, "bleu") + 3
    for test in ("bootstrap", "permutation"):
        c = compared(a, b, test=test, alternative="less")
        assert c.difference == pytest.approx(mean_score(a, "bleu") - mean_score(b, "bleu"))
        assert c.difference < 0
        assert c.p.statistic == pytest.approx(c.difference)
        assert c.p.value < 0.05
        assert c.decision.winner == 1
        assert compared(a, b, test=test, alternative="greater").p.value > 0.9


def test_the_interval_is_dual_to_the_bootstrap():
    a, b = [cut(1, 4), longer(1)], [cut(2, 3), cut(1, 2)]
    c = compared(a, b, test="bootstrap")
    at = {"test": "bootstrap", "options": {"resamples": 9_999}}
    assert c.interval.dual
    assert c.interval.estimate == pytest.approx(c.difference)
    width = c.interval.high - c.interval.low
    for delta, rejected in ((c.interval.low - width / 100, True), (c.interval.low + width / 100, False)):
        assert (compared(a, b, delta=delta, **at).p.value <= 0.05) == rejected


def test_equal_runs_are_one_run():
    alone = compared(cut(1, 5), cut(2, 4), test="bootstrap")
    both = compared([cut(1, 5)] * 3, [cut(2, 4)] * 3, test="bootstrap")
    unequal = compared([cut(1, 5)] * 3, [cut(2, 4)], test="bootstrap")
    for c in (both, unequal):
        assert c.p.value == alone.p.value
        assert [c.interval.low, c.interval.high] == pytest.approx([alone.interval.low, alone.interval.high])
        assert [(s.low, s.high) for s in c.scores] == [pytest.approx((s.low, s.high)) for s in alone.scores]


@pytest.mark.parametrize("metric", ["bleu", "wer"])
def test_identical_runs_give_one(metric):
    runs = [cut(1), cut(2)]
    for test in ("permutation", "bootstrap"):
        assert compared(runs, list(runs), metric, test=test).p.value == 1.0


def test_rates_keep_their_exact_test():
    c = compared([cut(1, 5), cut(3, 2)], [cut(2, 4), cut(1, 7)], "wer")
    assert (c.p.method, c.interval.method.split(",")[0]) == ("exact", "permutation inversion")


def test_buckets_and_documents_take_runs():
    labels = ["x"] * 4 + ["y"] * 4
    documents = ["p", "p", "q", "q", "r", "r", "s", "s"]
    a, b = [cut(1, 7), cut(2, 6)], [cut(3, 7), cut(1, 2)]
    c = compared(a, b, buckets={"part": labels}, documents=documents)
    assert (c.clusters, [bucket.n for bucket in c.buckets]) == (4, [4, 4])
    entry, options = text_metric("bleu")
    first = np.mean([entry.corpus_score(run[:4], [REFERENCE[:4]], options) for run in a])
    assert c.buckets[0].first == pytest.approx(first)


def test_the_spread_of_the_test_set_goes_by_documents():
    """Nearly what leaving out one document after the other gives, CR2 being exact for means, and not one segment."""
    documents = ["p"] * 3 + ["q"] * 3 + ["r"] * 2
    a, b = [cut(1, 7), cut(2, 6)], [cut(3, 4), cut(1, 2)]
    entry, options = text_metric("bleu")
    left_out = []
    for document in "pqr":
        kept = [i for i, here in enumerate(documents) if here != document]
        scores = [
            np.mean([entry.corpus_score([run[i] for i in kept], [[REFERENCE[i] for i in kept]], options) for run in runs])
            for runs in (a, b)
        ]
        left_out.append(scores[0] - scores[1])
    expected = np.sqrt(2 / 3 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    assert compared(a, b, documents=documents).runs.test_set == pytest.approx(expected, rel=0.05)
    assert compared(a, b).runs.test_set != pytest.approx(expected, rel=0.05)
    pairs = compared(a, b, documents=[i // 2 for i in range(8)]).runs.test_set
    assert compared(a, b, unit_size=2).runs.test_set == pytest.approx(pairs, rel=0.1)


def test_unequal_runs_cannot_be_swapped():
    with pytest.raises(OutscoreError, match="A has 2 runs and B 1"):
        compared([cut(1), cut(2)], [cut(1)])


ROOT = AdditiveMetric("root", ("x", "y"), lambda totals: np.sqrt(totals[..., 0]) - totals[..., 1])
TABLE = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=3).map(np.array)


@settings(max_examples=60)
@given(st.lists(TABLE, min_size=1, max_size=4), st.lists(TABLE, min_size=1, max_size=4))
def test_the_score_of_both_sides_is_the_mean_of_their_runs(a, b):
    (rows_a, rows_b), metric = mean_of_runs(ROOT, (a, b))
    assert rows_a.shape == rows_b.shape
    for rows, runs in ((rows_a, a), (rows_b, b)):
        expected = np.mean([ROOT.score(run.sum(axis=0)) for run in runs])
        assert float(metric.score(rows.sum(axis=0))) == pytest.approx(expected)
        # Vectorised over leading axes, as resamples are.
        assert metric.score(np.stack([rows, rows])).shape == (2, 3)


LONG = [f"{line} {i}" for i in range(8) for line in REFERENCE]


def lucky(seed: int, share: float) -> list[str]:
    """A run that drops a share of all words: a lucky one drops few everywhere."""
    rng = np.random.default_rng(seed)
    return [" ".join(word for word in line.split() if rng.random() > share) for line in LONG]


RUNS_A = [lucky(k, share) for k, share in enumerate((0.10, 0.16, 0.22))]
RUNS_B = [lucky(k, share) for k, share in enumerate((0.15, 0.21, 0.27), 5)]


def test_runs_decide_with_the_segments():
    """Whole runs differ as much as the systems do, which no spread between segments shows."""
    found = compare_texts(RUNS_A, RUNS_B, LONG, metrics=["bleu", "ter"], names=("new", "old"))
    for c in found.comparisons:
        items = next(answer for answer in c.other_populations if answer.population == "items")
        assert items.p.value < 0.01
        assert c.p.value > 0.1
        assert (c.population, c.p.test, c.decision.winner) == ("items-and-runs", "two-way", None)
        assert "3 runs" in str(c.signature)
        assert "population:items-and-runs" in str(c.signature)
        assert c.interval.high - c.interval.low > items.interval.high - items.interval.low
    assert "none significantly" in found.headline
    sentence = "averaged over 3 runs of each system"
    assert sentence in found.to_text()
    assert sentence in " ".join(found.to_latex().split())
    assert "the claim is about new segments and new runs" in " ".join(found.to_latex().split())
    assert [row for row in found.to_csv().splitlines()[1].split(",") if row in ("3.0", "items-and-runs")] == [
        "3.0",
        "3.0",
        "items-and-runs",
    ]


def test_two_way_of_texts_is_that_of_their_statistics():
    entry, options = text_metric("bleu")
    a, b = (np.stack([segment_statistics("bleu", run, [LONG], options) for run in runs], axis=1) for runs in (RUNS_A, RUNS_B))
    expected = two_way_of_rows(a, b, entry.make(options)).p()
    (c,) = compare_texts(RUNS_A, RUNS_B, LONG, metrics=["bleu"]).comparisons
    assert c.p.value == pytest.approx(expected.value)
    ranked = rank({"A": RUNS_A, "B": RUNS_B}, reference=LONG, metric="bleu")
    assert ranked.pairs[0].p.value == pytest.approx(expected.value)
    assert (ranked.test, ranked.design.repeats) == ("two-way", 3.0)
    assert [ranked.pairs[0].low, ranked.pairs[0].high] == pytest.approx([c.interval.low, c.interval.high])


def test_three_systems_of_three_runs_are_one_table():
    systems = {"new": RUNS_A, "old": RUNS_B, "odd": [lucky(k, 0.5) for k in (11, 12, 13)]}
    ranked = rank(systems, reference=LONG, metric="bleu,ter")
    assert ranked.systems[-1] == "odd"
    assert len(ranked.pairs) == 3
    assert "3 runs" in ranked.sentence
    assert "two-way t test over items and runs" in ranked.sentence
    those = rank(systems, reference=LONG, metric="bleu", population="items")
    assert those.test == "permutation"
    assert those.counts.significant > ranked.counts.significant


def test_what_runs_cannot_be_asked():
    assert rank({"A": RUNS_A, "B": RUNS_B[:2]}, reference=LONG, metric="bleu").test == "two-way"
    with pytest.raises(OutscoreError, match="max-t"):
        compare_texts(RUNS_A, RUNS_B, LONG, metrics=["bleu", "ter"], correction="max-t")
    (c,) = compare_texts(RUNS_A, RUNS_B, LONG, metrics=["ter"], buckets={"half": ["x", "y"] * (len(LONG) // 2)}).comparisons
    assert {bucket.p.test for bucket in c.buckets} == {"two-way"}


@pytest.mark.parametrize(("a", "b", "told"), [(1, 1, True), (2, 1, True), (1, 3, True), (2, 2, False)])
def test_a_single_run_of_either_system_is_told(a, b, told):
    lines = ("the cat sat",)
    texts = Texts({"new": (lines,) * a, "old": (lines,) * b}, (lines,))
    assert bool(single_runs(texts)) == told

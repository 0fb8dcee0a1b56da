"""One-sided questions about a difference other than 0: silence is no evidence, whatever the metric."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.rows import PairedScores
from outscore.inference.base import discordance
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve

GRADES = np.array([0.25, 0.5, 0.75, 1.0])


def drawn(p_of: np.ndarray, worst: float, draws: int = 400_000) -> float:
    """The definition of the bound, by simulation: weights of exponentials for all numbers and one worst."""
    rng = np.random.default_rng(1)
    return float((rng.exponential(size=(draws, len(p_of) + 1)) @ np.append(p_of, worst) <= 0).mean())


class TestMeansOfScoresWithAKnownRange:
    @pytest.mark.parametrize("margin", [0.001, 0.02, 0.2])
    def test_identical_outputs_show_only_that_a_loss_has_not_shown(self, margin):
        """Ten identical graded scores passed any margin by flips of signs, with p = 2^-10."""
        same = np.random.default_rng(0).choice(GRADES, 10)
        found = osc.gate(same, same, margin=margin)
        assert found.not_worse.value == pytest.approx((1 - margin) ** 10)
        assert found.outcome == "inconclusive"
        assert found.interval.low == pytest.approx(0.05**0.1 - 1)
        assert (found.interval.high, found.interval.level) == (None, 0.95)
        assert found.needed == math.ceil(math.log(0.05) / math.log(1 - margin))
        compared = osc.compare(same, same, margin=margin)
        assert compared.margin.noninferiority.value == compared.margin.equivalence.value == found.not_worse.value
        assert "permutation" not in compared.verdict.split("p = 1")[0]

    def test_p_is_the_definition_and_the_limit_inverts_it(self):
        rng = np.random.default_rng(3)
        old = rng.choice(GRADES, 40)
        new = np.where(rng.random(40) < 0.2, rng.choice(GRADES, 40), old)
        found = osc.gate(old, new, margin=0.1)
        assert found.not_worse.value == pytest.approx(drawn(new - old + 0.1, 0.1 - 1.0), abs=0.003)
        at_the_limit = osc.gate(old, new, margin=-found.interval.low)
        assert at_the_limit.not_worse.value == pytest.approx(0.05, rel=1e-6)

    def test_a_one_sided_delta_asks_the_same_question(self):
        rng = np.random.default_rng(4)
        old, new = rng.random(30), rng.random(30)
        gate = osc.gate(old, new, margin=0.2)
        asked = osc.compare(new, old, delta=-0.2, alternative="greater")
        assert asked.p.value == gate.not_worse.value
        assert osc.permutation_test(new, old, delta=-0.2, alternative="greater").value == gate.not_worse.value
        assert asked.interval.low == pytest.approx(gate.interval.low)
        mirrored = osc.compare(1 - new, 1 - old, delta=0.2, alternative="greater", metric="mean:direction=lower")
        assert mirrored.p.value == pytest.approx(gate.not_worse.value, rel=1e-9)
        assert mirrored.interval.high == pytest.approx(-gate.interval.low)

    @given(st.integers(1, 25), st.floats(0.01, 0.4), st.integers(0, 10**6))
    @settings(max_examples=30)
    def test_both_sides_of_the_table_agree(self, n, margin, seed):
        """Being not worse by the margin for A is being not better by it for B."""
        rng = np.random.default_rng(seed)
        a, b = np.round(rng.random((2, n)), 2)
        greater = osc.permutation_test(a, b, delta=-margin, alternative="greater")
        less = osc.permutation_test(b, a, delta=margin, alternative="less")
        assert greater.value == pytest.approx(less.value, rel=1e-9)

    def test_symmetry_by_name_gives_all_sign_flips(self):
        d = np.array([0.1, -0.05, 0.2, 0.0, 0.1, 0.15, -0.1, 0.05])
        old = np.full(8, 0.5)
        found = osc.gate(old, old + d, margin=0.1, assume="symmetric")
        signs = np.array(np.meshgrid(*[[1, -1]] * 8)).reshape(8, -1)
        shifted = np.round((d + 0.1) * 20) / 20
        assert found.not_worse.value == pytest.approx((shifted @ signs >= shifted.sum() - 1e-9).mean())
        assert osc.gate(old, old + d, margin=0.1).not_worse.value > found.not_worse.value

    def test_clusters_enter_by_their_sums_and_the_worst_is_as_large_as_the_largest(self):
        rng = np.random.default_rng(5)
        clusters = np.repeat(np.arange(6), [1, 2, 5, 3, 3, 1])
        old = rng.choice(GRADES, 15)
        new = np.where(rng.random(15) < 0.3, rng.choice(GRADES, 15), old)
        found = osc.gate(old, new, margin=0.2, clusters=clusters)
        sums = np.bincount(clusters, weights=new - old + 0.2)
        assert found.not_worse.value == pytest.approx(drawn(sums, (0.2 - 1.0) * 5), abs=0.003)
        assert any("clusters of at most 5 items" in note.text for note in found.notes)

    def test_repeats_enter_by_their_means(self):
        rng = np.random.default_rng(6)
        items = np.repeat(np.arange(12), 4)
        old, new = rng.integers(0, 2, (2, 48))
        by_rows = osc.gate(old, new, margin=0.3, items=items)
        means = [np.bincount(items, weights=x) / 4 for x in (old, new)]
        assert by_rows.not_worse.value == pytest.approx(osc.gate(*means, margin=0.3).not_worse.value, rel=1e-9)

    def test_bounds_are_what_one_says_they_are(self):
        old = np.array([70.0, 80.0, 90.0] * 20)
        found = osc.gate(old, old, margin=2.0, bounds=(0, 100))
        assert found.not_worse.value == pytest.approx(0.98**60)
        with pytest.raises(OutscoreError, match="A score is 90, but by --bounds scores lie between 0 and 80"):
            osc.gate(old, old, margin=2.0, bounds=(0, 80))
        with pytest.raises(OutscoreError, match="margin below 1"):
            osc.gate(old / 100, old / 100, margin=1.0)

    def test_without_a_range_identical_outputs_show_nothing(self):
        same = np.array([3.5, 7.0, 12.25, 4.0, 9.0] * 10)
        found = osc.gate(same, same, margin=0.1)
        assert (found.outcome, found.not_worse.value) == ("inconclusive", 1.0)
        assert any("--bounds LOW HIGH" in note.text for note in found.notes)


class TestRightOrWrongItems:
    @pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (2, 1), (0, 1)])
    def test_p_is_no_smaller_than_the_chance_of_an_unseen_loss(self, wins, losses):
        old = np.repeat([0, 1], [40, 93])
        new = old.copy()
        new[:wins], new[40 : 40 + losses] = 1, 0
        found = osc.gate(old, new, margin=0.02)
        assert found.not_worse.value >= 0.98**133 * (1 - 1e-12)

    def test_the_worst_level_is_near_alpha(self):
        """All tables of n items whose loss is the margin, those that pass added up: at most .061 at .05, by Tango .068."""
        levels, alone = [], []
        for n, margin, share in ((60, 0.05, 0.0), (133, 0.02, 0.0), (150, 0.02, 0.0), (60, 0.05, 0.02), (150, 0.02, 0.01)):
            wins, losses = np.meshgrid(np.arange(26.0), np.arange(26.0))
            chance = scipy.stats.multinomial.pmf(
                np.stack([wins, losses, n - wins - losses], axis=-1), n, [share, share + margin, 1 - 2 * share - margin]
            )
            by_tango = scipy.stats.norm.sf(discordance.tango_score(n, wins, losses, -margin, np))
            alone.append(chance[by_tango <= 0.05].sum())
            levels.append(chance[np.maximum(by_tango, (1 - margin) ** n) <= 0.05].sum())
        assert max(levels) <= 0.061 < max(alone)


class TestMetricsThatAreNotMeans:
    def test_identical_counts(self):
        counts = np.random.default_rng(7).integers(0, 4, (200, 3))
        found = osc.gate(counts, counts, margin=0.0001, metric="f1")
        assert (found.outcome, found.not_worse.kernel) == ("inconclusive", "crashes")
        tp, errors = counts[:, 0], counts[:, 1] + counts[:, 2]
        f1 = 2 * tp.sum() / (2 * tp + errors).sum()
        falls = [200 * (f1 - 2 * (tp.sum() - tp[i]) / (2 * tp.sum() + errors.sum() - tp[i])) for i in range(200)]
        assert found.not_worse.value == pytest.approx((1 - 0.0001 / max(f1, *falls)) ** 200, rel=1e-9)

    @pytest.mark.parametrize("rows", [[[0, 0, 0]] * 36 + [[2, 0, 0]] * 4, [[0, 0, 0]] * 36 + [[0, 1, 0]] * 4])
    def test_nearly_empty_outputs_are_inconclusive(self, rows):
        """Four items of forty have any counts; nothing was ever found in the second."""
        old = np.array(rows)
        new = old.copy()
        if not old[:, 0].any():
            new[0] = [0, 1, 0]
        found = osc.gate(old, new, margin=0.15, metric="f1")
        assert (found.outcome, found.exit_code) == ("inconclusive", 3)
        assert osc.gate(old, new, margin=0.15, metric="f1", options={"resamples": 999}).outcome == "inconclusive"

    def test_identical_texts(self):
        reference = [f"the cat {i} sat on the mat by the door" for i in range(60)]
        said = [line.replace("sat", "sits") if i % 4 else line for i, line in enumerate(reference)]
        found = osc.gate(said, said, reference=reference, metric="bleu", margin=0.001)
        assert (found.outcome, found.not_worse.kernel) == ("inconclusive", "crashes")
        assert found.not_worse.value > 0.99

    @pytest.mark.parametrize("metric", ["f1", "jaccard", "macro-f1"])
    def test_p_is_the_larger_one(self, metric):
        rng = np.random.default_rng(8)
        shape = 4 if metric == "macro-f1" else 3
        old = rng.multinomial(5, np.full(shape, 1 / shape), 80)
        new = rng.multinomial(5, np.full(shape, 1 / shape), 80)
        cautious = osc.gate(old, new, margin=0.1, metric=metric)
        plain = osc.gate(old, new, margin=0.1, metric=metric, assume="symmetric")
        assert cautious.not_worse.value >= plain.not_worse.value
        assert cautious.interval.low <= plain.interval.low

    def test_crashes_that_hit_all_items_alike_by_name(self):
        """Where items are very unequal, the largest one alone would decide."""
        rng = np.random.default_rng(9)
        size = rng.choice([1, 10, 20], 300)
        found = rng.binomial(size, 0.8)
        rows = np.stack([found, 0 * size, size - found], axis=1)
        p = [
            osc.gate(rows, rows, margin=0.02, metric="f1", assume=assume).not_worse.value for assume in (None, "equal-crashes")
        ]
        assert p[1] < p[0]


class TestTwoScoresOfAWiderRange:
    """Scores of .75 and 1 are right or wrong as far as their intervals go, but can still fall to 0."""

    OLD = np.repeat([1.0, 0.75], [70, 10])
    NEW = np.repeat([1.0, 0.75, 1.0], [65, 10, 5])

    @pytest.mark.parametrize("margin", a_few([0.05, 0.2, 0.3, 0.9], 2))
    def test_the_worst_loss_is_that_of_the_range(self, margin):
        """Margins beyond the distance of the two scores are questions, too."""
        found = osc.gate(self.OLD, self.NEW, margin=margin)
        assert found.not_worse.kernel == "bounded-mean"
        assert found.not_worse.value == pytest.approx(drawn(self.NEW - self.OLD + margin, margin - 1.0), abs=0.003)

    def test_identical_ones_show_that_no_crash_has_shown(self):
        found = osc.gate(self.OLD, self.OLD, margin=0.02)
        assert found.not_worse.value == pytest.approx(0.98**80)
        assert found.needed == 149

    def test_bounds_count_as_well(self):
        found = osc.gate(4 * self.OLD, 4 * self.OLD, margin=0.1, bounds=(0, 5))
        assert found.not_worse.value == pytest.approx((1 - 0.1 / 5) ** 80)

    def test_without_a_range_it_says_what_it_takes_for_granted(self):
        old, new = 3 + 4 * self.OLD, 3 + 4 * self.NEW
        found = osc.gate(old, new, margin=0.1)
        shares = osc.gate(4 * self.OLD - 3, 4 * self.NEW - 3, margin=0.1)
        assert found.not_worse.value == pytest.approx(shares.not_worse.value)
        assert any("All scores are 6 or 7" in note.text for note in found.comparison.notes)
        assert not any("All scores are" in note.text for note in shares.comparison.notes)

    def test_better_by_some_amount_leaves_no_loss_open(self):
        asked = osc.compare(4 * self.NEW - 3, 4 * self.OLD - 3, delta=0.01, alternative="greater")
        assert not any("rare large losses" in note.text for note in asked.notes)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "margin"), [(50, 0.02), (100, 0.01), (20, 0.05), (200, 0.02), (500, 0.02)])
def test_a_system_that_loses_the_margin_through_crashes_hardly_ever_passes(n, margin):
    """Graded scores, a crash sets an item to 0: by flips of signs .09 to .32 of such systems passed."""
    rng = np.random.default_rng(n)
    asked = TestRequest("greater", -margin, options={"method": "auto", "resamples": 99}, interval=False)
    passes, before = 0, 0
    for _ in range(400):
        old = rng.choice(GRADES, n)
        new = np.where(rng.random(n) < margin / GRADES.mean(), 0.0, old)
        metric, a, b = resolve("mean", new, old)
        pairs = PairedScores(a, b)
        passes += TESTS["permutation"].run(pairs, metric, asked).p.value <= 0.05
        before += TESTS["permutation"].run(pairs, metric, replace(asked, assume="symmetric")).p.value <= 0.05
    assert passes / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert before > passes


class TestWhatIsSaidBesideP:
    def test_no_note_asks_for_a_range_that_nothing_would_use(self):
        """Tango's test of being better by some amount, and tests that were named, know no range."""
        rng = np.random.default_rng(2)
        right, graded = rng.integers(0, 2, (2, 60)), rng.random((2, 60))
        better = osc.compare(*right, delta=0.02, alternative="greater")
        named = osc.compare(*graded, margin=0.1, test="student")
        unknown = osc.compare(*(10 * graded), margin=0.1)
        asks = [any("--bounds" in note.text for note in found.notes) for found in (better, named, unknown)]
        assert asks == [False, False, True]
        assert any("`student`, as was asked" in note.text for note in named.notes)

    def test_the_estimate_is_that_of_the_test(self):
        """One item won of sixty: the bound decides, and knows nothing of the difference."""
        old = np.repeat([0, 1], [20, 40])
        new = old.copy()
        new[0] = 1
        found = osc.compare(new, old, delta=-0.05, alternative="greater")
        assert found.p.kernel == "unseen-loss"
        assert found.p.statistic == pytest.approx(found.difference)
        assert found.interval.estimate == pytest.approx(1 / 60)

    def test_compare_and_gate_agree_on_what_is_needed(self):
        rng = np.random.default_rng(5)
        old = rng.integers(0, 2, 300)
        new = np.where(rng.random(300) < 0.1, 1 - old, old)
        graded = np.round(rng.random((2, 300)), 2)
        for (a, b), test in (((new, old), None), ((new, old), "student"), (graded, None)):
            asked = {} if test is None else {"test": test}
            compared, gate = osc.compare(a, b, margin=0.01, **asked), osc.gate(b, a, margin=0.01, **asked)
            if gate.towards == "pass":
                assert compared.margin.needed in (None, gate.needed)

    def test_the_curve_of_sizes_ends_at_the_p_of_the_verdict_or_is_not_drawn(self):
        rng = np.random.default_rng(6)
        graded = osc.compare(*np.round(rng.random((2, 60)), 2), delta=-0.15, alternative="greater")
        assert graded.pictures.sizes == []
        right = osc.compare(*rng.integers(0, 2, (2, 60)), delta=-0.15, alternative="greater")
        assert right.pictures.sizes == [] or right.pictures.sizes[-1].p == pytest.approx(right.p.value)

    def test_crashes_of_texts_are_not_alike(self):
        reference = ["the cat sat on the mat"] * 5
        for asked in (osc.gate, osc.compare_texts):
            more = {"reference": reference, "metric": "bleu"} if asked is osc.gate else {"reference": reference}
            with pytest.raises(OutscoreError, match="`assume` is 'equal-crashes'"):
                asked(reference, reference, margin=1.0, assume="equal-crashes", **more)

"""The gate: outcomes against the two tests by hand, how many items would decide, and every kind of input."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from tests.log_files import lines, sample, write

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.examples.registry import lm_eval_results, lm_eval_row
from outscore.inference.power.gate import items_by_width
from outscore.inference.unpaired import Samples, shifted_p

RNG = np.random.default_rng(11)


def right(n: int, share: float) -> np.ndarray:
    return (RNG.random(n) < share).astype(int)


def changed(scores: np.ndarray, better: int, worse: int) -> np.ndarray:
    """The same scores with so many wrong ones made right, and right ones wrong."""
    found = scores.copy()
    found[np.flatnonzero(scores == 0)[:better]] = 1
    found[np.flatnonzero(scores == 1)[:worse]] = 0
    return found


BASE = right(400, 0.8)


def tango_p(n: int, wins: int, losses: int, margin: float) -> float:
    """P of Tango's score at -margin, the constrained maximum found by search over the share of items that A alone loses."""
    grid = np.linspace(0, (1 - margin) / 2, 200_001)[1:-1]
    logs = wins * np.log(grid) + losses * np.log(grid + margin) + (n - wins - losses) * np.log1p(-2 * grid - margin)
    p12 = grid[logs.argmax()]
    z = (wins - losses + n * margin) / math.sqrt(n * (2 * p12 + margin - margin**2))
    return float(scipy.stats.norm.sf(z))


class TestOutcomes:
    @pytest.mark.parametrize(
        ("better", "worse", "margin", "outcome"),
        [(5, 5, 0.05, "pass"), (2, 20, 0.02, "fail"), (6, 10, 0.02, "inconclusive"), (20, 2, 0.02, "pass")],
    )
    def test_right_or_wrong_items_by_hand(self, better, worse, margin, outcome):
        found = osc.gate(BASE, changed(BASE, better, worse), margin=margin)
        not_worse = max(tango_p(400, better, worse, margin), (1 - margin) ** 400)
        is_worse = scipy.stats.binomtest(better, better + worse, alternative="less").pvalue
        assert found.not_worse.value == pytest.approx(not_worse, rel=2e-3)
        assert found.worse.value == pytest.approx(is_worse, rel=1e-9)
        expected = "pass" if not_worse <= 0.05 else ("fail" if is_worse <= 0.05 else "inconclusive")
        assert found.outcome == expected == outcome
        assert found.exit_code == {"pass": 0, "fail": 1, "inconclusive": 3}[outcome]

    def test_graded_items_of_unknown_range_by_hand(self):
        """All sign flips, about the margin and about 0; what that leaves open is said."""
        base = np.round(RNG.normal(5, 1, 10), 1)
        new = base - np.array([0.1, -0.2, 0.3, 0.1, 0.2, -0.1, 0.1, 0.2, 0.1, 0.1])
        found = osc.gate(base, new, margin=0.25)
        signs = np.array(np.meshgrid(*[[1, -1]] * 10)).reshape(10, -1)
        for shift, side, p in ((0.25, 1, found.not_worse), (0.0, -1, found.worse)):
            d = np.round((new - base + shift) * 20) / 20
            sums = side * (d @ signs)
            assert p.value == pytest.approx((sums >= side * d.sum() - 1e-9).mean(), abs=1e-12)
        assert found.outcome == "pass"
        assert any("rare large losses are not excluded" in note.text for note in found.notes if note.kind == "warning")

    def test_worse_within_the_margin_is_said(self):
        found = osc.gate(BASE, changed(BASE, 0, 8), margin=0.06)
        assert (found.outcome, found.worse_within) == ("pass", True)
        assert "is worse than baseline, within the margin" in found.headline

    def test_the_interval_agrees_with_both_tests(self):
        for better, worse in ((5, 5), (2, 20), (6, 10), (0, 8), (3, 12)):
            found = osc.gate(BASE, changed(BASE, better, worse), margin=0.03)
            assert found.interval.level == pytest.approx(0.9)
            assert (found.interval.low > -0.03) == (found.not_worse.value <= 0.05)
            assert (found.interval.high < 0) == (found.worse.value <= 0.05)

    def test_lower_is_better_turns_the_sides(self):
        errors = 1 - BASE
        up = osc.gate(errors, 1 - changed(BASE, 2, 20), margin=0.02, direction="lower")
        assert up.outcome == "fail"
        assert up.comparison.difference > 0
        down = osc.gate(errors, 1 - changed(BASE, 20, 2), margin=0.02, direction="lower")
        assert down.outcome == "pass"
        mirror = osc.gate(BASE, changed(BASE, 6, 10), margin=0.02)
        turned = osc.gate(errors, 1 - changed(BASE, 6, 10), margin=0.02, direction="lower")
        assert (turned.not_worse.value, turned.needed, turned.towards) == (
            pytest.approx(mirror.not_worse.value),
            mirror.needed,
            mirror.towards,
        )

    @pytest.mark.parametrize(("counted", "code"), [("pass", 0), ("fail", 1), (None, 3)])
    def test_what_inconclusive_counts_as(self, counted, code):
        found = osc.gate(BASE, changed(BASE, 6, 10), margin=0.02, inconclusive=counted)
        assert (found.outcome, found.exit_code, found.passed) == ("inconclusive", code, code == 0)


class TestHowManyItems:
    def test_items_that_one_lacks_and_the_test_that_decided_are_said_on_one_screen(self, tmp_path):
        base, candidate = tmp_path / "base.csv", tmp_path / "candidate.csv"
        rows = [f"q{i},{i % 3 % 2}\n" for i in range(20)]
        base.write_text("id,score\n" + "".join(rows))
        candidate.write_text("id,score\n" + "".join(rows[4:]))
        found = osc.gate(base, candidate, margin=0.2)
        assert "16 in common, 0 only in candidate, 4 only in base" in str(found)
        assert found.comparison.margin.noninferiority.kernel == "unseen-loss"
        assert not [note for note in found.comparison.notes if "Tango" in note.text]

    def test_identical_outputs_pass_once_a_loss_would_have_shown(self):
        """From n = log .05 / log .98 = 148.3 on."""
        same = right(148, 0.8)
        found = osc.gate(same, same, margin=0.02)
        assert (found.outcome, found.needed, found.towards) == ("inconclusive", 149, "pass")
        longer = right(149, 0.8)
        assert osc.gate(longer, longer, margin=0.02).outcome == "pass"
        assert "identical outputs would pass with 149 items, 1 more than these" in found.verdict.lower()
        assert "a crash in up to 1 of 50 items could still be hidden" in found.verdict

    @pytest.mark.parametrize(("better", "worse"), [(6, 10), (9, 12), (4, 8)])
    def test_so_many_items_decide_four_times_in_five(self, better, worse):
        """Items drawn anew in the same proportions."""
        found = osc.gate(BASE, changed(BASE, better, worse), margin=0.02)
        assert found.outcome == "inconclusive"
        rng = np.random.default_rng(1)
        counts = rng.multinomial(found.needed, [better / 400, worse / 400, 1 - (better + worse) / 400], 400)
        decided = 0
        for wins, losses, _ in counts.tolist():
            if found.towards == "pass":
                decided += tango_score(found.needed, wins, losses, -0.02) >= 1.6449
            else:
                decided += scipy.stats.binom.cdf(wins, wins + losses, 0.5) <= 0.05
        assert 0.72 <= decided / 400 <= 0.88

    @given(st.integers(30, 400), st.floats(-0.04, 0.04), st.floats(0.01, 0.1))
    def test_more_items_are_needed_than_there_are(self, n, lead, width):
        found = items_by_width(n, lead, width, alpha=0.05, power=0.8)
        assert found is None or (lead > 0 and found > n)

    def test_at_no_lead_that_decides_there_is_no_number(self):
        assert items_by_width(50, 0.0, 0.1, alpha=0.05, power=0.8) is None
        assert items_by_width(50, 0.1, None, alpha=0.05, power=0.8) is None

    def test_too_few_units_for_an_interval_are_not_endlessly_few(self):
        """The least one-sided p of four units is 1/16, of five 1/32: five that all lose, and by far, fail."""
        base = np.array([0.9, 0.8, 0.7, 0.95])
        found = osc.gate(base, base - np.array([0.8, 0.5, 0.6, 0.55]), margin=0.1)
        assert (found.interval.high, found.outcome) == (None, "inconclusive")
        assert (found.needed, found.towards) == (5, "fail")
        close = osc.gate(base, base + np.array([0.01, -0.01, 0.01, -0.01]), margin=0.1, assume="symmetric")
        assert (close.needed, close.towards) == (5, "pass")
        # Without that assumption a loss of .1 could come from one crash in ten items.
        assert osc.gate(base, base + np.array([0.01, -0.01, 0.01, -0.01]), margin=0.1).needed >= math.log(0.05) / math.log(0.9)
        steady = osc.gate(base, base - np.array([0.5, 0.5, 0.5, 0.5]), margin=0.1)
        assert (steady.needed, steady.towards) == (5, "fail")
        # Four documents of three items: five of them are fifteen items.
        graded = np.repeat(base, 3)
        documents = osc.gate(graded, graded - np.tile([0.5, 0.6, 0.7], 4), margin=0.1, clusters=np.repeat(np.arange(4), 3))
        assert (documents.needed, documents.towards) == (15, "fail")
        needed = "15 items like these, 3 more than now, would decide with power .8 (fail), in clusters like these"
        assert needed in documents.verdict

    def test_more_spread_asks_for_more_units(self):
        """So many normal differences with the mean and sd of these are rejected four times in five by all flips of signs."""
        d = np.array([-0.1, -0.7, -0.4, -0.25])
        base = np.array([0.8, 0.81, 0.82, 0.83])
        found = osc.gate(base, base + d, margin=0.1)
        assert found.towards == "fail"
        assert found.needed == osc.sample_size(-d.mean(), sd=d.std(ddof=1), alternative="greater", method="permutation") > 5
        drawn = np.random.default_rng(3).normal(d.mean(), d.std(ddof=1), (1000, found.needed))
        signs = np.array(np.meshgrid(*[[1, -1]] * found.needed)).reshape(found.needed, -1)
        p = (drawn @ signs <= drawn.sum(axis=1, keepdims=True) + 1e-12).mean(axis=1)
        assert (p <= 0.05).mean() >= 0.76

    @pytest.mark.parametrize(("n", "better", "worse", "needed"), [(40, 4, 10, 103), (4, 0, 4, 5)])
    def test_right_or_wrong_items_fail_from_as_many_as_a_plan_says(self, n, better, worse, needed):
        base = np.repeat([0, 1], [better, n - better])
        found = osc.gate(base, changed(base, better, worse), margin=0.05)
        assert (found.needed, found.towards) == (needed, "fail")
        assert osc.sample_size((worse - better) / n, discordance=(worse + better) / n, alternative="greater") == needed

    def test_where_nothing_tells_how_many_no_number_is_denied(self):
        """One item shows no spread; with a margin above 0 some number of items always decides."""
        verdict = osc.gate([5.0], [4.0], margin=0.05).verdict
        assert "How many items like these would decide is unknown" in verdict


def tango_score(n: int, wins: int, losses: int, delta: float) -> float:
    from outscore.inference.base import discordance

    return discordance.tango_score(n, wins, losses, delta, discordance.NUMBERS)


class TestInputs:
    def test_files_tables_arrays_and_scores_agree(self, tmp_path):
        new = changed(BASE, 6, 10)
        ids = [f"q{i}" for i in range(400)]
        frame = pl.DataFrame({"id": ids, "old": BASE, "new": new})
        frame.write_csv(tmp_path / "both.csv")
        frame.select("id", score="old").write_csv(tmp_path / "old.csv")
        frame.select("id", score="new")[::-1].write_csv(tmp_path / "new.csv")
        found = [
            osc.gate(BASE, new, margin=0.02, names=["old", "new"]),
            osc.gate(frame, margin=0.02),
            osc.gate(tmp_path / "both.csv", margin=0.02),
            osc.gate(tmp_path / "both.csv", margin=0.02, systems=["old", "new"]),
            osc.gate(tmp_path / "old.csv", tmp_path / "new.csv", margin=0.02),
            osc.gate(*osc.read(tmp_path / "old.csv"), *osc.read(tmp_path / "new.csv"), margin=0.02),
        ]
        assert {one.comparison.systems for one in found} == {("new", "old")}
        assert len({(one.outcome, one.not_worse.value, one.worse.value, one.needed) for one in found}) == 1
        other = osc.gate(tmp_path / "both.csv", margin=0.02, systems=["new", "old"])
        assert other.comparison.difference == -found[0].comparison.difference

    def test_ratios_are_decided_by_the_bootstrap_which_is_said(self):
        counts = np.stack([RNG.integers(3, 9, 80), RNG.integers(0, 3, 80)], axis=1)
        found = osc.gate(counts, counts + np.array([1, 0]), margin=0.05, metric="f1")
        assert found.worse.test == "bootstrap"
        assert any("the bootstrap is used instead" in note.text for note in found.notes)
        with pytest.raises(OutscoreError, match="takes a margin or a `delta` only for a mean"):
            osc.gate(counts, counts + np.array([1, 0]), margin=0.05, metric="f1", test="permutation")

    def test_texts(self):
        reference = [f"the cat {i} sat on the mat by the door" for i in range(40)]
        old = [line.replace("sat", "sits") if i % 4 else line for i, line in enumerate(reference)]
        same = osc.gate(old, old, reference=reference, margin=2.0, metric="bleu")
        assert same.comparison.systems == ("candidate", "baseline")
        assert (same.outcome, same.not_worse.kernel) == ("inconclusive", "crashes")
        # Every line weighs the same: a crash costs the whole score of its line, and more by the brevity penalty.
        assert same.not_worse.value >= (1 - 2.0 / same.comparison.scores[1].value) ** 40
        worse = [line.replace("mat", "rug") if i % 3 else line for i, line in enumerate(old)]
        found = osc.gate(old, worse, reference=reference, margin=0.01, metric="wer")
        assert (found.outcome, found.worse.test, found.worse.method) == ("fail", "permutation", "exact")
        assert osc.gate(old, worse, reference=reference, margin=1.0, metric="bleu").worse.test == "bootstrap"
        with pytest.raises(OutscoreError, match="2 metrics, but a gate has one margin"):
            osc.gate(old, old, reference=reference, margin=1.0, metric="bleu,chrf")

    def test_clusters_and_repeats(self):
        new = changed(BASE, 3, 3)
        alone = osc.gate(BASE, new, margin=0.05)
        grouped = osc.gate(BASE, new, margin=0.05, clusters=np.arange(400) // 10)
        assert grouped.comparison.clusters == 40
        assert alone.not_worse.value != grouped.not_worse.value
        assert osc.gate(BASE, new, margin=0.05, items=np.arange(400) // 4).comparison.n == 100

    def test_real_logs(self, shared_data):
        logs = shared_data / "harness-logs" / "inspect" / "epochs"
        found = osc.gate(logs, margin=0.05, metric="includes", systems=["mockllm/amber", "mockllm/birch"])
        assert found.comparison.systems == ("mockllm/birch", "mockllm/amber")
        assert found.comparison.difference == pytest.approx(0.6 - 0.766667, abs=1e-6)
        # Two-sided the exact p is .0872803.
        assert found.worse.value == pytest.approx(0.0872803 / 2, abs=1e-6)
        assert found.outcome == "fail"


class TestDifferentItems:
    def test_the_score_test_of_two_shares_by_hand(self):
        """Right-or-wrong items: the likeliest rates that differ by the margin, found by search, give the z of the test."""
        (x, n), (y, m), margin = (31, 40), (45, 60), 0.15
        right_a, right_b = np.repeat([1, 0], [x, n - x]), np.repeat([1, 0], [y, m - y])
        found = osc.gate(right_b, right_a, margin=margin, unpaired=True, names=["old", "new"])

        def unlikely(rate):
            first, second = rate - margin, rate
            return -(
                x * math.log(first) + (n - x) * math.log(1 - first) + y * math.log(second) + (m - y) * math.log(1 - second)
            )

        best = scipy.optimize.minimize_scalar(unlikely, bounds=(margin + 1e-9, 1 - 1e-9), method="bounded").x
        first, second = best - margin, best
        variance = (first * (1 - first) / n + second * (1 - second) / m) * (n + m) / (n + m - 1)
        z = (x / n - y / m + margin) / math.sqrt(variance)
        assert found.not_worse.value == pytest.approx(scipy.stats.norm.sf(z), rel=1e-6)
        assert found.worse.value == pytest.approx(scipy.stats.fisher_exact([[x, n - x], [y, m - y]], "less").pvalue)
        assert (found.comparison.systems, found.comparison.unpaired.n) == (("new", "old"), (n, m))
        assert "score test of Miettinen and Nurminen" in found.verdict

    def test_graded_scores_have_the_test_of_welch(self):
        old, new = RNG.normal(3.0, 1.0, 30), RNG.normal(3.1, 2.0, 45)
        found = osc.gate(old, new, margin=0.8, unpaired=True)
        expected = scipy.stats.ttest_ind(new + 0.8, old, equal_var=False, alternative="greater").pvalue
        assert found.not_worse.value == pytest.approx(expected)
        lower = osc.gate(old, new, margin=0.8, unpaired=True, direction="lower")
        expected = scipy.stats.ttest_ind(new - 0.8, old, equal_var=False, alternative="less").pvalue
        assert lower.not_worse.value == pytest.approx(expected)
        assert osc.gate(old, new, margin=0.8, unpaired=True, test="student").worse.test == "welch"

    @pytest.mark.parametrize(("score", "n"), [(1, (140, 140)), (0, (140, 140)), (1, (140, 900)), (0, (900, 140))])
    def test_right_or_wrong_items_do_not_pass_on_silence(self, score, n):
        """Whoever could still lose shows it in its own items: the candidate where all are right, else the baseline."""
        new, old = (np.full(size, score) for size in n)
        found = osc.gate(old, new, margin=0.02, unpaired=True)
        assert (found.outcome, found.not_worse.value) == ("inconclusive", pytest.approx(0.98**140))
        assert found.interval.low == pytest.approx(0.05 ** (1 / 140) - 1)
        assert found.needed == math.ceil(math.log(0.05) / math.log(0.98) / 140 * sum(n))
        more = [np.full(math.ceil(size * 149 / 140), score) for size in n]
        assert osc.gate(more[1], more[0], margin=0.02, unpaired=True).outcome == "pass"

    @pytest.mark.parametrize(("worst", "outcome"), [(0.0, "inconclusive"), (0.6, "pass")])
    def test_graded_scores_do_not_pass_on_silence(self, worst, outcome):
        """All scores are .9: the candidate's may fall to the worst, the baseline's may rise to 1, and neither has shown."""
        scores = np.full(100, 0.9)
        found = osc.gate(scores, scores, margin=0.02, unpaired=True, bounds=(worst, 1))
        rises = scipy.stats.beta.ppf((np.arange(20_000) + 0.5) / 20_000, 1, 100)
        hidden = scipy.stats.beta.sf((0.02 - 0.1 * rises) / (0.9 - worst), 1, 100).mean()
        assert (found.outcome, found.not_worse.value) == (outcome, pytest.approx(hidden, rel=1e-3))

    def test_graded_scores_of_a_known_range_by_hand(self):
        """The chance that two Bayesian bootstraps, each with one more item at its worst, differ by the margin."""
        old, new = np.linspace(0.1, 0.9, 40).round(2), np.linspace(0.2, 0.8, 30).round(2)
        for direction, (low, high) in (("higher", (0.0, 1.0)), ("lower", (1.0, 0.0))):
            found = osc.gate(old, new, margin=0.1, unpaired=True, direction=direction)
            means = [RNG.dirichlet(np.ones(len(x) + 1), 20_000) @ np.append(x, end) for x, end in ((new, low), (old, high))]
            lead = (means[0] - means[1]) * (1 if direction == "higher" else -1)
            assert found.not_worse.value == pytest.approx((lead <= -0.1).mean(), abs=0.01)
            assert found.not_worse.kernel == "bounded-means"
            end = found.interval.low if direction == "higher" else found.interval.high
            again = osc.gate(old, new, margin=abs(end), unpaired=True, direction=direction)
            assert again.not_worse.value == pytest.approx(0.05, rel=1e-4)

    @pytest.mark.slow
    def test_clusters_are_bounded_as_one(self):
        """Clusters of one size are items of their means."""
        groups, spread = np.repeat(np.arange(20), 3), RNG.random(20).round(2)
        old, new = np.repeat(spread, 3), np.repeat(spread[::-1], 3)
        asked = {"margin": 0.3, "unpaired": True}
        found = osc.gate(old, new, clusters=(groups, groups + 20), **asked)
        assert found.not_worse.value == pytest.approx(osc.gate(spread, spread[::-1], **asked).not_worse.value, rel=1e-6)

    def test_an_unknown_range_is_asked_for(self):
        assert "--bounds LOW HIGH" in osc.gate(np.full(50, 7.0), np.full(60, 7.0), margin=1, unpaired=True).reason
        varied = osc.gate(np.arange(50), np.arange(50), margin=9, unpaired=True)
        assert any("--bounds LOW HIGH" in note.text for note in varied.notes)
        assert (
            osc.gate(np.arange(50), np.arange(50), margin=9, unpaired=True, bounds=(0, 49)).not_worse.kernel == "bounded-means"
        )
        with pytest.raises(OutscoreError, match="these scores cannot differ by more than 49"):
            osc.gate(np.arange(50), np.arange(50), margin=49, unpaired=True, bounds=(0, 49))

    def test_symmetric_differences_may_be_assumed(self):
        scores = np.linspace(0.2, 0.8, 40)
        found = osc.gate(scores, scores, margin=0.1, unpaired=True, assume="symmetric")
        expected = scipy.stats.ttest_ind(scores + 0.1, scores, equal_var=False, alternative="greater").pvalue
        assert found.not_worse.value == pytest.approx(expected)

    @pytest.mark.parametrize(("wrong", "right"), [(3.0, 7.0), (-1.0, 1.0)])
    def test_two_scores_are_right_or_wrong_in_any_coding(self, wrong, right):
        old, new = np.arange(60) % 3 > 0, np.arange(90) % 4 > 0
        plain = osc.gate(old.astype(int), new.astype(int), margin=0.1, unpaired=True)
        coded = [np.where(x, right, wrong) for x in (old, new)]
        found = osc.gate(*coded, margin=0.1 * (right - wrong), unpaired=True)
        assert found.not_worse.value == pytest.approx(plain.not_worse.value, rel=1e-9)
        assert found.interval.low == pytest.approx(plain.interval.low * (right - wrong), rel=1e-6)

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "margin"), [(50, 0.02), (100, 0.01)])
    def test_candidates_that_crash_do_not_pass_too_often(self, n, margin):
        """Scores of .9 to .95, of which the candidate loses the margin by crashes: Welch's passes in a quarter and more."""
        rng, passed, by_welch = np.random.default_rng(5), 0, 0
        for _ in range(40):
            old, new = (np.round(0.9 + 0.05 * rng.random(n), 2) for _ in range(2))
            new[rng.random(n) < margin / 0.925] = 0
            passed += osc.gate(old, new, margin=margin, unpaired=True).outcome == "pass"
            by_welch += shifted_p("student", Samples(new, old), "greater", -margin).value <= 0.05
        assert passed <= 4
        assert by_welch >= 10

    def test_no_candidate_that_is_worse_by_the_margin_passes_too_often(self):
        """All tables of 40 and 50 items counted: at the margin the score test passes in at most .07 of cases at .05."""
        passing = {}
        for x in range(41):
            for y in range(51):
                samples = Samples(np.repeat([1.0, 0.0], [x, 40 - x]), np.repeat([1.0, 0.0], [y, 50 - y]))
                passing[x, y] = shifted_p("permutation", samples, "greater", -0.1).value <= 0.05
        table = np.array([[passing[x, y] for y in range(51)] for x in range(41)])
        for rate in (0.3, 0.5, 0.7, 0.9):
            first = scipy.stats.binom.pmf(np.arange(41), 40, rate - 0.1)
            second = scipy.stats.binom.pmf(np.arange(51), 50, rate)
            assert 0.02 <= first @ table @ second <= 0.07

    def test_the_interval_agrees_with_the_test(self):
        old, new = right(60, 0.7), right(80, 0.75)
        found = osc.gate(old, new, margin=0.1, unpaired=True)
        at_the_end = osc.gate(old, new, margin=-found.interval.low, unpaired=True)
        assert at_the_end.not_worse.value == pytest.approx(0.05, abs=1e-6)

    @pytest.mark.slow
    def test_files_tables_and_arrays_agree(self, tmp_path):
        old, new = right(60, 0.7), right(80, 0.6)
        frames = [
            pl.DataFrame({"item": [f"{name}{i}" for i in range(len(scores))], "system": name, "score": scores})
            for name, scores in (("old", old), ("new", new))
        ]
        for name, frame in zip(("old", "new"), frames, strict=True):
            frame.write_csv(tmp_path / f"{name}.csv")
        pl.concat(frames).write_csv(tmp_path / "both.csv")
        asked = {"margin": 0.1, "unpaired": True}
        found = [
            osc.gate(old, new, names=["old", "new"], **asked),
            osc.gate(tmp_path / "old.csv", tmp_path / "new.csv", **asked),
            osc.gate(tmp_path / "both.csv", **asked),
            osc.gate(pl.concat(frames), **asked),
            osc.gate(frames[0], frames[1], **asked),
        ]
        assert {one.comparison.systems for one in found} == {("new", "old")}
        assert len({(one.outcome, one.not_worse.value, one.worse.value, one.needed) for one in found}) == 1
        with pytest.raises(OutscoreError, match="no item in common"):
            osc.gate(tmp_path / "old.csv", tmp_path / "new.csv", margin=0.1)

    def test_what_needs_pairs_is_refused(self):
        for asked in ({"population": "items"}, {"reduce": "max"}, {"repeats": "runs"}):
            with pytest.raises(OutscoreError, match="needs the same items for both systems"):
                osc.gate(BASE, BASE[:300], margin=0.1, unpaired=True, **asked)
        with pytest.raises(OutscoreError, match="needs pairs, which --unpaired does not have"):
            osc.gate(BASE, BASE[:300], margin=0.1, unpaired=True, test="bootstrap")


@pytest.mark.parametrize("runs", [(4, 4), (5, 3)], ids=["equal", "unequal"])
def test_new_runs_of_these_items_are_of_the_candidate(tmp_path, runs):
    """A candidate that is right half as often as its baseline fails, and the other way round passes, whatever is claimed."""
    shares = {"good": [1, 1, 1, 0, 1], "poor": [0, 1, 0, 0, 1]}
    for (name, right), times in zip(shares.items(), runs, strict=True):
        rows = [f"q{item},{run},{right[run]}" for item in range(8) for run in range(times)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,epoch,score", *rows]) + "\n", encoding="utf-8")
    good, poor = (str(tmp_path / f"{name}.csv") for name in shares)
    for population in ("these-items", None):
        asked = {} if population is None else {"population": population}
        worse, better = osc.gate(good, poor, margin=0.1, **asked), osc.gate(poor, good, margin=0.1, **asked)
        assert (worse.outcome, better.outcome) == ("fail", "pass")
        assert worse.interval.high < 0 < better.interval.low
    claims = osc.compare(poor, good, population="these-items", alternative="less").p.value
    assert osc.gate(good, poor, margin=0.1, population="these-items").worse.value == pytest.approx(claims, rel=1e-9)


def test_texts_refuse_what_only_scores_have():
    for asked in ({"unpaired": True}, {"reduce": "max"}, {"repeats": "runs"}):
        with pytest.raises(OutscoreError, match="is for tables of scores, not for texts"):
            osc.gate(["a b"], ["a b"], reference=["a b"], margin=1.0, **asked)


def test_reduced_runs():
    items = np.arange(400) // 4
    new = changed(BASE, 30, 10)
    found = osc.gate(BASE, new, margin=0.1, items=items, reduce="pass@2")
    behind = osc.compare(
        new, BASE, items=items, reduce="pass@2", alternative="less", margin=0.1, names=["candidate", "baseline"]
    )
    assert (found.comparison.metric, found.worse, found.not_worse) == ("pass@2", behind.p, behind.margin.noninferiority)


BAD = {
    "No margin was given": {"margin": None},
    "`margin` is -0.02": {"margin": -0.02},
    "`margin` is 1, but these scores cannot differ by more": {"margin": 1.0},
    "`alpha` is 0.3, which is too large for a gate": {"margin": 0.1, "alpha": 0.3},
    "`inconclusive` is 'skip'": {"margin": 0.1, "inconclusive": "skip"},
    "There is no test `anova`": {"margin": 0.1, "test": "anova"},
    "is a metric for texts": {"margin": 0.1, "metric": "bleu"},
    "`documents` is for texts": {"margin": 0.1, "documents": "docs.txt"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(OutscoreError, match=message):
        osc.gate(BASE, changed(BASE, 6, 10), **BAD[message])


def test_a_margin_is_asked_for_in_one_sentence():
    with pytest.raises(OutscoreError, match="No margin was given") as caught:
        osc.gate([1, 0, 1], [1, 1, 1])
    assert (caught.value.parameter, "margin=0.02" in caught.value.hint) == ("margin", True)


def test_one_system_alone_is_refused(tmp_path):
    with pytest.raises(OutscoreError, match="There is no candidate"):
        osc.gate(BASE, margin=0.02)
    (tmp_path / "one.csv").write_text("id,score\nq1,1\n")
    with pytest.raises(OutscoreError, match="one system only"):
        osc.gate(tmp_path / "one.csv", margin=0.02)
    with pytest.raises(OutscoreError, match="is a file and the other is not"):
        osc.gate(BASE, tmp_path / "one.csv", margin=0.02)


def test_a_tiny_level_is_answered_at_once():
    """Flips have no power at such a level that a float could tell; nobody waits for more and more of them."""
    old = np.array([0.37, 0.74, 0.11, 0.9, 0.25, 0.6, 0.5, 0.81, 0.07, 0.33])
    found = osc.gate(old, 100 * old, margin=0.1, alpha=1e-12)
    assert (found.outcome, found.towards) == ("inconclusive", "pass")
    assert found.needed > math.log2(1e12)


WITHOUT_SCORES = ("wide", "long", "two tables", "two jsonl", "logs")


def without_some(kind, folder, answered, n=300):
    """A baseline that is right on n items, and a candidate that is right wherever it answered: the first `answered`."""
    if kind == "wide":
        text = "id,base,new\n" + "".join(f"q{i},1,{1 if i < answered else ''}\n" for i in range(n))
        return [write(folder / "wide.csv", text)]
    if kind == "long":
        rows = [f"q{i},{name},1\n" for name, count in (("base", n), ("new", answered)) for i in range(count)]
        return [write(folder / "long.csv", "item,system,score\n" + "".join(rows))]
    found = []
    for name, count in (("base", n), ("new", answered)):
        if kind == "two tables":
            text = "id,score\n" + "".join(f"q{i},1\n" for i in range(count))
            found.append(write(folder / f"{name}.csv", text))
        elif kind == "two jsonl":
            found.append(write(folder / f"{name}.jsonl", lines([{"id": f"q{i}", "score": 1} for i in range(count)])))
        else:
            place = folder / name
            write(place / "samples_sums_2026-01-02.jsonl", lines([lm_eval_row(i, sample(i, 1), "none") for i in range(count)]))
            write(place / "results_2026-01-02.json", lm_eval_results(name, "sums", {"none": 1.0}, shots=0, version=1.0))
            found.append(place)
    return found


class TestItemsWithoutAnAnswer:
    """What a candidate never answered may be what it fails on."""

    @pytest.mark.parametrize("kind", WITHOUT_SCORES)
    def test_a_gate_does_not_pass_without_them(self, kind, tmp_path):
        found = osc.gate(*without_some(kind, tmp_path, 290), margin=0.02)
        assert (found.outcome, found.exit_code, found.unanswered, found.needed) == ("inconclusive", 3, 10, None)
        assert found.not_worse.value == pytest.approx(osc.gate(np.ones(290), np.ones(290), margin=0.02).not_worse.value)
        assert found.headline == "Inconclusive: new has no score for 10 of 300 items"
        assert "--missing drop" in found.reason

    @pytest.mark.parametrize("kind", WITHOUT_SCORES)
    def test_dropping_them_is_the_choice_of_who_asks(self, kind, tmp_path):
        found = osc.gate(*without_some(kind, tmp_path, 290), margin=0.02, missing="drop")
        assert (found.outcome, found.exit_code, found.unanswered) == ("pass", 0, 10)
        assert found.headline.endswith("is below 0.02, 10 of 300 items left out")

    def test_dataframes_are_read_alike(self, tmp_path):
        tables = [pl.read_csv(path) for path in without_some("two tables", tmp_path, 290)]
        assert osc.gate(*tables, margin=0.02).outcome == "inconclusive"
        assert osc.gate(*tables, margin=0.02, missing="drop").outcome == "pass"

    def test_what_the_baseline_lacks_hides_nothing(self, tmp_path):
        base, new = without_some("two tables", tmp_path, 290)
        found = osc.gate(new, base, margin=0.02)
        assert (found.outcome, found.unanswered) == ("pass", 0)

    def test_a_loss_is_shown_by_the_others(self, tmp_path):
        """A candidate that is worse where it answered fails, and the verdict still counts what it left out."""
        base, new = without_some("two tables", tmp_path, 290)
        write(new, new.read_text(encoding="utf-8").replace("1\n", "0\n", 40))
        found = osc.gate(base, new, margin=0.02)
        assert (found.outcome, found.unanswered) == ("fail", 10)
        assert "new has no score for 10 of 300 items" in found.reason

    def test_an_undecided_gate_names_them_too(self, tmp_path):
        found = osc.gate(*without_some("wide", tmp_path, 90, n=100), margin=0.02)
        assert (found.outcome, found.unanswered) == ("inconclusive", 10)
        assert found.headline == "Inconclusive: the data show neither a loss nor that it is below 0.02"
        assert "new has no score for 10 of 100 items" in found.reason

    def test_few_in_common_are_told_in_the_verdict(self, tmp_path):
        found = osc.gate(*without_some("two tables", tmp_path, 200), margin=0.02)
        assert ". Only 200 of 300 items are compared" in found.reason

    def test_different_items_are_not_missing_ones(self):
        found = osc.gate(np.ones(300), np.ones(290), margin=0.2, unpaired=True)
        assert (found.unanswered, found.outcome) == (0, "pass")
        assert "are compared" not in found.reason


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "bootstrap-median", "permutation-median"])
@pytest.mark.parametrize("door", [osc.gate, osc.compare])
def test_a_margin_of_the_mean_is_not_for_tests_of_medians(door, test):
    """Twenty points lost on a fifth of the items leave the median where it is."""
    with pytest.raises(OutscoreError, match=f"^`{test}` is about the typical difference.+ Use `permutation`"):
        door(np.ones(100), np.repeat([1, 0], [80, 20]), margin=0.02, test=test)


class TestIdenticalOutputs:
    GRADED = np.arange(40) * 7 % 53

    def test_without_a_range_no_number_of_items_decides(self):
        found = osc.gate(self.GRADED, self.GRADED, margin=2)
        assert (found.outcome, found.needed, found.interval) == ("inconclusive", None, None)
        assert "Identical scores, however many, show nothing without the range of the scores: --bounds LOW HIGH" in found.reason
        assert "symmetric" not in " ".join(note.text for note in found.notes)
        assert osc.gate(self.GRADED, self.GRADED, margin=2, bounds=(0, 52)).needed == math.ceil(
            math.log(0.05) / math.log(50 / 52)
        )

    def test_a_range_is_named_only_where_it_helps(self):
        reason = osc.gate(self.GRADED, self.GRADED, margin=2, metric="sum").reason
        assert "--bounds" not in reason
        assert "Identical scores, however many, show nothing: how much an item can lose in sum is not known" in reason

    @pytest.mark.parametrize(
        ("top", "margin", "bounds", "needed"), [(1, 0.02, None, 149), (52, 2, None, None), (52, 2, (0, 52), 77)]
    )
    def test_with_runs(self, tmp_path, top, margin, bounds, needed):
        """Two systems that agree in every item and run: p is 1 for a difference, and a margin needs items that exclude it."""
        scores = np.arange(40) * 7 % 53 / 52 * top
        rows = [f"q{i},{name},{run},{x}\n" for i, x in enumerate(scores) for name in ("old", "new") for run in (1, 2, 3)]
        file = write(tmp_path / "runs.csv", "item,system,run,score\n" + "".join(rows))
        found = osc.gate(file, margin=margin, repeat="run", bounds=bounds)
        assert (found.outcome, found.needed, found.worse.value) == ("inconclusive", needed, 1.0)
        assert found.comparison.population == "items-and-runs"
        assert "runs differ" not in found.reason
        alone = osc.gate(scores, scores, margin=margin, bounds=bounds)
        assert found.not_worse.value == alone.not_worse.value
        compared = osc.compare(file, margin=margin, repeat="run", bounds=bounds)
        assert (compared.p.value, compared.margin.noninferiority.value) == (1.0, alone.not_worse.value)

    def test_with_runs_that_differ_more_items_are_not_enough(self, tmp_path):
        rows = [
            f"q{i},{name},{run},{(i * 7 + run) % 5 / 4}\n" for i in range(40) for name in ("old", "new") for run in (1, 2, 3)
        ]
        found = osc.gate(write(tmp_path / "runs.csv", "item,system,run,score\n" + "".join(rows)), margin=0.02, repeat="run")
        assert found.outcome == "inconclusive"
        assert "Runs differ too, so a decision takes more runs" in found.reason


@pytest.mark.parametrize("several", [False, True])
def test_a_gate_compares_once_and_computes_nothing_that_it_does_not_show(monkeypatch, several):
    """Neither a null law, nor further tests of fewer or of changed items, and no second comparison for its interval."""
    from outscore.workflows.compare import arrays, evidence

    calls: Counter[str] = Counter()

    def counted(module, name):
        function = getattr(module, name)

        def call(*given, **named):
            calls[name] += 1
            return function(*given, **named)

        monkeypatch.setattr(module, name, call)

    for name in ("null_histogram", "size_curve", "fragility", "effects", "analyse"):
        counted(evidence, name)
    counted(arrays, "explained")
    rng = np.random.default_rng(2)
    ids = [f"q{i}" for i in range(80)]
    table = pl.DataFrame({"id": ids, "old": rng.random(80).round(2), "new": rng.random(80).round(2)})
    if several:
        table = table.with_columns(dataset=pl.Series(["easy", "hard"] * 40))
    found = osc.gate(table, margin=0.1)
    assert calls == {"explained": 1, "analyse": 1} | ({} if several else {"effects": 1})
    assert found.interval.level == 0.9

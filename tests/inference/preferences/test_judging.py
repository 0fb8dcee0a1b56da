"""Judges, lengths and labels: against plain loops, published coefficients and other tools' numbers."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize
from tests.inference.preferences.battle_making import made
from tests.variants import a_few

from outscore.core.errors import OutscoreError
from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.read import read_battles
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.preferences import models as lengths_module
from outscore.inference.preferences.agreement import (
    alpha_of,
    alpha_tables,
    by_place,
    kappa_of,
    kappa_tables,
    swapped_verdicts,
    verdicts_of,
)
from outscore.inference.preferences.models import fit_lengths
from outscore.inference.preferences.win_rates import audit_p, flip_p, independent_p, labelled_share, share_tuned
from outscore.laws import t_quantile
from outscore.scores.system import Labels


def judged(verdicts):
    """Battles of two systems from verdicts by judge and item; None is an item that the judge has not seen."""
    rows = [(f"p{i}", "x", "y", share, judge) for judge, shares in verdicts.items() for i, share in enumerate(shares)]
    rows = [row for row in rows if row[3] is not None]
    return made([row[:4] for row in rows], judges=[row[4] for row in rows])


def naive_alpha(battles):
    """Krippendorff's alpha for names, from all pairs of verdicts of an item; a missing one is none."""
    by_item = {}
    for i, share in enumerate(battles.share.tolist()):
        if not math.isnan(share):
            by_item.setdefault(battles.prompts[i], []).append(share)
    units = [values for values in by_item.values() if len(values) > 1]
    every = [value for values in units for value in values]
    n = len(every)
    observed = sum(sum(a != b for a, b in itertools.permutations(values, 2)) / (len(values) - 1) for values in units) / n
    expected = sum(a != b for a, b in itertools.permutations(every, 2)) / (n * (n - 1))
    return 1 - observed / expected


def several_judges(battles):
    """Prompts with verdicts of two judges or more."""
    given = {(battles.prompts[i], battles.judges[i]) for i in np.flatnonzero(battles.decided)}
    return sum(count > 1 for count in Counter(prompt for prompt, _ in given).values())


def cross_pairs(battles, one, other):
    """Raw agreement and kappa of two judges from every vote of one with every vote of the other, an item counting as one."""
    votes = {}
    for i, share in enumerate(battles.share.tolist()):
        turned = bool(battles.first[i])
        votes.setdefault((battles.prompts[i], turned), {}).setdefault(battles.judges[i], []).append(
            1 - share if turned else share
        )
    items = [found for found in votes.values() if one in found and other in found]
    met = [[(a, b) for a in found[one] for b in found[other]] for found in items]
    agreed = sum(sum(a == b for a, b in pairs) / len(pairs) for pairs in met) / len(met)

    def share(judge, verdict):
        return sum(found[judge].count(verdict) / len(found[judge]) for found in items) / len(items)

    chance = sum(share(one, verdict) * share(other, verdict) for verdict in (0.0, 0.5, 1.0))
    return len(items), agreed, (agreed - chance) / (1 - chance)


class TestAgreement:
    def test_against_loops(self):
        rng = np.random.default_rng(0)
        table = {f"j{k}": rng.choice([0.0, 0.5, 1.0, np.nan, None], 40, p=[0.3, 0.1, 0.4, 0.1, 0.1]).tolist() for k in range(4)}
        battles = judged(table)
        tables = alpha_tables(verdicts_of(battles))
        found = alpha_of(tables, 0.05)
        assert found[0] == pytest.approx(naive_alpha(battles))
        assert tables.items == len(tables.tables) == several_judges(battles)
        assert found[1] < found[0] < found[2]

    def test_other_tools_numbers(self):
        """evalica 0.4.2, alpha with nominal distance, on four judges and thirty items."""
        table = np.random.default_rng(3).choice([0, 1, 2, -1], (4, 30), p=[0.35, 0.15, 0.4, 0.1])
        shares = {f"j{k}": [None if code < 0 else code / 2 for code in row.tolist()] for k, row in enumerate(table)}
        assert alpha_of(alpha_tables(verdicts_of(judged(shares))), 0.05)[0] == pytest.approx(0.014953921057207498, abs=1e-12)

    def test_the_jackknife_leaves_out_prompts(self):
        rng = np.random.default_rng(1)
        battles = judged({"a": rng.choice([0.0, 1.0], 30).tolist(), "b": rng.choice([0.0, 1.0], 30).tolist()})
        # Two items of a prompt are left out together.
        battles = replace(battles, clusters=Labels.of([int(battles.prompts[i][1:]) // 2 for i in range(battles.rows)]))
        tables = kappa_tables(verdicts_of(battles), 0, 1)
        _, found = kappa_of(tables, 0.05)
        assert len(tables.tables) == 15

        def kappa(kept):
            a, b = battles.share[:30][kept], battles.share[30:][kept]
            chance = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
            return ((a == b).mean() - chance) / (1 - chance)

        without = np.array([kappa(np.arange(30) // 2 != g) for g in range(15)])
        error = math.sqrt(14 / 15 * ((without - without.mean()) ** 2).sum())
        assert found[0] == pytest.approx(kappa(np.ones(30, dtype=bool)))
        assert (found[2] - found[1]) / 2 == pytest.approx(2.1447866879169273 * error)

    def test_agreement_in_everything_is_one(self):
        battles = judged({"a": [1.0, 0.0, 0.5], "b": [1.0, 0.0, 0.5]})
        assert alpha_of(alpha_tables(verdicts_of(battles)), 0.05)[0] == 1.0
        assert kappa_of(kappa_tables(verdicts_of(battles), 0, 1), 0.05)[1][0] == 1.0

    def test_the_order_belongs_to_the_question(self):
        rows = [("p", "x", "y", 1.0), ("p", "y", "x", 1.0), ("p", "x", "y", 1.0), ("p", "y", "x", 0.0)]
        found = kappa_tables(verdicts_of(made(rows, judges=["a", "a", "b", "b"])), 0, 1)
        assert (found.items, kappa_of(found, 0.05)[0][0]) == (2, 0.5)

    def test_repeated_votes_meet_whatever_their_order(self):
        """One to three votes of each judge on an item: each of one with each of the other, an item counting as one."""
        rng = np.random.default_rng(4)
        rows, judges = [], []
        for i, pair, judge in itertools.product(range(15), (("x", "y"), ("y", "x")), "ab"):
            for _ in range(rng.integers(1, 4)):
                rows.append((f"p{i}", *pair, float(rng.choice([0.0, 0.5, 1.0]))))
                judges.append(judge)
        battles = made(rows, ("x", "y"), judges=judges)
        expected = cross_pairs(battles, "a", "b")
        for order in (np.arange(battles.rows), np.arange(battles.rows)[::-1], rng.permutation(battles.rows)):
            part = battles.take(order)
            verdicts = verdicts_of(part)
            tables = kappa_tables(verdicts, *(part.judges.names.index(name) for name in "ab"))
            agreed, kappa = kappa_of(tables, 0.05)
            assert (tables.items, agreed[0], kappa[0]) == pytest.approx(expected)
            several = alpha_tables(verdicts)
            assert several.items == 30
            # Two judges: coincidences are the two tables of shares, so that the agreement in them is the raw one.
            assert np.trace(several.tables.sum(axis=0)) / 60 == pytest.approx(expected[1])

    def test_a_share_stays_within_its_bounds_and_has_width(self):
        """Wilson's interval: of independent prompts that of so many looks, save for t and the jackknife's n - 1."""
        few = judged({"a": [1.0] * 20, "b": [1.0] * 3 + [0.0] * 17})
        agreed = kappa_of(kappa_tables(verdicts_of(few), 0, 1), 0.05)[0]
        low, high = wilson_limits(0.15, 19, t_quantile(19, 0.05))
        assert (agreed[0], agreed[1], agreed[2]) == pytest.approx((0.15, low, high))
        assert 0 < agreed[1] < 0.15 < agreed[2] < 1
        same = judged({"a": [1.0, 0.0] * 5, "b": [1.0, 0.0] * 5})
        agreed, kappa = kappa_of(kappa_tables(verdicts_of(same), 0, 1), 0.05)
        assert (agreed[0], agreed[2]) == (1.0, 1.0)
        assert agreed[1] == pytest.approx(wilson_limits(1.0, 10, t_quantile(9, 0.05))[0])
        # No prompt moves it, so nothing tells how far it may vary.
        assert (kappa[0], math.isnan(kappa[1]), math.isnan(kappa[2])) == (1.0, True, True)

    def test_real_judges(self, shared_data):
        path = shared_data / "judges/llmbar-vanilla.csv"
        names = ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2")
        columns = ("human", *(f"{name} {order}" for order in ("original", "swapped") for name in names))
        verdicts = verdicts_of(read_battles([path], BattleChoice(winner=columns, names=("one", "two"))))

        def agreement(one, other):
            return [found[0] for found in kappa_of(kappa_tables(verdicts, one, other), 0.05)]

        both = [(agreement(0, i), agreement(0, i + 4)) for i in range(1, 5)]
        agreed = [(one[0] + other[0]) / 2 for one, other in both]
        assert agreed == pytest.approx([0.844869, 0.399761, 0.441527, 0.698091], abs=5e-7)
        assert [one[1] for one, _ in both] == pytest.approx([0.656503, -0.183683, -0.113843, 0.367005], abs=5e-7)
        between = [agreement(i, i + 4)[1] for i in range(1, 5)]
        assert between == pytest.approx([0.856876, 0.370256, 0.503711, 0.466632], abs=5e-7)

    @pytest.mark.parametrize(
        ("name", "flipped", "p"),
        [
            ("GPT-4", (20, 10), 0.0987371),
            ("ChatGPT", (133, 10), 1.383e-28),
            ("LLaMA2", (76, 27), 1.446e-6),
            ("PaLM2", (83, 32), 2.159e-6),
        ],
    )
    def test_real_positions(self, shared_data, name, flipped, p):
        """Verdicts in both orders: of those that depend on the order, how many are for the first."""
        path = shared_data / "judges/llmbar-vanilla.csv"
        columns = (f"{name} original", f"{name} swapped")
        whole = read_battles([path], BattleChoice(winner=columns, names=("one", "two")))
        half = whole.rows // 2
        swapped = np.arange(whole.rows) >= half
        battles = replace(
            whole,
            first=np.where(swapped, whole.second, whole.first),
            second=np.where(swapped, whole.first, whole.second),
            share=np.where(swapped, 1 - whole.share, whole.share),
            shown=np.ones(whole.rows, dtype=bool),
            judges=None,
        )
        tally = by_place(battles)
        there = tally.n == 2
        assert (int((tally.d[there] > 0).sum()), int((tally.d[there] < 0).sum())) == flipped
        assert flip_p(tally.d[there]).value == pytest.approx(p, rel=5e-4)
        assert swapped_verdicts(battles)["flipped"] == sum(flipped)


class TestSwapped:
    def test_every_vote_of_one_order_meets_every_vote_of_the_other(self):
        rng = np.random.default_rng(6)
        rows, judges = [], []
        for i, judge in itertools.product(range(12), "ab"):
            for pair in (("x", "y"), ("y", "x")):
                for _ in range(rng.integers(0, 4)):
                    rows.append((f"p{i}", *pair, float(rng.choice([0.0, 0.5, 1.0, np.nan]))))
                    judges.append(judge)
        battles = made(rows, ("x", "y"), judges=judges)
        compared = flipped = 0
        questions = set()
        for (i, one), (j, other) in itertools.product(enumerate(rows), repeat=2):
            same = one[0] == other[0] and judges[i] == judges[j] and not math.isnan(one[3] + other[3])
            if same and (one[1], other[1]) == ("x", "y"):
                compared += 1
                flipped += one[3] != 1 - other[3]
                questions.add((one[0], judges[i]))
        assert 0 < flipped < compared
        for order in (np.arange(battles.rows), np.arange(battles.rows)[::-1], rng.permutation(battles.rows)):
            found = swapped_verdicts(battles.take(order))
            assert (found["compared"], found["flipped"], found["questions"]) == (compared, flipped, len(questions))


class TestLengths:
    def test_against_a_general_optimiser(self, monkeypatch):
        rng = np.random.default_rng(2)
        rows, lengths = [], []
        for i in range(300):
            la, lb = rng.integers(20, 200, 2)
            gap = 0.4 + 1.5 * (la - lb) / (la + lb)
            rows.append((f"p{i // 2}", "x", "y", float(rng.random() < 1 / (1 + np.exp(-gap)))))
            lengths.append((la, lb))
        battles = made(rows, lengths=np.array(lengths, dtype=float))
        found = fit_lengths(battles)
        x = (battles.lengths[:, 0] - battles.lengths[:, 1]) / battles.lengths.sum(axis=1)

        def loss(beta):
            gap = beta[0] + beta[1] * x
            return -(battles.share * gap - np.logaddexp(0, gap)).sum()

        best = optimize.minimize(loss, np.zeros(2), method="BFGS").x
        assert (found.contrast(0, 1)[0], found.coefficient) == pytest.approx(tuple(best), abs=1e-4)
        # Each prompt left out to first order, written out.
        z = np.stack([np.ones(300), x], axis=1)
        p = 1 / (1 + np.exp(-z @ best))
        whole = (z * (p * (1 - p))[:, None]).T @ z
        moved = []
        for g in range(150):
            own = battles.prompts.codes == g
            part = (z[own] * (p * (1 - p))[own, None]).T @ z[own]
            moved.append(np.linalg.solve(whole - part, z[own].T @ (battles.share - p)[own]))
        variance = 149 / 150 * np.array(moved).T @ np.array(moved)
        assert found.contrast(0, 1)[1] == pytest.approx(variance[0, 0] ** 0.5, rel=1e-3)
        assert found.coefficient_error() == pytest.approx(variance[1, 1] ** 0.5, rel=1e-3)
        # With very many prompts the plain sandwich is the same.
        monkeypatch.setattr(lengths_module, "MAX_JACKKNIFED", 0)
        assert fit_lengths(battles).coefficient_error() == pytest.approx(found.coefficient_error(), rel=0.03)

    def test_where_there_is_nothing_to_fit(self):
        rows = [(f"p{i}", "x", "y", float(i % 2)) for i in range(12)]
        assert fit_lengths(made(rows)) is None
        assert fit_lengths(made(rows, lengths=np.full((12, 2), 9.0))) is None
        assert fit_lengths(made(rows, lengths=np.full((12, 2), np.nan))) is None
        assert fit_lengths(made(rows[:6], lengths=np.arange(12.0).reshape(6, 2) + 1)) is None
        # Length tells the winner for certain.
        sure = np.array([[9.0, 5.0] if i % 2 else [5.0, 9.0] for i in range(12)])
        assert fit_lengths(made(rows, lengths=sure)) is None


def drawn_labels(rng, rate, labels, others, right):
    """People on some prompts, and a judge that says what they would on a share of all."""
    people = (rng.random(labels + others) < rate).astype(float)
    judge = np.where(rng.random(labels + others) < right, people, 1 - people)
    return people[:labels], judge[:labels], judge[labels:]


class TestLabels:
    def test_the_formulas(self):
        """Every prompt's weight is fitted without it, and to a contradiction in either direction."""
        rng = np.random.default_rng(1)
        h, rest = np.tile([1.0, 0.0, 0.5, 1.0], 5), rng.random(70)
        j = 0.8 * h + 0.2 * rng.random(20)
        weights = []
        for i in range(20):
            own, judge = np.append(np.delete(h, i), [1.0, 0.0]), np.append(np.delete(j, i), [0.0, 1.0])
            weights.append(np.cov(own, judge)[0, 1] / ((1 + 20 / 70) * np.var(judge, ddof=1)))
        assert 0 < min(weights) < max(weights) < 1
        found, weight = share_tuned(h, j, rest), np.mean(weights)
        assert found.weight == pytest.approx(weight)
        seen = h - weights * (j - rest.mean())
        assert found.value == pytest.approx(seen.mean())

        def variance(values, opposed):
            # Two of each and one of each opposite are half of them, relative to the rest.
            doubled = np.concatenate([values, values, opposed])
            return np.mean((doubled - doubled.mean()) ** 2) * 21 / 20 * 19 / (18 * 20)

        part = weight**2 * np.var(rest, ddof=1) / 70
        assert found.variance == pytest.approx(variance(seen, [1 + weight * rest.mean(), -weight * (1 - rest.mean())]) + part)
        assert found.alone_variance == pytest.approx(variance(h, [1.0, 0.0]))
        share = labelled_share(h, j, rest, 0.05)
        assert share.effective == pytest.approx(20 * found.alone_variance / found.variance)

    @pytest.mark.parametrize(("rate", "labels", "right"), a_few([(0.75, 20, 0.95), (0.9, 50, 0.8)], 1))
    def test_the_estimate_is_what_people_would_say_on_average(self, rate, labels, right):
        """Whether the judge counts depends on nothing that people said, nor does his weight on the prompt he helps with."""
        rng = np.random.default_rng(9)
        found = [labelled_share(*drawn_labels(rng, rate, labels, 200, right), 0.05) for _ in range(400)]
        values = np.array([one.value for one in found])
        assert abs(values.mean() - rate) < 2.5 * values.std() / 20
        assert np.mean([one.low <= rate <= one.high for one in found]) > 0.93
        assert values.std() < np.std([one.alone[0] for one in found])

    @pytest.mark.slow
    def test_the_estimate_is_unbiased_over_many_draws(self):
        rng = np.random.default_rng(10)
        values = np.array([share_tuned(*drawn_labels(rng, 0.75, 20, 200, 0.95)).value for _ in range(20_000)])
        assert abs(values.mean() - 0.75) < 0.0015

    def test_a_judge_without_use_gets_no_weight(self):
        h = np.array([1.0, 0.0] * 10)
        opposite = share_tuned(h, 1 - h, np.array([1.0, 0.0] * 40))
        assert (opposite.weight, opposite.value) == (0.0, 0.5)
        constant = share_tuned(h, np.ones(20), np.ones(80))
        assert (constant.weight, constant.value) == (0.0, 0.5)

    def test_a_useless_judge_costs_little(self):
        rng = np.random.default_rng(3)
        found = [labelled_share(*drawn_labels(rng, 0.5, 20, 200, 0.5), 0.05) for _ in range(300)]
        assert min(one.effective for one in found) > 17
        spread = np.var([one.value for one in found]) / np.var([one.alone[0] for one in found])
        assert spread < 1.06

    def test_people_who_agree_with_each_other_say_little_about_the_judge(self):
        h = np.array([1.0] * 18 + [0.0] * 2)
        found = labelled_share(h, h, np.ones(80), 0.05)
        assert found.weight < 0.6
        assert found.low < 0.9 < found.high <= 1
        # All alike: the interval still has room.
        assert labelled_share(np.ones(20), np.ones(20), np.ones(80), 0.05).low < 0.9

    def test_below_twenty_labels_people_count_alone(self):
        """The sign test of 10 : 2 and Wilson's interval, as if there were no judge; so many labels are worth themselves."""
        h = np.array([1.0] * 10 + [0.0] * 2)
        found = labelled_share(h, h, np.array([1.0, 0.0] * 24), 0.05)
        assert (found.weight, found.effective) == (0.0, 12.0)
        assert found.p.value == 158 / 4096
        alone = found.alone
        assert (found.value, found.low, found.high) == alone
        assert (found.value, found.low, found.high) == pytest.approx((10 / 12, 0.5519691, 0.9530349), abs=1e-6)

    def test_interval_and_p_of_a_share_agree(self):
        rng = np.random.default_rng(5)
        for _ in range(100):
            h = (rng.random(40) < rng.uniform(0.3, 0.9)).astype(float)
            rest = (rng.random(200) < 0.6).astype(float)
            found = labelled_share(h, np.where(rng.random(40) < 0.8, h, 1 - h), rest, 0.05)
            assert (found.low <= 0.5 <= found.high) == (found.p.value > 0.05)

    def test_too_few_labels(self):
        with pytest.raises(OutscoreError, match="3 labelled prompts are too few"):
            labelled_share(np.ones(3), np.ones(3), np.ones(9), 0.05)

    def test_the_audit(self):
        rng = np.random.default_rng(2)
        assert audit_p(rng.normal(1, 1, 40), rng.normal(0, 1, 60)) < 1e-3
        assert audit_p(np.ones(5), np.ones(9)) is None
        assert audit_p(np.ones(1), np.ones(9)) is None


def test_positions_of_people(shared_data):
    battles = read_battles([shared_data / "preferences/llmfao/llmfao.csv"])
    tally = by_place(battles)
    assert (int(tally.wins[0]), int(tally.losses[0]), int(tally.ties[0])) == (2911, 2549, 3471)
    assert independent_p(tally.wins, tally.losses)[0] == pytest.approx(1.02265e-6, rel=1e-5)

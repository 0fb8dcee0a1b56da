"""Strengths: against a plain optimiser, published values, and what theory says of unbeaten systems and sets that never met."""

from __future__ import annotations

import csv
import math
from itertools import permutations

import numpy as np
import pytest
from scipy import optimize
from tests.inference.preferences.battle_making import made, simulated

from outscore.formats.battles.read import read_battles
from outscore.inference.preferences.models import fit_davidson, fit_model
from outscore.inference.preferences.strengths import circles_of, order_by_strength, score_test, strengths_of
from outscore.inference.preferences.tally import tally_of


def naive(battles, ridge=0.0):
    """Maximum likelihood by a general optimiser, battle by battle."""
    k = len(battles.systems)

    def loss(theta):
        gap = theta[battles.first] - theta[battles.second]
        return -(battles.share * gap - np.logaddexp(0, gap)).sum() + ridge * theta @ theta

    found = optimize.minimize(loss, np.zeros(k), method="BFGS", options={"gtol": 1e-10})
    return found.x - found.x.mean()


def test_newton_finds_the_maximum():
    battles = simulated(np.random.default_rng(0), [0.8, 0.2, 0.0, -0.6, -0.4], 30, ties=0.2)
    assert strengths_of(tally_of(battles), 0.05).theta == pytest.approx(naive(battles), abs=1e-6)


def test_a_prompt_counts_once_for_each_system():
    battles = simulated(np.random.default_rng(3), [0.5, 0.0, -0.5, 0.1], 12)
    met = [{*battles.units.codes[battles.first == k], *battles.units.codes[battles.second == k]} for k in range(4)]
    found = strengths_of(tally_of(battles), 0.05)
    assert found.prompts.tolist() == [len(units) for units in met]
    assert battles.units.codes.size > found.prompts.sum() / 2  # some prompts have several battles of a system


def test_coefficients_are_fitted_with_the_strengths():
    rng = np.random.default_rng(2)
    n = 3000
    left, right = np.array([rng.choice(3, 2, replace=False) for _ in range(n)]).T
    x = rng.normal(size=(n, 1))
    theta = np.array([0.5, 0.0, -0.5])
    share = (rng.random(n) < 1 / (1 + np.exp(theta[right] - theta[left] - 0.7 * x[:, 0]))).astype(float)
    fit = fit_model(left, right, share, np.ones(n), 3, x)

    def loss(beta):
        gap = beta[left] - beta[right] + x[:, 0] * beta[3]
        return -(share * gap - np.logaddexp(0, gap)).sum()

    best = optimize.minimize(loss, np.zeros(4), method="BFGS").x
    assert fit.gamma[0] == pytest.approx(best[3], abs=1e-4)
    assert fit.theta == pytest.approx(best[:3] - best[:3].mean(), abs=1e-4)


def test_davidson_against_a_general_optimiser():
    battles = simulated(np.random.default_rng(3), [0.8, 0.0, -0.8], 40, ties=0.3)
    tally = tally_of(battles)
    tied = tally.by_pair(tally.tied)
    fit = fit_davidson(tally.left, tally.right, tally.lead, tied, tally.total, 3)

    def loss(beta):
        half = (beta[tally.left] - beta[tally.right]) / 2
        whole = np.log(np.exp(half) + np.exp(-half) + np.exp(beta[3]))
        return -(tally.lead * half + tied * beta[3] - tally.total * whole).sum()

    best = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    assert fit.theta == pytest.approx(best[:3] - best[:3].mean(), abs=1e-5)
    assert fit.gamma[0] == pytest.approx(best[3], abs=1e-5)
    # The inverse is that of the curvature at the maximum, on the strengths that add up to 0.
    steps = 1e-3 * np.eye(4)
    bends = [loss(best + s + t) - loss(best + s - t) - loss(best - s + t) + loss(best - s - t) for s in steps for t in steps]
    curvature = np.array(bends).reshape(4, 4) / 4e-6
    assert fit.inverse == pytest.approx(np.linalg.pinv(curvature, rcond=1e-4), abs=1e-4)
    found = strengths_of(tally, 0.05, "davidson")
    assert found.theta == pytest.approx(fit.theta)
    gap = float(found.theta[0] - found.theta[2])
    nu = math.exp(found.log_nu)
    whole = math.exp(gap / 2) + math.exp(-gap / 2) + nu
    assert found.rate(gap) == pytest.approx((math.exp(gap / 2) + nu / 2) / whole)
    assert all(found.strength(i).error > 0 for i in range(3))


def test_davidson_without_ties_is_the_plain_model():
    battles = simulated(np.random.default_rng(4), [0.5, 0.0, -0.5], 20)
    plain, other = (strengths_of(tally_of(battles), 0.05, ties) for ties in ("half", "davidson"))
    assert other.theta == pytest.approx(plain.theta)
    assert other.log_nu is None


def test_a_system_of_one_prompt_has_no_interval():
    """Its scores add up to 0 on that prompt, which is no lack of spread."""
    rows = [(f"p{i}", "x", "y", float(i % 2)) for i in range(20)] + [("p0", "z", "x", 1.0), ("p0", "z", "x", 0.0)]
    found = strengths_of(tally_of(made(rows)), 0.05)
    assert found.prompts.tolist() == [20, 20, 1]
    assert math.isnan(found.strength(2).error)
    assert math.isnan(found.contrast(2, 0).error)
    # The others are known as well as without it, except for the average.
    alone = strengths_of(tally_of(made(rows[:20])), 0.05).contrast(0, 1)
    assert found.contrast(0, 1).error == pytest.approx(alone.error, rel=1e-6)
    assert found.contrast(0, 1).df == pytest.approx(alone.df, rel=0.1)


class TestBounds:
    def core(self):
        """Two systems that beat each other in turn, on 20 prompts."""
        return [(f"p{i}", "x", "y", float(i % 2)) for i in range(20)]

    def test_never_lost(self):
        rows = self.core() + [(f"p{i}", "z", "x", 1.0) for i in range(10)]
        found = strengths_of(tally_of(made(rows)), 0.05)
        assert found.theta.tolist()[:2] == pytest.approx([0.0, 0.0], abs=1e-9)
        assert found.theta[2] == math.inf
        # Ten prompts won against a rival of strength 0: p^10 = .025.
        p = 0.025**0.1
        assert found.bound[2] == pytest.approx(math.log(p / (1 - p)), abs=1e-9)
        assert order_by_strength(found)[0] == 2
        assert not found.finite

    def test_votes_of_a_prompt_count_once(self):
        once = strengths_of(tally_of(made(self.core() + [(f"p{i}", "z", "x", 1.0) for i in range(10)])), 0.05)
        rows = self.core() + [(f"p{i}", "z", "x", 1.0) for i in range(10) for _ in range(5)]
        assert strengths_of(tally_of(made(rows)), 0.05).bound[2] == pytest.approx(once.bound[2])

    def test_never_won(self):
        rows = self.core() + [(f"p{i}", "z", "x", 0.0) for i in range(10)]
        found = strengths_of(tally_of(made(rows)), 0.05)
        assert found.theta[2] == -math.inf
        assert found.bound[2] < 0
        assert order_by_strength(found)[-1] == 2

    def test_a_chain_of_beatings_is_finite(self):
        rows = [(f"p{i}", *pair, 1.0) for i in range(6) for pair in (("x", "y"), ("y", "z"), ("z", "x"))]
        found = strengths_of(tally_of(made(rows)), 0.05)
        assert found.theta == pytest.approx([0, 0, 0], abs=1e-9)
        assert found.finite

    def test_a_ladder_has_a_single_rung_in_its_core(self):
        rows = [(f"p{i}", *pair, 1.0) for i in range(6) for pair in (("x", "y"), ("y", "z"))]
        found = strengths_of(tally_of(made(rows)), 0.05)
        assert int(found.core.sum()) == 1
        assert order_by_strength(found) == [0, 1, 2]
        # The rung in the middle gives both others a bound.
        assert found.theta.tolist() == [math.inf, 0.0, -math.inf]
        assert found.bound[0] == pytest.approx(-found.bound[2])

    def test_where_one_beats_all_others_it_is_what_they_are_measured_by(self):
        found = strengths_of(tally_of(made([(f"p{i}", "x", other, 1.0) for i in range(6) for other in "yz"], "yxz")), 0.05)
        assert found.theta.tolist() == [-math.inf, 0.0, -math.inf]
        assert found.bound[0] == found.bound[2] < 0

    def test_sets_that_never_met(self):
        rows = self.core() + [(f"p{i}", "u", "v", float(i % 4 > 0)) for i in range(20)]
        found = strengths_of(tally_of(made(rows)), 0.05)
        assert found.group.tolist() == [0, 0, 1, 1]
        assert found.theta[2] == pytest.approx(math.log(3) / 2)
        assert not found.finite

    def test_a_tie_is_enough_to_be_comparable(self):
        rows = [*self.core(), *((f"p{i}", "z", "x", 1.0) for i in range(9)), ("p9", "z", "x", 0.5)]
        assert strengths_of(tally_of(made(rows)), 0.05).finite


class TestTransitivity:
    def test_a_circle_is_found(self):
        rng = np.random.default_rng(5)
        pairs = (("x", "y"), ("y", "z"), ("z", "x"))
        rows = [(f"p{i}", *pair, float(rng.random() < 0.8)) for i in range(60) for pair in pairs]
        tally = tally_of(made(rows))
        found = score_test(tally, strengths_of(tally, 0.05))
        assert found.df == 1
        assert found.p < 1e-4

    def test_strengths_alone_are_not_taken_for_circles(self):
        found = []
        for seed in range(60):
            tally = tally_of(simulated(np.random.default_rng(seed), [0.6, 0.0, -0.3, -0.3], 40, votes=5))
            found.append(score_test(tally, strengths_of(tally, 0.05)).p)
        assert np.mean(np.array(found) <= 0.05) < 0.17
        assert 0.3 < np.mean(found) < 0.7

    def test_where_there_is_no_test(self):
        chain = tally_of(made([(f"p{i}", *pair, float(i % 2)) for i in range(9) for pair in (("x", "y"), ("y", "z"))]))
        assert "form no circle" in score_test(chain, strengths_of(chain, 0.05)).note
        few = tally_of(
            made([(f"p{i}", *pair, float(i % 2)) for i in range(2) for pair in (("x", "y"), ("y", "z"), ("z", "x"))])
        )
        assert "prompts" in score_test(few, strengths_of(few, 0.05)).note

    def test_circles_are_those_of_a_search_through_all_orders(self):
        """Every set of systems that beat each other round about has a shortest circle, and systems in none have none."""
        rng = np.random.default_rng(7)
        for _ in range(60):
            k = int(rng.integers(3, 6))
            better = np.triu(rng.random((k, k)) < 0.8, 1)
            better = np.where(np.triu(rng.random((k, k)) < 0.5, 1), better, False) | (better & (rng.random((k, k)) < 0.3)).T
            better &= ~(better & better.T)
            every = [
                way
                for size in range(3, k + 1)
                for way in permutations(range(k), size)
                if way[0] == min(way) and all(better[i, j] for i, j in zip(way, (*way[1:], way[0]), strict=True))
            ]
            found = circles_of(better)
            assert {i for way in every for i in way} == {i for i in range(k) if (found[1] == found[1][i]).sum() > 2}
            for path in found[0]:
                assert tuple(path) in every
                together = [way for way in every if found[1][way[0]] == found[1][path[0]]]
                assert len(path) == min(map(len, together))
            assert len(found[0]) == len({int(found[1][way[0]]) for way in every})


FIRST = (
    "eaecccececaccebcdcdfaaceceacbeaeddfdedcafcccccafbedbdceeffdcededddeedcfadbcdbdbddecccdbddddacfcffbffcfbebdedbcfcbcbdae"
    "faeaaeecadacdebeecdcceebddfcfafaddabdfbbdabebfabefdeeafabdddadfbabbcddebddbcffdccabaccbbcddbcfecbeffefabcceabdfcdfafae"
    "cdfecaaabcbdcfdabeefbeaebfeabbafddfbffbceabcfdedcacfdbbeddcdeece"
)
SECOND = (
    "decddeadfdbdbfddcbcdeeafbccfcdeaafcaaaefafdebedecfcfafffaabadebebcfccdccfffafbeaafaeebfccebbbadeaddafbabfbdaeeeefedceb"
    "bcfbbfaeffefacafcfabaaacbccebecccbcdbbaecdcffceacaccccafdbbacacceafeeadeebfdcbafdfaceaeadeeaaccefacecceefdbcfccbfabeec"
    "efdbfcceebcfdafddaddaccdcebeaeddeaadbeaebbfdeedcecbdfffcebfbcdbc"
)
WON = (
    "xxxxyxtxxtxxyxxtyyxyxxytxyxxttxyyxyyyxyxyxxtxyxtxxyxytxtyxxyxtxxytxxyytxxtyyxyxtyxyyxxyyyxyxyyxyytyyxtyyxtyyxxxyxxtyxy"
    "xxxyyxyytxxyyxyxyxyyyyyyxyyxyxyyxyxxxyxtxxyxxxyxxyyyyyxyxyyytyyxtxxxyyyxyxxyxyyxtxyxyyxyxyxyyytxyytytyxxxxyxxyyyxytyxy"
    "xyyyxxtxxxxxxyxxxxxttxxtyxttxxtyxtyxyyyyyttxtyxtytttxyyxyytxyyyy"
)
"""Battles that evalica 0.4.2 was given; t is a tie."""


class TestReference:
    def test_evalica(self):
        """evalica 0.4.2, bradley_terry with tolerance 0; geometric mean 1."""
        shares = {"x": 1.0, "y": 0.0, "t": 0.5}
        rows = [(f"p{i}", a, b, shares[won]) for i, (a, b, won) in enumerate(zip(FIRST, SECOND, WON, strict=True))]
        battles = made(rows, "abcdef")
        wanted = [
            2.9868958870708813, 1.6214826510540605, 1.0422624115825712, 0.6796122548564524, 0.8056714476578408,
            0.36180232958268727,
        ]  # fmt: skip
        assert np.exp(strengths_of(tally_of(battles), 0.05).theta) == pytest.approx(wanted, rel=1e-12)

    def test_the_golden_file(self, shared_data):
        """Scores of evalica's repository (2ebe79e), Bradley-Terry with ties as half a win each."""
        folder = shared_data / "preferences/llmfao"
        battles = read_battles([folder / "llmfao.csv"])
        theta = strengths_of(tally_of(battles), 0.05).theta
        found = dict(zip(battles.systems, (np.exp(theta) / np.exp(theta).sum()).tolist(), strict=True))
        with (folder / "llmfao-golden.csv").open() as lines:
            golden = {row["item"]: float(row["score"]) for row in csv.DictReader(lines) if row["algorithm"] == "bradley_terry"}
        assert found == pytest.approx(golden, abs=1e-9)
        assert found["GPT 4"] == pytest.approx(0.0412178737, abs=1e-10)

    @pytest.mark.parametrize(
        ("commit", "wanted"),
        [
            ("57a9881", {"gpt-4o": 2.18054744, "sonnet": 2.13959819, "opus": 0.99700425, "haiku": 0.21498355}),
            (
                "74e8b6f",
                {"sonnet": 2.14397327, "opus": 0.86407461, "gpt-4o": 1.80060885, "4o-mini": 1.09701569, "haiku": 0.27327328},
            ),
        ],
    )
    def test_arena_hard(self, shared_data, commit, wanted):
        battles = read_battles([shared_data / f"preferences/arena-hard/arena_hard_battles_{commit}.jsonl"])
        scores = np.exp(strengths_of(tally_of(battles), 0.05).theta)
        for name, value in wanted.items():
            found = [scores[i] for i, system in enumerate(battles.systems) if system.endswith(name) or f"-{name}-" in system]
            assert found[0] == pytest.approx(value, abs=1e-8)

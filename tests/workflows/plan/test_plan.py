from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower
from tests.plans import paired_pilot, plan_from_pilot
from tests.plans import plan_numbers as plan

from outscore.core.errors import OutscoreError
from outscore.engine.progress import Progress
from outscore.inference.power.planning import detectable_effect, power, sample_size
from outscore.results.note import note_texts
from outscore.results.plan import PlanResult, PossibleP, StudyDesign
from outscore.results.saved import from_saved
from outscore.workflows.plan.answer import possible_p
from outscore.workflows.plan.pilot import retrospective_curves, spread_of_pilot
from outscore.workflows.requests.plan import PlanRequest

TEST = "(two-sided, alpha = .05)."


def ask(*, effect=None, n=None, power=0.8, accuracy=None, **design):
    return plan(StudyDesign(**design), effect=effect, n=n, power=power, accuracy=accuracy)


def test_items():
    found = ask(effect=0.03, sd=1 / 3)
    assert found.verdict == f"You need 971 items to detect a difference of 0.03 in the mean score with power .8 {TEST}"
    assert (found.question, found.items, found.t_items, found.method) == ("items", 971, 971, "permutation")
    # No test of normal differences beats the t test, which the permutation test is with many of them.
    assert found.n == pytest.approx(TTestPower().solve_power(0.09, power=0.8, alpha=0.05), abs=1e-3)
    assert found.formula_n == sample_size(0.03, sd=1 / 3) == pytest.approx(968.9975, abs=1e-4)
    at_n = next(point.power for point in found.curve if point.n == 971)
    assert at_n == pytest.approx(0.8, abs=1e-4)


def test_effect_is_rounded_up():
    found = ask(n=1000, sd=1 / 3)
    assert found.verdict == f"With 1,000 items you can detect a difference of 0.0296 in the mean score with power .8 {TEST}"
    assert found.effect == pytest.approx(detectable_effect(1000, sd=1 / 3, method="t"))
    assert ask(n=1000, sd=1 / 3, alternative="less").effect < 0


def test_power():
    found = ask(n=1000, effect=0.03, discordance=0.1)
    words = "With 1,000 items the power to detect a difference of 0.03 in accuracy (3 percentage points) is .835"
    assert found.verdict == f"{words} {TEST}"
    assert found.power == power(1000, 0.03, discordance=0.1)


def test_standardised():
    found = ask(effect=0.2)
    assert found.verdict.startswith("You need 199 items to detect an effect of 0.2 standard deviations")
    assert (found.method, found.n, found.t_items) == ("permutation", 199, 199)
    assert ask(effect=0.2, method="t").n == pytest.approx(198.15, abs=0.005)


def test_clusters_and_repeats_in_words():
    found = ask(effect=0.05, sd=0.3, within=0.4, repeats=4, cluster_size=10, icc=0.1)
    groups = round(found.items / 10)
    words = f"{groups} clusters of 10 items ({found.items} items), each run 4 times by both systems, to"
    assert words in found.verdict
    assert found.items == 10 * groups == found.n
    assert found.design.design_effect == pytest.approx(1.9)
    design = {"cluster_size": 10, "icc": 0.1, "method": "permutation"}
    once, endless = (math.ceil(sample_size(0.05, sd=sd, **design)) for sd in (0.5, 0.3))
    assert f"With one run per item, {once:,} items are needed; with any number of runs, at least {endless:,}." in note_texts(
        found.notes
    )


def test_accuracy_alone_takes_errors_as_independent():
    found = ask(effect=0.02, accuracy=0.87)
    assert found.design.discordance == pytest.approx(0.87 * 0.11 + 0.89 * 0.13)
    assert "independent" in found.notes[0].text
    assert found.n == sample_size(0.02, discordance=found.design.discordance)
    by_n = ask(n=1000, accuracy=0.87)
    other = 0.87 + by_n.effect
    assert by_n.design.discordance == pytest.approx(0.87 * (1 - other) + other * 0.13)
    assert ask(effect=0.02, accuracy=0.87, discordance=0.05).notes == []


def test_few_items():
    found = ask(effect=1, sd=1)
    assert (found.items, found.t_items) == (11, 10)
    assert found.formula_n == sample_size(1, sd=1) == pytest.approx(7.85, abs=0.01)
    assert note_texts(ask(effect=1, sd=1, method="normal").notes) == [
        "With so few items, the sd has to be estimated as well: plan for the t test's 10."
    ]
    few = ask(effect=3, sd=1)
    assert (few.items, few.t_items) == (6, 4)
    assert few.formula_n == sample_size(3, sd=1) < 1
    assert "fewer than 6 items" in " ".join(note_texts(ask(effect=3, sd=1, method="normal").notes))
    assert ask(effect=3, sd=1, alternative="greater", alpha=0.01).items == 7


def test_too_few_items_have_no_power():
    for asked in ({"n": 5, "sd": 1}, {"n": 5}, {"n": 50, "sd": 1, "cluster_size": 10, "icc": 0.1}):
        with pytest.raises(
            OutscoreError, match=r"cannot reach p <= 0\.05, however large the difference\. Plan for at least 6 (items|clusters)"
        ):
            ask(**asked)
    none = ask(n=5, effect=3, sd=1)
    assert none.power == 0
    assert "is 0 (" in none.verdict
    assert note_texts(none.notes) == ["An exact test cannot reach p <= .05 with fewer than 6 items, whatever the formula says."]


def test_curves_of_exact_power_stop_before_they_take_seconds():
    assert ask(n=50_000_000, effect=0.001, discordance=0.1, method="normal").curve
    found = ask(effect=0.004, discordance=0.5)
    assert max(point.n for point in found.curve) <= 1_000_000
    assert max(point.items for point in found.needs) <= 1_000_000


@pytest.mark.parametrize("given", [{"sd": 0.3}, {"discordance": 0.1}, {"sd": 0.3, "alternative": "less"}])
def test_items_for_smaller_and_larger_effects(given):
    effect = -0.02 if "alternative" in given else 0.02
    found = ask(effect=effect, **given)
    assert [point.effect / effect for point in found.needs] == pytest.approx([0.25, 0.5, 0.75, 1, 1.5, 2, 3])
    for point in found.needs:
        method = "exact" if "discordance" in given else "permutation"
        assert point.items == math.ceil(sample_size(point.effect, method=method, **given) * (1 - 1e-12))
    # Beyond the discordance there is no effect to detect.
    assert len(ask(effect=0.04, discordance=0.05).needs) == 4


@pytest.mark.parametrize(
    ("effect", "words"),
    [(1e-5, "0.00001 in the"), (1.23456789e-7, "1.235e-7 in the"), (0.0123456, "0.01235 in the"), (-0.5, "-0.5 in the")],
)
def test_digits_that_people_can_read(effect, words):
    assert f"a difference of {words} mean score" in ask(effect=effect, sd=0.01).verdict


def test_certainty_is_not_promised():
    assert "is above .999 (" in ask(n=10_000, effect=0.1, sd=0.3).verdict


REFUSED = {
    "nothing": ({}, "nothing to plan from"),
    "effect 0": ({"effect": 0.0, "sd": 1}, "no number of items can detect that there is no difference"),
    "n 0": ({"n": 0, "sd": 1}, "`n` is 0"),
    "n 1": ({"n": 1, "sd": 1}, "one item cannot tell two systems apart"),
    "n 1 by t": ({"n": 1}, "An exact test needs at least 6 items"),
    "one cluster": ({"n": 15, "sd": 1, "cluster_size": 10, "icc": 0.5}, "one cluster of 10 items"),
    "effect 0 and n": ({"effect": 0.0, "n": 100}, "no number of items can detect that there is no difference"),
    "tiny effect": ({"effect": 1e-200, "sd": 1}, "More than 1,000,000,000,000 items"),
    "tiny effect by t": ({"effect": 1e-9}, "More than 1,000,000,000,000 items"),
    "huge n": ({"n": 1e15, "sd": 1}, "from 1 to 1,000,000,000,000"),
    "huge n exactly": ({"n": 1e9, "discordance": 0.1}, "use the method normal"),
    "power below alpha": ({"effect": 0.1, "n": 50, "sd": 1, "power": 0.05}, "no more than alpha (0.05)"),
    "power 1": ({"effect": 0.1, "power": 1.0}, "infinitely many"),
    "discordance below effect": ({"effect": 0.1, "discordance": 0.05}, "less than the effect"),
    "accuracy above 1": ({"effect": 0.2, "accuracy": 0.9}, "`accuracy` is 0.9 and the effect +0.2"),
    "accuracy with sd": ({"effect": 0.2, "accuracy": 0.9, "sd": 1}, "Both `sd` and `accuracy`"),
    "discordance too large": ({"effect": 0.02, "accuracy": 0.9, "discordance": 0.3}, "allow at most 0.18"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_impossible_plans(case):
    asked, words = REFUSED[case]
    with pytest.raises(OutscoreError) as refusal:
        ask(**asked)
    assert words in str(refusal.value)


@pytest.mark.parametrize("found", [ask(effect=0.03, sd=0.3), possible_p(".871", ".864", 1000)])
def test_dictionaries_in_and_out(found):
    assert type(found).from_dict(found.to_dict()) == found
    assert from_saved(found.to_dict()) == found
    assert str(found.signature).startswith("plan:")
    assert found.verdict in found._repr_html_()


# The reviewer's question.


def test_printed_scores():
    found = possible_p(".871", ".864", 1000)
    assert found.verdict == (
        "p lies between .016 and .71, depending on how much the errors of the two systems overlap. "
        "It is at or below .05 only if they differ on at most 9 of 1,000 items."
    )
    assert found.right == ((871, 871), (864, 864))
    per_cent = possible_p("87.1", "86.4", 1000)
    assert per_cent == PossibleP(**{**vars(found), "scores": ("87.1", "86.4"), "signature": per_cent.signature})
    assert [found.curve[0].differ, found.curve[-1].differ] == [7, 265] == list(found.discordant)
    assert [found.curve[0].p, found.curve[-1].p] == pytest.approx([found.lowest.value, found.highest.value])
    assert possible_p("87.1%", "86.4%", 1000).lowest == found.lowest
    assert possible_p(0.864, 0.871, 1000).highest.value == found.highest.value


def test_every_count_that_prints_the_same_is_possible():
    # .87 of 2,000 may be any of 1,730 … 1,750: rounding rules for halves differ, so both ends count.
    found = possible_p(".87", ".870", 2000)
    assert found.right == ((1730, 1750), (1739, 1741))
    assert found.highest.value == 1
    # The gap may be 11 one way or the other, all of it from items only one system gets right.
    assert found.lowest.value == pytest.approx(2 / 2**11)


def test_a_score_that_no_count_gives():
    with pytest.raises(OutscoreError, match=r"No number of right answers out of 7 gives an accuracy that rounds to `\.871`"):
        possible_p(".871", ".857", 7)
    assert possible_p(".857", ".714", 7).right == ((6, 6), (5, 5))


def test_verdicts_of_clear_cases():
    with pytest.raises(OutscoreError, match=r"`n` is 1,000,001\. Printed scores can be checked for up to 1,000,000 items\."):
        possible_p(".871", ".864", 1_000_001)
    assert "It is at or below .05 in any case." in possible_p(".95", ".50", 1000).verdict
    assert "It is above .05 in any case." in possible_p(".8", ".6", 10).verdict
    assert possible_p("1.000", "0.000", 10).verdict == "p = .0020, however much the errors of the two systems overlap."
    assert possible_p("1.00", "1.00", 10).verdict.startswith("p = 1,")


@pytest.mark.parametrize(
    ("scores", "n", "words"),
    [
        ((".87", "good"), 10, "A score is `good`"),
        (("nan", ".87"), 10, "A score is `nan`"),
        (("-.1", ".87"), 10, "A score is `-.1`"),
        (("101", "87"), 100, "above 100"),
        ((".5", ".5"), 0, "`n` is 0"),
        ((".5", ".5"), 10.5, "`n` is 10.5"),
    ],
)
def test_impossible_scores(scores, n, words):
    with pytest.raises(OutscoreError) as refusal:
        possible_p(*scores, n)
    assert words in str(refusal.value)


# Pilots.


def pilot(*, items=400, runs=3, size=4, seed=2):
    """Scores whose variances are known: ω² = .09 with a third shared in clusters, σ_A² = .04, σ_B² = .09."""
    rng = np.random.default_rng(seed)
    shared = np.repeat(rng.normal(0, math.sqrt(0.03), items // size), size)
    difference = 0.05 + shared + rng.normal(0, math.sqrt(0.06), items)
    base = rng.normal(0, 1, items)
    a = (base + difference)[:, None] + rng.normal(0, 0.2, (items, runs))
    b = base[:, None] + rng.normal(0, 0.3, (items, runs))
    labels = np.repeat(np.arange(items), runs)
    return a.ravel(), b.ravel(), labels, labels // size


def test_spread_of_a_pilot():
    a, b, items, clusters = pilot(items=4000)
    spread = spread_of_pilot(*paired_pilot(a, b, items=items, clusters=clusters))
    assert spread.sd == pytest.approx(0.3, rel=0.05)
    assert spread.within == pytest.approx(math.sqrt(0.13), rel=0.02)
    assert spread.cluster_size == 4
    # What is seen on items includes a third of the noise between runs.
    assert spread.icc == pytest.approx(0.03 / (0.09 + 0.13 / 3), abs=0.04)
    assert spread.discordance is None


def test_spread_against_a_naive_twin():
    a, b, items, clusters = pilot(items=24)
    spread = spread_of_pilot(*paired_pilot(a, b, items=items, clusters=clusters))
    table_a, table_b = a.reshape(24, 3), b.reshape(24, 3)
    within = table_a.var(axis=1, ddof=1).mean() + table_b.var(axis=1, ddof=1).mean()
    d = (table_a - table_b).mean(axis=1)
    assert spread.within == pytest.approx(math.sqrt(within))
    assert spread.sd == pytest.approx(math.sqrt(max(0, d.var(ddof=1) - within / 3)))
    sums = (d - d.mean()).reshape(6, 4).sum(axis=1)
    effect = 6 / 5 * (sums**2).sum() / 24 / d.var(ddof=1)
    assert spread.design_effect == pytest.approx(max(1, effect))
    assert spread.icc == pytest.approx((max(1, effect) - 1) / 3)


def test_plan_from_a_pilot():
    a, b, items, clusters = pilot()
    found = plan_from_pilot(a, b, effect=0.04, items=items, clusters=clusters, repeats=5)
    spread = spread_of_pilot(*paired_pilot(a, b, items=items, clusters=clusters))
    design = {"sd": spread.sd, "within": spread.within, "repeats": 5, "cluster_size": 4, "icc": spread.icc}
    # Equal clusters of normal differences: what was tried on samples of them is what the formula says.
    assert found.n == pytest.approx(sample_size(0.04, method="permutation", **design), rel=0.08)
    assert found.notes[0].text == "Spread from a pilot of 400 items."
    assert "clusters may be needed (95%)" in found.notes[1].text
    given = plan_from_pilot(a, b, effect=0.04, items=items, clusters=clusters, icc=0.5)
    assert given.design.design_effect == pytest.approx(2.5)


def test_the_range_of_a_pilot_without_clusters_is_that_of_its_sd():
    d = np.random.default_rng(8).normal(0, 1, 100)
    found = plan_from_pilot(d, np.zeros(100), effect=0.1)
    few, many = (int(word.replace(",", "")) for word in found.notes[1].text.split() if word.replace(",", "").isdigit())
    # The chi-square interval of a variance with 99 degrees of freedom: factors .77 and 1.35.
    assert few / found.items == pytest.approx(0.77, abs=0.06)
    assert many / found.items == pytest.approx(1.35, abs=0.12)


def test_compare_and_plan_agree_on_the_variance_of_repeats():
    import outscore as osc

    a, b, items, _ = pilot(items=60)
    design = osc.compare(a, b, items=items).design
    spread = spread_of_pilot(*paired_pilot(a, b, items=items))
    assert (spread.sd**2, spread.within**2) == pytest.approx((design.between, design.within))


def test_a_trial_is_of_the_units_and_the_difference_of_the_comparison():
    import outscore as osc

    rng = np.random.default_rng(6)
    a, b = np.round(rng.normal(0.3, 1, 60), 1), np.zeros(60)
    asked = {"retrospective": True, "replicates": 3, "effect": 0.5}
    plain, joined = osc.plan(pilot=(a, b), **asked), osc.plan(pilot=(a, b), unit_size=5, shuffle=3, **asked)
    assert [curve.unit for curve in joined.retrospective] == ["units", "units"]
    assert {curve.observed_n for curve in joined.retrospective} == {12}
    assert plain.retrospective[0].observed_n == 60
    # Against the mean itself there is no difference to find.
    own = osc.plan(pilot=(a, b), delta=round(float(a.mean()), 1), retrospective=True, replicates=20).retrospective
    for curve in own:
        assert all(point.power <= 0.2 for point in curve.points)
    median = osc.plan(pilot=(a, b), unit_size=5, unit_statistic="median", test="sign", **asked)
    assert median.retrospective[0].test == "sign"
    with pytest.raises(OutscoreError, match="needs a pilot"):
        osc.plan(effect=0.1, sd=1.0, unit_size=5)


def test_binary_pilots_keep_their_discordance():
    a, b = np.array([1] * 70 + [0] * 30), np.array([1] * 60 + [0] * 20 + [1] * 5 + [0] * 15)
    found = plan_from_pilot(a, b)
    assert (found.design.basis, found.design.discordance, found.effect) == ("discordance", 0.15, pytest.approx(0.05))
    assert found.n == sample_size(0.05, discordance=0.15)
    assert "the pilot's own" in found.notes[0].text
    per_cent = plan_from_pilot(100 * a, 100 * b)
    assert (per_cent.design.basis, per_cent.design.unit, per_cent.effect) == ("discordance", 100, pytest.approx(5))
    assert per_cent.items == found.items
    assert "a difference of 5 in the mean score" in per_cent.verdict
    assert plan_from_pilot(a, b, n=300).question == "effect"


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1.0, 0.5], [0.9, 0.4], "say nothing about spread"),
        ([1.0], [0.9], "one item"),
        ([1.0, 2.0], [0.9], "`a` has 2 rows, but `b` has 1"),
        ([1.0, math.nan], [0.9, 1.0], "`a` is nan at row 2"),
        ([0.5, 0.6], [0.6, 0.5], "no number of items can detect that there is no difference"),
    ],
)
def test_pilots_that_say_nothing(a, b, words):
    with pytest.raises(OutscoreError) as refusal:
        plan_from_pilot(a, b)
    assert words in str(refusal.value)


def tried(a, b, progress=None, **asked):
    return retrospective_curves(*paired_pilot(a, b), PlanRequest(**asked), progress or Progress())


def test_retrospective_curves():
    rng = np.random.default_rng(4)
    scores = np.round(rng.normal(0.2, 0.3, 12), 2)
    steps = Progress()
    curves = tried(scores, np.zeros(12), steps, replicates=5, seed=1)
    assert [curve.kind for curve in curves] == ["normal", "bootstrap"]
    assert steps.done == steps.total == 2 * 5 * len(curves[0].points)
    assert "function of p alone" in curves[0].note
    again = tried(scores, np.zeros(12), replicates=5, seed=1)
    assert again == curves
    binary = tried([1, 1, 0, 1], [0, 0, 1, 0], replicates=2)
    assert [curve.kind for curve in binary] == ["bootstrap"]
    for test, words in (
        ("student-t", "There is no test `student-t`"),
        ("bayes", "it has no null hypothesis to reject"),
        ("block-bootstrap", "it needs the order of the items"),
    ):
        with pytest.raises(OutscoreError, match=words):
            tried(scores, np.zeros(12), test=test)


def test_a_plan_with_curves_survives_json():
    scores = np.round(np.random.default_rng(4).normal(0.2, 0.3, 8), 2)
    curves = tried(scores, np.zeros(8), replicates=2)
    found = plan_from_pilot(scores, np.zeros(8))
    whole = PlanResult(**{**vars(found), "retrospective": curves})
    assert PlanResult.from_dict(whole.to_dict()) == whole


@pytest.mark.slow
def test_curves_of_the_permutation_test_follow_the_t_test():
    scores = np.random.default_rng(5).normal(0.1, 0.3, 40)
    normal, own = tried(np.round(scores, 2), np.zeros(40), replicates=150)
    for point in (*normal.points[1:], *own.points[2:]):
        exact = power(point.n, normal.effect, sd=float(np.round(scores, 2).std(ddof=1)), method="t")
        assert abs(point.power - exact) < 4 * math.sqrt(exact * (1 - exact) / 150) + 0.02


def test_one_rounding_everywhere():
    from outscore.report.render import render

    shown = render(plan(StudyDesign(sd=0.324), n=1000), "text")
    assert "0.0287" not in shown
    assert shown.count("0.0288") == 4
    negative = render(plan(StudyDesign(sd=0.3), effect=-0.02), "text")
    assert "if the true difference is -0.02, " in negative


def test_one_run_is_not_compared_with_itself():
    once, twice = (plan(StudyDesign(sd=0.1, within=0.15, repeats=k), effect=0.02).notes[-1].text for k in (1, 2))
    assert once == "With more runs per item, fewer items are needed, but never fewer than 199."
    assert twice == "With one run per item, 640 items are needed; with any number of runs, at least 199."

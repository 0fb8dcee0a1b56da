from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.inference.decision import decide
from outscore.language.lines import comparison_signature as signature
from outscore.language.numbers import decimals_for, finer, format_interval, format_number, format_p, format_probability
from outscore.language.phrases import method_phrase, name_of_test
from outscore.language.verdict.comparison import Facts, sentence
from outscore.language.verdict.comparison import verdict as verdict_of
from outscore.results.comparison import Bayes, Margin
from outscore.results.design import Decision
from outscore.results.pvalue import Interval, PValue

INTERVAL = Interval(0.01, 0.0186, 0.95, "inversion", dual=True)


MEDIAN = Interval(0.0001, 0.004, 0.95, "order statistics", dual=False, estimand="median", estimate=0.0007)
TYPICAL = Interval(0.0004, 0.0079, 0.95, "Walsh averages", dual=True, estimand="pseudomedian", estimate=0.0041)


def verdict(facts):
    return verdict_of(facts).text


def words(p, **changes):
    facts = Facts(
        systems=("A", "B"),
        metric="accuracy",
        higher_is_better=True,
        scores=(0.9543, 0.94),
        difference=0.0143,
        p=p,
        interval=INTERVAL,
        alpha=0.05,
    )
    return replace(facts, **changes)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "p = 1"),
        (0.5, "p = .500"),
        (0.0123, "p = .0123"),
        (0.00012345, "p = .000123"),
        (0.00005, "p = 5.0e-5"),
        (3.94e-281, "p = 3.9e-281"),
        (0.99999, "p = 1.00"),
    ],
)
def test_exact_p(p_value, value, text):
    assert format_p(p_value(value)) == text


def test_p_below_the_floats():
    assert format_p(PValue(5e-324, 0.0, 5e-324, -1505.234, "exact", "lattice")) == "p = 10^-1505.2"


def test_p_with_bounds(p_value):
    assert format_p(p_value(0.0123, "certified", 0.01228, 0.01232)) == "p = .0123 (between .01228 and .01232)"
    assert format_p(p_value(1.4e-9, "certified", 0.0, 1.4e-9)) == "p <= 1.40e-9"
    assert format_p(p_value(0.0123, "monte-carlo", 0.0098, 0.0152)) == "p = .0123 ± .0027, 99% bounds .009800 to .01520"


@pytest.mark.parametrize(("value", "text"), [(0.0500004, "p = .0500004"), (0.0499996, "p = .0499996"), (0.05, "p = .0500")])
def test_p_stays_on_its_side_of_alpha(p_value, value, text):
    assert format_p(p_value(value), 0.05) == text


@given(st.floats(1e-300, 1.0), st.sampled_from([0.1, 0.05, 0.01, 0.001]))
def test_rounded_p_and_true_p_decide_alike(value, alpha):
    p = PValue(value, value, value, math.log10(value), "exact", "lattice")
    assert (float(format_p(p, alpha).removeprefix("p = ")) <= alpha) == (value <= alpha)


@given(st.floats(1e-300, 1.0), st.floats(0.9, 1.0))
def test_bounds_are_rounded_outwards(value, ratio):
    p = PValue(value, value * ratio, value, math.log10(value), "certified", "bracket")
    text = format_p(p)
    if "between" in text:
        low, high = text.removesuffix(")").split("between ")[1].split(" and ")
        assert float(low) <= p.lower <= p.upper <= float(high)


def test_numbers_for_people():
    assert format_number(0.954321) == "0.9543"
    assert format_number(27.314) == "27.31"
    assert format_number(1234567.0) == "1234567"
    assert format_number(-0.00001, 4) == "0.0000"
    assert format_number(0.0143, 4, sign=True) == "+0.0143"
    assert format_number(1e-12) == "1e-12"
    assert format_number(None) == "unbounded"
    assert format_probability(0.0) == "0"
    assert format_interval(Interval(None, 0.5, 0.95, "x", dual=True)) == "up to 0.5000"
    assert format_interval(Interval(0.5, None, 0.95, "x", dual=True)) == "from 0.5000 upwards"
    assert format_interval(Interval(None, None, 0.95, "x", dual=True)) == "unbounded on both sides"


def test_scores_that_differ_look_different():
    scores = (0.954321, 0.954319)
    decimals = decimals_for(*scores, difference=scores[0] - scores[1])
    assert format_number(scores[0], decimals) != format_number(scores[1], decimals)


@pytest.mark.parametrize(
    ("difference", "higher", "alternative", "winner"),
    [
        (0.1, True, "two-sided", 0),
        (-0.1, True, "two-sided", 1),
        (0.1, False, "two-sided", 1),
        (-0.1, False, "two-sided", 0),
        (0.1, True, "greater", 0),
        (-0.1, False, "greater", 0),
        (-0.1, True, "less", 1),
        (0.1, True, "less", None),
        (0.1, False, "less", 1),
        (0.0, True, "two-sided", None),
    ],
)
def test_decide_direction(p_value, difference, higher, alternative, winner):
    asked = {"higher_is_better": higher, "difference": difference, "alpha": 0.05, "alternative": alternative}
    claim = "undecided" if winner is None else "better"
    assert decide(p=p_value(0.01), **asked) == Decision(winner, claim)
    assert decide(p=p_value(0.06), **asked) == Decision(None, "undecided")


def test_the_upper_end_decides(p_value):
    asked = {"higher_is_better": True, "difference": 0.1, "alpha": 0.05}
    assert decide(p=p_value(0.04, "monte-carlo", 0.03, 0.05), **asked).winner == 0
    assert decide(p=p_value(0.04, "monte-carlo", 0.03, 0.051), **asked).winner is None


@pytest.mark.parametrize(
    ("difference", "delta", "winner"),
    [(0.05, 0.02, 0), (0.01, 0.02, None), (-0.05, 0.02, None), (-0.05, -0.02, 1), (0.0, -0.02, None)],
)
def test_decide_against_delta(p_value, difference, delta, winner):
    assert decide(higher_is_better=True, difference=difference, p=p_value(0.01), alpha=0.05, delta=delta).winner == winner


def test_verdict_with_a_winner(p_value):
    assert verdict(words(p_value(0.0123))) == (
        "A outscored B: accuracy 0.9543 against 0.9400; difference A - B = +0.0143, 95% CI 0.0100 to 0.0186; "
        "p = .0123, exact paired permutation test."
    )
    text = verdict(words(p_value(0.0123), higher_is_better=False))
    assert text.startswith("B outscored A: accuracy 0.9400 against 0.9543 (lower is better)")


def test_verdict_without_a_winner(p_value):
    text = verdict(words(p_value(0.3)))
    assert text.startswith("No winner: the data cannot tell A and B apart at alpha = .05; ")
    assert "equal" not in text
    one_sided = verdict(words(p_value(0.3), alternative="less"))
    assert one_sided.startswith("No winner: the data do not show that B is better than A at alpha = .05; ")


def test_verdict_between_the_bounds(p_value):
    text = verdict(words(p_value(0.05, "monte-carlo", 0.045, 0.056)))
    assert text.startswith("No winner: undecided, because alpha = .05 lies between the bounds of p (use more resamples)")
    certified = verdict(words(p_value(0.05, "certified", 0.045, 0.056)))
    assert "resamples" not in certified
    assert certified.startswith("No winner: undecided")


def test_verdict_of_identical_systems(p_value):
    asked = words(p_value(1.0), scores=(0.9, 0.9), difference=0.0, interval=None)
    assert verdict(replace(asked, identical=True)).startswith(
        "No winner: A and B scored identically on every item; accuracy 0.9000; p = 1"
    )
    assert "scored identically" in sentence(replace(asked, identical=True), n=5)
    assert "identical" not in verdict(asked)


def test_verdict_against_delta(p_value):
    assert verdict(words(p_value(0.01), delta=0.01)).startswith("A outscored B by more than 0.01: ")
    assert verdict(words(p_value(0.01), delta=0.02)).startswith("No winner: A - B lies below 0.02 at alpha = .05")
    assert verdict(words(p_value(0.3), delta=0.02)).startswith("No winner: the data cannot tell A - B apart from 0.02")


def test_sentence(p_value):
    assert sentence(words(p_value(0.0123)), n=2000, noun="cluster") == (
        "On 2,000 clusters, A (accuracy 0.9543) is better than B (0.9400) at the .05 level (A - B = +0.0143, "
        "95% confidence interval 0.0100 to 0.0186; exact paired permutation test, two-sided, p = .0123)."
    )
    undecided = sentence(words(p_value(0.3), alternative="greater", interval=None), n=1)
    assert undecided == (
        "On 1 item, the difference in accuracy between A (0.9543) and B (0.9400) is not statistically significant at the "
        ".05 level (A - B = +0.0143; exact paired permutation test, one-sided, p = .300)."
    )


@pytest.mark.parametrize("method", ["exact", "certified", "monte-carlo", "asymptotic"])
def test_no_p_without_its_method(p_value, method):
    p = p_value(0.01, method, 0.009, 0.011)
    for text in (verdict(words(p)), sentence(words(p), n=9)):
        assert method_phrase(p) in text
    assert method_phrase(replace(p, test="sign")).endswith("sign test") or method == "certified"


def test_signature_names_the_seed_only_where_it_matters(p_value):
    asked = {"alternative": "less", "alpha": 0.01, "resamples": 9999, "seed": 7}
    assert "seed" not in signature("f1", p_value(0.5), **asked)
    text = signature("f1", p_value(0.5, "monte-carlo"), delta=0.5, unit="clusters", **asked)
    for part in ("metric:f1", "method:monte-carlo", "unit:clusters", "alpha:0.01", "delta:0.5", "resamples:9999", "seed:7"):
        assert part in text.texts()


def test_margin_claims_only_where_nobody_won(p_value):
    small, large = p_value(0.01), p_value(0.5)
    asked = {"higher_is_better": True, "difference": 0.001, "alpha": 0.05}
    assert decide(p=large, margin=Margin(0.02, small, small), **asked) == Decision(None, "equivalent")
    assert decide(p=large, margin=Margin(0.02, small, large), **asked) == Decision(None, "non-inferior")
    assert decide(p=large, margin=Margin(0.02, large, large), **asked) == Decision(None, "undecided")
    assert decide(p=small, margin=Margin(0.02, small, small), **asked) == Decision(0, "better")


def test_words_for_a_margin(p_value):
    asked = words(p_value(0.5), difference=0.001, interval=Interval(-0.004, 0.006, 0.95, "inversion", dual=True))
    equivalent = Margin(0.02, p_value(0.004), p_value(0.01))
    assert verdict(replace(asked, margin=equivalent)).startswith(
        "No winner, but equivalent: A and B differ by less than 0.02 at alpha = .05 (p = .0100, two one-sided exact paired "
        "permutation tests); accuracy "
    )
    assert sentence(replace(asked, margin=equivalent), n=9).endswith(
        "; the two are equivalent within a margin of 0.02 (p = .0100, two one-sided exact paired permutation tests)."
    )
    shown = Margin(0.02, p_value(0.004), p_value(0.3))
    assert verdict(replace(asked, margin=shown)).startswith(
        "No winner, but A is not inferior: it is worse than B by less than 0.02, if at all, at alpha = .05 (p = .00400, "
        "one-sided exact paired permutation test); "
    )
    assert sentence(replace(asked, margin=shown), n=9).endswith(
        "; A is non-inferior to B with a margin of 0.02 (p = .00400, one-sided exact paired permutation test)."
    )
    open_ = replace(asked, margin=Margin(0.02, p_value(0.3), p_value(0.3)))
    clause = (
        "; nor is it shown that A is non-inferior to B with a margin of 0.02 (p = .300, one-sided exact paired permutation "
        "test)."
    )
    assert verdict(open_) == f"{verdict(asked).removesuffix('.')}{clause}"
    assert sentence(open_, n=9).endswith(clause)


def test_tests_have_names_people_know(p_value):
    assert method_phrase(p_value(0.1, "asymptotic", test="student", kernel="t")) == "paired t test"
    assert method_phrase(p_value(0.1, "monte-carlo", test="bootstrap")) == "paired bootstrap test"
    assert method_phrase(p_value(0.1, test="wilcoxon")) == "exact Wilcoxon signed-rank test"
    assert method_phrase(p_value(0.1, "asymptotic", kernel="tango")) == "Tango score test"
    assert name_of_test("unheard-of") == "unheard-of test"


def test_margins_name_the_score_test_of_binary_items(p_value):
    tango = p_value(0.004, "asymptotic", kernel="tango")
    text = verdict(words(p_value(0.5), margin=Margin(0.02, tango, tango)))
    assert "(p = .00400, two one-sided Tango score tests)" in text


def test_a_winner_within_the_margin_is_said_to_be_so(p_value):
    within = Margin(0.02, p_value(0.001), p_value(0.002))
    for text in (verdict(words(p_value(0.01), margin=within)), sentence(words(p_value(0.01), margin=within), n=9)):
        assert text.endswith(
            "; yet the two differ by less than the margin of 0.02 (p = .00200, two one-sided exact paired permutation tests)."
        )
    assert "margin" not in verdict(words(p_value(0.01), margin=Margin(0.02, p_value(0.001), p_value(0.2))))


def test_an_interval_stands_only_beside_what_it_is_about(p_value):
    wilcoxon = p_value(0.0263, test="wilcoxon")
    assert verdict(words(wilcoxon, interval=TYPICAL)) == (
        "A outscored B, judged by the pseudomedian: accuracy 0.9543 against 0.9400; difference A - B = +0.0143; "
        "pseudomedian (Hodges-Lehmann) +0.0041, 95% CI 0.0004 to 0.0079; p = .0263, exact Wilcoxon signed-rank test."
    )
    assert sentence(words(wilcoxon, interval=TYPICAL), n=9) == (
        "On 9 items, A (accuracy 0.9543) is better than B (0.9400), judged by the pseudomedian, at the .05 level "
        "(A - B = +0.0143; pseudomedian (Hodges-Lehmann) +0.0041, 95% confidence interval 0.0004 to 0.0079; exact Wilcoxon "
        "signed-rank test, two-sided, p = .0263)."
    )
    undecided = sentence(words(p_value(0.3, test="sign"), interval=replace(MEDIAN, low=-0.001)), n=9)
    assert undecided.startswith(
        "On 9 items, the median difference between A (accuracy 0.9543) and B (0.9400) is not statistically significant at"
    )
    unknown = verdict(words(wilcoxon, interval=replace(TYPICAL, estimate=None)))
    assert "A - B = +0.0143; 95% CI of the pseudomedian (Hodges-Lehmann) 0.0004 to 0.0079" in unknown


def test_small_estimates_keep_two_digits():
    assert [finer(4, x) for x in (0.0143, 0.0007, -0.000001, 0.0, 27.3, math.inf)] == [4, 5, 7, 4, 4, 4]


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("difference", [0.0143, -0.0143])
@pytest.mark.parametrize("estimate", [0.0007, -0.0007])
def test_a_test_of_the_median_never_crowns_the_other_system(p_value, higher, difference, estimate):
    interval = Interval(estimate - 0.0005, estimate + 0.0005, 0.95, "x", dual=True, estimand="median", estimate=estimate)
    asked = words(p_value(0.01, test="sign"), interval=interval, difference=difference, higher_is_better=higher)
    decision = asked.decision
    ahead = 0 if (estimate > 0) == higher else 1
    agreed = (difference > 0) == (estimate > 0)
    assert decision == (Decision(ahead, "better") if agreed else Decision(None, "undecided"))
    if not agreed:
        name, other = "AB"[ahead], "AB"[1 - ahead]
        assert verdict(asked).startswith(
            f"No winner: the exact sign test rejects at alpha = .05 in favour of {name}, judged by the median difference, but "
            f"{other} has the better accuracy; "
        )
        assert "significant at the .05 level, but not in the direction of the accuracy (" in sentence(asked, n=9)


def test_direction_of_tests_whose_median_is_zero(p_value):
    zero = replace(MEDIAN, low=0.0, high=0.0, estimate=0.0)
    asked = words(p_value(0.001, test="sign"), interval=zero)
    assert verdict(asked).startswith(
        "No winner: the exact sign test rejects at alpha = .05, but the median difference is 0, so there is no winner; "
    )
    assert verdict(replace(asked, direction=1)).startswith("A outscored B, judged by the median difference: ")
    assert verdict(replace(asked, direction=-1)).startswith(
        "No winner: the exact sign test rejects at alpha = .05 in favour of B, "
    )
    same = verdict(replace(asked, difference=0.0, direction=1))
    assert "in favour of A, judged by the median difference, but the two have the same accuracy" in same


def test_interval_that_contradicts_p(p_value):
    across = Interval(-0.001, 0.03, 0.95, "centred bootstrap", dual=False)
    clause = "; the interval contains 0 although p does not exceed alpha, because it does not come from inverting this test."
    for text in (verdict(words(p_value(0.01), interval=across)), sentence(words(p_value(0.01), interval=across), n=9)):
        assert text.endswith(clause)
    beside = replace(INTERVAL, dual=False)
    clause = "; the interval excludes 0 although p exceeds alpha, because it does not come from inverting this test."
    assert verdict(words(p_value(0.06), interval=beside)).endswith(clause)
    for p, interval in [(0.01, beside), (0.06, across), (0.01, INTERVAL), (0.01, None)]:
        assert "although" not in verdict(words(p_value(p), interval=interval))
    against = verdict(words(p_value(0.001), interval=beside, delta=0.005))
    assert "although" not in against


def test_between_the_bounds_the_interval_is_explained(p_value):
    p = p_value(0.048, "monte-carlo", 0.043, 0.054, test="bootstrap")
    for text in (verdict(words(p)), sentence(words(p), n=9)):
        assert text.endswith(
            "; the interval excludes 0 because it is based on p alone, whereas the decision uses the bounds of p."
        )
    assert "cannot be called significant at the .05 level, which lies between the bounds of p (" in sentence(words(p), n=9)
    inside = words(p_value(0.051, "monte-carlo", 0.046, 0.057), interval=Interval(-0.001, 0.03, 0.95, "x", dual=True))
    assert "excludes" not in verdict(inside)


def test_interval_beyond_a_margin_that_holds_is_explained(p_value):
    clause = "; the 95% CI extends beyond the margin, whose tests at .05 correspond to a 90% CI"
    wide, large, small = Interval(-0.021, 0.019, 0.95, "x", dual=True), p_value(0.5), p_value(0.01)
    cases = [
        (large, Margin(0.02, small, small), True, True),
        (large, Margin(0.02, small, large), True, True),
        (large, Margin(0.02, small, large), False, False),
        (large, Margin(0.02, large, large), True, False),
        (large, Margin(0.03, small, small), True, False),
    ]
    for p, margin, higher, explained in cases:
        asked = words(p, interval=wide, margin=margin, higher_is_better=higher)
        assert (clause in verdict(asked), clause in sentence(asked, n=9)) == (explained, explained)
    winner = words(small, interval=Interval(0.001, 0.021, 0.95, "x", dual=True), margin=Margin(0.02, small, small))
    assert verdict(winner).endswith(f"{clause}.")


def test_corrected_p_decides(p_value):
    corrected = p_value(0.03, adjusted=0.06)
    text = verdict(words(corrected))
    assert text.startswith("No winner: the data cannot tell A and B apart at alpha = .05; ")
    assert "p = .0300, adjusted p = .0600, exact paired permutation test" in text
    assert text.endswith("; the interval excludes 0 because it is not corrected for the number of comparisons.")
    assert verdict(words(p_value(0.01, adjusted=0.04))).startswith("A outscored B: ")


def test_bayes_says_which_is_which(p_value):
    posterior = Interval(-0.0008, 0.0091, 0.95, "posterior, Student t", dual=False)
    bayes = Bayes(0.0097, 0.99, 1.0e-8, 0.01)
    asked = words(p_value(0.1), interval=posterior, difference=0.0041)
    text = verdict(replace(asked, bayes=bayes))
    assert text.startswith(
        "No winner by the permutation test: the data cannot tell A and B apart at alpha = .05; posterior probabilities "
        "(bayes): A better .00970, practically equal (within 0.01) .990, B better 1.0e-8; accuracy "
    )
    assert "95% posterior interval -0.0008 to 0.0091; p = .100, exact paired permutation test." in text
    assert verdict(words(p_value(0.01), bayes=bayes)).startswith("A outscored B by the permutation test: posterior ")
    paper = sentence(replace(asked, bayes=bayes), n=9)
    assert "95% posterior interval" in paper
    assert paper.endswith("; posterior probabilities: A better .00970, practically equal (within 0.01) .990, B better 1.0e-8.")
    assert "practically" not in verdict(replace(asked, bayes=Bayes(0.9, 0.0, 0.1, 0.0)))
    line = signature("mean", p_value(0.1), alternative="two-sided", alpha=0.05, bayes=bayes, options={"rope": 0.01})
    assert str(line).startswith("metric:mean|test:bayes|rope:0.01|p-test:permutation|method:exact|")


def test_signature_has_margin_and_options(p_value):
    asked = {"alternative": "two-sided", "alpha": 0.05, "margin": 0.01}
    line = signature("mean", p_value(0.1, test="wilcoxon"), options={"zeros": "pratt"}, **asked)
    assert "|alpha:0.05|margin:0.01|zeros:pratt|outscore:" in line


def test_tight_bounds_are_left_out_of_sentences_only(p_value):
    tight = p_value(0.1002, "certified", 0.1, 0.1005)
    assert format_p(tight, 0.05, brief=True) == "p = .100"
    assert format_p(tight, 0.05) == "p = .100 (between .1000 and .1005)"
    assert "between" in format_p(tight, 0.1002, brief=True)
    assert "between" in format_p(p_value(0.1, "certified", 0.09, 0.11), 0.05, brief=True)
    assert "between" not in verdict(words(tight))
    sampled = p_value(0.0956, "monte-carlo", 0.0881, 0.1034)
    assert format_p(sampled, 0.05, brief=True) == "p = .0956 ± .0077"
    assert "bounds" in format_p(sampled, 0.1, brief=True)

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.numerals import decimals_for, format_interval, format_number, format_p, format_probability
from outscore.results import Decision, Interval, PValue
from outscore.wording import decide, method_phrase, name_of_test, sentence, signature, verdict

INTERVAL = Interval(0.01, 0.0186, 0.95, "inversion", dual=True)


@dataclass(frozen=True)
class Margin:
    value: float
    noninferiority: PValue
    equivalence: PValue


def words(p, **changes):
    facts = {
        "systems": ("A", "B"),
        "metric": "accuracy",
        "higher_is_better": True,
        "scores": (0.9543, 0.94),
        "difference": 0.0143,
        "p": p,
        "interval": INTERVAL,
        "alpha": 0.05,
        "alternative": "two-sided",
    }
    return facts | changes


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
    assert format_p(p_value(0.0123, "monte-carlo", 0.0098, 0.0152)) == "p = .0123 ± .0027, 99 % bounds .009800 to .01520"


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
    assert verdict(**words(p_value(0.0123))) == (
        "A outscored B: accuracy 0.9543 against 0.9400; difference A - B = +0.0143, 95 % interval 0.0100 to 0.0186; "
        "p = .0123, exact paired permutation test."
    )
    text = verdict(**words(p_value(0.0123), higher_is_better=False))
    assert text.startswith("B outscored A: accuracy 0.9400 against 0.9543 (lower is better)")


def test_verdict_without_a_winner(p_value):
    text = verdict(**words(p_value(0.3)))
    assert text.startswith("No winner: the data cannot tell A and B apart at alpha = .05; ")
    assert "equal" not in text
    one_sided = verdict(**words(p_value(0.3), alternative="less"))
    assert one_sided.startswith("No winner: the data do not show that B is better than A at alpha = .05; ")


def test_verdict_between_the_bounds(p_value):
    text = verdict(**words(p_value(0.05, "monte-carlo", 0.045, 0.056)))
    assert text.startswith("No winner: undecided, because alpha = .05 lies between the bounds of p (raise the resamples)")
    certified = verdict(**words(p_value(0.05, "certified", 0.045, 0.056)))
    assert "resamples" not in certified
    assert certified.startswith("No winner: undecided")


def test_verdict_of_identical_systems(p_value):
    asked = words(p_value(1.0), scores=(0.9, 0.9), difference=0.0, interval=None)
    assert verdict(**asked, identical=True).startswith(
        "No winner: A and B scored identically on every item; accuracy 0.9000; p = 1"
    )
    assert "scored identically" in sentence(**asked, n=5, identical=True)
    assert "identical" not in verdict(**asked)


def test_verdict_against_delta(p_value):
    assert verdict(**words(p_value(0.01)), delta=0.01).startswith("A outscored B by more than 0.01: ")
    assert verdict(**words(p_value(0.01)), delta=0.02).startswith("No winner: A - B lies below 0.02 at alpha = .05")
    assert verdict(**words(p_value(0.3)), delta=0.02).startswith("No winner: the data cannot tell A - B from 0.02")


def test_sentence(p_value):
    assert sentence(**words(p_value(0.0123)), n=2000, unit="clusters") == (
        "On 2,000 clusters, A (accuracy 0.9543) is better than B (0.9400) at the .05 level (A - B = +0.0143, "
        "95 % confidence interval 0.0100 to 0.0186; exact paired permutation test, two-sided, p = .0123)."
    )
    undecided = sentence(**words(p_value(0.3), alternative="greater", interval=None), n=1)
    assert undecided == (
        "On 1 item, the difference in accuracy between A (0.9543) and B (0.9400) is not statistically significant at the "
        ".05 level (A - B = +0.0143; exact paired permutation test, one-sided, p = .300)."
    )


@pytest.mark.parametrize("method", ["exact", "certified", "monte-carlo", "asymptotic"])
def test_no_p_without_its_method(p_value, method):
    p = p_value(0.01, method, 0.009, 0.011)
    for text in (verdict(**words(p)), sentence(**words(p), n=9)):
        assert method_phrase(p) in text
    assert method_phrase(replace(p, test="sign")).endswith("sign test") or method == "certified"


def test_signature_names_the_seed_only_where_it_matters(p_value):
    asked = {"alternative": "less", "alpha": 0.01, "resamples": 9999, "seed": 7}
    assert "seed" not in signature("f1", p_value(0.5), **asked)
    text = signature("f1", p_value(0.5, "monte-carlo"), delta=0.5, unit="clusters", **asked)
    for part in ("metric:f1", "method:monte-carlo", "unit:clusters", "alpha:0.01", "delta:0.5", "resamples:9999", "seed:7"):
        assert part in text.split("|")


def test_margin_claims_only_where_nobody_won(p_value):
    small, large = p_value(0.01), p_value(0.5)
    asked = {"higher_is_better": True, "difference": 0.001, "alpha": 0.05}
    assert decide(p=large, margin=Margin(0.02, small, small), **asked) == Decision(None, "equivalent")
    assert decide(p=large, margin=Margin(0.02, small, large), **asked) == Decision(None, "non-inferior")
    assert decide(p=large, margin=Margin(0.02, large, large), **asked) == Decision(None, "undecided")
    assert decide(p=small, margin=Margin(0.02, small, small), **asked) == Decision(0, "better")


def test_words_for_a_margin(p_value):
    asked = words(p_value(0.5), difference=0.001)
    equivalent = Margin(0.02, p_value(0.004), p_value(0.01))
    assert verdict(**asked, margin=equivalent).startswith(
        "No winner, but equivalent: A and B differ by less than 0.02 at alpha = .05 (p = .0100); accuracy "
    )
    assert sentence(**asked, n=9, margin=equivalent).endswith(
        "; the two are equivalent within a margin of 0.02 (two one-sided tests, p = .0100)."
    )
    shown = Margin(0.02, p_value(0.004), p_value(0.3))
    assert verdict(**asked, margin=shown).startswith(
        "No winner, but A is not inferior: it is worse than B by less than 0.02, if at all, at alpha = .05 (p = .00400); "
    )
    assert sentence(**asked, n=9, margin=shown).endswith("; A is non-inferior to B with a margin of 0.02 (p = .00400).")
    assert verdict(**asked, margin=Margin(0.02, p_value(0.3), p_value(0.3))) == verdict(**asked)


def test_tests_have_names_people_know(p_value):
    assert method_phrase(p_value(0.1, "asymptotic", test="student", kernel="t")) == "paired t test"
    assert method_phrase(p_value(0.1, "monte-carlo", test="bootstrap")) == "paired bootstrap test"
    assert method_phrase(p_value(0.1, test="wilcoxon")) == "exact Wilcoxon signed-rank test"
    assert method_phrase(p_value(0.1, "asymptotic", kernel="tango")) == "Tango score test"
    assert name_of_test("unheard-of") == "unheard-of test"

"""Printed tables: which numbers of items fit, and which p every pair can have, against all data that print so."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.families import adjust
from outscore.workflows.plan.answer import possible_p, possible_table


def ask(table, n=None):
    return possible_table(table, n, alpha=0.05)


@settings(max_examples=30)
@given(st.integers(2, 60), st.data())
def test_fitting_numbers_against_every_number(n, data):
    """A number fits if, for each score, some number of right answers prints as it."""
    digits = data.draw(st.integers(1, 2))
    rights = data.draw(st.lists(st.integers(0, n), min_size=2, max_size=4))
    printed = {f"s{i}": f"{right / n:.{digits}f}" for i, right in enumerate(rights)}
    found = ask(printed).fitting
    fitting = {k for low, high in found.ranges for k in range(low, high + 1)}
    assert n in fitting or (found.every_from is not None and n >= found.every_from)
    unit = Decimal(1).scaleb(-digits)
    for items in range(1, found.looked_up_to + 1):
        fits = all(
            any(abs(Decimal(right) - Decimal(text) * items) <= unit / 2 * items for right in range(items + 1))
            for text in printed.values()
        )
        assert fits == (items in fitting)
    assert found.count == len(fitting)
    assert found.smallest == min(fitting)


def test_fitting_numbers_of_scores_with_unequal_decimals():
    """The score with the most decimals says up to which number of items has to be looked."""
    printed = {"amber": "0.9", "birch": "0.857"}
    found = ask(printed).fitting
    fitting = {
        items
        for items in range(1, 1001)
        if all(
            any(abs(Decimal(right) - Decimal(text) * items) <= half * items for right in range(items + 1))
            for text, half in ((printed["amber"], Decimal("0.05")), (printed["birch"], Decimal("0.0005")))
        )
    }
    assert (found.looked_up_to, found.count, found.smallest) == (1000, len(fitting), min(fitting))
    assert found.every_from == max(set(range(1, 1001)) - fitting) + 1


def test_pairs_are_those_of_two_scores():
    table = {"amber": ".871", "birch": ".864", "cedar": ".81"}
    found = ask(table, 1000)
    assert [pair.systems for pair in found.pairs] == [("amber", "birch"), ("amber", "cedar"), ("birch", "cedar")]
    for pair in found.pairs:
        alone = possible_p(table[pair.systems[0]], table[pair.systems[1]], 1000)
        assert (pair.lowest, pair.highest, pair.independent) == (alone.lowest, alone.highest, alone.independent)
    assert [pair.adjusted_lowest for pair in found.pairs] == pytest.approx(
        adjust([pair.lowest.value for pair in found.pairs], "holm").tolist()
    )
    assert [pair.adjusted_highest for pair in found.pairs] == pytest.approx(
        adjust([pair.highest.value for pair in found.pairs], "holm").tolist()
    )


def test_bounds_hold_for_all_data_that_print_so():
    """Every set of right answers of three systems on five items: adjusted p lies between the bounds."""
    n, printed = 5, {"a": "1.0", "b": "0.6", "c": "0.2"}
    found = ask(printed, n)
    patterns = {name: [set(rows) for rows in combinations(range(n), round(float(text) * n))] for name, text in printed.items()}
    bounds = {pair.systems: (pair.adjusted_lowest, pair.adjusted_highest) for pair in found.pairs}
    for a in patterns["a"]:
        for b in patterns["b"]:
            for c in patterns["c"]:
                right = {"a": a, "b": b, "c": c}
                raw = []
                for one, other in bounds:
                    wins, losses = len(right[one] - right[other]), len(right[other] - right[one])
                    raw.append(scipy.stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0)
                for (low, high), p in zip(bounds.values(), adjust(raw, "holm").tolist(), strict=True):
                    assert low - 1e-12 <= p <= high + 1e-12


def test_outcomes_and_words():
    found = ask({"amber": "95", "birch": "50", "cedar": "49"}, 1000)
    assert [pair.outcome for pair in found.pairs] == ["always", "always", "depends"]
    assert found.verdict.startswith("2 of 3 pairs differ significantly in every case")
    never = ask({"amber": ".8", "birch": ".6"}, 10)
    assert [pair.outcome for pair in never.pairs] == ["never"]
    assert found.systems[0].right == (945, 955)
    sizes = ask({"amber": ".857", "birch": ".714"})
    assert sizes.verdict.startswith("The printed scores need at least 7 items.")
    assert (sizes.pairs, sizes.family) == ([], None)


def test_by_file_and_by_dictionary(tmp_path):
    path = tmp_path / "printed.csv"
    path.write_text("system,accuracy\nbirch,86.4\namber,87.10\n")
    by_file, by_hand = osc.plan(table=path, n=1000), osc.plan(table={"birch": "86.4", "amber": "87.10"}, n=1000)
    assert by_file.pairs == by_hand.pairs
    assert [one.score for one in by_file.systems] == ["87.10", "86.4"]
    assert osc.load(by_file.save(tmp_path / "found.json")) == by_file
    bare = tmp_path / "bare.tsv"
    bare.write_text("amber\t.871\nbirch\t.864\n")
    assert osc.plan(table=bare).fitting.smallest is not None
    for text in (by_file.to_text(), by_file.to_markdown(), by_file.to_html(), by_file.to_latex()):
        assert "Possible p-values" in text
    assert by_file.to_csv().splitlines()[0].startswith("first,second,p_lowest")


@pytest.mark.parametrize(
    ("table", "asked", "message"),
    [
        ({"amber": ".871"}, {}, r"The table has 1 system\."),
        ({"amber": ".871", "birch": "good"}, {}, "A score is `good`"),
        (
            {"amber": ".871", "birch": ".857"},
            {"n": 7},
            "No number of right answers out of 7 gives an accuracy that rounds to `.871`",
        ),
        ({"amber": ".871", "birch": ".857"}, {"n": 10**7}, "up to 1,000,000 items"),
        ({"amber": ".871", "birch": ".857"}, {"effect": 0.1}, "--effect cannot be combined with --table"),
        ({"amber": ".871", "birch": ".857"}, {"alternative": "greater"}, "--alternative cannot be combined with --table"),
    ],
)
def test_what_is_refused(table, asked, message):
    with pytest.raises(OutscoreError, match=message):
        osc.plan(table=table, **asked)


def test_a_damaged_file(tmp_path):
    path = tmp_path / "printed.csv"
    path.write_text("amber,.871,1000\n")
    with pytest.raises(OutscoreError, match="has 3 columns"):
        osc.plan(table=path)
    path.write_text("amber,.871\namber,.872\n")
    with pytest.raises(OutscoreError, match="two scores for `amber`"):
        osc.plan(table=path)


@pytest.mark.parametrize(("head", "named"), [("model,accuracy", ("model", "accuracy")), ("", ("column 1", "column 2"))])
def test_what_was_read_is_said(tmp_path, head, named):
    path = tmp_path / "printed.csv"
    path.write_text("\n".join([*([head] if head else []), "new,.87", "old,.85"]) + "\n")
    found = osc.plan(table=path, n=1000)
    line = f"printed scores: `{named[1]}`; systems: `{named[0]}`; 2 rows in 1 file (csv)"
    assert line in " ".join(found.to_text().split())
    assert osc.load(found.save(tmp_path / "plan.json")) == found

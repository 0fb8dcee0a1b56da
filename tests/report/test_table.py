from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.report.facts import headline
from outscore.report.table import clean, make_table
from outscore.report.tables import details, results, settings
from outscore.results import Comparisons, Decision, Family


@given(st.text())
def test_clean_text_is_one_line_that_can_be_written(text):
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert len(cleaned.splitlines()) <= 1
    assert clean(cleaned) == cleaned


def test_clean_keeps_names_of_all_languages():
    for name in ("modèle-A", "模型 7", "नमूना", "می‌خواهم", "👩‍🔬"):
        assert clean(name) == name


def test_empty_columns_are_left_out():
    table = make_table("t", "T", ["a", "b", "c"], "lrl", [("1", "", "x"), ("2", "", "")])
    assert (table.columns, table.align) == (("a", "c"), "ll")


def test_no_table_for_what_is_missing(comparison):
    whole = Comparisons([comparison()], {})
    assert details(comparison(), whole) == []
    assert settings(whole).rows == ()


def test_tables_come_in_the_order_of_reading(full):
    whole = full()
    keys = [table.key for table in details(whole.comparisons[0], whole)]
    assert keys == ["path", "effects", "tests", "summary", "checks", "advice", "units", "power", "items"]
    for table in details(whole.comparisons[0], whole):
        assert {len(row) for row in table.rows} == {len(table.columns)} == {len(table.align)}


def test_the_deciding_test_stands_first_among_all(full, p_value):
    others = [p_value(0.02, test="student"), p_value(0.03, test="sign")]
    whole = full(tests=others)
    table = next(table for table in details(whole.comparisons[0], whole) if table.key == "tests")
    assert [row[0] for row in table.rows] == ["permutation", "student", "sign"]


def test_settings_look_alike_before_and_after_saving():
    kept = {"a": (1, 2), "b": {"c": None, "d": True}}
    assert settings(Comparisons([], kept)).rows == settings(Comparisons([], {"a": [1, 2], "b": {"c": None, "d": True}})).rows
    assert settings(Comparisons([], kept)).rows == (("a.1", "1"), ("a.2", "2"), ("b.d", "true"))


FAMILY = "p adjusted for 2 comparisons by the method holm, which controls the family-wise error rate (FWER)."


def test_results_have_one_row_each_and_the_correction(comparison, p_value):
    adjusted = comparison(p=p_value(0.01, adjusted=0.02))
    table = results(Comparisons([comparison(), adjusted], {"alpha": 0.05}, Family("holm", "FWER", 2)))
    assert [row[-1] for row in table.rows] == ["", ".0200"]
    assert table.notes == ("p: exact paired permutation test", FAMILY)


@pytest.mark.parametrize(
    ("systems", "decision", "verdict", "expected"),
    [
        (("a:1", "b:2"), Decision(0, "better"), "a:1 outscored b:2: x: y.", ("a:1 outscored b:2", "x: y.")),
        (
            ("a:1", "b:2"),
            Decision(1, "better"),
            "b:2 outscored a:1 by more than 1: y.",
            ("b:2 outscored a:1 by more than 1", "y."),
        ),
        (("a:1", "b"), Decision(None, "undecided"), "No winner: a:1 and b.", ("No winner", "a:1 and b.")),
        (
            ("a:1", "b"),
            Decision(None, "non-inferior"),
            "No winner, but a:1 is not inferior: it is.",
            ("No winner, but a:1 is not inferior", "it is."),
        ),
        (("a", "b"), Decision(None, "undecided"), "Something else", ("Something else", "")),
    ],
)
def test_headline_survives_colons_in_names(comparison, systems, decision, verdict, expected):
    assert headline(comparison(systems=systems, decision=decision, verdict=verdict)) == expected

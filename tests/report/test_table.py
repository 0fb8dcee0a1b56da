from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.forms import make_table

from outscore.report.build.common import settings_table
from outscore.report.build.comparison import build
from outscore.report.document import Table, clean, screen_width
from outscore.report.rows.comparison import results
from outscore.report.rows.facts import headline
from outscore.report.write.text import break_lines, column_widths
from outscore.results.comparison import Comparisons
from outscore.results.design import Decision, Family


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


CELLS = st.text(st.sampled_from("ab-模é 0.漢z"), max_size=30)


@given(CELLS, st.integers(2, 40))
def test_a_broken_text_fits_and_loses_nothing(cell, width):
    lines = break_lines(cell, width)
    assert max(map(screen_width, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(cell.split())
    words = cell.split()
    if all(screen_width(word) <= width for word in words):
        assert [word for line in lines for word in line.split()] == words


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4), st.integers(12, 60))
def test_columns_fit_their_room(rows, room):
    table = make_table("t", "T", ["median difference", "p", "name"], "rrl", rows)
    assert sum(column_widths(table, room)) <= room


def test_words_stay_whole_where_they_can():
    rows = [("permutation-median", "0.4990 to 0.5555", ".0383"), ("sign", "0.1 to 0.2", "1")]
    table = make_table("t", "T", ["test", "its 95% CI", "median difference"], "lrr", rows)
    for room in range(36, 60):
        shown = [
            line
            for cell, width in zip(table.columns, column_widths(table, room), strict=True)
            for line in break_lines(cell, width)
        ]
        assert "difference" in " ".join(shown).split()
        assert break_lines("permutation-median", column_widths(table, room)[0])[0] == "permutation-median"
    assert break_lines("permutation-median", column_widths(table, 32)[0]) == ["permutation-", "median"]


def tables_of(whole) -> list[Table]:
    """The tables of the first comparison, as the verbose text has them."""
    article = build(whole).articles[1]
    sections = article.shown_sections("text", verbose=True)
    return [block for _, blocks in sections for block in blocks if isinstance(block, Table)]


def test_no_table_for_what_is_missing(comparison):
    whole = Comparisons([comparison()], {})
    assert tables_of(whole) == []
    assert settings_table({}) is None


def test_tables_come_in_the_order_of_reading(full):
    whole = full()
    keys = [table.key for table in tables_of(whole)]
    assert keys == ["path", "effects", "tests", "summary", "checks", "advice", "units", "power", "items"]
    for table in tables_of(whole):
        assert {len(row) for row in table.rows} == {len(table.columns)} == {len(table.align)}


def test_the_deciding_test_stands_first_among_all(full, p_value):
    others = [p_value(0.02, test="student"), p_value(0.03, test="sign")]
    whole = full(tests=others)
    table = next(table for table in tables_of(whole) if table.key == "tests")
    assert [row[0] for row in table.rows] == ["permutation", "student", "sign"]


def test_settings_look_alike_before_and_after_saving():
    kept = {"a": (1, 2), "b": {"c": None, "d": True}}
    assert settings_table(kept).rows == settings_table({"a": [1, 2], "b": {"c": None, "d": True}}).rows
    assert settings_table(kept).rows == (("a.1", "1"), ("a.2", "2"), ("b.d", "true"))


FAMILY = "p adjusted for 2 comparisons (method holm), which controls the family-wise error rate (FWER)."


def test_results_have_one_row_each_and_the_correction(comparison, p_value):
    adjusted = comparison(p=p_value(0.01, adjusted=0.02))
    table = results(Comparisons([comparison(), adjusted], {"alpha": 0.05}, Family("holm", "FWER", 2)))
    assert [row[-1] for row in table.rows] == ["", ".0200"]
    assert table.notes == ("p: exact paired permutation test", FAMILY)


def test_headline_and_reason_are_facts_of_the_result(comparison):
    verdict = "a: 1 outscored b: c."
    parts = {"headline": "a: 1 outscored b", "reason": "c."}
    assert headline(comparison(systems=("a: 1", "b"), verdict=verdict, **parts)) == ("a: 1 outscored b", "c.")


@pytest.mark.parametrize(("winner", "expected"), [(0, "a:1 outscored b"), (1, "b outscored a:1"), (None, "No winner")])
def test_a_result_of_the_first_version_has_its_headline_from_the_decision(comparison, winner, expected):
    decision = Decision(winner, "undecided" if winner is None else "better")
    older = comparison(systems=("a:1", "b"), decision=decision, verdict="The words: of then.", headline="", reason="")
    assert headline(older) == (expected, "The words: of then.")

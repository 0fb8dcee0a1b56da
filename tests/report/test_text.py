from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.forms import render_text as render

from outscore.report.document import screen_width
from outscore.report.write.text import labelled_lines
from outscore.results.analysis import Subset
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.design import Alignment, Decision, Design, Family, PathStep
from outscore.results.note import Note
from outscore.results.pvalue import Interval

SETTINGS = {"alpha": 0.05, "alternative": "two-sided", "inputs": [{"path": "x.txt", "rows": 2000}]}


def test_order_and_content(comparison):
    text = render(Comparisons([comparison(notes=[Note("data", "A note.")])], SETTINGS))
    parts = ["A outscored B", "scores ", "difference ", "p-value ", "design ", "notes ", "for a paper ", "signature "]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert places[0] == 0
    assert "accuracy (higher is better)" in text
    assert "+0.0143   (A - B)" in text
    assert "95% CI 0.0100 to 0.0186   (inversion)" in text
    assert "p = .0123, mid-p = .0120; exact paired permutation test, two-sided" in text
    assert text.endswith("outscore:0\n")


def test_scores_are_aligned(comparison):
    c = comparison(systems=("short", "a longer name"), scores=(SystemScore("short", 0.95), SystemScore("a longer name", 10.5)))
    lines = render(Comparisons([c], {})).splitlines()
    ends = {len(line) for line in lines if line.strip().startswith(("short ", "a longer name "))}
    assert len(ends) == 1


def test_design_path_only_when_there_is_one(comparison):
    assert "the last one decides" not in render(Comparisons([comparison()], {}))
    path = [PathStep("rows", 4000, 0.01, 0.001), PathStep("items", 2000, 0.01, 0.02), PathStep("clusters", 100, 0.01, 0.3)]
    text = render(Comparisons([comparison(clusters=100, design=Design(4000, 2000, 2.0, path))], {}))
    assert "in 100 clusters, each swapped as a whole" in text
    assert "p = .00100 over 4,000 rows, .0200 over 2,000 items, .300 over 100 clusters: the last one decides" in " ".join(
        text.split()
    )


@pytest.mark.parametrize("verbose", [False, True])
def test_every_part(full, golden, verbose):
    golden(f"report/full{'-verbose' if verbose else ''}.txt", render(full(), verbose=verbose))


def test_plain_comparison_fits_one_screen(full, golden):
    plain = full(
        tests=[],
        unit_advice=[],
        margin=None,
        bayes=None,
        analysis=None,
        notes=[],
        clusters=None,
        design=Design(2000, 2000, 1.0, []),
    )
    text = render(plain)
    golden("report/plain.txt", text)
    assert len(text.splitlines()) <= 24


def test_long_names_are_not_cut(comparison):
    a, b = "openai/gpt-5-nano-2025-08-07", "openai/gpt-5.4-mini-2026-03-17"
    words = f"On 198 items, {a} is better than {b} at the .05 level ({a} - {b} = +0.0586, 95% CI 0.0038 to 0.1134)."
    text = render(Comparisons([comparison(systems=(a, b), verdict=words, sentence=words)], {}))
    assert text.count("+0.0586,") == 2
    for name in (a, b):
        assert text.count(name) >= 4
    assert f"{b} = +0.0586" in text


def test_scores_have_their_own_intervals(full):
    shown = render(full())
    assert "accuracy (higher is better), with 95% CIs" in shown
    assert "A  0.9543   0.9494 to 0.9592" in shown


def test_what_was_asked_for_is_always_shown(full):
    for verbose in (False, True):
        assert "Larger evaluation units" in render(full(), verbose=verbose)
        assert "Larger evaluation units" not in render(full(unit_advice=[]), verbose=verbose)


def test_all_tests_say_that_choosing_afterwards_is_not_allowed(full):
    said = " ".join(render(full()).split())
    assert "Choosing one afterwards, from this table, finds differences where there are none." in said


def test_names_cannot_steer_the_terminal(comparison):
    name = "\x1b[2J\u202eA\nB"
    c = comparison(
        systems=(name, "B"), scores=(SystemScore(name, 0.5), SystemScore("B", 0.4)), verdict=f"{name} outscored B: x."
    )
    text = render(Comparisons([c], SETTINGS | {"path": name}), verbose=True)
    assert not set(text) & set("\x1b\u202e")


def test_what_is_missing_is_said_or_left_out(comparison):
    c = comparison(interval=None, p=replace(comparison().p, mid=None))
    text = render(Comparisons([c], {}))
    assert "no interval" in text
    assert "mid-p" not in text
    assert "notes" not in text
    unbounded = comparison(interval=Interval(None, None, 0.95, "inversion", dual=True))
    assert "unbounded on both sides" in render(Comparisons([unbounded], {}))


def test_alignment_is_shown_when_something_was_left_out(comparison):
    assert "in common" not in render(Comparisons([comparison()], {}))
    text = render(Comparisons([comparison(alignment=Alignment(1990, 10, 0, 3, 1))], {}))
    assert "1,990 in common, 10 only in A, 0 only in B, 3 duplicates, 1 in conflict" in " ".join(text.split())


def test_several_comparisons(comparison):
    text = render(Comparisons([comparison(), comparison()], SETTINGS, Family("holm", "FWER", 2)))
    assert text.count("A outscored B") == 2
    note = "p adjusted for 2 comparisons (method holm), which controls the family-wise error rate (FWER)."
    assert note in " ".join(text.split())


def test_slices_are_a_table_and_written_out_on_request(comparison, p_value):
    won = comparison(slice=Subset("topic", "law"), p=p_value(0.01, adjusted=0.02))
    lost = comparison(slice=Subset("topic", "bio"), p=p_value(0.5, adjusted=0.5), decision=Decision(None, "undecided"))
    whole = Comparisons([comparison(), won, lost], SETTINGS, Family("holm", "FWER", 2))
    text = render(whole)
    rows = [line.split() for line in text[text.index("accuracy by topic, A against B") :].splitlines()]
    assert rows[2] == ["law", "2,000", "0.9543", "0.9400", "+0.0143", "0.0100", "to", "0.0186", ".0100", ".0200"]
    assert rows[4] == ["A", "outscored", "B", "on", "law."]
    assert text.count("signature ") == 1
    assert render(whole, verbose=True).count("signature ") == 3
    assert "No slice has a winner by its adjusted p." in render(Comparisons([comparison(), lost], SETTINGS, whole.family))


def test_units_are_not_called_items(full):
    units = full(clusters=None, design=Design(14000, 14000, 1.0, [], unit_size=7))
    text = " ".join(render(units).split())
    assert "2,000 units can detect a true difference" in text
    assert "units were swapped" in text


def test_one_side_is_named(comparison):
    for alternative, better in (("greater", "A"), ("less", "B")):
        text = render(Comparisons([comparison()], SETTINGS | {"alternative": alternative}))
        assert f"exact paired permutation test, one-sided ({better} better)" in " ".join(text.split())


def test_verbose_adds_settings_and_digits(comparison):
    text = render(Comparisons([comparison()], SETTINGS), verbose=True)
    assert "x.txt" in text
    assert "value 0.0123" in text
    assert "2,000 in common" in text


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"]), min_size=1, max_size=120)


@pytest.mark.parametrize("verbose", [False, True])
@given(name=names, width=st.integers(60, 100))
def test_no_line_is_too_long(comparison, verbose, name, width):
    c = comparison(
        systems=(name, "B"),
        scores=(SystemScore(name, 0.5), SystemScore("B", 0.4)),
        verdict=f"{name} outscored B: x.",
        signature=f"metric:{name}|n:5",
        notes=[Note("data", name)],
    )
    text = render(Comparisons([c], SETTINGS | {"a-very-long-setting": name}), width=width, verbose=verbose)
    assert max(len(line) for line in text.splitlines()) <= width


def test_p_and_its_relatives_have_as_many_digits(comparison, p_value):
    c = comparison(p=p_value(7.5e-9, mid=3.73e-9, adjusted=2.24e-8))
    text = " ".join(render(Comparisons([c], SETTINGS)).split())
    assert "p = 7.5e-9, mid-p = 3.7e-9; exact" in text
    assert "adjusted p = 2.2e-8" in text
    # 1 in 10,001, as other tools print .0001, is no power of ten.
    assert "p = .000100" in render(Comparisons([comparison(p=p_value(1 / 10_001))], SETTINGS))


def test_wide_letters_take_two_columns(comparison):
    name = "模型名称"
    scores = (SystemScore(name, 0.5, 0.4, 0.6), SystemScore("B", 0.4, 0.3, 0.5))
    part = comparison(slice=Subset("topic", "法律"), systems=(name, "B"))
    text = render(Comparisons([comparison(systems=(name, "B"), scores=scores), part], SETTINGS, Family("holm", "FWER", 1)))
    first, second = (line for line in text.splitlines() if line.endswith(("0.4000 to 0.6000", "0.3000 to 0.5000")))
    assert screen_width(first) == screen_width(second)
    head, row = text[text.index(" by topic") :].splitlines()[1:3]
    assert screen_width(head) == screen_width(row)


def test_bars_in_the_name_of_a_file_are_no_signature():
    path = f"logs/{'x' * 60}/details_custom|additions|0_2026.parquet"
    assert not any(line.strip().startswith("|") for line in labelled_lines("files", [f"2: {path}, other.parquet"], 80))
    signature = f"metric:mean|test:permutation|settings:{'x' * 60}|n:50"
    assert any(line.strip().startswith("|") for line in labelled_lines("signature", [signature], 80))

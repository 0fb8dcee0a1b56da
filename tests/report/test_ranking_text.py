from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.forms import render_latex, render_markdown, render_text
from tests.report.ranking_making import ALPHA, CHINESE, MADE, make_ranking, simulate

from outscore.report.build.ranking import MAX_SHOWN
from outscore.report.document import fitted, screen_width
from outscore.report.rows.places import bounds_of, cells, decimals_of, places, shown_letters
from outscore.results.note import Note
from outscore.results.ranking import PairCounts, RankDesign, RankedPair

FIRST = {
    "sixteen": "SogouKnowing-nmt leads",
    "datasets": "north leads",
    "baseline": "variant 1 leads",
    "two": "B leads",
}


@pytest.mark.parametrize("name", MADE)
def test_every_kind(golden, name):
    golden(f"report/ranking-{name}.txt", render_text(MADE[name]()))


@pytest.mark.parametrize("name", ["datasets", "baseline"])
def test_everything(golden, name):
    golden(f"report/ranking-{name}-verbose.txt", render_text(MADE[name](), verbose=True))


@pytest.mark.parametrize(("name", "words"), FIRST.items())
def test_the_verdict_comes_first(name, words):
    assert render_text(MADE[name]()).startswith(words)


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_too_long(name, width):
    for verbose in (False, True):
        if verbose and name in {"ninety-three", "two-hundred"}:
            continue
        assert max(map(len, render_text(MADE[name](), width=width, verbose=verbose).splitlines())) <= width


@pytest.mark.parametrize("name", MADE)
def test_the_test_and_its_correction_are_named(name):
    text = " ".join(render_text(MADE[name]()).split())
    assert "paired permutation test, two-sided" in text
    assert f"Holm over m = {MADE[name]().family.m:,}, which controls the family-wise error rate (FWER)" in text
    assert "at alpha = .05" in text


def test_a_long_list_is_cut_and_says_so():
    ranking = MADE["ninety-three"]()
    text, whole = render_text(ranking), render_text(ranking, verbose=True)
    assert f"Not shown: {93 - MAX_SHOWN} systems" in text
    assert ranking.scores[40].system not in text
    assert all(s.system in whole for s in ranking.scores)
    assert "Not shown" not in whole
    assert "2,876 of 4,238 pairs" in text
    assert "40 more share no item" in " ".join(text.split())
    assert "by system effects adjusted for items" in " ".join(text.split())


def matrix_of(ranking) -> list[str]:
    """The lines from the heading of the matrix on."""
    lines = render_text(ranking).splitlines()
    return lines[lines.index("Who beat whom") :]


def test_against_a_naive_twin_signs_say_who_is_better():
    ranking = MADE["sixteen"]()
    lines = matrix_of(ranking)[2:18]
    names = [s.system for s in ranking.scores]
    by_pair = {frozenset(pair.systems): pair for pair in ranking.pairs}
    for i, line in enumerate(lines):
        for j in range(16):
            sign = line[22 + 3 * j : 25 + 3 * j].strip()
            if i == j:
                assert sign == ""
                continue
            pair = by_pair[frozenset((names[i], names[j]))]
            own = pair.difference if pair.systems[0] == names[i] else -pair.difference
            adjusted = pair.p.adjusted
            expected = "·" if adjusted > ALPHA else (">" if own > 0 else "<") * (2 if adjusted <= 0.001 else 1)
            assert sign == expected, (names[i], names[j])


def test_a_baseline_has_differences_and_no_groups():
    text = render_text(MADE["baseline"]())
    assert "Who beat whom" not in text
    assert "groups" not in text
    assert "Difference: to the baseline, baseline." in text
    assert "undecided" in text


def test_lower_is_better_turns_the_signs():
    ranking = make_ranking(simulate(4, 800, spread=0.05), ["a", "b", "c", "d"], higher=False)
    found = cells(ranking.standing, ALPHA)
    assert ranking.systems == ["d", "c", "b", "a"]
    assert found["d", "a"].outcome == "better"
    assert found["a", "d"].outcome == "worse"


def test_a_pair_without_items_and_one_without_direction():
    ranking = MADE["two"]()
    pair = ranking.pairs[0]
    apart = RankedPair(
        pair.systems, 0, None, None, None, replace(pair.p, value=1.0, log10=0.0, adjusted=None), "Nothing shared."
    )
    flat = replace(pair, difference=0.0, p=replace(pair.p, adjusted=0.001))
    for changed, outcome in ((apart, "apart"), (flat, "open")):
        whole = replace(ranking, pairs=[changed], counts=PairCounts(1, int(changed is flat), 0))
        assert cells(whole.standing, ALPHA)[pair.systems].outcome == outcome
        render_text(whole, verbose=True)


def test_levels_follow_alpha():
    assert bounds_of(0.05) == (0.05, 0.01, 0.001)
    assert bounds_of(0.1) == (0.1, 0.01, 0.001)
    assert bounds_of(0.001) == (0.001,)
    strict = replace(MADE["sixteen"](), alpha=0.001)
    assert "doubled" not in render_text(strict)


def test_ties_share_a_place():
    ranking = MADE["sixteen"]()
    scores = [replace(s, value=0.3) if i in {1, 2} else s for i, s in enumerate(ranking.scores)]
    assert places(replace(ranking, scores=scores).standing)[:5] == [1, 2, 2, 4, 5]


def test_near_twins_do_not_lengthen_every_score():
    ranking = MADE["sixteen"]()
    scores = [replace(s, value=ranking.scores[0].value - 1e-9) if i == 1 else s for i, s in enumerate(ranking.scores)]
    assert decimals_of(replace(ranking, scores=scores).standing) <= 5


def test_letters_beyond_z_are_kept_apart():
    standing = replace(MADE["sixteen"]().standing, groups=[["x"]] * 24 + [["y", "z"], ["z"], ["z", "y"], ["y"]])
    found = shown_letters(standing)
    assert found["x"] == "a-x"
    assert found["z"] == "y-aa"
    assert found["y"] == "y aa ab"


@given(st.text(max_size=40), st.integers(4, 30))
@settings(max_examples=200)
def test_names_fit(name, room):
    assert screen_width(fitted(name, room)) <= room


def test_chinese_names_line_up():
    # The last cell of each row but the last is filled, so all these lines end in the same column.
    rows = matrix_of(MADE["odd"]())[2:6]
    assert any(CHINESE[:3] in row for row in rows)
    assert len({screen_width(row) for row in rows}) == 1


def test_the_design_is_told():
    design = RankDesign(18_725, "word", "sentence", 1_000)
    text = render_text(replace(MADE["sixteen"](), design=design))
    assert "design      18,725 words in 1,000 sentences, swapped as one" in text
    assert "16 systems, 1,500 words" in text


def test_a_signature_in_a_note_breaks_between_its_parts():
    parts = ["nrefs:1", "case:mixed", "eff:no", "tok:13a", "smooth:exp", "version:2.6.0", "language:any-of-them", "last:part"]
    lines = render_text(replace(MADE["two"](), notes=[Note("data", f"bleu: {'|'.join(parts)}")])).splitlines()
    assert not any("|".join(parts) in line for line in lines)
    assert all(any(part in line for line in lines) for part in parts)


@pytest.mark.parametrize(("form", "words"), [("exact", "exact, all orders enumerated"), ("F", "Iman and Davenport's F")])
def test_friedmans_p_says_how_it_came_about(form, words):
    ranking = MADE["datasets"]()
    text = render_text(replace(ranking, critical_difference=replace(ranking.critical_difference, form=form)))
    assert f"p = .00890, {words}." in " ".join(text.split())


def test_the_test_of_the_datasets_is_named_where_it_is_another():
    ranking = MADE["datasets"]()
    text = render_text(replace(ranking, datasets=[replace(part, test="student") for part in ranking.datasets]))
    assert "datasets: paired t test" in text


@pytest.mark.parametrize("render", [render_text, render_latex, render_markdown])
def test_where_nothing_was_tested_no_place_is_claimed(render):
    ranking = MADE["two"]()
    alone = [replace(ranking.pairs[0], n=0, difference=None, low=None, high=None)]
    text = render(replace(ranking, counts=PairCounts(1, 0, 0), pairs=alone, groups=[]))
    assert "that the tests leave open" not in text
    assert "1 to 2" not in text
    assert "1--2" not in text
    assert "m = 0" not in text

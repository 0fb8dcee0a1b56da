"""Tables of a diff: their numbers against the result, their order, and what is left out said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import make_p
from tests.report.diff_making import make_diff, make_units

from outscore.core.errors import OutscoreError
from outscore.report.build.diff import TABLES, chosen_tables, detail_tables
from outscore.report.rows.diff import lead_of, metric_name, places_of, points, whole_tables
from outscore.report.rows.diff_pairs import CLASSES, pair_tables, sorted_parts, sorted_shifts
from outscore.results.analysis import ScoredSubset
from outscore.results.diff import KeyScore, Shift
from outscore.results.pvalue import Interval, PValue


@pytest.fixture(scope="module")
def two():
    return make_diff(make_units())


@pytest.fixture(scope="module")
def three():
    return make_diff(make_units(systems=3), make_units(systems=3, criterion="las", heads=True))


def named(tables):
    return {table.key: table for table in tables}


def test_pairs_state_the_identity(three):
    rows = named(whole_tables(three))["pairs"].rows
    assert len(rows) == len(three.pairs) == 6
    for pair, row in zip(three.pairs, rows, strict=True):
        o = pair.outcomes
        assert row[-3:] == (f"{o.correction:,}", f"{o.new_error:,}", f"{o.changed_error:,}")
        assert float(row[3]) == pytest.approx(100 * (o.correction - o.new_error) / pair.n, abs=0.0051)


def test_sections_of_transitions_add_up(two):
    pair = two.pairs[0]
    table = named(pair_tables(two, pair))["transitions"]
    sizes, current = {}, ""
    for row in table.rows:
        if table.is_across(row):
            current = row[0].split(":")[0]
            sizes[current] = 0
        else:
            sizes[current] += int(row[1].replace(",", ""))
    assert sizes == {title: getattr(pair.outcomes, name) for name, title in CLASSES.items()}


def test_changed_errors_name_gold_first(two):
    table = named(pair_tables(two, two.pairs[0]))["transitions"]
    assert all(row[0].count("→") == 2 for row in table.rows[-3:])


def test_rows_that_are_not_tested_stand_apart(two):
    table = named(pair_tables(two, two.pairs[0]))["labels"]
    names = [row[0] for row in table.rows]
    border = names.index("Not tested: fewer than 20 units")
    assert [row[-1] for row in table.rows[:border]].count("") == 0
    assert names[border + 1 :] == ["X"]
    short = named(pair_tables(two, two.pairs[0], top=3))["labels"]
    assert len(short.rows) == 3
    intervals = "Student t, stretched to agree with the exact test; individual, not adjusted for the number of rows."
    assert short.notes == (
        "Tested and not shown: 4.",
        "Not tested and not shown, fewer than 20 units: 1.",
        f"Intervals: {intervals}",
    )


def test_score_of_all_in_the_oracle_is_the_systems_own(three):
    table = named(whole_tables(three))["oracle"]
    recalls = [points(three.scores[name]["upos"].r) for name in three.systems]
    assert list(table.rows[0][2:5]) == recalls


def test_best_and_worst_of_a_row(three):
    sheet = named(whole_tables(three))["oracle"]
    for i, row in enumerate(sheet.rows):
        values = [float(cell) for cell in row[2:5]]
        marks = [sheet.marks.get((i, column)) for column in range(2, 5)]
        if len(set(values)) > 1:
            assert {value for value, mark in zip(values, marks, strict=True) if mark == "best"} == {max(values)}
            assert {value for value, mark in zip(values, marks, strict=True) if mark == "worst"} == {min(values)}


def test_of_two_only_the_best_is_marked(two):
    assert set(named(whole_tables(two))["oracle"].marks.values()) == {"best"}


def test_one_system_has_scores_and_nothing_to_compare():
    one = make_diff(make_units(systems=1))
    assert set(named(whole_tables(one))) == {"scores", "rates", "label-rates", "confusion"}


def test_responses_as_keys_have_a_column_per_metric(three):
    keys = [KeyScore("A", "B", "lea", 0.6358), KeyScore("A", "B", "mela", 0.7032)]
    table = named(whole_tables(make_diff(make_units(), keys=keys)))["keys"]
    assert table.columns == ("key", "response", "LEA F1", "MELA F1")
    assert table.rows == (("A", "B", "63.58", "70.32"),)


@pytest.mark.parametrize("key", [key for key in TABLES if key != "keys"])
def test_every_table_can_be_asked_for(three, key):
    assert {table.key for table in chosen_tables(three, (key,))} == {key}


def test_an_absent_table_among_several_is_a_note(two):
    tables = chosen_tables(two, ("scores", "keys"))
    assert [table.key for table in tables] == ["scores"]
    assert tables[0].notes[-1] == "The table `keys` is empty."


def test_sampled_p_values_and_methods_of_intervals_are_marked(two):
    pair = two.pairs[0]
    sampled = PValue(0.0044, 0.0028, 0.0063, -2.36, "monte-carlo", "sign-flips:9999")
    bootstrap = Interval(0.01, 0.03, 0.95, "centred bootstrap", dual=False)
    metrics = [replace(pair.metrics[0], metric="f1", p=sampled, interval=bootstrap), pair.metrics[0]]
    table = named(pair_tables(two, replace(pair, metrics=metrics)))["metrics"]
    assert [row[-1].startswith("≈") for row in table.rows] == [True, False]
    assert "Intervals: centred bootstrap (F1); by hand (UPOS)." in table.notes
    assert table.notes[-1] == "≈ p is sampled (Monte Carlo): its 99% bounds are up to .00350 apart."


def test_unknown_tables_and_orders_are_refused(two):
    with pytest.raises(OutscoreError, match="no table `orakel`"):
        chosen_tables(two, ("orakel",))
    with pytest.raises(OutscoreError, match="The table `keys` is empty for this result"):
        chosen_tables(two, ("keys",))
    with pytest.raises(OutscoreError, match="`sort` is `size`"):
        pair_tables(two, two.pairs[0], sort="size")


def test_more_than_three_pairs_are_detailed_on_request(three):
    several = make_diff(make_units(systems=3))
    assert any(table.key == "transitions" for table in detail_tables(several, verbose=False, top=5, sort="evidence"))
    many = make_diff(make_units(systems=3), pairs=several.pairs * 2)
    assert not any(table.key == "transitions" for table in detail_tables(many, verbose=False, top=5, sort="evidence"))
    assert any(table.key == "transitions" for table in detail_tables(many, verbose=True, top=5, sort="evidence"))


p_values = st.none() | st.floats(1e-6, 1).map(make_p)
shifts = st.builds(
    lambda source, count, mirror, p: Shift(
        source=source, target="b", gold="b", count=count, mirror=mirror, share_of_class=0.1, share_of_changes=0.1, p=p
    ),
    st.text(max_size=2),
    st.integers(1, 50),
    st.integers(0, 50),
    p_values,
)


@given(st.lists(shifts))
def test_orders_of_shifts(rows):
    by_evidence = sorted_shifts(rows)
    # The order is that of the logarithm, which neighbouring numbers may share.
    tested = [(row.count < row.mirror, row.p.log10) for row in by_evidence if row.p is not None]
    assert tested == sorted(tested)
    assert all(row.p is not None for row in by_evidence[: len(tested)])
    assert [row.count for row in sorted_shifts(rows, "count")] == sorted((row.count for row in rows), reverse=True)
    gains = [abs(row.count - row.mirror) for row in sorted_shifts(rows, "delta")]
    assert gains == sorted(gains, reverse=True)


@given(
    st.lists(
        st.builds(
            lambda n, d, p: ScoredSubset("label", "x", n, 0, d, d, None, None, p), st.integers(1, 9), st.floats(-1, 1), p_values
        )
    )
)
def test_orders_of_parts(rows):
    assert [row.n for row in sorted_parts(rows, "count")] == sorted((row.n for row in rows), reverse=True)
    sizes = [abs(row.difference) for row in sorted_parts(rows, "delta")]
    assert sizes == sorted(sizes, reverse=True)


def test_points_never_round_to_nothing():
    assert points(0.000012, sign=True) == "+0.0012"
    assert points(0.0) == "0.00"
    assert metric_name("sentences_uas") == "sents UAS"


def test_systems_are_in_order_and_share_a_letter_if_they_cannot_be_told_apart():
    whole = make_diff(make_units(n=400, systems=3), settings={"alpha": 0.05})
    draw = np.random.default_rng(9)
    for _ in range(20):
        values = draw.random(3) / 10
        pairs = [replace(pair, p=make_p(p / 3, adjusted=p)) for pair, p in zip(whole.pairs, values, strict=True)]
        places = places_of(replace(whole, pairs=pairs))
        scores = {name: x for pair in pairs for name, x in zip(pair.systems, (pair.first, pair.second), strict=True)}
        assert [one.system for one in places] == sorted(scores, key=lambda name: -scores[name])
        letters = {one.system: set(one.letters) for one in places}
        worse = set()
        for pair in pairs:
            apart = pair.p.adjusted <= 0.05 and pair.difference != 0
            assert apart == (not letters[pair.systems[0]] & letters[pair.systems[1]])
            worse |= {pair.systems[pair.difference < 0]} if apart else set()
        assert {one.system for one in places if not one.leads} == worse
        assert (sum(one.leads for one in places) == 1) == (lead_of(places) == f"{places[0].system} leads")

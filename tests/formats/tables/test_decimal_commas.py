"""Scores with a decimal comma are not two columns, and two columns are not scores with a decimal comma."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_scores


def read(folder, text, name="x.txt"):
    path = folder / name
    path.write_text(text)
    return [scores.values.tolist() for scores in read_scores(path)]


@pytest.mark.parametrize("name", ["x.txt", "x.csv"])
@pytest.mark.parametrize(
    "lines",
    ["0,5 0,7", "0,53 0,7 1,0", "0,125 0,5 0,875", "-0,5 0,3", "87,05 91,2", "0,05 0,1", "1,00 0,25", "12,50 3,07 4,00"],
)
def test_decimal_commas_are_refused_with_the_cure(tmp_path, lines, name):
    with pytest.raises(OutscoreError) as refusal:
        read(tmp_path, "\n".join(lines.split()) + "\n", name)
    assert "look like scores with a decimal comma" in refusal.value.message
    assert refusal.value.hint.startswith("Write decimals with a point instead of a comma. If there are two columns")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("3,5 4,2", [[3, 4], [5, 2]]),
        ("87,5 91,2", [[87, 91], [5, 2]]),
        # Right or wrong.
        ("0,1 1,0 0,0 1,1", [[0, 1, 0, 1], [1, 0, 0, 1]]),
        ("0,1 1,0", [[0, 1], [1, 0]]),
        # One answer, right, wrong or left out: (true positives, errors).
        ("1,0 0,2 0,1", [[1, 0, 0], [0, 2, 1]]),
        # A count of 1 beside errors is no score up to 1.
        ("0,5 1,3", [[0, 1], [5, 3]]),
        ("0,7 2,0", [[0, 2], [7, 0]]),
        ("0,10 10,0", [[0, 10], [10, 0]]),
        # Numbers that are padded on both sides are padded.
        ("05,07 03,12", [[5, 3], [7, 12]]),
        ("0,-5 0,7", [[0, 0], [-5, 7]]),
        ("0.5,0.7 0.1,0.25", [[0.5, 0.1], [0.7, 0.25]]),
    ],
)
def test_pairs_are_read_as_they_are(tmp_path, lines, expected):
    assert read(tmp_path, "\n".join(lines.split()) + "\n") == expected


@pytest.mark.parametrize("text", ["0, 5\n0, 7\n", "new,old\n0,5\n0,7\n", "0;5\n0;7\n", "0 5\n0 7\n", "0\t5\n0\t7\n"])
def test_the_cure_of_real_pairs_works(tmp_path, text):
    assert read(tmp_path, text) == [[0, 0], [5, 7]]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30))
def test_counts_beyond_one_answer_are_never_refused(tmp_path_factory, pairs):
    """Whatever else the file holds, one item with two right answers or a right one beside an error says that it is counts."""
    lines = [*pairs, (2, 0)]
    found = read(tmp_path_factory.getbasetemp(), "".join(f"{a},{b}\n" for a, b in lines), "pairs.txt")
    assert found == [[a for a, _ in lines], [b for _, b in lines]]


def test_a_sign_far_down_the_file_counts(tmp_path):
    with pytest.raises(OutscoreError, match="decimal comma"):
        read(tmp_path, "12,5\n" * 100_000 + "12,05\n")


@pytest.mark.parametrize("text", ["0,5\t0,7\n0,3\t0,1\n", "0,5 0,7\n0,1 0,3\n", "0,5;0,7\n0,3;0,1\n", "score\n0,5\n0,7\n"])
def test_other_places_of_decimal_commas_have_the_same_cure(tmp_path, text):
    with pytest.raises(OutscoreError) as refusal:
        read(tmp_path, text)
    assert refusal.value.hint.startswith("Write decimals with a point instead of a comma.")

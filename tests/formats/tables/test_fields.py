"""Fields of plain lines, against the csv module and a dictionary of labels."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.formats.readers import read_scores
from outscore.formats.tables.cells import LabelColumn, Records
from outscore.formats.tables.fields import Fields, hashes, plain_lines
from outscore.scores.system import Labels, Names

WORDS = st.one_of(
    st.text("q019-", max_size=3), st.text("aé\t #~!", max_size=20), st.text("xyz0123456789", min_size=6, max_size=70)
)
TABLES = st.lists(st.tuples(WORDS, WORDS, st.sampled_from(["0", "1", "7", "12", "-", "0.5"])), min_size=1, max_size=30)


def fields_of(rows: list[tuple[str, ...]], separator: str = ",") -> list[Fields]:
    lines = plain_lines("".join(separator.join(row) + "\n" for row in rows), separator, len(rows[0]))
    assert lines is not None
    return [Fields(lines, place) for place in range(len(rows[0]))]


@settings(max_examples=300)
@given(TABLES, st.booleans())
def test_fields_are_those_of_the_csv_module(rows: list[tuple[str, ...]], ended: bool) -> None:
    text = "\n".join(",".join(row) for row in rows) + "\n" * ended
    lines = plain_lines(text, ",", 3)
    assert lines is not None
    read = list(csv.reader(text.splitlines(keepends=True)))
    for place, column in enumerate(zip(*read, strict=True)):
        fields = Fields(lines, place)
        assert list(fields) == list(column) == [fields[row] for row in range(len(fields))]
        digits, labels = fields.digits(), fields.labels()
        single = all(len(field) == 1 and field in "0123456789" for field in column)
        assert (digits is not None) == single
        if digits is not None:
            assert digits.tolist() == list(map(int, column))
        if labels is not None:
            assert Names(labels) == column
            assert all(field and len(field) <= 64 and field.isascii() and not any(map(str.isspace, field)) for field in column)


@settings(max_examples=300)
@given(st.lists(st.text("ab01", min_size=1, max_size=20), min_size=1, max_size=30))
def test_equal_labels_and_no_others_have_equal_hashes(texts: list[str]) -> None:
    (fields, _) = fields_of([(text, "1") for text in texts])
    labels = fields.labels()
    assert labels is not None
    found = hashes(labels).tolist()
    assert [[x == y for y in found] for x in found] == [[x == y for y in texts] for x in texts]
    # Other blocks of the file may hold longer labels.
    wider = hashes(labels.astype("S64"))
    assert wider.tolist() == found


def test_labels_that_are_numbered_through_ascend() -> None:
    (fields, _) = fields_of([(f"q{i}", "1") for i in range(12_000)])
    labels = fields.labels()
    assert labels is not None
    assert (np.diff(hashes(labels).astype(np.int64)) > 0).all()


@settings(max_examples=300)
@given(st.lists(st.lists(WORDS.filter(str.strip), min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_column_of_labels_is_a_dictionary_of_them(blocks: list[list[str]]) -> None:
    """However bytes and texts, new labels and repeated ones follow one another."""
    column = LabelColumn(Records("t.csv", ("id",), {}, lambda _: iter(())), "id")
    for texts in blocks:
        (fields, _) = fields_of([(text, "1") for text in texts], ";")
        column.add(fields, np.arange(1, len(texts) + 1))
    found, wanted = column.labels(), Labels.of(text.strip() for texts in blocks for text in texts)
    assert found.names == wanted.names
    assert found.codes.tolist() == wanted.codes.tolist()
    assert found.texts() == wanted.texts()


@pytest.mark.parametrize("line", ['q2,"1"', "q2", "q2,1,1", ",", '"q2,1'])
def test_other_lines_are_left_to_the_csv_module(line: str) -> None:
    plain = plain_lines(f"q1,1\n{line}\n", ",", 2)
    assert (plain is None) == (line != ",")


def test_names_are_made_of_what_is_asked_for(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "scores.csv"
    path.write_text("id,new,old\n" + "".join(f"item-{i},{i % 2},{i % 3 % 2}\n" for i in range(500)))
    (new, old) = read_scores(path)
    assert isinstance(new.ids.names, Names)
    assert new.ids is old.ids
    assert (new.ids[7], new.ids.names[-1], new.ids.names[:2]) == ("item-7", "item-499", ("item-0", "item-1"))
    assert new.ids.texts() == [f"item-{i}" for i in range(500)]
    assert hash(new.ids.names) == hash(tuple(new.ids.names))

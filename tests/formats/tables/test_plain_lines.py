"""Plain lines are split at once, others by the csv module: which of them reads a line makes no difference."""

from __future__ import annotations

import csv
import io
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.formats.base import source as sources
from outscore.formats.base.source import open_source
from outscore.formats.tables import delimited

FIELD = st.one_of(st.sampled_from(["0", "1", "", " x ", "#"]), st.text('ab",;\n#\t', max_size=3))
ROWS = st.lists(st.tuples(FIELD, FIELD, FIELD), max_size=12)


def read(folder, text, piece=20):
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PIECE", piece)
        patch.setattr(delimited, "BLOCK_ROWS", 3)
        with open_source(path) as source:
            return read_blocks(source)


def read_blocks(source):
    blocks = list(delimited.records(source, ",").blocks(["b", "id"]))
    columns = {name: list(chain.from_iterable(block.columns[name] for block in blocks)) for name in ("b", "id")}
    return columns, [int(line) for block in blocks for line in block.lines]


@given(rows=ROWS, ends_with_a_line=st.booleans())
def test_both_ways_of_reading_agree(rows, ends_with_a_line, tmp_path_factory):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([("id", "a", "b"), *rows])
    text = stream.getvalue() if ends_with_a_line else stream.getvalue().removesuffix("\n")
    columns, lines = read(tmp_path_factory.mktemp("table"), text)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    naive, begins = [], []
    before = 0
    for row in reader:
        naive.append(row)
        begins.append(before + 1)
        before = reader.line_num
    assert columns == {"id": [row[0] for row in naive[1:]], "b": [row[2] for row in naive[1:]]}
    assert lines == begins[1:]


@pytest.mark.parametrize(("bad", "line"), [("q4,1", 5), ("q4,1,0,1", 5), ('q4,"1,0', 5)])
def test_a_line_of_another_shape_is_named_wherever_it_stands(bad, line, tmp_path):
    text = "id,a,b\nq1,1,0\nq2,1,0\nq3,0,0\n" + bad + "\nq5,1,1\n"
    for piece in (1, 7, 20, 100):
        with pytest.raises(OutscoreError, match=f"line {line}"):
            read(tmp_path, text, piece)


def test_fields_that_make_up_for_one_another_are_noticed(tmp_path):
    with pytest.raises(OutscoreError, match="line 2"):
        read(tmp_path, "id,a,b\nq1,1\nq2,1,0,0\n")

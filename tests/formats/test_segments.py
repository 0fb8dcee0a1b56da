"""Plain text, one segment per line."""

from __future__ import annotations

import gzip
import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.formats.segments import read_segments

# What other tools take for the end of a line is part of a segment here, as it is in sacreBLEU.
LINES = st.lists(st.text(st.characters(exclude_characters="\n\r\x00", codec="utf-8")), min_size=1, max_size=8)


@given(LINES)
def test_every_line_is_a_segment(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("text") / "a.txt"
    # A byte order mark is no part of the text.
    lines[0] = lines[0].lstrip("\ufeff")
    path.write_bytes(("\n".join(lines) + "\n").encode())
    assert read_segments(path).lines == tuple(lines)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\n\nb\n", ("a", "", "b")),
        (b"a\n\n", ("a", "")),
        (b"\n", ("",)),
        (b"a\nb", ("a", "b")),
        (b"a\r\nb\r\n", ("a", "b")),
        (b"\xef\xbb\xbfa\nb\n", ("a", "b")),
        ("x\u2028y\x0bz\x85\n".encode(), ("x\u2028y\x0bz\x85",)),
        (b" a \tb \n", (" a \tb ",)),
    ],
)
def test_line_ends_and_empty_lines(tmp_path, content, lines):
    path = tmp_path / "new.de.txt"
    path.write_bytes(content)
    found = read_segments(path)
    assert found.lines == lines
    assert len(found) == len(lines)
    assert found.origin.rows == len(lines)
    assert found.origin.sha256 == hashlib.sha256(content).hexdigest()


def test_compressed_files_and_names(tmp_path):
    path = tmp_path / "new.txt.gz"
    path.write_bytes(gzip.compress(b"a\nb\n"))
    found = read_segments(path)
    assert (found.name, found.lines) == ("new", ("a", "b"))
    assert read_segments(path, name="other").name == "other"


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("schön\n\n".encode())))
    assert read_segments("-").lines == ("schön", "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty."),
        (b"a\nsch\xf6n\n", "line 2: found the byte 0xf6, which is not UTF-8 text."),
        (b"PAR1rest", "is a Parquet table, but plain text was expected."),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, content, said):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(OutscoreError) as refused:
        read_segments(path)
    assert refused.value.message.startswith(f"`{path}`")
    assert refused.value.message.endswith(said)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(OutscoreError, match="does not exist"):
        read_segments(tmp_path / "absent.txt")

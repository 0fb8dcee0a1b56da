"""Errors of readers name the file and, where there is one, the line, for the page and for programs."""

from __future__ import annotations

import polars as pl
import pytest

from outscore.core.errors import OutscoreError
from outscore.formats.readers import read, read_chains, read_labels, read_words
from outscore.formats.segments import read_segments
from outscore.formats.tables.parquet import long_file, long_rows

TREE = "1\tIt\tit\tPRON\tPRP\t_\t{head}\tnsubj\t_\t_\n"
# Reader, name of the file, content, line.
BAD = {
    "csv-cell": (read, "x.csv", "id,new,old\nq1,1,0\nq2,x,0\n", 3),
    "csv-ragged": (read, "x.csv", "id,new,old\nq1,1,0\nq2,0\n", 3),
    "csv-header": (read, "x.csv", "1,2,3,4,5\n", 1),
    "csv-empty": (read, "x.csv", "", None),
    "csv-no-numbers": (read, "x.csv", "id,new\nq1,a\nq2,b\n", None),
    "csv-ambiguous": (read, "x.csv", "item_id,doc_id,new,old\n1,2,3,4\n", None),
    "jsonl": (read, "x.jsonl", '{"id": 1, "score": 1}\n{"id": 2, "score": \n', 2),
    "numbers": (read, "x.txt", "1\n2\n\n3\n", 3),
    "counts": (read, "x.txt", "1 2 3 4\n1 2 3 -4\n", 2),
    "not-utf-8": (read, "x.txt", b"1\n2\xff\n", 2),
    "nul": (read, "x.txt", b"1\n2\x00\n", 2),
    "text": (read, "x.txt", "The cat.\nThe dog.\n", None),
    "conllu": (read_words, "x.conllu", TREE.format(head=7), 1),
    "words": (read_words, "x.bio", "It PRON\nworks\n", 2),
    "chains": (read_chains, "x.conll", "#begin document (a); part 000\na 0 0 It PRP 3)\n#end document\n", 2),
    "chains-open": (read_chains, "x.conll", "#begin document (a); part 000\n", None),
    "labels": (read_labels, "x.csv", "id,gold\nq1,yes\n", None),
    "other-task": (read_labels, "x.txt", TREE.format(head=0), None),
    "segments": (read_segments, "x.txt", b"a\nb\xff\n", 2),
    "damaged": (read, "x.gz", b"\x1f\x8b\x08\x00", None),
}


@pytest.mark.parametrize("name", BAD)
def test_file_and_line(write, name):
    reader, path, content, line = BAD[name]
    with pytest.raises(OutscoreError) as refused:
        reader(write(content, path))
    assert (refused.value.file, refused.value.line) == (path, line)
    assert line is None or f"`{path}`, line {line}: " in refused.value.message


def test_a_file_that_cannot_be_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("absent.csv", "."):
        with pytest.raises(OutscoreError) as refused:
            read(path)
        assert (refused.value.file, refused.value.line) == (path, None)


def test_rows_of_parquet_are_not_lines(tmp_path):
    path = str(tmp_path / "x.parquet")
    pl.DataFrame({"item": ["q1", "q2"], "system": ["a", "a"], "score": [1.0, None]}).write_parquet(path)
    for function in (read, lambda path: long_rows([long_file(path)], {"item": "item", "system": "system", "score": "score"})):
        with pytest.raises(OutscoreError, match="row 2") as refused:
            function(path)
        assert (refused.value.file, refused.value.line) == (path, None)

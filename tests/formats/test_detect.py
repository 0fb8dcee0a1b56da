"""One answer to "what is this file?", whoever asks."""

from __future__ import annotations

import pytest

from outscore.core.errors import OutscoreError
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import Peek, open_source
from outscore.formats.readers import read, read_labels, read_words
from outscore.formats.registry import FORMATS, OUTPUT_FORMATS, alternatives, certain_format, detect, diff_task
from outscore.web.files import inspect

TREE = "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t{misc}\n2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t{misc}\n\n"
FILES = {
    "conllu": ("x.txt", TREE.format(misc="_")),
    "conll2012": ("x.txt", "#begin document (a); part 000\na 0 0 The DT (3\na 0 1 mayor NN 3)\n#end document\n"),
    "corefud": ("x.txt", "# global.Entity = eid-etype-head-other\n" + TREE.format(misc="Entity=(e1-person-1-)")),
    "coref-jsonl": ("x.txt", '{"doc_key": "d", "sentences": [["The", "mayor", "left"]], "clusters": [[[0, 1]]]}\n'),
    "json-words": ("x.txt", '{"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}\n'),
    "tagged-lines": ("x.txt", "The/DT mayor/NN resigned/VBD\n"),
    "word-columns": ("x.txt", "It PRON\nworks VERB\n. .\n\nNow ADV\n"),
    "labels": ("x.txt", "id,label,prediction\nq1,yes,yes\nq2,no,\n"),
    "jsonl": ("x.txt", '{"id": 1, "new": 1, "old": 0}\n{"id": 2, "new": 1, "old": 1}\n'),
    "csv": ("x.txt", "id,new,old\n1,1,0\n2,1,1\n"),
    "tsv": ("x.txt", "id\tnew\told\n1\t1\t0\n2\t1\t1\n"),
    "scores": ("x.txt", "0.5\n0.7\n"),
    "score-pairs": ("x.txt", "0.5 0.7\n0.7 0.1\n"),
    "f1-counts": ("x.txt", "12 3 11 5\n1 2 1 2\n"),
}


def peek_at(path) -> Peek:
    with open_source(path) as source:
        return source


def test_every_text_format_is_here():
    assert FILES.keys() == {*FORMATS, *OUTPUT_FORMATS} - {"parquet"}


@pytest.mark.parametrize("name", FILES)
def test_reader_and_page_take_a_file_for_the_same(tmp_path, monkeypatch, name):
    # The page looks for logs beside the file, in the folder that it works in.
    monkeypatch.chdir(tmp_path)
    path = tmp_path / FILES[name][0]
    path.write_text(FILES[name][1])
    assert detect(peek_at(path)).name == name
    result = read(path)
    assert (result[0] if isinstance(result, list) else result).origin.format == name
    described = inspect(path, 10**6)
    assert (described["problem"], described["format"]) == (None, name)


def test_parquet_needs_no_lines():
    assert detect(Peek("x", (), is_parquet=True)).name == certain_format(Peek("x", (), is_parquet=True)).name == "parquet"


def test_a_text_is_in_no_format():
    prose = Peek("x.txt", ["The cat sat.\n", "It was late.\n"])
    assert [detect(prose), detect(prose, holds="scores"), detect(prose, holds="outputs")] == [None, None, None]


@pytest.mark.parametrize(
    ("name", "choice", "expected"),
    [("x.tsv", Choice(), "tsv"), ("x.csv.gz", Choice(), "csv"), ("x.txt", Choice(item="id"), "csv")],
)
def test_a_name_or_a_column_calls_for_a_table(name, choice, expected):
    assert detect(Peek(name, ["nothing\n"]), choice).name == expected


@pytest.mark.parametrize("misc", ["", "_\t"])
def test_conllu_with_an_empty_last_column_or_a_separator_after_it(tmp_path, misc):
    """Recognised alike by all who ask, whatever the name of the file."""
    path = tmp_path / "x.txt"
    path.write_text(TREE.format(misc=misc))
    assert detect(peek_at(path)).name == "conllu"
    assert read_words(path).origin.format == "conllu"
    with pytest.raises(
        OutscoreError, match=r"is CoNLL-U, but a table with a label per item was expected\. Compare .* --task pos"
    ):
        read_labels(path)


def test_a_brace_does_not_make_words_json(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("{ PUNCT\nworks VERB\n\n} PUNCT\n")
    assert certain_format(peek_at(path)) is None
    assert read_words(path).forms.names == ("{", "works", "}")


@pytest.mark.parametrize(
    ("format", "rows", "task"),
    [
        ("conll2012", [["a", "(3"]], "coref"),
        ("corefud", [["1", "It"]], "coref"),
        ("coref-jsonl", [["x"]], "coref"),
        ("json-words", [["Ekeus", "B-PER"], ["flew", "O"]], "ner"),
        ("tagged-lines", [["The", "DT"]], "pos"),
        ("labels", [["q1", "yes"]], "label"),
        ("csv", [["q1", "1"]], "label"),
        ("conllu", [["1", "It", "_"]], "pos"),
        ("word-columns", [["It", "PRON"]], "pos"),
        ("word-columns", [["Ekeus", "S-PER"], ["flew", "O"]], "ner"),
        ("word-columns", [], "pos"),
    ],
)
def test_task_of_a_diff(format, rows, task):
    assert diff_task(format, rows) == task


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("x.txt", ["it n\n", "\n", "works v\n"], ("word-columns", "segments")),
        ("x.txt", ["it n\n", "works v\n"], ("segments",)),
        ("x.tsv", ["it\tn\n", "works\tv\n"], ("word-columns",)),
        ("x.csv", ["A cat.\n", "Two dogs.\n"], ()),
        ("x.txt", ['{"id": 1}\n'], ()),
        ("x.txt", ["1 2 3\n", "4 5\n", "cat\n"], ()),
        ("x.txt", ["\n"], ()),
    ],
)
def test_what_an_unrecognised_file_may_be(name, lines, expected):
    assert alternatives(Peek(name, lines)) == expected

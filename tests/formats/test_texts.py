"""Files of texts are read as what they are, or refused: never scored as plain lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.formats.texts import read_texts

SGML = """<refset setid="newstest" srclang="any" trglang="de">
<doc docid="a.1" genre="news" origlang="en" sysid="ref">
<hl>
<seg id="1">Ein &quot;Haus&quot; &amp; AT&T</seg>
</hl>
<p>
<seg id="2">2 < 3
  und mehr</seg><seg id="3"></seg>
</p>
</doc>
<doc docid="a.2" genre="news" origlang="en" sysid="ref">
<seg id="1">Ende &#228; &#x20ac;</seg>
</doc>
</refset>
"""
XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmt24">
  <doc id="d1" origlang="en">
    <src lang="en"><p><seg id="1">A house</seg><seg id="2">An end</seg></p></src>
    <ref lang="de" translator="refA"><p><seg id="1">Ein Haus</seg><seg id="2">Ein Ende</seg></p></ref>
    <hyp system="S1" language="de"><p><seg id="1">Haus</seg><seg id="2">Ende</seg></p></hyp>
    <hyp system="S2" language="de"><p><seg id="1">Das Haus</seg><seg id="2"/></p></hyp>
  </doc>
  <doc id="d2" origlang="en" testsuite="x"><src><seg id="1">x</seg></src><hyp system="S1"><seg id="1">y</seg></hyp></doc>
</dataset>
"""


@pytest.fixture
def write(tmp_path):
    def writer(name: str, text: str):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return writer


def test_sgml(write):
    file = read_texts(write("ref.sgm", SGML))
    (text,) = file.references()
    assert text.lines == ('Ein "Haus" & AT&T', "2 < 3 und mehr", "", "Ende ä €")
    assert text.documents == ("a.1", "a.1", "a.1", "a.2")
    assert text.keys == ("a.1: 1", "a.1: 2", "a.1: 3", "a.2: 1")
    assert (file.origin.format, file.origin.rows) == ("sgml", 4)
    with pytest.raises(OutscoreError, match=r"ref\.sgm` contains no system's output, but 1 reference"):
        file.systems()


def test_sgml_of_a_system_and_of_several_references(write):
    system = read_texts(write("sys.sgm", SGML.replace("refset", "tstset").replace('sysid="ref"', 'sysid="uedin"')))
    assert [text.name for text in system.systems()] == ["uedin"]
    doubled = SGML.replace(
        "</refset>", SGML[SGML.index("<doc") : SGML.index("</refset>")].replace('"ref"', '"second"') + "</refset>"
    )
    assert [text.name for text in read_texts(write("two.sgm", doubled)).references()] == ["ref", "second"]


def test_segments_of_nobody_serve_as_either(write):
    file = read_texts(write("x.sgm", "<doc><seg>a</seg>\n<seg>b</seg></doc>"))
    assert file.systems()[0].lines == file.references()[0].lines == ("a", "b")
    assert file.systems()[0].name == "x"


def test_xml_holds_systems_references_and_sources(write):
    file = read_texts(write("wmt.xml", XML))
    assert {text.name: text.lines for text in file.systems()} == {"S1": ("Haus", "Ende"), "S2": ("Das Haus", "")}
    assert [text.name for text in file.systems(["S2"])] == ["S2"]
    (reference,) = file.references()
    assert (reference.name, reference.lines, reference.source) == ("refA", ("Ein Haus", "Ein Ende"), ("A house", "An end"))
    assert any("2 segments of test suites were left out" in note for note in file.held.notes)


def test_json_lines_with_the_names_of_comet(write):
    rows = [{"src": "x", "mt": "a b", "ref": "a c"}, {"src": "y", "mt": "d", "ref": "e"}]
    for text in ("\n".join(map(json.dumps, rows)), json.dumps(rows, indent=2)):
        file = read_texts(write("new.jsonl", text))
        assert (file.systems()[0].name, file.systems()[0].lines) == ("new", ("a b", "d"))
        assert file.references()[0].lines == ("a c", "e")
        assert file.systems()[0].source == ("x", "y")


def test_tables_of_many_systems(write):
    table = "doc\tsystem\tid\treference\thypothesis\n" + "".join(
        f"d\t{system}\t{i}\tref {i}\t{system} {i}\n" for system in ("B", "A") for i in (2, 1)
    )
    file = read_texts(write("t.tsv", table))
    assert {text.name: text.lines for text in file.systems()} == {"B": ("B 2", "B 1"), "A": ("A 2", "A 1")}
    assert file.references()[0].lines == ("ref 2", "ref 1")
    assert read_texts(write("t.csv", table.replace("\t", ","))).systems()[1].lines == ("A 2", "A 1")


def test_several_references_of_a_row(write):
    rows = [{"hyp": "a", "refs": ["x", "y"]}, {"hyp": "b", "refs": ["z", "w"]}]
    listed = read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows))))
    numbered = read_texts(write("a.tsv", "hyp\tref1\tref2\na\tx\ty\nb\tz\tw\n"))
    for file in (listed, numbered):
        assert [text.lines for text in file.references()] == [("x", "z"), ("y", "w")]


def test_scores_of_metricx_are_no_texts(write):
    row = {"source": "x", "reference": "r", "hypothesis": "h", "prediction": 2.5}
    assert read_texts(write("a.jsonl", json.dumps(row))).systems()[0].lines == ("h",)


@pytest.mark.parametrize(
    "text",
    [
        "<unk> is a word\nb\n",
        "[Music] plays\nb\n",
        "{laughs}\nb\n",
        "ref\nhyp\n",
        "a\tb\nc\n",
        '"Well."\n"Yes."\n',
        "[1] Smith\n",
    ],
)
def test_plain_text_stays_plain(write, text):
    file = read_texts(write("a.txt", text))
    assert file.origin.format == "segments"
    assert file.systems()[0].lines == tuple(text.splitlines())


WRONG = {
    "unclosed segment": ("a.sgm", "<tstset>\n<doc>\n<seg id=1>a\n<seg id=2>b</seg></doc>"),
    "a segment twice": ("a.sgm", "<tstset><doc docid='d'>\n<seg id=1>a</seg>\n<seg id=1>b</seg></doc></tstset>"),
    "XML of another kind": ("a.xml", "<?xml version='1.0'?>\n<tmx><tu>x</tu></tmx>"),
    "a system with a hole": ("a.xml", XML.replace('<seg id="2">Ende</seg>', "")),
    "JSON that breaks off": ("a.jsonl", '{"mt": "a"}\n{"mt": \n'),
    "a line that is no object": ("a.jsonl", '{"mt": "a"}\nplain\n'),
    "unknown columns": ("a.jsonl", '{"answer": "a", "gold": "b"}\n'),
    "two columns of outputs": ("a.jsonl", '{"mt": "a", "output": "b"}\n'),
    "a number for a text": ("a.jsonl", '{"mt": "a", "ref": 3}\n'),
    "a table without a header": ("a.tsv", "x\ta b\nx\tc\nx\td e\n"),
    "a CSV with unusual names": ("a.csv", "uid,truth,said\nu1,a b,a c\n"),
    "a TSV with unusual names": ("a.tsv", "uid\ttruth\tsaid\nu1\ta b\ta c\n"),
    "a CSV with semicolons": ("a.csv", "uid;truth;said\nu1;a b;a c\n"),
    "a short row": ("a.tsv", "hyp\tref\na\tb\nc\n"),
    "references that disagree": ("a.tsv", "system\thyp\tref\nA\ta\tx\nB\tb\ty\n"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_are_refused_in_one_sentence(write, what):
    path = write(*WRONG[what])
    with pytest.raises(OutscoreError) as caught:
        read_texts(path).systems()
    assert path.name in caught.value.message
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_columns_and_readers_can_be_named(write):
    path = write("a.jsonl", '{"answer": "a", "gold": "b"}\n')
    file = read_texts(path, columns={"hypothesis": "answer", "reference": "gold"})
    assert (file.systems()[0].lines, file.references()[0].lines) == (("a",), ("b",))
    assert read_texts(path, reader="text").systems()[0].lines == ('{"answer": "a", "gold": "b"}',)
    with pytest.raises(OutscoreError, match="no column `nothing`"):
        read_texts(path, columns={"hypothesis": "nothing"})


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a"])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_file_with_a_column_that_was_named_is_a_table(write, name, separator):
    """Whole lines of it were scored, its header among them."""
    rows = ["uid,truth,said", "u1,hello world,hello word", "u2,good day,good day"]
    path = write(name, "\n".join(rows).replace(",", separator) + "\n")
    file = read_texts(path, columns={"hypothesis": "said", "reference": "truth"})
    assert (file.systems()[0].lines, file.references()[0].lines) == (("hello word", "good day"), ("hello world", "good day"))


@pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.tsv", "\t")])
def test_a_named_column_has_to_be_there(write, name, separator):
    path = write(name, "uid,truth,said\nu1,hello world,hello word\n".replace(",", separator))
    with pytest.raises(OutscoreError, match="no column `NOPE`"):
        read_texts(path, columns={"hypothesis": "said", "reference": "NOPE"})
    assert read_texts(path, columns={"hypothesis": "said", "reference": "NOPE"}, optional=["reference"]).held.references == {}


@pytest.mark.parametrize("text", ["Well, yes\nNo\n", "1,2\n3,4\n", "yes, yes\nno, no, no\n", "one line, alone\n"])
def test_texts_in_a_csv_that_is_no_table_stay_plain(write, text):
    assert read_texts(write("a.csv", text)).systems()[0].lines == tuple(text.splitlines())


TABLES = {
    "outputs and ids": "id,hypothesis\nu1,a b\nu2,c\n",
    "a name beside unknown ones": "take,mt\nx,a b\ny,c d\n",
    "blanks behind commas": "Source, Reference, Output\nx, a b, a c\ny, d, e\n",
    "quotes": '"id","hypothesis"\r\n"u1","a, b"\r\n"u2","c"\r\n',
    "carriage returns alone": "id,hypothesis\ru1,a b\ru2,c\r",
    "one row": "uid,reference\nu1,a b\n",
    "ids and blanks behind commas": "id, hypothesis\nu1, a b\nu2, c\n",
    "blanks in a name": "Utterance ID,hypothesis\nu1,a b\nu2,c\n",
}


@pytest.mark.parametrize("name", ["a.txt", "a", "a.hyp"])
@pytest.mark.parametrize("what", TABLES)
def test_the_content_says_that_a_file_is_a_table(write, what, name):
    """Its lines were scored as text, header, ids and all."""
    file = read_texts(write(name, TABLES[what]))
    assert file.origin.format == "csv"
    assert all("," not in line or line == "a, b" for text in file.held.systems.values() for line in text)


UNNAMED = {
    "ids": "uid,truth,said\nu1,a b,a c\nu2,d,e f\n",
    "ids with tabs": "uid\ttruth\tsaid\nu1\ta b\ta c\n",
    "names alone": "truth,said\na b,a c\nd e,f\ng,h i\n",
    "semicolons": "uid;hypothesis\nu1;a b\nu2;c d\n",
    "a row with too many cells": "foo,hypothesis\nu1,a b\nu2,c, d\n",
}


@pytest.mark.parametrize("what", UNNAMED)
def test_a_table_that_cannot_be_read_is_refused_and_not_scored(write, what):
    path = write("a", UNNAMED[what])
    with pytest.raises(OutscoreError) as caught:
        read_texts(path)
    assert "table" in caught.value.message or "columns" in caught.value.message
    assert read_texts(path, reader="text").systems()[0].lines == tuple(UNNAMED[what].splitlines())


@pytest.mark.parametrize(
    "text",
    [
        "Reference, please.\nYes\n",
        "Well, yes\nOh, no\nSo, what\n",
        "Problem, officer?\nNo, sir.\n",
        "Hello,world\nGood,day\nSee,you\n",
        "1,000\n2,000\n3,000\n",
        "yes;no\nno;yes\n",
        "He said: id, please\nMine, too\n",
        "Hello,world\nGood morning, all\nSee you, then\n",
        "Yes,sir\nNo, not now\nWell, then go\n",
        "x,y\nthe one, the other\nyou, and me\n",
        "Yes;no\nOne; two\nGood day; good night\n",
        "Source, reference\nNo comma here\nNor here\n",
        "ref,output\nNo comma here\nNor here\nWell, yes\n",
        'ref,output\n"Well" he said\nNor here\n',
        "src\tref\nNo tab here\nNor here\n",
        "ref;output\nNothing here\nNor here\n",
        "Model, output\nWell, yes\nOh, no\nSo, what\n",
        "Well, output\nOh, no\nSo, what\n",
        "Model; output\nWell; yes\nOh; no\nSo; what\n",
    ],
)
def test_plain_text_with_commas_stays_plain(write, text):
    assert read_texts(write("a.txt", text)).systems()[0].lines == tuple(text.splitlines())


@pytest.mark.parametrize("text", ["Model, output\nA, a b\nB, c\n", "ref,output\na b,c\nd\ne\n"])
def test_the_ending_of_a_csv_says_that_its_names_are_a_header(write, text):
    path = write("a.csv", text)
    if text.startswith("Model"):
        assert read_texts(path).origin.format == "csv"
    else:
        with pytest.raises(OutscoreError, match="line 3: found 1 columns"):
            read_texts(path)


@given(
    st.lists(
        st.lists(st.sampled_from(["Well", "yes", "the id", "a question", "one output", "no", "then"]), min_size=1, max_size=4),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=200)
def test_sentences_are_never_a_table(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("texts") / "a"
    path.write_text("".join(f"{', '.join(words)}.\n" for words in sentences))
    assert read_texts(path).origin.format == "segments"


def test_a_stray_carriage_return_is_named(write):
    file = read_texts(write("a.txt", "a\nb\rc\nd\n"))
    assert file.systems()[0].lines == ("a", "b\rc", "d")
    assert "line 2 has a carriage return inside" in file.held.notes[0]


def test_a_list_of_texts_is_one_segment_each(write):
    """A JSON list was scored as one segment, brackets and quotes included."""
    for text in ('["Ein Haus", "", "Ende"]', '[\n "Ein Haus",\n "",\n "Ende"\n]\n'):
        file = read_texts(write("a.json", text))
        assert file.systems()[0].lines == file.references()[0].lines == ("Ein Haus", "", "Ende")
        assert file.held.notes[0].endswith("a.json` was read as JSONL: 3 segments.")
    assert read_texts(write("a.txt", '["one"]\n')).systems()[0].lines == ('["one"]',)


@pytest.mark.parametrize("column", ["prompt", "task_id", "user_id", "question", "instruction"])
def test_what_many_segments_share_is_no_id(write, column):
    rows = [{column: "translate", "hypothesis": text} for text in ("a b", "c", "d e")]
    file = read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows))))
    assert (file.systems()[0].lines, file.held.columns) == (("a b", "c", "d e"), {})
    rows = [{**row, "key": f"k{i}"} for i, row in enumerate(rows)]
    assert read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows)))).held.columns["item"] == ("key",)
    rows = [{column: f"t{i}", "hypothesis": "a", "system": name} for name in "AB" for i in range(3)]
    assert read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows)))).held.columns["item"] == (column,)


@pytest.mark.parametrize("column", ["id", "uid", "segment_id", "item", "segment", "key", "line"])
def test_an_id_that_repeats_is_refused(write, column):
    rows = [{column: "s1", "hypothesis": text} for text in ("a b", "c")]
    with pytest.raises(OutscoreError, match="line 2: segment s1 of `a` occurs a second time"):
        read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows))))


@pytest.mark.parametrize("column", ["response", "pred", "completion", "generation"])
def test_the_answers_of_a_model_are_outputs(write, column):
    rows = [{"id": i, column: text} for i, text in enumerate(("a b", "c"))]
    assert read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows)))).systems()[0].lines == ("a b", "c")
    rows = [{**row, "hypothesis": "the same"} for row in rows]
    assert read_texts(write("a.jsonl", "\n".join(map(json.dumps, rows)))).systems()[0].lines == ("the same", "the same")


def test_columns_named_after_systems(write):
    table = "src\tref\tA\tB\tscore\nx\tHaus\tdas Haus\tein Haus\t0.5\ny\tEnde\tein Ende\t\t1\n"
    file = read_texts(write("a.tsv", table))
    assert {text.name: text.lines for text in file.systems()} == {"A": ("das Haus", "ein Ende"), "B": ("ein Haus", "")}
    assert file.references()[0].lines == ("Haus", "Ende")
    assert file.held.notes[1].endswith("a.tsv`: its other columns are read as systems: `A` and `B`.")
    chosen = read_texts(write("a.tsv", table), columns={"hypothesis": "B"})
    assert [text.name for text in chosen.systems()] == ["a"]
    assert chosen.systems()[0].lines == ("ein Haus", "")


@pytest.mark.parametrize("before", ["", '{"hypothesis": ', '{"hypothesis": "a"}\n{"hypothesis": '])
def test_texts_nested_too_deeply_are_refused(tmp_path, before):
    path = tmp_path / "t.jsonl"
    path.write_text(before + "[" * 100_000)
    with pytest.raises(OutscoreError, match="nested too deeply"):
        read_texts(path, reader="jsonl")
    assert read_texts(path, reader="text").systems()


def test_a_long_word_in_a_tag_takes_time_in_proportion_to_its_length(tmp_path):
    """Looking for an attribute from every letter of it anew would take hours."""
    path = tmp_path / "ref.sgm"
    path.write_text(SGML.replace("<doc docid", f"<doc {'q' * 1_000_000} docid"))
    whole = tmp_path / "whole.sgm"
    whole.write_text(SGML)
    damaged, right = read_texts(path), read_texts(whole)
    assert [text.lines for text in damaged.references()] == [text.lines for text in right.references()]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_python_writes_for_no_number_is_refused_as_it_is_written(value, tmp_path):
    """Beside a half of a letter, which Python writes, too, and which is replaced."""
    lines = [r'{"id": 1, "hypothesis": "NaN \ud800"}', f'{{"id": 2, "hypothesis": {value}}}']
    for text, name in (("\n".join(lines), "lines.jsonl"), (f"[{','.join(lines)}]", "list.json")):
        (tmp_path / name).write_text(text)
        with pytest.raises(OutscoreError, match=f"column `hypothesis` contains {value}, expected a text"):
            read_texts(tmp_path / name, columns={"hypothesis": "hypothesis"})

"""Wide and long tables: what is read from them, which column is taken for what, and every refusal word for word."""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import json
import lzma
import sys

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.variants import crossed

from outscore.core.errors import OutscoreError
from outscore.formats.base import source as sources
from outscore.formats.readers import read, read_scores
from outscore.formats.registry import OUTPUT_FORMATS
from outscore.formats.tables import cells as cells_module
from outscore.formats.tables import delimited
from outscore.formats.tables.cells import LabelColumn, NumberColumn, Records

WIDE = "id,new,old\nq1,1,0\nq2,0.5,1\n"
LONG = "question_id,model,score\nq1,new,1\nq2,new,0.5\nq1,old,0\nq2,old,1\n"


def parquet(table: dict) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(table).write_parquet(buffer)
    return buffer.getvalue()


def jsonl(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def as_records(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))


FORMS = {
    "csv": lambda text: text,
    "semicolons": lambda text: text.replace(",", ";"),
    "tsv": lambda text: text.replace(",", "\t"),
    "bom": lambda text: "\ufeff" + text,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "quoted": lambda text: "".join(",".join(f'"{field}"' for field in line.split(",")) + "\n" for line in text.splitlines()),
    "no-last-line-end": lambda text: text.rstrip("\n"),
    "blank-lines": lambda text: text.replace("\n", "\n\n"),
    "padded": lambda text: text.replace(",", " , "),
    "jsonl": lambda text: jsonl(*as_records(text)),
    "jsonl-numbers": lambda text: jsonl(*({k: _typed(v) for k, v in r.items()} for r in as_records(text))),
    "parquet": lambda text: parquet({k: [_typed(r[k]) for r in as_records(text)] for k in as_records(text)[0]}),
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2": lambda text: bz2.compress(text.encode()),
    "xz": lambda text: lzma.compress(text.encode()),
    "parquet-gzip": lambda text: gzip.compress(FORMS["parquet"](text)),
}


def _typed(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


@pytest.mark.parametrize(("form", "table"), crossed(FORMS, [WIDE, LONG]))
def test_every_form_reads_alike(write, form, table):
    content = FORMS[form](table)
    new, old = read(write(content))
    assert (new.name, old.name) == ("new", "old")
    assert new.values.tolist() == [1, 0.5]
    assert old.values.tolist() == [0, 1]
    assert [new.ids[k] for k in range(2)] == ["q1", "q2"]
    raw = content if isinstance(content, bytes) else content.encode()
    assert new.origin.sha256 == hashlib.sha256(raw).hexdigest()
    assert new.origin.rows == (2 if table is WIDE else 4)


@pytest.mark.parametrize("table", [WIDE, FORMS["parquet"](WIDE)], ids=["csv", "parquet"])
def test_standard_input(monkeypatch, table):
    raw = table if isinstance(table, bytes) else table.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert [scores.name for scores in read("-")] == ["new", "old"]


def test_zstd(write):
    pack = zstandard.ZstdCompressor().compress
    long = "id,new,old\n" + "".join(f"q{k},{k % 7},{k % 5}\n" for k in range(100_000))
    new, _ = read(write(pack(long[:300_000].encode()) + pack(long[300_000:].encode()), "x.csv.zst"))
    assert new.rows == 100_000


def test_zstd_cut_short_is_refused(write, golden):
    packed = zstandard.ZstdCompressor().compress(("id,new,old\n" + "q1,1,0\n" * 50_000).encode())
    golden("formats/zstd-cut.txt", refusal(write(packed[:-5], "x.csv.zst")))


def test_all_parts_are_read_by_their_usual_names(write):
    header = "Item ID,model,score,epoch,document,dataset,task,category,length"
    rows = [f"{k % 2},m{k % 3},{k % 5},{k},d{k % 2},s,t{k},c,{k}" for k in range(6)]
    first = read(write("\n".join([header, *rows])))[0]
    assert first.origin.columns == {
        "item": ("Item ID",), "system": ("model",), "score": ("score",), "repeat": ("epoch",), "cluster": ("document",),
        "dataset": ("dataset",), "slice": ("task", "category"),
    }  # fmt: skip
    assert [first.repeats[k] for k in range(2)] == ["0", "3"]
    assert first.clusters[0] == "d0"
    assert first.slices["task"][1] == "t3"
    assert first.lines.tolist() == [2, 5]
    assert first.place(1) == "`x.txt`, line 5"


@pytest.mark.parametrize(
    ("header", "item"),
    [
        ("id,question,new,old", "id"),
        ("question,question_id,new,old", "question_id"),
        ("index,id,new,old", "id"),
        ("uid,new,old", "uid"),
        ("line,new,old", "line"),
        (",id,new,old", "id"),
        ("Unnamed: 0,id,new,old", "id"),
    ],
)
def test_item_column(write, header, item):
    row = ",".join(str(k) for k in range(header.count(",") + 1))
    found = read(write(f"{header}\n{row}\n"))
    assert found[0].origin.column("item") == item
    assert [scores.name for scores in found] == ["new", "old"]


def test_columns_by_option(write):
    name = write("nr,who,points,part,time,f1\n1,a,3,x,9,0\n1,b,4,x,9,0\n2,a,5,y,9,0\n")
    a, b = read(name, item="nr", system="who", score="points", cluster="part", slice="time")
    assert (a.values.tolist(), b.values.tolist()) == ([3, 5], [4])
    assert a.clusters.names == ("x", "y")
    assert list(a.slices) == ["time"]
    counts = read(name, item="nr", system="who", score=("points", "time"))[0]
    assert counts.values.tolist() == [[3, 9], [5, 9]]


def test_systems_by_choice(write):
    three = "id,a,b,c\n1,1,2,x\n2,3,4,y\n"
    assert [scores.name for scores in read(write(three), systems=("b", "a"))] == ["b", "a"]
    long = "id,model,score\n1,a,1\n1,b,2\n1,c,bad\n"
    found = read(write(long), systems=["b", "a"])
    assert [(scores.name, scores.values.tolist()) for scores in found] == [("b", [2]), ("a", [1])]
    assert found[0].origin.rows == 3


def test_one_system_is_called_by_its_file(write):
    assert [scores.name for scores in read(write("id,score\n1,1\n", "gpt.v2.csv"))] == ["gpt.v2"]
    assert read(write("id,bleurt\n1,1\n"))[0].origin.column("score") == "bleurt"


def test_wide_without_items(write):
    found = read(write("A,B,C\n.1,.2,.3\n.4,.5,.6\n"))
    assert [scores.name for scores in found] == ["A", "B", "C"]
    assert found[0].ids is None


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("A,B\n1,2\n", "score-pairs"),
        ("A,B,C,D\n1,2,3,4\n", "csv"),
        ("tp,errors,tp,errors\n1,2,3,4\n", "f1-counts"),
        ("A,B,C,D\n1,2,3,4.5\n", "csv"),
        ("id,A\n1,2\n", "csv"),
        ("question,sample,A,B\n1,1,0,1\n", "csv"),
        ("nr,accuracy\n1,2\n", "csv"),
        ("correct,wrong\n1,2\n", "score-pairs"),
        ("id score\n1 2\n", "score-pairs"),
        ('{"id": 1, "score": 2}\n', "jsonl"),
    ],
)
def test_detection(write, content, format):
    assert read(write(content))[0].origin.format == format


@pytest.mark.parametrize(
    ("written", "values", "kind"),
    [
        (["true", "False", "TRUE"], [1, 0, 1], "i"),
        (["1", "0", "1"], [1, 0, 1], "i"),
        (["1", "0.0", "true"], [1, 0, 1], "f"),
        (["1e2", "-.5", "+3"], [100, -0.5, 3], "f"),
    ],
)
def test_numbers_and_truth(write, written, values, kind):
    lines = "".join(f"{k},{text}\n" for k, text in enumerate(written))
    records = [{"id": k, "score": text} for k, text in enumerate(written)]
    for content in (f"id,score\n{lines}", jsonl(*records)):
        found = read(write(content))[0].values
        assert found.tolist() == values
        assert found.dtype.kind == kind


def test_json_values(write):
    records = [{"id": 1, "score": True}, {"id": 2.0, "score": 0}, {"id": "3", "score": "1"}]
    found = read(write(jsonl(*records)))[0]
    assert found.values.tolist() == [1, 0, 1]
    assert found.ids.names == ("1", "2", "3")


def test_lines_of_records_over_several_lines(write):
    found = read(write('id,text,score\n1,"two\nlines",1\n\n2,"a ""b""",0\n3,x,1\n'))[0]
    assert found.lines.tolist() == [2, 5, 6]
    assert found.values.tolist() == [1, 0, 1]


def test_a_slice_may_be_missing_and_is_named(write):
    assert read(write("id,task,score\n1,,1\n2,t,0\n"))[0].slices["task"].names == ("(none)", "t")


def test_text_that_is_not_needed_may_be_latin_1(write):
    assert read(write("id,score,comment\n1,1,caf\xe9\n".encode("latin-1")))[0].rows == 1


ERRORS = {
    "table-empty": ("", {}),
    "table-header-only": ("id,score\n", {}),
    "table-ragged": ("id,score\n1,2\n1\n", {}),
    "table-long-line": ("id,score\n1,2\n3,4,5\n", {}),
    "table-ragged-after-newline": ('id,text,score\n1,"two\nlines",1\n2,1\n', {}),
    "table-open-quote": ('id,text,score\n1,a,1\n2,"b,1\n3,c,1\n', {}),
    "table-endless-field": ('id,text,score\n1,a,1\n2,"b,1\n' + "3,c,1\n" * 40_000, {}),
    "table-stray-quote": ('id,text,score\n1,"a"b,1\n', {}),
    "table-latin-1": ("id,score\n1,2\ncaf\xe9,4\n".encode("latin-1"), {}),
    "table-latin-1-header": ("id,score,caf\xe9\n1,2,3\n".encode("latin-1"), {}),
    "table-latin-1-score": (b"id,score\n1,2\n2,\xb5\n", {}),
    "table-nan": ("id,score\n1,2\n2,nan\n", {}),
    "table-inf": ("id,score\n1,2\n2,-inf\n", {}),
    "table-no-score": ("id,score\n1,2\n2,\n", {}),
    "table-overflow": ("id,score\n1,2\n2,1e999\n", {}),
    "table-large": ("id,score\n1,2\n2,9007199254740992\n", {}),
    "table-text": ("id,score\n1,2\n2,good\n", {}),
    "table-decimal-comma": ("id;score\n1;0,5\n2;0,7\n", {"score": "score"}),
    "table-decimal-commas": ("id;A;B\n1;0,5;0,6\n2;0,7;0,2\n", {}),
    "table-per-cent": ("id,score\n1,95%\n", {}),
    "table-per-cents": ("id,A,B\n1,50%,60%\n2,70%,20%\n", {}),
    "table-no-id": ("id,score\n1,2\n,4\n", {}),
    "table-no-item": ("model,score\na,2\nb,4\n", {}),
    "table-no-item-repeat": ("run,A,B\n1,2,3\n", {}),
    "table-no-numbers": ("id,answer\n1,yes\n2,no\n", {}),
    "table-nothing-known": ("a,b\nx,0.5\nx,0.7\n", {}),
    "table-text-first": ("A,B\n0.5,good\n0.6,0.7\n0.6,0.7\n", {}),
    "table-unsure-item": ("doc_id,segment_id,A,B\n1,1,0,1\n", {}),
    "table-unsure-score": ("id,bleu,chrf\n1,1,2\n", {}),
    "table-unsure-number": ("id,model,points,marks\n1,a,1,2\n", {}),
    "table-unsure-system": ("id,model,system,score\n1,a,b,2\n", {}),
    "table-unknown-column": ("id,score\n1,2\n", {"item": "idd"}),
    "table-unknown-far": ("id,score\n1,2\n", {"cluster": "zebra"}),
    "table-unknown-system": ("id,model,score\n1,gpt-4o-mini,2\n1,gpt-4o,3\n", {"systems": ("gpt4o", "gpt-4o")}),
    "table-unknown-system-wide": ("id,alpha,beta\n1,2,3\n", {"systems": ("alpah", "beta")}),
    "table-twice-named": ("id,A,A\n1,2,3\n", {}),
    "table-bare-with-option": ("1 2\n3 4\n", {"item": "id"}),
    "json-list": ('[["q1", 2], ["q2", 3]]\n', {}),
    "json-pretty": ('{\n  "id": 1,\n  "score": 2\n}\n', {}),
    "json-broken": ('{"id": 1, "score": 2}\n{"id": 2, "score":\n', {}),
    "json-nan": ('{"id": 1, "score": 2}\n{"id": 2, "score": NaN}\n', {}),
    "json-null": ('{"id": 1, "score": 2}\n{"id": 2, "score": null}\n', {}),
    "json-absent": ('{"id": 1, "score": 2}\n{"id": 2}\n', {}),
    "json-number": ('{"id": 1, "score": 2}\n7\n', {}),
    "json-nested-score": ('{"id": 1, "score": 2}\n{"id": 2, "score": {"A": 1}}\n', {}),
    "json-nested-named": ('{"id": 1, "score": {"A": 1, "B": 2}}\n', {"score": "score"}),
    "json-nested-only": ('{"id": 1, "scores": {"A": 1, "B": 2}}\n', {}),
    "json-nested-item": ('{"id": 1, "score": 2}\n{"id": [2], "score": 2}\n', {}),
    "json-latin-1": ('{"id": 1, "score": 2}\n{"id": "caf\xe9", "score": 2}\n'.encode("latin-1"), {}),
    "parquet-cut": (FORMS["parquet"](LONG)[:-100], {}),
    "parquet-garbage": (b"PAR1 nothing else PAR1", {}),
    "parquet-nan": (parquet({"id": [1, 2], "score": [0.5, float("nan")]}), {}),
    "parquet-null": (parquet({"id": [1, 2], "score": [0.5, None]}), {}),
    "parquet-nested": (parquet({"id": [1], "score": [[0.5]]}), {"score": "score"}),
    "parquet-empty": (parquet({"id": [], "score": []}), {"score": "score"}),
    "parquet-asked-for": ("id,score\n1,2\n", {"format": "parquet"}),
}  # fmt: skip


def refusal(name: str, **columns) -> str:
    with pytest.raises(OutscoreError) as caught:
        read_scores(name, **columns)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return f"{caught.value}\n"


@pytest.mark.parametrize("name", ERRORS)
def test_errors(write, golden, name):
    content, columns = ERRORS[name]
    suffix = {"json": "jsonl", "parquet": "parquet"}.get(name.split("-")[0], "csv")
    golden(f"formats/{name}.txt", refusal(write(content, f"x.{suffix}"), **columns))


def test_folder(tmp_path, monkeypatch, golden):
    monkeypatch.chdir(tmp_path)
    golden("formats/folder.txt", refusal(".", item="id"))


def test_error_deep_in_a_file_names_its_line(write):
    rows = [f"q{k},0.25" for k in range(30_000)]
    rows[20_000] = 'q20000,"0.2\n5"'
    rows[25_000] = "q25000,x"
    with pytest.raises(OutscoreError, match=r'line 20002: found "0\.2 5"'):
        read(write("\n".join(["id,score", *rows])))
    rows[20_000] = "q20000,1"
    with pytest.raises(OutscoreError, match='line 25002: found "x" in column `score`'):
        read(write("\n".join(["id,score", *rows])))


cells = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["true", "False", "", "nan", "inf", "1_0", " 1", "1 ", "\u0661", "x", "1e400", "--1", "1\n2", "9" * 20]),
)
RECORDS = Records("x", (), {}, lambda _needed: iter(()))


@given(st.lists(cells, min_size=1, max_size=8))
def test_fast_and_careful_numbers_agree(values):
    lines = np.arange(len(values))

    def outcome(add):
        column = NumberColumn(RECORDS, "score")
        try:
            return add(column).tolist()
        except OutscoreError as error:
            return str(error)

    def fast(column):
        column.add(values, lines)
        return column.values()

    assert outcome(fast) == outcome(lambda column: column._parse_each(values, lines))


@given(st.lists(st.one_of(st.text(max_size=3), st.integers(0, 9), st.floats(0, 9), st.none(), st.booleans()), max_size=8))
def test_fast_and_careful_labels_agree(values):
    lines = np.arange(len(values))

    def outcome(encode):
        column = LabelColumn(RECORDS, "id")
        try:
            codes = encode(column)
            return [column.names[code] for code in codes]
        except OutscoreError as error:
            return str(error)

    def careful(column):
        texts = list(map(column._label, values, lines.tolist()))
        return column.encode(texts, lines)

    assert outcome(lambda column: column.encode(values, lines)) == outcome(careful)


@given(st.lists(st.lists(st.text("ab", min_size=1, max_size=4), max_size=6), min_size=1, max_size=8))
def test_labels_are_numbered_by_their_first_appearance(blocks):
    """In whichever block a label comes again, and whether or not two of them have the same hash."""
    whole = [label for block in blocks for label in block]
    names = list(dict.fromkeys(whole))
    for hashed in (hash, len):
        column = LabelColumn(RECORDS, "id")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cells_module, "hash", hashed, raising=False)
            for block in blocks:
                column.add(block, np.arange(len(block)))
            labels = column.labels()
        assert (labels.names, labels.codes.tolist()) == (tuple(names), [names.index(label) for label in whole])


fields = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=6)


@given(st.lists(st.tuples(fields, st.floats(-1e9, 1e9)), min_size=1, max_size=12), st.sampled_from([",", "\t", ";"]))
def test_against_the_csv_writer(tmp_path_factory, rows, separator):
    """Whatever text stands beside the score, scores and lines are those of the record."""
    path = tmp_path_factory.mktemp("twin") / "x.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(["id", "text", "score"])
        starts, line = [], 2
        for k, (text, score) in enumerate(rows):
            writer.writerow([k, text, repr(score)])
            starts.append(line)
            line += 1 + text.count("\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PIECE", 40)
        patch.setattr(delimited, "BLOCK_ROWS", 3)
        found = read(path)[0]
    assert found.values.tolist() == [score for _, score in rows]
    assert found.lines.tolist() == starts


pieces = [
    "id",
    "score",
    "model",
    "A",
    "B",
    "1",
    "0.5",
    "x",
    ",",
    "\t",
    ";",
    "\n",
    '"',
    "{",
    "}",
    "[",
    "]",
    ":",
    " ",
    "\ufeff",
    "PAR1",
    "label",
    "O",
]


@given(
    st.lists(st.sampled_from(pieces), max_size=30).map("".join),
    st.sampled_from(["x.csv", "x.tsv", "x.jsonl", "x.txt"]),
    st.sampled_from([*OUTPUT_FORMATS]),
)
def test_whatever_a_file_holds_is_read_or_refused_in_a_sentence(tmp_path_factory, text, name, outputs):
    path = tmp_path_factory.mktemp("fuzz") / name
    path.write_bytes(text.encode())
    asked = ({}, {"item": "id"}, {"systems": ("A", "B")}, {"format": "csv"}, {"format": "jsonl"}, {"format": outputs})
    for columns in asked:
        try:
            found = read(path, **columns)
            sentence, rows = "", [one.rows for one in (found if isinstance(found, list) else [found])]
        except OutscoreError as error:
            sentence, rows = str(error), [1]
        assert all(rows)
        assert "\n" not in sentence


def test_parquet_types(write):
    table = {
        "id": pl.Series([1.0, 2.0, 3.0]),
        "model": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
        "score": pl.Series(["0.5", "1.25", "2"]).cast(pl.Decimal(10, 2)),
        "task": pl.Series([True, False, None]),
    }
    a, b = read(write(parquet(table)))
    assert (a.values.tolist(), b.values.tolist()) == ([0.5, 2], [1.25])
    assert a.ids.names == ("1", "2", "3")
    assert a.slices["task"].names == ("True", "False", "(none)")


@pytest.mark.parametrize("content", ["\n\nid,A,B\n1,2,3\n", "id,A,B\r1,2,3\r", '\n{"id": 1, "A": 2, "B": 3}\n\n'])
def test_odd_line_ends(write, content):
    assert [scores.values.tolist() for scores in read(write(content))] == [[2], [3]]


def test_real_wide_table_with_repeats(shared_data):
    found = read(shared_data / "llm-scores" / "aime-2025-II.csv")
    assert len(found) == 19
    assert found[0].origin.columns == {"item": ("question",), "repeat": ("sample",)}
    assert (found[0].rows, len(found[0].ids.names)) == (60, 15)


def test_real_long_table_with_repeats(shared_data):
    nano, mini = read(shared_data / "llm-scores" / "gpqa-diamond.csv")
    assert nano.origin.columns == {
        "item": ("item_id",),
        "system": ("model_id",),
        "score": ("score",),
        "repeat": ("epoch",),
    }
    assert (nano.rows, mini.rows, len(nano.ids.names)) == (990, 990, 198)


def test_real_parquet(shared_data):
    found = read(shared_data / "llm-scores" / "livebench.parquet")
    assert len(found) == 93
    assert sum(scores.rows for scores in found) == found[0].origin.rows == 93_624
    assert list(found[0].slices) == ["task", "category"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_million_rows(write, form):
    n = 1_000_000
    scores = np.random.default_rng(0).normal(size=n)
    if form == "parquet":
        content = parquet({"id": np.arange(n), "score": scores})
    elif form == "csv":
        content = "id,score\n" + "".join(f"{k},{x!r}\n" for k, x in enumerate(scores.tolist()))
    else:
        content = "".join(f'{{"id": {k}, "score": {x!r}}}\n' for k, x in enumerate(scores.tolist()))
    np.testing.assert_array_equal(read(write(content))[0].values, scores)


BARS = "item|old|new\nq1|1|0\nq2|0|1\n"


@pytest.mark.parametrize("content", [BARS, BARS.replace("|", " | "), "|" + BARS.rstrip().replace("\n", "|\n|") + "|\n"])
@pytest.mark.parametrize("name", ["runs.txt", "runs.csv"])
def test_vertical_bars_separate_where_nothing_else_does(write, content, name):
    old, new = read(write(content, name))
    assert (old.name, old.ids.names, old.values.tolist(), new.values.tolist()) == ("old", ("q1", "q2"), [1, 0], [0, 1])


def test_vertical_bars_inside_of_names_and_texts_separate_nothing(write):
    found = read(write("item,a|x|y,b|x|y\nq1,1,0\n"))
    assert [scores.name for scores in found] == ["a|x|y", "b|x|y"]
    with pytest.raises(OutscoreError, match="none of the formats"):
        read(write("one | two\nthree | four | 5\n", "text.txt"))


def test_the_line_below_the_header_of_a_printed_table_is_to_be_removed(write):
    with pytest.raises(OutscoreError, match=r'line 2: found "---" in column `old`.*Remove the line if it only rules off') as e:
        read(write("| item | old | new |\n|---|---|---|\n| q1 | 1 | 0 |\n"))
    assert e.value.line == 2

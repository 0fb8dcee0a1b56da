from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.variants import crossed

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import open_source
from outscore.formats.readers import read as read_systems
from outscore.formats.registry import FORMATS, detect
from outscore.formats.tables import numbers
from outscore.formats.tables.numbers import NumberTable


def read(path) -> NumberTable:
    """The bare table under the systems, refused where `outscore.formats.registry.read` refuses it."""
    with open_source(path) as source:
        return numbers.read_numbers(source)


@pytest.mark.parametrize(
    ("content", "columns", "values"),
    [
        ("1\n2\n3\n", (), [[1], [2], [3]]),
        ("1\n2", (), [[1], [2]]),
        ("score\n.5\n1e-3\n", ("score",), [[0.5], [0.001]]),
        ("my score\n1\n", ("my score",), [[1]]),
        ("0.1 0.2\n0.3 0.4\n", (), [[0.1, 0.2], [0.3, 0.4]]),
        ("  0.1   0.2  \n0.3\t0.4\n", (), [[0.1, 0.2], [0.3, 0.4]]),
        ("a\tb\n1\t2\n", ("a", "b"), [[1, 2]]),
        ("system A\tsystem B\n1\t2\n", ("system A", "system B"), [[1, 2]]),
        ('"a","b"\n1,2\n', ("a", "b"), [[1, 2]]),
        ("# made by hand\n1 2\n", (), [[1, 2]]),
        ("# a b\n1 2\n", ("a", "b"), [[1, 2]]),
        ("1;2\n-3; +4\n", (), [[1, 2], [-3, 4]]),
        ("1,2\r\n3,4\r\n\r\n", (), [[1, 2], [3, 4]]),
        ("1 2\r3 4\r", (), [[1, 2], [3, 4]]),
        ("\ufeff1,2\n", (), [[1, 2]]),
        ("\ufeffa,b\n1,2\n", ("a", "b"), [[1, 2]]),
        ("1,2\n3,4\n\n  \n", (), [[1, 2], [3, 4]]),
        ("tp,in,tp,in\n8,2,7,3\n", ("tp", "in", "tp", "in"), [[8, 2, 7, 3]]),
        ("8.0 2.0 7e0 3\n", (), [[8, 2, 7, 3]]),
    ],
)
def test_reads(write, content, columns, values):
    table = read(write(content))
    assert table.columns == columns
    np.testing.assert_array_equal(table.values, values)


@pytest.mark.parametrize(
    ("content", "kind"),
    [("1 2\n", "i"), ("1 2.0\n", "f"), ("1e2 2\n", "f"), ("8.0 2 7 3\n", "i"), ("-1\n", "i"), ("1.\n", "f")],
)
def test_plain_integers_stay_integers(write, content, kind):
    assert read(write(content)).values.dtype.kind == kind


def test_integers_stay_integers_only_if_all_are(write, monkeypatch):
    monkeypatch.setattr(numbers, "BLOCK_LINES", 2)
    values = read(write("1\n2\n3\n0.5\n")).values
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values[:, 0], [1, 2, 3, 0.5])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_recognised_by_content(write, pack):
    packed = pack(b"1 2\n3 4\n")
    table = read(write(packed, "no-ending"))
    np.testing.assert_array_equal(table.values, [[1, 2], [3, 4]])
    assert table.sha256 == hashlib.sha256(packed).hexdigest()


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2\n3 4\n")))
    np.testing.assert_array_equal(read("-").values, [[1, 2], [3, 4]])
    assert not sys.stdin.buffer.closed


def test_real_files(shared_data):
    folder = shared_data / "nlpstattest"
    table = read(folder / "data-file.txt")
    assert table.values.shape == (2001, 2)
    np.testing.assert_array_equal(table.values[-1], [0.143274, 0.165717])
    with pytest.raises(OutscoreError, match="line 1: found 3 columns"):
        read(folder / "BAD.txt")


ERRORS = {
    "empty": "",
    "blank": "\n\n",
    "header-only": "a,b\n",
    "header-and-blanks": "a,b\n\n\n",
    "nan": "1 2\nnan 3\n",
    "nan-first": "NaN\n1\n",
    "inf": "1.5\n-inf\n",
    "missing": "1 2\n3 NA\n",
    "empty-field": "1,2\n3,\n",
    "overflow": "0.5\n1e999\n",
    "text": "1 2\n3 four\n",
    "text-first": "0.5 high\n",
    "prose": "Dear reader\nthis is prose\n",
    "decimal-comma": "0,5;0,25\n0,7;0,1\n",
    "per-cent": "95%\n96%\n",
    "typographic-minus": "0.5\n\u22120.5\n",
    "quoted": '"0.5","0.6"\n',
    "unicode-digits": "0.5\n\uff11\n",
    "underscore": "1\n1_000\n",
    "three-columns": "1 2 3\n1 2 3\n",
    "one-odd-line": "1 2 3\n1 2\n",
    "ragged": "1 2\n1 2\n1 2 3\n",
    "short": "1 2\n1\n",
    "mixed-separators": "1,2\n3;4\n",
    "header-width": "a b c\n1 2\n",
    "blank-inside": "1\n\n2\n",
    "blank-first": "\n1\n2\n",
    "blank-after-header": "a\n\n2\n",
    "latin-1-header": "Syst\xe8me A\n1\n".encode("latin-1"),
    "latin-1-inside": b"1\n\xb5\n",
    "binary": b"\x89PNG\r\n\x1a\n\x00\x00",
    "utf-16": "1 2\n".encode("utf-16")[:-1],
    "truncated-gzip": gzip.compress(b"1 2\n" * 1000, mtime=0)[:-9],
    "damaged-xz": lzma.compress(b"1 2\n" * 1000)[:-30],
    "fractional-count": "1 2 3 4\n1 2.5 3 4\n",
    "negative-count": "tp,in,tp,in\n1,2,-3,4\n",
    "large-integer": "1\n9007199254740992\n",
    "huge-integer": "1\n99999999999999999999\n",
    "large-count": "1.0 2 3 4\n1e17 2 3 4\n",
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(write, golden, name):
    with pytest.raises(OutscoreError) as caught:
        read_systems(write(ERRORS[name]))
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    # Which formats there are is no matter of this test.
    golden(f"formats/{name}.txt", f"{caught.value}\n".replace(", ".join(FORMATS), "..."))


@pytest.mark.parametrize("missing", ["b.txt", "new.txt", "score.pdf.txt", ".scores.txt", "nowhere/scores.txt"])
def test_unlike_names_are_not_suggested(write, missing):
    write("1\n", "a.txt")
    write("1\n", "gold.txt")
    with pytest.raises(OutscoreError, match=r"Check the spelling"):
        read(missing)


@pytest.mark.parametrize("missing", ["score.txt", "Scores.txt", "scores.tsv", "scores", "socres.txt"])
def test_missing_file_names_a_near_one_however_misspelt(write, missing):
    for name in ("scores.txt", "store.md", "a.txt"):
        write("1\n", name)
    with pytest.raises(OutscoreError, match=r"Did you mean `scores\.txt`\?"):
        read(missing)


def test_missing_file_names_a_near_one(write):
    write("1\n", "scores.txt")
    with pytest.raises(OutscoreError, match=r"`score\.txt` does not exist\. Did you mean `scores\.txt`\?"):
        read("score.txt")


def test_folder(tmp_path):
    with pytest.raises(OutscoreError, match="is a folder"):
        read(tmp_path)


def test_permission_denied(write, monkeypatch):
    def deny(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    name = write("1\n")
    monkeypatch.setattr("pathlib.Path.open", deny)
    with pytest.raises(OutscoreError, match="permission denied"):
        read(name)


def test_endless_line_is_not_slurped(write, monkeypatch):
    monkeypatch.setattr("outscore.formats.base.source.MAX_LINE", 100)
    with pytest.raises(OutscoreError, match="line of more than 100 characters"):
        read(write("1 " * 1000))


def test_error_deep_in_a_file_names_its_line(write):
    lines = ["0.25 0.5"] * 150_000
    lines[140_000] = "0.25 x"
    with pytest.raises(OutscoreError, match='line 140001: found "x"'):
        read(write("\n".join(lines)))


def test_formats_do_not_overlap(write):
    contents = {
        "scores": "1\n",
        "score-pairs": "1 2\n",
        "f1-counts": "1 2 3 4\n",
        "csv": "id,score\n1,2\n",
        "tsv": "id\tscore\n1\t2\n",
        "jsonl": '{"id": 1}\n',
        "parquet": b"PAR1",
    }
    assert contents.keys() == FORMATS.keys()
    for name, content in contents.items():
        with open_source(write(content)) as source:
            assert detect(source, holds="scores").name == name


def test_asked_format_is_enforced(write):
    name = write("1 2\n")
    assert len(read_systems(name, format="score-pairs")) == 2
    with pytest.raises(OutscoreError, match=r"found 2 columns.*expected 1"):
        read_systems(name, format="scores")
    with pytest.raises(OutscoreError, match="Did you mean `scores`"):
        read_systems(name, format="score-s")


@pytest.mark.parametrize(
    ("content", "names", "values"),
    [
        ("1\n2\n", ["x"], [[1, 2]]),
        ("1 2\n3 4\n", ["A", "B"], [[1, 3], [2, 4]]),
        ("new,old\n1,2\n", ["new", "old"], [[1], [2]]),
        ("tp,in,tp,in\n8,2,7,3\n", ["A", "B"], [[[8, 2]], [[7, 3]]]),
        ("correct,errors\n8,2\n", ["correct", "errors"], [[8], [2]]),
    ],
)
def test_systems(write, content, names, values):
    found = read_systems(write(content))
    assert [scores.name for scores in found] == names
    assert [scores.values.tolist() for scores in found] == values
    assert {scores.ids for scores in found} == {None}
    assert found[0].lines[0] == (1 if content[0].isdigit() else 2)
    assert found[0].origin.rows == found[0].rows


@pytest.mark.parametrize("mark", [" ", "\t", ",", ";"])
@pytest.mark.parametrize(
    "first",
    [("1.2.3", "1.2.3"), ("O.9", "O.1"), ("1..5", "0..3"), ("1e", "2e"), ("--1", "--1"), ("l.5", "-.-1"), (".9", "O.9")],
)
def test_damaged_numbers_are_no_names(write, first, mark):
    with pytest.raises(OutscoreError) as refused:
        read_systems(write(f"{mark.join(first)}\n" + f"0.5{mark}0.25\n" * 3))
    bad = next(cell for cell in first if cell != ".9")
    assert str(refused.value).endswith(
        f'x.txt`, line 1: found "{bad}", expected a number. Write the number anew; if it is a name, begin it with a letter.'
    )
    assert refused.value.line == 1


LIKE_SCORES = [
    *(
        "0.5x",
        "0.5f",
        "1/2",
        "x0.5",
        "[0.5]",
        "0x1F",
        "1_000",
        "½",
        "\uff11",
        "#0.5",
        "# 0.5x",
        "error: timeout",
        "(0.5)",
        "~0.5",
    ),
    *("0.5*", "$3", "1.5b", "p0.5", "7b1", "5e-3x", "Timeout", "Traceback (most recent call last):", "n/a: refused"),
    *("ValueError: bad input", "APITimeout: too slow", "Request failed: again", "EXCEPTION: raised", "# 1/2"),
]


@pytest.mark.parametrize(("file", "first"), crossed(["x.txt", "x.csv", "x.tsv"], LIKE_SCORES))
def test_a_first_line_that_may_be_a_score_is_asked_about(write, first, file):
    with pytest.raises(OutscoreError) as refused:
        read_systems(write(f"{first}\n0.25\n0.75\n1\n", file))
    assert str(refused.value).endswith(
        f'{file}`, line 1: found "{first}", which may be damaged or a name. Write scores in plain digits; if the line names '
        "columns, use words, such as score."
    )
    assert refused.value.line == 1


@pytest.mark.parametrize("name", ["7b", "F0.5", "5-shot", "01-ai/Yi-34B", "Model: GPT-4"])
def test_a_table_of_one_column_may_have_a_name_with_a_number(write, name):
    (found,) = read_systems(write(f"{name}\n0.25\n0.75\n1\n", "x.csv"), format="csv", item="none")
    assert found.values.tolist() == [0.25, 0.75, 1]


def test_a_table_of_one_column_does_not_lose_its_first_score(write):
    path = write("12 ok\n0.25\n0.75\n1\n", "x.csv")
    with pytest.raises(OutscoreError, match='line 1: found 12 ok in "12 ok", expected the names of columns'):
        read_systems(path, item="none")
    (found,) = read_systems(path, item="none", score=("12 ok",))
    assert found.values.tolist() == [0.25, 0.75, 1]


@pytest.mark.parametrize(
    "name",
    [
        *("score", "bleu4", "F1", "acc@1", "gpt-4", "gpt-3.5", "llama3.1", "model (v2)", "my score", "R2", "1-wer", "error"),
        *("error rate", "# made by hand", "# date: 2024-05-01", '"quoted"', "Précision", "精度", "o1", "_score", "failed"),
        *("7b", "4o", "7b-chat", "4o mini", "v1.0", "v1.5", "F0.5", "f2", "5-shot", "2-shot accuracy", "1-gram", "1-best"),
        *(
            "3.5-turbo",
            "1.5B-chat",
            "01-ai/Yi-34B",
            "10ms",
            "# 7b",
            "# v1.0",
            '"5-shot"',
            "Model: GPT-4",
            "Exact match: strict",
        ),
        *("# Error: strict", "# 2024-05-01"),
    ],
)
def test_what_is_clearly_a_name_is_one(write, name):
    table = read(write(f"{name}\n0.25\n0.75\n1\n"))
    assert table.values[:, 0].tolist() == [0.25, 0.75, 1]
    assert table.columns == (name.strip('#" '),)


@pytest.mark.parametrize("first", [("½", "⅓"), ("[0.5]", "[0.7]"), ("1/2", "2/3"), ("1_000", "2_000"), ("0x1F", "0x20")])
def test_two_numbers_in_another_notation_are_no_names(write, first):
    with pytest.raises(OutscoreError, match=r"line 1: found .*, which may be damaged or a name"):
        read_systems(write(f"{first[0]} {first[1]}\n" + "0.5 0.25\n" * 3))


@pytest.mark.parametrize("names", [("7b", "13b"), ("o1", "4o"), ("e5", "bge"), ("1.5b", "0.5b"), ("2024-05-01", "2024-06-01")])
def test_names_may_begin_with_digits(write, names):
    found = read_systems(write(f"{names[0]} {names[1]}\n" + "0.5 0.25\n" * 3))
    assert tuple(scores.name for scores in found) == names


def test_two_equal_names_are_no_header(write):
    with pytest.raises(OutscoreError, match='line 1: found "same" twice, expected the names of two systems') as refused:
        read_systems(write("same,same\n1,2\n"))
    assert refused.value.line == 1


def test_a_damaged_name_of_a_table_counts_only_beside_a_usual_one(write):
    found = read_systems(write("id,1.2.3,1.3.0\nq1,0.5,1\nq2,1,0\n"))
    assert [scores.name for scores in found] == ["1.2.3", "1.3.0"]
    with pytest.raises(OutscoreError, match="line 1: found"):
        read_systems(write("1.2.3,1.3.0,O.1\n0.5,1,1\n1,0,1\n"))


def test_systems_of_bare_numbers_can_be_chosen(write):
    name = write("new,old\n1,2\n")
    assert [scores.name for scores in read_systems(name, systems=("old", "new"))] == ["old", "new"]
    with pytest.raises(OutscoreError, match=r"has no system `ode`\. It has `new` and `old`"):
        read_systems(name, systems=("ode", "new"))


finite = st.floats(-1e150, 1e150)
written = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1).map(str),
    finite.map(repr),
    st.floats(-1e149, 1e149).map(lambda x: f"{x:.3e}"),
    st.sampled_from(["+1", "-.5", "5.", "007", "-0"]),
)


@given(st.lists(st.tuples(written, written), min_size=1, max_size=20), st.sampled_from([" ", "\t", ", ", " ; "]))
def test_against_line_by_line_reading(tmp_path_factory, rows, separator):
    path = tmp_path_factory.mktemp("twin") / "x.txt"
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    values = read(path).values
    plain = all(field.lstrip("+-").isdigit() for row in rows for field in row)
    assert values.dtype == (np.int64 if plain else np.float64)
    expected = [[int(x) if plain else float(x) for x in row] for row in rows]
    np.testing.assert_array_equal(values, expected)


@given(st.text(alphabet="0123456789.eE+-,; \t\r\nnaif\u2212x\x00\x0b\x0c\x85\xa0\u2028", max_size=40))
def test_fast_and_careful_reading_agree(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("twin") / "x.txt"
    path.write_bytes(text.encode())

    def outcome():
        try:
            return read(path).values.tolist()
        except OutscoreError as error:
            return str(error)

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "_parse", numbers._parse_each)
        assert outcome() == fast


@pytest.mark.slow
def test_a_million_lines(write):
    values = np.random.default_rng(0).normal(size=(1_000_000, 2))
    name = write("\n".join(f"{a!r} {b!r}" for a, b in values.tolist()))
    np.testing.assert_array_equal(read(name).values, values)

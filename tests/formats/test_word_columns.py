"""Words in plain columns: what is read from them, and every refusal word for word."""

from __future__ import annotations

import tracemalloc

import pytest
from tests.variants import a_few
from tests.word_files import read_word_columns

from outscore.core.errors import OutscoreError

CONLL = """-DOCSTART- -X- -X- O

U.N. NNP I-NP B-ORG
official NN I-NP O

" " O O
-DOCSTART- -X- O

Ekeus NNP I-NP B-PER
"""
EXPECTED = (["U.N.", "official", '"', "Ekeus"], ["B-ORG", "O", "O", "B-PER"], [0, 0, 1, 2])


def content(words):
    rows = range(words.rows)
    return [words.forms[i] for i in rows], [words.columns["tag"][i] for i in rows], words.sentences.tolist()


@pytest.mark.parametrize(
    "dress",
    [
        str,
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "   "),
        lambda text: text.replace("\n", " \r\n"),
        lambda text: text.replace("U.N.", "# id 17\nU.N.", 1),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("official NN", "official\tNN"),
    ],
    ids=["plain", "tabs", "wide", "windows", "comment", "no-last-line-end", "mixed"],
)
def test_dresses(write, dress):
    words = read_word_columns(write(dress(CONLL)))
    assert content(words) == EXPECTED
    assert [words.documents[i] for i in range(3)] == ["1", "1", "2"]
    assert set(words.columns) == {"2", "3", "tag"}
    assert words.ends.tolist() == [4, 12, 13, 18]


def test_two_columns(write):
    words = read_word_columns(write("New York\tPROPN\n#\tSYM\n\n\n1 000\tNUM\n", "new.tsv"))
    assert words.name == "new"
    assert content(words) == (["New York", "#", "1 000"], ["PROPN", "SYM", "NUM"], [0, 0, 1])
    assert words.ends.tolist() == [7, 8, 12]
    assert words.documents is None
    assert words.lines.tolist() == [1, 2, 5]


def test_columns_by_name(write):
    words = read_word_columns(write("NN dog O\n"), columns=("pos", "word", "tag"))
    assert (words.forms[0], words.columns["pos"][0]) == ("dog", "NN")


WRONG = {
    "empty": (
        "",
        "`x.txt` contains no words, but a word and its tag on each line was expected. Check that its text was written.",
    ),
    "no words": (
        "-DOCSTART- -X- O\n\n",
        "`x.txt` contains no words, but a word and its tag on each line was expected. Check that its text was written.",
    ),
    "one column": (
        "dog\ncat\n",
        (
            "`x.txt` has one column, but a word and its tag were expected. Write word and tag, separated by a tab; or compare a"
            " label per item with --task label."
        ),
    ),
    "ragged": (
        "a X\nb\nc X\n",
        (
            "`x.txt`, line 2: found 1 column (\"b\"), expected 2 as on the first word's line. Give every word's line the"
            " same columns, and put a blank line between sentences."
        ),
    ),
    "more": (
        "a\tX\nb\tX\tY\n",
        (
            "`x.txt`, line 2: found 3 columns (\"b X Y\"), expected 2 as on the first word's line. Give every word's line the"
            " same columns, and put a blank line between sentences."
        ),
    ),
    "cut": (
        "a\tX\nb",
        (
            '`x.txt`, line 2: found 1 column ("b"), expected 2 as on the first word\'s line. The file ends inside this line:'
            " copy or write it again. Otherwise: give every word's line the same columns, and put a blank line between"
            " sentences."
        ),
    ),
    "no word": (
        "a\tX\n\tY\n",
        (
            "`x.txt`, line 2: found nothing in column 1. Give every word's line the same columns, and put a blank line between"
            " sentences."
        ),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_refusals(write, case):
    text, message = WRONG[case]
    with pytest.raises(OutscoreError) as caught:
        read_word_columns(write(text))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("word", "tag"), "`x.txt` has 3 columns, but `columns` names 2. Name every column of the file, in order."),
        (
            ("form", "pos", "tag"),
            (
                "`columns` is form, pos, tag. Give each its own name, call one of them `word`, and write `_` for those that"
                " are not needed."
            ),
        ),
    ],
)
def test_refused_names(write, columns, message):
    with pytest.raises(OutscoreError) as caught:
        read_word_columns(write("dog NN O\n"), columns=columns)
    assert str(caught.value) == message


@pytest.mark.parametrize("width", a_few([10, 100, 1_000], 1))
def test_memory_grows_with_the_file_and_not_with_its_columns(tmp_path, width):
    path = tmp_path / "wide.txt"
    path.write_text(("w " * (width - 1) + "X\n") * (100_000 // width))
    tracemalloc.start()
    words = read_word_columns(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (words.rows, len(words.columns)) == (100_000 // width, width - 1)
    assert peak < 150 * path.stat().st_size


def test_a_text_is_refused_before_memory_is_taken_for_its_columns(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("w " * 30_000 + "\n")
    tracemalloc.start()
    with pytest.raises(OutscoreError, match=r"has 30,000 columns, but a word and its tags were expected"):
        read_word_columns(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * path.stat().st_size

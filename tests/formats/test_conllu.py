"""CoNLL-U: what is read from it, against a reader that goes line by line, and every refusal word for word."""

from __future__ import annotations

import gzip
import io
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.word_files import read_conllu

from outscore.core.errors import OutscoreError
from outscore.formats import words as word_lines
from outscore.formats.base import source
from outscore.formats.readers import read_words


def line(number, form, tag="X", head="0", relation="root", misc="_"):
    return f"{number}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{relation}\t_\t{misc}\n"


IM = (
    "# newdoc id = songs\n# sent_id = first one\n# text = I'm it.\n1-2\tI'm\t_\t_\t_\t_\t_\t_\t_\t_\n"
    + line(1, "I", "PRON", 3, "nsubj")
    + line(2, "am", "AUX", 3, "cop")
    + line("2.1", "really", "ADV", "_", "_")
    + line(3, "it", "PRON", 0)
    + line(4, ".", "PUNCT", 3, "punct")
    + "\n"
)
SO = "# newdoc\n" + line(1, "So", "ADV", 0) + "\n"


def test_what_is_read(write):
    words = read_conllu(write("# sent_id = loose end\n\n" + IM + SO, "new.conllu"))
    assert words.name == "new"
    assert [words.forms[i] for i in range(words.rows)] == ["I", "am", "it", ".", "So"]
    assert words.sentences.tolist() == [0, 0, 0, 0, 1]
    assert words.sentence_ids == ("first one", "2")
    assert words.documents is not None
    assert [words.documents[i] for i in range(2)] == ["songs", "2"]
    assert words.starts.tolist() == [0, 0, 3, 5, 6]
    assert words.ends.tolist() == [3, 3, 5, 6, 8]
    assert words.multiword.tolist() == [True, True, False, False, False]
    assert [words.columns["token"][i] for i in range(5)] == ["I'm", "I'm", "it", ".", "So"]
    assert words.heads.tolist() == [2, 2, -1, 2, -1]
    assert [words.columns["deprel"][i] for i in range(5)] == ["nsubj", "cop", "root", "punct", "root"]
    assert words.lines.tolist() == [7, 8, 10, 11, 14]
    assert (words.origin.format, words.origin.rows) == ("conllu", 5)


def test_only_columns_asked_for(write):
    words = read_conllu(write(IM), columns=("upos",))
    assert set(words.columns) == {"upos", "token"}
    assert words.heads is None
    with pytest.raises(OutscoreError, match="CoNLL-U has no column `upis`"):
        read_conllu(write(IM), columns=("upis",))


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n\n", "\n \n\n"),
        lambda text: "\n\n" + text,
        lambda text: gzip.compress(text.encode()),
    ],
    ids=["windows", "bom", "no-last-line-end", "blanks", "leading", "gzip"],
)
def test_dresses(write, dress):
    plain, dressed = read_conllu(write(IM + SO, "a.conllu")), read_conllu(write(dress(IM + SO), "b.conllu"))
    for part in ("sentences", "starts", "ends", "heads"):
        assert np.array_equal(getattr(plain, part), getattr(dressed, part))
    assert plain.forms.names == dressed.forms.names


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(IM.encode())))
    assert read_conllu("-").name == "stdin"


def test_real_files_leave_columns_empty(write):
    """As one of the shared task's systems does with features."""
    words = read_conllu(write("1\tHm\thm\tINTJ\tUH\t\t0\troot\t_\t\n"))
    assert words.columns["feats"].names == ("_",)


def test_no_trees(write):
    assert read_conllu(write(line(1, "Hm", "INTJ", "_", "_"))).heads is None


WRONG = {
    "empty": ("", "`x.txt` contains no words, but CoNLL-U was expected. Check that its text was written."),
    "comments": ("# sent_id = 1\n\n", "`x.txt` contains no words, but CoNLL-U was expected. Check that its text was written."),
    "csv": (
        "id,prediction\nq1,yes\n",
        (
            '`x.txt`, line 1: found 1 column ("id,prediction"), expected the 10 of CoNLL-U. Write ten columns separated by'
            " tabs, `_` in those without a value, and a blank line after each sentence."
        ),
    ),
    "few": (
        line(1, "a") + "2\tb\tb\tX\n\n",
        (
            '`x.txt`, line 2: found 4 columns ("2 b b X"), expected the 10 of CoNLL-U. Write ten columns separated by tabs,'
            " `_` in those without a value, and a blank line after each sentence."
        ),
    ),
    "cut": (
        line(1, "a") + "2\tb\tb\tX",
        (
            '`x.txt`, line 2: found 4 columns ("2 b b X"), expected the 10 of CoNLL-U. The file ends inside this line: copy or'
            " write it again. Otherwise: write ten columns separated by tabs, `_` in those without a value, and a blank line"
            " after each sentence."
        ),
    ),
    "many": (
        line(1, "a") + line(2, "b", misc="_\tmore"),
        (
            '`x.txt`, line 2: found 11 columns ("2 b b X _ _ 0 root _ _ more"), expected the 10 of CoNLL-U. Write ten columns'
            " separated by tabs, `_` in those without a value, and a blank line after each sentence."
        ),
    ),
    "no number": (
        line("", "a"),
        (
            "`x.txt`, line 1: found no word number in the first column. Write ten columns separated by tabs, `_` in those"
            " without a value, and a blank line after each sentence."
        ),
    ),
    "odd number": (
        line("one", "a"),
        (
            '`x.txt`, line 1: found "one" in the first column, expected the number of a word. Write ten columns separated by'
            " tabs, `_` in those without a value, and a blank line after each sentence."
        ),
    ),
    "signed number": (
        line(1, "a") + line("-2", "b"),
        "`x.txt`, line 2: found word number -2, expected 2. Number the words of each sentence 1, 2, 3 without gaps.",
    ),
    "no form": (
        line(1, ""),
        (
            "`x.txt`, line 1: found no word in the second column. Write ten columns separated by tabs, `_` in those without a"
            " value, and a blank line after each sentence."
        ),
    ),
    "blank form": (
        line(1, "\xa0"),
        "`x.txt`, line 1: found a word that consists only of blanks. Remove it, or write the word.",
    ),
    "gap": (
        line(1, "a") + line(3, "b"),
        "`x.txt`, line 2: found word number 3, expected 2. Number the words of each sentence 1, 2, 3 without gaps.",
    ),
    "no blank line": (
        line(1, "a") + line(1, "b"),
        "`x.txt`, line 2: found word number 1, expected 2. Put a blank line before each sentence.",
    ),
    "head": (
        line(1, "a", head="b"),
        (
            '`x.txt`, line 1: found "b" as head, expected the number of a word, or 0. Give every word a head in column 7; write'
            " `_` for all words of a file without trees."
        ),
    ),
    "truncated": (
        line(1, "a", head=3),
        (
            "`x.txt`, line 1: found the head 3, but the sentence ends with word 1. If the sentence is cut short, copy or write"
            " the file again; heads are numbered within their sentence."
        ),
    ),
    "range": (
        "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" + line(1, "a"),
        (
            "`x.txt`, line 1: found the multi-word token 1-2, whose words do not follow. Write the line of a multi-word token"
            " right before the lines of its words."
        ),
    ),
    "latin": (
        line(1, "a").encode() + line(2, "\xe9").encode("latin-1"),
        "`x.txt`, line 2: found the byte 0xe9, which is not UTF-8 text. Save the file as UTF-8.",
    ),
}


def test_multiword_token_of_one_word(write):
    words = read_conllu(write("1-1\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" + line(1, "a") + line(2, "c")))
    assert words.multiword.tolist() == [True, False]
    assert words.columns["token"].names[words.columns["token"].codes[0]] == "ab"


@pytest.mark.parametrize("case", WRONG)
def test_refusals(write, case):
    content, message = WRONG[case]
    with pytest.raises(OutscoreError) as caught:
        read_conllu(write(content))
    assert str(caught.value) == message


def test_name_promises_conllu(write):
    """A file with that ending is judged as CoNLL-U; others are columns."""
    with pytest.raises(OutscoreError, match="expected the 10 of CoNLL-U"):
        read_words(write("a\tb\n", "x.conllu"))
    assert read_words(write("a\tb\n")).origin.format == "word-columns"
    assert read_words(write(IM)).origin.format == "conllu"
    with pytest.raises(OutscoreError, match="There is no format of words `conlu`"):
        read_words(write(IM), format="conlu")


def naive(text: str):
    """Line by line, as a person would read it."""
    forms, sentences, heads, starts, at, sentence, waiting = [], [], [], [], 0, -1, []
    fresh, origin, covered = True, 0, 0
    for row in text.split("\n"):
        fields = row.split("\t")
        if not row:
            fresh = True
        elif row.startswith("#") or "." in fields[0]:
            continue
        elif "-" in fields[0]:
            low, high = map(int, fields[0].split("-"))
            covered, waiting = high - low + 1, [fields[1]]
        else:
            if fresh:
                sentence, origin, fresh = sentence + 1, len(forms), False
            forms.append(fields[1])
            sentences.append(sentence)
            heads.append(origin + int(fields[6]) - 1 if int(fields[6]) else -1)
            starts.append(at)
            covered -= 1
            if covered <= 0:
                at += len("".join((waiting or [fields[1]])[0].split()))
                waiting, covered = [], 0
    return forms, sentences, heads, starts


@st.composite
def documents(draw):
    text = ""
    for _ in range(draw(st.integers(1, 5))):
        size = draw(st.integers(1, 6))
        text += draw(st.sampled_from(["", "# text = \t x\ty\n", "# sent_id = s\n"]))
        number = 1
        while number <= size:
            if number < size and draw(st.booleans()):
                text += f"{number}-{number + 1}\t{draw(st.sampled_from(['ab c', 'zum', 'ü']))}" + "\t_" * 8 + "\n"
                text += line(number, "a", head=draw(st.integers(0, size))) + line(number + 1, "b", head=1)
                number += 2
            else:
                form = draw(st.sampled_from(["a", '"', "#", "ümläut", "1 000", "-", "𝒳", "null"]))
                text += line(number, form, head=draw(st.integers(0, size)))
                number += 1
            text += draw(st.sampled_from(["", "", f"{number - 1}.1\tx" + "\t_" * 8 + "\n"]))
        text += draw(st.sampled_from(["\n", "\n\n"]))
    return text


@settings(max_examples=40)
@given(documents(), st.integers(2, 5))
def test_against_naive_reader(tmp_path_factory, text, size):
    path = tmp_path_factory.getbasetemp() / "naive.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_lines, "BLOCK_PIECES", 1)
        patch.setattr(source, "PIECE", 40 * size)
        words = read_conllu(path)
    forms, sentences, heads, starts = naive(text)
    assert [words.forms[i] for i in range(words.rows)] == forms
    assert words.sentences.tolist() == sentences
    assert words.heads.tolist() == heads
    assert words.starts.tolist() == starts

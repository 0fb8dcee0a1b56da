"""CoNLL-2012: brackets, columns, documents that do not match, and refusals that name the line."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coref_documents import Document, make_document, to_conll, write_documents

from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_chains
from outscore.outputs.mentions import align_mentions

BEGIN, END = "#begin document (a); part 000\n", "#end document\n"


def cells(*column: str, begin: str = BEGIN, end: str = END) -> str:
    """A document of words w0, w1... with this last column; an empty cell is a blank line."""
    lines = [f"a 0 {i} w{i} NN {cell}" if cell else "" for i, cell in enumerate(column)]
    return begin + "".join(f"{line}\n" for line in lines) + end


def mentions(path: str) -> list[tuple[int, int, int]]:
    found = read_chains(path)
    return sorted(zip(found.starts.tolist(), found.ends.tolist(), found.chains.tolist(), strict=True))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["(1)", "-", "(1)"], [(0, 0, 0), (2, 2, 0)]),
        (["(1", "-", "1)"], [(0, 2, 0)]),
        (["(3)|(5", "5)"], [(0, 0, 0), (0, 1, 1)]),
        (["(1(3", "-", "3)", "1)"], [(0, 2, 1), (0, 3, 0)]),
        (["(1", "(1", "1)", "1)"], [(0, 3, 0), (1, 2, 0)]),
        (["(1", "1)|(1", "1)"], [(0, 1, 0), (1, 2, 0)]),
        (["(1|(2", "1)", "2)"], [(0, 1, 0), (0, 2, 1)]),
        (["_", "(e7)"], [(1, 1, 0)]),
        (["-", "-"], []),
    ],
    ids=["single", "span", "bar", "no bar", "last in first out", "close and open", "crossing", "names", "none"],
)
def test_brackets(write, column, expected):
    assert mentions(write(cells(*column))) == expected


@pytest.mark.parametrize("column", [["(1)", "(None)"], ["(1)", "(0b1)"], ["(e7)", "(3)"]])
def test_chains_are_all_called_by_numbers_or_none_is(write, column):
    with pytest.raises(OutscoreError, match=r"line 3: chain \S+ is (?:not )?a number, but chain \S+ on line 2 is (?:one|not)"):
        read_chains(write(cells(*column)))


def test_sentences_words_and_tags(write):
    found = read_chains(write(cells("(0)", "-", "", "(0)")))
    words = found.words
    assert [words.forms[i] for i in range(3)] == ["w0", "w1", "w3"]
    assert words.sentences.tolist() == [0, 0, 1]
    assert found.starts.tolist() == [0, 2]
    assert words.columns["pos"].names == ("NN",)
    assert (words.starts.tolist(), words.ends.tolist()) == ([0, 2, 4], [2, 4, 6])
    assert words.lines.tolist() == [2, 3, 5]
    assert found.lines.tolist() == [2, 5]


def test_documents_are_names_with_parts_and_chains_their_own(write):
    text = "".join(cells("(0)", "(0)", begin=f"#begin document (a); part {part}\n") for part in ("0", "001"))
    found = read_chains(write(text + cells("-", begin="#begin document (b);\n")))
    assert found.documents.names == ("a; part 000", "a; part 001", "b")
    assert found.documents.codes.tolist() == [0, 0, 1, 1]
    assert found.chains.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("line", "form", "tagged"),
    [("d (0)", "_", False), ("d 0 0 (0)", "_", False), ("d\t0\t0\tcat\t(0)\t", "cat", False), ("d 0 0 cat NN (0)", "cat", True),
     ("d 0 0 cat NN (TOP* cat - - - * (0)", "cat", True), ("d 0 0 cat - (0)", "cat", False),
     ("d 0 0 ca\u3000t NN (0)", "ca\u3000t", True)],
    ids=["2", "4", "5 with tabs", "6", "12", "no tags", "wide blank"],
)  # fmt: skip
def test_columns(write, line, form, tagged):
    words = read_chains(write(f"{BEGIN}{line}\n{END}")).words
    assert (words.forms[0], "pos" in words.columns) == (form, tagged)


def test_packed_files_and_names(write):
    found = read_chains(write(gzip.compress(cells("(0)").encode()), "best.conll.gz"))
    assert (found.name, found.origin.format, found.origin.rows) == ("best", "conll2012", 1)


def test_other_comments_are_passed_over(write):
    assert mentions(write("# made by hand\n" + cells("(0)") + "# the end\n")) == [(0, 0, 0)]


REFUSALS = {
    "empty": ("", "`x.txt` is empty, but a CoNLL-2012 file was expected."),
    "blank": ("\n\n", "`x.txt` is empty, but a CoNLL-2012 file was expected."),
    "other format": ("item,score\nq1,1\n", '`x.txt`, line 1: found "item,score" outside any document.'),
    "no begin": (cells("(0)", begin=""), '`x.txt`, line 1: found "a 0 0 w0 NN (0)" outside any document.'),
    "no name": (cells("-", begin="#begin document ();\n"), "`x.txt`, line 1: found a document without a name."),
    "no words": (BEGIN + END, "`x.txt` has documents without a single token."),
    "cut": (cells("(0)", "-", end=""), "`x.txt` ends inside document `a; part 000`, which begins on line 1."),
    "no end": (
        cells("-", end="") + cells("-", begin="#begin document (b);\n"),
        "`x.txt`, line 3: a document begins before the one on line 1 has ended.",
    ),
    "end twice": (cells("-") + END, "`x.txt`, line 4: found the end of a document that was never begun."),
    "twice": (cells("-") + cells("-"), "`x.txt`, line 4: document `a; part 000` begins a second time (first on line 1)."),
    "never closed": (cells("(2", "-"), "`x.txt`, line 2: chain 2 is opened but never closed in its document."),
    "never opened": (cells("-", "7)"), "`x.txt`, line 3: chain 7 is closed but was never opened."),
    "other document's": (
        cells("(1") + cells("1)", begin="#begin document (b);\n"),
        "`x.txt`, line 2: chain 1 is opened but never closed in its document.",
    ),
    "no brackets": (cells("-", "O"), '`x.txt`, line 3: found "O" in the last column, expected brackets of chains.'),
    "parse": (cells("(TOP(S(NP*"), '`x.txt`, line 2: found "(TOP(S(NP*" in the last column, expected brackets of chains.'),
    "one column": (f"{BEGIN}(0)\n{END}", "`x.txt`, line 2: found 1 column, expected at least 2."),
    "short line": (cells("-").replace(END, f"a 0 (0)\n{END}"), "`x.txt`, line 3: found 3 columns, expected at least 6."),
    "not UTF-8": (
        cells("-").encode().replace(b"w0", b"w\xe9"),
        "`x.txt`, line 2: found the byte 0xe9, which is not UTF-8 text.",
    ),
    "one chain twice": (
        cells("(1)|(1)"),
        "`x.txt`, line 2: the mention of tokens 0 to 0 of its document is in chain 1 twice.",
    ),
    "two chains": (
        cells("(1|(2", "2)|1)"),
        "`x.txt`, line 2: the mention of tokens 0 to 1 of its document is in chain 1 and in chain 2.",
    ),
    "parquet": (b"PAR1" + bytes(20), "`x.txt` is a Parquet file, but CoNLL-2012 was expected."),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(write, content, message):
    with pytest.raises(OutscoreError) as caught:
        read_chains(write(content))
    assert caught.value.message == message
    assert caught.value.hint


def test_repair_keeps_the_first_and_counts(write):
    found = read_chains(write(cells("(1|(2", "2)|1)", "(2)|(2)", "(1)")), repair=True)
    assert list(zip(found.starts.tolist(), found.ends.tolist(), found.chains.tolist(), strict=True)) == [
        (0, 1, 0),
        (2, 2, 1),
        (3, 3, 0),
    ]
    assert found.origin.rows - found.rows == 2
    assert found.lines.tolist() == [2, 4, 5]


def pair(write, gold: str, system: str):
    return align_mentions(read_chains(write(gold, "gold.conll")), [read_chains(write(system, "new.conll"))])


def other(name: str, *column: str) -> str:
    return cells(*column, begin=f"#begin document ({name}); part 000\n")


def test_documents_are_matched_by_name(write):
    found = pair(write, other("a", "(0)", "(0)") + other("b", "(0)"), other("b", "(0)") + other("a", "(0)", "-"))
    assert found.documents.names == ("a; part 000", "b; part 000")
    assert (found.chains >= 0).tolist() == [[True, True], [True, False], [True, True]]


TEN = ["(0)", *["-"] * 9]
OTHER_WORDS = "Document `a; part 000` has different words in `new.conll` and in `gold.conll`; the first difference is "
MISMATCHES = {
    "missing": (
        other("a", "(0)") + other("b", "(0)"),
        other("a", "(0)"),
        "`new.conll` has no document `b; part 000`, which `gold.conll` has (1 of 2 are missing).",
    ),
    "additional": (
        other("a", "(0)"),
        other("a", "(0)") + other("c", "(0)"),
        "`gold.conll` has no document `c; part 000`, which `new.conll` has (1 of 2 are missing).",
    ),
    "tokens": (
        other("a", "(0)", "-", "-"),
        other("a", "(0)", "-").replace("w1", "w2"),
        (
            "Document `a; part 000` has 2 tokens in `new.conll` and 3 in `gold.conll`; "
            "the first difference is `w2` on line 3 where gold has `w1`."
        ),
    ),
    "cut at its end": (
        other("a", "(0)", "-", "-"),
        other("a", "(0)", "-"),
        "Document `a; part 000` has 2 tokens in `new.conll` and 3 in `gold.conll`.",
    ),
    "other text": (
        other("a", "(0)", "-", "-"),
        other("a", "(0)", "-", "-").replace(" w", " v"),
        OTHER_WORDS + "`v0` on line 2 where gold has `w0`.",
    ),
    "shuffled": (
        other("a", *TEN),
        other("a", *TEN).replace("w3", "x").replace("w5", "w3").replace("x", "w5"),
        OTHER_WORDS + "`w5` on line 5 where gold has `w3`.",
    ),
    "no gold": (
        other("a", "-"),
        other("a", "(0)"),
        "`gold.conll` has no mention in any chain: there is nothing to score against.",
    ),
}


@pytest.mark.parametrize(("gold", "system", "message"), MISMATCHES.values(), ids=MISMATCHES)
def test_files_that_do_not_match_get_no_score(write, gold, system, message):
    with pytest.raises(OutscoreError) as caught:
        pair(write, gold, system)
    assert caught.value.message == message
    assert caught.value.hint


def test_another_spelling_is_no_other_text(write):
    gold = other("a", "(0)", "-", "-", "(0)")
    assert pair(write, gold, gold.replace("w2", "-LRB-")).n == 2


def test_a_system_may_leave_the_words_out(write):
    bare = "".join(f"a {cell}\n" for cell in ("(0)", "(0)"))
    assert pair(write, cells("(0)", "(0)"), f"{BEGIN}{bare}{END}").n == 2


def test_a_system_without_mentions(write):
    found = pair(write, other("a", "(0)", "(0)"), other("a", "-", "-"))
    assert found.chains.tolist() == [[0, -1], [0, -1]]


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), phrases=st.integers(1, 12))
def test_what_is_written_reads_back(tmp_path_factory, seed, phrases):
    document: Document = make_document(np.random.default_rng(seed), "made", phrases)
    path = tmp_path_factory.mktemp("read") / "made.conll"
    path.write_text(to_conll(document, document.chains), encoding="utf-8")
    found = read_chains(path)
    groups: dict[int, set] = {}
    for start, end, chain in zip(found.starts.tolist(), found.ends.tolist(), found.chains.tolist(), strict=True):
        groups.setdefault(chain, set()).add((start, end))
    wanted: dict[int, set] = {}
    for mention, chain in document.chains.items():
        wanted.setdefault(chain, set()).add(mention)
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, wanted.values()))
    assert [found.words.forms[i] for i in range(found.words.rows)] == document.words
    assert [found.words.columns["pos"][i] for i in range(found.words.rows)] == document.tags


def test_documents_are_made_the_same_again(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    first, second = (write_documents(folder, documents=2, phrases=10, seed=5) for folder in folders)
    assert all(first[name].read_bytes() == second[name].read_bytes() for name in first)

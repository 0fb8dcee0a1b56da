"""Systems whose text is not quite gold's: what is aligned nevertheless, what is counted, and what is refused."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.outputs.test_words import make
from tests.word_files import read_conllu

from outscore import diff
from outscore.core.errors import OutscoreError
from outscore.outputs.alignment import align, fit


def text(*sentences, ids=None):
    """Words of sentences given as strings."""
    rows = [row.split() for row in sentences]
    words = make("x", [word for row in rows for word in row], sentences=[i for i, row in enumerate(rows) for _ in row])
    return words if ids is None else type(words)(**{**words.__dict__, "sentence_ids": tuple(ids)})


GOLD = [f"this is sentence {i} of the text" for i in range(15)]


def test_the_same_text_is_aligned_as_ever():
    gold, system = text(*GOLD), text("".join(GOLD[0].split()), *GOLD[1:])
    found = fit(gold, system)
    assert not found.differs
    assert found.rows.tolist() == align(gold, system).tolist()


def test_a_missing_sentence():
    found = fit(text(*GOLD), text(*GOLD[:4], *GOLD[5:]))
    assert np.flatnonzero(found.rows < 0).tolist() == list(range(28, 35))
    assert (found.differs, found.missing) == (True, 1)
    assert found.words.starts.tolist() == [s for i, s in enumerate(text(*GOLD).starts.tolist()) if not 28 <= i < 35]


def test_sentences_are_paired_by_id():
    ids = [f"s{i}" for i in range(15)]
    changed = [row.replace(" is ", " was ") if i in (3, 4) else row for i, row in enumerate(GOLD)]
    found = fit(text(*GOLD, ids=ids), text(*changed[:3], *changed[4:], ids=[*ids[:3], *ids[4:]]))
    assert np.flatnonzero(found.rows < 0).tolist() == [*range(21, 28), 29]


def test_sentences_are_paired_by_id_behind_one_that_is_missing():
    """What a sentence has lost is not looked for in the next one."""
    rest = GOLD * 2
    ids = [f"s{i}" for i in range(33)]
    gold = text("one more line", "p q r", "x y z v", *rest, ids=ids)
    system = text("x y z", "p q w", *rest, ids=ids[1:])
    assert np.flatnonzero(fit(gold, system).rows < 0).tolist() == list(range(10))
    # Numbers are no ids: there words count wherever they are.
    gold, system = text("p q r", "x y z v", *rest), text("x y z", "p q w", *rest)
    numbered = [replace(words, sentence_ids=tuple(str(i + 1) for i in range(32))) for words in (gold, system)]
    assert (fit(*numbered).rows >= 0).sum() == len(rest) * 7 + 3


def test_a_tenth_of_the_words_may_be_missing():
    rows = [f"this is now sentence number {i} of this very text" for i in range(10)]
    assert (fit(text(*rows), text(*rows[:3], *rows[4:])).rows < 0).sum() == 10
    with pytest.raises(OutscoreError, match="11% of gold's words would have no counterpart, more than 10%"):
        fit(text(*rows), text(*rows[:3], *rows[4:9], rows[9].replace("now", "then")))


@pytest.mark.parametrize("form", ["-LRB-", "<unk>", "X"])
def test_an_altered_word_is_one_word(form):
    altered = [*GOLD[:2], GOLD[2].replace("sentence", form), *GOLD[3:]]
    found = fit(text(*GOLD), text(*altered))
    assert np.flatnonzero(found.rows < 0).tolist() == [16]
    # Its place in gold's text is that of the word it stands for.
    gold = text(*GOLD)
    assert (found.words.starts[16], found.words.ends[16]) == (gold.starts[16], gold.ends[16])
    first = fit(gold, text(GOLD[0].replace("this", form), *GOLD[1:])).words
    assert (first.starts[0], first.ends[0]) == (gold.starts[0], gold.ends[0]) == (0, 4)


def test_accents_may_be_encoded_in_two_ways():
    rows = [*GOLD, "le caf\u00e9 est \u00e0 nous"]
    assert (fit(text(*rows), text(*(unicodedata.normalize("NFD", row) for row in rows))).rows >= 0).all()


def test_another_text_is_refused_with_the_share():
    with pytest.raises(OutscoreError) as caught:
        fit(text(*GOLD), text(*(row.replace("sentence", "line") for row in GOLD)))
    assert caught.value.message == "`x`, word 3: found `line`, expected `sentence` as in `x`, word 3."
    assert caught.value.hint.endswith("14% of gold's words would have no counterpart, more than 10%.")


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=12), st.data())
def test_words_are_never_aligned_with_others(forms, data):
    rows = [" ".join(forms), *GOLD, *GOLD]
    kept = data.draw(st.lists(st.booleans(), min_size=len(forms), max_size=len(forms)))
    left = [word for word, keep in zip(forms, kept, strict=True) if keep]
    gold, system = text(*rows), text(*([" ".join(left)] if left else []), *GOLD, *GOLD)
    found = fit(gold, system)
    pairs = [(gold.forms[i], system.forms[j]) for i, j in enumerate(found.rows.tolist()) if j >= 0]
    if found.differs:
        assert all(ours == theirs for ours, theirs in pairs)
        # As many as any common subsequence has: the words that were kept are one.
        assert len(pairs) == system.rows
    assert (np.diff(found.rows[found.rows >= 0]) > 0).all()


@pytest.mark.slow
def test_real_parses_with_damage(shared_data, tmp_path):
    folder = shared_data / "conll18-en_pud"
    content = (folder / "Stanford-18.conllu").read_text()
    sentences = content.strip("\n").split("\n\n")
    damaged = {
        "missing": "\n\n".join(sentences[:100] + sentences[110:]) + "\n\n",
        "brackets": re.sub(r"^(\d+\t)\((?=\t)", r"\1-LRB-", content, flags=re.MULTILINE),
        "nfd": unicodedata.normalize("NFD", content),
    }
    for name, changed in damaged.items():
        (tmp_path / f"{name}.conllu").write_text(changed)
    gold = read_conllu(folder / "gold.conllu")
    whole = align(gold, read_conllu(folder / "Stanford-18.conllu"))
    lost = {name: int((fit(gold, read_conllu(tmp_path / f"{name}.conllu")).rows < 0).sum()) for name in damaged}
    inside = (gold.sentences >= 100) & (gold.sentences < 110)
    brackets = sum(gold.forms[i] == "(" for i in np.flatnonzero(whole >= 0))
    assert lost["missing"] == int(((whole < 0) | inside).sum())
    assert lost["brackets"] == int((whole < 0).sum()) + brackets
    assert lost["nfd"] == int((whole < 0).sum())
    paths = [folder / "Stanford-18.conllu", *(tmp_path / f"{name}.conllu" for name in damaged)]
    found = diff(folder / "gold.conllu", paths, task="dep", criterion="las")
    assert [(p.outcomes.correction, p.outcomes.new_error) for p in found.pairs[1:3]] == [(0, 0), (0, 0)]
    told = [note.text for note in found.notes if note.kind == "reading"]
    assert told[0].startswith(
        "The text of missing differs from gold's: 337 of 21,176 gold words, 10 whole sentences among them,"
    )


def test_entities_in_altered_words_keep_their_place(tmp_path):
    rows = [f"w{i}\t{'B-PER' if i % 3 == 0 else 'O'}\n" + ("\n" if i % 5 == 4 else "") for i in range(40)]
    altered = [row.replace("w9\t", "<unk>\t").replace("w7\t", "-LRB-\t") for row in rows]
    for name, lines in (("gold", rows), ("same", rows), ("altered", altered)):
        (tmp_path / f"{name}.bio").write_text("".join(lines))
    found = diff(tmp_path / "gold.bio", [tmp_path / "same.bio", tmp_path / "altered.bio"], task="ner")
    assert [found.scores[name]["span"].f1 for name in found.systems] == [1.0, 1.0]

"""Words aligned by their characters: the CoNLL 2018 evaluation's own cases, real parses, a naive twin, and every refusal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ud_evaluation import evaluate
from tests.word_files import read_conllu

from outscore.core.errors import OutscoreError
from outscore.outputs.alignment import align
from outscore.outputs.model import UNALIGNED, Words
from outscore.outputs.outcomes import outcomes
from outscore.outputs.words import (
    alignment_of,
    columns_of,
    criteria_of,
    sentence_contexts,
    strip_subtype,
    word_totals,
    word_units,
)
from outscore.scores.system import Labels


def make(name, tokens, **columns):
    """Words from tokens: a string is a word, a pair (surface, words) a multi-word token."""
    forms, surfaces, starts, ends, multiword, at = [], [], [], [], [], 0
    for token in tokens:
        surface, parts = token if isinstance(token, tuple) else (token, [token])
        size = len(surface.replace(" ", ""))
        for part in parts:
            forms.append(part)
            surfaces.append(surface)
            starts.append(at)
            ends.append(at + size)
            multiword.append(isinstance(token, tuple))
        at += size
    heads = columns.pop("heads", None)
    sentences = columns.pop("sentences", [0] * len(forms))
    documents = columns.pop("documents", None)
    labels = {column: Labels.of(values) for column, values in columns.items()}
    if any(multiword):
        labels["token"] = Labels.of(surfaces)
    return Words(
        name,
        Labels.of(forms),
        np.array(sentences),
        labels,
        np.array(starts),
        np.array(ends),
        np.array(multiword),
        tuple(map(str, range(max(sentences) + 1))),
        heads=None if heads is None else np.array(heads),
        documents=documents,
    )


OFFICIAL = {
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "lemma": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}
COLUMNS = ("upos", "xpos", "feats", "lemma", "deprel")
CASES = [("gold", "sys1"), ("gold", "sys2"), ("gold", "sys-space"), ("case-gold", "case-sys")]


@pytest.mark.parametrize(("gold", "system"), CASES)
def test_against_conll18_evaluation(shared_data, gold, system):
    folder = shared_data / "conll18-eval"
    name = system.removesuffix("-sys")
    rows = (row.split("|") for row in (folder / f"{name}-expected.results").read_text().splitlines())
    expected = {fields[0].strip(): [float(x) for x in fields[1:4]] for fields in rows if fields[0].strip() in OFFICIAL.values()}
    files = [read_conllu(folder / f"{name}.conllu", columns=COLUMNS) for name in (gold, system)]
    found = [align(*files)]
    for criterion, metric in OFFICIAL.items():
        numbers = expected[metric]
        column = columns_of(criterion)[-1]
        if criterion in ("xpos", "ufeats", "lemma") and files[0].columns[column].names == ("_",):
            continue
        units = word_units(files[0], files[1:], criterion, alignments=found, punct=True)
        ((correct, of_gold, of_system),) = word_totals(units, files[0], files[1:], found, punct=True)
        precision, recall = correct / of_system, correct / of_gold
        f1 = 2 * correct / (of_system + of_gold)
        assert [round(100 * x, 2) for x in (precision, recall, f1)] == numbers


def test_against_conll18_counts(shared_data):
    folder = shared_data / "conll18-eval"
    gold, system = (read_conllu(folder / f"func-{name}.conllu", columns=COLUMNS) for name in ("gold", "sys"))
    counts = {name: int(word_units(gold, [system], name, punct=True).correct.sum()) for name in ("upos", "uas", "las", "mlas")}
    assert counts == {"upos": 7, "uas": 6, "las": 6, "mlas": 2}


def test_real_parses(shared_data):
    """UDPipe-Future to Stanford-18 on English PUD, whose tokens differ from gold's."""
    folder = shared_data / "conll18-en_pud"
    gold, first, second = (read_conllu(folder / f"{name}.conllu") for name in ("gold", "UDPipe-Future", "Stanford-18"))
    units = word_units(gold, [first, second], "las")
    counts = np.bincount(outcomes(units))
    assert units.n == 18725
    assert np.round(100 * units.correct.mean(axis=0), 3).tolist() == [86.446, 86.991]
    assert counts[1:3].tolist() == [705, 603]
    assert UNALIGNED in units.labels
    kept = word_units(gold, [first, second], "las", subtypes=True)
    assert round(100 * float(np.subtract(*kept.correct.mean(axis=0)[::-1])), 2) in (6.21, -6.21)


@pytest.mark.parametrize(
    ("treebank", "first", "second", "changed"),
    [("he_htb", "NLP-Cube", "Stanford-18", 1_006), ("ja_gsd", "HIT-SCIR-18", "UDPipe-Future", 459)],
)
def test_heads_without_counterpart_are_whole_words(shared_data, treebank, first, second, changed):
    """Counted by an independent script: words that begin with the same character are not the same word."""
    names = ("00-gold-standard", first, second)
    files = [read_conllu(shared_data / "conll18-more" / f"{treebank}.{name}.conllu.gz") for name in names]
    assert np.bincount(outcomes(word_units(files[0], files[1:], "las")))[3] == changed


def test_a_functional_child_without_a_counterpart_is_no_word_of_gold():
    """MLAS: the system splits the article, so that the noun has another child than gold's, though of the same kind."""
    gold = make(
        "gold", ["dog", "the"], upos=["NOUN", "DET"], feats=["_", "_"], deprel=["root", "det"], lemma=["_", "_"], heads=[-1, 0]
    )
    split = {"upos": ["NOUN", "DET", "X"], "feats": ["_"] * 3, "deprel": ["root", "det", "dep"], "lemma": ["_"] * 3}
    system = make("new", ["dog", "th", "e"], **split, heads=[-1, 0, 0])
    assert word_units(gold, [gold, system], "mlas").correct.tolist() == [[True, False]]
    assert word_units(gold, [gold, system], "las").correct.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize(
    ("document", "name", "shown"),
    [("1", "12-a", "1, sentence 12-a"), ("1", "1-2", "1-2"), ("news", "news.3", "news.3"), ("", "7", "7")],
)
def test_sentences_are_named_with_their_document(document, name, shown):
    words = replace(make("x", ["a"], documents=Labels.of([document])), sentence_ids=(name,))
    assert sentence_contexts(words).ids == (shown,)


def test_words_of_one_token_are_different_heads():
    gold = make("gold", ["abc", "x"], deprel=["a", "b"], heads=[-1, 0])
    other = {"deprel": ["a", "a", "b"], "heads": [-1, 0, 0]}
    one = make("one", [("abc", ["q", "r"]), "x"], **other)
    two = make("two", [("abc", ["q", "r"]), "x"], **{**other, "heads": [-1, 0, 1]})
    same = make("same", [("abc", ["p", "q"]), "x"], **{**other, "heads": [-1, 0, 1]})
    units = word_units(gold, [one, two, same], "las")
    assert [outcomes(units, *pair)[1] for pair in ((0, 1), (0, 2), (1, 2))] == [3, 4, 3]


def test_multiword_tokens_of_one_word_are_read_as_in_the_evaluation(shared_data):
    folder = shared_data / "conll18-more"
    paths = [folder / f"pt_bosque.{name}.conllu.gz" for name in ("00-gold-standard", "HIT-SCIR-18")]
    files = [read_conllu(path, columns=COLUMNS) for path in paths]
    expected, found = evaluate(*paths), [align(*files)]
    assert [expected[name] for name in ("las", "mlas")] == [(8_919, 10_201, 10_160), (3_758, 5_129, 5_120)]
    # Gold has no XPOS there.
    for criterion in OFFICIAL.keys() - {"xpos"}:
        units = word_units(files[0], files[1:], criterion, alignments=found, punct=True)
        (totals,) = word_totals(units, files[0], files[1:], found, punct=True)
        assert totals == expected[criterion]


def test_answers_by_morphology_are_told_apart():
    """Two systems with the same head and relation and other tags of the word or of its functional child differ by MLAS."""
    base = {"deprel": ["det", "root"], "heads": [1, -1], "feats": ["_", "_"]}
    gold = make("gold", ["the", "end"], upos=["DET", "NOUN"], **base)
    tags = (["DET", "VERB"], ["DET", "VERB"], ["X", "VERB"], ["X", "NOUN"], ["DET", "NOUN"])
    units = word_units(gold, [make(str(k), ["the", "end"], upos=upos, **base) for k, upos in enumerate(tags)], "mlas")
    assert units.rows.tolist() == [1]
    assert units.correct.tolist() == [[False, False, False, False, True]]
    kinds = [outcomes(units, *pair).item() for pair in ((0, 1), (0, 2), (2, 3), (3, 4))]
    assert kinds == [4, 3, 3, 1]


def test_slices_of_words():
    gold = make("gold", ["a", "b", "c"], upos=["X", "Y", "X"], deprel=["det", "root", "obj"], heads=[1, -1, 1])
    names = ("upos", "form", "sentence-length", "head-distance", "head-direction")
    units = word_units(gold, [gold], "las", slices=names)
    assert {name: [labels[i] for i in range(3)] for name, labels in units.slices.items()} == {
        "upos": ["X", "Y", "X"],
        "form": ["a", "b", "c"],
        "sentence-length": ["1-5"] * 3,
        "head-distance": ["1", "root", "1"],
        "head-direction": ["head after", "root", "head before"],
    }
    with pytest.raises(OutscoreError) as caught:
        word_units(gold, [gold], "las", slices=["length"])
    assert caught.value.message == "There is no column `length` to split by."
    assert "sentence-length" in caught.value.hint


def test_sentences_need_not_agree():
    gold = make("gold", ["a", "b", "c", "d"], sentences=[0, 0, 1, 1])
    assert align(gold, make("new", ["a", "b", "c", "d"], sentences=[0, 1, 1, 2])).tolist() == [0, 1, 2, 3]


def test_same_cuts_of_other_multiword_tokens():
    """The same spans, but the words inside differ."""
    gold = make("gold", [("zum", ["zu", "dem"]), "x"])
    assert align(gold, make("new", [("zum", ["Zu", "m"]), "x"])).tolist() == [0, -1, 2]
    assert align(gold, make("new", ["zum", "x"])).tolist() == [-1, -1, 1]
    assert align(gold, make("new", ["zu", "m", "x"])).tolist() == [0, -1, 2]


def test_alignment_is_counted():
    gold, system = make("gold", ["a", "b", "cd"]), make("new", ["ab", "c", "d"])
    found = align(gold, system)
    assert found.tolist() == [-1, -1, -1]
    assert alignment_of(found, system).only_b == 3


@st.composite
def cuts(draw, text):
    """The text cut into tokens, some of them of several words."""
    tokens, at = [], 0
    while at < len(text):
        size = draw(st.integers(1, 4))
        surface = text[at : at + size]
        at += size
        if draw(st.integers(0, 3)) == 0:
            tokens.append((surface, draw(st.lists(st.sampled_from("abAB"), min_size=2, max_size=3))))
        else:
            tokens.append(surface)
    return tokens


@st.composite
def readings(draw):
    text = draw(st.text("ab", min_size=1, max_size=14))
    return draw(cuts(text)), draw(cuts(text))


def longest(a, b):
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + longest(a[1:], b[1:])
    return max(longest(a[1:], b), longest(a, b[1:]))


def naive_regions(*files):
    """Characters of multi-word tokens; tokens that share one belong together."""
    spans = {(int(s), int(e)) for w in files for s, e, m in zip(w.starts, w.ends, w.multiword, strict=True) if m}
    while True:
        for a in spans:
            for b in spans:
                if a != b and max(a[0], b[0]) < min(a[1], b[1]):
                    break
            else:
                continue
            break
        else:
            return spans
        spans = (spans - {a, b}) | {(min(a[0], b[0]), max(a[1], b[1]))}


@given(readings())
def test_against_naive_alignment(tokens):
    gold, system = make("gold", tokens[0]), make("new", tokens[1])
    found = align(gold, system)
    used = found[found >= 0]
    assert (np.diff(used) > 0).all()
    regions = naive_regions(gold, system)

    def inside(words, region):
        return [i for i in range(words.rows) if region[0] <= words.starts[i] and words.ends[i] <= region[1]]

    left, right = set(range(gold.rows)), set(range(system.rows))
    for region in regions:
        ours, theirs = inside(gold, region), inside(system, region)
        left, right = left - set(ours), right - set(theirs)
        pairs = [(i, int(found[i])) for i in ours if found[i] >= 0]
        assert all(j in theirs and gold.forms[i].lower() == system.forms[j].lower() for i, j in pairs)
        forms = [[words.forms[i].lower() for i in rows] for words, rows in ((gold, ours), (system, theirs))]
        assert len(pairs) == longest(*forms)
    for i in left:
        same = [j for j in right if (system.starts[j], system.ends[j]) == (gold.starts[i], gold.ends[i])]
        assert found[i] == (same[0] if same else -1)


@given(st.text("ab", min_size=1, max_size=10).flatmap(cuts))
def test_identical_readings(tokens):
    words = make("gold", tokens)
    assert align(words, make("new", tokens)).tolist() == list(range(words.rows))


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            ["a", "bcd", "e"],
            ["a", "b", "xd", "e"],
            "`new`, word 3: found `xd`, expected `bcd` as in `gold`, word 2.",
        ),
        (
            ["a", "b", "c"],
            ["a", "b"],
            "`new` ends where `gold`, word 3, goes on with `c`.",
        ),
        (
            ["a", "b"],
            ["a", "b", "c"],
            "`new`, word 3: found `c` where the text of `gold` has ended.",
        ),
        (
            ["the", "dog"],
            ["The", "dog"],
            "`new`, word 1: found `The`, expected `the` as in `gold`, word 1.",
        ),
    ],
)
def test_refused_texts(gold, system, message):
    with pytest.raises(OutscoreError) as caught:
        align(make("gold", gold), make("new", system))
    assert caught.value.message == message
    assert caught.value.hint


def test_heads_through_the_alignment():
    """The same relation with another head is another answer; a head that gold lacks is a head all the same."""
    gold = make("gold", ["a", "b", "c", "d"], heads=[1, -1, 1, 1], deprel=["nsubj", "root", "obj", "punct"])
    one = make("one", ["a", "b", "cd"], heads=[2, -1, 1], deprel=["nsubj", "root", "obj:x"])
    two = make("two", ["a", "b", "c", "d"], heads=[1, 0, 3, 1], deprel=["nsubj:pass", "root", "obj:y", "punct"])
    las = word_units(gold, [one, two], "las")
    assert las.rows.tolist() == [0, 1, 2]
    assert [las.labels[code] for code in las.answers[:, 0]] == ["nsubj", "root", UNALIGNED]
    assert las.correct.tolist() == [[False, True], [True, False], [False, False]]
    assert las.detail.tolist() == [[-3, 1], [-1, 0], [-2, 3]]
    uas = word_units(gold, [one, two], "uas")
    assert [uas.labels[code] for code in uas.answers[:, 1]] == ["nsubj", "root", "obj"]
    assert uas.correct.tolist() == las.correct.tolist()
    ls = word_units(gold, [one, two], "ls", subtypes=True, punct=True)
    assert ls.detail is None
    assert ls.correct.tolist() == [[True, False], [True, True], [False, False], [False, True]]
    rows = [align(gold, one), align(gold, two)]
    assert word_totals(las, gold, [one, two], rows) == [(1, 3, 3), (1, 3, 3)]


def test_features_in_any_order():
    gold, system = make("gold", ["a"], feats=["B=1|A=2"]), make("new", ["a"], feats=["A=2|B=1"])
    assert word_units(gold, [system], "feats").correct.all()


def test_clusters_and_slices():
    documents = Labels.of(["d1", "d2", "d2"])
    gold = make("gold", ["a", "b", "c"], sentences=[0, 1, 2], documents=documents, upos=["X", "Y", "X"], xpos=["x", "y", "x"])
    units = word_units(gold, [gold], "xpos", cluster="document")
    assert units.clusters.tolist() == [0, 1, 1]
    assert {name: labels.names for name, labels in units.slices.items()} == {"upos": ("X", "Y"), "document": ("d1", "d2")}
    assert word_units(gold, [gold], "upos", cluster="none").clusters is None
    assert word_units(gold, [gold], "upos").clusters.tolist() == [0, 1, 2]


def test_criteria():
    full = make("gold", ["a"], upos=["X"], xpos=["_"], feats=["_"])
    plain = make("new", ["a"], tag=["X"])
    assert criteria_of([full, full]) == ("upos",)
    assert criteria_of([full, plain]) == ("upos",)
    assert criteria_of([plain, plain]) == ("tag",)
    assert word_units(full, [plain], "upos").correct.all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"criterion": "las"},
            (
                "`gold` has no trees: the task `dep` needs heads and relations. Give CoNLL-U files with columns 7 and 8 filled"
                " in, or compare tags with --task pos."
            ),
        ),
        ({"criterion": "upas"}, "`gold` has no column `upas`. Did you mean `upos`?"),
        (
            {"criterion": "xpos"},
            "`gold` has nothing in column `xpos`: every word has `_`. Compare a column that is filled in.",
        ),
        (
            {"criterion": "upos", "cluster": "page"},
            "Words cannot be clustered by `page`. Choose one of: sentence, document, none.",
        ),
        (
            {"criterion": "upos", "cluster": "document"},
            (
                "`gold` does not say where documents begin. Mark them with `# newdoc id = ...` (CoNLL-U) or -DOCSTART- lines,"
                " or cluster by sentence."
            ),
        ),
    ],
)
def test_refusals(options, message):
    words = make("gold", ["a"], upos=["X"], xpos=["_"])
    with pytest.raises(OutscoreError) as caught:
        word_units(words, [words], **options)
    assert str(caught.value) == message


def test_nothing_but_punctuation():
    words = make("gold", ["."], heads=[-1], deprel=["punct"])
    with pytest.raises(OutscoreError, match="`gold` contains nothing but punctuation"):
        word_units(words, [words], "las")
    assert word_units(words, [words], "las", punct=True).n == 1


def test_heads_of_sentences_lie_inside_them():
    words = make("gold", list("abcde"), heads=[1, -1, 4, 1, -1], sentences=[0, 0, 1, 1, 1])
    contexts = sentence_contexts(words)
    assert contexts.words == (("a", "b"), ("c", "d", "e"))
    # The fourth word hangs on a word of the sentence before.
    assert contexts.heads == ((1, -1), (2, -2, -1))
    assert sentence_contexts(make("gold", list("ab"))).heads is None


def test_contexts_name_the_relation_of_every_word():
    words = make("gold", list("abc"), heads=[1, -1, -1], sentences=[0, 0, 1], deprel=["nmod:poss", "root", "root"])
    assert sentence_contexts(words, strip_subtype).relations == (("nmod", "root"), ("root",))
    assert sentence_contexts(words, str).relations == (("nmod:poss", "root"), ("root",))
    assert sentence_contexts(words).relations is None

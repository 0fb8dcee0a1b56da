"""Words and chains as JSON, and the other ways of writing them: the same outputs as in CoNLL files, and every refusal."""

from __future__ import annotations

import json

import pytest

from outscore import diff
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_chains, read_words

WORDS = ["Ann", "saw", "Bob"]
TAGS = ["B-PER", "O", "B-PER"]
STANZA = [
    [
        {"id": 1, "text": "Ann", "upos": "PROPN", "head": 2, "deprel": "nsubj", "ner": "B-PER"},
        {"id": 2, "text": "saw", "upos": "VERB", "head": 0, "deprel": "root", "ner": "O"},
        {"id": 3, "text": "Bob", "upos": "PROPN", "head": 2, "deprel": "obj", "ner": "B-PER"},
    ]
]
SPACY = {
    "text": "Ann saw\nBob",
    "ents": [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 11, "label": "PER"}],
    "sents": [{"start": 0, "end": 11}],
    "tokens": [
        {"start": 0, "end": 3, "pos": "PROPN", "tag": "NNP", "dep": "nsubj", "head": 1},
        {"start": 4, "end": 7, "pos": "VERB", "tag": "VBD", "dep": "root", "head": 1},
        {"start": 7, "end": 8, "pos": "SPACE", "tag": "_SP", "dep": "dep", "head": 1},
        {"start": 8, "end": 11, "pos": "PROPN", "tag": "NNP", "dep": "obj", "head": 1},
    ],
}
FORMS = {
    "lines.jsonl": json.dumps({"tokens": WORDS, "ner_tags": TAGS}) + "\n",
    "list.json": json.dumps([{"tokens": WORDS, "tags": TAGS}], indent=1),
    "stanza.json": json.dumps(STANZA, indent=1),
    "stanza-line.json": json.dumps(STANZA),
    "documents.json": json.dumps([STANZA]),
    "spacy.json": json.dumps(SPACY),
    "spacy.jsonl": json.dumps(SPACY) + "\n",
}


@pytest.fixture
def write(tmp_path):
    def writer(name, content):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return writer


def test_words_nested_too_deeply_are_refused(write):
    deep = write("deep.json", '{"tokens": ["a"], "tags": ' + "[" * 100_000 + "]" * 100_000 + "}\n")
    with pytest.raises(OutscoreError, match=r"line 1: this is not JSON \(it is nested too deeply\)"):
        read_words(deep)


@pytest.mark.parametrize("name", FORMS)
def test_the_same_words_in_every_form(write, name):
    words = read_words(write(name, FORMS[name]))
    assert [words.forms[i] for i in range(words.rows)] == WORDS
    assert [words.columns["tag"][i] for i in range(words.rows)] == TAGS
    assert (words.starts.tolist(), words.ends.tolist()) == ([0, 3, 6], [3, 6, 9])
    if not name.startswith("li"):
        assert words.heads.tolist() == [1, -1, 1]
        assert [words.columns["upos"][i] for i in range(3)] == ["PROPN", "VERB", "PROPN"]


def test_multiword_tokens_of_stanza(write):
    sentence = [{"id": [1, 2], "text": "zum"}, {"id": 1, "text": "zu", "upos": "ADP"}, {"id": 2, "text": "dem", "upos": "DET"}]
    words = read_words(write("x.json", json.dumps([sentence])))
    assert (words.multiword.tolist(), words.starts.tolist(), words.ends.tolist()) == ([True, True], [0, 0], [3, 3])
    assert words.heads is None


def test_json_is_never_taken_for_columns(write):
    """A list on one line has blanks, as columns do."""
    gold = write("gold.json", FORMS["stanza-line.json"])
    assert diff(gold, {"same": gold}, task="dep").units == 3
    assert diff(gold, {"spacy": write("spacy.json", FORMS["spacy.json"])}, task="ner").scores["spacy"]["span"].f1 == 1.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}', "is JSON, but does not contain words with their tags"),
        ("[[1]]", "is JSON, but does not contain words with their tags"),
        ('{"tokens": ["a"]}', "is JSON, but does not contain tags beside its tokens"),
        ('{"tokens": ["a"], "ner_tags": [3]}', "`ner_tags` contains numbers"),
        ('{"tokens": ["a"], "ner_tags": ["O", "O"]}', "`ner_tags` has 2 tags for 1 tokens"),
        ('{"tokens": ["a"], "ner_tags": ["O"]}\n{"tokens": ', "line 2: this is not JSON"),
    ],
)
def test_refused_json(write, content, message):
    with pytest.raises(OutscoreError) as caught:
        read_words(write("x.json", content))
    assert message in caught.value.message


CHAINS = {"doc_key": "d1", "sentences": [["The", "mayor", "said"], ["he", "left"]], "clusters": [[[0, 1], [3, 3]]]}


def test_chains_of_json_lines(write):
    path = write("x.jsonl", json.dumps({**CHAINS, "predicted_clusters": []}) + "\n")
    gold, system = read_chains(path), read_chains(path, predicted=True)
    assert (gold.starts.tolist(), gold.ends.tolist(), gold.chains.tolist()) == ([0, 3], [1, 3], [0, 0])
    assert (gold.documents.names, system.rows, gold.words.rows) == (("d1",), 0, 5)
    for mention in ([0, 9], "x"):
        with pytest.raises(OutscoreError, match="expected first and last of 5 tokens"):
            read_chains(write("y.jsonl", json.dumps({**CHAINS, "clusters": [[mention]]}) + "\n"))


COREFUD = """# newdoc id = d1
# global.Entity = eid-etype-head-other
1\tThe\t_\tDET\t_\t_\t2\tdet\t_\tEntity=(e1-person-2-
2-3\tmayors\t_\t_\t_\t_\t_\t_\t_\t_
2\tmayor\t_\tNOUN\t_\t_\t0\troot\t_\tEntity=e1)(e2[1/2]-x-1-)
3\ts\t_\tPART\t_\t_\t2\tx\t_\t_

1\the\t_\tPRON\t_\t_\t0\troot\t_\tEntity=(e1-person-1-)(e2[2/2]-x-1-)|X=1
"""


def test_corefud(write):
    found = read_chains(write("x.conllu", COREFUD))
    spans = zip(found.chains.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True)
    assert list(spans) == [(0, 0, 1), (1, 1, 3), (0, 3, 3)]
    assert (found.documents.names, found.words.columns["pos"].names) == (("d1",), ("DET", "NOUN", "PART", "PRON"))
    with pytest.raises(OutscoreError, match="chain e1 is opened but never closed"):
        read_chains(write("x.conllu", COREFUD.replace("Entity=e1)(", "Entity=(")))


def test_words_joined_with_their_tags(write):
    words = read_words(write("x.txt", "and/or/CC left/VBD\nHe/PRP\n"))
    assert [words.forms[i] for i in range(3)] == ["and/or", "left", "He"]
    assert (words.sentences.tolist(), [words.columns["tag"][i] for i in range(3)]) == ([0, 0, 1], ["CC", "VBD", "PRP"])
    with pytest.raises(OutscoreError, match='line 501: found "c", expected word/TAG'):
        read_words(write("x.txt", "a/X b/Y\n" * 500 + "c\n"))


def test_columns_in_another_order(write):
    path = write("x.conll", "1\tIt\tPRON\t2\tnsubj\n2\tworks\tVERB\t0\troot\n")
    found = diff(path, {"same": path}, task="dep", columns="id,word,upos,head,deprel", slices="upos")
    assert found.scores["same"]["las"].r == 1.0
    with pytest.raises(OutscoreError, match='found "nsubj" as head'):
        diff(path, {"same": path}, task="dep", columns="id,word,upos,deprel,head")
    with pytest.raises(OutscoreError, match="has 5 columns, but `columns` names 2"):
        diff(path, {"same": path}, task="dep", columns="id,word")


def test_every_form_of_chains_is_compared(write):
    """The same chains in JSON and in CorefUD; one mention moved to a chain of its own is one link less."""
    gold = write("gold.jsonl", json.dumps(CHAINS) + "\n")
    moved = write("moved.jsonl", json.dumps({**CHAINS, "predicted_clusters": [[[0, 1]], [[3, 3]]]}) + "\n")
    found = diff(gold, {"same": gold, "moved": moved}, task="coref")
    assert (found.scores["same"]["muc"].f1, found.scores["moved"]["muc"].f1) == (1.0, 0.0)
    ud = write("x.conllu", COREFUD)
    assert diff(ud, {"same": ud}, task="coref").scores["same"]["muc"].f1 == 1.0
    # Trees of the same file are compared as well.
    assert diff(ud, {"same": ud}, task="dep").scores["same"]["las"].f1 == 1.0


def test_tags_behind_slashes_are_compared_with_columns(write):
    gold = write("gold.txt", "The/DT mayor/NN left/VBD\n")
    columns = write("x.tsv", "The\tDT\nmayor\tNNP\nleft\tVBD\n\n")
    found = diff(gold, {"x": columns}, task="pos")
    assert found.scores["x"]["tag"].r == pytest.approx(2 / 3)


@pytest.mark.parametrize("answers", [["Paris", "paris, France"], {"text": ["Paris", "paris, France"], "answer_start": [1, 9]}])
def test_lists_of_accepted_answers(write, answers):
    gold = write(
        "gold.jsonl", json.dumps({"id": 1, "answers": answers}) + "\n" + json.dumps({"id": 2, "answers": ["4"]}) + "\n"
    )
    system = write("x.jsonl", '{"id": 1, "prediction": "paris, France"}\n{"id": 2, "prediction": "5"}\n')
    found = diff(gold, {"x": system}, task="label")
    assert found.scores["x"]["accuracy"] == 0.5
    assert any("accepted answers" in note.text for note in found.notes)


def test_lists_of_labels_are_sets(write):
    gold = write("gold.jsonl", '{"id": 1, "labels": ["a", "b"]}\n{"id": 2, "labels": ["c"]}\n')
    system = write("x.jsonl", '{"id": 1, "labels": ["b", "a"]}\n{"id": 2, "labels": ["c", "a"]}\n')
    assert diff(gold, {"x": system}, task="label").scores["x"]["accuracy"] == 0.5


def test_a_list_of_labels_is_refused_with_its_cure(write):
    gold, system = write("gold.json", '["a", "b"]'), write("x.json", '["a", "a"]')
    with pytest.raises(OutscoreError, match=r"gold\.json` is a JSON list of 2 values without ids\.") as found:
        diff(gold, {"x": system}, task="label")
    assert found.value.hint == 'Write an object for each item, {"id": ..., "gold": ...}.'


def test_bare_labels_are_matched_by_line(write):
    gold, system = write("gold.txt", "entailment\nneutral\n"), write("x.txt", "neutral\nneutral\n")
    assert diff(gold, {"x": system}, task="label").scores["x"]["accuracy"] == 0.5
    with pytest.raises(OutscoreError, match="has 3 labels, but gold has 2"):
        diff(gold, {"x": write("y.txt", "neutral\nneutral\nneutral\n")}, task="label")


def _spacy(change):
    data = json.loads(json.dumps(SPACY))
    change(data)
    return data


def _stanza(**changed):
    data = json.loads(json.dumps(STANZA))
    data[0][1].update(changed)
    return data


WRONG_WORDS = {
    "spaCy token without end": (_spacy(lambda d: d["tokens"][1].pop("end")), r"`tokens\[1\]`"),
    "spaCy token without start": (_spacy(lambda d: d["tokens"][1].pop("start")), r"`tokens\[1\]`"),
    "spaCy entity without label": (_spacy(lambda d: d["ents"][0].pop("label")), r"`ents\[0\]`"),
    "spaCy start 0.0": (_spacy(lambda d: d["tokens"][0].update(start=0.0)), r"`tokens\[0\]\.start`"),
    "spaCy start true": (_spacy(lambda d: d["tokens"][0].update(start=True)), r"`tokens\[0\]\.start`"),
    "spaCy end beyond the text": (
        _spacy(lambda d: d["tokens"][3].update(end=12)),
        "4 begins at 8 and ends at 12, but",
    ),
    "spaCy end before start": (_spacy(lambda d: d["tokens"][3].update(end=7)), "token 4"),
    "spaCy head beyond the tokens": (
        _spacy(lambda d: d["tokens"][0].update(head=4)),
        "1 has the head 4, but there are 4",
    ),
    "spaCy without entities": (_spacy(lambda d: d.update(ents=None)), "`ents`"),
    "spaCy sentences of numbers": (_spacy(lambda d: d.update(sents=[1])), r"`sents\[0\]`"),
    "spaCy tag 7": (_spacy(lambda d: d["tokens"][0].update(pos=7)), r"`tokens\[0\]\.pos`"),
    "Stanza head x": (_stanza(head="x"), r"`\[1\]\.head`"),
    "Stanza head 1.9": (_stanza(head=1.9), r"`\[1\]\.head`"),
    "Stanza head true": (_stanza(head=True), r"`\[1\]\.head`"),
    "Stanza head infinite": (_stanza(head=float("inf")), r"`\[1\]\.head`"),
    "Stanza head 10**30": (_stanza(head=10**30), r"`\[1\]\.head`"),
    "Stanza head 2**32": (_stanza(head=2**32), r"word 2 has the head 4294967296, but the sentence has 3 words"),
    "Stanza head -1": (_stanza(head=-1), r"`\[1\]\.head`"),
    "Stanza head of the next sentence": (_stanza(head=4) + STANZA, "word 2 has the head 4, but the sentence has 3 words"),
    "Stanza id x": (_stanza(id="x"), r"`\[1\]\.id`"),
    "Stanza id 0": (_stanza(id=0), r"word 2 has the id 0"),
    "Stanza no id": (_stanza(id=[]), r"`\[1\]\.id`"),
    "Stanza text 5": (_stanza(text=5), r"`\[1\]\.text`"),
    "token 5": ([{"tokens": ["a", 5], "tags": ["O", "O"]}], "does not contain words with their tags"),
    "sentence without words": ([[[]]], "contains no words"),
}


@pytest.mark.parametrize("name", WRONG_WORDS)
def test_words_in_the_wrong_shape_are_refused_with_their_place(write, name):
    data, message = WRONG_WORDS[name]
    with pytest.raises(OutscoreError, match=message) as caught:
        read_words(write("x.json", json.dumps(data, indent=1)))
    assert "x.json" in caught.value.message


def test_words_in_the_wrong_shape_are_refused_with_their_line(write):
    damaged = _spacy(lambda d: d["tokens"][1].pop("end"))
    lines = "".join(json.dumps(value) + "\n" for value in (SPACY, damaged))
    with pytest.raises(OutscoreError, match=r"x\.jsonl`, line 2: .*spaCy") as caught:
        read_words(write("x.jsonl", lines))
    assert (caught.value.line, caught.value.hint.startswith("Give objects")) == (2, True)
    stanza = f"{json.dumps(STANZA)}\n\n{json.dumps(_stanza(head=1.9))}\n"
    with pytest.raises(OutscoreError, match=r"line 3: .*Stanza"):
        read_words(write("y.jsonl", stanza))
    with pytest.raises(OutscoreError, match=r"line 2: `tags` has 2 tags for 1 tokens"):
        read_words(write("z.jsonl", '{"tokens": ["a"], "tags": ["O"]}\n{"tokens": ["a"], "tags": ["O", "O"]}\n'))


def test_empty_nodes_of_stanza_are_no_words(write):
    sentence = [{"id": [0, 1], "text": "he"}, *STANZA[0]]
    words = read_words(write("x.json", json.dumps([sentence])))
    assert (words.rows, words.multiword.any(), words.heads.tolist()) == (3, False, [1, -1, 1])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"clusters": 5}, "`clusters`"),
        ({"clusters": [5]}, r"`clusters\[0\]`"),
        ({"clusters": None}, "`clusters`"),
        ({"clusters": [[[False, True]]]}, "expected first and last of 5 tokens"),
        ({"clusters": [[[0.0, 1]]]}, "expected first and last of 5 tokens"),
        ({"clusters": [[[10**30, 10**31]]]}, "expected first and last of 5 tokens"),
        ({"sentences": ["The mayor left", "He ran"]}, r"`sentences\[0\]`"),
        ({"sentences": [["The", 5], ["He"]]}, r"`sentences\[0\]\[1\]`"),
        ({"sentences": "The mayor"}, "`sentences`"),
        ({"doc_key": []}, "`doc_key`"),
    ],
)
def test_chains_in_the_wrong_shape_are_refused_with_their_line(write, changed, message):
    other = {**CHAINS, "doc_key": "d2", **changed}
    with pytest.raises(OutscoreError, match=message) as caught:
        read_chains(write("x.jsonl", json.dumps(CHAINS) + "\n" + json.dumps(other) + "\n"))
    assert (caught.value.line, "line 2" in caught.value.message) == (2, True)
    with pytest.raises(OutscoreError, match="object 2"):
        read_chains(write("y.json", json.dumps([CHAINS, other], indent=1)))

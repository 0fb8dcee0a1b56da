"""What `read` makes of a file: scores, or outputs where the file says so or the caller does."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read, read_scores
from outscore.formats.registry import FORMATS, OUTPUT_FORMATS
from outscore.outputs.model import Chains, Items, Words

TREE = "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
ENTITY = TREE.replace("nsubj\t_\t_", "nsubj\t_\tEntity=(e1-thing-1-)")
CHAIN = "#begin document (a); part 000\na 0 0 The DT (3\na 0 1 mayor NN 3)\n#end document\n"
FILES = {
    "conllu": ("# sent_id = 1\n" + TREE, Words),
    "conll2012": (CHAIN, Chains),
    "corefud": ("# global.Entity = eid-etype-head-other\n" + ENTITY, Chains),
    "coref-jsonl": ('{"doc_key": "d", "sentences": [["The", "mayor", "left"]], "clusters": [[[0, 1]]]}\n', Chains),
    "json-words": ('{"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}\n', Words),
    "tagged-lines": ("The/DT mayor/NN resigned/VBD\nHe/PRP\n", Words),
    "word-columns": ("It PRON\nworks VERB\n. .\n\nNow ADV\n", Words),
    "labels": ("id,label,prediction\nq1,yes,yes\nq2,no,\n", Items),
}
# The same formats in other clothes, all of which say what they are.
TOLD = {
    "conllu": ("\n\n" + TREE,),
    "word-columns": (
        "-DOCSTART- -X- O\n\nU.N. NNP B-ORG\n",
        "U.N.\tNNP\tB-ORG\nofficial\tNN\tO\n",
        "# a comment\nIt\tPRON\n\nworks\tVERB\n",
    ),
    "corefud": (ENTITY,),
    "coref-jsonl": ('[{"sentences": [["He", "left"]], "predicted_clusters": [], "clusters": []}]\n',),
    "json-words": (
        '[{"tokens": ["Ekeus"], "pos_tags": ["PROPN"]}]\n',
        '[[{"id": 1, "text": "Ekeus", "upos": "PROPN"}]]\n',
        '[[[{"id": 1, "text": "Ekeus", "upos": "PROPN"}]]]\n',
        '{"text": "It works", "tokens": [{"id": 0, "start": 0, "end": 2, "pos": "PRON"}]}\n',
    ),
    "labels": (
        "nr;answer\n1;A\n2;B\n",
        "question_id\tgold\nq1\tyes\n",
        # As many tags as tokens would be tags of them.
        '{"id": 1, "tokens": ["a", "b", "c"], "labels": ["law", "art"]}\n{"id": 2, "tokens": ["d", "e"], "labels": ["art"]}\n',
        '{"id": 1, "prediction": "yes", "task": "law"}\n{"id": 2, "prediction": "no"}\n',
        "id,prediction,difficulty\nq1,yes,1\nq2,no,2\n",
    ),
    # Spans of a passage are compared as SQuAD compares them.
    "squad": (
        '{"id": 1, "answers": {"text": ["Paris", "paris"], "answer_start": [3, 9]}}\n{"id": 2, "answers": {"text": ["4"]}}\n',
    ),
}


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_outputs_are_recognised_and_read_by_name(write, name):
    content, kind = FILES[name]
    path = write(content)
    for found in (read(path), read(path, format=name), osc.read(path)):
        assert isinstance(found, kind)
        assert found.origin.format == name
        assert found.name == "x"


@pytest.mark.parametrize(("name", "content"), [(name, content) for name, several in TOLD.items() for content in several])
def test_outputs_in_other_clothes(write, name, content):
    assert read(write(content)).origin.format == name


@pytest.mark.parametrize("name", [*FORMATS, *OUTPUT_FORMATS])
def test_every_example_is_a_line_of_its_format(write, name):
    example = {**FORMATS, **OUTPUT_FORMATS}[name].example
    if name == "parquet":
        assert not example
        return
    if name in ("conllu", "corefud", "tsv"):
        example = example.replace("  ", "\t")
    body = {"csv": "q1,1,0\n", "tsv": "q1\t1\t0\n", "labels": "q1,yes,no\n"}.get(name, "")
    text = f"{example}\n{body}"
    if name == "conll2012":
        text = f"#begin document (a)\nnw/a_0001  0  0  The  DT  (3\n{text}#end document\n"
    found = read(write(text), format=name)
    assert (found[0] if isinstance(found, list) else found).origin.format == name


def test_right_answers_alone(write):
    gold = read(write("id,gold\nq1,yes\nq2,no\n"))
    assert (gold.answers.names, gold.gold) == (("yes", "no"), None)


# What may be meant as scores, or as nothing at all, is never read as outputs unasked.
SCORES = {
    "numeric-predictions": ("id,label,prediction\nq1,1,1\nq2,0,1\n", ["x"]),
    "score-beside": ("id,prediction,correct\nq1,yes,1\nq2,no,0\n", ["x"]),
}
NOTHING = {"choices": "q1 A\nq2 B\n", "prose": "The cat sat.\n\nIt was late.\n", "lower-case": "it n\nworks v\n\nnow a\n"}


@pytest.mark.parametrize("name", SCORES)
def test_numbers_are_scores(write, name):
    content, systems = SCORES[name]
    path = write(content)
    assert [scores.name for scores in read(path)] == systems
    assert isinstance(read(path, format="labels"), Items)


@pytest.mark.parametrize("name", NOTHING)
def test_what_says_nothing_is_refused(write, name):
    with pytest.raises(OutscoreError):
        read(write(NOTHING[name]))


def test_a_parquet_table_of_labels(tmp_path):
    pl.DataFrame({"id": ["q1", "q2"], "prediction": ["yes", "no"]}).write_parquet(tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", format="labels").answers.names == ("yes", "no")


def test_columns_of_labels_may_be_named(write):
    path = write("nr,prediction,part,kind\n1,yes,a,u\n2,no,a,v\n")
    items = read(path, item="nr", cluster="part", slice="kind", format="labels")
    assert (items.ids.names, items.clusters.names, list(items.slices)) == (("1", "2"), ("a",), ["kind"])


@pytest.mark.parametrize(
    ("name", "asked"), [("conllu", {"item": "id"}), ("labels", {"score": "label"}), ("conll2012", {"gaps": True})]
)
def test_what_is_for_scores_is_refused(write, name, asked):
    with pytest.raises(OutscoreError, match=f"is read as .*, but `{next(iter(asked))}` is for scores"):
        read(write(FILES[name][0]), format=name, **asked)


def test_scores_alone(write):
    path = write(FILES["conllu"][0])
    with pytest.raises(OutscoreError, match="`conllu` is a format of outputs, but scores were expected"):
        read_scores(path, format="conllu")
    with pytest.raises(OutscoreError, match=r"is CoNLL-U, but scores were expected.*`outscore diff --task TASK GOLD"):
        read_scores(path)
    for function in (read, read_scores):
        with pytest.raises(OutscoreError, match=r"There is no format `conlu`\. Did you mean"):
            function(path, format="conlu")


def test_outputs_go_into_a_diff(write):
    gold, new = write(TREE, "gold.conllu"), write(TREE.replace("VERB", "NOUN"), "new.conllu")
    found = osc.diff(osc.read(gold), {"new": osc.read(new), "same": osc.read(gold)}, task="pos")
    assert found.pairs == osc.diff(gold, {"new": new, "same": gold}, task="pos").pairs
    assert found.primary_pairs[0].outcomes.correction == 1


def wide(lines: int, at: int, **late) -> str:
    records = [{"id": k, "new": 1, "old": 0} for k in range(lines)]
    records[at] |= late
    return "".join(f"{json.dumps(record)}\n" for record in records)


@pytest.mark.parametrize("at", [20, 9_000])
@pytest.mark.parametrize("gaps", [True, False])
def test_a_system_that_the_first_lines_lack_is_named(write, at, gaps):
    path = write(wide(10_000, at, third=0.5), "x.jsonl")
    with pytest.raises(OutscoreError) as refused:
        read(path, gaps=gaps)
    assert refused.value.message == (
        f"`x.jsonl`, line {at + 1}: found a number under `third`, a name that none of the first lines has."
    )
    one = write("".join(f'{{"id": {k}, "new": 1}}\n' for k in range(20)) + '{"id": 20, "old": 1}\n', "one.jsonl")
    with pytest.raises(OutscoreError, match="line 21: found a number under `old`"):
        read(one, gaps=True)


def test_the_cure_for_a_late_system_works(write):
    path = write(wide(40, 30, third=0.5).replace('"old": 0}', '"old": 0, "third": null}', 1), "x.jsonl")
    assert [(scores.name, scores.rows) for scores in read(path, gaps=True)] == [("new", 40), ("old", 40), ("third", 1)]


def test_what_else_comes_late_does_no_harm(write):
    """Texts, usual names, and numbers beside a column that is named or called score."""
    for late in ({"comment": "why"}, {"epoch": 3}, {"note": None}, {"nested": {"a": 1}}):
        assert len(read(write(wide(30, 25, **late), "x.jsonl"))) == 2
    assert len(read(write(wide(30, 25, third=1), "x.jsonl"), systems=["new", "old"])) == 2
    assert len(read(write(wide(30, 25, third=1), "x.jsonl"), score="new")) == 1
    long = "".join(
        f'{{"id": {k}, "score": 1{", " + chr(34) + "seconds" + chr(34) + ": 2" if k == 25 else ""}}}\n' for k in range(30)
    )
    assert np.all(read(write(long, "x.jsonl"))[0].values == 1)


def test_a_field_may_be_as_long_as_a_transcript(write):
    long = "x, " * 100_000
    items = read(write(f'id,prediction\nq1,"{long}"\nq2,y\n', "x.csv"))
    assert [items.answers[0], items.answers[1]] == [long.strip(), "y"]
    (scores,) = read_scores(write(f'id,transcript,score\nq1,"{long}",1\n', "y.csv"))
    assert scores.values.tolist() == [1]
    with pytest.raises(OutscoreError, match=r"`z\.txt`"):
        read_scores(write("7" * 200_000, "z.txt"))


def test_objects_nested_too_deeply_are_refused_by_their_line(write):
    path = write('{"id": 1, "score": 1}\n{"id": 2, "score": ' + "[" * 100_000 + "\n", "x.jsonl")
    with pytest.raises(OutscoreError, match=r"`x\.jsonl`, line 2: found values nested too deeply"):
        read_scores(path)


@pytest.mark.parametrize("beside", ["1", "0.5"])
def test_whole_numbers_that_no_float_holds_are_refused_beside_decimals_too(write, beside):
    with pytest.raises(OutscoreError, match=r"line 2: found 9007199254740993, too large to be counted exactly"):
        read_scores(write(f"{beside}\n9007199254740993\n", "x.txt"))

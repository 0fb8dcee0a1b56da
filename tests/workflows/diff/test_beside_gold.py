"""Files with the right tag beside the predicted one, as conlleval reads them, and one label set under two names."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from seqeval.metrics import f1_score, precision_score, recall_score
from tests.diff_files import write_trees
from tests.variants import crossed

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError

TAGS = ("O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG")


def sentences(seed: int, count: int = 30) -> list[list[str]]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [[rng.choice(TAGS) for _ in range(8)] for _ in range(count)]


def predicted(gold: list[list[str]], seed: int) -> list[list[str]]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [[tag if rng.random() < 0.8 else rng.choice(TAGS) for tag in row] for row in gold]


def write_columns(path: Path, *columns: list[list[str]], mark: str = " ", before: tuple[str, ...] = ()) -> str:
    """A word per line, then `before` as it is, then the tags."""
    rows = []
    for parts in zip(*columns, strict=True):
        rows += [mark.join((f"w{place}", *before, *tags)) for place, tags in enumerate(zip(*parts, strict=True))] + [""]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


GOLD = sentences(1)
SYSTEMS = {name: predicted(GOLD, seed) for seed, name in enumerate(("old", "new"), 2)}


@pytest.mark.parametrize(("before", "mark"), crossed([(), ("NN",), ("NN", "I-NP")], [" ", "\t"]))
def test_conlleval_files(before, mark, tmp_path):
    """F1, recall and precision of seqeval, which reads as conlleval does."""
    paths = [write_columns(tmp_path / f"{name}.txt", GOLD, tags, mark=mark, before=before) for name, tags in SYSTEMS.items()]
    found = osc.diff(paths[0], paths[1:], task="ner", lenient=True)
    assert found.systems == ["old", "new"]
    for name, tags in SYSTEMS.items():
        rates = found.scores[name]["span"]
        expected = (recall_score(GOLD, tags), precision_score(GOLD, tags), f1_score(GOLD, tags))
        assert (rates.r, rates.p, rates.f1) == pytest.approx(expected, abs=1e-12)
    assert any("right ones stand before them" in note.text for note in found.notes)
    gold = write_columns(tmp_path / "gold.bio", GOLD)
    alone = [write_columns(tmp_path / f"{name}.bio", tags) for name, tags in SYSTEMS.items()]
    apart = osc.diff(gold, alone, task="ner", lenient=True)
    assert apart.pairs[0].p.value == found.pairs[0].p.value
    assert apart.pairs[0].outcomes == found.pairs[0].outcomes


def test_one_conlleval_file(tmp_path):
    path = write_columns(tmp_path / "old.txt", GOLD, SYSTEMS["old"])
    done = CliRunner().invoke(app, ["diff", "--task", "ner", path, "--lenient", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["scores"]["old"]["span"]["f1"] == pytest.approx(f1_score(GOLD, SYSTEMS["old"]), abs=1e-12)


@pytest.mark.parametrize("task", ["ner", "pos"])
def test_the_columns_may_be_named(task, tmp_path):
    """The right tags may stand anywhere if --columns says where."""
    paths = [write_columns(tmp_path / f"{name}.txt", tags, GOLD) for name, tags in SYSTEMS.items()]
    more = {"lenient": True} if task == "ner" else {}
    found = osc.diff(paths[0], paths[1:], task=task, columns="word,tag,gold", **more)
    if task == "ner":
        assert found.scores["new"]["span"].f1 == pytest.approx(f1_score(GOLD, SYSTEMS["new"]), abs=1e-12)
    else:
        right = [a == b for rows in zip(GOLD, SYSTEMS["new"], strict=True) for a, b in zip(*rows, strict=True)]
        assert found.scores["new"]["tag"].r == pytest.approx(sum(right) / len(right))


def test_chunks_before_entities_are_no_gold(tmp_path):
    """The columns of CoNLL-2003: both are tags, of different types."""
    chunks = [["I-NP" if tag == "O" else "B-VP" for tag in row] for row in GOLD]
    paths = [write_columns(tmp_path / f"{name}.txt", chunks, tags) for name, tags in {"gold": GOLD, **SYSTEMS}.items()]
    found = osc.diff(paths[0], paths[1:], task="ner", lenient=True)
    assert found.systems == ["old", "new"]
    assert found.scores["old"]["span"].f1 == pytest.approx(f1_score(GOLD, SYSTEMS["old"]), abs=1e-12)


def test_right_tags_that_differ_between_files_are_refused(tmp_path):
    other = [list(row) for row in GOLD]
    other[1][2] = "B-ORG" if other[1][2] != "B-ORG" else "O"
    paths = [write_columns(tmp_path / "old.txt", GOLD, SYSTEMS["old"]), write_columns(tmp_path / "new.txt", other, other)]
    with pytest.raises(OutscoreError) as caught:
        osc.diff(paths[0], paths[1:], task="ner", lenient=True)
    assert (caught.value.file, caught.value.line) == (paths[1], 12)


def test_one_file_without_gold_names_its_task(tmp_path):
    path = write_columns(tmp_path / "old.txt", SYSTEMS["old"])
    done = CliRunner().invoke(app, ["diff", "--task", "ner", path])
    assert done.exit_code == 2
    assert "outscore diff --task ner GOLD" in done.stderr


def test_a_system_without_tags_is_scored_as_the_official_evaluation_does(tmp_path):
    """conll18_ud_eval compares `_` with gold's tags: nothing is right, and the other systems are scored all the same."""
    gold, old, new, _ = map(str, write_trees(tmp_path).values())
    lines = [line.split("\t") for line in Path(new).read_text().splitlines()]
    Path(new).write_text("\n".join("\t".join([*f[:4], "_", *f[5:]]) if len(f) == 10 else "\t".join(f) for f in lines) + "\n")
    before = osc.diff(gold, [old], task="pos", criterion=["upos", "xpos"])
    found = osc.diff(gold, [old, new], task="pos", criterion=["upos", "xpos"])
    (second,) = (name for name in found.systems if name not in before.systems)
    assert found.scores[second]["xpos"].r == 0
    assert found.scores[before.systems[0]] == before.scores[before.systems[0]]
    assert any("has nothing in column `xpos`" in note.text for note in found.notes)


MISMATCHES = [
    (("PER", "LOC", "ORG"), ("PERSON", "LOCATION", "ORGANIZATION")),
    (("yes", "no"), ("Yes", "No")),
    (("entailment", "neutral", "contradiction"), ("0", "1", "2")),
    (("B-x", "n t"), ("b-x", "N T")),
]


@pytest.mark.parametrize(("ours", "theirs"), MISMATCHES)
def test_labels_of_another_set_come_with_a_map_that_runs(ours, theirs, tmp_path):
    rng = random.Random(5)  # noqa: S311 - no secret
    gold = [rng.choice(ours) for _ in range(80)]
    right = [label if rng.random() < 0.9 else rng.choice(ours) for label in gold]
    renamed = dict(zip(ours, theirs, strict=True))
    files = {"gold": gold, "old": right, "new file": [renamed[label] for label in right]}
    for name, labels in files.items():
        (tmp_path / f"{name}.csv").write_text("id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    paths = [str(tmp_path / f"{name}.csv") for name in files]
    done = CliRunner().invoke(app, ["diff", "--task", "label", *paths, "--format", "json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)["inventory"]["warnings"][-1]
    command = said.split("`")[-2]
    assert command.startswith("outscore diff --task label ")
    again = CliRunner().invoke(app, [*shlex.split(command)[1:], "--format", "json"])
    assert again.exit_code == 0, again.output
    scores = json.loads(again.stdout)["scores"]
    assert scores["new file"] == scores["old"]

"""A system that equals gold is most likely gold itself: whoever knows the right answers says so beside the verdict."""

from __future__ import annotations

import numpy as np
import pytest
from tests.diff_files import write_entities, write_labels, write_trees
from tests.variants import a_few

import outscore as osc

RNG = np.random.default_rng(9)


def warned(found, about: str) -> list[str]:
    return [note.text for note in found.notes if note.kind == "warning" and about in note.text]


@pytest.mark.parametrize(
    ("task", "write", "unit"),
    a_few(
        [
            ("dep", write_trees, "words"),
            ("pos", write_trees, "words"),
            ("ner", write_entities, "spans"),
            ("label", write_labels, "items"),
        ],
        2,
    ),
)
def test_a_file_given_as_gold_and_as_a_system(tmp_path, task, write, unit):
    files = write(tmp_path)
    copy = tmp_path / f"copy{files['gold'].suffix}"
    copy.write_text(files["gold"].read_text().replace("id,gold", "id,prediction"))
    found = osc.diff(files["gold"], [files["old"], copy], task=task)
    (text,) = warned(found, "equals gold")
    assert text.startswith(f"copy equals gold: all {found.units:,} {unit} are right")
    said = found.to_text()
    assert said.index("equals gold") > said.index("copy outscored old")
    assert said.index("equals gold") < said.index("\ndata ")
    assert said.count("equals gold") == 1
    page = found.to_html()
    assert page.index("equals gold") < page.index("Overview")
    assert not warned(osc.diff(files["gold"], [files["old"], files["new"]], task=task), "equals gold")


def test_a_ranking_of_outputs(tmp_path):
    files = write_labels(tmp_path)
    copy = tmp_path / f"copy{files['gold'].suffix}"
    copy.write_text(files["gold"].read_text().replace("id,gold", "id,prediction"))
    found = osc.rank([files["old"], copy], gold=files["gold"], task="label")
    assert warned(found, "copy equals gold")


def test_a_column_of_right_answers_given_as_a_system(tmp_path):
    gold = RNG.choice(list("abcd"), 60)
    other = np.where(RNG.random(60) < 0.7, gold, "a")
    rows = [f"{i},{g},{g},{o}" for i, (g, o) in enumerate(zip(gold, other, strict=True))]
    path = tmp_path / "answers.csv"
    path.write_text("id,gold,first,second\n" + "\n".join(rows) + "\n")
    found = osc.compare(path, gold="gold", systems=["first", "second"])
    (text,) = warned(found, "equals gold")
    assert text.startswith("first equals gold: all 60 answers are right")
    assert warned(osc.rank(path, gold_column="gold"), "first equals gold")
    assert warned(osc.gate(path, gold="gold", systems=["second", "first"], margin=0.1).comparison, "first equals gold")


def test_a_reference_given_as_a_system():
    reference = [f"the cat number {i} sat on the mat" for i in range(30)]
    other = [line.replace("cat", "dog") if i % 3 else line for i, line in enumerate(reference)]
    found = osc.compare_texts(reference, other, reference, metrics=["chrf", "ter"], names=("A", "B"))
    (text,) = warned(found.comparisons[0], "equals the reference")
    assert text.startswith("A equals the reference: all 30 segments are right. Check that the reference was not")
    said = found.to_text()
    assert said.count("equals the reference") == 1
    assert said.index("equals the reference") < said.index("\nmetric ")
    ranked = osc.rank({"A": reference, "B": other}, reference=reference, metric="chrf")
    assert warned(ranked, "equals the reference")
    assert not warned(osc.compare_texts(other, other[::-1], reference, metrics=["chrf"]).comparisons[0], "reference")

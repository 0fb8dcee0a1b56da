"""What `read` returns fits on a line, however large the file is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.panels import panels_of

import outscore as osc
from outscore.outputs.model import Chains
from outscore.scores.align import align_pair
from outscore.scores.system import Labels, Scores

TREE = "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
FILES = {
    "x.csv": ("id,new,old\n" + "".join(f"q{i},1,0\n" for i in range(999)), "[<Scores new: 999 scores, mean 1>, <Scores old: "),
    "x.tsv": ("tp\terrors\n1\t0\n2\t1\n", "[<Scores tp: 2 scores, mean 1.5>, <Scores errors: 2 scores, mean 0.5>]"),
    "x.txt": ("1 2 3 4\n" * 3, "[<Scores A: 3 rows of 2 counts>, <Scores B: 3 rows of 2 counts>]"),
    "y.txt": ("1\n", "[<Scores y: 1 score, mean 1>]"),
    "x.conllu": (TREE, "<Words x: 2 words in 1 sentence, columns upos, xpos, feats, deprel>"),
    "label.csv": ("id,prediction\nq1,yes\nq2,no\nq3,no\n", "<Items label: 3 items, 2 labels>"),
    "x.conll": (
        "#begin document (a); part 000\na 0 0 The DT (3\na 0 1 mayor NN 3)\n#end document\n",
        "<Chains x: 1 mention in 1 chain, 1 document>",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_shows_itself_briefly(tmp_path, name):
    content, expected = FILES[name]
    (tmp_path / name).write_text(content)
    found = repr(osc.read(tmp_path / name))
    assert found.startswith(expected)
    assert len(found) <= 400


def test_labels():
    assert repr(Labels.of(["q1", "q2", "q1"])) == "<Labels of 3 rows, 2 names: q1, q2>"
    assert len(repr(Labels.of(range(10**5)))) <= 200


def test_long_names_are_cut():
    scores = Scores("x" * 1_000, np.zeros(3))
    assert len(repr(scores)) == 200
    assert repr(scores).endswith("...>")
    assert len(repr(Chains.of("x" * 1_000, []))) == 200


def test_pairs_and_boards():
    new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    old = Scores("old", np.array([1, 0]), Labels.of(["q1", "q2"]))
    assert repr(align_pair([new, old])) == "<Aligned 2 systems on 2 items, 4 rows>"
    assert repr(panels_of([new, old])[0]) == "<Panel 2 systems by 3 items>"


def test_groups_are_counted():
    labels = Labels.of(["a", "b", "a"])
    scores = Scores("new", np.array([1, 0, 1]), labels, repeats=labels, clusters=labels, datasets=Labels.of("xxx"))
    assert repr(scores) == "<Scores new: 3 scores, mean 0.6667, 2 repeats, 2 clusters, 1 dataset>"

"""Maps of labels and the check of inventories."""

from __future__ import annotations

import pytest

from outscore.core.errors import OutscoreError
from outscore.outputs.items import check_maps, parse_maps, rarely_used, rename_labels, unknown_to_gold
from outscore.scores.system import Labels


def test_a_colon_belongs_to_the_label_unless_a_file_is_named_so():
    assert parse_maps(["new:a=b", "nmod:poss=nmod", "gold:x=y", "a=b=c"], ["new"]) == {
        "new": {"a": "b"},
        None: {"nmod:poss": "nmod", "a=b": "c"},
        "gold": {"x": "y"},
    }


@pytest.mark.parametrize("text", ["ab", "=b", "a=", ""])
def test_a_map_without_two_names_is_refused(text):
    with pytest.raises(OutscoreError, match="old=new"):
        parse_maps([text], [])


def test_renaming_merges_labels_and_the_file_wins():
    labels = rename_labels(Labels.of(["NN", "NE", "VB"]), {None: {"NE": "X"}, "s": {"NE": "NN"}}, "s")
    assert (labels.names, labels.codes.tolist()) == (("NN", "VB"), [0, 0, 1])
    untouched = Labels.of("ab")
    assert rename_labels(untouched, {"other": {"a": "b"}}, "s") is untouched


def test_a_map_that_would_do_nothing_is_refused():
    inventories = {"gold": ["NN"], "s": ["NE"]}
    check_maps({None: {"NE": "NN"}, "s": {"NE": "NN"}}, inventories)
    with pytest.raises(OutscoreError, match="`NX` to be mapped is not in any file") as caught:
        check_maps({None: {"NX": "NN"}}, inventories)
    assert "NN" in str(caught.value.hint)
    with pytest.raises(OutscoreError, match="is not in `gold`"):
        check_maps({"gold": {"NE": "NN"}}, inventories)
    with pytest.raises(OutscoreError, match="no file `t`"):
        check_maps({"t": {"NE": "NN"}}, inventories)


def test_inventories():
    gold, system = {"nmod": 100, "nmod:poss": 50, "obj": 10}, {"nmod": 150, "nmod:poss": 2, "iobj": 3, "(unaligned)": 7, "x": 3}
    assert unknown_to_gold(gold, system) == ["iobj", "x"]
    assert rarely_used(gold, system) == ["nmod:poss", "obj"]

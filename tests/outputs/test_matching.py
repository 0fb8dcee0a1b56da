"""Zeros, discontinuous mentions and heads: which mention of a system is which of gold, and what is said about them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore import diff
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_chains
from outscore.outputs.coreference import changed_mentions, mention_text
from outscore.outputs.mentions import EXACT, HEAD, align_mentions, match_mentions
from outscore.outputs.model import Nodes, node_place

GLOBAL = "# global.Entity = eid-etype-head-other"
WHERE = "d1, sentence 2"
WORDS = ("Jan", "came", "in", ".")


def corefud(path, *sentences, declared=GLOBAL):
    """A file of sentences of the same words; each gives `Entity=` by the number of a node, with the parents of an empty one."""
    lines = ["# newdoc id = d1", declared]
    for entities in sentences:
        numbers = sorted({"1", "2", "3", "4", *entities}, key=lambda number: tuple(map(int, number.split("."))))
        for number in numbers:
            entity, parents = entities.get(number, ("", "_"))
            word = "_" if "." in number else WORDS[int(number) - 1]
            lines.append(f"{number}\t{word}\t_\tNOUN\t_\t_\t_\t_\t{parents}\t{f'Entity={entity}' if entity else '_'}")
        lines.append("")
    path.write_text("\n".join([*lines, ""]))
    return path


def one(entity, parents="_"):
    return (f"({entity}--1-)", parents)


def scores_of(gold, *systems, **asked):
    found = diff(gold, list(systems), task="coref", **asked)
    return [{name: round(getattr(value, "f1", value), 4) for name, value in scores.items()} for scores in found.scores.values()]


def test_gold_against_itself_and_zeros_in_wrong_chains(shared_data):
    folder = shared_data / "repro" / "coref-zeros"
    gold, wrong = (folder / f"z.{name}.conllu" for name in ("gold", "wrong"))
    same, other = scores_of(gold, gold, wrong, singletons="drop")
    assert {same[name] for name in ("muc", "b3", "ceafe", "lea", "conll")} == {1.0}
    # As the official scorer prints them.
    assert (other["muc"], other["b3"], other["ceafe"]) == (0.4, 0.5493, 0.65)
    # The singleton of the system counts. B³ by hand: recall (5/3 + 1)/5, precision 4/5.
    assert scores_of(gold, wrong)[0]["b3"] == 0.64


def test_a_zero_is_found_by_its_parent_and_counts_as_a_kind(tmp_path):
    gold = corefud(tmp_path / "gold.conllu", {"1": one("e1")}, {"0.1": one("e1", "2:nsubj")})
    moved = corefud(tmp_path / "moved.conllu", {"1": one("e1")}, {"2.1": one("e1", "2:obj")})
    lost = corefud(tmp_path / "lost.conllu", {"1": one("e1")}, {"2.1": one("e1", "3:nsubj")})
    # One of two mentions is found: MUC 0, B³ 1/4 and CEAFe 1/2.
    assert [scores["conll"] for scores in scores_of(gold, moved, lost)] == [1.0, 0.25]
    table = align_mentions(read_chains(gold), [read_chains(lost)])
    assert [table.types[row] for row in range(table.n)] == ["noun", "zero", "zero"]
    # 0.1 stands before the fifth word, which begins the sentence; 2.1 after the sixth.
    assert (table.starts.tolist(), table.tokens.tolist()) == ([0, 4, 6], [0, 4, 5])
    assert [mention_text(table, row) for row in range(3)] == ["Jan", "∅", "∅"]
    # In their sentence: the zero of gold before its first word, the other one before the third.
    changed, contexts = changed_mentions(table, [1])
    places = zip(changed.contexts.tolist(), changed.starts.tolist(), changed.ends.tolist(), strict=True)
    assert [(contexts.ids[context], start, end) for context, start, end in places] == [(WHERE, 0, 0), (WHERE, 2, 2)]


def test_parts_of_a_mention_and_what_lies_between_are_told_apart(tmp_path):
    parts = {"1": ("(e1[1/2]--1-)", "_"), "3": ("(e1[2/2]--1-)", "_")}
    whole = {"1": ("(e1--1-", "_"), "3": ("e1)", "_")}
    gold, same, filled = (
        corefud(tmp_path / f"{name}.conllu", entities, {"1": one("e1")})
        for name, entities in (("gold", parts), ("same", parts), ("filled", whole))
    )
    assert [scores["muc"] for scores in scores_of(gold, same, filled)] == [1.0, 0.0]
    # Their heads are the same.
    assert [scores["muc"] for scores in scores_of(gold, same, filled, match="head")] == [1.0, 1.0]
    table = align_mentions(read_chains(gold), [read_chains(filled)])
    assert [mention_text(table, row) for row in range(3)] == ["Jan … in", "Jan came in", "Jan"]


def test_mixed_formats_have_the_same_mentions(tmp_path):
    gold = corefud(tmp_path / "gold.conllu", {"1": ("(e1--1-", "_"), "2": ("e1)", "_"), "3": one("e1")})
    rows = "".join(
        f"d1 0 {i} {word} {cell}\n" for i, (word, cell) in enumerate(zip(WORDS, ("(1", "1)", "(1)", "-"), strict=True))
    )
    other = tmp_path / "other.conll"
    other.write_text(f"#begin document (d1);\n{rows}\n#end document\n")
    assert [scores["conll"] for scores in scores_of(gold, other)] == [1.0]
    with pytest.raises(
        OutscoreError, match=r"`.*other\.conll` does not name the head of the mention on line 2, by which --match head"
    ):
        scores_of(gold, other, match="head")


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ({"1": ("(e1[1/2]--1-)", "_")}, r"line 3: a mention of e1 has no part 2 of 2 in its document"),
        ({"1": ("(e1[2/2]--1-)", "_")}, r"line 3: part 2 of a mention of e1 begins, but part 1 did not"),
        ({"1": ("e1)", "_")}, r"line 3: chain e1 is closed but was never opened"),
        ({"1": ("(e1--1-", "_")}, r"line 3: chain e1 is opened but never closed"),
        ({"1": ("e1", "_")}, r'line 3: found "e1" after `Entity=`, expected brackets'),
        ({"1.1": one("e1", "nsubj")}, r'line 4: found "nsubj" in the ninth column, expected the parents of an empty node'),
        ({"1.0": one("e1")}, r"line 4: found the empty node 1\.0"),
        ({"1": ("(e1--1-)(e1--1-)", "_")}, r"the mention of tokens 0 to 0 of its document is in chain e1 twice"),
        ({"1.1": ("(e1--1-)(e2--1-)", "_")}, r"the mention of an empty node before token 1 of its document is in chain e1 and"),
    ],
)
def test_brackets_that_do_not_fit(tmp_path, sentence, message):
    with pytest.raises(OutscoreError, match=message):
        read_chains(corefud(tmp_path / "x.conllu", sentence))


def test_heads_that_a_file_does_not_name(tmp_path):
    gold = corefud(tmp_path / "gold.conllu", {"1": ("(e1)", "_"), "2": ("(e1)", "_")}, declared="# global.Entity = eid")
    assert scores_of(gold, gold)[0]["muc"] == 1.0
    with pytest.raises(OutscoreError, match="does not name the head of the mention on line 3") as raised:
        scores_of(gold, gold, match="head")
    assert raised.value.parameter == "match"


def test_singletons_are_left_out_or_told(tmp_path):
    gold = corefud(tmp_path / "gold.conllu", {"1": one("e1"), "2": one("e1"), "3": one("e2")})
    bare = corefud(tmp_path / "bare.conllu", {"1": one("e1"), "2": one("e1")})
    kept, dropped = (diff(gold, [bare], task="coref", **asked) for asked in ({}, {"singletons": "drop"}))
    assert (kept.scores["bare"]["b3"].f1, dropped.scores["bare"]["b3"].f1) == (pytest.approx(0.8), 1.0)
    (said,) = (note.text for note in kept.notes if note.kind == "reading")
    assert said.startswith("Gold has 1 chain of one mention, bare has none: B³, CEAFe and LEA count these as missed")
    assert said.endswith("--singletons drop leaves such chains out of all files.")
    assert [note.text for note in dropped.notes if note.kind == "reading"] == [
        "Chains of one mention were left out (--singletons drop): 1 of gold, 0 of bare."
    ]
    with pytest.raises(OutscoreError, match="--singletons is for task `coref`, not for `pos`"):
        diff(gold, [bare], task="pos", singletons="drop")
    alone = corefud(tmp_path / "alone.conllu", {"1": one("e1"), "2": one("e2")})
    with pytest.raises(OutscoreError, match="only has chains of one mention, and --singletons drop leaves nothing"):
        diff(alone, [bare], task="coref", singletons="drop")
    undefined = [note.text for note in diff(gold, [alone], task="coref").notes if "undefined" in note.text]
    assert undefined == [
        "alone only has chains of one mention, so that its precision by MUC and ARCS is undefined; it is given as 0."
    ]
    # Gold without links has no MUC, not one of 0, for a single system, too.
    assert set(diff(alone, [alone], task="coref").scores["alone"]) == {"b3", "ceafe", "lea"}


def naive_pairs(key, response, match):
    """The rules by trying every way to pair the mentions of one small document, stage by stage."""

    def best(scores):
        best_sum, best_pairs = 0.0, ()
        mine, theirs = sorted({i for i, _ in scores}), sorted({j for _, j in scores})
        for size in range(1, min(len(mine), len(theirs)) + 1):
            for left in itertools.combinations(mine, size):
                for right in itertools.permutations(theirs, size):
                    pairs = [*zip(left, right, strict=True)]
                    if (
                        all(pair in scores for pair in pairs)
                        and (total := sum(scores[pair] for pair in pairs)) > best_sum + 1e-9
                    ):
                        best_sum, best_pairs = total, pairs
        return best_sum, best_pairs

    return best({(i, j): score for i in range(len(key)) for j in range(len(response)) if (score := match(i, j))})


PARENTS = st.frozensets(st.tuples(st.integers(1, 3), st.sampled_from(["nsubj", "obj"])), min_size=1, max_size=2)


@settings(max_examples=120)
@given(st.lists(PARENTS, max_size=4), st.lists(PARENTS, max_size=4))
def test_zeros_are_matched_for_the_largest_agreement(ours, theirs):
    key, response = (
        Nodes(
            tuple((node_place(0, 5, i + 1 + shift),) for i in range(len(several))),
            np.array([node_place(0, 5, i + 1 + shift) for i in range(len(several))], dtype=np.int64),
            {i: frozenset((node_place(0, number), relation) for number, relation in own) for i, own in enumerate(several)},
        )
        for shift, several in ((0, ours), (10, theirs))
    )

    def agreement(i, j):
        def f1(a, b):
            return 2 * len(a & b) / (len(a) + len(b))

        mine, their = ours[i], theirs[j]
        return 10 * f1(mine, their) + f1({n for n, _ in mine}, {n for n, _ in their})

    documents = [np.zeros(len(several), dtype=np.int64) for several in (ours, theirs)]
    for match in (EXACT, HEAD):
        found = match_mentions(key, documents[0], response, documents[1], match).tolist()
        pairs = [(mine, j) for j, mine in enumerate(found) if mine >= 0]
        assert len({mine for mine, _ in pairs}) == len(pairs)
        assert all(agreement(*pair) > 0 for pair in pairs)
        assert sum(agreement(*pair) for pair in pairs) == pytest.approx(naive_pairs(ours, theirs, agreement)[0])


@settings(max_examples=60)
@given(st.lists(st.frozensets(st.integers(0, 6), min_size=1), max_size=5, unique=True), st.data())
def test_equal_mentions_match_whatever_else_there_is(sets, data):
    """A file against itself matches every mention with itself, by words and by heads."""
    places = tuple(tuple(sorted(node_place(0, word + 1) for word in own)) for own in sets)
    heads = np.array([data.draw(st.sampled_from(own)) for own in places], dtype=np.int64)
    nodes, documents = Nodes(places, heads, {}), np.zeros(len(places), dtype=np.int64)
    for match in (EXACT, HEAD):
        assert match_mentions(nodes, documents, nodes, documents, match).tolist() == [*range(len(places))]

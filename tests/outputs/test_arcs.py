"""ARCS: hand-worked cases of both criteria, and a naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.outputs.coreference import CLASSES, arcs_counts, resolve_mentions
from outscore.outputs.mentions import WITHOUT_TAGS, align_mentions
from outscore.outputs.model import Chains, Words
from outscore.scores.system import Labels


def words(tags: str) -> Words:
    """One sentence of one document; a letter per token, n(oun), p(ronoun), s (possessive) or anything else."""
    names = {"n": "NN", "p": "PRP", "s": "PRP$"}
    rows = np.arange(len(tags))
    pos = Labels.of([names.get(tag, "VB") for tag in tags])
    return Words(
        "gold", Labels.of(tags), np.zeros(len(tags), dtype=np.int64), {"pos": pos}, rows, rows + 1, rows < 0, ("1",),
        documents=Labels.of(["d"]),
    )  # fmt: skip


def chains(name: str, *groups: list[tuple[int, int]], text: Words | None = None) -> Chains:
    rows = [(start, end, chain) for chain, group in enumerate(groups) for start, end in group]
    starts, ends, codes = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Chains(name, Labels(np.zeros(len(rows), dtype=np.int64), ("d",)), starts, ends, codes, text)


def classes(tags: str, gold, system, criterion: str) -> dict[tuple[int, int], str]:
    table = align_mentions(chains("gold", *gold, text=words(tags)), [chains("system", *system)])
    found = resolve_mentions(table, criterion)[0]
    return {(int(s), int(e)): CLASSES[c] for s, e, c in zip(table.starts, table.ends, found, strict=True)}


def at(*tokens: int) -> list[tuple[int, int]]:
    return [(token, token) for token in tokens]


def test_the_five_classes():
    """Gold a1 a2 a3 | b1 b2; the system links a2 rightly and b2 to a's, leaves a3 out, and links token 5 to b1."""
    gold = [at(0, 1, 2), at(3, 4)]
    system = [at(0, 1, 4), at(5, 3)]
    expected = {(0, 0): "tn", (1, 1): "tp", (2, 2): "fn", (3, 3): "tn", (4, 4): "wl", (5, 5): "fp"}
    assert classes("nnnnnn", gold, system, "arcs-any") == expected
    assert classes("nnnnnn", gold, system, "arcs-nom") == expected


def test_any_takes_one_right_antecedent_and_nom_the_closest_nominal():
    """System chain a1 b1 a2, all nouns: a1 is right for a2, but b1 is closer."""
    gold, system = [at(0, 2), at(1, 3)], [at(0, 1, 2)]
    assert classes("nnnn", gold, system, "arcs-any")[2, 2] == "tp"
    assert classes("nnnn", gold, system, "arcs-nom")[2, 2] == "wl"


def test_nom_looks_past_pronouns():
    """System chain a1 (noun), b1 (pronoun), a2: the closest nominal is a1, and right."""
    assert classes("npp", [at(0, 2), at(1)], [at(0, 1, 2)], "arcs-nom")[2, 2] == "tp"


def test_nom_wants_the_nominal_to_be_an_antecedent_in_gold():
    """a2 is resolved through a right pronoun to a wrong noun: right by any, wrong by nom."""
    gold, system = [at(0, 2, 3)], [at(1, 2, 3)]
    found = {criterion: classes("nnpp", gold, system, criterion)[3, 3] for criterion in ("arcs-any", "arcs-nom")}
    assert found == {"arcs-any": "tp", "arcs-nom": "wl"}


def test_cataphora():
    """she (0) ... the mayor (1, 2): nothing precedes the pronoun, and by nom nothing nominal precedes the noun."""
    gold, system = [[(0, 0), (1, 2)]], [[(0, 0), (1, 2)]]
    assert classes("pdn", gold, system, "arcs-any") == {(0, 0): "tn", (1, 2): "tp"}
    assert classes("pdn", gold, system, "arcs-nom") == {(0, 0): "tn", (1, 2): "tn"}


def test_a_mention_after_a_cataphoric_pair_has_its_noun():
    gold = [[(0, 0), (1, 2), (3, 3)]]
    assert classes("pdnp", gold, [[(0, 0), (3, 3)]], "arcs-nom")[3, 3] == "fn"
    assert classes("pdnp", gold, [[(1, 2), (3, 3)]], "arcs-nom")[3, 3] == "tp"


def test_chains_of_pronouns_only():
    """Not anaphoric by nom on either side: linking them is neither right nor wrong there."""
    gold, system = [at(0, 1, 2)], [at(0, 1), at(2, 3)]
    assert classes("pppp", gold, system, "arcs-any") == {(0, 0): "tn", (1, 1): "tp", (2, 2): "fn", (3, 3): "fp"}
    assert set(classes("pppp", gold, system, "arcs-nom").values()) == {"tn"}


def test_a_pronoun_resolved_to_a_noun_that_gold_does_not_give_it():
    """Gold has pronouns only; the system adds a noun: a false positive by nom, a wrong or right linkage by any."""
    gold, system = [at(1, 2)], [at(0, 1, 2)]
    assert classes("npp", gold, system, "arcs-nom") == {(0, 0): "tn", (1, 1): "fp", (2, 2): "fp"}
    assert classes("npp", gold, system, "arcs-any") == {(0, 0): "tn", (1, 1): "fp", (2, 2): "tp"}


def test_nested_mentions_go_outside_in():
    """[[the mayor]'s sister] and [[his] dog]: of two that begin together, the longer comes first."""
    gold = [[(0, 1), (4, 4)], [(0, 3), (4, 5)]]
    system = [[(0, 3), (0, 1), (4, 4)], [(4, 5)]]
    found = classes("dn'nsn", gold, system, "arcs-any")
    assert found == {(0, 3): "tn", (0, 1): "fp", (4, 5): "fn", (4, 4): "tp"}
    nom = classes("dn'nsn", gold, system, "arcs-nom")
    assert nom == {(0, 3): "tn", (0, 1): "fp", (4, 5): "fn", (4, 4): "tp"}


def test_nested_mentions_of_one_chain():
    """(0, 2) contains (2, 2) of the same chain: the outer opens first and is the antecedent."""
    assert classes("dnnv", [[(0, 2), (2, 2)]], [[(0, 2), (2, 2)]], "arcs-nom") == {(0, 2): "tn", (2, 2): "tp"}


def test_other_boundaries_are_other_mentions():
    gold, system = [[(0, 1), (3, 4)]], [[(0, 1), (4, 4)]]
    assert classes("dnvdn", gold, system, "arcs-any") == {(0, 1): "tn", (3, 4): "fn", (4, 4): "fp"}


def test_without_tags_single_tokens_are_not_nominal():
    gold = chains("gold", [(0, 0), (1, 1), (2, 3), (4, 4)])
    table = align_mentions(gold, [gold])
    assert table.nominal.tolist() == [False, False, True, False]
    assert table.notes == (WITHOUT_TAGS,)
    assert [CLASSES[c] for c in resolve_mentions(table, "arcs-nom")[0]] == ["tn", "tn", "tn", "tp"]


def test_antecedents_are_those_that_decide():
    """By any the closest right one, else the closest; by nom the closest nominal."""
    gold, system = [at(0, 2), at(1, 3)], [at(0, 1, 2), at(3)]
    table = align_mentions(chains("gold", *gold, text=words("nnnn")), [chains("system", *system)])
    assert resolve_mentions(table, "arcs-any")[1].tolist() == [-1, 0, 0, -1]
    assert resolve_mentions(table, "arcs-nom")[1].tolist() == [-1, 0, 1, -1]


def test_counts_by_document():
    table = align_mentions(chains("gold", at(0, 1, 2)), [chains("system", at(0, 1), at(2, 3))])
    assert arcs_counts(table).tolist() == [[1, 0, 1, 1]]


def test_unknown_criterion():
    gold = chains("gold", at(0, 1))
    with pytest.raises(OutscoreError, match="arcs-nom"):
        resolve_mentions(align_mentions(gold, [gold]), "arcs-nominal")


# A place is (is nominal, gold chain, system chain).
PLACES = st.lists(
    st.tuples(st.booleans(), *[st.sampled_from([None, 0, 1, 2])] * 2), min_size=1, max_size=10
).filter(lambda places: any(gold is not None for _, gold, _ in places))  # fmt: skip


def naive_class(places, m: int, criterion: str) -> str:
    def before(side):
        return [i for i in range(m) if places[m][side] is not None and places[i][side] == places[m][side]]

    gold, system = before(1), before(2)
    if criterion == "arcs-nom":
        eligible_gold, eligible = ([i for i in found if places[i][0]] for found in (gold, system))
        right = bool(eligible) and eligible[-1] in gold
    else:
        eligible_gold, eligible = gold, system
        right = any(i in gold for i in system)
    if eligible_gold:
        return "tp" if right else "wl" if eligible else "fn"
    return "fp" if eligible else "tn"


@settings(max_examples=120)
@given(places=PLACES, criterion=st.sampled_from(["arcs-any", "arcs-nom"]))
def test_classes_against_their_definition(places, criterion):
    def side(name, which):
        spans = [[(2 * i, 2 * i + p[0]) for i, p in enumerate(places) if p[which] == chain] for chain in range(3)]
        return chains(name, *spans)

    table = align_mentions(side("gold", 1), [side("system", 2)])
    classes, antecedents = resolve_mentions(table, criterion)
    for row, start in enumerate(table.starts.tolist()):
        assert CLASSES[classes[row]] == naive_class(places, start // 2, criterion)
        if classes[row] in {0, 1, 3}:
            assert antecedents[row] >= 0

"""Coreference in the table of units: outcomes and transitions in the published shape, the upper bound, responses as keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.coref_documents import RESPONSES, write_documents

from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_chains
from outscore.metrics.outputs import COREF
from outscore.outputs.coreference import (
    CLASSES,
    CRITERIA,
    antecedents,
    changed_mentions,
    coref_statistics,
    gold_mention_units,
    grouped,
    mention_text,
    mention_units,
    unit_mentions,
)
from outscore.outputs.mentions import MENTION_TYPES, align_mentions, mention_type
from outscore.outputs.model import Chains
from outscore.outputs.outcomes import OUTCOMES, count_differing, mirror_of, oracle_rate, outcomes, records, transitions
from outscore.scores.system import Labels


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    paths = write_documents(tmp_path_factory.mktemp("coref"), documents=20, phrases=60, seed=0)
    return align_mentions(read_chains(paths["gold"]), [read_chains(paths[name]) for name in RESPONSES])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_transitions_have_the_published_shape(table, criterion):
    """Tuggener (2017), table 8: three kinds of corrections, three of new errors, two of changed errors."""
    found = transitions(mention_units(table, (1, 2), criterion))
    assert {(OUTCOMES[kind], *(CLASSES[code] for code in codes)) for kind, *codes in found} == {
        ("correction", "tp", "wl", "tp"),
        ("correction", "tp", "fn", "tp"),
        ("correction", "tn", "fp", "tn"),
        ("new_error", "tp", "tp", "wl"),
        ("new_error", "tp", "tp", "fn"),
        ("new_error", "tn", "tn", "fp"),
        ("changed_error", "tp", "wl", "fn"),
        ("changed_error", "tp", "fn", "wl"),
    }
    assert all(count > 0 and mirror_of(change) in found for change, count in found.items())


@pytest.mark.parametrize("criterion", CRITERIA)
def test_units_are_the_union_of_anaphoric_mentions(table, criterion):
    """Counted from the statistics: gold's units are tp + wl + fn, and each false positive of either system is one more."""
    units = mention_units(table, (1, 3), criterion)
    counts = [coref_statistics(table, 0, system)[criterion].sum(axis=0) for system in (1, 3)]
    gold = {int(tp + wl + fn) for tp, wl, fn, _ in counts}
    assert gold == {int((units.gold == CLASSES.index("tp")).sum())}
    for column, count in enumerate(counts):
        assert np.bincount(units.answers[:, column], minlength=5)[:4].tolist() == count.tolist()
    assert (units.answers != CLASSES.index("tn")).any(axis=1).all()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_accuracy_changes_by_corrections_less_new_errors(table, criterion):
    units = mention_units(table, (1, 2), criterion)
    kinds = np.bincount(outcomes(units), minlength=len(OUTCOMES))
    before, after = units.correct.sum(axis=0)
    assert after - before == kinds[1] - kinds[2]
    assert count_differing(units) == kinds[1:4].sum()


def test_units_depend_on_the_pair(table):
    """A third system's spurious mentions are no units of the first two."""
    assert mention_units(table, (1, 2, 3)).n > mention_units(table, (1, 2)).n


def test_units_name_their_place(table):
    units = mention_units(table)
    rows = unit_mentions(table)
    assert units.clusters.tolist() == table.documents.codes[rows].tolist()
    assert units.slices["mention type"].names[: len(MENTION_TYPES)] == MENTION_TYPES
    for unit in (0, units.n // 2, units.n - 1):
        assert mention_text(table, rows[unit]).split()[0] == table.words.forms[int(units.rows[unit])]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_upper_bound_by_kind_of_mention(table, criterion):
    """Tuggener (2017), table 11: accuracy is ARCS recall, and the whole lies between the kinds."""
    units = gold_mention_units(table, (1, 2, 3), criterion)
    for system in (1, 2, 3):
        recall = COREF[criterion]["r"].score(coref_statistics(table, 0, system)[criterion].sum(axis=0))
        assert units.correct[:, system - 1].mean() == pytest.approx(float(recall), abs=1e-15)
    kinds = np.unique(units.gold)
    assert {units.labels[k] for k in kinds} == set(MENTION_TYPES)
    bounds = [oracle_rate(units.correct[units.gold == kind]) for kind in kinds]
    assert min(bounds) < oracle_rate(units.correct) < max(bounds)
    assert oracle_rate(units.correct) > units.correct.mean(axis=0).max()
    assert set(np.unique(units.answers[~units.correct])) == {units.labels.index("wl"), units.labels.index("fn")}


def test_responses_as_keys(table):
    """Tuggener (2017), table 13: F1 is the same whichever of two responses is the key."""
    for measure in ("lea", "conll"):
        one, other = (coref_statistics(table, *pair)[measure].sum(axis=0) for pair in ((1, 3), (3, 1)))
        assert COREF[measure]["f1"].score(one) == pytest.approx(COREF[measure]["f1"].score(other), abs=1e-12)


def test_measures_rank_the_responses_as_they_were_made(table):
    for measure, parts in COREF.items():
        found = [float(parts["f1"].score(coref_statistics(table, 0, system)[measure].sum(axis=0))) for system in (1, 2, 3)]
        assert found == sorted(found)


def test_changed_mentions_stand_in_their_sentences(table):
    changed, where = changed_mentions(table, (1, 2), "arcs-nom")
    units = mention_units(table, (1, 2), "arcs-nom")
    rows = unit_mentions(table, (1, 2), "arcs-nom")[~units.correct.all(axis=1)]
    assert changed.units.n == len(rows)
    for unit, row in enumerate(rows.tolist()):
        words = where.words[int(changed.contexts[unit])]
        assert " ".join(words[int(changed.starts[unit]) : int(changed.ends[unit])]) == mention_text(table, row)
    assert where.ids[0] == "made/0000; part 000, sentence 1"


def test_all_mentions_of_the_documents_of_changes_with_their_chains(table):
    changed, where = changed_mentions(table, (1, 2))
    concerned = {where.documents[int(context)] for context in changed.contexts}
    every = [row for row in range(len(table.tokens)) if table.documents[row] in concerned]
    assert changed.mentions.shape == (len(every), 6)
    for row, (context, start, end, *chains) in zip(every, changed.mentions.tolist(), strict=True):
        assert " ".join(where.words[context][start:end]) == mention_text(table, row)
        assert chains == table.chains[row, :3].tolist()


def test_neighbours_in_chains(table):
    """Against every chain written out: what stands before and after, in how many sentences' distance."""
    changed, _ = changed_mentions(table, (1, 2))
    units = mention_units(table, (1, 2))
    rows = unit_mentions(table, (1, 2))[~units.correct.all(axis=1)].tolist()
    sentence = table.words.sentences[table.tokens]
    for unit, row in enumerate(rows):
        for place, file in enumerate((0, 1, 2)):
            told = [changed.chains[2 * (3 * unit + place) + side] for side in (0, 1)]
            mine = table.chains[row, file]
            if mine == -1:
                assert told == ["", ""]
                continue
            chain = np.flatnonzero(table.chains[:, file] == mine).tolist()
            at = chain.index(row)
            if len(chain) == 1:
                assert told == ["alone in its chain", ""]
                continue
            assert (told[0] == "first of its chain", told[1] == "last of its chain") == (not at, at == len(chain) - 1)
            beside = [*chain[max(at - 1, 0) : at], *chain[at + 1 : at + 2]]
            parts = [part for part in told if not part.endswith("of its chain")]
            assert [part.rpartition(" (")[0] for part in parts] == [mention_text(table, other) for other in beside]
            for part, other in zip(parts, beside, strict=True):
                far = abs(int(sentence[other] - sentence[row]))
                assert part.endswith(
                    "in this sentence)"
                    if not far
                    else f"({far} sentence{'s' * (far > 1)} {'after' if other > row else 'before'})"
                )
        earlier = [other for other in range(row) if table.chains[other, 0] == table.chains[row, 0] != -1]
        assert changed.distances[unit] == (sentence[row] - sentence[earlier[-1]] if earlier else -1)


def test_records_tell_the_neighbours_in_every_chain(table):
    changed, where = changed_mentions(table, (1, 2))
    found = {(record["context"], record["start"], record["end"]): record for record in records(changed, where)}
    seen = 0
    for unit in range(changed.units.n):
        place = (where.ids[int(changed.contexts[unit])], int(changed.starts[unit]), int(changed.ends[unit]))
        if place not in found:
            continue
        beside = [text for k in range(6 * unit, 6 * unit + 6, 2) for text in [(changed.chains[k], changed.chains[k + 1])]]
        told = found[place]["chains"]
        assert list(told) == ["gold", *changed.units.systems]
        assert list(told.values()) == [" · ".join(filter(None, both)) for both in beside]
        assert list(found[place]["remarks"].values()) == [changed.remarks[3 * unit + k] for k in range(3)]
        seen += len(set(told.values()))
    assert seen > len(found) > 0


def test_antecedents_of_units(table):
    found = antecedents(table, (1, 2))
    units = mention_units(table, (1, 2))
    assert found.shape == (units.n, 3)
    assert ((found[:, 0] >= 0) == (units.gold == CLASSES.index("tp"))).all()
    resolved = np.isin(units.answers, [CLASSES.index(c) for c in ("tp", "wl", "fp")])
    assert ((found[:, 1:] >= 0) == resolved).all()
    assert mention_text(table, -1) == ""


def test_chains_without_words_have_units_and_no_text():
    rows = np.arange(3)
    gold = Chains("gold", Labels.of(["d"] * 3), rows, rows, np.array([0, 0, 0]))
    system = Chains("system", Labels.of(["d"] * 3), rows, rows, np.array([0, 1, 1]))
    bare = align_mentions(gold, [system, gold])
    changed, where = changed_mentions(bare, (1, 2))
    assert (changed.units.n, where.words, mention_text(bare, 0)) == (1, ((),), "")


@pytest.mark.parametrize(
    ("tag", "kind"),
    [("NNPS", "noun"), ("PROPN", "noun"), ("NE", "noun"), ("PRP", "personal pronoun"), ("PPER", "personal pronoun"),
     ("PRP$", "possessive pronoun"), ("PPOSAT", "possessive pronoun"), ("CD", "other"), ("NUM", "other"), (None, "other")],
)  # fmt: skip
def test_kinds_of_single_tokens(tag, kind):
    assert mention_type(1, tag) == kind
    assert mention_type(2, None) == "noun"


def test_gold_without_words_cannot_be_clustered_by_sentence(table):
    with pytest.raises(OutscoreError) as refusal:
        grouped(replace(table, words=None), "sentence")
    assert refusal.value.message == "Gold has no words, and so no sentences to cluster by."
    assert refusal.value.hint.startswith("Give --cluster ")

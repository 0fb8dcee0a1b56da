"""`osc.diff` from files to words: the worked example, the real parses, every task, and refusals."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coref_documents import RESPONSES, write_documents
from tests.diff_files import write_trees

from outscore import diff
from outscore.core.errors import OutscoreError
from outscore.outputs.mentions import MATCHES
from outscore.outputs.model import OutputData
from outscore.results.diff import Diff
from outscore.workflows.diff.pair import View, accuracy_change, pair_of
from outscore.workflows.diff.run import study_of
from outscore.workflows.diff.tasks import MATCH
from outscore.workflows.requests.diff import DiffRequest


def test_worked_example():
    found = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU"), "S3": list("ZWCDE")}, task="label")
    pairs = {pair.systems: pair for pair in found.pairs}
    expected = {("S1", "S2"): (0.6, 1, 1, 1, 2 / 3), ("S2", "S3"): (0.4, 1, 1, 0, 2 / 3), ("S1", "S3"): (0.8, 2, 2, 0, 1 / 3)}
    for systems, (differ, fixed, broken, changed, dice) in expected.items():
        pair = pairs[systems]
        o = pair.outcomes
        assert (pair.differ, o.correction, o.new_error, o.changed_error) == (differ, fixed, broken, changed)
        assert pair.overlap_correct == pytest.approx(dice)
        assert pair.p.value == 1.0
    assert found.oracle.all.rate == 1.0
    assert [found.scores[name]["accuracy"] for name in ("S1", "S2", "S3")] == [0.6] * 3


@settings(max_examples=25)
@given(st.integers(1, 40).flatmap(lambda n: st.tuples(*[st.text("xyz", min_size=n, max_size=n)] * 3)))
def test_identity_on_every_run(rows):
    gold, first, second = (list(row) for row in rows)
    found = diff(gold, {"a": first, "b": second}, task="label")
    pair = found.pairs[0]
    change = found.scores["b"]["accuracy"] - found.scores["a"]["accuracy"]
    assert pair.difference == pytest.approx(change)
    assert change == pytest.approx((pair.outcomes.correction - pair.outcomes.new_error) / pair.n)
    assert Diff.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.fixture(scope="module")
def parses(shared_data):
    folder = shared_data / "conll18-en_pud"
    return [str(folder / f"{name}.conllu") for name in ("gold", "UDPipe-Future", "Stanford-18", "HIT-SCIR-18")]


def test_real_parses(parses):
    found = diff(parses[0], parses[1:3], task="dep")
    pair = found.pairs[0]
    assert (pair.criterion, pair.n, pair.outcomes.correction, pair.outcomes.new_error) == ("las", 18_725, 705, 603)
    assert pair.p.value == pytest.approx(0.0522408, abs=5e-8)
    assert [round(100 * found.scores[name]["las"].r, 3) for name in found.systems] == [86.446, 86.991]
    assert not [part for part in pair.labels if part.p is not None and part.p.adjusted <= 0.05]
    assert sum(pair.kinds.values()) == pair.outcomes.changes
    assert pair.verdict.startswith("No winner: the data cannot tell Stanford-18 and UDPipe-Future apart")
    assert pair.verdict.endswith("705 corrections, 603 new errors and 362 changed errors of 18,725 words, swapped by sentence.")
    alone = diff(parses[0], parses[1:3], task="dep", criterion="las", cluster="none").pairs[0]
    assert alone.p.value == pytest.approx(0.0052082, abs=5e-8)
    assert not found.inventory.warnings


def test_subtypes_are_a_matter_of_inventory(parses):
    found = diff(parses[0], parses[1:3], task="dep", criterion="las", subtypes=True)
    assert found.pairs[0].difference == pytest.approx(0.0621, abs=5e-5)
    assert re.match(r"UDPipe-Future rarely or never uses `nmod:poss`", found.inventory.warnings[0])


def test_three_taggers_together(parses):
    found = diff(parses[0], parses[1:], task="pos")
    assert [pair.systems for pair in found.pairs] == [
        ("UDPipe-Future", "Stanford-18"),
        ("UDPipe-Future", "HIT-SCIR-18"),
        ("Stanford-18", "HIT-SCIR-18"),
    ]
    best = max(found.scores[name]["upos"].r for name in found.systems)
    assert found.oracle.all.rate - best == pytest.approx(found.oracle.all.gain_over_best)
    assert np.diag(found.agreement).tolist() == [1.0] * 3
    assert found.agreement[0][1] == pytest.approx(1 - found.pairs[0].differ)


def test_maps_rename_before_comparing():
    answers = {"a": ["n", "v", "n", "N"], "b": ["n", "v", "n", "n"]}
    assert diff(["n", "v", "n", "n"], answers, task="label").pairs[0].outcomes.correction == 1
    for written in ({"N": "n"}, ["N=n"], ["a:N=n"]):
        assert diff(["n", "v", "n", "n"], answers, task="label", map=written).pairs[0].outcomes.changes == 0


def test_relations_are_mapped_with_their_subtypes(tmp_path):
    gold, *systems = list(write_trees(tmp_path, sentences=20).values())[:3]

    def labels(**asked) -> set[str]:
        found = diff(gold, systems, task="dep", criterion="ls", **asked)
        return {row.value for row in found.pairs[0].labels}

    assert "nmod" in labels()
    assert "nmod" not in labels(map="nmod=amod")
    assert "nmod" in labels(map="nmod:poss=amod")
    assert "nmod:poss" in labels(map="nmod=amod", subtypes=True)


BIO = "EU\tB-ORG\nrejects\tO\nGerman\tB-MISC\ncall\tO\n\nPeter\tB-PER\nBlackburn\tI-PER\n"


def _write_columns(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.bio").write_text(text)
    return [folder / f"{name}.bio" for name in texts]


def test_schemes_of_tags_are_told_file_by_file(tmp_path):
    """IOB1 and types alone are the same answers in other writing, and are said to be so."""
    iob1 = BIO.replace("B-", "I-")
    gold, *systems = _write_columns(tmp_path, gold=BIO, iob1=iob1, plain=iob1.replace("I-", ""), same=BIO)
    found = diff(gold, systems, task="ner")
    assert [found.scores[name]["span"].f1 for name in found.systems] == [1.0] * 3
    assert not found.inventory.warnings
    told = [note.text for note in found.notes if note.kind == "reading"]
    assert told[0].startswith("The tags of iob1 are IOB1 and are read as such")
    assert told[1].startswith("The tags of plain have no prefixes")
    assert found.to_text().index(told[0][:30]) < found.to_text().index("No winner")
    assert diff(systems[0], [systems[2]], task="ner").scores["same"]["span"].f1 == 1.0


def test_both_readings_of_broken_tags_are_shown(tmp_path):
    broken = BIO.replace("B-PER", "I-PER")
    gold, *systems = _write_columns(tmp_path, gold=BIO, broken=broken, same=BIO)
    found = diff(gold, systems, task="ner")
    assert [(rates["span"].f1, rates["span (lenient)"].f1) for rates in found.scores.values()] == [(0.8, 1.0), (1.0, 1.0)]
    assert "span (lenient) is F1 when they are read leniently, as conlleval" in " ".join(found.to_text().split())
    lenient = diff(gold, systems, task="ner", lenient=True)
    assert [(rates["span"].f1, rates["span (strict)"].f1) for rates in lenient.scores.values()] == [(1.0, 0.8), (1.0, 1.0)]


def test_the_sentence_counts_all_sentences(tmp_path):
    texts = {"gold": BIO, "a": BIO, "b": BIO.replace("B-ORG", "O")}
    gold, *systems = _write_columns(tmp_path, **{name: f"{text}\nNothing\tO\n" for name, text in texts.items()})
    pair = diff(gold, systems, task="ner").pairs[0]
    assert pair.sentence.startswith("On 3 sentences (2 of them with spans), ")
    assert pair.clusters == 2


def test_no_interval_beyond_what_is_possible(tmp_path):
    texts = {"gold": BIO * 8 + "x\tO\n", "a": BIO * 8 + "x\tB-PER\n", "b": re.sub(r"[BI]-\w+", "O", BIO * 8) + "x\tO\n"}
    gold, *systems = _write_columns(tmp_path, **texts)
    pair = diff(gold, systems, task="ner").pairs[0]
    assert pair.interval.low == -1.0
    assert pair.interval.method == "centred bootstrap, cut at the end of the scale"


def test_rows_have_no_interval_where_the_test_cannot_bound_it():
    """Four clusters: no difference is significant at .05, so no value can be excluded."""
    gold, first = ["a"] * 80, ["b"] * 80
    second = ["a" if i % 20 < 9 + i // 20 else "b" for i in range(80)]
    units = study_of(DiffRequest(task="label"), OutputData(gold, {"first": first, "second": second})).together
    grouped = replace(units, clusters=np.arange(80) // 20)
    headline = accuracy_change("accuracy", grouped.correct[:, 0], grouped.correct[:, 1], grouped.clusters, DiffRequest())
    (row,) = pair_of(View(grouped, (0, 1), headline), DiffRequest()).labels
    assert (headline.interval.low, headline.interval.high, row.low, row.high) == (None, None, None, None)
    assert row.p.value == 0.125


def test_pairs_are_one_family():
    draw = np.random.default_rng(5)
    gold = draw.integers(0, 2, 60)
    systems = {f"S{k}": np.where(draw.random(60) < 0.1 + 0.06 * k, 1 - gold, gold) for k in range(4)}
    found = diff(gold, systems, task="label")
    raw = [pair.p.value for pair in found.pairs]
    order = np.argsort(raw)
    holm = np.minimum(1, np.maximum.accumulate(np.array(raw)[order] * np.arange(6, 0, -1)))
    assert [found.pairs[i].p.adjusted for i in order] == pytest.approx(holm.tolist())
    assert all((" outscored " in pair.headline) == (pair.p.adjusted <= 0.05) for pair in found.pairs)
    assert found.pairs[0].families["pairs"].m == 6
    assert diff(gold, dict(list(systems.items())[:2]), task="label").pairs[0].p.adjusted is None


def test_of_many_systems_neighbours_are_compared_in_detail():
    draw = np.random.default_rng(6)
    gold = draw.integers(0, 3, 90)
    systems = {f"S{k}": np.where(draw.random(90) < 0.05 * (1 + k), (gold + 1) % 3, gold) for k in (6, 0, 1, 2, 3, 4, 5)}
    found = diff(gold, systems, task="label")
    scores = {name: values["accuracy"] for name, values in found.scores.items()}
    order = sorted(scores, key=lambda name: -scores[name])
    detailed = {frozenset(pair.systems) for pair in found.pairs if pair.labels}
    assert len(found.pairs) == 21
    assert frozenset(found.systems[:2]) not in {frozenset(step) for step in pairwise(order)}
    # A page opens on the first pair.
    assert detailed == {frozenset(step) for step in [found.systems[:2], *pairwise(order)]}
    assert found.pairs[0].transitions["correction"]
    (note,) = (note.text for note in found.notes if note.kind == "omission")
    said = "Labels, transitions, slices and other scores are compared between neighbours by score and between the first two"
    assert note.startswith(f"{said} systems, 7 of 21")


@pytest.mark.slow
def test_json_of_many_systems_stays_small(shared_data, tmp_path):
    """25 parsers of 18,725 words: transitions of all pairs were 244 MB."""
    folder, draw = shared_data / "conll18-en_pud", np.random.default_rng(8)
    systems = {}
    for k in range(25):
        lines = (folder / f"{('Stanford-18', 'HIT-SCIR-18', 'UDPipe-Future')[k % 3]}.conllu").read_text().split("\n")
        rows = [line.split("\t") for line in lines]
        for row in rows:
            if len(row) == 10 and row[6] not in ("0", "_") and draw.random() < 0.03 + 0.002 * k:
                row[7] = ("nsubj", "obj", "obl", "nmod", "amod", "conj")[int(draw.integers(6))]
        systems[f"s{k:02}"] = tmp_path / f"s{k:02}.conllu"
        systems[f"s{k:02}"].write_text("\n".join("\t".join(row) for row in rows))
    found = diff(folder / "gold.conllu", systems, task="dep")
    assert len(found.pairs) == 3 * 300
    assert found.save(tmp_path / "found.json").stat().st_size < 10e6


def test_overlap_of_right_answers():
    found = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU"), "S3": list("ZWCDE")}, task="label")
    np.testing.assert_allclose(found.overlap, [[1, 2 / 3, 1 / 3], [2 / 3, 1, 2 / 3], [1 / 3, 2 / 3, 1]])


def test_chains_of_one_mention(shared_data):
    """The official cases TC-N: B³, CEAFe and LEA are defined, ARCS and MUC are not."""
    folder = shared_data / "coref-official"
    found = diff(folder / "TC-N.key", [folder / f"TC-N-{k}.response" for k in (1, 2, 4)], task="coref")
    assert [set(scores) for scores in found.scores.values()] == [{"b3", "ceafe", "lea"}] * 3
    assert [round(scores["b3"].f1, 4) for scores in found.scores.values()] == [1.0, 0.2857, 0.5]
    assert [pair.criterion for pair in found.pairs] == ["b3"] * 3
    assert found.notes[0].kind == "reading"
    assert not found.pairs[1].identical
    with pytest.raises(OutscoreError, match="No mention of gold has an antecedent by `arcs-any`"):
        diff(folder / "TC-N.key", [folder / f"TC-N-{k}.response" for k in (1, 2)], task="coref", criterion="arcs-any")


def test_slices_of_mentions_and_entities(tmp_path):
    gold, *systems = write_documents(tmp_path).values()
    found = diff(gold, systems[:2], task="coref", slices="pronoun")
    assert {part.column for part in found.pairs[0].slices} == {"mention type", "pronoun"}
    rows = "".join(f"w{i}\t{'B-PER' if i % 4 == 0 else 'I-PER' if i % 4 == 1 else 'O'}\n" for i in range(40))
    gold, *systems = _write_columns(tmp_path, gold=rows, a=rows, b=rows.replace("w8\tB-PER", "w8\tO"))
    found = diff(gold, systems, task="ner", slices=["entity-length", "sentence-length"])
    assert {part.value for part in found.pairs[0].slices} == {"2", "1", "31-40"} - {"1"}


def test_entities(tmp_path):
    texts = {
        "gold": BIO,
        "old": BIO.replace("B-MISC", "B-ORG").replace("I-PER", "O"),
        "new": BIO.replace("B-ORG", "O"),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.bio").write_text(text)
    found = diff(tmp_path / "gold.bio", [tmp_path / "old.bio", tmp_path / "new.bio"], task="ner")
    pair = found.pairs[0]
    assert found.units == 3
    assert (found.scores["old"]["span"].f1, found.scores["new"]["span"].f1) == (pytest.approx(1 / 3), pytest.approx(0.8))
    assert pair.difference == pytest.approx(0.8 - 1 / 3)
    # Spans of any file: EU, German, Peter, Peter Blackburn.
    assert (pair.n, pair.outcomes.correction, pair.outcomes.new_error) == (4, 3, 1)
    assert pair.kinds == {"type": 1, "boundary": 2, "boundary and type": 0, "other": 1}
    # Both sentences favour the new one: two of four swaps are as extreme.
    assert pair.p.value == 0.5
    assert "3 corrections, 1 new error and 0 changed errors of 4 spans" in pair.verdict


def test_agreement_on_entities_is_about_those_that_either_has(tmp_path):
    tags = {
        "gold": "B-PER O B-LOC O B-PER O O B-LOC",
        "one": "B-PER O B-LOC O O O O B-PER",
        "two": "B-PER O O O O O B-PER B-PER",
        "none": "O O O O O O O O",
        "empty": "O O O O O O O O",
    }
    for name, row in tags.items():
        (tmp_path / f"{name}.bio").write_text("".join(f"w{i}\t{tag}\n" for i, tag in enumerate(row.split())))
    found = diff(tmp_path / "gold.bio", [tmp_path / f"{name}.bio" for name in list(tags)[1:]], task="ner")
    spans = {name: {(i, tag) for i, tag in enumerate(row.split()) if tag != "O"} for name, row in tags.items()}
    for i, first in enumerate(found.systems):
        for j, second in enumerate(found.systems):
            either = {place for place, _ in spans[first] | spans[second]}
            same = spans[first] & spans[second]
            assert found.agreement[i][j] == (pytest.approx(len(same) / len(either)) if either else 1.0)


def test_coreference_is_decided_by_its_conll_score(tmp_path):
    """The mean of MUC, B³ and CEAFe over documents; mentions are counted by ARCS any, and that is said."""
    paths = write_documents(tmp_path, documents=8, phrases=40)
    found = diff(paths["gold"], [paths["plain"], paths["best"]], task="coref")
    assert [pair.criterion for pair in found.pairs] == ["conll", "arcs-any", "arcs-nom"]
    pair, any_antecedent, _ = found.pairs
    for name, score in (("plain", pair.first), ("best", pair.second)):
        assert score == pytest.approx(np.mean([found.scores[name][part].f1 for part in ("muc", "b3", "ceafe")]), abs=1e-12)
    assert (pair.metric, pair.counted_by, any_antecedent.counted_by) == ("conll", "arcs-any", "")
    assert pair.p.n == 8
    assert (pair.outcomes, pair.transitions, pair.n) == (any_antecedent.outcomes, any_antecedent.transitions, any_antecedent.n)
    assert {change.metric for change in pair.metrics} == {"muc", "b3", "ceafe", "lea"}
    # Every way to swap the 8 documents, in plain code.
    ours, theirs = (_columns_of(paths["gold"], paths[name]) for name in ("plain", "best"))
    swaps = [np.array(signs)[:, None] for signs in itertools.product([False, True], repeat=8)]
    differences = [
        abs(_conll(np.where(swap, ours, theirs).sum(0)) - _conll(np.where(swap, theirs, ours).sum(0))) for swap in swaps
    ]
    exact = np.mean([value >= abs(pair.difference) - 1e-12 for value in differences])
    assert pair.p.value == pytest.approx(exact, abs=0.02 if pair.p.method == "monte-carlo" else 1e-12)
    assert "CoNLL F1" in pair.verdict
    assert f"By ARCS-any: {pair.outcomes.correction} corrections" in pair.verdict
    assert "CoNLL F1" in pair.sentence
    report = found.to_text()
    assert "Pairs by CoNLL" in report
    assert "What changed, plain → best, ARCS any" in report
    page = found.to_html()
    assert "CoNLL F1" in page
    assert "(by ARCS any)" in page
    # The page shows the examples of that criterion and names it above them.
    assert '"criterion":"conll","units":"arcs-any","countedBy":"ARCS any"' in page
    assert "CoNLL F1" in found.to_latex()
    rows = {(row["row"], row["criterion"]) for row in found.to_frame("transitions").to_dicts()}
    assert {criterion for _, criterion in rows} == {"arcs-any", "arcs-nom"}


def _columns_of(gold, system):
    from outscore.formats.readers import read_chains
    from outscore.outputs.coreference import coref_statistics
    from outscore.outputs.mentions import align_mentions

    return coref_statistics(align_mentions(read_chains(gold), [read_chains(system)]))["conll"]


def _conll(x):
    r, p = x[3] / x[4], x[5] / x[6]
    return (2 * x[0] / (x[1] + x[2]) + 2 * r * p / (r + p) + 2 * x[7] / (x[8] + x[9])) / 3


def test_one_document_of_coreference_cannot_be_tested(tmp_path):
    paths = write_documents(tmp_path, documents=1, phrases=40)
    found = diff(paths["gold"], [paths["plain"], paths["best"]], task="coref")
    assert found.pairs[0].p.value == 1
    assert "A single document leaves nothing to swap: no difference can be tested." in found.pairs[0].verdict
    assert diff(paths["gold"], [paths["plain"], paths["best"]], task="coref", cluster="sentence").pairs[0].p.value < 1


def test_coreference(tmp_path):
    paths = write_documents(tmp_path, documents=8, phrases=40)
    found = diff(paths["gold"], {name: paths[name] for name in RESPONSES}, task="coref", criterion=["arcs-any", "arcs-nom"])
    pair = found.pairs[0]
    assert (pair.criterion, pair.clusters) == ("arcs-any", 8)
    assert {row.source + ">" + row.target for row in pair.transitions["correction"]} <= {"wl>tp", "fn>tp", "fp>tn"}
    assert {change.metric for change in pair.metrics} == {"conll", "muc", "b3", "ceafe", "lea"}
    assert {row.label for row in found.oracle.labels} <= {"noun", "personal pronoun", "possessive pronoun", "other"}
    assert {(key.key, key.response, key.metric) for key in found.keys} >= {
        ("plain", "better", "lea"),
        ("better", "best", "conll"),
    }


def test_labels_from_files_with_texts_and_slices(tmp_path):
    gold = "id,gold,topic,question\n" + "".join(f"q{i},{'yes' if i % 2 else 'no'},t{i % 3},Is it {i}?\n" for i in range(60))
    (tmp_path / "gold.csv").write_text(gold)
    for name, step in (("old", 5), ("new", 7)):
        rows = [f"q{i},{'yes' if (i % 2) ^ (i % step == 0) else 'no'}\n" for i in reversed(range(60))]
        (tmp_path / f"{name}.csv").write_text("id,prediction\n" + "".join(rows))
    files = {name: tmp_path / f"{name}.csv" for name in ("old", "new")}
    found = diff(tmp_path / "gold.csv", files, task="label", slices=["topic"])
    pair = found.pairs[0]
    assert (found.scores["old"]["accuracy"], found.scores["new"]["accuracy"]) == (0.8, pytest.approx(51 / 60))
    assert [(part.value, part.n) for part in pair.slices] == [("t0", 20), ("t1", 20), ("t2", 20)]
    assert {change.metric for change in pair.metrics} == {"macro-f1", "weighted-f1", "mcc"}
    study = study_of(DiffRequest(task="label", slice=("topic",)), OutputData(tmp_path / "gold.csv", files))
    changed, contexts = study.changed()
    assert contexts.columns == ("question",)
    # What systems say beside their answers is shown of those that answer every item.
    for name, rows in (("old", 60), ("new", 59)):
        lines = [f"q{i},{'yes' if i % 7 else 'no'},{name} says {i}\n" for i in range(rows)]
        (tmp_path / f"{name}.csv").write_text(f"id,prediction,{name}_reason\n" + "".join(lines))
    columns = study_of(DiffRequest(task="label"), OutputData(tmp_path / "gold.csv", files)).changed()[1].columns
    assert columns == ("old_reason", "question")
    assert changed[0].units.n == len(contexts.ids) == len([i for i in range(60) if i % 5 == 0 or i % 7 == 0])


def test_one_system_has_scores_and_labels():
    found = diff(["a", "b", "a"], ["a", "a", "a"], task="label")
    assert (found.systems, found.pairs, found.agreement) == (["S1"], [], [])
    assert [(row.label, row.n, row.scores) for row in found.oracle.labels] == [("a", 2, [1.0]), ("b", 1, [0.0])]
    assert found.verdict == "S1: scores of one system; name another to see what changed."


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"task": "tags"}, "`task` is 'tags'."),
        ({"task": "label", "correction": "holms"}, "There is no correction `holms`."),
        ({"task": "label", "alpha": 2}, "`alpha` is 2."),
        ({"task": "label", "min_support": 0}, "`min_support` is 0."),
        ({"task": "label", "criterion": "las"}, "Task `label` has no criterion `las`."),
        ({"task": "label", "punct": True}, "--punct is for task `dep`, not for `label`."),
        ({"task": "label", "map": ["x=y"]}, "The label `x` to be mapped is not in any file."),
        ({"task": "label", "slices": ["topic"]}, "There is no column `topic` to split by."),
        ({"task": "coref"}, "`gold` is list, not coreference chains."),
        ({"task": "label", "map": ["a=b", "a=c"]}, "`a` is mapped to `b` and to `c`."),
        ({"task": "pos"}, "`gold` is list, not words."),
    ],
)
def test_refusals(asked, message):
    with pytest.raises(OutscoreError) as caught:
        diff(["a", "b"], {"s": ["a", "a"]}, **asked)
    assert caught.value.message == message
    assert caught.value.hint


def test_files_are_called_by_what_tells_them_apart_even_if_that_looks_like_an_ending(tmp_path):
    names = ["gold.v2", "stanford.corrected.extra_entity", "stanford.corrected.missing_mention"]
    for name in names:
        (tmp_path / name).write_text("id,gold\nq,a\n" if name.startswith("gold") else "id,prediction\nq,a\n")
    found = diff(tmp_path / names[0], [tmp_path / name for name in names[1:]], task="label")
    assert found.systems == ["extra_entity", "missing_mention"]


def test_lists_of_any_kind():
    gold = [1, 0, 1, 1]
    arrays = (np.array([1, 0, 0, 1]), np.array([1.0, 0.0, 0.0, 1.0]), (1, 0, 0, 1), iter(["1", "0", "0", "1"]))
    assert [diff(gold, array, task="label").scores for array in arrays] == [diff(gold, [1, 0, 0, 1], task="label").scores] * 4
    several = diff(np.array(gold), np.array([[1, 0, 0, 1], [1, 0, 1, 1]]), task="label")
    assert (several.systems, several.pairs[0].outcomes.correction) == (["S1", "S2"], 1)
    missing = diff(gold, {"a": [None, float("nan"), 1, 1], "b": gold}, task="label")
    assert missing.inventory.unknown == {"a": ["(none)"]}
    with pytest.raises(OutscoreError, match="`systems` is int"):
        diff(gold, 3, task="label")


def test_names_and_misspelt_paths(tmp_path):
    (tmp_path / "gold.csv").write_text("id,gold\nq,a\n")
    for name in ("x/gold", "y/gold"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.csv").write_text("id,prediction\nq,a\n")
    systems = [tmp_path / "x" / "gold.csv", tmp_path / "y" / "gold.csv"]
    assert diff(tmp_path / "gold.csv", systems, task="label").systems == ["x/gold", "y/gold"]
    assert diff(tmp_path / "gold.csv", systems[0], task="label").systems == ["x/gold"]
    with pytest.raises(OutscoreError, match="does not exist"):
        diff(tmp_path / "gold.csv", ["absent.csv"], task="label")
    with pytest.raises(OutscoreError, match="A system is called `gold`"):
        diff(["a"], {"gold": ["a"]}, task="label")


def test_one_text_serves_as_a_list():
    found = diff(["n", "v"], {"a": ["N", "v"], "b": ["n", "v"]}, task="label", map="a:N=n", criterion="label")
    assert found.pairs[0].outcomes.changes == 0
    with pytest.raises(OutscoreError, match="no column `topic`"):
        diff(["n", "v"], {"a": ["N", "v"]}, task="label", slices="topic")


def test_few_clusters_are_said_to_decide_nothing(tmp_path):
    rows = [f"q{i},{'ab'[i % 2]},t{i % 3}\n" for i in range(30)]
    (tmp_path / "gold.csv").write_text("id,gold,topic\n" + "".join(rows))
    for name, wrong in (("old", 7), ("new", 2)):
        (tmp_path / f"{name}.csv").write_text(
            "id,prediction\n" + "".join(f"q{i},{'ab'[i % 2 ^ (i < wrong)]}\n" for i in range(30))
        )
    found = diff(tmp_path / "gold.csv", [tmp_path / "old.csv", tmp_path / "new.csv"], task="label", cluster="topic")
    assert found.pairs[0].verdict.endswith("swapped by topic. With 3 topics p cannot be below .250, whatever the difference.")


def test_clusters_without_a_gold_unit_count_where_the_test_swaps_them(tmp_path):
    """The verdict named two units and a least p of .5, and then one document and a least p of 1."""
    alone, chain, other = ["(0)", "-"], ["(1)", "(1)", "(1)", "-"], ["(1)", "(1)", "(2)", "(2)"]
    for name, second in (("gold", chain), ("good", chain), ("bad", other)):
        documents = []
        for document, cells in (("d1", alone), ("d2", second)):
            words = "".join(f"{document} 0 {i} w{i} {cell}\n" for i, cell in enumerate(cells))
            documents.append(f"#begin document ({document}); part 000\n{words}\n#end document\n")
        (tmp_path / f"{name}.conll").write_text("".join(documents))
    found = diff(tmp_path / "gold.conll", [tmp_path / "good.conll", tmp_path / "bad.conll"], task="coref")
    pair = found.pairs[0]
    assert pair.p.n > pair.clusters
    said = pair.verdict
    assert "2 units are too few for a significant difference at alpha = .05: the smallest possible p is .500" in said
    assert said.endswith("With 2 documents p cannot be below .500, whatever the difference.")


def test_files_without_nominals_are_compared_by_the_other_criterion(tmp_path):
    text = "#begin document (d); part 000\n" + "".join(f"d 0 {i} w{i} {'(0)' if i % 2 else '-'}\n" for i in range(10))
    texts = {"gold": text, "a": text.replace("w3 (0)", "w3 -"), "b": text.replace("w5 (0)", "w5 -")}
    for name, body in texts.items():
        (tmp_path / f"{name}.conll").write_text(f"{body}\n#end document\n")
    gold, *systems = (tmp_path / f"{name}.conll" for name in texts)
    found = diff(gold, systems, task="coref")
    assert [pair.criterion for pair in found.pairs] == ["conll", "arcs-any"]
    assert any("antecedent by arcs-nom" in note.text for note in found.notes)
    with pytest.raises(OutscoreError, match="No mention of gold has an antecedent by `arcs-nom`"):
        diff(gold, systems, task="coref", criterion="arcs-nom")


def test_free_answers_raise_no_alarm():
    gold = [f"answer {i}" for i in range(200)]
    found = diff(gold, {"a": [x if i % 3 else "?" for i, x in enumerate(gold)], "b": gold[::-1]}, task="label")
    assert found.inventory.warnings == [
        "a uses `?` on 67 items, but gold never does: they always count as wrong. Rename labels with --map."
    ]


def test_lists_of_other_lengths_are_refused():
    with pytest.raises(OutscoreError, match="has 3 labels, but gold has 2"):
        diff(["a", "b"], {"s": ["a", "a", "b"]}, task="label")


def test_repeated_items_are_counted_once_and_said(tmp_path):
    for name, rows in {"gold": "1,a\n2,b\n", "x": "1,a\n2,b\n2,b\n", "y": "1,b\n2,b\n"}.items():
        (tmp_path / f"{name}.csv").write_text(f"id,{'gold' if name == 'gold' else 'prediction'}\n{rows}")
    found = diff(tmp_path / "gold.csv", {"x": tmp_path / "x.csv", "y": tmp_path / "y.csv"}, task="label")
    said = [note.text for note in found.notes if "repeat" in note.text]
    assert said == ["1 row of gold and x repeat an item with the same answer; each item counts once."]


def test_mentions_are_matched_in_all_ways_that_can_be_asked_for():
    """Options are declared without numpy, so that the words stand in two places."""
    assert MATCH.choices == MATCHES

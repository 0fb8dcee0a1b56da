"""A verdict whose system is significantly worse by another score, on a dataset or on a part of the data says so beside it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.diff_files import write_trees

import outscore as osc
from outscore.cli.app import app

RNG = np.random.default_rng(7)


def said(found) -> list[str]:
    return [note.text for note in found.notes if note.kind == "contradiction"]


def table(leads: dict[str, float], n: int = 60) -> pd.DataFrame:
    """Scores of two systems; `leads` is by how much the first one is better on each dataset."""
    rng, rows = np.random.default_rng(7), []
    for dataset, lead in leads.items():
        # Rounded, so that their swaps are counted on a lattice, which takes a tenth of the time.
        b = rng.normal(10, 1, n).round(1)
        a = (b + lead + rng.normal(0, 0.5, n)).round(1)
        rows += [{"id": f"{dataset}{i}", "dataset": dataset, "A": x, "B": y} for i, (x, y) in enumerate(zip(a, b, strict=True))]
    return pd.DataFrame(rows)


LOST_ONE = {"fr-en": 1.0, "de-en": -0.6, "ru-en": 1.0}


def test_a_dataset_on_which_the_winner_is_worse_is_named():
    found = osc.compare(table(LOST_ONE))
    assert found.headline == "A outscored B"
    (text,) = said(found)
    assert text.startswith("Against this verdict, B is significantly better than A on de-en (")
    assert text.endswith("Holm over 3 datasets).")
    assert f"However, {text.removeprefix('Against this verdict, ')}" in found.sentence
    assert [bucket.value for bucket in found.buckets] == ["fr-en", "de-en", "ru-en"]
    assert [np.sign(bucket.difference) for bucket in found.buckets] == [1, -1, 1]
    for form in (found.to_text(), found.to_markdown(), found.to_html()):
        assert "Against this verdict, B is significantly better than A on de-en" in " ".join(form.split())
    assert "However, B is" in " ".join(found.to_latex().split())


@pytest.mark.slow
def test_datasets_that_agree_are_no_contradiction():
    for leads in ({"fr-en": 1.0, "de-en": 0.4}, {"fr-en": 1.0, "de-en": -0.02}):
        found = osc.compare(table(leads))
        assert not said(found)
        assert "However" not in found.sentence


def test_without_a_winner_datasets_that_point_both_ways_are_named():
    found = osc.compare(table({"fr-en": 0.6, "de-en": -0.6}))
    assert found.decision.winner is None
    (text,) = said(found)
    assert text.startswith("Yet A is significantly better than B on fr-en (")
    assert "and B is significantly better than A on de-en (" in text


@pytest.mark.slow
def test_pooling_that_points_the_other_way_is_told():
    """A is far better on a small dataset and a little worse on a large one: the macro average and the pooled mean disagree."""
    small, large = table({"small": 3.0}, 20), table({"large": -0.5}, 400)
    found = osc.compare(pd.concat([small, large]))
    assert found.headline == "A outscored B"
    pooled = [note.text for note in found.notes if note.text.startswith("Pooled over all 420 items")]
    assert "the sign is the opposite, and significant" in pooled[0]
    agreeing = osc.compare(table({"fr-en": 1.0, "de-en": 0.4}))
    assert "the sign is the opposite" not in " ".join(note.text for note in agreeing.notes)


def test_a_slice_on_which_the_winner_is_worse_is_named(tmp_path):
    data = table(LOST_ONE).rename(columns={"dataset": "pair"})
    found = osc.compare(data, slices="pair")
    (text,) = said(found.comparisons[0])
    assert text.startswith("Against this verdict, B is significantly better than A on pair = de-en (")
    assert text.endswith("Holm over 3 slices).")
    data.to_csv(tmp_path / "scores.csv", index=False)
    printed = CliRunner().invoke(app, ["compare", str(tmp_path / "scores.csv"), "--slice", "pair", "-v"]).output
    assert printed.index("Against this verdict") < printed.index("\ndata")


@pytest.mark.slow
def test_measures_with_datasets_name_the_measure(tmp_path):
    data = table(LOST_ONE)
    long = data.melt(["id", "dataset"], ["A", "B"], "system", "quality")
    long["speed"] = long["quality"] + RNG.normal(0, 0.1, len(long))
    found = osc.compare(long, measure=["quality", "speed"], direction="higher")
    assert len(said(found.comparisons[0])) == len(said(found.comparisons[1])) == 1
    text = " ".join(found.to_text().split())
    assert "Against this verdict, in quality B is significantly better than A on de-en" in text
    assert "however, in quality B is significantly better than A on de-en" in text
    assert "Against this verdict, in quality B is" in " ".join(found.to_html().split())
    assert osc.load(found.save(tmp_path / "found.json")).to_text() == found.to_text()


@pytest.mark.slow
def test_datasets_that_contradict_are_named_once_beside_slices():
    data = table(LOST_ONE).assign(half=lambda rows: rows["id"].astype(str).str[-1].isin(list("02468")).map(str))
    whole = osc.compare(data, slices="half").comparisons[0]
    assert whole.sentence.count("better than A on de-en") == 1
    assert sum("better than A on de-en" in text for text in said(whole)) == 1


@pytest.fixture
def translations(tmp_path):
    """Texts of two test sets: `a` has more right words in the first one, `b` in the second."""
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(50)]
    for name, (good_a, good_b) in {"de": (0.6, 0.8), "fr": (0.95, 0.5)}.items():
        references = [[words[k] for k in rng.integers(0, 50, 12)] for _ in range(80)]
        for system, good in (("a", good_a), ("b", good_b)):
            lines = [" ".join(w if rng.random() < good else "x" for w in line) for line in references]
            (tmp_path / f"{system}.{name}.txt").write_text("\n".join(lines) + "\n")
        (tmp_path / f"ref.{name}.txt").write_text("\n".join(" ".join(line) for line in references) + "\n")
    return tmp_path


def test_test_sets_of_texts(translations):
    files = [str(translations / f"{name}.{{dataset}}.txt") for name in ("a", "b", "ref")]
    asked = ["compare", *files[:2], "--reference", files[2]]
    one = CliRunner().invoke(app, [*asked, "--metric", "chrf"])
    text = " ".join(one.output.split())
    assert "Against this verdict, b is significantly better than a on de (" in text
    result = CliRunner().invoke(app, [*asked, "--metric", "chrf,bleu", "--format", "json"])
    found = json.loads(result.output)
    kinds = [[note["kind"] for note in c["notes"]].count("contradiction") for c in found["comparisons"]]
    assert kinds == [1, 1]


def test_a_ranking_names_where_its_leader_is_beaten():
    data = table(LOST_ONE)
    data["C"] = data["B"] - 1
    found = osc.rank(data.melt(["id", "dataset"], ["A", "B", "C"], "system", "score"))
    assert found.headline.startswith("A leads")
    (text,) = said(found)
    assert text.startswith("Against this verdict, B is significantly better than A on de-en (")
    assert text.endswith("Holm over 9 tests).")
    assert "However, B is significantly better than A on de-en" in found.sentence
    for form in (found.to_text(), found.to_markdown(), found.to_html()):
        assert "Against this verdict, B is" in " ".join(form.split())
    agreeing = osc.rank(table({"fr-en": 1.0, "de-en": 0.5}).melt(["id", "dataset"], ["A", "B"], "system", "score"))
    assert not said(agreeing)


def test_a_baseline_names_where_a_better_system_is_beaten():
    data = table(LOST_ONE)
    data["C"] = data["B"] - 1
    long = data.melt(["id", "dataset"], ["A", "B", "C"], "system", "score")
    (text,) = said(osc.rank(long, baseline="B"))
    assert text.startswith("Against this verdict, B is significantly better than A on de-en (")


def test_a_ranking_by_several_metrics_names_the_one_that_contradicts(tmp_path):
    """One system has longer outputs: more words found, and more edits."""
    rng = np.random.default_rng(5)
    words = [f"w{i}" for i in range(50)]
    references = [[words[k] for k in rng.integers(0, 50, 10)] for _ in range(80)]
    right = [" ".join(w if rng.random() < 0.8 else "x" for w in line) for line in references]
    long = [" ".join(line) + " y" * 9 for line in references]
    for name, lines in (("right", right), ("long", long), ("ref", [" ".join(line) for line in references])):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    files = [tmp_path / f"{name}.txt" for name in ("right", "long")]
    found = osc.rank(files, reference=tmp_path / "ref.txt", metric="chrf,ter")
    (text,) = said(found)
    assert text.startswith("Against this verdict, right is significantly better than long by TER")


def battles(won: dict[str, tuple[int, int]]) -> pd.DataFrame:
    """Battles of A and B, one for each prompt; by category, how many A won and how many B."""
    winners = [(category, side) for category, (a, b) in won.items() for side in ["A"] * a + ["B"] * b]
    return pd.DataFrame(
        [
            {"prompt": f"p{i}", "model_a": "A", "model_b": "B", "winner": "model_a" if w == "A" else "model_b", "category": c}
            for i, (c, w) in enumerate(winners)
        ]
    )


def test_a_category_of_battles():
    found = osc.prefer(battles({"code": (80, 10), "poems": (5, 30)}), category="category", order="unrecorded")
    assert found.systems[0] == "A"
    (text,) = said(found)
    assert text.startswith("Against this verdict, B is significantly better than A on poems (A won 5 of 35, adjusted p = ")
    assert text.endswith("Holm over 2 tests).")
    assert "However, B is" in found.sentence
    assert "Against this verdict" in found.to_text()
    assert not said(osc.prefer(battles({"code": (80, 10), "poems": (18, 17)}), category="category", order="unrecorded"))


def write_sentences(folder: Path) -> list[Path]:
    """Gold, `few` and `many`: `few` has all its errors in a third of the sentences, `many` has one in each."""
    gold, many, few = [], [], []
    for s in range(90):
        for i in range(10):
            line = f"{i + 1}\tw{s}.{i}\t_\tNOUN\tNN\t_\t{i}\tobj\t_\t_"
            wrong = line.replace("NOUN", "VERB").replace("NN", "VB")
            gold.append(line)
            many.append(wrong if i == s % 10 else line)
            few.append(wrong if s % 3 == 0 and i > 3 else line)
        for lines in (gold, many, few):
            lines.append("")
    files = []
    for name, lines in (("gold", gold), ("few", few), ("many", many)):
        files.append(folder / f"{name}.conllu")
        files[-1].write_text("\n".join(lines) + "\n")
    return files


def test_whole_sentences_that_point_the_other_way(tmp_path):
    """`many` has more right words; `few` has more sentences that are right as a whole."""
    files = write_sentences(tmp_path)
    found = osc.diff(files[0], files[1:], task="pos")
    pair = found.pairs[0]
    assert pair.headline == "many outscored few"
    (text,) = said(pair)
    assert text.startswith(
        "Against this verdict, few is significantly better than many by whole sentences (0.6667 against 0.0000"
    )
    assert text.endswith("Holm over 3 scores).")
    assert f"However, {text.removeprefix('Against this verdict, ')}" in pair.sentence
    for form in (found.to_text(), found.to_markdown()):
        assert "Against this verdict, few is" in " ".join(form.split())
    page = found.to_html()
    assert page.index("Against this verdict, few is") < page.index("Overview")
    assert osc.load(found.save(tmp_path / "found.json")) == found


def test_criteria_that_agree_are_no_contradiction(tmp_path):
    files = write_trees(tmp_path)
    found = osc.diff(files["gold"], [files["old"], files["best"]], task="dep")
    assert found.pairs[0].is_significant(0.05)
    assert not any(said(pair) for pair in found.pairs)


def test_of_many_pairs_those_with_a_contradiction_are_counted(tmp_path):
    labels = ["a"] * 300 + ["b"] * 40
    # Whoever answers `a` to everything has more right answers and knows one class only.
    rng = np.random.default_rng(1)
    always = ["a"] * 340
    careful = [label if rng.random() < 0.75 else "b" for label in labels[:300]] + ["b"] * 40
    systems = {"always": always, "careful": careful, "again": list(careful), "more": list(careful)}
    found = osc.diff(labels, systems, task="label")
    pair = found.pairs[0]
    assert pair.headline == "always outscored careful"
    (text,) = said(pair)
    assert "careful is significantly better than always by macro F1" in text
    assert "In 3 of 6 pairs, another score significantly contradicts the verdict: always → careful" in " ".join(
        found.to_text().split()
    )


def test_coreference_scores_that_contradict_each_other(tmp_path):
    """One chain for everything finds every link, and nothing else is right about it."""
    rng = np.random.default_rng(0)
    gold = [rng.integers(0, 5, 20).tolist() for _ in range(12)]
    texts = {
        "gold": gold,
        "merged": [[0] * 20 for _ in gold],
        "careful": [[chain if rng.random() < 0.75 else None for chain in document] for document in gold],
    }
    files = []
    for name, documents in texts.items():
        lines = []
        for k, chains in enumerate(documents):
            words = [f"d{k} 0 {i} w{i} NN - - - - - - {'-' if c is None else f'({c})'}" for i, c in enumerate(chains)]
            lines += [f"#begin document (d{k}); part 000", *words, "", "#end document"]
        files.append(tmp_path / f"{name}.conll")
        files[-1].write_text("\n".join(lines) + "\n")
    found = osc.diff(files[0], files[1:], task="coref")
    by_criterion = {pair.criterion: pair for pair in found.pairs}
    assert by_criterion["conll"].headline == "careful outscored merged"
    (text,) = said(by_criterion["conll"])
    assert text.startswith("Against this verdict, merged is significantly better than careful by ARCS-any F1 (")
    # MUC is ARCS any under another name, and is counted once.
    assert text.endswith("Holm over 6 scores).")
    # Without ARCS any, MUC counts.
    (alone,) = osc.diff(files[0], files[1:], task="coref", criterion="conll").pairs
    (text,) = said(alone)
    assert text.startswith("Against this verdict, merged is significantly better than careful by MUC F1 (")
    (text,) = said(by_criterion["arcs-any"])
    assert "careful is significantly better than merged by CoNLL F1 (" in text


def test_scores_that_happen_to_be_equal_all_count(tmp_path):
    """Both kinds of tags have the same numbers here, and are four scores for all that."""
    files = write_sentences(tmp_path)
    found = osc.diff(files[0], files[1:], task="pos", criterion=["upos", "xpos"])
    assert ["Holm over 4 scores" in text for pair in found.pairs for text in said(pair)] == [True, True]
    assert all("by whole sentences by UPOS accuracy" in text for pair in found.pairs for text in said(pair))
    assert all("by whole sentences by XPOS accuracy" in text for pair in found.pairs for text in said(pair))


def test_a_ranking_of_outputs_names_whole_sentences_that_point_the_other_way(tmp_path):
    files = write_sentences(tmp_path)
    found = osc.rank(files[1:], gold=files[0], task="pos")
    assert found.headline.startswith("many leads")
    (text,) = said(found)
    assert text.startswith("Against this verdict, few is significantly better than many by whole sentences (adjusted p = ")
    assert text.endswith("Holm over 2 tests).")
    assert f"However, {text.removeprefix('Against this verdict, ')}" in found.sentence
    # Other scores are no part of the family that decides.
    assert found.family.m == 1
    assert not found.metrics
    for form in (found.to_text(), found.to_markdown(), found.to_html()):
        assert "Against this verdict, few is" in " ".join(form.split())


def write_heads(folder: Path) -> list[Path]:
    """Gold, `heads` with every head right and many wrong relations, and `both`, whose wrong words have neither right."""
    gold, heads, both = [], [], []
    for s in range(60):
        for i in range(10):
            line = f"{i + 1}\tw{s}.{i}\t_\tNOUN\tNN\t_\t{i}\tobj\t_\t_"
            gold.append(line)
            heads.append(line.replace("obj", "iobj") if i % 2 else line)
            both.append(line.replace(f"\t{i}\tobj", f"\t{(i + 2) % 10 + 1}\tiobj") if i in (3, 6, 9) else line)
        for lines in (gold, heads, both):
            lines.append("")
    files = []
    for name, lines in (("gold", gold), ("heads", heads), ("both", both)):
        files.append(folder / f"{name}.conllu")
        files[-1].write_text("\n".join(lines) + "\n")
    return files


def test_a_ranking_of_trees_names_the_criterion_that_a_diff_names(tmp_path):
    files = write_heads(tmp_path)
    pair = osc.diff(files[0], files[1:], task="dep").pairs[0]
    assert pair.headline == "both outscored heads"
    assert "heads is significantly better than both by UAS" in said(pair)[0]
    found = osc.rank(files[1:], gold=files[0], task="dep")
    assert found.headline.startswith("both leads")
    (text,) = said(found)
    assert text.startswith("Against this verdict, heads is significantly better than both by UAS (adjusted p = ")
    (text,) = said(osc.rank(files[1:], gold=files[0], task="dep", baseline="heads", correction="none"))
    assert "heads is significantly better than both by UAS" in text
    assert "; no correction for 5 tests)" in text


def test_a_ranking_of_labels_names_scores_of_classes():
    labels = ["a"] * 300 + ["b"] * 40
    rng = np.random.default_rng(1)
    careful = [label if rng.random() < 0.75 else "b" for label in labels[:300]] + ["b"] * 40
    systems = {"always": ["a"] * 340, "careful": careful}
    (text,) = said(osc.rank(systems, gold=labels, task="label"))
    assert text.startswith("Against this verdict, careful is significantly better than always by macro F1 (")
    (text,) = said(osc.rank(systems, gold=labels, task="label", metric="macro-f1"))
    assert text.startswith("Against this verdict, always is significantly better than careful by accuracy (")
    # Whatever test decides, other scores are permuted, as in a diff.
    (text,) = said(osc.rank(systems, gold=labels, task="label", test="mcnemar", correction="shaffer"))
    assert "by macro F1 (adjusted p = .00118; Holm over 3 tests)" in text


def test_a_ranking_of_entities_has_no_other_score(tmp_path):
    for name, tag in (("gold", "B-PER"), ("a", "B-PER"), ("b", "O")):
        (tmp_path / f"{name}.txt").write_text(f"word {tag}\n\n" * 12)
    assert not said(osc.rank([tmp_path / "a.txt", tmp_path / "b.txt"], gold=tmp_path / "gold.txt", task="ner"))


def write_two_kinds_of_tags(folder: Path) -> list[Path]:
    """Gold and two systems: `coarse` has more UPOS right, and `fine` has more XPOS right; `none` has no XPOS."""
    gold, coarse, fine, none = [], [], [], []
    for s in range(60):
        for i in range(10):
            line = f"{i + 1}\tw{s}.{i}\t_\tNOUN\tNN\t_\t{i}\tobj\t_\t_"
            gold.append(line)
            coarse.append(line.replace("\tNN\t", "\tNNS\t") if i < 4 else line)
            fine.append(line.replace("NOUN", "PROPN") if i == s % 3 else line)
            none.append(line.replace("\tNN\t", "\t_\t"))
        for lines in (gold, coarse, fine, none):
            lines.append("")
    files = []
    for name, lines in (("gold", gold), ("coarse", coarse), ("fine", fine), ("none", none)):
        files.append(folder / f"{name}.conllu")
        files[-1].write_text("\n".join(lines) + "\n")
    return files


def test_the_other_kind_of_tags_is_looked_at(tmp_path):
    gold, coarse, fine, none = write_two_kinds_of_tags(tmp_path)
    found = osc.diff(gold, [fine, coarse], task="pos")
    (pair,) = found.pairs
    assert pair.headline == "coarse outscored fine"
    (text,) = said(pair)
    assert text.startswith(
        "Against this verdict, fine is significantly better than coarse by XPOS accuracy (1.000 against 0.600, adjusted p = "
    )
    assert text.endswith("Holm over 3 scores).")
    # The other way round, too.
    (asked,) = osc.diff(gold, [fine, coarse], task="pos", criterion="xpos").pairs
    assert asked.headline == "fine outscored coarse"
    assert "coarse is significantly better than fine by UPOS accuracy (" in said(asked)[0]
    xpos = next(score for score in pair.metrics if score.metric == "xpos")
    assert (xpos.first, xpos.second, xpos.p.value) == (asked.first, asked.second, asked.p.value)
    (text,) = said(osc.rank([fine, coarse], gold=gold, task="pos"))
    assert "fine is significantly better than coarse by XPOS accuracy (" in text
    # Those who have no such tags are left out of this look, and that is said.
    found = osc.diff(gold, [fine, none, coarse], task="pos")
    assert [[score.metric for score in pair.metrics] for pair in found.pairs] == [
        ["sentences"],
        ["sentences", "xpos"],
        ["sentences"],
    ]
    assert "none has no XPOS tags, which are only compared between the other systems." in [note.text for note in found.notes]
    assert "by XPOS accuracy" in said(found.pairs[1])[0]
    (text,) = said(osc.rank([fine, none, coarse], gold=gold, task="pos", baseline="coarse"))
    assert "fine is significantly better than coarse by XPOS accuracy (" in text
    # Nobody has them, or gold has not: there is nothing to look at and nothing to say.
    for right, systems in ((gold, [none]), (none, [fine, coarse])):
        found = osc.diff(right, systems, task="pos")
        assert not any("XPOS" in note.text for note in found.notes)


def test_of_many_systems_every_pair_is_looked_at(tmp_path):
    """With seven systems most pairs are not compared label by label; their whole sentences still are."""
    gold, few, many = write_sentences(tmp_path)
    found = osc.diff(gold, {**{f"few{k}": few for k in range(4)}, **{f"many{k}": many for k in range(4)}}, task="pos")
    undetailed = [pair for pair in found.pairs if not pair.transitions and pair.is_significant(0.05)]
    assert len(undetailed) > 5
    assert all("by whole sentences" in said(pair)[0] for pair in undetailed)
    assert any(note.text.startswith("Labels, transitions and slices are compared") for note in found.notes)


def test_of_many_systems_scores_of_classes_are_said_to_be_left_out():
    labels = ["a", "b"] * 30
    found = osc.diff(labels, {f"s{k}": ["a"] * 2 * k + labels[2 * k :] for k in range(1, 8)}, task="label")
    assert [bool(pair.metrics) for pair in found.pairs] == [bool(pair.transitions) for pair in found.pairs]
    assert any(note.text.startswith("Labels, transitions, slices and other scores are compared") for note in found.notes)

"""Every example runs through its command and shows what it says it shows; the same bytes come out everywhere."""

from __future__ import annotations

import csv
import hashlib
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app
from outscore.examples.outputs import RESOLVERS, make_document, perturb, to_conll
from outscore.examples.registry import EXAMPLES
from outscore.examples.texts import LEAVES, make_sentence

LARGEST = 200_000
seeds = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The saved result of an example's command, run once."""
    folder, found = tmp_path_factory.mktemp("examples"), {}

    def result(name: str) -> dict:
        if name not in found:
            here = folder / name
            here.mkdir()
            for file, text in EXAMPLES[name].files(0).items():
                (here / file).write_text(text, encoding="utf-8")
            # Other processes would cost more than such small texts do.
            alone = ["--jobs", "1"] if EXAMPLES[name].view == "texts" else []
            words = [*EXAMPLES[name].command(str(here)), *alone, "-o", str(here / "result.json")]
            done = CliRunner().invoke(app, words, prog_name="outscore")
            assert done.exit_code == 0, done.output
            found[name] = json.loads((here / "result.json").read_text(encoding="utf-8"))
        return found[name]

    return result


def compared(result: dict) -> dict:
    return {c["metric"]: c for c in result["comparisons"]}


def gains(pair: dict, part: str = "labels") -> dict[str, float]:
    """Rows of a table that differ significantly after correction, with their differences; second minus first."""
    return {
        row["value"]: row["difference"]
        for row in pair[part]
        if row["p"] is not None and row["p"]["adjusted"] is not None and row["p"]["adjusted"] <= 0.05
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_entries_are_complete(name):
    example = EXAMPLES[name]
    files = example.files(0)
    assert sorted(files) == sorted(file for part in example.parts.values() for file in part)
    assert sum(len(text.encode()) for text in files.values()) < LARGEST
    assert example.title[0].isupper()
    assert not example.title.endswith(".")
    assert example.about.endswith((".", "?"))
    assert example.parameters.endswith(".")
    assert json.loads(json.dumps(dict(example.settings))) == dict(example.settings)


def test_same_bytes_everywhere(golden):
    digests = [
        f"{hashlib.sha256(text.encode()).hexdigest()}  {name}/{file}\n"
        for name, example in EXAMPLES.items()
        for file, text in example.files(0).items()
    ]
    golden("examples.sha256", "".join(digests))


def test_repeats_have_an_answer_for_every_population(results):
    (found,) = results("repeats")["comparisons"]
    others = {one["population"]: one["p"]["value"] for one in found["other_populations"]}
    assert (found["population"], set(others)) == ("items-and-runs", {"items", "these-items"})
    # Equal by design: only who forgets that seeds were drawn too finds a winner.
    assert others["items"] < 0.05 < min(found["p"]["value"], others["these-items"])


@pytest.mark.parametrize("name", a_few([name for name in EXAMPLES if EXAMPLES[name].parts], 7))
def test_seeds_matter(name):
    first, again, other = (EXAMPLES[name].files(seed) for seed in (1, 1, 2))
    assert first == again != other
    assert list(first) == list(other)


@given(seeds)
def test_sentences_are_trees(seed):
    words = make_sentence(np.random.default_rng(seed))
    assert [word.relation for word in words].count("root") == 1
    for i, word in enumerate(words):
        assert words[word.head - 1].relation not in LEAVES or word.head == 0
        path, at = set(), i + 1
        while at:
            assert at not in path
            path.add(at)
            at = words[at - 1].head


@settings(max_examples=5)
@given(seeds)
def test_systems_answer_the_same_words(seed):
    """Whatever the seed, systems give the words of gold, and their trees stay trees."""
    for name, columns in (("tags", 2), ("entities", 1)):
        gold, *systems = EXAMPLES[name].files(seed).values()
        for system in systems:
            rows = zip(gold.splitlines(), system.splitlines(), strict=True)
            assert all(a.split()[:columns] == b.split()[:columns] for a, b in rows if a and not a.startswith("#"))
    for text in EXAMPLES["trees"].files(seed).values():
        for sentence in text.split("\n\n")[:-1]:
            heads = [int(row.split("\t")[6]) for row in sentence.splitlines() if not row.startswith("#")]
            assert heads.count(0) == 1
            for word in range(len(heads)):
                at, steps = word + 1, 0
                while at:
                    at, steps = heads[at - 1], steps + 1
                    assert steps <= len(heads)


@settings(max_examples=20)
@given(seeds)
def test_responses_change_nothing_but_chains(seed):
    rng = np.random.default_rng(seed)
    document = make_document(rng, "d", 12)
    dice = rng.random((len(document.candidates), 5))
    for rates in RESOLVERS.values():
        written = to_conll(document, perturb(rng, document, rates, dice))
        words = [row.split("\t")[3] for row in written.splitlines() if row and not row.startswith("#")]
        assert words == document.words
        assert written.count("(") == written.count(")")


def test_scores_a_lead_that_may_be_luck(results):
    (c,) = results("scores")["comparisons"]
    assert c["decision"] == {"winner": None, "claim": "undecided"}
    assert c["difference"] > 0.05


def test_clusters_rows_name_a_winner_and_conversations_do_not(results):
    (c,) = results("clusters")["comparisons"]
    by_view = {step["view"]: step["p"] for step in c["design"]["path"]}
    assert by_view["rows"] < 0.02
    assert by_view["clusters"] > 0.2
    assert c["decision"]["winner"] is None


@pytest.mark.slow
def test_clusters_fool_a_test_of_turns_in_one_of_three_data_sets():
    p = []
    for seed in range(300):
        rows = list(csv.DictReader(io.StringIO(EXAMPLES["clusters"].files(seed)["turns.csv"])))
        a, b = ([int(row[name]) for row in rows] for name in ("model-A", "model-B"))
        clusters = [row["conversation"] for row in rows]
        p.append([float(osc.permutation_test(a, b)), float(osc.permutation_test(a, b, clusters=clusters))])
    turns, conversations = (np.array(p) <= 0.05).mean(axis=0)
    # Three standard errors of 300 replicates around a third and around .05.
    assert abs(turns - 1 / 3) < 0.082
    assert abs(conversations - 0.05) < 0.038


def test_tagging_a_small_difference_that_is_real(results):
    (c,) = results("tagging")["comparisons"]
    assert c["decision"]["winner"] == 0
    assert 0.005 < c["difference"] < 0.015
    assert c["p"]["method"] == "exact"


def test_counts_are_f1_and_exact(results):
    (c,) = results("counts")["comparisons"]
    assert (c["metric"], c["p"]["method"], c["decision"]["winner"]) == ("f1", "exact", 0)


def test_texts_metrics_disagree(results):
    found = {metric: c["decision"]["winner"] for metric, c in compared(results("texts")).items()}
    assert found == {"BLEU": 0, "chrF": 1, "TER": 0}


def test_tags_verbs_gain_and_names_lose(results):
    pair = results("tags")["pairs"][0]
    assert pair["p"]["value"] < 0.05
    assert pair["outcomes"]["correction"] > pair["outcomes"]["new_error"]
    found = gains(pair)
    assert found["VERB"] > 0 > found["PROPN"]


def test_trees_equal_scores_different_parsers(results):
    pair = results("trees")["pairs"][0]
    assert pair["p"]["value"] > 0.05
    found = gains(pair)
    assert min(found["nmod"], found["obl"]) > 0 > max(found["nsubj"], found["obj"])


def test_entities_places_gain_and_organisations_lose(results):
    pair = results("entities")["pairs"][0]
    found = gains(pair)
    assert found["LOC"] > 0 > found["ORG"]
    assert pair["p"]["value"] < 0.05
    assert pair["difference"] < 0


def test_coreference_recall_bought_with_precision(results):
    pair = results("coreference")["pairs"][0]
    assert pair["p"]["value"] > 0.05
    found = gains(pair)
    assert found["tp"] > 0 > found["tn"]


def test_labels_gain_from_one_topic(results):
    result = results("labels")
    pair = result["pairs"][0]
    assert pair["p"]["value"] < 0.05
    found = gains(pair, "slices")
    assert list(found) == ["returns"]
    assert found["returns"] > 0


def test_leaderboard_groups_ties_and_gaps(results):
    ranking = results("leaderboard")
    scores = {score["system"]: score for score in ranking["scores"]}
    assert len(scores) == 12
    assert scores["birch"]["n"] < scores["atlas"]["n"] == 400
    assert 1 < len(ranking["groups"]) < 12
    (tie,) = (pair for pair in ranking["pairs"] if set(pair["systems"]) == {"grove", "grove-2"})
    assert (tie["difference"], tie["p"]["value"]) == (0.0, 1.0)
    leaders = {board["name"]: board["systems"][0] for board in ranking["datasets"]}
    assert leaders["maths"] == "fjord"
    assert "fjord" not in (leaders["law"], leaders["news"])


def test_plan_asks_for_more_items(results):
    plan = results("plan")
    assert plan["items"] > 2 * plan["settings"]["inputs"][0]["rows"]


def test_reviewer_leaves_both_verdicts_open(results):
    possible = results("reviewer")
    assert possible["lowest"]["value"] < 0.05 < possible["highest"]["value"]


def test_as_good_for_less(results):
    """Birch dominates amber within the margin, and nobody is shown to dominate dune, the cheapest."""
    frontier = {one["system"]: one for one in results("budget")["frontier"]["systems"]}
    assert frontier["amber"]["dominated_by"] == ["birch"]
    assert not frontier["dune"]["dominated_by"]
    assert not frontier["birch"]["dominated_by"]


def test_items_with_a_wrong_key(results):
    items = results("items")["items"]
    assert items["all_right"] >= 20
    assert items["suspicious"] >= 4


def test_the_surer_classifier_is_worse(results):
    (found,) = results("probabilities")["comparisons"]
    assert found["decision"]["winner"] == 0
    assert found["higher_is_better"] is False


def test_metrics_beside_people(results):
    ranking = results("people")
    assert ranking["systems"][0] == "comet"
    assert ranking["headline"].startswith("comet leads")

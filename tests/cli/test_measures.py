"""Columns named like measures are not ranked as systems: the refusal proposes whole commands, and they run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError

GATE = "gate --margin 0.1"
LAYOUTS = {
    "rag": "faithfulness,answer_relevancy,context_relevancy",
    "mixed": "faithfulness,answer_relevancy,house style",
    "effort": "faithfulness,coherence,latency,cost",
    "usual": "accuracy,f1,bleu",
    "ranks": "nDCG@10,P@5,recip_rank",
    "trec": "ndcg_cut_10,recip_rank",
    "parts": "BERTScore_F1,BERTScore_P",
    "orders": "bleu4,cider",
    "captions": "meteor,spice",
    "years": "comet22,comet20",
    "learnt": "comet,metricx",
    "harness": "acc,acc_norm",
    "code": "pass@1,pass@5",
    "retrieval": "precision,recall,f1",
    "cuts": "P_5,recall_100",
    "ranks of one measure": "recall_10,recall_100",
    "words": "rouge1,rouge2",
    "orders of one measure": "Bleu_1,Bleu_2,Bleu_3,Bleu_4",
    "out of order": "comet_2,comet_1",
    "effort beside": "f1,precision,time,cost",
}


def table(names, seed, models=()):
    rng = np.random.default_rng(seed)
    header = ["id", *(["model"] if models else []), *names]
    rows = [
        [f"q{i}", *([model] if models else []), *(f"{x:.3f}" for x in rng.random(len(names)))]
        for model in models or [""]
        for i in range(12)
    ]
    return "\n".join(",".join(row) for row in [header, *rows]) + "\n"


@pytest.fixture
def runs(outscore):
    """The commands that a refusal proposes, each of which must run."""

    def check(refusal: str) -> list[str]:
        commands = re.findall(r"`(outscore [^`]* --[^`]*)`", refusal)
        for command in commands:
            assert outscore(*shlex.split(command)[1:]).exit_code in (0, 1, 3), command
        return commands

    return check


ASKED = ("compare a.csv b.csv", "compare a.csv", "rank a.csv", "rank a.csv b.csv", "score a.csv")


def asked_of_layouts() -> list:
    """Every question of every layout; `make test` asks each layout one of them, and each of them of four layouts."""
    return [
        pytest.param(layout, asked, marks=() if place % len(ASKED) == k else pytest.mark.slow, id=f"{asked}-{layout}")
        for place, layout in enumerate(LAYOUTS)
        for k, asked in enumerate(ASKED)
    ]


@pytest.mark.parametrize(("layout", "asked"), asked_of_layouts())
def test_measures_of_one_system_per_file(layout, asked, refusal, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = LAYOUTS[layout].split(",")
    for seed, name in enumerate(("a.csv", "b.csv")):
        Path(name).write_text(table(names, seed))
    said = refusal(*shlex.split(asked))
    commands = runs(said)
    assert commands
    measures = "--measure" if asked.endswith("b.csv") else "--score"
    assert any(measures in command for command in commands)
    if asked.endswith("b.csv") and layout != "effort beside":
        assert shlex.split(commands[0]).count("--measure") == len(names)


@pytest.mark.parametrize("names", ["accuracy,time,cost", "correct,latency_ms,tokens", "score,f1,bleu", "correct,errors"])
def test_one_measure_beside_costs_times_and_counts_is_the_score(names, outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("a.csv", "b.csv")):
        Path(name).write_text(table(names.split(","), seed))
    assert f"scores: `{names.partition(',')[0]}`" in outscore("compare", "a.csv", "b.csv").stdout


@pytest.mark.parametrize(
    "names",
    [
        *("wer_1,wer_2", "acc_a,acc_b", "score_1,score_2", "gpt-4,gpt-3.5", "p1,p2", "r,p", "recall_new,recall_old"),
        *("bleu1,bleu2", "comet_1,comet_2", "map1,map2", "success_1,success_2", "hits1,hits2", "recall_1,recall_2,recall_3"),
    ],
)
def test_columns_of_numbered_or_named_systems_are_no_measures(names, outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(table(names.split(","), 1))
    assert outscore("rank", "t.csv").exit_code == 0


@pytest.mark.parametrize("asked", ["compare", "rank", "score"])
def test_systems_that_are_called_like_measures_are_proposed_too(asked, refusal, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(table(["comet22", "comet20"], 1))
    commands = runs(refusal(asked, "t.csv"))
    assert f"outscore {asked} --system comet22 --system comet20 t.csv" in commands


@pytest.mark.parametrize("asked", ["compare", "rank", "score", GATE])
def test_measures_of_systems_in_rows(asked, refusal, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(table(["style", "depth"], 1, ["new", "old"]))
    said = refusal(*shlex.split(asked), "t.csv")
    assert "`style` and `depth` could each be the score column" in said
    commands = runs(said)
    assert ("--measure style --measure depth" in commands[0]) == (asked == "compare")


@pytest.mark.parametrize("asked", ["compare", GATE, "compare --missing drop"])
def test_the_same_columns_in_two_files_are_measures(asked, refusal, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("a.csv", "b.csv")):
        Path(name).write_text(table(["style", "depth"], seed))
    said = refusal(*shlex.split(asked), "a.csv", "b.csv")
    assert "`a.csv` and `b.csv` both have `style` and `depth`, so these are measures" in said
    commands = runs(said)
    assert ("--measure" in commands[0]) == (asked != GATE)
    assert all(shlex.split(asked)[-1] in command for command in commands)


def test_only_measures_of_both_files_are_proposed(refusal, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(table(["faithfulness", "coherence", "fluency"], 1))
    Path("b.csv").write_text(table(["coherence", "fluency", "relevance"], 2))
    commands = runs(refusal("compare", "a.csv", "b.csv"))
    assert commands[0] == "outscore compare --measure coherence --measure fluency a.csv b.csv"


def test_systems_that_are_called_like_measures_can_be_named(outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(table(["quality", "bias"], 1))
    assert outscore("compare", "t.csv", "--system", "quality", "--system", "bias").exit_code == 0


@pytest.mark.parametrize("names", [["quality", "gpt"], ["new", "old"], ["bleurt", "base"]])
def test_one_such_name_is_no_doubt(names, outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(table(names, 1))
    assert outscore("rank", "t.csv").exit_code == 0


def test_a_cost_is_better_if_lower(outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("a.csv", "b.csv")):
        Path(name).write_text(table(["cost"], seed))
    assert "lower is better" in " ".join(outscore("compare", "a.csv", "b.csv").stdout.split())


@pytest.mark.parametrize("door", [osc.compare, osc.rank, osc.score])
def test_data_frames(door):
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(1)
    frame = polars.DataFrame({"id": range(8), "faithfulness": rng.random(8), "coherence": rng.random(8)})
    with pytest.raises(OutscoreError, match="`faithfulness` and `coherence` are measures") as caught:
        door(frame)
    assert "score='faithfulness'" in caught.value.hint
    if door is osc.compare:
        other = frame.with_columns(coherence=1 - polars.col("coherence"))
        with pytest.raises(OutscoreError, match=r"measure=\['faithfulness', 'coherence'\]"):
            door(frame, other)
        assert len(door(frame, other, measure=["faithfulness", "coherence"]).comparisons) == 2

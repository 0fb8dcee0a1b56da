"""`outscore score` on the command line: what it prints, what it refuses, and that a saved result repeats itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import outscore as osc

HEAD = "id,topic,seed,correct\n"
ROWS = "".join(f"q{i},{'xy'[i % 2]},{run},{(i * 7 + run * 3) % 5 > 1:d}\n" for i in range(30) for run in range(3))


@pytest.fixture
def seeds(pair_files):
    Path("seeds.csv").write_text(HEAD + ROWS)
    return pair_files


def test_one_system(seeds, outscore):
    done = outscore("score", "-v", "seeds.csv", "--slice", "topic", "--names", "model")
    assert done.exit_code == 0
    for words in (
        "model scores 0.6",
        "By topic",
        "noise floor",
        "about new items and new runs",
        "for a paper",
        "detects a difference",
    ):
        assert words in done.stdout, words
    assert "compare them" not in done.stdout


def test_several_systems_point_to_rank(seeds, outscore):
    done = outscore("score", "table.csv")
    assert "compare them with `outscore rank table.csv`" in " ".join(done.stdout.split())
    assert outscore("rank", "table.csv").exit_code == 0


@pytest.mark.parametrize("form", ["json", "markdown", "latex"])
def test_forms(seeds, outscore, form):
    done = outscore("score", "seeds.csv", "--format", form)
    assert done.exit_code == 0
    assert "seeds" in done.stdout


def test_json_has_the_pinned_keys(seeds, outscore):
    found = json.loads(outscore("score", "table.csv", "--format", "json").stdout)
    assert found["schema"] == "outscore/score/1"
    assert [one["system"] for one in found["systems"]] == ["new", "old"]
    assert {"system", "value", "low", "high", "n"} <= set(found["systems"][0])


def test_a_saved_result_repeats_itself(seeds, outscore):
    assert outscore("score", "seeds.csv", "--slice", "topic", "--alpha", "0.1", "-o", "r.json", "-o", "r.html").exit_code == 0
    again = outscore("score", "--config", "r.json", "--format", "json")
    assert json.loads(again.stdout) == osc.load("r.json").to_dict()
    assert outscore("report", "r.json").stdout.startswith("seeds scores")
    Path("seeds.csv").write_text(HEAD + ROWS.replace("q0,x,0,0", "q0,x,0,1"))
    assert "has changed since" in outscore("score", "--config", "r.json").stdout


def test_refusals(seeds, refusal):
    assert refusal("score") == "No file was named. Write `outscore score FILE`: a table, a log, or one file for each system.\n"
    assert "does not exist" in refusal("score", "nowhere.csv")
    assert refusal("score", "seeds.csv", "--power", "1").startswith("`power` is 1.")
    assert refusal("score", "table.csv", "--slice", "topic").startswith("`table.csv` has no column `topic`")
    assert refusal("score", "table.csv", "--names", "a").startswith('--names is "a", but 2 different names were expected.')
    Path("gap.csv").write_text("id,score\nq1,1\nq2,\n")
    assert refusal("score", "gap.csv").startswith("`gap.csv`, line 3: found an empty field in column `score`")

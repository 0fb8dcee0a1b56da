"""Files of a quoted pattern are runs of one system, whatever the files are; and what systems are called after their files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.workflows.names import distinct_names

ITEMS, RUNS = 25, 3
RNG = np.random.default_rng(5)
SCORES = {name: (RNG.random((RUNS, ITEMS)) < rate).astype(int) for name, rate in (("amber", 0.8), ("birch", 0.5))}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(form: str) -> tuple[str, str]:
    """A folder for each run of each system; the patterns of both systems."""
    for name, scores in SCORES.items():
        for run, row in enumerate(scores.tolist()):
            path = Path("runs", name, f"seed{run}", f"results.{form}")
            path.parent.mkdir(parents=True)
            records = [{"id": f"q{i}", "score": x} for i, x in enumerate(row)]
            if form == "csv":
                with path.open("w", newline="") as file:
                    writer = csv.DictWriter(file, ["id", "score"])
                    writer.writeheader()
                    writer.writerows(records)
            elif form == "json":
                path.write_text(json.dumps(records))
            else:
                path.write_text("".join(f"{x}\n" for x in row))
    return f"runs/amber/*/results.{form}", f"runs/birch/*/results.{form}"


@pytest.mark.parametrize("form", ["csv", "json", "txt"])
def test_the_files_of_a_pattern_are_runs_of_one_system(form):
    found = osc.compare(*write(form))
    assert found.systems == ("amber", "birch")
    items = [str(i) for i in range(ITEMS)] * RUNS
    expected = osc.compare(SCORES["amber"].ravel(), SCORES["birch"].ravel(), items=items, repeats="runs")
    assert found.difference == pytest.approx(float(SCORES["amber"].mean() - SCORES["birch"].mean()))
    assert found.p.value == pytest.approx(expected.p.value, rel=1e-12)
    assert found.reading.rows == 2 * RUNS * ITEMS


@pytest.mark.parametrize("form", ["csv", "json", "txt"])
def test_rank_and_score_read_them_alike(form):
    patterns = write(form)
    ranked = {one.system: one.value for one in osc.rank(list(patterns)).scores}
    assert ranked == pytest.approx({name: float(x.mean()) for name, x in SCORES.items()})
    scored = osc.score(patterns[0]).systems[0]
    assert (scored.system, scored.value) == ("amber", pytest.approx(float(SCORES["amber"].mean())))
    assert scored.repeats == RUNS


def test_a_gate_reads_them_alike():
    done = CliRunner().invoke(app, ["gate", *reversed(write("csv")), "--margin", "0.05"])
    assert done.exit_code == 0, done.output


def test_one_pattern_alone_stands_for_systems_in_a_ranking():
    write("csv")
    for name in SCORES:
        Path(f"{name}.csv").write_text(Path("runs", name, "seed0", "results.csv").read_text())
    assert {one.system for one in osc.rank("*.csv").scores} == {"amber", "birch"}


def test_files_of_several_systems_are_no_runs():
    for name in "ab":
        Path(f"{name}1.csv").write_text("id,new,old\nq1,1,0\nq2,0,1\n")
        Path(f"{name}2.csv").write_text("id,new,old\nq1,1,0\nq2,0,1\n")
    with pytest.raises(OutscoreError, match=r"`a1\.csv` contains 2 systems, but files that a quoted pattern matches are runs"):
        osc.compare("a*.csv", "b*.csv")


def test_a_pattern_without_files_is_said_to_have_none():
    with pytest.raises(OutscoreError, match="No file matches"):
        osc.compare("a/*.csv", "b/*.csv")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["model_outputs_llama_5shots.json", "model_outputs_gpt_5shots.json"], ["llama", "gpt"]),
        ([f"generaltest2023.he-en.hyp.{name}" for name in ("GTCOM", "Online-A", "Lan")], ["GTCOM", "Online-A", "Lan"]),
        (["tb/droid_gpt-5/results.json", "tb/droid_sonnet/results.json"], ["gpt-5", "sonnet"]),
        (["new.csv", "old.csv"], ["new", "old"]),
        (["sys_a.csv", "sys_b.csv"], ["sys_a", "sys_b"]),
        (["x/a/*.json", "y/a/*.json"], ["x/a", "y/a"]),
        (["a-seed*.json", "b-seed*.json"], ["a-seed", "b-seed"]),
    ],
)
def test_names_lose_what_all_of_them_begin_and_end_with(paths, names):
    assert distinct_names(paths) == names

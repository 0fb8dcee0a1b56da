"""`outscore prefer` on the command line: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from outscore.cli.app import app
from outscore.examples.registry import EXAMPLES


def run(*words):
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(word) for word in words])


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(EXAMPLES["battles"].files(0)["battles.csv"], encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_what_it_prints(battles, golden, form, monkeypatch):
    monkeypatch.chdir(battles.parent)
    golden(f"cli/prefer.{form}", run("prefer", "battles.csv", "--format", form).output)


def test_two_systems_in_full(battles, golden, monkeypatch):
    monkeypatch.chdir(battles.parent)
    done = run("prefer", "battles.csv", "--system", "amber", "--system", "birch", "--people", "judge-1", "-v")
    golden("cli/prefer-two.text", "".join(line for line in done.output.splitlines(True) if "versions." not in line))


def test_what_it_writes(battles, tmp_path):
    names = ["x.json", "x.html", "x.csv", "x.md", "x.tex", "x.txt"]
    done = run(
        "prefer", battles, *(word for name in names for word in ("-o", tmp_path / name)), "--charts", tmp_path / "charts"
    )
    assert done.exit_code == 0, done.output
    assert {path.stem for path in (tmp_path / "charts").iterdir()} == {"strengths", "win-matrix", "position"}
    saved = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    with (tmp_path / "x.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["a"] for row in rows] == [pair["a"] for pair in saved["pairs"]]
    again = run("report", tmp_path / "x.json")
    assert again.output == run("prefer", battles).output
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 3
    assert "Bradley" in page


def test_it_repeats_itself_from_a_result(battles, tmp_path):
    run("prefer", battles, "--alpha", "0.1", "-o", tmp_path / "x.json")
    again = run("prefer", "--config", tmp_path / "x.json", "--format", "json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.output) == json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))


def test_standard_input(battles):
    text = battles.read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["prefer", "-v", "-"], input=text)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("amber leads")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "No file was named."),
        (["no.csv"], "`no.csv` does not exist."),
        (["battles.csv", "--winner", "vote"], "has no column `vote`"),
        (["battles.csv", "--position", "none", "--people", "ann"], "There is no judge `ann`."),
        (["battles.csv", "--length", "length_a"], "--length names 1 column."),
        (["battles.csv", "--system", "amber", "--system", "brich"], "There is no system `brich`. Did you mean `birch`?"),
    ],
)
def test_refusals_are_one_sentence(battles, monkeypatch, words, said):
    monkeypatch.chdir(battles.parent)
    done = run("prefer", *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


VOTES = {
    "words only": "prompt,model_a,model_b,winner\nq1,new,old,new\nq2,old,new,tie\n",
    # The numbers of workers and models are no scores.
    "ids beside them": "id,x,y,worker,winner,left,right\n0,97,98,58,tie,new,old\n0,97,98,83,left,new,old\n",
    "a number for the winner": "prompt,model_a,model_b,winner\nq1,new,old,1\nq2,old,new,2\n",
}


@pytest.mark.parametrize("votes", VOTES.values(), ids=VOTES)
@pytest.mark.parametrize("command", ["compare", "rank", "score"])
def test_other_commands_send_battles_here(tmp_path, command, votes):
    path = tmp_path / "votes.csv"
    path.write_text(votes, encoding="utf-8")
    done = run(command, path)
    assert done.exit_code == 2
    assert f"Battles have a command of their own: `outscore prefer {path}`." in done.stderr


def test_scores_may_stand_beside_their_winner(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("id,A,B,winner\nq1,1,0,A\nq2,1,1,tie\n", encoding="utf-8")
    assert run("compare", path).exit_code == 0


def test_what_was_read_and_left_out_is_said_before_the_numbers(tmp_path):
    rows = [f"p{i},new,old,{'new' if i % 3 else 'old'}" for i in range(12)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["prompt,model_a,model_b,winner", *rows, "p12,new,old,", "p13,new,new,tie"]), encoding="utf-8")
    for form in ("text", "markdown"):
        said = " ".join(run("prefer", "-v", path, "--order", "unrecorded", "--format", form).output.replace("\\", "").split())
        places = [
            said.index(words) for words in ("verdicts: `winner`", "1 battle without a verdict is", "1 battle of a system with")
        ]
        assert max(places) < said.index("win rate")

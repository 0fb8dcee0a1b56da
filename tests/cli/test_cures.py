"""Every whole command and every setting that a refusal proposes is run, and so is every command that `show` proposes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.cli.test_bad_input import BAD
from tests.cures import check_cures, settings, whole_commands
from tests.kind_files import ITEMS, KINDS, RIGHT
from tests.variants import a_few

LINES = [f"q{i},{ok},{ok * 0.5}" for i, ok in enumerate(RIGHT["amber"].tolist())]
DATES = [f"q{i},2026-01-{i % 28 + 1:02},{ok}" for i, ok in enumerate(RIGHT["amber"].tolist())]
TABLES = {
    "two columns of one name": ["id,score,score", *LINES],
    "ids twice": ["id,score", *(f"q{i // 2},{i % 3}" for i in range(ITEMS))],
    "no rows": ["id,score"],
    "a row too long": ["id,score", "q1,1", "q2,0,1", "q3,1"],
    "an empty score": ["id,score", "q1,1", "q2,", "q3,0"],
    "a measure per row": ["model,metric,id,value", *(f"a,{'f1' if i % 2 else 'wer'},{i // 2},{i % 2}" for i in range(18))],
    "two unnamed scores": ["id,first,second", *LINES],
    "measures": ["id,f1,accuracy", *LINES],
    "words for right and wrong": ["id,result", *(f"q{i},{'YN'[i % 2]}" for i in range(ITEMS))],
    "dates": ["id,date,correct", *DATES],
    "an index": [",score", *(f"{i},{i % 2}" for i in range(ITEMS))],
    "steps": ["Step,run-a - acc,run-b - acc", *(f"{i},{i / 99},{i / 77}" for i in range(ITEMS))],
    "grid": ["params,mean_fit_time,split0_test_score,rank_test_score", *(f"c{i},.1,.{i},{i}" for i in range(9))],
    "percent": ["id,accuracy", "q1,50%", "q2,75%"],
    "decimal commas": ["id;accuracy", "q1;0,5", "q2;0,75"],
    "settings": ["id,temperature", "q1,0.5", "q2,0.5"],
    "ranks": ["id,rank_a,rank_b", *(f"{i},1,2" for i in range(9))],
    "responses": ["id,output,answer", *(f"q{i},It is {i}.,{i}" for i in range(9))],
}
COMMANDS = [
    *("compare a.csv b.csv", "compare a.csv", "rank a.csv b.csv", "rank a.csv", "score a.csv"),
    "gate a.csv b.csv --margin 0.1",
]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_table(name: str) -> None:
    for file in ("a.csv", "b.csv"):
        Path(file).write_text("\n".join(TABLES[name]) + "\n")


@pytest.mark.parametrize("name", a_few(TABLES, 9))
def test_what_a_refusal_proposes_gets_further(name, outscore):
    write_table(name)
    for command in COMMANDS:
        words = shlex.split(command)
        done = outscore(*words)
        if done.exit_code == 2:
            check_cures(words, done.stderr, outscore)


@pytest.mark.parametrize("name", a_few(TABLES, 8))
def test_what_show_proposes_for_odd_tables_runs(name, outscore):
    write_table(name)
    for files in (["a.csv"], ["a.csv", "b.csv"]):
        done = outscore("show", *files, "--format", "json")
        if done.exit_code == 0:
            for command in json.loads(done.stdout)["commands"]:
                ran = outscore(*shlex.split(command)[1:])
                assert ran.exit_code == 0, (command, ran.output)
                assert "--metric bleu" not in command


def test_a_dry_run_is_refused_as_the_command_is(outscore):
    for name in TABLES:
        write_table(name)
        for command in COMMANDS:
            words = shlex.split(command)
            ran, dry = outscore(*words), outscore(*words, "--dry-run")
            assert (dry.exit_code == 2) == (ran.exit_code == 2), (name, command, ran.output, dry.output)


@pytest.mark.posix
def test_the_catalogue_proposes_enough(outscore):
    """The sentences of bad inputs and of kinds of results; their cures are run wherever they are refused."""
    settled, whole = 0, 0
    for name, content, options in BAD.values():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        done = outscore("compare", name, *options)
        settled += len(list(settings(["compare", name, *options], done.stderr)))
    for number, kind in enumerate(KINDS.values()):
        if kind.asks:
            Path(str(number)).mkdir()
            kind.write()
            whole += len(whole_commands(outscore(*shlex.split(kind.command)).stderr))
    assert settled >= 10
    assert whole >= 4


def test_a_cure_that_does_not_cure_is_noticed(outscore):
    Path("a.csv").write_text("id,score\nq1,x\n")
    said = outscore("score", "a.csv").stderr
    with pytest.raises(AssertionError, match="does not cure"):
        check_cures(["score", "a.csv"], f"{said.rstrip()} Write `outscore score a.csv --verbose`.", outscore)
    assert whole_commands("Write `outscore score FILE` or `outscore score a.csv`, `outscore rank`.") == [["score", "a.csv"]]


def test_rows_of_several_measures_are_not_averaged(outscore):
    write_table("a measure per row")
    refused = outscore("score", "a.csv").stderr
    assert "`metric` says of which measure each row is, `wer` and `f1`" in refused
    assert "--duplicates" not in refused

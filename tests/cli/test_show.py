"""`show` lists what any file holds and how it would be read, and every command that it proposes runs; so does --dry-run."""

from __future__ import annotations

import json
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.kind_files import ITEMS, KINDS, RIGHT, inspect_logs, mmlu_pro, table
from tests.log_files import WRITERS, lm_eval
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app

PROPOSED = re.compile(r"`(outscore [a-z]+ [^`]*)`")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*words: object):
    done = CliRunner().invoke(app, [str(word) for word in words], prog_name="outscore")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def shown(*words: object):
    done = run("show", *words, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


def run_all(commands: list[str]) -> int:
    for command in commands:
        done = run(*shlex.split(command)[1:])
        assert done.exit_code in ((0, 1, 3) if command.startswith("outscore gate") else (0,)), (command, done.output)
    return len(commands)


def files_of(command: str) -> list[str]:
    """The files that a command names."""
    return list(dict.fromkeys(word for word in shlex.split(command)[1:] if Path(word).exists() or "*" in word))


@pytest.mark.parametrize("name", a_few(KINDS, 9))
def test_every_command_proposed_for_a_kind_of_file_runs(name):
    KINDS[name].write()
    done = run("show", *files_of(KINDS[name].command), "--format", "json")
    if done.exit_code == 2:
        assert KINDS[name].asks
        return
    found = json.loads(done.output)
    if not found["commands"]:
        assert "No command is proposed: " in " ".join(note["text"] for note in found["notes"])
    run_all(found["commands"])


@pytest.mark.parametrize("name", a_few(KINDS, 9))
def test_every_command_in_a_refusal_runs(name):
    KINDS[name].write()
    refused = run(*shlex.split(KINDS[name].command))
    if refused.exit_code == 0:
        assert not KINDS[name].asks
        return
    assert refused.exit_code == 2
    whole = [command for command in PROPOSED.findall(refused.output) if files_of(command) or "plan" in command]
    run_all(whole)


@pytest.mark.parametrize("name", a_few(sorted(WRITERS), 8))
def test_every_command_proposed_for_a_log_runs(name, tmp_path):
    paths = WRITERS[name](tmp_path)
    assert run_all(shown(*paths)["commands"]) >= 1


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_every_command_proposed_for_the_examples_runs(step, monkeypatch):
    # Pages, which are no files to show, are not even drawn.
    monkeypatch.setattr("outscore.cli.demo.find_spec", lambda module: None if module == "jinja2" else find_spec(module))
    assert run("demo", "--output", "demo").exit_code == 0
    files = [path for path in sorted(Path("demo").rglob("*")) if path.is_file() and path.suffix not in (".html", ".md", ".svg")]
    ran = 0
    for path in files[::step]:
        done = run("show", path, "--format", "json")
        if done.exit_code == 0:
            ran += run_all(json.loads(done.output)["commands"][:2])
    assert ran >= 10 / step


@pytest.mark.slow
def test_every_command_proposed_for_real_files_runs(shared_data):
    ran = 0
    for folder in (
        "repro/scores",
        "repro/scores/sklearn",
        "repro/agents",
        "repro/texts",
        "repro/battles",
        "nlpstattest",
        "judges",
    ):
        for path in sorted((shared_data / folder).glob("*")):
            done = run("show", path, "--format", "json")
            if done.exit_code == 0:
                ran += run_all(json.loads(done.output)["commands"][:2])
    assert ran >= 20


def test_a_table_is_shown_role_by_role():
    table("a.csv", ({"query": f"q{i}", "quality": x} for i, x in enumerate(np.linspace(0, 1, 9))))
    (file,) = shown("a.csv")["files"]
    assert (file["format"], file["rows"], file["systems"], file["problem"]) == ("csv", 9, ["a"], "")
    assert file["columns"] == [
        {"part": "item", "name": "query", "example": "q0", "why": "no value occurs twice", "kind": "text"},
        {"part": "score", "name": "quality", "example": "0.0", "why": "a measure", "kind": "number"},
    ]
    text = run("show", "a.csv").output
    assert "item   query    q0       no value occurs twice" in text
    assert "read as     scores: `quality`; items: `query`; 9 rows in 1 file (csv)" in text
    assert text.rstrip().endswith("outscore score a.csv")


def test_two_files_are_compared_and_what_only_one_has_is_said():
    table("a.csv", ({"id": i, "score": i % 2} for i in range(9)))
    table("b.csv", ({"id": i, "score": i % 3 % 2} for i in range(2, 9)))
    found = shown("a.csv", "b.csv")
    assert found["commands"][0] == "outscore compare a.csv b.csv"
    assert [note["text"] for note in found["notes"]] == ["2 items that only a has would be left out."]


def test_a_bad_file_is_listed_with_its_reason():
    mmlu_pro()
    Path("broken.csv").write_text('id,score\n1,"0.5\n')
    Path("picture.png").write_bytes(b"\x89PNG....")
    found = shown("model_outputs_amber_5shots.json", "broken.csv", "picture.png")
    problems = {file["path"]: file["problem"] for file in found["files"] if file["problem"]}
    assert set(problems) == {"broken.csv", "picture.png"}
    assert "is a picture or a PDF" in problems["picture.png"]
    assert found["commands"]


def test_a_folder_of_logs_is_listed_although_some_cannot_be_read():
    inspect_logs(["one", "two"], RIGHT)
    Path("logs", "bad.json").write_text('{"version": 2, "status": "success", "eval": {"task": "one"')
    again = json.loads(Path("logs", "two_amber.json").read_text())
    Path("logs", "two_amber_again.json").write_text(json.dumps(again))
    found = shown("logs")
    assert {one["task"] for one in found["evaluations"]} == {"one", "two"}
    problems = {Path(file["path"]).name: file["problem"] for file in found["files"]}
    assert any("both contain maker/amber on two" in problem for problem in problems.values())
    assert run_all(found["commands"]) >= 1


def test_a_command_for_one_task_is_found_where_another_has_no_score_in_common():
    inspect_logs(["one", "two"], RIGHT)
    for path in Path("logs").glob("one_*.json"):
        # The task of most files, whose systems were scored by different scorers.
        path.write_text(path.read_text().replace('"match"', f'"{path.stem}"'))
        Path("logs", f"{path.stem}_more.json").write_text(path.read_text().replace("model-", "other-"))
    Path("logs", "bad.json").write_text('{"version": 2, "status": "success", "eval": {"task": "one"')
    found = shown("logs")
    assert found["commands"]
    assert all("two_" in command for command in found["commands"])
    assert run_all(found["commands"]) >= 1


def test_135_logs_fit_on_one_screen():
    inspect_logs([f"task-{i:02}" for i in range(15)], {f"model-{m}": RIGHT["amber"] for m in range(9)})
    done = run("show", "logs")
    lines = done.output.splitlines()
    assert len(lines) <= 24
    assert lines[0] == "9 systems on 15 tasks, logged by Inspect"
    assert re.search(r"task-00 +match +9 +40 +0\.825$", done.output, re.MULTILINE)
    assert len(shown("logs")["evaluations"]) == 135


def test_totals_stand_beside_those_of_the_harness(tmp_path):
    paths = lm_eval(tmp_path)
    text = run("show", *paths).output
    assert "mean  reported" in text


def test_files_of_every_other_kind_are_shown():
    for name in "ab":
        Path(f"{name}.conllu").write_text(
            "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n2\ton\ton\tADV\tRB\t_\t1\tadvmod\t_\t_\n\n" * 8
        )
    Path("gold.conllu").write_text(Path("a.conllu").read_text())
    assert shown("gold.conllu", "a.conllu", "b.conllu")["commands"][0] == (
        "outscore diff --task dep gold.conllu a.conllu b.conllu"
    )
    for name in ("ref", "x", "y"):
        Path(f"{name}.txt").write_text("the cat sat on the mat today\nit went home again last night\n" * 6)
    assert "outscore compare --metric bleu --reference ref.txt x.txt y.txt" in shown("ref.txt", "x.txt", "y.txt")["commands"]
    table("battles.csv", battles())
    assert shown("battles.csv")["commands"] == ["outscore prefer battles.csv"]
    Path("numbers.txt").write_text("0.5\n0.7\n0.1\n")
    assert shown("numbers.txt")["commands"] == ["outscore score numbers.txt"]
    assert run("compare", "x.txt", "y.txt", "--reference", "ref.txt", "-o", "saved.json").exit_code == 0
    assert shown("saved.json")["files"][0]["reading"].startswith("a saved result about")


def battles(pairs=("xy", "yx")) -> list[dict[str, object]]:
    return [{"prompt": i, "model_a": pair[0], "model_b": pair[1], "winner": "model_a"} for pair in pairs for i in range(9)]


@pytest.mark.parametrize(("pairs", "order"), [(("xy",), "fixed"), (("xy", "yz", "xz"), "unrecorded")])
def test_battles_always_shown_in_one_order_get_a_command_that_runs(pairs, order):
    table("battles.csv", battles(pairs))
    found = shown("battles.csv")
    assert found["commands"] == [f"outscore prefer --order {order} battles.csv"]
    assert run_all(found["commands"]) == 1
    (told,) = (note["text"] for note in found["notes"])
    assert told.startswith("Every battle of `x` and `y` names `x` first")
    for words in (["prefer", "battles.csv", "--dry-run"], ["prefer", "battles.csv"]):
        assert told in run(*words).output
    if order == "unrecorded":
        assert run("prefer", "battles.csv", "--order", "fixed", "--system", "x", "--system", "y").exit_code == 0


DRY = {
    "compare": ["compare", "a.csv", "b.csv"],
    "compare --measure": ["compare", "m.csv", "n.csv", "--measure", "f1", "--measure", "accuracy"],
    "compare --unpaired": ["compare", "a.csv", "b.csv", "--unpaired"],
    "compare texts": ["compare", "x.txt", "y.txt", "--reference", "x.txt", "--metric", "ter"],
    "rank": ["rank", "a.csv", "b.csv"],
    "rank texts": ["rank", "x.txt", "y.txt", "--reference", "x.txt", "--metric", "ter"],
    "score": ["score", "a.csv"],
    "gate": ["gate", "a.csv", "b.csv", "--margin", "0.1"],
    "gate texts": ["gate", "x.txt", "y.txt", "--reference", "x.txt", "--metric", "ter", "--margin", "1"],
    "prefer": ["prefer", "battles.csv"],
    "diff": ["diff", "--task", "label", "g.csv", "p.csv", "q.csv"],
    "rank outputs": ["rank", "--task", "label", "--gold", "g.csv", "p.csv", "q.csv"],
    "compare logs": ["compare", "logs"],
    "rank logs": ["rank", "logs"],
    "score logs": ["score", "logs"],
}


@pytest.mark.parametrize("name", DRY)
def test_a_dry_run_only_reads(name, monkeypatch):
    for file, right in zip("ab", RIGHT.values(), strict=True):
        table(f"{file}.csv", ({"id": i, "score": x} for i, x in enumerate(right)))
    for file in "mn":
        table(f"{file}.csv", ({"id": i, "f1": i / 40, "accuracy": i % 2} for i in range(ITEMS)))
    for file in "gpq":
        table(f"{file}.csv", ({"id": i, "gold" if file == "g" else "prediction": "ab"[i % 2]} for i in range(ITEMS)))
    for file in "xy":
        Path(f"{file}.txt").write_text("the cat sat\nit went home\n" * 6)
    table("battles.csv", battles())
    inspect_logs(["sums"], RIGHT)

    def compute(*_given, **_more):
        raise AssertionError("something was computed")

    for place in ("compare.run.compare_panel", "rank.run.rank_panels", "score.run.measure", "prefer.run.analyse"):
        monkeypatch.setattr(f"outscore.workflows.{place}", compute)
    monkeypatch.setattr("outscore.workflows.texts.run.compare_corpora", compute)
    monkeypatch.setattr("outscore.workflows.diff.run._summary", compute)
    done = run(*DRY[name], "--dry-run", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["verdict"].startswith("Read, and nothing computed: ")
    assert len(found["reading"]) > 20
    text = " ".join(run(*DRY[name], "--dry-run").output.split())
    assert f"read as {found['reading']}" in text


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
def test_a_dry_run_says_what_weighs_items(command):
    table("w.csv", ({"id": i // 2, "system": "ab"[i % 2], "score": i % 3, "weight": 1 + i // 2} for i in range(ITEMS)))
    text = " ".join(run(command, "w.csv", "--weight", "weight", "--dry-run").output.split())
    assert "weights: `weight`" in text


def test_a_dry_run_is_refused_as_the_command_would_be():
    Path("a.csv").write_text("id,score\n1,0.5\n2,x\n")
    done = run("score", "a.csv", "--dry-run")
    assert done.exit_code == 2
    assert done.output == run("score", "a.csv").output


def test_python_shows_any_file():
    table("a.csv", ({"id": i, "score": i % 2} for i in range(9)))
    found = osc.show("a.csv")
    assert found.commands == ["outscore score a.csv"]
    assert found.files[0].columns[0].name == "id"


def test_a_folder_of_several_kinds_fits_on_one_screen_with_a_command_for_each():
    Path("all", "sub").mkdir(parents=True)
    for name in ("a", "b"):
        table(f"all/{name}.csv", ({"id": i, "score": (i + len(name)) % 3 % 2} for i in range(9)))
    table("all/wide.csv", ({"id": i, "new": i % 2, "old": i % 3 % 2, "third": 1 - i % 2} for i in range(9)))
    for name in ("x", "y", "z"):
        Path("all", "sub", f"{name}.csv").write_text('id,score\n1,"0.5\n')
    Path("all", "text.txt").write_text("A sentence here.\nAnd another one.\nAnd a third.\n")
    found = shown("all")
    assert len([file for file in found["files"] if file["problem"]]) == 3
    assert set(found["commands"]) >= {"outscore compare all/a.csv all/b.csv", "outscore rank all/wide.csv"}
    run_all(found["commands"])
    text = run("show", "all").output
    assert len(text.splitlines()) <= 24
    assert " ".join(text.split()).count("(2 other files likewise)") == 1
    assert "No command is proposed" not in text
    whole = run("show", "all", "-v").output
    assert all(f"sub/{name}.csv" in whole for name in ("x", "y", "z"))


def test_files_that_no_proposed_command_takes_are_named():
    answers = "ABCABCABC"
    rows = (
        {"id": i, "system": name, "gold": gold, "prediction": answers[i - k]}
        for k, name in enumerate(("new", "old"))
        for i, gold in enumerate(answers)
    )
    table("right.csv", rows)
    table("wrong.csv", ({"id": i, "system": "new", "gold": "C", "prediction": "A"} for i in range(9)))
    found = shown("right.csv", "wrong.csv")
    assert found["commands"]
    assert not any("wrong.csv" in command for command in found["commands"])
    (said,) = [note["text"] for note in found["notes"] if "No command is proposed" in note["text"]]
    assert said.count("`wrong.csv`") == 1


def test_more_files_than_fit_on_a_screen_are_listed_by_format():
    Path("many").mkdir()
    for i in range(20):
        table(f"many/{i:02}.csv", ({"id": j, "score": (i + j) % 3 % 2} for j in range(i + 2)))
    text = run("show", "many").output
    assert len(text.splitlines()) <= 24
    assert re.search(r"^csv +20 +2 to 21 +20 +00\.csv$", text, re.MULTILINE)


def test_right_answers_without_answers_are_shown_as_such():
    Path("gold.csv").write_text("uid,truth\nu1,yes\nu2,no\nu3,maybe so\n")
    (file,) = shown("gold.csv")["files"]
    assert [(column["part"], column["name"]) for column in file["columns"]] == [("item", "uid"), ("gold", "truth")]

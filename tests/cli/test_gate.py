"""`outscore gate`: exit codes, the forms that build servers read, the action and the pytest plugin, all of them run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

import outscore as osc

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def versions(tmp_path, monkeypatch):
    """A baseline, and candidates that pass, fail and leave it open at a margin of .05."""
    monkeypatch.chdir(tmp_path)
    base = [int(i % 5 > 0) for i in range(200)]
    flipped = {"same": [], "worse": [i for i in range(1, 24, 2) if i % 5], "open": [1, 2, 3, 4, 6, 7, 8, 9, 0, 5, 10, 15, 20]}
    for name, items in {"base": [], **flipped}.items():
        scores = [1 - s if i in items else s for i, s in enumerate(base)]
        Path(f"{name}.csv").write_text("id,score\n" + "".join(f"q{i},{s}\n" for i, s in enumerate(scores)))
    return tmp_path


@pytest.mark.parametrize(
    ("candidate", "code", "outcome"), [("same", 0, "pass"), ("worse", 1, "fail"), ("open", 3, "inconclusive")]
)
def test_the_exit_code_answers(versions, outscore, candidate, code, outcome):
    done = outscore("gate", "base.csv", f"{candidate}.csv", "--margin", "0.04", "--format", "json", "-o", "g.json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["outcome"], found["margin"], found["schema"]) == (code, outcome, 0.04, "outscore/gate/1")
    assert found["comparison"]["systems"] == [candidate, "base"]
    assert json.loads(json.dumps(osc.load("g.json").to_dict())) == found
    again = outscore("gate", "--config", "g.json", "--format", "json")
    assert (again.exit_code, json.loads(again.stdout)) == (code, found)


def test_an_undecided_gate_counts_as_it_is_told(versions, outscore):
    words = ("gate", "base.csv", "open.csv", "--margin", "0.04")
    assert outscore(*words, "--inconclusive", "pass").exit_code == 0
    done = outscore(*words, "--inconclusive", "fail")
    assert done.exit_code == 1
    assert "Inconclusive" in done.stdout
    assert "would decide with power .8" in " ".join(done.stdout.split())


def test_bad_input_is_2(versions, refusal):
    assert refusal("gate", "base.csv", "same.csv").startswith("No margin was given. Say how much worse")
    assert refusal("gate", "--margin", "0.1").startswith("0 files were named")
    assert "does not exist" in refusal("gate", "base.csv", "nowhere.csv", "--margin", "0.1")
    assert refusal("gate", "base.csv", "same.csv", "--margin", "2").startswith("`margin` is 2, but these scores cannot")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_reports(versions, outscore, form):
    done = outscore("gate", "base.csv", "worse.csv", "--margin", "0.04", "--format", form, "-o", "g.html", "-o", "g.csv")
    assert done.exit_code == 1
    assert "worse" in done.stdout
    assert "The comparison behind the gate" in Path("g.html").read_text()
    assert Path("g.csv").read_text().splitlines()[1].startswith("fail,worse,base,mean,0.04,0.05,200,")


def test_items_without_an_answer_are_told_in_every_form(versions, outscore):
    rows = Path("same.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("partly.csv").write_text("".join(rows[:-3]), encoding="utf-8")
    words = ("gate", "base.csv", "partly.csv", "--margin", "0.04")
    told = {form: outscore(*words, "--format", form) for form in ("text", "github", "junit", "json")}
    assert {done.exit_code for done in told.values()} == {3}
    lacking = "Inconclusive: partly has no score for 3 of 200 items"
    assert told["text"].stdout.startswith(lacking)
    assert f"::warning title=outscore gate%3A inconclusive::{lacking}: " in told["github"].stdout
    assert f'<skipped message="{lacking}"/>' in told["junit"].stdout
    assert json.loads(told["json"].stdout)["unanswered"] == 3
    dropped = outscore(*words, "--missing", "drop", "--format", "github")
    assert dropped.exit_code == 0
    assert "by 0.04 or more, 3 of 200 items left out: " in dropped.stdout


def test_github_gets_an_annotation_and_a_summary(versions, outscore, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(versions / "summary.md"))
    Path("summary.md").write_text("# Before\n")
    for candidate, level in (("same", "notice"), ("worse", "error"), ("open", "warning")):
        done = outscore("gate", "base.csv", f"{candidate}.csv", "--margin", "0.04", "--format", "github")
        first, *rest = done.stdout.splitlines()
        assert first.startswith(f"::{level} title=outscore gate%3A ")
        assert "90 %25 interval" in first
        assert not any(line.startswith("::") for line in rest)
    summary = Path("summary.md").read_text()
    assert summary.startswith("# Before\n")
    assert summary.count("candidate") >= 3
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(versions / "no" / "summary.md"))
    done = outscore("gate", "base.csv", "same.csv", "--margin", "0.04", "--format", "github")
    assert (done.exit_code, done.stdout) == (2, "")


def test_no_name_becomes_a_command(versions, outscore):
    done = outscore(
        "gate", "base.csv", "worse.csv", "--margin", "0.04", "--format", "github", "--names", "a%0A::x::,b\n::error::y"
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("::")] == [done.stdout.splitlines()[0]]
    assert "%250A" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(("candidate", "part"), [("same", None), ("worse", "failure"), ("open", "skipped")])
def test_junit(versions, outscore, candidate, part):
    done = outscore(
        "gate", "base.csv", f"{candidate}.csv", "--margin", "0.04", "--format", "junit", "--names", "a<b & c\x0b,d\"e'"
    )
    suite = ET.fromstring(done.stdout)  # noqa: S314 - our own
    (case,) = suite.iter("testcase")
    assert case.get("name") == "d\"e' is not worse than a<b & c by 0.04 (mean)"
    found = [child.tag for child in case if child.tag != "system-out"]
    assert found == ([] if part is None else [part])
    assert suite.get("failures") == str(int(part == "failure"))


def run_action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The last step of the action, as a runner would start it."""
    step = ACTION["runs"]["steps"][-1]
    known = {name: entry.get("default", "") for name, entry in ACTION["inputs"].items()} | inputs
    filled = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: known[found[1]], str(value))
        for name, value in step["env"].items()
    }
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / "outscore"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m outscore "$@"\n')
    program.chmod(0o755)
    places = {"RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(folder / "out"), "GITHUB_STEP_SUMMARY": str(folder / "sum.md")}
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(
        command, env={**os.environ, **filled, **places, "PATH": path}, cwd=folder, capture_output=True, text=True, check=False
    )


class TestTheAction:
    def test_it_is_a_composite_action_whose_inputs_go_through_the_environment(self):
        assert ACTION["runs"]["using"] == "composite"
        assert all(step["shell"] == "bash" for step in ACTION["runs"]["steps"])
        # An input inside a script would be run as one.
        assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])
        assert {name for name, entry in ACTION["inputs"].items() if entry.get("required")} == {"baseline", "margin"}

    def test_it_passes_and_fails_as_the_gate_does(self, versions):
        done = run_action(versions, baseline="base.csv", candidate="worse.csv", margin="0.04", options="--alpha 0.01")
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith("::error title=outscore gate%3A fail::")
        assert (versions / "out").read_text() == "outcome=fail\n"
        assert "alpha = .01" in (versions / "sum.md").read_text()
        done = run_action(versions, baseline="base.csv", candidate="open.csv", margin="0.04", inconclusive="pass")
        assert done.returncode == 0, done.stderr
        assert (versions / "out").read_text().endswith("outcome=inconclusive\n")

    def test_bad_input_is_said(self, versions):
        done = run_action(versions, baseline="base.csv", candidate="no such $(touch hacked).csv", margin="0.04")
        assert done.returncode == 2
        assert "does not exist" in done.stderr
        assert not (versions / "hacked").exists()


TESTS = """
from outscore.pytest_plugin import assert_not_worse as plain

def test_same(assert_not_worse):
    assert assert_not_worse("base.csv", "same.csv", margin=0.04).outcome == "pass"

def test_worse(assert_not_worse):
    assert_not_worse("base.csv", "worse.csv", margin=0.04)

def test_open():
    plain("base.csv", "open.csv", margin=0.04)

def test_open_fails():
    plain("base.csv", "open.csv", margin=0.04, inconclusive="fail")

def test_open_passes():
    assert plain("base.csv", "open.csv", margin=0.04, inconclusive="pass").outcome == "inconclusive"

def test_bad(assert_not_worse):
    assert_not_worse("base.csv", "nowhere.csv", margin=0.04)
"""


def test_the_pytest_plugin(versions):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    assert declared == {"outscore": "outscore.pytest_plugin"}
    Path("test_them.py").write_text(TESTS)
    plugin = ["-p", declared["outscore"], "-p", "no:cacheprovider", "-rA", "--junitxml=r.xml", "--tb=short"]
    # Installed or not, the module is named here and nowhere else: pytest refuses a plugin that comes twice.
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, "test_them.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=versions,
        env=alone,
    )
    assert "3 failed, 2 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert "Fail: worse is worse than base" in done.stdout
    assert "OutscoreError: `nowhere.csv` does not exist" in done.stdout
    assert re.search(r"SKIPPED .*Inconclusive", done.stdout)
    notes = [one.get("value") for one in ET.parse("r.xml").iter("property")]  # noqa: S314 - our own
    assert len(notes) == 3
    assert notes[0].startswith("Pass: same is not worse than base by 0.04")

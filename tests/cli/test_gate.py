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
from tests.log_files import inspect_json
from tests.variants import a_few

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
    words = ("gate", "-v", "base.csv", "open.csv", "--margin", "0.04")
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
    assert "is below 0.04, 3 of 200 items left out: " in dropped.stdout


def test_github_gets_an_annotation_and_a_summary(versions, outscore, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(versions / "summary.md"))
    Path("summary.md").write_text("# Before\n")
    for candidate, level in (("same", "notice"), ("worse", "error"), ("open", "warning")):
        done = outscore("gate", "base.csv", f"{candidate}.csv", "--margin", "0.04", "--format", "github")
        first, *rest = done.stdout.splitlines()
        assert first.startswith(f"::{level} title=outscore gate%3A ")
        assert "90%25 CI" in first
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


@pytest.fixture
def committed(versions, outscore):
    """A committed baseline file, and what wrote it."""
    done = outscore("gate", "base.csv", "--baseline-file", "kept.csv", "--margin", "0.04", "--update")
    assert (done.exit_code, done.stdout) == (0, "Wrote kept.csv; there was nothing to compare with.\n")
    return versions


class TestABaselineFile:
    @pytest.mark.parametrize("candidate", ["same", "worse", "open"])
    @pytest.mark.usefixtures("committed")
    def test_it_gives_the_numbers_of_the_file_it_was_made_from(self, outscore, candidate):
        words = ("--margin", "0.04", "--format", "json", "--names", "old,new")
        plain = outscore("gate", "base.csv", f"{candidate}.csv", *words)
        kept = outscore("gate", f"{candidate}.csv", "--baseline-file", "kept.csv", *words, "-o", "g.json")
        first, second = json.loads(plain.stdout), json.loads(kept.stdout)
        assert plain.exit_code == kept.exit_code
        for name in ("outcome", "interval", "needed", "verdict", "sentence", "unanswered"):
            assert second.get(name) == first.get(name)
        assert second["comparison"]["p"] == first["comparison"]["p"]
        again = outscore("gate", "--config", "g.json", "--format", "json")
        assert json.loads(again.stdout) == second
        found = osc.gate(f"{candidate}.csv", baseline_file=Path("kept.csv"), margin=0.04, names=("old", "new"))
        assert found.to_dict()["comparison"]["p"] == second["comparison"]["p"]

    @pytest.mark.usefixtures("versions")
    def test_a_missing_file_is_refused_with_the_command_that_makes_it(self, outscore, refusal):
        said = refusal("gate", "base.csv", "--baseline-file", "kept.csv", "--margin", "0.04")
        assert said.startswith("`kept.csv` does not exist, so there is nothing to compare with.")
        command = re.search("`outscore (gate .*)`", said)[1].split()
        assert outscore(*command).exit_code == 0
        assert outscore("gate", "same.csv", "--baseline-file", "kept.csv", "--margin", "0.04").exit_code == 0

    @pytest.mark.usefixtures("versions")
    def test_it_holds_ids_and_scores_in_one_order_and_no_texts(self, outscore):
        rows = [("q10", 0.25, "a secret"), ("q2", 0.5, "another, secret"), ('q"1,', 1.0, "SECRET")]
        for name, order in (("up", rows), ("down", rows[::-1])):
            lines = [json.dumps({"id": item, "answer": text, "correct": score}) for item, score, text in order]
            Path(f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
            done = outscore("gate", f"{name}.jsonl", "--baseline-file", f"{name}.csv", "--margin", "0.1", "--update")
            assert done.exit_code == 0, done.stderr
        assert Path("up.csv").read_bytes() == Path("down.csv").read_bytes()
        assert Path("up.csv").read_bytes() == b'item,correct\n"q""1,",1.0\nq10,0.25\nq2,0.5\n'

    @pytest.mark.usefixtures("committed")
    def test_update_writes_after_the_comparison_and_keeps_its_exit_code(self, outscore):
        before = Path("kept.csv").read_bytes()
        done = outscore("gate", "worse.csv", "--baseline-file", "kept.csv", "--margin", "0.04", "--update")
        assert done.exit_code == 1
        assert "worse" in done.stdout
        assert Path("kept.csv").read_bytes() != before
        assert outscore("gate", "worse.csv", "--baseline-file", "kept.csv", "--margin", "0.04").exit_code == 0

    @pytest.mark.usefixtures("committed")
    def test_a_refusal_leaves_the_file_alone(self, refusal):
        before = Path("kept.csv").read_bytes()
        Path("other.csv").write_text("id,score\nz1,1\nz2,0\n")
        Path("bad.csv").write_text("id,score\nq1,1\nq2,many\n")
        Path("bare.txt").write_text("1\n0\n1\n")
        words = ("--baseline-file", "kept.csv", "--margin", "0.04", "--update")
        assert "no item" in refusal("gate", "other.csv", *words) or "share" in refusal("gate", "other.csv", *words)
        refusal("gate", "bad.csv", *words)
        assert "has no ids of items" in refusal("gate", "bare.txt", *words)
        assert "is an input and would be overwritten" in refusal("gate", "kept.csv", *words)
        assert Path("kept.csv").read_bytes() == before
        assert not [path for path in Path().iterdir() if path.name.startswith(".kept")]

    @pytest.mark.usefixtures("committed")
    def test_refusals(self, refusal):
        margin = ("--margin", "0.04")
        assert refusal("gate", "same.csv", "base.csv", *margin, "--update").startswith("--update writes a baseline file")
        assert refusal("gate", "base.csv", "same.csv", "--baseline-file", "kept.csv", *margin).startswith("2 files were named")
        assert "--unpaired" in refusal("gate", "same.csv", "--baseline-file", "kept.csv", *margin, "--unpaired")
        assert "not a baseline file" in refusal("gate", "same.csv", "--baseline-file", "base.csv", *margin)
        Path("two.csv").write_text("id,new,old\nq1,1,0\nq2,1,1\n")
        assert "contains 2 systems" in refusal("gate", "two.csv", "--baseline-file", "kept.csv", *margin)

    @pytest.mark.usefixtures("versions")
    def test_groups_are_kept(self, outscore):
        rows = [f"q{i},d{i // 4},{s},{(i * 7 + s) % 3 > 0:d}\n" for i in range(40) for s in (0, 1)]
        Path("runs.csv").write_text("id,document,seed,wer\n" + "".join(rows))
        words = ("--margin", "0.2", "--cluster", "document")
        assert outscore("gate", "runs.csv", "--baseline-file", "kept.csv", *words, "--update").exit_code == 0
        assert Path("kept.csv").read_text().splitlines()[0] == "item,cluster,repeat,wer"
        done = outscore("gate", "runs.csv", "--baseline-file", "kept.csv", *words, "--format", "json")
        c = json.loads(done.stdout)["comparison"]
        assert (c["identical"], c["clusters"], c["higher_is_better"]) == (True, 10, False)


def test_a_log_is_compared_with_its_own_scores(versions, outscore):
    new, old = inspect_json(versions)
    words = ("--margin", "0.2", "--format", "json", "--names", "old,new")
    plain = json.loads(outscore("gate", str(old), str(new), *words).stdout)
    assert outscore("gate", str(old), "--baseline-file", "kept.csv", "--margin", "0.2", "--update").exit_code == 0
    text = Path("kept.csv").read_text()
    assert "What" not in text
    kept = json.loads(outscore("gate", str(new), "--baseline-file", "kept.csv", *words).stdout)
    assert (kept["outcome"], kept["interval"], kept["comparison"]["p"]) == (
        plain["outcome"],
        plain["interval"],
        plain["comparison"]["p"],
    )


def test_a_comment_shows_ids_and_the_margin_and_no_texts(versions, outscore):
    rows = Path("open.csv").read_text().splitlines()
    Path("open.csv").write_text("\n".join([f"{rows[0]},question", *(f"{row},SECRET" for row in rows[1:])]) + "\n")
    done = outscore(
        "gate", "base.csv", "open.csv", "--margin", "0.04", "--format", "comment", "--names", "@a```,b", "-o", "g.json"
    )
    assert done.exit_code == 3
    first, _, heading, *rest = done.stdout.splitlines()
    assert (first, heading) == ("<!-- outscore gate -->", "### outscore gate: inconclusive")
    assert "SECRET" not in done.stdout
    assert rest.count("```text") == rest.count("```") == 1
    assert any(set("[]*|0=-") >= set(line) and "|" in line for line in rest if line)
    assert "- worse on 8 items: `q1`, `q2`, `q3`, `q4`, `q6` and 3 more" in rest
    assert "- better on 5 items: `q0`, `q5`, `q10`, `q15`, `q20`" in rest
    assert "Still needed for a decision: 499 more items like these." in rest
    assert outscore("report", "g.json", "--format", "comment").stdout == done.stdout


STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
CALLS = "calls.txt"


def run_action(folder: Path, step: str = "gate", **inputs: str) -> subprocess.CompletedProcess[str]:
    """One step of the action, as a runner would start it; `gh` and `pip` are played by scripts that note their words."""
    known = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | inputs
    context = {f"inputs.{name}": value for name, value in known.items()} | {
        "github.action_path": str(ROOT),
        "github.repository": "team/project",
        "github.event.pull_request.number": "7",
    }
    filled = {
        name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: context[found[1]], str(value))
        for name, value in STEPS[step]["env"].items()
    }
    (folder / "bin").mkdir(exist_ok=True)
    noting = f'printf "%s\\n" "$*" >> "{folder / CALLS}"\n'
    play(folder, "outscore", f'exec "{sys.executable}" -m outscore "$@"\n')
    listed = f'case "$*" in *--paginate*) cat "{folder / "comments.txt"}" ;; *) exit "${{GH_CODE:-0}}" ;; esac\n'
    play(folder, "gh", noting + listed)
    play(folder, "python", f'if [ "$2" = pip ]; then {noting.strip()}; else exec "{sys.executable}" "$@"; fi\n')
    run = {"GITHUB_SERVER_URL": "https://host.example", "GITHUB_REPOSITORY": "team/project", "GITHUB_RUN_ID": "99"}
    places = run | {
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "out"),
        "GITHUB_STEP_SUMMARY": str(folder / "sum.md"),
    }
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEPS[step]["run"]]
    return subprocess.run(
        command, env={**os.environ, **filled, **places, "PATH": path}, cwd=folder, capture_output=True, text=True, check=False
    )


def play(folder: Path, name: str, script: str) -> None:
    program = folder / "bin" / name
    program.write_text(f"#!/bin/sh\n{script}")
    program.chmod(0o755)


@pytest.mark.posix
class TestTheAction:
    def test_it_is_a_composite_action_whose_inputs_go_through_the_environment(self):
        assert ACTION["runs"]["using"] == "composite"
        own = [step for step in ACTION["runs"]["steps"] if "uses" not in step]
        assert all(step["shell"] == "bash" for step in own)
        # An input inside a script would be run as one.
        assert all("${{" not in step["run"] for step in own)
        assert {name for name, entry in ACTION["inputs"].items() if entry.get("required")} == {"margin"}

    def test_everything_it_and_the_workflows_use_is_pinned_by_commit(self):
        texts = [
            path.read_text(encoding="utf-8") for path in [ROOT / "action.yml", *(ROOT / ".github/workflows").glob("*.yml")]
        ]
        uses = [
            line.split("uses:")[1].strip() for text in texts for line in text.splitlines() if re.match(r" *(- )?uses:", line)
        ]
        assert len(uses) > 5
        assert [one for one in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", one)] == []

    def test_it_passes_and_fails_as_the_gate_does(self, versions):
        options = "--alpha=0.01\n\n  --names=the old,the new  "
        done = run_action(versions, baseline="base.csv", candidate="worse.csv", margin="0.04", options=options)
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith("::error title=outscore gate%3A fail::")
        assert "the new" in done.stdout
        assert (versions / "out").read_text() == "outcome=fail\n"
        assert "alpha = .01" in (versions / "sum.md").read_text()
        made = {path.name for path in (versions / "outscore-gate").iterdir()}
        assert made == {"gate.json", "comment.md", "report.html"}
        said = (versions / "outscore-gate" / "comment.md").read_text()
        assert "[The report and all changed items](https://host.example/team/project/actions/runs/99) are attached" in said
        done = run_action(versions, baseline="base.csv", candidate="open.csv", margin="0.04", inconclusive="pass", report="")
        assert done.returncode == 0, done.stderr
        assert (versions / "out").read_text().endswith("outcome=inconclusive\n")
        assert not (versions / "outscore-gate" / "report.html").exists()

    def test_it_compares_with_a_committed_file(self, committed):
        inputs = {"baseline-file": "kept.csv", "candidate": "worse.csv", "margin": "0.04", "report": ""}
        done = run_action(committed, **inputs)
        assert done.returncode == 1, done.stderr

    @pytest.mark.parametrize(
        ("there", "call"),
        a_few(
            [("", "POST repos/team/project/issues/7/comments"), ("41\n42\n", "PATCH repos/team/project/issues/comments/41")], 1
        ),
    )
    def test_it_writes_one_comment(self, versions, there, call):
        run_action(versions, baseline="base.csv", candidate="worse.csv", margin="0.04", report="")
        (versions / "comments.txt").write_text(there)
        done = run_action(versions, "comment")
        assert done.returncode == 0, done.stderr
        asked, wrote = (versions / CALLS).read_text().splitlines()
        marker = "<!-- outscore gate outscore-gate -->"
        assert f'startswith("{marker}")' in asked
        assert wrote.startswith(f"api --silent --method {call} -F body=@")
        written = (versions / "outscore-gate" / "comment.md").read_text()
        assert written.startswith(f"{marker}\n\n### outscore gate: fail\n")
        assert "- worse on " in written

    @pytest.mark.slow
    def test_two_gates_have_a_comment_each(self, versions):
        run_action(versions, baseline="base.csv", candidate="worse.csv", margin="0.04", report='say "hi"/$(x)')
        (versions / "comments.txt").write_text("")
        assert run_action(versions, "comment", report='say "hi"/$(x)').returncode == 0
        assert 'startswith("<!-- outscore gate say--hi----x- -->")' in (versions / CALLS).read_text()

    def test_a_comment_does_not_outlive_a_run_without_an_answer(self, versions):
        """Otherwise the pass of an earlier commit would stand below a later one."""
        done = run_action(versions, candidate="worse.csv", margin="0.04", **{"baseline-file": "none.csv"})
        assert done.returncode == 2
        assert "`none.csv` does not exist" in done.stderr
        assert (
            (versions / "outscore-gate" / "comment.md")
            .read_text()
            .startswith("<!-- outscore gate -->\n\n### outscore gate: no answer\n")
        )
        assert not (versions / "out").exists()
        assert "outcome" not in STEPS["comment"]["if"]
        assert "steps.gate.outputs.outcome != ''" in STEPS["upload"]["if"]

    @pytest.mark.slow
    def test_a_comment_that_may_not_be_written_fails_nothing(self, versions, monkeypatch):
        """Pull requests from forks have a token that only reads."""
        monkeypatch.setenv("GH_CODE", "1")
        run_action(versions, baseline="base.csv", candidate="worse.csv", margin="0.04", report="")
        (versions / "comments.txt").write_text("")
        done = run_action(versions, "comment")
        assert done.returncode == 0
        assert done.stdout.startswith("::warning::The comment could not be written")

    @pytest.mark.parametrize(
        ("version", "installed"),
        [("", f"outscore[report] @ file://{ROOT}"), ("==0.1.0", "outscore[report]==0.1.0"), ("none", None)],
    )
    def test_it_installs_the_checkout_it_is_in(self, versions, version, installed):
        assert run_action(versions, "install", version=version).returncode == 0
        calls = (versions / CALLS).read_text() if (versions / CALLS).exists() else ""
        assert calls == ("" if installed is None else f"-m pip install --quiet {installed}\n")

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
    assert notes[0].startswith("Pass: any loss of same against base is below 0.04")

"""A crash is no answer: it has an exit code of its own, and closed streams do not cause one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_gate import run_action
from tests.variants import variants

from outscore import __main__ as entry
from outscore.cli.app import COMMANDS, App
from outscore.pytest_plugin import assert_not_worse


class Panic(BaseException):
    """What libraries in other languages raise."""


def crash(*_: object, **__: object) -> None:
    raise ZeroDivisionError("the sun\nwent out")


@pytest.fixture
def started(monkeypatch, capfd):
    """Run the command as its users do, and return its exit code and what it printed on standard error."""

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["outscore", *words])
        with pytest.raises(SystemExit) as left:
            entry.main()
        return int(left.value.code or 0), capfd.readouterr().err

    return run


@pytest.fixture
def numbers(tmp_path, monkeypatch) -> None:
    """A baseline, and a candidate that is worse."""
    monkeypatch.chdir(tmp_path)
    Path("good.txt").write_text("1\n1\n1\n0\n" * 50)
    Path("bad.txt").write_text("0\n0\n1\n0\n" * 50)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_crash_is_one_sentence_and_70(command, started, monkeypatch):
    monkeypatch.setattr(App, "invoke", crash)
    code, said = started(command, "x")
    assert code == 70
    assert re.fullmatch(
        r"outscore: This failed unexpectedly: ZeroDivisionError: the sun went out \(app\.py, line \d+\)\. "
        r"Please report it with the command, the files and what it prints with OUTSCORE_TRACEBACK=1\.\n",
        said,
    )


def test_the_place_is_named(started, monkeypatch, numbers):
    monkeypatch.setattr("outscore.workflows.gate.load_systems", crash)
    code, said = started("gate", "good.txt", "bad.txt", "--margin", ".05")
    assert code == 70
    assert "(gate.py, line " in said


@pytest.mark.parametrize("error", [AssertionError(), RecursionError("deep"), Panic("index out of bounds"), KeyError("x")])
def test_whatever_is_raised_is_a_crash(error, started, monkeypatch, numbers):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("outscore.report.render.render", fail)  # while the result is being written
    code, said = started("gate", "good.txt", "bad.txt", "--margin", ".05", "-o", "x.json")
    assert (code, said.count("\n")) == (70, 1)
    assert type(error).__name__ in said
    assert not Path("x.json").exists()


def test_details_are_there_for_those_who_ask(started, monkeypatch):
    monkeypatch.setenv("OUTSCORE_TRACEBACK", "1")
    monkeypatch.setattr(App, "invoke", crash)
    code, said = started("compare", "x")
    assert code == 70
    assert said.startswith("Traceback (most recent call last):")
    assert said.endswith("Please report it with the command, the files and the lines above.\n")


def test_a_crash_before_there_are_commands(started, monkeypatch):
    monkeypatch.setitem(sys.modules, "outscore.cli.app", None)
    code, said = started("compare", "x")
    assert code == 70
    assert "ModuleNotFoundError" in said


def in_bash(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = f'"{sys.executable}" -m outscore'
    return subprocess.run(
        ["/bin/bash", "-c", line.replace("outscore", program, 1)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=60,
    )


CLOSED = [" ".join(ends) for ends in [(">&-",), ("2>&-",), ("<&-",), (">&-", "2>&-"), (">&-", "<&-"), ("2>&-", "<&-")]]
CLOSED.append(">&- 2>&- <&-")


GATES = {
    f"gate good.txt {candidate} --margin .05 -o x.json {ends}": code
    for ends in CLOSED
    for candidate, code in (("good.txt", 0), ("bad.txt", 1), ("absent.txt", 2))
}
QUICK = {words for words in GATES if words.startswith("gate good.txt good.txt") and words.endswith((".json >&-", ".json 2>&-"))}


@pytest.mark.posix
@pytest.mark.parametrize("words", variants(GATES, QUICK))
def test_closed_streams_leave_the_answer_alone(words, numbers):
    done = in_bash(f"outscore {words}", Path.cwd())
    assert (done.returncode, "Traceback" in done.stderr) == (GATES[words], False)
    assert Path("x.json").exists() == (GATES[words] != 2)


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("compare - <&-", 2),
        ("score /dev/stdin <&-", 2),
        ("rank - <&- 2>&-", 2),
        ("compare --help >&-", 0),
        ("metrics >&- 2>&-", 0),
    ],
)
def test_closed_streams_of_other_commands(words, code, numbers):
    done = in_bash(f"outscore {words}", Path.cwd())
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


@pytest.mark.posix
def test_a_reader_that_goes_away_does_not_turn_a_fail_into_a_pass(numbers):
    reading, writing = os.pipe()
    os.close(reading)
    gate = [sys.executable, "-m", "outscore", "gate", "good.txt", "bad.txt", "--margin", ".05"]
    done = subprocess.run(gate, stdout=writing, stderr=subprocess.PIPE, check=False, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    refused = subprocess.run([*gate[:4], "absent.txt", *gate[5:]], stderr=writing, stdout=subprocess.DEVNULL, check=False)
    assert refused.returncode == 2
    os.close(writing)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_no_question_of_paths(numbers):
    for words in ("--help", "gate good.txt bad.txt --margin .05"):
        done = in_bash(f"outscore {words} > /dev/full", Path.cwd())
        assert done.returncode == 2
        assert done.stderr == (
            "outscore: The output could not be written: No space left on device. Free some space, or write it somewhere else.\n"
        )


@pytest.mark.posix
def test_the_action_reads_no_result_of_a_crash(numbers):
    folder = Path.cwd()
    (folder / "outscore-gate.json").write_text('{"outcome": "pass"}')
    (folder / "bin").mkdir()
    broken = folder / "sitecustomize.py"
    broken.write_text("import outscore.cli.app as app\n\ndef crash(*_):\n    raise KeyError('x')\n\napp.App.invoke = crash\n")
    os.environ["PYTHONPATH"] = str(folder)
    try:
        done = run_action(folder, baseline="good.txt", candidate="bad.txt", margin="0.04")
    finally:
        del os.environ["PYTHONPATH"]
    assert done.returncode == 70, done.stderr
    assert "::error::outscore gate gave no answer (exit code 70); its message says why." in done.stdout
    assert not (folder / "out").exists()


def test_pytest_takes_no_crash_for_a_verdict(monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("inside")

    monkeypatch.setattr("outscore.api.gate", fail)
    with pytest.raises(RuntimeError, match=r"nothing was decided: AssertionError\('inside'\)"):
        assert_not_worse([1, 0], [1, 0], margin=0.1)

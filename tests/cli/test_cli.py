from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from outscore._version import __version__
from outscore.cli import app
from outscore.cli.inputs import parse_names, unique_names
from outscore.cli.output import write_files
from outscore.errors import OutscoreError


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with small files of every kind."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal([0.6, 0.5], 0.1, (60, 2)), 3)
    counts = rng.integers(0, 9, (60, 4))
    Path("a.txt").write_text("\n".join(map(str, scores[:, 0])))
    Path("b.txt").write_text("\n".join(map(str, scores[:, 1])))
    Path("pairs.csv").write_text("new,old\n" + "\n".join(f"{a},{b}" for a, b in scores))
    Path("counts.tsv").write_text("\n".join("\t".join(map(str, row)) for row in counts))
    Path("ca.txt").write_text("\n".join(f"{a} {b}" for a, b in counts[:, :2]))
    Path("cb.txt").write_text("\n".join(f"{a} {b}" for a, b in counts[:, 2:]))
    Path("short.txt").write_text("0.5\n")
    Path("text.txt").write_text("0.5 0.6\n0.5 good\n")
    return tmp_path


def run(*arguments: str, stdin: str | None = None):
    result = CliRunner().invoke(app, list(arguments), input=stdin, prog_name="outscore")
    # A traceback is a failure of the command line itself, whatever the exit code.
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def compared(*arguments: str, stdin: str | None = None) -> dict:
    result = run("compare", *arguments, "--format", "json", stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["comparisons"][0]


def test_version():
    assert run("--version").stdout == f"outscore {__version__}\n"


@pytest.mark.parametrize("command", ["metrics", "tests", "formats"])
def test_lists(command):
    result = run(command)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_text_report(folder):
    result = run("compare", "pairs.csv")
    assert result.exit_code == 0
    assert result.stdout.startswith("new outscored old: mean ")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stderr == ""


def test_two_files_and_two_columns_agree(folder):
    one, two = compared("pairs.csv"), compared("a.txt", "b.txt")
    assert one["systems"] == ["new", "old"]
    assert two["systems"] == ["a", "b"]
    assert (one["p"], one["difference"]) == (two["p"], two["difference"])


def test_standard_input(folder):
    assert compared("-", stdin=Path("pairs.csv").read_text())["p"] == compared("pairs.csv")["p"]
    assert compared("-", "b.txt", stdin=Path("a.txt").read_text())["systems"] == ["stdin", "b"]


def test_counts_are_f1_and_the_report_says_so(folder):
    one, two = compared("counts.tsv"), compared("ca.txt", "cb.txt")
    assert one["metric"] == two["metric"] == "f1"
    assert one["p"]["value"] == two["p"]["value"]
    assert "read as F1 counts" in one["notes"][0]
    asked = compared("counts.tsv", "--metric", "f1")
    assert not any("read as F1 counts" in note for note in asked["notes"])


def test_options_arrive(folder):
    result = run(
        "compare", "pairs.csv", "--method", "monte-carlo", "--resamples", "199", "--seed", "3", "--alternative", "greater",
        "--alpha", "0.01", "--names", "X,Y", "--format", "json",
    )  # fmt: skip
    data = json.loads(result.stdout)
    assert data["schema"] == "outscore/result/1"
    assert data["comparisons"][0]["systems"] == ["X", "Y"]
    assert data["comparisons"][0]["p"]["method"] == "monte-carlo"
    settings = data["settings"]
    assert (settings["resamples"], settings["seed"], settings["alternative"], settings["alpha"]) == (199, 3, "greater", 0.01)
    assert settings["inputs"][0]["path"] == "pairs.csv"
    assert len(settings["inputs"][0]["sha256"]) == 64


def test_output_files(folder):
    result = run("compare", "pairs.csv", "-o", "r.txt", "-o", "r.json")
    assert result.exit_code == 0
    assert Path("r.txt").read_text() == result.stdout
    assert json.loads(Path("r.json").read_text())["comparisons"][0]["systems"] == ["new", "old"]
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith((".", "r."))) == ["r.json", "r.txt"]


BAD = {
    "missing-file": ["compare", "pair.csv"],
    "folder": ["compare", "."],
    "no-file": ["compare"],
    "three-files": ["compare", "a.txt", "b.txt", "short.txt"],
    "one-column-alone": ["compare", "a.txt"],
    "unequal-lengths": ["compare", "a.txt", "short.txt"],
    "unequal-widths": ["compare", "a.txt", "ca.txt"],
    "fractions-as-counts": ["compare", "pairs.csv", "pairs.csv"],
    "text": ["compare", "text.txt"],
    "stdin-twice": ["compare", "-", "-"],
    "names": ["compare", "pairs.csv", "--names", "A"],
    "suffix": ["compare", "pairs.csv", "-o", "r.xls"],
    "output-folder": ["compare", "pairs.csv", "-o", "nowhere/r.txt"],
    "unknown-option": ["compare", "pairs.csv", "--metrics", "f1"],
    "unknown-command": ["compares"],
    "unknown-method": ["compare", "pairs.csv", "--method", "magic"],
    "alpha-text": ["compare", "pairs.csv", "--alpha", "five"],
    "demo-seed": ["demo", "--seed", "-1"],
    "demo-folder": ["demo", "--output", "a.txt"],
}

# Click words these, and may word them otherwise in its next release.
WORDED_BY_CLICK = {"unknown-option", "unknown-command", "unknown-method", "alpha-text"}


@pytest.mark.parametrize("name", BAD)
def test_errors(folder, golden, name):
    before = sorted(folder.iterdir())
    result = run(*BAD[name])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("outscore: ")
    if name not in WORDED_BY_CLICK:
        golden(f"cli/{name}.txt", result.stderr)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "arguments", [["--metric", "meen"], ["--alpha", "5"], ["--resamples", "0", "--method", "monte-carlo"], ["--delta", "nan"]]
)
def test_impossible_requests_are_refused_in_a_sentence(folder, arguments):
    result = run("compare", "pairs.csv", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("outscore: ")
    assert result.stderr.count("\n") == 1


def test_no_command_shows_help():
    result = run()
    assert result.exit_code == 2
    assert "compare" in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 2, "not enough memory"),
        (OSError(28, "No space left on device", "x"), 2, "No space left"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), 2, "UTF-8"),
        (OutscoreError("One thing.", "Do\nanother."), 2, "One thing. Do another."),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_failures_inside(folder, monkeypatch, error, code, words):
    def fail(*_args, **_more):
        raise error

    monkeypatch.setattr("outscore.cli.compare.read_systems", fail)
    result = run("compare", "pairs.csv")
    assert result.exit_code == code
    assert words in result.stderr


def test_demo_repeats_from_its_files(folder):
    result = run("demo", "--output", "here")
    assert result.exit_code == 0, result.stderr
    saved = json.loads(Path("here/report.json").read_text())
    assert [c["metric"] for c in saved["comparisons"]] == ["accuracy", "f1", "mean"]
    commands = [line.split()[1:] for line in result.stdout.splitlines() if line.startswith("    outscore ")]
    assert len(commands) == 3
    for command, expected in zip(commands, saved["comparisons"], strict=True):
        assert compared(*command[1:]) == expected
    assert result.stdout.startswith(Path("here/report.txt").read_text())


def test_demo_is_seeded(folder):
    for seed, name in (("0", "x"), ("0", "y"), ("1", "z")):
        assert run("demo", "--seed", seed, "--output", name).exit_code == 0
    first, again, other = (Path(name, "quality.tsv").read_text() for name in "xyz")
    assert first == again != other


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a.txt", "b.txt"), ("a", "b")),
        (("x/s.txt", "y/s.txt"), ("x/s", "y/s")),
        (("x/s.txt", "s.txt"), ("x/s", "s")),
        (("s.txt", "s.csv.gz"), ("s", "s (2)")),
        (("s.txt", "s.txt"), ("s", "s (2)")),
        (("../s.txt", "./s.txt"), ("s", "s (2)")),
        (("-", "b.v2.txt"), ("stdin", "b.v2")),
    ],
)
def test_names_from_paths(paths, names):
    assert unique_names(paths, stems=True) == names


def test_names_option():
    assert parse_names(None) is None
    assert parse_names(" A , B ") == ("A", "B")
    for bad in ("A", "A,A", "A,", "A,B,C"):
        with pytest.raises(OutscoreError):
            parse_names(bad)


def test_all_files_or_none(folder):
    Path("old.txt").write_text("old")
    with pytest.raises(OutscoreError, match="could not be written"):
        write_files({"old.txt": "new", "nowhere/x.txt": "new"})
    assert Path("old.txt").read_text() == "old"
    assert not [p for p in folder.iterdir() if p.name.startswith(".")]


def test_written_files_have_usual_permissions(folder):
    mask = os.umask(0o022)
    try:
        write_files({"x.txt": "x"})
    finally:
        os.umask(mask)
    assert stat.S_IMODE(Path("x.txt").stat().st_mode) == 0o644


def test_links_and_devices_survive(folder):
    Path("target.txt").write_text("old")
    Path("link.txt").symlink_to("target.txt")
    write_files({"link.txt": "new", os.devnull: "new"})
    assert Path("link.txt").is_symlink()
    assert Path("target.txt").read_text() == "new"
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


COMMAND = [sys.executable, "-m", "outscore"]


def test_process_refuses_without_traceback(folder):
    done = subprocess.run([*COMMAND, "compare", "text.txt"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        'outscore: `text.txt`, line 2: found "good", expected a number. Keep only numbers below an optional header line.\n'
    )


def test_process_survives_a_closed_pipe(folder):
    with subprocess.Popen([*COMMAND, "formats"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_process_interrupted(folder):
    with subprocess.Popen([*COMMAND, "compare", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # It has started once it holds the first line and waits for more.
        process.stdin.write(b"0.5 0.6\n")
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.send_signal(signal.SIGINT)
        process.wait(10)
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 130


def test_standard_input_is_named_in_messages():
    assert run("compare", "-", stdin="1\n").stderr.startswith("outscore: Standard input has one column")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_process_with_a_poor_encoding(folder, encoding):
    command = [*COMMAND, "compare", "pairs.csv", "--method", "monte-carlo", "--names", "\u65b0,\u65e7"]
    done = subprocess.run(command, capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""


def test_real_file(shared_data):
    result = compared(str(shared_data / "nlpstattest" / "data-file.txt"))
    assert result["n"] == 2001

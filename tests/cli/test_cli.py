from __future__ import annotations

import contextlib
import csv
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
from tests.variants import a_few

from outscore._version import __version__
from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.results.files import write_files
from outscore.workflows.names import distinct_names
from outscore.workflows.requests.compare import CompareRequest


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with small files of every kind."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal([0.6, 0.5], 0.1, (60, 2)), 3)
    counts = rng.integers(0, 4, (60, 4))
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
    result = run("compare", "-v", "pairs.csv")
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
    assert compared("-", "b.txt", stdin=Path("a.txt").read_text())["systems"] == ["A", "b"]


def test_counts_are_f1_and_the_report_says_so(folder):
    one, two = compared("counts.tsv"), compared("ca.txt", "cb.txt")
    assert one["metric"] == two["metric"] == "f1"
    assert one["p"]["value"] == two["p"]["value"]
    assert "read as F1 counts" in one["notes"][0]["text"]
    asked = compared("counts.tsv", "--metric", "f1")
    assert not any("read as F1 counts" in note["text"] for note in asked["notes"])


@pytest.mark.parametrize("method", ["auto", "dp", "fft"])
def test_a_p_below_all_floats_is_saved_and_read_again(folder, method):
    Path("strong.csv").write_text("new,old\n" + "3,1\n2,1\n" * 700)
    assert "p = 10^-421.1, exact" in run("compare", "-v", "strong.csv", "--method", method, "-o", "strong.json").stdout
    assert "p = 10^-421.1, exact" in run("report", "-v", "strong.json").stdout


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
    result = run("compare", "-v", "pairs.csv", "-o", "r.txt", "-o", "r.json")
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


EARLY = {
    "metric": ["--metric", "meen"],
    "metric-option": ["--metric", "fbeta:beta=x"],
    "test": ["--test", "studnet"],
    "set": ["--set", "zeros"],
    "set-unknown": ["--test", "wilcoxon", "--set", "zeroes=pratt"],
    "set-value": ["--test", "wilcoxon", "--set", "zeros=keep"],
    "set-twice": ["--test", "wilcoxon", "--set", "zeros=drop", "--set", "zeros=pratt"],
    "resamples-twice": ["--test", "bootstrap", "--resamples", "99", "--set", "resamples=9"],
    "method-of-another": ["--test", "student", "--method", "exact"],
    "correction": ["--correction", "hollm"],
    "alpha": ["--alpha", "5"],
    "alpha-nan": ["--alpha", "nan"],
    "normality-alpha": ["--normality-alpha", "0"],
    "delta": ["--delta", "nan"],
    "margin": ["--margin", "-1"],
    "margin-infinite": ["--margin", "inf"],
    "margin-test": ["--margin", "1", "--test", "bayes"],
    "seed": ["--seed", "-1"],
    "unit-size": ["--unit-size", "0"],
    "shuffle": ["--shuffle", "3"],
    "shuffle-negative": ["--shuffle", "-3", "--unit-size", "2"],
    "unit-statistic": ["--unit-statistic", "median"],
    "names": ["--names", "A,A"],
    "output-suffix": ["-o", "r.xls"],
    "output-folder": ["-o", "r.json", "-o", "nowhere/r.txt"],
    "output-is-folder": ["-o", "folder.txt"],
    "output-is-input": ["-o", "./pairs.csv"],
    "output-forbidden": ["-o", "locked/r.txt"],
    "charts-file": ["--charts", "a.txt"],
    "charts-forbidden": ["--charts", "locked/x/charts"],
}


@pytest.fixture
def nothing_read(folder, monkeypatch):
    """A folder whose files must not be opened."""

    def fail(*_args, **_more):
        raise AssertionError("a file was read")

    Path("folder.txt").mkdir()
    Path("locked").mkdir()
    Path("locked").chmod(0o500)
    monkeypatch.setattr("outscore.workflows.load.load_pair", fail)
    yield folder
    Path("locked").chmod(0o700)


@pytest.mark.posix
def test_impossible_requests_are_refused_before_anything_is_read(nothing_read, golden):
    found = []
    for name, arguments in EARLY.items():
        if name.endswith("forbidden") and os.access("locked", os.W_OK):
            # The administrator may write anywhere.
            continue
        result = run("compare", "pairs.csv", *arguments)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), name
        found.append(f"{name}\n    {result.stderr.removeprefix('outscore: ')}")
    forbidden = [entry for entry in found if "forbidden\n" in entry]
    for entry in forbidden:
        assert "you may not write to the folder" in entry
    golden("cli/refused-early.txt", "\n".join(entry for entry in found if entry not in forbidden))


@pytest.mark.parametrize(
    ("arguments", "module", "package"),
    [
        (["-o", "r.html"], "jinja2", "jinja2"),
        (["-o", "r.html"], "altair", "altair"),
        (["--charts", "c"], "vl_convert", "vl-convert-python"),
    ],
)
def test_missing_packages_are_refused_before_anything_is_read(nothing_read, monkeypatch, arguments, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    result = run("compare", "pairs.csv", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"outscore: {package} must be installed to ")
    assert "pip install 'outscore[report]'" in result.stderr


def test_charts_are_written_whole_or_not_at_all(folder, monkeypatch):
    Path("charts").mkdir()
    before = sorted(folder.rglob("*"))
    # There is no folder for the second chart, or none can be made for all of them.
    drawn = {"a.svg": b"<svg/>", "nowhere/b.svg": b"<svg/>"}
    monkeypatch.setattr("outscore.report.render.chart_files", lambda _result: drawn)
    for target in ("charts", "new/charts", "short.txt/charts"):
        done = run("compare", "short.txt", "short.txt", "--charts", target, "-o", "r.json")
        assert (done.exit_code, "could not be written" in done.stderr) == (2, True)
        assert sorted(folder.rglob("*")) == before
    drawn["b.svg"] = drawn.pop("nowhere/b.svg")
    assert run("compare", "short.txt", "short.txt", "--charts", "new/charts", "-o", "r.json").exit_code == 0
    assert sorted(path.name for path in Path("new/charts").iterdir()) == ["a.svg", "b.svg"]


def test_csv(folder):
    done = run("compare", "short.txt", "short.txt", "-o", "r.csv")
    assert done.exit_code == 0, done.stderr
    (row,) = csv.DictReader(Path("r.csv").read_text().splitlines())
    assert (row["system_a"], row["p"], row["score_a"], row["winner"], row["claim"]) == ("short", "1.0", "0.5", "", "undecided")


class TestSlices:
    @pytest.fixture
    def parts(self, folder):  # noqa: ARG002 - the current folder
        """Compare with a slice column whose values are given, item by item."""

        def found(values, *arguments):
            rng = np.random.default_rng(2)
            scores = (rng.random((len(values), 2)) < [0.8, 0.5]).astype(int)
            rows = [f"{i},{a},{b},{v}" for i, (v, (a, b)) in enumerate(zip(values, scores, strict=True))]
            Path("sliced.csv").write_text("\n".join(["id,new,old,task", *rows]))
            result = run("compare", "sliced.csv", "--slice", "task", "--format", "json", *arguments)
            assert result.exit_code == 0, result.stderr
            return json.loads(result.stdout)

        return found

    def test_one_value_is_the_whole(self, parts):
        found = parts(["x"] * 30)
        whole, only = found["comparisons"]
        assert found["family"]["m"] == 1
        assert only["p"]["adjusted"] == only["p"]["value"] == whole["p"]["value"]
        assert only["verdict"].split(":")[0] == whole["verdict"].split(":")[0]

    def test_thirty_values(self, parts):
        found = parts([f"t{i % 30}" for i in range(300)])
        assert found["family"] == {"correction": "holm", "error_rate": "FWER", "m": 30}
        assert [c["slice"]["value"] for c in found["comparisons"][1:]] == [f"t{i}" for i in range(30)]
        for c in found["comparisons"][1:]:
            assert c["p"]["adjusted"] >= c["p"]["value"]

    def test_missing_values_are_a_slice_of_their_own(self, parts):
        found = parts(["x", "", "y"] * 20)
        assert [c["slice"]["value"] for c in found["comparisons"][1:]] == ["x", "(none)", "y"]
        assert sum(c["n"] for c in found["comparisons"][1:]) == found["comparisons"][0]["n"] == 60

    def test_a_winner_must_survive_the_correction(self, parts):
        found = parts([f"t{i % 12}" for i in range(300)])
        alone = [c for c in found["comparisons"][1:] if c["p"]["value"] <= 0.05]
        lost = [c for c in alone if c["p"]["adjusted"] > 0.05]
        assert lost
        for c in lost:
            assert c["decision"]["winner"] is None
            assert c["verdict"].startswith("No winner")

    def test_a_slice_too_small_for_the_test_does_not_cost_the_others(self, parts):
        found = parts(["x"] * 20 + ["y"], "--unit-size", "5")
        assert found["family"]["m"] == 1
        assert any(note["text"].startswith("Slice task = y was left out: ") for note in found["comparisons"][0]["notes"])


def test_unit_advice(folder):
    Path("flags.txt").write_text("\n".join(f"{i % 3 > 0:d} {i % 2}" for i in range(60)))
    rows = compared("flags.txt", "--unit-advice", "--shuffle", "1")["unit_advice"]
    assert [row["size"] for row in rows] == [1, 2, 5, 10, 15, 20, 30]
    assert compared("flags.txt")["unit_advice"] == []


def test_normality_alpha_reaches_the_analysis(folder):
    strict, lax = (
        compared("pairs.csv", "--test", "student", "--normality-alpha", level)["analysis"] for level in ("0.000001", "0.499999")
    )
    assert strict["normality"] == lax["normality"]
    assert "level 1e-06" in strict["normality_reason"]
    assert "level 0.499999" in lax["normality_reason"]


def test_counts_in_three_columns(folder):
    rows = ["1,new,3,1,0", "1,old,2,2,1", "2,new,4,0,1", "2,old,1,1,3"]
    Path("counts.csv").write_text("\n".join(["id,model,tp,fp,fn", *rows]))
    found = compared("counts.csv", "--score", "tp", "--score", "fp", "--score", "fn")
    assert found["metric"] == "f1"
    assert found["scores"][0]["value"] == pytest.approx(14 / 16)


def test_all_tests_warn_against_choosing_afterwards(folder):
    Path("flags.txt").write_text("\n".join(f"{i % 3 > 0:d} {i % 2}" for i in range(20)))
    for form in ("text", "markdown"):
        said = " ".join(run("compare", "-v", "flags.txt", "--test", "all", "--format", form).stdout.split())
        assert "Choosing one afterwards, from this table, finds differences where there are none." in said


def test_no_command_shows_help():
    result = run()
    assert result.exit_code == 2
    assert "compare" in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 2, "outscore: There is not enough memory for this. Use fewer or smaller files.\n"),
        (OSError(28, "No space left on device", "x"), 2, "No space left"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), 2, "UTF-8"),
        (OutscoreError("One thing.", "Do\nanother."), 2, "One thing. Do another."),
        (KeyboardInterrupt(), 130, "outscore: interrupted.\n"),
    ],
)
def test_failures_inside(folder, monkeypatch, error, code, words):
    def fail(*_args, **_more):
        raise error

    monkeypatch.setattr("outscore.workflows.compare.run.load", fail)
    result = run("compare", "pairs.csv")
    assert result.exit_code == code
    assert words in result.stderr


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a.txt", "b.txt"), ("a", "b")),
        (("x/s.txt", "y/s.txt"), ("x/s", "y/s")),
        (("x/s.txt", "s.txt"), ("x/s", "s")),
        (("s.txt", "s.csv.gz"), ("s.txt", "s.csv")),
        (("s.txt", "s.txt"), ("s", "s (2)")),
        (("../s.txt", "./s.txt"), ("s", "s (2)")),
        (("-", "b.v2.txt"), ("stdin", "b.v2")),
    ],
)
def test_names_from_paths(paths, names):
    assert distinct_names(paths) == list(names)


def test_names_option():
    assert CompareRequest.from_written({}).names == ()
    assert CompareRequest.from_written({"names": " A , B "}).names == ("A", "B")
    for bad in ("A", "A,A", "A,", "A,B,C"):
        with pytest.raises(OutscoreError):
            CompareRequest.from_written({"names": bad})


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


@pytest.mark.posix
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


@pytest.mark.posix
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
        assert process.stderr.read() == b"outscore: interrupted.\n"
    assert process.returncode == 130


@pytest.mark.posix
def test_work_on_a_terminal_shows_life_and_an_interrupt_leaves_no_trace(folder):
    """Standard error is a terminal here: what appears on it says when the long work has begun."""
    import pty

    Path("long.txt").write_text("\n".join(f"{i % 7 + i / 1e5:.5f} {i % 5}" for i in range(20_000)))
    before = sorted(folder.iterdir())
    screen, terminal = pty.openpty()
    command = ["compare", "long.txt", "--test", "bootstrap-t", "--resamples", "1000000", "-o", "r.json", "--charts", "charts"]
    with subprocess.Popen([*COMMAND, *command], stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        seen = b""
        while b"comparing" not in seen:
            seen += os.read(screen, 1024)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.read() == b""
        process.wait(20)
        with contextlib.suppress(OSError):
            # A terminal whose other end was closed fails where a file would end.
            while more := os.read(screen, 1024):
                seen += more
    os.close(screen)
    assert process.returncode == 130
    assert seen.endswith(b"outscore: interrupted.\r\n")
    assert b"Traceback" not in seen
    # The cursor, which the spinner hides, is shown again.
    assert seen.rfind(b"\x1b[?25h") > seen.rfind(b"\x1b[?25l")
    assert sorted(folder.iterdir()) == before


def test_no_spinner_without_a_terminal(folder):
    command = ["compare", "pairs.csv", "--test", "bootstrap", "--resamples", "100000"]
    done = subprocess.run([*COMMAND, *command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_standard_input_is_named_in_messages():
    assert run("compare", "-", stdin="1\n").stderr.startswith("outscore: Standard input has one column")


@pytest.mark.parametrize("encoding", a_few(["ascii", "latin-1"], 1))
def test_process_with_a_poor_encoding(folder, encoding):
    command = [*COMMAND, "compare", "pairs.csv", "--method", "monte-carlo", "--names", "\u65b0,\u65e7"]
    done = subprocess.run(command, capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""


def test_real_file(shared_data):
    result = compared(str(shared_data / "nlpstattest" / "data-file.txt"))
    assert result["n"] == 2001


def test_columns_recognised_by_name_are_named_where_they_count(folder):
    rows = [f"q{i},d{i // 2},{e},{m},{(i + e + m) % 2}" for i in range(6) for e in range(2) for m in range(2)]
    Path("long.csv").write_text("\n".join(["question_id,doc,epoch,model,score", *rows]))
    note = "Recognised by name: `epoch` as repeats (epochs) and `doc` as clusters."
    assert {"kind": "input", "text": note} in compared("long.csv")["notes"]
    assert not any(
        "Recognised" in note["text"] for note in compared("long.csv", "--repeat", "epoch", "--cluster", "doc")["notes"]
    )


def test_clusters_recognised_by_name_can_be_left_out(folder):
    rows = [f"q{i},d{i // 2},{m},{(i * (m + 2)) % 5}" for i in range(9) for m in range(2)]
    Path("long.csv").write_text("\n".join(["question_id,doc,model,score", *rows]))
    refused = run("compare", "long.csv", "--test", "wilcoxon")
    assert refused.exit_code == 2
    assert "Recognised by name: `doc` as clusters. Write --cluster none to ignore clusters.\n" in refused.stderr
    assert compared("long.csv", "--test", "wilcoxon", "--cluster", "none")["clusters"] is None
    assert compared("long.csv")["clusters"] == 5


def test_large_scores_are_written_alike():
    result = run("compare", "-v", "-", stdin="1000000000.02 999999999.91\n1000000000.03 999999999.92\n")
    assert "mean 1000000000.02 against 999999999.91" in " ".join(result.stdout.split())

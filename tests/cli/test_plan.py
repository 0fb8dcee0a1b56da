from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from outscore.cli.app import App
from outscore.cli.plan import plan

app = App("outscore", commands=[plan])


def run(*arguments: str):
    result = CliRunner().invoke(app, ["plan", *arguments], prog_name="outscore")
    # A traceback is a failure of the command line itself, whatever the exit code.
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def planned(*arguments: str) -> dict:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal([0.6, 0.5], 0.1, (12, 2)), 3)
    Path("a.txt").write_text("\n".join(map(str, scores[:, 0])))
    Path("b.txt").write_text("\n".join(map(str, scores[:, 1])))
    Path("both.csv").write_text("new,old\n" + "\n".join(f"{a},{b}" for a, b in scores))
    lines = ["question,model,epoch,passage,score"]
    for item in range(20):
        for system in ("new", "old", "third"):
            lines += [f"q{item},{system},{epoch},p{item // 4},{rng.random():.3f}" for epoch in range(3)]
    Path("long.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


ANSWERS = {
    "items": (["--effect", ".03", "--sd", "0.333333333333"], "You need 969 items to detect a difference of 0.03"),
    "effect": (["--n", "1000", "--sd", ".3"], "With 1,000 items you can detect a difference of 0.0266"),
    "power": (["--n", "1000", "--sd", ".3", "--effect", ".02"], "With 1,000 items the power to detect a difference of 0.02"),
    "t": (["--effect", ".2"], "You need 199 items to detect an effect of 0.2 standard deviations"),
    "discordance": (
        ["--effect", ".03", "--discordance", ".1"],
        "You need 920 items to detect a difference of 0.03 in accuracy",
    ),
    "accuracy": (["--effect", ".02", "--accuracy", ".87"], "You need 4,238 items"),
    "repeats": (
        ["--effect", ".02", "--sd", ".3", "--within", ".4", "--repeats", "5"],
        "You need 2,394 items, each run 5 times",
    ),
    "clusters": (
        ["--n", "1000", "--sd", ".3", "--cluster-size", "10", "--icc", ".1"],
        "With 1,000 items in 100 clusters of 10",
    ),
    "reviewer": (["--scores", ".871", ".864", "--n", "1000"], "p lies between .016 and .71,"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_the_first_line_is_the_answer(case):
    arguments, words = ANSWERS[case]
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert " ".join(result.stdout.split()).startswith(words)
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stderr == ""
    data = planned(*arguments)
    assert data["verdict"].startswith(words)
    assert data["schema"] in ("outscore/plan/1", "outscore/possible-p/1")


def test_json_holds_the_numbers():
    data = planned("--effect", ".03", "--sd", repr(1 / 3))
    assert data["n"] == pytest.approx(968.9975, abs=1e-4)
    assert (data["items"], data["t_items"]) == (969, 971)
    assert {"n", "power"} <= data["curve"][0].keys()
    data = planned("--scores", ".871", ".864", "--n", "1000")
    assert (data["discordant"], data["significant_up_to"]) == ([7, 265], 9)
    assert data["lowest"]["value"] == pytest.approx(2 / 2**7)


def test_pilot_in_one_file_or_two(folder):
    one, two = planned("--pilot", "both.csv"), planned("--pilot", "a.txt", "b.txt")
    assert one == two == planned("--pilot", "a.txt", "--pilot", "b.txt")
    assert one["basis"] == "sd"
    assert "Spread from a pilot of 12 items." in run("--pilot", "both.csv").stdout


def test_pilot_with_repeats_and_clusters(folder):
    names = ["--system", "new", "--system", "old", "--item", "question", "--repeat", "epoch", "--cluster", "passage"]
    data = planned("--effect", ".1", "--pilot", "long.csv", *names, "--score", "score", "--repeats", "2")
    assert data["within"] > 0
    assert (data["repeats"], data["cluster_size"]) == (2, 4)
    assert any("pilot of 20 items" in note for note in data["notes"])


def test_retrospective(folder):
    result = run("--pilot", "both.csv", "--retrospective", "--replicates", "3")
    assert "permutation test, normal samples (95 % band)" in result.stdout
    assert "permutation test, bootstrap samples (95 % band)" in result.stdout
    assert "function of p alone" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80
    data = planned("--pilot", "both.csv", "--retrospective", "--replicates", "3", "--seed", "2")
    assert [curve["kind"] for curve in data["retrospective"]] == ["normal", "bootstrap"]
    assert data["retrospective"][0]["seed"] == 2


BAD = {
    "nothing": ([], "There is nothing to plan from."),
    "effect 0": (["--effect", "0", "--sd", "1"], "no number of items detects no difference"),
    "n 1": (["--n", "1"], "a t test needs two items"),
    "n 0": (["--n", "0"], "0 is not in the range"),
    "power 1": (["--effect", ".1", "--sd", "1", "--power", "1"], "endlessly many items"),
    "discordance": (["--effect", ".1", "--discordance", ".05"], "less than the effect"),
    "two spreads": (["--effect", ".1", "--sd", "1", "--discordance", ".3"], "Both `sd` and `discordance`"),
    "scores without n": (["--scores", ".8", ".7"], "without the number of items"),
    "scores and effect": (["--scores", ".8", ".7", "--n", "10", "--effect", ".1"], "--effect has no meaning beside --scores"),
    "impossible score": (["--scores", ".871", ".86", "--n", "7"], "No number of right answers out of 7 prints as `.871`"),
    "no score": (["--scores", "good", ".86", "--n", "7"], "A score is `good`"),
    "repeats": (["--effect", ".1", "--sd", "1", "--repeats", "3"], "nothing says how much runs"),
    "retrospective": (["--effect", ".1", "--sd", "1", "--retrospective"], "--retrospective needs a pilot"),
    "pilot and sd": (["--pilot", "both.csv", "--sd", "1"], "--sd is what the pilot is there to tell"),
    "three pilots": (["--pilot", "a.txt", "b.txt", "a.txt"], "3 pilot files"),
    "files alone": (["a.txt", "b.txt"], "`a.txt` was named without --pilot"),
    "one system": (["--pilot", "a.txt"], "the scores of one system only"),
    "three systems": (["--pilot", "long.csv"], "holds 3 systems: `new`, `old` and `third`"),
    "missing": (["--pilot", "nowhere.txt"], "`nowhere.txt` does not exist"),
    "test": (["--pilot", "both.csv", "--retrospective", "--test", "students"], "There is no test `students`"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(case, folder):
    arguments, words = BAD[case]
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def test_help_loads_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys\nfrom outscore.cli.plan import plan\ntry:\n    plan(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not {'numpy', 'scipy', 'msgspec', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)

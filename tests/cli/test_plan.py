from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import App
from outscore.cli.commands import plan
from outscore.inference.power.planning import power
from outscore.report.render import render
from outscore.results.saved import from_saved

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


HUGE = ("1e5000", "1e-5000", "1e999999999", "0e9", "9" * 5_000)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal([0.6, 0.5], 0.1, (12, 2)), 3)
    Path("a.txt").write_text("\n".join(map(str, scores[:, 0])))
    Path("b.txt").write_text("\n".join(map(str, scores[:, 1])))
    Path("printed.csv").write_text("system,score\nA,0.875\nB,0.865\nC,0.75\n")
    for score in HUGE:
        Path(f"{score[:9]}.csv").write_text(f"system,score\nB,0.865\nC,{score}\nA,0.875\n")
    Path("counts.txt").write_text("1 0 1 1\n2 1 2 0\n")
    Path("plan.yaml").write_text("effect: .03\nsd: 0.333333333333\nformat: json\n")
    Path("bad.yaml").write_text("effekt: .03\n")
    Path("both.csv").write_text("new,old\n" + "\n".join(f"{a},{b}" for a, b in scores))
    lines = ["question,model,epoch,passage,score"]
    for item in range(20):
        for system in ("new", "old", "third"):
            lines += [f"q{item},{system},{epoch},p{item // 4},{rng.random():.3f}" for epoch in range(3)]
    Path("long.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


ANSWERS = {
    "items": (["--effect", ".03", "--sd", "0.333333333333"], "You need 971 items to detect a difference of 0.03"),
    "effect": (["--n", "1000", "--sd", ".3"], "With 1,000 items you can detect a difference of 0.0267"),
    "power": (["--n", "1000", "--sd", ".3", "--effect", ".02"], "With 1,000 items the power to detect a difference of 0.02"),
    "t": (["--effect", ".2"], "You need 199 items to detect an effect of 0.2 standard deviations"),
    "discordance": (
        ["--effect", ".03", "--discordance", ".1"],
        "You need 920 items to detect a difference of 0.03 in accuracy",
    ),
    "accuracy": (["--effect", ".02", "--accuracy", ".87"], "You need 4,238 items"),
    "method": (["--effect", ".03", "--sd", "0.333333333333", "--method", "t"], "You need 971 items"),
    "repeats": (
        ["--effect", ".02", "--sd", ".3", "--within", ".4", "--repeats", "5"],
        "You need 2,396 items, each run 5 times",
    ),
    "clusters": (
        ["--n", "1000", "--sd", ".3", "--cluster-size", "10", "--icc", ".1"],
        "With 100 clusters of 10 items (1,000 items) you can detect",
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
    assert len(result.stdout.splitlines()) <= 26
    assert result.stderr == ""
    data = planned(*arguments)
    assert data["verdict"].startswith(words)
    assert data["schema"] in ("outscore/plan/1", "outscore/possible-p/1")


def test_json_holds_the_numbers():
    data = planned("--effect", ".03", "--sd", repr(1 / 3))
    assert data["n"] == pytest.approx(970.9176, abs=1e-4)
    assert (data["items"], data["t_items"]) == (971, 971)
    assert {"n", "power"} <= data["curve"][0].keys()
    data = planned("--scores", ".871", ".864", "--n", "1000")
    assert (data["discordant"], data["significant_up_to"]) == ([7, 265], 9)
    assert data["lowest"]["value"] == pytest.approx(2 / 2**7)


def test_pilot_in_one_file_or_two(folder):
    one, two = planned("--pilot", "both.csv"), planned("--pilot", "a.txt", "b.txt")
    assert two == planned("--pilot", "a.txt", "--pilot", "b.txt")
    differ = {"settings": None, "reading": None}
    assert {**one, **differ} == {**two, **differ}
    assert one["design"]["discordance"] is None
    assert [i["path"] for i in two["settings"]["inputs"]] == two["settings"]["pilot"] == ["a.txt", "b.txt"]
    assert "Spread from a pilot of 12 items." in run("--pilot", "both.csv").stdout


def test_pilot_with_repeats_and_clusters(folder):
    names = ["--system", "new", "--system", "old", "--item", "question", "--repeat", "epoch", "--cluster", "passage"]
    data = planned("--effect", ".1", "--pilot", "long.csv", *names, "--score", "score", "--repeats", "2")
    assert data["design"]["within"] > 0
    assert (data["design"]["repeats"], data["design"]["cluster_size"]) == (2, 4)
    assert any("pilot of 20 items" in note["text"] for note in data["notes"])


def test_retrospective(folder):
    result = run("--pilot", "both.csv", "--retrospective", "--replicates", "3")
    assert "Power of the permutation test at a difference of" in result.stdout
    assert "12 (observed)" in result.stdout
    assert "function of p alone" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80
    data = planned("--pilot", "both.csv", "--retrospective", "--replicates", "3", "--seed", "2")
    assert [curve["kind"] for curve in data["retrospective"]] == ["normal", "bootstrap"]
    assert data["retrospective"][0]["seed"] == 2


BAD = {
    "nothing": ([], "There is nothing to plan from."),
    "effect 0": (["--effect", "0", "--sd", "1"], "no number of items can detect that there is no difference"),
    "n 1": (["--n", "1"], "one item cannot tell two systems apart"),
    **{
        f"table, alpha {level}": (["--table", "printed.csv", "--n", "200", "--alpha", level], "`alpha` is ")
        for level in ("5", "nan", "0", "-1", "1e-400")
    },
    **{
        f"table, score {score[:9]}": (["--table", f"{score[:9]}.csv", "--n", "200"], f"A score is `{score[:9]}")
        for score in HUGE
    },
    "n huge": (["--n", "10000000000000", "--sd", "1"], "`n` is 10000000000000. Give at most 1,000,000,000,000."),
    "tiny effect": (["--effect", "1e-9", "--sd", ".3"], "More than 1,000,000,000,000 items would be needed."),
    "power at alpha": (["--effect", ".1", "--sd", "1", "--power", ".05"], "no more than alpha (0.05)"),
    "method": (["--effect", ".1", "--sd", "1", "--method", "exact"], "Here it may be one of: auto, normal, t, permutation."),
    "n 0": (["--n", "0"], "0 is not in the range"),
    "power 1": (["--effect", ".1", "--sd", "1", "--power", "1"], "infinitely many items"),
    "discordance": (["--effect", ".1", "--discordance", ".05"], "less than the effect"),
    "two spreads": (["--effect", ".1", "--sd", "1", "--discordance", ".3"], "Both `sd` and `discordance`"),
    "scores without n": (["--scores", ".8", ".7"], "without the number of items"),
    "scores and effect": (["--scores", ".8", ".7", "--n", "10", "--effect", ".1"], "--effect cannot be combined with --scores"),
    "impossible score": (
        ["--scores", ".871", ".86", "--n", "7"],
        "No number of right answers out of 7 gives an accuracy that rounds to `.871`",
    ),
    "no score": (["--scores", "good", ".86", "--n", "7"], "A score is `good`"),
    "repeats": (["--effect", ".1", "--sd", "1", "--repeats", "3"], "nothing says how much runs"),
    "retrospective": (["--effect", ".1", "--sd", "1", "--retrospective"], "--retrospective needs a pilot"),
    "pilot and sd": (["--pilot", "both.csv", "--sd", "1"], "--sd is estimated from the pilot"),
    "three pilots": (["--pilot", "a.txt", "b.txt", "a.txt"], "3 pilot files"),
    "files alone": (["a.txt", "b.txt"], "`a.txt` was named without --pilot"),
    "one system": (["--pilot", "a.txt"], "the scores of one system only"),
    "three systems": (["--pilot", "long.csv"], "contains 3 systems: `new`, `old` and `third`"),
    "missing": (["--pilot", "nowhere.txt"], "`nowhere.txt` does not exist"),
    "test alone": (["--pilot", "both.csv", "--test", "student"], "--test is for --retrospective"),
    "bayes": (["--pilot", "both.csv", "--retrospective", "--test", "bayes"], "it has no null hypothesis to reject"),
    "counts": (["--pilot", "counts.txt"], "a plan needs one score per item"),
    "ending": (["--effect", ".2", "-o", "plan.xlsx"], "Use one of .txt, .json, .md, .tex, .html, .csv, .svg."),
    "own input": (["--pilot", "both.csv", "-o", "a.txt", "-o", "nowhere/x.md"], "there is no folder"),
    "config": (["--config", "bad.yaml"], "there is no option `effekt`"),
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


def test_a_plan_goes_to_every_file_that_python_writes(folder):
    assert run("--effect", ".03", "--sd", ".3", "-o", "plan.csv").exit_code == 0
    assert Path("plan.csv").read_text() == osc.plan(effect=0.03, sd=0.3).to_csv()


def test_a_repeated_plan_says_that_its_pilot_has_changed(folder):
    run("--effect", ".1", "--pilot", "a.txt", "b.txt", "-o", "plan.json")
    assert "has changed" not in run("--config", "plan.json").stdout
    Path("b.txt").write_text(Path("b.txt").read_text().replace("0", "1", 1))
    notes = json.loads(run("--config", "plan.json", "--format", "json").stdout)["notes"]
    assert {"kind": "difference", "text": "`b.txt` has changed since `plan.json` was saved."} in notes


def test_config(folder):
    assert json.loads(run("--config", "plan.yaml").stdout)["items"] == 971
    # What the command line says wins.
    assert "You need 90 items" in run("--config", "plan.yaml", "--effect", ".1", "--format", "text").stdout


CASES = {
    "items": ["--effect", ".03", "--sd", "0.333333333333"],
    "accuracy": ["--n", "1000", "--accuracy", ".87"],
    "reviewer": ["--scores", ".871", ".864", "--n", "1000"],
    "tried": ["--pilot", "both.csv", "--retrospective", "--replicates", "4"],
}


@pytest.mark.parametrize("case", a_few(CASES, 2))
def test_every_form(case, folder):
    outputs = [f"x{suffix}" for suffix in (".txt", ".json", ".md", ".tex", ".html")]
    result = run(*CASES[case], *(word for name in outputs for word in ("-o", name)), "--charts", "charts", "-v")
    assert result.exit_code == 0, result.stderr
    assert Path("x.txt").read_text() == result.stdout
    assert "Settings" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    saved = json.loads(Path("x.json").read_text())
    assert saved["settings"]["versions"]["outscore"]
    assert Path("x.md").read_text().startswith("# ")
    assert r"\begin{tabular}" in Path("x.tex").read_text()
    page = Path("x.html").read_text()
    assert "<svg" in page
    assert "http://www.w3.org/2000/svg" in page
    assert page.count("<h1") == 1
    drawn = {path.name for path in Path("charts").iterdir()}
    expected = {"items": {"power", "needs"}, "accuracy": {"power", "needs"}, "reviewer": {"overlaps"}}
    expected["tried"] = {"power", "needs", "tried-normal", "tried-bootstrap"}
    assert drawn == {f"{key}.{form}" for key in expected[case] for form in ("svg", "png", "pdf", "csv")}
    # A saved plan renders to the same bytes.
    found = from_saved(saved)
    for name, form in (("x.txt", "text"), ("x.md", "markdown"), ("x.tex", "latex"), ("x.html", "html")):
        assert render(found, form, verbose=True) == Path(name).read_text()
    for form in ("markdown", "latex"):
        assert run(*CASES[case], "--format", form).exit_code == 0


def test_nothing_is_written_when_something_cannot_be(folder):
    result = run(*CASES["items"], "-o", "x.md", "-o", "no/x.txt")
    assert (result.exit_code, Path("x.md").exists()) == (2, False)


def test_readable_by_newcomers(folder, golden):
    golden("plan/items.txt", run(*CASES["items"]).stdout)
    golden("plan/reviewer.txt", run(*CASES["reviewer"]).stdout)


@pytest.mark.slow
def test_retrospective_power_of_the_published_sample(shared_data):
    found = planned("--pilot", str(shared_data / "nlpstattest" / "data-file.txt"), "--retrospective")
    for curve in found["retrospective"]:
        assert curve["observed_n"] == 2001
        assert [point["n"] for point in curve["points"]][::10] == [200, 16008]
        here = next(point for point in curve["points"] if point["n"] == 2001)
        assert here["low"] < power(2001, found["effect"], sd=found["design"]["sd"], method="t") < here["high"]


def test_help_loads_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys\nfrom outscore.cli.commands import plan\ntry:\n    plan(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not {'numpy', 'scipy', 'msgspec', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("asked", [["--effect", ".02", "--sd", ".3"], ["--scores", ".871", ".864", "--n", "1000"]])
def test_a_saved_plan_repeats_itself(tmp_path, asked):
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    runner = CliRunner()
    assert runner.invoke(app, ["plan", *asked, "-o", str(first)]).exit_code == 0
    assert runner.invoke(app, ["plan", "--config", str(first), "-o", str(again)]).exit_code == 0
    assert again.read_bytes() == first.read_bytes()


def test_a_printed_table(outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("printed.csv").write_text("system,accuracy\namber,87.1\nbirch,86.4\ncedar,81.0\n")
    sizes = outscore("plan", "--table", "printed.csv")
    assert sizes.exit_code == 0
    assert sizes.stdout.startswith("The printed scores need")
    pairs = outscore("plan", "--table", "printed.csv", "--n", "1000", "-o", "found.json")
    assert pairs.exit_code == 0
    data = json.loads(Path("found.json").read_text())
    assert data["schema"] == "outscore/possible-table/1"
    assert len(data["pairs"]) == 3
    again = outscore("plan", "--config", "found.json", "-o", "again.json")
    assert again.exit_code == 0, again.output
    assert json.loads(Path("again.json").read_text())["pairs"] == data["pairs"]

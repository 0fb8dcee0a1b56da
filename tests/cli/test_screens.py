"""The answer on one screen: how long it is, that it loses no warning, and that it shows the numbers of the full report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.variants import a_few, variants

import outscore as osc
from outscore.core.numeric import finite
from outscore.examples.registry import EXAMPLES
from outscore.report.build.gate import drawn_interval
from outscore.report.render import kind_of, render, whole_of
from outscore.results.note import ON_SCREEN
from outscore.results.saved import read_saved

# By command: how many lines, and how many more for each system, metric or part that was asked for.
BUDGETS = {
    "compare": (8, 0),
    "gate": (6, 0),
    "score": (4, 1),
    "rank": (8, 1),
    "prefer": (8, 1),
    "diff": (25, 0),
    "plan": (10, 0),
}
SHOWN = {name: example for name, example in EXAMPLES.items() if example.command("")[0] in BUDGETS}
# Asked for: three metrics with a table of their own, the slices of a score, and a frontier with a table and what it says.
ASKED = {"texts": 5, "noise": 5, "budget": 11}


@pytest.fixture
def answered(tmp_path, monkeypatch, outscore):
    """Run an example, and give its screen, its result and the full report."""
    monkeypatch.chdir(tmp_path)

    def run(name: str) -> tuple[str, object, str]:
        for file, text in SHOWN[name].files(0).items():
            Path(file).write_text(text, encoding="utf-8")
        command = SHOWN[name].command(".")
        done = outscore(*command, "-o", "result.json", "-o", "report.txt")
        assert done.exit_code in (0, 1, 3), done.stderr
        return done.stdout, read_saved("result.json"), Path("report.txt").read_text(encoding="utf-8")

    return run


@pytest.mark.parametrize("name", variants(SHOWN, ("scores", "repeats", "gate", "leaderboard", "labels")))
def test_every_screen_keeps_its_budget_and_fits_the_width(answered, name):
    screen, result, _ = answered(name)
    command = SHOWN[name].command("")[0]
    base, each = BUDGETS[command]
    systems = len(getattr(result, "systems", ())) or 2
    warnings = len(re.findall(r"^  warning .*\n(?: {14,}.*\n)*", screen, re.MULTILINE))
    lines = len(re.sub(r"^  warning .*\n(?: {14,}.*\n)*", "", screen, flags=re.MULTILINE).splitlines())
    assert lines <= base + each * systems + ASKED.get(name, 0), screen
    assert warnings == len(kind_of(result).screen(whole_of(result)).warnings)
    assert max(map(len, screen.splitlines())) <= 80
    assert not re.search(r"\d % ", screen)


@pytest.mark.parametrize("more", ["", "--margin .05", "--test bayes", "--test all", "--alternative greater", "--unit-size 4"])
@pytest.mark.parametrize("name", a_few([name for name in SHOWN if SHOWN[name].command("")[0] == "compare"], 2))
def test_a_screen_is_the_same_where_nothing_else_is_asked_for(tmp_path, monkeypatch, outscore, name, more):
    monkeypatch.chdir(tmp_path)
    for file, text in SHOWN[name].files(0).items():
        Path(file).write_text(text, encoding="utf-8")
    command = [*SHOWN[name].command("."), *more.split()]
    alone, beside = outscore(*command), outscore(*command, "-o", "result.json")
    assert (alone.exit_code, alone.stdout) == (beside.exit_code, beside.stdout)


def notes_of(plain: object) -> list[dict[str, str]]:
    """Every note anywhere in a result."""
    if isinstance(plain, list | tuple):
        return [note for inner in plain for note in notes_of(inner)]
    if not isinstance(plain, dict):
        return []
    own = [note for note in plain.get("notes", []) if isinstance(note, dict)]
    return own + [note for key, inner in plain.items() if key not in ("notes", "settings") for note in notes_of(inner)]


@pytest.mark.parametrize("name", variants(SHOWN, ("scores", "repeats", "gate", "leaderboard", "labels")))
def test_no_warning_of_the_examples_is_lost(answered, name):
    screen, result, _ = answered(name)
    words = " ".join(screen.split())
    for note in notes_of(result.to_dict()):
        if note["kind"] in ON_SCREEN and note["kind"] != "contradiction":
            assert " ".join(note["text"].split()) in words


def numbers_in(plain: object) -> list[float]:
    if isinstance(plain, dict):
        return [number for inner in plain.values() for number in numbers_in(inner)]
    if isinstance(plain, list | tuple):
        return [number for inner in plain for number in numbers_in(inner)]
    return [float(plain)] if isinstance(plain, int | float) and not isinstance(plain, bool) else []


@pytest.mark.parametrize("name", variants(SHOWN, ("scores", "repeats", "gate", "leaderboard", "labels")))
def test_every_decimal_is_a_rounded_number_of_the_result(answered, name):
    """What a screen shows is what the JSON and the full report hold, in fewer digits: nothing is computed for it."""
    screen, result, report = answered(name)
    held = np.array([number for number in numbers_in(result.to_dict()) if finite(number) is not None])
    held = np.concatenate([held, [float(text) for text in re.findall(r"[-+]?\d*\.\d+", report)]])
    for text in re.findall(r"(?<![\w.-])[-+]?\d*\.\d+(?:e-\d+)?(?![\w.])", screen):
        if text in (".80", ".8"):
            continue
        shown = float(text)
        mantissa, _, exponent = text.partition("e")
        step = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        assert np.abs(held - shown).min() <= 0.51 * step, text


WARNED = ("warning", "contradiction", "reading", "difference")


@pytest.mark.parametrize("kind", WARNED)
def test_a_note_of_a_kind_that_warns_is_on_the_screen_of_every_kind_of_result(kind):
    from dataclasses import replace

    from outscore.results.note import Note

    rng = np.random.default_rng(1)
    x, y, z = (rng.random((3, 40)) < 0.6).astype(int).tolist()
    results = [
        osc.compare(x, y),
        osc.gate(x, y, margin=0.1),
        osc.score({"x": x}),
        osc.rank({"x": x, "y": y, "z": z}),
    ]
    for result in results:
        warned = replace(result, notes=[*result.notes, Note(kind, "Look twice at this.")])
        assert "Look twice at this." in str(warned), type(result).__name__


def test_one_line_for_shells_has_fixed_keys(answered, outscore):
    answered("tagging")
    done = outscore(*SHOWN["tagging"].command("."), "--format", "line")
    (line,) = done.stdout.splitlines()
    found = dict(part.split("=", 1) for part in line.split("\t"))
    assert list(found) == ["winner", "metric", "a", "b", "difference", "low", "high", "p", "n"]
    assert found["winner"] == "tagger-A"
    assert float(found["difference"]) == pytest.approx(float(found["a"]) - float(found["b"]))
    assert found["n"] == "2000"


@pytest.mark.parametrize(("name", "keys"), [("gate", ["outcome", "winner"]), ("leaderboard", ["leaders", "of"])])
def test_a_gate_begins_with_its_outcome_and_a_ranking_with_its_leaders(answered, outscore, name, keys):
    answered(name)
    (line,) = outscore(*SHOWN[name].command("."), "--format", "line").stdout.splitlines()
    assert [part.split("=")[0] for part in line.split("\t")][:2] == keys


def test_a_name_cannot_break_the_line():
    found = osc.compare([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5], names=("a\tb\nc", "d"))
    line = render(found, "line")
    assert line.count("\n") == 1
    assert line.startswith("winner=a b c\tmetric=")


# By command: what a shell asks for, and the keys in their order.
LINES = {
    "compare t.csv": ["winner", "metric", "a", "b", "difference", "low", "high", "p", "n"],
    "gate t.csv --margin 0.1": ["outcome", "winner", "metric", "a", "b", "difference", "low", "high", "p", "n", "margin"],
    "rank t.csv": ["leaders", "of", "metric", "first", "score", "low", "high", "n"],
    "score t.csv": ["system", "metric", "score", "low", "high", "n"],
    "show t.csv": ["file", "format", "rows", "systems"],
    "prefer b.csv --order unrecorded": ["winner", "metric", "a", "b", "difference", "low", "high", "p", "n"],
    "diff --task label g.csv o.csv w.csv": ["winner", "metric", "a", "b", "difference", "low", "high", "p", "n"],
    "plan --effect 0.05 --sd 0.3": ["items", "effect", "power", "alpha"],
    "plan --scores .871 .864 --n 1000": ["lowest", "independent", "highest", "n"],
    "plan --table p.csv --n 1000": ["first", "second", "significant", "lowest", "highest", "n"],
}


@pytest.mark.parametrize("command", LINES)
def test_every_command_has_a_line_for_shells(tmp_path, monkeypatch, outscore, command):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("id,old,new\n" + "".join(f"q{i},{i % 2},{i % 3 == 0:d}\n" for i in range(60)), encoding="utf-8")
    Path("b.csv").write_text(
        "question_id,model_a,model_b,winner\n" + "".join(f"q{i},x,y,model_{'aab'[i % 3]}\n" for i in range(30)),
        encoding="utf-8",
    )
    Path("p.csv").write_text("system,score\nx,.871\ny,.864\n", encoding="utf-8")
    for name, step in {"g": 1, "o": 2, "w": 3}.items():
        head = "id,gold\n" if name == "g" else "id,prediction\n"
        Path(f"{name}.csv").write_text(head + "".join(f"q{i},{'xyz'[i * step % 3]}\n" for i in range(60)), encoding="utf-8")
    done = outscore(*command.split(), "--format", "line")
    assert done.exit_code in (0, 1, 3), done.stderr
    lines = done.stdout.splitlines()
    assert lines
    assert all([part.split("=", 1)[0] for part in line.split("\t")] == LINES[command] for line in lines)


PLANS = [
    "--effect .02 --accuracy .87", "--n 1000 --discordance .1", "--margin .02 --discordance .1", "--scores .871 .864 --n 1000",
    "--effect .02 --sd .3 --cluster-size 5 --icc .2", "--effect .05 --sd .3 --anytime", "--effect .1 --unpaired --sd .3",
]  # fmt: skip


@pytest.mark.parametrize("asked", a_few(PLANS, 3))
def test_a_plan_fits_ten_lines_and_v_shows_the_curves(outscore, asked):
    screen = outscore("plan", *asked.split()).stdout
    assert 4 <= len(_lines_without_warnings(screen)) <= 10, screen
    assert max(map(len, screen.splitlines())) <= 80
    assert not re.search(r"\d\.\d{5}", screen)
    whole = outscore("plan", *asked.split(), "-v").stdout
    assert len(whole.splitlines()) > len(screen.splitlines())
    assert "signature" in whole
    assert "signature" not in screen


@pytest.mark.parametrize("lower", [False, True])
def test_the_drawn_interval_has_its_signs_in_order(lower):
    rng = np.random.default_rng(3)
    base = (rng.random(300) < 0.7).astype(int)
    new = np.where(rng.random(300) < 0.1, 1 - base, base)
    found = osc.gate(new, base, margin=0.05, direction="lower" if lower else "higher")
    line = drawn_interval(found, found.interval)
    margin = found.margin if lower else -found.margin
    values = {"[": found.interval.low, "]": found.interval.high, "*": found.comparison.difference, "0": 0.0, "|": margin}
    places = {sign: line.index(sign) for sign in values if sign in line}
    assert {"|", "*"} <= set(places)
    ordered = sorted(places, key=places.__getitem__)
    assert [values[sign] for sign in ordered] == sorted(values[sign] for sign in ordered)


def test_a_gate_asks_and_answers_without_double_negatives():
    base = [1, 0] * 40
    text = str(osc.gate(base, base, margin=0.2))
    assert "loss below 0.2 shown? yes, p = " in text
    assert "any loss? no, p = 1" in text
    assert "not rejected" not in osc.gate(base, base, margin=0.2).to_text()


EDGES = {
    "identical": ("compare", lambda x: x, []),
    "undecided": ("compare", lambda x: np.roll(x, 1), []),
    "margin": ("compare", lambda x: np.roll(x, 1), ["--margin", "0.05"]),
    "anytime": ("compare", lambda x: np.roll(x, 1), ["--anytime"]),
    "decided": ("compare", lambda x: x * 0, []),
    "passed": ("gate", lambda x: x, ["--margin", "0.05"]),
    "open": ("gate", lambda x: np.roll(x, 1), ["--margin", "0.001"]),
    "failed": ("gate", lambda x: x * 0, ["--margin", "0.05"]),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges_keep_the_budget(tmp_path, monkeypatch, outscore, name):
    command, other, more = EDGES[name]
    monkeypatch.chdir(tmp_path)
    x = (np.random.default_rng(8).random(200) < 0.7).astype(int)
    rows = [f"q{i},{a},{b}\n" for i, (a, b) in enumerate(zip(x, other(x), strict=True))]
    Path("t.csv").write_text("id,old,new\n" + "".join(rows), encoding="utf-8")
    screen = outscore(command, "t.csv", *more).stdout
    assert 3 <= len(screen.splitlines()) <= BUDGETS[command][0], screen
    if name == "identical":
        assert screen.startswith("No winner: old and new scored identically on every item\n")


def test_long_names_are_written_out_once():
    names = ("20250902_orchestrator_qwen-3-coder/results", "20250902_orchestrator_gpt-5/results")
    text = str(osc.compare([1, 0] * 20, [0, 1] * 20, names=names))
    assert all(" ".join(text.split()).count(name) == 1 for name in names)
    assert "qwen-3-coder 0.50   gpt-5 0.50" in text


def test_hints_name_python_arguments_in_python():
    found = osc.rank({f"s{k}": [k % 2, 1, 0, 1] * 5 for k in range(25)})
    assert "--" not in str(found)
    assert "more rows (to_text() shows all)" in str(found)


def test_python_names_the_winner_and_takes_the_names_of_columns(tmp_path):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"new": [2, 3, 4, 5, 6, 7], "old": [1, 2, 3, 4, 5, 6]})
    for found in (osc.compare(frame["new"], frame["old"]), osc.compare({"new": frame["new"], "old": frame["old"]})):
        assert found.systems == ("new", "old")
        assert repr(found).startswith("<Comparison new outscored old: ")
    assert repr(osc.compare(frame["old"], frame["new"])).startswith("<Comparison old lost to new: ")
    assert osc.compare(frame["old"].alias("wer"), frame["new"].alias("wer"), direction="lower").systems == ("A", "B")


def test_load_returns_one_comparison_whoever_saved_it(tmp_path, monkeypatch, outscore):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("id,new,old\n" + "".join(f"{i},{i % 2},{i % 3 == 0:d}\n" for i in range(30)), encoding="utf-8")
    assert outscore("compare", "t.csv", "-o", "line.json").exit_code == 0
    saved = osc.load("line.json")
    again = osc.load(saved.save("python.json"))
    assert type(saved) is type(again) is osc.Comparison
    assert saved == again
    assert read_saved("line.json").settings


def _lines_without_warnings(screen: str) -> list[str]:
    return re.sub(r"^  warning .*\n(?: {14,}.*\n)*", "", screen, flags=re.MULTILINE).splitlines()


def test_the_longest_rankings_keep_the_budget():
    """Repeats, a cluster column, missing scores and an undecided lead: everything that a ranking tells at once."""
    rng = np.random.default_rng(11)
    strong = (rng.random((19, 15, 4)) < np.linspace(0.2, 0.9, 19)[:, None, None]).astype(float)
    rows = [
        {"system": f"a-long-name-of-a-system-{s}", "id": i, "epoch": k, "score": strong[s, i, k], "paper": i // 5}
        for s in range(19)
        for i in range(15)
        for k in range(4)
        if (s, i) != (3, 7)
    ]
    pl = pytest.importorskip("polars")
    screen = str(osc.rank(pl.DataFrame(rows), repeat="epoch"))
    assert len(_lines_without_warnings(screen)) <= 19 + 8, screen
    assert "1 of 285 scores is missing" in screen


def test_the_longest_battles_keep_the_budget(tmp_path, outscore):
    rng = np.random.default_rng(4)
    names = [f"m{i:02}" for i in range(12)]
    lines = ["question_id,model_a,model_b,winner"]
    for i in range(1500):
        a, b = rng.choice(12, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(0.6 * (max(a, 1) - max(b, 1))))
        lines.append(f"q{i % 200},{names[a]},{names[b]},{'model_a' if won else 'model_b'}")
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    screen = outscore("prefer", str(path)).stdout
    assert len(_lines_without_warnings(screen)) <= 12 + 8, screen
    assert " times as many battles" in screen


def test_scores_of_recognised_datasets_stay_with_v_and_have_justified_digits(tmp_path, outscore):
    rng = np.random.default_rng(4)
    lines = ["system,item,dataset,score"]
    lines += [f"{s},{i},{d},{rng.random() < 0.6:d}" for s in "abcdef" for d in ("law", "news") for i in range(50)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    screen = outscore("score", str(path)).stdout
    assert len(_lines_without_warnings(screen)) <= 6 + 4, screen
    assert "By dataset" not in screen
    assert not re.search(r"(?<!\d)0\.\d{4}", "\n".join(_lines_without_warnings(screen)))
    assert "By dataset" in outscore("score", str(path), "-v").stdout
    assert "By dataset" in outscore("score", str(path), "--dataset", "dataset").stdout


def test_rows_without_a_score_are_told_once(tmp_path, outscore):
    """What a warning says is no line of its own, and no line says that nothing was lost."""
    for name, resolved in {"amber": 30, "birch": 28}.items():
        ids = [f"django__django-{i}" for i in range(40)]
        text = json.dumps({
            "submitted_ids": ids, "completed_ids": ids[:38], "resolved_ids": ids[:resolved], "unresolved_ids": ids[resolved:38],
            "empty_patch_ids": ids[38:], "error_ids": [], "total_instances": 40, "schema_version": 2,
        })  # fmt: skip
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    screen = outscore("compare", str(tmp_path / "amber.json"), str(tmp_path / "birch.json")).stdout
    assert screen.count("2 empty") == 2, screen
    assert "0 only in" not in screen
    assert len(_lines_without_warnings(screen)) <= 8

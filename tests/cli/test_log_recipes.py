"""The recipes of the guide to logs, run as they stand there on small logs in the real layouts."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import log_files as logs
from tests.variants import a_few

from outscore.cli.app import app
from outscore.formats.logs.registry import LOGS

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "logs.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+?) \| `(outscore [^`]+)` \|", GUIDE, flags=re.MULTILINE)
RECIPES = {name.split(",")[0]: command for name, command in ROWS}
BLOCKS = re.findall(r"^(outscore (?:compare|rank|diff|show|convert) .*?)(?: {2,}.*)?$", GUIDE, flags=re.MULTILINE)


def move(paths: list[Path], *targets: str) -> None:
    for path, target in zip(paths, targets, strict=True):
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)


def lm_eval() -> None:
    move(
        logs.lm_eval(Path("made"), task="gsm8k", filters=("strict-match", "flexible-extract")),
        "results/org__amber",
        "results/org__birch",
    )


def inspect() -> None:
    for name, right in zip(logs.SYSTEMS, logs.verdicts(logs.RUNS), strict=True):
        log = logs.inspect_log(name, right)
        for sample in log["samples"]:
            sample["scores"] = {"includes": sample["scores"]["match"], "brevity": {"value": 0.5}}
        log["eval"]["scorers"] = [{"name": "includes"}, {"name": "brevity"}]
        log["results"] = None
        samples = log.pop("samples")
        members = {"summaries.json": json.dumps(samples).encode(), "header.json": json.dumps(log).encode()}
        logs.zstd_archive(Path("logs", f"2026_{name.split('/')[1]}.eval"), members)


def lighteval() -> None:
    logs.lighteval(Path("made"))
    for kind in ("details", "results"):
        for name in ("amber", "birch"):
            move([Path("made", kind, "maker", name)], f"{kind}/org/{name}")


def ragas() -> None:
    """The table of `result.to_pandas()`, which is no log."""
    for name, scores in zip("ab", logs.verdicts().mean(axis=2), strict=True):
        rows = "".join(f"{logs.question(item)},{score / 2},{score / 4}\n" for item, score in enumerate(scores.tolist()))
        Path(f"{name}.csv").write_text(f"user_input,faithfulness,answer_relevancy\n{rows}", encoding="utf-8")


MAKERS = {
    "lm-evaluation-harness": lm_eval,
    "Inspect": inspect,
    "HELM": lambda: move(
        logs.helm(Path("made")), "benchmark_output/runs/v1/sums:model=a", "benchmark_output/runs/v1/sums:model=b"
    ),
    "SWE-bench": lambda: logs.swe_bench(Path("reports")),
    "Terminal-Bench": lambda: move(
        [*logs.terminal_bench(Path("made")), *logs.terminal_bench(Path("again"))],
        *(f"agent-{name}/{run}/results.json" for run in (1, 2) for name in "ab"),
    ),
    "Harbor": lambda: move(logs.harbor(Path("made")), "jobs/agent-a", "jobs/agent-b"),
    "LiveCodeBench": lambda: move([path.parent for path in logs.livecodebench(Path("made"))], "output/a", "output/b"),
    "BFCL": lambda: [
        move([Path("made", kind, system)], f"{kind}/{name}")
        for path, name in zip(logs.bfcl(Path("made")), "ab", strict=True)
        for kind, system in (("result", path.parent.name), ("score", path.parent.name))
    ],
    "BigCodeBench": lambda: logs.bigcodebench(Path("results")),
    "lighteval": lighteval,
    "Every Eval Ever": lambda: move(
        [path.parent for path in logs.every_eval_ever(Path("made"))], "data/org/amber", "data/org/birch"
    ),
    "COMET": lambda: logs.comet(Path()),
    "RAGAS": ragas,
}
"""How the files of a recipe are made, where they are not just the files of `WRITERS` under the names in the command."""


def make(name: str) -> None:
    if name in MAKERS:
        MAKERS[name]()
        return
    (log,) = (log for log, entry in LOGS.items() if entry.title == name)
    words = shlex.split(RECIPES[name])[2:]
    move(logs.WRITERS[log](Path("made")), *itertools.takewhile(lambda word: not word.startswith("-"), words))


def run(command: str):
    done = CliRunner().invoke(app, [*shlex.split(command)[1:]])
    assert done.exit_code == 0, done.output
    return done.output


def test_every_harness_has_a_recipe():
    assert set(RECIPES) == {"RAGAS"} | {entry.title for entry in LOGS.values()}


@pytest.mark.parametrize("name", a_few(RECIPES, 8))
def test_the_recipe_of_a_harness(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(name)
    said = run(RECIPES[name])
    # These are called by folders and files that the guide names.
    named = name in ("EvalPlus", "SWE-bench board", "Terminal-Bench", "tau-bench", "LiveCodeBench", "BFCL", "trec_eval", "ranx")
    named |= name in ("DeepEval", "RAGAS", "ZeroEval")
    assert "amber" in said or named
    assert "12 items" in said


def test_what_the_guide_begins_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    move(logs.lm_eval(Path("made")), "runs/amber", "runs/birch")
    commands = [command for command in BLOCKS if "runs/" in command]
    assert [command.split()[1] for command in commands] == ["show", "compare", "rank", "diff"]
    for command in commands:
        assert "maker/amber" in run(command)
    (convert,) = re.findall(r"`(outscore convert .*?)`", GUIDE)
    run(convert)
    assert Path("amber_samples.jsonl").is_file()
    assert Path("amber.json").is_file()


def records(system: str) -> list[dict]:
    right = logs.verdicts()[logs.SYSTEMS.index(f"maker/{system}"), :, 0].tolist()
    return [
        {"doc": {"id": f"q{i}"}, "id": f"q{i}", "score": one, "results": {"score": {"value": one}}, "verdict": {"value": one}}
        for i, one in enumerate(right)
    ]


JSON = {
    "doc.id": lambda: {f"{name}.json": records(name) for name in ("amber", "birch")},
    "cases.id": lambda: {f"{name}.json": {"cases": records(name), "errors": [{"at": 1}]} for name in ("amber", "birch")},
    "key": lambda: {f"{name}.json": {row["id"]: row for row in records(name)} for name in ("amber", "birch")},
    "model": lambda: {"both.json": [{"model": name, **row} for name in ("amber", "birch") for row in records(name)]},
}


def test_any_other_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = [command for command in BLOCKS if ".json " in command and "--score" in command]
    assert len(commands) == len(JSON)
    for (named, made), command in zip(JSON.items(), commands, strict=True):
        assert named in command
        for name, content in made().items():
            Path(name).write_text(json.dumps(content))
        assert "amber 0.75" in " ".join(run(command).split())

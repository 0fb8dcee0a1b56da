"""Damaged logs of every harness: an answer or one sentence, never a traceback, a warning or silence."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.fuzz.log_damage import Damage, damages, some
from tests.fuzz.test_damage import Late, alarm
from tests.log_files import METRIC, WRITERS
from tests.variants import a_few

from outscore.cli.app import app

FEW, SECONDS, MAX_SENTENCE = 8, 10, 1_000


def outcome(damage: Damage, words: list[str]):
    """What a command says about a folder in which one file is damaged."""
    own = damage.file.read_bytes()
    if damage.content is None:
        damage.file.unlink()
    else:
        damage.file.write_bytes(damage.content())
    try:
        with warnings.catch_warnings(), alarm(SECONDS):
            warnings.simplefilter("error")
            return CliRunner().invoke(app, words)
    finally:
        damage.file.write_bytes(own)


def problem(damage: Damage, words: list[str]) -> str | None:
    """What is wrong with it, or None."""
    try:
        done = outcome(damage, words)
    except Late as late:
        return str(late)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"{type(done.exception).__name__}: {str(done.exception)[:200]}"
    if done.exit_code == 0:
        return None if done.stdout.strip() else "nothing was said"
    if done.exit_code != 2 or done.stdout or done.stderr.count("\n") != 1 or len(done.stderr) > MAX_SENTENCE:
        return f"exit {done.exit_code}: {done.stderr[:200]!r}"
    return None


def problems(name: str, damaged: list[Damage], words: list[str]) -> list[str]:
    found = ((damage, problem(damage, words)) for damage in damaged)
    return [f"{name}, {damage.file.name}: {damage.what}: {wrong}" for damage, wrong in found if wrong is not None]


def commands(name: str, folder: Path) -> dict[str, list[str]]:
    """Everything that reads logs."""
    paths = [str(path) for path in WRITERS[name](folder / "logs")]
    first = next(str(path) for path in sorted((folder / "logs").rglob("*")) if path.is_file())
    return {
        "show": ["show", str(folder / "logs")],
        "read": ["show", first, "--reader", name],
        "compare": ["compare", *paths, *METRIC.get(name, ()), "--format", "json"],
        "rank": ["rank", *paths, *METRIC.get(name, ())],
        "diff": ["diff", "--task", "label", *paths],
        "convert": ["convert", *paths, "-o", str(folder / "new_samples.jsonl")],
    }


@pytest.mark.parametrize("name", a_few(WRITERS, 6))
def test_some_damaged_logs_get_an_answer_or_a_sentence(name, tmp_path):
    words = commands(name, tmp_path)
    drawn = some(damages(tmp_path / "logs"), FEW, name)
    assert problems(name, drawn, words["show"]) == []
    assert problems(name, drawn[:3], words["compare"]) == []
    assert problems(name, drawn[3:8], words["diff"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["show", "read", "compare", "rank", "diff", "convert"])
@pytest.mark.parametrize("name", WRITERS)
def test_all_damaged_logs_get_an_answer_or_a_sentence(name, command, tmp_path):
    words = commands(name, tmp_path)[command]
    every = damages(tmp_path / "logs")
    drawn = every if command in ("show", "read", "convert") else some(every, len(every) // 8, f"{name} {command}")
    assert problems(name, drawn, words) == []


# Where a damage changes what was measured, and not only what is said about it.
MEANT = ("doubled", "exact_match", "score", "value", "correct", "mean", "status", "success", "resolved", "COMET", "_label")


@pytest.mark.parametrize("name", a_few(WRITERS, 6))
def test_an_answer_about_a_damaged_log_is_that_about_the_whole_one(name, tmp_path):
    """Unless a score itself was changed: then it is another answer, and it is that of the new score."""
    words = commands(name, tmp_path)["compare"]
    whole = CliRunner().invoke(app, words)
    right = [one["value"] for one in json.loads(whole.stdout)["comparisons"][0]["scores"]]
    structural = [damage for damage in damages(tmp_path / "logs") if not any(word in damage.what for word in MEANT)]
    for damage in some(structural, 6, name):
        done = outcome(damage, words)
        if done.exit_code == 0:
            found = json.loads(done.stdout)["comparisons"][0]
            assert found["n"] < 12 or [one["value"] for one in found["scores"]] == right, damage.what

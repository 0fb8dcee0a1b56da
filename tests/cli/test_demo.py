"""`outscore demo`: files and reports of every kind, two verdicts, and what was left out."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from outscore.cli import demo
from outscore.examples.registry import EXAMPLES

# Two of each kind take long enough: what all of them show is tested beside the examples.
FEW = {name: EXAMPLES[name] for name in ("tagging", "tags", "reviewer")}


@pytest.fixture
def few(tmp_path, monkeypatch):
    """An empty current folder and fewer examples, without packages for pages and texts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("outscore.examples.registry.EXAMPLES", FEW)
    monkeypatch.setattr(demo, "find_spec", lambda _: None)


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("    outscore ")]


def test_demo_prints_two_verdicts_and_how_to_open_the_page(few, outscore, golden, monkeypatch):
    monkeypatch.setattr(demo.shutil, "which", lambda _: "outscore")
    result = outscore("demo")
    assert result.exit_code == 0, result.stderr
    golden("cli/demo.txt", result.stdout)
    golden("cli/demo-examples.txt", Path("outscore-demo/examples.txt").read_text(encoding="utf-8"))


def test_demo_repeats_from_its_files(few, outscore):
    printed = outscore("demo", "--output", "here").stdout
    listed = Path("here/examples.txt").read_text(encoding="utf-8")
    assert [command[0] for command in commands(printed)] == ["compare", "diff"]
    assert [command[0] for command in commands(listed)] == ["compare", "diff", "plan"]
    for name, command in zip(FEW, commands(listed), strict=True):
        assert outscore(*command).stdout == Path("here", name, "report.txt").read_text(encoding="utf-8")
        again = json.loads(outscore(*command, "--format", "json").stdout)
        assert again == json.loads(Path("here", name, "report.json").read_text(encoding="utf-8"))


def test_demo_is_seeded(few, outscore):
    for seed, name in (("0", "x"), ("0", "y"), ("1", "z")):
        assert outscore("demo", "--seed", seed, "--output", name).exit_code == 0
    first, again, other = (Path(name, "tagging", "tagger-A.tsv").read_text() for name in "xyz")
    assert first == again != other
    assert "seed 0" not in Path("x/examples.txt").read_text(encoding="utf-8")
    assert "with seed 0; with 1" in Path("z/examples.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("sacrebleu", "the example of translations.\n`pip install 'outscore[text]'`"),
        ("altair", "pages with charts, report.html.\n`pip install 'outscore[report]'`"),
        ("", ""),
    ],
    ids=["text", "report", "nothing"],
)
def test_demo_says_what_was_left_out(few, outscore, monkeypatch, missing, words):
    monkeypatch.setattr("outscore.examples.registry.EXAMPLES", {name: FEW[name] for name in demo.SHOWN})
    monkeypatch.setattr(demo, "find_spec", lambda module: None if module == missing else "here")
    result = outscore("demo")
    assert result.exit_code == 0, result.stderr
    assert words in result.stdout
    assert ("Left out" in result.stdout) == bool(words)
    pages = {path.parent.name for path in Path("outscore-demo").rglob("report.html")}
    assert pages == (set() if missing == "altair" else set(demo.SHOWN))


def test_demo_names_the_folder_of_the_command_where_it_is_not_on_the_path(few, outscore, monkeypatch):
    monkeypatch.setattr(demo.shutil, "which", lambda _: None)
    assert "not on your path" in outscore("demo").stdout

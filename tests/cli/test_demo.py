"""`outscore demo`: files and reports of every kind, two verdicts, and what was left out."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from tests.variants import a_few

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
    monkeypatch.setattr(demo.shutil, "which", lambda _: "here")


@pytest.fixture
def two(few, outscore, monkeypatch):
    """Run the demo with the two examples that it prints, with all packages but one."""
    monkeypatch.setattr("outscore.examples.registry.EXAMPLES", {name: FEW[name] for name in demo.SHOWN})

    def run(missing):
        monkeypatch.setattr(demo, "find_spec", lambda module: None if module == missing else "here")
        return outscore("demo")

    return run


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("    outscore ")]


def test_demo_prints_two_verdicts_and_how_to_open_the_page(few, outscore, golden):
    result = outscore("demo")
    assert result.exit_code == 0, result.stderr
    golden("cli/demo.txt", result.stdout)
    golden("cli/demo-examples.txt", Path("outscore-demo/examples.txt").read_text(encoding="utf-8"))


def test_demo_repeats_from_its_files(few, outscore):
    printed = outscore("demo", "--output", "here").stdout
    listed = Path("here/examples.txt").read_text(encoding="utf-8")
    assert [command[0] for command in commands(printed)] == ["compare", "diff", "serve"]
    assert [command[0] for command in commands(listed)] == ["compare", "diff", "plan"]
    for name, command in zip(FEW, commands(listed), strict=True):
        again = outscore(*command, "-o", "again.txt")
        assert again.exit_code == 0
        assert Path("again.txt").read_text(encoding="utf-8") == Path("here", name, "report.txt").read_text(encoding="utf-8")
        again = json.loads(outscore(*command, "--format", "json").stdout)
        assert again == json.loads(Path("here", name, "report.json").read_text(encoding="utf-8"))


def test_demo_is_seeded(few, outscore):
    for seed, name in (("0", "x"), ("0", "y"), ("1", "z")):
        assert outscore("demo", "--seed", seed, "--output", name).exit_code == 0
    first, again, other = (Path(name, "tagging", "tagger-A.tsv").read_text() for name in "xyz")
    assert first == again != other
    assert "seed 0" not in Path("x/examples.txt").read_text(encoding="utf-8")
    assert "for seed 0; with seed 1" in Path("z/examples.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("missing", "words"),
    a_few(
        [
            ("altair", "the pages with charts.\nTo install them: pip install 'outscore[report]'"),
            ("sacrebleu", "the translation example.\nTo install them: pip install 'outscore[text]'"),
            ("uvicorn", "`outscore serve`.\nTo install them: pip install 'outscore[web]'"),
            ("", ""),
        ],
        2,
    ),
    ids=["report", "text", "web", "nothing"],
)
def test_demo_says_what_was_left_out(two, missing, words):
    result = two(missing)
    assert result.exit_code == 0, result.stderr
    assert words in result.stdout
    assert ("without further packages" in result.stdout) == bool(words)
    pages = {path.parent.name for path in Path("outscore-demo").rglob("report.html")}
    assert pages == (set() if missing == "altair" else set(demo.SHOWN))
    assert Path("outscore-demo/index.html").is_file() == bool(pages)
    # Last comes the command that opens the page which links to all others.
    *_, opened = result.stdout.splitlines()
    assert opened.endswith(" outscore-demo/index.html") == bool(pages)


def test_the_first_page_links_to_all_others(two):
    two("")
    page = Path("outscore-demo/index.html").read_text(encoding="utf-8")
    links = re.findall('href="([^"#]+html)"', page)
    assert links == [f"{name}/report.html" for name in demo.SHOWN]
    assert all(Path("outscore-demo", link).is_file() for link in links)
    assert "tagger-A outscored tagger-B" in page


@pytest.mark.parametrize(
    ("platform", "installed", "opener"),
    [
        ("darwin", False, "open"),
        ("win32", False, "start"),
        ("linux", True, "xdg-open"),
        ("linux", False, f"{sys.executable} -m webbrowser"),
    ],
)
def test_the_command_that_opens_a_page(monkeypatch, platform, installed, opener):
    monkeypatch.setattr(demo.shutil, "which", lambda _: "/bin/it" if installed else None)
    monkeypatch.setattr(demo.sys, "platform", platform)
    assert demo._opener() == opener


def test_commands_can_be_typed_as_they_are_shown(few, outscore, monkeypatch):
    monkeypatch.setattr(demo.shutil, "which", lambda _: None)
    monkeypatch.setattr(demo.sys, "executable", str(Path.cwd() / "my env" / "bin" / "python"))
    assert "\n    'my env/bin/outscore' serve\n" in outscore("demo").stdout
    monkeypatch.setattr(demo.sys, "executable", "/env/bin/python")
    assert "\n    /env/bin/outscore serve\n" in outscore("demo").stdout


def test_recipes_are_files_without_reports(tmp_path, monkeypatch, outscore):
    monkeypatch.chdir(tmp_path)
    result = outscore("demo", "--recipes", "--output", "here")
    assert result.exit_code == 0, result.stderr
    names = ["attempts.csv", "logs", "new.comet", "old.comet", "parts", "reports", "results", "texts"]
    assert sorted(path.name for path in Path("here").iterdir()) == names
    assert result.stdout == (
        f"Wrote the files of the recipes to here: {', '.join(names)}. Their commands run in there:\n    cd here\n"
    )
    refused = outscore("demo", "--recipes", "--seed", "3")
    assert (refused.exit_code, "Leave --seed out." in refused.stderr) == (2, True)
    assert not Path("outscore-recipes").exists()


@pytest.mark.parametrize("seed", ["-1", "18446744073709551616"])
def test_a_seed_beyond_what_other_commands_take_is_refused(seed, few, outscore):
    refused = outscore("demo", "--seed", seed, "--output", "x")
    assert (refused.exit_code, Path("x").exists()) == (2, False)
    assert f"`seed` is {seed}." in refused.stderr
    assert "2**64 - 1" in refused.stderr

"""A file that is not there is what the error is about, whatever the other files are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import log_files
from tests.variants import crossed

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.base import source

COMMANDS = {
    "compare": ("compare", "good", "nosuch"),
    "gate": ("gate", "good", "nosuch", "--margin", ".02"),
    "score": ("score", "good", "nosuch"),
    "rank": ("rank", "good", "nosuch"),
    "diff label": ("diff", "--task", "label", "good", "nosuch"),
    "diff pos": ("diff", "--task", "pos", "good", "nosuch"),
    "prefer": ("prefer", "good", "nosuch"),
    "plan": ("plan", "--effect", ".1", "--pilot", "good", "nosuch"),
    "show": ("show", "good", "nosuch"),
    "convert": ("convert", "good", "nosuch", "-o", "x_samples.jsonl"),
    "texts": ("compare", "good", "good", "--reference", "nosuch"),
    "rank texts": ("rank", "good", "nosuch", "--reference", "good"),
}


@pytest.fixture
def in_folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("content", "command"), crossed([b"PK\x03\x04 an archive", b"1\n0\n1\n", b"\xff\xfe1\x00", b""], COMMANDS)
)
def test_the_missing_file_is_blamed(command, content, in_folder, refusal):
    Path("good").write_bytes(content)
    said = refusal(*COMMANDS[command])
    assert said == "`nosuch` does not exist. Check the spelling and the folder you are in.\n"


def test_a_missing_log_is_blamed(in_folder, refusal):
    good, _ = log_files.inspect_archive(in_folder / "logs")
    near = good.with_name("nosuch.eval")
    assert refusal("gate", good, near, "--margin", ".02").startswith(f"`{near}` does not exist.")
    with pytest.raises(OutscoreError, match=r"nosuch\.eval` does not exist"):
        osc.compare(good, near)


@pytest.mark.posix
@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_that_leads_nowhere_says_where(command, in_folder, refusal):
    Path("good").write_text("1\n0\n")
    Path("nosuch").symlink_to("gone.csv")
    said = refusal(*COMMANDS[command])
    assert said == "`nosuch` is a symbolic link to `gone.csv`, which does not exist. Restore that file, or name another.\n"


@pytest.mark.posix
@pytest.mark.parametrize(
    "given", [["score", "loop"], ["score", "one"], ["compare", "one", "good"], ["prefer", "one"], ["score", "one/x.csv"]]
)
def test_links_in_a_circle_are_named_as_such(given, in_folder, refusal):
    Path("good").write_text("1\n0\n")
    for link, target in {"loop": "loop", "one": "other", "other": "one"}.items():
        Path(link).symlink_to(target)
    said = refusal(*given)
    assert said == f"`{given[1]}` leads in a circle of symbolic links, not to a file. Name the file itself.\n"


@pytest.mark.parametrize("command", ["compare", "score", "rank", "show", "prefer", "convert"])
def test_a_huge_folder_is_refused_without_being_searched(command, in_folder, refusal, monkeypatch):
    monkeypatch.setattr(source, "MAX_FILES", 20)
    for place in range(30):
        Path("huge", str(place)).mkdir(parents=True)
        for name in "ab":
            Path("huge", str(place), name).touch()
    seen = []
    whole = source.os.walk

    def walk(folder):
        for step in whole(folder):
            seen.append(step)
            yield step

    monkeypatch.setattr(source.os, "walk", walk)
    more = ("-o", "x_samples.jsonl") if command == "convert" else ("-o", "x.json")
    said = refusal(command, "huge", *more)
    assert said.startswith("`huge` contains more than 20 files. Name the folder of the ")
    assert len(seen) < 15


def test_a_result_may_lie_beside_the_folder_it_is_about(in_folder, outscore, refusal):
    first, second = log_files.inspect_archive(in_folder / "logs")
    assert outscore("compare", first, second, "-o", "x.json").exit_code == 0
    assert json.loads(Path("x.json").read_text())["comparisons"]
    Path("logs", "old.json").write_text("{}")
    assert "is an input and would be overwritten" in refusal("show", "logs", "-o", "logs/old.json")

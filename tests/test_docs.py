"""What the documentation shows is what the commands say."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
PYTHON = [str(page.relative_to(ROOT)) for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


def test_outputs_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "docs" / "build.py", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PYTHON)
def test_python_examples_run(page):
    outcome = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_local_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def pages_in(navigation):
    for entry in navigation:
        inside = entry if isinstance(entry, str) else next(iter(entry.values()))
        yield from [inside] if isinstance(inside, str) else pages_in(inside)


def test_the_site_shows_every_page_once():
    named = list(pages_in(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    outside = re.findall(
        r'^    "(\S+\.md)": "(\S+\.md)",$', (ROOT / "docs" / "site.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [source for source, _ in outside if not (ROOT / source).exists()] == []
    written = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert sorted(named) == sorted({*written, *(target for _, target in outside)})

"""What the documentation shows is what the commands say."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_outputs_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "docs" / "build.py", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/many.md", "docs/score.md", "docs/gate.md", "docs/early.md", "docs/prefer.md", "docs/unpaired.md"],
)
def test_python_examples_run(page):
    outcome = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_local_links_lead_somewhere():
    import re

    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"

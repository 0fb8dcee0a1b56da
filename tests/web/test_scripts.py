"""The scripts of the page: their types, their style, and the tests of what they compute, where node is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.variants import a_few

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
TSC, ESLINT = (shutil.which(ROOT / "node_modules/.bin" / name) or shutil.which(name) for name in ("tsc", "eslint"))


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_what_they_compute():
    done = subprocess.run([NODE, "--test", "tests/web/scripts/"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(TSC is None, reason="the type checker is not installed: `make scripts` installs it where npm is")
@pytest.mark.parametrize("project", ["jsconfig.json", "jsconfig.reports.json"])
def test_their_types(project):
    done = subprocess.run([TSC, "-p", project], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(ESLINT is None, reason="the linter is not installed: `make scripts` installs it where npm is")
def test_their_style():
    done = subprocess.run([ESLINT, "src", "tests"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(ESLINT is None, reason="the linter is not installed: `make scripts` installs it where npm is")
@pytest.mark.parametrize("path", a_few(["src/outscore/web/static/x.js", "src/outscore/report/explorer/x.js"], 1))
def test_the_linter_notices_markup_and_mistakes(path):
    source = "const part = document.body;\npart.innerHTML = name;\nif (part = 1) eval('x');\n"
    command = [ESLINT, "--stdin", "--stdin-filename", path, "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True, check=False)
    found = {message["ruleId"] for message in json.loads(done.stdout)[0]["messages"]}
    assert {"no-restricted-properties", "no-cond-assign", "no-const-assign", "no-eval"} <= found

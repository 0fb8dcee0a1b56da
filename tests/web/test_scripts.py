"""The scripts of the page: their types, and the tests of what they compute, where node is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
TSC = next((found for path in (ROOT / "node_modules/.bin/tsc",) if (found := shutil.which(path))), shutil.which("tsc"))


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_what_they_compute():
    done = subprocess.run([NODE, "--test", "tests/web/scripts/"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(TSC is None, reason="the type checker is not installed: `make scripts` installs it where npm is")
def test_their_types():
    done = subprocess.run([TSC, "-p", "jsconfig.json"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

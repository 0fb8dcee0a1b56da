"""`outscore serve` for tests: with one worker that imports nothing in advance, which saves most of a test's time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORKS = "OUTSCORE_TEST_FORKS"
SMALL = f"""
import functools, os
from outscore.web import settings
settings.Settings = functools.partial(settings.Settings, workers=1, warm=False)
if "{FORKS}" in os.environ:
    from outscore.web import jobs
    from tests.web.forks import Forks
    jobs.interpreter_command = Forks(os.environ["{FORKS}"]).interpreter_command
from outscore.cli.app import main
main()
"""


def serve_forked(forks) -> dict:
    """How to start it, with workers from there."""
    folders = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    workers = {} if forks is None else {FORKS: str(forks.address), "PYTHONPATH": folders}
    return {"args": [sys.executable, "-c", SMALL, "serve", "--no-browser", "--port", "0"], "env": os.environ | workers}

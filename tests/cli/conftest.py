"""What the tests of the command line share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.cures import check_cures

from outscore.cli.app import app


@pytest.fixture
def pair_files(tmp_path, monkeypatch) -> Path:
    """A current folder with two files of right-or-wrong scores, which are compared quickest, and a table with ids."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    scores = (rng.random((40, 2)) < [0.8, 0.5]).astype(int)
    Path("a.txt").write_text("\n".join(map(str, scores[:, 0])) + "\n")
    Path("b.txt").write_text("\n".join(map(str, scores[:, 1])) + "\n")
    rows = [f"q{i},{a},{b},{'xyz'[i % 3]}" for i, (a, b) in enumerate(scores.tolist())]
    Path("table.csv").write_text("\n".join(["id,new,old,task", *rows]) + "\n")
    return tmp_path


@pytest.fixture
def outscore():
    """Run the command; a traceback is a failure whatever the exit code."""

    def run(*arguments: object, stdin: str | bytes | None = None):
        written = [os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments]
        result = CliRunner().invoke(app, written, input=stdin, prog_name="outscore")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.fixture
def refusal(outscore):
    """Run a command that must be refused: one sentence on standard error, nothing on standard output, no new file.

    Whatever the sentence proposes is run, too.
    """

    def run(*arguments: object, stdin: str | bytes | None = None) -> str:
        before = sorted(Path.cwd().iterdir())
        result = outscore(*arguments, stdin=stdin)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
        assert sorted(Path.cwd().iterdir()) == before
        if stdin is None:
            check_cures([str(one) for one in arguments], result.stderr, outscore)
        return result.stderr.removeprefix("outscore: ")

    return run

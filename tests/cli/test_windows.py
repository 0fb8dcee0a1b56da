"""What differs on Windows, as far as it shows elsewhere."""

from __future__ import annotations

import ctypes
import io
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from outscore.cli import app as command_line
from outscore.formats.tables.parquet import hold_native_errors


@pytest.mark.parametrize(
    ("platform", "asked", "encoding"), [("win32", "", "utf-8"), ("win32", "cp1252", "cp1252"), ("linux", "", "cp1252")]
)
def test_what_goes_to_a_file_or_a_pipe_has_all_letters(monkeypatch, platform, asked, encoding):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if asked:
        monkeypatch.setenv("PYTHONIOENCODING", asked)
    monkeypatch.setattr(command_line, "app", lambda: click.echo("新 → 旧"))
    command_line.main()
    sys.stdout.flush()
    assert sys.stdout.buffer.getvalue().decode(encoding).strip() == ("新 → 旧" if encoding == "utf-8" else "? ? ?")


def test_a_pattern_stays_a_pattern(monkeypatch):
    """There click puts the files in its place by itself, and several runs of a system would be several systems."""
    given = {}
    monkeypatch.setattr(click.Group, "main", lambda *_, **extra: given.update(extra))
    assert CliRunner().invoke(command_line.app, ["show", "*.csv"]).exit_code == 0
    assert given["windows_expand_args"] is False


def test_a_process_without_a_library_of_its_own_reads_parquet(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    polars.DataFrame({"id": ["q1", "q2", "q3"], "new": [1, 1, 1], "old": [0, 1, 0]}).write_parquet("scores.parquet")
    expected = CliRunner().invoke(command_line.app, ["compare", "scores.parquet"])

    def no_library(name, *_, **__):
        raise TypeError(f"argument of type {type(name).__name__!r} is not iterable")

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    found = CliRunner().invoke(command_line.app, ["compare", "scores.parquet"])
    assert (found.exit_code, found.output) == (0, expected.output)
    Path("scores.parquet").write_bytes(Path("scores.parquet").read_bytes()[:-20])
    assert CliRunner().invoke(command_line.app, ["compare", "scores.parquet"]).exit_code == 2
    with pytest.raises(ValueError, match="of it"), hold_native_errors("A sentence."):
        raise ValueError("of it")

"""How wide text is: as the terminal, and as usual where there is none."""

from __future__ import annotations

import os
import sys

import pytest

from outscore.cli.output import screen_columns


@pytest.mark.parametrize(("columns", "wanted"), [(60, 60), (120, 120), (400, 160)])
def test_text_follows_the_terminal(monkeypatch, columns, wanted):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, 24)))
    assert screen_columns() == wanted


def test_a_pipe_gets_the_usual_width(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    assert screen_columns() == 80

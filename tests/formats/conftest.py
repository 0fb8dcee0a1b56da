"""What the tests of the readers share."""

from __future__ import annotations

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into the current folder, so that messages name it alone."""
    monkeypatch.chdir(tmp_path)

    def put(content: str | bytes, name: str = "x.txt") -> str:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return put

"""Real translations, cut short, and the few lines that go wrong most often."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def wmt17(shared_data):
    """Read one file of WMT17 English-German: `"ref"` or a system."""
    folder = shared_data / "wmt17-en-de"

    def read(name, segments=None):
        path = folder / "ref.txt" if name == "ref" else folder / "systems" / f"{name}.txt"
        return path.read_text(encoding="utf-8").split("\n")[:-1][:segments]

    return read

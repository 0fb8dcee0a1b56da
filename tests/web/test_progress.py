"""Progress as lines of JSON, for a program that reads along."""

from __future__ import annotations

import json
import os

import pytest

from outscore.core.errors import OutscoreError
from outscore.engine import progress as module
from outscore.engine.engines import SERIAL
from outscore.engine.progress import terminal_progress


@pytest.fixture
def pipe(monkeypatch):
    reading, writing = os.pipe()
    monkeypatch.setenv("OUTSCORE_PROGRESS", str(writing))
    yield lambda: [json.loads(line)["progress"] for line in os.read(reading, 1 << 16).decode().splitlines()]
    os.close(reading)
    os.close(writing)


def test_every_beginning_and_end_is_written(pipe):
    with terminal_progress() as steps:
        for doing in ("TER", "BLEU"):
            steps.begin(doing, 1000)
            SERIAL.map(abs, range(1000), progress=steps)
    lines = pipe()
    ends = [(line["doing"], line["done"], line["total"]) for line in lines if line["done"] in (0, 1000)]
    assert ends == [(doing, done, 1000) for doing in ("TER", "BLEU") for done in (0, 1000)]
    # Not one for every step: a reader has other things to do.
    assert len(lines) < 50


def test_some_lines_come_in_between(pipe, monkeypatch):
    monkeypatch.setattr(module, "MIN_INTERVAL", 0.0)
    with terminal_progress() as steps:
        steps.begin("TER", 3)
        SERIAL.map(abs, range(3), progress=steps)
    assert [line["done"] for line in pipe()] == [0, 1, 2, 3]


@pytest.mark.parametrize("written", ["", "x", "-1", "99999", "1e3", str(10**30)])
def test_what_is_no_descriptor_is_refused(monkeypatch, written):
    monkeypatch.setenv("OUTSCORE_PROGRESS", written)
    with pytest.raises(OutscoreError, match="OUTSCORE_PROGRESS is"), terminal_progress():
        pass

"""The worker's side: what it says, and that it keeps nothing open."""

from __future__ import annotations

import io
import os
import queue

import pytest

from outscore.cli.serve import COMMAND_LINE
from outscore.web.jobs import worker


@pytest.fixture
def warmed_up(tmp_path, monkeypatch):
    """What the terminal is told while a worker is prepared."""
    monkeypatch.chdir(tmp_path)

    def run(*commands):
        monkeypatch.setattr(worker, "WARM_UP", commands)
        terminal = io.StringIO()
        worker.Worker(COMMAND_LINE, terminal).warm_up(queue.SimpleQueue())
        assert list(tmp_path.iterdir()) == []
        return terminal.getvalue()

    return run


def test_a_worker_that_is_not_ready_says_so(warmed_up):
    assert warmed_up(["plan", "--effect", ".1"]) == ""
    said = warmed_up(["compare", "nothing.txt"])
    assert said.startswith("outscore: A worker process is not ready: `nothing.txt` does not exist.")
    assert said.count("\n") == 1


def test_a_mistake_is_told_once(warmed_up, monkeypatch):
    def fail(*_):
        raise KeyError("x")

    monkeypatch.setattr(worker.Worker, "_run", fail)
    said = warmed_up(["plan"])
    assert said.startswith("outscore: This failed unexpectedly: KeyError: 'x'")
    assert said.count("\n") == 1


def descriptors():
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - numbers, which are no paths


def test_what_is_taken_leaves_nothing_open():
    here, there = os.pipe()
    try:
        before = descriptors()
        own = worker._claim(there)
        assert descriptors() == before + 1
        os.write(there, b"lost")
        os.write(own, b"kept")
        assert os.read(here, 8) == b"kept"
        os.close(own)
        assert descriptors() == before
    finally:
        os.close(here)
        os.close(there)


def test_only_notes_of_ours_are_notes(tmp_path, monkeypatch):
    def speak(*_):
        print("warning: of a library", file=worker.sys.stderr)
        print("outscore: The cache is full.", file=worker.sys.stderr)

    monkeypatch.setattr(worker.Worker, "_run", speak)
    found = worker.Worker(COMMAND_LINE, io.StringIO()).answer({"task": "command", "words": [], "folder": str(tmp_path)})
    assert found == {"code": 0, "error": None, "parameter": None, "answer": None, "notes": ["The cache is full."]}


@pytest.mark.parametrize(("number", "code", "begins"), [(28, 2, "The disk"), (5, 1, "This failed unexpectedly (OSError)")])
def test_a_full_disk_is_no_mistake(tmp_path, monkeypatch, number, code, begins):
    def full(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setitem(worker.TASKS, "draw", full)
    terminal = io.StringIO()
    found = worker.Worker(COMMAND_LINE, terminal).answer({"task": "draw", "folder": str(tmp_path)})
    assert (found["code"], found["error"].startswith(begins)) == (code, True)
    assert bool(terminal.getvalue()) == (code == 1)

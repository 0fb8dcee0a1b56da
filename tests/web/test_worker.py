"""The worker's side: what it says, and that it keeps nothing open."""

from __future__ import annotations

import io
import os
import queue
import sys

import pytest

from outscore.web import worker


@pytest.fixture
def warmed_up(tmp_path, monkeypatch):
    """What the terminal is told while a worker is prepared."""
    monkeypatch.chdir(tmp_path)

    def run(*tasks):
        monkeypatch.setattr(worker, "WARM_UP", tasks)
        terminal = io.StringIO()
        worker.warm_up(queue.SimpleQueue(), terminal)
        assert list(tmp_path.iterdir()) == []
        return terminal.getvalue()

    return run


def running(command, **request):
    return {"task": "run", "command": command, "request": request, "target": "."}


def test_a_worker_that_is_not_ready_says_so(warmed_up):
    assert warmed_up(running("plan", effect="0.1")) == ""
    said = warmed_up(running("compare", files="nothing.txt"))
    assert said.startswith("outscore: A worker process is not ready: `nothing.txt` does not exist.")
    assert said.count("\n") == 1


def test_a_failure_is_told_once(warmed_up, monkeypatch):
    def fail(*_):
        raise KeyError("x")

    monkeypatch.setitem(worker.TASKS, "run", fail)
    said = warmed_up(running("plan"))
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


def test_what_a_library_prints_is_no_note(tmp_path, monkeypatch):
    def speak(task, progress, remark):
        sys.stderr.write("warning: of a library\n")
        sys.stdout.write("progress: of a library\n")
        remark("The cache is full.")

    monkeypatch.setitem(worker.TASKS, "run", speak)
    found = worker.answer({**running("plan"), "folder": str(tmp_path)}, io.StringIO())
    assert found == {"code": 0, "error": None, "parameter": None, "answer": None, "notes": ["The cache is full."]}


def test_an_error_names_its_parameter(tmp_path):
    found = worker.answer({**running("plan", effect="0.1", alpha="2"), "folder": str(tmp_path)}, io.StringIO())
    assert (found["code"], found["parameter"]) == (2, "alpha")


@pytest.mark.parametrize(("number", "code", "begins"), [(28, 2, "The disk"), (5, 1, "This failed unexpectedly (OSError)")])
def test_a_full_disk_is_no_mistake(tmp_path, monkeypatch, number, code, begins):
    def full(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setitem(worker.TASKS, "draw", full)
    terminal = io.StringIO()
    found = worker.answer({"task": "draw", "folder": str(tmp_path)}, terminal)
    assert (found["code"], found["error"].startswith(begins)) == (code, True)
    assert bool(terminal.getvalue()) == (code == 1)

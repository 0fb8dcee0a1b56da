"""Engines: the same results in the same order, the same errors, and no process left behind."""

from __future__ import annotations

import functools
import io
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.engine.tasks import a_lambda, chatter, die, die_once, divide, fail_from, leave, meet, raise_awkward, sums_of

from outscore.core.errors import OutscoreError
from outscore.engine import progress, workers
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import MIN_WORK, SERIAL, Processes, engine_of, open_engine
from outscore.engine.progress import Progress, terminal_progress

ENGINES = [SERIAL, Processes(2), Processes(3)]
NAMES = ["serial", "two", "three"]
needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="needs dask and distributed")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8") if Path("/proc").is_dir() else True


def gone(pids: list[int], within: float = 5.0) -> bool:
    end = time.monotonic() + within
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(alive, pids))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
@pytest.mark.parametrize("count", [0, 1, 2, 17])
def test_results_are_in_order(engine, count):
    steps = Progress()
    assert engine.map(abs, range(-count, 0), progress=steps) == list(range(count, 0, -1))
    assert steps.done == count


def test_one_and_two_workers_give_the_same_bytes():
    table = np.random.default_rng(0).integers(-50, 50, (500, 20))
    results = [engine.map(functools.partial(sums_of, table), range(0, 100, 10)) for engine in ENGINES]
    assert len({np.concatenate(found).tobytes() for found in results}) == 1


def test_workers_are_others_with_one_thread_and_end_with_the_call(tmp_path):
    found = Processes(2).map(functools.partial(meet, tmp_path), range(8))
    pids = {pid for pid, _ in found}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert {threads for _, threads in found} == {"1"}
    assert gone(list(pids), within=0)


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_the_first_error_is_raised_as_it_is(engine):
    """Not the one that happens to arrive first."""
    with pytest.raises(OutscoreError) as found:
        engine.map(functools.partial(fail_from, 3), range(9))
    assert (found.value.message, found.value.hint) == ("Task 3 is bad.", "Leave it out.")


def test_other_errors_bring_their_traceback():
    with pytest.raises(ZeroDivisionError) as found:
        Processes(2).map(divide, [1, 0])
    assert "return 1 / x" in found.value.__notes__[0]


def test_leaving_in_a_worker_is_leaving():
    with pytest.raises(SystemExit) as found:
        Processes(2).map(sys.exit, [3, 4])
    assert found.value.code == 3


def test_errors_that_cannot_travel_are_told():
    with pytest.raises(RuntimeError, match="AwkwardError: no use"):
        Processes(2).map(raise_awkward, [1, 2])


@pytest.mark.posix
def test_a_lost_worker_costs_time_only(tmp_path):
    steps = Progress()
    assert Processes(2).map(functools.partial(die_once, tmp_path), range(10), progress=steps) == [x * x for x in range(10)]
    assert steps.done == 10
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize(
    ("function", "how"),
    [pytest.param(die, "by signal 9", marks=pytest.mark.posix, id="killed"), pytest.param(leave, "with code 1", id="left")],
)
def test_a_task_that_no_worker_survives_is_one_sentence(function, how):
    with pytest.raises(OutscoreError) as found:
        Processes(2).map(function, [1, 1, 1])
    assert found.value.message == f"3 worker processes were lost to one task, the last one {how}."
    assert "fewer jobs" in found.value.hint


@pytest.mark.posix
def test_no_worker_to_replace_a_lost_one_is_one_sentence(monkeypatch, tmp_path):
    """The interpreter that the first two were started with has gone."""
    begin, starts = workers.start_interpreter, iter(range(9))
    monkeypatch.setattr(workers, "start_interpreter", lambda module: begin(module) if next(starts) < 2 else nobody())
    with pytest.raises(OutscoreError, match="No worker process could be started"):
        Processes(2).map(functools.partial(die_once, tmp_path), [3, 6])


def nobody() -> None:
    raise OutscoreError("No worker process could be started: gone.")


def test_what_libraries_print_does_no_harm(capfd):
    assert Processes(2).map(chatter, range(4)) == list(range(4))
    seen = capfd.readouterr()
    assert not seen.out
    assert "noise from a library" in seen.err or "and from below it" in seen.err


@pytest.mark.parametrize(
    ("function", "tasks"),
    [(lambda x: x, [1, 2]), (abs, [1, threading.Lock()])],
    ids=["function", "task"],
)
def test_work_that_cannot_travel_is_one_sentence(function, tasks):
    with pytest.raises(OutscoreError, match="This work cannot be sent to other processes") as found:
        Processes(2).map(function, tasks)
    assert "top level of a module" in found.value.hint


def test_a_result_that_cannot_travel_is_an_error():
    with pytest.raises((AttributeError, TypeError, RuntimeError), match=r"pickle|local object"):
        Processes(2).map(a_lambda, [1, 2])


def test_no_interpreter_is_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(OutscoreError, match=r"No worker process could be started: .*/no/such/python"):
        Processes(2).map(abs, [1, 2])


@pytest.mark.parametrize("engine", ENGINES[:2], ids=NAMES[:2])
def test_cancelling_stops_the_rest(engine):
    steps = Progress()
    timer = threading.Timer(0.5, steps.cancel)
    timer.start()
    start = time.monotonic()
    with pytest.raises(CancelledError):
        engine.map(time.sleep, [0.2] * 100, progress=steps)
    timer.join()
    assert time.monotonic() - start < 8
    assert steps.done < 50


SCRIPT = """
import time
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import Processes

class Slow:
    def begin(self, doing, total): pass
    def advance(self, steps=1): print("working", flush=True)
    cancelled = False

{engine}.map(time.sleep, [0, 0] + [60] * 4, progress=Slow())
"""


def started(tmp_path: Path, engine: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A script in a session of its own, and the process ids of its workers once they work."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(engine=engine), encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(tmp_path / "scratch")},
    )
    (tmp_path / "scratch").mkdir()
    assert running.stdout.readline() == "working\n"
    return running, descendants(running.pid)


def descendants(pid: int) -> list[int]:
    children = [
        int(child)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for child in (thread / "children").read_text(encoding="utf-8").split()
    ]
    return children + [other for child in children for other in descendants(child)]


@pytest.mark.skipif(not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="finds the workers through /proc")
@pytest.mark.parametrize(
    ("engine", "stop"),
    [
        ("Processes(2)", "SIGINT"),
        pytest.param("Processes(2)", "SIGTERM", marks=pytest.mark.slow),
        ("Processes(2)", "SIGKILL"),
        pytest.param("Dask('local', 1)", "SIGINT", marks=[needs_dask, pytest.mark.slow]),
        pytest.param("Dask('local', 1)", "SIGKILL", marks=needs_dask),
    ],
)
def test_no_orphans(tmp_path, engine, stop):
    """Interrupted, ended or killed in the middle of long tasks: the workers go with it, and so do their files."""
    running, others = started(tmp_path, engine)
    stop = signal.Signals[stop]
    assert len(others) == 2  # with Dask the scheduler and one worker
    os.killpg(running.pid, stop)
    _, errors = running.communicate(timeout=20)
    assert running.returncode == -stop
    assert gone(others)
    assert not list((tmp_path / "scratch").iterdir())
    # One traceback at most: that of the script itself, which does not catch the interrupt; none from the workers.
    assert errors.count("Traceback") == (stop == signal.SIGINT)
    assert "KeyboardInterrupt" in errors or stop != signal.SIGINT


def test_scripts_need_no_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from outscore.engine.engines import Processes\nprint(Processes(2).map(abs, range(-3, 0)))\n", encoding="utf-8"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[3, 2, 1]\n", "")


def test_functions_of_a_script_are_one_sentence(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from outscore.engine.engines import Processes\ndef f(x): return x\nProcesses(2).map(f, [1, 2])\n", encoding="utf-8"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert "A worker process cannot load its work" in done.stderr.splitlines()[-1]
    assert "in a module that can be imported" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("jobs", "work", "expected"),
    [
        (None, None, SERIAL),
        (1, 1e9, SERIAL),
        (2, None, Processes(2)),
        (2, MIN_WORK, Processes(2)),
        (2, MIN_WORK / 2, SERIAL),
    ],
)
def test_engine_of(jobs, work, expected):
    assert engine_of(jobs, work=work) == expected


def test_engine_of_all_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert engine_of(0) == Processes(3)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert engine_of(0) == SERIAL


@pytest.mark.parametrize(
    ("jobs", "address", "expected"),
    [
        (2, "local", Dask("local", 2)),
        (1, "local", Dask("local", 1)),
        (None, "local", Dask("local", 3)),
        (0, "tcp://10.0.0.1:8786", Dask("tcp://10.0.0.1:8786", 3)),
        (None, "scheduler:8786", Dask("scheduler:8786", 3)),
    ],
)
def test_engine_of_dask(monkeypatch, jobs, address, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert engine_of(jobs, dask=address, work=0.0) == expected


@pytest.mark.parametrize(
    ("jobs", "address", "said"),
    [
        (None, "locl", r"`dask` is 'locl'\. Give \"local\", or the address of a scheduler"),
        (None, "tcp://here", "`dask` is 'tcp://here'"),
        (2, "here:8786", "`jobs` is 2, but the Dask cluster at here:8786 decides how many workers there are"),
    ],
)
def test_engine_of_refuses_what_dask_cannot_do(jobs, address, said):
    with pytest.raises(OutscoreError, match=said):
        engine_of(jobs, dask=address)


@pytest.mark.parametrize("engine", ENGINES[:2], ids=NAMES[:2])
def test_an_engine_can_be_opened(engine):
    with open_engine(engine) as ready:
        assert ready.map(abs, [-1, 2]) == ready.map(abs, [1, -2]) == [1, 2]


def test_engine_of_refuses_negative_jobs():
    with pytest.raises(OutscoreError, match="`jobs` is -1"):
        engine_of(-1)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_a_terminal_only(capsys):
    with terminal_progress() as steps:
        steps.begin("TER of 2 systems", 2)
        SERIAL.map(abs, [1, 2], progress=steps)
    assert capsys.readouterr() == ("", "")
    assert type(steps) is Progress


@pytest.mark.parametrize(("moment", "shown"), [(0.0, True), (60.0, False)])
def test_a_bar_appears_after_a_moment(monkeypatch, moment, shown):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "BAR_DELAY", moment)
    monkeypatch.setenv("TERM", "xterm")
    with terminal_progress() as steps:
        for doing in ("TER of 2 systems", "BLEU of 2 systems"):
            steps.begin(doing, 2)
            assert SERIAL.map(abs, [1, 2], progress=steps) == [1, 2]
    assert ("TER of 2 systems" in screen.getvalue()) is shown
    assert ("BLEU of 2 systems" in screen.getvalue()) is shown

"""The Dask engine keeps the promises of the others: results, order, errors, and nothing left behind."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.engine import dask_cluster as cluster
from outscore.engine import local_cluster as host
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import SERIAL, open_engine
from outscore.engine.local_cluster import local_cluster
from outscore.engine.progress import Progress
from outscore.resampling import flipped_sums

pytest.importorskip("distributed", reason="needs dask and distributed")


def sums_of(table: np.ndarray, first: int) -> np.ndarray:
    return flipped_sums(table, first, 10, 3)


def place_of(_: int) -> tuple[int, str | None, str | None]:
    time.sleep(0.05)
    return os.getpid(), os.environ.get("OPENBLAS_NUM_THREADS"), os.environ.get("POLARS_MAX_THREADS")


def fail_from(limit: int, x: int) -> int:
    """Later tasks fail sooner than earlier ones."""
    if x >= limit:
        time.sleep(0.2 if x == limit else 0)
        raise OutscoreError(f"Task {x} is bad.", "Leave it out.")
    return x


def die_once(folder: Path, x: int) -> int:
    """Some tasks take their first worker with them."""
    if x in {1, 5} and not (folder / str(x)).exists():
        (folder / str(x)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def die_at(bad: int, x: int) -> int:
    if x == bad:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def size_of(table: np.ndarray, x: int) -> tuple[int, bool]:
    return table.nbytes + x, table.flags.writeable


def grow(x: int) -> int:
    """More memory than a worker may use, for longer than nobody looks."""
    if x == 1:
        memory = np.ones(60_000_000)
        time.sleep(5)
        return int(memory[0])
    return x


@pytest.fixture(scope="module")
def running():
    """A cluster for all tests that do not break it, and its engine."""
    with open_engine(Dask("local", 2, "1 GB")) as engine:
        yield engine


@pytest.mark.parametrize("count", [0, 1, 40])
def test_against_serial(running, count):
    steps = Progress()
    assert running.map(abs, range(-count, 0), progress=steps) == SERIAL.map(abs, range(-count, 0))
    assert steps.done == count


def test_against_serial_the_same_bytes(running):
    function = functools.partial(sums_of, np.random.default_rng(0).integers(-50, 50, (500, 20)))
    here, there = (engine.map(function, range(0, 60, 10)) for engine in (SERIAL, running))
    assert np.concatenate(here).tobytes() == np.concatenate(there).tobytes()


def test_workers_are_others_with_one_thread(running):
    found = set(running.map(place_of, range(12)))
    assert len(found) == 2
    assert os.getpid() not in {pid for pid, *_ in found}
    assert {threads for _, *threads in found for threads in threads} == {"1"}


def test_only_so_many_tasks_are_under_way(running, monkeypatch):
    """Tasks are drawn when there is room for them, not all at once."""
    monkeypatch.setattr(cluster, "MAX_TASKS_PER_THREAD", 2)
    steps, ahead = Progress(), []

    def tasks():
        for task in range(30):
            ahead.append(task - steps.done)
            yield task

    assert running.map(abs, tasks(), progress=steps) == list(range(30))
    assert max(ahead) < 2 * 2


def test_a_large_function_travels_and_can_be_written_to(running):
    assert running.map(functools.partial(size_of, np.zeros(2_000_000)), [0, 1]) == [(16_000_000, True), (16_000_001, True)]


def test_the_first_error_is_raised_as_it_is(running):
    with pytest.raises(OutscoreError) as found:
        running.map(functools.partial(fail_from, 3), range(40))
    assert (found.value.message, found.value.hint) == ("Task 3 is bad.", "Leave it out.")
    with pytest.raises(ZeroDivisionError) as other:
        running.map(functools.partial(divmod, 1), [1, 0])
    assert "In a worker process" in other.value.__notes__[0]


def test_work_that_cannot_travel_is_one_sentence(running):
    with pytest.raises(OutscoreError, match="This work cannot be sent to other processes"):
        running.map(lambda x: x, [1])
    with pytest.raises(OutscoreError, match="This work cannot be sent to other processes"):
        running.map(abs, [1, threading.Lock()])


def test_cancelling_stops_the_rest(running):
    steps = Progress()
    timer = threading.Timer(0.5, steps.cancel)
    timer.start()
    with pytest.raises(CancelledError):
        running.map(time.sleep, [0.1] * 1000, progress=steps)
    timer.join()
    assert steps.done < 500
    assert running.map(abs, [-1]) == [1]


def test_it_listens_to_this_machine_only(running):
    psutil = pytest.importorskip("psutil")
    scheduler = next(child for child in psutil.Process().children() if "engine.local_cluster" in " ".join(child.cmdline()))
    processes = [scheduler, *scheduler.children()]
    open_to = {c.laddr.ip for process in processes for c in process.net_connections() if c.status == psutil.CONN_LISTEN}
    assert len(processes) == 3
    assert open_to == {"127.0.0.1"}


@pytest.mark.posix
def test_a_lost_worker_costs_time_only(running, tmp_path):
    assert running.map(functools.partial(die_once, tmp_path), range(12)) == [x * x for x in range(12)]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.posix
@pytest.mark.slow
def test_a_task_that_no_worker_survives_is_one_sentence():
    """Its neighbours are suspected too, tried alone, and found innocent: the engine is of use afterwards."""
    with open_engine(Dask("local", 1)) as engine:
        with pytest.raises(OutscoreError, match=r"^3 worker processes were lost to one task\. If memory ran out, use fewer"):
            engine.map(functools.partial(die_at, 1), range(3))
        assert engine.map(abs, [-4]) == [4]


@pytest.mark.slow
def test_a_task_that_needs_too_much_memory_is_one_sentence():
    with pytest.raises(OutscoreError, match="3 worker processes were lost to one task"):
        Dask("local", 1, "300 MB").map(grow, [0, 1])


def test_an_address(running):
    for address in (running.address, running.address.removeprefix("tcp://")):
        assert Dask(address).map(abs, [-2, 3]) == [2, 3]


def test_a_registration_that_is_answered_with_news_of_others_is_made_again(running, monkeypatch):
    """`distributed` takes such an answer for a mistake of its own."""
    from distributed import Client

    connect = Client._ensure_connected
    failed = []

    async def fail_once(client, **how):
        await connect(client, **how)
        if not failed:
            failed.append(client.id)
            raise AssertionError

    monkeypatch.setattr(Client, "_ensure_connected", fail_once)
    assert Dask(running.address).map(abs, [-2, 3]) == [2, 3]
    assert len(failed) == 1


@pytest.mark.posix
@pytest.mark.slow
def test_the_scheduler_is_lost():
    with local_cluster(1, "1 GB") as address, open_engine(Dask(address)) as engine:
        steps = Progress()
        steps.advance = lambda *_: os.kill(scheduler_of(address), signal.SIGKILL)
        with pytest.raises(OutscoreError, match=f"The Dask scheduler at {address} was lost"):
            engine.map(time.sleep, [0, 60, 60], progress=steps)
        with pytest.raises(OutscoreError, match=f"The Dask scheduler at {address} was lost"):
            engine.map(abs, [1])


def scheduler_of(address: str) -> int:
    psutil = pytest.importorskip("psutil")
    port = int(address.rpartition(":")[2])
    listeners = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return next(c.pid for c in listeners if any(link.laddr.port == port for link in c.net_connections()))


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 0.5)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(OutscoreError, match=f"No Dask scheduler answers at {address}"):
            Dask(address).map(abs, [1])
        mute.listen()
        with pytest.raises(OutscoreError, match=f"No Dask scheduler answers at {address}: silent for 0.5 seconds"):
            Dask(address).map(abs, [1])
    with pytest.raises(OutscoreError, match="No Dask scheduler answers at smoke://here:1: unknown address scheme"):
        Dask("smoke://here:1").map(abs, [1])


def test_nobody_works(monkeypatch):
    monkeypatch.setattr(cluster, "WORKERS_TIMEOUT", 0.5)
    with (
        local_cluster(0, "1 GB") as address,
        pytest.raises(OutscoreError, match=f"The Dask cluster at {address} has no workers"),
    ):
        Dask(address).map(abs, [1])


WITHOUT = """
import sys, time
sys.modules["outscore"] = None
from distributed import LocalCluster
cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1", silence_logs=60,
                       dashboard_address=None, scheduler_kwargs={"dashboard_address": "127.0.0.1:0"})
print(cluster.scheduler_address, flush=True)
sys.stdin.read()
"""


def test_a_cluster_without_outscore_is_one_sentence(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    place = {"cwd": tmp_path, "env": os.environ | {"TMPDIR": str(tmp_path)}}
    with subprocess.Popen([sys.executable, "-c", WITHOUT], text=True, **pipes, **place) as other:
        address = other.stdout.readline().strip()
        with pytest.raises(OutscoreError) as found:
            Dask(address).map(abs, [1])
        other.kill()
    assert found.value.message == f"The Dask cluster at {address} cannot import outscore."


def test_another_version_is_one_sentence(running, monkeypatch):
    versions = {"client": {"packages": {"outscore": "2.0"}}, "workers": {"there": {"packages": {"outscore": "1.0"}}}}
    monkeypatch.setattr("distributed.Client.get_versions", lambda *_, **__: versions)
    with pytest.raises(OutscoreError, match=r"have outscore 1\.0, this process has 2\.0"):
        Dask(running.address).map(abs, [1])


def test_a_cluster_that_does_not_start_is_one_sentence(monkeypatch):
    with pytest.raises(OutscoreError, match=r"No Dask cluster could be started here: ValueError: .*'lots'"):
        Dask("local", 1, "lots").map(abs, [1])
    nothing = [sys.executable, "-c", ""]
    monkeypatch.setattr(
        host, "start_interpreter", lambda _: subprocess.Popen(nothing, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    )
    with pytest.raises(OutscoreError, match="No Dask cluster could be started here: its process ended at once"):
        Dask("local", 1).map(abs, [1])


def test_without_dask_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(OutscoreError) as found:
        Dask("local", 1).map(abs, [1])
    assert str(found.value) == "dask must be installed to use a Dask cluster. Run `pip install 'outscore[cluster]'`."


def test_a_scheduler_that_is_lost_while_connecting(monkeypatch):
    import distributed

    from outscore.engine import dask_cluster

    class Lost(contextlib.nullcontext):
        def __init__(self, *_: object, **__: object) -> None:
            super().__init__(self)

        def wait_for_workers(self, *_: object, **__: object) -> None:
            raise OSError("Timed out trying to connect to tcp://127.0.0.1:1 after 30 s")

    async def identify(_: str) -> None:
        pass

    monkeypatch.setattr(distributed, "Client", Lost)
    monkeypatch.setattr(dask_cluster, "_identify", identify)
    with (
        pytest.raises(OutscoreError, match=r"The Dask scheduler at tcp://127\.0\.0\.1:1 was lost\. Start it again"),
        dask_cluster.Dask("tcp://127.0.0.1:1").connect(),
    ):
        pass

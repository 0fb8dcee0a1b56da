"""A Dask cluster on this machine: one process with the scheduler, which starts the workers, replaces and ends them.

Scheduler and workers are interpreters like those of `workers`: none runs the user's script again, each keeps its log to itself,
and each ends when its standard input is closed, so nothing is left of the cluster when the main process is killed. They listen
on the loopback interface only and show no dashboard. Workers are watched from here, as Dask's own nanny loses one that dies
while it starts.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.engine.subprocesses import own_output, piped, reaped, started
from outscore.engine.workers import TRIES

__all__ = ["local_cluster", "serve"]

Settings = dict[str, Any]
LOOPBACK = "127.0.0.1"
WATCH = 0.2
"""Seconds between two looks at the workers."""
FAREWELL = 10.0
"""Seconds the host may take to tidy up before it is ended itself; its workers end with it."""
SETTINGS = {
    "distributed.scheduler.allowed-failures": TRIES - 1,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    # A worker that is paused for want of memory may stay so for ever; one that exceeds its limit is replaced.
    "distributed.worker.memory.pause": False,
}
PRIVATE: Settings = {"host": LOOPBACK, "dashboard": False, "dashboard_address": f"{LOOPBACK}:0"}
"""Without an address of its own the dashboard's port is taken even where there is no dashboard."""


@contextmanager
def local_cluster(workers: int, memory: str) -> Iterator[str]:
    """The address of a cluster of `workers` processes, each with one thread and at most `memory`; it ends with the context."""
    with TemporaryDirectory(prefix="outscore-", ignore_cleanup_errors=True) as scratch:
        host = started("outscore.engine.local_cluster")
        try:
            _tell(host, {"workers": workers, "memory": memory, "scratch": scratch})
            yield _address(host)
        finally:
            _end(host)


def _tell(process: subprocess.Popen[bytes], settings: Settings) -> None:
    """The first line a process reads; one that has ended at once is found out later."""
    pipe = piped(process.stdin)
    with suppress(BrokenPipeError):
        pipe.write(json.dumps(settings).encode() + b"\n")
        pipe.flush()


def _address(host: subprocess.Popen[bytes]) -> str:
    """Where the scheduler listens, once it does."""
    answer = piped(host.stdout).readline()
    reply = json.loads(answer) if answer else {"fault": "its process ended at once"}
    if "fault" in reply:
        raise OutscoreError(f"No Dask cluster could be started here: {reply['fault']}.", "Use several jobs without Dask.")
    return str(reply["address"])


def _end(host: subprocess.Popen[bytes]) -> None:
    """Ask for the end by closing the pipe, and see to it."""
    with suppress(BrokenPipeError):
        piped(host.stdin).close()
    with suppress(subprocess.TimeoutExpired):
        host.wait(FAREWELL)
    reaped(host)


def serve() -> None:
    """The side of the host and of a worker: settings first, then work until the pipe is closed."""
    import asyncio

    reply = own_output()
    settings = json.loads(sys.stdin.buffer.readline())
    try:
        with _quiet(settings["scratch"]):
            asyncio.run(_work(settings) if "scheduler" in settings else _host(settings, reply.fileno()))
    except Exception as error:  # noqa: BLE001 - whatever it is, the main process tells the user
        reply.write(json.dumps({"fault": f"{type(error).__name__}: {error}".rstrip(".")}).encode() + b"\n")
        reply.flush()


@contextmanager
def _quiet(scratch: str) -> Iterator[None]:
    """Settings of the cluster, no log, and no file but in its folder."""
    import dask
    from distributed.utils import silence_logging_cmgr

    with dask.config.set(SETTINGS | {"temporary-directory": scratch}), silence_logging_cmgr(logging.CRITICAL + 1):
        yield


async def _host(settings: Settings, reply: int) -> None:
    """The scheduler; its workers are replaced when they end or need too much memory, and end when it does."""
    import asyncio

    from dask.utils import parse_bytes
    from distributed import Scheduler

    limit = parse_bytes(settings["memory"])
    async with Scheduler(port=0, **PRIVATE) as scheduler:
        order = {"scheduler": scheduler.address, "memory": settings["memory"], "scratch": settings["scratch"]}
        workers = [_worker(order) for _ in range(settings["workers"])]
        os.write(reply, json.dumps({"address": scheduler.address}).encode() + b"\n")
        closed = asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
        while not closed.done():
            for i, worker in enumerate(workers):
                if worker.poll() is not None or _resident(worker.pid) > limit:
                    reaped(worker)
                    workers[i] = _worker(order)
            await asyncio.wait([closed], timeout=WATCH)
        for worker in workers:
            reaped(worker)
        # The main process removes the folder as well, unless it was killed.
        shutil.rmtree(settings["scratch"], ignore_errors=True)
        os._exit(0)


def _worker(order: Settings) -> subprocess.Popen[bytes]:
    worker = started("outscore.engine.local_cluster")
    _tell(worker, order)
    return worker


def _resident(pid: int) -> int:
    """Bytes of memory a process uses; none if it has just ended."""
    import psutil  # type: ignore[import-untyped]

    with suppress(psutil.NoSuchProcess):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


async def _work(settings: Settings) -> None:
    """One worker, which ends at once when its host has closed the pipe or is gone."""
    from distributed import Worker

    threading.Thread(target=_follow, daemon=True).start()
    async with Worker(settings["scheduler"], nthreads=1, memory_limit=settings["memory"], **PRIVATE) as worker:
        await worker.finished()


def _follow() -> None:
    sys.stdin.buffer.read()
    os._exit(0)

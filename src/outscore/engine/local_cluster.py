"""A Dask cluster on this machine: a scheduler process that starts, replaces and ends the workers.

Scheduler and workers are interpreters like those of `workers`: none runs the user's script again, none logs
to the terminal, and each exits when its standard input is closed, so nothing is left of the cluster when the
main process is killed. They listen on the loopback interface only and have no dashboard. The scheduler
process watches the workers itself, because Dask's nanny loses one that dies during start-up.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.engine.workers import MAX_TRIES, claim_output, inbox_of, require_pipe, start_interpreter, terminate

Settings = dict[str, Any]
LOOPBACK = "127.0.0.1"
WATCH_INTERVAL = 0.2
"""Seconds between two checks of the workers."""
SHUTDOWN_TIMEOUT = 10.0
"""Seconds the host has to shut down before it is killed; its workers end with it."""
SETTINGS = {
    "distributed.scheduler.allowed-failures": MAX_TRIES - 1,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    # A worker paused for lack of memory may stay paused for ever; one above its limit is replaced instead.
    "distributed.worker.memory.pause": False,
}
PRIVATE: Settings = {"host": LOOPBACK, "dashboard": False, "dashboard_address": f"{LOOPBACK}:0"}
"""Without an address for the dashboard, Dask occupies its default port even if there is no dashboard."""


@contextmanager
def local_cluster(workers: int, memory: str) -> Iterator[str]:
    """The address of a cluster of `workers` processes, each with one thread and at most `memory`; it ends with the context."""
    with TemporaryDirectory(prefix="outscore-", ignore_cleanup_errors=True) as scratch:
        host = start_interpreter("outscore.engine.local_cluster")
        try:
            _send_settings(host, {"workers": workers, "memory": memory, "scratch": scratch})
            yield _read_address(host)
        finally:
            _shut_down(host)


def _send_settings(process: subprocess.Popen[bytes], settings: Settings) -> None:
    """Send the first line that a process reads; if it has exited already, reading its reply will tell."""
    pipe = require_pipe(process.stdin)
    with suppress(BrokenPipeError):
        pipe.write(json.dumps(settings).encode() + b"\n")
        pipe.flush()


def _read_address(host: subprocess.Popen[bytes]) -> str:
    """The address of the scheduler, once it listens."""
    answer = require_pipe(host.stdout).readline()
    reply = json.loads(answer) if answer else {"fault": "its process ended at once"}
    if "fault" in reply:
        raise OutscoreError(f"No Dask cluster could be started here: {reply['fault']}.", "Use several jobs without Dask.")
    return str(reply["address"])


def _shut_down(host: subprocess.Popen[bytes]) -> None:
    """Ask the host to exit by closing its pipe, and kill it if it does not."""
    with suppress(BrokenPipeError):
        require_pipe(host.stdin).close()
    with suppress(subprocess.TimeoutExpired):
        host.wait(SHUTDOWN_TIMEOUT)
    terminate(host)


def serve() -> None:
    """Run in the host and in a worker: read the settings, then work until the pipe is closed."""
    import asyncio

    reply = claim_output()
    settings = json.loads(sys.stdin.buffer.readline())
    try:
        with _configure(settings["scratch"]):
            asyncio.run(_run_worker(settings) if "scheduler" in settings else _run_host(settings, reply.fileno()))
    except Exception as error:  # noqa: BLE001 - the main process reports any failure
        reply.write(json.dumps({"fault": f"{type(error).__name__}: {error}".rstrip(".")}).encode() + b"\n")
        reply.flush()


@contextmanager
def _configure(scratch: str) -> Iterator[None]:
    """Dask without logging, and with files in the folder of the cluster only."""
    import dask
    from distributed.utils import silence_logging_cmgr

    with dask.config.set(SETTINGS | {"temporary-directory": scratch}), silence_logging_cmgr(logging.CRITICAL + 1):
        yield


async def _run_host(settings: Settings, reply: int) -> None:
    """Run the scheduler, and replace workers that exit or need too much memory."""
    import asyncio

    from dask.utils import parse_bytes
    from distributed import Scheduler

    limit = parse_bytes(settings["memory"])
    async with Scheduler(port=0, **PRIVATE) as scheduler:
        order = {"scheduler": scheduler.address, "memory": settings["memory"], "scratch": settings["scratch"]}
        workers = [_start_worker(order) for _ in range(settings["workers"])]
        os.write(reply, json.dumps({"address": scheduler.address}).encode() + b"\n")
        closed = asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
        while not closed.done():
            for i, worker in enumerate(workers):
                if worker.poll() is not None or _resident_memory(worker.pid) > limit:
                    terminate(worker)
                    workers[i] = _start_worker(order)
            await asyncio.wait([closed], timeout=WATCH_INTERVAL)
        for worker in workers:
            terminate(worker)
        # Usually the main process removes the folder, but it may have been killed.
        shutil.rmtree(settings["scratch"], ignore_errors=True)
        os._exit(0)


def _start_worker(order: Settings) -> subprocess.Popen[bytes]:
    worker = start_interpreter("outscore.engine.local_cluster")
    _send_settings(worker, order)
    return worker


def _resident_memory(pid: int) -> int:
    """Bytes of memory that a process uses; 0 if it has just exited."""
    import psutil  # type: ignore[import-untyped]

    with suppress(psutil.NoSuchProcess):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


async def _run_worker(settings: Settings) -> None:
    """Run one worker, which exits at once when its host has closed the pipe or is gone."""
    from distributed import Worker

    inbox_of(sys.stdin.buffer)
    async with Worker(settings["scheduler"], nthreads=1, memory_limit=settings["memory"], **PRIVATE) as worker:
        await worker.finished()

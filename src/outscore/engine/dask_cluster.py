"""A Dask cluster as an engine: one started on this machine, or that of a running scheduler.

Starting, connecting and closing are here; `dask_tasks` sends the tasks.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar, cast

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.engine.dask_tasks import Connection
from outscore.engine.local_cluster import local_cluster
from outscore.engine.progress import Progress

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Dask"]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

CONNECT_TIMEOUT = 10.0
"""Seconds that a scheduler has to answer."""
WORKERS_TIMEOUT = 30.0
"""Seconds that it has to find its workers."""
ADDRESS = re.compile(r"(\w+://)?[^/\s]+:\d+")


@dataclass(frozen=True)
class Dask:
    """Tasks on a Dask cluster, whose overhead is some milliseconds per task.

    Parameters
    ----------
    address
        "local" starts a cluster on this machine, which always ends with the call of `map` or the context of
        `connect`. Otherwise the address of a scheduler, "tcp://host:port" or "host:port", whose workers have
        outscore installed.
    workers
        Number of processes of a local cluster.
    memory
        Memory of each process of a local cluster; one that needs more is replaced.

    Examples
    --------
    >>> Dask("local", workers=2)
    Dask(address='local', workers=2, memory='2 GB')
    >>> Dask("locl")
    Traceback (most recent call last):
    outscore.core.errors.OutscoreError: `dask` is 'locl'. Give "local", or the address of a scheduler such as tcp://10.0.0.1:8786.
    """

    address: str = "local"
    workers: int = 1
    memory: str = "2 GB"

    def __post_init__(self) -> None:
        if self.address != "local" and not ADDRESS.fullmatch(self.address):
            raise OutscoreError(
                f"`dask` is {self.address!r}.", 'Give "local", or the address of a scheduler such as tcp://10.0.0.1:8786.'
            )

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """`function` of every task, on a connection of its own."""
        with self.connect() as cluster:
            return cluster.map(function, tasks, progress=progress)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Start the cluster if it is local, and connect to it, for any number of calls of `map`."""
        try:
            import dask
            from distributed.utils import silence_logging_cmgr
        except ImportError:
            raise OutscoreError(
                "dask must be installed to use a Dask cluster.", "Run `pip install 'outscore[cluster]'`."
            ) from None
        with ExitStack() as stack:
            # Errors are reported as `OutscoreError`, not in Dask's log, and a large function needs no
            # warning.
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL + 1))
            stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}))
            address = stack.enter_context(self._start())
            yield stack.enter_context(_connect(address, self.workers if self.address == "local" else 1))

    def _start(self) -> AbstractContextManager[str]:
        return local_cluster(self.workers, self.memory) if self.address == "local" else nullcontext(self.address)


@contextmanager
def _connect(address: str, workers: int) -> Iterator[Connection]:
    """Connect to a scheduler that has workers with the same version of outscore."""
    import asyncio

    from distributed import Client

    try:
        # The client itself would wait for ever for a server that accepts connections and never answers, so
        # ask first. This needs a thread, because a notebook already runs an event loop in its own.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, _identify(address)).result()
        client = Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False, asynchronous=False, name="outscore")
    except (OSError, ValueError, TypeError) as error:
        raise OutscoreError(
            f"No Dask scheduler answers at {address}: {str(error).rstrip('.') or f'silent for {CONNECT_TIMEOUT:g} seconds'}.",
            "Check the address and whether the scheduler runs, or use `local`.",
        ) from None
    with client:
        try:
            client.wait_for_workers(workers, timeout=WORKERS_TIMEOUT)
        except TimeoutError:
            raise OutscoreError(f"The Dask cluster at {address} has no workers.", "Start some, or use `local`.") from None
        _check_version(client, address)
        yield Connection(client, address)


async def _identify(address: str) -> None:
    """Check that a scheduler answers at an address."""
    import asyncio

    from distributed import Security, rpc

    keys = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_TIMEOUT), rpc(address, connection_args=keys) as scheduler:
        await scheduler.identity()


def _check_version(client: Client, address: str) -> None:
    """Refuse workers of another version, whose results may differ."""
    versions = cast("dict[str, Any]", client.get_versions(packages=["outscore"]))
    here = versions["client"]["packages"]["outscore"]
    for worker in versions["workers"].values():
        there = worker["packages"]["outscore"]
        if here and there and here != there:
            raise OutscoreError(
                f"The workers of the Dask cluster at {address} have outscore {there}, this process has {here}.",
                f"Install outscore {here} on the cluster.",
            )

"""Settings of the page: where it listens, how much it accepts, how long it keeps it."""

from __future__ import annotations

import ipaddress
import os
import socket
import tempfile
from dataclasses import field
from functools import cache
from pathlib import Path

from outscore.core.records import dataclass
from outscore.engine.engines import processors

MIB = 1 << 20
MIN_MEMORY = 2048 * MIB
"""A worker that has drawn a chart maps 740 MB, most of which it never touches."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MAX_WORKERS = 8
"""Each takes 180 MB before its first task."""


def _workers() -> int:
    return min(processors(), MAX_WORKERS)


def _third_of_memory() -> int:
    return max(MIN_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 3)


@dataclass(frozen=True)
class Settings:
    """Limits and places; the defaults suit one person or a small group on one machine.

    Parameters
    ----------
    host, port
        Where the page listens.
    token
        What a visitor has to know; None lets in everybody who can reach the page.
    workers
        How many jobs run at the same time: one per available processor, and at most 8. One more process is started so that
        jobs and quick tasks (inspecting a file, a plan, a download) never wait for each other.
    folder
        Where the private folder for uploads and results is made.
    max_upload, max_body
        Bytes of a request that uploads files, and of every other request.
    idle_timeout
        Seconds without data after which a request is abandoned.
    max_unpacked
        Bytes a compressed file may unpack to.
    max_bytes, max_uploads, max_results
        How much is stored at the same time.
    max_kept
        How many results may be kept for as long as the page runs.
    lifetime
        Seconds after which unused uploads and results are removed.
    job_seconds, quick_seconds
        How long a job, and how long a quick task, may run.
    abandoned_seconds
        How long a job goes on that nobody asks for.
    max_jobs_per_client, max_jobs
        How many jobs may wait and run at the same time.
    max_quick
        How many quick tasks may wait at the same time.
    memory
        Bytes of data a worker process may hold: a third of the machine's memory, which leaves room for two large jobs and
        everything else, and at least 2 GB.
    warm
        Whether worker processes import what a job needs before there is one.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    workers: int = field(default_factory=_workers)
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))
    max_upload: int = 256 * MIB
    max_body: int = 16 * MIB
    idle_timeout: float = 30.0
    max_unpacked: int = 512 * MIB
    max_bytes: int = 4096 * MIB
    max_uploads: int = 2_000
    max_results: int = 1_000
    max_kept: int = 100
    lifetime: float = 3_600.0
    job_seconds: float = 600.0
    quick_seconds: float = 120.0
    abandoned_seconds: float = 120.0
    max_jobs_per_client: int = 10
    max_jobs: int = 50
    max_quick: int = 100
    memory: int = field(default_factory=_third_of_memory)
    warm: bool = True

    def __post_init__(self) -> None:
        """Look up the names of this machine, if they matter, before anybody waits for an answer."""
        if not self.is_local:
            _own_names()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the page."""
        return self.host.lower() in LOOPBACK or (_is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)

    def admits(self, host: str) -> bool:
        """Whether a request may name this host, written without its port.

        A foreign page can make a browser send requests here under a name of its own (DNS rebinding), so only the names of
        this machine are admitted. Addresses cannot be rebound: if the page is open to others, any of them will do.

        Examples
        --------
        >>> [Settings().admits(host) for host in ("localhost", "127.0.0.1", "[::1]", "evil.example", "10.0.0.7")]
        [True, True, True, False, False]
        >>> Settings(host="0.0.0.0").admits("10.0.0.7")
        True
        """
        name = host.strip("[]").lower()
        if name in (*LOOPBACK, self.host.lower()):
            return True
        if self.is_local:
            return False
        return _is_address(name) or name in _own_names()


@cache
def _own_names() -> frozenset[str]:
    """The names of this machine; a name server takes time to answer, so it is asked once."""
    name = socket.gethostname().lower()
    # The last one is how machines in one network find each other without a name server.
    return frozenset({name, socket.getfqdn().lower(), f"{name.partition('.')[0]}.local"})


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

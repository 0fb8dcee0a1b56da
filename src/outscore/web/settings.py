"""What the page allows: where it listens, how much it takes, how long it keeps it."""

from __future__ import annotations

import ipaddress
import os
import socket
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from outscore.engine.engines import processors

__all__ = ["Settings"]

MIB = 1 << 20
LEAST_MEMORY = 2048 * MIB
"""A worker that has drawn a chart holds 740 MB, most of which it never touches."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_WORKERS = 8
"""Each takes 180 MB before it does anything."""


def _workers() -> int:
    return min(processors(), MOST_WORKERS)


def _temporary() -> Path:
    return Path(tempfile.gettempdir())


def _third_of_memory() -> int:
    return max(LEAST_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 3)


@dataclass(frozen=True)
class Settings:
    """Limits and places; the defaults suit one person or a small group on one machine.

    Parameters
    ----------
    host, port
        Where the page listens.
    workers
        How many jobs run at the same time: one on each processor that may be used, and 8 at most. One more process is there so
        that jobs and what takes a moment (a look at a file, a plan, a download) never have to wait for each other.
    folder
        Where the private folder for uploads and results is made.
    largest_upload, largest_body
        Bytes of a request that uploads files, and of every other request.
    silence
        Seconds after which a request is given up whose body does not go on.
    largest_unpacked
        Bytes that a compressed file may unpack to.
    most_bytes, most_uploads, most_results
        How much is held at the same time.
    lifetime
        Seconds after which uploads and results that nobody asked for are removed.
    job_seconds, moment_seconds
        How long a job, and how long what should take a moment, may run.
    jobs_per_client, jobs_in_all
        How many jobs may wait and run at the same time.
    moments_in_all
        How many requests may wait at the same time for what takes a moment.
    memory
        Bytes of data a worker process may hold: a third of what the machine has, so that two large jobs and everything else
        have room, and 2 GB at least.
    warm
        Whether worker processes import what a job needs before there is one.
    """

    host: str = "127.0.0.1"
    port: int = 0
    workers: int = field(default_factory=_workers)
    folder: Path = field(default_factory=_temporary)
    largest_upload: int = 256 * MIB
    largest_body: int = 16 * MIB
    silence: float = 30.0
    largest_unpacked: int = 512 * MIB
    most_bytes: int = 4096 * MIB
    most_uploads: int = 2_000
    most_results: int = 1_000
    lifetime: float = 3_600.0
    job_seconds: float = 600.0
    moment_seconds: float = 120.0
    jobs_per_client: int = 10
    jobs_in_all: int = 50
    moments_in_all: int = 100
    memory: int = field(default_factory=_third_of_memory)
    warm: bool = True

    def __post_init__(self) -> None:
        """Ask for the names of this machine, if they matter, before anybody waits for an answer."""
        if not self.is_local:
            _own_names()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the page."""
        return self.host.lower() in LOOPBACK or (_is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)

    def admits(self, host: str) -> bool:
        """Whether a request may name this host, written without its port.

        A page elsewhere can make a browser send requests here under a name of its own (DNS rebinding), so names are those that
        the machine is known by. Addresses cannot be rebound: where the page is open to others, any of them will do.

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
    """What this machine is called; asking a name server takes time, so it is asked once."""
    name = socket.gethostname().lower()
    # Under the last one, machines in the same network find each other without a name server.
    return frozenset({name, socket.getfqdn().lower(), f"{name.partition('.')[0]}.local"})


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

"""What the page allows: where it listens, how much it takes, how long it keeps it."""

from __future__ import annotations

import ipaddress
import os
import socket
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Settings"]

MIB = 1 << 20
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _processors() -> int:
    return os.cpu_count() or 1


def _temporary() -> Path:
    return Path(tempfile.gettempdir())


@dataclass(frozen=True)
class Settings:
    """Limits and places; the defaults suit one person or a small group on one machine.

    Parameters
    ----------
    host, port
        Where the page listens.
    workers
        How many jobs run at the same time. One more process waits for what takes a moment only: a look at a file, a plan, a
        download.
    folder
        Where the private folder for uploads and results is made.
    largest_upload, largest_body
        Bytes of a request that uploads files, and of every other request.
    most_bytes, most_uploads, most_results
        How much is held at the same time.
    lifetime
        Seconds after which uploads and results that nobody asked for are removed.
    job_seconds, moment_seconds
        How long a job, and how long what should take a moment, may run.
    jobs_per_client, jobs_in_all
        How many jobs may wait and run at the same time.
    memory
        Bytes of data a worker process may hold.
    warm
        Whether worker processes import what a job needs before there is one.
    """

    host: str = "127.0.0.1"
    port: int = 0
    workers: int = field(default_factory=_processors)
    folder: Path = field(default_factory=_temporary)
    largest_upload: int = 256 * MIB
    largest_body: int = 16 * MIB
    most_bytes: int = 4096 * MIB
    most_uploads: int = 2_000
    most_results: int = 1_000
    lifetime: float = 3_600.0
    job_seconds: float = 600.0
    moment_seconds: float = 120.0
    jobs_per_client: int = 10
    jobs_in_all: int = 50
    memory: int = 8192 * MIB
    warm: bool = True

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the page."""
        return self.host in LOOPBACK

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
        return _is_address(name) or name in {socket.gethostname().lower(), socket.getfqdn().lower()}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

"""What the page of `outscore serve` costs people: until it is there, and from a file to the report of its comparison.

The server is a process of its own, as people start it, and is asked over HTTP. A file's time runs from the upload to the last
byte of the report that the page shows; workers are warm, as they are a few seconds after the start. Processor time of server
and workers stands beside it, because other programs slow the clock more than the processor.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

# A promise is judged and printed the same way wherever it is made.
from benchmarks.promises import MET, Measured, Promise, _judged, _limit, _measured
from benchmarks.tables import duration, markdown

__all__ = ["FULL", "QUICK", "Sizes", "measure", "text"]

SEED = 20_249
BOUNDARY = "outscore-benchmark"


@dataclass(frozen=True)
class Sizes:
    """Pairs of a small and of a large file, and how often each is asked."""

    small: int = 2_000
    large: int = 1_000_000
    rounds: int = 3


FULL = Sizes()
QUICK = Sizes(200, 20_000, 1)


def _decimals(rng: np.random.Generator, n: int) -> list[str]:
    """Scores between 0 and 1 with six decimals."""
    scores = (0.6 + rng.normal(0, 0.15, (n, 1)) + rng.normal([0.001, 0.0], 0.1, (n, 2))).clip(0, 1)
    return [f"{a:.6f} {b:.6f}" for a, b in scores.tolist()]


def _reals(rng: np.random.Generator, n: int) -> list[str]:
    """Scores with all their digits."""
    return [f"{a} {b}" for a, b in rng.normal([0.01, 0.0], 1.0, (n, 2)).tolist()]


def _right_or_wrong(rng: np.random.Generator, n: int) -> list[str]:
    right = rng.random((n, 2)) < rng.random((n, 1)) + np.array([0.001, 0.0])
    return [f"{a} {b}" for a, b in right.astype(int).tolist()]


def _counts(rng: np.random.Generator, n: int) -> list[str]:
    """Numbers of tokens."""
    return [f"{a} {b}" for a, b in (rng.poisson(200, (n, 2)) + rng.geometric(0.02, (n, 2))).tolist()]


KINDS: dict[str, Callable[[np.random.Generator, int], list[str]]] = {
    "scores with six decimals": _decimals,
    "scores with all digits": _reals,
    "right or wrong": _right_or_wrong,
    "counts of tokens": _counts,
}


class _Page:
    """A page that was started, and what can be asked of it."""

    def __init__(self, process: subprocess.Popen[str], place: str, token: str) -> None:
        self.pid, self.token = process.pid, token
        self._open = lambda: http.client.HTTPConnection(place, timeout=600)

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        connection = self._open()
        known = {"authorization": f"Bearer {self.token}"}
        connection.request(method, path, body or None, known | ({"content-type": kind} if body else {}))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:200]!r}")
        return content

    def report(self, content: bytes) -> bytes:
        """Upload a file, compare the two systems in it, and fetch the report that the page shows."""
        head = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="scores.txt"\r\n\r\n'
        form = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        sent = json.loads(self.ask("POST", "/api/files", form, f"multipart/form-data; boundary={BOUNDARY}"))
        asked = {"command": "compare", "files": {"files": [sent["files"][0]["id"]]}, "settings": {}}
        job = json.loads(self.ask("POST", "/api/jobs", json.dumps(asked).encode()))
        while job["state"] in ("waiting", "running"):
            job = json.loads(self.ask("GET", f"/api/jobs/{job['id']}?wait=10"))
        if job["state"] != "done":
            raise RuntimeError(str(job["error"]))
        return self.ask("GET", f"/api/results/{job['result']}/download.html")

    def processor(self) -> float | None:
        """Seconds that the server and its workers have used; None on a system that does not tell."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        if not children.exists():
            return None
        processes = [str(self.pid), *children.read_text(encoding="ascii").split()]
        ticks = [Path(f"/proc/{p}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13] for p in processes]
        return sum(int(x) for pair in ticks for x in pair) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _served() -> Iterator[tuple[_Page, float]]:
    """A page and the seconds from the command to its first answer."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "outscore", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            place, _, token = said.split("//")[1].split()[0].partition("/?token=")
            page = _Page(process, place, token)
            page.ask("GET", "/")
            yield page, time.perf_counter() - began
        finally:
            process.terminate()
            process.stdout.read()


def _timed(page: _Page, content: bytes, rounds: int) -> dict[str, Any]:
    seconds, used = [], []
    for _ in range(rounds):
        before, began = page.processor(), time.perf_counter()
        page.report(content)
        seconds.append(time.perf_counter() - began)
        after = page.processor()
        used.append(None if before is None or after is None else after - before)
    known = [x for x in used if x is not None]
    return {
        "megabytes": len(content) / 1e6,
        "seconds": statistics.median(seconds),
        "processor": statistics.median(known) if known else None,
        "runs": rounds,
    }


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Start the page, then ask it for every kind of file."""
    sizes = QUICK if quick else FULL
    with _served() as (page, ready):
        files = {
            f"{n:,} pairs, {name}": "\n".join(make(np.random.default_rng([SEED, i]), n)).encode()
            for n in (sizes.small, sizes.large)
            for i, (name, make) in enumerate(KINDS.items())
        }
        # Every worker has imported everything and drawn a chart before the clock runs.
        first = next(iter(files.values()))
        for _ in range(4):
            page.report(first)
        found = {name: _timed(page, content, sizes.rounds) for name, content in files.items()}
    limits = dict.fromkeys(list(found)[: len(KINDS)]) | dict.fromkeys(list(found)[len(KINDS) :], 15.0)
    promises = [Promise("`outscore serve`: from the command to the first answer", lambda _: ready, "s")]
    promises += [_promise(name, found[name]["seconds"], limit) for name, limit in limits.items()]
    nothing = Measured({}, {})
    return {
        "sizes": asdict(sizes),
        "ready": ready,
        "files": found,
        "promises": [_judged(promise, nothing, binding=not quick) for promise in promises],
    }


def _promise(name: str, seconds: float, limit: float | None) -> Promise:
    return Promise(f"{name}: from the upload to the report", lambda _: seconds, "s", at_most=limit)


def text(found: dict[str, Any]) -> str:
    """Promises, then every file."""
    kept = [(row["claim"], _limit(row), _measured(row), MET[row["met"]]) for row in found["promises"]]
    files = [
        (
            name,
            f"{one['megabytes']:,.2g} MB",
            duration(one["seconds"]),
            "–" if one["processor"] is None else duration(one["processor"]),
            str(one["runs"]),
        )
        for name, one in found["files"].items()
    ]
    return (
        markdown(("what", "promised", "measured", "met"), kept)
        + "\n\n"
        + markdown(("file", "size", "time", "processor", "runs"), files)
        + "\n\nTime runs from the upload to the last byte of the report; processor time is that of the server and its workers."
    )

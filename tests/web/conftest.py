"""A page to ask, in this process or as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from tests.web.small import SMALL

from outscore.web import jobs
from outscore.web.app import create_app
from outscore.web.settings import Settings

with warnings.catch_warnings():
    # The client prefers a successor of httpx, which is not needed.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

ADDRESS = "http://127.0.0.1:8370"


class Page:
    """A client with the steps that every test takes."""

    def __init__(self, client, app=None):
        self.client, self.app = client, app

    def __getattr__(self, name):
        return getattr(self.client, name)

    @property
    def service(self):
        return self.app.state.service

    def upload(self, files):
        """Upload files by name, and return what is said about each."""
        answer = self.client.post("/api/files", files=[("file", (name, content)) for name, content in files.items()])
        assert answer.status_code == 201, answer.text
        return answer.json()["files"]

    def start(self, command, files=None, **settings):
        """Start a job on files by the part they play: bytes by name, or ids."""
        parts = {}
        for part, several in (files or {}).items():
            parts[part] = [f["id"] for f in self.upload(several)] if isinstance(several, dict) else several
        asked = {"command": command, "files": parts, "settings": settings.pop("settings", settings)}
        return self.client.post("/api/jobs", json=asked)

    def finished(self, job):
        """The job when it is over."""
        while job["state"] in ("waiting", "running"):
            job = self.client.get(f"/api/jobs/{job['id']}", params={"wait": 10}).json()
        return job

    def run(self, command, files=None, **settings):
        """Start a job and wait for it."""
        answer = self.start(command, files, **settings)
        assert answer.status_code == 202, answer.text
        return self.finished(answer.json())


@contextmanager
def opened(folder, forks=None, **settings):
    if forks is not None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jobs, "interpreter_command", forks.interpreter_command)
            with opened(folder, **settings) as page:
                yield page
        return
    app = create_app(Settings(**{"workers": 1, "warm": False, "folder": folder, **settings}))
    with TestClient(app, base_url=ADDRESS, raise_server_exceptions=False) as client:
        yield Page(client, app)


@pytest.fixture(scope="session")
def page(tmp_path_factory, forks):
    """One page for all tests that leave it as it is."""
    with opened(tmp_path_factory.mktemp("page"), forks) as found:
        yield found


@pytest.fixture(scope="session")
def full_page(tmp_path_factory, forks):
    """A page that takes no job: all that can be tried there is the way to one."""
    with opened(tmp_path_factory.mktemp("full"), forks, max_jobs=0) as found:
        yield found


@pytest.fixture
def open_page(tmp_path, forks):
    """Open a page with limits of its own."""
    return lambda **settings: opened(tmp_path, forks, **settings)


@pytest.fixture
def open_real_page(tmp_path):
    """Open a page whose workers are started as `outscore serve` starts them."""
    return lambda **settings: opened(tmp_path, **settings)


class Server:
    """`outscore serve` as a process of its own, with a temporary folder of its own."""

    def __init__(self, folder: Path, *, small: bool, browser: str | None = None):
        self.folder = folder
        how = ["--no-browser"] if browser is None else []
        self.process = subprocess.Popen(
            [sys.executable, *(["-c", SMALL] if small else ["-m", "outscore"]), "serve", *how, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(folder), "BROWSER": browser or "false"},
        )
        self.pages = []
        self.said = self.process.stdout.readline()
        self.printed = self.said.split()[3] if self.said else ""
        self.address, _, self.token = self.printed.partition("?token=")

    def page(self) -> Page:
        known = {"authorization": f"Bearer {self.token}"}
        self.pages.append(Page(httpx.Client(base_url=self.address, headers=known, timeout=60, trust_env=False)))
        return self.pages[-1]

    def end(self, how=signal.SIGTERM) -> int:
        for page in self.pages:
            page.close()
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stdout.close()
        self.errors = self.process.stderr.read()
        self.process.stderr.close()
        return code


@pytest.fixture
def serve(tmp_path):
    """Start a server; whatever is left of it is ended."""
    started = []

    def start(*, small=True, browser=None, folder=tmp_path):
        started.append(Server(folder, small=small, browser=browser))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


def numbers(n, seed=1, rates=(0.8, 0.5)):
    """Two files of right-or-wrong scores."""
    drawn = (np.random.default_rng(seed).random((2, n)) < np.array(rates)[:, None]).astype(int)
    return {name: "".join(f"{x}\n" for x in row).encode() for name, row in zip(("a.txt", "b.txt"), drawn, strict=True)}


@pytest.fixture(scope="session")
def pair():
    return numbers(40)


@pytest.fixture(scope="session")
def slow_job():
    """Files and settings that keep a worker busy for long enough to be stopped."""
    drawn = np.random.default_rng(1).normal(size=(2, 20_000)).round(3)
    files = {f"{name}.txt": "\n".join(map(str, row)).encode() for name, row in zip("ab", drawn, strict=True)}
    return {"files": {"files": files}, "test": "bootstrap", "resamples": 1_000_000}


def until(condition, seconds=60.0):
    """Wait for something that happens soon, though the machine may be busy with other tests."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
    return found


@pytest.fixture(scope="session")
def wait_until():
    return until

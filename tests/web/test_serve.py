"""`outscore serve` as people start it, as a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from outscore.cli import serve as serving
from outscore.core.errors import OutscoreError


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_serves_and_leaves_nothing(serve, pair, tmp_path):
    server = serve()
    assert server.said == f"outscore is at {server.address}?token={server.token} (Ctrl-C stops it)\n"
    page = server.page()
    front = page.get("/")
    assert front.status_code == 200
    assert front.headers["content-type"].startswith("text/html")
    job = page.run("compare", {"files": pair})
    assert job["state"] == "done"
    assert [name.startswith(f"outscore-web-{server.process.pid}-") for name in left_in(tmp_path)] == [True]
    assert server.end(signal.SIGINT) == 0
    assert server.errors == "outscore: stopped, and all files are removed.\n"
    assert left_in(tmp_path) == []


BROWSER = """#!{python}
import os, pathlib, sys, time
noted = pathlib.Path(__file__).with_suffix(".noted")
noted.with_suffix(".new").write_text(chr(10).join([str(os.getpid()), *sys.argv[1:]]))
noted.with_suffix(".new").rename(noted)
time.sleep(60)
"""


def test_no_process_shows_the_token(serve, tmp_path, wait_until):
    """Every user of a machine can read the arguments of every process."""
    program, folder = tmp_path / "browser", tmp_path / "folder"
    folder.mkdir()
    program.write_text(BROWSER.format(python=sys.executable))
    program.chmod(0o700)
    server = serve(browser=f"{program} %s", folder=folder)
    wait_until(program.with_suffix(".noted").exists)
    browser, shown = program.with_suffix(".noted").read_text().splitlines()
    try:
        tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
        processes = {str(server.process.pid), *(child for task in tasks for child in task.read_text().split())}
        assert browser in processes
        lines = [Path(f"/proc/{process}/cmdline").read_text() for process in processes]
    finally:
        os.kill(int(browser), signal.SIGKILL)
    assert len(server.token) == 32
    assert not [line for line in (shown, *lines) if server.token in line]
    # What it shows leads the owner of the file to the page, and nobody else.
    way = Path(unquote(urlsplit(shown).path))
    assert (urlsplit(shown).scheme, way.stat().st_mode & 0o777, way.parent.stat().st_mode & 0o777) == ("file", 0o600, 0o700)
    assert f'content="0; url={server.printed}"' in way.read_text()
    server.end(signal.SIGTERM)
    assert left_in(folder) == []


def test_ending_in_the_middle_of_a_job_leaves_nothing(serve, slow_job, tmp_path):
    server = serve()
    page = server.page()
    job = page.start("compare", **slow_job).json()
    # Somebody waits for it, too.
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(page.get, f"/api/jobs/{job['id']}", params={"wait": 20})
        server.end(signal.SIGTERM)
        waiting.exception()
    assert left_in(tmp_path) == []


@pytest.mark.slow
def test_killed_and_started_again_leaves_nothing(serve, slow_job, tmp_path, wait_until):
    first = serve()
    first.page().start("compare", **slow_job)
    children = Path(f"/proc/{first.process.pid}/task/{first.process.pid}/children").read_text().split()
    assert len(children) > 1
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    assert len(left_in(tmp_path)) == 1
    # Workers notice by themselves that the page is gone.
    for process in children:
        wait_until(lambda process=process: not Path(f"/proc/{process}").exists())
    second = serve()
    second.page().get("/api/options/report")
    assert [name.split("-")[2] for name in left_in(tmp_path)] == [str(second.process.pid)]
    second.end(signal.SIGINT)
    assert left_in(tmp_path) == []


def test_a_port_that_is_taken_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OutscoreError, match=f"Port {port} is in use"):
            serving._listen("127.0.0.1", port)
    with pytest.raises(OutscoreError, match=r"There is no address `nowhere\.invalid`"):
        serving._listen("nowhere.invalid", 0)
    with pytest.raises(OutscoreError, match="cannot listen on"):
        serving._listen("192.0.2.1", 0)


def test_without_the_extra_it_says_which(monkeypatch):
    monkeypatch.setitem(serving.NEEDED, "no_such_module", "starlette")
    with pytest.raises(OutscoreError) as refusal:
        serving._check_packages()
    assert str(refusal.value) == "starlette must be installed to serve the page. Run `pip install 'outscore[web]'`."


def test_the_package_is_not_needed_elsewhere():
    code = "import outscore.cli.app, outscore.cli.serve, sys; assert not {'starlette', 'uvicorn', 'anyio'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def seconds(process: int) -> float:
    """The processor time of a process, without that of its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


NO_REQUESTS = (
    b"\x16\x03\x01\x02\x00\x01",
    b"GET /\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: a\r\nhost: localhost\r\n\r\n",
    b"\r\n" * 9,
)


def test_it_is_ready_at_once_and_stands_firm(serve):
    server = serve(small=False)
    page = server.page()
    assert page.get("/").status_code == 200
    # Processor time of the page itself: the wall clock would measure how busy the machine is.
    assert seconds(server.process.pid) < 1.5
    place = ("127.0.0.1", int(server.address.rsplit(":", 1)[1].rstrip("/")))
    with socket.create_connection(place) as raw:
        head = f"content-type: multipart/form-data; boundary=x\r\ncontent-length: {300 << 20}\r\n"
        known = f"host: localhost\r\nauthorization: Bearer {server.token}\r\n"
        raw.sendall(f"POST /api/files HTTP/1.1\r\n{known}{head}\r\n".encode())
        assert raw.recv(12) == b"HTTP/1.1 413"
    for sent in NO_REQUESTS:
        with socket.create_connection(place) as raw:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            assert b" 200 " not in raw.recv(1 << 16)
    assert page.get("/api/options/report").status_code == 200
    assert server.end(signal.SIGINT) == 0
    assert "Traceback" not in server.errors


def spent(server) -> float:
    """The processor time of a server and its workers."""
    own = server.process.pid
    return sum(seconds(int(p)) for p in [own, *Path(f"/proc/{own}/task/{own}/children").read_text().split()])


def rests(server) -> bool:
    """Whether all its workers are warm and wait."""
    before = spent(server)
    time.sleep(1)
    return spent(server) - before < 0.03


def million(kind: str) -> bytes:
    """A file of a million pairs."""
    rng = np.random.default_rng(1)
    if kind == "right or wrong":
        return "\n".join(f"{a} {b}" for a, b in rng.integers(0, 2, (1_000_000, 2)).tolist()).encode()
    scores = rng.normal([0.01, 0.0], 1.0, (1_000_000, 2)).round(4 if kind == "decimals" else 17)
    return "\n".join(f"{a} {b}" for a, b in scores.tolist()).encode()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["decimals", "all digits", "right or wrong"])
def test_a_million_pairs(serve, kind, wait_until):
    """From the upload to the report that the page shows."""
    server = serve(small=False)
    page = server.page()
    wait_until(lambda: rests(server), 120)
    before = spent(server)
    job = page.run("compare", {"files": {"million.txt": million(kind)}})
    assert job["state"] == "done", job["error"]
    report = page.get(f"/api/results/{job['result']}/download.html")
    assert "1,000,000" in report.text
    # 15 s are promised on an idle machine. Processor time is what a busy one still shows of it.
    assert spent(server) - before < 15

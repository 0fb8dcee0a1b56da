"""Jobs: progress, cancelling, limits, lost workers, several at once."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest


def workers_of(page):
    """The processes of a page."""
    return [worker._starting.result() for worker in page.service.workers._all if worker._starting.done()]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_cancelling_ends_the_worker_and_the_next_job_works(open_page, pair, slow_job, wait_until):
    with open_page() as page:
        job = page.start("compare", **slow_job).json()
        wait_until(lambda: page.get(f"/api/jobs/{job['id']}").json()["state"] == "running")
        before = {process.pid for process in workers_of(page)}
        answer = page.delete(f"/api/jobs/{job['id']}")
        assert answer.json()["state"] == "cancelled"
        assert page.get(f"/api/results/{job['id']}").status_code == 404
        assert page.run("compare", {"files": pair})["state"] == "done"
        ended = before - {process.pid for process in workers_of(page)}
        assert len(ended) == 1
        wait_until(lambda: not alive(*ended))
        # Once more is no mistake, and a job that is over stays as it is.
        assert page.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"


def test_a_waiting_job_can_be_cancelled(open_page, pair, slow_job):
    with open_page() as page:
        first = page.start("compare", **slow_job).json()
        second = page.start("compare", {"files": pair}).json()
        assert page.delete(f"/api/jobs/{second['id']}").json()["state"] == "cancelled"
        page.delete(f"/api/jobs/{first['id']}")
        assert page.run("compare", {"files": pair})["state"] == "done"


def test_a_moment_need_not_wait_for_jobs(open_page, slow_job, wait_until):
    with open_page() as page:
        job = page.start("compare", **slow_job).json()
        wait_until(lambda: page.get(f"/api/jobs/{job['id']}").json()["state"] == "running")
        assert page.post("/api/plan", json={"effect": 0.1}).status_code == 200
        assert page.upload({"a.txt": b"1\n2\n"})[0]["rows"] == 2
        assert page.get(f"/api/jobs/{job['id']}").json()["state"] == "running"


def test_time_is_limited(open_page, slow_job):
    with open_page(job_seconds=3.0) as page:
        job = page.run("compare", **slow_job)
        assert job["state"] == "failed"
        assert job["error"].startswith("It took longer than 3 seconds")
        # Two processes are there again; what takes a moment has a limit of its own.
        with ThreadPoolExecutor(2) as users:
            plans = list(users.map(lambda effect: page.post("/api/plan", json={"effect": effect}), (0.1, 0.2)))
        assert [answer.status_code for answer in plans] == [200, 200]


def test_jobs_are_limited(open_page, slow_job):
    with open_page(jobs_per_client=2) as page:
        ids = [f["id"] for f in page.upload(slow_job["files"]["files"])]
        asked = {**slow_job, "files": {"files": ids}}
        started = [page.start("compare", **asked) for _ in range(3)]
        assert [answer.status_code for answer in started] == [202, 202, 429]
        assert started[-1].json()["error"] == "You have 2 jobs waiting or running, which is all there may be."
        page.delete(f"/api/jobs/{started[0].json()['id']}")
        assert page.start("compare", **asked).status_code == 202
    with open_page(jobs_in_all=1) as page:
        assert page.start("compare", **slow_job).status_code == 202
        assert page.start("compare", **slow_job).json()["error"].startswith("There are 1 jobs")


def test_a_lost_worker_is_a_sentence(open_page, pair, slow_job, wait_until):
    with open_page() as page:
        job = page.start("compare", **slow_job).json()
        wait_until(lambda: page.get(f"/api/jobs/{job['id']}").json()["state"] == "running")
        for process in workers_of(page):
            os.kill(process.pid, signal.SIGKILL)
        job = page.finished(job)
        assert job["state"] == "failed"
        assert job["error"] == "The process was lost (signal 9). Is memory short? Use fewer or smaller files."
        # The one that waited was lost as well, and whoever asks it next is told so.
        states = [page.run("compare", {"files": pair})["state"] for _ in range(3)]
        assert states[-1] == "done"


@pytest.mark.slow
def test_too_little_memory_is_a_sentence(open_page):
    packed = gzip.compress(b"0.123 0.456\n" * 30_000_000, compresslevel=1)
    with open_page(memory=700 << 20, workers=1) as page:
        found = page.upload({"large.txt.gz": packed})[0]
        assert found["rows"] is None
        assert "memory" in found["problem"]
        assert page.upload({"a.txt": b"1\n"})[0]["rows"] == 1


def test_a_refusal_is_the_sentence_of_the_command_line(page):
    job = page.run("compare", {"files": {"a.txt": b"1\n2\n", "b.txt": b"1\nx\n"}})
    assert job["state"] == "failed"
    assert job["error"].startswith("`b.txt`, line 2: ")
    assert "Traceback" not in job["error"]


def test_a_mistake_of_ours_is_a_sentence(open_page, pair, monkeypatch):
    with open_page() as page:
        ids = [f["id"] for f in page.upload(pair)]
        folder = page.service.store.uploads.get(ids[0]).folder
        # A task that no worker knows is a mistake that cannot happen otherwise.
        answer = page.portal.call(page.service.workers.moment, {"task": "nothing", "folder": str(folder)})
        assert answer.code == 1
        assert answer.error.startswith("This failed unexpectedly (KeyError).")
        assert page.run("compare", {"files": ids})["state"] == "done"


def test_progress_is_told(open_page, wait_until):
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(50)]

    def text():
        return "\n".join(" ".join(rng.choice(words, 20)) for _ in range(600)).encode()

    with open_page() as page:
        files = {"files": {"new.txt": text(), "old.txt": text()}, "reference": {"ref.txt": text()}}
        job = page.start("texts", files, settings={"metric": ["ter"]}).json()
        seen = wait_until(lambda: page.get(f"/api/jobs/{job['id']}").json()["progress"], 60)
        assert set(seen) == {"doing", "done", "total"}
        assert seen["total"] > 0
        assert page.finished(job)["progress"] is None


def test_waiting_ends_when_the_state_changes(page, pair):
    job = page.start("compare", {"files": pair}).json()
    began = time.monotonic()
    assert page.finished(job)["state"] == "done"
    assert time.monotonic() - began < 15
    began = time.monotonic()
    page.get(f"/api/jobs/{job['id']}", params={"wait": 20})
    assert time.monotonic() - began < 5


def test_several_users_at_once(open_page, pair):
    def use(i):
        files = {name: content + b"1\n" * i for name, content in pair.items()}
        job = page.run("compare", {"files": files})
        return page.get(f"/api/results/{job['result']}").json()["comparisons"][0]["n"]

    with open_page(workers=2, jobs_per_client=50) as page, ThreadPoolExecutor(8) as users:
        assert list(users.map(use, range(16))) == [40 + i for i in range(16)]


def test_fifty_parallel_uploads(page):
    def upload(i):
        return page.upload({f"file-{i}.txt": b"".join(b"%d\n" % (i + k) for k in range(20))})[0]

    with ThreadPoolExecutor(50) as users:
        found = list(users.map(upload, range(50)))
    assert [f["name"] for f in found] == [f"file-{i}.txt" for i in range(50)]
    assert [f["head"][0] for f in found] == [[str(i)] for i in range(50)]
    assert len({f["id"] for f in found}) == 50


def test_no_worker_outlives_the_page(open_page, slow_job, wait_until):
    with open_page() as page:
        job = page.start("compare", **slow_job).json()
        wait_until(lambda: page.get(f"/api/jobs/{job['id']}").json()["state"] == "running")
        processes = [process.pid for process in workers_of(page)]
    assert len(processes) == 2
    wait_until(lambda: not any(map(alive, processes)))


def test_a_process_that_cannot_start_is_a_sentence(open_page, pair, monkeypatch):
    async def fail(*_, **__):
        await asyncio.sleep(0)
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", fail)
    with open_page() as page:
        answer = page.post("/api/files", files={"file": ("a.txt", b"1\n")})
        assert answer.status_code == 429
        assert answer.json()["error"] == "No process could be started: Resource temporarily unavailable."

"""Jobs: progress, cancelling, limits, lost workers, several at once."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from outscore.web.jobs import Answer, Jobs
from outscore.web.settings import Settings
from outscore.web.store import ExpiringRegistry, Store
from outscore.web.submission import submit


def workers_of(page):
    """The processes of a page."""
    return [worker._starting.result() for worker in page.service.workers._all if worker._starting.done()]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_cancelling_ends_the_worker_and_the_next_job_works(open_real_page, pair, slow_job, wait_until):
    with open_real_page() as page:
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
    with open_page(job_seconds=0.5) as page:
        job = page.run("compare", **slow_job)
        assert job["state"] == "failed"
        assert job["error"].startswith("This took longer than the limit of 0.5 seconds")
        # Two processes are there again; what takes a moment has a limit of its own.
        with ThreadPoolExecutor(2) as users:
            plans = list(users.map(lambda effect: page.post("/api/plan", json={"effect": effect}), (0.1, 0.2)))
        assert [answer.status_code for answer in plans] == [200, 200]


def test_jobs_are_limited(open_page, slow_job):
    with open_page(max_jobs_per_client=2) as page:
        ids = [f["id"] for f in page.upload(slow_job["files"]["files"])]
        asked = {**slow_job, "files": {"files": ids}}
        started = [page.start("compare", **asked) for _ in range(3)]
        assert [answer.status_code for answer in started] == [202, 202, 429]
        assert started[-1].json()["error"] == "You have 2 jobs waiting or running, which is the limit."
        page.delete(f"/api/jobs/{started[0].json()['id']}")
        assert page.start("compare", **asked).status_code == 202
    with open_page(max_jobs=1) as page:
        assert page.start("compare", **slow_job).status_code == 202
        assert page.start("compare", **slow_job).json()["error"].startswith("There are 1 jobs")


def test_a_lost_worker_is_a_sentence(open_real_page, pair, slow_job, wait_until):
    with open_real_page() as page:
        job = page.start("compare", **slow_job).json()

        def lost():
            """Before a job has begun another process takes it over, so that one has to go as well."""
            for process in workers_of(page):
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGKILL)
            return page.get(f"/api/jobs/{job['id']}").json()["state"] == "failed"

        wait_until(lost)
        job = page.finished(job)
        assert job["error"] == "The worker process died (signal 9). It may have run out of memory: use fewer or smaller files."
        # The one that waited was lost as well, which costs nobody an answer.
        assert [page.run("compare", {"files": pair})["state"] for _ in range(2)] == ["done", "done"]


@pytest.mark.slow
def test_too_little_memory_is_a_sentence(open_real_page):
    packed = gzip.compress(b"0.123 0.456\n" * 30_000_000, compresslevel=1)
    with open_real_page(memory=700 << 20, workers=1) as page:
        found = page.upload({"large.txt.gz": packed})[0]
        assert found["rows"] is None
        assert "memory" in found["problem"]
        assert page.upload({"a.txt": b"1\n"})[0]["rows"] == 1


def test_a_refusal_is_the_sentence_of_the_command_line(page):
    job = page.run("compare", {"files": {"a.txt": b"1\n2\n", "b.txt": b"1\nx\n"}})
    assert job["state"] == "failed"
    assert job["error"].startswith("`b.txt`, line 2: ")
    assert "Traceback" not in job["error"]


def test_a_mistake_of_ours_is_a_sentence(open_page, pair):
    with open_page() as page:
        ids = [f["id"] for f in page.upload(pair)]
        folder = page.service.store.uploads.get(ids[0]).folder
        # A task without its bound is a mistake that cannot happen otherwise.
        answer = page.portal.call(page.service.workers.run_quick, {"task": "inspect", "folder": str(folder)})
        assert answer.code == 1
        assert answer.error.startswith("This failed unexpectedly (KeyError).")
        assert page.run("compare", {"files": ids})["state"] == "done"


def test_progress_is_told(open_page, wait_until):
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(50)]

    def text():
        return "\n".join(" ".join(rng.choice(words, 8)) for _ in range(300)).encode()

    with open_page() as page:
        files = {"files": {"new.txt": text(), "old.txt": text()}, "reference": {"ref.txt": text()}}
        job = page.start("texts", files, settings={"metric": ["ter"]}).json()
        seen = wait_until(lambda: page.get(f"/api/jobs/{job['id']}").json()["progress"], 60)
        assert set(seen) == {"doing", "done", "total"}
        assert seen["total"] > 0
        assert page.finished(job)["progress"] is None


def test_waiting_ends_when_the_state_changes(page, pair):
    job = page.start("compare", {"files": pair}).json()
    assert page.finished(job)["state"] == "done"
    began = time.monotonic()
    page.get(f"/api/jobs/{job['id']}", params={"wait": 20})
    assert time.monotonic() - began < 5


class Scripted:
    """Workers that answer when they are told, and count what they are asked."""

    def __init__(self):
        self.answer = asyncio.get_running_loop().create_future()
        self.asked = []

    async def run_job(self, task, begun, _):
        self.asked.append(task)
        begun()
        return await self.answer

    async def run_quick(self, task):
        return await self.run_job(task, lambda: None, None)


@pytest.fixture
def with_jobs(tmp_path):
    """Run a function of jobs and of the workers that do them."""

    def run(function):
        async def opened():
            settings = Settings(folder=tmp_path)
            store, workers = Store(settings), Scripted()
            try:
                async with asyncio.timeout(20):
                    return await function(Jobs(settings, store, workers), workers)
            finally:
                store.close()

        return asyncio.run(opened())

    return run


PLAN = submit("plan", {"effect": 0.1}, {})


def test_every_change_of_the_state_is_told_at_once(with_jobs):
    async def states(jobs, workers):
        job = jobs.start(PLAN, "me")
        found = [job.state]
        await job.wait(1000)
        found.append(job.state)
        workers.answer.set_result(Answer(0))
        await job.wait(1000)
        found.append(job.state)
        # Nothing will change any more.
        await job.wait(1000)
        return found

    assert with_jobs(states) == ["waiting", "running", "done"]


@pytest.mark.parametrize("first", ["answer", "cancelled"])
def test_a_cancelled_job_stays_cancelled(with_jobs, first):
    async def state(jobs, workers):
        job = jobs.start(PLAN, "me")
        await job.wait(1000)
        if first == "answer":
            workers.answer.set_result(Answer(0))
        jobs.cancel(job)
        await asyncio.wait([job.task])
        job.set_state("done")
        return job.state, workers.answer.cancelled() or first == "answer"

    assert with_jobs(state) == ("cancelled", True)


def test_a_mistake_ends_the_job_and_is_told(with_jobs, caplog):
    async def seen(jobs, workers):
        job = jobs.start(PLAN, "me")
        workers.answer.set_exception(TypeError("unexpected"))
        await asyncio.gather(job.task, return_exceptions=True)
        return job.state, job.error, job.busy

    state, error, busy = with_jobs(seen)
    assert (state, busy) == ("failed", False)
    assert error == "This failed unexpectedly (TypeError). Please report it with what you did."
    assert [record.exc_info[0] for record in caplog.records] == [TypeError]


def test_the_same_thing_is_made_once_for_all_who_ask(with_jobs):
    async def seen(jobs, workers):
        job = jobs.start(PLAN, "me")
        job.set_state("done")
        several = [asyncio.create_task(jobs.make(job, "result.html", {"number": i})) for i in range(3)]
        other = asyncio.create_task(jobs.make(job, "result.md", {"number": 3}))
        await asyncio.sleep(0.01)
        # One who goes away takes it from nobody.
        several[0].cancel()
        busy = job.busy
        workers.answer.set_result(Answer(0))
        codes = [answer.code for answer in await asyncio.gather(*several[1:], other)]
        return busy, codes, [task["number"] for task in workers.asked if "number" in task], job.busy, job.making

    assert with_jobs(seen) == (True, [0, 0, 0], [0, 3], False, {})


@pytest.mark.parametrize(
    ("error", "state"), [(PermissionError(1, "Operation not permitted"), 202), (FileNotFoundError(2, "No such file"), 404)]
)
def test_where_files_cannot_be_linked_they_are_copied(open_page, pair, monkeypatch, error, state):
    def link(*_):
        raise error

    with open_page() as page:
        ids = [file["id"] for file in page.upload(pair)]
        before = {path.name for path in page.service.store.folder.iterdir()}
        monkeypatch.setattr(os, "link", link)
        answer = page.start("compare", {"files": ids})
        assert answer.status_code == state
        if state == 202:
            assert page.finished(answer.json())["state"] == "done"
        else:
            assert answer.json()["error"] == "There is no such file."
            # And no folder that no id leads to.
            assert {path.name for path in page.service.store.folder.iterdir()} == before


def test_uploads_are_looked_up_where_they_are_removed(page, pair, monkeypatch):
    """In the one thread that changes the shelf: what is there may otherwise be gone a line later."""
    threads = set()
    get = ExpiringRegistry.get
    monkeypatch.setattr(ExpiringRegistry, "get", lambda shelf, id_: threads.add(threading.current_thread()) or get(shelf, id_))
    assert page.run("compare", {"files": pair})["state"] == "done"
    assert page.post("/api/plan", json={"effect": 0.1}).status_code == 200
    assert len(threads) == 1


def test_notes_of_a_job_that_worked_are_told(open_page):
    text = "the cat sat\non the mat\n"
    with open_page() as page:
        # Where a folder should be there is a file.
        page.service.store.cache.write_text("")
        files = {"files": {"a.txt": text, "b.txt": text.upper()}, "reference": {"r.txt": text}}
        job = page.run("texts", files, settings={"metric": ["bleu"]})
        assert job["state"] == "done", job["error"]
        assert [note.partition(" (")[0] for note in job["notes"]] == [
            f"The cache folder {page.service.store.cache} cannot be used"
        ]


def test_several_users_at_once(open_page, pair):
    def use(i):
        files = {name: content + b"1\n" * i for name, content in pair.items()}
        job = page.run("compare", {"files": files})
        return page.get(f"/api/results/{job['result']}").json()["comparisons"][0]["n"]

    with open_page(workers=2, max_jobs_per_client=50) as page, ThreadPoolExecutor(8) as users:
        assert list(users.map(use, range(16))) == [40 + i for i in range(16)]


@pytest.mark.slow
def test_the_page_answers_while_jobs_of_several_users_wait(open_page, slow_job):
    """Eight jobs of four users, of which two run: the page itself computes nothing, so it answers as fast as ever."""

    def begin(_):
        return [page.start("compare", **{**slow_job, "files": {"files": ids}}).json() for _ in range(2)]

    with open_page(workers=2) as page, ThreadPoolExecutor(4) as users:
        ids = [file["id"] for file in page.upload(slow_job["files"]["files"])]
        jobs = [job for several in users.map(begin, range(4)) for job in several]
        states = [page.get(f"/api/jobs/{job['id']}").json()["state"] for job in jobs]
        assert sorted(states) == ["running"] * 2 + ["waiting"] * 6
        took = []
        for job in jobs:
            for path in ("/", "/compare", f"/api/jobs/{job['id']}", "/api/options/compare", "/static/page.css"):
                began = time.monotonic()
                assert page.get(path).status_code == 200
                took.append(time.monotonic() - began)
        # The machine may be busy with other things for a moment, but not every time.
        assert sorted(took)[len(took) // 2] < 0.1
        assert all(page.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled" for job in jobs)


def test_fifty_parallel_uploads(page):
    def upload(i):
        return page.upload({f"file-{i}.txt": b"".join(b"%d\n" % (i + k) for k in range(20))})[0]

    with ThreadPoolExecutor(50) as users:
        found = list(users.map(upload, range(50)))
    assert [f["name"] for f in found] == [f"file-{i}.txt" for i in range(50)]
    assert [f["head"][0] for f in found] == [[str(i)] for i in range(50)]
    assert len({f["id"] for f in found}) == 50


def test_no_worker_outlives_the_page(open_real_page, slow_job, wait_until):
    with open_real_page() as page:
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
        assert answer.status_code == 503
        assert answer.json()["error"] == "No worker process could be started: Resource temporarily unavailable."


def test_who_leaves_may_come_back(open_page, slow_job, wait_until):
    with open_page() as page:
        job = page.start("compare", **slow_job).json()
        place = f"/api/jobs/{job['id']}"
        assert page.delete(place, params={"after": 0.2}).json()["state"] in ("waiting", "running")
        assert page.get(place).json()["state"] in ("waiting", "running")
        time.sleep(0.4)
        assert page.get(place).json()["state"] in ("waiting", "running")
        page.delete(place, params={"after": 0.1})
        state = page.service.jobs.registry.get(job["id"])
        wait_until(lambda: state.state == "cancelled")
        assert page.delete(place, params={"after": "soon"}).status_code == 400


def test_a_job_that_nobody_asks_for_makes_room(open_page, slow_job, pair, wait_until):
    """A browser that crashed, or a program that was ended, says nothing."""
    with open_page(abandoned_seconds=1.0, max_jobs_per_client=1) as page:
        job = page.start("compare", **slow_job).json()
        for _ in range(4):
            time.sleep(0.4)
            assert page.get(f"/api/jobs/{job['id']}").json()["state"] in ("waiting", "running")
        assert page.start("compare", {"files": pair}).status_code == 429
        state = page.service.jobs.registry.get(job["id"], use=False)
        wait_until(lambda: state.state == "cancelled")
        assert (
            page.get(f"/api/jobs/{job['id']}").json()["error"]
            == "This was cancelled because nobody asked for it for 1 seconds."
        )
        assert page.run("compare", {"files": pair})["state"] == "done"


def test_downloads_are_called_after_the_systems(page, pair):
    job = page.run("compare", {"files": pair}, names="gpt 4/o,../b")
    answer = page.get(f"/api/results/{job['result']}/download.json")
    assert answer.headers["content-disposition"] == 'attachment; filename="outscore-compare-gpt-4-o-vs-b.json"'

"""Worker processes: lost ones, cancelled ones, and how many tasks there may be."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from outscore.engine.workers import ONE_THREAD
from outscore.web.jobs import Answer, Workers, _Worker
from outscore.web.messages import HTTPProblem
from outscore.web.settings import Settings

# A worker that does what the task says, and needs no time to start.
SCRIPTED = """
import json, os, sys, time

def serve(memory, warm):
    for line in sys.stdin.buffer:
        task = json.loads(line)
        if "first" in task and not os.path.exists(task["first"]):
            open(task["first"], "w").close()
            os.kill(os.getpid(), 9)
        print('{"begun": true}', flush=True)
        if "dies" in task:
            with open(task["dies"], "a") as file:
                file.write("died ")
            os.kill(os.getpid(), 9)
        time.sleep(task.get("seconds", 0))
        found = {name: os.environ.get(name) for name in task.get("environment", [])}
        print(json.dumps({"code": 0, "answer": found}), flush=True)
"""
TOO_LONG = 60


@pytest.fixture
def workers(tmp_path, monkeypatch):
    """Scripted workers; their module lies in a folder that is known by a relative path, and they run in another one."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "scripted_worker.py").write_text(SCRIPTED)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("modules")

    @asynccontextmanager
    async def opened(module="scripted_worker", **settings):
        found = Workers(Settings(**{"workers": 1, **settings}), tmp_path / "elsewhere", {"MORE": "more"}, module=module)
        found.start()
        try:
            async with asyncio.timeout(TOO_LONG):
                yield found
        finally:
            await found.stop()

    return opened


def kill(process: int) -> None:
    """End a process, and give nobody the time to take notice of it."""
    os.kill(process, signal.SIGKILL)
    stat = Path(f"/proc/{process}/stat")
    # It may be gone between two looks.
    with suppress(FileNotFoundError, ProcessLookupError):
        while stat.read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)


async def job(workers, task):
    return await workers.run_job(task, lambda: None, lambda _: None)


@pytest.mark.parametrize("noticed", [False, True])
def test_what_was_lost_while_it_was_idle_costs_nobody_an_answer(workers, noticed):
    async def run():
        async with workers(workers=2) as found:
            processes = [await worker._starting for worker in found._all]
            for process in processes:
                kill(process.pid)
                if noticed:
                    await process.wait()
            codes = [(await found.run_quick({})).code, (await job(found, {})).code]
            return codes, len(found._all)

    assert asyncio.run(run()) == ([0, 0], 3)


def test_what_is_lost_before_it_began_is_asked_of_another(workers, tmp_path):
    async def run():
        async with workers() as found:
            return await found.run_quick({"first": str(tmp_path / "died")})

    assert asyncio.run(run()).code == 0
    assert (tmp_path / "died").exists()


def test_what_is_lost_in_the_middle_is_blamed_on_the_task(workers, tmp_path):
    async def run():
        async with workers() as found:
            return await found.run_quick({"dies": str(tmp_path / "died")}), await found.run_quick({})

    lost, next_ = asyncio.run(run())
    assert (lost.code, next_.code) == (1, 0)
    assert lost.error == "The worker process died (signal 9). It may have run out of memory: use fewer or smaller files."
    assert (tmp_path / "died").read_text() == "died "


def test_a_process_that_cannot_even_import_is_a_sentence(workers, capfd):
    async def run():
        async with workers("no_such_module") as found:
            await asyncio.gather(*(worker._starting for worker in found._all))
            return await found.run_quick({})

    assert asyncio.run(run()).error.startswith("The worker process died (code 1).")
    assert "No module named 'no_such_module'" in capfd.readouterr().err


def test_processes_import_what_this_one_does_with_one_thread_each(workers):
    async def run():
        async with workers() as found:
            return await found.run_quick({"environment": [*ONE_THREAD, "MORE"]})

    assert asyncio.run(run()).answer == dict.fromkeys(ONE_THREAD, "1") | {"MORE": "more"}


def test_a_cancellation_that_comes_with_the_answer_counts(workers, monkeypatch):
    async def run():
        arrived = asyncio.get_running_loop().create_future()

        async def ask(*_):
            return await arrived

        monkeypatch.setattr(_Worker, "ask", ask)
        async with workers() as found:
            asking = asyncio.create_task(job(found, {}))
            await asyncio.sleep(0.01)
            arrived.set_result(Answer(0))
            asking.cancel()
            await asyncio.wait([asking])
            return asking.cancelled()

    assert asyncio.run(run())


def test_what_takes_a_moment_cannot_take_every_process(workers):
    async def run():
        async with workers() as found:
            moments = [asyncio.create_task(found.run_quick({"seconds": 2 * TOO_LONG})) for _ in range(5)]
            await asyncio.sleep(0.1)
            return (await job(found, {})).code, [moment.cancel() for moment in moments]

    assert asyncio.run(run()) == (0, [True] * 5)


def test_no_more_than_so_many_may_wait(workers):
    async def run():
        async with workers(max_quick=3) as found:
            moments = [asyncio.create_task(found.run_quick({"seconds": 0.2})) for _ in range(3)]
            await asyncio.sleep(0)
            with pytest.raises(HTTPProblem, match="3 requests are already waiting, which is the limit") as refusal:
                await found.run_quick({})
            codes = [answer.code for answer in await asyncio.gather(*moments)]
            return refusal.value.status, codes, (await found.run_quick({})).code

    assert asyncio.run(run()) == (429, [0, 0, 0], 0)

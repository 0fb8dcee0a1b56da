"""What is kept, for how long, and that nothing is left."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from outscore.web.refusals import RefusedError
from outscore.web.settings import Settings
from outscore.web.store import Shelf, Store


@dataclass(frozen=True)
class Thing:
    id: str
    folder: Path
    busy: bool = False


@pytest.fixture
def shelf(tmp_path):
    """A shelf with room for three, and a clock that stands still until it is moved."""
    time = [0.0]
    found = Shelf("thing", 3, lambda: time[0])

    def put(name, *, busy=False):
        folder = tmp_path / name
        folder.mkdir()
        time[0] += 1
        found.put(Thing(name, folder, busy))
        return folder

    return found, put, time


def test_the_folder_is_private_and_goes(tmp_path):
    store = Store(Settings(folder=tmp_path))
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    id_, folder = store.new_folder()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(id_) >= 22
    (folder / "x").write_text("secret")
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_folders_of_dead_processes_go_and_others_stay(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = tmp_path / f"outscore-web-{ended.pid}-abc"
    alive = tmp_path / f"outscore-web-{os.getppid()}-abc"
    # A container numbers its processes anew: one of this number was another one.
    same = tmp_path / f"outscore-web-{os.getpid()}-old"
    huge = tmp_path / f"outscore-web-{10**30}-abc"
    others = [tmp_path / "outscore-web-notes", tmp_path / "outscore-demo"]
    outside = tmp_path / "outside"
    for folder in (dead, alive, same, huge, *others, outside):
        folder.mkdir()
        (folder / "file").write_text("x")
    link = tmp_path / f"outscore-web-{ended.pid}-link"
    link.symlink_to(outside)
    store = Store(Settings(folder=tmp_path))
    assert not any(folder.exists() for folder in (dead, same, huge))
    assert all((folder / "file").exists() for folder in (alive, *others, outside))
    store.close()


def test_unused_things_go(shelf):
    things, put, time = shelf
    old, used = put("old"), put("used")
    time[0] += 100
    things.get("used")
    busy = put("busy", busy=True)
    time[0] += 50
    things.sweep(60)
    assert (old.exists(), used.exists(), busy.exists()) == (False, True, True)
    time[0] += 1000
    things.sweep(60)
    assert [thing.id for thing in things] == ["busy"]


def test_the_longest_unused_makes_room(shelf):
    things, put, time = shelf
    folders = {name: put(name, busy=name == "b") for name in "abc"}
    time[0] += 1
    things.get("a")
    put("d")
    assert [name for name, folder in folders.items() if folder.exists()] == ["a", "b"]
    assert len(things) == 3


def test_an_unknown_id_is_one_sentence(shelf):
    with pytest.raises(RefusedError, match="There is no such thing") as refusal:
        shelf[0].get("nothing")
    assert refusal.value.status == 404


def test_uploads_and_results_go_after_their_time(open_page, pair, wait_until):
    # Looked at every tenth of a second.
    with open_page(lifetime=6.0) as page:
        job = page.run("compare", {"files": pair})
        store = page.service.store
        for shelf in (store.uploads, page.service.jobs.shelf):
            for thing in shelf:
                shelf._used[thing.id] -= 7
        wait_until(lambda: not list(store.folder.iterdir()))
        assert page.get(f"/api/jobs/{job['id']}").status_code == 404
        assert page.get(f"/api/results/{job['id']}").status_code == 404


def test_nothing_is_left_when_the_page_ends(open_page, pair, tmp_path):
    with open_page() as page:
        page.run("compare", {"files": pair})
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []

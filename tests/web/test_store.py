"""What is kept, for how long, and that nothing is left."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from outscore.examples.registry import EXAMPLES
from outscore.web.messages import HTTPProblem
from outscore.web.settings import Settings
from outscore.web.store import ExpiringRegistry, Store


@dataclass(frozen=True)
class Thing:
    id: str
    folder: Path
    busy: bool = False
    holds: dict[str, int] = field(default_factory=dict)


@pytest.fixture
def shelf(tmp_path):
    """A shelf with room for three, and a clock that stands still until it is moved."""
    time = [0.0]
    found = ExpiringRegistry("thing", 3, lambda: time[0])

    def put(name, *, busy=False):
        folder = tmp_path / name
        folder.mkdir()
        time[0] += 1
        found.add(Thing(name, folder, busy))
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
    # A page that lives, under the number of a process that does not: so it looks from another container.
    living = Store(Settings(folder=tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    alive = living.folder.rename(tmp_path / f"outscore-web-{ended.pid}-living")
    # And the other way round: folders that were left, under the number of a process that lives.
    left = [tmp_path / f"outscore-web-{number}-left" for number in (os.getppid(), os.getpid(), 10**30)]
    killed = tmp_path / f"outscore-web-{os.getppid()}-killed"
    others = [tmp_path / "outscore-web-notes", tmp_path / "outscore-demo", tmp_path / "outside"]
    for folder in (*left, killed, *others, alive):
        folder.mkdir(exist_ok=True)
        (folder / "file").write_text("x")
    (killed / ".lock").touch()
    links = [tmp_path / f"outscore-web-{ended.pid}-link", others[0] / ".lock"]
    for link in links:
        link.symlink_to(tmp_path / "outside")
    store = Store(Settings(folder=tmp_path))
    assert not any(folder.exists() for folder in (*left, killed))
    assert all((folder / "file").exists() for folder in (alive, *others))
    for one in (living, store):
        one.close()


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


@pytest.fixture
def store(tmp_path):
    """A store with room for 100 bytes, and a way to put things into it."""
    found = Store(Settings(folder=tmp_path, max_bytes=100))

    def put(shelf, name, *, busy=False, **holds):
        folder = found.folder / name
        folder.mkdir()
        shelf.add(Thing(name, folder, busy, holds))

    yield found, put
    found.close()


def names(shelf):
    return [thing.id for thing in shelf]


def test_the_oldest_results_make_room(store):
    found, put = store
    put(found.uploads, "upload", upload=30)
    for name in ("old", "middle", "new"):
        # All were made from one file, which counts once.
        put(found.results, name, **{"upload": 30, name: 20})
    with found.reserve(10):
        assert names(found.results) == ["old", "middle", "new"]
    with found.reserve(25):
        assert names(found.results) == ["middle", "new"]
        assert not (found.folder / "old").exists()
        # What is on its way counts as well.
        with found.reserve(20):
            assert names(found.results) == ["new"]
    with found.reserve(50):
        assert names(found.results) == ["new"]
    assert names(found.uploads) == ["upload"]


def test_nothing_goes_where_that_would_not_help(store):
    found, put = store
    put(found.uploads, "upload", upload=50)
    put(found.results, "old", old=20)
    put(found.results, "busy", busy=True, busy_=20, gone=20)
    with pytest.raises(HTTPProblem, match="would be stored"), found.reserve(11):
        pass
    assert names(found.results) == ["old", "busy"]
    with found.reserve(10):
        assert names(found.results) == ["busy"]


def test_a_new_result_may_be_larger_than_the_room_that_is_left(store):
    found, put = store
    put(found.uploads, "upload", upload=90)
    for name in ("old", "new"):
        put(found.results, name, **{name: 20})
    found.trim(but="new")
    assert names(found.results) == ["new"]


def on_disk(folder):
    """Bytes of all files, each once."""
    return sum({(about := path.stat()).st_ino: about.st_size for path in folder.rglob("*") if path.is_file()}.values())


def test_uploads_that_are_removed_do_not_stay_with_their_jobs(open_page):
    scores = b"1 0\n" * 50_000
    with open_page(max_bytes=3 * len(scores)) as page:
        for _ in range(6):
            ids = [page.upload({"scores.txt": scores})[0]["id"]]
            assert page.run("compare", {"files": ids})["state"] == "done"
            page.delete(f"/api/files/{ids[0]}")
        page.get("/")
        assert on_disk(page.service.store.folder) < len(scores)
        held = page.service.store._held(page.service.store.results)
        assert held == on_disk(page.service.store.folder)


def test_a_report_counts_and_older_results_make_room_for_it(open_page, pair):
    with open_page() as page:
        jobs = [page.run("compare", {"files": pair}) for _ in range(2)]
        store = page.service.store
        made = store.results.get(jobs[1]["id"]).size
        assert made == len(page.get(f"/api/results/{jobs[1]['id']}").content)
        object.__setattr__(store._settings, "max_bytes", store._held([*store.uploads, *store.results]))
        text = page.get(f"/api/results/{jobs[1]['id']}/download.txt").content
        assert store.results.get(jobs[1]["id"]).size == made + len(text)
        assert page.get(f"/api/jobs/{jobs[0]['id']}").status_code == 404


def test_parallel_uploads_share_the_room(open_page):
    def upload(i):
        return page.post("/api/files", files={"file": (f"{i}.txt", b"1\n" * 200)}).status_code

    with open_page(max_bytes=1000) as page, ThreadPoolExecutor(10) as users:
        assert sorted(users.map(upload, range(10))) == [201] * 2 + [413] * 8
        # What was refused left nothing behind.
        assert len(page.service.store.uploads) == 2
        assert page.service.store._held(page.service.store.uploads) == on_disk(page.service.store.folder) == 800


def test_several_files_are_taken_or_none(open_page):
    with open_page(max_bytes=1000) as page:
        sent = [("file", (f"{i}.txt", b"1\n" * 150)) for i in range(4)]
        assert page.post("/api/files", files=sent).status_code == 413
        assert len(page.service.store.uploads) == 0
        assert on_disk(page.service.store.folder) == 0
        assert page.post("/api/files", files=sent[:3]).status_code == 201


def test_an_example_is_taken_whole_or_not_at_all(open_page):
    sizes = [len(text.encode()) for text in EXAMPLES["texts"].files(0).values()]
    with open_page(max_bytes=sum(sizes[:2])) as page:
        assert page.post("/api/examples/texts").status_code == 413
        assert len(page.service.store.uploads) == 0
        assert on_disk(page.service.store.folder) == 0


def test_statistics_of_texts_go_with_the_texts(open_page, monkeypatch, tmp_path, wait_until):
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.delenv("OUTSCORE_CACHE")
    text = "the cat sat\non the mat\n"
    files = {"files": {"a.txt": text, "b.txt": text.upper()}, "reference": {"r.txt": text}}
    with open_page(lifetime=6.0) as page:
        job = page.run("texts", files, settings={"metric": ["bleu"]})
        assert job["state"] == "done", job["error"]
        kept = list(page.service.store.cache.iterdir())
        assert kept
        os.utime(kept[0], (0, 0))
        wait_until(lambda: not kept[0].exists())
    assert not home.exists()


def test_an_unknown_id_is_one_sentence(shelf):
    with pytest.raises(HTTPProblem, match="There is no such thing") as refusal:
        shelf[0].get("nothing")
    assert refusal.value.status == 404


def test_uploads_and_results_go_after_their_time(open_page, pair, wait_until):
    # Looked at every tenth of a second.
    with open_page(lifetime=6.0) as page:
        job = page.run("compare", {"files": pair})
        store = page.service.store
        for shelf in (store.uploads, page.service.jobs.registry):
            for thing in shelf:
                shelf._used[thing.id] -= 7
        wait_until(lambda: [path.name for path in store.folder.iterdir()] == [".lock"])
        assert page.get(f"/api/jobs/{job['id']}").status_code == 404
        assert page.get(f"/api/results/{job['id']}").status_code == 404


def test_nothing_is_left_when_the_page_ends(open_page, pair, tmp_path):
    with open_page() as page:
        page.run("compare", {"files": pair})
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []

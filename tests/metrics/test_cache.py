"""Statistics on disk: found again, never out of date, never half, never an error."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.engine.engines import Processes
from outscore.metrics import cache as module
from outscore.metrics.cache import StatisticsCache, cache_folder, statistics_key

KEY = "0" * 64
ROWS = np.arange(24, dtype=np.int64).reshape(8, 3)
FROZEN = "02a56eb2429847fe02b2cc75c567ff41c358c31aed04ca4930bdc643e7b7b9d1"


def cached_statistics(key, compute, cache=None):
    """What readers of the cache do: the statistics stored under a key, computed and stored if need be."""
    cache = StatisticsCache(cache_folder()) if cache is None else cache
    found = cache.load(key)
    if found is None:
        found = compute()
        cache.store(key, found)
    return found


def key_number(k: int) -> str:
    return f"{k:064x}"


def refuse() -> np.ndarray:
    raise AssertionError("computed although it is in the cache")


@pytest.fixture
def cache(tmp_path):
    return StatisticsCache(tmp_path / "new" / "outscore")


@pytest.mark.parametrize("rows", [ROWS, ROWS / 7, np.zeros((0, 2)), np.float32([[np.nan, np.inf]])], ids=str)
def test_what_is_stored_is_found(cache, rows):
    assert cached_statistics(KEY, lambda: rows, cache) is rows
    again = cached_statistics(KEY, refuse, cache)
    assert (again.dtype, again.shape, again.tobytes()) == (rows.dtype, rows.shape, rows.tobytes())
    assert [path.name for path in cache.folder.iterdir()] == [f"{KEY}.npy"]
    assert cache.notes == []


def test_numpy_reads_the_files(cache):
    """A checksum behind the array is in nobody's way."""
    cache.store(KEY, ROWS)
    assert (np.load(cache.folder / f"{KEY}.npy", allow_pickle=False) == ROWS).all()


def damaged_by_pickle(content: bytes) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return buffer.getvalue() + hashlib.sha256(KEY.encode() + buffer.getvalue()).digest()


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:-1],
        lambda content: content[:40],
        lambda content: content[:150] + bytes([content[150] ^ 1]) + content[151:],
        lambda _: pickle.dumps(ROWS),
        damaged_by_pickle,
    ],
    ids=["empty", "shorter", "cut", "one bit", "pickle", "array of objects"],
)
def test_a_damaged_file_is_replaced(cache, damage):
    cache.store(KEY, ROWS)
    path = cache.folder / f"{KEY}.npy"
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load(KEY) is None
    assert (cached_statistics(KEY, lambda: ROWS + 1, cache) == ROWS + 1).all()
    assert (cached_statistics(KEY, refuse, cache) == ROWS + 1).all()


def test_a_file_under_anothers_name_is_damaged(cache):
    other = "f" * 64
    cache.store(KEY, ROWS)
    (cache.folder / f"{other}.npy").write_bytes((cache.folder / f"{KEY}.npy").read_bytes())
    assert cache.load(other) is None
    assert (cache.load(KEY) == ROWS).all()


def test_objects_are_refused(cache):
    with pytest.raises(ValueError, match="allow_pickle"):
        cache.store(KEY, np.array([{"a": 1}], dtype=object))


TEXTS = st.lists(st.text(alphabet="ab\n\x00é", max_size=3), max_size=3)


@settings(max_examples=300)
@given(one=st.tuples(TEXTS, st.lists(TEXTS, max_size=2)), two=st.tuples(TEXTS, st.lists(TEXTS, max_size=2)))
def test_different_texts_have_different_keys(one, two):
    """Wherever the segments, or the references, are cut."""
    keys = [statistics_key("bleu", {}, "sacrebleu 2.4", *texts) for texts in (one, two)]
    assert (keys[0] == keys[1]) == (one == two)


def test_everything_is_in_the_key(monkeypatch):
    given = {"metric": "bleu", "options": {"a": 1, "b": "x"}, "library": "s 2", "hypotheses": ["h"], "references": [["r"]]}
    changes = [
        {},
        {"metric": "chrf"},
        {"options": {"a": 1}},
        {"options": {"a": "1", "b": "x"}},
        {"library": "s 3"},
        {"hypotheses": ["H"]},
        {"references": [["R"]]},
        {"references": [["r"], ["r"]]},
    ]
    keys = [statistics_key(**given | change) for change in changes]
    monkeypatch.setattr(module, "STATISTICS_VERSION", 0)
    keys.append(statistics_key(**given))
    assert len(set(keys)) == len(keys)
    monkeypatch.undo()
    assert statistics_key(**given | {"options": {"b": "x", "a": 1}}) == keys[0]
    # Frozen: a key that changes without need makes every cache useless.
    assert keys[0] == FROZEN


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"OUTSCORE_CACHE": "/a/b", "XDG_CACHE_HOME": "/c"}, "/a/b"),
        ({"OUTSCORE_CACHE": "", "XDG_CACHE_HOME": "/c"}, None),
        ({"OUTSCORE_CACHE": " OFF "}, None),
        ({"OUTSCORE_CACHE": "~/mine"}, "/home/me/mine"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/outscore"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/outscore"),
        ({}, "/home/me/.cache/outscore"),
    ],
)
def test_folder(monkeypatch, environment, folder):
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder(environment) == (None if folder is None else Path(folder))


def test_nobody_at_home(monkeypatch):
    def homeless():
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder({}) is None
    assert cache_folder({"OUTSCORE_CACHE": "~no_such_user_here/x"}) is None


def test_the_environment_decides(monkeypatch, tmp_path):
    monkeypatch.setenv("OUTSCORE_CACHE", str(tmp_path / "here"))
    cached_statistics(KEY, lambda: ROWS)
    assert (cached_statistics(KEY, refuse) == ROWS).all()
    monkeypatch.setenv("OUTSCORE_CACHE", "off")
    assert (cached_statistics(KEY, lambda: ROWS + 1) == ROWS + 1).all()


def test_a_folder_that_cannot_be_used_is_noted_once(tmp_path):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    cache = StatisticsCache(tmp_path / "file" / "outscore")
    for k in range(2):
        assert (cached_statistics(key_number(k), lambda: ROWS, cache) == ROWS).all()
    assert cache.notes == [
        f"The cache folder {cache.folder} cannot be used (Not a directory): statistics will be recomputed each time."
    ]


def test_a_full_disk_leaves_nothing_behind(cache, monkeypatch):
    cache.store(KEY, ROWS)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.store(key_number(1), ROWS)
    assert "No space left" in cache.notes[0]
    assert [path.name for path in cache.folder.iterdir()] == [f"{KEY}.npy"]


def test_an_interrupt_leaves_nothing_behind(cache, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.store(KEY, ROWS)
    assert list(cache.folder.iterdir()) == []


def test_the_least_recently_used_go_first(cache):
    one = 128 + ROWS.nbytes + 32
    cache.limit = 3 * one
    for k in range(3):
        cache.store(key_number(k), ROWS)
        os.utime(cache.folder / f"{key_number(k)}.npy", (1_000 + k, 1_000 + k))
    assert cache.load(key_number(0)) is not None
    cache.store(key_number(3), ROWS)
    assert [cache.load(key_number(k)) is not None for k in range(4)] == [True, False, True, True]
    assert sum(path.stat().st_size for path in cache.folder.iterdir()) <= cache.limit


def test_the_newest_stays_even_if_clocks_are_wrong(cache):
    cache.limit = 400
    cache.store(key_number(0), ROWS)
    os.utime(cache.folder / f"{key_number(0)}.npy", (time.time() + 9e6,) * 2)
    cache.store(key_number(1), ROWS)
    assert cache.load(key_number(0)) is None
    assert cache.load(key_number(1)) is not None


def test_more_than_the_limit_is_not_kept(cache):
    cache.store(KEY, ROWS)
    cache.limit = 100
    cache.store(key_number(1), ROWS)
    assert [path.name for path in cache.folder.iterdir()] == [f"{KEY}.npy"]


def test_other_peoples_files_stay(cache):
    """Someone may name a folder of their own."""
    cache.folder.mkdir(parents=True)
    others = [cache.folder / name for name in ("mine.npy", "notes.txt", f"{KEY}.npz")]
    for path in others:
        path.write_bytes(b"x" * 10_000)
        os.utime(path, (0, 0))
    cache.limit = 500
    cache.store(KEY, ROWS)
    assert all(path.stat().st_size == 10_000 for path in others)


def test_what_killed_processes_left_goes(cache):
    cache.folder.mkdir(parents=True)
    old, young = (cache.folder / f"{KEY}.{name}.part" for name in ("old", "young"))
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache.store(KEY, ROWS)
    assert not old.exists()
    assert young.exists()


def hammer(folder: Path) -> int:
    """Store and load few keys many times in a folder that is too small for them."""
    cache = StatisticsCache(folder, limit=700)
    rng = np.random.default_rng(os.getpid())
    wrong = 0
    for k in rng.integers(0, 4, 300):
        found = cached_statistics(key_number(int(k)), lambda k=k: ROWS + k, cache)
        wrong += int((found != ROWS + k).any())
    return wrong + len(cache.notes)


def test_processes_may_share_a_folder(tmp_path):
    assert Processes(2).map(hammer, [tmp_path / "shared"] * 2) == [0, 0]

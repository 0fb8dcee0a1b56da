"""Defaults that depend on the machine, and the names it is known by."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from outscore.web import settings as module
from outscore.web.settings import Settings
from outscore.workflows.requests.settings_file import LARGEST_SAVED, LARGEST_YAML

EVERYWHERE = "0.0.0.0"  # noqa: S104 - compared only


@pytest.fixture
def asked(monkeypatch):
    """How often a name server was asked."""
    times = []
    monkeypatch.setattr(socket, "gethostname", lambda: "Laptop.home")
    monkeypatch.setattr(socket, "getfqdn", lambda: times.append(1) or "laptop.example.org")
    module._own_names.cache_clear()
    yield times
    module._own_names.cache_clear()


def test_a_name_server_is_asked_once_and_before_anybody_waits(asked):
    settings = Settings(host=EVERYWHERE)
    assert len(asked) == 1
    names = ["laptop.home", "LAPTOP.example.org", "laptop.local", "evil.example", "laptop", "other.local"]
    assert [settings.admits(name) for name in names] == [True, True, True, False, False, False]
    assert len(asked) == 1


def test_a_page_for_this_machine_asks_no_name_server(asked):
    assert not Settings().admits("laptop.home")
    assert asked == []


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "0:0:0:0:0:0:0:1", "localhost", "LOCALHOST"])
def test_hosts_that_only_this_machine_reaches(host):
    settings = Settings(host=host)
    assert settings.is_local
    assert settings.admits(host)
    assert not settings.admits("10.0.0.7")


def test_hosts_that_others_reach(asked):
    assert [Settings(host=host).is_local for host in (EVERYWHERE, "::", "192.168.1.5")] == [False] * 3
    assert len(asked) == 1


@pytest.mark.parametrize(("processors", "workers"), [(1, 1), (3, 3), (64, 8)])
def test_there_are_no_more_workers_than_processors_that_may_be_used(monkeypatch, processors, workers):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)), raising=False)
    assert Settings().workers == workers


@pytest.mark.parametrize(("machine", "each"), [(4, 2), (24, 8), (96, 32)])
def test_no_worker_may_take_all_the_memory(monkeypatch, machine, each):
    known = {"SC_PHYS_PAGES": machine << 18, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", known.__getitem__)
    assert Settings().memory == each << 30


def test_the_documentation_has_the_limits():
    have = Settings()
    memory, kept = module.MIN_MEMORY >> 30, f"{have.max_uploads:,} files, {have.max_results:,} results"
    running = f"{have.max_jobs_per_client} for one visitor, {have.max_jobs} in all"
    limits = {
        "one upload, all its files together": f"{have.max_upload >> 20} MB; {have.max_unpacked >> 20} MB unpacked |",
        "a job": f"{have.job_seconds / 60:g} minutes ({have.abandoned_seconds / 60:g} once its page has ended), "
        f"a third of the machine's memory ({memory} GB at least) |",
        "jobs that wait or run": f"{running}; at the same time one on each processor, {module.MAX_WORKERS} in all |",
        "what is stored": f"{kept}, {have.max_bytes >> 20:,} MB, an hour after its last use; "
        f"{have.max_kept} results until the page ends |",
        "a result that is imported, a file of settings": f"{LARGEST_SAVED >> 20} MB, {LARGEST_YAML >> 10} kB |",
    }
    page = (Path(__file__).parents[2] / "docs" / "guides" / "page.md").read_text(encoding="utf-8")
    for what, most in limits.items():
        assert f"\n| {what} | {most}" in page
    assert have.lifetime == 3600

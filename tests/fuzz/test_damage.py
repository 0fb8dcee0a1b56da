"""Damaged files of every kind, given to every command: an answer or one sentence, and within seconds."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.fuzz.mutations import mutate
from tests.fuzz.seeds import Seed, make_seeds

from outscore.cli.app import app

SECONDS = 10
MAX_SENTENCE = 1_000
FEW, MANY = 2, 300


class Late(BaseException):
    """Something took too long; a TimeoutError would be taken for one of the file system."""


@contextlib.contextmanager
def alarm(seconds: int):
    """Raise `Late` if something computes for longer: other tests may keep the machine busy, so its own time counts."""

    def ring(*_: object) -> None:
        raise Late(f"longer than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(seed: Seed, content: bytes, folder: Path, *, alone: bool = False, whole: bool = False) -> str | None:
    """Run the command of a seed on a damaged file; what is wrong with how it ended, or None. A `whole` file gets an answer."""
    for name, own in {**seed.files, seed.target: content}.items():
        (folder / name).write_bytes(own)
    if alone:
        return _run_alone(seed, folder)
    try:
        with contextlib.chdir(folder), warnings.catch_warnings(), alarm(SECONDS):
            warnings.simplefilter("error")
            found = CliRunner().invoke(app, list(seed.arguments), input=content if seed.stdin else None, prog_name="outscore")
    except Late as late:
        return str(late)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        return f"{type(found.exception).__name__}: {str(found.exception)[:200]}"
    if whole and found.exit_code:
        return found.stderr
    return _judge(found.exit_code, found.stdout, found.stderr)


def _run_alone(seed: Seed, folder: Path) -> str | None:
    """The same in a process of its own, which native code may take down."""
    command = [sys.executable, "-W", "error", "-m", "outscore", *seed.arguments]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=6 * SECONDS, check=False)
    return _judge(found.returncode, found.stdout, found.stderr)


def _judge(code: int, said: str, refusal: str) -> str | None:
    if code not in (0, 2):
        return f"exit code {code}: {refusal[-200:]!r}"
    if code == 2 and (refusal.count("\n") != 1 or len(refusal) > MAX_SENTENCE or said):
        return f"no sentence, but {len(refusal):,} characters: {refusal[:200]!r}"
    return None


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    return make_seeds(tmp_path_factory.mktemp("seeds"))


def damage(seeds, folder, rounds: int, first: int = 0) -> list[str]:
    """What went wrong, by seed and number, so that it can be tried again."""
    wrong = []
    for name, seed in seeds.items():
        # Starting a process takes as long as fifty commands in this one.
        alone = seed.target.endswith(".parquet") and rounds == MANY
        for number in range(first, first + (rounds // 10 if alone else rounds)):
            rng = random.Random(zlib.crc32(f"{name} {number}".encode()))  # noqa: S311 - no secret
            problem = run(seed, mutate(seed.files[seed.target], rng), folder, alone=alone)
            if problem is not None:
                wrong.append(f"{name} {number}: {problem}")
    return wrong


def test_the_seeds_themselves_are_right(seeds, tmp_path):
    # The files that saved settings name are not there.
    answered = {
        name: run(seed, seed.files[seed.target], tmp_path, whole=not name.startswith("config ")) for name, seed in seeds.items()
    }
    assert {name: problem for name, problem in answered.items() if problem} == {}


def test_damaged_files_get_an_answer_or_a_sentence(seeds, tmp_path, capfd):
    assert damage(seeds, tmp_path, FEW) == []
    # Native libraries write there by themselves.
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_many_damaged_files_get_an_answer_or_a_sentence(seeds, tmp_path, capfd):
    assert damage(seeds, tmp_path, MANY, first=FEW) == []
    assert capfd.readouterr().err == ""

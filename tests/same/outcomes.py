"""What a command came to, as numbers that can be compared."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from outscore.cli.app import app

REAL = Path(os.environ.get("OUTSCORE_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


@dataclass(frozen=True)
class Outcome:
    """What a command came to: its exit code, and each number, name and method by its place in the result."""

    command: str
    exit_code: int
    numbers: dict[str, object]

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.numbers, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def line(self) -> str:
        return f"{self.digest} {self.exit_code} {len(self.numbers):6} {self.command}"


def outcome(command: str, folder: str) -> Outcome:
    """Run a command on the files of a folder."""
    words = [str(REAL / word[5:]) if word.startswith("real:") else word for word in shlex.split(command)]
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(app, [*words, "--format", "json"], prog_name="outscore")
    if not done.stdout.startswith("{"):
        return Outcome(command, done.exit_code, {"refused": done.stderr.replace(str(REAL), "real:")})
    # Where the data lie is no number.
    return Outcome(command, done.exit_code, dict(numbers(json.loads(done.stdout.replace(str(REAL), "real:")))))


def numbers(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Every number, and of the texts those that are names: methods, kernels, kinds. Sentences may change."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("signature", "version"):
                yield from numbers(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from numbers(inner, f"{place}[{number}]")
    elif not isinstance(value, str) or " " not in value or place.endswith(".method"):
        yield place, value


def differences(before: Outcome, after: Outcome) -> Iterator[str]:
    """What changed, place by place."""
    for place in sorted({*before.numbers, *after.numbers}):
        old, new = (side.numbers.get(place, "absent") for side in (before, after))
        if old != new or type(old) is not type(new):
            yield f"    {place}: {old} → {new}"

"""What workers do in the tests: a module without anything heavy, since each of them imports it anew."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    import numpy as np


def sums_of(table: np.ndarray, first: int) -> np.ndarray:
    from outscore.resampling import flipped_sums

    return flipped_sums(table, first, 10, 3)


def meet(folder: Path, _: int) -> tuple[int, str | None]:
    """Wait for another worker, so that one alone cannot do all the work."""
    (folder / str(os.getpid())).touch()
    end = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    return os.getpid(), os.environ.get("OPENBLAS_NUM_THREADS")


def fail_from(limit: int, x: int) -> int:
    """Later tasks fail sooner than earlier ones."""
    if x >= limit:
        time.sleep(0.2 if x == limit else 0)
        raise OutscoreError(f"Task {x} is bad.", "Leave it out.")
    return x


def die(x: int) -> int:
    if x == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def die_once(folder: Path, x: int) -> int:
    """Every third task takes its first worker with it."""
    if x % 3 == 0 and not (folder / str(x)).exists():
        (folder / str(x)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def chatter(x: int) -> int:
    print("noise from a library")  # noqa: T201
    os.write(1, b"and from below it\n")
    return x


class AwkwardError(Exception):
    """Can be pickled, but not loaded again."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("no use")
        self.sum = one + two


def raise_awkward(x: int) -> int:
    raise AwkwardError(x, x)


def divide(x: int) -> float:
    return 1 / x


def leave(x: int) -> None:
    os._exit(x)


def a_lambda(_: int) -> object:
    return lambda: None

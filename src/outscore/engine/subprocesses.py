"""Further Python interpreters that import what this one does and use one thread each for their arithmetic.

They are not forked, since a copy of a process with threads (polars has some) may wait for ever; and unlike those of
`multiprocessing` they do not run the user's script again, so a script needs no `if __name__ == "__main__"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import IO

from outscore.core.errors import OutscoreError

__all__ = ["ONE_THREAD", "interpreter", "own_output", "piped", "reaped", "started"]

BOOT = "import sys; sys.path[:] = sys.argv[1:]; from {module} import serve; serve({arguments})"
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)
"""What numerical libraries look at when they are imported."""


def interpreter(module: str, **arguments: float | str) -> tuple[list[str], dict[str, str]]:
    """The command and the environment that run `serve` of a module as this process would import it.

    Folders are handed on as absolute paths, since the interpreter may be started in another folder than this one.
    """
    folders = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100
    boot = BOOT.format(module=module, arguments=", ".join(f"{name}={value!r}" for name, value in arguments.items()))
    # Without -P a file in the current folder could take the place of a module.
    return [sys.executable, "-P", "-c", boot, *folders], os.environ | dict.fromkeys(ONE_THREAD, "1")


def started(module: str) -> subprocess.Popen[bytes]:
    """An interpreter that runs `serve` of a module, with pipes for its standard input and output."""
    command, environment = interpreter(module)
    try:
        return subprocess.Popen(  # noqa: S603 - this very interpreter, and a constant
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            # Ctrl-C reaches the main process only, which then ends the others itself.
            start_new_session=True,
        )
    except OSError as error:
        raise OutscoreError(f"No worker process could be started: {error}.", "Use one job.") from None


def reaped(process: subprocess.Popen[bytes]) -> int:
    """End a process that was started here, and close its pipes; the code it ended with."""
    process.kill()
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        # What was not yet sent to it cannot be flushed any more.
        with suppress(OSError):
            piped(pipe).close()
    return code


def piped(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe that was asked for when the process was started."""
    assert pipe is not None
    return pipe


def own_output() -> IO[bytes]:
    """In a started interpreter: its standard output, for its own use alone.

    What a library prints must not land among the outcomes: from now on it goes to standard error.
    """
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output

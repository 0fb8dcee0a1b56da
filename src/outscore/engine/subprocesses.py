"""Child processes: Python interpreters that import what this one does and use one numerical thread each.

They are not forked, because a forked process with threads (polars has some) may deadlock. Unlike those of
`multiprocessing` they do not run the user's script again, so a script needs no `if __name__ == "__main__"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import IO

from outscore.core.errors import OutscoreError

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
"""The variables that numerical libraries read on import."""


def interpreter_command(module: str, **arguments: float | str) -> tuple[list[str], dict[str, str]]:
    """The command and the environment that run `serve` of a module, imported from where this process would import it.

    The search path is passed on as absolute paths, because the interpreter may be started in another folder.
    """
    folders = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100
    boot = BOOT.format(module=module, arguments=", ".join(f"{name}={value!r}" for name, value in arguments.items()))
    # -P keeps files in the current folder from shadowing modules.
    return [sys.executable, "-P", "-c", boot, *folders], os.environ | dict.fromkeys(ONE_THREAD, "1")


def start_interpreter(module: str) -> subprocess.Popen[bytes]:
    """Start an interpreter that runs `serve` of a module, with pipes for its standard input and output."""
    command, environment = interpreter_command(module)
    try:
        return subprocess.Popen(  # noqa: S603 - this very interpreter, and a constant
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            # Ctrl-C must reach the main process only, which then ends its children.
            start_new_session=True,
        )
    except OSError as error:
        raise OutscoreError(f"No worker process could be started: {error}.", "Use one job.") from None


def terminate(process: subprocess.Popen[bytes]) -> int:
    """Kill a child process, close its pipes and return its exit code."""
    process.kill()
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        # Closing flushes unsent data, which fails as the process is gone.
        with suppress(OSError):
            require_pipe(pipe).close()
    return code


def require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """The pipe of a process that was started with one."""
    assert pipe is not None
    return pipe


def claim_output() -> IO[bytes]:
    """In a child process: its standard output for its own messages.

    From now on what libraries print goes to standard error, so that it cannot get between the messages.
    """
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output

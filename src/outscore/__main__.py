"""What the installed `outscore` command and `python -m outscore` start."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

INTERRUPTED, CRASHED = 130, 70
TRACEBACK = "OUTSCORE_TRACEBACK"
"""The environment variable that asks for the whole story of a crash."""

SPIN = "20"
"""Threads of numpy's BLAS wait 2^20 ticks of the processor's clock for another product before they sleep. Left alone they wait
2^26, on every core and after every product: a quarter of the processor time of a comparison of texts."""


MANY_OBJECTS = 100_000
"""Python looks for garbage each time it has so many more objects; 700 by itself, and a table of a million rows has millions."""


def main() -> None:
    """Run the command line; an interrupt while it is being imported, or while it is leaving, is told like any other.

    Whatever nobody expected is told in a sentence and has an exit code of its own: Python's would be 1, the answer of a gate to
    a candidate that is worse.
    """
    _replace_closed_streams()
    gc.set_threshold(MANY_OBJECTS)
    # Read when numpy is loaded, which is later.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", SPIN)
    try:
        from outscore.cli.app import main as run

        run()
    except KeyboardInterrupt:
        # Nobody could handle an interrupt yet, or any more.
        _say("interrupted.")
        raise SystemExit(INTERRUPTED) from None
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - libraries in other languages raise what is no Exception
        _tell(error)
        raise SystemExit(CRASHED) from None


def _replace_closed_streams() -> None:
    """Give closed standard streams an end: they are None in Python, and the next file to be opened would take their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end


def _tell(error: BaseException) -> None:
    """What happened and where, in one sentence; all of it for those who ask."""
    import traceback

    from outscore.core.errors import describe_crash

    asked = bool(os.environ.get(TRACEBACK))
    if asked:
        with suppress(OSError):
            traceback.print_exception(error)
    details = "the lines above" if asked else f"what it prints with {TRACEBACK}=1"
    _say(f"This failed unexpectedly: {describe_crash(error)}. Please report it with the command, the files and {details}.")


def _say(sentence: str) -> None:
    """Say something on standard error, if anybody listens."""
    with suppress(OSError):
        sys.stderr.write(f"outscore: {sentence}\n")
        sys.stderr.flush()


if __name__ == "__main__":
    main()

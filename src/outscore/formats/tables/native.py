"""What a native library does when it fails: it prints to the terminal by itself, and may take the process down.

polars reports a damaged file as an exception, but the panic behind it is printed first, back trace included; and where damage
makes it ask for more memory than there is, Rust aborts the process. Neither can be switched off, so while native code reads a
file its standard error goes to a temporary file, and an abort says the sentence that the exception would have said.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import IO

__all__ = ["hold_native_errors"]

REFUSED = 2
STANDARD_ERROR = 2
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
_LOCK = Lock()
_holding = 0


@contextmanager
def hold_native_errors(sentence: str) -> Iterator[None]:
    """Keep what native code prints until it is done: printed if all went well, dropped if an exception tells the same.

    An abort cannot be stopped: `sentence` is printed, and the process ends with the exit code of a refusal. Threads share one
    standard error, so only the first of several that overlap holds it.
    """
    global _holding  # noqa: PLW0603 - a file descriptor belongs to the process
    with _LOCK:
        is_first, _holding = _holding == 0, _holding + 1
    try:
        if is_first:
            with _held(sentence):
                yield
        else:
            yield
    finally:
        with _LOCK:
            _holding -= 1


@contextmanager
def _held(sentence: str) -> Iterator[None]:
    sys.stderr.flush()
    with tempfile.TemporaryFile() as printed:
        try:
            terminal = os.dup(STANDARD_ERROR)
        except OSError:
            # There is none to keep clean.
            yield
            return
        library, handler = ctypes.CDLL(None), _HANDLER(lambda _: _leave(terminal, sentence))
        library.signal.restype = ctypes.c_void_p
        before = library.signal(signal.SIGABRT, handler)
        os.dup2(printed.fileno(), STANDARD_ERROR)
        done = False
        try:
            yield
            done = True
        finally:
            os.dup2(terminal, STANDARD_ERROR)
            os.close(terminal)
            library.signal(signal.SIGABRT, ctypes.c_void_p(before))
            if done:
                _print(printed)


def _leave(terminal: int, sentence: str) -> None:
    """End the process, which is lost: this runs inside the handler of the signal."""
    with suppress(OSError):
        os.write(terminal, f"outscore: {sentence}\n".encode())
    os._exit(REFUSED)


def _print(printed: IO[bytes]) -> None:
    printed.seek(0)
    text = printed.read()
    if text:
        with suppress(OSError):
            os.write(STANDARD_ERROR, text)

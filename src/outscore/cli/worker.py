"""A warm worker of the page: runs one `outscore` command after the other, each in the folder it is told.

It reads tasks from standard input and answers on standard output, a line of JSON each. ``{"argv": [...], "folder": "..."}``
runs a command, ``{"task": "inspect", ...}`` one of the other things that are better done in a process that may fail. Answers
are ``{"begun": true}``, any number of ``{"progress": {...}}``, and ``{"code": 0, "error": null, "answer": null, "notes": []}``.
The worker ends as soon as its input is closed, whatever it is doing, so none outlives the page.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import click

from outscore.cli.mistakes import mistake
from outscore.core.errors import OutscoreError
from outscore.engine.progress import DESCRIPTOR
from outscore.engine.subprocesses import own_output

__all__ = ["serve"]

FAILED, REFUSED = 1, 2
FULL = "The disk on which the page keeps files is full. Free some space, and try again."
NAME = "outscore: "
WARMING_UP = (["compare", "scores.txt", "-o", "result.json"], ["report", "result.json", "-o", "result.html"])
"""Commands that import what the usual ones need."""


def serve(memory: int, *, warm: bool) -> None:
    """Answer tasks until there are no more; a warm worker first imports what they will need."""
    # Ctrl-C reaches the page, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory)
    answers, terminal = own_output(), _own_terminal()
    os.environ[DESCRIPTOR] = str(answers.fileno())
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(_own_input(), inbox), daemon=True).start()
    if warm:
        _warm_up(inbox, terminal)
    while True:
        task = json.loads(inbox.get())
        _tell(answers, {"begun": True})
        _tell(answers, _answer(task, terminal))


def _tell(answers: IO[bytes], message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def _warm_up(inbox: queue.SimpleQueue[bytes], terminal: IO[str]) -> None:
    """Import what tasks will need by doing some, which is how one learns early that none could be done."""
    # In the folder of the page, which is removed whatever becomes of this process.
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        # Real numbers, and enough of them: they take the longest way through the library.
        lines = [f"{math.sin(i)} {math.cos(i * i)}\n" for i in range(300)]
        Path(folder, "scores.txt").write_text("".join(lines), encoding="utf-8")
        for command in WARMING_UP:
            # Whoever is waiting already should not wait for charts, too.
            if inbox.empty():
                found = _answer({"argv": command, "folder": folder}, terminal)
                # A mistake of ours was told already.
                if found["code"] == REFUSED:
                    click.echo(f"{NAME}A worker process is not ready: {found['error']}", file=terminal)


def _limit_memory(most: int) -> None:
    """Make too large a task fail by itself, before the machine runs out of memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _own_terminal() -> IO[str]:
    """Standard error, for what a person needs to see: libraries that panic in another language write there by themselves."""
    return os.fdopen(_taken(sys.stderr.fileno()), "w", encoding="utf-8", errors="replace")


def _own_input() -> IO[bytes]:
    """Standard input, for tasks alone: a command that reads it finds nothing."""
    return os.fdopen(_taken(sys.stdin.fileno()), "rb")


def _taken(descriptor: int) -> int:
    """What a descriptor stands for under a number of our own; whoever uses the old one finds nothing there."""
    own, nothing = os.dup(descriptor), os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return own


def _listen(tasks: IO[bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    try:
        for line in tasks:
            inbox.put(line)
    finally:
        os._exit(0)


def _answer(task: Mapping[str, Any], terminal: IO[str]) -> dict[str, Any]:
    """Do one task; whatever goes wrong becomes a sentence, and a mistake of ours one on the terminal of the page, too."""
    said = io.StringIO()
    code, answer = 0, None
    try:
        with contextlib.chdir(task["folder"]), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            if "argv" in task:
                code = _run(task["argv"])
            else:
                answer = _call(task)
    except OutscoreError as refusal:
        code = REFUSED
        said.write(str(refusal))
    except MemoryError:
        code = REFUSED
        said.write("There is not enough memory for this. Use fewer or smaller files.")
    except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the worker
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return {"code": REFUSED, "error": FULL, "answer": None, "notes": []}
        click.echo(f"{NAME}{mistake(error)}", file=terminal)
        code = FAILED
        said.write(f"This failed unexpectedly ({type(error).__name__}). Please report it with the command and the files.")
    lines = said.getvalue().strip().splitlines()
    # What is said without failing is a note, unless a library said it.
    notes = [line.removeprefix(NAME) for line in lines if line.startswith(NAME)] if code == 0 else []
    return {"code": code, "error": _sentence(lines) if code else None, "answer": answer, "notes": notes}


def _run(arguments: list[str]) -> int:
    from outscore.cli.app import app

    try:
        app.main(arguments, "outscore")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED


def _call(task: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what JSON can hold
    from outscore.web.jobs.inspect import inspect
    from outscore.web.jobs.render import draw, read_headline

    tasks: Mapping[str, Callable[[], Any]] = {
        "inspect": lambda: inspect(Path(), task["most"]),
        "draw": lambda: draw(Path()),
        "headline": lambda: read_headline(Path()),
    }
    return tasks[task["task"]]()


def _sentence(said: list[str]) -> str:
    """The last thing that was said, which is why the command ended; warnings may stand before it."""
    return said[-1].removeprefix(NAME) if said else "The command was ended."

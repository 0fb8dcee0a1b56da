"""A warm worker of the page: runs one `outscore` command after the other, each in the folder it is told.

Started as ``python -m outscore.cli.worker MEMORY WARM``, with bytes and 0 or 1, it reads tasks from standard input and answers
on standard output, a line of JSON each. ``{"argv": [...], "folder": "..."}`` runs a command, ``{"task": "inspect", ...}`` one
of the other things that are better done in a process that may fail. Answers are any number of ``{"progress": {...}}`` and one
``{"code": 0, "error": null, "answer": null}``. The worker ends as soon as its input is closed, whatever it is doing, so none
outlives the page.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from outscore.engine.interpreters import own_output
from outscore.engine.progress import DESCRIPTOR
from outscore.errors import OutscoreError

__all__ = ["serve"]

FAILED, REFUSED = 1, 2
NAME = "outscore: "
WARMING_UP = (["compare", "scores.txt", "-o", "result.json"], ["report", "result.json", "-o", "result.html"])
"""Commands that import what the usual ones need."""


def serve(memory: int, *, warm: bool) -> None:
    """Answer tasks until there are no more; a warm worker first imports what they will need."""
    # Ctrl-C reaches the page, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory)
    answers = own_output()
    os.environ[DESCRIPTOR] = str(answers.fileno())
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(_own_input(), inbox), daemon=True).start()
    # In the folder of the page, which is removed whatever becomes of this process.
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        # Real numbers, and enough of them: they take the longest way through the library.
        lines = [f"{math.sin(i)} {math.cos(i * i)}\n" for i in range(300)]
        Path(folder, "scores.txt").write_text("".join(lines), encoding="utf-8")
        for command in WARMING_UP if warm else ():
            # Whoever is waiting already should not wait for charts, too.
            if inbox.empty():
                _answer({"argv": command, "folder": folder})
    while True:
        answer = _answer(json.loads(inbox.get()))
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _limit_memory(most: int) -> None:
    """Make too large a task fail by itself, before the machine runs out of memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _own_input() -> IO[bytes]:
    """Standard input, for tasks alone: a command that reads it finds nothing."""
    tasks = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    return tasks


def _listen(tasks: IO[bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    try:
        for line in tasks:
            inbox.put(line)
    finally:
        os._exit(0)


def _answer(task: Mapping[str, Any]) -> dict[str, Any]:
    """Do one task; whatever goes wrong becomes a sentence."""
    said = io.StringIO()
    code, answer = 0, None
    try:
        with contextlib.chdir(task["folder"]), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            if "argv" in task:
                code = _run(task["argv"])
            else:
                answer = _call(task["task"])
    except OutscoreError as refusal:
        code = REFUSED
        said.write(str(refusal))
    except MemoryError:
        code = REFUSED
        said.write("There is not enough memory for this. Use fewer or smaller files.")
    except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the worker
        traceback.print_exc(file=sys.__stderr__)
        code = FAILED
        said.write(f"This failed unexpectedly ({type(error).__name__}). Please report it with the command and the files.")
    return {"code": code, "error": _sentence(said.getvalue()) if code else None, "answer": answer}


def _run(arguments: list[str]) -> int:
    from outscore.cli.app import app

    try:
        app.main(arguments, "outscore")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED


def _call(task: str) -> Any:  # noqa: ANN401 - what JSON can hold
    from outscore.web.inspect import inspect
    from outscore.web.render import draw

    return {"inspect": inspect, "draw": draw}[task](Path())


def _sentence(said: str) -> str:
    """The last thing that was said, which is why the command ended; warnings may stand before it."""
    lines = said.strip().splitlines() or ["The command was ended."]
    return lines[-1].removeprefix(NAME)


if __name__ == "__main__":
    serve(int(sys.argv[1]), warm=sys.argv[2] == "1")

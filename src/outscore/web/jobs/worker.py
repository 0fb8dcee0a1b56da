"""The worker process of the page: does one task after the other, each in the folder the task names.

Tasks arrive on standard input and answers leave on standard output, a line of JSON each. ``{"task": "command", "words":
[...], "folder": "..."}`` runs a command; the other tasks (`inspect`, `report`, `headline`, `draw`) look at one file of the
folder. Answers are ``{"begun": true}``, any number of ``{"progress": {...}}``, and ``{"code": 0, "error": null,
"parameter": null, "answer": null, "notes": []}``. The worker exits as soon as its input is closed, whatever it is doing, so
none outlives the page.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import queue
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from outscore.core.errors import OutscoreError
from outscore.engine.progress import DESCRIPTOR
from outscore.engine.subprocesses import claim_output
from outscore.web.problems import PROGRAM, describe_failure

__all__ = ["CHARTS", "CHART_LIST", "CHART_TYPES", "serve"]

RESULT = "result.json"
CHARTS, CHART_LIST = "charts", "list.json"
CHART_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
FORMS = {"txt": "text", "json": "json", "md": "markdown", "tex": "latex", "html": "html", "csv": "csv"}
"""Forms of a result by the suffix of their file."""
FAILED, REFUSED = 1, 2
DISK_FULL = "The disk on which the page keeps files is full. Free some space, and try again."
NO_MEMORY = "There is not enough memory for this. Use fewer or smaller files."
WARM_UP = (["compare", "scores.txt", "-o", "result.json"], ["report", "result.json", "-o", "result.html"])
"""Commands that import what most tasks need."""


def serve(memory: int, *, warm: bool, command_line: str) -> None:
    """Answer tasks until there are no more; a warm worker first imports what they will need.

    `command_line` names the function that runs a command, as ``module:function``.
    """
    # Ctrl-C reaches the page, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory)
    answers, terminal = claim_output(), _own_terminal()
    os.environ[DESCRIPTOR] = str(answers.fileno())
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(_own_input(), inbox), daemon=True).start()
    worker = Worker(command_line, terminal)
    if warm:
        worker.warm_up(inbox)
    while True:
        task = json.loads(inbox.get())
        _send(answers, {"begun": True})
        _send(answers, worker.answer(task))


def _send(answers: IO[bytes], message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def _limit_memory(limit: int) -> None:
    """Make a task that is too large fail on its own, before the machine runs out of memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _own_terminal() -> IO[str]:
    """Standard error, for our own messages only: native libraries write there when they panic."""
    return os.fdopen(_claim(sys.stderr.fileno()), "w", encoding="utf-8", errors="replace")


def _own_input() -> IO[bytes]:
    """Standard input, for tasks only: code that reads it finds nothing."""
    return os.fdopen(_claim(sys.stdin.fileno()), "rb")


def _claim(descriptor: int) -> int:
    """Move a file descriptor to a private number, and leave /dev/null under the old one."""
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


class Worker:
    """Does tasks and turns whatever goes wrong into an answer."""

    def __init__(self, command_line: str, terminal: IO[str]) -> None:
        self._command_line, self._terminal = command_line, terminal

    def warm_up(self, inbox: queue.SimpleQueue[bytes]) -> None:
        """Import what tasks will need by doing some, which also shows early when none could be done."""
        # In the folder of the page, which is removed whatever becomes of this process.
        with TemporaryDirectory(dir=Path.cwd()) as folder:
            # Real numbers, and enough of them: they take the longest path through the library.
            lines = [f"{math.sin(i)} {math.cos(i * i)}\n" for i in range(300)]
            Path(folder, "scores.txt").write_text("".join(lines), encoding="utf-8")
            for words in WARM_UP:
                # Whoever is waiting already should not wait for charts, too.
                if inbox.empty():
                    answer = self.answer({"task": "command", "words": words, "folder": folder})
                    # A failure of ours has been reported already.
                    if answer["code"] == REFUSED:
                        self._say(f"A worker process is not ready: {answer['error']}")

    def answer(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """Do one task; errors become a sentence, and a failure of ours also a line on the terminal of the page."""
        stderr = io.StringIO()
        try:
            with (
                contextlib.chdir(task["folder"]),
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(stderr),
            ):
                if task["task"] == "command":
                    answer = self._run(task["words"])
                else:
                    answer = TASKS[task["task"]](task)
        except OutscoreError as error:
            return _refusal(str(error), error.parameter)
        except MemoryError:
            return _refusal(NO_MEMORY)
        except Exception as error:  # noqa: BLE001 - a failure must not end the worker
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                return _refusal(DISK_FULL)
            self._say(describe_failure(error))
            message = f"This failed unexpectedly ({type(error).__name__}). Please report it with the command and the files."
            return {**_refusal(message), "code": FAILED}
        lines = stderr.getvalue().strip().splitlines()
        # Our own lines on standard error are notes.
        notes = [line.removeprefix(PROGRAM) for line in lines if line.startswith(PROGRAM)]
        return {"code": 0, "error": None, "parameter": None, "answer": answer, "notes": notes}

    def _run(self, words: list[str]) -> Any:  # noqa: ANN401 - whatever the command returns
        module, _, name = self._command_line.partition(":")
        command = getattr(import_module(module), name)
        with command.make_context("outscore", list(words)) as context:
            return command.invoke(context)

    def _say(self, line: str) -> None:
        self._terminal.write(f"{PROGRAM}{line}\n")
        self._terminal.flush()


def _refusal(error: str, parameter: str | None = None) -> dict[str, Any]:
    """The answer to a task that cannot be done, and the option that is to blame, if one is."""
    return {"code": REFUSED, "error": error, "parameter": parameter, "answer": None, "notes": []}


def _inspect(task: Mapping[str, Any]) -> dict[str, Any]:
    from outscore.web.jobs.inspect import inspect

    return inspect(Path(), task["max_bytes"])


def _headline(task: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the report of the result has in large letters, and the line below; None where it begins with a table."""
    del task
    from outscore.report.document import glue, minus
    from outscore.report.rows import facts
    from outscore.report.rows import plan as plan_tables
    from outscore.results.comparison import Comparisons
    from outscore.results.plan import PlanResult, PossibleP
    from outscore.results.saved import load

    result = load(RESULT)
    won = False
    if isinstance(result, PlanResult | PossibleP):
        top, why = plan_tables.headline(result)
        top = minus(glue(top))
    elif isinstance(result, Comparisons) and len(result.comparisons) == 1:
        top, why = facts.headline(result.comparisons[0])
        won = result.comparisons[0].decision.winner is not None
    else:
        return None
    return {"headline": top, "why": minus(glue(why)), "won": won}


def _report(task: Mapping[str, Any]) -> None:
    """Write the result in another form, beside it."""
    from outscore.report.render import render
    from outscore.results.saved import load

    unfinished = Path(f".{RESULT}.{task['suffix']}")
    unfinished.write_text(render(load(RESULT), FORMS[task["suffix"]]), encoding="utf-8", newline="")
    # All at once: whoever sees the file may send it.
    unfinished.rename(Path(RESULT).with_suffix(f".{task['suffix']}"))


def _draw(task: Mapping[str, Any]) -> None:
    """Draw all charts of the result as `--charts` does, and list them."""
    del task
    from outscore.report.render import named_charts
    from outscore.results.saved import as_document, load

    unfinished = Path(f".{CHARTS}")
    # An earlier process may have been killed while drawing.
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    listed = []
    for name, chart in named_charts(as_document(load(RESULT), RESULT)):
        for form in CHART_TYPES:
            (unfinished / f"{name}.{form}").write_bytes(chart.to_bytes(form))
        listed.append({"name": name, "title": chart.caption, "caption": chart.description})
    (unfinished / CHART_LIST).write_text(json.dumps(listed), encoding="utf-8")
    # All at once: whoever sees the list finds the charts, too.
    unfinished.rename(CHARTS)


TASKS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "inspect": _inspect,
    "report": _report,
    "headline": _headline,
    "draw": _draw,
}

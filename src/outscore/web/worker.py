"""The worker process of the page: does one task after the other, each in the folder the task names.

Tasks arrive on standard input and answers leave on standard output, a line of JSON each. ``{"task": "run", "command":
"compare", "request": {...}, "folder": "...", "target": "..."}`` runs a request on the files of a folder and writes its result
to another; the tasks `reload`, `report`, `headline` and `draw` are about a result, `inspect` about an
upload, and `items` about what a comparison counts. Answers are
``{"begun": true}``, any number of ``{"progress": {...}}``, and ``{"code": 0, "error": null, "parameter": null, "answer":
null, "notes": []}``. The worker exits as soon as its input is closed, whatever it is doing, so none outlives the page.
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
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.engine.engines import engine_of, open_engine
from outscore.engine.progress import Progress, ProgressLines
from outscore.engine.workers import claim_output, inbox_of
from outscore.web.messages import PROGRAM, describe_failure
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.plan import PlanRequest
from outscore.workflows.requests.rank import RankRequest

if TYPE_CHECKING:
    from outscore.report.render import AnyResult
    from outscore.results.saved import Saved


RESULT, PAGE = "result.json", "result.html"
CHARTS, CHART_LIST = "charts", "list.json"
CHART_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "csv": "text/csv; charset=utf-8"}
ITEMISED = ("compare", "score", "prefer", "texts")
"""The commands whose answers have items to look at."""
FORMS = {"txt": "text", "json": "json", "md": "markdown", "tex": "latex", "html": "html", "csv": "csv"}
"""Forms of a result by the suffix of their file."""
FAILED, REFUSED = 1, 2
DISK_FULL = "The disk on which the page keeps files is full. Free some space, and try again."
NO_MEMORY = "There is not enough memory for this. Use fewer or smaller files."
WARM_UP: tuple[Mapping[str, Any], ...] = (
    {"task": "run", "command": "compare", "request": {"files": "scores.txt"}, "target": "."},
    {"task": "report", "suffix": "html"},
)
"""Tasks that import what most others need."""


def serve(memory: int, *, warm: bool) -> None:
    """Answer tasks until there are no more; a warm worker first imports what they will need."""
    # Ctrl-C reaches the page, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory)
    answers = claim_output()
    # Standard error is for our own messages only: native libraries write there when they panic. Standard input is for tasks
    # only: code that reads it finds nothing.
    terminal = os.fdopen(_claim(sys.stderr.fileno()), "w", encoding="utf-8", errors="replace")
    inbox = inbox_of(os.fdopen(_claim(sys.stdin.fileno()), "rb"))
    if warm:
        warm_up(inbox, terminal)
    while True:
        task = json.loads(inbox.get())
        _send(answers, {"begun": True})
        _send(answers, answer(task, terminal, ProgressLines(answers.fileno())))


def _send(answers: IO[bytes], message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def _limit_memory(limit: int) -> None:
    """Make a task that is too large fail on its own, before the machine runs out of memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _claim(descriptor: int) -> int:
    """Move a file descriptor to a private number, and leave /dev/null under the old one."""
    own, nothing = os.dup(descriptor), os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return own


def warm_up(inbox: queue.SimpleQueue[bytes], terminal: IO[str]) -> None:
    """Import what tasks will need by doing some, which also shows early when none could be done."""
    # In the folder of the page, which is removed whatever becomes of this process.
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        # Real numbers, and enough of them: they take the longest path through the library.
        lines = [f"{math.sin(i)} {math.cos(i * i)}\n" for i in range(300)]
        Path(folder, "scores.txt").write_text("".join(lines), encoding="utf-8")
        for task in WARM_UP:
            # Whoever is waiting already should not wait for charts, too.
            if inbox.empty():
                outcome = answer({**task, "folder": folder}, terminal)
                # A failure of ours has been reported already.
                if outcome["code"] == REFUSED:
                    _say(terminal, f"A worker process is not ready: {outcome['error']}")


def answer(task: Mapping[str, Any], terminal: IO[str], progress: Progress | None = None) -> dict[str, Any]:
    """Do one task, in its folder."""
    notes: list[str] = []
    work = partial(TASKS[task["task"]], task)
    if task["task"] == "run":
        work = partial(work, progress or Progress(), notes.append)
    with contextlib.chdir(task["folder"]):
        return attempt(work, notes, terminal)


def attempt(work: Callable[[], Any], notes: Sequence[str], terminal: IO[str]) -> dict[str, Any]:
    """Do some work, which may add `notes`; errors become a sentence, and a failure of ours also a line on the terminal."""
    try:
        # Some libraries print.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            content = work()
    except OutscoreError as error:
        return {**_refusal(str(error), error.parameter), "hint": error.hint}
    except UnicodeError as error:
        return _refusal(f"Text could not be read or written: {error}. Save the files as UTF-8.")
    except MemoryError:
        return _refusal(NO_MEMORY)
    except Exception as error:  # noqa: BLE001 - a failure must not end the worker
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _refusal(DISK_FULL)
        _say(terminal, describe_failure(error))
        message = f"This failed unexpectedly ({type(error).__name__}). Please report it with the command and the files."
        return {**_refusal(message), "code": FAILED}
    return {"code": 0, "error": None, "parameter": None, "answer": content, "notes": notes}


def _say(terminal: IO[str], line: str) -> None:
    terminal.write(f"{PROGRAM}{line}\n")
    terminal.flush()


def _refusal(error: str, parameter: str | None = None) -> dict[str, Any]:
    """The answer to a task that cannot be done, and the option that is to blame, if one is."""
    return {"code": REFUSED, "error": error, "parameter": parameter, "answer": None, "notes": []}


def _run(task: Mapping[str, Any], progress: Progress, remark: Callable[[str], None]) -> dict[str, Any]:
    """Run a request, write its result to the target folder, and say what it is about."""
    from outscore.report.render import render
    from outscore.workflows.requests.registry import REQUESTS

    target = Path(task["target"])
    request = REQUESTS[task["command"]].from_written(task["request"])
    result, examples = run_request(request, progress=progress, remark=remark)
    texts = {RESULT: render(result, "json")}
    if examples is not None:
        # A saved diff holds no examples, so its page is written while they are here.
        texts[PAGE] = render(result, "html", examples=examples())
    for name, text in texts.items():
        _write(target / name, text)
    return _about(result)


def _about(result: AnyResult) -> dict[str, Any]:
    """What a list of results says of one: the systems it is about, and its first headline."""
    from outscore.report.document import glue, minus
    from outscore.report.render import verdicts_of
    from outscore.workflows.show.describe import systems_of

    verdict = next(filter(None, verdicts_of(result)), None)
    return {"systems": systems_of(result), "headline": None if verdict is None else minus(glue(verdict.headline))}


def _reload(task: Mapping[str, Any]) -> dict[str, Any]:
    """Show a saved result again, and say what it is about."""
    from outscore.report.render import render
    from outscore.results.saved import read_document, refuse_inconsistent

    result = read_document(task["file"])
    with refuse_inconsistent(task["file"]):
        # The page is made at once, which shows whether the parts of the file fit together.
        texts = {RESULT: render(result, "json"), PAGE: render(result, "html")}
    for name, text in texts.items():
        _write(Path(task["target"], name), text)
    return _about(result)


def _write(path: Path, text: str) -> None:
    """Write a file all at once: whoever sees it may send it."""
    unfinished = path.with_name(f".{path.name}")
    unfinished.write_text(text, encoding="utf-8", newline="")
    unfinished.rename(path)


def _inspect(task: Mapping[str, Any]) -> dict[str, Any]:
    from outscore.web.files import inspect

    return inspect(Path(task["file"]), task["max_bytes"])


def _items(task: Mapping[str, Any]) -> dict[str, Any]:
    """The items of an answer, with what stands beside their scores."""
    from outscore.web.files import items_of

    return items_of(task["command"], task["request"])


def _headline(_task: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the report of the result has in large letters, and the line below; None where it begins with a table."""
    from outscore.report.document import glue, minus
    from outscore.report.render import verdicts_of
    from outscore.results.saved import read_document

    verdict = next(verdicts_of(read_document(RESULT)), None)
    if verdict is None:
        return None
    words = {"headline": minus(glue(verdict.headline)), "why": minus(glue(verdict.reason))}
    return {**words, "won": verdict.tone == "won", "named": verdict.named}


def _report(task: Mapping[str, Any]) -> None:
    """Write the result in another form, beside it."""
    from outscore.report.render import render
    from outscore.results.saved import read_saved

    _write(Path(RESULT).with_suffix(f".{task['suffix']}"), render(read_saved(RESULT), FORMS[task["suffix"]]))


def _draw(_task: Mapping[str, Any]) -> None:
    """Draw all charts of the result as `--charts` does, and list them."""
    from outscore.report.render import named_charts
    from outscore.results.saved import read_document

    unfinished = Path(f".{CHARTS}")
    # An earlier process may have been killed while drawing.
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    listed = []
    for name, chart in named_charts(read_document(RESULT)):
        for form in CHART_TYPES:
            (unfinished / f"{name}.{form}").write_bytes(chart.to_bytes(form))
        listed.append({"name": name, "title": chart.caption, "caption": chart.description})
    (unfinished / CHART_LIST).write_text(json.dumps(listed), encoding="utf-8")
    # All at once: whoever sees the list finds the charts, too.
    unfinished.rename(CHARTS)


TASKS: dict[str, Callable[..., Any]] = {
    "run": _run,
    "reload": _reload,
    "inspect": _inspect,
    "items": _items,
    "report": _report,
    "headline": _headline,
    "draw": _draw,
}
"""What does each task; `run` alone says how far it is, and what is worth knowing."""


WORKFLOWS = {
    "compare": "outscore.workflows.compare.run",
    "diff": "outscore.workflows.diff.run",
    "gate": "outscore.workflows.gate",
    "plan": "outscore.workflows.plan.run",
    "prefer": "outscore.workflows.prefer.run",
    "rank": "outscore.workflows.rank.run",
    "score": "outscore.workflows.score.run",
    "show": "outscore.workflows.show.run",
    "texts": "outscore.workflows.texts.run",
}
"""The module that answers each request; it is imported when it is asked for."""


def run_request(
    request: Request, *, progress: Progress | None = None, remark: Callable[[str], None]
) -> tuple[Saved, Callable[[], Any] | None]:
    """The result of a request, and a function that collects the examples of a diff.

    Examples
    --------
    >>> result, _ = run_request(PlanRequest(effect=0.02, sd=0.3), remark=print)
    >>> result.items
    1768
    """
    progress = progress or Progress()
    workflow: Any = import_module(WORKFLOWS[request.command])
    match request:
        case TextsRequest() | RankRequest():
            with open_engine(engine_of(0)) as engine:
                return workflow.run(request, engine=engine, progress=progress, remark=remark), None
        case DiffRequest():
            study, result = workflow.run_study(request)
            return result, study.changed
        case PlanRequest():
            return workflow.run(request, progress=progress), None
    return workflow.run(request), None

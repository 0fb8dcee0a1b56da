"""Worker processes that are forked from one that has imported everything, and so are ready at once.

What the page starts is a small process that hands its pipes to a fork, ends when the fork ends, and takes the fork along
when it is killed: to the page it is a worker like any other.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import select
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from outscore.engine.workers import interpreter_command

# Without modules of its own (-S -I) it takes a hundredth of a second.
STAND_IN = """
import json, os, socket, sys
own = socket.socket(socket.AF_UNIX)
own.connect(sys.argv[1])
asked = json.dumps({"code": sys.argv[2], "folders": sys.argv[3:], "folder": os.getcwd(), "environment": dict(os.environ)})
socket.send_fds(own, [len(asked).to_bytes(8, "big")], [0, 1, 2])
own.sendall(asked.encode())
nothing = os.open(os.devnull, os.O_RDWR)
for pipe in (0, 1, 2):
    os.dup2(nothing, pipe)
code = int(own.recv(16) or 1)
os.kill(os.getpid(), -code) if code < 0 else os._exit(code)
"""
# Not polars, which starts threads when it is imported.
LIBRARIES = ("altair", "jinja2", "rich.console", "scipy.fft", "scipy.optimize", "scipy.special", "vl_convert")


class Forks:
    """Where forks come from: in the place of `interpreter_command`, it gives the command that is answered by one."""

    def __init__(self, address: str | Path):
        self.address = address

    def interpreter_command(self, module: str, **arguments) -> tuple[list[str], dict[str, str]]:
        (python, _isolated, _command, code, *folders), environment = interpreter_command(module, **arguments)
        return [python, "-I", "-S", "-c", STAND_IN, str(self.address), code, *folders], environment


@contextmanager
def forking():
    """A process to fork from, for as long as this is open."""
    with TemporaryDirectory() as folder:
        yield from _forking(Path(folder, "forks"))


def _forking(address: Path):
    command, environment = interpreter_command("tests.web.forks", address=str(address))
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        yield Forks(address)
        # It ends with its input.
        process.stdin.close()


def serve(address: str) -> None:
    """Fork for everybody who asks, until the input ends."""
    import outscore

    for name in LIBRARIES:
        import_module(name)
    for module in pkgutil.walk_packages(outscore.__path__, "outscore."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    # A process with several threads must not be forked.
    assert len(list(Path("/proc/self/task").iterdir())) == 1
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(100)
        # What forks share is copied as soon as a garbage collector looks at it.
        gc.collect()
        gc.freeze()
        os.write(1, b"ready\n")
        while 0 not in (ready := select.select([0, listener.fileno()], [], [])[0]) and ready:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                os._exit(_attend(connection))
            connection.close()
            _reap()


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(connection: socket.socket) -> int:
    """Fork once more, and tell how that ended."""
    head, pipes, *_ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as rest:
        asked = json.loads(rest.read(int.from_bytes(head, "big")))
    if (worker := os.fork()) == 0:
        os._exit(_work(asked, pipes, connection))
    for pipe in (0, 1, 2, *pipes):
        os.close(pipe)
    code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    # Who was killed asks for no answer.
    with suppress(OSError):
        connection.sendall(b"%d" % code)
    return 0


def _work(asked: dict, pipes: list[int], connection: socket.socket) -> int:
    """Become the process that was asked for."""

    def watch() -> None:
        connection.recv(1)
        os.kill(os.getpid(), 9)

    for place, pipe in enumerate(pipes):
        os.dup2(pipe, place)
        os.close(pipe)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    threading.Thread(target=watch, daemon=True).start()
    sys.argv = ["-c", *asked["folders"]]
    try:
        exec(asked["code"], {"__name__": "__main__"})  # noqa: S102 - what the page would have a new interpreter run
    except BaseException:  # noqa: BLE001 - as an interpreter ends
        sys.excepthook(*sys.exc_info())
        return 1
    return 0

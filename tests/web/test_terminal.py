"""What the terminal of the page shows and does, and what becomes of those who keep a connection and say nothing."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from click.testing import CliRunner
from tests.variants import a_few
from uvicorn.server import ServerState

from outscore.cli import serve as serving
from outscore.cli.app import app as command_line
from outscore.core.errors import OutscoreError
from outscore.web import app as http_server
from outscore.web.app import guard
from outscore.web.messages import FailureHandler, HTTPProblem
from outscore.web.settings import MIB, Settings

FORM = b"POST /api/files HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\ncontent-type: multipart/form-data"
NOISE = (
    b"\x16\x03\x01\x02\x00\x01",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    FORM + b"; boundary=x\r\n\r\n--x",
    FORM + b"; boundary=x\r\n\r\nxxxxxxxxx",
    FORM + b"\r\n\r\nxxxxxxxxx",
    b"POST /api/jobs HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
)


def test_the_terminal_shows_nothing_of_what_others_send(serve, tmp_path):
    server = serve()
    page = server.page()
    place = ("127.0.0.1", int(server.address.rsplit(":", 1)[1].rstrip("/")))
    for sent in NOISE:
        with socket.create_connection(place) as raw:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            raw.recv(1 << 16)
    for name, content in (("x.parquet", b"PAR1" + bytes(100) + b"PAR1"), ("x.bin", bytes(range(256))), ("x.csv", b'"')):
        assert page.upload({name: content})[0]["problem"]
    assert server.end(signal.SIGINT) == 0
    assert server.errors == "outscore: stopped, and all files are removed.\n"


@contextmanager
def handling_hangups(by: signal.Handlers) -> Iterator[None]:
    """What is started here inherits how a closed terminal is handled, whether or not the tests run under `nohup`."""
    before = signal.signal(signal.SIGHUP, by)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_is_started_to_outlive_the_terminal_does(serve):
    with handling_hangups(signal.SIG_IGN):
        server = serve()
    page = server.page()
    server.process.send_signal(signal.SIGHUP)
    assert page.get("/").status_code == 200
    assert server.end(signal.SIGINT) == 0


@pytest.mark.parametrize("how", a_few([signal.SIGHUP, signal.SIGTERM], 1))
def test_a_terminal_that_is_closed_leaves_nothing(serve, pair, tmp_path, how):
    with handling_hangups(signal.SIG_DFL):
        server = serve()
    server.page().upload(pair)
    assert len(list(tmp_path.iterdir())) == 1
    server.end(how)
    assert list(tmp_path.iterdir()) == []
    assert server.errors == ""


def test_a_mistake_of_ours_is_one_line(capsys):
    log = logging.getLogger("outscore.test")
    log.addHandler(FailureHandler())
    log.error("Cancel 1 running task(s), timeout graceful shutdown exceeded")
    assert capsys.readouterr().err == ""
    try:
        Settings(host=5).admits("evil.example")
    except Exception:
        log.exception("Exception in ASGI application")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("outscore: This failed unexpectedly: ")
    assert "settings.py, line " in said


def test_the_help_states_the_limits():
    said = " ".join(CliRunner().invoke(command_line, ["serve", "--help"]).output.split())
    settings = Settings()
    assert f"An upload may have up to {settings.max_upload // MIB} MB" in said
    assert f"may unpack to {settings.max_unpacked // MIB} MB" in said
    assert f"A job may run for {settings.job_seconds / 60:g} minutes" in said


def test_a_folder_without_room_is_one_sentence(tmp_path):
    with pytest.raises(OutscoreError, match="Nothing can be written to the temporary folder"):
        serving._check_folder(Settings(folder=tmp_path / "nowhere"))


async def answered(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def test_whoever_says_nothing_is_cut_off(monkeypatch):
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 0.3)
    head = b"GET / HTTP/1.1\r\nhost: localhost\r\n"

    async def spoken(port, *parts):
        """All that comes back until the connection is closed, which must be soon."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.05)
        found = await asyncio.wait_for(reader.read(), 15)
        writer.close()
        return found.count(b" 200 ")

    async def run():
        config = uvicorn.Config(answered, lifespan="off", log_config=None, timeout_keep_alive=60)
        config.load()
        state = ServerState()
        server = await asyncio.get_running_loop().create_server(
            lambda: http_server.ImpatientProtocol(config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        port = server.sockets[0].getsockname()[1]
        answers = [
            await spoken(port),
            await spoken(port, head[:9], head[9:20]),
            await spoken(port, head, b"\r\n", head),
            await spoken(port, head, b"\r\n", head, b"\r\n", b"GE"),
        ]
        server.close()
        return answers

    assert asyncio.run(run()) == [0, 0, 1, 2]


def test_a_body_that_does_not_go_on_is_given_up():
    async def never():
        return await asyncio.Event().wait()

    async def reading(scope, receive, send):
        await receive()

    async def ended(scope, receive, send):
        """Behind the body comes only that somebody has gone, for which there is time."""
        await receive()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(receive(), 0.3)

    async def whole():
        messages.append(1)
        return {"type": "http.request", "body": b"{}"} if len(messages) == 1 else await never()

    messages = []
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/plan",
        "headers": [(b"host", b"localhost"), (b"content-length", b"2")],
    }
    settings = Settings(idle_timeout=0.1)
    with pytest.raises(HTTPProblem) as refusal:
        asyncio.run(guard(reading, settings)(scope, never, None))
    assert refusal.value.status == 408
    asyncio.run(guard(ended, settings)(scope, whole, None))

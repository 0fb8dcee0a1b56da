"""`outscore serve`: the same, as a page in the browser; `outscore mcp`: the same, as tools for agents."""

from __future__ import annotations

import errno
import html
import os
import secrets
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.web.settings import Settings

PORT = 8370
TOKEN_BYTES = 24
WAY = "open.html"
# Modules by the names under which they are installed.
NEEDED = {"starlette": "starlette", "uvicorn": "uvicorn", "python_multipart": "python-multipart", "jinja2": "jinja2"}


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 chooses a free one.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="0.0.0.0 lets other machines connect; nothing is encrypted.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
def serve(port: int, host: str, *, no_browser: bool) -> None:
    """Open a local page: drop files, compare them, read reports.

    The page is served by this machine, to this machine only (unless you set --host), and only to those who open the printed
    address, which contains a new token each time. Files stay on this machine; they are removed an hour after their last use and
    when the server stops. Ctrl-C stops it.

    An upload may have up to 256 MB, and a compressed file may unpack to 512 MB. A job may run for 10 minutes. The other
    commands have no such limits.
    """
    check_system(os.name)
    _check_packages()
    from outscore.web.settings import Settings

    listening = _listen(host, port)
    settings = Settings(host=host, port=listening.getsockname()[1], token=secrets.token_urlsafe(TOKEN_BYTES))
    _check_folder(settings)
    address = f"http://{_show(host)}:{settings.port}/?token={settings.token}"
    click.echo(f"outscore is at {address} (Ctrl-C stops it)")
    if not settings.is_local:
        click.echo("Anybody who has this address can use the page, and the connection is not encrypted.", err=True)
    _serve(settings, listening, None if no_browser else partial(_open_browser, address))


@click.command()
@click.option("--root", default=".", show_default=True, metavar="DIR", help="The folder whose files may be read.")
def mcp(root: str) -> None:
    """Serve agents over standard input and output (MCP).

    A client starts this command and speaks the Model Context Protocol with it. Each question is a tool: compare, texts, score,
    gate, rank, prefer, diff, plan and show. Only files below --root are read, and none of them is written.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise OutscoreError("mcp must be installed to serve agents.", "Run `pip install 'outscore[mcp]'`.")
    if not Path(root).is_dir():
        raise OutscoreError(f"`{root}` is not a folder.", "Name a folder with --root.", parameter="root")
    import anyio

    from outscore.web.mcp import serve as serve_tools

    # Paths of a client are those below the folder.
    os.chdir(root)
    anyio.run(serve_tools, Path.cwd())


def check_system(name: str) -> None:
    """Refuse a system without POSIX, because the page needs its file locks, memory limits and signals.

    Examples
    --------
    >>> check_system("nt")
    Traceback (most recent call last):
    ...
    outscore.core.errors.OutscoreError: The page needs a POSIX system such as Linux or macOS. Use ...
    """
    if name != "posix":
        raise OutscoreError(
            "The page needs a POSIX system such as Linux or macOS.", "Use the command line or Python, or serve it from WSL."
        )


def _check_packages() -> None:
    from importlib.util import find_spec

    for module, package in NEEDED.items():
        if find_spec(module) is None:
            raise OutscoreError(f"{package} must be installed to serve the page.", "Run `pip install 'outscore[web]'`.")


def _check_folder(settings: Settings) -> None:
    """Check that uploads can be stored before the address of the page is printed."""
    try:
        with tempfile.TemporaryDirectory(dir=settings.folder):
            pass
    except OSError as error:
        raise OutscoreError(
            f"Nothing can be written to the temporary folder `{settings.folder}`: {error.strerror}.",
            "Free some space, or set TMPDIR to another folder.",
        ) from None


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is loaded: connections wait until the page is ready."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError:
        raise OutscoreError(f"There is no address `{host}`.", "Leave --host out, or give an address of this machine.") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(256)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            cure = "Is the page open already? Choose another port with --port, or a free one with --port 0."
            raise OutscoreError(f"Port {port} is in use.", cure) from None
        reason = error.strerror or str(error)
        raise OutscoreError(
            f"The server cannot listen on `{host}`, port {port}: {reason}.", "Choose another --host or --port."
        ) from None
    return listening


def _show(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not listened on
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _open_browser(address: str, folder: Path) -> None:
    """Open the page by a private file that leads to it: everybody can read the arguments of a process, and so a token there."""
    way, link = folder / WAY, html.escape(address)
    way.touch(0o600, exist_ok=False)
    lines = (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={link}">',
        f'<title>outscore</title><p><a href="{link}">Open outscore</a></p>',
    )
    way.write_text("\n".join(lines), encoding="utf-8")
    # A browser in the terminal would otherwise keep the page from being served.
    threading.Thread(target=webbrowser.open, args=(way.as_uri(),), daemon=True).start()


def _serve(settings: Settings, listening: socket.socket, ready: Callable[[Path], None] | None) -> None:
    """Serve until Ctrl-C, which is the normal way to stop and not a failure."""
    from outscore.web.app import run_server

    try:
        run_server(settings, listening, ready)
    except KeyboardInterrupt:
        click.echo("outscore: stopped, and all files are removed.", err=True)
    finally:
        listening.close()

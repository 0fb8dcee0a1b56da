"""Visits to explorers in files, which must stay quiet, and what their tests look at."""

from __future__ import annotations

import re
import time
from pathlib import Path

from click.testing import CliRunner
from tests.browser.screens import PATIENCE

from outscore.cli.app import app

WIDE = {"width": 1360, "height": 900}


def visiting(browser):
    """Open a page; afterwards nothing may have gone wrong, run by itself, or been asked of anybody."""
    trouble, asked, opened = [], [], []

    def to(path: Path, address: str = "", **options):
        page = browser.new_page(**({"viewport": WIDE} | options))
        opened.append(page)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri() + address)
        page.wait_for_selector("#found, #no-examples")
        return page

    yield to
    for page in opened:
        page.close()
    assert trouble == []
    assert all(url.startswith(("file:", "data:")) for url in asked)


def found(page) -> int:
    return int(re.match(r"[\d,]+", page.locator("#found").inner_text())[0].replace(",", ""))


def settled(page, there) -> None:
    """Wait until what was typed has had its effect; the page's policy lets nobody poll from inside."""
    end = time.monotonic() + PATIENCE / 1000
    while not there():
        assert time.monotonic() < end, page.locator("#found").inner_text()
        page.wait_for_timeout(50)


def explored(folder: Path, task: str, **files: str) -> Path:
    """The page of a diff of these files, the first of which is gold."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    made = folder / "diff.html"
    done = CliRunner().invoke(app, ["diff", "--task", task, *(str(folder / name) for name in files), "-o", str(made)])
    assert done.exit_code == 0, done.output
    return made

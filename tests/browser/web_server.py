"""Visits to a page that `outscore serve` started, which must stay quiet: no console errors, no request elsewhere."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from tests.browser.screens import PATIENCE, TOKENS

WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}}
pytest.importorskip("starlette")
expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=PATIENCE)


@contextmanager
def visited(browser, server, address="/", *, refused=422, **view):
    """A page of the server, and in the end nothing to complain about but requests that were refused with this status."""
    page = browser.new_page(**(WIDE | view))
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    name = f"outscore-{server.rpartition(':')[2]}"
    page.context.add_cookies([{"name": name, "value": TOKENS[server], "url": server}])
    page.goto(server + address)
    yield page
    elsewhere = [url for url in asked if not url.startswith((server, "data:", "blob:"))]
    page.close()
    # The browser notes every refused request by itself; the page shows the reason.
    assert [text for text in said if f"status of {refused}" not in text] == []
    assert elsewhere == []


def choose(page, *files):
    """Choose files, each a name and a text."""
    sent = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files]
    page.set_input_files("#choose", files=sent)


def bring(page, **files):
    """Choose files on the start page; `new_txt` is called new.txt."""
    named = [(name.replace("_", "."), text) for name, text in files.items()]
    choose(page, *named)
    page.get_by_role("article", name=named[-1][0]).wait_for()


def start(page, way):
    """Follow one of the ways the start page proposes."""
    page.locator("#ways").get_by_role("button", name=way).click()


def example(page, title):
    """Open an example by the beginning of its title."""
    page.get_by_role("button", name=f"Try the example: {title}").click()


def unfold(page):
    """Open the settings."""
    page.locator(".settings:not([open]) > summary").click()


def no_wider_than_the_screen(page):
    return page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")

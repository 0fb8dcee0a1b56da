"""Visits to a page that `outscore serve` started, which must stay quiet: no console errors, no request elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial

import pytest
from tests.browser.screens import PATIENCE, TOKENS

WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}}
# What moves is drawn sixty times a second, which takes longer than all else.
STILL = {"reduced_motion": "reduce"}
pytest.importorskip("starlette")
httpx = pytest.importorskip("httpx")
playwright = pytest.importorskip("playwright.sync_api")
# Who waits for a minute is told every half second whether it is over; who waits for two seconds, every tenth of one.
LOOK = 2_000


def _patiently(look):
    """Look again and again, in steps that are answered soon."""
    end = time.monotonic() + PATIENCE / 1000
    while True:
        began = time.monotonic()
        try:
            return look(timeout=LOOK)
        except (AssertionError, playwright.TimeoutError):
            # What was refused before its time was up is wrong for another reason.
            if time.monotonic() > end or time.monotonic() < began + 0.9 * LOOK / 1000:
                raise


class expect:  # noqa: N801 - it stands for the driver's own
    """What is expected of a part of the page, now or soon."""

    def __init__(self, part):
        self._part = playwright.expect(part)

    def __getattr__(self, name):
        return lambda *wanted, **more: _patiently(partial(getattr(self._part, name), *wanted, **more))


def there(part):
    """Wait until a part of the page is to be seen."""
    _patiently(part.wait_for)


def quiet(page):
    """Wait until nothing is computed any more: until then, what was just there may give way to something newer."""
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")


SCORES = "".join(f"{(i * 37 % 101) / 101:.3f} {(i * 53 % 97) / 97:.3f}\n" for i in range(120))
# All of them open, as who opened them before finds them.
STEPS = "step-data step-test step-effect step-power step-report"
# Every view by the example that opens it, or by its address, and what has to be there.
OPENED = {
    "compare": ("A lead", "#shown-report .paste"),
    "texts": ("Metrics that", "#result table"),
    "score": ("How sure is one", "#result figure svg"),
    "gate": ("May the new", "#result figure svg"),
    "rank": ("Twelve", "svg.heat"),
    "prefer": ("Battles of five", "#result figure svg"),
    "diff": ("What a better", ".matrix .cell"),
    "plan": ("/plan", "#result figure"),
    "start": ("/", ".offer"),
    "results": ("/results", "h1"),
    "methods": ("/methods", "math"),
}


def known(server):
    """What the server knows its own pages by."""
    return {"authorization": f"Bearer {TOKENS[server]}"}


def sent(server, view, **files):
    """The address of a view with files that the server has got, as it stands behind the button of the start page."""
    ids = []
    with httpx.Client(base_url=server, headers=known(server)) as client:
        for name, text in files.items():
            answer = client.post("/api/text", json={"name": name.replace("_", "."), "text": text})
            ids.append(answer.raise_for_status().json()["id"])
    return f"/{view}?files={','.join(ids)}"


@contextmanager
def brought(browser, server, view, *, settings="", refused=422, alone=False, **files):
    """A view with these files: the way over the start page, which has its own tests, takes as long as the view itself."""
    with visited(browser, server, sent(server, view, **files) + settings, refused=refused, alone=alone) as page:
        yield page


@contextmanager
def visited(browser, server, address="/", *, refused=422, opener=None, **view):
    """A page of the server, and in the end nothing to complain about but requests that were refused with this status.

    A page that another one opens remembers what that one had computed, so that nothing is computed twice. Without an address
    nothing is opened yet.
    """
    page = browser.new_page(**(WIDE | STILL | view)) if opener is None else _opened_by(opener, **(WIDE | view))
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    # As who opened the printed address before.
    kept = f"localStorage.setItem('token', {TOKENS[server]!r}); sessionStorage.setItem('open steps', {STEPS!r});"
    page.add_init_script(f"if (location.origin === {server!r}) {{ {kept} }}")
    if address is not None:
        page.goto(server + address)
    yield page
    elsewhere = [url for url in asked if not url.startswith((server, "data:", "blob:"))]
    page.close()
    # The browser notes every refused request by itself; the page shows the reason.
    assert [text for text in said if f"status of {refused}" not in text] == []
    assert elsewhere == []


def _opened_by(opener, *, viewport, color_scheme="light"):
    with opener.expect_popup() as popup:
        opener.evaluate("() => { open('about:blank'); }")
    page = popup.value
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme=color_scheme, **STILL)
    return page


class Answers:
    """Views with their first answers, each computed once: tests look at copies, on any screen."""

    def __init__(self, browser, server, until):
        self._browser, self._server, self._until, self._pages = browser, server, until, {}

    def original(self, view):
        """The view as it was answered, to look at: copies are made from its address, whatever is folded or coloured in it."""
        if view not in self._pages:
            self._pages[view] = self._until.enter_context(self._first(view))
        return self._pages[view]

    @contextmanager
    def copy(self, view, **screen):
        """The view in a page of its own."""
        original = self.original(view)
        address = original.url.removeprefix(self._server)
        with visited(self._browser, self._server, address, opener=original, **screen) as page:
            there(page.locator(OPENED[view][1]).first)
            yield page

    @contextmanager
    def _first(self, view):
        way, answer = OPENED[view]
        with visited(self._browser, self._server, way if way.startswith("/") else "/", alone=True) as page:
            if not way.startswith("/"):
                example(page, way)
            there(page.locator(answer).first)
            yield page


def choose(page, *files):
    """Choose files, each a name and a text."""
    sent = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files]
    page.set_input_files("#choose", files=sent)


def bring(page, **files):
    """Choose files on the start page; `new_txt` is called new.txt."""
    named = [(name.replace("_", "."), text) for name, text in files.items()]
    choose(page, *named)
    there(page.get_by_role("article", name=named[-1][0]))


def start(page, way):
    """Follow one of the ways the start page proposes."""
    page.locator("#ways").get_by_role("button", name=way).click()


def example(page, title):
    """Open an example by the beginning of its title."""
    page.get_by_role("button", name=f"Try the example: {title}").click()


def unfold(page):
    """Open the settings."""
    page.locator(".settings").evaluate("(fold) => { fold.open = true; }")
    page.locator(".more-settings").evaluate_all("(folds) => folds.forEach((fold) => { fold.open = true; })")


def no_wider_than_the_screen(page):
    return page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")

"""A headless browser, where the system has one: pages are opened as a reader opens them, from a file."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.browser.screens import SHOTS, TOKENS, Screens
from tests.web.small import serve_forked

# The one without windows, which Debian packages by itself, takes a third of the time of the others for the same pages.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# The browser draws parts of its own window in advance for every window it opens, which takes longer than most of our pages.
# Giving a list of features replaces the driver's own, so what that switches off to keep off the network is here too.
# A renderer in reserve, which it starts for every window too, is never used.
WITHOUT = (
    "PreloadTopChromeWebUI,MediaRouter,OptimizationHints,HttpsUpgrades,NetworkTimeServiceQuerying,PreconnectToSearch,"
    "SpareRendererForSitePerProcess"
)
# Pages of one profile share a renderer: all of them are ours, and starting one takes as long as laying out a page.
SHARED = ("--renderer-process-limit=1", "--disable-site-isolation-trials")
FLAGS = ("--no-sandbox", "--disable-gpu", *SHARED, f"--disable-features={WITHOUT}")


@pytest.fixture(scope="package")
def browser():
    """Chromium without a window and without the network. Its driver holds an event loop, so no test elsewhere may meet it."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser on the path: install one of {', '.join(BROWSERS)}")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        try:
            opened = driver.chromium.launch(executable_path=found, args=list(FLAGS))
        except playwright.Error as error:
            # A browser that is there and may not run, as in some containers, says nothing about our pages.
            pytest.skip(f"{found} does not start here: {error.message.splitlines()[0]}")
        yield Screens(opened)
        opened.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """Where pages go, and their pictures if OUTSCORE_SCREENSHOTS names a folder for them."""
    made = Path(SHOTS) if SHOTS else tmp_path_factory.mktemp("pages")
    made.mkdir(parents=True, exist_ok=True)
    return made


@pytest.fixture(scope="session")
def server(forks):
    """The address of a page that was started for this session."""
    with subprocess.Popen(**serve_forked(forks), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        line = process.stdout.readline()
        assert " at http://" in line, line + process.stdout.read()
        address, _, token = line.split(" at ")[1].split(" ")[0].partition("/?token=")
        TOKENS[address] = token
        yield address
        process.terminate()
        process.stdout.read()


@pytest.fixture(scope="package")
def answers(browser, server):
    """Every view with its first answer."""
    from tests.browser.web_server import Answers

    with ExitStack() as until:
        yield Answers(browser, server, until)


@pytest.fixture(scope="package")
def finished(browser, server):
    """The guided comparison of 120 pairs, to look at."""
    from tests.browser.web_server import SCORES, brought, there

    with brought(browser, server, "compare", alone=True, scores_txt=SCORES) as page:
        there(page.locator("#steps"))
        yield page


@pytest.fixture
def comparison(browser, server, finished):
    """The same in a page of its own, to change."""
    from tests.browser.web_server import there, visited

    with visited(browser, server, finished.url.removeprefix(server), opener=finished) as page:
        there(page.locator("#steps"))
        yield page

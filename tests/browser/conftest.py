"""A headless browser, where the system has one: pages are opened as a reader opens them, from a file."""

from __future__ import annotations

import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window and without the network."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser on the path: install one of {', '.join(BROWSERS)}")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        try:
            opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        except playwright.Error as error:
            # A browser that is there and may not run, as in some containers, says nothing about our pages.
            pytest.skip(f"{found} does not start here: {error.message.splitlines()[0]}")
        yield opened
        opened.close()

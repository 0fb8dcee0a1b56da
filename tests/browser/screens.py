"""Screens of every kind to open pages on, and pictures of them for who wants to look."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

# The machine may be busy with other tests: what counts is that an answer comes.
PATIENCE = 60_000
# A folder for the pages and their pictures. Drawing takes seconds, so only who wants to look at them pays for it.
SHOTS = os.environ.get("OUTSCORE_SCREENSHOTS")


# The tokens of pages by their addresses.
TOKENS: dict[str, str] = {}


class Screens:
    """A browser with one profile for each kind of screen: making a profile takes longer than opening a page in it."""

    def __init__(self, browser):
        self._browser, self._profiles = browser, {}

    def new_page(self, *, alone=False, **screen):
        """A page, or one with a renderer of its own: what stays open slows down all that share its renderer."""
        if alone:
            page = self._browser.new_context(**screen).new_page()
            page.set_default_timeout(PATIENCE)
            return page
        kind = repr(sorted(screen.items()))
        if kind not in self._profiles:
            self._profiles[kind] = self._browser.new_context(**screen)
            # The renderer ends with its last page, so an empty one stays open.
            self._profiles[kind].new_page()
        page = self._profiles[kind].new_page()
        page.set_default_timeout(PATIENCE)
        return page


class Pages(dict[str, Path]):
    """Pages in files, by their names, each of them made when it is first looked at."""

    def __init__(self, folder: Path, made: dict[str, Callable[[], str]], before: str = ""):
        super().__init__()
        self._folder, self._made, self._before = folder, made, before

    def __missing__(self, name: str) -> Path:
        self[name] = self._folder / f"{self._before}{name}.html"
        self[name].write_text(self._made[name](), encoding="utf-8")
        return self[name]


def picture(page, path, **more) -> None:
    """Draw a page into a file, if somebody wants to look at it."""
    if SHOTS is not None:
        page.screenshot(path=path, **more)

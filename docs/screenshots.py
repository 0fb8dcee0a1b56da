"""Take a picture of every view of the page into docs/images, as a newcomer sees it: examples, default settings.

    python docs/screenshots.py

It starts the page by itself and needs Chromium and playwright, as the tests of pages do. Look at the pictures before committing
them; together they stay below 1.5 MB.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent / "images"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WIDE, PHONE = (1200, 900), (390, 844)
LARGEST = 1_500_000
PATIENCE = 120_000


def opened(title: str, *, until: str, scroll: str = "") -> Callable[[Page], None]:
    """A way to an example: what its title begins with, what has to be there, and where to scroll."""

    def follow(page: Page) -> None:
        page.get_by_role("button", name=f"Try the example: {title}").click()
        page.locator(until).first.wait_for()
        if scroll:
            page.locator(scroll).first.evaluate("(part) => part.scrollIntoView()")

    return follow


def dropped(page: Page) -> None:
    """The start with a file on it."""
    page.get_by_text("Paste numbers or text instead").click()
    page.get_by_label("Name of the system").fill("results.csv")
    rows = (f"q{i},{(i * 7) % 10 / 10},{(i * 3) % 10 / 10}" for i in range(40))
    page.get_by_label("Contents: one line per item").fill("\n".join(["question_id,new,old", *rows]))
    page.get_by_role("button", name="Use this text").click()
    # Which parts there are is asked of the server, and may come after the card.
    page.get_by_label("Part of column new").locator("option", has_text="clusters").wait_for(state="attached")
    page.get_by_text("Paste numbers or text instead").click()
    page.evaluate("() => scrollTo(0, 0)")


def planned(page: Page) -> None:
    """The calculator with its first answer."""
    page.get_by_role("link", name="Plan", exact=True).click()
    page.locator("#result figure").first.wait_for()


def looked_up(page: Page) -> None:
    """The list of methods."""
    page.get_by_role("link", name="Methods").click()
    page.locator("math").first.wait_for()


VIEWS: dict[str, tuple[Callable[[Page], None], tuple[int, int], Literal["light", "dark"]]] = {
    "start": (dropped, WIDE, "light"),
    "compare": (opened("Turns of one", until="#shown-data figure"), WIDE, "light"),
    "compare-test": (opened("A lead", until="#shown-data figure", scroll="#step-test"), WIDE, "light"),
    "compare-power": (opened("A lead", until="#shown-power figure", scroll="#step-power"), WIDE, "light"),
    "texts": (opened("Metrics that", until="#result table"), WIDE, "light"),
    "rank": (opened("Twelve", until="svg.heat", scroll="#pairs"), WIDE, "light"),
    "diff": (opened("What a better", until=".matrix .cell", scroll="#h-explorer"), WIDE, "light"),
    "plan": (planned, WIDE, "light"),
    "methods": (looked_up, WIDE, "light"),
    "dark": (opened("What a better", until=".matrix .cell"), WIDE, "dark"),
    "phone": (opened("Turns of one", until="#shown-data figure"), PHONE, "light"),
}


@contextmanager
def served() -> Iterator[str]:
    """The address of a page of our own."""
    command = [sys.executable, "-m", "outscore", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split(" at ")[1].split(" ")[0]
        process.terminate()


def take(browser: Browser, address: str, name: str) -> Path:
    """One picture."""
    follow, (width, height), scheme = VIEWS[name]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.locator(".offer").first.wait_for()
    follow(page)
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, animations="disabled")
    context.close()
    return path


def main() -> None:
    """Take all of them, or those that are named."""
    from playwright.sync_api import sync_playwright

    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        sys.exit(f"Install one of {', '.join(BROWSERS)} first.")
    IMAGES.mkdir(exist_ok=True)
    with served() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for name in sys.argv[1:] or VIEWS:
            print(take(browser, address, name))
        browser.close()
    size = sum(path.stat().st_size for path in IMAGES.glob("*.png"))
    print(f"{size:,} bytes")
    if size > LARGEST:
        sys.exit("The pictures are too large together.")


if __name__ == "__main__":
    main()

"""Take a picture of every view of the page into docs/images, as a newcomer sees it: examples, default settings.

    python docs/screenshots.py [NAME ...]

It starts the page by itself and needs Chromium and playwright, as the tests of pages do. Pictures of the gallery are taken of
every view in the light and in the dark, and of the main views on a phone; guides/gallery.md shows them. Look at the pictures
before committing them; together they stay below 3 MB, because each has 256 colours at most.
"""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent / "images"
GALLERY = "gallery"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WIDE, TALL, PHONE = (1280, 860), (1200, 900), (390, 844)
LARGEST = 3_000_000
PATIENCE = 120_000
COLOURS, FREQUENT = 256, 128
Scheme = Literal["light", "dark"]
Follow = Callable[["Page"], None]
# The pixels of a picture, read by the browser, which knows the format.
PIXELS = """async (source) => {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height), pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const { data } = pen.getImageData(0, 0, picture.width, picture.height);
  let text = "";
  for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
  return [picture.width, picture.height, btoa(text)];
}"""


@dataclass(frozen=True)
class View:
    """A picture: the way to what it shows, the size of the screen, and the colours."""

    follow: Follow
    size: tuple[int, int] = TALL
    scheme: Scheme = "light"


def opened(title: str, *, until: str, scroll: str = "") -> Follow:
    """A way to an example: what its title begins with, what has to be there, and where to scroll."""

    def follow(page: Page) -> None:
        page.get_by_role("button", name=f"Try the example: {title}").click()
        page.locator(until).first.wait_for()
        settle(page)
        if scroll:
            # What is folded away is opened, as by who looks for it.
            for every in page.locator("#open-all").all():
                every.click()
            # The bar with the verdict, or with the steps, stays on top.
            page.locator(scroll).first.evaluate("(part) => { part.scrollIntoView(); scrollBy(0, -70); }")

    return follow


def settle(page: Page) -> None:
    """Wait until nothing is under way any more."""
    page.wait_for_function("() => !document.querySelector('[aria-busy=true], .early')")


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


def logged(page: Page) -> None:
    """What two logs hold: the same questions to two models, as lm-evaluation-harness writes them."""

    def line(model: str, i: int) -> str:
        right = (i * 7) % 10 > (2 if model == "amber" else 4)
        return (
            f'{{"doc_id": {i}, "doc": {{"question": "q{i}"}}, "target": "4", "resps": [["4"]], "filtered_resps": ["4"], '
            f'"filter": "none", "metrics": ["acc"], "acc": {float(right)}}}'
        )

    summary = '{{"results": {{"sums": {{"acc,none": 0.6}}}}, "n-shot": {{"sums": 0}}, "model_name": "{0}", "config": {{}}}}'
    files = []
    for model in ("amber", "birch"):
        files.append((f"{model}/results_2026-01-01T00-00-00.000000.json", summary.format(model)))
        files.append((f"{model}/samples_sums_2026-01-01T00-00-00.000000.jsonl", "\n".join(line(model, i) for i in range(60))))
    send = """async (files) => {
      const form = new FormData();
      for (const [name, text] of files) form.append("file", new File([text], name), name);
      const { askJson } = await import("/static/api.js");
      const sent = await askJson("POST", "/api/files", form);
      return sent.files.filter((file) => !file.companion).map((file) => file.id).join(",");
    }"""
    ids = page.evaluate(send, [list(file) for file in files])
    page.goto(f"{page.url.partition('?')[0]}show?files={ids}")
    page.locator("#result table").first.wait_for()
    settle(page)


def planned(page: Page) -> None:
    """The calculator with its first answer."""
    page.get_by_role("link", name="Plan", exact=True).click()
    page.locator("#result figure").first.wait_for()
    settle(page)


SHOWN: dict[str, Follow] = {
    "compare": opened("A lead", until="#picture figure"),
    "rank": opened("Twelve", until="svg.heat", scroll="#pairs"),
    "diff": opened("What a better", until=".matrix .cell"),
    "text": opened("Metrics that", until="#result table"),
    "score": opened("How sure", until="#result figure"),
    "gate": opened("May the new", until="#result figure"),
    "prefer": opened("Battles of five", until="#result figure"),
    "plan": planned,
    "logs": logged,
}
"""Every view of the gallery."""
ON_PHONES = ("compare", "rank", "diff", "plan")
PLAIN = {
    "start": View(dropped),
    "compare": View(SHOWN["compare"]),
    "compare-test": View(opened("A lead", until="#picture figure", scroll="#step-test")),
}
"""Pictures that other pages show."""
VIEWS: dict[str, View] = {
    **PLAIN,
    **{
        f"{GALLERY}/{name}-{scheme}": View(follow, WIDE, scheme)
        for name, follow in SHOWN.items()
        for scheme in ("light", "dark")
    },
    **{f"{GALLERY}/{name}-phone": View(SHOWN[name], PHONE) for name in ON_PHONES},
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
    view = VIEWS[name]
    width, height = view.size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=view.scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.locator(".offer").first.wait_for()
    view.follow(page)
    picture = page.screenshot(animations="disabled")
    path = IMAGES / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    # The page allows no picture that is no file of its own, an empty one does.
    page.goto("about:blank")
    size_and_pixels = page.evaluate(PIXELS, f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    context.close()
    path.write_bytes(small_png(*size_and_pixels))
    return path


def small_png(width: int, height: int, encoded: str) -> bytes:
    """A picture with a palette: its most frequent colours and others unlike them; the rest become the nearest of these."""
    pixels = np.frombuffer(base64.b64decode(encoded), np.uint8).reshape(-1, 4)[:, :3]
    colours, which, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    kept = colours[order[:FREQUENT]].astype(int)
    # Letters have many shades of few colours; a small mark in another colour must not become one of them.
    away = np.array([((kept - colour) ** 2).sum(1).min() for colour in colours.astype(int)])
    while len(kept) < min(COLOURS, len(colours)):
        farthest = int(np.argmax(away * np.log2(1 + counts)))
        kept = np.vstack([kept, colours[farthest].astype(int)])
        away = np.minimum(away, ((colours.astype(int) - kept[-1]) ** 2).sum(1))
    nearest = np.array([np.argmin(((kept - colour) ** 2).sum(1)) for colour in colours.astype(int)], np.uint8)
    rows = nearest[which.ravel()].reshape(height, width)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = [(b"IHDR", head), (b"PLTE", kept.astype(np.uint8).tobytes()), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, content) for kind, content in parts)


def main() -> None:
    """Take all of them, or those that are named."""
    from playwright.sync_api import sync_playwright

    executable = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if executable is None:
        sys.exit(f"Install one of {', '.join(BROWSERS)} first.")
    with served() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        for name in sys.argv[1:] or VIEWS:
            print(take(browser, address, name))
        browser.close()
    size = sum(path.stat().st_size for path in IMAGES.rglob("*.png"))
    print(f"{size:,} bytes")
    if size > LARGEST:
        sys.exit("The pictures are too large together.")


if __name__ == "__main__":
    main()

"""Open the built site from the file system, without a network, and search it as a reader would.

    python docs/try_site.py build/site

Needs playwright and the machine's own Chromium, and says so where it has to do without.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from screenshots import BROWSERS

SEARCHES = {
    "clusters": "clusters",
    "permutation_test": "permutation_test",
}
"""What is searched for, and a word that the results must show."""


def main(site: Path) -> int:
    """Search, and fail where nothing is found or something is fetched."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("The search was not tried: it takes playwright and Chromium.")
        return 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        requested: list[str] = []
        page.on("request", lambda request: requested.append(request.url))
        for place in ("index.html", "reference/python.html"):
            page.goto((site / place).resolve().as_uri())
            for words, expected in SEARCHES.items():
                field = page.locator("input.md-search__input")
                field.fill("")
                field.press_sequentially(words)
                page.locator(".md-search-result__item", has_text=expected).first.wait_for(timeout=10_000)
        browser.close()
    if fetched := [url for url in requested if not url.startswith(("file:", "data:", "blob:", "about:"))]:
        print(f"The site fetches {fetched[0]}.")
        return 1
    print(f"The site was searched from the file system; {len(requested)} files were read, none of them elsewhere.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

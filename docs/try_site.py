"""Open the built site from the file system, without a network, and search it as a reader would.

    python docs/try_site.py build/site

Needs playwright and the machine's own Chromium, and says so where it has to do without.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from screenshots import BROWSERS

SEARCHES = {
    "how many items do I need": "guides/plan.html",
    "sample size": "guides/plan.html",
    "power": "ideas/power.html",
    "is the difference significant": "faq.html",
    "which test should I use": "reference/tests.html",
    "what is mid-p": "ideas/ties.html",
    "fragility": "faq.html",
    "several seeds": "guides/runs.html",
    "LLM judge": "guides/prefer.html",
    "chatbot arena": "guides/prefer.html",
    "missing scores": "faq.html",
    "jupyter": "guides/python.html",
    "pandas": "guides/python.html",
    "windows": "start/install.html",
    "docker": "start/install.html",
    "install": "start/install.html",
    "github action": "guides/gate.html",
    "pull request": "guides/gate.html",
    "stop early": "guides/early.html",
    "clusters": "ideas/clusters.html",
    "independent items": "ideas/clusters.html",
    "ties": "ideas/ties.html",
    "nDCG": "faq.html",
    "bonferroni": "reference/tests.html",
    "leaderboard": "guides/many.html",
    "unpaired": "guides/unpaired.html",
    "confidence interval": "guides/score.html",
    "pass@k": "recipes/pass-at-k.html",
    "inspect logs": "recipes/inspect.html",
    "permutation_test": "reference/python.html",
    "is 2 points better than noise": "faq.html",
    "how to read p value": "ideas/p.html",
    "regression test for prompts": "guides/gate.html",
    "A/B test chatbot": "guides/unpaired.html",
    "human evaluation agreement": "recipes/people.html",
    "sacrebleu significance": "guides/text.html",
    "export latex table": "guides/compare.html",
    "small test set": "faq.html",
    "effect size": "guides/report.html",
    "elo rating confidence": "guides/prefer.html",
    "equivalence test": "guides/compare.html",
    "non-inferiority": "guides/compare.html",
    "privacy offline": "start/install.html",
    "error bars": "guides/score.html",
    "cost vs accuracy": "recipes/budget.html",
}
"""What people type, and the page that has to be among the first results."""
FAQ = Path(__file__).resolve().parent / "faq.md"
"""Each of its questions, typed as it stands there, has to find it or a page that its answer leads to."""
FIRST = 4
"""So many results are looked at."""
FOUND = """([pages, most]) => [...document.querySelectorAll(".md-search-result__item > a")].slice(0, most)
    .some(link => pages.some(page => link.getAttribute("href").includes(page)))"""


def searches() -> list[tuple[str, list[str]]]:
    """What is typed, and the pages of which one has to be found."""
    answers = re.findall(r"^## (.+)\n([^#]*(?:#[^#]*)*?)(?=^## |\Z)", FAQ.read_text(encoding="utf-8"), re.MULTILINE)
    linked = {question: re.findall(r"\]\(([^)#]+)\.md", answer) for question, answer in answers}
    return [
        *((words, [page]) for words, page in SEARCHES.items()),
        *((question.rstrip("?"), ["faq.html", *(f"{page}.html" for page in pages)]) for question, pages in linked.items()),
    ]


def main(site: Path) -> int:
    """Search, and fail where nothing is found or something is fetched."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import TimeoutError, sync_playwright  # noqa: A004 - it is that one here
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
        lost = []
        page.goto((site / "index.html").resolve().as_uri())
        for words, expected in searches():
            field = page.locator("input.md-search__input")
            field.fill("")
            field.press_sequentially(words)
            try:
                page.wait_for_function(FOUND, arg=[expected, FIRST], timeout=10_000)
            except TimeoutError:
                links = page.locator(".md-search-result__item > a").all()[:FIRST]
                lost.append(f"{words!r}: {expected[0]} is not among {[link.get_attribute('href') for link in links]}")
        browser.close()
    for sentence in lost:
        print(sentence)
    if lost:
        return 1
    if fetched := [url for url in requested if not url.startswith(("file:", "data:", "blob:", "about:"))]:
        print(f"The site fetches {fetched[0]}.")
        return 1
    print(f"The site was searched from the file system, for {len(searches())} questions;", end=" ")
    print(f"{len(requested)} files were read, none of them elsewhere.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

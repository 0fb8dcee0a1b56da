"""The report of texts in a real browser: segments are text whatever they hold, marks are seen, a phone shows it all."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.screens import picture
from tests.browser.test_report_page import VIEWS, opened
from tests.report.forms import render_html
from tests.variants import a_few

from outscore import compare_texts
from outscore.metrics.cache import StatisticsCache
from outscore.workflows.texts.labels import length_bands

pytest.importorskip("sacrebleu")

HOSTILE = "<script>document.title='x'</script> <img src=x onerror=\"document.title='y'\"> & \"quoted\" </main>"
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen" * 3
REFERENCE = [
    *(f"the {colour} cat number {i} sat on the old mat and slept" for i, colour in enumerate(["red", "blue", "green"] * 8)),
    f"he wrote {HOSTILE} on the wall",
    f"nobody says {LONG} any more",
    "我们明天去北京。",
]


def outputs() -> tuple[list[str], list[str]]:
    """Two systems: the second cuts lines short, and neither gets the hard segments right."""
    first = [line.replace("slept", "dreamt").replace("nobody", "noone") for line in REFERENCE]
    second = [" ".join(line.replace("old", "odd" if i % 3 else "old").split()[: -1 - i % 4]) for i, line in enumerate(first)]
    return first, [*second[:-3], f"she wrote {HOSTILE}", f"{LONG} somebody says", ""]


@pytest.fixture(scope="module")
def page_file(folder) -> Path:
    """The page in a file."""
    found = compare_texts(
        *outputs(),
        REFERENCE,
        metrics=["bleu", "chrf", "ter"],
        buckets={"reference length": length_bands(REFERENCE)},
        names=("new <b>bold</b>", "old"),
        options={"resamples": 499},
        cache=StatisticsCache(None),
    )
    (folder / "texts.html").write_text(render_html(found), encoding="utf-8")
    return folder / "texts.html"


def segments_of(page):
    """The first listing of segments, unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    return page.locator(".segments").first


@pytest.mark.parametrize("view", a_few(VIEWS, 2))
def test_quiet_alone_and_no_wider_than_the_screen(browser, page_file, view):
    with opened(browser, page_file, **VIEWS[view]) as (page, said, asked):
        segments_of(page)
        picture(page, page_file.with_name(f"texts-{view}.png"), full_page=True)
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [page_file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_hostile_segments_are_text(browser, page_file):
    with opened(browser, page_file) as (page, *_):
        listing = segments_of(page)
        assert page.locator("img[src=x], b, .segments script").count() == 0
        assert page.locator("script").count() == 1
        assert page.title() not in ("x", "y")
        assert "<script>document.title='x'</script>" in listing.inner_text()
        assert "new <b>bold</b>" in listing.inner_text()


def test_marked_words_are_seen_in_the_light_and_in_the_dark(browser, page_file):
    """A mark has a line under it in its system's colour, not colour of the ground alone."""
    for view in ("light", "dark"):
        with opened(browser, page_file, **VIEWS[view]) as (page, *_):
            marks = segments_of(page).locator("mark")
            assert "dreamt" in marks.all_inner_texts()
            assert marks.first.is_visible()
            width, line, ground = page.evaluate(
                "mark => { const { borderBottomWidth, borderBottomColor } = getComputedStyle(mark);"
                " return [borderBottomWidth, borderBottomColor, getComputedStyle(document.body).backgroundColor]; }",
                marks.first.element_handle(),
            )
            assert width == "2px"
            assert line != ground


def test_every_metric_has_its_part_under_one_answer(browser, page_file):
    with opened(browser, page_file) as (page, *_):
        assert page.locator("h1").count() == 1
        said = page.locator("body").inner_text()
        assert said.count("Single runs:") == 1
        assert all(f"Segments that moved {metric} most" in said for metric in ("BLEU", "chrF", "TER"))

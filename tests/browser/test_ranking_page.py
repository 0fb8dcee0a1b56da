"""The page of a ranking in a real browser: quiet, alone, readable in the light, in the dark and on a phone."""

from __future__ import annotations

import pytest
from tests.browser.screens import Pages, picture
from tests.browser.test_report_page import VIEWS, opened
from tests.report.forms import render_html
from tests.report.ranking_making import HOSTILE, MADE
from tests.report.test_ranking_html import tiered
from tests.variants import a_few

from outscore.report.document import clean


@pytest.fixture(scope="module")
def pages(folder) -> Pages:
    made = MADE | {"sixteen": lambda: tiered(MADE["sixteen"](), [1, 1, *[2] * 14])}
    return Pages(folder, {name: lambda make=make: render_html(make()) for name, make in made.items()}, "ranking-")


@pytest.mark.parametrize(
    ("name", "view"),
    a_few(
        [
            *(("sixteen", view) for view in VIEWS),
            ("ninety-three", "light"),
            ("ninety-three", "phone"),
            ("two-hundred", "phone"),
            ("datasets", "phone-dark"),
            ("baseline", "phone"),
            ("two", "light"),
            ("odd", "light"),
            ("odd", "phone"),
        ],
        2,
    ),
)
def test_quiet_alone_and_no_wider_than_the_screen(browser, pages, name, view):
    with opened(browser, pages[name], **VIEWS[view]) as (page, said, asked):
        picture(page, pages[name].with_name(f"ranking-{name}-{view}.png"), full_page=True)
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [pages[name].as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_cell_leads_to_its_pair(browser, pages):
    with opened(browser, pages["sixteen"]) as (page, *_):
        row = page.locator("#pair-7")
        assert not row.is_visible()
        link = page.locator('.heat a[href="#pair-7"]')
        title = link.locator("title").text_content()
        link.locator("path").first.click()
        # The browser opens the list that the row is in.
        row.wait_for(state="visible")
        first, second = row.locator("th, td").all_inner_texts()[:2]
        assert first in title
        assert second in title


def test_a_heat_map_fits_a_wide_screen_and_scrolls_on_a_phone(browser, pages):
    for view, fits in (("light", True), ("phone", False)):
        with opened(browser, pages["ninety-three"], **VIEWS[view]) as (page, *_):
            inner, outer = page.evaluate(
                "(() => { const s = document.querySelector('.heat-map .scroll'); return [s.scrollWidth, s.clientWidth]; })()"
            )
            assert (inner <= outer) == fits


def test_cells_are_dark_in_the_dark(browser, pages):
    grounds = {}
    for view in ("light", "dark"):
        with opened(browser, pages["sixteen"], **VIEWS[view]) as (page, *_):
            colour = page.evaluate("getComputedStyle(document.querySelector('.heat .open')).fill")
            grounds[view] = sum(int(x) for x in colour.removeprefix("rgb(").removesuffix(")").split(","))
    assert grounds["light"] > 600
    assert grounds["dark"] < 200


def test_tables_of_a_saved_report_are_sorted_and_searched(browser, pages):
    with opened(browser, pages["sixteen"]) as (page, *_):
        table = page.locator(".ranked").first
        column = [cell.strip() for cell in table.locator("thead th").all_inner_texts()].index("system")
        rows, names = table.locator("tbody tr"), table.locator("tbody th")
        before, given = rows.all_inner_texts(), names.all_inner_texts()
        head = table.locator("thead th").nth(column)
        for order in (sorted(given, key=str.lower), sorted(given, key=str.lower, reverse=True)):
            head.get_by_role("button").click()
            assert names.all_inner_texts() == order
            # Lines of tiers are part of the order they came in.
            assert rows.count() == len(given) == len(before) - 2
        head.get_by_role("button").click()
        assert rows.all_inner_texts() == before
        page.get_by_label("Find rows").first.fill(given[3])
        assert 0 < table.locator("tbody tr:visible").count() < len(given)


def test_hostile_names_are_text(browser, pages):
    with opened(browser, pages["odd"]) as (page, *_):
        assert page.locator("script").count() == 1
        assert page.title() == "5 systems by accuracy"
        assert clean(HOSTILE) in page.locator("h1").inner_text()
        assert page.locator(".ranked tbody th").first.inner_text() == clean(HOSTILE)


def test_bars_are_seen_without_scrolling_on_a_wide_screen(browser, pages):
    for name in ("sixteen", "baseline", "ninety-three"):
        with opened(browser, pages[name], **VIEWS["light"]) as (page, *_):
            outside = page.evaluate(
                "[...document.querySelectorAll('.bar div > *')].filter(mark => mark.getBoundingClientRect().right >"
                "mark.closest('.scroll').getBoundingClientRect().right + 1).length"
            )
            assert outside == 0

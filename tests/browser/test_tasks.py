"""Five tasks as a new user does them, from the start page on, with every click counted; choosing files counts as one."""

from __future__ import annotations

import re

import pytest
from tests.browser.web_server import choose, expect, quiet, there, visited

NEW = "".join(f"q{i},{i % 5 != 0:d}\n" for i in range(60))
OLD = "".join(f"q{i},{i % 2:d}\n" for i in range(60))
BOARD = "id,ash,birch,cedar\n" + "".join(f"q{i},{i % 5 != 0:d},{i % 3 != 0:d},{i % 2:d}\n" for i in range(60))
REPEATED = "id,new,old\n" + "".join(f"s{i % 20},{i * 37 % 101},{i * 53 % 97}\n" for i in range(40))


class Clicks:
    """Clicks on a page, counted where they are made."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def choose(self, *files):
        choose(self.page, *files)
        self.count += 1

    def on(self, part):
        there(part)
        part.click()
        self.count += 1


@pytest.fixture
def start(browser, server):
    with visited(browser, server) as page:
        yield Clicks(page)


def compare(start, *files):
    """From files to the view that compares them."""
    start.choose(*files)
    start.on(start.page.locator("#ways").get_by_role("button", name="Compare").first)


def test_a_refusal_is_cured_by_one_click_after_it(start):
    compare(start, ("repeated.csv", REPEATED))
    there(start.page.locator("#banner .problem"))
    refused = start.count
    start.on(start.page.locator("#banner").get_by_role("button", name="Repeated ids: their mean"))
    there(start.page.locator("#answer .verdict"))
    assert (refused, start.count) == (2, 3)


def test_a_ranking_leads_to_a_pair_and_its_items_in_one_click(start):
    start.choose(("board.csv", BOARD))
    start.on(start.page.locator("#ways").get_by_role("button", name=re.compile("^Rank")).first)
    ranked = start.count
    start.on(start.page.locator("#result svg.heat .cells .leads").first)
    drawer = start.page.locator("dialog.drawer")
    expect(drawer.locator(".drawer-item h3")).to_have_text("q0")
    expect(drawer).to_contain_text("adjusted for all pairs")
    assert (ranked, start.count) == (2, 3)


def test_a_setting_is_changed_and_undone_in_two_clicks(start):
    compare(start, ("new.csv", f"id,score\n{NEW}"), ("old.csv", f"id,score\n{OLD}"))
    why = start.page.locator("#answer .why")
    there(why)
    before = start.count
    start.page.get_by_label("Test", exact=True).select_option("sign")
    start.count += 1
    expect(why).to_contain_text("sign test")
    start.on(start.page.get_by_role("button", name="Undo"))
    expect(why).to_contain_text("permutation test")
    assert start.count - before == 2


def test_two_files_to_a_verdict_take_two_clicks_and_to_a_file_of_it_one_more(start):
    compare(start, ("new.csv", f"id,score\n{NEW}"), ("old.csv", f"id,score\n{OLD}"))
    expect(start.page.locator("#answer .verdict h1, #answer .verdict h2").first).to_contain_text("outscored")
    there(start.page.locator("#steps"))
    assert start.count == 2
    link = (
        start.page.get_by_role("link", name="HTML", exact=True)
        .or_(start.page.get_by_role("button", name="HTML", exact=True))
        .first
    )
    there(link)
    quiet(start.page)
    with start.page.expect_download() as download:
        start.on(link)
    assert download.value.suggested_filename.endswith(".html")
    assert start.count == 3

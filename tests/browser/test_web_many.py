"""From many to one on the page: a pair of a ranking, a slice of a comparison, a row of a table."""

from __future__ import annotations

import re

import pytest
from tests.browser.web_server import bring, brought, expect, sent, start, there, visited

SYSTEMS = ("ash", "birch", "cedar", "dogwood")


def marks(k: int) -> list[int]:
    return [int((i * (7 + 3 * k)) % 11 > 2 * k) for i in range(80)]


BOARD = "\n".join(
    [
        ",".join(["item", "topic", *SYSTEMS]),
        *(f"i{i},{'xyz'[i % 3]},{','.join(map(str, row))}" for i, row in enumerate(zip(*map(marks, range(4)), strict=True))),
    ]
)


def test_from_the_heat_map_to_a_pair_its_items_and_its_comparison(browser, server):
    with brought(browser, server, "rank", board_csv=BOARD) as page:
        there(page.locator("svg.heat"))
        expect(page.locator(".heat-map .on-screen")).to_contain_text("choose it to see the items of the two")
        # What the list of pairs says of one is what its cell leads to, and settings come along.
        page.get_by_label("Level").fill("0.01")
        listed, cell = page.locator("#pair-1 a"), page.locator("svg.heat .cells > .leads").first
        expect(listed).to_have_attribute("href", re.compile("alpha=0.01"))
        assert listed.get_attribute("href") == cell.get_attribute("href")
        pair = re.findall(r"system=(\w+)", listed.get_attribute("href"))
        # One click is enough, although it ends the visit to a field, whose help goes with it.
        cell.locator("path").first.click()
        drawer = page.locator("dialog.drawer")
        expect(drawer).to_contain_text("adjusted for all pairs")
        expect(drawer.locator("h3")).not_to_be_empty()
        drawer.get_by_role("button", name="Next").click()
        expect(drawer).to_contain_text("2 of ")
        drawer.get_by_role("link", name="Compare the two in detail").click()
        there(page.locator("#shown-test .numbers"))
        assert "/compare?" in page.url
        assert page.locator("#shown-test .numbers dt").all_inner_texts()[:2] == pair
        assert "2 of the 4 systems" in page.locator("#answer .warnings").inner_text().replace("two", "2")


@pytest.mark.slow
def test_a_cell_of_a_ranking_of_texts_opens_their_comparison(browser, server):
    pytest.importorskip("sacrebleu")
    lines = [f"the {colour} cat {i} sat on the old mat and slept" for i, colour in enumerate(["red", "blue", "green"] * 5)]
    words = {"ash": "slept", "birch": "dreamt", "cedar": "was very tired"}
    texts = {f"{name}_txt": "\n".join(line.replace("slept", word) for line in lines) for name, word in words.items()}
    with visited(browser, server) as page:
        bring(page, **texts, reference_txt="\n".join(lines))
        start(page, "Rank all systems")
        there(page.locator("svg.heat"))
        expect(page.locator(".heat-map .on-screen")).to_contain_text("choose it to compare the two in detail")
        page.locator("svg.heat .cells > .leads path").first.click()
        page.wait_for_url("**/texts?**reference=**")
        there(page.locator("#result table").first)


@pytest.mark.slow
def test_a_pair_of_files_is_found_by_the_names_of_systems(browser, server):
    files = {f"{name}_txt": "".join(f"{x}\n" for x in marks(k)) for k, name in enumerate(SYSTEMS[:3])}
    with brought(browser, server, "rank", **files) as page:
        address = page.locator("#pair-1 a").get_attribute("href")
        assert "system=" not in address
        page.evaluate("() => scrollTo(0, 700)")
        page.goto(server + address)
        there(page.locator("#shown-test .numbers"))
        # Back is where one was, although the page gets its length only with its answer.
        page.go_back()
        there(page.locator(".ranked").first)
        page.wait_for_function("() => scrollY === 700")
        page.go_forward()
        there(page.locator("#shown-test .numbers"))
        assert set(page.locator("#shown-test .numbers dt").all_inner_texts()[:2]) < set(SYSTEMS)


@pytest.mark.slow
def test_tables_are_sorted_and_searched(browser, server):
    with brought(browser, server, "rank", board_csv=BOARD) as page:
        table = page.locator(".ranked").first
        there(table)
        column = [cell.strip() for cell in table.locator("thead th").all_inner_texts()].index("system")
        rows, names = table.locator("tbody tr"), table.locator("tbody th")
        given, before = names.all_inner_texts(), rows.all_inner_texts()
        assert sorted(given) == sorted(SYSTEMS)
        assert [row.split(":")[0] for row in before if row.startswith("Tier")] == ["Tier 1", "Tier 2", "Tier 3"]
        head = table.locator("thead th").nth(column)
        for order, expected in (("ascending", sorted(given)), ("descending", sorted(given)[::-1])):
            head.get_by_role("button").click()
            expect(head).to_have_attribute("aria-sort", order)
            assert names.all_inner_texts() == expected
            # All of them together: tiers are part of the order they came in.
            assert rows.count() == len(given)
        head.get_by_role("button").click()
        assert rows.all_inner_texts() == before


@pytest.mark.slow
def test_a_slice_stands_below_the_answer_and_opens(browser, server):
    with brought(browser, server, "compare", settings="&slice=topic", board_csv=BOARD) as page:
        there(page.locator("#answer table"))
        rows = page.locator("#answer tbody tr")
        assert rows.count() == 4
        assert not page.locator("#c3").is_visible()
        rows.nth(2).get_by_role("rowheader").get_by_role("link").click()
        expect(page.locator("#c3")).to_be_visible()
        assert "topic = y" in rows.nth(2).inner_text().replace("\u00a0", " ")


@pytest.mark.slow
def test_a_change_shows_what_the_verdict_was(browser, server):
    with brought(browser, server, "compare", board_csv=BOARD) as page:
        line = page.locator("#step-verdict")
        expect(line).to_have_text(re.compile(r"^ash outscored birch · p\s=\s.* · .*, 95%\sCI \d.* to \d"))
        before = line.inner_text()
        # The headline is beside the settings, so the line is there for who goes on to the steps.
        page.get_by_label("Question").select_option("greater")
        expect(page.locator("#answer .why")).to_contain_text("upwards")
        expect(line).to_be_hidden()
        page.locator("#shown-effect").scroll_into_view_if_needed()
        # Old and new stand part by part, all of it to be seen, and the steps beside it.
        there(line.locator("s").first)
        told = line.locator("s").all_inner_texts()
        assert told == before.split(" · ")[1:]
        expect(line.locator(".renewed")).to_have_count(len(told))
        assert line.evaluate("(bar) => bar.scrollWidth <= bar.clientWidth")
        assert page.locator("#step-list").evaluate("(list) => list.scrollWidth <= list.clientWidth")
        page.get_by_role("link", name="Rank").click()
        there(page.locator(".ranked").first)
        floating = page.locator("#verdict-line")
        expect(floating).to_be_hidden()
        page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
        expect(floating).to_have_text(re.compile(re.escape(page.locator("#result h1").inner_text()) + r" · .+ pairs differ"))
        expect(floating).to_be_visible()
        # Above a headline that lies below the window it stands at the end of the window.
        page.evaluate("() => { document.querySelector('#files').style.marginBottom = '200vh'; scrollTo(0, 0); }")
        expect(floating).to_have_class(re.compile("below"))
        assert page.get_by_role("link", name="Rank").click(trial=True) is None


@pytest.mark.slow
def test_the_verdict_of_a_ranking_is_there_before_its_charts(browser, server):
    with visited(browser, server, None) as page:
        held = []
        page.route("**/download.html", lambda route: held.append(route))  # noqa: PLW0108 - playwright takes no built-in
        page.goto(server + sent(server, "rank", board_csv=BOARD.replace("ash", "alder")))
        early = page.locator("#result > .early h1")
        there(early)
        said = early.inner_text()
        assert page.locator("svg.heat").count() == 0
        held[0].continue_()
        there(page.locator("svg.heat"))
        assert page.locator(".early").count() == 0
        assert page.locator("#result h1").inner_text() == said

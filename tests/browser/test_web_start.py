"""The start of the page in a real browser: files in by every door, shown as what they are, and a way on."""

from __future__ import annotations

import re

import pytest
from tests.browser.web_server import PHONE, bring, choose, expect, no_wider_than_the_screen, start, there, visited

HOSTILE = "<img src=x onerror=alert(1)>.csv"
TABLE = "talk,item,new,old\n" + "".join(f"t{i // 4},{i},{(i * 7) % 3 % 2},{(i * 5) % 3 % 2}\n" for i in range(24))


def drop(page, *files):
    """Drop files on the page as a mouse does."""
    page.evaluate(
        """(files) => {
          const data = new DataTransfer();
          for (const [name, text] of files) data.items.add(new File([text], name));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        [list(file) for file in files],
    )


@pytest.mark.slow
def test_a_dropped_sample_gives_the_numbers_of_the_published_screen(browser, server, shared_data):
    """Zhu et al. (2020), figure 2: means, medians, spreads, ends, skewness, normality and the statistic to use."""
    sample = shared_data / "nlpstattest" / "data-file.txt"
    if not sample.is_file():
        pytest.skip("the sample of NLPStatTest is not here")
    with visited(browser, server) as page:
        drop(page, ("data-file.txt", sample.read_text()))
        card = page.get_by_role("article", name="data-file.txt")
        there(card)
        assert "2,001 rows" in card.inner_text()
        assert "0.262025" in card.inner_text()
        start(page, "Compare two systems")
        there(page.locator("#shown-data .summary"))
        rows = {
            cells[0]: cells[1:] for row in page.locator(".summary tbody tr").all() if (cells := row.inner_text().split("\t"))
        }
        assert rows["mean"] == ["0.2846", "0.2805", "0.0041"]
        assert rows["median"] == ["0.2555", "0.2491", "0.0007"]
        assert rows["standard deviation"] == ["0.1596", "0.1569", "0.1123"]
        assert rows["smallest"] == ["0.0221", "0.0122", "−0.8322"]
        assert rows["largest"] == ["1.0000", "1.0000", "0.5111"]
        checks = page.locator(".checks").inner_text()
        assert "−0.264" in checks
        assert "roughly symmetric" in checks
        assert "The differences are not normal" in checks
        assert re.search(r"suggested statistic\s+mean", checks)
        assert page.locator("#shown-data figure").count() == 3


def test_a_file_that_comes_before_the_page_is_ready_is_there_once(browser, server):
    with visited(browser, server) as page:
        held = []
        page.route("**/api/options/compare", lambda route: held.append(route))  # noqa: PLW0108 - the driver wants a function
        page.reload()
        bring(page, table_csv=TABLE)
        with page.expect_response("**/api/options/compare"):
            held[0].continue_()
        # Columns get their lists of parts when the fields are known, so the page has been drawn anew by then.
        there(page.get_by_role("combobox").first)
        assert page.get_by_role("article").count() == 1
        assert page.url.count("files=") == 1
        assert "%2C" not in page.url


def paste(page, name, text):
    page.get_by_label("Name of the system").fill(name)
    page.get_by_label("Contents: one line per item").fill(text)
    page.get_by_role("button", name="Use this text").click()
    there(page.get_by_role("article", name=name))


def test_pasted_scores_of_two_systems_are_compared(browser, server):
    with visited(browser, server) as page:
        page.get_by_text("Paste numbers or text instead").click()
        paste(page, "new.txt", "\n".join("1110111101"))
        assert "add the file of the other" in page.locator("#ways").inner_text()
        paste(page, "old.txt", "\n".join("0100101000"))
        start(page, "Compare two systems")
        there(page.locator("#steps"))
        assert page.locator("#shown-test .numbers dt").all_inner_texts()[:2] == ["new", "old"]


def test_a_problem_is_one_sentence_and_other_files_stay(browser, server):
    with visited(browser, server) as page:
        bring(page, good_txt="1 0\n0 1\n1 1\n", bad_txt="1 0\n0 x\n1 1\n0 0\n")
        problem = page.get_by_role("article", name="bad.txt").locator(".problem")
        assert re.search(r"line 2|Line 2", problem.inner_text())
        assert page.locator("#ways button").count() > 0
        page.get_by_role("article", name="bad.txt").get_by_role("button", name="Remove").click()
        assert page.locator(".card").count() == 1
        page.reload()
        there(page.get_by_role("article", name="good.txt"))


def test_names_are_text(browser, server):
    with visited(browser, server) as page:
        drop(page, (HOSTILE, TABLE.replace("new", "<b>new</b>")))
        there(page.locator(".card"))
        assert page.locator(".card h3").inner_text() == HOSTILE
        assert page.locator("img[src=x], .card b").count() == 0
        assert "<b>new</b>" in page.locator(".card").inner_text()
        start(page, "Compare two systems")
        there(page.locator("#steps"))
        assert "<b>new</b>" in page.locator("#answer").inner_text()
        assert page.locator("img[src=x], #answer b").count() == 0


@pytest.mark.slow
def test_the_part_of_a_column_is_chosen_by_name(browser, server):
    with visited(browser, server) as page:
        drop(page, ("turns.csv", TABLE))
        page.get_by_label("Part of column talk").select_option(label="clusters")
        start(page, "Compare two systems")
        there(page.locator("#steps"))
        assert "cluster=talk" in page.url
        assert "6 clusters" in page.locator("#shown-test .facts").inner_text().replace("\u00a0", " ")


def test_every_example_is_offered(browser, server):
    with visited(browser, server, **PHONE) as page:
        there(page.locator(".offer").first)
        assert page.locator(".offer").count() >= 6
        assert no_wider_than_the_screen(page)


MANY = [(f"system{i:03}.txt", "".join(f"{(i * 7 + k * k) % 5}\n" for k in range(10))) for i in range(120)]


@pytest.mark.slow
def test_no_way_on_is_offered_before_all_files_are_read(browser, server):
    with visited(browser, server) as page:
        there(page.locator(".offer").first)
        held = []

        def hold(route):
            held.append(route)
            if len(held) != 2:
                route.continue_()

        page.route("**/api/files", hold)
        # Whatever is offered, however early, is clicked at once.
        page.evaluate(
            """() => {
              window.clicked = [];
              const click = () => {
                const way = [...document.querySelectorAll("#ways button")].find((one) => one.checkVisibility());
                if (way && !clicked.length) { clicked.push(way.textContent); way.click(); }
              };
              new MutationObserver(click).observe(document.body, { subtree: true, childList: true, attributes: true });
            }"""
        )
        choose(page, *MANY)
        expect(page.locator("#zone .reading")).to_have_text("50 of 120 files read")
        while len(held) < 2:
            page.wait_for_timeout(20)
        assert page.evaluate("() => clicked") == []
        assert not page.locator("#next").is_visible()
        assert "files=" not in page.url
        # Who leaves now is asked first.
        assert page.evaluate("() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))")
        held[1].continue_()
        page.wait_for_url("**/rank?**")
        expect(page.locator("#file-names")).to_have_text("120 files")


def test_of_an_upload_that_breaks_off_nothing_is_taken(browser, server):
    with visited(browser, server, refused=507) as page:
        there(page.locator(".offer").first)
        bring(page, good_txt="1 0\n0 1\n1 1\n")
        sent = []

        def answer(route):
            sent.append(route)
            if len(sent) == 1:
                return route.continue_()
            return route.fulfill(status=507, json={"error": "The disk is full.", "hint": "Free some space.", "setting": None})

        page.route("**/api/files", answer)
        with page.expect_response(lambda response: response.request.method == "DELETE"):
            choose(page, *MANY)
        problem = page.locator("#problems .problem")
        expect(problem).to_have_text("The disk is full. Free some space. None of the 120 files was taken.")
        assert page.locator(".card").count() == 1
        assert page.locator("#next").is_visible()
        assert page.url.count(",") == 0
        assert page.locator("#zone .reading").count() == 0

"""Results stay in a real browser: named and kept, listed, exported, imported elsewhere, settings as YAML in and out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.browser.web_server import SCORES, bring, choose, expect, sent, start, there, visited

# Screens of their own have memories of their own.
MINE, OTHER = ({"viewport": {"width": width, "height": 900}} for width in (1270, 1260))
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def compared(browser, server):
    """A page with a comparison on it, whose browser has a memory of its own."""
    with visited(browser, server, sent(server, "compare", scores_txt=SCORES), **MINE) as page:
        there(page.locator("#shown-report .paste").first)
        yield page


def taken(page, link):
    with page.expect_download() as waiting:
        link.click()
    return waiting.value


@pytest.mark.slow
def test_a_result_is_named_kept_listed_exported_and_imported(compared, browser, server, tmp_path):
    page, headline = compared, compared.locator("#answer h1").inner_text()
    page.get_by_label("Name", exact=True).fill(HOSTILE)
    page.get_by_label("Keep beyond the hour").check()
    expect(page.locator("#status")).to_have_text("Kept until the server stops.")
    page.get_by_role("link", name="All results of this session").click()
    row = page.locator("#rows tr").first
    there(row)
    assert row.get_by_role("textbox", name="Name").input_value() == HOSTILE
    assert page.locator("img[src=x]").count() == 0
    assert headline in row.inner_text()
    file = tmp_path / "run seven.json"
    taken(page, row.get_by_role("link", name="Export")).save_as(file)
    assert row.get_by_role("checkbox").is_checked()
    # With its files it opens where it was made, and is not computed again.
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/api/jobs/" in request.url else None)
    row.get_by_role("link", name=headline).click()
    there(page.locator("#shown-report .paste").first)
    assert page.get_by_label("Name", exact=True).input_value() == HOSTILE
    assert "/compare?files=" in page.url
    # Another browser knows nothing of it until it is imported, and then shows the same.
    with visited(browser, server, "/results", **OTHER) as other:
        there(other.get_by_text("There are no results yet."))
        other.set_input_files("#import", str(file))
        there(other.locator("#rows tr"))
        assert other.get_by_role("textbox", name="Name").input_value() == "run seven"
        other.get_by_role("link", name=headline).click()
        there(other.locator("#result .verdict"))
        assert other.locator("#result h1").inner_text() == headline
        assert "/report?result=" in other.url
        other.go_back()
        other.get_by_role("button", name="Remove run seven").click()
        there(other.get_by_text("There are no results yet."))


@pytest.mark.slow
def test_a_wrong_file_is_not_imported(browser, server, tmp_path):
    with visited(browser, server, "/results") as page:
        wrong = tmp_path / "scores.csv"
        wrong.write_text("item,a,b\n1,2,3\n2,3,4\n")
        page.set_input_files("#import", str(wrong))
        there(page.locator("#problems .problem"))
        assert page.locator("#problems").inner_text().startswith("scores.csv is not an exported result")


@pytest.mark.slow
def test_settings_go_out_and_come_in_as_yaml(compared, browser, server):
    page = compared
    page.goto(page.url)
    there(page.locator("#shown-report .paste").first)
    page.get_by_label("Test", exact=True).select_option("wilcoxon")
    expect(page.locator("#answer .why")).to_contain_text("Wilcoxon")
    expect(page.locator("#content > [aria-busy]")).to_have_attribute("aria-busy", "false")
    text = Path(taken(page, page.get_by_role("link", name="Settings (YAML)")).path()).read_text()
    assert text == "# outscore compare --config FILE\nfiles:\n- scores.txt\ntest: wilcoxon\n"
    # On another page the same file chooses the same test, and says what it does with the names of files.
    with visited(browser, server) as other:
        bring(other, scores_txt=SCORES, my_yaml=text)
        assert "settings (files, test)" in other.get_by_role("article", name="my.yaml").inner_text()
        start(other, "Compare two systems")
        expect(other.locator("#answer .why")).to_contain_text("Wilcoxon")
        assert "test=wilcoxon" in other.url
        there(other.locator("#shown-report .paste").first)
        choose(other, ("mine.yaml", "alpha: 0.01\nfiles: [x.txt]\nunit-size: 3\n"))
        expect(other.locator("#taken")).to_have_text(
            "The settings of mine.yaml are used. It names x.txt, for which the files on this page stand."
        )
        expect(other.locator("#answer .why")).to_contain_text(re.compile(r"alpha\s=\s.01"))
        assert "unit-size=3" in other.url
        assert "test=" not in other.url
        assert "alpha=0.01" in other.url
        expect(other.locator("#content > [aria-busy]")).to_have_attribute("aria-busy", "false")
        choose(other, ("bad.yaml", "alfa: 1\n"))
        expect(other.locator("#banner .problem")).to_contain_text("bad.yaml, line 1: compare has no option alfa.")


@pytest.mark.slow
def test_a_page_that_is_loaded_anew_in_mid_job_joins_it(browser, server):
    rows = "".join(f"{(i * 37 % 1009) / 1009} {(i * 53 % 997) / 997}\n" for i in range(20_000))
    address = sent(server, "compare", long_txt=rows) + "&test=bootstrap&resamples=300000"
    with visited(browser, server, None) as page:
        posted = []
        page.on("request", lambda request: posted.append(request) if request.method == "POST" else None)
        with page.expect_response("**/api/jobs"):
            page.goto(server + address)
        there(page.locator("#work .progress"))
        job = page.evaluate("() => Object.entries(sessionStorage).find(([key]) => key.startsWith('job '))[1]")
        page.reload()
        with page.expect_response(lambda answer: f"/api/jobs/{job}" in answer.url and answer.request.method == "GET"):
            pass
        assert len(posted) == 1
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#work")).to_contain_text("Cancelled.")

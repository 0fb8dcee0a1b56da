"""The guided comparison in a real browser: every step has its form, a change is answered in place, the address holds it all."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.browser.web_server import (
    PHONE,
    SCORES,
    brought,
    expect,
    known,
    no_wider_than_the_screen,
    quiet,
    there,
    unfold,
    visited,
)


def test_a_change_is_answered_in_place_and_kept_in_the_address(comparison):
    page = comparison
    unfold(page)
    size = page.get_by_role("spinbutton", name="Unit size")
    size.focus()
    # At the very top there is nowhere to move to when a warning above goes away.
    size.evaluate("(control) => control.scrollIntoView({ block: 'center' })")
    before = size.bounding_box()["y"]
    size.fill("10")
    expect(page.locator("#shown-test .facts")).to_contain_text("12 units of 10 items")
    assert size.evaluate("(control) => control === document.activeElement")
    assert abs(size.bounding_box()["y"] - before) < 3
    page.get_by_label("Test", exact=True).select_option("wilcoxon")
    expect(page.locator("#answer .why")).to_contain_text("Wilcoxon")
    expect(page.locator("[data-field='set.zeros']")).to_be_visible()
    assert "unit-size=10" in page.url
    assert "test=wilcoxon" in page.url
    answer = page.locator("#shown-test .numbers")
    expect(answer).to_contain_text("signed-rank")
    numbers = answer.inner_text()
    page.reload()
    there(page.locator("#steps"))
    assert answer.inner_text() == numbers
    unfold(page)
    assert size.input_value() == "10"


@pytest.mark.slow
def test_a_late_report_does_not_replace_a_newer_one(comparison):
    page, held = comparison, []
    # What the page reads of each report, so that the held one can be waited for.
    page.evaluate(
        """() => {
          const read = Response.prototype.text;
          window.read = [];
          Response.prototype.text = function () {
            const text = read.call(this);
            if (this.url.endsWith("/download.html")) window.read.push(text);
            return text;
          };
        }"""
    )
    page.route("**/download.html", lambda route: held.append(route) if not held else route.continue_())
    page.get_by_label("Test", exact=True).select_option("wilcoxon")
    expect(page.locator("#answer .why")).to_contain_text("Wilcoxon")
    page.wait_for_function("() => document.querySelector('#work .progress') !== null")
    page.get_by_label("Test", exact=True).select_option("student")
    expect(page.locator("#shown-test")).to_contain_text("paired t test")
    held[0].continue_()
    # The newer report was read first. What follows the reading of the held one is over before the next task begins.
    page.wait_for_function("() => window.read.length === 2")
    page.evaluate("() => window.read[1].then(() => new Promise((next) => setTimeout(next)))")
    assert "paired t test" in page.locator("#answer .why").inner_text()
    assert "Wilcoxon" not in page.locator("#answer .why").inner_text()


def test_the_advice_chooses_the_test(comparison):
    page = comparison
    page.locator(".advice").get_by_role("button", name="sign", exact=True).click()
    expect(page.locator("#answer .why")).to_contain_text("sign test")
    chosen = page.get_by_label("Test", exact=True)
    assert chosen.input_value() == "sign"


@pytest.mark.slow
def test_what_the_page_does_with_a_report_does_not_depend_on_its_words(browser, server, finished):
    """The advice and the facts that have steps of their own are known by data, so that any word may change."""

    def reworded(route):
        answer = route.fetch()
        text = answer.text()
        for old, new in ((">recommended<", ">gut<"), (">sign<", ">Vorzeichen<"), (">effect size<", ">Effekt<")):
            assert old in text
            text = text.replace(old, new)
        route.fulfill(response=answer, body=text)

    with visited(browser, server, finished.url.removeprefix(server), opener=finished) as page:
        page.route("**/download.html", reworded)
        page.reload()
        there(page.locator(".advice").get_by_role("button", name="sign", exact=True))
        groups = page.locator("[data-field=test] optgroup").evaluate_all("(groups) => groups.map((group) => group.label)")
        assert groups[0] == "recommended"
        assert page.locator("#shown-test dt").get_by_text("Effekt").count() == 0
        assert page.locator("#shown-test dt").count() > 0


def test_every_step_has_its_part(finished):
    page = finished
    assert page.locator("#step-list a").all_inner_texts() == [
        f"{i}\n{name}" for i, name in enumerate(("Data analysis", "Test", "Effect size", "Power", "Report"), 1)
    ]
    assert page.locator("h1:visible").count() == 1
    assert page.locator("#shown-data figure").count() == 3
    assert page.locator("#shown-test figure").count() == 2
    assert page.locator("#shown-effect tbody tr").count() == 6
    page.get_by_text("How effect sizes are computed").click()
    assert page.locator("#step-effect math mfrac").first.is_visible()
    assert page.locator("#shown-power figure").count() >= 1
    assert "On 120 items" in page.locator("#shown-report").inner_text()


@pytest.mark.slow
def test_every_chart_is_saved_where_it_stands(finished):
    page = finished
    assert page.locator("#steps figure .save").count() == page.locator("#steps figure").count() > 3
    figure = page.locator("#shown-test figure[data-key=null]")
    # Pixels need a picture in memory, which the policy of the page has to allow.
    with page.expect_download() as download:
        figure.get_by_role("button", name="Save the chart as PNG").click()
    assert download.value.suggested_filename == "outscore-null.png"
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_power_is_tried_out(comparison):
    page = comparison
    page.get_by_label("Test to try").select_option("student")
    page.get_by_label("Samples per size").fill("20")
    page.get_by_role("button", name="Try it on samples like these").click()
    there(page.locator("#tried figure").first)
    assert "student" in page.locator("#tried").inner_text()


def test_the_download_is_what_the_command_line_writes(finished, tmp_path):
    page = finished
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON", exact=True).click()
    line = page.locator(".copied pre").first.inner_text()
    (tmp_path / "scores.txt").write_text(SCORES)
    words = shlex.split(line)
    assert words[0] == "outscore"
    subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, check=True, capture_output=True)
    assert download.value.path().read_bytes() == (tmp_path / "result.json").read_bytes()


@pytest.mark.slow
def test_every_form_can_be_downloaded(finished, server):
    page = finished
    links = [link.get_attribute("href") for link in page.locator(".downloads a").all()]
    assert [link.rpartition(".")[2] for link in links] == ["html", "json", "md", "tex", "txt", "csv", "yaml"]
    page.get_by_text("Charts to download").click()
    there(page.get_by_role("link", name="PDF").first)
    drawn = page.get_by_role("region", name="Charts to download")
    links += [drawn.get_by_role("link", name=form).first.get_attribute("href") for form in ("SVG", "PNG", "PDF", "CSV")]
    for link in links:
        answer = page.request.get(server + link, headers=known(server))
        assert answer.ok, link
        assert answer.body()


@pytest.mark.slow
def test_two_files_change_places(browser, server):
    with brought(browser, server, "compare", new_txt="\n".join("1110111101"), old_txt="\n".join("0100101000")) as page:
        there(page.locator("#steps"))
        page.locator("#files > summary").click()
        page.get_by_role("button", name="Swap A and B").click()
        expect(page.locator("#shown-test .numbers dt").first).to_have_text("old")
        expect(page.locator("#answer .why")).to_contain_text("old − new")


@pytest.mark.slow
def test_a_refusal_is_a_sentence_and_the_next_change_works(comparison):
    page = comparison
    page.get_by_label("Level", exact=True).fill("7")
    problem = page.locator("#banner .problem")
    expect(problem).to_contain_text("Level")
    page.get_by_label("Level", exact=True).fill("0.01")
    expect(problem).to_have_count(0)
    expect(page.locator("#answer .why")).to_contain_text(".01")


@pytest.mark.slow
def test_slices_unfold(browser, server):
    rows = "".join(f"i{i},{'ab'[i % 2]},{i % 3 % 2},{i % 5 % 2}\n" for i in range(60))
    with brought(browser, server, "compare", settings="&slice=kind", sliced_csv=f"item,kind,new,old\n{rows}") as page:
        there(page.locator("#steps"))
        folds = page.locator("details.part-of > summary")
        assert folds.count() == 2
        folds.first.click()
        assert page.locator("details.part-of .verdict").first.is_visible()


def test_a_phone_shows_it_all(answers):
    with answers.copy("compare", **PHONE, color_scheme="dark") as page:
        assert no_wider_than_the_screen(page)
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert sum(json.loads(f"[{ground[4:-1]}]")) < 100


def test_the_keyboard_is_enough(browser, server):
    """From the start to another test, with nothing but keys."""
    with visited(browser, server) as page:
        there(page.locator(".offer").first)

        def tab_to(locator):
            for _ in range(80):
                page.keyboard.press("Tab")
                if locator.evaluate("(wanted) => wanted === document.activeElement"):
                    return
            pytest.fail("Tab never got there")

        tab_to(page.locator(".skip"))
        tab_to(page.get_by_role("button", name="Try the example: A lead"))
        outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
        page.keyboard.press("Enter")
        there(page.locator("#steps"))
        test = page.get_by_label("Test", exact=True)
        tab_to(test)
        page.keyboard.type("student")
        page.keyboard.press("Tab")
        expect(page.locator("#status")).to_contain_text("t test")
        expect(page.locator("#status")).to_contain_text("No winner")


def test_every_control_has_a_name(finished):
    nameless = finished.evaluate(
        """() => [...document.querySelectorAll("input, select, textarea, button")]
          .filter((control) => control.offsetParent)
          .filter((control) => !(control.labels?.length || control.ariaLabel || control.textContent.trim()))
          .map((control) => control.outerHTML)"""
    )
    assert nameless == []


def test_who_asks_for_less_motion_gets_none(finished):
    moves = """() => {
      const line = document.querySelector("#step-verdict");
      line.classList.add("renewed");
      return getComputedStyle(line).animationName;
    }"""
    for motion, seen in (("no-preference", "renewed"), ("reduce", "none")):
        finished.emulate_media(reduced_motion=motion)
        assert finished.evaluate(moves) == seen


QA = "id,question,new,old\n" + "".join(f"q{i},What is {i}?,{i % 3 > 0:d},{i % 4 < 1:d}\n" for i in range(40))


def test_right_and_wrong_items_are_a_table_that_leads_to_them(browser, server):
    with brought(browser, server, "compare", qa_csv=QA) as page:
        there(page.locator("#picture .fourfold"))
        counts = [int(text) for text in page.locator("#picture .cell-button strong").all_inner_texts()]
        pairs = [(i % 3 > 0, i % 4 < 1) for i in range(40)]
        assert counts == [pairs.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))]
        page.get_by_role("button", name="only new right").click()
        drawer = page.locator("dialog.drawer")
        expect(drawer).to_contain_text(f"1 of {counts[1]} items")
        expect(drawer.locator("h3")).to_have_text("q1")
        expect(drawer).to_contain_text("What is 1?")
        drawer.get_by_role("button", name="Next").click()
        expect(drawer.locator("h3")).to_have_text("q2")
        drawer.get_by_label("Find items").fill("is 17?")
        expect(drawer).to_contain_text("1 of 1 item")
        drawer.get_by_role("button", name="Close").click()
        expect(drawer).to_have_count(0)


def test_graded_items_are_a_cloud_whose_bars_lead_to_them(comparison):
    page = comparison
    there(page.locator("#picture .cloud"))
    bar = page.locator("#picture .bar-of").first
    count = bar.get_attribute("aria-label").partition(" ")[0]
    bar.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog.drawer")).to_contain_text(f"1 of {count} item")


SLICED = "id,question,topic,new,old\n" + "".join(
    f"q{i},What is {i}?,{'law' if i % 5 else 'news'},{i % 3 > 0:d},{i % 4 < 1:d}\n" for i in range(40)
)


def test_deciding_items_slices_and_bars_lead_to_their_items(browser, server):
    with brought(browser, server, "compare", settings="&slice=topic", qa_csv=SLICED) as page:
        there(page.locator("#picture .fourfold"))
        quiet(page)
        drawer = page.locator("dialog.drawer")

        def close():
            drawer.get_by_role("button", name="Close").click()
            expect(drawer).to_have_count(0)

        row = page.locator("#shown-report .items tbody th button").first
        row.click()
        expect(drawer.locator("h3")).to_have_text(row.inner_text())
        close()
        page.get_by_role("button", name="Items with topic = news").click()
        expect(drawer).to_contain_text("1 of 8 items")
        expect(drawer.locator("h3")).to_have_text("q0")
        close()
        for key, counts in (("differences", [4, 16, 20]), ("scores", [14, 26, 30, 10])):
            bars = page.locator(f"#shown-data figure[data-key={key}] .bar-of")
            assert bars.count() == len(counts)
            for i, count in enumerate(counts):
                bars.nth(i).focus()
                page.keyboard.press("Enter")
                expect(drawer).to_contain_text(f"1 of {count} items")
                close()


def test_a_gate_leads_to_the_items_of_both_versions(answers):
    page = answers.original("gate")
    page.get_by_role("button", name="See the items").click()
    drawer = page.locator("dialog.drawer")
    expect(drawer).to_contain_text("1 of 900 items")
    expect(drawer.locator(".drawer-scores")).to_contain_text("candidate")
    drawer.get_by_role("button", name="Close").click()


def test_the_page_names_no_option_of_the_command_line(browser, server):
    with brought(browser, server, "compare", settings="&direction=", qa_csv=QA) as page:
        there(page.locator("#steps"))
        assert "higher is better (assumed)" in page.locator("#answer").inner_text()
        assert "--" not in page.locator("main").inner_text().partition("The same on the command line")[0]
        expect(page.get_by_label("Metric").locator("option:checked")).to_have_text("mean")


@pytest.mark.slow
def test_settings_are_undone_redone_and_reset(comparison):
    page = comparison
    test, why = page.get_by_label("Test", exact=True), page.locator("#answer .why")
    test.select_option("wilcoxon")
    expect(why).to_contain_text("Wilcoxon")
    test.select_option("student")
    expect(why).to_contain_text("t test")
    page.get_by_role("button", name="Undo").click()
    expect(why).to_contain_text("Wilcoxon")
    assert test.input_value() == "wilcoxon"
    page.get_by_role("button", name="Redo").click()
    expect(why).to_contain_text("t test")
    page.get_by_role("button", name="Reset").click()
    expect(why).to_contain_text("permutation")
    assert "test=" not in page.url


@pytest.mark.slow
def test_a_refusal_is_cured_by_one_click(browser, server):
    repeated = "id,new,old\n" + "".join(f"s{i % 20},{i * 37 % 101},{i * 53 % 97}\n" for i in range(40))
    with brought(browser, server, "compare", repeated_csv=repeated) as page:
        banner = page.locator("#banner .problem")
        expect(banner).to_contain_text("Repeated ids")
        # Of all settings only the one that is meant is in sight, and in focus.
        assert page.locator(".more-settings .entry:visible").count() == 1
        assert page.evaluate("() => document.activeElement.closest('[data-field]').dataset.field") == "duplicates"
        banner.get_by_role("button", name="Repeated ids: their mean").click()
        there(page.locator("#steps"))
        assert "duplicates=mean" in page.url
        expect(banner).to_have_count(0)


def test_a_setting_is_found_by_a_word(comparison):
    page = comparison
    page.locator(".more-settings > summary").click()
    before = page.locator(".more-settings .entry:visible").count()
    page.get_by_label("Find a setting").fill("shuffle")
    after = page.locator(".more-settings .entry:visible")
    assert 0 < after.count() < before
    assert page.locator(".settings .form > .entry:visible").count() == 5

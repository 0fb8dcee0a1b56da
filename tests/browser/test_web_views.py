"""Texts, rankings, diffs, plans and methods in a real browser."""

from __future__ import annotations

import pytest
from tests.browser.web_server import PHONE, bring, example, expect, no_wider_than_the_screen, start, there, unfold, visited
from tests.variants import a_few

from outscore.workflows.diff.tasks import TASKS

BOTTOMS = "(all) => all.map((one) => one.getBoundingClientRect().bottom)"


def test_texts_are_compared_by_several_metrics(browser, server):
    pytest.importorskip("sacrebleu")
    lines = [f"the {colour} cat {i} sat on the old mat and slept" for i, colour in enumerate(["red", "blue", "green"] * 5)]
    with visited(browser, server) as page:
        new = "\n".join(lines).replace("slept", "dreamt")
        old = "\n".join(line.rpartition(" ")[0].replace("old", "odd") for line in lines)
        bring(page, new_txt=new, old_txt=old, reference_txt="\n".join(lines))
        start(page, "Compare texts")
        there(page.locator("#result table").first)
        assert "reference=" in page.url
        assert "bleu" in page.locator("#result").inner_text()
        unfold(page)
        ticked = page.locator("[data-field=metric] input:checked")
        assert ticked.evaluate_all("(boxes) => boxes.map((box) => box.value)") == ["bleu", "chrf"]
        page.get_by_label("ter", exact=True).check()
        expect(page.locator("#result details.part-of > summary")).to_have_count(3)
        assert page.locator("#result mark").count() > 0


def test_a_click_in_the_explorer_shows_its_examples(browser, server):
    with visited(browser, server) as page:
        example(page, "What a better tagger broke")
        cell = page.locator(".matrix .cell").first
        count = cell.inner_text()
        cell.click()
        expect(page.locator("#found")).to_contain_text(count)
        assert page.locator("#list > li").count() > 0
        told = page.locator("#found").inner_text()
        # The line of the verdict does not cover what was chosen.
        line, title = page.locator(".verdict-line").bounding_box(), page.locator("#found").bounding_box()
        assert line is None or line["y"] + line["height"] <= title["y"]
        assert page.locator("tr.transition").first.evaluate("(row) => getComputedStyle(row).display") == "table-row"
        # On wide paper nothing lies over what follows the examples.
        page.emulate_media(media="print")
        ends = page.locator("#examples, #list > li:last-child").evaluate_all(BOTTOMS)
        assert ends[1] <= ends[0] + 1
        page.emulate_media(media="screen")
        unfold(page)
        shown = page.locator("#data-pairs").element_handle()
        page.get_by_label("Fewest units").fill("40")
        page.wait_for_function("(old) => !old.isConnected && document.querySelector('.matrix .cell')", arg=shown)
        assert "min-support=40" in page.url
        # The settings stay as they were, and keys are heard by the new explorer alone.
        assert page.get_by_label("Fewest units").is_visible()
        page.locator("#h-explorer").click()
        page.keyboard.press("/")
        assert page.evaluate("() => document.activeElement.id") == "search"
        # Its script was loaded for the first result and started for both.
        assert page.locator("script[src='/static/explorer.js']").count() == 1
        # What was chosen stays chosen with other settings, in a link and after reloading; back undoes it.
        assert page.locator("#found").inner_text() == told
        assert "#explore?from=" in page.url
        page.reload()
        expect(page.locator("#found")).to_have_text(told)
        page.get_by_label("class").select_option("corrections")
        page.go_back()
        expect(page.locator("#found")).to_have_text(told)


@pytest.mark.slow
def test_a_diff_offers_what_its_task_can_be_judged_by(browser, server):
    with visited(browser, server) as page:
        example(page, "What a better tagger broke")
        there(page.locator(".matrix .cell").first)
        unfold(page)
        criterion = page.locator("[data-field=criterion]:visible")
        proposed = criterion.locator("datalist option").evaluate_all("(options) => options.map((option) => option.value)")
        assert proposed == list(TASKS["pos"].criteria)
        page.get_by_label("Task", exact=True).select_option("dep")
        criterion.get_by_label("uas (head)").check()
        expect(page.locator("#verdict-kind")).to_contain_text("UAS")
        assert "criterion=uas" in page.url


@pytest.mark.slow
def test_one_table_of_answers_is_a_diff(browser, server):
    answers = "id,gold,old,new\n" + "".join(f"q{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]},{'ab'[i % 2]}\n" for i in range(30))
    with visited(browser, server) as page:
        bring(page, answers_csv=answers)
        start(page, "See what changed")
        there(page.locator(".matrix .cell").first)
        assert "gold=" in page.url
        assert "files=" not in page.url
        assert "difference new − old =" in page.locator("#verdict-reason").inner_text().replace("\u00a0", " ")


@pytest.mark.slow
def test_a_leaderboard_has_its_heat_map(browser, server):
    with visited(browser, server) as page:
        systems = ["ash", "birch", "cedar", "dogwood"]
        rows = [",".join([f"i{i}", *(str(int((i * (7 + 3 * k)) % 11 > 2 * k)) for k in range(4))]) for i in range(80)]
        bring(page, board_csv="\n".join([",".join(["item", *systems]), *rows]))
        start(page, "Rank all systems")
        heat = page.locator("svg.heat")
        there(heat)
        assert heat.locator("a").count() == 6
        # Bars beside the scores are placed by styles that the policy lets only a script set.
        widths = page.locator(".ranked .bar span").evaluate_all(
            "(bars) => bars.map((bar) => bar.getBoundingClientRect().width)"
        )
        assert min(widths) > 1
        # A link is two cells with the diagonal between them, and leads where the line of its pair leads.
        expect(page.locator("#pair-1 a")).to_have_attribute("href", heat.locator("a").first.get_attribute("href"))
        unfold(page)
        page.get_by_label("Baseline").select_option("birch")
        expect(page.locator("#result .kind")).to_contain_text("birch")


def test_a_plan_answers_while_you_type(browser, server):
    with visited(browser, server, "/plan") as page:
        expect(page.locator("#answer h2")).to_contain_text("You need")
        page.get_by_label("Difference", exact=True).fill("0.05")
        page.get_by_label("Spread", exact=True).fill("0.5")
        expect(page.locator("#answer h2")).to_contain_text("787")
        page.wait_for_url("**effect=0.05**")
        there(page.locator("#result:not(.old) figure").first)
        page.get_by_label("Which p-values do two published scores allow?").check()
        page.get_by_role("textbox", name="Printed scores").fill(".871 .864")
        page.get_by_role("spinbutton", name="Number of items").fill("1000")
        expect(page.locator("#answer h2")).to_contain_text("p lies between .016 and .71")
        assert not page.get_by_label("Spread", exact=True).is_visible()
        page.get_by_role("spinbutton", name="Number of items").fill("-3")
        expect(page.locator("#banner .problem")).to_be_visible()


@pytest.mark.slow
def test_a_plan_forgets_the_answer_to_another_question(browser, server):
    with visited(browser, server, "/plan") as page:
        expect(page.locator("#answer h2")).to_contain_text("You need")
        there(page.locator("#result figure").first)
        page.get_by_label("What can my items detect?").check()
        expect(page.locator("#answer")).to_contain_text("Still needed: Number of items")
        assert page.locator("#answer h2").count() == page.locator("#result figure").count() == 0
        page.get_by_role("spinbutton", name="Number of items").fill("1000")
        expect(page.locator("#answer h2")).to_be_visible()


@pytest.mark.slow
def test_a_printed_table_is_reviewed(browser, server):
    table = {"name": "printed.csv", "mimeType": "text/csv", "buffer": b"system,accuracy\nnew,.87\nmid,.861\nold,.85\n"}
    with visited(browser, server, "/plan") as page:
        expect(page.locator("#answer h2")).to_contain_text("You need")
        page.get_by_label("Which p-values does a published table allow?").check()
        expect(page.locator("#answer")).to_contain_text("Still needed: Printed table (a file)")
        page.set_input_files("#choose", files=[table])
        expect(page.locator("#answer h2")).to_contain_text("items")
        page.get_by_role("spinbutton", name="Number of items").fill("1000")
        expect(page.locator("#answer h2")).to_contain_text("0 of 3 pairs differ significantly in every case")
        assert page.get_by_label("Which p-values does a published table allow?").is_checked()
        assert "table=" in page.url
        page.reload()
        expect(page.locator("#answer h2")).to_contain_text("0 of 3 pairs")
        expect(page.locator("#result")).to_contain_text("Possible p-values")


def test_methods_have_formulas_and_works_to_cite(browser, server):
    with visited(browser, server, "/methods", **PHONE) as page:
        assert page.locator("#tests-wilcoxon math munder").count() == 1
        assert page.locator("math").count() > 30
        page.locator("#corrections-holm summary").click()
        assert "@article{holm1979," in page.locator("#corrections-holm pre").inner_text()
        assert no_wider_than_the_screen(page)
        # No formula is cut where its card ends.
        cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.closest('[id]').id)"
        assert page.locator(".formula").evaluate_all(cut) == []
        page.set_viewport_size({"width": 1280, "height": 900})
        assert page.locator(".formula").evaluate_all(cut) == []


@pytest.mark.parametrize("view", a_few(["compare", "texts", "rank", "diff", "plan", "show"], 3))
def test_a_view_without_files_says_what_to_bring(browser, server, view):
    with visited(browser, server, f"/{view}", **PHONE) as page:
        assert page.locator("h1:visible").first.inner_text()
        there(page.get_by_text("Add files").or_(page.get_by_text("Pilot data")).first)
        assert no_wider_than_the_screen(page)


@pytest.mark.slow
def test_a_view_without_files_offers_its_own_examples(browser, server):
    with visited(browser, server, "/prefer") as page:
        page.locator("#empty").get_by_role("button", name="Battles of five").click()
        there(page.locator("#result figure svg").first)
        assert "files=" in page.url
        expect(page.locator(".own-examples")).not_to_be_visible()


def test_files_that_are_gone_are_named_as_gone(browser, server):
    with visited(browser, server, "/compare?files=nowhere", refused=404) as page:
        expect(page.locator("#gone")).to_be_visible()


def test_the_picture_of_a_plan_stands_below_its_answer(answers):
    page = answers.original("plan")
    picture, answer = (page.locator(part).first.bounding_box() for part in ("#result figure", "#answer .verdict"))
    assert abs(picture["x"] - answer["x"]) < 40
    assert picture["y"] < 900

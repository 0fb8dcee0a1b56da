"""The page for everybody: on a phone, by ear, by keyboard, in the dark and on paper."""

from __future__ import annotations

import re

import pytest
from tests.browser.access import nameless_controls, pale_edges, pale_letters, silent_pictures, skipped_headings, unheard
from tests.browser.web_server import OPENED, PHONE, WIDE, expect, no_wider_than_the_screen, there, unfold, visited
from tests.variants import variants


@pytest.mark.parametrize("view", variants(OPENED, ("compare", "rank", "plan", "start")))
def test_a_view_can_be_read_followed_and_heard(answers, view):
    page = answers.original(view)
    for fold in page.locator(".settings:not([open]) > summary:visible, .files > summary:visible").all():
        fold.click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert pale_letters(page) == []
        assert pale_edges(page) == []
    # Whatever is folded away counts as well.
    page.evaluate("() => { for (const fold of document.querySelectorAll('details')) fold.open = true; }")
    assert skipped_headings(page) == []
    assert silent_pictures(page) == []
    assert nameless_controls(page) == []
    assert unheard(page) == []
    # What the answer is, is said without being looked for.
    if page.locator(".verdict").count():
        said = page.locator("[role=status], [aria-live]").all_inner_texts()
        assert any(page.locator(".verdict :is(h1, h2)").first.inner_text() in text for text in said)
    page.set_viewport_size(PHONE["viewport"])
    assert no_wider_than_the_screen(page)
    page.set_viewport_size(WIDE["viewport"])


def test_letters_of_systems_are_no_part_of_their_names_by_ear(finished):
    cards = finished.locator("#shown-test .numbers.pair")
    assert re.findall("term: (.*)", cards.aria_snapshot())[:2] == ['"A: A"', '"B: B"']


def test_the_list_of_results_has_names_and_fits_a_phone(answers, server):
    with answers.copy("score", **PHONE) as page:
        page.goto(f"{server}/results")
        row = page.locator("#rows tr").first
        there(row)
        assert row.locator("th small").inner_text() == "Score · model"
        assert no_wider_than_the_screen(page)
        # Nothing of it has to be looked for beyond the edge.
        assert page.locator("#listed").evaluate("(list) => list.scrollWidth <= list.clientWidth")


@pytest.mark.parametrize("view", variants(("compare", "rank", "texts", "diff", "plan"), ("compare", "rank")))
def test_the_answer_is_on_the_first_screen_of_a_phone(answers, view):
    with answers.copy(view, **PHONE) as page:
        verdict = page.locator("#answer .verdict, #result .verdict").first.bounding_box()
        assert verdict["y"] + 100 < PHONE["viewport"]["height"]
        assert no_wider_than_the_screen(page)
        last = page.locator(".masthead li").last.bounding_box()
        assert last["x"] + last["width"] <= PHONE["viewport"]["width"]


def test_settings_say_what_they_hold_and_unfold(answers):
    with answers.copy("rank", **PHONE) as page:
        expect(page.locator(".settings > summary span")).to_have_text("test permutation · correction holm · level 0.05")
        assert not page.get_by_label("Baseline").is_visible()
        unfold(page)
        page.get_by_label("Baseline").select_option("cedar")
        expect(page.locator("#result .kind")).to_contain_text("cedar")
        assert page.get_by_label("Baseline").is_visible()


def test_a_refusal_is_a_banner_and_its_field_says_so(answers):
    with answers.copy("rank", **PHONE) as page:
        unfold(page)
        page.get_by_label("Level", exact=True).fill("7")
        problem = page.locator("#banner .problem")
        expect(problem).to_contain_text("Level")
        # The label comes first: who never saw a command line knows the setting by that.
        assert problem.inner_text().startswith("Level: ")
        # Under the header, whatever else is on the page.
        assert problem.bounding_box()["y"] < page.locator("#files").bounding_box()["y"]
        # Who cannot see it hears it with the field.
        level = page.get_by_label("Level", exact=True)
        expect(level).to_have_attribute("aria-invalid", "true")
        expect(level).to_have_accessible_description(re.compile(re.escape(problem.inner_text())))
        # It covers nothing, and what is shown below is no longer the answer.
        assert problem.evaluate("(shown) => getComputedStyle(shown).position") == "static"
        assert "unanswered" in page.locator("body").get_attribute("class")
        page.get_by_label("Level", exact=True).evaluate(
            "(level) => { level.value = '8'; level.dispatchEvent(new Event('change')); }"
        )
        expect(problem).to_contain_text("8")
        assert problem.is_visible()
        page.get_by_label("Level", exact=True).fill("0.01")
        expect(problem).to_have_count(0)
        assert level.get_attribute("aria-invalid") is None
        expect(page.locator("body")).not_to_have_class("unanswered")


def test_names_in_refusals_are_code_and_never_markup(browser, server):
    with visited(browser, server) as page:
        sent = {"name": "<b>x.txt", "mimeType": "text/plain", "buffer": b"1 0\n0 x\n1 1\n"}
        page.set_input_files("#choose", files=[sent])
        problem = page.locator(".card .problem")
        there(problem)
        assert "`" not in problem.inner_text()
        assert problem.locator("code").first.inner_text() == "<b>x.txt"
        assert page.locator(".card b").count() == 0


@pytest.mark.slow
def test_busy_until_the_pictures_are_there(answers):
    with answers.copy("compare") as page:
        held = []
        page.route("**/download.html", lambda route: held.append(route))  # noqa: PLW0108 - playwright takes no built-in
        page.get_by_label("Test", exact=True).select_option("wilcoxon")
        expect(page.locator("#answer .why")).to_contain_text("Wilcoxon")
        busy = page.locator("#content > [aria-busy]")
        assert busy.get_attribute("aria-busy") == "true"
        page.wait_for_function("() => document.querySelector('#work .progress') !== null")
        held[0].continue_()
        expect(busy).to_have_attribute("aria-busy", "false")


def test_tests_stand_under_what_the_data_say_of_them(answers):
    groups = answers.original("compare").get_by_label("Test", exact=True).locator("optgroup")
    assert [group.get_attribute("label") for group in groups.all()] == ["recommended", "usable", "not suited"]
    assert groups.first.locator("option").first.get_attribute("value") == "permutation"


@pytest.mark.parametrize("view", variants(("compare", "diff", "rank", "plan"), ("compare",)))
def test_paper_shows_the_answer_without_forms(answers, view):
    with answers.copy(view, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator("#answer .verdict, #result .verdict").first.is_visible()
        for part in (".masthead", ".settings", ".files", "form", ".downloads", ".step-nav", ".bottom", ".questions"):
            assert page.locator(part).locator("visible=true").count() == 0, part
        if view == "compare":
            assert page.locator(".advice tbody").get_by_text("wilcoxon", exact=True).is_visible()
        assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(26, 29, 33)"
        assert len(page.pdf(format="A4")) > 10_000

"""Battles in a real browser: strengths with intervals, the matrix of wins, the chart of positions, on any screen."""

from __future__ import annotations

import re

import pytest
from tests.browser.screens import picture
from tests.browser.web_server import PHONE, brought, expect, no_wider_than_the_screen, unfold
from tests.variants import variants

SCREENS = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "wide-dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": PHONE,
    "phone-dark": {**PHONE, "color_scheme": "dark"},
}


@pytest.mark.parametrize("screen", variants(SCREENS, ("wide",)))
def test_battles_are_shown_with_their_charts(answers, folder, screen):
    with answers.copy("prefer", **SCREENS[screen]) as page:
        figures = page.locator("#result figure")
        expect(figures).to_have_count(3)
        expect(page.locator(".verdict").first).to_contain_text("amber leads")
        captions = figures.locator("figcaption").all_inner_texts()
        starts = ("Strengths with", "Win rates in direct games", "Wins by position")
        assert [caption[: len(start)] for caption, start in zip(captions, starts, strict=True)] == list(starts)
        # A chart that was not drawn, or was drawn empty, has no marks.
        for i in range(3):
            assert figures.nth(i).locator("svg path, svg rect").count() > 5
        sizes = figures.locator("svg").evaluate_all("(all) => all.map((svg) => svg.getBoundingClientRect().width)")
        assert min(sizes) > 200
        assert no_wider_than_the_screen(page)
        # Cells keep their colours in the dark, and so must the letters on them.
        written = figures.nth(1).locator("svg text", has_text=re.compile(r"^\d+$"))
        inks = written.evaluate_all("(all) => all.map((text) => getComputedStyle(text).fill)")
        assert set(inks) <= {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}
        table = page.locator("#result table", has_text="amber").first
        assert table.is_visible()
        for i, name in enumerate(("strengths", "wins", "position")):
            figures.nth(i).scroll_into_view_if_needed()
            picture(page, folder / f"prefer-{screen}-{name}.png")
        picture(page, folder / f"prefer-{screen}.png", full_page=True)


@pytest.mark.slow
def test_two_of_the_systems_are_chosen_in_the_settings(browser, server):
    rows = [f"p{i},{a},{b},{'new' if i % 5 else 'old'}" for i in range(30) for a, b in (("new", "old"), ("old", "new"))]
    with brought(browser, server, "prefer", votes_csv="\n".join(["prompt,model_a,model_b,winner", *rows])) as page:
        expect(page.locator(".verdict").first).to_contain_text("new is preferred to old")
        expect(page.locator("#result .verdict .why")).to_contain_text("80.0")
        unfold(page)
        page.get_by_label("Level", exact=True).fill("0.00001")
        expect(page.locator(".verdict").first).to_contain_text("No preference")
        assert "alpha=" in page.url

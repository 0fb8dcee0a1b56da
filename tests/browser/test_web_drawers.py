"""From every mark and row of scores, battles and texts to the items that it counts."""

from __future__ import annotations

import re

import pytest
from tests.browser.web_server import brought, expect, there
from tests.variants import variants

from outscore.examples.registry import EXAMPLES

# By view: what its button says, how many items there are, and what the first of them shows.
COUNTED = {"score": ("items", 960, "repeat"), "prefer": ("battles", 872, "winner"), "texts": ("segments", 232, "reference")}


@pytest.mark.parametrize("view", variants(COUNTED, ("prefer",)))
def test_scores_battles_and_texts_lead_to_what_they_count(answers, view):
    called, count, shown = COUNTED[view]
    page = answers.original(view)
    page.get_by_role("button", name=f"See the {called}").click()
    drawer = page.locator("dialog.drawer")
    expect(drawer).to_contain_text(f"1 of {count} items")
    expect(drawer.locator(".drawer-texts")).to_contain_text(shown)
    drawer.get_by_role("button", name="Close").click()


def opened_by(page, part):
    """How many items the drawer holds that a part of the page opens, by the keyboard, and its heading."""
    part.focus()
    page.keyboard.press("Enter")
    drawer = page.locator("dialog.drawer")
    expect(drawer.locator(".drawer-tools .note")).to_contain_text("1 of ")
    told = int(re.search(r"of ([\d,]+) item", drawer.locator(".drawer-tools .note").inner_text())[1].replace(",", ""))
    heading = drawer.locator("h2").inner_text()
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_have_count(0)
    return heading, told


BATTLES = [row.split(",") for row in EXAMPLES["battles"].files(0)["battles.csv"].splitlines()]
BATTLES = [dict(zip(BATTLES[0], row, strict=True)) for row in BATTLES[1:]]


def battles(*systems, **columns):
    """How many battles these systems were in, counted one by one."""
    return sum(
        set(systems) <= {row["model_a"], row["model_b"]} and all(row[name] == value for name, value in columns.items())
        for row in BATTLES
    )


def test_every_mark_and_row_of_battles_leads_to_what_it_counts(answers):
    page = answers.original("prefer")
    figure = '#result figure[data-key="{}"] .bar-of'
    points, cells, bars = (page.locator(figure.format(key)) for key in ("strengths", "win-matrix", "position"))
    systems = ["amber", "birch", "cedar", "delta", "ember"]
    assert [opened_by(page, points.nth(i)) for i in range(5)] == [(name, battles(name)) for name in systems]
    assert cells.count() == 20
    heading, told = opened_by(page, cells.first)
    assert told == battles(*heading.split(" and "))
    assert [opened_by(page, bars.nth(i)) for i in range(3)] == [("shown first", 429), ("tie", 77), ("shown second", 366)]
    rows = '#result table[aria-label="{}"] tbody th button'
    assert opened_by(page, page.locator(rows.format("Pairs")).first) == ("amber and birch", battles("amber", "birch"))
    assert opened_by(page, page.locator(rows.format("Strengths")).nth(2)) == ("cedar", battles("cedar"))
    assert opened_by(page, page.locator(rows.format("Categories")).first) == (
        "maths: amber",
        battles("amber", category="maths"),
    )
    assert opened_by(page, page.locator(rows.format("Judges")).first) == ("judge-1 and judge-2", len(BATTLES))


def test_a_click_on_a_cell_of_battles_is_not_caught_by_its_number(answers):
    with answers.copy("prefer") as page:
        cell = page.locator('#result figure[data-key="win-matrix"] .bar-of').first
        cell.click()
        expect(page.locator("dialog.drawer h2")).to_contain_text(" and ")


@pytest.mark.slow
def test_points_and_rows_of_scores_lead_to_their_items(answers):
    page = answers.original("score")
    points = page.locator('#result figure[data-key="slices"] .bar-of')
    rows = page.locator('#result table[aria-label="By topic"] tbody th button')
    assert points.count() == rows.count() == 3
    for i in range(3):
        heading, told = opened_by(page, points.nth(i))
        assert (heading.startswith("topic: "), told) == (True, 320)
        assert opened_by(page, rows.nth(i)) == (heading, told)
    assert opened_by(page, page.locator('#result figure[data-key="scores"] .bar-of').first) == ("model", 960)


TABLE = "id,topic,x,y,z\n" + "".join(
    f"q{i},{'law' if i % 4 else 'news'},{i % 2},{int(i % 3 > 0)},{int(i % 5 > 0)}\n" for i in range(40)
)


def test_scores_of_several_systems_lead_to_the_items_of_each_and_of_its_parts(browser, server):
    with brought(browser, server, "score", settings="&slice=topic", wide_csv=TABLE) as page:
        there(page.locator("#result figure[data-key=slices]"))
        points = page.locator('#result figure[data-key="scores"] .bar-of')
        assert [opened_by(page, points.nth(i)) for i in range(3)] == [(name, 40) for name in "xyz"]
        assert opened_by(page, page.locator("#result figure[data-key=slices] .bar-of").first) in [
            ("topic: news", 10),
            ("topic: law", 30),
        ]
        rows = page.locator('#result table[aria-label="By topic"] tbody th button')
        assert {opened_by(page, rows.nth(i)) for i in range(rows.count())} == {("topic: news", 10), ("topic: law", 30)}


def test_bars_and_segments_of_texts_lead_to_their_segments(answers):
    with answers.copy("texts") as page:
        page.locator("details.part-of").evaluate_all("(folds) => folds.forEach((fold) => { fold.open = true; })")
        for key in ("scores", "differences"):
            figures = page.locator(f'#result figure[data-key="{key}"]')
            assert figures.count() == 3
            for i in range(3):
                bars = figures.nth(i).locator(".bar-of")
                counted = [int(re.search(r"(\d+) documents?", bar.get_attribute("aria-label"))[1]) for bar in bars.all()]
                # Thirty-two documents; a bar leads to all of their segments.
                assert sum(counted) == (64 if key == "scores" else 32)
        bars = page.locator('#result figure[data-key="differences"]').first.locator(".bar-of")
        assert sum(opened_by(page, bars.nth(i))[1] for i in range(bars.count())) == 232
        first = page.locator("#result .segments li > p button").first
        first.click()
        expect(page.locator("dialog.drawer h3")).to_have_text(first.inner_text())

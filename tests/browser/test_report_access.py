"""Reports of every kind for everybody: by eye in both themes, by ear, by keyboard, and on paper."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from tests.browser.access import nameless_controls, pale_letters, silent_pictures, skipped_headings
from tests.browser.screens import Pages
from tests.browser.test_report_page import opened, several
from tests.plans import plan_numbers as plan
from tests.report.diff_making import make_changed, make_contexts, make_diff, make_units
from tests.report.forms import render_html
from tests.report.making import make_full
from tests.report.ranking_making import MADE
from tests.variants import a_few, variants

from outscore.report.palette import stylesheet
from outscore.results.plan import StudyDesign
from outscore.workflows.plan.answer import possible_p

# The width between the margins of A4 in the pixels of a stylesheet.
PAPER = {"width": 680, "height": 980}


def diff_page() -> str:
    units = make_units(systems=3)
    whole = make_diff(units, warnings=("Newer hardly ever gives `X`.",))
    return render_html(whole, [make_changed(units)], make_contexts(units))


MAKERS = {
    "comparison": lambda: render_html(make_full()),
    "several": lambda: render_html(several()),
    "ranking": lambda: render_html(MADE["datasets"]()),
    "baseline": lambda: render_html(MADE["baseline"]()),
    "diff": diff_page,
    "plan": lambda: render_html(plan(StudyDesign(sd=1 / 3), effect=0.03)),
    "reviewer": lambda: render_html(possible_p(".871", ".864", 1000)),
}
MAIN = ("comparison", "ranking", "diff")
KINDS = variants(MAKERS, MAIN)


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> Pages:
    """One report of each kind."""
    return Pages(tmp_path_factory.mktemp("reports"), MAKERS)


def unfold(page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_can_be_read_followed_and_heard(browser, reports, kind):
    with opened(browser, reports[kind]) as (page, *_):
        unfold(page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert pale_letters(page) == []
        assert skipped_headings(page) == []
        assert silent_pictures(page) == []
        assert nameless_controls(page) == []
        assert page.evaluate("document.documentElement.lang") == "en"
        heads = page.locator("thead th:not([aria-hidden])")
        assert heads.count() > 0
        assert heads.count() == page.locator("thead th[scope=col]").count()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_pictures_say_what_is_to_be_seen_in_numbers(browser, reports, kind):
    with opened(browser, reports[kind]) as (page, *_):
        unfold(page)
        for told in page.get_by_role("img").all():
            words = told.get_attribute("aria-label")
            assert re.search(r"\d", words), words
            # One sign for minus, as everywhere on the page.
            assert not re.search(r"(?:^|[ (])-[\d.]", words), words


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_have_one_minus_sign(browser, reports, kind):
    with opened(browser, reports[kind]) as (page, *_):
        unfold(page)
        page.evaluate("document.querySelectorAll('.paste, .sentence, .examples').forEach(part => part.remove())")
        assert re.findall(r"(?:^|[ (])-[\d.]+|\w - \w", page.locator("main").inner_text()) == []


@pytest.mark.parametrize("kind", variants(MAKERS, ("comparison",)))
def test_a_keyboard_skips_to_the_result_and_its_place_is_seen(browser, reports, kind):
    with opened(browser, reports[kind]) as (page, *_):
        page.keyboard.press("Tab")
        skip = page.locator(".skip")
        assert skip.evaluate("link => link === document.activeElement")
        assert skip.bounding_box()["x"] >= 0
        assert skip.evaluate("link => getComputedStyle(link).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
        page.keyboard.press("Tab")
        seen = page.evaluate(
            "(() => { const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);"
            " return [document.activeElement.closest('main') !== null, outlineStyle, outlineWidth]; })()"
        )
        assert seen == [True, "solid", "2px"]


@pytest.mark.parametrize("kind", variants(MAKERS, ("comparison",)))
def test_paper_is_white_whole_and_without_controls(browser, reports, kind):
    with opened(browser, reports[kind], viewport=PAPER, color_scheme="dark") as (page, *_):
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(26, 29, 33)"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
        assert pale_letters(page) == []
        for part in (".skip", "select", "input", ".quiet", ".pages", ".back", ".works details"):
            assert page.locator(part).locator("visible=true").count() == 0, part
        # What is folded on a screen is there on paper, but for boxes to search in, and nothing is cut off at the margin.
        folded = page.locator("details > *:not(summary)").all()
        assert all(
            part.is_visible() for part in folded if part.evaluate("part => part.closest('.works, .search-rows') === null")
        )
        cut = page.evaluate(
            "[...document.querySelectorAll('main table, main svg, main pre, main p')].filter((part) => part.checkVisibility()"
            " && part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.outerHTML.slice(0, 80))"
        )
        assert cut == []


@pytest.mark.parametrize("kind", a_few(MAIN, 1))
def test_a_picture_is_not_torn_between_pages(browser, reports, kind):
    with opened(browser, reports[kind]) as (page, *_):
        page.emulate_media(media="print")
        parts = "figure, .example, .verdict, .numbers > div, .paste, tr"
        torn = page.evaluate(
            "(parts) => [...document.querySelectorAll(parts)].filter((part) => getComputedStyle(part).breakInside !== 'avoid')"
            ".map((part) => part.outerHTML.slice(0, 80))",
            parts,
        )
        assert torn == []
        pdf = page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert len(re.findall(rb"/Type /Page\b", pdf)) < 40


CHAINS = range(1, 41)
# What the browser makes of mixed colours, against what they lie on: lines, numbers, and words on filled mentions.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const between = (...colours) => (([low, high]) => (high + 0.05) / (low + 0.05))(colours.map(light).sort((p, q) => p - q));
  return [...document.querySelectorAll(".mention")].map((mention) => {
    const own = getComputedStyle(mention), ground = getComputedStyle(mention.parentElement).backgroundColor;
    const under = mention.classList.contains("own") ? own.backgroundColor : ground;
    const number = getComputedStyle(mention.querySelector("sup")).color;
    return { line: between(own.borderBottomColor, ground), word: between(own.color, under), number: between(number, under) };
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_chains_of_coreference_stand_out_from_what_they_lie_on(browser, scheme):
    """Words and numbers 4.5 to 1, lines 3 to 1, for every chain, filled or not (WCAG 2.2, 1.4.3 and 1.4.11)."""
    style = stylesheet() + files("outscore.report.explorer").joinpath("explorer.css").read_text(encoding="utf-8")
    mention = "<span class='mention {kind}' style='--chain:{i}'>word<sup>{i}</sup></span>"
    drawn = "".join(mention.format(kind=kind, i=i) for i in CHAINS for kind in ("", "own"))
    page = browser.new_page(color_scheme=scheme)
    grounds = "".join(f"<p style='background:var(--{on})'>{drawn}</p>" for on in ("paper", "panel"))
    page.set_content(f"<style>{style}</style>{grounds}")
    found = page.evaluate(CONTRASTS)
    page.close()
    assert len(found) == 4 * len(CHAINS)
    assert min(one["line"] for one in found) >= 3
    assert min(min(one["word"], one["number"]) for one in found) >= 4.5

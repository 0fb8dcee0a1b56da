"""The HTML report in a real browser: quiet, alone, readable in the light, in the dark and on a phone."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.browser.screens import picture
from tests.report.forms import render_html
from tests.report.making import make_full
from tests.variants import a_few

from outscore.language.verdict.comparison import Facts, verdict
from outscore.report.palette import COLOURS
from outscore.report.render import charts_of
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.design import Decision, Family
from outscore.results.note import Note
from outscore.results.pvalue import Interval

HOSTILE = "<script>document.title='x'</script>\"A\" & 'a'"
WIDE = {"width": 1200, "height": 900}
PHONE = {"width": 390, "height": 844}
VIEWS = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "is_mobile": True, "has_touch": True},
    "phone-dark": {"viewport": PHONE, "color_scheme": "dark"},
}


def of_the_median() -> Comparisons:
    """A comparison whose interval is not about the difference in the metric."""
    interval = Interval(-0.001, 0.004, 0.95, "order statistics", dual=False, estimand="median", estimate=0.0007)
    return make_full(
        interval=interval, bayes=None, decision=Decision(None, "undecided"), verdict="No winner: the data cannot tell."
    )


def hostile() -> Comparisons:
    """Names that would be markup if nobody escaped them, and the words a real comparison would have."""
    c = make_full().comparisons[0]
    systems = (HOSTILE, "B" * 60)
    words = verdict(Facts(systems, c.metric, c.higher_is_better, (0.9543, 0.94), c.difference, c.p, c.interval, 0.05))
    scores = (SystemScore(HOSTILE, 0.9543), SystemScore("B" * 60, 0.94))
    return make_full(
        systems=systems,
        scores=scores,
        verdict=words.text,
        headline=words.headline,
        reason=words.reason,
        sentence=words.text,
        notes=[Note("data", HOSTILE)],
    )


def several() -> Comparisons:
    """Three comparisons of one family under an overview."""
    full, other = make_full(), of_the_median()
    return Comparisons([*full.comparisons, *other.comparisons], full.settings, Family("holm", "FWER", 2))


PAGES = {"full": make_full, "median": of_the_median, "hostile": hostile, "several": several}


@pytest.fixture(scope="session")
def pages(folder) -> dict[str, Path]:
    """Each page in a file."""
    for name, make in PAGES.items():
        (folder / f"{name}.html").write_text(render_html(make()), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in PAGES}


@contextmanager
def opened(browser, path: Path, **settings):
    """The page, with all it said on the console and all it asked for."""
    page = browser.new_page(**settings)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    yield page, said, asked
    page.close()


@pytest.mark.parametrize(
    ("name", "view"),
    a_few(
        [
            *(("full", view) for view in VIEWS),
            ("median", "dark"),
            ("hostile", "light"),
            ("hostile", "phone"),
            ("several", "phone"),
        ],
        4,
    ),
)
def test_quiet_alone_and_no_wider_than_the_screen(browser, pages, name, view):
    with opened(browser, pages[name], **VIEWS[view]) as (page, said, asked):
        picture(page, pages[name].with_name(f"{name}-{view}.png"), full_page=True)
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [pages[name].as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        widest = page.evaluate("Math.max(...[...document.querySelectorAll('main *')].map(e => e.closest('.scroll') ? 0 : "
                               "e.getBoundingClientRect().right))")  # fmt: skip
        assert widest <= VIEWS[view]["viewport"]["width"]


def test_headings_and_descriptions(browser, pages):
    with opened(browser, pages["full"]) as (page, *_):
        assert page.locator("h1").all_inner_texts() == ["A outscored B"]
        parts = page.locator("h2").all_inner_texts()
        assert parts == [
            "Charts",
            "Evidence",
            "Analysis of the data",
            "Power",
            "What drove the difference",
            "For a paper",
            "Works to cite",
            "Terms",
            "Settings",
        ]
        charts = page.get_by_role("img")
        assert charts.count() == 7
        for i in range(charts.count()):
            assert len(charts.nth(i).get_attribute("aria-label")) > 20


@pytest.mark.slow
def test_a_bar_says_its_numbers_under_the_pointer_without_any_script(browser, pages):
    with opened(browser, pages["full"], **VIEWS["light"]) as (page, *_):
        bar, curve, box = r"^[−\d.]+ to [−\d.]+: \d+ items$", r"^8,000 clusters: power [\d.]+$", "^middle half: −0.02 to 0.05"
        for key, which, says in (("differences", 11, bar), ("differences", -1, box), ("power", -1, curve)):
            mark = page.locator(f'figure[data-key="{key}"] path:has(> title)').nth(which)
            mark.scroll_into_view_if_needed()
            place = mark.bounding_box()
            at = [place["x"] + place["width"] / 2, place["y"] + place["height"] / 2]
            under = page.evaluate("(at) => document.elementFromPoint(...at).querySelector(':scope > title')?.textContent", at)
            assert re.search(says, under or ""), (key, under)


@pytest.mark.slow
def test_charts_of_a_saved_report_are_saved_by_themselves(browser, pages):
    with opened(browser, pages["full"], **VIEWS["dark"]) as (page, *_):
        figure = page.locator('figure[data-key="differences"]')
        for form, check in (("SVG", is_drawing), ("PNG", is_picture), ("CSV", is_table)):
            with page.expect_download() as download:
                figure.get_by_role("button", name=f"Save the chart as {form}").click()
            assert download.value.suggested_filename == f"outscore-differences.{form.lower()}"
            check(Path(download.value.path()).read_bytes())
        # The browser prints it alone, which is the way to PDF.
        page.evaluate("window.print = () => {}")
        figure.get_by_role("button", name="PDF").click()
        page.emulate_media(media="print")
        assert page.locator("figure:visible").count() == 1
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator("figure:visible").count() > 1


def is_drawing(content):
    tree = ET.fromstring(content)  # noqa: S314 - our own
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    # On white, in its own colours, whatever the page is like.
    assert tree[0].get("fill") == "#fff"
    assert COLOURS["a"].encode() in content


def is_picture(content):
    assert content.startswith(b"\x89PNG")


def is_table(content):
    chart = next(chart for chart in charts_of(make_full()) if chart.key == "differences")
    assert content.decode() == chart.to_csv()


def test_hostile_names_are_text(browser, pages):
    with opened(browser, pages["hostile"]) as (page, *_):
        assert page.locator("script").count() == 1
        assert page.title().startswith(HOSTILE)
        assert HOSTILE in page.locator("h1").inner_text()
        assert page.locator(".numbers dt").first.inner_text() == HOSTILE


def test_dark_is_dark(browser, pages):
    grounds = {}
    for view in ("light", "dark"):
        with opened(browser, pages["full"], **VIEWS[view]) as (page, *_):
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            grounds[view] = sum(int(x) for x in ground.removeprefix("rgb(").removesuffix(")").split(","))
    assert grounds["light"] > 700
    assert grounds["dark"] < 100


def test_an_interval_has_its_own_card(browser, pages):
    with opened(browser, pages["median"]) as (page, *_):
        cards = page.locator(".numbers > div").all_inner_texts()
        assert [card.split("\n")[0] for card in cards] == ["A", "B", "A\u00a0\u2212\u00a0B", "median difference", "p"]
        assert "interval" not in cards[2]
        assert "95% CI" in cards[3].replace("\u00a0", " ")


def test_a_keyboard_opens_what_is_folded(browser, pages):
    with opened(browser, pages["full"]) as (page, *_):
        summary = page.locator("summary").last
        summary.focus()
        page.keyboard.press("Enter")
        assert page.get_by_text("sha256").first.is_visible()

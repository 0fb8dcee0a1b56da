from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from tests.report.forms import latex, markdown, render_html, text, without_script

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.language.phrases import TERMS
from outscore.report.palette import PALETTE
from outscore.report.write.html import prose
from outscore.results.analysis import Advice, TestAdvice
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.design import Decision, Family
from outscore.results.note import Note

HOSTILE = "<script>alert('x')</script>\"q\" a_b 5% R&D \\ {{ 7*7 }}"
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """Collects what a page holds and checks that every element is closed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.said: list[str] = []
        self.feed(source)
        self.close()
        self.words = "".join(self.said)

    def updatepos(self, _, j):
        """Nobody asks for the number of a line."""
        return j

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said += [data] if self.open and self.open[-1] != "style" else []


@pytest.fixture
def page(full):
    return Page(render_html(full()))


def test_the_page_is_well_formed(page):
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))


def test_headings_descend_without_gaps(page, comparison):
    several = Page(render_html(Comparisons([comparison(), comparison()], {"alpha": 0.05}, Family("holm", "FWER", 2))))
    for headings in (page.headings, several.headings):
        assert headings[0] == 1
        assert headings.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(headings))


def test_sections_come_verdict_first(page):
    order = ["A outscored B", "Charts", "Evidence", "All tests", "Analysis of the data", "Power", "Most influential items"]
    order += ["For a paper", "Signature", "Settings"]
    places = [
        page.words.rindex(part) if part in {"Power", "Settings", "Signature"} else page.words.index(part, 60) for part in order
    ]
    assert places[:5] == sorted(places[:5])
    assert places[-2:] == sorted(places[-2:])
    assert "Choosing one afterwards, from this table, finds differences where there are none." in page.words


def test_links_to_slices_stand_below_the_answer():
    rows = [{"item": f"i{i}", "topic": f"t{i % 2}", "new": i % 3 > 0, "old": i % 2} for i in range(40)]
    text = osc.compare(pl.DataFrame(rows), slices="topic").to_html()
    parts = ["<h1>", "Data: scores", '<nav class="contents-of"', ">Charts<", '<dl class="numbers']
    assert (places := [text.index(part) for part in parts]) == sorted(places)
    assert text.count("Data: scores") == 1
    # The table of all of them leads to each by what it is called, and nowhere else.
    rows = re.findall(r'<th scope="row"[^>]*><a href="#(c\d)">([^<]*)</a></th>', text)
    assert [(key, name.replace("\u00a0", " ")) for key, name in rows] == [
        ("c1", "mean"), ("c2", "mean, topic = t0"), ("c3", "mean, topic = t1")
    ]  # fmt: skip
    assert all(f'id="{key}"' in text for key, _ in rows)


def test_no_request_leaves_the_page(full):
    source = without_script(render_html(full()))
    assert set(re.findall(r"\w+://[^\s\"'<]*", source)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)|<script|<iframe|<img|<object|<form|\son\w+=", source)
    assert "default-src 'none'" in source
    for tag, attributes in Page(source).tags:
        assert tag != "script"
        for name in ("src", "href", "xlink:href", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))


def test_hostile_names_are_only_text(full):
    whole = full(
        systems=(HOSTILE, "B"),
        scores=(SystemScore(HOSTILE, 0.5), SystemScore("B", 0.4)),
        verdict=f"{HOSTILE} outscored B: {HOSTILE}.",
        sentence=HOSTILE,
        signature=HOSTILE,
        notes=[Note("data", HOSTILE)],
        metric=HOSTILE,
        dataset=HOSTILE,
    )
    source = without_script(render_html(whole))
    assert "<script" not in source
    found = Page(source)
    assert found.open == []
    assert HOSTILE in found.words
    assert "49" not in re.findall(r"R&amp;D \\ (\S+)", source)


def test_every_chart_is_described(page):
    charts = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(charts) == 7
    for chart in charts:
        assert chart["role"] == "img"
        assert len(chart["aria-label"]) > 20


def test_charts_use_only_colours_that_have_a_dark_twin(full):
    source = render_html(full())
    known = {light for light, _ in PALETTE.values()}
    drawn = "".join(re.findall(r"<svg.*?</svg>", source, re.DOTALL))
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+|\w+)"', drawn)) - {"none", "transparent"}
    assert used <= known


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", [0, 1])
def test_contrast(mode):
    for ground in ("paper", "panel"):
        for role, least in {"ink": 7, "muted": 4.5, "won": 4.5, "open": 4.5, "a": 3, "b": 3}.items():
            assert contrast(PALETTE[role][mode], PALETTE[ground][mode]) >= least, role


def test_todays_comparison_has_a_page(comparison):
    undecided = comparison(interval=None, decision=Decision(None, "undecided"), verdict="No winner: the data cannot tell.")
    source = render_html(Comparisons([undecided], {}))
    assert "No winner" in source
    assert "Analysis of the data" not in source


def test_a_saved_result_gives_the_same_bytes(full):
    whole = full()
    again = type(whole).from_dict(whole.to_dict())
    assert render_html(again) == render_html(whole)
    for verbose in (False, True):
        for module in (text, markdown, latex):
            assert module.render(again, verbose=verbose) == module.render(whole, verbose=verbose)


def test_what_is_missing_is_named(comparison, monkeypatch):
    for library in ("altair", "jinja2"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(OutscoreError, match=r"must be installed") as caught:
        render_html(Comparisons([comparison()], {}))
    assert caught.value.hint == "Run `pip install 'outscore[report]'`."


def test_a_reason_that_several_tests_share_stands_once(full):
    analysis = full().comparisons[0].analysis
    shared = [Advice(test, "It needs many items.") for test in ("student", "wilcoxon", "sign")]
    advised = replace(analysis, tests=TestAdvice([Advice("permutation", "It needs nothing.")], [], shared))
    source = render_html(full(analysis=advised, tests=[]))
    start = source.index('<div class="advice">')
    table = source[start : source.index("</table>", start)]
    assert table.count("It needs many items.") == 1
    assert table.count('rowspan="3"') == 1
    # A script reads the test and what is said of it from the first two cells of its row.
    assert re.findall(r'<th scope="row" class="l short">([^<]*)</th><td class="l short">([^<]*)</td>', table) == [
        ("recommended", "permutation"),
        ("not suited", "student"),
        ("not suited", "wilcoxon"),
        ("not suited", "sign"),
    ]


def test_prose_is_escaped_before_code_is_marked():
    assert prose("`<b>` - -1 <= x") == "<code>&lt;b&gt;</code>\u00a0\u2212\u00a0\u22121 \u2264 x"


def test_the_first_use_of_a_term_leads_to_what_it_means(full):
    page = full().to_html()
    led = re.findall(r'<a href="#(term-[^"]+)">', page)
    assert {"term-mid-p", "term-d_z", "term-fragility", "term-exact", "term-power"} <= set(led)
    assert set(led) <= set(re.findall(r'<dt[^>]* id="(term-[^"]+)">', page))
    assert page.count("</a></a>") == 0
    # The guide has the same explanations: both are made of one list.
    guide = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "report.md").read_text(encoding="utf-8")
    assert all(f"### {term}\n\n{meaning}\n" in guide for term, meaning in TERMS.items())


def test_a_name_that_is_a_term_stays_harmless(full):
    """What comes from outside is escaped before terms are looked for."""
    page = osc.compare([1, 0, 1] * 9, [0, 0, 1] * 9, names=('power"><b>', "exact")).to_html()
    assert "<b>" not in page.replace("<b style", "")


def test_a_package_that_knows_its_address_leads_to_the_guide(monkeypatch):
    from outscore.report.build import common

    monkeypatch.setattr(common, "_guide", lambda: "https://example.org/outscore/docs/guides/report.md")
    page = osc.score({"x": [1, 0, 1] * 9}).to_html()
    assert '<a href="https://example.org/outscore/docs/guides/report.md">Terms</a>' in page


def test_a_gate_has_one_verdict_and_its_comparison_is_folded():
    base = [1, 0] * 40
    page = osc.gate(base, base, margin=0.2).to_html()
    assert page.count('class="verdict') == 1
    assert "<summary>Charts, effect size, power and items of the comparison</summary>" in page
    assert page.count("Settings to reproduce this result") <= 1

from __future__ import annotations

import pytest
from tests.report.forms import render_markdown as render

from outscore.report.write.markdown import escape
from outscore.results.comparison import Comparisons, SystemScore


@pytest.mark.parametrize("verbose", [False, True])
def test_every_part(full, golden, verbose):
    golden(f"report/full{'-verbose' if verbose else ''}.md", render(full(), verbose=verbose))


def test_several_comparisons_begin_with_an_overview(comparison, golden):
    golden("report/several.md", render(Comparisons([comparison(), comparison(interval=None)], {"alpha": 0.05})))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b", r"a\|b"),
        ("_x_ *y* `z`", r"\_x\_ \*y\* \`z\`"),
        ("<script>", r"\<script\>"),
        ("R&D \\ 5%", r"R\&D \\ 5%"),
        ("[a](b)", r"\[a\](b)"),
        ("https://a.b www.c.d", r"https\://a.b www\.c.d"),
        ("two\nlines", "two lines"),
    ],
)
def test_escaping(name, shown):
    assert escape(name) == shown


def test_a_name_cannot_leave_its_cell_or_the_signature_its_block(comparison):
    name = "x | y\n| z"
    c = comparison(systems=(name, "B"), scores=(SystemScore(name, 0.5), SystemScore("B", 0.4)), signature="a```b\n# c")
    text = render(Comparisons([c], {}))
    assert r"| x \| y \| z | 0.5000 |" in text
    assert "````text\na```b # c\n````" in text

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.forms import make_table
from tests.report.forms import render_latex as render

from outscore.report.document import Table
from outscore.report.write.latex import escape, fitting
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.pvalue import Interval

NAME = '<script>"a_b" 50% R&D \\ # $ ^ ~ {x} [y] * -- `z`\''


@pytest.mark.parametrize("verbose", [False, True])
def test_every_part(full, golden, verbose):
    golden(f"report/full{'-verbose' if verbose else ''}.tex", render(full(), verbose=verbose))


@given(st.text())
def test_nothing_special_is_left(text):
    escaped = escape(text)
    # Take away what the escaping itself writes; only plain characters may remain.
    signs = r"\$\\(?:pm|leq|rightarrow|Delta|gamma)\$|\$\^3\$|\$-\$"
    ours = rf"\\text[a-z]+\{{\}}|\\symbol\{{34\}}|\\[{{}}$&#_%]|\{{[\[\]*]\}}|{signs}|-\{{\}}|~\\%"
    assert not set(re.sub(ours, "", escaped)) & set('\\{}$&#_%^<>[]*"|`')
    assert "--" not in escaped
    assert "\n" not in escaped


def hostile(comparison):
    c = comparison(systems=(NAME, "[B]"), scores=(SystemScore(NAME, 0.5), SystemScore("[B]", 0.4)), sentence=f"{NAME} won.")
    return Comparisons([c], {"path": NAME})


def test_letters_beyond_latin_name_their_engine(comparison):
    plain = render(Comparisons([comparison(sentence="naïve – “Łódź” won.")], {}))
    assert "lualatex" not in plain
    foreign = render(Comparisons([comparison(sentence="系统 won.")], {}))
    assert foreign.splitlines()[1].startswith("% Letters beyond Latin need lualatex or xelatex")


def test_signature_stays_in_its_comment(comparison):
    text = render(Comparisons([comparison(signature="a\n\\input{x}")], {}))
    assert "% a \\input{x}\n" in text


def test_numbers_have_mathematical_signs(comparison, p_value):
    certified = comparison(p=p_value(1e-9, "certified", 0.0, 1e-9), difference=-0.5)
    text = render(Comparisons([certified], {}))
    assert r"$\leq$ 1.00e-9" in text
    assert "$-$0.5000" in text
    tiny = comparison(p=replace(p_value(5e-324), log10=-1505.2), sentence="A is better (p = 10^-1505.2; 2^x).")
    text = render(Comparisons([tiny], {}))
    assert "(p = $10^{-1505.2}$; 2\\textasciicircum{}x)" in text
    assert r"10\textasciicircum" not in text


def test_hyphens_that_mean_minus_become_one(comparison):
    words = "gpt-4 is better (gpt-4 - a -- b = -.5, interval -1.0 to -0.2)."
    c = comparison(sentence=words, interval=Interval(-1.0, -0.2, 0.95, "x", dual=True))
    text = render(Comparisons([c], {}))
    assert "gpt-4 is better (gpt-4 $-$ a -{}- b = $-$.5, interval $-$1.0 to $-$0.2)." in text
    assert "A $-$ B" in text
    assert "$-$1.0000 to $-$0.2000" in text


def table_of(columns: int, why: str) -> Table:
    names = [f"score of {i}" for i in range(columns)]
    return make_table("t", "T", [*names, "why"], "r" * columns + "l", [(*["0.4567"] * columns, why)])


def test_the_wider_a_table_the_smaller_its_type():
    sizes = [fitting(table_of(columns, "x")).size for columns in (2, 6, 7, 8, 20)]
    assert sizes == ["", r"\small", r"\footnotesize", r"\scriptsize", r"\scriptsize"]


def test_texts_are_broken_where_they_are_long_or_there_is_no_room():
    for columns, why, broken in (
        (2, "so it is, and no more", False),
        (2, "so it is " * 5, True),
        (6, "so it is, and no more", True),
    ):
        table = table_of(columns, why)
        assert fitting(table).prose(table)[-1] is broken
        assert 0.18 <= fitting(table).share(table) <= 0.4


def test_long_words_may_be_broken_and_others_not(comparison):
    shown = render(Comparisons([comparison()], {"digest": "0f" * 32, "path": "permutation-median of 5%"}), verbose=True)
    assert r"0f0f0f0f0f0f\allowbreak{}0f0f0f0f0f0f\allowbreak{}" in shown
    assert r"permutation-median of 5\%" in shown


@pytest.mark.slow
def test_it_compiles(comparison, full, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    body = render(hostile(comparison), verbose=True) + render(full(), verbose=True).replace("tab:", "tab:second-")
    page = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (tmp_path / "x.tex").write_text(page, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "x.tex"],  # noqa: S607
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    # Only the name that is nothing but signs may be too wide for its column.
    assert done.stdout.count("Overfull") <= 1

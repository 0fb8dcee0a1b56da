"""A diff as text, Markdown and LaTeX: goldens, the width of a terminal, and texts that would like to be markup."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from tests.report.diff_making import make_diff, make_units
from tests.report.forms import render_latex, render_markdown, render_text

from outscore.outputs.model import Units
from outscore.report.build.diff import TABLES
from outscore.results.diff import Diff
from outscore.results.note import Note

WARNING = "Newer never gives `X`, 15 of 1,600 gold words: differences on these labels come from the inventory."
HOSTILE = "<b>|\\x_{}$%&#^~\x1b[31m\n*[a](b)"


@pytest.fixture(scope="module")
def two() -> Diff:
    return make_diff(make_units(), warnings=(WARNING,))


@pytest.fixture(scope="module")
def three() -> Diff:
    return make_diff(make_units(systems=3), make_units(systems=3, criterion="las", heads=True))


@pytest.mark.parametrize(("suffix", "render"), [("txt", render_text), ("md", render_markdown), ("tex", render_latex)])
def test_golden(two, golden, suffix, render):
    golden(f"diff/two.{suffix}", render(two))


def test_golden_of_three(three, golden):
    golden("diff/three-verbose.txt", render_text(three, verbose=True))
    golden("diff/oracle.tex", render_latex(three, tables=("oracle",)))


def test_warnings_come_before_any_claim(two):
    for text in (render_text(two), render_markdown(two)):
        assert 0 <= text.index("never gives") < text.index("changed Baseline")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_asked(three, width):
    text = render_text(three, width=width, verbose=True)
    assert max(map(len, text.splitlines())) <= width
    assert text.endswith("\n")


def test_two_systems_fit_two_screens(two):
    assert len(render_text(two).splitlines()) <= 82


def test_sections_run_across_the_table(two):
    assert re.search(r"^Corrections: \d\d\.\d\d% \(\d+/\d+\)$", render_text(two), re.MULTILINE)


def test_every_table_alone(three):
    for render in (render_text, render_markdown, render_latex):
        for key in TABLES:
            if key != "keys":
                assert render(three, tables=(key,)).strip()


def hostile_diff() -> Diff:
    base = make_units(systems=2)
    labels = (HOSTILE, *base.labels[1:])
    units = Units(base.criterion, (HOSTILE, "B"), labels, base.gold, base.answers, base.correct, None, base.clusters)
    return make_diff(units, inventory=replace(make_diff(base).inventory, warnings=[HOSTILE]), notes=[Note("data", HOSTILE)])


def test_hostile_names_stay_text():
    diff = hostile_diff()
    text, markdown, latex = render_text(diff, verbose=True), render_markdown(diff, verbose=True), render_latex(diff)
    for form in (text, markdown, latex):
        assert "\x1b" not in form
    assert "<b>" not in markdown
    table = [line for line in markdown.splitlines() if line.startswith("| \\<b")]
    assert table
    assert "\\textbackslash{}x\\_\\{\\}" in latex


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on the path")
def test_against_pdflatex(tmp_path, three):
    body = render_latex(three, verbose=True, top=3) + render_latex(hostile_diff())
    # Chapters of a paper, not the hundred floats of a verbose report: all are let go at once.
    body = body.replace(r"\end{table}", "\\end{table}\n\\clearpage").replace("\N{REPLACEMENT CHARACTER}", "?")
    preamble = "\\documentclass{article}\n\\usepackage{booktabs}\n\\usepackage[table]{xcolor}\n\\begin{document}\n"
    (tmp_path / "d.tex").write_text(f"{preamble}{body}\\end{{document}}\n", encoding="utf-8")
    command = [shutil.which("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "d.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-1500:]


def test_one_system_is_no_comparison():
    one = make_diff(make_units(systems=1))
    assert "scores of one system" in render_text(one)
    assert np.isclose(one.scores["Baseline"]["upos"].r, float(make_units(systems=1).correct.mean()))

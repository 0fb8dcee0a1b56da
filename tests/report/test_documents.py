"""Documents: a block shows in every form, a section stands once, writers know nothing of results, facts stay facts."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.forms import make_table
from tests.report.test_render import KINDS
from tests.variants import crossed

from outscore.report import render as door
from outscore.report.document import (
    FORMS,
    Article,
    Card,
    Cards,
    Code,
    Document,
    Embed,
    Example,
    Examples,
    Fact,
    Facts,
    Figure,
    Later,
    Listing,
    Paragraph,
    Quote,
    Section,
    Verdict,
)
from outscore.report.render import kind_of, whole_of
from outscore.report.write import html, text

REPORT = Path(door.__file__).parent
MARK = "dummy-mark"
BLOCKS = {
    "table": make_table("dummy", "A dummy", ["name", "value"], "lr", [("a", MARK)]),
    "facts": Facts((Fact("dummy", (MARK,)),)),
    "listing": Listing("dummy", (MARK,), "A note."),
    "paragraph": Paragraph(MARK),
    "note": Paragraph(MARK, "note"),
    "warning": Paragraph(MARK, "warning"),
    "quote": Quote(MARK),
    "code": Code(MARK),
    "examples": Examples("Dummies", (Example(MARK, (("reference", (("x", True),)),)),), "{marked} are x."),
    "figure": Figure("dummy", MARK, lambda _: "<svg></svg>", str),
    "cards": Cards((Card("dummy", MARK),)),
    "verdict": Verdict((MARK,), MARK, strong=MARK),
    "later": Later(lambda: [Paragraph(MARK)]),
}
# A piece of a page that a script fills has nothing to show elsewhere.
PAGE_ONLY = {Embed}


def write(document: Document, form: str, *, verbose: bool = False) -> str:
    return door._written(document, form, verbose=verbose, width=80)


def document_of(kind: str) -> Document:
    result = KINDS[kind]()
    return kind_of(result).build(whole_of(result))


def test_every_kind_of_block_is_tried():
    kinds = {type(block) for block in BLOCKS.values()}
    known = set(ast.literal_eval(str([kind.__name__ for kind in kinds | PAGE_ONLY])))
    tree = ast.parse((REPORT / "document.py").read_text(encoding="utf-8"))
    union = next(node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "Block")
    assert {node.id for node in ast.walk(union) if isinstance(node, ast.Name)} | {"Later"} == known


@pytest.mark.parametrize("form", [*FORMS, "card"])
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_shows_in_every_form(block, form):
    document = Document("A dummy", (Article("", "", (Section("dummy", "Dummies", lambda: [BLOCKS[block]]),)),))
    if form == "card":
        assert MARK in html.write_card(document)
        return
    for verbose in (False, True):
        assert MARK in write(document, form, verbose=verbose)


@pytest.mark.parametrize(("form", "kind"), crossed(FORMS, KINDS))
def test_a_section_added_to_a_kind_of_result_shows_in_every_form(kind, form):
    document = document_of(kind)
    article = document.articles[-1]
    added = Section("dummy", "Dummies", BLOCKS.values)
    grown = replace(document, articles=(*document.articles[:-1], replace(article, sections=(*article.sections, added))))
    assert write(grown, form).count(MARK) >= len(BLOCKS)
    assert MARK not in write(document, form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_section_stands_once(kind, form):
    for verbose in (False, True):
        for article, sections in document_of(kind).shown_articles(form, verbose=verbose):
            keys = [section.key for section, _ in sections]
            assert len(keys) == len(set(keys)), (article.title, keys)


def test_text_draws_no_charts():
    def drawn(_prefix: str) -> str:
        raise AssertionError

    sections = (Section("charts", "Charts", lambda: [Figure("x", "A chart", drawn, str)]),)
    for form in ("text", "markdown", "latex"):
        assert "A chart" in write(Document("", (Article("", "", sections),)), form)


def test_what_is_not_shown_is_not_made():
    def costly() -> list:
        raise AssertionError

    sections = (
        Section("html", "", costly).only("html"),
        Section("full", "", costly).full(),
        Section("later", "", lambda: [Later(costly).full(), Paragraph("shown")]),
    )
    assert write(Document("", (Article("", "", sections),)), "text") == "shown\n"


@pytest.mark.parametrize("path", sorted((REPORT / "write").glob("*.py")), ids=lambda path: path.stem)
def test_writers_import_documents_only(path):
    imported = [
        f"{node.module}.{name.name}."
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("outscore")
        for name in node.names
    ]
    allowed = ("outscore.report.document.", "outscore.report.palette.", "outscore.core.errors.", "outscore.core.records.")
    assert [name for name in imported if not name.startswith(allowed)] == []


WORDS = {"verdict", "verdicts", "sentence", "signature", "headline", "reason", "notes", "note", "warnings"}
SURGERY = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "replace", "split", "partition"}
SURGERY |= {f"r{name}" for name in SURGERY}


@pytest.mark.parametrize("path", sorted(REPORT.rglob("*.py")), ids=lambda path: str(path.relative_to(REPORT)))
def test_no_surgery_on_what_a_result_says(path):
    """A fact is a field of a result. What was made a sentence is not taken apart again."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SURGERY:
            inside = {n.attr for n in ast.walk(node.func.value) if isinstance(n, ast.Attribute)}
            inside |= {n.id for n in ast.walk(node.func.value) if isinstance(n, ast.Name)}
            found += [(node.lineno, ast.unparse(node)) for name in inside & WORDS]
    assert not found


def test_emphasis_marks_the_headline_over_the_ends_of_lines_and_changes_no_word():
    headline = "the new system with a long name outscored the old system"
    shown = {tone: Verdict((f"{headline}: by a mile.",), headline, tone=tone) for tone in ("won", "", "told")}
    sections = tuple(Section(f"s{tone}", "", lambda verdict=verdict: [verdict]) for tone, verdict in shown.items())
    document = Document("", (Article("", "", sections),))
    marked = text.write(document, width=40, emphasis=lambda words, tone: f"<{tone or '?'} {words}>")
    won, undecided, told = marked.split("\n\n")
    assert won == "<won the new system with a long name>\n  <won outscored the old system>: by a mile."
    assert undecided == won.replace("won ", "? ")
    assert "<" not in told

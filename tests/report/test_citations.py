"""Works to cite: their BibTeX parses, says all that its kind must say, and belongs to what a result used."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from tests.report.forms import render_html
from tests.report.making import make_full
from tests.report.ranking_making import MADE

from outscore.inference.families import CORRECTIONS
from outscore.inference.populations import DIFFERENT_ITEMS, POPULATIONS
from outscore.inference.registry import TESTS
from outscore.metrics.outputs import COREF, COREF_CITATIONS
from outscore.metrics.registry import METRICS
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.report.citations import cited, uses_of_comparisons, uses_of_ranking, works

FILE = files("outscore.report").joinpath("works.bib")
# What BibTeX's standard styles warn about when it is missing.
REQUIRED = {
    "article": {"author", "title", "journal", "year", "volume", "pages"},
    "inproceedings": {"author", "title", "booktitle", "year", "pages"},
    "book": {"author", "title", "publisher", "year"},
    "phdthesis": {"author", "title", "school", "year"},
    "misc": {"author", "title", "howpublished", "year"},
}
UNCITED = {"wer", "cer"}
"""Edit distances over the length of the reference, as old as the field."""


def braced(text: str, start: int) -> tuple[str, int]:
    """What stands between a brace and its partner, and the place behind it."""
    assert text[start] == "{"
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if not depth:
            return text[start + 1 : i], i + 1
    pytest.fail(f"no end of {text[start : start + 40]!r}")


def parse(text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """A naive reader of BibTeX, which knows nothing of how our file is laid out: key to kind and fields."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    at = 0
    while (match := re.compile(r"\s*@(\w+)\s*(?=\{)").match(text, at)) is not None:
        body, at = braced(text, match.end())
        key, _, rest = body.partition(",")
        assert key.strip() not in found
        fields: dict[str, str] = {}
        place = 0
        while (field := re.compile(r"\s*(\w+)\s*=\s*(?=\{)").match(rest, place)) is not None:
            value, place = braced(rest, field.end())
            assert field[1] not in fields
            fields[field[1]] = value
            comma = re.compile(r"\s*,?").match(rest, place)
            assert comma is not None
            place = comma.end()
        assert not rest[place:].strip(), rest[place:]
        found[key.strip()] = match[1], fields
    assert not text[at:].strip(), text[at:]
    return found


def test_the_file_parses_and_we_read_it_as_it_is():
    found = parse(FILE.read_text(encoding="utf-8"))
    assert {key: (work.kind, dict(work.fields)) for key, work in works().items()} == found
    assert len(found) > 40


@pytest.mark.parametrize("key", sorted(works()))
def test_an_entry_is_complete(key):
    work = works()[key]
    assert REQUIRED[work.kind] <= set(work.fields)
    assert work.bibtex.isascii()
    first = re.sub(r"[^a-z]", "", work.line.partition(" (")[0].partition(",")[0].partition(" et al.")[0].lower())
    plain = {"demar": "demsar", "popovi": "popovic"}.get(first, first)
    assert key == f"{plain}{work.fields['year']}"
    assert re.fullmatch(r"\d{4}", work.fields["year"])
    assert re.fullmatch(r"\d+--\d+", work.fields.get("pages", "1--2"))
    first_page, last_page = map(int, work.fields.get("pages", "1--2").split("--"))
    assert first_page < last_page
    assert re.fullmatch(r"10\.\d{4,}/\S+", work.fields.get("doi", "10.1000/x"))
    assert not re.search(r"[{}\\]|--", work.line)


def test_every_method_can_be_cited_and_every_work_is():
    for entry in (*TESTS.values(), *CORRECTIONS.values()):
        assert entry.citations, entry.name
    assert {name for name, entry in TEXT_METRICS.items() if not entry.citations} == UNCITED
    assert set(COREF_CITATIONS) == set(COREF)
    source = files("outscore.report").joinpath("citations.py").read_text(encoding="utf-8")
    named = set(re.findall(r'"([a-z]+\d{4})"', source))
    for entry in (*TESTS.values(), *CORRECTIONS.values(), *METRICS.values(), *TEXT_METRICS.values()):
        named.update(entry.citations)
    named.update(key for entry in POPULATIONS.values() for test in entry.tests for key in test.citations)
    named.update(key for test in DIFFERENT_ITEMS for key in test.citations)
    named.update(key for entry in TESTS.values() for _, key in entry.method_citations.values())
    named.update(key for keys in COREF_CITATIONS.values() for key in keys)
    assert named == set(works())


def test_a_comparison_cites_what_it_used():
    whole = make_full()
    listed, bibtex = cited(uses_of_comparisons(whole))
    keys = list(parse(bibtex))
    assert len(keys) == len(set(keys)) == len(listed)
    assert {"noreen1989", "benavoli2017", "zhu2020", "cohen1988"} <= set(keys)
    bare = replace(whole.comparisons[0], bayes=None, effects=[], analysis=None, tests=[], margin=None)
    left = parse(cited(uses_of_comparisons(replace(whole, comparisons=[bare])))[1])
    assert not {"benavoli2017", "zhu2020", "cohen1988", "schuirmann1987"} & set(left)


def test_a_page_holds_the_bibtex_of_its_works():
    page = render_html(make_full())
    block = re.search(r"<summary>BibTeX</summary>\s*<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert block is not None
    assert html.unescape(block[1]) == cited(uses_of_comparisons(make_full()))[1]


def test_bibtex_itself_is_content(tmp_path: Path):
    if shutil.which("bibtex") is None:
        pytest.skip("bibtex is not installed")
    (tmp_path / "works.bib").write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "all.aux").write_text("\\citation{*}\n\\bibdata{works}\n\\bibstyle{plain}\n", encoding="utf-8")
    ran = subprocess.run(["bibtex", "all"], cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S607
    assert ran.returncode == 0, ran.stdout
    assert "Warning" not in ran.stdout


def test_a_ranking_cites_every_metric_once():
    keys = list(parse(cited(uses_of_ranking(MADE["datasets"]()))[1]))
    assert len(keys) == len(set(keys))

"""Entities in the explorer: all of a sentence in place, and a moved boundary as one change."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.browser.explorer import explored, found, visiting

WORDS = ["Bank", "of", "England", "met", "Ada", "in", "New", "York", "City"]
# Entities as first word, last word exclusive, type; gold, then two systems.
SENTENCES = [
    # The second system finds where the first entity ends; all agree about the second.
    ([(0, 3, "ORG"), (4, 5, "PER")], [(0, 2, "ORG"), (4, 5, "PER")], [(0, 3, "ORG"), (4, 5, "PER")]),
    # Another type within the same boundaries is one span.
    ([(4, 5, "PER")], [(4, 5, "ORG")], [(4, 5, "PER")]),
    # Both are wrong, in boundaries and type.
    ([(6, 9, "LOC")], [(6, 8, "LOC")], [(7, 9, "ORG")]),
    # One entity became two.
    ([(0, 1, "ORG"), (2, 3, "LOC")], [(0, 3, "ORG")], [(0, 1, "ORG"), (2, 3, "LOC")]),
    # Found by nobody but the second system, and right.
    ([(6, 9, "LOC")], [], [(6, 9, "LOC")]),
]


def columns(sentences) -> str:
    """One system's sentences as words with BIO tags."""
    lines = []
    for spans in sentences:
        tags = ["O"] * len(WORDS)
        for first, last, kind in spans:
            tags[first:last] = [f"B-{kind}", *[f"I-{kind}"] * (last - first - 1)]
        lines += [*(f"{word} {tag}" for word, tag in zip(WORDS, tags, strict=True)), ""]
    return "\n".join(lines)


def explore(folder, sentences):
    gold, old, new = (columns(files) for files in zip(*sentences, strict=True))
    return explored(folder, "ner", gold=gold, old=old, new=new)


@pytest.fixture
def visit(browser):
    """Open a page, which must stay quiet."""
    yield from visiting(browser)


def test_a_moved_boundary_is_one_change(visit, tmp_path):
    page = visit(explore(tmp_path, SENTENCES))
    # Spans are counted as in the tables; they are shown as changes.
    assert found(page) == 2 + 1 + 2 + 3 + 1
    badges = [one.locator(".badge").all_inner_texts() for one in page.locator(".example").all()]
    assert badges == [
        ["Correction", "boundary"],
        ["Correction"],
        ["Changed error", "boundary and type"],
        ["Correction", "boundary and type"],
        ["Correction"],
    ]
    assert page.locator("#joined").inner_text().startswith("Shown as 5:")
    first, _, both, split, alone = page.locator(".example").all()
    told = [part.inner_text().replace("\xa0", " ") for part in first.locator("dd").all()]
    assert [text.split(" \u2713")[0].split(" \u2717")[0] for text in told] == [
        "Bank of England ORG",
        "Bank of ORG",
        "Bank of England ORG",
    ]
    assert ["\u2713" in text for text in told] == [False, False, True]
    assert [text.strip() for text in first.locator(".lane").all_inner_texts()] == ["G ORG", "1 ORG \u2717", "2 ORG \u2713"]
    assert first.locator(".alike").all_inner_texts() == ["AdaPER"]
    assert [text.strip() for text in both.locator("mark").all_inner_texts()] == ["New", "York", "City"]
    assert split.locator("dd").nth(2).inner_text().startswith("Bank ORG, England LOC \u2713")
    assert [text.strip() for text in alone.locator(".lane").all_inner_texts()] == ["G LOC", "1 none", "2 LOC \u2713"]
    # Half of a change leads to all of it.
    page.locator('.cell[data-from="O"][data-to="ORG"]').click()
    assert found(page) == 3
    assert page.locator(".example").count() == 3


def changes_one_by_one(old, new) -> int:
    """How many changes there are: places that only one system has or types otherwise, joined as long as two overlap."""
    groups = [{place} for place in {span[:2] for span in set(old) ^ set(new)}]
    while True:
        touching = next(((x, y) for x, y in combinations(groups, 2) if any(a < d and c < b for a, b in x for c, d in y)), None)
        if touching is None:
            return len(groups)
        groups = [group for group in groups if group not in touching] + [touching[0] | touching[1]]


@pytest.mark.slow
def test_changes_are_counted_as_one_by_one(visit, tmp_path):
    draw = np.random.default_rng(5)

    def spans():
        cuts = sorted(draw.choice(6, draw.choice((2, 4)), replace=False).tolist())
        return [(first, last, str(draw.choice(("LOC", "ORG")))) for first, last in zip(cuts[::2], cuts[1::2], strict=True)]

    sentences = [(spans(), spans(), spans()) for _ in range(15)]
    page = visit(explore(tmp_path, sentences))
    assert page.locator(".example").count() == sum(changes_one_by_one(old, new) for _, old, new in sentences)
    # Kinds are counted in the table as they are found on the page, each by its own rule.
    kinds = page.locator("[data-change-kind]")
    assert kinds.all_inner_texts() == ["type", "boundary", "boundary and type", "other"]
    counts = [int(row.locator("td").inner_text()) for row in page.locator("tr", has=kinds).all()]
    assert min(counts) > 0
    for kind, count in zip(kinds.all(), counts, strict=True):
        kind.click()
        assert found(page) == count

"""Filters of the explorer, mirrors, and addresses that hold what was chosen; counted one by one beside the page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from tests.browser.explorer import explored, found, settled, visiting
from tests.browser.screens import picture

RELATIONS = ("nsubj", "obj", "nmod")
WORDS = ("river", "house", "market", "answer", "stone")
LENGTHS = {"1–5": range(1, 6), "6–10": range(6, 11), "11–20": range(11, 21)}
DISTANCES = {"1": range(1, 2), "2": range(2, 3), "3–6": range(3, 7), "7 and more": range(7, 99)}


@dataclass(frozen=True)
class Word:
    """A word with its head and relation in gold and two systems."""

    document: str
    sentence: str
    length: int
    place: int
    answers: tuple[tuple[int, str], ...]

    @property
    def outcome(self) -> str | None:
        gold, old, new = self.answers
        if old == gold:
            return None if new == gold else "new errors"
        if new == gold:
            return "corrections"
        return "shared errors" if old == new else "changed errors"

    @property
    def change(self) -> str | None:
        _, old, new = self.answers
        parts = {(False, False): None, (True, False): "head only", (False, True): "label only", (True, True): "head and label"}
        return parts[old[0] != new[0], old[1] != new[1]]

    @property
    def distance(self) -> str:
        head = self.answers[0][0]
        return "root" if not head else next(name for name, of in DISTANCES.items() if abs(head - self.place) in of)

    def value(self, facet: str) -> str | None:
        """What a filter of this name knows it by."""
        own = {
            "class": self.outcome,
            "gold": self.answers[0][1],
            "from": self.answers[1][1],
            "to": self.answers[2][1],
            "change": self.change,
            "document": self.document,
            "length": next(name for name, of in LENGTHS.items() if self.length in of),
            "distance": self.distance,
        }
        return own[facet]


def trees() -> tuple[list[Word], dict[str, str]]:
    """Sentences of documents, three in each, and their files."""
    draw = np.random.default_rng(4)
    words, files = [], {"gold": [], "old": [], "new": []}
    for number in range(36):
        length, document, sentence = int(draw.choice((4, 8, 14))), f"d{number // 3}", f"s{number}"
        for lines in files.values():
            lines.extend([f"# newdoc id = {document}"] * (number % 3 == 0) + [f"# sent_id = {sentence}"])
        for place in range(1, length + 1):
            gold = _answer(draw, place, length, None, 1)
            answers = (gold, *(_answer(draw, place, length, gold, wrong) for wrong in (0.3, 0.2)))
            words.append(Word(document, sentence, length, place, answers))
            form = draw.choice(WORDS)
            for lines, (head, relation) in zip(files.values(), answers, strict=True):
                lines.append(f"{place}\t{form}\t{form}\tNOUN\t_\t_\t{head}\t{relation}\t_\t_")
        for lines in files.values():
            lines.append("")
    return words, {f"{name}.conllu": "\n".join([*lines, ""]) for name, lines in files.items()}


def _answer(draw, place, length, gold, wrong) -> tuple[int, str]:
    """Head and relation, each with this chance another than gold's; the first word is the root."""
    head, relation = gold or (0, "root")
    if place > 1 and draw.random() < wrong:
        head = int(draw.choice([i for i in range(1, length + 1) if i != place]))
    if draw.random() < wrong and (gold or place > 1):
        relation = str(draw.choice(RELATIONS))
    return head, relation


UNITS, FILES = trees()
CHANGED = ("corrections", "new errors", "changed errors")


def left(**filters) -> list[Word]:
    """The units that filters leave, one by one; changes only, unless a class is chosen."""
    return [
        word
        for word in UNITS
        if all(word.value(key) == value for key, value in filters.items()) and (filters.get("class") or word.outcome in CHANGED)
    ]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return explored(tmp_path_factory.mktemp("trees"), "dep", **FILES)


@pytest.fixture
def visit(browser):
    """Open a page, which must stay quiet."""
    yield from visiting(browser)


def box(page, facet):
    return page.locator(f'[data-facet="{facet}"] select')


def choices(page, facet) -> dict[str, int]:
    """The values that a filter offers, and how many there are of each."""
    shown = box(page, facet).evaluate("(box) => [...box.options].filter((o) => o.value && !o.hidden).map((o) => o.textContent)")
    return {text.rpartition(" (")[0]: int(text.rpartition(" (")[2].rstrip(")")) for text in shown}


def test_filters_leave_what_fits_and_say_how_many(visit, file):
    page = visit(file)
    facets = ("class", "gold", "from", "to", "change", "document", "length", "distance")
    for facet in facets:
        values = {word.value(facet) for word in UNITS} - {None}
        assert choices(page, facet) == {value: n for value in values if (n := len(left(**{facet: value})))}
    # Together they leave what fits all of them, and each counts with the others as they are.
    box(page, "change").select_option("head only")
    box(page, "length").select_option("11–20")
    box(page, "class").select_option("new errors")
    asked = {"change": "head only", "length": "11–20", "class": "new errors"}
    assert found(page) == len(left(**asked)) > 0
    for facet in facets:
        values = {word.value(facet) for word in UNITS} - {None}
        assert choices(page, facet) == {value: n for value in values if (n := len(left(**asked | {facet: value})))}
    where = {word.sentence for word in left(**asked)}
    assert {text.split()[-1] for text in page.locator(".to-item").all_inner_texts()} == where
    # The table of kinds leads to them, and counts them as the page does.
    kinds = page.locator("tr", has=page.locator("[data-change-kind]"))
    for row in kinds.all():
        name, count = row.locator("th, td").all_inner_texts()
        assert int(count) == len(left(change=name))
    page.locator('[data-change-kind="label only"]').click()
    assert found(page) == len(left(change="label only"))


def test_nothing_fits_and_what_would(visit, file):
    page = visit(file)
    asked = next(
        {"change": change, "document": document, "distance": distance, "gold": gold}
        for change, document, distance, gold in product(
            ("head only", "label only"), sorted({w.document for w in UNITS}), DISTANCES, RELATIONS
        )
        if not left(change=change, document=document, distance=distance, gold=gold)
        and left(change=change, distance=distance, gold=gold)
    )
    page.goto(page.url + "#explore?" + "&".join(f"{key}={value}" for key, value in asked.items()))
    page.wait_for_selector(".empty")
    assert found(page) == 0
    without = {part.get_attribute("data-without"): part.inner_text() for part in page.locator("[data-without]").all()}
    expected = {key: len(left(**{k: v for k, v in asked.items() if k != key})) for key in asked}
    assert {key: int(text.rpartition(": ")[2].rstrip(".")) for key, text in without.items()} == {
        key: n for key, n in expected.items() if n
    }
    page.locator('[data-without="document"]').click()
    assert found(page) == expected["document"]


@pytest.mark.slow
def test_both_halves_of_a_mirror_lead_to_each_other(visit, file):
    page = visit(file)
    first = page.locator("[data-mirror]").first
    change = first.get_attribute("data-mirror")
    row = page.locator("tr.transition").filter(has=first)
    count, mirror = (int(text) for text in row.locator("td").all_inner_texts()[:2])
    assert count != mirror
    first.click()
    assert found(page) == mirror
    assert page.locator("tr.mirrored [data-change]").get_attribute("data-change") == change
    assert page.locator("tr.shown [data-change]").count() <= 1
    page.locator("#to-mirror").click()
    assert found(page) == count
    assert page.locator("tr.shown [data-change]").get_attribute("data-change") == change
    # A cell of the matrix has the cell on the other side of the diagonal.
    page.locator('.cell[data-from="nsubj"][data-to="obj"]').click()
    assert page.locator(".cell.mirrored").get_attribute("data-from") == "obj"
    page.locator("#to-mirror").click()
    assert found(page) == len(left(**{"from": "obj", "to": "nsubj"}))


@pytest.mark.slow
def test_the_address_holds_what_was_chosen(visit, file, folder):
    page = visit(file)
    page.locator("#choice select").select_option(label="old → new, UAS")
    page.locator("#choice select").select_option(label="old → new, LAS")
    box(page, "class").select_option("corrections")
    page.locator("#search").fill("river")
    settled(page, lambda: "q=river" in page.url)
    page.locator(".to-item").nth(2).click()
    page.wait_for_selector(".linked svg")
    number, text = found(page), page.locator(".linked").inner_text()
    picture(page, folder / "explorer-linked.png")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.locator("#copy-link").click()
    link = page.evaluate("window.copied")
    assert link == page.url
    # Whoever gets the link sees the same.
    other = visit(file, "#" + link.partition("#")[2])
    assert (found(other), other.locator(".linked").inner_text()) == (number, text)
    assert other.locator("#search").input_value() == "river"
    assert box(other, "class").input_value() == "corrections"
    # Back goes through the choices, and typing is one of them.
    page.go_back()
    assert page.locator(".linked").count() == 0
    assert found(page) == number
    page.go_back()
    assert (page.locator("#search").input_value(), found(page)) == ("", len(left(**{"class": "corrections"})))
    page.go_back()
    assert found(page) == len(left())
    page.go_back()
    assert page.locator("#choice select").input_value() != "0"
    page.go_forward()
    assert page.locator("#choice select").input_value() == "0"
    # What a link asks for and is not here is said.
    lost = visit(file, "#explore?gold=nothing&class=corrections")
    assert lost.locator("#lost").inner_text() == "The link asks for gold = nothing, which is not here."
    assert found(lost) == len(left(**{"class": "corrections"}))
    lost = visit(file, "#explore?pair=99&item=100000")
    assert lost.locator("#lost").inner_text() == "The link asks for example 100000, which is not here."

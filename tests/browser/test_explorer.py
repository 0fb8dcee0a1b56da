"""The explorer in a real browser: from a number to its examples, by mouse and by keyboard, with hostile data and on a phone."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.browser.explorer import WIDE, explored, found, settled, visiting
from tests.browser.screens import picture
from tests.report.diff_making import HOSTILE, SENTENCE, make_changed, make_contexts, make_diff, make_units
from tests.report.forms import render_html
from tests.variants import crossed

from outscore.outputs.outcomes import Contexts, outcomes
from outscore.report.document import glue, minus
from outscore.report.rows.diff import line_of
from outscore.report.rows.diff_pairs import sorted_shifts
from outscore.results.note import Note

UNITS = make_units(systems=3)
PARSES = make_units(systems=3, criterion="las", heads=True, seed=5)
CONTEXTS = make_contexts(UNITS)
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def file(folder) -> Path:
    diff = make_diff(UNITS, PARSES, warnings=("Newer hardly ever gives `X`.",))
    path = folder / "explorer.html"
    path.write_text(render_html(diff, [make_changed(UNITS), make_changed(PARSES)], CONTEXTS), encoding="utf-8")
    return path


@pytest.fixture
def visit(browser):
    """Open a page; afterwards nothing may have gone wrong, run by itself, or been asked of anybody."""
    yield from visiting(browser)


def expected(first: int, second: int, source: str, target: str, units=UNITS) -> list[int]:
    """Changed units whose answers went from one label to another, counted without the page."""
    kinds = outcomes(units, first, second)
    codes = units.labels.index(source), units.labels.index(target)
    fits = (units.answers[:, first] == codes[0]) & (units.answers[:, second] == codes[1]) & (kinds > 0) & (kinds < 4)
    return [i for i, fit in enumerate(fits.tolist()) if fit]


def test_a_cell_leads_to_its_examples(visit, file):
    page = visit(file)
    assert found(page) == make_diff(UNITS).pairs[0].outcomes.changes
    page.locator('.cell[data-from="NOUN"][data-to="PROPN"]').click()
    rows = expected(0, 1, "NOUN", "PROPN")
    assert rows
    assert found(page) == len(rows)
    marked = page.locator(".example mark").all_inner_texts()
    assert marked == [CONTEXTS.words[i // SENTENCE][i % SENTENCE] for i in rows][:50]
    where = page.locator(".example .where").all_inner_texts()
    assert all(text.endswith(f" s{i // SENTENCE + 1}") for i, text in zip(rows, where, strict=False))
    answers = page.locator(".example").first.locator("dd").all_inner_texts()
    assert answers[1].startswith("NOUN")
    assert answers[2].startswith("PROPN")


def test_rows_labels_and_slices_lead_to_theirs(visit, file):
    page = visit(file)
    pair = make_diff(UNITS).pairs[0]
    row = sorted_shifts(pair.transitions["correction"])[0]
    page.locator(f'[data-kind="1"][data-change="{row.source} → {row.target}"]').click()
    assert found(page) == row.count
    assert set(page.locator(".badge").all_inner_texts()) == {"Correction"}
    cells = page.locator("tr").filter(has=page.locator(f'[data-kind="1"][data-change="{row.source} → {row.target}"]'))
    shown = [text.replace("−", "-") for text in cells.locator("td").all_inner_texts()[:3]]
    assert shown == [f"{row.count:,}", f"{row.mirror:,}", f"{row.count - row.mirror:+,}"]
    # By ear, every row of every table has a name.
    named = page.locator("#charts tbody tr:not(.section) > th[scope=row]:first-child")
    assert named.count() == page.locator("#charts tbody tr:not(.section)").count()
    page.locator('[data-part="ADJ"]').click()
    code = UNITS.labels.index("ADJ")
    kinds = outcomes(UNITS)
    assert found(page) == int(((UNITS.gold == code) & (kinds > 0) & (kinds < 4)).sum())
    page.locator('[data-part="wiki"]').click()
    wiki = UNITS.slices["genre"].codes == 1
    assert found(page) == int((wiki & (kinds > 0) & (kinds < 4)).sum())


def test_classes_and_paging(visit, file):
    page = visit(file)
    page.get_by_role("button", name=re.compile("shared errors")).click()
    assert found(page) == make_diff(UNITS).pairs[0].outcomes.shared_error
    page.get_by_role("button", name=re.compile("corrections")).first.click()
    total = found(page)
    assert total > 50
    assert page.locator(".example").count() == 50
    page.get_by_role("button", name="Next →").click()
    assert f"51–{min(100, total)} of {total}" in page.locator("#pages").inner_text()


def test_another_pair_and_criterion(visit, file):
    page = visit(file)
    page.locator("#choice select").select_option(label="Newer → Third, LAS")
    pair = make_diff(PARSES).pairs[2]
    assert found(page) == pair.outcomes.changes
    assert "Newer → Third" in page.locator("#pair-kind").inner_text()
    # The line of a page that shows it follows; one headline of several pairs stays.
    assert page.locator("#verdict").get_attribute("data-line") == minus(glue(" · ".join(line_of(make_diff(PARSES), pair))))
    assert page.locator(".head sup").count() > 0
    page.locator('.cell[data-from="NOUN"][data-to="NOUN"]').click()
    assert found(page) == len(expected(1, 2, "NOUN", "NOUN", PARSES))


def test_a_verdict_that_begins_with_a_name_leaves_it_as_it_is(visit, file):
    page = visit(file)
    transform = "(part) => getComputedStyle(part, '::first-letter').textTransform"
    assert page.locator("#pair-reason").evaluate(transform) == "none"


def test_a_tree_shows_where_the_systems_leave_gold(visit, file):
    page = visit(file)
    page.locator("#choice select").select_option(label="Baseline → Newer, LAS")
    first = page.locator(".example").first
    assert first.locator("svg").count() == 0
    first.locator("summary").click()
    changed = make_changed(PARSES)
    here = np.flatnonzero(changed.contexts == changed.contexts[np.flatnonzero(np.isin(outcomes(changed.units), (1, 2, 3)))[0]])
    wrong = ~changed.units.correct[here][:, :2]
    tree = first.locator("svg")
    tree.wait_for()  # It is drawn when the fold has told that it is open.
    # One arrow for each word of gold, one below for each wrong answer; gold's are bold where anybody is wrong.
    assert tree.locator(".tip").count() == SENTENCE + int(wrong.sum())
    assert tree.locator(".tip.missed").count() == int(wrong.any(axis=1).sum())
    assert [tree.locator(f".tip.s{k}").count() for k in (1, 2)] == wrong.sum(axis=0).tolist()
    assert tree.locator(".word").count() == SENTENCE
    assert tree.get_attribute("aria-label").startswith("What the systems say instead of gold. ")
    page.locator("#choice select").select_option(label="Baseline → Newer, UPOS")
    assert page.locator(".tree").count() == 0


@pytest.mark.slow
def test_what_one_system_alone_has_right(visit, file):
    page = visit(file)
    kinds, right = outcomes(UNITS), UNITS.correct.sum(axis=1)
    changed = (kinds > 0) & (kinds < 4)
    alone = {name: changed & (right == 1) & UNITS.correct[:, k] for k, name in enumerate(UNITS.systems)}
    expected = {f"{name} alone": int(rows.sum()) for name, rows in alone.items()}
    expected |= {"no system": int((changed & (right == 0)).sum()), "2 of 3": int((changed & (right == 2)).sum())}
    for name, n in expected.items():
        if n:
            page.get_by_label("right with").select_option(name)
            assert found(page) == n


def test_search_filters_and_no_result(visit, file):
    page = visit(file)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("berlin")
    settled(page, lambda: all("Berlin" in text for text in page.locator(".sentence").all_inner_texts()))
    assert 0 < found(page) < make_diff(UNITS).pairs[0].outcomes.changes
    page.get_by_label("gold").select_option("VERB")
    assert all("VERB" in text for text in page.locator(".answers > div:first-child dd").all_inner_texts())
    page.locator("#search").fill("nowhere to be found")
    page.wait_for_selector(".empty")
    assert found(page) == 0
    page.get_by_role("button", name="Clear filters").click()
    assert found(page) == make_diff(UNITS).pairs[0].outcomes.changes


@pytest.mark.slow
def test_tables_are_sorted_within_their_classes(visit, file):
    page = visit(file)
    page.locator('[data-more="changes"]').click()
    table = page.locator("table.rows", has=page.locator("[data-change]"))
    counts = {name: [row.count for row in rows] for name, rows in make_diff(UNITS).pairs[0].transitions.items()}
    for turn in (1, -1):
        table.get_by_role("button", name="count").click()
        shown = [
            [int(text) for text in body.locator("tr.transition td:nth-child(2)").all_inner_texts()]
            for body in table.locator("tbody").all()
        ]
        assert shown == [sorted(rows, reverse=turn < 0) for rows in counts.values()]
    # Rows that were not tested stay below the line that says so.
    parts = page.locator("table.parts").first
    page.locator("[data-more=labels]").click()
    parts.get_by_role("button", name="units").click()
    last = parts.locator("tbody tr").last
    assert last.locator("td").first.inner_text() == str(min(row.n for row in make_diff(UNITS).pairs[0].labels))
    assert page.locator(".matrix .sorter").count() == 0


@pytest.mark.slow
def test_the_numbers_of_its_charts_are_tables(visit, file):
    page = visit(file)
    pair = make_diff(UNITS).pairs[0]
    read = {}
    for name in ("matrix", "changes", "labels"):
        with page.expect_download() as download:
            page.locator(f'[data-csv-of="{name}"]').click()
        assert download.value.suggested_filename == f"outscore-{name}.csv"
        read[name] = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    shifts = [row for rows in pair.transitions.values() for row in rows]
    counted = sorted((row["gold"], row["from"], row["to"], int(row["count"]), int(row["mirror"])) for row in read["changes"])
    assert counted == sorted((row.gold, row.source, row.target, row.count, row.mirror) for row in shifts)
    assert sum(int(row[kind]) for row in read["matrix"] for kind in list(row)[2:]) == pair.outcomes.changes
    assert {row["value"]: int(row["units"]) for row in read["labels"]} == {row.value: row.n for row in pair.labels}


def test_keyboard_alone(visit, file):
    page = visit(file)
    page.locator(".cell").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    cell = page.evaluate("({...document.activeElement.dataset})")
    assert set(cell) >= {"from", "to"}
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "examples"
    assert found(page) == len(expected(0, 1, cell["from"], cell["to"]))
    assert page.locator(".matrix button[tabindex='0']").count() == 1


def test_hostile_words_are_only_text(visit, file):
    page = visit(file)
    page.locator("#search").fill("alert(1)")
    settled(page, lambda: found(page) < 9)
    assert HOSTILE.rstrip("\u2028") in page.locator(".sentence").first.inner_text()
    assert page.locator("main script:not([type])").count() == 1
    assert page.locator(".sentence script").count() == 0


def test_hostile_labels_names_and_texts(visit, folder):
    evil = "</script><img src=x onerror=alert(1)>\"'&"
    base = make_units(n=400)
    units = base.__class__(
        **base.__dict__ | {"labels": (evil, *base.labels[1:]), "systems": (evil, "B"), "slices": {}, "criterion": "label"}
    )
    changed = make_changed(units)
    contexts = Contexts(
        tuple(f"q{i}" for i in range(50)), tuple((evil, "long answer " * 9) for _ in range(50)), ("question", evil)
    )
    path = folder / "explorer-hostile.html"
    path.write_text(
        render_html(make_diff(units, warnings=(evil,), notes=[Note("data", evil)]), [changed], contexts), encoding="utf-8"
    )
    page = visit(path)
    page.locator(".cell").first.click()
    assert page.locator("img").count() == 0
    assert evil in page.locator(".texts dd").first.inner_text()
    assert evil in page.locator(".answers").first.inner_text()


@pytest.mark.parametrize(("scheme", "size"), crossed(["light", "dark"], [WIDE, PHONE]))
def test_no_sideways_scrolling(visit, file, folder, scheme, size):
    page = visit(file, viewport=size, color_scheme=scheme)
    page.locator(".cell").first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(252, 252, 251)" if scheme == "light" else "rgb(20, 23, 27)"
    )
    picture(page, folder / f"explorer-{scheme}-{size['width']}.png")


def test_a_saved_result_says_that_it_has_no_examples(visit, folder):
    path = folder / "explorer-saved.html"
    path.write_text(render_html(make_diff(UNITS), [], None), encoding="utf-8")
    page = visit(path)
    page.locator(".cell").first.click()
    assert "contains counts but no examples" in page.locator("#no-examples").inner_text()


@pytest.mark.slow
def test_a_hundred_thousand_units_stay_usable(visit, folder):
    units = make_units(n=520_000)
    changed = make_changed(units)
    assert changed.units.n > 99_000
    path = folder / "explorer-large.html"
    # The rows of the pair are counted from few units: only the units shown are many.
    path.write_text(render_html(make_diff(make_units(n=400)), [changed], make_contexts(units)), encoding="utf-8")
    assert path.stat().st_size < 12e6
    page = visit(path)
    kinds = outcomes(units)
    assert found(page) == int(((kinds > 0) & (kinds < 4)).sum())
    page.locator('.cell[data-from="NOUN"][data-to="PROPN"]').click()
    assert found(page) == len(expected(0, 1, "NOUN", "PROPN", units))


@pytest.mark.slow
def test_of_many_systems_the_first_pair_has_tables_and_others_say_how_to_get_theirs(visit, folder):
    draw = np.random.default_rng(3)
    gold = draw.choice(list("abc"), 60)
    files = {"gold.csv": gold}
    for k in (6, 0, 1, 2, 3, 4, 5):
        files[f"s{k}.csv"] = np.where(draw.random(60) < 0.06 * (1 + k), draw.choice(list("abc"), 60), gold)
    rows = {name: "".join(f"{i},{label}\n" for i, label in enumerate(labels)) for name, labels in files.items()}
    page = visit(explored(folder / "seven", "label", **{name: f"id,label\n{text}" for name, text in rows.items()}))
    assert page.locator("#charts h3").first.inner_text() == "Transition matrix"
    assert page.locator("#charts .cell").count()
    # Of 21 pairs nobody reads a list.
    page.locator("#choice select").first.select_option("s6")
    page.locator("#choice select").nth(1).select_option("s3")
    told = page.locator("#no-tables").inner_text()
    assert told.startswith("Of 7 systems, only neighbours by score and the first two are compared label by label")
    assert re.search(r"outscore diff --task label \S+gold.csv \S+s6.csv \S+s3.csv", told)
    # Its changes are counted from the units that the page holds.
    first, second = files["s6.csv"], files["s3.csv"]
    changed = first != second
    shown = sum(int(text) for text in page.locator("#charts .cell").all_inner_texts())
    assert shown == changed.sum() > 0
    from_a = [sum((first == "a") & (second == to)) for to in "bc"]
    cells = [page.locator(f'.cell[data-from="a"][data-to="{to}"]') for to in "bc"]
    assert [int(cell.inner_text()) if cell.count() else 0 for cell in cells] == from_a
    # What any of them has right, and what two of them have.
    systems = [labels for name, labels in files.items() if name != "gold.csv"]
    right = int(np.logical_or.reduce([labels == gold for labels in systems]).sum())
    assert f"At least one of 7 systems is right on {right} of 60" in page.locator("#oracle").inner_text()
    for name in ("s0", "s1", "s2", "s4", "s5"):
        page.locator(".chosen-systems").get_by_label(name).uncheck()
    both = int(((first == gold) | (second == gold)).sum())
    assert f"At least one of 2 systems is right on {both} of 60" in page.locator("#oracle").inner_text()
    page.locator("#choice select").nth(1).select_option("s0")
    assert not page.locator("#no-tables").count()


def test_the_map_of_many_systems_leads_to_a_pair_and_its_items(visit, folder):
    draw = np.random.default_rng(5)
    gold = draw.choice(list("abc"), 150)
    rows = {"gold.csv": gold}
    for k in (4, 0, 3, 1, 2):
        rows[f"s{k}.csv"] = np.where(draw.random(150) < 0.03 + 0.12 * k, draw.choice(list("abc"), 150), gold)
    files = {name: "id,label\n" + "".join(f"{i},{x}\n" for i, x in enumerate(labels)) for name, labels in rows.items()}
    page = visit(explored(folder / "five", "label", **files))
    accuracy = {name[:2]: (labels == gold).mean() for name, labels in rows.items() if name != "gold.csv"}
    order = sorted(accuracy, key=lambda name: -accuracy[name])
    table = page.locator("#map table")
    assert table.locator("tbody th").all_inner_texts() == [f"{i} {name}" for i, name in enumerate(order, 1)]
    assert table.locator("tbody button").count() == 5 * 4
    # The verdict is about all five, whatever pair is chosen.
    told = page.locator("#verdict").inner_text()
    assert "5 systems" in told
    assert f"{order[0]} {100 * accuracy[order[0]]:.2f}" in told
    assert "of 10 pairs differ significantly" in told
    # It opens on the two best, and the scores stand best first.
    assert page.locator("#verdict h1").inner_text().endswith(("share the lead", "leads"))
    assert page.locator(".overview table").first.locator("tbody th").all_inner_texts() == order
    assert set(page.locator("#map [aria-current]").first.get_attribute("aria-label").split(":")[0].split()) >= set(order[:2])
    # A cell leads to its pair, the pair to its items.
    cell = table.locator("tbody tr").first.locator("button").last
    assert cell.inner_text() == ">"
    assert "adjusted" in cell.get_attribute("aria-label")
    cell.click()
    first, last = rows[f"{order[0]}.csv"], rows[f"{order[-1]}.csv"]
    assert {order[0], order[-1]} <= set(re.findall(r"s\d", page.locator("#pair-reason").inner_text()))
    assert found(page) == int((first != last).sum())
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.closest('#map') !== null")


def test_what_contradicts_the_verdict_changes_with_the_pair(visit, folder):
    diff = make_diff(UNITS)
    first, second = (
        replace(pair, notes=[Note("contradiction", f"Against this, {i}.")]) for i, pair in enumerate(diff.pairs[:2])
    )
    path = folder / "against.html"
    path.write_text(render_html(replace(diff, pairs=[first, second, *diff.pairs[2:]])), encoding="utf-8")
    page = visit(path)
    beside = page.locator("#verdict ~ section.warnings")
    assert beside.all_inner_texts() == ["Check first. Against this, 0."]
    page.locator("#choice select").select_option(index=1)
    assert beside.all_inner_texts() == ["Check first. Against this, 1."]
    page.locator("#choice select").select_option(index=2)
    assert not beside.count()


def test_every_arc_has_its_label_beside_no_other(visit, tmp_path):
    """Also where all agree; and a long tree opens on the word that changed."""
    words = [f"word{i}" for i in range(40)]
    relations = ["root", *(["acl:relcl", "compound", "det", "nsubj:pass"][i % 4] for i in range(39))]

    def file(last: str) -> str:
        rows = [
            f"{i + 1}\t{word}\t_\tX\t_\t_\t{i}\t{relation}\t_\t_"
            for i, (word, relation) in enumerate(zip(words, [*relations[:-1], last], strict=True))
        ]
        return "\n".join(rows) + "\n\n"

    made = explored(tmp_path, "dep", **{"gold.conllu": file("obl"), "old.conllu": file("obl"), "new.conllu": file("nmod")})
    page = visit(made)
    page.locator(".tree summary").click()
    page.locator(".tree svg").wait_for()
    shown = page.locator(".tree text.rel").all_text_contents()
    assert shown == ["root", *(relation.partition(":")[0] for relation in relations[1:-1]), "obl", "nmod"]
    boxes = [label.bounding_box() for label in page.locator(".tree text.rel:not(.s2)").all()]
    apart = [left["x"] + left["width"] <= right["x"] + 1 for left, right in pairwise(boxes[1:])]
    assert all(apart)
    changed, window = page.locator(".tree .word.at").bounding_box(), page.locator(".tree .scroll").bounding_box()
    assert window["x"] <= changed["x"]
    assert changed["x"] + changed["width"] <= window["x"] + window["width"]


GOLD_CHAINS = [
    ("Ada", "(1)"),
    ("saw", "-"),
    ("Bob", "(2)"),
    (".", "-"),
    None,
    ("She", "(1)"),
    ("left", "-"),
    ("him", "(2)"),
    ("and", "-"),
    ("it", "(3)"),
    None,
]
NEW_CHAINS = {"him": "(1)"}


def test_chains_are_coloured_through_the_document(visit, tmp_path):
    def file(changed: dict[str, str]) -> str:
        lines = [
            "" if row is None else f"d 0 {i} {row[0]} NN {changed.get(row[0], row[1])}" for i, row in enumerate(GOLD_CHAINS)
        ]
        return "\n".join(["#begin document (d); part 000", *lines, "#end document", ""])

    page = visit(explored(tmp_path, "coref", **{"gold.conll": file({}), "old.conll": file({}), "new.conll": file(NEW_CHAINS)}))
    example = page.locator(".example").filter(has=page.locator("mark", has_text="him")).first
    example.locator(".chains summary").click()

    def chains() -> dict[str, str]:
        return {
            text.lstrip("0123456789"): text[: len(text) - len(text.lstrip("0123456789"))]
            for text in example.locator(".mention").all_inner_texts()
        }

    example.locator(".document").wait_for()
    assert chains() == {"Ada": "1", "Bob": "2", "She": "1", "him": "2", "it": ""}
    assert example.locator(".mention.own").all_inner_texts() == ["2Bob", "2him"]
    example.locator(".chains select").select_option("new")
    assert chains() == {"Ada": "1", "Bob": "", "She": "1", "him": "1", "it": ""}
    colours = [
        mention.evaluate("(part) => getComputedStyle(part).borderBottomColor")
        for mention in example.locator(".mention.own").all()
    ]
    assert len(colours) == 3
    assert len(set(colours)) == 1

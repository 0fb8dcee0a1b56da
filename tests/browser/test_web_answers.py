"""No answer is lost and none is wrong: files keep their parts, late answers come too late, and what does not fit is said."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager

import pytest
from tests.browser.screens import PATIENCE
from tests.browser.web_server import bring, brought, choose, expect, known, quiet, sent, start, there, unfold, visited
from tests.log_files import lm_eval
from tests.variants import variants

A, B, C = ("".join(f"{i * step % 7 / 7:.2f}\n" for i in range(40)) for step in (2, 3, 5))
TABLE = "item,ash,birch\n" + "".join(f"i{i},{i % 3 > 0:d},{i % 4 < 1:d}\n" for i in range(40))
BOARD = "item,ash,birch,cedar\n" + "".join(f"i{i},{i % 3 > 0:d},{i % 4 < 1:d},{i % 2}\n" for i in range(40))
COUNTS = "".join(f"{i % 3} {i % 2} {(i + 1) % 3} {i % 4}\n" for i in range(40))
SCORES = "".join(f"{a} {b}\n" for a, b in zip(A.split(), B.split(), strict=True))


@contextmanager
def compared(browser, server, **brought_with):
    """The guided comparison of files, when it is there."""
    with brought(browser, server, "compare", **brought_with) as page:
        there(page.locator("#steps"))
        yield page


class Held:
    """Answers that are held back until they are let go."""

    def __init__(self, page, pattern):
        self.page, self.pattern, self.waiting, self.free = page, pattern, [], False
        page.route(pattern, self._take)

    def _take(self, route):
        route.continue_() if self.free else self.waiting.append(route)

    def wait(self):
        """Wait until one is held back."""
        deadline = time.monotonic() + PATIENCE / 1000
        while not self.waiting:
            assert time.monotonic() < deadline, f"nobody asked for {self.pattern}"
            self.page.wait_for_timeout(20)

    def let_go(self):
        """Give the first one, and the page time to put it in place."""
        self.free = True
        with self.page.expect_response(self.pattern) as late:
            self.waiting[0].continue_()
        late.value.finished()
        # What follows an answer is over when nothing is busy any more and a task later.
        quiet(self.page)
        self.page.evaluate("() => new Promise((next) => setTimeout(next))")


@contextmanager
def empty_view(browser, server, address):
    """A view that waits for files."""
    with visited(browser, server, address) as page:
        there(page.locator("#empty h1"))
        yield page


@pytest.mark.slow
def test_scores_are_systems_whatever_their_files_are_called(browser, server):
    with visited(browser, server) as page:
        bring(page, human_txt=A, gpt_txt=B, target_txt=C)
        start(page, "Rank all systems")
        there(page.locator(".ranked").first)
        assert "reference=" not in page.url
        assert sorted(re.findall(r"\b(?:human|gpt|target)\b", page.locator(".ranked").first.inner_text())) == [
            "gpt",
            "human",
            "target",
        ]


@pytest.mark.slow
def test_a_leaderboard_is_ranked_whatever_it_is_called(browser, server):
    with visited(browser, server, None) as page:
        for name in ("test.csv", "human-eval.csv", "docs.csv"):
            page.goto(f"{server}/rank")
            there(page.locator("#empty h1"))
            choose(page, (name, BOARD))
            # As one of the systems' files, and neither as gold nor as a reference.
            page.wait_for_url(lambda url: "?files=" in url)
        there(page.locator("svg.heat"))


@pytest.mark.slow
def test_files_of_one_name_are_all_there(browser, server):
    with visited(browser, server) as page:
        choose(page, ("scores.txt", A), ("scores.txt", B))
        start(page, "Compare two systems")
        there(page.locator("#steps"))
        assert len(re.search(r"files=([^&]*)", page.url)[1].split(",")) == 2
    with empty_view(browser, server, "/rank") as page:
        choose(page, ("scores.txt", A), ("scores.txt", B), ("scores.txt", C))
        there(page.locator(".ranked").first)
        assert page.locator("#file-list > li").count() == 3


@pytest.mark.slow
def test_another_system_does_not_become_the_right_answers(browser, server):
    tagged = "".join(f"w{i}\t{'NV'[i % 2]}\n" + "\n" * (i % 5 == 4) for i in range(40))
    with empty_view(browser, server, "/diff") as page:
        choose(page, ("gold.tsv", tagged), ("one.tsv", tagged.replace("w3\tV", "w3\tN")))
        there(page.locator(".matrix, #result .verdict").first)
        choose(page, ("two.tsv", tagged), ("three.tsv", tagged))
        expect(page.locator("#file-list > li")).to_have_count(4)
        parts = page.locator("#file-list select").evaluate_all("(controls) => controls.map((control) => control.value)")
        assert parts == ["gold", "files", "files", "files"]


def test_what_is_missing_is_said(browser, server):
    with empty_view(browser, server, "/texts") as page:
        choose(page, ("new.txt", "a cat\nsat here\n"), ("old.txt", "a dog\nsat there\n"))
        there(page.locator("#file-list > li").nth(1))
        expect(page.locator("#work")).to_have_text("Still needed: References.")
        page.get_by_label("Part of old.txt").select_option("reference")
        expect(page.locator("#banner")).to_contain_text("1 system found, but two are needed: new. Name another file.")


@pytest.mark.slow
def test_a_plan_does_not_get_the_answer_to_another_question(browser, server):
    with visited(browser, server, "/plan") as page:
        late = Held(page, "**/download.html")
        late.wait()
        page.get_by_label("Which p-values do two published scores allow?").check()
        expect(page.locator("#answer")).to_have_text("Still needed: Printed scores and Number of items.")
        late.let_go()
        expect(page.locator("#answer")).to_have_text("Still needed: Printed scores and Number of items.")
        assert page.locator("#result figure").count() == 0
        assert page.locator("#taking").is_hidden()


@pytest.mark.slow
def test_pictures_of_another_plan_are_not_taken_for_those_of_this_one(browser, server):
    with visited(browser, server, "/plan") as page:
        there(page.locator("#result:not(.old) figure").first)
        late = Held(page, "**/download.html")
        page.get_by_label("Difference", exact=True).fill("0.05")
        there(page.locator("#result.old"))
        assert page.locator("#taking").is_hidden()
        late.wait()
        late.let_go()
        there(page.locator("#result:not(.old) figure").first)
        assert page.locator("#taking").is_visible()


def test_typing_asks_once(browser, server):
    with visited(browser, server, "/plan") as page:
        expect(page.locator("#answer h2")).to_contain_text("You need")
        asked = []
        page.on("request", lambda request: asked.append(request.url) if "/api/plan" in request.url else None)
        difference = page.get_by_label("Difference", exact=True)
        difference.fill("")
        # All keys at once, as fast as the page takes them.
        difference.evaluate(
            """(control) => {
              for (const value of ["0", "0.0", "0.01", "0.012", "0.0123"]) {
                control.value = value;
                control.dispatchEvent(new Event("input", { bubbles: true }));
              }
            }"""
        )
        expect(page.locator("#answer .why")).to_contain_text("0.0123")
        assert len(asked) == 1


@pytest.mark.slow
def test_what_is_no_number_is_refused_where_it_stands(browser, server, comparison):
    page = comparison
    level = page.get_by_label("Level", exact=True)
    level.focus()
    page.keyboard.press("End")
    page.keyboard.type("-")
    problem = page.locator("#banner .problem")
    expect(problem).to_contain_text("“Level” is not a number")
    assert page.evaluate("() => document.body.classList.contains('unanswered')")
    page.keyboard.press("Backspace")
    expect(problem).to_have_count(0)
    expect(page.locator("body")).not_to_have_class(re.compile("unanswered"))
    with visited(browser, server, "/plan") as page:
        expect(page.locator("#answer h2")).to_contain_text("You need")
        page.get_by_label("Difference", exact=True).focus()
        page.keyboard.press("End")
        page.keyboard.type("-")
        expect(page.locator("#banner .problem")).to_contain_text("is not a number")


@pytest.mark.slow
def test_what_does_not_fit_in_an_address_is_said(comparison):
    page = comparison
    expect(page.locator("#unfit")).to_be_hidden()
    unfit = "alpha=abc&test=foo&nonsense=1&unit-size=5&unit-size=6&set.zeros=pratt"
    page.goto(f"{page.url}&{unfit}&margin=0.1&alternative=two-sided&seed=0")
    said = page.locator("#unfit")
    for setting in unfit.split("&"):
        expect(said).to_contain_text(setting)
    assert page.locator("#unfit code").count() == 6
    there(page.locator("#steps"))
    assert "margin=0.1" in page.url
    page.get_by_label("Margin").fill("0.2")
    expect(said).to_be_hidden()


@pytest.mark.slow
def test_a_setting_belongs_to_the_test_it_was_given_for(comparison):
    page = comparison
    page.goto(f"{page.url}&test=bootstrap&resamples=500")
    there(page.locator("#steps"))
    unfold(page)
    resamples = page.locator("[data-field=resamples]:visible input")
    assert resamples.input_value() == "500"
    page.get_by_label("Test", exact=True).select_option("permutation")
    page.wait_for_url(lambda url: "bootstrap" not in url)
    assert "resamples" not in page.url


@pytest.mark.slow
def test_the_early_verdict_is_that_of_the_report(browser, server):
    table = TABLE.replace("ash", "gpt: a").replace("birch", "gpt: b")
    with visited(browser, server, None) as page:
        late = Held(page, "**/download.html")
        page.goto(server + sent(server, "compare", board_csv=table))
        there(page.locator("#answer .early"))
        late.wait()
        early = [page.locator(f"#answer {part}").inner_text() for part in ("h1", ".why")]
        assert early[0] == "gpt: a outscored gpt: b"
        late.let_go()
        there(page.locator("#steps"))
        assert [page.locator(f"#answer {part}").inner_text() for part in ("h1", ".why")] == early


@pytest.mark.slow
def test_an_unfinished_answer_does_not_stay(browser, server):
    with compared(browser, server, new_txt=A, old_txt=B) as page:
        before = page.locator("#answer .why").inner_text()
        late = Held(page, "**/download.html")
        page.get_by_label("Test", exact=True).select_option("student")
        there(page.locator("#answer .early"))
        late.wait()
        page.locator("#files > summary").click()
        remove = page.locator("#file-list").get_by_role("button", name="Remove")
        remove.last.click()
        expect(page.locator(".problem:visible").first).to_contain_text("new.txt")
        assert page.locator("#answer .why").inner_text() == before
        assert page.locator(".early, .stale").count() == 0
        remove.click()
        there(page.get_by_role("heading", name="Compare two systems"))
        expect(page.locator("#answer")).to_be_empty()
        expect(page.locator(".problem:visible")).to_have_count(0)
        assert page.locator("#steps").is_hidden()


@pytest.mark.slow
def test_a_file_that_was_removed_elsewhere_is_named(browser, server):
    with compared(browser, server, refused=404, new_txt=A, old_txt=B) as page:
        ids = re.search(r"files=([^&]*)", page.url)[1].split(",")
        assert page.request.delete(f"{server}/api/files/{ids[1]}", headers=known(server)).ok
        page.get_by_label("Test", exact=True).select_option("student")
        expect(page.locator("#gone")).to_contain_text("old.txt is no longer available. Files are deleted")
        expect(page.locator("#file-list > li")).to_have_count(1)
        assert page.request.delete(f"{server}/api/files/{ids[0]}", headers=known(server)).ok
        page.get_by_label("Test", exact=True).select_option("sign")
        expect(page.locator("#gone")).to_contain_text("new.txt is no longer available.")
        assert page.locator("#steps").is_hidden()


def test_nothing_follows_a_form_that_cannot_be_had(browser, server):
    with visited(browser, server, None) as page:
        refusal = {"error": "There is no form today.", "hint": None, "setting": None}
        page.route("**/api/options/compare", lambda route: route.fulfill(status=422, json=refusal))
        page.goto(f"{server}/compare")
        expect(page.locator("#work")).to_have_text("There is no form today.")


@pytest.mark.slow
def test_a_trial_belongs_to_its_data(comparison):
    page = comparison
    page.get_by_label("Test to try").select_option("student")
    page.get_by_label("Samples per size").fill("5")
    page.get_by_role("button", name="Try it on samples like these").click()
    there(page.locator("#tried figure").first)
    unfold(page)
    page.get_by_role("spinbutton", name="Unit size").fill("2")
    expect(page.locator("#tried")).to_be_empty()
    # One that cannot be shown says why.
    refusal = {"error": "It cannot be drawn.", "hint": None, "setting": None}
    there(page.locator("#shown-test .numbers"))
    page.route("**/download.html", lambda route: route.fulfill(status=422, json=refusal))
    page.get_by_role("button", name="Try it on samples like these").click()
    expect(page.locator("#trying")).to_have_text("It cannot be drawn.")


@pytest.mark.slow
def test_a_trial_is_of_the_units_and_the_test_of_the_comparison(browser, server):
    grouped = "item,batch,ash,birch\n" + "".join(f"i{i},d{i // 4},{i * 2 % 7 / 7:.2f},{i * 3 % 7 / 7:.2f}\n" for i in range(40))
    with compared(browser, server, settings="&cluster=batch", table_csv=grouped) as page:
        page.get_by_label("Test", exact=True).select_option("student")
        expect(page.locator("#answer .why")).to_contain_text("t test")
        expect(page.get_by_label("Test to try")).to_have_value("student")
        page.get_by_label("Samples per size").fill("5")
        with page.expect_request(lambda one: one.method == "POST" and one.url.endswith("/api/jobs")) as asked:
            page.get_by_role("button", name="Try it on samples like these").click()
        settings = asked.value.post_data_json["settings"]
        assert {name: settings[name] for name in ("cluster", "test")} == {"cluster": "batch", "test": "student"}
        expect(page.locator("#tried figcaption").first).to_contain_text("student")
        # The plan goes on with the same units, and with the test as soon as one is to be tried.
        page.get_by_role("link", name="Plan").click()
        there(page.locator("#result:not(.old) figure").first)
        assert page.get_by_label("Clusters", exact=True).input_value() == "batch"
        expect(page.locator("#unfit")).to_be_hidden()
        page.locator("[data-field=replicates] input").evaluate("(control) => { control.value = 5; }")
        page.get_by_label("Try a test").check()
        expect(page.get_by_label("Test", exact=True)).to_have_value("student")
        expect(page.locator("figure[data-key^=tried] figcaption").first).to_contain_text("student test")
        expect(page.locator("figure[data-key^=tried] figcaption").first).to_contain_text("your 10 clusters")


@pytest.mark.slow
def test_counts_are_not_offered_what_counts_cannot_have(browser, server):
    with compared(browser, server, counts_txt=COUNTS) as page:
        assert page.locator("#trial").is_hidden()
        # What is there has the room.
        assert page.locator("#shown-power").bounding_box()["width"] > 1000


@pytest.mark.slow
def test_two_of_three_systems_are_always_two(browser, server):
    with compared(browser, server, board_csv=BOARD) as page:
        first, second = page.get_by_label("System A"), page.get_by_label("System B")
        assert [first.input_value(), second.input_value()] == ["ash", "birch"]
        second.select_option("ash")
        expect(page.locator("#shown-test .numbers dt").first).to_have_text("birch")
        assert [first.input_value(), second.input_value()] == ["birch", "ash"]
        first.select_option("")
        assert second.input_value() == ""
        second.select_option("ash")
        assert first.input_value() == "birch"


@pytest.mark.parametrize("name", variants(("table_csv", "scores_txt"), ("table_csv",)))
def test_two_systems_of_one_table_change_places(browser, server, name):
    with compared(browser, server, **{name: {"table_csv": TABLE, "scores_txt": SCORES}[name]}) as page:
        names = page.locator("#shown-test .numbers dt").all_inner_texts()[:2]
        page.locator("#files > summary").click()
        page.get_by_role("button", name="Swap A and B").click()
        expect(page.locator("#shown-test .numbers dt").first).to_have_text(names[1])
        page.get_by_role("button", name="Swap A and B").click()
        expect(page.locator("#shown-test .numbers dt").first).to_have_text(names[0])


def drop_paths(page, *paths):
    """Drop files or folders on the page, as a mouse does."""
    there(page.locator(".offer").first)
    mouse = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        mouse.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def test_an_empty_folder_is_said_to_be_one(browser, server, tmp_path):
    (tmp_path / "runs").mkdir()
    with visited(browser, server) as page:
        drop_paths(page, tmp_path / "runs")
        expect(page.locator("#problems")).to_contain_text("runs is an empty folder.")


def test_a_folder_of_logs_is_dropped_and_compared(browser, server, tmp_path):
    lm_eval(tmp_path / "runs", task="sums")
    lm_eval(tmp_path / "runs", task="products", filters=("strict", "flexible"))
    (tmp_path / "runs" / "board.csv").write_text(TABLE)
    with visited(browser, server) as page:
        drop_paths(page, tmp_path / "runs")
        card = page.get_by_role("article").filter(has_text="a log of lm-evaluation-harness, system maker/amber, task sums")
        there(card)
        # What came with the logs is out of the way, and a table beside them is no part of them.
        expect(page.get_by_text("2 files beside the logs")).to_be_visible()
        assert page.locator(".card:visible").count() == 5
        ways = page.locator("#ways")
        expect(ways.get_by_role("listitem").first).to_contain_text("Without board.csv, which is not a log.")
        ways.get_by_role("button", name="Compare").click()
        # Two tasks: the page says so, and offers both.
        task, chosen = page.locator("[data-field=log-task]"), page.get_by_label("Task of the logs")
        expect(page.locator("#banner")).to_contain_text("The logs contain 2 tasks")
        # One click is enough.
        cures = page.locator("#banner .cures button")
        assert cures.all_inner_texts() == ["Task of the logs: products", "Task of the logs: sums"]
        assert task.locator("option").all_inner_texts() == ["choose one", "products", "sums"]
        # Which filters there are is for the task to say.
        cures.first.click()
        expect(page.locator("#banner")).to_contain_text("were scored by 2 filters: strict and flexible")
        page.get_by_label("Filter").select_option("strict")
        expect(page.locator("#answer h1")).to_contain_text("No winner")
        # The answer is what everybody waits for, and the questions behind it are there.
        expect(page.locator("#answer h1")).to_be_in_viewport()
        expect(page.locator("#shown-report")).to_contain_text("Questions that made the difference")
        chosen.select_option("sums")
        expect(page.locator("[data-field=filter]")).to_be_hidden()
        expect(page.locator("#shown-test .numbers")).to_be_visible()
        page.wait_for_url(lambda url: "log-task=sums" in url and "filter" not in url)
        page.get_by_role("link", name="Logs").click()
        expect(page.locator("#result h1")).to_contain_text("2 systems on 2 tasks")


@pytest.mark.slow
def test_answers_of_logs_are_looked_at_one_by_one(browser, server, tmp_path):
    lm_eval(tmp_path / "runs", task="sums", filters=("strict", "flexible"))
    with visited(browser, server) as page:
        drop_paths(page, tmp_path / "runs")
        page.locator("#ways").get_by_role("button", name="See what changed").click()
        expect(page.locator("#banner")).to_contain_text("2 filters")
        page.get_by_label("Filter").select_option("flexible")
        expect(page.locator("#result h1")).to_contain_text(re.compile(r": \d+ corrected, \d+ broken"))
        expect(page.locator("#examples .example").first).to_contain_text("question")


@pytest.mark.slow
def test_the_address_of_the_start_holds_the_parts_of_columns(browser, server):
    with visited(browser, server) as page:
        bring(page, board_csv=BOARD)
        page.get_by_label("Part of column item").select_option(label="clusters")
        assert "cluster=item" in page.url
        page.reload()
        part = page.get_by_label("Part of column item")
        there(part)
        assert part.input_value() == "cluster"


@pytest.mark.slow
def test_any_number_of_files_is_taken_and_the_way_on_stays_in_sight(browser, server):
    with visited(browser, server) as page:
        choose(page, *((f"s{i}.txt", "1\n0\n1\n") for i in range(101)), ("bad.txt", "1 0\n0 x\n1 1\n0 0\n"))
        there(page.get_by_role("button", name="Rank all systems"))
        expect(page.get_by_text("95 more files")).to_be_visible()
        assert page.locator(".card:visible").count() == 7
        assert page.get_by_role("article", name="bad.txt").is_visible()


def test_a_server_that_is_full_is_no_fault_of_a_field(browser, server, finished):
    with visited(browser, server, finished.url.removeprefix(server), refused=503, opener=finished) as page:
        page.locator("#steps").wait_for()
        full = {"error": "The page is busy.", "hint": None, "setting": "margin"}
        page.route("**/api/jobs", lambda route: route.fulfill(status=503, json=full))
        page.get_by_label("Margin").fill("0.2")
        expect(page.locator("#banner .problem")).to_contain_text("The page is busy.")
        assert page.locator("[aria-invalid], [aria-describedby~=refusal]").count() == 0


def test_what_failed_can_be_tried_again(comparison):
    page = comparison
    refusal = {"error": "It cannot be drawn.", "hint": None, "setting": None}
    page.route("**/charts", lambda route: route.fulfill(status=422, json=refusal))
    pictures = page.get_by_text("Charts to download")
    pictures.click()
    expect(page.get_by_text("It cannot be drawn.")).to_be_visible()
    page.unroute("**/charts")
    charts = [{"name": "null", "title": "Chance", "caption": ""}]
    page.route("**/charts", lambda route: route.fulfill(json=charts))
    pictures.click()
    pictures.click()
    there(page.get_by_role("link", name="SVG"))
    drawn = page.get_by_role("region", name="Charts to download").get_by_role("link")
    assert [link.get_attribute("href").rpartition("/")[2] for link in drawn.all()] == [
        "null.svg",
        "null.png",
        "null.pdf",
        "null.csv",
    ]
    # A clipboard that is forbidden leaves the text selected.
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden')); }")
    page.get_by_role("button", name="Copy").first.click()
    there(page.get_by_role("button", name="Press Ctrl+C"))
    assert page.evaluate("() => String(getSelection())").startswith("outscore compare")


def test_who_comes_back_to_a_page_finds_the_answer(comparison):
    page = comparison
    late = Held(page, "**/api/jobs/*?wait=1")
    page.get_by_label("Test", exact=True).select_option("student")
    late.wait()
    with page.expect_request(lambda request: request.method == "DELETE"):
        page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    late.let_go()
    page.evaluate("() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.locator("#answer .why")).to_contain_text("t test")
    expect(page.locator("#work")).to_be_empty()


@pytest.mark.slow
def test_what_a_command_noted_is_shown(browser, server):
    with visited(browser, server, None) as page:

        def noted(route):
            answer = route.fetch()
            route.fulfill(
                response=answer, json={**json.loads(answer.text()), "notes": ["`x` was full, so <b>nothing</b> was kept."]}
            )

        page.route("**/api/jobs/*", noted)
        page.goto(server + sent(server, "compare", scores_txt=SCORES))
        expect(page.locator("#work .noted")).to_have_text("x was full, so <b>nothing</b> was kept.")


TWICE = "id,x,y\n" + "".join(f"{i // 2},{i % 3 > 0:d},{i % 4 < 1:d}\n" for i in range(40))


REFUSED = {
    "twice": (TWICE, "", "duplicates", "has the score 1 on item 0"),
    "alpha": (TABLE, "&alpha=2", "alpha", "alpha is 2"),
    "units": (TABLE, "&unit-size=100", "unit-size", "unit"),
    "metric": (TABLE, "&metric=f1", None, "f1"),
}


@pytest.mark.parametrize("case", variants(REFUSED, ("twice",)))
def test_a_first_answer_that_is_refused_offers_what_would_cure_it(browser, server, case):
    table, query, field, said = REFUSED[case]
    with brought(browser, server, "compare", settings=query, table_csv=table) as page:
        refused = page.locator(".problem:visible")
        expect(refused).to_contain_text(said)
        expect(refused).to_be_in_viewport()
        expect(page.get_by_label("Test", exact=True)).to_be_visible()
        if field is None:
            return
        control = page.locator(f"[data-field={field}]").locator("input, select")
        expect(control).to_have_attribute("aria-invalid", "true")
        assert said in page.locator("#" + control.get_attribute("aria-describedby").split()[-1]).inner_text()
        if field == "duplicates":
            control.select_option("mean")
            there(page.locator("#answer .verdict"))
            expect(page.locator(".step-nav")).to_be_visible()
            expect(control).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.slow
def test_the_verdict_stays_in_sight_and_files_come_along(browser, server):
    with brought(browser, server, "compare", board_csv=BOARD) as page:
        said = page.locator("#step-verdict")
        expect(said).to_have_text(re.compile(r"^ash outscored birch · p\s=\s\.[\d]+ · \+0\.4000, 95%\sCI 0\.\d+ to 0\.\d+$"))
        # It is there as soon as the headline is not.
        expect(said).to_be_hidden()
        page.locator("#shown-effect").scroll_into_view_if_needed()
        expect(said).to_be_in_viewport()
        assert page.locator("#answer .warnings").inner_text().startswith("Check first. ash and birch are two of the 3 systems")
        page.get_by_label("Margin").fill("0.5")
        expect(page.locator("#shown-effect .facts")).to_contain_text("non-inferior")
        expect(page.locator("#shown-test .facts")).not_to_contain_text("non-inferior")
        # Loaded anew, the page finds its answer where it was.
        asked = []
        page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
        page.reload()
        expect(page.locator("#shown-effect .facts")).to_contain_text("non-inferior")
        assert [url for url in asked if url.endswith("/api/jobs")] == []
        page.get_by_role("link", name="Rank").click()
        there(page.locator(".ranked").first)
        assert page.locator("#file-names").inner_text() == "board.csv"
        assert "along=" not in page.url
        page.get_by_role("link", name="outscore").click()
        there(page.get_by_role("article", name="board.csv"))


@pytest.mark.slow
def test_what_cannot_be_compared_is_not_offered(browser, server):
    tree = "1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n"
    chains = "#begin document (a); part 000\na 0 0 Dogs NN (1)\na 0 1 they PRP (1)\n\n#end document\n"
    with visited(browser, server) as page:
        bring(page, bad_txt="1 0\n0 x\n1 1\n0 0\n")
        expect(page.locator("#next")).to_be_hidden()
        choose(page, ("gold.conllu", tree), ("key.conll", chains))
        expect(page.locator("#ways")).to_contain_text("Outputs of different kinds cannot be compared: gold.conllu (conllu)")
        expect(page.get_by_role("article", name="key.conll")).to_be_visible()
        # Scores that are missing are for a ranking, which is said where they are.
        page.goto(page.url.partition("?")[0])
        bring(page, gaps_csv="item,ash,birch,cedar\n1,1,0,1\n2,1,,0\n3,0,1,1\n4,1,0,0\n")
        expect(page.locator("#ways li")).to_have_text(re.compile("Rank all systems3 systems; scores are missing"))

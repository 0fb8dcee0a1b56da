from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from itertools import islice

import pytest
from tests.report.forms import render_latex, render_markdown
from tests.report.ranking_making import HOSTILE, MADE
from tests.variants import a_few

from outscore.cli.output import deliver
from outscore.report.citations import cited, uses_of_ranking
from outscore.report.render import render
from outscore.report.rows.places import headline
from outscore.results.design import Family
from outscore.results.ranking import Ranking

FORMS = ("text", "markdown", "latex", "csv", "pairs")


@pytest.mark.parametrize("name", ["sixteen", "datasets", "baseline", "odd"])
def test_markdown(golden, name):
    golden(f"report/ranking-{name}.md", render_markdown(MADE[name]()))


@pytest.mark.parametrize("name", ["sixteen", "datasets", "baseline", "odd"])
def test_latex(golden, name):
    golden(f"report/ranking-{name}.tex", render_latex(MADE[name]()))


def test_everything_in_markdown_and_latex():
    ranking = MADE["datasets"]()
    for text in (render_markdown(ranking, verbose=True), render_latex(ranking, verbose=True)):
        for part in ("Replicability", "Mean ranks", "Pairs by accuracy", "Settings"):
            assert part in text


@pytest.mark.parametrize("render", [render_markdown, render_latex])
@pytest.mark.parametrize("name", MADE)
def test_the_correction_is_named_in_every_form(name, render):
    text = render(MADE[name]())
    assert f"Holm over m = {MADE[name]().family.m:,}" in text
    assert "FWER" in text
    assert "permutation test, two-sided" in text


@pytest.mark.parametrize("name", MADE)
def test_latex_is_balanced_and_rows_are_full(name):
    text = render_latex(MADE[name]())
    plain = re.sub(r"\\[{}]", "", re.sub(r"\\textbackslash\{\}", "", text))
    assert plain.count("{") == plain.count("}")
    for table in re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.DOTALL):
        rows = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1


def test_markdown_rows_are_full():
    for line in render_markdown(MADE["odd"]()).splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) >= 3
            assert not re.search(r"(?<!\\)<", line)


def test_letters_and_arrows_are_superscripts():
    assert r"0.2874$^{\mathrm{ab}}$" in render_latex(MADE["sixteen"]())
    against = render_latex(MADE["baseline"]())
    assert r"0.5024$^{\uparrow}$" in against
    assert r"0.4177$^{\downarrow}$" in against
    assert r"baseline & 0.4593 &" in against


def test_many_systems_are_cut_in_latex_unless_all_are_asked_for():
    ranking = MADE["two-hundred"]()
    assert "140 more systems are not shown" in render_latex(ranking)
    assert "system-199" in render_latex(ranking, verbose=True)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", ["datasets", "ninety-three", "odd"])
def test_csv_has_every_number_in_full(name):
    ranking = MADE[name]()
    standings = [ranking.standing, *ranking.datasets, *ranking.metrics]
    scores, pairs = rows_of(render(ranking, "csv")), rows_of(render(ranking, "pairs"))
    assert [float(row["score"]) for row in scores] == [s.value for standing in standings for s in standing.scores]
    assert [float(row["p"]) for row in pairs] == [pair.p.value for standing in standings for pair in standing.pairs]
    assert [row["first"] for row in pairs] == [pair.systems[0] for standing in standings for pair in standing.pairs]
    assert {row["outcome"] for row in pairs} <= {"better", "worse", "open", "apart"}
    assert all((row["difference"] == "") == (row["outcome"] == "apart") for row in pairs)


def test_csv_of_groups_and_of_pairs_that_were_not_kept():
    assert rows_of(render(MADE["sixteen"](), "csv"))[3]["groups"] == "a b"
    assert rows_of(render(MADE["two-hundred"](), "pairs")) == []


@pytest.mark.parametrize("name", a_few(["sixteen", "datasets", "baseline", "odd", "two"], 2))
def test_a_saved_ranking_gives_the_same_bytes(name):
    ranking = MADE[name]()
    again = Ranking.from_dict(json.loads(json.dumps(ranking.to_dict())))
    assert again == ranking
    for form in (*FORMS, "html"):
        assert render(again, form, verbose=True) == render(ranking, form, verbose=True)


def test_endings_decide_the_form(tmp_path):
    ranking = MADE["datasets"]()
    names = ("r.txt", "r.json", "r.md", "r.tex", "r.csv", "r-pairs.csv")
    deliver(ranking, "text", [str(tmp_path / name) for name in names], None)
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["schema"] == "outscore/ranking/1"
    heads = {path.name: path.read_text(encoding="utf-8").splitlines()[0] for path in tmp_path.iterdir()}
    assert heads["r.txt"].startswith("north leads")
    assert heads["r.md"] == "# north leads"
    assert heads["r.csv"].startswith("dataset,metric,rank,system")
    assert heads["r-pairs.csv"].startswith("dataset,metric,first,second")


def test_charts_and_files_are_written_together(tmp_path):
    deliver(MADE["baseline"](), "text", [str(tmp_path / "r.txt")], str(tmp_path / "charts"))
    assert sorted(path.name for path in (tmp_path / "charts").iterdir()) == [
        "forest.csv",
        "forest.pdf",
        "forest.png",
        "forest.svg",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["charts", "r.txt"]


@pytest.mark.parametrize("name", ["sixteen", "datasets"])
def test_a_terminal_shows_the_same_words_in_colour(name, capsys, monkeypatch):
    ranking = MADE[name]()
    deliver(ranking, "text", [], None, verbose=True)
    plain = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    deliver(ranking, "text", [], None, verbose=True)
    coloured = capsys.readouterr().out
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    first, *_ = re.findall(r"\x1b\[[\d;]*m([^\x1b]*)\x1b\[0m", coloured)
    assert headline(ranking)[0].startswith(first)


def test_headline_and_reason_are_facts_of_the_ranking():
    ranking = MADE["two"]()
    named = replace(ranking, verdict="a: b leads: accuracy 0.5.", headline="a: b leads", reason="accuracy 0.5.")
    assert headline(named) == ("a: b leads", "accuracy 0.5.")
    assert headline(replace(named, headline="", reason="")) == ("a: b leads: accuracy 0.5.", "")


def test_only_what_was_used_is_cited():
    used = [work.label for work in cited(uses_of_ranking(MADE["sixteen"]()))[0]]
    assert used == ["test", "correction", "bleu", "bleu", "groups", "rank intervals"]
    discovery = replace(MADE["baseline"](), family=Family("bh", "FDR", 7))
    authors = [work.lines[0].partition(" (")[0] for work in cited(uses_of_ranking(discovery))[0]]
    assert authors == ["Noreen", "Benjamini, Hochberg"]
    assert {"replicability", "critical difference"} <= {work.label for work in cited(uses_of_ranking(MADE["datasets"]()))[0]}


def test_hostile_names_stay_in_their_cells():
    text = render_latex(MADE["odd"]())
    assert HOSTILE not in text
    assert "\x1b" not in text
    assert all("\x1b" not in line for line in islice(render_markdown(MADE["odd"]()).splitlines(), 40))

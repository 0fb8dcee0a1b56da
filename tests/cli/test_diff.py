"""`outscore diff` from the command line: the published numbers, the tables of the paper, JSON, files, and what options do."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.coref_documents import write_documents
from tests.diff_files import ERRORS, write_entities, write_labels, write_trees
from tests.variants import a_few

from outscore.cli.app import app

SYSTEMS = tuple(ERRORS)[1:]


def run(*arguments: object):
    result = CliRunner().invoke(app, ["diff", *map(str, arguments)], prog_name="outscore")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 0, result.stderr
    return result.stdout


def as_json(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--format", "json"))


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, list[Path]]:
    """Gold and three systems of every task."""
    folder = tmp_path_factory.mktemp("made")
    documents = write_documents(folder, documents=10, phrases=40)
    trees = [*write_trees(folder).values()]
    return {
        "pos": trees,
        "dep": trees,
        "ner": [*write_entities(folder).values()],
        "label": [*write_labels(folder).values()],
        "coref": [*documents.values()],
    }


@pytest.fixture(scope="module")
def parses(shared_data) -> list[Path]:
    return [shared_data / "conll18-en_pud" / f"{name}.conllu" for name in ("gold", "UDPipe-Future", "Stanford-18")]


@pytest.mark.slow
def test_the_published_parses(parses):
    found = as_json("--task", "dep", *parses, "--criterion", "las")
    (pair,) = found["pairs"]
    assert (found["units"], pair["systems"]) == (18_725, ["UDPipe-Future", "Stanford-18"])
    assert (pair["outcomes"]["correction"], pair["outcomes"]["new_error"]) == (705, 603)
    assert pair["p"]["value"] == pytest.approx(0.0522408, abs=5e-8)
    assert pair["difference"] == pytest.approx((705 - 603) / 18_725)
    tested = [row["p"]["adjusted"] for row in pair["labels"] if row["p"] is not None]
    assert len(tested) == pair["families"]["labels"]["m"] == 26
    assert min(tested) > 0.05
    alone = as_json("--task", "dep", *parses, "--criterion", "las", "--cluster", "none")
    assert alone["pairs"][0]["p"]["value"] == pytest.approx(0.0052082, abs=5e-8)


def test_subtypes_begin_with_the_warning(parses):
    text = run("--task", "dep", *parses, "--criterion", "las", "--subtypes", "-v")
    assert text.startswith("warnings    UDPipe-Future rarely or never uses `nmod:poss`, `aux:pass`,")


@pytest.mark.parametrize("case", ["sys1", "sys2", "sys-space", "case"])
def test_against_the_shared_task_evaluation(shared_data, case):
    folder = shared_data / "conll18-eval"
    gold, system = ("case-gold", "case-sys") if case == "case" else ("gold", case)
    files = [folder / f"{name}.conllu" for name in (gold, system)]
    expected = _expected(folder / f"{case}-expected.results")
    tags, trees = (as_json("--task", *task, *files)["scores"] for task in (("pos",), ("dep", "--punct")))
    for metric, scores in (("UPOS", tags), ("UAS", trees), ("LAS", trees)):
        (found,) = (values[metric.lower()] for values in scores.values())
        shown = tuple(round(100 * found[part], 2) for part in ("p", "r", "f1"))
        assert shown == pytest.approx(expected[metric], abs=0.005), metric


def _expected(path: Path) -> dict[str, tuple[float, ...]]:
    rows = [[cell.strip() for cell in line.split("|")] for line in path.read_text().splitlines()[2:]]
    return {row[0]: tuple(map(float, row[1:4])) for row in rows if all(row[:4])}


# One command for each table of Tuggener (2017).
TABLES = {
    "3: tagging, scores and differences": ("pos", "--table", "scores", "--table", "pairs"),
    "4: tagging, what changed": ("pos", "--table", "transitions", "--sort", "count", "--top", "3"),
    "5: parsing, scores and differences": ("dep", "--table", "scores", "--table", "pairs"),
    "6: parsing, what changed": ("dep", "--table", "transitions", "--sort", "count", "--top", "3"),
    "7: coreference, scores and differences": ("coref", "--table", "scores", "--table", "pairs"),
    "8: coreference, what changed": ("coref", "--criterion", "arcs-nom", "--table", "transitions", "--sort", "count"),
    "9: tagging, upper bound": ("pos", "--table", "oracle"),
    "10: parsing, upper bound": ("dep", "--table", "oracle"),
    "11: coreference, upper bound": ("coref", "--table", "oracle"),
    "12: tagging, largest differences": ("pos", "--table", "labels", "--sort", "delta", "--top", "3"),
    "13: responses as keys": ("coref", "--table", "keys"),
}


@pytest.mark.slow
def test_the_tables_of_the_paper(made, golden):
    found = []
    for title, (task, *more) in TABLES.items():
        found += [f"--- table {title}\n", run("--task", task, *made[task], *more)]
    found += ["--- table 9 for a paper\n", run("--task", "pos", *made["pos"], "--table", "oracle", "--format", "latex")]
    golden("cli/diff-tables.txt", "\n".join(found))


@pytest.mark.parametrize("task", ["ner", "label"])
def test_whole_texts(made, golden, task):
    golden(f"cli/diff-{task}.txt", run("--task", task, *made[task][:3]))


KEYS = {
    "whole": (
        "schema task units systems scores pairs oracle agreement inventory settings notes keys overlap label_rates confusions"
        " reading"
    ),
    "pair": (
        "systems criterion n clusters differ overlap_correct metric first second difference interval p outcomes transitions"
        " labels slices metrics kinds families notes verdict sentence headline reason identical row_intervals label_f1"
        " counted_by needed"
    ),
    "outcomes": "both_right correction new_error changed_error shared_error",
    "transition": "from to gold count mirror share_of_class share_of_changes p",
    "label": "column value n first second difference low high p",
    "oracle": "all labels solved_by only majority criterion sentences",
    "all": "rate independent gain_over_best",
}


def test_json_keeps_its_shape(made):
    found = as_json("--task", "pos", *made["pos"])
    pair = found["pairs"][0]
    places = {
        "whole": found,
        "pair": pair,
        "outcomes": pair["outcomes"],
        "transition": pair["transitions"]["correction"][0],
        "label": pair["labels"][0],
        "oracle": found["oracle"],
        "all": found["oracle"]["all"],
    }
    assert {name: set(place) for name, place in places.items()} == {name: set(keys.split()) for name, keys in KEYS.items()}
    assert set(pair["transitions"]) == {"correction", "new_error", "changed_error"}
    assert (found["schema"], found["pairs"][0]["criterion"], len(found["pairs"])) == ("outscore/diff/1", "upos", 3)
    options = (
        "files names map task criterion cluster columns punct subtypes lenient singletons match repair slice alpha correction"
        " min_support seed"
    )
    assert set(found["settings"]) == {*options.split(), "inputs", "versions"}


def test_a_saved_diff_is_rendered_to_the_same_bytes(made, tmp_path, outscore):
    saved = tmp_path / "diff.json"
    outputs = [arg for form in ("txt", "md", "tex", "html") for arg in ("-o", tmp_path / f"first.{form}")]
    text = run("--task", "dep", *made["dep"][:3], *outputs, "-o", saved)
    again = [arg for form in ("txt", "md", "tex", "html") for arg in ("-o", tmp_path / f"again.{form}")]
    done = outscore("report", saved, *again)
    assert (done.exit_code, done.stdout) == (0, text)
    for form in ("txt", "md", "tex"):
        assert (tmp_path / f"again.{form}").read_bytes() == (tmp_path / f"first.{form}").read_bytes()
    first, second = ((tmp_path / f"{name}.html").read_text() for name in ("first", "again"))
    assert '<script type="application/json" id="data-examples">null</script>' in second
    assert '<script type="application/json" id="data-examples">{' in first
    assert "which contains counts but no examples" in second


@pytest.mark.parametrize("task", a_few(["pos", "dep", "ner", "label", "coref"], 2))
def test_changes_are_those_that_were_counted(made, tmp_path, task):
    path = tmp_path / "changes.jsonl"
    found = as_json("--task", task, *made[task][:3], "--changes", path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for pair in found["pairs"]:
        own = [line for line in lines if line["criterion"] == (pair["counted_by"] or pair["criterion"])]
        kinds = [line["changes"][" -> ".join(pair["systems"])] for line in own]
        for kind in ("correction", "new_error", "changed_error"):
            assert kinds.count(kind) == pair["outcomes"][kind]
        for line in own:
            assert set(line["answers"]) == set(pair["systems"])


def _corrections(text: str) -> list[tuple[int, int]]:
    """Count and mirror of the rows under the first heading of a table of transitions."""
    lines = text.split("\n")
    begin, end = (next(i for i, line in enumerate(lines) if line.startswith(name)) for name in ("Corrections", "New errors"))
    return [(int(cells[3]), int(cells[4])) for cells in map(str.split, lines[begin + 1 : end])]


def test_options_of_the_tables_act(made):
    files = ["--task", "pos", *made["pos"][:3], "--table", "transitions"]
    by_count, by_delta = (_corrections(run(*files, "--sort", sort, "--top", "100")) for sort in ("count", "delta"))
    assert by_count == sorted(by_count, key=lambda row: -row[0])
    assert by_delta != by_count
    assert [abs(x - y) for x, y in by_delta] == sorted((abs(x - y) for x, y in by_count), reverse=True)
    assert _corrections(run(*files, "--sort", "count", "--top", "2")) == by_count[:2]
    labels = ["--task", "pos", *made["pos"][:3], "--criterion", "upos"]
    few, many = (as_json(*labels, "--min-support", n)["pairs"][0]["families"]["labels"]["m"] for n in (1, 80))
    assert many < few == 6
    gold, plain, _, best = made["coref"]
    p = {}
    for name in ("holm", "bonferroni", "bh"):
        (pair,) = as_json("--task", "coref", gold, plain, best, "--criterion", "arcs-nom", "--correction", name)["pairs"]
        assert (pair["families"]["transitions"]["correction"], pair["families"]["transitions"]["m"]) == (name, 3)
        p[name] = [row["p"]["adjusted"] for row in pair["transitions"]["correction"]]
    assert sum(p["bh"]) < sum(p["holm"]) < sum(p["bonferroni"])


def test_the_seed_reaches_sampled_p_values(made):
    """MCC of three classes is sampled; accuracy is exact whatever the seed."""
    files = ["--task", "label", *made["label"][:3]]
    found = [as_json(*files, "--seed", seed)["pairs"][0] for seed in (1, 1, 2)]
    sampled = [next(row["p"] for row in pair["metrics"] if row["metric"] == "mcc") for pair in found]
    assert sampled[0]["method"] == "monte-carlo"
    assert sampled[0] == sampled[1] != sampled[2]
    assert found[0]["p"] == found[2]["p"]


def test_spreadsheet(made, tmp_path):
    run("--task", "label", *made["label"][:3], "--slice", "topic", "-o", tmp_path / "x.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "x.csv").read_text())))
    kinds = [row["row"] for row in rows]
    assert (kinds.count("pair"), kinds.count("metric"), kinds.count("label"), kinds.count("slice")) == (1, 3, 3, 4)
    corrections = sum(int(row["n"]) for row in rows if row["row"] == "correction")
    pair = as_json("--task", "label", *made["label"][:3])["pairs"][0]
    assert corrections == pair["outcomes"]["correction"]
    assert float(rows[0]["p"]) == pair["p"]["value"]
    run("--task", "label", *made["label"][:2], "-o", tmp_path / "one.csv")
    one = list(csv.DictReader(io.StringIO((tmp_path / "one.csv").read_text())))
    assert {row["value"] for row in one if row["row"] == "label"} == {"no", "maybe", "yes"}


def test_charts(made, tmp_path):
    pytest.importorskip("vl_convert")
    folder = tmp_path / "new" / "charts"
    run("--task", "pos", *made["pos"][:3], "--charts", folder)
    assert {path.name for path in folder.iterdir()} == {
        f"{x}.{y}" for x in ("transitions", "labels") for y in ("svg", "png", "pdf", "csv")
    }
    assert [path.name for path in folder.parent.iterdir()] == ["charts"]
    svg = (folder / "transitions.svg").read_text()
    assert all(tag in svg for tag in ("NOUN", "PUNCT", "corrections − new errors"))


def test_yaml_holds_options(made, tmp_path):
    gold, *systems = made["label"]
    (tmp_path / "c.yaml").write_text(f"files: [{gold}, {systems[0]}, {systems[1]}]\ntask: label\nslice: [topic]\nalpha: .01\n")
    settings = as_json("--config", tmp_path / "c.yaml", "--alpha", "0.1")["settings"]
    assert (settings["slice"], settings["alpha"], settings["task"]) == (["topic"], 0.1, "label")


REPEATED = {
    "pos": ["--names", "x, y", "--map", "x:DET=NOUN", "--slice", "document", "--cluster", "none", "--min-support", "5"],
    "dep": ["--punct", "--subtypes", "--criterion", "uas", "--criterion", "las", "--correction", "bh"],
    "ner": ["--lenient", "--alpha", "0.1"],
    "label": ["--cluster", "topic", "--seed", "4"],
    "coref": ["--repair"],
}


@pytest.mark.parametrize("task", a_few(REPEATED, 2))
def test_a_saved_diff_repeats_itself(made, tmp_path, task):
    saved = tmp_path / "diff.json"
    first = run("--task", task, *made[task][:3], *REPEATED[task], "-o", saved, "--format", "json")
    assert run("--config", saved, "--format", "json") == first == saved.read_text()


def test_a_changed_input_is_noted(made, tmp_path):
    saved, system = tmp_path / "diff.json", tmp_path / "old.csv"
    system.write_text(made["label"][1].read_text())
    run("--task", "label", made["label"][0], system, made["label"][2], "-o", saved)
    system.write_text(system.read_text().replace("yes", "no", 1))
    notes = as_json("--config", saved)["notes"]
    assert notes[-1]["text"] == f"`{system}` has changed since `{saved}` was saved."


def test_names_are_never_golds(made, tmp_path):
    (tmp_path / "gold.csv").write_text(made["label"][1].read_text())
    found = as_json("--task", "label", made["label"][0], tmp_path / "gold.csv", made["label"][2])
    assert found["systems"] == [f"{tmp_path.name}/gold", "new"]
    assert found["scores"][f"{tmp_path.name}/gold"] == as_json("--task", "label", *made["label"][:2])["scores"]["old"]


def test_many_systems_fit_the_screen(made, tmp_path):
    files = [made["pos"][0]]
    for k in range(12):
        files.append(tmp_path / f"s{k}.conllu")
        files[-1].write_text(made["pos"][1 + k % 3].read_text())
    short = run("--task", "pos", *files, "-o", tmp_path / "r.txt")
    assert short.splitlines()[0].endswith(("systems share the lead", " leads"))
    assert short.splitlines()[1].endswith("groups")
    assert "12 systems: " in short
    assert len(short.splitlines()) <= 25
    text = (tmp_path / "r.txt").read_text(encoding="utf-8")
    assert max(map(len, (text + short).split("\n"))) <= 80
    assert "Not shown: 55" in text
    assert "between neighbours by score and between the first two systems, 12 of 66 pairs" in " ".join(text.split())
    heads = [line.split() for line in text.split("\n") if line.startswith("label ")]
    assert [name for head in heads for name in head if name.startswith("s")] == [f"s{k}" for k in range(12)]


def test_tables_without_pairs_test_nothing(made, monkeypatch):
    def refuse(*_args: object, **_named: object) -> None:
        raise AssertionError

    monkeypatch.setattr("outscore.workflows.diff.run.pair_of", refuse)
    assert "Scores" in run("--task", "pos", *made["pos"], "--table", "scores", "--table", "oracle", "--table", "overlap")
    with pytest.raises(AssertionError):
        run("--task", "pos", *made["pos"], "--table", "pairs")


def test_one_sentence_cannot_decide(made, tmp_path):
    files = []
    for path in made["pos"][:3]:
        rows = [line.split("\t") for line in path.read_text().split("\n") if "\t" in line]
        files.append(tmp_path / f"{path.stem}.tsv")
        files[-1].write_text("".join(f"{row[1]}\t{row[3]}\n" for row in rows))
    text = " ".join(run("--task", "pos", *files, "-v").split())
    assert "With 1 sentence p cannot be below 1, whatever the difference; put a blank line after each sentence." in text

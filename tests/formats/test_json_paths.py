"""Any JSON with a record per item: lists, lists inside objects, and objects by item, with columns named by dotted paths."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.formats.base.document import leaves

RIGHT = {"amber": [1, 1, 1, 0, 1, 1, 1, 1], "birch": [0, 1, 0, 0, 1, 0, 1, 0]}
NAMED = {"item": "doc.id", "score": "results.score.value"}


def rows(system: str) -> list[dict]:
    return [
        {"doc": {"id": f"q{i}", "topic": "xy"[i % 2]}, "results": {"score": {"value": score}, "judge": "a"}, "answer": "4"}
        for i, score in enumerate(RIGHT[system])
    ]


LAYOUTS = {
    "a list": (lambda found: found, NAMED),
    "a list inside": (lambda found: {"run": {"version": 1}, "output": {"rows": found}}, NAMED),
    "one of several lists": (
        lambda found: {"rows": found, "errors": [{"at": 3}]},
        {"item": "rows.doc.id", "score": "rows.results.score.value"},
    ),
    "the list by its name": (
        lambda found: {"rows": found, "errors": []},
        {"item": "rows.doc.id", "score": "rows.results.score.value"},
    ),
    "an object by item": (
        lambda found: {row["doc"]["id"]: row for row in found},
        {"item": "key", "score": "results.score.value"},
    ),
    "numbers by item": (
        lambda found: {row["doc"]["id"]: row["results"]["score"]["value"] for row in found},
        {"item": "key", "score": "value"},
    ),
}


def write(folder, layout, *, lines: bool = False):
    paths = []
    for system in RIGHT:
        content = LAYOUTS[layout][0](rows(system))
        text = "".join(json.dumps(row) + "\n" for row in content) if lines else json.dumps(content, indent=1)
        paths.append(folder / f"{system}.{'jsonl' if lines else 'json'}")
        paths[-1].write_text(text)
    return paths


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_scores(layout, tmp_path):
    named = LAYOUTS[layout][1]
    for path in write(tmp_path, layout):
        (found,) = osc.read(path, **named)
        assert found.values.tolist() == RIGHT[path.stem]
        assert list(found.ids.names) == [f"q{i}" for i in range(8)]
        assert found.origin.columns == {"item": (named["item"],), "score": (named["score"],)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_compared_by_the_command_line(layout, tmp_path):
    named = LAYOUTS[layout][1]
    words = [str(path) for path in write(tmp_path, layout)]
    done = CliRunner().invoke(app, ["compare", *words, "--item", named["item"], "--score", named["score"], "--format", "json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)["comparisons"][0]
    assert [one["value"] for one in found["scores"]] == [7 / 8, 3 / 8]
    assert found["p"]["value"] == 0.125


def test_lines_have_the_same_names(tmp_path):
    first, second = write(tmp_path, "a list", lines=True)
    found = osc.compare(first, second, items="doc.id", score="results.score.value", slices="doc.topic")
    assert [part.slice.value for part in found.comparisons[1:]] == ["x", "y"]


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (
            "one of several lists",
            "2 lists of records: `rows`, `errors`. Name columns inside one of them, such as --item rows.ID",
        ),
        ("an object by item", "8 objects inside, from `q0` to `q7`. If each of them is an item, add --item key"),
    ],
)
def test_nothing_is_chosen_in_silence(layout, said, tmp_path):
    path, _ = write(tmp_path, layout)
    with pytest.raises(OutscoreError) as refused:
        osc.read(path)
    assert said in str(refused.value)


def test_a_path_that_leads_nowhere_is_refused_with_its_neighbours(tmp_path):
    path, _ = write(tmp_path, "a list")
    with pytest.raises(OutscoreError, match=r"no column `results.score.valu`. Did you mean `results.score.value`"):
        osc.read(path, item="doc.id", score="results.score.valu")


def test_a_log_is_a_table_where_its_reader_is_named_so(tmp_path):
    from tests.log_files import lm_eval

    paths = [next(place.glob("samples_*")) for place in lm_eval(tmp_path)]
    words = ["compare", *map(str, paths), "--item", "doc_id", "--score", "exact_match"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "--item is for tables" in done.output
    assert "--reader jsonl" in done.output
    assert CliRunner().invoke(app, [*words, "--reader", "jsonl"]).exit_code == 0


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
@pytest.mark.parametrize("option", [("--log-task", "x"), ("--filter", "x"), ("--force-same",)])
def test_what_is_asked_of_logs_only_is_refused_for_tables(command, option, tmp_path):
    paths = write(tmp_path, "a list")
    named = ["--item", "doc.id", "--score", "results.score.value"]
    done = CliRunner().invoke(app, [command, *map(str, paths), *named, *option])
    assert done.exit_code == 2
    assert f"{option[0]} is for logs of evaluation harnesses" in done.output


def test_a_log_beside_a_table_is_refused(tmp_path):
    from tests.log_files import inspect_json

    log, _ = inspect_json(tmp_path / "logs")
    table, _ = write(tmp_path, "a list")
    done = CliRunner().invoke(app, ["compare", str(table), str(log)])
    assert done.exit_code == 2
    assert "amber.json` is not a known one" in done.output


def test_objects_are_looked_into_four_deep():
    def nested(depth):
        return {"id": 1} if not depth else {f"level{depth}": nested(depth - 1)}

    assert [name for name, _ in leaves(nested(4))] == ["level4.level3.level2.level1.id"]
    assert list(leaves(nested(5))) == []
    assert list(leaves(nested(9))) == []

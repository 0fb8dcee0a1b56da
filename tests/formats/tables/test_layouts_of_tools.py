"""Tables as pandas, W&B, spreadsheets and scripts write them: read as they are meant, or asked about with a cure that runs."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.kind_files import ITEMS, RIGHT

from outscore.cli.app import app

MEANS = tuple(float(right.mean()) for right in RIGHT.values())
Write = Callable[[list[int]], str]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(command: str):
    done = CliRunner().invoke(app, shlex.split(command), prog_name="outscore")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def write_pair(ending: str, write: Write, encoding: str = "utf-8") -> str:
    names = []
    for name, right in RIGHT.items():
        names.append(f"{name}.{ending}")
        Path(names[-1]).write_bytes(write(right.tolist()).encode(encoding))
    return " ".join(names)


def means(command: str) -> tuple[float, ...]:
    done = run(f"{command} --format json")
    assert done.exit_code == 0, done.output
    (compared,) = json.loads(done.output)["comparisons"]
    return tuple(score["value"] for score in compared["scores"])


def csv(right: list[int]) -> str:
    return "id,correct\n" + "".join(f"q{i},{ok}\n" for i, ok in enumerate(right))


JSON: dict[str, Write] = {
    "pandas, columns": lambda right: json.dumps(
        {"id": {str(i): f"q{i}" for i in range(ITEMS)}, "correct": {str(i): ok for i, ok in enumerate(right)}}
    ),
    "pandas, columns without ids": lambda right: json.dumps(
        {"correct": {str(i): ok for i, ok in enumerate(right)}, "words": {str(i): "so" for i in range(ITEMS)}}
    ),
    "pandas, split": lambda right: json.dumps(
        {"columns": ["id", "correct"], "index": list(range(ITEMS)), "data": [[f"q{i}", ok] for i, ok in enumerate(right)]}
    ),
    "W&B table": lambda right: json.dumps(
        {"_type": "table", "columns": ["id", "prediction", "truth"], "ncols": 3, "nrows": ITEMS}
        | {"data": [[f"q{i}", "yes" if ok else "no", "yes"] for i, ok in enumerate(right)]}
    ),
}


@pytest.mark.parametrize("name", JSON)
def test_documents_that_hold_a_table_by_its_columns(name):
    files = write_pair("json", JSON[name])
    assert means(f"compare {files}") == pytest.approx(MEANS)


def test_lines_of_a_table_by_its_columns_must_have_all_of_them():
    Path("a.json").write_text('{"columns": ["id", "correct"], "data": [["q1", 1], ["q2"]]}')
    done = run("score a.json")
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize("form", [lambda ok: ok, bool])
def test_a_number_for_each_item_is_asked_about(form):
    files = write_pair("json", lambda right: json.dumps({f"q{i}": form(ok) for i, ok in enumerate(right)}))
    for command in ("compare", "rank", "score"):
        refused = run(f"{command} {files}").output
        assert refused == (
            "outscore: `amber.json` is one JSON object with 40 numbers inside, from `q0` to `q39`. If each of them is an item, "
            "add --item key.\n"
        )
    assert means(f"compare {files} --item key") == pytest.approx(MEANS)


def test_items_beside_other_objects_are_asked_about():
    files = write_pair(
        "json",
        lambda right: json.dumps(
            {"meta": {"seed": 3, "by": "me"}, "items": {f"q{i}": {"correct": bool(ok)} for i, ok in enumerate(right)}}
        ),
    )
    refused = run(f"compare {files}").output
    assert "`amber.json` is one JSON object with 40 objects inside `items`, from `q0` to `q39`" in refused
    assert "--item key" in refused
    assert means(f"compare {files} --item key") == pytest.approx(MEANS)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_that_the_first_bytes_name(encoding):
    assert means(f"compare {write_pair('csv', csv, encoding)}") == pytest.approx(MEANS)
    lines = write_pair(
        "jsonl", lambda right: "".join(f'{{"id": "é{i}", "correct": {ok}}}\n' for i, ok in enumerate(right)), encoding
    )
    assert means(f"compare {lines}") == pytest.approx(MEANS)
    whole = write_pair("json", JSON["pandas, split"], encoding)
    assert means(f"compare {whole}") == pytest.approx(MEANS)


def test_damaged_utf_16_is_refused():
    Path("a.csv").write_bytes("id,score\n1,0.5\n2,0.7\n".encode("utf-16")[:-1])
    done = run("score a.csv")
    assert done.exit_code == 2
    assert "`a.csv` is damaged" in done.output


@pytest.mark.parametrize("index", ["", "Unnamed: 0"])
def test_the_index_of_pandas_tells_items_apart_where_nothing_else_does(index):
    files = write_pair("csv", lambda right: f"{index},correct\n" + "".join(f"{i},{ok}\n" for i, ok in enumerate(right)))
    before = run(f"compare {files}").output
    assert "p = " in before
    # An item is where its index is, not where its line is.
    lines = Path("birch.csv").read_text().splitlines()
    Path("birch.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    assert run(f"compare {files}").output == before
    assert run("compare amber.csv birch.csv --item none").output != before
    assert means(f"compare {files}") == pytest.approx(MEANS)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_not_a_number_is_missing_as_it_is_in_other_files(ending):
    def write(right: list[int]) -> str:
        rows = [json.dumps({"id": i, "correct": math.nan if i == 3 else ok}) for i, ok in enumerate(right)]
        return "\n".join(rows) if ending == "jsonl" else f"[{', '.join(rows)}]"

    files = write_pair(ending, write)
    refused = run(f"compare {files}")
    assert refused.exit_code == 2
    assert "--missing drop" in refused.output
    kept = [[ok for i, ok in enumerate(right.tolist()) if i != 3] for right in RIGHT.values()]
    assert means(f"compare {files} --missing drop") == pytest.approx([sum(one) / len(one) for one in kept])


def test_infinity_is_no_score():
    Path("a.jsonl").write_text('{"id": 1, "score": 0.5}\n{"id": 2, "score": -Infinity}\n')
    refused = run("score a.jsonl")
    assert refused.exit_code == 2
    assert "line 2" in refused.output


def test_ranks_of_two_systems_do_not_say_which_are_better():
    Path("t.csv").write_text("id,rank_a,rank_b\n" + "".join(f"{i},1,2\n" for i in range(9)))
    refused = run("compare t.csv")
    assert refused.exit_code == 2
    assert "`rank_a`" in refused.output
    assert "--lower-is-better" in refused.output
    assert run("compare t.csv --lower-is-better").output.startswith("rank_a outscored rank_b")

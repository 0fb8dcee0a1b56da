"""What is shown to copy gives what the page gives: the command line byte for byte, the Python call number for number."""

from __future__ import annotations

import json

import pytest
from tests.variants import a_few, variants
from tests.web.copying import command_line, python

from outscore.examples.registry import EXAMPLES
from outscore.workflows.requests.registry import REQUESTS

LONG = {"texts"}
ONE_OF_EACH = {example.view: name for name, example in EXAMPLES.items() if name not in LONG}
"""An example of each view."""


def some(*names):
    """Examples, of which those that compute for seconds are left to the slow tests."""
    return variants(names, [name for name in names if name not in LONG])


def without(found, *names):
    """The same without what a single comparison does not hold in Python: how its files were read."""
    match found:
        case dict():
            return {key: without(value, *names) for key, value in found.items() if key not in names}
        case list():
            return [without(one, *names) for one in found]
    return found


@pytest.mark.parametrize("name", variants(EXAMPLES, ONE_OF_EACH.values()))
def test_every_example_is_what_is_shown_to_copy(page, name, tmp_path, monkeypatch):
    assert name in {entry["name"] for entry in page.get("/api/examples").json()}
    answer = page.post(f"/api/examples/{name}")
    assert answer.status_code == 201
    found = answer.json()
    assert all(file["problem"] is None for file in found["files"]), found["files"]
    assert all(found["view"] in file["suits"] for file in found["files"])
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    assert job["state"] == "done", job["error"]
    for file, text in EXAMPLES[name].files(0).items():
        (tmp_path / file).write_text(text)
    saved = page.get(f"/api/results/{job['result']}").content
    assert command_line(tmp_path, job["command_line"], monkeypatch) == saved
    mine, theirs = python(job["python"]), json.loads(saved)
    assert without(mine, "schema", "settings", "notes") == without(theirs, "schema", "settings", "notes")


LABELS = b"id,label\n" + b"".join(b"q%d,%s\n" % (i, b"ab"[i % 2 : i % 2 + 1]) for i in range(30))
CHANGED = LABELS.replace(b"q1,b", b"q1,a").replace(b"q4,a", b"q4,b")
TEXT = b"".join(b"the %d cats sat on the mat\n" % i for i in range(12))
TABLE = b"id,x,y,z\n" + b"".join(b"q%d,%d,%d,%d\n" % (i, i % 2, i % 3, i % 5) for i in range(40))
SAMPLE = {"schema_version": "0.3.0", "model_id": "x", "evaluation_name": "sums", "evaluation": {"score": 1.0}}
LOG = b"".join(json.dumps({**SAMPLE, "sample_id": str(i)}).encode() + b"\n" for i in range(3))
VOTES = b"prompt,model_a,model_b,winner\n" + b"".join(b"p%d,x,y,x\np%d,y,x,tie\n" % (i, i) for i in range(12))
SMALL = {
    "compare": ({"files": {"t.csv": TABLE}}, {"system": ["x", "y"], "metric": "mean", "seed": "7", "margin": "0.1"}),
    "texts": (
        {"files": {"new.txt": TEXT.replace(b"sat", b"sit"), "old.txt": TEXT[:-9] + b"the rug\n"}, "reference": {"r.txt": TEXT}},
        {"metric": ["bleu", "ter"], "lengths": True},
    ),
    "score": ({"files": {"t.csv": TABLE}}, {"alpha": "0.1", "names": "one,two,three"}),
    "gate": ({"files": {"t.csv": TABLE}}, {"system": ["x", "y"], "margin": "0.3"}),
    "rank": ({"files": {"t.csv": TABLE}}, {"test": "sign", "baseline": "x"}),
    "diff": ({"gold": {"gold.csv": LABELS}, "files": {"new.csv": CHANGED, "old.csv": LABELS}}, {"task": "label"}),
    "plan": ({"pilot": {"a.txt": b"1\n0\n1\n1\n" * 9, "b.txt": b"0\n0\n1\n1\n" * 9}}, {"effect": "0.05"}),
    "prefer": ({"files": {"votes.csv": VOTES}}, {"alpha": "0.1"}),
    "show": ({"files": {"run_samples.jsonl": LOG}}, {}),
}


def test_every_command_has_a_small_example():
    assert SMALL.keys() == REQUESTS.keys()


@pytest.mark.parametrize("command", a_few(SMALL, 4))
def test_page_command_line_and_python_give_the_same(page, command, tmp_path, monkeypatch):
    files, settings = SMALL[command]
    job = page.run(command, files, settings=settings)
    assert job["state"] == "done", job["error"]
    saved = page.get(f"/api/results/{job['result']}").content
    for name, content in (item for part in files.values() for item in part.items()):
        (tmp_path / name).write_bytes(content)
    assert command_line(tmp_path, job["command_line"], monkeypatch) == saved
    mine, theirs = python(job["python"]), json.loads(saved)
    assert without(mine, "schema", "settings") == without(theirs, "schema", "settings")


@pytest.mark.parametrize(
    "settings", [{"effect": 0.1}, {"n": 500, "sd": 0.3}, {"effect": 0.1, "n": 500, "alpha": "0.01"}], ids=str
)
def test_the_python_call_of_a_plan(page, settings):
    job = page.run("plan", settings=settings)
    assert python(job["python"]) == page.get(f"/api/results/{job['result']}").json()


def test_the_python_call_of_a_saved_result(page, pair, tmp_path, monkeypatch):
    saved = page.get(f"/api/results/{page.run('compare', {'files': pair})['result']}").content
    job = page.run("report", {"files": {"old.json": saved}})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.json").write_bytes(saved)
    # One comparison is loaded as such, and what it was asked with stands in the file of the command only.
    assert python(job["python"]) == json.loads(saved) | {"settings": {}}

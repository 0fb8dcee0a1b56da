"""The interface: files, examples, forms, results, downloads, charts."""

from __future__ import annotations

import gzip
import json
import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from outscore.cli import app
from outscore.examples import EXAMPLES
from outscore.web.commands import Request, build
from outscore.web.fields import read_value
from outscore.web.options import COMMANDS, form
from outscore.web.refusals import RefusedError
from outscore.web.store import Upload

# Options of the command line that name places on the disk or belong to a terminal; nobody may give them from afar.
NEVER = {"config", "output", "charts", "pairs", "changes", "format", "verbose", "dask", "jobs", "table", "sort", "top", "help"}
# Options that are said in another way: `set.NAME`, `lengths`, the file of labels.
ELSEWHERE = {"set"}


def command_of(name):
    return app.get_command(None, "compare" if name == "texts" else name)


def options_of(name):
    return {o.removeprefix("--") for param in command_of(name).params for o in param.opts if o.startswith("--")}


@pytest.mark.parametrize("name", [c for c in COMMANDS if c != "report"])
def test_forms_have_every_option_and_no_other(name):
    fields = form(name)
    plain = {one.name for one in fields if "." not in one.name} - {"files", "lengths"}
    assert plain <= options_of(name) | ({"gold"} if name == "diff" else set())
    foreign = {"item", "score", "system", "system-column", "cluster", "repeat", "slice", "dataset", "duplicates", "reader"}
    foreign |= {"unit-size", "unit-statistic", "shuffle", "unit-advice", "normality-alpha"}
    texts = {"reference", "documents", "buckets", "compat"}
    left_out = {"texts": foreign, "compare": texts}.get(name, set())
    assert options_of(name) - plain - NEVER - ELSEWHERE == left_out
    assert not plain & NEVER


@pytest.mark.parametrize("name", COMMANDS)
def test_forms_describe_themselves(name):
    for one in form(name):
        assert one.label
        assert one.help
        assert len({choice.value for choice in one.choices}) == len(one.choices)
        assert read_value(one, one.default) is not None
        if one.type == "choice" and one.default is not None:
            assert one.default in {choice.value for choice in one.choices}


def made(command, parts, **settings):
    uploads = {part: [Upload(name, Path("x"), name, 1) for name in names] for part, names in parts.items()}
    return build(Request(command, {}, settings), uploads)


TEXTS = {"files": ["a", "b"], "reference": ["r"]}
MID_P = "compare --test mcnemar --set variant=mid-p t"


@pytest.mark.parametrize(
    ("command", "parts", "settings", "line"),
    [
        ("compare", {"files": ["a.txt", "b.txt"]}, {}, "compare a.txt b.txt"),
        ("compare", {"files": ["my scores.csv"]}, {"alpha": 0.05, "seed": 0}, "compare 'my scores.csv'"),
        ("compare", {"files": ["t.csv"]}, {"system": ["-x", "y"]}, "compare --system=-x --system y t.csv"),
        ("compare", {"files": ["t"]}, {"metric": "fbeta", "metric.fbeta.beta": "2"}, "compare --metric fbeta:beta=2 t"),
        ("compare", {"files": ["t"]}, {"test": "bayes", "set.rope": ".01"}, "compare --test bayes --set rope=.01 t"),
        ("compare", {"files": ["t"]}, {"set.variant": "mid-p", "test": "mcnemar"}, MID_P),
        ("compare", {"files": ["t"]}, {"test": "sign", "metric": "mean"}, "compare --metric mean --test sign t"),
        ("compare", {"files": ["t"]}, {"unit-size": "15", "unit-advice": True}, "compare --unit-size 15 --unit-advice t"),
        ("compare", {"files": ["t"]}, {"resamples": "5e3", "delta": "-0.1"}, "compare --resamples 5000 --delta=-0.1 t"),
        ("texts", TEXTS, {"metric": ["bleu", "ter"]}, "compare --metric bleu,ter --reference r a b"),
        ("texts", TEXTS, {"lengths": "true"}, "compare --buckets length --reference r a b"),
        ("diff", {"files": ["s"], "gold": ["g"]}, {"task": "pos"}, "diff --task pos g s"),
        ("rank", {"files": ["s", "t"], "gold": ["g"]}, {"task": "ner"}, "rank --task ner --gold g s t"),
        ("plan", {"pilot": ["a", "b"]}, {"effect": ".02"}, "plan --effect .02 --pilot a --pilot b"),
        ("plan", {}, {"scores": ".871 .864", "n": 1000}, "plan --n 1000 --scores .871 .864"),
        ("report", {"files": ["r.json"]}, {}, "report r.json"),
    ],
)  # fmt: skip
def test_command_lines(command, parts, settings, line):
    outputs = " -o result.json -o result.html" if command == "diff" else " -o result.json"
    assert made(command, parts, **settings).line == f"outscore {line}{outputs}"


@pytest.mark.parametrize(
    ("command", "parts", "settings", "sentence"),
    [
        ("compare", {}, {}, "Scores: 0 files were given, expected: 1 to 2."),
        ("compare", {"files": ["a"], "config": ["b"]}, {}, "There are no files `config`."),
        ("compare", {"files": ["a"]}, {"config": "x"}, "There is no setting `config`."),
        ("compare", {"files": ["a"]}, {"output": "/etc/passwd"}, "There is no setting `output`."),
        ("compare", {"files": ["a"]}, {"reference": "/etc/passwd"}, "There is no setting `reference`."),
        ("rank", {"files": ["a"]}, {"dask": "tcp://evil.example:1"}, "There is no setting `dask`."),
        ("rank", {"files": ["a"]}, {"pairs": "x.parquet"}, "There is no setting `pairs`."),
        ("diff", {"files": ["a"], "gold": ["b"]}, {"changes": "x.jsonl"}, "There is no setting `changes`."),
        ("compare", {"files": ["a"]}, {"alpha": "low"}, "`alpha` is 'low'."),
        ("compare", {"files": ["a"]}, {"alpha": "1_0"}, "`alpha` is '1_0'."),
        ("compare", {"files": ["a"]}, {"alpha": "nan"}, "`alpha` is 'nan'."),
        ("compare", {"files": ["a"]}, {"unit-size": 1.5}, "`unit-size` is 1.5."),
        ("compare", {"files": ["a"]}, {"seed": True}, "`seed` is True."),
        ("compare", {"files": ["a"]}, {"test": "--help"}, "`test` is '--help'."),
        ("compare", {"files": ["a"]}, {"item": ["x", "y"]}, "`item` has 2 values."),
        ("compare", {"files": ["a"]}, {"item": "x\ny"}, "`item` is 'x\\ny'."),
        ("compare", {"files": ["a"]}, {"unit-advice": "maybe"}, "`unit-advice` is 'maybe'."),
        ("compare", {"files": ["a"]}, {"set.zeros": "pratt"}, "`set.zeros` means something for `wilcoxon` only."),
        ("compare", {"files": ["a"]}, {"metric": "fbeta", "metric.fbeta.beta": "1:x=2"}, "`metric.fbeta.beta` is '1:x=2'."),
        ("plan", {}, {"scores": ".8 --config"}, "`scores` is '.8 --config'."),
        ("plan", {}, {"scores": [".8"]}, "`scores` is '.8'."),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(command, parts, settings, sentence):
    with pytest.raises(RefusedError) as refusal:
        made(command, parts, **settings)
    assert refusal.value.status == 422
    assert refusal.value.message == sentence


def test_files_of_one_name_stand_in_folders():
    def upload(i, name):
        return Upload(str(i), Path("x"), name, 1)

    names = ["2", "x", "x", "x", "3", "2"]
    parts = {"files": [upload(i, name) for i, name in enumerate(names)]}
    places = list(build(Request("rank", {}, {}), parts).places)
    assert places == ["2", "x", "3/x", "4/x", "3/3", "3/2"] or len(set(places)) == len(names)
    folders = {place.partition("/")[0] for place in places if "/" in place}
    assert not folders & {place for place in places if "/" not in place}


LONG = {"texts"}


def some(*names):
    """Examples, of which those that compute for seconds are left to the slow tests."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in names]


@pytest.mark.parametrize("name", some(*EXAMPLES))
def test_every_example_runs(page, name):
    assert name in {entry["name"] for entry in page.get("/api/examples").json()}
    answer = page.post(f"/api/examples/{name}")
    assert answer.status_code == 201
    found = answer.json()
    assert all(file["problem"] is None for file in found["files"]), found["files"]
    assert all(found["view"] in file["suits"] or found["view"] in ("plan", "texts", "diff") for file in found["files"])
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    assert job["state"] == "done", job["error"]


def command_line(folder, line, monkeypatch):
    """What the command line writes in a folder, given the line to copy."""
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output
    return (folder / "result.json").read_bytes()


@pytest.mark.parametrize("name", some("scores", "clusters", "counts", "texts", "labels", "leaderboard", "reviewer"))
def test_json_equals_the_command_lines(page, name, tmp_path, monkeypatch):
    found = page.post(f"/api/examples/{name}").json()
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    for file, text in EXAMPLES[name].files(0).items():
        (tmp_path / file).write_text(text)
    expected = command_line(tmp_path, job["command_line"], monkeypatch)
    assert page.get(f"/api/results/{job['result']}").content == expected
    assert page.get(f"/api/results/{job['result']}/download.json").content == expected


def test_texts_equal_the_command_lines(page, tmp_path, monkeypatch):
    words = ["one", "two", "three", "four", "five", "six", "seven"]
    texts = {
        name: "\n".join(" ".join(words[: 2 + (i * k) % 5]) for i in range(12)) for name, k in (("new.txt", 2), ("old.txt", 3))
    }
    reference = "\n".join(" ".join(words[: 3 + i % 4]) for i in range(12))
    files = {"files": {name: text.encode() for name, text in texts.items()}, "reference": {"ref.txt": reference.encode()}}
    job = page.run("texts", files, settings={"metric": ["wer", "ter"], "metric.ter.no_punct": True})
    assert job["command_line"] == (
        "outscore compare --metric wer,ter:no_punct=true --reference ref.txt new.txt old.txt -o result.json"
    )
    for name, text in {**texts, "ref.txt": reference}.items():
        (tmp_path / name).write_text(text)
    assert page.get(f"/api/results/{job['result']}").content == command_line(tmp_path, job["command_line"], monkeypatch)


@pytest.mark.parametrize("name", some("clusters", "tagging", "counts", "texts", "labels", "leaderboard"))
def test_the_python_call_gives_the_same(page, name, tmp_path, monkeypatch):
    found = page.post(f"/api/examples/{name}").json()
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    assert "osc.load" not in job["python"]
    for file, text in EXAMPLES[name].files(0).items():
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    values = {}
    exec(job["python"], values)  # noqa: S102 - it is what people are told to run
    mine, theirs = json.loads(json.dumps(values["result"].to_dict())), page.get(f"/api/results/{job['result']}").json()
    # A single comparison is not in a list.
    mine = {"comparisons": [mine]} if "comparisons" in theirs and "comparisons" not in mine else mine
    for part in ("comparisons", "pairs", "scores"):
        for one, other in zip(mine.get(part, []), theirs.get(part, []), strict=True):
            if isinstance(one, dict):
                assert one.get("p") == other.get("p")
                assert one.get("systems") == other.get("systems")


def test_the_python_call_of_a_plan(page):
    for settings in ({"effect": 0.1}, {"n": 500, "sd": 0.3}, {"effect": 0.1, "n": 500, "alpha": "0.01"}):
        job = page.run("plan", settings=settings)
        values = {}
        exec(job["python"], values)  # noqa: S102
        theirs = page.get(f"/api/results/{job['result']}").json()
        field = {"sample_size": "n", "detectable": "effect", "osc.power": "power"}
        wanted = next(value for key, value in field.items() if key in job["python"])
        assert values["result"] == pytest.approx(theirs[wanted])


def test_downloads(page, pair):
    job = page.run("compare", {"files": pair})
    for form_, begins in (("html", b"<!doctype html>"), ("md", b"# "), ("tex", b"%"), ("txt", b"a "), ("csv", b"system_a,")):
        answer = page.get(f"/api/results/{job['result']}/download.{form_}")
        assert answer.status_code == 200, answer.text
        assert answer.content.lstrip().startswith(begins), answer.content[:40]
        assert answer.headers["content-disposition"] == f'attachment; filename="outscore-compare.{form_}"'
    plan = page.run("plan", settings={"effect": 0.1})
    refused = page.get(f"/api/results/{plan['result']}/download.csv")
    assert refused.status_code == 422
    assert "ending" in refused.json()["error"]


@pytest.mark.parametrize(
    "name", ["labels", "reviewer", *(pytest.param(n, marks=pytest.mark.slow) for n in ("scores", "leaderboard"))]
)
def test_charts_are_those_of_the_command_line(page, name, tmp_path, monkeypatch):
    found = page.post(f"/api/examples/{name}").json()
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    charts = page.get(f"/api/results/{job['result']}/charts").json()
    monkeypatch.chdir(tmp_path)
    Path("result.json").write_bytes(page.get(f"/api/results/{job['result']}").content)
    done = CliRunner().invoke(app, ["report", "result.json", "--charts", "charts"])
    assert done.exit_code == 0, done.output
    expected = {path.name for path in Path("charts").iterdir()}
    assert {f"{chart['name']}.{form_}" for chart in charts for form_ in ("svg", "png", "pdf")} == expected
    for chart in charts[:1]:
        assert chart["title"]
        svg = page.get(f"/api/results/{job['result']}/charts/{chart['name']}.svg")
        assert svg.headers["content-type"] == "image/svg+xml"
        assert svg.content == Path("charts", f"{chart['name']}.svg").read_bytes()


def test_the_page_of_a_diff_has_examples(page):
    found = page.post("/api/examples/labels").json()
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    assert job["command_line"].endswith("-o result.json -o result.html")
    html = page.get(f"/api/results/{job['result']}/download.html").text
    assert len(html) > 50_000


def test_a_saved_result_is_shown_again(page, pair):
    first = page.run("compare", {"files": pair})
    saved = page.get(f"/api/results/{first['result']}").content
    file = page.upload({"saved.json": saved})[0]
    assert (file["format"], file["suits"], file["systems"]) == ("result", ["report"], ["a", "b"])
    again = page.run("report", {"files": [file["id"]]})
    assert page.get(f"/api/results/{again['result']}").content == saved
    # A file called like the result is not in its way.
    other = page.run("report", {"files": {"result.json": saved}})
    assert page.get(f"/api/results/{other['result']}").content == saved


SCRIPT = "<img src=x onerror=alert(1)>"


def test_scripts_in_names_are_text(page):
    csv = f"id,{SCRIPT},<b>old</b>\n" + "".join(f"q{i},{i % 2},{i % 3}\n" for i in range(30))
    file = page.upload({f"{SCRIPT}.csv": csv.encode()})[0]
    assert file["systems"] == [SCRIPT, "<b>old</b>"]
    job = page.run("compare", {"files": [file["id"]]})
    assert job["state"] == "done", job["error"]
    for path in (f"/api/files/{file['id']}", f"/api/jobs/{job['id']}", f"/api/results/{job['id']}"):
        answer = page.get(path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
    html = page.get(f"/api/results/{job['id']}/download.html").text
    assert SCRIPT not in html
    assert "<b>old</b>" not in html
    assert "&lt;img src=x" in html


SCORES = ["compare", "rank", "plan"]
FILES = {
    "one.txt": (b"0.5\n0.25\n", "scores", 2, SCORES),
    "two.tsv": (b"new\told\n0.5\t1\n0.25\t0\n", "score-pairs", 2, SCORES),
    "four.txt": (b"1 2 3 4\n5 6 7 8\n", "f1-counts", 2, ["compare"]),
    "long.csv": (b"item,model,score\n1,a,0\n1,b,1\n2,a,1\n2,b,1\n", "csv", 4, SCORES),
    "wide.jsonl": (b'{"id": 1, "new": 0.5, "old": 0}\n{"id": 2, "new": 1, "old": 0}\n', "jsonl", 2, SCORES),
    "labels.csv": (b"id,prediction\n1,yes\n2,no\n", "labels", 2, ["diff"]),
    "gold.csv": (b"id,gold\n1,yes\n2,no\n", "labels", 2, ["diff"]),
    "text.txt": (b"A cat sat, and slept.\nIt was late.\n\nWe go 3 times.\n", "segments", 4, ["texts"]),
    "words.tsv": (b"It\tPRON\nworks\tVERB\n\nGo\tVERB\n", "word-columns", 3, ["diff"]),
    "tree.conllu": (b"1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tis\tbe\tVERB\t_\t_\t0\troot\t_\t_\n\n", "conllu", 2, ["diff"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_are_recognised(page, name):
    content, format_, rows, suits = FILES[name]
    for sent, called in ((content, name), (gzip.compress(content), f"{name}.gz")):
        found = page.upload({called: sent})[0]
        assert (found["format"], found["rows"], found["suits"], found["problem"]) == (format_, rows, suits, None)
        assert found["head"]
        assert page.get(f"/api/files/{found['id']}").json() == found


@pytest.mark.parametrize(
    ("name", "content", "begins"),
    [
        ("empty.txt", b"", "`empty.txt`"),
        ("bad.csv", b"id,score\n1,0.5\n2,high\n", "`bad.csv`"),
        ("bytes.bin", bytes(range(256)), "`bytes.bin`"),
        ("cut.txt.gz", gzip.compress(b"1\n" * 1000, mtime=0)[:-5], "`cut.txt.gz` is damaged"),
        ("broken.json", b"{\n", "`broken.json` is not JSON"),
        ("not.parquet", b"PAR1xxxx", "`not.parquet`"),
    ],
)
def test_a_broken_file_is_described_by_its_problem(page, name, content, begins):
    found = page.upload({name: content})[0]
    assert found["problem"].startswith(begins)
    assert (found["format"], found["suits"]) == (None, [])
    assert str(os.sep + "tmp") not in found["problem"]


def test_pasted_text_is_a_file(page):
    answer = page.post("/api/text", json={"name": "../pasted", "text": "new,old\n1,0\n1,1\n0,0\n"})
    assert answer.status_code == 201
    assert (answer.json()["name"], answer.json()["rows"]) == ("pasted", 3)
    assert page.post("/api/text", json={"name": 5, "text": "x"}).status_code == 400


def test_files_can_be_removed(page, pair):
    ids = [f["id"] for f in page.upload(pair)]
    assert page.delete(f"/api/files/{ids[0]}").status_code == 204
    assert page.get(f"/api/files/{ids[0]}").status_code == 404
    assert page.start("compare", {"files": ids}).status_code == 404


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"command": 5}', b'{"command": "compare", "files": {"files": "x"}}', b"\xff", b"[" * 100_000]
)
def test_what_is_no_request_is_refused(page, body):
    for path in ("/api/jobs", "/api/text", "/api/plan"):
        answer = page.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), (path, answer.text)
        assert set(answer.json()) == {"error", "hint"}


def test_a_plan_answers_at_once(page):
    answer = page.post("/api/plan", json={"effect": "0.02", "sd": 0.3})
    assert answer.json()["items"] == 1766
    done = CliRunner().invoke(app, ["plan", "--effect", "0.02", "--sd", "0.3", "--format", "json"])
    assert answer.text == done.output
    refused = page.post("/api/plan", json={"effect": 0})
    assert refused.status_code == 422
    assert refused.json()["error"]


@pytest.mark.parametrize("wait", ["x", "-1", "21", "nan", "1e9"])
def test_waiting_is_bounded(page, pair, wait):
    job = page.run("compare", {"files": pair})
    assert page.get(f"/api/jobs/{job['id']}", params={"wait": wait}).status_code == 400


def test_unknown_commands_are_refused(page):
    assert page.get("/api/options/serve").status_code == 404
    assert page.start("serve").status_code == 404

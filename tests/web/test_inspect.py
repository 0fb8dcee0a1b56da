"""Files that are more than they seem, or less: JSON of all kinds, and what unpacks to far more than it weighs."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import zstandard
from tests.variants import a_few

from outscore.web.files import inspect

SAVED = {"clusters": "comparisons", "leaderboard": "ranking", "labels": "diff", "reviewer": "possible p"}


@pytest.fixture(scope="module")
def saved(page):
    """Results of every kind, as they are saved."""
    found = {}
    for name in SAVED:
        taken = page.post(f"/api/examples/{name}").json()
        job = page.run(taken["view"], taken["parts"], settings=taken["settings"])
        found[name] = page.get(f"/api/results/{job['result']}").content
    found["plan"] = page.post("/api/plan", json={"effect": 0.1}).content
    return found


def test_one_table_with_all_answers_needs_no_other_file(page):
    answers = "id,gold,old,new\n" + "".join(f"q{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]},{'ab'[i % 2]}\n" for i in range(12))
    (table,) = page.upload({"t.csv": answers.encode()})
    assert (table["whole"], table["task"], table["systems"]) == (True, "label", ["old", "new"])
    job = page.run("diff", {"gold": [table["id"]]}, task="label")
    assert job["state"] == "done", job
    assert job["command_line"].startswith("outscore diff --task label t.csv -o")
    (alone,) = page.upload({"t.csv": b"id,gold\nq1,a\nq2,b\n"})
    assert not alone["whole"]
    assert page.start("diff", {"gold": [alone["id"]]}, task="label").status_code == 422


def read_in(columns: int, folder) -> float:
    """The processor time that a table of two rows takes, the second without scores."""
    rows = [[f"c{i}" for i in range(columns)], ["1"] * columns, [""] * columns]
    (folder / "wide.csv").write_text("".join(f"id{i},{','.join(row)}\n" for i, row in enumerate(rows)))
    began = time.process_time()
    found = inspect(folder / "wide.csv", 1 << 30)
    assert (found["format"], found["problem"], found["systems"][:2]) == ("csv", None, ["c0", "c1"])
    return time.process_time() - began


def test_columns_are_looked_at_one_by_one(tmp_path):
    """Sixteen times as many columns take about sixteen times as long, and forty where each is looked for among all others."""
    read_in(100, tmp_path)
    few = min(read_in(250, tmp_path) for _ in range(3))
    # A second time only if something else was in its way.
    assert any(read_in(4_000, tmp_path) < 24 * few for _ in range(2))


@pytest.mark.parametrize("name", a_few([*SAVED, "plan"], 2))
def test_a_saved_result_is_known_however_it_is_written(page, saved, name):
    content = saved[name]
    small = json.dumps(json.loads(content)).encode()
    marked = b"\xef\xbb\xbf" + content
    for sent in (content, small, marked, content.replace(b"\n", b"\r\n")):
        file = page.upload({"saved.json": sent})[0]
        assert (file["format"], file["suits"], file["problem"]) == ("result", ["report"], None)
        job = page.run("report", {"files": [file["id"]]})
        assert page.get(f"/api/results/{job['result']}").content == content
    # Cut short it is a sentence, wherever it is cut.
    for cut in (small[: len(small) // 2], content[: len(content) // 2]):
        problem = page.upload({"saved.json": cut})[0]["problem"]
        assert problem.startswith("`saved.json`"), problem
    assert page.upload({"saved.json.gz": gzip.compress(content)})[0]["problem"].endswith("Unpack it first.")


DOCUMENTS = {
    "inspect": ({"eval": {}, "plan": {}, "samples": []}, "a log of Inspect"),
    "harness": ({"results": {}, "n-shot": {}, "configs": {}}, "a summary by the Language Model Evaluation Harness"),
    "helm": ([{"instance_id": "1", "stats": []}], "written by HELM"),
    "helm-run": ({"scenario_spec": {}, "adapter_spec": {}}, "written by HELM"),
    "list": ([["q1", 0.5], ["q2", 1]], "one JSON list"),
    "object": ({"a": [1, 2], "b": [3, 4]}, "JSON, but not a result saved by outscore"),
    "empty": ({}, "JSON, but not a result saved by outscore"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_of_other_tools_says_what_it_is(page, name, indent):
    data, what = DOCUMENTS[name]
    file = page.upload({"x.json": json.dumps(data, indent=indent).encode()})[0]
    assert file["problem"].startswith(f"`x.json` is {what}"), file["problem"]
    assert file["suits"] == []


def test_totals_lead_to_the_plan_that_tells_what_they_allow(page):
    accuracy = {"accuracy": 0.75, "main_score": 0.75}
    totals = {"task_name": "reviews", "mteb_version": "1.2", "scores": {"test": [accuracy]}}
    problem = page.upload({"x.json": json.dumps(totals).encode()})[0]["problem"]
    assert problem.startswith("`x.json` has the totals of MTEB only, and no scores of single items.")
    assert "outscore plan --accuracy 0.75" in problem


def test_a_broken_or_newer_result_is_a_sentence(page, saved):
    data = json.loads(saved["clusters"])
    broken = page.upload({"x.json": json.dumps({**data, "comparisons": 5}).encode()})[0]
    assert broken["problem"].startswith("`x.json` is a broken result: ")
    newer = page.upload({"x.json": json.dumps({**data, "schema": "outscore/result/9"}).encode()})[0]
    assert newer["problem"].startswith("`x.json` was saved by a different version of outscore (outscore/result/9).")


def test_lines_of_json_are_a_table_whatever_they_are_called(page):
    file = page.upload({"x.json": b'{"id": 1, "a": 1, "b": 0}\n{"id": 2, "a": 1, "b": 1}\n'})[0]
    assert (file["format"], file["rows"], file["systems"]) == ("jsonl", 2, ["a", "b"])


LINES = b"0.5 0.25\n" * 400_000


@pytest.mark.parametrize("pack", a_few([gzip.compress, bz2.compress, lzma.compress, zstandard.compress], 2))
def test_what_unpacks_to_too_much_is_refused_and_used_for_nothing(open_page, pack):
    with open_page(max_unpacked=1 << 20) as page:
        file = page.upload({"bomb.txt.gz": pack(LINES)})[0]
        wanted = "`bomb.txt.gz` contains more than 1 MB when unpacked, which is the limit of the page."
        assert file["problem"].startswith(wanted)
        answer = page.start("compare", {"files": [file["id"]]})
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(wanted)
        assert page.upload({"fine.txt.gz": pack(LINES[:9_000])})[0]["rows"] == 1_000


MEASURED = """
import resource, sys
from outscore.formats.base.source import unpacks_to_more
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert unpacks_to_more(sys.argv[1], (1 << 28) - 1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_bomb_costs_little_memory(tmp_path):
    """A quarter of a GB in one frame of some KB, of which a reader that unpacks all it was given would make one piece."""
    packer = zstandard.ZstdCompressor().compressobj()
    packed = b"".join(packer.compress(bytes(16 << 20)) for _ in range(16)) + packer.flush()
    assert len(packed) < 1 << 16
    (tmp_path / "bomb.zst").write_bytes(packed)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path / "bomb.zst")], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 100 << 10


def test_a_parquet_table_of_too_many_rows_is_refused_by_its_footer(open_page):
    content = io.BytesIO()
    pl.DataFrame({"id": range(300_000), "a": [1] * 300_000, "b": [0] * 300_000}).write_parquet(content)
    with open_page(max_unpacked=4 << 20) as page:
        assert "contains more than 4 MB" in page.upload({"x.parquet": content.getvalue()})[0]["problem"]
    with open_page() as page:
        assert page.upload({"x.parquet": content.getvalue()})[0]["rows"] == 300_000


@pytest.mark.slow
def test_a_real_bomb_is_refused_soon(page):
    """Three GB of pairs in 15 MB, refused as fast as half a GB is unpacked; parsing it would take minutes."""
    one = gzip.compress(LINES * 30, compresslevel=1, mtime=0)
    began = time.monotonic()
    file = page.upload({"bomb.txt.gz": one * 30})[0]
    assert file["problem"].startswith("`bomb.txt.gz` contains more than 512 MB")
    assert time.monotonic() - began < 30


def test_a_leaderboard_with_gaps_can_be_ranked(page):
    file = page.upload({"board.csv": b"item,a,b,c\n1,1,0,1\n2,,1,0\n3,1,0,0\n4,0,1,1\n"})[0]
    assert (file["problem"], file["suits"], file["systems"]) == (None, ["rank"], ["a", "b", "c"])
    assert file["empty"] == 1
    assert page.upload({"board.csv": b"item,a,b,c\n1,1,,1\n2,,,0\n3,1,0,0\n4,0,1,1\n"})[0]["empty"] == 3
    assert page.upload({"full.csv": b"item,a,b\n1,1,0\n2,0,1\n"})[0]["empty"] == 0
    assert page.run("rank", {"files": [file["id"]]})["state"] == "done"


@pytest.mark.parametrize(
    ("name", "content", "found", "cure"),
    [
        ("t.tsv", b"id\tnew\told\n1\t0,5\t0,7\n2\t0,1\t0,2\n", '"0,5"', "Write decimals with a point"),
        ("s.txt", b"0,5\n0,7\n", "decimal comma", "Write decimals with a point"),
        ("book.xlsx", b"PK\x03\x04" + bytes(40), "is a spreadsheet or an archive", "Export a sheet as CSV"),
        ("plot.png", b"\x89PNG\r\n\x1a\n" + bytes(40), "is a picture or a PDF", "Save the numbers"),
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\n", "is a picture or a PDF", "Save the numbers"),
        ("page.txt", b"\n<!DOCTYPE html>\n<html lang=en>\n<p>x\n", "is a web page", "Save the data"),
        ("wide.txt", "0.5 0.25\n0.1 0.2\n".encode("utf-16-le"), "UTF-16", "Save it as UTF-8 text"),
        ("wide.csv", "id,a,b\n1,0,1\n".encode("utf-16-be"), "UTF-16", "Save it as UTF-8 text"),
        ("one.bin", b"a\x00b", "found a NUL byte", "Save it as plain UTF-8 text"),
        ("blank.txt", b"\n\n\n", "is empty", "Give one item per line"),
    ],
)
def test_what_looks_like_something_else_says_so(page, name, content, found, cure):
    file = page.upload({name: content})[0]
    assert found in file["problem"]
    assert cure in file["problem"]
    assert file["suits"] == []


def test_names_are_what_browsers_mean(page):
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a%22b%0A%2F.txt"\r\n\r\n1\n2\n\r\n--x--\r\n'
    answer = page.post("/api/files", content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.json()["files"][0]["name"] == 'a"b %2F.txt'


def test_a_full_disk_is_a_sentence(page, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    answer = page.post("/api/files", files={"file": ("a.txt", b"1\n")})
    assert (answer.status_code, answer.json()["error"]) == (507, "The disk on which the page keeps files is full.")
    monkeypatch.setattr(shutil, "copyfileobj", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    assert page.post("/api/files", files={"file": ("a.txt", b"1\n")}).status_code == 500


SCORES = ["compare", "rank", "plan", "score", "gate"]
FILES = {
    "one.txt": (b"0.5\n0.25\n", "scores", 2, SCORES),
    "two.tsv": (b"new\told\n0.5\t1\n0.25\t0\n", "score-pairs", 2, SCORES),
    "four.txt": (b"1 2 3 4\n5 6 7 8\n", "f1-counts", 2, ["compare"]),
    "long.csv": (b"item,model,score\n1,a,0\n1,b,1\n2,a,1\n2,b,1\n", "csv", 4, SCORES),
    "wide.jsonl": (b'{"id": 1, "new": 0.5, "old": 0}\n{"id": 2, "new": 1, "old": 0}\n', "jsonl", 2, SCORES),
    "two-metrics.csv": (b"item,model,f1,bleu\n1,a,0,1\n1,b,1,2\n", "csv", None, SCORES),
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
        ("gold.csv", b"id,gold\n1,a\n2,\n3,b\n", "`gold.csv`, line 3: found nothing in column `gold`"),
        ("broken.json", b"{\n", "`broken.json` is JSON that is incomplete"),
        ("not.parquet", b"PAR1xxxx", "`not.parquet`"),
    ],
)
def test_a_broken_file_is_described_by_its_problem(page, name, content, begins):
    found = page.upload({name: content})[0]
    assert found["problem"].startswith(begins)
    assert (found["format"], found["suits"]) == (None, [])
    assert str(os.sep + "tmp") not in found["problem"]


def test_every_column_of_words_is_called_by_its_name(page):
    tree = "1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_"
    trees, words = page.upload({"t.conllu": f"{tree}\n\n".encode(), "w.bio": b"EU B-ORG\nrejects O\n\nPeter B-PER\n\n"})
    assert " ".join(column["name"] for column in trees["columns"]) == "id form lemma upos xpos feats head deprel deps misc"
    assert [column["name"] for column in words["columns"]] == ["word", "tag"]
    assert {len(file["head"][0]) - len(file["columns"]) for file in (trees, words)} == {0}


def test_two_columns_of_words_are_no_scores(page):
    file = page.upload({"words.csv": b"a,b\ncat,dog\nred,blue\nup,down\n"})[0]
    assert file["problem"].startswith("`words.csv` has no column of numbers among `a` and `b`.")
    assert file["suits"] == []


def test_a_settings_file_is_no_text(page):
    file = page.upload({"settings.yaml": b"test: student\nalpha: 0.01\n"})[0]
    assert (file["format"], file["suits"], file["problem"]) == ("settings", [], None)


def test_a_saved_result_whose_parts_do_not_fit_is_one_sentence(page, saved):
    data = json.loads(saved["leaderboard"])
    data["scores"][0]["system"] += " (edited)"
    file = page.upload({"saved.json": json.dumps(data).encode()})[0]
    job = page.run("report", {"files": [file["id"]]})
    assert job["state"] == "failed"
    assert job["error"].startswith("`saved.json` is a broken result: its parts are inconsistent (KeyError"), job["error"]


def test_every_file_says_in_a_line_what_it_is(page, saved):
    tree = b"1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n"
    files = {
        "runs.csv": (
            b"id,new,old\n1,1,0\n2,1,1\n",
            "scores: a column per system, `new` and `old`; items: `id`; 2 rows in 1 file",
        ),
        # Which scores are better is asked when they are compared.
        "unclear.csv": (b"id,system,neg_loss\n1,new,-1\n1,old,-2\n", "scores: `neg_loss`; items: `id`; systems: `system`"),
        # Errors below 0 were turned around, as a comparison says.
        "negated.csv": (b"id,system,wer\n1,new,-1\n1,old,-2\n", "scores: `wer`; items: `id`; systems: `system`"),
        "out.txt": (b"One sentence here.\nAnd another one.\n", "a text of 2 segments, one per line"),
        "gold.conllu": (tree, "1 word with "),
        "labels.csv": (b"id,gold\n1,cat\n2,dog\n", "2 labels, one per item"),
        "s.yaml": (b"alpha: 0.01\n", "settings (alpha), used for the files they come with"),
        "saved.json": (saved["leaderboard"], "a saved result about "),
    }
    found = {file["name"]: file["reading"] for file in page.upload({name: content for name, (content, _) in files.items()})}
    for name, (_, line) in files.items():
        assert found[name].startswith(line), (name, found[name])
    assert "higher is better" in found["negated.csv"]
    assert found["unclear.csv"].endswith("2 rows in 1 file (csv); not clear from the name whether higher or lower is better")


@pytest.mark.parametrize(
    ("name", "content", "suits"),
    [
        ("new.txt", "positive\nnot_positive\npositive\nnot_positive\npositive\nnot_positive\n", ["diff"]),
        ("new.json", json.dumps({f"q{i}": "yes" if i % 2 else "no" for i in range(6)}), ["diff"]),
        # Every line is another word, or several: a text.
        ("new.txt", "one\ntwo\nthree\nfour\nfive\nsix\n", ["texts"]),
        ("new.txt", "A dog barks.\nA dog barks.\nA dog barks.\nA cat sleeps.\n", ["texts"]),
    ],
)
def test_labels_without_a_table_are_offered_where_they_can_be_nothing_else(tmp_path, monkeypatch, name, content, suits):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content, encoding="utf-8")
    found = inspect(Path(name), 10_000)
    assert found["problem"] is None
    assert found["suits"] == suits
    assert found["systems"] == ["new"]
    if suits == ["diff"]:
        assert found["reading"] == "6 labels, one per " + ("line" if name.endswith("txt") else "item")
        first = ["positive", "not_positive"] if name.endswith("txt") else ["no", "yes"]
        assert [row[-1] for row in found["head"]][:2] == first


def test_labels_of_three_files_are_a_diff_on_the_page(page):
    files = {
        "gold.txt": b"yes\nno\nyes\nno\nyes\nno\n",
        "old.txt": b"no\nno\nyes\nno\nno\nno\n",
        "new.txt": b"yes\nno\nyes\nno\nno\nno\n",
    }
    gold, old, new = page.upload(files)
    assert {one["task"] for one in (gold, old, new)} == {"label"}
    job = page.run("diff", {"gold": [gold["id"]], "files": [old["id"], new["id"]]}, settings={"task": "label"})
    assert page.get(f"/api/results/{job['result']}").json()["pairs"][0]["outcomes"]["correction"] == 1

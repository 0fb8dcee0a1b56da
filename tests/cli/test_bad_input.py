"""The list of bad inputs, each with its exact sentence: golden/cli/bad-input.txt holds them all."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from outscore.formats.registry import FORMATS

LONG = "id,model,score\nq1,new,1\nq1,old,0\nq2,new,{}\nq2,old,1\n"


def parquet(**columns: list) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


# What is wrong: the file's name and content, and what else stands on the command line.
BAD: dict[str, tuple[str, str | bytes, list[str]]] = {
    "empty file": ("x.txt", "", []),
    "empty table": ("x.csv", "", []),
    "empty JSON lines": ("x.jsonl", "\n\n", ["--reader", "jsonl"]),
    "blank lines only": ("x.txt", "\n\n", []),
    "header only": ("x.csv", "id,new,old\n", []),
    "BOM and text": ("x.txt", "\ufeff0.5 0.6\n0.5 good\n", []),
    "Windows line ends and text": ("x.txt", "0.5 0.6\r\n0.5 good\r\n", []),
    "nan": ("x.txt", "0.5 0.6\n0.5 nan\n", []),
    "inf": ("x.txt", "0.5 0.6\ninf 0.5\n", []),
    "nan in a table": ("x.csv", LONG.format("NaN"), []),
    "inf in a table": ("x.csv", LONG.format("-inf"), []),
    "NaN in JSON": ("x.jsonl", '{"id": 1, "new": 0, "old": 1}\n{"id": 2, "new": NaN, "old": 1}\n', []),
    "NaN in the first line of JSON": ("x.jsonl", '{"id": 1, "new": NaN, "old": 1}\n{"id": 2, "new": 0, "old": 1}\n', []),
    "nan in Parquet": ("x.parquet", parquet(id=[1, 2], new=[0.5, float("nan")], old=[1.0, 0.0]), []),
    "null in Parquet": ("x.parquet", parquet(id=[1, 2], model=["new", "old"], score=[0.5, None]), []),
    "text in a score column": ("x.csv", LONG.format("good"), []),
    "an empty score": ("x.csv", LONG.format(""), []),
    "a decimal comma": ("x.txt", "0,5;0,6\n", []),
    "per cent": ("x.txt", "50% 60%\n", []),
    "unequal lengths": ("x.txt", "0.5\n0.6\n", ["one.txt"]),
    "unequal columns": ("x.txt", "0.5 0.6\n", ["one.txt"]),
    "conflicting duplicate ids": ("x.csv", LONG.format("1") + "q2,old,0\n", []),
    "no id in common": ("x.csv", "id,model,score\nq1,new,1\nq2,old,0\n", []),
    "a 3-column line": ("x.txt", "0.5 0.6\n0.5 0.6 0.7\n", []),
    "a first line of 3 columns": ("x.txt", "0.5 0.6 0.7\n0.5 0.6\n", []),
    "3 columns without a header": ("x.csv", "1,0.5,0.6\n2,0.4,0.3\n", []),
    "3 columns without a header, tabs": ("x.tsv", "1\t0.5\t0.6\n2\t0.4\t0.3\n", []),
    "ids and scores without a header": ("x.csv", "q1,0.5,0.6\nq2,0.4,0.3\n", []),
    "a number named as a column": ("x.csv", "1,0.5,0.6\n2,0.4,0.3\n", ["--item", "1"]),
    "a ragged table": ("x.csv", "id,new,old\nq1,1\n", []),
    "cut gzip": ("x.txt.gz", gzip.compress(b"0.5 0.6\n" * 9, mtime=0)[:-9], []),
    "text in gzip": ("x.txt.gz", gzip.compress(b"0.5 good\n", mtime=0), []),
    "text in bzip2": ("x.txt.bz2", bz2.compress(b"0.5 good\n"), []),
    "text in xz": ("x.txt.xz", lzma.compress(b"0.5 good\n"), []),
    "Latin-1 bytes": ("x.txt", "0.5 0.6\n0.5 h\u00f6her\n".encode("latin-1"), []),
    "Latin-1 bytes in a table": ("x.csv", "id,new,old\nm\u00fcde,1,0\n".encode("latin-1"), []),
    "UTF-16": ("x.txt", "0.5 0.6\n".encode("utf-16")[:-1], []),
    "a binary file": ("x.bin", b"\x7fELF\x00\x00\x00", []),
    "prose": ("x.txt", "It was a bright cold day\nin April 1984\n", []),
    "one JSON document": ("x.json", json.dumps({"a": [1, 2]}, indent=2), []),
    "unsure which column": ("x.csv", "id,question_id,doc_id,model,score\n1,1,1,new,1\n", []),
    "unsure which score": ("x.csv", "id,model,correct,accuracy\n1,new,1,1\n", []),
    "more than two systems": ("x.csv", "id,a,b,c\n1,1,0,1\n", []),
    "a system without any score": ("x.csv", "id,a,b,c\n1,,0,1\n2,,1,1\n", ["--system", "a", "--system", "b"]),
    "a slice that is no column": ("x.csv", "id,new,old\n1,1,0\n", ["--slice", "task"]),
    "a slice that differs between the systems": (
        "x.csv",
        "id,model,score,task\n1,new,1,x\n1,old,0,y\n",
        ["--slice", "task"],
    ),
}


def test_every_bad_input_gets_its_sentence(tmp_path, monkeypatch, refusal, golden):
    monkeypatch.chdir(tmp_path)
    Path("one.txt").write_text("0.5\n")
    found = []
    for what, (name, content, arguments) in BAD.items():
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        found.append(f"{what}\n    {refusal('compare', name, *arguments)}")
        Path(name).unlink()
    found.append(f"a folder\n    {refusal('compare', '.')}")
    found.append(f"no such file\n    {refusal('compare', 'absent.txt', 'one.txt')}")
    Path("tagger-new.txt").write_text("0.5\n")
    found.append(f"a misspelt file\n    {refusal('compare', 'tager-new.txt', 'one.txt')}")
    # Which formats there are is no matter of this test.
    golden("cli/bad-input.txt", "\n".join(found).replace(", ".join(FORMATS), "..."))


def test_zstd(tmp_path, monkeypatch, refusal, outscore):
    import zstandard

    monkeypatch.chdir(tmp_path)
    Path("x.zst").write_bytes(zstandard.ZstdCompressor().compress(b"0.5 0.6\n0.5 good\n"))
    assert refusal("compare", "x.zst").startswith('`x.zst`, line 2: found "good", expected a number.')


@pytest.mark.parametrize(("content", "words"), [("", "empty, but numbers"), ("0.5 good\n", "line 1")])
def test_standard_input_is_refused_alike(refusal, content, words):
    assert words in refusal("compare", "-", stdin=content)


def test_the_file_that_nlpstattest_calls_bad(shared_data, refusal):
    path = shared_data / "nlpstattest" / "BAD.txt"
    assert refusal("compare", path).startswith(f"`{path}`, line 1: found 3 columns (")


TEXTS = {
    "scores": "0.5 0.25\n1 0.5\n0.75 0.5\n",
    "f1-counts": "1,2,3,4\n5,6,7,8\n2,2,1,1\n",
    "csv": "id,new,old\nq1,1,0\nq2,0,1\nq3,1,0\n",
    "tsv": "id\tmodel\tscore\nq1\tnew\t1\nq1\told\t0\n",
    "jsonl": '{"id": 1, "new": 1, "old": 0}\n{"id": 2, "new": 0, "old": 0}\n',
}
PACKINGS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("format", TEXTS)
def test_every_text_format_from_standard_input(format, packing, monkeypatch):
    from outscore.workflows.load import load_pair

    raw = PACKINGS[packing](TEXTS[format].encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    found = load_pair(["-"])
    rows = TEXTS[format].count("\n") - (format in ("csv", "tsv")) - (format == "tsv")
    assert {one.rows for one in found.scores} == ({1} if format == "tsv" else {rows})


def test_an_empty_file_of_two_gigabytes_is_not_taken_into_memory(tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    with Path("x.txt").open("wb") as file:
        os.truncate(file.fileno(), 2 << 30)
    said = "`x.txt`, line 1: found a NUL byte, as in binary files; expected text. Save it as plain UTF-8 text.\n"
    assert refusal("compare", "x.txt") == said


@pytest.mark.slow
def test_two_gigabytes_are_streamed(tmp_path):
    """Records with long texts beside their scores: only the scores may stay in memory."""
    path = tmp_path / "x.jsonl.gz"
    text = "x" * 100_000
    with gzip.open(path, "wt", compresslevel=1) as file:
        for i in range(21_000):
            file.write(f'{{"id": {i}, "new": {i % 2}, "old": {i % 3 == 0:d}, "output": "{text}"}}\n')
    # What `getrusage` calls the peak of a process includes that of its parent, which is this suite.
    peak = "print(int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]) // 1024, file=sys.stderr)"
    watch = f"import sys; from pathlib import Path; from outscore.cli.app import main\ntry: main()\nfinally: {peak}"
    done = subprocess.run([sys.executable, "-c", watch, "compare", "-v", path], capture_output=True, text=True, check=True)
    assert "On 21,000 items" in done.stdout
    assert int(done.stderr) < 400


def test_a_file_does_not_steer_the_terminal_through_an_error(tmp_path, monkeypatch, refusal):
    """Names from a file are untrusted: no escape sequence, bell or change of the writing direction reaches the terminal."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("id,a\x1b[2J\x07,b\u202eevil\n" + "".join(f"{i},1,0\n" for i in range(9)), encoding="utf-8")
    text = refusal("compare", "t.csv", "--slice", "topic")
    assert "evil" in text
    assert not any(char in text for char in "\x1b\x07\u202e")

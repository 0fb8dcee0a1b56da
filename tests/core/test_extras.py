"""What is installed by an extra is needed only where it is used, and refused in one sentence where it is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from tests.log_files import inspect_archive
from tests.variants import a_few

# Files are written with what is then missing.
pl = pytest.importorskip("polars")
zstandard = pytest.importorskip("zstandard")
SENTENCE = "polars must be installed to {purpose}. Run `pip install 'outscore[parquet]'`."
ROWS = pl.DataFrame({"id": ["q1", "q2", "q3", "q4"], "new": [1, 1, 1, 0], "old": [0, 1, 0, 0]})
# Whatever runs in such a process, no import of the module can succeed in it.
WITHOUT = """
import contextlib, io, json, os, sys
sys.modules[sys.argv[1]] = None
from outscore.__main__ import main
for line in sys.stdin:
    folder, *sys.argv[1:] = json.loads(line)
    os.chdir(folder)
    code, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            sys.argv[0] = "outscore"
            main()
        except SystemExit as left:
            code = left.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope="module")
def without():
    """Run a command where a module is missing: in one process for each such module."""
    with ExitStack() as until:
        lacking = {}

        def run(module, *arguments, folder="."):
            if module not in lacking:
                command = [sys.executable, "-c", WITHOUT, module]
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                lacking[module] = until.enter_context(process)
            process = lacking[module]
            process.stdin.write(json.dumps([str(folder), *map(str, arguments)]) + "\n")
            process.stdin.flush()
            return Done(*json.loads(process.stdout.readline()))

        yield run
        for process in lacking.values():
            process.stdin.close()


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_tables_of_text_need_no_polars(without, command, ending, tmp_path):
    path = tmp_path / f"runs.{ending}"
    write = ROWS.write_csv if ending == "csv" else ROWS.write_ndjson
    write(path)
    done = without("polars", command, path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", [["compare"], ["rank"], ["score"], ["show"], ["gate", "--margin", "0.1"]])
def test_a_parquet_file_names_the_extra(without, command, tmp_path):
    path = tmp_path / "runs.parquet"
    ROWS.write_parquet(path)
    done = without("polars", *command, path)
    assert done.returncode == 2
    assert done.stderr == f"outscore: {SENTENCE.format(purpose='read Parquet files')}\n"


def test_a_folder_of_parquet_files_is_listed_with_the_extra_that_it_takes(without, tmp_path):
    for number in range(3):
        ROWS.write_parquet(tmp_path / f"details_{number}.parquet")
    done = without("polars", "show", tmp_path, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    reasons = [file["problem"] for file in json.loads(done.stdout)["files"]]
    assert reasons == [SENTENCE.format(purpose="read Parquet files")] * 3


def test_pairs_name_the_extra_before_anything_is_computed(without, tmp_path):
    ROWS.write_csv(tmp_path / "runs.csv")
    done = without("polars", "rank", tmp_path / "runs.csv", "--pairs", tmp_path / "pairs.parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"outscore: {SENTENCE.format(purpose='write pairs as a Parquet table')}\n"


def test_data_frames_of_another_library_need_no_polars():
    pytest.importorskip("pandas")
    code = """
import sys
sys.modules["polars"] = None
import pandas as pd
import outscore as osc
rows = {"id": ["q1", "q2", "q3", "q4"], "new": [1, 1, 1, 0], "old": [0, 1, 0, 0]}
found = osc.compare(pd.DataFrame(rows))
ranking = osc.rank(pd.DataFrame(rows))
assert found.p.value == 0.5
try:
    ranking.to_frame()
except osc.OutscoreError as refused:
    print(refused)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (SENTENCE.format(purpose="make data frames") + "\n", "")


@pytest.mark.parametrize("kind", ["table", "log"])
def test_files_packed_by_zstd_name_their_extra(without, kind, tmp_path):
    if kind == "table":
        path = tmp_path / "runs.csv.zst"
        path.write_bytes(zstandard.compress(ROWS.write_csv().encode()))
        purpose = "read files that zstd packed"
    else:
        path = inspect_archive(tmp_path)[0]
        purpose = "read this log, which Inspect packed by zstd"
    done = without("zstandard", "show", path)
    assert done.returncode == 2
    assert f"zstandard must be installed to {purpose}. Run `pip install 'outscore[zst]'`." in done.stderr


LIBRARIES = {
    "report": ("altair", ["compare", "{table}", "-o", "x.html"]),
    "text": ("sacrebleu", ["compare", "--reference", "{text}", "{text}", "{text}", "--metric", "bleu"]),
    "web": ("starlette", ["serve", "--no-browser"]),
    "cluster": ("distributed", ["rank", "{table}", "--dask", "tcp://127.0.0.1:9"]),
    "ir": ("ir_measures", ["compare", "--qrels", "{qrels}", "{run}", "{run}", "--metric", "nDCG@10"]),
    "mcp": ("mcp", ["mcp"]),
}


@pytest.mark.parametrize("extra", a_few(LIBRARIES, 3))
def test_every_extra_is_named_in_one_sentence_where_it_is_needed(without, extra, tmp_path):
    (tmp_path / "table.csv").write_text(ROWS.write_csv())
    (tmp_path / "text.txt").write_text("a line\nanother line\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 2.0 x\nq2 Q0 d2 1 1.0 x\n")
    places = {"table": "table.csv", "text": "text.txt", "qrels": "qrels.txt", "run": "run.txt"}
    module, arguments = LIBRARIES[extra]
    words = [word.format(**{name: tmp_path / file for name, file in places.items()}) for word in arguments]
    done = without(module, *words, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "must be installed to" in done.stderr
    assert f"Run `pip install 'outscore[{extra}]'`." in done.stderr

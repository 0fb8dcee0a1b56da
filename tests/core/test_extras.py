"""What is installed by an extra is needed only where it is used, and refused in one sentence where it is missing."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

SENTENCE = "polars must be installed to {purpose}. Run `pip install 'outscore[parquet]'`."
WITHOUT = "import sys; sys.modules['polars'] = None; sys.argv[0] = 'outscore'; from outscore.__main__ import main; main()"
ROWS = pl.DataFrame({"id": ["q1", "q2", "q3", "q4"], "new": [1, 1, 1, 0], "old": [0, 1, 0, 0]})


def run_without_polars(*arguments, code=WITHOUT):
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", [["compare"], ["rank"], ["score"]])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_tables_of_text_need_no_polars(command, ending, tmp_path):
    path = tmp_path / f"runs.{ending}"
    write = ROWS.write_csv if ending == "csv" else ROWS.write_ndjson
    write(path)
    done = run_without_polars(*command, path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", [["compare"], ["rank"], ["score"], ["show"], ["gate", "--margin", "0.1"]])
def test_a_parquet_file_names_the_extra(command, tmp_path):
    path = tmp_path / "runs.parquet"
    ROWS.write_parquet(path)
    done = run_without_polars(*command, path)
    assert done.returncode == 2
    assert done.stderr == f"outscore: {SENTENCE.format(purpose='read Parquet files')}\n"


@pytest.mark.parametrize("files", [1, 3])
def test_a_folder_of_parquet_files_names_it_once(files, tmp_path):
    for number in range(files):
        ROWS.write_parquet(tmp_path / f"details_{number}.parquet")
    done = run_without_polars("show", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"outscore: {SENTENCE.format(purpose='read Parquet files')} Or move ")
    assert done.stderr.count("polars") == 1


def test_pairs_name_the_extra_before_anything_is_computed(tmp_path):
    ROWS.write_csv(tmp_path / "runs.csv")
    done = run_without_polars("rank", tmp_path / "runs.csv", "--pairs", tmp_path / "pairs.parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"outscore: {SENTENCE.format(purpose='write pairs as a Parquet table')}\n"


def test_data_frames_of_another_library_need_no_polars():
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
    done = run_without_polars(code=code)
    assert (done.stdout, done.stderr) == (SENTENCE.format(purpose="make data frames") + "\n", "")

"""Which column plays which part, by its name and by its values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError

RNG = np.random.default_rng(8)
NEW, OLD = (RNG.random(30).round(3).tolist() for _ in range(2))


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def two_files(item: str, score: str, ids=None) -> tuple[str, str]:
    """A file for each system, the second in another order."""
    names = [f"x{i}w" for i in range(30)] if ids is None else ids
    Path("new.csv").write_text(f"{item},{score}\n" + "".join(f"{i},{x}\n" for i, x in zip(names, NEW, strict=True)))
    turned = list(zip(names, OLD, strict=True))[::-1]
    Path("old.csv").write_text(f"{item},{score}\n" + "".join(f"{i},{x}\n" for i, x in turned))
    return "new.csv", "old.csv"


IDS = [
    "query_id",
    "image_id",
    "utt_id",
    "sent_id",
    "test_id",
    "case_id",
    "key",
    "topic",
    "query",
    "name",
    "filename",
    "user_input",
]


@pytest.mark.parametrize("name", a_few([*IDS, "audio filepath", "user_input", "title", "a"], 6))
def test_ids_are_known_by_their_values(name):
    found = osc.compare(*two_files(name, "points"))
    assert found.reading.item == [name]
    assert found.reading.score == ["points"]
    assert found.difference == pytest.approx(np.mean(NEW) - np.mean(OLD))


@pytest.mark.parametrize("name", ["ndcg_10", "map", "mrr", "auc", "rouge_l", "judge_score", "points", "grade"])
def test_the_only_column_of_numbers_is_the_score(name):
    assert osc.compare(*two_files("query_id", name)).reading.score == [name]


def test_values_that_return_are_no_ids():
    """The first twenty rows may each be of another speaker, and all later ones of the same."""
    ids = [f"s{min(i, 25)}" for i in range(30)]
    with pytest.raises(OutscoreError, match=r"`new\.csv` has no item column among `speaker_id` and `score`"):
        osc.compare(*two_files("speaker_id", "score", ids))
    with pytest.raises(OutscoreError, match="no item column"):
        osc.compare(*two_files("speaker_id", "score", ["a", "b", "c"] * 10))


def test_a_remark_is_no_id():
    with pytest.raises(OutscoreError, match="no item column"):
        osc.compare(*two_files("judge_comment", "score"))


def test_rows_of_one_table_are_matched_by_order_where_no_column_tells_them_apart():
    rows = [f"t{min(i, 22)},{x},{y}\n" for i, (x, y) in enumerate(zip(NEW, OLD, strict=True))]
    Path("wide.csv").write_text("title,new,old\n" + "".join(rows))
    found = osc.compare("wide.csv")
    assert found.reading.item == []
    assert (found.n, found.difference) == (30, osc.compare(NEW, OLD).difference)


def test_ids_are_unique_within_a_system_of_a_long_table():
    frame = pl.DataFrame(
        {"system": ["new"] * 30 + ["old"] * 30, "audio_filepath": [f"{i}.wav" for i in range(30)] * 2, "wer": [*NEW, *OLD]}
    )
    frame.write_csv("long.csv")
    for given in ("long.csv", frame):
        found = osc.compare(given)
        assert (found.reading.item, found.n) == (["audio_filepath"], 30)


@pytest.mark.parametrize("stem", ["sys", "model", "v", "run", "exp", "ckpt", "checkpoint-"])
def test_numbered_names_of_systems_beside_ids_are_systems(stem):
    scores = RNG.integers(0, 2, (30, 20))
    head = ",".join(f"{stem}{j:02}" for j in range(20))
    rows = [f"q{i},{','.join(map(str, row))}\n" for i, row in enumerate(scores.tolist())]
    Path("wide.csv").write_text(f"id,{head}\n" + "".join(rows))
    assert len(osc.rank("wide.csv").scores) == 20


def test_ids_that_files_do_not_share_yield_to_those_that_they_do():
    """Every run gives its rows new uuids."""
    for name, scores in (("new", NEW), ("old", OLD)):
        rows = [f"{name}-{i:08x},t{i},{x}\n" for i, x in enumerate(scores)]
        Path(f"{name}.csv").write_text("id,task_id,score\n" + "".join(rows))
    found = osc.compare("new.csv", "old.csv")
    assert (found.reading.item, found.n) == (["task_id"], 30)
    assert len(osc.rank(["new.csv", "old.csv"]).scores) == 2
    with pytest.raises(OutscoreError, match="no item in common"):
        osc.compare("new.csv", "old.csv", items="id")

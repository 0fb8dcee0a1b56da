"""Battles counted in parts: any cut into files and shares, and any engine, gives what reading them at once gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.variants import variants

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import SERIAL, Processes
from outscore.workflows.prefer import inputs as parts


def battles(n=600, systems=5, prompts=40, *, judges=0, categories=0, nulls=0.05, seed=0):
    """Random battles in both orders, with ties, missing verdicts and battles of a system with itself."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, systems, n)
    second = np.where(rng.random(n) < 0.02, first, (first + rng.integers(1, systems, n)) % systems)
    won = rng.random(n) < 1 / (1 + np.exp(0.5 * (first - second)))
    winner = np.where(rng.random(n) < 0.15, "tie", np.where(won, "model_a", "model_b")).tolist()
    names = [f"m{i}" for i in rng.permutation(systems)]
    table = {
        "prompt": rng.integers(0, prompts, n).tolist(),
        "model_a": [names[i] for i in first],
        "model_b": [names[i] for i in second],
        "winner": [None if missing else word for word, missing in zip(winner, rng.random(n) < nulls, strict=True)],
    }
    if categories:
        table["category"] = [f"kind-{prompt % categories}" for prompt in table["prompt"]]
    if judges:
        table["judge"] = [f"j{i}" for i in rng.integers(0, judges, n)]
    return pl.DataFrame(table)


def written(folder, table, files=3):
    """The rows one after the other in several files."""
    step = -(-table.height // files)
    for i in range(files):
        table.slice(i * step, step).write_parquet(folder / f"part-{i}.parquet")
    return folder


def numbers(found):
    """Everything but where the battles came from."""
    return replace(found, settings={})


@pytest.fixture
def cut(monkeypatch):
    """Shares so small that there are several, and no size that is read at once."""
    monkeypatch.setattr(parts, "ROWS", 150)

    def whole(size):
        monkeypatch.setattr(parts, "WHOLE", size)

    return whole


CASES = {
    "many systems": ({}, {}),
    "judges": ({"judges": 3}, {}),
    "a crowd": ({"judges": 30}, {}),
    "categories": ({"categories": 3}, {}),
    "too many categories": ({"categories": 51, "prompts": 200}, {}),
    "two systems": ({"systems": 2, "n": 400}, {}),
    "chosen systems and judges": ({"judges": 3}, {"systems": ["m1", "m3", "m4"], "judges": ["j2", "j0"]}),
    "clusters": ({"judges": 4}, {"cluster": "judge"}),
    "no prompts": ({"n": 300}, {"prompt": "none"}),
    "repeated": ({"systems": 2, "n": 600, "prompts": 30, "judges": 2}, {}),
    "fixed": ({"systems": 2, "n": 300, "prompts": 100_000}, {"order": "fixed"}),
}


@pytest.mark.parametrize("case", variants(CASES, ("judges", "categories", "two systems", "clusters")))
def test_parts_are_the_whole(case, cut, tmp_path):
    made, asked = CASES[case]
    folder = written(tmp_path, battles(**made))
    whole = osc.prefer(folder, **asked)
    cut(0)
    assert numbers(osc.prefer(folder, **asked)) == numbers(whole)


def test_several_columns_of_verdicts(cut, tmp_path):
    table = battles().with_columns(other=pl.col("winner").reverse())
    folder = written(tmp_path, table)
    whole = osc.prefer(folder, winner=["winner", "other"])
    cut(0)
    assert numbers(osc.prefer(folder, winner=["winner", "other"])) == numbers(whole)


def test_repeated_battles_are_told_alike(cut, tmp_path):
    table = battles(n=300)
    folder = written(tmp_path, pl.concat([table, table.head(50)]), 2)
    whole = osc.prefer(folder)
    cut(0)
    found = osc.prefer(folder)
    assert found.notes == whole.notes
    assert any("battles appear identically in another file" in note.text for note in found.notes)


ENGINES = {"Serial": SERIAL, "Processes": Processes(2), "Dask": Dask("local", 2)}


@pytest.mark.parametrize("engine", variants(ENGINES, ("Serial",)))
def test_the_engine_does_not_matter(engine, cut, tmp_path):
    folder = written(tmp_path, battles(judges=2))
    whole = osc.prefer(folder)
    cut(0)
    assert numbers(osc.prefer(folder, engine=ENGINES[engine])) == numbers(whole)


def test_conversations_are_prompts_by_their_first_message(cut, tmp_path):
    table = battles().with_columns(
        conversation_a=pl.col("prompt").map_elements(
            lambda x: [{"role": "user", "content": f"question {x}"}, {"role": "assistant", "content": "so"}],
            return_dtype=pl.List(pl.Struct({"role": pl.String, "content": pl.String})),
        )
    )
    folder = written(tmp_path, table.drop("prompt").with_columns(conversation_b=pl.col("conversation_a")))
    whole = osc.prefer(folder)
    cut(0)
    found = osc.prefer(folder)
    assert (found.pairs, found.clusters, found.position) == (whole.pairs, 40, whole.position)
    assert any("Lengths of answers are not analysed" in note.text for note in found.notes)


def test_a_wrong_cell_is_named_by_its_row(cut, tmp_path):
    table = battles(n=300, nulls=0)
    wrong = table.with_columns(winner=pl.when(pl.int_range(pl.len()) == 250).then(pl.lit("perhaps")).otherwise("winner"))
    wrong.write_parquet(tmp_path / "votes.parquet")
    cut(0)
    with pytest.raises(OutscoreError, match="row 251: found the verdict `perhaps`"):
        osc.prefer(tmp_path / "votes.parquet")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"systems": ["m1", "m9"]}, "There is no system `m9`"),
        ({"systems": ["m1"]}, "names only one system"),
        ({"judges": ["j1"]}, "do not name a judge"),
    ],
)
def test_what_is_not_there_is_refused_alike(asked, said, cut, tmp_path):
    folder = written(tmp_path, battles())
    for size in (1 << 23, 0):
        cut(size)
        with pytest.raises(OutscoreError, match=said):
            osc.prefer(folder, **asked)


def test_a_cluster_takes_parquet_only(tmp_path):
    battles(n=20).write_csv(tmp_path / "votes.csv")
    with pytest.raises(OutscoreError, match="counts battles in parts, but the files are not Parquet"):
        osc.prefer(tmp_path / "votes.csv", engine=Dask("local", 1))

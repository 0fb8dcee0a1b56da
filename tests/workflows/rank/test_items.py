"""Which items decide a ranking: the counts of the result, the file, and what has no items to judge."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.inference.leaderboard import effective_items, item_table

SYSTEMS = "abcdefgh"


def board(seed=0, n=40):
    """Right-or-wrong items of eight systems, with dead ones at the end and one that turns the order around."""
    random = np.random.default_rng(seed)
    skill = np.linspace(0.9, 0.2, len(SYSTEMS))
    right = (random.random((len(SYSTEMS), n)) < skill[:, None]).astype(int)
    turned = (np.arange(len(SYSTEMS)) >= 4).astype(int)[:, None]
    return np.hstack([right, turned, np.ones((8, 3), int), np.zeros((8, 2), int)])


def test_counts_are_those_of_the_items():
    values = board()
    found = osc.rank(dict(zip(SYSTEMS, values, strict=True)), items=[f"q{i}" for i in range(values.shape[1])]).items
    table = item_table(values)
    constant = Counter(int(column[0]) for column in values.T if len(set(column)) == 1)
    assert (found.items, found.all_right, found.all_wrong, found.equal) == (46, constant[1], constant[0], 0)
    assert found.dead == int(table.dead.sum()) >= 5
    assert found.discriminating == int(table.discriminating.sum())
    assert found.suspicious == int(table.suspicious.sum())
    assert found.by_chance == pytest.approx(0.05 * (46 - found.dead))
    assert found.effective == pytest.approx(effective_items(values.var(axis=0)))
    assert found.listed[0].item == "q40"
    assert [one.correlation for one in found.listed] == sorted(one.correlation for one in found.listed)


def test_lower_scores_that_are_better_turn_right_and_wrong():
    values = dict(zip(SYSTEMS, board(), strict=True))
    one, other = osc.rank(values).items, osc.rank(values, direction="lower").items
    assert (one.all_right, one.all_wrong) == (other.all_wrong, other.all_right)
    assert (one.suspicious, one.discriminating) == (other.suspicious, other.discriminating)


def test_dead_items_decide_nothing():
    """Without them, no pair has another p."""
    values = board()
    live = values[:, values.std(axis=0) > 0]
    whole, part = (osc.rank(dict(zip(SYSTEMS, one, strict=True))) for one in (values, live))
    assert [pair.p.value for pair in whole.pairs] == pytest.approx([pair.p.value for pair in part.pairs])
    assert whole.items.effective == pytest.approx(part.items.effective)


def test_graded_scores_few_systems_and_corpus_scores():
    graded = np.random.default_rng(1).random((6, 10)).round(2)
    graded[:, 0] = 0.5
    kinds = osc.rank(dict(zip(SYSTEMS, graded, strict=False))).items
    assert (kinds.equal, kinds.all_right, kinds.all_wrong) == (1, 0, 0)
    few = osc.rank(dict(zip("abc", board(), strict=False))).items
    assert (few.discriminating, few.suspicious, few.by_chance, few.listed) == (None, None, None, [])
    counts = np.random.default_rng(2).integers(1, 9, (3, 12, 3))
    assert osc.rank(dict(zip("abc", counts, strict=True)), metric="f1").items is None


@pytest.fixture
def table(tmp_path):
    values = board()
    lines = ["id," + ",".join(SYSTEMS), *(f"q{i}," + ",".join(map(str, row)) for i, row in enumerate(values.T))]
    (tmp_path / "board.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "board.csv"


def test_the_file_has_every_item(table, tmp_path):
    target = tmp_path / "items.csv"
    done = CliRunner().invoke(app, ["rank", str(table), "--items", str(target), "-v"])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(target.read_text().splitlines()))
    kinds, found = Counter(row["kind"] for row in rows), osc.rank(str(table)).items
    assert [row["item"] for row in rows] == [f"q{i}" for i in range(46)]
    assert (kinds["all right"], kinds["all wrong"]) == (found.all_right, found.all_wrong)
    assert (kinds["suspicious"], kinds["discriminating"]) == (found.suspicious, found.discriminating)
    assert f"{found.dead} of 46 items tell no systems apart" in " ".join(done.output.split())
    assert rows[40]["kind"] == "suspicious"
    assert "q40" in done.output


def test_a_file_of_items_is_refused_where_there_are_none(tmp_path):
    (tmp_path / "counts.csv").write_text(
        "id,system,tp,fp,fn\n" + "".join(f"q{i},{s},{i},1,2\n" for i in range(9) for s in "ab")
    )
    done = CliRunner().invoke(app, ["rank", str(tmp_path / "counts.csv"), "--items", str(tmp_path / "items.csv")])
    assert done.exit_code == 2
    assert "--items needs a score for each item" in done.output
    assert not (tmp_path / "items.csv").exists()

"""One table in several formats, asked by several commands: every number that they share is the same."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.variants import variants

import outscore as osc

KINDS = {
    "graded": lambda x: np.clip(x, 0, 1).round(3),
    "right-or-wrong": lambda x: (x > 0.5).astype(int),
    "whole": lambda x: np.rint(10 * x).astype(int),
    "decimals": lambda x: (7 * x).round(2),
}
FORMATS = ("csv", "jsonl", "parquet", "folder")


@pytest.fixture(scope="module", params=["one dataset", "two datasets"])
def tables(request, tmp_path_factory):
    """Every kind of scores of two systems, and of three, in every format."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(4)
    datasets = ("d0",) if request.param == "one dataset" else ("d0", "d1")
    for kind, scores in KINDS.items():
        for systems in (2, 3):
            rows = []
            for dataset in datasets:
                base = rng.normal(0.5, 0.2, 24)
                for s in range(systems):
                    values = scores(base + rng.normal(0.05 * s, 0.1, 24)).tolist()
                    name = {"dataset": dataset} if len(datasets) > 1 else {}
                    rows += [{"item": f"i{i}", "system": f"s{s}", "score": x, **name} for i, x in enumerate(values)]
            table, stem = pl.DataFrame(rows), folder / f"{kind}-{systems}"
            table.write_csv(f"{stem}.csv")
            table.write_ndjson(f"{stem}.jsonl")
            table.write_parquet(f"{stem}.parquet")
            stem.mkdir()
            for part, one in enumerate(table.partition_by("item", maintain_order=True)):
                one.write_parquet(stem / f"part-{part:02}.parquet")
    return lambda kind, systems, form: str(folder / f"{kind}-{systems}{'' if form == 'folder' else f'.{form}'}")


def ranked(path: str):
    found = osc.rank(path)
    own = {one.system: (one.value, one.low, one.high) for one in found.scores}
    pairs = {tuple(sorted(p.systems)): (abs(p.difference), *sorted((abs(p.low), abs(p.high))), p.p.value) for p in found.pairs}
    return own, pairs, (found.test, found.kernel, found.interval, found.headline)


def close(found, expected) -> None:
    assert found.keys() == expected.keys()
    for name, numbers in expected.items():
        assert found[name] == pytest.approx(numbers, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("kind", variants(KINDS, ("graded", "right-or-wrong")))
@pytest.mark.parametrize("systems", [2, 3])
def test_a_ranking_does_not_depend_on_the_format(tables, kind, systems):
    own, pairs, words = ranked(tables(kind, systems, "csv"))
    for form in FORMATS[1:]:
        found = ranked(tables(kind, systems, form))
        close(found[0], own)
        close(found[1], pairs)
        assert found[2] == words


@pytest.mark.parametrize("kind", variants(KINDS, ("graded", "right-or-wrong")))
def test_commands_agree_on_two_systems(tables, kind):
    for form in ("csv", "jsonl", "parquet"):
        path = tables(kind, 2, form)
        own, pairs, words = ranked(path)
        pair = osc.compare(path)
        ends = sorted((abs(pair.interval.low), abs(pair.interval.high)))
        close({("s0", "s1"): (abs(pair.difference), *ends, pair.p.value)}, pairs)
        assert pair.interval.method == words[2]
        close({one.system: (one.value, one.low, one.high) for one in pair.scores}, own)
        close({one.system: (one.value, one.low, one.high) for one in osc.score(path).systems}, own)

"""The files that the frozen commands read: one of every kind that the product knows, small, seeded, made anew for every run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from tests import log_files
from tests.coref_documents import write_documents
from tests.diff_files import write_entities, write_labels, write_trees

from outscore.examples.registry import EXAMPLES, write_recipe_files

LOGS = (
    log_files.lm_eval,
    log_files.inspect_archive,
    log_files.inspect_json,
    log_files.helm,
    log_files.promptfoo,
    log_files.swe_bench,
    log_files.evalplus,
    log_files.bigcodebench,
    log_files.openai_evals,
    log_files.lighteval,
    log_files.every_eval_ever,
)


def write_files(folder: Path) -> None:
    """The demonstration's files, those of the recipes, logs of every harness, outputs of every task, and the tables below."""
    for name, example in EXAMPLES.items():
        place = folder / "outscore-demo" / name
        place.mkdir(parents=True)
        for file, text in example.files(0).items():
            (place / file).write_text(text, encoding="utf-8")
    write_recipe_files(folder)
    for write in LOGS:
        write(folder / "harness" / write.__name__)
    for name, outputs in (("dep", write_trees), ("ner", write_entities), ("label", write_labels), ("coref", write_documents)):
        (folder / "outputs" / name).mkdir(parents=True)
        outputs(folder / "outputs" / name)
    write_pairs(folder)
    write_long_tables(folder)
    write_boards(folder)


def write_pairs(folder: Path) -> None:
    """Two systems: right or wrong, graded, real, counts, with clusters, gaps, slices, and as a file for each system."""
    rng = np.random.default_rng(7)
    right = (rng.random((90, 2)) < [0.75, 0.6]).astype(int)
    graded = np.round(np.clip(rng.normal([0.62, 0.55], 0.2, (90, 2)), 0, 1), 2)
    real = rng.normal([1.2, 1.0], 0.7, (70, 2)).round(6)
    ids = [f"q{item:02}" for item in range(90)]
    for name, values in {"right": right, "graded": graded}.items():
        groups = ([f"d{item // 6}", "xyz"[item % 3], "maths" if item < 50 else "law"] for item in range(90))
        rows = [[item, *row, *group] for item, row, group in zip(ids, values.tolist(), groups, strict=True)]
        _table(folder / f"{name}.csv", ["id", "new", "old", "topic"], ([*row[:3], row[4]] for row in rows))
        _table(folder / f"{name}-clusters.csv", ["id", "new", "old", "document"], (row[:4] for row in rows))
        _table(folder / f"{name}-datasets.csv", ["id", "new", "old", "document", "topic", "dataset"], rows)
        others = [f"r{item:02}" for item in range(60)]
        _table(folder / f"{name}-other.csv", ["id", "score"], zip(others, values[:60, 1].tolist(), strict=True))
        for column, system in enumerate(("new", "old")):
            _table(folder / f"{name}-{system}.csv", ["id", "score"], zip(ids, values[:, column].tolist(), strict=True))
    _table(folder / "real.csv", ["id", "new", "old"], ([item, *row] for item, row in zip(ids, real.tolist(), strict=False)))
    gaps = [
        ["" if (item + column) % 11 == 0 else value for column, value in enumerate(row)]
        for item, row in enumerate(right.tolist())
    ]
    _table(folder / "gaps.csv", ["id", "new", "old"], ([item, *row] for item, row in zip(ids, gaps, strict=True)))
    alike = [[item, value, value] for item, value in zip(ids, right[:, 0].tolist(), strict=True)]
    _table(folder / "alike.csv", ["id", "new", "old"], alike)
    for system, share in (("new", 0.8), ("old", 0.7)):
        gold = rng.integers(1, 6, 60)
        found = rng.binomial(gold, share)
        rows = zip(found.tolist(), rng.poisson(0.8, 60).tolist(), (gold - found).tolist(), strict=True)
        _table(folder / f"counts-{system}.tsv", ["tp", "fp", "fn"], rows, separator="\t")


def write_long_tables(folder: Path) -> None:
    """Runs of items, as many for each or not, of one dataset or two, and answers beside their gold."""
    rng = np.random.default_rng(8)
    ease = rng.normal(0, 1.2, 60)
    skill = {"amber": 0.9, "birch": 0.4, "cedar": 0.3}
    even, uneven, graded = [], [], []
    for system, plus in skill.items():
        for item in range(60):
            chance = 1 / (1 + np.exp(-plus - ease[item]))
            dataset = "one" if item < 35 else "two"
            for run in range(4):
                even.append([system, f"q{item:02}", run, int(rng.random() < chance), dataset])
                graded.append([system, f"q{item:02}", run, round(float(np.clip(rng.normal(chance, 0.15), 0, 1)), 3), dataset])
            uneven += [
                [system, f"q{item:02}", run, int(rng.random() < chance), dataset] for run in range(1 + (item + len(system)) % 4)
            ]
    head = ["system", "item", "run", "score", "dataset"]
    for name, rows in {"runs": even, "uneven-runs": uneven, "graded-runs": graded}.items():
        _table(folder / f"{name}-datasets.csv", head, rows)
        _table(folder / f"{name}-plain.csv", head[:4], (row[:4] for row in rows))
        _table(folder / f"{name}-two.csv", head[:4], (row[:4] for row in rows if row[0] != "cedar"))
    gold = rng.integers(0, 3, 80)
    answers = {
        system: np.where(rng.random(80) < right, gold, rng.integers(0, 3, 80)) for system, right in (("new", 0.8), ("old", 0.6))
    }
    rows = ([f"q{item}", "abc"[gold[item]], *("abc"[answers[system][item]] for system in answers)] for item in range(80))
    _table(folder / "answers.csv", ["id", "gold", "new", "old"], rows)


def write_boards(folder: Path) -> None:
    """Many systems: a column for each, right or wrong or graded, of one dataset or three, with gaps, and several measures."""
    rng = np.random.default_rng(9)
    systems = [f"s{number}" for number in range(7)]
    right = (rng.random((80, 7)) < np.linspace(0.5, 0.8, 7)).astype(int)
    graded = np.round(np.clip(rng.normal(np.linspace(0.5, 0.62, 7), 0.15, (80, 7)), 0, 1), 3)
    for name, values in {"board": right, "graded-board": graded}.items():
        rows = [[f"q{item}", *row] for item, row in enumerate(values.tolist())]
        _table(folder / f"{name}.csv", ["id", *systems], rows)
        _table(
            folder / f"{name}-datasets.csv",
            ["id", *systems, "dataset"],
            ([*row, "abc"[item % 3]] for item, row in enumerate(rows)),
        )
        _table(
            folder / f"{name}-clusters.csv",
            ["id", *systems, "document"],
            ([*row, f"d{item // 5}"] for item, row in enumerate(rows)),
        )
        _table(folder / f"{name}-two.csv", ["id", *systems[5:]], ([row[0], *row[6:]] for row in rows))
    gaps = [
        ["" if (item * 7 + column) % 13 == 0 else value for column, value in enumerate(row)]
        for item, row in enumerate(right.tolist())
    ]
    _table(folder / "board-gaps.csv", ["id", *systems], ([f"q{item}", *row] for item, row in enumerate(gaps)))
    measures = [
        [system, f"q{item}", graded[item, column], int(rng.integers(80, 200)), round(float(rng.gamma(3, 0.4)), 2)]
        for column, system in enumerate(systems[:2])
        for item in range(80)
    ]
    _table(folder / "measures.csv", ["system", "item", "quality", "tokens", "latency"], measures)


def _table(path: Path, head: Sequence[str], rows: Iterable[Iterable[object]], *, separator: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)

"""Small right inputs of every kind, each with a command that reads it: what mutations begin with."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import zstandard
from tests.coref_documents import write_documents
from tests.diff_files import write_entities, write_labels, write_trees

SAVED = Path(__file__).parents[1] / "saved"
PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: zstandard.ZstdCompressor(write_checksum=True).compress(content),
}
ITEMS = 12


@dataclass(frozen=True)
class Seed:
    """A command, the files it reads by name, and those of them that may be mutated (the first) or must stay."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    stdin: bool = False

    @property
    def target(self) -> str:
        return next(iter(self.files))


def make_seeds(folder: Path) -> dict[str, Seed]:
    """All seeds by name; `folder` is where files are written that are made as files."""
    return {**_scores(), **_tables(), **_texts(), **_outputs(folder), **_saved(), **_packed()}


def _numbers() -> list[list[float]]:
    return np.random.default_rng(5).random((ITEMS, 3)).round(2).tolist()


def _lines(rows: list[list[object]], separator: str) -> bytes:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


def _scores() -> dict[str, Seed]:
    rows = _numbers()
    one, other = (_lines([[row[k]] for row in rows], " ") for k in (0, 1))
    pairs, counts = (
        _lines([row[:2] for row in rows], "\t"),
        _lines([[i % 3, i % 2, (i + 1) % 3, i % 4] for i in range(ITEMS)], " "),
    )
    whole = _lines([[i % 2, (i // 2) % 2] for i in range(ITEMS)], ",")
    return {
        "one file each": Seed(("compare", "a.txt", "b.txt"), {"a.txt": one, "b.txt": other}),
        "pairs": Seed(("compare", "a.txt"), {"a.txt": pairs}),
        "whole numbers": Seed(("compare", "a.txt"), {"a.txt": b"x,y\n" + whole}),
        "counts": Seed(("compare", "a.txt"), {"a.txt": counts}),
        "standard input": Seed(("compare", "-"), {"a.txt": pairs}, stdin=True),
        "pilot": Seed(("plan", "--pilot", "a.txt", "--effect", "0.1"), {"a.txt": pairs}),
        "rank files": Seed(("rank", "a.txt", "b.txt"), {"a.txt": one, "b.txt": other}),
        "unit sizes": Seed(("compare", "a.txt", "--unit-size", "2", "--test", "student"), {"a.txt": pairs}),
    }


def _tables() -> dict[str, Seed]:
    rows = _numbers()
    wide = [["id", "new", "old", "third"], *([f"q{i}", *row] for i, row in enumerate(rows))]
    long = [["id", "model", "score", "doc"]]
    long += [[f"q{i}", name, row[k], f"d{i // 3}"] for i, row in enumerate(rows) for k, name in enumerate(("new", "old"))]
    objects = "".join(f'{{"id": "q{i}", "new": {r[0]}, "old": {r[1]}, "note": "n {i}"}}\n' for i, r in enumerate(rows)).encode()
    chosen = ("--system", "new", "--system", "old")
    return {
        "csv": Seed(("compare", "t.csv", *chosen), {"t.csv": _lines(wide, ",")}),
        "semicolons": Seed(("compare", "t.csv", *chosen), {"t.csv": _lines(wide, ";")}),
        "tsv": Seed(("rank", "t.tsv"), {"t.tsv": _lines(wide, "\t")}),
        "long csv": Seed(("compare", "t.csv", "--test", "bootstrap", "--resamples", "200"), {"t.csv": _lines(long, ",")}),
        "long rank": Seed(("rank", "t.csv", "--cluster", "doc"), {"t.csv": _lines(long, ",")}),
        "jsonl": Seed(("compare", "t.jsonl"), {"t.jsonl": objects}),
        "jsonl rank": Seed(("rank", "t.jsonl"), {"t.jsonl": objects}),
        "parquet": Seed(("compare", "t.parquet", *chosen), {"t.parquet": _parquet(wide)}),
        "long parquet": Seed(("rank", "t.parquet"), {"t.parquet": _parquet(long)}),
        "long parquet, t test": Seed(("compare", "t.parquet", "--test", "student"), {"t.parquet": _parquet(long)}),
        "table on standard input": Seed(("rank", "-"), {"t.csv": _lines(wide, ",")}, stdin=True),
    }


def _parquet(rows: list[list[object]]) -> bytes:
    buffer = io.BytesIO()
    header, *body = rows
    pl.DataFrame({str(name): [row[k] for row in body] for k, name in enumerate(header)}).write_parquet(buffer)
    return buffer.getvalue()


def _texts() -> dict[str, Seed]:
    words = ["the", "a", "cat", "dog", "sat", "ran", "here", "there", "big", "small", "."]
    rng = np.random.default_rng(3)
    texts = ["".join(" ".join(rng.choice(words, 6)) + "\n" for _ in range(ITEMS)).encode() for _ in range(3)]
    files = dict(zip(("new.txt", "old.txt", "ref.txt"), texts, strict=True))
    metrics = ("--metric", "bleu,chrf,ter", "--resamples", "200")
    return {
        "texts": Seed(("compare", "new.txt", "old.txt", "--reference", "ref.txt", *metrics), files),
        "reference": Seed(
            ("compare", "new.txt", "old.txt", "--reference", "ref.txt", "--metric", "wer"), dict(reversed(files.items()))
        ),
    }


def _outputs(folder: Path) -> dict[str, Seed]:
    trees = write_trees(folder, sentences=6, words=4)
    entities = write_entities(folder, sentences=6)
    labels = write_labels(folder, items=ITEMS)
    chains = write_documents(folder, documents=2, phrases=8)

    def seed(task: str, paths: Mapping[str, Path], first: str, *others: str) -> Seed:
        files = {paths[name].name: paths[name].read_bytes() for name in (first, *others)}
        order = sorted(files, key=lambda name: not name.startswith("gold"))
        return Seed(("diff", "--task", task, *order), files)

    return {
        "tags": seed("pos", trees, "new", "old", "gold"),
        "trees": seed("dep", trees, "gold", "new", "old"),
        "entities": seed("ner", entities, "new", "old", "gold"),
        "gold entities": seed("ner", entities, "gold", "new", "old"),
        "labels": seed("label", labels, "new", "old", "gold"),
        "gold labels": seed("label", labels, "gold", "new"),
        "chains": seed("coref", chains, "better", "plain", "gold"),
        "gold chains": seed("coref", chains, "gold", "better", "plain"),
    }


def _saved() -> dict[str, Seed]:
    shown = {
        f"saved {path.stem}": Seed(("report", path.name), {path.name: path.read_bytes()})
        for path in sorted(SAVED.glob("*.json"))
    }
    pairs = _lines([row[:2] for row in _numbers()], " ")
    again = {
        f"config {name}": Seed((command, "--config", f"{name}.json"), {f"{name}.json": (SAVED / f"{name}.json").read_bytes()})
        for name, command in (("rank", "rank"), ("compare", "compare"), ("plan", "plan"), ("diff-pos", "diff"))
    }
    yaml = b"test: student\nalpha: 0.01\nnames: [one, two]\nseed: 3\n"
    return {
        **shown,
        **again,
        "config yaml": Seed(("compare", "a.txt", "--config", "c.yaml"), {"c.yaml": yaml, "a.txt": pairs}),
    }


def _packed() -> dict[str, Seed]:
    """One table in every packing, and JSON lines in one."""
    made = {}
    for suffix, pack in PACKERS.items():
        files = {f"t.csv.{suffix}": pack(_tables()["csv"].files["t.csv"])}
        made[f"packed {suffix}"] = Seed(("rank", f"t.csv.{suffix}"), files)
    return made

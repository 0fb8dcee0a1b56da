"""Files of outputs made by rule, with fixed seeds: gold and three systems that get it wrong at stated rates."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

ERRORS = {"gold": 0.0, "old": 0.2, "new": 0.14, "best": 0.1}
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "DET", "PUNCT")
RELATIONS = ("nsubj", "obj", "amod", "nmod", "nmod:poss", "punct")
LABELS = ("yes", "no", "maybe")
TYPES = ("PER", "LOC", "ORG")


def write_trees(folder: Path, *, sentences: int = 60, words: int = 8) -> dict[str, Path]:
    """CoNLL-U with documents of ten sentences."""
    return {
        name: _written(folder / f"{name}.conllu", _trees(share, k, sentences, words))
        for k, (name, share) in enumerate(ERRORS.items())
    }


def _trees(share: float, seed: int, sentences: int, words: int) -> Iterable[str]:
    right, own = np.random.default_rng(7), np.random.default_rng(seed)
    for s in range(sentences):
        if s % 10 == 0:
            yield f"# newdoc id = d{s // 10 + 1}"
        yield f"# sent_id = s{s + 1}"
        for i in range(words):
            tag, relation, head = (
                int(right.integers(len(TAGS))),
                int(right.integers(len(RELATIONS))),
                int(right.integers(i + 1)),
            )
            wrong, other = own.random(3) < share, own.integers((len(TAGS), len(RELATIONS) - 1, i + 1))
            tag, relation = (int(other[0]) if wrong[0] else tag), (int(other[1]) if wrong[1] else relation)
            head = int(other[2]) if wrong[2] else head
            yield "\t".join(
                (str(i + 1), f"w{s}.{i}", "_", TAGS[tag], TAGS[tag][:2], "_", str(head), RELATIONS[relation], "_", "_")
            )
        yield ""


def write_entities(folder: Path, *, sentences: int = 60) -> dict[str, Path]:
    """Words with BIO tags: entities of one to three words among others."""
    return {
        name: _written(folder / f"{name}.bio", _entities(share, k, sentences)) for k, (name, share) in enumerate(ERRORS.items())
    }


def _entities(share: float, seed: int, sentences: int) -> Iterable[str]:
    right, own = np.random.default_rng(8), np.random.default_rng(seed)
    for s in range(sentences):
        i = 0
        while i < 8:
            kind, length = int(right.integers(2 * len(TYPES))), int(right.integers(1, 4))
            kind = int(own.integers(2 * len(TYPES))) if own.random() < share else kind
            tags = ["O"] * length
            if kind < len(TYPES):
                tags = [f"{'I' if j else 'B'}-{TYPES[kind]}" for j in range(length)]
                tags[-1] = "O" if own.random() < share / 2 else tags[-1]
            for tag in tags:
                yield f"w{s}.{i} {tag}"
                i += 1
        yield ""


def write_labels(folder: Path, *, items: int = 240) -> dict[str, Path]:
    """CSV with ids, a topic and a text; systems in another order than gold."""
    right = np.random.default_rng(9).integers(0, len(LABELS), items)
    paths = {}
    for k, (name, share) in enumerate(ERRORS.items()):
        own = np.random.default_rng(k)
        codes = np.where(own.random(items) < share, own.integers(0, len(LABELS), items), right)
        order = range(items) if name == "gold" else own.permutation(items).tolist()
        rows = [f"q{i},{LABELS[int(codes[i])]},t{i % 4},Is it {i}?" for i in order]
        header = f"id,{'gold' if name == 'gold' else 'prediction'},topic,question"
        paths[name] = _written(folder / f"{name}.csv", [header, *rows])
    return paths


def as_json_lines(path: Path) -> str:
    """A CSV as lines of JSON."""
    header, *rows = (line.split(",") for line in path.read_text().splitlines())
    return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)


def _written(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path

"""Coreference documents made by rule as files: gold and three responses that get it wrong at stated rates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from outscore.examples.outputs import Document, make_document, simulate_documents, to_conll

__all__ = ["RESPONSES", "Document", "make_document", "to_conll", "write_documents"]

RESPONSES: Mapping[str, Mapping[str, float]] = {
    "plain": {"missed": 0.18, "moved": 0.14, "trimmed": 0.05, "spurious": 0.20},
    "better": {"missed": 0.15, "moved": 0.12, "trimmed": 0.04, "spurious": 0.16},
    "best": {"missed": 0.13, "moved": 0.10, "trimmed": 0.04, "spurious": 0.12},
}


def write_documents(folder: Path, *, documents: int = 30, phrases: int = 60, seed: int = 0) -> dict[str, Path]:
    """Write gold.conll and a file for each response; with 30 documents of 60 phrases about 1,700 gold mentions."""
    rng = np.random.default_rng(seed)
    texts = simulate_documents(rng, RESPONSES, documents=documents, phrases=phrases, folder="made/")
    paths = {name: folder / f"{name}.conll" for name in texts}
    for name, path in paths.items():
        path.write_text(texts[name], encoding="utf-8")
    return paths

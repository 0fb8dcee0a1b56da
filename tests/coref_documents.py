"""Coreference documents made by rule: gold and three responses that get it wrong at stated rates, as CoNLL-2012 files.

A document is a row of noun phrases with fillers between them, five to a sentence. A phrase is a name, a determiner with a
noun, a personal pronoun, a year, a possessive with its noun (two mentions, one inside the other) or a noun of a noun (two
again).
Mentions of one chain never cross, so that brackets read back as they were written.

A response is gold with, for each mention, these chances: `missed` it is left out, `moved` it goes to some chain of its
document, `trimmed` it loses its first token (where it has more than one); and `spurious` is the chance of every phrase that
gold leaves alone to be put into some chain. With the chance `SHARED` the dice of a mention are the same for all responses, as
real systems fail on the same mentions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

PHRASES = 5
NOUNS = ("mayor", "city", "river", "company", "report", "teacher", "bridge", "law")
NAMES = ("Ada", "Brno", "Chen", "Delhi", "Eve", "Fiji")
PERSONAL, POSSESSIVE = ("he", "she", "it", "they"), ("his", "her", "its", "their")
YEARS = ("1990", "2001", "2012")
KINDS = ("name", "noun", "personal", "year", "possessive", "nested")
KIND_CHANCES = (0.2, 0.25, 0.25, 0.05, 0.1, 0.15)
NEW_CHAIN, SINGLE = 0.25, 0.25
"""Chance of a mention to begin a chain, and of a phrase to be in none."""
SHARED = 0.7

Mention = tuple[int, int]


@dataclass(frozen=True)
class Rates:
    missed: float
    moved: float
    trimmed: float
    spurious: float


RESPONSES: Mapping[str, Rates] = {
    "plain": Rates(0.18, 0.14, 0.05, 0.20),
    "better": Rates(0.15, 0.12, 0.04, 0.16),
    "best": Rates(0.13, 0.10, 0.04, 0.12),
}


@dataclass
class Document:
    name: str
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    candidates: list[Mention] = field(default_factory=list)
    chains: dict[Mention, int] = field(default_factory=dict)


def make_document(rng: np.random.Generator, name: str, phrases: int) -> Document:
    document = Document(name)
    for phrase in range(phrases):
        if phrase % PHRASES == 0:
            document.breaks.add(len(document.words))
        _phrase(rng, document)
        _add(document, ("saw", "VBD") if phrase % PHRASES < PHRASES - 1 else (".", "."))
    chains = 0
    for mention in document.candidates:
        if rng.random() < SINGLE:
            continue
        if chains == 0 or rng.random() < NEW_CHAIN:
            document.chains[mention] = chains
            chains += 1
        else:
            document.chains[mention] = int(rng.integers(chains))
    return document


def _add(document: Document, *words: tuple[str, str]) -> int:
    start = len(document.words)
    document.words += [word for word, _ in words]
    document.tags += [tag for _, tag in words]
    return start


def _phrase(rng: np.random.Generator, document: Document) -> None:
    noun, other = (str(rng.choice(NOUNS)) for _ in range(2))
    kind = str(rng.choice(KINDS, p=KIND_CHANCES))
    if kind == "name":
        start = _add(document, (str(rng.choice(NAMES)), "NNP"))
    elif kind == "personal":
        start = _add(document, (str(rng.choice(PERSONAL)), "PRP"))
    elif kind == "year":
        start = _add(document, (str(rng.choice(YEARS)), "CD"))
    elif kind == "noun":
        start = _add(document, ("the", "DT"), (noun, "NN"))
    elif kind == "possessive":
        start = _add(document, (str(rng.choice(POSSESSIVE)), "PRP$"), (noun, "NN"))
        document.candidates.append((start, start))
    else:
        start = _add(document, ("the", "DT"), (noun, "NN"), ("of", "IN"), ("the", "DT"), (other, "NN"))
        document.candidates.append((start + 3, start + 4))
    document.candidates.append((start, len(document.words) - 1))


def perturb(rng: np.random.Generator, document: Document, rates: Rates, shared: np.ndarray) -> dict[Mention, int]:
    """A response's chains; `shared` holds five dice for each candidate."""
    found: dict[Mention, int] = {}
    chains = max(document.chains.values(), default=0) + 1
    own = rng.random(shared.shape)
    dice = np.where(rng.random((len(shared), 1)) < SHARED, shared, own)
    for mention, (missed, moved, trimmed, spurious, where) in zip(document.candidates, dice.tolist(), strict=True):
        chain = document.chains.get(mention)
        if chain is None:
            if spurious < rates.spurious:
                found[mention] = int(where * chains)
            continue
        if missed < rates.missed:
            continue
        start, end = mention
        start += trimmed < rates.trimmed and end > start
        found[start, end] = int(where * chains) if moved < rates.moved else chain
    return found


def to_conll(document: Document, chains: Mapping[Mention, int], *, tags: bool = True) -> str:
    """One document in the format, with outer brackets outside."""
    cells: list[list[str]] = [[] for _ in document.words]
    for start, end in sorted(chains, key=lambda m: (m[0], -m[1])):
        if start < end:
            cells[start].append(f"({chains[start, end]}")
    for start, end in sorted(chains):
        if start == end:
            cells[start].append(f"({chains[start, end]})")
    for start, end in sorted(chains, key=lambda m: (m[1], -m[0])):
        if start < end:
            cells[end].append(f"{chains[start, end]})")
    lines = [f"#begin document ({document.name}); part 000"]
    number = 0
    for i, (word, tag) in enumerate(zip(document.words, document.tags, strict=True)):
        if i in document.breaks and i:
            lines.append("")
            number = 0
        columns = (document.name, "0", str(number), word, *((tag,) if tags else ()), "|".join(cells[i]) or "-")
        lines.append("\t".join(columns))
        number += 1
    return "\n".join([*lines, "", "#end document", ""])


def write_documents(folder: Path, *, documents: int = 30, phrases: int = 60, seed: int = 0) -> dict[str, Path]:
    """Write gold.conll and a file for each response; with 30 documents of 60 phrases about 1,700 gold mentions."""
    rng = np.random.default_rng(seed)
    texts: dict[str, list[str]] = {"gold": [], **{name: [] for name in RESPONSES}}
    for i in range(documents):
        document = make_document(rng, f"made/{i:04d}", phrases)
        texts["gold"].append(to_conll(document, document.chains))
        shared = rng.random((len(document.candidates), 5))
        for name, rates in RESPONSES.items():
            texts[name].append(to_conll(document, perturb(rng, document, rates, shared)))
    paths = {name: folder / f"{name}.conll" for name in texts}
    for name, path in paths.items():
        path.write_text("".join(texts[name]), encoding="utf-8")
    return paths

"""Coreference documents made by rule: gold and responses that get it wrong at stated rates, as CoNLL-2012 files.

A document is a sequence of noun phrases with fillers between them, five to a sentence. A phrase is a name, a
determiner with a noun, a personal pronoun, a year, a possessive with its noun (two mentions, one inside the
other) or a noun of a noun (two again). Mentions of one chain never cross, so that brackets can be read back.

A response is gold with errors. With these probabilities a mention is left out (`missed`), put into a random
chain of its document (`moved`) or loses its first token if it has several (`trimmed`), and a phrase that gold
leaves alone is put into a random chain (`spurious`). With probability `SHARED` the draws of a mention are the
same for all responses, because real systems fail on the same mentions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from outscore.core.records import dataclass
from outscore.examples.entry import Example, percent, random_stream

DOCUMENTS, LENGTH = 24, 34
PHRASES_PER_SENTENCE = 5
NOUNS = ("mayor", "city", "river", "company", "report", "teacher", "bridge", "law")
NAMES = ("Ada", "Brno", "Chen", "Delhi", "Eve", "Fiji")
PERSONAL, POSSESSIVE = ("he", "she", "it", "they"), ("his", "her", "its", "their")
YEARS = ("1990", "2001", "2012")
KINDS = ("name", "noun", "personal", "year", "possessive", "nested")
KIND_CHANCES = (0.2, 0.25, 0.25, 0.05, 0.1, 0.15)
NEW_CHAIN, SINGLE = 0.25, 0.25
"""Probabilities that a mention begins a chain, and that a phrase is in none."""
SHARED = 0.7

Mention = tuple[int, int]


@dataclass(frozen=True)
class Rates:
    """Probabilities of errors at one mention."""

    missed: float
    moved: float
    trimmed: float
    spurious: float


SYSTEMS: Mapping[str, Rates] = {"old": Rates(0.22, 0.16, 0.05, 0.18), "new": Rates(0.10, 0.16, 0.05, 0.34)}


@dataclass
class Document:
    """Words, tags and sentence breaks; phrases that may be mentions, and the chains of those that are."""

    name: str
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    candidates: list[Mention] = field(default_factory=list)
    chains: dict[Mention, int] = field(default_factory=dict)


def make_document(rng: np.random.Generator, name: str, phrases: int) -> Document:
    """A document of `phrases` noun phrases with its gold chains."""
    document = Document(name)
    for phrase in range(phrases):
        if phrase % PHRASES_PER_SENTENCE == 0:
            document.breaks.add(len(document.words))
        _add_phrase(rng, document)
        _add(document, ("saw", "VBD") if phrase % PHRASES_PER_SENTENCE < PHRASES_PER_SENTENCE - 1 else (".", "."))
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


def _add_phrase(rng: np.random.Generator, document: Document) -> None:
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


def perturb(rng: np.random.Generator, document: Document, rates: Rates, shared: NDArray[np.float64]) -> dict[Mention, int]:
    """A response's chains; `shared` holds five draws for each candidate."""
    response: dict[Mention, int] = {}
    chains = max(document.chains.values(), default=0) + 1
    unshared = rng.random(shared.shape)
    draws = np.where(rng.random((len(shared), 1)) < SHARED, shared, unshared)
    for mention, (missed, moved, trimmed, spurious, where) in zip(document.candidates, draws.tolist(), strict=True):
        chain = document.chains.get(mention)
        if chain is None:
            if spurious < rates.spurious:
                response[mention] = int(where * chains)
            continue
        if missed < rates.missed:
            continue
        start, end = mention
        start += trimmed < rates.trimmed and end > start
        response[start, end] = int(where * chains) if moved < rates.moved else chain
    return response


def to_conll(document: Document, chains: Mapping[Mention, int], *, tags: bool = True) -> str:
    """One document as CoNLL-2012, with outer brackets outside."""
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


def simulate_documents(
    rng: np.random.Generator, responses: Mapping[str, Rates], *, documents: int, phrases: int, folder: str = ""
) -> dict[str, str]:
    """Gold and a file for each response, by name; documents are numbered."""
    texts: dict[str, list[str]] = {"gold": [], **{name: [] for name in responses}}
    for i in range(documents):
        document = make_document(rng, f"{folder}{i:04d}", phrases)
        texts["gold"].append(to_conll(document, document.chains))
        shared = rng.random((len(document.candidates), 5))
        for name, rates in responses.items():
            texts[name].append(to_conll(document, perturb(rng, document, rates, shared)))
    return {name: "".join(several) for name, several in texts.items()}


def _coreference(seed: int) -> dict[str, str]:
    documents = simulate_documents(random_stream("coreference", seed), SYSTEMS, documents=DOCUMENTS, phrases=LENGTH)
    return {f"{name}.conll": text for name, text in documents.items()}


_OLD, _NEW = SYSTEMS["old"], SYSTEMS["new"]
COREFERENCE = Example(
    "Recall bought with precision",
    "The new resolver misses half as many mentions but invents more of them. Whole documents are swapped, and all "
    "coreference metrics are reported together.",
    f"{DOCUMENTS} documents of {LENGTH} noun phrases; mentions missed {percent(_OLD.missed)} (old) and {percent(_NEW.missed)} "
    f"(new), invented {percent(_OLD.spurious)} and {percent(_NEW.spurious)}, in a wrong chain {percent(_OLD.moved)}, without "
    f"their first word {percent(_OLD.trimmed)}; {percent(SHARED)} of the random draws shared.",
    "diff",
    _coreference,
    {"gold": ("gold.conll",), "files": ("old.conll", "new.conll")},
    {"task": "coref"},
)

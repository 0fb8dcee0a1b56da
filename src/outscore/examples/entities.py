"""Named entities in invented sentences: words with BIO tags, gold and two systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.records import dataclass
from outscore.examples.entry import Example, draw_uniform, percent, random_stream
from outscore.examples.texts import make_sentence

SENTENCES, NAMES = 320, 0.5
SHARED = 0.5
PARTS = {
    "PER": (("Ada", "Chen", "Eve", "Omar"), ("Brook", "Field", "Stone", "Vale")),
    "LOC": (("Brno", "Delhi", "Fiji", "Lund"),),
    "ORG": (("Delhi", "Lund", "United", "Royal"), ("Paper", "Bridge", "Garden"), ("Company", "Trust", "Union")),
}
TYPES = tuple(PARTS)


@dataclass(frozen=True)
class ErrorRates:
    """Probabilities of errors: a name missed, mistyped or cut short (per word after the first), a noun taken for a name."""

    missed: float
    mistyped: float
    cut: float
    spurious: float


SYSTEMS = {
    "old": ErrorRates(missed=0.20, mistyped=0.06, cut=0.03, spurious=0.05),
    "new": ErrorRates(missed=0.08, mistyped=0.06, cut=0.22, spurious=0.05),
}
Piece = tuple[tuple[str, ...], str]


def _pieces(rng: np.random.Generator) -> list[Piece]:
    """A sentence as words and whole names, each with its type: O for other words."""
    pieces: list[Piece] = []
    for word in make_sentence(rng, names=NAMES, pronouns=0.1):
        if word.tag == "PROPN":
            kind = TYPES[rng.integers(len(TYPES))]
            pieces.append((tuple(part[rng.integers(len(part))] for part in PARTS[kind]), kind))
        else:
            # Of the other words, only nouns may be taken for names.
            pieces.append(((word.form,), "noun" if word.tag == "NOUN" else "O"))
    return pieces


def _tags(piece: Piece, rates: ErrorRates, draws: Sequence[float]) -> list[str]:
    """A system's tags of one piece; the draws decide on missing it, on its type, on its length, and pick the wrong type."""
    words, kind = piece
    seen, typed, length, pick = draws
    if kind not in PARTS:
        return [f"B-{TYPES[int(pick * len(TYPES))]}" if kind == "noun" and seen < rates.spurious else "O"]
    if seen < rates.missed:
        return ["O"] * len(words)
    others = [other for other in TYPES if other != kind]
    kind = others[int(pick * len(others))] if typed < rates.mistyped else kind
    end = len(words) - (length < rates.cut * (len(words) - 1))
    return [f"B-{kind}", *[f"I-{kind}"] * (end - 1), *["O"] * (len(words) - end)]


def _entities(seed: int) -> dict[str, str]:
    rng = random_stream("entities", seed)
    texts: dict[str, list[str]] = {name: [] for name in ("gold", *SYSTEMS)}
    right = ErrorRates(0.0, 0.0, 0.0, 0.0)
    for _ in range(SENTENCES):
        pieces = _pieces(rng)
        draws = draw_uniform(rng, len(SYSTEMS), (len(pieces), 4), SHARED)
        for name, rates in {"gold": right, **SYSTEMS}.items():
            system_draws = draws[list(SYSTEMS).index(name) if name in SYSTEMS else 0].tolist()
            for piece, drawn in zip(pieces, system_draws, strict=True):
                texts[name] += [f"{word} {tag}\n" for word, tag in zip(piece[0], _tags(piece, rates, drawn), strict=True)]
            texts[name].append("\n")
    return {f"{name}.bio": "".join(several) for name, several in texts.items()}


_OLD, _NEW = SYSTEMS["old"], SYSTEMS["new"]
ENTITIES = Example(
    "More names found, fewer of them whole",
    "The new system misses fewer names, but more often loses the last word of a long one: places gain, organisations lose.",
    f"{SENTENCES} sentences of an invented grammar with names of one to three words; missed {percent(_OLD.missed)} (old) and "
    f"{percent(_NEW.missed)} (new), cut short {percent(_OLD.cut)} and {percent(_NEW.cut)} for every word after the first, of "
    f"another type {percent(_OLD.mistyped)}, nouns taken for names {percent(_OLD.spurious)}; {percent(SHARED)} of the random "
    "draws shared.",
    "diff",
    _entities,
    {"gold": ("gold.bio",), "files": ("old.bio", "new.bio")},
    {"task": "ner"},
)

"""Simulated data to try before you have your own: one set for each kind of input, with its parameters stated.

Each set is small and shows one thing. This package does not import the rest of the library: an example is a
few files and the command that reads them, which `outscore demo` runs and the page offers to try.

Examples
--------
>>> example = EXAMPLES["counts"]
>>> print("outscore", *example.command())
outscore compare --names A,B entities.tsv
>>> print(*example.files(0)["entities.tsv"].split()[4:8])
8 1 7 3
"""

from __future__ import annotations

from outscore.examples.coreference import COREFERENCE
from outscore.examples.entities import ENTITIES
from outscore.examples.entry import Example
from outscore.examples.labels import LABELS
from outscore.examples.scores import (
    BATTLES,
    CLUSTERS,
    COUNTS,
    GATE,
    LEADERBOARD,
    NOISE,
    PLAN,
    RATINGS,
    REPEATS,
    REVIEWER,
    SCORES,
    TAGGING,
)
from outscore.examples.texts import TEXTS
from outscore.examples.trees import TAGS, TREES

EXAMPLES: dict[str, Example] = {
    "scores": SCORES,
    "clusters": CLUSTERS,
    "ratings": RATINGS,
    "repeats": REPEATS,
    "noise": NOISE,
    "gate": GATE,
    "tagging": TAGGING,
    "counts": COUNTS,
    "texts": TEXTS,
    "tags": TAGS,
    "trees": TREES,
    "entities": ENTITIES,
    "coreference": COREFERENCE,
    "labels": LABELS,
    "leaderboard": LEADERBOARD,
    "battles": BATTLES,
    "plan": PLAN,
    "reviewer": REVIEWER,
}

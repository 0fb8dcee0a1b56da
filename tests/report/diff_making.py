"""A diff of made-up taggers and parsers, with the units worth looking at: real procedure, synthetic sentences."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from outscore.inference.permutation import gain_test
from outscore.outputs.model import Units
from outscore.outputs.outcomes import Changed, Contexts, agreement, changed_units, overlap_matrix
from outscore.results.diff import Diff, Inventory, Rates, ScoreChange
from outscore.results.note import Note
from outscore.results.pvalue import Interval
from outscore.scores.system import Labels
from outscore.workflows.diff.pair import View, label_f1_of, oracle_of, pair_of, rates_of
from outscore.workflows.requests.diff import DiffRequest

TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "DET", "ADP", "X")
WORDS = (
    ("house", "market", "answer", "river"),
    ("runs", "says", "built"),
    ("old", "quick"),
    ("often", "there"),
    ("Berlin", "Ada"),
    ("the", "a"),
    ("of", "in"),
    ("etc.",),
)
SHARES = (0.28, 0.18, 0.1, 0.08, 0.12, 0.13, 0.1, 0.01)
SENTENCE = 8
HOSTILE = "<script>alert(1)</script>\"'&\u2028"
SYSTEMS = ("Baseline", "Newer", "Third")
SETTINGS = {"alpha": 0.05, "correction": "holm", "min_support": 20, "task": "pos", "versions": {"outscore": "0"}}


def make_units(n: int = 1600, systems: int = 2, seed: int = 1, criterion: str = "upos", *, heads: bool = False) -> Units:
    """Units whose systems confuse nouns with proper nouns, and adjectives with adverbs, each in its own way."""
    draw = np.random.default_rng(seed)
    gold = draw.choice(len(TAGS), size=n, p=SHARES)
    answers = np.repeat(gold[:, None], systems, axis=1)
    for k in range(systems):
        wrong = draw.random(n) < 0.12 - 0.03 * k
        near = np.array([4, 0, 3, 2, 0, 6, 5, 0])[gold]
        other = draw.integers(0, len(TAGS), n)
        answers[:, k] = np.where(wrong, np.where(draw.random(n) < 0.7, near, other), gold)
    detail = (draw.random((n, systems)) < 0.05).astype(int) if heads else None
    correct = answers == gold[:, None]
    genre = Labels(((np.arange(n) // SENTENCE) % 2).astype(np.int64), ("news", "wiki"))
    return Units(
        criterion,
        SYSTEMS[:systems],
        TAGS,
        gold,
        answers,
        correct if detail is None else correct & (detail == 0),
        detail,
        clusters=np.arange(n) // SENTENCE,
        slices={"genre": genre},
        rows=np.arange(n),
    )


def make_contexts(units: Units) -> Contexts:
    """Sentences of eight words; the first sentence holds one that would like to be a script."""
    words = [WORDS[tag][i % len(WORDS[tag])] for i, tag in enumerate(units.gold.tolist())]
    words[3] = HOSTILE
    sentences = [tuple(words[i : i + SENTENCE]) for i in range(0, len(words), SENTENCE)]
    chain = tuple(range(-1, SENTENCE - 1))
    return Contexts(tuple(f"s{i + 1}" for i in range(len(sentences))), tuple(sentences), heads=(chain,) * len(sentences))


def make_changed(units: Units) -> Changed:
    """The units some system has wrong, with heads where the units have details."""
    rows = changed_units(units)
    place = rows % SENTENCE
    heads = None
    if units.detail is not None:
        head = np.where(place == 0, -1, place - 1)
        heads = np.column_stack([head, *[np.where(d > 0, (head + 3) % SENTENCE, head) for d in units.detail[rows].T]])
    chosen = Units(
        units.criterion,
        units.systems,
        units.labels,
        units.gold[rows],
        units.answers[rows],
        units.correct[rows],
        None if units.detail is None else units.detail[rows],
        None if units.clusters is None else units.clusters[rows],
        {name: labels.take(rows) for name, labels in units.slices.items()},
        None if units.rows is None else units.rows[rows],
    )
    return Changed(chosen, rows // SENTENCE, place, place + 1, heads)


def _change(units: Units, first: int, second: int) -> ScoreChange:
    """The change in accuracy with an interval made by hand."""
    gains = units.correct[:, second].astype(int) - units.correct[:, first].astype(int)
    scores = [float(units.correct[:, k].mean()) for k in (first, second)]
    difference = scores[1] - scores[0]
    interval = Interval(difference - 0.0225, difference + 0.0225, 0.95, "by hand", dual=False)
    return ScoreChange(units.criterion, *scores, difference, interval, gain_test(gains, units.clusters))


def make_diff(*tables: Units, warnings: tuple[str, ...] = (), **changes) -> Diff:
    """The diff of one or several criteria, with words as short as can be."""
    asked, pairs, scores = DiffRequest(), [], {name: {} for name in tables[0].systems}
    for units in tables:
        for k, name in enumerate(units.systems):
            right = float(units.correct[:, k].mean())
            scores[name][units.criterion] = Rates(right, right - 0.01, right - 0.005)
            scores[name][f"sentences_{units.criterion}"] = round(right**SENTENCE, 4)
        for i, j in combinations(range(len(units.systems)), 2):
            headline = _change(units, i, j)
            view = View(units, (i, j), headline, kinds={"label": 12, "head": 3})
            pair = pair_of(view, asked, metrics=[headline], label_f1=label_f1_of(units, i, j, asked))
            words = {"verdict": f"{units.systems[j]} changed {units.systems[i]}.", "sentence": "On 1,600 words, it changed."}
            pairs.append(pair.__class__(**{**pair.__dict__, **words}))
    first = tables[0]
    several = len(first.systems) > 1
    rates, wrong = rates_of(first)
    parts = {
        "task": "pos",
        "units": first.n,
        "systems": list(first.systems),
        "scores": scores,
        "pairs": pairs,
        "oracle": oracle_of(first) if several else None,
        "agreement": agreement(first).tolist() if several else [],
        "label_rates": rates,
        "confusions": wrong,
        "overlap": overlap_matrix(first).tolist() if several else [],
        "inventory": Inventory({"Newer": ["FW"]}, {"Newer": ["X"]}, list(warnings)) if several else Inventory({}, {}, []),
        "settings": SETTINGS,
        "notes": [Note("data", "3 words have no counterpart.")],
    }
    return Diff(**parts | changes)

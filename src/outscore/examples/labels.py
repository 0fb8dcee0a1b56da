"""A label per customer message: gold and two classifiers, one of which leaves messages unanswered."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from outscore.core.records import dataclass
from outscore.examples.entry import Example, draw_uniform, percent, random_stream

ITEMS, SHARED = 400, 0.5
KINDS = {
    "complaint": "My {thing} was {trouble}",
    "question": "When will my {thing} be {state}",
    "request": "Please have my {thing} {state}",
    "praise": "My {thing} was {state} in no time",
}
SHARES = (0.35, 0.30, 0.20, 0.15)
TOPICS = {
    "delivery": (("parcel", "order", "letter"), ("late", "lost"), ("delivered", "sent again")),
    "billing": (("invoice", "refund", "receipt"), ("wrong", "missing"), ("corrected", "paid")),
    "account": (("password", "address", "profile"), ("blocked", "deleted"), ("changed", "restored")),
    "returns": (("return", "exchange", "label"), ("refused", "forgotten"), ("accepted", "printed")),
}


@dataclass(frozen=True)
class ErrorRates:
    """Probabilities of a wrong answer, in general and on some topics, and of no answer."""

    wrong: float
    unanswered: float = 0.0
    topics: dict[str, float] = field(default_factory=dict)


SYSTEMS = {"old": ErrorRates(0.12, unanswered=0.03, topics={"returns": 0.38}), "new": ErrorRates(0.12)}


def _labels(seed: int) -> dict[str, str]:
    rng = random_stream("labels", seed)
    kinds, topics = list(KINDS), list(TOPICS)
    gold = rng.choice(len(kinds), ITEMS, p=SHARES).tolist()
    about = [topics[t] for t in rng.integers(len(topics), size=ITEMS)]
    draws = draw_uniform(rng, len(SYSTEMS), (ITEMS, 3), SHARED).tolist()
    rows = [f"m{i + 1},{kinds[k]},{t},{_message(rng, kinds[k], t)}" for i, (k, t) in enumerate(zip(gold, about, strict=True))]
    files = {"gold.csv": ["id,gold,topic,message", *rows]}
    for (name, rates), system_draws in zip(SYSTEMS.items(), draws, strict=True):
        answers = [f"m{i + 1},{_answer(gold[i], rates, about[i], drawn)}" for i, drawn in enumerate(system_draws)]
        files[f"{name}.csv"] = ["id,prediction", *answers]
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def _message(rng: np.random.Generator, kind: str, topic: str) -> str:
    thing, trouble, state = (words[rng.integers(len(words))] for words in TOPICS[topic])
    return KINDS[kind].format(thing=thing, trouble=trouble, state=state)


def _answer(gold: int, rates: ErrorRates, topic: str, draws: list[float]) -> str:
    """A system's label; the draws decide whether it answers, whether it is right, and which wrong label it gives."""
    answered, wrong, pick = draws
    kinds = list(KINDS)
    if answered < rates.unanswered:
        return ""
    others = [kind for kind in kinds if kind != kinds[gold]]
    return others[int(pick * len(others))] if wrong < rates.topics.get(topic, rates.wrong) else kinds[gold]


_OLD = SYSTEMS["old"]
LABELS = Example(
    "A gain from one topic",
    "The new classifier is better overall. Split by topic, the gain comes from messages about returns; elsewhere there is "
    "none. The old one left some messages unanswered, which count as wrong.",
    f"{ITEMS} messages on {len(TOPICS)} topics; wrong labels {percent(_OLD.wrong)}, those of the old one on returns "
    f"{percent(_OLD.topics['returns'])}, and {percent(_OLD.unanswered)} of its messages unanswered; {percent(SHARED)} of the "
    "random draws shared.",
    "diff",
    _labels,
    {"gold": ("gold.csv",), "files": ("old.csv", "new.csv")},
    {"task": "label", "slice": "topic"},
)

"""A leaderboard: twelve systems on three datasets, right or wrong, in one long table."""

from __future__ import annotations

import numpy as np

from outscore.examples.entry import Example, percent, random_stream

DATASETS = {"law": 160, "maths": 140, "news": 100}
SKILLS = {
    "atlas": 1.9,
    "birch": 1.8,
    "cedar": 1.2,
    "delta": 1.1,
    "ember": 1.0,
    "fjord": 0.9,
    "grove": 0.3,
    "heron": 0.2,
    "iris": 0.1,
    "juno": -0.6,
    "karst": -0.7,
}
COPY, ORIGINAL = "grove-2", "grove"
PARTIAL, MISSING_DATASET, ANSWERED = "birch", "news", 0.8
SPECIALIST, SPECIALITY, BONUS = "fjord", "maths", 1.2
EASE_SD = 1.0


def _leaderboard(seed: int) -> dict[str, str]:
    """The probability of a right answer is logistic in skill and ease (Rasch, 1960)."""
    rng = random_stream("leaderboard", seed)
    rows = ["item,dataset,system,score"]
    for dataset, items in DATASETS.items():
        ease = rng.normal(0.0, EASE_SD, items)
        skills = np.array([skill + BONUS * (name == SPECIALIST and dataset == SPECIALITY) for name, skill in SKILLS.items()])
        right = rng.random((items, len(SKILLS))) < 1.0 / (1.0 + np.exp(-(skills + ease[:, None])))
        answered = rng.random(items) < (0.0 if dataset == MISSING_DATASET else ANSWERED)
        for i, (scores, present) in enumerate(zip(right.astype(int).tolist(), answered.tolist(), strict=True)):
            board = dict(zip(SKILLS, scores, strict=True))
            board[COPY] = board[ORIGINAL]
            rows += [f"{dataset}-{i + 1},{dataset},{name},{s}" for name, s in board.items() if present or name != PARTIAL]
    return {"leaderboard.csv": "\n".join(rows) + "\n"}


LEADERBOARD = Example(
    "Twelve systems, fewer places",
    f"Twelve systems on three datasets fall into groups that cannot be told apart. {COPY} gives the same answers as "
    f"{ORIGINAL}, {PARTIAL} has no results on {MISSING_DATASET} and gaps elsewhere, and {SPECIALIST} owes its place to "
    f"{SPECIALITY}.",
    f"{len(SKILLS) + 1} systems on {' + '.join(map(str, DATASETS.values()))} items; a right answer has the chance "
    f"logistic(skill + ease), ease N(0, {EASE_SD:g}²), skills {max(SKILLS.values())} to {min(SKILLS.values())}, {SPECIALIST} "
    f"{BONUS} more on {SPECIALITY}; {PARTIAL} answered {percent(ANSWERED)} of two datasets.",
    "rank",
    _leaderboard,
    {"files": ("leaderboard.csv",)},
    {"dataset": "dataset"},
)

"""Battles of five chat systems: every prompt in both orders by two judges, who prefer the first answer and the longer one."""

from __future__ import annotations

import numpy as np

from outscore.examples.entry import Example, random_stream

STRENGTHS = {"amber": 0.9, "birch": 0.55, "cedar": 0.4, "delta": 0.0, "ember": -0.7}
PROMPTS = 60
JUDGES = {"judge-1": 0.5, "judge-2": 0.15}
"""By judge, the log-odds that an answer gains by being shown first."""
PROMPT_SD, LENGTH, TIE = 0.9, 1.2, 0.25
CATEGORIES = ("writing", "maths", "coding")


def _battles(seed: int) -> dict[str, str]:
    """Log-odds of a win: strengths, a preference that all votes on a prompt share, length, and being shown first."""
    rng = random_stream("battles", seed)
    names = list(STRENGTHS)
    rows = ["prompt,category,judge,model_a,model_b,winner,length_a,length_b"]
    for prompt in range(1, PROMPTS + 1):
        taste = rng.normal(0.0, PROMPT_SD, len(names))
        lengths = np.rint(np.exp(rng.normal(5.5, 0.4, len(names)))).astype(int)
        one, other = sorted(rng.choice(len(names), 2, replace=False).tolist())
        pairs = [(one, other), *((i, j) for i, j in ((0, 1), (1, 2), (3, 4)) if (i, j) != (one, other))]
        for i, j in pairs:
            for judge, first in JUDGES.items():
                for a, b in ((i, j), (j, i)):
                    gain = list(STRENGTHS.values())[a] - list(STRENGTHS.values())[b] + taste[a] - taste[b] + first
                    gain += LENGTH * (lengths[a] - lengths[b]) / (lengths[a] + lengths[b])
                    drawn = rng.random()
                    won = 1.0 / (1.0 + np.exp(-gain))
                    winner = "model_a" if drawn < won else "model_b"
                    if abs(drawn - won) < TIE * won * (1 - won):
                        winner = "tie"
                    category = CATEGORIES[prompt % len(CATEGORIES)]
                    rows.append(f"p{prompt},{category},{judge},{names[a]},{names[b]},{winner},{lengths[a]},{lengths[b]}")
    return {"battles.csv": "\n".join(rows) + "\n"}


BATTLES = Example(
    "Battles of five chat systems",
    "Every prompt was judged in both orders by two judges. Counting votes instead of prompts would make the intervals too"
    " short; being shown first and being longer both help.",
    f"{PROMPTS} prompts, {len(STRENGTHS)} systems of strength {max(STRENGTHS.values())} to {min(STRENGTHS.values())}; a"
    f" preference N(0, {PROMPT_SD:g}²) shared by the votes on a prompt, {' and '.join(map(str, JUDGES.values()))} log-odds for"
    f" being shown first by the two judges, and {LENGTH:g} times the difference of the lengths divided by their sum.",
    "prefer",
    _battles,
    {"files": ("battles.csv",)},
)

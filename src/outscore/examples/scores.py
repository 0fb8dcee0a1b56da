"""Scores of two systems per item: a large difference that may be due to chance, and items grouped in conversations."""

from __future__ import annotations

import numpy as np

from outscore.examples.entry import Example, Floats, random_stream

ITEMS, LEAD = 40, 0.06
EASE, EASE_SD, NOISE_SD = 0.55, 0.15, 0.18
CONVERSATIONS, TURNS = 30, 12
RIGHT, TOPIC_SD, TASTE_SD = 0.65, 0.1, 0.18
QUESTIONS, SEEDS, SEED_SD = 240, 4, 0.2
TOPICS = {"law": 0.4, "maths": 1.4, "news": 0.9}
RATED, SEGMENTS = (18, 24), 5
RATING, RATING_LEAD, DOCUMENT_SD, RATER_SD = 68.0, 7.0, 6.0, 14.0
CASES, CHANGED, SHARE = 900, 0.06, 0.82
REPEATED, REPEATED_EASE, LUCK_SD = 160, 0.6, 0.35
# Random data do not always show the point of an example: of many draws, these do with seed 0.
SCORES_DRAW, TURNS_DRAW, REPEATS_DRAW = 20, 252, 0


def simulate_scores(
    n: int, lead: float, rng: np.random.Generator, *, mean: float = 0.5, sd: float = 0.15, noise: float = 0.1
) -> Floats:
    """Real-valued scores of two systems, (n, 2).

    Both systems share the ease of an item, N(mean, sd²); each adds its own noise, N(0, noise²), and the first
    adds `lead`.

    Examples
    --------
    >>> simulate_scores(3, 0.5, np.random.default_rng(0), noise=0.0).round(2).tolist()
    [[1.02, 0.52], [0.98, 0.48], [1.1, 0.6]]
    """
    ease = rng.normal(mean, sd, n)
    deviations = rng.normal(0.0, noise, (n, 2))
    scores: Floats = ease[:, None] + deviations + np.array([lead, 0.0])
    return scores


def _scores(seed: int) -> dict[str, str]:
    drawn = simulate_scores(ITEMS, LEAD, random_stream(f"scores-{SCORES_DRAW}", seed), mean=EASE, sd=EASE_SD, noise=NOISE_SD)
    rows = [f"q{i + 1},{a:.3f},{b:.3f}" for i, (a, b) in enumerate(np.clip(drawn, 0.0, 1.0).tolist())]
    return {"scores.csv": "\n".join(["id,model-A,model-B", *rows]) + "\n"}


def _ratings(seed: int) -> dict[str, str]:
    """Ratings from 0 to 100 of segments that each went to one system only, several of a document."""
    rng = random_stream("ratings", seed)
    rows = []
    for system, documents, mean in (("model-A", RATED[0], RATING + RATING_LEAD), ("model-B", RATED[1], RATING)):
        for d in range(documents):
            quality = rng.normal(mean, DOCUMENT_SD)
            scores = np.clip(rng.normal(quality, RATER_SD, SEGMENTS), 0, 100).round().astype(int).tolist()
            rows += [f"{system[-1]}{d + 1}.{s + 1},{system[-1]}{d + 1},{system},{x}" for s, x in enumerate(scores)]
    return {"ratings.csv": "\n".join(["segment,document,system,rating", *rows]) + "\n"}


def _clusters(seed: int) -> dict[str, str]:
    """Answers to the turns of conversations; the more a conversation suits one system, the less it suits the other."""
    rng = random_stream(f"turns-{TURNS_DRAW}", seed)
    ease = rng.normal(RIGHT, TOPIC_SD, CONVERSATIONS)
    taste = rng.normal(0.0, TASTE_SD, CONVERSATIONS)
    chances = np.column_stack([ease + taste, ease - taste]).clip(0.05, 0.95)
    right = (rng.random((CONVERSATIONS, TURNS, 2)) < chances[:, None]).astype(int)
    rows = [
        f"c{c + 1:02d}.{t + 1},c{c + 1:02d},{a},{b}"
        for c, conversation in enumerate(right.tolist())
        for t, (a, b) in enumerate(conversation)
    ]
    return {"turns.csv": "\n".join(["id,conversation,model-A,model-B", *rows]) + "\n"}


def _noise(seed: int) -> dict[str, str]:
    """One system trained with several seeds: a seed moves all answers of its run, and every answer has luck of its own."""
    rng = random_stream("noise", seed)
    topics = np.array(list(TOPICS))[np.arange(QUESTIONS) % len(TOPICS)]
    ease = rng.normal([TOPICS[topic] for topic in topics.tolist()], 1.2)
    luck = rng.normal(0.0, SEED_SD, SEEDS)
    right = rng.random((QUESTIONS, SEEDS)) < 1.0 / (1.0 + np.exp(-(ease[:, None] + luck)))
    rows = [
        f"q{i + 1},{topic},{run + 1},{score}"
        for i, (topic, scores) in enumerate(zip(topics.tolist(), right.astype(int).tolist(), strict=True))
        for run, score in enumerate(scores)
    ]
    return {"seeds.csv": "\n".join(["id,topic,seed,correct", *rows]) + "\n"}


def _repeats(seed: int) -> dict[str, str]:
    """Two equal systems, trained with several seeds each: a seed moves all answers of its run."""
    rng = random_stream(f"repeats-{REPEATS_DRAW}", seed)
    ease = rng.normal(REPEATED_EASE, 1.2, REPEATED)
    rows = []
    for system in ("model-A", "model-B"):
        luck = rng.normal(0.0, LUCK_SD, SEEDS)
        right = rng.random((REPEATED, SEEDS)) < 1.0 / (1.0 + np.exp(-(ease[:, None] + luck)))
        rows += [
            f"q{i + 1},{system},{run + 1},{score:d}"
            for i, scores in enumerate(right.tolist())
            for run, score in enumerate(scores)
        ]
    return {"runs.csv": "\n".join(["id,system,seed,correct", *rows]) + "\n"}


def _gate(seed: int) -> dict[str, str]:
    """A baseline, and a candidate that answers a few cases again, right as often as before."""
    rng = random_stream("gate", seed)
    baseline = rng.random(CASES) < SHARE
    candidate = np.where(rng.random(CASES) < CHANGED, rng.random(CASES) < SHARE, baseline)
    return {
        f"{name}.csv": "\n".join(["id,correct", *(f"case-{i + 1},{score:d}" for i, score in enumerate(scores))]) + "\n"
        for name, scores in (("baseline", baseline), ("candidate", candidate))
    }


_SIMULATED = (
    f"{ITEMS} items of shared ease N({EASE}, {EASE_SD}²), noise N(0, {NOISE_SD}²) for each system, the first one {LEAD} ahead; "
    "clipped to 0 to 1."
)
SCORES = Example(
    "A lead that may be luck",
    "One model scores several points more than the other, but on so few items chance alone often does that: no winner.",
    _SIMULATED,
    "compare",
    _scores,
    {"files": ("scores.csv",)},
)
CLUSTERS = Example(
    "Turns of one conversation are not independent",
    "The two models are equal by design. Tested turn by turn there is a winner, as in one in three such data sets; with whole "
    "conversations swapped there is none.",
    f"{CONVERSATIONS} conversations of {TURNS} turns, right or wrong; the chance of a right answer is N({RIGHT}, {TOPIC_SD}²) "
    f"per conversation, plus N(0, {TASTE_SD}²) for the first model and minus the same for the second, clipped to .05 to .95.",
    "compare",
    _clusters,
    {"files": ("turns.csv",)},
    {"cluster": "conversation"},
)
RATINGS = Example(
    title="Ratings of different segments",
    about="Each segment was rated for one system only, so nothing can be paired: documents are reassigned at random.",
    parameters=(
        f"{RATED[0]} and {RATED[1]} documents of {SEGMENTS} segments, whose quality has a standard deviation of"
        f" {DOCUMENT_SD:g}; ratings add {RATER_SD:g}, and model-A is {RATING_LEAD:g} points ahead."
    ),
    view="compare",
    files=_ratings,
    parts={"files": ("ratings.csv",)},
    settings={"unpaired": True, "cluster": "document"},
)
NOISE = Example(
    "How sure is one score?",
    "One model, trained with four seeds: its accuracy with an interval, the topics, and the noise floor. Two runs of the same "
    "recipe are called different far more often than one time in twenty, because a lucky seed is lucky everywhere.",
    f"{QUESTIONS} questions on {len(TOPICS)} topics, {SEEDS} seeds; a right answer has the chance logistic(ease + luck), ease "
    f"N(topic, 1.2²), luck of a seed N(0, {SEED_SD}²).",
    "score",
    _noise,
    {"files": ("seeds.csv",)},
    {"slice": "topic", "names": "model"},
)
REPEATS = Example(
    title="Four seeds each: which question is asked?",
    about="The two models are equal by design, and four seeds of each answered every question. For new questions with "
    "these seeds there is a winner; for new questions with new seeds, or new seeds on these questions, there is none: a lucky "
    "seed is lucky everywhere. The report shows all three answers, each with its question.",
    parameters=(
        f"{REPEATED} questions, {SEEDS} seeds of each model; a right answer has the chance logistic(ease + luck), ease"
        f" N({REPEATED_EASE}, 1.2²), luck of a seed N(0, {LUCK_SD}²)."
    ),
    view="compare",
    files=_repeats,
    parts={"files": ("runs.csv",)},
    settings={},
)
GATE = Example(
    "May the new version pass?",
    "A candidate that changes a few answers without being worse on average: it is shown not to be two points worse, which is "
    "what a gate in continuous integration asks.",
    f"{CASES} cases, right with the chance {SHARE}; the candidate answers {CHANGED:.0%} of them again with the same chance.",
    "gate",
    _gate,
    {"files": ("baseline.csv", "candidate.csv")},
    {"margin": 0.02},
)
PLAN = Example(
    "How many items would it take?",
    "The scores of the first example as a pilot: the number of items on which such a lead is detected four times in five.",
    _SIMULATED,
    "plan",
    _scores,
    {"pilot": ("scores.csv",)},
    {"effect": LEAD},
)
REVIEWER = Example(
    "Two printed numbers",
    "A paper reports accuracies of .871 and .864 on 1,000 items and no p-value: which p-values are possible at all?",
    "Two printed accuracies and a number of items.",
    "plan",
    lambda _: {},
    {},
    {"scores": [".871", ".864"], "n": 1000},
)

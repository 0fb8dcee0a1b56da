"""Simulated numbers: scores and counts per item of two systems, a leaderboard, and battles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from outscore.examples.entry import Example, Floats, chance_of, percent, random_stream

EXAMPLES: dict[str, Example] = {}
"""Those of this module."""


# Scores of two systems per item: a large difference that may be due to chance, and items grouped in conversations.


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
    right = rng.random((QUESTIONS, SEEDS)) < chance_of(ease[:, None] + luck)
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
        right = rng.random((REPEATED, SEEDS)) < chance_of(ease[:, None] + luck)
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
EXAMPLES["scores"] = Example(
    "A lead that may be luck",
    "One model scores several points more than the other, but on so few items chance alone often does that: no winner.",
    _SIMULATED,
    "compare",
    _scores,
    {"files": ("scores.csv",)},
)
EXAMPLES["clusters"] = Example(
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
EXAMPLES["ratings"] = Example(
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
EXAMPLES["noise"] = Example(
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
EXAMPLES["repeats"] = Example(
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
EXAMPLES["gate"] = Example(
    "May the new version pass?",
    "A candidate that changes a few answers without being worse on average: it is shown not to be two points worse, which is "
    "what a gate in continuous integration asks.",
    f"{CASES} cases, right with the chance {SHARE}; the candidate answers {CHANGED:.0%} of them again with the same chance.",
    "gate",
    _gate,
    {"files": ("baseline.csv", "candidate.csv")},
    {"margin": 0.02},
)
EXAMPLES["plan"] = Example(
    "How many items would it take?",
    "The scores of the first example as a pilot: the number of items on which such a lead is detected four times in five.",
    _SIMULATED,
    "plan",
    _scores,
    {"pilot": ("scores.csv",)},
    {"effect": LEAD},
)
EXAMPLES["reviewer"] = Example(
    "Two printed numbers",
    "A paper reports accuracies of .871 and .864 on 1,000 items and no p-value: which p-values are possible at all?",
    "Two printed accuracies and a number of items.",
    "plan",
    lambda _: {},
    {},
    {"scores": [".871", ".864"], "n": 1000},
)


# Counts per item: correctly tagged words of sentences, and entities found in documents.
#
# The tagging simulation follows the accuracy and length distribution of part-of-speech taggers on English sentences that the
# literature on exact paired tests uses (Zmigrod, Vieira and Cotterell, 2022, section 5).


Counts = NDArray[np.int64]

POS_MEAN, POS_SD = 0.9543, 0.1116
LENGTH_MEAN, LENGTH_SD = 12.08, 10.60
SENTENCES, MULTIPLIER = 2_000, 0.99
DOCUMENTS, ENTITIES, WRONG = 500, 6, 1
RECALL = (0.80, 0.76)


def simulate_pos(n: int, multiplier: float, rng: np.random.Generator) -> tuple[Counts, Counts, Counts]:
    """Correctly tagged words per sentence for two taggers, and the sentence lengths they share.

    Lengths are rounded normals, at least 1; the accuracy of each sentence is a normal clipped to [0, 1],
    drawn for each tagger separately, with the mean of the second multiplied by `multiplier`.

    Examples
    --------
    >>> first, second, lengths = simulate_pos(100, 0.9, np.random.default_rng(0))
    >>> bool((first <= lengths).all()), bool(first.sum() > second.sum())
    (True, True)
    """
    lengths = np.maximum(1, np.rint(rng.normal(LENGTH_MEAN, LENGTH_SD, n))).astype(np.int64)
    correct = [
        np.rint(np.clip(rng.normal(mean, POS_SD, n), 0.0, 1.0) * lengths).astype(np.int64)
        for mean in (POS_MEAN, POS_MEAN * multiplier)
    ]
    return correct[0], correct[1], lengths


def simulate_f1(
    n: int, recall: tuple[float, float], rng: np.random.Generator, *, entities: float = 6.0, wrong: float = 1.0
) -> tuple[Counts, Counts]:
    """True positives and errors per document, (n, 2) for each of two systems.

    Documents have Poisson(entities) true entities; a system finds each with its recall and adds
    Poisson(wrong) wrong ones.

    Examples
    --------
    >>> a, b = simulate_f1(100, (1.0, 0.5), np.random.default_rng(0), wrong=0.0)
    >>> int(a[:, 1].sum()), bool((a.sum(axis=1) == b.sum(axis=1)).all())
    (0, True)
    """
    true = rng.poisson(entities, n)
    tables = []
    for chance in recall:
        right = rng.binomial(true, chance)
        tables.append(np.column_stack([right, true - right + rng.poisson(wrong, n)]).astype(np.int64))
    return tables[0], tables[1]


def _table(header: Sequence[str], values: Counts) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in [header, *values.tolist()])


def _tagging(seed: int) -> dict[str, str]:
    first, second, lengths = simulate_pos(SENTENCES, MULTIPLIER, random_stream("tagging", seed))
    return {
        f"tagger-{name}.tsv": _table(("correct", "errors"), np.column_stack([right, lengths - right]))
        for name, right in (("A", first), ("B", second))
    }


def _counts(seed: int) -> dict[str, str]:
    a, b = simulate_f1(DOCUMENTS, RECALL, random_stream("counts", seed), entities=ENTITIES, wrong=WRONG)
    return {"entities.tsv": _table(("tp-A", "errors-A", "tp-B", "errors-B"), np.hstack([a, b]))}


EXAMPLES["tagging"] = Example(
    "A small difference that is real",
    "Two taggers about a point of accuracy apart. On this many sentences that is not chance, and the p-value is exact.",
    f"{SENTENCES:,} sentences, accuracy per sentence N({POS_MEAN}, {POS_SD}²) clipped to 0 to 1, lengths "
    f"N({LENGTH_MEAN}, {LENGTH_SD:.2f}²), the second tagger's mean times {MULTIPLIER}.",
    "compare",
    _tagging,
    {"files": ("tagger-A.tsv", "tagger-B.tsv")},
    {"metric": "accuracy"},
)
EXAMPLES["counts"] = Example(
    "F1 from counts",
    "True positives and errors per document are all that F1 needs. Its p-value is exact, "
    "although F1 is not a mean over documents.",
    f"{DOCUMENTS} documents with Poisson({ENTITIES}) entities, recall {RECALL[0]:.2f} and {RECALL[1]:.2f}, Poisson({WRONG}) "
    "wrong entities for each system.",
    "compare",
    _counts,
    {"files": ("entities.tsv",)},
    {"names": "A,B"},
)


# A leaderboard: twelve systems on three datasets, right or wrong, in one long table.


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
BOARD_SD = 1.0


def _leaderboard(seed: int) -> dict[str, str]:
    """The probability of a right answer is logistic in skill and ease (Rasch, 1960)."""
    rng = random_stream("leaderboard", seed)
    rows = ["item,dataset,system,score"]
    for dataset, items in DATASETS.items():
        ease = rng.normal(0.0, BOARD_SD, items)
        skills = np.array([skill + BONUS * (name == SPECIALIST and dataset == SPECIALITY) for name, skill in SKILLS.items()])
        right = rng.random((items, len(SKILLS))) < chance_of(skills + ease[:, None])
        answered = rng.random(items) < (0.0 if dataset == MISSING_DATASET else ANSWERED)
        for i, (scores, present) in enumerate(zip(right.astype(int).tolist(), answered.tolist(), strict=True)):
            board = dict(zip(SKILLS, scores, strict=True))
            board[COPY] = board[ORIGINAL]
            rows += [f"{dataset}-{i + 1},{dataset},{name},{s}" for name, s in board.items() if present or name != PARTIAL]
    return {"leaderboard.csv": "\n".join(rows) + "\n"}


EXAMPLES["leaderboard"] = Example(
    "Twelve systems, fewer places",
    f"Twelve systems on three datasets fall into groups that cannot be told apart. {COPY} gives the same answers as "
    f"{ORIGINAL}, {PARTIAL} has no results on {MISSING_DATASET} and gaps elsewhere, and {SPECIALIST} owes its place to "
    f"{SPECIALITY}.",
    f"{len(SKILLS) + 1} systems on {' + '.join(map(str, DATASETS.values()))} items; a right answer has the chance "
    f"logistic(skill + ease), ease N(0, {BOARD_SD:g}²), skills {max(SKILLS.values())} to {min(SKILLS.values())}, "
    f"{SPECIALIST} {BONUS} more on {SPECIALITY}; {PARTIAL} answered {percent(ANSWERED)} of two datasets.",
    "rank",
    _leaderboard,
    {"files": ("leaderboard.csv",)},
    {"dataset": "dataset"},
)


# Battles of five chat systems: every prompt in both orders by two judges, who prefer the first answer and the longer one.


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
                    won = float(chance_of(gain))
                    winner = "model_a" if drawn < won else "model_b"
                    if abs(drawn - won) < TIE * won * (1 - won):
                        winner = "tie"
                    category = CATEGORIES[prompt % len(CATEGORIES)]
                    rows.append(f"p{prompt},{category},{judge},{names[a]},{names[b]},{winner},{lengths[a]},{lengths[b]}")
    return {"battles.csv": "\n".join(rows) + "\n"}


EXAMPLES["battles"] = Example(
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


# What scores cost, items that decide, probabilities, and metrics beside people.


BUDGET = {"amber": (2.2, 2.4, 3.1), "birch": (2.4, 0.4, 1.2), "cedar": (0.9, 0.9, 1.6), "dune": (0.0, 0.1, 0.5)}
"""By system: skill, and the median cents and seconds of an answer."""
PRICED, SPENDING_SD, BUDGET_MARGIN = 900, 0.4, 0.05
EXAMINED, WRONG_KEYS, TRIVIAL = 120, 5, 20
EXAMINEES = {"oak": 2.2, "elm": 1.6, "ash": 1.2, "fir": 0.9, "yew": 0.5, "ivy": 0.1, "fern": -0.3, "moss": -0.8}
MAILS, SPAM, SIGNALS = 400, 0.35, {"new": (2.2, 1.0), "old": (1.9, 2.5)}
"""By classifier: how far mails and spam lie apart, and how much too sure it is."""
TRANSLATED, TRANSLATORS, PEOPLE_SD = 90, 6, 0.6
METRICS = {"comet": (1.0, 0.55), "bleu": (8.0, 9.0), "ter": (-7.0, 10.0)}
"""By metric: what a point of quality is worth, and its noise."""


def _rasch(rng: np.random.Generator, skills: Sequence[float], items: int, sd: float) -> NDArray[np.bool_]:
    """Who is right, (systems, items): the logit of a right answer is the skill plus the item's ease."""
    ease = rng.normal(0.0, sd, items)
    return np.asarray(rng.random((len(skills), items)) < chance_of(np.array(skills)[:, None] + ease))


def _budget(seed: int) -> dict[str, str]:
    rng = random_stream("budget", seed)
    right = _rasch(rng, [skill for skill, *_ in BUDGET.values()], PRICED, 1.4)
    rows = ["question,system,correct,cents,seconds"]
    for (name, (_, cents, seconds)), own in zip(BUDGET.items(), right.astype(int).tolist(), strict=True):
        spent = (np.array([[cents], [seconds]]) * rng.lognormal(0, SPENDING_SD, (2, PRICED))).T.tolist()
        rows += [f"q{i + 1},{name},{own[i]},{money:.3f},{time:.2f}" for i, (money, time) in enumerate(spent)]
    return {"budget.csv": "\n".join(rows) + "\n"}


def _exam(seed: int) -> dict[str, str]:
    """The first items have a wrong key, which makes right answers wrong, and the next ones everybody solves."""
    rng = random_stream("items", seed)
    right = _rasch(rng, list(EXAMINEES.values()), EXAMINED, 1.2)
    right[:, :WRONG_KEYS] = ~_rasch(rng, [6.0 * (skill - 0.7) for skill in EXAMINEES.values()], WRONG_KEYS, 0.2)
    right[:, WRONG_KEYS : WRONG_KEYS + TRIVIAL] = True
    rows = [",".join(["question", *EXAMINEES])]
    rows += [f"q{i + 1},{','.join(map(str, column))}" for i, column in enumerate(right.astype(int).T.tolist())]
    return {"exam.csv": "\n".join(rows) + "\n"}


def _spam(seed: int) -> dict[str, str]:
    """Log-odds of spam, as each classifier sees them, times how sure it is of itself."""
    rng = random_stream("probabilities", seed)
    spam = rng.random(MAILS) < SPAM
    columns = []
    for gap, sure in SIGNALS.values():
        log_odds = gap * (gap * (spam - 0.5) + rng.normal(0, 1, MAILS)) + np.log(SPAM / (1 - SPAM))
        columns.append(np.clip(chance_of(sure * log_odds), 0.001, 0.999))
    rows = [",".join(["mail", "label", *SIGNALS])]
    for i, shares in enumerate(np.array(columns).T.tolist()):
        rows.append(f"m{i + 1},{'yes' if spam[i] else 'no'},{','.join(f'{share:.3f}' for share in shares)}")
    return {"mails.csv": "\n".join(rows) + "\n"}


def _people(seed: int) -> dict[str, str]:
    """People give points from 1 to 5 to the quality of a translation, and metrics guess it."""
    rng = random_stream("people", seed)
    systems, segments = rng.normal(0, 0.5, TRANSLATORS), rng.normal(0, 0.4, (TRANSLATED, 1))
    quality = systems + segments + rng.normal(0, 0.7, (TRANSLATED, TRANSLATORS))
    people = np.clip(np.rint(3 + quality + rng.normal(0, PEOPLE_SD, quality.shape)), 1, 5).astype(int)
    guesses = [50 * (worth != 1.0) + worth * quality + rng.normal(0, noise, quality.shape) for worth, noise in METRICS.values()]
    rows = [",".join(["segment", "system", "human", *METRICS])]
    for i in range(TRANSLATED):
        scored = [",".join(f"{guess[i, k]:.2f}" for guess in guesses) for k in range(TRANSLATORS)]
        rows += [f"s{i + 1},mt-{k + 1},{people[i, k]},{scores}" for k, scores in enumerate(scored)]
    return {"metrics.csv": "\n".join(rows) + "\n"}


EXAMPLES["budget"] = Example(
    "As good for less",
    "Birch is as good as amber within the margin and much cheaper, which is tested as one claim; dune is cheaper still, but "
    "worse.",
    f"{PRICED} questions, {len(BUDGET)} systems; a right answer has the chance logistic(skill + ease), ease N(0, 1.4²); cents "
    f"and seconds lognormal with spread {SPENDING_SD:g}.",
    "rank",
    _budget,
    {"files": ("budget.csv",)},
    {"measure": ["correct", "cents(lower)", "seconds(lower)"], "not-worse": f"correct={BUDGET_MARGIN:g}"},
)
EXAMPLES["items"] = Example(
    "Items with a wrong key",
    f"{TRIVIAL} questions that everybody answers decide nothing, and on {WRONG_KEYS} the better systems fail, because the key "
    "is wrong: the report counts both, and --items FILE lists them.",
    f"{EXAMINED} questions, {len(EXAMINEES)} systems; a right answer has the chance logistic(skill + ease), ease N(0, 1.2²), "
    f"but for {WRONG_KEYS} questions with a wrong key and {TRIVIAL} that everybody solves.",
    "rank",
    _exam,
    {"files": ("exam.csv",)},
)
EXAMPLES["probabilities"] = Example(
    "Probabilities of spam",
    "The new classifier tells spam from other mails a little better, and it is not too sure of itself, which the Brier score "
    "shows.",
    f"{MAILS} mails, {percent(SPAM)} of them spam; signals N(±gap/2, 1) with gaps {SIGNALS['new'][0]:g} and "
    f"{SIGNALS['old'][0]:g}; the old classifier's log-odds are {SIGNALS['old'][1]:g} times too large.",
    "compare",
    _spam,
    {"files": ("mails.csv",)},
    {"metric": "brier"},
)
EXAMPLES["people"] = Example(
    "Metrics beside people",
    "Which metric orders translations as people do? An item's score is the share of pairs of its outputs in the same order, "
    "and two metrics are compared by swapping them segment by segment.",
    f"{TRANSLATED} segments by {TRANSLATORS} systems; quality N(0, .5²) by system, N(0, .4²) by segment, N(0, .7²) by output; "
    f"people add noise of {PEOPLE_SD:g} and round to 1 to 5, metrics add noise of their own.",
    "rank",
    _people,
    {"files": ("metrics.csv",)},
    {"metric": "pairwise-accuracy"},
)

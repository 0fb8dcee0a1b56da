"""The usual names of columns, by the part they play, what they tell of their scores, and names as parts of sentences.

Names are grouped in tiers: a name of an earlier tier wins over those of later ones. Two names of the same
tier are ambiguous, and the error lists them. Of errors, losses and waiting times lower scores are better.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from outscore.core.options import nearest

__all__ = [
    "COUNTS",
    "EITHER",
    "LOWER_IS_BETTER",
    "PREDICTED",
    "RIGHT",
    "SLICES",
    "SUMMARIES",
    "USUAL",
    "Tiers",
    "count_columns",
    "holds_answers",
    "is_better_lower",
    "is_known",
    "is_score",
    "join_names",
    "named_after",
    "names_counts",
    "normalize_name",
    "shared_measure",
    "suggest_name",
    "suggests_other",
]

Tiers = tuple[tuple[str, ...], ...]

USUAL: dict[str, Tiers] = {
    "item": (
        ("item_id", "question_id", "doc_id", "sample_id", "example_id", "instance_id", "segment_id", "problem_id", "prompt_id"),
        ("id", "uid", "uuid", "qid", "_id"),
        ("task_id",),
        ("item", "question", "example", "instance", "segment", "sentence_id", "problem", "prompt", "instruction"),
        ("index", "idx", "nr", "line"),
        ("userid", "user_id"),
    ),
    "system": (
        ("model", "system", "model_id", "system_id", "model_name", "system_name"),
        ("submission", "method", "team"),
    ),
    "score": (
        ("score",),
        (
            *("correct", "is_correct", "accuracy", "acc", "value", "exact_match", "em", "f1", "bleu", "chrf", "comet"),
            *("ter", "wer", "cer", "loss", "nll", "ppl", "perplexity", "brier", "mae", "rmse"),
            *("pass@1", "pass_at_1", "passed", "resolved", "reward", "rating"),
        ),
    ),
    "repeat": (("epoch", "repeat", "sample", "seed", "run", "trial", "attempt", "replicate"),),
    "cluster": (
        ("cluster", "cluster_id"),
        ("document", "doc", "document_id", "conversation", "conversation_id", "dialogue", "dialogue_id", "passage_id"),
        ("fold", "fold_id", "cv_fold"),
    ),
    "dataset": (("dataset", "benchmark", "testset", "test_set"),),
}
# A table may have several of them: a comparison can be split by each.
SLICES = {"task", "category", "subtask", "subject", "subset", "domain", "language", "lang", "difficulty", "slice"}
# Next to one of these, `correct` and the like are counts instead of scores.
COUNTS = {"wrong", "incorrect", "error", "errors", "tp", "fp", "fn", "tn"}
_COUNT_WORDS = COUNTS | {"right", "correct", "in", "hits", "misses", "err", "errs"}
# Columns that are counts together, in the order of the metrics.
TRIPLES = (("tp", "fp", "fn"), ("true_positives", "false_positives", "false_negatives"))
PREDICTED: Tiers = (
    ("prediction", "predicted", "pred", "predicted_label", "predicted_answer", "model_answer", "system_answer", "model_output"),
    ("output", "response", "completion", "generation", "hypothesis"),
)
RIGHT: Tiers = (
    ("gold", "gold_label", "gold_answer", "gold_standard"),
    ("target", "reference", "truth", "ground_truth", "true_label", "expected", "correct_answer", "correct_label", "answer_key"),
    # Lists of all answers that are accepted, as question answering has them.
    ("answers", "gold_answers", "accepted_answers", "correct_answers", "answer_aliases", "aliases"),
)
# Next to a column of predictions they hold the right answers; alone they can mean both.
EITHER: Tiers = (("label", "labels", "class", "tag"), ("answer",))
# Rows that sum the others up are no items.
SUMMARIES = {"mean", "average", "avg", "total", "overall", "all", "sum", "median", "std", "stdev", "macro_avg", "micro_avg"}
_ANSWERS = {name for tier in (*PREDICTED, *RIGHT, *EITHER) for name in tier}
_OTHER = re.compile(
    r"(.*_)?(latency|tokens?|costs?|price|length|len|duration|runtime|elapsed|timestamp|date|year)(_(ms|s|sec|seconds|usd|chars))?"
    r"|.*_(index|idx|ids?)|num_.*"
)
# A value inside one of these objects is a score.
_SCORES = {"score", "scores", "metric", "metrics"}
_MAX_NAMES = 12
_ERRORS = {"error", "errors", "err", "error_rate", "hallucination_rate", "toxicity", "wer", "cer", "ter", "mer", "hter", "eer"}
_LOSSES = {
    "loss",
    "log_loss",
    "logloss",
    "cross_entropy",
    "nll",
    "negative_log_likelihood",
    "neg_log_likelihood",
    "ppl",
    "perplexity",
    "bpb",
    "bpc",
}
_DISTANCES = {"mae", "mse", "rmse", "mape", "brier", "brier_score", "ece", "edit_distance", "bits_per_byte"}
_TIMES = {"time", "seconds", "duration", "latency", "latency_ms", "latency_s", "runtime", "runtime_ms", "runtime_s"}
LOWER_IS_BETTER = frozenset(_ERRORS | _LOSSES | _DISTANCES | _TIMES)
# `no_error` ends like a bad score and is a good one.
_ENDINGS = tuple(f"_{name}" for name in sorted(LOWER_IS_BETTER - {"error", "errors", "err", "time", "seconds"}))


def is_known(name: str) -> bool:
    """Whether a column name is a usual one."""
    key = normalize_name(name)
    return key in SLICES or any(key in tier for tiers in USUAL.values() for tier in tiers)


def is_score(name: str) -> bool:
    """Whether a column name is a usual one of scores; of a dotted name, the object it lies in or its last part may say so."""
    *objects, last = name.split(".")
    inside = any(normalize_name(part) in _SCORES for part in objects[:1])
    return inside or any(normalize_name(last) in tier for tier in USUAL["score"])


def names_counts(name: str) -> bool:
    """Whether a column of this name makes those beside it counts."""
    return normalize_name(name) in COUNTS


def count_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns of true positives, false positives and false negatives, where a table has all three.

    Examples
    --------
    >>> count_columns(["id", "FN", "TP", "FP"])
    ('TP', 'FP', 'FN')
    """
    by_key = {normalize_name(name): name for name in columns}
    return next((tuple(by_key[key] for key in keys) for keys in TRIPLES if by_key.keys() >= set(keys)), ())


def is_count(name: str) -> bool:
    """Whether a column of this name holds counts of decisions, of whichever system.

    Examples
    --------
    >>> [name for name in ("tp", "tp_a", "new errors", "gpt", "id") if is_count(name)]
    ['tp', 'tp_a', 'new errors']
    """
    return not _COUNT_WORDS.isdisjoint(re.split(r"[_\W]+", normalize_name(name)))


def holds_answers(name: str) -> bool:
    """Whether a column of this name holds answers, right or predicted, and no scores."""
    return normalize_name(name) in _ANSWERS


def suggests_other(name: str) -> bool:
    """Whether a column name suggests something else than scores: answers, positions, ids, times, lengths, costs.

    Examples
    --------
    >>> [name for name in ("gpt-4", "answer_index", "latency_ms", "output_tokens", "gold", "bleurt") if suggests_other(name)]
    ['answer_index', 'latency_ms', 'output_tokens', 'gold']
    """
    key = normalize_name(name)
    return key in _ANSWERS or _OTHER.fullmatch(key) is not None


def suggest_name(word: str, known: Iterable[str]) -> str:
    """A hint for a name that does not exist: similar names, or all names."""
    names = list(known)
    longer = [name for name in names if word.lower() in name.lower()]
    if word and longer:
        return f"Did you mean {'one of ' if len(longer) > 1 else ''}{join_names(longer)}?"
    lower = {name.lower(): name for name in names}
    near = nearest(word.lower(), lower)
    if near is not None:
        return f"Did you mean `{lower[near]}`?"
    return f"There {'is' if len(names) == 1 else 'are'} {join_names(names)}."


def join_names(names: Sequence[str]) -> str:
    """Names as part of a sentence, at most twelve of them.

    Examples
    --------
    >>> join_names(["id", "new", "old"])
    '`id`, `new` and `old`'
    """
    quoted = [f"`{name}`" for name in names[:_MAX_NAMES]]
    if len(names) > _MAX_NAMES:
        return f"{', '.join(quoted)} and {len(names) - _MAX_NAMES} more"
    if len(quoted) > 1:
        return f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return quoted[0] if quoted else "none"


def normalize_name(name: str) -> str:
    """A column name in lower case, with underscores for blanks, hyphens and points."""
    return name.strip().lower().replace(" ", "_").replace("-", "_").replace(".", "_")


def is_better_lower(column: str) -> bool:
    """Whether the name of a score column says that lower scores are better, alone or behind a word such as ``eval_loss``.

    Examples
    --------
    >>> [name for name in ("WER", "eval_loss", "metrics.ppl", "score", "no_error") if is_better_lower(name)]
    ['WER', 'eval_loss', 'metrics.ppl']
    """
    name = normalize_name(column)
    return name in LOWER_IS_BETTER or name.endswith(_ENDINGS)


def shared_measure(columns: Sequence[str]) -> str | None:
    """The error, loss or time that the columns of all systems are named after, in front or behind: ``wer_new`` and ``wer_old``.

    Examples
    --------
    >>> shared_measure(["wer_new", "wer_old"]), shared_measure(["new_wer", "wer_old"]), shared_measure(["loss_a", "base"])
    ('wer', None, None)
    """
    names = [normalize_name(column) for column in columns]
    for measure in sorted(LOWER_IS_BETTER, key=len, reverse=True):
        before, behind = f"{measure}_", f"_{measure}"
        if len(names) > 1 and (all(one.startswith(before) for one in names) or all(one.endswith(behind) for one in names)):
            return measure
    return None


def named_after(column: str) -> str | None:
    """The error, loss or time that a column of a system is named after, in front or behind.

    Examples
    --------
    >>> named_after("wer_new"), named_after("old_loss"), named_after("base")
    ('wer', 'loss', None)
    """
    name = normalize_name(column)
    found = (one for one in LOWER_IS_BETTER if name.startswith(f"{one}_") or name.endswith(f"_{one}"))
    return max(found, key=len, default=None)

"""Names of score columns that say which scores are better: of errors, losses and waiting times, lower ones."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.formats.tables.names import normalize_name

__all__ = ["LOWER_IS_BETTER", "is_better_lower", "named_after", "shared_measure"]

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

"""Names of score columns that say which scores are better: for errors, losses and waiting times, lower ones.

Some names hold such a word and mean the opposite, `neg_log_loss` or `wer_reduction`: which scores are better is not clear then.
Nothing has fewer errors than none: scores that are named after a count of errors and lie below 0 were turned around.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.formats.tables.names import normalize_name

_ERRORS = {
    *("error", "errors", "err", "error_rate", "wer", "cer", "ter", "mer", "hter", "eer", "toxicity"),
    *("hallucination", "hallucination_rate", "hallucinations", "failure_rate", "fail_rate", "violations", "violation_rate"),
    *("incorrect_rate", "miss_rate", "mistakes", "mistake_rate", "crash_rate", "crashes", "timeouts", "timeout_rate"),
    *("fpr", "fnr", "false_positive_rate", "false_negative_rate", "false_alarm_rate"),
}
_LOSSES = {
    *("loss", "log_loss", "logloss", "cross_entropy", "nll", "negative_log_likelihood", "neg_log_likelihood"),
    *("ppl", "perplexity", "bpb", "bpc", "surprisal"),
}
_DISTANCES = {
    *("mae", "mse", "rmse", "mape", "smape", "brier", "brier_score", "crps", "ece"),
    *("edit_distance", "edit_dist", "levenshtein_distance", "bits_per_byte", "kl_divergence"),
}
_COSTS = {"cost", "cost_usd", "price"}
_TIMES = {"time", "seconds", "duration", "latency", "latency_ms", "latency_s", "runtime", "runtime_ms", "runtime_s"}
LOWER_IS_BETTER = frozenset(_ERRORS | _LOSSES | _DISTANCES | _COSTS | _TIMES)
# Scores on their own, but next to other words they may be part of a system's name: `rank_svm`.
_ALONE = {
    *("wrong", "is_wrong", "incorrect", "is_incorrect", "failed", "failure", "failures", "regret", "fid"),
    *("rank", "mean_rank", "average_rank", "avg_rank", "lower_is_better"),
}
# MetricX predicts error scores; its columns carry the year of the model.
_METRICX = re.compile(r"metricx(_?\d+)?(_\w+)?")
# MQM is published as the errors of a segment, as these below 0, and as what they leave of a hundred.
_MQM = re.compile(r"(\w+_)?mqm(_\w+)?")
# Judges score how biased an answer is, or how free of bias.
_EITHER_WAY = ("bias", "bias_score")
# Where a word begins in `errorRate`; systems are often written so (`FocalLoss`), hence only for names of scores.
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ONE_MINUS = re.compile(r"\s*1\s*-")
# Beside an error, a loss or a time they may turn it around.
_TURNING = frozenset(
    {
        *("neg", "negative", "negated", "minus", "inverse", "inverted", "non", "no", "not", "without", "free", "less"),
        *("reduction", "improvement", "gain", "saved", "decrease", "avoided", "detection", "detected"),
        *("correction", "corrected", "accuracy", "acc", "precision", "recall", "f1", "auc", "auroc"),
        *("handling", "recovery", "fixed", "found", "efficiency", "efficient", "effectiveness", "savings", "avoidance"),
        *("prevention", "resistance", "robustness", "awareness", "management", "series"),
    }
)
# `no_error` ends like a bad score and is a good one.
_ENDS_IN_ERROR = ("_error", "_errors", "_err")
_ENDINGS = tuple(f"_{name}" for name in sorted(LOWER_IS_BETTER - {"error", "errors", "err", "time", "seconds"}))


def is_better_lower(column: str) -> bool:
    """Whether the name of a score column says that lower scores are better, alone or behind a word such as ``eval_loss``.

    Examples
    --------
    >>> [name for name in ("WER", "eval_loss", "metrics.ppl", "score", "no_error") if is_better_lower(name)]
    ['WER', 'eval_loss', 'metrics.ppl']
    >>> [name for name in ("WordErrorRate", "valLoss", "rougeL") if is_better_lower(name)]
    ['WordErrorRate', 'valLoss']
    >>> is_better_lower("valError"), is_better_lower("noError")
    (True, False)
    """
    if _METRICX.fullmatch(normalize_name(column)) is not None:
        return True
    written, by_capitals = _spellings(column)
    if any(name in LOWER_IS_BETTER | _ALONE or name.endswith(_ENDINGS) for name in (written, by_capitals)):
        return True
    return written != by_capitals and by_capitals.endswith(_ENDS_IN_ERROR) and not is_unclear(column)


def _spellings(column: str) -> tuple[str, str]:
    """A name as it is written, and with capitals as the beginnings of words."""
    return normalize_name(column), normalize_name(_CAPITAL.sub("_", column))


def is_effort(column: str) -> bool:
    """Whether a name is that of a cost or a time."""
    return normalize_name(column) in _COSTS | _TIMES


def counts_errors(column: str) -> bool:
    """Whether a name says that scores count errors, so that they lie below 0 only if higher ones are better.

    Examples
    --------
    >>> [name for name in ("MQM", "MetricX-24", "dev_wer", "xCOMET-error", "loss", "no_error") if counts_errors(name)]
    ['MQM', 'MetricX-24', 'dev_wer', 'xCOMET-error']
    """
    name = normalize_name(column)
    if _MQM.fullmatch(name) is not None:
        return True
    named = any(one in _ERRORS or named_after(one) in _ERRORS for one in _spellings(column))
    return (named or _METRICX.fullmatch(name) is not None) and not is_unclear(column)


def is_negated(lowest: float, highest: float) -> bool:
    """Whether no score is above 0 and some are below, as no count of errors is."""
    return highest <= 0 and lowest < 0


def is_unclear(column: str) -> bool:
    """Whether a name holds an error, a loss or a time beside a word, or behind a minus, that may turn it; or is MQM or bias.

    Examples
    --------
    >>> [name for name in ("neg_log_loss", "no_error", "1-wer", "-loss", "neg_log_likelihood", "eval_loss") if is_unclear(name)]
    ['neg_log_loss', 'no_error', '1-wer', '-loss']
    """
    name = normalize_name(column)
    if _MQM.fullmatch(name) is not None or name in _EITHER_WAY:
        return True
    return any(_is_turned(column, name) for name in _spellings(column))


def _is_turned(column: str, name: str) -> bool:
    """Whether a column, with its name as it is read, holds a measure and what may turn it around."""
    measure = None if name in LOWER_IS_BETTER else named_after(name)
    if measure is None:
        return False
    rest = name.removesuffix(f"_{measure}") if name.endswith(f"_{measure}") else name.removeprefix(f"{measure}_")
    # A number behind the measure counts systems, `wer_1`.
    return rest == "" or _ONE_MINUS.match(column) is not None or not _TURNING.isdisjoint(rest.split("_"))


def shared_measure(columns: Sequence[str]) -> str | None:
    """The error, loss or time that the columns of all systems are named after, in front or behind: ``wer_new`` and ``wer_old``.

    Examples
    --------
    >>> shared_measure(["wer_new", "wer_old"]), shared_measure(["new_wer", "wer_old"]), shared_measure(["loss_a", "base"])
    ('wer', None, None)
    """
    names = [normalize_name(column) for column in columns]
    if any(map(is_unclear, columns)):
        return None
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
    measures = (one for one in LOWER_IS_BETTER if name.startswith(f"{one}_") or name.endswith(f"_{one}"))
    return max(measures, key=len, default=None)

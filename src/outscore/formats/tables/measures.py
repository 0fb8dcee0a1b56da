"""Names of measures: those that say which scores are better, and those that columns of one system's scores are called by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from outscore.formats.tables.names import USUAL, normalize_name, shared_word

# Names of score columns that say which scores are better: for errors, losses and waiting times, lower ones.
#
# Some names hold such a word and mean the opposite, `neg_log_loss` or `wer_reduction`: which scores are better is not clear
# then. Nothing has fewer errors than none: scores that are named after a count of errors and lie below 0 were turned
# around.


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
    *("rmsle", "mase", "wape", "lpips", "crossentropy", "chamfer_distance", "hausdorff_distance", "min_dcf", "fpr95"),
    *("edit_distance", "edit_dist", "levenshtein_distance", "bits_per_byte", "kl_divergence"),
}
_COSTS = {"cost", "cost_usd", "price"}
_TIMES = {"time", "seconds", "duration", "latency", "latency_ms", "latency_s", "runtime", "runtime_ms", "runtime_s"}
LOWER_IS_BETTER = frozenset(_ERRORS | _LOSSES | _DISTANCES | _COSTS | _TIMES)
_LENGTHS = sorted({len(name) for name in LOWER_IS_BETTER})
# Scores on their own, but next to other words they may be part of a system's name: `rank_svm`.
_ALONE = {
    *("wrong", "is_wrong", "incorrect", "is_incorrect", "failed", "failure", "failures", "fails", "misses", "defects"),
    *("regret", "fid", "der", "wil", "mcd", "ade", "fde", "far", "frr", "distance", "levenshtein", "hausdorff", "residual"),
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
# Beside an error, a loss or a time they leave it one.
_WHERE_MEASURED = frozenset(
    {
        *("eval", "evaluation", "val", "valid", "validation", "dev", "test", "train", "training", "final", "total", "per"),
        *("mean", "avg", "average", "median", "p50", "p90", "p95", "p99", "word", "char", "character", "token", "sentence"),
        *("squared", "sq", "absolute", "abs", "relative", "calibration", "prediction", "l1", "l2", "n", "num", "number"),
        *("response", "inference", "execution", "wall"),
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

    Words that only say where or how it was measured may stand beside it.

    Examples
    --------
    >>> shared_measure(["wer_new", "wer_old"]), shared_measure(["new_wer", "wer_old"]), shared_measure(["loss_a", "base"])
    ('wer', None, None)
    >>> shared_measure(["eval_loss_new", "eval_loss_old"]), shared_measure(["focal_loss_new", "focal_loss_old"])
    ('eval_loss', None)
    """
    if any(map(is_unclear, columns)):
        return None
    spellings = zip(*map(_spellings, columns), strict=True)
    parts = (part for names in spellings for part in _shared_parts(names) if _is_plainly_low(part))
    return _in_all(columns, LOWER_IS_BETTER) or next(parts, None)


def may_share_measure(columns: Sequence[str]) -> bool:
    """Whether the columns of all systems begin or end with words that may be their measure, or part of their names.

    Examples
    --------
    >>> may_share_measure(["rank_a", "rank_b"]), may_share_measure(["rank_svm", "forest"])
    (True, False)
    >>> may_share_measure(["focal_loss_new", "focal_loss_old"]), may_share_measure(["eval_loss_new", "eval_loss_old"])
    (True, False)
    """
    if shared_measure(columns) is not None:
        return False
    if len(columns) > 1 and all(map(is_unclear, columns)):
        return True
    parts = _shared_parts([normalize_name(column) for column in columns])
    return _in_all(columns, {*_ALONE, *_EITHER_WAY}) is not None or any(named_after(part) or is_unclear(part) for part in parts)


def _shared_parts(names: Sequence[str]) -> list[str]:
    """The words that all of several names begin with, and those that they end with."""
    words = [name.split("_") for name in names]
    front = _common_front(words)
    back = _common_front([name[::-1] for name in words])[::-1]
    return ["_".join(part) for part in (front, back) if len(names) > 1 and 0 < len(part) < min(map(len, words))]


def _common_front(names: Sequence[Sequence[str]]) -> list[str]:
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*names, strict=False))
    return [words[0] for words in alike]


def _is_plainly_low(name: str) -> bool:
    """Whether a name is an error, a loss or a time, and beside it nothing but where or how it was measured."""
    if _METRICX.fullmatch(name) is not None:
        return True
    measure = named_after(name)
    rest = name if measure is None else name.removesuffix(f"_{measure}")
    return rest != name and (rest in LOWER_IS_BETTER or _WHERE_MEASURED.issuperset(rest.split("_")))


def _in_all(columns: Sequence[str], measures: Iterable[str]) -> str | None:
    """The longest of these measures that stands in front of all columns, or behind all of them."""
    return shared_word(columns, sorted(measures, key=len, reverse=True))


def named_after(column: str) -> str | None:
    """The error, loss or time that a column of a system is named after, in front or behind.

    Examples
    --------
    >>> named_after("wer_new"), named_after("old_loss"), named_after("base")
    ('wer', 'loss', None)
    """
    name = normalize_name(column)
    ends = [(name[:n], name[n : n + 1]) for n in _LENGTHS] + [(name[-n:], name[-n - 1 : -n]) for n in _LENGTHS]
    return max((end for end, next_to in ends if next_to == "_" and end in LOWER_IS_BETTER), key=len, default=None)


# Names of measures: columns called like these are scores of one system by several measures, not scores of several systems.


_OF_ANSWERS = {
    *("faithfulness", "groundedness", "answer_relevancy", "answer_relevance", "answer_correctness", "answer_similarity"),
    *("context_relevancy", "context_relevance", "context_precision", "context_recall", "context_utilization"),
    *("context_entity_recall", "factual_correctness", "semantic_similarity", "noise_sensitivity", "correctness", "relevancy"),
    *("relevance", "coherence", "fluency", "consistency", "adequacy", "helpfulness", "harmlessness", "honesty", "truthfulness"),
    *("conciseness", "completeness", "readability", "hallucination", "bias", "quality", "string_match", "token_f1"),
}
_OF_DECISIONS = {
    *("f1_score", "f_score", "balanced_accuracy", "specificity", "sensitivity", "auc", "auroc", "mcc"),
    *("roc_auc", "average_precision", "kappa", "jaccard", "iou", "dice", "micro_f1", "macro_f1", "weighted_f1"),
}
_OF_TEXTS = {
    *("bleu", "sacrebleu", "spbleu", "gleu", "nist", "rouge", "rougel", "rougelsum", "chrf", "chrf++", "meteor", "cider"),
    *("spice", "bertscore", "bert_score", "bartscore", "moverscore", "bleurt", "comet", "cometkiwi", "xcomet", "metricx"),
    *("yisi", "mauve"),
}
_OF_RANKINGS = {
    *("ndcg", "dcg", "map", "mrr", "ap", "rr", "hit", "hits", "hit_rate", "success", "recip_rank", "reciprocal_rank", "bpref"),
    *("rprec", "precision", "recall"),
}
_OF_EFFORT = {"tokens", "total_tokens", "output_tokens", "input_tokens"}
_USUAL = {name for tier in USUAL["score"] for name in tier}
_KNOWN = _OF_ANSWERS | _OF_DECISIONS | _OF_TEXTS | _OF_RANKINGS | _OF_EFFORT | LOWER_IS_BETTER | _USUAL
# Only of these is a number behind the name an order, a rank or a year: `bleu4`, `recall_100`, `comet22`; `wer_1` is a system's.
_NUMBERED = _OF_TEXTS | _OF_RANKINGS


def _one_of(names: set[str] | frozenset[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


_OF_A_KIND = r"(?:(?:macro|micro|weighted|mean|avg|average|sentence|corpus|wmt\d+)_)?"
_AT_A_RANK = r"(?:@|_at_|_cut_)(?:k|\d+)"
_PART = r"_(?:f1|precision|recall|norm|macro|micro|weighted)"
_PART_OF_TEXTS = r"_(?:f|p|r|l|lsum|d|da|qe|hybrid)"
_MEASURE = re.compile(
    rf"{_OF_A_KIND}(?:(?:{_one_of(_KNOWN)}|pass|acc|p|r)(?:{_AT_A_RANK})?(?:{_PART})?|(?:{_one_of(_NUMBERED)})_?\d+(?:{_PART})?|p_\d+"
    rf"|(?:{_one_of(_OF_TEXTS)})(?:_?\d+)?(?:{_PART}|{_PART_OF_TEXTS})*)"
)
_NO_MEASURE = {"pass", "p", "r"}
_ORDERS_OF_BLEU = 4


def is_measure(name: str) -> bool:
    """Whether a column name is that of a known measure, or of one of its family: its order, its rank, its year, its parts.

    Examples
    --------
    >>> [name for name in ("Faithfulness", "nDCG@10", "answer relevancy", "gpt-4", "latency_ms") if is_measure(name)]
    ['Faithfulness', 'nDCG@10', 'answer relevancy', 'latency_ms']
    >>> [name for name in ("bleu4", "COMET22", "ndcg_cut_10", "BERTScore_P", "acc_norm", "wer_1", "f1_a") if is_measure(name)]
    ['bleu4', 'COMET22', 'ndcg_cut_10', 'BERTScore_P', 'acc_norm']
    """
    key = normalize_name(name)
    return key not in _NO_MEASURE and _MEASURE.fullmatch(key) is not None


def are_numbered_systems(names: Sequence[str]) -> bool:
    """Whether columns are one name numbered 1, 2, 3 …, as systems are; ranks and years of a measure are not, nor usual orders.

    Examples
    --------
    >>> are_numbered_systems(["comet_1", "comet_2"]), are_numbered_systems(["recall_10", "recall_100"])
    (True, False)
    >>> are_numbered_systems(["bleu1", "bleu2"]), are_numbered_systems(["rouge1", "rouge2"])
    (True, False)
    """
    stem = normalize_name(names[0]).rstrip("0123456789")
    word, count = stem.rstrip("_"), len(names)
    # Programs write ROUGE-1 and ROUGE-2, and BLEU-1 to BLEU-4, of one system.
    if word == "rouge" or (word == "bleu" and count == _ORDERS_OF_BLEU):
        return False
    return count > 1 and [normalize_name(name) for name in names] == [f"{stem}{i + 1}" for i in range(count)]

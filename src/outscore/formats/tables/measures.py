"""Names of measures: columns called like these are scores of one system by several measures, not scores of several systems."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.formats.tables.directions import LOWER_IS_BETTER
from outscore.formats.tables.names import USUAL, normalize_name

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
    *(
        "bleu",
        "sacrebleu",
        "spbleu",
        "gleu",
        "nist",
        "rouge",
        "rougel",
        "rougelsum",
        "chrf",
        "chrf++",
        "meteor",
        "cider",
        "spice",
    ),
    *(
        "bertscore",
        "bert_score",
        "bartscore",
        "moverscore",
        "bleurt",
        "comet",
        "cometkiwi",
        "xcomet",
        "metricx",
        "yisi",
        "mauve",
    ),
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

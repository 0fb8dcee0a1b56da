"""Names of measures: columns called like these are scores of one system by several measures, not scores of several systems."""

from __future__ import annotations

import re

from outscore.formats.tables.directions import LOWER_IS_BETTER
from outscore.formats.tables.names import USUAL, normalize_name

__all__ = ["is_measure"]

_OF_ANSWERS = {
    *("faithfulness", "groundedness", "answer_relevancy", "answer_relevance", "answer_correctness", "answer_similarity"),
    *("context_relevancy", "context_relevance", "context_precision", "context_recall", "context_utilization"),
    *("context_entity_recall", "factual_correctness", "semantic_similarity", "noise_sensitivity", "correctness", "relevancy"),
    *("relevance", "coherence", "fluency", "consistency", "adequacy", "helpfulness", "harmlessness", "honesty", "truthfulness"),
    *("conciseness", "completeness", "readability", "hallucination", "bias", "quality", "string_match", "token_f1"),
}
_OF_DECISIONS = {
    *("precision", "recall", "f1_score", "f_score", "balanced_accuracy", "specificity", "sensitivity", "auc", "auroc", "mcc"),
    *("roc_auc", "average_precision", "kappa", "jaccard", "iou", "dice", "micro_f1", "macro_f1", "weighted_f1"),
}
_OF_TEXTS = {
    *("sacrebleu", "bleurt", "meteor", "bertscore", "bert_score", "chrf++", "chrf2", "nist", "spbleu", "xcomet", "metricx"),
    *("rouge", "rouge1", "rouge2", "rouge_1", "rouge_2", "rougel", "rouge_l", "rougelsum", "rouge_lsum"),
}
_OF_RANKINGS = {"ndcg", "dcg", "map", "mrr", "ap", "rr", "hit_rate", "recip_rank"}
_OF_EFFORT = {"tokens", "total_tokens", "output_tokens", "input_tokens"}
_KNOWN = _OF_ANSWERS | _OF_DECISIONS | _OF_TEXTS | _OF_RANKINGS | _OF_EFFORT | LOWER_IS_BETTER
_KNOWN |= {name for tier in USUAL["score"] for name in tier}
_AT_A_RANK = re.compile(r"(ndcg|map|mrr|precision|recall|hits?|hit_rate|success|pass|acc|p|r|ap|rr)(@|_at_)(k|\d+)")


def is_measure(name: str) -> bool:
    """Whether a column name is that of a known measure.

    Examples
    --------
    >>> [name for name in ("Faithfulness", "nDCG@10", "answer relevancy", "gpt-4", "latency_ms") if is_measure(name)]
    ['Faithfulness', 'nDCG@10', 'answer relevancy', 'latency_ms']
    """
    key = normalize_name(name)
    return key in _KNOWN or _AT_A_RANK.fullmatch(key) is not None

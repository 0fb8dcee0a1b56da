"""TEXT_METRICS: every metric of texts by name, as statistics per segment and a function of their sums.

`text_metric` reads a written metric, `segment_statistics` computes its table, whole or piece by piece, and
`verify` holds it against the library's own score. Adding a metric is one entry.
"""

from __future__ import annotations

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import OptionValue, complete, did_you_mean, parse_spec
from outscore.metrics.entry import Options
from outscore.metrics.text import bleu, chrf, error_rates, meteor, nist, rouge, sentence, ter
from outscore.metrics.text.check import check_lines, verify
from outscore.metrics.text.entry import Lines, References, TextMetric

__all__ = ["TEXT_METRICS", "TextMetric", "segment_statistics", "text_metric", "verify"]

TEXT_METRICS: dict[str, TextMetric] = {
    entry.name: entry for module in (bleu, chrf, ter, error_rates, nist, meteor, rouge, sentence) for entry in module.ENTRIES
}


def text_metric(spec: str) -> tuple[TextMetric, dict[str, OptionValue]]:
    """The entry and all options of a written metric such as ``"bleu:tokenize=none"``.

    Examples
    --------
    >>> metric, options = text_metric("ter:case_sensitive=true")
    >>> metric.name, options["case_sensitive"], options["normalized"]
    ('ter', True, False)
    """
    name, given = parse_spec(spec)
    if name not in TEXT_METRICS:
        raise OutscoreError(f"There is no metric `{name}` of texts.", did_you_mean(name, TEXT_METRICS))
    entry = TEXT_METRICS[name]
    return entry, complete(name, entry.options, given)


def segment_statistics(
    name: str, hypotheses: Lines, references: References, options: Options, prepared: object = None
) -> Array:
    """One row of statistics per segment; all arguments and the result can travel between processes.

    For a piece of a corpus, `prepared` is what the metric's `prepare` made of all references; pieces put
    together are the table of the whole.

    Examples
    --------
    >>> wer, options = text_metric("wer")
    >>> segment_statistics("wer", ["a b x", ""], [["a b c d", ""]], options)
    array([[2, 1, 1, 0],
           [0, 0, 0, 0]])
    """
    metric = TEXT_METRICS[name]
    check_lines(metric, hypotheses, references)
    return metric.statistics(hypotheses, references, options, prepared)

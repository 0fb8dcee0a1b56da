"""TEXT_METRICS: every metric of texts by name, as statistics per segment and a function of their sums.

The means of segment scores, sentence-level BLEU, chrF and TER, are made here of the metrics of whole texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import Option, OptionValue, complete, did_you_mean, parse_spec
from outscore.metrics.entry import Options
from outscore.metrics.text import bleu, chrf, error_rates, meteor, nist, rouge, sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, check_lines, segment_mean, segments, to_rows
from outscore.metrics.text.sacre import SPM

# Segments shorter than four words would score 0 whatever they say.
EFFECTIVE = Option("effective_order", bool, True, "leave out orders longer than the segment")


def _mean_of_segments(
    base: TextMetric, scorer: Callable[[Options], Foreign], formula: str, options: tuple[Option, ...]
) -> TextMetric:
    name = f"sentence-{base.name}"

    def statistics(hypotheses: Lines, references: References, options: Options, prepared: object = None) -> Array:
        return to_rows(base.make(options).score(base.statistics(hypotheses, references, options, prepared)))

    def corpus_score(hypotheses: Lines, references: References, options: Options) -> float:
        score = scorer(options)
        pairs = segments(hypotheses, references)
        # A corpus of one segment scores as the segment does, without a word in sacreBLEU's log.
        return float(np.mean([sacre.corpus_score(score, [line], [[other] for other in others]) for line, others in pairs]))

    return replace(
        base,
        name=name,
        label=f"sentence-{base.label}",
        summary=f"mean of the segments' {base.label}",
        formula=formula,
        statistics=statistics,
        make=lambda _: segment_mean(name, base.direction, graded=True),
        signature=lambda options, references: f"{base.signature(options, references)}|mean:segments",
        corpus_score=corpus_score,
        options=options,
        # sacreBLEU tests scores of the corpus only.
        tested_by=(),
        parts=None,
        alone={},
        library_rows=None,
    )


(BLEU,) = bleu.ENTRIES
TER = error_rates.ENTRIES[0]
CHRF = chrf.ENTRIES[0]

MEANS = (
    _mean_of_segments(
        BLEU,
        bleu.library_scorer,
        r"\frac{1}{n} \sum_{i} \text{BLEU}_i",
        (*(x for x in BLEU.options if x.name != EFFECTIVE.name), EFFECTIVE),
    ),
    _mean_of_segments(CHRF, chrf.library_scorer, r"\frac{1}{n} \sum_{i} \text{chrF}_i", CHRF.options),
    _mean_of_segments(TER, error_rates.ter_scorer, r"\frac{1}{n} \sum_{i} \text{TER}_i", TER.options),
)


TEXT_METRICS: dict[str, TextMetric] = {
    entry.name: entry
    for entries in (*(module.ENTRIES for module in (bleu, chrf, error_rates, nist, meteor, rouge)), MEANS)
    for entry in entries
}


def _plain(name: str) -> str:
    # sacreBLEU's chrF2 is chrF with its usual weight of recall.
    return name.strip().lower().replace("-", "").replace("_", "").replace("chrf2", "chrf")


SP_BLEU = "spbleu"
MODELS = re.compile(r"x?comet|bleurt|metricx|bert.?score|bart.?score|gemba|mqm", re.IGNORECASE)
"""Names of metrics whose scores come from a model or from people."""
_BY_PLAIN_NAME = {_plain(name): entry for name, entry in TEXT_METRICS.items()}


def text_metric(spec: str) -> tuple[TextMetric, dict[str, OptionValue]]:
    """The entry and all options of a written metric such as ``"bleu:tokenize=none"``.

    Examples
    --------
    >>> metric, options = text_metric("ter:case_sensitive=true")
    >>> metric.name, options["case_sensitive"], options["normalized"]
    ('ter', True, False)
    """
    name, given = _parsed(spec)
    entry = find_metric(name)
    if entry is None:
        # Metrics that need a model are run elsewhere.
        elsewhere = f"Run it elsewhere and give its scores: --scores {name}=A.scores,B.scores."
        hint = elsewhere if MODELS.match(name) else did_you_mean(name, TEXT_METRICS)
        raise OutscoreError(f"There is no metric `{name}` of texts.", hint)
    return entry, complete(entry.name, entry.options, given)


def _parsed(spec: str) -> tuple[str, dict[str, str]]:
    """A written metric's name and options; spBLEU is BLEU over pieces of words."""
    name, given = parse_spec(spec)
    return ("bleu", {"tokenize": SPM, **given}) if _plain(name) == SP_BLEU else (name, dict(given))


def find_metric(name: str) -> TextMetric | None:
    """The entry of a metric as people write it, or None: case and hyphens do not matter.

    Examples
    --------
    >>> [find_metric(name).name for name in ("BLEU", "chrF2++", "ROUGE-L", "sentence-chrF", "spBLEU")]
    ['bleu', 'chrf++', 'rougeL', 'sentence-chrf', 'bleu']
    """
    plain = _plain(name)
    return _BY_PLAIN_NAME.get("bleu" if plain == SP_BLEU else plain)


def shown_name(spec: str) -> str:
    """A written metric as papers write it, with the options that were given.

    Examples
    --------
    >>> shown_name("bleu"), shown_name("bleu:tokenize=none:lowercase=true"), shown_name("spbleu:model=flores200.model")
    ('BLEU', 'BLEU (tokenize=none, lowercase=true)', 'spBLEU')
    """
    entry, _ = text_metric(spec)
    _, given = _parsed(spec)
    label = entry.label
    if given.get("tokenize") == SPM:
        label = label.replace("BLEU", "spBLEU")
        # The signature names the model.
        given = {name: value for name, value in given.items() if name not in ("tokenize", "model")}
    options = ", ".join(f"{name}={value}" for name, value in given.items())
    return f"{label} ({options})" if options else label


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

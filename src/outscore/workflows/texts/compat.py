"""`--compat`: what sacreBLEU would print for the same texts, beside the answer and never instead of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.inference.compat.sacrebleu import COMPAT, SACREBLEU_SEED
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.results.comparison import Comparison
from outscore.results.note import Note

__all__ = ["with_peer"]

FLAWS = {
    "sacrebleu-ar": "it does not count ties, so that identical outputs, or outputs that differ in one segment, get the smallest"
    " p there is",
    "sacrebleu-bs": "it centres absolute differences on their own mean, and rejects a true null hypothesis about 11 % of the"
    " time at the 5 % level",
}
"""What is known to be wrong with each rule; `compat` explains."""


def with_peer(
    c: Comparison,
    compat: str,
    metric: AdditiveMetric,
    runs_a: Sequence[Array],
    runs_b: Sequence[Array],
    *,
    grouped: bool,
    datasets: int = 0,
) -> Comparison:
    """The comparison with the peer's p among its `tests` and notes on it; decision and words stay as they are.

    What is to be said of the rule is a note of its own, the same for every metric, so that a family says it once.

    `grouped` says that documents were swapped as one, which the peer cannot do, and `datasets` that there are several.
    """
    if datasets:
        text = f"No p of {compat}: sacreBLEU compares on one test set, and there are {datasets}."
        return replace(c, notes=[*c.notes, Note("peer", text)])
    if len(runs_a) > 1 or len(runs_b) > 1:
        text = f"No p of {compat}: sacreBLEU compares single outputs, and there are several runs."
        return replace(c, notes=[*c.notes, Note("peer", text)])
    entry = TEXT_METRICS.get(metric.name)
    known = entry is not None and "sacrebleu" in entry.tested_by
    p = COMPAT[compat](runs_a[0], runs_b[0], metric.score)
    trials = p.kernel.rpartition(":")[2]
    apart = " It takes segments one by one, not documents." if grouped else ""
    source = "as sacreBLEU prints it" if known else "by its rule, though sacreBLEU does not have this metric"
    own = f"{compat}: p = {p.value:.4f}, {source}."
    rule = (
        f"{compat}: {int(trials):,} trials with seed {SACREBLEU_SEED}; {FLAWS[compat]}. It has no part in the verdict.{apart}"
    )
    return replace(c, tests=[*c.tests, p], notes=[*c.notes, Note("peer", own), Note("peer", rule)])

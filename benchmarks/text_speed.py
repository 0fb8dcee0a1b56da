"""What 10,000 swaps for ten pairs of systems and three metrics cost, and what sacreBLEU needs from the same statistics."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from benchmarks.text_data import metric_of, statistics_of
from benchmarks.timing import peak_memory

from outscore.core.numeric import Array
from outscore.resampling import shared_flipped_blocks

__all__ = ["speed", "speed_task"]

OTHERS = (
    "FBK", "KIT", "LMU-nmt-reranked", "LMU-nmt-single", "PROMT-Rule-based", "RWTH-nmt-ensemble", "SYSTRAN", "online-B",
    "uedin-nmt", "xmu",
)  # fmt: skip
BASELINE = "LIUM-NMT"
TIMED = ("bleu", "chrf", "ter")
TRIALS, SEED = 10_000, 2024


def speed_task(who: str) -> Callable[[], list[float]]:
    """The call that tests ten pairs by three metrics from statistics that are there: "outscore" or "sacrebleu"."""
    rows = statistics_of((BASELINE, *OTHERS), TIMED)
    return _ours(rows) if who == "outscore" else _peers(rows)


def _ours(rows: Mapping[tuple[str, str], Array]) -> Callable[[], list[float]]:
    keys = [(metric, system) for metric in TIMED for system in (BASELINE, *OTHERS)]

    def run() -> list[float]:
        tables = [rows[key] for key in keys]
        inside = {
            (metric, other): _at_least(metric_of(metric).score, rows[metric, BASELINE], rows[metric, other])
            for metric in TIMED
            for other in OTHERS
        }
        hits = dict.fromkeys(inside, 0)
        # One set of swaps for all: the sums of eleven systems are those of their ten differences from the first.
        for block in shared_flipped_blocks(tables, resamples=TRIALS, seed=SEED):
            sums = dict(zip(keys, block, strict=True))
            for (metric, other), counts in inside.items():
                hits[metric, other] += int(counts(sums[metric, BASELINE] - sums[metric, other]).sum())
        return [(h + 1) / (TRIALS + 1) for h in hits.values()]

    return run


def _at_least(score: Callable[[Array], Array], a: Array, b: Array) -> Callable[[Array], Array]:
    total_a, total_b = a.sum(axis=0), b.sum(axis=0)
    observed, both = abs(float(score(total_a) - score(total_b))), total_a + total_b
    return lambda moved: np.abs(score((both + moved) / 2) - score((both - moved) / 2)) >= observed - 1e-12


def _peers(rows: Mapping[tuple[str, str], Array]) -> Callable[[], list[float]]:
    """SacreBLEU's own paired test; its metrics are handed the statistics instead of computing them."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER
    from sacrebleu.significance import PairedTest

    metrics: dict[str, Any] = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}
    texts = {system: [system] * len(rows["bleu", system]) for system in (BASELINE, *OTHERS)}
    lists = {key: table.tolist() for key, table in rows.items()}
    for name, metric in metrics.items():
        metric.num_refs = 1
        metric._extract_corpus_statistics = lambda lines, _, name=name: lists[name, lines[0]]  # noqa: SLF001

    def run() -> list[float]:
        scores: Any
        _, scores = PairedTest(list(texts.items()), metrics, None, "ar", TRIALS)()
        return [float(result.p_value) for name in scores if name != "System" for result in scores[name][1:]]

    return run


def speed() -> dict[str, Any]:
    """CPU seconds in turn, the largest difference in p, and the memory of each call in a fresh process."""
    tasks = {who: speed_task(who) for who in ("outscore", "sacrebleu")}
    tasks["outscore"]()
    seconds: dict[str, list[float]] = {who: [] for who in tasks}
    answers = {}
    for who, task in tasks.items():
        for _ in range(3 if who == "outscore" else 1):
            start = time.process_time()
            answers[who] = task()
            seconds[who].append(time.process_time() - start)
    apart = max(abs(x - y) for x, y in zip(*answers.values(), strict=True))
    memory = {who: peak_memory(f"benchmarks.text_speed:speed_task:{who}") for who in tasks}
    return {
        "cpu": {who: float(np.median(s)) for who, s in seconds.items()},
        "largest_difference_in_p": apart,
        "memory": {who: {"call": m.call, "process": m.process} for who, m in memory.items()},
    }

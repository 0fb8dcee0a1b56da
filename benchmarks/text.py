"""Texts: whether the level of a test depends on the metric, and what many swaps cost.

    python -m benchmarks.text                     both, on the WMT17 English-German systems; about twenty minutes
    python -m benchmarks.text --only level --replicates 100     a look, which writes nothing
    python -m benchmarks.text --only speed

The level: two real systems' statistics are exchanged segment by segment by fair coins, so that the null hypothesis is true and
everything else is as it was, and every test is asked whether they differ. The cost: 10,000 swaps for ten pairs and three
metrics beside sacreBLEU's paired test, both from the same statistics. The data are found as the tests find them, through
OUTSCORE_SHARED_DATA. Writes `results/text.json` and the tables of `docs/text.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.timing import machine, peak_memory

from outscore.data import AdditiveMetric, Array, PairedScores
from outscore.engine import Steps, engine_of
from outscore.inference import TESTS, TestRequest
from outscore.metrics.cache import StatisticsCache, cache_folder
from outscore.metrics.text import text_metric
from outscore.options import complete
from outscore.procedure.text_statistics import Statistics
from outscore.resampling.bootstrap import exactly_summable
from outscore.resampling.flips import flip_bits
from outscore.resampling.shared_flips import Contrast, flipped_blocks, resampled_blocks, shared_hits

__all__ = ["level", "main", "speed", "speed_task"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "text.json"
PAGE = ROOT / "docs" / "text.md"
METRICS = ("bleu", "chrf", "ter", "nist", "meteor")
PAIRS = (
    ("FBK", "LIUM-NMT"),
    ("KIT", "online-B"),
    ("uedin-nmt", "SYSTRAN"),
    ("PROMT-Rule-based", "LMU-nmt-single"),
    ("xmu", "RWTH-nmt-ensemble"),
)
OTHERS = (
    "FBK", "KIT", "LMU-nmt-reranked", "LMU-nmt-single", "PROMT-Rule-based", "RWTH-nmt-ensemble", "SYSTRAN", "online-B",
    "uedin-nmt", "xmu",
)  # fmt: skip
BASELINE = "LIUM-NMT"
TIMED = ("bleu", "chrf", "ter")
ALPHA, SEED, REPLICATES = 0.05, 2024, 6_000
TURN = 400
"""Replicates of one pair before the next has its turn."""
SWAPS, RESAMPLES, TRIALS = 9_999, 999, 10_000
TESTED = ("permutation", "bootstrap", "sacrebleu-bs")
BOUNDS = (0.035, 0.065)


def _lines(name: str) -> tuple[str, ...]:
    folder = Path(os.environ.get("OUTSCORE_SHARED_DATA", ROOT.parent / "shared" / "data")) / "wmt17-en-de"
    path = folder / "ref.txt" if name == "ref" else folder / "systems" / f"{name}.txt"
    return tuple(path.read_text(encoding="utf-8").split("\n")[:-1])


def _metric(name: str) -> AdditiveMetric:
    entry, options = text_metric(name)
    return entry.make(options)


def _statistics(systems: Sequence[str], metrics: Sequence[str]) -> dict[tuple[str, str], Array]:
    """Rows by (metric, system), from the cache where they are known."""
    source = Statistics(engine_of(0), StatisticsCache(cache_folder()), Steps())
    return {
        (metric, system): source.of(*text_metric(metric), _lines(system), [_lines("ref")])
        for metric in metrics
        for system in systems
    }


def level(pair: tuple[str, str], replicates: int, first: int = 0) -> Counter[str]:
    """Rejections of a true null hypothesis, as "test metric", in replicates first … first + replicates - 1 of a pair.

    All replicates of a pair have the same law under swaps, so one set of swaps serves them all. The resamples of a replicate
    are its own; both bootstrap rules see the same ones.
    """
    rows = _statistics(pair, METRICS)
    tables = {name: (exactly_summable(rows[name, pair[0]]), exactly_summable(rows[name, pair[1]])) for name in METRICS}
    swapped = _swapped_differences(tables)
    segments, rejected = len(rows[METRICS[0], pair[0]]), Counter[str]()
    for r in range(first, first + replicates):
        coins = flip_bits(segments, r, 1, SEED)[0].astype(bool)[:, None]
        exchanged = {name: (np.where(coins, b, a), np.where(coins, a, b)) for name, (a, b) in tables.items()}
        found = _p_values(exchanged, swapped, seed=r)
        if r == first:
            _check(exchanged, found, seed=r)
        rejected.update(key for key, p in found.items() if p <= ALPHA)
    return rejected


def _swapped_differences(tables: Mapping[str, tuple[Array, Array]]) -> dict[str, Array]:
    """Absolute differences in every metric under all swaps."""
    blocks = flipped_blocks([a - b for a, b in tables.values()], resamples=SWAPS, seed=SEED + 1)
    sums = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    found = {}
    for (name, (a, b)), moved in zip(tables.items(), sums, strict=True):
        both, score = (a + b).sum(axis=0), _metric(name).score
        found[name] = np.abs(score((both + moved) / 2) - score((both - moved) / 2))
    return found


def _p_values(exchanged: Mapping[str, tuple[Array, Array]], swapped: Mapping[str, Array], seed: int) -> dict[str, float]:
    blocks = resampled_blocks([half for pair in exchanged.values() for half in pair], resamples=RESAMPLES, seed=seed)
    totals = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    found = {}
    for i, (name, (a, b)) in enumerate(exchanged.items()):
        score = _metric(name).score
        observed = float(score(a.sum(axis=0)) - score(b.sum(axis=0)))
        slack = 1e-12 * float(score(a.sum(axis=0)))
        drawn = score(totals[2 * i]) - score(totals[2 * i + 1])
        size = np.abs(drawn)
        rules = {
            "permutation": swapped[name] >= abs(observed) - slack,
            "bootstrap": np.abs(drawn - observed) >= abs(observed) - slack,
            "sacrebleu-bs": size - size.mean() > abs(observed),
        }
        found |= {f"{test} {name}": (int(hits.sum()) + 1) / (len(hits) + 1) for test, hits in rules.items()}
    return found


def _check(exchanged: Mapping[str, tuple[Array, Array]], found: Mapping[str, float], seed: int) -> None:
    """The library's own tests say the same: the bootstrap with the same resamples, permutation up to its noise."""
    for name, (a, b) in exchanged.items():
        pairs, metric = PairedScores(a, b), _metric(name)
        for test in ("bootstrap", "permutation"):
            options = complete(test, TESTS[test].options, {"resamples": RESAMPLES if test == "bootstrap" else SWAPS})
            p = TESTS[test].run(pairs, metric, TestRequest(seed=seed, options=options, interval=False)).p
            near = 1e-9 if test == "bootstrap" else 5 * np.sqrt(p.value / SWAPS) + 2 / SWAPS
            assert abs(found[f"{test} {name}"] - p.value) <= near, (test, name, found[f"{test} {name}"], p)


def measure_levels(replicates: int) -> dict[str, Any]:
    """Shares of rejections, the pairs taking turns; `first` are those of the first 2,000 replicates."""
    counts = [
        level(PAIRS[j % len(PAIRS)], min(TURN, replicates - r), first=r) for j, r in enumerate(range(0, replicates, TURN))
    ]
    return {
        "replicates": replicates,
        "pairs": [list(pair) for pair in PAIRS],
        "rates": _rates(counts, replicates),
        "first": _rates(counts[: len(PAIRS)], min(replicates, TURN * len(PAIRS))),
    }


def _rates(counts: Sequence[Counter[str]], replicates: int) -> dict[str, dict[str, float]]:
    total = sum(counts, Counter[str]())
    return {test: {name: total[f"{test} {name}"] / replicates for name in METRICS} for test in TESTED}


def speed_task(who: str) -> Callable[[], list[float]]:
    """The call that tests ten pairs by three metrics from statistics that are there: "outscore" or "sacrebleu"."""
    rows = _statistics((BASELINE, *OTHERS), TIMED)
    return _ours(rows) if who == "outscore" else _peers(rows)


def _ours(rows: Mapping[tuple[str, str], Array]) -> Callable[[], list[float]]:
    systems = (BASELINE, *OTHERS)

    def run() -> list[float]:
        tables = [rows[metric, system] for metric in TIMED for system in systems]
        contrasts = [
            Contrast(base, base + i, _at_least(_metric(metric).score, tables[base], tables[base + i]))
            for metric, base in zip(TIMED, range(0, len(tables), len(systems)), strict=True)
            for i in range(1, len(systems))
        ]
        hits = shared_hits(tables, contrasts, resamples=TRIALS, seed=SEED)
        return [(h + 1) / (TRIALS + 1) for h in hits]

    return run


def _at_least(score: Callable[[Array], Array], a: Array, b: Array) -> Callable[[Array], Array]:
    total_a, total_b = a.sum(axis=0), b.sum(axis=0)
    observed, both = abs(float(score(total_a) - score(total_b))), total_a + total_b
    return lambda moved: np.abs(score((both + moved) / 2) - score((both - moved) / 2)) >= observed - 1e-12


def _peers(rows: Mapping[tuple[str, str], Array]) -> Callable[[], list[float]]:
    """SacreBLEU's own paired test; its metrics are handed the statistics instead of computing them."""
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.significance import PairedTest

    metrics = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}
    texts = {system: [system] * len(rows["bleu", system]) for system in (BASELINE, *OTHERS)}
    lists = {key: table.tolist() for key, table in rows.items()}
    for name, metric in metrics.items():
        metric.num_refs = 1
        metric._extract_corpus_statistics = lambda lines, _, name=name: lists[name, lines[0]]  # noqa: SLF001

    def run() -> list[float]:
        _, scores = PairedTest(list(texts.items()), metrics, None, "ar", TRIALS)()
        return [float(result.p_value) for name in scores if name != "System" for result in scores[name][1:]]

    return run


def speed() -> dict[str, Any]:
    """CPU seconds in turn, the largest difference in p, and the memory of each call in a fresh process."""
    tasks = {who: speed_task(who) for who in ("outscore", "sacrebleu")}
    tasks["outscore"]()
    seconds: dict[str, list[float]] = {who: [] for who in tasks}
    found = {}
    for who, task in tasks.items():
        for _ in range(3 if who == "outscore" else 1):
            start = time.process_time()
            found[who] = task()
            seconds[who].append(time.process_time() - start)
    apart = max(abs(x - y) for x, y in zip(*found.values(), strict=True))
    memory = {who: peak_memory(f"benchmarks.text:speed_task:{who}") for who in tasks}
    return {
        "cpu": {who: float(np.median(s)) for who, s in seconds.items()},
        "largest_difference_in_p": apart,
        "memory": {who: {"call": m.call, "process": m.process} for who, m in memory.items()},
    }


def _level_table(found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{found['replicates']:,} replicates, {len(found['pairs'])} pairs of systems, 3,004 segments, α = .05;"
        f" {SWAPS:,} swaps, {RESAMPLES:,} resamples, seed {SEED}."
    )
    yield ""
    yield "| test | " + " | ".join(METRICS) + " |"
    yield "| --- |" + " ---: |" * len(METRICS)
    for test in TESTED:
        yield f"| `{test}` | " + " | ".join(f"{found['rates'][test][name]:.3f}"[1:] for name in METRICS) + " |"


def _speed_table(found: Mapping[str, Any]) -> Iterator[str]:
    cpu, memory = found["cpu"], found["memory"]
    yield "| 10,000 swaps × 10 pairs × BLEU, chrF, TER, 3,004 segments | CPU seconds | memory of the call |"
    yield "| --- | ---: | ---: |"
    for who in cpu:
        yield f"| {who} | {cpu[who]:.2f} | {memory[who]['call']:,.0f} MB |"
    yield f"| ratio | {cpu['sacrebleu'] / cpu['outscore']:.0f} × |"[:-1] + (
        f"| {memory['sacrebleu']['call'] / memory['outscore']['call']:.0f} × |"
    )


def _written(page: str, mark: str, lines: Iterator[str]) -> str:
    """The page with new lines between the markers."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, rest = page.split(begin)
    return f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{rest.split(end)[1]}"


def _keep(found: Mapping[str, Any]) -> None:
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    kept |= found
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    for mark, table in (("level", _level_table), ("speed", _speed_table)):
        page = _written(page, mark, table(kept[mark])) if mark in kept else page
    PAGE.write_text(page, encoding="utf-8")


def main() -> int:
    """Measure, print, and keep what was measured in full."""
    parser = argparse.ArgumentParser(description="The level of tests of texts, and what they cost.")
    parser.add_argument("--only", choices=("level", "speed"))
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    asked = parser.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    if asked.only != "speed":
        found["level"] = measure_levels(asked.replicates)
        print("\n".join(_level_table(found["level"])))
    if asked.only != "level":
        found["speed"] = speed()
        print("\n".join(_speed_table(found["speed"])))
    if asked.only == "speed" or asked.replicates == REPLICATES:
        _keep(found)
    ours = [rate for test in TESTED[:2] for rate in found.get("level", {}).get("rates", {}).get(test, {}).values()]
    wrong = asked.replicates >= REPLICATES and not all(BOUNDS[0] <= rate <= BOUNDS[1] for rate in ours)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())

"""Texts: whether the level of a test depends on the metric, and what many swaps cost.

    python -m benchmarks.text                     both, on the WMT17 English-German systems; about twenty minutes
    python -m benchmarks.text --only level --replicates 100     a look, which writes nothing
    python -m benchmarks.text --only again        the level of TER alone, from a seed of its own; about three minutes
    python -m benchmarks.text --only speed
    python -m benchmarks.text --only commands     whole commands beside sacreBLEU's; about ten minutes

The level: two real systems' statistics are exchanged segment by segment by fair coins, so that the null hypothesis is true and
everything else is as it was, and every test is asked whether they differ. The cost is measured by
`text_speed` and `text_commands`. Writes `results/text.json` and the tables of `docs/guides/text.md` and `benchmarks/README.md`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from benchmarks.text_commands import commands, commands_table
from benchmarks.text_data import ROOT, metric_of, statistics_of
from benchmarks.text_speed import speed
from benchmarks.timing import machine

from outscore.core.numeric import Array
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.resampling import exactly_summable, flip_bits, shared_flipped_blocks, shared_resampled_blocks

__all__ = ["level", "main"]

RESULTS = ROOT / "benchmarks" / "results" / "text.json"
PAGES = (ROOT / "docs" / "guides" / "text.md", ROOT / "benchmarks" / "README.md")
METRICS = ("bleu", "chrf", "ter", "nist", "meteor")
PAIRS = (
    ("FBK", "LIUM-NMT"),
    ("KIT", "online-B"),
    ("uedin-nmt", "SYSTRAN"),
    ("PROMT-Rule-based", "LMU-nmt-single"),
    ("xmu", "RWTH-nmt-ensemble"),
)
ALPHA, SEED, REPLICATES = 0.05, 2024, 6_000
AGAIN, AGAIN_SEED, AGAIN_FIRST = ("ter",), 77_001, 1_000_000
"""What is measured a second time, with coins and resamples that have nothing to do with the first."""
TURN = 400
"""Replicates of one pair before the next has its turn."""
SWAPS, RESAMPLES = 9_999, 999
TESTED = ("permutation", "bootstrap", "sacrebleu-bs")
BOUNDS = (0.035, 0.065)


def level(
    pair: tuple[str, str], replicates: int, first: int = 0, metrics: Sequence[str] = METRICS, seed: int = SEED
) -> Counter[str]:
    """Rejections of a true null hypothesis, as "test metric", in replicates first … first + replicates - 1 of a pair.

    All replicates of a pair have the same law under swaps, so one set of swaps serves them all. The resamples of a replicate
    are its own; both bootstrap rules see the same ones.
    """
    rows = statistics_of(pair, metrics)
    tables = {name: (exactly_summable(rows[name, pair[0]]), exactly_summable(rows[name, pair[1]])) for name in metrics}
    swapped = _swapped_differences(tables, seed + 1)
    segments, rejected = len(rows[metrics[0], pair[0]]), Counter[str]()
    for r in range(first, first + replicates):
        coins = flip_bits(segments, r, 1, seed)[0].astype(bool)[:, None]
        exchanged = {name: (np.where(coins, b, a), np.where(coins, a, b)) for name, (a, b) in tables.items()}
        p_values = _p_values(exchanged, swapped, seed=r)
        if r == first:
            _check(exchanged, p_values, seed=r)
        rejected.update(key for key, p in p_values.items() if p <= ALPHA)
    return rejected


def _swapped_differences(tables: Mapping[str, tuple[Array, Array]], seed: int) -> dict[str, Array]:
    """Absolute differences in every metric under all swaps."""
    blocks = shared_flipped_blocks([a - b for a, b in tables.values()], resamples=SWAPS, seed=seed)
    sums = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    differences = {}
    for (name, (a, b)), moved in zip(tables.items(), sums, strict=True):
        both, score = (a + b).sum(axis=0), metric_of(name).score
        differences[name] = np.abs(score((both + moved) / 2) - score((both - moved) / 2))
    return differences


def _p_values(exchanged: Mapping[str, tuple[Array, Array]], swapped: Mapping[str, Array], seed: int) -> dict[str, float]:
    blocks = shared_resampled_blocks([half for pair in exchanged.values() for half in pair], resamples=RESAMPLES, seed=seed)
    totals = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    p_values: dict[str, float] = {}
    for i, (name, (a, b)) in enumerate(exchanged.items()):
        score = metric_of(name).score
        observed = float(score(a.sum(axis=0)) - score(b.sum(axis=0)))
        slack = 1e-12 * float(score(a.sum(axis=0)))
        drawn = score(totals[2 * i]) - score(totals[2 * i + 1])
        size = np.abs(drawn)
        rules = {
            "permutation": swapped[name] >= abs(observed) - slack,
            "bootstrap": np.abs(drawn - observed) >= abs(observed) - slack,
            "sacrebleu-bs": size - size.mean() > abs(observed),
        }
        p_values |= {f"{test} {name}": (int(hits.sum()) + 1) / (len(hits) + 1) for test, hits in rules.items()}
    return p_values


def _check(exchanged: Mapping[str, tuple[Array, Array]], p_values: Mapping[str, float], seed: int) -> None:
    """The library's own tests say the same: the bootstrap with the same resamples, permutation up to its noise."""
    for name, (a, b) in exchanged.items():
        pairs, metric = PairedScores(a, b), metric_of(name)
        for test in ("bootstrap", "permutation"):
            options = complete(test, TESTS[test].options, {"resamples": RESAMPLES if test == "bootstrap" else SWAPS})
            p = TESTS[test].run(pairs, metric, TestRequest(seed=seed, options=options, interval=False)).p
            near = 1e-9 if test == "bootstrap" else 5 * np.sqrt(p.value / SWAPS) + 2 / SWAPS
            assert abs(p_values[f"{test} {name}"] - p.value) <= near, (test, name, p_values[f"{test} {name}"], p)


def _turns(
    replicates: int, first: int = 0, metrics: Sequence[str] = METRICS, seed: int = SEED
) -> tuple[list[Counter[str]], list[int]]:
    """Rejections and replicates of each turn, one pair after the other."""
    sizes = [min(TURN, replicates - r) for r in range(0, replicates, TURN)]
    return [level(PAIRS[j % len(PAIRS)], n, first + j * TURN, metrics, seed) for j, n in enumerate(sizes)], sizes


def measure_levels(replicates: int) -> dict[str, Any]:
    """Shares of rejections, the pairs taking turns; `first` are those of the first 2,000 replicates."""
    counts, sizes = _turns(replicates)
    pairs = [list(pair) for pair in PAIRS]
    first = _rates(counts[: len(PAIRS)], sizes[: len(PAIRS)])
    return {"replicates": replicates, "pairs": pairs, "rates": _rates(counts, sizes), "first": first}


def measure_again(replicates: int) -> dict[str, Any]:
    """The level of TER alone, independently of `measure_levels`."""
    rates = _rates(*_turns(replicates, AGAIN_FIRST, AGAIN, AGAIN_SEED), AGAIN)
    return {"replicates": replicates, "seed": AGAIN_SEED, "rates": rates}


def _rates(counts: Sequence[Counter[str]], sizes: Sequence[int], metrics: Sequence[str] = METRICS) -> dict[str, Any]:
    total = sum(counts, Counter[str]())
    return {test: {name: total[f"{test} {name}"] / sum(sizes) for name in metrics} for test in TESTED}


def _share(rate: float, places: int = 3) -> str:
    return f"{rate:.{places}f}".removeprefix("0")


def _level_table(results: Mapping[str, Any]) -> Iterator[str]:
    error = math.sqrt(ALPHA * (1 - ALPHA) / results["replicates"])
    yield (
        f"{results['replicates']:,} replicates, {len(results['pairs'])} pairs of systems, 3,004 segments, α = .05;"
        f" {SWAPS:,} swaps, {RESAMPLES:,} resamples, seed {SEED}."
    )
    yield f"The Monte-Carlo standard error of a rate of .05 is {_share(error, 4)}."
    yield ""
    yield "| test | " + " | ".join(METRICS) + " |"
    yield "| --- |" + " ---: |" * len(METRICS)
    for test in TESTED:
        yield f"| `{test}` | " + " | ".join(_share(results["rates"][test][name]) for name in METRICS) + " |"


def _again_line(results: Mapping[str, Any]) -> Iterator[str]:
    rates = ", ".join(f"`{test}` {_share(results['rates'][test][name])}" for test in TESTED[:2] for name in AGAIN)
    yield f"TER again, {results['replicates']:,} fresh replicates, seed {results['seed']}: {rates}."


def _speed_table(results: Mapping[str, Any]) -> Iterator[str]:
    cpu, memory = results["cpu"], results["memory"]
    yield "| 10,000 swaps × 10 pairs × BLEU, chrF, TER, 3,004 segments | CPU seconds | memory of the call |"
    yield "| --- | ---: | ---: |"
    for who in cpu:
        yield f"| {who} | {cpu[who]:.2f} | {memory[who]['call']:,.0f} MB |"
    yield f"| ratio | {cpu['sacrebleu'] / cpu['outscore']:.0f} × |"[:-1] + (
        f"| {memory['sacrebleu']['call'] / memory['outscore']['call']:.0f} × |"
    )


TABLES: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "level": _level_table,
    "again": _again_line,
    "speed": _speed_table,
    "commands": commands_table,
}


def _written(page: str, mark: str, lines: Iterator[str]) -> str:
    """The page with new lines between the markers, if it has them."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    if begin not in page:
        return page
    before, rest = page.split(begin)
    return f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{rest.split(end)[1]}"


def _keep(results: Mapping[str, Any]) -> None:
    kept: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    kept |= results
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        for mark, table in TABLES.items():
            page = _written(page, mark, table(kept[mark])) if mark in kept else page
        path.write_text(page, encoding="utf-8")


def main() -> int:
    """Measure, print, and keep what was measured in full."""
    parser = argparse.ArgumentParser(description="The level of text tests, and their cost.")
    parser.add_argument("--only", choices=tuple(TABLES))
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    options = parser.parse_args()
    results: dict[str, Any] = {}
    measures: dict[str, Callable[[int], dict[str, Any]]] = {
        "level": measure_levels,
        "again": measure_again,
        "speed": lambda _: speed(),
        "commands": lambda _: commands(),
    }
    for mark, measure in measures.items():
        if options.only in (None, mark):
            where = machine()
            results[mark] = {**measure(options.replicates), "machine": where}
            print("\n".join(TABLES[mark](results[mark])))
    if options.only in ("speed", "commands") or options.replicates == REPLICATES:
        _keep(results)
    ours = [rate for test in TESTED[:2] for rate in results.get("level", {}).get("rates", {}).get(test, {}).values()]
    wrong = options.replicates >= REPLICATES and not all(BOUNDS[0] <= rate <= BOUNDS[1] for rate in ours)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())

"""Tools of 2026 that answer the same questions, on the same data: their p, their interval and their time beside ours.

    pip install errorbars evalstats truescore statgate arenakit ranx
    python -m benchmarks.tools_of_2026

Each is called as its own documentation shows, with its defaults. All take turns in one process, round after round. A tool that
is not installed is left out, and it is said so. Writes `results/tools_of_2026.json` and the tables of
`docs/measured/neighbours.md`.

The data are simulated with a seed: right-or-wrong items, scores of two decimals, battles of models on prompts, and rankings of
documents. The exact p of the first two is counted here in whole numbers, apart from outscore.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import warnings
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.tables import markdown
from benchmarks.timing import interleave, machine

import outscore as osc

__all__ = ["TOOLS", "exact_p", "main", "text"]

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "benchmarks" / "results" / "tools_of_2026.json"
PAGE = ROOT / "docs" / "measured" / "neighbours.md"
BEGIN, END = "<!-- tools: begin -->", "<!-- tools: end -->"
SEED = 2026
ROUNDS = 5

Answer = tuple[float, float | None, float | None]
"""p, and the interval of the difference where there is one."""
Scores = np.ndarray


def right_or_wrong() -> tuple[Scores, Scores]:
    """500 items, which two systems get right together more often than by chance."""
    random = np.random.default_rng(SEED)
    hard = random.normal(0, 1, 500)
    a, b = (hard + random.normal(0, 1, 500) < limit for limit in (1.0, 0.6))
    return a.astype(float), b.astype(float)


def two_decimals() -> tuple[Scores, Scores]:
    """300 items with scores such as judges give."""
    random = np.random.default_rng(SEED)
    base = random.beta(4, 2, 300)
    a, b = (np.clip(base + random.normal(shift, 0.15, 300), 0, 1).round(2) for shift in (0.04, 0.0))
    return a, b


DATA = {"500 right or wrong": right_or_wrong, "300 scores of two decimals": two_decimals}


def exact_p(a: Scores, b: Scores) -> Fraction:
    """The two-sided p over all sign flips, as counts of sums in whole hundredths."""
    differences = [round(100 * (x - y)) for x, y in zip(a, b, strict=True)]
    sums: Counter[int] = Counter({0: 1})
    for d in (d for d in differences if d):
        moved: Counter[int] = Counter()
        for total, ways in sums.items():
            moved[total + d] += ways
            moved[total - d] += ways
        sums = moved
    observed = abs(sum(differences))
    return Fraction(sum(ways for total, ways in sums.items() if abs(total) >= observed), sum(sums.values()))


def _outscore(a: Scores, b: Scores) -> Answer:
    found = osc.compare(a, b)
    interval = found.interval
    assert interval is not None
    return float(found.p), interval.low, interval.high


def _p_alone(a: Scores, b: Scores) -> Answer:
    return float(osc.permutation_test(a, b)), None, None


def _errorbars(a: Scores, b: Scores) -> Answer:
    from errorbars.compare import paired_compare

    found = paired_compare(a, b)
    p = found.p_value if found.mcnemar is None else found.mcnemar.p_value
    return float(p), float(found.ci_low), float(found.ci_high)


def _evalstats(a: Scores, b: Scores) -> Answer:
    import evalstats
    import pandas as pd

    n = len(a)
    frame = pd.DataFrame({"model": ["A"] * n + ["B"] * n, "item": [*range(n)] * 2, "score": [*a, *b]})
    found = evalstats.compare(evalstats.load_from(frame), factors="model").pairwise.results["A", "B"]
    return float(found.p_value), float(found.ci_low), float(found.ci_high)


def _truescore(a: Scores, b: Scores) -> Answer:
    from truescore import mcnemar, paired_permutation

    test = mcnemar if set(np.unique([a, b])) <= {0.0, 1.0} else paired_permutation
    found = test(a, b)
    return float(found.p_value), float(found.low), float(found.high)


def _statgate(a: Scores, b: Scores) -> Answer:
    from statgate.core.bootstrap import bca_mean_interval
    from statgate.core.permutation import sign_flip_pvalue

    interval = bca_mean_interval(a - b, seed=SEED)
    return float(sign_flip_pvalue(a - b, seed=SEED)), float(interval.low), float(interval.high)


def _ranx(a: Scores, b: Scores) -> Answer:
    from ranx.statistical_tests import fisher_randomization_test

    return float(fisher_randomization_test(a, b)[0]), None, None


TOOLS: dict[str, tuple[str, Callable[[Scores, Scores], Answer], str]] = {
    "outscore": ("outscore", _outscore, "sign flips, exact; Tango's score or inverted flips"),
    "outscore, p alone": ("outscore", _p_alone, "`osc.permutation_test`"),
    "errorbars": ("errorbars", _errorbars, "McNemar, exact, or t; t"),
    "evalstats": ("evalstats", _evalstats, "McNemar, mid-p, or Wilcoxon; Bonett-Price or logit-t"),
    "truescore": ("truescore", _truescore, "McNemar, mid-p, or 10,000 sign flips; Wald or bootstrap"),
    "statgate": ("statgate", _statgate, "10,000 sign flips; BCa bootstrap"),
    "ranx": ("ranx", _ranx, "1,000 sign flips (Fisher); no interval"),
}
"""Tools that compare two lists of scores: the distribution, how it is asked, and what it does."""

Vote = tuple[str, str, str, str]


def battles() -> list[Vote]:
    """3,000 battles of 12 models on 200 prompts; every model is a little better than the next."""
    random = np.random.default_rng(SEED)
    strength = np.linspace(2, -2, 12)
    taste = random.normal(0, 0.4, (200, 12))
    votes = []
    for _ in range(3000):
        first, second = random.choice(12, 2, replace=False)
        prompt = int(random.integers(200))
        gap = strength[first] - strength[second] + taste[prompt, first] - taste[prompt, second]
        fair = random.random()
        winner = "tie" if random.random() < 0.15 else "model_a" if fair < 1 / (1 + math.exp(-gap)) else "model_b"
        votes.append((f"m{first:02}", f"m{second:02}", winner, f"p{prompt:03}"))
    return votes


Told = tuple[float | None, float | None, float | None, int]
"""Strength of the best model in log-odds, its interval, and how many of the 11 neighbours on the board are told apart."""


def _prefer(votes: list[Vote]) -> Told:
    import polars as pl

    found = osc.prefer(pl.DataFrame(votes, schema=["model_a", "model_b", "winner", "prompt_id"], orient="row"))
    best = found.strengths[0]
    order = [row.system for row in found.strengths]
    together = sum(any({*pair} <= {*group} for group in found.groups) for pair in pairwise(order))
    return best.log_odds, best.low, best.high, 11 - together


def _arenakit(votes: list[Vote]) -> Told:
    from arenakit import Arena, run_audit
    from arenakit.schema import battles_from_records

    records = [{"model_a": a, "model_b": b, "winner": w, "item_id": p} for a, b, w, p in votes]
    audit = run_audit(Arena(battles_from_records(records)))
    best = audit.leaderboard[0]
    apart = next(probe.detail for probe in audit.probes if probe.name == "separation")["n_resolved_simultaneous"]
    return best["score"], *best["score_ci"], apart


BATTLES: dict[str, Callable[[list[Vote]], Told]] = {"outscore": _prefer, "arenakit": _arenakit}
"""Tools that rank from votes."""


def measure() -> dict[str, Any]:
    """Ask every installed tool everything, in turns."""
    versions: dict[str, str | None] = {}
    for name in {*(package for package, _, _ in TOOLS.values()), *BATTLES}:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    answers: dict[str, Any] = {}
    for data, make in DATA.items():
        a, b = make()
        tasks = {name: _quiet(ask, a, b) for name, (package, ask, _) in TOOLS.items() if versions[package]}
        found = {name: task() for name, task in tasks.items()}
        times = interleave(tasks, rounds=ROUNDS)
        answers[data] = {name: {"answer": found[name], "seconds": times[name].fastest} for name in tasks}
        answers[data]["exact"] = float(exact_p(a, b))
    votes = battles()
    ranked = {name: _quiet(ask, votes) for name, ask in BATTLES.items() if versions[name]}
    told = {name: task() for name, task in ranked.items()}
    times = interleave(ranked, rounds=3)
    answers["battles"] = {name: {"answer": told[name], "seconds": times[name].fastest} for name in ranked}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": dict(sorted(versions.items())),
        "answers": answers,
    }


def _quiet(ask: Callable[..., Any], *given: object) -> Callable[[], Any]:
    def task() -> object:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            return ask(*given)

    return task


def text(results: dict[str, Any]) -> str:
    """The tables."""
    versions, answers = results["versions"], results["answers"]
    missing = sorted(name for name, version in versions.items() if version is None)
    parts = [
        f"Run on {results['date']}, Python {results['machine']['python']}, in turns in one process; times of the fastest run."
    ]
    if missing:
        parts[0] += f" Not installed: {', '.join(missing)}."
    for number, data in enumerate(DATA):
        # What the tools do is said once, in the first table.
        head, rows = ["tool", "test; interval, by default"] if number == 0 else ["tool"], []
        for name, (package, _, does) in TOOLS.items():
            if name in answers[data]:
                p, low, high = answers[data][name]["answer"]
                between = "–" if low is None else f"{low:.3f} to {high:.3f}"
                tool = [_named(name, versions[package]), does][: len(head)]
                rows.append([*tool, f"{p:.4f}", between, _time(answers[data][name]["seconds"])])
        columns = [*head, f"p (exact: {answers[data]['exact']:.4f})", "95% interval", "time"]
        parts.append(f"{data}:\n\n{markdown(columns, rows, left=len(head))}")
    rows = []
    for name, found in answers["battles"].items():
        best, low, high, apart = found["answer"]
        cells = [f"{best:.3f} ({low:.3f} to {high:.3f})", f"{apart} of 11", _time(found["seconds"])]
        rows.append([f"{name} {versions[name]}", *cells])
    head = ["tool", "strength of the best, log-odds", "neighbours told apart, corrected", "time"]
    parts.append(f"3,000 battles of 12 models on 200 prompts, no two equally good:\n\n{markdown(head, rows)}")
    return "\n\n".join(parts)


def _named(name: str, version: str) -> str:
    return f"{name} {version}" if "," not in name else name


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def main() -> None:
    """Ask, keep, and renew the page."""
    results = measure()
    RESULT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.split(BEGIN)[0] + f"{BEGIN}\n{text(results)}\n{END}" + page.split(END)[1], encoding="utf-8")
    print(text(results))


if __name__ == "__main__":
    main()

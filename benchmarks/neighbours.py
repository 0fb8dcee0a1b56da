"""The same three small questions to outscore and to the tools that people use, and what each of them prints.

    python -m benchmarks.neighbours

A tool that is not installed is left out, and its last answers are kept. Writes `results/neighbours.json` and the table of
`docs/measured/neighbours.md`.

The questions have answers that can be counted by hand. *Identical*: 100 items, no difference, p = 1. *Three*: three of 100
items differ, all in favour of A; of the eight ways three coins may fall two are as extreme, p = .25. *Tenths*: the differences
are .1, .2, -.3 and .4; ten of the sixteen sums of signs are at least .4 in size, six of them exactly, p = .625.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.tables import markdown
from benchmarks.timing import machine

import outscore as osc

__all__ = ["QUESTIONS", "TOOLS", "exact", "main", "text"]

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "benchmarks" / "results" / "neighbours.json"
PAGE = ROOT / "docs" / "measured" / "neighbours.md"
BEGIN, END = "<!-- neighbours: begin -->", "<!-- neighbours: end -->"

Answer = Callable[[list[float], list[float]], float]
QUESTIONS: dict[str, tuple[list[float], list[float]]] = {
    "identical": ([1.0] * 60 + [0.0] * 40, [1.0] * 60 + [0.0] * 40),
    "three": ([1.0] * 63 + [0.0] * 37, [1.0] * 60 + [0.0] * 40),
    "tenths": ([0.1, 0.2, 0.0, 0.4], [0.0, 0.0, 0.3, 0.0]),
}


def exact(a: list[float], b: list[float]) -> Fraction:
    """The two-sided p by counting all signs of the differences that are not 0."""
    d = [Fraction(str(x)) - Fraction(str(y)) for x, y in zip(a, b, strict=True) if x != y]
    zero = Fraction()
    sums = [sum((s * x for s, x in zip(signs, d, strict=True)), zero) for signs in itertools.product((1, -1), repeat=len(d))]
    return Fraction(sum(abs(total) >= abs(sum(d, zero)) for total in sums), len(sums))


def _scipy(a: list[float], b: list[float]) -> float:
    from scipy.stats import permutation_test

    def statistic(x: Any, y: Any, axis: int = -1) -> Any:  # noqa: ANN401 - arrays of scipy's making
        return np.mean(x - y, axis=axis)

    return float(permutation_test((a, b), statistic, permutation_type="samples", vectorized=True, rng=0).pvalue)


def _mcnemar(a: list[float], b: list[float]) -> float:
    from statsmodels.stats.contingency_tables import mcnemar

    table = np.zeros((2, 2), dtype=int)
    for x, y in zip(a, b, strict=True):
        table[int(x), int(y)] += 1
    return float(mcnemar(table, exact=True).pvalue)


def _deepsig(a: list[float], b: list[float]) -> float:
    from deepsig import permutation_test

    return float(permutation_test(a, b, num_samples=1000, seed=1))


def _mlxtend(a: list[float], b: list[float]) -> float:
    from mlxtend.evaluate import permutation_test

    method = "exact" if len(a) < 20 else "approximate"
    return float(permutation_test(a, b, paired=True, method=method, num_rounds=9999, seed=0))


def _sacrebleu(kind: str) -> Answer:
    """Segments of ten words; where an item is wrong, four of them are others."""

    def ask(a: list[float], b: list[float]) -> float:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.significance import PairedTest

        reference = [" ".join(f"w{i}x{k}" for k in range(10)) for i in range(len(a))]
        wrong = [line.rsplit(" ", 4)[0] + " p q r s" for line in reference]
        systems: list[tuple[str, Sequence[str]]] = [
            (name, [reference[i] if x else wrong[i] for i, x in enumerate(scores)]) for name, scores in (("B", b), ("A", a))
        ]
        metric = BLEU(references=[reference])
        results: Any
        with contextlib.redirect_stderr(io.StringIO()):
            _, results = PairedTest(systems, {"BLEU": metric}, references=None, test_type=kind, n_samples=0)()
        return float(results["BLEU"][1].p_value)

    return ask


TOOLS: dict[str, tuple[str, Answer, tuple[str, ...]]] = {
    "outscore": ("outscore", lambda a, b: float(osc.permutation_test(a, b)), tuple(QUESTIONS)),
    "scipy.stats.permutation_test": ("scipy", _scipy, tuple(QUESTIONS)),
    "statsmodels mcnemar, exact": ("statsmodels", _mcnemar, ("identical", "three")),
    "mlxtend permutation_test, paired": ("mlxtend", _mlxtend, tuple(QUESTIONS)),
    "deepsig permutation_test (one-sided)": ("deepsig", _deepsig, tuple(QUESTIONS)),
    "sacreBLEU --paired-ar": ("sacrebleu", _sacrebleu("ar"), ("identical", "three")),
    "sacreBLEU --paired-bs": ("sacrebleu", _sacrebleu("bs"), ("identical", "three")),
}
"""By what a table calls them: the distribution, how it is asked, and the questions it takes."""


def measure() -> dict[str, Any]:
    """What every installed tool answers."""
    answers = {}
    for name, (package, ask, takes) in TOOLS.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        with np.errstate(all="ignore"):
            answers[name] = {"version": version, "p": {question: ask(*QUESTIONS[question]) for question in takes}}
    return {"date": datetime.now(UTC).date().isoformat(), "machine": machine(), "answers": answers}


def text(results: dict[str, Any]) -> str:
    """The table."""
    head = ["tool", "version", *(f"{name}: {float(exact(*question)):g}" for name, question in QUESTIONS.items())]
    rows = []
    for name, answer in results["answers"].items():
        cells = [f"{answer['p'][question]:.4g}" if question in answer["p"] else "–" for question in QUESTIONS]
        rows.append([name, answer["version"], *cells])
    return f"Run on {results['date']}.\n\n" + markdown(head, rows)


def main() -> None:
    """Ask, keep, and renew the page."""
    results = measure()
    if RESULT.exists():
        old = json.loads(RESULT.read_text(encoding="utf-8"))["answers"]
        results["answers"] = {
            name: results["answers"].get(name) or old[name] for name in TOOLS if name in {*results["answers"], *old}
        }
    RESULT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{text(results)}\n{END}{after}", encoding="utf-8")
    print(text(results))


if __name__ == "__main__":
    main()

"""Run all benchmarks: `python -m benchmarks.run`, or `--quick` for a smoke run of small sizes.

Writes JSON and charts to `results/` and renews the tables in the README; a smoke run writes to `results/quick/` and leaves the
README alone, because its sizes are not those that are promised.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import battles, curves, figure5, figures, logs, outputs, page, pos_table, promises, ranking, runtime
from benchmarks.timing import machine

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Measure the kernels against their peers.")
    parser.add_argument("--quick", action="store_true", help="small sizes, some two minutes; promises are not measured")
    parser.add_argument("--only", choices=list(BENCHMARKS), action="append", help="run this one (repeatable)")
    parser.add_argument("--redraw", action="store_true", help="measure nothing: redraw charts and README from the kept results")
    options = parser.parse_args(arguments)
    folder = RESULTS / "quick" if options.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.only or BENCHMARKS:
        if not options.redraw:
            _keep(folder / f"{name}.json", {"machine": machine(), **BENCHMARKS[name](options.quick)})
        results = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        print(f"\n{SECTIONS[name][0]}\n\n{SECTIONS[name][1](results)}", flush=True)
        if name in CHARTS:
            print("\nCharts: " + ", ".join(CHARTS[name](results, folder)), flush=True)
    if not options.quick:
        _renew_readme()


BENCHMARKS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "promises": lambda quick: promises.measure(quick=quick),
    "outputs": lambda quick: outputs.measure(quick=quick),
    "logs": lambda quick: logs.measure(quick=quick),
    "ranking": lambda quick: ranking.measure(quick=quick),
    "battles": lambda quick: battles.measure(quick=quick),
    "page": lambda quick: page.measure(quick=quick),
    "runtime": lambda quick: runtime.measure(runtime.QUICK if quick else runtime.Design()),
    "curves": lambda quick: curves.measure(curves.QUICK if quick else curves.Design()),
    "pos_table": lambda quick: pos_table.measure(pos_table.QUICK if quick else pos_table.Design()),
    "figure5": lambda quick: figure5.measure(figure5.QUICK if quick else figure5.Design()),
}
SECTIONS: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "promises": ("### Promises", promises.text),
    "outputs": ("### Outputs", outputs.text),
    "logs": ("### Logs", logs.text),
    "ranking": ("### Ranking", ranking.text),
    "battles": ("### Battles", battles.text),
    "page": ("### The page", page.text),
    "runtime": ("### Run time", runtime.text),
    "curves": ("### Cost curves", curves.text),
    "pos_table": (
        "### The published table, re-made",
        lambda results: pos_table.text(results) + "\n\n" + pos_table.error_text(results),
    ),
    "figure5": ("### p against the sample size", figure5.text),
}
CHARTS: dict[str, Callable[[dict[str, Any], Path], list[str]]] = {
    "runtime": figures.draw_runtime,
    "pos_table": figures.draw_errors,
    "figure5": figures.draw_sizes,
}
PICTURES = {
    "runtime": "![Time against the number of sentences](results/runtime.svg)",
    "pos_table": "![Relative error of Monte Carlo](results/monte_carlo_error.svg)",
    "figure5": "![p against the sample size, four panels](results/figure5.svg)",
}


def _keep(path: Path, results: dict[str, Any]) -> None:
    """JSON with six significant digits: more would only be noise, and the files stay small."""
    path.write_text(json.dumps(_rounded(results), indent=1) + "\n", encoding="utf-8")


def _rounded(x: Any) -> Any:  # noqa: ANN401
    if isinstance(x, dict):
        return {key: _rounded(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_rounded(value) for value in x]
    return float(f"{x:.6g}") if isinstance(x, float) else x


def _renew_readme() -> None:
    """Put the kept results between the markers, so that the page says what was measured last."""
    parts = []
    for name, (title, text) in SECTIONS.items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            results = json.loads(path.read_text(encoding="utf-8"))
            parts += [title, _conditions(results["machine"]), text(results), *([PICTURES[name]] if name in PICTURES else [])]
    readme = HERE / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(before + BEGIN + "\n" + "\n\n".join(parts) + "\n" + END + after, encoding="utf-8")


def _conditions(facts: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {facts[name.lower()]}" for name in ("Python", "numpy", "scipy", "outscore"))
    place = f"{facts['cores']} cores ({facts['architecture']}, {facts['system']})"
    threads = f"BLAS threads: {facts.get('blas_threads', 'default')}"
    return f"{place}, {versions}, {threads}; load average when it began: {facts['load_at_start']}."


if __name__ == "__main__":
    main()

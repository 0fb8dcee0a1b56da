"""Draw the pictures of docs/ideas from numbers that outscore computes.

    python docs/pictures.py            redraws them
    python docs/pictures.py --check    fails where one of them is out of date; `make site` does

They are plain SVG, written here, so that the same numbers give the same bytes on every machine.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np
from build import write_typed_files

import outscore as osc
from outscore.examples.entry import random_stream
from outscore.examples.registry import EXAMPLES

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "ideas"
BLUE, ORANGE, GREY, BLACK = "#0072b2", "#d55e00", "#999999", "#333333"
WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 28, 48


class Chart:
    """Two axes, linear or logarithmic, and what is drawn between them.

    Parameters
    ----------
    title
        What the picture shows, for those who cannot see it.
    x, y
        First and last value of each axis, and whether it is logarithmic.
    labels
        What the axes are called.
    letters
        Their size: larger ones can be read on a phone, too.
    """

    def __init__(
        self,
        title: str,
        x: tuple[float, float],
        y: tuple[float, float],
        labels: tuple[str, str],
        *,
        log_y: bool = False,
        letters: int = 13,
    ) -> None:
        self.title, self.x, self.y, self.log_y, self.letters = title, x, y, log_y, letters
        self.parts: list[str] = []
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, labels[0], anchor="middle")
        self.text(LEFT - 52, TOP - 12, labels[1])

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point stands."""
        low, high, value = (*self.y, y) if not self.log_y else (*(math.log10(v) for v in self.y), math.log10(y))
        across = LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
        return across, HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", colour: str = BLACK) -> None:
        """Words at a place of the picture."""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>')

    def axes(self, x: dict[float, str], y: dict[float, str]) -> None:
        """Ticks with their words."""
        for value, word in x.items():
            across, down = self.at(value, self.y[0])
            self.text(across, down + 18, word, anchor="middle")
        for value, word in y.items():
            across, down = self.at(self.x[0], value)
            self.line([(self.x[0], value), (self.x[1], value)], "#dddddd", width=1)
            self.text(across - 6, down + 4, word, anchor="end")

    def line(self, points: Iterable[tuple[float, float]], colour: str, *, width: float = 2, dashed: bool = False) -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in points))
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dash}/>')

    def points(self, points: Iterable[tuple[float, float]], colour: str, *, radius: float = 3.5) -> None:
        """Dots."""
        for x, y in (self.at(*point) for point in points):
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"/>')

    def bar(self, x: float, width: float, height: float, colour: str) -> None:
        """A bar from the bottom, its middle at x."""
        (left, top), (right, down) = self.at(x - width / 2, height), self.at(x + width / 2, self.y[0])
        self.parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{down - top:.1f}" fill="{colour}"/>'
        )

    def svg(self) -> str:
        """The picture."""
        style = f'font-family="sans-serif" font-size="{self.letters}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style} role="img">'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", *self.parts, "</svg>"]) + "\n"


def null_law() -> Chart:
    """What p means: the distribution of the difference when fair coins decide whose answer is whose."""
    wins, losses = 24, 10
    signs = [1] * wins + [-1] * losses
    law = osc.null_distribution(signs)
    chances = dict(zip(law.support.tolist(), law.pmf.tolist(), strict=True))
    observed = wins - losses
    top = 0.15
    chart = Chart(
        "The distribution of the difference under the null hypothesis, with both tails beyond the observed difference marked",
        (-26, 26),
        (0, top),
        ("wins of A minus wins of B, among 34 items that differ", "probability"),
    )
    chart.axes({s: f"{s:+}" if s else "0" for s in range(-24, 25, 8)}, {0.05: ".05", 0.10: ".10", 0.15: ".15"})
    for s, chance in chances.items():
        if abs(s) <= 26:
            chart.bar(s, 1.5, chance, ORANGE if abs(s) >= observed else BLUE)
    p = osc.permutation_test(signs, [0] * len(signs))
    assert math.isclose(float(p), sum(chance for s, chance in chances.items() if abs(s) >= observed), rel_tol=1e-9)
    x, y = chart.at(observed, 0.03)
    chart.text(x - 16, y, f"+{observed} observed, p = {float(p):.3f}".replace("0.", "."), colour=ORANGE)
    return chart


def ties() -> Chart:
    """Ties: what is printed when n outputs differ, all in favour of A, if ties count and if they do not."""
    counts = range(1, 17)
    exact = [(n, float(osc.permutation_test([1] * n + [0] * 50, [0] * (n + 50)))) for n in counts]
    rng = random_stream("picture ties", 0)
    draws = 9999
    strict = []
    for n in counts:
        flips = 2 * rng.binomial(n, 0.5, draws) - n
        strict.append((n, (1 + int(np.sum(np.abs(flips) > n))) / (1 + draws)))
    chart = Chart(
        "p for n differing outputs that all favour one system, with ties and without",
        (0, 17),
        (1e-5, 1.5),
        ("outputs that differ, all in favour of A", "p, logarithmic"),
        log_y=True,
    )
    chart.axes({n: str(n) for n in range(2, 17, 2)}, {1: "1", 0.1: ".1", 0.01: ".01", 0.001: ".001", 0.0001: ".0001"})
    chart.line([(0, 0.05), (17, 0.05)], GREY, dashed=True)
    chart.line(exact, BLUE)
    chart.points(exact, BLUE)
    chart.line(strict, ORANGE)
    chart.points(strict, ORANGE)
    chart.text(*_beside(chart, exact[4]), "ties count: 2 / 2ⁿ", colour=BLUE)
    chart.text(*_beside(chart, strict[0], down=-10), "ties left out: the least the sampler can print", colour=ORANGE)
    return chart


def clusters() -> Chart:
    """Clusters: how often two equal systems are told apart, by turns and by conversations."""
    sizes, replicates, conversations = (1, 2, 4, 8, 16), 300, 24
    rates: dict[str, list[tuple[float, float]]] = {"turns": [], "conversations": []}
    for size in sizes:
        rng = random_stream(f"picture clusters {size}", 0)
        rejected = dict.fromkeys(rates, 0)
        for _ in range(replicates):
            taste = np.repeat(rng.normal(0, 0.15, conversations), size)
            label = np.repeat(np.arange(conversations), size)
            a, b = (rng.random(taste.size) < 0.6 + sign * taste for sign in (1, -1))
            for name, groups in (("turns", None), ("conversations", label)):
                rejected[name] += bool(osc.permutation_test(a.astype(int), b.astype(int), clusters=groups) <= 0.05)
        for name, count in rejected.items():
            rates[name].append((math.log2(size), count / replicates))
    chart = Chart(
        "How often two equal systems are told apart at the 5 % level, by the number of turns in a conversation",
        (-0.3, 4.3),
        (0, 0.5),
        ("turns in each of 24 conversations", "equal systems told apart"),
    )
    chart.axes(
        {math.log2(size): str(size) for size in sizes}, {v: f".{v * 100:02.0f}" for v in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)}
    )
    for name, colour in (("turns", ORANGE), ("conversations", BLUE)):
        chart.line(rates[name], colour)
        chart.points(rates[name], colour)
        x, y = chart.at(*rates[name][-1])
        chart.text(x - 12, y - 10, f"{name} swapped", anchor="end", colour=colour)
    return chart


def populations() -> Chart:
    """These items or items like these: three claims about the same runs, each with its interval."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name, text in EXAMPLES["repeats"].files(0).items():
            Path(folder, name).write_text(text, encoding="utf-8")
        path = Path(folder, "runs.csv")
        questions = {
            "new questions, these seeds": "items",
            "new questions, new seeds": "items-and-runs",
            "these questions, new seeds": "these-items",
        }
        results = {words: osc.compare(path, population=population) for words, population in questions.items()}
    chart = Chart(
        "One data set, three questions", (-0.6, 0.25), (0.4, 3.6), ("difference in accuracy, with its 95 % interval", "")
    )
    chart.axes({v / 10: f"{v / 10:+.1f}" if v else "0" for v in range(-2, 3)}, {})
    chart.line([(0, 0.4), (0, 3.6)], GREY, dashed=True)
    for row, (words, result) in enumerate(results.items()):
        interval, y = result.interval, 3 - row
        assert interval is not None
        assert interval.low is not None
        assert interval.high is not None
        colour = ORANGE if result.p <= 0.05 else BLUE
        chart.line([(interval.low, y), (interval.high, y)], colour, width=3)
        chart.points([(result.difference, y)], colour, radius=5)
        x, down = chart.at(-0.6, y)
        chart.text(x - 50, down - 2, words)
        chart.text(x - 50, down + 14, f"p = {result.p.value:.3f}".replace("0.", "."), colour=colour)
    return chart


def bleu() -> Chart:
    """Why the bootstrap of BLEU errs: how often each rule rejects a true null hypothesis, as measured."""
    rates = json.loads((ROOT / "benchmarks" / "results" / "text.json").read_text(encoding="utf-8"))["level"]["rates"]
    colours = {"permutation": BLUE, "bootstrap": "#56b4e9", "sacrebleu-bs": ORANGE}
    metrics = list(rates["permutation"])
    chart = Chart(
        "How often each rule rejects a true null hypothesis at the 5 % level, by metric",
        (-0.6, len(metrics) - 0.4),
        (0, 0.15),
        ("metric", "true null hypotheses rejected"),
    )
    chart.axes(dict(enumerate(metrics)), {0.05: ".05", 0.1: ".10", 0.15: ".15"})
    for k, (rule, colour) in enumerate(colours.items()):
        for i, metric in enumerate(metrics):
            chart.bar(i + 0.25 * (k - 1), 0.22, rates[rule][metric], colour)
        chart.text(LEFT + 12 + 170 * k, TOP + 6, {"bootstrap": "centred bootstrap"}.get(rule, rule), colour=colour)
    chart.line([(-0.6, 0.05), (len(metrics) - 0.4, 0.05)], BLACK, width=1, dashed=True)
    return chart


def observed_power() -> Chart:
    """Power without self-deception: power at the observed difference is another scale for p."""
    n, sd, effect = 200, 0.5, 0.08
    rng = random_stream("picture power", 0)
    studies = []
    for _ in range(120):
        differences = rng.normal(effect, sd, n)
        p = float(osc.permutation_test(differences, np.zeros(n)))
        mean, spread = abs(float(differences.mean())), float(differences.std(ddof=1))
        studies.append((math.log10(max(p, 1e-6)), osc.power(n, mean, sd=spread)))
    true = osc.power(n, effect, sd=sd)
    chart = Chart(
        "Power at the observed difference against p, in studies whose true power is the same",
        (-6.2, 0.1),
        (0, 1),
        ("p of the study", "power at the observed difference"),
    )
    chart.axes(
        {-k: f"1e-{k}" if k else "1" for k in range(7)}, {v: f"{v:.2g}".lstrip("0") or "0" for v in (0.25, 0.5, 0.75, 1.0)}
    )
    chart.line([(-6.2, true), (0.1, true)], BLUE, dashed=True)
    chart.text(*_beside(chart, (-6.1, true), down=16), f"true power of every study, {true:.2f}".replace("0.", "."), colour=BLUE)
    chart.points(studies, ORANGE, radius=2.5)
    chart.line([(math.log10(0.05), 0), (math.log10(0.05), 1)], GREY, dashed=True)
    return chart


def _beside(chart: Chart, point: tuple[float, float], down: float = 0) -> tuple[float, float]:
    x, y = chart.at(*point)
    return x + 10, y + down


def verdict() -> Chart:
    """The comparison of the front page: both scores, and their difference, with their intervals."""
    with tempfile.TemporaryDirectory() as folder:
        write_typed_files((ROOT / "README.md").read_text(encoding="utf-8"), Path(folder))
        found = osc.compare(Path(folder, "o3-mini-high.txt"), Path(folder, "DeepSeek-R1.txt"))
    first, second = found.scores
    chart = Chart(f"{found.verdict}", (-0.1, 1.04), (0.0, 4.0), ("share of right answers", ""), letters=17)
    chart.axes({tick / 10: f"{tick * 10}%" for tick in range(0, 11, 2)}, {})
    chart.line([(0.0, 0.0), (0.0, 3.6)], GREY, dashed=True)
    interval = found.interval
    assert interval is not None
    rows = [
        (3.0, first.system, first.value, first.low, first.high, BLUE),
        (2.0, second.system, second.value, second.low, second.high, ORANGE),
        (1.0, "difference", found.difference, interval.low, interval.high, BLACK),
    ]
    for height, name, value, low, high, colour in rows:
        assert low is not None
        assert high is not None
        chart.line([(low, height), (high, height)], colour, width=4)
        chart.points([(value, height)], colour, radius=6)
        across, down = chart.at(low, height)
        between = f"({100 * low:.0f} to {100 * high:.0f})"
        if name == "difference":
            across, down = chart.at(high, height)
            chart.text(across + 10, down + 5, f"{name} {100 * value:+.0f} points {between}", colour=colour)
        else:
            chart.text(across - 10, down + 5, f"{name} {100 * value:.0f}% {between}", anchor="end", colour=colour)
    across, down = chart.at(-0.09, 3.9)
    chart.text(across, down, found.verdict.partition(":")[0] + f", p = {found.p.value:.2g}".replace("0.", "."))
    return chart


def gates() -> Chart:
    """The three answers of a gate: where the interval of the difference lies beside the margin and beside 0."""
    margin, rng = 0.02, random_stream("picture gates", 0)
    chart = Chart(
        "Three gates: an interval above the margin passes, one below 0 fails, one on both sides of them is inconclusive",
        (-0.12, 0.045),
        (0.0, 4.0),
        ("candidate minus baseline, with its interval", ""),
    )
    chart.axes({tick / 100: f"{tick / 100:+.2f}" if tick else "0" for tick in range(-8, 5, 2)}, {})
    for place, colour in ((0.0, GREY), (-margin, ORANGE)):
        chart.line([(place, 0.0), (place, 3.5)], colour, dashed=True)
    chart.text(*chart.at(-margin, 3.6), "margin", anchor="middle", colour=ORANGE)
    for height, items, broken in ((3.0, 4_000, 0.0), (2.0, 3_000, 0.1), (1.0, 300, 0.0)):
        baseline = (rng.random(items) < 0.5).astype(int)
        candidate = np.where(rng.random(items) < 0.03, 1 - baseline, baseline)
        candidate = np.where(rng.random(items) < broken, 0, candidate)
        found = osc.gate(baseline, candidate, margin=margin)
        assert found.interval is not None
        assert found.interval.low is not None
        assert found.interval.high is not None
        colour = {"pass": BLUE, "fail": ORANGE, "inconclusive": BLACK}[found.outcome]
        chart.line([(found.interval.low, height), (found.interval.high, height)], colour, width=4)
        chart.points([(found.comparison.difference, height)], colour, radius=6)
        across, down = chart.at(-0.119, height)
        chart.text(across, down + 5, f"{found.outcome}, {items:,} items", colour=colour)
    return chart


def ranking() -> Chart:
    """A ranking: scores with their intervals, and the letters that systems share which no test tells apart."""
    rng = random_stream("picture ranking", 0)
    chances = {"atlas": 0.82, "birch": 0.80, "cedar": 0.74, "delta": 0.72, "ember": 0.55}
    hard = rng.normal(0, 0.15, 300)
    found = osc.rank({name: (rng.random(300) < chance + hard).astype(int) for name, chance in chances.items()})
    letters = dict.fromkeys(found.systems, "")
    for letter, members in zip("abcde", found.groups, strict=False):
        for name in members:
            letters[name] += letter
    chart = Chart(
        "Five ranked systems: those that share a letter cannot be told apart, however their scores are ordered",
        (0.28, 1.0),
        (0.0, 6.0),
        ("score, with the interval of each system by itself", ""),
    )
    chart.axes({tick / 10: f".{tick}" for tick in range(5, 10)}, {})
    for height, one in zip(range(5, 0, -1), found.scores, strict=True):
        assert one.low is not None
        assert one.high is not None
        chart.line([(one.low, height), (one.high, height)], BLUE, width=4)
        chart.points([(one.value, height)], BLUE, radius=6)
        across, down = chart.at(0.285, height)
        ranks = f"rank {one.rank_low}" if one.rank_low == one.rank_high else f"ranks {one.rank_low} to {one.rank_high}"
        chart.text(across, down + 5, f"{one.system}, {ranks}")
        across, down = chart.at(0.96, height)
        chart.text(across, down + 5, letters[one.system], colour=ORANGE)
    chart.text(*chart.at(0.93, 5.6), "groups", colour=ORANGE)
    return chart


PICTURES: dict[str, Callable[[], Chart]] = {
    "p": null_law,
    "ties": ties,
    "clusters": clusters,
    "population": populations,
    "bleu": bleu,
    "power": observed_power,
    "verdict": verdict,
    "gates": gates,
    "ranking": ranking,
}
"""Pictures by the page they appear on; the last three are on the front page and in "Reading a report"."""


def main(arguments: Sequence[str]) -> int:
    """Draw, or check."""
    stale = 0
    named = [word for word in arguments if not word.startswith("-")]
    for name in named or PICTURES:
        path, new = FOLDER / f"{name}.svg", PICTURES[name]().svg()
        if path.exists() and path.read_text(encoding="utf-8") == new:
            continue
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)}: out of date, run `make docs`")
            stale = 1
        else:
            path.write_text(new, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: drawn")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the page of `outscore serve` costs people: until it is there, and from a file to the report of its comparison.

The server is a process of its own, as people start it, and is asked over HTTP. A file's time runs from the upload to the last
byte of the report that the page shows; workers are warm, as they are a few seconds after the start. Processor time of server
and workers is shown beside it, because other programs slow the clock more than the processor.

What people see is measured in Chromium, where there is one with playwright: until something useful is on the page, until
the verdict, and until the report; a heat map runs from the answer of the server, which takes as long as the tests do. In the
explorer of a diff each filter is chosen in turn, by its first value, from the choice until counts and examples are
renewed.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

# A promise is judged and printed the same way wherever it is made.
from benchmarks.promises import MET, Measured, Promise, _judged, _limit, _measured
from benchmarks.tables import duration, markdown

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

__all__ = ["FULL", "QUICK", "Sizes", "measure", "text"]

SEED = 20_249
BOUNDARY = "outscore-benchmark"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PATIENCE = 600_000
TREES = ("ash", "beech", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine")
# When something that was waited for was first there, in milliseconds since the page was asked for.
WATCH = """(marks) => {
  window.seen = {};
  const look = () => {
    for (const [name, part] of Object.entries(marks)) {
      if (!(name in window.seen) && document.querySelector(part)) window.seen[name] = performance.now();
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  const ask = window.fetch;
  window.fetch = async (...what) => {
    const answer = await ask(...what);
    const done = (job) => { if (job.state === "done") window.seen.answer ??= performance.now(); };
    if (/api\\/jobs/.test(what[0])) answer.clone().json().then(done);
    return answer;
  };
}"""
# Milliseconds of every filter of the explorer, each by itself.
FILTER = """() => {
  const took = {}, clock = (name, choose) => {
    const began = performance.now();
    choose();
    document.body.getBoundingClientRect();
    took[name] = performance.now() - began;
  };
  const boxes = () => [...document.querySelectorAll("#examples [data-facet]")];
  const change = (box, value) => { box.value = value; box.dispatchEvent(new Event("change", { bubbles: true })); };
  for (let i = 0; i < boxes().length; i++) {
    const box = boxes()[i].querySelector("select"), often = [...box.options].find((option) => option.value && !option.hidden);
    if (often) clock(boxes()[i].dataset.facet, () => change(box, often.value));
    change(boxes()[i].querySelector("select"), "");
  }
  return took;
}"""
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "PRON", "DET", "ADP")


@dataclass(frozen=True)
class Sizes:
    """Pairs of a small and of a large file, and how often each is asked."""

    small: int = 2_000
    large: int = 1_000_000
    rounds: int = 3
    systems: int = 93
    items: int = 1_136
    words: int = 100_000


FULL = Sizes()
QUICK = Sizes(200, 20_000, 1, 12, 100, 2_000)


def _decimals(rng: np.random.Generator, n: int) -> list[str]:
    """Scores between 0 and 1 with six decimals."""
    scores = (0.6 + rng.normal(0, 0.15, (n, 1)) + rng.normal([0.001, 0.0], 0.1, (n, 2))).clip(0, 1)
    return [f"{a:.6f} {b:.6f}" for a, b in scores.tolist()]


def _reals(rng: np.random.Generator, n: int) -> list[str]:
    """Scores with all their digits."""
    return [f"{a} {b}" for a, b in rng.normal([0.01, 0.0], 1.0, (n, 2)).tolist()]


def _right_or_wrong(rng: np.random.Generator, n: int) -> list[str]:
    right = rng.random((n, 2)) < rng.random((n, 1)) + np.array([0.001, 0.0])
    return [f"{a} {b}" for a, b in right.astype(int).tolist()]


def _counts(rng: np.random.Generator, n: int) -> list[str]:
    """Numbers of tokens."""
    return [f"{a} {b}" for a, b in (rng.poisson(200, (n, 2)) + rng.geometric(0.02, (n, 2))).tolist()]


KINDS: dict[str, Callable[[np.random.Generator, int], list[str]]] = {
    "scores with six decimals": _decimals,
    "scores with all digits": _reals,
    "right or wrong": _right_or_wrong,
    "counts of tokens": _counts,
}


class _Page:
    """A page that was started, and what can be asked of it."""

    def __init__(self, process: subprocess.Popen[str], place: str, token: str) -> None:
        self.pid, self.token, self.place = process.pid, token, place

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        connection = http.client.HTTPConnection(self.place, timeout=600)
        known = {"authorization": f"Bearer {self.token}"}
        connection.request(method, path, body or None, known | ({"content-type": kind} if body else {}))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:200]!r}")
        return content

    def upload(self, content: bytes, name: str = "scores.txt") -> str:
        """Upload a file and return its id."""
        head = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        form = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        sent = json.loads(self.ask("POST", "/api/files", form, f"multipart/form-data; boundary={BOUNDARY}"))
        return str(sent["files"][0]["id"])

    def report(self, content: bytes) -> bytes:
        """Upload a file, compare the two systems in it, and fetch the report that the page shows."""
        request = {"command": "compare", "files": {"files": [self.upload(content)]}, "settings": {}}
        job = json.loads(self.ask("POST", "/api/jobs", json.dumps(request).encode()))
        while job["state"] in ("waiting", "running"):
            job = json.loads(self.ask("GET", f"/api/jobs/{job['id']}?wait=10"))
        if job["state"] != "done":
            raise RuntimeError(str(job["error"]))
        return self.ask("GET", f"/api/results/{job['result']}/download.html")

    def processor(self) -> float | None:
        """Seconds that the server and its workers have used; None on a system that does not tell."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        if not children.exists():
            return None
        processes = [str(self.pid), *children.read_text(encoding="ascii").split()]
        ticks = [Path(f"/proc/{p}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13] for p in processes]
        return sum(int(x) for pair in ticks for x in pair) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _served() -> Iterator[tuple[_Page, float]]:
    """A page and the seconds from the command to its first answer."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "outscore", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            place, _, token = line.split("//")[1].split()[0].partition("/?token=")
            page = _Page(process, place, token)
            page.ask("GET", "/")
            yield page, time.perf_counter() - began
        finally:
            process.terminate()
            process.stdout.read()


def _timed(page: _Page, content: bytes, rounds: int) -> dict[str, Any]:
    seconds, used = [], []
    for _ in range(rounds):
        before, began = page.processor(), time.perf_counter()
        page.report(content)
        seconds.append(time.perf_counter() - began)
        after = page.processor()
        used.append(None if before is None or after is None else after - before)
    known = [x for x in used if x is not None]
    return {
        "megabytes": len(content) / 1e6,
        "seconds": statistics.median(seconds),
        "processor": statistics.median(known) if known else None,
        "runs": rounds,
    }


@contextmanager
def _tab(page: _Page) -> Iterator[Tab | None]:
    """A tab of a browser that knows the page; None where there is no browser."""
    executable = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        executable = None
    if executable is None:
        yield None
        return
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.set_default_timeout(PATIENCE)
        tab.goto(f"http://{page.place}/?token={page.token}")
        yield tab
        browser.close()


def _watched(tab: Tab, address: str, **marks: str) -> dict[str, float]:
    """Seconds from asking for an address until each part was first there, its first paint, and the answer of its job."""
    tab.add_init_script(f"({WATCH})({json.dumps(marks)})")
    tab.goto(address)
    for part in marks.values():
        tab.wait_for_selector(f"{part}, #work .problem", state="attached")
    if tab.locator("#work .problem").count():
        raise RuntimeError(tab.locator("#work .problem").inner_text())
    seen: dict[str, float] = tab.evaluate("() => window.seen")
    paint = tab.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
    return {name: at / 1000 for name, at in ({"paint": paint} | seen).items() if at is not None}


def _board(rng: np.random.Generator, systems: int, items: int) -> bytes:
    """Systems as columns, right or wrong."""
    right = rng.random((items, systems)) < rng.random((items, 1)) * 0.6 + np.linspace(0.35, 0.1, systems)
    names = itertools.islice(("-".join(pair) for pair in itertools.product(TREES, TREES)), systems)
    head = ",".join(["item", *names])
    rows = (",".join([f"q{i}", *map(str, row)]) for i, row in enumerate(right.astype(int).tolist()))
    return "\n".join([head, *rows]).encode()


def _trees(rng: np.random.Generator, words: int) -> tuple[bytes, bytes, bytes]:
    """Gold and two parsers, each wrong on a tenth of the words: sentences of twenty words in documents of fifty sentences."""
    gold, head = rng.integers(len(TAGS), size=words), np.maximum(np.arange(words) % 20 - rng.integers(0, 4, words), 0)
    answers = []
    for share in (0.0, 0.1, 0.09):
        wrong = rng.random(words) < share
        tags, heads = np.where(wrong, (gold + 1) % len(TAGS), gold), np.where(wrong & (head > 1), head - 1, head)
        lines = []
        for i, (tag, over) in enumerate(zip(tags.tolist(), heads.tolist(), strict=True)):
            place = i % 20
            if not place:
                lines += ["", *([f"# newdoc id = d{i // 1000}"] if not i % 1000 else []), f"# sent_id = s{i // 20}"]
            above, relation = (over or 1, TAGS[tag].lower()) if place else (0, "root")
            lines.append(f"{place + 1}\t{TREES[i % 7]}{i % 900}\t_\t{TAGS[tag]}\t_\t_\t{above}\t{relation}\t_\t_")
        answers.append("\n".join([*lines[1:], "", ""]).encode())
    return answers[0], answers[1], answers[2]


def _filtered(page: _Page, tab: Tab, words: int) -> dict[str, float]:
    """Seconds of every filter of the explorer."""
    gold, *outputs = (
        page.upload(text, f"{name}.conllu")
        for name, text in zip(("gold", "old", "new"), _trees(np.random.default_rng(SEED), words), strict=True)
    )
    _watched(tab, f"http://{page.place}/diff?gold={gold}&files={','.join(outputs)}&task=dep", matrix=".matrix .cell")
    tab.wait_for_selector("#list > li")
    took: dict[str, float] = tab.evaluate(FILTER)
    return {name: ms / 1000 for name, ms in took.items()}


def _seen(page: _Page, sizes: Sizes, small: bytes) -> list[Promise]:
    """What people see, in a browser that has opened the page before."""
    with _tab(page) as tab:
        if tab is None:
            return []
        base = f"http://{page.place}"
        starts = [_watched(tab, base, zone="#zone", examples=".offer") for _ in range(sizes.rounds + 1)][1:]
        compared = [
            _watched(
                tab, f"{base}/compare?files={page.upload(small)}", verdict="#answer .verdict", report="#shown-report .paste"
            )
            for _ in range(sizes.rounds + 1)
        ][1:]
        ranked = [
            _watched(tab, f"{base}/rank?files={page.upload(board, 'board.csv')}", verdict="#result .verdict", heat="svg.heat")
            for board in (_board(np.random.default_rng([SEED, 9, i]), sizes.systems, sizes.items) for i in range(sizes.rounds))
        ]
        filters = [_filtered(page, tab, sizes.words) for _ in range(sizes.rounds)]

    def promise(claim: str, values: list[float], at_most: float | None = None) -> Promise:
        median = statistics.median(values)
        return Promise(claim, lambda _: median, "s", at_most=at_most)

    board = f"{sizes.systems} systems"
    return [
        promise("in a browser, start: first paint", [one["paint"] for one in starts], 0.5),
        promise("in a browser, start: examples listed", [one["examples"] for one in starts]),
        promise(f"in a browser, {sizes.small:,} pairs: first paint", [one["paint"] for one in compared], 0.5),
        promise(f"in a browser, {sizes.small:,} pairs: verdict", [one["verdict"] for one in compared]),
        promise(f"in a browser, {sizes.small:,} pairs: charts and tables", [one["report"] for one in compared]),
        promise(f"in a browser, {board}: verdict after the answer", [one["verdict"] - one["answer"] for one in ranked]),
        promise(f"in a browser, {board}: heat map after the answer", [one["heat"] - one["answer"] for one in ranked], 1.0),
        promise(f"explorer, {sizes.words:,} words: the slowest filter", [max(one.values()) for one in filters], 0.5),
    ]


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Start the page, then ask it for every kind of file."""
    sizes = QUICK if quick else FULL
    with _served() as (page, ready):
        files = {
            f"{n:,} pairs, {name}": "\n".join(make(np.random.default_rng([SEED, i]), n)).encode()
            for n in (sizes.small, sizes.large)
            for i, (name, make) in enumerate(KINDS.items())
        }
        # Every worker has imported everything and drawn a chart before the clock runs.
        first = next(iter(files.values()))
        for _ in range(4):
            page.report(first)
        timings = {name: _timed(page, content, sizes.rounds) for name, content in files.items()}
        seen = _seen(page, sizes, first)
    limits = dict.fromkeys(list(timings)[: len(KINDS)]) | dict.fromkeys(list(timings)[len(KINDS) :], 10.0)
    promises = [Promise("`outscore serve`: from the command to the first answer", lambda _: ready, "s")]
    promises += seen
    promises += [_promise(name, timings[name]["seconds"], limit) for name, limit in limits.items()]
    nothing = Measured({}, {})
    return {
        "sizes": asdict(sizes),
        "ready": ready,
        "files": timings,
        "promises": [_judged(promise, nothing, binding=not quick) for promise in promises],
    }


def _promise(name: str, seconds: float, limit: float | None) -> Promise:
    return Promise(f"{name}: from the upload to the report", lambda _: seconds, "s", at_most=limit)


def text(results: dict[str, Any]) -> str:
    """Promises, then every file."""
    kept = [(row["claim"], _limit(row), _measured(row), MET[row["met"]]) for row in results["promises"]]
    files = [
        (
            name,
            f"{timing['megabytes']:,.2g} MB",
            duration(timing["seconds"]),
            "–" if timing["processor"] is None else duration(timing["processor"]),
            str(timing["runs"]),
        )
        for name, timing in results["files"].items()
    ]
    return (
        markdown(("what", "promised", "measured", "met"), kept)
        + "\n\n"
        + markdown(("file", "size", "time", "processor", "runs"), files)
        + "\n\nTime is from the upload to the last byte of the report; processor time is that of the server and its workers."
    )

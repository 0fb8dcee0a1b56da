"""What reading logs costs: megabytes of JSON a second, and the memory of the whole process beside the size of the log.

Logs are made with fixed seeds, in the layouts of their harnesses and with texts as long as theirs. The Inspect archive holds
its samples beside the summaries, as real ones do; only the summaries are read, and its rate is that of the whole file. The
promise is about the time of the processor, which other programs slow less than the clock; reading takes one core. A document is
mapped into memory, and the pages of it that are in use count as memory of the process until somebody else needs them.
"""

from __future__ import annotations

import functools
import json
import random
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# A promise is judged and printed the same way wherever it is made.
from benchmarks.promises import Measured, Promise, _judged, text
from benchmarks.timing import MEGABYTE, interleave, process_memory

__all__ = ["FULL", "QUICK", "Sizes", "measure", "text"]

Call = Callable[[], object]
SEED = 20_261
SYSTEMS = ("maker/amber", "maker/birch")
WORDS = [f"w{index}" for index in range(4_000)]
PROMPT, ANSWER = 350, 120
"""Words of a few-shot prompt and of an answer that reasons."""
SAMPLE = 100_000
"""Bytes of a sample of Inspect, with the messages of a conversation."""
TIME = "2026-01-02T03-04-05.678901"


@dataclass(frozen=True)
class Sizes:
    """Megabytes of each log."""

    lm_eval: int = 200
    inspect: int = 1_000
    inspect_json: int = 200


FULL = Sizes()
QUICK = Sizes(4, 10, 4)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where logs are made; it goes when the process does."""
    return tempfile.TemporaryDirectory(prefix="outscore-benchmark-")


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def _lm_eval_lines(rng: random.Random, megabytes: float) -> Iterator[str]:
    written, item = 0, 0
    while written < megabytes * MEGABYTE:
        question, answer = _words(rng, PROMPT), _words(rng, ANSWER)
        line = json.dumps(
            {
                "doc_id": item,
                "doc": {"question": question[-200:], "passage": f"p{item // 4}"},
                "target": "4",
                "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": []}}},
                "resps": [[answer]],
                "filtered_resps": [answer[-10:]],
                "filter": "none",
                "metrics": ["exact_match"],
                "doc_hash": f"{item:064x}",
                "prompt_hash": f"{item:064x}",
                "target_hash": f"{item % 7:064x}",
                "exact_match": float(rng.random() < 0.7),
            }
        )
        yield f"{line}\n"
        written, item = written + len(line) + 1, item + 1


@functools.cache
def _lm_eval(megabytes: int) -> str:
    """A folder of two systems with samples and results."""
    place = Path(_folder().name, f"lm-eval-{megabytes}")
    for number, name in enumerate(SYSTEMS):
        folder = place / name.replace("/", "__")
        folder.mkdir(parents=True)
        rng = random.Random(SEED + number)  # noqa: S311 - no secret
        with (folder / f"samples_sums_{TIME}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(_lm_eval_lines(rng, megabytes / len(SYSTEMS)))
        (folder / f"results_{TIME}.json").write_text(json.dumps({"model_name": name}), encoding="utf-8")
    return str(place)


def _sample(rng: random.Random, item: int) -> dict[str, Any]:
    """What the summaries hold of a sample: its input is cut there."""
    return {
        "id": f"sum-{item}",
        "epoch": 1,
        "input": _words(rng, 60),
        "target": "4",
        "metadata": {"passage": f"p{item // 4}"},
        "scores": {"match": {"value": "CI"[rng.random() < 0.3], "answer": "4"}},
    }


def _header(samples: int) -> dict[str, Any]:
    plan = {
        "eval_id": "e",
        "run_id": "r",
        "task": "sums",
        "model": SYSTEMS[0],
        "dataset": {"samples": samples, "sample_ids": [f"sum-{item}" for item in range(samples)]},
        "config": {"epochs": 1},
    }
    return {"version": 2, "status": "success", "eval": plan}


@functools.cache
def _inspect(megabytes: int) -> str:
    """An archive of one run; its texts differ, so that they take their room on the disk."""
    path = Path(_folder().name, f"inspect-{megabytes}.eval")
    rng = random.Random(SEED)  # noqa: S311 - no secret
    count = int(megabytes * MEGABYTE / SAMPLE)
    base = _words(rng, SAMPLE // 5)
    summaries = []
    with zipfile.ZipFile(path, "w") as archive:
        for item in range(count):
            summaries.append(_sample(rng, item))
            messages = base[item % 1_000 :][: SAMPLE - 600]
            archive.writestr(f"samples/sum-{item}_epoch_1.json", json.dumps({**summaries[-1], "messages": messages}))
        archive.writestr("summaries.json", json.dumps(summaries), zipfile.ZIP_DEFLATED)
        archive.writestr("header.json", json.dumps(_header(count)), zipfile.ZIP_DEFLATED)
    return str(path)


@functools.cache
def _inspect_json(megabytes: int) -> str:
    """One run as one document, samples with their messages."""
    path = Path(_folder().name, f"inspect-{megabytes}.json")
    rng = random.Random(SEED)  # noqa: S311 - no secret
    base = _words(rng, SAMPLE // 5)
    count = int(megabytes * MEGABYTE / SAMPLE)
    samples = [{**_sample(rng, item), "messages": base[item % 1_000 :][: SAMPLE - 600]} for item in range(count)]
    path.write_text(json.dumps({**_header(count), "samples": samples}), encoding="utf-8")
    return str(path)


LOGS: dict[str, Callable[[Sizes], str]] = {
    "lm-eval": lambda sizes: _lm_eval(sizes.lm_eval),
    "inspect": lambda sizes: _inspect(sizes.inspect),
    "inspect-json": lambda sizes: _inspect_json(sizes.inspect_json),
}
CLAIMS = {
    "lm-eval": "lm-evaluation-harness, a folder of two systems",
    "inspect": "Inspect archive, by its summaries",
    "inspect-json": "Inspect log as one JSON document",
}


def _megabytes(path: str) -> float:
    place = Path(path)
    files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / MEGABYTE


def _reading(path: str) -> Call:
    from outscore.formats.logs.find import read_logs

    return lambda: read_logs([path])


def promises(sizes: dict[str, float], processor: dict[str, float]) -> list[Promise]:
    """Every promise, with the size it is about."""
    checks = []
    for name, size in sizes.items():
        claim = f"{CLAIMS[name]}, {size:,.0f} MB"
        rate = size / processor[name]
        checks += [
            Promise(f"{claim}: a second of the processor", functools.partial(_given, rate), "MB", at_least=100),
            Promise(f"{claim}: a second of the clock", functools.partial(_rate, name, size), "MB"),
            Promise(f"{claim}: `outscore show`, whole process", functools.partial(_peak, name), "MB", at_most=250),
        ]
    return checks


def _given(value: float, _: Measured) -> float:
    return value


def _rate(name: str, size: float, measured: Measured) -> float:
    return size / measured.times[name].median


def _peak(name: str, measured: Measured) -> float | None:
    return measured.memory[name].process


def _processor_time(read: Call, rounds: int) -> float:
    """The median of the seconds that the processor takes."""
    seconds = []
    for _ in range(rounds):
        before = time.process_time()
        read()
        seconds.append(time.process_time() - before)
    return statistics.median(seconds)


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Times in one interleaved run, then memory log by log."""
    sizes = QUICK if quick else FULL
    paths = {name: make(sizes) for name, make in LOGS.items()}
    megabytes = {name: _megabytes(path) for name, path in paths.items()}
    times = interleave({name: _reading(path) for name, path in paths.items()}, rounds=2 if quick else 5, budget=30.0)
    processor = {name: _processor_time(_reading(path), 1 if quick else 3) for name, path in paths.items()}
    memory = {name: process_memory([sys.executable, "-m", "outscore", "show", path]) for name, path in paths.items()}
    measured = Measured(times, memory)
    return {
        "sizes": asdict(sizes),
        "processor": processor,
        "times": {name: asdict(timing) for name, timing in times.items()},
        "memory_mb": {name: asdict(peak) for name, peak in memory.items()},
        "answers": {},
        "promises": [_judged(promise, measured, binding=not quick) for promise in promises(megabytes, processor)],
    }

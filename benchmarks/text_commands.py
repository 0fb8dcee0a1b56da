"""What whole commands on texts cost, from a cold start to the report, beside sacreBLEU's for the same question.

Both sides take turns, round after round, each in a process of its own, and the processor time of each is counted: ours with
everything it says beyond the p-value. Statistics are not kept, except where a row is about that. Texts with four references
have three other systems for references. MultEval has no package; one row has the size of its example, two systems of three
runs, for which sacreBLEU is asked about six systems.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.text_data import lines_of, path_of
from benchmarks.timing import MEGABYTE

__all__ = ["commands", "commands_table"]

ROUNDS = 5
PAIR = ("FBK", "LIUM-NMT")
RUNS = (("FBK", "KIT", "RWTH-nmt-ensemble"), ("LIUM-NMT", "SYSTRAN", "xmu"))
REFERENCES = ("ref", "online-A", "PROMT-Rule-based", "uedin-nmt")
LONG, SENTENCES = 60, 4
"""Segments of a corpus of documents, and sentences in each."""
MULTEVAL_SEGMENTS = 2_489


@dataclass(frozen=True)
class Work:
    """One question, how outscore and sacreBLEU are asked, and how often; `kept` looks up statistics of an earlier run."""

    name: str
    ours: Sequence[str]
    theirs: Sequence[str] | None = None
    rounds: int = ROUNDS
    kept: bool = False


@dataclass(frozen=True)
class Spent:
    """Processor time of a command, the system's included, the time on the wall, and its largest size in megabytes (Linux)."""

    cpu: float
    wall: float
    memory: float


def commands() -> dict[str, Any]:
    """Processor and wall seconds of all commands, medians over rounds, and the memory of each process."""
    with tempfile.TemporaryDirectory() as folder:
        return {"rounds": ROUNDS, "rows": [_measured(work, Path(folder)) for work in _works(Path(folder))]}


def _works(folder: Path) -> Iterator[Work]:
    ref, a, b = (str(path_of(name)) for name in ("ref", *PAIR))
    bleu, ter = ("--metric", "bleu"), ("--metric", "ter")
    bootstrap, theirs_bootstrap = ("--test", "bootstrap", "--resamples", "1000"), ("--paired-bs", "--paired-bs-n", "1000")
    yield Work(
        "BLEU, bootstrap of 1,000", _ours([ref], a, b, *bleu, *bootstrap), _theirs([ref], [a, b], "bleu", *theirs_bootstrap)
    )
    swaps, theirs_swaps = ("--resamples", "10000"), ("--paired-ar", "--paired-ar-n", "10000")
    yield Work("BLEU, 10,000 swaps", _ours([ref], a, b, *bleu, *swaps), _theirs([ref], [a, b], "bleu", *theirs_swaps))
    yield Work(
        "chrF, bootstrap of 1,000",
        _ours([ref], a, b, "--metric", "chrf", *bootstrap),
        _theirs([ref], [a, b], "chrf", *theirs_bootstrap),
        rounds=3,
    )
    yield Work(
        "TER, bootstrap of 1,000",
        _ours([ref], a, b, *ter, *bootstrap),
        _theirs([ref], [a, b], "ter", *theirs_bootstrap),
        rounds=3,
    )
    references = [_documents(folder, name) for name in REFERENCES]
    long_a, long_b = (_documents(folder, name) for name in PAIR)
    yield Work(
        f"TER, {LONG} documents of {SENTENCES} sentences, four references, bootstrap",
        _ours(references, long_a, long_b, *ter, *bootstrap),
        _theirs(references, [long_a, long_b], "ter", *theirs_bootstrap),
        rounds=1,
    )
    references = [_part(folder, name, "reference") for name in REFERENCES]
    runs = [
        [_part(folder, name, f"{side}.run{k}") for k, name in enumerate(names)] for side, names in zip("ab", RUNS, strict=True)
    ]
    yield Work(
        f"BLEU and TER, 2 × 3 runs, four references, {MULTEVAL_SEGMENTS:,} segments",
        _ours(references, str(folder / "a.run*"), str(folder / "b.run*"), "--metric", "bleu,ter"),
        _theirs(references, [*runs[0], *runs[1]], "bleu ter", *theirs_bootstrap),
        rounds=1,
    )
    yield Work("BLEU, statistics kept", _ours([ref], a, b, *bleu, *bootstrap), kept=True)
    yield Work("TER, statistics kept", _ours([ref], a, b, *ter), kept=True)


def _ours(references: Sequence[str], a: str, b: str, *options: str) -> list[str]:
    named = [part for path in references for part in ("--reference", path)]
    return [sys.executable, "-m", "outscore", "compare", a, b, *named, *options, "--jobs", "1"]


def _theirs(references: Sequence[str], systems: Sequence[str], metrics: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "sacrebleu", *references, "-i", *systems, "-m", *metrics.split(), *options, "-f", "text"]


def _documents(folder: Path, name: str) -> str:
    """A text whose segments are several sentences long."""
    lines = lines_of(name)
    return _written(folder / f"{name}.documents", [" ".join(lines[i * SENTENCES : (i + 1) * SENTENCES]) for i in range(LONG)])


def _part(folder: Path, name: str, role: str) -> str:
    return _written(folder / (f"{name}.{role}" if role == "reference" else role), lines_of(name)[:MULTEVAL_SEGMENTS])


def _written(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def _measured(work: Work, folder: Path) -> dict[str, Any]:
    commands = {"outscore": work.ours} if work.theirs is None else {"outscore": work.ours, "sacrebleu": work.theirs}
    environment = {**os.environ, "OUTSCORE_CACHE": str(folder / "cache") if work.kept else "off"}
    if work.kept:
        _spent(work.ours, environment)
    spent: dict[str, list[Spent]] = {who: [] for who in commands}
    for _ in range(work.rounds):
        for who, command in commands.items():
            spent[who].append(_spent(command, environment))
    measures = {
        name: {who: statistics.median(getattr(one, name) for one in runs) for who, runs in spent.items()}
        for name in ("cpu", "wall", "memory")
    }
    return {"work": work.name, "rounds": work.rounds, **measures}


def _spent(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(errors.decode())
    # Of the two sizes that `ru_maxrss` remembers, this process and the command, the command is the larger one.
    return Spent(usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss * 1024 / MEGABYTE)


def commands_table(results: Mapping[str, Any]) -> Iterator[str]:
    """The rows of a result for people."""
    yield (
        "Whole commands, from a cold start to the report, in processor time and megabytes; with four references, three of"
        " them are outputs of other systems."
    )
    yield ""
    yield "| whole command, 3,004 segments unless stated | outscore | sacreBLEU | ratio | memory |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for row in results["rows"]:
        cpu, memory = row["cpu"], row["memory"]
        ours, theirs = cpu["outscore"], cpu.get("sacrebleu")
        megabytes = " and ".join(f"{memory[who]:,.0f}" for who in cpu)
        peer = ("", "") if theirs is None else (f"{theirs:.2f} s", f"{theirs / ours:.1f} ×")
        yield f"| {row['work']} | {ours:.2f} s | {peer[0]} | {peer[1]} | {megabytes} MB |"

"""What comparing outputs costs: tags of a million words and 25 parsers end to end, coreference scores, the page of examples.

Data are made with fixed seeds. The first two are commands in processes of their own, from the files to the printed tables;
processor time stands beside it, because other programs slow the clock more than the processor.
"""

from __future__ import annotations

import functools
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

# A promise is judged and printed the same way wherever it is made.
from benchmarks.promises import Measured, Promise, _judged, text
from benchmarks.timing import Memory, interleave, peak_memory, process_memory
from numpy.typing import NDArray

__all__ = ["FULL", "QUICK", "Sizes", "full", "measure", "quick", "text"]

Array = NDArray[Any]
Call = Callable[[], object]
SEED = 20_174
TAGS = (
    "NOUN",
    "VERB",
    "ADJ",
    "ADV",
    "PRON",
    "DET",
    "ADP",
    "NUM",
    "PUNCT",
    "PROPN",
    "AUX",
    "CCONJ",
    "SCONJ",
    "PART",
    "INTJ",
    "X",
)
RELATIONS = ("root", "nsubj", "obj", "obl", "det", "case", "amod", "advmod", "conj", "cc", "nmod", "mark", "aux", "cop")
VOCABULARY, SENTENCE = 50_000, 20
ERRORS = {"old": 0.05, "new": 0.048}
DOCUMENTS, CHAIN = 350, 4
MOVED = 0.15
"""Share of mentions that the response puts into another chain."""


@dataclass(frozen=True)
class Sizes:
    """How large the inputs are."""

    words: int = 1_000_000
    mentions: int = 29_000
    page: int = 25_000
    parsed: int = 25_000
    parsers: int = 25


FULL = Sizes()
QUICK = Sizes(20_000, 2_000, 2_000, 2_000, 3)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where files are made; it goes when the process does."""
    return tempfile.TemporaryDirectory(prefix="outscore-benchmark-")


@functools.cache
def _files(words: int) -> tuple[str, ...]:
    """Gold and two systems as CoNLL-U, with words as frequent as in a text."""
    rng = np.random.default_rng(SEED)
    forms = (rng.zipf(1.3, words) % VOCABULARY).tolist()
    gold = rng.integers(0, len(TAGS), words)
    columns = {"gold": gold}
    for name, share in ERRORS.items():
        columns[name] = np.where(rng.random(words) < share, rng.integers(0, len(TAGS), words), gold)
    paths = []
    for name, tags in columns.items():
        path = Path(_folder().name, f"{name}-{words}.conllu")
        lines = [
            f"{i % SENTENCE + 1}\tw{form}\t_\t{TAGS[tag]}\t_\t_\t_\t_\t_\t_{'' if (i + 1) % SENTENCE else chr(10)}\n"
            for i, (form, tag) in enumerate(zip(forms, tags.tolist(), strict=True))
        ]
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(str(path))
    return tuple(paths)


@functools.cache
def _parses(words: int, parsers: int) -> tuple[str, ...]:
    """Gold and parsers as CoNLL-U, each with a few more wrong heads and relations than the one before."""
    rng = np.random.default_rng(SEED)
    place = np.arange(words) % SENTENCE + 1
    forms, tags = rng.zipf(1.3, words) % VOCABULARY, rng.integers(0, len(TAGS), words)
    # The first word is the root and heads stand to the left, so that every sentence is a tree.
    head = np.where(place > 1, 1 + (rng.random(words) * (place - 1)).astype(np.int64), 0)
    relation = np.where(place > 1, rng.integers(1, len(RELATIONS), words), 0)
    paths = []
    for parser in range(parsers + 1):
        share = 0.1 + 0.1 * parser / parsers if parser else 0.0
        other = np.where(place > 1, 1 + (rng.random(words) * (place - 1)).astype(np.int64), 0)
        heads = np.where(rng.random(words) < share, other, head)
        relations = np.where((rng.random(words) < share) & (place > 1), rng.integers(1, len(RELATIONS), words), relation)
        lines = [
            f"{i}\tw{form}\t_\t{TAGS[tag]}\t_\t_\t{to}\t{RELATIONS[name]}\t_\t_{chr(10) if i == SENTENCE else ''}\n"
            for i, form, tag, to, name in zip(*(x.tolist() for x in (place, forms, tags, heads, relations)), strict=True)
        ]
        path = Path(_folder().name, f"parser-{parser}-{words}.conllu")
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(str(path))
    return tuple(paths)


def _parse_command(sizes: Sizes) -> list[str]:
    return [sys.executable, "-m", "outscore", "diff", "--task", "dep", *_parses(sizes.parsed, sizes.parsers)]


def _parsed(sizes: Sizes) -> Call:
    command = _parse_command(sizes)
    return lambda: subprocess.run(command, check=True, capture_output=True)


def _command(sizes: Sizes) -> list[str]:
    return [sys.executable, "-m", "outscore", "diff", "--task", "pos", *_files(sizes.words)]


def _tags(sizes: Sizes) -> Call:
    command = _command(sizes)
    return lambda: subprocess.run(command, check=True, capture_output=True)


def _coreference(sizes: Sizes) -> Call:
    """MUC, B³, CEAFe, LEA and ARCS of one response, from its table of mentions."""
    from outscore.outputs.coreference import coref_statistics
    from outscore.outputs.mentions import align_mentions
    from outscore.outputs.model import Chains
    from outscore.scores.system import Labels

    rng = np.random.default_rng(SEED)
    documents = np.sort(rng.integers(0, DOCUMENTS, sizes.mentions))
    places = np.arange(sizes.mentions)
    per_document = sizes.mentions // DOCUMENTS // CHAIN + 1
    chains = documents * per_document + rng.integers(0, per_document, sizes.mentions)
    moved = documents * per_document + rng.integers(0, per_document, sizes.mentions)
    names = tuple(f"d{i}" for i in range(DOCUMENTS))
    gold, response = (
        Chains(name, Labels(documents, names), places, places, codes)
        for name, codes in (("gold", chains), ("new", np.where(rng.random(sizes.mentions) < MOVED, moved, chains)))
    )
    table = align_mentions(gold, [response])
    return lambda: coref_statistics(table)


def _page(sizes: Sizes) -> Call:
    """The explorer, from the files to the text of the page."""
    from outscore.outputs.model import OutputData
    from outscore.report.render import render
    from outscore.workflows.diff.run import run_study
    from outscore.workflows.requests.diff import DiffRequest

    gold, *systems = _files(sizes.page)

    def write() -> str:
        study, result = run_study(DiffRequest(task="pos"), OutputData(gold, dict(zip(ERRORS, systems, strict=True))))
        return render(result, "html", examples=study.changed())

    return write


WORKLOADS: dict[str, Callable[[Sizes], Call]] = {
    "tags": _tags,
    "parses": _parsed,
    "coreference": _coreference,
    "page": _page,
}
COMMANDS = {"tags": _command, "parses": _parse_command}


def full(name: str) -> Call:
    """A workload by name at the promised size, for the process that measures memory."""
    return WORKLOADS[name](FULL)


def quick(name: str) -> Call:
    """The same, small."""
    return WORKLOADS[name](QUICK)


def promises(sizes: Sizes, processor: float) -> list[Promise]:
    """Every promise, with the sizes it is about."""
    tags = f"`outscore diff --task pos`, two systems, {sizes.words:,} words"
    parses = f"`outscore diff --task dep`, {sizes.parsers} systems, {sizes.parsed:,} words"
    return [
        Promise(f"{tags}: time", lambda measured: measured.times["tags"].median, "s", at_most=4),
        Promise(f"{tags}: processor time", lambda _: processor, "s"),
        Promise(f"{tags}: whole process", lambda measured: measured.memory["tags"].process, "MB", at_most=600),
        Promise(f"{parses}: time", lambda measured: measured.times["parses"].median, "s", at_most=20),
        Promise(f"{parses}: whole process", lambda measured: measured.memory["parses"].process, "MB", at_most=600),
        Promise(
            f"coreference scores of {sizes.mentions:,} mentions",
            lambda measured: measured.times["coreference"].median,
            "s",
            at_most=0.5,
        ),
        Promise(f"page of examples, {sizes.page:,} words", lambda measured: measured.times["page"].median, "s", at_most=3),
    ]


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Times in one interleaved run, then memory piece by piece."""
    sizes = QUICK if quick else FULL
    tasks = {name: build(sizes) for name, build in WORKLOADS.items()}
    processor = _processor_time(tasks["tags"])
    times = interleave(tasks, rounds=2 if quick else 5, budget=30.0)
    memory = {name: _memory(name, quick=quick) for name in WORKLOADS}
    measured = Measured(times, memory)
    return {
        "sizes": asdict(sizes),
        "times": {name: asdict(timing) for name, timing in times.items()},
        "memory_mb": {name: asdict(peak) for name, peak in memory.items()},
        "answers": {},
        "promises": [_judged(promise, measured, binding=not quick) for promise in promises(sizes, processor)],
    }


def _processor_time(command: Call) -> float:
    """Seconds of all cores that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _memory(name: str, *, quick: bool) -> Memory:
    if name in COMMANDS:
        return process_memory(COMMANDS[name](QUICK if quick else FULL))
    return peak_memory(f"benchmarks.outputs:{'quick' if quick else 'full'}:{name}")

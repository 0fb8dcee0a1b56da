"""A pipe is read once: whatever a file answers, its contents answer through a pipe, a FIFO or standard input, too."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from tests import log_files
from tests.variants import a_few, variants

import outscore as osc

SMALL, LARGE = 40, 40_000
"""Items of files below and above the 64 KB that a pipe holds."""
PATHS = {"path", "files", "gold", "pilot", "reference", "table", "gold_file", "output_files", "next_command"}
"""Keys under which results keep the names of files."""


@dataclass(frozen=True)
class Case:
    """A command and its files by name; the names are those that systems from pipes get."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    piped: tuple[str, ...] = ()

    @property
    def from_pipes(self) -> tuple[str, ...]:
        return self.piped or tuple(self.files)


def _verdicts(items: int) -> list[tuple[int, int, int]]:
    """B is better at the beginning and worse after it: whoever loses the beginning reverses the verdict."""
    draw = random.Random(1)  # noqa: S311 - a seeded example
    early = items // 2 if items == SMALL else 34_000
    odds = [(0.1, 0.9, 0.5) if item < early else (0.9, 0.1, 0.5) for item in range(items)]
    return [tuple(int(draw.random() < chance) for chance in three) for three in odds]


def _column(items: int, k: int) -> bytes:
    return "".join(f"{row[k]}\n" for row in _verdicts(items)).encode()


def _table(items: int) -> bytes:
    rows = (f"q{i},{a},{b},{c}\n" for i, (a, b, c) in enumerate(_verdicts(items)))
    return "".join(["id,new,old,third\n", *rows]).encode()


def _labels(items: int, k: int) -> bytes:
    rows = (f"question-number-{i},{'yn'[row[k]]}\n" for i, row in enumerate(_verdicts(min(items, 4_000))))
    return "".join(["id,label\n", *rows]).encode()


def _answers(items: int) -> bytes:
    rows = (f"question-number-{i},{'yn'[a]},{'yn'[b]},{'yn'[c]}\n" for i, (a, b, c) in enumerate(_verdicts(min(items, 4_000))))
    return "".join(["id,gold,old,new\n", *rows]).encode()


def _battles(items: int) -> bytes:
    winners = ("model_a", "model_b")
    names = ("new,old", "old,new")
    rows = (f"p{i},{names[i % 2]},{winners[a]}\n" for i, (a, *_) in enumerate(_verdicts(items)))
    return "".join(["prompt,model_a,model_b,winner\n", *rows]).encode()


def _parquet(content: bytes) -> bytes:
    held = io.BytesIO()
    pl.read_csv(content).write_parquet(held)
    return held.getvalue()


def _words(items: int, k: int) -> bytes:
    verdicts = _verdicts(min(items, 4_000))
    rows = (f"a-rather-long-word-{i}\t{'NV'[row[k]]}\n" + ("\n" if i % 10 == 9 else "") for i, row in enumerate(verdicts))
    return "".join(rows).encode()


def _texts(items: int, k: int) -> bytes:
    rows = _verdicts(min(items, 3_000))
    words = ("the cat sat on the mat", "a dog ran over the hill")
    return "".join(f"{words[row[k]]} number {i}\n" for i, row in enumerate(rows)).encode()


def _log(items: int, k: int) -> bytes:
    del items
    with tempfile.TemporaryDirectory() as folder:
        return log_files.inspect_archive(Path(folder))[k].read_bytes()


TWO = {"A.txt": 0, "B.txt": 1}
CASES: dict[str, Callable[[int], Case]] = {
    "compare": lambda n: Case(("compare", "A.txt", "B.txt"), {name: _column(n, k) for name, k in TWO.items()}),
    "compare table": lambda n: Case(("compare", "t.csv", "--system", "new", "--system", "old"), {"t.csv": _table(n)}),
    "compare parquet": lambda n: Case(
        ("compare", "t.parquet", "--system", "new", "--system", "old"), {"t.parquet": _parquet(_table(n))}
    ),
    "gate": lambda n: Case(
        ("gate", "A.txt", "B.txt", "--margin", ".01"),
        {name: _column(n, k) for name, k in TWO.items()},
    ),
    "score": lambda n: Case(("score", "A.txt"), {"A.txt": _column(n, 0)}),
    "rank": lambda n: Case(
        ("rank", "A.txt", "B.txt", "C.txt", "--jobs", "1"), {f"{name}.txt": _column(n, k) for k, name in enumerate("ABC")}
    ),
    "rank parquet": lambda n: Case(("rank", "t.parquet", "--jobs", "1"), {"t.parquet": _parquet(_table(n))}),
    "diff label": lambda n: Case(
        ("diff", "--task", "label", "gold.csv", "A.csv", "B.csv"),
        {name: _labels(n, k) for k, name in enumerate(("gold.csv", "A.csv", "B.csv"))},
    ),
    "diff one table": lambda n: Case(("diff", "--task", "label", "t.csv"), {"t.csv": _answers(n)}),
    "diff pos": lambda n: Case(
        ("diff", "--task", "pos", "gold.tsv", "A.tsv", "B.tsv"),
        {name: _words(n, k) for k, name in enumerate(("gold.tsv", "A.tsv", "B.tsv"))},
    ),
    "prefer": lambda n: Case(("prefer", "b.csv"), {"b.csv": _battles(n)}),
    "prefer parquet": lambda n: Case(("prefer", "b.parquet"), {"b.parquet": _parquet(_battles(n))}),
    "plan": lambda n: Case(
        ("plan", "--effect", ".01", "--pilot", "A.txt", "B.txt"), {name: _column(n, k) for name, k in TWO.items()}
    ),
    "texts": lambda n: Case(
        ("compare", "A.txt", "B.txt", "--reference", "r.txt", "--metric", "wer", "--jobs", "1"),
        {name: _texts(n, k) for k, name in enumerate(("A.txt", "B.txt", "r.txt"))},
    ),
    "logs": lambda n: Case(("compare", "A.eval", "B.eval"), {"A.eval": _log(n, 0), "B.eval": _log(n, 1)}),
    "show": lambda n: Case(("show", "A.eval"), {"A.eval": _log(n, 0)}),
}
ANSWERS = (0, 1, 3)
"""The exit codes of answers, those of a gate included."""
SIZES = {"small": SMALL, "large": LARGE}


def _told(text: str, names: Mapping[str, str]) -> object:
    """A result without the names of its files."""

    def without(value: object) -> object:
        if isinstance(value, dict):
            return {key: without(inner) for key, inner in value.items() if key not in PATHS}
        if isinstance(value, list):
            return [without(inner) for inner in value]
        if isinstance(value, str):
            for path, name in names.items():
                value = value.replace(f"`{path}`", f"`{name}`").replace(f" {path}", f" {name}" if path != "-" else " -")
            value = re.sub(r"^(outscore .*) -$", rf"\1 {next(iter(names.values()))}", value)
            return value.replace("Standard input", f"`{next(iter(names.values()))}`")
        return value

    return without(json.loads(text))


@contextlib.contextmanager
def written_to(path: str | int, content: bytes) -> Iterator[None]:
    """Somebody else writes into a pipe, as another program would."""

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), open(path, "wb") as pipe:  # noqa: PTH123 - may be a descriptor
            pipe.write(content)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield
    writer.join(10)
    assert not writer.is_alive(), "nobody read the pipe to its end"


@contextlib.contextmanager
def _fifo(name: str, content: bytes) -> Iterator[str]:
    path = f"fifo-{name}"
    os.mkfifo(path)
    with written_to(path, content):
        yield path


@contextlib.contextmanager
def _handle(_name: str, content: bytes) -> Iterator[str]:
    """What the shell hands over for `<(…)`."""
    reading, writing = os.pipe()
    try:
        with written_to(writing, content):
            yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)


def _write(case: Case) -> None:
    for name, content in case.files.items():
        Path(name).write_bytes(content)


QUICK = {
    *(f"{name} through a handle, large" for name in ("compare", "diff one table")),
    *(f"{name} through a handle, small" for name in ("rank", "logs", "plan", "diff label")),
    *(f"{name} through a fifo, small" for name in ("score", "rank parquet")),
    *(f"{name} through -, small" for name in ("gate", "show", "prefer parquet")),
}
EVERY = {
    f"{name} through {way}, {size}": (name, way, size)
    for name in CASES
    for way in ("a fifo", "a handle", "-")
    for size in SIZES
}


@pytest.mark.parametrize("variant", variants(EVERY, QUICK))
def test_a_pipe_answers_as_the_file_does(variant, tmp_path, monkeypatch, outscore):
    name, way, size = EVERY[variant]
    monkeypatch.chdir(tmp_path)
    case = CASES[name](SIZES[size])
    _write(case)
    arguments = [*case.arguments, "--format", "json"]
    expected = outscore(*arguments)
    assert expected.exit_code in ANSWERS, expected.stderr
    with contextlib.ExitStack() as stack:
        given, stdin = {}, None
        if way == "-":
            given, stdin = {"-": case.from_pipes[0]}, case.files[case.from_pipes[0]]
        else:
            make = _fifo if way == "a fifo" else _handle
            given = {stack.enter_context(make(file, case.files[file])): file for file in case.from_pipes}
        places = {file: path for path, file in given.items()}
        done = outscore(*(places.get(word, word) for word in arguments), stdin=stdin)
    assert done.exit_code == expected.exit_code, done.stderr
    assert _told(done.stdout, given) == _told(expected.stdout, {file: file for file in given.values()})


BASH = {
    "<(…)": lambda file: f"<(cat {file})",
    "-": lambda _: "-",
    "/dev/stdin": lambda _: "/dev/stdin",
    "fifo": lambda file: f"fifo-{file}",
}


def _in_bash(line: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m outscore"
    return subprocess.run(
        ["/bin/bash", "-c", line.replace("outscore", command, 1)], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", BASH)
@pytest.mark.parametrize("name", CASES)
def test_the_shell_hands_over_pipes(name, way, size, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = CASES[name](SIZES[size])
    _write(case)
    files = case.from_pipes[:1] if way in ("-", "/dev/stdin") else case.from_pipes
    given = {file: BASH[way](file) for file in files}
    before = f"cat {files[0]} | " if way in ("-", "/dev/stdin") else ""
    if way == "fifo":
        before = "".join(f"mkfifo fifo-{file}; cat {file} > fifo-{file} & " for file in files)
    expected = _in_bash(f"outscore {' '.join(case.arguments)} --format json")
    done = _in_bash(f"{before}outscore {' '.join(given.get(word, word) for word in case.arguments)} --format json")
    assert expected.returncode in ANSWERS, expected.stderr
    assert done.returncode == expected.returncode, done.stderr
    handles = {f"/dev/fd/{63 - place}": file for place, file in enumerate(files)} if way == "<(…)" else {}
    names = handles or {place: file for file, place in given.items()}
    if handles and _told(done.stdout, names) != _told(expected.stdout, {file: file for file in files}):
        # Bash numbers its pipes from 63 downwards or upwards, as its release goes.
        names = dict(zip(names, reversed(list(names.values())), strict=True))
    assert _told(done.stdout, names) == _told(expected.stdout, {file: file for file in files})


def test_systems_from_pipes_are_called_a_and_b(tmp_path, monkeypatch, outscore):
    monkeypatch.chdir(tmp_path)
    one, other = _column(SMALL, 0), _column(SMALL, 1)
    Path("new.txt").write_bytes(other)
    with _handle("", one) as a, _fifo("b", other) as b:
        assert json.loads(outscore("compare", a, b, "--format", "json").stdout)["comparisons"][0]["systems"] == ["A", "B"]
    with _handle("", one) as a:
        found = json.loads(outscore("compare", a, "new.txt", "--format", "json").stdout)
        assert found["comparisons"][0]["systems"] == ["A", "new"]
    found = json.loads(outscore("compare", "new.txt", "-", "--format", "json", stdin=one).stdout)
    assert found["comparisons"][0]["systems"] == ["new", "B"]


def test_python_reads_a_pipe_once_too(tmp_path):
    one, other = _column(LARGE, 0), _column(LARGE, 1)
    (tmp_path / "a").write_bytes(one)
    (tmp_path / "b").write_bytes(other)
    expected = osc.compare(tmp_path / "a", tmp_path / "b")
    with _handle("", one) as a, _handle("", other) as b:
        found = osc.compare(a, b)
    assert [score.value for score in found.scores] == [score.value for score in expected.scores]
    assert found.p.value == expected.p.value
    with _handle("", one) as a:
        assert len(osc.read(a)[0].values) == LARGE


def test_a_fifo_is_read_anew_by_every_call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("f")
    for k in (0, 1):
        content = _column(SMALL, k)
        with written_to("f", content):
            assert osc.score("f").systems[0].value == content.count(b"1") / SMALL


def test_what_does_not_fit_into_memory_is_kept_on_disk(tmp_path, monkeypatch, outscore):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("outscore.formats.base.pipes.IN_MEMORY", 100)
    for name in ("compare", "compare parquet", "logs", "diff one table"):
        case = CASES[name](SMALL)
        _write(case)
        expected = outscore(*case.arguments, "--format", "json")
        with contextlib.ExitStack() as stack:
            given = {stack.enter_context(_handle(file, case.files[file])): file for file in case.files}
            places = {file: path for path, file in given.items()}
            done = outscore(*(places.get(word, word) for word in case.arguments), "--format", "json")
        assert _told(done.stdout, given) == _told(expected.stdout, {file: file for file in given.values()})


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
def test_one_pipe_is_not_two_inputs(command, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    assert refusal(command, "-", "-", stdin="1\n").startswith("Standard input is named twice")
    os.mkfifo("f")
    assert refusal(command, "f", "./f").startswith("`./f` is named twice")


def test_an_empty_pipe_is_empty(refusal):
    with _handle("", b"") as path:
        assert refusal("score", path) == f"`{path}` is empty, but numbers were expected. Give one item per line.\n"


def test_a_log_from_a_pipe_is_converted(tmp_path, monkeypatch, outscore):
    monkeypatch.chdir(tmp_path)
    content = _log(SMALL, 0)
    Path("A.eval").write_bytes(content)
    assert outscore("convert", "A.eval", "-o", "file_samples.jsonl").exit_code == 0
    with _handle("", content) as path:
        assert outscore("convert", path, "-o", "pipe_samples.jsonl").exit_code == 0
    assert outscore("convert", "-", "-o", "stdin_samples.jsonl", stdin=content).exit_code == 0
    shown = []
    for name in ("file", "pipe", "stdin"):
        listed = _told(outscore("show", f"{name}_samples.jsonl", "--format", "json").stdout, {"": ""})
        shown.append(listed["evaluations"])
    assert shown[0][0]["rows"] == 24
    assert shown[0] == shown[1] == shown[2]


def _log_contents(harness: str, folder: Path) -> list[bytes]:
    """The samples of each system, without the folders and the results beside them."""
    samples = {"lm-eval": "samples_*", "helm": "per_instance_stats.json", "lighteval": "details_*"}
    paths = log_files.WRITERS[harness](folder)
    return [(next(path.glob(samples[harness])) if path.is_dir() else path).read_bytes() for path in paths]


NAMED_AFTER_FILES = ("lm-eval", "helm", "lighteval", "swe-bench", "evalplus", "bigcodebench")
NAMED_AFTER_FILES += ("swe-bench-board", "terminal-bench", "tau-bench", "livecodebench", "trec-eval", "ranx")
NAMED_AFTER_FILES += ("deepeval", "opencompass", "zeroeval")
"""Harnesses whose logs do not name the system."""
SEVERAL_FILES = ("harbor", "bfcl")
"""Harnesses that write one file for each trial, or the items into another file."""


@pytest.mark.parametrize("harness", a_few([name for name in log_files.WRITERS if name not in SEVERAL_FILES], 8))
def test_logs_from_pipes_are_called_a_and_b_unless_they_name_their_systems(harness, tmp_path, monkeypatch, outscore):
    contents = _log_contents(harness, tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    names = ["A", "B"] if harness in NAMED_AFTER_FILES else list(log_files.SYSTEMS)
    if harness == "comet":
        names = [name.split("/")[1] for name in names]
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_handle("", content)) for content in contents]
        done = outscore("compare", *paths, *log_files.METRIC.get(harness, ()), "--format", "json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["comparisons"][0]["systems"] == names
    assert "after the folder" not in done.stdout


def test_one_system_in_two_pipes_is_told_apart_by_their_places(tmp_path, monkeypatch, outscore):
    monkeypatch.chdir(tmp_path)
    log = log_files.inspect_json(tmp_path)[0].read_bytes()
    with _handle("", log) as a, _handle("", log) as b:
        found = json.loads(outscore("compare", a, b, "--format", "json").stdout)
    assert found["comparisons"][0]["systems"] == ["maker/amber (A)", "maker/amber (B)"]


def test_a_log_from_a_pipe_has_the_task_of_the_file_beside_it(tmp_path, monkeypatch, outscore):
    one, other = log_files.lm_eval(tmp_path)
    content = next(other.glob("samples_*")).read_bytes()
    monkeypatch.chdir(one)
    done = outscore("compare", one, "-", "--format", "json", stdin=content)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["comparisons"][0]["systems"] == ["maker/amber", "B"]
    shown = json.loads(outscore("show", "-", "--format", "json", stdin=content).stdout)["evaluations"][0]
    assert (shown["system"], shown["task"]) == ("A", "unnamed task")


def test_the_task_of_a_pipe_is_asked_for_if_there_are_several(tmp_path, monkeypatch, outscore, refusal):
    log_files.lm_eval(tmp_path, task="others")
    one, other = log_files.lm_eval(tmp_path)
    content = next(other.glob("samples_sums_*")).read_bytes()
    monkeypatch.chdir(tmp_path)
    Path(one, "results_2026-01-02T03-04-05.678901.json").unlink()
    text = refusal("compare", one, "-", stdin=content)
    assert text.endswith("Say with --log-task which of these the pipe is: `others` and `sums`.\n")
    done = outscore("compare", one, "-", "--log-task", "sums", "--format", "json", stdin=content)
    assert done.exit_code == 0, done.stderr


def test_nothing_is_beside_a_pipe(tmp_path, monkeypatch, outscore):
    """What happens to be in the folder in which a command runs does not belong to standard input."""
    one, other = log_files.helm(tmp_path)
    content = (other / "per_instance_stats.json").read_bytes()
    monkeypatch.chdir(one)
    shown = json.loads(outscore("show", "-", "--format", "json", stdin=content).stdout)["evaluations"][0]
    assert (shown["system"], shown["task"]) == ("A", "unnamed task")
    for writer, name in ((log_files.bigcodebench, "A.json"), (log_files.every_eval_ever, "A.json")):
        folder = tmp_path / writer.__name__
        log = writer(folder)[0]
        monkeypatch.chdir(folder)
        Path(name).write_text("not a report")
        done = outscore("show", "-", "--format", "json", stdin=log.read_bytes())
        assert done.exit_code == 0, done.stderr


def test_diffs_of_logs_from_pipes(tmp_path, monkeypatch, outscore):
    contents = _log_contents("lm-eval", tmp_path)
    monkeypatch.chdir(tmp_path)
    with _handle("", contents[0]) as a, _handle("", contents[1]) as b:
        done = outscore("diff", "--task", "label", a, b, "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["systems"] == ["A", "B"]

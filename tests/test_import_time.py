from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.variants import a_few

HEAVY = ("numpy", "scipy", "polars", "rich", "msgspec")


LOGS = "outscore.formats.logs.engine"
UNUSED = {
    "compare": (
        "numpy.ma",
        "scipy",
        "polars",
        "rich",
        "multiprocessing",
        "importlib.abc",
        "outscore.results.ranking",
        "outscore.results.diff",
        LOGS,
    ),
    "compare --reference": (
        "scipy",
        "polars",
        "rich",
        "multiprocessing",
        "outscore.results.ranking",
        "outscore.workflows.rank",
        LOGS,
    ),
    "score": ("numpy.ma", "polars", "rich", "multiprocessing", "outscore.results.ranking", "outscore.results.diff", LOGS),
    "rank": ("numpy.ma", "polars", "rich", "outscore.results.diff", "outscore.results.preference", LOGS),
    "plan": ("polars", "rich", "multiprocessing", "outscore.results.ranking", "outscore.results.diff", LOGS),
}
"""What each command has no use for, on two files of numbers or a table of them, on texts, or on none."""


def loaded_after(code: str) -> set[str]:
    report = f"import sys\n{code}\nprint('MODULES', *sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_import_is_free():
    assert not loaded_after("import outscore").intersection(HEAVY)


@pytest.mark.parametrize("module", ["results.saved", "language.phrases", "language.verdict.comparison"])
def test_results_and_their_words_need_no_numpy(module):
    """They are saved and read by msgspec, and nothing else of weight."""
    assert loaded_after(f"import outscore.{module}").intersection(HEAVY) <= {"msgspec"}


@pytest.mark.parametrize(
    "arguments", a_few([["--help"], *([name, "--help"] for name in ("compare", "rank", "diff", "plan")), ["--version"]], 3)
)
def test_help_loads_nothing_heavy(arguments):
    code = f"from outscore.cli.app import app\ntry:\n    app({arguments!r})\nexcept SystemExit as end:\n    assert not end.code"
    assert not loaded_after(code).intersection(HEAVY)


@pytest.mark.parametrize("kind", a_few(["decimals", "real", "right-or-wrong"], 2))
def test_comparing_two_files_of_numbers_loads_what_it_uses(kind, tmp_path):
    assert not _loaded_by("compare", _files(tmp_path, kind)).intersection(UNUSED["compare"])


@pytest.mark.parametrize("scores", ["[1, 0, 1, 1, 1], [0, 0, 1, 0, 0]", "[0.51, 0.2, 0.9], [0.4, 0.3, 0.1]"])
def test_comparing_arrays_loads_two_libraries(scores):
    """Beside the standard library. scipy is for what needs its transforms or special functions."""
    allowed = {"outscore", "numpy", "msgspec", "typing_extensions", *sys.stdlib_module_names}
    usual = loaded_after("import numpy.random, msgspec")
    loaded = loaded_after(f"import outscore as osc\nassert osc.compare({scores}).p.value < 1")
    assert {name.partition(".")[0] for name in loaded - usual} <= allowed


def test_comparing_texts_loads_what_it_uses(tmp_path, monkeypatch):
    """Rankings are for several datasets, readers of logs for logs, and nothing is scored whose statistics were kept."""
    monkeypatch.setenv("OUTSCORE_CACHE", str(tmp_path / "cache"))
    paths = [tmp_path / name for name in ("one", "other", "reference")]
    for path, word in zip(paths, "abc", strict=True):
        path.write_text("".join(f"{word} line of text, number {i}.\n" for i in range(40)))
    one, other, reference = map(str, paths)
    arguments = [one, other, "--reference", reference, "--metric", "bleu,ter"]
    assert not _loaded_by("compare", arguments).intersection(UNUSED["compare --reference"])
    again = _loaded_by("compare", arguments)
    assert not again.intersection(
        (*UNUSED["compare --reference"], "sacrebleu", "numpy.ma", "importlib.metadata", "concurrent.futures")
    )


@pytest.mark.parametrize("command", a_few(["compare", "score", "plan", "rank"], 3))
def test_commands_load_what_they_use(command, tmp_path):
    arguments = ["--sd", "0.4", "--effect", "0.05"] if command == "plan" else [_table(tmp_path)]
    assert not _loaded_by(command, arguments).intersection(UNUSED[command])


def _loaded_by(command: str, arguments: list[str]) -> set[str]:
    call = f"from outscore.cli.app import app\ntry:\n    app({[command, *arguments]!r})\n"
    return loaded_after(f"{call}except SystemExit as end:\n    assert not end.code")


def _files(folder: Path, kind: str) -> list[str]:
    stream = np.random.default_rng(0)
    files = []
    for name in ("one", "other"):
        numbers = stream.random(300).tolist()
        shown = {"decimals": [round(x, 3) for x in numbers], "real": numbers, "right-or-wrong": [int(x < 0.7) for x in numbers]}
        (folder / f"{name}.txt").write_text("".join(f"{x}\n" for x in shown[kind]))
        files.append(str(folder / f"{name}.txt"))
    return files


def _table(folder: Path) -> str:
    rows = np.random.default_rng(0).random((300, 2)).round(3).tolist()
    (folder / "table.csv").write_text("one,other\n" + "".join(f"{x},{y}\n" for x, y in rows))
    return str(folder / "table.csv")


def test_help_answers_at_once():
    """Processor time, at best of five tries: the wall clock would measure how busy the machine is."""
    times: list[float] = []
    while len(times) < 5 and not any(0 < seconds < 0.25 for seconds in times):
        before = os.times()
        subprocess.run([sys.executable, "-m", "outscore", "--help"], capture_output=True, check=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert any(0 < seconds < 0.25 for seconds in times), times

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "polars", "rich", "msgspec")


def loaded_after(code: str) -> set[str]:
    report = f"import sys\n{code}\nprint('MODULES', *sorted(m for m in sys.modules if '.' not in m))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_import_is_free():
    assert not loaded_after("import outscore").intersection(HEAVY)


@pytest.mark.parametrize("module", ["results.saved", "language.phrases", "language.verdict.comparison"])
def test_results_and_their_words_need_no_numpy(module):
    """They are saved and read by msgspec, and nothing else of weight."""
    assert loaded_after(f"import outscore.{module}").intersection(HEAVY) <= {"msgspec"}


@pytest.mark.parametrize(
    "arguments", [["--help"], *([name, "--help"] for name in ("compare", "rank", "diff", "plan")), ["--version"]]
)
def test_help_loads_nothing_heavy(arguments):
    code = f"from outscore.cli.app import app\ntry:\n    app({arguments!r})\nexcept SystemExit as end:\n    assert not end.code"
    assert not loaded_after(code).intersection(HEAVY)


def test_help_answers_at_once():
    """Processor time, best of five: the wall clock would measure how busy the machine is."""
    times = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-m", "outscore", "--help"], capture_output=True, check=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert 0 < min(times) < 0.3

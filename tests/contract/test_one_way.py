"""What a command visits: control goes down through the layers and comes back by returning, never by calling up."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from click.testing import CliRunner
from tests.variants import a_few

import outscore
from outscore.cli.app import app

SOURCE = str(Path(outscore.__file__).parent)
# The folders as CONTRIBUTING.md has them, each above what it imports.
LAYERS = (
    ("core",),
    ("exact", "resampling"),
    ("engine",),
    ("results",),
    ("metrics",),
    ("scores", "outputs"),
    ("formats",),
    ("inference",),
    ("language",),
    ("workflows",),
    ("report",),
    ("cli",),
)
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}
# Functions that were handed down as values: a metric holds the formula of its entry, an engine runs the tasks it is given, and
# pairs keep what some work found in them.
HANDED = {("core/metric.py", "metrics"), ("core/rows.py", "inference"), ("engine/engines.py", "workflows")}


class Visit:
    """The functions of the package that run while nothing is imported, and who called whom from below."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.upward: set[tuple[str, str]] = set()
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            self._importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self._importing and code.co_filename.startswith(SOURCE):
            here = inside(code.co_filename)
            self.functions.add((here, code.co_qualname))
            # A generator that was handed down runs on where it is read, and a function inside another where it is called.
            if not code.co_flags & inspect.CO_GENERATOR and "<locals>" not in code.co_qualname:
                self._note_caller(frame.f_back, here)

    def _note_caller(self, caller: FrameType | None, here: str) -> None:
        while caller is not None and not caller.f_code.co_filename.startswith(SOURCE):
            caller = caller.f_back
        there = "" if caller is None else inside(caller.f_code.co_filename)
        below, above = folder(there), folder(here)
        if LEVEL.get(below, len(LAYERS)) < LEVEL.get(above, -1) and (there, above) not in HANDED:
            self.upward.add((there, here))


def inside(name: str) -> str:
    return Path(name).relative_to(SOURCE).as_posix()


def folder(name: str) -> str:
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    right = rng.random((60, 3)) < (0.8, 0.7, 0.5)
    rows = [",".join(map(str, (item, *row))) for item, row in enumerate(right.astype(int).tolist())]
    Path("board.csv").write_text("id,amber,birch,cedar\n" + "\n".join(rows) + "\n")
    for name, column in zip("ab", right.T.astype(int).tolist(), strict=False):
        Path(f"{name}.txt").write_text("".join(f"{one}\n" for one in column))
        Path(f"{name}.seg").write_text("".join("the cat sat\n" if one else "a dog ran\n" for one in column))
        Path(f"{name}.tags").write_text(" ".join("w/X" if one else "w/Y" for one in column) + "\n")
    Path("gold.seg").write_text("the cat sat down\n" * 60)
    Path("gold.tags").write_text(" ".join(["w/X"] * 60) + "\n")


COMMANDS = {
    "compare": ["compare", "a.txt", "b.txt"],
    "texts": ["compare", "a.seg", "b.seg", "--reference", "gold.seg", "--metric", "bleu"],
    "rank": ["rank", "board.csv"],
    "diff": ["diff", "gold.tags", "a.tags", "b.tags", "--task", "pos"],
}


@pytest.mark.parametrize("name", a_few(COMMANDS, 2))
@pytest.mark.usefixtures("files")
def test_no_layer_calls_one_above_it(name):
    visit = Visit()
    before = sys.getprofile()
    sys.setprofile(visit)
    try:
        ran = CliRunner().invoke(app, COMMANDS[name])
    finally:
        sys.setprofile(before)
    assert ran.exit_code == 0, ran.output
    assert {folder(file) for file, _ in visit.functions} >= {"cli", "workflows", "formats", "inference", "report", "core"}
    assert sorted(visit.upward) == []


def test_a_call_from_below_is_seen(tmp_path):
    """`print` asks results for their report, which is the one way up, and not one that commands take."""
    result = outscore.compare([1, 2, 3], [1, 1, 1])
    visit = Visit()
    sys.setprofile(visit)
    try:
        str(result)
    finally:
        sys.setprofile(None)
    assert visit.upward == {("results/rendering.py", "report/render.py")}

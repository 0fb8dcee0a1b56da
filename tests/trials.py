"""Tests in processes of their own: which lines each of them runs, and which one fails first; for `tests/mutants.py`."""

from __future__ import annotations

import ast
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import coverage
import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "outscore"
KEPT = ROOT / "build" / "mutants"
# These start servers, browsers and clusters, draw pictures, or look at the files of the project.
LEFT_OUT = {"browser", "calibration", "engine", "report", "web"}
LEFT_OUT |= {f"test_{name}.py" for name in ("architecture", "docs", "import_time", "mutants", "release")}
MEMORY = 4 * 2**30
LONGEST = 900
"""Seconds of a processor that the tests of one file may take."""


def fork(work: Callable[[Path], object], cpu_seconds: float) -> tuple[dict | None, str]:
    """What the work returns in a process of its own (nothing if that was ended) and the end of what it said."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        answer = Path(folder, "answer.json")
        if (child := os.fork()) == 0:
            os.setpgid(0, 0)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            quiet = os.open(Path(folder, "said"), os.O_WRONLY | os.O_CREAT)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds) + 1, int(cpu_seconds) + 5))
            try:
                write(answer, json.dumps(work(Path(folder, "temporary"))))
            except Exception:  # noqa: BLE001 - what happened is told by the one that waits
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
        ends = time.monotonic() + 60 + 10 * cpu_seconds
        try:
            while os.waitpid(child, os.WNOHANG)[0] == 0 and time.monotonic() < ends:
                time.sleep(0.02)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)
        said = Path(folder, "said").read_text("utf-8", errors="replace")[-2000:]
        return (json.loads(answer.read_text("utf-8")) if answer.is_file() else None), said


def run_tests(files: list[str], temporary: Path, plugin: object, *more: str) -> int:
    """Pytest's code for these files, without traces in the tree."""
    os.chdir(ROOT)
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary.parent)
    options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "--tb=line"]
    # Pytest's own import of modules whose assertions it rewrites would not see the fault.
    return int(pytest.main([*options, "--assert=plain", *more, f"--basetemp={temporary}", *files], plugins=[plugin]))


class Chosen:
    """Runs only these tests, in this order, and remembers which one failed."""

    def __init__(self, tests: list[str]):
        self.order = {test: place for place, test in enumerate(tests)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid])
        for test in {item.obj for item in items if hasattr(getattr(item, "obj", None), "hypothesis")}:
            test = getattr(test, "__func__", test)  # noqa: PLW2901
            # That it fails is enough: a smaller example of it would take long to find.
            named = test._hypothesis_internal_use_settings
            test._hypothesis_internal_use_settings = settings(named, phases=[Phase.explicit, Phase.generate])

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


class Recorder:
    """Notes which test runs which line. What fixtures of a whole file run is done for all tests that ask for them."""

    def __init__(self):
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[f"{SOURCE}/*"])
        self.seconds: dict[str, float] = {}
        self.asked: dict[str, list[str]] = defaultdict(list)
        self.contexts = ["start"]

    @contextmanager
    def context(self, name: str) -> Iterator[None]:
        self.contexts.append(name)
        self.coverage.switch_context(name)
        yield
        self.contexts.pop()
        self.coverage.switch_context(self.contexts[-1])

    def pytest_sessionstart(self) -> None:
        self.coverage.start()
        self.coverage.switch_context("start")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        before = time.process_time()
        with self.context(item.nodeid):
            done = yield
        self.seconds.setdefault(item.nodeid, time.process_time() - before)
        for fixture in getattr(item, "fixturenames", ()):
            self.asked[f"fixture {fixture}"].append(item.nodeid)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        with self.context(self.contexts[-1] if fixturedef.scope == "function" else f"fixture {fixturedef.argname}"):
            return (yield)

    def pytest_runtest_logreport(self, report) -> None:
        if not report.passed:
            self.seconds[report.nodeid] = -1.0

    def answer(self) -> dict:
        """Seconds of each test that passes, and for each function of the package the lines that each group of tests runs."""
        self.coverage.stop()
        data = self.coverage.get_data()
        tests = [test for test, seconds in self.seconds.items() if seconds >= 0]
        places = {test: place for place, test in enumerate(tests)}
        touched: dict[str, dict[str, list]] = {}
        for path in data.measured_files():
            groups: dict[tuple[str, frozenset[int]], list[int]] = defaultdict(list)
            text = Path(path).read_text("utf-8")
            inside = functions_of_lines(ast.parse(text))
            lines = text.splitlines()
            for line, contexts in data.contexts_by_lineno(path).items():
                running = frozenset(
                    places[test] for context in contexts for test in self.asked.get(context, [context]) if test in places
                )
                if running and inside.get(line):
                    groups[inside[line], running].append(fingerprint(lines[line - 1]))
            of_file = touched.setdefault(Path(path).relative_to(SOURCE).as_posix(), {})
            for (function, running), found in groups.items():
                of_file.setdefault(function, []).append([found, sorted(running)])
        return {"tests": [[test, round(self.seconds[test], 4)] for test in tests], "touched": touched}


def functions_of_lines(tree: ast.Module) -> dict[int, str]:
    """The innermost function that each line belongs to; the lines of `def` themselves run when a module is imported."""
    found: dict[int, str] = {}

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}".lstrip(".")
                is_class = isinstance(child, ast.ClassDef)
                found.update((line, "" if is_class else inner) for line in range(child.body[0].lineno, child.end_lineno + 1))
            visit(child, inner)

    visit(tree, "")
    return found


def fingerprint(line: str) -> int:
    return zlib.crc32(line.strip().encode())


def files_of_tests() -> list[str]:
    """The files of tests, and the modules with examples."""
    tests = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")]
    examples = [path.relative_to(ROOT) for path in SOURCE.rglob("*.py") if ">>> " in path.read_text("utf-8")]
    return sorted(str(path) for path in [*tests, *examples] if path.parts[1] not in LEFT_OUT)


def map_tests() -> dict[str, dict]:
    """What each file of tests runs, measured again where the file changed."""
    found = {}
    files = files_of_tests()
    for number, file in enumerate(files, 1):
        kept = KEPT / "map" / (file.replace("/", "-") + ".json")
        of_now = digest(ROOT / file)
        known = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
        if known.get("digest") != of_now:
            say(f"[{number} of {len(files)}] what {file} runs")

            def work(temporary: Path, file: str = file) -> dict:
                recorder = Recorder()
                run_tests([file], temporary, recorder)
                return recorder.answer()

            known, said = fork(work, LONGEST)
            known = known or {"tests": [], "touched": {}}
            if not known["tests"]:
                say(f"  no test of it passes here, so none is used: {said[-200:]}")
            write(kept, json.dumps(known | {"digest": of_now}))
        found[file] = known
    return found


def digest(*paths: Path) -> str:
    return sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def say(line: str) -> None:
    print(line, flush=True)


def write(path: Path, text: str) -> None:
    """All of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".part").write_text(text, "utf-8")
    path.with_suffix(".part").replace(path)

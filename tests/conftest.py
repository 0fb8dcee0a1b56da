"""What all tests share: real data beside the project, golden files, and a result made by hand."""

from __future__ import annotations

import gc
import math
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from outscore.results.comparison import Comparison, SystemScore
from outscore.results.design import Alignment, Decision, Design, PathStep
from outscore.results.note import Signature
from outscore.results.pvalue import Interval, PValue

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
# OUTSCORE_UPDATE_GOLDEN=1 writes what the commands say now; look at the diff before committing it.
UPDATE_GOLDEN = os.environ.get("OUTSCORE_UPDATE_GOLDEN") == "1"
# No test may read or fill the cache of whoever runs it.
os.environ["OUTSCORE_CACHE"] = "off"
# A busy machine is no defect: what must be fast is measured in benchmarks/.
# `make test` tries one in ten of the examples each test names, and six at least: the same ones every time, so that a change
# is to blame for what fails. `make test-slow` tries all of them, others every time.
settings.register_profile("quick", deadline=None, derandomize=True)
settings.register_profile("whole", deadline=None)
settings.load_profile("quick")
QUICK_SHARE, MIN_EXAMPLES = 10, 6
STATES: dict[object, object] = {}
"""Of the generators that modules of tests call RNG, as they were made."""


def pytest_configure(config):
    # Until all tests are collected hardly anything becomes garbage, and looking for it takes a fifth of the time.
    gc.disable()
    config.addinivalue_line("markers", "posix: needs signals, links or a shell as POSIX has them; skipped on Windows")


def pytest_collection_modifyitems(config, items):
    if os.name == "nt":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs POSIX"))
    if config.getoption("--hypothesis-profile") == "whole":
        return
    found = (getattr(item, "obj", None) for item in items)
    for test in {getattr(one, "__func__", one) for one in found if hasattr(one, "hypothesis")}:
        named = test._hypothesis_internal_use_settings
        fewer = min(named.max_examples, max(MIN_EXAMPLES, named.max_examples // QUICK_SHARE))
        test._hypothesis_internal_use_settings = settings(named, max_examples=fewer)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Doctests are in src; looking for them in the tests, too, takes a tenth of the time that collecting does."""
    return [found for found in (yield) if type(found) is pytest.Module]


def pytest_collection_finish(session):
    """Thousands of collected tests stay to the end: the garbage collector need not look through them again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
    # Nor need it look through the little that a test makes every few hundred objects: that takes a twentieth of the time.
    gc.set_threshold(100_000, 20, 50)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """What a test draws from the generator of its module is the same, whichever tests of the module this process ran before."""
    drawn = getattr(getattr(item, "module", None), "RNG", None)
    if drawn is not None:
        drawn.bit_generator.state = STATES.setdefault(item.module, drawn.bit_generator.state)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is never part of the project."""
    folder = Path(os.environ.get("OUTSCORE_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("real data not found: set OUTSCORE_SHARED_DATA to their folder")
    return folder


@pytest.fixture
def golden():
    """Compare a text with tests/golden/NAME, or renew it."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if UPDATE_GOLDEN:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing: run with OUTSCORE_UPDATE_GOLDEN=1"
        assert text == path.read_text(encoding="utf-8")

    return check


def make_p(value: float, method: str = "exact", lower: float | None = None, upper: float | None = None, **more) -> PValue:
    return PValue(
        value,
        value if lower is None else lower,
        value if upper is None else upper,
        math.log10(value),
        method,
        more.pop("kernel", "lattice"),
        n=2000,
        **more,
    )


def make_comparison(**changes) -> Comparison:
    comparison = Comparison(
        systems=("A", "B"),
        metric="accuracy",
        signature=Signature.parse(
            "metric:accuracy|test:permutation|method:exact|kernel:lattice|n:2000|alternative:two-sided|alpha:0.05|outscore:0"
        ),
        higher_is_better=True,
        n=2000,
        clusters=None,
        design=Design(rows=2000, items=2000, repeats=1, path=[PathStep("rows", 2000, 0.0143, 0.0123)]),
        alignment=Alignment(common=2000),
        scores=(SystemScore("A", 0.9543), SystemScore("B", 0.94)),
        difference=0.0143,
        p=make_p(0.0123, mid=0.012),
        interval=Interval(0.01, 0.0186, 0.95, "inversion", dual=True),
        decision=Decision(0, "better"),
        verdict="A outscored B: accuracy 0.9543 against 0.9400; p = .0123, exact paired permutation test.",
        sentence="On 2,000 items, A is better than B.",
    )
    made = replace(comparison, **changes)
    # Verdicts written by hand have the headline before the first colon.
    headline, _, reason = made.verdict.partition(": ")
    return replace(made, **{"headline": headline, "reason": reason} | changes)


@pytest.fixture(scope="session")
def p_value():
    """A p-value made by hand."""
    return make_p


@pytest.fixture(scope="session")
def comparison():
    """A comparison made by hand, with changes."""
    return make_comparison


@pytest.fixture(scope="session")
def forks():
    """Where workers of the page come from that need not import anything; None where it cannot be seen that forking is safe."""
    if not Path("/proc/self/task").is_dir():
        yield None
        return
    from tests.web.forks import forking

    with forking() as found:
        yield found

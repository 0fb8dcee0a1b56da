"""TESTS: every test by name. An entry says all there is to say about its test (`base.entry`).

Adding a test is its module and one line here: command line, advice, sentences, page of methods, citations,
docs table and contract tests loop over the registry.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from outscore.core.options import did_you_mean
from outscore.inference.base.entry import TestEntry
from outscore.inference.bootstrap import ENTRIES as BOOTSTRAPS
from outscore.inference.classical.bayes import ENTRY as BAYES
from outscore.inference.classical.mcnemar import ENTRY as MCNEMAR
from outscore.inference.classical.median import PERMUTATION_ENTRY as MEDIAN
from outscore.inference.classical.median import SIGN_ENTRY as SIGN
from outscore.inference.classical.student import ENTRY as STUDENT
from outscore.inference.classical.wilcoxon import ENTRY as WILCOXON
from outscore.inference.permutation import ENTRY as PERMUTATION
from outscore.inference.shifted import run_entry

TESTS: dict[str, TestEntry] = {
    entry.name: replace(entry, run=partial(run_entry, entry))
    for entry in (PERMUTATION, MEDIAN, STUDENT, WILCOXON, SIGN, MCNEMAR, *BOOTSTRAPS, BAYES)
}
DEFAULT = PERMUTATION.name
"""The test that decides where none is named."""
ALL = "all"
"""Asks for every test; the default decides."""


def deciding_test(test: object) -> TestEntry | None:
    """The entry of the test whose p decides, or None for an unknown name.

    Examples
    --------
    >>> deciding_test("all").name, deciding_test("sign").name
    ('permutation', 'sign')
    """
    if not isinstance(test, str):
        return None
    return TESTS.get(DEFAULT if test == ALL else test)


def suggest_test(test: str) -> str:
    """A hint for a name that no test has: the one that people know by it, the nearest one, or all of them.

    Examples
    --------
    >>> suggest_test("t-test")
    'Did you mean `student`?'
    """
    known = next((entry.name for entry in TESTS.values() if test.lower().replace("_", "-") in entry.aliases), None)
    return did_you_mean(test, [*TESTS, ALL]) if known is None else f"Did you mean `{known}`?"

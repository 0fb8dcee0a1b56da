"""TESTS: every test by name. An entry says what it tests, its options and what it can handle.

Adding a test is one entry; command line, docs table and contract tests loop over the registry.
"""

from __future__ import annotations

from outscore.inference.bayes import ENTRY as BAYES
from outscore.inference.bootstrap import ENTRIES as BOOTSTRAPS
from outscore.inference.entry import TestEntry, TestRequest
from outscore.inference.mcnemar import ENTRY as MCNEMAR
from outscore.inference.median import ENTRY as MEDIAN
from outscore.inference.permutation import ENTRY as PERMUTATION
from outscore.inference.sign import ENTRY as SIGN
from outscore.inference.student import ENTRY as STUDENT
from outscore.inference.wilcoxon import ENTRY as WILCOXON

__all__ = ["TESTS", "TestEntry", "TestRequest"]

TESTS: dict[str, TestEntry] = {
    entry.name: entry for entry in (PERMUTATION, MEDIAN, STUDENT, WILCOXON, SIGN, MCNEMAR, *BOOTSTRAPS, BAYES)
}

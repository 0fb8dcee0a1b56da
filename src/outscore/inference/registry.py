"""TESTS: every test by name. An entry says what it tests, its options and what it can handle.

Adding a test is one entry; command line, docs table and contract tests loop over the registry.
"""

from __future__ import annotations

from outscore.inference.base.entry import TestEntry, TestRequest
from outscore.inference.binary.mcnemar import ENTRY as MCNEMAR
from outscore.inference.bootstrap.tests import ENTRIES as BOOTSTRAPS
from outscore.inference.classical.bayes import ENTRY as BAYES
from outscore.inference.classical.median import ENTRY as MEDIAN
from outscore.inference.classical.sign import ENTRY as SIGN
from outscore.inference.classical.student import ENTRY as STUDENT
from outscore.inference.classical.wilcoxon import ENTRY as WILCOXON
from outscore.inference.permutation.dispatch import ENTRY as PERMUTATION

__all__ = ["TESTS", "TestEntry", "TestRequest"]

TESTS: dict[str, TestEntry] = {
    entry.name: entry for entry in (PERMUTATION, MEDIAN, STUDENT, WILCOXON, SIGN, MCNEMAR, *BOOTSTRAPS, BAYES)
}

"""TESTS: every test by name. An entry says what it tests, its options and what it can handle.

Adding a test is one entry; command line, docs table and contract tests loop over the registry.
"""

from __future__ import annotations

from outscore.inference.entry import TestEntry, TestRequest
from outscore.inference.permutation import ENTRY as PERMUTATION

__all__ = ["TESTS", "TestEntry", "TestRequest"]

TESTS: dict[str, TestEntry] = {entry.name: entry for entry in (PERMUTATION,)}

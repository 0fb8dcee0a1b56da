"""The outcome of a gate as JUnit's XML, which every build server shows: one test case that passed, failed or was skipped."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from outscore.report.document import clean
from outscore.report.rows.gate import summary
from outscore.results.gate import GateResult

__all__ = ["xml"]

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even escaped."""


def xml(found: GateResult) -> str:
    """A test suite of one case; what is inconclusive, and counts as nothing else, was skipped."""
    candidate, baseline = found.comparison.systems
    outcome = found.counts_as
    name = _attribute(f"{candidate} is not worse than {baseline} by {found.margin:g} ({found.comparison.metric})")
    failures, skipped = int(outcome == "fail"), int(outcome == "inconclusive")
    verdict = _attribute(clean(found.headline))
    reason = _text(clean(found.reason))
    body = {
        "pass": [],
        "fail": [f"    <failure message={verdict}>{reason}</failure>"],
        "inconclusive": [f"    <skipped message={verdict}/>"],
    }[outcome]
    out = "\n".join(_text(f"{label}: {text}") for label, text in [("outcome", clean(found.verdict)), *summary(found)])
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="1" failures="{failures}" errors="0" skipped="{skipped}">',
        f'  <testsuite name="outscore gate" tests="1" failures="{failures}" errors="0" skipped="{skipped}">',
        f'  <testcase classname="outscore.gate" name={name}>',
        *body,
        f"    <system-out>{out}</system-out>",
        "  </testcase>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(NOT_XML.sub("\ufffd", clean(text)))

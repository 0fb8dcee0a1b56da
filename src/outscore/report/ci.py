"""The outcome of a gate for build servers: GitHub's annotation and log, and JUnit's XML, which every one of them shows.

GitHub's annotations are commands in the log (`::error title=...::message`). Per cent signs and line ends of the message, and
colons and commas of the title, are escaped as GitHub asks for, so that no name of a system or file can become a command. In
JUnit's XML a gate is one test case that passed, failed or was skipped.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from outscore.report.document import clean
from outscore.report.rows.gate import summary
from outscore.results.gate import GateResult

LEVELS = {"pass": "notice", "fail": "error", "inconclusive": "warning"}
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even escaped."""


def annotation(result: GateResult) -> str:
    """The line that GitHub shows beside the run."""
    title = _property(f"outscore gate: {result.outcome}")
    return f"::{LEVELS[result.counts_as]} title={title}::{_data(clean(result.verdict))}"


def github_log(result: GateResult) -> str:
    """What goes to the log: the annotation, and the numbers under it."""
    lines = [f"{label}: {text}" for label, text in summary(result)]
    # A line of the log that begins with two colons would be a command.
    return "\n".join([annotation(result), *(f"  {line}" for line in lines)]) + "\n"


def _data(text: str) -> str:
    """A message as the commands of GitHub take it.

    Examples
    --------
    >>> _data("50 % of a::b")
    '50 %25 of a::b'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit_xml(result: GateResult) -> str:
    """A test suite of one case; what is inconclusive, and counts as nothing else, was skipped."""
    candidate, baseline = result.comparison.systems
    outcome = result.counts_as
    name = _attribute(f"{candidate} is not worse than {baseline} by {result.margin:g} ({result.comparison.metric})")
    failures, skipped = int(outcome == "fail"), int(outcome == "inconclusive")
    verdict = _attribute(clean(result.headline))
    reason = _text(clean(result.reason))
    body = {
        "pass": [],
        "fail": [f"    <failure message={verdict}>{reason}</failure>"],
        "inconclusive": [f"    <skipped message={verdict}/>"],
    }[outcome]
    out = "\n".join(_text(f"{label}: {text}") for label, text in [("outcome", clean(result.verdict)), *summary(result)])
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

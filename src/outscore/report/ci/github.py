"""The outcome of a gate for GitHub: an annotation and the report for the log, and a step summary.

Annotations are commands in the log (`::error title=...::message`). Per cent signs and line ends of the message, and colons and
commas of the title, are escaped as GitHub asks for, so that no name of a system or file can become a command.
"""

from __future__ import annotations

from outscore.report.document import clean
from outscore.report.rows.gate import summary
from outscore.results.gate import GateResult

__all__ = ["annotation", "log"]

LEVELS = {"pass": "notice", "fail": "error", "inconclusive": "warning"}


def annotation(found: GateResult) -> str:
    """The line that GitHub shows beside the run."""
    title = _property(f"outscore gate: {found.outcome}")
    return f"::{LEVELS[found.counts_as]} title={title}::{_data(clean(found.verdict))}"


def log(found: GateResult) -> str:
    """What goes to the log: the annotation, and the numbers under it."""
    lines = [f"{label}: {text}" for label, text in summary(found)]
    # A line of the log that begins with two colons would be a command.
    return "\n".join([annotation(found), *(f"  {line}" for line in lines)]) + "\n"


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
